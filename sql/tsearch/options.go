package tsearch

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Option is a name and a value, of a dictionary or of a headline.
type Option struct {
	Name, Value string
	Number      bool // written without quotes
}

// ParseOptions reads options as pg_ts_dict.dictinitoption and ts_headline have them: name = value, ...; a value is bare, or between quotes of either kind
// that are doubled inside, as backslashes are.
func ParseOptions(text string) (list []Option, err error) {
	s := optionScanner{text: text, rest: text}
	for {
		s.rest = strings.TrimLeftFunc(s.rest, func(r rune) bool { return isOptionSpace(r) || r == ',' })
		if s.rest == "" {
			return list, nil
		}
		o, err := s.option()
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
}

func isOptionSpace(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' }

type optionScanner struct{ text, rest string }

func (s *optionScanner) bad() error {
	return pgerr.New(pgerr.SyntaxError, "invalid parameter list format: \"%s\"", s.text)
}

func (s *optionScanner) skipSpace() { s.rest = strings.TrimLeftFunc(s.rest, isOptionSpace) }

// until takes the text up to a character that stop has.
func (s *optionScanner) until(stop func(rune) bool) (text string) {
	end := strings.IndexFunc(s.rest, stop)
	if end < 0 {
		end = len(s.rest)
	}
	text, s.rest = s.rest[:end], s.rest[end:]
	return text
}

func (s *optionScanner) option() (o Option, err error) {
	if s.rest[0] == '"' {
		if o.Name, err = s.quoted('"'); err != nil {
			return o, err
		}
	} else {
		// The first character belongs to the name whatever it is.
		first := s.rest[:1]
		s.rest = s.rest[1:]
		o.Name = first + s.until(func(r rune) bool { return isOptionSpace(r) || r == '=' })
	}
	if s.skipSpace(); !strings.HasPrefix(s.rest, "=") {
		return o, s.bad()
	}
	s.rest = s.rest[1:]
	s.skipSpace()
	if strings.HasPrefix(s.rest, "E'") {
		s.rest = s.rest[1:]
	}
	switch {
	case s.rest == "":
		return o, s.bad()
	case s.rest[0] == '\'' || s.rest[0] == '"':
		o.Value, err = s.quoted(s.rest[0])
		return o, err
	}
	o.Value = s.until(func(r rune) bool { return isOptionSpace(r) || r == ',' })
	_, ierr := types.Input(nil, types.Float8OID, -1, o.Value)
	o.Number = ierr == nil
	return o, nil
}

func (s *optionScanner) quoted(quote byte) (string, error) {
	var b strings.Builder
	for i := 1; i < len(s.rest); i++ {
		c := s.rest[i]
		if (c == quote || c == '\\' && quote == '\'') && i+1 < len(s.rest) && s.rest[i+1] == c {
			i++
		} else if c == quote {
			s.rest = s.rest[i+1:]
			return b.String(), nil
		}
		b.WriteByte(c)
	}
	return "", s.bad()
}

// FormatOptions writes options as pg_ts_dict.dictinitoption has them.
func FormatOptions(list []Option) string {
	var b strings.Builder
	for i, o := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(types.QuoteIdent(nil, o.Name) + " = ")
		if o.Number {
			b.WriteString(o.Value)
			continue
		}
		if strings.Contains(o.Value, `\`) {
			b.WriteByte('E')
		}
		b.WriteString("'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(o.Value) + "'")
	}
	return b.String()
}
