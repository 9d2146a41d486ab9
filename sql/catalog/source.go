package catalog

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pagestore"
)

// source gives the rows of catalogs as the current transaction sees them. heapSource reads the tables; memSource the initial contents, so that
// what is above can be tested without a store.
type source interface {
	// scan calls each with the rows whose leading index columns equal key, in index order, until it answers false. The rows' bytes are the
	// callee's to keep.
	scan(ix *TableIndex, key []types.Datum, each func(tid types.TID, row types.Row) (bool, error)) error
	// scanAll calls each with all rows of a catalog.
	scanAll(t *Table, each func(tid types.TID, row types.Row) (bool, error)) error
	// filenode gives the storage of a relation whose pg_class row has relfilenode 0.
	mappedFilenode(rel OID, isShared bool) uint32
	// dbOID is the database whose catalogs these are.
	dbOID() OID
}

// reader makes descriptors of what a source gives.
type reader struct{ source }

// one gives the only row with that key, nil when there is none.
func (r reader) one(index OID, key ...types.Datum) (types.Row, error) {
	var found types.Row
	err := r.scan(bootIndex(index), key, func(_ types.TID, row types.Row) (bool, error) {
		found = row
		return false, nil
	})
	return found, err
}

// list gives all rows with that key, in index order.
func (r reader) list(index OID, key ...types.Datum) ([]types.Row, error) {
	var rows []types.Row
	err := r.scan(bootIndex(index), key, func(_ types.TID, row types.Row) (bool, error) {
		rows = append(rows, row)
		return true, nil
	})
	return rows, err
}

// storage gives the place of a relation's pages from its pg_class row.
func (r reader) storage(class types.Row) pagestore.RelID {
	shared := class[ClassRelisshared].Bool()
	id := pagestore.RelID{DB: uint32(r.dbOID()), Rel: uint32(class[ClassRelfilenode].Oid())}
	if shared {
		id.DB = 0
	}
	if id.Rel == 0 && hasStorage(class[ClassRelkind].Char()) {
		id.Rel = r.mappedFilenode(class[ClassOid].Oid(), shared)
	}
	return id
}

// hasStorage says whether relations of a kind have pages.
func hasStorage(kind byte) bool {
	switch kind {
	case 'r', 'i', 't', 'm', 'S':
		return true
	}
	return false
}
