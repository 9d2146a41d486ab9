package plan

import (
	"github.com/calfdb/calf/sql/query"
)

// scanNode makes the node of a base relation's path.
func (r *root) scanNode(p *path, need tlistNeed) Node {
	list := p.rel.restricts
	if p.kind == pIndexScan || p.kind == pIndexOnlyScan {
		list = p.index.restricts
	}
	list = append([]*restrict(nil), list...)
	if p.param != nil {
		list = append(list, p.param.clauses...)
	}
	_, once := r.orderRestricts(list)
	s := Scan{Plan: r.base(p), RTIndex: p.rel.index}
	if ts := r.physicalTargets(p, need); ts != nil && len(once) == 0 {
		s.Targets = ts
	}
	n := r.scanOf(p, s, list)
	return r.gate(n, once, p, need)
}

// physicalTargets is the list of all columns of the table or subquery, which needs no projection; nil when the path's own list is wanted.
func (r *root) physicalTargets(p *path, need tlistNeed) []*query.TargetEntry {
	if need&(needExact|needSmall) != 0 || p.rel.kind != relBase || p.kind == pIndexOnlyScan || p.kind == pResult {
		return nil
	}
	for _, e := range p.target.exprs {
		v, ok := e.(*query.Var)
		if !ok {
			return nil
		}
		if v.AttNo <= 0 || p.rel.attrNeeded[v.AttNo] == (Relids{}) && !p.rel.attrTop[v.AttNo] {
			return nil
		}
	}
	ts := r.allColumns(p)
	if need&needLabel != 0 && ts != nil {
		for i, e := range p.target.exprs {
			if ref := p.target.ref(i); ref != 0 {
				t := ts[e.(*query.Var).AttNo-1]
				if t.SortGroupRef != 0 {
					return nil
				}
				t.SortGroupRef = ref
			}
		}
	}
	return ts
}

// allColumns lists the columns of a table or subquery as they come; nil when that is no list of Vars, or costs more than to pass nothing on.
func (r *root) allColumns(p *path) (ts []*query.TargetEntry) {
	if p.kind == pSubquery {
		for i, t := range p.rel.rte.Subquery.Targets {
			v := &query.Var{VarNo: p.rel.index, AttNo: int16(i + 1), TypeOID: t.Expr.Type(), Mod: t.Expr.TypMod(), Coll: t.Expr.Collation(), Loc: -1,
				SynNo: p.rel.index, SynAttNo: int16(i + 1)}
			ts = append(ts, &query.TargetEntry{Expr: v, ResNo: i + 1, Junk: t.Junk})
		}
		return ts
	}
	if p.rel.desc == nil || len(p.target.exprs) == 0 {
		return nil
	}
	for i := range p.rel.desc.Desc.Attrs {
		a := &p.rel.desc.Desc.Attrs[i]
		if a.Dropped || a.HasMissing {
			return nil
		}
		ts = append(ts, &query.TargetEntry{Expr: r.columnVar(p.rel, a.Num), ResNo: i + 1})
	}
	return ts
}

func (r *root) scanOf(p *path, s Scan, list []*restrict) Node {
	quals, _ := r.orderRestricts(list)
	quals = r.nestParamsList(quals)
	s.Quals = quals
	e := p.rel.rte
	switch p.kind {
	case pSeqScan:
		return &SeqScan{s}
	case pIndexScan, pIndexOnlyScan:
		return r.indexNode(p, s, list)
	case pBitmapHeap:
		return r.bitmapNode(p, s, list)
	case pTID:
		return r.tidNode(p, s, list)
	case pTIDRange:
		s.Quals = r.nestParamsList(r.without(list, p.tidClauses))
		return &TIDRangeScan{Scan: s, RangeQuals: r.nestParamsList(p.quals)}
	case pSubquery:
		r.subqueryParams(p.rel.subparams)
		return &SubqueryScan{Scan: s, Subplan: p.rel.subroot.createPlan(p.sub)}
	case pFunction:
		n := &FunctionScan{Scan: s, Ordinality: e.WithOrdinality}
		for _, f := range e.Functions {
			c := *f
			c.Expr = r.nestParams(f.Expr)
			n.Functions = append(n.Functions, &c)
		}
		return n
	case pValues:
		n := &ValuesScan{Scan: s}
		for _, row := range e.Values {
			n.Rows = append(n.Rows, r.nestParamsList(row))
		}
		return n
	case pCTE:
		st, _ := r.findCTE(e)
		return &CTEScan{Scan: s, PlanID: st.planID, Param: st.param}
	case pWorkTable:
		return &WorkTableScan{Scan: s, Param: r.recursionRoot(e).wtParam}
	case pNamedTuplestore:
		return &NamedTuplestoreScan{Scan: s, Name: e.ENRName}
	}
	return &Result{Plan: s.Plan, ConstQuals: quals}
}

