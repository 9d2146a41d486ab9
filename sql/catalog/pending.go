package catalog

import (
	"encoding/binary"
	"fmt"

	"github.com/calfdb/calf/storage/pagestore"
)

// A relation's storage that is made in a transaction has a pending key until the commit's own Apply removes it. What a crash leaves pending is
// cleared away at the next start, before anybody reads.

var pendingPrefix = []byte("catalog/pending/")

func pendingKey(id pagestore.RelID) []byte {
	k := binary.BigEndian.AppendUint32(append([]byte(nil), pendingPrefix...), id.DB)
	return binary.BigEndian.AppendUint32(k, id.Rel)
}

// NewStorage gives a place for the pages of a new relation: nothing is there, and nothing stays unless the transaction commits.
func (v *View) NewStorage(shared, temp bool) (pagestore.RelID, error) {
	id := pagestore.RelID{DB: uint32(v.db.OID), Rel: uint32(v.cluster.nextOID())}
	if shared {
		id.DB = 0
	}
	if _, err := v.sess.Tx.XID(); err != nil {
		return id, err
	}
	if temp {
		v.sess.Tx.OnAbort(func() { v.cluster.forgetStorage(id); _ = v.cluster.st.Heap.Pool().DropTemp(id) })
		return id, nil
	}
	c := v.cluster.st.Store.NewChange()
	c.Set(pendingKey(id), nil)
	v.cluster.st.Store.Apply(c)
	c.Release()
	v.sess.Tx.OnCommitWrite(func(c *pagestore.Change) { c.Delete(pendingKey(id)) })
	v.sess.Tx.OnAbort(func() { v.cluster.removeStorage(id) })
	return id, nil
}

// DropStorage removes a relation's pages when the transaction commits.
func (v *View) DropStorage(id pagestore.RelID, temp bool) {
	tx := v.sess.Tx
	if temp {
		tx.OnCommit(func() { v.cluster.forgetStorage(id); _ = v.cluster.st.Heap.Pool().DropTemp(id) })
		return
	}
	tx.OnCommitWrite(func(c *pagestore.Change) { dropPages(c, id) })
	tx.OnCommit(func() { v.cluster.forgetStorage(id) })
}

// dropPages adds the removal of a relation's pages. Counting them can fail; then they stay, unreachable, until the next start sweeps them.
func dropPages(c *pagestore.Change, id pagestore.RelID) {
	if err := c.DropRel(id); err != nil {
		c.Set(pendingKey(id), nil)
	}
}

// removeStorage removes pages that no transaction will ever need.
func (c *Cluster) removeStorage(id pagestore.RelID) {
	c.forgetStorage(id)
	ch := c.st.Store.NewChange()
	defer ch.Release()
	dropPages(ch, id)
	ch.Delete(pendingKey(id))
	c.st.Store.Apply(ch)
}

// forgetStorage drops what is in memory of a relation.
func (c *Cluster) forgetStorage(id pagestore.RelID) {
	c.st.Heap.Forget(id)
	for _, am := range c.st.AMs {
		am.Forget(id)
	}
}

// sweepPending removes the storage of relations whose transactions did not commit.
func (c *Cluster) sweepPending() error {
	var ids []pagestore.RelID
	err := c.st.Store.Scan(pendingPrefix, func(key, _ []byte) error {
		rest := key[len(pendingPrefix):]
		if len(rest) != 8 {
			return fmt.Errorf("a pending key of %d bytes", len(key))
		}
		ids = append(ids, pagestore.RelID{DB: binary.BigEndian.Uint32(rest), Rel: binary.BigEndian.Uint32(rest[4:])})
		return nil
	})
	for _, id := range ids {
		c.removeStorage(id)
	}
	return err
}
