package types

import (
	"encoding/binary"
	"math/big"

	"github.com/calfdb/calf/sql/pgerr"
)

// Numeric is a numeric value taken apart: sign, base-10000 digits d0 d1 d2 ... with value d0·10000^weight + d1·10000^(weight-1) + ...,
// and the display scale. Digits have neither leading nor trailing zeros (normalize); zero has none.
//
// On the page (the payload): a 16-bit header, and in the long form a 16-bit weight, then the digits in little endian. Short form: bit 15
// set, bit 14 clear, bit 13 the sign, bits 12-7 the display scale, bit 6 the weight's sign, bits 5-0 the weight. Long form: bit 15 clear,
// bit 14 the sign, bits 13-0 the display scale. 0xC000 is NaN, 0xD000 Infinity, 0xF000 -Infinity.
type Numeric struct {
	kind   numKind
	neg    bool
	dscale int
	weight int
	digits []int16
}

type numKind uint8

const (
	numFinite numKind = iota
	numNaN
	numPInf
	numNInf
)

const (
	numBase      = 10000
	numBaseDigs  = 4
	numHeadNaN   = 0xC000
	numHeadPInf  = 0xD000
	numHeadNInf  = 0xF000
	numShort     = 0x8000
	numDscaleMax = 0x3FFF
	numWeightMax = 0x7FFF
	numWeightMin = -0x8000

	numMaxPrecision = 1000
	numMinSigDigits = 16
	numMaxDispScale = 1000
	numMaxResScale  = 2000
)

// Numeric reads a datum of type numeric.
func (d Datum) Numeric() Numeric { return decodeNumeric(d, nil) }

// decodeNumeric puts the digits into buf when they fit.
func decodeNumeric(d Datum, buf []int16) Numeric {
	b := d.Bytes()
	if len(b) < 2 {
		return Numeric{}
	}
	h := binary.LittleEndian.Uint16(b)
	var n Numeric
	switch {
	case h&0xC000 == 0xC000:
		switch h & 0xF000 {
		case numHeadPInf:
			n.kind = numPInf
		case numHeadNInf:
			n.kind, n.neg = numNInf, true
		default:
			n.kind = numNaN
		}
		return n
	case h&numShort != 0:
		n.neg = h&0x2000 != 0
		n.dscale = int(h & 0x1F80 >> 7)
		n.weight = int(h & 0x3F)
		if h&0x40 != 0 {
			n.weight -= 64
		}
		b = b[2:]
	default:
		if len(b) < 4 {
			return Numeric{}
		}
		n.neg = h&0x4000 != 0
		n.dscale = int(h & numDscaleMax)
		n.weight = int(int16(binary.LittleEndian.Uint16(b[2:])))
		b = b[4:]
	}
	k := len(b) / 2
	if k > cap(buf) {
		buf = make([]int16, k)
	}
	n.digits = buf[:k]
	for i := range n.digits {
		n.digits[i] = int16(binary.LittleEndian.Uint16(b[2*i:]))
	}
	return n
}

var errNumericOverflow = pgerr.New(pgerr.NumericValueOutOfRange, "value overflows numeric format")

// Datum lays n out in the arena. It fails when the weight or the scale is beyond what the format has.
func (n Numeric) Datum(a *Arena) (Datum, error) {
	if n.kind != numFinite {
		b := a.Alloc(2)
		binary.LittleEndian.PutUint16(b, map[numKind]uint16{numNaN: numHeadNaN, numPInf: numHeadPInf, numNInf: numHeadNInf}[n.kind])
		return Bytes(b), nil
	}
	n.normalize()
	if n.weight > numWeightMax || n.weight < numWeightMin || n.dscale > numDscaleMax || n.dscale < 0 {
		return Null, copyErr(errNumericOverflow)
	}
	head, size := 2, 2*len(n.digits)
	short := n.dscale <= 0x3F && n.weight <= 63 && n.weight >= -64
	if !short {
		head = 4
	}
	b := a.Alloc(head + size)
	var h uint16
	if short {
		h = numShort | uint16(n.dscale)<<7 | uint16(n.weight&0x7F)
		if n.neg {
			h |= 0x2000
		}
	} else {
		h = uint16(n.dscale)
		if n.neg {
			h |= 0x4000
		}
		binary.LittleEndian.PutUint16(b[2:], uint16(n.weight))
	}
	binary.LittleEndian.PutUint16(b, h)
	for i, d := range n.digits {
		binary.LittleEndian.PutUint16(b[head+2*i:], uint16(d))
	}
	return Bytes(b), nil
}

