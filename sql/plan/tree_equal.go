package plan

import (
	"bytes"
	"slices"

	"github.com/calfdb/calf/sql/query"
)

// equal says whether two expressions compute the same: query.Equal without what only printing needs (how a call was written, where a Var
// was before pull-up).
func equal(a, b query.Expr) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *query.Const:
		b, ok := b.(*query.Const)
		return ok && a.TypeOID == b.TypeOID && a.Mod == b.Mod && a.Coll == b.Coll && sameDatum(a, b)
	case *query.Var:
		b, ok := b.(*query.Var)
		return ok && a.VarNo == b.VarNo && a.AttNo == b.AttNo && a.TypeOID == b.TypeOID && a.Mod == b.Mod && a.Coll == b.Coll && a.LevelsUp == b.LevelsUp
	case *query.Param:
		b, ok := b.(*query.Param)
		return ok && a.Kind == b.Kind && a.ID == b.ID && a.TypeOID == b.TypeOID && a.Mod == b.Mod && a.Coll == b.Coll
	case *query.FuncExpr:
		b, ok := b.(*query.FuncExpr)
		return ok && a.FuncOID == b.FuncOID && a.TypeOID == b.TypeOID && a.RetSet == b.RetSet && a.Variadic == b.Variadic && a.Coll == b.Coll && a.InputColl == b.InputColl && equalList(a.Args, b.Args)
	case *query.NamedArg:
		b, ok := b.(*query.NamedArg)
		return ok && a.Num == b.Num && equal(a.Arg, b.Arg)
	case *query.OpExpr:
		b, ok := b.(*query.OpExpr)
		return ok && a.OpOID == b.OpOID && a.TypeOID == b.TypeOID && a.RetSet == b.RetSet && a.Coll == b.Coll && a.InputColl == b.InputColl && equalList(a.Args, b.Args)
	case *query.DistinctExpr:
		b, ok := b.(*query.DistinctExpr)
		return ok && a.OpOID == b.OpOID && a.TypeOID == b.TypeOID && a.RetSet == b.RetSet && a.Coll == b.Coll && a.InputColl == b.InputColl && equalList(a.Args, b.Args)
	case *query.NullIfExpr:
		b, ok := b.(*query.NullIfExpr)
		return ok && a.OpOID == b.OpOID && a.TypeOID == b.TypeOID && a.RetSet == b.RetSet && a.Coll == b.Coll && a.InputColl == b.InputColl && equalList(a.Args, b.Args)
	case *query.ScalarArrayOpExpr:
		b, ok := b.(*query.ScalarArrayOpExpr)
		return ok && a.OpOID == b.OpOID && a.UseOr == b.UseOr && a.InputColl == b.InputColl && equal(a.Left, b.Left) && equal(a.Right, b.Right)
	case *query.BoolExpr:
		b, ok := b.(*query.BoolExpr)
		return ok && a.Op == b.Op && equalList(a.Args, b.Args)
	case *query.GroupingFunc:
		b, ok := b.(*query.GroupingFunc)
		return ok && a.LevelsUp == b.LevelsUp && equalList(a.Args, b.Args)
	case *query.WindowFunc:
		b, ok := b.(*query.WindowFunc)
		return ok && a.FuncOID == b.FuncOID && a.TypeOID == b.TypeOID && a.Coll == b.Coll && a.InputColl == b.InputColl && a.WinRef == b.WinRef && a.Star == b.Star && a.IsAgg == b.IsAgg && equal(a.Filter, b.Filter) && equalList(a.Args, b.Args)
	case *query.SubPlan:
		b, ok := b.(*query.SubPlan)
		return ok && a.Kind == b.Kind && a.PlanID == b.PlanID && equal(a.Test, b.Test) && equalList(a.Args, b.Args)
	case *query.AlternativeSubPlan:
		b, ok := b.(*query.AlternativeSubPlan)
		return ok && equalList(a.Subplans, b.Subplans)
	case *query.FieldSelect:
		b, ok := b.(*query.FieldSelect)
		return ok && a.FieldNum == b.FieldNum && a.TypeOID == b.TypeOID && a.Mod == b.Mod && a.Coll == b.Coll && equal(a.Arg, b.Arg)
	case *query.FieldStore:
		b, ok := b.(*query.FieldStore)
		return ok && a.TypeOID == b.TypeOID && equal(a.Arg, b.Arg) && equalList(a.NewVals, b.NewVals)
	case *query.SubscriptingRef:
		b, ok := b.(*query.SubscriptingRef)
		return ok && a.ContainerType == b.ContainerType && a.ElementType == b.ElementType && a.TypeOID == b.TypeOID && a.Mod == b.Mod && a.Coll == b.Coll && a.IsSlice == b.IsSlice && equal(a.Container, b.Container) && equal(a.Assign, b.Assign) && equalList(a.Upper, b.Upper) && equalList(a.Lower, b.Lower)
	case *query.RelabelType:
		b, ok := b.(*query.RelabelType)
		return ok && a.TypeOID == b.TypeOID && a.Mod == b.Mod && a.Coll == b.Coll && equal(a.Arg, b.Arg)
	case *query.CoerceViaIO:
		b, ok := b.(*query.CoerceViaIO)
		return ok && a.TypeOID == b.TypeOID && a.Coll == b.Coll && equal(a.Arg, b.Arg)
	case *query.ArrayCoerceExpr:
		b, ok := b.(*query.ArrayCoerceExpr)
		return ok && a.TypeOID == b.TypeOID && a.Mod == b.Mod && a.Coll == b.Coll && equal(a.Arg, b.Arg) && equal(a.ElemExpr, b.ElemExpr)
	case *query.ConvertRowtypeExpr:
		b, ok := b.(*query.ConvertRowtypeExpr)
		return ok && a.TypeOID == b.TypeOID && equal(a.Arg, b.Arg)
	case *query.CollateExpr:
		b, ok := b.(*query.CollateExpr)
		return ok && a.Coll == b.Coll && equal(a.Arg, b.Arg)
	case *query.CaseTestExpr:
		b, ok := b.(*query.CaseTestExpr)
		return ok && a.TypeOID == b.TypeOID && a.Mod == b.Mod && a.Coll == b.Coll
	case *query.ArrayExpr:
		b, ok := b.(*query.ArrayExpr)
		return ok && a.TypeOID == b.TypeOID && a.Coll == b.Coll && a.ElemType == b.ElemType && a.MultiDims == b.MultiDims && equalList(a.Elems, b.Elems)
	case *query.RowExpr:
		b, ok := b.(*query.RowExpr)
		return ok && a.TypeOID == b.TypeOID && equalList(a.Args, b.Args)
	case *query.CoalesceExpr:
		b, ok := b.(*query.CoalesceExpr)
		return ok && a.TypeOID == b.TypeOID && a.Coll == b.Coll && equalList(a.Args, b.Args)
	case *query.MinMaxExpr:
		b, ok := b.(*query.MinMaxExpr)
		return ok && a.Least == b.Least && a.TypeOID == b.TypeOID && a.Coll == b.Coll && a.InputColl == b.InputColl && equalList(a.Args, b.Args)
	case *query.SQLValueFunction:
		b, ok := b.(*query.SQLValueFunction)
		return ok && a.Op == b.Op && a.TypeOID == b.TypeOID && a.Mod == b.Mod
	case *query.NullTest:
		b, ok := b.(*query.NullTest)
		return ok && a.IsNot == b.IsNot && a.ArgIsRow == b.ArgIsRow && equal(a.Arg, b.Arg)
	case *query.BooleanTest:
		b, ok := b.(*query.BooleanTest)
		return ok && a.Kind == b.Kind && equal(a.Arg, b.Arg)
	case *query.CoerceToDomain:
		b, ok := b.(*query.CoerceToDomain)
		return ok && a.TypeOID == b.TypeOID && a.Mod == b.Mod && a.Coll == b.Coll && equal(a.Arg, b.Arg)
	case *query.CoerceToDomainValue:
		b, ok := b.(*query.CoerceToDomainValue)
		return ok && a.TypeOID == b.TypeOID && a.Mod == b.Mod && a.Coll == b.Coll
	case *query.SetToDefault:
		b, ok := b.(*query.SetToDefault)
		return ok && a.TypeOID == b.TypeOID && a.Mod == b.Mod && a.Coll == b.Coll
	case *query.CurrentOfExpr:
		b, ok := b.(*query.CurrentOfExpr)
		return ok && a.RTIndex == b.RTIndex && a.CursorName == b.CursorName && a.ParamID == b.ParamID
	case *query.NextValueExpr:
		b, ok := b.(*query.NextValueExpr)
		return ok && a.SeqOID == b.SeqOID && a.TypeOID == b.TypeOID
	case *query.InferenceElem:
		b, ok := b.(*query.InferenceElem)
		return ok && a.Coll == b.Coll && a.OpClass == b.OpClass && equal(a.Expr, b.Expr)
	case *query.Aggref:
		b, ok := b.(*query.Aggref)
		return ok && equalAggref(a, b)
	case *query.CaseExpr:
		b, ok := b.(*query.CaseExpr)
		return ok && equalCase(a, b)
	case *query.RowCompareExpr:
		b, ok := b.(*query.RowCompareExpr)
		return ok && a.Kind == b.Kind && slices.Equal(a.OpOIDs, b.OpOIDs) && equalList(a.Left, b.Left) && equalList(a.Right, b.Right)
	}
	return false // a SubLink equals only itself
}

