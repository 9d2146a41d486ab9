package tsearch

import (
	"slices"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// DictEnv is what making a dictionary needs of the catalogs.
type DictEnv struct {
	CTypeC bool
	// Find gives a dictionary by its possibly qualified name.
	Find func(name string) (Dictionary, error)
}

// templates make dictionaries, by the source name of a template's init function.
var templates = map[string]func(*DictEnv, []Option) (Dictionary, error){
	"dsimple_init": newSimple, "dsynonym_init": newSynonym, "dispell_init": newIspell, "thesaurus_init": newThesaurus, "dsnowball_init": newSnowball,
}

// NewDictionary makes a dictionary of a template, which is named by its init function, "" for none, and its lexize function.
func NewDictionary(env *DictEnv, init, lexize string, options []Option) (Dictionary, error) {
	if init == "" {
		init = strings.TrimSuffix(lexize, "_lexize") + "_init"
	}
	make, ok := templates[init]
	if !ok {
		return nil, pgerr.NotSupported("text search template function %s", lexize)
	}
	return make(env, options)
}

func errOption(format string, args ...any) error {
	return pgerr.New(pgerr.InvalidParameterValue, format, args...)
}

// optionReader takes options apart: each may come once.
type optionReader struct {
	what string // the template, for messages
	seen map[string]bool
	each map[string]func(o Option) error // by name
	once map[string]string               // names as messages say them, of those that are checked
}

func (r *optionReader) read(options []Option) error {
	r.seen = map[string]bool{}
	for _, o := range options {
		set, ok := r.each[o.Name]
		if !ok {
			return errOption("unrecognized %s parameter: \"%s\"", r.what, o.Name)
		}
		if name := r.once[o.Name]; r.seen[o.Name] && name != "" {
			return errOption("multiple %s parameters", name)
		}
		r.seen[o.Name] = true
		if err := set(o); err != nil {
			return err
		}
	}
	return nil
}

func (o Option) bool() (bool, error) {
	switch strings.ToLower(o.Value) {
	case "true", "on", "1":
		return true, nil
	case "false", "off", "0":
		return false, nil
	}
	return false, pgerr.New(pgerr.SyntaxError, "%s requires a Boolean value", o.Name)
}

// simple knows all words, or those that are no stop words.
type simple struct {
	stop   map[string]bool
	accept bool
	ctypeC bool
}

func newSimple(env *DictEnv, options []Option) (Dictionary, error) {
	d := &simple{accept: true, ctypeC: env.CTypeC}
	r := optionReader{what: "simple dictionary", once: map[string]string{"stopwords": "StopWords", "accept": "Accept"}}
	r.each = map[string]func(o Option) error{
		"stopwords": func(o Option) (err error) { d.stop, err = stopWords(o.Value, env.CTypeC); return err },
		"accept":    func(o Option) (err error) { d.accept, err = o.bool(); return err },
	}
	return d, r.read(options)
}

func (d *simple) Lexize(token string, _ *Lookahead) ([]Lexeme, error) {
	w := lower(token, d.ctypeC)
	switch {
	case w == "" || d.stop[w]:
		return []Lexeme{}, nil
	case d.accept:
		return []Lexeme{{Text: w}}, nil
	}
	return nil, nil
}

// synonym replaces words.
type synonym struct {
	words  map[string]Lexeme
	keep   bool // case counts
	ctypeC bool
}

func newSynonym(env *DictEnv, options []Option) (Dictionary, error) {
	d := &synonym{words: map[string]Lexeme{}, ctypeC: env.CTypeC}
	file := ""
	r := optionReader{what: "synonym", each: map[string]func(o Option) error{
		"synonyms":      func(o Option) error { file = o.Value; return nil },
		"casesensitive": func(o Option) (err error) { d.keep, err = o.bool(); return err },
	}}
	if err := r.read(options); err != nil {
		return nil, err
	}
	if file == "" {
		return nil, errOption("missing Synonyms parameter")
	}
	f, err := openFile(file, "syn", "synonym")
	if err != nil {
		return nil, err
	}
	for {
		line, ok, err := f.next()
		if err != nil || !ok {
			return d, err
		}
		words := strings.FieldsFunc(line, isSpace)
		if len(words) < 2 {
			continue
		}
		from, to := d.fold(words[0]), Lexeme{Text: words[1]}
		if text, ok := strings.CutSuffix(to.Text, "*"); ok && text != "" {
			to = Lexeme{Text: text, Flags: FlagPrefix}
		}
		to.Text = d.fold(to.Text)
		if _, twice := d.words[from]; !twice {
			d.words[from] = to
		}
	}
}

func (d *synonym) fold(s string) string {
	if d.keep {
		return s
	}
	return lower(s, d.ctypeC)
}

func (d *synonym) Lexize(token string, _ *Lookahead) ([]Lexeme, error) {
	if x, ok := d.words[d.fold(token)]; ok && token != "" {
		return []Lexeme{x}, nil
	}
	return nil, nil
}

// thesaurus replaces phrases. Words of phrases and of what replaces them go through another dictionary.
type thesaurus struct {
	sub     Dictionary
	entries []thesaurusEntry
	words   map[string][]phraseWord // stop words under ""
}

type thesaurusEntry struct {
	last int // index of the phrase's last word
	to   []Lexeme
}

// phraseWord is a place in a phrase where a lexeme stands; variants lexemes belong together there.
type phraseWord struct{ entry, at, variants int }

func newThesaurus(env *DictEnv, options []Option) (Dictionary, error) {
	d := &thesaurus{words: map[string][]phraseWord{}}
	file, sub := "", ""
	r := optionReader{what: "Thesaurus", once: map[string]string{"dictfile": "DictFile", "dictionary": "Dictionary"}}
	r.each = map[string]func(o Option) error{
		"dictfile":   func(o Option) error { file = o.Value; return nil },
		"dictionary": func(o Option) error { sub = o.Value; return nil },
	}
	if err := r.read(options); err != nil {
		return nil, err
	}
	if file == "" {
		return nil, errOption("missing DictFile parameter")
	}
	f, err := openFile(file, "ths", "thesaurus")
	if err != nil {
		return nil, err
	}
	if sub == "" {
		return nil, errOption("missing Dictionary parameter")
	}
	if d.sub, err = env.Find(sub); err != nil {
		return nil, err
	}
	for {
		line, ok, err := f.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if t := strings.TrimLeftFunc(line, isSpace); t == "" || t[0] == '#' {
			continue
		}
		if err := d.add(f, line); err != nil {
			return nil, err
		}
	}
	for _, list := range d.words {
		slices.SortFunc(list, func(a, b phraseWord) int {
			if a.entry != b.entry {
				return a.entry - b.entry
			}
			return a.at - b.at
		})
	}
	return d, nil
}

// add reads a line: phrase : replacement.
func (d *thesaurus) add(f *configFile, line string) error {
	phrase, to, ok := strings.Cut(line, ":")
	from := strings.FieldsFunc(phrase, isSpace)
	if ok && len(from) == 0 {
		return f.bad("unexpected delimiter")
	}
	words := strings.FieldsFunc(to, isSpace)
	if !ok || len(words) == 0 {
		return f.bad("unexpected end of line")
	}
	number := len(d.entries) + 1
	e := thesaurusEntry{last: len(from) - 1}
	for i, w := range from {
		if err := d.addPhraseWord(number, i, w); err != nil {
			return err
		}
	}
	for i, w := range words {
		list := []Lexeme{{Text: strings.TrimPrefix(w, "*"), Variant: uint16(i)}}
		if w[0] == '*' || w[0] == '\\' {
			if len(w) == 1 {
				return f.bad("unexpected end of line or lexeme")
			}
		}
		if w[0] != '*' {
			var err error
			w = strings.TrimPrefix(w, `\`)
			if list, err = d.sub.Lexize(w, nil); err != nil {
				return err
			}
			if list == nil {
				return pgerr.New(pgerr.ConfigFileError, "thesaurus substitute word \"%s\" isn't recognized by subdictionary (rule %d)", w, number)
			}
			if len(list) == 0 {
				return pgerr.New(pgerr.ConfigFileError, "thesaurus substitute word \"%s\" is a stop word (rule %d)", w, number)
			}
		}
		at := len(e.to)
		e.to = append(e.to, list...)
		if at > 0 {
			e.to[at].Flags |= FlagNextPosition
		}
	}
	d.entries = append(d.entries, e)
	return nil
}

func (d *thesaurus) addPhraseWord(number, at int, w string) error {
	if w == "?" {
		d.words[""] = append(d.words[""], phraseWord{number - 1, at, 1})
		return nil
	}
	list, err := d.sub.Lexize(w, nil)
	if err != nil {
		return err
	}
	if list == nil {
		return pgerr.New(pgerr.ConfigFileError, "thesaurus sample word \"%s\" isn't recognized by subdictionary (rule %d)", w, number)
	}
	if len(list) == 0 {
		return pgerr.New(pgerr.ConfigFileError, "thesaurus sample word \"%s\" is a stop word (rule %d)", w, number).
			WithHint("Use \"?\" to represent a stop word within a sample phrase.")
	}
	for _, variant := range variantsOf(list) {
		for _, x := range variant {
			d.words[x.Text] = append(d.words[x.Text], phraseWord{number - 1, at, len(variant)})
		}
	}
	return nil
}

// variantsOf cuts a list into runs of one variant.
func variantsOf(list []Lexeme) (runs [][]Lexeme) {
	for i := 0; i < len(list); {
		j := i
		for j < len(list) && list[j].Variant == list[i].Variant {
			j++
		}
		runs = append(runs, list[i:j])
		i = j
	}
	return runs
}

// match is what a thesaurus keeps between the words of a phrase: the entries that go on.
type match struct {
	at      int // words so far
	entries []int
}

func (d *thesaurus) Lexize(token string, ahead *Lookahead) ([]Lexeme, error) {
	if ahead == nil {
		return nil, pgerr.Internal("forbidden call of thesaurus or nested call")
	}
	if ahead.End {
		return nil, nil
	}
	before, _ := ahead.State.(*match)
	now := &match{}
	if before != nil {
		now.at = before.at + 1
	}
	list, err := d.sub.Lexize(token, nil)
	if err != nil {
		return nil, err
	}
	if list != nil && len(list) == 0 {
		now.continueWith(before, d.words[""], 1)
	}
	for _, variant := range variantsOf(list) {
		var common []phraseWord
		for i, x := range variant {
			found := d.words[x.Text]
			if i == 0 {
				common = found
				continue
			}
			var both []phraseWord
			for _, w := range common {
				if slices.Contains(found, w) {
					both = append(both, w)
				}
			}
			common = both
		}
		now.continueWith(before, common, len(variant))
	}
	ahead.State = nil
	if len(now.entries) == 0 {
		ahead.More = false
		return nil, nil
	}
	ahead.State = now
	// The entry that was found last comes first.
	for i := len(now.entries) - 1; i >= 0; i-- {
		if e := &d.entries[now.entries[i]]; e.last == now.at {
			ahead.More = len(now.entries) > 1
			return slices.Clone(e.to), nil
		}
	}
	ahead.More = true
	return nil, nil
}

// continueWith adds the entries that have one of the words at this place and went on before.
func (m *match) continueWith(before *match, words []phraseWord, variants int) {
	for _, w := range words {
		if w.at == m.at && w.variants == variants && (before == nil || slices.Contains(before.entries, w.entry)) && !slices.Contains(m.entries, w.entry) {
			m.entries = append(m.entries, w.entry)
		}
	}
}
