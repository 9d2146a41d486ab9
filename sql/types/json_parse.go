package types

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
)

// JSONKind is the kind of a JSON value, in the order in which jsonb sorts kinds.
type JSONKind uint8

const (
	JSONNull JSONKind = iota
	JSONString
	JSONNumber
	JSONBool
	JSONArray
	JSONObject
)

// JSON is a parsed JSON value.
type JSON struct {
	Kind  JSONKind
	Bool  bool
	Text  string   // the string's characters, or the number as it is written
	Keys  []string // of an object
	Elems []JSON   // of an array, or the values of an object
	Raw   string   // the source text of a value that was parsed
}

const jsonDepthMax = 6000

// jsonParser reads RFC 8259 text with PostgreSQL's error reports.
type jsonParser struct {
	s      string
	at     int
	start  int // of the current token
	tok    byte
	decode bool // string escapes are resolved and checked
	text   string
	depth  int
}

// Tokens that are not their own character.
const (
	jsonEnd    = 0
	jsonStr    = 's'
	jsonNum    = '#'
	jsonTrue   = 't'
	jsonFalse  = 'f'
	jsonNullTk = 'n'
)

// ParseJSON parses text. With decode strings are resolved, which refuses \u0000 and lone surrogates.
func ParseJSON(s string, decode bool) (v JSON, err error) {
	p := &jsonParser{s: s, decode: decode}
	if err = p.next(); err == nil {
		v, err = p.value()
	}
	if err == nil && p.tok != jsonEnd {
		err = p.expected("end of input")
	}
	if e, ok := err.(*pgerr.Error); ok && e.Code != pgerr.StatementTooComplex {
		return v, p.where(e)
	}
	return v, err
}

const jsonContextMax = 50 // bytes of a line that an error's context shows

// where adds the line at which reading stopped.
func (p *jsonParser) where(e *pgerr.Error) error {
	before := p.s[:p.start]
	line := strings.Count(before, "\n") + 1
	lineStart := strings.LastIndexByte(before, '\n') + 1
	from, dots, more := lineStart, "", ""
	for p.at-from >= jsonContextMax {
		_, n := utf8.DecodeRuneInString(p.s[from:])
		from += n
	}
	if from-lineStart <= 3 {
		from = lineStart
	} else {
		dots = "..."
	}
	if p.tok != jsonEnd && p.at < len(p.s) && p.s[p.at] != '\n' && p.s[p.at] != '\r' {
		more = "..."
	}
	return e.WithContext("JSON data, line %d: %s%s%s", line, dots, p.s[from:p.at], more)
}

func jsonError(format string, args ...any) error {
	return pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type json").WithDetail(format, args...)
}

func (p *jsonParser) expected(what string) error {
	if p.tok == jsonEnd {
		return jsonError("The input string ended unexpectedly.")
	}
	return jsonError("Expected %s, but found \"%s\".", what, p.s[p.start:p.at])
}

func (p *jsonParser) value() (v JSON, err error) {
	if p.depth++; p.depth > jsonDepthMax {
		return v, pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded")
	}
	defer func() { p.depth-- }()
	from := p.start
	end := p.at
	switch p.tok {
	case '{', '[':
		if p.tok == '{' {
			v, end, err = p.object()
		} else {
			v, end, err = p.array()
		}
		if err != nil {
			return v, err // end is not known then
		}
		v.Raw = p.s[from:end]
		return v, nil
	case jsonStr:
		v = JSON{Kind: JSONString, Text: p.text}
	case jsonNum:
		v = JSON{Kind: JSONNumber, Text: p.s[from:end]}
	case jsonTrue, jsonFalse:
		v = JSON{Kind: JSONBool, Bool: p.tok == jsonTrue}
	case jsonNullTk:
	default:
		return v, p.expected("JSON value")
	}
	v.Raw = p.s[from:end]
	return v, p.next()
}

func (p *jsonParser) object() (v JSON, end int, err error) {
	v.Kind = JSONObject
	if err = p.next(); err != nil {
		return v, 0, err
	}
	for first := true; first || p.tok != '}'; first = false {
		if first && p.tok == '}' {
			break
		}
		if !first {
			if p.tok != ',' {
				return v, 0, p.expected(`"," or "}"`)
			}
			if err = p.next(); err != nil {
				return v, 0, err
			}
		}
		if p.tok != jsonStr {
			if first {
				return v, 0, p.expected(`string or "}"`)
			}
			return v, 0, p.expected("string")
		}
		v.Keys = append(v.Keys, p.text)
		if err = p.next(); err != nil {
			return v, 0, err
		}
		if p.tok != ':' {
			return v, 0, p.expected(`":"`)
		}
		if err = p.next(); err != nil {
			return v, 0, err
		}
		e, err := p.value()
		if err != nil {
			return v, 0, err
		}
		v.Elems = append(v.Elems, e)
	}
	end = p.at
	return v, end, p.next()
}

func (p *jsonParser) array() (v JSON, end int, err error) {
	v.Kind = JSONArray
	if err = p.next(); err != nil {
		return v, 0, err
	}
	for first := true; first || p.tok != ']'; first = false {
		if first && p.tok == ']' {
			break
		}
		if !first {
			if p.tok != ',' {
				return v, 0, p.expected(`"," or "]"`)
			}
			if err = p.next(); err != nil {
				return v, 0, err
			}
		}
		e, err := p.value()
		if err != nil {
			return v, 0, err
		}
		v.Elems = append(v.Elems, e)
	}
	end = p.at
	return v, end, p.next()
}

func isJSONWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

