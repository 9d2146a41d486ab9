package hash

import (
	"bytes"
	"fmt"
	"math"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/pagestore"
)

// Check verifies the whole index: each bucket's primary page is where its number says, its chain is linked in both directions and no page is in two; pages are
// sorted; each entry is in the bucket that its hash code says, or one of a split's copies; a row is in the index once; the bitmap says of each overflow page whether it is in a chain;
// every block has one place; the count in memory, the one in the store and the number of entries agree. Nobody may change the index
// meanwhile.
func (ix *Index) Check(visit func(tid types.TID, values types.Row) error) error {
	if _, err := ix.meta(); err != nil {
		return err
	}
	c := &checker{ix: ix, visit: visit, use: map[uint32]string{metaBlock: "the metapage"}, rows: map[types.TID]uint32{}}
	if err := c.check(); err != nil {
		return fmt.Errorf("index %q: %w", ix.def.Name, err)
	}
	return nil
}

type checker struct {
	ix    *Index
	m     *meta
	visit func(tid types.TID, values types.Row) error
	use   map[uint32]string    // what each block is
	rows  map[types.TID]uint32 // entries that count, and their hash codes
	old   map[types.TID]uint32 // entries of the bucket that are another's
}

func (c *checker) check() error {
	p, err := c.read(metaBlock, flagMeta)
	if err != nil {
		return err
	}
	if c.m, err = c.ix.readMeta(p); err != nil {
		return err
	}
	if err := c.checkMeta(p); err != nil {
		return err
	}
	for bucket := range c.m.maxBucket + 1 {
		if err := c.bucket(bucket); err != nil {
			return fmt.Errorf("bucket %d: %w", bucket, err)
		}
	}
	if err := c.bitmaps(); err != nil {
		return err
	}
	if err := c.blocks(); err != nil {
		return err
	}
	return c.counts()
}

func (c *checker) read(block uint32, types uint16) ([]byte, error) {
	b, err := c.ix.pin(block)
	if err != nil {
		return nil, err
	}
	b.LockShared()
	defer b.UnlockUnpin()
	if err := c.ix.checkPage(b, types); err != nil {
		return nil, err
	}
	return bytes.Clone(b.Page()), nil
}

// checkMeta compares the metapage with its copy in memory and with itself.
func (c *checker) checkMeta(p []byte) error {
	m, mem := c.m, c.ix.sh.meta.Load()
	if m.maxBucket != mem.maxBucket || m.highMask != mem.highMask || m.lowMask != mem.lowMask || m.ovflPoint != mem.ovflPoint ||
		m.firstFree != mem.firstFree || m.spares != mem.spares || len(m.mapp) != len(mem.mapp) {
		return fmt.Errorf("the metapage is not what is kept of it in memory")
	}
	for i := uint32(1); i <= m.ovflPoint; i++ {
		if m.spares[i] < m.spares[i-1] {
			return fmt.Errorf("spares of phase %d are less than those before", i)
		}
	}
	if n := math.Float64frombits(le.Uint64(p[offNTuples:])); n < 0 || n != math.Floor(n) {
		return fmt.Errorf("the metapage has %v entries", n)
	}
	return nil
}

func (c *checker) take(block uint32, as string) error {
	if was, ok := c.use[block]; ok {
		return fmt.Errorf("block %d is %s and %s", block, was, as)
	}
	c.use[block] = as
	return nil
}

