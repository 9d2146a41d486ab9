package plan

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/query"
)

// arbiterIndex is an index as ON CONFLICT inference sees it.
type arbiterIndex struct {
	ix    *catalog.Index
	exprs []query.Expr // the expression columns
	pred  []query.Expr
}

func ix2info(r *root, ix *catalog.Index) arbiterIndex {
	a := arbiterIndex{ix: ix}
	for _, e := range ix.Exprs {
		a.exprs = append(a.exprs, moveVars(e, 1, r.q.ResultRelation))
	}
	for _, e := range implicitAnd(ix.Pred) {
		a.pred = append(a.pred, moveVars(e, 1, r.q.ResultRelation))
	}
	return a
}

// arbiterFits: the index's key columns are exactly those named, with the wanted collations and operator classes, and its predicate follows from
// the clause's WHERE.
func (r *root) arbiterFits(a arbiterIndex, o *query.OnConflict) bool {
	cols := map[int16]bool{}
	var exprs []query.Expr
	for _, e := range o.ArbiterElems {
		if v, ok := e.Expr.(*query.Var); ok {
			cols[v.AttNo] = true
		} else {
			exprs = append(exprs, e.Expr)
		}
		if !elemFits(a, e) {
			return false
		}
	}
	seen := map[int16]bool{}
	for _, k := range a.ix.Keys[:a.ix.NumKeys] {
		if k != 0 {
			if !cols[k] {
				return false
			}
			seen[k] = true
		}
	}
	if len(seen) != len(cols) {
		return false
	}
	for _, e := range a.exprs {
		if !member(exprs, e) {
			return false
		}
	}
	for _, e := range exprs {
		if !member(a.exprs, e) {
			return false
		}
	}
	return r.g.impliesAll(a.pred, implicitAnd(o.ArbiterWhere))
}

// elemFits: an element without collation and operator class fits any; else some column must have them.
func elemFits(a arbiterIndex, e *query.InferenceElem) bool {
	if e.Coll == 0 && e.OpClass == 0 {
		return true
	}
	expr := 0
	for i, k := range a.ix.Keys[:a.ix.NumKeys] {
		same := false
		if k == 0 {
			same = equal(a.exprs[expr], e.Expr)
			expr++
		} else if v, ok := e.Expr.(*query.Var); ok {
			same = v.AttNo == k
		}
		if same && (e.OpClass == 0 || a.ix.OpClasses[i] == e.OpClass) && (e.Coll == 0 || a.ix.Collations[i] == e.Coll) {
			return true
		}
	}
	return false
}
