package heap

import (
	"fmt"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/pgstat"
	"github.com/calfdb/calf/storage/xact"
)

// Session is who works on heaps: its transaction, and how it waits for others. One belongs to one goroutine.
type Session struct {
	Tx *xact.Tx
	// Waiter waits for other transactions; nil = an operation that would wait panics (bootstrap, tests of one session).
	Waiter Waiter
	// Cancel ends waits for latches and stalls; nil = never.
	Cancel pagestore.Cancel
	// Stats counts what is done to relations; nil = nothing is counted.
	Stats *pgstat.Session

	buf        []byte // a tuple being formed
	targets    [targetCount]insertTarget
	nextTarget uint
	scratch    change

	newValues []toastPointer // stored out of line for the tuple being formed
}

// Waiter waits for other transactions, with deadlock detection, lock_timeout and cancellation, and keeps row locks. LockWaiter is the real one.
type Waiter interface {
	// WaitXID returns when transaction xid (and the one that it committed into) has ended. An error is what ended the wait. No latch and
	// no pin is held.
	WaitXID(xid xact.XID, why WaitReason) error
	// QueueRow queues up for the row at tid before the first WaitXID, so that waiters get it in their order; LeaveRow gives the place up
	// when the operation has ended. No latch and no pin is held.
	QueueRow(rel *Relation, tid types.TID, mode LockMode, wait WaitPolicy) (ok bool, err error)
	LeaveRow(rel *Relation, tid types.TID, mode LockMode)

	// Row locks are held in memory until the end of the (sub)transaction that took them. These neither block nor take a latch: they
	// are called with the row's page latched.

	// TryRowLock takes key in mode for the current (sub)transaction, which has an id. When another transaction holds it in a conflicting
	// mode, ok is false and holder is whom to wait for.
	TryRowLock(key RowKey, mode LockMode) (holder xact.XID, ok bool)
	// RowLockConflict is another transaction that holds key in a mode that conflicts with mode, 0 = none.
	RowLockConflict(key RowKey, mode LockMode) (holder xact.XID)
	// HoldsRow says whether this transaction holds key in any mode. One that does must not queue up for the row when it wants a stronger lock:
	// the first in the queue may be waiting for it.
	HoldsRow(key RowKey) bool
	// CopyRowLocks gives all other holders of from the same on to, a new version that this transaction makes. fromOwn: it made from, too.
	CopyRowLocks(from, to RowKey, fromOwn bool)
}

// RowKey names a version of a row.
type RowKey struct {
	Rel  pagestore.RelID
	TID  types.TID
	Xmin xact.XID
}

// WaitReason says what a waiter does, for the CONTEXT line of the error that ends the wait.
type WaitReason struct {
	Op  WaitOp
	Rel *Relation
	TID types.TID
}

// WaitOp is the operation that waits.
type WaitOp uint8

const (
	WaitNone WaitOp = iota
	WaitUpdate
	WaitDelete
	WaitLock
	WaitLockUpdated
	WaitInsertIndex
	WaitInsertUnique
	WaitFetchUpdated
	WaitRecheckExclusion
)

// Context is the CONTEXT line, "" for none.
func (w WaitReason) Context() string {
	format := [...]string{"",
		"while updating tuple (%d,%d) in relation %q",
		"while deleting tuple (%d,%d) in relation %q",
		"while locking tuple (%d,%d) in relation %q",
		"while locking updated version (%d,%d) of tuple in relation %q",
		"while inserting index tuple (%d,%d) in relation %q",
		"while checking uniqueness of tuple (%d,%d) in relation %q",
		"while rechecking updated tuple (%d,%d) in relation %q",
		"while checking exclusion constraint on tuple (%d,%d) in relation %q",
	}[w.Op]
	if format == "" {
		return ""
	}
	return fmt.Sprintf(format, w.TID.Block, w.TID.Off, w.Rel.Name)
}

// LockMode is the strength of a row lock.
type LockMode uint8

const (
	LockKeyShare    LockMode = iota // FOR KEY SHARE: the key columns stay
	LockShare                       // FOR SHARE: the row stays
	LockNoKeyUpdate                 // FOR NO KEY UPDATE, UPDATE of other columns
	LockUpdate                      // FOR UPDATE, DELETE, UPDATE of key columns
)

func (m LockMode) String() string {
	return [...]string{"FOR KEY SHARE", "FOR SHARE", "FOR NO KEY UPDATE", "FOR UPDATE"}[m]
}

// Conflicts is PostgreSQL's table of row lock conflicts.
func (m LockMode) Conflicts(o LockMode) bool {
	switch {
	case m == LockUpdate || o == LockUpdate:
		return true
	case m == LockKeyShare || o == LockKeyShare:
		return false
	}
	return m == LockNoKeyUpdate || o == LockNoKeyUpdate
}

// WaitPolicy says what LockTuple does when it would wait.
type WaitPolicy uint8

const (
	WaitBlock WaitPolicy = iota
	WaitSkip             // answer WouldBlock
	WaitError            // SQLSTATE 55P03
)