// bucket checks one chain.
func (c *checker) bucket(bucket uint32) error {
	block, prev := c.m.block(bucket), uint32(noBlock)
	c.old = map[types.TID]uint32{}
	want := uint16(flagBucket)
	var fl uint16
	for block != noBlock {
		p, err := c.read(block, want)
		if err != nil {
			return err
		}
		if err := c.take(block, fmt.Sprintf("in the chain of bucket %d", bucket)); err != nil {
			return err
		}
		if err := page.Check(p); err != nil {
			return fmt.Errorf("block %d: %w", block, err)
		}
		switch {
		case bucketOf(p) != bucket:
			return fmt.Errorf("block %d says that it is of bucket %d", block, bucketOf(p))
		case flags(p)&flagType != want:
			return fmt.Errorf("block %d has flags %#x", block, flags(p))
		case want == flagBucket:
			fl = flags(p)
			if err := c.stamp(p, bucket); err != nil {
				return err
			}
		case prevOf(p) != prev:
			return fmt.Errorf("block %d: previous block %d, should be %d", block, prevOf(p), prev)
		}
		if err := c.entries(p, block, bucket, fl); err != nil {
			return fmt.Errorf("block %d: %w", block, err)
		}
		prev, block, want = block, nextOf(p), flagOverflow
	}
	return c.pair(bucket, fl)
}

// stamp checks a primary page's stamp: the highest bucket when the bucket was made or split last.
func (c *checker) stamp(p []byte, bucket uint32) error {
	s := stamp(p)
	if s < bucket || s > c.m.maxBucket {
		return fmt.Errorf("stamp %d", s)
	}
	for bit := uint64(1); bucket|uint32(bit) <= c.m.maxBucket; bit <<= 1 {
		if child := bucket | uint32(bit); bit > uint64(bucket) && s < child {
			return fmt.Errorf("stamp %d, though bucket %d was split from it", s, child)
		}
	}
	return nil
}

func (c *checker) entries(p []byte, block, bucket uint32, fl uint16) error {
	last := uint32(0)
	for off, n := uint16(1), page.MaxOffset(p); off <= n; off++ {
		t := entryAt(p, off)
		if t == nil || t.Size() != entrySize {
			return fmt.Errorf("item %d is no entry", off)
		}
		e := read(t)
		if off > 1 && e.hash < last {
			return fmt.Errorf("item %d is out of order", off)
		}
		last = e.hash
		if c.m.bucket(e.hash) != bucket {
			if fl&(flagBeingSplit|flagNeedsCleanup) == 0 {
				return fmt.Errorf("item %d is of bucket %d", off, c.m.bucket(e.hash))
			}
			c.old[e.tid] = e.hash
			continue
		}
		if _, ok := c.rows[e.tid]; ok {
			return fmt.Errorf("item %d: row (%d,%d) is met twice", off, e.tid.Block, e.tid.Off)
		}
		c.rows[e.tid] = e.hash
		if c.visit != nil {
			if err := c.visit(e.tid, types.Row{types.Int4(int32(e.hash))}); err != nil {
				return err
			}
		}
	}
	return nil
}

