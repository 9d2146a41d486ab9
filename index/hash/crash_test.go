package hash

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
)

// verify opens a clone of the file system and checks: the structure; that each entry that must be there is, once; that nothing else is there but what
// may be; then that insertions and a vacuum complete what was interrupted.
func verify(t *testing.T, clone vfs.FS, def *index.Def, must, may map[int]int) {
	t.Helper()
	f := openOn(t, clone, 512)
	defer f.close(t)
	ix := f.am.open(def)
	seen := map[int]bool{}
	if err := ix.Check(func(tid types.TID, _ types.Row) error {
		n := numberOf(tid)
		if _, ok := may[n]; !ok {
			return fmt.Errorf("row %d was never inserted, or is gone", n)
		}
		seen[n] = true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for n, k := range must {
		if !seen[n] {
			t.Fatalf("row %d of key %d is lost", n, k)
		}
		if checked++; checked > 300 {
			continue
		}
		if rows := ix.mustFind(t, k); count(rows, n) != 1 {
			t.Fatalf("key %d: row %d is found %d times", k, n, count(rows, n))
		}
	}
	const fresh = 1 << 22
	for i := range 1000 {
		ix.add(t, i*37%4000, fresh+i)
	}
	if err := ix.Check(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := ix.BulkDelete(&index.VacuumArgs{}, func(tid types.TID) bool { return numberOf(tid) < fresh }, nil); err != nil {
		t.Fatal(err)
	}
	if err := ix.Check(nil); err != nil {
		t.Fatal(err)
	}
	if n := ix.unfinished(t); n != 0 {
		t.Fatalf("%d buckets are still in a split", n)
	}
	if c, err := ix.Counters(); err != nil || c.Entries != 1000 {
		t.Fatalf("%d entries after the crash's vacuum: %v", c.Entries, err)
	}
}

func count(rows []int, n int) (c int) {
	for _, m := range rows {
		if m == n {
			c++
		}
	}
	return c
}

// unfinished counts the buckets with a split's flags.
func (ix *Index) unfinished(t *testing.T) (n int) {
	t.Helper()
	m, err := ix.meta()
	if err != nil {
		t.Fatal(err)
	}
	for bucket := range m.maxBucket + 1 {
		b, err := ix.pin(m.block(bucket))
		if err != nil {
			t.Fatal(err)
		}
		b.LockShared()
		if flags(b.Page())&(flagBeingSplit|flagPopulated|flagNeedsCleanup) != 0 {
			n++
		}
		b.UnlockUnpin()
	}
	return n
}

// TestCrashAtEachStep cuts the log after applies of every kind, a few of each: each cut is a state that a crash can leave.
func TestCrashAtEachStep(t *testing.T) {
	for _, dup := range []bool{false, true} {
		if !dup && testing.Short() {
			continue // the run with duplicates has all kinds of steps
		}
		t.Run(fmt.Sprint("duplicates ", dup), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			fs := vfs.NewCrashableMem()
			f := openOn(t, fs, 1024)
			defer f.close(t)
			def := newDef(hashInt, 20)
			if err := f.am.Create(def); err != nil {
				t.Fatal(err)
			}
			ix := f.am.open(def)
			must, may := map[int]int{}, map[int]int{}
			var cuts, met [stepFold + 1]int
			f.am.hook = func(s step, after bool) error {
				if met[s]++; !after || cuts[s] >= sized(5, 3) || r.IntN(1+met[s]/(s.often())) != 0 {
					return nil
				}
				cuts[s]++
				f.store.Sync()
				verify(t, fs.CrashClone(vfs.CrashCloneCfg{}), def, must, may)
				return nil
			}
			n := 0
			for round := range 3 {
				for range 6000 {
					n++
					k := r.IntN(4000)
					if dup && r.IntN(3) > 0 {
						k = r.IntN(3)
					}
					may[n] = k
					ix.add(t, k, n)
					must[n] = k
				}
				gone := map[int]bool{}
				for m := range must {
					if r.IntN(100) < 30*(round+1) {
						gone[m] = true
						delete(must, m)
					}
				}
				if _, err := ix.BulkDelete(&index.VacuumArgs{}, func(tid types.TID) bool { return gone[numberOf(tid)] }, nil); err != nil {
					t.Fatal(err)
				}
				for m := range gone {
					delete(may, m)
				}
			}
			f.am.hook = nil
			if err := ix.Check(nil); err != nil {
				t.Error(err)
			}
			for s, n := range cuts {
				t.Logf("%-22v %d cuts of %d", step(s), n, met[s]/2)
				if dup && n < 3 {
					t.Errorf("%v: too few cuts", step(s))
				}
			}
		})
	}
}

// often tells which steps are so many that few of them are cut.
func (s step) often() int {
	if s == stepInsert {
		return 10
	}
	return 1000
}

// TestCrash cuts the log anywhere, losing some of what was not synced.
func TestCrash(t *testing.T) {
	for seed := range uint64(sized(10, 3)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 3))
			fs := vfs.NewCrashableMem()
			f := openOn(t, fs, 512)
			defer f.close(t)
			def := newDef(hashInt, 10+r.IntN(60))
			if err := f.am.Create(def); err != nil {
				t.Fatal(err)
			}
			f.store.Sync()
			ix := f.am.open(def)
			must, may, n := map[int]int{}, map[int]int{}, 0
			removed := map[int]bool{}
			for range 3 {
				for range r.IntN(4000) {
					n++
					may[n] = r.IntN(4000)
					ix.add(t, may[n], n)
				}
				if r.IntN(2) == 0 {
					f.store.Sync()
					for m, k := range may {
						if !removed[m] {
							must[m] = k
						}
					}
				}
				gone := map[int]bool{}
				for m := range may {
					if r.IntN(3) == 0 {
						gone[m], removed[m] = true, true
						delete(must, m)
					}
				}
				if _, err := ix.BulkDelete(&index.VacuumArgs{}, func(tid types.TID) bool { return gone[numberOf(tid)] }, nil); err != nil {
					t.Fatal(err)
				}
				verify(t, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r}), def, must, may)
			}
			if err := ix.Check(nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestErrorAtEachStep fails each kind of step in turn: nothing is lost or doubled, no page stays latched, and later work completes what was interrupted.
func TestErrorAtEachStep(t *testing.T) {
	for s := stepInsert; s <= stepFold; s++ {
		t.Run(s.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(s), 5))
			f := newFixture(t, 512)
			ix := f.newIndex(t, hashInt, 15)
			rows := sized(12_000, 4800)
			fail := true
			failures := 0
			f.am.hook = func(at step, after bool) error {
				if fail && at == s && !after && (failures == 0 || r.IntN(3) == 0) { // the first one fails, so that each step is tried
					failures++
					return fmt.Errorf("injected")
				}
				return nil
			}
			in := map[int]int{} // surely there
			for i := range rows {
				k := r.IntN(3000)
				if i%3 == 0 {
					k = 5
				}
				if _, err := ix.Insert(&index.InsertArgs{Values: types.Row{key(k)}, TID: tidOf(i)}); err == nil {
					in[i] = k
				}
				if (i+1)%(rows/3) == 0 {
					gone := map[int]bool{}
					for m := range in {
						if r.IntN(2) == 0 {
							gone[m] = true
							delete(in, m)
						}
					}
					_, _ = ix.BulkDelete(&index.VacuumArgs{}, func(tid types.TID) bool { return gone[numberOf(tid)] }, nil)
				}
				if i%(rows/8) == 0 {
					if err := f.pool.CheckNoPins(); err != nil {
						t.Fatal(err)
					}
					if err := ix.Check(nil); err != nil {
						t.Fatal(err)
					}
				}
			}
			fail = false
			for i := range 3000 {
				ix.add(t, i, 20000+i)
			}
			if _, err := ix.BulkDelete(&index.VacuumArgs{}, func(types.TID) bool { return false }, nil); err != nil {
				t.Fatal(err)
			}
			if n := ix.unfinished(t); n != 0 {
				t.Errorf("%d buckets are still in a split", n)
			}
			if failures == 0 {
				t.Error("nothing failed")
			}
			for n, k := range in {
				if c := count(ix.mustFind(t, k), n); c != 1 {
					t.Fatalf("row %d is found %d times", n, c)
				}
			}
		})
	}
}
