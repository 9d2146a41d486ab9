package heap

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/xact"
)

// Conflict tells what stood in the way of a change.
type Conflict struct {
	CTID types.TID // the next version's place, for Updated
	Xmax xact.XID  // who changed it
	Cmax xact.CID  // for SelfModified: in which command
}

// InsertOpts are rarely set.
type InsertOpts struct {
	Frozen bool // COPY FREEZE, CREATE TABLE AS ... : visible to all at once, in a relation that is new in this transaction
}

// Insert adds a row, visible to the next command of s.Tx. row has all columns of the relation.
func (r *Relation) Insert(s *Session, row types.Row, o InsertOpts) (types.TID, error) {
	panic("heap: being written")
}

// MultiInsert adds rows, filling pages with one Apply each, and writes their places to tids.
func (r *Relation) MultiInsert(s *Session, rows []types.Row, tids []types.TID, o InsertOpts) error {
	panic("heap: being written")
}

// DeleteOpts: CID is the command that deletes (s.Tx.UseCID()). Crosscheck, if not nil, must see the version, else it is Updated (foreign
// key checks at REPEATABLE READ). Wait = wait for other transactions instead of answering BeingModified.
type DeleteOpts struct {
	Crosscheck *Snapshot
	Wait       bool
}

// Delete deletes the version at tid.
func (r *Relation) Delete(s *Session, tid types.TID, o DeleteOpts) (Result, Conflict, error) {
	panic("heap: being written")
}

// UpdateOpts: Changed are the columns that the new row may differ in; nil = any. Columns that are not in it keep their TOAST values.
type UpdateOpts struct {
	Crosscheck *Snapshot
	Wait       bool
	Changed    *AttrSet
}

// UpdateResult is OK with the new version's place, or what stood in the way.
type UpdateResult struct {
	Result   Result
	Conflict Conflict
	TID      types.TID
	// HOT: the new version needs no index entries.
	HOT bool
	// Mode is the strength of row lock that the update took.
	Mode LockMode
}

// Update puts row as the new version of the one at tid.
func (r *Relation) Update(s *Session, tid types.TID, row types.Row, o UpdateOpts) (UpdateResult, error) {
	panic("heap: being written")
}

// LockOpts of LockTuple.
type LockOpts struct {
	Mode LockMode
	Wait WaitPolicy
	// FollowUpdates locks the newest version when the one at tid was updated by a committed transaction, if it is the same row: at READ
	// COMMITTED. The slot gets it, and Traversed is true.
	FollowUpdates bool
}

// LockTuple locks the version at tid (or the newest) until the (sub)transaction ends and puts it into slot.
func (r *Relation) LockTuple(s *Session, tid types.TID, slot *Slot, o LockOpts) (res Result, c Conflict, traversed bool, err error) {
	panic("heap: being written")
}

// FetchHOT puts the version that snap sees, of the row whose chain begins at tid (what an index entry points at), into slot. allDead: no
// version of the chain is visible to anyone any more, so the index entry may be killed.
func (r *Relation) FetchHOT(s *Session, tid types.TID, snap *Snapshot, slot *Slot) (found, allDead bool, err error) {
	panic("heap: being written")
}

// FetchVersion puts exactly the version at tid into slot, if snap sees it.
func (r *Relation) FetchVersion(s *Session, tid types.TID, snap *Snapshot, slot *Slot) (found bool, err error) {
	panic("heap: being written")
}

// FetchLatest follows the update chain from tid to the newest version that snap sees (currtid, TID scans of WHERE CURRENT OF).
func (r *Relation) FetchLatest(s *Session, tid types.TID, snap *Snapshot) (types.TID, error) {
	panic("heap: being written")
}

// ScanOpts: block range [First, First+Blocks), Blocks 0 = to the end at the scan's beginning. TIDMin and TIDMax bound a TID range scan.
type ScanOpts struct {
	First, Blocks  uint32
	Backward       bool
	TIDMin, TIDMax types.TID
	// NoPrune leaves pages as they are (ANALYZE, checks).
	NoPrune bool
}

// Scan goes over a relation's versions that a snapshot sees, page at a time: it holds a pin on the page of the last tuple, no latch.
type Scan struct{}

// BeginScan starts a scan. snap must stay as it is until End.
func (r *Relation) BeginScan(s *Session, snap *Snapshot, o ScanOpts) *Scan {
	panic("heap: being written")
}

// Next puts the next tuple into slot; false at the end. Backward scans, and forward = false after a forward step, go the other way.
func (sc *Scan) Next(slot *Slot) (bool, error) { panic("heap: being written") }
func (sc *Scan) Prev(slot *Slot) (bool, error) { panic("heap: being written") }

// Release lets the pin go without losing the place: before a wait and between the portal's runs.
func (sc *Scan) Release() { panic("heap: being written") }

// Rescan goes back to the beginning.
func (sc *Scan) Rescan() { panic("heap: being written") }

// End ends the scan.
func (sc *Scan) End() { panic("heap: being written") }
