package heap

import (
	"encoding/binary"
	"fmt"

	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/xact"
)

// The storage of relations (heaps and indexes) comes and goes with transactions. Numbers are never used twice. A new one first writes a
// pending key with its transaction's id; the commit's Apply removes it and deletes the pages that are replaced or dropped. What a crash leaves
// with a pending key has no commit, and start sweeps it.

var pendingPrefix = []byte("heap/pending/")

func pendingKey(id pagestore.RelID) []byte {
	k := append([]byte(nil), pendingPrefix...)
	k = binary.BigEndian.AppendUint32(k, id.DB)
	return binary.BigEndian.AppendUint32(k, id.Rel)
}

// CreateStorage makes the storage number id part of tx: if the current subtransaction or one around it aborts, its pages are deleted. Call it
// before the first page is made. forget, if not nil, is called when the pages have been deleted (index.AM.Forget).
func (e *Engine) CreateStorage(tx *xact.Tx, id pagestore.RelID, temp bool, forget func()) error {
	xid, err := tx.XID()
	if err != nil {
		return err
	}
	if !temp {
		s := e.pool.Store()
		c := s.NewChange()
		c.Set(pendingKey(id), binary.BigEndian.AppendUint64(nil, uint64(xid)))
		s.Apply(c)
		c.Release()
		tx.OnCommitWrite(func(c *pagestore.Change) { c.Delete(pendingKey(id)) })
	}
	tx.OnAbort(func() { e.deleteStorage(id, temp, forget) })
	return nil
}

// DropStorage deletes the pages of id when tx commits, in the commit's Apply. The caller has the relation's AccessExclusive lock.
func (e *Engine) DropStorage(tx *xact.Tx, id pagestore.RelID, temp bool, forget func()) {
	if temp {
		tx.OnCommit(func() { e.deleteStorage(id, true, forget) })
		return
	}
	tx.OnCommitWrite(func(c *pagestore.Change) {
		if err := c.DropRel(id); err != nil {
			e.pool.Store().Die(fmt.Errorf("deleting %s: %w", id, err))
		}
	})
	tx.OnCommit(func() { e.forget(id, forget) })
}

// deleteStorage deletes pages at once.
func (e *Engine) deleteStorage(id pagestore.RelID, temp bool, forget func()) {
	s := e.pool.Store()
	if temp {
		if err := e.pool.DropTemp(id); err != nil {
			s.Die(err)
		}
	} else {
		c := s.NewChange()
		if err := c.DropRel(id); err != nil {
			s.Die(fmt.Errorf("deleting %s: %w", id, err))
		}
		c.Delete(pendingKey(id))
		s.Apply(c)
		c.Release()
	}
	e.forget(id, forget)
}

func (e *Engine) forget(id pagestore.RelID, forget func()) {
	e.Forget(id)
	if forget != nil {
		forget()
	}
}

// SweepPending deletes the storage that transactions of before the start made and did not commit. It is called at start, before anything
// else, and gives the number of relations deleted.
func (e *Engine) SweepPending() (int, error) {
	s := e.pool.Store()
	var ids []pagestore.RelID
	err := s.Scan(pendingPrefix, func(key, _ []byte) error {
		k := key[len(pendingPrefix):]
		if len(k) != 8 {
			return fmt.Errorf("pending key %x is malformed", key)
		}
		ids = append(ids, pagestore.RelID{DB: binary.BigEndian.Uint32(k), Rel: binary.BigEndian.Uint32(k[4:])})
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		e.deleteStorage(id, false, nil)
	}
	return len(ids), nil
}
