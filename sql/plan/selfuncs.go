package plan

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// restrictionVar finds the variable of `var op other` or `other op var`.
func (r *root) restrictionVar(args []query.Expr, varRel int) (v variable, other query.Expr, left, ok bool) {
	if len(args) != 2 {
		return v, nil, false, false
	}
	l, rt := r.examine(args[0], varRel), r.examine(args[1], varRel)
	if l.rel != nil && rt.rel == nil {
		return l, r.g.estimateValue(args[1]), true, true
	}
	if l.rel == nil && rt.rel != nil {
		return rt, r.g.estimateValue(args[0]), false, true
	}
	return v, nil, false, false
}

// eqSel estimates var = value, or with negate var <> value.
func (r *root) eqSel(op OID, args []query.Expr, coll OID, varRel int, negate bool) float64 {
	if negate {
		if op = r.g.oper(op).Negator; op == 0 {
			return 1 - defaultEqSel
		}
	}
	v, other, left, ok := r.restrictionVar(args, varRel)
	if !ok {
		if negate {
			return 1 - defaultEqSel
		}
		return defaultEqSel
	}
	if c, ok := other.(*query.Const); ok {
		return r.eqConst(&v, op, coll, c.Value, left, negate)
	}
	return r.eqNonConst(&v, negate)
}

func (r *root) eqConst(v *variable, op, coll OID, val types.Datum, left, negate bool) float64 {
	if val.IsNull() {
		return 0
	}
	s := 0.0
	switch {
	case v.unique && v.rel != nil && v.rel.tuples >= 1:
		s = 1 / v.rel.tuples
	case v.stats != nil:
		s = r.eqByMCV(v, op, coll, val, left)
	default:
		n, _ := v.distinct()
		s = 1 / n
	}
	if negate {
		s = 1 - s - v.nullFrac()
	}
	return clampProb(s)
}

func (r *root) eqByMCV(v *variable, op, coll OID, val types.Datum, left bool) float64 {
	vals, freqs := v.mcv()
	c := r.g.operatorCaller(op, coll)
	if c != nil {
		c.flip = !left
	}
	sum := 0.0
	for i, m := range vals {
		if c.test(m, val) {
			return float64(freqs[i])
		}
		sum += float64(freqs[i])
	}
	s := clampProb(1 - sum - v.nullFrac())
	n, _ := v.distinct()
	if rest := n - float64(len(freqs)); rest > 1 {
		s /= rest
	}
	if k := len(freqs); k > 0 && s > float64(freqs[k-1]) {
		s = float64(freqs[k-1])
	}
	return s
}

func (r *root) eqNonConst(v *variable, negate bool) float64 {
	s := 0.0
	n, _ := v.distinct()
	switch {
	case v.unique && v.rel != nil && v.rel.tuples >= 1:
		s = 1 / v.rel.tuples
	case v.stats != nil:
		s = 1 - v.nullFrac()
		if n > 1 {
			s /= n
		}
		if _, freqs := v.mcv(); len(freqs) > 0 && s > float64(freqs[0]) {
			s = float64(freqs[0])
		}
	default:
		s = 1 / n
	}
	if negate {
		s = 1 - s - v.nullFrac()
	}
	return clampProb(s)
}

// ineqSel estimates var < value and its kin.
func (r *root) ineqSel(op OID, args []query.Expr, coll OID, varRel int, gt, eq bool) float64 {
	v, other, left, ok := r.restrictionVar(args, varRel)
	if !ok {
		return defaultIneqSel
	}
	c, ok := other.(*query.Const)
	if !ok {
		return defaultIneqSel
	}
	if c.Value.IsNull() {
		return 0
	}
	if !left {
		if op = r.g.oper(op).Commutator; op == 0 {
			return defaultIneqSel
		}
		gt = !gt
	}
	return r.scalarIneq(&v, op, coll, c.Value, c.TypeOID, gt, eq)
}

