package types

import "fmt"

// The internal type "char": one byte. Bytes above 127 have the octal form \ooo.

func init() {
	registerIO("charin", charIn, "charout", charOut, "charrecv", charRecv, "charsend", charSend)
	registerUnsigned(six("char"))
	registerCompare("btcharcmp", compareUnsigned)
	RegisterFunc("chartoi4", func(c *Call) (Datum, error) { return Int4(int32(int8(c.Args[0].n))), nil })
	RegisterFunc("i4tochar", func(c *Call) (Datum, error) {
		v := c.Args[0].Int4()
		if v < -128 || v > 127 {
			return Null, outOfRange("\"char\" out of range")
		}
		return Char(byte(v)), nil
	})
	RegisterFunc("text_char", func(c *Call) (Datum, error) { return parseChar(c.Args[0].Str()), nil })
	RegisterFunc("char_text", func(c *Call) (Datum, error) { return Bytes(appendChar(nil, c.Args[0].Char())), nil })
}

func parseChar(s string) Datum {
	if len(s) == 4 && s[0] == '\\' && isOctal(s[1]) && isOctal(s[2]) && isOctal(s[3]) {
		return Char((s[1]-'0')<<6 | (s[2]-'0')<<3 | (s[3] - '0'))
	}
	if s == "" {
		return Char(0)
	}
	return Char(s[0])
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }

func appendChar(dst []byte, c byte) []byte {
	switch {
	case c == 0:
		return dst
	case c >= 0x80:
		return fmt.Appendf(dst, "\\%03o", c)
	}
	return append(dst, c)
}

func charIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) { return parseChar(s), nil }

func charOut(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return appendChar(dst, d.Char()), nil
}

func charRecv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) {
	if err := wantLen(b, 1); err != nil {
		return Null, err
	}
	return Char(b[0]), nil
}

func charSend(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) { return append(dst, d.Char()), nil }
