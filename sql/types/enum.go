package types

import "github.com/calfdb/calf/sql/pgerr"

// An enum value is the OID of its pg_enum row; order is that of the labels' sort positions.

func init() {
	registerIO("enum_in", enumIn, "enum_out", enumOut, "enum_recv", enumRecv, "enum_send", enumOut)
	registerCompareFor("enum_cmp", func(env *Env, _, _ OID) (CompareFunc, error) {
		return func(a, b Datum) int { return compareEnum(env, a, b) }, nil
	})
	tests := map[string]func(int) bool{"lt": func(c int) bool { return c < 0 }, "le": func(c int) bool { return c <= 0 },
		"gt": func(c int) bool { return c > 0 }, "ge": func(c int) bool { return c >= 0 }}
	for op, test := range tests {
		RegisterFunc("enum_"+op, func(c *Call) (Datum, error) { return Bool(test(compareEnum(c.Env, c.Args[0], c.Args[1]))), nil })
	}
	RegisterFunc("enum_eq", func(c *Call) (Datum, error) { return Bool(c.Args[0].Oid() == c.Args[1].Oid()), nil })
	RegisterFunc("enum_ne", func(c *Call) (Datum, error) { return Bool(c.Args[0].Oid() != c.Args[1].Oid()), nil })
	for name, sign := range map[string]int{"enum_larger": 1, "enum_smaller": -1} {
		RegisterFunc(name, func(c *Call) (Datum, error) {
			if compareEnum(c.Env, c.Args[0], c.Args[1])*sign > 0 {
				return c.Args[0], nil
			}
			return c.Args[1], nil
		})
	}
	RegisterFunc("enum_first", func(c *Call) (Datum, error) { return enumEnd(c, true) })
	RegisterFunc("enum_last", func(c *Call) (Datum, error) { return enumEnd(c, false) })
	RegisterFunc("enum_range_all", func(c *Call) (Datum, error) { return enumRange(c, Null, Null) })
	RegisterFunc("enum_range_bounds", func(c *Call) (Datum, error) { return enumRange(c, c.Args[0], c.Args[1]) })
}

func compareEnum(env *Env, a, b Datum) int {
	// Labels with even OIDs are ordered by them.
	if a.Oid() == b.Oid() || a.Oid()&1 == 0 && b.Oid()&1 == 0 || env == nil || env.Catalog == nil {
		return compareOid(a, b)
	}
	x, _, okX := env.Catalog.EnumValueByOID(a.Oid())
	y, _, okY := env.Catalog.EnumValueByOID(b.Oid())
	switch {
	case !okX || !okY:
		return compareOid(a, b)
	case x.Sort < y.Sort:
		return -1
	}
	return 1
}

func enumIn(env *Env, io *IO, s string, _ int32) (Datum, error) {
	cat, err := env.catalog("enum")
	if err != nil {
		return Null, err
	}
	values, err := cat.EnumValues(io.Info.OID)
	if err != nil {
		return Null, err
	}
	for _, v := range values {
		if v.Label == s {
			return Oid(v.OID), v.checkUse(env, io.Info.OID)
		}
	}
	return Null, pgerr.New(pgerr.InvalidTextRepresentation, "invalid input value for enum %s: \"%s\"", FormatType(env, io.Info.OID), s)
}

func enumOut(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	cat, err := env.catalog("enum")
	if err != nil {
		return dst, err
	}
	v, _, ok := cat.EnumValueByOID(d.Oid())
	if !ok {
		return dst, pgerr.New(pgerr.InvalidBinaryRepresentation, "invalid internal value for enum: %d", d.Oid())
	}
	return append(dst, v.Label...), nil
}

func enumRecv(env *Env, io *IO, b []byte, typmod int32) (Datum, error) {
	if err := CheckUTF8(b); err != nil {
		return Null, err
	}
	return enumIn(env, io, string(b), typmod)
}

// enumEnd gives the first or last value of the type of a null argument's expression.
func enumEnd(c *Call, first bool) (Datum, error) {
	values, err := enumValues(c)
	if err != nil {
		return Null, err
	}
	if len(values) == 0 {
		return Null, pgerr.New(pgerr.ObjectNotInPrerequisiteState, "enum %s contains no values", FormatType(c.Env, c.ArgTypes[0]))
	}
	v := values[len(values)-1]
	if first {
		v = values[0]
	}
	return Oid(v.OID), v.checkUse(c.Env, c.ArgTypes[0])
}

// checkUse refuses a label that its transaction has not committed yet.
func (v *EnumValue) checkUse(env *Env, typ OID) error {
	if !v.Uncommitted {
		return nil
	}
	return pgerr.New(pgerr.UnsafeNewEnumValueUsage, "unsafe use of new value \"%s\" of enum type %s", v.Label, FormatType(env, typ)).
		WithHint("New enum values must be committed before they can be used.")
}

func enumValues(c *Call) ([]EnumValue, error) {
	cat, err := c.Env.catalog("enum")
	if err != nil {
		return nil, err
	}
	return cat.EnumValues(c.ArgTypes[0])
}

func enumRange(c *Call, from, to Datum) (Datum, error) {
	values, err := enumValues(c)
	if err != nil {
		return Null, err
	}
	elem, err := c.Env.TypeByOID(c.ArgTypes[0])
	if err != nil {
		return Null, err
	}
	var out []Datum
	in := from.IsNull()
	for _, v := range values {
		in = in || v.OID == from.Oid()
		if in {
			if err := v.checkUse(c.Env, c.ArgTypes[0]); err != nil {
				return Null, err
			}
			out = append(out, Oid(v.OID))
		}
		if !to.IsNull() && v.OID == to.Oid() {
			break
		}
	}
	return MakeArray(elem, out), nil
}
