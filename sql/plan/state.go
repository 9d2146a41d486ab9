package plan

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/partition"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// glob is the state of planning one statement, shared by all its query levels (PostgreSQL's PlannerGlobal).
type glob struct {
	env      *Env
	set      Settings
	bound    []types.Datum // client parameters to plan for, nil = generic
	hasBound bool

	subplans      []Node  // by plan id - 1
	subroots      []*root // the query level each was planned in
	initPlans     map[int]bool
	rewind        map[int]bool
	params        []OID // types of exec params
	rtable        []*query.RTE
	appendRels    []*AppendRel
	rowMarks      []*RowMark
	resultRels    []int
	relations     []RelationUse
	invals        map[OID]struct{}
	funcs         map[OID]struct{}
	dependsOnRole bool
	nextRowMark   int
	nextNode      int

	rels  map[OID]*catalog.Relation
	procs map[OID]*catalog.Proc
	opers map[OID]*catalog.Operator
}

// root is the state of planning one query level (PostgreSQL's PlannerInfo).
type root struct {
	g      *glob
	q      *query.Query // this level's own copy
	parent *root
	level  int

	rels       []*rel // base relations by range table index
	children   []*rel // of inherited and partitioned tables, by child number - 1
	resultRels []*rel // the children that an UPDATE, DELETE or MERGE writes, when its target has children
	joinRels   map[Relids]*rel
	joinLevels [][]*rel
	allBase    Relids // all base relations in the join tree
	nullable   Relids // base relations on the nullable side of some outer join

	lefts, rights, fulls []*restrict // outer-join clauses that may be mergejoinable
	specials             []*specialJoin
	ecs                  []*eclass
	ecMergingDone        bool
	phase                planPhase

	queryPathkeys, groupPathkeys, windowPathkeys, distinctPathkeys, sortPathkeys []*pathkey
	pathkeyCache                                                                 []*pathkey

	processedTargets []*query.TargetEntry
	updateCols       []int
	rowMarks         []*RowMark
	cteParams        []cteState // by index in q.CTEs
	initPlans        []*query.SubPlan
	planParams       []planParam // params that this level supplies to the sub-select being planned
	outerParams      ParamSet    // exec params available from outside
	multiExpr        [][]*query.Param

	final       *rel        // this level's result
	finalTarget *pathTarget // what it delivers
	lateSRF     *pathTarget // not nil: set-returning functions are computed after ORDER BY, over this target
	scanLimit   float64
	simpleUnion bool // a set operation that is only UNION ALL
	minmax      []*minMaxAgg
	minmaxUsed  []*minMaxAgg // those of the plan, whose params stand for the aggregates above

	groupingCols  map[uint32]int // input columns of the grouping expressions of grouping sets, 1-based
	givenRunConds []runCond      // conditions of the query above on this level's window functions

	tupleFraction     float64
	limitTuples       float64
	totalTablePages   float64
	qualSecurityLevel int

	hasJoinRTEs, hasLateral, hasHaving, hasPseudoconst, hasRecursion bool
	aggs                                                             []*aggInfo
	wtParam                                                          int // exec param of the work table of a recursive union
	nonRecRows                                                       float64
	nonRecPath                                                       *path

	// createplan
	curOuterRels   Relids
	curOuterParams []*nlParam
	paramExprs     []planParam
	epqParam       int
}

type planPhase uint8

const (
	phaseInit planPhase = iota
	phaseJoins
	phaseUpper
)

// cteState is what became of a CTE: its sub-plan, or inlined.
type cteState struct {
	planID int // 0 = not planned (inlined or unreferenced)
	param  int
	root   *root
	path   *path
}

// planParam is an exec param and the expression of this query level whose value it carries.
type planParam struct {
	expr  query.Expr
	param *query.Param
}

// nlParam is a nestloop parameter wanted by a parameterised inner path.
type nlParam struct {
	id  int
	val query.Expr
}

type relKind uint8

const (
	relBase relKind = iota
	relJoin
	relUpper
)

