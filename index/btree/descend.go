package btree

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
)

// step is one level of the way down: the internal page, and the child that was taken.
type step struct {
	block, child uint32
}

// maxLevels is more than 2^32 pages can have.
const maxLevels = 32

// path is the way down to a leaf, root first. Pages may have been split since.
type path struct {
	n     int
	steps [maxLevels]step
}

func (p *path) push(block, child uint32) {
	p.steps[p.n] = step{block, child}
	p.n++
}

// descendShared finds the leaf that the key leads to; it is pinned and latched shared. An invalid Buf: the index is empty.
func (ix *Index) descendShared(k *searchKey) (buffer.Buf, error) {
	block, _, err := ix.root()
	if err != nil || block == noBlock {
		return buffer.Buf{}, err
	}
	for {
		b, err := ix.pin(block)
		if err != nil {
			return buffer.Buf{}, err
		}
		b.LockShared()
		if b, err = ix.moveRightShared(k, b); err != nil {
			return buffer.Buf{}, err
		}
		p := b.Page()
		if isLeaf(p) {
			return b, nil
		}
		block = child(item(p, ix.searchIn(k, b)))
		b.UnlockUnpin()
	}
}

// moveRightShared goes right from a page latched shared until the key is not beyond the page. On an error nothing is latched.
func (ix *Index) moveRightShared(k *searchKey, b buffer.Buf) (buffer.Buf, error) {
	for {
		if err := ix.checkPage(b); err != nil {
			b.UnlockUnpin()
			return buffer.Buf{}, err
		}
		p := b.Page()
		if !ix.beyondIn(k, b) {
			if isDeleted(p) {
				b.UnlockUnpin()
				return buffer.Buf{}, ix.fellOff()
			}
			return b, nil
		}
		next, err := ix.pin(rightOf(p))
		b.UnlockUnpin()
		if err != nil {
			return buffer.Buf{}, err
		}
		next.LockShared()
		b = next
	}
}

func (ix *Index) fellOff() error {
	return pgerr.New(pgerr.IndexCorrupted, "fell off the end of index %q", ix.def.Name)
}

// descendExclusive finds the leaf that the key leads to, for an insertion; it is pinned and latched exclusively, and w.path tells the way. Splits that
// are met incomplete are finished. An invalid Buf: the index is empty.
func (ix *Index) descendExclusive(k *searchKey, w *work) (buffer.Buf, error) {
	block, lvl, err := ix.root()
	if err != nil || block == noBlock {
		return buffer.Buf{}, err
	}
	w.path.n = 0
	for {
		b, err := ix.pin(block)
		if err != nil {
			return buffer.Buf{}, err
		}
		if lvl == 0 {
			err = b.LockExclusive(w.cancel)
		} else {
			b.LockShared()
		}
		if err != nil {
			b.Unpin()
			return buffer.Buf{}, err
		}
		if b, err = ix.moveRightForWrite(k, b, w, lvl == 0); err != nil {
			return buffer.Buf{}, err
		}
		p := b.Page()
		if isLeaf(p) {
			return b, nil
		}
		lvl = level(p) - 1
		at := b.Block()
		block = child(item(p, ix.searchIn(k, b)))
		w.path.push(at, block)
		b.UnlockUnpin()
	}
}

// moveRightForWrite is moveRightShared for an insertion: it finishes incomplete splits on its way, so that the path leads to every page that it
// passes. b is latched exclusively if exclusive.
func (ix *Index) moveRightForWrite(k *searchKey, b buffer.Buf, w *work, exclusive bool) (buffer.Buf, error) {
	for {
		if err := ix.checkPage(b); err != nil {
			b.UnlockUnpin()
			return buffer.Buf{}, err
		}
		p := b.Page()
		if flags(p)&flagIncompleteSplit != 0 {
			again, err := ix.finishFromSearch(b, w, exclusive)
			if err != nil {
				return buffer.Buf{}, err
			}
			b = again
			continue
		}
		if !ix.beyondIn(k, b) {
			if isDeleted(p) {
				b.UnlockUnpin()
				return buffer.Buf{}, ix.fellOff()
			}
			return b, nil
		}
		next, err := ix.pin(rightOf(p))
		b.UnlockUnpin()
		if err != nil {
			return buffer.Buf{}, err
		}
		if err := latch(next, w.cancel, exclusive); err != nil {
			next.Unpin()
			return buffer.Buf{}, err
		}
		b = next
	}
}

// finishFromSearch finishes the split of b, which is latched (exclusively if exclusive) and comes back latched in the same way.
func (ix *Index) finishFromSearch(b buffer.Buf, w *work, exclusive bool) (buffer.Buf, error) {
	if !exclusive {
		b.Unlock()
		if err := b.LockExclusive(w.cancel); err != nil {
			b.Unpin()
			return buffer.Buf{}, err
		}
	}
	block := b.Block()
	if flags(b.Page())&flagIncompleteSplit != 0 {
		if err := ix.finishSplit(b, w); err != nil { // lets b go
			return buffer.Buf{}, err
		}
	} else {
		b.UnlockUnpin()
	}
	b, err := ix.pin(block)
	if err != nil {
		return buffer.Buf{}, err
	}
	if err := latch(b, w.cancel, exclusive); err != nil {
		b.Unpin()
		return buffer.Buf{}, err
	}
	return b, nil
}

func latch(b buffer.Buf, c buffer.Cancel, exclusive bool) error {
	if exclusive {
		return b.LockExclusive(c)
	}
	b.LockShared()
	return nil
}

// endpoint finds the leftmost or rightmost page of a level, latched shared. An invalid Buf: the index is empty, or has no such level.
func (ix *Index) endpoint(lvl uint32, rightmost bool) (buffer.Buf, error) {
	block, rootLevel, err := ix.root()
	if err != nil || block == noBlock || lvl > rootLevel {
		return buffer.Buf{}, err
	}
	for {
		b, err := ix.pin(block)
		if err != nil {
			return buffer.Buf{}, err
		}
		b.LockShared()
		if err := ix.checkPage(b); err != nil {
			b.UnlockUnpin()
			return buffer.Buf{}, err
		}
		p := b.Page()
		switch {
		case (isDeleted(p) || rightmost) && !isRightmost(p):
			block = rightOf(p)
		case isDeleted(p):
			b.UnlockUnpin()
			return buffer.Buf{}, ix.fellOff()
		case level(p) == lvl:
			return b, nil
		case rightmost:
			block = child(item(p, page.MaxOffset(p)))
		default:
			block = child(item(p, firstData(p)))
		}
		b.UnlockUnpin()
	}
}
