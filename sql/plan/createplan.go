package plan

import (
	"github.com/calfdb/calf/sql/query"
)

// tlistNeed says what the node above requires of a target list.
type tlistNeed uint8

const (
	needExact tlistNeed = 1 << iota // exactly the path's target
	needSmall                       // no needless columns: the rows will be stored
	needLabel                       // sort and group references
)

// createPlan turns the chosen path of a level into plan nodes, with names, junk marks and init plans in place.
func (r *root) createPlan(p *path) Node {
	r.curOuterRels, r.curOuterParams = Relids{}, nil
	n := r.node(p, needExact)
	if p.kind != pModifyTable {
		labelTargets(n, r.processedTargets)
	}
	b := n.Base()
	b.InitPlans = append(b.InitPlans, r.initPlans...)
	return n
}

// labelTargets gives a top node's columns the names and marks of the query's target list.
func labelTargets(n Node, ts []*query.TargetEntry) {
	b := n.Base()
	out := make([]*query.TargetEntry, len(b.Targets))
	for i, t := range b.Targets {
		c := *t
		if i < len(ts) {
			c.Name, c.SortGroupRef, c.OrigTable, c.OrigCol, c.Junk = ts[i].Name, ts[i].SortGroupRef, ts[i].OrigTable, ts[i].OrigCol, ts[i].Junk
		}
		out[i] = &c
	}
	b.Targets = out
	switch n.(type) {
	case *Limit, *LockRows: // they pass their input on, and LockRows finds its columns by name
		labelTargets(b.Left, ts)
	}
}

// node makes the plan node of a path.
func (r *root) node(p *path, need tlistNeed) Node {
	switch p.kind {
	case pSeqScan, pIndexScan, pIndexOnlyScan, pBitmapHeap, pTID, pTIDRange, pSubquery, pFunction, pValues, pCTE, pWorkTable,
		pNamedTuplestore, pResult:
		return r.scanNode(p, need)
	case pNestLoop, pMergeJoin, pHashJoin:
		return r.joinNode(p)
	case pAppend:
		return r.appendNode(p)
	case pMergeAppend:
		return r.mergeAppendNode(p)
	case pGroupResult:
		n := &Result{Plan: r.base(p), ConstQuals: p.quals}
		n.ConstQuals = r.orderQuals(n.ConstQuals)
		return n
	case pMinMaxAgg:
		return r.minMaxNode(p)
	case pProjection:
		return r.projectionNode(p, need)
	case pProjectSet:
		n := &ProjectSet{Plan: r.base(p)}
		n.Left = r.node(p.sub, 0)
		return n
	case pMaterial:
		n := &Material{Plan: r.base(p)}
		n.Left = r.node(p.sub, need|needSmall)
		n.Targets = n.Left.Base().Targets
		return n
	case pMemoize:
		return r.memoizeNode(p, need)
	case pUnique:
		return r.uniqueNode(p, need)
	}
	return r.upperNode(p, need)
}

// base makes a node's common part with the path's costs and target.
func (r *root) base(p *path) Plan {
	return Plan{StartupCost: p.startup, TotalCost: p.total, Rows: p.rows, Width: p.target.width, Targets: r.targets(p)}
}

// targets makes a target list of a path's target. Parameterised paths read outer values as params.
func (r *root) targets(p *path) []*query.TargetEntry {
	ts := make([]*query.TargetEntry, len(p.target.exprs))
	for i, e := range p.target.exprs {
		if p.param != nil {
			e = r.nestParams(e)
		}
		ts[i] = &query.TargetEntry{Expr: e, ResNo: i + 1, SortGroupRef: p.target.ref(i)}
	}
	return ts
}

// nestParams puts exec params where an expression of an inner path reads the outer relations of the nested loops around it.
func (r *root) nestParams(e query.Expr) query.Expr {
	if r.curOuterRels.empty() {
		return e
	}
	return mutate(e, func(x query.Expr) query.Expr {
		v, ok := x.(*query.Var)
		if !ok || v.LevelsUp > 0 || v.VarNo <= 0 || !r.curOuterRels.has(v.VarNo) {
			return nil
		}
		return r.nestParam(v)
	})
}