func (r *root) scalarIneq(v *variable, op, coll OID, val types.Datum, valType OID, gt, eq bool) float64 {
	if v.stats == nil {
		if x, ok := v.expr.(*query.Var); ok && x.AttNo == tidAttNo && v.rel != nil {
			return tidIneq(v.rel, val, gt, eq)
		}
		return defaultIneqSel
	}
	c := r.g.operatorCaller(op, coll)
	mcvSel, sum := 0.0, 0.0
	vals, freqs := v.mcv()
	for i, m := range vals {
		if c.test(m, val) {
			mcvSel += float64(freqs[i])
		}
		sum += float64(freqs[i])
	}
	s := 1 - v.nullFrac() - sum
	if h := r.histogramIneq(v, c, op, coll, val, valType, gt, eq); h >= 0 {
		s *= h
	} else {
		s *= 0.5
	}
	return clampProb(s + mcvSel)
}

// tidIneq: ctid < value by position in the table.
func tidIneq(rel *rel, val types.Datum, gt, eq bool) float64 {
	if rel.pages == 0 {
		return 1
	}
	tid := val.TID()
	block := float64(tid.Block)
	density := rel.tuples / (rel.pages - 0.5)
	if block >= rel.pages-1 {
		density *= 0.5
	}
	if density > 0 {
		block += min(float64(tid.Off)/density, 1)
	}
	s := block / (rel.pages - 0.5)
	if eq == gt && rel.tuples >= 1 {
		s -= 1 / rel.tuples
	}
	if gt {
		s = 1 - s
	}
	return clampProb(s)
}

// histogramIneq gives the fraction of the histogram's population that passes, -1 when there is no histogram of use.
func (r *root) histogramIneq(v *variable, c *caller, op, coll OID, val types.Datum, valType OID, gt, eq bool) float64 {
	h := v.slot(statHistogram)
	if h == nil || len(h.Values) < 2 || c == nil {
		return -1
	}
	n := len(h.Values)
	cutoff := 0.01 / float64(n-1)
	if h.Coll != coll || !r.g.sameOrdering(h.Op, op) {
		match := 0
		for _, x := range h.Values {
			if c.test(x, val) {
				match++
			}
		}
		return min(max(float64(match)/float64(n), cutoff), 1-cutoff)
	}
	values, haveEnd := h.Values, false
	end := func(i int) {
		if d, ok := r.actualEnd(v, h, i > 0); ok {
			values = append([]types.Datum(nil), values...)
			values[i], haveEnd = d, true
		}
	}
	if n == 2 {
		end(0)
		end(1)
	}
	lo, hi := 0, n
	for lo < hi {
		probe := (lo + hi) / 2
		if n > 2 && (probe == 0 || probe == n-1) {
			end(probe)
		}
		if c.test(values[probe], val) != gt {
			lo = probe + 1
		} else {
			hi = probe
		}
	}
	frac := 0.0
	switch {
	case lo <= 0:
	case lo >= n:
		frac = 1
	default:
		frac = r.withinBin(v, values[lo-1], values[lo], lo, n, val, valType, gt, eq)
	}
	if gt {
		frac = 1 - frac
	}
	if haveEnd {
		return clampProb(frac)
	}
	return min(max(frac, cutoff), 1-cutoff)
}

// actualEnd asks an index on the column for its least or greatest value now.
func (r *root) actualEnd(v *variable, h *catalog.StatSlot, last bool) (types.Datum, bool) {
	if r.g.env.IndexEnd == nil || v.rel == nil || v.rel.desc == nil {
		return types.Null, false
	}
	for _, ix := range v.rel.indexes {
		if !ix.btree || len(ix.pred) > 0 || ix.idx.Collations[0] != h.Coll || !equal(ix.keyExprs[0], v.expr) {
			continue
		}
		if m := r.g.opInFamily(h.Op, ix.idx.OpFamilies[0]); m == nil || m.Strategy != btLess {
			continue
		}
		d, ok, err := r.g.env.IndexEnd(ix.idx.OID, last != ix.idx.Desc[0])
		return d, ok && err == nil
	}
	return types.Null, false
}

