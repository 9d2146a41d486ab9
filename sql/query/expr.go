package query

import "github.com/calfdb/calf/sql/types"

// Expr is an expression node. Type is the OID of its result type, TypMod -1 when it has none, Collation 0 when its type has none.
type Expr interface {
	Type() OID
	TypMod() int32
	Collation() OID
	Location() int
}

// Var is a column reference. VarNo is a range table index at LevelsUp queries up; AttNo 0 is the whole row, < 0 a system column.
// In a plan, VarNo may also be OuterVar, InnerVar or IndexVar, and AttNo then a position in that input.
type Var struct {
	VarNo    int
	AttNo    int16
	TypeOID  OID
	Mod      int32
	Coll     OID
	LevelsUp int
	Loc      int
	SynNo    int // the RTE as written, for EXPLAIN and deparse, before planning moved it
	SynAttNo int16
}

// Special VarNo values in plans.
const (
	InnerVar = -1
	OuterVar = -2
	IndexVar = -3
	RowIDVar = -4
)

// Const is a constant.
type Const struct {
	TypeOID OID
	Mod     int32
	Coll    OID
	Value   types.Datum // types.Null when null
	Loc     int
}

// ParamKind says where a Param's value comes from.
type ParamKind uint8

const (
	ParamExtern  ParamKind = iota // $n of the client
	ParamExec                     // set during execution by a node or a subplan
	ParamSublink                  // the nth output column of a sub-select, inside SubLink.Test
	ParamMultiExpr
)

// Param is a parameter.
type Param struct {
	Kind    ParamKind
	ID      int // 1-based for extern, 0-based for exec
	TypeOID OID
	Mod     int32
	Coll    OID
	Loc     int
}

// CoercionForm says how a function call was written.
type CoercionForm uint8

const (
	CoerceExplicitCall CoercionForm = iota
	CoerceExplicitCast
	CoerceImplicitCast
	CoerceSQLSyntax
)

// FuncExpr is a function call.
type FuncExpr struct {
	FuncOID   OID
	TypeOID   OID
	RetSet    bool
	Variadic  bool
	Form      CoercionForm
	Coll      OID // result collation
	InputColl OID
	Args      []Expr
	Loc       int
}

// NamedArg is name => value in a call before its arguments are put in order.
type NamedArg struct {
	Name string
	Arg  Expr
	Num  int
	Loc  int
}

// OpExpr is an operator call; FuncOID is the operator's function.
type OpExpr struct {
	OpOID     OID
	FuncOID   OID
	TypeOID   OID
	RetSet    bool
	Coll      OID
	InputColl OID
	Args      []Expr
	Loc       int
}

// DistinctExpr is IS DISTINCT FROM; Op is the type's equality.
type DistinctExpr struct{ OpExpr }

// NullIfExpr is NULLIF; Op is the type's equality.
type NullIfExpr struct{ OpExpr }

// ScalarArrayOpExpr is x op ANY/ALL (array).
type ScalarArrayOpExpr struct {
	OpOID       OID
	FuncOID     OID
	HashFunc    OID // for hashed IN lists, 0 = linear
	UseOr       bool
	InputColl   OID
	Left, Right Expr
	Loc         int
}

// BoolOp of a BoolExpr.
type BoolOp uint8

const (
	And BoolOp = iota
	Or
	Not
)

// BoolExpr is AND, OR, NOT.
type BoolExpr struct {
	Op   BoolOp
	Args []Expr
	Loc  int
}

// Aggref is an aggregate call.
type Aggref struct {
	AggOID         OID
	TypeOID        OID
	Coll           OID
	InputColl      OID
	TransType      OID
	ArgTypes       []OID
	DirectArgs     []Expr // of ordered-set aggregates
	Args           []*TargetEntry
	Order          []*SortGroupClause
	Distinct       []*SortGroupClause
	Filter         Expr
	Star           bool
	Variadic       bool
	Kind           byte // 'n', 'o', 'h'
	LevelsUp       int
	Split          uint8 // partial aggregation: unused until partition-wise aggregates
	AggNo, TransNo int   // set by the planner
	Loc            int
}

// GroupingFunc is GROUPING(...).
type GroupingFunc struct {
	Args     []Expr
	Refs     []uint32
	Cols     []int // set by the planner
	LevelsUp int
	Loc      int
}

