package catalog

import (
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/storage/heap"
)

// ImplicitAnd takes the top-level ANDs of a condition apart.
func ImplicitAnd(e query.Expr) []query.Expr {
	if e == nil {
		return nil
	}
	if b, ok := e.(*query.BoolExpr); ok && b.Op == query.And {
		var list []query.Expr
		for _, a := range b.Args {
			list = append(list, ImplicitAnd(a)...)
		}
		return list
	}
	return []query.Expr{e}
}

// IndexAttrs gives the table's columns that an index's entries depend on: keys, included columns, expressions and predicate.
func IndexAttrs(ix *Index) heap.AttrSet {
	var set heap.AttrSet
	for _, k := range ix.Keys {
		if k > 0 {
			set.Add(k)
		}
	}
	addVars := func(e query.Expr) {
		query.Walk(e, func(e query.Expr) bool {
			if v, ok := e.(*query.Var); ok && v.AttNo > 0 {
				set.Add(v.AttNo)
			}
			return true
		})
	}
	for _, e := range ix.Exprs {
		addVars(e)
	}
	if ix.Pred != nil {
		addVars(ix.Pred)
	}
	return set
}
