package plan

import (
	"github.com/calfdb/calf/sql/query"
)

// upperNode makes the nodes above the joins.
func (r *root) upperNode(p *path, need tlistNeed) Node {
	switch p.kind {
	case pSort, pIncrementalSort:
		return r.explicitSort(p, need)
	case pGroup:
		n := &Group{Plan: r.base(p)}
		n.Left = r.node(p.sub, needLabel)
		n.Keys = r.groupKeys(p.upper.groups, n.Left.Base().Targets)
		n.Quals = r.orderQuals(p.quals)
		return n
	case pAgg:
		n := &Agg{Plan: r.base(p), Strategy: p.upper.strategy, NumGroups: max(p.upper.numGroups, 1)}
		n.Left = r.node(p.sub, needLabel)
		n.Keys = r.aggKeys(p, n.Left.Base().Targets)
		n.Quals = r.orderQuals(p.quals)
		return n
	case pGroupingSets:
		return r.groupingSetsNode(p)
	case pWindow:
		return r.windowNode(p)
	case pUpperUnique:
		n := &Unique{Plan: r.base(p)}
		n.Left = r.node(p.sub, need|needLabel)
		n.Targets = n.Left.Base().Targets
		for _, k := range p.keys[:p.upper.numKeys] {
			col, typ := r.keyColumn(n.Targets, k)
			n.Keys = append(n.Keys, GroupKey{Col: col, EqOp: r.g.amOp(k.family, typ, typ, btEqual), Collation: k.ec.top().coll})
		}
		return n
	case pSetOp:
		return r.setOpNode(p)
	case pRecursiveUnion:
		n := &RecursiveUnion{Plan: r.base(p), WorkTableParam: p.upper.wtParam, NumGroups: p.upper.numGroups}
		n.Left, n.Right = r.node(p.subs[0], needExact), r.node(p.subs[1], needExact)
		for i, g := range p.upper.groups {
			n.Distinct = append(n.Distinct, GroupKey{Col: i + 1, EqOp: g.EqOp, Collation: n.Targets[i].Expr.Collation()})
		}
		return n
	case pLockRows:
		n := &LockRows{Plan: r.base(p), RowMarks: p.upper.rowMarks, EPQParam: p.upper.epqParam}
		n.Left = r.node(p.sub, need)
		n.Targets = n.Left.Base().Targets
		return n
	case pLimit:
		return r.limitNode(p, need)
	case pModifyTable:
		return r.modifyNode(p)
	}
	panic(broken("unknown path"))
}

func (r *root) explicitSort(p *path, need tlistNeed) Node {
	n := r.node(p.sub, need|needSmall)
	n, cols := r.sortColumns(n, p.keys)
	b := r.base(p)
	b.Targets, b.Left = n.Base().Targets, n
	s := Sort{Plan: b, Keys: cols}
	if p.kind == pIncrementalSort {
		return &IncrementalSort{Sort: s, Presorted: p.upper.presorted}
	}
	return &s
}

// groupKeys finds grouping columns by their references.
func (r *root) groupKeys(list []*query.SortGroupClause, ts []*query.TargetEntry) (out []GroupKey) {
	for _, s := range list {
		for i, t := range ts {
			if t.SortGroupRef == s.Ref {
				out = append(out, GroupKey{Col: i + 1, EqOp: s.EqOp, Collation: t.Expr.Collation()})
				break
			}
		}
	}
	if len(out) != len(list) {
		panic(broken("grouping column not found in the input"))
	}
	return out
}

// aggKeys is groupKeys, by position for the columns of a set operation, which have no references.
func (r *root) aggKeys(p *path, ts []*query.TargetEntry) (out []GroupKey) {
	if p.sub.kind != pAppend || r.q.SetOp == nil {
		return r.groupKeys(p.upper.groups, ts)
	}
	for i, s := range p.upper.groups {
		out = append(out, GroupKey{Col: i + 1, EqOp: s.EqOp, Collation: ts[i].Expr.Collation()})
	}
	return out
}

func (r *root) windowNode(p *path) Node {
	w := p.upper.window
	n := &WindowAgg{Plan: r.base(p), WinRef: w.Ref, FrameOptions: w.FrameOptions, StartOffset: w.StartOffset, EndOffset: w.EndOffset,
		StartInRangeFunc: w.StartInRangeFunc, EndInRangeFunc: w.EndInRangeFunc, InRangeColl: w.InRangeColl, InRangeAsc: w.InRangeAsc,
		InRangeNullsFirst: w.InRangeNullsFirst, RunCondition: p.upper.runCond, TopWindow: p.upper.top}
	n.Quals = r.orderQuals(p.quals)
	n.Left = r.node(p.sub, needLabel|needSmall)
	ts := n.Left.Base().Targets
	n.Partition, n.Order = r.groupKeys(w.PartitionBy, ts), r.groupKeys(w.OrderBy, ts)
	return n
}

func (r *root) setOpNode(p *path) Node {
	n := &SetOp{Plan: r.base(p), Cmd: p.upper.setCmd, Hashed: p.upper.strategy == AggHashed, FlagCol: p.upper.flagCol, FirstFlag: p.upper.firstFlag,
		NumGroups: max(p.upper.numGroups, 1)}
	n.Left = r.node(p.sub, needLabel)
	n.Targets = n.Left.Base().Targets
	for i, s := range p.upper.groups {
		n.Keys = append(n.Keys, GroupKey{Col: i + 1, EqOp: s.EqOp, Collation: n.Targets[i].Expr.Collation()})
	}
	return n
}

func (r *root) limitNode(p *path, need tlistNeed) Node {
	n := &Limit{Plan: r.base(p), Offset: p.upper.limitOffset, Count: p.upper.limitCount, WithTies: p.upper.withTies}
	n.Left = r.node(p.sub, need)
	n.Targets = n.Left.Base().Targets
	if n.WithTies {
		for _, s := range r.q.SortBy {
			t := targetByRef(r.processedTargets, s.Ref)
			n.TieKeys = append(n.TieKeys, GroupKey{Col: t.ResNo, EqOp: s.EqOp, Collation: t.Expr.Collation()})
		}
	}
	return n
}

func (r *root) modifyNode(p *path) Node {
	n := *p.upper.modify
	n.Plan = Plan{StartupCost: p.startup, TotalCost: p.total, Rows: p.rows, Width: p.target.width}
	n.Left = r.node(p.sub, needExact)
	labelTargets(n.Left, r.processedTargets)
	return &n
}
