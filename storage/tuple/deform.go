package tuple

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unsafe"

	"github.com/calfdb/calf/sql/types"
)

// Detoaster gives the payload of a compressed or out-of-line value. stored is the varlena with its header.
type Detoaster interface {
	Detoast(stored []byte) ([]byte, error)
}

// State is how far a tuple has been deformed. The zero State is the beginning.
type State struct {
	Att int32 // columns that are in the row
	off int32 // offset of the next one in the data area
}

// Stored is a tuple's data area, its null bitmap (nil when it has no nulls) and the number of columns that were there when it was formed.
type Stored struct {
	Data   []byte
	Bitmap []byte
	NAtts  int
}

var errNoDetoaster = errors.New("tuple: a compressed or out-of-line value where none is expected")

// Deform puts columns st.Att up to upto (not included) into row. By-reference datums point into t.Data, or are what dt gave.
// Columns beyond t.NAtts are their missing values or null. A failed Deform leaves st where it was.
func (l *Layout) Deform(t *Stored, row types.Row, st *State, upto int, dt Detoaster) error {
	i, off := int(st.Att), int(st.off)
	n := min(upto, t.NAtts, len(l.cols))
	if len(t.Bitmap) == 0 {
		m := min(n, l.fixedPrefix)
		for ; i < m; i++ {
			c := &l.cols[i]
			off = int(c.off)
			d, size, err := get(t.Data[off:], c, dt)
			if err != nil {
				return err
			}
			row[i] = d
			off += size
		}
	}
	for ; i < n; i++ {
		if len(t.Bitmap) != 0 && t.Bitmap[i>>3]&(1<<(i&7)) == 0 {
			row[i] = types.Null
			continue
		}
		c := &l.cols[i]
		off = c.start(t.Data, off)
		d, size, err := get(t.Data[off:], c, dt)
		if err != nil {
			return err
		}
		row[i] = d
		off += size
	}
	for ; i < upto; i++ {
		row[i] = l.missing(i)
	}
	st.Att, st.off = int32(max(i, int(st.Att))), int32(off)
	return nil
}

// Locate gives the stored bytes of column i (0-based), varlena header included and padding left out. ok is false when it is null or
// was not there when the tuple was formed.
func (l *Layout) Locate(t *Stored, i int) (stored []byte, ok bool) {
	if i >= t.NAtts || len(t.Bitmap) != 0 && t.Bitmap[i>>3]&(1<<(i&7)) == 0 {
		return nil, false
	}
	if len(t.Bitmap) == 0 && i < l.fixedPrefix {
		c := &l.cols[i]
		off := int(c.off)
		return t.Data[off : off+c.size(t.Data[off:])], true
	}
	off := 0
	for j := 0; ; j++ {
		if len(t.Bitmap) != 0 && t.Bitmap[j>>3]&(1<<(j&7)) == 0 {
			continue
		}
		c := &l.cols[j]
		off = c.start(t.Data, off)
		size := c.size(t.Data[off:])
		if j == i {
			return t.Data[off : off+size], true
		}
		off += size
	}
}

// missing is the value of a column that was added after the tuple was formed.
func (l *Layout) missing(i int) types.Datum {
	if l.hasMissing && i < len(l.cols) && l.Desc.Attrs[i].HasMissing {
		return l.Desc.Attrs[i].Missing
	}
	return types.Null
}

// start is where the column's value begins, given the end of the one before. A varlena whose byte at off is not zero is a short one that
// is not aligned, or stands at an aligned place already: padding is always zero.
func (c *column) start(data []byte, off int) int {
	if c.kind == kindVarlena && data[off] != 0 {
		return off
	}
	return align(off, c.alignMask)
}

// size is the stored size of the value that begins at b, header included.
func (c *column) size(b []byte) int {
	switch c.kind {
	case kindVarlena:
		return StoredSize(b)
	case kindCString:
		return bytes.IndexByte(b, 0) + 1
	}
	return int(c.length)
}

// StoredSize is the size of the varlena that begins at b, header included.
func StoredSize(b []byte) int {
	switch {
	case b[0] == ExternalTag:
		return ExternalSize
	case b[0]&1 != 0:
		return int(b[0] >> 1)
	}
	return int(binary.LittleEndian.Uint32(b) >> 2)
}

// ExternalSize is the size of an out-of-line pointer in a tuple, header and tag included, as PostgreSQL's: TOAST thresholds count on it.
const ExternalSize = 18

// IsPlain says whether the varlena that begins with header byte b carries its payload as it is.
func IsPlain(b byte) bool { return b != ExternalTag && (b&1 != 0 || b&3 == 0) }

// Payload gives the bytes of a plain varlena.
func Payload(stored []byte) []byte {
	if stored[0]&1 != 0 {
		return stored[1:]
	}
	return stored[4:]
}

// get reads the value that begins at b.
func get(b []byte, c *column, dt Detoaster) (d types.Datum, size int, err error) {
	switch c.kind {
	case kindInt4:
		return types.Int4(int32(binary.LittleEndian.Uint32(b))), 4, nil
	case kindInt8:
		return types.FromRaw(binary.LittleEndian.Uint64(b)), 8, nil
	case kindVarlena:
		return getVarlena(b, dt)
	case kindUint4:
		return types.FromRaw(uint64(binary.LittleEndian.Uint32(b))), 4, nil
	case kindInt2:
		return types.Int2(int16(binary.LittleEndian.Uint16(b))), 2, nil
	case kindInt1:
		return types.FromRaw(uint64(b[0])), 1, nil
	case kindName:
		n := bytes.IndexByte(b[:64], 0)
		if n < 0 {
			n = 64
		}
		return types.Bytes(b[:n:n]), 64, nil
	case kindTID:
		block := uint32(binary.LittleEndian.Uint16(b))<<16 | uint32(binary.LittleEndian.Uint16(b[2:]))
		return types.TID{Block: block, Off: binary.LittleEndian.Uint16(b[4:])}.Datum(), 6, nil
	case kindCString:
		n := bytes.IndexByte(b, 0)
		return types.Bytes(b[:n:n]), n + 1, nil
	}
	n := int(c.length)
	return types.Bytes(b[:n:n]), n, nil
}

func getVarlena(b []byte, dt Detoaster) (d types.Datum, size int, err error) {
	if b[0]&1 != 0 && b[0] != ExternalTag {
		size = int(b[0] >> 1)
		return types.Bytes(b[1:size:size]), size, nil
	}
	size = StoredSize(b)
	if b[0]&3 == 0 {
		return types.Bytes(b[4:size:size]), size, nil
	}
	if dt == nil {
		return d, 0, errNoDetoaster
	}
	p, err := dt.Detoast(b[:size:size])
	return types.Bytes(p), size, err
}

// PointsInto says whether d's bytes lie within b: whether it must be cloned before b's pin is given up.
func PointsInto(d types.Datum, b []byte) bool {
	if !d.IsByRef() || len(b) == 0 {
		return false
	}
	p := uintptr(unsafe.Pointer(unsafe.SliceData(d.Bytes())))
	lo := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return p >= lo && p < lo+uintptr(len(b))
}
