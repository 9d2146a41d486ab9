package catalog

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// bootDefaults makes the stored form of a built-in function's argument defaults. In the data they are SQL text, and all are constants.
func bootDefaults(row types.Row, s string) types.Datum {
	args := OIDs(row[ProcProargtypes])
	texts := strings.Split(s, "\x1f")
	list := make([]query.Expr, len(texts))
	for i, text := range texts {
		typ := args[len(args)-len(texts)+i]
		c := &query.Const{TypeOID: typ, Mod: -1, Value: bootConst(typ, text), Loc: -1}
		if typ == types.TextOID {
			c.Coll = DefaultCollation
		}
		list[i] = c
	}
	return types.Text(query.EncodeExprs(list))
}

func bootConst(typ OID, text string) types.Datum {
	text, _, _ = strings.Cut(text, "::")
	switch {
	case text == "NULL":
		return types.Null
	case typ == types.JsonbOID && text == "'{}'":
		d, err := types.Input(nil, types.JsonbOID, -1, "{}")
		bootMust(err)
		return d
	case typ == types.TextArrayOID && text == "'{}'":
		return TextArray([]string{})
	case typ == types.BoolOID:
		return types.Bool(text == "true")
	case typ == types.Float8OID:
		f, err := strconv.ParseFloat(text, 64)
		bootMust(err)
		return types.Float8(f)
	case typ == types.Int4OID || typ == types.Int8OID:
		return types.Int8(bootInt(text))
	case typ == types.TextOID:
		return types.Text(strings.Trim(text, "'"))
	}
	panic(fmt.Sprintf("catalog: initial contents: a default %s of type %d", text, typ))
}
