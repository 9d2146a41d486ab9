package hash

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
)

// expand splits buckets until the count is within the fill factor. What can't be done now stays owed to the next insertion.
func (ix *Index) expand(w *work) error {
	sh := ix.sh
	for {
		m := sh.meta.Load()
		if sh.count.sum() <= m.threshold || m.maxBucket >= maxBucketLimit {
			if sh.owed.Load() {
				sh.owed.Store(false)
			}
			return nil
		}
		if !sh.owed.Load() {
			sh.owed.Store(true)
		}
		if w.isCancelled() {
			return nil // the entry is in; the statement finds out itself
		}
		done, err := ix.split(m, w)
		w.g.dropAll()
		if err != nil || !done {
			return err
		}
	}
}

// split adds a bucket to m's and moves its entries there from the bucket that it is split from. False when somebody is in the way.
func (ix *Index) split(m *meta, w *work) (done bool, err error) {
	bucket := m.maxBucket + 1
	oldBucket := bucket & m.lowMask
	old, err := ix.pin(m.block(oldBucket))
	if err != nil {
		return false, err
	}
	if !w.g.tryCleanup(old) {
		ix.sh.stats.splitsRefused.Add(1)
		return false, nil
	}
	if err := ix.checkBucket(old, flagBucket, oldBucket); err != nil {
		return false, err
	}
	switch fl := flags(old.Page()); {
	case stamp(old.Page()) > m.maxBucket:
		return true, nil // somebody was faster: look again
	case fl&flagBeingSplit != 0:
		return ix.resumeSplit(old, w)
	case fl&flagNeedsCleanup != 0:
		// The leftovers of the split before must go, so that all leftovers of a bucket are of one split.
		if _, err := ix.cleanBucket(old, m, nil, w); err != nil {
			return false, err
		}
	}
	metaBuf, now, err := ix.lockMeta(w)
	if err != nil {
		return false, err
	}
	if now.maxBucket != m.maxBucket || ix.sh.count.sum() <= now.threshold {
		ix.sh.stats.splitsDeclined.Add(1)
		return true, nil
	}
	next, ok, err := ix.startSplit(now, old, metaBuf, w)
	if err != nil || !ok {
		return false, err
	}
	w.g.drop(metaBuf)
	w.g.unlock(old)
	w.g.unlock(next)
	// From here on only the pins keep others from splitting or cleaning the two buckets.
	return true, ix.moveBucket(splitPair{old, next, oldBucket, bucket}, nil, w)
}

// splitPair is a split that is under way: both primary pages are pinned.
type splitPair struct {
	old, next         buffer.Buf
	oldBucket, bucket uint32
}

// moveBucket does the rest of a split whose start has been applied.
func (ix *Index) moveBucket(sp splitPair, seen map[types.TID]bool, w *work) error {
	if err := ix.copyEntries(sp, seen, w); err != nil {
		return err
	}
	return ix.finishSplit(sp.old, sp.next, w)
}

// startSplit makes the new bucket known, in one Apply: its empty primary page, the flags and stamps on both, the metapage. old has its cleanup lock and
// the metapage its latch. The new page is left latched. ok = false when somebody has it pinned.
func (ix *Index) startSplit(now *meta, old, metaBuf buffer.Buf, w *work) (next buffer.Buf, ok bool, err error) {
	m := *now
	m.addBucket()
	ix.sh.rel.Reserve(m.end())
	if next, err = ix.pin(m.block(m.maxBucket)); err != nil {
		return next, false, err
	}
	if !w.g.tryCleanup(next) {
		ix.sh.stats.splitsDeclined.Add(1)
		return next, false, nil
	}
	if p := next.Page(); !page.IsNew(p) && flags(p)&flagType != flagUnused {
		return next, false, ix.corrupted(next.Block())
	}
	c := ix.am.pool.NewChange()
	defer c.Release()
	if m.ovflPoint != now.ovflPoint {
		if err := ix.markPhase(&m, next, c, w); err != nil {
			return next, false, err
		}
	}
	initPage(next.Edit(), m.maxBucket, noBlock, m.maxBucket, flagBucket|flagPopulated)
	e := old.Edit()
	e.Put32(offPrev, m.maxBucket)
	setFlags(e, flagBeingSplit, 0)
	m.edit(metaBuf.Edit(), now, ix.sh.count.sum())
	c.Add(old)
	c.Add(next)
	c.Add(metaBuf)
	if err := ix.apply(c, stepStartSplit); err != nil {
		return next, false, err
	}
	ix.sh.meta.Store(&m)
	ix.sh.stats.splitsStarted.Add(1)
	return next, true, nil
}

