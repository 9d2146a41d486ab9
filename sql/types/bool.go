package types

import "strings"

func init() {
	registerIO("boolin", boolIn, "boolout", boolOut, "boolrecv", boolRecv, "boolsend", boolSend)
	registerUnsigned(six("bool"))
	registerCompare("btboolcmp", compareUnsigned)
	RegisterFunc("booland_statefunc", func(c *Call) (Datum, error) { return Bool(c.Args[0].Bool() && c.Args[1].Bool()), nil })
	RegisterFunc("boolor_statefunc", func(c *Call) (Datum, error) { return Bool(c.Args[0].Bool() || c.Args[1].Bool()), nil })
	RegisterFunc("int4_bool", func(c *Call) (Datum, error) { return Bool(c.Args[0].n != 0), nil })
	RegisterFunc("bool_int4", func(c *Call) (Datum, error) { return Int4(int32(c.Args[0].n)), nil })
	RegisterFunc("booltext", func(c *Call) (Datum, error) {
		if c.Args[0].Bool() {
			return Text("true"), nil
		}
		return Text("false"), nil
	})
}

// trimSpace takes off what C's isspace takes for space.
func trimSpace(s string) string { return strings.Trim(s, " \t\n\v\f\r") }

// ParseBool knows the spellings of true and false, each shortened as far as it stays unambiguous.
func ParseBool(s string) (value, ok bool) {
	if s == "" {
		return false, false
	}
	is := func(word string) bool { return len(s) <= len(word) && strings.EqualFold(s, word[:len(s)]) }
	switch {
	case is("true"), is("yes"), s == "1", len(s) >= 2 && is("on"):
		return true, true
	case is("false"), is("no"), s == "0", len(s) >= 2 && is("off"):
		return false, true
	}
	return false, false
}

func boolIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	v, ok := ParseBool(trimSpace(s))
	if !ok {
		return Null, badSyntax("boolean", s)
	}
	return Bool(v), nil
}

func boolOut(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	if d.Bool() {
		return append(dst, 't'), nil
	}
	return append(dst, 'f'), nil
}

func boolRecv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) {
	if err := wantLen(b, 1); err != nil {
		return Null, err
	}
	return Bool(b[0] != 0), nil
}

func boolSend(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	if d.Bool() {
		return append(dst, 1), nil
	}
	return append(dst, 0), nil
}