func (r *root) withinBin(v *variable, low, high types.Datum, i, n int, val types.Datum, valType OID, gt, eq bool) float64 {
	eqSel := 0.0
	if i == 1 || gt == eq {
		d, _ := v.distinct()
		_, freqs := v.mcv()
		if d -= float64(len(freqs)); d > 1 {
			eqSel = 1 / d
		}
	}
	bin := 0.5
	if x, l, h, ok := r.g.scalars(val, valType, low, high, v.typ); ok {
		switch {
		case h <= l:
		case x <= l:
			bin = 0
		case x >= h:
			bin = 1
		default:
			if b := (x - l) / (h - l); b >= 0 && b <= 1 {
				bin = b
			}
		}
	}
	frac := (float64(i-1) + bin) / float64(n-1)
	if i == 1 {
		frac += eqSel * (1 - bin)
	}
	if gt == eq {
		frac -= eqSel
	}
	return frac
}

// sameOrdering: two operators order by the same family.
func (g *glob) sameOrdering(a, b OID) bool {
	if a == b {
		return true
	}
	for _, x := range g.amOpsOf(a) {
		for _, y := range g.amOpsOf(b) {
			if x.Family == y.Family {
				return true
			}
		}
	}
	return false
}

// nullTestSel estimates var IS [NOT] NULL.
func (r *root) nullTestSel(e query.Expr, not bool, a selArgs) float64 {
	v := r.examine(e, a.varRel)
	f := 0.0
	switch x, isVar := v.expr.(*query.Var); {
	case v.stats != nil:
		f = v.stats.NullFrac
	case isVar && x.AttNo < 0:
		f = 0
	default:
		f = defaultUnknownSel
	}
	if not {
		f = 1 - f
	}
	return clampProb(f)
}

func (r *root) boolVarSel(e query.Expr, varRel int) float64 {
	v := r.examine(e, varRel)
	if v.stats != nil {
		return r.eqConst(&v, boolEqOp, 0, types.Bool(true), true, false)
	}
	return 0.5
}

func (r *root) boolTestSel(e *query.BooleanTest, a selArgs) float64 {
	v := r.examine(e.Arg, a.varRel)
	if v.stats == nil {
		return r.boolTestDefault(e, a)
	}
	nulls := v.stats.NullFrac
	vals, freqs := v.mcv()
	t, f := 0.0, 0.0
	if len(vals) > 0 {
		if vals[0].Bool() {
			t = float64(freqs[0])
		} else {
			t = 1 - float64(freqs[0]) - nulls
		}
		f = 1 - t - nulls
	} else {
		t = (1 - nulls) / 2
		f = t
	}
	switch e.Kind {
	case query.IsUnknown:
		return clampProb(nulls)
	case query.IsNotUnknown:
		return clampProb(1 - nulls)
	case query.IsTrue:
		return clampProb(t)
	case query.IsNotTrue:
		return clampProb(1 - t)
	case query.IsFalse:
		return clampProb(f)
	}
	return clampProb(1 - f)
}

func (r *root) boolTestDefault(e *query.BooleanTest, a selArgs) float64 {
	switch e.Kind {
	case query.IsUnknown:
		return defaultUnknownSel
	case query.IsNotUnknown:
		return 1 - defaultUnknownSel
	case query.IsTrue, query.IsNotFalse:
		return r.clauseSelectivity(e.Arg, nil, a)
	}
	return 1 - r.clauseSelectivity(e.Arg, nil, a)
}

