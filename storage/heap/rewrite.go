package heap

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/xact"
)

// CopyTo copies every version of r that somebody may see to dst, a relation of the same columns whose storage is new in this transaction:
// VACUUM FULL and CLUSTER. The versions keep who made and who deleted them, so that old snapshots see in dst what they saw in r; links from a
// deleted version to its successor are not kept (who held such a version meets Deleted, not Updated). The caller has the AccessExclusive
// lock and makes the indexes afterwards. It gives the number of live rows.
func (r *Relation) CopyTo(s *Session, dst *Relation, delay func() error) (live float64, err error) {
	xid, err := s.Tx.XID()
	if err != nil {
		return 0, err
	}
	c := copier{from: r, to: dst, s: s, xid: xid, horizon: r.e.xm.Horizon()}
	for block := uint32(0); block < r.main.NumBlocks(); block++ {
		if delay != nil {
			if err := delay(); err != nil {
				return c.live, err
			}
		}
		if err := c.page(block); err != nil {
			return c.live, err
		}
	}
	return c.live, nil
}

type copier struct {
	from, to *Relation
	s        *Session
	xid      xact.XID
	horizon  xact.XID
	live     float64
	p        []byte
	row      types.Row
}

func (c *copier) page(block uint32) error {
	buf, err := c.from.main.Pin(block)
	if err != nil {
		return err
	}
	buf.LockShared()
	c.p = copyPage(c.p, buf.Page())
	buf.UnlockUnpin()
	for off := uint16(1); off <= page.MaxOffset(c.p); off++ {
		id := page.Item(c.p, off)
		if id.State() != page.Normal {
			continue
		}
		t := tupleAt(c.p, id)
		state := t.vacuumState(c.from.e.xm, c.horizon)
		if state == vacDead {
			continue
		}
		if state == vacLive || state == vacInserting {
			c.live++
		}
		if err := c.tuple(&t); err != nil {
			return err
		}
	}
	return nil
}

// tuple puts one version into the new relation.
func (c *copier) tuple(t *tup) error {
	var slot Slot
	slot.Rel = c.from
	slot.Row = c.row
	if n := c.from.Layout.NumAttrs(); len(slot.Row) < n {
		slot.Row = make(types.Row, n)
	}
	slot.setTuple(t.h, t.base)
	if err := slot.DeformAll(); err != nil {
		return err
	}
	c.row = slot.Row
	for i := range c.row {
		if c.to.Layout.Desc.Attrs[i].Dropped {
			c.row[i] = types.Null
		}
	}
	h, err := c.to.formToast(c.s, c.row, nil, c.xid)
	if err != nil {
		return err
	}
	if t.xmaxStatus(c.from.e.xm, t.infomask()) != xact.Aborted {
		for _, p := range c.s.newValues {
			if err := c.dropValue(p, t.xmax()); err != nil {
				return err
			}
		}
	}
	buf, err := c.to.pageWithRoom(c.s, c.xid, len(h))
	if err != nil {
		return err
	}
	defer buf.UnlockUnpin()
	c.keep(t, h, page.XidBase(buf.Page()))
	tid := types.TID{Block: buf.Block(), Off: nextOffset(buf.Page())}
	putCTID(h[offCTID:], tid)
	if _, err := page.AddItem(buf.Edit(), h, tid.Off, page.AddOverwrite|page.AddHeap); err != nil {
		return err
	}
	if h.rawXmax() != 0 {
		prunable(buf, fullXID(page.XidBase(buf.Page()), h.rawXmax()))
	}
	c.to.e.pool.ApplyPages(buf)
	return nil
}

// dropValue lets a wide value go with the version that has it, which xmax deleted.
func (c *copier) dropValue(p toastPointer, xmax xact.XID) error {
	var hold toastHold
	defer hold.unlock()
	ch := c.s.change(c.to.e)
	defer ch.Reset()
	buf, err := c.to.holdToast(ch, &hold, p)
	if err != nil {
		return err
	}
	if err := c.to.markDropped(buf, p, xmax); err != nil {
		return err
	}
	c.to.e.pool.Apply(ch)
	return nil
}

// keep gives the new tuple the old one's transactions, on a page with that base. An aborted deleter is left out; an inserter that does not fit
// the base is behind the horizon, and frozen.
func (c *copier) keep(t *tup, h header, base uint64) {
	m := c.from.e.xm
	mask := h.infomask() &^ (xminFrozen | xmaxBits)
	old := t.infomask()
	xmin := t.xmin()
	switch {
	case old&xminFrozen == xminFrozen, xmin < c.horizon && t.xminStatus(m, old) == xact.Committed:
		le.PutUint32(h[offXmin:], uint32(xact.FrozenXID))
		mask |= xminFrozen
	default:
		le.PutUint32(h[offXmin:], rawXID(base, xmin))
	}
	if t.xmaxStatus(m, old) == xact.Aborted {
		mask |= xmaxInvalid
	} else {
		le.PutUint32(h[offXmax:], rawXID(base, t.xmax()))
		le.PutUint16(h[offInfomask2:], h.infomask2()|t.h.infomask2()&keysUpdated)
	}
	mask |= old & comboCID
	le.PutUint32(h[offCID:], uint32(t.h.cid()))
	le.PutUint16(h[offInfomask:], mask)
}
