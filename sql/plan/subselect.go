package plan

import (
	"fmt"
	"strings"

	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// processSublinks plans the SubLinks of an expression, innermost tests first.
func (r *root) processSublinks(e query.Expr, top bool) query.Expr {
	switch x := e.(type) {
	case nil:
		return nil
	case *query.SubLink:
		test := x.Test
		if test != nil {
			test = r.processSublinks(test, false)
		}
		return r.makeSubplan(x, test, top)
	case *query.BoolExpr:
		if x.Op == query.Not {
			break
		}
		// AND keeps a condition at the top level; OR does when the whole is one.
		args := mapList(x.Args, func(a query.Expr) query.Expr { return r.processSublinks(a, top) })
		if sameList(args, x.Args) {
			return x
		}
		return &query.BoolExpr{Op: x.Op, Args: args, Loc: x.Loc}
	case *query.Aggref:
		if x.LevelsUp > 0 {
			return x
		}
	case *query.GroupingFunc:
		if x.LevelsUp > 0 {
			return x
		}
	}
	return mapChildren(e, func(a query.Expr) query.Expr { return r.processSublinks(a, false) })
}

// makeSubplan plans a sub-select and gives the expression that stands for it: a Param of an init plan, or a SubPlan.
func (r *root) makeSubplan(link *query.SubLink, test query.Expr, top bool) query.Expr {
	sub, kind, simple := link.Subquery, link.Kind, false
	if kind == query.ExistsSubLink && r.simplifiableExists(sub) {
		sub, simple = r.simplifyExists(sub), true
	}
	fraction := 0.0
	switch kind {
	case query.ExistsSubLink:
		fraction = 1
	case query.AllSubLink, query.AnySubLink:
		fraction = 0.5
	}
	subroot, pl, pp := r.planSub(sub, fraction)
	first := r.buildSubplan(pl, subroot, pp, link, test, nil, top)
	if !simple {
		return first
	}
	if _, ok := first.(*query.SubPlan); ok {
		if alt := r.hashedExists(sub, top); alt != nil {
			return &query.AlternativeSubPlan{Subplans: []query.Expr{first, alt}}
		}
	}
	return first
}

// planSub plans a query one level down; pp are the params through which it refers to this level.
func (r *root) planSub(sub *query.Query, fraction float64) (*root, Node, []planParam) {
	saved := r.planParams
	r.planParams = nil
	subroot := r.g.subqueryPlanner(sub, r, false, fraction)
	pp := r.planParams
	r.planParams = saved
	pl := subroot.createPlan(cheapestFractional(subroot.finalRel(), fraction))
	return subroot, pl, pp
}

// buildSubplan makes the node. ids, when given, are the params of an ANY test already in place.
func (r *root) buildSubplan(pl Node, subroot *root, pp []planParam, link *query.SubLink, test query.Expr, ids []int,
	top bool) query.Expr {
	g, kind, id := r.g, link.Kind, link.ID
	s := &query.SubPlan{Kind: kind, ArrayType: link.ArrayType}
	if ts := pl.Base().Targets; len(ts) > 0 && !ts[0].Junk {
		s.FirstType, s.FirstMod, s.FirstColl = ts[0].Expr.Type(), ts[0].Expr.TypMod(), ts[0].Expr.Collation()
	} else {
		s.FirstType, s.FirstMod = types.VoidOID, -1
	}
	for _, p := range pp {
		s.ParParam = append(s.ParParam, p.param.ID)
		s.Args = append(s.Args, r.processSublinks(p.expr, false))
	}
	init := false
	var result query.Expr = s
	switch {
	case len(s.ParParam) == 0 && kind == query.ExistsSubLink:
		p := g.newParam(types.BoolOID, -1, 0)
		s.SetParam, init, result = []int{p.ID}, true, p
	case len(s.ParParam) == 0 && kind == query.ExprSubLink:
		p := g.newParam(s.FirstType, s.FirstMod, s.FirstColl)
		s.SetParam, init, result = []int{p.ID}, true, p
	case len(s.ParParam) == 0 && kind == query.ArraySubLink:
		p := g.newParam(s.Type(), s.FirstMod, s.FirstColl)
		s.SetParam, init, result = []int{p.ID}, true, p
	case len(s.ParParam) == 0 && kind == query.RowCompareSubLink:
		ps := g.paramsForTargets(pl.Base().Targets)
		s.SetParam, init, result = paramIDs(ps), true, convertTest(test, ps)
	case kind == query.MultiExprSubLink:
		ps := g.paramsForTargets(pl.Base().Targets)
		s.SetParam = paramIDs(ps)
		for len(r.multiExpr) < id {
			r.multiExpr = append(r.multiExpr, nil)
		}
		r.multiExpr[id-1] = ps
		if len(s.ParParam) == 0 {
			init, result = true, nullConst(types.RecordOID, -1, 0)
		}
	default:
		pl = r.comparisonSubplan(s, pl, kind, test, ids, top)
	}
	g.subplans = append(g.subplans, pl)
	g.subroots = append(g.subroots, subroot)
	s.PlanID = len(g.subplans)
	if init {
		g.initPlans[s.PlanID] = true
		r.initPlans = append(r.initPlans, s)
	}
	if len(s.ParParam) == 0 && !init && !s.UseHash {
		g.rewind[s.PlanID] = true
	}
	s.Name = subplanName(s, init)
	g.costSubplan(s, pl)
	return result
}

func subplanName(s *query.SubPlan, init bool) string {
	if !init && s.Kind != query.MultiExprSubLink {
		return fmt.Sprintf("SubPlan %d", s.PlanID)
	}
	var b strings.Builder
	word := "SubPlan"
	if init {
		word = "InitPlan"
	}
	fmt.Fprintf(&b, "%s %d (returns ", word, s.PlanID)
	for i, p := range s.SetParam {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "$%d", p)
	}
	b.WriteByte(')')
	return b.String()
}

