package executor

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() { register(newMergeJoin) }

// mergeJoin joins two inputs that are sorted by the merge keys. The inner rows of one key are kept in a store, so that they can be gone over
// again for each outer row of that key; the inner input needs no mark and restore.
type mergeJoin struct {
	joinCore
	s            *State
	outer, inner Node
	keys         []mergeKey
	innerCtx     *expr.Context

	outerRow  types.Row
	outerKeys types.Row
	innerRow  types.Row // first inner row beyond the group, nil = end
	innerKeys types.Row

	group     *Tuplestore // inner rows of groupKeys
	groupKeys types.Row
	groupSeen []bool // matched, for joins that give unmatched inner rows
	reader    *Reader
	hasGroup  bool

	innerStarted bool
	state        mergeState
	matched      bool
}

type mergeKey struct {
	outer, inner expr.Eval
	key          sortKey
}

type mergeState uint8

const (
	mergeStart mergeState = iota
	mergeNextOuter
	mergeResume // an unmatched inner row was given: go on looking for the outer row's group
	mergeScanGroup
	mergeFlushGroup // give unmatched inner rows of the group
	mergeDrainInner // outer has ended: the rest of the inner input is unmatched
	mergeEnd
)

func newMergeJoin(s *State, p *plan.MergeJoin) (Node, error) {
	c := s.compiler()
	n := &mergeJoin{s: s, innerCtx: s.context()}
	var err error
	if n.joinCore, err = newJoinCore(s, &p.Join, c); err != nil {
		return nil, err
	}
	if n.outer, err = s.build(p.Left); err != nil {
		return nil, err
	}
	if n.inner, err = s.build(p.Right); err != nil {
		return nil, err
	}
	for i, clause := range p.MergeClauses {
		k, err := s.newMergeKey(c, p, i, clause)
		if err != nil {
			return nil, err
		}
		n.keys = append(n.keys, k)
	}
	n.outerKeys, n.innerKeys, n.groupKeys = make(types.Row, len(n.keys)), make(types.Row, len(n.keys)), make(types.Row, len(n.keys))
	return n, nil
}

func (s *State) newMergeKey(c *expr.Compiler, p *plan.MergeJoin, i int, clause query.Expr) (mergeKey, error) {
	op, ok := clause.(*query.OpExpr)
	if !ok || len(op.Args) != 2 {
		return mergeKey{}, pgerr.Internal("merge clause %T", clause)
	}
	k := mergeKey{}
	var err error
	if k.outer, err = c.Compile(op.Args[0]); err != nil {
		return k, err
	}
	if k.inner, err = c.Compile(op.Args[1]); err != nil {
		return k, err
	}
	cmp, err := s.familyCompare(p.Families[i], op.OpOID, p.Collations[i])
	k.key = sortKey{cmp: cmp, desc: p.Desc[i], nullsFirst: p.NullsFirst[i]}
	return k, err
}

// familyCompare finds the comparison of an operator family for the argument types of one of its equality operators.
func (s *State) familyCompare(family, eqOp, coll types.OID) (types.CompareFunc, error) {
	op, err := s.Backend.Catalog.Operator(eqOp)
	if err != nil {
		return nil, err
	}
	fn, err := s.Backend.Catalog.AmProc(family, op.Left, op.Right, 1)
	if err != nil {
		return nil, err
	}
	pr, err := s.Backend.Catalog.Proc(fn)
	if err != nil {
		return nil, err
	}
	if pr == nil || pr.Lang != catalog.InternalLanguage {
		return nil, pgerr.Internal("missing comparison of operator family %d", family)
	}
	return types.LookupCompare(s.Backend.Env, pr.Src, op.Left, coll)
}

func (n *mergeJoin) Next() (types.Row, error) {
	for n.state != mergeEnd {
		row, err := n.step()
		if row != nil || err != nil {
			return row, err
		}
	}
	return nil, nil
}

func (n *mergeJoin) step() (types.Row, error) {
	switch n.state {
	case mergeStart:
		n.state = mergeNextOuter
		n.group = NewTuplestore(len(n.nullInner), n.s.Backend.WorkMem(), n.s.Backend.Temp)
		n.innerStarted = false
		return nil, nil
	case mergeNextOuter:
		return n.nextOuter()
	case mergeResume:
		if err := n.readInner(); err != nil {
			return nil, err
		}
		return n.findGroup()
	case mergeScanGroup:
		return n.scanGroup()
	case mergeFlushGroup:
		return n.flushGroup()
	}
	return n.drainInner()
}

// readInner reads the next inner row with its keys.
func (n *mergeJoin) readInner() error {
	row, err := n.inner.Next()
	if err != nil {
		return err
	}
	n.innerRow = row
	if row == nil {
		return nil
	}
	n.innerCtx.Inner = row
	for i := range n.keys {
		if n.innerKeys[i], err = n.keys[i].inner(n.innerCtx); err != nil {
			return err
		}
	}
	return nil
}

