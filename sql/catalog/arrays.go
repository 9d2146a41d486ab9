package catalog

import (
	"encoding/binary"

	"github.com/calfdb/calf/sql/types"
)

// Arrays in catalog columns: PostgreSQL's ArrayType payload, one-dimensional, without nulls. The element kinds are few, so that they are formed
// and read here without a type look-up, which would need the catalogs.

const arrayHeader = 12 // ndim, dataoffset, element type

// elemWidth gives the bytes of a fixed-size element, 0 for a varlena one, and the alignment.
func elemWidth(elem OID) (width, align int) {
	switch elem {
	case types.CharOID:
		return 1, 1
	case types.Int2OID:
		return 2, 2
	case types.AclitemOID:
		return 12, 4
	case types.TextOID:
		return 0, 4
	case types.Int8OID, types.Float8OID:
		return 8, 8
	case types.NameOID:
		return 64, 1
	}
	return 4, 4
}

// makeArray forms an array of elem values with the given lower bound. An empty list makes an array without dimensions, but for vectors
// (lower bound 0), which always have one.
func makeArray(elem OID, values []types.Datum, lower int32) types.Datum {
	le := binary.LittleEndian
	b := make([]byte, 0, arrayHeader+8+len(values)*8)
	ndim := uint32(1)
	if len(values) == 0 && lower != 0 {
		ndim = 0
	}
	b = le.AppendUint32(b, ndim)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint32(b, uint32(elem))
	if ndim == 0 {
		return types.Bytes(b)
	}
	b = le.AppendUint32(b, uint32(len(values)))
	b = le.AppendUint32(b, uint32(lower))
	width, align := elemWidth(elem)
	for _, v := range values {
		for (len(b)+4)%align != 0 { // aligned as behind a varlena header
			b = append(b, 0)
		}
		switch {
		case width == 0:
			b = le.AppendUint32(b, uint32(len(v.Bytes())+4)<<2)
			b = append(b, v.Bytes()...)
		case v.IsByRef():
			at := len(b)
			b = append(b, make([]byte, width)...)
			copy(b[at:], v.Bytes())
		case width == 1:
			b = append(b, v.Char())
		case width == 2:
			b = le.AppendUint16(b, uint16(v.Raw()))
		case width == 8:
			b = le.AppendUint64(b, v.Raw())
		default:
			b = le.AppendUint32(b, uint32(v.Raw()))
		}
	}
	return types.Bytes(b)
}

// arrayElems calls each with the bytes of every element of a catalog array. A null datum has none.
func arrayElems(d types.Datum, each func(i int, b []byte)) {
	if d.IsNull() {
		return
	}
	width, align := elemWidth(OID(binary.LittleEndian.Uint32(d.Bytes()[8:])))
	if width == 0 {
		width = -1
	}
	walkArray(d, width, align, each)
}

// walkArray calls each with the bytes of every element, nil for a null one. width is the elements' typlen, -1 for varlena.
func walkArray(d types.Datum, width, align int, each func(i int, b []byte)) {
	if d.IsNull() {
		return
	}
	b := d.Bytes()
	le := binary.LittleEndian
	ndim := int(le.Uint32(b))
	if ndim == 0 {
		return
	}
	n := 1
	for i := range ndim {
		n *= int(le.Uint32(b[arrayHeader+4*i:]))
	}
	at := arrayHeader + 8*ndim
	var nulls []byte
	if off := int(le.Uint32(b[4:])); off != 0 {
		nulls = b[at:]
		at = off - 4
	}
	for i := range n {
		if nulls != nil && nulls[i/8]&(1<<(i%8)) == 0 {
			each(i, nil)
			continue
		}
		if width > 0 || b[at]&1 == 0 { // a short varlena header is not aligned
			for (at+4)%align != 0 {
				at++
			}
		}
		switch {
		case width > 0:
			each(i, b[at:at+width])
			at += width
		case b[at]&1 != 0:
			size := int(b[at] >> 1)
			each(i, b[at+1:at+size])
			at += size
		default:
			size := int(le.Uint32(b[at:]) >> 2)
			each(i, b[at+4:at+size])
			at += size
		}
	}
}

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

// elemDatum makes a value of an array element's bytes.
func elemDatum(a *types.Attr, b []byte) types.Datum {
	if b == nil {
		return types.Null
	}
	if !a.ByVal {
		return types.Bytes(b)
	}
	le := binary.LittleEndian
	switch a.Len {
	case 1:
		return types.Char(b[0])
	case 2:
		return types.Int2(int16(le.Uint16(b)))
	case 4:
		if a.TypeOID == types.Int4OID || a.TypeOID == types.DateOID {
			return types.Int4(int32(le.Uint32(b)))
		}
		return types.FromRaw(uint64(le.Uint32(b)))
	}
	return types.FromRaw(le.Uint64(b))
}

