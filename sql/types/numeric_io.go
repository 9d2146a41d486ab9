package types

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

func init() {
	registerIO("numeric_in", numericIn, "numeric_out", numericOut, "numeric_recv", numericRecv, "numeric_send", numericSend)
	typmodOutTable["numerictypmodout"] = func(m int32) string {
		p, s, ok := numericTypMod(m)
		if !ok {
			return ""
		}
		return fmt.Sprintf("(%d,%d)", p, s)
	}
	typmodInTable["numerictypmodin"] = numericTypModIn
	RegisterFunc("numeric", func(c *Call) (Datum, error) {
		n := c.Args[0].Numeric()
		if err := n.applyTypMod(c.Args[1].Int4()); err != nil {
			return Null, err
		}
		return n.Datum(c.Arena)
	})
}

// numericTypMod takes a typmod apart: precision in the upper 16 bits, scale in the lower 11, signed.
func numericTypMod(m int32) (precision, scale int, ok bool) {
	if m < varHdrSize {
		return 0, 0, false
	}
	m -= varHdrSize
	return int(m>>16) & 0xffff, int(m&0x7ff^1024) - 1024, true
}

func numericTypModIn(_ *Env, mods []string) (int32, error) {
	vals := make([]int64, len(mods))
	for i, m := range mods {
		v, err := ParseInt(m, 32, "integer")
		if err != nil {
			return 0, err
		}
		vals[i] = v
	}
	if len(vals) != 1 && len(vals) != 2 {
		return 0, pgerr.New(pgerr.InvalidParameterValue, "invalid NUMERIC type modifier")
	}
	if vals[0] < 1 || vals[0] > numMaxPrecision {
		return 0, pgerr.New(pgerr.InvalidParameterValue, "NUMERIC precision %d must be between 1 and %d", vals[0], numMaxPrecision)
	}
	scale := int64(0)
	if len(vals) == 2 {
		scale = vals[1]
		if scale < -1000 || scale > 1000 {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "NUMERIC scale %d must be between %d and %d", scale, -1000, 1000)
		}
	}
	return int32(vals[0]<<16|scale&0x7ff) + varHdrSize, nil
}

// applyTypMod rounds to the declared scale and checks the precision.
func (n *Numeric) applyTypMod(typmod int32) error {
	precision, scale, ok := numericTypMod(typmod)
	if !ok || n.kind == numNaN {
		return nil
	}
	if n.IsInf() {
		return numericOverflow(precision, scale, "A field with precision %d, scale %d cannot hold an infinite value.")
	}
	n.round(scale)
	limit := precision - scale // digits allowed before the point
	ddigits := (n.weight + 1) * numBaseDigs
	if len(n.digits) == 0 || ddigits <= limit {
		return nil
	}
	switch d := n.digits[0]; {
	case d < 10:
		ddigits -= 3
	case d < 100:
		ddigits -= 2
	case d < 1000:
		ddigits--
	}
	if ddigits > limit {
		e := numericOverflow(precision, scale, "")
		if limit > 0 {
			return e.WithDetail("A field with precision %d, scale %d must round to an absolute value less than 10^%d.", precision, scale, limit)
		} else if limit == 0 {
			return e.WithDetail("A field with precision %d, scale %d must round to an absolute value less than 1.", precision, scale)
		}
		return e.WithDetail("A field with precision %d, scale %d must round to an absolute value less than 10^%d.", precision, scale, limit)
	}
	return nil
}

func numericOverflow(precision, scale int, detail string) *pgerr.Error {
	e := pgerr.New(pgerr.NumericValueOutOfRange, "numeric field overflow")
	if detail != "" {
		return e.WithDetail(detail, precision, scale)
	}
	return e
}

// ParseNumeric parses the text form.
func ParseNumeric(s string) (Numeric, error) {
	t := trimSpace(s)
	body := t
	neg := false
	if body != "" && (body[0] == '-' || body[0] == '+') {
		neg = body[0] == '-'
		body = body[1:]
	}
	switch {
	case strings.EqualFold(t, "nan"):
		return NumericNaN(), nil
	case strings.EqualFold(body, "infinity"), strings.EqualFold(body, "inf"):
		if neg {
			return Numeric{kind: numNInf, neg: true}, nil
		}
		return Numeric{kind: numPInf}, nil
	}
	i := skipDigits(body, 0)
	digits, scale := body[:i], 0
	if i < len(body) && body[i] == '.' {
		j := skipDigits(body, i+1)
		scale = j - i - 1
		digits += body[i+1 : j]
		i = j
	}
	if digits == "" {
		return Numeric{}, badSyntax("numeric", s)
	}
	exp := 0
	if i < len(body) && (body[i] == 'e' || body[i] == 'E') {
		j := i + 1
		if j < len(body) && (body[j] == '-' || body[j] == '+') {
			j++
		}
		k := skipDigits(body, j)
		if k == j {
			return Numeric{}, badSyntax("numeric", s)
		}
		e, err := strconv.Atoi(body[i+1 : k])
		if err != nil || e >= math.MaxInt32/2 || e <= -math.MaxInt32/2 {
			return Numeric{}, copyErr(errNumericOverflow)
		}
		exp, i = e, k
	}
	if i < len(body) {
		return Numeric{}, badSyntax("numeric", s)
	}
	n := Numeric{neg: neg, dscale: max(scale-exp, 0)}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		n.neg = false
	} else if exp-scale > 4*(numWeightMax+1) || exp-scale < -8*numWeightMax {
		if n.dscale > numDscaleMax || exp > 0 {
			return Numeric{}, copyErr(errNumericOverflow)
		}
	} else {
		n = n.setDecimal(digits, scale-exp)
	}
	if n.dscale > numDscaleMax || n.weight > numWeightMax {
		return Numeric{}, copyErr(errNumericOverflow)
	}
	return n, nil
}

