package session

import (
	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/xact"
)

// blockState is where a session stands between BEGIN and COMMIT, as PostgreSQL's transaction block states.
type blockState uint8

const (
	blockNone     blockState = iota // no transaction block: each statement is its own transaction
	blockImplicit                   // several statements of one simple query, or of one extended run, share a transaction
	blockOpen                       // after BEGIN
	blockFailed                     // after BEGIN and an error: only ROLLBACK (TO) is obeyed
)

// savepoint is one open subtransaction.
type savepoint struct {
	name     string
	owner    *lock.Owner
	after    executor.AfterMark
	portals  uint64
	settings int
	internal bool // of a PL/pgSQL block: no SQL command may end it
}

// owner is the account of the current (sub)transaction; outside of one, the session's own.
func (s *Session) owner() *lock.Owner {
	for i := len(s.savepoints) - 1; i >= 0; i-- {
		if sp := &s.savepoints[i]; !sp.dead() {
			return sp.owner
		}
	}
	if s.txOwner != nil {
		return s.txOwner
	}
	return s.locks.Owner()
}

// settleOwner makes waits and row locks go on the current owner's account.
func (s *Session) settleOwner() {
	s.waiter.Owner = s.owner()
	s.env.Epoch++
}

// inTransaction says whether a transaction is running.
func (s *Session) inTransaction() bool { return s.txOwner != nil }

// startTransaction begins a transaction with the session's default characteristics.
func (s *Session) startTransaction() {
	if s.inTransaction() {
		return
	}
	tx := s.proc.Begin(s.defaultIsolation(), s.gucs.defaultReadOnly())
	tx.Deferrable = s.gucs.defaultDeferrable()
	s.locks.BeginVirtualXID(tx.VXID().LXID)
	s.txOwner = s.locks.NewOwner(lock.TransactionOwner, nil)
	s.settleOwner()
	s.backend.Heap.Tx = tx
	s.clock.startTransaction()
	s.activity.transaction(s.clock.transaction)
	s.gucs.beginTransaction()
	s.view.BeginTransaction(tx)
	s.snapshotTaken = false
}

// startCommand makes sure that a transaction runs, for a statement that needs one.
func (s *Session) startCommand() {
	s.clock.startStatement()
	s.startTransaction()
}

// finishStatement ends a statement that succeeded: a transaction of its own commits, in a block the next command sees its changes.
func (s *Session) finishStatement() error {
	if !s.inTransaction() {
		return nil
	}
	if s.block == blockNone {
		return s.commit()
	}
	return s.commandCounterIncrement()
}

// commandCounterIncrement makes what was done so far visible to the next command.
func (s *Session) commandCounterIncrement() error {
	return s.view.NextCommand()
}

// commit ends the transaction. An error aborts it.
func (s *Session) commit() error {
	if err := s.preCommit(); err != nil {
		s.abort()
		return err
	}
	tx := s.backend.Heap.Tx
	tx.AsyncCommit = s.gucs.asyncCommit()
	// Savepoints that are still open go with it.
	for len(s.savepoints) > 0 {
		s.releaseTop()
	}
	if err := tx.Commit(); err != nil {
		s.abort()
		return err
	}
	s.endTransaction(true)
	return nil
}

// preCommit does what may still fail: deferred triggers, held cursors, ON COMMIT actions.
func (s *Session) preCommit() error {
	for {
		if err := s.backend.After.FireDeferred(); err != nil {
			return err
		}
		more, err := s.holdPortals()
		if err != nil {
			return err
		}
		if !more && !s.backend.After.Pending() {
			break
		}
	}
	if err := s.view.PreCommit(); err != nil {
		return err
	}
	for _, fn := range s.atPreCommit {
		if err := fn(); err != nil {
			return err
		}
	}
	return s.commandCounterIncrement()
}

// abort undoes the transaction. It can't fail.
func (s *Session) abort() {
	if !s.inTransaction() {
		return
	}
	s.dropTransactionPortals()
	s.backend.After.Reset()
	s.backend.Heap.Tx.Abort()
	s.endTransaction(false)
}

// endTransaction releases what the transaction held, after it has become visible or was undone.
func (s *Session) endTransaction(committed bool) {
	s.dropTransactionPortals()
	s.backend.After.Reset()
	s.view.EndTransaction(committed)
	s.backend.Heap.Stats.EndTransaction(committed)
	s.activity.transaction(0)
	for i := len(s.savepoints) - 1; i >= 0; i-- {
		if sp := &s.savepoints[i]; !sp.dead() {
			sp.owner.Close()
		}
	}
	s.savepoints = s.savepoints[:0]
	s.txOwner.Close()
	s.txOwner = nil
	s.settleOwner()
	s.locks.EndVirtualXID()
	s.gucs.endTransaction(committed)
	s.atPreCommit = nil
	s.block = blockNone
}

