package plan

import (
	"math"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// addBaseRels makes a rel of each base relation in the join tree.
func (r *root) addBaseRels() {
	checkRangeTable(len(r.q.RangeTable))
	r.rels = make([]*rel, len(r.q.RangeTable)+1)
	r.joinRels = map[Relids]*rel{}
	r.allBase = joinTreeRels(r.q.JoinTree)
	r.allBase.each(func(i int) { r.rels[i] = r.newBaseRel(i) })
}

func (r *root) newBaseRel(i int) *rel {
	return r.newRelOf(i, r.rte(i))
}

// newRelOf makes a rel of a range table entry, of a child too.
func (r *root) newRelOf(i int, e *query.RTE) *rel {
	b := &rel{kind: relBase, relids: relid(i), index: i, rte: e, rtekind: e.Kind, target: &pathTarget{},
		attrNeeded: map[int16]Relids{}, attrTop: map[int16]bool{}, attrWidth: map[int16]int{}, baseMinSecurity: math.MaxInt32}
	b.considerStartup = r.tupleFraction > 0
	if e.Kind == query.RTERelation {
		r.relationInfo(b)
	}
	return b
}

// relationInfo reads what is known of a table: its size and its indexes.
func (r *root) relationInfo(b *rel) {
	b.desc = r.g.relation(b.rte.RelOID)
	if b.rte.Inh { // its rows are its children's
		return
	}
	b.pages, b.tuples, b.allVisFrac = r.g.relationSize(b.desc)
	for i := len(b.desc.Indexes) - 1; i >= 0; i-- { // PostgreSQL's order: the newest first
		if ix := b.desc.Indexes[i]; ix.Valid {
			b.indexes = append(b.indexes, r.newIndexInfo(b, ix))
		}
	}
}

// relationSize scales the tuple density of the last VACUUM or ANALYZE to the current number of pages.
func (g *glob) relationSize(d *catalog.Relation) (pages, tuples, allVis float64) {
	cur := d.Pages
	if g.env.RelPages != nil {
		cur = g.env.RelPages(d.OID)
	}
	if cur < 10 && d.Tuples < 0 && !d.HasSubclass {
		cur = 10
	}
	if cur == 0 {
		return 0, 0, 0
	}
	density := 0.0
	if d.Tuples >= 0 && d.Pages > 0 {
		density = float64(d.Tuples) / float64(d.Pages)
	} else {
		width := g.dataWidth(d) + align8(sizeofHeapTupleHeader) + itemIDSize
		density = float64((blockSize - pageHeaderSize) / width)
	}
	tuples = math.RoundToEven(density * float64(cur))
	switch {
	case d.AllVisible == 0:
	case d.AllVisible >= cur:
		allVis = 1
	default:
		allVis = float64(d.AllVisible) / float64(cur)
	}
	return float64(cur), tuples, allVis
}

// dataWidth is the average width of a row of a table by statistics or by types.
func (g *glob) dataWidth(d *catalog.Relation) int {
	w := 0
	for i := range d.Desc.Attrs {
		if a := &d.Desc.Attrs[i]; !a.Dropped {
			w += g.columnWidth(d, a)
		}
	}
	return w
}

func (g *glob) columnWidth(d *catalog.Relation, a *types.Attr) int {
	if s := must(g.env.Catalog.Statistic(d.OID, a.Num, false)); s != nil && s.Width > 0 {
		return int(s.Width)
	}
	return g.typeWidth(a.TypeOID, a.TypMod)
}

// typeWidth guesses the average width of a type's values.
func (g *glob) typeWidth(typ OID, mod int32) int {
	t := g.typ(typ)
	if t == nil {
		return 32
	}
	if t.Len > 0 {
		return int(t.Len)
	}
	w := 0
	if mod >= 0 {
		switch typ {
		case types.BpcharOID:
			return int(mod-4)*4 + 4
		case types.VarcharOID:
			w = int(mod-4)*4 + 4
		case types.NumericOID:
			w = (int((mod-4)>>16&0xffff)+6)/4*2 + 8
		case types.BitOID, types.VarbitOID:
			w = int(mod+7)/8 + 8
		}
	}
	switch {
	case w == 0:
		return 32
	case w <= 32:
		return w
	case w < 1000:
		return 32 + (w-32)/2
	}
	return 32 + (1000-32)/2
}

func (r *root) newIndexInfo(b *rel, ix *catalog.Index) *indexInfo {
	n := &indexInfo{idx: ix, rel: b, ncols: len(ix.Keys), nkeys: ix.NumKeys, unique: ix.Unique, immediate: ix.Immediate,
		btree: ix.AM == catalog.BTreeAM, canReturn: ix.AM == catalog.BTreeAM}
	for _, e := range implicitAnd(ix.Pred) {
		n.pred = append(n.pred, moveVars(e, 1, b.index))
	}
	expr := 0
	for _, k := range ix.Keys {
		if k == 0 {
			n.keyExprs = append(n.keyExprs, moveVars(ix.Exprs[expr], 1, b.index))
			expr++
			continue
		}
		n.keyExprs = append(n.keyExprs, r.columnVar(b, k))
	}
	for i, e := range n.keyExprs {
		n.targets = append(n.targets, &query.TargetEntry{Expr: e, ResNo: i + 1})
	}
	n.pages = float64(ix.Pages)
	if r.g.env.RelPages != nil {
		n.pages = float64(r.g.env.RelPages(ix.OID))
	}
	n.tuples = b.tuples
	if len(n.pred) > 0 {
		n.tuples = min(r.partialIndexTuples(ix, n.pages), b.tuples)
	}
	n.height = -1
	if n.btree {
		n.height = r.indexHeight(ix, n.pages)
	}
	return n
}

// partialIndexTuples scales an index's density to its current pages; the meta page holds none.
func (r *root) partialIndexTuples(ix *catalog.Index, pages float64) float64 {
	old := float64(ix.Pages)
	if pages <= 0 {
		return 0
	}
	if old > 0 {
		pages, old = pages-1, old-1
	}
	if ix.Tuples >= 0 && old > 0 {
		return math.RoundToEven(float64(ix.Tuples) / old * pages)
	}
	width := 8 + itemIDSize
	for i := range ix.Attrs {
		width += r.g.typeWidth(ix.Attrs[i].TypeOID, ix.Attrs[i].TypMod)
	}
	return math.RoundToEven(float64((blockSize-pageHeaderSize)/width) * pages)
}

func (r *root) indexHeight(ix *catalog.Index, pages float64) int {
	if r.g.env.IndexHeight != nil {
		return r.g.env.IndexHeight(ix.OID)
	}
	h := 0
	for n := pages; n > 2; n /= 280 {
		h++
	}
	return h
}

// columnVar makes a Var of a table's column; system columns have fixed types.
func (r *root) columnVar(b *rel, att int16) *query.Var {
	v := &query.Var{VarNo: b.index, AttNo: att, Mod: -1, Loc: -1, SynNo: b.index, SynAttNo: att}
	if att > 0 {
		a := &b.desc.Desc.Attrs[att-1]
		v.TypeOID, v.Mod, v.Coll = a.TypeOID, a.TypMod, a.Collation
		return v
	}
	switch att {
	case tidAttNo:
		v.TypeOID = types.TidOID
	case tableOIDAttNo:
		v.TypeOID = types.OidOID
	}
	return v
}

// moveVars gives the Vars of range table index from the index to.
func moveVars(e query.Expr, from, to int) query.Expr {
	return mutateDeep(e, 0, func(x query.Expr, d int) query.Expr {
		v, ok := x.(*query.Var)
		if !ok || v.LevelsUp != d || v.VarNo != from {
			return nil
		}
		c := *v
		c.VarNo, c.SynNo, c.SynAttNo = to, to, v.AttNo
		return &c
	})
}

// setBaseSize estimates a base relation's rows and width.
func (r *root) setBaseSize(b *rel) {
	b.rows = clampRows(b.tuples * r.listSelectivity(b.restricts, selArgs{}))
	b.restrictCost = r.g.restrictsCost(b.restricts)
	r.setRelWidth(b)
}

// setRelWidth sums the widths of what the relation delivers.
func (r *root) setRelWidth(b *rel) {
	w := 0
	for _, e := range b.target.exprs {
		v, ok := e.(*query.Var)
		if !ok || v.VarNo != b.index {
			c := r.g.exprCost(e)
			b.target.cost.add(c)
			w += r.exprWidth(e)
			continue
		}
		w += r.varWidth(b, v)
	}
	b.target.width = w
}

func (r *root) varWidth(b *rel, v *query.Var) int {
	if w, ok := b.attrWidth[v.AttNo]; ok {
		return w
	}
	w := 0
	switch {
	case v.AttNo == 0 && b.desc != nil:
		w = r.g.dataWidth(b.desc)
	case v.AttNo > 0 && b.desc != nil:
		w = r.g.columnWidth(b.desc, &b.desc.Desc.Attrs[v.AttNo-1])
	case v.AttNo > 0 && b.subroot != nil:
		w = r.subqueryColumnWidth(b, v)
	default:
		w = r.g.typeWidth(v.TypeOID, v.Mod)
	}
	b.attrWidth[v.AttNo] = w
	return w
}

func (r *root) subqueryColumnWidth(b *rel, v *query.Var) int {
	for _, t := range b.subroot.processedTargets {
		if t.ResNo == int(v.AttNo) && !t.Junk {
			return b.subroot.exprWidth(t.Expr)
		}
	}
	return r.g.typeWidth(v.TypeOID, v.Mod)
}

// exprWidth estimates the width of any expression.
func (r *root) exprWidth(e query.Expr) int {
	if v, ok := e.(*query.Var); ok && v.LevelsUp == 0 {
		if b := r.findBase(v.VarNo); b != nil {
			return r.varWidth(b, v)
		}
	}
	return r.g.typeWidth(e.Type(), e.TypMod())
}

// newTarget makes a pathTarget of expressions with its cost and width.
func (r *root) newTarget(exprs []query.Expr, refs []uint32) *pathTarget {
	t := &pathTarget{exprs: exprs, refs: refs}
	for _, e := range exprs {
		if !isVar(e) {
			t.cost.add(r.g.exprCost(e))
		}
		t.width += r.exprWidth(e)
	}
	return t
}

func targetOf(r *root, ts []*query.TargetEntry) *pathTarget {
	exprs := make([]query.Expr, len(ts))
	refs := make([]uint32, len(ts))
	for i, t := range ts {
		exprs[i], refs[i] = t.Expr, t.SortGroupRef
	}
	return r.newTarget(exprs, refs)
}

func (t *pathTarget) ref(i int) uint32 {
	if t.refs == nil {
		return 0
	}
	return t.refs[i]
}

// paramInfoFor finds or makes a base relation's parameterisation by outer relations.
func (r *root) paramInfoFor(b *rel, outer Relids) *paramInfo {
	if outer.empty() {
		return nil
	}
	for _, p := range b.paramInfos {
		if p.outer == outer {
			return p
		}
	}
	p := &paramInfo{outer: outer, clauses: r.movableInto(b, outer)}
	p.rows = r.paramRows(b, p.clauses)
	b.paramInfos = append(b.paramInfos, p)
	return p
}

// movableInto lists the join clauses that outer relations' values allow to check at b.
func (r *root) movableInto(b *rel, outer Relids) (out []*restrict) {
	all := b.relids.or(outer)
	for _, ri := range b.joinInfo {
		if r.canMoveInto(ri, b.relids, all) {
			out = append(out, ri)
		}
	}
	for _, ri := range r.joinEqualities(all, outer, b.relids) {
		out = append(out, r.forChild(ri, b))
	}
	return out
}

// canMoveInto: the condition can be checked at current, given all, and is not yet checkable without current.
func (r *root) canMoveInto(ri *restrict, current, all Relids) bool {
	return ri.clauseRelids.subsetOf(all) && ri.clauseRelids.overlaps(current) && !current.overlaps(ri.outerRelids) &&
		!current.overlaps(ri.nullableRelids)
}

// canMoveTo: the condition can be pushed down to b as a parameterised one.
func canMoveTo(ri *restrict, b *rel) bool {
	return ri.clauseRelids.has(b.index) && !ri.outerRelids.has(b.index) && !ri.nullableRelids.has(b.index) &&
		!b.lateralReferencers.overlaps(ri.clauseRelids)
}

func (r *root) paramRows(b *rel, clauses []*restrict) float64 {
	all := append(append([]*restrict(nil), clauses...), b.restricts...)
	n := clampRows(b.tuples * r.listSelectivity(all, selArgs{varRel: b.index}))
	return min(n, b.rows)
}
