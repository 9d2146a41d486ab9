package funcs

import (
	"slices"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// jsonb_set, jsonb_insert, #-: changes along a path.

// pathChange is what happens at a path's end.
type pathChange struct {
	value  types.JSON
	set    bool // replace what is there
	create bool // add what is not
	insert bool // put before, or with after behind, what is there
	after  bool
	remove bool
}

func init() {
	types.RegisterFunc("jsonb_set", func(c *types.Call) (types.Datum, error) {
		return changeAtPath(c, "cannot set path in scalar", pathChange{value: c.Args[2].JSONB(), set: true, create: c.Args[3].Bool()})
	})
	types.RegisterFunc("jsonb_insert", func(c *types.Call) (types.Datum, error) {
		return changeAtPath(c, "cannot set path in scalar", pathChange{value: c.Args[2].JSONB(), insert: true, create: true, after: c.Args[3].Bool()})
	})
	types.RegisterFunc("jsonb_delete_path", func(c *types.Call) (types.Datum, error) {
		return changeAtPath(c, "cannot delete path in scalar", pathChange{remove: true})
	})
	types.RegisterFunc("jsonb_set_lax", jsonbSetLax)
}

func jsonbSetLax(c *types.Call) (types.Datum, error) {
	if c.Args[0].IsNull() || c.Args[1].IsNull() || c.Args[3].IsNull() {
		return types.Null, nil
	}
	if c.Args[4].IsNull() {
		return types.Null, jsonParam("null_value_treatment must be \"delete_key\", \"return_target\", \"use_json_null\", or \"raise_exception\"")
	}
	if !c.Args[2].IsNull() {
		return changeAtPath(c, "cannot set path in scalar", pathChange{value: c.Args[2].JSONB(), set: true, create: c.Args[3].Bool()})
	}
	switch c.Args[4].Str() {
	case "raise_exception":
		return types.Null, pgerr.New(pgerr.NullValueNotAllowed, "JSON value must not be null").
			WithDetail("Exception was raised because null_value_treatment is \"raise_exception\".").
			WithHint("To avoid, either change the null_value_treatment argument or ensure that an SQL NULL is not passed.")
	case "use_json_null":
		return changeAtPath(c, "cannot set path in scalar", pathChange{set: true, create: c.Args[3].Bool()})
	case "delete_key":
		return changeAtPath(c, "cannot delete path in scalar", pathChange{remove: true})
	case "return_target":
		return c.Args[0], nil
	}
	return types.Null, jsonParam("null_value_treatment must be \"delete_key\", \"return_target\", \"use_json_null\", or \"raise_exception\"")
}

func changeAtPath(c *types.Call, ofScalar string, ch pathChange) (types.Datum, error) {
	if types.ArrayNDims(c.Args[1]) > 1 {
		return types.Null, pgerr.New(pgerr.ArraySubscriptError, "wrong number of array subscripts")
	}
	v := c.Args[0].JSONB()
	if isScalar(&v) {
		return types.Null, jsonParam("%s", ofScalar)
	}
	path, err := textList(c.Args[1])
	if err != nil {
		return types.Null, err
	}
	if len(path) == 0 || len(v.Elems) == 0 && !ch.create {
		return c.Args[0], nil
	}
	if err := ch.apply(&v, path, 0); err != nil {
		return types.Null, err
	}
	return v.JSONB()
}

func (ch *pathChange) apply(v *types.JSON, path []types.Datum, level int) error {
	step := path[level]
	if step.IsNull() {
		return pgerr.New(pgerr.NullValueNotAllowed, "path element at position %d is null", level+1)
	}
	switch v.Kind {
	case types.JSONObject:
		return ch.applyToObject(v, path, level, step.Str())
	case types.JSONArray:
		return ch.applyToArray(v, path, level, step.Str())
	}
	return nil
}

func (ch *pathChange) applyToObject(v *types.JSON, path []types.Datum, level int, key string) error {
	i := slices.Index(v.Keys, key)
	last := level == len(path)-1
	switch {
	case i >= 0 && !last:
		return ch.apply(&v.Elems[i], path, level+1)
	case i >= 0 && ch.insert:
		return jsonParamHint("cannot replace existing key", "Try using the function jsonb_set to replace key value.")
	case i >= 0 && ch.remove:
		remove(v, i)
	case i >= 0:
		v.Elems[i] = ch.value
	case last && ch.create:
		v.Keys, v.Elems = append(v.Keys, key), append(v.Elems, ch.value)
	}
	return nil
}

func jsonParamHint(msg, hint string) error {
	return pgerr.New(pgerr.InvalidParameterValue, "%s", msg).WithHint("%s", hint)
}

func (ch *pathChange) applyToArray(v *types.JSON, path []types.Datum, level int, step string) error {
	i, ok := pathIndex(step)
	if !ok {
		return pgerr.New(pgerr.InvalidTextRepresentation, "path element at position %d is not an integer: \"%s\"", level+1, step)
	}
	n, last := len(v.Elems), level == len(path)-1
	before := i < 0 && -i > n
	if i < 0 && !before {
		i += n
	}
	outside := before || i >= n
	switch {
	case outside && last && ch.create && before:
		v.Elems = slices.Insert(v.Elems, 0, ch.value)
	case outside && last && ch.create:
		v.Elems = append(v.Elems, ch.value)
	case outside:
	case !last:
		return ch.apply(&v.Elems[i], path, level+1)
	case ch.remove:
		remove(v, i)
	case ch.insert && ch.after:
		v.Elems = slices.Insert(v.Elems, i+1, ch.value)
	case ch.insert:
		v.Elems = slices.Insert(v.Elems, i, ch.value)
	default:
		v.Elems[i] = ch.value
	}
	return nil
}
