package heap

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/xact"
)

// LockOpts of LockTuple.
type LockOpts struct {
	Command Command // that locks
	Mode    LockMode
	Wait    WaitPolicy
	// FollowUpdates goes on to the newest version when the one at tid was updated by a transaction that committed: what READ COMMITTED
	// re-checks. A row that went to another partition is an error then.
	FollowUpdates bool
}

// LockTuple locks the version at tid until the (sub)transaction ends, and puts it into slot, pinned. traversed: it is a newer version of the
// row, to be checked again. The caller holds a snapshot that sees the version at tid, and no latch.
func (r *Relation) LockTuple(s *Session, tid types.TID, slot *Slot, o LockOpts) (res Result, c Conflict, traversed bool, err error) {
	slot.Clear()
	a := attempt{r: r, s: s, tid: tid}
	if a.xid, err = s.Tx.XID(); err != nil {
		return 0, c, false, err
	}
	if a.cid = s.Tx.CID(); o.Command.given {
		a.cid = o.Command.cid
	}
	defer a.leave()
	prevXmax := xact.InvalidXID
	for {
		var waitFor xact.XID
		res, c, waitFor, err = a.lock(slot, o, prevXmax)
		switch {
		case err != nil:
			return 0, c, false, err
		case waitFor != 0:
			switch o.Wait {
			case WaitSkip:
				slot.Clear()
				return WouldBlock, c, traversed, nil
			case WaitError:
				slot.Clear()
				return 0, c, false, pgerr.New(pgerr.LockNotAvailable, "could not obtain lock on row in relation %q", r.Name)
			}
			op := WaitLock
			if traversed {
				op = WaitFetchUpdated
			}
			slot.Clear()
			if err := a.wait(waitFor, op, o.Mode); err != nil {
				return 0, c, false, err
			}
		case res == Updated && o.FollowUpdates:
			if c.CTID == MovedTID {
				return 0, c, false, pgerr.New(pgerr.TRSerializationFailure, "tuple to be locked was already moved to another partition due to concurrent update")
			}
			a.leave()
			a.tid, prevXmax, traversed = c.CTID, c.Xmax, true
		default:
			return res, c, traversed, nil
		}
	}
}

// lock is one attempt. prevXmax, if not 0, is the updater that made the version at a.tid: another xmin there means that the row is gone.
func (a *attempt) lock(slot *Slot, o LockOpts, prevXmax xact.XID) (res Result, c Conflict, waitFor xact.XID, err error) {
	r := a.r
	if a.tid.Block >= r.main.NumBlocks() {
		return 0, c, 0, r.errNoTuple(a.tid)
	}
	buf, err := r.main.Pin(a.tid.Block)
	if err != nil {
		return 0, c, 0, err
	}
	buf.LockShared()
	keep := false
	defer func() {
		buf.Unlock()
		if !keep {
			buf.Unpin()
		}
	}()
	id, ok := normalItem(buf.Page(), a.tid.Off)
	if !ok {
		if prevXmax != 0 {
			return Deleted, Conflict{CTID: a.tid, Xmax: prevXmax}, 0, nil
		}
		return 0, c, 0, r.errNoTuple(a.tid)
	}
	t := tupleAt(buf.Page(), id)
	if prevXmax != 0 && t.xmin() != prevXmax {
		return Deleted, Conflict{CTID: a.tid, Xmax: prevXmax}, 0, nil
	}
	if prevXmax != 0 {
		if res, c = a.ownChange(&t, prevXmax); res != OK {
			return res, c, 0, nil
		}
	}
	res, c, _ = a.judge(&t, o.Mode, false)
	inUpdate := false
	if (res == BeingModified || res == Updated) && c.Xmax == t.xmax() && !o.Mode.Conflicts(t.changeMode()) {
		// Its updater leaves the key alone, and that is all that is locked, be it committed or not: the lock goes on every version there is.
		if holder := a.rowLockConflict(&t, o.Mode); holder != 0 {
			return BeingModified, Conflict{Xmax: holder}, holder, nil
		}
		res, inUpdate = OK, true
	}
	switch {
	case res == BeingModified:
		return res, c, c.Xmax, nil
	case res != OK:
		return res, c, 0, nil
	}
	if a.s.Waiter != nil && !r.NoRowLocks {
		if holder, ok := a.s.Waiter.TryRowLock(r.rowKey(&t, a.tid), o.Mode); !ok {
			return BeingModified, Conflict{Xmax: holder}, holder, nil
		}
	}
	if inUpdate {
		next, xmax := t.h.ctid(), t.xmax()
		buf.Unlock()
		res, waitFor, err = a.lockNewer(next, xmax, o.Mode)
		buf.LockShared()
		if res != OK {
			return res, Conflict{CTID: next, Xmax: xmax}, 0, err
		}
	}
	slot.Rel = r
	slot.load(buf, a.tid.Off)
	keep = true
	return OK, Conflict{}, waitFor, err
}

