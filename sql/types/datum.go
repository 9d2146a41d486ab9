package types

import (
	"math"
	"unsafe"
)

// OID names a catalog object, as PostgreSQL's Oid.
type OID uint32

// Datum is one value of some SQL type: 16 bytes, no interface, no allocation for by-value types. The type is known from
// outside (a column, an expression), never from the Datum.
//
//	by value:      p == nil, n = the value's bits (bool, int2/4/8, oid, float4/8, "char", date, time, timestamp, timestamptz, enum, xid, cid, tid ...)
//	by reference:  p points to the first of n bytes (p == &noBytes when n == 0)
//	null:          p == &nullMark
//
// The zero Datum is the by-value 0. By-reference bytes are immutable: whoever makes a Datum gives the bytes away. They may point into a
// page buffer only while its pin is held; an operator that keeps a Datum past that copies it (Clone, Arena).
//
// Representation of by-reference types (the payload; a tuple on a page adds the varlena header and alignment):
//
//	text, varchar, bpchar, json, xml, bytea, unknown, cstring, refcursor   the bytes themselves
//	name                                                           the bytes without the NUL padding (at most 63)
//	numeric        PostgreSQL's NumericData payload (n_header, base-10000 digits; see numeric*.go)
//	interval       16 bytes: int64 microseconds, int32 days, int32 months, little endian
//	timetz         12 bytes: int64 microseconds, int32 zone (seconds west)
//	uuid           16 bytes
//	arrays         PostgreSQL's ArrayType payload: int32 ndim, int32 dataoffset (0 = no nulls), uint32 elemtype, dims, lower bounds, bitmap, elements aligned
//	               (element alignment is counted from the start of the payload plus 4, as with a 4-byte varlena header)
//	composite      see record.go: uint32 type oid, int32 typmod, uint32 number of attributes, null bitmap, values as in a tuple
//	bit, varbit    int32 length in bits, then the bytes
//	others         as in PostgreSQL, said in the file of the type
type Datum struct {
	p unsafe.Pointer
	n uint64
}

var (
	nullMark byte
	noBytes  byte
)

// Null is the SQL null.
var Null = Datum{p: unsafe.Pointer(&nullMark)}

// IsNull says whether d is the SQL null.
func (d Datum) IsNull() bool { return d.p == unsafe.Pointer(&nullMark) }

// IsByRef says whether d refers to bytes.
func (d Datum) IsByRef() bool { return d.p != nil && d.p != unsafe.Pointer(&nullMark) }

// Raw gives the bits of a by-value datum, or the length of a by-reference one.
func (d Datum) Raw() uint64 { return d.n }

// FromRaw makes a by-value datum of its bits.
func FromRaw(bits uint64) Datum { return Datum{n: bits} }

func Bool(v bool) Datum {
	if v {
		return Datum{n: 1}
	}
	return Datum{}
}
func Int2(v int16) Datum     { return Datum{n: uint64(int64(v))} }
func Int4(v int32) Datum     { return Datum{n: uint64(int64(v))} }
func Int8(v int64) Datum     { return Datum{n: uint64(v)} }
func Oid(v OID) Datum        { return Datum{n: uint64(v)} }
func Char(v byte) Datum      { return Datum{n: uint64(v)} }
func Float4(v float32) Datum { return Datum{n: uint64(math.Float32bits(v))} }
func Float8(v float64) Datum { return Datum{n: math.Float64bits(v)} }

func (d Datum) Bool() bool      { return d.n != 0 }
func (d Datum) Int2() int16     { return int16(d.n) }
func (d Datum) Int4() int32     { return int32(d.n) }
func (d Datum) Int8() int64     { return int64(d.n) }
func (d Datum) Oid() OID        { return OID(d.n) }
func (d Datum) Char() byte      { return byte(d.n) }
func (d Datum) Float4() float32 { return math.Float32frombits(uint32(d.n)) }
func (d Datum) Float8() float64 { return math.Float64frombits(d.n) }

// Bytes makes a by-reference datum of b, which the caller gives away.
func Bytes(b []byte) Datum {
	if len(b) == 0 {
		return Datum{p: unsafe.Pointer(&noBytes)}
	}
	return Datum{p: unsafe.Pointer(unsafe.SliceData(b)), n: uint64(len(b))}
}

// Text makes a by-reference datum of s without copying.
func Text(s string) Datum {
	if len(s) == 0 {
		return Datum{p: unsafe.Pointer(&noBytes)}
	}
	return Datum{p: unsafe.Pointer(unsafe.StringData(s)), n: uint64(len(s))}
}

// Bytes gives the bytes of a by-reference datum; they must not be changed.
func (d Datum) Bytes() []byte { return unsafe.Slice((*byte)(d.p), int(d.n)) }

// Str gives the bytes of a by-reference datum as a string, without copying: valid as long as the bytes are.
func (d Datum) Str() string { return unsafe.String((*byte)(d.p), int(d.n)) }

// Clone gives a datum whose bytes are its own.
func (d Datum) Clone() Datum {
	if !d.IsByRef() || d.n == 0 {
		return d
	}
	return Bytes(append([]byte(nil), d.Bytes()...))
}

// TID is the place of a heap tuple: block number and 1-based line pointer.
type TID struct {
	Block uint32
	Off   uint16
}

// Datum packs the TID into a by-value datum of type tid.
func (t TID) Datum() Datum { return Datum{n: uint64(t.Block)<<16 | uint64(t.Off)} }

// TID unpacks a datum of type tid.
func (d Datum) TID() TID { return TID{Block: uint32(d.n >> 16), Off: uint16(d.n)} }

// IsValid says whether t can name a tuple: line pointers begin at 1.
func (t TID) IsValid() bool { return t.Off != 0 }

// Less orders TIDs by block, then line pointer.
func (t TID) Less(u TID) bool { return t.Block < u.Block || t.Block == u.Block && t.Off < u.Off }
