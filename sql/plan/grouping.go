package plan

import (
	"github.com/calfdb/calf/sql/query"
)

// upper carries what the steps above the joins share.
type upper struct {
	final, sortInput, grouping, scanJoin *pathTarget
	aggCosts                             aggCosts
	windows                              []*query.WindowClause
	sets                                 *groupingSets
}

// groupingPlanner makes the paths of a whole query level: joins, then grouping, windows, DISTINCT, ORDER BY, locking, LIMIT, changes.
func (r *root) groupingPlanner(fraction float64) {
	q := r.q
	r.tupleFraction, r.limitTuples = fraction, -1
	offset, count := int64(0), int64(0)
	if q.LimitCount != nil || q.LimitOffset != nil {
		r.tupleFraction, offset, count = r.preprocessLimit(fraction)
		if count > 0 && offset >= 0 {
			r.limitTuples = float64(count) + float64(offset)
		}
	}
	var cur *rel
	if q.SetOp != nil {
		cur = r.planSetOpQuery()
	} else {
		cur = r.planPlainQuery()
	}
	if len(q.SortBy) > 0 {
		cur = r.orderedPaths(cur, r.finalTarget, -1)
	}
	r.finalPaths(cur, offset, count)
}

// finalRel is the result of this level.
func (r *root) finalRel() *rel { return r.final }

// planPlainQuery plans a query that is not a set operation, up to its ORDER BY.
func (r *root) planPlainQuery() *rel {
	q := r.q
	var u upper
	if len(q.GroupingSets) > 0 {
		u.sets = r.preprocessGroupingSets()
	} else if len(q.GroupBy) > 0 {
		r.reorderGroupBy()
	}
	r.preprocessTargets()
	if q.HasAggs {
		r.numberAggs()
		u.aggCosts = r.aggregateCosts()
		r.preprocessMinMax()
	}
	if q.HasWindowFuncs {
		u.windows = r.activeWindows()
	}
	grouped := len(q.GroupBy) > 0 || len(q.GroupingSets) > 0 || q.HasAggs || r.hasHaving
	if grouped || len(q.Distinct) > 0 || q.HasWindowFuncs || q.HasTargetSRFs {
		r.scanLimit = -1
	} else {
		r.scanLimit = r.limitTuples
	}
	cur := r.queryPlanner(&u)
	u.final = targetOf(r, r.processedTargets)
	r.finalTarget = u.final
	u.sortInput = u.final
	if len(q.SortBy) > 0 {
		u.sortInput = r.sortInputTarget(u.final)
	}
	u.grouping = u.sortInput
	if len(u.windows) > 0 {
		u.grouping = r.windowInputTarget(u.final, u.windows)
	}
	u.scanJoin = u.grouping
	if grouped {
		u.scanJoin = r.groupInputTarget(u.final)
	}
	srfs := q.HasTargetSRFs
	r.applyTarget(cur, u.scanJoin, srfs)
	if grouped {
		t := u.grouping
		if srfs {
			t = r.withoutSRFs(t, u.scanJoin)
		}
		cur = r.groupingPaths(cur, t, &u)
		if srfs {
			r.projectSRFs(cur, u.grouping, t)
		}
	}
	if len(u.windows) > 0 {
		t := u.sortInput
		if srfs {
			t = r.withoutSRFs(t, u.grouping)
		}
		cur = r.windowPaths(cur, u.grouping, t, u.windows)
		if srfs {
			r.projectSRFs(cur, u.sortInput, t)
		}
	}
	if len(q.Distinct) > 0 {
		cur = r.distinctPaths(cur)
	}
	if srfs && u.final != u.sortInput { // set-returning functions that ORDER BY let wait until after the sort
		r.lateSRF = u.sortInput
	}
	return cur
}

// applyTarget makes the join's paths deliver a target.
func (r *root) applyTarget(b *rel, t *pathTarget, srfs bool) {
	if b.parts != nil && !b.dummy && len(b.kids) > 0 && !(srfs && targetHasSRF(t)) {
		r.applyTargetToPartitions(b, t)
		return
	}
	if srfs && targetHasSRF(t) {
		r.projectSRFs(b, t, b.target)
		b.target = t
		return
	}
	same := sameTarget(b.target, t)
	for i, p := range b.paths {
		if same {
			c := *p
			c.target = withRefs(p.target, t)
			b.paths[i] = &c
		} else {
			b.paths[i] = r.applyProjection(b, p, t)
		}
	}
	b.target = t
	r.setCheapest(b)
}

