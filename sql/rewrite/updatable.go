package rewrite

import (
	"slices"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// updateView turns a change of a simple view into a change of the table (or view) that it selects from.
func (r *rewriter) updateView(q *query.Query, view *catalog.Relation) ([]*query.Query, error) {
	if err := refuseInstead(q, view); err != nil {
		return nil, err
	}
	def, err := viewQuery(view)
	if err != nil {
		return nil, err
	}
	if why := NotUpdatable(def, q.Command != query.CmdDelete); why != "" {
		return nil, notUpdatableError(view, q.Command, why)
	}
	if slices.Contains(r.active, view.OID) {
		return nil, pgerr.New(pgerr.InvalidObjectDefinition, "infinite recursion detected in rules for relation \"%s\"", view.Name)
	}
	if query.Contains(q.JoinTree.Quals, func(e query.Expr) bool { _, ok := e.(*query.CurrentOfExpr); return ok }) {
		return nil, pgerr.New(pgerr.FeatureNotSupported, "WHERE CURRENT OF on a view is not implemented")
	}
	if q.OnConflict != nil {
		return nil, pgerr.NotSupported("ON CONFLICT on view \"%s\"", view.Name)
	}
	r.active = append(r.active, view.OID)
	defer func() { r.active = r.active[:len(r.active)-1] }()
	def = query.CopyQuery(def)
	baseIndex := def.JoinTree.Items[0].(*query.RangeTblRef).Index
	base := def.RangeTable[baseIndex-1]
	if _, err := r.relation(base.RelOID, analyze.RowExclusiveLock); err != nil {
		return nil, err
	}
	if err := checkViewColumns(q, def, view); err != nil {
		return nil, err
	}
	setOwner(def, viewUser(view))
	s := &viewSwap{q: q, view: view, def: def, viewIndex: q.ResultRelation, newIndex: len(q.RangeTable) + 1, baseIndex: baseIndex}
	return r.target(s.swap(base))
}

// refuseInstead refuses a change that an INSTEAD OF trigger of the view is to make.
func refuseInstead(q *query.Query, view *catalog.Relation) error {
	const instead = 1 << 6
	event := map[query.CommandType]int16{query.CmdInsert: 1 << 2, query.CmdDelete: 1 << 3, query.CmdUpdate: 1 << 4}[q.Command]
	for _, t := range view.Triggers {
		if t.Type&instead != 0 && t.Type&event != 0 && t.Enabled != 'D' {
			return pgerr.NotSupported("INSTEAD OF triggers")
		}
	}
	return nil
}

// NotUpdatable says why a view's query is not automatically updatable, "" when it is; needColumn also asks for a column that can be written.
func NotUpdatable(def *query.Query, needColumn bool) string {
	is := func(what string) string { return "Views containing " + what + " are not automatically updatable." }
	switch {
	case len(def.Distinct) > 0:
		return is("DISTINCT")
	case len(def.GroupBy) > 0 || len(def.GroupingSets) > 0:
		return is("GROUP BY")
	case def.Having != nil:
		return is("HAVING")
	case def.SetOp != nil:
		return is("UNION, INTERSECT, or EXCEPT")
	case len(def.CTEs) > 0:
		return is("WITH")
	case def.LimitOffset != nil || def.LimitCount != nil:
		return is("LIMIT or OFFSET")
	case def.HasAggs:
		return "Views that return aggregate functions are not automatically updatable."
	case def.HasWindowFuncs:
		return "Views that return window functions are not automatically updatable."
	case def.HasTargetSRFs:
		return "Views that return set-returning functions are not automatically updatable."
	}
	const oneTable = "Views that do not select from a single table or view are not automatically updatable."
	if len(def.JoinTree.Items) != 1 {
		return oneTable
	}
	ref, ok := def.JoinTree.Items[0].(*query.RangeTblRef)
	if !ok {
		return oneTable
	}
	base := def.RangeTable[ref.Index-1]
	if base.Kind != query.RTERelation || !slices.Contains([]byte("rfvp"), base.RelKind) {
		return oneTable
	}
	if base.TableSample != nil {
		return is("TABLESAMPLE")
	}
	if needColumn && !slices.ContainsFunc(def.Targets, func(t *query.TargetEntry) bool { return columnNotUpdatable(t, ref.Index) == "" }) {
		return "Views that have no updatable columns are not automatically updatable."
	}
	return ""
}

// columnNotUpdatable says why a view's column cannot be written, "" when it can.
func columnNotUpdatable(t *query.TargetEntry, base int) string {
	if t.Junk {
		return "Junk view columns are not updatable."
	}
	v, ok := t.Expr.(*query.Var)
	switch {
	case !ok || v.VarNo != base || v.LevelsUp != 0:
		return "View columns that are not columns of their base relation are not updatable."
	case v.AttNo < 0:
		return "View columns that refer to system columns are not updatable."
	case v.AttNo == 0:
		return "View columns that return whole-row references are not updatable."
	}
	return ""
}

func notUpdatableError(view *catalog.Relation, cmd query.CommandType, why string) error {
	verb, doing, event := "insert into", "inserting into", "INSERT"
	switch cmd {
	case query.CmdUpdate:
		verb, doing, event = "update", "updating", "UPDATE"
	case query.CmdDelete:
		verb, doing, event = "delete from", "deleting from", "DELETE"
	}
	return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "cannot %s view \"%s\"", verb, view.Name).WithDetail("%s", why).
		WithHint("To enable %s the view, provide an INSTEAD OF %s trigger or an unconditional ON %s DO INSTEAD rule.", doing, event, event)
}