// comparisonSubplan finishes a SubPlan that is run where it stands: its test, and whether it is hashed or its output kept.
func (r *root) comparisonSubplan(s *query.SubPlan, pl Node, kind query.SubLinkKind, test query.Expr, ids []int, top bool) Node {
	s.UnknownEqFalse = top && (kind == query.AnySubLink || kind == query.ExistsSubLink)
	if test != nil {
		if ids == nil {
			ps := r.g.paramsForTargets(pl.Base().Targets)
			ids = paramIDs(ps)
			test = convertTest(test, ps)
		}
		s.Test, s.ParamIDs = test, ids
	}
	if len(s.ParParam) > 0 {
		return pl
	}
	if kind == query.AnySubLink && r.g.hashableSubplan(pl) && r.g.hashableTest(test, ids) {
		s.UseHash = true
		return pl
	}
	if r.g.set.EnableMaterial && !materializesOutput(pl) {
		return materializeFinished(r.g, pl)
	}
	return pl
}

func (g *glob) newParam(typ OID, mod int32, coll OID) *query.Param {
	return &query.Param{Kind: query.ParamExec, ID: g.newExecParam(typ), TypeOID: typ, Mod: mod, Coll: coll, Loc: -1}
}

func (g *glob) paramsForTargets(ts []*query.TargetEntry) (ps []*query.Param) {
	for _, t := range ts {
		if !t.Junk {
			ps = append(ps, g.newParam(t.Expr.Type(), t.Expr.TypMod(), t.Expr.Collation()))
		}
	}
	return ps
}

func paramIDs(ps []*query.Param) []int {
	ids := make([]int, len(ps))
	for i, p := range ps {
		ids[i] = p.ID
	}
	return ids
}

// convertTest puts exec params where a test reads the sub-select's columns.
func convertTest(test query.Expr, ps []*query.Param) query.Expr {
	return mutate(test, func(e query.Expr) query.Expr {
		if p, ok := e.(*query.Param); ok && p.Kind == query.ParamSublink {
			return ps[p.ID-1]
		}
		return nil
	})
}

// hashableSubplan: its output is expected to fit in the memory that hashing may use.
func (g *glob) hashableSubplan(pl Node) bool {
	b := pl.Base()
	return b.Rows*(float64(align8(b.Width))+align8f(sizeofHeapTupleHeader)) <= g.hashMem()
}

// hashableTest: all comparisons are hashable, strict equalities with the sub-select's column on one side.
func (g *glob) hashableTest(test query.Expr, ids []int) bool {
	for _, t := range implicitAnd(test) {
		o, ok := t.(*query.OpExpr)
		if !ok || len(o.Args) != 2 || !g.hashableOp(o) || readsParam(o.Args[0], ids) || hasVars(o.Args[1]) || hasSubplan(o.Args[1]) {
			return false
		}
	}
	return test != nil
}

