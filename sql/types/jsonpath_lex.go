package types

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
)

// Tokens of a jsonpath.
type pathToken struct {
	kind byte   // a character or one of the constants
	text string // of a name, string, variable or number; the operator
	near string // what a syntax error quotes; "" = the end of the input
}

const (
	pathEnd      = 0
	pathIdent    = 'a'
	pathStr      = 's'
	pathVar      = 'v'
	pathNum      = '1'
	pathInt      = 'i'
	pathOp       = 'o' // && || ! ** < <= == <> != >= >
	pathSpecials = "?%$.[]{}()|&!=<>@#,*:-+/"
)

type pathLexer struct {
	s  string
	at int
}

func pathSyntax(message, near string) error {
	if near == "" {
		return pgerr.New(pgerr.SyntaxError, "%s at end of jsonpath input", message)
	}
	return pgerr.New(pgerr.SyntaxError, "%s at or near \"%s\" of jsonpath input", message, near)
}

func pathBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// pathOther says whether c may be in a bare name.
func pathOther(c byte) bool {
	return !pathBlank(c) && c != '"' && c != '\\' && strings.IndexByte(pathSpecials, c) < 0
}

func (l *pathLexer) peek(ahead int) byte {
	if l.at+ahead < len(l.s) {
		return l.s[l.at+ahead]
	}
	return 0
}

func (l *pathLexer) next() (pathToken, error) {
	if err := l.skipBlanks(); err != nil {
		return pathToken{}, err
	}
	if l.at >= len(l.s) {
		return pathToken{}, nil
	}
	c := l.s[l.at]
	switch {
	case isDigit(c) || c == '.' && isDigit(l.peek(1)):
		return l.number()
	case c == '"':
		l.at++
		text, err := l.quoted()
		return pathToken{pathStr, text, "\""}, err
	case c == '$' && l.peek(1) == '"':
		l.at += 2
		text, err := l.quoted()
		return pathToken{pathVar, text, "\""}, err
	case c == '$' && l.at+1 < len(l.s) && pathOther(l.peek(1)):
		start := l.at + 1
		for l.at++; l.at < len(l.s) && pathOther(l.s[l.at]); l.at++ {
		}
		return pathToken{pathVar, l.s[start:l.at], l.s[start-1 : l.at]}, nil
	case c == '\\' || pathOther(c):
		return l.name()
	}
	for _, op := range []string{"&&", "||", "**", "<=", "==", "<>", "!=", ">=", "!", "<", ">"} {
		if strings.HasPrefix(l.s[l.at:], op) {
			l.at += len(op)
			return pathToken{pathOp, op, op}, nil
		}
	}
	l.at++
	return pathToken{c, string(c), string(c)}, nil
}

func (l *pathLexer) skipBlanks() error {
	for l.at < len(l.s) {
		switch {
		case pathBlank(l.s[l.at]):
			l.at++
		case strings.HasPrefix(l.s[l.at:], "/*"):
			end := strings.Index(l.s[l.at+2:], "*/")
			if end < 0 {
				return pathSyntax("unexpected end of comment", "")
			}
			l.at += 2 + end + 2
		default:
			return nil
		}
	}
	return nil
}

// number reads the longest number; a name's character right after it is an error.
func (l *pathLexer) number() (pathToken, error) {
	start, kind := l.at, byte(pathInt)
	if l.s[l.at] == '0' {
		l.at++
	} else {
		l.at = skipDigits(l.s, l.at)
	}
	if l.peek(0) == '.' {
		kind, l.at = pathNum, skipDigits(l.s, l.at+1)
	}
	if c := l.peek(0); c == 'e' || c == 'E' {
		signed := l.peek(1) == '+' || l.peek(1) == '-'
		digits := l.at + 1
		if signed {
			digits++
		}
		switch end := skipDigits(l.s, min(digits, len(l.s))); {
		case end > digits:
			kind, l.at = pathNum, end
		case signed:
			return pathToken{}, pathSyntax("invalid numeric literal", l.s[start:digits])
		}
	}
	if l.at < len(l.s) && pathOther(l.s[l.at]) {
		_, n := utf8.DecodeRuneInString(l.s[l.at:])
		return pathToken{}, pathSyntax("trailing junk after numeric literal", l.s[start:l.at+n])
	}
	text := l.s[start:l.at]
	return pathToken{kind, text, text}, nil
}

