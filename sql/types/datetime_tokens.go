package types

import "github.com/calfdb/calf/sql/pgerr"

// Tokens of date, time and interval input, as PostgreSQL's ParseDateTime makes them.
type tokenKind uint8

const (
	tokNumber tokenKind = iota
	tokString
	tokDate
	tokTime
	tokTZ
	tokSpecial
)

type dateToken struct {
	kind tokenKind
	text string
}

const (
	dateTokensMax = 25
	dateInputMax  = 128 + 25
)

// dateError is why a date or time was refused.
type dateError uint8

const (
	dateOK dateError = iota
	dateBadFormat
	dateFieldOverflow
	dateMDFieldOverflow
	dateIntervalOverflow
	dateTZDispOverflow
)

// report makes the error that a client sees.
func (e dateError) report(s, typeName string) error {
	switch e {
	case dateFieldOverflow:
		return pgerr.New(pgerr.DatetimeValueOutOfRange, "date/time field value out of range: \"%s\"", s)
	case dateMDFieldOverflow:
		return pgerr.New(pgerr.DatetimeValueOutOfRange, "date/time field value out of range: \"%s\"", s).
			WithHint("Perhaps you need a different \"datestyle\" setting.")
	case dateIntervalOverflow:
		return pgerr.New(pgerr.IntervalFieldOverflow, "interval field value out of range: \"%s\"", s)
	case dateTZDispOverflow:
		return pgerr.New(pgerr.InvalidTimeZoneDisplacementValue, "time zone displacement out of range: \"%s\"", s)
	}
	return pgerr.New(pgerr.InvalidDatetimeFormat, "invalid input syntax for type %s: \"%s\"", typeName, s)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlpha(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !isDigit(c) && !isAlpha(c)
}

// splitDateTime makes tokens of s; letters come out in lower case.
func splitDateTime(s string) ([]dateToken, dateError) {
	s = lower(s)
	if len(s) > dateInputMax {
		return nil, dateBadFormat
	}
	var toks []dateToken
	for i := 0; i < len(s); {
		c, start := s[i], i
		if isSpace(c) {
			i++
			continue
		}
		kind := tokNumber
		switch {
		case isDigit(c):
			kind, i = scanNumberToken(s, i)
		case c == '.':
			for i++; i < len(s) && isDigit(s[i]); i++ {
			}
		case isAlpha(c) || c >= 0x80:
			kind, i = scanWordToken(s, i)
		case c == '+' || c == '-':
			i++
			for i < len(s) && isSpace(s[i]) {
				i++
			}
			rest := i
			switch {
			case i < len(s) && isDigit(s[i]):
				kind = tokTZ
				for i < len(s) && (isDigit(s[i]) || s[i] == ':' || s[i] == '.' || s[i] == '-') {
					i++
				}
			case i < len(s) && isAlpha(s[i]):
				kind = tokSpecial
				for i < len(s) && isAlpha(s[i]) {
					i++
				}
			default:
				return nil, dateBadFormat
			}
			toks = append(toks, dateToken{kind, string(c) + s[rest:i]})
			continue
		case isPunct(c):
			i++
			continue
		default:
			return nil, dateBadFormat
		}
		toks = append(toks, dateToken{kind, s[start:i]})
	}
	if len(toks) > dateTokensMax {
		return nil, dateBadFormat
	}
	return toks, dateOK
}

func scanNumberToken(s string, i int) (tokenKind, int) {
	i = skipDigits(s, i)
	if i >= len(s) {
		return tokNumber, i
	}
	if s[i] == ':' {
		for i < len(s) && (isDigit(s[i]) || s[i] == ':' || s[i] == '.') {
			i++
		}
		return tokTime, i
	}
	if s[i] != '-' && s[i] != '/' && s[i] != '.' {
		return tokNumber, i
	}
	delim := s[i]
	i++
	kind := tokDate
	if i < len(s) && isDigit(s[i]) {
		if delim == '.' {
			kind = tokNumber
		}
		i = skipDigits(s, i)
		if i < len(s) && s[i] == delim {
			kind = tokDate
			for i < len(s) && (isDigit(s[i]) || s[i] == delim) {
				i++
			}
		}
		return kind, i
	}
	for i < len(s) && (isDigit(s[i]) || isAlpha(s[i]) || s[i] == delim) {
		i++
	}
	return kind, i
}

func scanWordToken(s string, i int) (tokenKind, int) {
	start := i
	for i < len(s) && (isAlpha(s[i]) || s[i] >= 0x80) {
		i++
	}
	if i >= len(s) {
		return tokString, i
	}
	isDate := s[i] == '-' || s[i] == '/' || s[i] == '.'
	if !isDate && (s[i] == '+' || isDigit(s[i])) {
		isDate = lookupWord(s[start:i]).kind == wordUnknown
	}
	if !isDate {
		return tokString, i
	}
	for i < len(s) && (isDigit(s[i]) || isAlpha(s[i]) || s[i] >= 0x80 || s[i] == '+' || s[i] == '-' || s[i] == '/' || s[i] == '_' || s[i] == '.' || s[i] == ':') {
		i++
	}
	return tokDate, i
}
