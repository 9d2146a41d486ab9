package plan

import (
	"github.com/calfdb/calf/sql/query"
)

// pathkey is one column of a sort order. Path keys are canonical: equal ones are the same pointer (of one root).
type pathkey struct {
	ec         *eclass
	family     OID
	strategy   int16 // btLess or btGreater
	nullsFirst bool
}

func (r *root) canonicalKey(ec *eclass, family OID, strategy int16, nullsFirst bool) *pathkey {
	ec = ec.top()
	for _, k := range r.pathkeyCache {
		if k.ec.top() == ec && k.family == family && k.strategy == strategy && k.nullsFirst == nullsFirst {
			return k
		}
	}
	k := &pathkey{ec, family, strategy, nullsFirst}
	r.pathkeyCache = append(r.pathkeyCache, k)
	return k
}

// redundantKey: constant, or ordered by already.
func redundantKey(k *pathkey, keys []*pathkey) bool {
	if k.ec.hasConst && !k.ec.belowOuter {
		return true
	}
	for _, x := range keys {
		if x.ec == k.ec {
			return true
		}
	}
	return false
}

type keysCompare int8

const (
	keysEqual keysCompare = iota
	keysBetter1
	keysBetter2
	keysDifferent
)

// compareKeys: the longer of two orders of which one begins with the other is better.
func compareKeys(a, b []*pathkey) keysCompare {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] {
			return keysDifferent
		}
	}
	switch {
	case len(a) > len(b):
		return keysBetter1
	case len(b) > len(a):
		return keysBetter2
	}
	return keysEqual
}

// containedIn says whether `have` is ordered at least as `want` asks.
func containedIn(want, have []*pathkey) bool {
	c := compareKeys(want, have)
	return c == keysEqual || c == keysBetter2
}

// commonKeys counts the leading keys that both have.
func commonKeys(want, have []*pathkey) (n int, contained bool) {
	for n < len(want) && n < len(have) && want[n] == have[n] {
		n++
	}
	return n, n == len(want)
}

// cheapestForKeys finds the cheapest path with an order and a parameterisation within outer.
func cheapestForKeys(paths []*path, keys []*pathkey, outer Relids, byStartup bool) *path {
	var best *path
	for _, p := range paths {
		if best != nil && compareCosts(best, p, byStartup) <= 0 {
			continue
		}
		if containedIn(keys, p.keys) && p.requiredOuter().subsetOf(outer) {
			best = p
		}
	}
	return best
}

func (p *path) requiredOuter() Relids {
	if p.param == nil {
		return Relids{}
	}
	return p.param.outer
}

// keyFromSort makes the key of an expression sorted by a family's operator.
func (r *root) keyForExpr(e query.Expr, nullable Relids, family, typ, coll OID, reverse, nullsFirst bool, sortref uint32, create bool) *pathkey {
	strategy := int16(btLess)
	if reverse {
		strategy = btGreater
	}
	eq := r.g.amOp(family, typ, typ, btEqual)
	if eq == 0 {
		return nil
	}
	fams := r.g.mergeFamilies(eq)
	if len(fams) == 0 {
		return nil
	}
	ec := r.ecForSort(e, nullable, fams, typ, coll, sortref, create)
	if ec == nil {
		return nil
	}
	return r.canonicalKey(ec, family, strategy, nullsFirst)
}

// indexKeys gives the order that an index scan delivers, as far as it is of use to expressions that the planner knows.
func (r *root) indexKeys(ix *indexInfo, backward bool) (keys []*pathkey) {
	if !ix.btree {
		return nil
	}
	for i := 0; i < ix.nkeys; i++ {
		reverse, nullsFirst := ix.idx.Desc[i], ix.idx.NullsFirst[i]
		if backward {
			reverse, nullsFirst = !reverse, !nullsFirst
		}
		key := r.inParent(ix.keyExprs[i], ix.rel)
		if key == nil {
			break
		}
		k := r.keyForExpr(key, Relids{}, ix.idx.OpFamilies[i], ix.idx.OpcInTypes[i], ix.idx.Collations[i], reverse, nullsFirst, 0, false)
		if k == nil {
			if !r.boolConstColumn(ix, i) {
				break
			}
			continue
		}
		if !redundantKey(k, keys) {
			keys = append(keys, k)
		}
	}
	return keys
}

