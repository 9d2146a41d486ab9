package catalog

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/tuple"
	"github.com/calfdb/calf/storage/xact"
)

// Storage is what a cluster's tables are kept in.
type Storage struct {
	Store *pagestore.Store
	Heap  *heap.Engine
	Xact  *xact.Manager
	AMs   map[OID]index.AM // by pg_am OID: BTreeAM at least
}

// handles are the opened heaps and indexes of one database's catalogs.
type handles struct {
	mu      sync.RWMutex
	heaps   map[handleKey]*heap.Relation
	indexes map[handleKey]index.Index
}

// handleKey names a catalog or index in a given storage.
type handleKey struct {
	oid  OID
	node uint32
}

func newHandles() *handles {
	return &handles{heaps: map[handleKey]*heap.Relation{}, indexes: map[handleKey]index.Index{}}
}

// remembered gives m[k], made when it is missing.
func remembered[T any](h *handles, m map[handleKey]T, k handleKey, open func() (T, error)) (T, error) {
	h.mu.RLock()
	got, ok := m[k]
	h.mu.RUnlock()
	if ok {
		return got, nil
	}
	got, err := open()
	if err != nil {
		return got, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if first, ok := m[k]; ok {
		return first, nil
	}
	m[k] = got
	return got, nil
}

// layout compiles a catalog's tuple descriptor once.
func (t *Table) layout() *tuple.Layout {
	t.layoutOnce.Do(func() { t.compiled = tuple.NewLayout(t.Desc) })
	return t.compiled
}

// spec describes a catalog's heap.
func (t *Table) spec(id pagestore.RelID) heap.Spec {
	s := heap.Spec{ID: id, OID: t.OID, Name: t.Name, Layout: t.layout(), NoRowLocks: true}
	for _, ix := range t.Indexes {
		for _, col := range ix.Columns {
			s.IndexedAttrs.Add(int16(col + 1))
		}
	}
	return s
}

// def describes an index of a catalog.
func (ix *TableIndex) def(id pagestore.RelID) (*index.Def, error) {
	desc := &types.TupleDesc{TypeOID: types.RecordOID, TypMod: -1}
	d := &index.Def{Rel: id, OID: ix.OID, HeapOID: ix.Table.OID, Name: ix.Name, HeapName: ix.Table.Name, Unique: ix.Unique}
	for i, col := range ix.Columns {
		a := ix.Table.Desc.Attrs[col]
		coll := a.Collation
		cmp, err := keyCompare(a.TypeOID)
		if err != nil {
			return nil, fmt.Errorf("opening index %s: %w", ix.Name, err)
		}
		a.Num = int16(i + 1)
		if a.TypeOID == types.NameOID {
			a.TypeOID, a.Len, a.Align = types.CstringOID, -2, 'c' // as PostgreSQL's name_ops keeps it
		}
		desc.Attrs = append(desc.Attrs, a)
		d.Cols = append(d.Cols, index.KeyCol{Compare: cmp, InputType: a.TypeOID, Collation: coll})
	}
	d.Layout = tuple.NewLayout(desc)
	return d, nil
}

// heapOf opens a catalog's heap as the session sees it.
func (v *View) heapOf(t *Table) (*heap.Relation, error) {
	id, err := v.catalogStorage(t.OID, t.Shared)
	if err != nil {
		return nil, err
	}
	h := v.handlesOf(t)
	return remembered(h, h.heaps, handleKey{t.OID, id.Rel}, func() (*heap.Relation, error) { return v.cluster.st.Heap.Open(t.spec(id)) })
}

// indexOf opens an index of a catalog as the session sees it.
func (v *View) indexOf(ix *TableIndex) (index.Index, error) {
	id, err := v.catalogStorage(ix.OID, ix.Table.Shared)
	if err != nil {
		return nil, err
	}
	h := v.handlesOf(ix.Table)
	return remembered(h, h.indexes, handleKey{ix.OID, id.Rel}, func() (index.Index, error) {
		def, err := ix.def(id)
		if err != nil {
			return nil, err
		}
		return v.cluster.st.AMs[BTreeAM].Open(def), nil
	})
}

func (v *View) handlesOf(t *Table) *handles {
	if t.Shared {
		return v.cluster.sharedHandles
	}
	return v.db.handles
}

// catalogStorage finds the pages of a catalog or an index of one. Those that are read to find the others are mapped: their place is in a small
// key, not in pg_class.
func (v *View) catalogStorage(rel OID, shared bool) (pagestore.RelID, error) {
	if shared {
		return pagestore.RelID{Rel: v.cluster.sharedMap.node(rel)}, nil
	}
	id := pagestore.RelID{DB: uint32(v.db.OID)}
	if isMapped(rel) {
		id.Rel = v.db.relmap.node(rel)
		return id, nil
	}
	node, err := fetch(v, Key{Kind: FilenodeKey, A: rel}, func(r reader) (uint32, error) {
		class, err := r.one(PgClassOidIndexOID, types.Oid(rel))
		if err != nil {
			return 0, err
		}
		if class == nil {
			return 0, pgerr.New(pgerr.DataCorrupted, "system catalog %d has no row in pg_class", rel)
		}
		return uint32(class[ClassRelfilenode].Oid()), nil
	})
	id.Rel = node
	return id, err
}

// relmap keeps the storage of mapped relations of one database, or of the shared ones: those not in it are at their OID.
type relmap struct {
	mu    sync.RWMutex
	nodes map[OID]uint32
}

func (m *relmap) node(rel OID) uint32 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if n, ok := m.nodes[rel]; ok {
		return n
	}
	return uint32(rel)
}

// relmapKey is the small key of a mapped relation.
func relmapKey(db, rel OID) []byte {
	k := binary.BigEndian.AppendUint32([]byte("catalog/relmap/"), uint32(db))
	if rel == 0 {
		return k // prefix
	}
	return binary.BigEndian.AppendUint32(k, uint32(rel))
}

func loadRelmap(s *pagestore.Store, db OID) (*relmap, error) {
	m := &relmap{nodes: map[OID]uint32{}}
	prefix := relmapKey(db, 0)
	err := s.Scan(prefix, func(key, value []byte) error {
		m.nodes[OID(binary.BigEndian.Uint32(key[len(prefix):]))] = binary.BigEndian.Uint32(value)
		return nil
	})
	return m, err
}

// SetMappedStorage gives a mapped relation new storage at commit.
func (v *View) SetMappedStorage(rel OID, shared bool, node uint32) {
	db, m := v.db.OID, v.db.relmap
	if shared {
		db, m = 0, v.cluster.sharedMap
	}
	tx := v.sess.Tx
	tx.OnCommitWrite(func(c *pagestore.Change) { c.Set(relmapKey(db, rel), binary.BigEndian.AppendUint32(nil, node)) })
	tx.OnCommit(func() {
		m.mu.Lock()
		m.nodes[rel] = node
		m.mu.Unlock()
	})
}

// IsMapped says whether a relation's storage is not in pg_class but in the map.
func IsMapped(rel OID) bool { return rel < FirstUserOID && isMapped(rel) }

func isMapped(rel OID) bool {
	loadBoot()
	return boot.mapped[rel]
}
