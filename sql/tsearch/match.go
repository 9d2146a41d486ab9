package tsearch

import "slices"

// ternary is a condition's outcome; maybe is for phrases over words that have no positions.
type ternary int

const (
	no ternary = iota
	yes
	maybe
)

// places are where a part of a query matches: at the positions, or, with negate, everywhere but there. Width is the length of the match in words less one;
// a position is the last one of its match.
type places struct {
	pos    []int
	negate bool
	width  int
}

// lookup says whether an operand matches, and with at != nil where. It is called with nodes of the query itself.
type lookup func(operand *Query, at *places) ternary

// matches evaluates a query. With noPositions, a phrase over words without positions counts as matched.
func (q *Query) matches(find lookup, noPositions bool) bool { return q.eval(find, noPositions) != no }

func (q *Query) eval(find lookup, noPositions bool) ternary {
	switch q.Op {
	case Operand:
		return find(q, nil)
	case Not:
		switch q.Right.eval(find, noPositions) {
		case no:
			return yes
		case yes:
			return no
		}
		return maybe
	case And:
		left := q.Left.eval(find, noPositions)
		if left == no {
			return no
		}
		if right := q.Right.eval(find, noPositions); right != yes {
			return right
		}
		return left
	case Or:
		left := q.Left.eval(find, noPositions)
		if left == yes {
			return yes
		}
		if right := q.Right.eval(find, noPositions); right != no {
			return right
		}
		return left
	}
	// Outermost phrase: maybe becomes no here, not at the top of the query.
	t := q.evalPhrase(find, &places{})
	if t == maybe && !noPositions {
		return no
	}
	return t
}

// evalPhrase evaluates a phrase or what is below one; at takes the positions.
func (q *Query) evalPhrase(find lookup, at *places) ternary {
	switch q.Op {
	case Operand:
		return find(q, at)
	case Not:
		switch q.Right.evalPhrase(find, at) {
		case no:
			at.negate = true
			return yes
		case maybe:
			return maybe
		}
		if len(at.pos) == 0 {
			at.negate = false
			return no
		}
		at.negate = !at.negate
		return yes
	case Or:
		return q.evalOr(find, at)
	}
	var l, r places
	left := q.Left.evalPhrase(find, &l)
	if left == no {
		return no
	}
	right := q.Right.evalPhrase(find, &r)
	if right == no {
		return no
	}
	if left == maybe || right == maybe {
		return maybe
	}
	loff, roff := 0, 0
	if q.Op == Phrase {
		loff = int(q.Distance) + r.width
		at.width = int(q.Distance) + l.width + r.width
	} else {
		at.width = max(l.width, r.width)
		loff, roff = at.width-l.width, at.width-r.width
	}
	switch {
	case l.negate && r.negate:
		at.merge(&l, &r, loff, roff, true, true, true)
		at.negate = true
		return yes
	case l.negate:
		return at.merge(&l, &r, loff, roff, false, true, false)
	case r.negate:
		return at.merge(&l, &r, loff, roff, true, false, false)
	}
	return at.merge(&l, &r, loff, roff, false, false, true)
}

func (q *Query) evalOr(find lookup, at *places) ternary {
	var l, r places
	left, right := q.Left.evalPhrase(find, &l), q.Right.evalPhrase(find, &r)
	if left == no && right == no {
		return no
	}
	if left == maybe || right == maybe {
		return maybe
	}
	if left == no {
		l.width = 0
	}
	if right == no {
		r.width = 0
	}
	at.width = max(l.width, r.width)
	loff, roff := at.width-l.width, at.width-r.width
	switch {
	case l.negate && r.negate:
		at.merge(&l, &r, loff, roff, false, false, true)
	case l.negate:
		at.merge(&l, &r, loff, roff, true, false, false)
	case r.negate:
		at.merge(&l, &r, loff, roff, false, true, false)
	default:
		return at.merge(&l, &r, loff, roff, true, true, true)
	}
	at.negate = true
	return yes
}

// merge makes at's positions of two ordered lists, shifted: those of the left one only, of the right one only, of both.
func (at *places) merge(l, r *places, loff, roff int, leftOnly, rightOnly, both bool) ternary {
	add := func(want bool, p int) {
		if want && p > 0 {
			at.pos = append(at.pos, p)
		}
	}
	i, j := 0, 0
	for i < len(l.pos) || j < len(r.pos) {
		switch {
		case j == len(r.pos) || i < len(l.pos) && l.pos[i]+loff < r.pos[j]+roff:
			add(leftOnly, l.pos[i]+loff)
			i++
		case i == len(l.pos) || l.pos[i]+loff > r.pos[j]+roff:
			add(rightOnly, r.pos[j]+roff)
			j++
		default:
			add(both, r.pos[j]+roff)
			i++
			j++
		}
	}
	if len(at.pos) > 0 {
		return yes
	}
	return no
}

// lookup finds operands in v.
func (v Vector) lookup(q *Query, at *places) ternary {
	i, found := v.find(q.Word)
	if !q.Prefix {
		if !found {
			return no
		}
		return v[i].check(q, at)
	}
	if found && at == nil {
		if t := v[i].check(q, nil); t == yes {
			return yes
		}
	}
	result := no
	for ; i < len(v) && len(v[i].Word) >= len(q.Word) && v[i].Word[:len(q.Word)] == q.Word; i++ {
		var one places
		want := at
		if at != nil {
			want = &one
		}
		switch v[i].check(q, want) {
		case yes:
			if at == nil {
				return yes
			}
			at.pos = append(at.pos, one.pos...)
			result = yes
		case maybe:
			// Positions are wanted and there are none.
			at.pos = nil
			return maybe
		}
	}
	if at != nil {
		slices.Sort(at.pos)
		at.pos = slices.Compact(at.pos)
	}
	return result
}

// check says whether a word's weights suit an operand; a word without positions suits any.
func (e *Entry) check(q *Query, at *places) ternary {
	if len(e.Pos) == 0 {
		if at != nil {
			return maybe
		}
		return yes
	}
	result := no
	for _, p := range e.Pos {
		if q.Weight != 0 && q.Weight&(1<<p.weight()) == 0 {
			continue
		}
		result = yes
		if at == nil {
			return yes
		}
		at.pos = append(at.pos, p.at())
	}
	return result
}

// Matches says whether v matches q; the empty query matches nothing.
func (v Vector) Matches(q *Query) bool { return q != nil && q.matches(v.lookup, false) }
