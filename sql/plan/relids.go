package plan

import (
	"math/bits"

	"github.com/calfdb/calf/sql/pgerr"
)

// Relids is a set of range table indexes. It is a value: comparable, usable as a map key, without allocation. Queries of more than
// relidMax-1 range table entries are refused (PostgreSQL has no such limit, and plans such joins with a genetic search).
//
// The children of an inherited or partitioned table have indexes of their own above relidMax (childIndex), whose low bits are their
// topmost parent's index: in a set they all stand as that parent, however many there are. So what is known of the parent by sets (who may
// be joined with whom, where a condition can be checked) is known of each child.
type Relids [relidWords]uint64

const (
	relidWords = 4
	relidMax   = relidWords * 64
	childShift = 8 // relidMax is 1 << childShift
)

// childIndex is the range table index, during planning, of child number n (from 1) of the parent at a place in the query's range table.
func childIndex(n, parent int) int { return n<<childShift | parent }

// topIndex gives the range table index of a child's topmost parent, and other indexes as they are.
func topIndex(i int) int { return i & (relidMax - 1) }

// childNumber is 0 for what is no child.
func childNumber(i int) int { return i >> childShift }

func relid(i int) (s Relids) {
	s.add(i)
	return s
}

func (s *Relids) add(i int) {
	i = topIndex(i)
	s[i>>6] |= 1 << (i & 63)
}

// checkRangeTable refuses what does not fit.
func checkRangeTable(entries int) {
	if entries >= relidMax {
		fail(pgerr.NotSupported("a query of more than %d range table entries", relidMax-1))
	}
}

func (s *Relids) del(i int) {
	i = topIndex(i)
	s[i>>6] &^= 1 << (i & 63)
}

func (s Relids) has(i int) bool {
	if i <= 0 {
		return false
	}
	i = topIndex(i)
	return s[i>>6]&(1<<(i&63)) != 0
}

func (s Relids) or(t Relids) Relids {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

func (s Relids) and(t Relids) Relids {
	for i := range s {
		s[i] &= t[i]
	}
	return s
}

func (s Relids) minus(t Relids) Relids {
	for i := range s {
		s[i] &^= t[i]
	}
	return s
}

func (s Relids) empty() bool { return s == Relids{} }

func (s Relids) overlaps(t Relids) bool { return !s.and(t).empty() }

func (s Relids) subsetOf(t Relids) bool { return s.minus(t).empty() }

func (s Relids) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// single gives the only member, or 0 when there is none or more than one.
func (s Relids) single() int {
	if s.count() != 1 {
		return 0
	}
	return s.next(0)
}

// next gives the smallest member above i, or -1.
func (s Relids) next(i int) int {
	for i++; i < relidMax; i++ {
		w := s[i>>6] >> (i & 63)
		if w == 0 {
			i |= 63
			continue
		}
		return i + bits.TrailingZeros64(w)
	}
	return -1
}

// each calls f for every member in ascending order.
func (s Relids) each(f func(i int)) {
	for i := s.next(0); i > 0; i = s.next(i) {
		f(i)
	}
}
