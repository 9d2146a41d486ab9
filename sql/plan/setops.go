package plan

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// planSetOpQuery plans UNION, INTERSECT and EXCEPT trees, and the union of a recursive CTE.
func (r *root) planSetOpQuery() *rel {
	q := r.q
	if len(q.RowMarks) > 0 {
		fail(pgerr.New(pgerr.FeatureNotSupported, "FOR UPDATE is not allowed with UNION/INTERSECT/EXCEPT"))
	}
	if len(q.SortBy) > 0 {
		r.tupleFraction = 0
	}
	r.rels = make([]*rel, len(q.RangeTable)+1)
	r.joinRels = map[Relids]*rel{}
	top := q.SetOp.(*query.SetOperation)
	r.processedTargets = r.setOpTargets(top)
	for i, t := range q.Targets { // names, and references from ORDER BY
		if i < len(r.processedTargets) {
			c := *t
			c.Expr = r.processedTargets[i].Expr
			c.ResNo = i + 1
			r.processedTargets[i] = &c
		}
	}
	r.simpleUnion = !r.hasRecursion && simpleUnionAll(top, top)
	var p *path
	if r.hasRecursion {
		p = r.recursionPath(top)
	} else {
		p, _ = r.setOpTree(top, top.ColTypes, top.ColCollations, -1, r.processedTargets)
	}
	r.finalTarget = targetOf(r, r.processedTargets)
	r.ecMergingDone = true
	r.sortPathkeys = r.keysForSort(q.SortBy, r.processedTargets)
	r.queryPathkeys = r.sortPathkeys
	out := &rel{kind: relUpper, target: r.finalTarget, considerStartup: r.tupleFraction > 0, relids: p.rel.relids}
	c := *p
	c.target = withRefs(p.target, r.finalTarget)
	addPath(out, &c)
	r.setCheapest(out)
	return out
}

// setOpTargets describes the columns of a set operation's result: Vars of no relation.
func (r *root) setOpTargets(s *query.SetOperation) (ts []*query.TargetEntry) {
	for i, t := range s.ColTypes {
		v := &query.Var{AttNo: int16(i + 1), TypeOID: t, Mod: s.ColTypMods[i], Coll: s.ColCollations[i], Loc: -1}
		ts = append(ts, &query.TargetEntry{Expr: v, ResNo: i + 1})
	}
	return ts
}

// simpleUnionAll: nothing but UNION ALL, with the same types everywhere.
func simpleUnionAll(n query.SetOpNode, top *query.SetOperation) bool {
	s, ok := n.(*query.SetOperation)
	if !ok {
		return true
	}
	return s.Op == query.SetOpUnion && s.All && sameOIDs(s.ColTypes, top.ColTypes) && simpleUnionAll(s.Left, top) && simpleUnionAll(s.Right, top)
}

func (r *root) leafRel(i int) *rel {
	checkRangeTable(i)
	e := r.rte(i)
	b := r.newBaseRel(i)
	r.rels[i] = b
	saved := r.planParams
	r.planParams = nil
	b.subroot = r.g.subqueryPlanner(e.Subquery, r, false, r.tupleFraction)
	if len(r.planParams) > 0 {
		fail(pgerr.Internal("unexpected outer reference in set operation subquery"))
	}
	r.planParams = saved
	return b
}

// setOpTree gives a path of one node of the tree with the wanted column types; flag >= 0 adds a constant column that says which side it is.
func (r *root) setOpTree(n query.SetOpNode, colTypes, colls []OID, flag int, refs []*query.TargetEntry) (*path, float64) {
	switch n := n.(type) {
	case *query.RangeTblRef:
		return r.setOpLeaf(n.Index, colTypes, colls, flag)
	case *query.SetOperation:
		var p *path
		if n.Op == query.SetOpUnion {
			p = r.unionPath(n, refs)
		} else {
			p = r.nonUnionPath(n)
		}
		groups := p.rows
		if flag >= 0 || !sameTypes(p.target, colTypes) {
			t := r.coercedTarget(p.target, colTypes, colls, flag)
			p = r.projectionPath(p.rel, p, t)
		}
		return p, groups
	}
	panic(broken("unknown set operation node"))
}

func sameTypes(t *pathTarget, colTypes []OID) bool {
	for i, typ := range colTypes {
		if t.exprs[i].Type() != typ {
			return false
		}
	}
	return true
}

