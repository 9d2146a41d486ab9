package btree

import (
	"slices"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
)

// scan goes over a btree page by page: it copies the matching entries of a leaf under its latch and then returns them, holding nothing.
type scan struct {
	ix  *Index
	opt index.ScanOptions

	conds   []cond
	implied []cond
	bounds  []bounds
	arrays  []array
	natts   int  // columns that conditions look at
	isNone  bool // the keys contradict each other

	key searchKey
	row types.Row

	isOn bool // pos is a place
	pos  position

	hasMark    bool
	markOnPage bool // the mark is pos.items[mark.cur]; else mark is a whole position
	mark       position
	markArrays []int

	killed []uint16 // offsets on pos's page
}

// position is a leaf as it was read, and which of its entries is the present one.
type position struct {
	block               uint32
	version             uint64
	next                uint32
	moreLeft, moreRight bool
	items               []scanItem
	data                []byte // the entries' tuples, for index-only scans
	cur                 int
}

type scanItem struct {
	tid        types.TID
	off        uint16
	allVisible bool
	data       int32 // offset in position.data
}

// copyFrom makes p a copy of o that shares nothing.
func (p *position) copyFrom(o *position) {
	items, data := append(p.items[:0], o.items...), append(p.data[:0], o.data...)
	*p = *o
	p.items, p.data = items, data
}

// NewScan makes a scan.
func (ix *Index) NewScan(o index.ScanOptions) index.Scan {
	s := ix.am.scans.Get().(*scan)
	s.ix, s.opt = ix, o
	if cap(s.row) < ix.natts {
		s.row = make(types.Row, ix.natts)
	}
	s.row = s.row[:ix.natts]
	return s
}

// End gives the scan back.
func (s *scan) End() {
	s.flushKilled()
	am := s.ix.am
	clear(s.conds[:cap(s.conds)])
	clear(s.key.vals)
	clear(s.row)
	s.ix, s.opt, s.isOn, s.hasMark, s.markOnPage = nil, index.ScanOptions{}, false, false, false
	am.scans.Put(s)
}

// Rescan begins again.
func (s *scan) Rescan(keys []index.ScanKey) error {
	s.flushKilled()
	s.isOn, s.hasMark, s.markOnPage = false, false, false
	s.isNone = !s.setKeys(keys) || !s.setBounds()
	s.natts = 0
	for i := range s.conds {
		c := &s.conds[i]
		s.natts = max(s.natts, c.attr+1)
		for j := range c.row {
			s.natts = max(s.natts, c.row[j].Attr)
		}
	}
	_, _, err := s.ix.root() // the relation is open from here on
	return err
}

// Next moves to the next entry.
func (s *scan) Next(dir index.Direction) (bool, error) {
	if s.isNone {
		return false, nil
	}
	if s.isOn {
		if at := s.pos.cur + int(dir); at >= 0 && at < len(s.pos.items) {
			s.pos.cur = at
			return true, nil
		}
		found, err := s.step(dir)
		if found || err != nil {
			return found, err
		}
		if !s.nextElements(dir) {
			s.flushKilled() // before whoever uses the scan changes the page
			s.isOn = false
			return false, nil
		}
	} else {
		s.firstElements(dir)
	}
	for {
		found, err := s.first(dir)
		if found || err != nil {
			return found, err
		}
		if !s.nextElements(dir) {
			s.leave()
			s.isOn = false
			return false, nil
		}
	}
}

// first goes to the first entry in this direction.
func (s *scan) first(dir index.Direction) (bool, error) {
	s.leave()
	isWhole := s.startKey(dir)
	var b buffer.Buf
	var err error
	if isWhole {
		b, err = s.ix.endpoint(0, dir == index.Backward)
	} else {
		b, err = s.ix.descendShared(&s.key)
	}
	if err != nil || !b.Valid() {
		return false, err
	}
	p := b.Page()
	off := firstData(p)
	switch {
	case isWhole && dir == index.Backward:
		off = page.MaxOffset(p)
	case !isWhole:
		if off = s.ix.searchIn(&s.key, b); dir == index.Backward {
			off--
		}
	}
	s.pos.moreLeft, s.pos.moreRight = dir == index.Backward, dir == index.Forward
	s.readPage(b, dir, off)
	b.UnlockUnpin()
	s.isOn = true
	if len(s.pos.items) > 0 {
		return true, nil
	}
	return s.step(dir)
}

