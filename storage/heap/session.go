package heap

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/xact"
)

// Session is who works on heaps: its transaction, and how it waits for others. One belongs to one goroutine.
type Session struct {
	Tx *xact.Tx
	// Waiter waits for other transactions; nil = an operation that would wait panics (bootstrap, tests of one session).
	Waiter Waiter
	// Cancel ends waits for latches and stalls; nil = never.
	Cancel pagestore.Cancel
}

// Waiter waits for other transactions with deadlock detection, lock_timeout and cancellation; package lock has the real one. No latch and
// no pin is held when it is called.
type Waiter interface {
	// WaitXID returns when transaction xid (and the top-level one that it committed into) has ended. An error is what ended the wait.
	WaitXID(xid xact.XID, why WaitReason) error

	// Row locks are held in memory until the end of the (sub)transaction that took them.

	// TryRowLock takes key in mode, and fails when another transaction holds it in a conflicting one. It does not block and takes no
	// latch: it is called with the row's page latched.
	TryRowLock(key RowKey, mode LockMode) bool
	// RowLockConflict says whether another transaction holds key in a mode that conflicts with mode. Does not block.
	RowLockConflict(key RowKey, mode LockMode) bool
	// WaitRowLock returns when nobody else holds key in a conflicting mode, or waits before us in its queue. It need not take the lock:
	// the caller looks at the row again.
	WaitRowLock(key RowKey, mode LockMode, why WaitReason) error
	// CopyRowLocks gives all holders of from the same on to: the row has a new version. Does not block; called with the page latched.
	CopyRowLocks(from, to RowKey)
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
	Rel types.OID
	TID types.TID
}

// WaitOp is the operation that waits.
type WaitOp uint8

const (
	WaitNone        WaitOp = iota
	WaitUpdate             // "while updating tuple"
	WaitDelete             // "while deleting tuple"
	WaitLock               // "while locking tuple"
	WaitLockUpdated        // "while locking updated version"
	WaitInsertIndex        // "while inserting index tuple"
	WaitInsertUnique
	WaitFetchUpdated // "while rechecking updated tuple"
	WaitRecheckExclusion
)

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
