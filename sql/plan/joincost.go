package plan

import (
	"math"

	"github.com/calfdb/calf/sql/query"
)

// joinExtra is what the paths of one pair of inputs share.
type joinExtra struct {
	typ         query.JoinType
	sj          *specialJoin
	restricts   []*restrict
	innerUnique bool
	merge       []*restrict
	matchFrac   float64 // of outer rows, those with a match (semi, anti, unique inner)
	matchCount  float64 // matches of one that has some
	paramSource Relids
}

func (x *joinExtra) firstMatchOnly() bool {
	return x.typ == query.JoinSemi || x.typ == query.JoinAnti || x.innerUnique
}

// costNestLoop charges the inner path once for each outer row.
func (r *root) costNestLoop(p *path, x *joinExtra) {
	s := &r.g.set
	o, in := p.join.outer, p.join.inner
	oRows, iRows := max(o.rows, 1), max(in.rows, 1)
	if o.rows <= 0 {
		oRows = 1
	}
	reStart, reTotal := r.rescanCost(in)
	startup := o.startup + in.startup
	run := o.total - o.startup
	if o.rows > 1 {
		run += (o.rows - 1) * reStart
	}
	inRun, reRun := in.total-in.startup, reTotal-reStart
	r.setJoinRows(p)
	if !s.EnableNestLoop {
		startup += disableCost
	}
	tuples := oRows * iRows
	if x.firstMatchOnly() {
		matched := math.RoundToEven(oRows * x.matchFrac)
		unmatched := oRows - matched
		frac := 2 / (x.matchCount + 1)
		tuples = matched * iRows * frac
		if r.indexedJoinQuals(p) {
			run += inRun * frac
			if matched > 1 {
				run += (matched - 1) * reRun * frac
			}
			run += unmatched * reRun / iRows
		} else {
			tuples += unmatched * iRows
			run += inRun
			if unmatched >= 1 {
				unmatched--
			} else {
				matched--
			}
			if matched > 0 {
				run += matched * reRun * frac
			}
			if unmatched > 0 {
				run += unmatched * reRun
			}
		}
	} else {
		run += inRun
		if o.rows > 1 {
			run += (o.rows - 1) * reRun
		}
	}
	q := r.g.restrictsCost(p.join.restricts)
	startup += q.startup + p.target.cost.startup
	run += (s.CPUTupleCost+q.tuple)*tuples + p.target.cost.tuple*p.rows
	p.setCost(startup, run)
}

func (r *root) setJoinRows(p *path) {
	p.rows = p.rel.rows
	if p.param != nil {
		p.rows = p.param.rows
	}
}

// indexedJoinQuals: all join conditions are checked by the inner index scan, so that unmatched outer rows cost little.
func (r *root) indexedJoinQuals(p *path) bool {
	in := p.join.inner
	if len(p.join.restricts) > 0 || in.param == nil {
		return false
	}
	var clauses []*indexClause
	switch in.kind {
	case pIndexScan, pIndexOnlyScan:
		clauses = in.clauses
	case pBitmapHeap:
		if k := in.bitmapQual.kind; k != pIndexScan && k != pIndexOnlyScan {
			return false
		}
		clauses = in.bitmapQual.clauses
	default:
		return false
	}
	found := false
	for _, ri := range in.param.clauses {
		if !redundantWithIndex(ri, clauses) {
			return false
		}
		found = true
	}
	return found
}

// costMergeJoin charges reading both sorted sides, the inner again where outer rows repeat.
func (r *root) costMergeJoin(p *path, x *joinExtra) {
	s, j := &r.g.set, p.join
	o, in := j.outer, j.inner
	oRows, iRows := max(o.rows, 1), max(in.rows, 1)
	sel := r.mergeRange(p, x)
	oSkip, iSkip := math.RoundToEven(oRows*sel.leftStart), math.RoundToEven(iRows*sel.rightStart)
	oRead, iRead := clampRows(oRows*sel.leftEnd), clampRows(iRows*sel.rightEnd)
	startup, run := 0.0, 0.0
	ost, otot := r.sortedCost(o, j.outerSort)
	startup += ost + (otot-ost)*(oSkip/oRows)
	run += (otot - ost) * (oRead/oRows - oSkip/oRows)
	ist, itot := r.sortedCost(in, j.innerSort)
	startup += ist + (itot-ist)*(iSkip/iRows)
	inRun := (itot - ist) * (iRead/iRows - iSkip/iRows)
	r.setJoinRows(p)
	if !s.EnableMergeJoin {
		startup += disableCost
	}
	mq, qp := r.g.restrictsCost(j.merge), r.g.restrictsCost(j.restricts)
	qp.startup, qp.tuple = qp.startup-mq.startup, qp.tuple-mq.tuple
	j.skipMark = x.firstMatchOnly() && len(j.restricts) == len(j.merge)
	tuples := r.approxTuples(p, j.merge)
	rescanned := 0.0
	if o.kind != pUnique && !j.skipMark {
		rescanned = max(tuples-iRows, 0)
	}
	ratio := 1 + rescanned/iRead
	bare, mat := inRun*ratio, inRun+s.CPUOperatorCost*iRead*ratio
	j.materialInner = r.materializeMergeInner(j, bare, mat)
	if j.materialInner {
		run += mat
	} else {
		run += bare
	}
	startup += mq.startup + mq.tuple*(oSkip+iSkip*ratio)
	run += mq.tuple * ((oRead - oSkip) + (iRead-iSkip)*ratio)
	startup += qp.startup + p.target.cost.startup
	run += (s.CPUTupleCost+qp.tuple)*tuples + p.target.cost.tuple*p.rows
	p.setCost(startup, run)
}

