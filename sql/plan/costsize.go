package plan

import (
	"math"

	"github.com/calfdb/calf/sql/query"
)

// Sizes that PostgreSQL's formulas contain.
const (
	blockSize             = 8192
	pageHeaderSize        = 24
	itemIDSize            = 4
	sizeofHeapTupleHeader = 23
	sizeofMinimalHeader   = 15
	disableCost           = 1e10
)

func align8(n int) int { return (n + 7) &^ 7 }

func align8f(n int) float64 { return float64(align8(n)) }

func (g *glob) hashMem() float64 { return float64(g.set.WorkMem) * 1024 * g.set.HashMemMultiplier }

func relationBytes(rows float64, width int) float64 {
	return rows * (align8f(width) + align8f(sizeofHeapTupleHeader))
}

func pageSize(rows float64, width int) float64 {
	return math.Ceil(relationBytes(rows, width) / blockSize)
}

// exprCost estimates the cost of evaluating an expression: the procost of each function it calls, in cpu_operator_cost.
func (g *glob) exprCost(e query.Expr) (c qualCost) {
	unit := g.set.CPUOperatorCost
	walk(e, func(x query.Expr) bool {
		switch x := x.(type) {
		case *query.Aggref, *query.WindowFunc, *query.GroupingFunc:
			return false // charged by the node that computes it
		case *query.ScalarArrayOpExpr:
			n := 0.5 * float64(g.arrayLength(x.Right))
			c.tuple += float64(g.proc(g.oper(x.OpOID).Func).Cost) * unit * n
		case *query.CoerceViaIO, *query.FuncExpr, *query.OpExpr, *query.DistinctExpr, *query.NullIfExpr, *query.RowCompareExpr:
			g.eachFunc(x, func(fn OID) { c.tuple += float64(g.proc(fn).Cost) * unit })
		case *query.ArrayCoerceExpr:
			per := g.exprCost(x.ElemExpr)
			c.startup += per.startup
			c.tuple += per.tuple * float64(g.arrayLength(x.Arg))
			c.add(g.exprCost(x.Arg))
			return false
		case *query.CurrentOfExpr:
			c.startup += disableCost
		case *query.NextValueExpr:
			c.tuple += unit
		case *query.MinMaxExpr, *query.SQLValueFunction, *query.CoerceToDomain:
			c.tuple += unit
		case *query.SubPlan:
			c.startup += x.StartupCost
			c.tuple += x.PerCallCost
			return false
		case *query.AlternativeSubPlan:
			c.add(g.exprCost(x.Subplans[0]))
			return false
		}
		return true
	})
	return c
}

func (g *glob) exprsCost(es []query.Expr) (c qualCost) {
	for _, e := range es {
		c.add(g.exprCost(e))
	}
	return c
}

// restrictCost is exprCost kept in the restrict. A pseudoconstant is checked once.
func (g *glob) restrictCost(ri *restrict) qualCost {
	if !ri.costKnown {
		ri.cost, ri.costKnown = g.exprCost(ri.clause), true
		if ri.pseudoconst {
			ri.cost.startup += ri.cost.tuple
			ri.cost.tuple = 0
		}
	}
	return ri.cost
}

func (g *glob) restrictsCost(list []*restrict) (c qualCost) {
	for _, ri := range list {
		c.add(g.restrictCost(ri))
	}
	return c
}

// arrayLength estimates the number of elements.
func (g *glob) arrayLength(e query.Expr) int {
	switch x := stripRelabel(e).(type) {
	case *query.Const:
		if x.Value.IsNull() {
			return 0
		}
		return len(g.arrayElems(x))
	case *query.ArrayExpr:
		if !x.MultiDims {
			return len(x.Elems)
		}
	}
	return 10
}

func (r *root) scanRows(rel *rel, p *paramInfo) float64 {
	if p != nil {
		return p.rows
	}
	return rel.rows
}

// scanQualCost is the cost of the relation's own conditions and those that a parameterisation adds.
func (r *root) scanQualCost(rel *rel, p *paramInfo) qualCost {
	c := rel.restrictCost
	if p != nil {
		c.add(r.g.restrictsCost(p.clauses))
	}
	return c
}

