package parse

import "strings"

// TokenKind is what a Token is.
type TokenKind uint8

const (
	End TokenKind = iota
	Ident
	QuotedIdent
	Number
	String // '...', E'...', B'...', X'...', N'...', U&'...', $tag$...$tag$
	ParamRef
	Operator
	Punct // ( ) [ ] , ; : . and := :: are Operators
)

// Token is a piece of the statement text, as bytes [Start, End).
type Token struct {
	Kind       TokenKind
	Start, End int
}

// Scanner reads tokens by PostgreSQL's lexical rules. It never fails: what the real scanner refuses comes out as some token, since the
// grammar sees the text afterwards.
type Scanner struct {
	Text string
	pos  int
}

// Next gives the next token, skipping blanks and comments.
func (s *Scanner) Next() Token {
	s.skipBlanks()
	start := s.pos
	if start >= len(s.Text) {
		return Token{End, start, start}
	}
	kind := s.scan(s.Text[start])
	return Token{kind, start, s.pos}
}

func (s *Scanner) scan(c byte) TokenKind {
	switch {
	case c == '\'':
		s.quoted('\'', false)
		return String
	case c == '"':
		s.quoted('"', false)
		return QuotedIdent
	case isIdentStart(c):
		return s.word(c)
	case isDigit(c) || c == '.' && isDigit(s.at(1)):
		s.number()
		return Number
	case c == '$':
		return s.dollar()
	case strings.IndexByte("()[],;", c) >= 0:
		s.pos++
		return Punct
	case c == '.' || c == ':':
		return s.dotOrColon(c)
	case isOperatorByte(c):
		s.operator()
		return Operator
	}
	s.pos++
	return Punct
}

func (s *Scanner) at(n int) byte {
	if s.pos+n < len(s.Text) {
		return s.Text[s.pos+n]
	}
	return 0
}

func (s *Scanner) skipBlanks() {
	for s.pos < len(s.Text) {
		switch c := s.Text[s.pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			s.pos++
		case c == '-' && s.at(1) == '-':
			if n := strings.IndexAny(s.Text[s.pos:], "\r\n"); n >= 0 {
				s.pos += n
			} else {
				s.pos = len(s.Text)
			}
		case c == '/' && s.at(1) == '*':
			s.blockComment()
		default:
			return
		}
	}
}

func (s *Scanner) blockComment() {
	depth := 0
	for s.pos < len(s.Text) {
		switch {
		case s.Text[s.pos] == '/' && s.at(1) == '*':
			depth++
			s.pos += 2
		case s.Text[s.pos] == '*' && s.at(1) == '/':
			depth--
			s.pos += 2
			if depth == 0 {
				return
			}
		default:
			s.pos++
		}
	}
}

// quoted reads a quoted string from its opening quote; doubled quotes and, in an escape string, backslashes do not end it.
func (s *Scanner) quoted(q byte, escapes bool) {
	for s.pos++; s.pos < len(s.Text); s.pos++ {
		switch c := s.Text[s.pos]; {
		case c == '\\' && escapes:
			s.pos++
		case c == q:
			if s.at(1) != q {
				s.pos++
				return
			}
			s.pos++
		}
	}
	s.pos = len(s.Text)
}

// word reads an identifier, or a string with a prefix letter.
func (s *Scanner) word(c byte) TokenKind {
	switch next := s.at(1); {
	case next == '\'' && strings.IndexByte("eEbBxXnN", c) >= 0:
		s.pos++
		s.quoted('\'', c == 'e' || c == 'E')
		return String
	case (c == 'u' || c == 'U') && next == '&' && (s.at(2) == '\'' || s.at(2) == '"'):
		q := s.at(2)
		s.pos += 2
		s.quoted(q, false)
		if q == '"' {
			return QuotedIdent
		}
		return String
	}
	for s.pos < len(s.Text) && isIdentPart(s.Text[s.pos]) {
		s.pos++
	}
	return Ident
}

func (s *Scanner) number() {
	for s.pos < len(s.Text) {
		c := s.Text[s.pos]
		switch {
		case c == '.' && s.at(1) == '.':
			return // 1..10 in PL/pgSQL
		case isDigit(c) || c == '.' || isIdentStart(c):
			s.pos++
			if (c == 'e' || c == 'E') && (s.at(0) == '+' || s.at(0) == '-') && isDigit(s.at(1)) {
				s.pos++
			}
		default:
			return
		}
	}
}

// dollar reads $1 or $tag$...$tag$.
func (s *Scanner) dollar() TokenKind {
	n := 1
	if isDigit(s.at(1)) {
		for isDigit(s.at(n)) {
			n++
		}
		s.pos += n
		return ParamRef
	}
	for s.pos+n < len(s.Text) && s.at(n) != '$' && isIdentPart(s.at(n)) {
		n++
	}
	if s.at(n) != '$' {
		s.pos++
		return Punct
	}
	tag := s.Text[s.pos : s.pos+n+1]
	s.pos += n + 1
	if end := strings.Index(s.Text[s.pos:], tag); end >= 0 {
		s.pos += end + len(tag)
	} else {
		s.pos = len(s.Text)
	}
	return String
}

func (s *Scanner) dotOrColon(c byte) TokenKind {
	s.pos++
	if c == ':' && (s.at(0) == ':' || s.at(0) == '=') {
		s.pos++
		return Operator
	}
	return Punct
}

// operator reads the longest run of operator characters, stopping at a comment.
func (s *Scanner) operator() {
	for s.pos < len(s.Text) && isOperatorByte(s.Text[s.pos]) {
		c := s.Text[s.pos]
		if c == '-' && s.at(1) == '-' || c == '/' && s.at(1) == '*' {
			return
		}
		s.pos++
	}
}

func isDigit(c byte) bool      { return c >= '0' && c <= '9' }
func isIdentStart(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }
func isIdentPart(c byte) bool  { return isIdentStart(c) || isDigit(c) || c == '$' }

func isOperatorByte(c byte) bool { return strings.IndexByte("+-*/<>=~!@#%^&|`?", c) >= 0 }
