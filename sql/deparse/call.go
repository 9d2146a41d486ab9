package deparse

import (
	"strings"

	"github.com/calfdb/calf/sql/query"
)

// funcCall prints a call, a cast that is a function, or SQL's special syntax.
func (p *printer) funcCall(e *query.FuncExpr, showImplicit bool) {
	if e.Form == query.CoerceImplicitCast && !showImplicit {
		p.operand(e.Args[0], false, e)
		return
	}
	if e.Form == query.CoerceImplicitCast || e.Form == query.CoerceExplicitCast {
		p.coercion(e.Args[0], e.TypeOID, e.TypMod(), e)
		return
	}
	if e.Form == query.CoerceSQLSyntax && p.sqlSyntax(e) {
		return
	}
	p.plainCall(e)
}

func (p *printer) plainCall(e *query.FuncExpr) {
	p.write(p.functionName(e.FuncOID), "(")
	for i, a := range e.Args {
		if i > 0 {
			p.write(", ")
		}
		if e.Variadic && i == len(e.Args)-1 {
			p.write("VARIADIC ")
		}
		p.expr(a, true)
	}
	p.write(")")
}

// sqlSyntax prints the functions that SQL writes with key words; false when the function is none of them.
func (p *printer) sqlSyntax(e *query.FuncExpr) bool {
	f := p.proc(e.FuncOID)
	arg := func(i int) { p.expr(e.Args[i], false) }
	word := func(i int) string {
		if c, ok := e.Args[i].(*query.Const); ok && !c.Value.IsNull() {
			return c.Value.Str()
		}
		return ""
	}
	n := len(e.Args)
	switch f.Name {
	case "timezone":
		p.write("(")
		p.operand(e.Args[1], false, e)
		p.write(" AT TIME ZONE ")
		p.operand(e.Args[0], false, e)
		p.write(")")
	case "overlaps":
		p.write("((")
		arg(0)
		p.write(", ")
		arg(1)
		p.write(") OVERLAPS (")
		arg(2)
		p.write(", ")
		arg(3)
		p.write("))")
	case "extract":
		p.write("EXTRACT(", word(0), " FROM ")
		arg(1)
		p.write(")")
	case "is_normalized":
		p.write("(")
		p.operand(e.Args[0], false, e)
		p.write(" IS")
		if n == 2 {
			p.write(" ", word(1))
		}
		p.write(" NORMALIZED)")
	case "pg_collation_for":
		p.write("COLLATION FOR (")
		arg(0)
		p.write(")")
	case "normalize":
		p.write("NORMALIZE(")
		arg(0)
		if n == 2 {
			p.write(", ", word(1))
		}
		p.write(")")
	case "overlay":
		p.clauses(e, "OVERLAY(", []int{0, 1, 2, 3}, " PLACING ", " FROM ", " FOR ")
	case "position":
		p.write("POSITION((")
		arg(1)
		p.write(") IN (")
		arg(0)
		p.write("))")
	case "substring":
		if n == 3 && f.ArgTypes[1] == f.ArgTypes[0] {
			p.clauses(e, "SUBSTRING(", []int{0, 1, 2}, " SIMILAR ", " ESCAPE ")
		} else {
			p.clauses(e, "SUBSTRING(", []int{0, 1, 2}, " FROM ", " FOR ")
		}
	case "btrim", "ltrim", "rtrim":
		p.write("TRIM(", map[string]string{"btrim": "BOTH", "ltrim": "LEADING", "rtrim": "TRAILING"}[f.Name])
		if n == 2 {
			p.write(" ")
			arg(1)
		}
		p.write(" FROM ")
		arg(0)
		p.write(")")
	default:
		return false
	}
	return true
}

// clauses prints arguments with key words between them.
func (p *printer) clauses(e *query.FuncExpr, open string, order []int, words ...string) {
	p.write(open)
	for i, a := range order {
		if a >= len(e.Args) {
			break
		}
		if i > 0 {
			p.write(words[i-1])
		}
		p.expr(e.Args[a], false)
	}
	p.write(")")
}

