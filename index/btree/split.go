package btree

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
)

// splitAndInsert splits the page b, which has no room for newItem at off, and puts it where it belongs. below is the child page whose
// split newItem completes (invalid on a leaf). Both are latched exclusively and let go, also on an error.
//
// One Apply: the left half in place, the right half on a new page, the right neighbour's back link, and the left half's flag that its parent lacks
// an entry. Then the parent's entry, by insertParent.
func (ix *Index) splitAndInsert(b buffer.Buf, off uint16, newItem index.Tuple, below buffer.Buf, w *work) error {
	s := split{b: b, below: below}
	defer s.unlock()
	p := b.Page()
	items := splitItems(p, off, newItem)
	at := ix.splitPoint(p, items, off, w)
	if at < 0 {
		return pgerr.New(pgerr.IndexCorrupted, "could not find a feasible split point for index %q", ix.def.Name)
	}
	if err := s.latch(ix, w); err != nil {
		return err
	}
	if err := ix.buildHalves(p, items, at, &s, w); err != nil {
		return err
	}
	wasRoot := flags(p)&flagRoot != 0
	b.Edit().Replace(w.left)
	s.right.Edit().Replace(w.right)
	changed := []buffer.Buf{b, s.right}
	if s.sibling.Valid() {
		s.sibling.Edit().Put32(offPrev, s.right.Block())
		changed = append(changed, s.sibling)
	}
	if below.Valid() {
		clearIncomplete(below)
		changed = append(changed, below)
	}
	ix.am.pool.ApplyPages(changed...)
	left, right := s.b, s.right.Block()
	s.b = buffer.Buf{}
	s.unlock() // left stays latched until the parent has the entry
	return ix.insertParent(left, right, wasRoot, w)
}

func clearIncomplete(b buffer.Buf) {
	b.Edit().Put16(offFlags, flags(b.Page())&^flagIncompleteSplit)
}

// split holds the pages of a split while they are latched.
type split struct {
	b, below, right, sibling buffer.Buf
}

func (s *split) unlock() {
	for _, b := range [...]*buffer.Buf{&s.sibling, &s.right, &s.below, &s.b} {
		if b.Valid() {
			b.UnlockUnpin()
			*b = buffer.Buf{}
		}
	}
}

// latch gets the new page and the right neighbour.
func (s *split) latch(ix *Index, w *work) (err error) {
	if s.right, err = ix.newPage(w); err != nil {
		return err
	}
	p := s.b.Page()
	if isRightmost(p) {
		return nil
	}
	next, err := ix.pin(rightOf(p))
	if err != nil {
		return err
	}
	if err := next.LockExclusive(w.cancel); err != nil {
		next.Unpin()
		return err
	}
	s.sibling = next
	if got := leftOf(next.Page()); got != s.b.Block() {
		return pgerr.New(pgerr.IndexCorrupted, "right sibling's left-link doesn't match: block %d links to %d instead of expected %d in index %q",
			next.Block(), got, s.b.Block(), ix.def.Name)
	}
	return nil
}

// buildHalves makes both pages in w.left and w.right. Nothing in the pool is changed.
func (ix *Index) buildHalves(p []byte, items []index.Tuple, at int, s *split, w *work) error {
	leaf := isLeaf(p)
	keep := flags(p) &^ (flagRoot | flagHasGarbage | flagIncompleteSplit)
	var high []byte
	if leaf {
		high = ix.appendSeparator(nil, items[at-1], items[at], w)
	} else {
		high = appendPivot(nil, items[at], noBlock)
	}
	lp := newPageBuilder(&w.left, &w.edit)
	lp.init(leftOf(p), s.right.Block(), level(p), keep|flagIncompleteSplit)
	lp.add(high)
	for _, t := range items[:at] {
		lp.add(t)
	}
	if lp.err != nil {
		return lp.err
	}
	rp := newPageBuilder(&w.right, &w.edit)
	rp.init(s.b.Block(), rightOf(p), level(p), keep)
	if !isRightmost(p) {
		rp.add(item(p, highKeyOffset))
	}
	for i, t := range items[at:] {
		if i == 0 && !leaf {
			t = appendMinusInfinity(nil, child(t))
		}
		rp.add(t)
	}
	return rp.err
}

// pageBuilder fills a page outside of the pool.
type pageBuilder struct {
	e   *page.Edit
	err error
}

func newPageBuilder(buf *[]byte, e *page.Edit) pageBuilder {
	if *buf == nil {
		*buf = make([]byte, page.Size)
	}
	e.Reset(*buf, true)
	return pageBuilder{e: e}
}

func (pb *pageBuilder) init(prev, next, lvl uint32, fl uint16) { initPage(pb.e, prev, next, lvl, fl) }

func (pb *pageBuilder) add(t []byte) {
	if pb.err != nil {
		return
	}
	off, err := page.AddItem(pb.e, t, page.MaxOffset(pb.e.Page())+1, 0)
	if err == nil && off == 0 {
		err = pgerr.Internal("failed to add an item of %d bytes while building a btree page", len(t))
	}
	pb.err = err
}

