package plan

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// eachFunc calls f with the function OIDs that e itself (not its sub-expressions) calls.
func (g *glob) eachFunc(e query.Expr, f func(fn OID)) {
	switch e := e.(type) {
	case *query.FuncExpr:
		f(e.FuncOID)
	case *query.OpExpr:
		f(g.opFunc(e))
	case *query.DistinctExpr:
		f(g.opFunc(&e.OpExpr))
	case *query.NullIfExpr:
		f(g.opFunc(&e.OpExpr))
	case *query.ScalarArrayOpExpr:
		if e.FuncOID == 0 {
			f(g.oper(e.OpOID).Func)
		} else {
			f(e.FuncOID)
		}
	case *query.RowCompareExpr:
		for _, op := range e.OpOIDs {
			f(g.oper(op).Func)
		}
	case *query.WindowFunc:
		f(e.FuncOID)
	case *query.Aggref:
		f(e.AggOID)
	case *query.CoerceViaIO:
		if t := g.typ(e.TypeOID); t != nil && t.Input != 0 {
			f(t.Input)
		}
		if t := g.typ(e.Arg.Type()); t != nil && t.Output != 0 {
			f(t.Output)
		}
	}
}

func (g *glob) opFunc(e *query.OpExpr) OID {
	if e.FuncOID != 0 {
		return e.FuncOID
	}
	return g.oper(e.OpOID).Func
}

func (g *glob) callsAny(e query.Expr, test func(p *catalog.Proc) bool) bool {
	found := false
	visitDeep(e, 0, func(x query.Expr, _ int) bool {
		if found {
			return false
		}
		g.eachFunc(x, func(fn OID) { found = found || test(g.proc(fn)) })
		return !found
	})
	return found
}

func (g *glob) volatile(e query.Expr) bool {
	return exists(e, func(x query.Expr) bool { _, ok := x.(*query.NextValueExpr); return ok }) ||
		g.callsAny(e, func(p *catalog.Proc) bool { return p.Volatile == 'v' })
}

func (g *glob) volatileAny(es []query.Expr) bool {
	for _, e := range es {
		if g.volatile(e) {
			return true
		}
	}
	return false
}

func (g *glob) volatileTargets(ts []*query.TargetEntry) bool {
	for _, t := range ts {
		if g.volatile(t.Expr) {
			return true
		}
	}
	return false
}

// mutable: not immutable.
func (g *glob) mutable(e query.Expr) bool {
	return exists(e, func(x query.Expr) bool {
		switch x.(type) {
		case *query.SQLValueFunction, *query.NextValueExpr:
			return true
		}
		return false
	}) || g.callsAny(e, func(p *catalog.Proc) bool { return p.Volatile != 'i' })
}

// nonstrict: the result may be not null although an input Var is null.
func (g *glob) nonstrict(e query.Expr) bool {
	return exists(e, func(x query.Expr) bool {
		switch x := x.(type) {
		case *query.Aggref, *query.GroupingFunc, *query.WindowFunc, *query.SubLink, *query.SubPlan, *query.AlternativeSubPlan,
			*query.FieldStore, *query.CaseExpr, *query.ArrayExpr, *query.RowExpr, *query.CoalesceExpr, *query.MinMaxExpr,
			*query.DistinctExpr, *query.NullIfExpr, *query.NullTest, *query.BooleanTest, *query.SQLValueFunction, *query.RowCompareExpr,
			*query.CaseTestExpr, *query.CoerceToDomain, *query.ConvertRowtypeExpr:
			return true
		case *query.BoolExpr:
			return x.Op != query.Not
		case *query.SubscriptingRef:
			return x.Assign != nil
		case *query.ArrayCoerceExpr:
			return g.nonstrict(x.ElemExpr)
		case *query.CoerceViaIO:
			return false
		}
		bad := false
		g.eachFunc(x, func(fn OID) { bad = bad || !g.proc(fn).Strict })
		return bad
	})
}

func returnsSet(e query.Expr) bool {
	return exists(e, func(x query.Expr) bool {
		switch x := x.(type) {
		case *query.FuncExpr:
			return x.RetSet
		case *query.OpExpr:
			return x.RetSet
		}
		return false
	})
}

func hasSubplan(e query.Expr) bool {
	return exists(e, func(x query.Expr) bool {
		switch x.(type) {
		case *query.SubPlan, *query.AlternativeSubPlan, *query.SubLink:
			return true
		}
		return false
	})
}

func hasAggref(e query.Expr) bool {
	return exists(e, func(x query.Expr) bool {
		switch x := x.(type) {
		case *query.Aggref:
			return x.LevelsUp == 0
		case *query.GroupingFunc:
			return x.LevelsUp == 0
		}
		return false
	})
}

