package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// checkChosen refuses a select-list item that GROUP BY names or counts but could not hold itself.
func (p *state) checkChosen(t *query.TargetEntry, kind exprKind) {
	if kind != kindGroupBy {
		return
	}
	if at, found := aggregateAt(t.Expr); p.hasAggs && found {
		fail(at, pgerr.GroupingError, "aggregate functions are not allowed in %s", exprKindNames[kind])
	}
	if p.hasWindowFuncs && containsWindowFunc(t.Expr) {
		fail(windowLocation(t.Expr), pgerr.WindowingError, "window functions are not allowed in %s", exprKindNames[kind])
	}
}

// aggregateAt gives the place of the first aggregate of this query level in an expression.
func aggregateAt(e query.Expr) (at int, found bool) {
	at = -1
	query.WalkLevels(e, func(x query.Expr, level int) bool {
		switch x := x.(type) {
		case *query.Aggref:
			if x.LevelsUp == level && !found {
				at, found = x.Loc, true
			}
		case *query.GroupingFunc:
			if x.LevelsUp == level && !found {
				at, found = x.Loc, true
			}
		}
		return !found
	})
	return at, found
}

// findTarget92 finds what a GROUP BY, ORDER BY or DISTINCT ON item means by SQL92's rules: an output column's name or number, else an expression.
func (p *state) findTarget92(n *node, targets *[]*query.TargetEntry, kind exprKind) *query.TargetEntry {
	clause := exprKindNames[kind]
	if c := n.GetColumnRef(); c != nil && len(c.Fields) == 1 && c.Fields[0].GetString_() != nil {
		if t := p.targetByName(strVal(c.Fields[0]), int(c.Location), *targets, kind, clause); t != nil {
			p.checkChosen(t, kind)
			return t
		}
	}
	if c := n.GetAConst(); c != nil {
		num, isInt := constInt(c)
		if !isInt {
			fail(int(c.Location), pgerr.SyntaxError, "non-integer constant in %s", clause)
		}
		pos := 0
		for _, t := range *targets {
			if !t.Junk {
				if pos++; pos == num {
					p.checkChosen(t, kind)
					return t
				}
			}
		}
		fail(int(c.Location), pgerr.InvalidColumnReference, "%s position %d is not in select list", clause, num)
	}
	return p.findTarget99(n, targets, kind)
}

func constInt(c *pg_query.A_Const) (int, bool) {
	if c.Isnull {
		return 0, false
	}
	switch v := c.Val.(type) {
	case *pg_query.A_Const_Ival:
		return int(v.Ival.GetIval()), true
	case nil:
		return 0, true
	}
	return 0, false
}

// targetByName looks for an output column of this name. GROUP BY prefers a column of FROM of the same name.
func (p *state) targetByName(name string, at int, targets []*query.TargetEntry, kind exprKind, clause string) *query.TargetEntry {
	if kind == kindGroupBy && p.findColumn(name, true, at) != nil {
		return nil
	}
	var found *query.TargetEntry
	for _, t := range targets {
		if t.Junk || t.Name != name {
			continue
		}
		if found == nil {
			found = t
		} else if !query.Equal(found.Expr, t.Expr) {
			fail(at, pgerr.AmbiguousColumn, "%s \"%s\" is ambiguous", clause, name)
		}
	}
	return found
}

// findTarget99 finds the target entry that equals an expression, or adds one as junk.
func (p *state) findTarget99(n *node, targets *[]*query.TargetEntry, kind exprKind) *query.TargetEntry {
	e := p.expr(n, kind)
	for _, t := range *targets {
		// An implicit cast that was put on an output literal does not make it another expression.
		x := t.Expr
		if query.Equal(e, x) || query.Equal(e, stripImplicit(x)) {
			return t
		}
	}
	t := p.targetEntry(n, e, kind, "", true)
	*targets = append(*targets, t)
	return t
}

// stripImplicit removes the coercions that were not written.
func stripImplicit(e query.Expr) query.Expr {
	for {
		switch x := e.(type) {
		case *query.FuncExpr:
			if x.Form == query.CoerceImplicitCast && len(x.Args) > 0 {
				e = x.Args[0]
				continue
			}
		case *query.RelabelType:
			if x.Form == query.CoerceImplicitCast {
				e = x.Arg
				continue
			}
		case *query.CoerceViaIO:
			if x.Form == query.CoerceImplicitCast {
				e = x.Arg
				continue
			}
		case *query.ArrayCoerceExpr:
			if x.Form == query.CoerceImplicitCast {
				e = x.Arg
				continue
			}
		case *query.ConvertRowtypeExpr:
			if x.Form == query.CoerceImplicitCast {
				e = x.Arg
				continue
			}
		case *query.CoerceToDomain:
			if x.Form == query.CoerceImplicitCast {
				e = x.Arg
				continue
			}
		}
		return e
	}
}

