package plan

import (
	"slices"

	"github.com/calfdb/calf/sql/query"
)

// Run conditions: a condition on a window function of a subquery that only grows (or only falls) from row to row, such as row_number() <= 3,
// lets the subquery's WindowAgg stop once it is false.

// runCond is a run condition of a subquery: its output column col compared with other.
type runCond struct {
	col   int // ResNo in the subquery
	op    *query.OpExpr
	opOID OID // the comparison to use in place of op's
	left  bool
	other query.Expr
}

// monotonic says how a window function's results move along a partition.
type monotonic uint8

const (
	increasing monotonic = 1 << iota
	decreasing
)

// runConds finds the run conditions among the conditions on a subquery that could not be pushed down; keep lists those that must still be
// checked above it.
func (r *root) runConds(sub *query.Query, b *rel, list []*restrict) (keep []*restrict, conds []runCond) {
	for _, ri := range list {
		c, whole := r.runCondOf(sub, b, ri)
		if c != nil {
			conds = append(conds, *c)
		}
		if c == nil || !whole {
			keep = append(keep, ri)
		}
	}
	return keep, conds
}

// runCondOf: whole says that the run condition says all that the condition does.
func (r *root) runCondOf(sub *query.Query, b *rel, ri *restrict) (c *runCond, whole bool) {
	op, ok := ri.clause.(*query.OpExpr)
	if !ok || ri.pseudoconst || len(op.Args) != 2 || !r.g.proc(r.g.oper(op.OpOID).Func).Strict {
		return nil, false
	}
	for i, arg := range op.Args {
		v, ok := arg.(*query.Var)
		if !ok || v.AttNo <= 0 || v.VarNo != b.index {
			continue
		}
		if c, whole := r.runCondOn(sub, int(v.AttNo), op, i == 0); c != nil {
			return c, whole
		}
	}
	return nil, false
}

func (r *root) runCondOn(sub *query.Query, col int, op *query.OpExpr, left bool) (c *runCond, whole bool) {
	e := sub.Targets[col-1].Expr
	for {
		l, ok := e.(*query.RelabelType)
		if !ok {
			break
		}
		e = l.Arg
	}
	w, ok := e.(*query.WindowFunc)
	other := op.Args[1]
	if !left {
		other = op.Args[0]
	}
	if !ok || hasSubplan(w) || slices.ContainsFunc(w.Args, func(a query.Expr) bool { return len(varsOf(a)) > 0 || r.g.volatile(a) }) || len(varsOf(other)) > 0 || r.g.volatile(other) {
		return nil, false
	}
	m := r.g.windowMonotonic(w, windowByRef(sub.Windows, w.WinRef))
	if m == 0 {
		return nil, false
	}
	c = &runCond{col: col, op: op, opOID: op.OpOID, left: left, other: other}
	for _, a := range r.g.amOpsOf(op.OpOID) {
		if a.AM != 403 {
			continue
		}
		switch a.Strategy {
		case btLess, btLessEqual:
			if left && m&increasing != 0 || !left && m&decreasing != 0 {
				return c, true
			}
		case btGreater, btGreaterEqual:
			if left && m&decreasing != 0 || !left && m&increasing != 0 {
				return c, true
			}
		case btEqual:
			if m == increasing|decreasing {
				return c, true
			}
			s := int16(btGreaterEqual)
			if (m == increasing) == left {
				s = btLessEqual
			}
			c.opOID = r.g.amOp(a.Family, a.Left, a.Right, s)
			return c, false
		}
		return nil, false
	}
	return nil, false
}

func windowByRef(list []*query.WindowClause, ref uint32) *query.WindowClause {
	for _, w := range list {
		if w.Ref == ref {
			return w
		}
	}
	panic(broken("window clause not found"))
}

// windowMonotonic knows the functions whose planner support function answers this in PostgreSQL.
func (g *glob) windowMonotonic(f *query.WindowFunc, w *query.WindowClause) (m monotonic) {
	const rowNumber, rank, denseRank, countAny, countStar = 3100, 3101, 3102, 2147, 2803
	switch f.FuncOID {
	case rowNumber, rank, denseRank:
		return increasing
	case countAny, countStar:
		if len(w.OrderBy) == 0 { // all rows are peers: one result
			return increasing | decreasing
		}
		if w.FrameOptions&query.FrameStartUnboundedPreced != 0 {
			m |= increasing
		}
		if w.FrameOptions&query.FrameEndUnboundedFollow != 0 {
			m |= decreasing
		}
	}
	return m
}

// windowRunConds makes the run conditions of one window.
func (r *root) windowRunConds(ref uint32) (out []query.Expr) {
	for _, c := range r.givenRunConds {
		e := r.processedTargets[c.col-1].Expr
		for {
			l, ok := e.(*query.RelabelType)
			if !ok {
				break
			}
			e = l.Arg
		}
		if w, ok := e.(*query.WindowFunc); !ok || w.WinRef != ref {
			continue
		}
		o := *c.op
		o.OpOID, o.FuncOID = c.opOID, r.g.oper(c.opOID).Func
		o.Args = []query.Expr{e, c.other}
		if !c.left {
			o.Args = []query.Expr{c.other, e}
		}
		out = append(out, &o)
	}
	return out
}

// dropUnusedOutputs replaces a subquery's columns that nobody reads by nulls. Run conditions read theirs.
func (r *root) dropUnusedOutputs(q *query.Query, b *rel, conds []runCond) {
	if q.SetOp != nil || len(q.Distinct) > 0 && !q.HasDistinctOn || q.Command != query.CmdSelect {
		return
	}
	used := map[int]bool{}
	note := func(e query.Expr) {
		for _, v := range varsOf(e) {
			if v.VarNo == b.index {
				used[int(v.AttNo)] = true
			}
		}
	}
	for _, e := range b.target.exprs {
		note(e)
	}
	for _, ri := range b.restricts {
		note(ri.clause)
	}
	if used[0] {
		return
	}
	for _, c := range conds {
		used[c.col] = true
	}
	ts := append([]*query.TargetEntry(nil), q.Targets...)
	for i, t := range ts {
		if t.SortGroupRef != 0 || t.Junk || used[t.ResNo] || q.HasTargetSRFs && returnsSet(t.Expr) || r.g.volatile(t.Expr) {
			continue
		}
		c := *t
		c.Expr = nullConst(t.Expr.Type(), t.Expr.TypMod(), t.Expr.Collation())
		ts[i] = &c
	}
	q.Targets = ts
}
