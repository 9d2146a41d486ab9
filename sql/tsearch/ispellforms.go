package tsearch

import "strings"

// normalize gives the basic forms of a word, and those of the parts of a compound word.
func (d *ispell) normalize(word string) (list []Lexeme) {
	variant := uint16(1)
	add := func(form string) {
		if len(list) < normalFormsMax-1 {
			list = append(list, Lexeme{Text: form, Variant: variant})
		}
	}
	for _, form := range d.forms(word, 0) {
		add(form)
		variant++
	}
	if !d.splits {
		return list
	}
	s := splitter{d: d, word: word}
	for _, parts := range s.split(nil, nil, 0, -1, 0) {
		last := len(parts) - 1
		if last < 1 {
			continue
		}
		for _, form := range d.forms(parts[last], compoundLast) {
			for _, p := range parts[:last] {
				add(p)
			}
			add(form)
			variant++
		}
	}
	return list
}

// affixesAt calls each with the affixes that a word has at its beginning or its end, shorter ones first.
func affixesAt(table map[string][]*affix, word string, suffix bool, each func(*affix)) {
	for n := 0; n <= len(word); n++ {
		part := word[:n]
		if suffix {
			part = word[len(word)-n:]
		}
		for _, a := range table[part] {
			each(a)
		}
	}
}

// apply takes an affix off a word. Kept is what of the word a suffix left unchanged, -1 = not known: where a prefix takes all of that off, the word has
// nothing but affixes.
func (a *affix) apply(word string, place, kept int) (string, bool) {
	switch {
	case place == 0:
		if a.flags&compoundOnly != 0 {
			return "", false
		}
	case place&compoundBegin != 0:
		if a.flags&compoundForbid != 0 || a.flags&compoundBegin == 0 && a.suffix {
			return "", false
		}
	case place&compoundMiddle != 0:
		if a.flags&compoundForbid != 0 || a.flags&compoundMiddle == 0 {
			return "", false
		}
	case place&compoundLast != 0:
		if a.flags&compoundForbid != 0 || a.flags&compoundLast == 0 && !a.suffix {
			return "", false
		}
	}
	if len(word)-len(a.repl)+len(a.find) >= 2*normalLenMax {
		return "", false
	}
	var form string
	if a.suffix {
		form = word[:len(word)-len(a.repl)] + a.find
	} else {
		if kept >= 0 && kept+len(a.find) <= len(a.repl) {
			return "", false
		}
		form = a.find + word[len(a.repl):]
	}
	return form, a.fits == nil || a.fits(form)
}

// forms gives the basic forms of a word that may stand at a place of a compound word (0 = alone).
func (d *ispell) forms(word string, place int) (list []string) {
	if len(word) > normalLenMax {
		return nil
	}
	add := func(form string) {
		if n := len(list); n < normalFormsMax-1 && (n == 0 || list[n-1] != form) {
			list = append(list, form)
		}
	}
	if d.known(word, "", place) {
		add(word)
	}
	affixesAt(d.prefixes, word, false, func(p *affix) {
		if form, ok := p.apply(word, place, -1); ok && d.known(form, p.flag, place) {
			add(form)
		}
	})
	kept := 0
	affixesAt(d.suffixes, word, true, func(s *affix) {
		form, ok := s.apply(word, place, -1)
		if !ok {
			return
		}
		kept = len(word) - len(s.repl)
		if d.known(form, s.flag, place) {
			add(form)
		}
		affixesAt(d.prefixes, form, false, func(p *affix) {
			both, ok := p.apply(form, place, kept)
			if !ok {
				return
			}
			flag := p.flag
			if p.flags&s.flags&crossProduct != 0 {
				flag = ""
			}
			if d.known(both, flag, place) {
				add(both)
			}
		})
	})
	return list
}

// splitter cuts compound words into parts in all ways.
type splitter struct {
	d    *ispell
	word string
}

// joint gives the end of the part of rest that ends with compound affix i or a later one, and the affix to go on with; false when there is none. With here,
// the affix begins rest, else it may be anywhere in it.
func (s *splitter) joint(i int, rest string, here bool) (end, next int, ok bool) {
	for ; i < len(s.d.compounds); i++ {
		a := s.d.compounds[i]
		if len(rest) <= len(a.repl) {
			continue
		}
		at := strings.Index(rest, a.repl)
		if at < 0 || here && at != 0 {
			continue
		}
		if !a.suffix {
			return 0, i + 1, true
		}
		return at + len(a.repl), i + 1, true
	}
	return 0, 0, false
}

// split gives the ways to cut the word from start on, each behind the parts before. Node is where in the tree of words the search goes on, for a longer first
// part than the one that ends at least.
func (s *splitter) split(node *spellNode, before []string, start, least, depth int) (ways [][]string) {
	word := s.word
	level := start
	if node != nil {
		level = least
	} else {
		node = s.d.words
	}
	own := append([]string(nil), before...)
	if depth > normalLenMax {
		return [][]string{append(own, word[start:])}
	}
	probed := make([]bool, len(word))
	for ; level < len(word); level++ {
		if level > start {
			for i := 0; ; {
				n, next, ok := s.joint(i, word[level:], node != nil)
				if !ok {
					break
				}
				i = next
				n += level - start
				if probed[start+n-1] || level+n-1 <= least || n >= normalLenMax {
					continue
				}
				place := compoundMiddle
				if level == 0 {
					place = compoundBegin
				} else if level == len(word)-1 {
					place = compoundLast
				}
				if forms := s.d.forms(word[start:start+n], place); forms != nil {
					probed[start+n-1] = true
					ways = append(ways, s.split(nil, append(append([]string(nil), own...), forms...), start+n, start+n, depth+1)...)
				}
			}
		}
		if node == nil {
			break
		}
		found := node.next[word[level]]
		if found == nil {
			node = nil
			continue
		}
		place := compoundMiddle
		if start == 0 {
			place = compoundBegin
		} else if level == len(word)-1 {
			place = compoundLast
		}
		if found.isWord && found.compound&place != 0 && !probed[level] && level > least {
			if level+1 == len(word) {
				return append([][]string{append(own, word[start:])}, ways...)
			}
			ways = append(ways, s.split(node, own, start, level, depth+1)...)
			own = append(own, word[start:level+1])
			node, start = s.d.words, level+1
			continue
		}
		if node = found; len(found.next) == 0 {
			node = nil
		}
	}
	return append([][]string{append(own, word[start:])}, ways...)
}