// materializeMergeInner: the inner side cannot go back by itself, or storing it is cheaper.
func (r *root) materializeMergeInner(j *joinPath, bare, mat float64) bool {
	s, in := &r.g.set, j.inner
	switch {
	case j.skipMark:
		return false
	case s.EnableMaterial && mat < bare:
		return true
	case len(j.innerSort) == 0 && !supportsMark(in):
		return true
	}
	return s.EnableMaterial && len(j.innerSort) > 0 && relationBytes(max(in.rows, 1), in.target.width) > float64(s.WorkMem)*1024
}

func supportsMark(p *path) bool {
	switch p.kind {
	case pIndexScan, pIndexOnlyScan, pMaterial, pSort:
		return true
	}
	return false
}

// sortedCost is an input's cost, with a sort on top when one is needed.
func (r *root) sortedCost(p *path, keys []*pathkey) (startup, total float64) {
	if len(keys) == 0 {
		return p.startup, p.total
	}
	var t path
	r.costSort(&t, len(keys), p.total, max(p.rows, 1), p.target.width, -1)
	return t.startup, t.total
}

// mergeRange gives the part of the outer (left) and inner (right) side that a merge reads.
func (r *root) mergeRange(p *path, x *joinExtra) mergeScanSel {
	full := mergeScanSel{0, 1, 0, 1}
	j := p.join
	if len(j.merge) == 0 || x.typ == query.JoinFull {
		return full
	}
	keys := j.outerSort
	if len(keys) == 0 {
		keys = j.outer.keys
	}
	first := j.merge[0]
	s := r.mergeScanSel(first, keys[0])
	if !first.left.subsetOf(j.outer.rel.relids) {
		s = mergeScanSel{s.rightStart, s.rightEnd, s.leftStart, s.leftEnd}
	}
	switch x.typ {
	case query.JoinLeft, query.JoinAnti:
		s.leftStart, s.leftEnd = 0, 1
	case query.JoinRight:
		s.rightStart, s.rightEnd = 0, 1
	}
	return s
}

// approxTuples estimates the pairs that pass some of the join conditions.
func (r *root) approxTuples(p *path, quals []*restrict) float64 {
	sj := &specialJoin{minLeft: p.join.outer.rel.relids, minRight: p.join.inner.rel.relids, synLeft: p.join.outer.rel.relids,
		synRight: p.join.inner.rel.relids, typ: query.JoinInner}
	sel := 1.0
	for _, ri := range quals {
		sel *= r.restrictSelectivity(ri, selArgs{typ: query.JoinInner, sj: sj})
	}
	return clampRows(sel * p.join.outer.rows * p.join.inner.rows)
}

// costHashJoin charges building the table of the inner side and probing it.
func (r *root) costHashJoin(p *path, x *joinExtra) {
	s, j := &r.g.set, p.join
	o, in := j.outer, j.inner
	n := float64(len(j.hash))
	startup := o.startup + in.total
	run := o.total - o.startup
	startup += (s.CPUOperatorCost*n + s.CPUTupleCost) * in.rows
	run += s.CPUOperatorCost * n * o.rows
	buckets, batches := r.g.hashTableSize(in.rows, in.target.width)
	if batches > 1 {
		oPages, iPages := pageSize(o.rows, o.target.width), pageSize(in.rows, in.target.width)
		startup += s.SeqPageCost * iPages
		run += s.SeqPageCost * (iPages + 2*oPages)
	}
	r.setJoinRows(p)
	if !s.EnableHashJoin {
		startup += disableCost
	}
	j.batches, j.innerRowsTotal = batches, in.rows
	virtual := buckets * batches
	bucket, mcv := r.innerBucket(p, virtual)
	if relationBytes(clampRows(in.rows*mcv), in.target.width) > r.g.hashMem() {
		startup += disableCost
	}
	hq, qp := r.g.restrictsCost(j.hash), r.g.restrictsCost(j.restricts)
	qp.startup, qp.tuple = qp.startup-hq.startup, qp.tuple-hq.tuple
	tuples := 0.0
	startup += hq.startup
	if x.firstMatchOnly() {
		matched := math.RoundToEven(o.rows * x.matchFrac)
		frac := 2 / (x.matchCount + 1)
		run += hq.tuple * matched * clampRows(in.rows*bucket*frac) * 0.5
		run += hq.tuple * (o.rows - matched) * clampRows(in.rows/virtual) * 0.05
		if tuples = matched; x.typ == query.JoinAnti {
			tuples = o.rows - matched
		}
	} else {
		run += hq.tuple * o.rows * clampRows(in.rows*bucket) * 0.5
		tuples = r.approxTuples(p, j.hash)
	}
	startup += qp.startup + p.target.cost.startup
	run += (s.CPUTupleCost+qp.tuple)*tuples + p.target.cost.tuple*p.rows
	p.setCost(startup, run)
}

