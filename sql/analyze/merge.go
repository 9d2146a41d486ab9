package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// mergeStmt analyses MERGE. The join tree holds the source alone, with the ON condition; the planner joins the target to it.
func (p *state) mergeStmt(s *pg_query.MergeStmt) *query.Query {
	q := &query.Query{Command: query.CmdMerge}
	if s.WithClause != nil && s.WithClause.Recursive {
		throw(pgerr.New(pgerr.SyntaxError, "WITH RECURSIVE is not supported for MERGE statement"))
	}
	p.withClause(q, s.WithClause)
	q.ResultRelation = p.setTarget(s.Relation, s.Relation.Inh, false, mergePermissions(s))
	p.checkMergeTarget()
	p.from([]*node{s.SourceRelation})
	source := len(p.rtable)
	for _, item := range p.namespace {
		if item.index == source && item.names.Name == p.targetNS.names.Name {
			throw(pgerr.New(pgerr.DuplicateAlias, "name \"%s\" specified more than once", item.names.Name).
				WithDetail("The name is used both as MERGE target table and data source."))
		}
	}
	p.addToQuery(p.targetNS, false, true, true)
	on := p.expr(s.JoinCondition, kindJoinOn)
	for _, n := range s.MergeWhenClauses {
		q.MergeActions = append(q.MergeActions, p.mergeAction(n.GetMergeWhenClause()))
	}
	p.finish(q, on)
	q.HasTargetSRFs = false
	p.assignQueryCollations(q)
	return q
}

// mergePermissions is what the actions need on the target; an action behind an unconditional one of its kind is refused.
func mergePermissions(s *pg_query.MergeStmt) (perms uint32) {
	var last [2]bool
	for _, n := range s.MergeWhenClauses {
		w := n.GetMergeWhenClause()
		switch w.CommandType {
		case pg_query.CmdType_CMD_INSERT:
			perms |= query.AclInsert
		case pg_query.CmdType_CMD_UPDATE:
			perms |= query.AclUpdate
		case pg_query.CmdType_CMD_DELETE:
			perms |= query.AclDelete
		default:
			perms |= query.AclSelect
		}
		kind := 1
		if w.Matched {
			kind = 0
		}
		if last[kind] {
			throw(pgerr.New(pgerr.SyntaxError, "unreachable WHEN clause specified after unconditional WHEN clause"))
		}
		last[kind] = w.Condition == nil
	}
	return perms
}

func (p *state) checkMergeTarget() {
	kinds := map[byte]string{'v': "views", 'm': "materialized views", 'S': "sequences", 'f': "foreign tables", 'c': "composite types", 't': "TOAST tables",
		'i': "indexes", 'I': "partitioned indexes"}
	refuse := func(detail string) {
		throw(pgerr.New(pgerr.FeatureNotSupported, "cannot execute MERGE on relation \"%s\"", p.target.Name).WithDetail("%s", detail))
	}
	if k := p.target.Kind; k != 'r' && k != 'p' {
		refuse("This operation is not supported for " + kinds[k] + ".")
	}
	if len(p.target.Rules) > 0 {
		refuse("MERGE is not supported for relations with rules.")
	}
}

// mergeAction analyses one WHEN clause. An action for rows that do not match must not see the target.
func (p *state) mergeAction(w *pg_query.MergeWhenClause) *query.MergeAction {
	a := &query.MergeAction{Matched: w.Matched}
	p.targetNS.relVisible, p.targetNS.colsVisible = w.Matched, w.Matched
	a.Qual = p.whereClause(w.Condition, kindMergeWhen, "WHEN")
	switch w.CommandType {
	case pg_query.CmdType_CMD_INSERT:
		a.Command = query.CmdInsert
		switch w.Override {
		case pg_query.OverridingKind_OVERRIDING_USER_VALUE:
			a.Override = 'u'
		case pg_query.OverridingKind_OVERRIDING_SYSTEM_VALUE:
			a.Override = 's'
		}
		a.Targets = p.mergeInsert(w)
	case pg_query.CmdType_CMD_UPDATE:
		a.Command = query.CmdUpdate
		p.multiAssign, p.nextResNo = nil, 1
		a.Targets = p.updateTargets(w.TargetList)
	case pg_query.CmdType_CMD_DELETE:
		a.Command = query.CmdDelete
	default:
		a.Command = query.CmdNothing
	}
	return a
}

func (p *state) mergeInsert(w *pg_query.MergeWhenClause) []*query.TargetEntry {
	columns := p.insertColumns(w.TargetList)
	var exprs []query.Expr
	if len(w.Values) > 0 {
		exprs = p.insertRow(p.exprList(w.Values, kindValuesSingle, true), columns, false)
	}
	var sub query.Query
	p.insertTargets(&sub, columns, exprs)
	return sub.Targets
}
