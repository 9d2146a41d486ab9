package heap

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/xact"
)

func (f *fixture) stored(rel uint32) uint32 {
	n, err := f.store.NumBlocks(pagestore.RelID{DB: 1, Rel: rel}, pagestore.MainFork)
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

// create makes a relation with a row in it.
func (s *session) create(rel uint32) {
	if err := s.f.e.CreateStorage(s.Tx, pagestore.RelID{DB: 1, Rel: rel}, false, nil); err != nil {
		s.f.t.Fatal(err)
	}
	r := s.f.open(rel)
	s.f.opened = s.f.opened[:len(s.f.opened)-1]
	s.insert(r, 1, 1, "x")
}

func TestStorageFollowsItsTransaction(t *testing.T) {
	fs := vfs.NewCrashableMem()
	f := newFixture(t, fs, 64)
	s := f.session()
	s.begin(xact.ReadCommitted)
	s.create(10)
	s.commit()
	s.begin(xact.ReadCommitted)
	s.create(11)
	s.abort()
	s.begin(xact.ReadCommitted)
	s.savepoint()
	s.create(12)
	s.rollbackTo()
	s.create(13)
	s.commit()
	for rel, want := range map[uint32]uint32{10: 1, 11: 0, 12: 0, 13: 1} {
		if n := f.stored(rel); n != want {
			t.Errorf("relation %d has %d pages, want %d", rel, n, want)
		}
	}
	s.begin(xact.ReadCommitted)
	f.e.DropStorage(s.Tx, pagestore.RelID{DB: 1, Rel: 10}, false, nil)
	s.abort()
	if n := f.stored(10); n != 1 {
		t.Errorf("a drop that was rolled back left %d pages", n)
	}
	s.begin(xact.ReadCommitted)
	f.e.DropStorage(s.Tx, pagestore.RelID{DB: 1, Rel: 10}, false, nil)
	s.Tx.AsyncCommit = false
	s.commit()
	if n := f.stored(10); n != 0 {
		t.Errorf("a drop left %d pages", n)
	}
	s.begin(xact.ReadCommitted)
	s.create(14)
	f.store.Sync()
	clone := fs.CrashClone(vfs.CrashCloneCfg{})
	s.abort()
	f.close()

	f = newFixture(t, clone, 64)
	defer f.close()
	if n := f.stored(14); n != 1 {
		t.Fatalf("%d pages of the running transaction survived the crash: the test is void", n)
	}
	n, err := f.e.SweepPending()
	if n != 1 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	for rel, want := range map[uint32]uint32{10: 0, 13: 1, 14: 0} {
		if n := f.stored(rel); n != want {
			t.Errorf("after the crash relation %d has %d pages, want %d", rel, n, want)
		}
	}
}

func TestVacuumGivesTheEndBack(t *testing.T) {
	f := testFixture(t)
	r := f.open(1)
	s := f.session()
	s.begin(xact.ReadCommitted)
	rows := make([]types.Row, 3000)
	for i := range rows {
		rows[i] = row(i, 0, strings.Repeat("t", 100))
	}
	tids := make([]types.TID, len(rows))
	if err := r.MultiInsert(s.Session, rows, tids, InsertOpts{}); err != nil {
		t.Fatal(err)
	}
	s.commit()
	var old VacuumStats
	vacuum := func() VacuumStats {
		s.begin(xact.ReadCommitted)
		defer s.abort()
		st, err := r.Vacuum(s.Session, VacuumOptions{OldPages: old.Pages, OldTuples: old.Tuples,
			LockToTruncate: func() (func(), bool) { return func() {}, true }})
		if err != nil {
			t.Fatal(err)
		}
		old = st
		return st
	}
	before := vacuum()
	if before.Tuples != 3000 || before.AllVisible != before.Pages || before.Truncated != 0 {
		t.Errorf("%+v", before)
	}
	s.begin(xact.ReadCommitted)
	for _, tid := range tids[100:] {
		if res, _, err := r.Delete(s.Session, tid, DeleteOpts{}); res != OK || err != nil {
			t.Fatal(res, err)
		}
	}
	s.commit()
	after := vacuum()
	if after.Tuples != 100 || after.Removed != 2900 || after.Pages > 3 || after.Truncated != before.Pages-after.Pages {
		t.Errorf("%+v", after)
	}
	if n := f.stored(1); n != after.Pages {
		t.Errorf("%d pages are stored", n)
	}
	if st := vacuum(); st.Scanned > 1 {
		t.Errorf("a vacuum of a table where nothing happened scans %d pages", st.Scanned)
	}
	if got := f.see(r); len(got) != 100 {
		t.Errorf("%d rows are left", len(got))
	}
}

// TestIDsBeyond32Bits: a page is used by transactions that are four billion apart.
func TestIDsBeyond32Bits(t *testing.T) {
	fs := vfs.NewMem()
	f := newFixture(t, fs, 64)
	r := f.open(1)
	s := f.session()
	s.begin(xact.ReadCommitted)
	kept := s.insert(r, 1, 1, "kept")
	s.insert(r, 2, 2, "untouched")
	gone := s.insert(r, 3, 3, "gone")
	s.commit()
	s.begin(xact.ReadCommitted)
	s.insert(r, 4, 4, "aborted")
	s.abort()
	s.begin(xact.ReadCommitted)
	if res, _, err := r.Delete(s.Session, gone, DeleteOpts{}); res != OK || err != nil {
		t.Fatal(res, err)
	}
	s.commit()
	for _, far := range []uint64{3 << 30, 1<<32 + 100, 1<<33 + 12345, 1 << 40} {
		c := f.store.NewChange()
		c.Set([]byte("xact/nextxid"), binary.BigEndian.AppendUint64(nil, far))
		f.store.Apply(c)
		c.Release()
		f.close()
		f = newFixture(t, fs, 64)
		r, s = f.open(1), f.session()
		want(t, "after the jump", f.see(r), rowsOf(kept)...)
		s.begin(xact.ReadCommitted)
		res := s.update(r, kept, 1, 1, "kept")
		if res.Result != OK || s.Tx.TopXID() < xact.XID(far) {
			t.Fatalf("%+v by %d", res, s.Tx.TopXID())
		}
		kept = res.TID
		s.commit()
		want(t, "after an update", f.see(r), rowsOf(kept)...)
		if err := r.Check(5); err != nil {
			t.Error(err)
		}
	}
	f.close()
}

// rowsOf is what TestIDsBeyond32Bits expects: the kept row's place decides the order.
func rowsOf(kept types.TID) []string {
	if kept.Off == 1 {
		return []string{"1=1 kept", "2=2 untouched"}
	}
	return []string{"2=2 untouched", "1=1 kept"}
}
