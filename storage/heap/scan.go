package heap

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/pgstat"
	"github.com/calfdb/calf/storage/tuple"
)

// ScanOpts bound a scan. The zero value is the whole relation.
type ScanOpts struct {
	// First and Blocks are a block range; Blocks 0 = from First to the end as it is when the scan begins.
	First, Blocks uint32
	// TIDMin and TIDMax bound the places, both included; the zero TID = no bound.
	TIDMin, TIDMax types.TID
	// NoPrune leaves pages as they are.
	NoPrune bool
}

// Scan goes over the versions that a snapshot sees, a page at a time: all of a page are judged under one share latch, and their places
// remembered. Between calls of Next a scan holds no latch and at most one pin, which the slot has.
type Scan struct {
	r    *Relation
	s    *Session
	stat *pgstat.Table
	snap *Snapshot
	o    ScanOpts

	first, end uint32 // blocks [first, end)
	block      uint32
	state      scanState
	n, at      int // tuples of the page, and the current one
	items      [page.MaxHeapTuples]scanItem
	buf        buffer.Buf // the page, pinned
	reader     buffer.Scan
}

// scanItem is what a slot has to know of a tuple, read under the latch: afterwards only the pin protects the tuple, whose header others
// may change.
type scanItem struct {
	off     uint16 // line pointer
	at, len uint16 // bytes in the page; len 0 = the tuple has gone
	natts   uint16
	hoff    uint8
	hasNull bool
}

type scanState uint8

const (
	scanFresh  scanState = iota // has not begun
	scanBefore                  // before the first tuple
	scanOn
	scanAfter // behind the last
)

// BeginScan starts a scan. snap stays as it is until End.
func (r *Relation) BeginScan(s *Session, snap *Snapshot, o ScanOpts) *Scan {
	sc := &Scan{}
	sc.Begin(r, s, snap, o)
	return sc
}

// Begin is BeginScan in place, for a scan that is used again.
func (sc *Scan) Begin(r *Relation, s *Session, snap *Snapshot, o ScanOpts) {
	sc.End()
	sc.r, sc.s, sc.snap, sc.o = r, s, snap, o
	sc.stat = r.stats(s)
	sc.Rescan()
}

// Rescan goes back to before the first tuple, and sees the relation's size of now.
func (sc *Scan) Rescan() {
	sc.Release()
	n := sc.r.main.NumBlocks()
	sc.first, sc.end = min(sc.o.First, n), n
	if sc.o.Blocks != 0 {
		sc.end = min(n, sc.first+sc.o.Blocks)
	}
	if sc.o.TIDMin.IsValid() {
		sc.first = max(sc.first, sc.o.TIDMin.Block)
	}
	if sc.o.TIDMax.IsValid() && sc.o.TIDMax.Block < sc.end {
		sc.end = sc.o.TIDMax.Block + 1
	}
	sc.reader.Reset(sc.r.main)
	sc.stat.Scan()
	sc.state, sc.n, sc.at = scanFresh, 0, 0
}

// Release lets the scan's pin go without losing its place: before a wait, and between the runs of a portal.
func (sc *Scan) Release() {
	if sc.buf.Valid() {
		sc.buf.Unpin()
		sc.buf = buffer.Buf{}
	}
}

// End ends the scan. A slot that it filled stays as it is.
func (sc *Scan) End() { sc.Release() }

// Next puts the next tuple into slot; false behind the last, and the slot is empty then.
func (sc *Scan) Next(slot *Slot) (bool, error) {
	if sc.state == scanFresh || sc.state == scanBefore {
		sc.state = scanOn
		if err := sc.openPage(sc.first); err != nil {
			return false, err
		}
		sc.at = -1
	}
	for sc.state == scanOn {
		for sc.at++; sc.at < sc.n; sc.at++ {
			if ok, err := sc.emit(slot); ok || err != nil {
				sc.stat.Returned(1)
				return ok, err
			}
		}
		if sc.block+1 >= sc.end {
			sc.state = scanAfter
			break
		}
		if err := sc.openPage(sc.block + 1); err != nil {
			return false, err
		}
		sc.at = -1
	}
	slot.Clear()
	sc.Release()
	return false, nil
}

