package funcs

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	types.RegisterFunc("array_position", arrayPosition)
	types.RegisterFunc("array_position_start", arrayPosition)
	types.RegisterFunc("array_positions", arrayPositions)
	types.RegisterFunc("array_remove", func(c *types.Call) (types.Datum, error) { return arrayReplace(c, c.Args[1], types.Null, true) })
	types.RegisterFunc("array_replace", func(c *types.Call) (types.Datum, error) { return arrayReplace(c, c.Args[1], c.Args[2], false) })
	types.RegisterFunc("arraycontains", func(c *types.Call) (types.Datum, error) { return containment(c, c.Args[1], c.Args[0], true) })
	types.RegisterFunc("arraycontained", func(c *types.Call) (types.Datum, error) { return containment(c, c.Args[0], c.Args[1], true) })
	types.RegisterFunc("arrayoverlap", func(c *types.Call) (types.Datum, error) { return containment(c, c.Args[0], c.Args[1], false) })
	types.RegisterFunc("array_to_text", func(c *types.Call) (types.Datum, error) { return arrayToText(c, types.Null) })
	types.RegisterFunc("array_to_text_null", func(c *types.Call) (types.Datum, error) {
		if c.Args[0].IsNull() || c.Args[1].IsNull() {
			return types.Null, nil
		}
		return arrayToText(c, c.Args[2])
	})
}

// compareElems resolves the element type's comparison, once a call site.
func compareElems(c *types.Call, elem types.OID) (types.CompareFunc, error) {
	if f, ok := c.Cache.(types.CompareFunc); ok {
		return f, nil
	}
	f, err := types.CompareFor(c.Env, elem, c.Collation)
	if err != nil {
		return nil, pgerr.New(pgerr.UndefinedFunction, "could not identify an equality operator for type %s", types.FormatType(c.Env, elem))
	}
	c.Cache = f
	return f, nil
}

// matcher compares values with one that may be null: nulls are equal here.
func matcher(cmp types.CompareFunc, v types.Datum) func(types.Datum) bool {
	return func(d types.Datum) bool {
		if d.IsNull() || v.IsNull() {
			return d.IsNull() && v.IsNull()
		}
		return cmp(d, v) == 0
	}
}

// searchArray opens a one-dimensional array and the comparison with its elements.
func searchArray(c *types.Call, what string) (*types.Array, *types.TypeInfo, types.CompareFunc, error) {
	elem, err := elemOf(c, c.Args[0], 0)
	if err != nil {
		return nil, nil, nil, err
	}
	if types.ArrayNDims(c.Args[0]) > 1 {
		return nil, nil, nil, pgerr.New(pgerr.FeatureNotSupported, "%s", what)
	}
	a, err := types.OpenArray(elem, c.Args[0])
	if err != nil {
		return nil, nil, nil, err
	}
	cmp, err := compareElems(c, elem.OID)
	return a, elem, cmp, err
}

const searchMulti = "searching for elements in multidimensional arrays is not supported"

func arrayPosition(c *types.Call) (types.Datum, error) {
	if c.Args[0].IsNull() {
		return types.Null, nil
	}
	a, _, cmp, err := searchArray(c, searchMulti)
	if err != nil || len(a.Dims) == 0 {
		return types.Null, err
	}
	start := 0
	if len(c.Args) > 2 {
		if c.Args[2].IsNull() {
			return types.Null, pgerr.New(pgerr.NullValueNotAllowed, "initial position must not be null")
		}
		start = int(c.Args[2].Int4()) - int(a.Lower[0])
	}
	match := matcher(cmp, c.Args[1])
	for i, v := range a.Elems {
		if i >= start && match(v) {
			return types.Int4(int32(i) + a.Lower[0]), nil
		}
	}
	return types.Null, nil
}

func arrayPositions(c *types.Call) (types.Datum, error) {
	if c.Args[0].IsNull() {
		return types.Null, nil
	}
	a, _, cmp, err := searchArray(c, searchMulti)
	if err != nil {
		return types.Null, err
	}
	var found []types.Datum
	match := matcher(cmp, c.Args[1])
	for i, v := range a.Elems {
		if match(v) {
			found = append(found, types.Int4(int32(i)+a.Lower[0]))
		}
	}
	int4, _ := types.BuiltinType(types.Int4OID)
	return types.MakeArray(int4, found), nil
}

func arrayReplace(c *types.Call, from, to types.Datum, remove bool) (types.Datum, error) {
	if c.Args[0].IsNull() {
		return types.Null, nil
	}
	elem, err := elemOf(c, c.Args[0], 0)
	if err != nil {
		return types.Null, err
	}
	a, err := types.OpenArray(elem, c.Args[0])
	if err != nil {
		return types.Null, err
	}
	if remove && len(a.Dims) > 1 {
		return types.Null, pgerr.New(pgerr.FeatureNotSupported, "removing elements from multidimensional arrays is not supported")
	}
	cmp, err := compareElems(c, elem.OID)
	if err != nil {
		return types.Null, err
	}
	match := matcher(cmp, from)
	var out []types.Datum
	for _, v := range a.Elems {
		switch {
		case !match(v):
			out = append(out, v)
		case !remove:
			out = append(out, to)
		}
	}
	if remove && len(a.Dims) > 0 {
		a.Dims[0] = int32(len(out))
	}
	return types.BuildArray(elem, out, a.Dims, a.Lower), nil
}

// containment: every (all) or some element of a is in b; nulls match nothing.
func containment(c *types.Call, a, b types.Datum, all bool) (types.Datum, error) {
	if types.ArrayElemType(a) != types.ArrayElemType(b) {
		return types.Null, pgerr.New(pgerr.DatatypeMismatch, "cannot compare arrays of different element types")
	}
	elem, err := elemOf(c, a, 0)
	if err != nil {
		return types.Null, err
	}
	cmp, err := compareElems(c, elem.OID)
	if err != nil {
		return types.Null, err
	}
	x, err := types.ArrayElements(elem, a, nil)
	if err != nil {
		return types.Null, err
	}
	y, err := types.ArrayElements(elem, b, nil)
	if err != nil {
		return types.Null, err
	}
	for _, v := range x {
		found := false
		for _, w := range y {
			if !v.IsNull() && !w.IsNull() && cmp(v, w) == 0 {
				found = true
				break
			}
		}
		if found != all {
			return types.Bool(found), nil
		}
	}
	return types.Bool(all), nil
}

func arrayToText(c *types.Call, null types.Datum) (types.Datum, error) {
	elem, err := elemOf(c, c.Args[0], 0)
	if err != nil {
		return types.Null, err
	}
	values, err := types.ArrayElements(elem, c.Args[0], nil)
	if err != nil {
		return types.Null, err
	}
	io, err := types.IOFor(c.Env, elem.OID)
	if err != nil {
		return types.Null, err
	}
	var parts []string
	for _, v := range values {
		switch {
		case !v.IsNull():
			b, err := io.AppendText(c.Env, nil, v)
			if err != nil {
				return types.Null, err
			}
			parts = append(parts, string(b))
		case !null.IsNull():
			parts = append(parts, null.Str())
		}
	}
	return types.Text(strings.Join(parts, c.Args[1].Str())), nil
}
