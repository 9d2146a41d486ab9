package tuple

import "github.com/calfdb/calf/sql/types"

// kind is how a value is stored, by which Form and Deform branch.
type kind uint8

const (
	kindInt1    kind = iota // bool, "char": one byte, zero-extended
	kindInt2                // sign-extended
	kindInt4                // sign-extended (also enum and domains: see signedness)
	kindUint4               // oid, xid, cid, float4, reg*
	kindInt8                // 8 bytes by value
	kindFixed               // by reference, a fixed number of bytes
	kindName                // 64 bytes, NUL padded
	kindTID                 // block high, block low, offset
	kindVarlena             // a length header, then the payload
	kindCString             // bytes up to a NUL
)

// Column is the storage of one column, in 8 bytes.
type column struct {
	off       int32 // offset in the data area when every earlier column is fixed and not null; -1 = it varies
	length    int16 // bytes, -1 varlena, -2 cstring
	alignMask uint8 // alignment - 1
	kind      kind
}

// Layout is a TupleDesc made ready for forming and deforming. It is immutable and shared.
type Layout struct {
	Desc *types.TupleDesc
	cols []column
	// packable says of a varlena column whether the 1-byte header may be used (storage is not plain).
	packable []bool
	// fixedPrefix counts the leading columns with a known offset.
	fixedPrefix int
	hasMissing  bool
	// Toastable: some column may be moved out of line.
	Toastable bool
}

const (
	oidOID     = 26
	tidOID     = 27
	nameOID    = 19
	float4OID  = 700
	xidOID     = 28
	cidOID     = 29
	regprocOID = 24
)

// zeroExtended lists the 4-byte types whose Datum has its upper bits clear. All others, and so domains and enums whose base is not seen
// here, are sign-extended; typed accessors (Oid, Float4) cut the upper bits off, so only Raw can tell the difference.
func zeroExtended(t types.OID) bool {
	switch t {
	case oidOID, xidOID, cidOID, float4OID, regprocOID:
		return true
	case 2202, 2203, 2204, 2205, 2206, 3734, 3769, 4089, 4096, 4191: // regprocedure .. regcollation
		return true
	}
	return false
}

func kindOf(a *types.Attr) kind {
	switch {
	case a.Len == -1:
		return kindVarlena
	case a.Len == -2:
		return kindCString
	case a.TypeOID == tidOID || a.Len == 6 && a.Align == 's':
		return kindTID
	case a.Len == 64 && !a.ByVal && a.Align == 'c':
		return kindName
	case !a.ByVal:
		return kindFixed
	case a.Len == 1:
		return kindInt1
	case a.Len == 2:
		return kindInt2
	case a.Len == 4 && zeroExtended(a.TypeOID):
		return kindUint4
	case a.Len == 4:
		return kindInt4
	case a.Len == 8:
		return kindInt8
	}
	panic("tuple: a by-value type of an unknown size")
}

func alignMask(align byte) uint8 {
	switch align {
	case 's':
		return 1
	case 'i':
		return 3
	case 'd':
		return 7
	}
	return 0
}

// NewLayout compiles desc, which must not change afterwards.
func NewLayout(desc *types.TupleDesc) *Layout {
	l := &Layout{Desc: desc, cols: make([]column, len(desc.Attrs)), packable: make([]bool, len(desc.Attrs))}
	off := 0
	for i := range desc.Attrs {
		a := &desc.Attrs[i]
		c := column{off: -1, length: a.Len, alignMask: alignMask(a.Align), kind: kindOf(a)}
		l.packable[i] = a.Storage != 'p'
		l.hasMissing = l.hasMissing || a.HasMissing
		l.Toastable = l.Toastable || a.Len == -1 && a.Storage != 'p'
		switch {
		case off < 0:
		case c.length > 0:
			off = (off + int(c.alignMask)) &^ int(c.alignMask)
			c.off = int32(off)
			l.fixedPrefix = i + 1
			off += int(c.length)
		case c.length == -1 && off&int(c.alignMask) == 0:
			// The first varlena after fixed columns is at a known place when that place is aligned for either header.
			c.off = int32(off)
			l.fixedPrefix = i + 1
			off = -1
		default:
			off = -1
		}
		l.cols[i] = c
	}
	return l
}

// NumAttrs counts the columns, dropped ones included.
func (l *Layout) NumAttrs() int { return len(l.cols) }

// BitmapLen is the size of a null bitmap for n columns, in bytes.
func BitmapLen(n int) int { return (n + 7) / 8 }

// MaxAlign rounds n up to a multiple of 8.
func MaxAlign(n int) int { return (n + 7) &^ 7 }

// HasVarlen says whether any column is of variable length.
func (l *Layout) HasVarlen() bool {
	for i := range l.cols {
		if l.cols[i].length < 0 {
			return true
		}
	}
	return false
}
