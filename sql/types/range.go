package types

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/calfdb/calf/sql/pgerr"
)

// A range is the OID of its type (uint32), the flags below as one byte with three bytes of padding, then the lower and the upper bound where
// they are there: varlena bounds with a 4-byte header, others in their size, each aligned as in an array.
const (
	rangeEmpty    = 0x01
	rangeLowerInc = 0x02
	rangeUpperInc = 0x04
	rangeLowerInf = 0x08
	rangeUpperInf = 0x10

	rangeHeader = 8
)

// rangeBound is one end of a range.
type rangeBound struct {
	val       Datum
	infinite  bool
	inclusive bool
	lower     bool
}

// rangeValue is a range taken apart.
type rangeValue struct {
	lower, upper rangeBound
	empty        bool
}

// rangeKind is what is known of a range type: its subtype's order, and how its values become canonical.
type rangeKind struct {
	info *RangeInfo
	elem *TypeInfo
	cmp  CompareFunc
	env  *Env
}

// rangeKindOf resolves a range type, or that of a multirange.
func rangeKindOf(env *Env, typ OID) (*rangeKind, error) {
	info, err := env.rangeInfo(typ)
	if err != nil {
		return nil, err
	}
	elem, err := env.TypeByOID(info.Subtype)
	if err != nil {
		return nil, err
	}
	cmp, err := CompareFor(env, info.Subtype, info.Collation)
	if err != nil {
		return nil, err
	}
	return &rangeKind{info: info, elem: elem, cmp: cmp, env: env}, nil
}

// rangeKindFor keeps the kind of a call site; typ is the OID in the value at hand.
func rangeKindFor(c *Call, typ OID) (*rangeKind, error) {
	if k, ok := c.Cache.(*rangeKind); ok && (k.info.Range == typ || k.info.Multirange == typ) {
		return k, nil
	}
	k, err := rangeKindOf(c.Env, typ)
	if err == nil {
		c.Cache = k
	}
	return k, err
}

// rangeType is the type that a range or multirange carries.
func (d Datum) rangeType() OID { return OID(binary.LittleEndian.Uint32(d.Bytes())) }

func (d Datum) rangeFlags() byte { return d.Bytes()[4] }

// open takes a range apart; bounds by reference point into d.
func (k *rangeKind) open(d Datum) rangeValue {
	b := d.Bytes()
	f := b[4]
	r := rangeValue{empty: f&rangeEmpty != 0}
	r.lower = rangeBound{lower: true, infinite: f&rangeLowerInf != 0, inclusive: f&rangeLowerInc != 0}
	r.upper = rangeBound{infinite: f&rangeUpperInf != 0, inclusive: f&rangeUpperInc != 0}
	if r.empty {
		return r
	}
	at, align := rangeHeader, alignOf(k.elem.Align)
	for _, bound := range []*rangeBound{&r.lower, &r.upper} {
		if !bound.infinite {
			at = alignUp(at, align)
			v, n := fetchElement(k.elem, b[at:])
			bound.val = v
			at += n
		}
	}
	return r
}

func (r *rangeValue) flags() byte {
	if r.empty {
		return rangeEmpty
	}
	f := byte(0)
	set := func(on bool, bit byte) {
		if on {
			f |= bit
		}
	}
	set(r.lower.inclusive, rangeLowerInc)
	set(r.upper.inclusive, rangeUpperInc)
	set(r.lower.infinite, rangeLowerInf)
	set(r.upper.infinite, rangeUpperInf)
	return f
}

// datum puts a range together.
func (k *rangeKind) datum(r rangeValue) Datum {
	size, align := rangeHeader, alignOf(k.elem.Align)
	bounds := []*rangeBound{&r.lower, &r.upper}
	if !r.empty {
		for _, bound := range bounds {
			if !bound.infinite {
				size = alignUp(size, align) + storedSize(k.elem, bound.val)
			}
		}
	}
	b := make([]byte, size)
	binary.LittleEndian.PutUint32(b, uint32(k.info.Range))
	b[4] = r.flags()
	if r.empty {
		return Bytes(b)
	}
	at := rangeHeader
	for _, bound := range bounds {
		if !bound.infinite {
			at = alignUp(at, align)
			n := storedSize(k.elem, bound.val)
			putElement(k.elem, b[at:at+n], bound.val)
			at += n
		}
	}
	return Bytes(b)
}

var emptyRange = rangeValue{empty: true}

// make checks the bounds, finds out whether nothing is between them, and makes the canonical form.
func (k *rangeKind) make(lower, upper rangeBound) (rangeValue, error) {
	lower.lower, upper.lower = true, false
	if lower.infinite {
		lower.inclusive = false
	}
	if upper.infinite {
		upper.inclusive = false
	}
	r := rangeValue{lower: lower, upper: upper}
	if !lower.infinite && !upper.infinite {
		c := k.cmp(lower.val, upper.val)
		if c > 0 {
			return r, pgerr.New(pgerr.DataException, "range lower bound must be less than or equal to range upper bound")
		}
		if c == 0 && !(lower.inclusive && upper.inclusive) {
			return emptyRange, nil
		}
	}
	if k.info.Canonical == "" {
		return r, nil
	}
	return k.canonical(r)
}

