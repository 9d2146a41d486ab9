package btree

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/xact"
)

// deletion holds the pages of a page's deletion while they are latched: left neighbour (if any), the page, right neighbour, parent.
type deletion struct {
	left, target, right, parent buffer.Buf
	off                         uint16 // the target's entry in the parent
}

func (d *deletion) unlock() {
	for _, b := range [...]*buffer.Buf{&d.parent, &d.right, &d.target, &d.left} {
		if b.Valid() {
			b.UnlockUnpin()
			*b = buffer.Buf{}
		}
	}
}

// deletePage takes an empty leaf out of its list and its parent, in one Apply: the right neighbour gets its key space, the parent's entry of the
// leaf leads there and that of the neighbour goes. False when it can't be done now: the leaf is not empty any more, is the rightmost of its
// level or its parent's last child, or a split of it or its left neighbour is incomplete. The next vacuum tries again.
func (ix *Index) deletePage(block uint32, w *work) (bool, error) {
	if ix.am.xids == nil {
		return false, nil
	}
	ok, err := ix.pathTo(block, w)
	if err != nil || !ok {
		return false, err
	}
	var d deletion
	defer d.unlock()
	if ok, err := ix.latchForDelete(block, &d, w); err != nil || !ok {
		return false, err
	}
	safe := ix.am.xids.NextXID()
	ix.unlinkPage(&d, safe)
	d.unlock()
	ix.sh.free.add(block, safe)
	return true, nil
}

// pathTo sets w.path to the way to the leaf at block, found by its high key.
func (ix *Index) pathTo(block uint32, w *work) (bool, error) {
	b, err := ix.pin(block)
	if err != nil {
		return false, err
	}
	b.LockShared()
	p := b.Page()
	if isDeleted(p) || !isLeaf(p) || isRightmost(p) {
		b.UnlockUnpin()
		return false, nil
	}
	high := append(index.Tuple(nil), item(p, highKeyOffset)...)
	b.UnlockUnpin()

	k := &w.key
	n := attrs(high, ix.natts)
	k.reset(ix.nkeys)
	row := ix.deform(high, n, &w.rowA)
	for i := range n {
		k.add(&ix.cols[i], row[i], ix.cols[i].cmp, 0)
	}
	k.tid, k.hasTID = pivotTID(high)
	k.isPivot = true
	defer func() { k.isPivot = false }()
	return true, ix.descendToParent(k, w)
}

// descendToParent goes down to level 1 by shared latches, filling w.path.
func (ix *Index) descendToParent(k *searchKey, w *work) error {
	block, lvl, err := ix.root()
	w.path.n = 0
	for err == nil && lvl > 0 {
		var b buffer.Buf
		if b, err = ix.pin(block); err != nil {
			return err
		}
		b.LockShared()
		if b, err = ix.moveRightShared(k, b); err != nil {
			return err
		}
		p := b.Page()
		lvl = level(p) - 1
		at := b.Block()
		block = child(item(p, ix.searchIn(k, b)))
		w.path.push(at, block)
		b.UnlockUnpin()
	}
	return err
}

// latchForDelete latches the pages concerned, left to right and then the parent, and checks that the deletion is possible.
func (ix *Index) latchForDelete(block uint32, d *deletion, w *work) (ok bool, err error) {
	if d.left, err = ix.latchLeftOf(block, w); err != nil {
		return false, err
	}
	if d.left.Valid() && flags(d.left.Page())&flagIncompleteSplit != 0 {
		return false, nil
	}
	if d.target, err = ix.pinExclusive(block, w); err != nil {
		return false, err
	}
	p := d.target.Page()
	if flags(p)&(flagLeaf|flagDeleted|flagIncompleteSplit|flagRoot) != flagLeaf || isRightmost(p) ||
		page.MaxOffset(p) >= firstData(p) || d.left.Valid() != (leftOf(p) != noBlock) {
		return false, nil
	}
	if d.left.Valid() && leftOf(p) != d.left.Block() {
		return false, nil
	}
	if d.right, err = ix.pinExclusive(rightOf(p), w); err != nil {
		return false, err
	}
	if leftOf(d.right.Page()) != block || isDeleted(d.right.Page()) {
		return false, nil
	}
	if d.parent, d.off, err = ix.findParent(d.target, w); err != nil {
		return false, err
	}
	pp := d.parent.Page()
	return d.off < page.MaxOffset(pp) && child(item(pp, d.off+1)) == d.right.Block(), nil
}

// latchLeftOf latches the left neighbour of a page exclusively; an invalid Buf when it has none. Whether it is (still) the neighbour is checked with
// the page latched.
func (ix *Index) latchLeftOf(block uint32, w *work) (buffer.Buf, error) {
	b, err := ix.leftLeaf(block)
	if err != nil || !b.Valid() {
		return buffer.Buf{}, err
	}
	b.Unlock()
	if err := b.LockExclusive(w.cancel); err != nil {
		b.Unpin()
		return buffer.Buf{}, err
	}
	return b, nil
}

func (ix *Index) pinExclusive(block uint32, w *work) (buffer.Buf, error) {
	b, err := ix.pin(block)
	if err != nil {
		return buffer.Buf{}, err
	}
	if err := b.LockExclusive(w.cancel); err != nil {
		b.Unpin()
		return buffer.Buf{}, err
	}
	return b, nil
}

// unlinkPage makes the change. The deleted page keeps its right link: who is on his way to it goes on from there.
func (ix *Index) unlinkPage(d *deletion, safeXID xact.XID) {
	right := d.right.Block()
	changed := []buffer.Buf{d.target, d.right, d.parent}

	pp := d.parent.Page()
	pe := d.parent.Edit()
	entry := page.Item(pp, d.off).Off()
	var link [4]byte
	setChild(index.Tuple(link[:]), right)
	pe.Patch(entry, link[:])
	if err := page.IndexDelete(pe, d.off+1); err != nil {
		panic("btree: removing an entry that was just read: " + err.Error())
	}

	left := uint32(noBlock)
	if d.left.Valid() {
		left = d.left.Block()
		d.left.Edit().Put32(offNext, right)
		changed = append(changed, d.left)
	}
	d.right.Edit().Put32(offPrev, left)

	te := d.target.Edit()
	te.Put16(page.OffLower, offSafeXID+8)
	te.Put16(page.OffUpper, page.Size-specialSize)
	te.Put64(offSafeXID, uint64(safeXID))
	te.Put16(offFlags, flags(d.target.Page())|flagDeleted|flagHasFullXID)
	ix.am.pool.ApplyPages(changed...)
}