// boolConstColumn: a boolean index column that a condition fixes.
func (r *root) boolConstColumn(ix *indexInfo, col int) bool {
	if !boolFamily(ix.idx.OpFamilies[col]) {
		return false
	}
	for _, ri := range ix.rel.restricts {
		if matchBoolColumn(ri.clause, ix.keyExprs[col]) != nil {
			return true
		}
	}
	return false
}

// keysForSort makes the keys of ORDER BY, GROUP BY and the like.
func (r *root) keysForSort(list []*query.SortGroupClause, targets []*query.TargetEntry) []*pathkey {
	var keys []*pathkey
	for _, s := range list {
		e := targetByRef(targets, s.Ref).Expr
		fam, typ, strat, ok := r.g.orderingOp(s.SortOp)
		if !ok {
			continue
		}
		k := r.keyForExpr(e, r.nullable, fam, typ, e.Collation(), strat == btGreater, s.NullsFirst, s.Ref, true)
		if k != nil && !redundantKey(k, keys) {
			keys = append(keys, k)
		}
	}
	return keys
}

func targetByRef(targets []*query.TargetEntry, ref uint32) *query.TargetEntry {
	for _, t := range targets {
		if t.SortGroupRef == ref {
			return t
		}
	}
	panic(broken("ORDER/GROUP BY expression not found in targetlist"))
}

func sortable(list []*query.SortGroupClause) bool {
	for _, s := range list {
		if s.SortOp == 0 {
			return false
		}
	}
	return true
}

func hashable(list []*query.SortGroupClause) bool {
	for _, s := range list {
		if !s.Hashable {
			return false
		}
	}
	return true
}

// subqueryKeys translates the order of a subquery's path into keys of this level.
func (r *root) subqueryKeys(rel *rel, sub *path, subroot *root) (keys []*pathkey) {
	for _, k := range sub.keys {
		var best *pathkey
		bestScore := -1
		for _, m := range k.ec.top().members {
			if m.isConst {
				continue
			}
			for _, t := range subroot.processedTargets {
				if t.Junk || !equal(subroot.g.canonicalEC(t.Expr, m.typ, k.ec.coll), m.expr) {
					continue
				}
				v := makeVar(rel.index, int16(t.ResNo), t.Expr)
				if rel.attrNeeded[v.AttNo].empty() && !rel.attrTop[v.AttNo] {
					continue
				}
				ec := r.ecForSort(v, Relids{}, k.ec.families, m.typ, k.ec.coll, 0, false)
				if ec == nil {
					continue
				}
				nk := r.canonicalKey(ec, k.family, k.strategy, k.nullsFirst)
				score := len(ec.members) - 1
				if len(r.queryPathkeys) > len(keys) && r.queryPathkeys[len(keys)] == nk {
					score++
				}
				if score > bestScore {
					best, bestScore = nk, score
				}
			}
		}
		if best == nil {
			break
		}
		if !redundantKey(best, keys) {
			keys = append(keys, best)
		}
	}
	return keys
}

// usefulKeys cuts an order to what merge joins above or the query's own order can use.
func (r *root) usefulKeys(rel *rel, keys []*pathkey) []*pathkey {
	n := max(r.usefulForMerge(rel, keys), r.usefulForOrder(keys))
	return keys[:n]
}

func (r *root) usefulForOrder(keys []*pathkey) int {
	n, _ := commonKeys(r.queryPathkeys, keys)
	if n == 0 && len(r.groupPathkeys) > 0 { // any prefix order of the grouping keys
		m, _ := commonKeys(r.groupPathkeys, keys)
		return m
	}
	return n
}

func (r *root) usefulForMerge(rel *rel, keys []*pathkey) int {
	useful := 0
	for _, k := range keys {
		if rel.hasECJoins && r.ecUsefulForMerging(k.ec, rel) || r.keyInJoinInfo(rel, k) {
			useful++
			continue
		}
		break
	}
	return useful
}

func (r *root) ecUsefulForMerging(ec *eclass, rel *rel) bool {
	if ec.hasConst || len(ec.members) <= 1 || ec.relids.subsetOf(rel.relids) {
		return false
	}
	for _, m := range ec.members {
		if !m.relids.overlaps(rel.relids) {
			return true
		}
	}
	return false
}

