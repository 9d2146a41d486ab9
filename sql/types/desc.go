package types

// Storage facts of a column, as pg_type and pg_attribute have them.
//
// Len: > 0 bytes of a fixed-size type, -1 varlena, -2 cstring. Align: 'c', 's', 'i', 'd'. Storage: 'p', 'e', 'm', 'x'.
type Attr struct {
	Name      string
	TypeOID   OID
	TypMod    int32 // -1 = none
	Collation OID
	Num       int16 // 1-based attribute number
	Len       int16
	ByVal     bool
	Align     byte
	Storage   byte

	NotNull     bool
	HasDefault  bool
	Identity    byte // 0, 'a', 'd'
	Generated   byte // 0, 's'
	Dropped     bool
	HasMissing  bool // a column added with a constant default to existing rows
	Missing     Datum
	NDims       int16
	InhCount    int32
	IsLocal     bool
	Compression byte
}

// TupleDesc is the shape of a row. It is immutable once shared.
type TupleDesc struct {
	Attrs []Attr
	// TypeOID and TypMod name the composite type of the row: RecordOID and -1 for an anonymous record that is not registered.
	TypeOID OID
	TypMod  int32
}

// NumAttrs counts the columns, dropped ones included.
func (d *TupleDesc) NumAttrs() int { return len(d.Attrs) }

// Row is one row of values, by position in its TupleDesc.
type Row []Datum