// innerBucket takes the best of the hash clauses' estimates.
func (r *root) innerBucket(p *path, virtual float64) (bucket, mcv float64) {
	in := p.join.inner
	if in.kind == pUnique {
		return 1 / virtual, 0
	}
	bucket, mcv = 1, 1
	for _, ri := range p.join.hash {
		o := ri.clause.(*query.OpExpr)
		b, m := &ri.rightBucket, &ri.rightMCV
		key := o.Args[1]
		if !ri.right.subsetOf(in.rel.relids) {
			b, m, key = &ri.leftBucket, &ri.leftMCV, o.Args[0]
		}
		if *b < 0 {
			*m, *b = r.hashBucket(key, virtual)
		}
		bucket, mcv = min(bucket, *b), min(mcv, *m)
	}
	return bucket, mcv
}

// Sizes in PostgreSQL's hash join: a tuple's header, a pointer, the skew table's share.
const (
	hashTupleOverhead  = 16
	pointerSize        = 8
	skewBucketOverhead = 16
	skewPercent        = 2
)

// hashTableSize chooses the number of buckets and batches for an inner side.
func (g *glob) hashTableSize(rows float64, width int) (buckets, batches float64) {
	if rows <= 0 {
		rows = 1000
	}
	tuple := hashTupleOverhead + align8f(sizeofMinimalHeader) + align8f(width)
	bytes := rows * tuple
	mem := math.Trunc(g.hashMem())
	perMCV := tuple + 8*pointerSize + 4 + skewBucketOverhead
	if mcvs := math.Trunc(math.Trunc(mem/perMCV) * skewPercent / 100); mcvs > 0 {
		mem -= mcvs * perMCV
	}
	maxPointers := math.Exp2(math.Floor(math.Log2(min(math.Trunc(mem/pointerSize), 0x3fffffff/pointerSize))))
	buckets = nextPower2(max(min(math.Ceil(rows), maxPointers), 1024))
	batches = 1
	if bytes+pointerSize*buckets <= mem {
		return buckets, batches
	}
	size := tuple + pointerSize
	if buckets = 1; mem > size {
		buckets = nextPower2(math.Trunc(mem / size))
	}
	buckets = nextPower2(min(buckets, maxPointers))
	need := min(math.Ceil(bytes/(mem-buckets*pointerSize)), maxPointers)
	return buckets, nextPower2(max(need, 2))
}

func nextPower2(n float64) float64 { return math.Exp2(math.Ceil(math.Log2(n))) }

// memoizeRescan is the average cost of a look-up in a cache of the inner side's rows by parameter values.
func (r *root) memoizeRescan(p *path) (startup, total float64) {
	s, m := &r.g.set, p.memo
	rows, calls := p.sub.rows, m.calls
	entry := relationBytes(rows, p.target.width) + memoEntryOverhead(rows)
	fits := math.Floor(r.g.hashMem() / entry)
	distinct := r.estimateGroups(m.keys, calls)
	for _, k := range m.keys {
		v := r.examine(k, 0)
		if _, def := v.distinct(); def {
			distinct = calls
		}
	}
	m.entries = min(distinct, fits, math.MaxUint32)
	kept := min(fits, distinct)
	evict := 1 - kept/distinct
	hit := max(1/distinct*kept-distinct/calls, 0)
	total = p.sub.total*(1-hit) + s.CPUOperatorCost
	total += s.CPUTupleCost * evict
	total += s.CPUOperatorCost / 10 * evict * rows
	total += s.CPUTupleCost + s.CPUOperatorCost*rows
	return p.sub.startup*(1-hit) + s.CPUTupleCost, total
}

// memoEntryOverhead: an entry, its key and the links of its tuples.
func memoEntryOverhead(rows float64) float64 { return 24 + 24 + 16*rows }

// semiFactors estimates how many outer rows have a match and how many matches such a row has.
func (r *root) semiFactors(j, o, in *rel, x *joinExtra) {
	clauses := x.restricts
	if outerType(x.typ) {
		clauses = nil
		for _, ri := range x.restricts {
			if !ri.isPushed(j.relids) {
				clauses = append(clauses, ri)
			}
		}
	}
	typ := query.JoinSemi
	if x.typ == query.JoinAnti {
		typ = query.JoinAnti
	}
	// As in PostgreSQL, an inner join with a unique inner side is estimated by its own (inner) kind here.
	jsel := r.listSelectivity(clauses, selArgs{typ: typ, sj: x.sj})
	norm := &specialJoin{minLeft: o.relids, minRight: in.relids, synLeft: o.relids, synRight: in.relids, typ: query.JoinInner}
	nsel := r.listSelectivity(clauses, selArgs{typ: query.JoinInner, sj: norm})
	x.matchFrac, x.matchCount = jsel, 1
	if jsel > 0 {
		x.matchCount = max(nsel*in.rows/jsel, 1)
	}
}
