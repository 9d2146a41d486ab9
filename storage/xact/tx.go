package xact

import (
	"slices"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/pagestore"
)

// Tx is a running transaction: its levels of subtransactions, its command counter, its snapshot. It belongs to one session's goroutine.
type Tx struct {
	m         *Manager
	proc      *Proc
	active    bool
	Isolation Isolation
	ReadOnly  bool
	// Deferrable is what SET TRANSACTION said; it has a meaning for SERIALIZABLE READ ONLY only.
	Deferrable bool
	// AsyncCommit is synchronous_commit = off at the commit.
	AsyncCommit bool

	levels  []level // [0] is the top, the last one is the current one
	cid     CID
	cidUsed bool
	own     []XID // live ids of the transaction: top and subtransactions that have not aborted, ascending

	txSnapshot *snapData // REPEATABLE READ and above: the one of the first statement
	combos     comboCIDs
}

// level is a (sub)transaction.
type level struct {
	xid      XID // 0 until it changes something
	writers  []func(*pagestore.Change)
	commits  []func()
	aborts   []func()
	readOnly bool // as it was when the level began
}

// Begin starts a transaction in the slot, which has none.
func (p *Proc) Begin(iso Isolation, readOnly bool) *Tx {
	tx := &p.tx
	if tx.active {
		panic("xact: Begin within a transaction")
	}
	p.lxid++
	*tx = Tx{m: p.m, proc: p, active: true, Isolation: iso, ReadOnly: readOnly,
		levels: append(tx.levels[:0], level{readOnly: readOnly}), own: tx.own[:0]}
	return tx
}

// Manager is the manager that tx belongs to.
func (tx *Tx) Manager() *Manager { return tx.m }

// Proc is the slot that tx runs in.
func (tx *Tx) Proc() *Proc { return tx.proc }

// VXID is the transaction's virtual id.
func (tx *Tx) VXID() VXID { return VXID{tx.proc.id, tx.proc.lxid} }

// Level is the depth of subtransactions: 1 = the top.
func (tx *Tx) Level() int { return len(tx.levels) }

func (tx *Tx) cur() *level { return &tx.levels[len(tx.levels)-1] }

// TopXID is the top-level transaction id, 0 when none was needed so far.
func (tx *Tx) TopXID() XID { return tx.levels[0].xid }

// CurrentXID is the current (sub)transaction's id, 0 when it has none so far.
func (tx *Tx) CurrentXID() XID { return tx.cur().xid }

// XID gives the current (sub)transaction its id if it has none: its parents' ids first, so that a child's is always greater.
func (tx *Tx) XID() (XID, error) {
	if x := tx.cur().xid; x != 0 {
		return x, nil
	}
	for i := range tx.levels {
		l := &tx.levels[i]
		if l.xid != 0 {
			continue
		}
		x := tx.m.assign(tx.levels[0].xid)
		l.xid = x
		if i == 0 {
			tx.proc.xid.Store(uint64(x))
		}
		tx.own = append(tx.own, x)
		if tx.proc.locker != nil {
			if err := tx.proc.locker.LockXID(x); err != nil {
				return 0, err
			}
		}
	}
	return tx.cur().xid, nil
}

// IsCurrent says whether xid is this transaction: its top or a subtransaction of it that has not aborted.
func (tx *Tx) IsCurrent(xid XID) bool {
	switch len(tx.own) {
	case 0:
		return false
	case 1:
		return tx.own[0] == xid
	}
	_, found := slices.BinarySearch(tx.own, xid)
	return found
}

// OwnXIDs lists top and subtransactions that have not aborted, ascending. It must not be changed.
func (tx *Tx) OwnXIDs() []XID { return tx.own }

// CID is the current command.
func (tx *Tx) CID() CID { return tx.cid }

// UseCID is the current command for a change: the next CommandCounterIncrement makes it visible.
func (tx *Tx) UseCID() CID {
	tx.cidUsed = true
	return tx.cid
}

// CommandCounterIncrement makes the changes of the current command visible to what follows. It does nothing when there are none.
func (tx *Tx) CommandCounterIncrement() error {
	if !tx.cidUsed {
		return nil
	}
	if tx.cid+1 == InvalidCID {
		return pgerr.New(pgerr.ProgramLimitExceeded, "cannot have more than 2^32-2 commands in a transaction")
	}
	tx.cid++
	tx.cidUsed = false
	return nil
}

// TakeSnapshot fills s with the snapshot that a statement beginning now uses, at the current command: a fresh one at READ COMMITTED, the
// transaction's own from REPEATABLE READ up. It holds the horizon back until ReleaseSnapshot or the transaction's end.
func (tx *Tx) TakeSnapshot(s *Snapshot) {
	if !tx.Isolation.UsesTransactionSnapshot() {
		*s = Snapshot{data: tx.proc.hold(), tx: tx, CurCID: tx.cid}
		return
	}
	if tx.txSnapshot == nil {
		tx.txSnapshot = tx.proc.hold()
	}
	*s = Snapshot{data: tx.txSnapshot, tx: tx, CurCID: tx.cid}
}

