package plan

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// fromJoinList solves a join problem: nested ones first, then dynamic programming over the rest.
func (r *root) fromJoinList(list []joinItem) *rel {
	var init []*rel
	for _, it := range list {
		if it.sub != nil {
			init = append(init, r.fromJoinList(it.sub))
		} else {
			init = append(init, r.rels[it.rel])
		}
	}
	if len(init) == 1 {
		return init[0]
	}
	return r.joinSearch(init)
}

// joinSearch finds the best join order bottom-up: level n joins of n items from those of less.
func (r *root) joinSearch(init []*rel) *rel {
	saved := r.joinLevels
	defer func() { r.joinLevels = saved }()
	levels := make([][]*rel, len(init)+1)
	levels[1] = init
	r.joinLevels = levels
	for n := 2; n <= len(init); n++ {
		r.searchLevel(n, init)
		for _, j := range levels[n] {
			r.setCheapest(j)
		}
	}
	if len(levels[len(init)]) != 1 {
		fail(pgerr.Internal("failed to build any %d-way joins", len(init)))
	}
	return levels[len(init)][0]
}

func (r *root) searchLevel(n int, init []*rel) {
	levels := r.joinLevels
	for i, old := range levels[n-1] {
		if len(old.joinInfo) > 0 || old.hasECJoins || r.hasJoinRestriction(old) {
			others := levels[1]
			if n == 2 {
				others = others[i+1:]
			}
			r.joinByClauses(old, others)
		} else {
			r.joinClauseless(old, levels[1])
		}
	}
	for k := 2; k <= n-k; k++ { // bushy plans
		other := n - k
		for i, old := range levels[k] {
			if len(old.joinInfo) == 0 && !old.hasECJoins && !r.hasJoinRestriction(old) {
				continue
			}
			list := levels[other]
			if k == other {
				list = list[i+1:]
			}
			for _, nr := range list {
				if !old.relids.overlaps(nr.relids) && (r.relevantClause(old, nr) || r.restrictedPair(old, nr)) {
					r.makeJoin(old, nr)
				}
			}
		}
	}
	if len(levels[n]) > 0 {
		return
	}
	for _, old := range levels[n-1] { // last resort: cross joins
		r.joinClauseless(old, levels[1])
	}
	if len(levels[n]) == 0 && len(r.specials) == 0 && !r.hasLateral {
		fail(pgerr.Internal("failed to build any %d-way joins", n))
	}
}

func (r *root) joinByClauses(old *rel, others []*rel) {
	for _, o := range others {
		if !old.relids.overlaps(o.relids) && (r.relevantClause(old, o) || r.restrictedPair(old, o)) {
			r.makeJoin(old, o)
		}
	}
}

func (r *root) joinClauseless(old *rel, others []*rel) {
	for _, o := range others {
		if !old.relids.overlaps(o.relids) {
			r.makeJoin(old, o)
		}
	}
}

func (r *root) relevantClause(a, b *rel) bool {
	list, other := a.joinInfo, b
	if len(b.joinInfo) < len(list) {
		list, other = b.joinInfo, a
	}
	for _, ri := range list {
		if ri.required.overlaps(other.relids) {
			return true
		}
	}
	return a.hasECJoins && b.hasECJoins && r.hasECJoinClause(a, b)
}

// hasJoinRestriction: an outer join or lateral reference wants this relation joined with certain others.
func (r *root) hasJoinRestriction(b *rel) bool {
	if !b.lateral.empty() || !b.lateralReferencers.empty() {
		return true
	}
	for _, s := range r.specials {
		if s.typ == query.JoinFull {
			continue
		}
		if s.minLeft.subsetOf(b.relids) && s.minRight.subsetOf(b.relids) {
			continue
		}
		if s.minLeft.overlaps(b.relids) || s.minRight.overlaps(b.relids) {
			return true
		}
	}
	return false
}

