package btree

import (
	"bytes"
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/tuple"
	"github.com/calfdb/calf/storage/xact"
)

// sized is the size of a test: under -short, which CI gives the race detector, the small one.
func sized(whole, short int) int {
	if testing.Short() {
		return short
	}
	return whole
}

// clock is a Horizon that tests move.
type clock struct{ next, oldest atomic.Uint64 }

func newClock() *clock {
	c := &clock{}
	c.next.Store(100)
	c.oldest.Store(100)
	return c
}
func (c *clock) NextXID() xact.XID { return xact.XID(c.next.Add(1)) }
func (c *clock) Horizon() xact.XID { return xact.XID(c.oldest.Load()) }

// pass lets all transactions end.
func (c *clock) pass() { c.oldest.Store(c.next.Load() + 1) }

// fixture is a pool over a store in memory with one access method. At the end memory must equal the store and no pin be left.
type fixture struct {
	store *pagestore.Store
	pool  *buffer.Pool
	am    *AM
	clock *clock
}

func newFixture(t testing.TB, frames int) *fixture {
	t.Helper()
	s, err := pagestore.Open(pagestore.Options{Dir: "db", FS: vfs.NewMem(), MemTableSize: 8 << 20, SyncInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{store: s, pool: buffer.New(s, frames), clock: newClock()}
	f.am = New(f.pool, f.clock)
	t.Cleanup(func() {
		if err := f.pool.CheckNoPins(); err != nil {
			t.Error(err)
		}
		if err := f.pool.Check(Mask); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		f.pool.Close()
	})
	return f
}

func compareInts(a, b types.Datum) int  { return cmp.Compare(int64(a.Raw()), int64(b.Raw())) }
func compareBytes(a, b types.Datum) int { return bytes.Compare(a.Bytes(), b.Bytes()) }

// col is a test's column: "int4", "int8", "text", with " desc" and " nulls first" after it. An int column is compared as an integer without
// its function; "slow int4" is not.
func columnsOf(specs ...string) ([]types.Attr, []index.KeyCol) {
	var as []types.Attr
	var ks []index.KeyCol
	for i, s := range specs {
		has := func(w string) bool { return bytes.Contains([]byte(s), []byte(w)) }
		a := types.Attr{Name: fmt.Sprintf("c%d", i+1), Num: int16(i + 1), TypMod: -1}
		k := index.KeyCol{Desc: has("desc"), NullsFirst: has("nulls first"), Compare: compareInts, Family: integerFamily}
		switch {
		case has("text"):
			a.TypeOID, a.Len, a.Align, a.Storage = types.TextOID, -1, 'i', 'x'
			k.Compare, k.Family = compareBytes, 0
		case has("int8"):
			a.TypeOID, a.Len, a.ByVal, a.Align, a.Storage = types.Int8OID, 8, true, 'd', 'p'
		default:
			a.TypeOID, a.Len, a.ByVal, a.Align, a.Storage = types.Int4OID, 4, true, 'i', 'p'
		}
		if has("slow") {
			k.Family = 0
		}
		as, ks = append(as, a), append(ks, k)
	}
	return as, ks
}

var nextRel atomic.Uint32

func newDef(unique bool, specs ...string) *index.Def {
	as, ks := columnsOf(specs...)
	return &index.Def{
		Rel: pagestore.RelID{DB: 1, Rel: 1000 + nextRel.Add(1)}, Name: "idx", HeapName: "tab", Unique: unique,
		Layout: tuple.NewLayout(&types.TupleDesc{Attrs: as}), Cols: ks,
	}
}

// newIndex creates an index, which must be sound at the end of the test.
func (f *fixture) newIndex(t testing.TB, unique bool, specs ...string) *Index {
	t.Helper()
	def := newDef(unique, specs...)
	if err := f.am.Create(def); err != nil {
		t.Fatal(err)
	}
	return f.checked(t, def)
}

func (f *fixture) checked(t testing.TB, def *index.Def) *Index {
	ix := f.am.open(def)
	t.Cleanup(func() {
		if err := ix.Check(nil); err != nil {
			t.Error(err)
		}
	})
	return ix
}

func tidOf(n int) types.TID { return types.TID{Block: uint32(n / 200), Off: uint16(n%200) + 1} }

func (ix *Index) insert(t testing.TB, tid types.TID, row ...types.Datum) {
	t.Helper()
	if _, err := ix.Insert(&index.InsertArgs{Values: row, TID: tid}); err != nil {
		t.Fatal(err)
	}
}

// collect returns the TIDs of a scan.
func (ix *Index) collect(t testing.TB, dir index.Direction, keys ...index.ScanKey) []types.TID {
	t.Helper()
	s := ix.NewScan(index.ScanOptions{})
	defer s.End()
	if err := s.Rescan(keys); err != nil {
		t.Fatal(err)
	}
	var out []types.TID
	for {
		ok, err := s.Next(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return out
		}
		out = append(out, s.TID())
	}
}

// fakeHeap is a Heap of rows in a map.
type fakeHeap struct {
	mu    sync.Mutex
	rows  map[types.TID]index.RowState
	waits func(xid uint64)
}

func newFakeHeap() *fakeHeap { return &fakeHeap{rows: map[types.TID]index.RowState{}} }

func (h *fakeHeap) set(tid types.TID, s index.RowState) {
	h.mu.Lock()
	h.rows[tid] = s
	h.mu.Unlock()
}

func (h *fakeHeap) Dirty(tid types.TID) (index.RowState, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.rows[tid]
	if !ok {
		s.AllDead = true
	}
	return s, nil
}

func (h *fakeHeap) IsLive(types.TID) (bool, error) { return true, nil }

func (h *fakeHeap) DeadToAll(tids []types.TID, dead []bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, tid := range tids {
		s, ok := h.rows[tid]
		dead[i] = !ok || s.AllDead
	}
	return nil
}

func (h *fakeHeap) WaitXID(xid uint64, _ uint32) error {
	h.waits(xid)
	return nil
}
