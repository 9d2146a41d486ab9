package types

import (
	"encoding/binary"
	"strings"
	"sync"

	"github.com/calfdb/calf/sql/pgerr"
)

// Composite values are, as bytes:
//
//	0   uint32 type OID (RecordOID of an anonymous one)
//	4   int32  typmod (the registered shape of an anonymous record, else -1)
//	8   uint32 number of columns
//	12  null bitmap, bit set = not null
//	    values, stored as array elements are: each aligned to its type, counted from the start of the values; varlenas with 4-byte headers

const recordHeader = 12

// RowIterator is an Iterator whose rows have several columns (OUT parameters, SETOF composite), so that a row can become one datum.
type RowIterator interface {
	Iterator
	Desc() *TupleDesc
}

// RecordColumn is a column of an anonymous record.
type RecordColumn struct {
	Name      string
	Type      OID
	TypMod    int32
	Collation OID
}

var shapes struct {
	sync.RWMutex
	byKey map[string]*TupleDesc
	list  []*TupleDesc
}

// NewRecordDesc gives the descriptor of an anonymous record. Equal shapes get the same one, process-wide; its number is the typmod that values
// carry, as PostgreSQL's assign_record_type_typmod.
func NewRecordDesc(env *Env, cols []RecordColumn) (*TupleDesc, error) {
	key := shapeKey(cols)
	shapes.RLock()
	d := shapes.byKey[key]
	shapes.RUnlock()
	if d != nil {
		return d, nil
	}
	d = &TupleDesc{TypeOID: RecordOID}
	for i, c := range cols {
		info, err := env.TypeByOID(c.Type)
		if err != nil {
			return nil, err
		}
		d.Attrs = append(d.Attrs, Attr{Name: c.Name, TypeOID: c.Type, TypMod: c.TypMod, Collation: c.Collation, Num: int16(i + 1),
			Len: info.Len, ByVal: info.ByVal, Align: info.Align, Storage: info.Storage})
	}
	shapes.Lock()
	defer shapes.Unlock()
	if other := shapes.byKey[key]; other != nil {
		return other, nil
	}
	if shapes.byKey == nil {
		shapes.byKey = map[string]*TupleDesc{}
	}
	d.TypMod = int32(len(shapes.list))
	shapes.list = append(shapes.list, d)
	shapes.byKey[key] = d
	return d, nil
}

func shapeKey(cols []RecordColumn) string {
	var b strings.Builder
	var num [12]byte
	for _, c := range cols {
		binary.LittleEndian.PutUint32(num[:], uint32(c.Type))
		binary.LittleEndian.PutUint32(num[4:], uint32(c.TypMod))
		binary.LittleEndian.PutUint32(num[8:], uint32(c.Collation))
		b.Write(num[:])
		b.WriteString(c.Name)
		b.WriteByte(0)
	}
	return b.String()
}

// RecordDescByMod gives a registered anonymous shape.
func RecordDescByMod(typmod int32) (*TupleDesc, bool) {
	shapes.RLock()
	defer shapes.RUnlock()
	if typmod < 0 || int(typmod) >= len(shapes.list) {
		return nil, false
	}
	return shapes.list[typmod], true
}

// attrType is the storage facts of a column, as an element has them.
func attrType(a *Attr) *TypeInfo {
	return &TypeInfo{OID: a.TypeOID, Len: a.Len, ByVal: a.ByVal, Align: a.Align}
}

// MakeRecord makes a composite datum of desc's type; dropped columns are stored as null.
func MakeRecord(desc *TupleDesc, values Row) (Datum, error) {
	n := len(desc.Attrs)
	head := alignUp(recordHeader+(n+7)/8, 8)
	size := 0
	for i := range desc.Attrs {
		a := &desc.Attrs[i]
		if values[i].IsNull() || a.Dropped {
			continue
		}
		size = alignUp(size, alignOf(a.Align)) + storedSize(attrType(a), values[i])
	}
	b := make([]byte, head+size)
	typ := desc.TypeOID
	if typ == 0 {
		typ = RecordOID
	}
	binary.LittleEndian.PutUint32(b, uint32(typ))
	binary.LittleEndian.PutUint32(b[4:], uint32(desc.TypMod))
	binary.LittleEndian.PutUint32(b[8:], uint32(n))
	at := 0
	for i := range desc.Attrs {
		a := &desc.Attrs[i]
		if values[i].IsNull() || a.Dropped {
			continue
		}
		b[recordHeader+i/8] |= 1 << (i % 8)
		t := attrType(a)
		at = alignUp(at, alignOf(a.Align))
		k := storedSize(t, values[i])
		putElement(t, b[head+at:head+at+k], values[i])
		at += k
	}
	return Bytes(b), nil
}

// RecordType gives a composite datum's type and typmod.
func RecordType(d Datum) (OID, int32) {
	b := d.Bytes()
	return OID(binary.LittleEndian.Uint32(b)), int32(binary.LittleEndian.Uint32(b[4:]))
}

// RecordDesc gives the row type of a composite datum.
func RecordDesc(env *Env, d Datum) (*TupleDesc, error) {
	typ, mod := RecordType(d)
	if typ == RecordOID {
		if desc, ok := RecordDescByMod(mod); ok {
			return desc, nil
		}
		return nil, pgerr.New(pgerr.WrongObjectType, "record type has not been registered")
	}
	cat, err := env.catalog("a composite type")
	if err != nil {
		return nil, err
	}
	return cat.RowType(typ, mod)
}

// RecordFields takes a composite datum apart: its row type, and its values appended to into. Columns added to the type since are null.
func RecordFields(env *Env, d Datum, into Row) (*TupleDesc, Row, error) {
	desc, err := RecordDesc(env, d)
	if err != nil {
		return nil, nil, err
	}
	b := d.Bytes()
	n := int(binary.LittleEndian.Uint32(b[8:]))
	data := b[alignUp(recordHeader+(n+7)/8, 8):]
	at := 0
	for i := range desc.Attrs {
		if i >= n || b[recordHeader+i/8]&(1<<(i%8)) == 0 {
			into = append(into, Null)
			continue
		}
		a := &desc.Attrs[i]
		at = alignUp(at, alignOf(a.Align))
		v, k := fetchElement(attrType(a), data[at:])
		into = append(into, v)
		at += k
	}
	return desc, into, nil
}

// CheckRowShape compares a function's row with the columns that a query lists for it.
func CheckRowShape(env *Env, have, want *TupleDesc) error {
	bad := func(format string, args ...any) error {
		return pgerr.New(pgerr.DatatypeMismatch, "function return row and query-specified return row do not match").WithDetail(format, args...)
	}
	n := len(have.Attrs)
	if n != len(want.Attrs) {
		s := "s"
		if n == 1 {
			s = ""
		}
		return bad("Returned row contains %d attribute%s, but query expects %d.", n, s, len(want.Attrs))
	}
	for i := range want.Attrs {
		if h, w := have.Attrs[i].TypeOID, want.Attrs[i].TypeOID; h != w && !have.Attrs[i].Dropped {
			return bad("Returned type %s at ordinal position %d, but query expects %s.", FormatType(env, h), i+1, FormatType(env, w))
		}
	}
	return nil
}