func hasWindowFunc(e query.Expr) bool {
	return exists(e, func(x query.Expr) bool { _, ok := x.(*query.WindowFunc); return ok })
}

// leaky: a function that is not leakproof sees a Var.
func (g *glob) leaky(e query.Expr) bool {
	return g.callsAny(e, func(p *catalog.Proc) bool { return !p.LeakProof })
}

// varRelids gives the range table indexes of the level-0 Vars of an expression.
func varRelids(e query.Expr) (s Relids) {
	visitDeep(e, 0, func(x query.Expr, d int) bool {
		switch x := x.(type) {
		case *query.Var:
			if x.LevelsUp == d && x.VarNo > 0 {
				s.add(x.VarNo)
			}
		case *query.CurrentOfExpr:
			if d == 0 {
				s.add(x.RTIndex)
			}
		}
		return true
	})
	return s
}

func varRelidsList(es []query.Expr) (s Relids) {
	for _, e := range es {
		s = s.or(varRelids(e))
	}
	return s
}

// varsOf lists the distinct level-0 Vars of an expression; Aggrefs and window functions are entered.
func varsOf(e query.Expr) (vs []*query.Var) {
	visitDeep(e, 0, func(x query.Expr, d int) bool {
		if v, ok := x.(*query.Var); ok && v.LevelsUp == d {
			vs = append(vs, v)
		}
		return true
	})
	return vs
}

// hasVars says whether e has a Var of this level.
func hasVars(e query.Expr) bool {
	return exists(e, func(x query.Expr) bool { v, ok := x.(*query.Var); return ok && v.LevelsUp == 0 })
}

func hasUpperVars(e query.Expr) bool {
	found := false
	visitDeep(e, 0, func(x query.Expr, d int) bool {
		switch x := x.(type) {
		case *query.Var:
			found = found || x.LevelsUp > d
		case *query.Aggref:
			found = found || x.LevelsUp > d
		case *query.GroupingFunc:
			found = found || x.LevelsUp > d
		}
		return !found
	})
	return found
}

// nonnullableRels gives the relations of which a null row makes the condition false or null (top: false suffices, else it must be null).
func (g *glob) nonnullableRels(e query.Expr, top bool) (s Relids) {
	switch e := e.(type) {
	case *query.Var:
		if e.LevelsUp == 0 {
			s.add(e.VarNo)
		}
	case *query.FuncExpr:
		if g.proc(e.FuncOID).Strict {
			return g.nonnullableOfAll(e.Args)
		}
	case *query.OpExpr:
		if g.proc(g.opFunc(e)).Strict {
			return g.nonnullableOfAll(e.Args)
		}
	case *query.ScalarArrayOpExpr:
		if g.strictArrayOp(e, top) {
			return g.nonnullableRels(e.Left, false).or(g.nonnullableRels(e.Right, false))
		}
	case *query.BoolExpr:
		if e.Op == query.Not {
			return g.nonnullableOfAll(e.Args)
		}
		if e.Op == query.And && top {
			for _, a := range e.Args {
				s = s.or(g.nonnullableRels(a, true))
			}
			return s
		}
		for i, a := range e.Args { // OR at top, or either below: each arm must give it
			r := g.nonnullableRels(a, top)
			if i == 0 {
				s = r
			}
			s = s.and(r)
		}
	case *query.RelabelType:
		return g.nonnullableRels(e.Arg, top)
	case *query.CoerceViaIO:
		return g.nonnullableRels(e.Arg, false)
	case *query.ArrayCoerceExpr:
		return g.nonnullableRels(e.Arg, false)
	case *query.CollateExpr:
		return g.nonnullableRels(e.Arg, top)
	case *query.NullTest:
		if top && e.IsNot && !e.ArgIsRow {
			return g.nonnullableRels(e.Arg, false)
		}
	case *query.BooleanTest:
		if top && (e.Kind == query.IsTrue || e.Kind == query.IsFalse || e.Kind == query.IsNotUnknown) {
			return g.nonnullableRels(e.Arg, false)
		}
	}
	return s
}

func (g *glob) nonnullableOfAll(es []query.Expr) (s Relids) {
	for _, e := range es {
		s = s.or(g.nonnullableRels(e, false))
	}
	return s
}

func (g *glob) nonnullableOfQuals(es []query.Expr) (s Relids) {
	for _, e := range es {
		s = s.or(g.nonnullableRels(e, true))
	}
	return s
}

