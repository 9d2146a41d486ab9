package plan

import (
	"math"

	"github.com/calfdb/calf/sql/query"
)

// indexPagesFetched is Mackert and Lohman's approximation of the pages that fetching n tuples reads, given the cache.
func (r *root) indexPagesFetched(n, pages, indexPages float64) float64 {
	t := max(pages, 1)
	total := max(r.totalTablePages+indexPages, 1)
	b := r.g.set.EffectiveCacheSize * t / total
	if b <= 1 {
		b = 1
	} else {
		b = math.Ceil(b)
	}
	if t <= b {
		f := 2 * t * n / (2*t + n)
		if f >= t {
			return t
		}
		return math.Ceil(f)
	}
	lim := 2 * t * b / (2*t - b)
	if n <= lim {
		return math.Ceil(2 * t * n / (2*t + n))
	}
	return math.Ceil(b + (n-lim)*(t-b)/t)
}

// costIndex charges an index scan run `loops` times.
func (r *root) costIndex(p *path, loops float64) {
	s, b, ix := &r.g.set, p.rel, p.index
	only := p.kind == pIndexOnlyScan
	p.rows = r.scanRows(b, p.param)
	quals := nonIndexQuals(ix.restricts, p.clauses)
	if p.param != nil {
		quals = append(quals, nonIndexQuals(p.param.clauses, p.clauses)...)
	}
	startup, run := 0.0, 0.0
	if !s.EnableIndexScan {
		startup += disableCost
	}
	var c indexCosts
	if ix.btree {
		c = r.costBTree(p, loops)
	} else {
		c = r.costGenericIndex(p, loops, 0) // hash goes directly to the bucket: no descent, no order
	}
	p.indexTotal, p.indexSel = c.total, c.selectivity
	startup += c.startup
	run += c.total - c.startup
	fetched := clampRows(c.selectivity * b.tuples)
	visible := func(n float64) float64 {
		if only {
			return math.Ceil(n * (1 - b.allVisFrac))
		}
		return n
	}
	var minIO, maxIO float64
	if loops > 1 {
		n := visible(r.indexPagesFetched(fetched*loops, b.pages, ix.pages))
		maxIO = n * s.RandomPageCost / loops
		n = math.Ceil(c.selectivity * b.pages)
		n = visible(r.indexPagesFetched(n*loops, b.pages, ix.pages))
		minIO = n * s.RandomPageCost / loops
	} else {
		n := visible(r.indexPagesFetched(fetched, b.pages, ix.pages))
		maxIO = n * s.RandomPageCost
		n = visible(math.Ceil(c.selectivity * b.pages))
		if n > 0 {
			minIO = s.RandomPageCost
			if n > 1 {
				minIO += (n - 1) * s.SeqPageCost
			}
		}
	}
	run += maxIO + c.correlation*c.correlation*(minIO-maxIO)
	q := r.g.restrictsCost(quals)
	startup += q.startup
	cpu := (s.CPUTupleCost + q.tuple) * fetched
	startup += p.target.cost.startup
	cpu += p.target.cost.tuple * p.rows
	p.setCost(startup, run+cpu)
}

// nonIndexQuals drops the conditions that the index checks exactly.
func nonIndexQuals(list []*restrict, clauses []*indexClause) (out []*restrict) {
	for _, ri := range list {
		if ri.pseudoconst || redundantWithIndex(ri, clauses) {
			continue
		}
		out = append(out, ri)
	}
	return out
}

func redundantWithIndex(ri *restrict, clauses []*indexClause) bool {
	for _, c := range clauses {
		if c.lossy {
			continue
		}
		if c.ri == ri || ri.parentEC != nil && c.ri.parentEC == ri.parentEC {
			return true
		}
	}
	return false
}

type indexCosts struct{ startup, total, selectivity, correlation, pages float64 }

// costBTree is PostgreSQL's btcostestimate: only conditions on leading columns bound the scan.
func (r *root) costBTree(p *path, loops float64) (c indexCosts) {
	ix, s := p.index, &r.g.set
	bound, eqLast, saop, isNull, scans, col := r.boundQuals(p)
	rows := 0.0
	if ix.unique && col == ix.nkeys-1 && eqLast && !saop && !isNull {
		rows = 1
	} else {
		rows = math.RoundToEven(r.indexSelectivity(ix, bound) * p.rel.tuples / scans)
	}
	c = r.costGenericIndex(p, loops, rows)
	if ix.tuples > 1 {
		descent := math.Ceil(math.Log(ix.tuples)/math.Log(2)) * s.CPUOperatorCost
		c.startup += descent
		c.total += scans0(p, r) * descent
	}
	descent := float64(ix.height+1) * 50 * s.CPUOperatorCost
	c.startup += descent
	c.total += scans0(p, r) * descent
	c.correlation = r.indexCorrelation(ix)
	return c
}

