package types

import (
	"encoding/binary"

	"github.com/calfdb/calf/sql/pgerr"
)

func init() {
	registerIO("record_in", recordIn, "record_out", recordOut, "record_recv", recordRecv, "record_send", recordSend)
	registerCompareFor("btrecordcmp", recordCompare)
	tests := map[string]func(int) bool{
		"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool { return c != 0 }, "lt": func(c int) bool { return c < 0 },
		"le": func(c int) bool { return c <= 0 }, "gt": func(c int) bool { return c > 0 }, "ge": func(c int) bool { return c >= 0 },
	}
	for op, test := range tests {
		RegisterFunc("record_"+op, func(c *Call) (Datum, error) {
			r, err := CompareRecords(c.Env, c.Args[0], c.Args[1])
			return Bool(test(r)), err
		})
	}
}

// liveColumns are the columns that a row's text form has.
func liveColumns(desc *TupleDesc) int {
	n := 0
	for _, a := range desc.Attrs {
		if !a.Dropped {
			n++
		}
	}
	return n
}

func recordOut(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	desc, row, err := RecordFields(env, d, nil)
	if err != nil {
		return dst, err
	}
	dst = append(dst, '(')
	first := true
	for i := range desc.Attrs {
		if desc.Attrs[i].Dropped {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if row[i].IsNull() {
			continue
		}
		start := len(dst)
		if dst, err = AppendOutput(env, desc.Attrs[i].TypeOID, dst, row[i]); err != nil {
			return dst, err
		}
		if needsRecordQuotes(dst[start:]) {
			text := string(dst[start:])
			dst = append(dst[:start], '"')
			for j := 0; j < len(text); j++ {
				if text[j] == '"' || text[j] == '\\' {
					dst = append(dst, text[j])
				}
				dst = append(dst, text[j])
			}
			dst = append(dst, '"')
		}
	}
	return append(dst, ')'), nil
}

func needsRecordQuotes(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	for _, c := range b {
		if c == '"' || c == '\\' || c == '(' || c == ')' || c == ',' || isSpace(c) {
			return true
		}
	}
	return false
}

func malformedRecord(s, detail string) error {
	return pgerr.New(pgerr.InvalidTextRepresentation, "malformed record literal: \"%s\"", s).WithDetail("%s", detail)
}

func recordIn(env *Env, io *IO, s string, typmod int32) (Datum, error) {
	if io.Info.OID == RecordOID && typmod < 0 {
		return Null, pgerr.New(pgerr.FeatureNotSupported, "input of anonymous composite types is not implemented")
	}
	desc, err := rowTypeByOID(env, io.Info.OID, typmod)
	if err != nil {
		return Null, err
	}
	p := skipSpaces(s, 0)
	if p >= len(s) || s[p] != '(' {
		return Null, malformedRecord(s, "Missing left parenthesis.")
	}
	p++
	row := make(Row, len(desc.Attrs))
	first := true
	for i := range desc.Attrs {
		row[i] = Null
		a := &desc.Attrs[i]
		if a.Dropped {
			continue
		}
		if !first {
			if p >= len(s) || s[p] != ',' {
				return Null, malformedRecord(s, "Too few columns.")
			}
			p++
		}
		first = false
		field, next, isNull, ok := recordField(s, p)
		if !ok {
			return Null, malformedRecord(s, "Unexpected end of input.")
		}
		if p = next; isNull {
			if t, err := env.TypeByOID(a.TypeOID); err == nil && t.Kind == 'd' {
				if err := checkDomain(env, a.TypeOID, Null); err != nil {
					return Null, err
				}
			}
			continue
		}
		if row[i], err = Input(env, a.TypeOID, a.TypMod, field); err != nil {
			return Null, err
		}
	}
	if p >= len(s) || s[p] != ')' {
		return Null, malformedRecord(s, "Too many columns.")
	}
	if skipSpaces(s, p+1) < len(s) {
		return Null, malformedRecord(s, "Junk after right parenthesis.")
	}
	return MakeRecord(desc, row)
}

func skipSpaces(s string, i int) int {
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	return i
}

// recordField reads one column's text up to a comma or parenthesis outside quotes.
func recordField(s string, p int) (field string, next int, isNull, ok bool) {
	if p < len(s) && (s[p] == ',' || s[p] == ')') {
		return "", p, true, true
	}
	var b []byte
	inQuotes := false
	for {
		if p >= len(s) {
			return "", p, false, false
		}
		c := s[p]
		if !inQuotes && (c == ',' || c == ')') {
			return string(b), p, false, true
		}
		p++
		switch {
		case c == '\\':
			if p >= len(s) {
				return "", p, false, false
			}
			b = append(b, s[p])
			p++
		case c == '"' && inQuotes && p < len(s) && s[p] == '"':
			b = append(b, '"')
			p++
		case c == '"':
			inQuotes = !inQuotes
		default:
			b = append(b, c)
		}
	}
}

func rowTypeByOID(env *Env, typ OID, typmod int32) (*TupleDesc, error) {
	if typ == RecordOID {
		if d, ok := RecordDescByMod(typmod); ok {
			return d, nil
		}
	}
	cat, err := env.catalog("composite type")
	if err != nil {
		return nil, err
	}
	return cat.RowType(typ, typmod)
}

// recordSend: the number of columns, then each one's type and sized value.
func recordSend(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	desc, row, err := RecordFields(env, d, nil)
	if err != nil {
		return dst, err
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(liveColumns(desc)))
	for i := range desc.Attrs {
		if desc.Attrs[i].Dropped {
			continue
		}
		dst = binary.BigEndian.AppendUint32(dst, uint32(desc.Attrs[i].TypeOID))
		io, err := IOFor(env, desc.Attrs[i].TypeOID)
		if err != nil {
			return dst, err
		}
		if dst, err = appendSized(env, io, dst, row[i]); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func recordRecv(env *Env, io *IO, b []byte, typmod int32) (Datum, error) {
	if io.Info.OID == RecordOID && typmod < 0 {
		return Null, pgerr.New(pgerr.FeatureNotSupported, "input of anonymous composite types is not implemented")
	}
	desc, err := rowTypeByOID(env, io.Info.OID, typmod)
	if err != nil {
		return Null, err
	}
	r := reader{b: b}
	if n := int(r.uint32()); n != liveColumns(desc) {
		return Null, pgerr.New(pgerr.DatatypeMismatch, "wrong number of columns: %d, expected %d", n, liveColumns(desc))
	}
	row := make(Row, len(desc.Attrs))
	for i := range desc.Attrs {
		row[i] = Null
		a := &desc.Attrs[i]
		if a.Dropped {
			continue
		}
		if t := OID(r.uint32()); t != a.TypeOID {
			return Null, pgerr.New(pgerr.DatatypeMismatch, "binary data has type %d (%s) instead of expected %d (%s) in record column %d",
				t, FormatType(env, t), a.TypeOID, FormatType(env, a.TypeOID), i+1)
		}
		col, err := IOFor(env, a.TypeOID)
		if err != nil {
			return Null, err
		}
		if row[i], err = r.sized(env, col, a.TypMod); err != nil {
			return Null, err
		}
	}
	if len(r.b) > 0 || r.short {
		return Null, pgerr.New(pgerr.InvalidBinaryRepresentation, "incorrect binary data format")
	}
	return MakeRecord(desc, row)
}

// CompareRecords orders rows column by column, nulls above values; the column types must be the same.
func CompareRecords(env *Env, a, b Datum) (int, error) {
	da, ra, err := RecordFields(env, a, nil)
	if err != nil {
		return 0, err
	}
	db, rb, err := RecordFields(env, b, nil)
	if err != nil {
		return 0, err
	}
	i, j := 0, 0
	for n := 1; ; n++ {
		for i < len(da.Attrs) && da.Attrs[i].Dropped {
			i++
		}
		for j < len(db.Attrs) && db.Attrs[j].Dropped {
			j++
		}
		if i >= len(da.Attrs) || j >= len(db.Attrs) {
			break
		}
		ta, tb := da.Attrs[i].TypeOID, db.Attrs[j].TypeOID
		if ta != tb {
			return 0, pgerr.New(pgerr.DatatypeMismatch, "cannot compare dissimilar column types %s and %s at record column %d",
				FormatType(env, ta), FormatType(env, tb), n)
		}
		c, err := compareColumn(env, &da.Attrs[i], ra[i], rb[j])
		if c != 0 || err != nil {
			return c, err
		}
		i++
		j++
	}
	if i < len(da.Attrs) || j < len(db.Attrs) {
		return 0, pgerr.New(pgerr.DatatypeMismatch, "cannot compare record types with different numbers of columns")
	}
	return 0, nil
}

func compareColumn(env *Env, a *Attr, x, y Datum) (int, error) {
	switch {
	case x.IsNull() && y.IsNull():
		return 0, nil
	case x.IsNull():
		return 1, nil
	case y.IsNull():
		return -1, nil
	}
	cmp, err := CompareFor(env, a.TypeOID, a.Collation)
	if err != nil {
		return 0, err
	}
	return cmp(x, y), nil
}

func recordCompare(env *Env, _, _ OID) (CompareFunc, error) {
	return func(a, b Datum) int {
		c, err := CompareRecords(env, a, b)
		if err != nil {
			return compareBytes(a, b)
		}
		return c
	}, nil
}
