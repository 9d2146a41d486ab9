package plan

import (
	"math"

	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// joinVars examines both sides of a join clause; reversed: the clause's left side is of the special join's right.
func (r *root) joinVars(args []query.Expr, sj *specialJoin) (a, b variable, reversed bool) {
	a, b = r.examine(args[0], 0), r.examine(args[1], 0)
	if sj != nil {
		if a.rel != nil && a.rel.relids.subsetOf(sj.synRight) {
			reversed = true
		} else if b.rel != nil && b.rel.relids.subsetOf(sj.synLeft) {
			reversed = true
		}
	}
	return a, b, reversed
}

// eqJoinSel estimates a = b of two relations.
func (r *root) eqJoinSel(o *query.OpExpr, a selArgs) float64 {
	v1, v2, rev := r.joinVars(o.Args, a.sj)
	nd1, def1 := v1.distinct()
	nd2, def2 := v2.distinct()
	inner := r.eqJoinInner(o, &v1, &v2, nd1, nd2)
	if a.sj == nil || a.sj.typ != query.JoinSemi && a.sj.typ != query.JoinAnti {
		return clampProb(inner)
	}
	innerRel := r.findInputRel(a.sj.minRight)
	s := 0.0
	if !rev {
		s = r.eqJoinSemi(o.OpOID, o.InputColl, &v1, &v2, nd1, nd2, def1, def2, innerRel, false)
	} else {
		s = r.eqJoinSemi(o.OpOID, o.InputColl, &v2, &v1, nd2, nd1, def2, def1, innerRel, true)
	}
	if innerRel != nil {
		s = min(s, innerRel.rows*inner)
	}
	return clampProb(s)
}

func (r *root) findInputRel(s Relids) *rel {
	if i := s.single(); i > 0 {
		return r.findBase(i)
	}
	return r.joinRels[s]
}

func (r *root) eqJoinInner(o *query.OpExpr, v1, v2 *variable, nd1, nd2 float64) float64 {
	vals1, f1 := v1.mcv()
	vals2, f2 := v2.mcv()
	if len(vals1) == 0 || len(vals2) == 0 {
		return (1 - v1.nullFrac()) * (1 - v2.nullFrac()) / max(nd1, nd2)
	}
	m := matchMCVs(r.g.operatorCaller(o.OpOID, o.InputColl), vals1, f1, vals2, f2, len(vals2))
	other1 := clampProb(1 - v1.nullFrac() - m.match1 - m.unmatch1)
	other2 := clampProb(1 - v2.nullFrac() - m.match2 - m.unmatch2)
	n := float64(m.n)
	total1, total2 := m.prod, m.prod
	if nd2 > float64(len(vals2)) {
		total1 += m.unmatch1 * other2 / (nd2 - float64(len(vals2)))
	}
	if nd2 > n {
		total1 += other1 * (other2 + m.unmatch2) / (nd2 - n)
	}
	if nd1 > float64(len(vals1)) {
		total2 += m.unmatch2 * other1 / (nd1 - float64(len(vals1)))
	}
	if nd1 > n {
		total2 += other2 * (other1 + m.unmatch1) / (nd1 - n)
	}
	return min(total1, total2)
}

type mcvMatch struct {
	n                                  int
	prod                               float64
	match1, unmatch1, match2, unmatch2 float64
}

// matchMCVs pairs equal most common values of two columns.
func matchMCVs(c *caller, vals1 []types.Datum, f1 []float32, vals2 []types.Datum, f2 []float32, n2 int) (m mcvMatch) {
	has1, has2 := make([]bool, len(vals1)), make([]bool, len(vals2))
	for i, x := range vals1 {
		for j := 0; j < n2; j++ {
			if has2[j] || !c.test(x, vals2[j]) {
				continue
			}
			has1[i], has2[j] = true, true
			m.prod += float64(f1[i]) * float64(f2[j])
			m.n++
			break
		}
	}
	m.match1, m.unmatch1 = sumMatches(has1, f1)
	m.match2, m.unmatch2 = sumMatches(has2, f2)
	m.prod = clampProb(m.prod)
	return m
}

func sumMatches(has []bool, f []float32) (match, unmatch float64) {
	for i, h := range has {
		if h {
			match += float64(f[i])
		} else {
			unmatch += float64(f[i])
		}
	}
	return clampProb(match), clampProb(unmatch)
}

// eqJoinSemi estimates the fraction of v1's rows that have a partner.
func (r *root) eqJoinSemi(op, coll OID, v1, v2 *variable, nd1, nd2 float64, def1, def2 bool, inner *rel, flip bool) float64 {
	if v2.rel != nil && nd2 >= v2.rel.rows {
		nd2, def2 = v2.rel.rows, false
	}
	if inner != nil && nd2 >= inner.rows {
		nd2, def2 = inner.rows, false
	}
	vals1, f1 := v1.mcv()
	vals2, f2 := v2.mcv()
	if len(vals1) > 0 && len(vals2) > 0 {
		c := r.g.operatorCaller(op, coll)
		if c != nil {
			c.flip = flip
		}
		m := matchMCVs(c, vals1, f1, vals2, f2, int(min(float64(len(vals2)), nd2)))
		frac := 0.5
		if !def1 && !def2 {
			nd1, nd2 = nd1-float64(m.n), nd2-float64(m.n)
			if frac = 1; nd1 > nd2 && nd2 >= 0 {
				frac = nd2 / nd1
			}
		}
		return m.match1 + frac*clampProb(1-m.match1-v1.nullFrac())
	}
	if def1 || def2 {
		return 0.5 * (1 - v1.nullFrac())
	}
	if nd1 <= nd2 || nd2 < 0 {
		return 1 - v1.nullFrac()
	}
	return nd2 / nd1 * (1 - v1.nullFrac())
}

// neqJoinSel estimates a <> b.
func (r *root) neqJoinSel(o *query.OpExpr, a selArgs) float64 {
	if a.sj != nil && (a.sj.typ == query.JoinSemi || a.sj.typ == query.JoinAnti) {
		v1, v2, rev := r.joinVars(o.Args, a.sj)
		if rev {
			v1 = v2
		}
		return 1 - v1.nullFrac()
	}
	eq := r.g.oper(o.OpOID).Negator
	if eq == 0 {
		return 1 - defaultEqSel
	}
	n := *o
	n.OpOID = eq
	return 1 - r.eqJoinSel(&n, a)
}

// estimateGroups estimates the number of groups of some expressions in a relation of n rows.
func (r *root) estimateGroups(exprs []query.Expr, n float64) float64 {
	n = clampRows(n)
	if len(exprs) == 0 {
		return 1
	}
	num := 1.0
	var vars []groupVar
	for _, e := range exprs {
		if e.Type() == types.BoolOID {
			num *= 2
			continue
		}
		v := r.examine(e, 0)
		if v.stats != nil || v.unique {
			vars = addGroupVar(r, vars, e, &v)
			continue
		}
		here := varsOf(e)
		if len(here) == 0 {
			if r.g.volatile(e) {
				return n
			}
			continue
		}
		for _, x := range here {
			v := r.examine(x, 0)
			vars = addGroupVar(r, vars, x, &v)
		}
	}
	for len(vars) > 0 {
		var rest []groupVar
		rel := vars[0].rel
		distinct, most, count := 1.0, 1.0, 0
		for _, v := range vars {
			if v.rel != rel {
				rest = append(rest, v)
				continue
			}
			distinct *= v.n
			most = max(most, v.n)
			count++
		}
		num *= groupsOfRel(rel, distinct, most, count)
		vars = rest
	}
	return max(min(math.Ceil(num), n), 1)
}

type groupVar struct {
	expr query.Expr
	rel  *rel
	n    float64
}

func addGroupVar(r *root, vars []groupVar, e query.Expr, v *variable) []groupVar {
	n, _ := v.distinct()
	for i, o := range vars {
		if equal(o.expr, e) {
			return vars
		}
		if v.rel != o.rel && r.knownEqual(e, o.expr) {
			if o.n <= n {
				return vars
			}
			vars = append(vars[:i:i], vars[i+1:]...)
			break
		}
	}
	return append(vars, groupVar{e, v.rel, n})
}

// knownEqual: some equivalence class has both.
func (r *root) knownEqual(a, b query.Expr) bool {
	for _, ec := range r.ecs {
		if ec.hasVolatile {
			continue
		}
		fa, fb := false, false
		for _, m := range ec.members {
			fa = fa || equal(m.expr, a)
			fb = fb || equal(m.expr, b)
		}
		if fa && fb {
			return true
		}
	}
	return false
}

func groupsOfRel(rel *rel, distinct, most float64, count int) float64 {
	if rel == nil || rel.tuples <= 0 {
		return 1
	}
	clamp := rel.tuples
	if count > 1 {
		clamp = min(max(clamp*0.1, most), rel.tuples)
	}
	distinct = min(distinct, clamp)
	if distinct > 0 && rel.rows < rel.tuples {
		distinct *= 1 - math.Pow((rel.tuples-rel.rows)/rel.tuples, rel.tuples/distinct)
	}
	return clampRows(distinct)
}

// hashBucket estimates how unevenly a key fills a hash table: the frequency of the most common value, and the fraction of all rows in the
// average bucket.
func (r *root) hashBucket(key query.Expr, buckets float64) (mcvFreq, frac float64) {
	v := r.examine(key, 0)
	if _, f := v.mcv(); len(f) > 0 {
		mcvFreq = float64(f[0])
	}
	n, isDefault := v.distinct()
	if isDefault {
		return mcvFreq, max(0.1, mcvFreq)
	}
	avg := (1 - v.nullFrac()) / n
	if v.rel != nil && v.rel.tuples > 0 {
		n = clampRows(n * v.rel.rows / v.rel.tuples)
	}
	frac = 1 / n
	if n > buckets {
		frac = 1 / buckets
	}
	if avg > 0 && mcvFreq > avg {
		frac *= mcvFreq / avg
	}
	return mcvFreq, min(max(frac, 1e-6), 1)
}

// mergeScanSel estimates which part of each side a merge join reads: it ends when one side does.
func (r *root) mergeScanSel(ri *restrict, k *pathkey) (s mergeScanSel) {
	if c, ok := ri.scanSel[k]; ok {
		return c
	}
	s = mergeScanSel{0, 1, 0, 1}
	defer func() {
		if ri.scanSel == nil {
			ri.scanSel = map[*pathkey]mergeScanSel{}
		}
		ri.scanSel[k] = s
	}()
	o := ri.clause.(*query.OpExpr)
	m := r.g.opInFamily(o.OpOID, k.family)
	if m == nil {
		return s
	}
	gt := k.strategy == btGreater
	strict, loose := int16(btLess), int16(btLessEqual)
	if gt {
		strict, loose = btGreater, btGreaterEqual
	}
	lt, le := r.g.amOp(k.family, m.Left, m.Right, strict), r.g.amOp(k.family, m.Left, m.Right, loose)
	rlt, rle := r.g.amOp(k.family, m.Right, m.Left, strict), r.g.amOp(k.family, m.Right, m.Left, loose)
	lsort, rsort := r.g.amOp(k.family, m.Left, m.Left, btLess), r.g.amOp(k.family, m.Right, m.Right, btLess)
	if lt == 0 || le == 0 || rlt == 0 || rle == 0 || lsort == 0 || rsort == 0 {
		return s
	}
	lv, rv := r.examine(o.Args[0], 0), r.examine(o.Args[1], 0)
	lmin, lmax, ok1 := r.variableRange(&lv, lsort, o.InputColl)
	rmin, rmax, ok2 := r.variableRange(&rv, rsort, o.InputColl)
	if !ok1 || !ok2 {
		return s
	}
	if gt {
		lmin, lmax, rmin, rmax = lmax, lmin, rmax, rmin
	}
	set := func(dst *float64, sel float64) {
		if sel != defaultIneqSel {
			*dst = sel
		}
	}
	set(&s.leftEnd, r.scalarIneq(&lv, le, o.InputColl, rmax, m.Right, gt, true))
	set(&s.rightEnd, r.scalarIneq(&rv, rle, o.InputColl, lmax, m.Left, gt, true))
	switch {
	case s.leftEnd > s.rightEnd:
		s.leftEnd = 1
	case s.leftEnd < s.rightEnd:
		s.rightEnd = 1
	default:
		s.leftEnd, s.rightEnd = 1, 1
	}
	set(&s.leftStart, r.scalarIneq(&lv, lt, o.InputColl, rmin, m.Right, gt, false))
	set(&s.rightStart, r.scalarIneq(&rv, rlt, o.InputColl, lmin, m.Left, gt, false))
	switch {
	case s.leftStart < s.rightStart:
		s.leftStart = 0
	case s.leftStart > s.rightStart:
		s.rightStart = 0
	default:
		s.leftStart, s.rightStart = 0, 0
	}
	if k.nullsFirst {
		s.leftStart, s.leftEnd = clampProb(s.leftStart+lv.nullFrac()), clampProb(s.leftEnd+lv.nullFrac())
		s.rightStart, s.rightEnd = clampProb(s.rightStart+rv.nullFrac()), clampProb(s.rightEnd+rv.nullFrac())
	}
	if s.leftStart >= s.leftEnd {
		s.leftStart, s.leftEnd = 0, 1
	}
	if s.rightStart >= s.rightEnd {
		s.rightStart, s.rightEnd = 0, 1
	}
	return s
}

// variableRange gives a column's least and greatest value by its statistics.
func (r *root) variableRange(v *variable, less, coll OID) (lo, hi types.Datum, ok bool) {
	if v.stats == nil {
		return lo, hi, false
	}
	if h := v.slot(statHistogram); h != nil && len(h.Values) > 0 && h.Coll == coll && r.g.sameOrdering(h.Op, less) {
		lo, hi, ok = h.Values[0], h.Values[len(h.Values)-1], true
	}
	vals, freqs := v.mcv()
	if !ok { // without a histogram the common values must be all there is
		sum := 0.0
		for _, f := range freqs {
			sum += float64(f)
		}
		if sum+v.nullFrac() < 0.99999 {
			return lo, hi, false
		}
	}
	c := r.g.operatorCaller(less, coll)
	if c == nil {
		return lo, hi, false
	}
	for _, x := range vals {
		if !ok {
			lo, hi, ok = x, x, true
			continue
		}
		if c.test(x, lo) {
			lo = x
		}
		if c.test(hi, x) {
			hi = x
		}
	}
	return lo, hi, ok
}
