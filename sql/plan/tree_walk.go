package plan

import "github.com/calfdb/calf/sql/query"

// children calls f for each direct sub-expression of e that is there, in evaluation order. A SubLink's or Aggref's query levels are not
// entered: SubLink gives its Test only.
func children(e query.Expr, f func(query.Expr)) {
	one := func(x query.Expr) {
		if x != nil {
			f(x)
		}
	}
	list := func(xs []query.Expr) {
		for _, x := range xs {
			one(x)
		}
	}
	switch e := e.(type) {
	case *query.FuncExpr:
		list(e.Args)
	case *query.NamedArg:
		one(e.Arg)
	case *query.OpExpr:
		list(e.Args)
	case *query.DistinctExpr:
		list(e.Args)
	case *query.NullIfExpr:
		list(e.Args)
	case *query.ScalarArrayOpExpr:
		one(e.Left)
		one(e.Right)
	case *query.BoolExpr:
		list(e.Args)
	case *query.Aggref:
		list(e.DirectArgs)
		for _, t := range e.Args {
			one(t.Expr)
		}
		one(e.Filter)
	case *query.GroupingFunc:
		list(e.Args)
	case *query.WindowFunc:
		list(e.Args)
		one(e.Filter)
	case *query.SubLink:
		one(e.Test)
	case *query.SubPlan:
		one(e.Test)
		list(e.Args)
	case *query.AlternativeSubPlan:
		list(e.Subplans)
	case *query.FieldSelect:
		one(e.Arg)
	case *query.FieldStore:
		one(e.Arg)
		list(e.NewVals)
	case *query.SubscriptingRef:
		list(e.Upper)
		list(e.Lower)
		one(e.Container)
		one(e.Assign)
	case *query.RelabelType:
		one(e.Arg)
	case *query.CoerceViaIO:
		one(e.Arg)
	case *query.ArrayCoerceExpr:
		one(e.Arg)
		one(e.ElemExpr)
	case *query.ConvertRowtypeExpr:
		one(e.Arg)
	case *query.CollateExpr:
		one(e.Arg)
	case *query.CaseExpr:
		one(e.Arg)
		for _, w := range e.Whens {
			one(w.Cond)
			one(w.Result)
		}
		one(e.Default)
	case *query.ArrayExpr:
		list(e.Elems)
	case *query.RowExpr:
		list(e.Args)
	case *query.RowCompareExpr:
		list(e.Left)
		list(e.Right)
	case *query.CoalesceExpr:
		list(e.Args)
	case *query.MinMaxExpr:
		list(e.Args)
	case *query.NullTest:
		one(e.Arg)
	case *query.BooleanTest:
		one(e.Arg)
	case *query.CoerceToDomain:
		one(e.Arg)
	case *query.InferenceElem:
		one(e.Expr)
	}
}

// walk visits e and its sub-expressions in pre-order; f says whether to go into an expression. It does not enter queries.
func walk(e query.Expr, f func(query.Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	children(e, func(x query.Expr) { walk(x, f) })
}

// exists says whether f holds for e or a sub-expression.
func exists(e query.Expr, f func(query.Expr) bool) bool {
	found := false
	walk(e, func(x query.Expr) bool {
		found = found || f(x)
		return !found
	})
	return found
}

// mutate gives a copy of e in which f's non-nil answers stand for the expressions it was asked about; where f answers nil the
// sub-expressions are asked. What does not change is shared with e.
func mutate(e query.Expr, f func(query.Expr) query.Expr) query.Expr {
	if e == nil {
		return nil
	}
	if r := f(e); r != nil {
		return r
	}
	return mapChildren(e, func(x query.Expr) query.Expr { return mutate(x, f) })
}

func mutateList(es []query.Expr, f func(query.Expr) query.Expr) []query.Expr {
	return mapList(es, func(x query.Expr) query.Expr { return mutate(x, f) })
}

func mutateTargets(ts []*query.TargetEntry, f func(query.Expr) query.Expr) []*query.TargetEntry {
	return mapTargets(ts, func(x query.Expr) query.Expr { return mutate(x, f) })
}

// mapList applies f to each expression; the list itself is given when nothing changed.
func mapList(es []query.Expr, f func(query.Expr) query.Expr) []query.Expr {
	var out []query.Expr
	for i, x := range es {
		if x == nil {
			continue
		}
		y := f(x)
		if y == x {
			continue
		}
		if out == nil {
			out = append([]query.Expr(nil), es...)
		}
		out[i] = y
	}
	if out == nil {
		return es
	}
	return out
}

// mapTargets applies f to each target's expression; the list itself is given when nothing changed.
func mapTargets(ts []*query.TargetEntry, f func(query.Expr) query.Expr) []*query.TargetEntry {
	var out []*query.TargetEntry
	for i, t := range ts {
		y := f(t.Expr)
		if y == t.Expr {
			continue
		}
		if out == nil {
			out = append([]*query.TargetEntry(nil), ts...)
		}
		c := *t
		c.Expr = y
		out[i] = &c
	}
	if out == nil {
		return ts
	}
	return out
}

func sameList(a, b []query.Expr) bool { return len(a) == 0 || len(b) > 0 && &a[0] == &b[0] }
