package types

import (
	"math"
	"math/bits"

	"github.com/calfdb/calf/sql/pgerr"
)

// Integers of every width are sign-extended in a Datum, so one function serves the comparison of any two widths; arithmetic differs
// in the range check of its result only.

var (
	errDivByZero = pgerr.New(pgerr.DivisionByZero, "division by zero")
	errInt2Range = pgerr.New(pgerr.NumericValueOutOfRange, "smallint out of range")
	errInt4Range = pgerr.New(pgerr.NumericValueOutOfRange, "integer out of range")
	errInt8Range = pgerr.New(pgerr.NumericValueOutOfRange, "bigint out of range")
)

// copyErr gives a caller its own copy of a constant error, since callers add positions.
func copyErr(e *pgerr.Error) error { c := *e; return &c }

func narrow2(v int64) (Datum, error) {
	if v != int64(int16(v)) {
		return Null, copyErr(errInt2Range)
	}
	return Int8(v), nil
}

func narrow4(v int64) (Datum, error) {
	if v != int64(int32(v)) {
		return Null, copyErr(errInt4Range)
	}
	return Int8(v), nil
}

func add8(a, b int64) (Datum, error) {
	s := a + b
	if (a^s)&(b^s) < 0 {
		return Null, copyErr(errInt8Range)
	}
	return Int8(s), nil
}

func sub8(a, b int64) (Datum, error) {
	s := a - b
	if (a^b)&(a^s) < 0 {
		return Null, copyErr(errInt8Range)
	}
	return Int8(s), nil
}

func mul8(a, b int64) (Datum, error) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// Signed high word.
	h := int64(hi)
	if a < 0 {
		h -= b
	}
	if b < 0 {
		h -= a
	}
	if h != int64(lo)>>63 {
		return Null, copyErr(errInt8Range)
	}
	return Int8(int64(lo)), nil
}

func div8(a, b int64) (Datum, error) {
	if b == 0 {
		return Null, copyErr(errDivByZero)
	}
	if b == -1 {
		if a == math.MinInt64 {
			return Null, copyErr(errInt8Range)
		}
		return Int8(-a), nil
	}
	return Int8(a / b), nil
}

// narrowing wraps a 64-bit operation with the range check of a narrower result.
func narrowing(op func(a, b int64) (Datum, error), narrow func(int64) (Datum, error)) func(a, b int64) (Datum, error) {
	return func(a, b int64) (Datum, error) {
		d, err := op(a, b)
		if err != nil {
			return d, err
		}
		return narrow(d.Int8())
	}
}

func mod8(a, b int64) (Datum, error) {
	if b == 0 {
		return Null, copyErr(errDivByZero)
	}
	if b == -1 {
		return Int8(0), nil
	}
	return Int8(a % b), nil
}

func reg2int(name string, op func(a, b int64) (Datum, error)) {
	RegisterFunc(name, func(c *Call) (Datum, error) { return op(int64(c.Args[0].n), int64(c.Args[1].n)) })
}

func init() {
	for _, p := range []string{"int2", "int24", "int28", "int42", "int4", "int48", "int82", "int84", "int8"} {
		registerSigned(six(p))
		registerCompare("bt"+p+"cmp", compareSigned)
	}
	for _, p := range []string{"int28", "int48", "int82", "int84", "int8"} {
		reg2int(p+"pl", add8)
		reg2int(p+"mi", sub8)
		reg2int(p+"mul", mul8)
		reg2int(p+"div", div8)
	}
	RegisterFunc("int4pl", func(c *Call) (Datum, error) { return narrow4(int64(c.Args[0].n) + int64(c.Args[1].n)) })
	RegisterFunc("int4mi", func(c *Call) (Datum, error) { return narrow4(int64(c.Args[0].n) - int64(c.Args[1].n)) })
	RegisterFunc("int4mul", func(c *Call) (Datum, error) { return narrow4(int64(c.Args[0].n) * int64(c.Args[1].n)) })
	reg2int("int4div", narrowing(div8, narrow4))
	for _, p := range []string{"int24", "int42"} {
		reg2int(p+"pl", narrowing(add8, narrow4))
		reg2int(p+"mi", narrowing(sub8, narrow4))
		reg2int(p+"mul", narrowing(mul8, narrow4))
		reg2int(p+"div", narrowing(div8, narrow4))
	}
	reg2int("int2pl", narrowing(add8, narrow2))
	reg2int("int2mi", narrowing(sub8, narrow2))
	reg2int("int2mul", narrowing(mul8, narrow2))
	reg2int("int2div", narrowing(div8, narrow2))
	widths := map[string]uint{"int2": 16, "int4": 32, "int8": 64}
	mins := map[string]int64{"int2": math.MinInt16, "int4": math.MinInt32, "int8": math.MinInt64}
	ranges := map[string]*pgerr.Error{"int2": errInt2Range, "int4": errInt4Range, "int8": errInt8Range}
	for p, width := range widths {
		registerIntUnary(p, mins[p], ranges[p])
		registerIntBits(p, width)
		reg2int(p+"mod", mod8)
		registerLarger(p+"larger", p+"smaller", compareSigned)
	}
	registerIntCasts()
	registerGCD("int4", math.MinInt32, errInt4Range, narrow4)
	registerGCD("int8", math.MinInt64, errInt8Range, func(v int64) (Datum, error) { return Int8(v), nil })
	RegisterFunc("int4inc", func(c *Call) (Datum, error) { return narrow4(c.Args[0].Int8() + 1) })
	inc := func(c *Call) (Datum, error) { return add8(c.Args[0].Int8(), 1) }
	dec := func(c *Call) (Datum, error) { return sub8(c.Args[0].Int8(), 1) }
	RegisterFunc("int8inc", inc)
	RegisterFunc("int8inc_any", inc)
	RegisterFunc("int8inc_float8_float8", inc)
	RegisterFunc("int8dec", dec)
	RegisterFunc("int8dec_any", dec)
}

