package types

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// A multirange is the OID of its type (uint32), the number of its ranges (uint32), then each range as its length (uint32) and its bytes, from a
// multiple of 8 bytes on. Ranges are in order, none empty, none next to or over another.

func init() {
	registerIO("multirange_in", multirangeIn, "multirange_out", multirangeOut, "multirange_recv", multirangeRecv, "multirange_send",
		multirangeSend)
	registerCompareFor("multirange_cmp", func(env *Env, _, _ OID) (CompareFunc, error) {
		var k *rangeKind
		return func(a, b Datum) int {
			if k == nil || k.info.Multirange != a.rangeType() {
				k, _ = rangeKindOf(env, a.rangeType())
			}
			return k.compareMulti(k.openMulti(a), k.openMulti(b))
		}, nil
	})
	registerHashFor("hash_multirange", "hash_multirange_extended", func(env *Env, typ, _ OID) (HashFunc, HashExtFunc, error) {
		k, err := rangeKindOf(env, typ)
		if err != nil {
			return nil, nil, err
		}
		h, x, err := HashFor(env, k.info.Subtype, k.info.Collation)
		if err != nil {
			return nil, nil, err
		}
		return func(d Datum) uint32 {
				v := uint32(1)
				for _, r := range k.openMulti(d) {
					v = v<<5 - v + k.hash(&r, h)
				}
				return v
			}, func(d Datum, seed uint64) uint64 {
				v := uint64(1)
				for _, r := range k.openMulti(d) {
					v = v<<5 - v + k.hashExt(&r, seed, x)
				}
				return v
			}, nil
	})
}

// openMulti takes a multirange apart.
func (k *rangeKind) openMulti(d Datum) []rangeValue {
	b := d.Bytes()
	out := make([]rangeValue, binary.LittleEndian.Uint32(b[4:]))
	at := 8
	for i := range out {
		n := int(binary.LittleEndian.Uint32(b[at:]))
		out[i] = k.open(Bytes(b[at+8 : at+8+n]))
		at += 8 + alignUp(n, 8)
	}
	return out
}

// multiDatum puts ranges that are in order together.
func (k *rangeKind) multiDatum(ranges []rangeValue) Datum {
	b := binary.LittleEndian.AppendUint32(nil, uint32(k.info.Multirange))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(ranges)))
	for i := range ranges {
		r := k.datum(ranges[i]).Bytes()
		b = binary.LittleEndian.AppendUint32(b, uint32(len(r)))
		b = append(append(b, 0, 0, 0, 0), r...)
		for len(b)%8 != 0 {
			b = append(b, 0)
		}
	}
	return Bytes(b)
}

// normalize sorts ranges, drops empty ones and joins those that overlap or touch.
func (k *rangeKind) normalize(ranges []rangeValue) ([]rangeValue, error) {
	slices.SortStableFunc(ranges, func(a, b rangeValue) int { return k.compare(&a, &b) })
	out := ranges[:0]
	for _, r := range ranges {
		if r.empty {
			continue
		}
		if n := len(out); n > 0 && (!k.before(&out[n-1], &r) || k.adjacent(&out[n-1], &r)) {
			joined, err := k.union(out[n-1], r, false)
			if err != nil {
				return nil, err
			}
			out[n-1] = joined
			continue
		}
		out = append(out, r)
	}
	return out, nil
}

// makeMulti makes a multirange of any ranges.
func (k *rangeKind) makeMulti(ranges []rangeValue) (Datum, error) {
	ranges, err := k.normalize(ranges)
	if err != nil {
		return Null, err
	}
	return k.multiDatum(ranges), nil
}

func (k *rangeKind) compareMulti(a, b []rangeValue) int {
	for i := range min(len(a), len(b)) {
		if c := k.compare(&a[i], &b[i]); c != 0 {
			return c
		}
	}
	return len(a) - len(b)
}

func badMultirange(s, detail string) error {
	return pgerr.New(pgerr.InvalidTextRepresentation, "malformed multirange literal: \"%s\"", s).WithDetail("%s", detail)
}

