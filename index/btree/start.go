package btree

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
)

// startKey sets s.key to where the scan begins: all leading columns with equality, then one with a bound on the side where it begins.
// isWhole = there is no bound: it begins at the index's end.
func (s *scan) startKey(dir index.Direction) (isWhole bool) {
	k := &s.key
	k.reset(s.ix.nkeys)
	forward := dir == index.Forward
	k.nextKey = !forward // beyond all equal ones
	for attr := range s.bounds {
		b := &s.bounds[attr]
		c := b.eq
		if c == nil {
			if c = b.lo; !forward {
				c = b.hi
			}
			if c != nil {
				s.addStartBound(c)
			}
			break
		}
		k.add(&s.ix.cols[attr], c.arg, c.cmp, c.argType)
	}
	return k.n == 0
}

// addStartBound adds the bound that is not an equality; it is the last column, but for the other members of a row comparison.
func (s *scan) addStartBound(c *cond) {
	k := &s.key
	k.add(&s.ix.cols[c.attr], c.arg, c.cmp, c.argType)
	strategy := c.strategy
	if c.row != nil && c.aligned && s.addRowMembers(c) {
		if strategy = c.rowOp; s.ix.cols[c.attr].desc {
			strategy = turned(strategy)
		}
	}
	// The place of a forward scan is the first above (>) or not below (>=); that of a backward one is behind the last below (<) or not above (<=).
	k.nextKey = strategy == index.Greater || strategy == index.LessEqual
}

// addRowMembers adds the members behind the first. False when one is null: then the first column bounds alone, loosely.
func (s *scan) addRowMembers(c *cond) bool {
	for i := 1; i < len(c.row); i++ {
		if c.row[i].Arg.IsNull() {
			return false
		}
	}
	for i := 1; i < len(c.row); i++ {
		m := &c.row[i]
		col := &s.ix.cols[m.Attr-1]
		cmp := m.Compare
		if cmp == nil {
			cmp = col.cmp
		}
		s.key.add(col, m.Arg, cmp, m.ArgType) // never the first column, so the type does not matter
	}
	return true
}

// array is a column = ANY (array): the scan is made of one for each element, in the column's order.
type array struct {
	cond  int // in scan.conds
	elems []types.Datum
	at    int
}

// firstElements sets all arrays to where a scan in this direction begins.
func (s *scan) firstElements(dir index.Direction) {
	for i := range s.arrays {
		a := &s.arrays[i]
		a.at = 0
		if dir == index.Backward {
			a.at = len(a.elems) - 1
		}
		s.setElement(a)
	}
}

func (s *scan) setElement(a *array) { s.conds[a.cond].arg = a.elems[a.at] }

// nextElements moves the arrays on like an odometer, the last one fastest. False when all have been through.
func (s *scan) nextElements(dir index.Direction) bool {
	for i := len(s.arrays) - 1; i >= 0; i-- {
		a := &s.arrays[i]
		a.at += int(dir)
		if a.at >= 0 && a.at < len(a.elems) {
			s.setElement(a)
			return true
		}
		a.at = 0
		if dir == index.Backward {
			a.at = len(a.elems) - 1
		}
		s.setElement(a)
	}
	return false
}