func registerIntUnary(p string, min int64, outOfRange *pgerr.Error) {
	neg := func(v int64) (Datum, error) {
		if v == min {
			return Null, copyErr(outOfRange)
		}
		return Int8(-v), nil
	}
	RegisterFunc(p+"um", func(c *Call) (Datum, error) { return neg(c.Args[0].Int8()) })
	RegisterFunc(p+"up", identity)
	RegisterFunc(p+"abs", func(c *Call) (Datum, error) {
		if v := c.Args[0].Int8(); v < 0 {
			return neg(v)
		}
		return c.Args[0], nil
	})
}

// registerIntBits registers the bit operators. Shift counts are taken modulo 32 (64 for int8), as the machine does.
func registerIntBits(p string, width uint) {
	wrap := func(v int64) Datum {
		switch width {
		case 16:
			return Int2(int16(v))
		case 32:
			return Int4(int32(v))
		}
		return Int8(v)
	}
	countMask := uint64(31)
	if width == 64 {
		countMask = 63
	}
	RegisterFunc(p+"and", func(c *Call) (Datum, error) { return FromRaw(c.Args[0].n & c.Args[1].n), nil })
	RegisterFunc(p+"or", func(c *Call) (Datum, error) { return FromRaw(c.Args[0].n | c.Args[1].n), nil })
	RegisterFunc(p+"xor", func(c *Call) (Datum, error) { return FromRaw(c.Args[0].n ^ c.Args[1].n), nil })
	RegisterFunc(p+"not", func(c *Call) (Datum, error) { return FromRaw(^c.Args[0].n), nil })
	RegisterFunc(p+"shl", func(c *Call) (Datum, error) { return wrap(c.Args[0].Int8() << (c.Args[1].n & countMask)), nil })
	RegisterFunc(p+"shr", func(c *Call) (Datum, error) { return wrap(c.Args[0].Int8() >> (c.Args[1].n & countMask)), nil })
}

func registerIntCasts() {
	for _, n := range []string{"i2toi4", "int28", "int48"} {
		RegisterFunc(n, identity)
	}
	RegisterFunc("i4toi2", func(c *Call) (Datum, error) { return narrow2(c.Args[0].Int8()) })
	RegisterFunc("int82", func(c *Call) (Datum, error) { return narrow2(c.Args[0].Int8()) })
	RegisterFunc("int84", func(c *Call) (Datum, error) { return narrow4(c.Args[0].Int8()) })
}

// registerGCD registers gcd and lcm of one width.
func registerGCD(p string, min int64, outOfRange *pgerr.Error, narrow func(int64) (Datum, error)) {
	RegisterFunc(p+"gcd", func(c *Call) (Datum, error) {
		g := gcd64(c.Args[0].Int8(), c.Args[1].Int8())
		if g > uint64(-(min + 1)) {
			return Null, copyErr(outOfRange)
		}
		return Int8(int64(g)), nil
	})
	RegisterFunc(p+"lcm", func(c *Call) (Datum, error) {
		a, b := c.Args[0].Int8(), c.Args[1].Int8()
		if a == 0 || b == 0 {
			return Int8(0), nil
		}
		g := gcd64(a, b)
		if g > math.MaxInt64 {
			return Null, copyErr(outOfRange)
		}
		d, err := mul8(a/int64(g), b)
		if err != nil {
			return Null, copyErr(outOfRange)
		}
		v := d.Int8()
		if v == min {
			return Null, copyErr(outOfRange)
		}
		if v < 0 {
			v = -v
		}
		return narrow(v)
	})
}

// gcd64 is the greatest common divisor of the absolute values.
func gcd64(a, b int64) uint64 {
	x, y := absU(a), absU(b)
	for y != 0 {
		x, y = y, x%y
	}
	return x
}

func absU(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}
