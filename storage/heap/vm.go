package heap

import (
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
)

// The visibility map, PostgreSQL's: two bits a heap page, four pages a byte, behind the page header. A set bit promises that all tuples
// of the page are visible to everybody (frozen: that none holds an id that vacuum must see). The bit, and the mark on the heap page, change in
// one Apply. A map page is latched after heap pages and toast pages.
const (
	vmVisible = 1
	vmFrozen  = 2

	vmPerByte = 4
	vmPerPage = (page.Size - page.HeaderSize) * vmPerByte
)

func vmPlace(block uint32) (vmBlock uint32, at int, shift uint) {
	i := block % vmPerPage
	return block / vmPerPage, page.HeaderSize + int(i/vmPerByte), uint(i%vmPerByte) * 2
}

// lockVM pins and latches the map page of a heap block, making it if there is none.
func (r *Relation) lockVM(block uint32) (buffer.Buf, error) {
	vmBlock, _, _ := vmPlace(block)
	for r.vm.NumBlocks() <= vmBlock {
		buf, err := r.vm.Extend()
		if err != nil {
			return buffer.Buf{}, err
		}
		initVM(buf)
		r.e.pool.ApplyPages(buf)
		buf.UnlockUnpin()
	}
	buf, err := r.vm.Pin(vmBlock)
	if err != nil {
		return buffer.Buf{}, err
	}
	_ = buf.LockExclusive(nil)
	if page.IsNew(buf.Page()) {
		initVM(buf)
	}
	return buf, nil
}

// initVM makes a map page. All of it counts as line pointers, so that nothing takes the bits for unused space.
func initVM(buf buffer.Buf) {
	e := buf.Edit()
	page.Init(e, 0)
	e.Put16(page.OffLower, page.Size)
}

// setVM writes the bits of a heap block into its latched map page.
func setVM(vm buffer.Buf, block uint32, bits byte) {
	_, at, shift := vmPlace(block)
	old := vm.Page()[at]
	if b := old&^(3<<shift) | bits<<shift; b != old {
		vm.Edit().Put8(at, b)
	}
}

// vmHold is the map pages that a change has latched: one, or two when it changes two heap pages that are far apart.
type vmHold struct {
	bufs [2]buffer.Buf
	n    int
}

// clearVisible takes the mark of a latched heap page that is about to change off it, and its bits off the map, which stays latched and is in
// c. Of two heap pages the lower one comes first.
func (r *Relation) clearVisible(c change, hold *vmHold, buf buffer.Buf) error {
	p := buf.Page()
	if page.Flags(p)&page.AllVisible == 0 {
		return nil
	}
	vmBlock, _, _ := vmPlace(buf.Block())
	if hold.n == 0 || hold.bufs[hold.n-1].Block() != vmBlock {
		vm, err := r.lockVM(buf.Block())
		if err != nil {
			return err
		}
		hold.bufs[hold.n] = vm
		hold.n++
		c.Add(vm)
	}
	page.SetFlags(buf.Edit(), page.Flags(p)&^page.AllVisible)
	setVM(hold.bufs[hold.n-1], buf.Block(), 0)
	return nil
}

func (h *vmHold) unlock() {
	for _, b := range h.bufs[:h.n] {
		b.UnlockUnpin()
	}
	h.n = 0
}

// VMReader asks the visibility map without going to the pool for each question. Close it to let its pin go.
type VMReader struct {
	buf   buffer.Buf
	block uint32 // of the map
}

// Bits says whether all tuples of a heap block are visible to everybody, and frozen. The answer may be out of date at once; an index-only
// scan that is told "visible" may rely on it, because it took its snapshot before.
func (v *VMReader) Bits(r *Relation, block uint32) (visible, frozen bool, err error) {
	vmBlock, at, shift := vmPlace(block)
	if v.buf.Valid() && v.block != vmBlock {
		v.Close()
	}
	if !v.buf.Valid() {
		if vmBlock >= r.vm.NumBlocks() {
			return false, false, nil
		}
		if v.buf, err = r.vm.Pin(vmBlock); err != nil {
			v.buf = buffer.Buf{}
			return false, false, err
		}
		v.block = vmBlock
	}
	v.buf.LockShared()
	bits := v.buf.Page()[at] >> shift
	v.buf.Unlock()
	return bits&vmVisible != 0, bits&vmFrozen != 0, nil
}

// Close lets the pin go; the reader can be used again.
func (v *VMReader) Close() {
	if v.buf.Valid() {
		v.buf.Unpin()
		v.buf = buffer.Buf{}
	}
}
