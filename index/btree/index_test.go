package btree

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func TestUnique(t *testing.T) {
	f := newFixture(t, 64)
	ix := f.newIndex(t, true, "int4")
	h := newFakeHeap()
	ins := func(v int32, tid types.TID, check index.UniqueCheck) (bool, error) {
		return ix.Insert(&index.InsertArgs{Values: types.Row{types.Int4(v)}, TID: tid, Check: check, Heap: h})
	}
	must := func(v int32, tid types.TID) {
		t.Helper()
		if _, err := ins(v, tid, index.CheckYes); err != nil {
			t.Fatal(err)
		}
		h.set(tid, index.RowState{Found: true})
	}
	for i := range int32(1000) {
		must(i, tidOf(int(i)))
	}
	var dup *index.DuplicateKey
	if _, err := ins(500, tidOf(5000), index.CheckYes); !errors.As(err, &dup) || dup.TID != tidOf(500) || dup.Values[0].Int4() != 500 {
		t.Fatal(err)
	}
	// A dead row is no duplicate, and its entry is killed.
	h.set(tidOf(500), index.RowState{AllDead: true})
	must(500, tidOf(5000))
	if got := ix.collect(t, index.Forward, index.ScanKey{Attr: 1, Strategy: index.Equal, Arg: types.Int4(500)}); !slices.Equal(got, []types.TID{tidOf(5000)}) {
		t.Error(got)
	}
	// One that is being inserted is waited for; here it aborts.
	h.set(tidOf(600), index.RowState{Found: true, Wait: 77})
	waited := uint64(0)
	h.waits = func(xid uint64) {
		waited = xid
		h.set(tidOf(600), index.RowState{AllDead: true})
	}
	must(600, tidOf(5001))
	if waited != 77 {
		t.Error("did not wait")
	}
	// Deferred: inserted though not unique, and looked at again later.
	if ok, err := ins(700, tidOf(5002), index.CheckPartial); ok || err != nil {
		t.Error(ok, err)
	}
	h.set(tidOf(5002), index.RowState{Found: true})
	if _, err := ins(700, tidOf(5002), index.CheckExisting); !errors.As(err, &dup) {
		t.Error(err)
	}
	h.set(tidOf(700), index.RowState{})
	if ok, err := ins(700, tidOf(5002), index.CheckExisting); !ok || err != nil {
		t.Error(ok, err)
	}
	if _, err := ins(700, tidOf(5003), index.CheckExisting); pgerr.CodeOf(err) != "XX000" {
		t.Error(err)
	}
}

func TestUniqueNulls(t *testing.T) {
	f := newFixture(t, 64)
	for _, notDistinct := range []bool{false, true} {
		def := newDef(true, "int4", "int4")
		def.NullsNotDistinct = notDistinct
		if err := f.am.Create(def); err != nil {
			t.Fatal(err)
		}
		ix, h := f.checked(t, def), newFakeHeap()
		h.set(tidOf(1), index.RowState{Found: true})
		row := types.Row{types.Int4(1), types.Null}
		for i := 1; i <= 2; i++ {
			_, err := ix.Insert(&index.InsertArgs{Values: row, TID: tidOf(i), Check: index.CheckYes, Heap: h})
			if (err != nil) != (notDistinct && i == 2) {
				t.Error(notDistinct, i, err)
			}
		}
	}
}

// TestUniqueBuild: dead rows are exempt, live ones are not.
func TestUniqueBuild(t *testing.T) {
	f := newFixture(t, 64)
	for _, live := range []bool{false, true} {
		def := newDef(true, "text")
		b := f.am.NewBuild(def, index.BuildOptions{})
		for i := range 10 {
			if err := b.Add(types.Row{types.Text("x")}, tidOf(i), i == 3 || live && i == 7); err != nil {
				t.Fatal(err)
			}
		}
		_, err := b.Finish()
		var dup *index.DuplicateKey
		if errors.As(err, &dup) != live || dup != nil && (!dup.Building || dup.Values[0].Str() != "x") {
			t.Error(live, err)
		}
	}
}