// checkViewColumns refuses writing columns of the view that are not plain columns of its table.
func checkViewColumns(q, def *query.Query, view *catalog.Relation) error {
	if q.Command == query.CmdDelete {
		return nil
	}
	base := def.JoinTree.Items[0].(*query.RangeTblRef).Index
	for _, t := range q.Targets {
		if t.Junk {
			continue
		}
		vt := def.Targets[t.ResNo-1]
		if why := columnNotUpdatable(vt, base); why != "" {
			verb := "insert into"
			if q.Command == query.CmdUpdate {
				verb = "update"
			}
			return pgerr.New(pgerr.FeatureNotSupported, "cannot %s column \"%s\" of view \"%s\"", verb, vt.Name, view.Name).WithDetail("%s", why)
		}
	}
	return nil
}

// viewSwap replaces the target view of a query by its table.
type viewSwap struct {
	q, def                         *query.Query
	view                           *catalog.Relation
	viewIndex, newIndex, baseIndex int
}

func (s *viewSwap) swap(base *query.RTE) *query.Query {
	viewRTE := s.q.RangeTable[s.viewIndex-1]
	newRTE := *base
	newRTE.RequiredPerms = viewRTE.RequiredPerms
	newRTE.LockMode = analyze.RowExclusiveLock
	newRTE.Inh = base.Inh
	newRTE.InFrom = false
	newRTE.SelectedCols = union(base.SelectedCols, s.baseColumns(viewRTE.SelectedCols))
	newRTE.InsertedCols, newRTE.UpdatedCols = s.baseColumns(viewRTE.InsertedCols), s.baseColumns(viewRTE.UpdatedCols)

	q := query.MutateQueryLevels(s.q, s.replace)
	q.RangeTable = append(slices.Clip(q.RangeTable), &newRTE)
	q.ResultRelation = s.newIndex
	q.JoinTree = s.joinTree(q.JoinTree)
	if q.Command != query.CmdDelete {
		q.Targets = s.targets(q.Targets)
	}
	if q.Command != query.CmdInsert && s.def.JoinTree.Quals != nil {
		q.JoinTree.Quals = andQuals(s.moved(s.def.JoinTree.Quals, 0), q.JoinTree.Quals)
		q.HasSubLinks = q.HasSubLinks || s.def.HasSubLinks
	}
	s.addCheck(q)
	return q
}

