package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// node is a parse tree node.
type node = pg_query.Node

// state is the analysis of one query level.
type state struct {
	env    *Env
	parent *state
	depth  int // recursion of expressions and sub-selects, over all levels

	rtable        []*query.RTE
	joinExprs     map[int]*query.JoinExpr // by range table index of the join
	joinNS        map[int]*nsItem         // columns of each RTE's namespace item, by range table index
	joinList      []query.FromItem
	namespace     []*nsItem
	lateralActive bool

	ctes       []*query.CTE // WITH items that names may mean here
	futureCTEs []*pg_query.CommonTableExpr
	parentCTE  *query.CTE // the CTE that this query is the body of

	inRule   bool // an action of CREATE RULE: OLD and NEW are the first entries
	target   *catalog.Relation
	targetNS *nsItem

	windowDefs       []*pg_query.WindowDef
	exprKind         exprKind
	nextResNo        int
	multiAssign      []*query.TargetEntry
	lockingClauses   []*pg_query.LockingClause
	lockedFromParent bool
	resolveUnknowns  bool

	hasAggs, hasWindowFuncs, hasTargetSRFs, hasSubLinks, hasModifyingCTE bool
	lastSRF                                                              query.Expr
}

func newState(env *Env, parent *state) *state {
	p := &state{env: env, parent: parent, nextResNo: 1, resolveUnknowns: true, joinExprs: map[int]*query.JoinExpr{}, joinNS: map[int]*nsItem{}}
	if parent != nil {
		p.depth = parent.depth
	}
	return p
}

// depthMax bounds the recursion of the analysis, all levels together. PostgreSQL's limit is its stack's size.
const depthMax = 12000

// enter counts one level of recursion; the caller defers leave.
func (p *state) enter() {
	p.depth++
	if p.depth > depthMax {
		throw(pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded").
			WithHint("Increase the configuration parameter \"max_stack_depth\" (currently 2048kB), after ensuring the platform's stack depth limit is adequate."))
	}
}

func (p *state) leave() { p.depth-- }

// rte gives a range table entry of this level.
func (p *state) rte(index int) *query.RTE { return p.rtable[index-1] }

// rteAt gives a range table entry of an outer level.
func (p *state) rteAt(index, levelsUp int) *query.RTE {
	for ; levelsUp > 0; levelsUp-- {
		p = p.parent
	}
	return p.rtable[index-1]
}

// strVal gives the text of a String node.
func strVal(n *node) string { return n.GetString_().GetSval() }

// strList gives the texts of String nodes.
func strList(list []*node) []string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = strVal(n)
	}
	return out
}

// exprKind says where an expression stands, for the rules of what may be in it and for messages.
type exprKind uint8

const (
	kindNone exprKind = iota
	kindOther
	kindJoinOn
	kindJoinUsing
	kindFromSubselect
	kindFromFunction
	kindWhere
	kindHaving
	kindFilter
	kindWindowPartition
	kindWindowOrder
	kindWindowFrameRange
	kindWindowFrameRows
	kindWindowFrameGroups
	kindSelectTarget
	kindInsertTarget
	kindUpdateSource
	kindUpdateTarget
	kindMergeWhen
	kindGroupBy
	kindOrderBy
	kindDistinctOn
	kindLimit
	kindOffset
	kindReturning
	kindValues
	kindValuesSingle
	kindCheckConstraint
	kindDomainCheck
	kindColumnDefault
	kindFunctionDefault
	kindIndexExpression
	kindIndexPredicate
	kindStatsExpression
	kindAlterColTransform
	kindExecuteParameter
	kindTriggerWhen
	kindPolicy
	kindPartitionBound
	kindPartitionExpression
	kindCallArgument
	kindCopyWhere
	kindGeneratedColumn
	kindCycleMark
)

// exprKindNames are the names of clauses in messages.
var exprKindNames = map[exprKind]string{kindJoinOn: "JOIN/ON", kindJoinUsing: "JOIN/USING", kindFromSubselect: "sub-SELECT in FROM",
	kindFromFunction: "function in FROM", kindWhere: "WHERE", kindHaving: "HAVING", kindFilter: "FILTER", kindWindowPartition: "window PARTITION BY",
	kindWindowOrder: "window ORDER BY", kindWindowFrameRange: "window RANGE", kindWindowFrameRows: "window ROWS", kindWindowFrameGroups: "window GROUPS",
	kindSelectTarget: "SELECT", kindInsertTarget: "INSERT", kindUpdateSource: "UPDATE", kindUpdateTarget: "UPDATE", kindMergeWhen: "MERGE WHEN",
	kindGroupBy: "GROUP BY", kindOrderBy: "ORDER BY", kindDistinctOn: "DISTINCT ON", kindLimit: "LIMIT", kindOffset: "OFFSET",
	kindReturning: "RETURNING", kindValues: "VALUES", kindValuesSingle: "VALUES", kindCheckConstraint: "CHECK", kindDomainCheck: "CHECK",
	kindColumnDefault: "DEFAULT", kindFunctionDefault: "DEFAULT", kindIndexExpression: "index expression", kindIndexPredicate: "index predicate",
	kindStatsExpression: "statistics expression", kindAlterColTransform: "USING", kindExecuteParameter: "EXECUTE", kindTriggerWhen: "WHEN",
	kindPolicy: "POLICY", kindPartitionBound: "partition bound", kindPartitionExpression: "PARTITION BY", kindCallArgument: "CALL",
	kindCopyWhere: "WHERE", kindGeneratedColumn: "GENERATED AS", kindCycleMark: "CYCLE"}