// TestDuplicates puts many entries of one key in: by TID upwards, and at random.
func TestDuplicates(t *testing.T) {
	f := newFixture(t, 2048)
	n := sized(100_000, 20_000)
	for _, step := range []int{1, 7919} {
		ix := f.newIndex(t, false, "int4")
		ix.insert(t, tidOf(n+1), types.Int4(6))
		for i := range n {
			ix.insert(t, tidOf(i*step%n), types.Int4(5))
		}
		key := index.ScanKey{Attr: 1, Strategy: index.Equal, Arg: types.Int4(5)}
		got := ix.collect(t, index.Forward, key)
		if len(got) != n || !slices.IsSortedFunc(got, compareTID) {
			t.Errorf("step %d: %d entries", step, len(got))
		}
		st, err := ix.Stats()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("step %d: %d pages, height %d", step, st.Pages, st.TreeHeight)
		if step == 1 && st.Pages > uint32(n/333) { // 407 entries of 16 bytes fit on a page, less with a TID in the high key
			t.Errorf("%d pages for %d ascending duplicates", st.Pages, n)
		}
	}
}

// TestPageCounts compares sizes with PostgreSQL 15's: create table t(a int primary key); insert ... generate_series(1,1e6); 2745 pages both
// when built and when inserted in order.
func TestPageCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine")
	}
	f := newFixture(t, 4096)
	ix := f.newIndex(t, true, "int4")
	const n = 100_000
	for i := range n {
		ix.insert(t, tidOf(i), types.Int4(int32(i)))
	}
	def := newDef(true, "int4")
	b := f.am.NewBuild(def, index.BuildOptions{WorkMem: 64 << 20})
	for i := range n {
		if err := b.Add(types.Row{types.Int4(int32(i))}, tidOf(i), true); err != nil {
			t.Fatal(err)
		}
	}
	built, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	st, _ := ix.Stats()
	if built.Pages != 276 || st.Pages != 276 { // PostgreSQL 15.18: 276 and 276
		t.Errorf("built %d pages, inserted %d", built.Pages, st.Pages)
	}
	f.checked(t, def)
}

func TestTooBig(t *testing.T) {
	f := newFixture(t, 64)
	ix := f.newIndex(t, false, "text")
	_, err := ix.Insert(&index.InsertArgs{Values: types.Row{types.Text(strings.Repeat("x", 2700))}, TID: types.TID{Block: 3, Off: 4}})
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Code != "54000" || e.Message != `index row size 2712 exceeds btree version 4 maximum 2704 for index "idx"` ||
		e.Detail != `Index row references tuple (3,4) in relation "tab".` {
		t.Error(e)
	}
	for i := range 50 { // the largest that fit, equal so that high keys carry TIDs
		ix.insert(t, tidOf(i), types.Text(strings.Repeat("x", 2690)))
	}
}

// TestVersions updates one row 100,000 times: old versions are removed before pages are split.
func TestVersions(t *testing.T) {
	f := newFixture(t, 64)
	for _, mode := range []string{"heap", "killed"} {
		ix := f.newIndex(t, true, "int4")
		h := newFakeHeap()
		for i := range 100 {
			ix.insert(t, tidOf(i), types.Int4(int32(i)))
			h.set(tidOf(i), index.RowState{Found: true})
		}
		key := []index.ScanKey{{Attr: 1, Strategy: index.Equal, Arg: types.Int4(50)}}
		s := ix.NewScan(index.ScanOptions{})
		for i := 1000; i < sized(50_000, 10_000); i++ {
			old := tidOf(i - 1)
			if i == 1000 {
				old = tidOf(50)
			}
			a := &index.InsertArgs{Values: types.Row{types.Int4(50)}, TID: tidOf(i)}
			if mode == "heap" {
				a.Heap, a.Unchanged = h, true
				h.set(old, index.RowState{AllDead: true})
			} else {
				if err := s.Rescan(key); err != nil {
					t.Fatal(err)
				}
				for ok, err := s.Next(index.Forward); ok || err != nil; ok, err = s.Next(index.Forward) {
					if err != nil {
						t.Fatal(err)
					}
					s.Kill()
				}
			}
			if _, err := ix.Insert(a); err != nil {
				t.Fatal(err)
			}
			h.set(tidOf(i), index.RowState{Found: true})
		}
		s.End()
		if st, _ := ix.Stats(); st.Pages > 4 {
			t.Errorf("%s: %d pages", mode, st.Pages)
		}
	}
}

