package are

import "unicode/utf8"

// Match says whether the pattern matches anywhere in s. poll, which may be nil, is asked now and then whether to go on.
func (re *Regexp) Match(s string, poll func() error) (bool, error) {
	m := &matcher{re: re, text: []rune(s), poll: poll}
	if re.backrefs {
		return m.find(0), m.err
	}
	_, ok := m.firstStart(re.root, 0, true)
	return ok, m.err
}

// Find gives the bounds, in bytes, of the first match in s and of its groups (-1 where one took no part), nil when there is none.
func (re *Regexp) Find(s string, poll func() error) ([]int, error) {
	all, err := re.search(s, 0, 1, poll)
	if len(all) == 0 {
		return nil, err
	}
	return all[0], err
}

// FindAll gives all matches at or after byte from that do not overlap, from the left. After an empty match the search goes on one character further.
func (re *Regexp) FindAll(s string, from int, poll func() error) ([][]int, error) {
	return re.search(s, from, -1, poll)
}

func (re *Regexp) search(s string, from, most int, poll func() error) ([][]int, error) {
	m := &matcher{re: re, text: []rune(s), poll: poll}
	var all [][]int
	at := len(m.text) + 1
	if from <= len(s) {
		at = utf8.RuneCountInString(s[:from])
	}
	offset, counted := 0, 0 // offset is the byte at which character counted begins
	for len(all) != most && at <= len(m.text) && m.find(at) {
		for ; counted < m.subs[0][0]; counted++ {
			offset += utf8.RuneLen(m.text[counted])
		}
		all = append(all, m.byteBounds(offset))
		if at = m.subs[0][1]; at == m.subs[0][0] {
			at++
		}
	}
	return all, m.err
}

// byteBounds turns the match's and its groups' bounds into bytes; the match begins at byte offset.
func (m *matcher) byteBounds(offset int) []int {
	first, last := m.subs[0][0], m.subs[0][1]
	bytes := make([]int, last-first+1)
	bytes[0] = offset
	for i := first; i < last; i++ {
		bytes[i-first+1] = bytes[i-first] + utf8.RuneLen(m.text[i])
	}
	bounds := make([]int, 0, 2*len(m.subs))
	for _, s := range m.subs {
		if s[0] < 0 {
			bounds = append(bounds, -1, -1)
		} else {
			bounds = append(bounds, bytes[s[0]-first], bytes[s[1]-first])
		}
	}
	return bounds
}
