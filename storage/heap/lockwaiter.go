package heap

import (
	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/xact"
)

// LockWaiter is the Waiter (and the xact.Locker) of a session over the lock table.
type LockWaiter struct {
	Session *lock.Session
	// Owner is the account of the current (sub)transaction: row locks and the locks of transaction ids are released with it. The session
	// changes it as subtransactions begin and end.
	Owner *lock.Owner
	// Tx is the running transaction.
	Tx func() *xact.Tx
}

// LockXID takes the lock that stands for a (sub)transaction.
func (w *LockWaiter) LockXID(xid xact.XID) error { return w.Session.LockXID(w.Owner, uint64(xid)) }

// WaitXID waits for the end of a transaction.
func (w *LockWaiter) WaitXID(xid xact.XID, why WaitReason) error {
	err := w.Session.WaitForXID(w.Owner, uint64(xid))
	if err != nil && why.Op != WaitNone {
		return pgerr.From(err).WithContext("%s", why.Context())
	}
	return err
}

func rowTag(rel *Relation, tid types.TID) lock.Tag {
	return lock.Tuple(rel.ID.DB, uint32(rel.OID), tid.Block, tid.Off)
}

// QueueRow queues up for a row on its tuple lock.
func (w *LockWaiter) QueueRow(rel *Relation, tid types.TID, mode LockMode, wait WaitPolicy) (ok bool, err error) {
	if wait == WaitBlock {
		return true, w.Session.Acquire(w.Owner, rowTag(rel, tid), strength(mode).QueueMode())
	}
	return w.Session.TryAcquire(w.Owner, rowTag(rel, tid), strength(mode).QueueMode())
}

// LeaveRow gives the place in a row's queue up.
func (w *LockWaiter) LeaveRow(rel *Relation, tid types.TID, mode LockMode) {
	w.Session.Release(w.Owner, rowTag(rel, tid), strength(mode).QueueMode())
}

func strength(m LockMode) lock.Strength { return lock.ForKeyShare + lock.Strength(m) }

func lockKey(k RowKey) lock.RowKey {
	return lock.RowKey{DB: k.Rel.DB, Rel: k.Rel.Rel, Block: k.TID.Block, Off: k.TID.Off, Xmin: uint64(k.Xmin)}
}

// TryRowLock locks a row version.
func (w *LockWaiter) TryRowLock(key RowKey, mode LockMode) (holder xact.XID, ok bool) {
	tx := w.Tx()
	blocker, ok := w.Session.Manager().Rows.TryLock(w.Owner, uint64(tx.TopXID()), uint64(tx.CurrentXID()), lockKey(key), strength(mode))
	return xact.XID(blocker), ok
}

// RowLockConflict looks for another holder of a row version.
func (w *LockWaiter) RowLockConflict(key RowKey, mode LockMode) (holder xact.XID) {
	blocker, _ := w.Session.Manager().Rows.Blocker(uint64(w.Tx().TopXID()), lockKey(key), strength(mode))
	return xact.XID(blocker)
}

// HoldsRow looks for a lock of the running transaction on a row version.
func (w *LockWaiter) HoldsRow(key RowKey) bool {
	return w.Session.Manager().Rows.Held(uint64(w.Tx().TopXID()), lockKey(key)) != lock.NoRowLock
}

// CopyRowLocks copies the others' locks to a new version.
func (w *LockWaiter) CopyRowLocks(from, to RowKey, fromOwn bool) {
	w.Session.Manager().Rows.Copy(lockKey(from), lockKey(to), uint64(w.Tx().TopXID()), fromOwn)
}
