package plan

import "github.com/calfdb/calf/sql/query"

// joinNode makes the node of a join path.
func (r *root) joinNode(p *path) Node {
	var n Node
	_, once := r.orderRestricts(p.join.restricts)
	switch p.kind {
	case pNestLoop:
		n = r.nestLoopNode(p)
	case pMergeJoin:
		n = r.mergeNode(p)
	default:
		n = r.hashNode(p)
	}
	return r.gate(n, once, p, 0)
}

// joinQuals splits a join's conditions into those of the join and those above it.
func (r *root) joinQuals(p *path) (join, other []query.Expr) {
	quals := p.join.restricts
	if outerType(p.join.typ) {
		var j, o []*restrict
		for _, ri := range quals {
			if ri.isPushed(p.rel.relids) {
				o = append(o, ri)
			} else {
				j = append(j, ri)
			}
		}
		join, _ = r.orderRestricts(j)
		other, _ = r.orderRestricts(o)
		return join, other
	}
	join, _ = r.orderRestricts(quals)
	return join, nil
}

func (r *root) joinBase(p *path, join, other []query.Expr) Join {
	b := r.base(p)
	if p.param != nil {
		join, other = r.nestParamsList(join), r.nestParamsList(other)
	}
	b.Quals = other
	return Join{Plan: b, Type: p.join.typ, InnerUnique: p.join.innerUnique, JoinQuals: join}
}

func (r *root) nestLoopNode(p *path) Node {
	left := r.node(p.join.outer, 0)
	saved := r.curOuterRels
	r.curOuterRels = saved.or(p.join.outer.rel.relids)
	right := r.node(p.join.inner, 0)
	r.curOuterRels = saved
	params := r.takeParams(p.join.outer.rel.relids)
	join, other := r.joinQuals(p)
	n := &NestLoop{Join: r.joinBase(p, join, other), Params: params}
	n.Left, n.Right = left, right
	r.ensureColumns(n)
	return n
}

// ensureColumns makes the outer input deliver what the params read.
func (r *root) ensureColumns(n *NestLoop) {
	var need []query.Expr
	for _, p := range n.Params {
		need = append(need, p.Value)
	}
	n.Left = r.withColumns(n.Left, need)
}

// switched orients equality clauses: the outer side on the left.
func (r *root) switched(list []*restrict, outer Relids) (out []query.Expr) {
	for _, ri := range list {
		o := ri.clause.(*query.OpExpr)
		if ri.right.subsetOf(outer) {
			c := r.g.commute(o)
			if c == nil {
				panic(broken("join operator without commutator"))
			}
			o = c
		}
		out = append(out, o)
	}
	return out
}

func difference(list []query.Expr, drop []*restrict) (out []query.Expr) {
	for _, e := range list {
		found := false
		for _, ri := range drop {
			found = found || equal(ri.clause, e)
		}
		if !found {
			out = append(out, e)
		}
	}
	return out
}

func (r *root) hashNode(p *path) Node {
	j := p.join
	need := tlistNeed(0)
	if j.batches > 1 {
		need = needSmall
	}
	left := r.node(j.outer, need)
	right := r.node(j.inner, needSmall)
	join, other := r.joinQuals(p)
	join = difference(join, j.hash)
	clauses := r.switched(j.hash, j.outer.rel.relids)
	if p.param != nil {
		clauses = r.nestParamsList(clauses)
	}
	n := &HashJoin{Join: r.joinBase(p, join, other), HashClauses: clauses}
	h := &Hash{}
	rb := right.Base()
	h.Plan = Plan{StartupCost: rb.TotalCost, TotalCost: rb.TotalCost, Rows: rb.Rows, Width: rb.Width, Targets: rb.Targets, Left: right}
	for _, c := range clauses {
		o := c.(*query.OpExpr)
		n.HashOps, n.Collations = append(n.HashOps, o.OpOID), append(n.Collations, o.InputColl)
		n.HashKeys, h.Keys = append(n.HashKeys, o.Args[0]), append(h.Keys, o.Args[1])
	}
	if len(clauses) == 1 {
		if v, ok := stripRelabel(n.HashKeys[0]).(*query.Var); ok && v.VarNo > 0 {
			if e := r.rte(v.VarNo); e.Kind == query.RTERelation {
				h.SkewTable, h.SkewCol = e.RelOID, v.AttNo
			}
		}
	}
	n.Left, n.Right = left, h
	return n
}

