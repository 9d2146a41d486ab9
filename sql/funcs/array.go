package funcs

import (
	"math"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	types.RegisterFunc("array_append", arrayAppend)
	types.RegisterFunc("array_prepend", arrayPrepend)
	types.RegisterFunc("array_cat", arrayCat)
	types.RegisterFunc("array_ndims", func(c *types.Call) (types.Datum, error) {
		n := types.ArrayNDims(c.Args[0])
		if n == 0 {
			return types.Null, nil
		}
		return types.Int4(int32(n)), nil
	})
	types.RegisterFunc("array_dims", arrayDims)
	types.RegisterFunc("array_lower", func(c *types.Call) (types.Datum, error) {
		return arrayBound(c, func(_, lower int32) int32 { return lower })
	})
	types.RegisterFunc("array_upper", func(c *types.Call) (types.Datum, error) {
		return arrayBound(c, func(n, lower int32) int32 { return lower + n - 1 })
	})
	types.RegisterFunc("array_length", func(c *types.Call) (types.Datum, error) {
		return arrayBound(c, func(n, _ int32) int32 { return n })
	})
	types.RegisterFunc("array_cardinality", func(c *types.Call) (types.Datum, error) {
		return types.Int4(int32(types.ArrayCount(c.Args[0]))), nil
	})
	types.RegisterFunc("trim_array", trimArray)
	types.RegisterFunc("array_fill", func(c *types.Call) (types.Datum, error) { return arrayFill(c, types.Null) })
	types.RegisterFunc("array_fill_with_lower_bounds", func(c *types.Call) (types.Datum, error) {
		if c.Args[2].IsNull() {
			return types.Null, pgerr.New(pgerr.NullValueNotAllowed, "dimension array or low bound array cannot be null")
		}
		return arrayFill(c, c.Args[2])
	})
	types.RegisterSRF("array_unnest", unnest)
	types.RegisterSRF("generate_subscripts", generateSubscripts)
	types.RegisterSRF("generate_subscripts_nodir", generateSubscripts)
}

// elemOf finds the element type of an array argument.
func elemOf(c *types.Call, arr types.Datum, argType types.OID) (*types.TypeInfo, error) {
	if !arr.IsNull() {
		return c.Env.TypeByOID(types.ArrayElemType(arr))
	}
	t, err := c.Env.TypeByOID(argType)
	if err != nil {
		return nil, err
	}
	for t.Kind == 'd' {
		if t, err = c.Env.TypeByOID(t.BaseType); err != nil {
			return nil, err
		}
	}
	return c.Env.TypeByOID(t.Elem)
}

func argType(c *types.Call, i int) types.OID {
	if i < len(c.ArgTypes) {
		return c.ArgTypes[i]
	}
	return 0
}

func arrayAppend(c *types.Call) (types.Datum, error) {
	return addElement(c, c.Args[0], 0, c.Args[1], false)
}

func arrayPrepend(c *types.Call) (types.Datum, error) {
	return addElement(c, c.Args[1], 1, c.Args[0], true)
}

func addElement(c *types.Call, arr types.Datum, arrArg int, v types.Datum, front bool) (types.Datum, error) {
	elem, err := elemOf(c, arr, argType(c, arrArg))
	if err != nil {
		return types.Null, err
	}
	if arr.IsNull() || types.ArrayNDims(arr) == 0 {
		return types.MakeArray(elem, []types.Datum{v}), nil
	}
	if types.ArrayNDims(arr) != 1 {
		return types.Null, pgerr.New(pgerr.DataException, "argument must be empty or one-dimensional array")
	}
	n, lower := types.ArrayBounds(arr, 0)
	values := make([]types.Datum, 0, n+1)
	if front {
		values = append(values, v)
	}
	if values, err = types.ArrayElements(elem, arr, values); err != nil {
		return types.Null, err
	}
	if !front {
		values = append(values, v)
	}
	if int64(lower)+int64(n) >= math.MaxInt32 {
		return types.Null, pgerr.New(pgerr.NumericValueOutOfRange, "integer out of range")
	}
	return types.BuildArray(elem, values, []int32{n + 1}, []int32{lower}), nil
}