// restrictedPair: joining the two satisfies an order restriction, although no clause links them.
func (r *root) restrictedPair(a, b *rel) bool {
	if a.relids.overlaps(b.lateral) || b.relids.overlaps(a.lateral) {
		return true
	}
	ok := false
	for _, s := range r.specials {
		if s.typ == query.JoinFull {
			continue
		}
		if s.minLeft.subsetOf(a.relids) && s.minRight.subsetOf(b.relids) || s.minLeft.subsetOf(b.relids) && s.minRight.subsetOf(a.relids) {
			return true
		}
		if s.minRight.overlaps(a.relids) && s.minRight.overlaps(b.relids) || s.minLeft.overlaps(a.relids) && s.minLeft.overlaps(b.relids) {
			ok = true
		}
	}
	return ok && (r.hasLegalJoinClause(a) || r.hasLegalJoinClause(b)) == false
}

func (r *root) hasLegalJoinClause(b *rel) bool {
	for i := 1; i < len(r.rels); i++ {
		o := r.rels[i]
		if o == nil || o.relids.overlaps(b.relids) || !r.relevantClause(b, o) {
			continue
		}
		if _, _, ok := r.joinLegal(b, o, b.relids.or(o.relids)); ok {
			return true
		}
	}
	return false
}

// joinLegal checks the order restrictions; sj is the special join that this join carries out, reversed when rel1 is its right side.
func (r *root) joinLegal(a, b *rel, join Relids) (sj *specialJoin, reversed, ok bool) {
	uniqueIfied, mustBeLeft := false, false
	for _, s := range r.specials {
		if !s.minRight.overlaps(join) || join.subsetOf(s.minRight) {
			continue
		}
		if s.minLeft.subsetOf(a.relids) && s.minRight.subsetOf(a.relids) || s.minLeft.subsetOf(b.relids) && s.minRight.subsetOf(b.relids) {
			continue
		}
		if s.typ == query.JoinSemi {
			if s.synRight.subsetOf(a.relids) && s.synRight != a.relids || s.synRight.subsetOf(b.relids) && s.synRight != b.relids {
				continue // its right side was joined to something else already: unique-ified
			}
		}
		switch {
		case s.minLeft.subsetOf(a.relids) && s.minRight.subsetOf(b.relids):
			if sj != nil {
				return nil, false, false
			}
			sj, reversed = s, false
		case s.minLeft.subsetOf(b.relids) && s.minRight.subsetOf(a.relids):
			if sj != nil {
				return nil, false, false
			}
			sj, reversed = s, true
		case s.typ == query.JoinSemi && s.synRight == b.relids && r.uniqueInnerPath(b, s) != nil:
			if sj != nil {
				return nil, false, false
			}
			sj, reversed, uniqueIfied = s, false, true
		case s.typ == query.JoinSemi && s.synRight == a.relids && r.uniqueInnerPath(a, s) != nil:
			if sj != nil {
				return nil, false, false
			}
			sj, reversed, uniqueIfied = s, true, true
		default:
			if a.relids.overlaps(s.minRight) && b.relids.overlaps(s.minRight) {
				continue // both sides are within its right side: fine so far
			}
			if s.typ != query.JoinLeft || join.overlaps(s.minLeft) {
				return nil, false, false
			}
			mustBeLeft = true
		}
	}
	if mustBeLeft && (sj == nil || sj.typ != query.JoinLeft || !sj.lhsStrict) {
		return nil, false, false
	}
	if r.hasLateral && !r.lateralLegal(a, b, sj, reversed, uniqueIfied, join) {
		return nil, false, false
	}
	return sj, reversed, true
}

