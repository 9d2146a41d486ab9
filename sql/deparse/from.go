package deparse

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// from prints FROM (or USING), each item on a line of its own when laying out.
func (p *printer) from(q *query.Query, prefix string) {
	first := true
	for _, item := range q.JoinTree.Items {
		if ref, ok := item.(*query.RangeTblRef); ok && !q.RangeTable[ref.Index-1].InFrom {
			continue // the target of a command
		}
		if first {
			p.keyword(prefix, -indentStd, indentStd, 2)
			first = false
			p.fromItem(item, q)
			continue
		}
		p.write(", ")
		text := p.captured(func() { p.fromItem(item, q) })
		if p.indented() {
			if len(text) > 0 && text[0] == '\n' {
				p.trimBlanks()
			} else if p.lineLength()+len(text) > 0 {
				p.keyword("", -indentStd, indentStd, indentVar)
			}
		}
		p.buf = append(p.buf, text...)
	}
}

func (p *printer) fromItem(item query.FromItem, q *query.Query) {
	if !p.enter() {
		return
	}
	defer p.leave()
	switch item := item.(type) {
	case *query.RangeTblRef:
		p.fromEntry(q.RangeTable[item.Index-1], item.Index)
	case *query.JoinExpr:
		p.join(item, q)
	default:
		p.fail(pgerr.Internal("unrecognized node type: %T", item))
	}
}

func (p *printer) fromEntry(rte *query.RTE, index int) {
	if rte.Lateral {
		p.write("LATERAL ")
	}
	var colDefs *query.RangeFunction
	switch rte.Kind {
	case query.RTERelation:
		p.only(rte)
		p.write(p.relationName(rte.RelOID))
	case query.RTESubquery:
		p.write("(")
		p.query(rte.Subquery, p.ctx.Namespaces, nil, true)
		p.write(")")
	case query.RTEFunction:
		colDefs = p.fromFunctions(rte)
	case query.RTEValues:
		p.write("(")
		p.values(rte.Values)
		p.write(")")
	case query.RTECTE:
		p.write(p.quote(rte.CTEName))
	default:
		p.fail(pgerr.NotSupported("printing a range table entry of kind %d", rte.Kind))
	}
	p.alias(rte, index, false)
	if colDefs != nil && colDefs.ColNames != nil {
		p.colDefs(colDefs, p.ctx.Namespaces[0].cols[index-1].names)
	} else {
		p.columnAliases(index)
	}
	if rte.TableSample != nil {
		p.tableSample(rte.TableSample)
	}
}

// only marks a table whose descendants are left out.
func (p *printer) only(rte *query.RTE) {
	if !rte.Inh && (rte.RelKind == 'r' || rte.RelKind == 'p' || rte.RelKind == 'f') {
		p.write("ONLY ")
	}
}

const unnestArray OID = 2331

// fromFunctions prints the functions of an entry; a column definition list that goes with the alias is given back.
func (p *printer) fromFunctions(rte *query.RTE) *query.RangeFunction {
	first := rte.Functions[0]
	var rest *query.RangeFunction
	switch {
	case len(rte.Functions) == 1 && (first.ColNames == nil || !rte.WithOrdinality):
		p.functionInFrom(first.Expr)
		rest = first
	case allUnnest(rte):
		p.write("UNNEST(")
		for i, f := range rte.Functions {
			if i > 0 {
				p.write(", ")
			}
			p.exprs(f.Expr.(*query.FuncExpr).Args, true)
		}
		p.write(")")
	default:
		p.write("ROWS FROM(")
		for i, f := range rte.Functions {
			if i > 0 {
				p.write(", ")
			}
			p.functionInFrom(f.Expr)
			if f.ColNames != nil {
				p.write(" AS ")
				p.colDefs(f, f.ColNames)
			}
		}
		p.write(")")
	}
	if rte.WithOrdinality {
		p.write(" WITH ORDINALITY")
	}
	return rest
}

