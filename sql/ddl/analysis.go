package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// analyzeEnv is what analysis asks of the session.
func (c *ctx) analyzeEnv() *analyze.Env {
	return &analyze.Env{Catalog: c.v, Types: c.Backend.Env, OpenRelation: c.Session.OpenRelation, LockRelation: c.Session.LockRelation,
		Notice: c.send}
}

// typeName finds the type and typmod of a type name.
func (c *ctx) typeName(tn *pg_query.TypeName) (OID, int32, error) {
	return analyze.TypeName(c.analyzeEnv(), tn)
}

// unplaced is a type name whose errors tell no place in the statement.
func unplaced(tn *pg_query.TypeName) *pg_query.TypeName {
	return &pg_query.TypeName{Names: tn.Names, TypeOid: tn.TypeOid, Setof: tn.Setof, PctType: tn.PctType, Typmods: tn.Typmods, Typemod: tn.Typemod,
		ArrayBounds: tn.ArrayBounds, Location: -1}
}

// namedType is the type name of a list of names.
func namedType(names []*pg_query.Node) *pg_query.TypeName {
	return &pg_query.TypeName{Names: names, Typemod: -1, Location: -1}
}

// relationExpr analyses an expression over a table's columns.
func (c *ctx) relationExpr(rel *catalog.Relation, n *pg_query.Node, kind analyze.ExprKind) (query.Expr, error) {
	return analyze.Expr(c.analyzeEnv(), n, kind, analyze.ExprTarget{Relation: rel})
}

// cookDefault analyses a column's default or generation expression, if it has one.
func (c *ctx) cookDefault(rel *catalog.Relation, d *columnDef) (err error) {
	if d.def == nil || d.cooked != nil {
		return nil
	}
	kind := analyze.ExprDefault
	if d.Generated != 0 {
		kind = analyze.ExprGenerated
	}
	d.cooked, err = analyze.Expr(c.analyzeEnv(), d.def, kind,
		analyze.ExprTarget{Relation: rel, Type: d.TypeOID, TypMod: d.TypMod, Column: d.Name})
	if err == nil && d.Generated != 0 {
		if bad, verr := c.isMutable(d.cooked); verr != nil || bad {
			return orError(verr, pgerr.New(pgerr.InvalidObjectDefinition, "generation expression is not immutable"))
		}
	}
	return err
}

func orError(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// isMutable says whether an expression, as it would be planned, uses a function that is not immutable.
func (c *ctx) isMutable(e query.Expr) (bad bool, err error) {
	if e, err = c.Session.Simplify(e); err != nil {
		return false, err
	}
	check := func(fn OID) {
		p, perr := c.v.Proc(fn)
		if perr != nil {
			err = perr
		} else if p != nil && p.Volatile != 'i' {
			bad = true
		}
	}
	query.Walk(e, func(e query.Expr) bool {
		switch x := e.(type) {
		case *query.FuncExpr:
			check(x.FuncOID)
		case *query.OpExpr:
			check(x.FuncOID)
		case *query.DistinctExpr:
			check(x.FuncOID)
		case *query.NullIfExpr:
			check(x.FuncOID)
		case *query.ScalarArrayOpExpr:
			check(x.FuncOID)
		case *query.SQLValueFunction, *query.NextValueExpr:
			bad = true
		case *query.CoerceViaIO:
			err = orError(err, c.checkIO(x, check))
		}
		return err == nil
	})
	return bad, err
}

// checkIO looks at the type functions of a cast through text.
func (c *ctx) checkIO(x *query.CoerceViaIO, check func(OID)) error {
	from, err := c.v.Type(x.Arg.Type())
	if err != nil {
		return err
	}
	to, err := c.v.Type(x.TypeOID)
	if err != nil {
		return err
	}
	check(from.Output)
	check(to.Input)
	return nil
}

// compiler makes evaluable expressions of plain ones: no sub-selects, no parameters.
func (c *ctx) compiler() *expr.Compiler {
	k := &expr.Compiler{Catalog: c.v, Env: c.Backend.Env, Session: c.Backend}
	k.Hooks.Function = c.Backend.FunctionInLanguage
	k.Hooks.CheckExecute = c.Backend.CheckExecute
	return k
}

// compile makes an expression evaluable: simplified first, so that constants are computed once.
func (c *ctx) compile(e query.Expr) (expr.Eval, error) { return c.compiler().Compile(e) }

// compileQual makes a condition; nil for none.
func (c *ctx) compileQual(e query.Expr) (expr.Qual, error) {
	if e == nil {
		return nil, nil
	}
	return c.compiler().CompileQual(catalog.ImplicitAnd(e))
}

func (c *ctx) evalContext() *expr.Context { return executor.EvalContext(c.Backend) }