// failStatement handles an error of a statement: a block fails, everything else aborts.
func (s *Session) failStatement() {
	s.backend.ClearInterrupt()
	if s.block == blockOpen || s.block == blockFailed {
		if s.inTransaction() && s.block == blockOpen {
			s.abortToFailed()
		}
		s.block = blockFailed
		return
	}
	s.abort()
	s.block = blockNone
}

// abortToFailed undoes the innermost subtransaction at once and keeps the block open for ROLLBACK. The savepoints outside of it stay, so that
// ROLLBACK TO can find them.
func (s *Session) abortToFailed() {
	n := len(s.savepoints)
	if n == 0 {
		s.dropTransactionPortals()
		s.backend.After.Reset()
		s.failedTop = true
		s.backend.Heap.Tx.Abort()
		s.view.EndTransaction(false)
		s.txOwner.ReleaseAll()
		s.env.Epoch++
		return
	}
	sp := &s.savepoints[n-1]
	if !sp.dead() {
		s.undoTop()
	}
}

// beginBlock is BEGIN.
func (s *Session) beginBlock(notice func(*pgerr.Error)) {
	switch s.block {
	case blockOpen, blockFailed:
		notice(&pgerr.Error{Severity: "WARNING", Code: pgerr.ActiveSqlTransaction, Message: "there is already a transaction in progress"})
	default:
		s.block = blockOpen
	}
}

// commitBlock is COMMIT; it gives the command tag, which is ROLLBACK when the block had failed.
func (s *Session) commitBlock(chain bool) (string, error) {
	tag := "COMMIT"
	iso, ro, def := s.characteristics()
	wasBlock := s.block == blockOpen || s.block == blockFailed
	switch s.block {
	case blockFailed:
		tag = "ROLLBACK"
		s.endFailed()
	case blockOpen:
		s.block = blockNone
		if err := s.commit(); err != nil {
			return "", err
		}
	default:
		if chain {
			return "", pgerr.New(pgerr.NoActiveSqlTransaction, "COMMIT AND CHAIN can only be used in transaction blocks")
		}
		s.notice(&pgerr.Error{Severity: "WARNING", Code: pgerr.NoActiveSqlTransaction, Message: "there is no transaction in progress"})
		if err := s.commit(); err != nil {
			return "", err
		}
	}
	s.chain(chain && wasBlock, iso, ro, def)
	return tag, nil
}

// rollbackBlock is ROLLBACK.
func (s *Session) rollbackBlock(chain bool) error {
	iso, ro, def := s.characteristics()
	wasBlock := s.block == blockOpen || s.block == blockFailed
	switch s.block {
	case blockFailed:
		s.endFailed()
	case blockOpen:
		s.abort()
	default:
		if chain {
			return pgerr.New(pgerr.NoActiveSqlTransaction, "ROLLBACK AND CHAIN can only be used in transaction blocks")
		}
		s.notice(&pgerr.Error{Severity: "WARNING", Code: pgerr.NoActiveSqlTransaction, Message: "there is no transaction in progress"})
		s.abort()
	}
	s.block = blockNone
	s.chain(chain && wasBlock, iso, ro, def)
	return nil
}

func (s *Session) characteristics() (xact.Isolation, bool, bool) {
	if !s.inTransaction() {
		return s.defaultIsolation(), false, false
	}
	tx := s.backend.Heap.Tx
	return tx.Isolation, tx.ReadOnly, tx.Deferrable
}

// chain starts the next block with the characteristics of the last one.
func (s *Session) chain(chain bool, iso xact.Isolation, readOnly, deferrable bool) {
	if !chain {
		return
	}
	s.startTransaction()
	tx := s.backend.Heap.Tx
	tx.Isolation, tx.ReadOnly, tx.Deferrable = iso, readOnly, deferrable
	s.block = blockOpen
}

// endFailed ends a block whose transaction was aborted when it failed.
func (s *Session) endFailed() {
	if s.inTransaction() {
		if s.failedTop {
			s.endAborted()
		} else {
			s.abort()
		}
	}
	s.failedTop = false
	s.block = blockNone
}

// endAborted is endTransaction for a transaction that abortToFailed has undone already.
func (s *Session) endAborted() { s.endTransaction(false) }
