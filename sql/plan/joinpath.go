package plan

import (
	"github.com/calfdb/calf/sql/query"
)

// addJoinPaths makes the paths of outer ⋈ inner in all ways.
func (r *root) addJoinPaths(j, outer, inner *rel, typ query.JoinType, sj *specialJoin, clauses []*restrict) {
	x := &joinExtra{typ: typ, sj: sj, restricts: clauses}
	switch typ {
	case query.JoinSemi, query.JoinAnti:
	case query.JoinUniqueInner:
		x.innerUnique = sj.minLeft.subsetOf(outer.relids)
	case query.JoinUniqueOuter:
		x.innerUnique = r.innerIsUnique(j, outer, inner, query.JoinInner, clauses)
	default:
		x.innerUnique = r.innerIsUnique(j, outer, inner, typ, clauses)
	}
	if r.g.set.EnableMergeJoin || typ == query.JoinFull {
		x.merge = r.mergeClauses(j, outer, inner, typ, clauses)
	}
	if typ == query.JoinSemi || typ == query.JoinAnti || x.innerUnique {
		r.semiFactors(j, outer, inner, x)
	}
	x.paramSource = r.paramSource(j, sj)
	if x.merge != nil {
		r.sortInnerAndOuter(j, outer, inner, x)
	}
	r.matchUnsortedOuter(j, outer, inner, x)
	if r.g.set.EnableHashJoin || typ == query.JoinFull {
		r.hashJoins(j, outer, inner, x)
	}
}

// paramSource: from where paths of this join may take parameters: not from what an outer join forbids to be joined that way.
func (r *root) paramSource(j *rel, _ *specialJoin) (s Relids) {
	for _, o := range r.specials {
		if j.relids.overlaps(o.minRight) && !j.relids.overlaps(o.minLeft) {
			s = s.or(r.allBase.minus(o.minRight))
		}
		if o.typ == query.JoinFull && j.relids.overlaps(o.minLeft) && !j.relids.overlaps(o.minRight) {
			s = s.or(r.allBase.minus(o.minLeft))
		}
	}
	return s.or(j.lateral)
}

// mergeClauses selects the conditions that a merge join can use, oriented; nil when a merge join is impossible.
func (r *root) mergeClauses(j, outer, inner *rel, typ query.JoinType, clauses []*restrict) []*restrict {
	out := []*restrict{}
	outerJoin := typ == query.JoinLeft || typ == query.JoinFull || typ == query.JoinRight || typ == query.JoinAnti
	nonMerge := false
	for _, ri := range clauses {
		if outerJoin && ri.isPushed(j.relids) {
			continue
		}
		if !ri.canJoin || len(ri.families) == 0 {
			if _, ok := ri.clause.(*query.Const); !ok { // a constant the join can check itself, so FULL JOIN ON false goes
				nonMerge = true
			}
			continue
		}
		if !r.orient(ri, outer, inner) {
			nonMerge = true
			continue
		}
		r.updateMergeECs(ri)
		if ri.leftEC.hasConst && !ri.leftEC.belowOuter || ri.rightEC.hasConst && !ri.rightEC.belowOuter {
			nonMerge = true
			continue
		}
		out = append(out, ri)
	}
	if nonMerge && (typ == query.JoinRight || typ == query.JoinFull) {
		return nil
	}
	return out
}

func (r *root) updateMergeECs(ri *restrict) {
	if ri.leftEC == nil {
		r.initMergeECs(ri)
	}
	ri.leftEC, ri.rightEC = ri.leftEC.top(), ri.rightEC.top()
}

// orient notes which side of the clause is the outer one; false when it fits neither way.
func (r *root) orient(ri *restrict, outer, inner *rel) bool {
	switch {
	case ri.left.subsetOf(outer.relids) && ri.right.subsetOf(inner.relids):
		ri.outerIsLeft = true
	case ri.left.subsetOf(inner.relids) && ri.right.subsetOf(outer.relids):
		ri.outerIsLeft = false
	default:
		return false
	}
	return true
}

