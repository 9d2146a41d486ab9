package query

import "github.com/calfdb/calf/sql/types"

// The Expr methods of each node.

func (e *Var) Type() OID      { return e.TypeOID }
func (e *Var) TypMod() int32  { return e.Mod }
func (e *Var) Collation() OID { return e.Coll }
func (e *Var) Location() int  { return e.Loc }

func (e *Const) Type() OID      { return e.TypeOID }
func (e *Const) TypMod() int32  { return e.Mod }
func (e *Const) Collation() OID { return e.Coll }
func (e *Const) Location() int  { return e.Loc }

func (e *Param) Type() OID      { return e.TypeOID }
func (e *Param) TypMod() int32  { return e.Mod }
func (e *Param) Collation() OID { return e.Coll }
func (e *Param) Location() int  { return e.Loc }

func (e *RelabelType) Type() OID      { return e.TypeOID }
func (e *RelabelType) TypMod() int32  { return e.Mod }
func (e *RelabelType) Collation() OID { return e.Coll }
func (e *RelabelType) Location() int  { return e.Loc }

func (e *ArrayCoerceExpr) Type() OID      { return e.TypeOID }
func (e *ArrayCoerceExpr) TypMod() int32  { return e.Mod }
func (e *ArrayCoerceExpr) Collation() OID { return e.Coll }
func (e *ArrayCoerceExpr) Location() int  { return e.Loc }

func (e *CoerceToDomain) Type() OID      { return e.TypeOID }
func (e *CoerceToDomain) TypMod() int32  { return e.Mod }
func (e *CoerceToDomain) Collation() OID { return e.Coll }
func (e *CoerceToDomain) Location() int  { return e.Loc }

func (e *CoerceToDomainValue) Type() OID      { return e.TypeOID }
func (e *CoerceToDomainValue) TypMod() int32  { return e.Mod }
func (e *CoerceToDomainValue) Collation() OID { return e.Coll }
func (e *CoerceToDomainValue) Location() int  { return e.Loc }

func (e *SetToDefault) Type() OID      { return e.TypeOID }
func (e *SetToDefault) TypMod() int32  { return e.Mod }
func (e *SetToDefault) Collation() OID { return e.Coll }
func (e *SetToDefault) Location() int  { return e.Loc }

func (e *FieldSelect) Type() OID      { return e.TypeOID }
func (e *FieldSelect) TypMod() int32  { return e.Mod }
func (e *FieldSelect) Collation() OID { return e.Coll }
func (e *FieldSelect) Location() int  { return -1 }

func (e *SubscriptingRef) Type() OID      { return e.TypeOID }
func (e *SubscriptingRef) TypMod() int32  { return e.Mod }
func (e *SubscriptingRef) Collation() OID { return e.Coll }
func (e *SubscriptingRef) Location() int  { return -1 }

func (e *CaseTestExpr) Type() OID      { return e.TypeOID }
func (e *CaseTestExpr) TypMod() int32  { return e.Mod }
func (e *CaseTestExpr) Collation() OID { return e.Coll }
func (e *CaseTestExpr) Location() int  { return -1 }

func (e *FuncExpr) Type() OID      { return e.TypeOID }
func (e *FuncExpr) Collation() OID { return e.Coll }
func (e *FuncExpr) Location() int  { return e.Loc }

func (e *OpExpr) Type() OID      { return e.TypeOID }
func (e *OpExpr) TypMod() int32  { return -1 }
func (e *OpExpr) Collation() OID { return e.Coll }
func (e *OpExpr) Location() int  { return e.Loc }

func (e *Aggref) Type() OID      { return e.TypeOID }
func (e *Aggref) TypMod() int32  { return -1 }
func (e *Aggref) Collation() OID { return e.Coll }
func (e *Aggref) Location() int  { return e.Loc }

func (e *WindowFunc) Type() OID      { return e.TypeOID }
func (e *WindowFunc) TypMod() int32  { return -1 }
func (e *WindowFunc) Collation() OID { return e.Coll }
func (e *WindowFunc) Location() int  { return e.Loc }

func (e *CoerceViaIO) Type() OID      { return e.TypeOID }
func (e *CoerceViaIO) TypMod() int32  { return -1 }
func (e *CoerceViaIO) Collation() OID { return e.Coll }
func (e *CoerceViaIO) Location() int  { return e.Loc }

func (e *CaseExpr) Type() OID      { return e.TypeOID }
func (e *CaseExpr) Collation() OID { return e.Coll }
func (e *CaseExpr) Location() int  { return e.Loc }

func (e *ArrayExpr) Type() OID      { return e.TypeOID }
func (e *ArrayExpr) Collation() OID { return e.Coll }
func (e *ArrayExpr) Location() int  { return e.Loc }

func (e *CoalesceExpr) Type() OID      { return e.TypeOID }
func (e *CoalesceExpr) Collation() OID { return e.Coll }
func (e *CoalesceExpr) Location() int  { return e.Loc }

func (e *MinMaxExpr) Type() OID      { return e.TypeOID }
func (e *MinMaxExpr) Collation() OID { return e.Coll }
func (e *MinMaxExpr) Location() int  { return e.Loc }