func (r *root) coercedTarget(t *pathTarget, colTypes, colls []OID, flag int) *pathTarget {
	var exprs []query.Expr
	for i, typ := range colTypes {
		e := r.g.coerce(t.exprs[i], typ)
		if e.Collation() != colls[i] {
			e = (&folder{g: r.g}).relabel(e, e.Type(), e.TypMod(), colls[i], query.CoerceImplicitCast, -1)
		}
		exprs = append(exprs, e)
	}
	if flag >= 0 {
		exprs = append(exprs, &query.Const{TypeOID: types.Int4OID, Mod: -1, Value: types.Int4(int32(flag)), Loc: -1})
	}
	return r.newTarget(exprs, nil)
}

// coerce applies the implicit cast to another type.
func (g *glob) coerce(e query.Expr, typ OID) query.Expr {
	if e.Type() == typ {
		return e
	}
	c := must(g.env.Catalog.Cast(e.Type(), typ))
	switch {
	case c != nil && c.Method == 'f':
		return g.fold(&query.FuncExpr{FuncOID: c.Func, TypeOID: typ, Form: query.CoerceImplicitCast, Coll: g.typeColl(typ), Args: []query.Expr{e}, Loc: -1})
	case c != nil && c.Method == 'b':
		return (&folder{g: g}).relabel(e, typ, -1, g.typeColl(typ), query.CoerceImplicitCast, -1)
	case c == nil && e.Type() != types.UnknownOID && !g.stringCategory(typ):
		fail(pgerr.Internal("failed to find conversion function from type %d to type %d", e.Type(), typ))
	}
	return g.fold(&query.CoerceViaIO{Arg: e, TypeOID: typ, Coll: g.typeColl(typ), Form: query.CoerceImplicitCast, Loc: -1})
}

func (g *glob) typeColl(typ OID) OID {
	if t := g.typ(typ); t != nil {
		return t.Collation
	}
	return 0
}

func (g *glob) stringCategory(typ OID) bool {
	t := g.typ(typ)
	return t != nil && t.Category == 'S'
}

func (r *root) setOpLeaf(i int, colTypes, colls []OID, flag int) (*path, float64) {
	b := r.leafRel(i)
	sub := b.subroot.finalRel().cheapestTotal
	var vars []query.Expr
	for _, t := range b.subroot.processedTargets {
		if !t.Junk {
			vars = append(vars, makeVar(i, int16(t.ResNo), t.Expr))
		}
	}
	b.tuples, b.rows = sub.rows, sub.rows
	t := r.coercedTarget(&pathTarget{exprs: vars}, colTypes, colls, flag)
	b.target = t
	p := &path{kind: pSubquery, rel: b, target: t, sub: sub}
	if r.simpleUnion && equalList(t.exprs, vars) { // PostgreSQL makes such a tree an inheritance set, without subquery scans
		p.rows, p.startup, p.total = sub.rows, sub.startup, sub.total
	} else {
		r.costSubqueryScan(p)
	}
	addPath(b, p)
	r.setCheapest(b)
	groups := sub.rows
	if s := b.subroot.q; len(s.GroupBy) == 0 && len(s.Distinct) == 0 && !s.HasAggs && !b.subroot.hasHaving && s.SetOp == nil {
		var exprs []query.Expr
		for _, x := range b.subroot.processedTargets {
			if !x.Junk {
				exprs = append(exprs, x.Expr)
			}
		}
		groups = b.subroot.estimateGroups(exprs, sub.rows)
	}
	return p, groups
}

// unionPath appends the children; UNION then drops duplicates by hashing or sorting.
func (r *root) unionPath(s *query.SetOperation, refs []*query.TargetEntry) *path {
	saved := r.tupleFraction
	if !s.All {
		r.tupleFraction = 0
	}
	var kids []*path
	r.unionChildren(s, s, &kids)
	r.tupleFraction = saved
	target := targetOf(r, r.setOpTargets(s))
	p := r.appendPath(kids, target)
	if s.All {
		return p
	}
	return r.uniqueSetPath(s, p)
}

