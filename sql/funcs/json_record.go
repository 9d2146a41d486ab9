package funcs

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// json_populate_record and jsonb_populate_record: an object's members become the columns of a row; columns without a member keep the value of
// the row given.

func init() {
	for _, f := range jsonFamilies {
		types.RegisterFunc(f.prefix+"_populate_record", func(c *types.Call) (types.Datum, error) { return populateRecord(c, f) })
	}
}

func populateRecord(c *types.Call, f jsonFamily) (types.Datum, error) {
	if c.Args[1].IsNull() {
		return c.Args[0], nil
	}
	v, err := f.parse(c.Args[1])
	if err != nil {
		return types.Null, err
	}
	typ := argType(c, 0)
	t, err := c.Env.TypeByOID(typ)
	if err != nil {
		return types.Null, err
	}
	switch {
	case t.Kind == 'd':
		return types.Null, pgerr.NotSupported("%s_populate_record of a domain over a row type", f.prefix)
	case t.OID == types.RecordOID && c.Args[0].IsNull():
		return types.Null, pgerr.New(pgerr.InvalidParameterValue, "could not determine row type for result of %s_populate_record", f.prefix).
			WithHint("Provide a non-null record argument, or call the function in the FROM clause using a column definition list.")
	case v.Kind < types.JSONArray:
		return types.Null, jsonParam("cannot call populate_composite on a scalar")
	case v.Kind == types.JSONArray:
		return types.Null, jsonParam("cannot call populate_composite on an array")
	}
	return jsonToRecord(c, f, &v, typ, c.Args[0])
}

// jsonToRecord makes a row of an object; base, which may be null, gives the columns that the object does not name.
func jsonToRecord(c *types.Call, f jsonFamily, v *types.JSON, typ types.OID, base types.Datum) (types.Datum, error) {
	var desc *types.TupleDesc
	var row types.Row
	var err error
	if base.IsNull() {
		if c.Env.Catalog == nil {
			return types.Null, pgerr.NotSupported("a composite type without a catalog")
		}
		if desc, err = c.Env.Catalog.RowType(typ, -1); err != nil {
			return types.Null, err
		}
		row = make(types.Row, len(desc.Attrs))
		for i := range row {
			row[i] = types.Null
		}
	} else if desc, row, err = types.RecordFields(c.Env, base, nil); err != nil {
		return types.Null, err
	}
	for i := range desc.Attrs {
		a := &desc.Attrs[i]
		if a.Dropped {
			continue
		}
		member := field(v, a.Name)
		if member == nil {
			if !base.IsNull() {
				continue
			}
			member = &types.JSON{}
		}
		if row[i], err = jsonToValue(c, f, member, a.TypeOID, a.TypMod); err != nil {
			return types.Null, err
		}
	}
	return types.MakeRecord(desc, row)
}

// jsonToValue makes a value of a type: json as it is, arrays and rows by member, all else from the text form.
func jsonToValue(c *types.Call, f jsonFamily, v *types.JSON, typ types.OID, typmod int32) (types.Datum, error) {
	t, err := c.Env.TypeByOID(typ)
	if err != nil {
		return types.Null, err
	}
	if t.Kind == 'd' {
		return types.Null, pgerr.NotSupported("a domain column in %s_populate_record", f.prefix)
	}
	switch {
	case v.Kind == types.JSONNull:
		return types.Null, nil
	case t.OID == jsonOID(false) || t.OID == jsonOID(true):
		return types.Input(c.Env, t.OID, typmod, f.datum(v).Str())
	case t.IsTrueArray() && v.Kind == types.JSONArray:
		return types.Null, pgerr.NotSupported("an array column in %s_populate_record", f.prefix)
	case isContainer(t) && v.Kind == types.JSONObject:
		return jsonToRecord(c, f, v, typ, types.Null)
	}
	text := f.text(v)
	return types.Input(c.Env, typ, typmod, text.Str())
}