func (r *root) nestParam(v *query.Var) query.Expr {
	for _, p := range r.curOuterParams {
		if equal(p.val, v) {
			return &query.Param{Kind: query.ParamExec, ID: p.id, TypeOID: v.TypeOID, Mod: v.Mod, Coll: v.Coll, Loc: v.Loc}
		}
	}
	n := r.g.newParam(v.TypeOID, v.Mod, v.Coll)
	r.curOuterParams = append(r.curOuterParams, &nlParam{n.ID, v})
	return n
}

func (r *root) nestParamsList(es []query.Expr) []query.Expr { return mapList(es, r.nestParams) }

// subqueryParams makes a lateral subquery's params nested-loop params.
func (r *root) subqueryParams(list []planParam) {
	for _, p := range list {
		if _, ok := p.expr.(*query.Var); !ok || !varRelids(p.expr).subsetOf(r.curOuterRels) {
			continue
		}
		known := false
		for _, c := range r.curOuterParams {
			known = known || c.id == p.param.ID
		}
		if !known {
			r.curOuterParams = append(r.curOuterParams, &nlParam{p.param.ID, p.expr})
		}
	}
}

// takeParams removes and gives the params that an outer input supplies.
func (r *root) takeParams(outer Relids) (out []NestParam) {
	var rest []*nlParam
	for _, p := range r.curOuterParams {
		if varRelids(p.val).subsetOf(outer) {
			out = append(out, NestParam{ID: p.id, Value: p.val})
		} else {
			rest = append(rest, p)
		}
	}
	r.curOuterParams = rest
	return out
}

// orderQuals sorts conditions by cost, cheap ones first.
func (r *root) orderQuals(es []query.Expr) []query.Expr {
	if len(es) < 2 {
		return es
	}
	out := append([]query.Expr(nil), es...)
	costs := make([]float64, len(out))
	for i, e := range out {
		costs[i] = r.g.exprCost(e).tuple
	}
	for i := 1; i < len(out); i++ {
		e, c := out[i], costs[i]
		k := i
		for ; k > 0 && costs[k-1] > c; k-- {
			out[k], costs[k] = out[k-1], costs[k-1]
		}
		out[k], costs[k] = e, c
	}
	return out
}

// orderRestricts sorts conditions by security level and cost, and splits off those that are checked once.
func (r *root) orderRestricts(list []*restrict) (quals, once []query.Expr) {
	type item struct {
		e     query.Expr
		level int
		cost  float64
	}
	var items []item
	for _, ri := range list {
		if ri.pseudoconst {
			once = append(once, ri.clause)
			continue
		}
		it := item{ri.clause, ri.security, r.g.restrictCost(ri).tuple}
		if ri.leakproof {
			it.level = 0
		}
		k := len(items)
		items = append(items, it)
		for ; k > 0 && (items[k-1].level > it.level || items[k-1].level == it.level && items[k-1].cost > it.cost); k-- {
			items[k] = items[k-1]
		}
		items[k] = it
	}
	for _, it := range items {
		quals = append(quals, it.e)
	}
	return quals, once
}

// gate puts a Result with conditions checked once over a node.
func (r *root) gate(n Node, once []query.Expr, p *path, need tlistNeed) Node {
	if len(once) == 0 {
		return n
	}
	b := *n.Base()
	g := &Result{Plan: Plan{StartupCost: b.StartupCost, TotalCost: b.TotalCost, Rows: b.Rows, Width: b.Width, Targets: r.targets(p), Left: n},
		ConstQuals: r.nestParamsList(once)}
	return g
}