// lateralLegal: the referencing side must be the inner one, and what it still needs must not be put out of reach.
func (r *root) lateralLegal(a, b *rel, sj *specialJoin, reversed, unique bool, join Relids) bool {
	fwd, rev := a.relids.overlaps(b.lateral), b.relids.overlaps(a.lateral)
	if fwd && rev {
		return false
	}
	if fwd || rev {
		l, s := a, b
		if rev {
			l, s = b, a
		}
		if sj != nil && (rev != reversed || unique || sj.typ == query.JoinFull) {
			return false
		}
		if !l.relids.overlaps(s.directLateral) {
			return false
		}
		if s.lateral.minus(l.relids).overlaps(join) {
			return false
		}
	}
	need := a.lateral.or(b.lateral).minus(join)
	for _, s := range r.specials { // what is needed must not be null-extended by a join that comes later
		if s.typ == query.JoinFull && (need.overlaps(s.minLeft) || need.overlaps(s.minRight)) && join.overlaps(s.minLeft.or(s.minRight)) {
			return false
		}
		if join.overlaps(s.minLeft) && need.overlaps(s.minRight) && !join.overlaps(s.minRight) {
			return false
		}
	}
	return true
}

// makeJoin makes the join relation of two disjoint ones if that is legal, and adds its paths.
func (r *root) makeJoin(a, b *rel) *rel {
	join := a.relids.or(b.relids)
	sj, reversed, ok := r.joinLegal(a, b, join)
	if !ok {
		return nil
	}
	if reversed {
		a, b = b, a
	}
	if sj == nil {
		sj = &specialJoin{minLeft: a.relids, minRight: b.relids, synLeft: a.relids, synRight: b.relids, typ: query.JoinInner}
	}
	j, clauses := r.joinRel(join, a, b, sj)
	if j.dummy {
		return j
	}
	r.populateJoin(a, b, j, sj, clauses)
	return j
}

func (r *root) populateJoin(a, b, j *rel, sj *specialJoin, clauses []*restrict) {
	switch sj.typ {
	case query.JoinInner:
		if a.dummy || b.dummy || constFalse(clauses, j, false) {
			r.markDummy(j)
			return
		}
		r.addJoinPaths(j, a, b, query.JoinInner, sj, clauses)
		r.addJoinPaths(j, b, a, query.JoinInner, sj, clauses)
	case query.JoinLeft:
		if a.dummy || constFalse(clauses, j, true) {
			r.markDummy(j)
			return
		}
		if constFalse(clauses, j, false) && b.relids.subsetOf(sj.synRight) {
			r.markDummy(b)
		}
		r.addJoinPaths(j, a, b, query.JoinLeft, sj, clauses)
		r.addJoinPaths(j, b, a, query.JoinRight, sj, clauses)
	case query.JoinFull:
		if a.dummy && b.dummy || constFalse(clauses, j, true) {
			r.markDummy(j)
			return
		}
		r.addJoinPaths(j, a, b, query.JoinFull, sj, clauses)
		r.addJoinPaths(j, b, a, query.JoinFull, sj, clauses)
		if len(j.paths) == 0 {
			fail(pgerr.New(pgerr.FeatureNotSupported, "FULL JOIN is only supported with merge-joinable or hash-joinable join conditions"))
		}
	case query.JoinSemi:
		r.populateSemi(a, b, j, sj, clauses)
	case query.JoinAnti:
		if a.dummy || constFalse(clauses, j, true) {
			r.markDummy(j)
			return
		}
		if constFalse(clauses, j, false) && b.relids.subsetOf(sj.synRight) {
			r.markDummy(b)
		}
		r.addJoinPaths(j, a, b, query.JoinAnti, sj, clauses)
	}
}

func (r *root) populateSemi(a, b, j *rel, sj *specialJoin, clauses []*restrict) {
	if sj.minLeft.subsetOf(a.relids) && sj.minRight.subsetOf(b.relids) {
		if a.dummy || b.dummy || constFalse(clauses, j, false) {
			r.markDummy(j)
			return
		}
		r.addJoinPaths(j, a, b, query.JoinSemi, sj, clauses)
	}
	if sj.synRight == b.relids && r.uniqueInnerPath(b, sj) != nil {
		if a.dummy || b.dummy || constFalse(clauses, j, false) {
			r.markDummy(j)
			return
		}
		r.addJoinPaths(j, a, b, query.JoinUniqueInner, sj, clauses)
		r.addJoinPaths(j, b, a, query.JoinUniqueOuter, sj, clauses)
	}
}

