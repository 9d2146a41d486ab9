package heap

import (
	"slices"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/tuple"
	"github.com/calfdb/calf/storage/xact"
)

// Wide values (TOAST). A tuple over toastThreshold has its widest columns compressed, then moved out of line, into a fork of the relation's
// own. The tuple keeps a pointer of tuple.ExternalSize bytes:
//
//	01 tag(1) rawSize(4) storedSize|method<<30 (4) block(4) offset(2) unused(2)
//
// In the fork a value is a chain of chunks, each an item with a tuple header:
//
//	xmin    who stored it; xmax of the first chunk: who dropped the row version that had it
//	t_cid   the chunk's number          t_ctid  the next chunk, or itself at the end
//	infomask2 onlyTuple: not the first
//	data    first chunk's block and offset (6 bytes), then up to chunkPayload bytes
//
// All chunks are stored before the tuple that points at the value. So a crash leaves chunks of an aborted xmin, each of which vacuum takes on
// its own. A dropped value is removed by vacuum behind the horizon, last chunk first: while any is
// there, the first is, and whoever reads compares the number and the first chunk's place, so a slot that was used again is noticed.
//
// An update that keeps the pointer leaves the value alone. One that drops it, and a delete, set xmax of the first chunk in the same Apply.
const (
	chunkHead    = 6
	chunkHoff    = 24
	chunkPayload = 2040 - 8 - chunkHoff - chunkHead // four chunks a page
	toastTag     = 18

	methodPlain = 0 // the only one: values are not compressed
)

// toastPointer is a pointer to a value out of line.
type toastPointer struct {
	rawSize    uint32 // of the value
	storedSize uint32 // of its chunks together
	method     uint8
	tid        types.TID
}

func decodePointer(stored []byte) toastPointer {
	ext := le.Uint32(stored[6:])
	return toastPointer{
		rawSize: le.Uint32(stored[2:]), storedSize: ext & (1<<30 - 1), method: uint8(ext >> 30),
		tid: types.TID{Block: le.Uint32(stored[10:]), Off: le.Uint16(stored[14:])},
	}
}

func (p toastPointer) encode() []byte {
	b := make([]byte, tuple.ExternalSize)
	b[0], b[1] = tuple.ExternalTag, toastTag
	le.PutUint32(b[2:], p.rawSize)
	le.PutUint32(b[6:], p.storedSize|uint32(p.method)<<30)
	le.PutUint32(b[10:], p.tid.Block)
	le.PutUint16(b[14:], p.tid.Off)
	return b
}

// Detoast gives the payload of a compressed or out-of-line value. It makes Relation a tuple.Detoaster.
func (r *Relation) Detoast(stored []byte) ([]byte, error) {
	if stored[0] == tuple.ExternalTag {
		if p := decodePointer(stored); p.method == methodPlain {
			return r.readValue(p)
		}
	}
	return nil, pgerr.New(pgerr.DataCorrupted, "invalid compression method in relation %q", r.Name)
}

// readValue puts the chunks of a value together.
func (r *Relation) readValue(p toastPointer) ([]byte, error) {
	b := make([]byte, 0, p.storedSize)
	tid := p.tid
	for n := uint32(0); ; n++ {
		if tid.Block >= r.toast.NumBlocks() {
			return nil, r.errChunk(p, n)
		}
		buf, err := r.toast.Pin(tid.Block)
		if err != nil {
			return nil, err
		}
		buf.LockShared()
		h, ok := chunkAt(buf.Page(), tid.Off, p.tid, n)
		if ok {
			b = append(b, h[chunkHoff+chunkHead:]...)
		}
		var next types.TID
		if ok {
			next = h.ctid()
		}
		buf.UnlockUnpin()
		switch {
		case !ok || len(b) > int(p.storedSize) || next == tid && len(b) != int(p.storedSize):
			return nil, r.errChunk(p, n)
		case next == tid:
			return b, nil
		}
		tid = next
	}
}

// chunkAt gives chunk number n of the value that begins at first, on a latched page.
func chunkAt(p []byte, off uint16, first types.TID, n uint32) (header, bool) {
	id, ok := normalItem(p, off)
	if !ok || id.Len() < chunkHoff+chunkHead {
		return nil, false
	}
	h := header(page.ItemBytes(p, id))
	return h, le.Uint32(h[offCID:]) == n && chunkFirst(h) == first
}