// OIDVector and its kin form the arrays that catalog columns hold; the readers below are their inverses and give nil for a null.

// OIDVector forms an oidvector.
func OIDVector(oids []OID) types.Datum { return makeArray(types.OidOID, oidDatums(oids), 0) }

// OIDArray forms an oid[]; nil makes a null.
func OIDArray(oids []OID) types.Datum {
	if oids == nil {
		return types.Null
	}
	return makeArray(types.OidOID, oidDatums(oids), 1)
}

func oidDatums(oids []OID) []types.Datum {
	ds := make([]types.Datum, len(oids))
	for i, o := range oids {
		ds[i] = types.Oid(o)
	}
	return ds
}

// Int2Vector forms an int2vector.
func Int2Vector(nums []int16) types.Datum { return makeArray(types.Int2OID, int2Datums(nums), 0) }

// Int2Array forms an int2[]; nil makes a null.
func Int2Array(nums []int16) types.Datum {
	if nums == nil {
		return types.Null
	}
	return makeArray(types.Int2OID, int2Datums(nums), 1)
}

func int2Datums(nums []int16) []types.Datum {
	ds := make([]types.Datum, len(nums))
	for i, n := range nums {
		ds[i] = types.Int2(n)
	}
	return ds
}

// TextArray forms a text[]; nil makes a null.
func TextArray(ss []string) types.Datum {
	if ss == nil {
		return types.Null
	}
	ds := make([]types.Datum, len(ss))
	for i, s := range ss {
		ds[i] = types.Text(s)
	}
	return makeArray(types.TextOID, ds, 1)
}

// CharArray forms a "char"[]; nil makes a null.
func CharArray(cs []byte) types.Datum {
	if cs == nil {
		return types.Null
	}
	ds := make([]types.Datum, len(cs))
	for i, c := range cs {
		ds[i] = types.Char(c)
	}
	return makeArray(types.CharOID, ds, 1)
}

// ACLArray forms an aclitem[]; nil makes a null.
func ACLArray(items []ACLItem) types.Datum {
	if items == nil {
		return types.Null
	}
	ds := make([]types.Datum, len(items))
	for i, it := range items {
		ds[i] = it.Datum()
	}
	return makeArray(types.AclitemOID, ds, 1)
}

// Datum gives the aclitem as a value: grantee, grantor, then privileges in the lower and grant options in the upper half of 32 bits.
func (it ACLItem) Datum() types.Datum {
	b := binary.LittleEndian.AppendUint32(nil, uint32(it.Grantee))
	b = binary.LittleEndian.AppendUint32(b, uint32(it.Grantor))
	return types.Bytes(binary.LittleEndian.AppendUint32(b, it.Privs&0xffff|it.GrantOpts<<16))
}

func decodeACLItem(b []byte) ACLItem {
	le := binary.LittleEndian
	bits := le.Uint32(b[8:])
	return ACLItem{Grantee: OID(le.Uint32(b)), Grantor: OID(le.Uint32(b[4:])), Privs: bits & 0xffff, GrantOpts: bits >> 16}
}

// OIDs reads an oidvector or oid[].
func OIDs(d types.Datum) (list []OID) {
	arrayElems(d, func(_ int, b []byte) { list = append(list, OID(binary.LittleEndian.Uint32(b))) })
	return list
}

// Int2s reads an int2vector or int2[].
func Int2s(d types.Datum) (list []int16) {
	arrayElems(d, func(_ int, b []byte) { list = append(list, int16(binary.LittleEndian.Uint16(b))) })
	return list
}

// Texts reads a text[].
func Texts(d types.Datum) (list []string) {
	arrayElems(d, func(_ int, b []byte) { list = append(list, string(b)) })
	return list
}

// Chars reads a "char"[].
func Chars(d types.Datum) (list []byte) {
	arrayElems(d, func(_ int, b []byte) { list = append(list, b[0]) })
	return list
}

// ACL reads an aclitem[]: nil for a null, else not nil.
func ACL(d types.Datum) []ACLItem {
	if d.IsNull() {
		return nil
	}
	list := []ACLItem{}
	arrayElems(d, func(_ int, b []byte) { list = append(list, decodeACLItem(b)) })
	return list
}

// AnyArray forms an array of one element of a column's type, as pg_attribute.attmissingval is.
func AnyArray(a *types.Attr, values ...types.Datum) types.Datum {
	info := &types.TypeInfo{OID: a.TypeOID, Len: a.Len, ByVal: a.ByVal, Align: a.Align}
	return types.MakeArray(info, values)
}

// Float4Array forms a float4[].
func Float4Array(values []float32) types.Datum {
	ds := make([]types.Datum, len(values))
	for i, f := range values {
		ds[i] = types.Float4(f)
	}
	return makeArray(types.Float4OID, ds, 1)
}
