package index

import (
	"fmt"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pagestore"
)

// Cancel is how a wait for a latch learns that it has to end; nil = never.
type Cancel = pagestore.Cancel

// UniqueCheck says what Insert does about equal keys.
type UniqueCheck uint8

const (
	// CheckNo inserts without looking: the index is not unique.
	CheckNo UniqueCheck = iota
	// CheckYes refuses a duplicate with *DuplicateKey, waiting for transactions that may yet make or unmake one.
	CheckYes
	// CheckPartial inserts in any case; isUnique = false says that there may be a duplicate: a deferred constraint looks again later, and a
	// speculative insertion withdraws.
	CheckPartial
	// CheckExisting inserts nothing: the entry is there already, is it (still) without duplicate? For deferred constraints.
	CheckExisting
)

// InsertArgs of Insert. The caller may use one again and again.
type InsertArgs struct {
	Values types.Row // plain payloads (detoasted), all columns
	TID    types.TID
	Check  UniqueCheck
	Heap   Heap // needed for unique checks; if there, also used to remove dead versions before a page is split
	Cancel Cancel
	// Unchanged: the row is a new version of one whose entry here has the same values. A page full of such versions is cleaned rather than split.
	Unchanged bool
}

// Heap answers an index's questions about rows. tid is always the beginning of a HOT chain. It may be called while a page of the index is
// latched: it takes heap latches (share), never waits for a transaction (but in WaitXID) and never comes back to the index.
type Heap interface {
	// Dirty looks at the row as it stands, uncommitted changes included.
	Dirty(tid types.TID) (RowState, error)
	// IsLive says whether the version just inserted at tid by this transaction still lives (it may have been deleted or rolled back).
	IsLive(tid types.TID) (bool, error)
	// DeadToAll sets dead[i] when no version of the row at tids[i] is visible to anyone, now or later.
	DeadToAll(tids []types.TID, dead []bool) error
	// WaitXID waits for the end of a transaction, or with a token not 0 of its speculative insertion. No latch or pin is held.
	WaitXID(xid uint64, token uint32) error
}

// RowState is what Dirty saw.
type RowState struct {
	Found   bool   // a version is there, or may come to be
	AllDead bool   // no version is visible to anyone: the entry may be killed
	Wait    uint64 // the version's inserter or deleter that is still running, 0 = none
	Token   uint32 // of a speculative insertion, 0 = none
}

// DuplicateKey is the error of a unique check. Who shows it to a client words it, with the values' output functions and privileges:
// 23505, duplicate key value violates unique constraint, or could not create unique index.
type DuplicateKey struct {
	Index    *Def
	Values   types.Row // key columns, cloned
	TID      types.TID // the row that has the key already
	Building bool
}

func (e *DuplicateKey) Error() string {
	return fmt.Sprintf("duplicate key in index %q (row (%d,%d) has it)", e.Index.Name, e.TID.Block, e.TID.Off)
}
