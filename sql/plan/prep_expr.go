package plan

import (
	"github.com/calfdb/calf/sql/query"
)

// preprocessExpressions brings all expressions of this level to the form that planning works on: join alias Vars replaced, constants folded,
// SubLinks planned, references to outer levels turned into params.
func (r *root) preprocessExpressions() {
	q := r.q
	val := func(e query.Expr) query.Expr { return r.preprocess(e, false) }
	opt := func(e query.Expr) query.Expr {
		if e == nil {
			return nil
		}
		return val(e)
	}
	q.Targets = r.replaceMultiExprs(mapTargets(q.Targets, val))
	q.WithChecks = mapWithChecks(q.WithChecks, func(e query.Expr) query.Expr { return r.preprocess(e, true) })
	q.Returning = mapTargets(q.Returning, val)
	q.JoinTree = mapJoinTree(q.JoinTree, func(e query.Expr) query.Expr { return r.preprocess(e, true) }).(*query.FromExpr)
	if q.Having != nil {
		q.Having = r.preprocess(q.Having, true)
	}
	q.Windows = mapWindows(q.Windows, val)
	q.LimitOffset, q.LimitCount = opt(q.LimitOffset), opt(q.LimitCount)
	if o := q.OnConflict; o != nil {
		n := *o
		n.ArbiterElems = nil
		for _, e := range o.ArbiterElems {
			c := *e
			c.Expr = val(e.Expr)
			n.ArbiterElems = append(n.ArbiterElems, &c)
		}
		if o.ArbiterWhere != nil {
			n.ArbiterWhere = r.preprocess(o.ArbiterWhere, true)
		}
		n.Set = r.replaceMultiExprs(mapTargets(o.Set, val))
		if o.Where != nil {
			n.Where = r.preprocess(o.Where, true)
		}
		q.OnConflict = &n
	}
	for i, a := range q.MergeActions {
		q.MergeActions[i] = mapMergeAction(a, func(e query.Expr) query.Expr { return r.preprocess(e, true) }, val)
		q.MergeActions[i].Targets = r.replaceMultiExprs(q.MergeActions[i].Targets)
	}
	for _, e := range q.RangeTable {
		r.preprocessRTE(e)
	}
}

// replaceMultiExprs puts the parameters that the sub-selects of SET (a, b) = (SELECT ...) set where a list's columns refer to them. Each list
// counts its own sub-selects.
func (r *root) replaceMultiExprs(list []*query.TargetEntry) []*query.TargetEntry {
	if r.multiExpr == nil {
		return list
	}
	params := r.multiExpr
	r.multiExpr = nil
	return mapTargets(list, func(e query.Expr) query.Expr {
		return mutate(e, func(e query.Expr) query.Expr {
			if p, ok := e.(*query.Param); ok && p.Kind == query.ParamMultiExpr {
				return params[p.ID>>16-1][p.ID&0xffff-1]
			}
			return nil
		})
	})
}

func (r *root) preprocessRTE(e *query.RTE) {
	val := func(x query.Expr) query.Expr { return r.preprocess(x, false) }
	switch e.Kind {
	case query.RTESubquery:
		if e.Lateral && r.hasJoinRTEs && e.Subquery != nil { // nil: merged
			e.Subquery = mutateQuery(e.Subquery, 1, r.flattenAlias)
		}
	case query.RTEFunction, query.RTEValues, query.RTERelation, query.RTETableFunc:
		aliases := e.JoinAliasVars
		mapRTE(e, val)
		e.JoinAliasVars = aliases
	}
}

func (r *root) preprocess(e query.Expr, qual bool) query.Expr {
	if r.hasJoinRTEs {
		e = mutateDeep(e, 0, r.flattenAlias)
	}
	e = r.g.fold(e)
	if qual {
		e = canonicalize(e)
	}
	if r.q.HasSubLinks {
		e = r.processSublinks(e, qual)
	}
	if r.level > 1 {
		e = r.replaceCorrelation(e)
	}
	return e
}

// flattenAlias replaces Vars of join entries by what the join's column is made of.
func (r *root) flattenAlias(e query.Expr, d int) query.Expr {
	v, ok := e.(*query.Var)
	if !ok || v.LevelsUp != d || v.VarNo < 1 || v.VarNo > len(r.q.RangeTable) {
		return nil
	}
	j := r.rte(v.VarNo)
	if j.Kind != query.RTEJoin {
		return nil
	}
	if v.AttNo == 0 {
		return r.wholeJoinRow(v, j, d)
	}
	x := shiftLevels(j.JoinAliasVars[v.AttNo-1], d, 0)
	return mutateDeep(x, d, r.flattenAlias)
}

