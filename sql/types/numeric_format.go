package types

import (
	"fmt"
	"math/big"
)

// What to_char needs of a numeric.

// Round rounds half away from zero to a number of decimals, which becomes the display scale; specials stay.
func (n Numeric) Round(scale int) Numeric {
	if n.kind != numFinite {
		return n
	}
	r := n.clone()
	r.round(scale)
	return r
}

// Scientific writes n as d.ddde+XX with a number of decimals. The digits are rounded after the exponent is chosen, so 9.99 with one
// decimal is 10.0e+00, as PostgreSQL has it. Specials come as their names.
func (n Numeric) Scientific(scale int) string {
	if n.kind != numFinite {
		return n.String()
	}
	scale = max(scale, 0)
	exponent := 0
	if len(n.digits) > 0 {
		exponent = n.weight*numBaseDigs + len(fmt.Sprint(n.digits[0])) - 1
	}
	sig := n
	if exponent >= 0 {
		sig = divFinite(n, numericFromBig(pow10(exponent), 0), scale, true)
	} else {
		sig = mulFinite(n, numericFromBig(pow10(-exponent), 0)).Round(scale)
	}
	return fmt.Sprintf("%se%+03d", sig.WithScale(scale), exponent)
}

// TimesPow10 multiplies by a power of ten, exactly.
func (n Numeric) TimesPow10(e int) Numeric {
	if n.kind != numFinite {
		return n
	}
	v, scale := n.Unscaled()
	if e <= scale {
		return numericFromBig(v, scale-e)
	}
	return numericFromBig(new(big.Int).Mul(v, pow10(e-scale)), 0)
}

// RoundUsec rounds microseconds of a time or timestamp to a precision (0 to 6; others leave them alone).
func RoundUsec(t int64, precision int32) int64 { return roundUsec(t, precision) }

// NumericToInt4 converts as the cast does.
func NumericToInt4(n Numeric) (int32, error) {
	d, err := n.Datum(nil)
	if err != nil {
		return 0, err
	}
	v, err := numericToInt(&Call{Args: []Datum{d}}, "integer", errInt4Range, 32)
	return v.Int4(), err
}

// Truncate cuts off decimals after a number of them; specials stay.
func (n Numeric) Truncate(scale int) Numeric {
	if n.kind != numFinite {
		return n
	}
	r := n.clone()
	r.trunc(scale)
	return r
}

// Negate changes the sign.
func (n Numeric) Negate() Numeric { return negNumeric(n) }
