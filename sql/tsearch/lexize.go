package tsearch

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Flags of a Lexeme.
const (
	FlagNextPosition = 1 << iota // it stands one position further than the one before
	FlagPrefix                   // in a query: words that begin so
	FlagFilter                   // what the next dictionary gets instead of the token
)

// Lexeme is what a dictionary makes of a token. Lexemes of one variant belong together, variants are alternatives.
type Lexeme struct {
	Text    string
	Variant uint16
	Flags   uint8
}

// Lookahead is how a dictionary that knows phrases asks for the next token: it sets More, and finds what it keeps in State. End says that there is none.
type Lookahead struct {
	End, More bool
	State     any
}

// Dictionary makes lexemes of tokens. Nil means that it doesn't know the word, an empty list (not nil) that it is a stop word. Safe for concurrent use.
type Dictionary interface {
	Lexize(token string, ahead *Lookahead) ([]Lexeme, error)
}

// DictID names a dictionary in a Config.
type DictID uint32

// Config is a text search configuration: which dictionaries a kind of token goes through.
type Config struct {
	Map    [][]DictID // by TokenType
	Open   func(id DictID) (Dictionary, error)
	CTypeC bool // the database's ctype is C: see Parser
}

func (c *Config) dictionaries(t TokenType) []DictID {
	if t == 0 || int(t) >= len(c.Map) {
		return nil
	}
	return c.Map[t]
}

// lexizer runs tokens through dictionaries: each is asked in turn until one knows the token. One that asks for the next token is the only one that is asked
// then, until it has a phrase; where it comes to nothing, the tokens go to the other dictionaries.
type lexizer struct {
	cfg   *Config
	work  []Token // tokens not dealt with; the last one may be of type 0, the end
	used  []Token // tokens that the last lexemes came of
	next  int     // dictionary that is asked next, in the list of work[0]
	dict  DictID  // that asks for more; 0 = none
	sub   int     // token in work that dict is asked about
	ahead Lookahead

	partial []Lexeme // what dict has so far
	last    int      // token in work where partial ended
}

func (l *lexizer) add(t Token) {
	l.work = append(l.work, t)
	l.sub = len(l.work) - 1
}

func (l *lexizer) drop() {
	l.used = append(l.used, l.work[0])
	l.work = l.work[1:]
	l.next = 0
	l.sub--
	l.last--
}

// exec gives the next lexemes; nil when more tokens are needed. Used has the tokens that were dealt with.
func (l *lexizer) exec() ([]Lexeme, error) {
	l.used = l.used[:0]
	for {
		var res []Lexeme
		var again bool
		var err error
		if l.dict == 0 {
			res, again, err = l.single()
		} else {
			res, again, err = l.phrase()
		}
		if res != nil || err != nil || !again {
			return res, err
		}
	}
}

// single asks dictionaries about one token after the other; again says that one wants more.
func (l *lexizer) single() (res []Lexeme, again bool, err error) {
	for len(l.work) > 0 {
		t := l.work[0]
		list := l.cfg.dictionaries(t.Type)
		word := t.Text
		for i := l.next; i < len(list); i++ {
			d, err := l.cfg.Open(list[i])
			if err != nil {
				return nil, false, err
			}
			l.ahead = Lookahead{}
			if res, err = d.Lexize(word, &l.ahead); err != nil {
				return nil, false, err
			}
			if l.ahead.More {
				l.dict, l.next, l.sub = list[i], i+1, 1
				l.keep(res, 0)
				return nil, true, nil
			}
			if res == nil {
				continue
			}
			if len(res) > 0 && res[0].Flags&FlagFilter != 0 {
				word = res[0].Text
				continue
			}
			l.drop()
			return res, false, nil
		}
		l.drop()
	}
	return nil, false, nil
}

func (l *lexizer) keep(res []Lexeme, at int) {
	if res != nil {
		l.partial, l.last = res, at
	}
}

// phrase asks the dictionary that wants more.
func (l *lexizer) phrase() (res []Lexeme, again bool, err error) {
	d, err := l.cfg.Open(l.dict)
	if err != nil {
		return nil, false, err
	}
	for l.sub < len(l.work) {
		t := l.work[l.sub]
		if t.Type != 0 {
			list := l.cfg.dictionaries(t.Type)
			if len(list) == 0 {
				l.sub++
				continue
			}
			known := false
			for _, id := range list {
				known = known || id == l.dict
			}
			if !known {
				l.dict = 0
				return nil, true, nil
			}
		}
		l.ahead.End, l.ahead.More = t.Type == 0, false
		if res, err = d.Lexize(t.Text, &l.ahead); err != nil {
			return nil, false, err
		}
		if l.ahead.More {
			l.keep(res, l.sub)
			l.sub++
			continue
		}
		if res == nil && l.partial == nil {
			l.dict = 0
			return nil, true, nil
		}
		end := l.sub
		if res == nil {
			res, end = l.partial, l.last
		}
		for range end + 1 {
			l.drop()
		}
		l.dict, l.partial = 0, nil
		return res, false, nil
	}
	return nil, false, nil
}