// sortInnerAndOuter makes merge joins that sort both inputs, in each useful order.
func (r *root) sortInnerAndOuter(j, outer, inner *rel, x *joinExtra) {
	op, ip := outer.cheapestTotal, inner.cheapestTotal
	if op.requiredOuter().overlaps(inner.relids) || ip.requiredOuter().overlaps(outer.relids) {
		return
	}
	typ := x.typ
	switch typ {
	case query.JoinUniqueOuter:
		op, typ = r.uniqueInnerPath(outer, x.sj), query.JoinInner
	case query.JoinUniqueInner:
		ip, typ = r.uniqueInnerPath(inner, x.sj), query.JoinInner
	}
	all := r.outerKeysForMerge(x.merge, j)
	for i := range all {
		keys := all
		if i > 0 {
			keys = append([]*pathkey{all[i]}, append(append([]*pathkey(nil), all[:i]...), all[i+1:]...)...)
		}
		clauses := r.mergeClausesFor(keys, x.merge)
		in := r.innerKeysForMerge(clauses, keys)
		r.tryMerge(j, op, ip, r.buildJoinKeys(j, typ, keys), clauses, keys, in, typ, x)
	}
}

// matchUnsortedOuter makes nested loops, and merge joins that use the outer path's own order.
func (r *root) matchUnsortedOuter(j, outer, inner *rel, x *joinExtra) {
	typ := x.typ
	nestOK := true
	switch typ {
	case query.JoinRight, query.JoinFull:
		nestOK = false
	case query.JoinUniqueOuter, query.JoinUniqueInner:
		typ = query.JoinInner
	}
	if !nestOK && x.merge == nil {
		return
	}
	it := inner.cheapestTotal
	if it.requiredOuter().overlaps(outer.relids) {
		it = nil
	}
	var mat *path
	switch {
	case x.typ == query.JoinUniqueInner:
		if it = r.uniqueInnerPath(inner, x.sj); it == nil {
			return
		}
	case nestOK && it != nil && r.g.set.EnableMaterial && !materializing(it):
		mat = r.materialPath(it)
	}
	for _, op := range outer.paths {
		if op.requiredOuter().overlaps(inner.relids) {
			continue
		}
		if x.typ == query.JoinUniqueOuter {
			if op != outer.cheapestTotal {
				continue
			}
			op = r.uniqueInnerPath(outer, x.sj)
		}
		keys := r.buildJoinKeys(j, typ, op.keys)
		switch {
		case x.typ == query.JoinUniqueInner:
			r.tryNestLoop(j, op, it, keys, typ, x)
		case nestOK:
			for _, ip := range inner.cheapestParam {
				r.tryNestLoop(j, op, ip, keys, typ, x)
				if m := r.memoizeInner(inner, outer, ip, op, typ, x); m != nil {
					r.tryNestLoop(j, op, m, keys, typ, x)
				}
			}
			if mat != nil {
				r.tryNestLoop(j, op, mat, keys, typ, x)
			}
		}
		if x.typ == query.JoinUniqueOuter || it == nil || x.merge == nil {
			continue
		}
		r.mergeOuterOrder(j, op, inner, it, keys, typ, x)
	}
}

// materializing: its output is kept anyway.
func materializing(p *path) bool {
	switch p.kind {
	case pMaterial, pFunction, pTableFunc, pCTE, pNamedTuplestore, pWorkTable, pSort:
		return true
	}
	return false
}

func (r *root) materialPath(sub *path) *path {
	p := &path{kind: pMaterial, rel: sub.rel, target: sub.target, param: sub.param, keys: sub.keys, sub: sub}
	r.costMaterial(p, sub.startup, sub.total, sub.rows, sub.target.width)
	return p
}

