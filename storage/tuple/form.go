package tuple

import (
	"encoding/binary"

	"github.com/calfdb/calf/sql/types"
)

const (
	// MaxShortPayload is the longest payload of a 1-byte varlena header.
	MaxShortPayload = 126
	// MaxValue is the longest value of any type: 1 GB less one, as in PostgreSQL.
	MaxValue = 1<<30 - 1
	// ExternalTag is the first byte of an out-of-line pointer.
	ExternalTag = 0x01
)

// HasNulls says whether row needs a null bitmap.
func HasNulls(row types.Row) bool {
	for i := range row {
		if row[i].IsNull() {
			return true
		}
	}
	return false
}

// DataSize is the size of row's data area. stored, if not nil, gives for some columns the stored bytes (varlena header included) to use
// in place of the Datum: a compressed value or an out-of-line pointer.
func (l *Layout) DataSize(row types.Row, stored [][]byte) int {
	off := 0
	for i := range l.cols {
		if row[i].IsNull() {
			continue
		}
		c := &l.cols[i]
		switch {
		case c.length > 0:
			off = align(off, c.alignMask) + int(c.length)
		case c.kind == kindCString:
			off = align(off, c.alignMask) + len(row[i].Bytes()) + 1
		case stored != nil && stored[i] != nil:
			if !unaligned(stored[i][0]) {
				off = align(off, c.alignMask)
			}
			off += len(stored[i])
		case l.packable[i] && row[i].Raw() <= MaxShortPayload:
			off += 1 + int(row[i].Raw())
		default:
			off = align(off, c.alignMask) + 4 + int(row[i].Raw())
		}
	}
	return off
}

// Fill writes row into data, which is zeroed and of DataSize bytes, and its null bitmap (bit set = not null) into bitmap, which is zeroed
// and of BitmapLen bytes, or nil when row has no nulls.
func (l *Layout) Fill(data, bitmap []byte, row types.Row, stored [][]byte) {
	off := 0
	for i := range l.cols {
		d := row[i]
		if d.IsNull() {
			continue
		}
		if bitmap != nil {
			bitmap[i>>3] |= 1 << (i & 7)
		}
		c := &l.cols[i]
		if c.kind != kindVarlena {
			off = align(off, c.alignMask)
			off += putFixed(data[off:], c, d)
			continue
		}
		if stored != nil && stored[i] != nil {
			if !unaligned(stored[i][0]) {
				off = align(off, c.alignMask)
			}
			off += copy(data[off:], stored[i])
			continue
		}
		payload := d.Bytes()
		if l.packable[i] && len(payload) <= MaxShortPayload {
			data[off] = byte(len(payload)+1)<<1 | 1
			off += 1 + copy(data[off+1:], payload)
			continue
		}
		off = align(off, c.alignMask)
		binary.LittleEndian.PutUint32(data[off:], uint32(len(payload)+4)<<2)
		off += 4 + copy(data[off+4:], payload)
	}
}

// putFixed writes everything but varlena and gives the bytes taken.
func putFixed(dst []byte, c *column, d types.Datum) int {
	switch c.kind {
	case kindInt1:
		dst[0] = byte(d.Raw())
	case kindInt2:
		binary.LittleEndian.PutUint16(dst, uint16(d.Raw()))
	case kindInt4, kindUint4:
		binary.LittleEndian.PutUint32(dst, uint32(d.Raw()))
	case kindInt8:
		binary.LittleEndian.PutUint64(dst, d.Raw())
	case kindTID:
		t := d.TID()
		binary.LittleEndian.PutUint16(dst, uint16(t.Block>>16))
		binary.LittleEndian.PutUint16(dst[2:], uint16(t.Block))
		binary.LittleEndian.PutUint16(dst[4:], t.Off)
	case kindCString:
		n := copy(dst, d.Bytes())
		dst[n] = 0
		return n + 1
	case kindName:
		n := copy(dst[:63], d.Bytes())
		clear(dst[n:64])
	default:
		copy(dst[:c.length], d.Bytes())
	}
	return int(c.length)
}

func align(off int, mask uint8) int { return (off + int(mask)) &^ int(mask) }

// unaligned says whether a varlena that begins with header byte b stands at any offset: short and out-of-line ones do.
func unaligned(b byte) bool { return b&1 != 0 }
