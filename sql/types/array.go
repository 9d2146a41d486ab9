package types

import (
	"encoding/binary"

	"github.com/calfdb/calf/sql/pgerr"
)

// Arrays are PostgreSQL's ArrayType without its varlena header:
//
//	0   int32  ndim
//	4   int32  dataoffset: 0 = no nulls, else where the data begins, counted with the 4 bytes of a varlena header
//	8   uint32 element type
//	12  int32  dims[ndim], then int32 lower bounds[ndim]
//	    null bitmap, when dataoffset is not 0: bit set = not null
//	    elements in row-major order, each aligned; a varlena element has its 4-byte header
//
// Alignment counts from 4 bytes before the payload, where the varlena header stands on a page.
const (
	arrayHeader  = 12
	varHeader    = 4
	arrayDimsMax = 6
	// arrayElemsMax is PostgreSQL's MaxArraySize for 8-byte datums.
	arrayElemsMax = (1<<30 - 1) / 8
)

// OptionalInt is an array bound that may be left out.
type OptionalInt struct {
	Value int32
	Set   bool
}

// Array is an array taken apart.
type Array struct {
	Dims   []int32
	Lower  []int32 // lower bounds, one a dimension
	Elems  []Datum // row-major; by-reference ones point into the array's bytes
	ElemID OID
}

// arrayHead reads the dimensions and where bitmap and data begin.
func arrayHead(b []byte) (ndim, count int, bitmap, data []byte) {
	ndim = int(int32(binary.LittleEndian.Uint32(b)))
	off := int(int32(binary.LittleEndian.Uint32(b[4:])))
	if ndim > 0 {
		count = 1
		for i := 0; i < ndim; i++ {
			count *= int(arrayDim(b, i))
		}
	}
	head := arrayHeader + 8*ndim
	if off == 0 {
		return ndim, count, nil, b[alignUp(head+varHeader, 8)-varHeader:]
	}
	return ndim, count, b[head:], b[off-varHeader:]
}

func arrayDim(b []byte, i int) int32 {
	return int32(binary.LittleEndian.Uint32(b[arrayHeader+4*i:]))
}

func arrayLower(b []byte, ndim, i int) int32 {
	return int32(binary.LittleEndian.Uint32(b[arrayHeader+4*ndim+4*i:]))
}

func alignUp(n, a int) int { return (n + a - 1) &^ (a - 1) }

func alignOf(c byte) int {
	switch c {
	case 's':
		return 2
	case 'i':
		return 4
	case 'd':
		return 8
	}
	return 1
}

// ArrayNDims gives the number of dimensions, 0 of the empty array. ArrayElemType gives the element type.
func ArrayNDims(arr Datum) int    { return int(int32(binary.LittleEndian.Uint32(arr.Bytes()))) }
func ArrayElemType(arr Datum) OID { return OID(binary.LittleEndian.Uint32(arr.Bytes()[8:])) }

// ArrayBounds gives length and lower bound of dimension i (0-based).
func ArrayBounds(arr Datum, i int) (length, lower int32) {
	b := arr.Bytes()
	return arrayDim(b, i), arrayLower(b, ArrayNDims(arr), i)
}

// ArrayCount gives the number of elements.
func ArrayCount(arr Datum) int {
	_, n, _, _ := arrayHead(arr.Bytes())
	return n
}

// ArrayElements appends all elements of arr in row-major order to into; by-reference ones point into arr.
func ArrayElements(elem *TypeInfo, arr Datum, into []Datum) ([]Datum, error) {
	b := arr.Bytes()
	if len(b) < arrayHeader {
		return into, pgerr.New(pgerr.DataCorrupted, "invalid array")
	}
	_, count, bitmap, data := arrayHead(b)
	at, align := 0, alignOf(elem.Align)
	for i := 0; i < count; i++ {
		if bitmap != nil && bitmap[i/8]&(1<<(i%8)) == 0 {
			into = append(into, Null)
			continue
		}
		at = alignUp(at, align)
		d, n := fetchElement(elem, data[at:])
		into = append(into, d)
		at += n
	}
	return into, nil
}