// TakeLatestSnapshot is TakeSnapshot with a fresh one at any isolation level: catalogs and foreign key checks want it.
func (tx *Tx) TakeLatestSnapshot(s *Snapshot) {
	*s = Snapshot{data: tx.proc.hold(), tx: tx, CurCID: tx.cid}
}

// HoldSnapshot fills s with a copy of from that holds the horizon back on its own: a cursor keeps its snapshot past its statement.
func (tx *Tx) HoldSnapshot(s, from *Snapshot) {
	*s = *from
	i, _ := slices.BinarySearch(tx.proc.held, s.data.xmin)
	tx.proc.held = slices.Insert(tx.proc.held, i, s.data.xmin)
}

// ReleaseSnapshot gives s up. The zero Snapshot may be released, and one of a transaction that has ended.
func (tx *Tx) ReleaseSnapshot(s *Snapshot) {
	if s.data != nil && tx.active && s.data != tx.txSnapshot {
		tx.proc.release(s.data.xmin)
	}
	s.data = nil
}

// OnCommitWrite adds fn's keys to the Apply that commits the transaction, if the current subtransaction survives.
func (tx *Tx) OnCommitWrite(fn func(*pagestore.Change)) {
	l := tx.cur()
	l.writers = append(l.writers, fn)
}

// OnCommit calls fn after the transaction has left the running set and before the session releases its locks, if the current
// subtransaction survives: invalidations are published here. fn can't fail.
func (tx *Tx) OnCommit(fn func()) { l := tx.cur(); l.commits = append(l.commits, fn) }

// OnAbort calls fn when the current subtransaction or one around it aborts, latest first.
func (tx *Tx) OnAbort(fn func()) { l := tx.cur(); l.aborts = append(l.aborts, fn) }

// BeginSub starts a subtransaction.
func (tx *Tx) BeginSub() { tx.levels = append(tx.levels, level{readOnly: tx.ReadOnly}) }

// CommitSub ends the current subtransaction: its changes and callbacks become its parent's.
func (tx *Tx) CommitSub() {
	if len(tx.levels) < 2 {
		panic("xact: CommitSub outside a subtransaction")
	}
	l := tx.cur()
	tx.levels = tx.levels[:len(tx.levels)-1]
	up := tx.cur()
	up.writers = append(up.writers, l.writers...)
	up.commits = append(up.commits, l.commits...)
	up.aborts = append(up.aborts, l.aborts...)
	tx.ReadOnly = l.readOnly
	*l = level{}
}

// AbortSub undoes the current subtransaction and all that committed into it: their ids are aborted from now on, for everyone. Its locks are
// the session's to release, afterwards.
func (tx *Tx) AbortSub() {
	if len(tx.levels) < 2 {
		panic("xact: AbortSub outside a subtransaction")
	}
	l := tx.cur()
	tx.levels = tx.levels[:len(tx.levels)-1]
	tx.abortOwn(l.xid)
	runBackward(l.aborts)
	tx.ReadOnly = l.readOnly
	*l = level{}
}

// abortOwn marks xid and every own id above it as aborted. A child's id is greater than its parent's, and what is current has no later
// sibling: so those from xid on are xid and the ones that committed into it. A level without an id has no children with one.
func (tx *Tx) abortOwn(xid XID) {
	if xid == 0 {
		return
	}
	i, found := slices.BinarySearch(tx.own, xid)
	if !found {
		panic("xact: an aborting subtransaction is not among the transaction's own")
	}
	for _, x := range tx.own[i:] {
		tx.m.status.set(x, Aborted)
	}
	tx.own = tx.own[:i]
}

// Commit ends the transaction: one Apply with its status and what OnCommitWrite added, the wait for the log (unless AsyncCommit), then
// memory, the running set, OnCommit. The session releases the locks afterwards. On an error nothing was committed and the transaction
// must be aborted.
func (tx *Tx) Commit() error {
	if len(tx.levels) != 1 {
		panic("xact: Commit within a subtransaction")
	}
	l := &tx.levels[0]
	if len(l.writers) > 0 {
		if _, err := tx.XID(); err != nil {
			return err
		}
	}
	if l.xid != 0 {
		tx.m.writeCommit(tx, l.writers)
		tx.m.finish(tx.own, Committed)
	}
	for _, fn := range l.commits {
		fn()
	}
	tx.end()
	return nil
}

// Abort ends the transaction and undoes it, at any level. It writes nothing and can't fail. The session releases the locks afterwards.
func (tx *Tx) Abort() {
	if !tx.active {
		return
	}
	if tx.levels[0].xid != 0 {
		tx.m.finish(tx.own, Aborted)
	}
	for i := len(tx.levels) - 1; i >= 0; i-- {
		runBackward(tx.levels[i].aborts)
	}
	tx.end()
}

func (tx *Tx) end() {
	tx.proc.releaseAll()
	tx.active = false
	clear(tx.levels)
	tx.txSnapshot = nil
	tx.combos = comboCIDs{}
}

// Active says whether tx has not ended.
func (tx *Tx) Active() bool { return tx.active }

func runBackward(fns []func()) {
	for i := len(fns) - 1; i >= 0; i-- {
		fns[i]()
	}
}
