package types

import (
	"encoding/binary"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// Text and binary forms of ranges.

func init() {
	registerIO("range_in", rangeIn, "range_out", rangeOut, "range_recv", rangeRecv, "range_send", rangeSend)
	registerCompareFor("range_cmp", func(env *Env, typ, _ OID) (CompareFunc, error) {
		var k *rangeKind
		return func(a, b Datum) int {
			if k == nil || k.info.Range != a.rangeType() {
				k, _ = rangeKindOf(env, a.rangeType())
			}
			x, y := k.open(a), k.open(b)
			return k.compare(&x, &y)
		}, nil
	})
	registerHashFor("hash_range", "hash_range_extended", func(env *Env, typ, _ OID) (HashFunc, HashExtFunc, error) {
		var k *rangeKind
		var h HashFunc
		var x HashExtFunc
		resolve := func(t OID) (err error) {
			if k != nil && k.info.Range == t {
				return nil
			}
			if k, err = rangeKindOf(env, t); err == nil {
				h, x, err = HashFor(env, k.info.Subtype, k.info.Collation)
			}
			return err
		}
		if _, err := env.rangeInfo(typ); err == nil {
			if err := resolve(typ); err != nil {
				return nil, nil, err
			}
		}
		return func(d Datum) uint32 {
				_ = resolve(d.rangeType())
				r := k.open(d)
				return k.hash(&r, h)
			}, func(d Datum, seed uint64) uint64 {
				_ = resolve(d.rangeType())
				r := k.open(d)
				return k.hashExt(&r, seed, x)
			}, nil
	})
}

func badRange(s, detail string) error {
	return pgerr.New(pgerr.InvalidTextRepresentation, "malformed range literal: \"%s\"", s).WithDetail("%s", detail)
}

// rangeText is a range literal taken apart: the text of its bounds.
type rangeText struct {
	lower, upper       string
	lowerInf, upperInf bool
	lowerInc, upperInc bool
	empty              bool
}

func parseRange(orig string) (t rangeText, err error) {
	s := trimLeftSpace(orig)
	if len(s) >= 5 && strings.EqualFold(s[:5], "empty") {
		if trimLeftSpace(s[5:]) != "" {
			return t, badRange(orig, "Junk after \"empty\" key word.")
		}
		return rangeText{empty: true}, nil
	}
	if s == "" || s[0] != '[' && s[0] != '(' {
		return t, badRange(orig, "Missing left parenthesis or bracket.")
	}
	t.lowerInc = s[0] == '['
	if t.lower, t.lowerInf, s, err = parseBound(orig, s[1:]); err != nil {
		return t, err
	}
	if s[0] != ',' {
		return t, badRange(orig, "Missing comma after lower bound.")
	}
	if t.upper, t.upperInf, s, err = parseBound(orig, s[1:]); err != nil {
		return t, err
	}
	if s[0] == ',' {
		return t, badRange(orig, "Too many commas.")
	}
	t.upperInc = s[0] == ']'
	if trimLeftSpace(s[1:]) != "" {
		return t, badRange(orig, "Junk after right parenthesis or bracket.")
	}
	return t, nil
}

// parseBound reads a bound up to a comma or a closing bracket, where rest begins.
func parseBound(orig, s string) (text string, infinite bool, rest string, err error) {
	ends := func(c byte) bool { return c == ',' || c == ')' || c == ']' }
	if s != "" && ends(s[0]) {
		return "", true, s, nil
	}
	ended := func() error { return badRange(orig, "Unexpected end of input.") }
	var b []byte
	quoted := false
	for i := 0; ; i++ {
		if i >= len(s) {
			return "", false, "", ended()
		}
		c := s[i]
		switch {
		case !quoted && ends(c):
			return string(b), false, s[i:], nil
		case c == '\\':
			if i++; i >= len(s) {
				return "", false, "", ended()
			}
			b = append(b, s[i])
		case c == '"' && quoted && i+1 < len(s) && s[i+1] == '"':
			b = append(b, '"')
			i++
		case c == '"':
			quoted = !quoted
		default:
			b = append(b, c)
		}
	}
}

func rangeIn(env *Env, io *IO, s string, typmod int32) (Datum, error) {
	k, err := rangeKindOf(env, io.Info.OID)
	if err != nil {
		return Null, err
	}
	r, err := k.parse(env, io.elem, s, typmod)
	if err != nil {
		return Null, err
	}
	return k.datum(r), nil
}

func (k *rangeKind) parse(env *Env, elem *IO, s string, typmod int32) (rangeValue, error) {
	t, err := parseRange(s)
	if err != nil || t.empty {
		return emptyRange, err
	}
	lower := rangeBound{infinite: t.lowerInf, inclusive: t.lowerInc, lower: true}
	upper := rangeBound{infinite: t.upperInf, inclusive: t.upperInc}
	if !t.lowerInf {
		if lower.val, err = elem.Input(env, t.lower, typmod); err != nil {
			return emptyRange, err
		}
	}
	if !t.upperInf {
		if upper.val, err = elem.Input(env, t.upper, typmod); err != nil {
			return emptyRange, err
		}
	}
	return k.make(lower, upper)
}

func rangeOut(env *Env, io *IO, dst []byte, d Datum) ([]byte, error) {
	k := &rangeKind{elem: io.elem.Info}
	r := k.open(d)
	return appendRange(env, io.elem, dst, &r)
}

func appendRange(env *Env, elem *IO, dst []byte, r *rangeValue) ([]byte, error) {
	if r.empty {
		return append(dst, "empty"...), nil
	}
	pick := func(inclusive bool, yes, no byte) byte {
		if inclusive {
			return yes
		}
		return no
	}
	dst = append(dst, pick(r.lower.inclusive, '[', '('))
	var err error
	if dst, err = appendBound(env, elem, dst, &r.lower); err != nil {
		return dst, err
	}
	if dst, err = appendBound(env, elem, append(dst, ','), &r.upper); err != nil {
		return dst, err
	}
	return append(dst, pick(r.upper.inclusive, ']', ')')), nil
}

// appendBound writes a bound, quoted where it holds what a range literal gives a meaning.
func appendBound(env *Env, elem *IO, dst []byte, b *rangeBound) ([]byte, error) {
	if b.infinite {
		return dst, nil
	}
	text, err := elem.AppendText(env, nil, b.val)
	if err != nil {
		return dst, err
	}
	quote := len(text) == 0
	for _, c := range text {
		quote = quote || strings.IndexByte("\"\\()[],", c) >= 0 || isSpace(c)
	}
	if !quote {
		return append(dst, text...), nil
	}
	dst = append(dst, '"')
	for _, c := range text {
		if c == '"' || c == '\\' {
			dst = append(dst, c)
		}
		dst = append(dst, c)
	}
	return append(dst, '"'), nil
}

func rangeRecv(env *Env, io *IO, b []byte, typmod int32) (Datum, error) {
	k, err := rangeKindOf(env, io.Info.OID)
	if err != nil {
		return Null, err
	}
	r, err := k.receive(env, io.elem, b, typmod)
	if err != nil {
		return Null, err
	}
	return k.datum(r), nil
}

// receive reads flags, then each finite bound behind its length.
func (k *rangeKind) receive(env *Env, elem *IO, b []byte, typmod int32) (rangeValue, error) {
	rd := reader{b: b}
	f := rd.uint8()
	lower := rangeBound{infinite: f&rangeLowerInf != 0, inclusive: f&rangeLowerInc != 0, lower: true}
	upper := rangeBound{infinite: f&rangeUpperInf != 0, inclusive: f&rangeUpperInc != 0}
	if f&rangeEmpty == 0 {
		for _, bound := range []*rangeBound{&lower, &upper} {
			if bound.infinite {
				continue
			}
			v, err := rd.sized(env, elem, typmod)
			if err != nil {
				return emptyRange, err
			}
			if v.IsNull() {
				return emptyRange, badBinary()
			}
			bound.val = v
		}
	}
	if rd.short {
		return emptyRange, badBinary()
	}
	if len(rd.b) > 0 {
		return emptyRange, pgerr.New(pgerr.InvalidBinaryRepresentation, "incorrect binary data format")
	}
	if f&rangeEmpty != 0 {
		return emptyRange, nil
	}
	return k.make(lower, upper)
}

func rangeSend(env *Env, io *IO, dst []byte, d Datum) ([]byte, error) {
	k := &rangeKind{elem: io.elem.Info}
	r := k.open(d)
	return sendRange(env, io.elem, dst, &r)
}

func sendRange(env *Env, elem *IO, dst []byte, r *rangeValue) ([]byte, error) {
	dst = append(dst, r.flags())
	if r.empty {
		return dst, nil
	}
	for _, bound := range []*rangeBound{&r.lower, &r.upper} {
		if bound.infinite {
			continue
		}
		at := len(dst)
		var err error
		if dst, err = elem.AppendBinary(env, append(dst, 0, 0, 0, 0), bound.val); err != nil {
			return dst, err
		}
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst, nil
}
