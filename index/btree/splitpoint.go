package btree

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/storage/page"
)

// usable is the room of a page for line pointers and items.
const usable = page.Size - page.HeaderSize - specialSize

// splitItems lists the data items of p with the new one at off among them.
func splitItems(p []byte, off uint16, newItem index.Tuple) []index.Tuple {
	first, n := firstData(p), page.MaxOffset(p)
	items := make([]index.Tuple, 0, int(n)+1)
	for o := first; o <= n; o++ {
		if o == off {
			items = append(items, newItem)
		}
		items = append(items, item(p, o))
	}
	if off > n {
		items = append(items, newItem)
	}
	return items
}

func space(t index.Tuple) int { return len(t) + page.ItemIDSize }

// splitPoint chooses how many of the items stay on the left page. As a rule the halves get equal room; the rightmost page of a level, where
// ascending keys come in, stays full to the fill factor, and so does a page of equal keys that grows at its end. Among the places near the
// best one, that whose separator needs the fewest columns is taken.
func (ix *Index) splitPoint(p []byte, items []index.Tuple, off uint16, w *work) int {
	leaf := isLeaf(p)
	leftShare := ix.leftShare(p, items, off, w)
	total := 0
	for _, t := range items {
		total += space(t)
	}
	rightHigh := 0
	if !isRightmost(p) {
		rightHigh = space(item(p, highKeyOffset))
	}
	// feasible gives how far a split before item s is from the wanted one, in bytes; ok = both pages fit.
	left := 0
	type candidate struct{ at, delta int }
	var cands []candidate
	best := -1
	for s := 1; s < len(items); s++ {
		left += space(items[s-1])
		high := space(items[s])
		if leaf {
			high += tidSize
		}
		right := total - left + rightHigh
		if !leaf {
			right -= len(items[s]) - index.HeaderSize // becomes minus infinity
		}
		leftFree, rightFree := usable-left-high, usable-right
		if leftFree < 0 || rightFree < 0 {
			continue
		}
		delta := (leftFree*leftShare - rightFree*(100-leftShare)) / 100
		if delta < 0 {
			delta = -delta
		}
		cands = append(cands, candidate{s, delta})
		if best < 0 || delta < cands[best].delta {
			best = len(cands) - 1
		}
	}
	if best < 0 {
		return -1
	}
	if !leaf {
		return cands[best].at
	}
	// Nearest first, look for a separator of fewer columns.
	choice, penalty := cands[best].at, ix.keepAttrs(items[cands[best].at-1], items[cands[best].at], w)
	reach := max(len(items)/20, 4)
	for d := 1; d <= reach && penalty > 1; d++ {
		for _, i := range [...]int{best - d, best + d} {
			if i < 0 || i >= len(cands) {
				continue
			}
			at := cands[i].at
			if k := ix.keepAttrs(items[at-1], items[at], w); k < penalty {
				choice, penalty = at, k
			}
		}
	}
	return choice
}

// leftShare is the percentage of all free room that the right page shall have: 50, or a fill factor.
func (ix *Index) leftShare(p []byte, items []index.Tuple, off uint16, w *work) int {
	switch {
	case isRightmost(p) && !isLeaf(p):
		return internalFill
	case isRightmost(p):
		return ix.fillfactor()
	case isLeaf(p) && off > page.MaxOffset(p) && ix.keepAttrs(items[0], items[len(items)-1], w) > ix.nkeys:
		return singleValueFill
	}
	return 50
}

func (ix *Index) fillfactor() int {
	if f := ix.def.Fillfactor; f > 0 {
		return f
	}
	return defaultFillfactor
}
