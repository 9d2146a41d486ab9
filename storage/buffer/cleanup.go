package buffer

import "github.com/calfdb/calf/sql/pgerr"

// A cleanup lock is the exclusive latch while nobody else has the page pinned, so that items may move and go that others would read under a
// bare pin. It is let go with Unlock. While a waiter waits for pins it holds no latch.

// TryCleanupLock takes the cleanup lock if that is possible at once. A pin that is taken and given back at that very moment can make it fail.
func (b Buf) TryCleanupLock() bool {
	if !b.TryLockExclusive() {
		return false
	}
	if b.SolePin() {
		return true
	}
	b.Unlock()
	return false
}

// SolePin reports that the caller's pin is the only one. Under the exclusive latch that makes a cleanup lock of it.
func (b Buf) SolePin() bool { return pins(b.p.frames[b.i].state.Load()) == 1 }

// CleanupLock waits for the cleanup lock. The caller has exactly one pin on the page (two of its own would wait for each other until cancelled)
// and no latch. Only one may wait for a page at a time; another gets an error.
func (b Buf) CleanupLock(c Cancel) error {
	p, f := b.p, &b.p.frames[b.i]
	for {
		if err := b.LockExclusive(c); err != nil {
			return err
		}
		if b.SolePin() {
			return nil
		}
		if old := f.state.Or(stCleanup); old&stCleanup != 0 {
			b.Unlock()
			return pgerr.Internal("multiple backends attempting to wait for pincount 1")
		}
		b.Unlock()
		p.stats.CleanupWaits.Add(1)
		err := p.park(b.i, waitCleanup, false, c, func(s uint64) bool { return pins(s) == 1 })
		f.state.And(^stCleanup)
		if err != nil {
			return err
		}
	}
}