func (p *path) setCost(startup, run float64) { p.startup, p.total = startup, startup+run }

// costSeqScan: read all pages, check all tuples.
func (r *root) costSeqScan(p *path) {
	s := &r.g.set
	p.rows = r.scanRows(p.rel, p.param)
	startup, run := 0.0, s.SeqPageCost*p.rel.pages
	if !s.EnableSeqScan {
		startup += disableCost
	}
	q := r.scanQualCost(p.rel, p.param)
	startup += q.startup + p.target.cost.startup
	run += (s.CPUTupleCost + q.tuple) * p.rel.tuples
	run += p.target.cost.tuple * p.rows
	p.setCost(startup, run)
}

// costOnTheFly serves scans that make their rows: functions, VALUES, CTEs, work tables: extra per tuple, base costs once.
func (r *root) costOnTheFly(p *path, base qualCost, perTuple float64) {
	p.rows = r.scanRows(p.rel, p.param)
	q := r.scanQualCost(p.rel, p.param)
	startup := base.startup + q.startup + p.target.cost.startup
	run := (r.g.set.CPUTupleCost+base.tuple+perTuple+q.tuple)*p.rel.tuples + p.target.cost.tuple*p.rows
	p.setCost(startup, run)
}

func (r *root) costSubqueryScan(p *path) {
	s := &r.g.set
	list := append([]*restrict(nil), p.rel.restricts...)
	if p.param != nil {
		list = append(list, p.param.clauses...)
	}
	p.rows = clampRows(p.sub.rows * r.listSelectivity(list, selArgs{}))
	p.startup, p.total = p.sub.startup, p.sub.total
	q := r.scanQualCost(p.rel, p.param)
	p.startup += q.startup + p.target.cost.startup
	p.total += q.startup + p.target.cost.startup + (s.CPUTupleCost+q.tuple)*p.sub.rows + p.target.cost.tuple*p.rows
}

// tuplesortCost gives the cost of sorting (without its input's) and of reading the result.
func (g *glob) tuplesortCost(rows float64, width int, cmp, limit float64) (startup, run float64) {
	s := &g.set
	in := relationBytes(rows, width)
	mem := float64(s.WorkMem) * 1024
	rows = max(rows, 2)
	cmp += 2 * s.CPUOperatorCost
	outRows, out := rows, in
	if limit > 0 && limit < rows {
		outRows, out = limit, relationBytes(limit, width)
	}
	switch {
	case out > mem:
		pages, runs := math.Ceil(in/blockSize), in/mem
		order := mergeOrder(mem)
		logRuns := 1.0
		if runs > order {
			logRuns = math.Ceil(math.Log(runs) / math.Log(order))
		}
		startup = cmp * rows * math.Log2(rows)
		startup += 2 * pages * logRuns * (s.SeqPageCost*0.75 + s.RandomPageCost*0.25)
	case rows > 2*outRows || in > mem:
		startup = cmp * rows * math.Log2(2*outRows)
	default:
		startup = cmp * rows * math.Log2(rows)
	}
	return startup, s.CPUOperatorCost * rows
}

// mergeOrder is PostgreSQL's tuplesort_merge_order: how many runs memory allows to merge at once.
func mergeOrder(mem float64) float64 {
	n := math.Trunc(mem / (2*blockSize + blockSize*32))
	return min(max(n, 6), 500)
}

func (r *root) costSort(p *path, keys int, inputCost, rows float64, width int, limit float64) {
	startup, run := r.g.tuplesortCost(rows, width, 0, limit)
	if !r.g.set.EnableSort {
		startup += disableCost
	}
	p.rows = rows
	p.setCost(startup+inputCost, run)
}