// insertParent adds the entry for the page right, which b was split into, to b's parent, and clears b's flag in the same Apply. b is latched
// exclusively and let go.
func (ix *Index) insertParent(b buffer.Buf, right uint32, wasRoot bool, w *work) error {
	p := b.Page()
	if wasRoot {
		return ix.newRoot(b, right, w)
	}
	entry := appendPivot(nil, item(p, highKeyOffset), right)
	parent, off, err := ix.findParent(b, w)
	if err != nil {
		b.UnlockUnpin()
		return err
	}
	return ix.insertIntoInternal(parent, off+1, entry, b, w)
}

// insertIntoInternal puts an entry on an internal page, which completes the split of below. Both are latched and let go.
func (ix *Index) insertIntoInternal(b buffer.Buf, off uint16, entry index.Tuple, below buffer.Buf, w *work) error {
	if page.FreeSpace(b.Page()) < len(entry) {
		return ix.splitAndInsert(b, off, entry, below, w)
	}
	defer b.UnlockUnpin()
	defer below.UnlockUnpin()
	if at, err := page.AddItem(b.Edit(), entry, off, 0); err != nil || at == 0 {
		return ix.addFailed(b, err)
	}
	clearIncomplete(below)
	ix.am.pool.ApplyPages(b, below)
	return nil
}

// newRoot puts a new root above the page b, which was the root, and right, which it was split into. b is let go.
func (ix *Index) newRoot(b buffer.Buf, right uint32, w *work) error {
	defer b.UnlockUnpin()
	meta, err := ix.pin(metaBlock)
	if err != nil {
		return err
	}
	if err := meta.LockExclusive(w.cancel); err != nil {
		meta.Unpin()
		return err
	}
	defer meta.UnlockUnpin()
	root, err := ix.newPage(w)
	if err != nil {
		return err
	}
	defer root.UnlockUnpin()
	p := b.Page()
	lvl := level(p) + 1
	pb := newPageBuilder(&w.left, &w.edit)
	pb.init(noBlock, noBlock, lvl, flagRoot)
	pb.add(appendMinusInfinity(nil, b.Block()))
	pb.add(appendPivot(nil, item(p, highKeyOffset), right))
	if pb.err != nil {
		return pb.err
	}
	root.Edit().Replace(w.left)
	clearIncomplete(b)
	setMetaRoot(meta.Edit(), root.Block(), lvl)
	ix.am.pool.ApplyPages(b, root, meta)
	ix.sh.root.Store(packRoot(root.Block(), lvl))
	return nil
}

// finishSplit adds the missing parent's entry of b's right neighbour. b is latched exclusively and let go. The path is as it was afterwards.
func (ix *Index) finishSplit(b buffer.Buf, w *work) error {
	n := w.path.n
	defer func() { w.path.n = n }()
	root, _ := unpackRoot(ix.sh.root.Load())
	return ix.insertParent(b, rightOf(b.Page()), root == b.Block(), w)
}

// findParent finds the page with the entry for b, latched exclusively, and the entry's offset. It takes a step off the path.
func (ix *Index) findParent(b buffer.Buf, w *work) (buffer.Buf, uint16, error) {
	block, lvl := b.Block(), level(b.Page())+1
	start, err := ix.parentStart(lvl, w)
	if err != nil {
		return buffer.Buf{}, 0, err
	}
	for {
		parent, err := ix.pin(start)
		if err != nil {
			return buffer.Buf{}, 0, err
		}
		if err := parent.LockExclusive(w.cancel); err != nil {
			parent.Unpin()
			return buffer.Buf{}, 0, err
		}
		p := parent.Page()
		if flags(p)&flagIncompleteSplit != 0 {
			if err := ix.finishSplit(parent, w); err != nil {
				return buffer.Buf{}, 0, err
			}
			continue
		}
		if !isDeleted(p) {
			if off := findChild(p, block); off != 0 {
				return parent, off, nil
			}
		}
		start = rightOf(p)
		parent.UnlockUnpin()
		if start == noBlock {
			return buffer.Buf{}, 0, pgerr.New(pgerr.IndexCorrupted, "failed to re-find parent key in index %q for split pages %d/%d",
				ix.def.Name, block, rightOf(b.Page()))
		}
	}
}

// parentStart is the page to look for a parent from: by the path, or the leftmost of the level when the tree grew since the descent (or there was
// none, through lastLeaf).
func (ix *Index) parentStart(lvl uint32, w *work) (uint32, error) {
	if w.path.n > 0 {
		w.path.n--
		return w.path.steps[w.path.n].block, nil
	}
	b, err := ix.endpoint(lvl, false)
	if err != nil {
		return 0, err
	}
	if !b.Valid() {
		return 0, pgerr.New(pgerr.IndexCorrupted, "index %q has no level %d", ix.def.Name, lvl)
	}
	defer b.UnlockUnpin()
	return b.Block(), nil
}

func findChild(p []byte, block uint32) uint16 {
	for off, n := firstData(p), page.MaxOffset(p); off <= n; off++ {
		if child(item(p, off)) == block {
			return off
		}
	}
	return 0
}
