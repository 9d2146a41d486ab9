package types

import (
	"github.com/calfdb/calf/sql/pgerr"
)

// The modifier functions of types as SQL functions: typmodin takes a cstring array, typmodout gives a cstring.

func init() {
	for _, t := range []string{"bit", "varbit", "bpchar", "varchar", "numeric", "time", "timetz", "timestamp", "timestamptz", "interval"} {
		RegisterFunc(t+"typmodin", func(c *Call) (Datum, error) { return callTypModIn(c, t+"typmodin") })
		RegisterFunc(t+"typmodout", func(c *Call) (Datum, error) {
			m := c.Args[0].Int4()
			if _, ok := intervalRangeNames[m>>16&0x7fff]; t == "interval" && m >= 0 && !ok {
				return Null, pgerr.Internal("invalid INTERVAL typmod: 0x%x", m)
			}
			return Text(typmodOutTable[t+"typmodout"](m)), nil
		})
	}
}

func callTypModIn(c *Call, name string) (Datum, error) {
	cstring, _ := BuiltinType(CstringOID)
	if ArrayNDims(c.Args[0]) != 1 {
		return Null, pgerr.New(pgerr.ArraySubscriptError, "typmod array must be one-dimensional")
	}
	elems, err := ArrayElements(cstring, c.Args[0], nil)
	if err != nil {
		return Null, err
	}
	mods := make([]string, len(elems))
	for i, e := range elems {
		if e.IsNull() {
			return Null, pgerr.New(pgerr.NullValueNotAllowed, "typmod array must not contain nulls")
		}
		mods[i] = e.Str()
	}
	m, err := typmodInTable[name](c.Env, mods)
	return Int4(m), err
}
