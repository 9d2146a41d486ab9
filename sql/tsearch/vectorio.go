package tsearch

import (
	"encoding/binary"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	types.RegisterIO("tsvector", types.TypeIO{In: vectorIn, Out: vectorOut, Recv: vectorRecv, Send: vectorSend})
	types.RegisterComparisons("tsvector_", compareVectors)
}

// wordScanner reads words as tsvector's and tsquery's text has them: bare, or between quotes that are doubled inside; a backslash takes the next character
// as it is.
type wordScanner struct {
	text      string // the whole, for messages
	rest      string
	operators bool // ! | & ( ) : end a bare word; no positions follow a word
	query     bool // messages say tsquery
	web       bool // of websearch_to_tsquery: nothing is quoted or escaped; " ends a word
}

func (s *wordScanner) syntaxError() error {
	if s.query {
		return errQuerySyntax(s.text)
	}
	return pgerr.New(pgerr.SyntaxError, "syntax error in tsvector: \"%s\"", s.text)
}

// next reads a word; false at the end of the text.
func (s *wordScanner) next() (word string, pos []Pos, ok bool, err error) {
	s.rest = strings.TrimLeftFunc(s.rest, isSpace)
	if s.rest == "" {
		return "", nil, false, nil
	}
	if !s.web && s.rest[0] == '\'' {
		if word, err = s.quoted(); err != nil || s.operators {
			return word, nil, err == nil, err
		}
	} else if word, err = s.bare(); err != nil || s.operators {
		return word, nil, err == nil, err
	}
	if !strings.HasPrefix(s.rest, ":") {
		return word, nil, true, nil
	}
	s.rest = s.rest[1:]
	pos, err = s.positions()
	return word, pos, err == nil, err
}

func (s *wordScanner) take() (char string) {
	_, n := utf8.DecodeRuneInString(s.rest)
	char, s.rest = s.rest[:n], s.rest[n:]
	return char
}

// escaped takes the character after a backslash.
func (s *wordScanner) escaped() (string, error) {
	s.rest = s.rest[1:]
	if s.rest == "" {
		return "", pgerr.New(pgerr.SyntaxError, "there is no escaped character: \"%s\"", s.text)
	}
	return s.take(), nil
}

func (s *wordScanner) quoted() (string, error) {
	var word strings.Builder
	s.rest = s.rest[1:]
	for {
		switch {
		case s.rest == "":
			return "", s.syntaxError()
		case s.rest[0] == '\\':
			c, err := s.escaped()
			if err != nil {
				return "", err
			}
			word.WriteString(c)
		case strings.HasPrefix(s.rest, "''"):
			s.rest = s.rest[2:]
			word.WriteByte('\'')
		case s.rest[0] == '\'':
			s.rest = s.rest[1:]
			if word.Len() == 0 {
				return "", s.syntaxError()
			}
			return word.String(), nil
		default:
			word.WriteString(s.take())
		}
	}
}

func isOperator(c byte) bool { return c != 0 && strings.IndexByte("!&|()", c) >= 0 }

func (s *wordScanner) bare() (string, error) {
	var word strings.Builder
	if c := s.rest[0]; s.operators && isOperator(c) || s.web && c == '"' {
		return "", s.syntaxError()
	}
	if s.rest[0] == ':' {
		// The first character of a word may be a colon.
		word.WriteString(s.take())
	}
	for s.rest != "" {
		c := s.rest[0]
		if r, _ := utf8.DecodeRuneInString(s.rest); isSpace(r) || s.operators && isOperator(c) || s.web && c == '"' || c == ':' {
			break
		}
		if c == '\\' && !s.web {
			char, err := s.escaped()
			if err != nil {
				return "", err
			}
			word.WriteString(char)
			continue
		}
		word.WriteString(s.take())
	}
	if word.Len() == 0 {
		return "", s.syntaxError()
	}
	return word.String(), nil
}

// positions reads 1A,2,3B after a word's colon.
func (s *wordScanner) positions() (list []Pos, err error) {
	for {
		n := 0
		for n < len(s.rest) && s.rest[n] >= '0' && s.rest[n] <= '9' {
			n++
		}
		if n == 0 {
			return nil, s.syntaxError()
		}
		at, _ := strconv.ParseInt(s.rest[:n], 10, 32)
		if int32(at) == 0 {
			return nil, pgerr.New(pgerr.SyntaxError, "wrong position info in tsvector: \"%s\"", s.text)
		}
		s.rest = s.rest[n:]
		weight, err := s.weight()
		if err != nil {
			return nil, err
		}
		list = append(list, makePos(int(at), weight))
		if !strings.HasPrefix(s.rest, ",") {
			break
		}
		s.rest = s.rest[1:]
	}
	if r, _ := utf8.DecodeRuneInString(s.rest); s.rest != "" && !isSpace(r) {
		return nil, s.syntaxError()
	}
	return list, nil
}