// scans0 is the number of index scans that array conditions multiply to.
func scans0(p *path, r *root) float64 {
	n := 1.0
	for _, c := range p.clauses {
		for _, q := range c.quals {
			if a, ok := q.clause.(*query.ScalarArrayOpExpr); ok {
				if l := r.g.arrayLength(a.Right); l > 1 {
					n *= float64(l)
				}
			}
		}
	}
	return n
}

// boundQuals picks the conditions that limit how much of the index is read: equalities on leading columns and what is on the next one.
func (r *root) boundQuals(p *path) (bound []*restrict, eqHere, saop, isNull bool, scans float64, col int) {
	scans = 1
	for _, c := range p.clauses {
		if col != c.col {
			if !eqHere {
				break
			}
			eqHere = false
			col++
			if col != c.col {
				break
			}
		}
		for _, q := range c.quals {
			op := OID(0)
			switch e := q.clause.(type) {
			case *query.OpExpr:
				op = e.OpOID
			case *query.RowCompareExpr:
				op = e.OpOIDs[0]
			case *query.ScalarArrayOpExpr:
				op, saop = e.OpOID, true
				if n := r.g.arrayLength(e.Right); n > 1 {
					scans *= float64(n)
				}
			case *query.NullTest:
				if !e.IsNot {
					isNull, eqHere = true, true
				}
			}
			if op != 0 {
				if m := r.g.opInFamily(op, p.index.idx.OpFamilies[col]); m != nil && m.Strategy == btEqual {
					eqHere = true
				}
			}
			bound = append(bound, q)
		}
	}
	return bound, eqHere, saop, isNull, scans, col
}

// indexSelectivity estimates conditions together with what a partial index's predicate adds.
func (r *root) indexSelectivity(ix *indexInfo, quals []*restrict) float64 {
	all := quals
	for _, e := range ix.pred {
		if !r.g.impliesAll([]query.Expr{e}, clausesOf(quals)) {
			all = append([]*restrict{r.makeRestrict(e, restrictArgs{pushed: true})}, all...)
		}
	}
	return r.listSelectivity(all, selArgs{varRel: ix.rel.index})
}

func (r *root) costGenericIndex(p *path, loops, rows float64) (c indexCosts) {
	s, ix := &r.g.set, p.index
	var quals []*restrict
	for _, x := range p.clauses {
		quals = append(quals, x.quals...)
	}
	scans := scans0(p, r)
	c.selectivity = r.indexSelectivity(ix, quals)
	if rows <= 0 {
		rows = math.RoundToEven(c.selectivity * p.rel.tuples / scans)
	}
	rows = max(min(rows, ix.tuples), 1)
	c.pages = 1
	if ix.pages > 1 && ix.tuples > 1 {
		c.pages = math.Ceil(rows * ix.pages / ix.tuples)
	}
	if n := scans * loops; n > 1 {
		c.total = r.indexPagesFetched(c.pages*n, ix.pages, ix.pages) * s.RandomPageCost / loops
	} else {
		c.total = c.pages * s.RandomPageCost
	}
	arg := 0.0
	for _, q := range quals {
		x := r.otherOperandCost(q.clause)
		arg += x.startup + x.tuple
	}
	c.startup = arg
	c.total += arg
	c.total += rows * scans * (s.CPUIndexTupleCost + s.CPUOperatorCost*float64(len(quals)))
	return c
}

// otherOperandCost is the cost of what an index condition compares with.
func (r *root) otherOperandCost(e query.Expr) qualCost {
	switch e := e.(type) {
	case *query.OpExpr:
		return r.g.exprCost(e.Args[1])
	case *query.RowCompareExpr:
		return r.g.exprsCost(e.Right)
	case *query.ScalarArrayOpExpr:
		return r.g.exprCost(e.Right)
	}
	return qualCost{}
}

