package isolation

import (
	"fmt"
	"strconv"
	"strings"
)

// tokenKind is a kind of token of a spec. Punctuation stands for itself: '(', ')', ',' and '*'.
type tokenKind rune

const (
	tokEOF tokenKind = -(iota + 1)
	tokIdent
	tokSQL
	tokInteger
	tokNotices
	tokPermutation
	tokSession
	tokSetup
	tokStep
	tokTeardown
)

var keywords = map[string]tokenKind{
	"notices": tokNotices, "permutation": tokPermutation, "session": tokSession, "setup": tokSetup, "step": tokStep, "teardown": tokTeardown,
}

type token struct {
	kind tokenKind
	text string // of tokIdent and tokSQL
	num  int    // of tokInteger
}

// lexer cuts a spec into tokens. Names are not case-folded, quoted or not.
type lexer struct {
	src  string
	pos  int
	line int // counts from 1
}

// blank are the characters between tokens, and those that are trimmed inside the braces of an SQL block: newlines stay there.
const blank = " \t\r\f"

func (l *lexer) fail(msg string) error { return fmt.Errorf("%s at line %d", msg, l.line) }

// next gives the next token.
func (l *lexer) next() (token, error) {
	l.skipBlank()
	if l.pos == len(l.src) {
		return token{kind: tokEOF}, nil
	}
	switch c := l.src[l.pos]; {
	case c == '{':
		return l.sqlBlock()
	case c == '"':
		return l.quoted()
	case strings.IndexByte(",()*", c) >= 0:
		l.pos++
		return token{kind: tokenKind(c)}, nil
	case isDigit(c):
		return l.integer()
	case isIdentStart(c):
		return l.word(), nil
	default:
		return token{}, fmt.Errorf("syntax error at line %d: unexpected character \"%c\"", l.line, c)
	}
}

// skipBlank passes white space and comments.
func (l *lexer) skipBlank() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == '\n':
			l.line++
		case c == '#':
			for l.pos+1 < len(l.src) && l.src[l.pos+1] != '\n' && l.src[l.pos+1] != '\r' {
				l.pos++
			}
		case strings.IndexByte(blank, c) < 0:
			return
		}
		l.pos++
	}
}

// sqlBlock reads { ... }. There is no way to write a closing brace inside.
func (l *lexer) sqlBlock() (token, error) {
	body, _, ok := strings.Cut(l.src[l.pos+1:], "}")
	l.pos += len(body) + 2
	l.line += strings.Count(body, "\n")
	if !ok {
		return token{}, l.fail("unterminated sql block")
	}
	return token{kind: tokSQL, text: strings.Trim(body, blank)}, nil
}

// quoted reads "name", in which a doubled quote stands for one.
func (l *lexer) quoted() (token, error) {
	var name strings.Builder
	for l.pos++; l.pos < len(l.src); l.pos++ {
		switch c := l.src[l.pos]; {
		case c == '\n':
			return token{}, l.fail("unexpected newline in quoted identifier")
		case c == '"' && strings.HasPrefix(l.src[l.pos+1:], `"`):
			l.pos++
			name.WriteByte(c)
		case c == '"':
			l.pos++
			return token{kind: tokIdent, text: name.String()}, nil
		default:
			name.WriteByte(c)
		}
	}
	return token{}, l.fail("unterminated quoted identifier")
}

func (l *lexer) integer() (token, error) {
	start := l.pos
	for l.pos < len(l.src) && isDigit(l.src[l.pos]) {
		l.pos++
	}
	n, err := strconv.ParseInt(l.src[start:l.pos], 10, 32)
	if err != nil {
		return token{}, l.fail("integer out of range")
	}
	return token{kind: tokInteger, num: int(n)}, nil
}

// word reads a keyword or a name.
func (l *lexer) word() token {
	start := l.pos
	for l.pos < len(l.src) && (isIdentStart(l.src[l.pos]) || isDigit(l.src[l.pos]) || l.src[l.pos] == '$') {
		l.pos++
	}
	text := l.src[start:l.pos]
	if kind, ok := keywords[text]; ok {
		return token{kind: kind}
	}
	return token{kind: tokIdent, text: text}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isIdentStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}
