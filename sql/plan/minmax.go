package plan

import (
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// minMaxAgg is MIN or MAX of a column that an index can give: SELECT col FROM ... WHERE col IS NOT NULL ORDER BY col LIMIT 1.
type minMaxAgg struct {
	ref    *query.Aggref
	arg    query.Expr
	sortOp OID
	sub    *root
	path   *path
	cost   float64
	param  *query.Param
}

// preprocessMinMax looks whether all aggregates of an ungrouped one-table query are such.
func (r *root) preprocessMinMax() {
	q := r.q
	if !q.HasAggs || len(q.GroupBy) > 0 || len(query.ExpandGroupingSets(q.GroupingSets, q.GroupDistinct, -1)) > 1 || q.HasWindowFuncs || len(q.CTEs) > 0 {
		return
	}
	i := r.onlyTable(q.JoinTree)
	if i == 0 {
		return
	}
	var list []*minMaxAgg
	for _, a := range r.aggs {
		m := r.minMaxOf(a.ref)
		if m == nil {
			return
		}
		list = append(list, m)
	}
	for _, m := range list {
		if !r.buildMinMax(m) {
			return
		}
	}
	for _, m := range list {
		m.param = r.g.newParam(m.arg.Type(), -1, m.arg.Collation())
	}
	r.minmax = list
}

// onlyTable gives the single table of a join tree, 0 when there is more.
func (r *root) onlyTable(f *query.FromExpr) int {
	for len(f.Items) == 1 {
		switch t := f.Items[0].(type) {
		case *query.RangeTblRef:
			if r.rte(t.Index).Kind == query.RTERelation {
				return t.Index
			}
			return 0
		case *query.FromExpr:
			f = t
		default:
			return 0
		}
	}
	return 0
}

func (r *root) minMaxOf(a *query.Aggref) *minMaxAgg {
	if len(a.Args) != 1 || len(a.Order) > 0 || a.Filter != nil || a.LevelsUp > 0 {
		return nil
	}
	d := must(r.g.env.Catalog.Aggregate(a.AggOID))
	if d == nil || d.SortOp == 0 {
		return nil
	}
	arg := a.Args[0].Expr
	if r.g.mutable(arg) || arg.Type() == types.RecordOID {
		return nil
	}
	return &minMaxAgg{ref: a, arg: arg, sortOp: d.SortOp}
}

// buildMinMax plans the query for one aggregate; false when no path has the order.
func (r *root) buildMinMax(m *minMaxAgg) bool {
	for _, nullsFirst := range []bool{false, true} {
		if r.planMinMax(m, nullsFirst) {
			return true
		}
	}
	return false
}

func (r *root) planMinMax(m *minMaxAgg, nullsFirst bool) bool {
	eq, _ := r.g.equalityForOrdering(m.sortOp)
	if eq == 0 {
		return false
	}
	s := &root{g: r.g, parent: r.parent, level: r.level, wtParam: -1, epqParam: -1, planParams: r.planParams}
	q := *r.q
	sort := &query.SortGroupClause{Ref: 1, EqOp: eq, SortOp: m.sortOp, NullsFirst: nullsFirst}
	q.Targets = []*query.TargetEntry{{Expr: m.arg, ResNo: 1, Name: "agg_target", SortGroupRef: 1}}
	q.HasAggs, q.Having, q.Distinct, q.HasDistinctOn, q.LimitOffset = false, nil, nil, false, nil
	q.HasTargetSRFs, q.GroupBy = false, nil
	q.SortBy = []*query.SortGroupClause{sort}
	q.LimitCount = &query.Const{TypeOID: types.Int8OID, Mod: -1, Value: int8One, Loc: -1}
	notNull := &query.NullTest{Arg: m.arg, IsNot: true, Loc: -1}
	q.JoinTree = &query.FromExpr{Items: r.q.JoinTree.Items,
		Quals: makeAnd(append([]query.Expr{notNull}, implicitAnd(r.q.JoinTree.Quals)...))}
	s.q = &q
	s.processedTargets = q.Targets
	s.tupleFraction, s.limitTuples, s.scanLimit = 1, 1, 1
	joined := s.queryPlanner(nil)
	fraction := 1.0
	if joined.rows > 1 {
		fraction = 1 / joined.rows
	}
	best := cheapestOrdered(joined.paths, s.queryPathkeys, fraction)
	if best == nil {
		return false
	}
	s.finalTarget = targetOf(s, s.processedTargets)
	m.sub = s
	m.path = s.applyProjection(joined, best, s.finalTarget)
	m.cost = m.path.startup + fraction*(m.path.total-m.path.startup)
	return true
}

func cheapestOrdered(paths []*path, keys []*pathkey, fraction float64) (best *path) {
	for _, p := range paths {
		if p.param != nil || !containedIn(keys, p.keys) {
			continue
		}
		if best == nil || compareFractional(best, p, fraction) > 0 {
			best = p
		}
	}
	return best
}

// minMaxPath is a Result that reads the init plans' values.
func (r *root) minMaxPath(out *rel, t *pathTarget, having []query.Expr) *path {
	if len(r.minmax) == 0 {
		return nil
	}
	p := &path{kind: pMinMaxAgg, rel: out, target: t, quals: having, rows: 1, upper: &upperPath{minmax: r.minmax}}
	cost := 0.0
	for _, m := range r.minmax {
		cost += m.cost
	}
	p.startup = cost + t.cost.startup
	p.total = cost + t.cost.startup + t.cost.tuple + r.g.set.CPUTupleCost
	if len(having) > 0 {
		c := r.g.exprsCost(having)
		p.startup += c.startup + c.tuple
		p.total += c.startup + c.tuple
	}
	return p
}
