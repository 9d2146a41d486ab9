package heap

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/xact"
)

// What Delete, Update and LockTuple have in common: judging a version for a change, waiting, and marking a version as changed.

// Conflict tells what stood in the way of a change.
type Conflict struct {
	CTID types.TID // Updated: the next version's place
	Xmax xact.XID  // who changed the version; for BeingModified, whom to wait for
	Cmax xact.CID  // SelfModified: in which command
}

// MovedTID is the ctid of a version whose row went to another partition.
var MovedTID = types.TID{Block: 1<<32 - 1, Off: 0xfffd}

// attempt is one try of a change of the version at tid.
type attempt struct {
	r          *Relation
	s          *Session
	tid        types.TID
	xid        xact.XID
	cid        xact.CID
	crosscheck *Snapshot

	holdsLock bool // the transaction has a lock on the version that the last attempt found in use
	queued    bool // for the row at queueTID
	queueTID  types.TID
	queueMode LockMode
}

// judge says whether the version may be changed by a change of the given strength. waitFor, if not 0, is a transaction to wait for before
// the next attempt. The page is latched, exclusively for an OK that is acted on.
func (a *attempt) judge(t *tup, mode LockMode, wait bool) (res Result, c Conflict, waitFor xact.XID) {
	m := a.r.e.xm
	res = t.forUpdate(m, a.s.Tx, a.cid, a.tid)
	if res == OK && a.crosscheck != nil && !t.visible(m, a.crosscheck) {
		res = Updated
	}
	switch res {
	case OK:
		if holder := a.rowLockConflict(t, mode); holder != 0 {
			res, c.Xmax = BeingModified, holder
		}
	case Invisible:
	case SelfModified:
		c = Conflict{CTID: t.h.ctid(), Xmax: t.xmax(), Cmax: t.cmax(a.s.Tx)}
	default:
		c = Conflict{CTID: t.h.ctid(), Xmax: t.xmax()}
	}
	if res == BeingModified {
		a.holdsLock = a.s.Waiter != nil && !a.r.NoRowLocks && a.s.Waiter.HoldsRow(a.r.rowKey(t, a.tid))
		if wait {
			waitFor = c.Xmax
		}
	}
	return res, c, waitFor
}

func (a *attempt) rowLockConflict(t *tup, mode LockMode) xact.XID {
	if a.r.NoRowLocks || a.s.Waiter == nil {
		return 0
	}
	return a.s.Waiter.RowLockConflict(a.r.rowKey(t, a.tid), mode)
}

func (r *Relation) rowKey(t *tup, tid types.TID) RowKey {
	return RowKey{Rel: r.ID, TID: tid, Xmin: t.xmin()}
}

// wait waits for a transaction, after queueing up for the row. A transaction that has a lock on the row does not queue up: who is first in the
// queue may wait for that very lock. No latch and no pin of this operation is held.
func (a *attempt) wait(xid xact.XID, op WaitOp, mode LockMode) error {
	if a.s.Waiter == nil {
		panic("heap: waiting for a transaction in a session that can't wait")
	}
	if !a.queued && !a.holdsLock {
		if _, err := a.s.Waiter.QueueRow(a.r, a.tid, mode, WaitBlock); err != nil {
			return err
		}
		a.queued, a.queueMode, a.queueTID = true, mode, a.tid
	}
	return a.s.Waiter.WaitXID(xid, WaitReason{Op: op, Rel: a.r, TID: a.tid})
}

// leave gives the place in the row's queue up, at the end of the operation or before it goes on to another version.
func (a *attempt) leave() {
	if a.queued {
		a.s.Waiter.LeaveRow(a.r, a.queueTID, a.queueMode)
		a.queued = false
	}
}

// pinTuple pins the page of a version and latches it exclusively.
func (r *Relation) pinTuple(s *Session, tid types.TID) (buffer.Buf, error) {
	if tid.Block >= r.main.NumBlocks() {
		return buffer.Buf{}, r.errNoTuple(tid)
	}
	buf, err := r.main.Pin(tid.Block)
	if err != nil {
		return buffer.Buf{}, err
	}
	if err := buf.LockExclusive(s.Cancel); err != nil {
		buf.Unpin()
		return buffer.Buf{}, err
	}
	return buf, nil
}

func (r *Relation) errNoTuple(tid types.TID) error {
	return pgerr.Internal("no tuple at (%d,%d) of relation %q", tid.Block, tid.Off, r.Name)
}

func errInvisible(verb string) error {
	return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "attempted to %s invisible tuple", verb)
}

// markChanged sets xmax, command, next version and flags of the version at id, and what prune wants to know. The page is latched exclusively
// and was made ready for xid.
func (a *attempt) markChanged(buf buffer.Buf, id page.ItemID, next types.TID, mask2 uint16) {
	p := buf.Page()
	t := tupleAt(p, id)
	cid, combo := a.cid, uint16(0)
	if mask := t.infomask(); mask&xminCommitted == 0 && a.s.Tx.IsCurrent(t.xmin()) {
		cid, combo = a.s.Tx.Combo(t.cmin(a.s.Tx), a.cid), comboCID
	}
	var b [offHoff - offXmax]byte
	le.PutUint32(b[0:], rawXID(t.base, a.xid))
	le.PutUint32(b[offCID-offXmax:], uint32(cid))
	putCTID(b[offCTID-offXmax:], next)
	le.PutUint16(b[offInfomask2-offXmax:], t.h.infomask2()&^(keysUpdated|hotUpdated)|mask2)
	le.PutUint16(b[offInfomask-offXmax:], t.infomask()&^(xmaxBits|comboCID)|combo)
	buf.Edit().Patch(id.Off()+offXmax, b[:])
	prunable(buf, a.xid)
}

// prunable notes on the page that xid leaves something to prune if it commits (or, for an insertion, if it does not).
func prunable(buf buffer.Buf, xid xact.XID) {
	p := buf.Page()
	raw := rawXID(page.XidBase(p), xid)
	if old := page.PruneXid(p); old == 0 || raw < old {
		buf.Edit().Put32(page.OffPruneXid, raw)
	}
}
