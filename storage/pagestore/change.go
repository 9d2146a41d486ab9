package pagestore

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/calfdb/calf/storage/page"
)

// Change is a set of changes of pages and small keys that becomes visible and durable as one. Make one with Store.NewChange, fill it, hand it to
// Store.Apply, then Release it (or Reset it and fill it again). Keys and values are copied at once. Not for concurrent use.
//
// Pages are given by the buffer pool (buffer.Change); a user of small keys alone uses it directly.
type Change struct {
	s     *Store
	batch *pebble.Batch
	key   []byte
	slow  bool // holds a range deletion or the like
}

// NewChange returns an empty change for this store.
func (s *Store) NewChange() *Change {
	c := s.changes.Get().(*Change)
	if c.batch == nil {
		c.batch = s.db.NewBatch()
	}
	return c
}

// Release gives an applied or abandoned change back.
func (c *Change) Release() {
	c.Reset()
	c.s.changes.Put(c)
}

// Reset empties the change.
func (c *Change) Reset() {
	c.batch.Reset()
	c.slow = false
}

// Empty reports a change without content.
func (c *Change) Empty() bool { return c.batch.Empty() }

// Len returns the size of the change in bytes.
func (c *Change) Len() int { return c.batch.Len() }

// Image stores a page whole; m is its new state (usually a new version with no deltas).
func (c *Change) Image(id PageID, m Meta, p []byte) {
	from, to := imageHole(p)
	op := c.batch.SetDeferred(pageKeyLen, imageLen(from, to))
	putPageKey(op.Key, id)
	putImage(op.Value, m, p, from, to)
	c.check(op.Finish())
}

// Delta lays a recorded program on a stored page; it makes the given version, one more than the stored one.
func (c *Change) Delta(id PageID, version uint64, ops []byte) {
	if len(ops) > page.MaxDelta {
		panic(fmt.Sprintf("pagestore: delta of %d bytes", len(ops)))
	}
	op := c.batch.MergeDeferred(pageKeyLen, deltaLen(ops))
	putPageKey(op.Key, id)
	putDelta(op.Value, version, ops)
	c.check(op.Finish())
}

// DeletePage removes one page.
func (c *Change) DeletePage(id PageID) {
	op := c.batch.DeleteDeferred(pageKeyLen)
	putPageKey(op.Key, id)
	c.check(op.Finish())
}

// Set stores a small value.
func (c *Change) Set(key, value []byte) {
	op := c.batch.SetDeferred(1+len(key), 1+len(value))
	op.Key[0] = prefixSmall
	copy(op.Key[1:], key)
	op.Value[0] = kindPlain
	copy(op.Value[1:], value)
	c.check(op.Finish())
}

// Delete removes a small key.
func (c *Change) Delete(key []byte) {
	op := c.batch.DeleteDeferred(1 + len(key))
	op.Key[0] = prefixSmall
	copy(op.Key[1:], key)
	c.check(op.Finish())
}

// DeleteSmallRange removes the small keys in [from, to).
func (c *Change) DeleteSmallRange(from, to []byte) {
	c.check(c.batch.DeleteRange(appendSmallKey(nil, from), appendSmallKey(nil, to), nil))
	c.slow = true
}

// Or sets bits of a small key's value: value[off+i] |= bits[i]. A missing value is zero, as is what lies before off. The order of Ors of one
// key does not matter, so no latch is needed. off+len(bits) may be at most 1 MB.
func (c *Change) Or(key []byte, off int, bits []byte) {
	if off < 0 || off+len(bits) > maxOrEnd {
		panic(fmt.Sprintf("pagestore: bits at %d, %d bytes", off, len(bits)))
	}
	op := c.batch.MergeDeferred(1+len(key), orHead+len(bits))
	op.Key[0] = prefixSmall
	copy(op.Key[1:], key)
	op.Value[0] = kindOr
	le.PutUint32(op.Value[1:], uint32(off))
	copy(op.Value[orHead:], bits)
	c.check(op.Finish())
}

// Add adds n to a small key's value, a little-endian int64; a missing value is zero.
func (c *Change) Add(key []byte, n int64) {
	op := c.batch.MergeDeferred(1+len(key), addLen)
	op.Key[0] = prefixSmall
	copy(op.Key[1:], key)
	op.Value[0] = kindAdd
	le.PutUint64(op.Value[1:], uint64(n))
	c.check(op.Finish())
}

// SetCount sets a relation's count, a number that is kept with its pages: copied with its database, deleted with it. An access method counts entries in it.
func (c *Change) SetCount(rel RelID, n int64) {
	op := c.batch.SetDeferred(forkKeyLen, addLen)
	putCount(op.Key, op.Value, rel, n)
	c.check(op.Finish())
}

// AddCount adds n to a relation's count. The order of AddCounts does not matter, so no latch is needed.
func (c *Change) AddCount(rel RelID, n int64) {
	op := c.batch.MergeDeferred(forkKeyLen, addLen)
	putCount(op.Key, op.Value, rel, n)
	c.check(op.Finish())
}

func putCount(key, value []byte, rel RelID, n int64) {
	putCountKey(key, rel)
	value[0] = kindAdd
	le.PutUint64(value[1:], uint64(n))
}

func (c *Change) check(err error) {
	if err != nil {
		panic(fmt.Sprintf("pagestore: building a batch: %v", err)) // only a broken invariant does this
	}
}

// maxPointDeletes is the number of pages up to which a relation is deleted page by page: many small range deletions slow down every read.
const maxPointDeletes = 1024

// DropRel removes all pages of a relation. The buffer pool's DropRel calls it and drops the frames.
func (c *Change) DropRel(rel RelID) error {
	total := uint64(0)
	var blocks [forkCount]uint32
	for fork := range blocks {
		n, err := c.s.NumBlocks(rel, uint8(fork))
		if err != nil {
			return err
		}
		blocks[fork] = n
		total += uint64(n)
	}
	if total > maxPointDeletes {
		lo, hi := relBounds(rel)
		c.check(c.batch.DeleteRange(lo, hi, nil))
		c.slow = true
		return nil
	}
	var k [forkKeyLen]byte
	putCountKey(k[:], rel)
	c.check(c.batch.Delete(k[:], nil))
	for fork, n := range blocks {
		for b := range n {
			c.DeletePage(rel.Page(uint8(fork), b))
		}
	}
	return nil
}

// Truncate removes the pages of a fork from block from up to block to (the size until now).
func (c *Change) Truncate(rel RelID, fork uint8, from, to uint32) {
	if to <= from {
		return
	}
	if to-from > maxPointDeletes {
		lo, hi := pageKey(rel.Page(fork, from)), pageKey(rel.Page(fork, to))
		c.check(c.batch.DeleteRange(lo[:], hi[:], nil))
		c.slow = true
		return
	}
	for b := from; b < to; b++ {
		c.DeletePage(rel.Page(fork, b))
	}
}

// DropDB removes all pages of a database.
func (c *Change) DropDB(db uint32) {
	lo, hi := dbBounds(db)
	c.check(c.batch.DeleteRange(lo, hi, nil))
	c.slow = true
}

// Store returns the store that the change is for.
func (c *Change) Store() *Store { return c.s }
