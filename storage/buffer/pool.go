package buffer

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/pagestore"
)

// Cancel is how a waiter learns that it should give up; a context.Context is one. A nil Cancel never does.
type Cancel = pagestore.Cancel

// Pool is the buffer pool. All methods may be called concurrently.
type Pool struct {
	store  *pagestore.Store
	frames []frame
	slab   []byte       // one page a frame, outside of the Go heap
	edits  []*page.Edit // the frame's edit in progress; belongs to the holder of the exclusive latch

	editPool   sync.Pool // *page.Edit
	changePool sync.Pool // *Change

	hand   atomic.Uint32 // clock sweep
	unused atomic.Uint32 // frames that were never used start here

	queues [queueCount]waitQueue

	mu      sync.Mutex
	byKey   map[relKey]*Rel
	rels    atomic.Pointer[[]atomic.Pointer[Rel]] // by frame.rel; entry 0 is unused
	freeRel []uint32
	nextRel uint32

	stats Stats
}

// Stats counts what the pool did since its start.
type Stats struct {
	Reads        atomic.Uint64 // pages read from the store
	Evictions    atomic.Uint64
	SharedWaits  atomic.Uint64 // latch waits that parked
	ExclWaits    atomic.Uint64
	CleanupWaits atomic.Uint64
}

// New makes a pool of a number of frames (shared_buffers / 8 kB) over a store.
func New(store *pagestore.Store, frames int) *Pool {
	frames = max(frames, 16)
	p := &Pool{
		store:  store,
		frames: make([]frame, frames),
		slab:   allocSlab(frames * page.Size),
		edits:  make([]*page.Edit, frames),
		byKey:  make(map[relKey]*Rel),
	}
	p.editPool.New = func() any { return new(page.Edit) }
	p.changePool.New = func() any { return &Change{p: p} }
	p.growRels(64)
	p.nextRel = 1
	return p
}

// Close gives the memory back. Nobody may use the pool any more.
func (p *Pool) Close() { freeSlab(p.slab) }

// Store returns the store under the pool.
func (p *Pool) Store() *pagestore.Store { return p.store }

// Frames returns the size of the pool in pages.
func (p *Pool) Frames() int { return len(p.frames) }

// Stats returns the pool's counters.
func (p *Pool) Stats() *Stats { return &p.stats }

func (p *Pool) page(i uint32) []byte {
	o := int(i) * page.Size
	return p.slab[o : o+page.Size : o+page.Size]
}

var errNoFrame = pgerr.New(pgerr.InternalError, "no unpinned buffers available")

// victim returns a frame that holds nothing, marked stEvict, with one pin of the caller's.
func (p *Pool) victim() (uint32, error) {
	n := uint32(len(p.frames))
	if p.unused.Load() < n {
		if i := p.unused.Add(1) - 1; i < n {
			if p.tryEvict(i, maxUsage) {
				return i, nil
			}
		}
	}
	for range uint64(n) * (maxUsage + 2) {
		i := (p.hand.Add(1) - 1) % n
		f := &p.frames[i]
		if pins(f.state.Load()) != 0 {
			continue
		}
		if u := f.usage.Load(); u > 0 {
			f.usage.CompareAndSwap(u, u-1)
			continue
		}
		if p.tryEvict(i, 0) {
			return i, nil
		}
	}
	return 0, errNoFrame
}

// tryEvict takes frame i from its page when nobody has it pinned and its usage is at most limit. On success the frame is marked stEvict,
// maps nothing, and has one pin of the caller's. Nothing is written: the frame is as new as the store.
func (p *Pool) tryEvict(i, limit uint32) bool {
	f := &p.frames[i]
	s := f.state.Load()
	if pins(s) != 0 || s&(stBusy|stExclusive) != 0 || f.usage.Load() > limit {
		return false
	}
	if !f.state.CompareAndSwap(s, s|stEvict+onePin) {
		return false
	}
	if f.rel != 0 {
		p.relAt(f.rel).slot(f.block).CompareAndSwap(i+1, 0)
		f.rel = 0
		if s&stWatched != 0 {
			f.state.And(^stWatched)
		}
		p.stats.Evictions.Add(1)
	}
	f.usage.Store(0)
	return true
}

// release lets go of a frame that tryEvict returned and that was not mapped to a page.
func (p *Pool) release(i uint32) {
	p.frames[i].state.Add(^(stEvict + onePin) + 1)
}

// beginRead maps a victim to a page and marks it as read in progress. False when somebody else has mapped the page; the frame is released then.
func (p *Pool) beginRead(i uint32, r *Rel, block uint32) bool {
	f := &p.frames[i]
	f.rel, f.block = r.index, block
	f.state.Add(stIO - stEvict)
	if r.slot(block).CompareAndSwap(0, i+1) {
		r.markWatched(f, block)
		return true
	}
	f.rel = 0
	if s := f.state.Add(^(stIO + onePin) + 1); s&stWaiters != 0 {
		p.wakeAll(i) // somebody who pinned the frame for its page of before took this for a read
	}
	return false
}

// endRead ends a read in progress; the caller keeps its pin. On an error the frame is unmapped first.
func (p *Pool) endRead(i uint32, m pagestore.Meta, err error) {
	f := &p.frames[i]
	if err != nil {
		p.relAt(f.rel).slot(f.block).CompareAndSwap(i+1, 0)
		f.rel = 0
		f.state.And(^stWatched)
	} else {
		p.setMeta(f, m)
	}
	if s := f.state.Add(^stIO + 1); s&stWaiters != 0 {
		p.wakeAll(i)
	}
}

func (p *Pool) setMeta(f *frame, m pagestore.Meta) {
	f.version, f.deltas, f.weight = m.Version, m.Deltas, m.Weight
}

// Check compares every resident page with the store, byte by byte, after mask (may be nil) took the hints out of both. The pool must be
// at rest. For tests.
func (p *Pool) Check(mask func(id pagestore.PageID, page []byte)) error {
	mem, stored := make([]byte, page.Size), make([]byte, page.Size)
	var errs []error
	for i := range p.frames {
		f := &p.frames[i]
		if f.rel == 0 {
			continue
		}
		r := p.relAt(f.rel)
		id := r.id.Page(r.fork, f.block)
		m, err := r.store.Read(id, stored)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		copy(mem, p.page(uint32(i)))
		if mask != nil {
			mask(id, mem)
			mask(id, stored)
		}
		if at := firstDifference(mem, stored); at >= 0 {
			errs = append(errs, fmt.Errorf("%s: memory and store differ from byte %d on", id, at))
		}
		if m.Version != f.version {
			errs = append(errs, fmt.Errorf("%s: version %d in memory, %d in the store", id, f.version, m.Version))
		}
	}
	return errors.Join(errs...)
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// CheckNoPins reports pages that are still pinned or latched, for the end of a statement in tests.
func (p *Pool) CheckNoPins() error {
	var errs []error
	for i := range p.frames {
		f := &p.frames[i]
		if s := f.state.Load(); pins(s) != 0 || s&(shareMask|stExclusive) != 0 {
			name := "no page"
			if f.rel != 0 {
				r := p.relAt(f.rel)
				name = r.id.Page(r.fork, f.block).String()
			}
			errs = append(errs, fmt.Errorf("%s: %d pins, %d sharers, exclusive %v", name, pins(s), sharers(s)/oneShare, s&stExclusive != 0))
		}
	}
	return errors.Join(errs...)
}