// costIncrementalSort: one small sort per group of equal presorted keys.
func (r *root) costIncrementalSort(p *path, keys []*pathkey, presorted int, inStartup, inTotal, rows float64, width int, limit float64) {
	s := &r.g.set
	inRun := inTotal - inStartup
	rows = max(rows, 2)
	groups := min(rows, defaultNumDistinct)
	var exprs []query.Expr
	unknown := false
	for _, k := range keys[:presorted] {
		m := k.ec.members[0]
		if varRelids(m.expr).has(0) || m.isConst {
			unknown = true
		}
		exprs = append(exprs, m.expr)
	}
	if !unknown {
		groups = r.estimateGroups(exprs, rows)
	}
	groupRows := rows / groups
	groupIn := inRun / groups
	st, rn := r.g.tuplesortCost(1.5*groupRows, width, 0, limit)
	startup := st + inStartup + groupIn
	run := rn + (rn+st)*(groups-1) + groupIn*(groups-1)
	run += s.CPUTupleCost * rows
	run += 2 * s.CPUTupleCost * groups
	p.rows = rows
	p.setCost(startup, run)
}

// costMaterial: store the input; rescans are charged by rescanCost.
func (r *root) costMaterial(p *path, inStartup, inTotal, rows float64, width int) {
	s := &r.g.set
	run := inTotal - inStartup + 2*s.CPUOperatorCost*rows
	if b := relationBytes(rows, width); b > float64(s.WorkMem)*1024 {
		run += s.SeqPageCost * math.Ceil(b/blockSize)
	}
	p.rows = rows
	p.setCost(inStartup, run)
}

// aggCosts are the costs of the aggregates of a query.
type aggCosts struct {
	trans, final qualCost
	space        float64
}

// costAgg charges grouping and aggregation.
func (r *root) costAgg(p *path, strategy AggStrategy, ac *aggCosts, numCols int, groups float64, quals []query.Expr, inStartup, inTotal,
	inRows float64, inWidth int) {
	s := &r.g.set
	if ac == nil {
		ac = &aggCosts{}
	}
	var startup, total, rows float64
	switch strategy {
	case AggPlain:
		startup = inTotal + ac.trans.startup + ac.trans.tuple*inRows + ac.final.startup + ac.final.tuple
		total, rows = startup+s.CPUTupleCost, 1
	case AggSorted, AggMixed:
		startup, total = inStartup, inTotal
		if strategy == AggMixed && !s.EnableHashAgg {
			startup, total = startup+disableCost, total+disableCost
		}
		total += ac.trans.startup
		total += ac.trans.tuple * inRows
		total += s.CPUOperatorCost * float64(numCols) * inRows
		total += ac.final.startup
		total += ac.final.tuple * groups
		total += s.CPUTupleCost * groups
		rows = groups
	default:
		startup = inTotal
		if !s.EnableHashAgg {
			startup += disableCost
		}
		startup += ac.trans.startup
		startup += ac.trans.tuple * inRows
		startup += s.CPUOperatorCost * float64(numCols) * inRows
		startup += ac.final.startup
		total = startup + ac.final.tuple*groups
		total += s.CPUTupleCost * groups
		rows = groups
	}
	if strategy == AggHashed || strategy == AggMixed {
		startup, total = r.aggSpill(startup, total, ac, groups, inRows, inWidth)
	}
	if len(quals) > 0 {
		q := r.g.exprsCost(quals)
		startup += q.startup
		total += q.startup + rows*q.tuple
		rows = clampRows(rows * r.exprListSelectivity(quals, selArgs{}))
	}
	p.rows, p.startup, p.total = rows, startup, total
}

// aggSpill adds the disk costs of a hash table that outgrows its memory.
func (r *root) aggSpill(startup, total float64, ac *aggCosts, groups, inRows float64, inWidth int) (float64, float64) {
	s := &r.g.set
	size := hashAggEntry(len(r.aggs), inWidth, ac.space)
	mem, parts := r.g.hashAggLimits(size, groups)
	limit := math.Max(math.Trunc(mem/size), 1)
	batches := max(math.Ceil(max(groups*size/mem, groups/limit)), 1)
	depth := math.Ceil(math.Log(batches) / math.Log(max(parts, 2)))
	pages := relationBytes(inRows, inWidth) / blockSize * depth * 2
	startup += pages * s.RandomPageCost
	total += pages*s.RandomPageCost + pages*s.SeqPageCost
	spill := depth * inRows * 2 * s.CPUTupleCost
	return startup + spill, total + spill
}

