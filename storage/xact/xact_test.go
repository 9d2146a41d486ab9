package xact

import (
	"fmt"
	"math/rand"
	"slices"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/calfdb/calf/storage/pagestore"
)

func openStore(t testing.TB, fs vfs.FS) *pagestore.Store {
	t.Helper()
	s, err := pagestore.Open(pagestore.Options{Dir: "db", FS: fs, MemTableSize: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func openManager(t testing.TB, fs vfs.FS) (*Manager, *pagestore.Store) {
	t.Helper()
	s := openStore(t, fs)
	m, err := Open(s)
	if err != nil {
		t.Fatal(err)
	}
	return m, s
}

func mustXID(t testing.TB, tx *Tx) XID {
	t.Helper()
	x, err := tx.XID()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestStatusSurvivesRestart(t *testing.T) {
	fs := vfs.NewCrashableMem()
	m, s := openManager(t, fs)
	p := m.NewProc(nil)

	tx := p.Begin(ReadCommitted, false)
	committed := mustXID(t, tx)
	tx.BeginSub()
	sub := mustXID(t, tx)
	tx.CommitSub()
	tx.BeginSub()
	lost := mustXID(t, tx)
	tx.AbortSub()
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	tx = p.Begin(ReadCommitted, false)
	aborted := mustXID(t, tx)
	tx.Abort()
	tx = p.Begin(ReadCommitted, false)
	running := mustXID(t, tx)

	want := map[XID]Status{committed: Committed, sub: Committed, lost: Aborted, aborted: Aborted, running: InProgress}
	for x, w := range want {
		if got := m.Status(x); got != w {
			t.Errorf("%d is %v, want %v", x, got, w)
		}
	}

	crashed := fs.CrashClone(vfs.CrashCloneCfg{})
	s.Close()
	m, s = openManager(t, crashed)
	defer s.Close()
	want[running] = Aborted
	for x, w := range want {
		if got := m.Status(x); got != w {
			t.Errorf("after the crash %d is %v, want %v", x, got, w)
		}
	}
	if next := m.NextXID(); next <= running {
		t.Errorf("next id %d after %d was given out", next, running)
	}
}

func TestOIDsAreNotGivenTwice(t *testing.T) {
	fs := vfs.NewMem()
	m, s := openManager(t, fs)
	first := m.NewOID()
	if first != FirstNormalOID {
		t.Errorf("first oid %d", first)
	}
	last := first
	for range 3 * leaseSize {
		oid := m.NewOID()
		if oid <= last {
			t.Fatalf("oid %d after %d", oid, last)
		}
		last = oid
	}
	s.Close()
	m, s = openManager(t, fs)
	defer s.Close()
	if oid := m.NewOID(); oid <= last {
		t.Fatalf("oid %d after %d and a restart", oid, last)
	}
	m.oids.lease.next, m.oids.lease.end = 1<<32-1, 1<<32
	m.NewOID()
	if oid := m.NewOID(); oid != FirstNormalOID {
		t.Errorf("after wrapping: %d", oid)
	}
}

func TestSnapshotSeesSubtransactionsByTheirTop(t *testing.T) {
	m, s := openManager(t, vfs.NewMem())
	defer s.Close()
	a, b, c := m.NewProc(nil), m.NewProc(nil), m.NewProc(nil)

	ta := a.Begin(ReadCommitted, false)
	top := mustXID(t, ta)
	ta.BeginSub()
	sub := mustXID(t, ta)

	tb := b.Begin(ReadCommitted, false)
	later := mustXID(t, tb)
	if err := tb.Commit(); err != nil { // now xmax is above all of them
		t.Fatal(err)
	}

	tc := c.Begin(RepeatableRead, false)
	var snap Snapshot
	tc.TakeSnapshot(&snap)
	for _, x := range []XID{top, sub} {
		if !snap.InProgress(x) {
			t.Errorf("%d is not running in the snapshot", x)
		}
	}
	if snap.InProgress(later) {
		t.Errorf("%d is running in the snapshot", later)
	}
	ta.CommitSub()
	if err := ta.Commit(); err != nil {
		t.Fatal(err)
	}
	m.sweepSubs()
	if !snap.InProgress(top) || !snap.InProgress(sub) {
		t.Errorf("the old snapshot sees the later commit")
	}
	if h := m.Horizon(); h != top {
		t.Errorf("horizon %d, want %d", h, top)
	}
	tc.Abort()
	if h := m.Horizon(); h != later+1 {
		t.Errorf("horizon %d, want %d", h, later+1)
	}
	m.sweepSubs()
	if n := m.subs.count.Load(); n != 0 {
		t.Errorf("%d subtransactions are remembered", n)
	}
}

func TestHoldsAreReleased(t *testing.T) {
	m, s := openManager(t, vfs.NewMem())
	defer s.Close()
	p, w := m.NewProc(nil), m.NewProc(nil)
	commit := func() {
		tx := w.Begin(ReadCommitted, false)
		mustXID(t, tx)
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	tx := p.Begin(ReadCommitted, false)
	var s1, s2, cursor Snapshot
	tx.TakeSnapshot(&s1)
	first := s1.Xmin()
	tx.HoldSnapshot(&cursor, &s1)
	commit()
	tx.TakeSnapshot(&s2)
	tx.ReleaseSnapshot(&s1)
	if p.Xmin() != first {
		t.Errorf("the cursor's snapshot holds nothing: %d, want %d", p.Xmin(), first)
	}
	tx.ReleaseSnapshot(&cursor)
	if p.Xmin() != s2.Xmin() {
		t.Errorf("xmin %d, want %d", p.Xmin(), s2.Xmin())
	}
	tx.ReleaseSnapshot(&s2)
	if p.Xmin() != 0 {
		t.Errorf("xmin %d, want none", p.Xmin())
	}
	tx.Abort()
}

func TestComboCIDs(t *testing.T) {
	m, s := openManager(t, vfs.NewMem())
	defer s.Close()
	tx := m.NewProc(nil).Begin(ReadCommitted, false)
	n := tx.Combo(1, 5)
	if tx.Combo(2, 5) == n || tx.Combo(1, 5) != n {
		t.Error("combos are mixed up")
	}
	if tx.ComboCmin(n) != 1 || tx.ComboCmax(n) != 5 {
		t.Error("a combo lost its parts")
	}
}

// TestCallbacks: those of an aborted subtransaction are not run at commit, and abort callbacks run latest first.
func TestCallbacks(t *testing.T) {
	m, s := openManager(t, vfs.NewMem())
	defer s.Close()
	var log []string
	note := func(f string, a ...any) func() { return func() { log = append(log, fmt.Sprintf(f, a...)) } }
	p := m.NewProc(nil)
	tx := p.Begin(ReadCommitted, false)
	tx.OnCommit(note("commit 1"))
	tx.OnAbort(note("abort 1"))
	tx.BeginSub()
	tx.OnCommit(note("commit 2"))
	tx.OnAbort(note("abort 2a"))
	tx.OnAbort(note("abort 2b"))
	tx.AbortSub()
	tx.BeginSub()
	tx.OnCommit(note("commit 3"))
	tx.OnCommitWrite(func(c *pagestore.Change) { c.Set([]byte("here"), []byte("x")) })
	tx.CommitSub()
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"abort 2b", "abort 2a", "commit 1", "commit 3"}; !slices.Equal(log, want) {
		t.Errorf("ran %q, want %q", log, want)
	}
	if _, ok, _ := s.Get(nil, []byte("here")); !ok {
		t.Error("the commit's key is not there")
	}
}

// TestSnapshotsAreConsistent: writers commit top and subtransaction together; a snapshot sees both or none, and what a session has seen
// committed it never sees running afterwards.
func TestSnapshotsAreConsistent(t *testing.T) {
	m, s := openManager(t, vfs.NewMem())
	defer s.Close()
	const writers, rounds = 4, 300
	var mu sync.Mutex
	var pairs [][2]XID
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range writers {
		wg.Go(func() {
			p := m.NewProc(nil)
			defer p.Close()
			for range rounds {
				tx := p.Begin(ReadCommitted, false)
				tx.AsyncCommit = true
				top, _ := tx.XID()
				tx.BeginSub()
				sub, _ := tx.XID()
				tx.CommitSub()
				mu.Lock()
				pairs = append(pairs, [2]XID{top, sub})
				mu.Unlock()
				if err := tx.Commit(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	var readers sync.WaitGroup
	for r := range 2 {
		readers.Go(func() {
			rng := rand.New(rand.NewSource(int64(r)))
			p := m.NewProc(nil)
			defer p.Close()
			for {
				select {
				case <-stop:
					return
				default:
				}
				mu.Lock()
				if len(pairs) == 0 {
					mu.Unlock()
					continue
				}
				pair := pairs[max(0, len(pairs)-1-rng.Intn(6))]
				mu.Unlock()
				was := m.Status(pair[rng.Intn(2)])
				tx := p.Begin(ReadCommitted, false)
				var snap Snapshot
				tx.TakeSnapshot(&snap)
				a, b := snap.InProgress(pair[0]), snap.InProgress(pair[1])
				if a != b {
					t.Errorf("snapshot %d..%d sees top %d running: %v, its sub %d: %v", snap.Xmin(), snap.Xmax(), pair[0], a, pair[1], b)
				}
				if was == Committed && a {
					t.Errorf("%d was committed and is running in a later snapshot", pair[0])
				}
				if h := m.Horizon(); h > snap.Xmin() {
					t.Errorf("horizon %d passed a snapshot's xmin %d", h, snap.Xmin())
				}
				tx.ReleaseSnapshot(&snap)
				tx.Abort()
			}
		})
	}
	wg.Wait()
	close(stop)
	readers.Wait()
}

func BenchmarkTakeSnapshot(b *testing.B) {
	m, s := openManager(b, vfs.NewMem())
	defer s.Close()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		tx := m.NewProc(nil).Begin(ReadCommitted, false)
		var snap Snapshot
		for pb.Next() {
			tx.TakeSnapshot(&snap)
			tx.ReleaseSnapshot(&snap)
		}
		tx.Abort()
	})
}

func BenchmarkCommit(b *testing.B) {
	m, s := openManager(b, vfs.NewMem())
	defer s.Close()
	b.ReportAllocs()
	p := m.NewProc(nil)
	for b.Loop() {
		tx := p.Begin(ReadCommitted, false)
		tx.AsyncCommit = true
		if _, err := tx.XID(); err != nil {
			b.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
}
