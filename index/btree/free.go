package btree

import (
	"sync"

	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/xact"
)

// freePages are pages that were deleted, and from when on each may be used again. They are known in memory only: vacuum finds them again after
// a restart.
type freePages struct {
	mu     sync.Mutex
	blocks []freePage // by safe xid, lowest first
}

type freePage struct {
	block   uint32
	safeXID xact.XID
}

func (f *freePages) add(block uint32, safeXID xact.XID) {
	f.mu.Lock()
	f.blocks = append(f.blocks, freePage{block, safeXID})
	f.mu.Unlock()
}

func (f *freePages) set(blocks []freePage) {
	f.mu.Lock()
	f.blocks = blocks
	f.mu.Unlock()
}

// count gives the number of deleted pages, and of those that may be used again.
func (f *freePages) count(oldest xact.XID) (deleted, free uint32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.blocks {
		if p.safeXID < oldest {
			free++
		}
	}
	return uint32(len(f.blocks)), free
}

// take gives a page that no running transaction can have a way to.
func (f *freePages) take(oldest func() xact.XID) (block uint32, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.blocks) == 0 || f.blocks[0].safeXID >= oldest() {
		return 0, false
	}
	block = f.blocks[0].block
	f.blocks = f.blocks[1:]
	return block, true
}

// newPage gives a page for new contents, pinned and latched exclusively: a deleted one that may be used again, else one at the index's end.
func (ix *Index) newPage(w *work) (buffer.Buf, error) {
	for ix.am.xids != nil {
		block, ok := ix.sh.free.take(ix.am.xids.Horizon)
		if !ok {
			break
		}
		b, err := ix.pin(block)
		if err != nil {
			return buffer.Buf{}, err
		}
		if b.TryLockExclusive() {
			if page.IsNew(b.Page()) || isDeleted(b.Page()) {
				return b, nil
			}
			b.Unlock()
		}
		b.Unpin()
	}
	return ix.sh.rel.Extend()
}