// mergeOuterOrder makes merge joins over an outer path's order: with the inner sorted, and with inner paths that have the order.
func (r *root) mergeOuterOrder(j *rel, op *path, inner *rel, it *path, keys []*pathkey, typ query.JoinType, x *joinExtra) {
	clauses := r.mergeClausesFor(op.keys, x.merge)
	if len(clauses) == 0 {
		if typ != query.JoinFull || len(x.merge) > 0 {
			return
		}
	}
	if (typ == query.JoinRight || typ == query.JoinFull) && len(clauses) != len(x.merge) {
		return
	}
	in := r.innerKeysForMerge(clauses, op.keys)
	r.tryMerge(j, op, it, keys, clauses, nil, in, typ, x)
	if x.typ == query.JoinUniqueInner {
		return
	}
	var seen *path
	n := len(in)
	useAll := typ == query.JoinRight || typ == query.JoinFull
	for cnt := n; cnt > 0; cnt-- {
		want := in[:cnt]
		for _, byStartup := range []bool{false, true} {
			ip := cheapestForKeys(inner.paths, want, Relids{}, byStartup)
			if ip == nil || ip == seen || byStartup && ip.param != nil {
				continue
			}
			seen = ip
			cl := clauses
			if cnt < n {
				if cl = trimMergeClauses(clauses, want); len(cl) == 0 {
					continue
				}
			}
			r.tryMerge(j, op, ip, keys, cl, nil, nil, typ, x)
		}
		if useAll {
			return
		}
	}
}

// joinOuter is what a join of two parameterised paths still needs.
func joinOuter(o, in *path, nest bool) Relids {
	need := o.requiredOuter().or(in.requiredOuter())
	if nest {
		need = o.requiredOuter().or(in.requiredOuter().minus(o.rel.relids))
	}
	return need
}

// allowStarSchema: the inner path's parameters come in part from the outer relation, the rest stays a parameter.
func allowStarSchema(outer, inner Relids) bool {
	return inner.overlaps(outer) && !inner.subsetOf(outer)
}

func (r *root) tryNestLoop(j *rel, o, in *path, keys []*pathkey, typ query.JoinType, x *joinExtra) {
	need := joinOuter(o, in, true)
	inParam := in.requiredOuter()
	if !need.empty() && (!need.overlaps(x.paramSource) && !allowStarSchema(o.rel.relids, inParam)) {
		return
	}
	if !r.nestLoopWorthIt(j, o, in, keys, need) {
		return
	}
	p := &path{kind: pNestLoop, rel: j, target: j.target, param: r.joinParam(j, need), keys: keys,
		join: &joinPath{typ: typ, outer: o, inner: in, innerUnique: x.innerUnique}}
	p.join.restricts = x.restricts
	if inParam.overlaps(o.rel.relids) { // what the inner path checks already is left out
		p.join.restricts = nil
		all := in.rel.relids.or(inParam)
		for _, ri := range x.restricts {
			if !r.canMoveInto(ri, in.rel.relids, all) {
				p.join.restricts = append(p.join.restricts, ri)
			}
		}
	}
	r.addJoinParamClauses(p, need)
	y := *x
	y.typ = typ
	r.costNestLoop(p, &y)
	addPath(j, p)
}

// nestLoopWorthIt: a lower bound of the cost is compared with what there is, before the path is costed in full.
func (r *root) nestLoopWorthIt(j *rel, o, in *path, keys []*pathkey, need Relids) bool {
	startup := o.startup + in.startup
	return worthTrying(j, startup, startup+o.total-o.startup, keys, need)
}

