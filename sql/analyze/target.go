package analyze

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// targetList analyses a SELECT or RETURNING list; * is expanded, except in UPDATE.
func (p *state) targetList(list []*node, kind exprKind) []*query.TargetEntry {
	var out []*query.TargetEntry
	expand := kind != kindUpdateSource
	for _, n := range list {
		rt := n.GetResTarget()
		if expand {
			if c := rt.Val.GetColumnRef(); c != nil && isStar(c.Fields) {
				out = append(out, p.expandStar(c)...)
				continue
			}
			if ind := rt.Val.GetAIndirection(); ind != nil && isStar(ind.Indirection) {
				out = append(out, p.expandIndirectionStar(ind, kind)...)
				continue
			}
		}
		out = append(out, p.targetEntry(rt.Val, nil, kind, rt.Name, false))
	}
	// Multi-assignment sources go to the end, as junk.
	if len(p.multiAssign) > 0 && kind != kindUpdateSource {
		throw(pgerr.Internal("unexpected multi-assignment"))
	}
	return out
}

func isStar(fields []*node) bool {
	_, ok := fields[len(fields)-1].Node.(*pg_query.Node_AStar)
	return ok
}

// targetEntry makes an entry of an expression, analysed already or not.
func (p *state) targetEntry(n *node, e query.Expr, kind exprKind, name string, junk bool) *query.TargetEntry {
	if e == nil {
		if kind == kindUpdateSource && n.GetSetToDefault() != nil {
			e = setToDefault(n)
		} else {
			e = p.expr(n, kind)
		}
	}
	if name == "" && !junk {
		name = figureName(n)
	}
	t := &query.TargetEntry{Expr: e, ResNo: p.nextResNo, Name: name, Junk: junk}
	p.nextResNo++
	return t
}

func setToDefault(n *node) query.Expr {
	return &query.SetToDefault{Mod: -1, Loc: int(n.GetSetToDefault().Location)}
}

// expandStar expands * and t.* in a target list.
func (p *state) expandStar(c *pg_query.ColumnRef) []*query.TargetEntry {
	names, _ := fieldNames(c.Fields)
	at := int(c.Location)
	if len(names) == 0 {
		return p.expandAll(at)
	}
	if p.env.ColumnHook != nil {
		if e := must(p.env.ColumnHook(append(clip(names), "*"), at, false, nil)); e != nil {
			return p.expandRow(e, true)
		}
	}
	schema, table := "", names[len(names)-1]
	switch len(names) {
	case 1:
	case 2:
		schema = names[0]
	case 3:
		if names[0] != p.env.Database {
			fail(at, pgerr.FeatureNotSupported, "cross-database references are not implemented: %s", nameList(append(clip(names), "*")))
		}
		schema = names[1]
	default:
		fail(at, pgerr.SyntaxError, "improper qualified name (too many dotted names): %s", nameList(append(clip(names), "*")))
	}
	item, up := p.findTable(schema, table, at)
	if item == nil {
		if p.env.ColumnHook != nil {
			if e := must(p.env.ColumnHook(append(clip(names), "*"), at, true, nil)); e != nil {
				return p.expandRow(e, true)
			}
		}
		p.errMissingTable(schema, table, at)
	}
	return p.expandItem(item, up, at)
}

// expandAll expands a bare *.
func (p *state) expandAll(at int) []*query.TargetEntry {
	found := false
	var out []*query.TargetEntry
	for _, item := range p.namespace {
		if !item.colsVisible {
			continue
		}
		found = true
		out = append(out, p.expandItem(item, 0, at)...)
	}
	if !found {
		fail(at, pgerr.SyntaxError, "SELECT * with no tables specified is not valid")
	}
	return out
}

// expandItem makes entries for all columns of an item.
func (p *state) expandItem(item *nsItem, levelsUp, at int) []*query.TargetEntry {
	vars, names := item.expandVars(levelsUp, at)
	if item.rte.Kind == query.RTERelation {
		item.rte.RequiredPerms |= query.AclSelect
	}
	var out []*query.TargetEntry
	for i, v := range vars {
		p.markSelected(v)
		out = append(out, &query.TargetEntry{Expr: v, ResNo: p.nextResNo, Name: names[i]})
		p.nextResNo++
	}
	return out
}