// pair checks the old and the new bucket of a split against each other: what the old one still holds for the new one is there already once the split is
// finished; during a split it counts as the new one's, where it may be missing.
func (c *checker) pair(bucket uint32, fl uint16) error {
	if fl&(flagBeingSplit|flagNeedsCleanup) == 0 {
		return nil
	}
	next := c.m.newBucketOf(bucket)
	p, err := c.read(c.m.block(next), flagBucket)
	if err != nil {
		return err
	}
	if (flags(p)&flagPopulated != 0) != (fl&flagBeingSplit != 0) {
		return fmt.Errorf("flags %#x, but those of its new bucket %d are %#x", fl, next, flags(p))
	}
	there, err := c.peek(next)
	if err != nil {
		return err
	}
	for tid, h := range c.old {
		switch {
		case c.m.bucket(h) != next:
			return fmt.Errorf("row (%d,%d) is of bucket %d, into which this one was not split", tid.Block, tid.Off, c.m.bucket(h))
		case there[tid]:
		case fl&flagBeingSplit == 0:
			// A leftover may be of a row that vacuum removed from the new bucket since.
		default:
			c.rows[tid] = h
			if c.visit != nil {
				if err := c.visit(tid, types.Row{types.Int4(int32(h))}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// peek gives the rows in a bucket's chain.
func (c *checker) peek(bucket uint32) (map[types.TID]bool, error) {
	there := map[types.TID]bool{}
	want := uint16(flagBucket)
	for block := c.m.block(bucket); block != noBlock; want = flagOverflow {
		p, err := c.read(block, want)
		if err != nil {
			return nil, err
		}
		for off, n := uint16(1), page.MaxOffset(p); off <= n; off++ {
			t := entryAt(p, off)
			if t == nil {
				return nil, fmt.Errorf("block %d: item %d is no entry", block, off)
			}
			there[t.TID()] = true
		}
		block = nextOf(p)
	}
	return there, nil
}

// bitmaps checks that each overflow page in use is in a chain or a bitmap page, and each other one is not.
func (c *checker) bitmaps() error {
	n := c.m.overflowPages()
	if want := (n + bitmapMask) >> bitmapShift; int(want) != len(c.m.mapp) {
		return fmt.Errorf("%d bitmap pages for %d overflow pages", len(c.m.mapp), n)
	}
	for i, block := range c.m.mapp {
		p, err := c.read(block, flagBitmap)
		if err != nil {
			return err
		}
		if err := c.take(block, "a bitmap page"); err != nil {
			return err
		}
		if got := c.m.overflowBlock(uint32(i) << bitmapShift); got != block {
			return fmt.Errorf("bitmap page %d is at block %d, should be %d", i, block, got)
		}
		if err := c.bits(p, uint32(i)<<bitmapShift, n); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) bits(p []byte, base, n uint32) error {
	for bit := range uint32(bitmapMask + 1) {
		if base+bit >= n {
			if !isUsed(p, bit) {
				return fmt.Errorf("bit %d, of no page, is clear", base+bit)
			}
			continue
		}
		block := c.m.overflowBlock(base + bit)
		if back, ok := c.m.overflowBit(block); !ok || back != base+bit {
			return fmt.Errorf("block %d has bit %d, should be %d", block, back, base+bit)
		}
		_, inUse := c.use[block]
		switch {
		case inUse != isUsed(p, bit):
			return fmt.Errorf("the bitmap says of block %d that it is in use: %v", block, !inUse)
		case inUse:
		case base+bit < c.m.firstFree:
			return fmt.Errorf("block %d is free, but below the first free one", block)
		default:
			if err := c.take(block, "a free overflow page"); err != nil {
				return err
			}
		}
	}
	return nil
}

// blocks checks that what is left are bucket pages to come.
func (c *checker) blocks() error {
	for bucket := c.m.maxBucket + 1; bucket < totalBuckets(c.m.ovflPoint); bucket++ {
		if err := c.take(c.m.block(bucket), "a bucket page to come"); err != nil {
			return err
		}
	}
	n := c.ix.sh.rel.NumBlocks()
	if int(n) < len(c.use) {
		return fmt.Errorf("%d blocks, %d are in use", n, len(c.use))
	}
	for block := range n {
		if _, ok := c.use[block]; !ok && block < c.m.end() {
			return fmt.Errorf("block %d is nothing", block)
		}
	}
	return nil
}

func (c *checker) counts() error {
	n := int64(len(c.rows))
	if got := c.ix.sh.count.sum(); got != n {
		return fmt.Errorf("%d entries, but the count is %d", n, got)
	}
	stored, _, err := c.ix.sh.rel.Count()
	if err == nil && stored != n {
		err = fmt.Errorf("%d entries, but the stored count is %d", n, stored)
	}
	return err
}

// Mask takes the hints out of a page, and what is left in its hole, for comparing memory with the store.
func Mask(_ pagestore.PageID, p []byte) {
	from, to := page.Hole(p)
	clear(p[from:to])
	if page.IsNew(p) || page.SpecialStart(p) != page.Size-specialSize || flags(p)&(flagMeta|flagBitmap) != 0 {
		return
	}
	le.PutUint16(p[offFlags:], flags(p)&^flagHasDead)
	for off, n := uint16(1), page.MaxOffset(p); off <= n; off++ {
		if id := page.Item(p, off); id.State() == page.Dead {
			le.PutUint32(p[page.ItemOffset(off):], uint32(page.MakeItemID(id.Off(), page.Normal, id.Len())))
		}
	}
}

var _ index.Index = (*Index)(nil)
