package tsearch

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// headlineWord is a token of a text that gets a headline.
type headlineWord struct {
	text     string
	kind     TokenType
	pos      int    // among the document's words
	item     *Query // operand that it matches
	repeated bool   // the same token for another operand
	in       bool   // in the headline
	selected bool   // marked
	replace  bool   // a space in its place
	skip     bool   // left out
}

// headliner chooses what of a text is shown.
type headliner struct {
	words []headlineWord
	query *Query
	opts  headlineOptions
}

type headlineOptions struct {
	startSel, stopSel, delimiter  string
	minWords, maxWords, shortWord int
	maxFragments, maxCover        int
	all                           bool
}

func headlineOptionsOf(list []Option) (o headlineOptions, err error) {
	o = headlineOptions{startSel: "<b>", stopSel: "</b>", delimiter: " ... ", minWords: 15, maxWords: 35, shortWord: 3}
	numbers := map[string]*int{"maxwords": &o.maxWords, "minwords": &o.minWords, "shortword": &o.shortWord, "maxfragments": &o.maxFragments}
	texts := map[string]*string{"startsel": &o.startSel, "stopsel": &o.stopSel, "fragmentdelimiter": &o.delimiter}
	for _, opt := range list {
		name := strings.ToLower(opt.Name)
		switch {
		case numbers[name] != nil:
			d, err := types.Input(nil, types.Int4OID, -1, opt.Value)
			if err != nil {
				return o, err
			}
			*numbers[name] = int(d.Int4())
		case texts[name] != nil:
			*texts[name] = opt.Value
		case name == "highlightall":
			switch strings.ToLower(opt.Value) {
			case "1", "on", "true", "t", "y", "yes":
				o.all = true
			default:
				o.all = false
			}
		default:
			return o, pgerr.New(pgerr.InvalidParameterValue, "unrecognized headline parameter: \"%s\"", opt.Name)
		}
	}
	o.maxCover = max(o.maxWords*10, 100)
	if o.maxFragments > 0 {
		o.maxCover *= o.maxFragments
	}
	bad := func(format string, args ...any) (headlineOptions, error) {
		return o, pgerr.New(pgerr.InvalidParameterValue, format, args...)
	}
	switch {
	case o.all:
	case o.minWords >= o.maxWords:
		return bad("MinWords should be less than MaxWords")
	case o.minWords <= 0:
		return bad("MinWords should be positive")
	case o.shortWord < 0:
		return bad("ShortWord should be >= 0")
	case o.maxFragments < 0:
		return bad("MaxFragments should be >= 0")
	}
	for _, t := range []struct{ name, value string }{{"StartSel", o.startSel}, {"StopSel", o.stopSel}, {"FragmentDelimiter", o.delimiter}} {
		if len(t.value) > 1<<15-1 {
			return bad("value for \"%s\" is too long", t.name)
		}
	}
	return o, nil
}

// Headline shows the parts of a text that match a query.
func (c *Config) Headline(text string, q *Query, options []Option) (string, error) {
	h := headliner{query: q}
	if err := h.parse(c, text); err != nil {
		return "", err
	}
	var err error
	if h.opts, err = headlineOptionsOf(options); err != nil {
		return "", err
	}
	if h.opts.maxFragments == 0 {
		h.markWords()
	} else {
		h.markFragments()
	}
	return h.text(), nil
}

// parse cuts the text into words and finds those that operands of the query match.
func (h *headliner) parse(c *Config, text string) error {
	l := lexizer{cfg: c}
	pos := 0
	return c.tokens(text, func(t Token) error {
		l.add(t)
		for {
			res, err := l.exec()
			if err != nil {
				return err
			}
			if res != nil {
				pos++
			}
			for _, used := range l.used {
				if used.Type > 0 {
					h.words = append(h.words, headlineWord{text: used.Text, kind: used.Type})
				}
				at := pos
				for _, x := range res {
					if x.Flags&FlagNextPosition != 0 {
						at++
					}
					h.find(at, x.Text)
				}
			}
			if res == nil {
				return nil
			}
			for _, x := range res {
				if x.Flags&FlagNextPosition != 0 {
					pos++
				}
			}
		}
	})
}

