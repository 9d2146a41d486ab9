package types

import (
	"math"
	"math/big"
	"strconv"

	"github.com/calfdb/calf/sql/pgerr"
)

func compareNumericDatum(a, b Datum) int {
	var x, y [32]int16
	return CompareNumeric(decodeNumeric(a, x[:0]), decodeNumeric(b, y[:0]))
}

// numFunc1 and numFunc2 register functions of numerics that give one.
func numFunc1(name string, f func(a Numeric) (Numeric, error)) {
	RegisterFunc(name, func(c *Call) (Datum, error) {
		r, err := f(c.Args[0].Numeric())
		if err != nil {
			return Null, err
		}
		return r.Datum(c.Arena)
	})
}

func numFunc2(name string, f func(a, b Numeric) (Numeric, error)) {
	RegisterFunc(name, func(c *Call) (Datum, error) {
		r, err := f(c.Args[0].Numeric(), c.Args[1].Numeric())
		if err != nil {
			return Null, err
		}
		return r.Datum(c.Arena)
	})
}

func init() {
	registerOrder("numeric_", compareNumericDatum)
	registerCompare("numeric_cmp", compareNumericDatum)
	registerLarger("numeric_larger", "numeric_smaller", compareNumericDatum)
	registerHash("hash_numeric", hashNumeric, "hash_numeric_extended", hashNumericExt)
	numFunc2("numeric_add", func(a, b Numeric) (Numeric, error) { return addNumeric(a, b), nil })
	numFunc2("numeric_sub", func(a, b Numeric) (Numeric, error) { return addNumeric(a, negNumeric(b)), nil })
	numFunc2("numeric_mul", mulNumeric)
	numFunc2("numeric_div", DivNumeric)
	numFunc2("numeric_div_trunc", divTruncNumeric)
	numFunc2("numeric_mod", modNumeric)
	numFunc2("numeric_gcd", gcdNumeric)
	numFunc2("numeric_lcm", lcmNumeric)
	numFunc1("numeric_uminus", func(a Numeric) (Numeric, error) { return negNumeric(a), nil })
	RegisterFunc("numeric_uplus", identity)
	numFunc1("numeric_inc", func(a Numeric) (Numeric, error) { return addNumeric(a, NumericFromInt64(1)), nil })
	numFunc1("numeric_abs", func(a Numeric) (Numeric, error) {
		if a.neg {
			return negNumeric(a), nil
		}
		return a, nil
	})
	numFunc1("numeric_sign", func(a Numeric) (Numeric, error) {
		if a.IsNaN() {
			return a, nil
		}
		return NumericFromInt64(int64(a.Sign())), nil
	})
	numFunc1("numeric_ceil", func(a Numeric) (Numeric, error) { return towards(a, false), nil })
	numFunc1("numeric_floor", func(a Numeric) (Numeric, error) { return towards(a, true), nil })
	numFunc1("numeric_trim_scale", func(a Numeric) (Numeric, error) {
		if a.kind == numFinite {
			a.dscale = a.minScale()
		}
		return a, nil
	})
	RegisterFunc("numeric_round", func(c *Call) (Datum, error) { return cutNumeric(c, (*Numeric).round) })
	RegisterFunc("numeric_trunc", func(c *Call) (Datum, error) { return cutNumeric(c, (*Numeric).trunc) })
	RegisterFunc("numeric_scale", func(c *Call) (Datum, error) { return scaleOf(c, func(n Numeric) int { return n.dscale }) })
	RegisterFunc("numeric_min_scale", func(c *Call) (Datum, error) { return scaleOf(c, Numeric.minScale) })
	RegisterFunc("numeric_fac", factorial)
	registerNumericCasts()
}

func scaleOf(c *Call, f func(Numeric) int) (Datum, error) {
	n := c.Args[0].Numeric()
	if n.kind != numFinite {
		return Null, nil
	}
	return Int4(int32(f(n))), nil
}

// cutNumeric rounds or truncates to a scale given as integer.
func cutNumeric(c *Call, cut func(*Numeric, int)) (Datum, error) {
	n := c.Args[0].Numeric()
	if n.kind != numFinite {
		return c.Args[0], nil
	}
	scale := min(max(int(c.Args[1].Int4()), -numBaseDigs*(numWeightMax+1)-1), numDscaleMax)
	cut(&n, scale)
	return n.Datum(c.Arena)
}

