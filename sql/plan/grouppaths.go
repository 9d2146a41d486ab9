package plan

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// queryPlanner joins the base relations: the result has paths for the scan/join target.
func (r *root) queryPlanner(u *upper) *rel {
	r.addBaseRels()
	if i := r.allBase.single(); i > 0 && r.rte(i).Kind == query.RTEResult {
		return r.oneRowRel(i, u)
	}
	r.buildBaseTlists(r.processedTargets)
	r.findLateral()
	list := r.deconstruct()
	for _, ri := range append(append(r.lefts, r.rights...), r.fulls...) {
		r.distributeRestrict(ri)
	}
	r.baseEqualities()
	r.setQueryKeys(u)
	r.closeLateral()
	r.expandInherited()
	final := r.makeOneRel(list)
	if final == nil || final.cheapestTotal == nil || final.cheapestTotal.param != nil {
		fail(pgerr.Internal("failed to construct the join relation"))
	}
	return final
}

// oneRowRel plans a query without FROM: one row, if WHERE lets it pass.
func (r *root) oneRowRel(i int, u *upper) *rel {
	b := r.rels[i]
	b.rows = 1
	quals := implicitAnd(r.q.JoinTree.Quals)
	p := &path{kind: pGroupResult, rel: b, target: b.target, quals: quals, rows: 1}
	p.setCost(0, r.g.set.CPUTupleCost)
	if len(quals) > 0 {
		c := r.g.exprsCost(quals)
		p.startup += c.startup + c.tuple
		p.total += c.startup + c.tuple
	}
	addPath(b, p)
	r.setCheapest(b)
	r.ecMergingDone = true
	r.setQueryKeys(u)
	return b
}

// setQueryKeys makes the path keys of GROUP BY, windows, DISTINCT and ORDER BY, and says which the joins should aim at.
func (r *root) setQueryKeys(u *upper) {
	q, ts := r.q, r.processedTargets
	groups := q.GroupBy
	if u != nil && u.sets != nil {
		groups = nil
		if len(u.sets.rollups) > 0 {
			groups = u.sets.rollups[0].groups
		}
	}
	if len(groups) > 0 && sortable(groups) {
		r.groupPathkeys = r.keysForSort(groups, ts)
	}
	if u != nil && len(u.windows) > 0 {
		r.windowPathkeys = r.windowKeys(u.windows[0])
	}
	if len(q.Distinct) > 0 && sortable(q.Distinct) {
		r.distinctPathkeys = r.keysForSort(q.Distinct, ts)
	}
	r.sortPathkeys = r.keysForSort(q.SortBy, ts)
	switch {
	case len(r.groupPathkeys) > 0:
		r.queryPathkeys = r.groupPathkeys
	case len(r.windowPathkeys) > 0:
		r.queryPathkeys = r.windowPathkeys
	case len(r.distinctPathkeys) > len(r.sortPathkeys):
		r.queryPathkeys = r.distinctPathkeys
	default:
		r.queryPathkeys = r.sortPathkeys
	}
}

// groupInputTarget is what grouping reads: the grouping columns, and the Vars of everything else.
func (r *root) groupInputTarget(final *pathTarget) *pathTarget {
	t := &pathTarget{}
	var rest []query.Expr
	for i, e := range final.exprs {
		if ref := final.ref(i); ref != 0 && groupHas(r.q.GroupBy, ref) {
			t.exprs, t.refs = append(t.exprs, e), append(t.refs, ref)
		} else {
			rest = append(rest, e)
		}
	}
	rest = append(rest, implicitAnd(r.q.Having)...)
	addVarsTo(t, rest, false)
	return r.newTarget(t.exprs, t.refs)
}

// addVarsTo adds the Vars of expressions (with aggs: and their Aggrefs and window functions whole) that a target lacks.
func addVarsTo(t *pathTarget, exprs []query.Expr, aggs bool) {
	add := func(e query.Expr) {
		if !member(t.exprs, e) {
			t.exprs, t.refs = append(t.exprs, e), append(t.refs, 0)
		}
	}
	for _, e := range exprs {
		walk(e, func(x query.Expr) bool {
			switch x := x.(type) {
			case *query.Var:
				if x.LevelsUp == 0 {
					add(x)
				}
			case *query.Aggref:
				if aggs && x.LevelsUp == 0 {
					add(x)
					return false
				}
			case *query.GroupingFunc:
				if aggs && x.LevelsUp == 0 {
					add(x)
					return false
				}
			}
			return true
		})
	}
}