// constFalse: a condition is constant false or null (onlyPushed: one that is not the outer join's own).
func constFalse(clauses []*restrict, j *rel, onlyPushed bool) bool {
	for _, ri := range clauses {
		if onlyPushed && !ri.isPushed(j.relids) {
			continue
		}
		if isFalseConst(ri.clause) || isNullConst(ri.clause) {
			return true
		}
	}
	return false
}

func (ri *restrict) isPushed(join Relids) bool { return ri.pushedDown || !ri.required.subsetOf(join) }

func (r *root) markDummy(b *rel) {
	if b.dummy {
		return
	}
	b.dummy, b.rows = true, 0
	b.paths = nil
	addPath(b, &path{kind: pAppend, rel: b, target: b.target})
	r.setCheapest(b)
}

// joinRel finds or makes the relation of a join; clauses are the conditions to check for this pair of inputs.
func (r *root) joinRel(join Relids, a, b *rel, sj *specialJoin) (*rel, []*restrict) {
	if j := r.joinRels[join]; j != nil {
		return j, r.joinClauses(j, a, b)
	}
	j := &rel{kind: relJoin, relids: join, target: &pathTarget{}}
	j.considerStartup = r.tupleFraction > 0
	j.lateral = a.lateral.or(b.lateral).minus(join)
	j.directLateral = a.directLateral.or(b.directLateral).minus(join)
	r.joinTarget(j, a)
	r.joinTarget(j, b)
	clauses := r.joinClauses(j, a, b)
	for _, in := range []*rel{a, b} {
		for _, ri := range in.joinInfo {
			if !ri.required.subsetOf(join) && !containsRestrict(j.joinInfo, ri) {
				j.joinInfo = append(j.joinInfo, ri)
			}
		}
	}
	j.hasECJoins = r.ecJoinsBeyond(join)
	j.rows = r.joinSize(j, a, b, a.rows, b.rows, sj, clauses)
	r.joinRels[join] = j
	if r.joinLevels != nil {
		n := r.levelOf(join)
		r.joinLevels[n] = append(r.joinLevels[n], j)
	}
	return j, clauses
}

// levelOf counts the items of the current join problem in a set.
func (r *root) levelOf(join Relids) int {
	n := 0
	for _, i := range r.joinLevels[1] {
		if i.relids.subsetOf(join) {
			n++
		}
	}
	return n
}

func (r *root) ecJoinsBeyond(join Relids) bool {
	for _, ec := range r.ecs {
		if len(ec.members) > 1 && ec.relids.overlaps(join) && !ec.relids.subsetOf(join) {
			return true
		}
	}
	return false
}

func containsRestrict(list []*restrict, ri *restrict) bool {
	for _, x := range list {
		if x == ri {
			return true
		}
	}
	return false
}

// joinTarget keeps of an input's output what is needed above the join.
func (r *root) joinTarget(j, in *rel) {
	for _, e := range in.target.exprs {
		v, ok := e.(*query.Var)
		if !ok {
			j.target.exprs = append(j.target.exprs, e)
			continue
		}
		b := r.findBase(v.VarNo)
		if b.attrTop[v.AttNo] || !b.attrNeeded[v.AttNo].subsetOf(j.relids) {
			j.target.exprs = append(j.target.exprs, v)
			j.target.width += r.varWidth(b, v)
		}
	}
}

// joinClauses gives the conditions that become checkable at this join and are not checked in the inputs.
func (r *root) joinClauses(j, a, b *rel) (out []*restrict) {
	for _, in := range []*rel{a, b} {
		for _, ri := range in.joinInfo {
			if ri.required.subsetOf(j.relids) && !containsRestrict(out, ri) {
				out = append(out, ri)
			}
		}
	}
	return append(out, r.joinEqualities(j.relids, a.relids, b.relids)...)
}

