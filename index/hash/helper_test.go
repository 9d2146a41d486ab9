package hash

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/tuple"
)

// fixture is a pool over a store with one access method. At the end memory must equal the store and no pin be left.
type fixture struct {
	store *pagestore.Store
	pool  *buffer.Pool
	am    *AM
}

func newFixture(t testing.TB, frames int) *fixture {
	t.Helper()
	f := openOn(t, vfs.NewMem(), frames)
	t.Cleanup(func() { f.close(t) })
	return f
}

func openOn(t testing.TB, fs vfs.FS, frames int) *fixture {
	t.Helper()
	s, err := pagestore.Open(pagestore.Options{Dir: "db", FS: fs, MemTableSize: 8 << 20, SyncInterval: -1, MinFreeDisk: 1})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{store: s, pool: buffer.New(s, frames)}
	f.am = New(f.pool)
	return f
}

func (f *fixture) close(t testing.TB) {
	t.Helper()
	if err := f.pool.CheckNoPins(); err != nil {
		t.Error(err)
	}
	if err := f.pool.Check(Mask); err != nil {
		t.Error(err)
	}
	if err := f.store.Close(); err != nil {
		t.Error(err)
	}
	f.pool.Close()
}

// sized is the size of a test: under -short, which CI gives the race detector, the small one.
func sized(whole, short int) int {
	if testing.Short() {
		return short
	}
	return whole
}

var seed = flag.Uint64("seed", 1, "of the random choices of tests with several goroutines")

// sharedRand gives random numbers to several goroutines.
type sharedRand struct {
	mu sync.Mutex
	r  *rand.Rand
}

func newSharedRand(t testing.TB) *sharedRand {
	t.Logf("-seed %d", *seed)
	return &sharedRand{r: rand.New(rand.NewPCG(*seed, 9))}
}

func (s *sharedRand) intN(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.IntN(n)
}

var nextRel atomic.Uint32

// hashInt is PostgreSQL's hashint4; identity is a hash function that lets a test choose codes.
func hashInt(d types.Datum) uint32  { return types.HashUint32(uint32(d.Raw())) }
func identity(d types.Datum) uint32 { return uint32(d.Raw()) }

func newDef(hash types.HashFunc, fillfactor int) *index.Def {
	attr := types.Attr{Name: "c1", Num: 1, TypeOID: types.Int4OID, TypMod: -1, Len: 4, ByVal: true, Align: 'i', Storage: 'p'}
	return &index.Def{
		Rel: pagestore.RelID{DB: 1, Rel: 1000 + nextRel.Add(1)}, Name: "idx", HeapName: "tab", Fillfactor: fillfactor,
		Layout: tuple.NewLayout(&types.TupleDesc{Attrs: []types.Attr{attr}}), Cols: []index.KeyCol{{Hash: hash, InputType: types.Int4OID}},
	}
}

// newIndex creates an index, which must be sound at the end of the test.
func (f *fixture) newIndex(t testing.TB, hash types.HashFunc, fillfactor int) *Index {
	t.Helper()
	def := newDef(hash, fillfactor)
	if err := f.am.Create(def); err != nil {
		t.Fatal(err)
	}
	ix := f.am.open(def)
	t.Cleanup(func() { ix.sound(t) })
	return ix
}

func (ix *Index) sound(t testing.TB) {
	t.Helper()
	if err := ix.Check(nil); err != nil {
		t.Error(err)
	}
}

func tidOf(n int) types.TID      { return types.TID{Block: uint32(n / 200), Off: uint16(n%200) + 1} }
func numberOf(tid types.TID) int { return int(tid.Block)*200 + int(tid.Off) - 1 }
func key(k int) types.Datum      { return types.Int4(int32(k)) }
func keyOf(k int) []index.ScanKey {
	return []index.ScanKey{{Attr: 1, Strategy: index.HashEqual, Arg: key(k)}}
}

func (ix *Index) add(t testing.TB, k, n int) {
	t.Helper()
	if _, err := ix.Insert(&index.InsertArgs{Values: types.Row{key(k)}, TID: tidOf(n)}); err != nil {
		t.Fatal(err)
	}
}

// find returns the row numbers of a key's entries.
func (ix *Index) find(k int) (out []int, err error) {
	s := ix.NewScan(index.ScanOptions{})
	defer s.End()
	if err := s.Rescan(keyOf(k)); err != nil {
		return nil, err
	}
	for {
		ok, err := s.Next(index.Forward)
		if !ok || err != nil {
			return out, err
		}
		out = append(out, numberOf(s.TID()))
	}
}

func (ix *Index) mustFind(t testing.TB, k int) []int {
	t.Helper()
	out, err := ix.find(k)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// mustBalance checks that nobody latched the metapage exclusively but for what the counters name.
func (ix *Index) mustBalance(t testing.TB) Counters {
	t.Helper()
	c, err := ix.Counters()
	if err != nil {
		t.Fatal(err)
	}
	if want := c.OverflowAdded + c.OverflowFreed + c.SplitsStarted + c.SplitsDeclined + c.Corrections; c.MetaExclusive != want {
		t.Errorf("the metapage was latched exclusively %d times, the counters name %d: %+v", c.MetaExclusive, want, c)
	}
	return c
}

func (ix *Index) shape(t testing.TB) string {
	t.Helper()
	m, err := ix.meta()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d pages, %d buckets, %d entries", ix.sh.rel.NumBlocks(), m.maxBucket+1, ix.sh.count.sum())
}