// Sizes of PostgreSQL's hash aggregation: of an entry, a memory chunk's header, the state of one aggregate in one group.
const (
	hashEntrySize   = 24
	chunkHeaderSize = 16
	perGroupSize    = 16
)

// hashAggEntry is the memory of one group.
func hashAggEntry(numTrans, width int, space float64) float64 {
	n := float64(hashEntrySize + chunkHeaderSize + align8(sizeofMinimalHeader) + width)
	if numTrans > 0 {
		n += chunkHeaderSize + float64(numTrans)*perGroupSize
	}
	if space > 0 {
		n += chunkHeaderSize + space
	}
	return n
}

// hashAggLimits gives the memory for groups and the number of partitions to spill into (0 = none needed).
func (g *glob) hashAggLimits(size, groups float64) (mem, parts float64) {
	hash := g.hashMem()
	if size*groups <= hash {
		return hash, 0
	}
	p := min(1+1.5*groups*size/hash, (hash*0.25-blockSize)/blockSize)
	p = math.Trunc(min(max(p, 4), 1024))
	p = math.Exp2(math.Ceil(math.Log2(p)))
	used := blockSize * (p + 1)
	if hash > 4*used {
		return hash - used, p
	}
	return hash * 0.75, p
}

// costGroup: like a sorted aggregate without aggregates.
func (r *root) costGroup(p *path, numCols int, groups float64, quals []query.Expr, inStartup, inTotal, inRows float64) {
	startup, total, rows := inStartup, inTotal+r.g.set.CPUOperatorCost*inRows*float64(numCols), groups
	if len(quals) > 0 {
		q := r.g.exprsCost(quals)
		startup += q.startup
		total += q.startup + rows*q.tuple
		rows = clampRows(rows * r.exprListSelectivity(quals, selArgs{}))
	}
	p.rows, p.startup, p.total = rows, startup, total
}

// costSubplan charges a sub-plan for its calls.
func (g *glob) costSubplan(s *query.SubPlan, n Node) {
	b := n.Base()
	c := g.exprsCost(implicitAnd(s.Test))
	switch {
	case s.UseHash:
		c.startup += b.TotalCost + g.set.CPUOperatorCost*b.Rows
	default:
		run := b.TotalCost - b.StartupCost
		switch s.Kind {
		case query.ExistsSubLink:
			c.tuple += run / clampRows(b.Rows)
		case query.AllSubLink, query.AnySubLink:
			c.tuple += 0.5*run + 0.5*b.Rows*g.set.CPUOperatorCost
		default:
			c.tuple += run
		}
		if len(s.ParParam) == 0 && materializesOutput(n) {
			c.startup += b.StartupCost
		} else {
			c.tuple += b.StartupCost
		}
	}
	s.StartupCost, s.PerCallCost = c.startup, c.tuple
}

// rescanCost is what it costs to read a path's output again.
func (r *root) rescanCost(p *path) (startup, total float64) {
	s := &r.g.set
	switch p.kind {
	case pFunction, pTableFunc:
		return 0, p.total - p.startup
	case pHashJoin:
		if p.join.batches <= 1 {
			return 0, p.total - p.startup
		}
	case pCTE, pWorkTable:
		run := s.CPUTupleCost * p.rows
		if b := relationBytes(p.rows, p.target.width); b > float64(s.WorkMem)*1024 {
			run += s.SeqPageCost * math.Ceil(b/blockSize)
		}
		return 0, run
	case pMaterial, pSort:
		run := s.CPUOperatorCost * p.rows
		if b := relationBytes(p.rows, p.target.width); b > float64(s.WorkMem)*1024 {
			run += s.SeqPageCost * math.Ceil(b/blockSize)
		}
		return 0, run
	case pMemoize:
		return r.memoizeRescan(p)
	}
	return p.startup, p.total
}
