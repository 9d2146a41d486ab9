package analyze

import (
	"slices"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// checkAggregates makes sure that a grouped query uses ungrouped columns only inside aggregates, and resolves GROUPING.
func (p *state) checkAggregates(q *query.Query) {
	c := &groupCheck{p: p, q: q}
	if len(q.GroupingSets) > 0 {
		c.groupingSets()
	}
	p.checkRecursiveAggregates(q)
	hasJoins := false
	for _, r := range q.RangeTable {
		hasJoins = hasJoins || r.Kind == query.RTEJoin
	}
	flatten := func(e query.Expr) query.Expr {
		if hasJoins {
			return FlattenJoinVars(q.RangeTable, e)
		}
		return e
	}
	for _, g := range q.GroupBy {
		t := targetByRef(q.Targets, g.Ref)
		e := flatten(t.Expr)
		c.exprs = append(c.exprs, e)
		c.refs = append(c.refs, g.Ref)
		if v, ok := e.(*query.Var); ok {
			c.vars = append(c.vars, v)
		}
	}
	for _, t := range q.Targets {
		c.resolveGrouping(t.Expr, flatten)
		c.check(flatten(t.Expr), 0)
	}
	if q.Having != nil {
		c.resolveGrouping(q.Having, flatten)
		c.check(flatten(q.Having), 0)
	}
}

// checkRecursiveAggregates: aggregates are not allowed in the recursive term of WITH RECURSIVE.
func (p *state) checkRecursiveAggregates(q *query.Query) {
	if !p.hasAggs {
		return
	}
	for _, r := range q.RangeTable {
		if r.Kind == query.RTECTE && r.SelfRef {
			at := -1
			for _, t := range q.Targets {
				query.Walk(t.Expr, func(e query.Expr) bool {
					if a, ok := e.(*query.Aggref); ok && at < 0 {
						at = a.Loc
					}
					return true
				})
			}
			fail(at, pgerr.InvalidRecursion, "aggregate functions are not allowed in a recursive query's recursive term")
		}
	}
}

// FlattenJoinVars replaces references to join output columns by what they stand for.
func FlattenJoinVars(rtable []*query.RTE, e query.Expr) query.Expr {
	return query.MutateLevels(e, func(x query.Expr, level int) (query.Expr, bool) {
		v, ok := x.(*query.Var)
		if !ok || v.LevelsUp != level || v.VarNo < 1 || v.VarNo > len(rtable) {
			return nil, false
		}
		rte := rtable[v.VarNo-1]
		if rte.Kind != query.RTEJoin || v.AttNo <= 0 {
			return x, true
		}
		a := FlattenJoinVars(rtable, rte.JoinAliasVars[v.AttNo-1])
		return IncrementLevels(a, level), true
	})
}

// IncrementLevels moves an expression delta query levels down: its references to levels outside it grow.
func IncrementLevels(e query.Expr, delta int) query.Expr {
	if delta == 0 {
		return e
	}
	return query.MutateLevels(e, func(x query.Expr, level int) (query.Expr, bool) {
		switch x := x.(type) {
		case *query.Var:
			if x.LevelsUp >= level {
				v := *x
				v.LevelsUp += delta
				return &v, true
			}
		}
		return nil, false
	})
}

type groupCheck struct {
	p     *state
	q     *query.Query
	exprs []query.Expr
	refs  []uint32
	vars  []*query.Var
	// common says whether a grouping column is in every grouping set; only such help functional dependency.
	common map[uint32]bool
}

// grouped gives the reference of the grouping expression that equals e, 0 when there is none.
func (c *groupCheck) grouped(e query.Expr, level int) uint32 {
	for i, g := range c.exprs {
		if query.Equal(IncrementLevels(g, level), e) {
			return c.refs[i]
		}
	}
	return 0
}

// check walks e at a level under the query and complains of ungrouped columns.
func (c *groupCheck) check(e query.Expr, level int) {
	switch x := e.(type) {
	case nil, *query.Const, *query.Param:
		return
	case *query.Aggref:
		if x.LevelsUp == level {
			for _, d := range x.DirectArgs {
				c.checkDirect(d, level)
			}
			return
		}
		if x.LevelsUp > level {
			return
		}
	case *query.GroupingFunc:
		if x.LevelsUp >= level {
			return
		}
	case *query.Var:
		if x.LevelsUp == level {
			c.checkVar(x, level)
		}
		return
	}
	if _, isSub := e.(*query.SubLink); !isSub && c.grouped(e, level) != 0 {
		return
	}
	query.Children(e, func(x query.Expr) { c.check(x, level) })
	if s, ok := e.(*query.SubLink); ok {
		c.checkQuery(s.Subquery, level+1)
	}
}

func (c *groupCheck) checkDirect(e query.Expr, level int) {
	defer func() {
		if r := recover(); r != nil {
			if b, ok := r.(bailout); ok {
				pe := pgerr.From(b.err)
				if pe.Code == pgerr.GroupingError && pe.Detail == "" {
					pe.Detail = "Direct arguments of an ordered-set aggregate must use only grouped columns."
				}
			}
			panic(r)
		}
	}()
	c.check(e, level)
}

func (c *groupCheck) checkQuery(q *query.Query, level int) {
	query.WalkQuery(q, func(e query.Expr) bool {
		c.check(e, level)
		return false
	}, func(sub *query.Query) { c.checkQuery(sub, level+1) })
}

func (c *groupCheck) checkVar(v *query.Var, level int) {
	for _, g := range c.vars {
		if g.VarNo == v.VarNo && g.AttNo == v.AttNo && g.LevelsUp == 0 {
			return
		}
	}
	rte := c.q.RangeTable[v.VarNo-1]
	if rte.Kind == query.RTERelation && c.dependent(rte, v.VarNo) {
		return
	}
	name := "*"
	switch {
	case v.AttNo > 0:
		name = rte.Eref.Cols[v.AttNo-1]
	case v.AttNo < 0:
		for n, s := range systemColumns {
			if s.num == v.AttNo {
				name = n
			}
		}
	}
	if level == 0 {
		fail(v.Loc, pgerr.GroupingError, "column \"%s.%s\" must appear in the GROUP BY clause or be used in an aggregate function", rte.Eref.Name, name)
	}
	fail(v.Loc, pgerr.GroupingError, "subquery uses ungrouped column \"%s.%s\" from outer query", rte.Eref.Name, name)
}

// dependent says whether a relation's columns depend functionally on the grouping columns: its primary key is among them.
func (c *groupCheck) dependent(rte *query.RTE, index int) bool {
	rel := c.p.relation(rte.RelOID)
	for _, ix := range rel.Indexes {
		if !ix.Primary || !ix.Immediate || ix.Constraint == 0 {
			continue
		}
		all := true
		for _, k := range ix.Keys[:ix.NumKeys] {
			found := false
			for i, e := range c.exprs {
				v, ok := e.(*query.Var)
				if ok && v.VarNo == index && v.AttNo == k && v.LevelsUp == 0 && (c.common == nil || c.common[c.refs[i]]) {
					found = true
				}
			}
			all = all && found
		}
		if all {
			if !slices.Contains(c.q.ConstraintDeps, ix.Constraint) {
				c.q.ConstraintDeps = append(c.q.ConstraintDeps, ix.Constraint)
			}
			return true
		}
	}
	return false
}

// resolveGrouping fills in which grouping columns each GROUPING(...) means.
func (c *groupCheck) resolveGrouping(e query.Expr, flatten func(query.Expr) query.Expr) {
	query.WalkLevels(e, func(x query.Expr, level int) bool {
		g, ok := x.(*query.GroupingFunc)
		if !ok || g.LevelsUp != level {
			return true
		}
		g.Refs = nil
		for _, a := range g.Args {
			ref := c.grouped(flatten(a), level)
			if ref == 0 {
				fail(exprLocation(a), pgerr.GroupingError, "arguments to GROUPING must be grouping expressions of the associated query level")
			}
			g.Refs = append(g.Refs, ref)
		}
		return false
	})
}

// groupingSets expands the sets far enough to count them and to know the columns common to all.
func (c *groupCheck) groupingSets() {
	const setsMax = 4096
	sets := query.ExpandGroupingSets(c.q.GroupingSets, c.q.GroupDistinct, setsMax)
	if sets == nil {
		at := -1
		if len(c.q.GroupingSets) > 0 {
			at = c.q.GroupingSets[0].Location
		}
		fail(at, pgerr.StatementTooComplex, "too many grouping sets present (maximum %d)", setsMax)
	}
	c.common = map[uint32]bool{}
	for _, r := range sets[0] {
		in := true
		for _, s := range sets[1:] {
			in = in && slices.Contains(s, r)
		}
		c.common[r] = in
	}
}
