package types

import (
	"math"
	"math/big"

	"github.com/cockroachdb/apd/v3"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types/libm"
)

// Roots, exponentials and logarithms: PostgreSQL's choice of the result's scale, with apd doing the arithmetic in enough more digits that
// rounding to that scale gives the same result.

func init() {
	numFunc1("numeric_sqrt", sqrtNumeric)
	numFunc1("numeric_exp", expNumeric)
	numFunc1("numeric_ln", lnNumeric)
	numFunc2("numeric_log", logNumeric)
	numFunc2("numeric_power", powNumeric)
}

func errPower(msg string) error { return pgerr.New(pgerr.InvalidArgumentForPowerFunction, "%s", msg) }

func sqrtNumeric(a Numeric) (Numeric, error) {
	if a.neg {
		return a, errPower("cannot take square root of a negative number")
	}
	if a.kind != numFinite {
		return a, nil
	}
	sweight := quoTrunc((a.weight+1)*numBaseDigs, 2) - 1
	rscale := clampScale(numMinSigDigits-sweight, a.dscale)
	if a.IsZero() {
		a.dscale = rscale
		return a, nil
	}
	// floor(sqrt(a·10^(2s))) with one more digit, then rounded.
	root := new(big.Int).Sqrt(a.unscaled(2 * (rscale + 1)))
	r := numericFromBig(root, rscale+1)
	r.round(rscale)
	return r, nil
}

func quoTrunc(a, b int) int { return a / b }

func toDecimal(n Numeric) *apd.Decimal {
	scale := n.exactScale()
	coeff := n.unscaled(scale)
	d := &apd.Decimal{Exponent: int32(-scale), Negative: coeff.Sign() < 0}
	d.Coeff.SetMathBigInt(new(big.Int).Abs(coeff))
	return d
}

func fromDecimal(d *apd.Decimal) Numeric {
	coeff := d.Coeff.MathBigInt()
	if d.Negative {
		coeff = new(big.Int).Neg(coeff)
	}
	return numericFromBig(coeff, int(-d.Exponent))
}

func context(digits int) *apd.Context {
	c := apd.BaseContext.WithPrecision(uint32(max(digits, 20)))
	c.MaxExponent, c.MinExponent, c.Rounding, c.Traps = apd.MaxExponent, apd.MinExponent, apd.RoundHalfUp, 0
	return c
}

// lnDecimal is the natural logarithm with digits significant digits.
func lnDecimal(n Numeric, digits int) *apd.Decimal {
	r := new(apd.Decimal)
	_, _ = context(digits).Ln(r, toDecimal(n))
	return r
}

// finish rounds a high-precision result to its scale.
func finish(d *apd.Decimal, rscale int) Numeric {
	r := fromDecimal(d)
	r.round(rscale)
	r.dscale = rscale
	return r
}

func expNumeric(a Numeric) (Numeric, error) {
	switch {
	case a.kind == numNInf:
		return Numeric{}, nil
	case a.kind != numFinite:
		return a, nil
	}
	val := a.Float8() * 0.434294481903252
	val = min(max(val, -numMaxResScale), numMaxResScale)
	rscale := clampScale(numMinSigDigits-int(val), a.dscale)
	return expFinite(a, rscale)
}

// expFinite is e^a rounded to rscale digits.
func expFinite(a Numeric, rscale int) (Numeric, error) {
	x := a.Float8()
	if math.Abs(x) >= numMaxResScale*3 {
		if x > 0 {
			return Numeric{}, copyErr(errNumericOverflow)
		}
		return Numeric{dscale: rscale}, nil
	}
	digits := max(rscale+int(x*0.434294481903252), 0) + 12
	r := new(apd.Decimal)
	if _, err := context(digits).Exp(r, toDecimal(a)); err != nil {
		return Numeric{}, pgerr.From(err)
	}
	return finish(r, rscale), nil
}

var (
	numPoint9 = Numeric{dscale: 1, weight: -1, digits: []int16{9000}}
	num1Point = Numeric{dscale: 1, digits: []int16{1, 1000}}
)

// lnWeight estimates the decimal weight of ln(n), the way the result's scale depends on.
func lnWeight(n Numeric) int {
	if n.neg || len(n.digits) == 0 {
		return 0
	}
	if CompareNumeric(n, numPoint9) >= 0 && CompareNumeric(n, num1Point) <= 0 {
		x := addNumeric(n, NumericFromInt64(-1))
		if len(x.digits) == 0 {
			return 0
		}
		return x.weight*numBaseDigs + int(libm.Log10(float64(x.digits[0])))
	}
	digits, dweight := int(n.digits[0]), n.weight*numBaseDigs
	if len(n.digits) > 1 {
		digits = digits*numBase + int(n.digits[1])
		dweight -= numBaseDigs
	}
	ln := libm.Log(float64(digits)) + float64(dweight)*2.302585092994046
	return int(libm.Log10(math.Abs(ln)))
}

func checkLog(a Numeric) error {
	switch {
	case a.neg:
		return pgerr.New(pgerr.InvalidArgumentForLog, "cannot take logarithm of a negative number")
	case a.IsZero():
		return pgerr.New(pgerr.InvalidArgumentForLog, "cannot take logarithm of zero")
	}
	return nil
}

func lnNumeric(a Numeric) (Numeric, error) {
	if err := checkLog(a); err != nil {
		return a, err
	}
	if a.kind != numFinite {
		return a, nil
	}
	w := lnWeight(a)
	rscale := clampScale(numMinSigDigits-w, a.dscale)
	return finish(lnDecimal(a, rscale+w+20), rscale), nil
}

func logNumeric(base, num Numeric) (Numeric, error) {
	if base.kind == numNaN || num.kind == numNaN {
		return NumericNaN(), nil
	}
	if err := checkLog(base); err != nil {
		return base, err
	}
	if err := checkLog(num); err != nil {
		return num, err
	}
	switch {
	case base.IsInf() && num.IsInf():
		return NumericNaN(), nil
	case base.IsInf():
		return Numeric{}, nil
	case num.IsInf():
		return num, nil
	}
	w := lnWeight(num) - lnWeight(base)
	rscale := clampScale(numMinSigDigits-w, base.dscale, num.dscale)
	digits := max(rscale+w, 0) + 20
	lb := lnDecimal(base, digits)
	if lb.IsZero() {
		return Numeric{}, copyErr(errDivByZero)
	}
	r := new(apd.Decimal)
	_, _ = context(digits).Quo(r, lnDecimal(num, digits), lb)
	return finish(r, rscale), nil
}

// SqrtNumericScale is the square root to a's own display scale; a is finite and not negative.
func SqrtNumericScale(a Numeric) (Numeric, error) {
	rscale := a.dscale
	r := numericFromBig(new(big.Int).Sqrt(a.unscaled(2*(rscale+1))), rscale+1)
	r.round(rscale)
	return r, nil
}