func (r *root) keyInJoinInfo(rel *rel, k *pathkey) bool {
	for _, ri := range rel.joinInfo {
		if len(ri.families) == 0 || ri.leftEC == nil {
			continue
		}
		if k.ec == ri.leftEC.top() || k.ec == ri.rightEC.top() {
			return true
		}
	}
	return false
}

// hasUsefulKeys: whether orders of this relation can matter at all.
func (r *root) hasUsefulKeys(rel *rel) bool {
	return len(rel.joinInfo) > 0 || rel.hasECJoins || len(r.queryPathkeys) > 0
}

// mergeClausesFor picks, in the order of the outer path's keys, the merge clauses that it can serve.
func (r *root) mergeClausesFor(keys []*pathkey, clauses []*restrict) (out []*restrict) {
	for _, k := range keys {
		var match []*restrict
		for _, ri := range clauses {
			if k.ec == outerEC(ri) {
				match = append(match, ri)
			}
		}
		if len(match) == 0 {
			break
		}
		out = append(out, match...)
	}
	return out
}

func outerEC(ri *restrict) *eclass {
	if ri.outerIsLeft {
		return ri.leftEC.top()
	}
	return ri.rightEC.top()
}

func innerEC(ri *restrict) *eclass {
	if ri.outerIsLeft {
		return ri.rightEC.top()
	}
	return ri.leftEC.top()
}

// outerKeysForMerge chooses the order to sort the outer side by for a set of merge clauses, best first.
func (r *root) outerKeysForMerge(clauses []*restrict, join *rel) (keys []*pathkey) {
	var ecs []*eclass
	var scores []int
	for _, ri := range clauses {
		ec := outerEC(ri)
		if containsEC(ecs, ec) {
			continue
		}
		score := 0
		for _, m := range ec.members {
			if !m.isConst && !m.relids.overlaps(join.relids) {
				score++
			}
		}
		ecs, scores = append(ecs, ec), append(scores, score)
	}
	if n := len(r.queryPathkeys); n > 0 {
		all := true
		for _, k := range r.queryPathkeys {
			all = all && containsEC(ecs, k.ec)
		}
		if all {
			keys = append(keys, r.queryPathkeys...)
			for i, ec := range ecs {
				for _, k := range r.queryPathkeys {
					if k.ec == ec {
						scores[i] = -1
					}
				}
			}
		}
	}
	for {
		best := -1
		for i, s := range scores {
			if s >= 0 && (best < 0 || s > scores[best]) {
				best = i
			}
		}
		if best < 0 {
			return keys
		}
		scores[best] = -1
		k := r.canonicalKey(ecs[best], ecs[best].families[0], btLess, false)
		if !redundantKey(k, keys) {
			keys = append(keys, k)
		}
	}
}

func containsEC(ecs []*eclass, ec *eclass) bool {
	for _, e := range ecs {
		if e == ec {
			return true
		}
	}
	return false
}

// innerKeysForMerge gives the order that the inner side needs for clauses in the order of the outer keys.
func (r *root) innerKeysForMerge(clauses []*restrict, outer []*pathkey) (keys []*pathkey) {
	i := 0
	var ok *pathkey
	var lastO *eclass
	for _, ri := range clauses {
		o, in := outerEC(ri), innerEC(ri)
		if o != lastO {
			ok, lastO = outer[i], o
			i++
		}
		k := ok
		if in != o {
			k = r.canonicalKey(in, ok.family, ok.strategy, ok.nullsFirst)
		}
		if !redundantKey(k, keys) {
			keys = append(keys, k)
		}
	}
	return keys
}

// trimMergeClauses keeps the clauses that an inner path with these keys can serve.
func trimMergeClauses(clauses []*restrict, keys []*pathkey) (out []*restrict) {
	i, matched := 0, false
	for _, ri := range clauses {
		ec := innerEC(ri)
		if i < len(keys) && keys[i].ec != ec && matched {
			i, matched = i+1, false
		}
		if i >= len(keys) || keys[i].ec != ec {
			return out
		}
		matched = true
		out = append(out, ri)
	}
	return out
}

func (r *root) buildJoinKeys(join *rel, typ query.JoinType, outer []*pathkey) []*pathkey {
	if typ == query.JoinFull || typ == query.JoinRight {
		return nil
	}
	return r.usefulKeys(join, outer)
}
