package funcs

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Sums of small integers, their averages, intervals' averages, and boolean aggregates.

func init() {
	for _, n := range []string{"int2_sum", "int4_sum"} {
		types.RegisterFunc(n, intSum)
	}
	types.RegisterFunc("int8_sum", func(c *types.Call) (types.Datum, error) {
		if c.Args[1].IsNull() {
			return c.Args[0], nil
		}
		v, err := types.NumericFromInt64(c.Args[1].Int8()).Datum(nil)
		if err != nil || c.Args[0].IsNull() {
			return v, err
		}
		return types.CallFunc(c.Env, "numeric_add", c.Args[0], v)
	})
	for name, sign := range map[string]int64{"_accum": 1, "_accum_inv": -1} {
		for _, p := range []string{"int2_avg", "int4_avg"} {
			types.RegisterFunc(p+name, func(c *types.Call) (types.Datum, error) { return intAvgAccum(c, sign) })
		}
	}
	types.RegisterFunc("int4_avg_combine", func(c *types.Call) (types.Datum, error) {
		a, err := int8s(c.Args[0])
		if err != nil {
			return types.Null, err
		}
		b, err := int8s(c.Args[1])
		if err != nil {
			return types.Null, err
		}
		return int8Array(a[0]+b[0], a[1]+b[1]), nil
	})
	types.RegisterFunc("int8_avg", func(c *types.Call) (types.Datum, error) {
		s, err := int8s(c.Args[0])
		if err != nil || s[0] == 0 {
			return types.Null, err
		}
		n, err := types.DivNumeric(types.NumericFromInt64(s[1]), types.NumericFromInt64(s[0]))
		if err != nil {
			return types.Null, err
		}
		return n.Datum(nil)
	})
	types.RegisterFunc("int2int4_sum", func(c *types.Call) (types.Datum, error) {
		s, err := int8s(c.Args[0])
		if err != nil || s[0] == 0 {
			return types.Null, err
		}
		return types.Int8(s[1]), nil
	})
	types.RegisterFunc("interval_accum", func(c *types.Call) (types.Datum, error) { return intervalAccum(c, "interval_pl", 1) })
	types.RegisterFunc("interval_accum_inv", func(c *types.Call) (types.Datum, error) { return intervalAccum(c, "interval_mi", -1) })
	types.RegisterFunc("interval_avg", func(c *types.Call) (types.Datum, error) {
		s, err := intervals(c.Args[0])
		if err != nil || s[1].Interval().Usec == 0 {
			return types.Null, err
		}
		return types.CallFunc(c.Env, "interval_div", s[0], types.Float8(float64(s[1].Interval().Usec)))
	})
}

func intSum(c *types.Call) (types.Datum, error) {
	switch {
	case c.Args[1].IsNull():
		return c.Args[0], nil
	case c.Args[0].IsNull():
		return types.Int8(c.Args[1].Int8()), nil
	}
	return types.Int8(c.Args[0].Int8() + c.Args[1].Int8()), nil
}

func errTwoElements(what string) error {
	return pgerr.Internal("expected 2-element %s array", what)
}

func int8s(d types.Datum) ([]int64, error) {
	elem, _ := types.BuiltinType(types.Int8OID)
	v, err := types.ArrayElements(elem, d, nil)
	if err != nil || len(v) != 2 {
		return nil, errTwoElements("int8")
	}
	return []int64{v[0].Int8(), v[1].Int8()}, nil
}

func int8Array(a, b int64) types.Datum {
	elem, _ := types.BuiltinType(types.Int8OID)
	return types.MakeArray(elem, []types.Datum{types.Int8(a), types.Int8(b)})
}

func intAvgAccum(c *types.Call, sign int64) (types.Datum, error) {
	s, err := int8s(c.Args[0])
	if err != nil {
		return types.Null, err
	}
	return int8Array(s[0]+sign, s[1]+sign*c.Args[1].Int8()), nil
}

func intervals(d types.Datum) ([]types.Datum, error) {
	elem, _ := types.BuiltinType(types.IntervalOID)
	v, err := types.ArrayElements(elem, d, nil)
	if err != nil || len(v) != 2 {
		return nil, errTwoElements("interval")
	}
	return v, nil
}

// intervalAccum keeps the sum, and the count as the microseconds of a second interval.
func intervalAccum(c *types.Call, op string, sign int64) (types.Datum, error) {
	s, err := intervals(c.Args[0])
	if err != nil {
		return types.Null, err
	}
	sum, err := types.CallFunc(c.Env, op, s[0], c.Args[1])
	if err != nil {
		return types.Null, err
	}
	n := s[1].Interval()
	n.Usec += sign
	elem, _ := types.BuiltinType(types.IntervalOID)
	return types.MakeArray(elem, []types.Datum{sum, n.Datum(nil)}), nil
}
