package plan

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// makeOneRel makes the paths of all base relations and of their join.
func (r *root) makeOneRel(list []joinItem) *rel {
	r.allBase.each(func(i int) {
		b := r.rels[i]
		b.considerParamStartup = false
		for _, s := range r.specials {
			if (s.typ == query.JoinSemi || s.typ == query.JoinAnti) && s.synRight.single() == i {
				b.considerParamStartup = true
			}
		}
	})
	r.allBase.each(func(i int) { r.setSize(r.rels[i]) })
	r.allBase.each(func(i int) {
		if b := r.rels[i]; !b.dummy && b.rtekind == query.RTERelation {
			r.totalTablePages += b.pages
		}
	})
	for _, c := range r.children {
		if !c.dummy {
			r.totalTablePages += c.pages
		}
	}
	r.allBase.each(func(i int) { r.setPaths(r.rels[i]) })
	return r.fromJoinList(list)
}

// setSize estimates a base relation's size.
func (r *root) setSize(b *rel) {
	if r.contradicted(b) {
		b.rows, b.dummy = 0, true
		b.target.width = 0
		return
	}
	switch b.rtekind {
	case query.RTERelation:
		if r.g.set.ConstraintExclusion == ConstraintExclusionOn && b.parent == nil && r.excludedByConstraints(b) {
			b.rows, b.dummy = 0, true
			b.target.width = 0
			return
		}
		if b.rte.Inh {
			r.appendSize(b)
			return
		}
		if b.desc.Kind == 'p' { // ONLY: a partitioned table has no rows itself
			b.rows, b.dummy = 0, true
			b.target.width = 0
			return
		}
		r.checkPartialIndexes(b)
		r.setBaseSize(b)
	case query.RTESubquery:
		r.planSubqueryRel(b)
	case query.RTEFunction:
		for _, f := range b.rte.Functions {
			b.tuples = max(b.tuples, r.srfRows(f.Expr))
		}
		r.setBaseSize(b)
	case query.RTEValues:
		b.tuples = float64(len(b.rte.Values))
		r.setBaseSize(b)
	case query.RTECTE:
		r.setCTESize(b)
	case query.RTEResult:
		b.tuples = 1
		r.setBaseSize(b)
	case query.RTENamedTuplestore:
		b.tuples = 1000
		r.setBaseSize(b)
	case query.RTETableFunc:
		b.tuples = 100
		r.setBaseSize(b)
	default:
		fail(pgerr.Internal("unexpected range table entry"))
	}
}

// contradicted: a constant condition that is false or null leaves no rows.
func (r *root) contradicted(b *rel) bool {
	if len(b.restricts) != 1 { // folding leaves a false condition alone
		return false
	}
	c := b.restricts[0].clause
	return isFalseConst(c) || isNullConst(c)
}

// checkPartialIndexes finds out which partial indexes the conditions allow, and which conditions their predicates make superfluous.
func (r *root) checkPartialIndexes(b *rel) {
	given := clausesOf(b.restricts)
	for _, ri := range b.joinInfo {
		if canMoveTo(ri, b) {
			given = append(given, ri.clause)
		}
	}
	for _, ix := range b.indexes {
		ix.restricts = b.restricts
		if len(ix.pred) == 0 {
			continue
		}
		ix.predOK = r.g.impliesAll(ix.pred, given)
		if top := topIndex(b.index); top == r.q.ResultRelation || r.rowMarkOf(top) != nil || r.rowMarkOf(b.index) != nil {
			continue // rechecks of a changed row need all conditions
		}
		ix.restricts = nil
		for _, ri := range b.restricts {
			if r.g.mutable(ri.clause) || !r.g.impliesAll([]query.Expr{ri.clause}, ix.pred) {
				ix.restricts = append(ix.restricts, ri)
			}
		}
	}
}

// setPaths makes a base relation's paths.
func (r *root) setPaths(b *rel) {
	switch {
	case b.dummy:
		addPath(b, &path{kind: pAppend, rel: b, target: b.target, param: r.paramInfoFor(b, b.lateral)})
	case b.rtekind == query.RTERelation && b.rte.Inh:
		r.appendPaths(b)
	case b.rtekind == query.RTERelation:
		r.tablePaths(b)
	case b.rtekind == query.RTESubquery:
		r.subqueryPaths(b)
	default:
		r.otherScanPath(b)
	}
	r.setCheapest(b)
}

func (r *root) tablePaths(b *rel) {
	if b.rte.TableSample != nil {
		fail(pgerr.NotSupported("TABLESAMPLE"))
	}
	p := &path{kind: pSeqScan, rel: b, target: b.target, param: r.paramInfoFor(b, b.lateral)}
	r.costSeqScan(p)
	addPath(b, p)
	r.indexPaths(b)
	r.tidPaths(b)
}

