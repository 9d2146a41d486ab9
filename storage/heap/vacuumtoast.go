package heap

import (
	"slices"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/xact"
)

// toast vacuums the fork of wide values: chunks of aborted transactions go one by one; values that were dropped behind the horizon go as a
// whole, from their last chunk to the first.
func (v *vacuum) toast() error {
	for b := uint32(0); b < v.r.toast.NumBlocks(); b++ {
		if err := v.o.Delay(); err != nil {
			return err
		}
		dropped, err := v.scanToastPage(b)
		if err != nil {
			return err
		}
		for _, first := range dropped {
			if err := v.removeValue(first); err != nil {
				return err
			}
		}
	}
	return nil
}

// scanToastPage frees the chunks that were never committed, freezes, and lists the first chunks of dropped values. Readers copy chunks under the
// latch, so the exclusive latch suffices to move them.
func (v *vacuum) scanToastPage(block uint32) (dropped []types.TID, err error) {
	buf, err := v.lockToast(block)
	if err != nil {
		return nil, err
	}
	defer buf.UnlockUnpin()
	p, m := buf.Page(), v.r.e.xm
	var gone []uint16
	for off := uint16(1); off <= page.MaxOffset(p); off++ {
		id, ok := normalItem(p, off)
		if !ok {
			continue
		}
		t := tupleAt(p, id)
		if t.xminStatus(m, t.infomask()) == xact.Aborted {
			gone = append(gone, off)
			continue
		}
		if !t.h.isHeapOnly() && t.vacuumState(m, v.horizon) == vacDead {
			dropped = append(dropped, types.TID{Block: block, Off: off})
			continue
		}
		v.freezeTuple(buf, id, &t)
		if t.infomask()&xminFrozen != xminFrozen {
			v.oldest = min(v.oldest, t.xmin())
		}
		if t.h.rawXmax() != 0 {
			v.oldest = min(v.oldest, t.xmax())
		}
	}
	return dropped, v.freeChunks(buf, gone)
}

func (v *vacuum) lockToast(block uint32) (buffer.Buf, error) {
	buf, err := v.r.toast.Pin(block)
	if err != nil {
		return buffer.Buf{}, err
	}
	if err := buf.LockExclusive(v.s.Cancel); err != nil {
		buf.Unpin()
		return buffer.Buf{}, err
	}
	return buf, nil
}

// freeChunks frees chunks of a latched page, applies, and notes the page's room.
func (v *vacuum) freeChunks(buf buffer.Buf, offs []uint16) error {
	if page.IsNew(buf.Page()) {
		return nil
	}
	if len(offs) > 0 {
		e := buf.Edit()
		for _, off := range offs {
			e.PutItem(off, 0)
		}
		if err := page.RepairFragmentation(e); err != nil {
			return err
		}
	}
	v.r.e.pool.ApplyPages(buf)
	v.r.room.set(buf.Block(), page.HeapFreeSpace(buf.Page()))
	return nil
}

// removeValue frees the chunks of a value, last first: as long as any is there, the first one is, and tells that they are its.
func (v *vacuum) removeValue(first types.TID) error {
	chunks, err := v.chunks(first)
	if err != nil {
		return err
	}
	slices.Reverse(chunks)
	for i := 0; i < len(chunks); {
		j := i
		var offs []uint16
		for j < len(chunks) && chunks[j].Block == chunks[i].Block {
			offs = append(offs, chunks[j].Off)
			j++
		}
		buf, err := v.lockToast(chunks[i].Block)
		if err != nil {
			return err
		}
		err = v.freeChunks(buf, offs)
		buf.UnlockUnpin()
		if err != nil {
			return err
		}
		i = j
	}
	return nil
}

// chunks lists the places of a value's chunks that are there, the first one first.
func (v *vacuum) chunks(first types.TID) (tids []types.TID, err error) {
	tid := first
	for n := uint32(0); tid.Block < v.r.toast.NumBlocks(); n++ {
		buf, err := v.r.toast.Pin(tid.Block)
		if err != nil {
			return nil, err
		}
		buf.LockShared()
		h, ok := chunkAt(buf.Page(), tid.Off, first, n)
		next := tid
		if ok {
			tids = append(tids, tid)
			next = h.ctid()
		}
		buf.UnlockUnpin()
		if next == tid {
			break
		}
		tid = next
	}
	return tids, nil
}