func (r *root) mergeNode(p *path) Node {
	j := p.join
	need := func(keys []*pathkey) tlistNeed {
		if len(keys) > 0 {
			return needSmall
		}
		return 0
	}
	left := r.node(j.outer, need(j.outerSort))
	right := r.node(j.inner, need(j.innerSort))
	join, other := r.joinQuals(p)
	join = difference(join, j.merge)
	clauses := r.switched(j.merge, j.outer.rel.relids)
	if p.param != nil {
		clauses = r.nestParamsList(clauses)
	}
	n := &MergeJoin{Join: r.joinBase(p, join, other), MergeClauses: clauses, SkipMarkRestore: j.skipMark}
	outer, inner := j.outer.keys, j.inner.keys
	if len(j.outerSort) > 0 {
		left, outer = r.sortNode(left, j.outerSort, -1), j.outerSort
	}
	if len(j.innerSort) > 0 {
		right, inner = r.sortNode(right, j.innerSort, -1), j.innerSort
	}
	if j.materialInner {
		b := right.Base()
		m := &Material{Plan: Plan{StartupCost: b.StartupCost, Rows: b.Rows, Width: b.Width, Targets: b.Targets, Left: right}}
		m.TotalCost = b.TotalCost + r.g.set.CPUOperatorCost*b.Rows
		right = m
	}
	r.mergeOrders(n, j, outer, inner)
	n.Left, n.Right = left, right
	return n
}

// mergeOrders notes for each merge clause how its sides are sorted.
func (r *root) mergeOrders(n *MergeJoin, j *joinPath, outer, inner []*pathkey) {
	for i, ri := range j.merge {
		oec := ri.leftEC.top()
		if !ri.left.subsetOf(j.outer.rel.relids) {
			oec = ri.rightEC.top()
		}
		var k *pathkey
		for _, x := range outer {
			if x.ec.top() == oec {
				k = x
				break
			}
		}
		if k == nil {
			panic(broken("outer path keys do not match merge clauses"))
		}
		o := n.MergeClauses[i].(*query.OpExpr)
		n.Families = append(n.Families, k.family)
		n.Collations = append(n.Collations, o.InputColl)
		n.Desc = append(n.Desc, k.strategy == btGreater)
		n.NullsFirst = append(n.NullsFirst, k.nullsFirst)
	}
}

// sortNode puts an explicit sort by path keys over a node.
func (r *root) sortNode(n Node, keys []*pathkey, limit float64) Node {
	n, cols := r.sortColumns(n, keys)
	b := n.Base()
	var c path
	r.costSort(&c, len(keys), b.TotalCost, b.Rows, b.Width, limit)
	return &Sort{Plan: Plan{StartupCost: c.startup, TotalCost: c.total, Rows: b.Rows, Width: b.Width, Targets: b.Targets, Left: n}, Keys: cols}
}

// sortColumns finds the columns that path keys stand for, adding what the node does not deliver yet.
func (r *root) sortColumns(n Node, keys []*pathkey) (Node, []SortKey) {
	var out []SortKey
	for _, k := range keys {
		col, typ := r.keyColumn(n.Base().Targets, k)
		if col == 0 {
			m := r.computableMember(n.Base().Targets, k.ec.top())
			if m == nil {
				panic(broken("could not find pathkey item to sort"))
			}
			n = r.withColumns(n, []query.Expr{m.expr})
			n = markLastJunk(n)
			col, typ = columnOf(n.Base().Targets, m.expr), m.typ
		}
		out = append(out, SortKey{Col: col, Op: r.g.amOp(k.family, typ, typ, k.strategy), Collation: k.ec.top().coll, NullsFirst: k.nullsFirst})
	}
	return n, out
}

func markLastJunk(n Node) Node {
	b := n.Base()
	ts := append([]*query.TargetEntry(nil), b.Targets...)
	c := *ts[len(ts)-1]
	c.Junk = true
	ts[len(ts)-1] = &c
	b.Targets = ts
	return n
}

// keyColumn finds a target that is a member of the key's class.
func (r *root) keyColumn(ts []*query.TargetEntry, k *pathkey) (col int, typ OID) {
	ec := k.ec.top()
	if ec.hasVolatile {
		for i, t := range ts {
			if t.SortGroupRef == ec.sortref && ec.sortref != 0 {
				return i + 1, ec.members[0].typ
			}
		}
		return 0, 0
	}
	for i, t := range ts {
		e := stripRelabel(t.Expr)
		for _, m := range ec.members {
			if m.isConst && len(ec.members) > 1 {
				continue
			}
			if equal(stripRelabel(m.expr), e) {
				return i + 1, m.typ
			}
		}
	}
	return 0, 0
}

// computableMember finds a member that the node's columns allow to compute.
func (r *root) computableMember(ts []*query.TargetEntry, ec *eclass) *emember {
	exprs := make([]query.Expr, len(ts))
	for i, t := range ts {
		exprs[i] = t.Expr
	}
	t := &pathTarget{exprs: exprs}
	have := &pathTarget{}
	addVarsTo(have, exprs, true)
	for _, m := range ec.members {
		if m.isConst {
			continue
		}
		ok := true
		walk(m.expr, func(x query.Expr) bool {
			if member(t.exprs, x) || member(have.exprs, x) {
				return false
			}
			switch x.(type) {
			case *query.Var, *query.Aggref, *query.WindowFunc, *query.GroupingFunc:
				ok = false
			}
			return ok
		})
		if ok {
			return m
		}
	}
	return nil
}
