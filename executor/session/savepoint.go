package session

import (
	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/pgerr"
)

// dead says that the subtransaction was undone after an error and waits for ROLLBACK TO.
func (sp *savepoint) dead() bool { return sp.owner == nil }

// defineSavepoint is SAVEPOINT.
func (s *Session) defineSavepoint(name string) error {
	if s.block != blockOpen && s.block != blockImplicit {
		return pgerr.New(pgerr.NoActiveSqlTransaction, "SAVEPOINT can only be used in transaction blocks")
	}
	if s.block == blockImplicit {
		return pgerr.New(pgerr.NoActiveSqlTransaction, "SAVEPOINT can only be used in transaction blocks")
	}
	s.pushSavepoint(name, false)
	return nil
}

func (s *Session) pushSavepoint(name string, internal bool) {
	parent := s.owner()
	tx := s.backend.Heap.Tx
	tx.BeginSub()
	s.backend.Heap.Stats.BeginSub()
	s.savepoints = append(s.savepoints, savepoint{
		name: name, internal: internal, owner: s.locks.NewOwner(lock.SubtransactionOwner, parent),
		after: s.backend.After.Mark(), portals: s.portalCount, settings: s.gucs.nest(),
	})
	s.settleOwner()
}

// findSavepoint gives the index of the innermost savepoint of that name.
func (s *Session) findSavepoint(name string) (int, error) {
	for i := len(s.savepoints) - 1; i >= 0; i-- {
		if s.savepoints[i].name == name && !s.savepoints[i].internal {
			return i, nil
		}
	}
	return 0, pgerr.New(pgerr.SEInvalidSpecification, "savepoint \"%s\" does not exist", name)
}

// releaseSavepoint is RELEASE: the savepoint and those inside it become part of what is around.
func (s *Session) releaseSavepoint(name string) error {
	if s.block != blockOpen {
		return pgerr.New(pgerr.NoActiveSqlTransaction, "RELEASE SAVEPOINT can only be used in transaction blocks")
	}
	i, err := s.findSavepoint(name)
	if err != nil {
		return err
	}
	for len(s.savepoints) > i {
		s.releaseTop()
	}
	return s.commandCounterIncrement()
}

func (s *Session) releaseTop() {
	n := len(s.savepoints) - 1
	sp := s.savepoints[n]
	s.backend.Heap.Tx.CommitSub()
	s.backend.Heap.Stats.EndSub(true)
	sp.owner.MoveToParent()
	sp.owner.Close()
	s.gucs.unnest(sp.settings, true)
	s.savepoints = s.savepoints[:n]
	s.settleOwner()
}

// undoTop undoes the innermost subtransaction but leaves its savepoint in the list.
func (s *Session) undoTop() {
	n := len(s.savepoints) - 1
	sp := &s.savepoints[n]
	s.dropPortalsSince(sp.portals)
	s.backend.After.Rewind(sp.after)
	s.backend.Heap.Tx.AbortSub()
	s.backend.Heap.Stats.EndSub(false)
	sp.owner.Close()
	sp.owner = nil
	s.settleOwner()
	s.gucs.unnest(sp.settings, false)
}

// rollbackTo is ROLLBACK TO: what happened since the savepoint is undone, the savepoint stays.
func (s *Session) rollbackTo(name string) error {
	if s.block != blockOpen && s.block != blockFailed {
		return pgerr.New(pgerr.NoActiveSqlTransaction, "ROLLBACK TO SAVEPOINT can only be used in transaction blocks")
	}
	i, err := s.findSavepoint(name)
	if err != nil {
		return err
	}
	if s.failedTop {
		return pgerr.New(pgerr.SEInvalidSpecification, "savepoint \"%s\" does not exist", name)
	}
	s.undoTo(i)
	s.block = blockOpen
	s.pushSavepoint(name, false)
	return nil
}

// undoTo undoes savepoint i and all inside it, and removes them from the list.
func (s *Session) undoTo(i int) {
	for len(s.savepoints) > i {
		n := len(s.savepoints) - 1
		if !s.savepoints[n].dead() {
			s.undoTop()
		}
		s.savepoints = s.savepoints[:n]
	}
}
