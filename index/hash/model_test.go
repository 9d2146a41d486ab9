package hash

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
)

// TestModel does random insertions, lookups and vacuums beside a map, with codes that collide a little, much, and all.
func TestModel(t *testing.T) {
	for i, shape := range []struct {
		keys int
		hash types.HashFunc
		fill int
	}{
		{1 << 30, hashInt, 0}, {5000, hashInt, 10}, {40, hashInt, 0}, {1, hashInt, 100}, {3000, identity, 0},
		{3000, func(d types.Datum) uint32 { return uint32(d.Raw()) << 20 }, 10},
	} {
		t.Run(fmt.Sprintf("%d keys", shape.keys), func(t *testing.T) {
			seed := uint64(i + 1)
			r := rand.New(rand.NewPCG(seed, 7))
			f := newFixture(t, 256)
			ix := f.newIndex(t, shape.hash, shape.fill)
			m := map[int][]int{}
			next := 0
			for round := range 6 {
				for range sized(2500, 800) {
					k := r.IntN(shape.keys)
					next++
					ix.add(t, k, next)
					m[k] = append(m[k], next)
				}
				ix.compare(t, r, m)
				if round%2 == 1 {
					vacuumModel(t, r, ix, m)
					ix.compare(t, r, m)
				}
				if err := ix.Check(nil); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			ix.mustBalance(t)
		})
	}
}

// compare looks up some keys that are there and some that are not, and all at once by a bitmap.
func (ix *Index) compare(t *testing.T, r *rand.Rand, m map[int][]int) {
	t.Helper()
	n := 0
	for k, want := range m {
		if n++; n > 200 {
			break
		}
		got := ix.mustFind(t, k)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			// Other keys may have the code.
			if got = ix.withKey(got, k, m); !slices.Equal(got, want) {
				t.Fatalf("key %d: %d rows, should be %d", k, len(got), len(want))
			}
		}
	}
	var arr index.ScanKey
	arr.Attr, arr.Kind, arr.Strategy = 1, index.KeyArray, index.HashEqual
	want := 0
	for k, rows := range m {
		arr.Array = append(arr.Array, key(k), key(k), types.Null)
		if want += len(rows); len(arr.Array) > 300 {
			break
		}
	}
	s := ix.NewScan(index.ScanOptions{})
	defer s.End()
	if err := s.Rescan([]index.ScanKey{arr}); err != nil {
		t.Fatal(err)
	}
	c := &collector{}
	total, err := s.Bitmap(c)
	if err != nil || int(total) != len(c.tids) || int(total) < want {
		t.Fatalf("bitmap of %d, %d given, %d wanted: %v", total, len(c.tids), want, err)
	}
}

func (ix *Index) withKey(rows []int, k int, m map[int][]int) (out []int) {
	for _, n := range rows {
		if slices.Contains(m[k], n) {
			out = append(out, n)
		}
	}
	return out
}

type collector struct{ tids []types.TID }

func (c *collector) AddTIDs(tids []types.TID, recheck bool) error {
	if !recheck {
		return fmt.Errorf("hash matches must be compared again")
	}
	c.tids = append(c.tids, tids...)
	return nil
}

func vacuumModel(t *testing.T, r *rand.Rand, ix *Index, m map[int][]int) {
	t.Helper()
	dead, percent := map[int]bool{}, 10+r.IntN(90)
	kept := 0
	for k, rows := range m {
		m[k] = slices.DeleteFunc(rows, func(n int) bool {
			dead[n] = r.IntN(100) < percent
			return dead[n]
		})
		kept += len(m[k])
		if len(m[k]) == 0 {
			delete(m, k)
		}
	}
	st, err := ix.BulkDelete(&index.VacuumArgs{}, func(tid types.TID) bool { return dead[numberOf(tid)] }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if int(st.Tuples) != kept {
		t.Fatalf("vacuum kept %v, should be %d", st.Tuples, kept)
	}
}

// TestDirections: a cursor goes forward and back over a long chain.
func TestDirections(t *testing.T) {
	f := newFixture(t, 256)
	ix := f.newIndex(t, hashInt, 0)
	const n = 3000
	for i := range n {
		ix.add(t, 7, i)
	}
	s := ix.NewScan(index.ScanOptions{})
	defer s.End()
	if err := s.Rescan(keyOf(7)); err != nil {
		t.Fatal(err)
	}
	var seen []types.TID
	for range n / 2 {
		if ok, err := s.Next(index.Forward); !ok || err != nil {
			t.Fatal(ok, err)
		}
		seen = append(seen, s.TID())
	}
	for i := n/2 - 2; i >= 0; i-- {
		if ok, err := s.Next(index.Backward); !ok || err != nil || s.TID() != seen[i] {
			t.Fatal(i, ok, err)
		}
	}
	if ok, _ := s.Next(index.Backward); ok {
		t.Error("something before the first")
	}
	count := 0
	for {
		ok, err := s.Next(index.Forward)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		count++
	}
	if count != n {
		t.Errorf("%d rows", count)
	}
	for range n {
		if ok, err := s.Next(index.Backward); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	if ok, _ := s.Next(index.Backward); ok || s.Rescan(keyOf(7)) != nil {
		t.Error("more than all")
	}
	if ok, err := s.Next(index.Backward); !ok || err != nil {
		t.Error("a scan from the end finds nothing", err)
	}
}

// TestBuild: a build has the buckets that the number of entries asks for; in memory and in files (of the last size) it is the same index.
func TestBuild(t *testing.T) {
	for _, n := range []int{0, 1, 1000, sized(200_000, 70_000)} {
		for _, keys := range []int{1 << 30, 3} {
			f := newFixture(t, 2048)
			def := newDef(hashInt, 0)
			r := rand.New(rand.NewPCG(uint64(n), 3))
			b := f.am.NewBuild(def, index.BuildOptions{TempDir: t.TempDir()})
			rows := map[int]int{}
			for i := range n {
				k := r.IntN(keys)
				rows[k]++
				if err := b.Add(types.Row{key(k)}, tidOf(i), true); err != nil {
					t.Fatal(err)
				}
			}
			if err := b.Add(types.Row{types.Null}, tidOf(n), true); err != nil {
				t.Fatal(err)
			}
			st, err := b.Finish()
			if err != nil || int(st.Tuples) != n {
				t.Fatal(st, err)
			}
			ix := f.am.open(def)
			ix.sound(t)
			t.Log(n, keys, ix.shape(t))
			for k, want := range rows {
				if got := len(ix.mustFind(t, k)); got != want {
					t.Fatalf("key %d: %d, should be %d", k, got, want)
				}
				break
			}
			for i := range 2000 {
				ix.add(t, i, n+1+i)
			}
			ix.sound(t)
		}
	}
}
