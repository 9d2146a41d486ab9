package funcs

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"math/bits"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	types.RegisterFunc("bytea_substr", func(c *types.Call) (types.Datum, error) {
		b := c.Args[0].Bytes()
		from, to, err := substrRange(int64(c.Args[1].Int4()), int64(c.Args[2].Int4()), true, int64(len(b)))
		if err != nil {
			return types.Null, err
		}
		return types.Bytes(b[from:min(to, int64(len(b)))]), nil
	})
	types.RegisterFunc("bytea_substr_no_len", func(c *types.Call) (types.Datum, error) {
		b := c.Args[0].Bytes()
		from, _, _ := substrRange(int64(c.Args[1].Int4()), 0, false, int64(len(b)))
		return types.Bytes(b[from:]), nil
	})
	types.RegisterFunc("byteapos", func(c *types.Call) (types.Datum, error) {
		return types.Int4(int32(bytes.Index(c.Args[0].Bytes(), c.Args[1].Bytes())) + 1), nil
	})
	types.RegisterFunc("bytea_bit_count", func(c *types.Call) (types.Datum, error) {
		n := 0
		for _, x := range c.Args[0].Bytes() {
			n += bits.OnesCount8(x)
		}
		return types.Int8(int64(n)), nil
	})
	types.RegisterFunc("byteaGetByte", func(c *types.Call) (types.Datum, error) {
		b, n := c.Args[0].Bytes(), c.Args[1].Int4()
		if n < 0 || int(n) >= len(b) {
			return types.Null, badIndex(int64(n), len(b))
		}
		return types.Int4(int32(b[n])), nil
	})
	types.RegisterFunc("byteaSetByte", func(c *types.Call) (types.Datum, error) {
		b, n := c.Args[0].Bytes(), c.Args[1].Int4()
		if n < 0 || int(n) >= len(b) {
			return types.Null, badIndex(int64(n), len(b))
		}
		b = bytes.Clone(b)
		b[n] = byte(c.Args[2].Int4())
		return types.Bytes(b), nil
	})
	types.RegisterFunc("byteaGetBit", func(c *types.Call) (types.Datum, error) {
		b, n := c.Args[0].Bytes(), c.Args[1].Int8()
		if n < 0 || n >= int64(len(b))*8 {
			return types.Null, badIndex(n, len(b)*8)
		}
		return types.Int4(int32(b[n/8] >> (n % 8) & 1)), nil
	})
	types.RegisterFunc("byteaSetBit", func(c *types.Call) (types.Datum, error) {
		b, n, v := c.Args[0].Bytes(), c.Args[1].Int8(), c.Args[2].Int4()
		if n < 0 || n >= int64(len(b))*8 {
			return types.Null, badIndex(n, len(b)*8)
		}
		if v != 0 && v != 1 {
			return types.Null, pgerr.New(pgerr.InvalidParameterValue, "new bit must be 0 or 1")
		}
		b = bytes.Clone(b)
		b[n/8] = b[n/8]&^(1<<(n%8)) | byte(v)<<(n%8)
		return types.Bytes(b), nil
	})
	hexOf := func(sum func([]byte) []byte) types.Func {
		return func(c *types.Call) (types.Datum, error) {
			return types.Text(hex.EncodeToString(sum(c.Args[0].Bytes()))), nil
		}
	}
	md5Sum := func(b []byte) []byte { s := md5.Sum(b); return s[:] }
	types.RegisterFunc("md5_text", hexOf(md5Sum))
	types.RegisterFunc("md5_bytea", hexOf(md5Sum))
	for name, sum := range map[string]func([]byte) []byte{
		"sha224": func(b []byte) []byte { s := sha256.Sum224(b); return s[:] }, "sha256": func(b []byte) []byte { s := sha256.Sum256(b); return s[:] },
		"sha384": func(b []byte) []byte { s := sha512.Sum384(b); return s[:] }, "sha512": func(b []byte) []byte { s := sha512.Sum512(b); return s[:] },
	} {
		types.RegisterFunc(name+"_bytea", func(c *types.Call) (types.Datum, error) { return types.Bytes(sum(c.Args[0].Bytes())), nil })
	}
	types.RegisterFunc("binary_encode", encode)
	types.RegisterFunc("binary_decode", decode)
	types.RegisterFunc("to_hex32", func(c *types.Call) (types.Datum, error) {
		return types.Text(strconv.FormatUint(uint64(uint32(c.Args[0].Int4())), 16)), nil
	})
	types.RegisterFunc("to_hex64", func(c *types.Call) (types.Datum, error) {
		return types.Text(strconv.FormatUint(c.Args[0].Raw(), 16)), nil
	})
}