func (p *printer) aggregate(e *query.Aggref) {
	p.write(p.functionName(e.AggOID), "(")
	if len(e.Distinct) > 0 {
		p.write("DISTINCT ")
	}
	if e.Kind != 'n' {
		p.exprs(e.DirectArgs, true)
		p.write(") WITHIN GROUP (ORDER BY ")
		p.orderBy(e.Order, e.Args, false)
	} else {
		if e.Star {
			p.write("*")
		}
		p.aggArguments(e)
		if len(e.Order) > 0 {
			p.write(" ORDER BY ")
			p.orderBy(e.Order, e.Args, false)
		}
	}
	if e.Filter != nil {
		p.write(") FILTER (WHERE ")
		p.expr(e.Filter, false)
	}
	p.write(")")
}

func (p *printer) aggArguments(e *query.Aggref) {
	if e.Star {
		return
	}
	i := 0
	for _, t := range e.Args {
		if t.Junk {
			continue
		}
		if i > 0 {
			p.write(", ")
		}
		i++
		if e.Variadic && i == len(e.ArgTypes) {
			p.write("VARIADIC ")
		}
		p.expr(t.Expr, true)
	}
}

func (p *printer) windowFunc(e *query.WindowFunc) {
	p.write(p.functionName(e.FuncOID), "(")
	if e.Star {
		p.write("*")
	} else {
		p.exprs(e.Args, true)
	}
	if e.Filter != nil {
		p.write(") FILTER (WHERE ")
		p.expr(e.Filter, false)
	}
	p.write(") OVER ")
	for _, w := range p.ctx.windows {
		if w.Ref != e.WinRef {
			continue
		}
		if w.Name != "" {
			p.write(p.quote(w.Name))
		} else {
			p.windowSpec(w, p.ctx.windowTargets)
		}
		return
	}
	p.write("(?)")
}

// looksLikeFunction says whether an expression prints as a call, so that an index definition needs no parentheses around it.
func looksLikeFunction(e query.Expr) bool {
	switch x := e.(type) {
	case *query.FuncExpr:
		return x.Form == query.CoerceExplicitCall || x.Form == query.CoerceSQLSyntax
	case *query.CoalesceExpr, *query.MinMaxExpr, *query.NullIfExpr, *query.SQLValueFunction:
		return true
	}
	return false
}

// subLink prints a sub-select in an expression.
func (p *printer) subLink(s *query.SubLink) {
	if s.Kind == query.ArraySubLink {
		p.write("ARRAY(")
	} else {
		p.write("(")
	}
	op := p.subLinkTest(s)
	brackets := true
	switch s.Kind {
	case query.ExistsSubLink:
		p.write("EXISTS ")
	case query.AnySubLink:
		if op == "=" {
			p.write(" IN ")
		} else {
			p.write(" ", op, " ANY ")
		}
	case query.AllSubLink:
		p.write(" ", op, " ALL ")
	case query.RowCompareSubLink:
		p.write(" ", op, " ")
	default:
		brackets = false
	}
	if brackets {
		p.write("(")
	}
	p.query(s.Subquery, p.ctx.Namespaces, nil, false)
	p.write(")")
	if brackets {
		p.write(")")
	}
}

// subLinkTest prints the left side of a comparison with a sub-select and gives the operator.
func (p *printer) subLinkTest(s *query.SubLink) string {
	switch t := s.Test.(type) {
	case *query.OpExpr:
		p.expr(t.Args[0], true)
		return p.operatorName(t.OpOID)
	case *query.BoolExpr:
		op := ""
		p.write("(")
		for i, a := range t.Args {
			o, ok := a.(*query.OpExpr)
			if !ok {
				continue
			}
			if i > 0 {
				p.write(", ")
			}
			p.expr(o.Args[0], true)
			if op == "" {
				op = p.operatorName(o.OpOID)
			}
		}
		p.write(")")
		return op
	case *query.RowCompareExpr:
		p.write("(")
		p.exprs(t.Left, true)
		p.write(")")
		return p.operatorName(t.OpOIDs[0])
	}
	return strings.Join(s.OpNames, ".")
}
