package funcs

import (
	"slices"

	"github.com/calfdb/calf/sql/types"
)

// jsonb's operators: containment, existence, concatenation, deletion.

func init() {
	types.RegisterFunc("jsonb_contains", func(c *types.Call) (types.Datum, error) {
		return types.Bool(jsonbContains(c.Args[0].JSONB(), c.Args[1].JSONB())), nil
	})
	types.RegisterFunc("jsonb_contained", func(c *types.Call) (types.Datum, error) {
		return types.Bool(jsonbContains(c.Args[1].JSONB(), c.Args[0].JSONB())), nil
	})
	types.RegisterFunc("jsonb_exists", func(c *types.Call) (types.Datum, error) {
		v := c.Args[0].JSONB()
		return types.Bool(jsonbExists(&v, c.Args[1].Str())), nil
	})
	types.RegisterFunc("jsonb_exists_any", func(c *types.Call) (types.Datum, error) { return existsMany(c, false) })
	types.RegisterFunc("jsonb_exists_all", func(c *types.Call) (types.Datum, error) { return existsMany(c, true) })
	types.RegisterFunc("jsonb_concat", func(c *types.Call) (types.Datum, error) {
		v := jsonbConcat(c.Args[0].JSONB(), c.Args[1].JSONB())
		return v.JSONB()
	})
	types.RegisterFunc("jsonb_delete", func(c *types.Call) (types.Datum, error) { return jsonbDelete(c, []string{c.Args[1].Str()}) })
	types.RegisterFunc("jsonb_delete_array", func(c *types.Call) (types.Datum, error) {
		list, err := textList(c.Args[1])
		if err != nil {
			return types.Null, err
		}
		var keys []string
		for _, k := range list {
			if !k.IsNull() {
				keys = append(keys, k.Str())
			}
		}
		return jsonbDelete(c, keys)
	})
	types.RegisterFunc("jsonb_delete_idx", jsonbDeleteIndex)
	types.RegisterFunc("jsonb_strip_nulls", func(c *types.Call) (types.Datum, error) {
		v := c.Args[0].JSONB()
		stripNulls(&v)
		return types.Bytes(v.Append(nil)), nil
	})
	types.RegisterFunc("jsonb_pretty", func(c *types.Call) (types.Datum, error) {
		v := c.Args[0].JSONB()
		return types.Bytes(appendPretty(nil, &v, 0)), nil
	})
}

func isScalar(v *types.JSON) bool { return v.Kind < types.JSONArray }

// asArray makes an array of one of a scalar.
func asArray(v types.JSON) types.JSON {
	if isScalar(&v) {
		return types.JSON{Kind: types.JSONArray, Elems: []types.JSON{v}}
	}
	return v
}

// jsonbContains is containment of whole values: an array also contains the scalars in it.
func jsonbContains(v, w types.JSON) bool {
	if isScalar(&v) && !isScalar(&w) {
		return false
	}
	v, w = asArray(v), asArray(w)
	return deepContains(&v, &w)
}

func deepContains(v, w *types.JSON) bool {
	switch {
	case v.Kind != w.Kind:
		return false
	case v.Kind == types.JSONObject:
		for i, k := range w.Keys {
			e, ok := v.Field(k)
			if !ok || !deepContains(e, &w.Elems[i]) {
				return false
			}
		}
		return true
	case v.Kind == types.JSONArray:
		for i := range w.Elems {
			if !slices.ContainsFunc(v.Elems, func(e types.JSON) bool { return deepContains(&e, &w.Elems[i]) }) {
				return false
			}
		}
		return true
	}
	return v.Compare(w) == 0
}

// jsonbExists says whether key is a key of the object, a string in the array, or the string itself.
func jsonbExists(v *types.JSON, key string) bool {
	switch v.Kind {
	case types.JSONObject:
		_, ok := v.Field(key)
		return ok
	case types.JSONArray:
		return slices.ContainsFunc(v.Elems, func(e types.JSON) bool { return e.Kind == types.JSONString && e.Text == key })
	}
	return v.Kind == types.JSONString && v.Text == key
}

