package query

// LeftmostLocation is the place in the text where an expression begins, as PostgreSQL's exprLocation gives it for error cursors: an operator's is
// that of its left operand, a coercion's that of its argument. -1 when unknown.
func LeftmostLocation(e Expr) int {
	switch e := e.(type) {
	case nil:
		return -1
	case *FuncExpr:
		return leftmost(e.Loc, LeftmostOf(e.Args))
	case *NamedArg:
		return leftmost(e.Loc, LeftmostLocation(e.Arg))
	case *OpExpr:
		return leftmost(e.Loc, LeftmostOf(e.Args))
	case *DistinctExpr:
		return leftmost(e.Loc, LeftmostOf(e.Args))
	case *NullIfExpr:
		return leftmost(e.Loc, LeftmostOf(e.Args))
	case *ScalarArrayOpExpr:
		return leftmost(e.Loc, LeftmostLocation(e.Left))
	case *BoolExpr:
		return leftmost(e.Loc, LeftmostOf(e.Args))
	case *SubLink:
		return leftmost(LeftmostLocation(e.Test), e.Loc)
	case *FieldSelect:
		return LeftmostLocation(e.Arg)
	case *FieldStore:
		return LeftmostLocation(e.Arg)
	case *SubscriptingRef:
		return LeftmostLocation(e.Container)
	case *RelabelType:
		return leftmost(e.Loc, LeftmostLocation(e.Arg))
	case *CoerceViaIO:
		return leftmost(e.Loc, LeftmostLocation(e.Arg))
	case *ArrayCoerceExpr:
		return leftmost(e.Loc, LeftmostLocation(e.Arg))
	case *ConvertRowtypeExpr:
		return leftmost(e.Loc, LeftmostLocation(e.Arg))
	case *CollateExpr:
		return LeftmostLocation(e.Arg)
	case *RowCompareExpr:
		return LeftmostOf(e.Left)
	case *NullTest:
		return leftmost(e.Loc, LeftmostLocation(e.Arg))
	case *BooleanTest:
		return leftmost(e.Loc, LeftmostLocation(e.Arg))
	case *CoerceToDomain:
		return leftmost(e.Loc, LeftmostLocation(e.Arg))
	case *InferenceElem:
		return LeftmostLocation(e.Expr)
	}
	return e.Location()
}

// LeftmostOf is the place of the first expression in a list that has one.
func LeftmostOf(list []Expr) int {
	for _, e := range list {
		if at := LeftmostLocation(e); at >= 0 {
			return at
		}
	}
	return -1
}

func leftmost(a, b int) int {
	if a < 0 {
		return b
	}
	if b < 0 || a < b {
		return a
	}
	return b
}