// indexCorrelation is how well index order follows table order, by the first column's statistics.
func (r *root) indexCorrelation(ix *indexInfo) float64 {
	v := variable{}
	if k := ix.idx.Keys[0]; k != 0 {
		v.stats = r.columnStats(ix.rel, k)
	} else {
		v.stats = must(r.g.env.Catalog.Statistic(ix.idx.OID, 1, false))
	}
	slot := v.slot(statCorrelation)
	less := r.g.amOp(ix.idx.OpFamilies[0], ix.idx.OpcInTypes[0], ix.idx.OpcInTypes[0], btLess)
	if slot == nil || less == 0 || slot.Op != less || len(slot.Numbers) == 0 {
		return 0
	}
	c := float64(slot.Numbers[0])
	if ix.idx.Desc[0] {
		c = -c
	}
	if ix.nkeys > 1 {
		c *= 0.75
	}
	return c
}

// bitmapCostSel gives the cost of building a bitmap and the fraction of tuples in it.
func (r *root) bitmapCostSel(p *path) (cost, sel float64) {
	switch p.kind {
	case pBitmapAnd, pBitmapOr:
		return p.total, p.indexSel
	}
	return p.indexTotal + 0.1*r.g.set.CPUOperatorCost*p.rows, p.indexSel
}

func (r *root) costBitmapAnd(p *path) {
	total, sel := 0.0, 1.0
	for i, s := range p.subs {
		c, f := r.bitmapCostSel(s)
		sel *= f
		total += c
		if i > 0 {
			total += 100 * r.g.set.CPUOperatorCost
		}
	}
	p.indexSel, p.startup, p.total = sel, total, total
}

func (r *root) costBitmapOr(p *path) {
	total, sel := 0.0, 0.0
	for i, s := range p.subs {
		c, f := r.bitmapCostSel(s)
		sel += f
		total += c
		if i > 0 && s.kind != pIndexScan && s.kind != pIndexOnlyScan {
			total += 100 * r.g.set.CPUOperatorCost
		}
	}
	p.indexSel, p.startup, p.total = min(sel, 1), total, total
}

// costBitmapHeap charges reading the heap pages of a bitmap in order.
func (r *root) costBitmapHeap(p *path, loops float64) {
	s, b := &r.g.set, p.rel
	p.rows = r.scanRows(b, p.param)
	startup := 0.0
	if !s.EnableBitmapScan {
		startup += disableCost
	}
	cost, sel := r.bitmapCostSel(p.bitmapQual)
	fetched := clampRows(sel * b.tuples)
	t := max(b.pages, 1)
	pages := 2 * t * fetched / (2*t + fetched)
	heapPages := min(pages, b.pages)
	if loops > 1 {
		pages = r.indexPagesFetched(fetched*loops, b.pages, indexPagesOf(p.bitmapQual)) / loops
	}
	if pages >= t {
		pages = t
	} else {
		pages = math.Ceil(pages)
	}
	maxEntries := r.g.bitmapMaxEntries()
	if maxEntries < heapPages {
		lossy := max(0, heapPages-maxEntries/2)
		exact := heapPages - lossy
		if lossy > 0 {
			fetched = clampRows(sel*(exact/heapPages)*b.tuples + lossy/heapPages*b.tuples)
		}
	}
	startup += cost
	perPage := s.RandomPageCost
	if pages >= 2 {
		perPage = s.RandomPageCost - (s.RandomPageCost-s.SeqPageCost)*math.Sqrt(pages/t)
	}
	run := pages * perPage
	q := r.scanQualCost(b, p.param)
	startup += q.startup
	run += (s.CPUTupleCost + q.tuple) * fetched
	startup += p.target.cost.startup
	run += p.target.cost.tuple * p.rows
	p.setCost(startup, run)
}

// bitmapMaxEntries: how many pages an exact bitmap in work_mem holds.
func (g *glob) bitmapMaxEntries() float64 {
	const entry = 56 + 8 + 8 // PagetableEntry and the array slots that a hash of them needs
	n := math.Trunc(float64(g.set.WorkMem) * 1024 / entry)
	return max(min(n, math.MaxInt32-1), 16)
}

func indexPagesOf(p *path) float64 {
	if p.kind == pBitmapAnd || p.kind == pBitmapOr {
		n := 0.0
		for _, s := range p.subs {
			n += indexPagesOf(s)
		}
		return n
	}
	return p.index.pages
}
