package heap

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/xact"
)

var errNotOwnTuple = pgerr.Internal("a speculative insertion is not this transaction's tuple")

// normalItem gives line pointer off when it points at a tuple.
func normalItem(p []byte, off uint16) (page.ItemID, bool) {
	if off < 1 || off > page.MaxOffset(p) {
		return 0, false
	}
	id := page.Item(p, off)
	return id, id.State() == page.Normal
}

// tupleAt looks at the tuple behind a line pointer of a latched page.
func tupleAt(p []byte, id page.ItemID) tup {
	return tup{page: p, at: id.Off(), h: header(page.ItemBytes(p, id)), base: page.XidBase(p)}
}

// FetchHOT puts the version that snap sees of the row whose chain begins at tid, which is what an index entry points at, into slot. allDead:
// nobody sees any version of the chain any more, so the entry may be killed. The slot keeps a pin, no latch.
func (r *Relation) FetchHOT(s *Session, tid types.TID, snap *Snapshot, slot *Slot) (found, allDead bool, err error) {
	slot.Clear()
	if tid.Block >= r.main.NumBlocks() {
		return false, false, nil
	}
	buf, err := r.main.Pin(tid.Block)
	if err != nil {
		return false, false, err
	}
	buf.LockShared()
	if r.worthPruning(buf.Page()) {
		buf.Unlock()
		if err := r.pruneIfFree(s, buf); err != nil {
			buf.Unpin()
			return false, false, err
		}
		buf.LockShared()
	}
	off, allDead := r.searchChain(buf.Page(), tid, snap)
	if off == 0 {
		buf.UnlockUnpin()
		return false, allDead, nil
	}
	slot.load(buf, off)
	buf.Unlock()
	return true, false, nil
}

// searchChain walks the HOT chain from tid on a latched page to the version that snap sees, 0 = none.
func (r *Relation) searchChain(p []byte, tid types.TID, snap *Snapshot) (off uint16, allDead bool) {
	m := r.e.xm
	off, allDead = tid.Off, true
	atStart, prevXmax := true, xact.InvalidXID
	for {
		if off < 1 || off > page.MaxOffset(p) {
			return 0, allDead
		}
		id := page.Item(p, off)
		if id.State() == page.Redirect && atStart {
			off, atStart = uint16(id.Off()), false
			continue
		}
		if id.State() != page.Normal {
			return 0, allDead
		}
		t := tupleAt(p, id)
		if atStart && t.h.isHeapOnly() || prevXmax != 0 && prevXmax != t.xmin() {
			return 0, allDead
		}
		if t.visible(m, snap) {
			return off, false
		}
		if allDead && t.vacuumState(m, m.RecentHorizon()) != vacDead {
			allDead = false
		}
		if !t.h.isHotUpdated() {
			return 0, allDead
		}
		prevXmax, atStart = t.xmax(), false
		off = t.h.ctid().Off
	}
}

// FetchVersion puts exactly the version at tid into slot, if snap sees it. The slot keeps a pin, no latch.
func (r *Relation) FetchVersion(s *Session, tid types.TID, snap *Snapshot, slot *Slot) (found bool, err error) {
	slot.Clear()
	if tid.Block >= r.main.NumBlocks() {
		return false, nil
	}
	buf, err := r.main.Pin(tid.Block)
	if err != nil {
		return false, err
	}
	buf.LockShared()
	if id, ok := normalItem(buf.Page(), tid.Off); ok {
		t := tupleAt(buf.Page(), id)
		if t.visible(r.e.xm, snap) {
			slot.load(buf, tid.Off)
			buf.Unlock()
			return true, nil
		}
	}
	buf.UnlockUnpin()
	return false, nil
}

// FetchLatest follows the chain of updates from tid, over pages, and gives the place of the last version that snap sees; tid itself when it
// sees none (currtid2, TID scans of WHERE CURRENT OF).
func (r *Relation) FetchLatest(s *Session, tid types.TID, snap *Snapshot) (types.TID, error) {
	latest, prevXmax := tid, xact.InvalidXID
	for tid.Block < r.main.NumBlocks() {
		next, xmax, seen, err := r.stepChain(tid, prevXmax, snap)
		if err != nil {
			return latest, err
		}
		if seen {
			latest = tid
		}
		if !next.IsValid() {
			break
		}
		tid, prevXmax = next, xmax
	}
	return latest, nil
}

// stepChain looks at one version of a chain of updates, whose xmin has to be prevXmax unless that is 0.
func (r *Relation) stepChain(tid types.TID, prevXmax xact.XID, snap *Snapshot) (next types.TID, xmax xact.XID, seen bool, err error) {
	buf, err := r.main.Pin(tid.Block)
	if err != nil {
		return next, 0, false, err
	}
	defer buf.Unpin()
	buf.LockShared()
	defer buf.Unlock()
	id, ok := normalItem(buf.Page(), tid.Off)
	if !ok {
		return next, 0, false, nil
	}
	t := tupleAt(buf.Page(), id)
	if prevXmax != 0 && prevXmax != t.xmin() {
		return next, 0, false, nil
	}
	seen = t.visible(r.e.xm, snap)
	if t.xmaxStatus(r.e.xm, t.infomask()) != xact.Aborted && t.h.ctid() != tid {
		next, xmax = t.h.ctid(), t.xmax()
	}
	return next, xmax, seen, nil
}
