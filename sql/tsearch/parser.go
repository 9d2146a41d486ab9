package tsearch

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// TokenType is a kind of token of the default parser, from 1.
type TokenType int

// TokenInfo names a kind of token.
type TokenInfo struct{ Alias, Description string }

// TokenTypes are the default parser's, from 1.
var TokenTypes = []TokenInfo{
	{}, {"asciiword", "Word, all ASCII"}, {"word", "Word, all letters"}, {"numword", "Word, letters and digits"}, {"email", "Email address"},
	{"url", "URL"}, {"host", "Host"}, {"sfloat", "Scientific notation"}, {"version", "Version number"},
	{"hword_numpart", "Hyphenated word part, letters and digits"}, {"hword_part", "Hyphenated word part, all letters"},
	{"hword_asciipart", "Hyphenated word part, all ASCII"}, {"blank", "Space symbols"}, {"tag", "XML tag"}, {"protocol", "Protocol head"},
	{"numhword", "Hyphenated word, letters and digits"}, {"asciihword", "Hyphenated word, all ASCII"}, {"hword", "Hyphenated word, all letters"},
	{"url_path", "URL path"}, {"file", "File or path name"}, {"float", "Decimal notation"}, {"int", "Signed integer"}, {"uint", "Unsigned integer"},
	{"entity", "XML entity"},
}

// TokenTypeOf finds a kind of token by its alias; 0 = none.
func TokenTypeOf(alias string) TokenType {
	for i := 1; i < len(TokenTypes); i++ {
		if TokenTypes[i].Alias == alias {
			return TokenType(i)
		}
	}
	return 0
}

// Token is a piece of a text.
type Token struct {
	Type TokenType
	Text string
}

// Parser is the default parser: it cuts a text into tokens, and overlapping ones where a word has parts (a URL and its host, a hyphenated word).
type Parser struct {
	text     string
	stack    []position // the last is where we are
	hidden   bool       // in <script> or <style>
	wantHost bool       // a host ends where its path begins
	token    int        // where the token began
	depth    int        // parsers that look ahead for this one
	ctypeC   bool
	err      error

	length int // of the last token, in bytes
	kind   TokenType
}

// position is a state at a place of the text.
type position struct {
	state, at, charLen int
	length, chars      int // of the token so far
	pushedAt           int // rule that pushed what is above; -1 = none
}

// NewParser starts with a text. With ctypeC each character that is not ASCII is a letter, as where the database's ctype is C.
func NewParser(text string, ctypeC bool) *Parser {
	return &Parser{text: text, stack: []position{{pushedAt: -1}}, ctypeC: ctypeC}
}

// Next gives the next token; false at the end.
func (p *Parser) Next() (Token, bool, error) {
	if !p.get() {
		return Token{}, false, p.err
	}
	return Token{p.kind, p.text[p.token : p.token+p.length]}, true, p.err
}

type action uint8

const (
	actToken action = 1 << iota
	actPush
	actPop
	actClear
	actClearAll
	actMerge
	actRerun
)

type rule struct {
	class   func(*Parser, *position) bool
	action  action
	to      int // state; -1 = the same
	token   TokenType
	special func(*Parser, *position)
}

var (
	states       [][]rule
	stateNumbers map[string]int
)

// The classes that look ahead run a parser, which needs the states, which need the classes.
func init() { states, stateNumbers = compileGrammar() }

var actionNames = map[string]action{"token": actToken, "push": actPush, "pop": actPop, "clear": actClear, "clearAll": actClearAll, "merge": actMerge,
	"rerun": actRerun, "token+clear": actToken | actClear, "token+clearAll": actToken | actClearAll}

// compileGrammar makes rules of the grammar's text.
func compileGrammar() ([][]rule, map[string]int) {
	lines := strings.Split(strings.TrimSpace(grammar), "\n")
	numbers := map[string]int{}
	for i, line := range lines {
		name, _, _ := strings.Cut(line, ": ")
		numbers[name] = i
	}
	list := make([][]rule, len(lines))
	for i, line := range lines {
		_, rules, _ := strings.Cut(line, ": ")
		for _, text := range strings.Split(rules, "; ") {
			words := strings.Fields(text)
			r := rule{class: classOf(words[0]), to: -1}
			for _, w := range words[1:] {
				switch w[0] {
				case '>':
					r.to = numbers[w[1:]]
				case '=':
					r.token = TokenTypeOf(w[1:])
				case '!':
					r.special = specials[w[1:]]
				default:
					r.action = actionNames[w]
				}
			}
			list[i] = append(list[i], r)
		}
	}
	return list, numbers
}

func classOf(word string) func(*Parser, *position) bool {
	if word[0] != '\'' {
		return classes[word]
	}
	c := word[1]
	if word == "'semicolon" {
		c = ';'
	}
	return func(p *Parser, s *position) bool { return s.charLen == 1 && p.text[s.at] == c }
}

