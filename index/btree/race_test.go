package btree

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
)

// TestConcurrent: several insert, each into its own part of the TIDs but all over the keys; scans look at the same time in both directions and must see
// every entry that was there before they began and in order; a vacuum removes entries that were marked dead before it began.
func TestConcurrent(t *testing.T) {
	f := newFixture(t, 512)
	ix := f.newIndex(t, false, "int4", "text")
	const writers, each, keys = 4, 3000, 2000
	var dead sync.Map // TID of entries that vacuum may remove
	var stop atomic.Bool
	var ins, others sync.WaitGroup
	row := func(k int) types.Row {
		return types.Row{types.Int4(int32(k)), types.Text("0123456789012345678901234567890123456789"[:k%40])}
	}
	inserted := make([]atomic.Int64, writers)
	keyOf := make([][]int32, writers)
	for w := range writers {
		keyOf[w] = make([]int32, each)
		r := rand.New(rand.NewPCG(uint64(w), 1))
		for i := range each {
			keyOf[w][i] = int32(r.IntN(keys))
		}
		ins.Go(func() {
			for i := range each {
				tid := tidOf(w*each + i)
				if _, err := ix.Insert(&index.InsertArgs{Values: row(int(keyOf[w][i])), TID: tid}); err != nil {
					t.Error(err)
					return
				}
				inserted[w].Store(int64(i + 1))
				if i%3 == 0 {
					dead.Store(tid, true)
				}
			}
		})
	}
	others.Go(func() {
		for !stop.Load() {
			st, err := ix.BulkDelete(&index.VacuumArgs{}, func(tid types.TID) bool { _, ok := dead.Load(tid); return ok }, nil)
			if err == nil {
				_, err = ix.Cleanup(&index.VacuumArgs{}, st)
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	for s := range 2 {
		dir := index.Forward
		if s == 1 {
			dir = index.Backward
		}
		others.Go(func() {
			for !stop.Load() {
				var before [writers]int
				for w := range before {
					before[w] = int(inserted[w].Load())
				}
				got := ix.collect(t, dir)
				seen := map[types.TID]bool{}
				last := int32(-1)
				if dir == index.Backward {
					slices.Reverse(got)
				}
				for _, tid := range got {
					n := int(tid.Block)*200 + int(tid.Off) - 1
					if k := keyOf[n/each][n%each]; k < last {
						t.Errorf("scan %d: key %d after %d", dir, k, last)
						return
					} else {
						last = k
					}
					if seen[tid] {
						t.Errorf("scan %d: %v twice", dir, tid)
						return
					}
					seen[tid] = true
				}
				for w, n := range before {
					for i := range n {
						if i%3 != 0 && !seen[tidOf(w*each+i)] {
							t.Errorf("scan %d: writer %d's entry %d of %d is missing", dir, w, i, n)
							return
						}
					}
				}
			}
		})
	}
	ins.Wait()
	stop.Store(true)
	others.Wait()
}

// TestConcurrentUnique: many insert the same keys; each key is there once.
func TestConcurrentUnique(t *testing.T) {
	f := newFixture(t, 256)
	ix := f.newIndex(t, true, "int4")
	h := newFakeHeap()
	var wg sync.WaitGroup
	var ok atomic.Int64
	const keys = 2000
	for w := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 2))
			for i, k := range r.Perm(keys) {
				tid := tidOf(w*keys + i)
				h.set(tid, index.RowState{Found: true})
				_, err := ix.Insert(&index.InsertArgs{Values: types.Row{types.Int4(int32(k))}, TID: tid, Check: index.CheckYes, Heap: h})
				if err == nil {
					ok.Add(1)
				} else if _, isDup := err.(*index.DuplicateKey); !isDup {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if ok.Load() != keys {
		t.Errorf("%d insertions went in, of %d keys", ok.Load(), keys)
	}
}

// TestConcurrentKill: scans kill entries of dead rows while others insert, which removes killed entries when a page is full.
func TestConcurrentKill(t *testing.T) {
	f := newFixture(t, 256)
	ix := f.newIndex(t, false, "int4")
	const writers, each = 3, 4000
	isDead := func(n int) bool { return n%4 != 0 }
	var ins, scans sync.WaitGroup
	var stop atomic.Bool
	for w := range writers {
		ins.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 3))
			for i := range each {
				n := w*each + i
				if _, err := ix.Insert(&index.InsertArgs{Values: types.Row{types.Int4(int32(r.IntN(500)))}, TID: tidOf(n)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	killed := 0
	scans.Go(func() {
		r := rand.New(rand.NewPCG(9, 3))
		s := ix.NewScan(index.ScanOptions{})
		defer s.End()
		for !stop.Load() {
			key := []index.ScanKey{{Attr: 1, Strategy: index.GreaterEqual, Arg: types.Int4(int32(r.IntN(500)))}}
			if err := s.Rescan(key); err != nil {
				t.Error(err)
			}
			for range 500 {
				if ok, err := s.Next(index.Forward); !ok || err != nil {
					break
				}
				if tid := s.TID(); isDead(int(tid.Block)*200 + int(tid.Off) - 1) {
					s.Kill()
					killed++
				}
			}
		}
	})
	ins.Wait()
	stop.Store(true)
	scans.Wait()
	live := 0
	for _, tid := range ix.collect(t, index.Forward) {
		if !isDead(int(tid.Block)*200 + int(tid.Off) - 1) {
			live++
		}
	}
	if live != writers*each/4 || killed == 0 {
		t.Errorf("%d live entries are left of %d; %d were killed", live, writers*each/4, killed)
	}
}
