package are

import "github.com/calfdb/calf/sql/pgerr"

// Flags change how a pattern is read and matched.
type Flags struct {
	ICase    bool // i: case does not matter
	NLStop   bool // p, n: . and negated brackets do not match a newline
	NLAnchor bool // w, n: ^ and $ match at newlines
	Expanded bool // x: white space and comments are ignored
	Quote    bool // q: the pattern is a literal string
	Extended bool // e: a POSIX extended expression, without escapes
	Basic    bool // b: a POSIX basic expression; not supported
}

// Set applies one letter of a flags argument.
func (f *Flags) Set(c rune) error {
	switch c {
	case 'e', 'b', 'q':
		f.Extended, f.Basic, f.Quote = c == 'e', c == 'b', c == 'q'
		return nil
	}
	if !f.letter(c) {
		return pgerr.New(pgerr.InvalidParameterValue, "invalid regular expression option: \"%c\"", c)
	}
	return nil
}

// letter applies a letter that flags arguments and embedded options share.
func (f *Flags) letter(c rune) bool {
	switch c {
	case 'c':
		f.ICase = false
	case 'i':
		f.ICase = true
	case 'm', 'n':
		f.NLStop, f.NLAnchor = true, true
	case 'p':
		f.NLStop, f.NLAnchor = true, false
	case 's':
		f.NLStop, f.NLAnchor = false, false
	case 'w':
		f.NLStop, f.NLAnchor = false, true
	case 'x':
		f.Expanded = true
	case 't':
		f.Expanded = false
	default:
		return false
	}
	return true
}
