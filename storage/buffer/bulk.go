package buffer

import "github.com/calfdb/calf/storage/pagestore"

// Bulk fills a relation that nobody else uses yet, past the pool: for index builds and relations new in this transaction.
type Bulk struct {
	r    *Rel
	b    *pagestore.Bulk
	next uint32
}

// NewBulk begins a bulk load behind the relation's present end.
func (r *Rel) NewBulk() *Bulk {
	return &Bulk{r: r, b: r.store.NewBulk(r.id, r.fork), next: r.blocks.Load()}
}

// Next returns the number of a new block, which is given to Put later, in any order; ascending is cheapest.
func (b *Bulk) Next() uint32 {
	b.next++
	return b.next - 1
}

// Put stores the page of a block, once a block.
func (b *Bulk) Put(block uint32, p []byte) error { return b.b.Add(block, p) }

// Finish makes the pages readable and part of the relation.
func (b *Bulk) Finish() error {
	if err := b.b.Finish(); err != nil {
		return err
	}
	b.r.blocks.Store(b.next)
	return nil
}

// Abort ends a load that was not finished; after Finish it does nothing.
func (b *Bulk) Abort() { b.b.Abort() }
