package types

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/calfdb/calf/sql/pgerr"
)

// bit(n) and bit varying(n): the length in bits as int32, then the bits from the highest of the first byte on; the bits that fill up the last
// byte are 0. The typmod is n.

const (
	bitLenMax    = math.MaxInt32 - 7
	bitTypModMax = 10485760 * 8
)

func init() {
	registerIO("bit_in", bitIn, "bit_out", bitOut, "bit_recv", bitRecv, "bit_send", bitSend)
	registerIO("varbit_in", varbitIn, "varbit_out", bitOut, "varbit_recv", varbitRecv, "varbit_send", bitSend)
	for _, t := range []struct{ prefix, name string }{{"bit", "bit"}, {"varbit", "varbit"}} {
		typmodOutTable[t.prefix+"typmodout"] = func(m int32) string {
			if m >= 0 {
				return fmt.Sprintf("(%d)", m)
			}
			return ""
		}
		typmodInTable[t.prefix+"typmodin"] = func(_ *Env, mods []string) (int32, error) { return bitTypMod(mods, t.name) }
	}
	registerOrder("bit", compareBits)
	registerCompare("bitcmp", compareBits)
}

func bitTypMod(mods []string, name string) (int32, error) {
	if len(mods) != 1 {
		return 0, pgerr.New(pgerr.InvalidParameterValue, "invalid type modifier")
	}
	v, err := ParseInt(mods[0], 32, "integer")
	switch {
	case err != nil:
		return 0, err
	case v < 1:
		return 0, pgerr.New(pgerr.InvalidParameterValue, "length for type %s must be at least 1", name)
	case v > bitTypModMax:
		return 0, pgerr.New(pgerr.InvalidParameterValue, "length for type %s cannot exceed %d", name, bitTypModMax)
	}
	return int32(v), nil
}

// bits takes a datum apart.
func (d Datum) bits() (n int32, b []byte) {
	p := d.Bytes()
	return int32(binary.LittleEndian.Uint32(p)), p[4:]
}

// newBits makes room for n zero bits; data is where they go.
func newBits(n int) (d Datum, data []byte) {
	b := make([]byte, 4+(n+7)/8)
	binary.LittleEndian.PutUint32(b, uint32(n))
	return Bytes(b), b[4:]
}

// clearPadding makes the bits after the n-th zero.
func clearPadding(data []byte, n int) {
	if r := n % 8; r != 0 {
		data[len(data)-1] &= 0xff << (8 - r)
	}
}

func compareBits(a, b Datum) int {
	an, ab := a.bits()
	bn, bb := b.bits()
	short := min(len(ab), len(bb))
	if c := bytes.Compare(ab[:short], bb[:short]); c != 0 {
		return c
	}
	return compareSigned(Int4(an), Int4(bn))
}

func errBitsTooLong() error {
	return pgerr.New(pgerr.ProgramLimitExceeded, "bit string length exceeds the maximum allowed (%d)", bitLenMax)
}

// parseBits reads binary digits, or hexadecimal ones after an x.
func parseBits(s string) (Datum, int, error) {
	isHex := false
	switch {
	case s == "":
	case s[0] == 'b' || s[0] == 'B':
		s = s[1:]
	case s[0] == 'x' || s[0] == 'X':
		isHex, s = true, s[1:]
	}
	n := len(s)
	if isHex {
		n *= 4
	}
	if n > bitLenMax {
		return Null, 0, errBitsTooLong()
	}
	d, data := newBits(n)
	for i := 0; i < len(s); i++ {
		v := digitValue(s[i])
		switch {
		case isHex && v > 15:
			return Null, 0, pgerr.New(pgerr.InvalidTextRepresentation, "\"%s\" is not a valid hexadecimal digit", firstChar(s[i:]))
		case isHex:
			data[i/2] |= byte(v) << (4 * (1 - i%2))
		case s[i] == '1':
			data[i/8] |= 0x80 >> (i % 8)
		case s[i] != '0':
			return Null, 0, pgerr.New(pgerr.InvalidTextRepresentation, "\"%s\" is not a valid binary digit", firstChar(s[i:]))
		}
	}
	return d, n, nil
}

func errBitLength(have, want int32) error {
	return pgerr.New(pgerr.StringDataLengthMismatch, "bit string length %d does not match type bit(%d)", have, want)
}

func errVarbitLength(want int32) error {
	return pgerr.New(pgerr.StringDataRightTruncation, "bit string too long for type bit varying(%d)", want)
}

func checkBits(n int32, typmod int32, varying bool) error {
	switch {
	case typmod <= 0:
	case varying && n > typmod:
		return errVarbitLength(typmod)
	case !varying && n != typmod:
		return errBitLength(n, typmod)
	}
	return nil
}

func bitIn(_ *Env, _ *IO, s string, typmod int32) (Datum, error) {
	d, n, err := parseBits(s)
	if err == nil {
		err = checkBits(int32(n), typmod, false)
	}
	return d, err
}

func varbitIn(_ *Env, _ *IO, s string, typmod int32) (Datum, error) {
	d, n, err := parseBits(s)
	if err == nil {
		err = checkBits(int32(n), typmod, true)
	}
	return d, err
}

func bitOut(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	n, b := d.bits()
	for i := range int(n) {
		dst = append(dst, '0'+b[i/8]>>(7-i%8)&1)
	}
	return dst, nil
}

func recvBits(b []byte, typmod int32, varying bool) (Datum, error) {
	r := reader{b: b}
	n := int32(r.uint32())
	if r.short {
		return Null, badBinary()
	}
	if n < 0 || n > bitLenMax {
		return Null, pgerr.New(pgerr.InvalidBinaryRepresentation, "invalid length in external bit string")
	}
	if err := checkBits(n, typmod, varying); err != nil {
		return Null, err
	}
	if err := wantLen(r.b, (int(n)+7)/8); err != nil {
		return Null, err
	}
	d, data := newBits(int(n))
	copy(data, r.b)
	clearPadding(data, int(n))
	return d, nil
}

func bitRecv(_ *Env, _ *IO, b []byte, typmod int32) (Datum, error) { return recvBits(b, typmod, false) }

func varbitRecv(_ *Env, _ *IO, b []byte, typmod int32) (Datum, error) {
	return recvBits(b, typmod, true)
}

func bitSend(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	n, b := d.bits()
	return append(binary.BigEndian.AppendUint32(dst, uint32(n)), b...), nil
}