// find notes the operands that the last word's lexeme matches; for each after the first the word is repeated.
func (h *headliner) find(pos int, lexeme string) {
	if len(h.words) == 0 {
		return
	}
	at := len(h.words) - 1
	h.words[at].pos = min(pos, positionMax)
	h.query.walk(func(q *Query) {
		if q.Op != Operand || lexeme != q.Word && !(q.Prefix && strings.HasPrefix(lexeme, q.Word)) {
			return
		}
		if h.words[at].item == nil {
			h.words[at].item = q
			return
		}
		w := h.words[at]
		w.item, w.repeated = q, true
		h.words = append(h.words, w)
	})
}

// Classes of tokens.
func (t TokenType) in(aliases ...string) bool {
	for _, a := range aliases {
		if TokenTypes[t].Alias == a {
			return true
		}
	}
	return false
}

func (t TokenType) isTag() bool   { return t.in("tag") }
func (t TokenType) isWhole() bool { return t.in("url", "numhword", "asciihword", "hword") } // its parts follow
func (t TokenType) isNoWord() bool {
	return t.in("blank") || t.isTag() || t.isWhole()
}
func (t TokenType) isNoEnd() bool {
	return t.isNoWord() || t.in("sfloat", "version", "float", "int", "uint", "protocol", "entity")
}

func (h *headliner) interesting(i int) bool { return h.words[i].item != nil && !h.words[i].repeated }

// badEnd says that a headline shouldn't end at word i.
func (h *headliner) badEnd(i int) bool {
	w := &h.words[i]
	return (w.kind.isNoEnd() || len(w.text) <= h.opts.shortWord) && !h.interesting(i)
}

// count is 1 for what counts as a word.
func (h *headliner) count(i int) int {
	if h.words[i].kind.isNoWord() {
		return 0
	}
	return 1
}

func (h *headliner) countItem(i int) int {
	if h.interesting(i) {
		return 1
	}
	return 0
}

// nextItem gives the first word from i on that is in the query; -1 = none.
func (h *headliner) nextItem(i int) int {
	for ; i < len(h.words); i++ {
		if h.words[i].item != nil {
			return i
		}
	}
	return -1
}

// cover finds the first smallest stretch of words from p on that matches the query.
func (h *headliner) cover(p int) (from, to int, ok bool) {
	if h.query == nil {
		return 0, 0, false
	}
	for from = h.nextItem(p); from >= 0; {
		after := -1
		for to = from; to >= 0 && (to == from || to-from < h.opts.maxCover); {
			words := h.words[from : to+1]
			if h.query.matches(func(q *Query, at *places) ternary { return lookupWords(words, q, at) }, false) {
				return from, to, true
			}
			next := h.nextItem(to + 1)
			if to == from {
				after = next
			}
			to = next
		}
		from = after
	}
	return 0, 0, false
}

func lookupWords(words []headlineWord, q *Query, at *places) ternary {
	result := no
	for i := range words {
		if words[i].item != q {
			continue
		}
		if at == nil {
			return yes
		}
		result = yes
		if n := len(at.pos); n == 0 || at.pos[n-1] < words[i].pos {
			at.pos = append(at.pos, words[i].pos)
		}
	}
	return result
}

// mark takes words from..to into the headline.
func (h *headliner) mark(from, to int) {
	for i := from; i <= to; i++ {
		w := &h.words[i]
		w.selected = w.selected || w.item != nil
		switch {
		case w.kind.isWhole():
			w.skip = true
		case !h.opts.all && w.kind.isTag():
			w.replace = true
		}
		w.in = !w.repeated
	}
}

// beginning gives the last of the first minWords words.
func (h *headliner) beginning() int {
	end := -1
	for i, n := 0, 0; i < len(h.words) && n < h.opts.minWords; i++ {
		n += h.count(i)
		end = i
	}
	return end
}

// markWords chooses one stretch: the one that has most words of the query.
func (h *headliner) markWords() {
	if h.opts.all {
		h.mark(0, len(h.words)-1)
		return
	}
	bestFrom, bestTo, bestItems, bestWhole := -1, -1, -1, false
	for p := 0; ; p++ {
		from, to, ok := h.cover(p)
		if !ok {
			break
		}
		p = from
		begin, end, items := h.stretch(from, to)
		whole := begin <= from && end >= to
		if whole && !bestWhole || whole == bestWhole &&
			(items > bestItems || items == bestItems && !h.badEnd(end) && h.badEnd(bestTo)) {
			bestFrom, bestTo, bestItems, bestWhole = begin, end, items, whole
		}
	}
	if bestItems < 0 {
		bestFrom, bestTo = 0, h.beginning()
	}
	h.mark(bestFrom, bestTo)
}