func (p *jsonParser) wordEnd(i int) int {
	for i < len(p.s) && isJSONWord(p.s[i]) {
		i++
	}
	return i
}

func (p *jsonParser) invalidToken() error {
	return jsonError("Token \"%s\" is invalid.", p.s[p.start:p.at])
}

// next reads a token.
func (p *jsonParser) next() error {
	for p.at < len(p.s) && strings.IndexByte(" \t\n\r", p.s[p.at]) >= 0 {
		p.at++
	}
	p.start = p.at
	if p.at >= len(p.s) {
		p.tok = jsonEnd
		return nil
	}
	switch c := p.s[p.at]; {
	case strings.IndexByte("{}[],:", c) >= 0:
		p.tok = c
		p.at++
	case c == '"':
		p.tok = jsonStr
		return p.str()
	case c == '-' || c >= '0' && c <= '9':
		p.tok = jsonNum
		return p.number()
	default:
		p.at = p.wordEnd(p.at)
		if p.at == p.start {
			p.at++
			return p.invalidToken()
		}
		switch p.s[p.start:p.at] {
		case "true":
			p.tok = jsonTrue
		case "false":
			p.tok = jsonFalse
		case "null":
			p.tok = jsonNullTk
		default:
			return p.invalidToken()
		}
	}
	return nil
}

func (p *jsonParser) digits() bool {
	from := p.at
	for p.at < len(p.s) && p.s[p.at] >= '0' && p.s[p.at] <= '9' {
		p.at++
	}
	return p.at > from
}

func (p *jsonParser) peek() byte {
	if p.at < len(p.s) {
		return p.s[p.at]
	}
	return 0
}

func (p *jsonParser) number() error {
	if p.peek() == '-' {
		p.at++
	}
	ok := true
	if p.peek() == '0' {
		p.at++
	} else {
		ok = p.digits()
	}
	if ok && p.peek() == '.' {
		p.at++
		ok = p.digits()
	}
	if c := p.peek(); ok && (c == 'e' || c == 'E') {
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		ok = p.digits()
	}
	if end := p.wordEnd(p.at); !ok || end > p.at {
		p.at = end
		return p.invalidToken()
	}
	return nil
}

func (p *jsonParser) str() error {
	p.at++
	var b []byte
	from := p.at
	for {
		if p.at >= len(p.s) {
			p.tok = jsonStr
			return jsonError("Token \"%s\" is invalid.", p.s[p.start:])
		}
		switch c := p.s[p.at]; {
		case c == '"':
			p.text = string(b) + p.s[from:p.at]
			p.at++
			return nil
		case c < ' ':
			return jsonError("Character with value 0x%02x must be escaped.", c)
		case c == '\\':
			b = append(b, p.s[from:p.at]...)
			var err error
			if b, err = p.escape(b); err != nil {
				return err
			}
			from = p.at
		default:
			p.at++
		}
	}
}

// escape resolves the escape at p.at.
func (p *jsonParser) escape(b []byte) ([]byte, error) {
	p.at++
	if p.at >= len(p.s) {
		return b, jsonError("Token \"%s\" is invalid.", p.s[p.start:])
	}
	c := p.s[p.at]
	if c == 'u' {
		return p.unicodeEscape(b)
	}
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		p.at++
		return append(b, "\"\\/\b\f\n\r\t"[i]), nil
	}
	_, n := utf8.DecodeRuneInString(p.s[p.at:])
	p.at += n
	return b, jsonError("Escape sequence \"\\%s\" is invalid.", p.s[p.at-n:p.at])
}

// hex4 reads the digits after \u; p.at stands on the u.
func (p *jsonParser) hex4() (rune, error) {
	v := rune(0)
	p.at++
	for range 4 {
		if p.at >= len(p.s) {
			return 0, jsonError("Token \"%s\" is invalid.", p.s[p.start:])
		}
		d, err := strconv.ParseUint(p.s[p.at:p.at+1], 16, 8)
		if err != nil {
			_, n := utf8.DecodeRuneInString(p.s[p.at:])
			p.at += n
			return 0, jsonError("\"\\u\" must be followed by four hexadecimal digits.")
		}
		v = v<<4 | rune(d)
		p.at++
	}
	return v, nil
}

func (p *jsonParser) unicodeEscape(b []byte) ([]byte, error) {
	r, err := p.hex4()
	if err != nil || !p.decode {
		return b, err
	}
	const lowAfterHigh = "Unicode low surrogate must follow a high surrogate."
	switch {
	case r == 0:
		return b, pgerr.New(pgerr.UntranslatableCharacter, "unsupported Unicode escape sequence").WithDetail("\\u0000 cannot be converted to text.")
	case r >= 0xdc00 && r <= 0xdfff:
		return b, jsonError(lowAfterHigh)
	case r >= 0xd800 && r <= 0xdbff:
		if !strings.HasPrefix(p.s[p.at:], `\u`) {
			p.at = min(p.at+1, len(p.s))
			return b, jsonError(lowAfterHigh)
		}
		p.at++
		low, err := p.hex4()
		if err != nil {
			return b, err
		}
		if low >= 0xd800 && low <= 0xdbff {
			return b, jsonError("Unicode high surrogate must not follow a high surrogate.")
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return b, jsonError(lowAfterHigh)
		}
	}
	return utf8.AppendRune(b, r), nil
}

// AppendJSONString appends s as a JSON string.
func AppendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			if c < ' ' {
				dst = append(dst, `\u00`...)
				dst = append(dst, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
			} else {
				dst = append(dst, c)
			}
		}
	}
	return append(dst, '"')
}
