package pagestore

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// syncGroup lets many waiters share one fsync. Applies are counted; a waiter needs a sync that began when the count was at least what it saw.
// The first waiter that finds no sync running leads one for all who wait by then; those who come later share the next.
//
// With a slow disk that alone makes two crowds that take turns: the half that a sync has released is at work while the next sync begins for the other
// half. So a leader whose predecessor left a bigger crowd behind than waits now gives it a moment to come back (gather), as commit_delay does
// in PostgreSQL, but only as long as that pays.
type syncGroup struct {
	s       *Store
	applied atomic.Uint64 // changes applied
	synced  atomic.Uint64 // of these, durable

	mu      sync.Mutex
	cond    sync.Cond
	running bool
	waiters atomic.Int32 // who wait for a round that has not ended; written under mu
	begun   uint64       // rounds begun and ended: who entered before a round began is released, and no longer counted, when it ends
	ended   uint64

	// The leader's.
	crowd     int32         // waiters when the last round ended, those that it released and those that came too late
	took      time.Duration // the last fsync
	fruitless int           // gatherings in a row that nobody joined; when they are many, rounds to go without

	rounds atomic.Uint64
}

// Gathering.
const (
	gatherPart      = 3                      // wait for a third of an fsync at most,
	gatherMax       = time.Millisecond       // and no longer than this
	gatherMin       = 100 * time.Microsecond // less is not worth it
	gatherStep      = 30 * time.Microsecond
	fruitlessMax    = 3
	fruitlessRounds = 32
)

func (g *syncGroup) init(s *Store) {
	g.s = s
	g.cond.L = &g.mu
}

// Sync returns when all changes whose Apply returned before the call are durable. It does not return when the store fails.
func (s *Store) Sync() {
	if s.isTmp {
		return
	}
	s.sync.wait(s.sync.applied.Load())
}

// SyncTo is Sync for the changes up to a position that Apply returned: it can join an fsync that began meanwhile, which Sync can't when others have
// applied since.
func (s *Store) SyncTo(position uint64) {
	if !s.isTmp {
		s.sync.wait(position)
	}
}

// SyncRounds returns the number of fsyncs that Sync has run.
func (s *Store) SyncRounds() uint64 { return s.sync.rounds.Load() }

func (g *syncGroup) wait(need uint64) {
	if g.synced.Load() >= need {
		return
	}
	g.mu.Lock()
	entered := g.begun
	g.waiters.Add(1)
	for g.synced.Load() < need {
		if g.running {
			g.cond.Wait()
			continue
		}
		g.running = true
		g.mu.Unlock()
		g.lead()
		g.mu.Lock()
		g.running = false
		g.cond.Broadcast()
	}
	if entered >= g.ended { // it came after its round had begun, whose leader did not count it
		g.waiters.Add(-1)
	}
	g.mu.Unlock()
}

// lead runs one round: an fsync of the log.
func (g *syncGroup) lead() {
	defer g.s.dieOnPanic()
	g.gather()
	g.mu.Lock()
	g.begun++
	released := g.waiters.Load()
	g.mu.Unlock()
	upTo, start := g.applied.Load(), time.Now()
	if err := g.s.db.LogData(nil, pebble.Sync); err != nil {
		g.s.fatal(fmt.Errorf("syncing the log: %w", err))
	}
	g.mu.Lock()
	g.took = time.Since(start)
	g.rounds.Add(1)
	g.synced.Store(upTo)
	g.ended = g.begun
	g.crowd = g.waiters.Load()
	g.waiters.Add(-released)
	g.mu.Unlock()
}

// gather waits until as many wait as when the last sync ended, or for a part of what an fsync takes.
func (g *syncGroup) gather() {
	limit := min(g.took/gatherPart, gatherMax)
	have := g.waiters.Load()
	if have >= g.crowd || limit < gatherMin {
		return
	}
	if g.fruitless > fruitlessMax {
		g.fruitless--
		return
	}
	step := syscall.NsecToTimespec(int64(gatherStep))
	for end := time.Now().Add(limit); g.waiters.Load() < g.crowd && time.Now().Before(end); {
		_ = syscall.Nanosleep(&step, nil) // a timer of the runtime may be late by a millisecond
	}
	switch {
	case g.waiters.Load() > have:
		g.fruitless = 0
	case g.fruitless == fruitlessMax:
		g.fruitless += fruitlessRounds
	default:
		g.fruitless++
	}
}

// walwriter bounds what a crash can lose of transactions that did not wait.
func (s *Store) walwriter() {
	t := time.NewTicker(s.o.SyncInterval)
	defer t.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-t.C:
			s.Sync()
		}
	}
}