// normalize strips zero digits at both ends; zero is positive with weight 0.
func (n *Numeric) normalize() {
	for len(n.digits) > 0 && n.digits[0] == 0 {
		n.digits = n.digits[1:]
		n.weight--
	}
	for len(n.digits) > 0 && n.digits[len(n.digits)-1] == 0 {
		n.digits = n.digits[:len(n.digits)-1]
	}
	if len(n.digits) == 0 {
		n.weight, n.neg = 0, false
	}
}

// IsNaN, IsInf and IsZero classify; Sign is -1, 0 or 1 (NaN counts as 0).
func (n Numeric) IsNaN() bool  { return n.kind == numNaN }
func (n Numeric) IsInf() bool  { return n.kind == numPInf || n.kind == numNInf }
func (n Numeric) IsZero() bool { return n.kind == numFinite && len(n.digits) == 0 }
func (n Numeric) Sign() int {
	switch {
	case n.kind == numNaN || n.IsZero():
		return 0
	case n.neg:
		return -1
	}
	return 1
}

// Scale is the display scale.
func (n Numeric) Scale() int { return n.dscale }

// NumericFromInt64 makes a numeric of scale 0.
func NumericFromInt64(v int64) Numeric {
	u := absU(v)
	var d [5]int16
	i := len(d)
	for u > 0 {
		i--
		d[i] = int16(u % numBase)
		u /= numBase
	}
	n := Numeric{neg: v < 0, weight: len(d) - i - 1, digits: append([]int16(nil), d[i:]...)}
	n.normalize()
	return n
}

// NumericNaN is not a number.
func NumericNaN() Numeric { return Numeric{kind: numNaN} }

// int64 gives the value of n rounded to an integer, when it fits.
func (n Numeric) int64() (int64, bool) {
	r := n.clone()
	r.round(0)
	if len(r.digits) == 0 {
		return 0, true
	}
	if r.weight > 4 {
		return 0, false
	}
	var u uint64
	for i := 0; i <= r.weight; i++ {
		d := uint64(0)
		if i < len(r.digits) {
			d = uint64(r.digits[i])
		}
		if u > (1<<63)/numBase {
			return 0, false
		}
		u = u*numBase + d
	}
	if r.neg {
		return -int64(u), u <= 1<<63
	}
	return int64(u), u < 1<<63
}

func (n Numeric) clone() Numeric {
	n.digits = append([]int16(nil), n.digits...)
	return n
}

// digitAt gives the digit of the given weight.
func (n Numeric) digitAt(w int) int {
	if i := n.weight - w; i >= 0 && i < len(n.digits) {
		return int(n.digits[i])
	}
	return 0
}

// isIntegral says whether there is nothing after the point.
func (n Numeric) isIntegral() bool {
	return n.IsInf() || n.kind == numFinite && len(n.digits) <= n.weight+1
}

// Unscaled gives the digits of a finite value as an integer and the scale that makes the value of it.
func (n Numeric) Unscaled() (*big.Int, int) {
	scale := max(n.exactScale(), n.dscale)
	return n.unscaled(scale), scale
}

// NumericFromBig makes v·10^-scale.
func NumericFromBig(v *big.Int, scale int) Numeric { return numericFromBig(v, scale) }

// NumericInf is the infinity of the given sign.
func NumericInf(sign int) Numeric {
	if sign < 0 {
		return Numeric{kind: numNInf, neg: true}
	}
	return Numeric{kind: numPInf}
}

// WithScale gives n with another display scale, which must show all its digits.
func (n Numeric) WithScale(dscale int) Numeric {
	n.dscale = dscale
	return n
}
