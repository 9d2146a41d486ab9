package are

// find looks for the leftmost match in the text at or after from. It says whether there is one; subs then has its bounds and its captures'.
func (m *matcher) find(from int) bool {
	m.subs = make([][2]int, m.re.captures+1)
	for from <= len(m.text) {
		start, ok := m.firstStart(m.re.root, from, false)
		if !ok || m.err != nil {
			return false
		}
		if m.matchAt(start) {
			return true
		}
		from = start + 1
	}
	return false
}

// matchAt finds the preferred match that begins at start.
func (m *matcher) matchAt(start int) bool {
	for _, end := range m.inOrder(m.re.root, start, len(m.text)) {
		m.clear(m.re.root)
		for i := range m.subs {
			m.subs[i] = [2]int{-1, -1}
		}
		if m.dissect(m.re.root, start, end) {
			m.subs[0] = [2]int{start, end}
			return true
		}
		if m.err != nil {
			return false
		}
	}
	return false
}

// inOrder lists the ends of n's matches from begin, the preferred first.
func (m *matcher) inOrder(n *node, begin, limit int) []int {
	var ends []int
	m.ends(n, begin, limit, func(e int) bool { ends = append(ends, e); return true })
	if n.attrs&prefersShorter == 0 {
		for i, j := 0, len(ends)-1; i < j; i, j = i+1, j-1 {
			ends[i], ends[j] = ends[j], ends[i]
		}
	}
	return ends
}

// clear forgets the captures within n.
func (m *matcher) clear(n *node) {
	if n.attrs&hasCapture == 0 {
		return
	}
	if n.op == opCapture {
		m.subs[n.num] = [2]int{-1, -1}
	}
	for _, k := range n.kids {
		m.clear(k)
	}
}

// dissect takes text[begin:end], which n's automaton matches, apart: it sets the captures and checks the back references.
func (m *matcher) dissect(n *node, begin, end int) bool {
	if n.attrs&(hasCapture|hasBackref) == 0 {
		return true
	}
	switch n.op {
	case opCapture:
		if !m.dissect(n.kids[0], begin, end) {
			return false
		}
		m.subs[n.num] = [2]int{begin, end}
		return true
	case opConcat:
		return m.dissectConcat(n, begin, end)
	case opAlt:
		for _, k := range n.kids {
			if m.exact(k, begin, end) && m.dissect(k, begin, end) {
				return true
			}
		}
		return false
	case opRepeat:
		return m.dissectRepeat(n, begin, end)
	case opBackref:
		return m.sameAgain(n, begin, end)
	}
	return true
}

func (m *matcher) dissectConcat(n *node, begin, end int) bool {
	if len(n.kids) == 1 {
		return m.dissect(n.kids[0], begin, end)
	}
	left, right := n.kids[0], n.kids[1]
	for _, mid := range m.inOrder(left, begin, end) {
		if !m.exact(right, mid, end) {
			continue
		}
		if m.dissect(left, begin, mid) && m.dissect(right, mid, end) {
			return true
		}
		m.clear(left)
		m.clear(right)
	}
	return false
}

// dissectRepeat chooses the ends of the rounds, each in the order that the repeated part prefers. A round is empty only where the count
// needs it; one empty round, which sets captures, is better than none.
func (m *matcher) dissectRepeat(n *node, begin, end int) bool {
	k := n.kids[0]
	least := max(n.min, 1)
	var rounds []int
	var choose func(pos int) bool
	choose = func(pos int) bool {
		count := len(rounds)
		if pos == end && count >= least {
			at := begin
			for _, e := range rounds {
				m.clear(k)
				if !m.dissect(k, at, e) {
					return false
				}
				at = e
			}
			return true
		}
		if n.max != infinite && count >= n.max {
			return false
		}
		for _, e := range m.inOrder(k, pos, end) {
			if e == pos && (count+1 >= least && pos != end || least-count <= end-pos) {
				continue
			}
			rounds = append(rounds, e)
			if choose(e) {
				return true
			}
			rounds = rounds[:count]
			if m.err != nil {
				return false
			}
		}
		return false
	}
	if choose(begin) {
		return true
	}
	m.clear(k)
	return m.err == nil && begin == end && n.min == 0
}

// sameAgain checks that text[begin:end] is a number of copies of what the referenced capture matched.
func (m *matcher) sameAgain(n *node, begin, end int) bool {
	sub := m.subs[n.num]
	if sub[0] < 0 {
		return false
	}
	length := sub[1] - sub[0]
	if length == 0 {
		return begin == end
	}
	if begin == end {
		return n.min == 0
	}
	count := (end - begin) / length
	if (end-begin)%length != 0 || count < n.min || n.max != infinite && count > n.max {
		return false
	}
	for i := range end - begin {
		if !m.equal(m.text[sub[0]+i%length], m.text[begin+i]) {
			return false
		}
	}
	return true
}

func (m *matcher) equal(a, b rune) bool {
	return a == b || m.re.flags.ICase && single(a, true).has(b)
}