// arrayOpSelectivity estimates x op ANY/ALL (array).
func (r *root) arrayOpSelectivity(e *query.ScalarArrayOpExpr, ri *restrict, a selArgs) float64 {
	name := r.g.restName(e.OpOID)
	isEq, isNe := name == "eqsel", name == "neqsel"
	join := r.isJoinClause(e, ri, a)
	one := func(el query.Expr) float64 {
		o := &query.OpExpr{OpOID: e.OpOID, InputColl: e.InputColl, Args: []query.Expr{e.Left, el}}
		if join {
			return clampProb(r.joinOpSel(o, a))
		}
		return clampProb(r.restOpSel(e.OpOID, o.Args, e.InputColl, a.varRel))
	}
	right := r.g.estimateValue(e.Right)
	var elems []query.Expr
	switch x := stripRelabel(right).(type) {
	case *query.Const:
		if x.Value.IsNull() {
			return 0
		}
		info := must(r.g.env.Types.TypeByOID(x.TypeOID))
		for _, d := range r.g.arrayElems(x) {
			elems = append(elems, &query.Const{TypeOID: info.Elem, Mod: -1, Coll: e.InputColl, Value: d, Loc: -1})
		}
	case *query.ArrayExpr:
		if x.MultiDims {
			return 0.5
		}
		elems = x.Elems
	default:
		dummy := &query.CaseTestExpr{TypeOID: r.g.elemType(right.Type()), Mod: -1, Coll: e.InputColl}
		return repeatSel(one(dummy), 10, e.UseOr)
	}
	return combineArraySel(elems, one, e.UseOr, isEq, isNe)
}

func (g *glob) elemType(arr OID) OID {
	if t := g.typ(arr); t != nil {
		return t.Elem
	}
	return 0
}

func repeatSel(s float64, n int, or bool) float64 {
	total := 1.0
	if or {
		total = 0
	}
	for i := 0; i < n; i++ {
		if or {
			total = total + s - total*s
		} else {
			total *= s
		}
	}
	return clampProb(total)
}

func combineArraySel(elems []query.Expr, one func(query.Expr) float64, or, isEq, isNe bool) float64 {
	s, disjoint := 1.0, 1.0
	if or {
		s, disjoint = 0, 0
	}
	for _, el := range elems {
		x := 0.0
		if !isNullConst(el) {
			x = one(el)
		}
		if or {
			s = s + x - s*x
			disjoint += x
		} else {
			s *= x
			disjoint += x - 1
		}
	}
	if (or && isEq || !or && isNe) && disjoint >= 0 && disjoint <= 1 {
		s = disjoint
	}
	return clampProb(s)
}

// matchSel estimates a match operator by trying the statistics' values.
func (r *root) matchSel(op OID, args []query.Expr, coll OID, varRel int, def float64) float64 {
	v, other, left, ok := r.restrictionVar(args, varRel)
	if !ok {
		return def
	}
	c, isC := other.(*query.Const)
	if !isC {
		return def
	}
	if c.Value.IsNull() {
		return 0
	}
	if v.stats == nil {
		return def
	}
	call := r.g.operatorCaller(op, coll)
	if call == nil {
		return def
	}
	call.flip = !left
	return r.sampleSel(&v, call, c.Value, def, 10, 1)
}

// sampleSel combines most common values and histogram values that pass.
func (r *root) sampleSel(v *variable, c *caller, val types.Datum, def float64, minHist, skip int) float64 {
	mcvSel, sum := 0.0, 0.0
	vals, freqs := v.mcv()
	for i, m := range vals {
		if c.test(m, val) {
			mcvSel += float64(freqs[i])
		}
		sum += float64(freqs[i])
	}
	s := def
	if h := v.slot(statHistogram); h != nil && len(h.Values) >= minHist && len(h.Values) > 2*skip {
		match := 0
		for _, x := range h.Values[skip : len(h.Values)-skip] {
			if c.test(x, val) {
				match++
			}
		}
		s = float64(match) / float64(len(h.Values)-2*skip)
		if len(h.Values) < 100 {
			w := float64(len(h.Values)) / 100
			s = s*w + def*(1-w)
		}
	}
	s = min(max(s, 0.0001), 0.9999)
	return clampProb(s*(1-v.nullFrac()-sum) + mcvSel)
}