func (r *root) appendNode(p *path) Node {
	if len(p.subs) == 0 {
		n := &Result{Plan: r.base(p), ConstQuals: []query.Expr{boolConst(false)}}
		n.Targets = r.noRowIdentity(n.Targets)
		return n
	}
	n := &Append{Plan: r.base(p)}
	if p.rel.kind == relBase {
		n.RelIDs = []int{p.rel.index}
		n.Prune = r.pruneInfo(p)
	} else if len(p.subs) == 1 {
		return r.node(p.subs[0], needExact)
	}
	if p.ordered {
		keys, extra := r.appendKeys(p, &n.Plan)
		for _, s := range p.subs {
			n.Children = append(n.Children, r.mergeInput(p, s, extra, keys))
		}
		return n
	}
	for _, s := range p.subs {
		n.Children = append(n.Children, r.node(s, needExact))
	}
	return n
}

func (r *root) minMaxNode(p *path) Node {
	for _, m := range p.upper.minmax {
		sub := m.sub
		n := sub.createPlan(m.path)
		one := &query.Const{TypeOID: 20, Mod: -1, Value: int8One, Loc: -1}
		b := n.Base()
		l := &Limit{Plan: Plan{StartupCost: m.path.startup, TotalCost: m.cost, Rows: 1, Width: b.Width, Targets: b.Targets, Left: n}, Count: one}
		r.g.subplans = append(r.g.subplans, l)
		r.g.subroots = append(r.g.subroots, sub)
		s := &query.SubPlan{Kind: query.ExprSubLink, PlanID: len(r.g.subplans), SetParam: []int{m.param.ID}, FirstType: m.arg.Type(), FirstMod: m.arg.TypMod(),
			FirstColl: m.arg.Collation()}
		s.Name = subplanName(s, true)
		r.g.initPlans[s.PlanID] = true
		r.initPlans = append(r.initPlans, s)
		r.g.costSubplan(s, l)
	}
	r.minmaxUsed = p.upper.minmax
	// The aggregates stay until setrefs, so that the nodes above find them in the Result's columns.
	return &Result{Plan: r.base(p), ConstQuals: p.quals}
}

// minMaxParam gives the param that stands for an aggregate that an index gives, nil for other expressions.
func minMaxParam(list []*minMaxAgg, e query.Expr) query.Expr {
	a, ok := e.(*query.Aggref)
	if !ok {
		return nil
	}
	for _, m := range list {
		if m.ref.AggOID == a.AggOID && equal(m.arg, a.Args[0].Expr) {
			return m.param
		}
	}
	return nil
}

// projectionNode computes a target in the input's node where that can, else in a Result.
func (r *root) projectionNode(p *path, need tlistNeed) Node {
	if p.upper.dummyPP || canProject(p.sub) && p.sub.kind != pUnique {
		n := r.node(p.sub, 0)
		b := n.Base()
		ts := r.targets(p)
		if isProjecting(n) {
			b.Targets = ts
		} else if equalTargetExprs(b.Targets, ts) {
			b.Targets = withLabels(b.Targets, ts)
		} else {
			return &Result{Plan: Plan{StartupCost: p.startup, TotalCost: p.total, Rows: p.rows, Width: p.target.width, Targets: ts, Left: n}}
		}
		b.StartupCost, b.TotalCost, b.Rows, b.Width = p.startup, p.total, p.rows, p.target.width
		return n
	}
	n := &Result{Plan: r.base(p)}
	n.Left = r.node(p.sub, 0)
	if b := n.Left.Base(); equalTargetExprs(b.Targets, n.Targets) {
		b.Targets = withLabels(b.Targets, n.Targets)
		b.StartupCost, b.TotalCost, b.Rows, b.Width = p.startup, p.total, p.rows, p.target.width
		return n.Left
	}
	return n
}

func equalTargetExprs(a, b []*query.TargetEntry) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equal(a[i].Expr, b[i].Expr) {
			return false
		}
	}
	return true
}

func withLabels(ts, labels []*query.TargetEntry) []*query.TargetEntry {
	out := make([]*query.TargetEntry, len(ts))
	for i, t := range ts {
		c := *t
		c.SortGroupRef = labels[i].SortGroupRef
		out[i] = &c
	}
	return out
}