// canonical applies the type's canonical function; those of the built-in types are known here.
func (k *rangeKind) canonical(r rangeValue) (rangeValue, error) {
	var next func(Datum) (Datum, error)
	switch k.info.Canonical {
	case "int4range_canonical":
		next = func(d Datum) (Datum, error) {
			if d.Int4() == math.MaxInt32 {
				return Null, copyErr(errInt4Range)
			}
			return Int4(d.Int4() + 1), nil
		}
	case "int8range_canonical":
		next = func(d Datum) (Datum, error) { return add8(d.Int8(), 1) }
	case "daterange_canonical":
		next = func(d Datum) (Datum, error) {
			if dateIsInfinite(d.Int4()) {
				return Null, nil
			}
			return dateAdd(d.Int4(), 1)
		}
	default:
		d, err := CallFunc(k.env, k.info.Canonical, k.datum(r))
		if err != nil {
			return r, err
		}
		return k.open(d), nil
	}
	step := func(b *rangeBound, when bool) error {
		if b.infinite || b.inclusive != when {
			return nil
		}
		v, err := next(b.val)
		if err == nil && !v.IsNull() {
			b.val, b.inclusive = v, !when
		}
		return err
	}
	if err := step(&r.lower, false); err != nil {
		return r, err
	}
	if err := step(&r.upper, true); err != nil {
		return r, err
	}
	if !r.lower.infinite && !r.upper.infinite && k.cmp(r.lower.val, r.upper.val) >= 0 && !(r.lower.inclusive && r.upper.inclusive) {
		return emptyRange, nil
	}
	return r, nil
}

// compareBounds orders two bounds by where they stand on the line.
func (k *rangeKind) compareBounds(a, b *rangeBound) int {
	side := func(x *rangeBound, lower, upper int) int {
		if x.lower {
			return lower
		}
		return upper
	}
	switch {
	case a.infinite && b.infinite:
		if a.lower == b.lower {
			return 0
		}
		return side(a, -1, 1)
	case a.infinite:
		return side(a, -1, 1)
	case b.infinite:
		return side(b, 1, -1)
	}
	if c := k.cmp(a.val, b.val); c != 0 {
		return c
	}
	switch {
	case !a.inclusive && !b.inclusive:
		if a.lower == b.lower {
			return 0
		}
		return side(a, 1, -1)
	case !a.inclusive:
		return side(a, 1, -1)
	case !b.inclusive:
		return side(b, -1, 1)
	}
	return 0
}

// compare orders ranges: the empty one first, then by lower and upper bound.
func (k *rangeKind) compare(a, b *rangeValue) int {
	switch {
	case a.empty && b.empty:
		return 0
	case a.empty:
		return -1
	case b.empty:
		return 1
	}
	if c := k.compareBounds(&a.lower, &b.lower); c != 0 {
		return c
	}
	return k.compareBounds(&a.upper, &b.upper)
}

// adjacentBounds says whether there is nothing between an upper and a lower bound, and nothing common.
func (k *rangeKind) adjacentBounds(upper, lower rangeBound) bool {
	if upper.infinite || lower.infinite {
		return false
	}
	c := k.cmp(upper.val, lower.val)
	if c == 0 {
		return upper.inclusive != lower.inclusive
	}
	if c > 0 || k.info.Canonical == "" {
		return false
	}
	upper.inclusive, lower.inclusive = !upper.inclusive, !lower.inclusive
	between, err := k.make(upper, lower)
	return err == nil && between.empty
}

// hash gives the 32-bit hash of a range whose bounds hash by h.
func (k *rangeKind) hash(r *rangeValue, h HashFunc) uint32 {
	v := HashUint32(uint32(r.flags()))
	if !r.empty && !r.lower.infinite {
		v ^= h(r.lower.val)
	}
	v = bits.RotateLeft32(v, 1)
	if !r.empty && !r.upper.infinite {
		v ^= h(r.upper.val)
	}
	return v
}

// hashExt is the 64-bit form.
func (k *rangeKind) hashExt(r *rangeValue, seed uint64, x HashExtFunc) uint64 {
	v := HashUint32Ext(uint32(r.flags()), seed)
	if !r.empty && !r.lower.infinite {
		v ^= x(r.lower.val, seed)
	}
	v = v<<1&0xfffffffefffffffe | v>>31&0x100000001
	if !r.empty && !r.upper.infinite {
		v ^= x(r.upper.val, seed)
	}
	return v
}
