package page

// Edit changes one page and records the changes. It belongs to whoever holds the page's exclusive latch, from the first change until
// the page store took the recorded program (or the page was read again from the store).
//
// When the program grows past MaxDelta, or Image was called, it is dropped and the whole page is logged instead; the methods go on
// changing memory alike.
type Edit struct {
	p     []byte
	ops   []byte
	image bool
	dirty bool

	lastPatch int // offset in ops of the last operation when it is a PATCH, else -1
}

// MaxDelta is the longest program of a delta in bytes; beyond it an image is cheaper to store and to read.
const MaxDelta = Size / 2

// Operations: the two high bits of a program's little-endian uint16, the offset in the low 14 bits.
const (
	opPatch = 0 << 14
	opMove  = 1 << 14
	opFill  = 2 << 14
	opMask  = 3 << 14
)

// Reset points the Edit at a page with an empty program. image = the stored page has no base that a delta could be laid on.
func (e *Edit) Reset(p []byte, image bool) {
	e.p, e.ops, e.image, e.dirty, e.lastPatch = p[:Size:Size], e.ops[:0], image, false, -1
}

// Page returns the page as changed so far. Read only.
func (e *Edit) Page() []byte { return e.p }

// Dirty reports whether anything was changed.
func (e *Edit) Dirty() bool { return e.dirty }

// IsImage reports that the whole page is to be logged.
func (e *Edit) IsImage() bool { return e.image }

// Ops returns the recorded program, meaningless when IsImage.
func (e *Edit) Ops() []byte { return e.ops }

// Image asks for the whole page to be logged, for changes that touch most of it.
func (e *Edit) Image() { e.image, e.dirty = true, true }

// Replace overwrites the whole page and logs an image.
func (e *Edit) Replace(p []byte) {
	copy(e.p, p[:Size])
	e.Image()
}

// Patch overwrites bytes at off.
func (e *Edit) Patch(off int, b []byte) {
	if len(b) == 0 {
		return
	}
	copy(e.p[off:off+len(b)], b)
	if !e.record(4 + len(b)) {
		return
	}
	if l := e.lastPatch; l >= 0 {
		o, n := int(le.Uint16(e.ops[l:])), int(le.Uint16(e.ops[l+2:]))
		if o+n == off { // the patch before ends here: one longer patch
			le.PutUint16(e.ops[l+2:], uint16(n+len(b)))
			e.ops = append(e.ops, b...)
			return
		}
	}
	e.lastPatch = len(e.ops)
	e.ops = le.AppendUint16(e.ops, uint16(opPatch|off))
	e.ops = le.AppendUint16(e.ops, uint16(len(b)))
	e.ops = append(e.ops, b...)
}

// Put8 overwrites one byte.
func (e *Edit) Put8(off int, v uint8) {
	b := [1]byte{v}
	e.Patch(off, b[:])
}

// Put16 overwrites a little-endian uint16.
func (e *Edit) Put16(off int, v uint16) {
	var b [2]byte
	le.PutUint16(b[:], v)
	e.Patch(off, b[:])
}

// Put32 overwrites a little-endian uint32.
func (e *Edit) Put32(off int, v uint32) {
	var b [4]byte
	le.PutUint32(b[:], v)
	e.Patch(off, b[:])
}

// Put64 overwrites a little-endian uint64.
func (e *Edit) Put64(off int, v uint64) {
	var b [8]byte
	le.PutUint64(b[:], v)
	e.Patch(off, b[:])
}

// PutItem overwrites line pointer off.
func (e *Edit) PutItem(off uint16, id ItemID) { e.Put32(ItemOffset(off), uint32(id)) }

// Move copies n bytes from src to dst; they may overlap.
func (e *Edit) Move(dst, src, n int) {
	if n == 0 || dst == src {
		return
	}
	copy(e.p[dst:dst+n], e.p[src:src+n])
	if !e.record(6) {
		return
	}
	e.lastPatch = -1
	e.ops = le.AppendUint16(e.ops, uint16(opMove|dst))
	e.ops = le.AppendUint16(e.ops, uint16(src))
	e.ops = le.AppendUint16(e.ops, uint16(n))
}

// Fill sets n bytes at off to b.
func (e *Edit) Fill(off, n int, b byte) {
	if n == 0 {
		return
	}
	fill(e.p[off:off+n], b)
	if !e.record(5) {
		return
	}
	e.lastPatch = -1
	e.ops = le.AppendUint16(e.ops, uint16(opFill|off))
	e.ops = le.AppendUint16(e.ops, uint16(n))
	e.ops = append(e.ops, b)
}

// record notes a change and reports whether its operation of at most n bytes is to be appended.
func (e *Edit) record(n int) bool {
	e.dirty = true
	if e.image {
		return false
	}
	if len(e.ops)+n > MaxDelta {
		e.image = true
		return false
	}
	return true
}

func fill(b []byte, v byte) {
	if v == 0 {
		clear(b)
		return
	}
	for i := range b {
		b[i] = v
	}
}
