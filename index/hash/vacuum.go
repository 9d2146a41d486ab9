package hash

import (
	"runtime"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
)

// BulkDelete removes the entries of dead rows, bucket by bucket, ascending: splits copy to higher buckets only, so none is missed. Splits that were
// interrupted are finished on the way, and what they left is removed. One vacuum of an index runs at a time.
func (ix *Index) BulkDelete(a *index.VacuumArgs, dead func(types.TID) bool, stats *index.VacuumStats) (*index.VacuumStats, error) {
	if stats == nil {
		stats = &index.VacuumStats{}
	}
	stats.Tuples, stats.IsEstimated = 0, false
	m, err := ix.meta()
	if err != nil {
		return stats, err
	}
	w := ix.am.getWork(a.Cancel)
	defer ix.am.putWork(w)
	for bucket := uint32(0); bucket <= m.maxBucket; bucket++ {
		if err := ix.am.pool.Store().Admit(a.Cancel, true); err != nil {
			return stats, err
		}
		r, err := ix.vacuumBucket(bucket, m, dead, a, w)
		w.g.dropAll()
		stats.Tuples += float64(r.kept)
		stats.TuplesRemoved += float64(r.removed)
		if err != nil {
			return stats, err
		}
		if err := poll(a); err != nil {
			return stats, err
		}
		m = ix.sh.meta.Load()
	}
	if err := ix.fold(w); err != nil {
		return stats, err
	}
	stats.Pages = ix.sh.rel.NumBlocks()
	return stats, nil
}

func poll(a *index.VacuumArgs) error {
	if a.Interrupt != nil {
		return a.Interrupt()
	}
	return nil
}

// vacuumBucket cleans one bucket. The pin on its primary page keeps splits of it from starting meanwhile.
func (ix *Index) vacuumBucket(bucket uint32, m *meta, dead func(types.TID) bool, a *index.VacuumArgs, w *work) (r cleaned, err error) {
	primary, err := ix.pin(m.block(bucket))
	if err != nil {
		return r, err
	}
	if err := w.g.lock(primary, w.cancel); err != nil {
		return r, err
	}
	if err := ix.checkBucket(primary, flagBucket, bucket); err != nil {
		return r, err
	}
	if flags(primary.Page())&(flagBeingSplit|flagNeedsCleanup) != 0 {
		w.g.unlock(primary)
		if err := ix.lockQuiet(primary, bucket, a, w); err != nil {
			return r, err
		}
		return ix.cleanBucket(primary, ix.sh.meta.Load(), dead, w)
	}
	m = ix.sh.meta.Load()
	changed := false
	err = ix.eachChainPage(primary, w, func(b buffer.Buf) error {
		n, err := ix.deleteDead(b, m, false, dead, &r, w)
		changed = changed || n > 0
		return err
	})
	if err != nil || !changed {
		return r, err
	}
	for try := 0; !w.g.tryCleanup(primary); try++ {
		if try == squeezeTries {
			return r, nil // a bucket that is never at rest: its pages are freed another time
		}
		runtime.Gosched()
	}
	return r, ix.squeeze(primary, w)
}

// squeezeTries is how often vacuum tries to get a bucket for itself. Pins last for microseconds.
const squeezeTries = 100

// eachChainPage is eachPage that holds one latch at a time: that of the primary page is let go too.
func (ix *Index) eachChainPage(primary buffer.Buf, w *work, fn func(b buffer.Buf) error) error {
	bucket := bucketOf(primary.Page())
	b := primary
	for hops := uint32(0); ; hops++ {
		if err := fn(b); err != nil {
			return err
		}
		block := nextOf(b.Page())
		if b == primary {
			w.g.unlock(b)
		} else {
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

// lockQuiet waits for the cleanup lock of a bucket that no split is copying from: one that is running ends first, one that was interrupted is finished. The primary page is
// pinned.
func (ix *Index) lockQuiet(primary buffer.Buf, bucket uint32, a *index.VacuumArgs, w *work) error {
	for {
		if err := w.g.cleanup(primary, w.cancel); err != nil {
			return err
		}
		if flags(primary.Page())&flagBeingSplit == 0 {
			return nil
		}
		done, err := ix.resumeSplit(primary, w)
		if err != nil {
			return err
		}
		w.g.dropTo(1)
		w.g.unlock(primary)
		if !done { // somebody is in the new bucket, who may need the old one
			if err := poll(a); err != nil {
				return err
			}
			runtime.Gosched()
		}
	}
}

// fold writes the count into the metapage.
func (ix *Index) fold(w *work) error {
	defer w.g.dropAll()
	b, m, err := ix.lockMeta(w)
	if err != nil {
		return err
	}
	ix.sh.stats.corrections.Add(1)
	m.edit(b.Edit(), m, ix.sh.count.sum())
	c := ix.am.pool.NewChange()
	defer c.Release()
	c.Add(b)
	return ix.apply(c, stepFold)
}

// Cleanup ends a vacuum.
func (ix *Index) Cleanup(a *index.VacuumArgs, stats *index.VacuumStats) (*index.VacuumStats, error) {
	if stats == nil || a.AnalyzeOnly {
		return stats, nil // nothing was removed: the statistics stay as they are
	}
	if _, err := ix.meta(); err != nil {
		return stats, err
	}
	stats.Pages = ix.sh.rel.NumBlocks()
	return stats, nil
}