func sameDatum(a, b *query.Const) bool {
	if a.Value.IsNull() || b.Value.IsNull() {
		return a.Value.IsNull() && b.Value.IsNull()
	}
	if a.Value.IsByRef() != b.Value.IsByRef() {
		return false
	}
	if a.Value.IsByRef() {
		return bytes.Equal(a.Value.Bytes(), b.Value.Bytes())
	}
	return a.Value.Raw() == b.Value.Raw()
}

func equalList(a, b []query.Expr) bool { return slices.EqualFunc(a, b, equal) }

func equalTargets(a, b []*query.TargetEntry) bool {
	return slices.EqualFunc(a, b, func(x, y *query.TargetEntry) bool {
		return x.ResNo == y.ResNo && x.SortGroupRef == y.SortGroupRef && x.Junk == y.Junk && equal(x.Expr, y.Expr)
	})
}

func equalGroups(a, b []*query.SortGroupClause) bool {
	return slices.EqualFunc(a, b, func(x, y *query.SortGroupClause) bool { return *x == *y })
}

func equalAggref(a, b *query.Aggref) bool {
	return a.AggOID == b.AggOID && a.TypeOID == b.TypeOID && a.Coll == b.Coll && a.InputColl == b.InputColl && a.Star == b.Star &&
		a.Variadic == b.Variadic && a.LevelsUp == b.LevelsUp && equalList(a.DirectArgs, b.DirectArgs) && equalTargets(a.Args, b.Args) &&
		equalGroups(a.Order, b.Order) && equalGroups(a.Distinct, b.Distinct) && equal(a.Filter, b.Filter)
}

func equalCase(a, b *query.CaseExpr) bool {
	return a.TypeOID == b.TypeOID && a.Coll == b.Coll && equal(a.Arg, b.Arg) && equal(a.Default, b.Default) &&
		slices.EqualFunc(a.Whens, b.Whens, func(x, y *query.CaseWhen) bool { return equal(x.Cond, y.Cond) && equal(x.Result, y.Result) })
}

// member says whether the list holds an expression equal to e.
func member(list []query.Expr, e query.Expr) bool {
	return slices.ContainsFunc(list, func(x query.Expr) bool { return equal(x, e) })
}