// without orders the conditions that are not among some others.
func (r *root) without(list, drop []*restrict) []query.Expr {
	var keep []*restrict
	for _, ri := range list {
		if !containsRestrict(drop, ri) {
			keep = append(keep, ri)
		}
	}
	quals, _ := r.orderRestricts(keep)
	return quals
}

func (r *root) tidNode(p *path, s Scan, list []*restrict) Node {
	s.Quals = r.nestParamsList(r.without(list, p.tidClauses))
	// With several alternatives the whole OR is checked as well unless it is nothing but them.
	if c := p.tidClauses[0]; c.or != nil {
		for _, arm := range c.or {
			if len(arm) > 1 {
				s.Quals = append(s.Quals, r.nestParams(c.clause))
				break
			}
		}
	}
	return &TIDScan{Scan: s, TIDQuals: r.nestParamsList(p.quals)}
}

// indexNode makes an index or index-only scan.
func (r *root) indexNode(p *path, s Scan, list []*restrict) Node {
	ix := p.index
	orig := indexQualExprs(p.clauses)
	var keep []*restrict
	for _, ri := range list {
		if ri.pseudoconst || redundantWithIndex(ri, p.clauses) {
			continue
		}
		if !r.g.mutable(ri.clause) && r.g.impliesAll([]query.Expr{ri.clause}, orig) {
			continue
		}
		keep = append(keep, ri)
	}
	quals, _ := r.orderRestricts(keep)
	s.Quals = r.nestParamsList(quals)
	dir := Forward
	if p.backward {
		dir = Backward
	}
	orig = r.nestParamsList(orig)
	iq := r.indexForm(ix, p.clauses)
	if p.kind == pIndexOnlyScan {
		return &IndexOnlyScan{Scan: s, IndexOID: ix.idx.OID, IndexQuals: iq, Recheck: orig, IndexTargets: ix.targets, Direction: dir}
	}
	return &IndexScan{Scan: s, IndexOID: ix.idx.OID, IndexQuals: iq, OrigQuals: orig, Direction: dir}
}

func indexQualExprs(clauses []*indexClause) (out []query.Expr) {
	for _, c := range clauses {
		for _, q := range c.quals {
			out = append(out, q.clause)
		}
	}
	return out
}

// indexForm gives index conditions with the indexed column as an index Var on the left.
func (r *root) indexForm(ix *indexInfo, clauses []*indexClause) (out []query.Expr) {
	for _, c := range clauses {
		for _, q := range c.quals {
			out = append(out, r.indexQual(ix, c.col, r.nestParams(q.clause)))
		}
	}
	return out
}

func indexVar(ix *indexInfo, col int) *query.Var {
	k := ix.keyExprs[col]
	return &query.Var{VarNo: query.IndexVar, AttNo: int16(col + 1), TypeOID: k.Type(), Mod: k.TypMod(), Coll: k.Collation(), Loc: -1}
}

