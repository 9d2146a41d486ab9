package plan

import "github.com/calfdb/calf/sql/query"

func (f *refs) scan(n Node) {
	b := n.Base()
	rows := b.Rows
	fix := func(s *Scan) {
		s.RTIndex = f.at(s.RTIndex)
		s.Targets, s.Quals = f.scanTargets(s.Targets, rows), f.scanList(s.Quals, rows*2)
	}
	switch n := n.(type) {
	case *SeqScan:
		fix(&n.Scan)
	case *IndexScan:
		fix(&n.Scan)
		n.IndexQuals, n.OrigQuals = f.scanList(n.IndexQuals, rows), f.scanList(n.OrigQuals, rows)
	case *IndexOnlyScan:
		f.indexOnly(n)
	case *BitmapIndexScan:
		fix(&n.Scan)
		n.IndexQuals, n.OrigQuals = f.scanList(n.IndexQuals, rows), f.scanList(n.OrigQuals, rows)
	case *BitmapHeapScan:
		fix(&n.Scan)
		n.OrigQuals = f.scanList(n.OrigQuals, rows*2)
	case *TIDScan:
		fix(&n.Scan)
		n.TIDQuals = f.scanList(n.TIDQuals, 1)
	case *TIDRangeScan:
		fix(&n.Scan)
		n.RangeQuals = f.scanList(n.RangeQuals, 1)
	case *FunctionScan:
		fix(&n.Scan)
		for _, x := range n.Functions {
			x.Expr = f.scanExpr(x.Expr, 1)
		}
	case *ValuesScan:
		fix(&n.Scan)
		for i, row := range n.Rows {
			n.Rows[i] = f.scanList(row, 1)
		}
	case *CTEScan:
		fix(&n.Scan)
	case *WorkTableScan:
		fix(&n.Scan)
	case *NamedTuplestoreScan:
		fix(&n.Scan)
	default:
		panic(broken("unknown node in setrefs"))
	}
}

func (f *refs) indexOnly(n *IndexOnlyScan) {
	rows := n.Rows
	x := indexList(n.IndexTargets, query.IndexVar)
	n.RTIndex = f.at(n.RTIndex)
	n.Targets = f.upperTargets(n.Targets, x, rows)
	up := func(es []query.Expr) []query.Expr {
		return mapList(es, func(e query.Expr) query.Expr { return f.upperExpr(e, x, 0, rows*2) })
	}
	n.Quals, n.Recheck = up(n.Quals), up(n.Recheck)
	n.IndexQuals = f.scanList(n.IndexQuals, rows)
	n.IndexTargets = f.scanTargets(n.IndexTargets, rows)
}

// subqueryScan leaves the scan out when it only passes the subquery's rows on.
func (f *refs) subqueryScan(n *SubqueryScan) Node {
	sub := f.r.rels[n.RTIndex].subroot
	n.Subplan = sub.setReferences(n.Subplan)
	if len(n.Quals) == 0 && trivialScan(n) {
		b := n.Subplan.Base()
		b.InitPlans = append(append([]*query.SubPlan(nil), n.InitPlans...), b.InitPlans...)
		ts := make([]*query.TargetEntry, len(b.Targets))
		for i, t := range b.Targets {
			c := *t
			c.Name, c.Junk, c.OrigTable, c.OrigCol = n.Targets[i].Name, n.Targets[i].Junk, n.Targets[i].OrigTable, n.Targets[i].OrigCol
			if n.Targets[i].SortGroupRef != 0 {
				c.SortGroupRef = n.Targets[i].SortGroupRef
			}
			ts[i] = &c
		}
		b.Targets = ts
		return n.Subplan
	}
	n.RTIndex = f.at(n.RTIndex)
	n.Targets, n.Quals = f.scanTargets(n.Targets, n.Rows), f.scanList(n.Quals, n.Rows*2)
	return n
}

