package types

import (
	"sort"

	"github.com/calfdb/calf/sql/pgerr"
)

// Operators and functions of multiranges, among themselves and with ranges. An operand that is a range counts as its only range.

// multiFunc2 registers a function of two operands, each a range or a multirange by what its value says.
func multiFunc2(name string, f func(k *rangeKind, a, b []rangeValue) (Datum, error)) {
	RegisterFunc(name, func(c *Call) (Datum, error) {
		k, err := rangeKindFor(c, c.Args[0].rangeType())
		if err != nil {
			return Null, err
		}
		return f(k, k.operand(c.Args[0]), k.operand(c.Args[1]))
	})
}

// operand gives the ranges of a value, no empty ones.
func (k *rangeKind) operand(d Datum) []rangeValue {
	if d.rangeType() == k.info.Multirange {
		return k.openMulti(d)
	}
	r := k.open(d)
	if r.empty {
		return nil
	}
	return []rangeValue{r}
}

// span is the range from the first lower to the last upper bound.
func span(m []rangeValue) *rangeValue {
	return &rangeValue{lower: m[0].lower, upper: m[len(m)-1].upper}
}

// spanTest registers a relation of the outer bounds for all pairs of kinds but two ranges; the empty operand has none.
func spanTest(op string, test func(k *rangeKind, a, b []rangeValue) bool) {
	for _, name := range []string{"multirange_" + op + "_multirange", "multirange_" + op + "_range", "range_" + op + "_multirange"} {
		multiFunc2(name, func(k *rangeKind, a, b []rangeValue) (Datum, error) {
			return Bool(len(a) > 0 && len(b) > 0 && test(k, a, b)), nil
		})
	}
}

// firstReaching finds the first range of m whose upper bound is not below a lower bound.
func (k *rangeKind) firstReaching(m []rangeValue, lower *rangeBound) int {
	return sort.Search(len(m), func(i int) bool { return k.compareBounds(&m[i].upper, lower) >= 0 })
}

func (k *rangeKind) multiOverlaps(a, b []rangeValue) bool {
	for i := range b {
		if at := k.firstReaching(a, &b[i].lower); at < len(a) && k.overlaps(&a[at], &b[i]) {
			return true
		}
	}
	return false
}

// multiContains: each range of b lies in one of a.
func (k *rangeKind) multiContains(a, b []rangeValue) bool {
	for i := range b {
		if at := k.firstReaching(a, &b[i].lower); at >= len(a) || !k.contains(&a[at], &b[i]) {
			return false
		}
	}
	return true
}

func (k *rangeKind) multiMinus(a, b []rangeValue) ([]rangeValue, error) {
	var out []rangeValue
	for _, r := range a {
		for j := k.firstReaching(b, &r.lower); j < len(b) && !r.empty; j++ {
			cut := b[j]
			if !k.overlaps(&r, &cut) {
				break
			}
			var err error
			if k.compareBounds(&r.lower, &cut.lower) < 0 && k.compareBounds(&r.upper, &cut.upper) > 0 {
				left, right := cut.lower, cut.upper
				left.inclusive, right.inclusive = !left.inclusive, !right.inclusive
				head, e := k.make(r.lower, left)
				if e != nil {
					return nil, e
				}
				out = append(out, head)
				r, err = k.make(right, r.upper)
			} else {
				r, err = k.minus(r, cut)
			}
			if err != nil {
				return nil, err
			}
		}
		out = append(out, r)
	}
	return out, nil
}

func (k *rangeKind) multiIntersect(a, b []rangeValue) ([]rangeValue, error) {
	var out []rangeValue
	for i, j := 0, 0; i < len(a) && j < len(b); {
		r, err := k.intersect(a[i], b[j])
		if err != nil {
			return nil, err
		}
		out = append(out, r)
		if k.compareBounds(&a[i].upper, &b[j].upper) < 0 {
			i++
		} else {
			j++
		}
	}
	return out, nil
}

func (k *rangeKind) multiResult(ranges []rangeValue, err error) (Datum, error) {
	if err != nil {
		return Null, err
	}
	return k.makeMulti(ranges)
}