// step goes to the next page that has matching entries.
func (s *scan) step(dir index.Direction) (bool, error) {
	for {
		if dir == index.Forward && !s.pos.moreRight || dir == index.Backward && !s.pos.moreLeft {
			return false, nil
		}
		s.leave()
		var b buffer.Buf
		var err error
		if dir == index.Forward {
			b, err = s.ix.rightLeaf(s.pos.next)
		} else {
			b, err = s.ix.leftLeaf(s.pos.block)
		}
		if err != nil || !b.Valid() {
			return false, err
		}
		if dir == index.Forward {
			s.pos.moreLeft = true
			s.readPage(b, dir, firstData(b.Page()))
		} else {
			s.pos.moreRight = true
			s.readPage(b, dir, page.MaxOffset(b.Page()))
		}
		b.UnlockUnpin()
		if len(s.pos.items) > 0 {
			return true, nil
		}
	}
}

// readPage copies the matching entries from off on, in the scan's direction, of a leaf that is latched shared; a panic lets it go.
func (s *scan) readPage(b buffer.Buf, dir index.Direction, off uint16) {
	done := false
	defer letGoOnPanic(b, &done)
	s.copyMatches(b, dir, off)
	done = true
}

func (s *scan) copyMatches(b buffer.Buf, dir index.Direction, off uint16) {
	p := b.Page()
	pos := &s.pos
	pos.block, pos.version, pos.next = b.Block(), b.Version(), rightOf(p)
	pos.items, pos.data = pos.items[:0], pos.data[:0]
	first, n := firstData(p), page.MaxOffset(p)
	more := true
	lastBlock, lastVisible := ^uint32(0), false
	for ; off >= first && off <= n; off += uint16(dir) {
		if isDead(p, off) {
			continue
		}
		t := item(p, off)
		if s.natts > 0 {
			s.ix.mustDeform(t, s.row, s.natts)
			var ok bool
			if ok, more = s.match(s.row, dir); !ok {
				if !more {
					break
				}
				continue
			}
		}
		it := scanItem{tid: t.TID(), off: off}
		if s.opt.WantValues {
			it.data = int32(len(pos.data))
			pos.data = append(pos.data, t[:t.Size()]...)
		}
		if s.opt.AllVisible != nil {
			if it.tid.Block != lastBlock {
				lastBlock, lastVisible = it.tid.Block, s.opt.AllVisible(it.tid.Block)
			}
			it.allVisible = lastVisible
		}
		pos.items = append(pos.items, it)
	}
	if dir == index.Forward {
		pos.moreRight = pos.moreRight && more && !isRightmost(p)
		pos.cur = 0
	} else {
		pos.moreLeft = pos.moreLeft && more && leftOf(p) != noBlock
		slices.Reverse(pos.items)
		pos.cur = len(pos.items) - 1
	}
}

// leave is called before pos becomes another page.
func (s *scan) leave() {
	s.flushKilled()
	if s.markOnPage {
		cur := s.mark.cur
		s.mark.copyFrom(&s.pos)
		s.mark.cur = cur
		s.markOnPage = false
	}
}

// rightLeaf gives the page at block, or the first one right of it that is not deleted, latched shared.
func (ix *Index) rightLeaf(block uint32) (buffer.Buf, error) {
	for block != noBlock {
		b, err := ix.pin(block)
		if err != nil {
			return buffer.Buf{}, err
		}
		b.LockShared()
		if err := ix.checkPage(b); err != nil {
			b.UnlockUnpin()
			return buffer.Buf{}, err
		}
		if !isDeleted(b.Page()) {
			return b, nil
		}
		block = rightOf(b.Page())
		b.UnlockUnpin()
	}
	return buffer.Buf{}, nil
}

