package plan

import (
	"github.com/calfdb/calf/sql/query"
)

// uniqueInnerPath gives a path of a semi-join's right side without duplicates in the join columns, nil when that cannot be.
func (r *root) uniqueInnerPath(b *rel, sj *specialJoin) *path {
	if b.uniquePath != nil {
		return b.uniquePath
	}
	if !sj.semiCanBTree && !sj.semiCanHash {
		return nil
	}
	sub := b.cheapestTotal
	if sub.param != nil {
		return nil
	}
	p := &path{kind: pUnique, rel: b, target: b.target, param: sub.param, sub: sub, rows: b.rows,
		uniq: &uniquePath{how: 'h', ops: sj.semiOps, exprs: sj.semiRHS}}
	if r.provablyUnique(b, sj) {
		p.uniq.how = 'n'
		p.startup, p.total, p.keys, p.rows = sub.startup, sub.total, sub.keys, b.rows
		b.uniquePath = p
		return p
	}
	p.rows = r.estimateGroups(sj.semiRHS, b.rows)
	best := false
	n := len(sj.semiRHS)
	if sj.semiCanBTree {
		var s path
		r.costSort(&s, 0, sub.total, b.rows, sub.target.width, -1)
		s.total += r.g.set.CPUOperatorCost * b.rows * float64(n)
		p.uniq.how, p.startup, p.total, best = 's', s.startup, s.total, true
	}
	if sj.semiCanHash && (float64(sub.target.width)+64)*p.rows <= r.g.hashMem() {
		var a path
		r.costAgg(&a, AggHashed, nil, n, p.rows, nil, sub.startup, sub.total, b.rows, sub.target.width)
		if !best || a.total < p.total {
			p.uniq.how, p.startup, p.total, best = 'h', a.startup, a.total, true
		}
	}
	if !best {
		return nil
	}
	b.uniquePath = p
	return p
}

// provablyUnique: a unique index on the join columns, or a subquery that is distinct in them.
func (r *root) provablyUnique(b *rel, sj *specialJoin) bool {
	if b.kind != relBase {
		return false
	}
	var cols []int16
	for _, e := range sj.semiRHS {
		v, ok := e.(*query.Var)
		if !ok || v.VarNo != b.index {
			return false
		}
		cols = append(cols, v.AttNo)
	}
	if b.rtekind == query.RTERelation {
		for _, ix := range b.indexes {
			if ix.unique && ix.immediate && len(ix.pred) == 0 && r.indexCoveredBy(ix, cols, sj.semiOps) {
				return true
			}
		}
		return false
	}
	return b.rtekind == query.RTESubquery && r.g.distinctFor(b.rte.Subquery, cols, sj.semiOps)
}

