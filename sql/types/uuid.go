package types

import (
	"crypto/rand"
	"encoding/hex"
)

func init() {
	registerIO("uuid_in", uuidIn, "uuid_out", uuidOut, "uuid_recv", uuidRecv, "uuid_send", textOut)
	registerOrder("uuid_", compareBytes)
	registerCompare("uuid_cmp", compareBytes)
	RegisterFunc("gen_random_uuid", func(c *Call) (Datum, error) {
		b := c.Arena.Alloc(16)
		if _, err := rand.Read(b); err != nil {
			return Null, err
		}
		b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
		return Bytes(b), nil
	})
}

// uuidIn takes 32 digits, a hyphen after any group of four, braces around all.
func uuidIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	t := s
	braces := len(t) > 0 && t[0] == '{'
	if braces {
		t = t[1:]
	}
	b := make([]byte, 16)
	for i := range b {
		if len(t) < 2 || digitValue(t[0]) > 15 || digitValue(t[1]) > 15 {
			return Null, badSyntax("uuid", s)
		}
		b[i] = byte(digitValue(t[0])<<4 | digitValue(t[1]))
		t = t[2:]
		if len(t) > 0 && t[0] == '-' && i%2 == 1 && i < 15 {
			t = t[1:]
		}
	}
	if braces {
		if len(t) == 0 || t[0] != '}' {
			return Null, badSyntax("uuid", s)
		}
		t = t[1:]
	}
	if t != "" {
		return Null, badSyntax("uuid", s)
	}
	return Bytes(b), nil
}

func uuidOut(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	b := d.Bytes()
	for i, group := range [][2]int{{0, 4}, {4, 6}, {6, 8}, {8, 10}, {10, 16}} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, b[group[0]:group[1]])
	}
	return dst, nil
}

func uuidRecv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) {
	return Bytes(b), wantLen(b, 16)
}