func readsParam(e query.Expr, ids []int) bool {
	return exists(e, func(x query.Expr) bool {
		p, ok := x.(*query.Param)
		if !ok || p.Kind != query.ParamExec {
			return false
		}
		for _, id := range ids {
			if id == p.ID {
				return true
			}
		}
		return false
	})
}

func (g *glob) hashableOp(o *query.OpExpr) bool {
	op := g.oper(o.OpOID)
	return g.opHashable(o.OpOID, o.Args[0].Type()) && g.proc(op.Func).Strict
}

// hashedExists plans EXISTS as x IN (SELECT ...) over an uncorrelated sub-select when its conditions allow, for hashing.
func (r *root) hashedExists(sub *query.Query, top bool) query.Expr {
	conv, test, ps := r.existsToAny(sub)
	if conv == nil {
		return nil
	}
	subroot, pl, pp := r.planSub(conv, 0)
	if len(pp) > 0 || !r.g.hashableSubplan(pl) || !r.g.hashableTest(test, paramIDs(ps)) {
		return nil
	}
	e := r.buildSubplan(pl, subroot, nil, &query.SubLink{Kind: query.AnySubLink}, test, paramIDs(ps), true)
	if s, ok := e.(*query.SubPlan); ok && s.UseHash {
		return s
	}
	return nil
}

// existsToAny splits the condition of a correlated EXISTS into outer = inner comparisons and the rest.
func (r *root) existsToAny(sub *query.Query) (*query.Query, query.Expr, []*query.Param) {
	if sub.JoinTree == nil || sub.JoinTree.Quals == nil || len(sub.CTEs) > 0 {
		return nil, nil, nil
	}
	where := sub.JoinTree.Quals
	c := *sub
	c.JoinTree = &query.FromExpr{Items: sub.JoinTree.Items}
	if queryRefsLevel(&c, 1) || r.g.volatile(where) {
		return nil, nil, nil
	}
	s := &root{g: r.g, q: &c, parent: r, level: r.level + 1}
	for _, e := range c.RangeTable {
		s.hasJoinRTEs = s.hasJoinRTEs || e.Kind == query.RTEJoin
	}
	if s.hasJoinRTEs {
		where = mutateDeep(where, 0, s.flattenAlias)
	}
	where = canonicalize(r.g.fold(where))
	var outer, inner, rest []query.Expr
	var ops []*query.OpExpr
	for _, q := range implicitAnd(where) {
		o, ok := q.(*query.OpExpr)
		if !ok || len(o.Args) != 2 || !r.g.hashableOp(o) || !refsUpper(o) {
			if refsUpper(q) || exists(q, isSubLink) {
				return nil, nil, nil
			}
			rest = append(rest, q)
			continue
		}
		if refsUpper(o.Args[1]) {
			if o = r.g.commute(o); o == nil {
				return nil, nil, nil
			}
		}
		if !refsUpper(o.Args[0]) || hasVars(o.Args[0]) || refsUpper(o.Args[1]) || !hasVars(o.Args[1]) ||
			exists(o, isSubLink) || deepUpper(o.Args[0], 2) {
			return nil, nil, nil
		}
		ops, outer, inner = append(ops, o), append(outer, o.Args[0]), append(inner, o.Args[1])
	}
	if len(ops) == 0 {
		return nil, nil, nil
	}
	c.JoinTree.Quals = nil
	if len(rest) > 0 {
		c.JoinTree.Quals = makeAnd(rest)
	}
	var tests []query.Expr
	var ps []*query.Param
	for i, o := range ops {
		c.Targets = append(c.Targets, &query.TargetEntry{Expr: inner[i], ResNo: i + 1})
		p := r.g.newParam(inner[i].Type(), inner[i].TypMod(), inner[i].Collation())
		ps = append(ps, p)
		n := *o
		n.Args = []query.Expr{r.preprocessShifted(outer[i]), p}
		tests = append(tests, &n)
	}
	return &c, makeAnd(tests), ps
}

func (r *root) preprocessShifted(e query.Expr) query.Expr {
	e = shiftLevels(e, -1, 1)
	if r.hasJoinRTEs {
		e = mutateDeep(e, 0, r.flattenAlias)
	}
	return e
}

func isSubLink(e query.Expr) bool { _, ok := e.(*query.SubLink); return ok }

func deepUpper(e query.Expr, n int) bool {
	return exists(e, func(x query.Expr) bool { v, ok := x.(*query.Var); return ok && v.LevelsUp >= n })
}
