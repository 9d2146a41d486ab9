package types

import "github.com/calfdb/calf/sql/pgerr"

// Operators and functions of ranges.

// The relations between two ranges that are not empty.

func (k *rangeKind) before(a, b *rangeValue) bool { return k.compareBounds(&a.upper, &b.lower) < 0 }

func (k *rangeKind) overlaps(a, b *rangeValue) bool {
	if a.empty || b.empty {
		return false
	}
	return k.compareBounds(&a.lower, &b.upper) <= 0 && k.compareBounds(&b.lower, &a.upper) <= 0
}

func (k *rangeKind) adjacent(a, b *rangeValue) bool {
	return k.adjacentBounds(a.upper, b.lower) || k.adjacentBounds(b.upper, a.lower)
}

func (k *rangeKind) overleft(a, b *rangeValue) bool  { return k.compareBounds(&a.upper, &b.upper) <= 0 }
func (k *rangeKind) overright(a, b *rangeValue) bool { return k.compareBounds(&a.lower, &b.lower) >= 0 }

func (k *rangeKind) contains(a, b *rangeValue) bool {
	switch {
	case b.empty:
		return true
	case a.empty:
		return false
	}
	return k.compareBounds(&a.lower, &b.lower) <= 0 && k.compareBounds(&a.upper, &b.upper) >= 0
}

func (k *rangeKind) containsElem(r *rangeValue, v Datum) bool {
	if r.empty {
		return false
	}
	if !r.lower.infinite {
		if c := k.cmp(r.lower.val, v); c > 0 || c == 0 && !r.lower.inclusive {
			return false
		}
	}
	if !r.upper.infinite {
		if c := k.cmp(r.upper.val, v); c < 0 || c == 0 && !r.upper.inclusive {
			return false
		}
	}
	return true
}

// union joins two ranges; strict wants them to have no gap.
func (k *rangeKind) union(a, b rangeValue, strict bool) (rangeValue, error) {
	switch {
	case a.empty:
		return b, nil
	case b.empty:
		return a, nil
	case strict && !k.overlaps(&a, &b) && !k.adjacent(&a, &b):
		return emptyRange, pgerr.New(pgerr.DataException, "result of range union would not be contiguous")
	}
	if k.compareBounds(&b.lower, &a.lower) < 0 {
		a.lower = b.lower
	}
	if k.compareBounds(&b.upper, &a.upper) > 0 {
		a.upper = b.upper
	}
	return k.make(a.lower, a.upper)
}

func (k *rangeKind) intersect(a, b rangeValue) (rangeValue, error) {
	if !k.overlaps(&a, &b) {
		return emptyRange, nil
	}
	if k.compareBounds(&b.lower, &a.lower) > 0 {
		a.lower = b.lower
	}
	if k.compareBounds(&b.upper, &a.upper) < 0 {
		a.upper = b.upper
	}
	return k.make(a.lower, a.upper)
}

func (k *rangeKind) minus(a, b rangeValue) (rangeValue, error) {
	if a.empty || b.empty || !k.overlaps(&a, &b) {
		return a, nil
	}
	low, high := k.compareBounds(&a.lower, &b.lower), k.compareBounds(&a.upper, &b.upper)
	switch {
	case low < 0 && high > 0:
		return emptyRange, pgerr.New(pgerr.DataException, "result of range difference would not be contiguous")
	case low >= 0 && high <= 0:
		return emptyRange, nil
	case low <= 0:
		b.lower.inclusive = !b.lower.inclusive
		return k.make(a.lower, b.lower)
	}
	b.upper.inclusive = !b.upper.inclusive
	return k.make(b.upper, a.upper)
}

// rangeFunc2 registers a function of two ranges.
func rangeFunc2(name string, f func(k *rangeKind, a, b rangeValue) (Datum, error)) {
	RegisterFunc(name, func(c *Call) (Datum, error) {
		k, err := rangeKindFor(c, c.Args[0].rangeType())
		if err != nil {
			return Null, err
		}
		if c.Args[1].rangeType() != k.info.Range {
			return Null, pgerr.Internal("range types do not match")
		}
		return f(k, k.open(c.Args[0]), k.open(c.Args[1]))
	})
}

// rangeTest registers a relation that no empty range has.
func rangeTest(name string, test func(k *rangeKind, a, b *rangeValue) bool) {
	rangeFunc2(name, func(k *rangeKind, a, b rangeValue) (Datum, error) {
		return Bool(!a.empty && !b.empty && test(k, &a, &b)), nil
	})
}

func rangeFunc1(name string, f func(r rangeValue) Datum) {
	RegisterFunc(name, func(c *Call) (Datum, error) {
		k, err := rangeKindFor(c, c.Args[0].rangeType())
		if err != nil {
			return Null, err
		}
		return f(k.open(c.Args[0])), nil
	})
}

func (k *rangeKind) result(r rangeValue, err error) (Datum, error) {
	if err != nil {
		return Null, err
	}
	return k.datum(r), nil
}

