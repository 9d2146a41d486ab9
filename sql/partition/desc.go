package partition

import (
	"sort"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Desc are the partitions of a table, in the order of their bounds.
type Desc struct {
	Key   *Key
	Parts []catalog.Partition
	// Default and Null are the places in Parts of the default partition and of the one for NULL (list), -1 = none.
	Default, Null int

	// List: Values are sorted, and Index says whose they are. Range: bound i of Bounds ends partition Index[i], -1 where a gap ends; the last
	// of Index, behind all bounds, is -1. Hash: Index by remainder of the greatest modulus.
	Values []types.Datum
	Bounds []Bound
	Index  []int
	mods   []hashPart
}

type hashPart struct{ modulus, remainder, part int }

// Bound is a range bound: a lower one holds its own values, an upper one does not.
type Bound struct {
	Kinds  []int // -1 MINVALUE, 0 value, 1 MAXVALUE
	Values []types.Datum
	Lower  bool
}

// Of gives the partitions of a table, made once a descriptor.
func Of(cat catalog.Lookup, env *types.Env, rel *catalog.Relation) (*Desc, error) {
	d, err := rel.PartitionMemo(func() (any, error) { return newDesc(cat, env, rel) })
	if err != nil {
		return nil, err
	}
	return d.(*Desc), nil
}

func newDesc(cat catalog.Lookup, env *types.Env, rel *catalog.Relation) (*Desc, error) {
	k, err := NewKey(cat, env, rel)
	if err != nil {
		return nil, err
	}
	var parts []catalog.Partition
	for _, oid := range rel.Children {
		p, err := cat.Partition(oid)
		if err != nil {
			return nil, err
		}
		if p != nil && p.Bound != nil {
			parts = append(parts, *p)
		}
	}
	return New(k, parts)
}

// New puts partitions in order.
func New(k *Key, parts []catalog.Partition) (*Desc, error) {
	d := &Desc{Key: k, Default: -1, Null: -1}
	var def *catalog.Partition
	var rest []catalog.Partition
	for i := range parts {
		if parts[i].Bound.IsDefault {
			def = &parts[i]
			continue
		}
		rest = append(rest, parts[i])
	}
	switch k.Strategy {
	case Hash:
		d.hash(rest)
	case List:
		d.list(rest)
	case Range:
		d.ranges(rest)
	default:
		return nil, pgerr.Internal("unexpected partition strategy: %d", k.Strategy)
	}
	if def != nil {
		d.Default = len(d.Parts)
		d.Parts = append(d.Parts, *def)
	}
	return d, nil
}

func (d *Desc) hash(parts []catalog.Partition) {
	sort.Slice(parts, func(i, j int) bool {
		a, b := parts[i].Bound, parts[j].Bound
		if a.Modulus != b.Modulus {
			return a.Modulus < b.Modulus
		}
		return a.Remainder < b.Remainder
	})
	d.Parts = parts
	if len(parts) == 0 {
		return
	}
	greatest := int(parts[len(parts)-1].Bound.Modulus)
	d.Index = make([]int, greatest)
	for i := range d.Index {
		d.Index[i] = -1
	}
	for i := range parts {
		b := parts[i].Bound
		d.mods = append(d.mods, hashPart{int(b.Modulus), int(b.Remainder), i})
		for r := int(b.Remainder); r < greatest; r += int(b.Modulus) {
			d.Index[r] = i
		}
	}
}

func (d *Desc) list(parts []catalog.Partition) {
	type entry struct {
		v    types.Datum
		part int
	}
	var all []entry
	nullPart := -1
	for i := range parts {
		for _, e := range parts[i].Bound.List {
			c := e.(*query.Const)
			if c.Value.IsNull() {
				nullPart = i
				continue
			}
			all = append(all, entry{c.Value, i})
		}
	}
	compare := d.Key.Cols[0].Compare
	sort.SliceStable(all, func(i, j int) bool { return compare(all[i].v, all[j].v) < 0 })
	place := make([]int, len(parts))
	for i := range place {
		place[i] = -1
	}
	for _, e := range all {
		if place[e.part] < 0 {
			place[e.part] = len(d.Parts)
			d.Parts = append(d.Parts, parts[e.part])
		}
		d.Values, d.Index = append(d.Values, e.v), append(d.Index, place[e.part])
	}
	if nullPart < 0 {
		return
	}
	if place[nullPart] < 0 {
		place[nullPart] = len(d.Parts)
		d.Parts = append(d.Parts, parts[nullPart])
	}
	d.Null = place[nullPart]
}

func (d *Desc) ranges(parts []catalog.Partition) {
	type pair struct {
		lower, upper Bound
		part         catalog.Partition
	}
	pairs := make([]pair, len(parts))
	for i := range parts {
		b := parts[i].Bound
		pairs[i] = pair{MakeBound(b.Lower, true), MakeBound(b.Upper, false), parts[i]}
	}
	sort.Slice(pairs, func(i, j int) bool { c, _ := d.Key.CompareBounds(&pairs[i].lower, &pairs[j].lower); return c < 0 })
	for i := range pairs {
		p := &pairs[i]
		if n := len(d.Bounds); n == 0 || !d.Key.touches(&d.Bounds[n-1], &p.lower) {
			d.Bounds, d.Index = append(d.Bounds, p.lower), append(d.Index, -1)
		}
		d.Bounds, d.Index = append(d.Bounds, p.upper), append(d.Index, i)
		d.Parts = append(d.Parts, p.part)
	}
	d.Index = append(d.Index, -1)
}

// touches: a partition ends where the next one begins.
func (k *Key) touches(upper, lower *Bound) bool {
	for i := range k.Cols {
		if upper.Kinds[i] != lower.Kinds[i] {
			return false
		}
		if upper.Kinds[i] != 0 {
			return true
		}
		if k.Cols[i].Compare(upper.Values[i], lower.Values[i]) != 0 {
			return false
		}
	}
	return true
}

// MakeBound makes a bound of its catalog form.
func MakeBound(list []query.Expr, lower bool) Bound {
	b := Bound{Lower: lower, Kinds: make([]int, len(list)), Values: make([]types.Datum, len(list))}
	for i, e := range list {
		x := e.(*query.PartitionRangeDatum)
		b.Kinds[i] = x.Kind
		b.Values[i] = types.Null
		if x.Kind == 0 {
			b.Values[i] = x.Value.(*query.Const).Value
		}
	}
	return b
}

// CompareBounds orders two bounds: a lower bound comes after an upper one of the same values. col is the first column in which they differ.
func (k *Key) CompareBounds(a, b *Bound) (c, col int) {
	for i := range k.Cols {
		switch {
		case a.Kinds[i] < b.Kinds[i]:
			return -1, i
		case a.Kinds[i] > b.Kinds[i]:
			return 1, i
		case a.Kinds[i] != 0: // what follows MINVALUE or MAXVALUE says no more
			return sameValues(a, b, i)
		}
		if c := k.Cols[i].Compare(a.Values[i], b.Values[i]); c != 0 {
			return c, i
		}
	}
	return sameValues(a, b, len(k.Cols)-1)
}

func sameValues(a, b *Bound, col int) (int, int) {
	switch {
	case a.Lower == b.Lower:
		return 0, col
	case a.Lower:
		return 1, col
	}
	return -1, col
}

// CompareRow orders a bound and the leading values of a row's key: a bound with values equal to all of them gives 0.
func (k *Key) CompareRow(b *Bound, values []types.Datum) int {
	for i := range values {
		switch {
		case b.Kinds[i] < 0:
			return -1
		case b.Kinds[i] > 0:
			return 1
		}
		if c := k.Cols[i].Compare(b.Values[i], values[i]); c != 0 {
			return c
		}
	}
	return 0
}

// Find gives the place of the partition that a row with these key values belongs to, -1 = none.
func (d *Desc) Find(values []types.Datum) int {
	part := -1
	switch d.Key.Strategy {
	case Hash:
		if len(d.Index) == 0 {
			return -1
		}
		return d.Index[d.Key.HashOf(values)%uint64(len(d.Index))]
	case List:
		if v := values[0]; v.IsNull() {
			part = d.Null
		} else if i, ok := d.FindValue(v); ok {
			part = d.Index[i]
		}
	case Range:
		for _, v := range values {
			if v.IsNull() { // only the default partition takes nulls
				return d.Default
			}
		}
		part = d.Index[d.boundsNotAbove(values)]
	}
	if part < 0 {
		return d.Default
	}
	return part
}

// FindValue gives the place of a list value, or where it would be.
func (d *Desc) FindValue(v types.Datum) (int, bool) {
	compare := d.Key.Cols[0].Compare
	i := sort.Search(len(d.Values), func(i int) bool { return compare(d.Values[i], v) >= 0 })
	return i, i < len(d.Values) && compare(d.Values[i], v) == 0
}

// boundsNotAbove counts the range bounds that are not above a row: the next one ends the row's partition.
func (d *Desc) boundsNotAbove(values []types.Datum) int {
	return sort.Search(len(d.Bounds), func(i int) bool { return d.Key.CompareRow(&d.Bounds[i], values) > 0 })
}
