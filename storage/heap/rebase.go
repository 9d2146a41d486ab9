package heap

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/xact"
)

// fitXID makes sure that xid can be stored on a latched page: that it is within 32 bits of the page's base. Almost always it is. When not,
// after four billion transactions that left the page alone, its old ids are frozen and the base moves up.
//
// Freezing an id that is behind the horizon changes nothing that anybody sees. Only the exclusive latch is held, so nothing moves.
func (r *Relation) fitXID(buf buffer.Buf, xid xact.XID) error {
	p := buf.Page()
	if uint64(xid)-page.XidBase(p) <= 1<<32-1 {
		return nil
	}
	base, horizon := baseFor(xid), r.e.xm.Horizon()
	if horizon < xact.XID(base)+xact.FirstXID {
		return pgerr.New(pgerr.ProgramLimitExceeded, "transaction %d has been running for two billion others", horizon)
	}
	r.rebase(buf, base)
	return nil
}

// rebase moves the page's base up, to one that the ids that are not behind the horizon fit.
func (r *Relation) rebase(buf buffer.Buf, base uint64) {
	p := buf.Page()
	old := page.XidBase(p)
	e := buf.Edit()
	e.Image()
	for off := uint16(1); off <= page.MaxOffset(p); off++ {
		id := page.Item(p, off)
		if id.State() != page.Normal {
			continue
		}
		t := tupleAt(p, id)
		mask := t.infomask()
		xmin, mask := r.rebaseXmin(&t, mask, base)
		xmax, mask := r.rebaseXmax(&t, mask, base)
		e.Put32(id.Off()+offXmin, xmin)
		e.Put32(id.Off()+offXmax, xmax)
		e.Put16(id.Off()+offInfomask, mask)
	}
	if raw := page.PruneXid(p); raw != 0 {
		x := fullXID(old, raw)
		e.Put32(page.OffPruneXid, rawXID(base, max(x, xact.XID(base)+xact.FirstXID)))
	}
	e.Put64(page.OffXidBase, base)
}

// rebaseXmin gives the stored xmin under another base, and the infomask with what has to be remembered of an id that no longer fits.
func (r *Relation) rebaseXmin(t *tup, mask uint16, base uint64) (raw uint32, newMask uint16) {
	xmin := t.xmin()
	if xmin < xact.FirstXID || xmin >= xact.XID(base)+xact.FirstXID {
		return rawXID(base, xmin), mask
	}
	if t.xminStatus(r.e.xm, mask) == xact.Aborted {
		return uint32(xact.FrozenXID), mask&^xminFrozen | xminInvalid
	}
	return uint32(xact.FrozenXID), mask | xminFrozen
}

// rebaseXmax is rebaseXmin for xmax. A deleter that committed behind the horizon becomes one that everybody knows to have committed.
func (r *Relation) rebaseXmax(t *tup, mask uint16, base uint64) (raw uint32, newMask uint16) {
	xmax := t.xmax()
	if xmax < xact.FirstXID || xmax >= xact.XID(base)+xact.FirstXID {
		return rawXID(base, xmax), mask
	}
	if t.xmaxStatus(r.e.xm, mask) == xact.Aborted {
		return 0, mask&^xmaxBits | xmaxInvalid
	}
	return uint32(xact.FrozenXID), mask&^xmaxBits | xmaxCommitted
}
