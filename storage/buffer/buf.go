package buffer

import (
	"runtime"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/pagestore"
)

// Buf is a pinned page. It is a small value: copy it freely, but each pin is given back once. The zero Buf is no page.
type Buf struct {
	p *Pool
	i uint32
}

// Valid reports a Buf that is a page.
func (b Buf) Valid() bool { return b.p != nil }

// Pin returns a block of the relation, read from the store when it is not resident. The block must be below NumBlocks.
func (r *Rel) Pin(block uint32) (Buf, error) {
	p := r.p
	slot := r.slot(block)
	for {
		if i := slot.Load(); i != 0 {
			f := &p.frames[i-1]
			s := f.state.Add(onePin)
			if s&stBusy == 0 && slot.Load() == i {
				f.touch(maxUsage)
				return Buf{p, i - 1}, nil
			}
			if p.settlePin(i-1, s) && slot.Load() == i {
				f.touch(maxUsage)
				return Buf{p, i - 1}, nil
			}
			p.unpin(i - 1)
			continue
		}
		b, ok, err := r.readBlock(block)
		if ok || err != nil {
			return b, err
		}
	}
}

// settlePin waits for a read in progress of a frame on which the caller has a pin that it took meanwhile. False when the frame is being evicted.
func (p *Pool) settlePin(i uint32, s uint64) bool {
	if s&stEvict != 0 {
		runtime.Gosched()
		return false
	}
	if s&stIO != 0 {
		p.waitRead(i)
	}
	return true
}

// readBlock brings a block that is not mapped into the pool. ok = false when somebody else did it meanwhile.
func (r *Rel) readBlock(block uint32) (b Buf, ok bool, err error) {
	if err := r.checkBlock(block); err != nil {
		return Buf{}, false, err
	}
	p := r.p
	i, err := p.victim()
	if err != nil {
		return Buf{}, false, err
	}
	if !p.beginRead(i, r, block) {
		return Buf{}, false, nil
	}
	m, err := r.store.Read(r.id.Page(r.fork, block), p.page(i))
	p.stats.Reads.Add(1)
	p.endRead(i, m, err)
	if err != nil {
		p.unpin(i)
		return Buf{}, false, err
	}
	p.frames[i].touch(maxUsage)
	return Buf{p, i}, true, nil
}

func (r *Rel) checkBlock(block uint32) error {
	if r.dropped.Load() {
		return pgerr.Internal("could not open relation %s: it was dropped", r.id)
	}
	if block >= r.blocks.Load() {
		return pgerr.New(pgerr.DataCorrupted, "could not read %s: read only 0 of %d bytes", r.id.Page(r.fork, block), page.Size)
	}
	return nil
}

// Extend adds a block to the relation: a new zero page, pinned and exclusively latched. It becomes part of the store with the first
// Apply that holds an edit of it (which stores it whole); until then it reads as a zero page, also after a crash if a later block was stored.
func (r *Rel) Extend() (Buf, error) {
	if r.dropped.Load() {
		return Buf{}, pgerr.Internal("could not extend relation %s: it was dropped", r.id)
	}
	p := r.p
	i, err := p.victim()
	if err != nil {
		return Buf{}, err
	}
	clear(p.page(i))
	block := r.blocks.Add(1) - 1
	if !p.beginRead(i, r, block) {
		// A scan saw the new size first and has read the block, which is not stored: it is zero there too.
		b, err := r.Pin(block)
		if err == nil {
			_ = b.LockExclusive(nil)
		}
		return b, err
	}
	p.frames[i].state.Add(stExclusive)
	p.endRead(i, pagestore.Meta{}, nil)
	p.frames[i].touch(maxUsage)
	return Buf{p, i}, nil
}

// Unpin gives the pin back. The page may leave the pool; its bytes must not be touched any more.
func (b Buf) Unpin() { b.p.unpin(b.i) }

func (p *Pool) unpin(i uint32) {
	s := p.frames[i].state.Add(^onePin + 1)
	if invariants && s&pinMask == pinMask {
		panic("buffer: unpinned a page that is not pinned")
	}
	if s&stCleanup != 0 && pins(s) == 1 {
		p.wakeCleanup(i)
	}
}

// Repin takes one more pin of a page on which the caller has one.
func (b Buf) Repin() Buf {
	b.p.frames[b.i].state.Add(onePin)
	return b
}

// Page returns the bytes. They may be read under a latch; under a bare pin only as README.md's rules say. Never write to them.
func (b Buf) Page() []byte { return b.p.page(b.i) }

// Block returns the block number.
func (b Buf) Block() uint32 { return b.p.frames[b.i].block }

// Rel returns the relation.
func (b Buf) Rel() *Rel { return b.p.relAt(b.p.frames[b.i].rel) }

// Version returns the number of Applies that changed the page, under a latch: who finds it unchanged later finds the page unchanged, but for hints.
func (b Buf) Version() uint64 { return b.p.frames[b.i].version }

// ID returns the page's id.
func (b Buf) ID() pagestore.PageID {
	r := b.Rel()
	return r.id.Page(r.fork, b.Block())
}

// SetHint ORs bits into the aligned 32-bit word at off, without a log entry: it may be lost, and is not in the store. A share latch suffices.
// Who reads such a word under a share latch uses page.LoadHint32.
func (b Buf) SetHint(off int, mask uint32) { page.OrHint32(b.Page(), off, mask) }