func numericIn(_ *Env, _ *IO, s string, typmod int32) (Datum, error) {
	n, err := ParseNumeric(s)
	if err != nil {
		return Null, err
	}
	if err := n.applyTypMod(typmod); err != nil {
		return Null, err
	}
	return n.Datum(nil)
}

func numericOut(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	var buf [32]int16
	return decodeNumeric(d, buf[:0]).Append(dst), nil
}

// Append writes the text form.
func (n Numeric) Append(dst []byte) []byte {
	switch n.kind {
	case numNaN:
		return append(dst, "NaN"...)
	case numPInf:
		return append(dst, "Infinity"...)
	case numNInf:
		return append(dst, "-Infinity"...)
	}
	if n.neg {
		dst = append(dst, '-')
	}
	if n.weight < 0 || len(n.digits) == 0 {
		dst = append(dst, '0')
	} else {
		dst = strconv.AppendInt(dst, int64(n.digits[0]), 10)
		for w := n.weight - 1; w >= 0; w-- {
			dst = appendDigit(dst, n.digitAt(w), numBaseDigs)
		}
	}
	if n.dscale == 0 {
		return dst
	}
	dst = append(dst, '.')
	for w, left := -1, n.dscale; left > 0; w, left = w-1, left-numBaseDigs {
		dst = appendDigit(dst, n.digitAt(w), min(left, numBaseDigs))
	}
	return dst
}

// appendDigit writes the first count decimal digits of a base-10000 digit.
func appendDigit(dst []byte, d, count int) []byte {
	four := [4]byte{'0' + byte(d/1000), '0' + byte(d/100%10), '0' + byte(d/10%10), '0' + byte(d%10)}
	return append(dst, four[:count]...)
}

func (n Numeric) String() string { return string(n.Append(nil)) }

// numericSend: number of digits, weight, sign, display scale, digits, all 16-bit.
func numericSend(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	n := d.Numeric()
	sign := uint16(0)
	switch {
	case n.kind == numNaN:
		sign = numHeadNaN
	case n.kind == numPInf:
		sign = numHeadPInf
	case n.kind == numNInf:
		sign = numHeadNInf
	case n.neg:
		sign = 0x4000
	}
	if n.IsInf() {
		n.dscale = 0x20 // the header's bits, read as a short form's scale
	}
	for _, v := range []uint16{uint16(len(n.digits)), uint16(n.weight), sign, uint16(n.dscale)} {
		dst = binary.BigEndian.AppendUint16(dst, v)
	}
	for _, g := range n.digits {
		dst = binary.BigEndian.AppendUint16(dst, uint16(g))
	}
	return dst, nil
}

func numericRecv(_ *Env, _ *IO, b []byte, typmod int32) (Datum, error) {
	r := reader{b: b}
	count, weight, sign, dscale := int(r.uint16()), int(int16(r.uint16())), r.uint16(), int(r.uint16())
	n := Numeric{weight: weight, neg: sign == 0x4000, dscale: dscale}
	switch sign {
	case 0, 0x4000:
	case numHeadNaN:
		n.kind = numNaN
	case numHeadPInf:
		n.kind = numPInf
	case numHeadNInf:
		n.kind, n.neg = numNInf, true
	default:
		return Null, pgerr.New(pgerr.InvalidBinaryRepresentation, "invalid sign in external \"numeric\" value")
	}
	if dscale&numDscaleMax != dscale {
		return Null, pgerr.New(pgerr.InvalidBinaryRepresentation, "invalid scale in external \"numeric\" value")
	}
	if r.short || len(r.b) < 2*count {
		return Null, badBinary()
	}
	if n.kind == numFinite {
		n.digits = make([]int16, count)
		for i := range n.digits {
			v := int16(r.uint16())
			if v < 0 || v >= numBase {
				return Null, pgerr.New(pgerr.InvalidBinaryRepresentation, "invalid digit in external \"numeric\" value")
			}
			n.digits[i] = v
		}
		n.trunc(dscale)
	}
	if len(r.b) > 0 {
		return Null, pgerr.New(pgerr.InvalidBinaryRepresentation, "incorrect binary data format")
	}
	if err := n.applyTypMod(typmod); err != nil {
		return Null, err
	}
	return n.Datum(nil)
}