// stretch makes a cover as long as a headline should be, with a good end.
func (h *headliner) stretch(from, to int) (begin, end, items int) {
	o := &h.opts
	words := 0
	begin, end = from, from
	i := from
	for ; i <= to && words < o.maxWords; i++ {
		words += h.count(i)
		items += h.countItem(i)
		end = i
	}
	if words >= o.maxWords {
		for i = min(i, to); words > o.minWords && h.badEnd(i); i-- {
			words -= h.count(i)
			items -= h.countItem(i)
			end = i - 1
		}
		return begin, end, items
	}
	for i--; i < len(h.words) && words < o.maxWords; i++ {
		if i > to {
			words += h.count(i)
			items += h.countItem(i)
		}
		end = i
		if !h.badEnd(i) && words >= o.minWords {
			break
		}
	}
	if words >= o.minWords {
		return begin, end, items
	}
	// The text ends too early: go to the left.
	for i = from - 1; i >= 0; i-- {
		words += h.count(i)
		items += h.countItem(i)
		if words >= o.maxWords || !h.badEnd(i) && words >= o.minWords {
			break
		}
	}
	return max(i, 0), end, items
}

// fragment is a candidate of markFragments.
type fragment struct {
	from, to, items, words int
	out                    bool // chosen, or overlaps one that is
}

// markFragments chooses up to maxFragments pieces of covers.
func (h *headliner) markFragments() {
	var list []fragment
	for p := 0; ; p++ {
		from, to, ok := h.cover(p)
		if !ok {
			break
		}
		p = from
		for start := from; start <= to; {
			f := h.cut(start, to)
			list = append(list, f)
			start = f.to + 1
		}
	}
	chosen := 0
	for ; chosen < h.opts.maxFragments; chosen++ {
		best := -1
		items, words := 0, 1<<31-1
		for i := range list {
			if f := &list[i]; !f.out && (items < f.items || items == f.items && words > f.words) {
				items, words, best = f.items, f.words, i
			}
		}
		if best < 0 {
			break
		}
		f := &list[best]
		h.widen(f)
		h.mark(f.from, f.to)
		for i := range list {
			g := &list[i]
			if i == best || g.from >= f.from && g.from <= f.to || g.to >= f.from && g.to <= f.to || g.from < f.from && g.to > f.to {
				g.out = true
			}
		}
	}
	if chosen == 0 {
		h.mark(0, h.beginning())
	}
}

// cut takes from a cover a piece that has at most maxWords words and begins and ends with words of the query.
func (h *headliner) cut(from, to int) (f fragment) {
	for i := from; i <= to; i++ {
		from = i
		if h.interesting(i) {
			break
		}
	}
	f.from, f.to = from, to
	i := from
	for ; i <= to && f.words < h.opts.maxWords; i++ {
		f.words += h.count(i)
		f.items += h.countItem(i)
	}
	if to <= i {
		return f
	}
	for ; i >= from; i-- {
		f.to = i
		if h.interesting(i) {
			break
		}
		f.words -= h.count(i)
	}
	return f
}

// widen stretches a fragment on both sides, to good ends.
func (h *headliner) widen(f *fragment) {
	o := &h.opts
	if f.words >= o.maxWords {
		return
	}
	most, added, mark := (o.maxWords-f.words)/2, 0, f.from
	for i := f.from - 1; i >= 0 && added < most && !h.words[i].in; i-- {
		f.words += h.count(i)
		added += h.count(i)
		mark = i
	}
	i := mark
	for ; i < f.from && h.badEnd(i); i++ {
		f.words -= h.count(i)
	}
	f.from, mark = i, f.to
	for i = f.to + 1; i < len(h.words) && f.words < o.maxWords && !h.words[i].in; i++ {
		f.words += h.count(i)
		mark = i
	}
	for i = mark; i > f.to && h.badEnd(i); i-- {
		f.words -= h.count(i)
	}
	f.to = i
}

// text puts the chosen words together.
func (h *headliner) text() string {
	var b strings.Builder
	fragments, inside := 0, false
	for i := range h.words {
		w := &h.words[i]
		if w.repeated {
			continue
		}
		if !w.in {
			inside = false
			continue
		}
		if !inside {
			inside = true
			if fragments++; fragments > 1 {
				b.WriteString(h.opts.delimiter)
			}
		}
		switch {
		case w.replace:
			b.WriteByte(' ')
		case w.skip:
		case w.selected:
			b.WriteString(h.opts.startSel + w.text + h.opts.stopSel)
		default:
			b.WriteString(w.text)
		}
	}
	return b.String()
}
