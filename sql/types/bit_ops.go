package types

import (
	"bytes"
	"math/bits"

	"github.com/calfdb/calf/sql/pgerr"
)

// Operators, casts and functions of bit strings.

func init() {
	RegisterFunc("bit", func(c *Call) (Datum, error) { return bitCast(c, false) })
	RegisterFunc("varbit", func(c *Call) (Datum, error) { return bitCast(c, true) })
	bitwise("bit_and", "AND", func(a, b byte) byte { return a & b })
	bitwise("bit_or", "OR", func(a, b byte) byte { return a | b })
	bitwise("bitxor", "XOR", func(a, b byte) byte { return a ^ b })
	RegisterFunc("bitnot", func(c *Call) (Datum, error) {
		n, b := c.Args[0].bits()
		d, data := newBits(int(n))
		for i, x := range b {
			data[i] = ^x
		}
		clearPadding(data, int(n))
		return d, nil
	})
	RegisterFunc("bitshiftleft", func(c *Call) (Datum, error) { return bitShift(c.Args[0], int64(c.Args[1].Int4())), nil })
	RegisterFunc("bitshiftright", func(c *Call) (Datum, error) { return bitShift(c.Args[0], -int64(c.Args[1].Int4())), nil })
	RegisterFunc("bitcat", func(c *Call) (Datum, error) { return bitConcat(c.Args[0], c.Args[1]) })
	RegisterFunc("bitlength", func(c *Call) (Datum, error) { n, _ := c.Args[0].bits(); return Int4(n), nil })
	RegisterFunc("bitoctetlength", func(c *Call) (Datum, error) { _, b := c.Args[0].bits(); return Int4(int32(len(b))), nil })
	RegisterFunc("bit_bit_count", func(c *Call) (Datum, error) {
		count := 0
		_, b := c.Args[0].bits()
		for _, x := range b {
			count += bits.OnesCount8(x)
		}
		return Int8(int64(count)), nil
	})
	RegisterFunc("bitsubstr", func(c *Call) (Datum, error) {
		return bitSubstring(c.Args[0], int64(c.Args[1].Int4()), int64(c.Args[2].Int4()), true)
	})
	RegisterFunc("bitsubstr_no_len", func(c *Call) (Datum, error) {
		return bitSubstring(c.Args[0], int64(c.Args[1].Int4()), 0, false)
	})
	RegisterFunc("bitoverlay", func(c *Call) (Datum, error) { return bitOverlay(c, c.Args[3].Int4()) })
	RegisterFunc("bitoverlay_no_len", func(c *Call) (Datum, error) { n, _ := c.Args[1].bits(); return bitOverlay(c, n) })
	RegisterFunc("bitposition", bitPosition)
	RegisterFunc("bitgetbit", func(c *Call) (Datum, error) {
		b, i, err := bitAt(c)
		if err != nil {
			return Null, err
		}
		return Int4(int32(b[i/8] >> (7 - i%8) & 1)), nil
	})
	RegisterFunc("bitsetbit", func(c *Call) (Datum, error) {
		_, i, err := bitAt(c)
		if err != nil {
			return Null, err
		}
		v := c.Args[2].Int4()
		if v != 0 && v != 1 {
			return Null, pgerr.New(pgerr.InvalidParameterValue, "new bit must be 0 or 1")
		}
		b := bytes.Clone(c.Args[0].Bytes())
		b[4+i/8] = b[4+i/8]&^(0x80>>(i%8)) | byte(v)<<(7-i%8)
		return Bytes(b), nil
	})
	RegisterFunc("bitfromint4", func(c *Call) (Datum, error) { return bitsOfInt(int64(c.Args[0].Int4()), c.Args[1].Int4()), nil })
	RegisterFunc("bitfromint8", func(c *Call) (Datum, error) { return bitsOfInt(c.Args[0].Int8(), c.Args[1].Int4()), nil })
	RegisterFunc("bittoint4", func(c *Call) (Datum, error) {
		v, ok := bitsToInt(c.Args[0], 32)
		if !ok {
			return Null, pgerr.New(pgerr.NumericValueOutOfRange, "integer out of range")
		}
		return Int4(int32(v)), nil
	})
	RegisterFunc("bittoint8", func(c *Call) (Datum, error) {
		v, ok := bitsToInt(c.Args[0], 64)
		if !ok {
			return Null, pgerr.New(pgerr.NumericValueOutOfRange, "bigint out of range")
		}
		return Int8(int64(v)), nil
	})
}

// bitCast fits a bit string to a length: an explicit cast cuts off or fills up, others want the length right.
func bitCast(c *Call, varying bool) (Datum, error) {
	have, b := c.Args[0].bits()
	want, explicit := c.Args[1].Int4(), c.Args[2].Bool()
	if want <= 0 || want > bitLenMax || want == have || varying && have <= want {
		return c.Args[0], nil
	}
	if !explicit {
		if varying {
			return Null, errVarbitLength(want)
		}
		return Null, errBitLength(have, want)
	}
	d, data := newBits(int(want))
	copy(data, b)
	clearPadding(data, int(want))
	return d, nil
}

