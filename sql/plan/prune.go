package plan

import (
	"github.com/calfdb/calf/sql/partition"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// partitions gives a partitioned table's partitions.
func (r *root) partitions(b *rel) *partition.Desc {
	return must(partition.Of(r.g.env.Catalog, r.g.env.Types, b.desc))
}

// expandPartitions makes rels of the partitions that the conditions on the table leave, and of theirs.
func (r *root) expandPartitions(b *rel) {
	b.parts = r.partitions(b)
	live := r.pruneAtPlan(b)
	for i := range b.parts.Parts {
		if live != nil && !live[i] {
			continue
		}
		desc := r.childRelation(b.parts.Parts[i].OID, b.rte.LockMode)
		if desc == nil {
			continue
		}
		c := r.addChild(b, desc)
		c.partIndex = i
		if desc.Kind == 'p' && !c.dummy {
			r.expandPartitions(c)
		}
	}
}

// pruneAtPlan gives the partitions that constants in the conditions leave; nil = all.
func (r *root) pruneAtPlan(b *rel) partition.Set {
	if !r.g.set.EnablePartitionPruning || len(b.restricts) == 0 || len(b.parts.Parts) == 0 {
		return nil
	}
	m := &pruneMaker{r: r, b: b, key: b.parts.Key}
	conds := clausesOf(b.restricts)
	if b.parts.Default >= 0 { // a partition's own constraint says what its default partition can't hold
		conds = append(conds, m.own()...)
	}
	c := m.conditions(conds)
	if c.Kind == partition.CondAll {
		return nil
	}
	return must(b.parts.Matching(c, func(n int) (types.Datum, bool, error) {
		k, ok := m.values[n].(*query.Const)
		if !ok {
			return types.Null, false, nil
		}
		return k.Value, true, nil
	}))
}

// pruneMaker turns conditions on a partitioned table into conditions on its key.
type pruneMaker struct {
	r      *root
	b      *rel
	key    *partition.Key
	keys   []query.Expr // the key columns over b
	values []query.Expr

	constraint     []query.Expr // of the table as a partition
	haveConstraint bool
}

// own gives the table's own partition constraint.
func (m *pruneMaker) own() []query.Expr {
	if !m.haveConstraint {
		m.haveConstraint = true
		list := must(partition.Constraint(m.r.g.env.Catalog, m.r.g.env.Types, m.b.desc))
		for _, e := range list {
			m.constraint = append(m.constraint, implicitAnd(m.r.g.fold(moveVars(e, 1, m.b.index)))...)
		}
	}
	return m.constraint
}

// conditions takes implicitly ANDed conditions.
func (m *pruneMaker) conditions(list []query.Expr) *partition.Cond {
	if m.keys == nil {
		for i := range m.key.Cols {
			m.keys = append(m.keys, stripRelabel(moveVars(m.key.Cols[i].Value(), 1, m.b.index)))
		}
	}
	if m.b.parts.Default >= 0 { // the table may have no such rows at all, being a partition itself
		if own := m.own(); len(own) > 0 && m.r.g.refutesAll(list, own, false) {
			return &partition.Cond{Kind: partition.CondNone}
		}
	}
	out := &partition.Cond{Kind: partition.CondAnd}
	terms := &partition.Cond{Kind: partition.CondColumns}
	var add func(e query.Expr)
	add = func(e query.Expr) {
		if isFalseConst(e) || isNullConst(e) {
			out.Args = append(out.Args, &partition.Cond{Kind: partition.CondNone})
			return
		}
		if x, ok := e.(*query.BoolExpr); ok {
			switch x.Op {
			case query.And:
				for _, a := range x.Args {
					add(a)
				}
				return
			case query.Or:
				if c := m.or(x.Args); c != nil {
					out.Args = append(out.Args, c)
				}
				return
			}
		}
		if c := m.clause(e, terms); c != nil {
			out.Args = append(out.Args, c)
		}
	}
	for _, e := range list {
		add(e)
	}
	if len(terms.Terms) > 0 {
		out.Args = append(out.Args, terms)
	}
	switch len(out.Args) {
	case 0:
		return &partition.Cond{Kind: partition.CondAll}
	case 1:
		return out.Args[0]
	}
	return out
}

// or takes alternatives; nil when one of them says nothing of the key.
func (m *pruneMaker) or(arms []query.Expr) *partition.Cond {
	c := &partition.Cond{Kind: partition.CondOr}
	for _, a := range arms {
		x := m.conditions([]query.Expr{a})
		if x.Kind == partition.CondAll {
			if own := m.own(); len(own) > 0 && m.r.g.refutesAll([]query.Expr{a}, own, false) {
				continue // the table has no such rows at all
			}
			return nil
		}
		c.Args = append(c.Args, x)
	}
	if len(c.Args) == 0 {
		c.Kind = partition.CondNone
	}
	return c
}

// clause adds a condition on a key column to the terms, or gives the Cond that it is; nil and no term when it is neither.
func (m *pruneMaker) clause(e query.Expr, terms *partition.Cond) *partition.Cond {
	for col := range m.keys {
		if c := m.booleanTest(e, col); c != nil {
			return c
		}
		if v := m.boolean(e, col); v != nil {
			if t, ok := m.compare(col, boolEqOp, v, 0); ok {
				terms.Terms = append(terms.Terms, t)
				return nil
			}
		}
		switch x := e.(type) {
		case *query.OpExpr:
			if t, ok := m.operator(x, col); ok {
				terms.Terms = append(terms.Terms, t)
				return nil
			}
		case *query.NullTest:
			if !x.ArgIsRow && equal(stripRelabel(x.Arg), m.keys[col]) {
				kind := partition.TermIsNull
				if x.IsNot {
					kind = partition.TermNotNull
				}
				terms.Terms = append(terms.Terms, partition.CondTerm{Kind: kind, Col: col})
				return nil
			}
		case *query.ScalarArrayOpExpr:
			if equal(stripRelabel(x.Left), m.keys[col]) {
				if c := m.array(x); c != nil {
					return c
				}
			}
		}
	}
	return nil
}

// boolean reads a condition on a boolean key column as a comparison with true or false.
func (m *pruneMaker) boolean(e query.Expr, col int) query.Expr {
	if !boolFamily(m.key.Cols[col].Family) {
		return nil
	}
	key := m.keys[col]
	switch x := e.(type) {
	case *query.BooleanTest:
		if equal(stripRelabel(x.Arg), key) {
			switch x.Kind {
			case query.IsTrue:
				return boolConst(true)
			case query.IsFalse:
				return boolConst(false)
			}
		}
		return nil
	case *query.BoolExpr:
		if x.Op == query.Not && equal(stripRelabel(x.Args[0]), key) {
			return boolConst(false)
		}
		return nil
	}
	if equal(stripRelabel(e), key) {
		return boolConst(true)
	}
	if n, ok := key.(*query.BoolExpr); ok && n.Op == query.Not && equal(stripRelabel(e), stripRelabel(n.Args[0])) {
		return boolConst(false)
	}
	return nil
}

// booleanTest takes IS NOT TRUE and its kin, which are true of nulls; nil when it is none of a boolean key column.
func (m *pruneMaker) booleanTest(e query.Expr, col int) *partition.Cond {
	x, ok := e.(*query.BooleanTest)
	if !ok || !boolFamily(m.key.Cols[col].Family) || !equal(stripRelabel(x.Arg), m.keys[col]) {
		return nil
	}
	one := func(t partition.CondTerm) *partition.Cond {
		return &partition.Cond{Kind: partition.CondColumns, Terms: []partition.CondTerm{t}}
	}
	null := one(partition.CondTerm{Kind: partition.TermIsNull, Col: col})
	if x.Kind == query.IsNotTrue || x.Kind == query.IsNotFalse {
		if t, ok := m.compare(col, boolEqOp, boolConst(x.Kind == query.IsNotFalse), 0); ok {
			return &partition.Cond{Kind: partition.CondOr, Args: []*partition.Cond{one(t), null}}
		}
	}
	return nil
}

func (m *pruneMaker) operator(x *query.OpExpr, col int) (t partition.CondTerm, ok bool) {
	if len(x.Args) != 2 {
		return t, false
	}
	op, value := x.OpOID, x.Args[1]
	switch {
	case equal(stripRelabel(x.Args[0]), m.keys[col]):
	case equal(stripRelabel(x.Args[1]), m.keys[col]):
		value = x.Args[0]
		if op = m.r.g.oper(op).Commutator; op == 0 {
			return t, false
		}
	default:
		return t, false
	}
	return m.compare(col, op, value, x.InputColl)
}

// compare makes a term of key column op value; ok is false when that does not help.
func (m *pruneMaker) compare(col int, op OID, value query.Expr, coll OID) (t partition.CondTerm, ok bool) {
	g, k := m.r.g, &m.key.Cols[col]
	if k.Coll != 0 && k.Coll != coll {
		return t, false
	}
	if hasVars(value) || g.volatile(value) || hasSubplan(value) || !g.proc(g.oper(op).Func).Strict {
		return t, false
	}
	t.Col = col
	a := g.opInFamily(op, k.Family)
	if a == nil {
		neg := g.oper(op).Negator
		if neg == 0 || m.key.Strategy != partition.List {
			return t, false
		}
		if a = g.opInFamily(neg, k.Family); a == nil || a.Strategy != btEqual {
			return t, false
		}
		t.Kind = partition.TermNotEqual
	}
	t.Strategy = a.Strategy
	if m.key.Strategy == partition.Hash {
		if a.Strategy != 1 { // a hash family's only one: equality
			return t, false
		}
		t.Strategy = btEqual
		fn := must(g.env.Catalog.AmProc(k.Family, a.Right, a.Right, 2))
		if fn == 0 {
			return t, false
		}
		_, h, err := types.LookupHash(g.env.Types, g.proc(fn).Src, value.Type(), k.Coll)
		if err != nil || h == nil {
			return t, false
		}
		t.HashExt = h
	} else {
		fn := must(g.env.Catalog.AmProc(k.Family, a.Left, a.Right, 1))
		if fn == 0 {
			return t, false
		}
		var err error
		if t.Compare, err = types.LookupCompare(g.env.Types, g.proc(fn).Src, k.Type, k.Coll); err != nil {
			return t, false
		}
	}
	t.Value = len(m.values)
	m.values = append(m.values, value)
	return t, true
}

// array takes key op ANY (elements) apart: alternatives, or with ALL conditions that all hold.
func (m *pruneMaker) array(x *query.ScalarArrayOpExpr) *partition.Cond {
	var elems []query.Expr
	switch a := stripRelabel(x.Right).(type) {
	case *query.Const:
		if a.Value.IsNull() {
			return &partition.Cond{Kind: partition.CondNone}
		}
		typ := m.r.g.elemType(a.TypeOID)
		for _, d := range m.r.g.arrayElems(a) {
			elems = append(elems, &query.Const{TypeOID: typ, Mod: -1, Coll: a.Coll, Value: d, Loc: -1})
		}
	case *query.ArrayExpr:
		if a.MultiDims {
			return nil
		}
		elems = a.Elems
	default:
		return nil
	}
	var list []query.Expr
	for _, e := range elems {
		if isNullConst(e) && x.UseOr {
			continue
		}
		list = append(list, &query.OpExpr{OpOID: x.OpOID, FuncOID: x.FuncOID, TypeOID: types.BoolOID, InputColl: x.InputColl, Args: []query.Expr{x.Left, e}, Loc: -1})
	}
	if !x.UseOr {
		return m.conditions(list)
	}
	if len(list) == 0 {
		return &partition.Cond{Kind: partition.CondNone}
	}
	return m.or(list)
}

// partitionOrdered adds ordered Appends where the partitions' bounds follow the order that is wanted; false when they don't.
func (r *root) partitionOrdered(b *rel, live []*rel, keys []*pathkey) bool {
	if b.parts == nil {
		return false
	}
	var places []int
	for _, c := range b.kids {
		places = append(places, c.partIndex)
	}
	if !b.parts.Ordered(places) {
		return false
	}
	up, upPart := r.partitionKeys(b, false)
	down, downPart := r.partitionKeys(b, true)
	follows := func(own []*pathkey, part bool) bool {
		return containedIn(keys, own) || !part && len(own) > 0 && containedIn(own, keys)
	}
	kids := append([]*rel(nil), live...)
	switch {
	case follows(up, upPart):
	case follows(down, downPart):
		for i, k := 0, len(kids)-1; i < k; i, k = i+1, k-1 {
			kids[i], kids[k] = kids[k], kids[i]
		}
	default:
		return false
	}
	var startup, total []*path
	for _, c := range kids {
		s, t := cheapestForKeys(c.paths, keys, Relids{}, true), cheapestForKeys(c.paths, keys, Relids{}, false)
		if s == nil || t == nil {
			s, t = c.cheapestTotal, c.cheapestTotal
		}
		startup, total = append(startup, onlyInput(s)), append(total, onlyInput(t))
	}
	r.addOrderedAppend(b, startup, keys)
	if !samePaths(startup, total) {
		r.addOrderedAppend(b, total, keys)
	}
	return true
}

func (r *root) addOrderedAppend(b *rel, subs []*path, keys []*pathkey) {
	p := r.childAppend(b, subs, keys, Relids{})
	p.ordered = true
	addPath(b, p)
}

// onlyInput is the input of an Append of one, or the path itself.
func onlyInput(p *path) *path {
	if (p.kind == pAppend || p.kind == pMergeAppend) && len(p.subs) == 1 {
		return p.subs[0]
	}
	return p
}

func samePaths(a, b []*path) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// partitionKeys gives the order of the partitions as path keys that the query knows; part: there are further key columns.
func (r *root) partitionKeys(b *rel, backward bool) (keys []*pathkey, part bool) {
	for i := range b.parts.Key.Cols {
		c := &b.parts.Key.Cols[i]
		e := r.inParent(moveVars(c.Value(), 1, b.index), b)
		if e == nil {
			return keys, true
		}
		k := r.keyForExpr(e, Relids{}, c.Family, c.InType, c.Coll, backward, backward, 0, false)
		if k == nil {
			return keys, true
		}
		if !redundantKey(k, keys) {
			keys = append(keys, k)
		}
	}
	return keys, false
}

// pruneInfo says how an Append of partitions leaves children out when it runs; nil when nothing is known only then.
func (r *root) pruneInfo(p *path) *PruneInfo {
	if !r.g.set.EnablePartitionPruning || p.rel.parts == nil || len(p.subs) < 2 {
		return nil
	}
	at := map[*rel]int{}
	for i, s := range p.subs {
		at[s.rel] = i
	}
	info := &PruneInfo{}
	late := false
	r.pruneRel(p, p.rel, at, info, &late)
	if !late {
		return nil
	}
	return info
}

// pruneRel adds one partitioned table, and those below it.
func (r *root) pruneRel(p *path, b *rel, at map[*rel]int, info *PruneInfo, late *bool) int {
	m := &pruneMaker{r: r, b: b, key: b.parts.Key, values: info.Exprs}
	conds := clausesOf(b.restricts)
	if p.param != nil {
		for _, ri := range p.param.clauses {
			conds = append(conds, r.nestParams(r.forChild(ri, b).clause))
		}
	}
	me := len(info.Rels)
	x := PruneRel{Rel: b.desc.OID, Child: make([]int, len(b.parts.Parts)), Sub: make([]int, len(b.parts.Parts))}
	if c := m.conditions(conds); c.Kind != partition.CondAll {
		x.Cond = c
	}
	for _, e := range m.values[len(info.Exprs):] {
		if _, isConst := e.(*query.Const); !isConst {
			*late = true
		}
	}
	info.Exprs = m.values
	for i := range x.Child {
		x.Child[i], x.Sub[i] = -1, -1
	}
	info.Rels = append(info.Rels, x)
	for _, c := range b.kids {
		if i, ok := at[c]; ok {
			x.Child[c.partIndex] = i
		} else if c.parts != nil && !c.dummy {
			x.Sub[c.partIndex] = r.pruneRel(p, c, at, info, late)
		}
	}
	return me
}
