package plan

import "github.com/calfdb/calf/sql/query"

// mapChildren gives a copy of e with f applied to each direct sub-expression, or e itself when f changed none.
func mapChildren(e query.Expr, f func(query.Expr) query.Expr) query.Expr {
	opt := func(x query.Expr) query.Expr {
		if x == nil {
			return nil
		}
		return f(x)
	}
	switch e := e.(type) {
	case *query.FuncExpr:
		v0 := mapList(e.Args, f)
		if !sameList(e.Args, v0) {
			c := *e
			c.Args = v0
			return &c
		}
	case *query.NamedArg:
		v0 := opt(e.Arg)
		if v0 != e.Arg {
			c := *e
			c.Arg = v0
			return &c
		}
	case *query.OpExpr:
		v0 := mapList(e.Args, f)
		if !sameList(e.Args, v0) {
			c := *e
			c.Args = v0
			return &c
		}
	case *query.DistinctExpr:
		v0 := mapList(e.Args, f)
		if !sameList(e.Args, v0) {
			c := *e
			c.Args = v0
			return &c
		}
	case *query.NullIfExpr:
		v0 := mapList(e.Args, f)
		if !sameList(e.Args, v0) {
			c := *e
			c.Args = v0
			return &c
		}
	case *query.ScalarArrayOpExpr:
		v0 := opt(e.Left)
		v1 := opt(e.Right)
		if v0 != e.Left || v1 != e.Right {
			c := *e
			c.Left = v0
			c.Right = v1
			return &c
		}
	case *query.BoolExpr:
		v0 := mapList(e.Args, f)
		if !sameList(e.Args, v0) {
			c := *e
			c.Args = v0
			return &c
		}
	case *query.Aggref:
		v0 := mapList(e.DirectArgs, f)
		v1 := mapTargets(e.Args, f)
		v2 := opt(e.Filter)
		if !sameList(e.DirectArgs, v0) || len(v1) > 0 && &v1[0] != &e.Args[0] || v2 != e.Filter {
			c := *e
			c.DirectArgs = v0
			c.Args = v1
			c.Filter = v2
			return &c
		}
	case *query.GroupingFunc:
		v0 := mapList(e.Args, f)
		if !sameList(e.Args, v0) {
			c := *e
			c.Args = v0
			return &c
		}
	case *query.WindowFunc:
		v0 := mapList(e.Args, f)
		v1 := opt(e.Filter)
		if !sameList(e.Args, v0) || v1 != e.Filter {
			c := *e
			c.Args = v0
			c.Filter = v1
			return &c
		}
	case *query.SubLink:
		v0 := opt(e.Test)
		if v0 != e.Test {
			c := *e
			c.Test = v0
			return &c
		}
	case *query.SubPlan:
		v0 := opt(e.Test)
		v1 := mapList(e.Args, f)
		if v0 != e.Test || !sameList(e.Args, v1) {
			c := *e
			c.Test = v0
			c.Args = v1
			return &c
		}
	case *query.AlternativeSubPlan:
		v0 := mapList(e.Subplans, f)
		if !sameList(e.Subplans, v0) {
			c := *e
			c.Subplans = v0
			return &c
		}
	case *query.FieldSelect:
		v0 := opt(e.Arg)
		if v0 != e.Arg {
			c := *e
			c.Arg = v0
			return &c
		}
	case *query.FieldStore:
		v0 := opt(e.Arg)
		v1 := mapList(e.NewVals, f)
		if v0 != e.Arg || !sameList(e.NewVals, v1) {
			c := *e
			c.Arg = v0
			c.NewVals = v1
			return &c
		}
	case *query.SubscriptingRef:
		v0 := mapList(e.Upper, f)
		v1 := mapList(e.Lower, f)
		v2 := opt(e.Container)
		v3 := opt(e.Assign)
		if !sameList(e.Upper, v0) || !sameList(e.Lower, v1) || v2 != e.Container || v3 != e.Assign {
			c := *e
			c.Upper = v0
			c.Lower = v1
			c.Container = v2
			c.Assign = v3
			return &c
		}
	case *query.RelabelType:
		v0 := opt(e.Arg)
		if v0 != e.Arg {
			c := *e
			c.Arg = v0
			return &c
		}
	case *query.CoerceViaIO:
		v0 := opt(e.Arg)
		if v0 != e.Arg {
			c := *e
			c.Arg = v0
			return &c
		}
	case *query.ArrayCoerceExpr:
		v0 := opt(e.Arg)
		v1 := opt(e.ElemExpr)
		if v0 != e.Arg || v1 != e.ElemExpr {
			c := *e
			c.Arg = v0
			c.ElemExpr = v1
			return &c
		}
	case *query.ConvertRowtypeExpr:
		v0 := opt(e.Arg)
		if v0 != e.Arg {
			c := *e
			c.Arg = v0
			return &c
		}
	case *query.CollateExpr:
		v0 := opt(e.Arg)
		if v0 != e.Arg {
			c := *e
			c.Arg = v0
			return &c
		}
	case *query.ArrayExpr:
		v0 := mapList(e.Elems, f)
		if !sameList(e.Elems, v0) {
			c := *e
			c.Elems = v0
			return &c
		}
	case *query.RowExpr:
		v0 := mapList(e.Args, f)
		if !sameList(e.Args, v0) {
			c := *e
			c.Args = v0
			return &c
		}
	case *query.RowCompareExpr:
		v0 := mapList(e.Left, f)
		v1 := mapList(e.Right, f)
		if !sameList(e.Left, v0) || !sameList(e.Right, v1) {
			c := *e
			c.Left = v0
			c.Right = v1
			return &c
		}
	case *query.CoalesceExpr:
		v0 := mapList(e.Args, f)
		if !sameList(e.Args, v0) {
			c := *e
			c.Args = v0
			return &c
		}
	case *query.MinMaxExpr:
		v0 := mapList(e.Args, f)
		if !sameList(e.Args, v0) {
			c := *e
			c.Args = v0
			return &c
		}
	case *query.NullTest:
		v0 := opt(e.Arg)
		if v0 != e.Arg {
			c := *e
			c.Arg = v0
			return &c
		}
	case *query.BooleanTest:
		v0 := opt(e.Arg)
		if v0 != e.Arg {
			c := *e
			c.Arg = v0
			return &c
		}
	case *query.CoerceToDomain:
		v0 := opt(e.Arg)
		if v0 != e.Arg {
			c := *e
			c.Arg = v0
			return &c
		}
	case *query.InferenceElem:
		v0 := opt(e.Expr)
		if v0 != e.Expr {
			c := *e
			c.Expr = v0
			return &c
		}
	case *query.CaseExpr:
		return mapCase(e, opt)
	}
	return e
}

func mapCase(e *query.CaseExpr, f func(query.Expr) query.Expr) query.Expr {
	c := *e
	c.Arg, c.Default = f(e.Arg), f(e.Default)
	changed := c.Arg != e.Arg || c.Default != e.Default
	c.Whens = make([]*query.CaseWhen, len(e.Whens))
	for i, w := range e.Whens {
		n := &query.CaseWhen{Cond: f(w.Cond), Result: f(w.Result), Loc: w.Loc}
		changed = changed || n.Cond != w.Cond || n.Result != w.Result
		c.Whens[i] = n
	}
	if !changed {
		return e
	}
	return &c
}