// isProjecting: the node's executor computes its target list.
func isProjecting(n Node) bool {
	switch n.(type) {
	case *Hash, *Material, *Memoize, *Sort, *IncrementalSort, *Unique, *SetOp, *LockRows, *Limit, *ModifyTable, *Append, *MergeAppend, *RecursiveUnion,
		*ProjectSet:
		return false
	}
	return true
}

func (r *root) memoizeNode(p *path, need tlistNeed) Node {
	n := &Memoize{Plan: r.base(p), KeyOps: p.memo.ops, SingleRow: p.memo.singleRow, Binary: p.memo.binary, EstEntries: p.memo.entries}
	n.Left = r.node(p.sub, need|needSmall)
	n.Targets = n.Left.Base().Targets
	n.Keys = r.nestParamsList(p.memo.keys)
	for _, k := range n.Keys {
		n.Collations = append(n.Collations, k.Collation())
	}
	return n
}

// uniqueNode makes a semi-join's right side unique.
func (r *root) uniqueNode(p *path, need tlistNeed) Node {
	n := r.node(p.sub, need)
	if p.uniq.how == 'n' {
		return n
	}
	n = r.withColumns(n, p.uniq.exprs)
	var keys []GroupKey
	for i, e := range p.uniq.exprs {
		eq := p.uniq.ops[i]
		if p.uniq.how == 'h' {
			if _, rt, ok := r.g.hashSides(eq); ok {
				eq = rt
			}
		}
		keys = append(keys, GroupKey{Col: columnOf(n.Base().Targets, e), EqOp: eq, Collation: e.Collation()})
	}
	b := Plan{StartupCost: p.startup, TotalCost: p.total, Rows: p.rows, Width: p.target.width, Left: n}
	if p.uniq.how == 'h' {
		b.Targets = r.withColumnTargets(r.targets(p), p.uniq.exprs)
		return &Agg{Plan: b, Strategy: AggHashed, Keys: keys, NumGroups: p.rows}
	}
	s := &Sort{Plan: Plan{Rows: n.Base().Rows, Width: n.Base().Width, Left: n, Targets: n.Base().Targets}}
	for i := range keys {
		op := r.g.orderingForEquality(p.uniq.ops[i], false)
		s.Keys = append(s.Keys, SortKey{Col: keys[i].Col, Op: op, Collation: keys[i].Collation})
		if eq, _ := r.g.equalityForOrdering(op); eq != 0 {
			keys[i].EqOp = eq
		}
	}
	var c path
	r.costSort(&c, len(keys), n.Base().TotalCost, n.Base().Rows, n.Base().Width, -1)
	s.StartupCost, s.TotalCost = c.startup, c.total
	b.Left, b.Targets = s, s.Targets
	return &Unique{Plan: b, Keys: keys}
}

// withColumns makes a node deliver some more expressions.
func (r *root) withColumns(n Node, exprs []query.Expr) Node {
	ts := r.withColumnTargets(n.Base().Targets, exprs)
	if len(ts) == len(n.Base().Targets) {
		return n
	}
	return r.changeTargets(n, ts)
}

func (r *root) withColumnTargets(ts []*query.TargetEntry, exprs []query.Expr) []*query.TargetEntry {
	out := ts[:len(ts):len(ts)]
	for _, e := range exprs {
		if columnOf(out, e) == 0 {
			out = append(out, &query.TargetEntry{Expr: e, ResNo: len(out) + 1})
		}
	}
	return out
}

// changeTargets gives a node another target list, on a Result when it cannot compute one.
func (r *root) changeTargets(n Node, ts []*query.TargetEntry) Node {
	if isProjecting(n) {
		n.Base().Targets = ts
		return n
	}
	b := n.Base()
	return &Result{Plan: Plan{StartupCost: b.StartupCost, TotalCost: b.TotalCost + r.g.set.CPUTupleCost*b.Rows, Rows: b.Rows, Width: b.Width,
		Targets: ts, Left: n}}
}

// columnOf gives the 1-based position of an expression, 0 if it is not there.
func columnOf(ts []*query.TargetEntry, e query.Expr) int {
	for i, t := range ts {
		if equal(t.Expr, e) {
			return i + 1
		}
	}
	return 0
}
