package heap

import (
	"slices"
	"strings"
	"testing"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/xact"
)

// TestCopyTo: a rewritten table shows old and new snapshots what the old one did.
func TestCopyTo(t *testing.T) {
	f := testFixture(t)
	r, dst := f.open(1), f.open(2)
	a, old, w := f.session(), f.session(), f.session()
	big := strings.Repeat("b", 9000)
	a.begin(xact.ReadCommitted)
	one := a.insert(r, 1, 1, big)
	two := a.insert(r, 2, 2, "two")
	a.insert(r, 3, 3, "three")
	a.commit()
	a.begin(xact.ReadCommitted)
	a.insert(r, 9, 9, big)
	a.abort()
	old.begin(xact.RepeatableRead)
	before := old.snapshot()
	a.begin(xact.ReadCommitted)
	a.update(r, one, 1, 10, big)
	if res, _, err := r.Delete(a.Session, two, DeleteOpts{}); res != OK || err != nil {
		t.Fatal(res, err)
	}
	a.commit()
	w.begin(xact.ReadCommitted)
	live, err := r.CopyTo(w.Session, dst, nil)
	if err != nil || live != 2 {
		t.Fatal(live, err)
	}
	w.commit()
	seen := func(s *session, r *Relation, snap *Snapshot) []string {
		rows := s.rows(r, snap)
		slices.Sort(rows)
		return rows
	}
	a.begin(xact.ReadCommitted)
	want(t, "new snapshot", seen(a, dst, a.snapshot()), "1=10 "+big, "3=3 three")
	want(t, "old snapshot", seen(old, dst, before), "1=1 "+big, "2=2 two", "3=3 three")
	a.commit()
	old.abort()
	a.begin(xact.ReadCommitted)
	st, err := dst.Vacuum(a.Session, VacuumOptions{})
	if err != nil || st.Removed != 2 {
		t.Errorf("%+v %v", st, err)
	}
	a.abort()
	a.begin(xact.ReadCommitted)
	if _, err := r.Vacuum(a.Session, VacuumOptions{}); err != nil {
		t.Error(err)
	}
	a.abort()
}

func TestFrozenLoad(t *testing.T) {
	f := testFixture(t)
	r := f.open(1)
	s := f.session()
	s.begin(xact.ReadCommitted)
	rows := make([]types.Row, 500)
	for i := range rows {
		rows[i] = row(i, 0, strings.Repeat("t", 100))
	}
	tids := make([]types.TID, len(rows))
	for range 2 {
		if err := r.MultiInsert(s.Session, rows, tids, InsertOpts{Frozen: true}); err != nil {
			t.Fatal(err)
		}
	}
	s.commit()
	visible, frozen, err := r.CountVisible()
	if err != nil || visible != r.NumBlocks() || frozen != visible {
		t.Errorf("%d of %d pages are all-visible, %d frozen: %v", visible, r.NumBlocks(), frozen, err)
	}
	if got := f.see(r); len(got) != 1000 {
		t.Errorf("%d rows", len(got))
	}
	s.begin(xact.ReadCommitted)
	st, err := r.Vacuum(s.Session, VacuumOptions{OldPages: 100, OldTuples: 1000})
	if err != nil || st.Scanned > 1 {
		t.Errorf("%+v %v", st, err)
	}
	s.abort()
	s.begin(xact.ReadCommitted)
	s.insert(r, 1, 1, "after")
	s.commit()
}
