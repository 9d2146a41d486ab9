package types

import (
	"encoding/binary"
	"strconv"

	"github.com/calfdb/calf/sql/pgerr"
)

func init() {
	registerIO("int2in", intIn(16, "smallint"), "int2out", intOut, "int2recv", int2Recv, "int2send", int2Send)
	registerIO("int4in", intIn(32, "integer"), "int4out", intOut, "int4recv", int4Recv, "int4send", int4Send)
	registerIO("int8in", intIn(64, "bigint"), "int8out", intOut, "int8recv", int8Recv, "int8send", int8Send)
}

// ParseInt parses an integer of the given width, with surrounding space and a sign.
func ParseInt(s string, bits int, typeName string) (int64, error) {
	i, n := 0, len(s)
	for i < n && isSpace(s[i]) {
		i++
	}
	neg := false
	if i < n && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	limit := uint64(1) << (bits - 1)
	if !neg {
		limit--
	}
	var v uint64
	start, over := i, false
	for ; i < n && s[i] >= '0' && s[i] <= '9'; i++ {
		digit := uint64(s[i] - '0')
		if over || v > (limit-digit)/10 {
			over = true
			continue
		}
		v = v*10 + digit
	}
	digits := i > start
	for i < n && isSpace(s[i]) {
		i++
	}
	switch {
	case over: // before what follows the digits is looked at, as PostgreSQL does
		return 0, pgerr.New(pgerr.NumericValueOutOfRange, "value \"%s\" is out of range for type %s", s, typeName)
	case !digits || i < n:
		return 0, badSyntax(typeName, s)
	case neg:
		return -int64(v), nil
	}
	return int64(v), nil
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func intIn(bits int, typeName string) inFunc {
	return func(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
		v, err := ParseInt(s, bits, typeName)
		if err != nil {
			return Null, err
		}
		return Int8(v), nil
	}
}

func intOut(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return strconv.AppendInt(dst, d.Int8(), 10), nil
}

func int2Recv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) {
	if err := wantLen(b, 2); err != nil {
		return Null, err
	}
	return Int2(int16(binary.BigEndian.Uint16(b))), nil
}

func int2Send(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return binary.BigEndian.AppendUint16(dst, uint16(d.n)), nil
}

func int4Recv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) {
	if err := wantLen(b, 4); err != nil {
		return Null, err
	}
	return Int4(int32(binary.BigEndian.Uint32(b))), nil
}

func int4Send(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return binary.BigEndian.AppendUint32(dst, uint32(d.n)), nil
}

func int8Recv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) {
	if err := wantLen(b, 8); err != nil {
		return Null, err
	}
	return Int8(int64(binary.BigEndian.Uint64(b))), nil
}

func int8Send(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return binary.BigEndian.AppendUint64(dst, d.n), nil
}
