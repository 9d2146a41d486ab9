package btree

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
)

// makeRoom takes dead items off the leaf b, which has no room for w.tuple and is latched exclusively: first those that were killed by scans; if
// that is not enough, and the page is likely to hold old versions of rows, those that the heap finds dead. It stays latched.
func (ix *Index) makeRoom(a *index.InsertArgs, b buffer.Buf, w *work) error {
	p := b.Page()
	w.offs = w.offs[:0]
	for off, n := firstData(p), page.MaxOffset(p); off <= n; off++ {
		if isDead(p, off) {
			w.offs = append(w.offs, off)
		}
	}
	if err := ix.deleteItems(b, w.offs); err != nil || page.FreeSpace(p) >= len(w.tuple) {
		return err
	}
	if a.Heap == nil || !a.Unchanged && a.Check == index.CheckNo {
		return nil
	}
	return ix.deleteVersions(a, b, w)
}

// deleteVersions asks the heap about items that have an equal neighbour (versions of one row, as a rule) and removes the dead ones.
func (ix *Index) deleteVersions(a *index.InsertArgs, b buffer.Buf, w *work) error {
	p := b.Page()
	w.offs, w.tids = w.offs[:0], w.tids[:0]
	first, n := firstData(p), page.MaxOffset(p)
	equalLeft := false
	for off := first; off <= n; off++ {
		t := item(p, off)
		equalRight := off < n && ix.keepAttrs(t, item(p, off+1), w) > ix.nkeys
		// The new version's own predecessor counts too, though it may have no equal neighbour here yet.
		if equalLeft || equalRight || a.Unchanged && ix.sameKey(t, w) {
			w.offs = append(w.offs, off)
			w.tids = append(w.tids, t.TID())
		}
		equalLeft = equalRight
	}
	if len(w.offs) == 0 {
		return nil
	}
	w.dead = append(w.dead[:0], make([]bool, len(w.tids))...)
	if err := a.Heap.DeadToAll(w.tids, w.dead); err != nil {
		return err
	}
	kept := w.offs[:0]
	for i, off := range w.offs {
		if w.dead[i] {
			kept = append(kept, off)
		}
	}
	return ix.deleteItems(b, kept)
}

// sameKey says whether t's key columns are those of the entry being inserted.
func (ix *Index) sameKey(t index.Tuple, w *work) bool {
	return ix.keepAttrs(t, w.tuple, w) > ix.nkeys
}

// deleteItems removes items from a page that is latched exclusively, with its own Apply.
func (ix *Index) deleteItems(b buffer.Buf, offs []uint16) error {
	if len(offs) == 0 {
		return nil
	}
	e := b.Edit()
	if err := page.IndexMultiDelete(e, offs); err != nil {
		b.Undo()
		return err
	}
	if fl := flags(b.Page()); fl&flagHasGarbage != 0 {
		e.Put16(offFlags, fl&^flagHasGarbage)
	}
	ix.am.pool.ApplyPages(b)
	return nil
}