// otherScanPath makes the one path of functions, VALUES, CTEs and the like.
func (r *root) otherScanPath(b *rel) {
	p := &path{rel: b, target: b.target, param: r.paramInfoFor(b, b.lateral)}
	unit := r.g.set.CPUOperatorCost
	switch b.rtekind {
	case query.RTEFunction:
		p.kind = pFunction
		var c qualCost
		for _, f := range b.rte.Functions {
			c.add(r.g.exprCost(f.Expr))
		}
		r.costOnTheFly(p, qualCost{startup: c.startup + c.tuple}, 0)
		if b.rte.WithOrdinality {
			p.keys = r.ordinalityKeys(b)
		}
	case query.RTEValues:
		p.kind = pValues
		r.costOnTheFly(p, qualCost{}, unit)
	case query.RTECTE:
		p.kind = pCTE
		if b.rte.SelfRef {
			p.kind = pWorkTable
			r.costOnTheFly(p, qualCost{}, r.g.set.CPUTupleCost)
			break
		}
		r.costOnTheFly(p, qualCost{}, r.g.set.CPUTupleCost)
	case query.RTEResult:
		p.kind = pResult
		r.costOnTheFly(p, qualCost{}, 0)
	case query.RTENamedTuplestore:
		p.kind = pNamedTuplestore
		r.costOnTheFly(p, qualCost{}, r.g.set.CPUTupleCost)
	case query.RTETableFunc:
		fail(pgerr.NotSupported("a table function"))
	}
	addPath(b, p)
}

// ordinalityKeys: rows come in the order of the ordinality column.
func (r *root) ordinalityKeys(b *rel) []*pathkey {
	for _, e := range b.target.exprs {
		v, ok := e.(*query.Var)
		if !ok || int(v.AttNo) != len(b.rte.Eref.Cols) || v.TypeOID != types.Int8OID {
			continue
		}
		const int8Family, int8Less = 1976, 412
		if k := r.keyForExpr(v, Relids{}, int8Family, types.Int8OID, 0, false, false, 0, false); k != nil {
			return []*pathkey{k}
		}
	}
	return nil
}

// srfRows estimates how many rows a set-returning expression gives (1 for others).
func (r *root) srfRows(e query.Expr) float64 {
	fn := OID(0)
	switch e := e.(type) {
	case *query.FuncExpr:
		if !e.RetSet {
			return 1
		}
		fn = e.FuncOID
		if n, ok := r.g.supportRows(e); ok {
			return clampRows(n)
		}
	case *query.OpExpr:
		if !e.RetSet {
			return 1
		}
		fn = r.g.opFunc(e)
	default:
		return 1
	}
	return clampRows(float64(r.g.proc(fn).Rows))
}

// supportRows knows generate_series with constant bounds and unnest of arrays of known length, as PostgreSQL's support functions do.
func (g *glob) supportRows(e *query.FuncExpr) (float64, bool) {
	switch g.proc(e.FuncOID).Src {
	case "array_unnest":
		return float64(g.arrayLength(g.estimateValue(e.Args[0]))), true
	case "generate_series_int4", "generate_series_step_int4", "generate_series_int8", "generate_series_step_int8":
	default:
		return 0, false
	}
	var v [3]float64
	v[2] = 1
	for i, a := range e.Args {
		c, ok := g.estimateValue(a).(*query.Const)
		if !ok {
			return 0, false
		}
		if c.Value.IsNull() {
			return 0, true
		}
		if c.TypeOID == types.Int4OID {
			v[i] = float64(c.Value.Int4())
		} else {
			v[i] = float64(c.Value.Int8())
		}
	}
	if v[2] == 0 {
		return 0, false
	}
	n := float64(int64((v[1] - v[0] + v[2]) / v[2]))
	return max(n, 0), true
}

// setCTESize takes a CTE's size from its plan; a recursive reference is a guess from the non-recursive part.
func (r *root) setCTESize(b *rel) {
	if b.rte.SelfRef {
		b.tuples = r.g.set.RecursiveWorktableFactor * r.recursionRoot(b.rte).nonRecRows
	} else {
		st, _ := r.findCTE(b.rte)
		if st.planID == 0 {
			fail(pgerr.Internal("no plan was made for CTE \"%s\"", b.rte.CTEName))
		}
		b.tuples = r.g.subplans[st.planID-1].Base().Rows
	}
	r.setBaseSize(b)
}

// recursionRoot finds the level that plans the recursive union that a self-reference belongs to: one below its WITH.
func (r *root) recursionRoot(e *query.RTE) *root {
	up := r
	for i := 1; i < e.CTELevelsUp && up != nil; i++ {
		up = up.parent
	}
	if up == nil || up.wtParam < 0 {
		fail(pgerr.Internal("bad levelsup for CTE \"%s\"", e.CTEName))
	}
	return up
}

