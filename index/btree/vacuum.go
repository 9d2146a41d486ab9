package btree

import (
	"sort"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/xact"
)

// BulkDelete removes the entries of dead rows, going along the leaves from left to right: a concurrent split moves entries to the right only, so none
// is missed. Leaves that become empty are taken out of the tree. One vacuum of an index runs at a time.
func (ix *Index) BulkDelete(a *index.VacuumArgs, dead func(types.TID) bool, stats *index.VacuumStats) (*index.VacuumStats, error) {
	if stats == nil {
		stats = &index.VacuumStats{}
	}
	stats.Tuples, stats.IsEstimated = 0, false
	if err := ix.am.pool.Store().Admit(a.Cancel, true); err != nil {
		return stats, err
	}
	w := ix.am.getWork(a.Cancel)
	defer ix.am.putWork(w)
	b, err := ix.endpoint(0, false)
	for err == nil && b.Valid() {
		b, err = ix.vacuumLeaf(a, b, dead, stats, w)
	}
	if err != nil {
		return stats, err
	}
	stats.Pages = ix.sh.rel.NumBlocks()
	return stats, nil
}

// vacuumLeaf cleans the leaf b, latched shared, lets it go and gives the next one, latched shared.
func (ix *Index) vacuumLeaf(a *index.VacuumArgs, b buffer.Buf, dead func(types.TID) bool, stats *index.VacuumStats, w *work) (buffer.Buf, error) {
	ix.findDead(b.Page(), dead, w)
	if len(w.offs) > 0 {
		b.Unlock()
		if err := b.LockExclusive(a.Cancel); err != nil {
			b.Unpin()
			return buffer.Buf{}, err
		}
		ix.findDead(b.Page(), dead, w) // again: it may have changed
		if err := ix.deleteItems(b, w.offs); err != nil {
			b.UnlockUnpin()
			return buffer.Buf{}, err
		}
		stats.TuplesRemoved += float64(len(w.offs))
	}
	p := b.Page()
	kept := int(page.MaxOffset(p)) - int(firstData(p)) + 1
	stats.Tuples += float64(kept)
	block, next := b.Block(), rightOf(p)
	b.UnlockUnpin()
	if kept == 0 && next != noBlock {
		deleted, err := ix.deletePage(block, w)
		if err != nil {
			return buffer.Buf{}, err
		}
		if deleted {
			stats.PagesNewlyDeleted++
		}
	}
	if a.Interrupt != nil {
		if err := a.Interrupt(); err != nil {
			return buffer.Buf{}, err
		}
	}
	if len(w.offs) > 0 {
		if err := ix.am.pool.Store().Admit(a.Cancel, true); err != nil {
			return buffer.Buf{}, err
		}
	}
	return ix.rightLeaf(next)
}

// findDead lists in w.offs the items of dead rows.
func (ix *Index) findDead(p []byte, dead func(types.TID) bool, w *work) {
	w.offs = w.offs[:0]
	for off, n := firstData(p), page.MaxOffset(p); off <= n; off++ {
		if dead(item(p, off).TID()) {
			w.offs = append(w.offs, off)
		}
	}
}

// Cleanup ends a vacuum. The first one after a start looks for pages that were deleted before.
func (ix *Index) Cleanup(a *index.VacuumArgs, stats *index.VacuumStats) (*index.VacuumStats, error) {
	if a.AnalyzeOnly {
		return stats, nil
	}
	if _, _, err := ix.root(); err != nil {
		return stats, err
	}
	if stats == nil {
		stats = &index.VacuumStats{Tuples: a.HeapTuples, IsEstimated: true}
	}
	if !ix.sh.freeKnown.Load() {
		if err := ix.findFreePages(a); err != nil {
			return stats, err
		}
		ix.sh.freeKnown.Store(true)
	}
	stats.Pages = ix.sh.rel.NumBlocks()
	stats.PagesDeleted, stats.PagesFree = ix.sh.free.count(ix.oldestXID())
	return stats, nil
}

func (ix *Index) oldestXID() xact.XID {
	if ix.am.xids == nil {
		return 0
	}
	return ix.am.xids.Horizon()
}

// findFreePages reads all pages, in order, for those that are deleted or were never used.
func (ix *Index) findFreePages(a *index.VacuumArgs) error {
	var list []freePage
	scan := ix.sh.rel.NewScan()
	for block := uint32(1); block < ix.sh.rel.NumBlocks(); block++ {
		b, err := scan.Pin(block)
		if err != nil {
			return err
		}
		b.LockShared()
		if p := b.Page(); !page.IsNew(p) && isDeleted(p) {
			list = append(list, freePage{block, xact.XID(le.Uint64(p[offSafeXID:]))})
		}
		b.UnlockUnpin()
		if a.Interrupt != nil {
			if err := a.Interrupt(); err != nil {
				return err
			}
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].safeXID < list[j].safeXID })
	ix.sh.free.set(list)
	return nil
}
