package heap

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/tuple"
	"github.com/calfdb/calf/storage/xact"
)

// fixture is a server's storage without a server.
type fixture struct {
	t     testing.TB
	fs    vfs.FS
	store *pagestore.Store
	pool  *buffer.Pool
	xm    *xact.Manager
	locks *lock.Manager
	e     *Engine
	pids  int32

	opened []*Relation
}

func newFixture(t testing.TB, fs vfs.FS, frames int) *fixture {
	t.Helper()
	f := &fixture{t: t, fs: fs}
	var err error
	f.store, err = pagestore.Open(pagestore.Options{Dir: "db", FS: fs, MemTableSize: 4 << 20, MinFreeDisk: 1, SyncInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	f.pool = buffer.New(f.store, frames)
	if f.xm, err = xact.Open(f.store); err != nil {
		t.Fatal(err)
	}
	f.locks = lock.NewManager()
	f.e = New(f.pool, f.xm)
	return f
}

func (f *fixture) close() {
	f.t.Helper()
	for _, r := range f.opened {
		if err := r.Check(10); err != nil {
			f.t.Error(err)
		}
	}
	if err := f.pool.Check(MaskHints); err != nil {
		f.t.Error(err)
	}
	if err := f.pool.CheckNoPins(); err != nil {
		f.t.Error(err)
	}
	if err := f.store.Close(); err != nil {
		f.t.Error(err)
	}
	f.pool.Close()
}

// testFixture is newFixture over memory, closed with its checks at the end of the test.
// sized is the size of a test: under -short, which CI gives the race detector, the small one.
func sized(whole, short int) int {
	if testing.Short() {
		return short
	}
	return whole
}

func testFixture(t testing.TB) *fixture {
	f := newFixture(t, vfs.NewMem(), 256)
	t.Cleanup(f.close)
	return f
}

// session is a session's proc, locks and heap session.
type session struct {
	*Session
	f    *fixture
	proc *xact.Proc
	ls   *lock.Session
	w    *LockWaiter
}

func (f *fixture) session() *session {
	f.pids++
	s := &session{f: f, Session: &Session{}, ls: f.locks.NewSession(f.pids)}
	s.w = &LockWaiter{Session: s.ls, Tx: func() *xact.Tx { return s.Tx }}
	s.proc = f.xm.NewProc(s.w)
	s.Waiter = s.w
	return s
}

func (s *session) begin(iso xact.Isolation) {
	s.w.Owner = s.ls.NewOwner(lock.TransactionOwner, nil)
	s.Tx = s.proc.Begin(iso, false)
	s.Tx.AsyncCommit = true
}

func (s *session) commit() {
	s.f.t.Helper()
	if err := s.Tx.Commit(); err != nil {
		s.f.t.Fatal(err)
	}
	s.w.Owner.Close()
}

func (s *session) abort() {
	s.Tx.Abort()
	s.w.Owner.Close()
}

func (s *session) savepoint() {
	s.Tx.BeginSub()
	s.w.Owner = s.ls.NewOwner(lock.SubtransactionOwner, s.w.Owner)
}

func (s *session) release() {
	s.Tx.CommitSub()
	o := s.w.Owner
	s.w.Owner = o.Parent()
	o.MoveToParent()
	o.Close()
}

func (s *session) rollbackTo() {
	s.Tx.AbortSub()
	o := s.w.Owner
	s.w.Owner = o.Parent()
	o.Close()
}

func (s *session) cci() {
	if err := s.Tx.CommandCounterIncrement(); err != nil {
		s.f.t.Fatal(err)
	}
}

func int4Attr(name string, num int16) types.Attr {
	return types.Attr{Name: name, TypeOID: 23, TypMod: -1, Num: num, Len: 4, ByVal: true, Align: 'i', Storage: 'p'}
}

func textAttr(name string, num int16) types.Attr {
	return types.Attr{Name: name, TypeOID: 25, TypMod: -1, Num: num, Len: -1, Align: 'i', Storage: 'x'}
}

// idVal is a table (id int, val int, note text) with an index on id.
var idVal = tuple.NewLayout(&types.TupleDesc{Attrs: []types.Attr{int4Attr("id", 1), int4Attr("val", 2), textAttr("note", 3)}})

func (f *fixture) open(rel uint32) *Relation {
	f.t.Helper()
	var id AttrSet
	id.Add(1)
	r, err := f.e.Open(Spec{ID: pagestore.RelID{DB: 1, Rel: rel}, OID: types.OID(rel), Name: fmt.Sprint("t", rel), Layout: idVal, IndexedAttrs: id, KeyAttrs: id})
	if err != nil {
		f.t.Fatal(err)
	}
	f.opened = append(f.opened, r)
	return r
}

func row(id, val int, note string) types.Row {
	return types.Row{types.Int4(int32(id)), types.Int4(int32(val)), types.Text(note)}
}

func (s *session) insert(r *Relation, id, val int, note string) types.TID {
	s.f.t.Helper()
	tid, err := r.Insert(s.Session, row(id, val, note), InsertOpts{})
	if err != nil {
		s.f.t.Fatal(err)
	}
	return tid
}

func (s *session) update(r *Relation, tid types.TID, id, val int, note string) UpdateResult {
	s.f.t.Helper()
	res, err := r.Update(s.Session, tid, row(id, val, note), UpdateOpts{Wait: true})
	if err != nil {
		s.f.t.Fatal(err)
	}
	return res
}

// snapshot is what a new statement sees.
func (s *session) snapshot() *Snapshot {
	snap := new(Snapshot)
	s.Tx.TakeSnapshot(&snap.Snapshot)
	return snap
}

// rows lists what snap sees by a sequential scan, as "id=val note".
func (s *session) rows(r *Relation, snap *Snapshot) []string {
	s.f.t.Helper()
	var slot Slot
	slot.Init(r)
	var out []string
	sc := r.BeginScan(s.Session, snap, ScanOpts{})
	for {
		ok, err := sc.Next(&slot)
		if err != nil {
			s.f.t.Fatal(err)
		}
		if !ok {
			break
		}
		out = append(out, slotString(s.f.t, &slot))
	}
	sc.End()
	return out
}

func slotString(t testing.TB, slot *Slot) string {
	t.Helper()
	if err := slot.DeformAll(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d=%d %s", slot.Row[0].Int4(), slot.Row[1].Int4(), slot.Row[2].Str())
}

// see is rows by a fresh snapshot of a fresh transaction.
func (f *fixture) see(r *Relation) []string {
	f.t.Helper()
	s := f.session()
	s.begin(xact.ReadCommitted)
	defer func() { s.abort(); s.proc.Close(); s.ls.Close() }()
	return s.rows(r, s.snapshot())
}
