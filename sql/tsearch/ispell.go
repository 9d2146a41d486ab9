package tsearch

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/funcs/are"
	"github.com/calfdb/calf/sql/pgerr"
)

// flagMode is how a file writes flags of words and affixes.
type flagMode int

const (
	flagChar flagMode = iota // ABC
	flagLong                 // AABBCC
	flagNum                  // 1,2,3
)

// What flags mean for compound words, and, crossProduct, for prefixes beside suffixes.
const (
	compoundOnly = 1 << iota
	compoundBegin
	compoundMiddle
	compoundLast
	compoundPermit
	compoundForbid
	crossProduct

	compoundAny  = compoundBegin | compoundMiddle | compoundLast
	compoundMask = compoundOnly | compoundAny
)

const (
	normalFormsMax = 1024
	normalLenMax   = 256
)

// affix makes another word of a word: it takes find off and puts repl in its place, where the word fits mask.
type affix struct {
	flag   string
	suffix bool
	flags  int
	find   string
	repl   string
	fits   func(word string) bool // nil = all words
}

// spellNode is a node of the tree of the dictionary's words, by bytes.
type spellNode struct {
	next     map[byte]*spellNode
	isWord   bool
	flags    string
	compound int
}

// ispell finds the basic forms of words by a dictionary and affixes, in the formats of Ispell, MySpell and Hunspell.
type ispell struct {
	stop      map[string]bool
	mode      flagMode
	words     *spellNode
	prefixes  map[string][]*affix // by repl
	suffixes  map[string][]*affix
	compounds []*affix       // that join parts of compound words
	compound  map[string]int // what a flag means
	splits    bool           // there are compound words
	aliased   bool           // flags of words are numbers of aliases
	aliases   []string
	allFlags  map[string]bool // sets of flags in use
	affixes   []*affix
	entries   []spellEntry
	ctypeC    bool
}

type spellEntry struct{ word, flags string }

func newIspell(env *DictEnv, options []Option) (Dictionary, error) {
	d := &ispell{ctypeC: env.CTypeC, compound: map[string]int{}, allFlags: map[string]bool{}}
	r := optionReader{what: "Ispell", once: map[string]string{"dictfile": "DictFile", "afffile": "AffFile", "stopwords": "StopWords"}}
	r.each = map[string]func(o Option) error{
		"dictfile":  func(o Option) error { return d.readWords(o.Value) },
		"afffile":   func(o Option) error { return d.readAffixes(o.Value) },
		"stopwords": func(o Option) (err error) { d.stop, err = stopWords(o.Value, env.CTypeC); return err },
	}
	if err := r.read(options); err != nil {
		return nil, err
	}
	if !r.seen["afffile"] {
		return nil, errOption("missing AffFile parameter")
	}
	if !r.seen["dictfile"] {
		return nil, errOption("missing DictFile parameter")
	}
	if err := d.buildWords(); err != nil {
		return nil, err
	}
	return d, d.buildAffixes()
}

// readWords reads word/FLAGS lines.
func (d *ispell) readWords(name string) error {
	f, err := openFile(name, "dict", "dictionary")
	if err != nil {
		return err
	}
	for {
		line, ok, err := f.next()
		if err != nil || !ok {
			return err
		}
		word, flags, _ := strings.Cut(line, "/")
		if end := strings.IndexFunc(flags, func(r rune) bool { return r <= ' ' || r >= 0x7f }); end >= 0 {
			flags = flags[:end]
		}
		if end := strings.IndexFunc(word, isSpace); end >= 0 {
			word = word[:end]
		}
		d.entries = append(d.entries, spellEntry{lower(word, d.ctypeC), flags})
	}
}

func badFlag(s string) error { return pgerr.New(pgerr.ConfigFileError, "invalid affix flag \"%s\"", s) }

// flagsOf takes a set of flags apart.
func (d *ispell) flagsOf(s string) (list []string, err error) {
	switch d.mode {
	case flagChar:
		for _, r := range s {
			list = append(list, string(r))
		}
	case flagLong:
		runes := []rune(s)
		for i := 0; i < len(runes); i += 2 {
			if i+1 == len(runes) {
				return nil, pgerr.New(pgerr.ConfigFileError, "invalid affix flag \"%s\" with \"long\" flag value", string(runes[i:]))
			}
			list = append(list, string(runes[i:i+2]))
		}
	case flagNum:
		if s == "" {
			return nil, nil
		}
		for _, part := range strings.Split(s, ",") {
			n, err := flagNumber(strings.TrimFunc(part, isSpace))
			if err != nil {
				return nil, err
			}
			list = append(list, n)
		}
	}
	return list, nil
}