// unionChildren flattens unions of the same kind and types.
func (r *root) unionChildren(top *query.SetOperation, n query.SetOpNode, kids *[]*path) {
	if s, ok := n.(*query.SetOperation); ok && s.Op == top.Op && (s.All == top.All || s.All) && sameOIDs(s.ColTypes, top.ColTypes) {
		r.unionChildren(top, s.Left, kids)
		r.unionChildren(top, s.Right, kids)
		return
	}
	p, _ := r.setOpTree(n, top.ColTypes, top.ColCollations, -1, nil)
	*kids = append(*kids, p)
}

func sameOIDs(a, b []OID) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (r *root) appendPath(kids []*path, t *pathTarget) *path {
	b := &rel{kind: relUpper, target: t}
	p := &path{kind: pAppend, rel: b, target: t, subs: kids}
	width := 0.0
	for i, k := range kids {
		b.relids = b.relids.or(k.rel.relids)
		p.rows += k.rows
		p.total += k.total
		if i == 0 {
			p.startup = k.startup
		}
		width += float64(k.target.width) * k.rows
	}
	p.total += r.g.set.CPUTupleCost * 0.5 * p.rows
	if p.rows > 0 {
		c := *t
		c.width = int(width/p.rows + 0.5)
		p.target = &c
	}
	b.rows = p.rows
	return p
}

// uniqueSetPath drops duplicate rows.
func (r *root) uniqueSetPath(s *query.SetOperation, p *path) *path {
	groups := p.rows // an upper bound: the numbers of the children's distinct rows are not known
	canSort, canHash := sortable(s.Groups), hashable(s.Groups)
	if !canSort && !canHash {
		fail(pgerr.New(pgerr.FeatureNotSupported, "could not implement UNION").
			WithDetail("Some of the datatypes only support hashing, while others only support sorting."))
	}
	list := r.numberedGroups(s)
	h := &path{kind: pAgg, rel: p.rel, target: p.target, sub: p, upper: &upperPath{strategy: AggHashed, groups: list, numGroups: groups}}
	r.costAgg(h, AggHashed, nil, len(list), groups, nil, p.startup, p.total, p.rows, p.target.width)
	if canHash && (!canSort || r.setOpHashWins(h, p, list, groups)) {
		return h
	}
	return r.sortUnique(p, list, groups)
}

func (r *root) setOpHashWins(h, p *path, list []*query.SortGroupClause, groups float64) bool {
	if !r.g.set.EnableHashAgg {
		return false
	}
	entry := align8f(p.target.width) + align8f(sizeofMinimalHeader)
	if entry*groups > r.g.hashMem() {
		return false
	}
	s := r.sortUnique(p, list, groups)
	return compareFractional(h, s, r.fractionOf(groups)) < 0
}

func (r *root) fractionOf(groups float64) float64 {
	f := r.tupleFraction
	if f >= 1 {
		f /= groups
	}
	return f
}

func (r *root) sortUnique(p *path, list []*query.SortGroupClause, groups float64) *path {
	keys := r.keysForSort(list, numberedTargets(p.target, list))
	if len(list) > 0 {
		p = r.sortPath(p, keys, -1)
	}
	u := &path{kind: pUpperUnique, rel: p.rel, target: p.target, keys: p.keys, sub: p, rows: groups, startup: p.startup,
		upper: &upperPath{numKeys: len(p.keys)}}
	u.total = p.total + r.g.set.CPUOperatorCost*p.rows*float64(len(list))
	return u
}

// numberedGroups gives a set operation's column comparisons references: its columns have none.
func (r *root) numberedGroups(s *query.SetOperation) []*query.SortGroupClause {
	out := make([]*query.SortGroupClause, len(s.Groups))
	for i, g := range s.Groups {
		c := *g
		c.Ref = uint32(i + 1)
		out[i] = &c
	}
	return out
}

func numberedTargets(t *pathTarget, list []*query.SortGroupClause) []*query.TargetEntry {
	out := make([]*query.TargetEntry, len(t.exprs))
	for i, e := range t.exprs {
		out[i] = &query.TargetEntry{Expr: e, ResNo: i + 1}
		if i < len(list) {
			out[i].SortGroupRef = uint32(i + 1)
		}
	}
	return out
}

