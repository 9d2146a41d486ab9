package types

import (
	"math"

	"github.com/calfdb/calf/sql/pgerr"
)

var (
	errOverflow  = pgerr.New(pgerr.NumericValueOutOfRange, "value out of range: overflow")
	errUnderflow = pgerr.New(pgerr.NumericValueOutOfRange, "value out of range: underflow")
)

// FloatOverflow and FloatUnderflow are the errors of results that a float cannot hold.
func FloatOverflow() error  { return copyErr(errOverflow) }
func FloatUnderflow() error { return copyErr(errUnderflow) }

func float8Add(a, b float64) (float64, error) {
	r := a + b
	if math.IsInf(r, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		return 0, FloatOverflow()
	}
	return r, nil
}

func float8Sub(a, b float64) (float64, error) {
	r := a - b
	if math.IsInf(r, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		return 0, FloatOverflow()
	}
	return r, nil
}

func float8Mul(a, b float64) (float64, error) {
	r := a * b
	if math.IsInf(r, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		return 0, FloatOverflow()
	}
	if r == 0 && a != 0 && b != 0 {
		return 0, FloatUnderflow()
	}
	return r, nil
}

func float8Div(a, b float64) (float64, error) {
	if b == 0 && !math.IsNaN(a) {
		return 0, copyErr(errDivByZero)
	}
	r := a / b
	if math.IsInf(r, 0) && !math.IsInf(a, 0) {
		return 0, FloatOverflow()
	}
	if r == 0 && a != 0 && !math.IsInf(b, 0) {
		return 0, FloatUnderflow()
	}
	return r, nil
}

// float4Op does an operation in float4: operands are exact in float64, so one rounding to float32 gives the float4 result.
func float4Op(op func(a, b float64) (float64, error)) func(a, b float64) (float32, error) {
	return func(a, b float64) (float32, error) {
		r, err := op(a, b)
		if err != nil {
			return 0, err
		}
		f := float32(r)
		if math.IsInf(float64(f), 0) && !math.IsInf(r, 0) {
			return 0, FloatOverflow()
		}
		if f == 0 && r != 0 {
			return 0, FloatUnderflow()
		}
		return f, nil
	}
}

func f4(d Datum) float64 { return float64(d.Float4()) }
func f8(d Datum) float64 { return d.Float8() }

func init() {
	ops := map[string]func(a, b float64) (float64, error){"pl": float8Add, "mi": float8Sub, "mul": float8Mul, "div": float8Div}
	for name, op := range ops {
		op4 := float4Op(op)
		RegisterFunc("float4"+name, func(c *Call) (Datum, error) {
			r, err := op4(f4(c.Args[0]), f4(c.Args[1]))
			return Float4(r), err
		})
		for prefix, get := range floatPairs {
			RegisterFunc(prefix+name, func(c *Call) (Datum, error) {
				r, err := op(get[0](c.Args[0]), get[1](c.Args[1]))
				return Float8(r), err
			})
		}
	}
	compareFloat4 := func(a, b Datum) int { return CompareFloat(f4(a), f4(b)) }
	registerOrder("float4", compareFloat4)
	registerCompare("btfloat4cmp", compareFloat4)
	registerLarger("float4larger", "float4smaller", compareFloat4)
	for prefix, get := range floatPairs {
		cmp := func(a, b Datum) int { return CompareFloat(get[0](a), get[1](b)) }
		registerOrder(prefix, cmp)
		registerCompare("bt"+prefix+"cmp", cmp)
	}
	registerLarger("float8larger", "float8smaller", func(a, b Datum) int { return CompareFloat(f8(a), f8(b)) })
	registerFloatCasts()
	RegisterFunc("float4abs", func(c *Call) (Datum, error) { return Float4(float32(math.Abs(f4(c.Args[0])))), nil })
	RegisterFunc("float8abs", func(c *Call) (Datum, error) { return Float8(math.Abs(f8(c.Args[0]))), nil })
	RegisterFunc("float4um", func(c *Call) (Datum, error) { return Float4(-c.Args[0].Float4()), nil })
	RegisterFunc("float8um", func(c *Call) (Datum, error) { return Float8(-c.Args[0].Float8()), nil })
	RegisterFunc("float4up", identity)
	RegisterFunc("float8up", identity)
}

var floatPairs = map[string][2]func(Datum) float64{"float8": {f8, f8}, "float48": {f4, f8}, "float84": {f8, f4}}

func registerFloatCasts() {
	RegisterFunc("ftod", func(c *Call) (Datum, error) { return Float8(f4(c.Args[0])), nil })
	RegisterFunc("dtof", func(c *Call) (Datum, error) {
		r, err := float4Op(func(a, _ float64) (float64, error) { return a, nil })(f8(c.Args[0]), 0)
		return Float4(r), err
	})
	for _, n := range []string{"i2tod", "i4tod", "i8tod"} {
		RegisterFunc(n, func(c *Call) (Datum, error) { return Float8(float64(c.Args[0].Int8())), nil })
	}
	for _, n := range []string{"i2tof", "i4tof", "i8tof"} {
		RegisterFunc(n, func(c *Call) (Datum, error) { return Float4(float32(c.Args[0].Int8())), nil })
	}
	for from, get := range map[string]func(Datum) float64{"ftoi": f4, "dtoi": f8} {
		RegisterFunc(from+"2", func(c *Call) (Datum, error) { return floatToInt(get(c.Args[0]), 1<<15, errInt2Range) })
		RegisterFunc(from+"4", func(c *Call) (Datum, error) { return floatToInt(get(c.Args[0]), 1<<31, errInt4Range) })
		RegisterFunc(from+"8", func(c *Call) (Datum, error) { return floatToInt(get(c.Args[0]), 1<<63, errInt8Range) })
	}
}

// floatToInt rounds to the nearest integer, halves to even.
func floatToInt(v, limit float64, outOfRange *pgerr.Error) (Datum, error) {
	v = math.RoundToEven(v)
	if !(v >= -limit && v < limit) {
		return Null, copyErr(outOfRange)
	}
	return Int8(int64(v)), nil
}
