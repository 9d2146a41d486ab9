package btree

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/xact"
)

// openOn opens an access method over a file system.
func openOn(t *testing.T, fs vfs.FS, xids Horizon) *fixture {
	t.Helper()
	s, err := pagestore.Open(pagestore.Options{Dir: "db", FS: fs, MemTableSize: 4 << 20, SyncInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{store: s, pool: buffer.New(s, 256)}
	f.am = New(f.pool, xids)
	return f
}

func (f *fixture) close(t *testing.T) {
	t.Helper()
	if err := f.pool.CheckNoPins(); err != nil {
		t.Error(err)
	}
	if err := f.store.Close(); err != nil {
		t.Error(err)
	}
	f.pool.Close()
}

// crashState is what a crash may not lose.
type crashState struct {
	synced map[types.TID]int32 // inserted before a sync that returned
	gone   map[types.TID]bool  // whose removal has begun
}

// verify opens the clone, checks the structure and that nothing that was synced is lost, and that insertions and a vacuum go on.
func (cs *crashState) verify(t *testing.T, clone vfs.FS, def *index.Def) {
	t.Helper()
	f := openOn(t, clone, newClock())
	defer f.close(t)
	ix := f.am.open(def)
	seen := map[types.TID]int32{}
	if err := ix.Check(func(tid types.TID, row types.Row) error {
		seen[tid] = row[0].Int4()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for tid, k := range cs.synced {
		if got, ok := seen[tid]; !cs.gone[tid] && (!ok || got != k) {
			t.Fatalf("entry %v of key %d is lost", tid, k)
		}
	}
	for i := range 3000 {
		ix.insert(t, types.TID{Block: 1 << 20, Off: uint16(i + 1)}, types.Int4(int32(i*37%100_000)))
	}
	if _, err := ix.BulkDelete(&index.VacuumArgs{}, func(tid types.TID) bool { return tid.Block < 1<<20 }, nil); err != nil {
		t.Fatal(err)
	}
	if err := ix.Check(nil); err != nil {
		t.Fatal(err)
	}
	if n := len(ix.collect(t, index.Backward)); n != 3000 {
		t.Fatalf("%d entries after the crash's vacuum", n)
	}
}

// TestCrash cuts the log anywhere under insertions and vacuums.
func TestCrash(t *testing.T) {
	for seed := range uint64(sized(12, 4)) {
		r := rand.New(rand.NewPCG(seed, 3))
		fs := vfs.NewCrashableMem()
		f := openOn(t, fs, newClock())
		def := newDef(false, "int4")
		if err := f.am.Create(def); err != nil {
			t.Fatal(err)
		}
		f.store.Sync()
		ix := f.am.open(def)
		cs := &crashState{map[types.TID]int32{}, map[types.TID]bool{}}
		n := 0
		for range 3 {
			fresh := map[types.TID]int32{}
			for range r.IntN(3000) {
				n++
				k := int32(r.IntN(100_000))
				ix.insert(t, tidOf(n), types.Int4(k))
				fresh[tidOf(n)] = k
			}
			if r.IntN(2) == 0 {
				f.store.Sync()
				for tid, k := range fresh {
					cs.synced[tid] = k
				}
			}
			from := int32(r.IntN(100_000))
			if _, err := ix.BulkDelete(&index.VacuumArgs{}, func(tid types.TID) bool {
				k, ok := cs.synced[tid]
				cs.gone[tid] = cs.gone[tid] || ok && k >= from && k < from+30_000
				return cs.gone[tid]
			}, nil); err != nil {
				t.Fatal(err)
			}
			t.Logf("seed %d", seed)
			cs.verify(t, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r}), def)
		}
		f.close(t)
	}
}

// cutter is a Horizon that is asked whenever a page is wanted: for a new root and for the split of a parent that is between the two applies of a split.
type cutter struct {
	clock
	cut func()
}

func (c *cutter) Horizon() xact.XID {
	if c.cut != nil {
		c.cut()
	}
	return 0
}

// TestCrashInSplit cuts the log between the applies of splits, on all levels.
func TestCrashInSplit(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and minutes under the race detector")
	}
	fs := vfs.NewCrashableMem()
	c := &cutter{}
	f := openOn(t, fs, c)
	defer f.close(t)
	def := newDef(false, "text")
	def.Cols[0].Compare = compareBytes
	if err := f.am.Create(def); err != nil {
		t.Fatal(err)
	}
	ix := f.am.open(def)
	ix.sh.free.add(1<<30, 1) // never free, but there, so that the horizon is asked for
	cuts, incomplete := 0, 0
	c.cut = func() {
		cuts++
		if cuts > 5 && (countIncomplete(t, ix) == 0 || incomplete > 30) {
			return // most pages are wanted before a leaf's split, when nothing is going on
		}
		f.store.Sync()
		clone := openOn(t, fs.CrashClone(vfs.CrashCloneCfg{}), newClock())
		defer clone.close(t)
		cx := clone.am.open(def)
		before := len(cx.collect(t, index.Forward))
		if err := cx.Check(nil); err != nil {
			t.Fatal(err)
		}
		incomplete += countIncomplete(t, cx)
		for i := range 1500 {
			cx.insert(t, types.TID{Block: 1 << 20, Off: uint16(i + 1)}, wideKey(i*7919%4001))
		}
		if err := cx.Check(nil); err != nil {
			t.Fatal(err)
		}
		if n := countIncomplete(t, cx); n != 0 {
			t.Fatalf("%d splits are still incomplete", n)
		}
		if n := len(cx.collect(t, index.Forward)); n != before+1500 {
			t.Fatalf("%d entries, should be %d", n, before+1500)
		}
	}
	for i := range 3000 {
		ix.insert(t, tidOf(i), wideKey(i*7919%4001))
	}
	if incomplete < 10 {
		t.Errorf("%d cuts showed %d incomplete splits only", cuts, incomplete)
	}
}

// wideKey makes a key of 700 bytes, of which a separator needs most.
func wideKey(i int) types.Datum {
	b := make([]byte, 700)
	for j := range b {
		b[j] = 'x'
	}
	for j := len(b) - 1; i > 0; j, i = j-1, i/10 {
		b[j] = byte('0' + i%10)
	}
	return types.Bytes(b)
}

func countIncomplete(t *testing.T, ix *Index) (n int) {
	t.Helper()
	for block := uint32(1); block < ix.sh.rel.NumBlocks(); block++ {
		b, err := ix.pin(block)
		if err != nil {
			t.Fatal(err)
		}
		if p := b.Page(); !page.IsNew(p) && flags(p)&flagIncompleteSplit != 0 {
			n++
		}
		b.Unpin()
	}
	return n
}