// ownChange looks at a version that was come to along the chain for what this transaction did to the row: a version that it replaced or deleted, in
// whichever command, is not the newest; one that it made in the present command or later can't be locked. OK: neither.
func (a *attempt) ownChange(t *tup, prevXmax xact.XID) (Result, Conflict) {
	tx := a.s.Tx
	switch {
	case t.xmaxStatus(a.r.e.xm, t.infomask()) == xact.InProgress && tx.IsCurrent(t.xmax()):
		c := Conflict{CTID: t.h.ctid(), Xmax: t.xmax(), Cmax: t.cmax(tx)}
		if c.CTID == a.tid {
			return Deleted, c
		}
		return Updated, c
	case tx.IsCurrent(prevXmax) && t.cmin(tx) >= a.cid:
		return SelfModified, Conflict{CTID: a.tid, Xmax: prevXmax, Cmax: t.cmin(tx)}
	}
	return OK, Conflict{}
}

// changeMode is the strength of lock that the change recorded in xmax stands for.
func (t *tup) changeMode() LockMode {
	if t.h.infomask2()&keysUpdated != 0 {
		return LockUpdate
	}
	return LockNoKeyUpdate
}

// lockNewer puts the row lock on the versions that an update has made of a version that was just locked. The result is not OK when one of them
// was since changed in a way that the lock excludes; waitFor is one who does so now.
func (a *attempt) lockNewer(tid types.TID, prevXmax xact.XID, mode LockMode) (res Result, waitFor xact.XID, err error) {
	r := a.r
	for tid.Block < r.main.NumBlocks() {
		buf, err := r.main.Pin(tid.Block)
		if err != nil {
			return OK, 0, err
		}
		buf.LockShared()
		next, xmax, holder := types.TID{}, xact.InvalidXID, xact.InvalidXID
		res = OK
		if id, ok := normalItem(buf.Page(), tid.Off); ok {
			t := tupleAt(buf.Page(), id)
			if t.xmin() == prevXmax {
				res, next, xmax, holder = a.lockNewerVersion(&t, tid, mode)
			}
		}
		buf.UnlockUnpin()
		if res != OK || holder != 0 || !next.IsValid() || next == tid {
			return res, holder, nil
		}
		tid, prevXmax = next, xmax
	}
	return OK, 0, nil
}

// lockNewerVersion locks one version, and gives the next one if there is.
func (a *attempt) lockNewerVersion(t *tup, tid types.TID, mode LockMode) (res Result, next types.TID, xmax, holder xact.XID) {
	if holder, ok := a.s.Waiter.TryRowLock(a.r.rowKey(t, tid), mode); !ok {
		return OK, next, 0, holder
	}
	conflict := mode.Conflicts(t.changeMode()) && !a.s.Tx.IsCurrent(t.xmax())
	switch t.xmaxStatus(a.r.e.xm, t.infomask()) {
	case xact.Aborted:
		return OK, next, 0, 0
	case xact.InProgress:
		if conflict {
			return OK, next, 0, t.xmax()
		}
	default:
		if conflict && t.h.ctid() == tid {
			return Deleted, next, 0, 0
		}
		if conflict {
			return Updated, next, 0, 0
		}
	}
	return OK, t.h.ctid(), t.xmax(), 0
}
