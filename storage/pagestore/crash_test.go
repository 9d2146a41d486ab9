package pagestore

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/calfdb/calf/storage/page"
)

// state is the model of a store: pages and small values.
type state struct {
	pages map[uint32][]byte
	meta  map[uint32]Meta
	small map[string][]byte
	count uint64 // changes applied
}

const (
	crashPages = 6
	crashKeys  = 8
)

var (
	crashRel = RelID{1, 77}
	countKey = []byte("count")
)

func newState() *state {
	return &state{pages: map[uint32][]byte{}, meta: map[uint32]Meta{}, small: map[string][]byte{}}
}

func (st *state) clone() *state {
	c := newState()
	c.count = st.count
	for k, v := range st.pages {
		c.pages[k] = append([]byte(nil), v...)
	}
	for k, v := range st.meta {
		c.meta[k] = v
	}
	for k, v := range st.small {
		c.small[k] = v
	}
	return c
}

func (st *state) digest() string {
	h := sha256.New()
	for b := range uint32(crashPages) {
		if st.pages[b] != nil {
			fmt.Fprintf(h, "page %d version %d\n", b, st.meta[b].Version)
			h.Write(st.pages[b])
		}
	}
	for i := range crashKeys {
		if v, ok := st.small[fmt.Sprint("s", i)]; ok {
			fmt.Fprintf(h, "key %d %x\n", i, v)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// readState reads the whole state back from a store.
func readState(t *testing.T, s *Store) *state {
	t.Helper()
	st := newState()
	for b := range uint32(crashPages) {
		p := make([]byte, page.Size)
		m, err := s.Read(crashRel.Page(MainFork, b), p)
		if err != nil {
			t.Fatal(err)
		}
		if m.Version != 0 {
			st.pages[b], st.meta[b] = p, m
		}
	}
	for i := range crashKeys {
		k := fmt.Sprint("s", i)
		if v, ok, err := s.Get(nil, []byte(k)); err != nil {
			t.Fatal(err)
		} else if ok {
			st.small[k] = v
		}
	}
	v, ok, err := s.Get(nil, countKey)
	if err != nil {
		t.Fatal(err)
	}
	if ok {
		st.count = le.Uint64(v)
	}
	return st
}

// step makes a random change of the state and the same in the store.
func (st *state) step(s *Store, rng *rand.Rand) {
	c := s.NewChange()
	defer c.Release()
	for range 1 + rng.IntN(3) {
		st.stepPage(c, rng, rng.Uint32N(crashPages))
	}
	for range rng.IntN(3) {
		k := fmt.Sprint("s", rng.IntN(crashKeys))
		if rng.IntN(4) == 0 {
			c.Delete([]byte(k))
			delete(st.small, k)
		} else {
			v := fmt.Appendf(nil, "%x", rng.Uint64())
			c.Set([]byte(k), v)
			st.small[k] = v
		}
	}
	c.Add(countKey, 1)
	st.count++
	s.Apply(c)
}

func (st *state) stepPage(c *Change, rng *rand.Rand, b uint32) {
	id, m := crashRel.Page(MainFork, b), st.meta[b]
	if m.Version != 0 && rng.IntN(30) == 0 {
		c.DeletePage(id)
		delete(st.pages, b)
		delete(st.meta, b)
		return
	}
	m.Version++
	var e page.Edit
	if m.Version == 1 || rng.IntN(20) == 0 {
		p := testPage(fmt.Sprint("image ", rng.Uint32()))
		c.Image(id, Meta{Version: m.Version}, p)
		st.pages[b] = p
	} else {
		e.Reset(st.pages[b], false)
		e.Put64(1000+8*rng.IntN(800), rng.Uint64())
		e.Move(1000, 3000, rng.IntN(30))
		c.Delta(id, m.Version, e.Ops())
	}
	st.meta[b] = m
}

// crashFS returns a file system that can be cloned as after a crash.
func crashFS(t *testing.T) *vfs.MemFS {
	t.Helper()
	return vfs.NewCrashableMem()
}

// TestCrashSequence cuts a sequence of changes at random places, reopens, and goes on from what is found, which must be the state after some
// prefix of the changes that holds all that were synced.
func TestCrashSequence(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 9))
		fs := crashFS(t)
		st := newState()
		for round := range 5 {
			s := openTest(t, Options{FS: fs, SyncInterval: -1})
			got := readState(t, s)
			if got.digest() != st.digest() {
				t.Fatalf("seed %d round %d: reopened in another state", seed, round)
			}
			syncAll := rng.IntN(2) == 0 // so that a cut between any two is taken
			history := []*state{st.clone()}
			synced := st.count
			for range 1 + rng.IntN(80) {
				st.step(s, rng)
				history = append(history, st.clone())
				if syncAll || rng.IntN(10) == 0 {
					s.Sync()
					synced = st.count
				}
				if rng.IntN(40) == 0 {
					if err := s.db.Flush(); err != nil {
						t.Fatal(err)
					}
				}
			}
			fs = fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 50, 100}[rng.IntN(3)], RNG: rng})
			s2 := openTest(t, Options{FS: fs, SyncInterval: -1})
			found := readState(t, s2)
			if err := s2.Close(); err != nil {
				t.Fatal(err)
			}
			first := history[0].count
			if found.count < synced || found.count > st.count {
				t.Fatalf("seed %d round %d: %d changes found, %d applied, %d synced", seed, round, found.count, st.count, synced)
			}
			want := history[found.count-first]
			if found.digest() != want.digest() {
				t.Fatalf("seed %d round %d: state after change %d is not what it was", seed, round, found.count)
			}
			st = want
		}
	}
}