func allUnnest(rte *query.RTE) bool {
	for _, f := range rte.Functions {
		e, ok := f.Expr.(*query.FuncExpr)
		if !ok || e.FuncOID != unnestArray || f.ColNames != nil {
			return false
		}
	}
	return true
}

// functionInFrom prints an expression that FROM accepts only as a call.
func (p *printer) functionInFrom(e query.Expr) {
	if looksLikeFunction(e) {
		p.expr(e, true)
		return
	}
	p.write("CAST(")
	p.expr(e, false)
	p.write(" AS ", p.typeName(e.Type(), e.TypMod()), ")")
}

func (p *printer) colDefs(f *query.RangeFunction, names []string) {
	p.write("(")
	for i := range f.ColTypes {
		if i > 0 {
			p.write(", ")
		}
		p.write(p.quote(names[i]), " ", p.typeName(f.ColTypes[i], f.ColTypMods[i]))
		if c := f.ColCollations[i]; c != 0 && c != p.typ(f.ColTypes[i]).Collation {
			p.write(" COLLATE ", p.collationName(c))
		}
	}
	p.write(")")
}

// alias prints an entry's alias where it was written or its printed name differs from what stands before.
func (p *printer) alias(rte *query.RTE, index int, as bool) {
	name := p.ctx.Namespaces[0].Name(index)
	need := rte.Alias != nil || p.ctx.Namespaces[0].cols[index-1].print
	if !need {
		switch rte.Kind {
		case query.RTERelation:
			rel, err := p.ctx.Catalog.Relation(rte.RelOID)
			p.fail(err)
			need = rel != nil && rel.Name != name
		case query.RTEFunction, query.RTESubquery, query.RTEValues:
			need = true
		case query.RTECTE:
			need = name != rte.CTEName
		}
	}
	if !need {
		return
	}
	if as {
		p.write(" AS")
	}
	p.write(" ", p.quote(name))
}

func (p *printer) columnAliases(index int) {
	c := p.ctx.Namespaces[0].cols[index-1]
	if !c.print {
		return
	}
	var names []string
	for _, n := range c.names {
		if n != "" {
			names = append(names, n)
		}
	}
	if len(names) > 0 {
		p.nameList(names)
	}
}

func (p *printer) tableSample(s *query.TableSample) {
	p.write(" TABLESAMPLE ", p.functionName(s.Handler), " (")
	p.exprs(s.Args, false)
	p.write(")")
	if s.Repeatable != nil {
		p.write(" REPEATABLE (")
		p.expr(s.Repeatable, false)
		p.write(")")
	}
}

func (p *printer) join(j *query.JoinExpr, q *query.Query) {
	outer := p.paren() || j.Alias != nil
	if outer {
		p.write("(")
	}
	p.fromItem(j.Left, q)
	word := map[query.JoinType]string{query.JoinInner: " JOIN ", query.JoinLeft: " LEFT JOIN ", query.JoinFull: " FULL JOIN ",
		query.JoinRight: " RIGHT JOIN "}[j.Type]
	if j.Type == query.JoinInner && j.Quals == nil {
		word = " CROSS JOIN "
	}
	p.keyword(word, -indentStd, indentStd, indentJoin)
	right := false
	if r, ok := j.Right.(*query.JoinExpr); ok && !p.paren() && r.Alias == nil {
		right = true
	}
	if right {
		p.write("(")
	}
	p.fromItem(j.Right, q)
	if right {
		p.write(")")
	}
	switch {
	case len(j.Using) > 0:
		p.write(" USING ")
		p.nameList(j.Using)
		if j.UsingAlias != nil {
			p.write(" AS ", p.quote(j.UsingAlias.Name))
		}
	case j.Quals != nil:
		p.write(" ON ")
		p.bracketed(func() { p.expr(j.Quals, false) })
	case j.Type != query.JoinInner:
		p.write(" ON TRUE")
	}
	if outer {
		p.write(")")
	}
	if j.Alias != nil {
		p.write(" ", p.quote(p.ctx.Namespaces[0].Name(j.RTIndex)))
		p.columnAliases(j.RTIndex)
	}
}
