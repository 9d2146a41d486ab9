package buffer

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfdb/calf/storage/page"
)

// eventually waits until cond holds.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !cond(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(deadline) {
			t.Fatal("never happened: ", what)
		}
	}
}

func onePage(t *testing.T) (*Pool, Buf) {
	p := newTestPool(t, 16)
	b := extendFilled(t, openRel(t, p, 1))
	b.Unlock()
	return p, b
}

func TestLatchModes(t *testing.T) {
	_, b := onePage(t)
	defer b.Unpin()
	b.LockShared()
	if !b.TryLockShared() || b.TryLockExclusive() {
		t.Error("shared: shared must pass, exclusive must not")
	}
	b.Unlock()
	b.Unlock()
	if !b.TryLockExclusive() || b.TryLockShared() || b.TryLockExclusive() {
		t.Error("exclusive: nothing must pass")
	}
	b.Unlock()
}

func TestLatchWaitIsCancelled(t *testing.T) {
	p, b := onePage(t)
	defer b.Unpin()
	b.LockShared()
	ctx, cancel := context.WithCancel(context.Background())
	got := make(chan error)
	go func() { got <- b.LockExclusive(ctx) }()
	eventually(t, "the writer waits", func() bool { return p.frames[b.i].state.Load()&stDrain != 0 })
	// A reader that comes now is held back, and passes when the writer gives up.
	read := make(chan struct{})
	go func() {
		b.LockShared()
		close(read)
	}()
	eventually(t, "the reader waits", func() bool { return p.stats.SharedWaits.Load() == 1 })
	cancel()
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-read
	b.Unlock()
	b.Unlock()
	if s := p.frames[b.i].state.Load(); s != 1 {
		t.Errorf("state %#x", s)
	}
}

func TestReadersDoNotStarveAWriter(t *testing.T) {
	_, b := onePage(t)
	defer b.Unpin()
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for !stop.Load() {
				b.LockShared()
				b.Unlock()
			}
		})
	}
	for range 200 {
		if err := b.LockExclusive(nil); err != nil {
			t.Fatal(err)
		}
		b.Unlock()
	}
	stop.Store(true)
	wg.Wait()
}

func TestCleanupLock(t *testing.T) {
	p, b := onePage(t)
	other := b.Repin()
	if b.TryCleanupLock() {
		t.Fatal("cleanup lock beside another pin")
	}
	ctx, cancel := context.WithCancel(context.Background())
	got := make(chan error)
	go func() { got <- b.CleanupLock(ctx) }()
	waits := func() bool { return p.frames[b.i].state.Load()&stCleanup != 0 }
	eventually(t, "it waits", waits)
	other.LockShared() // the latch is free while it waits
	other.Unlock()
	if err := other.CleanupLock(nil); err == nil {
		t.Error("two wait for the same page")
	}
	cancel()
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}

	go func() { got <- b.CleanupLock(nil) }()
	eventually(t, "it waits", waits)
	other.Unpin()
	if err := <-got; err != nil {
		t.Error(err)
	}
	if !b.IsExclusive() {
		t.Error("cleanup lock without the latch")
	}
	b.UnlockUnpin()
}

// TestLatchCounter: many goroutines add to a counter on one page under the exclusive latch, read it under the shared one, and take cleanup locks.
func TestLatchCounter(t *testing.T) {
	p, b := onePage(t)
	r := b.Rel()
	b.Unpin()
	const workers, rounds = 8, 300
	var wg sync.WaitGroup
	for w := range uint64(workers) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(w, 1))
			for n := 0; n < rounds; {
				b := pin(t, r, 0)
				switch rng.IntN(6) {
				case 0, 1:
					b.LockShared()
					_ = le.Uint64(b.Page()[8000:])
				case 2:
					if !b.TryCleanupLock() {
						b.Unpin()
						continue
					}
				default:
					if err := b.LockExclusive(nil); err != nil {
						t.Error(err)
					}
					b.Edit().Put64(8000, le.Uint64(b.Page()[8000:])+1)
					p.ApplyPages(b)
					n++
				}
				b.UnlockUnpin()
			}
		})
	}
	wg.Wait()
	b = pin(t, r, 0)
	b.LockShared()
	if n := le.Uint64(b.Page()[8000:]); n != workers*rounds {
		t.Errorf("counted %d, want %d", n, workers*rounds)
	}
	b.UnlockUnpin()
}

func TestHints(t *testing.T) {
	p, b := onePage(t)
	before := append([]byte(nil), b.Page()...)
	var wg sync.WaitGroup
	for bit := range 32 {
		wg.Go(func() {
			b.LockShared()
			b.SetHint(4000, 1<<bit)
			b.Unlock()
		})
	}
	wg.Wait()
	if v := page.LoadHint32(b.Page(), 4000); v != 0xffffffff {
		t.Errorf("hints %#x", v)
	}
	// Hints are not in the store; a read brings the page back without them.
	if err := b.LockExclusive(nil); err != nil {
		t.Fatal(err)
	}
	b.Edit().Put8(5000, 1)
	b.Undo()
	if at := firstDifference(before, b.Page()); at >= 0 {
		t.Errorf("differs at %d", at)
	}
	b.UnlockUnpin()
	if p.edits[b.i] != nil {
		t.Error("edit left")
	}
}