func (r *root) tryMerge(j *rel, o, in *path, keys []*pathkey, clauses []*restrict, osort, isort []*pathkey, typ query.JoinType, x *joinExtra) {
	need := joinOuter(o, in, false)
	if !need.empty() && !need.overlaps(x.paramSource) {
		return
	}
	if containedIn(osort, o.keys) {
		osort = nil
	}
	if containedIn(isort, in.keys) {
		isort = nil
	}
	p := &path{kind: pMergeJoin, rel: j, target: j.target, param: r.joinParam(j, need), keys: keys,
		join: &joinPath{typ: typ, outer: o, inner: in, innerUnique: x.innerUnique, restricts: x.restricts, merge: clauses, outerSort: osort,
			innerSort: isort}}
	r.addJoinParamClauses(p, need)
	y := *x
	y.typ = typ
	r.costMergeJoin(p, &y)
	if worthTrying(j, p.startup, p.total, keys, need) {
		addPath(j, p)
	}
}

// hashJoins makes hash joins with the cheapest inputs.
func (r *root) hashJoins(j, outer, inner *rel, x *joinExtra) {
	var clauses []*restrict
	outerJoin := x.typ == query.JoinLeft || x.typ == query.JoinFull || x.typ == query.JoinRight || x.typ == query.JoinAnti
	for _, ri := range x.restricts {
		if outerJoin && ri.isPushed(j.relids) || !ri.canJoin || ri.hashOp == 0 || !r.orient(ri, outer, inner) {
			continue
		}
		clauses = append(clauses, ri)
	}
	if len(clauses) == 0 {
		return
	}
	os, ot, it := outer.cheapestStartup, outer.cheapestTotal, inner.cheapestTotal
	if ot.requiredOuter().overlaps(inner.relids) || it.requiredOuter().overlaps(outer.relids) {
		return
	}
	switch x.typ {
	case query.JoinUniqueOuter:
		r.tryHash(j, r.uniqueInnerPath(outer, x.sj), it, clauses, query.JoinInner, x)
		return
	case query.JoinUniqueInner:
		it = r.uniqueInnerPath(inner, x.sj)
		r.tryHash(j, ot, it, clauses, query.JoinInner, x)
		if os != nil && os != ot {
			r.tryHash(j, os, it, clauses, query.JoinInner, x)
		}
		return
	}
	if os != nil {
		r.tryHash(j, os, it, clauses, x.typ, x)
	}
	for _, o := range outer.cheapestParam {
		if o.requiredOuter().overlaps(inner.relids) {
			continue
		}
		for _, in := range inner.cheapestParam {
			if in.requiredOuter().overlaps(outer.relids) || o == os && in == it {
				continue
			}
			r.tryHash(j, o, in, clauses, x.typ, x)
		}
	}
}

func (r *root) tryHash(j *rel, o, in *path, clauses []*restrict, typ query.JoinType, x *joinExtra) {
	need := joinOuter(o, in, false)
	if !need.empty() && !need.overlaps(x.paramSource) {
		return
	}
	p := &path{kind: pHashJoin, rel: j, target: j.target, param: r.joinParam(j, need),
		join: &joinPath{typ: typ, outer: o, inner: in, innerUnique: x.innerUnique, restricts: x.restricts, hash: clauses}}
	r.addJoinParamClauses(p, need)
	y := *x
	y.typ = typ
	r.costHashJoin(p, &y)
	if worthTrying(j, p.startup, p.total, nil, need) {
		addPath(j, p)
	}
}

// joinParam finds or makes the parameterisation of a join relation.
func (r *root) joinParam(j *rel, outer Relids) *paramInfo {
	if outer.empty() {
		return nil
	}
	for _, p := range j.paramInfos {
		if p.outer == outer {
			return p
		}
	}
	p := &paramInfo{outer: outer}
	all := j.relids.or(outer)
	for _, ri := range j.joinInfo {
		if r.canMoveInto(ri, j.relids, all) {
			p.clauses = append(p.clauses, ri)
		}
	}
	p.clauses = append(p.clauses, r.joinEqualities(all, outer, j.relids)...)
	p.rows = min(clampRows(j.rows*r.listSelectivity(p.clauses, selArgs{})), j.rows)
	j.paramInfos = append(j.paramInfos, p)
	return p
}