func bitwise(name, op string, f func(a, b byte) byte) {
	RegisterFunc(name, func(c *Call) (Datum, error) {
		an, ab := c.Args[0].bits()
		bn, bb := c.Args[1].bits()
		if an != bn {
			return Null, pgerr.New(pgerr.StringDataLengthMismatch, "cannot %s bit strings of different sizes", op)
		}
		d, data := newBits(int(an))
		for i := range data {
			data[i] = f(ab[i], bb[i])
		}
		return d, nil
	})
}

// copyBits copies n bits of src from bit from on to dst's bit at.
func copyBits(dst []byte, at int, src []byte, from, n int) {
	if at%8 == 0 && from%8 == 0 {
		whole := n / 8
		copy(dst[at/8:], src[from/8:from/8+whole])
		at, from, n = at+whole*8, from+whole*8, n-whole*8
	}
	for i := range n {
		if f := from + i; src[f/8]&(0x80>>(f%8)) != 0 {
			dst[(at+i)/8] |= 0x80 >> ((at + i) % 8)
		}
	}
}

// bitShift shifts to the left, or to the right when by is negative; the length stays.
func bitShift(d Datum, by int64) Datum {
	n, b := d.bits()
	out, data := newBits(int(n))
	switch {
	case by >= int64(n) || by <= -int64(n):
	case by >= 0:
		copyBits(data, 0, b, int(by), int(n)-int(by))
	default:
		copyBits(data, int(-by), b, 0, int(n)+int(by))
	}
	return out
}

func bitConcat(x, y Datum) (Datum, error) {
	xn, xb := x.bits()
	yn, yb := y.bits()
	if int64(xn)+int64(yn) > bitLenMax {
		return Null, errBitsTooLong()
	}
	d, data := newBits(int(xn) + int(yn))
	copyBits(data, 0, xb, 0, int(xn))
	copyBits(data, int(xn), yb, 0, int(yn))
	return d, nil
}

// bitSubstring takes length bits from start on, counted from 1.
func bitSubstring(d Datum, start, length int64, limited bool) (Datum, error) {
	n, b := d.bits()
	end := int64(n) + 1
	if limited {
		if length < 0 {
			return Null, pgerr.New(pgerr.SubstringError, "negative substring length not allowed")
		}
		end = min(end, start+length)
	}
	start = max(start, 1)
	if start > int64(n) || end <= start {
		out, _ := newBits(0)
		return out, nil
	}
	out, data := newBits(int(end - start))
	copyBits(data, 0, b, int(start-1), int(end-start))
	return out, nil
}

// bitOverlay replaces length bits from start on.
func bitOverlay(c *Call, length int32) (Datum, error) {
	start := int64(c.Args[2].Int4())
	if start <= 0 {
		return Null, pgerr.New(pgerr.SubstringError, "negative substring length not allowed")
	}
	after := start + int64(length)
	if after != int64(int32(after)) {
		return Null, pgerr.New(pgerr.NumericValueOutOfRange, "integer out of range")
	}
	head, err := bitSubstring(c.Args[0], 1, start-1, true)
	if err != nil {
		return Null, err
	}
	tail, err := bitSubstring(c.Args[0], after, 0, false)
	if err != nil {
		return Null, err
	}
	if head, err = bitConcat(head, c.Args[1]); err != nil {
		return Null, err
	}
	return bitConcat(head, tail)
}

// bitPosition finds the first place of the second string in the first.
func bitPosition(c *Call) (Datum, error) {
	n, b := c.Args[0].bits()
	m, sub := c.Args[1].bits()
	if n == 0 || m > n {
		return Int4(0), nil
	}
	bit := func(b []byte, i int32) byte { return b[i/8] >> (7 - i%8) & 1 }
search:
	for at := int32(0); at <= n-m; at++ {
		if at&0xffff == 0 {
			if err := c.Env.Poll(); err != nil {
				return Null, err
			}
		}
		for i := int32(0); i < m; i++ {
			if bit(b, at+i) != bit(sub, i) {
				continue search
			}
		}
		return Int4(at + 1), nil
	}
	return Int4(0), nil
}

func bitAt(c *Call) ([]byte, int32, error) {
	n, b := c.Args[0].bits()
	i := c.Args[1].Int4()
	if i < 0 || i >= n {
		return nil, 0, pgerr.New(pgerr.ArraySubscriptError, "bit index %d out of valid range (0..%d)", i, n-1)
	}
	return b, i, nil
}

// bitsOfInt gives the lowest n bits, sign-extended to the left.
func bitsOfInt(v int64, n int32) Datum {
	if n <= 0 || n > bitLenMax {
		n = 1
	}
	d, data := newBits(int(n))
	for i := range int(n) {
		if shift := min(int(n)-1-i, 63); v>>shift&1 != 0 {
			data[i/8] |= 0x80 >> (i % 8)
		}
	}
	return d
}

func bitsToInt(d Datum, width int32) (uint64, bool) {
	n, b := d.bits()
	if n > width {
		return 0, false
	}
	v := uint64(0)
	for i := range n {
		v = v<<1 | uint64(b[i/8]>>(7-i%8)&1)
	}
	return v, true
}