func badIndex(n int64, size int) error {
	return pgerr.New(pgerr.ArraySubscriptError, "index %d out of valid range, 0..%d", n, size-1)
}

func badEncoding(name string) error {
	return pgerr.New(pgerr.InvalidParameterValue, "unrecognized encoding: \"%s\"", name)
}

func encode(c *types.Call) (types.Datum, error) {
	b, name := c.Args[0].Bytes(), c.Args[1].Str()
	switch strings.ToLower(name) {
	case "hex":
		return types.Text(hex.EncodeToString(b)), nil
	case "escape":
		var out []byte
		for _, x := range b {
			switch {
			case x == 0 || x >= 0x80:
				out = appendf(out, "\\%03o", x)
			case x == '\\':
				out = append(out, '\\', '\\')
			default:
				out = append(out, x)
			}
		}
		return types.Bytes(out), nil
	case "base64":
		s := base64.StdEncoding.EncodeToString(b)
		var out strings.Builder
		for len(s) > 76 {
			out.WriteString(s[:76] + "\n")
			s = s[76:]
		}
		out.WriteString(s)
		return types.Text(out.String()), nil
	}
	return types.Null, badEncoding(name)
}

func decode(c *types.Call) (types.Datum, error) {
	s, name := c.Args[0].Str(), c.Args[1].Str()
	switch strings.ToLower(name) {
	case "hex":
		b, err := types.DecodeHex(s)
		return types.Bytes(b), err
	case "escape":
		d, err := types.Input(c.Env, types.ByteaOID, -1, escapeOnly(s))
		return d, err
	case "base64":
		return decodeBase64(s)
	}
	return types.Null, badEncoding(name)
}

// escapeOnly keeps a text that begins like the hex format from being read as such.
func escapeOnly(s string) string {
	if strings.HasPrefix(s, `\x`) {
		return `\` // malformed as an escape
	}
	return s
}

func decodeBase64(s string) (types.Datum, error) {
	var b []byte
	var acc uint32
	pos, end := 0, 0
	for i := 0; i < len(s); i++ {
		ch := s[i]
		if ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r' {
			continue
		}
		v := uint32(0)
		if ch == '=' {
			if end == 0 {
				switch pos {
				case 2:
					end = 1
				case 3:
					end = 2
				default:
					return types.Null, pgerr.New(pgerr.InvalidParameterValue, "unexpected \"=\" while decoding base64 sequence")
				}
			}
		} else {
			k := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", ch)
			if k < 0 {
				return types.Null, pgerr.New(pgerr.InvalidParameterValue, "invalid symbol \"%s\" found while decoding base64 sequence", firstChars(s[i:]))
			}
			v = uint32(k)
		}
		acc = acc<<6 + v
		if pos++; pos == 4 {
			b = append(b, byte(acc>>16))
			if end == 0 || end > 1 {
				b = append(b, byte(acc>>8))
			}
			if end == 0 || end > 2 {
				b = append(b, byte(acc))
			}
			acc, pos = 0, 0
		}
	}
	if pos != 0 {
		return types.Null, pgerr.New(pgerr.InvalidParameterValue, "invalid base64 end sequence").
			WithHint("Input data is missing padding, is truncated, or is otherwise corrupted.")
	}
	return types.Bytes(b), nil
}
