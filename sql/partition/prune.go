package partition

import (
	"sort"

	"github.com/calfdb/calf/sql/types"
)

// CondKind says what a Cond is.
type CondKind uint8

const (
	CondColumns CondKind = iota // comparisons of key columns, all of which hold
	CondAnd
	CondOr
	CondNone // it can't hold
	CondAll  // nothing is known
)

// Cond is a condition on the partition key, as far as it helps to leave partitions out.
type Cond struct {
	Kind  CondKind
	Args  []*Cond    // CondAnd, CondOr
	Terms []CondTerm // CondColumns
}

// TermKind says what a CondTerm is.
type TermKind uint8

const (
	TermCompare TermKind = iota
	TermIsNull
	TermNotNull
	TermNotEqual // list only
)

// CondTerm is one condition on one key column.
type CondTerm struct {
	Kind     TermKind
	Col      int
	Strategy int16             // TermCompare
	Value    int               // number of the value among those that the evaluation is given
	Compare  types.CompareFunc // key value with value; list and range
	HashExt  types.HashExtFunc // of the value; hash
}

// ValueFunc gives a value by number; ok is false when it is not known (yet).
type ValueFunc func(n int) (d types.Datum, ok bool, err error)

// Set says which partitions of a Desc are wanted.
type Set []bool

// bounds says which bounds, and so which partitions, rows can be in: by place in Index; and whether the default partition and that of NULL.
type bounds struct {
	at        []bool
	def, null bool
}

func (d *Desc) every() *bounds {
	b := &bounds{at: make([]bool, len(d.Index)), def: true, null: true}
	for i := range b.at {
		b.at[i] = true
	}
	return b
}

func (d *Desc) none() *bounds { return &bounds{at: make([]bool, len(d.Index))} }

func (b *bounds) and(c *bounds) {
	for i := range b.at {
		b.at[i] = b.at[i] && c.at[i]
	}
	b.def, b.null = b.def && c.def, b.null && c.null
}

func (b *bounds) or(c *bounds) {
	for i := range b.at {
		b.at[i] = b.at[i] || c.at[i]
	}
	b.def, b.null = b.def || c.def, b.null || c.null
}

// keep leaves the places from lo up to but not hi.
func (b *bounds) keep(lo, hi int) {
	for i := range b.at {
		b.at[i] = b.at[i] && i >= lo && i < hi
	}
}

// Matching gives the partitions that can hold rows for which the condition is true.
func (d *Desc) Matching(c *Cond, values ValueFunc) (Set, error) {
	b, err := d.matching(c, values)
	if err != nil {
		return nil, err
	}
	out := make(Set, len(d.Parts))
	for i, ok := range b.at {
		switch {
		case !ok:
		case d.Index[i] >= 0:
			out[d.Index[i]] = true
		default: // a gap of range bounds
			b.def = true
		}
	}
	if b.def && d.Default >= 0 {
		out[d.Default] = true
	}
	if b.null && d.Null >= 0 {
		out[d.Null] = true
	}
	return out, nil
}

func (d *Desc) matching(c *Cond, values ValueFunc) (*bounds, error) {
	switch c.Kind {
	case CondNone:
		return d.none(), nil
	case CondAll:
		return d.every(), nil
	case CondColumns:
		return d.columns(c.Terms, values)
	}
	out, combine := d.every(), (*bounds).and
	if c.Kind == CondOr {
		out, combine = d.none(), (*bounds).or
	}
	for _, a := range c.Args {
		b, err := d.matching(a, values)
		if err != nil {
			return nil, err
		}
		combine(out, b)
	}
	return out, nil
}

// knownTerm is a term with its value.
type knownTerm struct {
	*CondTerm
	v types.Datum
}

func (d *Desc) columns(terms []CondTerm, values ValueFunc) (*bounds, error) {
	var known []knownTerm
	for i := range terms {
		t := knownTerm{CondTerm: &terms[i]}
		if t.Kind == TermCompare || t.Kind == TermNotEqual {
			v, ok, err := values(t.Value)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			if v.IsNull() { // the operators are strict
				return d.none(), nil
			}
			t.v = v
		}
		known = append(known, t)
	}
	if len(known) == 0 {
		return d.every(), nil
	}
	switch d.Key.Strategy {
	case Hash:
		return d.hashBounds(known), nil
	case List:
		return d.listBounds(known), nil
	}
	return d.rangeBounds(known), nil
}

// hashBounds: one partition when every column is known to be equal to something, or null.
func (d *Desc) hashBounds(terms []knownTerm) *bounds {
	n := len(d.Key.Cols)
	out := d.every()
	byCol := make([][]knownTerm, n)
	for _, t := range terms {
		if t.Kind == TermIsNull || t.Kind == TermCompare && t.Strategy == equal {
			byCol[t.Col] = append(byCol[t.Col], t)
		}
	}
	for _, c := range byCol {
		if len(c) == 0 {
			return out
		}
	}
	pick := make([]knownTerm, n)
	for col := range byCol { // each equality once, with the first ones of the other columns
		for k, t := range byCol[col] {
			if k == 0 && col > 0 {
				continue
			}
			for i := range pick {
				pick[i] = byCol[i][0]
			}
			pick[col] = t
			var h uint64
			for _, p := range pick {
				if p.Kind == TermCompare {
					h = Combine(h, p.HashExt(p.v, HashSeed))
				}
			}
			if len(d.Index) > 0 {
				at := int(h % uint64(len(d.Index)))
				out.keep(at, at+1)
			}
		}
	}
	return out
}

