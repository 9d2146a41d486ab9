package expr

import (
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// compileCoerceViaIO casts by the text form: output of the one type, input of the other. A null goes through the input function
// of a domain only, which may refuse it.
func (c *Compiler) compileCoerceViaIO(e *query.CoerceViaIO) (Eval, error) {
	arg, err := c.Compile(e.Arg)
	if err != nil {
		return nil, err
	}
	out, err := types.IOFor(c.Env, e.Arg.Type())
	if err != nil {
		return nil, err
	}
	in, err := types.IOFor(c.Env, e.TypeOID)
	if err != nil {
		return nil, err
	}
	return func(ctx *Context) (types.Datum, error) {
		d, err := arg(ctx)
		if err != nil || d.IsNull() {
			return types.Null, err
		}
		text, err := out.AppendText(ctx.Env, nil, d)
		if err != nil {
			return types.Null, err
		}
		return in.Input(ctx.Env, types.Bytes(text).Str(), -1)
	}, nil
}

func (c *Compiler) compileCoerceToDomain(e *query.CoerceToDomain) (Eval, error) {
	arg, err := c.Compile(e.Arg)
	if err != nil {
		return nil, err
	}
	domain := e.TypeOID
	return func(ctx *Context) (types.Datum, error) {
		d, err := arg(ctx)
		if err != nil {
			return types.Null, err
		}
		return d, ctx.Env.Catalog.CheckDomain(domain, d)
	}, nil
}
