package deparse

import (
	"github.com/calfdb/calf/sql/query"
)

// insertQuery prints INSERT.
func (p *printer) insertQuery(q *query.Query, colNames bool) {
	p.with(q)
	rte := q.RangeTable[q.ResultRelation-1]
	if p.indented() {
		p.indent += indentStd
		p.write(" ")
	}
	p.write("INSERT INTO ", p.relationName(rte.RelOID))
	p.alias(rte, q.ResultRelation, true)
	p.write(" ")
	var exprs []query.Expr
	first := true
	for _, t := range q.Targets {
		if t.Junk {
			continue
		}
		if first {
			p.write("(")
		} else {
			p.write(", ")
		}
		first = false
		p.write(p.quote(p.columnOf(rte, t.ResNo)))
		exprs = append(exprs, p.indirection(t.Expr))
	}
	if !first {
		p.write(") ")
	}
	switch q.Override {
	case 's':
		p.write("OVERRIDING SYSTEM VALUE ")
	case 'u':
		p.write("OVERRIDING USER VALUE ")
	}
	p.insertSource(q, exprs)
	if q.OnConflict != nil {
		p.onConflict(q)
	}
	p.returning(q, colNames)
}

func (p *printer) insertSource(q *query.Query, exprs []query.Expr) {
	var sub, values *query.RTE
	for _, r := range q.RangeTable {
		switch r.Kind {
		case query.RTESubquery:
			sub = r
		case query.RTEValues:
			values = r
		}
	}
	switch {
	case sub != nil:
		p.query(sub.Subquery, p.ctx.Namespaces, nil, false)
	case values != nil:
		p.values(values.Values)
	case len(exprs) > 0:
		p.keyword("VALUES (", -indentStd, indentStd, 2)
		p.topPlain(exprs)
		p.write(")")
	default:
		p.write("DEFAULT VALUES")
	}
}

func (p *printer) topPlain(list []query.Expr) {
	for i, e := range list {
		if i > 0 {
			p.write(", ")
		}
		p.top(e, false)
	}
}

// columnOf is the current name of a column of the target relation.
func (p *printer) columnOf(rte *query.RTE, num int) string {
	rel, err := p.ctx.Catalog.Relation(rte.RelOID)
	p.fail(err)
	if rel == nil || num < 1 || num > len(rel.Desc.Attrs) {
		return ""
	}
	return rel.Desc.Attrs[num-1].Name
}

// indirection prints the fields and subscripts that an assignment goes through, and gives the value assigned.
func (p *printer) indirection(e query.Expr) query.Expr {
	for {
		switch x := e.(type) {
		case *query.FieldStore:
			if len(x.NewVals) != 1 {
				return e
			}
			t := p.typ(x.TypeOID)
			rel, err := p.ctx.Catalog.Relation(t.RelID)
			p.fail(err)
			if rel != nil {
				p.write(".", p.quote(rel.Desc.Attrs[x.FieldNums[0]-1].Name))
			}
			e = x.NewVals[0]
		case *query.SubscriptingRef:
			if x.Assign == nil {
				return e
			}
			p.subscripts(x)
			e = x.Assign
		case *query.CoerceToDomain:
			if x.Form != query.CoerceImplicitCast {
				return e
			}
			switch x.Arg.(type) {
			case *query.FieldStore, *query.SubscriptingRef:
				e = x.Arg
			default:
				return e
			}
		default:
			return e
		}
	}
}

func (p *printer) onConflict(q *query.Query) {
	c := q.OnConflict
	p.write(" ON CONFLICT")
	switch {
	case len(c.ArbiterElems) > 0:
		p.write("(")
		for i, e := range c.ArbiterElems {
			if i > 0 {
				p.write(", ")
			}
			p.expr(e, false)
		}
		p.write(")")
		if c.ArbiterWhere != nil {
			p.keyword(" WHERE ", -indentStd, indentStd, 1)
			ctx := *p.ctx
			ctx.VarPrefix = false
			p.within(&ctx, func() { p.expr(c.ArbiterWhere, false) })
		}
	case c.Constraint != 0:
		con, err := p.ctx.Catalog.Constraint(c.Constraint)
		p.fail(err)
		if con != nil {
			p.write(" ON CONSTRAINT ", p.quote(con.Name))
		}
	}
	if c.Action == query.OnConflictNothing {
		p.write(" DO NOTHING")
		return
	}
	p.write(" DO UPDATE SET ")
	p.updateTargets(q, c.Set)
	if c.Where != nil {
		p.keyword(" WHERE ", -indentStd, indentStd, 1)
		p.expr(c.Where, false)
	}
}

func (p *printer) updateQuery(q *query.Query, colNames bool) {
	p.with(q)
	rte := q.RangeTable[q.ResultRelation-1]
	if p.indented() {
		p.write(" ")
		p.indent += indentStd
	}
	p.write("UPDATE ")
	p.only(rte)
	p.write(p.relationName(rte.RelOID))
	p.alias(rte, q.ResultRelation, false)
	p.write(" SET ")
	p.updateTargets(q, q.Targets)
	p.from(q, " FROM ")
	p.where(q)
	p.returning(q, colNames)
}

// updateTargets prints SET; columns assigned together are printed together.
func (p *printer) updateTargets(q *query.Query, list []*query.TargetEntry) {
	rte := q.RangeTable[q.ResultRelation-1]
	multi := map[int]*query.SubLink{}
	for _, t := range list {
		if s, ok := t.Expr.(*query.SubLink); ok && t.Junk && s.Kind == query.MultiExprSubLink {
			multi[s.ID] = s
		}
	}
	sep := ""
	remaining := 0
	var current *query.SubLink
	for _, t := range list {
		if t.Junk {
			continue
		}
		if remaining == 0 {
			p.write(sep)
			if current = multi[multiSource(t.Expr)]; current != nil {
				remaining = len(current.Subquery.Targets)
				p.write("(")
			}
		} else {
			p.write(", ")
		}
		sep = ", "
		p.write(p.quote(p.columnOf(rte, t.ResNo)))
		value := p.indirection(t.Expr)
		if current != nil {
			if remaining--; remaining > 0 {
				continue
			}
			p.write(")")
			value = current
			current = nil
		}
		p.write(" = ")
		p.expr(value, false)
	}
}

// multiSource is the number of the sub-select that an assigned value comes from, 0 when it is none.
func multiSource(e query.Expr) int {
	id := 0
	query.Walk(e, func(x query.Expr) bool {
		if pr, ok := x.(*query.Param); ok && pr.Kind == query.ParamMultiExpr {
			id = pr.ID >> 16
		}
		return id == 0
	})
	return id
}

func (p *printer) deleteQuery(q *query.Query, colNames bool) {
	p.with(q)
	rte := q.RangeTable[q.ResultRelation-1]
	if p.indented() {
		p.write(" ")
		p.indent += indentStd
	}
	p.write("DELETE FROM ")
	p.only(rte)
	p.write(p.relationName(rte.RelOID))
	p.alias(rte, q.ResultRelation, false)
	p.from(q, " USING ")
	p.where(q)
	p.returning(q, colNames)
}

func (p *printer) returning(q *query.Query, colNames bool) {
	if len(q.Returning) > 0 {
		p.keyword(" RETURNING", -indentStd, indentStd, 1)
		p.targetList(q.Returning, nil, colNames)
	}
}
