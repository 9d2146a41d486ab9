package types

import (
	"math/big"
	"strings"
)

// round rounds n in place to rscale digits after the point (before it, when negative), halves away from zero.
func (n *Numeric) round(rscale int) {
	n.dscale = max(rscale, 0)
	n.cut(rscale, true)
}

// trunc cuts n in place after rscale digits.
func (n *Numeric) trunc(rscale int) {
	n.dscale = max(rscale, 0)
	n.cut(rscale, false)
}

var pow10Small = [5]int16{1, 10, 100, 1000, 10000}

func (n *Numeric) cut(rscale int, up bool) {
	di := (n.weight+1)*numBaseDigs + rscale // decimal digits to keep
	if di < 0 || di == 0 && !up {
		n.digits, n.weight, n.neg = nil, 0, false
		return
	}
	keep := (di + numBaseDigs - 1) / numBaseDigs
	di %= numBaseDigs
	if keep > len(n.digits) || keep == len(n.digits) && di == 0 {
		return
	}
	carry := 0
	if di == 0 {
		if up && n.digits[keep] >= numBase/2 {
			carry = 1
		}
		n.digits = n.digits[:keep]
	} else {
		n.digits = n.digits[:keep]
		unit := pow10Small[numBaseDigs-di]
		last := &n.digits[keep-1]
		extra := *last % unit
		*last -= extra
		if up && extra >= unit/2 {
			if *last += unit; *last >= numBase {
				*last -= numBase
				carry = 1
			}
		}
		keep--
	}
	for i := keep - 1; carry > 0 && i >= 0; i-- {
		if n.digits[i]++; n.digits[i] == numBase {
			n.digits[i] = 0
		} else {
			carry = 0
		}
	}
	if carry > 0 {
		n.digits = append([]int16{1}, n.digits...)
		n.weight++
	}
	n.normalize()
}

// cmpAbs compares magnitudes of finite values.
func cmpAbs(a, b Numeric) int {
	if len(a.digits) == 0 || len(b.digits) == 0 {
		return len(a.digits) - len(b.digits)
	}
	if a.weight != b.weight {
		return a.weight - b.weight
	}
	for i := 0; i < len(a.digits) && i < len(b.digits); i++ {
		if a.digits[i] != b.digits[i] {
			return int(a.digits[i]) - int(b.digits[i])
		}
	}
	return len(a.digits) - len(b.digits)
}

// CompareNumeric orders numerics: -Infinity, finite values, Infinity, NaN.
func CompareNumeric(a, b Numeric) int {
	if a.kind != numFinite || b.kind != numFinite {
		return numRank(a) - numRank(b)
	}
	switch {
	case a.neg != b.neg:
		if a.neg {
			return -1
		}
		return 1
	case a.neg:
		return cmpAbs(b, a)
	}
	return cmpAbs(a, b)
}

func numRank(n Numeric) int {
	return map[numKind]int{numNInf: 0, numFinite: 1, numPInf: 2, numNaN: 3}[n.kind]
}

// addAbs and subAbs (|a| >= |b|) work on magnitudes; the result's dscale is the larger one.
func addAbs(a, b Numeric) Numeric { return combineAbs(a, b, 1) }
func subAbs(a, b Numeric) Numeric { return combineAbs(a, b, -1) }

func combineAbs(a, b Numeric, sign int) Numeric {
	top := max(a.weight, b.weight) + 1
	bottom := min(a.weight-len(a.digits), b.weight-len(b.digits)) + 1
	if top < bottom {
		bottom = top
	}
	r := Numeric{weight: top, dscale: max(a.dscale, b.dscale), digits: make([]int16, top-bottom+1)}
	carry := 0
	for w := bottom; w <= top; w++ {
		d := a.digitAt(w) + sign*b.digitAt(w) + carry
		carry = 0
		if d >= numBase {
			d, carry = d-numBase, 1
		} else if d < 0 {
			d, carry = d+numBase, -1
		}
		r.digits[top-w] = int16(d)
	}
	return r
}

// addNumeric adds finite or special values.
func addNumeric(a, b Numeric) Numeric {
	if a.kind != numFinite || b.kind != numFinite {
		switch {
		case a.kind == numNaN || b.kind == numNaN:
			return NumericNaN()
		case a.kind == numFinite:
			return b
		case b.kind == numFinite || a.kind == b.kind:
			return a
		}
		return NumericNaN()
	}
	var r Numeric
	switch c := cmpAbs(a, b); {
	case a.neg == b.neg:
		r = addAbs(a, b)
		r.neg = a.neg
	case c >= 0:
		r = subAbs(a, b)
		r.neg = a.neg
	default:
		r = subAbs(b, a)
		r.neg = b.neg
	}
	r.normalize()
	return r
}

func negNumeric(n Numeric) Numeric {
	switch n.kind {
	case numPInf:
		return Numeric{kind: numNInf, neg: true}
	case numNInf:
		return Numeric{kind: numPInf}
	case numFinite:
		n.neg = !n.neg && len(n.digits) > 0
	}
	return n
}