// TestIndexOnly: values and visibility come with the entries.
func TestIndexOnly(t *testing.T) {
	f := newFixture(t, 64)
	as, ks := columnsOf("int4 desc", "text")
	def := newDef(false, "int4")
	def.Layout, def.Cols = newDef(false, "int4 desc", "text").Layout, ks[:1] // the text is INCLUDEd
	_ = as
	if err := f.am.Create(def); err != nil {
		t.Fatal(err)
	}
	ix := f.checked(t, def)
	for i := range 2000 {
		ix.insert(t, tidOf(i), types.Int4(int32(i)), types.Text(strings.Repeat("v", i%50)))
	}
	s := ix.NewScan(index.ScanOptions{WantValues: true, AllVisible: func(b uint32) bool { return b%2 == 0 }})
	defer s.End()
	if err := s.Rescan([]index.ScanKey{{Attr: 1, Strategy: index.LessEqual, Arg: types.Int4(1500)}}); err != nil {
		t.Fatal(err)
	}
	row := make(types.Row, 2)
	for i := 1500; i >= 0; i-- {
		ok, err := s.Next(index.Forward)
		if !ok || err != nil {
			t.Fatal(i, ok, err)
		}
		if err := s.Values(row); err != nil || row[0].Int4() != int32(i) || len(row[1].Str()) != i%50 || s.AllVisible() != (i/200%2 == 0) {
			t.Fatal(i, row, err)
		}
	}
	if ok, _ := s.Next(index.Forward); ok {
		t.Error("goes on")
	}
}

// TestMarkRestore moves to and fro, over pages and array elements.
func TestMarkRestore(t *testing.T) {
	f := newFixture(t, 64)
	ix := f.newIndex(t, false, "int4", "int4")
	for i := range 3000 {
		ix.insert(t, tidOf(i), types.Int4(int32(i%3)), types.Int4(int32(i)))
	}
	for _, keys := range [][]index.ScanKey{nil, {{Attr: 1, Kind: index.KeyArray, Strategy: index.Equal, Array: []types.Datum{types.Int4(2), types.Int4(0)}}}} {
		want := ix.collect(t, index.Forward, keys...)
		s := ix.NewScan(index.ScanOptions{})
		if err := s.Rescan(keys); err != nil {
			t.Fatal(err)
		}
		step := func(dir index.Direction) types.TID {
			t.Helper()
			if ok, err := s.Next(dir); !ok || err != nil {
				t.Fatal(ok, err)
			}
			return s.TID()
		}
		for i := range 200 {
			if got := step(index.Forward); got != want[i] {
				t.Fatal(i, got)
			}
		}
		s.Mark() // at 199
		for i := 200; i < 1500; i++ {
			step(index.Forward)
		}
		for range 2 {
			if err := s.Restore(); err != nil || s.TID() != want[199] {
				t.Fatal(s.TID(), err)
			}
			for i := 200; i < len(want); i++ {
				if got := step(index.Forward); got != want[i] {
					t.Fatal(i, got, want[i])
				}
			}
		}
		if err := s.Restore(); err != nil {
			t.Fatal(err)
		}
		for i := 198; i >= 0; i-- {
			if got := step(index.Backward); got != want[i] {
				t.Fatal(i, got, want[i])
			}
		}
		s.End()
	}
}

type tidList []types.TID

func (l *tidList) AddTIDs(tids []types.TID, _ bool) error {
	*l = append(*l, tids...)
	return nil
}

func TestBitmap(t *testing.T) {
	f := newFixture(t, 64)
	ix := f.newIndex(t, false, "int4")
	for i := range 3000 {
		ix.insert(t, tidOf(i), types.Int4(int32(i/2)))
	}
	keys := []index.ScanKey{{Attr: 1, Strategy: index.Greater, Arg: types.Int4(700)}, {Attr: 1, Strategy: index.Less, Arg: types.Int4(1200)}}
	s := ix.NewScan(index.ScanOptions{})
	defer s.End()
	if err := s.Rescan(keys); err != nil {
		t.Fatal(err)
	}
	var got tidList
	n, err := s.Bitmap(&got)
	if want := ix.collect(t, index.Forward, keys...); err != nil || int(n) != len(want) || !slices.Equal(got, want) {
		t.Error(n, len(want), err)
	}
}

