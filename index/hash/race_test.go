package hash

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
)

// TestConcurrent: several insert keys of their own and keys that all share; scans look at the same time and must see each entry once that was there
// before they began; a vacuum removes entries that were marked dead before it began. In one run steps fail at random and operations are cancelled.
func TestConcurrent(t *testing.T) {
	for _, faults := range []bool{false, true} {
		t.Run(fmt.Sprint("faults ", faults), func(t *testing.T) { runConcurrent(t, faults) })
	}
}

func runConcurrent(t *testing.T, faults bool) {
	f, r := newFixture(t, 512), newSharedRand(t)
	ix := f.newIndex(t, hashInt, 20)
	if faults {
		f.am.hook = func(s step, after bool) error {
			if !after && r.intN(40) == 0 {
				return fmt.Errorf("injected at %v", s)
			}
			return nil
		}
	}
	const writers, each, shared = 4, 5000, 3
	var ins, others sync.WaitGroup
	var stop atomic.Bool
	var deadMu sync.Mutex
	dead := map[types.TID]bool{}
	done := make([]atomic.Int64, writers)
	in := make([][each]bool, writers)
	keyAt := func(w, i int) int {
		if i%4 == 0 {
			return i / 4 % shared
		}
		return 100 + (w*each+i)%9000
	}
	for w := range writers {
		ins.Go(func() {
			for i := range each {
				n := w*each + i
				ctx, cancel := context.Background(), func() {}
				if faults && i%50 == 0 {
					ctx, cancel = context.WithTimeout(ctx, time.Duration(r.intN(50))*time.Microsecond)
				}
				_, err := ix.Insert(&index.InsertArgs{Values: types.Row{key(keyAt(w, i))}, TID: tidOf(n), Cancel: ctx})
				cancel()
				if err != nil && !faults {
					t.Error(err)
					return
				}
				in[w][i] = err == nil
				done[w].Store(int64(i + 1))
				if i%3 == 0 {
					deadMu.Lock()
					dead[tidOf(n)] = true
					deadMu.Unlock()
				}
			}
		})
	}
	others.Go(func() {
		for !stop.Load() {
			deadMu.Lock()
			before := maps.Clone(dead) // as vacuum's: a row that dies while it runs is the next one's
			deadMu.Unlock()
			_, err := ix.BulkDelete(&index.VacuumArgs{}, func(tid types.TID) bool { return before[tid] }, nil)
			if err != nil && !faults {
				t.Error(err)
				return
			}
		}
	})
	for range 2 {
		others.Go(func() {
			s := ix.NewScan(index.ScanOptions{})
			defer s.End()
			for !stop.Load() {
				k := r.intN(shared)
				if err := ix.lookConcurrently(s, k, func(w, i int) bool { return i%3 != 0 && in[w][i] && keyAt(w, i) == k }, done); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	ins.Wait()
	stop.Store(true)
	others.Wait()
	f.am.hook = nil
	for w := range writers {
		for i := range each {
			if i%97 == 0 && i%3 != 0 && in[w][i] {
				if n := w*each + i; count(ix.mustFind(t, keyAt(w, i)), n) != 1 {
					t.Fatalf("row %d of key %d", n, keyAt(w, i))
				}
			}
		}
	}
	if !faults {
		t.Logf("%+v", ix.mustBalance(t))
	}
}

// lookConcurrently scans a key: all entries that were in before must be there, none twice.
func (ix *Index) lookConcurrently(s index.Scan, k int, is func(w, i int) bool, done []atomic.Int64) error {
	before := make([]int, len(done))
	for w := range done {
		before[w] = int(done[w].Load())
	}
	if err := s.Rescan(keyOf(k)); err != nil {
		return err
	}
	seen := map[types.TID]bool{}
	for {
		ok, err := s.Next(index.Forward)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if seen[s.TID()] {
			return fmt.Errorf("key %d: row %d twice", k, numberOf(s.TID()))
		}
		seen[s.TID()] = true
	}
	for w, n := range before {
		for i := range n {
			if is(w, i) && !seen[tidOf(w*5000+i)] {
				return fmt.Errorf("key %d: writer %d's entry %d of %d is missing", k, w, i, n)
			}
		}
	}
	return nil
}

// TestConcurrentKill: scans kill entries of dead rows while others insert, who remove killed entries from full pages.
func TestConcurrentKill(t *testing.T) {
	f, r := newFixture(t, 512), newSharedRand(t)
	ix := f.newIndex(t, hashInt, 0)
	const writers, each = 3, 6000
	isDead := func(n int) bool { return n%4 != 0 }
	var ins, scans sync.WaitGroup
	var stop atomic.Bool
	for w := range writers {
		ins.Go(func() {
			for i := range each {
				n := w*each + i
				if _, err := ix.Insert(&index.InsertArgs{Values: types.Row{key(n % 20)}, TID: tidOf(n)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	killed := 0
	scans.Go(func() {
		s := ix.NewScan(index.ScanOptions{})
		defer s.End()
		for !stop.Load() {
			if err := s.Rescan(keyOf(r.intN(20))); err != nil {
				t.Error(err)
			}
			for {
				ok, err := s.Next(index.Forward)
				if err != nil {
					t.Error(err)
				}
				if !ok {
					break
				}
				if isDead(numberOf(s.TID())) {
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
	for k := range 20 {
		for _, n := range ix.mustFind(t, k) {
			if !isDead(n) {
				live++
			}
		}
	}
	if live != writers*each/4 || killed == 0 {
		t.Errorf("%d live entries are left of %d; %d were killed", live, writers*each/4, killed)
	}
}