func arrayCat(c *types.Call) (types.Datum, error) {
	a, b := c.Args[0], c.Args[1]
	switch {
	case a.IsNull():
		return b, nil
	case b.IsNull():
		return a, nil
	}
	if types.ArrayElemType(a) != types.ArrayElemType(b) {
		return types.Null, pgerr.New(pgerr.DatatypeMismatch, "cannot concatenate incompatible arrays").WithDetail(
			"Arrays with element types %s and %s are not compatible for concatenation.",
			types.FormatType(c.Env, types.ArrayElemType(a)), types.FormatType(c.Env, types.ArrayElemType(b)))
	}
	switch {
	case types.ArrayNDims(a) == 0:
		return b, nil
	case types.ArrayNDims(b) == 0:
		return a, nil
	}
	elem, err := elemOf(c, a, 0)
	if err != nil {
		return types.Null, err
	}
	x, err := types.OpenArray(elem, a)
	if err != nil {
		return types.Null, err
	}
	y, err := types.OpenArray(elem, b)
	if err != nil {
		return types.Null, err
	}
	return joinArrays(elem, x, y)
}

// joinArrays concatenates along the first dimension; an array with one dimension less counts as one member.
func joinArrays(elem *types.TypeInfo, x, y *types.Array) (types.Datum, error) {
	values := append(append([]types.Datum{}, x.Elems...), y.Elems...)
	outer, inner := x, y
	switch len(x.Dims) - len(y.Dims) {
	case 0:
		if !sameInner(x.Dims[1:], y.Dims[1:]) {
			return types.Null, incompatible("Arrays with differing element dimensions are not compatible for concatenation.")
		}
		dims := append([]int32{x.Dims[0] + y.Dims[0]}, x.Dims[1:]...)
		return types.BuildArray(elem, values, dims, x.Lower), nil
	case 1:
	case -1:
		outer, inner = y, x
	default:
		return types.Null, incompatible2(len(x.Dims), len(y.Dims))
	}
	if !sameInner(outer.Dims[1:], inner.Dims) {
		return types.Null, incompatible("Arrays with differing dimensions are not compatible for concatenation.")
	}
	dims := append([]int32{outer.Dims[0] + 1}, outer.Dims[1:]...)
	return types.BuildArray(elem, values, dims, outer.Lower), nil
}

