package funcs

import (
	"math"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Access to parts of json and jsonb values: -> ->> #> #>> ?, keys, elements. A part of a json is the text it has there; a part of a jsonb
// is printed anew.

// jsonFamily tells json from jsonb.
type jsonFamily struct {
	prefix string
	binary bool
}

var jsonFamilies = []jsonFamily{{"json", false}, {"jsonb", true}}

func (f jsonFamily) parse(d types.Datum) (types.JSON, error) { return types.ParseJSON(d.Str(), true) }

func (f jsonFamily) datum(v *types.JSON) types.Datum {
	if f.binary {
		return types.Bytes(v.Append(nil))
	}
	return types.Text(strings.Clone(v.Raw))
}

// text gives a part as text: a string without quotes, null as SQL's.
func (f jsonFamily) text(v *types.JSON) types.Datum {
	switch v.Kind {
	case types.JSONNull:
		return types.Null
	case types.JSONString:
		return types.Text(strings.Clone(v.Text))
	}
	return f.datum(v)
}

// give is datum or text.
func (f jsonFamily) give(asText bool) func(v *types.JSON) types.Datum {
	if asText {
		return f.text
	}
	return f.datum
}

func init() {
	for _, f := range jsonFamilies {
		for suffix, asText := range map[string]bool{"": false, "_text": true} {
			give := f.give(asText)
			types.RegisterFunc(f.prefix+"_object_field"+suffix, func(c *types.Call) (types.Datum, error) {
				v, err := f.parse(c.Args[0])
				if err != nil {
					return types.Null, err
				}
				if e := field(&v, c.Args[1].Str()); e != nil {
					return give(e), nil
				}
				return types.Null, nil
			})
			types.RegisterFunc(f.prefix+"_array_element"+suffix, func(c *types.Call) (types.Datum, error) {
				v, err := f.parse(c.Args[0])
				if err != nil {
					return types.Null, err
				}
				if f.binary && v.Kind < types.JSONArray {
					v = types.JSON{Kind: types.JSONArray, Elems: []types.JSON{v}}
				}
				if e := element(&v, int(c.Args[1].Int4())); e != nil {
					return give(e), nil
				}
				return types.Null, nil
			})
			types.RegisterFunc(f.prefix+"_extract_path"+suffix, func(c *types.Call) (types.Datum, error) { return extractPath(c, f, give) })
			types.RegisterSRF(f.prefix+"_array_elements"+suffix, func(c *types.Call) (types.Iterator, error) {
				return arrayElements(c, f, f.prefix+"_array_elements"+suffix, give)
			})
			types.RegisterSRF(f.prefix+"_each"+suffix, func(c *types.Call) (types.Iterator, error) {
				return each(c, f, f.prefix+"_each"+suffix, asText)
			})
		}
		types.RegisterSRF(f.prefix+"_object_keys", func(c *types.Call) (types.Iterator, error) { return objectKeys(c, f) })
		types.RegisterFunc(f.prefix+"_array_length", func(c *types.Call) (types.Datum, error) {
			v, err := f.parse(c.Args[0])
			switch {
			case err != nil:
				return types.Null, err
			case v.Kind < types.JSONArray:
				return types.Null, jsonParam("cannot get array length of a scalar")
			case v.Kind == types.JSONObject:
				return types.Null, jsonParam("cannot get array length of a non-array")
			}
			return types.Int4(int32(len(v.Elems))), nil
		})
		types.RegisterFunc(f.prefix+"_typeof", func(c *types.Call) (types.Datum, error) {
			v, err := f.parse(c.Args[0])
			return types.Text(jsonKindNames[v.Kind]), err
		})
	}
}

var jsonKindNames = [...]string{"null", "string", "number", "boolean", "array", "object"}

func jsonParam(format string, args ...any) error {
	return pgerr.New(pgerr.InvalidParameterValue, format, args...)
}

// field finds an object's value: of equal keys the last counts.
func field(v *types.JSON, key string) *types.JSON {
	if v.Kind != types.JSONObject {
		return nil
	}
	for i := len(v.Keys) - 1; i >= 0; i-- {
		if v.Keys[i] == key {
			return &v.Elems[i]
		}
	}
	return nil
}

// element finds an array's element; negative numbers count from the end.
func element(v *types.JSON, i int) *types.JSON {
	if i < 0 {
		i += len(v.Elems)
	}
	if v.Kind != types.JSONArray || i < 0 || i >= len(v.Elems) {
		return nil
	}
	return &v.Elems[i]
}

// pathIndex reads a path's step as an array position.
func pathIndex(s string) (int, bool) {
	n, err := strconv.ParseInt(strings.TrimLeft(s, " \t\n\v\f\r"), 10, 64)
	if err != nil || n > math.MaxInt32 || n < math.MinInt32 {
		return 0, false
	}
	return int(n), true
}

// textList reads a text[].
func textList(d types.Datum) ([]types.Datum, error) {
	text, _ := types.BuiltinType(types.TextOID)
	return types.ArrayElements(text, d, nil)
}

func extractPath(c *types.Call, f jsonFamily, give func(*types.JSON) types.Datum) (types.Datum, error) {
	path, err := textList(c.Args[1])
	if err != nil {
		return types.Null, err
	}
	v, err := f.parse(c.Args[0])
	if err != nil {
		return types.Null, err
	}
	at := &v
	for _, step := range path {
		if step.IsNull() {
			return types.Null, nil
		}
		if at.Kind == types.JSONObject {
			at = field(at, step.Str())
		} else if i, ok := pathIndex(step.Str()); ok {
			at = element(at, i)
		} else {
			return types.Null, nil
		}
		if at == nil {
			return types.Null, nil
		}
	}
	return give(at), nil
}

func arrayElements(c *types.Call, f jsonFamily, fn string, give func(*types.JSON) types.Datum) (types.Iterator, error) {
	v, err := f.parse(c.Args[0])
	switch {
	case err != nil:
		return nil, err
	case v.Kind == types.JSONObject && f.binary:
		return nil, jsonParam("cannot extract elements from an object")
	case v.Kind == types.JSONObject:
		return nil, jsonParam("cannot call %s on a non-array", fn)
	case v.Kind < types.JSONArray && f.binary:
		return nil, jsonParam("cannot extract elements from a scalar")
	case v.Kind < types.JSONArray:
		return nil, jsonParam("cannot call %s on a scalar", fn)
	}
	it := &sliceIterator{}
	for i := range v.Elems {
		it.values = append(it.values, give(&v.Elems[i]))
	}
	return it, nil
}

func objectKeys(c *types.Call, f jsonFamily) (types.Iterator, error) {
	v, err := f.parse(c.Args[0])
	switch {
	case err != nil:
		return nil, err
	case v.Kind < types.JSONArray:
		return nil, jsonParam("cannot call %s_object_keys on a scalar", f.prefix)
	case v.Kind == types.JSONArray:
		return nil, jsonParam("cannot call %s_object_keys on an array", f.prefix)
	}
	it := &sliceIterator{}
	for _, k := range v.Keys {
		it.values = append(it.values, types.Text(strings.Clone(k)))
	}
	return it, nil
}

// pairIterator gives (key, value) rows.
type pairIterator struct {
	desc   *types.TupleDesc
	keys   []string
	values []types.Datum
	next   int
}

func (p *pairIterator) Desc() *types.TupleDesc { return p.desc }

func (p *pairIterator) Next(row []types.Datum) (bool, error) {
	if p.next >= len(p.keys) {
		return false, nil
	}
	row[0], row[1] = types.Text(p.keys[p.next]), p.values[p.next]
	p.next++
	return true, nil
}

func each(c *types.Call, f jsonFamily, fn string, asText bool) (types.Iterator, error) {
	v, err := f.parse(c.Args[0])
	switch {
	case err != nil:
		return nil, err
	case v.Kind == types.JSONArray && !f.binary:
		return nil, jsonParam("cannot deconstruct an array as an object")
	case v.Kind != types.JSONObject && !f.binary:
		return nil, jsonParam("cannot deconstruct a scalar")
	case v.Kind != types.JSONObject:
		return nil, jsonParam("cannot call %s on a non-object", fn)
	}
	value := argType(c, 0)
	if asText {
		value = types.TextOID
	} else if value == 0 {
		value = jsonOID(f.binary)
	}
	p := &pairIterator{keys: v.Keys}
	p.desc, err = types.NewRecordDesc(c.Env, []types.RecordColumn{{Name: "key", Type: types.TextOID, TypMod: -1}, {Name: "value", Type: value, TypMod: -1}})
	give := f.give(asText)
	for i := range v.Elems {
		p.values = append(p.values, give(&v.Elems[i]))
	}
	return p, err
}

func jsonOID(binary bool) types.OID {
	if binary {
		return 3802
	}
	return 114
}
