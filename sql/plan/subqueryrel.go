package plan

import (
	"math"

	"github.com/calfdb/calf/sql/query"
)

func ceil(x float64) float64 { return math.Ceil(x) }

// planSubqueryRel plans a subquery in FROM that was not merged, after pushing conditions down into it.
func (r *root) planSubqueryRel(b *rel) {
	sub := mutateQuery(b.rte.Subquery, 0, func(query.Expr, int) query.Expr { return nil })
	unsafe := r.unsafePushdown(sub)
	if len(b.restricts) > 0 && unsafe != nil {
		var upper []*restrict
		for _, ri := range b.restricts {
			if !ri.pseudoconst && r.pushable(ri, b, unsafe) {
				sub = r.pushDown(sub, b, ri.clause)
			} else {
				upper = append(upper, ri)
			}
		}
		b.restricts = upper
	}
	var conds []runCond
	if unsafe != nil && sub.HasWindowFuncs {
		b.restricts, conds = r.runConds(sub, b, b.restricts)
	}
	r.dropUnusedOutputs(sub, b, conds)
	fraction := 0.0
	if r.onlyRel(b) && !(r.q.HasAggs || len(r.q.GroupBy) > 0 || len(r.q.GroupingSets) > 0 || r.hasHaving || len(r.q.Distinct) > 0 ||
		len(r.q.SortBy) > 0 || r.q.HasWindowFuncs) {
		fraction = r.tupleFraction
	}
	saved := r.planParams
	r.planParams = nil
	b.subroot = r.g.subqueryPlanner(sub, r, false, fraction, conds...)
	b.subparams = r.planParams
	r.planParams = saved
	final := b.subroot.finalRel()
	if final.dummy {
		b.dummy, b.rows = true, 0
		return
	}
	b.tuples = final.cheapestTotal.rows
	r.setBaseSize(b)
}

func (r *root) onlyRel(b *rel) bool { return r.allBase == b.relids }

// unsafePushdown says, per output column, whether conditions on it must stay outside; nil: no condition may go in.
func (r *root) unsafePushdown(q *query.Query) map[int]bool {
	if q.LimitOffset != nil || q.LimitCount != nil || len(q.GroupBy) > 0 && len(q.GroupingSets) > 0 || q.Command != query.CmdSelect {
		return nil
	}
	unsafe := map[int]bool{}
	if q.SetOp != nil {
		if !r.setOpPushable(q, q.SetOp, q.SetOp, unsafe) {
			return nil
		}
		return unsafe
	}
	r.markUnsafe(q, unsafe)
	return unsafe
}

// markUnsafe notes columns that are set-returning, volatile, or not among DISTINCT ON's or window partitions' columns.
func (r *root) markUnsafe(q *query.Query, unsafe map[int]bool) {
	for _, t := range q.Targets {
		if t.Junk {
			continue
		}
		if q.HasTargetSRFs && returnsSet(t.Expr) || r.g.volatile(t.Expr) {
			unsafe[t.ResNo] = true
		}
		if q.HasDistinctOn && !groupHas(q.Distinct, t.SortGroupRef) {
			unsafe[t.ResNo] = true
		}
		if q.HasWindowFuncs {
			for _, w := range q.Windows {
				if !groupHas(w.PartitionBy, t.SortGroupRef) {
					unsafe[t.ResNo] = true
				}
			}
		}
	}
}

func groupHas(list []*query.SortGroupClause, ref uint32) bool {
	for _, s := range list {
		if ref != 0 && s.Ref == ref {
			return true
		}
	}
	return false
}

// setOpPushable: all leaves take the condition; not through EXCEPT; types must not change on the way.
func (r *root) setOpPushable(top *query.Query, n, root query.SetOpNode, unsafe map[int]bool) bool {
	switch n := n.(type) {
	case *query.RangeTblRef:
		q := top.RangeTable[n.Index-1].Subquery
		m := r.unsafePushdown(q)
		if m == nil {
			return false
		}
		for k := range m {
			unsafe[k] = true
		}
		types := root.(*query.SetOperation).ColTypes
		i := 0
		for _, t := range q.Targets {
			if t.Junk {
				continue
			}
			if i < len(types) && t.Expr.Type() != types[i] {
				unsafe[t.ResNo] = true
			}
			i++
		}
		return true
	case *query.SetOperation:
		if n.Op == query.SetOpExcept {
			return false
		}
		return r.setOpPushable(top, n.Left, root, unsafe) && r.setOpPushable(top, n.Right, root, unsafe)
	}
	return false
}

// pushable: the condition reads only safe columns and has no sub-plan.
func (r *root) pushable(ri *restrict, b *rel, unsafe map[int]bool) bool {
	if hasSubplan(ri.clause) || r.g.volatile(ri.clause) {
		return false
	}
	if b.rte.SecurityBarrier && r.g.leaky(ri.clause) {
		return false
	}
	ok := true
	for _, v := range varsOf(ri.clause) {
		if v.VarNo != b.index || v.AttNo == 0 || unsafe[int(v.AttNo)] {
			ok = false
		}
	}
	return ok
}

// pushDown adds a condition to a subquery: to HAVING when it groups (moved on to WHERE by its own planning where possible).
func (r *root) pushDown(q *query.Query, b *rel, clause query.Expr) *query.Query {
	if q.SetOp != nil {
		n := *q
		n.RangeTable = append([]*query.RTE(nil), q.RangeTable...)
		r.pushIntoSetOp(&n, n.SetOp, b, clause)
		return &n
	}
	in := mutateDeep(clause, 0, func(x query.Expr, d int) query.Expr {
		v, ok := x.(*query.Var)
		if !ok || v.LevelsUp != d || v.VarNo != b.index {
			return nil
		}
		for _, t := range q.Targets {
			if t.ResNo == int(v.AttNo) && !t.Junk {
				return shiftLevels(t.Expr, d, 0)
			}
		}
		return nil
	})
	n := *q
	if q.HasAggs || len(q.GroupBy) > 0 || len(q.GroupingSets) > 0 || q.Having != nil {
		n.Having = makeAnd(append(append([]query.Expr(nil), implicitAnd(q.Having)...), in))
		return &n
	}
	n.JoinTree = &query.FromExpr{Items: q.JoinTree.Items, Quals: makeAnd(append(append([]query.Expr(nil), implicitAnd(q.JoinTree.Quals)...), in))}
	return &n
}

func (r *root) pushIntoSetOp(q *query.Query, n query.SetOpNode, b *rel, clause query.Expr) {
	switch n := n.(type) {
	case *query.RangeTblRef:
		e := *q.RangeTable[n.Index-1]
		e.Subquery = r.pushDown(e.Subquery, b, clause)
		q.RangeTable[n.Index-1] = &e
	case *query.SetOperation:
		r.pushIntoSetOp(q, n.Left, b, clause)
		r.pushIntoSetOp(q, n.Right, b, clause)
	}
}

// subqueryPaths makes a scan of each path of the subquery.
func (r *root) subqueryPaths(b *rel) {
	for _, sub := range b.subroot.finalRel().paths {
		p := &path{kind: pSubquery, rel: b, target: b.target, sub: sub, param: r.paramInfoFor(b, b.lateral)}
		p.keys = r.subqueryKeys(b, sub, b.subroot)
		r.costSubqueryScan(p)
		addPath(b, p)
	}
}
