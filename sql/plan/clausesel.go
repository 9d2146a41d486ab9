package plan

import (
	"github.com/calfdb/calf/sql/query"
)

// selArgs is what a selectivity estimate is relative to.
type selArgs struct {
	varRel int // only this relation's Vars vary (0 = all)
	typ    query.JoinType
	sj     *specialJoin // nil = a restriction, not a join
}

// listSelectivity estimates the fraction of rows that pass all conditions, taking pairs of range bounds on one variable together.
func (r *root) listSelectivity(list []*restrict, a selArgs) float64 {
	if len(list) == 1 {
		return r.restrictSelectivity(list[0], a)
	}
	s := 1.0
	var ranges []*rangePair
	for _, ri := range list {
		s2 := r.restrictSelectivity(ri, a)
		if ri.pseudoconst || !r.addRange(ri.clause, ri, s2, &ranges) {
			s *= s2
		}
	}
	return s * r.rangesSelectivity(ranges, a)
}

func (r *root) exprListSelectivity(list []query.Expr, a selArgs) float64 {
	if len(list) == 1 {
		return r.clauseSelectivity(list[0], nil, a)
	}
	s := 1.0
	var ranges []*rangePair
	for _, e := range list {
		s2 := r.clauseSelectivity(e, nil, a)
		if !r.addRange(e, nil, s2, &ranges) {
			s *= s2
		}
	}
	return s * r.rangesSelectivity(ranges, a)
}

type rangePair struct {
	v              query.Expr
	lo, hi         float64
	haveLo, haveHi bool
}

// addRange notes a scalar inequality on one variable; false when the condition is something else.
func (r *root) addRange(clause query.Expr, ri *restrict, s float64, ranges *[]*rangePair) bool {
	o, ok := clause.(*query.OpExpr)
	if !ok || len(o.Args) != 2 {
		return false
	}
	var l, rt, all Relids
	if ri != nil {
		l, rt, all = ri.left, ri.right, ri.clauseRelids
	} else {
		l, rt = varRelids(o.Args[0]), varRelids(o.Args[1])
		all = l.or(rt)
	}
	if all.count() != 1 {
		return false
	}
	left := true
	switch {
	case rt.empty() && !r.g.volatile(o.Args[1]):
	case l.empty() && !r.g.volatile(o.Args[0]):
		left = false
	default:
		return false
	}
	less := false
	switch r.g.restName(o.OpOID) {
	case "scalarltsel", "scalarlesel":
		less = true
	case "scalargtsel", "scalargesel":
	default:
		return false
	}
	v, isLo := o.Args[0], !less
	if !left {
		v, isLo = o.Args[1], less
	}
	addRangeClause(ranges, v, isLo, s)
	return true
}

func addRangeClause(ranges *[]*rangePair, v query.Expr, isLo bool, s float64) {
	var p *rangePair
	for _, x := range *ranges {
		if equal(x.v, v) {
			p = x
		}
	}
	if p == nil {
		p = &rangePair{v: v}
		*ranges = append([]*rangePair{p}, *ranges...)
	}
	if isLo {
		if !p.haveLo || p.lo > s {
			p.lo = s
		}
		p.haveLo = true
		return
	}
	if !p.haveHi || p.hi > s {
		p.hi = s
	}
	p.haveHi = true
}

func (r *root) rangesSelectivity(ranges []*rangePair, a selArgs) float64 {
	s := 1.0
	for _, p := range ranges {
		switch {
		case p.haveLo && p.haveHi:
			if p.hi == defaultIneqSel || p.lo == defaultIneqSel {
				s *= defaultRangeSel
				continue
			}
			s2 := p.hi + p.lo - 1 + r.nullTestSel(p.v, false, a)
			if s2 < -0.01 {
				s2 = defaultRangeSel
			} else if s2 <= 0 {
				s2 = 1e-10
			}
			s *= s2
		case p.haveLo:
			s *= p.lo
		default:
			s *= p.hi
		}
	}
	return s
}

// restrictSelectivity is clauseSelectivity that remembers what it found.
func (r *root) restrictSelectivity(ri *restrict, a selArgs) float64 {
	if ri.pseudoconst && !isConstExpr(ri.clause) || ri.normSel > 1 {
		return 1
	}
	cache := a.varRel == 0 || ri.clauseRelids.subsetOf(relid(a.varRel))
	inner := a.typ == query.JoinInner
	if cache {
		if inner && ri.normSel >= 0 {
			return ri.normSel
		}
		if !inner && ri.outerSel >= 0 {
			return ri.outerSel
		}
	}
	s := 0.0
	if ri.or != nil {
		s = r.orSelectivity(ri.or, a)
	} else {
		s = r.clauseSelectivity(ri.clause, ri, a)
	}
	if cache {
		if inner {
			ri.normSel = s
		} else {
			ri.outerSel = s
		}
	}
	return s
}

func (r *root) orSelectivity(arms [][]any, a selArgs) float64 {
	s := 0.0
	for _, arm := range arms {
		var list []*restrict
		for _, x := range arm {
			list = append(list, x.(*restrict))
		}
		s2 := r.listSelectivity(list, a)
		s = s + s2 - s*s2
	}
	return s
}