// TestReuse: deleted pages come into use again, but only behind the horizon; also after a restart, once vacuum has looked for them.
func TestReuse(t *testing.T) {
	f := newFixture(t, 256)
	ix := f.newIndex(t, false, "int4")
	const n = 20_000
	for i := range n {
		ix.insert(t, tidOf(i), types.Int4(int32(i)))
	}
	st, _ := ix.Stats()
	full := st.Pages
	vac, err := ix.BulkDelete(&index.VacuumArgs{}, func(tid types.TID) bool { return tid.Less(tidOf(n - 100)) }, nil)
	if err != nil || vac.PagesNewlyDeleted < full*9/10 {
		t.Fatalf("%d of %d pages deleted, %v", vac.PagesNewlyDeleted, full, err)
	}
	if vac, err = ix.Cleanup(&index.VacuumArgs{}, vac); err != nil || vac.PagesFree != 0 || vac.PagesDeleted != vac.PagesNewlyDeleted {
		t.Fatalf("%+v %v", vac, err)
	}
	f.am.Forget(ix.def.Rel)
	ix = f.checked(t, ix.def)
	f.clock.pass()
	if vac, err = ix.Cleanup(&index.VacuumArgs{}, nil); err != nil || vac.PagesFree < full*9/10 {
		t.Fatalf("%+v %v", vac, err)
	}
	for i := range n/2 - 200 { // in the middle of the tree, so pages are split in halves
		ix.insert(t, tidOf(i), types.Int4(int32(i)))
	}
	if st, _ := ix.Stats(); st.Pages > full*11/10 {
		t.Errorf("%d pages, before %d", st.Pages, full)
	}
}

// TestPanic: a comparison that panics leaves no latch and no pin, wherever it happens.
func TestPanic(t *testing.T) {
	f := newFixture(t, 64)
	def := newDef(true, "text")
	left := -1 // comparisons until the panic; negative = never
	def.Cols[0].Compare = func(a, b types.Datum) int {
		if left--; left == 0 {
			panic("comparison")
		}
		return compareBytes(a, b)
	}
	if err := f.am.Create(def); err != nil {
		t.Fatal(err)
	}
	ix, h := f.checked(t, def), newFakeHeap()
	try := func(n int, fn func()) (panicked bool) {
		left = n
		defer func() {
			panicked = recover() != nil
			left = -1
			if err := f.pool.CheckNoPins(); err != nil {
				t.Fatal(err)
			}
		}()
		fn()
		return false
	}
	text := func(i int) types.Datum {
		return types.Text(strings.Repeat("k", 300) + string(rune('a'+i%26)) + string(rune('a'+i/26)))
	}
	panics := 0
	for i := range 500 {
		a := &index.InsertArgs{Values: types.Row{text(i)}, TID: tidOf(i), Check: index.CheckYes, Heap: h}
		h.set(a.TID, index.RowState{Found: true})
		for n := 1; try(n, func() { _, _ = ix.Insert(a) }); n += 1 + i/20 {
			panics++
		}
		key := []index.ScanKey{{Attr: 1, Strategy: index.LessEqual, Arg: text(i)}}
		for n := 1; try(n, func() { ix.collect(t, index.Backward, key...) }); n += 1 + n/2 {
			panics++
		}
	}
	if panics < 1000 {
		t.Errorf("%d panics only", panics)
	}
}

// TestForeignArgument: an int4 column that is fast, with arguments of another type that order by a comparison of their own.
func TestForeignArgument(t *testing.T) {
	f := newFixture(t, 64)
	ix := f.newIndex(t, false, "int4")
	for i := range 1000 {
		ix.insert(t, tidOf(i), types.Int4(int32(i)))
	}
	tenths := func(col, arg types.Datum) int { return compareInts(types.Int8(col.Int8()*10), arg) } // the argument counts tenths
	key := func(s index.Strategy, v int64) index.ScanKey {
		return index.ScanKey{Attr: 1, Strategy: s, Compare: tenths, Arg: types.Int8(v)}
	}
	if got := ix.collect(t, index.Forward, key(index.Greater, 5000), key(index.LessEqual, 5105), key(index.GreaterEqual, 1)); len(got) != 10 || got[0] != tidOf(501) {
		t.Error(len(got), got)
	}
	arr := index.ScanKey{Attr: 1, Kind: index.KeyArray, Strategy: index.Equal, Compare: tenths, CompareArgs: compareInts,
		Array: []types.Datum{types.Int8(700), types.Int8(75), types.Int8(50), types.Int8(700)}}
	if got := ix.collect(t, index.Forward, arr); !slices.Equal(got, []types.TID{tidOf(5), tidOf(70)}) {
		t.Error(got)
	}
}
