package catalog

import (
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/xact"
)

// NewStorage gives a place for the pages of a new relation, part of the transaction: nothing stays unless it commits.
func (v *View) NewStorage(shared, temp bool) (pagestore.RelID, error) {
	id := pagestore.RelID{DB: uint32(v.db.OID), Rel: uint32(v.cluster.nextOID())}
	if shared {
		id.DB = 0
	}
	if err := v.cluster.st.Heap.CreateStorage(v.sess.Tx, id, temp, v.cluster.forgetter(id)); err != nil {
		return id, err
	}
	xid, err := v.sess.Tx.XID()
	if v.newStorage == nil {
		v.newStorage = map[uint32]xact.XID{}
	}
	v.newStorage[id.Rel] = xid
	return id, err
}

// IsNewStorage says whether a relation's storage was made in this transaction: nobody else can see it, and it goes when the transaction aborts.
// inSub asks whether it goes with the current subtransaction, too.
func (v *View) IsNewStorage(rel *Relation, inSub bool) bool {
	xid, ok := v.newStorage[rel.Storage.Rel]
	tx := v.sess.Tx
	if !ok || !tx.IsCurrent(xid) {
		return false
	}
	// What a subtransaction that has committed made belongs to one of those that are open: at the top level that is known to be the current one.
	return !inSub || xid == tx.CurrentXID() || tx.Level() == 1
}

// DropStorage removes a relation's pages when the transaction commits.
func (v *View) DropStorage(id pagestore.RelID, temp bool) {
	v.cluster.st.Heap.DropStorage(v.sess.Tx, id, temp, v.cluster.forgetter(id))
}

// forgetter drops what access methods keep in memory of an index.
func (c *Cluster) forgetter(id pagestore.RelID) func() {
	return func() {
		for _, am := range c.st.AMs {
			am.Forget(id)
		}
	}
}