func trivialScan(n *SubqueryScan) bool {
	sub := n.Subplan.Base().Targets
	if len(sub) != len(n.Targets) {
		return false
	}
	for i, t := range n.Targets {
		if t.Junk != sub[i].Junk {
			return false
		}
		switch e := t.Expr.(type) {
		case *query.Var:
			if int(e.AttNo) != i+1 || e.VarNo != n.RTIndex {
				return false
			}
		case *query.Const:
			if !equal(e, sub[i].Expr) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (f *refs) join(n Node) {
	b := n.Base()
	o, in := indexTargets(b.Left, query.OuterVar), indexTargets(b.Right, query.InnerVar)
	rows := b.Rows
	list := func(es []query.Expr) []query.Expr {
		return mapList(es, func(e query.Expr) query.Expr { return f.joinExpr(e, o, in, 0, rows*2) })
	}
	fix := func(j *Join) { j.JoinQuals = list(j.JoinQuals) }
	switch n := n.(type) {
	case *NestLoop:
		fix(&n.Join)
		for i := range n.Params {
			n.Params[i].Value = f.upperExpr(n.Params[i].Value, o, 0, rows)
		}
	case *MergeJoin:
		fix(&n.Join)
		n.MergeClauses = list(n.MergeClauses)
	case *HashJoin:
		fix(&n.Join)
		n.HashClauses = list(n.HashClauses)
		n.HashKeys = mapList(n.HashKeys, func(e query.Expr) query.Expr { return f.upperExpr(e, o, 0, rows) })
	}
	b.Targets = mapTargets(b.Targets, func(e query.Expr) query.Expr { return f.joinExpr(e, o, in, 0, rows) })
	b.Quals = list(b.Quals)
}

// passing: nodes whose rows are their input's.
func (f *refs) passing(n Node) {
	b := n.Base()
	switch n := n.(type) {
	case *Limit:
		n.Offset, n.Count = f.scanExpr(n.Offset, 1), f.scanExpr(n.Count, 1)
	case *Memoize:
		n.Keys = f.scanList(n.Keys, b.Rows)
	}
	f.dummy(b)
}

func (f *refs) upper(n Node) {
	b := n.Base()
	x := indexTargets(b.Left, query.OuterVar)
	b.Targets = f.upperTargets(b.Targets, x, b.Rows)
	b.Quals = mapList(b.Quals, func(e query.Expr) query.Expr { return f.upperExpr(e, x, 0, b.Rows*2) })
	if w, ok := n.(*WindowAgg); ok {
		w.StartOffset, w.EndOffset = f.scanExpr(w.StartOffset, 1), f.scanExpr(w.EndOffset, 1)
		w.RunCondition = mapList(w.RunCondition, func(e query.Expr) query.Expr { return f.upperExpr(e, x, 0, b.Rows) })
	}
}

func (f *refs) result(n *Result) {
	if n.Left != nil {
		f.upper(n)
	} else {
		n.Targets, n.Quals = f.scanTargets(n.Targets, n.Rows), f.scanList(n.Quals, n.Rows)
	}
	n.ConstQuals = f.scanList(n.ConstQuals, 1)
}

func (f *refs) modifyTable(n *ModifyTable) {
	sub := indexTargets(n.Left, query.OuterVar)
	for i, list := range n.Returning {
		rel := n.ResultRels[i]
		n.Returning[i] = mapTargets(list, func(e query.Expr) query.Expr { return f.joinExpr(e, sub, nil, rel, n.Rows) })
	}
	if len(n.RootReturning) > 0 {
		n.RootReturning = mapTargets(n.RootReturning, func(e query.Expr) query.Expr { return f.joinExpr(e, sub, nil, n.RootRelation, n.Rows) })
	}
	if len(n.Returning) > 0 {
		n.Targets = n.Returning[0]
	}
	for i, list := range n.MergeActions {
		rel := n.ResultRels[i]
		fix := func(e query.Expr) query.Expr { return f.joinExpr(e, sub, nil, rel, 1) }
		out := make([]*query.MergeAction, len(list))
		for k, a := range list {
			out[k] = mapMergeAction(a, fix, fix)
		}
		n.MergeActions[i] = out
	}
	for i, list := range n.WithChecks {
		n.WithChecks[i] = mapWithChecks(list, func(e query.Expr) query.Expr { return f.scanExpr(e, 1) })
	}
	if n.OnConflict != query.OnConflictNone && n.ExclRTIndex != 0 {
		x := indexList(n.ExclTargets, query.InnerVar)
		rel := n.ResultRels[0]
		fix := func(e query.Expr) query.Expr { return f.joinExpr(e, nil, x, rel, 1) }
		n.ConflictSet = mapTargets(n.ConflictSet, fix)
		if n.ConflictWhere != nil {
			n.ConflictWhere = fix(n.ConflictWhere)
		}
		n.ExclTargets = f.scanTargets(n.ExclTargets, 1)
		n.ExclRTIndex = f.at(n.ExclRTIndex)
	}
	n.Nominal = f.at(n.Nominal)
	if n.RootRelation != 0 {
		n.RootRelation = f.at(n.RootRelation)
	}
	rels := make([]int, len(n.ResultRels))
	for i, x := range n.ResultRels {
		rels[i] = f.at(x)
	}
	n.ResultRels = rels
	f.r.g.resultRels = append(f.r.g.resultRels, rels...)
}