// nonUnionPath computes INTERSECT and EXCEPT: both sides with a flag column, appended, then a SetOp that counts.
func (r *root) nonUnionPath(s *query.SetOperation) *path {
	saved := r.tupleFraction
	r.tupleFraction = 0
	l, lGroups := r.setOpTree(s.Left, s.ColTypes, s.ColCollations, 0, nil)
	rt, rGroups := r.setOpTree(s.Right, s.ColTypes, s.ColCollations, 1, nil)
	r.tupleFraction = saved
	first := 0
	kids := []*path{l, rt}
	if s.Op == query.SetOpIntersect && lGroups > rGroups { // the smaller side first: fewer groups to keep
		kids[0], kids[1] = rt, l
		first = 1
		lGroups, rGroups = rGroups, lGroups
	}
	ts := r.setOpTargets(s)
	flagCol := len(ts) + 1
	ts = append(ts, &query.TargetEntry{Expr: &query.Var{AttNo: int16(flagCol), TypeOID: types.Int4OID, Mod: -1, Loc: -1}, ResNo: flagCol, Junk: true})
	p := r.appendPath(kids, targetOf(r, ts))
	list := r.numberedGroups(s)
	groups := lGroups
	out := groups
	if s.All {
		out = kids[0].rows
		if s.Op == query.SetOpIntersect {
			out = min(kids[0].rows, kids[1].rows)
		} else {
			out = l.rows
		}
	}
	canSort, canHash := sortable(s.Groups), hashable(s.Groups)
	if !canSort && !canHash {
		fail(pgerr.New(pgerr.FeatureNotSupported, "could not implement %s", [...]string{"", "UNION", "INTERSECT", "EXCEPT"}[s.Op]).
			WithDetail("Some of the datatypes only support hashing, while others only support sorting."))
	}
	var h path
	r.costAgg(&h, AggHashed, nil, len(list), groups, nil, p.startup, p.total, p.rows, p.target.width)
	h.target = p.target
	hash := canHash && (!canSort || r.setOpHashWins(&h, p, list, groups))
	if !hash {
		p = r.sortPath(p, r.keysForSort(list, numberedTargets(p.target, list)), -1)
	}
	n := &path{kind: pSetOp, rel: p.rel, target: targetOf(r, r.setOpTargets(s)), sub: p, rows: out,
		upper: &upperPath{groups: list, setCmd: setOpCmd(s), flagCol: flagCol, firstFlag: first, numGroups: groups}}
	n.target.width = p.target.width
	n.startup = p.startup
	if hash {
		n.upper.strategy = AggHashed
	} else {
		n.upper.strategy, n.keys = AggSorted, p.keys
	}
	n.total = p.total + r.g.set.CPUOperatorCost*p.rows*float64(len(list))
	return n
}

func setOpCmd(s *query.SetOperation) SetOpCmd {
	switch {
	case s.Op == query.SetOpIntersect && s.All:
		return SetOpIntersectAll
	case s.Op == query.SetOpIntersect:
		return SetOpIntersect
	case s.All:
		return SetOpExceptAll
	}
	return SetOpExcept
}

// recursionPath plans the union of a recursive CTE.
func (r *root) recursionPath(s *query.SetOperation) *path {
	if s.Op != query.SetOpUnion {
		fail(pgerr.New(pgerr.FeatureNotSupported, "only UNION queries can be recursive"))
	}
	l, _ := r.setOpTree(s.Left, s.ColTypes, s.ColCollations, -1, nil)
	r.nonRecRows = l.rows
	rt, _ := r.setOpTree(s.Right, s.ColTypes, s.ColCollations, -1, nil)
	t := targetOf(r, r.setOpTargets(s))
	b := &rel{kind: relUpper, target: t, relids: l.rel.relids.or(rt.rel.relids)}
	n := &path{kind: pRecursiveUnion, rel: b, target: t, subs: []*path{l, rt}, upper: &upperPath{wtParam: r.wtParam}}
	if !s.All {
		if !hashable(s.Groups) {
			fail(pgerr.New(pgerr.FeatureNotSupported, "could not implement recursive UNION").WithDetail("All column datatypes must be hashable."))
		}
		n.upper.groups = r.numberedGroups(s)
		n.upper.numGroups = l.rows + rt.rows*10
	}
	n.startup = l.startup
	n.rows = l.rows + 10*rt.rows
	n.total = l.total + 10*rt.total + r.g.set.CPUTupleCost*n.rows
	w := *t
	w.width = max(l.target.width, rt.target.width)
	n.target = &w
	b.rows = n.rows
	return n
}