func init() {
	for op, test := range map[string]func(int) bool{"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool { return c != 0 },
		"lt": func(c int) bool { return c < 0 }, "le": func(c int) bool { return c <= 0 }, "gt": func(c int) bool { return c > 0 },
		"ge": func(c int) bool { return c >= 0 }} {
		multiFunc2("multirange_"+op, func(k *rangeKind, a, b []rangeValue) (Datum, error) { return Bool(test(k.compareMulti(a, b))), nil })
	}
	spanTest("before", func(k *rangeKind, a, b []rangeValue) bool { return k.before(span(a), span(b)) })
	spanTest("after", func(k *rangeKind, a, b []rangeValue) bool { return k.before(span(b), span(a)) })
	spanTest("adjacent", func(k *rangeKind, a, b []rangeValue) bool { return k.adjacent(span(a), span(b)) })
	spanTest("overleft", func(k *rangeKind, a, b []rangeValue) bool { return k.overleft(span(a), span(b)) })
	spanTest("overright", func(k *rangeKind, a, b []rangeValue) bool { return k.overright(span(a), span(b)) })
	spanTest("overlaps", (*rangeKind).multiOverlaps)
	containment := func(name string, flip bool) {
		multiFunc2(name, func(k *rangeKind, a, b []rangeValue) (Datum, error) {
			if flip {
				a, b = b, a
			}
			return Bool(k.multiContains(a, b)), nil
		})
	}
	containment("multirange_contains_multirange", false)
	containment("multirange_contains_range", false)
	containment("range_contains_multirange", false)
	containment("multirange_contained_by_multirange", true)
	containment("multirange_contained_by_range", true)
	containment("range_contained_by_multirange", true)
	elemTest := func(name string, multiArg int) {
		RegisterFunc(name, func(c *Call) (Datum, error) {
			k, err := rangeKindFor(c, c.Args[multiArg].rangeType())
			if err != nil {
				return Null, err
			}
			m, v := k.openMulti(c.Args[multiArg]), c.Args[1-multiArg]
			at := k.firstReaching(m, &rangeBound{val: v, inclusive: true, lower: true})
			return Bool(at < len(m) && k.containsElem(&m[at], v)), nil
		})
	}
	elemTest("multirange_contains_elem", 0)
	elemTest("elem_contained_by_multirange", 1)
	multiFunc2("multirange_union", func(k *rangeKind, a, b []rangeValue) (Datum, error) {
		return k.makeMulti(append(append([]rangeValue(nil), a...), b...))
	})
	multiFunc2("multirange_minus", func(k *rangeKind, a, b []rangeValue) (Datum, error) { return k.multiResult(k.multiMinus(a, b)) })
	for _, n := range []string{"multirange_intersect", "multirange_intersect_agg_transfn"} {
		multiFunc2(n, func(k *rangeKind, a, b []rangeValue) (Datum, error) { return k.multiResult(k.multiIntersect(a, b)) })
	}
	registerMultiParts()
	registerMultiConstructors()
	registerRangeAggregates()
}

func multiFunc1(name string, f func(k *rangeKind, m []rangeValue) Datum) {
	RegisterFunc(name, func(c *Call) (Datum, error) {
		k, err := rangeKindFor(c, c.Args[0].rangeType())
		if err != nil {
			return Null, err
		}
		return f(k, k.openMulti(c.Args[0])), nil
	})
}