func (n *mergeJoin) compare(a, b types.Row) int {
	for i := range n.keys {
		if c := n.keys[i].key.compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

func anyNull(row types.Row) bool {
	for _, d := range row {
		if d.IsNull() {
			return true
		}
	}
	return false
}

// nextOuter reads an outer row and finds the group of inner rows with its keys.
func (n *mergeJoin) nextOuter() (types.Row, error) {
	row, err := n.outer.Next()
	if err != nil {
		return nil, err
	}
	if row == nil {
		n.outerRow = nil
		if n.fillsInner() {
			err = n.startInner()
		}
		n.startFlush()
		return nil, err
	}
	n.outerRow, n.matched = row, false
	n.ctx.Outer = row
	for i := range n.keys {
		if n.outerKeys[i], err = n.keys[i].outer(n.ctx); err != nil {
			return nil, err
		}
	}
	if anyNull(n.outerKeys) {
		return n.unmatchedOuter()
	}
	if err := n.startInner(); err != nil {
		return nil, err
	}
	return n.findGroup()
}

// startInner reads the first inner row: not before there is an outer row that may match one.
func (n *mergeJoin) startInner() error {
	if n.innerStarted {
		return nil
	}
	n.innerStarted = true
	return n.readInner()
}

// findGroup makes the group equal to the outer keys the current one, if there is such a group.
func (n *mergeJoin) findGroup() (types.Row, error) {
	if n.hasGroup {
		switch c := n.compare(n.outerKeys, n.groupKeys); {
		case c == 0:
			n.reader = n.group.NewReader()
			n.state = mergeScanGroup
			return nil, nil
		case c < 0:
			return n.unmatchedOuter()
		}
		if n.fillsInner() {
			n.startFlush()
			return nil, nil
		}
		n.dropGroup()
	}
	for n.innerRow != nil {
		c := -1
		if !anyNull(n.innerKeys) {
			c = n.compare(n.innerKeys, n.outerKeys)
		} else if n.keys[0].key.compare(n.innerKeys[0], n.outerKeys[0]) > 0 {
			c = 1
		}
		if c > 0 {
			break
		}
		if c == 0 {
			return nil, n.collectGroup()
		}
		row := n.innerRow
		if n.fillsInner() {
			out, err := n.emit(n.nullOuter, row)
			if err != nil {
				return nil, err
			}
			if out != nil {
				n.state = mergeResume
				return out, nil
			}
		}
		if err := n.readInner(); err != nil {
			return nil, err
		}
	}
	return n.unmatchedOuter()
}

// collectGroup stores the inner rows that equal the outer keys.
func (n *mergeJoin) collectGroup() error {
	n.group.Clear()
	for i := range n.outerKeys {
		n.groupKeys[i] = n.innerKeys[i].Clone()
	}
	n.hasGroup, n.groupSeen = true, n.groupSeen[:0]
	for n.innerRow != nil && !anyNull(n.innerKeys) && n.compare(n.innerKeys, n.groupKeys) == 0 {
		if err := n.group.Add(n.innerRow); err != nil {
			return err
		}
		n.groupSeen = append(n.groupSeen, false)
		if err := n.readInner(); err != nil {
			return err
		}
	}
	n.reader = n.group.NewReader()
	n.state = mergeScanGroup
	return nil
}

func (n *mergeJoin) dropGroup() {
	n.hasGroup = false
	n.group.Clear()
}

// unmatchedOuter gives the outer row with nulls, if the join does.
func (n *mergeJoin) unmatchedOuter() (types.Row, error) {
	n.state = mergeNextOuter
	if n.fillsOuter() {
		return n.emit(n.outerRow, n.nullInner)
	}
	return nil, nil
}

// scanGroup joins the outer row with the next row of the group.
func (n *mergeJoin) scanGroup() (types.Row, error) {
	for {
		at := n.reader.Pos()
		inner, err := n.reader.Next()
		if err != nil {
			return nil, err
		}
		if inner == nil {
			if !n.matched {
				return n.unmatchedOuter()
			}
			n.state = mergeNextOuter
			return nil, nil
		}
		n.ctx.Outer, n.ctx.Inner = n.outerRow, inner
		ok, err := passes(n.joinQual, n.ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			n.JoinFilter++
			continue
		}
		n.matched, n.groupSeen[at] = true, true
		if n.kind == query.JoinAnti {
			n.state = mergeNextOuter
			return nil, nil
		}
		if n.single {
			n.state = mergeNextOuter
		}
		return n.emit(n.outerRow, inner)
	}
}

// startFlush begins to give the group's unmatched inner rows.
func (n *mergeJoin) startFlush() {
	n.state = mergeFlushGroup
	n.reader = n.group.NewReader()
}

// flushGroup gives the group's inner rows that matched nothing, then goes on with the outer row in hand, or drains the inner input.
func (n *mergeJoin) flushGroup() (types.Row, error) {
	for n.hasGroup && n.fillsInner() {
		at := n.reader.Pos()
		inner, err := n.reader.Next()
		if err != nil {
			return nil, err
		}
		if inner == nil {
			break
		}
		if n.groupSeen[at] {
			continue
		}
		if row, err := n.emit(n.nullOuter, inner); row != nil || err != nil {
			return row, err
		}
	}
	n.dropGroup()
	if n.outerRow == nil {
		n.state = mergeDrainInner
		return nil, nil
	}
	return n.findGroup()
}

func (n *mergeJoin) drainInner() (types.Row, error) {
	if !n.fillsInner() || n.innerRow == nil {
		n.state = mergeEnd
		return nil, nil
	}
	row, err := n.emit(n.nullOuter, n.innerRow)
	if err != nil {
		return nil, err
	}
	return row, n.readInnerAfter(row)
}

// readInnerAfter moves the inner input on after a row that refers to it was given: the projection holds what is needed of it, but for
// by-reference values, which are copied first.
func (n *mergeJoin) readInnerAfter(row types.Row) error {
	for i := range row {
		row[i] = row[i].Clone()
	}
	return n.readInner()
}

func (n *mergeJoin) reset() {
	if n.group != nil {
		n.group.Close()
		n.group = nil
	}
	n.state, n.hasGroup, n.outerRow, n.innerRow, n.reader = mergeStart, false, nil, nil, nil
}

func (n *mergeJoin) Rescan() error {
	n.reset()
	if err := n.outer.Rescan(); err != nil {
		return err
	}
	return n.inner.Rescan()
}

func (n *mergeJoin) Close() {
	n.reset()
	n.outer.Close()
	n.inner.Close()
}