const flagNumberMax = 65535

func flagNumber(s string) (string, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return "", badFlag(s)
	}
	if n < 0 || n > flagNumberMax {
		return "", pgerr.New(pgerr.ConfigFileError, "affix flag \"%s\" is out of range", s)
	}
	return strconv.Itoa(n), nil
}

// has says whether a set of flags has one; all have the empty one.
func (d *ispell) has(set, flag string) bool {
	if flag == "" {
		return true
	}
	list, err := d.flagsOf(set)
	return err == nil && slices.Contains(list, flag)
}

// compoundOf gives what a set of flags means for compound words.
func (d *ispell) compoundOf(set string) (flags int, err error) {
	if len(d.compound) == 0 {
		return 0, nil
	}
	list, err := d.flagsOf(set)
	for _, f := range list {
		flags |= d.compound[f]
	}
	return flags, err
}

// addCompound reads the flag after the name of a compound option.
func (d *ispell) addCompound(text string, value int) error {
	words := strings.FieldsFunc(text, isSpace)
	if len(words) == 0 {
		return pgerr.New(pgerr.ConfigFileError, "syntax error")
	}
	flag := words[0]
	if d.mode == flagNum {
		n, err := flagNumber(flag)
		if err != nil {
			return err
		}
		flag = n
	}
	d.compound[flag] |= value
	d.splits = true
	return nil
}

// buildWords makes the tree of words.
func (d *ispell) buildWords() error {
	d.words = &spellNode{}
	for i := range d.entries {
		e := &d.entries[i]
		if d.aliased {
			if err := d.unalias(e); err != nil {
				return err
			}
		}
		d.allFlags[e.flags] = true
	}
	slices.SortStableFunc(d.entries, func(a, b spellEntry) int { return strings.Compare(a.flags, b.flags) })
	slices.SortStableFunc(d.entries, func(a, b spellEntry) int { return strings.Compare(a.word, b.word) })
	for _, e := range d.entries {
		if err := d.addWord(e); err != nil {
			return err
		}
	}
	// A malformed set is found now, not when a word is looked up.
	for _, e := range d.entries {
		if _, err := d.flagsOf(e.flags); err != nil {
			return err
		}
	}
	d.entries = nil
	return nil
}

func (d *ispell) unalias(e *spellEntry) error {
	if e.flags == "" {
		return nil
	}
	digits := strings.TrimLeft(e.flags, "0123456789")
	n, err := strconv.Atoi(e.flags[:len(e.flags)-len(digits)])
	if err != nil || n >= len(d.aliases) || digits != "" {
		return pgerr.New(pgerr.ConfigFileError, "invalid affix alias \"%s\"", e.flags)
	}
	e.flags = d.aliases[n]
	return nil
}

func (d *ispell) addWord(e spellEntry) error {
	if e.word == "" {
		return nil
	}
	n := d.words
	for i := range len(e.word) {
		child := n.next[e.word[i]]
		if child == nil {
			if n.next == nil {
				n.next = map[byte]*spellNode{}
			}
			child = &spellNode{}
			n.next[e.word[i]] = child
		}
		n = child
	}
	open := false
	if n.isWord && n.flags != e.flags {
		// A word that comes twice is bound to compounds only if both are.
		mine, err := d.compoundOf(e.flags)
		if err != nil {
			return err
		}
		open = n.compound&mine&compoundOnly == 0
		switch {
		case n.flags == "":
			n.flags = e.flags
		case e.flags == "":
		case d.mode == flagNum:
			n.flags += "," + e.flags
		default:
			n.flags += e.flags
		}
		d.allFlags[n.flags] = true
	} else {
		n.flags = e.flags
	}
	n.isWord = true
	flags, err := d.compoundOf(n.flags)
	n.compound = flags & compoundMask
	if n.compound&compoundOnly != 0 && n.compound&compoundAny == 0 {
		n.compound |= compoundAny
	}
	if open {
		n.compound &^= compoundOnly
	}
	return err
}

