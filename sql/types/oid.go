package types

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

func init() {
	registerIO("oidin", oidIn("oid", true), "oidout", uint32Out, "oidrecv", oidRecv, "oidsend", int4Send)
	registerIO("xidin", oidIn("xid", false), "xidout", uint32Out, "xidrecv", oidRecv, "xidsend", int4Send)
	registerIO("cidin", oidIn("cid", false), "cidout", uint32Out, "cidrecv", oidRecv, "cidsend", int4Send)
	registerIO("xid8in", xid8In, "xid8out", xid8Out, "xid8recv", int8Recv, "xid8send", int8Send)
	registerIO("tidin", tidIn, "tidout", tidOut, "tidrecv", tidRecv, "tidsend", tidSend)
	registerOrder("oid", compareOid)
	registerCompare("btoidcmp", compareOid)
	registerLarger("oidlarger", "oidsmaller", compareOid)
	registerUnsigned(six("xid8"))
	registerCompare("xid8cmp", compareUnsigned)
	registerLarger("xid8_larger", "xid8_smaller", compareUnsigned)
	registerOrderNamed([6]string{"xideq", "xidneq"}, compareOid)
	RegisterFunc("cideq", funcTable["xideq"])
	registerUnsigned(six("tid"))
	registerCompare("bttidcmp", compareUnsigned)
	registerLarger("tidlarger", "tidsmaller", compareUnsigned)
	RegisterFunc("xid8toxid", func(c *Call) (Datum, error) { return Oid(OID(c.Args[0].n)), nil })
	RegisterFunc("oidtoi8", func(c *Call) (Datum, error) { return Int8(int64(c.Args[0].Oid())), nil })
	RegisterFunc("i8tooid", func(c *Call) (Datum, error) {
		v := c.Args[0].Int8()
		if v < 0 || v > 0xffffffff {
			return Null, pgerr.New(pgerr.NumericValueOutOfRange, "OID out of range")
		}
		return Oid(OID(v)), nil
	})
}

// compareOid looks at 32 bits only: a domain over oid may come from a page sign-extended.
func compareOid(a, b Datum) int {
	switch x, y := uint32(a.n), uint32(b.n); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// oidIn parses a 32-bit number as strtoul does: a minus sign negates, base prefixes count when base0 is off (xid, cid use base 0).
func oidIn(typeName string, strict bool) inFunc {
	return func(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
		if strict {
			v, err := ParseOID(s)
			return Oid(v), err
		}
		v, _ := strtoul(s, 0)
		return Oid(OID(v)), nil
	}
}

// ParseOID parses the text form of an oid.
func ParseOID(s string) (OID, error) {
	t := trimSpace(s)
	neg := false
	digits := t
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		neg = digits[0] == '-'
		digits = digits[1:]
	}
	n := 0
	for n < len(digits) && digits[n] >= '0' && digits[n] <= '9' {
		n++
	}
	if n == 0 {
		return 0, badSyntax("oid", s)
	}
	v, err := strconv.ParseUint(digits[:n], 10, 64)
	if err != nil {
		return 0, pgerr.New(pgerr.NumericValueOutOfRange, "value \"%s\" is out of range for type oid", s)
	}
	if n < len(digits) {
		return 0, badSyntax("oid", s)
	}
	if neg {
		v = -v
	}
	// 64-bit strtoul: what fits as unsigned or as a sign-extended negative is taken.
	if v > 0xffffffff && v < 0xffffffff80000000 {
		return 0, pgerr.New(pgerr.NumericValueOutOfRange, "value \"%s\" is out of range for type oid", s)
	}
	return OID(v), nil
}

// strtoul is C's: leading space, a sign, a prefix for base 0; the number of bytes taken.
func strtoul(s string, base int) (uint64, int) {
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	neg := false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	if base == 0 {
		base = 10
		if strings.HasPrefix(s[i:], "0x") || strings.HasPrefix(s[i:], "0X") {
			base = 16
			i += 2
		} else if strings.HasPrefix(s[i:], "0") {
			base = 8
		}
	}
	start := i
	for i < len(s) && digitValue(s[i]) < base {
		i++
	}
	if i == start {
		return 0, 0
	}
	v, err := strconv.ParseUint(s[start:i], base, 64)
	if err != nil {
		v = 1<<64 - 1
	} else if neg {
		v = -v
	}
	return v, i
}

func digitValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'Z':
		return int(c-'A') + 10
	}
	return 99
}

func uint32Out(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return strconv.AppendUint(dst, uint64(uint32(d.n)), 10), nil
}

func oidRecv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) {
	if err := wantLen(b, 4); err != nil {
		return Null, err
	}
	return Oid(OID(binary.BigEndian.Uint32(b))), nil
}

func xid8In(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	v, _ := strtoul(s, 0)
	return FromRaw(v), nil
}

func xid8Out(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return strconv.AppendUint(dst, d.n, 10), nil
}

// tidBytes is a tid as it lies on a page: block number as two 16-bit halves, high first, then the line pointer.
func tidBytes(d Datum) (b [6]byte) {
	t := d.TID()
	binary.LittleEndian.PutUint16(b[0:], uint16(t.Block>>16))
	binary.LittleEndian.PutUint16(b[2:], uint16(t.Block))
	binary.LittleEndian.PutUint16(b[4:], t.Off)
	return b
}

func tidIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	open := strings.IndexByte(s, '(')
	comma := strings.IndexByte(s, ',')
	if open < 0 || comma < open {
		return Null, badSyntax("tid", s)
	}
	block, n := strtoul(s[open+1:], 10)
	off, m := strtoul(s[comma+1:], 10)
	blockOK := block <= 0xffffffff || block >= 0xffffffff80000000
	if n == 0 || m == 0 || open+1+n != comma || !strings.HasPrefix(s[comma+1+m:], ")") || !blockOK || off > 0xffff {
		return Null, badSyntax("tid", s)
	}
	return TID{Block: uint32(block), Off: uint16(off)}.Datum(), nil
}

func tidOut(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	t := d.TID()
	dst = strconv.AppendUint(append(dst, '('), uint64(t.Block), 10)
	dst = strconv.AppendUint(append(dst, ','), uint64(t.Off), 10)
	return append(dst, ')'), nil
}

func tidRecv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) {
	if err := wantLen(b, 6); err != nil {
		return Null, err
	}
	return TID{Block: binary.BigEndian.Uint32(b), Off: binary.BigEndian.Uint16(b[4:])}.Datum(), nil
}

func tidSend(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	t := d.TID()
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint32(dst, t.Block), t.Off), nil
}
