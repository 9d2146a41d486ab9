package btree

import (
	"slices"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
)

// cond is a scan key in the index's order: on a DESC column the strategy is turned round, IS NULL is "= null", IS NOT NULL is "< null" or
// "> null", whichever side nulls are not.
type cond struct {
	attr     int // 0-based
	strategy index.Strategy
	cmp      types.CompareFunc
	arg      types.Datum
	argType  types.OID
	array    int             // 1 + position in scan.arrays when arg is its present element; 0 = none
	row      []index.ScanKey // members of a row comparison; cmp and arg are the first one's
	rowOp    index.Strategy  // its operator as written
	fast     bool            // values compare as integers
	aligned  bool            // the members are consecutive columns of one direction: the row order is the index's
}

// foreignType stands for the type of an argument that comes with its own comparison and does not say its type: it is not taken for the column's.
const foreignType = ^types.OID(0)

// turned is the strategy of a DESC column.
func turned(s index.Strategy) index.Strategy { return 6 - s }

// bounds are the conditions on one column.
type bounds struct {
	eq, lo, hi *cond // indexed for the start and the end of the scan
}

// setKeys turns the scan's keys into conditions and bounds. false: nothing can match.
func (s *scan) setKeys(keys []index.ScanKey) bool {
	s.conds, s.arrays = s.conds[:0], s.arrays[:0]
	for i := range keys {
		if !s.addKey(&keys[i]) {
			return false
		}
	}
	return true
}

func (s *scan) addKey(k *index.ScanKey) bool {
	attr := k.Attr - 1
	col := &s.ix.cols[attr]
	c := cond{attr: attr, strategy: k.Strategy, cmp: k.Compare, arg: k.Arg, argType: k.ArgType}
	if c.cmp == nil {
		c.cmp = col.cmp
	} else if c.argType == 0 {
		c.argType = foreignType
	}
	switch k.Kind {
	case index.KeyIsNull:
		c.strategy, c.arg = index.Equal, types.Null
	case index.KeyNotNull:
		c.arg, c.strategy = types.Null, index.Less
		if col.nullsFirst {
			c.strategy = index.Greater
		}
	case index.KeyArray:
		return s.addArray(k, c)
	case index.KeyRow:
		return s.addRow(k, c)
	default:
		if k.Arg.IsNull() {
			return false
		}
		if col.desc {
			c.strategy = turned(c.strategy)
		}
		c.fast = col.sameFast(c.argType)
	}
	s.conds = append(s.conds, c)
	return true
}

// addArray adds column op ANY (array): for = one scan per distinct element, for the others the extreme element.
func (s *scan) addArray(k *index.ScanKey, c cond) bool {
	col := &s.ix.cols[c.attr]
	elems := make([]types.Datum, 0, len(k.Array))
	for _, d := range k.Array {
		if !d.IsNull() {
			elems = append(elems, d)
		}
	}
	if len(elems) == 0 {
		return false
	}
	elemCmp := k.CompareArgs
	if elemCmp == nil {
		elemCmp = c.cmp // the column's own type
	}
	slices.SortFunc(elems, func(a, b types.Datum) int { return elemCmp(a, b) })
	switch k.Strategy {
	case index.Less, index.LessEqual:
		c.arg = elems[len(elems)-1]
	case index.Greater, index.GreaterEqual:
		c.arg = elems[0]
	default:
		elems = slices.CompactFunc(elems, func(a, b types.Datum) bool { return elemCmp(a, b) == 0 })
		if col.desc {
			slices.Reverse(elems)
		}
		c.arg = elems[0]
		if len(elems) > 1 {
			s.arrays = append(s.arrays, array{cond: len(s.conds), elems: elems})
			c.array = len(s.arrays)
		}
	}
	if col.desc {
		c.strategy = turned(c.strategy)
	}
	s.conds = append(s.conds, c)
	return true
}

// addRow adds a row comparison as a bound on its first column, which every match meets.
func (s *scan) addRow(k *index.ScanKey, c cond) bool {
	first := &k.Row[0]
	c.attr = first.Attr - 1
	col := &s.ix.cols[c.attr]
	if first.Arg.IsNull() {
		return false
	}
	c.arg, c.argType, c.row, c.rowOp = first.Arg, first.ArgType, k.Row, k.Strategy
	if c.cmp = first.Compare; c.cmp == nil {
		c.cmp = col.cmp
	} else if c.argType == 0 {
		c.argType = foreignType
	}
	c.aligned = true
	for i := range k.Row {
		at := k.Row[i].Attr - 1
		c.aligned = c.aligned && at == c.attr+i && s.ix.cols[at].desc == col.desc
	}
	switch k.Strategy {
	case index.Less, index.LessEqual:
		c.strategy = index.LessEqual
	default:
		c.strategy = index.GreaterEqual
	}
	if col.desc {
		c.strategy = turned(c.strategy)
	}
	s.conds = append(s.conds, c)
	return true
}

