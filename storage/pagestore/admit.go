package pagestore

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/calfdb/calf/sql/pgerr"
)

// Cancel is how a waiter learns that it should give up; a context.Context is one. A nil Cancel never does.
type Cancel interface {
	Done() <-chan struct{}
	Err() error
}

// RoomMaker is a Cancel of somebody who may be at work to make room: then Admit lets him use the reserve at all his writes, those of the catalogs too.
type RoomMaker interface {
	Cancel
	MakesRoom() bool
}

// diskCheckInterval is the period at which free disk space is measured.
const diskCheckInterval = 250 * time.Millisecond

// admission holds writers back before they take latches.
type admission struct {
	s       *Store
	full    atomic.Bool
	stalled atomic.Bool

	mu    sync.Mutex
	clear chan struct{} // closed when the stall ends
}

func (a *admission) init(s *Store) { a.s = s }

// Admit is called by a writer before its first latch. It waits while Pebble holds writes back, and refuses with 53100 when the disk is nearly
// full. reserve, and a Cancel that is a RoomMaker at work, lets DROP, TRUNCATE and VACUUM, which make room, use what is left.
func (s *Store) Admit(c Cancel, reserve bool) error {
	a := &s.admit
	if a.full.Load() && !reserve && !makesRoom(c) {
		return pgerr.New(pgerr.DiskFull, "could not write to the page store: No space left on device").
			WithHint("Check free disk space.")
	}
	if !a.stalled.Load() {
		return nil
	}
	return a.waitStall(c)
}

func makesRoom(c Cancel) bool {
	r, ok := c.(RoomMaker)
	return ok && r.MakesRoom()
}

func (a *admission) waitStall(c Cancel) error {
	a.mu.Lock()
	ch := a.clear
	a.mu.Unlock()
	if ch == nil {
		return nil
	}
	if c == nil {
		<-ch
		return nil
	}
	select {
	case <-ch:
		return nil
	case <-c.Done():
		return c.Err()
	}
}

func (a *admission) setStalled(on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case on && a.clear == nil:
		a.clear = make(chan struct{})
	case !on && a.clear != nil:
		close(a.clear)
		a.clear = nil
	}
	a.stalled.Store(on)
}

func (a *admission) listener() *pebble.EventListener {
	return &pebble.EventListener{
		WriteStallBegin: func(pebble.WriteStallBeginInfo) { a.setStalled(true) },
		WriteStallEnd:   func() { a.setStalled(false) },
		BackgroundError: func(err error) { a.s.o.Logf("page store: background error: %v", err) },
		// Without this Pebble ends the process; but a damaged block is an error of who reads it.
		DataCorruption: func(i pebble.DataCorruptionInfo) { a.s.o.Logf("page store: damaged file %s: %v", i.Path, i.Details) },
	}
}

func (a *admission) start() {
	a.checkDisk()
	a.s.done.Go(func() {
		t := time.NewTicker(diskCheckInterval)
		defer t.Stop()
		for {
			select {
			case <-a.s.stop:
				return
			case <-t.C:
				a.checkDisk()
			}
		}
	})
}

// checkDisk measures free space. A file system that can't tell is taken as having room.
func (a *admission) checkDisk() {
	u, err := a.s.o.FS.GetDiskUsage(a.s.o.Dir)
	a.full.Store(err == nil && u.AvailBytes < a.s.o.MinFreeDisk)
}
