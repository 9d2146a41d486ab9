package plan

import "github.com/calfdb/calf/sql/query"

// deepFunc is asked about each expression with the number of query levels between it and the start; nil = look inside.
type deepFunc func(e query.Expr, depth int) query.Expr

// mutateDeep is mutate that enters the sub-selects of SubLinks, one level deeper.
func mutateDeep(e query.Expr, depth int, f deepFunc) query.Expr {
	if e == nil {
		return nil
	}
	return mutate(e, func(x query.Expr) query.Expr {
		if r := f(x, depth); r != nil {
			return r
		}
		s, ok := x.(*query.SubLink)
		if !ok {
			return nil
		}
		c := *s
		c.Test = mutateDeep(s.Test, depth, f)
		c.Subquery = mutateQuery(s.Subquery, depth+1, f)
		return &c
	})
}

// mutateQuery copies q with f applied to all its expressions, those of its sub-selects and CTEs included. RTEs are always copied.
func mutateQuery(q *query.Query, depth int, f deepFunc) *query.Query {
	c := *q
	m := func(e query.Expr) query.Expr { return mutateDeep(e, depth, f) }
	c.Targets = mapTargets(q.Targets, m)
	c.Returning = mapTargets(q.Returning, m)
	c.JoinTree, _ = mapJoinTree(q.JoinTree, m).(*query.FromExpr)
	c.Having, c.LimitOffset, c.LimitCount = m(q.Having), m(q.LimitOffset), m(q.LimitCount)
	c.OnConflict = mapOnConflict(q.OnConflict, m)
	c.WithChecks = mapWithChecks(q.WithChecks, m)
	c.MergeActions = mapMergeActions(q.MergeActions, m)
	c.Windows = mapWindows(q.Windows, m)
	c.CTEs = make([]*query.CTE, len(q.CTEs))
	for i, t := range q.CTEs {
		n := *t
		n.Query = mutateQuery(t.Query, depth+1, f)
		c.CTEs[i] = &n
	}
	c.RangeTable = make([]*query.RTE, len(q.RangeTable))
	for i, r := range q.RangeTable {
		n := *r
		mapRTE(&n, m)
		if n.Subquery != nil {
			n.Subquery = mutateQuery(r.Subquery, depth+1, f)
		}
		c.RangeTable[i] = &n
	}
	return &c
}

// mapRTE applies m to the expressions of an RTE of its own level, in place.
func mapRTE(r *query.RTE, m func(query.Expr) query.Expr) {
	r.JoinAliasVars = mapList(r.JoinAliasVars, m)
	r.SecurityQuals = mapList(r.SecurityQuals, m)
	if len(r.Functions) > 0 {
		fs := make([]*query.RangeFunction, len(r.Functions))
		for i, x := range r.Functions {
			n := *x
			n.Expr = m(x.Expr)
			fs[i] = &n
		}
		r.Functions = fs
	}
	if len(r.Values) > 0 {
		vs := make([][]query.Expr, len(r.Values))
		for i, row := range r.Values {
			vs[i] = mapList(row, m)
		}
		r.Values = vs
	}
	if s := r.TableSample; s != nil {
		n := *s
		n.Args = mapList(s.Args, m)
		if s.Repeatable != nil {
			n.Repeatable = m(s.Repeatable)
		}
		r.TableSample = &n
	}
}

// mapJoinTree copies a join tree with m applied to its conditions.
func mapJoinTree(t query.FromItem, m func(query.Expr) query.Expr) query.FromItem {
	opt := func(e query.Expr) query.Expr {
		if e == nil {
			return nil
		}
		return m(e)
	}
	switch t := t.(type) {
	case *query.FromExpr:
		if t == nil {
			return t
		}
		n := &query.FromExpr{Quals: opt(t.Quals), Items: make([]query.FromItem, len(t.Items))}
		for i, x := range t.Items {
			n.Items[i] = mapJoinTree(x, m)
		}
		return n
	case *query.JoinExpr:
		n := *t
		n.Left, n.Right = mapJoinTree(t.Left, m), mapJoinTree(t.Right, m)
		n.Quals = opt(t.Quals)
		return &n
	}
	return t
}

func mapOnConflict(o *query.OnConflict, m func(query.Expr) query.Expr) *query.OnConflict {
	if o == nil {
		return nil
	}
	n := *o
	n.Set, n.ExclTargets = mapTargets(o.Set, m), mapTargets(o.ExclTargets, m)
	if o.Where != nil {
		n.Where = m(o.Where)
	}
	if o.ArbiterWhere != nil {
		n.ArbiterWhere = m(o.ArbiterWhere)
	}
	n.ArbiterElems = make([]*query.InferenceElem, len(o.ArbiterElems))
	for i, e := range o.ArbiterElems {
		c := *e
		c.Expr = m(e.Expr)
		n.ArbiterElems[i] = &c
	}
	return &n
}