func (r *root) indexCoveredBy(ix *indexInfo, cols []int16, ops []OID) bool {
	for c := 0; c < ix.nkeys; c++ {
		ok := false
		for i, col := range cols {
			if ix.idx.Keys[c] == col && r.g.opInFamily(ops[i], ix.idx.OpFamilies[c]) != nil {
				ok = true
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

// distinctFor: the subquery's output has no two rows equal in these columns.
func (g *glob) distinctFor(q *query.Query, cols []int16, ops []OID) bool {
	covers := func(list []*query.SortGroupClause) bool {
		for _, s := range list {
			t := targetByRef(q.Targets, s.Ref)
			if !g.columnIn(int16(t.ResNo), s.EqOp, cols, ops) {
				return false
			}
		}
		return true
	}
	if len(q.Distinct) > 0 && covers(q.Distinct) {
		return true
	}
	if q.HasTargetSRFs && len(q.Distinct) == 0 {
		return false
	}
	if len(q.GroupBy) > 0 && len(q.GroupingSets) == 0 {
		return covers(q.GroupBy)
	}
	if len(q.GroupingSets) > 0 {
		return false
	}
	if q.HasAggs || q.Having != nil {
		return true
	}
	if s, ok := q.SetOp.(*query.SetOperation); ok && !s.All {
		i := 0
		for _, t := range q.Targets {
			if t.Junk {
				continue
			}
			if i >= len(s.Groups) || !g.columnIn(int16(t.ResNo), s.Groups[i].EqOp, cols, ops) {
				return false
			}
			i++
		}
		return true
	}
	return false
}

func (g *glob) columnIn(col int16, eq OID, cols []int16, ops []OID) bool {
	for i, c := range cols {
		if c == col && g.equalitySameFamily(ops[i], eq) {
			return true
		}
	}
	return false
}

// innerIsUnique: no outer row has more than one match in the inner relation.
func (r *root) innerIsUnique(j, outer, inner *rel, typ query.JoinType, clauses []*restrict) bool {
	if inner.kind != relBase || len(clauses) == 0 {
		return false
	}
	switch inner.rtekind {
	case query.RTERelation:
		any := false
		for _, ix := range inner.indexes {
			any = any || ix.unique && ix.immediate
		}
		if !any {
			return false
		}
	case query.RTESubquery:
	default:
		return false
	}
	for _, s := range inner.uniqueFor {
		if s.subsetOf(outer.relids) {
			return true
		}
	}
	for _, s := range inner.nonUniqueFor {
		if outer.relids.subsetOf(s) {
			return false
		}
	}
	ok := r.distinctByClauses(j, outer, inner, typ, clauses)
	if ok {
		inner.uniqueFor = append(inner.uniqueFor, outer.relids)
	} else if r.joinLevels != nil {
		inner.nonUniqueFor = append(inner.nonUniqueFor, outer.relids)
	}
	return ok
}

func (r *root) distinctByClauses(j, outer, inner *rel, typ query.JoinType, clauses []*restrict) bool {
	var usable []*restrict
	for _, ri := range clauses {
		if outerType(typ) && ri.isPushed(j.relids) {
			continue
		}
		if ri.canJoin && len(ri.families) > 0 && r.orient(ri, outer, inner) {
			usable = append(usable, ri)
		}
	}
	if inner.rtekind == query.RTERelation {
		return r.uniqueIndexFor(inner, usable)
	}
	var cols []int16
	var ops []OID
	for _, ri := range usable {
		o := ri.clause.(*query.OpExpr)
		e := o.Args[1]
		if !ri.outerIsLeft {
			e = o.Args[0]
		}
		v, ok := stripRelabel(e).(*query.Var)
		if ok && v.VarNo == inner.index {
			cols, ops = append(cols, v.AttNo), append(ops, o.OpOID)
		}
	}
	return len(cols) > 0 && r.g.distinctFor(inner.rte.Subquery, cols, ops)
}

// uniqueIndexFor: a unique index all of whose columns are fixed by these clauses and by constants.
func (r *root) uniqueIndexFor(b *rel, clauses []*restrict) bool {
	for _, ri := range b.restricts {
		if o, ok := ri.clause.(*query.OpExpr); ok && len(o.Args) == 2 && len(ri.families) > 0 && (ri.left.empty() || ri.right.empty()) {
			c := *ri
			c.outerIsLeft = ri.left.empty()
			clauses = append(clauses, &c)
		}
	}
	if len(clauses) == 0 {
		return false
	}
	for _, ix := range b.indexes {
		if !ix.unique || !ix.immediate || len(ix.pred) > 0 && !ix.predOK {
			continue
		}
		all := true
		for c := 0; c < ix.nkeys && all; c++ {
			all = r.columnFixed(ix, c, clauses)
		}
		if all {
			return true
		}
	}
	return false
}

func (r *root) columnFixed(ix *indexInfo, c int, clauses []*restrict) bool {
	for _, ri := range clauses {
		o := ri.clause.(*query.OpExpr)
		e := o.Args[1]
		if !ri.outerIsLeft {
			e = o.Args[0]
		}
		if !equal(stripRelabel(e), stripRelabel(ix.keyExprs[c])) || !collationFits(ix.idx.Collations[c], o.InputColl) {
			continue
		}
		for _, f := range ri.families {
			if f == ix.idx.OpFamilies[c] {
				return true
			}
		}
	}
	return false
}
