package plan

import "github.com/calfdb/calf/sql/query"

// pullUpSublinks turns x IN (SELECT ...) and [NOT] EXISTS (SELECT ...) at the top level of WHERE and ON into semi- and anti-joins.
func (r *root) pullUpSublinks() {
	t, _ := r.pullSublinksIn(r.q.JoinTree)
	if f, ok := t.(*query.FromExpr); ok {
		r.q.JoinTree = f
	} else {
		r.q.JoinTree = &query.FromExpr{Items: []query.FromItem{t}}
	}
}

func (r *root) pullSublinksIn(t query.FromItem) (query.FromItem, Relids) {
	switch t := t.(type) {
	case *query.RangeTblRef:
		return t, relid(t.Index)
	case *query.FromExpr:
		n := &query.FromExpr{}
		var rels Relids
		for _, x := range t.Items {
			y, s := r.pullSublinksIn(x)
			n.Items = append(n.Items, y)
			rels = rels.or(s)
		}
		var link query.FromItem = n
		n.Quals = r.pullSublinkQual(t.Quals, &link, rels, nil, Relids{})
		return link, rels
	case *query.JoinExpr:
		return r.pullSublinksJoin(t)
	}
	return t, Relids{}
}

func (r *root) pullSublinksJoin(t *query.JoinExpr) (query.FromItem, Relids) {
	n := *t
	var left, right Relids
	n.Left, left = r.pullSublinksIn(t.Left)
	n.Right, right = r.pullSublinksIn(t.Right)
	var link query.FromItem = &n
	switch t.Type {
	case query.JoinInner:
		n.Quals = r.pullSublinkQual(t.Quals, &link, left.or(right), nil, Relids{})
	case query.JoinLeft:
		n.Quals = r.pullSublinkQual(t.Quals, &n.Right, right, nil, Relids{})
	case query.JoinRight:
		n.Quals = r.pullSublinkQual(t.Quals, &n.Left, left, nil, Relids{})
	}
	rels := left.or(right)
	if t.RTIndex != 0 {
		rels.add(t.RTIndex)
	}
	return link, rels
}

// pullSublinkQual works on one condition. New joins go on top of *link1 when only avail1 is needed, else on *link2 when given. What
// remains of the condition is the result, nil for nothing.
func (r *root) pullSublinkQual(e query.Expr, link1 *query.FromItem, avail1 Relids, link2 *query.FromItem, avail2 Relids) query.Expr {
	switch x := e.(type) {
	case nil:
		return nil
	case *query.SubLink:
		if r.pullOneSublink(x, false, link1, avail1) || link2 != nil && r.pullOneSublink(x, false, link2, avail2) {
			return nil
		}
	case *query.BoolExpr:
		switch x.Op {
		case query.Not:
			s, ok := x.Args[0].(*query.SubLink)
			if ok && s.Kind == query.ExistsSubLink &&
				(r.pullOneSublink(s, true, link1, avail1) || link2 != nil && r.pullOneSublink(s, true, link2, avail2)) {
				return nil
			}
		case query.And:
			var out []query.Expr
			for _, a := range x.Args {
				if a = r.pullSublinkQual(a, link1, avail1, link2, avail2); a != nil {
					out = append(out, a)
				}
			}
			if len(out) == 0 {
				return nil
			}
			return makeAnd(out)
		}
	}
	return e
}

// pullOneSublink converts one SubLink when it can, putting the join on top of *link.
func (r *root) pullOneSublink(s *query.SubLink, not bool, link *query.FromItem, avail Relids) bool {
	var j *query.JoinExpr
	switch s.Kind {
	case query.AnySubLink:
		j = r.anyToJoin(s, avail)
	case query.ExistsSubLink:
		j = r.existsToJoin(s, not, avail)
	}
	if j == nil {
		return false
	}
	j.Left = *link
	*link = j
	// The sub-select's FROM and the join's own condition may hold more.
	var rels Relids
	j.Right, rels = r.pullSublinksIn(j.Right)
	if not {
		j.Quals = r.pullSublinkQual(j.Quals, &j.Right, rels, nil, Relids{})
	} else {
		j.Quals = r.pullSublinkQual(j.Quals, &j.Left, avail, &j.Right, rels)
	}
	return true
}

// anyToJoin: x op ANY (uncorrelated SELECT) becomes a semi-join with a subquery.
func (r *root) anyToJoin(s *query.SubLink, avail Relids) *query.JoinExpr {
	upper := varRelids(s.Test)
	if queryRefsLevel(s.Subquery, 1) || upper.empty() || !upper.subsetOf(avail) || r.g.volatile(s.Test) {
		return nil
	}
	rti := r.addRTE(subqueryRTE(s.Subquery, "ANY_subquery"))
	vars := make([]query.Expr, 0, len(s.Subquery.Targets))
	for _, t := range s.Subquery.Targets {
		if !t.Junk {
			vars = append(vars, makeVar(rti, int16(t.ResNo), t.Expr))
		}
	}
	test := mutate(s.Test, func(e query.Expr) query.Expr {
		if p, ok := e.(*query.Param); ok && p.Kind == query.ParamSublink {
			return vars[p.ID-1]
		}
		return nil
	})
	return &query.JoinExpr{Type: query.JoinSemi, Right: &query.RangeTblRef{Index: rti}, Quals: test}
}

func makeVar(no int, att int16, e query.Expr) *query.Var {
	return &query.Var{VarNo: no, AttNo: att, TypeOID: e.Type(), Mod: e.TypMod(), Coll: e.Collation(), Loc: -1, SynNo: no, SynAttNo: att}
}