// fetchElement reads one stored element and its size.
func fetchElement(elem *TypeInfo, b []byte) (Datum, int) {
	switch {
	case elem.Len == -1:
		n := int(binary.LittleEndian.Uint32(b) >> 2)
		return Bytes(b[varHeader:n:n]), n
	case elem.Len == -2:
		n := 0
		for b[n] != 0 {
			n++
		}
		return Bytes(b[:n:n]), n + 1
	case elem.ByVal:
		return fetchByValue(elem, b), int(elem.Len)
	case elem.OID == TidOID: // six bytes in storage, by value as a Datum
		return TID{Block: uint32(binary.LittleEndian.Uint16(b))<<16 | uint32(binary.LittleEndian.Uint16(b[2:])),
			Off: binary.LittleEndian.Uint16(b[4:])}.Datum(), int(elem.Len)
	}
	n := int(elem.Len)
	if elem.Len == 64 && elem.Align == 'c' { // name, and domains over it: zeros fill it up
		m := 0
		for m < n && b[m] != 0 {
			m++
		}
		return Bytes(b[:m:m]), n
	}
	return Bytes(b[:n:n]), n
}

// fetchByValue reads a by-value element; signed integers are sign-extended, as their Datums are.
func fetchByValue(elem *TypeInfo, b []byte) Datum {
	switch elem.Len {
	case 1:
		return Datum{n: uint64(b[0])}
	case 2:
		return Int2(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		v := binary.LittleEndian.Uint32(b)
		if zeroExtended(elem.OID) {
			return Datum{n: uint64(v)}
		}
		return Int4(int32(v))
	}
	return Datum{n: binary.LittleEndian.Uint64(b)}
}

// zeroExtended says whether a 4-byte by-value type's Datum has zeros above; other types' Datums are sign-extended.
func zeroExtended(t OID) bool {
	switch t {
	case OidOID, XidOID, CidOID, Float4OID, RegprocOID, RegprocedureOID, RegoperOID, RegoperatorOID, RegclassOID, RegtypeOID, RegroleOID,
		RegnamespaceOID, RegconfigOID, RegdictionaryOID, RegcollationOID:
		return true
	}
	return false
}

// storedSize is the size of an element without alignment.
func storedSize(elem *TypeInfo, d Datum) int {
	switch elem.Len {
	case -1:
		return varHeader + int(d.n)
	case -2:
		return int(d.n) + 1
	}
	return int(elem.Len)
}

// putElement writes an element to dst, which is storedSize long and zero.
func putElement(elem *TypeInfo, dst []byte, d Datum) {
	switch {
	case elem.Len == -1:
		binary.LittleEndian.PutUint32(dst, uint32(len(dst))<<2)
		copy(dst[varHeader:], d.Bytes())
	case elem.OID == TidOID:
		t := d.TID()
		binary.LittleEndian.PutUint16(dst, uint16(t.Block>>16))
		binary.LittleEndian.PutUint16(dst[2:], uint16(t.Block))
		binary.LittleEndian.PutUint16(dst[4:], t.Off)
	case !elem.ByVal:
		copy(dst, d.Bytes())
	case elem.Len == 1:
		dst[0] = byte(d.n)
	case elem.Len == 2:
		binary.LittleEndian.PutUint16(dst, uint16(d.n))
	case elem.Len == 4:
		binary.LittleEndian.PutUint32(dst, uint32(d.n))
	default:
		binary.LittleEndian.PutUint64(dst, d.n)
	}
}

// EmptyArray makes the array without elements or dimensions.
func EmptyArray(elem OID) Datum {
	b := make([]byte, arrayHeader)
	binary.LittleEndian.PutUint32(b[8:], uint32(elem))
	return Bytes(b)
}

// MakeArray makes a one-dimensional array with lower bound 1; no values make the empty array.
func MakeArray(elem *TypeInfo, values []Datum) Datum {
	return BuildArray(elem, values, []int32{int32(len(values))}, []int32{1})
}

// BuildArray makes an array of the given dimensions; values are in row-major order. An array with a dimension of length 0 is the empty one.
func BuildArray(elem *TypeInfo, values []Datum, dims, lower []int32) Datum {
	if len(values) == 0 {
		return EmptyArray(elem.OID)
	}
	hasNulls := false
	size, align := 0, alignOf(elem.Align)
	for _, d := range values {
		if d.IsNull() {
			hasNulls = true
			continue
		}
		size = alignUp(size, align) + storedSize(elem, d)
	}
	head := arrayHeader + 8*len(dims)
	start := alignUp(head+varHeader, 8) - varHeader
	if hasNulls {
		start = alignUp(head+varHeader+(len(values)+7)/8, 8) - varHeader
	}
	b := make([]byte, start+size)
	binary.LittleEndian.PutUint32(b, uint32(len(dims)))
	binary.LittleEndian.PutUint32(b[8:], uint32(elem.OID))
	for i := range dims {
		binary.LittleEndian.PutUint32(b[arrayHeader+4*i:], uint32(dims[i]))
		binary.LittleEndian.PutUint32(b[arrayHeader+4*len(dims)+4*i:], uint32(lower[i]))
	}
	var bitmap []byte
	if hasNulls {
		binary.LittleEndian.PutUint32(b[4:], uint32(start+varHeader))
		bitmap = b[head:start]
	}
	fillElements(elem, b[start:], bitmap, values)
	return Bytes(b)
}

func fillElements(elem *TypeInfo, data, bitmap []byte, values []Datum) {
	at, align := 0, alignOf(elem.Align)
	for i, d := range values {
		if d.IsNull() {
			continue
		}
		if bitmap != nil {
			bitmap[i/8] |= 1 << (i % 8)
		}
		at = alignUp(at, align)
		n := storedSize(elem, d)
		putElement(elem, data[at:at+n], d)
		at += n
	}
}

// OpenArray takes an array apart.
func OpenArray(elem *TypeInfo, arr Datum) (*Array, error) {
	b := arr.Bytes()
	elems, err := ArrayElements(elem, arr, nil)
	if err != nil {
		return nil, err
	}
	a := &Array{Elems: elems, ElemID: ArrayElemType(arr)}
	for i := 0; i < ArrayNDims(arr); i++ {
		a.Dims = append(a.Dims, arrayDim(b, i))
		a.Lower = append(a.Lower, arrayLower(b, ArrayNDims(arr), i))
	}
	return a, nil
}

// StackArrays makes an array one dimension deeper of arrays with equal dimensions: ARRAY[ARRAY[...], ...]. Empty and null arrays are left out
// when all are so, else they are an error. elem is the type of their elements.
func StackArrays(elem *TypeInfo, arrays []Datum) (Datum, error) {
	mismatch := func() error {
		return pgerr.New(pgerr.ArraySubscriptError, "multidimensional arrays must have array expressions with matching dimensions")
	}
	var first *Array
	var all []Datum
	empties := 0
	for _, d := range arrays {
		if d.IsNull() || ArrayNDims(d) == 0 {
			empties++
			continue
		}
		a, err := OpenArray(elem, d)
		if err != nil {
			return Null, err
		}
		if first == nil {
			first = a
		} else if !sameBounds(first, a) {
			return Null, mismatch()
		}
		all = append(all, a.Elems...)
	}
	if first == nil {
		return EmptyArray(elem.OID), nil
	}
	if empties > 0 {
		return Null, mismatch()
	}
	if len(first.Dims)+1 > arrayDimsMax {
		return Null, tooManyDims(len(first.Dims) + 1)
	}
	dims := append([]int32{int32(len(arrays))}, first.Dims...)
	lower := append([]int32{1}, first.Lower...)
	return BuildArray(elem, all, dims, lower), nil
}

// SameArrayBounds says whether two arrays have equal dimensions and lower bounds.
func SameArrayBounds(a, b Datum) bool {
	n := ArrayNDims(a)
	if n != ArrayNDims(b) {
		return false
	}
	x, y := a.Bytes(), b.Bytes()
	for i := range n {
		if arrayDim(x, i) != arrayDim(y, i) || arrayLower(x, n, i) != arrayLower(y, n, i) {
			return false
		}
	}
	return true
}

func sameBounds(a, b *Array) bool {
	if len(a.Dims) != len(b.Dims) {
		return false
	}
	for i := range a.Dims {
		if a.Dims[i] != b.Dims[i] || a.Lower[i] != b.Lower[i] {
			return false
		}
	}
	return true
}

func tooManyDims(n int) error {
	return pgerr.New(pgerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", n, arrayDimsMax)
}

// ArrayMap makes an array of the same dimensions with f applied to each element.
func ArrayMap(from, to *TypeInfo, arr Datum, f func(Datum) (Datum, error)) (Datum, error) {
	a, err := OpenArray(from, arr)
	if err != nil {
		return Null, err
	}
	out := make([]Datum, len(a.Elems))
	for i, d := range a.Elems {
		if out[i], err = f(d); err != nil {
			return Null, err
		}
	}
	return BuildArray(to, out, a.Dims, a.Lower), nil
}
