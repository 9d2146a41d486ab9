package catalog

import (
	"fmt"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/xact"
)

// First start, in three steps, so that the middle one can run SQL:
//
//	Bootstrap   the initial contents go into template1 and the shared catalogs
//	            (the caller makes the system views by running SQL in template1)
//	Finish      template1's pages are copied to template0 and postgres, and the store is marked as ready
//
// A store in which that was begun and not finished is wiped and begun again.

var stateKey = []byte("catalog/state")

const (
	stateEmpty byte = iota
	stateBegun
	stateReady
)

// firstBootOID is where OIDs of objects that are made by SQL at first start begin: behind those of the initial contents.
const firstBootOID OID = 14000

func readState(s *pagestore.Store) (byte, error) {
	v, ok, err := s.Get(nil, stateKey)
	if err != nil || !ok || len(v) != 1 {
		return stateEmpty, err
	}
	return v[0], nil
}

func writeState(s *pagestore.Store, state byte) {
	c := s.NewChange()
	c.Set(stateKey, []byte{state})
	s.Apply(c)
	c.Release()
	s.Sync()
}

// IsReady says whether a store has been initialised.
func IsReady(s *pagestore.Store) (bool, error) {
	state, err := readState(s)
	return state == stateReady, err
}

// Bootstrap writes the initial contents. superuser is the name of role 10.
func Bootstrap(st Storage, superuser string) (*Cluster, error) {
	state, err := readState(st.Store)
	if err != nil {
		return nil, err
	}
	if state == stateReady {
		return nil, fmt.Errorf("the data directory is initialised already")
	}
	if state == stateBegun {
		wipe(st)
	}
	writeState(st.Store, stateBegun)
	c, err := open(st)
	if err != nil {
		return nil, err
	}
	c.bootstrapping.Store(true)
	c.bootOID.Store(uint32(firstBootOID) - 1)
	proc := st.Xact.NewProc(nil)
	defer proc.Close()
	tx := proc.Begin(xact.ReadCommitted, false)
	sess := &heap.Session{Tx: tx}
	b := &bootstrapper{c: c, sess: sess, superuser: superuser, sizes: map[OID]bootSize{}}
	if err := b.fill(); err != nil {
		tx.Abort()
		return nil, fmt.Errorf("initialising: %w", err)
	}
	return c, tx.Commit()
}

// wipe removes what an unfinished first start left.
func wipe(st Storage) {
	c := st.Store.NewChange()
	for _, db := range []OID{0, Template1DB, Template0DB, PostgresDB} {
		c.DropDB(uint32(db))
		st.Heap.ForgetDB(uint32(db))
	}
	st.Store.Apply(c)
	c.Release()
}

// Finish ends the first start: all databases get what template1 has. No transaction runs.
func (c *Cluster) Finish() error {
	for _, db := range []OID{Template0DB, PostgresDB} {
		if err := c.st.Store.CopyDB(uint32(Template1DB), uint32(db)); err != nil {
			return err
		}
	}
	c.bootstrapping.Store(false)
	writeState(c.st.Store, stateReady)
	return nil
}

// bootstrapper fills the initial catalogs.
type bootstrapper struct {
	c         *Cluster
	sess      *heap.Session
	superuser string
	sizes     map[OID]bootSize
}

// bootSize is what pg_class says of a relation's size.
type bootSize struct {
	pages  uint32
	tuples int
}

// fill writes all catalogs, pg_class last: it has the others' sizes.
func (b *bootstrapper) fill() error {
	for _, t := range AllCatalogs() {
		if t.OID != PgClassOID {
			if err := b.fillTable(t, b.rows(t)); err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
		}
	}
	t := bootTable(PgClassOID)
	return b.fillTable(t, b.classRows(t))
}

// rows are a catalog's initial rows, with the superuser's name in them.
func (b *bootstrapper) rows(t *Table) []types.Row {
	if t.OID == PgProcOID {
		rows := t.Rows()
		return append(rows[:len(rows):len(rows)], ownProcRows(rows)...)
	}
	if t.OID != PgAuthidOID {
		return t.Rows()
	}
	var rows []types.Row
	for _, row := range t.Rows() {
		if row[AuthidOid].Oid() == BootstrapSuperuser {
			row = append(types.Row(nil), row...)
			row[AuthidRolname] = types.Text(b.superuser)
		}
		rows = append(rows, row)
	}
	return rows
}

// classRows are pg_class's rows with storage and sizes. Storage of what is not mapped is at the relation's OID at first.
func (b *bootstrapper) classRows(t *Table) []types.Row {
	var rows []types.Row
	for _, row := range t.Rows() {
		row = append(types.Row(nil), row...)
		oid := row[ClassOid].Oid()
		if row[ClassRelfilenode].Oid() != 0 {
			row[ClassRelfilenode] = types.Oid(oid)
		}
		size := b.sizes[oid]
		row[ClassRelpages], row[ClassReltuples] = types.Int4(int32(size.pages)), types.Float4(float32(size.tuples))
		row[ClassRelallvisible] = types.Int4(0)
		rows = append(rows, row)
	}
	return rows
}

func (b *bootstrapper) fillTable(t *Table, rows []types.Row) error {
	id := pagestore.RelID{DB: uint32(Template1DB), Rel: uint32(t.OID)}
	if t.Shared {
		id.DB = 0
	}
	rel, err := b.c.st.Heap.Open(t.spec(id))
	if err != nil {
		return err
	}
	tids := make([]types.TID, len(rows))
	if err := rel.MultiInsert(b.sess, rows, tids, heap.InsertOpts{Frozen: true}); err != nil {
		return err
	}
	b.sizes[t.OID] = bootSize{rel.NumBlocks(), len(rows)}
	for _, ix := range t.Indexes {
		if err := b.fillIndex(ix, pagestore.RelID{DB: id.DB, Rel: uint32(ix.OID)}, rows, tids); err != nil {
			return fmt.Errorf("index %s: %w", ix.Name, err)
		}
	}
	return nil
}

func (b *bootstrapper) fillIndex(ix *TableIndex, id pagestore.RelID, rows []types.Row, tids []types.TID) error {
	def, err := ix.def(id)
	if err != nil {
		return err
	}
	build := b.c.st.AMs[BTreeAM].NewBuild(def, index.BuildOptions{WorkMem: 64 << 20})
	for i, row := range rows {
		if err := build.Add(ix.values(row), tids[i], true); err != nil {
			build.Abort()
			return err
		}
	}
	stats, err := build.Finish()
	b.sizes[ix.OID] = bootSize{stats.Pages, len(rows)}
	return err
}

// IsBootstrapping says whether the first start is in progress: what is made then is part of the system.
func (c *Cluster) IsBootstrapping() bool { return c.bootstrapping.Load() }