// weight reads the letters after a position. D counts as none, so that another may follow; digits between are skipped.
func (s *wordScanner) weight() (weight int, err error) {
	for s.rest != "" {
		w := 0
		switch s.rest[0] {
		case 'a', 'A', '*':
			w = 3
		case 'b', 'B':
			w = 2
		case 'c', 'C':
			w = 1
		case 'd', 'D':
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			s.rest = s.rest[1:]
			continue
		default:
			return weight, nil
		}
		if weight != 0 {
			return 0, s.syntaxError()
		}
		weight, s.rest = w, s.rest[1:]
	}
	return weight, nil
}

func vectorIn(_ *types.Env, text string) (types.Datum, error) {
	var v Vector
	s := wordScanner{text: text, rest: text}
	size := 0
	for {
		word, pos, ok, err := s.next()
		if err != nil {
			return types.Null, err
		}
		if !ok {
			break
		}
		if len(word) >= wordLenMax {
			return types.Null, pgerr.New(pgerr.ProgramLimitExceeded, "word is too long (%d bytes, max %d bytes)", len(word), wordLenMax-1)
		}
		if size > vectorBytesMax {
			return types.Null, errVectorTooLong(size)
		}
		size += len(word)
		v = append(v, Entry{word, pos})
	}
	return v.normalize().Datum()
}

// appendQuoted appends a word between quotes, with quotes and backslashes doubled.
func appendQuoted(dst []byte, word string) []byte {
	dst = append(dst, '\'')
	for i := range len(word) {
		if c := word[i]; c == '\'' || c == '\\' {
			dst = append(dst, c)
		}
		dst = append(dst, word[i])
	}
	return append(dst, '\'')
}

func vectorOut(_ *types.Env, dst []byte, d types.Datum) ([]byte, error) {
	for i, e := range VectorOf(d) {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = appendQuoted(dst, e.Word)
		for j, p := range e.Pos {
			dst = append(dst, ":,"[min(j, 1)])
			dst = strconv.AppendInt(dst, int64(p.at()), 10)
			if p.weight() > 0 {
				dst = append(dst, weightLetter(p.weight()))
			}
		}
	}
	return dst, nil
}

// vectorSend: the number of words; for each the word with a NUL, the number of positions, these.
func vectorSend(_ *types.Env, dst []byte, d types.Datum) ([]byte, error) {
	v := VectorOf(d)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(v)))
	for _, e := range v {
		dst = append(append(dst, e.Word...), 0)
		dst = binary.BigEndian.AppendUint16(dst, uint16(len(e.Pos)))
		for _, p := range e.Pos {
			dst = binary.BigEndian.AppendUint16(dst, uint16(p))
		}
	}
	return dst, nil
}

func vectorRecv(_ *types.Env, b []byte) (types.Datum, error) {
	m := message{b}
	n, err := m.uint(4)
	if err != nil {
		return types.Null, err
	}
	if n > 1<<30/4 {
		return types.Null, pgerr.Internal("invalid size of tsvector")
	}
	var v Vector
	for range n {
		e := Entry{}
		if e.Word, err = m.text(); err != nil {
			return types.Null, err
		}
		npos, err := m.uint(2)
		if err != nil {
			return types.Null, err
		}
		if len(e.Word) > wordLenMax {
			return types.Null, pgerr.Internal("invalid tsvector: lexeme too long")
		}
		if npos > positionsMax {
			return types.Null, pgerr.Internal("unexpected number of tsvector positions")
		}
		for j := range npos {
			p, err := m.uint(2)
			if err != nil {
				return types.Null, err
			}
			if j > 0 && Pos(p).at() <= e.Pos[j-1].at() {
				return types.Null, pgerr.Internal("position information is misordered")
			}
			e.Pos = append(e.Pos, Pos(p))
		}
		v = append(v, e)
	}
	return v.normalize().Datum()
}

// message reads the binary form of a value.
type message struct{ rest []byte }

func (m *message) uint(size int) (uint32, error) {
	if len(m.rest) < size {
		return 0, pgerr.New(pgerr.ProtocolViolation, "insufficient data left in message")
	}
	var n uint32
	for _, c := range m.rest[:size] {
		n = n<<8 | uint32(c)
	}
	m.rest = m.rest[size:]
	return n, nil
}

// text reads a text that ends with a NUL.
func (m *message) text() (string, error) {
	for i, c := range m.rest {
		if c == 0 {
			b := m.rest[:i]
			m.rest = m.rest[i+1:]
			return string(b), types.CheckUTF8(b)
		}
	}
	return "", pgerr.New(pgerr.ProtocolViolation, "invalid string in message")
}
