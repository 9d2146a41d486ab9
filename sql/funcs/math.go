package funcs

import (
	"math"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/sql/types/libm"
)

// Mathematical functions of double precision.

// of1 registers a function of one float8.
func of1(name string, f func(x float64) (float64, error)) {
	types.RegisterFunc(name, func(c *types.Call) (types.Datum, error) {
		v, err := f(c.Args[0].Float8())
		return types.Float8(v), err
	})
}

// total makes a function that never fails of a plain one.
func total(f func(float64) float64) func(float64) (float64, error) {
	return func(x float64) (float64, error) { return f(x), nil }
}

func errDomain() error { return pgerr.New(pgerr.NumericValueOutOfRange, "input is out of range") }

// finiteArg refuses infinite arguments, as the trigonometric functions do.
func finiteArg(f func(float64) float64) func(float64) (float64, error) {
	return func(x float64) (float64, error) {
		if math.IsInf(x, 0) {
			return 0, errDomain()
		}
		return f(x), nil
	}
}

// within refuses arguments outside [lo, hi]; NaN passes.
func within(lo, hi float64, f func(float64) float64) func(float64) (float64, error) {
	return func(x float64) (float64, error) {
		if x < lo || x > hi {
			return 0, errDomain()
		}
		return f(x), nil
	}
}

// noOverflow refuses an infinite result of a finite argument.
func noOverflow(f func(float64) float64) func(float64) (float64, error) {
	return func(x float64) (float64, error) {
		v := f(x)
		if math.IsInf(v, 0) && !math.IsInf(x, 0) {
			return 0, types.FloatOverflow()
		}
		return v, nil
	}
}

func init() {
	of1("dceil", total(math.Ceil))
	of1("dfloor", total(math.Floor))
	of1("dround", total(math.RoundToEven))
	of1("dtrunc", total(math.Trunc))
	of1("dsign", total(floatSign))
	of1("dcbrt", total(libm.Cbrt))
	of1("dsqrt", func(x float64) (float64, error) {
		if x < 0 {
			return 0, pgerr.New(pgerr.InvalidArgumentForPowerFunction, "cannot take square root of a negative number")
		}
		return math.Sqrt(x), nil
	})
	of1("dexp", exponential)
	of1("dlog1", logarithm(libm.Log))
	of1("dlog10", logarithm(libm.Log10))
	types.RegisterFunc("dpow", func(c *types.Call) (types.Datum, error) {
		v, err := power(c.Args[0].Float8(), c.Args[1].Float8())
		return types.Float8(v), err
	})
	of1("dsin", finiteArg(libm.Sin))
	of1("dcos", finiteArg(libm.Cos))
	of1("dtan", finiteArg(libm.Tan))
	of1("dcot", finiteArg(func(x float64) float64 { return 1 / libm.Tan(x) }))
	of1("dasin", within(-1, 1, libm.Asin))
	of1("dacos", within(-1, 1, libm.Acos))
	of1("datan", total(libm.Atan))
	of1("dsinh", total(libm.Sinh))
	of1("dcosh", total(libm.Cosh))
	of1("dtanh", total(libm.Tanh))
	of1("dasinh", total(libm.Asinh))
	of1("dacosh", within(1, math.Inf(1), libm.Acosh))
	of1("datanh", within(-1, 1, libm.Atanh))
	types.RegisterFunc("datan2", func(c *types.Call) (types.Datum, error) {
		return types.Float8(libm.Atan2(c.Args[0].Float8(), c.Args[1].Float8())), nil
	})
	of1("degrees", noOverflow(func(x float64) float64 { return x / radiansPerDegree }))
	of1("radians", func(x float64) (float64, error) {
		v := x * radiansPerDegree
		if v == 0 && x != 0 {
			return 0, types.FloatUnderflow()
		}
		return v, nil
	})
	types.RegisterFunc("dpi", func(*types.Call) (types.Datum, error) { return types.Float8(math.Pi), nil })
	types.RegisterFunc("width_bucket_float8", widthBucketFloat)
}

func floatSign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

func exponential(x float64) (float64, error) {
	v := libm.Exp(x)
	switch {
	case math.IsInf(x, 0) || math.IsNaN(x):
	case math.IsInf(v, 0):
		return 0, types.FloatOverflow()
	case v == 0:
		return 0, types.FloatUnderflow()
	}
	return v, nil
}

func logarithm(f func(float64) float64) func(float64) (float64, error) {
	return func(x float64) (float64, error) {
		switch {
		case x == 0:
			return 0, pgerr.New(pgerr.InvalidArgumentForLog, "cannot take logarithm of zero")
		case x < 0:
			return 0, pgerr.New(pgerr.InvalidArgumentForLog, "cannot take logarithm of a negative number")
		}
		return f(x), nil
	}
}

func power(x, y float64) (float64, error) {
	switch {
	case y == 0 || x == 1:
		return 1, nil
	case math.IsNaN(x) || math.IsNaN(y):
		return math.NaN(), nil
	case x == 0 && y < 0:
		return 0, pgerr.New(pgerr.InvalidArgumentForPowerFunction, "zero raised to a negative power is undefined")
	case x < 0 && !math.IsInf(y, 0) && math.Floor(y) != y:
		return 0, pgerr.New(pgerr.InvalidArgumentForPowerFunction, "a negative number raised to a non-integer power yields a complex result")
	}
	v := libm.Pow(x, y)
	if finite(x) && finite(y) {
		if math.IsInf(v, 0) {
			return 0, types.FloatOverflow()
		}
		if v == 0 && x != 0 {
			return 0, types.FloatUnderflow()
		}
	}
	return v, nil
}

func bucketError(format string) error {
	return pgerr.New(pgerr.InvalidArgumentForWidthBucketFunction, "%s", format)
}

func widthBucketFloat(c *types.Call) (types.Datum, error) {
	x, lo, hi, count := c.Args[0].Float8(), c.Args[1].Float8(), c.Args[2].Float8(), c.Args[3].Int4()
	switch {
	case count <= 0:
		return types.Null, bucketError("count must be greater than zero")
	case math.IsNaN(x) || math.IsNaN(lo) || math.IsNaN(hi):
		return types.Null, bucketError("operand, lower bound, and upper bound cannot be NaN")
	case math.IsInf(lo, 0) || math.IsInf(hi, 0):
		return types.Null, bucketError("lower and upper bounds must be finite")
	case lo == hi:
		return types.Null, bucketError("lower bound cannot equal upper bound")
	}
	below, above := x < lo, x >= hi
	if lo > hi {
		below, above = x > lo, x <= hi
	}
	switch {
	case below:
		return types.Int4(0), nil
	case above && count == math.MaxInt32:
		return types.Null, pgerr.New(pgerr.NumericValueOutOfRange, "integer out of range")
	case above:
		return types.Int4(count + 1), nil
	}
	part := (x - lo) / (hi - lo)
	if math.IsInf(hi-lo, 0) {
		part = (x/2 - lo/2) / (hi/2 - lo/2)
	}
	n := int32(min(float64(count)*part, float64(count)))
	return types.Int4(min(n, count-1) + 1), nil
}