// sortInputTarget leaves volatile, set-returning and expensive columns until after the sort when they are not sorted by.
func (r *root) sortInputTarget(final *pathTarget) *pathTarget {
	q := r.q
	haveSRF, srfSort := false, false
	volatile, costly := false, false
	postpone := make([]bool, len(final.exprs))
	for i, e := range final.exprs {
		if final.ref(i) != 0 {
			srfSort = srfSort || returnsSet(e)
			continue
		}
		switch {
		case q.HasTargetSRFs && returnsSet(e):
			postpone[i], haveSRF = true, true
		case r.g.volatile(e):
			postpone[i], volatile = true, true
		case r.g.exprCost(e).tuple > 10*r.g.set.CPUOperatorCost:
			postpone[i], costly = true, true
		}
	}
	postSRF := haveSRF && !srfSort
	want := postSRF || volatile || costly && (q.LimitCount != nil || r.tupleFraction > 0)
	if !want || srfSort && haveSRF && !volatile {
		return final
	}
	t := &pathTarget{}
	var rest []query.Expr
	for i, e := range final.exprs {
		if postpone[i] && (!returnsSet(e) || postSRF) && (volatile || postSRF || costly) {
			rest = append(rest, e)
			continue
		}
		t.exprs, t.refs = append(t.exprs, e), append(t.refs, final.ref(i))
	}
	addVarsTo(t, rest, true)
	for _, e := range rest {
		walk(e, func(x query.Expr) bool {
			if w, ok := x.(*query.WindowFunc); ok && !member(t.exprs, w) {
				t.exprs, t.refs = append(t.exprs, w), append(t.refs, 0)
			}
			return true
		})
	}
	return r.newTarget(t.exprs, t.refs)
}

// groupingPaths makes the aggregation paths.
func (r *root) groupingPaths(in *rel, t *pathTarget, u *upper) *rel {
	q, ac := r.q, &u.aggCosts
	out := r.upperRel(in, t)
	having := implicitAnd(q.Having)
	if !q.HasAggs && len(q.GroupBy) == 0 { // HAVING or empty grouping sets alone: one row each, whatever the input
		p := &path{kind: pGroupResult, rel: out, target: t, quals: having, rows: 1}
		c := r.g.exprsCost(having)
		p.startup = t.cost.startup + c.startup + c.tuple
		p.total = p.startup + r.g.set.CPUTupleCost + t.cost.tuple
		if u.sets != nil {
			p = r.emptySetsPath(out, p, len(u.sets.sets))
		}
		addPath(out, p)
		r.setCheapest(out)
		return out
	}
	if mm := r.minMaxPath(out, t, having); mm != nil {
		addPath(out, mm)
	}
	groups := r.numberOfGroups(in.cheapestTotal.rows, u.sets)
	cheapest := in.cheapestTotal
	if u.sets != nil && len(u.sets.rollups) > 0 || sortable(q.GroupBy) {
		for _, p := range in.paths {
			if p.param == nil {
				r.sortedGroupPaths(out, p, p == cheapest, t, u, having, groups)
			}
		}
	}
	if len(q.GroupBy) > 0 && r.canHashGroup(u.sets) {
		if u.sets != nil {
			r.hashedSetPaths(out, cheapest, t, u.sets, ac, having, groups)
		} else {
			addPath(out, r.aggPath(out, cheapest, t, AggHashed, ac, having, groups))
		}
	}
	if len(out.paths) == 0 {
		failGroupBy()
	}
	r.setCheapest(out)
	return out
}

func (r *root) numberOfGroups(rows float64, sets *groupingSets) float64 {
	switch {
	case sets != nil:
		return r.estimateGroupingSets(sets, rows)
	case len(r.q.GroupBy) == 0:
		return 1
	}
	var exprs []query.Expr
	for _, s := range r.q.GroupBy {
		exprs = append(exprs, targetByRef(r.processedTargets, s.Ref).Expr)
	}
	return r.estimateGroups(exprs, rows)
}

// canHashGroup: hashable columns, and no aggregate that wants its input in order.
func (r *root) canHashGroup(sets *groupingSets) bool {
	if sets != nil && !sets.anyHash || sets == nil && !hashable(r.q.GroupBy) {
		return false
	}
	for _, a := range r.aggs {
		if len(a.ref.Order) > 0 || len(a.ref.Distinct) > 0 || a.ref.Kind != 'n' {
			return false
		}
	}
	return true
}

func (r *root) sortedGroupPaths(out *rel, p *path, cheapest bool, t *pathTarget, u *upper, having []query.Expr, groups float64) {
	presorted, ok := commonKeys(r.groupPathkeys, p.keys)
	if !ok {
		if cheapest {
			r.addGrouped(out, r.sortPath(p, r.groupPathkeys, -1), t, u, having, groups)
		}
		if presorted == 0 || !r.g.set.EnableIncrementalSort {
			return
		}
		p = r.incrementalSortPath(p, r.groupPathkeys, presorted, -1)
	}
	r.addGrouped(out, p, t, u, having, groups)
}

