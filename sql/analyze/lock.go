package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// lockName spells a row-locking clause.
func lockName(s pg_query.LockClauseStrength) string {
	switch s {
	case pg_query.LockClauseStrength_LCS_FORKEYSHARE:
		return "FOR KEY SHARE"
	case pg_query.LockClauseStrength_LCS_FORSHARE:
		return "FOR SHARE"
	case pg_query.LockClauseStrength_LCS_FORNOKEYUPDATE:
		return "FOR NO KEY UPDATE"
	}
	return "FOR UPDATE"
}

// checkLockable refuses row locks on queries whose rows are not rows of tables.
func checkLockable(q *query.Query, s pg_query.LockClauseStrength) {
	what := ""
	switch {
	case q.SetOp != nil:
		what = "is not allowed with UNION/INTERSECT/EXCEPT"
	case len(q.Distinct) > 0:
		what = "is not allowed with DISTINCT clause"
	case len(q.GroupBy) > 0 || len(q.GroupingSets) > 0:
		what = "is not allowed with GROUP BY clause"
	case q.Having != nil:
		what = "is not allowed with HAVING clause"
	case q.HasAggs:
		what = "is not allowed with aggregate functions"
	case q.HasWindowFuncs:
		what = "is not allowed with window functions"
	case q.HasTargetSRFs:
		what = "is not allowed with set-returning functions in the target list"
	}
	if what != "" {
		throw(pgerr.New(pgerr.FeatureNotSupported, "%s %s", lockName(s), what))
	}
}

// locking applies one FOR UPDATE clause; pushed says that it comes from an outer query.
func (p *state) locking(q *query.Query, l *pg_query.LockingClause, pushed bool) {
	checkLockable(q, l.Strength)
	q.HasForUpdate = true
	strength := query.LockStrength(l.Strength - 1)
	wait := query.LockWaitPolicy(l.WaitPolicy - 1)
	if len(l.LockedRels) == 0 {
		for i, rte := range q.RangeTable {
			if rte.InFrom {
				p.lockEntry(q, rte, i+1, l, strength, wait, pushed, false, -1)
			}
		}
		return
	}
	for _, n := range l.LockedRels {
		rv := n.GetRangeVar()
		at := int(rv.Location)
		if rv.Catalogname != "" || rv.Schemaname != "" {
			fail(at, pgerr.SyntaxError, "%s must specify unqualified relation names", lockName(l.Strength))
		}
		found := false
		for i, rte := range q.RangeTable {
			// An alias of a join is not a table to lock, but is named so that the error is right.
			if !rte.InFrom || rte.Eref.Name != rv.Relname || rte.Kind == query.RTEJoin && rte.Alias == nil {
				continue
			}
			p.lockEntry(q, rte, i+1, l, strength, wait, pushed, true, at)
			found = true
			break
		}
		if !found {
			fail(at, pgerr.UndefinedTable, "relation \"%s\" in %s clause not found in FROM clause", rv.Relname, lockName(l.Strength))
		}
	}
}

func (p *state) lockEntry(q *query.Query, rte *query.RTE, index int, l *pg_query.LockingClause, s query.LockStrength, w query.LockWaitPolicy, pushed, named bool,
	at int) {
	switch rte.Kind {
	case query.RTERelation:
		rte.RequiredPerms |= query.AclUpdate
		applyLock(q, index, s, w, pushed)
	case query.RTESubquery:
		applyLock(q, index, s, w, pushed)
		// Everything inside is locked, too.
		p.locking(rte.Subquery, &pg_query.LockingClause{Strength: l.Strength, WaitPolicy: l.WaitPolicy}, true)
	default:
		if !named {
			return
		}
		what := map[query.RTEKind]string{query.RTEJoin: "a join", query.RTEFunction: "a function", query.RTETableFunc: "a table function",
			query.RTEValues: "VALUES", query.RTECTE: "a WITH query", query.RTENamedTuplestore: "a named tuplestore"}[rte.Kind]
		fail(at, pgerr.FeatureNotSupported, "%s cannot be applied to %s", lockName(l.Strength), what)
	}
}

// applyLock adds a row mark, or strengthens the one that is there.
func applyLock(q *query.Query, index int, s query.LockStrength, w query.LockWaitPolicy, pushed bool) {
	for _, m := range q.RowMarks {
		if m.RTIndex == index {
			m.Strength = max(m.Strength, s)
			m.Wait = max(m.Wait, w)
			m.PushedDown = m.PushedDown && pushed
			return
		}
	}
	q.RowMarks = append(q.RowMarks, &query.RowMarkClause{RTIndex: index, Strength: s, Wait: w, PushedDown: pushed})
}
