package funcs

import (
	"bytes"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	text1("lower", func(c *types.Call, s string) string { return mapCase(c, s, unicode.ToLower) })
	text1("upper", func(c *types.Call, s string) string { return mapCase(c, s, unicode.ToUpper) })
	text1("initcap", initcap)
	text1("text_reverse", func(_ *types.Call, s string) string { return reverse(s) })
	types.RegisterFunc("text_left", func(c *types.Call) (types.Datum, error) {
		return types.Text(left(c.Args[0].Str(), int(c.Args[1].Int4()))), nil
	})
	types.RegisterFunc("text_right", func(c *types.Call) (types.Datum, error) {
		s, n := c.Args[0].Str(), int(c.Args[1].Int4())
		count := utf8.RuneCountInString(s)
		if n == math.MinInt32 { // its negation overflows, as in PostgreSQL
			return c.Args[0], nil
		}
		if n < 0 {
			return types.Text(s[charOffset(s, -n):]), nil
		}
		return types.Text(s[charOffset(s, max(count-n, 0)):]), nil
	})
	types.RegisterFunc("text_substr", func(c *types.Call) (types.Datum, error) {
		return substr(c.Args[0].Str(), int64(c.Args[1].Int4()), int64(c.Args[2].Int4()), true)
	})
	types.RegisterFunc("text_substr_no_len", func(c *types.Call) (types.Datum, error) {
		return substr(c.Args[0].Str(), int64(c.Args[1].Int4()), 0, false)
	})
	types.RegisterFunc("textpos", func(c *types.Call) (types.Datum, error) {
		s := c.Args[0].Str()
		i := strings.Index(s, c.Args[1].Str())
		if i < 0 {
			return types.Int4(0), nil
		}
		return types.Int4(int32(utf8.RuneCountInString(s[:i])) + 1), nil
	})
	types.RegisterFunc("textoverlay", func(c *types.Call) (types.Datum, error) {
		return overlay(c.Args[0].Str(), c.Args[1].Str(), int64(c.Args[2].Int4()), int64(c.Args[3].Int4()))
	})
	types.RegisterFunc("textoverlay_no_len", func(c *types.Call) (types.Datum, error) {
		t := c.Args[1].Str()
		return overlay(c.Args[0].Str(), t, int64(c.Args[2].Int4()), int64(utf8.RuneCountInString(t)))
	})
	types.RegisterFunc("replace_text", func(c *types.Call) (types.Datum, error) {
		s, from := c.Args[0].Str(), c.Args[1].Str()
		if from == "" {
			return c.Args[0], nil
		}
		return types.Text(strings.ReplaceAll(s, from, c.Args[2].Str())), nil
	})
	types.RegisterFunc("translate", translate)
	types.RegisterFunc("split_part", splitPart)
	types.RegisterFunc("repeat", repeat)
	types.RegisterFunc("lpad", func(c *types.Call) (types.Datum, error) { return pad(c, true) })
	types.RegisterFunc("rpad", func(c *types.Call) (types.Datum, error) { return pad(c, false) })
	types.RegisterFunc("ascii", func(c *types.Call) (types.Datum, error) {
		s := c.Args[0].Str()
		if s == "" {
			return types.Int4(0), nil
		}
		r, _ := utf8.DecodeRuneInString(s)
		return types.Int4(int32(r)), nil
	})
	types.RegisterFunc("chr", chr)
	types.RegisterFunc("text_starts_with", func(c *types.Call) (types.Datum, error) {
		return types.Bool(strings.HasPrefix(c.Args[0].Str(), c.Args[1].Str())), nil
	})
	registerTrims()
}

// text1 registers a function from text to text.
func text1(name string, f func(c *types.Call, s string) string) {
	types.RegisterFunc(name, func(c *types.Call) (types.Datum, error) { return types.Text(f(c, c.Args[0].Str())), nil })
}

const defaultCollation, cCollation, posixCollation = 100, 950, 951

// asciiOnly says whether a call's collation knows no letters beyond ASCII's.
func asciiOnly(c *types.Call) bool {
	switch c.Collation {
	case cCollation, posixCollation:
		return true
	case defaultCollation:
		return c.Env != nil && c.Env.Settings != nil && c.Env.Settings.CTypeC
	}
	return false
}

// mapCase changes case: of ASCII letters only under collation C, else of all characters that have one counterpart.
func mapCase(c *types.Call, s string, f func(rune) rune) string {
	if asciiOnly(c) {
		return strings.Map(func(r rune) rune {
			if r < utf8.RuneSelf {
				return f(r)
			}
			return r
		}, s)
	}
	return strings.Map(f, s)
}