// ParsedWord is a lexeme of a document.
type ParsedWord struct {
	Lexeme
	Pos int
}

// Document collects the words of texts.
type Document struct {
	Words []ParsedWord
	pos   int
}

// tokens calls each with the tokens of a text, and one of type 0 at the end.
func (c *Config) tokens(text string, each func(Token) error) error {
	p := NewParser(text, c.CTypeC)
	for {
		t, ok, err := p.Next()
		if err != nil {
			return err
		}
		if !ok {
			t = Token{}
		}
		if ok && len(t.Text) >= wordLenMax {
			return pgerr.New(pgerr.ProgramLimitExceeded, "word is too long to be indexed").
				WithDetail("Words longer than %d characters are ignored.", wordLenMax)
		}
		if err := each(t); err != nil || !ok {
			return err
		}
	}
}

// Add parses a text and appends its words.
func (c *Config) Add(d *Document, text string) error {
	l := lexizer{cfg: c}
	return c.tokens(text, func(t Token) error {
		l.add(t)
		for {
			res, err := l.exec()
			if res == nil || err != nil {
				return err
			}
			d.pos++
			for _, x := range res {
				if x.Flags&FlagNextPosition != 0 {
					d.pos++
				}
				d.Words = append(d.Words, ParsedWord{x, min(d.pos, positionMax)})
			}
		}
	})
}

// Break keeps what follows from being next to what was there.
func (d *Document) Break() { d.pos++ }

// Vector gives the document's words with their positions.
func (d *Document) Vector() Vector {
	v := make(Vector, len(d.Words))
	for i, w := range d.Words {
		v[i] = Entry{w.Text, []Pos{makePos(w.Pos, 0)}}
	}
	v = v.normalize()
	for i := range v {
		// One less than tsvector's text may have.
		if len(v[i].Pos) > positionsMax-1 {
			v[i].Pos = v[i].Pos[:positionsMax-1]
		}
	}
	return v
}

// Parse makes a tsvector of a text.
func (c *Config) Parse(text string) (types.Datum, error) {
	var d Document
	if err := c.Add(&d, text); err != nil {
		return types.Null, err
	}
	return d.Vector().Datum()
}

// Query reads a query's text: operators as they are, words through the dictionaries.
func (c *Config) query(env *types.Env, text string, style queryStyle, join Operator) (types.Datum, error) {
	q, err := parseQuery(env, text, style, func(p *queryParser, word string, weight uint8, prefix bool) error {
		return c.pushWord(p, word, weight, prefix, join)
	})
	if err != nil {
		return types.Null, err
	}
	return q.Datum()
}

// ToQuery is to_tsquery, PlainQuery plainto_tsquery, PhraseQuery phraseto_tsquery, WebQuery websearch_to_tsquery.
func (c *Config) ToQuery(env *types.Env, text string) (types.Datum, error) {
	return c.query(env, text, styleStandard, Phrase)
}
func (c *Config) PlainQuery(env *types.Env, text string) (types.Datum, error) {
	return c.query(env, text, stylePlain, And)
}
func (c *Config) PhraseQuery(env *types.Env, text string) (types.Datum, error) {
	return c.query(env, text, stylePlain, Phrase)
}
func (c *Config) WebQuery(env *types.Env, text string) (types.Datum, error) {
	return c.query(env, text, styleWeb, Phrase)
}

// pushWord pushes what the dictionaries make of a word: lexemes of a variant joined by And, variants by Or, positions by join; stop words leave their place.
func (c *Config) pushWord(p *queryParser, word string, weight uint8, prefix bool, join Operator) error {
	var d Document
	if err := c.Add(&d, word); err != nil {
		return err
	}
	words := d.Words
	if len(words) == 0 {
		p.pushStop()
		return nil
	}
	pos, positions := 0, 0
	for i := 0; i < len(words); {
		for pos > 0 && pos+1 < words[i].Pos {
			p.pushStop()
			if positions > 0 {
				p.pushOperator(join, 1)
			}
			positions++
			pos++
		}
		pos = words[i].Pos
		for variants := 0; i < len(words) && words[i].Pos == pos; variants++ {
			variant := words[i].Variant
			for n := 0; i < len(words) && words[i].Pos == pos && words[i].Variant == variant; n++ {
				if err := p.pushWord(words[i].Text, weight, prefix || words[i].Flags&FlagPrefix != 0); err != nil {
					return err
				}
				if n > 0 {
					p.pushOperator(And, 0)
				}
				i++
			}
			if variants > 0 {
				p.pushOperator(Or, 0)
			}
		}
		if positions > 0 {
			p.pushOperator(join, 1)
		}
		positions++
	}
	return nil
}
