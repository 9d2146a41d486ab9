package buffer

import "sync/atomic"

// LatchCounts counts how often the latch of one block was taken, and how often somebody had to wait for it. The latch itself counts, whoever takes
// it, so that an access method can prove which pages it leaves alone.
type LatchCounts struct {
	Exclusive, Shared           atomic.Uint64 // taken
	ExclusiveWaits, SharedWaits atomic.Uint64 // waits that parked
}

// watch is the block of a relation whose latch is counted. It costs other blocks nothing: the state word says which frame holds it.
type watch struct {
	block  uint32
	counts LatchCounts
}

// Watch begins to count the latches of a block and gives the counts, which go on through evictions until the relation is dropped. One block a
// relation can be watched.
func (r *Rel) Watch(block uint32) (*LatchCounts, error) {
	w := &watch{block: block}
	if !r.watch.CompareAndSwap(nil, w) {
		w = r.watch.Load()
	}
	b, err := r.Pin(block)
	if err != nil {
		return nil, err
	}
	b.p.frames[b.i].state.Or(stWatched)
	b.Unpin()
	return &w.counts, nil
}

// markWatched marks a frame that was just mapped to a block, if that is the watched one.
func (r *Rel) markWatched(f *frame, block uint32) {
	if w := r.watch.Load(); w != nil && w.block == block {
		f.state.Or(stWatched)
	}
}

// counts gives the counts of a page with stWatched, on which the caller has a pin.
func (b Buf) counts() *LatchCounts { return &b.Rel().watch.Load().counts }

func (b Buf) countExclusive(s uint64) {
	if s&stWatched != 0 {
		b.counts().Exclusive.Add(1)
	}
}
