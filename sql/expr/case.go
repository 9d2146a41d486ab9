package expr

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func (c *Compiler) compileCase(e *query.CaseExpr) (Eval, error) {
	conds := make([]Eval, len(e.Whens))
	results := make([]Eval, len(e.Whens))
	var arg, def Eval
	var err error
	if e.Arg != nil {
		if arg, err = c.Compile(e.Arg); err != nil {
			return nil, err
		}
	}
	for i, w := range e.Whens {
		if conds[i], err = c.Compile(w.Cond); err != nil {
			return nil, err
		}
		if results[i], err = c.Compile(w.Result); err != nil {
			return nil, err
		}
	}
	if e.Default != nil {
		if def, err = c.Compile(e.Default); err != nil {
			return nil, err
		}
	}
	return func(ctx *Context) (types.Datum, error) {
		if arg != nil {
			d, err := arg(ctx)
			if err != nil {
				return types.Null, err
			}
			// A CASE inside a condition sets its own value: ours is put back at the end.
			saved := ctx.Case
			ctx.Case = d
			defer func() { ctx.Case = saved }()
		}
		for i, cond := range conds {
			d, err := cond(ctx)
			if err != nil {
				return types.Null, err
			}
			if !d.IsNull() && d.Bool() {
				return results[i](ctx)
			}
		}
		if def == nil {
			return types.Null, nil
		}
		return def(ctx)
	}, nil
}

func (c *Compiler) compileCoalesce(e *query.CoalesceExpr) (Eval, error) {
	args, err := c.CompileList(e.Args)
	if err != nil {
		return nil, err
	}
	return func(ctx *Context) (types.Datum, error) {
		for _, arg := range args {
			if d, err := arg(ctx); err != nil || !d.IsNull() {
				return d, err
			}
		}
		return types.Null, nil
	}, nil
}

// compileMinMax: nulls are passed over; all null gives null.
func (c *Compiler) compileMinMax(e *query.MinMaxExpr) (Eval, error) {
	args, err := c.CompileList(e.Args)
	if err != nil {
		return nil, err
	}
	cmp, err := types.CompareFor(c.Env, e.TypeOID, e.InputColl)
	if err != nil {
		return nil, err
	}
	sign := 1
	if e.Least {
		sign = -1
	}
	return func(ctx *Context) (types.Datum, error) {
		best := types.Null
		for _, arg := range args {
			d, err := arg(ctx)
			if err != nil {
				return types.Null, err
			}
			if !d.IsNull() && (best.IsNull() || sign*cmp(d, best) > 0) {
				best = d
			}
		}
		return best, nil
	}, nil
}

// compileDistinct: IS DISTINCT FROM is true or false, never null.
func (c *Compiler) compileDistinct(e *query.DistinctExpr) (Eval, error) {
	left, right, eq, err := c.compileEquality(&e.OpExpr)
	if err != nil {
		return nil, err
	}
	return func(ctx *Context) (types.Datum, error) {
		a, err := left(ctx)
		if err != nil {
			return types.Null, err
		}
		b, err := right(ctx)
		if err != nil {
			return types.Null, err
		}
		if a.IsNull() || b.IsNull() {
			return types.Bool(a.IsNull() != b.IsNull()), nil
		}
		same, err := eq(ctx, a, b)
		return types.Bool(!same.Bool()), err
	}, nil
}

func (c *Compiler) compileNullIf(e *query.NullIfExpr) (Eval, error) {
	left, right, eq, err := c.compileEquality(&e.OpExpr)
	if err != nil {
		return nil, err
	}
	return func(ctx *Context) (types.Datum, error) {
		a, err := left(ctx)
		if err != nil {
			return types.Null, err
		}
		b, err := right(ctx)
		if err != nil {
			return types.Null, err
		}
		if a.IsNull() || b.IsNull() {
			return a, nil
		}
		same, err := eq(ctx, a, b)
		if err != nil || !same.IsNull() && same.Bool() {
			return types.Null, err
		}
		return a, nil
	}, nil
}

func (c *Compiler) compileEquality(e *query.OpExpr) (left, right Eval, eq Binary, err error) {
	if len(e.Args) != 2 {
		return nil, nil, nil, pgerr.Internal("equality with %d arguments", len(e.Args))
	}
	if left, err = c.Compile(e.Args[0]); err != nil {
		return
	}
	if right, err = c.Compile(e.Args[1]); err != nil {
		return
	}
	fn, err := c.opFunc(e.OpOID, e.FuncOID)
	if err != nil {
		return
	}
	eq, err = c.BinaryFunc(fn, e.Args[0].Type(), e.Args[1].Type(), e.InputColl)
	return
}