func registerMultiParts() {
	part := func(name string, f func(s *rangeValue) Datum, ofEmpty Datum) {
		multiFunc1("multirange_"+name, func(_ *rangeKind, m []rangeValue) Datum {
			if len(m) == 0 {
				return ofEmpty
			}
			return f(span(m))
		})
	}
	part("empty", func(*rangeValue) Datum { return Bool(false) }, Bool(true))
	part("lower", func(s *rangeValue) Datum { return boundOrNull(false, s.lower) }, Null)
	part("upper", func(s *rangeValue) Datum { return boundOrNull(false, s.upper) }, Null)
	part("lower_inc", func(s *rangeValue) Datum { return Bool(s.lower.inclusive) }, Bool(false))
	part("upper_inc", func(s *rangeValue) Datum { return Bool(s.upper.inclusive) }, Bool(false))
	part("lower_inf", func(s *rangeValue) Datum { return Bool(s.lower.infinite) }, Bool(false))
	part("upper_inf", func(s *rangeValue) Datum { return Bool(s.upper.infinite) }, Bool(false))
	multiFunc1("range_merge_from_multirange", func(k *rangeKind, m []rangeValue) Datum {
		if len(m) == 0 {
			return k.datum(emptyRange)
		}
		return k.datum(*span(m))
	})
	RegisterSRF("multirange_unnest", func(c *Call) (Iterator, error) {
		k, err := rangeKindFor(c, c.Args[0].rangeType())
		if err != nil {
			return nil, err
		}
		return &unnestRanges{k: k, ranges: k.openMulti(c.Args[0].Clone())}, nil
	})
}

// unnestRanges gives the ranges of a multirange.
type unnestRanges struct {
	k      *rangeKind
	ranges []rangeValue
}

func (u *unnestRanges) Next(row []Datum) (bool, error) {
	if len(u.ranges) == 0 {
		return false, nil
	}
	row[0] = u.k.datum(u.ranges[0])
	u.ranges = u.ranges[1:]
	return true, nil
}

func registerMultiConstructors() {
	RegisterFunc("multirange_constructor0", func(c *Call) (Datum, error) {
		k, err := rangeKindFor(c, c.RetType)
		if err != nil {
			return Null, err
		}
		return k.multiDatum(nil), nil
	})
	RegisterFunc("multirange_constructor1", func(c *Call) (Datum, error) {
		k, err := rangeKindFor(c, c.RetType)
		if err != nil {
			return Null, err
		}
		return k.makeMulti([]rangeValue{k.open(c.Args[0])})
	})
	RegisterFunc("multirange_constructor2", func(c *Call) (Datum, error) {
		k, err := rangeKindFor(c, c.RetType)
		if err != nil {
			return Null, err
		}
		ranges, err := k.rangesOfArray(c.Args[0])
		if err != nil {
			return Null, err
		}
		return k.makeMulti(ranges)
	})
}

func (k *rangeKind) rangesOfArray(arr Datum) ([]rangeValue, error) {
	if ArrayNDims(arr) > 1 {
		return nil, pgerr.New(pgerr.CardinalityViolation, "multiranges cannot be constructed from multidimensional arrays")
	}
	elem, err := k.env.TypeByOID(k.info.Range)
	if err != nil {
		return nil, err
	}
	elems, err := ArrayElements(elem, arr, nil)
	if err != nil {
		return nil, err
	}
	ranges := make([]rangeValue, len(elems))
	for i, e := range elems {
		if e.IsNull() {
			return nil, pgerr.New(pgerr.NullValueNotAllowed, "multirange values cannot contain null members")
		}
		ranges[i] = k.open(e)
	}
	return ranges, nil
}

// rangeAggState gathers ranges for range_agg.
type rangeAggState struct{ ranges []Datum }

func registerRangeAggregates() {
	gather := func(name string) {
		RegisterFunc(name, func(c *Call) (Datum, error) {
			s, ok := (*c.AggState).(*rangeAggState)
			if !ok {
				s = &rangeAggState{}
				*c.AggState = s
			}
			if !c.Args[1].IsNull() {
				s.ranges = append(s.ranges, c.Args[1].Clone())
			}
			return FromRaw(1), nil
		})
	}
	gather("range_agg_transfn")
	gather("multirange_agg_transfn")
	RegisterFunc("range_agg_finalfn", func(c *Call) (Datum, error) {
		s, ok := (*c.AggState).(*rangeAggState)
		if !ok || len(s.ranges) == 0 {
			return Null, nil
		}
		k, err := rangeKindFor(c, s.ranges[0].rangeType())
		if err != nil {
			return Null, err
		}
		var all []rangeValue
		for _, d := range s.ranges {
			all = append(all, k.operand(d)...)
		}
		return k.makeMulti(all)
	})
}
