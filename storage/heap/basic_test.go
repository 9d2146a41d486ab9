package heap

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/xact"
)

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestInsertIsSeenByTheNextCommand(t *testing.T) {
	f := testFixture(t)
	r := f.open(1)
	a, b := f.session(), f.session()
	a.begin(xact.ReadCommitted)
	b.begin(xact.RepeatableRead)
	old := b.snapshot()
	before := a.snapshot()
	a.insert(r, 1, 10, "one")
	a.insert(r, 2, 20, "two")
	want(t, "own command", a.rows(r, before))
	a.cci()
	want(t, "next command", a.rows(r, a.snapshot()), "1=10 one", "2=20 two")
	want(t, "others", f.see(r))
	a.commit()
	want(t, "after commit", f.see(r), "1=10 one", "2=20 two")
	want(t, "old snapshot", b.rows(r, old))
	b.commit()
}

func TestAbortUndoes(t *testing.T) {
	f := testFixture(t)
	r := f.open(1)
	a := f.session()
	a.begin(xact.ReadCommitted)
	tid := a.insert(r, 1, 10, "one")
	a.commit()
	a.begin(xact.ReadCommitted)
	a.insert(r, 2, 20, "two")
	if res := a.update(r, tid, 1, 11, "one"); res.Result != OK || !res.HOT {
		t.Errorf("update: %+v", res)
	}
	a.abort()
	want(t, "after abort", f.see(r), "1=10 one")
	a.begin(xact.ReadCommitted)
	if res, _, err := r.Delete(a.Session, tid, DeleteOpts{Wait: true}); res != OK || err != nil {
		t.Error(res, err)
	}
	a.commit()
	want(t, "after delete", f.see(r))
}

func TestHOTChain(t *testing.T) {
	f := testFixture(t)
	r := f.open(1)
	a, old := f.session(), f.session()
	a.begin(xact.ReadCommitted)
	root := a.insert(r, 1, 0, "x")
	a.commit()
	old.begin(xact.RepeatableRead)
	oldSnap := old.snapshot()

	tid := root
	for i := 1; i <= 5; i++ {
		a.begin(xact.ReadCommitted)
		res := a.update(r, tid, 1, i, "x")
		if !res.HOT || res.Mode != LockNoKeyUpdate {
			t.Fatalf("update %d: %+v", i, res)
		}
		tid = res.TID
		a.commit()
	}
	var slot Slot
	slot.Init(r)
	fetch := func(s *session, snap *Snapshot) string {
		ok, _, err := r.FetchHOT(s.Session, root, snap, &slot)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return "nothing"
		}
		defer slot.Clear()
		return slotString(t, &slot)
	}
	if got := fetch(old, oldSnap); got != "1=0 x" {
		t.Errorf("the old snapshot sees %s", got)
	}
	a.begin(xact.ReadCommitted)
	if got := fetch(a, a.snapshot()); got != "1=5 x" {
		t.Errorf("a new snapshot sees %s", got)
	}
	if res := a.update(r, tid, 2, 5, "x"); res.HOT || res.Mode != LockUpdate {
		t.Errorf("an update of the indexed column: %+v", res)
	}
	a.commit()
	old.abort()
	a.begin(xact.ReadCommitted)
	ok, allDead, err := r.FetchHOT(a.Session, root, a.snapshot(), &slot)
	if ok || err != nil {
		t.Error(ok, err)
	}
	f.xm.Horizon()
	if _, allDead, _ = r.FetchHOT(a.Session, root, a.snapshot(), &slot); !allDead {
		t.Error("the chain is dead to all and FetchHOT does not say so")
	}
	a.abort()
}

