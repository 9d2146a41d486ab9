package query

import "github.com/calfdb/calf/sql/types"

// arrayTypeOf gives the array type of a built-in element type; given is what the node says of others.
func arrayTypeOf(given, elem OID) OID {
	if given != 0 {
		return given
	}
	if t, ok := types.BuiltinType(elem); ok {
		if t.Array == 0 && t.IsTrueArray() {
			return elem // ARRAY(SELECT array) is an array of one dimension more
		}
		return t.Array
	}
	return 0
}

func (e *SubLink) Type() OID {
	switch e.Kind {
	case ExprSubLink:
		return e.firstColumn().Type()
	case ArraySubLink:
		return arrayTypeOf(e.ArrayType, e.firstColumn().Type())
	case MultiExprSubLink:
		return types.RecordOID
	}
	return types.BoolOID
}

func (e *SubLink) TypMod() int32 {
	if e.Kind == ExprSubLink || e.Kind == ArraySubLink {
		return e.firstColumn().TypMod()
	}
	return -1
}

func (e *SubLink) Collation() OID {
	if e.Kind == ExprSubLink || e.Kind == ArraySubLink {
		return e.firstColumn().Collation()
	}
	return 0
}

func (e *SubLink) Location() int { return e.Loc }

func (e *SubLink) firstColumn() Expr { return e.Subquery.Targets[0].Expr }

func (e *SubPlan) Type() OID {
	switch e.Kind {
	case ExprSubLink:
		return e.FirstType
	case ArraySubLink:
		return arrayTypeOf(e.ArrayType, e.FirstType)
	case MultiExprSubLink:
		return types.RecordOID
	}
	return types.BoolOID
}

func (e *SubPlan) TypMod() int32 {
	if e.Kind == ExprSubLink || e.Kind == ArraySubLink {
		return e.FirstMod
	}
	return -1
}

func (e *SubPlan) Collation() OID {
	if e.Kind == ExprSubLink || e.Kind == ArraySubLink {
		return e.FirstColl
	}
	return 0
}

func (e *SubPlan) Location() int { return -1 }
