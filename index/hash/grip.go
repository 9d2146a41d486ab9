package hash

import "github.com/calfdb/calf/storage/buffer"

// grip is the pages that an operation has pinned, and which of them it has latched, so that one deferred dropAll lets go of everything on
// any way out: an error, a cancel, a panic. Each page is in it once.
type grip struct {
	n    int
	held [16]held
}

type held struct {
	b         buffer.Buf
	isLatched bool
}

// hold takes over a pin, and the latch if the caller has it.
func (g *grip) hold(b buffer.Buf, isLatched bool) {
	g.held[g.n] = held{b, isLatched}
	g.n++
}

func (g *grip) find(b buffer.Buf) int {
	for i := g.n - 1; i >= 0; i-- {
		if g.held[i].b == b {
			return i
		}
	}
	return -1
}

// slot is the page's place, taken now if the page is not held: then its pin is taken over.
func (g *grip) slot(b buffer.Buf) *held {
	i := g.find(b)
	if i < 0 {
		i = g.n
		g.hold(b, false)
	}
	return &g.held[i]
}

// lock latches a page exclusively, share in shared mode. A page that is not held yet is held from now on, also after an error.
func (g *grip) lock(b buffer.Buf, c buffer.Cancel) error {
	h := g.slot(b)
	if err := b.LockExclusive(c); err != nil {
		return err
	}
	h.isLatched = true
	return nil
}

func (g *grip) share(b buffer.Buf) {
	h := g.slot(b)
	b.LockShared()
	h.isLatched = true
}

// tryCleanup takes the cleanup lock if it is free; else the page is pinned only.
func (g *grip) tryCleanup(b buffer.Buf) bool {
	h := g.slot(b)
	h.isLatched = b.TryCleanupLock()
	return h.isLatched
}

// cleanup waits for the cleanup lock.
func (g *grip) cleanup(b buffer.Buf, c buffer.Cancel) error {
	h := g.slot(b)
	if err := b.CleanupLock(c); err != nil {
		return err
	}
	h.isLatched = true
	return nil
}

// unlock lets go of the latch and keeps the pin.
func (g *grip) unlock(b buffer.Buf) {
	if h := &g.held[g.find(b)]; h.isLatched {
		h.isLatched = false
		b.Unlock()
	}
}

// drop lets go of the page.
func (g *grip) drop(b buffer.Buf) {
	i := g.find(b)
	isLatched := g.held[i].isLatched
	copy(g.held[i:], g.held[i+1:g.n])
	g.n--
	g.held[g.n] = held{}
	if isLatched {
		b.Unlock()
	}
	b.Unpin()
}

// dropAll lets go of all, the last one first.
func (g *grip) dropAll() { g.dropTo(0) }

// dropTo lets go of what was taken after the first n pages.
func (g *grip) dropTo(n int) {
	for g.n > n {
		g.drop(g.held[g.n-1].b)
	}
}
