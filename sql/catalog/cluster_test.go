package catalog

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/index/btree"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/xact"
)

// fixture is a cluster in memory.
type fixture struct {
	t  testing.TB
	fs vfs.FS
	st Storage
	c  *Cluster
}

func openStorage(t testing.TB, fs vfs.FS) Storage {
	store, err := pagestore.Open(pagestore.Options{Dir: "db", FS: fs, MinFreeDisk: 1, SyncInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	xm, err := xact.Open(store)
	if err != nil {
		t.Fatal(err)
	}
	pool := buffer.New(store, 4096)
	return Storage{Store: store, Heap: heap.New(pool, xm), Xact: xm, AMs: map[OID]index.AM{BTreeAM: btree.New(pool, nil)}}
}

func newFixture(t testing.TB) *fixture {
	f := &fixture{t: t, fs: vfs.NewMem()}
	f.st = openStorage(t, f.fs)
	start := time.Now()
	c, err := Bootstrap(f.st, "postgres")
	if err != nil {
		t.Fatal(err)
	}
	filled := time.Now()
	if err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	t.Logf("bootstrap %v, copies %v", filled.Sub(start), time.Since(filled))
	f.c = c
	t.Cleanup(func() { f.close() })
	return f
}

func (f *fixture) close() {
	if err := f.st.Heap.Pool().CheckNoPins(); err != nil {
		f.t.Error(err)
	}
	f.c.Close()
	if err := f.st.Store.Close(); err != nil {
		f.t.Error(err)
	}
	f.st.Heap.Pool().Close()
}

// reopen stops and starts.
func (f *fixture) reopen() {
	f.close()
	f.st = openStorage(f.t, f.fs)
	start := time.Now()
	c, err := Open(f.st)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Logf("open %v", time.Since(start))
	f.c = c
}

// session is a session of one goroutine.
type session struct {
	*View
	f    *fixture
	hs   *heap.Session
	proc *xact.Proc
}

func (f *fixture) session(db OID) *session {
	s := &session{f: f, hs: &heap.Session{}, proc: f.st.Xact.NewProc(nil)}
	var err error
	if s.View, err = f.c.NewView(db, s.hs); err != nil {
		f.t.Fatal(err)
	}
	return s
}

func (s *session) begin() { s.hs.Tx = s.proc.Begin(xact.ReadCommitted, false) }
func (s *session) commit() {
	if err := s.hs.Tx.Commit(); err != nil {
		s.f.t.Fatal(err)
	}
}

// TestStoredDescriptors compares all descriptors of a bootstrapped store with those of the embedded data.
func TestStoredDescriptors(t *testing.T) {
	f := newFixture(t)
	for _, db := range []OID{Template1DB, PostgresDB} {
		s := f.session(db)
		s.begin()
		start := time.Now()
		compareWithBuiltin(t, s.View)
		t.Logf("database %d: all descriptors %v", db, time.Since(start))
		s.commit()
	}
	f.reopen()
	s := f.session(PostgresDB)
	s.begin()
	compareWithBuiltin(t, s.View)
	s.commit()
}

func compareWithBuiltin(t *testing.T, v *View) {
	t.Helper()
	b := Builtin()
	for _, row := range Catalogs(PgProcOID).Rows() {
		oid := row[ProcOid].Oid()
		p, err := v.Proc(oid)
		want, _ := b.Proc(oid)
		if err != nil || p == nil || p.Name != want.Name || !equalOIDs(p.ArgTypes, want.ArgTypes) || len(p.Defaults) != len(want.Defaults) {
			t.Fatalf("function %d: %+v, want %+v, %v", oid, p, want, err)
		}
		list, err := v.ProcsByName("", p.Name)
		wantList, _ := b.ProcsByName("", p.Name)
		if err != nil || len(list) != len(wantList) {
			t.Fatalf("functions %s: %d, want %d, %v", p.Name, len(list), len(wantList), err)
		}
	}
	for _, row := range Catalogs(PgTypeOID).Rows() {
		oid := row[TypeOid].Oid()
		typ, err := v.Type(oid)
		want, _ := b.Type(oid)
		if err != nil || typ == nil || typ.Name != want.Name || typ.Len != want.Len {
			t.Fatalf("type %d: %+v, %v", oid, typ, err)
		}
		if got, err := v.TypeByName("", typ.Name); got != oid || err != nil {
			t.Fatalf("type %s: %d, want %d, %v", typ.Name, got, oid, err)
		}
	}
	for _, row := range Catalogs(PgClassOID).Rows() {
		oid := row[ClassOid].Oid()
		r, err := v.Relation(oid)
		want, _ := b.Relation(oid)
		if err != nil || r == nil || r.Name != want.Name || len(r.Desc.Attrs) != len(want.Desc.Attrs) || len(r.Indexes) != len(want.Indexes) {
			t.Fatalf("relation %d: %+v, want %+v, %v", oid, r, want, err)
		}
	}
	ops, err := v.OperatorsByName("", "=")
	if err != nil || len(ops) != 63 {
		t.Errorf("=: %d operators, %v", len(ops), err)
	}
	r, err := v.RoleByName("postgres")
	if err != nil || r == nil || !r.Super {
		t.Errorf("role postgres: %+v, %v", r, err)
	}
}

func namespaceRow(oid OID, name string) types.Row {
	row := NewRow(PgNamespaceOID)
	row[NamespaceOid], row[NamespaceNspname], row[NamespaceNspowner] = types.Oid(oid), types.Text(name), types.Oid(10)
	return row
}

func (s *session) namespace(name string) OID {
	s.f.t.Helper()
	oid, err := s.NamespaceByName(name)
	if err != nil {
		s.f.t.Fatal(err)
	}
	return oid
}

// TestVisibility: others see a catalog change from the commit on, the session itself from its next command on, nobody after a rollback.
func TestVisibility(t *testing.T) {
	f := newFixture(t)
	a, b := f.session(PostgresDB), f.session(PostgresDB)
	a.begin()
	b.begin()
	if a.namespace("s") != 0 || b.namespace("s") != 0 {
		t.Fatal("there before it is made")
	}
	oid, err := a.GetNewOID(PgNamespaceOidIndexOID)
	if err != nil || oid < FirstUserOID {
		t.Fatal(oid, err)
	}
	if err := a.Insert(PgNamespaceOID, namespaceRow(oid, "s")); err != nil {
		t.Fatal(err)
	}
	if a.namespace("s") != 0 {
		t.Error("seen within the command")
	}
	if err := a.NextCommand(); err != nil {
		t.Fatal(err)
	}
	if a.namespace("s") != oid || b.namespace("s") != 0 {
		t.Error("after the command")
	}
	a.hs.Tx.BeginSub()
	if n, err := a.DeleteWhere(PgNamespaceOID, PgNamespaceOidIndexOID, types.Oid(oid)); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if err := a.NextCommand(); err != nil {
		t.Fatal(err)
	}
	if a.namespace("s") != 0 {
		t.Error("there after its deletion")
	}
	a.hs.Tx.AbortSub()
	if a.namespace("s") != oid {
		t.Error("not there after the deletion was undone")
	}
	a.commit()
	if b.namespace("s") != oid {
		t.Error("others don't see it after the commit")
	}
	a.begin()
	err = a.Modify(PgNamespaceOID, PgNamespaceOidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) { row[NamespaceNspname] = types.Text("u") })
	if err != nil {
		t.Fatal(err)
	}
	_ = a.NextCommand()
	if a.namespace("u") != oid || a.namespace("s") != 0 || b.namespace("u") != 0 || b.namespace("s") != oid {
		t.Error("renamed")
	}
	a.hs.Tx.Abort()
	a.begin()
	if a.namespace("u") != 0 || a.namespace("s") != oid {
		t.Error("after rollback")
	}
	if err := a.Insert(PgNamespaceOID, namespaceRow(99999, "s")); err == nil {
		t.Error("a duplicate name went in")
	}
	a.hs.Tx.Abort()
	b.commit()
}
