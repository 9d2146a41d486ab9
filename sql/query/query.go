package query

// CommandType says what a Query does.
type CommandType uint8

const (
	CmdUnknown CommandType = iota
	CmdSelect
	CmdUpdate
	CmdInsert
	CmdDelete
	CmdMerge
	CmdUtility
	CmdNothing // a rule's DO INSTEAD NOTHING
)

// Query is one analysed statement.
type Query struct {
	Command     CommandType
	CanSetTag   bool
	QuerySource uint8
	Utility     any // a parse node (*pg_query.Node) when Command is CmdUtility

	ResultRelation int // range table index of the target of INSERT/UPDATE/DELETE/MERGE, 1-based; 0 = none

	HasAggs, HasWindowFuncs, HasTargetSRFs, HasSubLinks bool
	HasDistinctOn, HasRecursive, HasModifyingCTE        bool
	HasForUpdate, HasRowSecurity, IsReturn              bool

	CTEs       []*CTE
	RangeTable []*RTE // index 0 holds range table index 1
	JoinTree   *FromExpr

	MergeActions []*MergeAction

	Targets    []*TargetEntry
	Override   byte // OVERRIDING clause of INSERT: 0, 'u' user value, 's' system value
	OnConflict *OnConflict
	Returning  []*TargetEntry

	GroupBy       []*SortGroupClause
	GroupDistinct bool
	GroupingSets  []*GroupingSet
	Having        Expr
	Windows       []*WindowClause
	Distinct      []*SortGroupClause
	SortBy        []*SortGroupClause

	LimitOffset, LimitCount Expr
	LimitWithTies           bool

	RowMarks []*RowMarkClause
	SetOp    SetOpNode // nil, or the set-operation tree; then RangeTable holds the leaf subqueries

	ConstraintDeps []OID // pg_constraint rows that functional dependency in GROUP BY relied on
	WithChecks     []*WithCheckOption

	StmtLocation, StmtLen int // bytes in the source text; len 0 = to the end
}

// RTEKind says what a range table entry is.
type RTEKind uint8

const (
	RTERelation RTEKind = iota
	RTESubquery
	RTEJoin
	RTEFunction
	RTETableFunc
	RTEValues
	RTECTE
	RTENamedTuplestore
	RTEResult
)

// RTE is a range table entry.
type RTE struct {
	Kind RTEKind

	// RTERelation
	RelOID      OID
	RelKind     byte
	LockMode    int // heavyweight lock mode to take on it, PostgreSQL's numbers 1..8
	TableSample *TableSample

	// RTESubquery
	Subquery        *Query
	SecurityBarrier bool

	// RTEJoin: JoinAliasVars has one expression per output column; merged USING columns come first
	JoinType                    JoinType
	JoinMergedCols              int
	JoinAliasVars               []Expr
	JoinLeftCols, JoinRightCols []int
	JoinUsingAlias              *Alias

	// RTEFunction
	Functions      []*RangeFunction
	WithOrdinality bool

	// RTEValues: one list of expressions a row
	Values [][]Expr

	// RTECTE
	CTEName     string
	CTELevelsUp int
	SelfRef     bool

	// Column types of RTEFunction, RTEValues, RTECTE, RTETableFunc, RTENamedTuplestore
	ColTypes      []OID
	ColTypMods    []int32
	ColCollations []OID
	ENRName       string

	Alias   *Alias // as written, nil when none
	Eref    *Alias // names in effect: table alias and all column names
	Lateral bool
	Inh     bool // descendants are included
	InFrom  bool // present in FROM (else a NEW/OLD or target entry only)

	RequiredPerms                           uint32 // ACL bits: Acl* constants
	CheckAsUser                             OID    // 0 = current user
	SelectedCols, InsertedCols, UpdatedCols map[int]bool
	SecurityQuals                           []Expr
}

