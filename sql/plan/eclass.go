package plan

import (
	"slices"

	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// eclass is a set of expressions known to be equal (PostgreSQL's EquivalenceClass).
type eclass struct {
	families                                  []OID
	coll                                      OID
	members                                   []*emember
	sources, derives                          []*restrict
	relids                                    Relids
	hasConst, hasVolatile, belowOuter, broken bool
	sortref                                   uint32
	minSecurity, maxSecurity                  int
	merged                                    *eclass
}

type emember struct {
	expr             query.Expr
	relids, nullable Relids
	isConst          bool
	typ              OID // the type that the operator family's operators take
}

func (ec *eclass) top() *eclass {
	for ec.merged != nil {
		ec = ec.merged
	}
	return ec
}

func (ec *eclass) add(e query.Expr, rels, nullable Relids, typ OID) *emember {
	m := &emember{expr: e, relids: rels, nullable: nullable, typ: typ}
	if rels.empty() && !hasVars(e) { // a set operation's columns are Vars of no relation
		m.isConst, ec.hasConst = true, true
	} else {
		ec.relids = ec.relids.or(rels)
	}
	ec.members = append(ec.members, m)
	return m
}

func (ec *eclass) source(ri *restrict, below bool, l, rm *emember) {
	ec.sources = append(ec.sources, ri)
	ec.belowOuter = ec.belowOuter || below
	ec.minSecurity, ec.maxSecurity = min(ec.minSecurity, ri.security), max(ec.maxSecurity, ri.security)
	ri.leftEC, ri.rightEC, ri.leftEM, ri.rightEM = ec, ec, l, rm
}

// canonicalEC gives an expression the type and collation that the class compares it as.
func (g *glob) canonicalEC(e query.Expr, typ, coll OID) query.Expr {
	if polymorphic(typ) || typ == types.RecordOID {
		typ = e.Type()
	}
	if e.Type() == typ && e.Collation() == coll {
		return e
	}
	mod := int32(-1)
	if e.Type() == typ {
		mod = e.TypMod()
	}
	return (&folder{g: g}).relabel(e, typ, mod, coll, query.CoerceImplicitCast, -1)
}

func polymorphic(t OID) bool {
	switch t {
	case types.AnyelementOID, types.AnyarrayOID, types.AnynonarrayOID, types.AnyenumOID, types.AnyrangeOID, types.AnymultirangeOID,
		types.AnycompatibleOID, types.AnycompatiblearrayOID, types.AnycompatiblenonarrayOID, types.AnycompatiblerangeOID,
		types.AnycompatiblemultirangeOID:
		return true
	}
	return false
}

// processEquivalence takes an equality into the classes. When it does not, the condition to use instead comes back: x = x becomes IS NOT NULL.
func (r *root) processEquivalence(ri *restrict, below bool) (bool, *restrict) {
	if ri.security > 0 && !ri.leakproof {
		return false, ri
	}
	g := r.g
	o := ri.clause.(*query.OpExpr)
	coll := o.InputColl
	e1, e2 := g.canonicalEC(o.Args[0], o.Args[0].Type(), coll), g.canonicalEC(o.Args[1], o.Args[1].Type(), coll)
	if equal(e1, e2) {
		if !g.proc(g.opFunc(o)).Strict {
			return false, ri
		}
		n := r.makeRestrict(&query.NullTest{Arg: e1, IsNot: true, Loc: -1}, restrictArgs{pushed: ri.pushedDown, delayed: ri.outerjoinDelayed,
			pseudo: ri.pseudoconst, security: ri.security, outer: ri.outerRelids, nullable: ri.nullableRelids})
		return false, n
	}
	if below && (!ri.left.empty() && g.nonstrict(e1) || !ri.right.empty() && g.nonstrict(e2)) {
		return false, ri
	}
	op := g.oper(o.OpOID)
	ec1, em1, ec2, em2 := r.findMembers(ri.families, coll, e1, op.Left, e2, op.Right, below)
	n1, n2 := ri.left.and(ri.nullableRelids), ri.right.and(ri.nullableRelids)
	switch {
	case ec1 != nil && ec2 != nil:
		if ec1 != ec2 {
			r.mergeECs(ec1, ec2)
		}
	case ec1 != nil:
		em2 = ec1.add(e2, ri.right, n2, op.Right)
	case ec2 != nil:
		ec1 = ec2
		em1 = ec2.add(e1, ri.left, n1, op.Left)
	default:
		ec1 = &eclass{families: ri.families, coll: coll, belowOuter: below, minSecurity: ri.security, maxSecurity: ri.security}
		em1, em2 = ec1.add(e1, ri.left, n1, op.Left), ec1.add(e2, ri.right, n2, op.Right)
		r.ecs = append(r.ecs, ec1)
	}
	ec1.source(ri, below, em1, em2)
	return true, ri
}

func (r *root) findMembers(fams []OID, coll OID, e1 query.Expr, t1 OID, e2 query.Expr, t2 OID, below bool) (ec1 *eclass, em1 *emember, ec2 *eclass,
	em2 *emember) {
	for _, ec := range r.ecs {
		if ec.hasVolatile || ec.coll != coll || !slices.Equal(ec.families, fams) {
			continue
		}
		for _, m := range ec.members {
			if (below || ec.belowOuter) && m.isConst {
				continue
			}
			if ec1 == nil && m.typ == t1 && equal(e1, m.expr) {
				ec1, em1 = ec, m
			} else if ec2 == nil && m.typ == t2 && equal(e2, m.expr) {
				ec2, em2 = ec, m
			}
		}
	}
	return ec1, em1, ec2, em2
}

func (r *root) mergeECs(a, b *eclass) {
	a.members = append(a.members, b.members...)
	a.sources = append(a.sources, b.sources...)
	a.derives = append(a.derives, b.derives...)
	a.relids = a.relids.or(b.relids)
	a.hasConst = a.hasConst || b.hasConst
	a.belowOuter = a.belowOuter || b.belowOuter
	a.minSecurity, a.maxSecurity = min(a.minSecurity, b.minSecurity), max(a.maxSecurity, b.maxSecurity)
	b.merged = a
	r.ecs = slices.DeleteFunc(r.ecs, func(e *eclass) bool { return e == b })
}

// ecForSort finds or makes the class of a sort expression.
func (r *root) ecForSort(e query.Expr, nullable Relids, fams []OID, typ, coll OID, sortref uint32, create bool) *eclass {
	e = r.g.canonicalEC(e, typ, coll)
	for _, ec := range r.ecs {
		if ec.hasVolatile && (sortref == 0 || sortref != ec.sortref) || ec.coll != coll || !slices.Equal(ec.families, fams) {
			continue
		}
		for _, m := range ec.members {
			if ec.belowOuter && m.isConst {
				continue
			}
			if m.typ == typ && equal(e, m.expr) {
				return ec
			}
		}
	}
	if !create {
		return nil
	}
	ec := &eclass{families: fams, coll: coll, sortref: sortref, hasVolatile: r.g.volatile(e), minSecurity: 1 << 30}
	rels := varRelids(e)
	m := ec.add(e, rels, nullable.and(rels), typ)
	if ec.hasConst && (ec.hasVolatile || returnsSet(e) || hasAggref(e) || hasWindowFunc(e)) {
		ec.hasConst, m.isConst = false, false
	}
	r.ecs = append(r.ecs, ec)
	return ec
}

func (r *root) initMergeECs(ri *restrict) {
	o := ri.clause.(*query.OpExpr)
	op := r.g.oper(o.OpOID)
	ri.leftEC = r.ecForSort(o.Args[0], ri.nullableRelids, ri.families, op.Left, o.InputColl, 0, true)
	ri.rightEC = r.ecForSort(o.Args[1], ri.nullableRelids, ri.families, op.Right, o.InputColl, 0, true)
}

// baseEqualities makes the conditions on single relations that the classes imply.
func (r *root) baseEqualities() {
	r.ecMergingDone = true
	for _, ec := range r.ecs {
		if len(ec.members) > 1 {
			if ec.hasConst {
				r.constEqualities(ec)
			} else {
				r.sameRelEqualities(ec)
			}
			if ec.broken {
				for _, s := range ec.sources {
					if ec.hasConst || s.required.count() == 1 {
						r.distributeRestrict(s)
					}
				}
			}
			if ec.relids.count() > 1 {
				ec.relids.each(func(i int) {
					if r.rels[i] != nil {
						r.rels[i].hasECJoins = true
					}
				})
			}
		}
	}
}

func (r *root) constEqualities(ec *eclass) {
	if len(ec.members) == 2 && len(ec.sources) == 1 && ec.sources[0].required.count() <= 1 {
		r.distributeRestrict(ec.sources[0])
		return
	}
	var c *emember
	for _, m := range ec.members {
		if m.isConst {
			c = m
			if isConstExpr(m.expr) {
				break
			}
		}
	}
	for _, m := range ec.members {
		if m == c {
			continue
		}
		op := r.equalityOp(ec, m.typ, c.typ)
		if op == 0 {
			ec.broken = true
			return
		}
		ri := r.impliedEquality(ec, op, m, c, m.isConst)
		if ri != nil && len(ri.families) > 0 {
			ri.leftEC, ri.rightEC, ri.leftEM, ri.rightEM = ec, ec, m, c
			ec.derives = append(ec.derives, ri)
		}
	}
}

func (r *root) sameRelEqualities(ec *eclass) {
	prev := map[int]*emember{}
	for _, m := range ec.members {
		i := m.relids.single()
		if i == 0 {
			continue
		}
		if p := prev[i]; p != nil {
			op := r.equalityOp(ec, p.typ, m.typ)
			if op == 0 {
				ec.broken = true
				break
			}
			ri := r.impliedEquality(ec, op, p, m, false)
			if ri != nil && len(ri.families) > 0 {
				ri.leftEC, ri.rightEC, ri.leftEM, ri.rightEM = ec, ec, p, m
			}
		}
		prev[i] = m
	}
	for _, m := range ec.members {
		r.addVars(varsOf(m.expr), ec.relids, false)
	}
}

// impliedEquality makes and distributes a = b; with bothConst it is folded first, and true is nothing.
func (r *root) impliedEquality(ec *eclass, op OID, a, b *emember, bothConst bool) *restrict {
	clause := r.equalityClause(ec, op, a, b)
	rels := a.relids.or(b.relids)
	pseudo := false
	if bothConst {
		clause = r.g.fold(clause)
		if isTrueConst(clause) {
			return nil
		}
	}
	if rels.empty() {
		rels = ec.relids
		if !r.g.volatile(clause) {
			pseudo, r.hasPseudoconst = true, true
			if !ec.belowOuter {
				rels = joinTreeRels(r.q.JoinTree)
			}
		}
	}
	ri := r.makeRestrict(clause, restrictArgs{pushed: true, pseudo: pseudo, security: ec.minSecurity, required: rels,
		nullable: a.nullable.or(b.nullable)})
	if rels.count() > 1 {
		r.addVars(varsOf(clause), rels, false)
	}
	if _, ok := clause.(*query.OpExpr); ok {
		r.checkMergeable(ri)
	}
	r.distributeRestrict(ri)
	return ri
}

func (r *root) equalityClause(ec *eclass, op OID, a, b *emember) query.Expr {
	return &query.OpExpr{OpOID: op, FuncOID: r.g.oper(op).Func, TypeOID: types.BoolOID, InputColl: ec.coll, Args: []query.Expr{a.expr, b.expr}, Loc: -1}
}

// equalityOp selects the operator of a class's families for two types, 0 when there is none.
func (r *root) equalityOp(ec *eclass, lt, rt OID) OID {
	for _, f := range ec.families {
		op := r.g.amOp(f, lt, rt, btEqual)
		if op == 0 {
			continue
		}
		if ec.maxSecurity == 0 || r.g.proc(r.g.oper(op).Func).LeakProof {
			return op
		}
	}
	return 0
}

// joinEqualities makes the conditions that the classes imply for the join of two disjoint sets.
func (r *root) joinEqualities(join, outer, inner Relids) (out []*restrict) {
	for _, ec := range r.ecs {
		if ec.hasConst || len(ec.members) <= 1 || !ec.relids.overlaps(outer) || !ec.relids.overlaps(inner) {
			continue
		}
		out = append(out, r.joinEqualitiesOf(ec, join, outer, inner)...)
	}
	return out
}

func (r *root) joinEqualitiesOf(ec *eclass, join, outer, inner Relids) []*restrict {
	if !ec.broken {
		if out := r.joinEqualitiesNormal(ec, join, outer, inner); !ec.broken {
			return out
		}
	}
	var out []*restrict
	for _, s := range ec.sources {
		if s.required.subsetOf(join) && !s.required.subsetOf(outer) && !s.required.subsetOf(inner) {
			out = append(out, s)
		}
	}
	return out
}

func (r *root) joinEqualitiesNormal(ec *eclass, join, outer, inner Relids) (out []*restrict) {
	var news, outers, inners []*emember
	for _, m := range ec.members {
		switch {
		case !m.relids.subsetOf(join):
		case m.relids.subsetOf(outer):
			outers = append(outers, m)
		case m.relids.subsetOf(inner):
			inners = append(inners, m)
		default:
			news = append(news, m)
		}
	}
	if len(outers) > 0 && len(inners) > 0 {
		ri := r.bestJoinEquality(ec, outers, inners)
		if ri == nil {
			ec.broken = true
			return nil
		}
		out = append(out, ri)
	}
	if len(news) == 0 {
		return out
	}
	if old := append(outers, inners...); len(old) > 0 {
		news = append(news, old[0])
	}
	for i := 1; i < len(news); i++ {
		op := r.equalityOp(ec, news[i-1].typ, news[i].typ)
		if op == 0 {
			ec.broken = true
			return nil
		}
		out = append(out, r.joinClause(ec, op, news[i-1], news[i], nil))
	}
	return out
}

func (r *root) bestJoinEquality(ec *eclass, outers, inners []*emember) *restrict {
	best, bestOp := -1, OID(0)
	var bo, bi *emember
	for _, o := range outers {
		for _, i := range inners {
			op := r.equalityOp(ec, o.typ, i.typ)
			if op == 0 || best == 3 {
				continue
			}
			score := 0
			if isVar(stripRelabel(o.expr)) {
				score++
			}
			if isVar(stripRelabel(i.expr)) {
				score++
			}
			if r.g.opHashable(op, o.expr.Type()) {
				score++
			}
			if score > best {
				best, bestOp, bo, bi = score, op, o, i
			}
		}
	}
	if best < 0 {
		return nil
	}
	return r.joinClause(ec, bestOp, bo, bi, ec)
}

func isVar(e query.Expr) bool { _, ok := e.(*query.Var); return ok }

// joinClause finds or makes left = right of a class.
func (r *root) joinClause(ec *eclass, op OID, l, rm *emember, parent *eclass) *restrict {
	for _, list := range [][]*restrict{ec.sources, ec.derives} {
		for _, s := range list {
			if s.leftEM == l && s.rightEM == rm && s.parentEC == parent && s.clause.(*query.OpExpr).OpOID == op {
				return s
			}
		}
	}
	ri := r.makeRestrict(r.equalityClause(ec, op, l, rm), restrictArgs{pushed: true, security: ec.minSecurity,
		required: l.relids.or(rm.relids), nullable: l.nullable.or(rm.nullable)})
	r.checkMergeable(ri)
	ri.parentEC, ri.leftEC, ri.rightEC, ri.leftEM, ri.rightEM = parent, ec, ec, l, rm
	ec.derives = append(ec.derives, ri)
	return ri
}

// memberMatching finds a member that is e but for binary-compatible casts and lies within rels.
func (ec *eclass) memberMatching(e query.Expr) *emember {
	e = stripRelabel(e)
	for _, m := range ec.members {
		if !m.isConst && equal(stripRelabel(m.expr), e) {
			return m
		}
	}
	return nil
}

// implied says whether two expressions are known equal, for redundant-clause tests.
func (r *root) exprsEqual(a, b query.Expr, fam OID) bool {
	for _, ec := range r.ecs {
		if ec.hasVolatile || !slices.Contains(ec.families, fam) {
			continue
		}
		fa, fb := false, false
		for _, m := range ec.members {
			if equal(m.expr, a) {
				fa = true
			} else if equal(m.expr, b) {
				fb = true
			}
		}
		if fa && fb {
			return true
		}
	}
	return false
}

// hasECJoinClause: some class makes a join clause between the two relations.
func (r *root) hasECJoinClause(a, b *rel) bool {
	for _, ec := range r.ecs {
		if len(ec.members) > 1 && ec.relids.overlaps(a.relids) && ec.relids.overlaps(b.relids) {
			return true
		}
	}
	return false
}
