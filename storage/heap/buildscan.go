package heap

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/xact"
)

// BuildScan gives every version that an index that is being built needs an entry for: tid is the beginning of its HOT chain, isLive is false
// for one that only old snapshots may see (it is exempt from the unique check). The caller has the relation's Share lock or more, and
// nobody but itself has changes in progress (a system catalog under a weaker lock has: they count as done).
//
// A chain that was updated in an indexed column of the new index before the index was there can't be entered whole: its dead members are left
// out, and brokenHOT tells that snapshots older than now must not use the index.
func (r *Relation) BuildScan(s *Session, delay func() error, each func(tid types.TID, slot *Slot, isLive bool) error) (tuples float64, brokenHOT bool, err error) {
	stats := r.stats(s)
	stats.Scan()
	defer func() { stats.Returned(int64(tuples)) }()
	var slot Slot
	slot.Init(r)
	defer slot.Clear()
	b := buildScan{r: r, tx: s.Tx, horizon: r.e.xm.Horizon()}
	for block := uint32(0); block < r.main.NumBlocks(); block++ {
		if delay != nil {
			if err := delay(); err != nil {
				return 0, false, err
			}
		}
		if err := b.page(block, &slot, each); err != nil {
			return 0, false, err
		}
	}
	return b.tuples, b.brokenHOT, nil
}

type buildScan struct {
	r         *Relation
	tx        *xact.Tx
	horizon   xact.XID
	tuples    float64
	brokenHOT bool

	p     []byte // a copy of the page
	roots [page.MaxHeapTuples + 1]uint16
}

func (b *buildScan) page(block uint32, slot *Slot, each func(types.TID, *Slot, bool) error) error {
	buf, err := b.r.main.Pin(block)
	if err != nil {
		return err
	}
	buf.LockShared()
	b.p = copyPage(b.p, buf.Page())
	buf.UnlockUnpin()
	b.findRoots()
	for off := uint16(1); off <= page.MaxOffset(b.p); off++ {
		id := page.Item(b.p, off)
		if id.State() != page.Normal {
			continue
		}
		t := tupleAt(b.p, id)
		enter, isLive := b.judge(&t)
		if !enter {
			continue
		}
		root := off
		if t.h.isHeapOnly() {
			if root = b.roots[off]; root == 0 {
				continue // a leftover of an aborted update
			}
		}
		if isLive {
			b.tuples++
		}
		slot.Clear()
		slot.TID = types.TID{Block: block, Off: off}
		slot.setTuple(t.h, t.base)
		if err := each(types.TID{Block: block, Off: root}, slot, isLive); err != nil {
			return err
		}
	}
	return nil
}

// judge says whether the version needs an entry.
func (b *buildScan) judge(t *tup) (enter, isLive bool) {
	switch t.vacuumState(b.r.e.xm, b.horizon) {
	case vacDead:
		return false, false
	case vacLive, vacInserting:
		return true, true
	}
	if t.h.isHotUpdated() {
		b.brokenHOT = true
		return false, false
	}
	return true, false
}

// findRoots finds the beginning of the chain of each heap-only tuple of the page.
func (b *buildScan) findRoots() {
	clear(b.roots[:])
	for off := uint16(1); off <= page.MaxOffset(b.p); off++ {
		id := page.Item(b.p, off)
		next, prevXmax := uint16(0), xact.InvalidXID
		switch id.State() {
		case page.Redirect:
			next = uint16(id.Off())
		case page.Normal:
			t := tupleAt(b.p, id)
			if t.h.isHeapOnly() || !t.h.isHotUpdated() {
				continue
			}
			next, prevXmax = t.h.ctid().Off, t.xmax()
		}
		for next != 0 {
			id, ok := normalItem(b.p, next)
			if !ok {
				break
			}
			t := tupleAt(b.p, id)
			if prevXmax != 0 && t.xmin() != prevXmax {
				break
			}
			b.roots[next] = off
			if !t.h.isHotUpdated() {
				break
			}
			next, prevXmax = t.h.ctid().Off, t.xmax()
		}
	}
}

// AnalyzePage calls pick for each live tuple of a page, and take with those that it picks in slot, which holds it no longer than that. It counts live and
// dead ones as ANALYZE does: what others are inserting does not count, what they are deleting does.
func (r *Relation) AnalyzePage(s *Session, block uint32, slot *Slot, pick func() bool, take func() error) (live, dead float64, err error) {
	if block >= r.main.NumBlocks() {
		return 0, 0, nil
	}
	buf, err := r.main.Pin(block)
	if err != nil {
		return 0, 0, err
	}
	slot.Clear()
	buf.LockShared()
	slot.own = copyPage(slot.own[:0], buf.Page())
	buf.UnlockUnpin()
	p, horizon := slot.own, r.e.xm.Horizon()
	allVisible := page.Flags(p)&page.AllVisible != 0
	for off := uint16(1); off <= page.MaxOffset(p); off++ {
		id := page.Item(p, off)
		if id.State() == page.Dead {
			dead++
		}
		if id.State() != page.Normal {
			continue
		}
		t := tupleAt(p, id)
		sample, state := false, vacLive
		if !allVisible {
			state = t.vacuumState(r.e.xm, horizon)
		}
		switch state {
		case vacLive:
			sample = true
		case vacInserting:
			sample = s.Tx.IsCurrent(t.xmin())
		case vacDeleting:
			if sample = !s.Tx.IsCurrent(t.xmax()); !sample {
				dead++
			}
		default:
			dead++
		}
		if !sample {
			continue
		}
		live++
		if !pick() {
			continue
		}
		slot.TID = types.TID{Block: block, Off: off}
		slot.setTuple(t.h, t.base)
		if err := take(); err != nil {
			return live, dead, err
		}
	}
	slot.Clear()
	return live, dead, nil
}

// copyPage copies a latched page. Others may set hints meanwhile, so words are read as such where the race detector looks.
func copyPage(dst, src []byte) []byte {
	if !raceEnabled {
		return append(dst[:0], src...)
	}
	dst = dst[:0]
	for at := 0; at < len(src); at += 4 {
		dst = le.AppendUint32(dst, page.LoadHint32(src, at))
	}
	return dst
}