// ACL bits as in PostgreSQL (pg_class.relacl and friends).
const (
	AclInsert     = 1 << 0
	AclSelect     = 1 << 1
	AclUpdate     = 1 << 2
	AclDelete     = 1 << 3
	AclTruncate   = 1 << 4
	AclReferences = 1 << 5
	AclTrigger    = 1 << 6
	AclExecute    = 1 << 7
	AclUsage      = 1 << 8
	AclCreate     = 1 << 9
	AclCreateTemp = 1 << 10
	AclConnect    = 1 << 11
)

// Alias is a table alias with column names.
type Alias struct {
	Name string
	Cols []string
}

// RangeFunction is one function of a RTEFunction entry.
type RangeFunction struct {
	Expr          Expr
	ColCount      int
	ColNames      []string // from a column definition list, else nil
	ColTypes      []OID
	ColTypMods    []int32
	ColCollations []OID
}

// TableSample is TABLESAMPLE method(args) REPEATABLE(expr).
type TableSample struct {
	Handler    OID
	Args       []Expr
	Repeatable Expr
}

// TargetEntry is one item of a target list.
type TargetEntry struct {
	Expr         Expr
	ResNo        int // 1-based; for INSERT/UPDATE the attribute number assigned
	Name         string
	SortGroupRef uint32
	OrigTable    OID // source table and column, for RowDescription; 0 when it is not a plain column
	OrigCol      int16
	Junk         bool
}

// JoinType as PostgreSQL's.
type JoinType uint8

const (
	JoinInner JoinType = iota
	JoinLeft
	JoinFull
	JoinRight
	JoinSemi
	JoinAnti
	JoinUniqueOuter
	JoinUniqueInner
)

// FromItem is a node of the join tree: *RangeTblRef, *JoinExpr or *FromExpr.
type FromItem interface{ fromItem() }

// RangeTblRef names a range table entry, 1-based.
type RangeTblRef struct{ Index int }

// JoinExpr is a JOIN as written.
type JoinExpr struct {
	Type        JoinType
	Natural     bool
	Left, Right FromItem
	Using       []string
	UsingAlias  *Alias
	Quals       Expr
	Alias       *Alias
	RTIndex     int // the RTEJoin entry, 0 when none
}

// FromExpr is an implicit join of items with a WHERE clause.
type FromExpr struct {
	Items []FromItem
	Quals Expr // nil = true
}

func (*RangeTblRef) fromItem() {}
func (*JoinExpr) fromItem()    {}
func (*FromExpr) fromItem()    {}

// SortGroupClause describes sorting or grouping by a target entry with the same SortGroupRef.
type SortGroupClause struct {
	Ref        uint32
	EqOp       OID
	SortOp     OID // 0 when only hashable
	NullsFirst bool
	Hashable   bool
}

// GroupingSetKind says what a GroupingSet is.
type GroupingSetKind uint8

const (
	GroupingEmpty GroupingSetKind = iota
	GroupingSimple
	GroupingRollup
	GroupingCube
	GroupingSets
)

// GroupingSet is a node of GROUP BY's grouping-set tree. Simple sets list SortGroupRefs, others nest.
type GroupingSet struct {
	Kind     GroupingSetKind
	Refs     []uint32
	Sets     []*GroupingSet
	Location int
}

// WindowClause is one WINDOW definition, named or inline.
type WindowClause struct {
	Name, RefName          string
	PartitionBy, OrderBy   []*SortGroupClause
	FrameOptions           int // PostgreSQL's FRAMEOPTION_ bits
	StartOffset, EndOffset Expr
	StartInRangeFunc       OID
	EndInRangeFunc         OID
	InRangeColl            OID
	InRangeAsc             bool
	InRangeNullsFirst      bool
	Ref                    uint32
	CopiedOrder            bool
}

