package heap

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/xact"
)

// Loader adds rows to a relation whose storage is new in this transaction, past the pool and the log: pages are filled in private memory and
// become part of the relation, all at once, at Finish (buffer.Bulk). Nobody else may write the relation meanwhile, and it has no index whose
// entries the caller would owe. Wide values go the usual way, before the rows that point at them.
type Loader struct {
	r    *Relation
	s    *Session
	o    InsertOpts
	xid  xact.XID
	cid  xact.CID
	bulk *buffer.Bulk

	page  [page.Size]byte
	edit  page.Edit
	block uint32
	open  bool   // a page is being filled
	first uint32 // block
	next  uint32
}

// NewLoader begins a load behind the relation's present end.
func (r *Relation) NewLoader(s *Session, o InsertOpts) (*Loader, error) {
	xid, err := s.Tx.XID()
	if err != nil {
		return nil, err
	}
	l := &Loader{r: r, s: s, o: o, xid: xid, cid: s.command(o.Command), bulk: r.main.NewBulk()}
	l.first = r.main.NumBlocks()
	l.next = l.first
	return l, nil
}

// Add adds a row, which has all columns of the relation.
func (l *Loader) Add(row types.Row) error {
	h, err := l.r.formToast(l.s, row, nil, l.xid)
	if err != nil {
		return err
	}
	if l.open && !hasRoom(l.page[:], len(h), l.r.reserve()) {
		if err := l.store(); err != nil {
			return err
		}
	}
	if !l.open {
		l.begin()
	}
	_, err = putItem(&l.edit, l.block, h, l.xid, l.cid, l.o.mask(), 0)
	return err
}

// begin opens an empty page.
func (l *Loader) begin() {
	l.block = l.bulk.Next()
	l.next = l.block + 1
	l.open = true
	clear(l.page[:])
	l.edit.Reset(l.page[:], true)
	page.Init(&l.edit, 0)
	if base := baseFor(l.xid); base != 0 {
		l.edit.Put64(page.OffXidBase, base)
	}
	if l.o.Frozen {
		page.SetFlags(&l.edit, page.Flags(l.page[:])|page.AllVisible)
	}
}

// store gives the page that is being filled to the store.
func (l *Loader) store() error {
	l.open = false
	if err := l.r.admit(l.s); err != nil {
		return err
	}
	return l.bulk.Put(l.block, l.page[:])
}

// Finish makes the rows part of the relation. Frozen pages get their marks in the visibility map, so that vacuum has nothing to read.
func (l *Loader) Finish() error {
	if l.open {
		if err := l.store(); err != nil {
			return err
		}
	}
	if err := l.bulk.Finish(); err != nil {
		return err
	}
	if !l.o.Frozen {
		return nil
	}
	for b := l.first; b < l.next; {
		n, err := l.r.markLoaded(b, l.next)
		if err != nil {
			return err
		}
		b = n
	}
	return nil
}

// Abort ends a load that was not finished; after Finish it does nothing.
func (l *Loader) Abort() { l.bulk.Abort() }

// markLoaded marks blocks from from on, below to, as visible to all and frozen: those that share a page of the map. It gives the first block
// that is left.
func (r *Relation) markLoaded(from, to uint32) (uint32, error) {
	vm, err := r.lockVM(from)
	if err != nil {
		return from, err
	}
	defer vm.UnlockUnpin()
	at, _, _ := vmPlace(from)
	b := from
	for ; b < to; b++ {
		if p, _, _ := vmPlace(b); p != at {
			break
		}
		setVM(vm, b, vmVisible|vmFrozen)
	}
	r.e.pool.ApplyPages(vm)
	return b, nil
}