// mulFinite multiplies exactly.
func mulFinite(a, b Numeric) Numeric {
	r := Numeric{neg: a.neg != b.neg, dscale: a.dscale + b.dscale}
	if len(a.digits) == 0 || len(b.digits) == 0 {
		r.neg = false
		return r
	}
	r.weight = a.weight + b.weight + 1
	acc := make([]int64, len(a.digits)+len(b.digits))
	for i, x := range a.digits {
		if x == 0 {
			continue
		}
		for j, y := range b.digits {
			acc[i+j+1] += int64(x) * int64(y)
		}
	}
	r.digits = make([]int16, len(acc))
	carry := int64(0)
	for i := len(acc) - 1; i >= 0; i-- {
		v := acc[i] + carry
		r.digits[i] = int16(v % numBase)
		carry = v / numBase
	}
	r.normalize()
	return r
}

// unscaled gives n·10^scale as an integer; digits beyond are cut off.
func (n Numeric) unscaled(scale int) *big.Int {
	v := new(big.Int)
	if len(n.digits) == 0 {
		return v
	}
	if len(n.digits) <= 4 {
		u := int64(0)
		for _, d := range n.digits {
			u = u*numBase + int64(d)
		}
		v.SetInt64(u)
	} else {
		var b strings.Builder
		for _, d := range n.digits {
			b.Write([]byte{'0' + byte(d/1000), '0' + byte(d/100%10), '0' + byte(d/10%10), '0' + byte(d%10)})
		}
		v.SetString(b.String(), 10)
	}
	exp := (n.weight-len(n.digits)+1)*numBaseDigs + scale
	if exp >= 0 {
		v.Mul(v, pow10(exp))
	} else {
		v.Quo(v, pow10(-exp))
	}
	if n.neg {
		v.Neg(v)
	}
	return v
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// numericFromBig makes v·10^-scale with that display scale; scale may be negative.
func numericFromBig(v *big.Int, scale int) Numeric {
	n := Numeric{neg: v.Sign() < 0, dscale: max(scale, 0)}
	s := new(big.Int).Abs(v).Text(10)
	if s == "0" {
		n.neg = false
		return n
	}
	return n.setDecimal(s, scale)
}

// setDecimal takes the digits of s, the last of weight 10^-scale.
func (n Numeric) setDecimal(s string, scale int) Numeric {
	for scale%numBaseDigs != 0 {
		s += "0"
		scale++
	}
	if pad := len(s) % numBaseDigs; pad > 0 {
		s = strings.Repeat("0", numBaseDigs-pad) + s
	}
	n.digits = make([]int16, len(s)/numBaseDigs)
	for i := range n.digits {
		q := s[i*numBaseDigs:]
		n.digits[i] = int16(q[0]-'0')*1000 + int16(q[1]-'0')*100 + int16(q[2]-'0')*10 + int16(q[3]-'0')
	}
	n.weight = len(n.digits) - 1 - scale/numBaseDigs
	n.normalize()
	return n
}

// divScale chooses the result's scale so that it has at least 16 significant digits.
func divScale(a, b Numeric) int {
	wa, fa := a.lead()
	wb, fb := b.lead()
	qweight := wa - wb
	if fa <= fb {
		qweight--
	}
	return clampScale(numMinSigDigits-qweight*numBaseDigs, a.dscale, b.dscale)
}

// lead gives weight and value of the first digit that is not zero.
func (n Numeric) lead() (int, int16) {
	if len(n.digits) == 0 {
		return 0, 0
	}
	return n.weight, n.digits[0]
}

// clampScale is at least each scale given and at most the largest display scale.
func clampScale(scales ...int) int {
	r := 0
	for _, s := range scales {
		r = max(r, s)
	}
	return min(r, numMaxDispScale)
}

// divFinite divides to rscale digits; b is not zero.
func divFinite(a, b Numeric, rscale int, round bool) Numeric {
	// a/b = ua/ub where both are scaled to integers; one more digit decides the rounding.
	sa, sb := a.exactScale(), b.exactScale()
	num, den := a.unscaled(sa), b.unscaled(sb)
	if shift := rscale - sa + sb; shift >= 0 {
		num.Mul(num, pow10(shift))
	} else {
		den.Mul(den, pow10(-shift))
	}
	q, rem := new(big.Int).QuoRem(num, den, new(big.Int))
	if round {
		rem.Abs(rem).Lsh(rem, 1)
		if rem.CmpAbs(den) >= 0 {
			if a.neg != b.neg {
				q.Sub(q, big.NewInt(1))
			} else {
				q.Add(q, big.NewInt(1))
			}
		}
	}
	r := numericFromBig(q, rscale)
	return r
}

// exactScale is the number of decimal digits after the point that the base-10000 digits reach to.
func (n Numeric) exactScale() int { return max((len(n.digits)-n.weight-1)*numBaseDigs, 0) }

// modFinite is the remainder of truncating division; b is not zero.
func modFinite(a, b Numeric) Numeric {
	scale := max(a.exactScale(), b.exactScale())
	r := numericFromBig(new(big.Int).Rem(a.unscaled(scale), b.unscaled(scale)), scale)
	r.dscale = max(a.dscale, b.dscale)
	return r
}

// AddNumeric adds.
func AddNumeric(a, b Numeric) Numeric { return addNumeric(a, b) }