// rangeLiteralEnd finds the end of a range literal that s begins with; -1 when there is none.
func rangeLiteralEnd(s string) int {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '"' && quoted && i+1 < len(s) && s[i+1] == '"':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ']' || c == ')'):
			return i + 1
		}
	}
	return -1
}

// splitMultirange gives the range literals; empty ones are left out.
func splitMultirange(orig string) ([]string, error) {
	s := trimLeftSpace(orig)
	if !strings.HasPrefix(s, "{") {
		return nil, badMultirange(orig, "Missing left brace.")
	}
	var out []string
	s = trimLeftSpace(s[1:])
	for first := true; ; first = false {
		switch {
		case s == "":
			return nil, badMultirange(orig, "Unexpected end of input.")
		case s[0] == '[' || s[0] == '(':
			end := rangeLiteralEnd(s)
			if end < 0 {
				return nil, badMultirange(orig, "Unexpected end of input.")
			}
			out, s = append(out, s[:end]), s[end:]
		case s[0] == '}' && first:
			return nil, multirangeTail(orig, s)
		case len(s) >= 5 && strings.EqualFold(s[:5], "empty"):
			s = s[5:]
		default:
			return nil, badMultirange(orig, "Expected range start.")
		}
		s = trimLeftSpace(s)
		switch {
		case s == "":
			return nil, badMultirange(orig, "Unexpected end of input.")
		case s[0] == '}':
			return out, multirangeTail(orig, s)
		case s[0] != ',':
			return nil, badMultirange(orig, "Expected comma or end of multirange.")
		}
		s = trimLeftSpace(s[1:])
	}
}

func multirangeTail(orig, s string) error {
	if trimLeftSpace(s[1:]) != "" {
		return badMultirange(orig, "Junk after closing right brace.")
	}
	return nil
}

func multirangeIn(env *Env, io *IO, s string, typmod int32) (Datum, error) {
	k, err := rangeKindOf(env, io.Info.OID)
	if err != nil {
		return Null, err
	}
	literals, err := splitMultirange(s)
	if err != nil {
		return Null, err
	}
	ranges := make([]rangeValue, len(literals))
	for i, l := range literals {
		if ranges[i], err = k.parse(env, io.elem, l, typmod); err != nil {
			return Null, err
		}
	}
	return k.makeMulti(ranges)
}

func multirangeOut(env *Env, io *IO, dst []byte, d Datum) ([]byte, error) {
	k := &rangeKind{elem: io.elem.Info}
	dst = append(dst, '{')
	var err error
	for i, r := range k.openMulti(d) {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendRange(env, io.elem, dst, &r); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func multirangeRecv(env *Env, io *IO, b []byte, typmod int32) (Datum, error) {
	k, err := rangeKindOf(env, io.Info.OID)
	if err != nil {
		return Null, err
	}
	rd := reader{b: b}
	count := int(rd.uint32())
	if rd.short || count > len(b)/5 {
		return Null, badBinary()
	}
	ranges := make([]rangeValue, count)
	for i := range ranges {
		n := int(int32(rd.uint32()))
		part := rd.bytes(n)
		if rd.short {
			return Null, badBinary()
		}
		if ranges[i], err = k.receive(env, io.elem, part, typmod); err != nil {
			return Null, err
		}
	}
	if len(rd.b) > 0 {
		return Null, pgerr.New(pgerr.InvalidBinaryRepresentation, "incorrect binary data format")
	}
	return k.makeMulti(ranges)
}

func multirangeSend(env *Env, io *IO, dst []byte, d Datum) ([]byte, error) {
	k := &rangeKind{elem: io.elem.Info}
	ranges := k.openMulti(d)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(ranges)))
	for i := range ranges {
		at := len(dst)
		var err error
		if dst, err = sendRange(env, io.elem, append(dst, 0, 0, 0, 0), &ranges[i]); err != nil {
			return dst, err
		}
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst, nil
}
