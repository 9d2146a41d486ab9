package plan

import "github.com/calfdb/calf/sql/query"

// pullUpSubqueries merges simple subqueries in FROM into this level. The join tree is rebuilt first and the references to the merged
// subqueries replaced in one pass at the end: substitutes lists, per merged entry, what its columns are.
//
// A subquery on the nullable side of an outer join is merged only when its columns are null whenever its row is (plain columns, or strict
// expressions of them); PostgreSQL merges the others too, with placeholders.
func (r *root) pullUpSubqueries() {
	p := &puller{root: r, subst: map[int][]*query.TargetEntry{}}
	t := p.tree(r.q.JoinTree, false, false)
	f, ok := t.(*query.FromExpr)
	if !ok {
		f = &query.FromExpr{Items: []query.FromItem{t}}
	}
	r.q.JoinTree = f
	if len(p.subst) > 0 {
		n := mutateQuery(r.q, 0, p.replace)
		if r.q.HasSubLinks {
			noteSubLinks(n) // some may have come into queries that had none
		}
		r.q = n
	}
}

// noteSubLinks sets HasSubLinks of a query, which is the caller's own copy, and of those inside it.
func noteSubLinks(q *query.Query) {
	query.WalkQuery(q, func(e query.Expr) bool {
		if _, ok := e.(*query.SubLink); ok {
			q.HasSubLinks = true
		}
		return true
	}, noteSubLinks)
}

type puller struct {
	*root
	subst map[int][]*query.TargetEntry
}

// tree: nulling says that an outer join above may null this part's rows, outer that some outer join is above.
func (p *puller) tree(t query.FromItem, nulling, outer bool) query.FromItem {
	switch t := t.(type) {
	case *query.RangeTblRef:
		e := p.rte(t.Index)
		if e.Kind == query.RTESubquery && p.simple(e, outer) {
			return p.pull(t, e, nulling, outer)
		}
		return t
	case *query.FromExpr:
		n := &query.FromExpr{Quals: t.Quals}
		for _, x := range t.Items {
			n.Items = append(n.Items, p.tree(x, nulling, outer))
		}
		return n
	case *query.JoinExpr:
		n := *t
		switch t.Type {
		case query.JoinInner:
			n.Left, n.Right = p.tree(t.Left, nulling, outer), p.tree(t.Right, nulling, outer)
		case query.JoinSemi, query.JoinAnti:
			n.Left, n.Right = p.tree(t.Left, nulling, true), p.tree(t.Right, nulling, true)
		case query.JoinLeft:
			n.Left, n.Right = p.tree(t.Left, nulling, true), p.tree(t.Right, true, true)
		case query.JoinRight:
			n.Left, n.Right = p.tree(t.Left, true, true), p.tree(t.Right, nulling, true)
		default:
			n.Left, n.Right = p.tree(t.Left, true, true), p.tree(t.Right, true, true)
		}
		return &n
	}
	return t
}

// simple says whether a subquery is only a join with conditions.
func (p *puller) simple(e *query.RTE, outer bool) bool {
	q := e.Subquery
	if q.Command != query.CmdSelect || q.SetOp != nil || q.HasAggs || q.HasWindowFuncs || q.HasTargetSRFs || len(q.GroupBy) > 0 ||
		len(q.GroupingSets) > 0 || q.Having != nil || len(q.SortBy) > 0 || len(q.Distinct) > 0 || q.LimitOffset != nil ||
		q.LimitCount != nil || q.HasForUpdate || len(q.RowMarks) > 0 || len(q.CTEs) > 0 || q.HasModifyingCTE {
		return false
	}
	if e.SecurityBarrier || p.g.volatileTargets(q.Targets) {
		return false
	}
	return !(e.Lateral && outer && queryRefsLevel(q, 1)) // needs PostgreSQL's placeholder rules
}