func (r *root) indexQual(ix *indexInfo, col int, e query.Expr) query.Expr {
	v := indexVar(ix, col)
	switch e := e.(type) {
	case *query.OpExpr:
		c := *e
		c.Args = []query.Expr{v, e.Args[1]}
		return &c
	case *query.ScalarArrayOpExpr:
		c := *e
		c.Left = v
		return &c
	case *query.NullTest:
		c := *e
		c.Arg = v
		return &c
	case *query.RowCompareExpr:
		c := *e
		c.Left = nil
		for i := range e.Left {
			c.Left = append(c.Left, indexVar(ix, col+i))
		}
		return &c
	}
	panic(broken("unknown index condition"))
}

// bitmapNode makes a bitmap heap scan; what the bitmap checks exactly is only a recheck condition.
func (r *root) bitmapNode(p *path, s Scan, list []*restrict) Node {
	sub, orig, used := r.bitmapSource(p.bitmapQual)
	var keep []*restrict
	for _, ri := range list {
		if ri.pseudoconst || member(used, ri.clause) || r.usedEC(p.bitmapQual, ri) {
			continue
		}
		if !r.g.mutable(ri.clause) && r.g.impliesAll([]query.Expr{ri.clause}, used) {
			continue
		}
		keep = append(keep, ri)
	}
	quals, _ := r.orderRestricts(keep)
	s.Quals = r.nestParamsList(quals)
	n := &BitmapHeapScan{Scan: s, OrigQuals: r.nestParamsList(orig)}
	n.Left = sub
	return n
}

// usedEC: a condition from the same class is checked by the bitmap.
func (r *root) usedEC(p *path, ri *restrict) bool {
	if ri.parentEC == nil {
		return false
	}
	if p.kind == pBitmapOr {
		return false
	}
	if p.kind == pBitmapAnd {
		for _, s := range p.subs {
			if r.usedEC(s, ri) {
				return true
			}
		}
		return false
	}
	for _, c := range p.clauses {
		if c.ri.parentEC == ri.parentEC {
			return true
		}
	}
	return false
}

// bitmapSource makes the nodes that give a bitmap; orig are the conditions to recheck, used those that hold for all its rows.
func (r *root) bitmapSource(p *path) (n Node, orig, used []query.Expr) {
	b := Plan{StartupCost: p.startup, TotalCost: p.total, Rows: clampRows(p.indexSel * p.rel.tuples)}
	switch p.kind {
	case pBitmapAnd:
		a := &BitmapAnd{Plan: b}
		for _, s := range p.subs {
			c, o, u := r.bitmapSource(s)
			a.Children = append(a.Children, c)
			orig, used = appendNew(orig, o), appendNew(used, u)
		}
		return a, orig, used
	case pBitmapOr:
		o := &BitmapOr{Plan: b}
		var arms, usedArms []query.Expr
		always := false
		for _, s := range p.subs {
			c, q, u := r.bitmapSource(s)
			o.Children = append(o.Children, c)
			always = always || len(q) == 0
			arms, usedArms = append(arms, makeAnd(q)), append(usedArms, makeAnd(u))
		}
		if len(o.Children) == 1 {
			return o.Children[0], implicitAnd(arms[0]), implicitAnd(usedArms[0])
		}
		if always {
			return o, nil, nil
		}
		return o, []query.Expr{makeOr(arms)}, []query.Expr{makeOr(usedArms)}
	}
	ix := p.index
	q := indexQualExprs(p.clauses)
	b.StartupCost, b.TotalCost = 0, p.indexTotal
	b.Rows = clampRows(p.indexSel * p.rel.tuples)
	n = &BitmapIndexScan{Scan: Scan{Plan: b, RTIndex: p.rel.index}, IndexOID: ix.idx.OID, IndexQuals: r.indexForm(ix, p.clauses),
		OrigQuals: r.nestParamsList(q)}
	used = q
	for _, e := range ix.pred {
		if !r.g.impliesAll([]query.Expr{e}, used) {
			used = append(used[:len(used):len(used)], e)
		}
	}
	return n, used, used
}

func appendNew(list, more []query.Expr) []query.Expr {
	for _, e := range more {
		if !member(list, e) {
			list = append(list, e)
		}
	}
	return list
}