// addJoinParamClauses adds the conditions that a parameterised join must check itself: movable to it, but to neither input.
func (r *root) addJoinParamClauses(p *path, need Relids) {
	if p.param == nil {
		return
	}
	o, in := p.join.outer, p.join.inner
	oAll, iAll := o.rel.relids.or(o.requiredOuter()), in.rel.relids.or(in.requiredOuter())
	all := p.rel.relids.or(need)
	out := append([]*restrict(nil), p.join.restricts...)
	for _, ri := range p.rel.joinInfo {
		if r.canMoveInto(ri, p.rel.relids, all) && !r.canMoveInto(ri, o.rel.relids, oAll) && !r.canMoveInto(ri, in.rel.relids, iAll) {
			out = append(out, ri)
		}
	}
	var dropped []*eclass
	for _, ri := range r.joinEqualities(all, need, p.rel.relids) {
		switch {
		case r.canMoveInto(ri, o.rel.relids, oAll):
		case r.canMoveInto(ri, in.rel.relids, iAll):
			dropped = append(dropped, ri.leftEC)
		default:
			out = append(out, ri)
		}
	}
	// Of a class with members in the outer input, in the inner one and in what is needed from outside, the inner input may check that its member equals
	// the outer input's, or that it equals the one from outside: which, can't be seen from here. In the second case nothing ties the outer input's to the
	// others yet, so that is checked here.
	oNeed := o.rel.relids.or(need)
	for _, ec := range dropped {
		for _, ri := range r.joinEqualitiesOf(ec.top(), oNeed, need, o.rel.relids) {
			if !r.canMoveInto(ri, o.rel.relids, oAll) {
				out = append(out, ri)
			}
		}
	}
	p.join.restricts = out
}

// memoizeInner puts a cache over a parameterised inner path when its parameters are hashable.
func (r *root) memoizeInner(inner, outer *rel, ip, op *path, typ query.JoinType, x *joinExtra) *path {
	if !r.g.set.EnableMemoize || op.rel.rows < 2 || ip.param == nil && inner.lateral.empty() {
		return nil
	}
	if !x.innerUnique && (typ == query.JoinSemi || typ == query.JoinAnti) {
		return nil
	}
	if x.innerUnique && (ip.param == nil || len(ip.param.clauses) < len(x.restricts)) {
		return nil
	}
	if r.g.volatileAny(inner.target.exprs) {
		return nil
	}
	for _, ri := range inner.restricts {
		if r.g.volatile(ri.clause) {
			return nil
		}
	}
	m := &memoPath{singleRow: x.innerUnique, calls: op.rows}
	if ip.param != nil {
		for _, ri := range ip.param.clauses {
			o, ok := ri.clause.(*query.OpExpr)
			if !ok || len(o.Args) != 2 || !r.orient(ri, outer, inner) {
				return nil
			}
			key, op := o.Args[0], ri.memoLeft
			if !ri.outerIsLeft {
				key, op = o.Args[1], ri.memoRight
			}
			if op == 0 {
				return nil
			}
			m.keys, m.ops = append(m.keys, key), append(m.ops, op)
			if ri.hashOp == 0 {
				m.binary = true
			}
		}
	}
	for _, v := range inner.lateralVars {
		op := r.g.memoEquality(v.Type())
		if op == 0 {
			return nil
		}
		m.keys, m.ops, m.binary = append(m.keys, v), append(m.ops, op), true
	}
	if len(m.keys) == 0 {
		return nil
	}
	p := &path{kind: pMemoize, rel: inner, target: ip.target, param: ip.param, keys: ip.keys, sub: ip, memo: m, rows: ip.rows}
	p.startup, p.total = ip.startup+r.g.set.CPUTupleCost, ip.total+r.g.set.CPUTupleCost
	return p
}