// markPhase stores the last page of a new phase's bucket pages, so that the stored size covers them all.
func (ix *Index) markPhase(m *meta, next buffer.Buf, c *buffer.Change, w *work) error {
	last := m.block(totalBuckets(m.ovflPoint) - 1)
	if last == next.Block() {
		return nil
	}
	b, err := ix.lockUnused(last, w)
	if err != nil {
		return err
	}
	initPage(b.Edit(), noBlock, noBlock, noBucket, flagUnused)
	c.Add(b)
	return nil
}

// copyEntries copies what belongs to the new bucket from the old one's chain, flagged moved, but for those in seen: a batch for a page at a time. Both primary
// pages are pinned, not latched. While a batch is copied the page that it comes from is latched (shared), so that nothing is removed from there and comes back in
// the new bucket.
func (ix *Index) copyEntries(sp splitPair, seen map[types.TID]bool, w *work) error {
	m := ix.sh.meta.Load()
	from, to := sp.old, sp.next
	for hops := uint32(0); ; hops++ {
		w.g.share(from)
		types := uint16(flagOverflow)
		if from == sp.old {
			types = flagBucket
		}
		if err := ix.checkBucket(from, types, sp.oldBucket); err != nil {
			return err
		}
		if err := ix.collect(from, m, sp.bucket, seen, w); err != nil {
			return err
		}
		var err error
		if to, err = ix.append(to, sp, w.batch, w); err != nil {
			return err
		}
		block := nextOf(from.Page())
		w.g.unlock(from)
		if from != sp.old {
			w.g.drop(from)
		}
		if block == noBlock {
			break
		}
		if hops > ix.sh.rel.NumBlocks() {
			return ix.corrupted(block)
		}
		if from, err = ix.pin(block); err != nil {
			return err
		}
	}
	if to != sp.next {
		w.g.drop(to)
	}
	return nil
}

// collect puts the entries of a latched page that belong to a bucket into w.batch.
func (ix *Index) collect(b buffer.Buf, m *meta, bucket uint32, seen map[types.TID]bool, w *work) error {
	p := b.Page()
	w.batch = w.batch[:0]
	for off, n := uint16(1), page.MaxOffset(p); off <= n; off++ {
		t := entryAt(p, off)
		if t == nil {
			return ix.corrupted(b.Block())
		}
		if h := hashAt(t); m.bucket(h) == bucket && !seen[t.TID()] {
			w.batch = append(w.batch, entry{h, true, t.TID()})
		}
	}
	return nil
}

// append puts copied entries behind those in a chain, from the page `to` on, which is pinned. It gives the page where it ended, pinned, unlatched.
func (ix *Index) append(to buffer.Buf, sp splitPair, es []entry, w *work) (buffer.Buf, error) {
	for len(es) > 0 {
		if err := w.g.lock(to, w.cancel); err != nil {
			return to, err
		}
		types := uint16(flagOverflow)
		if to == sp.next {
			types = flagBucket
		}
		if err := ix.checkBucket(to, types, sp.bucket); err != nil {
			return to, err
		}
		if n := min(room(to.Page()), len(es)); n > 0 {
			if err := ix.copyBatch(to, es[:n], w); err != nil {
				return to, err
			}
			es = es[n:]
		}
		if len(es) > 0 && nextOf(to.Page()) == noBlock {
			n := min(len(es), maxEntries)
			if err := ix.addOverflow(to, es[:n], 0, stepCopy, w); err != nil {
				return to, err
			}
			es = es[n:]
		}
		block := nextOf(to.Page())
		w.g.unlock(to)
		if len(es) == 0 {
			break
		}
		if to != sp.next {
			w.g.drop(to)
		}
		b, err := ix.pin(block)
		if err != nil {
			return to, err
		}
		to = b
	}
	return to, nil
}