// chunkFirst is the place of the value's first chunk.
func chunkFirst(h header) types.TID {
	return types.TID{Block: le.Uint32(h[chunkHoff:]), Off: le.Uint16(h[chunkHoff+4:])}
}

func (r *Relation) errChunk(p toastPointer, n uint32) error {
	return pgerr.New(pgerr.DataCorrupted, "missing chunk number %d for toast value (%d,%d) in relation %q", n, p.tid.Block, p.tid.Off, r.Name)
}

// storeValue writes a value out of line and gives its pointer. It holds no latch on entry and on exit.
//
// The first chunk is written first, because the others name its place; then the rest from the last one on, because each names its next; then the
// first one is made to point at the second.
func (r *Relation) storeValue(s *Session, payload []byte, xid xact.XID) (stored []byte, err error) {
	n := max(1, (len(payload)+chunkPayload-1)/chunkPayload)
	w := chunkWriter{r: r, s: s, xid: xid}
	first, err := w.add(payload[:min(len(payload), chunkPayload)], 0, types.TID{}, types.TID{})
	if err != nil {
		return nil, err
	}
	next := types.TID{}
	for i := n - 1; i > 0; i-- {
		from := i * chunkPayload
		if next, err = w.add(payload[from:min(len(payload), from+chunkPayload)], uint32(i), next, first); err != nil {
			return nil, err
		}
	}
	if next.IsValid() {
		if err := r.linkFirst(s, first, next); err != nil {
			return nil, err
		}
	}
	p := toastPointer{rawSize: uint32(len(payload)), storedSize: uint32(len(payload)), method: methodPlain, tid: first}
	s.newValues = append(s.newValues, p)
	return p.encode(), nil
}

type chunkWriter struct {
	r   *Relation
	s   *Session
	xid xact.XID
	buf []byte
}

// add puts one chunk somewhere in the fork. A zero next or first means the chunk itself.
func (w *chunkWriter) add(payload []byte, n uint32, next, first types.TID) (tid types.TID, err error) {
	r := w.r
	size := chunkHoff + chunkHead + len(payload)
	buf, err := r.toastPageWithRoom(w.s, w.xid, size)
	if err != nil {
		return tid, err
	}
	defer buf.UnlockUnpin()
	w.buf = slices.Grow(w.buf[:0], size)[:size]
	h := header(w.buf)
	clear(h[:chunkHoff+chunkHead])
	copy(h[chunkHoff+chunkHead:], payload)
	p := buf.Page()
	tid = types.TID{Block: buf.Block(), Off: nextOffset(p)}
	if !next.IsValid() {
		next = tid
	}
	mask2 := uint16(onlyTuple)
	if !first.IsValid() {
		first, mask2 = tid, 0
	}
	le.PutUint32(h[chunkHoff:], first.Block)
	le.PutUint16(h[chunkHoff+4:], first.Off)
	h[offHoff] = chunkHoff
	h.stamp(page.XidBase(p), w.xid, xact.CID(n), next, xmaxInvalid, mask2)
	off, err := page.AddItem(buf.Edit(), h, tid.Off, page.AddOverwrite|page.AddHeap)
	if err != nil {
		return tid, err
	}
	if off != tid.Off {
		panic("heap: a chunk does not fit the page that was chosen for it")
	}
	r.e.pool.ApplyPages(buf)
	r.room.set(buf.Block(), page.HeapFreeSpace(p))
	return tid, nil
}

// linkFirst lets the first chunk point at the second.
func (r *Relation) linkFirst(s *Session, first, second types.TID) error {
	buf, err := r.toast.Pin(first.Block)
	if err != nil {
		return err
	}
	defer buf.Unpin()
	if err := buf.LockExclusive(s.Cancel); err != nil {
		return err
	}
	defer buf.Unlock()
	id, ok := normalItem(buf.Page(), first.Off)
	if !ok {
		return r.errChunk(toastPointer{tid: first}, 0)
	}
	var b [6]byte
	putCTID(b[:], second)
	buf.Edit().Patch(id.Off()+offCTID, b[:])
	r.e.pool.ApplyPages(buf)
	return nil
}

// toastPageWithRoom gives a page of the toast fork with room for an item, pinned and exclusively latched.
func (r *Relation) toastPageWithRoom(s *Session, xid xact.XID, size int) (buffer.Buf, error) {
	for {
		block, ok := r.room.find(tupleSpace(size) + page.ItemIDSize)
		if !ok || block >= r.toast.NumBlocks() {
			return r.newPage(s, r.toast, xid)
		}
		buf, err := r.toast.Pin(block)
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
		if hasRoom(buf.Page(), size, 0) {
			return buf, nil
		}
		r.room.set(block, 0)
		buf.UnlockUnpin()
	}
}

