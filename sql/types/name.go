package types

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
)

// NameLen is the most bytes that a name has.
const NameLen = 63

func init() {
	registerIO("namein", nameIn, "nameout", textOut, "namerecv", nameRecv, "namesend", textOut)
	registerOrder("name", compareBytes)
	registerCompare("btnamecmp", compareBytes)
	registerCompare("btnametextcmp", compareBytes)
	registerCompare("bttextnamecmp", compareBytes)
	for _, p := range []string{"eq", "ne", "lt", "le", "gt", "ge"} {
		f := funcTable["name"+p]
		RegisterFunc("name"+p+"text", f)
		RegisterFunc("text"+p+"name", f)
	}
	RegisterFunc("name_text", identity)
	RegisterFunc("name_bpchar", identity)
	truncated := func(c *Call) (Datum, error) { return Text(TruncateName(c.Args[0].Str())), nil }
	RegisterFunc("text_name", truncated)
	RegisterFunc("bpchar_name", func(c *Call) (Datum, error) {
		return Bytes(bpcharTrim([]byte(TruncateName(c.Args[0].Str())))), nil
	})
	RegisterFunc("nameconcatoid", func(c *Call) (Datum, error) {
		suffix := "_" + strconv.FormatUint(uint64(c.Args[1].Oid()), 10)
		s := c.Args[0].Str()
		if len(s)+len(suffix) > NameLen {
			s = clipUTF8(s, NameLen-len(suffix))
		}
		return Text(s + suffix), nil
	})
}

// TruncateName cuts s to a name's length at a character boundary.
func TruncateName(s string) string {
	if len(s) <= NameLen {
		return s
	}
	return clipUTF8(s, NameLen)
}

// clipUTF8 cuts s to at most n bytes without splitting a character.
func clipUTF8(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func compareBytes(a, b Datum) int { return bytes.Compare(a.Bytes(), b.Bytes()) }

func nameIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) { return Text(TruncateName(s)), nil }

func nameRecv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) {
	if err := CheckUTF8(b); err != nil {
		return Null, err
	}
	if len(b) > NameLen {
		return Null, pgerr.New(pgerr.NameTooLong, "identifier too long").WithDetail("Identifier must be less than 64 characters.")
	}
	return Bytes(b), nil
}