func mapWithChecks(ws []*query.WithCheckOption, m func(query.Expr) query.Expr) []*query.WithCheckOption {
	out := make([]*query.WithCheckOption, len(ws))
	for i, w := range ws {
		n := *w
		if w.Qual != nil {
			n.Qual = m(w.Qual)
		}
		out[i] = &n
	}
	return out
}

func mapMergeActions(as []*query.MergeAction, m func(query.Expr) query.Expr) []*query.MergeAction {
	out := make([]*query.MergeAction, len(as))
	for i, a := range as {
		n := *a
		if a.Qual != nil {
			n.Qual = m(a.Qual)
		}
		n.Targets = mapTargets(a.Targets, m)
		out[i] = &n
	}
	return out
}

func mapWindows(ws []*query.WindowClause, m func(query.Expr) query.Expr) []*query.WindowClause {
	out := make([]*query.WindowClause, len(ws))
	for i, w := range ws {
		n := *w
		if w.StartOffset != nil {
			n.StartOffset = m(w.StartOffset)
		}
		if w.EndOffset != nil {
			n.EndOffset = m(w.EndOffset)
		}
		out[i] = &n
	}
	return out
}

// visitDeep calls f for every expression of e, those of sub-selects with their depth, until f answers false for one.
func visitDeep(e query.Expr, depth int, f func(e query.Expr, depth int) bool) {
	mutateDeep(e, depth, func(x query.Expr, d int) query.Expr {
		if !f(x, d) {
			return x
		}
		return nil
	})
}

// visitQuery is visitDeep over a query's expressions; the query's own are at depth.
func visitQuery(q *query.Query, depth int, f func(e query.Expr, depth int) bool) {
	mutateQuery(q, depth, func(x query.Expr, d int) query.Expr {
		if !f(x, d) {
			return x
		}
		return nil
	})
}

// shiftLevels adds by to the level of every reference in q (or e) that points at least min levels up.
func shiftQueryLevels(q *query.Query, by, min int) *query.Query {
	if by == 0 {
		return q
	}
	n := mutateQuery(q, min, shifter(by))
	shiftCTERefs(n, by, min)
	return n
}

func shiftLevels(e query.Expr, by, min int) query.Expr {
	if by == 0 || e == nil {
		return e
	}
	n := mutateDeep(e, min, shifter(by))
	walk(n, func(x query.Expr) bool {
		if s, ok := x.(*query.SubLink); ok {
			shiftCTERefs(s.Subquery, by, min+1)
		}
		return true
	})
	return n
}

func shifter(by int) deepFunc {
	return func(e query.Expr, d int) query.Expr {
		switch e := e.(type) {
		case *query.Var:
			if e.LevelsUp >= d {
				c := *e
				c.LevelsUp += by
				return &c
			}
		case *query.Aggref:
			if e.LevelsUp >= d {
				c := *e
				c.LevelsUp += by
				return mapChildren(&c, func(x query.Expr) query.Expr { return mutateDeep(x, d, shifter(by)) })
			}
		case *query.GroupingFunc:
			if e.LevelsUp >= d {
				c := *e
				c.LevelsUp += by
				return mapChildren(&c, func(x query.Expr) query.Expr { return mutateDeep(x, d, shifter(by)) })
			}
		}
		return nil
	}
}

// shiftCTERefs adjusts the CTE references of a query that mutateQuery has copied.
func shiftCTERefs(q *query.Query, by, min int) {
	for _, r := range q.RangeTable {
		if r.Kind == query.RTECTE && r.CTELevelsUp >= min {
			r.CTELevelsUp += by
		}
	}
	eachSubquery(q, func(s *query.Query) { shiftCTERefs(s, by, min+1) })
}

// eachSubquery calls f for each query one level below q: subqueries in FROM, CTEs, SubLinks.
func eachSubquery(q *query.Query, f func(*query.Query)) {
	for _, r := range q.RangeTable {
		if r.Subquery != nil {
			f(r.Subquery)
		}
	}
	for _, c := range q.CTEs {
		f(c.Query)
	}
	visitQuery(q, 0, func(e query.Expr, d int) bool {
		s, ok := e.(*query.SubLink)
		if ok && d == 0 {
			f(s.Subquery)
		}
		return d == 0
	})
}
