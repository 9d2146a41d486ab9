package funcs

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Functions over names and types: format_type, quote_ident and friends, pg_typeof.

func init() {
	types.RegisterFunc("format_type", func(c *types.Call) (types.Datum, error) {
		if c.Args[0].IsNull() {
			return types.Null, nil
		}
		if c.Args[1].IsNull() {
			return types.Text(types.FormatType(c.Env, c.Args[0].Oid())), nil
		}
		return types.Text(types.FormatTypeMod(c.Env, c.Args[0].Oid(), c.Args[1].Int4())), nil
	})
	types.RegisterFunc("oidvectortypes", func(c *types.Call) (types.Datum, error) {
		var b []byte
		for i, o := range types.OidVector(c.Args[0]) {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(b, types.FormatType(c.Env, o)...)
		}
		return types.Bytes(b), nil
	})
	types.RegisterFunc("pg_typeof", func(c *types.Call) (types.Datum, error) { return types.Oid(argType(c, 0)), nil })
	types.RegisterFunc("quote_ident", func(c *types.Call) (types.Datum, error) {
		return types.Text(types.QuoteIdent(c.Env, c.Args[0].Str())), nil
	})
	types.RegisterFunc("quote_literal", func(c *types.Call) (types.Datum, error) {
		return types.Text(types.QuoteLiteral(c.Args[0].Str())), nil
	})
	types.RegisterFunc("quote_nullable", func(c *types.Call) (types.Datum, error) {
		if c.Args[0].IsNull() {
			return types.Text("NULL"), nil
		}
		return types.Text(types.QuoteLiteral(c.Args[0].Str())), nil
	})
	types.RegisterFunc("now", func(c *types.Call) (types.Datum, error) { return clock(c, types.Clock.TransactionStart) })
	types.RegisterFunc("statement_timestamp", func(c *types.Call) (types.Datum, error) { return clock(c, types.Clock.StatementStart) })
	types.RegisterFunc("clock_timestamp", func(c *types.Call) (types.Datum, error) { return clock(c, types.Clock.Now) })
	countNulls := func(want bool) types.Func {
		return func(c *types.Call) (types.Datum, error) {
			args, _, isNull, err := variadicArgs(c, 0)
			if err != nil || isNull {
				return types.Null, err
			}
			n := int32(0)
			for _, a := range args {
				if a.IsNull() == want {
					n++
				}
			}
			return types.Int4(n), nil
		}
	}
	types.RegisterFunc("pg_num_nulls", countNulls(true))
	types.RegisterFunc("pg_num_nonnulls", countNulls(false))
	types.RegisterFunc("drandom", func(c *types.Call) (types.Datum, error) { return types.Float8(random(c).Float64()), nil })
	types.RegisterFunc("setseed", func(c *types.Call) (types.Datum, error) {
		v := c.Args[0].Float8()
		if !(v >= -1 && v <= 1) {
			s := types.AppendFloat8(nil, v, 0)
			return types.Null, pgerr.New(pgerr.InvalidParameterValue, "setseed parameter %s is out of allowed range [-1,1]", s)
		}
		random(c).Seed(v)
		return types.FromRaw(0), nil
	})
}

func clock(c *types.Call, f func(types.Clock) int64) (types.Datum, error) {
	if c.Env == nil || c.Env.Clock == nil {
		return types.Null, pgerr.NotSupported("the current time without a session")
	}
	return types.Int8(f(c.Env.Clock)), nil
}

func random(c *types.Call) *types.Random {
	if c.Env.Random == nil {
		c.Env.Random = &types.Random{}
	}
	return c.Env.Random
}