// expandIndirectionStar expands (expression).* in a target list.
func (p *state) expandIndirectionStar(ind *pg_query.A_Indirection, kind exprKind) []*query.TargetEntry {
	n := ind.Arg
	if rest := ind.Indirection[:len(ind.Indirection)-1]; len(rest) > 0 {
		n = &node{Node: &pg_query.Node_AIndirection{AIndirection: &pg_query.A_Indirection{Arg: ind.Arg, Indirection: rest}}}
	}
	return p.expandRow(p.expr(n, kind), true)
}

// expandRow makes entries for the fields of a row value.
func (p *state) expandRow(e query.Expr, named bool) []*query.TargetEntry {
	if v, ok := e.(*query.Var); ok && v.AttNo == 0 {
		if item := p.itemOf(v.VarNo, v.LevelsUp); item != nil {
			return p.expandItem(item, v.LevelsUp, v.Loc)
		}
	}
	desc := p.exprDesc(e)
	if desc == nil {
		t := e.Type()
		if t == types.RecordOID {
			throw(pgerr.New(pgerr.DatatypeMismatch, "record type has not been registered"))
		}
		throw(pgerr.New(pgerr.WrongObjectType, "type %s is not composite", p.formatType(t)))
	}
	var out []*query.TargetEntry
	for i := range desc.Attrs {
		a := &desc.Attrs[i]
		if a.Dropped {
			continue
		}
		f := &query.FieldSelect{Arg: e, FieldNum: int16(i + 1), TypeOID: a.TypeOID, Mod: a.TypMod, Coll: a.Collation}
		out = append(out, &query.TargetEntry{Expr: f, ResNo: p.nextResNo, Name: a.Name})
		p.nextResNo++
	}
	return out
}

// resolveUnknownTargets makes text of what is still an unknown literal in an output column.
func (p *state) resolveUnknownTargets(list []*query.TargetEntry) {
	for _, t := range list {
		if t.Expr.Type() == types.UnknownOID {
			t.Expr = p.coerceType(t.Expr, types.UnknownOID, types.TextOID, -1, coercionImplicit, query.CoerceImplicitCast, -1)
		}
	}
}

// markOrigins notes which table column each plain output column is, through sub-selects and joins.
func (p *state) markOrigins(list []*query.TargetEntry) {
	for _, t := range list {
		if v, ok := t.Expr.(*query.Var); ok {
			p.markOrigin(t, v, 0)
		}
	}
}

func (p *state) markOrigin(t *query.TargetEntry, v *query.Var, levelsUp int) {
	level := v.LevelsUp + levelsUp
	rte := p.rteAt(v.VarNo, level)
	switch rte.Kind {
	case query.RTERelation:
		t.OrigTable, t.OrigCol = rte.RelOID, v.AttNo
	case query.RTESubquery:
		p.copyOrigin(t, rte.Subquery, v.AttNo)
	case query.RTECTE:
		if rte.SelfRef || v.AttNo <= 0 {
			return
		}
		s := p
		for range level + rte.CTELevelsUp {
			s = s.parent
		}
		for _, c := range s.ctes {
			if c.Name == rte.CTEName && c.Query != nil && int(v.AttNo) <= len(c.ColNames) {
				p.copyOrigin(t, c.Query, v.AttNo)
			}
		}
	}
}

func (p *state) copyOrigin(t *query.TargetEntry, q *query.Query, att int16) {
	if att <= 0 {
		return
	}
	list := visibleTargets(q)
	if int(att) <= len(list) {
		t.OrigTable, t.OrigCol = list[att-1].OrigTable, list[att-1].OrigCol
	}
}

// figureName chooses the name of an output column that has no AS.
func figureName(n *node) string {
	if name, strength := figure(n); strength > 0 {
		return name
	}
	return "?column?"
}

