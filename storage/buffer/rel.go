package buffer

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/calfdb/calf/storage/pagestore"
)

// Rel is the handle of one fork of a relation: its map from block to frame and its size. One exists per fork, shared by all sessions;
// it stays valid until the relation is dropped.
type Rel struct {
	p      *Pool
	id     pagestore.RelID
	fork   uint8
	isTemp bool
	index  uint32 // in Pool.rels
	store  *pagestore.Store

	blocks  atomic.Uint32
	dropped atomic.Bool
	watch   atomic.Pointer[watch]

	// Segment k holds firstSegment<<k slots; a slot is a frame's number + 1, or 0.
	segments [segmentCount]atomic.Pointer[atomic.Uint32]
}

const (
	firstSegment     = 8
	firstSegmentBits = 3
	segmentCount     = 33 - firstSegmentBits
)

type relKey struct {
	id   pagestore.RelID
	fork uint8
}

// Open returns the handle of a fork, with its size read from the store the first time. isTemp relations live in the temporary store.
func (p *Pool) Open(id pagestore.RelID, fork uint8, isTemp bool) (*Rel, error) {
	key := relKey{id, fork}
	p.mu.Lock()
	r := p.byKey[key]
	p.mu.Unlock()
	if r != nil {
		return r, nil
	}
	store := p.store
	if isTemp {
		t, err := store.Temp()
		if err != nil {
			return nil, err
		}
		store = t
	}
	n, err := store.NumBlocks(id, fork)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.byKey[key]; r != nil {
		return r, nil
	}
	r = &Rel{p: p, id: id, fork: fork, isTemp: isTemp, store: store}
	r.blocks.Store(n)
	p.addRel(key, r)
	return r, nil
}

// addRel enters a handle into both tables; p.mu is held.
func (p *Pool) addRel(key relKey, r *Rel) {
	if n := len(p.freeRel); n > 0 {
		r.index, p.freeRel = p.freeRel[n-1], p.freeRel[:n-1]
	} else {
		r.index = p.nextRel
		p.nextRel++
		if have := len(*p.rels.Load()); int(r.index) >= have {
			p.growRels(2 * have)
		}
	}
	(*p.rels.Load())[r.index].Store(r)
	p.byKey[key] = r
}

func (p *Pool) growRels(n int) {
	t := make([]atomic.Pointer[Rel], n)
	if old := p.rels.Load(); old != nil {
		for i := range *old {
			t[i].Store((*old)[i].Load())
		}
	}
	p.rels.Store(&t)
}

func (p *Pool) relAt(i uint32) *Rel { return (*p.rels.Load())[i].Load() }

// ID returns the relation's id.
func (r *Rel) ID() pagestore.RelID { return r.id }

// Fork returns the fork.
func (r *Rel) Fork() uint8 { return r.fork }

// IsTemp reports a relation of the temporary store.
func (r *Rel) IsTemp() bool { return r.isTemp }

// Pool returns the pool.
func (r *Rel) Pool() *Pool { return r.p }

// NumBlocks returns the size in blocks: 1 + the last block that is stored or was extended to.
func (r *Rel) NumBlocks() uint32 { return r.blocks.Load() }

// Count returns the count that is kept with the relation's pages (Change.AddCount). ok = false when none was ever set.
func (r *Rel) Count() (n int64, ok bool, err error) { return r.store.Count(r.id) }

// Reserve makes the relation at least n blocks long. Blocks that are not stored read as zero pages, and one becomes part of the store with the first
// Apply that changes it: for access methods that give their pages fixed places.
func (r *Rel) Reserve(n uint32) {
	for {
		have := r.blocks.Load()
		if have >= n || r.blocks.CompareAndSwap(have, n) {
			return
		}
	}
}

// slot returns the map's entry for a block.
func (r *Rel) slot(block uint32) *atomic.Uint32 {
	x := uint64(block) + firstSegment
	k := bits.Len64(x) - 1 - firstSegmentBits
	first := uint64(firstSegment) << k
	seg := r.segments[k].Load()
	if seg == nil {
		seg = r.addSegment(k, first)
	}
	return (*atomic.Uint32)(unsafe.Add(unsafe.Pointer(seg), uintptr(x-first)*unsafe.Sizeof(atomic.Uint32{})))
}

func (r *Rel) addSegment(k int, n uint64) *atomic.Uint32 {
	s := make([]atomic.Uint32, n)
	r.segments[k].CompareAndSwap(nil, &s[0])
	return r.segments[k].Load()
}

// lookup is slot without making a segment: nil when the block was never mapped.
func (r *Rel) lookup(block uint32) *atomic.Uint32 {
	if k := bits.Len64(uint64(block)+firstSegment) - 1 - firstSegmentBits; r.segments[k].Load() == nil {
		return nil
	}
	return r.slot(block)
}
