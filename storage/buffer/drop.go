package buffer

import (
	"runtime"

	"github.com/calfdb/calf/storage/pagestore"
)

// Forget drops the frames and handles of a relation whose pages were deleted by an Apply (Change.DropRel). Nobody uses the relation any more:
// the caller has its AccessExclusive lock or created it in this transaction.
func (p *Pool) Forget(id pagestore.RelID) {
	for fork := range uint8(4) {
		p.mu.Lock()
		r := p.byKey[relKey{id, fork}]
		delete(p.byKey, relKey{id, fork})
		p.mu.Unlock()
		if r != nil {
			p.retire(r)
		}
	}
}

// ForgetDB is Forget for all relations of a database.
func (p *Pool) ForgetDB(db uint32) {
	p.mu.Lock()
	var gone []*Rel
	for key, r := range p.byKey {
		if key.id.DB == db {
			gone = append(gone, r)
			delete(p.byKey, key)
		}
	}
	p.mu.Unlock()
	for _, r := range gone {
		p.retire(r)
	}
}

// retire empties a handle that is no longer in byKey and frees its number.
func (p *Pool) retire(r *Rel) {
	r.dropped.Store(true)
	r.dropFrames(0, r.blocks.Load())
	p.mu.Lock()
	(*p.rels.Load())[r.index].Store(nil)
	p.freeRel = append(p.freeRel, r.index)
	p.mu.Unlock()
}

// DropTemp deletes a temporary relation: its pages and frames.
func (p *Pool) DropTemp(id pagestore.RelID) error {
	s, err := p.store.Temp()
	if err != nil {
		return err
	}
	c := s.NewChange()
	defer c.Release()
	if err := c.DropRel(id); err != nil {
		return err
	}
	s.Apply(c)
	p.Forget(id)
	return nil
}

// Truncate shortens the relation to n blocks: it adds the deletion to the change, applies it, and drops the frames. The caller has the
// relation's AccessExclusive lock.
func (r *Rel) Truncate(c *Change, n uint32) {
	old := r.blocks.Load()
	if n >= old {
		r.p.Apply(c)
		return
	}
	c.target(r).Truncate(r.id, r.fork, n, old)
	r.p.Apply(c)
	r.dropFrames(n, old)
	r.blocks.Store(n)
}

// dropFrames unmaps the blocks in [from, to), waiting out pins of the moment.
func (r *Rel) dropFrames(from, to uint32) {
	for b := from; b < to; b++ {
		slot := r.lookup(b)
		if slot == nil {
			continue
		}
		for i := slot.Load(); i != 0; i = slot.Load() {
			if r.p.tryEvict(i-1, maxUsage) {
				r.p.release(i - 1)
			} else {
				runtime.Gosched()
			}
		}
	}
}
