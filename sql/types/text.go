package types

import (
	"bytes"

	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
)

// text, unknown, cstring, refcursor and pg_node_tree: the bytes themselves, in UTF-8. Order is that of collation C: the default
// database's C.UTF-8 orders by code point, which in UTF-8 is the order of bytes.

func init() {
	registerIO("textin", textIn, "textout", textOut, "textrecv", textRecv, "textsend", textOut)
	registerIO("unknownin", textIn, "unknownout", textOut, "unknownrecv", textRecv, "unknownsend", textOut)
	registerIO("cstring_in", textIn, "cstring_out", textOut, "cstring_recv", textRecv, "cstring_send", textOut)
	registerIO("", nil, "pg_node_tree_out", textOut, "", nil, "pg_node_tree_send", textOut)
	registerIO("void_in", voidIn, "void_out", voidOut, "void_recv", voidRecv, "void_send", voidOut)
	registerOrderNamed([6]string{"", "", "text_lt", "text_le", "text_gt", "text_ge"}, compareBytes)
	RegisterFunc("texteq", func(c *Call) (Datum, error) { return Bool(c.Args[0].Str() == c.Args[1].Str()), nil })
	RegisterFunc("textne", func(c *Call) (Datum, error) { return Bool(c.Args[0].Str() != c.Args[1].Str()), nil })
	registerOrderNamed([6]string{"", "", "text_pattern_lt", "text_pattern_le", "text_pattern_gt", "text_pattern_ge"}, compareBytes)
	registerCompareFor("bttextcmp", collatedCompare)
	registerCompare("bttext_pattern_cmp", compareBytes)
	registerLarger("text_larger", "text_smaller", compareBytes)
	RegisterFunc("textlen", func(c *Call) (Datum, error) { return Int4(int32(utf8.RuneCount(c.Args[0].Bytes()))), nil })
	RegisterFunc("textoctetlen", func(c *Call) (Datum, error) { return Int4(int32(c.Args[0].n)), nil })
	RegisterFunc("textcat", func(c *Call) (Datum, error) { return concatBytes(c.Arena, c.Args[0], c.Args[1]), nil })
}

// collatedCompare gives the comparison of a collation. Only byte order is exact here; the catalog says which collations have it.
func collatedCompare(_ *Env, _, collation OID) (CompareFunc, error) {
	return func(a, b Datum) int { return bytes.Compare(a.Bytes(), b.Bytes()) }, nil
}

func concatBytes(a *Arena, x, y Datum) Datum {
	b := a.Alloc(int(x.n + y.n))
	copy(b, x.Bytes())
	copy(b[x.n:], y.Bytes())
	return Bytes(b)
}

func textIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) { return Text(s), nil }

func textOut(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return append(dst, d.Bytes()...), nil
}

func textRecv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) {
	if err := CheckUTF8(b); err != nil {
		return Null, err
	}
	return Bytes(b), nil
}

func voidIn(_ *Env, _ *IO, _ string, _ int32) (Datum, error)     { return Datum{}, nil }
func voidOut(_ *Env, _ *IO, dst []byte, _ Datum) ([]byte, error) { return dst, nil }
func voidRecv(_ *Env, _ *IO, _ []byte, _ int32) (Datum, error)   { return Datum{}, nil }
func outOfRange(format string, args ...any) error {
	return pgerr.New(pgerr.NumericValueOutOfRange, format, args...)
}
