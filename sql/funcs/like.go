package funcs

import (
	"unicode"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// LIKE: % stands for any characters, _ for one, a backslash takes the next literally. ILIKE compares lower-case forms.

func init() {
	like := func(fold, bytewise, negate bool) types.Func {
		return func(c *types.Call) (types.Datum, error) {
			s, p := c.Args[0].Str(), c.Args[1].Str()
			if fold {
				s, p = mapCase(c, s, unicode.ToLower), mapCase(c, p, unicode.ToLower)
			}
			r, err := matchLike(s, p, bytewise)
			if err != nil {
				return types.Null, err
			}
			return types.Bool((r == likeTrue) != negate), nil
		}
	}
	for _, t := range []string{"text", "name", "bytea"} {
		types.RegisterFunc(t+"like", like(false, t == "bytea", false))
		types.RegisterFunc(t+"nlike", like(false, t == "bytea", true))
	}
	for _, t := range []string{"text", "name"} {
		types.RegisterFunc(t+"iclike", like(true, false, false))
		types.RegisterFunc(t+"icnlike", like(true, false, true))
	}
	types.RegisterFunc("like_escape", likeEscape)
	types.RegisterFunc("like_escape_bytea", likeEscape)
}

const (
	likeTrue  = 1
	likeFalse = 0
	likeAbort = -1 // no match, whatever is cut off the text's start
)

func errLikeEnd() error {
	return pgerr.New(pgerr.InvalidEscapeSequence, "LIKE pattern must not end with escape character")
}

func matchLike(s, p string, bytewise bool) (int, error) {
	if p == "%" {
		return likeTrue, nil
	}
	width := func(s string) int {
		if bytewise || s[0] < utf8.RuneSelf {
			return 1
		}
		_, n := utf8.DecodeRuneInString(s)
		return n
	}
	for s != "" && p != "" {
		switch p[0] {
		case '\\':
			if p = p[1:]; p == "" {
				return 0, errLikeEnd()
			}
			if p[0] != s[0] {
				return likeFalse, nil
			}
			s, p = s[1:], p[1:]
		case '%':
			return matchAfterPercent(s, p[1:], width, bytewise)
		case '_':
			s, p = s[width(s):], p[1:]
		default:
			if p[0] != s[0] {
				return likeFalse, nil
			}
			s, p = s[1:], p[1:]
		}
	}
	if s != "" {
		return likeFalse, nil
	}
	for p != "" && p[0] == '%' {
		p = p[1:]
	}
	if p == "" {
		return likeTrue, nil
	}
	return likeAbort, nil
}

// matchAfterPercent tries the rest of the pattern at each later place that may begin it.
func matchAfterPercent(s, p string, width func(string) int, bytewise bool) (int, error) {
	for p != "" && (p[0] == '%' || p[0] == '_') {
		if p[0] == '_' {
			if s == "" {
				return likeAbort, nil
			}
			s = s[width(s):]
		}
		p = p[1:]
	}
	if p == "" {
		return likeTrue, nil
	}
	first := p[0]
	if first == '\\' {
		if len(p) < 2 {
			return 0, errLikeEnd()
		}
		first = p[1]
	}
	for s != "" {
		if s[0] == first {
			r, err := matchLike(s, p, bytewise)
			if err != nil || r != likeFalse {
				return r, err
			}
		}
		s = s[width(s):]
	}
	return likeAbort, nil
}

// likeEscape rewrites a pattern with another escape character to one with the backslash.
func likeEscape(c *types.Call) (types.Datum, error) {
	p, esc := c.Args[0].Str(), c.Args[1].Str()
	var b []byte
	if esc == "" {
		for i := 0; i < len(p); i++ {
			if p[i] == '\\' {
				b = append(b, '\\')
			}
			b = append(b, p[i])
		}
		return types.Bytes(b), nil
	}
	if utf8.RuneCountInString(esc) != 1 {
		return types.Null, pgerr.New(pgerr.InvalidEscapeSequence, "invalid escape string").
			WithHint("Escape string must be empty or one character.")
	}
	if esc == "\\" {
		return c.Args[0], nil
	}
	afterEscape := false
	for _, r := range p {
		switch {
		case string(r) == esc && !afterEscape:
			b, afterEscape = append(b, '\\'), true
			continue
		case r == '\\' && !afterEscape:
			b = append(b, '\\', '\\')
		default:
			b = utf8.AppendRune(b, r)
		}
		afterEscape = false
	}
	return types.Bytes(b), nil
}