func (r *root) clauseSelectivity(clause query.Expr, ri *restrict, a selArgs) float64 {
	switch e := clause.(type) {
	case *query.Const:
		if !e.Value.IsNull() && e.Value.Bool() {
			return 1
		}
		return 0
	case *query.Param:
		if c, ok := r.g.estimateValue(e).(*query.Const); ok {
			return r.clauseSelectivity(c, nil, a)
		}
		return 0.5
	case *query.BoolExpr:
		return r.boolExprSelectivity(e, a)
	case *query.OpExpr:
		return r.opSelectivity(e, ri, a)
	case *query.DistinctExpr:
		return 1 - r.opSelectivity(&e.OpExpr, ri, a)
	case *query.FuncExpr:
		return 0.3333333
	case *query.ScalarArrayOpExpr:
		return r.arrayOpSelectivity(e, ri, a)
	case *query.RowCompareExpr:
		o := &query.OpExpr{OpOID: e.OpOIDs[0], InputColl: e.InputColls[0], Args: []query.Expr{e.Left[0], e.Right[0]}}
		return r.opSelectivity(o, nil, a)
	case *query.NullTest:
		return r.nullTestSel(e.Arg, e.IsNot, a)
	case *query.BooleanTest:
		return r.boolTestSel(e, a)
	case *query.CurrentOfExpr:
		if rel := r.findBase(e.RTIndex); rel != nil && rel.tuples > 0 {
			return 1 / rel.tuples
		}
		return 0.5
	case *query.RelabelType:
		return r.clauseSelectivity(e.Arg, ri, a)
	case *query.CoerceToDomain:
		return r.clauseSelectivity(e.Arg, ri, a)
	case *query.SubPlan, *query.AlternativeSubPlan:
		return 0.5
	case *query.Var:
		if a.varRel != 0 && a.varRel != e.VarNo {
			return 0.5
		}
	}
	return r.boolVarSel(clause, a.varRel)
}

func (r *root) boolExprSelectivity(e *query.BoolExpr, a selArgs) float64 {
	switch e.Op {
	case query.Not:
		return 1 - r.clauseSelectivity(e.Args[0], nil, a)
	case query.And:
		return r.exprListSelectivity(e.Args, a)
	}
	s := 0.0
	for _, x := range e.Args {
		s2 := r.clauseSelectivity(x, nil, a)
		s = s + s2 - s*s2
	}
	return s
}

// isJoinClause: to be estimated as a join, not as a restriction by an outer value.
func (r *root) isJoinClause(clause query.Expr, ri *restrict, a selArgs) bool {
	if a.varRel != 0 || a.sj == nil {
		return false
	}
	if ri != nil {
		return ri.clauseRelids.count() > 1
	}
	return varRelids(clause).count() > 1
}

func (g *glob) restName(op OID) string { return g.estimatorName(g.oper(op).RestSel) }

func (g *glob) joinName(op OID) string { return g.estimatorName(g.oper(op).JoinSel) }

func (g *glob) estimatorName(fn OID) string {
	if fn == 0 {
		return ""
	}
	return g.proc(fn).Src
}

func (r *root) opSelectivity(o *query.OpExpr, ri *restrict, a selArgs) float64 {
	if r.isJoinClause(o, ri, a) {
		return clampProb(r.joinOpSel(o, a))
	}
	return clampProb(r.restOpSel(o.OpOID, o.Args, o.InputColl, a.varRel))
}

// restOpSel estimates `var op something`.
func (r *root) restOpSel(op OID, args []query.Expr, coll OID, varRel int) float64 {
	switch r.g.restName(op) {
	case "":
		return 0.5
	case "eqsel":
		return r.eqSel(op, args, coll, varRel, false)
	case "neqsel":
		return r.eqSel(op, args, coll, varRel, true)
	case "scalarltsel":
		return r.ineqSel(op, args, coll, varRel, false, false)
	case "scalarlesel":
		return r.ineqSel(op, args, coll, varRel, false, true)
	case "scalargtsel":
		return r.ineqSel(op, args, coll, varRel, true, false)
	case "scalargesel":
		return r.ineqSel(op, args, coll, varRel, true, true)
	case "likesel", "iclikesel", "regexeqsel", "icregexeqsel", "prefixsel":
		return r.patternSel(op, args, coll, varRel, false)
	case "nlikesel", "icnlikesel", "regexnesel", "icregexnesel":
		return r.patternSel(op, args, coll, varRel, true)
	case "matchingsel":
		return r.matchSel(op, args, coll, varRel, defaultMatchingSel)
	case "areasel", "rangesel", "multirangesel":
		return 0.005
	case "positionsel":
		return 0.1
	case "contsel", "tsmatchsel", "arraycontsel", "networksel":
		return 0.001
	}
	return 0.5
}

func (r *root) joinOpSel(o *query.OpExpr, a selArgs) float64 {
	switch r.g.joinName(o.OpOID) {
	case "eqjoinsel":
		return r.eqJoinSel(o, a)
	case "neqjoinsel":
		return r.neqJoinSel(o, a)
	case "scalarltjoinsel", "scalarlejoinsel", "scalargtjoinsel", "scalargejoinsel":
		return defaultIneqSel
	case "likejoinsel", "iclikejoinsel", "regexeqjoinsel", "icregexeqjoinsel", "prefixjoinsel":
		return defaultMatchSel
	case "nlikejoinsel", "icnlikejoinsel", "regexnejoinsel", "icregexnejoinsel":
		return 1 - defaultMatchSel
	case "matchingjoinsel":
		return defaultMatchingSel
	case "areajoinsel":
		return 0.005
	case "positionjoinsel":
		return 0.1
	case "contjoinsel", "tsmatchjoinsel", "arraycontjoinsel", "networkjoinsel":
		return 0.001
	}
	return 0.5
}