func sameInner(a, b []int32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func incompatible(detail string) error {
	return pgerr.New(pgerr.ArraySubscriptError, "cannot concatenate incompatible arrays").WithDetail("%s", detail)
}

func incompatible2(a, b int) error {
	return pgerr.New(pgerr.ArraySubscriptError, "cannot concatenate incompatible arrays").
		WithDetail("Arrays of %d and %d dimensions are not compatible for concatenation.", a, b)
}

func arrayDims(c *types.Call) (types.Datum, error) {
	n := types.ArrayNDims(c.Args[0])
	if n == 0 {
		return types.Null, nil
	}
	var b []byte
	for i := 0; i < n; i++ {
		length, lower := types.ArrayBounds(c.Args[0], i)
		b = appendf(b, "[%d:%d]", lower, lower+length-1)
	}
	return types.Bytes(b), nil
}

func arrayBound(c *types.Call, pick func(length, lower int32) int32) (types.Datum, error) {
	dim := int(c.Args[1].Int4())
	if dim < 1 || dim > types.ArrayNDims(c.Args[0]) {
		return types.Null, nil
	}
	return types.Int4(pick(types.ArrayBounds(c.Args[0], dim-1))), nil
}

func trimArray(c *types.Call) (types.Datum, error) {
	elem, err := elemOf(c, c.Args[0], 0)
	if err != nil {
		return types.Null, err
	}
	a, err := types.OpenArray(elem, c.Args[0])
	if err != nil {
		return types.Null, err
	}
	n, have := c.Args[1].Int4(), int32(0)
	if len(a.Dims) > 0 {
		have = a.Dims[0]
	}
	if n < 0 || n > have {
		return types.Null, pgerr.New(pgerr.ArrayElementError, "number of elements to trim must be between 0 and %d", have)
	}
	if have == 0 || n == have {
		return types.EmptyArray(elem.OID), nil
	}
	per := len(a.Elems) / int(have)
	a.Dims[0] -= n
	ones := make([]int32, len(a.Dims))
	for i := range ones {
		ones[i] = 1
	}
	return types.BuildArray(elem, a.Elems[:per*int(a.Dims[0])], a.Dims, ones), nil
}

func arrayFill(c *types.Call, lowerArg types.Datum) (types.Datum, error) {
	if c.Args[1].IsNull() {
		return types.Null, pgerr.New(pgerr.NullValueNotAllowed, "dimension array or low bound array cannot be null")
	}
	res, err := c.Env.TypeByOID(c.RetType)
	if err != nil {
		return types.Null, err
	}
	elem, err := c.Env.TypeByOID(res.Elem)
	if err != nil {
		return types.Null, err
	}
	dims, err := intList(c, c.Args[1])
	if err != nil {
		return types.Null, err
	}
	lower := make([]int32, len(dims))
	for i := range lower {
		lower[i] = 1
	}
	if !lowerArg.IsNull() {
		if lower, err = intList(c, lowerArg); err != nil {
			return types.Null, err
		}
		if len(lower) != len(dims) {
			return types.Null, pgerr.New(pgerr.ArraySubscriptError, "wrong number of array subscripts").
				WithDetail("Low bound array has different size than dimensions array.")
		}
	}
	total := int64(1)
	for _, d := range dims {
		if total *= int64(d); d < 0 || total > 1<<27-1 {
			return types.Null, pgerr.New(pgerr.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", 1<<27-1)
		}
	}
	if total == 0 || len(dims) == 0 {
		return types.EmptyArray(elem.OID), nil
	}
	if len(dims) > 6 {
		return types.Null, pgerr.New(pgerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", len(dims), 6)
	}
	values := make([]types.Datum, total)
	for i := range values {
		values[i] = c.Args[0]
	}
	return types.BuildArray(elem, values, dims, lower), nil
}

// intList reads a one-dimensional int4[] without nulls.
func intList(c *types.Call, d types.Datum) ([]int32, error) {
	if types.ArrayNDims(d) > 1 {
		return nil, pgerr.New(pgerr.ArraySubscriptError, "wrong number of array subscripts").WithDetail("Dimension array must be one dimensional.")
	}
	elem, _ := types.BuiltinType(types.Int4OID)
	values, err := types.ArrayElements(elem, d, nil)
	if err != nil {
		return nil, err
	}
	ints := make([]int32, len(values))
	for i, v := range values {
		if v.IsNull() {
			return nil, pgerr.New(pgerr.NullValueNotAllowed, "dimension values cannot be null")
		}
		ints[i] = v.Int4()
	}
	return ints, nil
}

// sliceIterator gives prepared values one by one.
type sliceIterator struct {
	values []types.Datum
	next   int
}

func (s *sliceIterator) Next(row []types.Datum) (bool, error) {
	if s.next >= len(s.values) {
		return false, nil
	}
	row[0] = s.values[s.next]
	s.next++
	return true, nil
}

func unnest(c *types.Call) (types.Iterator, error) {
	if c.Args[0].IsNull() {
		return &sliceIterator{}, nil
	}
	elem, err := elemOf(c, c.Args[0], 0)
	if err != nil {
		return nil, err
	}
	values, err := types.ArrayElements(elem, c.Args[0], nil)
	return &sliceIterator{values: values}, err
}

func generateSubscripts(c *types.Call) (types.Iterator, error) {
	dim := int(c.Args[1].Int4())
	if dim < 1 || dim > types.ArrayNDims(c.Args[0]) {
		return &sliceIterator{}, nil
	}
	n, lower := types.ArrayBounds(c.Args[0], dim-1)
	s := &series{next: int64(lower), last: int64(lower) + int64(n) - 1, step: 1}
	if len(c.Args) > 2 && c.Args[2].Bool() {
		s.next, s.last, s.step = s.last, s.next, -1
	}
	return s, nil
}
