package funcs

import (
	"github.com/calfdb/calf/sql/types"
)

// Casts of jsonb to boolean and numbers.

func init() {
	types.RegisterFunc("jsonb_bool", func(c *types.Call) (types.Datum, error) {
		v := c.Args[0].JSONB()
		if v.Kind != types.JSONBool {
			return types.Null, errJSONCast(&v, "boolean")
		}
		return types.Bool(v.Bool), nil
	})
	for name, cast := range map[string]struct{ target, from string }{
		"jsonb_numeric": {"numeric", ""}, "jsonb_int2": {"smallint", "numeric_int2"}, "jsonb_int4": {"integer", "numeric_int4"},
		"jsonb_int8": {"bigint", "numeric_int8"}, "jsonb_float4": {"real", "numeric_float4"}, "jsonb_float8": {"double precision", "numeric_float8"},
	} {
		types.RegisterFunc(name, func(c *types.Call) (types.Datum, error) {
			v := c.Args[0].JSONB()
			if v.Kind != types.JSONNumber {
				return types.Null, errJSONCast(&v, cast.target)
			}
			n, err := types.ParseNumeric(v.Text)
			if err != nil {
				return types.Null, err
			}
			d, err := n.Datum(nil)
			if err != nil || cast.from == "" {
				return d, err
			}
			return types.CallFunc(c.Env, cast.from, d)
		})
	}
}

func errJSONCast(v *types.JSON, target string) error {
	what := jsonKindNames[v.Kind]
	if v.Kind == types.JSONNumber {
		what = "numeric"
	}
	return jsonParam("cannot cast jsonb %s to type %s", what, target)
}
