package plan

import (
	"sort"

	"github.com/calfdb/calf/sql/query"
)

// finish completes all plan trees of a statement.
func (g *glob) finish(q *query.Query, r *root, top Node) *Planned {
	top = r.setReferences(top)
	for i := range g.subplans {
		g.subplans[i] = g.subroots[i].setReferences(g.subplans[i])
	}
	fin := &finalizer{g: g, done: map[int]bool{}}
	for i := range g.subplans {
		fin.subplan(i + 1)
	}
	fin.node(top)
	p := &Planned{Command: q.Command, Root: top, Subplans: g.subplans, InitPlans: g.initPlans, RangeTable: g.rtable, ResultRels: g.resultRels,
		Relations: g.relations, RowMarks: g.rowMarks, Params: g.params, AppendRels: g.appendRels, Rewindable: g.rewind, HasReturning: len(q.Returning) > 0,
		HasModifyingCTE: q.HasModifyingCTE, CanSetTag: q.CanSetTag, DependsOnRole: q.HasRowSecurity || g.dependsOnRole}
	p.Targets = visible(q.Targets)
	switch {
	case len(q.Returning) > 0:
		p.Targets = visible(q.Returning)
	case q.Command != query.CmdSelect:
		p.Targets = nil
	}
	p.Invals, p.InvalFuncs = sorted(g.invals), sorted(g.funcs)
	return p
}

func visible(ts []*query.TargetEntry) (out []*query.TargetEntry) {
	for _, t := range ts {
		if !t.Junk {
			out = append(out, t)
		}
	}
	return out
}

func sorted(m map[OID]struct{}) []OID {
	out := make([]OID, 0, len(m))
	for o := range m {
		out = append(out, o)
	}
	sort.Slice(out, func(i, j int) bool { return out[i] < out[j] })
	return out
}

// finalizer computes which exec params each node depends on.
type finalizer struct {
	g    *glob
	done map[int]bool
}

func (z *finalizer) subplan(id int) Node {
	n := z.g.subplans[id-1]
	if !z.done[id] {
		z.done[id] = true
		z.node(n)
	}
	return n
}

func (s ParamSet) addAll(t ParamSet) {
	for p := range t {
		s[p] = struct{}{}
	}
}

// node sets ExtParam and AllParam of a node and all below it.
func (z *finalizer) node(n Node) {
	if n == nil {
		return
	}
	b := n.Base()
	use := ParamSet{}
	EachExpr(n, func(e query.Expr) { z.expr(e, use) })
	z.special(n, use)
	all := ParamSet{}
	add := func(c Node, without ...int) {
		if c == nil {
			return
		}
		z.node(c)
		cb := c.Base()
		for p := range cb.ExtParam {
			if !containsInt(without, p) {
				use[p] = struct{}{}
			}
		}
		for p := range cb.AllParam {
			if !containsInt(without, p) {
				all[p] = struct{}{}
			}
		}
	}
	switch n := n.(type) {
	case *NestLoop:
		var own []int
		for _, p := range n.Params {
			own = append(own, p.ID)
		}
		add(b.Left)
		add(b.Right, own...)
	case *RecursiveUnion:
		add(b.Left)
		add(b.Right, n.WorkTableParam)
	default:
		add(b.Left)
		add(b.Right)
		EachChild(n, func(c Node) { add(c) })
	}
	all.addAll(use)
	var set []int
	for _, s := range b.InitPlans {
		sub := z.subplan(s.PlanID).Base()
		use.addAll(sub.ExtParam)
		all.addAll(sub.ExtParam)
		set = append(set, s.SetParam...)
	}
	for _, p := range set {
		delete(use, p)
		all[p] = struct{}{}
	}
	b.ExtParam, b.AllParam = use, all
}

func containsInt(list []int, x int) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// special adds the params that a node depends on beyond its expressions.
func (z *finalizer) special(n Node, use ParamSet) {
	switch n := n.(type) {
	case *CTEScan:
		use.addAll(z.subplan(n.PlanID).Base().ExtParam)
	case *WorkTableScan:
		use[n.Param] = struct{}{}
	}
}

// expr adds the params that an expression reads, through its sub-plans too.
func (z *finalizer) expr(e query.Expr, use ParamSet) {
	walk(e, func(x query.Expr) bool {
		switch x := x.(type) {
		case *query.Param:
			if x.Kind == query.ParamExec {
				use[x.ID] = struct{}{}
			}
		case *query.SubPlan:
			in := ParamSet{}
			if x.Test != nil {
				z.expr(x.Test, in)
				for _, id := range x.ParamIDs {
					delete(in, id)
				}
			}
			in.addAll(z.subplan(x.PlanID).Base().ExtParam)
			for _, id := range x.ParParam {
				delete(in, id)
			}
			use.addAll(in)
			for _, a := range x.Args {
				z.expr(a, use)
			}
			return false
		}
		return true
	})
}

