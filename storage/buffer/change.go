package buffer

import (
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/pagestore"
)

// Folding: after this many deltas, or when they weigh more than half a page, the next change of a page stores an image.
const (
	maxDeltas = 32
	maxWeight = page.Size / 2
)

// Edit returns the page's edit in progress, begun if there is none. The caller has the exclusive latch. It ends with the Apply of a change
// that holds the page, or with Unlock, which undoes it.
func (b Buf) Edit() *page.Edit {
	p := b.p
	if invariants && !b.IsExclusive() {
		panic("buffer: edit without the exclusive latch")
	}
	if e := p.edits[b.i]; e != nil {
		return e
	}
	e := p.editPool.Get().(*page.Edit)
	f := &p.frames[b.i]
	e.Reset(p.page(b.i), f.version == 0 || f.deltas >= maxDeltas || f.weight > maxWeight)
	p.edits[b.i] = e
	return e
}

// Dirty reports an edit that was neither applied nor undone.
func (b Buf) Dirty() bool {
	e := b.p.edits[b.i]
	return e != nil && e.Dirty()
}

// Undo reads the page again from the store when it was edited and not applied. The caller has, and keeps, the exclusive latch.
func (b Buf) Undo() {
	if b.p.edits[b.i] != nil {
		b.p.endEdit(b.i)
	}
}

// endEdit ends the edit of frame i without an Apply.
func (p *Pool) endEdit(i uint32) {
	e := p.edits[i]
	if e.Dirty() {
		f := &p.frames[i]
		r := p.relAt(f.rel)
		m, err := r.store.Read(r.id.Page(r.fork, f.block), p.page(i))
		if err != nil {
			r.store.Die(err) // memory holds what the log does not and can't be put right
		}
		p.setMeta(f, m)
	}
	p.dropEdit(i)
}

func (p *Pool) dropEdit(i uint32) {
	p.editPool.Put(p.edits[i])
	p.edits[i] = nil
}

// Change is what one Apply makes visible and durable as one: edits of latched pages, and small keys (the methods of pagestore.Change:
// Set, Delete, Or, Add, DropRel ...). Get one with Pool.NewChange and Release it. Not for concurrent use.
type Change struct {
	*pagestore.Change
	p    *Pool
	bufs []Buf
	temp *pagestore.Change // pages of temporary relations
}

// NewChange returns an empty change.
func (p *Pool) NewChange() *Change {
	c := p.changePool.Get().(*Change)
	if c.Change == nil {
		c.Change = p.store.NewChange()
	}
	return c
}

// Add names a page that was edited; its exclusive latch is held until after Apply. A page without changes is ignored; adding one twice is harmless.
func (c *Change) Add(b Buf) { c.bufs = append(c.bufs, b) }

// AddCount adds n to the count that is kept with the relation's pages, SetCount sets it.
func (c *Change) AddCount(r *Rel, n int64) { c.target(r).AddCount(r.id, n) }

func (c *Change) SetCount(r *Rel, n int64) { c.target(r).SetCount(r.id, n) }

// Release gives the change back, applied or not.
func (c *Change) Release() {
	c.Reset()
	c.p.changePool.Put(c)
}

// Reset empties the change.
func (c *Change) Reset() {
	clear(c.bufs)
	c.bufs = c.bufs[:0]
	c.Change.Reset()
	if c.temp != nil {
		c.temp.Release()
		c.temp = nil
	}
}

// Apply makes the change visible; it is durable after the store's next Sync. On return the pages in it are as new as the store and still latched,
// and the change is empty. It fails only by ending the process.
func (p *Pool) Apply(c *Change) {
	for _, b := range c.bufs {
		p.logEdit(c, b.i)
	}
	if c.temp != nil {
		c.temp.Store().Apply(c.temp)
	}
	p.store.Apply(c.Change)
	c.Reset()
}

// ApplyPages applies the edits of some pages alone.
func (p *Pool) ApplyPages(bufs ...Buf) {
	c := p.NewChange()
	c.bufs = append(c.bufs, bufs...)
	p.Apply(c)
	c.Release()
}

// logEdit puts the edit of frame i into the change, as a delta or as an image, and ends it. If the store then fails, the process ends.
func (p *Pool) logEdit(c *Change, i uint32) {
	e := p.edits[i]
	if e == nil {
		return
	}
	if !e.Dirty() {
		p.dropEdit(i)
		return
	}
	f := &p.frames[i]
	if invariants && f.state.Load()&stExclusive == 0 {
		panic("buffer: apply without the exclusive latch")
	}
	r := p.relAt(f.rel)
	out, id := c.target(r), r.id.Page(r.fork, f.block)
	f.version++
	if e.IsImage() || int(f.weight)+len(e.Ops()) > maxWeight {
		f.deltas, f.weight = 0, 0
		pg := p.page(i)
		from, to := page.Hole(pg)
		clear(pg[from:to]) // what removed items left there is not worth storing
		out.Image(id, pagestore.Meta{Version: f.version}, pg)
	} else {
		f.deltas++
		f.weight += uint16(len(e.Ops()))
		out.Delta(id, f.version, e.Ops())
	}
	p.dropEdit(i)
}

// target returns the change of the store that the relation lives in.
func (c *Change) target(r *Rel) *pagestore.Change {
	if !r.isTemp {
		return c.Change
	}
	if c.temp == nil {
		c.temp = r.store.NewChange()
	}
	return c.temp
}
