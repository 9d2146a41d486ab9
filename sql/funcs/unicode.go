package funcs

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// unistr, normalize and IS NORMALIZED.

func init() {
	types.RegisterFunc("unistr", unistr)
	types.RegisterFunc("unicode_normalize_func", func(c *types.Call) (types.Datum, error) {
		f, err := normalForm(c.Args[1].Str())
		if err != nil {
			return types.Null, err
		}
		return types.Text(f.String(c.Args[0].Str())), nil
	})
	types.RegisterFunc("unicode_is_normalized", func(c *types.Call) (types.Datum, error) {
		f, err := normalForm(c.Args[1].Str())
		if err != nil {
			return types.Null, err
		}
		return types.Bool(f.IsNormalString(c.Args[0].Str())), nil
	})
}

func normalForm(name string) (norm.Form, error) {
	switch strings.ToUpper(name) {
	case "NFC":
		return norm.NFC, nil
	case "NFD":
		return norm.NFD, nil
	case "NFKC":
		return norm.NFKC, nil
	case "NFKD":
		return norm.NFKD, nil
	}
	return 0, jsonParam("invalid normalization form: %s", name)
}

// unicodeEscapes are what may follow a backslash, with the number of hexadecimal digits.
var unicodeEscapes = []struct {
	prefix string
	digits int
}{{"u", 4}, {"U", 8}, {"+", 6}, {"", 4}}

// unicodeEscape reads the code after a backslash.
func unicodeEscape(s string) (r rune, n int, ok bool) {
	for _, e := range unicodeEscapes {
		n := len(e.prefix) + e.digits
		if !strings.HasPrefix(s, e.prefix) || len(s) < n {
			continue
		}
		v, err := strconv.ParseUint(s[len(e.prefix):n], 16, 32)
		if err == nil {
			return rune(uint32(v) & 0x7fffffff), n, true
		}
	}
	return 0, 0, false
}

func unistr(c *types.Call) (types.Datum, error) {
	s := c.Args[0].Str()
	var b []byte
	high := rune(0) // of a surrogate pair
	errPair := func() error { return pgerr.New(pgerr.SyntaxError, "invalid Unicode surrogate pair") }
	for i := 0; i < len(s); {
		if s[i] != '\\' || strings.HasPrefix(s[i:], `\\`) {
			if high != 0 {
				return types.Null, errPair()
			}
			b = append(b, s[i])
			if i++; s[i-1] == '\\' {
				i++
			}
			continue
		}
		r, n, ok := unicodeEscape(s[i+1:])
		if !ok {
			return types.Null, pgerr.New(pgerr.SyntaxError, "invalid Unicode escape").
				WithHint("Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.")
		}
		i += 1 + n
		isLow := r >= 0xdc00 && r <= 0xdfff
		switch {
		case r == 0 || r > utf8.MaxRune:
			return types.Null, jsonParam("invalid Unicode code point: %04X", r)
		case (high != 0) != isLow:
			return types.Null, errPair()
		case high != 0:
			r, high = utf16.DecodeRune(high, r), 0
		case r >= 0xd800 && r <= 0xdbff:
			high = r
			continue
		}
		b = utf8.AppendRune(b, r)
	}
	if high != 0 {
		return types.Null, errPair()
	}
	return types.Bytes(b), nil
}