// TestUpdateInPlaceStaysSmall: pruning keeps a row that is updated for ever on one page.
func TestUpdateInPlaceStaysSmall(t *testing.T) {
	f := testFixture(t)
	r := f.open(1)
	a := f.session()
	a.begin(xact.ReadCommitted)
	root := a.insert(r, 1, 0, "x")
	a.insert(r, 2, 0, "y")
	a.commit()
	var slot Slot
	slot.Init(r)
	rounds := sized(20_000, 3000)
	for i := 1; i <= rounds; i++ {
		a.begin(xact.ReadCommitted)
		snap := a.snapshot()
		ok, _, err := r.FetchHOT(a.Session, root, snap, &slot)
		if !ok || err != nil {
			t.Fatal(i, ok, err)
		}
		tid := slot.TID
		slot.Clear()
		if res := a.update(r, tid, 1, i, "x"); res.Result != OK || !res.HOT {
			t.Fatalf("round %d: %+v", i, res)
		}
		a.commit()
	}
	if n := r.NumBlocks(); n != 1 {
		t.Errorf("%d pages", n)
	}
	want(t, "at the end", f.see(r), "2=0 y", fmt.Sprintf("1=%d x", rounds))
}

func TestComboCIDs(t *testing.T) {
	f := testFixture(t)
	r := f.open(1)
	a := f.session()
	a.begin(xact.ReadCommitted)
	tid := a.insert(r, 1, 1, "a")
	a.cci()
	s1 := a.snapshot()
	res := a.update(r, tid, 1, 2, "b")
	want(t, "cursor of before the update", a.rows(r, s1), "1=1 a")
	a.cci()
	s2 := a.snapshot()
	if r, _, err := r.Delete(a.Session, res.TID, DeleteOpts{}); r != OK || err != nil {
		t.Fatal(r, err)
	}
	a.cci()
	want(t, "cursor of before the update", a.rows(r, s1), "1=1 a")
	want(t, "cursor of before the delete", a.rows(r, s2), "1=2 b")
	want(t, "now", a.rows(r, a.snapshot()))
	a.commit()
	want(t, "others", f.see(r))
}

func TestSavepoints(t *testing.T) {
	f := testFixture(t)
	r := f.open(1)
	a := f.session()
	a.begin(xact.ReadCommitted)
	tid := a.insert(r, 1, 1, "a")
	a.cci()
	a.savepoint()
	a.insert(r, 2, 2, "b")
	res := a.update(r, tid, 1, 9, "changed")
	a.cci()
	want(t, "inside", a.rows(r, a.snapshot()), "2=2 b", "1=9 changed")
	a.rollbackTo()
	want(t, "rolled back", a.rows(r, a.snapshot()), "1=1 a")
	a.savepoint()
	a.savepoint()
	res = a.update(r, tid, 1, 3, "kept")
	if res.Result != OK {
		t.Fatalf("update of a version whose updater rolled back: %+v", res)
	}
	a.cci()
	a.release()
	a.release()
	want(t, "released", a.rows(r, a.snapshot()), "1=3 kept")
	a.commit()
	want(t, "others", f.see(r), "1=3 kept")
}

func TestWideValues(t *testing.T) {
	f := testFixture(t)
	r := f.open(1)
	a := f.session()
	big := strings.Repeat("0123456789abcdef", 5000)
	a.begin(xact.ReadCommitted)
	tid := a.insert(r, 1, 1, big)
	a.insert(r, 2, 2, strings.Repeat("y", 2100))
	a.insert(r, 3, 3, "short")
	a.commit()
	if n := r.NumBlocks(); n != 1 {
		t.Errorf("%d pages hold three short tuples", n)
	}
	if got := f.see(r); len(got) != 3 || got[0] != "1=1 "+big {
		t.Errorf("the wide value did not come back")
	}
	pages := r.toast.NumBlocks()
	a.begin(xact.ReadCommitted)
	var changed AttrSet
	changed.Add(2)
	res, err := r.Update(a.Session, tid, row(1, 5, big), UpdateOpts{Changed: &changed})
	if err != nil || res.Result != OK {
		t.Fatal(res, err)
	}
	a.commit()
	if n := r.toast.NumBlocks(); n != pages {
		t.Errorf("an update that keeps the value took %d pages", n-pages)
	}
	if got := f.see(r); len(got) != 3 || got[2] != "1=5 "+big {
		t.Errorf("the wide value was lost by the update")
	}

	a.begin(xact.ReadCommitted)
	if res, _, err := r.Delete(a.Session, res.TID, DeleteOpts{}); res != OK || err != nil {
		t.Fatal(res, err)
	}
	a.commit()
	a.begin(xact.ReadCommitted)
	if _, err := r.Vacuum(a.Session, VacuumOptions{}); err != nil {
		t.Fatal(err)
	}
	a.insert(r, 4, 4, big)
	a.commit()
	if n := r.toast.NumBlocks(); n != pages {
		t.Errorf("%d pages of wide values, %d before one was deleted and another inserted", n, pages)
	}
}

