package types

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
)

// varchar(n) and char(n). The typmod is n plus 4. char(n) values are padded with spaces to n characters; comparison, hashing and
// length ignore trailing spaces.

const varHdrSize = 4

func init() {
	registerIO("varcharin", varcharIn, "varcharout", textOut, "varcharrecv", varcharRecv, "varcharsend", textOut)
	registerIO("bpcharin", bpcharIn, "bpcharout", textOut, "bpcharrecv", bpcharRecv, "bpcharsend", textOut)
	for _, n := range []string{"varchar", "bpchar"} {
		typmodOutTable[n+"typmodout"] = func(m int32) string {
			if m > varHdrSize {
				return fmt.Sprintf("(%d)", m-varHdrSize)
			}
			return ""
		}
	}
	typmodInTable["varchartypmodin"] = func(_ *Env, mods []string) (int32, error) { return charTypMod(mods, "varchar") }
	typmodInTable["bpchartypmodin"] = func(_ *Env, mods []string) (int32, error) { return charTypMod(mods, "char") }
	registerOrder("bpchar", compareBpchar)
	registerCompareFor("bpcharcmp", func(*Env, OID, OID) (CompareFunc, error) { return compareBpchar, nil })
	registerCompare("btbpchar_pattern_cmp", compareBpchar)
	registerOrderNamed([6]string{"", "", "bpchar_pattern_lt", "bpchar_pattern_le", "bpchar_pattern_gt", "bpchar_pattern_ge"}, compareBpchar)
	registerLarger("bpchar_larger", "bpchar_smaller", compareBpchar)
	RegisterFunc("bpcharlen", func(c *Call) (Datum, error) { return Int4(int32(utf8.RuneCount(bpcharTrim(c.Args[0].Bytes())))), nil })
	RegisterFunc("bpcharoctetlen", func(c *Call) (Datum, error) { return Int4(int32(c.Args[0].n)), nil })
	RegisterFunc("varchar", func(c *Call) (Datum, error) { return varcharCast(c.Args[0], c.Args[1].Int4(), c.Args[2].Bool()) })
	RegisterFunc("bpchar", func(c *Call) (Datum, error) { return bpcharCast(c.Args[0], c.Args[1].Int4(), c.Args[2].Bool()) })
	RegisterFunc("char_bpchar", func(c *Call) (Datum, error) {
		if c.Args[0].Char() == 0 {
			return Text(""), nil
		}
		b := c.Arena.Alloc(1)
		b[0] = c.Args[0].Char()
		return Bytes(b), nil
	})
}

func charTypMod(mods []string, typeName string) (int32, error) {
	if len(mods) != 1 {
		return 0, pgerr.New(pgerr.InvalidParameterValue, "invalid type modifier")
	}
	v, err := ParseInt(mods[0], 32, "integer")
	switch {
	case err != nil:
		return 0, err
	case v < 1:
		return 0, pgerr.New(pgerr.InvalidParameterValue, "length for type %s must be at least 1", typeName)
	case v > 10485760:
		return 0, pgerr.New(pgerr.InvalidParameterValue, "length for type %s cannot exceed 10485760", typeName)
	}
	return int32(v) + varHdrSize, nil
}

// bpcharTrim takes the padding off.
func bpcharTrim(b []byte) []byte { return bytes.TrimRight(b, " ") }

func compareBpchar(a, b Datum) int {
	return bytes.Compare(bpcharTrim(a.Bytes()), bpcharTrim(b.Bytes()))
}

// clipChars cuts s after n characters; rest is what was cut off.
func clipChars(s string, n int) (head, rest string) {
	if len(s) <= n {
		return s, ""
	}
	for i := range s {
		if n == 0 {
			return s[:i], s[i:]
		}
		n--
	}
	return s, ""
}

func onlySpaces(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] != ' ' {
			return false
		}
	}
	return true
}

func varcharCast(d Datum, typmod int32, explicit bool) (Datum, error) {
	n := int(typmod) - varHdrSize
	if typmod < varHdrSize || int(d.n) <= n {
		return d, nil
	}
	head, rest := clipChars(d.Str(), n)
	if !explicit && !onlySpaces(rest) {
		return Null, tooLong("character varying", n)
	}
	return Text(head), nil
}

func tooLong(typeName string, n int) error {
	return pgerr.New(pgerr.StringDataRightTruncation, "value too long for type %s(%d)", typeName, n)
}

func bpcharCast(d Datum, typmod int32, explicit bool) (Datum, error) {
	n := int(typmod) - varHdrSize
	if typmod < varHdrSize {
		return d, nil
	}
	s := d.Str()
	count := utf8.RuneCountInString(s)
	if count == n {
		return d, nil
	}
	if count < n {
		b := make([]byte, len(s)+n-count)
		copy(b, s)
		for i := len(s); i < len(b); i++ {
			b[i] = ' '
		}
		return Bytes(b), nil
	}
	head, rest := clipChars(s, n)
	if !explicit && !onlySpaces(rest) {
		return Null, tooLong("character", n)
	}
	return Text(head), nil
}

func varcharIn(_ *Env, _ *IO, s string, typmod int32) (Datum, error) {
	return varcharCast(Text(s), typmod, false)
}

func varcharRecv(_ *Env, _ *IO, b []byte, typmod int32) (Datum, error) {
	if err := CheckUTF8(b); err != nil {
		return Null, err
	}
	return varcharCast(Bytes(b), typmod, false)
}

func bpcharIn(_ *Env, _ *IO, s string, typmod int32) (Datum, error) {
	return bpcharCast(Text(s), typmod, false)
}

func bpcharRecv(_ *Env, _ *IO, b []byte, typmod int32) (Datum, error) {
	if err := CheckUTF8(b); err != nil {
		return Null, err
	}
	return bpcharCast(Bytes(b), typmod, false)
}