// sortClause analyses ORDER BY; useSQL99 forbids output column names and numbers (window definitions, aggregates).
func (p *state) sortClause(list []*node, targets *[]*query.TargetEntry, kind exprKind, useSQL99 bool) []*query.SortGroupClause {
	var out []*query.SortGroupClause
	for _, n := range list {
		s := n.GetSortBy()
		var t *query.TargetEntry
		if useSQL99 {
			t = p.findTarget99(s.Node, targets, kind)
		} else {
			t = p.findTarget92(s.Node, targets, kind)
		}
		out = p.addSort(t, out, targets, s)
	}
	return out
}

// resolveUnknownTarget makes text of an unknown literal that is sorted or grouped.
func (p *state) resolveUnknownTarget(t *query.TargetEntry) {
	if t.Expr.Type() == types.UnknownOID {
		t.Expr = p.coerceType(t.Expr, types.UnknownOID, types.TextOID, -1, coercionImplicit, query.CoerceImplicitCast, -1)
	}
}

// addSort appends a sort column, unless the list has it already.
func (p *state) addSort(t *query.TargetEntry, list []*query.SortGroupClause, targets *[]*query.TargetEntry, s *pg_query.SortBy) []*query.SortGroupClause {
	p.resolveUnknownTarget(t)
	at := int(s.Location)
	if at < 0 {
		at = exprLocation(t.Expr)
	}
	typ := t.Expr.Type()
	c := &query.SortGroupClause{}
	reverse := false
	switch s.SortbyDir {
	case pg_query.SortByDir_SORTBY_DESC:
		ops := p.sortGroupOperators(typ, false, true, true, at)
		c.SortOp, c.EqOp, c.Hashable = ops.gt, ops.eq, ops.hashable
		reverse = true
	case pg_query.SortByDir_SORTBY_USING:
		c.SortOp, c.EqOp, reverse = p.usingOperator(strList(s.UseOp), typ, at)
		c.Hashable = p.operator(c.EqOp).CanHash
	default:
		ops := p.sortGroupOperators(typ, true, true, false, at)
		c.SortOp, c.EqOp, c.Hashable = ops.lt, ops.eq, ops.hashable
	}
	switch s.SortbyNulls {
	case pg_query.SortByNulls_SORTBY_NULLS_FIRST:
		c.NullsFirst = true
	case pg_query.SortByNulls_SORTBY_NULLS_LAST:
	default:
		c.NullsFirst = reverse
	}
	if p.targetInSort(t, c.SortOp, list) {
		return list
	}
	c.Ref = assignRef(t, *targets)
	return append(list, c)
}

// usingOperator resolves ORDER BY x USING op.
func (p *state) usingOperator(name []string, typ OID, at int) (sortOp, eqOp OID, reverse bool) {
	o := p.binaryOperator(name, typ, typ, false, at)
	fams := p.orderingFamilies(o.OID)
	if len(fams) == 0 {
		throw(pgerr.New(pgerr.WrongObjectType, "operator %s is not a valid ordering operator", nameList(name)).
			WithHint("Ordering operators must be \"<\" or \">\" members of btree operator families.").WithLocation(at))
	}
	f := fams[0]
	return o.OID, must(p.env.Catalog.AmOp(f.Family, f.Left, f.Right, btEqual)), f.Strategy == btGreater
}

// targetInSort says whether a target is in a list already, with this operator, its commutator, or any when sortOp is 0.
func (p *state) targetInSort(t *query.TargetEntry, sortOp OID, list []*query.SortGroupClause) bool {
	if t.SortGroupRef == 0 {
		return false
	}
	for _, c := range list {
		if c.Ref != t.SortGroupRef {
			continue
		}
		if sortOp == 0 || c.SortOp == sortOp || p.operator(sortOp).Commutator == c.SortOp {
			return true
		}
	}
	return false
}

// assignRef gives a target entry its sort/group reference.
func assignRef(t *query.TargetEntry, targets []*query.TargetEntry) uint32 {
	if t.SortGroupRef == 0 {
		last := uint32(0)
		for _, x := range targets {
			last = max(last, x.SortGroupRef)
		}
		t.SortGroupRef = last + 1
	}
	return t.SortGroupRef
}