// figureIndexName is figureName for index expressions: "" when nothing suggests itself.
func figureIndexName(n *node) string {
	name, _ := figure(n)
	return name
}

// figure gives a name and how good it is: 0 none, 1 from a type, 2 from the expression itself.
func figure(n *node) (string, int) {
	if n == nil {
		return "", 0
	}
	switch n := n.Node.(type) {
	case *pg_query.Node_ColumnRef:
		f := n.ColumnRef.Fields
		for i := len(f) - 1; i >= 0; i-- {
			if f[i].GetString_() != nil {
				return strVal(f[i]), 2
			}
		}
	case *pg_query.Node_AIndirection:
		f := n.AIndirection.Indirection
		for i := len(f) - 1; i >= 0; i-- {
			if f[i].GetString_() != nil {
				return strVal(f[i]), 2
			}
		}
		return figure(n.AIndirection.Arg)
	case *pg_query.Node_FuncCall:
		return strVal(n.FuncCall.Funcname[len(n.FuncCall.Funcname)-1]), 2
	case *pg_query.Node_AExpr:
		if n.AExpr.Kind == pg_query.A_Expr_Kind_AEXPR_NULLIF {
			return "nullif", 2
		}
	case *pg_query.Node_TypeCast:
		name, s := figure(n.TypeCast.Arg)
		if s <= 1 && n.TypeCast.TypeName != nil && len(n.TypeCast.TypeName.Names) > 0 {
			names := n.TypeCast.TypeName.Names
			return strVal(names[len(names)-1]), 1
		}
		return name, s
	case *pg_query.Node_CollateClause:
		return figure(n.CollateClause.Arg)
	case *pg_query.Node_GroupingFunc:
		return "grouping", 2
	case *pg_query.Node_SubLink:
		return figureSubLink(n.SubLink)
	case *pg_query.Node_CaseExpr:
		name, s := figure(n.CaseExpr.Defresult)
		if s <= 1 {
			return "case", 1
		}
		return name, s
	case *pg_query.Node_AArrayExpr:
		return "array", 2
	case *pg_query.Node_RowExpr:
		return "row", 2
	case *pg_query.Node_CoalesceExpr:
		return "coalesce", 2
	case *pg_query.Node_MinMaxExpr:
		if n.MinMaxExpr.Op == pg_query.MinMaxOp_IS_LEAST {
			return "least", 2
		}
		return "greatest", 2
	case *pg_query.Node_SqlvalueFunction:
		return svfName(n.SqlvalueFunction.Op), 2
	case *pg_query.Node_XmlExpr:
		return strings.ToLower(strings.TrimPrefix(n.XmlExpr.Op.String(), "IS_")), 2
	case *pg_query.Node_XmlSerialize:
		return "xmlserialize", 2
	}
	return "", 0
}

func figureSubLink(s *pg_query.SubLink) (string, int) {
	switch s.SubLinkType {
	case pg_query.SubLinkType_EXISTS_SUBLINK:
		return "exists", 2
	case pg_query.SubLinkType_ARRAY_SUBLINK:
		return "array", 2
	case pg_query.SubLinkType_EXPR_SUBLINK:
		// The name of the sub-select's column; a VALUES has none of its own.
		sel := s.Subselect.GetSelectStmt()
		for sel != nil && sel.Larg != nil {
			sel = sel.Larg
		}
		if sel == nil {
			break
		}
		if len(sel.ValuesLists) > 0 {
			return "column1", 2
		}
		if len(sel.TargetList) > 0 {
			rt := sel.TargetList[0].GetResTarget()
			if rt.Name != "" {
				return rt.Name, 2
			}
			if name := figureName(rt.Val); name != "" {
				return name, 2
			}
		}
	}
	return "", 0
}

func svfName(op pg_query.SQLValueFunctionOp) string {
	name := strings.ToLower(strings.TrimPrefix(op.String(), "SVFOP_"))
	return strings.TrimSuffix(name, "_n")
}