// WindowFunc is a window function call.
type WindowFunc struct {
	FuncOID   OID
	TypeOID   OID
	Coll      OID
	InputColl OID
	Args      []Expr
	Filter    Expr
	WinRef    uint32
	Star      bool
	IsAgg     bool
	Loc       int
}

// SubLinkKind as PostgreSQL's.
type SubLinkKind uint8

const (
	ExistsSubLink SubLinkKind = iota
	AllSubLink
	AnySubLink
	RowCompareSubLink
	ExprSubLink
	MultiExprSubLink
	ArraySubLink
	CTESubLink
)

// SubLink is a sub-select in an expression. Test (ANY, ALL, row compare) compares the left side with ParamSublink params.
type SubLink struct {
	Kind     SubLinkKind
	ID       int
	Test     Expr
	OpNames  []string
	Subquery *Query
	// ArrayType is the type of ARRAY(SELECT ...) where the element type's own row has to say it: types that are not built in.
	ArrayType OID
	Loc       int
}

// SubPlan is a planned SubLink; made by the planner only. PlanID is 1-based in PlannedStmt.Subplans.
type SubPlan struct {
	Kind                     SubLinkKind
	Test                     Expr
	ParamIDs                 []int // exec params that Test reads (sub-select's columns)
	PlanID                   int
	Name                     string // "SubPlan 1", "InitPlan 1 (returns $0)", "CTE x"
	FirstType                OID
	FirstMod                 int32
	FirstColl                OID
	ArrayType                OID // as the SubLink's
	UseHash                  bool
	UnknownEqFalse           bool
	SetParam                 []int  // exec params that an init plan sets
	ParParam                 []int  // exec params passed in
	Args                     []Expr // their values
	StartupCost, PerCallCost float64
}

// AlternativeSubPlan offers several ways; the planner chooses one before execution.
type AlternativeSubPlan struct{ Subplans []Expr }

// FieldSelect takes a field of a composite.
type FieldSelect struct {
	Arg      Expr
	FieldNum int16
	TypeOID  OID
	Mod      int32
	Coll     OID
}

// FieldStore makes a composite with some fields replaced.
type FieldStore struct {
	Arg       Expr
	NewVals   []Expr
	FieldNums []int16
	TypeOID   OID
}

// SubscriptingRef reads or (Assign != nil) writes an element or slice of a container.
type SubscriptingRef struct {
	ContainerType OID
	ElementType   OID
	TypeOID       OID // result
	Mod           int32
	Coll          OID
	Upper         []Expr
	Lower         []Expr // nil when no slice; entries may be nil
	IsSlice       bool
	Container     Expr
	Assign        Expr
}

// RelabelType is a binary-compatible cast.
type RelabelType struct {
	Arg     Expr
	TypeOID OID
	Mod     int32
	Coll    OID
	Form    CoercionForm
	Loc     int
}

// CoerceViaIO casts through text output and input.
type CoerceViaIO struct {
	Arg     Expr
	TypeOID OID
	Coll    OID
	Form    CoercionForm
	Loc     int
}

// ArrayCoerceExpr casts an array by casting each element; ElemExpr reads a CaseTestExpr.
type ArrayCoerceExpr struct {
	Arg      Expr
	ElemExpr Expr
	TypeOID  OID
	Mod      int32
	Coll     OID
	Form     CoercionForm
	Loc      int
}

// ConvertRowtypeExpr casts a row to a parent's or another row type by column name.
type ConvertRowtypeExpr struct {
	Arg     Expr
	TypeOID OID
	Form    CoercionForm
	Loc     int
}

// PartitionBoundSpec is the bound of a partition, as pg_class.relpartbound keeps it. It is no expression that is evaluated.
type PartitionBoundSpec struct {
	Strategy           byte // 'l' list, 'r' range, 'h' hash
	IsDefault          bool
	Modulus, Remainder int32  // hash
	List               []Expr // list: Consts of the key's type
	Lower, Upper       []Expr // range: PartitionRangeDatums, one a key column
	Loc                int
}

// PartitionRangeDatum is one column of a range bound.
type PartitionRangeDatum struct {
	Kind  int  // -1 MINVALUE, 0 a value, 1 MAXVALUE
	Value Expr // a Const of the key column's type, or nil
	Loc   int
}

// CollateExpr is x COLLATE c; the planner turns it into a RelabelType.
type CollateExpr struct {
	Arg  Expr
	Coll OID
	Loc  int
}

