package query

import (
	"slices"

	"github.com/calfdb/calf/sql/types"
)

// ExpandGroupingSets gives the plain list of grouping sets of GROUP BY, each a list of references, shortest first; nil when there are more than
// max (max < 0: no limit). With distinct, equal sets are listed once.
func ExpandGroupingSets(tree []*GroupingSet, distinct bool, max int) [][]uint32 {
	count := 1.0
	lists := make([][][]uint32, len(tree))
	for i, g := range tree {
		lists[i] = expandSet(g)
		if count *= float64(len(lists[i])); max >= 0 && count > float64(max) {
			return nil
		}
	}
	result := [][]uint32{nil}
	for _, list := range lists {
		var next [][]uint32
		for _, a := range result {
			for _, b := range list {
				next = append(next, union(a, b))
			}
		}
		result = next
	}
	if !distinct || len(result) < 2 {
		types.QSort(result, func(a, b *[]uint32) int { return len(*a) - len(*b) })
		return result
	}
	for _, s := range result {
		slices.Sort(s)
	}
	types.QSort(result, func(a, b *[]uint32) int {
		if d := len(*a) - len(*b); d != 0 {
			return d
		}
		return slices.Compare(*a, *b)
	})
	return slices.CompactFunc(result, func(a, b []uint32) bool { return slices.Equal(a, b) })
}

// union is a followed by what of b it lacks.
func union(a, b []uint32) []uint32 {
	out := slices.Clone(a)
	for _, r := range b {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

func expandSet(g *GroupingSet) (out [][]uint32) {
	switch g.Kind {
	case GroupingEmpty:
		return [][]uint32{nil}
	case GroupingSimple:
		return [][]uint32{g.Refs}
	case GroupingRollup:
		for n := len(g.Sets); n >= 0; n-- {
			var s []uint32
			for _, m := range g.Sets[:n] {
				s = append(s, m.Refs...)
			}
			out = append(out, s)
		}
		return out
	case GroupingCube:
		for mask := 0; mask < 1<<len(g.Sets); mask++ {
			var s []uint32
			for i, m := range g.Sets {
				if mask>>i&1 == 1 {
					s = append(s, m.Refs...)
				}
			}
			out = append(out, s)
		}
		return out
	}
	for _, m := range g.Sets {
		out = append(out, expandSet(m)...)
	}
	return out
}