func (e *ScalarArrayOpExpr) Type() OID      { return types.BoolOID }
func (e *ScalarArrayOpExpr) TypMod() int32  { return -1 }
func (e *ScalarArrayOpExpr) Collation() OID { return 0 }
func (e *ScalarArrayOpExpr) Location() int  { return e.Loc }

func (e *BoolExpr) Type() OID      { return types.BoolOID }
func (e *BoolExpr) TypMod() int32  { return -1 }
func (e *BoolExpr) Collation() OID { return 0 }
func (e *BoolExpr) Location() int  { return e.Loc }

func (e *NullTest) Type() OID      { return types.BoolOID }
func (e *NullTest) TypMod() int32  { return -1 }
func (e *NullTest) Collation() OID { return 0 }
func (e *NullTest) Location() int  { return e.Loc }

func (e *BooleanTest) Type() OID      { return types.BoolOID }
func (e *BooleanTest) TypMod() int32  { return -1 }
func (e *BooleanTest) Collation() OID { return 0 }
func (e *BooleanTest) Location() int  { return e.Loc }

func (e *RowCompareExpr) Type() OID      { return types.BoolOID }
func (e *RowCompareExpr) TypMod() int32  { return -1 }
func (e *RowCompareExpr) Collation() OID { return 0 }
func (e *RowCompareExpr) Location() int  { return -1 }

func (e *CurrentOfExpr) Type() OID      { return types.BoolOID }
func (e *CurrentOfExpr) TypMod() int32  { return -1 }
func (e *CurrentOfExpr) Collation() OID { return 0 }
func (e *CurrentOfExpr) Location() int  { return -1 }

func (e *GroupingFunc) Type() OID      { return types.Int4OID }
func (e *GroupingFunc) TypMod() int32  { return -1 }
func (e *GroupingFunc) Collation() OID { return 0 }
func (e *GroupingFunc) Location() int  { return e.Loc }

func (e *ConvertRowtypeExpr) Type() OID      { return e.TypeOID }
func (e *ConvertRowtypeExpr) TypMod() int32  { return -1 }
func (e *ConvertRowtypeExpr) Collation() OID { return 0 }
func (e *ConvertRowtypeExpr) Location() int  { return e.Loc }

func (e *RowExpr) Type() OID      { return e.TypeOID }
func (e *RowExpr) TypMod() int32  { return -1 }
func (e *RowExpr) Collation() OID { return 0 }
func (e *RowExpr) Location() int  { return e.Loc }

func (e *NextValueExpr) Type() OID      { return e.TypeOID }
func (e *NextValueExpr) TypMod() int32  { return -1 }
func (e *NextValueExpr) Collation() OID { return 0 }
func (e *NextValueExpr) Location() int  { return -1 }

func (e *FieldStore) Type() OID      { return e.TypeOID }
func (e *FieldStore) TypMod() int32  { return -1 }
func (e *FieldStore) Collation() OID { return 0 }
func (e *FieldStore) Location() int  { return -1 }

func (e *SQLValueFunction) Type() OID      { return e.TypeOID }
func (e *SQLValueFunction) TypMod() int32  { return e.Mod }
func (e *SQLValueFunction) Collation() OID { return svfCollation(e) }
func (e *SQLValueFunction) Location() int  { return e.Loc }

func (e *CollateExpr) Type() OID      { return e.Arg.Type() }
func (e *CollateExpr) TypMod() int32  { return e.Arg.TypMod() }
func (e *CollateExpr) Collation() OID { return e.Coll }
func (e *CollateExpr) Location() int  { return e.Loc }

func (e *NamedArg) Type() OID      { return e.Arg.Type() }
func (e *NamedArg) TypMod() int32  { return e.Arg.TypMod() }
func (e *NamedArg) Collation() OID { return e.Arg.Collation() }
func (e *NamedArg) Location() int  { return e.Loc }

func (e *InferenceElem) Type() OID      { return e.Expr.Type() }
func (e *InferenceElem) TypMod() int32  { return e.Expr.TypMod() }
func (e *InferenceElem) Collation() OID { return e.Coll }
func (e *InferenceElem) Location() int  { return -1 }

func (e *AlternativeSubPlan) Type() OID      { return e.Subplans[0].Type() }
func (e *AlternativeSubPlan) TypMod() int32  { return e.Subplans[0].TypMod() }
func (e *AlternativeSubPlan) Collation() OID { return e.Subplans[0].Collation() }
func (e *AlternativeSubPlan) Location() int  { return -1 }

// svfCollation: the name-typed ones have collation "C" (950).
func svfCollation(e *SQLValueFunction) OID {
	if e.TypeOID == types.NameOID {
		return 950
	}
	return 0
}

func (e *PartitionBoundSpec) Type() OID      { return types.UnknownOID }
func (e *PartitionBoundSpec) TypMod() int32  { return -1 }
func (e *PartitionBoundSpec) Collation() OID { return 0 }
func (e *PartitionBoundSpec) Location() int  { return e.Loc }

func (e *PartitionRangeDatum) Type() OID      { return types.UnknownOID }
func (e *PartitionRangeDatum) TypMod() int32  { return -1 }
func (e *PartitionRangeDatum) Collation() OID { return 0 }
func (e *PartitionRangeDatum) Location() int  { return e.Loc }
