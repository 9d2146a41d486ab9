package funcs

import (
	"strings"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// to_number: a text read by a template gives sign and digits, which numeric's input reads with the template's precision.

func init() {
	types.RegisterFunc("numeric_to_number", func(c *types.Call) (types.Datum, error) {
		t, err := numberTemplateOf(c)
		if err != nil || c.Args[1].Str() == "" {
			return types.Null, err
		}
		if t.scientific {
			return types.Null, pgerr.New(pgerr.FeatureNotSupported, "\"EEEE\" not supported for input")
		}
		if t.roman {
			return types.Null, pgerr.New(pgerr.FeatureNotSupported, "\"RN\" not supported for input")
		}
		r := numberReader{t: &t, s: c.Args[0].Str(), num: []byte{' '}}
		r.read()
		precision, scale := t.pre+t.multi+r.post, r.post
		d, err := types.Input(c.Env, types.NumericOID, int32(precision<<16|scale)+4, string(r.num))
		if err != nil || !t.multiplied {
			return d, err
		}
		return d.Numeric().TimesPow10(-t.multi).Datum(c.Arena)
	})
}

// numberReader reads s; num collects a place for the sign, then digits and a point.
type numberReader struct {
	t         *numberTemplate
	s         string
	at        int
	num       []byte
	pre, post int
	point     bool
}

func (r *numberReader) ended() bool { return r.at >= len(r.s) }

func (r *numberReader) read() {
	for i := range r.t.nodes {
		if r.ended() {
			break
		}
		n := &r.t.nodes[i]
		if n.kind != nodeKey {
			_, size := utf8.DecodeRuneInString(r.s[r.at:])
			r.at += size
			continue
		}
		r.pattern(n.key.id)
	}
	if r.num[len(r.num)-1] == '.' {
		r.num = r.num[:len(r.num)-1]
	}
}

func (r *numberReader) pattern(id string) {
	c := r.s[r.at]
	switch id {
	case "9", "0", ".", "D":
		r.digit(id == "9" || id == "0")
		r.at++
	case ",", "G":
		if !r.t.fill && c == ',' {
			r.at++
		}
	case "L":
		r.skip(1)
	case "TH":
		if r.num[0] != '#' && !r.t.decimal {
			r.skip(2)
		}
	case "MI", "PL", "SG":
		if c == '-' && id != "PL" || c == '+' && id != "MI" {
			r.num[0] = c
			r.at++
		} else {
			r.skip(1)
		}
	}
}

// skip passes over characters that are no part of a number.
func (r *numberReader) skip(n int) {
	for ; n > 0 && !r.ended() && strings.IndexByte("0123456789.,+-", r.s[r.at]) < 0; n-- {
		_, size := utf8.DecodeRuneInString(r.s[r.at:])
		r.at += size
	}
}

// digit reads one digit, with a sign before the first or after the last. The caller steps over the byte read.
func (r *numberReader) digit(isDigit bool) {
	if r.s[r.at] == ' ' {
		r.at++
	}
	if r.ended() {
		return
	}
	if r.num[0] == ' ' && isDigit && r.pre+r.post == 0 {
		r.leadingSign()
	}
	if r.ended() {
		return
	}
	isRead := false
	switch c := r.s[r.at]; {
	case c >= '0' && c <= '9':
		if r.point && r.post == r.t.post {
			return
		}
		r.num = append(r.num, c)
		if r.point {
			r.post++
		} else {
			r.pre++
		}
		isRead = true
	case r.t.decimal && !r.point && c == '.':
		r.num = append(r.num, '.')
		r.point, isRead = true, true
	}
	if r.num[0] == ' ' && r.pre+r.post > 0 {
		r.trailingSign(isRead)
	}
}

func (r *numberReader) leadingSign() {
	c := r.s[r.at]
	switch {
	case c == '-' || r.t.bracket && c == '<':
		r.num[0] = '-'
		r.at++
	case c == '+':
		r.num[0] = '+'
		r.at++
	}
}

func (r *numberReader) trailingSign(isRead bool) {
	isSign := func(i int) bool { return i < len(r.s) && (r.s[i] == '-' || r.s[i] == '+') }
	switch {
	case r.t.localeSign && isRead && isSign(r.at+1):
		r.at++
		r.num[0] = r.s[r.at]
	case !isRead && !r.t.localeSign && (r.t.plus || r.t.minus) && isSign(r.at):
		r.num[0] = r.s[r.at]
	}
}
