package buffer

import "runtime"

// spins is how often a latch is tried before its waiter parks: latches are held for microseconds.
const spins = 40

// LockShared latches the page for reading: nobody changes it (but for hints). The caller has a pin and no latch on this page.
func (b Buf) LockShared() {
	f := &b.p.frames[b.i]
	s := f.state.Load()
	if s&(stExclusive|stDrain|stWatched) == 0 && f.state.CompareAndSwap(s, s+oneShare) {
		return
	}
	b.lockSharedSlow()
}

func sharePasses(s uint64) bool { return s&(stExclusive|stDrain) == 0 }

func (b Buf) lockSharedSlow() {
	p, f := b.p, &b.p.frames[b.i]
	again := false
	for try := 0; ; try++ {
		s := f.state.Load()
		if sharePasses(s) {
			if f.state.CompareAndSwap(s, s+oneShare) {
				if s&stWatched != 0 {
					b.counts().Shared.Add(1)
				}
				return
			}
			continue
		}
		if try < spins {
			relax(try)
			continue
		}
		p.stats.SharedWaits.Add(1)
		if s&stWatched != 0 {
			b.counts().SharedWaits.Add(1)
		}
		_ = p.park(b.i, waitShared, again, nil, sharePasses)
		again, try = true, 0
	}
}

// LockExclusive latches the page for changing. The caller has a pin and no latch on this page. The error is the Cancel's; with a nil Cancel there is none.
func (b Buf) LockExclusive(c Cancel) error {
	f := &b.p.frames[b.i]
	s := f.state.Load()
	if s&(stExclusive|shareMask|stWatched) == 0 && f.state.CompareAndSwap(s, s|stExclusive) {
		return nil
	}
	return b.lockExclusiveSlow(c)
}

func exclusivePasses(s uint64) bool { return s&(stExclusive|shareMask) == 0 }

func (b Buf) lockExclusiveSlow(c Cancel) error {
	p, f := b.p, &b.p.frames[b.i]
	again := false
	for try := 0; ; try++ {
		s := f.state.Load()
		if exclusivePasses(s) {
			if f.state.CompareAndSwap(s, (s|stExclusive)&^stDrain) {
				b.countExclusive(s)
				return nil
			}
			continue
		}
		if try < spins {
			relax(try)
			continue
		}
		p.stats.ExclWaits.Add(1)
		if s&stWatched != 0 {
			b.counts().ExclusiveWaits.Add(1)
		}
		if err := p.park(b.i, waitExclusive, again, c, exclusivePasses); err != nil {
			return err
		}
		again, try = true, 0
	}
}

// relax passes a moment between two tries.
func relax(try int) {
	if try%10 == 9 {
		runtime.Gosched()
	}
}

// TryLockExclusive is LockExclusive that does not wait.
func (b Buf) TryLockExclusive() bool {
	f := &b.p.frames[b.i]
	for {
		s := f.state.Load()
		if !exclusivePasses(s) {
			return false
		}
		if f.state.CompareAndSwap(s, s|stExclusive) {
			b.countExclusive(s)
			return true
		}
	}
}

// TryLockShared is LockShared that does not wait.
func (b Buf) TryLockShared() bool {
	f := &b.p.frames[b.i]
	for {
		s := f.state.Load()
		if !sharePasses(s) {
			return false
		}
		if f.state.CompareAndSwap(s, s+oneShare) {
			if s&stWatched != 0 {
				b.counts().Shared.Add(1)
			}
			return true
		}
	}
}

// Unlock lets go of the latch, shared or exclusive. A page that was edited and not applied is read again from the store first.
func (b Buf) Unlock() {
	p, f := b.p, &b.p.frames[b.i]
	s := f.state.Load()
	if s&stExclusive == 0 {
		if invariants && sharers(s) == 0 {
			panic("buffer: unlocked a page that is not latched")
		}
		s = f.state.Add(^oneShare + 1)
		if s&stWaiters != 0 && sharers(s) == 0 {
			p.wakeLatch(b.i)
		}
		return
	}
	if p.edits[b.i] != nil {
		p.endEdit(b.i)
	}
	if s = f.state.And(^(stExclusive | stDrain)); s&stWaiters != 0 {
		p.wakeLatch(b.i)
	}
}

// UnlockUnpin is Unlock and Unpin.
func (b Buf) UnlockUnpin() {
	b.Unlock()
	b.Unpin()
}

// IsExclusive reports that somebody, surely the caller when it thinks so, has the exclusive latch. For assertions.
func (b Buf) IsExclusive() bool { return b.p.frames[b.i].state.Load()&stExclusive != 0 }