func TestScanBackwardAndRanges(t *testing.T) {
	f := testFixture(t)
	r := f.open(1)
	a := f.session()
	a.begin(xact.ReadCommitted)
	rows := make([]types.Row, 1000)
	for i := range rows {
		rows[i] = row(i, 0, strings.Repeat("z", 40))
	}
	tids := make([]types.TID, len(rows))
	if err := r.MultiInsert(a.Session, rows, tids, InsertOpts{}); err != nil {
		t.Fatal(err)
	}
	a.cci()
	snap := a.snapshot()
	var slot Slot
	slot.Init(r)
	sc := r.BeginScan(a.Session, snap, ScanOpts{})
	step := func(fn func(*Slot) (bool, error), want int) {
		t.Helper()
		ok, err := fn(&slot)
		if err != nil || ok != (want >= 0) {
			t.Fatal(ok, err)
		}
		if ok {
			if err := slot.Deform(1); err != nil || int(slot.Row[0].Int4()) != want || slot.TID != tids[want] {
				t.Fatalf("got %d at %v, want %d: %v", slot.Row[0].Int4(), slot.TID, want, err)
			}
		}
	}
	for i := len(rows) - 1; i >= 0; i-- {
		step(sc.Prev, i)
	}
	step(sc.Prev, -1)
	for i := range rows {
		if i%97 == 0 {
			slot.Clear()
			sc.Release()
		}
		step(sc.Next, i)
	}
	step(sc.Next, -1)
	step(sc.Prev, 999)
	step(sc.Prev, 998)
	step(sc.Next, 999)
	sc.End()
	sc = r.BeginScan(a.Session, snap, ScanOpts{TIDMin: tids[150], TIDMax: tids[420]})
	for i := 150; i <= 420; i++ {
		step(sc.Next, i)
	}
	step(sc.Next, -1)
	sc.End()
	a.commit()
}

// TestMultiInsertOfMixedWidths: wide rows between others, which are formed at different moments.
func TestMultiInsertOfMixedWidths(t *testing.T) {
	f := testFixture(t)
	r := f.open(1)
	a := f.session()
	a.begin(xact.ReadCommitted)
	rows := make([]types.Row, 300)
	var wanted []string
	for i := range rows {
		n := i % 90
		if i%7 == 0 || i%11 < 2 {
			n = 2100 + i*20
		}
		note := strings.Repeat("w", n)
		rows[i] = row(i, 2*i, note)
		wanted = append(wanted, fmt.Sprintf("%d=%d %s", i, 2*i, note))
	}
	tids := make([]types.TID, len(rows))
	if err := r.MultiInsert(a.Session, rows, tids, InsertOpts{}); err != nil {
		t.Fatal(err)
	}
	a.cci()
	snap := a.snapshot()
	if got := a.rows(r, snap); !slices.Equal(got, wanted) {
		t.Errorf("%d rows came back, or in another order, or changed; want %d", len(got), len(wanted))
	}
	var slot Slot
	slot.Init(r)
	for i, tid := range tids {
		if ok, _, err := r.FetchHOT(a.Session, tid, snap, &slot); !ok || err != nil || slotString(t, &slot) != wanted[i] {
			t.Fatalf("row %d is not at %v: %v %v", i, tid, ok, err)
		}
	}
	slot.Clear()
	a.commit()
}
