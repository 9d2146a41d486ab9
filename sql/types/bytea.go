package types

import (
	"encoding/hex"
	"fmt"

	"github.com/calfdb/calf/sql/pgerr"
)

func init() {
	registerIO("byteain", byteaIn, "byteaout", byteaOut, "bytearecv", byteaRecv, "byteasend", textOut)
	registerOrder("bytea", compareBytes)
	registerCompare("byteacmp", compareBytes)
	RegisterFunc("byteacat", func(c *Call) (Datum, error) { return concatBytes(c.Arena, c.Args[0], c.Args[1]), nil })
	RegisterFunc("byteaoctetlen", func(c *Call) (Datum, error) { return Int4(int32(c.Args[0].n)), nil })
}

func byteaIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	if len(s) >= 2 && s[0] == '\\' && s[1] == 'x' {
		b, err := DecodeHex(s[2:])
		return Bytes(b), err
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\\':
			b = append(b, s[i])
		case i+3 < len(s) && s[i+1] >= '0' && s[i+1] <= '3' && isOctal(s[i+2]) && isOctal(s[i+3]):
			b = append(b, (s[i+1]-'0')<<6|(s[i+2]-'0')<<3|(s[i+3]-'0'))
			i += 3
		case i+1 < len(s) && s[i+1] == '\\':
			b = append(b, '\\')
			i++
		default:
			return Null, pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type %s", "bytea")
		}
	}
	return Bytes(b), nil
}

// DecodeHex reads hexadecimal digits in pairs, with white space between pairs.
func DecodeHex(s string) ([]byte, error) {
	b := make([]byte, 0, len(s)/2)
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r' {
			continue
		}
		hi := digitValue(s[i])
		if hi > 15 {
			return nil, badHexDigit(s[i:])
		}
		i++
		if i >= len(s) {
			return nil, pgerr.New(pgerr.InvalidParameterValue, "invalid hexadecimal data: odd number of digits")
		}
		lo := digitValue(s[i])
		if lo > 15 {
			return nil, badHexDigit(s[i:])
		}
		b = append(b, byte(hi<<4|lo))
	}
	return b, nil
}

func badHexDigit(s string) error {
	return pgerr.New(pgerr.InvalidParameterValue, "invalid hexadecimal digit: \"%s\"", firstChar(s))
}

// firstChar is the first character of s, whole.
func firstChar(s string) string {
	head, _ := clipChars(s, 1)
	return head
}

func byteaOut(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	if env.settings().ByteaHex {
		dst = append(dst, '\\', 'x')
		return hex.AppendEncode(dst, d.Bytes()), nil
	}
	return AppendEscape(dst, d.Bytes()), nil
}

// AppendEscape writes bytes in the escape format.
func AppendEscape(dst, b []byte) []byte {
	for _, c := range b {
		switch {
		case c == '\\':
			dst = append(dst, '\\', '\\')
		case c < 0x20 || c > 0x7e:
			dst = fmt.Appendf(dst, "\\%03o", c)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func byteaRecv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) { return Bytes(b), nil }
