package types

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/calfdb/calf/sql/types/libm"
)

var numOne = Numeric{digits: []int16{1}}

// isOdd says whether an integral value is odd.
func (n Numeric) isOdd() bool {
	return len(n.digits) > 0 && len(n.digits) == n.weight+1 && n.digits[len(n.digits)-1]&1 == 1
}

func powNumeric(x, y Numeric) (Numeric, error) {
	if x.kind == numNaN || y.kind == numNaN {
		if x.kind == numNaN && y.IsZero() || y.kind == numNaN && CompareNumeric(x, numOne) == 0 {
			return numOne.clone(), nil
		}
		return NumericNaN(), nil
	}
	if x.IsZero() && y.Sign() < 0 {
		return x, errPower("zero raised to a negative power is undefined")
	}
	if x.kind != numFinite || y.kind != numFinite {
		return powInfinite(x, y)
	}
	return powFinite(x, y)
}

func powInfinite(x, y Numeric) (Numeric, error) {
	if x.Sign() < 0 && !y.isIntegral() {
		return x, errPower("a negative number raised to a non-integer power yields a complex result")
	}
	switch {
	case CompareNumeric(x, numOne) == 0, y.IsZero():
		return numOne.clone(), nil
	case x.IsZero():
		return Numeric{}, nil
	case y.IsInf():
		big := true
		if x.kind == numFinite {
			c := cmpAbs(x, numOne)
			if c == 0 {
				return numOne.clone(), nil
			}
			big = c > 0
		}
		if big == (y.Sign() > 0) {
			return Numeric{kind: numPInf}, nil
		}
		return Numeric{}, nil
	case y.Sign() < 0:
		return Numeric{}, nil
	case x.kind == numNInf && y.isOdd():
		return Numeric{kind: numNInf, neg: true}, nil
	}
	return Numeric{kind: numPInf}, nil
}

func powFinite(x, y Numeric) (Numeric, error) {
	if y.isIntegral() {
		if e, ok := y.int64(); ok && e >= math.MinInt32 && e <= math.MaxInt32 {
			return powInt(x, int(e), clampScale(numMinSigDigits, x.dscale))
		}
	}
	if x.IsZero() {
		return Numeric{dscale: numMinSigDigits}, nil
	}
	neg := false
	if x.neg {
		if !y.isIntegral() {
			return x, errPower("a negative number raised to a non-integer power yields a complex result")
		}
		neg = y.isOdd()
		x.neg = false
	}
	w := lnWeight(x)
	val := fromDecimal(lnDecimal(x, 30+max(-w, 0))).Float8() * y.Float8()
	if math.Abs(val) > numMaxResScale*3.01 {
		if val > 0 {
			return x, copyErr(errNumericOverflow)
		}
		return Numeric{dscale: numMaxDispScale}, nil
	}
	val *= 0.434294481903252
	rscale := clampScale(numMinSigDigits-int(val), x.dscale, y.dscale)
	digits := max(rscale+int(val), 0) + 20
	ln := lnDecimal(x, digits+max(-w, 0)+10)
	prod, r := new(apd.Decimal), new(apd.Decimal)
	ctx := context(digits + 10)
	_, _ = ctx.Mul(prod, ln, toDecimal(y))
	_, _ = ctx.Exp(r, prod)
	n := finish(r, rscale)
	n.neg = neg && len(n.digits) > 0
	return n, nil
}

// powInt multiplies out, keeping as many digits as the result needs.
func powInt(x Numeric, e, rscale int) (Numeric, error) {
	switch e {
	case 0:
		one := numOne.clone()
		one.dscale = rscale
		return one, nil
	case 1:
		x.round(rscale)
		return x, nil
	case -1:
		if x.IsZero() {
			return x, copyErr(errDivByZero)
		}
		return divFinite(numOne, x, rscale, true), nil
	case 2:
		r := mulFinite(x, x)
		r.round(rscale)
		return r, nil
	}
	if x.IsZero() {
		if e < 0 {
			return x, copyErr(errDivByZero)
		}
		return Numeric{dscale: rscale}, nil
	}
	f := float64(e) * log10Numeric(x)
	if f > 3*numWeightMax*numBaseDigs {
		return x, copyErr(errNumericOverflow)
	}
	if f+1 < float64(-rscale) || f+1 < -numMaxDispScale {
		return Numeric{dscale: rscale}, nil
	}
	sig := 1 + rscale + int(f) + int(libm.Log(math.Abs(float64(e)))) + 8
	r, err := powLoop(x, e, sig)
	if err != nil {
		return r, err
	}
	if e < 0 {
		if r.IsZero() {
			return Numeric{dscale: rscale}, nil
		}
		return divFinite(numOne, r, rscale, true), nil
	}
	r.round(rscale)
	return r, nil
}

// log10Numeric approximates the decimal logarithm of the magnitude.
func log10Numeric(x Numeric) float64 {
	f, p := float64(x.digits[0]), x.weight*numBaseDigs
	for i := 1; i < len(x.digits) && i*numBaseDigs < 16; i++ {
		f = f*numBase + float64(x.digits[i])
		p -= numBaseDigs
	}
	return libm.Log10(f) + float64(p)
}

// powLoop squares and multiplies |e| times; too large a result of a negative power gives zero, to be taken as such.
func powLoop(x Numeric, e, sig int) (Numeric, error) {
	mask := uint32(e)
	if e < 0 {
		mask = uint32(-int64(e))
	}
	base, result := x.clone(), numOne.clone()
	if mask&1 == 1 {
		result = x.clone()
	}
	limit := func(v Numeric, weight, dscale int) Numeric {
		v.round(max(min(sig-weight*numBaseDigs, dscale), 0))
		return v
	}
	for mask >>= 1; mask > 0; mask >>= 1 {
		w, s := base.weight, base.dscale
		base = limit(mulFinite(base, base), 2*w, 2*s)
		if mask&1 == 1 {
			result = limit(mulFinite(base, result), base.weight+result.weight, base.dscale+result.dscale)
		}
		if base.weight > numWeightMax || result.weight > numWeightMax {
			if e > 0 {
				return x, copyErr(errNumericOverflow)
			}
			return Numeric{}, nil
		}
	}
	return result, nil
}
