package funcs

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// parse_ident splits a qualified identifier.

func init() {
	types.RegisterFunc("parse_ident", func(c *types.Call) (types.Datum, error) {
		parts, err := parseIdent(c.Args[0].Str(), c.Args[1].Bool())
		return textArray(parts), err
	})
}

const identSpace = " \t\n\r\f"

func isIdentStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isIdentPart(c byte) bool { return isIdentStart(c) || c >= '0' && c <= '9' || c == '$' }

func parseIdent(whole string, strict bool) ([]types.Datum, error) {
	bad := func() *pgerr.Error {
		return pgerr.New(pgerr.InvalidParameterValue, "string is not a valid identifier: \"%s\"", whole)
	}
	var parts []types.Datum
	rest := strings.TrimLeft(whole, identSpace)
	for afterDot := false; ; afterDot = true {
		part := ""
		switch {
		case strings.HasPrefix(rest, `"`):
			end := closingQuote(rest)
			if end < 0 {
				return nil, bad().WithDetail("String has unclosed double quotes.")
			}
			if part = strings.ReplaceAll(rest[1:end], `""`, `"`); part == "" {
				return nil, bad().WithDetail("Quoted identifier must not be empty.")
			}
			rest = rest[end+1:]
		case rest != "" && isIdentStart(rest[0]):
			n := 1
			for n < len(rest) && isIdentPart(rest[n]) {
				n++
			}
			part, rest = foldIdent(rest[:n]), rest[n:]
		case strings.HasPrefix(rest, "."):
			return nil, bad().WithDetail("No valid identifier before \".\".")
		case afterDot:
			return nil, bad().WithDetail("No valid identifier after \".\".")
		default:
			return nil, bad()
		}
		parts = append(parts, types.Text(part))
		rest = strings.TrimLeft(rest, identSpace)
		if !strings.HasPrefix(rest, ".") {
			break
		}
		rest = strings.TrimLeft(rest[1:], identSpace)
	}
	if rest != "" && strict {
		return nil, bad()
	}
	return parts, nil
}

// closingQuote finds the end of a quoted identifier, in which a doubled quote stands for one.
func closingQuote(s string) int {
	for i := 1; i < len(s); i++ {
		if s[i] != '"' {
			continue
		}
		if i+1 < len(s) && s[i+1] == '"' {
			i++
			continue
		}
		return i
	}
	return -1
}

// foldIdent lower-cases ASCII letters, as the lexer does.
func foldIdent(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