// FRAMEOPTION bits, PostgreSQL's values.
const (
	FrameNonDefault           = 0x00001
	FrameRange                = 0x00002
	FrameRows                 = 0x00004
	FrameGroups               = 0x00008
	FrameBetween              = 0x00010
	FrameStartUnboundedPreced = 0x00020
	FrameEndUnboundedPreced   = 0x00040
	FrameStartUnboundedFollow = 0x00080
	FrameEndUnboundedFollow   = 0x00100
	FrameStartCurrentRow      = 0x00200
	FrameEndCurrentRow        = 0x00400
	FrameStartOffsetPreceding = 0x00800
	FrameEndOffsetPreceding   = 0x01000
	FrameStartOffsetFollowing = 0x02000
	FrameEndOffsetFollowing   = 0x04000
	FrameExcludeCurrentRow    = 0x08000
	FrameExcludeGroup         = 0x10000
	FrameExcludeTies          = 0x20000
	FrameDefaults             = FrameRange | FrameStartUnboundedPreced | FrameEndCurrentRow
)

// LockStrength of FOR UPDATE and its kin.
type LockStrength uint8

const (
	LockNone LockStrength = iota
	LockForKeyShare
	LockForShare
	LockForNoKeyUpdate
	LockForUpdate
)

// LockWaitPolicy of row locks.
type LockWaitPolicy uint8

const (
	LockWaitBlock LockWaitPolicy = iota
	LockWaitSkip
	LockWaitError
)

// RowMarkClause is a FOR UPDATE/SHARE item on one range table entry.
type RowMarkClause struct {
	RTIndex    int
	Strength   LockStrength
	Wait       LockWaitPolicy
	PushedDown bool
}

// SetOpKind of a set operation.
type SetOpKind uint8

const (
	SetOpUnion SetOpKind = iota + 1
	SetOpIntersect
	SetOpExcept
)

// SetOpNode is *SetOperation or *RangeTblRef (a leaf subquery).
type SetOpNode interface{ setOpNode() }

// SetOperation is UNION, INTERSECT or EXCEPT with resolved column types.
type SetOperation struct {
	Op            SetOpKind
	All           bool
	Left, Right   SetOpNode
	ColTypes      []OID
	ColTypMods    []int32
	ColCollations []OID
	Groups        []*SortGroupClause // how to compare rows; nil for ALL
}

func (*SetOperation) setOpNode() {}
func (*RangeTblRef) setOpNode()  {}

// CTE is one WITH item.
type CTE struct {
	Name          string
	AliasCols     []string // column names as written after the item's name
	ColNames      []string // all of them
	Materialized  byte     // 'd' default, 'm' MATERIALIZED, 'n' NOT MATERIALIZED
	Query         *Query
	Recursive     bool
	RefCount      int
	ColTypes      []OID
	ColTypMods    []int32
	ColCollations []OID
	Search        *CTESearch
	Cycle         *CTECycle
	Location      int
}

// CTESearch is SEARCH DEPTH|BREADTH FIRST BY cols SET col.
type CTESearch struct {
	Cols         []string
	BreadthFirst bool
	SeqCol       string
}

// CTECycle is CYCLE cols SET mark TO v DEFAULT w USING path.
type CTECycle struct {
	Cols                   []string
	MarkCol, PathCol       string
	MarkValue, MarkDefault Expr
	MarkType               OID
	MarkTypMod             int32
	MarkCollation          OID
	MarkNeOp               OID
}

// OnConflictAction of INSERT.
type OnConflictAction uint8

const (
	OnConflictNone OnConflictAction = iota
	OnConflictNothing
	OnConflictUpdate
)

// OnConflict is INSERT's ON CONFLICT clause.
type OnConflict struct {
	Action       OnConflictAction
	ArbiterElems []*InferenceElem
	ArbiterWhere Expr
	Constraint   OID
	Set          []*TargetEntry
	Where        Expr
	ExclRTIndex  int // range table index of EXCLUDED
	ExclTargets  []*TargetEntry
}

// WithCheckOption is a check that every row written must pass (view CHECK OPTION, row security).
type WithCheckOption struct {
	Kind     byte // 'v' view, 'i' RLS insert, 'u' RLS update, 'c' RLS conflict
	RelName  string
	PolName  string
	Qual     Expr
	Cascaded bool
}

// MergeAction is one WHEN clause of MERGE.
type MergeAction struct {
	Matched  bool
	Command  CommandType
	Override byte
	Qual     Expr
	Targets  []*TargetEntry
}