func initcap(c *types.Call, s string) string {
	inWord := false
	ascii := asciiOnly(c)
	return strings.Map(func(r rune) rune {
		alnum := r < utf8.RuneSelf && (r >= '0' && r <= '9' || unicode.IsLetter(r)) || r >= utf8.RuneSelf && !ascii && (unicode.IsLetter(r) || unicode.IsDigit(r))
		was := inWord
		inWord = alnum
		switch {
		case ascii && r >= utf8.RuneSelf:
			return r
		case was:
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s)
}

func reverse(s string) string {
	b := make([]byte, 0, len(s))
	for len(s) > 0 {
		_, n := utf8.DecodeLastRuneInString(s)
		b = append(b, s[len(s)-n:]...)
		s = s[:len(s)-n]
	}
	return string(b)
}

// charOffset is the byte offset of character n, at most the length.
func charOffset(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

func left(s string, n int) string {
	if n < 0 {
		n += utf8.RuneCountInString(s)
	}
	return s[:charOffset(s, max(n, 0))]
}

func errNegativeSubstr() error {
	return pgerr.New(pgerr.SubstringError, "negative substring length not allowed")
}

// substr is SQL's SUBSTRING: start from 1, possibly before the text.
func substr(s string, start, length int64, haveLength bool) (types.Datum, error) {
	from, to, err := substrRange(start, length, haveLength, int64(len(s)))
	if err != nil {
		return types.Null, err
	}
	i := charOffset(s, int(from))
	if to >= int64(len(s)) {
		return types.Text(s[i:]), nil
	}
	return types.Text(s[i : i+charOffset(s[i:], int(to-from))]), nil
}

// substrRange turns start and length into offsets [from, to).
func substrRange(start, length int64, haveLength bool, size int64) (from, to int64, err error) {
	from, to = start-1, size
	if haveLength {
		if length < 0 {
			return 0, 0, errNegativeSubstr()
		}
		to = start - 1 + length
	}
	from, to = max(from, 0), max(to, 0)
	from = min(from, size)
	return from, max(from, to), nil
}

func overlay(s, t string, start, length int64) (types.Datum, error) {
	if start <= 0 {
		return types.Null, errNegativeSubstr()
	}
	end := start + length
	if end > 1<<31-1 {
		return types.Null, pgerr.New(pgerr.NumericValueOutOfRange, "integer out of range")
	}
	head := s[:charOffset(s, int(start-1))]
	tail := s[charOffset(s, int(max(end-1, 0))):]
	return types.Text(head + t + tail), nil
}

func translate(c *types.Call) (types.Datum, error) {
	from, to := []rune(c.Args[1].Str()), []rune(c.Args[2].Str())
	return types.Text(strings.Map(func(r rune) rune {
		for i, f := range from {
			if f == r {
				if i < len(to) {
					return to[i]
				}
				return -1
			}
		}
		return r
	}, c.Args[0].Str())), nil
}

func splitPart(c *types.Call) (types.Datum, error) {
	s, sep, n := c.Args[0].Str(), c.Args[1].Str(), int(c.Args[2].Int4())
	if n == 0 {
		return types.Null, pgerr.New(pgerr.InvalidParameterValue, "field position must not be zero")
	}
	if s == "" {
		return types.Text(""), nil
	}
	if sep == "" {
		if n == 1 || n == -1 {
			return c.Args[0], nil
		}
		return types.Text(""), nil
	}
	parts := strings.Split(s, sep)
	if n < 0 {
		n += len(parts) + 1
	}
	if n < 1 || n > len(parts) {
		return types.Text(""), nil
	}
	return types.Text(parts[n-1]), nil
}

const maxAllocSize = 1<<30 - 1

func errTooLarge() error {
	return pgerr.New(pgerr.ProgramLimitExceeded, "requested length too large")
}

func repeat(c *types.Call) (types.Datum, error) {
	s, n := c.Args[0].Str(), max(int(c.Args[1].Int4()), 0)
	if len(s) > 0 && n > (maxAllocSize-4)/len(s) {
		return types.Null, errTooLarge()
	}
	return types.Text(strings.Repeat(s, n)), nil
}

func pad(c *types.Call, atLeft bool) (types.Datum, error) {
	s, n, fill := c.Args[0].Str(), max(int(c.Args[1].Int4()), 0), c.Args[2].Str()
	if n > maxAllocSize/4 {
		return types.Null, errTooLarge()
	}
	count := utf8.RuneCountInString(s)
	if count >= n || fill == "" {
		return types.Text(s[:charOffset(s, n)]), nil
	}
	need := n - count
	times := need/utf8.RuneCountInString(fill) + 1
	p := strings.Repeat(fill, times)
	p = p[:charOffset(p, need)]
	if atLeft {
		return types.Text(p + s), nil
	}
	return types.Text(s + p), nil
}

func chr(c *types.Call) (types.Datum, error) {
	n := c.Args[0].Int4()
	switch {
	case n < 0:
		return types.Null, pgerr.New(pgerr.InvalidParameterValue, "character number must be positive")
	case n == 0:
		return types.Null, pgerr.New(pgerr.ProgramLimitExceeded, "null character not permitted")
	case n > 0x10ffff:
		return types.Null, pgerr.New(pgerr.ProgramLimitExceeded, "requested character too large for encoding: %d", n)
	case n >= 0xd800 && n <= 0xdfff:
		return types.Null, pgerr.New(pgerr.ProgramLimitExceeded, "requested character not valid for encoding: %d", n)
	}
	return types.Text(string(rune(n))), nil
}

func registerTrims() {
	for name, trim := range map[string]func(s, set string) string{"btrim": strings.Trim, "ltrim": strings.TrimLeft, "rtrim": strings.TrimRight} {
		types.RegisterFunc(name, func(c *types.Call) (types.Datum, error) {
			return types.Text(trim(c.Args[0].Str(), c.Args[1].Str())), nil
		})
		types.RegisterFunc(name+"1", func(c *types.Call) (types.Datum, error) { return types.Text(trim(c.Args[0].Str(), " ")), nil })
	}
	trimBytes := func(l, r bool) types.Func {
		return func(c *types.Call) (types.Datum, error) {
			b, set := c.Args[0].Bytes(), c.Args[1].Bytes()
			for l && len(b) > 0 && bytes.IndexByte(set, b[0]) >= 0 {
				b = b[1:]
			}
			for r && len(b) > 0 && bytes.IndexByte(set, b[len(b)-1]) >= 0 {
				b = b[:len(b)-1]
			}
			return types.Bytes(b), nil
		}
	}
	types.RegisterFunc("byteatrim", trimBytes(true, true))
	types.RegisterFunc("bytealtrim", trimBytes(true, false))
	types.RegisterFunc("byteartrim", trimBytes(false, true))
}
