package plan

import (
	"sort"

	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// indexClause is a condition that an index scan checks at one index column. quals are its index form; lossy ones are checked again.
type indexClause struct {
	ri    *restrict
	quals []*restrict
	lossy bool
	col   int
}

// clauseSet lists, per index column, the conditions that fit it.
type clauseSet struct {
	any  bool
	cols [][]*indexClause
}

func newClauseSet(ix *indexInfo) *clauseSet {
	return &clauseSet{cols: make([][]*indexClause, ix.nkeys)}
}

func (s *clauseSet) add(c *indexClause) {
	for _, o := range s.cols[c.col] {
		if o.ri == c.ri {
			return
		}
	}
	s.cols[c.col] = append(s.cols[c.col], c)
	s.any = true
}

// indexPaths makes the index and bitmap paths of a table.
func (r *root) indexPaths(b *rel) {
	var bitmaps, joinBitmaps []*path
	joinOuter := []Relids{}
	for _, ix := range b.indexes {
		if len(ix.pred) > 0 && !ix.predOK {
			continue
		}
		set := newClauseSet(ix)
		for _, ri := range ix.restricts {
			r.matchClause(ix, ri, set)
		}
		r.plainIndexPaths(b, ix, set, &bitmaps)
		join := newClauseSet(ix)
		for _, ri := range b.joinInfo {
			if canMoveTo(ri, b) {
				r.matchClause(ix, ri, join)
			}
		}
		ecSet := newClauseSet(ix)
		r.matchECs(b, ix, ecSet)
		if join.any || ecSet.any {
			r.joinIndexPaths(b, ix, set, join, ecSet, &joinBitmaps)
		}
	}
	bitmaps = append(bitmaps, r.orBitmaps(b, b.restricts)...)
	if len(bitmaps) > 0 {
		q := r.chooseBitmapAnd(b, bitmaps)
		addPath(b, r.bitmapHeapPath(b, q, b.lateral, 1))
	}
	for _, p := range joinBitmaps {
		if o := p.requiredOuter(); !containsRelids(joinOuter, o) {
			joinOuter = append(joinOuter, o)
		}
	}
	for _, outer := range joinOuter {
		var usable []*path
		for _, p := range joinBitmaps {
			if p.requiredOuter().subsetOf(outer) {
				usable = append(usable, p)
			}
		}
		usable = append(usable, bitmaps...)
		q := r.chooseBitmapAnd(b, usable)
		need := q.requiredOuter()
		addPath(b, r.bitmapHeapPath(b, q, need, r.loopCount(b.index, need)))
	}
}

func containsRelids(list []Relids, s Relids) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// plainIndexPaths makes paths with restriction clauses only.
func (r *root) plainIndexPaths(b *rel, ix *indexInfo, set *clauseSet, bitmaps *[]*path) {
	keep := func(list []*path) {
		for _, p := range list {
			addPath(b, p)
			if len(p.keys) == 0 || p.indexSel < 1 {
				*bitmaps = append(*bitmaps, p)
			}
		}
	}
	for _, list := range r.allIndexPaths(b, ix, set, bitmaps) {
		keep(list)
	}
}

// allIndexPaths makes the scans of one index with a set of clauses: with and without arrays that would spoil its order. Arrays that the access method
// can't search itself serve bitmap scans only, which are added to bitmaps.
func (r *root) allIndexPaths(b *rel, ix *indexInfo, set *clauseSet, bitmaps *[]*path) (out [][]*path) {
	var skipLower, skipForeign bool
	out = append(out, r.buildIndexPaths(b, ix, set, true, scanAny, &skipLower, &skipForeign))
	if skipLower {
		out = append(out, r.buildIndexPaths(b, ix, set, true, scanAny, nil, &skipForeign))
	}
	if skipForeign {
		*bitmaps = append(*bitmaps, r.buildIndexPaths(b, ix, set, false, scanBitmap, nil, nil)...)
	}
	return out
}

type scanType uint8

const (
	scanAny scanType = iota
	scanBitmap
)

// buildIndexPaths makes the useful scans of one index with a set of clauses. skipLower, when given, is set if array conditions on later columns
// had to be left out, since they would spoil the order; skipForeign if arrays were left out that the access method can't search.
func (r *root) buildIndexPaths(b *rel, ix *indexInfo, set *clauseSet, useful bool, kind scanType, skipLower, skipForeign *bool) (out []*path) {
	var clauses []*indexClause
	outer := b.lateral
	lowerSaop := false
	for col, list := range set.cols {
		for _, c := range list {
			if isSaop(c.ri.clause) && !ix.btree && skipForeign != nil {
				*skipForeign = true
				continue
			}
			if isSaop(c.ri.clause) && col > 0 {
				if skipLower != nil {
					*skipLower = true
					continue
				}
				lowerSaop = true // its order cannot be promised
			}
			clauses = append(clauses, c)
			outer = outer.or(c.ri.clauseRelids)
		}
		if len(clauses) == 0 && !ix.btree {
			return nil // it finds nothing without a condition on its first column
		}
	}
	outer.del(b.index)
	loops := r.loopCount(b.index, outer)
	var keys []*pathkey
	ordered := kind != scanBitmap && !lowerSaop && r.hasUsefulKeys(b)
	if ordered {
		keys = r.usefulKeys(b, r.indexKeys(ix, false))
	}
	indexOnly := kind != scanBitmap && r.indexOnlyOK(b, ix)
	if len(clauses) > 0 || len(keys) > 0 || len(ix.pred) > 0 && kind == scanAny && useful || indexOnly {
		out = append(out, r.indexPath(b, ix, clauses, keys, false, indexOnly, outer, loops))
	}
	if ordered {
		back := r.usefulKeys(b, r.indexKeys(ix, true))
		if len(back) > 0 {
			out = append(out, r.indexPath(b, ix, clauses, back, true, indexOnly, outer, loops))
		}
	}
	return out
}

func isSaop(e query.Expr) bool { _, ok := e.(*query.ScalarArrayOpExpr); return ok }

func (r *root) indexPath(b *rel, ix *indexInfo, clauses []*indexClause, keys []*pathkey, backward, only bool, outer Relids, loops float64) *path {
	p := &path{kind: pIndexScan, rel: b, target: b.target, param: r.paramInfoFor(b, outer), keys: keys, index: ix, clauses: clauses, backward: backward}
	if only {
		p.kind = pIndexOnlyScan
	}
	r.costIndex(p, loops)
	return p
}

// indexOnlyOK: the index holds all columns that are needed.
func (r *root) indexOnlyOK(b *rel, ix *indexInfo) bool {
	if !r.g.set.EnableIndexOnlyScan || !ix.canReturn {
		return false
	}
	has := map[int16]bool{}
	for i, k := range ix.idx.Keys {
		if k != 0 && r.canReturnColumn(ix, i) {
			has[k] = true
		}
	}
	ok := true
	check := func(e query.Expr) {
		for _, v := range varsOf(e) {
			if v.VarNo == b.index && !has[v.AttNo] {
				ok = false
			}
		}
	}
	for _, e := range b.target.exprs {
		check(e)
	}
	for _, ri := range ix.restricts {
		check(ri.clause)
	}
	return ok
}

// canReturnColumn: a name column is stored as cstring in a btree index, which cannot give it back.
func (r *root) canReturnColumn(ix *indexInfo, i int) bool {
	return i >= len(ix.idx.Attrs) || ix.idx.Attrs[i].TypeOID == ix.keyExprs[i].Type()
}

// loopCount estimates how often a parameterised scan is run: the rows of the smallest outer relation.
func (r *root) loopCount(cur int, outer Relids) float64 {
	if outer.empty() {
		return 1
	}
	n := 0.0
	outer.each(func(i int) {
		o := r.findBase(i)
		if o == nil || o.dummy {
			return
		}
		rows := r.adjustSemiRows(cur, i, o.rows)
		if n == 0 || n > rows {
			n = rows
		}
	})
	return max(n, 1)
}

// adjustSemiRows: when the outer side is a semi-join's unique-ified inner, only its distinct values count.
func (r *root) adjustSemiRows(cur, outer int, rows float64) float64 {
	for _, s := range r.specials {
		if s.typ == query.JoinSemi && s.synLeft.has(cur) && s.synRight.has(outer) {
			n := 1.0
			s.synRight.each(func(i int) {
				if b := r.findBase(i); b != nil {
					n *= b.rows
				}
			})
			if d := r.estimateGroups(s.semiRHS, n); rows > d {
				rows = d
			}
		}
	}
	return rows
}

// joinIndexPaths makes parameterised paths: for each useful set of outer relations, all clauses that it allows.
func (r *root) joinIndexPaths(b *rel, ix *indexInfo, restr, join, ec *clauseSet, bitmaps *[]*path) {
	var considered []Relids
	count := 0
	for _, set := range []*clauseSet{join, ec} {
		for _, col := range set.cols {
			count += len(col)
		}
	}
	for _, set := range []*clauseSet{join, ec} {
		for _, col := range set.cols {
			for _, c := range col {
				rels := c.ri.clauseRelids
				if containsRelids(considered, rels) {
					continue
				}
				for _, old := range append([]Relids(nil), considered...) {
					if old.subsetOf(rels) || rels.subsetOf(old) || len(considered) >= 10*count {
						continue
					}
					r.oneJoinIndexPath(b, ix, restr, join, ec, old.or(rels), &considered, bitmaps)
				}
				r.oneJoinIndexPath(b, ix, restr, join, ec, rels, &considered, bitmaps)
			}
		}
	}
}

func (r *root) oneJoinIndexPath(b *rel, ix *indexInfo, restr, join, ec *clauseSet, rels Relids, considered *[]Relids, bitmaps *[]*path) {
	if containsRelids(*considered, rels) {
		return
	}
	*considered = append(*considered, rels)
	set := newClauseSet(ix)
	for col := range restr.cols {
		for _, c := range join.cols[col] {
			if c.ri.clauseRelids.subsetOf(rels) {
				set.add(c)
			}
		}
		var fromEC *indexClause
		for _, c := range ec.cols[col] {
			if c.ri.clauseRelids.subsetOf(rels) && (fromEC == nil || fromEC.ri.parentEC != c.ri.parentEC) {
				set.add(c)
				fromEC = c
			}
		}
		for _, c := range restr.cols[col] {
			set.add(c)
		}
	}
	if !set.any {
		return
	}
	for _, list := range r.allIndexPaths(b, ix, set, bitmaps) {
		for _, p := range list {
			addPath(b, p)
			*bitmaps = append(*bitmaps, p)
		}
	}
}

// matchECs finds equalities from the classes that fit index columns.
func (r *root) matchECs(b *rel, ix *indexInfo, set *clauseSet) {
	if !b.hasECJoins {
		return
	}
	for col := 0; col < ix.nkeys; col++ {
		for _, ri := range r.ecColumnClauses(b, ix, col) {
			r.matchClause(ix, ri, set)
		}
	}
}

func (r *root) ecColumnClauses(b *rel, ix *indexInfo, col int) (out []*restrict) {
	for _, ec := range r.ecs {
		if ec.hasConst || len(ec.members) <= 1 || !ec.relids.overlaps(b.relids) {
			continue
		}
		for _, m := range ec.members {
			if m.relids != b.relids || !r.memberMatchesColumn(ec, m, b, ix, col) {
				continue
			}
			for _, o := range ec.members {
				if o == m || o.relids.overlaps(b.relids) || o.isConst || b.lateralReferencers.overlaps(o.relids) {
					continue
				}
				op := r.equalityOp(ec, m.typ, o.typ)
				if op == 0 {
					continue
				}
				out = append(out, r.forChild(r.joinClause(ec, op, m, o, ec), b))
			}
			break
		}
	}
	return out
}

func (r *root) memberMatchesColumn(ec *eclass, m *emember, b *rel, ix *indexInfo, col int) bool {
	ok := !ix.btree // of other access methods nobody can tell which operators fit; the conditions are matched anyway
	for _, f := range ec.families {
		ok = ok || f == ix.idx.OpFamilies[col]
	}
	return ok && collationFits(ix.idx.Collations[col], ec.coll) && equal(stripRelabel(r.translate(m.expr, b)), stripRelabel(ix.keyExprs[col]))
}

func collationFits(index, expr OID) bool { return index == 0 || index == expr }

// matchClause adds a condition to the first index column that it fits.
func (r *root) matchClause(ix *indexInfo, ri *restrict, set *clauseSet) {
	if ri.pseudoconst {
		return
	}
	if ri.security > ix.rel.baseMinSecurity && !ri.leakproof {
		return
	}
	for col := 0; col < ix.nkeys; col++ {
		for _, o := range set.cols[col] {
			if o.ri == ri {
				return
			}
		}
		if c := r.matchColumn(ix, ri, col); c != nil {
			set.add(c)
			return
		}
	}
}

// matchColumn gives the index form of a condition at a column, nil if it does not fit.
func (r *root) matchColumn(ix *indexInfo, ri *restrict, col int) *indexClause {
	fam, key := ix.idx.OpFamilies[col], ix.keyExprs[col]
	if boolFamily(fam) {
		if q := matchBoolColumn(ri.clause, key); q != nil {
			return r.derivedClause(ri, q, col)
		}
	}
	switch e := ri.clause.(type) {
	case *query.OpExpr:
		return r.matchOp(ix, ri, e, col)
	case *query.ScalarArrayOpExpr:
		if !e.UseOr || !equal(stripRelabel(e.Left), stripRelabel(key)) || !collationFits(ix.idx.Collations[col], e.InputColl) ||
			varRelids(e.Right).has(ix.rel.index) || r.g.volatile(e.Right) || r.g.opInFamily(e.OpOID, fam) == nil {
			return nil
		}
		return &indexClause{ri: ri, quals: []*restrict{ri}, col: col}
	case *query.RowCompareExpr:
		return r.matchRowCompare(ix, ri, e, col)
	case *query.NullTest:
		if ix.btree && !e.ArgIsRow && equal(stripRelabel(e.Arg), stripRelabel(key)) {
			return &indexClause{ri: ri, quals: []*restrict{ri}, col: col}
		}
	}
	return nil
}

func (r *root) matchOp(ix *indexInfo, ri *restrict, e *query.OpExpr, col int) *indexClause {
	if len(e.Args) != 2 {
		return nil
	}
	fam, key := ix.idx.OpFamilies[col], stripRelabel(ix.keyExprs[col])
	idx := ix.rel.index
	if equal(stripRelabel(e.Args[0]), key) && !ri.right.has(idx) && !r.g.volatile(e.Args[1]) {
		if collationFits(ix.idx.Collations[col], e.InputColl) && r.g.opInFamily(e.OpOID, fam) != nil {
			return &indexClause{ri: ri, quals: []*restrict{ri}, col: col}
		}
		return nil
	}
	if equal(stripRelabel(e.Args[1]), key) && !ri.left.has(idx) && !r.g.volatile(e.Args[0]) && collationFits(ix.idx.Collations[col], e.InputColl) {
		if com := r.g.oper(e.OpOID).Commutator; com != 0 && r.g.opInFamily(com, fam) != nil {
			return &indexClause{ri: ri, quals: []*restrict{r.commuted(ri, e)}, col: col}
		}
	}
	return nil
}

// commuted is a condition with its sides swapped, sharing its estimates.
func (r *root) commuted(ri *restrict, e *query.OpExpr) *restrict {
	n := *ri
	n.clause = r.g.commute(e)
	n.left, n.right = ri.right, ri.left
	return &n
}

// matchRowCompare uses the leading columns of a row comparison that follow the index.
func (r *root) matchRowCompare(ix *indexInfo, ri *restrict, e *query.RowCompareExpr, col int) *indexClause {
	key := stripRelabel(ix.keyExprs[col])
	idx := ix.rel.index
	left := equal(stripRelabel(e.Left[0]), key)
	ok := left && !varRelids(e.Right[0]).has(idx) && !r.g.volatile(e.Right[0])
	if !ok || !collationFits(ix.idx.Collations[col], e.InputColls[0]) {
		return nil
	}
	m := r.g.opInFamily(e.OpOIDs[0], ix.idx.OpFamilies[col])
	if m == nil || m.Strategy == btEqual || !ix.btree {
		return nil
	}
	n := 1
	for ; n < len(e.OpOIDs) && col+n < ix.nkeys; n++ {
		c := col + n
		x := r.g.opInFamily(e.OpOIDs[n], ix.idx.OpFamilies[c])
		if !equal(stripRelabel(e.Left[n]), stripRelabel(ix.keyExprs[c])) || x == nil || x.Strategy != m.Strategy || ix.idx.Desc[c] != ix.idx.Desc[col] ||
			!collationFits(ix.idx.Collations[c], e.InputColls[n]) || varRelids(e.Right[n]).has(idx) || r.g.volatile(e.Right[n]) {
			break
		}
	}
	if n == len(e.OpOIDs) {
		return &indexClause{ri: ri, quals: []*restrict{ri}, col: col}
	}
	return r.shortRowCompare(ix, ri, e, n, col)
}

// shortRowCompare keeps the first n columns with < and > widened to <= and >=: a lossy form.
func (r *root) shortRowCompare(ix *indexInfo, ri *restrict, e *query.RowCompareExpr, n, col int) *indexClause {
	wide := *e
	switch e.Kind {
	case query.RowCompareLT:
		wide.Kind = query.RowCompareLE
	case query.RowCompareGT:
		wide.Kind = query.RowCompareGE
	}
	wide.OpOIDs = nil
	for i := 0; i < n; i++ {
		m := r.g.opInFamily(e.OpOIDs[i], ix.idx.OpFamilies[col+i])
		strategy := m.Strategy
		switch strategy {
		case btLess:
			strategy = btLessEqual
		case btGreater:
			strategy = btGreaterEqual
		}
		op := r.g.amOp(m.Family, m.Left, m.Right, strategy)
		if op == 0 {
			return nil
		}
		wide.OpOIDs = append(wide.OpOIDs, op)
	}
	wide.OpFamilies, wide.InputColls = e.OpFamilies[:n], e.InputColls[:n]
	wide.Left, wide.Right = e.Left[:n], e.Right[:n]
	var q query.Expr = &wide
	if n == 1 {
		q = &query.OpExpr{OpOID: wide.OpOIDs[0], FuncOID: r.g.oper(wide.OpOIDs[0]).Func, TypeOID: types.BoolOID, InputColl: e.InputColls[0],
			Args: []query.Expr{e.Left[0], e.Right[0]}, Loc: -1}
	}
	c := r.derivedClause(ri, q, col)
	c.lossy = true
	return c
}

func boolFamily(f OID) bool { return f == 424 || f == 2222 }

// matchBoolColumn turns a condition on a boolean column into column = constant.
func matchBoolColumn(clause, key query.Expr) query.Expr {
	eq := func(v bool) query.Expr {
		return &query.OpExpr{OpOID: boolEqOp, FuncOID: 60, TypeOID: types.BoolOID, Args: []query.Expr{key, boolConst(v)}, Loc: -1}
	}
	if equal(clause, key) {
		return eq(true)
	}
	switch e := clause.(type) {
	case *query.BoolExpr:
		if e.Op == query.Not && equal(e.Args[0], key) {
			return eq(false)
		}
	case *query.BooleanTest:
		if equal(e.Arg, key) {
			switch e.Kind {
			case query.IsTrue:
				return eq(true)
			case query.IsFalse:
				return eq(false)
			}
		}
	}
	return nil
}

func (r *root) derivedClause(ri *restrict, q query.Expr, col int) *indexClause {
	n := *ri
	n.clause, n.or = q, nil
	return &indexClause{ri: ri, quals: []*restrict{&n}, col: col}
}

// orBitmaps makes BitmapOr paths of OR conditions of which every arm can use an index.
func (r *root) orBitmaps(b *rel, clauses []*restrict) (out []*path) {
	for _, ri := range clauses {
		if ri.or == nil || ri.pseudoconst {
			continue
		}
		var arms []*path
		for _, arm := range ri.or {
			best := r.armPath(b, arm)
			if best == nil {
				arms = nil
				break
			}
			arms = append(arms, best)
		}
		if len(arms) > 0 {
			p := &path{kind: pBitmapOr, rel: b, subs: arms, tidClauses: []*restrict{ri}}
			r.costBitmapOr(p)
			out = append(out, p)
		}
	}
	return out
}

// armPath gives the best bitmap source for one arm of an OR.
func (r *root) armPath(b *rel, arm []any) *path {
	var list []*restrict
	for _, x := range arm {
		list = append(list, x.(*restrict))
	}
	var found []*path
	for _, ix := range b.indexes {
		if len(ix.pred) > 0 && !ix.predOK && !r.g.impliesAll(ix.pred, append(clausesOf(list), clausesOf(b.restricts)...)) {
			continue
		}
		set := newClauseSet(ix)
		for _, ri := range list {
			r.matchClause(ix, ri, set)
		}
		if !set.any {
			continue
		}
		for _, ri := range b.restricts {
			if ri.or == nil {
				r.matchClause(ix, ri, set)
			}
		}
		found = append(found, r.buildIndexPaths(b, ix, set, false, scanBitmap, nil, nil)...)
	}
	if nested := r.orBitmaps(b, list); len(nested) > 0 {
		found = append(found, nested...)
	}
	if len(found) == 0 {
		return nil
	}
	return r.chooseBitmapAnd(b, found)
}

func clausesOf(list []*restrict) []query.Expr {
	out := make([]query.Expr, len(list))
	for i, ri := range list {
		out[i] = ri.clause
	}
	return out
}

// chooseBitmapAnd picks the cheapest combination of bitmaps to AND, greedily from each start.
func (r *root) chooseBitmapAnd(b *rel, paths []*path) *path {
	if len(paths) == 1 {
		return paths[0]
	}
	type info struct {
		p     *path
		quals []query.Expr
	}
	var infos []info
	for _, p := range paths {
		n := info{p, bitmapClauses(p)}
		dup := false
		for i, o := range infos {
			if sameExprSet(o.quals, n.quals) {
				if bitmapCost(p) < bitmapCost(o.p) {
					infos[i] = n
				}
				dup = true
				break
			}
		}
		if !dup {
			infos = append(infos, n)
		}
	}
	sort.SliceStable(infos, func(i, j int) bool {
		ci, cj := bitmapCost(infos[i].p), bitmapCost(infos[j].p)
		if ci != cj {
			return ci < cj
		}
		return infos[i].p.indexSel < infos[j].p.indexSel
	})
	var best []*path
	bestCost := 0.0
	for i := range infos {
		set := []*path{infos[i].p}
		quals := append([]query.Expr(nil), infos[i].quals...)
		cost := r.bitmapScanCost(b, infos[i].p)
		for j := i + 1; j < len(infos); j++ {
			if overlapExprs(quals, infos[j].quals) || r.predicateImplied(infos[j].p, quals) {
				continue
			}
			try := append(append([]*path(nil), set...), infos[j].p)
			if c := r.bitmapScanCost(b, r.bitmapAnd(b, try)); c < cost {
				set, cost = try, c
				quals = append(quals, infos[j].quals...)
			}
		}
		if best == nil || cost < bestCost {
			best, bestCost = set, cost
		}
	}
	if len(best) == 1 {
		return best[0]
	}
	return r.bitmapAnd(b, best)
}

// predicateImplied: a partial index adds nothing when its predicate follows from the conditions used so far.
func (r *root) predicateImplied(p *path, quals []query.Expr) bool {
	if p.kind == pBitmapAnd || p.kind == pBitmapOr {
		for _, s := range p.subs {
			if r.predicateImplied(s, quals) {
				return true
			}
		}
		return false
	}
	for _, e := range p.index.pred {
		if r.g.impliesAll([]query.Expr{e}, quals) {
			return true
		}
	}
	return false
}

func bitmapCost(p *path) float64 {
	if p.kind == pBitmapAnd || p.kind == pBitmapOr {
		return p.total
	}
	return p.indexTotal
}

func bitmapClauses(p *path) (out []query.Expr) {
	switch p.kind {
	case pBitmapAnd, pBitmapOr:
		for _, s := range p.subs {
			out = append(out, bitmapClauses(s)...)
		}
	default:
		for _, c := range p.clauses {
			out = append(out, c.ri.clause)
		}
		out = append(out, p.index.pred...)
	}
	return out
}

func sameExprSet(a, b []query.Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for _, x := range a {
		if !member(b, x) {
			return false
		}
	}
	return true
}

func overlapExprs(a, b []query.Expr) bool {
	for _, x := range b {
		if member(a, x) {
			return true
		}
	}
	return false
}

func (r *root) bitmapAnd(b *rel, paths []*path) *path {
	p := &path{kind: pBitmapAnd, rel: b, subs: paths}
	r.costBitmapAnd(p)
	return p
}

func (r *root) bitmapScanCost(b *rel, q *path) float64 {
	p := &path{kind: pBitmapHeap, rel: b, target: b.target, param: r.paramInfoFor(b, bitmapOuter(q)), bitmapQual: q}
	r.costBitmapHeap(p, r.loopCount(b.index, bitmapOuter(q)))
	return p.total
}

// bitmapOuter: what a tree of bitmap sources needs from outside.
func bitmapOuter(p *path) (s Relids) {
	if p.kind == pBitmapAnd || p.kind == pBitmapOr {
		for _, x := range p.subs {
			s = s.or(bitmapOuter(x))
		}
		return s
	}
	return p.requiredOuter()
}

func (r *root) bitmapHeapPath(b *rel, q *path, outer Relids, loops float64) *path {
	p := &path{kind: pBitmapHeap, rel: b, target: b.target, param: r.paramInfoFor(b, outer.or(bitmapOuter(q))), bitmapQual: q}
	r.costBitmapHeap(p, loops)
	return p
}
