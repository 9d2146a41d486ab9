package are

// threads is a set of program counters in order of arrival, each with the place where its match began.
type threads struct {
	seen  []uint32 // by program counter: the round in which it was added
	round uint32
	list  []thread
	stack []int32
}

type thread struct {
	pc    int32
	start int
}

func (t *threads) reset(n int) {
	if len(t.seen) < n {
		t.seen = make([]uint32, n)
		t.round = 0
	}
	t.round++
	t.list = t.list[:0]
}

// matcher is one search in one text.
type matcher struct {
	re   *Regexp
	text []rune
	subs [][2]int
	poll func() error // asked now and then; its error ends the search
	err  error
	work int
}

const pollEvery = 1 << 14

// tick counts work and asks whether to go on.
func (m *matcher) tick(n int) bool {
	if m.work += n; m.work >= pollEvery {
		m.work = 0
		if m.poll != nil && m.err == nil {
			m.err = m.poll()
		}
	}
	return m.err == nil
}

// add follows the empty transitions from pc and adds where they lead; it says whether the program accepts there.
func (m *matcher) add(p *program, t *threads, pc int32, start, pos int) bool {
	accepted := false
	t.stack = append(t.stack[:0], pc)
	for len(t.stack) > 0 {
		pc := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		if t.seen[pc] == t.round {
			continue
		}
		t.seen[pc] = t.round
		switch in := &p.insts[pc]; in.code {
		case codeSet:
			t.list = append(t.list, thread{pc, start})
		case codeSplit:
			t.stack = append(t.stack, in.y, in.x)
		case codeJump:
			t.stack = append(t.stack, in.x)
		case codeAssert:
			if m.holds(in.node.assert, pos) {
				t.stack = append(t.stack, in.x)
			}
		case codeLook:
			if m.looks(in.node, pos) {
				t.stack = append(t.stack, in.x)
			}
		case codeMatch:
			accepted = true
		}
	}
	return accepted
}

func (m *matcher) holds(kind byte, pos int) bool {
	before := pos > 0 && isWord(m.text[pos-1])
	after := pos < len(m.text) && isWord(m.text[pos])
	switch kind {
	case 'A':
		return pos == 0
	case 'Z':
		return pos == len(m.text)
	case '^':
		return pos == 0 || m.text[pos-1] == '\n'
	case '$':
		return pos == len(m.text) || m.text[pos] == '\n'
	case 'm':
		return !before && after
	case 'M':
		return before && !after
	case 'y':
		return before != after
	}
	return before == after
}

func (m *matcher) looks(n *node, pos int) bool {
	found := false
	if n.ahead {
		m.ends(n.kids[0], pos, len(m.text), func(int) bool { found = true; return false })
	} else {
		for from := pos; from >= 0 && !found; from-- {
			found = m.exact(n.kids[0], from, pos)
		}
	}
	return found != n.negative
}

// ends calls found for each place, in rising order, at which a match of n that begins at begin ends, up to limit, until it says no.
func (m *matcher) ends(n *node, begin, limit int, found func(end int) bool) {
	p := n.prog
	var cur, next threads
	cur.reset(len(p.insts))
	accepted := m.add(p, &cur, 0, begin, begin)
	for pos := begin; ; pos++ {
		if accepted && !found(pos) || pos >= limit || len(cur.list) == 0 || !m.tick(len(cur.list)) {
			return
		}
		next.reset(len(p.insts))
		accepted = false
		for _, th := range cur.list {
			if in := &p.insts[th.pc]; in.node.set.has(m.text[pos]) {
				accepted = m.add(p, &next, in.x, begin, pos+1) || accepted
			}
		}
		cur, next = next, cur
	}
}

// exact says whether n matches the whole of text[begin:end].
func (m *matcher) exact(n *node, begin, end int) bool {
	ok := false
	m.ends(n, begin, end, func(e int) bool { ok = e == end; return !ok })
	return ok
}

// firstStart finds where the leftmost match at or after from begins; with any, some match is enough.
func (m *matcher) firstStart(n *node, from int, any bool) (int, bool) {
	p := n.prog
	var cur, next threads
	cur.reset(len(p.insts))
	best, found := 0, false
	note := func(start int) {
		if !found || start < best {
			best, found = start, true
		}
	}
	for pos := from; ; pos++ {
		if !found && m.add(p, &cur, 0, pos, pos) {
			note(pos)
		}
		if found && any || pos >= len(m.text) || found && len(cur.list) == 0 || !m.tick(len(cur.list)+1) {
			return best, found
		}
		next.reset(len(p.insts))
		for _, th := range cur.list {
			if found && th.start >= best {
				break // threads stand in order of their starts
			}
			if in := &p.insts[th.pc]; in.node.set.has(m.text[pos]) && m.add(p, &next, in.x, th.start, pos+1) {
				note(th.start)
			}
		}
		cur, next = next, cur
	}
}