// joinSize estimates a join's rows.
func (r *root) joinSize(j, a, b *rel, aRows, bRows float64, sj *specialJoin, clauses []*restrict) float64 {
	typ := sj.typ
	fk := 1.0
	clauses = r.foreignKeySelectivity(a, b, sj, clauses, &fk)
	sel := selArgs{typ: typ, sj: sj}
	jsel, psel := 0.0, 1.0
	if outerType(typ) {
		var join, pushed []*restrict
		for _, ri := range clauses {
			if ri.isPushed(j.relids) {
				pushed = append(pushed, ri)
			} else {
				join = append(join, ri)
			}
		}
		jsel, psel = r.listSelectivity(join, sel), r.listSelectivity(pushed, sel)
	} else {
		jsel = r.listSelectivity(clauses, sel)
	}
	n := 0.0
	switch typ {
	case query.JoinInner:
		n = aRows * bRows * fk * jsel
	case query.JoinLeft:
		n = max(aRows*bRows*fk*jsel, aRows) * psel
	case query.JoinFull:
		n = max(aRows*bRows*fk*jsel, aRows, bRows) * psel
	case query.JoinSemi:
		n = aRows * fk * jsel
	case query.JoinAnti:
		n = aRows * (1 - fk*jsel) * psel
	}
	return clampRows(n)
}

func outerType(t query.JoinType) bool {
	return t == query.JoinLeft || t == query.JoinFull || t == query.JoinRight || t == query.JoinAnti
}

// foreignKeySelectivity takes out clauses that match a whole foreign key and gives the key's selectivity instead.
func (r *root) foreignKeySelectivity(a, b *rel, sj *specialJoin, clauses []*restrict, fk *float64) []*restrict {
	for _, pair := range [][2]*rel{{a, b}, {b, a}} {
		pair[0].relids.each(func(i int) {
			from := r.rels[i]
			if from == nil || from.desc == nil {
				return
			}
			for _, c := range from.desc.FKs {
				pair[1].relids.each(func(k int) {
					to := r.rels[k]
					if to != nil && to.desc != nil && to.desc.OID == c.RefRel {
						clauses = r.applyFK(from, to, c.Keys, c.RefKeys, a, sj, clauses, fk)
					}
				})
			}
		})
	}
	return clauses
}

func (r *root) applyFK(from, to *rel, keys, refs []int16, outer *rel, sj *specialJoin, clauses []*restrict, fk *float64) []*restrict {
	semi := sj.typ == query.JoinSemi || sj.typ == query.JoinAnti
	refIsOuter := to.relids.subsetOf(outer.relids)
	if semi && refIsOuter {
		return clauses // the referenced side is not the inner one: no use
	}
	var rest []*restrict
	matched := make([]bool, len(keys))
	for _, ri := range clauses {
		if n := r.fkColumn(ri, from, to, keys, refs); n >= 0 {
			matched[n] = true
		} else {
			rest = append(rest, ri)
		}
	}
	for _, m := range matched {
		if !m {
			return clauses
		}
	}
	if semi {
		*fk *= to.rows / max(to.tuples, 1)
	} else {
		*fk *= 1 / max(to.tuples, 1)
	}
	return rest
}

func (r *root) fkColumn(ri *restrict, from, to *rel, keys, refs []int16) int {
	o, ok := ri.clause.(*query.OpExpr)
	if !ok || len(o.Args) != 2 || len(ri.families) == 0 {
		return -1
	}
	for n := range keys {
		for _, s := range [][2]int{{0, 1}, {1, 0}} {
			x, okX := stripRelabel(o.Args[s[0]]).(*query.Var)
			y, okY := stripRelabel(o.Args[s[1]]).(*query.Var)
			if okX && okY && x.VarNo == from.index && x.AttNo == keys[n] && y.VarNo == to.index && y.AttNo == refs[n] {
				return n
			}
		}
	}
	return -1
}