// leftLeaf gives the left neighbour of the page at block, latched shared; an invalid Buf when there is none. As latches are taken left to right
// only, it looks at the page's left link, lets go, and makes sure that the page it comes to is the neighbour: it may have been split.
func (ix *Index) leftLeaf(block uint32) (buffer.Buf, error) {
	for {
		left, here, err := ix.leftLink(block)
		if err != nil || left == noBlock {
			return buffer.Buf{}, err
		}
		block = here
		b, err := ix.rightLeaf(left)
		for err == nil && b.Valid() && rightOf(b.Page()) != block {
			next := rightOf(b.Page())
			b.UnlockUnpin()
			if b, err = ix.rightLeaf(next); err == nil && b.Valid() && b.Block() == block {
				b.UnlockUnpin()
				b = buffer.Buf{} // came past it: the left link has changed, look again
			}
		}
		if err != nil || b.Valid() {
			return b, err
		}
	}
}

// leftLink gives the left link of the page at block, or if that is deleted, of the first page right of it that is not.
func (ix *Index) leftLink(block uint32) (left, here uint32, err error) {
	b, err := ix.rightLeaf(block)
	if err != nil {
		return 0, 0, err
	}
	if !b.Valid() {
		return 0, 0, ix.fellOff()
	}
	defer b.UnlockUnpin()
	return leftOf(b.Page()), b.Block(), nil
}

// TID gives the row of the present entry.
func (s *scan) TID() types.TID { return s.pos.items[s.pos.cur].tid }

// Recheck is false: a btree's conditions are exact.
func (s *scan) Recheck() bool { return false }

// Values gives the present entry's values.
func (s *scan) Values(row types.Row) error {
	t := index.Tuple(s.pos.data[s.pos.items[s.pos.cur].data:])
	s.ix.mustDeform(t, row, s.ix.natts)
	return nil
}

// AllVisible says what ScanOptions.AllVisible said of the present entry's heap block.
func (s *scan) AllVisible() bool { return s.pos.items[s.pos.cur].allVisible }

// Kill notes that the present entry's row is dead to everybody.
func (s *scan) Kill() { s.killed = append(s.killed, s.pos.items[s.pos.cur].off) }

// flushKilled marks the killed entries dead, if the page is as it was when they were read: else a TID may mean another row now.
func (s *scan) flushKilled() {
	if len(s.killed) == 0 {
		return
	}
	defer func() { s.killed = s.killed[:0] }()
	b, err := s.ix.pin(s.pos.block)
	if err != nil {
		return // a hint only
	}
	b.LockShared()
	defer b.UnlockUnpin()
	if b.Version() != s.pos.version {
		return
	}
	for _, off := range s.killed {
		kill(b, off)
	}
}

// Mark remembers the present entry.
func (s *scan) Mark() {
	s.hasMark = s.isOn
	s.markOnPage = s.isOn
	s.mark.cur = s.pos.cur
	s.markArrays = s.markArrays[:0]
	for i := range s.arrays {
		s.markArrays = append(s.markArrays, s.arrays[i].at)
	}
}

// Restore goes back to the marked entry.
func (s *scan) Restore() error {
	s.isOn = s.hasMark
	if !s.hasMark {
		return nil
	}
	for i, at := range s.markArrays {
		s.arrays[i].at = at
		s.setElement(&s.arrays[i])
	}
	if s.markOnPage {
		s.pos.cur = s.mark.cur
		return nil
	}
	s.flushKilled()
	s.pos.copyFrom(&s.mark)
	return nil
}

// Bitmap gives all TIDs to sink.
func (s *scan) Bitmap(sink index.TIDSink) (int64, error) {
	total := int64(0)
	var tids []types.TID
	for {
		ok, err := s.Next(index.Forward)
		if err != nil || !ok {
			return total, err
		}
		tids = tids[:0]
		for i := range s.pos.items {
			tids = append(tids, s.pos.items[i].tid)
		}
		total += int64(len(tids))
		s.pos.cur = len(s.pos.items) - 1
		if err := sink.AddTIDs(tids, false); err != nil {
			return total, err
		}
	}
}
