package query

import "github.com/calfdb/calf/sql/types"

// The type modifiers of nodes that do not carry one: they are those of what is below, where all agree.

// TypMod of a cast by a length-coercion function is the length that it was given.
func (e *FuncExpr) TypMod() int32 {
	if e.Form != CoerceExplicitCast && e.Form != CoerceImplicitCast || len(e.Args) < 2 || len(e.Args) > 3 {
		return -1
	}
	if c, ok := e.Args[1].(*Const); ok && c.TypeOID == types.Int4OID && !c.Value.IsNull() {
		return c.Value.Int4()
	}
	return -1
}

func (e *CaseExpr) TypMod() int32 {
	if e.Default == nil {
		return -1
	}
	mod := e.Default.TypMod()
	if e.Default.Type() != e.TypeOID || mod < 0 {
		return -1
	}
	for _, w := range e.Whens {
		if w.Result.Type() != e.TypeOID || w.Result.TypMod() != mod {
			return -1
		}
	}
	return mod
}

func (e *ArrayExpr) TypMod() int32 {
	of := e.ElemType
	if e.MultiDims {
		of = e.TypeOID
	}
	return sharedTypMod(e.Elems, of)
}

func (e *CoalesceExpr) TypMod() int32 { return sharedTypMod(e.Args, e.TypeOID) }
func (e *MinMaxExpr) TypMod() int32   { return sharedTypMod(e.Args, e.TypeOID) }

// TypMod of NULLIF is that of its first argument.
func (e *NullIfExpr) TypMod() int32 { return e.Args[0].TypMod() }

// sharedTypMod is the modifier that all expressions have with the type, -1 when they differ.
func sharedTypMod(list []Expr, typ OID) int32 {
	if len(list) == 0 {
		return -1
	}
	mod := list[0].TypMod()
	for _, e := range list {
		if e.Type() != typ || e.TypMod() != mod {
			return -1
		}
	}
	return mod
}
