package pagestore

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// syncGroup lets many waiters share one fsync. Applies are counted; a waiter needs a sync that began when the count was at least what it saw.
// The first waiter that finds no sync running leads one for all who wait by then; those who come later share the next.
type syncGroup struct {
	s       *Store
	applied atomic.Uint64 // changes applied
	synced  atomic.Uint64 // of these, durable

	mu      sync.Mutex
	cond    sync.Cond
	running bool

	rounds atomic.Uint64
}

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

// Applied returns the number of changes applied since the start, a position in the log; see SyncTo.
func (s *Store) Applied() uint64 { return s.sync.applied.Load() }

// SyncTo is Sync for the changes up to a position that Applied returned.
func (s *Store) SyncTo(position uint64) {
	if !s.isTmp {
		s.sync.wait(position)
	}
}

func (g *syncGroup) wait(need uint64) {
	if g.synced.Load() >= need {
		return
	}
	g.mu.Lock()
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
	g.mu.Unlock()
}

// lead runs one fsync of the log.
func (g *syncGroup) lead() {
	defer g.s.dieOnPanic()
	upTo := g.applied.Load()
	if err := g.s.db.LogData(nil, pebble.Sync); err != nil {
		g.s.fatal(fmt.Errorf("syncing the log: %w", err))
	}
	g.rounds.Add(1)
	g.synced.Store(upTo)
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
