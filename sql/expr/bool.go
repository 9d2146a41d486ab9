package expr

import (
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

var (
	dTrue  = types.Bool(true)
	dFalse = types.Bool(false)
)

func (c *Compiler) compileBool(e *query.BoolExpr) (Eval, error) {
	args, err := c.CompileList(e.Args)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case query.And:
		return andEval(args), nil
	case query.Or:
		return orEval(args), nil
	}
	arg := args[0]
	return func(ctx *Context) (types.Datum, error) {
		d, err := arg(ctx)
		if err != nil || d.IsNull() {
			return types.Null, err
		}
		return types.Bool(!d.Bool()), nil
	}, nil
}

// andEval: false if one is false, else null if one is null. A false ends it early.
func andEval(args []Eval) Eval {
	return func(ctx *Context) (types.Datum, error) {
		result := dTrue
		for _, arg := range args {
			d, err := arg(ctx)
			if err != nil {
				return types.Null, err
			}
			if d.IsNull() {
				result = types.Null
			} else if !d.Bool() {
				return dFalse, nil
			}
		}
		return result, nil
	}
}

// orEval: true if one is true, else null if one is null. A true ends it early.
func orEval(args []Eval) Eval {
	return func(ctx *Context) (types.Datum, error) {
		result := dFalse
		for _, arg := range args {
			d, err := arg(ctx)
			if err != nil {
				return types.Null, err
			}
			if d.IsNull() {
				result = types.Null
			} else if d.Bool() {
				return dTrue, nil
			}
		}
		return result, nil
	}
}

func (c *Compiler) compileBooleanTest(e *query.BooleanTest) (Eval, error) {
	arg, err := c.Compile(e.Arg)
	if err != nil {
		return nil, err
	}
	kind := e.Kind
	return func(ctx *Context) (types.Datum, error) {
		d, err := arg(ctx)
		if err != nil {
			return types.Null, err
		}
		return types.Bool(booleanTest(kind, d)), nil
	}, nil
}

func booleanTest(kind query.BoolTestKind, d types.Datum) bool {
	null := d.IsNull()
	switch kind {
	case query.IsTrue:
		return !null && d.Bool()
	case query.IsNotTrue:
		return null || !d.Bool()
	case query.IsFalse:
		return !null && !d.Bool()
	case query.IsNotFalse:
		return null || d.Bool()
	case query.IsUnknown:
		return null
	}
	return !null
}

func (c *Compiler) compileNullTest(e *query.NullTest) (Eval, error) {
	arg, err := c.Compile(e.Arg)
	if err != nil {
		return nil, err
	}
	if e.ArgIsRow {
		return c.compileRowNullTest(e, arg), nil
	}
	if e.IsNot {
		return func(ctx *Context) (types.Datum, error) {
			d, err := arg(ctx)
			return types.Bool(!d.IsNull()), err
		}, nil
	}
	return func(ctx *Context) (types.Datum, error) {
		d, err := arg(ctx)
		return types.Bool(d.IsNull()), err
	}, nil
}