func (r *root) addGrouped(out *rel, p *path, t *pathTarget, u *upper, having []query.Expr, groups float64) {
	if u.sets != nil {
		canHash := len(r.q.GroupBy) > 0 && r.canHashGroup(u.sets)
		r.groupingSetPaths(out, p, t, canHash, u.sets, &u.aggCosts, having)
		return
	}
	if r.q.HasAggs {
		strategy := AggSorted
		if len(r.q.GroupBy) == 0 {
			strategy = AggPlain
		}
		addPath(out, r.aggPath(out, p, t, strategy, &u.aggCosts, having, groups))
		return
	}
	n := &path{kind: pGroup, rel: out, target: t, keys: p.keys, sub: p, quals: having, upper: &upperPath{groups: r.q.GroupBy}}
	r.costGroup(n, len(r.q.GroupBy), groups, having, p.startup, p.total, p.rows)
	n.startup += t.cost.startup
	n.total += t.cost.startup + t.cost.tuple*n.rows
	addPath(out, n)
}

func (r *root) aggPath(out *rel, p *path, t *pathTarget, strategy AggStrategy, ac *aggCosts, having []query.Expr, groups float64) *path {
	n := &path{kind: pAgg, rel: out, target: t, sub: p, quals: having, upper: &upperPath{strategy: strategy, groups: r.q.GroupBy, numGroups: groups}}
	if strategy == AggSorted {
		n.keys = p.keys
	}
	r.costAgg(n, strategy, ac, len(r.q.GroupBy), groups, having, p.startup, p.total, p.rows, p.target.width)
	n.startup += t.cost.startup
	n.total += t.cost.startup + t.cost.tuple*n.rows
	return n
}

// distinctPaths makes the paths of SELECT DISTINCT.
func (r *root) distinctPaths(in *rel) *rel {
	q := r.q
	out := r.upperRel(in, in.target)
	cheapest := in.cheapestTotal
	rows := 0.0
	if len(q.GroupBy) > 0 || len(q.GroupingSets) > 0 || q.HasAggs || r.hasHaving {
		rows = cheapest.rows
	} else {
		var exprs []query.Expr
		for _, s := range q.Distinct {
			exprs = append(exprs, targetByRef(r.processedTargets, s.Ref).Expr)
		}
		rows = r.estimateGroups(exprs, cheapest.rows)
	}
	if sortable(q.Distinct) {
		need := r.distinctPathkeys
		if q.HasDistinctOn && len(r.distinctPathkeys) < len(r.sortPathkeys) {
			need = r.sortPathkeys
		}
		for _, p := range in.paths {
			if containedIn(need, p.keys) {
				addPath(out, r.uniquePathOf(out, p, len(r.distinctPathkeys), rows))
			}
		}
		full := need
		if len(need) < len(r.sortPathkeys) {
			full = r.sortPathkeys
		}
		p := cheapest
		if !containedIn(full, p.keys) {
			p = r.sortPath(p, full, -1)
		}
		addPath(out, r.uniquePathOf(out, p, len(r.distinctPathkeys), rows))
	}
	if len(out.paths) == 0 || !q.HasDistinctOn && r.g.set.EnableHashAgg {
		if hashable(q.Distinct) && !q.HasDistinctOn {
			n := &path{kind: pAgg, rel: out, target: cheapest.target, sub: cheapest,
				upper: &upperPath{strategy: AggHashed, groups: q.Distinct, numGroups: rows}}
			r.costAgg(n, AggHashed, nil, len(q.Distinct), rows, nil, cheapest.startup, cheapest.total, cheapest.rows, cheapest.target.width)
			addPath(out, n)
		}
	}
	if len(out.paths) == 0 {
		fail(pgerr.New(pgerr.FeatureNotSupported, "could not implement DISTINCT").
			WithDetail("Some of the datatypes only support hashing, while others only support sorting."))
	}
	r.setCheapest(out)
	return out
}

// uniquePathOf drops adjacent rows equal in the first n keys. With no key left, all rows are equal: one is enough.
func (r *root) uniquePathOf(out *rel, p *path, n int, rows float64) *path {
	if n == 0 {
		one := &query.Const{TypeOID: 20, Mod: -1, Value: int8One, Loc: -1}
		l := &path{kind: pLimit, rel: out, target: p.target, keys: p.keys, sub: p, rows: 1, startup: p.startup,
			upper: &upperPath{limitCount: one}}
		l.total = p.startup + (p.total-p.startup)/max(p.rows, 1)
		return l
	}
	u := &path{kind: pUpperUnique, rel: out, target: p.target, keys: p.keys, sub: p, rows: rows, startup: p.startup,
		upper: &upperPath{numKeys: n}}
	u.total = p.total + r.g.set.CPUOperatorCost*p.rows*float64(n)
	return u
}
