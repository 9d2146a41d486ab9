package btree

import (
	"bytes"
	"fmt"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/pagestore"
)

// Check verifies the whole index: levels are lists linked in both directions, keys ascend and lie between their page's bounds, every page has exactly
// one parent's entry whose key is its left neighbour's high key (but behind an incomplete split), every block is the meta page, in the tree,
// deleted, or never used. Nobody may change the index meanwhile.
func (ix *Index) Check(visit func(tid types.TID, values types.Row) error) error {
	root, lvl, err := ix.root()
	if err != nil {
		return err
	}
	c := &checker{ix: ix, visit: visit, seen: map[uint32]bool{metaBlock: true}}
	if root != noBlock {
		children := []childEntry{{block: root}}
		for l := int(lvl); l >= 0; l-- {
			if children, err = c.level(uint32(l), children); err != nil {
				return fmt.Errorf("index %q, level %d: %w", ix.def.Name, l, err)
			}
		}
	}
	return c.rest()
}

// childEntry is what a level says of the one below: a page, and the key that bounds it from below (nil = minus infinity).
type childEntry struct {
	block uint32
	key   index.Tuple
}

type checker struct {
	ix    *Index
	visit func(tid types.TID, values types.Row) error
	seen  map[uint32]bool
	w     work
}

func (c *checker) read(block uint32) ([]byte, error) {
	b, err := c.ix.pin(block)
	if err != nil {
		return nil, err
	}
	b.LockShared()
	defer b.UnlockUnpin()
	if err := c.ix.checkPage(b); err != nil {
		return nil, err
	}
	return bytes.Clone(b.Page()), nil
}

// level checks the pages of a level, for which the one above has these entries.
func (c *checker) level(lvl uint32, entries []childEntry) (below []childEntry, err error) {
	prev := uint32(noBlock)
	var prevHigh index.Tuple
	incomplete := false
	for block := entries[0].block; block != noBlock; {
		p, err := c.read(block)
		if err != nil {
			return nil, err
		}
		if c.seen[block] {
			return nil, fmt.Errorf("block %d is met twice", block)
		}
		c.seen[block] = true
		if err := c.checkLinks(p, block, prev, lvl); err != nil {
			return nil, err
		}
		switch {
		case len(entries) > 0 && entries[0].block == block:
			if k := entries[0].key; k != nil && !c.sameKey(k, prevHigh) {
				return nil, fmt.Errorf("block %d: the parent's key is not the left neighbour's high key", block)
			}
			entries = entries[1:]
		case !incomplete:
			return nil, fmt.Errorf("block %d has no entry in the parent", block)
		}
		if below, err = c.page(p, block, prevHigh, below); err != nil {
			return nil, fmt.Errorf("block %d: %w", block, err)
		}
		incomplete = flags(p)&flagIncompleteSplit != 0
		prevHigh = nil
		if !isRightmost(p) {
			prevHigh = item(p, highKeyOffset)
		}
		prev, block = block, rightOf(p)
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("the parent's entry for block %d leads nowhere", entries[0].block)
	}
	return below, nil
}

func (c *checker) checkLinks(p []byte, block, prev, lvl uint32) error {
	switch {
	case isDeleted(p):
		return fmt.Errorf("block %d is deleted", block)
	case level(p) != lvl || isLeaf(p) != (lvl == 0):
		return fmt.Errorf("block %d says that it is on level %d (leaf: %v)", block, level(p), isLeaf(p))
	case leftOf(p) != prev:
		return fmt.Errorf("block %d: left link to %d, not %d", block, leftOf(p), prev)
	}
	return nil
}

// sameKey says whether a parent's key is the left neighbour's high key. A deletion gives a page the key of the deleted one, which is that
// of the deleted page's left neighbour, so it always is.
func (c *checker) sameKey(key, high index.Tuple) bool {
	return high != nil && key.Size() == high.Size() && bytes.Equal(key[4:], high[4:])
}