// minScale is the smallest scale that shows all digits.
func (n Numeric) minScale() int {
	if len(n.digits) == 0 {
		return 0
	}
	scale := (len(n.digits) - n.weight - 1) * numBaseDigs
	if scale <= 0 {
		return 0
	}
	for last := n.digits[len(n.digits)-1]; last%10 == 0; last /= 10 {
		scale--
	}
	return scale
}

// towards rounds to an integer: down for floor, else up.
func towards(a Numeric, down bool) Numeric {
	if a.kind != numFinite {
		return a
	}
	whole, neg := a.isIntegral(), a.neg
	a.trunc(0)
	if !whole && neg == down {
		one := NumericFromInt64(1)
		one.neg = down
		return addNumeric(a, one)
	}
	return a
}

func mulNumeric(a, b Numeric) (Numeric, error) {
	if a.kind == numNaN || b.kind == numNaN {
		return NumericNaN(), nil
	}
	if a.kind != numFinite || b.kind != numFinite {
		return infinityTimes(a.Sign() * b.Sign()), nil
	}
	r := mulFinite(a, b)
	if r.dscale > numDscaleMax {
		r.round(numDscaleMax)
	}
	return r, nil
}

func infinityTimes(sign int) Numeric {
	switch sign {
	case 1:
		return Numeric{kind: numPInf}
	case -1:
		return Numeric{kind: numNInf, neg: true}
	}
	return NumericNaN()
}

// divSpecial deals with divisions that have a special operand.
func divSpecial(a, b Numeric) (r Numeric, done bool, err error) {
	switch {
	case a.kind == numNaN || b.kind == numNaN:
		return NumericNaN(), true, nil
	case a.kind != numFinite && b.kind != numFinite:
		return NumericNaN(), true, nil
	case a.kind != numFinite:
		if b.IsZero() {
			return r, true, copyErr(errDivByZero)
		}
		return infinityTimes(a.Sign() * b.Sign()), true, nil
	case b.kind != numFinite:
		return Numeric{}, true, nil
	case b.IsZero():
		return r, true, copyErr(errDivByZero)
	}
	return r, false, nil
}

// DivNumeric divides as the operator does.
func DivNumeric(a, b Numeric) (Numeric, error) {
	if r, done, err := divSpecial(a, b); done {
		return r, err
	}
	return divFinite(a, b, divScale(a, b), true), nil
}

func divTruncNumeric(a, b Numeric) (Numeric, error) {
	if r, done, err := divSpecial(a, b); done {
		return r, err
	}
	return divFinite(a, b, 0, false), nil
}

func modNumeric(a, b Numeric) (Numeric, error) {
	switch {
	case a.kind == numNaN || b.kind == numNaN:
		return NumericNaN(), nil
	case a.IsInf():
		if b.IsZero() {
			return Numeric{}, copyErr(errDivByZero)
		}
		return NumericNaN(), nil
	case b.IsInf():
		return a, nil
	case b.IsZero():
		return Numeric{}, copyErr(errDivByZero)
	}
	return modFinite(a, b), nil
}

func gcdNumeric(a, b Numeric) (Numeric, error) {
	if a.kind != numFinite || b.kind != numFinite {
		return NumericNaN(), nil
	}
	scale := max(a.exactScale(), b.exactScale())
	x, y := a.unscaled(scale), b.unscaled(scale)
	r := numericFromBig(new(big.Int).GCD(nil, nil, x.Abs(x), y.Abs(y)), scale)
	r.dscale = max(a.dscale, b.dscale)
	return r, nil
}

func lcmNumeric(a, b Numeric) (Numeric, error) {
	if a.kind != numFinite || b.kind != numFinite {
		return NumericNaN(), nil
	}
	r := Numeric{}
	if !a.IsZero() && !b.IsZero() {
		g, _ := gcdNumeric(a, b)
		r = mulFinite(divFinite(a, g, max(a.dscale, b.dscale), false), b)
		r.neg = false
	}
	r.dscale = max(a.dscale, b.dscale)
	return r, nil
}