func (p *puller) pull(t *query.RangeTblRef, e *query.RTE, nulling, outer bool) query.FromItem {
	sub := p.prepareSubquery(e)
	c := *e
	c.Subquery = sub
	if !p.simple(&c, outer) || outer && hasOnlyResult(sub) || nulling && !p.nullSafe(t.Index, sub) ||
		len(p.q.GroupingSets) > 0 && !onlyVars(sub.Targets) {
		return t // as it was: planned by itself
	}
	off := len(p.q.RangeTable)
	sub = shiftQueryLevels(offsetQuery(sub, off), -1, 1)
	for _, x := range sub.RangeTable {
		if e.Lateral && (x.Kind == query.RTESubquery || x.Kind == query.RTEFunction || x.Kind == query.RTEValues) {
			x.Lateral = true
		}
	}
	p.q.RangeTable = append(p.q.RangeTable, sub.RangeTable...)
	p.q.HasSubLinks = p.q.HasSubLinks || sub.HasSubLinks
	p.q.HasRowSecurity = p.q.HasRowSecurity || sub.HasRowSecurity
	p.subst[t.Index] = sub.Targets
	c.Subquery = nil // only the entry's names and permissions remain
	*e = c
	if len(sub.JoinTree.Items) == 1 && sub.JoinTree.Quals == nil {
		return sub.JoinTree.Items[0]
	}
	return sub.JoinTree
}

// prepareSubquery does to the subquery what is done to a level before its own pull-up.
func (p *puller) prepareSubquery(e *query.RTE) *query.Query {
	q := *e.Subquery
	q.RangeTable = make([]*query.RTE, len(e.Subquery.RangeTable))
	for i, x := range e.Subquery.RangeTable {
		n := *x
		q.RangeTable[i] = &n
	}
	s := &root{g: p.g, q: &q, parent: p.root, level: p.level + 1, wtParam: -1, epqParam: -1}
	s.replaceEmptyJoinTree()
	if q.HasSubLinks {
		s.pullUpSublinks()
	}
	s.foldFunctionRTEs()
	s.pullUpSubqueries()
	s.q.Targets = mapTargets(s.q.Targets, func(x query.Expr) query.Expr { return mutateDeep(x, 0, s.flattenAlias) })
	return s.q
}

// onlyVars: every column is a plain Var. Grouping sets make columns null, which anything else could not tell from the same expression elsewhere.
func onlyVars(ts []*query.TargetEntry) bool {
	for _, t := range ts {
		if v, ok := t.Expr.(*query.Var); !ok || v.LevelsUp > 0 {
			return false
		}
	}
	return true
}

func hasOnlyResult(q *query.Query) bool {
	only := true
	joinTreeRels(q.JoinTree).each(func(i int) { only = only && q.RangeTable[i-1].Kind == query.RTEResult })
	return only
}

// nullSafe: every column is null when the subquery's row is nulled, and the whole row is not asked for.
func (p *puller) nullSafe(index int, q *query.Query) bool {
	for _, t := range q.Targets {
		if v, ok := t.Expr.(*query.Var); ok && v.LevelsUp == 0 && v.AttNo != 0 {
			continue
		}
		if !hasVars(t.Expr) || hasUpperVars(t.Expr) || p.g.nonstrict(t.Expr) {
			return false
		}
	}
	whole := false
	visitQuery(p.q, 0, func(e query.Expr, d int) bool {
		if v, ok := e.(*query.Var); ok && v.LevelsUp == d && v.VarNo == index && v.AttNo == 0 {
			whole = true
		}
		return !whole
	})
	return !whole
}

func (p *puller) replace(e query.Expr, d int) query.Expr {
	v, ok := e.(*query.Var)
	if !ok || v.LevelsUp != d {
		return nil
	}
	ts, ok := p.subst[v.VarNo]
	if !ok {
		return nil
	}
	if v.AttNo == 0 {
		return mutateDeep(wholeSubqueryRow(v, ts, p.rte(v.VarNo), d), d, p.replace)
	}
	return mutateDeep(shiftLevels(ts[v.AttNo-1].Expr, d, 0), d, p.replace)
}

func wholeSubqueryRow(v *query.Var, ts []*query.TargetEntry, e *query.RTE, d int) query.Expr {
	row := &query.RowExpr{TypeOID: v.TypeOID, Form: query.CoerceImplicitCast, Loc: v.Loc}
	for i, t := range ts {
		if t.Junk {
			continue
		}
		row.Args = append(row.Args, shiftLevels(t.Expr, d, 0))
		if i < len(e.Eref.Cols) {
			row.ColNames = append(row.ColNames, e.Eref.Cols[i])
		}
	}
	return row
}
