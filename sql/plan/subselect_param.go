package plan

import (
	"github.com/calfdb/calf/sql/query"
)

// replaceCorrelation puts exec params where an expression refers to outer query levels.
func (r *root) replaceCorrelation(e query.Expr) query.Expr {
	return mutate(e, func(x query.Expr) query.Expr {
		switch x := x.(type) {
		case *query.Var:
			if x.LevelsUp > 0 {
				return r.outerParam(x, x.LevelsUp)
			}
		case *query.Aggref:
			if x.LevelsUp > 0 {
				return r.outerParam(x, x.LevelsUp)
			}
		case *query.GroupingFunc:
			if x.LevelsUp > 0 {
				return r.outerParam(x, x.LevelsUp)
			}
		}
		return nil
	})
}

// outerParam gives the param that carries an expression of the level n up, registering it there.
func (r *root) outerParam(e query.Expr, n int) query.Expr {
	up := r
	for i := 0; i < n; i++ {
		up = up.parent
	}
	local := shiftLevels(e, -n, n)
	for _, p := range up.planParams {
		if equal(p.expr, local) {
			return p.param
		}
	}
	p := r.g.newParam(e.Type(), e.TypMod(), e.Collation())
	up.planParams = append(up.planParams, planParam{local, p})
	return p
}

// outerParamSet is what exec params are available to this level from outside: the outer levels' params for it, their init plans' and
// CTEs' outputs, and work tables.
func (r *root) outerParamSet() ParamSet {
	s := ParamSet{}
	for up := r.parent; up != nil; up = up.parent {
		for _, p := range up.planParams {
			s[p.param.ID] = struct{}{}
		}
		for _, i := range up.initPlans {
			for _, id := range i.SetParam {
				s[id] = struct{}{}
			}
		}
		if up.wtParam >= 0 {
			s[up.wtParam] = struct{}{}
		}
	}
	return s
}

// chargeForInitPlans adds the costs of this level's init plans to its paths.
func (r *root) chargeForInitPlans(final *rel) {
	if len(r.initPlans) == 0 {
		return
	}
	cost := 0.0
	for _, s := range r.initPlans {
		cost += s.StartupCost + s.PerCallCost
	}
	for _, p := range final.paths {
		p.startup += cost
		p.total += cost
	}
}

// processCTEs plans the WITH items of this level, or inlines them where that is asked for or better.
func (r *root) processCTEs() {
	r.cteParams = make([]cteState, len(r.q.CTEs))
	for i := range r.q.CTEs {
		c := r.q.CTEs[i] // not of a range over r.q: inlining copies the query
		if c.RefCount == 0 && c.Query.Command == query.CmdSelect {
			continue
		}
		if (c.Materialized == 'n' || c.Materialized != 'm' && c.RefCount == 1) && !c.Recursive && c.Query.Command == query.CmdSelect &&
			!modifies(c.Query) && (c.RefCount <= 1 || !selfRefOutside(c.Query, 0)) && !r.g.volatileQuery(c.Query) {
			r.inlineCTE(c)
			continue
		}
		r.planCTE(i, c)
	}
}

func modifies(q *query.Query) bool {
	found := q.Command != query.CmdSelect || len(q.RowMarks) > 0
	eachSubquery(q, func(s *query.Query) { found = found || modifies(s) })
	return found
}

func selfRefOutside(q *query.Query, depth int) bool {
	found := false
	for _, e := range q.RangeTable {
		if e.Kind == query.RTECTE && e.SelfRef && e.CTELevelsUp > depth {
			found = true
		}
	}
	eachSubquery(q, func(s *query.Query) { found = found || selfRefOutside(s, depth+1) })
	return found
}

func (g *glob) volatileQuery(q *query.Query) bool {
	found := false
	visitQuery(q, 0, func(e query.Expr, _ int) bool {
		if _, ok := e.(*query.NextValueExpr); ok {
			found = true
		}
		if !found {
			g.eachFunc(e, func(fn OID) { found = found || g.proc(fn).Volatile == 'v' })
		}
		return !found
	})
	return found
}

// inlineCTE puts the CTE's query where it is referred to.
func (r *root) inlineCTE(c *query.CTE) {
	n := mutateQuery(r.q, 0, func(query.Expr, int) query.Expr { return nil })
	replaceCTERefs(n, c, 0)
	r.q = n
}

func replaceCTERefs(q *query.Query, c *query.CTE, depth int) {
	for _, e := range q.RangeTable {
		if e.Kind == query.RTECTE && e.CTELevelsUp == depth && e.CTEName == c.Name {
			e.Kind = query.RTESubquery
			e.Subquery = shiftQueryLevels(c.Query, depth, 1)
			e.SecurityBarrier = false
			e.CTEName, e.CTELevelsUp, e.SelfRef = "", 0, false
			e.ColTypes, e.ColTypMods, e.ColCollations = nil, nil, nil
			continue
		}
		if e.Subquery != nil {
			replaceCTERefs(e.Subquery, c, depth+1)
		}
	}
	for _, x := range q.CTEs {
		if x != c && x.Name != c.Name {
			replaceCTERefs(x.Query, c, depth+1)
		}
	}
	visitQuery(q, 0, func(e query.Expr, d int) bool {
		if s, ok := e.(*query.SubLink); ok && d == 0 {
			replaceCTERefs(s.Subquery, c, depth+1)
		}
		return d == 0
	})
}

func (r *root) planCTE(i int, c *query.CTE) {
	saved := r.planParams
	r.planParams = nil
	sub := r.g.subqueryPlanner(c.Query, r, c.Recursive, 0)
	r.planParams = saved // a CTE cannot refer to its own level: nothing was added
	best := sub.finalRel().cheapestTotal
	pl := sub.createPlan(best)
	s := &query.SubPlan{Kind: query.CTESubLink, Name: "CTE " + c.Name}
	if ts := pl.Base().Targets; len(ts) > 0 {
		s.FirstType, s.FirstMod, s.FirstColl = ts[0].Expr.Type(), ts[0].Expr.TypMod(), ts[0].Expr.Collation()
	}
	r.g.subplans = append(r.g.subplans, pl)
	r.g.subroots = append(r.g.subroots, sub)
	s.PlanID = len(r.g.subplans)
	s.SetParam = []int{r.g.newExecParam(0)}
	r.initPlans = append(r.initPlans, s)
	r.g.costSubplan(s, pl)
	r.cteParams[i] = cteState{planID: s.PlanID, param: s.SetParam[0], root: sub, path: best}
}

// findCTE finds the state of the CTE that an entry refers to.
func (r *root) findCTE(e *query.RTE) (cteState, *query.CTE) {
	up := r
	for i := 0; i < e.CTELevelsUp; i++ {
		up = up.parent
	}
	for i, c := range up.q.CTEs {
		if c.Name == e.CTEName {
			return up.cteParams[i], c
		}
	}
	return cteState{}, nil
}