// addGroup appends a grouping column: with the sort operator that ORDER BY has for it when there is one.
func (p *state) addGroup(t *query.TargetEntry, list []*query.SortGroupClause, targets []*query.TargetEntry, at int) []*query.SortGroupClause {
	p.resolveUnknownTarget(t)
	if p.targetInSort(t, 0, list) {
		return list
	}
	if at < 0 {
		at = exprLocation(t.Expr)
	}
	ops := p.sortGroupOperators(t.Expr.Type(), false, true, false, at)
	return append(list, &query.SortGroupClause{Ref: assignRef(t, targets), EqOp: ops.eq, SortOp: ops.lt, Hashable: ops.hashable})
}

// distinctClause makes the columns of SELECT DISTINCT (or of an aggregate's DISTINCT): ORDER BY's first, then the rest of the output.
func (p *state) distinctClause(targets *[]*query.TargetEntry, sort []*query.SortGroupClause, agg bool) []*query.SortGroupClause {
	var out []*query.SortGroupClause
	for _, s := range sort {
		t := targetByRef(*targets, s.Ref)
		if t.Junk {
			if agg {
				fail(exprLocation(t.Expr), pgerr.InvalidColumnReference, "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list")
			}
			fail(exprLocation(t.Expr), pgerr.InvalidColumnReference, "for SELECT DISTINCT, ORDER BY expressions must appear in select list")
		}
		c := *s
		out = append(out, &c)
	}
	for _, t := range *targets {
		if !t.Junk {
			out = p.addGroup(t, out, *targets, -1)
		}
	}
	if len(out) == 0 {
		if agg {
			throw(pgerr.New(pgerr.SyntaxError, "an aggregate with DISTINCT must have at least one argument"))
		}
		throw(pgerr.New(pgerr.SyntaxError, "SELECT DISTINCT must have at least one column"))
	}
	return out
}

func targetByRef(targets []*query.TargetEntry, ref uint32) *query.TargetEntry {
	for _, t := range targets {
		if t.SortGroupRef == ref {
			return t
		}
	}
	throw(pgerr.Internal("ORDER/GROUP BY expression not found in targetlist"))
	return nil
}

// distinctOnClause makes the columns of DISTINCT ON, which must be the first of ORDER BY.
func (p *state) distinctOnClause(list []*node, targets *[]*query.TargetEntry, sort []*query.SortGroupClause) []*query.SortGroupClause {
	var refs []uint32
	for _, n := range list {
		t := p.findTarget92(n, targets, kindDistinctOn)
		p.resolveUnknownTarget(t)
		refs = append(refs, assignRef(t, *targets))
	}
	inOn := func(ref uint32) bool {
		for _, r := range refs {
			if r == ref {
				return true
			}
		}
		return false
	}
	var out []*query.SortGroupClause
	skipped := -1
	for i, s := range sort {
		if !inOn(s.Ref) {
			if skipped < 0 {
				skipped = i
			}
			continue
		}
		if skipped >= 0 {
			fail(p.distinctOnPlace(list, refs, s.Ref), pgerr.InvalidColumnReference, "SELECT DISTINCT ON expressions must match initial ORDER BY expressions")
		}
		c := *s
		out = append(out, &c)
	}
	for i, ref := range refs {
		t := targetByRef(*targets, ref)
		if p.targetInSort(t, 0, out) {
			continue
		}
		if skipped >= 0 {
			fail(exprNodeLocation(list[i], t), pgerr.InvalidColumnReference, "SELECT DISTINCT ON expressions must match initial ORDER BY expressions")
		}
		out = p.addGroup(t, out, *targets, exprNodeLocation(list[i], t))
	}
	return out
}

func (p *state) distinctOnPlace(list []*node, refs []uint32, ref uint32) int {
	for i, r := range refs {
		if r == ref {
			return exprNodeLocation(list[i], nil)
		}
	}
	return -1
}

// exprNodeLocation is the place of a parse node, by the kinds that are common; else that of the entry's expression.
func exprNodeLocation(n *node, t *query.TargetEntry) int {
	switch n := n.Node.(type) {
	case *pg_query.Node_ColumnRef:
		return int(n.ColumnRef.Location)
	case *pg_query.Node_AConst:
		return int(n.AConst.Location)
	}
	if t != nil {
		return exprLocation(t.Expr)
	}
	return -1
}