// withRefs is a path's target with the sort references of an equal one.
func withRefs(old, t *pathTarget) *pathTarget {
	n := *old
	n.refs = t.refs
	return &n
}

func sameTarget(a, b *pathTarget) bool { return equalList(a.exprs, b.exprs) }

// applyProjection makes a path compute a target: in place where its node can project, else with a Result on top.
func (r *root) applyProjection(b *rel, p *path, t *pathTarget) *path {
	if p.kind == pProjection && p.upper.dummyPP || canProject(p) {
		c := *p
		old := p.target.cost
		c.target = t
		c.startup += t.cost.startup - old.startup
		c.total += t.cost.startup - old.startup + (t.cost.tuple-old.tuple)*p.rows
		return &c
	}
	return r.projectionPath(b, p, t)
}

// projectionPath puts a projection over a path; it is a node of its own only where the input cannot do it.
func (r *root) projectionPath(b *rel, p *path, t *pathTarget) *path {
	n := &path{kind: pProjection, rel: b, target: t, param: p.param, keys: p.keys, sub: p, rows: p.rows, upper: &upperPath{}}
	old := p.target.cost
	if canProject(p) || equalList(p.target.exprs, t.exprs) {
		n.upper.dummyPP = true
		n.startup = p.startup + (t.cost.startup - old.startup)
		n.total = p.total + (t.cost.startup - old.startup) + (t.cost.tuple-old.tuple)*p.rows
		return n
	}
	n.startup = p.startup + t.cost.startup
	n.total = p.total + t.cost.startup + (r.g.set.CPUTupleCost+t.cost.tuple)*p.rows
	return n
}

// canProject: the node of this path computes any target list.
func canProject(p *path) bool {
	switch p.kind {
	case pAppend:
		return len(p.subs) == 0 // a Result without rows
	case pMaterial, pMemoize, pSort, pIncrementalSort, pUpperUnique, pUnique, pSetOp, pLockRows, pLimit, pModifyTable, pMergeAppend,
		pRecursiveUnion, pProjectSet:
		return false
	}
	return true
}

// sortedRel makes an upper relation.
func (r *root) upperRel(in *rel, t *pathTarget) *rel {
	return &rel{kind: relUpper, target: t, considerStartup: r.tupleFraction > 0, relids: in.relids, considerParamStartup: false}
}

// orderedPaths adds sorts where the order is not yet there.
func (r *root) orderedPaths(in *rel, t *pathTarget, limit float64) *rel {
	out := r.upperRel(in, t)
	if limit < 0 {
		limit = r.limitTuples
	}
	for _, p := range in.paths {
		presorted, ok := commonKeys(r.sortPathkeys, p.keys)
		sorted := p
		if !ok {
			if p == in.cheapestTotal {
				r.addOrdered(out, r.sortPath(p, r.sortPathkeys, limit), t)
			}
			if !r.g.set.EnableIncrementalSort || presorted == 0 {
				continue
			}
			sorted = r.incrementalSortPath(p, r.sortPathkeys, presorted, limit)
		}
		r.addOrdered(out, sorted, t)
	}
	r.setCheapest(out)
	return out
}

func (r *root) addOrdered(out *rel, p *path, t *pathTarget) {
	if r.lateSRF != nil && targetHasSRF(t) {
		p = r.projectSetPath(out, p, t)
	} else if !equalList(p.target.exprs, t.exprs) {
		p = r.applyProjection(out, p, t)
	}
	addPath(out, p)
}

func (r *root) sortPath(p *path, keys []*pathkey, limit float64) *path {
	n := &path{kind: pSort, rel: p.rel, target: p.target, param: p.param, keys: keys, sub: p}
	r.costSort(n, len(keys), p.total, p.rows, p.target.width, limit)
	return n
}

func (r *root) incrementalSortPath(p *path, keys []*pathkey, presorted int, limit float64) *path {
	n := &path{kind: pIncrementalSort, rel: p.rel, target: p.target, param: p.param, keys: keys, sub: p, upper: &upperPath{presorted: presorted}}
	r.costIncrementalSort(n, keys, presorted, p.startup, p.total, p.rows, p.target.width, limit)
	return n
}

// finalPaths adds row locks, LIMIT and the change of the target table.
func (r *root) finalPaths(in *rel, offset, count int64) {
	q := r.q
	out := r.upperRel(in, in.target)
	out.dummy = in.dummy && q.Command == query.CmdSelect
	for _, p := range in.paths {
		if len(q.RowMarks) > 0 {
			p = r.lockRowsPath(out, p)
		}
		if r.limitNeeded() {
			p = r.limitPath(out, p, offset, count)
		}
		if q.Command != query.CmdSelect {
			p = r.modifyPath(out, p)
		}
		addPath(out, p)
	}
	r.final = out
	r.setCheapest(out)
}

