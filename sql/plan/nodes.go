package plan

import (
	"github.com/calfdb/calf/sql/partition"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// OID is a catalog object's name.
type OID = types.OID

// Planned is a planned statement, immutable: many sessions and executions share it. Execution state lives in the executor.
type Planned struct {
	Command    query.CommandType
	Root       Node
	Subplans   []Node       // SubPlan.PlanID is 1-based here
	InitPlans  map[int]bool // plan ids that are init plans (evaluated at most once a run)
	RangeTable []*query.RTE
	ResultRels []int         // range table indexes that are written
	Relations  []RelationUse // all relations to lock, in range table order
	RowMarks   []*RowMark
	AppendRels []*AppendRel // by range table index - 1, of children of inherited and partitioned tables; nil when there are none
	Params     []OID        // types of exec params
	Rewindable map[int]bool

	HasReturning, HasModifyingCTE bool
	CanSetTag                     bool
	Utility                       any
	Targets                       []*query.TargetEntry // visible result columns, with OrigTable/OrigCol

	Invals        []OID  // relation OIDs that the plan depends on
	InvalFuncs    []OID  // functions, types (domains) and others that it depends on
	TransientAt   uint64 // not 0: valid only while this snapshot's xmin lasts (index with broken HOT chains)
	DependsOnRole bool
}

// AppendRel says which parent a range table entry is expanded from.
type AppendRel struct {
	Parent     int     // range table index
	ParentCols []int16 // by the child's attribute number - 1: the parent's, 0 = the column is the child's own
}

// RelationUse is a relation that an execution locks before it starts.
type RelationUse struct {
	RTIndex  int
	OID      OID
	LockMode int
}

// Node is a plan node.
type Node interface{ Base() *Plan }

// Plan is what every node has. Costs are PostgreSQL's units; Rows and Width are estimates.
type Plan struct {
	ID          int
	StartupCost float64
	TotalCost   float64
	Rows        float64
	Width       int
	Targets     []*query.TargetEntry
	Quals       []query.Expr // implicitly ANDed; checked against the node's input (scan tuple, or OUTER_VAR/INNER_VAR)
	Left, Right Node         // outer and inner input
	InitPlans   []*query.SubPlan
	ExtParam    ParamSet // exec params from outside that the subtree uses: a change of one forces a rescan
	AllParam    ParamSet
}

// Base gives the common part.
func (p *Plan) Base() *Plan { return p }

// ParamSet is a small set of exec parameter numbers.
type ParamSet map[int]struct{}

// Result computes its targets from Left or from nothing; ConstQuals (PostgreSQL's resconstantqual, "One-Time Filter") are checked once.
type Result struct {
	Plan
	ConstQuals []query.Expr
}

// ProjectSet evaluates set-returning functions in the target list.
type ProjectSet struct{ Plan }

// ModifyTable applies INSERT, UPDATE, DELETE or MERGE.
type ModifyTable struct {
	Plan
	Command      query.CommandType
	CanSetTag    bool
	Nominal      int   // range table index for EXPLAIN
	RootRelation int   // of a partitioned or inherited target, 0 = none
	ResultRels   []int // range table indexes, several when inherited or partitioned
	// UpdateCols: for UPDATE, per result relation, the attribute numbers that the subplan's first columns assign.
	UpdateCols    [][]int
	WithChecks    [][]*query.WithCheckOption
	Returning     [][]*query.TargetEntry // per result relation
	RootReturning []*query.TargetEntry   // for rows that an UPDATE moves to another partition: RETURNING over the root
	RowIDCol      []int                  // position (1-based) in the subplan's targets of ctid (junk), per result relation
	WholeRowCol   []int                  // position of the old whole row (view INSTEAD OF triggers), else 0
	TableOIDCol   int                    // position of tableoid when several result relations, else 0
	OnConflict    query.OnConflictAction
	Arbiters      []OID // arbiter index OIDs
	ConflictSet   []*query.TargetEntry
	ConflictCols  []int
	ConflictWhere query.Expr
	ExclRTIndex   int
	ExclTargets   []*query.TargetEntry
	MergeActions  [][]*query.MergeAction
	EPQParam      int
	RowMarks      []*RowMark
}

// Append reads its children one after the other. Prune, when set, says which survive.
type Append struct {
	Plan
	Children []Node
	Prune    *PruneInfo
	RelIDs   []int // range table indexes of the parents it stands for, for EXPLAIN
}

// MergeAppend merges sorted children.
type MergeAppend struct {
	Plan
	Children []Node
	Keys     []SortKey
	Prune    *PruneInfo
	RelIDs   []int // as Append's
}

// PruneInfo says which children of an Append need not be read, by values that are known only when the plan runs.
type PruneInfo struct {
	Exprs []query.Expr // the values that the conditions compare partition keys with, by number
	Rels  []PruneRel   // the topmost partitioned table first
}

// PruneRel is a partitioned table below an Append.
type PruneRel struct {
	Rel   OID
	Cond  *partition.Cond // nil = nothing is known
	Child []int           // by partition: the Append's child that reads it, -1 = none
	Sub   []int           // by partition: its place in Rels when it is partitioned itself, -1 = none
}

// RecursiveUnion runs Left once, then Right until its work table is empty.
type RecursiveUnion struct {
	Plan
	WorkTableParam int
	Distinct       []GroupKey // empty for UNION ALL
	NumGroups      float64
}

// Scan is the common part of scans of one range table entry. Vars of the scanned entry have VarNo == RTIndex.
type Scan struct {
	Plan
	RTIndex int
}

// SeqScan reads a heap from end to end.
type SeqScan struct{ Scan }

// SampleScan is TABLESAMPLE.
type SampleScan struct {
	Scan
	Sample *query.TableSample
}

// ScanDirection of ordered scans.
type ScanDirection int8

const (
	Backward ScanDirection = -1
	Forward  ScanDirection = 1
)

// IndexScan fetches heap tuples through an index. IndexQuals are in index form: the indexed column is Var{VarNo: IndexVar, AttNo: index
// column number} on the left, the comparison value on the right (OpExpr, ScalarArrayOpExpr, RowCompareExpr, NullTest).
// OrigQuals are the same conditions as written, rechecked when the index says lossy and shown by EXPLAIN.
type IndexScan struct {
	Scan
	IndexOID    OID
	IndexQuals  []query.Expr
	OrigQuals   []query.Expr
	OrderBy     []query.Expr
	OrigOrderBy []query.Expr
	OrderByOps  []OID
	Direction   ScanDirection
}

// IndexOnlyScan returns values from the index; Vars of its targets and quals have VarNo IndexVar and the index column number.
type IndexOnlyScan struct {
	Scan
	IndexOID     OID
	IndexQuals   []query.Expr
	Recheck      []query.Expr
	OrderBy      []query.Expr
	IndexTargets []*query.TargetEntry // the index's columns as expressions over the heap relation
	Direction    ScanDirection
}

// BitmapIndexScan gives a TID bitmap to its parent.
type BitmapIndexScan struct {
	Scan
	IndexOID   OID
	IndexQuals []query.Expr
	OrigQuals  []query.Expr
}

// BitmapHeapScan reads the heap pages of a bitmap (Left), in order.
type BitmapHeapScan struct {
	Scan
	OrigQuals []query.Expr // recheck condition
}

// BitmapAnd and BitmapOr combine bitmaps.
type BitmapAnd struct {
	Plan
	Children []Node
}
type BitmapOr struct {
	Plan
	Children []Node
}

// TIDScan fetches by ctid = X, ctid = ANY(...), or CURRENT OF.
type TIDScan struct {
	Scan
	TIDQuals []query.Expr // implicitly ORed
}

// TIDRangeScan reads a range of ctids.
type TIDRangeScan struct {
	Scan
	RangeQuals []query.Expr // implicitly ANDed
}

// SubqueryScan reads a subplan under an RTE's name.
type SubqueryScan struct {
	Scan
	Subplan Node
}

// FunctionScan reads set-returning functions in FROM.
type FunctionScan struct {
	Scan
	Functions  []*query.RangeFunction
	Ordinality bool
}

// TableFuncScan is XMLTABLE and kin.
type TableFuncScan struct{ Scan }

// ValuesScan reads VALUES lists.
type ValuesScan struct {
	Scan
	Rows [][]query.Expr
}

// CTEScan reads the shared output of a CTE's subplan.
type CTEScan struct {
	Scan
	PlanID int // in Planned.Subplans, 1-based
	Param  int
}

// WorkTableScan reads a RecursiveUnion's work table.
type WorkTableScan struct {
	Scan
	Param int
}

// NamedTuplestoreScan reads a transition table.
type NamedTuplestoreScan struct {
	Scan
	Name string
}

// Join is the common part of joins. Vars are OuterVar (Left) and InnerVar (Right).
type Join struct {
	Plan
	Type        query.JoinType
	InnerUnique bool
	JoinQuals   []query.Expr // from ON; Plan.Quals are the others
}

// NestLoop rescans its inner input for each outer row, passing Params.
type NestLoop struct {
	Join
	Params []NestParam
}

// NestParam sets exec param ID from an outer Var before the inner input is rescanned.
type NestParam struct {
	ID    int
	Value query.Expr // a Var (OuterVar) or a PlaceHolder's expression over OuterVars
}

// MergeJoin joins sorted inputs.
type MergeJoin struct {
	Join
	SkipMarkRestore bool
	MergeClauses    []query.Expr // OpExprs outer = inner
	Families        []OID
	Collations      []OID
	Desc            []bool
	NullsFirst      []bool
}

// HashJoin probes the Hash node on its right.
type HashJoin struct {
	Join
	HashClauses []query.Expr
	HashOps     []OID
	Collations  []OID
	HashKeys    []query.Expr // over the outer input
}

// Hash builds a hash table of its input.
type Hash struct {
	Plan
	Keys      []query.Expr
	SkewTable OID
	SkewCol   int16
	RowsTotal float64
}

// Memoize caches the inner side of a nested loop by its params.
type Memoize struct {
	Plan
	KeyOps     []OID
	Collations []OID
	Keys       []query.Expr
	SingleRow  bool
	Binary     bool
	EstEntries float64
}

// Material stores its input for rescans.
type Material struct{ Plan }

// SortKey is one sort column: position (1-based) in the input's targets.
type SortKey struct {
	Col        int
	Op         OID // the ordering operator, < or >
	Collation  OID
	NullsFirst bool
}

// Sort sorts its input.
type Sort struct {
	Plan
	Keys []SortKey
}

// IncrementalSort sorts groups of rows already ordered by the first Presorted keys.
type IncrementalSort struct {
	Sort
	Presorted int
}

// GroupKey is one grouping column: position (1-based) in the input's targets and its equality operator.
type GroupKey struct {
	Col       int
	EqOp      OID
	Collation OID
}

// Group collapses equal adjacent rows.
type Group struct {
	Plan
	Keys []GroupKey
}

// AggStrategy of an Agg.
type AggStrategy uint8

const (
	AggPlain AggStrategy = iota
	AggSorted
	AggHashed
	AggMixed
)

// Agg computes aggregates. Its targets and quals hold Aggref nodes over OuterVar vars.
type Agg struct {
	Plan
	Strategy     AggStrategy
	Keys         []GroupKey
	NumGroups    float64
	GroupingSets [][]int // each: indexes into Keys... see Chain
	Chain        []*Agg  // further phases of grouping sets, each with its own Left Sort or none
}

// WindowAgg computes window functions of one window.
type WindowAgg struct {
	Plan
	WinRef                                        uint32
	Partition                                     []GroupKey
	Order                                         []GroupKey
	FrameOptions                                  int
	StartOffset, EndOffset                        query.Expr
	StartInRangeFunc, EndInRangeFunc, InRangeColl OID
	InRangeAsc, InRangeNullsFirst                 bool
	RunCondition                                  []query.Expr // once it is false, it stays false for the rest of the partition
	TopWindow                                     bool
}

// Unique drops adjacent duplicates.
type Unique struct {
	Plan
	Keys []GroupKey
}

// SetOpCmd of a SetOp node.
type SetOpCmd uint8

const (
	SetOpIntersect SetOpCmd = iota
	SetOpIntersectAll
	SetOpExcept
	SetOpExceptAll
)

// SetOp computes INTERSECT and EXCEPT over an Append with a flag column.
type SetOp struct {
	Plan
	Cmd       SetOpCmd
	Hashed    bool
	Keys      []GroupKey
	FlagCol   int
	FirstFlag int
	NumGroups float64
}

// LockRows takes row locks.
type LockRows struct {
	Plan
	RowMarks []*RowMark
	EPQParam int
}

// RowMarkType says how a row mark fetches its row.
type RowMarkType uint8

const (
	RowMarkExclusive RowMarkType = iota // FOR UPDATE
	RowMarkNoKeyExclusive
	RowMarkShare
	RowMarkKeyShare
	RowMarkReference // re-fetch by TID for rechecks
	RowMarkCopy      // the whole row is carried along
)

// RowMark is a FOR UPDATE mark, or a mark of a non-target relation for READ COMMITTED rechecks.
type RowMark struct {
	RTIndex, ParentRT int
	ID                int
	Type              RowMarkType
	Strength          query.LockStrength
	Wait              query.LockWaitPolicy
	IsParent          bool
	// CTIDName, TableOIDName, WholeRowName name the junk targets: "ctid<ID>", "tableoid<ID>", "wholerow<ID>".
}

// Limit passes a window of rows.
type Limit struct {
	Plan
	Offset, Count query.Expr
	WithTies      bool
	TieKeys       []GroupKey
}