func (ix *Index) copyBatch(to buffer.Buf, es []entry, w *work) error {
	if err := ix.addEntries(to, es, w); err != nil {
		return err
	}
	c := ix.am.pool.NewChange()
	defer c.Release()
	c.Add(to)
	return ix.apply(c, stepCopy)
}

// finishSplit clears the flags of both buckets, whose primary pages are pinned, and takes what was copied out of the old one, if nobody is there.
func (ix *Index) finishSplit(old, next buffer.Buf, w *work) error {
	if err := w.g.lock(old, w.cancel); err != nil {
		return err
	}
	if err := w.g.lock(next, w.cancel); err != nil {
		return err
	}
	c := ix.am.pool.NewChange()
	defer c.Release()
	setFlags(old.Edit(), flagNeedsCleanup, flagBeingSplit)
	setFlags(next.Edit(), 0, flagPopulated)
	c.Add(old)
	c.Add(next)
	if err := ix.apply(c, stepFinishSplit); err != nil {
		return err
	}
	ix.sh.stats.splitsFinished.Add(1)
	w.g.drop(next)
	if !old.SolePin() {
		return nil // the next vacuum or split of the bucket does it
	}
	_, err := ix.cleanBucket(old, ix.sh.meta.Load(), nil, w)
	return err
}

// resumeSplit finishes the split of a bucket that was interrupted. The caller has its cleanup lock, which is let go; the page stays pinned. False, and nothing
// happens, if somebody is in the new bucket.
func (ix *Index) resumeSplit(old buffer.Buf, w *work) (done bool, err error) {
	m := ix.sh.meta.Load()
	oldBucket := bucketOf(old.Page())
	bucket := m.newBucketOf(oldBucket)
	next, err := ix.pin(m.block(bucket))
	if err != nil {
		return false, err
	}
	if !w.g.tryCleanup(next) {
		w.g.unlock(old)
		return false, nil
	}
	if err := ix.checkBucket(next, flagBucket, bucket); err != nil {
		return false, err
	}
	if flags(next.Page())&flagPopulated == 0 {
		return false, ix.corrupted(next.Block())
	}
	seen, err := ix.copied(next, w)
	if err != nil {
		return false, err
	}
	w.g.unlock(next)
	w.g.unlock(old)
	ix.sh.stats.splitsResumed.Add(1)
	return true, ix.moveBucket(splitPair{old, next, oldBucket, bucket}, seen, w)
}

// copied gives the rows of the entries that a split has copied into a bucket, whose primary page is latched.
func (ix *Index) copied(primary buffer.Buf, w *work) (map[types.TID]bool, error) {
	seen := map[types.TID]bool{}
	err := ix.eachPage(primary, w, func(b buffer.Buf) error {
		p := b.Page()
		for off, n := uint16(1), page.MaxOffset(p); off <= n; off++ {
			t := entryAt(p, off)
			if t == nil {
				return ix.corrupted(b.Block())
			}
			if isMoved(t) {
				seen[t.TID()] = true
			}
		}
		return nil
	})
	return seen, err
}

// eachPage calls fn for the pages of a chain whose primary page is latched; the others are latched exclusively one after the other.
func (ix *Index) eachPage(primary buffer.Buf, w *work, fn func(b buffer.Buf) error) error {
	bucket := bucketOf(primary.Page())
	b := primary
	for hops := uint32(0); ; hops++ {
		if err := fn(b); err != nil {
			return err
		}
		block := nextOf(b.Page())
		if b != primary {
			w.g.drop(b)
		}
		if block == noBlock {
			return nil
		}
		if hops > ix.sh.rel.NumBlocks() {
			return ix.corrupted(block)
		}
		var err error
		if b, err = ix.lockOverflow(block, bucket, w); err != nil {
			return err
		}
	}
}