// strictArrayOp: x op ANY/ALL (array) that is null or false for a null x. falseOK: false suffices, as for ANY of an empty array.
func (g *glob) strictArrayOp(e *query.ScalarArrayOpExpr, falseOK bool) bool {
	if !g.proc(g.oper(e.OpOID).Func).Strict {
		return false
	}
	if e.UseOr && falseOK {
		return true
	}
	switch r := e.Right.(type) {
	case *query.Const:
		if r.Value.IsNull() {
			return false
		}
		return len(g.arrayElems(r)) > 0
	case *query.ArrayExpr:
		return len(r.Elems) > 0 && !r.MultiDims
	}
	return false
}

// nonnullableVars lists Vars that a condition forces to be not null.
func (g *glob) nonnullableVars(e query.Expr, top bool) (vs []varKey) {
	switch e := e.(type) {
	case *query.Var:
		if e.LevelsUp == 0 {
			return []varKey{{e.VarNo, e.AttNo}}
		}
	case *query.FuncExpr:
		if g.proc(e.FuncOID).Strict {
			return g.nonnullableVarsAll(e.Args, false)
		}
	case *query.OpExpr:
		if g.proc(g.opFunc(e)).Strict {
			return g.nonnullableVarsAll(e.Args, false)
		}
	case *query.ScalarArrayOpExpr:
		if g.strictArrayOp(e, true) {
			return g.nonnullableVarsAll([]query.Expr{e.Left, e.Right}, false)
		}
	case *query.BoolExpr:
		if e.Op == query.Not {
			return g.nonnullableVarsAll(e.Args, false)
		}
		if e.Op == query.And && top {
			return g.nonnullableVarsAll(e.Args, true)
		}
		for i, a := range e.Args {
			r := g.nonnullableVars(a, top)
			if i == 0 {
				vs = r
				continue
			}
			vs = intersectVars(vs, r)
		}
		return vs
	case *query.RelabelType:
		return g.nonnullableVars(e.Arg, top)
	case *query.NullTest:
		if top && e.IsNot && !e.ArgIsRow {
			return g.nonnullableVars(e.Arg, false)
		}
	case *query.BooleanTest:
		if top && (e.Kind == query.IsTrue || e.Kind == query.IsFalse || e.Kind == query.IsNotUnknown) {
			return g.nonnullableVars(e.Arg, false)
		}
	}
	return nil
}

type varKey struct {
	no  int
	att int16
}

func intersectVars(a, b []varKey) (out []varKey) {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				out = append(out, x)
				break
			}
		}
	}
	return out
}

func (g *glob) nonnullableVarsAll(es []query.Expr, top bool) (vs []varKey) {
	for _, e := range es {
		vs = append(vs, g.nonnullableVars(e, top)...)
	}
	return vs
}

// forcedNullVars lists Vars that a condition requires to be null (x IS NULL).
func forcedNullVars(es []query.Expr) (vs []varKey) {
	for _, e := range es {
		switch e := e.(type) {
		case *query.NullTest:
			if v, ok := e.Arg.(*query.Var); ok && !e.IsNot && !e.ArgIsRow && v.LevelsUp == 0 {
				vs = append(vs, varKey{v.VarNo, v.AttNo})
			}
		case *query.BooleanTest:
			if v, ok := e.Arg.(*query.Var); ok && e.Kind == query.IsUnknown && v.LevelsUp == 0 {
				vs = append(vs, varKey{v.VarNo, v.AttNo})
			}
		case *query.BoolExpr:
			if e.Op == query.And {
				vs = append(vs, forcedNullVars(e.Args)...)
			}
		}
	}
	return vs
}

// commute swaps the sides of an operator that has a commutator; nil when it has none.
func (g *glob) commute(e *query.OpExpr) *query.OpExpr {
	com := g.oper(e.OpOID).Commutator
	if com == 0 {
		return nil
	}
	c := *e
	c.OpOID, c.FuncOID = com, g.oper(com).Func
	c.Args = []query.Expr{e.Args[1], e.Args[0]}
	return &c
}

// asOp gives the operator call that is e, DISTINCT and NULLIF not among them.
func asOp(e query.Expr) (*query.OpExpr, bool) { o, ok := e.(*query.OpExpr); return o, ok }

// stripRelabel removes binary-compatible casts.
func stripRelabel(e query.Expr) query.Expr {
	for {
		r, ok := e.(*query.RelabelType)
		if !ok {
			return e
		}
		e = r.Arg
	}
}

// arrayElems gives the elements of a constant array.
func (g *glob) arrayElems(c *query.Const) []types.Datum {
	if c.Value.IsNull() {
		return nil
	}
	t := must(g.env.Types.TypeByOID(c.TypeOID))
	elem := must(g.env.Types.TypeByOID(t.Elem))
	return must(types.ArrayElements(elem, c.Value, nil))
}