func (d *Desc) listBounds(terms []knownTerm) *bounds {
	out := d.every()
	for _, t := range terms {
		lo := func() int {
			return sort.Search(len(d.Values), func(i int) bool { return t.Compare(d.Values[i], t.v) >= 0 })
		}
		hi := func() int {
			return sort.Search(len(d.Values), func(i int) bool { return t.Compare(d.Values[i], t.v) > 0 })
		}
		if t.Kind == TermIsNull {
			out.keep(0, 0)
			out.def = out.def && d.Null < 0
			continue
		}
		out.null = false
		switch {
		case t.Kind == TermNotNull:
		case t.Kind == TermNotEqual:
			for i := lo(); i < hi(); i++ {
				out.at[i] = false
			}
		case t.Strategy == less:
			out.keep(0, lo())
		case t.Strategy == lessEqual:
			out.keep(0, hi())
		case t.Strategy == greaterEqual:
			out.keep(lo(), len(out.at))
		case t.Strategy == greater:
			out.keep(hi(), len(out.at))
		default:
			l, h := lo(), hi()
			out.keep(l, h)
			out.def = out.def && l == h
		}
	}
	return out
}

// rangeBounds: equalities of the leading columns, and with them what is said of the column behind.
func (d *Desc) rangeBounds(terms []knownTerm) *bounds {
	n := len(d.Key.Cols)
	byCol := make([][]knownTerm, n)
	for _, t := range terms {
		switch t.Kind {
		case TermIsNull: // only the default partition takes nulls
			out := d.none()
			out.def = true
			return out
		case TermCompare:
			byCol[t.Col] = append(byCol[t.Col], t)
		}
	}
	out := d.every()
	// Prefixes to compare a column with: the columns before it are equal to values, or at most (at least) these.
	prefixes := map[int16][]knownTerm{equal: {}, lessEqual: {}, greaterEqual: {}}
	for col := 0; col < n && len(prefixes) > 0; col++ {
		next := map[int16]knownTerm{}
		for _, t := range byCol[col] {
			if _, known := next[t.Strategy]; !known {
				next[t.Strategy] = t
			}
			side := t.Strategy
			switch side {
			case less:
				side = lessEqual
			case greater:
				side = greaterEqual
			}
			if p, ok := prefixes[side]; ok {
				d.narrow(out, append(p[:len(p):len(p)], t))
			}
		}
		for side, p := range prefixes {
			t, ok := next[side]
			if eq, both := next[equal]; both {
				t, ok = eq, true
			}
			if !ok {
				delete(prefixes, side)
				continue
			}
			prefixes[side] = append(p[:len(p):len(p)], t)
		}
	}
	return out
}

// narrow leaves in out the bounds of rows whose leading key columns are equal to the terms' values, but for the last term, whose strategy says how
// it compares.
func (d *Desc) narrow(out *bounds, terms []knownTerm) {
	n := len(terms)
	full := n == len(d.Key.Cols)
	if full { // else a column behind may be null
		out.def = false
	}
	compare := func(i int) int {
		b := &d.Bounds[i]
		for k := range terms {
			if b.Kinds[k] != 0 {
				return b.Kinds[k]
			}
			if c := terms[k].Compare(b.Values[k], terms[k].v); c != 0 {
				return c
			}
		}
		return 0
	}
	below := sort.Search(len(d.Bounds), func(i int) bool { return compare(i) >= 0 })
	notAbove := sort.Search(len(d.Bounds), func(i int) bool { return compare(i) > 0 })
	// first is the partition of the smallest row with these values, notAbove that of the greatest.
	first := below
	switch {
	case full:
		first = notAbove
	case below < notAbove && terms[n-1].Strategy == equal && d.Bounds[below].Kinds[n] < 0: // nothing with these values is below that bound
		first++
	}
	lo, hi := 0, len(d.Bounds)
	switch terms[n-1].Strategy {
	case less:
		hi = below
	case lessEqual:
		hi = notAbove
	case equal:
		lo, hi = first, notAbove
	case greaterEqual:
		lo = first
	case greater:
		lo = notAbove
	}
	// There is nothing below MINVALUE or above MAXVALUE that the default partition could have. (PostgreSQL looks at the last column here, and so
	// leaves out a default partition that has the rows.)
	if lo < len(d.Bounds) && d.Index[lo] < 0 && d.Bounds[lo].Kinds[0] < 0 {
		lo++
	}
	if hi >= 1 && d.Index[hi] < 0 && d.Bounds[hi-1].Kinds[0] > 0 {
		hi--
	}
	out.keep(lo, hi+1)
}