func (p *Parser) char(s *position) rune {
	if s.charLen == 0 {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(p.text[s.at:])
	return r
}

func (p *Parser) isAlpha(r rune) bool { return isAlpha(r) || r >= 0x80 && p.ctypeC }

func (p *Parser) isAlnum(r rune) bool { return isDigit(r) || p.isAlpha(r) }

func ofRune(test func(rune) bool) func(*Parser, *position) bool {
	return func(p *Parser, s *position) bool { return test(p.char(s)) }
}

var classes = map[string]func(*Parser, *position) bool{
	"any":      func(*Parser, *position) bool { return true },
	"eof":      func(_ *Parser, s *position) bool { return s.charLen == 0 },
	"ignore":   func(p *Parser, _ *position) bool { return p.hidden },
	"asclet":   ofRune(func(r rune) bool { return r < 0x80 && isAlpha(r) }),
	"alpha":    func(p *Parser, s *position) bool { return p.isAlpha(p.char(s)) },
	"digit":    ofRune(isDigit),
	"alnum":    func(p *Parser, s *position) bool { return p.isAlnum(p.char(s)) },
	"notalnum": func(p *Parser, s *position) bool { return !p.isAlnum(p.char(s)) },
	"space":    func(p *Parser, s *position) bool { r := p.char(s); return isSpace(r) && (r < 0x80 || !p.ctypeC) },
	"xdigit":   ofRune(func(r rune) bool { return isDigit(r) || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F' }),
	// Marks and characters without width join the word that they are in.
	"special": ofRune(func(r rune) bool { return r == 0 || r >= 0x80 && unicode.In(r, unicode.M, unicode.Cf) }),
	"urlchar": ofRune(func(r rune) bool { return r > ' ' && r < 0x7f && !strings.ContainsRune("\"<>\\^`{|}", r) }),
	"stophost": func(p *Parser, _ *position) bool {
		was := p.wantHost
		p.wantHost = false
		return was
	},
	"host": func(p *Parser, s *position) bool {
		return p.ahead(s, TokenTypeOf("host"), &Parser{text: p.text[s.at:], stack: []position{{pushedAt: -1}}, wantHost: true})
	},
	"urlpath": func(p *Parser, s *position) bool {
		return p.ahead(s, TokenTypeOf("url_path"), &Parser{text: p.text[s.at:], stack: []position{{pushedAt: -1}, {state: stateNumbers["URLPathFirst"], pushedAt: -1}}})
	},
}

// ahead takes what another parser finds here when it is a token of that kind.
func (p *Parser) ahead(s *position, kind TokenType, q *Parser) bool {
	q.ctypeC = p.ctypeC
	if q.depth = p.depth + 1; q.depth > queryDepthMax {
		p.err = errTooDeep()
		return false
	}
	found := q.get() && q.kind == kind
	if q.err != nil {
		p.err = q.err
		return false
	}
	if !found {
		return false
	}
	s.at += q.length
	s.length += q.length
	s.chars += utf8.RuneCountInString(q.text[:q.length])
	s.charLen = q.stack[len(q.stack)-1].charLen
	return true
}

var specials = map[string]func(*Parser, *position){
	"tags": func(p *Parser, s *position) {
		switch strings.ToLower(p.text[p.token:min(p.token+s.chars, len(p.text))]) {
		case "</script", "</style":
			p.hidden = false
		case "<script", "<style":
			p.hidden = true
		}
	},
	"url": func(p *Parser, s *position) {
		p.wantHost = true
		s.at -= s.length
	},
	"hyphen": func(_ *Parser, s *position) { s.at -= s.length },
	"retake": func(_ *Parser, s *position) {
		s.at -= s.length
		s.length, s.chars = 0, 0
	},
}

// get runs the automaton to the end of a token.
func (p *Parser) get() bool {
	s := &p.stack[len(p.stack)-1]
	if s.at >= len(p.text) {
		return false
	}
	p.token = s.at
	s.pushedAt = -1
	for {
		s = &p.stack[len(p.stack)-1]
		if s.at > len(p.text) {
			return false
		}
		_, s.charLen = utf8.DecodeRuneInString(p.text[s.at:])
		rules := states[s.state]
		i := s.pushedAt + 1
		s.pushedAt = -1
		for !rules[i].class(p, s) {
			i++
		}
		if p.err != nil {
			return false
		}
		r := &rules[i]
		if r.special != nil {
			r.special(p, s)
		}
		if r.action&actToken != 0 {
			p.length, p.kind = s.length, r.token
			s.length, s.chars = 0, 0
		}
		s = p.act(r.action, i)
		if r.to >= 0 {
			s.state = r.to
		}
		if r.action&actToken != 0 {
			return true
		}
		if s.at >= len(p.text) && r.action&actRerun == 0 {
			return false
		}
		if r.action&(actRerun|actPop) == 0 {
			s.at += s.charLen
			s.length += s.charLen
			if s.charLen > 0 {
				s.chars++
			}
		}
	}
}

// act does what a rule says about the stack and gives the position that is on top then.
func (p *Parser) act(a action, rule int) *position {
	n := len(p.stack)
	switch {
	case a&actPop != 0:
		p.stack = p.stack[:n-1]
	case a&actPush != 0:
		p.stack[n-1].pushedAt = rule
		above := p.stack[n-1]
		above.pushedAt = -1
		p.stack = append(p.stack, above)
	case a&actClear != 0:
		p.stack[n-2] = p.stack[n-1]
		p.stack = p.stack[:n-1]
	case a&actClearAll != 0:
		p.stack = append(p.stack[:0], p.stack[n-1])
	case a&actMerge != 0:
		top, below := p.stack[n-1], &p.stack[n-2]
		below.at, below.charLen, below.length, below.chars = top.at, top.charLen, top.length, top.chars
		p.stack = p.stack[:n-1]
	}
	return &p.stack[len(p.stack)-1]
}