// Prev puts the tuple before the current one into slot; from behind the last, or as the first step, the last one.
func (sc *Scan) Prev(slot *Slot) (bool, error) {
	if sc.state == scanFresh || sc.state == scanAfter {
		sc.state = scanOn
		if err := sc.openPage(max(sc.end, 1) - 1); err != nil {
			return false, err
		}
		sc.at = sc.n
	}
	for sc.state == scanOn {
		for sc.at--; sc.at >= 0; sc.at-- {
			if ok, err := sc.emit(slot); ok || err != nil {
				sc.stat.Returned(1)
				return ok, err
			}
		}
		if sc.block <= sc.first {
			sc.state = scanBefore
			break
		}
		if err := sc.openPage(sc.block - 1); err != nil {
			return false, err
		}
		sc.at = sc.n
	}
	slot.Clear()
	sc.Release()
	return false, nil
}

// emit puts the current tuple into slot. False when it has gone, which happens to snapshots that hold no horizon.
func (sc *Scan) emit(slot *Slot) (bool, error) {
	if !sc.buf.Valid() {
		if err := sc.reopen(); err != nil {
			return false, err
		}
	}
	it := &sc.items[sc.at]
	if it.len == 0 {
		return false, nil
	}
	if slot.buf != sc.buf {
		slot.unpin()
		slot.buf = sc.buf.Repin()
	}
	p := sc.buf.Page()
	slot.TID = types.TID{Block: sc.block, Off: it.off}
	slot.h, slot.base = header(p[it.at:it.at+it.len:it.at+it.len]), page.XidBase(p)
	slot.st = tuple.State{}
	slot.parts = tuple.Stored{Data: slot.h[it.hoff:], NAtts: int(it.natts)}
	if it.hasNull {
		slot.parts.Bitmap = slot.h[headerSize : headerSize+tuple.BitmapLen(int(it.natts))]
		slot.copyForRace()
	}
	return true, nil
}

// reopen takes the page's pin again after Release. Tuples may have moved within the page meanwhile.
func (sc *Scan) reopen() error {
	buf, err := sc.r.main.Pin(sc.block)
	if err != nil {
		return err
	}
	sc.buf = buf
	buf.LockShared()
	defer buf.Unlock()
	for i := range sc.items[:sc.n] {
		it := &sc.items[i]
		if id, ok := normalItem(buf.Page(), it.off); ok {
			it.fill(it.off, id, header(page.ItemBytes(buf.Page(), id)))
		} else {
			it.len = 0
		}
	}
	return nil
}

func (it *scanItem) fill(off uint16, id page.ItemID, h header) {
	w := h.word()
	*it = scanItem{off: off, at: uint16(id.Off()), len: uint16(id.Len()), natts: uint16(h.natts()), hoff: uint8(w >> 16), hasNull: w&hasNull != 0}
}

// openPage goes to a block and judges its tuples.
func (sc *Scan) openPage(block uint32) error {
	sc.Release()
	sc.block, sc.n = block, 0
	if block >= sc.end {
		return nil
	}
	buf, err := sc.reader.Pin(block)
	if err != nil {
		return err
	}
	sc.buf = buf
	buf.LockShared()
	if !sc.o.NoPrune && sc.r.worthPruning(buf.Page()) {
		buf.Unlock()
		if err := sc.r.pruneIfFree(sc.s, buf); err != nil {
			return err
		}
		buf.LockShared()
	}
	sc.judge(buf.Page())
	buf.Unlock()
	return nil
}

// judge remembers the places of the tuples that the snapshot sees, on a latched page.
func (sc *Scan) judge(p []byte) {
	allVisible := page.Flags(p)&page.AllVisible != 0 && sc.snap.Kind == MVCC
	m := sc.r.e.xm
	lo, hi := uint16(1), min(page.MaxOffset(p), page.MaxHeapTuples)
	if sc.o.TIDMin.IsValid() && sc.o.TIDMin.Block == sc.block {
		lo = max(lo, sc.o.TIDMin.Off)
	}
	if sc.o.TIDMax.IsValid() && sc.o.TIDMax.Block == sc.block {
		hi = min(hi, sc.o.TIDMax.Off)
	}
	base := page.XidBase(p)
	for off := lo; off <= hi; off++ {
		id := page.Item(p, off)
		if id.State() != page.Normal {
			continue
		}
		h := header(page.ItemBytes(p, id))
		if !allVisible {
			t := tup{page: p, at: id.Off(), h: h, base: base}
			if !t.visible(m, sc.snap) {
				continue
			}
		}
		sc.items[sc.n].fill(off, id, h)
		sc.n++
	}
}
