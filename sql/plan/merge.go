package plan

import "github.com/calfdb/calf/sql/query"

// mergeToJoin joins MERGE's target to its source: outer, so that source rows without a match remain, when some action inserts.
func (r *root) mergeToJoin() {
	q := r.q
	var source query.FromItem = &query.FromExpr{Items: q.JoinTree.Items}
	if len(q.JoinTree.Items) == 1 {
		source = q.JoinTree.Items[0]
	}
	j := &query.JoinExpr{Type: query.JoinInner, Left: &query.RangeTblRef{Index: q.ResultRelation}, Right: source, Quals: q.JoinTree.Quals}
	for _, a := range q.MergeActions {
		if a.Command == query.CmdInsert {
			j.Type, j.Left, j.Right = query.JoinLeft, source, &query.RangeTblRef{Index: q.ResultRelation}
			break
		}
	}
	q.JoinTree = &query.FromExpr{Items: []query.FromItem{j}}
}

func mapMergeAction(a *query.MergeAction, qual, target func(query.Expr) query.Expr) *query.MergeAction {
	c := *a
	if c.Qual != nil {
		c.Qual = qual(c.Qual)
	}
	c.Targets = mapTargets(c.Targets, target)
	return &c
}

// mergeTargets completes the actions' target lists and carries the source columns that they read.
func (r *root) mergeTargets(ts []*query.TargetEntry) []*query.TargetEntry {
	q := r.q
	for i, a := range q.MergeActions {
		c := *a
		if c.Command == query.CmdInsert {
			c.Targets = r.insertTargets(c.Targets)
		}
		q.MergeActions[i] = &c
		var vars []*query.Var
		if c.Qual != nil {
			vars = varsOf(c.Qual)
		}
		for _, t := range c.Targets {
			vars = append(vars, varsOf(t.Expr)...)
		}
		for _, v := range vars {
			if v.VarNo != q.ResultRelation && !hasTargetExpr(ts, v) {
				ts = append(ts, &query.TargetEntry{Expr: v, ResNo: len(ts) + 1, Junk: true})
			}
		}
	}
	return ts
}