// toastHold is the latched toast pages of values that a change drops.
type toastHold struct{ bufs []buffer.Buf }

func (t *toastHold) unlock() {
	for _, b := range t.bufs {
		b.UnlockUnpin()
	}
	t.bufs = nil
}

// pointers lists the out-of-line values of a tuple.
func (r *Relation) pointers(h header) (ps []toastPointer) {
	if h.infomask()&hasExternal == 0 {
		return nil
	}
	st := h.stored()
	for i := range r.Layout.NumAttrs() {
		if r.Layout.Desc.Attrs[i].Len != -1 {
			continue
		}
		if b, ok := r.Layout.Locate(&st, i); ok && b[0] == tuple.ExternalTag {
			ps = append(ps, decodePointer(b))
		}
	}
	return ps
}

// dropToast marks the values that old has out of line, and that next (nil = nothing follows) does not have, as dropped by xid. Their pages
// stay latched and are in c. The heap pages are latched already.
func (r *Relation) dropToast(c change, hold *toastHold, old, next header, xid xact.XID) error {
	if old.infomask()&hasExternal == 0 {
		return nil
	}
	gone := r.pointers(old)
	if next != nil {
		kept := r.pointers(next)
		gone = slices.DeleteFunc(gone, func(p toastPointer) bool { return slices.Contains(kept, p) })
	}
	slices.SortFunc(gone, func(a, b toastPointer) int { return int(int64(a.tid.Block) - int64(b.tid.Block)) })
	for _, p := range gone {
		buf, err := r.holdToast(c, hold, p)
		if err != nil {
			return err
		}
		if err := r.readyPage(buf, xid); err != nil {
			return err
		}
		if err := r.markDropped(buf, p, xid); err != nil {
			return err
		}
	}
	return nil
}

// markDropped sets xmax of a value's first chunk, on its latched page.
func (r *Relation) markDropped(buf buffer.Buf, p toastPointer, xid xact.XID) error {
	id, ok := normalItem(buf.Page(), p.tid.Off)
	if !ok {
		return r.errChunk(p, 0)
	}
	h := header(page.ItemBytes(buf.Page(), id))
	e := buf.Edit()
	e.Put32(id.Off()+offXmax, rawXID(page.XidBase(buf.Page()), xid))
	e.Put16(id.Off()+offInfomask, h.infomask()&^xmaxBits)
	return nil
}

// holdToast latches the page of a value's first chunk, unless it is the one latched last: they come in block order.
func (r *Relation) holdToast(c change, hold *toastHold, p toastPointer) (buffer.Buf, error) {
	if n := len(hold.bufs); n > 0 && hold.bufs[n-1].Block() == p.tid.Block {
		return hold.bufs[n-1], nil
	}
	if p.tid.Block >= r.toast.NumBlocks() {
		return buffer.Buf{}, r.errChunk(p, 0)
	}
	buf, err := r.toast.Pin(p.tid.Block)
	if err != nil {
		return buffer.Buf{}, err
	}
	_ = buf.LockExclusive(nil)
	hold.bufs = append(hold.bufs, buf)
	c.Add(buf)
	return buf, nil
}

// killToast takes the out-of-line values back that were stored for a new version that came to nothing, though its transaction may commit.
func (r *Relation) killToast(s *Session) {
	for _, p := range s.newValues {
		r.killValue(s, p)
	}
}

// killValue marks a value of this transaction as dropped by it.
func (r *Relation) killValue(s *Session, p toastPointer) {
	buf, err := r.toast.Pin(p.tid.Block)
	if err != nil {
		return // what is left behind is space
	}
	defer buf.Unpin()
	_ = buf.LockExclusive(nil)
	defer buf.Unlock()
	h, ok := chunkAt(buf.Page(), p.tid.Off, p.tid, 0)
	if !ok || !s.Tx.IsCurrent(h.xmin(page.XidBase(buf.Page()))) {
		return
	}
	id, _ := normalItem(buf.Page(), p.tid.Off)
	e := buf.Edit()
	e.Put32(id.Off()+offXmax, h.rawXmin())
	e.Put16(id.Off()+offInfomask, h.infomask()&^xmaxBits)
	r.e.pool.ApplyPages(buf)
}