func (r *root) wholeJoinRow(v *query.Var, j *query.RTE, d int) query.Expr {
	row := &query.RowExpr{TypeOID: v.TypeOID, Form: query.CoerceImplicitCast, Loc: v.Loc}
	for i, a := range j.JoinAliasVars {
		if a == nil {
			continue
		}
		row.Args = append(row.Args, mutateDeep(shiftLevels(a, d, 0), d, r.flattenAlias))
		row.ColNames = append(row.ColNames, j.Eref.Cols[i])
	}
	return row
}

// foldFunctionRTEs folds constants in functions in FROM ahead of the rest, since pulling up depends on it.
func (r *root) foldFunctionRTEs() {
	for _, e := range r.q.RangeTable {
		if e.Kind != query.RTEFunction {
			continue
		}
		fs := make([]*query.RangeFunction, len(e.Functions))
		for i, f := range e.Functions {
			n := *f
			n.Expr = r.g.fold(f.Expr)
			fs[i] = &n
		}
		e.Functions = fs
	}
}

// moveHavingToWhere moves HAVING conditions that do not depend on aggregates to WHERE.
func (r *root) moveHavingToWhere() {
	q := r.q
	var keep, move []query.Expr
	for _, h := range implicitAnd(q.Having) {
		switch {
		case hasAggref(h) || r.g.volatile(h) || hasSubplan(h) || len(q.GroupBy) > 0 && len(q.GroupingSets) > 0:
			keep = append(keep, h)
		case len(q.GroupBy) > 0:
			move = append(move, h)
		default: // no grouping: also in WHERE so that the input may be empty, and kept since one row comes out of an empty input
			move = append(move, h)
			keep = append(keep, h)
		}
	}
	q.Having = nil
	if len(keep) > 0 {
		q.Having = makeAnd(keep)
	}
	if len(move) > 0 {
		f := *q.JoinTree
		f.Quals = makeAnd(append(append([]query.Expr(nil), implicitAnd(f.Quals)...), move...))
		q.JoinTree = &f
	}
}

// removeResultRTEs drops one-row relations that are inner-joined with others.
func (r *root) removeResultRTEs() {
	f := r.q.JoinTree
	items := f.Items
	quals := implicitAnd(f.Quals)
	var keep []query.FromItem
	for _, it := range items {
		if n, ok := it.(*query.FromExpr); ok && r.onlyResult(n) {
			quals = append(append([]query.Expr(nil), quals...), implicitAnd(n.Quals)...)
			it = n.Items[0]
		}
		keep = append(keep, it)
	}
	var rest []query.FromItem
	for i, it := range keep {
		t, ok := it.(*query.RangeTblRef)
		if ok && r.rte(t.Index).Kind == query.RTEResult && (len(rest) > 0 || i < len(keep)-1) {
			continue
		}
		rest = append(rest, it)
	}
	n := &query.FromExpr{Items: rest}
	if len(quals) > 0 {
		n.Quals = makeAnd(quals)
	}
	r.q.JoinTree = n
}

func (r *root) onlyResult(f *query.FromExpr) bool {
	if len(f.Items) != 1 {
		return false
	}
	t, ok := f.Items[0].(*query.RangeTblRef)
	return ok && r.rte(t.Index).Kind == query.RTEResult
}

func (r *root) preprocessRowMarks() {
	q := r.q
	if len(q.RowMarks) == 0 && q.Command != query.CmdUpdate && q.Command != query.CmdDelete && q.Command != query.CmdMerge {
		return
	}
	left := joinTreeRels(q.JoinTree)
	left.del(q.ResultRelation)
	for _, m := range q.RowMarks {
		if r.rte(m.RTIndex).Kind != query.RTERelation {
			continue
		}
		left.del(m.RTIndex)
		r.g.nextRowMark++
		r.rowMarks = append(r.rowMarks, &RowMark{RTIndex: m.RTIndex, ParentRT: m.RTIndex, ID: r.g.nextRowMark,
			Type: rowMarkType(r.rte(m.RTIndex), m.Strength), Strength: m.Strength, Wait: m.Wait})
	}
	left.each(func(i int) {
		e := r.rte(i)
		if e.Kind == query.RTEResult {
			return
		}
		r.g.nextRowMark++
		r.rowMarks = append(r.rowMarks, &RowMark{RTIndex: i, ParentRT: i, ID: r.g.nextRowMark, Type: rowMarkType(e, query.LockNone)})
	})
}

func rowMarkType(e *query.RTE, s query.LockStrength) RowMarkType {
	if e.Kind != query.RTERelation {
		return RowMarkCopy
	}
	switch s {
	case query.LockForKeyShare:
		return RowMarkKeyShare
	case query.LockForShare:
		return RowMarkShare
	case query.LockForNoKeyUpdate:
		return RowMarkNoKeyExclusive
	case query.LockForUpdate:
		return RowMarkExclusive
	}
	return RowMarkReference
}
