package plan

import "github.com/calfdb/calf/sql/query"

type pathKind uint8

const (
	pSeqScan pathKind = iota
	pSampleScan
	pIndexScan
	pIndexOnlyScan
	pBitmapHeap
	pBitmapAnd
	pBitmapOr
	pTID
	pTIDRange
	pSubquery
	pFunction
	pTableFunc
	pValues
	pCTE
	pWorkTable
	pNamedTuplestore
	pResult // no table: one row
	pAppend
	pMergeAppend
	pGroupResult // Result with one-time filter over nothing
	pMaterial
	pMemoize
	pUnique // unique-ified semijoin input
	pNestLoop
	pMergeJoin
	pHashJoin
	pProjection
	pProjectSet
	pSort
	pIncrementalSort
	pGroup
	pUpperUnique
	pAgg
	pGroupingSets
	pMinMaxAgg
	pWindow
	pSetOp
	pRecursiveUnion
	pLockRows
	pModifyTable
	pLimit
)

// path is one way to compute a relation. It is one struct for all kinds: the fields after the common part are read by kind.
type path struct {
	kind                 pathKind
	rel                  *rel
	target               *pathTarget
	param                *paramInfo
	rows, startup, total float64
	keys                 []*pathkey

	sub  *path   // single input
	subs []*path // Append, BitmapAnd, BitmapOr
	// ordered: an Append whose inputs, each in the order of keys, follow each other in that order.
	ordered bool

	// index scans
	index       *indexInfo
	clauses     []*indexClause
	orderBy     []query.Expr
	orderByCols []int
	backward    bool
	indexTotal  float64
	indexSel    float64

	bitmapQual *path
	quals      []query.Expr // TID quals, Result's constant quals, having quals of Agg/Group
	tidClauses []*restrict

	// joins
	join *joinPath
	// others
	upper *upperPath
	memo  *memoPath
	uniq  *uniquePath
}

type joinPath struct {
	typ                     query.JoinType
	outer, inner            *path
	restricts               []*restrict
	innerUnique             bool
	merge                   []*restrict
	outerSort, innerSort    []*pathkey
	skipMark, materialInner bool
	hash                    []*restrict
	batches                 float64
	innerRowsTotal          float64
}

type memoPath struct {
	ops               []OID
	keys              []query.Expr
	singleRow, binary bool
	calls             float64
	entries           float64
}

type uniquePath struct {
	how   byte // 'n' no-op (already unique), 'h' hash, 's' sort
	ops   []OID
	exprs []query.Expr
}

// upperPath carries what upper steps need.
type upperPath struct {
	strategy                AggStrategy
	groups                  []*query.SortGroupClause
	rollups                 []*rollup
	numGroups               float64
	having                  []query.Expr
	numKeys                 int // Unique
	presorted               int
	window                  *query.WindowClause
	top                     bool
	runCond                 []query.Expr
	setCmd                  SetOpCmd
	flagCol                 int
	firstFlag               int
	wtParam                 int
	rowMarks                []*RowMark
	epqParam                int
	limitOffset, limitCount query.Expr
	withTies                bool
	modify                  *ModifyTable // template
	minmax                  []*minMaxAgg
	dummyPP                 bool // projection that needs no Result node
}