func init() {
	for op, test := range map[string]func(int) bool{"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool { return c != 0 },
		"lt": func(c int) bool { return c < 0 }, "le": func(c int) bool { return c <= 0 }, "gt": func(c int) bool { return c > 0 },
		"ge": func(c int) bool { return c >= 0 }} {
		rangeFunc2("range_"+op, func(k *rangeKind, a, b rangeValue) (Datum, error) { return Bool(test(k.compare(&a, &b))), nil })
	}
	rangeTest("range_before", (*rangeKind).before)
	rangeTest("range_after", func(k *rangeKind, a, b *rangeValue) bool { return k.before(b, a) })
	rangeTest("range_adjacent", (*rangeKind).adjacent)
	rangeTest("range_overlaps", (*rangeKind).overlaps)
	rangeTest("range_overleft", (*rangeKind).overleft)
	rangeTest("range_overright", (*rangeKind).overright)
	rangeFunc2("range_contains", func(k *rangeKind, a, b rangeValue) (Datum, error) { return Bool(k.contains(&a, &b)), nil })
	rangeFunc2("range_contained_by", func(k *rangeKind, a, b rangeValue) (Datum, error) { return Bool(k.contains(&b, &a)), nil })
	elemTest := func(name string, rangeArg int) {
		RegisterFunc(name, func(c *Call) (Datum, error) {
			k, err := rangeKindFor(c, c.Args[rangeArg].rangeType())
			if err != nil {
				return Null, err
			}
			r := k.open(c.Args[rangeArg])
			return Bool(k.containsElem(&r, c.Args[1-rangeArg])), nil
		})
	}
	elemTest("range_contains_elem", 0)
	elemTest("elem_contained_by_range", 1)
	rangeFunc2("range_union", func(k *rangeKind, a, b rangeValue) (Datum, error) { return k.result(k.union(a, b, true)) })
	rangeFunc2("range_merge", func(k *rangeKind, a, b rangeValue) (Datum, error) { return k.result(k.union(a, b, false)) })
	rangeFunc2("range_minus", func(k *rangeKind, a, b rangeValue) (Datum, error) { return k.result(k.minus(a, b)) })
	for _, n := range []string{"range_intersect", "range_intersect_agg_transfn"} {
		rangeFunc2(n, func(k *rangeKind, a, b rangeValue) (Datum, error) { return k.result(k.intersect(a, b)) })
	}
	rangeFunc1("range_empty", func(r rangeValue) Datum { return Bool(r.empty) })
	rangeFunc1("range_lower_inc", func(r rangeValue) Datum { return Bool(!r.empty && r.lower.inclusive) })
	rangeFunc1("range_upper_inc", func(r rangeValue) Datum { return Bool(!r.empty && r.upper.inclusive) })
	rangeFunc1("range_lower_inf", func(r rangeValue) Datum { return Bool(!r.empty && r.lower.infinite) })
	rangeFunc1("range_upper_inf", func(r rangeValue) Datum { return Bool(!r.empty && r.upper.infinite) })
	rangeFunc1("range_lower", func(r rangeValue) Datum { return boundOrNull(r.empty, r.lower) })
	rangeFunc1("range_upper", func(r rangeValue) Datum { return boundOrNull(r.empty, r.upper) })
	RegisterFunc("range_constructor2", func(c *Call) (Datum, error) { return constructRange(c, "[)") })
	RegisterFunc("range_constructor3", func(c *Call) (Datum, error) {
		if c.Args[2].IsNull() {
			return Null, pgerr.New(pgerr.DataException, "range constructor flags argument must not be null")
		}
		return constructRange(c, c.Args[2].Str())
	})
	registerRangeSupport()
}

func boundOrNull(empty bool, b rangeBound) Datum {
	if empty || b.infinite {
		return Null
	}
	return b.val
}

func constructRange(c *Call, flags string) (Datum, error) {
	if len(flags) != 2 || flags[0] != '[' && flags[0] != '(' || flags[1] != ']' && flags[1] != ')' {
		return Null, pgerr.New(pgerr.SyntaxError, "invalid range bound flags").
			WithHint("Valid values are \"[]\", \"[)\", \"(]\", and \"()\".")
	}
	k, err := rangeKindFor(c, c.RetType)
	if err != nil {
		return Null, err
	}
	lower := rangeBound{val: c.Args[0], infinite: c.Args[0].IsNull(), inclusive: flags[0] == '['}
	upper := rangeBound{val: c.Args[1], infinite: c.Args[1].IsNull(), inclusive: flags[1] == ']'}
	return k.result(k.make(lower, upper))
}

// registerRangeSupport registers the built-in types' canonical and difference functions.
func registerRangeSupport() {
	for _, n := range []string{"int4range_canonical", "int8range_canonical", "daterange_canonical"} {
		RegisterFunc(n, func(c *Call) (Datum, error) {
			k, err := rangeKindFor(c, c.Args[0].rangeType())
			if err != nil {
				return Null, err
			}
			r := k.open(c.Args[0])
			if r.empty {
				return c.Args[0], nil
			}
			return k.result(k.make(r.lower, r.upper))
		})
	}
	diff := func(name string, f func(a, b Datum) float64) {
		RegisterFunc(name, func(c *Call) (Datum, error) { return Float8(f(c.Args[0], c.Args[1])), nil })
	}
	diff("int4range_subdiff", func(a, b Datum) float64 { return float64(a.Int4()) - float64(b.Int4()) })
	diff("int8range_subdiff", func(a, b Datum) float64 { return float64(a.Int8()) - float64(b.Int8()) })
	diff("daterange_subdiff", func(a, b Datum) float64 { return float64(a.Int4()) - float64(b.Int4()) })
	for _, n := range []string{"tsrange_subdiff", "tstzrange_subdiff"} {
		diff(n, func(a, b Datum) float64 { return (float64(a.Int8()) - float64(b.Int8())) / 1e6 })
	}
	RegisterFunc("numrange_subdiff", func(c *Call) (Datum, error) {
		return Float8(addNumeric(c.Args[0].Numeric(), negNumeric(c.Args[1].Numeric())).Float8()), nil
	})
}