// tidPaths makes paths for ctid = value and CURRENT OF.
func (r *root) tidPaths(b *rel) {
	for _, ri := range b.restricts {
		quals := r.tidQuals(b, ri)
		if quals == nil {
			continue
		}
		p := &path{kind: pTID, rel: b, target: b.target, quals: quals, tidClauses: []*restrict{ri}, param: r.paramInfoFor(b, b.lateral)}
		r.costTID(p)
		addPath(b, p)
		return
	}
	r.tidRangePath(b)
}

func isCTID(e query.Expr, b *rel) bool {
	v, ok := e.(*query.Var)
	return ok && v.AttNo == tidAttNo && v.VarNo == b.index && v.LevelsUp == 0
}

const (
	tidEqOp OID = 387
)

// tidQuals gives the ORed conditions on ctid that a condition is, nil if it is none.
func (r *root) tidQuals(b *rel, ri *restrict) []query.Expr {
	switch e := ri.clause.(type) {
	case *query.OpExpr:
		if e.OpOID != tidEqOp || len(e.Args) != 2 {
			return nil
		}
		if isCTID(e.Args[0], b) && !hasVars(e.Args[1]) && !r.g.volatile(e.Args[1]) ||
			isCTID(e.Args[1], b) && !hasVars(e.Args[0]) && !r.g.volatile(e.Args[0]) {
			return []query.Expr{e}
		}
	case *query.ScalarArrayOpExpr:
		if e.OpOID == tidEqOp && e.UseOr && isCTID(e.Left, b) && !hasVars(e.Right) && !r.g.volatile(e.Right) {
			return []query.Expr{e}
		}
	case *query.CurrentOfExpr:
		if e.RTIndex == b.index {
			return []query.Expr{e}
		}
	}
	if ri.or == nil {
		return nil
	}
	var all []query.Expr
	for _, arm := range ri.or {
		var found []query.Expr
		for _, x := range arm {
			if found = r.tidQuals(b, x.(*restrict)); found != nil {
				break
			}
		}
		if found == nil {
			return nil
		}
		all = append(all, found...)
	}
	return all
}

func (r *root) costTID(p *path) {
	s, b := &r.g.set, p.rel
	p.rows = r.scanRows(b, p.param)
	n, current := 0.0, false
	for _, q := range p.quals {
		switch e := q.(type) {
		case *query.ScalarArrayOpExpr:
			n += float64(r.g.arrayLength(e.Right))
		case *query.CurrentOfExpr:
			current = true
			n++
		default:
			n++
		}
	}
	startup, run := 0.0, 0.0
	if !s.EnableTIDScan && !current {
		startup += disableCost
	}
	q := r.scanQualCost(b, p.param)
	if current { // counted as disabled so that nothing else evaluates it
		q.startup -= disableCost
	}
	tq := r.g.exprsCost(p.quals)
	run += s.RandomPageCost * n
	startup += q.startup + tq.tuple
	run += (s.CPUTupleCost + q.tuple - tq.tuple) * n
	startup += p.target.cost.startup
	run += p.target.cost.tuple * p.rows
	p.setCost(startup, run)
}

// tidRangePath: ctid < value and its kin.
func (r *root) tidRangePath(b *rel) {
	var quals []*restrict
	for _, ri := range b.restricts {
		e, ok := ri.clause.(*query.OpExpr)
		if !ok || len(e.Args) != 2 || e.OpOID < 2799 || e.OpOID > 2802 {
			continue
		}
		if isCTID(e.Args[0], b) && !hasVars(e.Args[1]) && !r.g.volatile(e.Args[1]) ||
			isCTID(e.Args[1], b) && !hasVars(e.Args[0]) && !r.g.volatile(e.Args[0]) {
			quals = append(quals, ri)
		}
	}
	if len(quals) == 0 {
		return
	}
	p := &path{kind: pTIDRange, rel: b, target: b.target, tidClauses: quals, quals: clausesOf(quals), param: r.paramInfoFor(b, b.lateral)}
	s := &r.g.set
	p.rows = r.scanRows(b, p.param)
	sel := r.listSelectivity(quals, selArgs{varRel: b.index})
	pages := max(ceil(sel*b.pages), 1)
	startup := 0.0
	if !s.EnableTIDScan {
		startup += disableCost
	}
	q := r.scanQualCost(b, p.param)
	tq := r.g.exprsCost(p.quals)
	run := s.RandomPageCost + (pages-1)*s.SeqPageCost
	startup += q.startup + tq.tuple
	run += (s.CPUTupleCost + q.tuple - tq.tuple) * sel * b.tuples
	startup += p.target.cost.startup
	run += p.target.cost.tuple * p.rows
	p.setCost(startup, run)
	addPath(b, p)
}