// moved gives an expression of the view's query with its table at the new index, for use at a level of the outer query.
func (s *viewSwap) moved(e query.Expr, level int) query.Expr {
	e = query.MutateLevels(e, func(x query.Expr, l int) (query.Expr, bool) {
		if v, ok := x.(*query.Var); ok && v.LevelsUp == l && v.VarNo == s.baseIndex {
			c := *v
			c.VarNo, c.SynNo = s.newIndex, s.newIndex
			return &c, true
		}
		return nil, false
	})
	return analyze.IncrementLevels(e, level)
}

// replace turns references to the view's columns into what the view selects.
func (s *viewSwap) replace(x query.Expr, level int) (query.Expr, bool) {
	v, ok := x.(*query.Var)
	if !ok || v.LevelsUp != level || v.VarNo != s.viewIndex {
		return nil, false
	}
	if v.AttNo > 0 {
		return s.moved(query.Copy(s.def.Targets[v.AttNo-1].Expr), level), true
	}
	row := &query.RowExpr{TypeOID: s.view.RowType, Form: query.CoerceImplicitCast, Loc: v.Loc}
	for i := range s.view.Desc.Attrs {
		row.Args = append(row.Args, s.moved(query.Copy(s.def.Targets[i].Expr), level))
		row.ColNames = append(row.ColNames, s.view.Desc.Attrs[i].Name)
	}
	return row, true
}

// targets renumbers the target list for the table's columns.
func (s *viewSwap) targets(list []*query.TargetEntry) []*query.TargetEntry {
	var out []*query.TargetEntry
	for _, t := range list {
		c := *t
		if !t.Junk {
			c.ResNo = int(s.def.Targets[t.ResNo-1].Expr.(*query.Var).AttNo)
		}
		out = append(out, &c)
	}
	return out
}

func (s *viewSwap) joinTree(f *query.FromExpr) *query.FromExpr {
	c := *f
	c.Items = slices.Clone(f.Items)
	for i, item := range c.Items {
		if ref, ok := item.(*query.RangeTblRef); ok && ref.Index == s.viewIndex {
			c.Items[i] = &query.RangeTblRef{Index: s.newIndex}
		}
	}
	return &c
}

func andQuals(a, b query.Expr) query.Expr {
	if b == nil {
		return a
	}
	return &query.BoolExpr{Op: query.And, Args: []query.Expr{a, b}, Loc: -1}
}

// baseColumns translates a set of the view's columns.
func (s *viewSwap) baseColumns(set map[int]bool) map[int]bool {
	if set == nil {
		return nil
	}
	out := map[int]bool{}
	for col := range set {
		if col <= 0 {
			continue
		}
		query.Walk(s.def.Targets[col-1].Expr, func(e query.Expr) bool {
			if v, ok := e.(*query.Var); ok && v.VarNo == s.baseIndex && v.LevelsUp == 0 {
				out[int(v.AttNo)] = true
			}
			return true
		})
	}
	return out
}

func union(a, b map[int]bool) map[int]bool {
	out := map[int]bool{}
	for _, m := range []map[int]bool{a, b} {
		for k := range m {
			out[k] = true
		}
	}
	return out
}

// addCheck adds WITH CHECK OPTION: cascaded checks also hold for the views below, so an outer check makes theirs apply.
func (s *viewSwap) addCheck(q *query.Query) {
	if q.Command == query.CmdDelete {
		return
	}
	cascaded, local := checkOption(s.view)
	for _, w := range q.WithChecks {
		cascaded = cascaded || w.Cascaded
	}
	if !cascaded && !local {
		return
	}
	w := &query.WithCheckOption{Kind: 'v', RelName: s.view.Name, Cascaded: cascaded}
	if s.def.JoinTree.Quals != nil {
		w.Qual = s.moved(s.def.JoinTree.Quals, 0)
		q.HasSubLinks = q.HasSubLinks || s.def.HasSubLinks
	}
	// The view below is checked first.
	q.WithChecks = append([]*query.WithCheckOption{w}, q.WithChecks...)
}

func checkOption(view *catalog.Relation) (cascaded, local bool) {
	for _, o := range view.Options {
		cascaded = cascaded || o == "check_option=cascaded"
		local = local || o == "check_option=local"
	}
	return cascaded, local
}
