package deparse

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// The SQL functions that print definitions. An object that is not there gives null, as in PostgreSQL.

// register makes SQL functions whose last argument, when it is a boolean, asks for the pretty form.
func register(layouts map[string]Pretty, f func(c *types.Call, ctx *Context) (types.Datum, error)) {
	for src, base := range layouts {
		types.RegisterFunc(src, func(c *types.Call) (types.Datum, error) {
			ctx, err := callContext(c)
			if err != nil {
				return types.Null, err
			}
			ctx.Pretty = base
			if n := len(c.Args); n > 1 && c.ArgTypes[n-1] == types.BoolOID && c.Args[n-1].Bool() {
				ctx.Pretty = base | PrettyParen | PrettyIndent | PrettySchema
			}
			return f(c, ctx)
		})
	}
}

func init() {
	indent, plain := PrettyIndent, Pretty(0)
	register(map[string]Pretty{"pg_get_viewdef": indent, "pg_get_viewdef_ext": indent}, callViewDef)
	register(map[string]Pretty{"pg_get_viewdef_name": indent, "pg_get_viewdef_name_ext": indent}, func(c *types.Call, ctx *Context) (types.Datum, error) {
		oid, err := c.Env.Catalog.RegLookup(types.RegclassOID, c.Args[0].Str())
		if err != nil {
			return types.Null, err
		}
		return viewDef(ctx, oid)
	})
	register(map[string]Pretty{"pg_get_ruledef": indent, "pg_get_ruledef_ext": indent}, callRuleDef)
	register(map[string]Pretty{"pg_get_indexdef": plain, "pg_get_indexdef_ext": plain}, callIndexDef)
	register(map[string]Pretty{"pg_get_constraintdef": plain, "pg_get_constraintdef_ext": plain}, callConstraintDef)
	register(map[string]Pretty{"pg_get_expr": plain, "pg_get_expr_ext": plain}, callExpr)
	procFunc := func(f func(ctx *Context, p *catalog.Proc) (string, error)) func(*types.Call, *Context) (types.Datum, error) {
		return func(c *types.Call, ctx *Context) (types.Datum, error) {
			p, err := ctx.Catalog.Proc(c.Args[0].Oid())
			if err != nil || p == nil {
				return types.Null, err
			}
			return text(f(ctx, p))
		}
	}
	register(map[string]Pretty{"pg_get_function_arguments": plain},
		procFunc(func(ctx *Context, p *catalog.Proc) (string, error) { return FunctionArguments(ctx, p, false) }))
	register(map[string]Pretty{"pg_get_function_identity_arguments": plain},
		procFunc(func(ctx *Context, p *catalog.Proc) (string, error) { return FunctionArguments(ctx, p, true) }))
	register(map[string]Pretty{"pg_get_function_arg_default": plain}, func(c *types.Call, ctx *Context) (types.Datum, error) {
		p, err := ctx.Catalog.Proc(c.Args[0].Oid())
		if err != nil || p == nil {
			return types.Null, err
		}
		s, err := FunctionArgDefault(ctx, p, int(c.Args[1].Int4()))
		if s == "" {
			return types.Null, err
		}
		return text(s, err)
	})
	register(map[string]Pretty{"pg_get_functiondef": plain},
		procFunc(func(ctx *Context, p *catalog.Proc) (string, error) { return FunctionDef(ctx, p, languageOf(ctx, p)) }))
	register(map[string]Pretty{"pg_get_function_sqlbody": plain}, func(c *types.Call, ctx *Context) (types.Datum, error) {
		p, err := ctx.Catalog.Proc(c.Args[0].Oid())
		if err != nil || p == nil || p.SQLBody+p.ReplacedSQLBody == "" {
			return types.Null, err
		}
		return text(FunctionBody(ctx, p))
	})
	register(map[string]Pretty{"pg_get_function_result": plain}, func(c *types.Call, ctx *Context) (types.Datum, error) {
		p, err := ctx.Catalog.Proc(c.Args[0].Oid())
		if err != nil || p == nil || p.Kind == 'p' {
			return types.Null, err
		}
		return text(FunctionResult(ctx, p))
	})
}

// languageOf names a function's language where it is not built in.
func languageOf(ctx *Context, p *catalog.Proc) string {
	if oid, err := ctx.Catalog.LanguageByName("plpgsql"); err == nil && oid == p.Lang {
		return "plpgsql"
	}
	return ""
}

// lookups is how a session's types.Catalog gives the catalogs themselves.
type lookups interface{ Lookup() catalog.Lookup }

func callContext(c *types.Call) (*Context, error) {
	if c.Env != nil {
		if l, ok := c.Env.Catalog.(lookups); ok {
			return &Context{Catalog: l.Lookup(), Types: c.Env}, nil
		}
	}
	return nil, pgerr.NotSupported("printing definitions without a catalog")
}

func text(s string, err error) (types.Datum, error) {
	if err != nil {
		return types.Null, err
	}
	return types.Text(s), nil
}

func callViewDef(c *types.Call, ctx *Context) (types.Datum, error) {
	return viewDef(ctx, c.Args[0].Oid())
}

func viewDef(ctx *Context, oid OID) (types.Datum, error) {
	rel, err := ctx.Catalog.Relation(oid)
	if err != nil || rel == nil {
		return types.Null, err
	}
	return text(ViewDef(ctx, rel))
}

// ruleFinder is a catalog that can find a rule by its OID.
type ruleFinder interface {
	RuleByOID(oid OID) (*catalog.Relation, *catalog.Rule, error)
}

func callRuleDef(c *types.Call, ctx *Context) (types.Datum, error) {
	f, ok := ctx.Catalog.(ruleFinder)
	if !ok {
		return types.Null, pgerr.NotSupported("pg_get_ruledef")
	}
	rel, rule, err := f.RuleByOID(c.Args[0].Oid())
	if err != nil || rule == nil {
		return types.Null, err
	}
	return text(RuleDef(ctx, rel, rule))
}

func callIndexDef(c *types.Call, ctx *Context) (types.Datum, error) {
	rel, err := ctx.Catalog.Relation(c.Args[0].Oid())
	if err != nil || rel == nil || rel.Index == nil {
		return types.Null, err
	}
	column := 0
	if len(c.Args) > 1 {
		column = int(c.Args[1].Int4())
	}
	return text(IndexDef(ctx, rel.OID, column))
}

func callConstraintDef(c *types.Call, ctx *Context) (types.Datum, error) {
	con, err := ctx.Catalog.Constraint(c.Args[0].Oid())
	if err != nil || con == nil {
		return types.Null, err
	}
	return text(ConstraintDef(ctx, con, false))
}

// callExpr prints a stored expression: pg_get_expr(tree, relation).
func callExpr(c *types.Call, ctx *Context) (types.Datum, error) {
	var rel *catalog.Relation
	if oid := c.Args[1].Oid(); oid != 0 {
		var err error
		if rel, err = ctx.Catalog.Relation(oid); err != nil || rel == nil {
			return types.Null, err
		}
	}
	over, err := ForRelation(ctx.Catalog, ctx.Types, rel, ctx.Pretty)
	if err != nil {
		return types.Null, err
	}
	list, err := decodeAny(c.Args[0].Str())
	if err != nil {
		return types.Null, err
	}
	p := &printer{ctx: over}
	p.exprs(list, false)
	return text(string(p.buf), p.err)
}

// decodeAny reads a stored expression or list of expressions.
func decodeAny(s string) ([]query.Expr, error) {
	if e, err := query.Decode(s); err == nil {
		return []query.Expr{e}, nil
	}
	return query.DecodeExprs(s)
}