// known says whether a word is in the dictionary, takes an affix of that flag, and may stand at a place in compound words (0 = alone).
func (d *ispell) known(word, flag string, place int) bool {
	n := d.words
	for i := range len(word) {
		if n = n.next[word[i]]; n == nil {
			return false
		}
	}
	if place &= compoundMask; !n.isWord || place == 0 && n.compound&compoundOnly != 0 || place != 0 && place&n.compound == 0 {
		return false
	}
	return d.has(n.flags, flag)
}

func (d *ispell) addAffix(flag string, flags int, mask, find, repl string, suffix bool) error {
	a := &affix{flag: flag, suffix: suffix, flags: flags, find: find, repl: repl}
	if flags&(compoundOnly|compoundPermit) != 0 && flags&compoundAny == 0 {
		a.flags |= compoundAny
	}
	var err error
	a.fits, err = compileMask(mask, suffix)
	d.affixes = append(d.affixes, a)
	return err
}

// compileMask makes a test of an affix's condition: letters and sets of letters as they are, anything else as a regular expression.
func compileMask(mask string, suffix bool) (func(string) bool, error) {
	if mask == "." || mask == "" {
		return nil, nil
	}
	if sets, ok := letterSets(mask); ok {
		return func(word string) bool {
			runes := []rune(word)
			if len(runes) < len(sets) {
				return false
			}
			if suffix {
				runes = runes[len(runes)-len(sets):]
			}
			for i, set := range sets {
				if strings.ContainsRune(set.letters, runes[i]) == set.not {
					return false
				}
			}
			return true
		}, nil
	}
	if suffix {
		mask += "$"
	} else {
		mask = "^" + mask
	}
	re, err := are.Compile(mask, are.Flags{})
	if err != nil {
		return nil, err
	}
	return func(word string) bool { ok, err := re.Match(word, nil); return ok && err == nil }, nil
}

type letterSet struct {
	letters string
	not     bool
}

// letterSets reads a condition of letters, [abc] and [^abc] only.
func letterSets(mask string) (sets []letterSet, ok bool) {
	for mask != "" {
		r, n := utf8.DecodeRuneInString(mask)
		if isAlpha(r) {
			sets, mask = append(sets, letterSet{letters: mask[:n]}), mask[n:]
			continue
		}
		if r != '[' {
			return nil, false
		}
		inside, rest, closed := strings.Cut(mask[1:], "]")
		letters, not := strings.CutPrefix(inside, "^")
		if !closed || letters == "" && !not || strings.ContainsFunc(letters, func(r rune) bool { return !isAlpha(r) }) {
			return nil, false
		}
		sets, mask = append(sets, letterSet{letters, not}), rest
	}
	return sets, true
}

// reversed orders suffixes: by their bytes from the end.
func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func (d *ispell) buildAffixes() error {
	slices.SortStableFunc(d.affixes, func(a, b *affix) int {
		switch {
		case a.suffix != b.suffix && a.suffix:
			return 1
		case a.suffix != b.suffix:
			return -1
		case a.suffix:
			return strings.Compare(reversed(a.repl), reversed(b.repl))
		}
		return strings.Compare(a.repl, b.repl)
	})
	d.prefixes, d.suffixes = map[string][]*affix{}, map[string][]*affix{}
	for _, a := range d.affixes {
		if a.suffix {
			d.suffixes[a.repl] = append(d.suffixes[a.repl], a)
		} else {
			d.prefixes[a.repl] = append(d.prefixes[a.repl], a)
		}
		if a.flags&compoundAny == 0 || a.repl == "" || !d.inUse(a.flag) {
			continue
		}
		// Of affixes that end alike the shortest is enough.
		if n := len(d.compounds); n > 0 && d.compounds[n-1].suffix == a.suffix && strings.HasSuffix(a.repl, d.compounds[n-1].repl) {
			continue
		}
		d.compounds = append(d.compounds, a)
	}
	d.affixes = nil
	return nil
}

func (d *ispell) inUse(flag string) bool {
	for set := range d.allFlags {
		if d.has(set, flag) {
			return true
		}
	}
	return false
}

func (d *ispell) Lexize(token string, _ *Lookahead) ([]Lexeme, error) {
	if token == "" {
		return nil, nil
	}
	list := d.normalize(lower(token, d.ctypeC))
	if list == nil {
		return nil, nil
	}
	return slices.DeleteFunc(list, func(x Lexeme) bool { return d.stop[x.Text] }), nil
}