func factorial(c *Call) (Datum, error) {
	n := c.Args[0].Int8()
	switch {
	case n < 0:
		return Null, outOfRange("factorial of a negative number is undefined")
	case n > 32177:
		return Null, copyErr(errNumericOverflow)
	}
	r := new(big.Int).MulRange(1, max(n, 1))
	return numericFromBig(r, 0).Datum(c.Arena)
}

func hashNumeric(d Datum) uint32 {
	n := d.Numeric()
	if n.kind != numFinite {
		return 0
	}
	if len(n.digits) == 0 {
		return math.MaxUint32
	}
	return HashBytes(digitBytes(n)) ^ uint32(int32(n.weight))
}

func hashNumericExt(d Datum, seed uint64) uint64 {
	n := d.Numeric()
	if n.kind != numFinite {
		return seed
	}
	if len(n.digits) == 0 {
		return seed - 1
	}
	return HashBytesExt(digitBytes(n), seed) ^ uint64(int64(n.weight))
}

func digitBytes(n Numeric) []byte {
	b := make([]byte, 0, 2*len(n.digits))
	for _, d := range n.digits {
		b = append(b, byte(d), byte(d>>8))
	}
	return b
}

func registerNumericCasts() {
	for _, p := range []string{"int2", "int4", "int8"} {
		RegisterFunc(p+"_numeric", func(c *Call) (Datum, error) { return NumericFromInt64(c.Args[0].Int8()).Datum(c.Arena) })
	}
	RegisterFunc("numeric_int2", func(c *Call) (Datum, error) { return numericToInt(c, "smallint", errInt2Range, 16) })
	RegisterFunc("numeric_int4", func(c *Call) (Datum, error) { return numericToInt(c, "integer", errInt4Range, 32) })
	RegisterFunc("numeric_int8", func(c *Call) (Datum, error) { return numericToInt(c, "bigint", errInt8Range, 64) })
	RegisterFunc("numeric_float8", func(c *Call) (Datum, error) {
		v, err := c.Args[0].Numeric().float("double precision", 64)
		return Float8(v), err
	})
	RegisterFunc("numeric_float4", func(c *Call) (Datum, error) {
		v, err := c.Args[0].Numeric().float("real", 32)
		return Float4(float32(v)), err
	})
	RegisterFunc("float8_numeric", func(c *Call) (Datum, error) { return floatToNumeric(c.Args[0].Float8(), 15).Datum(c.Arena) })
	RegisterFunc("float4_numeric", func(c *Call) (Datum, error) { return floatToNumeric(float64(c.Args[0].Float4()), 6).Datum(c.Arena) })
}

func numericToInt(c *Call, typeName string, outOfRange *pgerr.Error, bits uint) (Datum, error) {
	n := c.Args[0].Numeric()
	switch n.kind {
	case numNaN:
		return Null, pgerr.New(pgerr.FeatureNotSupported, "cannot convert NaN to %s", typeName)
	case numPInf, numNInf:
		return Null, pgerr.New(pgerr.FeatureNotSupported, "cannot convert infinity to %s", typeName)
	}
	v, ok := n.int64()
	if !ok || v>>(bits-1) != v>>63 {
		return Null, copyErr(outOfRange)
	}
	return Int8(v), nil
}

// float converts through the text form, as PostgreSQL does.
func (n Numeric) float(typeName string, bits int) (float64, error) {
	s := n.String()
	v, _, err := ParseFloat(s, s, typeName, bits, true)
	return v, err
}

// Float8 is the nearest float8; out of range gives infinity or zero.
func (n Numeric) Float8() float64 {
	v, _ := strconv.ParseFloat(n.String(), 64)
	return v
}

// floatToNumeric keeps as many digits as a float of the width is sure to have.
func floatToNumeric(v float64, digits int) Numeric {
	switch {
	case math.IsNaN(v):
		return NumericNaN()
	case math.IsInf(v, 1):
		return Numeric{kind: numPInf}
	case math.IsInf(v, -1):
		return Numeric{kind: numNInf, neg: true}
	}
	n, _ := ParseNumeric(string(appendG(nil, strconv.AppendFloat(nil, v, 'e', digits-1, 64), digits)))
	return n
}