// page checks the items of a page between the bounds low and its own high key.
func (c *checker) page(p []byte, block uint32, low index.Tuple, below []childEntry) ([]childEntry, error) {
	leaf := isLeaf(p)
	last := low // every item is above it, strictly
	first, n := firstData(p), page.MaxOffset(p)
	for off := first; off <= n; off++ {
		t := item(p, off)
		if leaf == isPivot(t) || t.Size() != len(t) {
			return nil, fmt.Errorf("item %d: bad header", off)
		}
		if leaf {
			if c.visit != nil {
				if err := c.visit(t.TID(), c.ix.deform(t, c.ix.natts, &c.w.rowA)); err != nil {
					return nil, err
				}
			}
		} else {
			e := childEntry{block: child(t), key: t}
			if off == first {
				if attrs(t, c.ix.natts) != 0 {
					return nil, fmt.Errorf("item %d is not minus infinity", off)
				}
				if e.key = low; low == nil {
					e.key = nil
				}
				below = append(below, e)
				continue
			}
			below = append(below, e)
		}
		if last != nil && c.compare(last, t) >= 0 {
			return nil, fmt.Errorf("item %d is not above the one before", off)
		}
		last = t
	}
	if !isRightmost(p) && last != nil {
		high := item(p, highKeyOffset)
		if !isPivot(high) {
			return nil, fmt.Errorf("the high key is no pivot")
		}
		if d := c.compare(last, high); d > 0 || d == 0 && !leaf && n > first {
			return nil, fmt.Errorf("the last item is beyond the high key")
		}
	}
	return below, nil
}

// compare orders two tuples of any kind; columns and TIDs that one has not are minus infinity.
func (c *checker) compare(a, b index.Tuple) int {
	na, nb := attrs(a, c.ix.nkeys), attrs(b, c.ix.nkeys)
	na, nb = min(na, c.ix.nkeys), min(nb, c.ix.nkeys)
	ra, rb := c.ix.deform(a, na, &c.w.rowA), c.ix.deform(b, nb, &c.w.rowB)
	for i := range min(na, nb) {
		if d := c.ix.cols[i].compare(ra[i], rb[i]); d != 0 {
			return d
		}
	}
	if na != nb {
		return na - nb
	}
	ta, hasA := pivotTID(a)
	tb, hasB := pivotTID(b)
	switch {
	case !hasA || !hasB:
		if hasA == hasB {
			return 0
		}
		if hasA {
			return 1
		}
		return -1
	case ta.Less(tb):
		return -1
	case tb.Less(ta):
		return 1
	}
	return 0
}

// rest checks the blocks that are not in the tree.
func (c *checker) rest() error {
	for block := uint32(0); block < c.ix.sh.rel.NumBlocks(); block++ {
		if c.seen[block] {
			continue
		}
		b, err := c.ix.pin(block)
		if err != nil {
			return err
		}
		b.LockShared()
		p := b.Page()
		ok := page.IsNew(p) || isDeleted(p)
		b.UnlockUnpin()
		if !ok {
			return fmt.Errorf("index %q: block %d is in no list", c.ix.def.Name, block)
		}
	}
	return nil
}

// Mask takes the hints out of a page, and what is left in its hole, for comparing memory with the store.
func Mask(_ pagestore.PageID, p []byte) {
	from, to := page.Hole(p)
	clear(p[from:to])
	if page.IsNew(p) || page.SpecialStart(p) != page.Size-specialSize || flags(p)&(flagMeta|flagDeleted) != 0 {
		return
	}
	le.PutUint16(p[offFlags:], flags(p)&^flagHasGarbage)
	for off, n := uint16(1), page.MaxOffset(p); off <= n; off++ {
		if id := page.Item(p, off); id.State() == page.Dead {
			le.PutUint32(p[page.ItemOffset(off):], uint32(page.MakeItemID(id.Off(), page.Normal, id.Len())))
		}
	}
}
