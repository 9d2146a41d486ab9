package pagestore

import (
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// isLogSync tells an fsync of the log.
func isLogSync(op errorfs.Op) bool {
	switch op.Kind {
	case errorfs.OpFileSync, errorfs.OpFileSyncData:
		return strings.HasSuffix(op.Path, ".log")
	}
	return false
}

// deathbed stands for the end of the process: who comes to it never returns.
type deathbed chan error

func (d deathbed) die(err error) {
	select {
	case d <- err:
	default:
	}
	select {}
}

func faultOptions(fs vfs.FS, d deathbed) Options {
	return Options{FS: fs, Dir: "db", MemTableSize: 64 << 10, SyncInterval: -1, MinFreeDisk: 1, Fatal: d.die}
}

// TestSyncWaitsForFsync: Sync does not return while the log's fsync has not, and one fsync serves all that wait.
func TestSyncWaitsForFsync(t *testing.T) {
	var gate atomic.Pointer[chan struct{}]
	var syncs atomic.Int64
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if isLogSync(op) {
			if g := gate.Load(); g != nil {
				syncs.Add(1)
				<-*g
			}
		}
		return nil
	}))
	s := openTest(t, Options{FS: fs, SyncInterval: -1})
	g := make(chan struct{})
	gate.Store(&g)
	var returned atomic.Int64
	var wg sync.WaitGroup
	const waiters = 20
	for w := range byte(waiters) {
		wg.Go(func() {
			c := s.NewChange()
			c.Set([]byte{w}, []byte{w})
			s.Apply(c)
			c.Release()
			s.Sync()
			returned.Add(1)
		})
	}
	time.Sleep(50 * time.Millisecond)
	if n := returned.Load(); n != 0 {
		t.Fatalf("%d returned before an fsync did", n)
	}
	gate.Store(nil)
	close(g)
	wg.Wait()
	if n := s.sync.rounds.Load(); n > 3 {
		t.Errorf("%d rounds for %d waiters", n, waiters)
	}
	// Nothing new: no fsync.
	before := s.sync.rounds.Load()
	s.Sync()
	if s.sync.rounds.Load() != before {
		t.Error("a sync without need")
	}
}

// TestSyncersAreCounted: after many syncs at once nobody is counted as waiting, and they shared fsyncs.
func TestSyncersAreCounted(t *testing.T) {
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if isLogSync(op) {
			time.Sleep(500 * time.Microsecond)
		}
		return nil
	}))
	s := openTest(t, Options{FS: fs, SyncInterval: -1})
	var wg sync.WaitGroup
	for w := range byte(6) {
		wg.Go(func() {
			for range 40 {
				c := s.NewChange()
				c.Set([]byte{w}, []byte{w})
				s.Apply(c)
				c.Release()
				s.Sync()
			}
		})
	}
	wg.Wait()
	if n := s.sync.waiters.Load(); n != 0 {
		t.Errorf("%d wait", n)
	}
	if n := s.SyncRounds(); n > 6*40*2/3 {
		t.Errorf("%d rounds for %d syncs", n, 6*40)
	}
}

// TestAcknowledgedAreSynced: at each return of Sync the change is in what would survive a crash at that moment without any unsynced byte.
func TestAcknowledgedAreSynced(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := openTest(t, Options{FS: mem, SyncInterval: -1})
	for n := range int64(20) {
		c := s.NewChange()
		c.Add(countKey, 1)
		s.Apply(c)
		c.Release()
		s.Sync()
		clone := openTest(t, Options{FS: mem.CrashClone(vfs.CrashCloneCfg{}), SyncInterval: -1})
		v, _, err := clone.Get(nil, countKey)
		if err != nil || int64(le.Uint64(v)) != n+1 {
			t.Fatalf("after sync %d the log holds %x (%v)", n+1, v, err)
		}
		if err := clone.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFailedFsyncIsFatal: no waiter is told that its change is durable.
func TestFailedFsyncIsFatal(t *testing.T) {
	var broken atomic.Bool
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if broken.Load() && isLogSync(op) {
			return errors.New("the disk is gone")
		}
		return nil
	}))
	dead := make(deathbed, 1)
	s, err := Open(faultOptions(fs, dead))
	if err != nil {
		t.Fatal(err)
	}
	broken.Store(true)
	returned := make(chan struct{})
	go func() {
		c := s.NewChange()
		c.Set([]byte("k"), []byte("v"))
		s.Apply(c)
		s.Sync()
		close(returned)
	}()
	select {
	case <-returned:
		t.Error("Sync returned after a failed fsync")
	case err := <-dead:
		if !strings.Contains(err.Error(), "the disk is gone") {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("neither returned nor dead")
	}
}

// TestErrorsEverywhere injects an error into the n-th write operation, or into it and all later ones, under load: the store goes on, refuses to open,
// or ends the process, and what it acknowledged is there after the crash.
func TestErrorsEverywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	outcomes := map[string]int{}
	for round := range 40 {
		mem := vfs.NewCrashableMem()
		first := openTest(t, Options{FS: mem, SyncInterval: -1}) // make it without faults
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		var acked [2]atomic.Uint64
		outcomes[runUntilFault(mem, rng.Int64N(400), round%2 == 0, acked[:])]++

		var before [len(acked)]uint64
		for w := range before {
			before[w] = acked[w].Load()
		}
		c := openTest(t, Options{FS: mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rng}), SyncInterval: -1})
		for w := range before {
			checkCrashWriter(t, c, uint32(w), before[w])
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Log(outcomes)
	if outcomes["died"] == 0 {
		t.Error("no fault was felt")
	}
}

// runUntilFault opens the store on a file system whose n-th write fails, once or from then on, runs writers for a moment, and tells how it ended. What
// is blocked then stays so: its process is gone.
func runUntilFault(mem vfs.FS, n int64, once bool, acked []atomic.Uint64) string {
	dead := make(deathbed, 1)
	var left atomic.Int64
	left.Store(n)
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
			return nil
		}
		if n := left.Add(-1); n != 0 && (n > 0 || once) {
			return nil
		}
		if op.Kind == errorfs.OpFileSync && op.Path == "db" {
			dead.die(errorfs.ErrInjected) // Pebble panics when a directory can't be synced
		}
		return errorfs.ErrInjected
	}))
	stop, done := make(chan struct{}), make(chan string, 1)
	go func() {
		s, err := Open(faultOptions(fs, dead))
		if err != nil {
			done <- "refused"
			return
		}
		var wg sync.WaitGroup
		for w := range acked {
			wg.Go(func() { crashWriter(s, uint32(w), &acked[w], stop) })
		}
		wg.Wait()
		done <- "survived"
	}()
	time.AfterFunc(30*time.Millisecond, func() { close(stop) })
	select {
	case <-dead:
		return "died"
	case how := <-done:
		return how
	}
}
