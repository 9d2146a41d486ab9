package session

import (
	"fmt"
	"strings"

	"github.com/calfdb/calf/pgwire"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// convert, convert_from and convert_to. The database's encoding is UTF8.
func init() {
	types.RegisterFunc("pg_convert", func(c *types.Call) (types.Datum, error) {
		out, err := convertBytes(c.Args[0].Bytes(), c.Args[1].Str(), c.Args[2].Str())
		return types.Bytes(out), err
	})
	types.RegisterFunc("pg_convert_from", func(c *types.Call) (types.Datum, error) {
		out, err := convertBytes(c.Args[0].Bytes(), c.Args[1].Str(), "UTF8")
		return types.Bytes(out), err
	})
	types.RegisterFunc("pg_convert_to", func(c *types.Call) (types.Datum, error) {
		out, err := convertBytes(c.Args[0].Bytes(), "UTF8", c.Args[1].Str())
		return types.Bytes(out), err
	})
}

func convertBytes(b []byte, from, to string) ([]byte, error) {
	fromName, fromEnc, ok := pgwire.Encoding(from)
	if !ok {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "invalid source encoding name \"%s\"", from)
	}
	toName, toEnc, ok := pgwire.Encoding(to)
	if !ok {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "invalid destination encoding name \"%s\"", to)
	}
	utf8 := b
	if fromEnc != nil {
		var err error
		if utf8, err = fromEnc.NewDecoder().Bytes(b); err != nil {
			return nil, pgerr.New(pgerr.CharacterNotInRepertoire, "invalid byte sequence for encoding \"%s\"", fromName)
		}
	} else if fromName == "UTF8" {
		if err := types.CheckUTF8(b); err != nil {
			return nil, err
		}
	}
	if toEnc == nil {
		return utf8, nil
	}
	enc := toEnc.NewEncoder()
	if out, err := enc.Bytes(utf8); err == nil {
		return out, nil
	}
	for _, r := range string(utf8) {
		if _, err := enc.String(string(r)); err != nil {
			return nil, pgerr.New(pgerr.UntranslatableCharacter, "character with byte sequence %s in encoding \"UTF8\" has no equivalent in encoding \"%s\"",
				hexOf(string(r)), toName)
		}
	}
	return nil, pgerr.New(pgerr.UntranslatableCharacter, "text has no equivalent in encoding \"%s\"", toName)
}

// hexOf prints bytes as PostgreSQL's encoding errors do: 0xe2 0x82 0xac.
func hexOf(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "0x%02x", s[i])
	}
	return b.String()
}