func subqueryRTE(q *query.Query, name string) *query.RTE {
	ref := &query.Alias{Name: name}
	for _, t := range q.Targets {
		if !t.Junk {
			ref.Cols = append(ref.Cols, t.Name)
		}
	}
	return &query.RTE{Kind: query.RTESubquery, Subquery: q, Alias: &query.Alias{Name: name}, Eref: ref, InFrom: true}
}

// queryRefsLevel says whether q refers to something exactly n levels above its own.
func queryRefsLevel(q *query.Query, n int) bool {
	found := false
	visitQuery(q, 0, func(e query.Expr, d int) bool {
		switch e := e.(type) {
		case *query.Var:
			found = found || e.LevelsUp == d+n
		case *query.Aggref:
			found = found || e.LevelsUp == d+n
		case *query.GroupingFunc:
			found = found || e.LevelsUp == d+n
		}
		return !found
	})
	return found
}

// existsToJoin: [NOT] EXISTS (SELECT ... WHERE correlated) becomes a semi- or anti-join with the sub-select's FROM.
func (r *root) existsToJoin(s *query.SubLink, not bool, avail Relids) *query.JoinExpr {
	sub := s.Subquery
	if len(sub.CTEs) > 0 || !r.simplifiableExists(sub) {
		return nil
	}
	sub = r.simplifyExists(sub)
	if sub.JoinTree == nil || len(sub.JoinTree.Items) == 0 {
		return nil
	}
	where := sub.JoinTree.Quals
	c := *sub
	c.JoinTree = &query.FromExpr{Items: sub.JoinTree.Items}
	if queryRefsLevel(&c, 1) || where == nil || !refsUpper(where) || r.g.volatile(where) {
		return nil
	}
	off := len(r.q.RangeTable)
	moved := offsetQuery(&c, off)
	where = shiftLevels(offsetExpr(where, off), -1, 1)
	moved = shiftQueryLevels(moved, -1, 1)
	var upper Relids
	varRelids(where).each(func(i int) {
		if i <= off {
			upper.add(i)
		}
	})
	if upper.empty() || !upper.subsetOf(avail) {
		return nil
	}
	r.q.RangeTable = append(r.q.RangeTable, moved.RangeTable...)
	j := &query.JoinExpr{Type: query.JoinSemi, Quals: where}
	if not {
		j.Type = query.JoinAnti
	}
	if len(moved.JoinTree.Items) == 1 {
		j.Right = moved.JoinTree.Items[0]
	} else {
		j.Right = moved.JoinTree
	}
	return j
}

func refsUpper(e query.Expr) bool {
	found := false
	visitDeep(e, 0, func(x query.Expr, d int) bool {
		switch x := x.(type) {
		case *query.Var:
			found = found || x.LevelsUp == d+1
		case *query.Aggref:
			found = found || x.LevelsUp == d+1
		}
		return !found
	})
	return found
}

// simplifiableExists: whether rows come out at all does not depend on the sub-select's target list, DISTINCT, ORDER BY.
func (r *root) simplifiableExists(q *query.Query) bool {
	if q.Command != query.CmdSelect || q.SetOp != nil || q.HasAggs || len(q.GroupingSets) > 0 || q.HasWindowFuncs || q.HasTargetSRFs ||
		q.HasModifyingCTE || q.Having != nil || q.LimitOffset != nil || len(q.RowMarks) > 0 {
		return false
	}
	if q.LimitCount == nil {
		return true
	}
	c, ok := r.g.fold(q.LimitCount).(*query.Const)
	return ok && (c.Value.IsNull() || c.Value.Int8() > 0)
}

func (r *root) simplifyExists(q *query.Query) *query.Query {
	c := *q
	c.LimitCount, c.Targets, c.GroupBy, c.Windows, c.Distinct, c.SortBy = nil, nil, nil, nil, nil, nil
	c.HasDistinctOn = false
	return &c
}

// offsetExpr adds off to the range table indexes of level-0 references.
func offsetExpr(e query.Expr, off int) query.Expr { return mutateDeep(e, 0, offsetter(off)) }

func offsetter(off int) deepFunc {
	return func(e query.Expr, d int) query.Expr {
		switch e := e.(type) {
		case *query.Var:
			if e.LevelsUp == d {
				c := *e
				c.VarNo += off
				if c.SynNo > 0 {
					c.SynNo += off
				}
				return &c
			}
		case *query.CurrentOfExpr:
			if d == 0 {
				c := *e
				c.RTIndex += off
				return &c
			}
		}
		return nil
	}
}

// offsetQuery adds off to all range table indexes of a query's own level.
func offsetQuery(q *query.Query, off int) *query.Query {
	n := mutateQuery(q, 0, offsetter(off))
	n.JoinTree = offsetJoinTree(n.JoinTree, off).(*query.FromExpr)
	marks := make([]*query.RowMarkClause, len(n.RowMarks))
	for i, m := range n.RowMarks {
		c := *m
		c.RTIndex += off
		marks[i] = &c
	}
	n.RowMarks = marks
	return n
}

func offsetJoinTree(t query.FromItem, off int) query.FromItem {
	switch t := t.(type) {
	case *query.RangeTblRef:
		return &query.RangeTblRef{Index: t.Index + off}
	case *query.FromExpr:
		n := &query.FromExpr{Quals: t.Quals, Items: make([]query.FromItem, len(t.Items))}
		for i, x := range t.Items {
			n.Items[i] = offsetJoinTree(x, off)
		}
		return n
	case *query.JoinExpr:
		n := *t
		n.Left, n.Right = offsetJoinTree(t.Left, off), offsetJoinTree(t.Right, off)
		if n.RTIndex != 0 {
			n.RTIndex += off
		}
		return &n
	}
	return t
}
