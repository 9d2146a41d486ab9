package catalog

import "github.com/calfdb/calf/storage/pagestore"

// NewStorage gives a place for the pages of a new relation, part of the transaction: nothing stays unless it commits.
func (v *View) NewStorage(shared, temp bool) (pagestore.RelID, error) {
	id := pagestore.RelID{DB: uint32(v.db.OID), Rel: uint32(v.cluster.nextOID())}
	if shared {
		id.DB = 0
	}
	return id, v.cluster.st.Heap.CreateStorage(v.sess.Tx, id, temp, v.cluster.forgetter(id))
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