// EachChild calls f for the children of a node besides Left and Right: of Append and its kin, and a SubqueryScan's subplan.
func EachChild(n Node, f func(Node)) {
	list := func(ns []Node) {
		for _, c := range ns {
			f(c)
		}
	}
	switch n := n.(type) {
	case *Append:
		list(n.Children)
	case *MergeAppend:
		list(n.Children)
	case *BitmapAnd:
		list(n.Children)
	case *BitmapOr:
		list(n.Children)
	case *SubqueryScan:
		f(n.Subplan)
	}
}

// EachExpr calls f for every expression of a node itself.
func EachExpr(n Node, f func(query.Expr)) {
	one := func(e query.Expr) {
		if e != nil {
			f(e)
		}
	}
	list := func(es []query.Expr) {
		for _, e := range es {
			one(e)
		}
	}
	targets := func(ts []*query.TargetEntry) {
		for _, t := range ts {
			one(t.Expr)
		}
	}
	b := n.Base()
	targets(b.Targets)
	list(b.Quals)
	pruning := func(p *PruneInfo) {
		if p != nil {
			list(p.Exprs)
		}
	}
	switch n := n.(type) {
	case *Append:
		pruning(n.Prune)
	case *MergeAppend:
		pruning(n.Prune)
	case *Result:
		list(n.ConstQuals)
	case *IndexScan:
		list(n.IndexQuals)
		list(n.OrigQuals)
	case *IndexOnlyScan:
		list(n.IndexQuals)
		list(n.Recheck)
	case *BitmapIndexScan:
		list(n.IndexQuals)
		list(n.OrigQuals)
	case *BitmapHeapScan:
		list(n.OrigQuals)
	case *TIDScan:
		list(n.TIDQuals)
	case *TIDRangeScan:
		list(n.RangeQuals)
	case *FunctionScan:
		for _, x := range n.Functions {
			one(x.Expr)
		}
	case *ValuesScan:
		for _, row := range n.Rows {
			list(row)
		}
	case *NestLoop:
		list(n.JoinQuals)
		for _, p := range n.Params {
			one(p.Value)
		}
	case *MergeJoin:
		list(n.JoinQuals)
		list(n.MergeClauses)
	case *HashJoin:
		list(n.JoinQuals)
		list(n.HashClauses)
		list(n.HashKeys)
	case *Hash:
		list(n.Keys)
	case *Memoize:
		list(n.Keys)
	case *Limit:
		one(n.Offset)
		one(n.Count)
	case *WindowAgg:
		one(n.StartOffset)
		one(n.EndOffset)
		list(n.RunCondition)
	case *ModifyTable:
		eachModifyExpr(n, one, targets)
	}
}

func eachModifyExpr(n *ModifyTable, one func(query.Expr), targets func([]*query.TargetEntry)) {
	for _, ts := range n.Returning {
		targets(ts)
	}
	for _, ws := range n.WithChecks {
		for _, w := range ws {
			one(w.Qual)
		}
	}
	for _, list := range n.MergeActions {
		for _, a := range list {
			one(a.Qual)
			targets(a.Targets)
		}
	}
	targets(n.ConflictSet)
	one(n.ConflictWhere)
}

// supportsBackward says whether a plan can be read backwards without keeping its rows.
func supportsBackward(n Node) bool {
	switch n := n.(type) {
	case *SeqScan, *IndexScan, *IndexOnlyScan, *FunctionScan, *ValuesScan, *CTEScan, *Material, *Sort, *TIDScan:
		return !projectsSRF(n)
	case *Limit, *Result, *SubqueryScan:
		if l := n.Base().Left; l != nil {
			return supportsBackward(l)
		}
		if s, ok := n.(*SubqueryScan); ok {
			return supportsBackward(s.Subplan)
		}
	}
	return false
}

func projectsSRF(n Node) bool {
	for _, t := range n.Base().Targets {
		if returnsSet(t.Expr) {
			return true
		}
	}
	return false
}

// materializesOutput: the node keeps its rows, so that reading it again is cheap.
func materializesOutput(n Node) bool {
	switch n.(type) {
	case *Material, *FunctionScan, *TableFuncScan, *CTEScan, *NamedTuplestoreScan, *WorkTableScan, *Sort:
		return true
	}
	return false
}

// materializeFinished puts a Material over a finished plan.
func materializeFinished(g *glob, n Node) Node {
	b := n.Base()
	m := &Material{Plan: Plan{Rows: b.Rows, Width: b.Width, Targets: b.Targets, Left: n, InitPlans: b.InitPlans}}
	b.InitPlans = nil
	r := &root{g: g}
	var p path
	r.costMaterial(&p, b.StartupCost, b.TotalCost, b.Rows, b.Width)
	m.StartupCost, m.TotalCost = p.startup, p.total
	return m
}
