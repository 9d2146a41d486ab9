package btree

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
)

// work is what one writing operation needs: taken from a pool, so that it costs no allocation.
type work struct {
	key        searchKey
	path       path
	cancel     buffer.Cancel
	tuple      []byte
	pivot      []byte
	rowA, rowB types.Row
	left       []byte // a page being built
	right      []byte
	offs       []uint16
	tids       []types.TID
	dead       []bool
	edit       page.Edit
}

func (am *AM) getWork(c buffer.Cancel) *work {
	w := am.works.Get().(*work)
	w.cancel = c
	return w
}

func (am *AM) putWork(w *work) {
	w.cancel = nil
	clear(w.key.vals)
	clear(w.rowA[:cap(w.rowA)])
	clear(w.rowB[:cap(w.rowB)])
	am.works.Put(w)
}

// Insert adds an entry, with the unique check that is asked for.
func (ix *Index) Insert(a *index.InsertArgs) (isUnique bool, err error) {
	w := ix.am.getWork(a.Cancel)
	defer ix.am.putWork(w)
	if err := ix.formTuple(a, w); err != nil {
		return false, err
	}
	if err := ix.am.pool.Store().Admit(a.Cancel, false); err != nil {
		return false, err
	}
	check := a.Check
	if !ix.def.NullsNotDistinct && check != index.CheckNo && ix.anyNull(a.Values) {
		if check == index.CheckExisting {
			return true, nil
		}
		check = index.CheckNo // a null equals nothing
	}
	k := &w.key
	k.whole(ix, a.Values)
	isUnique = true
	for {
		k.hasTID = check == index.CheckNo
		k.tid = a.TID
		b, err := ix.findLeaf(k, w)
		if err != nil {
			return false, err
		}
		if check != index.CheckNo {
			r, err := ix.checkUnique(a, b, w)
			if err != nil {
				return false, err
			}
			if r.wait != 0 {
				b.UnlockUnpin()
				if err := a.Heap.WaitXID(r.wait, r.token); err != nil {
					return false, err
				}
				continue
			}
			isUnique = r.isUnique
			if a.Check == index.CheckExisting {
				b.UnlockUnpin()
				return isUnique, nil
			}
			k.hasTID = true
			if b, err = ix.moveRightForWrite(k, b, w, true); err != nil {
				return false, err
			}
		}
		return isUnique, ix.insertIntoLeaf(a, b, w)
	}
}

// formTuple makes the entry in w.tuple.
func (ix *Index) formTuple(a *index.InsertArgs, w *work) error {
	if size := index.TupleSize(ix.layout, a.Values); size > maxItemSize {
		return ix.tooBig(size, a.TID)
	}
	w.tuple = index.AppendTuple(w.tuple[:0], ix.layout, a.Values, a.TID)
	return nil
}

func (ix *Index) tooBig(size int, tid types.TID) error {
	return pgerr.New(pgerr.ProgramLimitExceeded, "index row size %d exceeds btree version %d maximum %d for index %q",
		size, metaVersion, maxItemSize, ix.def.Name).
		WithDetail("Index row references tuple (%d,%d) in relation %q.", tid.Block, tid.Off, ix.def.HeapName).
		WithHint("Values larger than 1/3 of a buffer page cannot be indexed.\n" +
			"Consider a function index of an MD5 hash of the value, or use full text indexing.")
}

func (ix *Index) anyNull(row types.Row) bool {
	for i := range ix.cols {
		if row[i].IsNull() {
			return true
		}
	}
	return false
}

// findLeaf finds the leaf for the key, latched exclusively: by the rightmost leaf's number if the key belongs there, else from the root.
func (ix *Index) findLeaf(k *searchKey, w *work) (buffer.Buf, error) {
	if block := ix.sh.lastLeaf.Load(); block != noBlock {
		if b, ok := ix.tryLastLeaf(block, k, w); ok {
			return b, nil
		}
	}
	for {
		b, err := ix.descendExclusive(k, w)
		if err != nil || b.Valid() {
			return b, err
		}
		if err := ix.makeRoot(w); err != nil {
			return b, err
		}
	}
}

// tryLastLeaf latches the leaf that was the rightmost one, if it still is, has room, and the key belongs right of its first item.
func (ix *Index) tryLastLeaf(block uint32, k *searchKey, w *work) (buffer.Buf, bool) {
	if v := ix.sh.root.Load(); v == 0 {
		return buffer.Buf{}, false
	}
	b, err := ix.pin(block)
	if err != nil {
		return buffer.Buf{}, false
	}
	if !b.TryLockExclusive() {
		b.Unpin()
		return buffer.Buf{}, false
	}
	fits := false
	defer func() {
		if !fits {
			b.UnlockUnpin()
		}
	}()
	p := b.Page()
	fits = ix.checkPage(b) == nil && flags(p)&(flagLeaf|flagDeleted|flagIncompleteSplit) == flagLeaf && isRightmost(p) &&
		page.FreeSpace(p) > len(w.tuple) && page.MaxOffset(p) > 1 && ix.compareTuple(k, item(p, 1)) > 0
	w.path.n = 0
	return b, fits
}

// makeRoot makes an empty leaf the root of an empty index, unless somebody has just done it.
func (ix *Index) makeRoot(w *work) error {
	meta, err := ix.pin(metaBlock)
	if err != nil {
		return err
	}
	if err := meta.LockExclusive(w.cancel); err != nil {
		meta.Unpin()
		return err
	}
	defer meta.UnlockUnpin()
	if block, _ := unpackRoot(ix.sh.root.Load()); block != noBlock {
		return nil
	}
	b, err := ix.newPage(w)
	if err != nil {
		return err
	}
	defer b.UnlockUnpin()
	initPage(b.Edit(), noBlock, noBlock, 0, flagLeaf|flagRoot)
	setMetaRoot(meta.Edit(), b.Block(), 0)
	ix.am.pool.ApplyPages(b, meta)
	ix.sh.root.Store(packRoot(b.Block(), 0))
	return nil
}

// insertIntoLeaf puts w.tuple on the leaf b, which is latched and let go. If there is no room, items that are known or found to be dead go
// first; else the page is split.
func (ix *Index) insertIntoLeaf(a *index.InsertArgs, b buffer.Buf, w *work) error {
	isOurs := true
	defer func() {
		if isOurs {
			b.UnlockUnpin()
		}
	}()
	if page.FreeSpace(b.Page()) < len(w.tuple) {
		if err := ix.makeRoom(a, b, w); err != nil {
			return err
		}
	}
	p := b.Page()
	off := ix.search(&w.key, p)
	if page.FreeSpace(p) < len(w.tuple) {
		isOurs = false
		return ix.splitAndInsert(b, off, w.tuple, buffer.Buf{}, w)
	}
	if at, err := page.AddItem(b.Edit(), w.tuple, off, 0); err != nil || at == 0 {
		return ix.addFailed(b, err)
	}
	ix.am.pool.ApplyPages(b)
	if isRightmost(p) && off == page.MaxOffset(p) && off > 1 {
		if block := b.Block(); ix.sh.lastLeaf.Load() != block {
			ix.sh.lastLeaf.Store(block)
		}
	}
	return nil
}

func (ix *Index) addFailed(b buffer.Buf, err error) error {
	if err != nil {
		return err
	}
	return pgerr.Internal("failed to add new item to block %d in index %q", b.Block(), ix.def.Name)
}
