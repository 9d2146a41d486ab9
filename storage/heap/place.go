package heap

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/xact"
)

// Where a new tuple goes: the page that the session used last, one that the free space map knows, the last page, a new page.

// change is a buffer.Change that a session uses again and again.
type change = *buffer.Change

const targetCount = 8

// insertTarget remembers the page that a session inserts into: of several relations, so that a transaction that writes some does not lose
// its places.
type insertTarget struct {
	state *relState
	block uint32
}

func (s *Session) target(st *relState) (block uint32, ok bool) {
	for i := range s.targets {
		if s.targets[i].state == st {
			return s.targets[i].block, true
		}
	}
	return 0, false
}

func (s *Session) setTarget(st *relState, block uint32) {
	for i := range s.targets {
		if s.targets[i].state == st {
			s.targets[i].block = block
			return
		}
	}
	s.targets[s.nextTarget%targetCount] = insertTarget{st, block}
	s.nextTarget++
}

// newPage adds a page to the relation, pinned and exclusively latched. It is empty and not yet stored.
func (r *Relation) newPage(s *Session, rel *buffer.Rel, xid xact.XID) (buffer.Buf, error) {
	buf, err := rel.Extend()
	if err != nil {
		return buffer.Buf{}, err
	}
	initPage(buf, xid)
	return buf, nil
}

func initPage(buf buffer.Buf, xid xact.XID) {
	e := buf.Edit()
	page.Init(e, 0)
	if base := baseFor(xid); base != 0 {
		e.Put64(page.OffXidBase, base)
	}
}

// readyPage makes a latched page able to take a tuple of xid: one that a crash left empty is made a heap page, one whose base is too far
// away is rebased.
func (r *Relation) readyPage(buf buffer.Buf, xid xact.XID) error {
	if page.IsNew(buf.Page()) {
		initPage(buf, xid)
		return nil
	}
	return r.fitXID(buf, xid)
}

// pageWithRoom gives a page of the main fork with room for a tuple of size bytes, pinned and exclusively latched. It holds no other latch.
func (r *Relation) pageWithRoom(s *Session, xid xact.XID, size int) (buffer.Buf, error) {
	need := tupleSpace(size) + r.reserve()
	block, ok := s.target(r.relState)
	if !ok {
		block, ok = r.firstTarget(need)
	}
	for ok && block < r.main.NumBlocks() {
		buf, err := r.main.Pin(block)
		if err != nil {
			return buffer.Buf{}, err
		}
		if err := buf.LockExclusive(s.Cancel); err != nil {
			buf.Unpin()
			return buffer.Buf{}, err
		}
		if err := r.readyPage(buf, xid); err != nil {
			buf.UnlockUnpin()
			return buffer.Buf{}, err
		}
		if hasRoom(buf.Page(), size, r.reserve()) {
			s.setTarget(r.relState, block)
			return buf, nil
		}
		r.free.set(block, page.HeapFreeSpace(buf.Page()))
		buf.UnlockUnpin()
		block, ok = r.free.find(need)
	}
	buf, err := r.newPage(s, r.main, xid)
	if err == nil {
		s.setTarget(r.relState, buf.Block())
	}
	return buf, err
}

// firstTarget is where a session begins that has not inserted here before.
func (r *Relation) firstTarget(need int) (block uint32, ok bool) {
	if block, ok := r.free.find(need); ok {
		return block, true
	}
	n := r.main.NumBlocks()
	return n - 1, n > 0
}

// tupleSpace is what a tuple takes of a page, without its line pointer.
func tupleSpace(size int) int { return page.Align(size) }

// hasRoom says whether a tuple of size bytes goes on the page and leaves reserve bytes free; an empty page takes any that fits.
func hasRoom(p []byte, size, reserve int) bool {
	free := page.HeapFreeSpace(p)
	need := tupleSpace(size)
	return free >= need+reserve || free >= need && page.IsEmpty(p)
}

// nextOffset is where page.AddItem would put the next item.
func nextOffset(p []byte) uint16 {
	n := page.MaxOffset(p)
	if page.Flags(p)&page.HasFreeLines != 0 {
		for off := uint16(1); off <= n; off++ {
			if id := page.Item(p, off); !id.Used() && !id.HasStorage() {
				return off
			}
		}
	}
	return n + 1
}

// put adds the formed tuple h of (xid, cid) to the latched page, which has room, and gives its place.
func put(buf buffer.Buf, h header, xid xact.XID, cid xact.CID, mask, mask2 uint16) (types.TID, error) {
	return putItem(buf.Edit(), buf.Block(), h, xid, cid, mask, mask2)
}

// putItem is put for a page that is block of its relation.
func putItem(e *page.Edit, block uint32, h header, xid xact.XID, cid xact.CID, mask, mask2 uint16) (types.TID, error) {
	p := e.Page()
	tid := types.TID{Block: block, Off: nextOffset(p)}
	h.stamp(page.XidBase(p), xid, cid, tid, mask, mask2)
	off, err := page.AddItem(e, h, tid.Off, page.AddOverwrite|page.AddHeap)
	if err != nil {
		return types.TID{}, err
	}
	if off != tid.Off {
		panic("heap: a tuple does not fit the page that was chosen for it")
	}
	return tid, nil
}

// admit is called before the first latch of a change.
func (r *Relation) admit(s *Session) error {
	if r.Temp {
		return nil
	}
	return r.e.pool.Store().Admit(s.Cancel, false)
}

func (s *Session) change(e *Engine) change {
	if s.scratch == nil {
		s.scratch = e.pool.NewChange()
	}
	return s.scratch
}
