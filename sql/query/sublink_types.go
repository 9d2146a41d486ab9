package query

import "github.com/calfdb/calf/sql/types"

// ArrayTypeOf gives the array type of an element type, 0 when there is none. The catalog sets it at start-up, so that this package needs
// no catalog to know the type of ARRAY(SELECT ...).
var ArrayTypeOf = func(elem OID) OID { return 0 }

func (e *SubLink) Type() OID {
	switch e.Kind {
	case ExprSubLink:
		return e.firstColumn().Type()
	case ArraySubLink:
		return ArrayTypeOf(e.firstColumn().Type())
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
		return ArrayTypeOf(e.FirstType)
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