// rel is a relation that paths are made for: a base relation, a join, or an upper step (PostgreSQL's RelOptInfo).
type rel struct {
	kind   relKind
	relids Relids
	rows   float64
	target *pathTarget

	paths                                 []*path
	paramInfos                            []*paramInfo
	cheapestStartup, cheapestTotal        *path
	cheapestParam                         []*path // best parameterised paths, cheapestTotal first
	considerStartup, considerParamStartup bool
	dummy                                 bool

	directLateral, lateral Relids // relations that LATERAL references need

	// base relations
	index              int
	rte                *query.RTE
	rtekind            query.RTEKind
	desc               *catalog.Relation
	attrNeeded         map[int16]Relids // who needs each column; relids{0 bit} cannot be: see neededAtTop
	attrTop            map[int16]bool   // columns needed above all joins
	attrWidth          map[int16]int
	indexes            []*indexInfo
	pages              float64
	tuples             float64
	allVisFrac         float64
	subroot            *root
	subparams          []planParam
	lateralReferencers Relids
	lateralVars        []query.Expr
	stats              map[int16]*colStats

	restricts               []*restrict // conditions on this relation alone
	restrictCost            qualCost
	joinInfo                []*restrict // join clauses that mention it and are not from an equivalence class
	hasECJoins              bool
	uniqueFor, nonUniqueFor []Relids
	baseMinSecurity         int
	uniquePath              *path

	// inheritance and partitioning
	parent     *rel       // nil unless it is a child
	app        *appendRel // how its columns are the parent's
	kids       []*rel
	parts      *partition.Desc         // of a partitioned table
	partIndex  int                     // of a partition: its place in the parent's
	translated map[*restrict]*restrict // conditions of the parent in terms of this child
}

// pathTarget is what a path computes.
type pathTarget struct {
	exprs []query.Expr
	refs  []uint32 // sort/group reference of each, nil = none
	cost  qualCost
	width int
}

// qualCost is the cost of evaluating expressions.
type qualCost struct{ startup, tuple float64 }

func (c *qualCost) add(d qualCost) { c.startup += d.startup; c.tuple += d.tuple }

// paramInfo describes a parameterisation of a base relation's or join's paths.
type paramInfo struct {
	outer   Relids
	rows    float64
	clauses []*restrict // join clauses that are available thanks to the outer relations
}

// restrict is a condition with what the planner knows of it (PostgreSQL's RestrictInfo).
type restrict struct {
	clause                                              query.Expr
	or                                                  [][]any // of an OR clause: per arm, its implicitly ANDed *restrict or nested []any; see orArms
	pushedDown                                          bool    // not a condition of the outer join at its own level
	outerjoinDelayed                                    bool
	canJoin                                             bool // "relation1.x op relation2.y"
	pseudoconst                                         bool // no vars of this level, not volatile
	leakproof                                           bool
	security                                            int
	clauseRelids, required, outerRelids, nullableRelids Relids
	left, right                                         Relids
	serial                                              int

	parentEC          *eclass
	cost              qualCost
	costKnown         bool
	normSel, outerSel float64 // cached selectivities, -1 = unknown

	families                []OID // btree families in which it is a mergejoinable equality
	leftEC, rightEC         *eclass
	leftEM, rightEM         *emember
	scanSel                 map[*pathkey]mergeScanSel
	outerIsLeft             bool
	hashOp                  OID     // 0 = not hashjoinable
	leftBucket, rightBucket float64 // -1 = unknown
	leftMCV, rightMCV       float64
	memoLeft, memoRight     OID // equality operators for memoize keys
}

type mergeScanSel struct{ leftStart, leftEnd, rightStart, rightEnd float64 }

// specialJoin is an outer, semi or anti join's constraint on join order (PostgreSQL's SpecialJoinInfo).
type specialJoin struct {
	minLeft, minRight, synLeft, synRight Relids
	typ                                  query.JoinType
	lhsStrict, delayUpper                bool
	semiCanBTree, semiCanHash            bool
	semiOps                              []OID
	semiRHS                              []query.Expr
	rtindex                              int
}

// indexInfo is an index with what the planner derives from its descriptor.
type indexInfo struct {
	idx               *catalog.Index
	rel               *rel
	pages, tuples     float64
	height            int
	ncols, nkeys      int
	keyExprs          []query.Expr // per column: the expression over rel's vars
	pred              []query.Expr
	predOK            bool
	unique, immediate bool
	restricts         []*restrict // rel's conditions not implied by the predicate
	canReturn         bool
	btree             bool // else hash: without order, nulls, arrays, or scans without a condition
	targets           []*query.TargetEntry
}
