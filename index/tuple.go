package index

import (
	"encoding/binary"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/tuple"
)

// Tuple is an index tuple, PostgreSQL's IndexTupleData:
//
//	0  t_tid   6 bytes: block high, block low, offset number
//	6  t_info  2 bytes: size (13 bits), then flags
//	8  null bitmap, 4 bytes and padding to 16, when there are nulls
//	   values, aligned to 8
//
// It may alias a page. Every field is read with care not to run out of the slice.
type Tuple []byte

// Bits of t_info.
const (
	SizeMask   = 0x1fff
	AMReserved = 0x2000 // the access method's own use; btree: a pivot tuple
	HasVarlen  = 0x4000
	HasNulls   = 0x8000

	HeaderSize      = 8
	nullsHeaderSize = 16
)

// TID is the row that the entry points at.
func (t Tuple) TID() types.TID {
	return types.TID{
		Block: uint32(binary.LittleEndian.Uint16(t))<<16 | uint32(binary.LittleEndian.Uint16(t[2:])),
		Off:   binary.LittleEndian.Uint16(t[4:]),
	}
}

// SetTID overwrites the row.
func (t Tuple) SetTID(tid types.TID) {
	binary.LittleEndian.PutUint16(t, uint16(tid.Block>>16))
	binary.LittleEndian.PutUint16(t[2:], uint16(tid.Block))
	binary.LittleEndian.PutUint16(t[4:], tid.Off)
}

// Info is t_info.
func (t Tuple) Info() uint16 { return binary.LittleEndian.Uint16(t[6:]) }

// SetInfo overwrites t_info.
func (t Tuple) SetInfo(v uint16) { binary.LittleEndian.PutUint16(t[6:], v) }

// Size is the tuple's length in bytes, a multiple of 8.
func (t Tuple) Size() int { return int(t.Info() & SizeMask) }

// DataOffset is where the values begin.
func (t Tuple) DataOffset() int {
	if t.Info()&HasNulls != 0 {
		return nullsHeaderSize
	}
	return HeaderSize
}

// Stored gives the tuple's parts for tuple.Layout.Deform, for the first natts columns.
func (t Tuple) Stored(natts int) tuple.Stored {
	if t.Info()&HasNulls != 0 {
		return tuple.Stored{Data: t[nullsHeaderSize:], Bitmap: t[HeaderSize : HeaderSize+4], NAtts: natts}
	}
	return tuple.Stored{Data: t[HeaderSize:], NAtts: natts}
}

// AppendTuple appends the entry of a row to dst.
func AppendTuple(dst []byte, l *tuple.Layout, values types.Row, tid types.TID) []byte {
	hasNulls := tuple.HasNulls(values)
	head := HeaderSize
	if hasNulls {
		head = nullsHeaderSize
	}
	size := tuple.MaxAlign(head + l.DataSize(values, nil))
	at := len(dst)
	dst = grow(dst, size)
	t := Tuple(dst[at:])
	t.SetTID(tid)
	info := uint16(size) & SizeMask
	var bitmap []byte
	if hasNulls {
		info |= HasNulls
		bitmap = t[HeaderSize : HeaderSize+4]
	}
	if l.HasVarlen() {
		info |= HasVarlen
	}
	t.SetInfo(info)
	l.Fill(t[head:size], bitmap, values, nil)
	return dst
}

// TupleSize is the size of the entry that AppendTuple would make. It can be larger than SizeMask, then there is no such entry.
func TupleSize(l *tuple.Layout, values types.Row) int {
	head := HeaderSize
	if tuple.HasNulls(values) {
		head = nullsHeaderSize
	}
	return tuple.MaxAlign(head + l.DataSize(values, nil))
}

// grow appends n zero bytes.
func grow(b []byte, n int) []byte {
	if cap(b)-len(b) < n {
		b = append(b, make([]byte, n)...)
		return b
	}
	b = b[:len(b)+n]
	clear(b[len(b)-n:])
	return b
}