func existsMany(c *types.Call, all bool) (types.Datum, error) {
	v := c.Args[0].JSONB()
	keys, err := textList(c.Args[1])
	if err != nil {
		return types.Null, err
	}
	for _, k := range keys {
		if !k.IsNull() && jsonbExists(&v, k.Str()) != all {
			return types.Bool(!all), nil
		}
	}
	return types.Bool(all), nil
}

// jsonbConcat merges objects; anything else is joined as arrays.
func jsonbConcat(v, w types.JSON) types.JSON {
	if v.Kind == types.JSONObject && w.Kind == types.JSONObject {
		return types.JSON{Kind: types.JSONObject, Keys: append(v.Keys, w.Keys...), Elems: append(v.Elems, w.Elems...)}
	}
	members := func(x types.JSON) []types.JSON {
		if x.Kind == types.JSONArray {
			return x.Elems
		}
		return []types.JSON{x}
	}
	return types.JSON{Kind: types.JSONArray, Elems: append(members(v), members(w)...)}
}

// remove deletes the ith member.
func remove(v *types.JSON, i int) {
	v.Elems = slices.Delete(v.Elems, i, i+1)
	if v.Kind == types.JSONObject {
		v.Keys = slices.Delete(v.Keys, i, i+1)
	}
}

func jsonbDelete(c *types.Call, keys []string) (types.Datum, error) {
	v := c.Args[0].JSONB()
	if isScalar(&v) {
		return types.Null, jsonParam("cannot delete from scalar")
	}
	for i := len(v.Elems) - 1; i >= 0; i-- {
		var name string
		switch {
		case v.Kind == types.JSONObject:
			name = v.Keys[i]
		case v.Elems[i].Kind == types.JSONString:
			name = v.Elems[i].Text
		default:
			continue
		}
		if slices.Contains(keys, name) {
			remove(&v, i)
		}
	}
	return types.Bytes(v.Append(nil)), nil
}

func jsonbDeleteIndex(c *types.Call) (types.Datum, error) {
	v := c.Args[0].JSONB()
	switch {
	case isScalar(&v):
		return types.Null, jsonParam("cannot delete from scalar")
	case v.Kind == types.JSONObject:
		return types.Null, jsonParam("cannot delete from object using integer index")
	}
	i := int(c.Args[1].Int4())
	if i < 0 {
		i += len(v.Elems)
	}
	if i < 0 || i >= len(v.Elems) {
		return c.Args[0], nil
	}
	remove(&v, i)
	return types.Bytes(v.Append(nil)), nil
}

// stripNulls removes the object members that are null, at all depths.
func stripNulls(v *types.JSON) {
	for i := len(v.Elems) - 1; i >= 0; i-- {
		if v.Kind == types.JSONObject && v.Elems[i].Kind == types.JSONNull {
			remove(v, i)
			continue
		}
		stripNulls(&v.Elems[i])
	}
}

func appendPretty(b []byte, v *types.JSON, depth int) []byte {
	if isScalar(v) {
		return v.Append(b)
	}
	newLine := func(depth int) {
		b = append(b, '\n')
		for range 4 * depth {
			b = append(b, ' ')
		}
	}
	brackets := "[]"
	if v.Kind == types.JSONObject {
		brackets = "{}"
	}
	b = append(b, brackets[0])
	for i := range v.Elems {
		if i > 0 {
			b = append(b, ',')
		}
		newLine(depth + 1)
		if v.Kind == types.JSONObject {
			b = append(types.AppendJSONString(b, v.Keys[i]), ": "...)
		}
		b = appendPretty(b, &v.Elems[i], depth+1)
	}
	newLine(depth)
	return append(b, brackets[1])
}
