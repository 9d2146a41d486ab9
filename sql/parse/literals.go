package parse

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// LiteralClass is what of a literal decides the type of its constant. For a number that is its size, to the digit where the sign decides
// (-2147483648 is an int4, 2147483648 an int8), so that texts with the same classes at the same places are analysed alike.
type LiteralClass byte

const (
	ClassString   LiteralClass = 's'
	ClassInt4     LiteralClass = 'i'
	ClassInt4Edge LiteralClass = 'I' // 2147483648
	ClassInt8     LiteralClass = 'l'
	ClassInt8Edge LiteralClass = 'L' // 9223372036854775808
	ClassNumeric  LiteralClass = 'n'
)

// Literal is a number or a plain '...' string of a statement's text.
type Literal struct {
	Start, End int
	Class      LiteralClass
}

// Value gives the literal's value as the grammar gives it: the digits, or the string without its quotes. It shares the text's memory where
// it can.
func (l Literal) Value(sql string) string {
	if l.Class != ClassString {
		return sql[l.Start:l.End]
	}
	v := sql[l.Start+1 : l.End-1]
	if strings.IndexByte(v, '\'') < 0 {
		return v
	}
	return strings.ReplaceAll(v, "''", "'")
}

// Shape cuts the literals out of a statement's text: it appends to key the text with each literal replaced by NUL and its class, and to
// lits the literals in order. Blanks and comments stay in the key. ok is false for a text that the key cannot stand for: more than one
// statement, parameters, strings in other notations than '...' side by side with plain ones, broken UTF-8, NULs. A text of one key and valid
// literals is lexed by the grammar into the same tokens.
func Shape(sql string, key []byte, lits []Literal) (_ []byte, _ []Literal, ok bool) {
	s := Scanner{Text: sql}
	from, ended := 0, false
	afterString := false
	for {
		t := s.Next()
		if t.Kind == End {
			break
		}
		if ended {
			return key, lits, false
		}
		wasString := afterString
		afterString = t.Kind == String
		switch t.Kind {
		case Punct:
			if c := sql[t.Start]; c == ';' {
				ended = true
			} else if strings.IndexByte("()[],.:", c) < 0 {
				return key, lits, false
			}
			continue
		case ParamRef:
			return key, lits, false
		case String:
			// Two strings side by side may be one to the grammar.
			if wasString {
				return key, lits, false
			}
			if sql[t.Start] != '\'' {
				continue
			}
			if t.End-t.Start < 2 || sql[t.End-1] != '\'' {
				return key, lits, false
			}
		case Number:
		default:
			continue
		}
		class, valid := classOf(sql[t.Start:t.End])
		if !valid {
			return key, lits, false
		}
		key = append(append(key, sql[from:t.Start]...), 0, byte(class))
		from = t.End
		lits = append(lits, Literal{t.Start, t.End, class})
	}
	key = append(key, sql[from:]...)
	return key, lits, validText(sql)
}

// validText is checkText's answer, quick for ASCII.
func validText(sql string) bool {
	for i := 0; i < len(sql); i++ {
		if c := sql[i]; c == 0 {
			return false
		} else if c >= 0x80 {
			return utf8.ValidString(sql[i:]) && strings.IndexByte(sql[i:], 0) < 0
		}
	}
	return true
}

// classOf classifies a token; a number with anything but digits, one point and an exponent is for the grammar to judge.
func classOf(s string) (LiteralClass, bool) {
	if s[0] == '\'' {
		// An escaped quote at the end leaves the string open: 'a''
		return ClassString, strings.Count(s, "'")%2 == 0
	}
	whole := true
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isDigit(c):
		case c == '.' && whole:
			whole = false
		case c|0x20 == 'e' && i > 0:
			return ClassNumeric, validExponent(s[i+1:])
		default:
			return 0, false
		}
	}
	if !whole {
		return ClassNumeric, len(s) > 1
	}
	return integerClass(s), true
}

func validExponent(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

func integerClass(s string) LiteralClass {
	if len(s) < 10 {
		return ClassInt4
	}
	n, err := strconv.ParseUint(s, 10, 64)
	switch {
	case err != nil || n > 1<<63:
		return ClassNumeric
	case n < 1<<31:
		return ClassInt4
	case n == 1<<31:
		return ClassInt4Edge
	case n < 1<<63:
		return ClassInt8
	}
	return ClassInt8Edge
}