func (r *root) lockRowsPath(out *rel, p *path) *path {
	n := &path{kind: pLockRows, rel: out, target: p.target, sub: p, rows: p.rows, upper: &upperPath{rowMarks: r.rowMarks}}
	if r.epqParam < 0 {
		r.epqParam = r.g.newExecParam(0)
	}
	n.upper.epqParam = r.epqParam
	n.startup, n.total = p.startup, p.total+r.g.set.CPUTupleCost*p.rows
	return n
}

func (r *root) limitNeeded() bool {
	if c := r.q.LimitCount; c != nil {
		if k, ok := c.(*query.Const); !ok || !k.Value.IsNull() {
			return true
		}
	}
	if o := r.q.LimitOffset; o != nil {
		k, ok := o.(*query.Const)
		return !ok || !k.Value.IsNull() && k.Value.Int8() != 0
	}
	return false
}

// limitEstimates reads OFFSET and LIMIT: 0 = none, -1 = unknown.
func (r *root) limitEstimates() (offset, count int64) {
	get := func(e query.Expr, min int64, null int64) int64 {
		if e == nil {
			return 0
		}
		c, ok := r.g.estimateValue(e).(*query.Const)
		if !ok {
			return -1
		}
		if c.Value.IsNull() {
			return null
		}
		if v := c.Value.Int8(); v > min {
			return v
		}
		return min
	}
	return get(r.q.LimitOffset, 0, 0), get(r.q.LimitCount, 1, 0)
}

// preprocessLimit narrows the expected fraction of rows to fetch.
func (r *root) preprocessLimit(fraction float64) (out float64, offset, count int64) {
	offset, count = r.limitEstimates()
	want := 0.0
	switch {
	case count != 0:
		if count < 0 || offset < 0 {
			want = 0.10
		} else {
			want = float64(count) + float64(offset)
		}
		switch {
		case fraction >= 1 && want >= 1, fraction > 0 && fraction < 1 && want < 1:
			want = min(fraction, want)
		case fraction >= 1: // an absolute number of rows is the more exact
			want = fraction
		}
		return want, offset, count
	case offset != 0 && fraction > 0:
		want = float64(offset)
		if offset < 0 {
			want = 0.10
		}
		switch {
		case fraction >= 1 && want >= 1:
			fraction += want
		case fraction >= 1:
			fraction = want
		case want >= 1:
			fraction = 0
		default:
			if fraction += want; fraction >= 1 {
				fraction = 0
			}
		}
	}
	return fraction, offset, count
}

func (r *root) limitPath(out *rel, p *path, offset, count int64) *path {
	n := &path{kind: pLimit, rel: out, target: p.target, keys: p.keys, sub: p, rows: p.rows, startup: p.startup, total: p.total,
		upper: &upperPath{limitOffset: r.q.LimitOffset, limitCount: r.q.LimitCount, withTies: r.q.LimitWithTies}}
	inRows, inStart, inTotal := p.rows, p.startup, p.total
	if offset != 0 {
		rows := float64(offset)
		if offset < 0 {
			rows = clampRows(inRows * 0.10)
		}
		rows = min(rows, n.rows)
		if inRows > 0 {
			n.startup += (inTotal - inStart) * rows / inRows
		}
		n.rows = max(n.rows-rows, 1)
	}
	if count != 0 {
		rows := float64(count)
		if count < 0 {
			rows = clampRows(inRows * 0.10)
		}
		rows = min(rows, n.rows)
		if inRows > 0 {
			n.total = n.startup + (inTotal-inStart)*rows/inRows
		}
		n.rows = max(rows, 1)
	}
	return n
}

// reorderGroupBy puts GROUP BY in ORDER BY's order as far as it matches.
func (r *root) reorderGroupBy() {
	q := r.q
	var out []*query.SortGroupClause
	for _, s := range q.SortBy {
		found := false
		for _, x := range q.GroupBy {
			if *x == *s {
				out = append(out, x)
				found = true
			}
		}
		if !found {
			break
		}
	}
	if len(out) == 0 {
		return
	}
	for _, x := range q.GroupBy {
		if !groupHas(out, x.Ref) {
			if len(out) < len(q.GroupBy) && x.SortOp == 0 {
				return
			}
			out = append(out, x)
		}
	}
	q.GroupBy = out
}
