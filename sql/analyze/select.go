package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// subStatement analyses a sub-select (or a statement in WITH) one level down.
func (p *state) subStatement(n *node, parentCTE *query.CTE, locked, resolveUnknowns bool) *query.Query {
	p.enter()
	defer p.leave()
	s := newState(p.env, p)
	s.parentCTE, s.lockedFromParent, s.resolveUnknowns = parentCTE, locked, resolveUnknowns
	return s.statement(n)
}

// statement analyses one optimizable statement; others come back as utilities.
func (p *state) statement(n *node) *query.Query {
	var q *query.Query
	switch n := n.Node.(type) {
	case *pg_query.Node_SelectStmt:
		q = p.selectAny(n.SelectStmt)
	case *pg_query.Node_InsertStmt:
		q = p.insert(n.InsertStmt)
	case *pg_query.Node_UpdateStmt:
		q = p.update(n.UpdateStmt)
	case *pg_query.Node_DeleteStmt:
		q = p.delete(n.DeleteStmt)
	case *pg_query.Node_MergeStmt:
		q = p.mergeStmt(n.MergeStmt)
	default:
		return p.utility(&node{Node: n})
	}
	q.CanSetTag = true
	return q
}

func (p *state) selectAny(s *pg_query.SelectStmt) *query.Query {
	switch {
	case len(s.ValuesLists) > 0:
		return p.valuesStmt(s)
	case s.Op == pg_query.SetOperation_SETOP_NONE:
		return p.selectStmt(s)
	}
	return p.setOperation(s)
}

// selectStmt analyses a plain SELECT.
func (p *state) selectStmt(s *pg_query.SelectStmt) *query.Query {
	q := &query.Query{Command: query.CmdSelect}
	p.withClause(q, s.WithClause)
	p.refuseInto(s)
	p.lockingClauses = lockingClauses(s.LockingClause)
	p.windowDefs = windowDefs(s.WindowClause)
	p.from(s.FromClause)
	q.Targets = p.targetList(s.TargetList, kindSelectTarget)
	p.markOrigins(q.Targets)
	where := p.whereClause(s.WhereClause, kindWhere, "WHERE")
	q.Having = p.whereClause(s.HavingClause, kindHaving, "HAVING")
	// ORDER BY first: GROUP BY and DISTINCT follow its order where they can.
	q.SortBy = p.sortClause(s.SortClause, &q.Targets, kindOrderBy, false)
	q.GroupBy = p.groupClause(q, s.GroupClause)
	q.GroupDistinct = s.GroupDistinct
	if distinct := s.DistinctClause; len(distinct) > 0 {
		if distinct[0] == nil || distinct[0].Node == nil {
			q.Distinct = p.distinctClause(&q.Targets, q.SortBy, false)
		} else {
			q.Distinct = p.distinctOnClause(distinct, &q.Targets, q.SortBy)
			q.HasDistinctOn = true
		}
	}
	p.limit(q, s)
	q.Windows = p.windowClauses(&q.Targets)
	if p.resolveUnknowns {
		p.resolveUnknownTargets(q.Targets)
	}
	p.finish(q, where)
	for _, l := range p.lockingClauses {
		p.locking(q, l, false)
	}
	p.assignQueryCollations(q)
	if p.hasAggs || len(q.GroupBy) > 0 || len(q.GroupingSets) > 0 || q.Having != nil {
		p.checkAggregates(q)
	}
	return q
}

// refuseInto: SELECT INTO is turned into CREATE TABLE AS before analysis, at the top level only.
func (p *state) refuseInto(s *pg_query.SelectStmt) {
	if s.IntoClause != nil {
		fail(int(s.IntoClause.GetRel().GetLocation()), pgerr.SyntaxError, "SELECT ... INTO is not allowed here")
	}
}

// finish moves what the state has collected into the query.
func (p *state) finish(q *query.Query, where query.Expr) {
	q.RangeTable = p.rtable
	q.JoinTree = &query.FromExpr{Items: p.joinList, Quals: where}
	q.HasSubLinks, q.HasWindowFuncs, q.HasTargetSRFs, q.HasAggs = p.hasSubLinks, p.hasWindowFuncs, p.hasTargetSRFs, p.hasAggs
	q.HasModifyingCTE = q.HasModifyingCTE || p.hasModifyingCTE
}

// whereClause analyses a condition.
func (p *state) whereClause(n *node, kind exprKind, what string) query.Expr {
	if n == nil {
		return nil
	}
	return p.coerceToBoolean(p.expr(n, kind), what)
}

// limit analyses LIMIT and OFFSET.
func (p *state) limit(q *query.Query, s *pg_query.SelectStmt) {
	q.LimitOffset = p.limitClause(s.LimitOffset, kindOffset, "OFFSET", s.LimitOption)
	q.LimitCount = p.limitClause(s.LimitCount, kindLimit, "LIMIT", s.LimitOption)
	q.LimitWithTies = s.LimitOption == pg_query.LimitOption_LIMIT_OPTION_WITH_TIES
	if q.LimitWithTies && len(q.SortBy) == 0 {
		throw(pgerr.New(pgerr.SyntaxError, "WITH TIES cannot be specified without ORDER BY clause"))
	}
}

func (p *state) limitClause(n *node, kind exprKind, what string, option pg_query.LimitOption) query.Expr {
	if n == nil {
		return nil
	}
	e := p.coerceToSpecific(p.expr(n, kind), types.Int8OID, what)
	if containsVarsAtLevel(e, 0) {
		fail(varLocation(e), pgerr.InvalidColumnReference, "argument of %s must not contain variables", what)
	}
	if kind == kindLimit && option == pg_query.LimitOption_LIMIT_OPTION_WITH_TIES && n.GetAConst() != nil && n.GetAConst().Isnull {
		throw(pgerr.New(pgerr.InvalidRowCountInLimitClause, "row count cannot be null in FETCH FIRST ... WITH TIES clause"))
	}
	return e
}

// varLocation is the place of the first variable of this level in an expression.
func varLocation(e query.Expr) int {
	at := -1
	query.WalkLevels(e, func(x query.Expr, level int) bool {
		if at >= 0 {
			return false
		}
		switch x := x.(type) {
		case *query.Var:
			if x.LevelsUp == level {
				at = x.Loc
			}
		case *query.Aggref:
			if x.LevelsUp == level {
				at = x.Loc
			}
		}
		return at < 0
	})
	return at
}

func lockingClauses(list []*node) []*pg_query.LockingClause {
	var out []*pg_query.LockingClause
	for _, n := range list {
		out = append(out, n.GetLockingClause())
	}
	return out
}

func windowDefs(list []*node) []*pg_query.WindowDef {
	var out []*pg_query.WindowDef
	for _, n := range list {
		out = append(out, n.GetWindowDef())
	}
	return out
}
