package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// exprList analyses expressions; defaults says that DEFAULT may stand for one. t.* is expanded.
func (p *state) exprList(list []*node, kind exprKind, defaults bool) []query.Expr {
	var out []query.Expr
	for _, n := range list {
		if c := n.GetColumnRef(); c != nil && isStar(c.Fields) {
			out = append(out, targetExprs(p.withoutNumbers(func() []*query.TargetEntry { return p.expandStar(c) }))...)
			continue
		}
		if ind := n.GetAIndirection(); ind != nil && isStar(ind.Indirection) {
			out = append(out, targetExprs(p.withoutNumbers(func() []*query.TargetEntry { return p.expandIndirectionStar(ind, kind) }))...)
			continue
		}
		if defaults && n.GetSetToDefault() != nil {
			out = append(out, setToDefault(n))
			continue
		}
		out = append(out, p.expr(n, kind))
	}
	return out
}

// withoutNumbers keeps the expansion of a star inside an expression from using up column numbers.
func (p *state) withoutNumbers(f func() []*query.TargetEntry) []*query.TargetEntry {
	save := p.nextResNo
	out := f()
	p.nextResNo = save
	return out
}

func targetExprs(list []*query.TargetEntry) []query.Expr {
	out := make([]query.Expr, len(list))
	for i, t := range list {
		out[i] = t.Expr
	}
	return out
}

// valuesStmt analyses VALUES as a statement.
func (p *state) valuesStmt(s *pg_query.SelectStmt) *query.Query {
	q := &query.Query{Command: query.CmdSelect}
	p.withClause(q, s.WithClause)
	var rows [][]query.Expr
	for i, n := range s.ValuesLists {
		row := p.exprList(n.GetList().GetItems(), kindValues, false)
		if i > 0 && len(row) != len(rows[0]) {
			fail(query.LeftmostOf(row), pgerr.SyntaxError, "VALUES lists must all be the same length")
		}
		rows = append(rows, row)
	}
	item := p.addCoercedValues(rows, true)
	p.addToQuery(item, true, true, true)
	q.Targets = p.expandItem(item, 0, -1)
	q.SortBy = p.sortClause(s.SortClause, &q.Targets, kindOrderBy, false)
	p.limit(q, s)
	if len(s.LockingClause) > 0 {
		throw(pgerr.New(pgerr.FeatureNotSupported, "%s cannot be applied to VALUES", lockName(s.LockingClause[0].GetLockingClause().Strength)))
	}
	p.finish(q, nil)
	p.assignQueryCollations(q)
	return q
}

// addCoercedValues makes the entry of a VALUES list whose columns take common types.
func (p *state) addCoercedValues(rows [][]query.Expr, inFrom bool) *nsItem {
	var typs, colls []OID
	var mods []int32
	for c := range rows[0] {
		column := make([]query.Expr, len(rows))
		for r := range rows {
			column[r] = rows[r][c]
		}
		typ := p.commonType(column, "VALUES", nil)
		for r := range column {
			column[r] = p.coerceToCommon(column[r], typ, "VALUES")
			rows[r][c] = column[r]
		}
		typs = append(typs, typ)
		mods = append(mods, commonTypMod(column, typ))
		colls = append(colls, p.selectCollation(column, true))
	}
	return p.remember(p.addValues(rows, typs, mods, colls, nil, rowsHaveVars(rows), inFrom))
}

// rowsHaveVars says whether a VALUES list refers to the current level: OLD and NEW in a rule.
func rowsHaveVars(rows [][]query.Expr) bool {
	for _, r := range rows {
		for _, e := range r {
			if containsVarsAtLevel(e, 0) {
				return true
			}
		}
	}
	return false
}
