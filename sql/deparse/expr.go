package deparse

import (
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// expr prints an expression.
func (p *printer) expr(e query.Expr, showImplicit bool) {
	if e == nil || !p.enter() {
		return
	}
	defer p.leave()
	switch e := e.(type) {
	case *query.Var:
		p.variable(e, false)
	case *query.Const:
		p.constant(e, 0)
	case *query.PartitionBoundSpec:
		p.partitionBound(e)
	case *query.Param:
		p.param(e)
	case *query.Aggref:
		p.aggregate(e)
	case *query.GroupingFunc:
		p.write("GROUPING(")
		p.exprs(e.Args, true)
		p.write(")")
	case *query.WindowFunc:
		p.windowFunc(e)
	case *query.SubscriptingRef:
		p.subscripting(e, showImplicit)
	case *query.FuncExpr:
		p.funcCall(e, showImplicit)
	case *query.NamedArg:
		p.write(p.quote(e.Name), " => ")
		p.expr(e.Arg, showImplicit)
	case *query.OpExpr:
		p.operator(e)
	case *query.DistinctExpr:
		p.bracketed(func() {
			p.operand(e.Args[0], true, e)
			p.write(" IS DISTINCT FROM ")
			p.operand(e.Args[1], true, e)
		})
	case *query.NullIfExpr:
		p.write("NULLIF(")
		p.exprs(e.Args, true)
		p.write(")")
	case *query.ScalarArrayOpExpr:
		p.scalarArray(e)
	case *query.BoolExpr:
		p.boolean(e)
	case *query.SubLink:
		p.subLink(e)
	case *query.SubPlan:
		if e.UseHash {
			p.write("(hashed ", e.Name, ")")
		} else {
			p.write("(", e.Name, ")")
		}
	case *query.AlternativeSubPlan:
		p.alternatives(e)
	case *query.RelabelType:
		p.cast(e.Arg, e.TypeOID, e.Mod, e.Form, e, showImplicit)
	case *query.CoerceViaIO:
		p.cast(e.Arg, e.TypeOID, -1, e.Form, e, showImplicit)
	case *query.ArrayCoerceExpr:
		p.cast(e.Arg, e.TypeOID, e.Mod, e.Form, e, showImplicit)
	case *query.ConvertRowtypeExpr:
		p.cast(e.Arg, e.TypeOID, -1, e.Form, e, showImplicit)
	case *query.CoerceToDomain:
		if e.Form == query.CoerceImplicitCast && !showImplicit {
			p.expr(e.Arg, false)
		} else {
			p.coercion(e.Arg, e.TypeOID, e.Mod, e)
		}
	default:
		p.exprRest(e, showImplicit)
	}
}

func (p *printer) exprRest(e query.Expr, showImplicit bool) {
	switch e := e.(type) {
	case *query.FieldSelect:
		p.fieldSelect(e)
	case *query.FieldStore:
		if len(e.NewVals) != 1 {
			p.write("ROW(")
		}
		p.exprs(e.NewVals, showImplicit)
		if len(e.NewVals) != 1 {
			p.write(")")
		}
	case *query.CollateExpr:
		p.bracketed(func() {
			p.operand(e.Arg, showImplicit, e)
			p.write(" COLLATE ", p.collationName(e.Coll))
		})
	case *query.CaseExpr:
		p.caseExpr(e)
	case *query.CaseTestExpr:
		p.write("CASE_TEST_EXPR")
	case *query.ArrayExpr:
		p.write("ARRAY[")
		p.exprs(e.Elems, true)
		p.write("]")
		if len(e.Elems) == 0 {
			p.write("::", p.typeName(e.TypeOID, -1))
		}
	case *query.RowExpr:
		p.row(e)
	case *query.RowCompareExpr:
		p.write("(ROW(")
		p.topList(e.Left)
		p.write(") ", p.operatorName(e.OpOIDs[0]), " ROW(")
		p.topList(e.Right)
		p.write("))")
	case *query.CoalesceExpr:
		p.write("COALESCE(")
		p.exprs(e.Args, true)
		p.write(")")
	case *query.MinMaxExpr:
		name := "GREATEST("
		if e.Least {
			name = "LEAST("
		}
		p.write(name)
		p.exprs(e.Args, true)
		p.write(")")
	case *query.SQLValueFunction:
		p.sqlValue(e)
	case *query.NullTest:
		p.nullTest(e)
	case *query.BooleanTest:
		p.bracketed(func() {
			p.operand(e.Arg, false, e)
			p.write([]string{" IS TRUE", " IS NOT TRUE", " IS FALSE", " IS NOT FALSE", " IS UNKNOWN", " IS NOT UNKNOWN"}[e.Kind])
		})
	case *query.CoerceToDomainValue:
		p.write("VALUE")
	case *query.SetToDefault:
		p.write("DEFAULT")
	case *query.CurrentOfExpr:
		p.write("CURRENT OF ", p.quote(e.CursorName))
	case *query.NextValueExpr:
		p.write("nextval(", quoteString(p.relationName(e.SeqOID)), "::regclass)")
	case *query.InferenceElem:
		p.inference(e)
	default:
		p.fail(pgerr.Internal("unrecognized node type: %T", e))
	}
}

// bracketed puts parentheses around what f prints, unless needless ones are left out.
func (p *printer) bracketed(f func()) {
	if p.paren() {
		p.write("(")
	}
	f()
	if p.paren() {
		p.write(")")
	}
}

// operand prints a part of an expression, in parentheses when it needs them.
func (p *printer) operand(e query.Expr, showImplicit bool, parent query.Expr) {
	need := !p.paren() && !p.simple(e, parent)
	if need {
		p.write("(")
	}
	p.expr(e, showImplicit)
	if need {
		p.write(")")
	}
}

// simple says whether an operand needs no parentheses inside its parent.
func (p *printer) simple(e, parent query.Expr) bool {
	switch e := e.(type) {
	case *query.Var, *query.Const, *query.Param, *query.CoerceToDomainValue, *query.SetToDefault, *query.CurrentOfExpr, *query.SubscriptingRef,
		*query.ArrayExpr, *query.RowExpr, *query.CoalesceExpr, *query.MinMaxExpr, *query.SQLValueFunction, *query.NextValueExpr, *query.NullIfExpr,
		*query.Aggref, *query.GroupingFunc, *query.WindowFunc, *query.FuncExpr, *query.CaseExpr:
		return true
	case *query.FieldSelect:
		_, same := parent.(*query.FieldSelect)
		return !same
	case *query.FieldStore:
		_, same := parent.(*query.FieldStore)
		return !same
	case *query.CoerceToDomain:
		return p.simple(e.Arg, e)
	case *query.RelabelType:
		return p.simple(e.Arg, e)
	case *query.CoerceViaIO:
		return p.simple(e.Arg, e)
	case *query.ArrayCoerceExpr:
		return p.simple(e.Arg, e)
	case *query.ConvertRowtypeExpr:
		return p.simple(e.Arg, e)
	case *query.OpExpr:
		if po, ok := parent.(*query.OpExpr); ok && !p.paren() {
			return p.simpleOperator(e, po)
		}
		return selfDelimiting(parent)
	case *query.SubLink, *query.NullTest, *query.BooleanTest, *query.DistinctExpr:
		return selfDelimiting(parent)
	case *query.BoolExpr:
		if pb, ok := parent.(*query.BoolExpr); ok {
			if p.paren() {
				return false
			}
			return pb.Op == query.Or || pb.Op == query.And && e.Op != query.Or
		}
		return selfDelimiting(parent)
	}
	return false
}

// simpleOperator: arithmetic of higher precedence, or the left side of equal precedence.
func (p *printer) simpleOperator(e, parent *query.OpExpr) bool {
	rank := func(o *query.OpExpr) int {
		if len(o.Args) != 2 {
			return 0
		}
		op, err := p.ctx.Catalog.Operator(o.OpOID)
		p.fail(err)
		if op == nil || len(op.Name) != 1 {
			return 0
		}
		if strings.Contains("+-", op.Name) {
			return 1
		}
		if strings.Contains("*/%", op.Name) {
			return 2
		}
		return 0
	}
	own, outer := rank(e), rank(parent)
	if own == 0 || outer == 0 {
		return false
	}
	if own != outer {
		return own > outer
	}
	return parent.Args[0] == query.Expr(e)
}

// selfDelimiting says whether a parent has delimiters around its operands.
func selfDelimiting(parent query.Expr) bool {
	switch x := parent.(type) {
	case *query.FuncExpr:
		return x.Form == query.CoerceExplicitCall
	case *query.BoolExpr, *query.SubscriptingRef, *query.ArrayExpr, *query.RowExpr, *query.CoalesceExpr, *query.MinMaxExpr, *query.NullIfExpr,
		*query.Aggref, *query.GroupingFunc, *query.WindowFunc, *query.CaseExpr:
		return true
	}
	return false
}

// top prints an expression that stands alone: a whole-row variable gets a cast there, so that it is not taken for table.*.
func (p *printer) top(e query.Expr, showImplicit bool) {
	if v, ok := e.(*query.Var); ok {
		p.variable(v, true)
		return
	}
	p.expr(e, showImplicit)
}

func (p *printer) topList(list []query.Expr) {
	for i, e := range list {
		if i > 0 {
			p.write(", ")
		}
		p.top(e, true)
	}
}

// variable prints a variable and gives the column's bare name, "" when it is no plain column.
func (p *printer) variable(v *query.Var, top bool) string {
	if v.LevelsUp >= len(p.ctx.Namespaces) && p.ctx.ResolveVar == nil {
		p.fail(pgerr.Internal("bogus varlevelsup: %d offset %d", v.LevelsUp, 0))
		return ""
	}
	if p.ctx.ResolveVar != nil {
		if e, ctx, ok := p.ctx.ResolveVar(v); ok {
			p.resolved(e, ctx)
			return ""
		}
	}
	n := p.ctx.Namespaces[v.LevelsUp]
	no, att := v.VarNo, v.AttNo
	if v.SynNo > 0 && !p.ctx.Plan && p.ctx.ResolveVar == nil {
		no, att = v.SynNo, v.SynAttNo
	}
	if no < 1 || no > len(n.rtable) {
		p.fail(pgerr.Internal("bogus varno: %d", no))
		return ""
	}
	rte := n.rtable[no-1]
	refname := n.names[no-1]
	if rte.Kind == query.RTEJoin && rte.Alias == nil && att > 0 {
		if inner, ok := rte.JoinAliasVars[att-1].(*query.Var); ok {
			c := *inner
			c.LevelsUp += v.LevelsUp
			return p.variable(&c, top)
		}
		refname = ""
	}
	name := p.columnName(n, rte, no, att)
	if refname != "" && (p.ctx.VarPrefix || name == "") {
		p.write(p.quote(refname), ".")
	}
	if name != "" {
		p.write(p.quote(name))
		return name
	}
	p.write("*")
	if top {
		p.write("::", p.typeName(v.TypeOID, v.Mod))
	}
	return ""
}

// resolved prints what a plan's variable stands for.
func (p *printer) resolved(e query.Expr, ctx *Context) {
	_, plain := e.(*query.Var)
	p.within(ctx, func() {
		if !plain {
			p.write("(")
		}
		p.expr(e, true)
		if !plain {
			p.write(")")
		}
	})
}

var systemColumnNames = map[int16]string{-1: "ctid", -2: "xmin", -3: "cmin", -4: "xmax", -5: "cmax", -6: "tableoid"}

func (p *printer) columnName(n *Namespace, rte *query.RTE, index int, att int16) string {
	if att < 0 {
		return systemColumnNames[att]
	}
	if att == 0 {
		return ""
	}
	cols := n.cols[index-1].names
	if int(att) > len(cols) || cols[att-1] == "" {
		return "?dropped?column?"
	}
	return cols[att-1]
}

func (p *printer) param(e *query.Param) {
	if p.ctx.ResolveParam != nil {
		if x, ctx, ok := p.ctx.ResolveParam(e); ok {
			p.within(ctx, func() {
				need := false
				switch x.(type) {
				case *query.Var, *query.Aggref, *query.Param:
				default:
					need = true
				}
				if need {
					p.write("(")
				}
				p.expr(x, false)
				if need {
					p.write(")")
				}
			})
			return
		}
	}
	if name := p.argumentName(e); name != "" {
		p.write(name)
		return
	}
	p.write("$", strconv.Itoa(e.ID))
}

// argumentName is a parameter's name in the body of the function that is printed: with the function's where columns could be meant.
func (p *printer) argumentName(e *query.Param) string {
	if e.Kind != query.ParamExtern || e.ID < 1 || e.ID > len(p.ctx.argNames) || p.ctx.argNames[e.ID-1] == "" {
		return ""
	}
	name := p.quote(p.ctx.argNames[e.ID-1])
	for _, n := range p.ctx.Namespaces {
		if len(n.rtable) > 0 {
			return p.quote(p.ctx.funcName) + "." + name
		}
	}
	return name
}

func (p *printer) operator(e *query.OpExpr) {
	p.bracketed(func() {
		if len(e.Args) == 2 {
			p.operand(e.Args[0], true, e)
			p.write(" ", p.operatorName(e.OpOID), " ")
			p.operand(e.Args[1], true, e)
			return
		}
		p.write(p.operatorName(e.OpOID), " ")
		p.operand(e.Args[0], true, e)
	})
}

func (p *printer) scalarArray(e *query.ScalarArrayOpExpr) {
	quant := "ALL"
	if e.UseOr {
		quant = "ANY"
	}
	p.bracketed(func() {
		p.operand(e.Left, true, e)
		p.write(" ", p.operatorName(e.OpOID), " ", quant, " (")
		p.operand(e.Right, true, e)
		if s, ok := e.Right.(*query.SubLink); ok && s.Kind == query.ExprSubLink {
			p.write("::", p.typeName(s.Type(), s.TypMod()))
		}
		p.write(")")
	})
}

func (p *printer) boolean(e *query.BoolExpr) {
	p.bracketed(func() {
		if e.Op == query.Not {
			p.write("NOT ")
			p.operand(e.Args[0], false, e)
			return
		}
		sep := " AND "
		if e.Op == query.Or {
			sep = " OR "
		}
		for i, a := range e.Args {
			if i > 0 {
				p.write(sep)
			}
			p.operand(a, false, e)
		}
	})
}

func (p *printer) alternatives(e *query.AlternativeSubPlan) {
	p.write("(alternatives: ")
	for i, x := range e.Subplans {
		if i > 0 {
			p.write(" or ")
		}
		if s, ok := x.(*query.SubPlan); ok {
			if s.UseHash {
				p.write("hashed ")
			}
			p.write(s.Name)
		}
	}
	p.write(")")
}

func (p *printer) subscripting(e *query.SubscriptingRef, showImplicit bool) {
	if _, ok := e.Container.(*query.CaseTestExpr); ok {
		p.expr(e.Assign, showImplicit)
		return
	}
	need := true
	switch e.Container.(type) {
	case *query.Var, *query.FieldSelect:
		need = false
	}
	if need {
		p.write("(")
	}
	p.expr(e.Container, showImplicit)
	if need {
		p.write(")")
	}
	p.subscripts(e)
	if e.Assign != nil {
		p.write(" := ")
		p.expr(e.Assign, showImplicit)
	}
}

func (p *printer) subscripts(e *query.SubscriptingRef) {
	for i, u := range e.Upper {
		p.write("[")
		if e.IsSlice {
			p.expr(e.Lower[i], false)
			p.write(":")
		}
		p.expr(u, false)
		p.write("]")
	}
}

func (p *printer) fieldSelect(e *query.FieldSelect) {
	need := true
	switch e.Arg.(type) {
	case *query.SubscriptingRef, *query.FieldSelect:
		need = false
	}
	if need {
		p.write("(")
	}
	p.expr(e.Arg, true)
	if need {
		p.write(")")
	}
	p.write(".", p.quote(p.fieldName(e.Arg, e.FieldNum, 0)))
}

// fieldName finds the name of a field of a row value.
func (p *printer) fieldName(e query.Expr, num int16, up int) string {
	fallback := "f" + strconv.Itoa(int(num))
	switch x := e.(type) {
	case *query.RowExpr:
		if x.TypeOID == types.RecordOID && int(num) <= len(x.ColNames) {
			return x.ColNames[num-1]
		}
	case *query.FuncExpr:
		if d := analyze.OutColumns(p.proc(x.FuncOID), func(t OID) OID { return t }, func(OID) OID { return 0 }); d != nil && int(num) <= len(d.Attrs) {
			return d.Attrs[num-1].Name
		}
	case *query.Var:
		if x.TypeOID == types.RecordOID {
			return p.recordField(x, num, up, fallback)
		}
	}
	t := p.typ(e.Type())
	for t.Kind == 'd' {
		t = p.typ(t.BaseType)
	}
	if t.RelID == 0 {
		return fallback
	}
	rel, err := p.ctx.Catalog.Relation(t.RelID)
	p.fail(err)
	if rel == nil || int(num) > len(rel.Desc.Attrs) {
		return fallback
	}
	return rel.Desc.Attrs[num-1].Name
}

// recordField digs for the row behind a variable of type record.
func (p *printer) recordField(v *query.Var, num int16, up int, fallback string) string {
	if v.LevelsUp+up >= len(p.ctx.Namespaces) {
		return fallback
	}
	n := p.ctx.Namespaces[v.LevelsUp+up]
	if v.VarNo < 1 || v.VarNo > len(n.rtable) {
		return fallback
	}
	rte := n.rtable[v.VarNo-1]
	if v.AttNo == 0 {
		if cols := n.cols[v.VarNo-1].names; int(num) <= len(cols) {
			return cols[num-1]
		}
		return fallback
	}
	if rte.Kind == query.RTESubquery && int(v.AttNo) <= len(rte.Subquery.Targets) {
		inner, err := NewNamespace(p.ctx.Catalog, rte.Subquery.RangeTable, rte.Subquery.CTEs, nil, nil)
		p.fail(err)
		if err != nil {
			return fallback
		}
		name := fallback
		ctx := *p.ctx
		ctx.Namespaces = append([]*Namespace{inner}, p.ctx.Namespaces...)
		p.within(&ctx, func() { name = p.fieldName(rte.Subquery.Targets[v.AttNo-1].Expr, num, 0) })
		return name
	}
	return fallback
}

func (p *printer) caseExpr(e *query.CaseExpr) {
	blank := func() {
		if !p.indented() {
			p.write(" ")
		}
	}
	p.keyword("CASE", 0, indentVar, 0)
	if e.Arg != nil {
		p.write(" ")
		p.expr(e.Arg, true)
	}
	for _, w := range e.Whens {
		cond := w.Cond
		if e.Arg != nil {
			if op, ok := cond.(*query.OpExpr); ok && len(op.Args) == 2 && isCaseTest(op.Args[0]) {
				cond = op.Args[1]
			}
		}
		blank()
		p.keyword("WHEN ", 0, 0, 0)
		p.expr(cond, false)
		p.write(" THEN ")
		p.expr(w.Result, true)
	}
	blank()
	p.keyword("ELSE ", 0, 0, 0)
	p.expr(e.Default, true)
	blank()
	p.keyword("END", -indentVar, 0, 0)
}

func isCaseTest(e query.Expr) bool {
	for {
		switch x := e.(type) {
		case *query.CaseTestExpr:
			return true
		case *query.RelabelType:
			e = x.Arg
		case *query.CoerceViaIO:
			e = x.Arg
		case *query.FuncExpr:
			if x.Form != query.CoerceImplicitCast || len(x.Args) == 0 {
				return false
			}
			e = x.Args[0]
		default:
			return false
		}
	}
}

func (p *printer) row(e *query.RowExpr) {
	var attrs []types.Attr
	if e.TypeOID != types.RecordOID {
		if t := p.typ(e.TypeOID); t.RelID != 0 {
			rel, err := p.ctx.Catalog.Relation(t.RelID)
			p.fail(err)
			if rel != nil {
				attrs = rel.Desc.Attrs
			}
		}
	}
	p.write("ROW(")
	sep := ""
	for i, a := range e.Args {
		if i < len(attrs) && attrs[i].Dropped {
			continue
		}
		p.write(sep)
		p.top(a, true)
		sep = ", "
	}
	for i := len(e.Args); i < len(attrs); i++ {
		if !attrs[i].Dropped {
			p.write(sep, "NULL")
			sep = ", "
		}
	}
	p.write(")")
	if e.Form == query.CoerceExplicitCast {
		p.write("::", p.typeName(e.TypeOID, -1))
	}
}

func (p *printer) sqlValue(e *query.SQLValueFunction) {
	names := []string{"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIME(", "CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP(", "LOCALTIME", "LOCALTIME(", "LOCALTIMESTAMP",
		"LOCALTIMESTAMP(", "CURRENT_ROLE", "CURRENT_USER", "USER", "SESSION_USER", "CURRENT_CATALOG", "CURRENT_SCHEMA"}
	name := names[e.Op]
	p.write(name)
	if strings.HasSuffix(name, "(") {
		p.write(strconv.Itoa(int(e.Mod)), ")")
	}
}

func (p *printer) nullTest(e *query.NullTest) {
	text := " IS NULL"
	if e.IsNot {
		text = " IS NOT NULL"
	}
	if !e.ArgIsRow && p.isRow(e.Arg.Type()) {
		text = " IS NOT DISTINCT FROM NULL"
		if e.IsNot {
			text = " IS DISTINCT FROM NULL"
		}
	}
	p.bracketed(func() {
		p.operand(e.Arg, true, e)
		p.write(text)
	})
}

func (p *printer) isRow(typ OID) bool {
	t := p.typ(typ)
	for t.Kind == 'd' {
		t = p.typ(t.BaseType)
	}
	return t.Kind == 'c' || t.OID == types.RecordOID
}

func (p *printer) inference(e *query.InferenceElem) {
	ctx := *p.ctx
	ctx.VarPrefix = false
	_, isVar := e.Expr.(*query.Var)
	f, isFunc := e.Expr.(*query.FuncExpr)
	need := !isVar && !(isFunc && f.Form == query.CoerceExplicitCall)
	p.within(&ctx, func() {
		if need {
			p.write("(")
		}
		p.expr(e.Expr, false)
		if need {
			p.write(")")
		}
	})
	if e.Coll != 0 {
		p.write(" COLLATE ", p.collationName(e.Coll))
	}
	if e.OpClass != 0 {
		p.opClass(e.OpClass, e.Expr.Type())
	}
}

// opClass prints an operator class, unless it is the default one of the type (typ 0: always).
func (p *printer) opClass(oid, typ OID) {
	c, err := p.ctx.Catalog.OpClass(oid)
	p.fail(err)
	if c == nil {
		return
	}
	if typ != 0 {
		if d, _ := p.ctx.Catalog.DefaultOpClass(c.AM, typ); d == oid {
			return
		}
	}
	if seen, _ := p.ctx.Catalog.OpClassByName(c.AM, "", c.Name); seen == oid {
		p.write(" ", p.quote(c.Name))
		return
	}
	p.write(" ", p.schemaPrefix(c.Namespace), p.quote(c.Name))
}
