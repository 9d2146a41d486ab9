package funcs

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// json_build_array, json_build_object, json_object, json_strip_nulls, and the jsonb forms of the first three.

func init() {
	for _, f := range jsonFamilies {
		finish := func(b []byte, err error) (types.Datum, error) { return types.Bytes(b), err }
		if f.binary {
			finish = toJSONB
		}
		types.RegisterFunc(f.prefix+"_build_array_noargs", func(*types.Call) (types.Datum, error) { return types.Text("[]"), nil })
		types.RegisterFunc(f.prefix+"_build_object_noargs", func(*types.Call) (types.Datum, error) { return types.Text("{}"), nil })
		types.RegisterFunc(f.prefix+"_build_array", func(c *types.Call) (types.Datum, error) {
			args, typs, null, err := variadicArgs(c, 0)
			if err != nil || null {
				return types.Null, err
			}
			return finish(buildArray(newJSONWriter(c), args, typs))
		})
		types.RegisterFunc(f.prefix+"_build_object", func(c *types.Call) (types.Datum, error) {
			args, typs, null, err := variadicArgs(c, 0)
			if err != nil || null {
				return types.Null, err
			}
			return finish(buildObject(newJSONWriter(c), f, args, typs))
		})
		types.RegisterFunc(f.prefix+"_object", func(c *types.Call) (types.Datum, error) { return finish(objectOfPairs(c)) })
		types.RegisterFunc(f.prefix+"_object_two_arg", func(c *types.Call) (types.Datum, error) { return finish(objectOfLists(c)) })
	}
	types.RegisterFunc("json_strip_nulls", func(c *types.Call) (types.Datum, error) {
		v, err := types.ParseJSON(c.Args[0].Str(), true)
		if err != nil {
			return types.Null, err
		}
		stripNulls(&v)
		return types.Bytes(appendCompact(nil, &v)), nil
	})
}

func buildArray(w *jsonWriter, args []types.Datum, typs []types.OID) (b []byte, err error) {
	b = append(b, '[')
	for i := range args {
		if i > 0 {
			b = append(b, ", "...)
		}
		if b, err = w.append(b, typs[i], args[i]); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

func buildObject(w *jsonWriter, f jsonFamily, args []types.Datum, typs []types.OID) (b []byte, err error) {
	if len(args)%2 != 0 {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "argument list must have even number of elements").
			WithHint("The arguments of %s_build_object() must consist of alternating keys and values.", f.prefix)
	}
	b = append(b, '{')
	for i := 0; i < len(args); i += 2 {
		if i > 0 {
			b = append(b, ", "...)
		}
		if args[i].IsNull() {
			if f.binary {
				return nil, jsonParam("argument %d: key must not be null", i+1)
			}
			return nil, pgerr.New(pgerr.InvalidParameterValue, "argument %d cannot be null", i+1).WithHint("Object keys should be text.")
		}
		if b, err = w.key(b, typs[i], args[i]); err != nil {
			return b, err
		}
		if b, err = w.append(append(b, " : "...), typs[i+1], args[i+1]); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}

func errSubscripts(msg string) error { return pgerr.New(pgerr.ArraySubscriptError, "%s", msg) }

func objectOfPairs(c *types.Call) ([]byte, error) {
	list, err := textList(c.Args[0])
	if err != nil {
		return nil, err
	}
	switch types.ArrayNDims(c.Args[0]) {
	case 0:
	case 1:
		if len(list)%2 != 0 {
			return nil, errSubscripts("array must have even number of elements")
		}
	case 2:
		if n, _ := types.ArrayBounds(c.Args[0], 1); n != 2 {
			return nil, errSubscripts("array must have two columns")
		}
	default:
		return nil, errSubscripts("wrong number of array subscripts")
	}
	var keys, values []types.Datum
	for i := 0; i < len(list); i += 2 {
		keys, values = append(keys, list[i]), append(values, list[i+1])
	}
	return textObject(keys, values)
}

func objectOfLists(c *types.Call) ([]byte, error) {
	if n, m := types.ArrayNDims(c.Args[0]), types.ArrayNDims(c.Args[1]); n > 1 || n != m {
		return nil, errSubscripts("wrong number of array subscripts")
	}
	keys, err := textList(c.Args[0])
	if err != nil {
		return nil, err
	}
	values, err := textList(c.Args[1])
	if err != nil {
		return nil, err
	}
	if len(keys) != len(values) {
		return nil, errSubscripts("mismatched array dimensions")
	}
	return textObject(keys, values)
}

func textObject(keys, values []types.Datum) ([]byte, error) {
	b := []byte{'{'}
	for i, k := range keys {
		if k.IsNull() {
			return nil, pgerr.New(pgerr.NullValueNotAllowed, "null value not allowed for object key")
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(types.AppendJSONString(b, k.Str()), " : "...)
		if values[i].IsNull() {
			b = append(b, "null"...)
		} else {
			b = types.AppendJSONString(b, values[i].Str())
		}
	}
	return append(b, '}'), nil
}

// appendCompact writes v without white space.
func appendCompact(b []byte, v *types.JSON) []byte {
	if isScalar(v) {
		return v.Append(b)
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
		if v.Kind == types.JSONObject {
			b = append(types.AppendJSONString(b, v.Keys[i]), ':')
		}
		b = appendCompact(b, &v.Elems[i])
	}
	return append(b, brackets[1])
}
