package heap

import "github.com/calfdb/calf/storage/xact"

// SnapKind says by which rule a tuple is seen.
type SnapKind uint8

const (
	// MVCC sees what committed before the snapshot was taken and what earlier commands of the own transaction did.
	MVCC SnapKind = iota
	// Self sees what is committed right now and everything that the own transaction did, its current command included.
	Self
	// Any sees every tuple.
	Any
	// Dirty is Self, and sees what other running transactions did too: Xmin and Xmax tell who.
	Dirty
	// NonVacuumable sees what somebody may still see: everything but the dead behind Horizon.
	NonVacuumable
)

// Snapshot is what a fetch or scan sees. For MVCC fill the embedded snapshot with Tx.TakeSnapshot.
type Snapshot struct {
	xact.Snapshot
	Kind    SnapKind
	OwnTx   *xact.Tx // Self, Dirty: whose changes count as done
	Horizon xact.XID // NonVacuumable

	// Xmin and Xmax are Dirty's answer with a tuple that it saw: the transaction that is inserting or deleting it, 0 = none.
	Xmin, Xmax xact.XID
}

// SelfSnapshot makes a Self snapshot for tx.
func SelfSnapshot(tx *xact.Tx) Snapshot { return Snapshot{Kind: Self, OwnTx: tx} }

// DirtySnapshot makes a Dirty snapshot for tx.
func DirtySnapshot(tx *xact.Tx) Snapshot { return Snapshot{Kind: Dirty, OwnTx: tx} }

// AnySnapshot makes a snapshot that sees everything.
func AnySnapshot() Snapshot { return Snapshot{Kind: Any} }

// NonVacuumableSnapshot makes a snapshot that sees what vacuum must keep.
func NonVacuumableSnapshot(horizon xact.XID) Snapshot {
	return Snapshot{Kind: NonVacuumable, Horizon: horizon}
}