// setBounds chooses, for each column, the conditions that bound the scan. All others are checked row by row. An inequality excludes nulls, which
// stand at one end of the column's order: a bound is added there when there is none. false: two conditions exclude each other.
func (s *scan) setBounds() bool {
	s.bounds = append(s.bounds[:0], make([]bounds, s.ix.nkeys)...)
	for i := range s.conds {
		if !s.addBound(&s.conds[i]) {
			return false
		}
	}
	s.implied = s.implied[:0]
	if cap(s.implied) < s.ix.nkeys {
		s.implied = make([]cond, 0, s.ix.nkeys) // no growth below: bounds point into it
	}
	for attr := range s.bounds {
		b, col := &s.bounds[attr], &s.ix.cols[attr]
		if b.eq != nil || b.lo == nil && b.hi == nil {
			continue
		}
		if col.nullsFirst && b.lo == nil {
			s.implied = append(s.implied, cond{attr: attr, strategy: index.Greater, arg: types.Null, cmp: col.cmp})
			b.lo = &s.implied[len(s.implied)-1]
		} else if !col.nullsFirst && b.hi == nil {
			s.implied = append(s.implied, cond{attr: attr, strategy: index.Less, arg: types.Null, cmp: col.cmp})
			b.hi = &s.implied[len(s.implied)-1]
		}
	}
	return true
}

func (s *scan) addBound(c *cond) bool {
	b := &s.bounds[c.attr]
	col := &s.ix.cols[c.attr]
	slot, keep := &b.eq, 0
	switch c.strategy {
	case index.Greater, index.GreaterEqual:
		slot, keep = &b.lo, 1
	case index.Less, index.LessEqual:
		slot, keep = &b.hi, -1
	}
	if *slot == nil {
		*slot = c
		return true
	}
	old := *slot
	switch {
	case old.arg.IsNull() != c.arg.IsNull() && keep != 0:
		if old.arg.IsNull() { // x > 5 says more than x IS NOT NULL
			*slot = c
		}
	case keep == 0 && old.arg.IsNull() != c.arg.IsNull():
		return false // = 5 and IS NULL
	case c.argType != old.argType || c.arg.IsNull():
		// Not comparable with each other: both are checked, the first bounds.
	default:
		own := col.cmp
		if c.argType != 0 {
			return true // no function orders two arguments of a foreign type: both are checked, the first bounds
		}
		d := col.order(c.arg, old.arg, own)
		if keep == 0 && d != 0 && c.array == 0 && old.array == 0 {
			return false // = 5 and = 6
		}
		if keep > 0 && d > 0 || keep < 0 && d < 0 || d == 0 && (c.strategy == index.Greater || c.strategy == index.Less) && old.row == nil {
			*slot = c
		}
	}
	return true
}

// test says whether an entry's values meet the condition, in the index's order.
func (s *scan) test(c *cond, row types.Row) bool {
	v := row[c.attr]
	if c.fast && !v.IsNull() {
		return testFast(c, int64(v.Raw()), s.ix.cols[c.attr].desc)
	}
	if c.row != nil {
		return s.testRow(c, row)
	}
	if v.IsNull() && !c.arg.IsNull() {
		return false
	}
	d := s.ix.cols[c.attr].order(v, c.arg, c.cmp)
	return holds(c.strategy, d)
}

func testFast(c *cond, v int64, desc bool) bool {
	a, d := int64(c.arg.Raw()), 0
	if v < a {
		d = -1
	} else if v > a {
		d = 1
	}
	if desc {
		d = -d
	}
	return holds(c.strategy, d)
}

// holds says whether "a strategy b" is true when a compares to b as d.
func holds(s index.Strategy, d int) bool {
	switch s {
	case index.Less:
		return d < 0
	case index.LessEqual:
		return d <= 0
	case index.Equal:
		return d == 0
	case index.GreaterEqual:
		return d >= 0
	}
	return d > 0
}

// testRow compares a row as SQL does: the first members that differ decide; a null before that makes it null.
func (s *scan) testRow(c *cond, row types.Row) bool {
	d := 0
	for i := range c.row {
		m := &c.row[i]
		v := row[m.Attr-1]
		if v.IsNull() || m.Arg.IsNull() {
			return false
		}
		cmp := m.Compare
		if cmp == nil {
			cmp = s.ix.cols[m.Attr-1].cmp
		}
		if d = cmp(v, m.Arg); d != 0 {
			break
		}
	}
	return holds(c.rowOp, d)
}

// match checks an entry. When it does not match, more says whether a later one, in the scan's direction, can.
func (s *scan) match(row types.Row, dir index.Direction) (ok, more bool) {
	ok = true
	for i := range s.conds {
		if !s.test(&s.conds[i], row) {
			ok = false
			break
		}
	}
	if ok {
		return true, true
	}
	return false, s.more(row, dir)
}

// more says whether entries behind one that does not match can: not when it is behind the end of the scan. It is when, all columns before having
// equality bounds, a column is beyond its own bound.
func (s *scan) more(row types.Row, dir index.Direction) bool {
	for attr := range s.bounds {
		b := &s.bounds[attr]
		if b.eq != nil {
			if d := s.ix.cols[attr].order(row[attr], b.eq.arg, b.eq.cmp); d != 0 {
				return d*int(dir) < 0
			}
			continue
		}
		end := b.hi
		if dir == index.Backward {
			end = b.lo
		}
		return end == nil || !s.isBehind(end, row)
	}
	return true
}

// isBehind says that the entry fails an end bound, and all that follow will.
func (s *scan) isBehind(end *cond, row types.Row) bool {
	if !holds(end.strategy, s.ix.cols[end.attr].order(row[end.attr], end.arg, end.cmp)) {
		return true
	}
	if end.row == nil || !end.aligned {
		return false
	}
	// An aligned row comparison that is false because a member differs stays false; one that is null may become true again.
	for i := range end.row {
		if row[end.row[i].Attr-1].IsNull() || end.row[i].Arg.IsNull() {
			return false
		}
	}
	return !s.testRow(end, row)
}