// name reads a bare name, which may have escapes.
func (l *pathLexer) name() (pathToken, error) {
	var b []byte
	for l.at < len(l.s) {
		c := l.s[l.at]
		switch {
		case c == '\\':
			var err error
			if b, err = l.escape(b); err != nil {
				return pathToken{}, err
			}
			continue
		case pathOther(c):
			b = append(b, c)
			l.at++
			continue
		}
		break
	}
	near := "" // of a syntax error: the blanks that ended the name
	for i := l.at; i < len(l.s) && pathBlank(l.s[i]); i++ {
		near = l.s[l.at : i+1]
	}
	return pathToken{pathIdent, string(b), near}, nil
}

func (l *pathLexer) quoted() (string, error) {
	var b []byte
	for l.at < len(l.s) {
		switch c := l.s[l.at]; c {
		case '"':
			l.at++
			return string(b), nil
		case '\\':
			var err error
			if b, err = l.escape(b); err != nil {
				return "", err
			}
		default:
			b = append(b, c)
			l.at++
		}
	}
	return "", pathSyntax("unexpected end of quoted string", "")
}

// escape reads one escape sequence, or a run of \u ones.
func (l *pathLexer) escape(b []byte) ([]byte, error) {
	start := l.at
	if l.at++; l.at >= len(l.s) {
		return nil, pathSyntax("unexpected end after backslash", "\\")
	}
	switch c := l.s[l.at]; c {
	case 'b', 'f', 'n', 'r', 't', 'v':
		l.at++
		return append(b, map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}[c]), nil
	case 'x':
		if v, err := strconv.ParseUint(l.s[min(l.at+1, len(l.s)):min(l.at+3, len(l.s))], 16, 8); err == nil && l.at+3 <= len(l.s) {
			l.at += 3
			if v == 0 {
				return nil, errPathNUL()
			}
			return utf8.AppendRune(b, rune(v)), nil
		}
		end := l.at + 1
		for end < len(l.s) && end < l.at+2 && digitValue(l.s[end]) < 16 {
			end++
		}
		return nil, pathSyntax("invalid hex character sequence", l.s[start:end])
	case 'u':
		l.at = start
		return l.unicode(b)
	}
	_, n := utf8.DecodeRuneInString(l.s[l.at:])
	b = append(b, l.s[l.at:l.at+n]...)
	l.at += n
	return b, nil
}

func errPathNUL() error {
	return pgerr.New(pgerr.UntranslatableCharacter, "unsupported Unicode escape sequence").WithDetail("\\u0000 cannot be converted to text.")
}

// hexRun gives the value of \uXXXX or \u{X...} at i, and where it ends; bad tells how far it looked right.
func (l *pathLexer) hexRun(i int) (v rune, end int, ok bool) {
	i += 2
	most, braces := 4, i < len(l.s) && l.s[i] == '{'
	if braces {
		i++
		most = 6
	}
	n := 0
	for n < most && i < len(l.s) && digitValue(l.s[i]) < 16 {
		v = v<<4 | rune(digitValue(l.s[i]))
		i++
		n++
	}
	if !braces {
		return v, i, n == 4
	}
	if n > 0 && i < len(l.s) && l.s[i] == '}' {
		return v, i + 1, true
	}
	return v, i, false
}

// unicode reads a run of \u escapes, whose surrogates must be in pairs.
func (l *pathLexer) unicode(b []byte) ([]byte, error) {
	bad := func(detail string) error {
		return pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type %s", "jsonpath").WithDetail("%s", detail)
	}
	start, high := l.at, rune(0)
	for strings.HasPrefix(l.s[l.at:], "\\u") {
		v, end, ok := l.hexRun(l.at)
		if !ok {
			return nil, pathSyntax("invalid unicode sequence", l.s[start:end])
		}
		l.at = end
		switch {
		case v == 0:
			return nil, errPathNUL()
		case v >= 0xd800 && v < 0xdc00:
			if high != 0 {
				return nil, bad("Unicode high surrogate must not follow a high surrogate.")
			}
			high = v
			continue
		case v >= 0xdc00 && v < 0xe000:
			if high == 0 {
				return nil, bad("Unicode low surrogate must follow a high surrogate.")
			}
			v, high = utf16.DecodeRune(high, v), 0
		case high != 0:
			return nil, bad("Unicode low surrogate must follow a high surrogate.")
		}
		if v > utf8.MaxRune {
			return nil, pgerr.New(pgerr.SyntaxError, "invalid Unicode code point")
		}
		b = utf8.AppendRune(b, v)
	}
	if high != 0 {
		return nil, bad("Unicode low surrogate must follow a high surrogate.")
	}
	return b, nil
}