// CaseExpr is CASE; with Arg, each When.Cond compares a CaseTestExpr.
type CaseExpr struct {
	TypeOID OID
	Coll    OID
	Arg     Expr
	Whens   []*CaseWhen
	Default Expr // nil = NULL
	Loc     int
}

// CaseWhen is one WHEN.
type CaseWhen struct {
	Cond, Result Expr
	Loc          int
}

// CaseTestExpr stands for the value being tested.
type CaseTestExpr struct {
	TypeOID OID
	Mod     int32
	Coll    OID
}

// ArrayExpr is ARRAY[...].
type ArrayExpr struct {
	TypeOID   OID
	Coll      OID
	ElemType  OID
	Elems     []Expr
	MultiDims bool
	Loc       int
}

// RowExpr is ROW(...).
type RowExpr struct {
	Args     []Expr
	TypeOID  OID
	Form     CoercionForm
	ColNames []string
	Loc      int
}

// RowCompareKind is the comparison of a RowCompareExpr.
type RowCompareKind uint8

const (
	RowCompareLT RowCompareKind = iota + 1
	RowCompareLE
	RowCompareEQ
	RowCompareGE
	RowCompareGT
	RowCompareNE
)

// RowCompareExpr is (a, b) < (c, d); = and <> are expanded by analyze.
type RowCompareExpr struct {
	Kind        RowCompareKind
	OpOIDs      []OID
	OpFamilies  []OID
	InputColls  []OID
	Left, Right []Expr
}

// CoalesceExpr is COALESCE.
type CoalesceExpr struct {
	TypeOID OID
	Coll    OID
	Args    []Expr
	Loc     int
}

// MinMaxExpr is GREATEST or LEAST.
type MinMaxExpr struct {
	Least     bool
	TypeOID   OID
	Coll      OID
	InputColl OID
	Args      []Expr
	Loc       int
}

// SQLValueFunction is CURRENT_DATE and its kin; Op is PostgreSQL's SQLValueFunctionOp number.
type SQLValueFunction struct {
	Op      int
	TypeOID OID
	Mod     int32
	Loc     int
}

// SQLValueFunctionOp numbers.
const (
	SVFCurrentDate = iota
	SVFCurrentTime
	SVFCurrentTimeN
	SVFCurrentTimestamp
	SVFCurrentTimestampN
	SVFLocaltime
	SVFLocaltimeN
	SVFLocaltimestamp
	SVFLocaltimestampN
	SVFCurrentRole
	SVFCurrentUser
	SVFUser
	SVFSessionUser
	SVFCurrentCatalog
	SVFCurrentSchema
)

// NullTest is IS [NOT] NULL; ArgIsRow when the argument is a composite.
type NullTest struct {
	Arg      Expr
	IsNot    bool
	ArgIsRow bool
	Loc      int
}

// BoolTestKind of IS TRUE and its kin.
type BoolTestKind uint8

const (
	IsTrue BoolTestKind = iota
	IsNotTrue
	IsFalse
	IsNotFalse
	IsUnknown
	IsNotUnknown
)

// BooleanTest is x IS [NOT] TRUE/FALSE/UNKNOWN.
type BooleanTest struct {
	Arg  Expr
	Kind BoolTestKind
	Loc  int
}

// CoerceToDomain checks a domain's constraints.
type CoerceToDomain struct {
	Arg     Expr
	TypeOID OID
	Mod     int32
	Coll    OID
	Form    CoercionForm
	Loc     int
}

// CoerceToDomainValue stands for VALUE in a domain's check.
type CoerceToDomainValue struct {
	TypeOID OID
	Mod     int32
	Coll    OID
	Loc     int
}

// SetToDefault is DEFAULT in INSERT or UPDATE.
type SetToDefault struct {
	TypeOID OID
	Mod     int32
	Coll    OID
	Loc     int
}

// CurrentOfExpr is WHERE CURRENT OF cursor.
type CurrentOfExpr struct {
	RTIndex    int
	CursorName string
	ParamID    int // when the name is a refcursor parameter
}

// NextValueExpr is nextval of an identity column's sequence.
type NextValueExpr struct {
	SeqOID  OID
	TypeOID OID
}

// InferenceElem is one element of ON CONFLICT (...).
type InferenceElem struct {
	Expr    Expr
	Coll    OID
	OpClass OID
}