// TestCrashUnderLoad clones the file system while several writers apply and sync, with flushes and compactions going on. Every acknowledged change
// is in the clone, and a writer's page and key always agree.
func TestCrashUnderLoad(t *testing.T) {
	fs := crashFS(t)
	s := openTest(t, Options{FS: fs, SyncInterval: time.Millisecond, MemTableSize: 64 << 10})
	const writers = 4
	var acked [writers]atomic.Uint64
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for w := range writers {
		wg.Go(func() { crashWriter(s, uint32(w), &acked[w], stop) })
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 10 {
		time.Sleep(time.Duration(rng.IntN(20)) * time.Millisecond)
		var before [writers]uint64
		for w := range before {
			before[w] = acked[w].Load()
		}
		clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
		c := openTest(t, Options{FS: clone, SyncInterval: -1})
		for w := range before {
			checkCrashWriter(t, c, uint32(w), before[w])
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if acked[0].Load() == 0 {
		t.Error("nothing was acknowledged")
	}
}

// crashWriter counts up a number on its page and in its key, as one change each.
func crashWriter(s *Store, w uint32, acked *atomic.Uint64, stop chan struct{}) {
	p := testPage("writer")
	var e page.Edit
	id := RelID{1, 100 + w}.Page(MainFork, 0)
	for n := uint64(1); ; n++ {
		select {
		case <-stop:
			return
		default:
		}
		c := s.NewChange()
		e.Reset(p, false)
		e.Put64(page.Upper(p), n)
		if n%32 == 1 {
			c.Image(id, Meta{Version: n}, p)
		} else {
			c.Delta(id, n, e.Ops())
		}
		c.Set(fmt.Append(nil, "w", w), le.AppendUint64(nil, n))
		s.Apply(c)
		c.Release()
		s.Sync()
		acked.Store(n)
	}
}

func checkCrashWriter(t *testing.T, s *Store, w uint32, acked uint64) {
	t.Helper()
	p := make([]byte, page.Size)
	m, err := s.Read(RelID{1, 100 + w}.Page(MainFork, 0), p)
	if err != nil {
		t.Fatal(err)
	}
	v, ok, err := s.Get(nil, fmt.Append(nil, "w", w))
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		if acked != 0 || m.Version != 0 {
			t.Fatalf("writer %d: no key, %d acknowledged, page version %d", w, acked, m.Version)
		}
		return
	}
	n := le.Uint64(v)
	if n < acked || m.Version != n || le.Uint64(p[page.Upper(p):]) != n {
		t.Fatalf("writer %d: key %d, page version %d with %d, %d acknowledged", w, n, m.Version, le.Uint64(p[page.Upper(p):]), acked)
	}
}
