package types

import "github.com/calfdb/calf/sql/pgerr"

// fixedLength says whether a container is of fixed length: name and point have elements but are no arrays.
func fixedLength(typ *TypeInfo) bool { return typ.Len > 0 }

// openContainer takes an array or a fixed-length container (as one dimension from 0) apart.
func openContainer(typ, elem *TypeInfo, d Datum) (*Array, error) {
	if !fixedLength(typ) {
		return OpenArray(elem, d)
	}
	b := d.Bytes()
	n := int(typ.Len) / int(elem.Len)
	padded := make([]byte, typ.Len)
	copy(padded, b)
	a := &Array{Dims: []int32{int32(n)}, Lower: []int32{0}, ElemID: elem.OID}
	for i := 0; i < n; i++ {
		e, _ := fetchElement(elem, padded[i*int(elem.Len):])
		a.Elems = append(a.Elems, e)
	}
	return a, nil
}

// index gives the position of an element in row-major order, -1 when a subscript is out of bounds or their number is not that of the
// dimensions.
func (a *Array) index(idx []OptionalInt) int {
	if len(idx) != len(a.Dims) || len(idx) == 0 {
		return -1
	}
	pos := 0
	for i, x := range idx {
		off := int64(x.Value) - int64(a.Lower[i])
		if off < 0 || off >= int64(a.Dims[i]) {
			return -1
		}
		pos = pos*int(a.Dims[i]) + int(off)
	}
	return pos
}

// ArrayGet reads one element; null when there is none.
func ArrayGet(typ, elem *TypeInfo, arr Datum, idx []OptionalInt) (Datum, error) {
	a, err := openContainer(typ, elem, arr)
	if err != nil {
		return Null, err
	}
	if i := a.index(idx); i >= 0 {
		return a.Elems[i], nil
	}
	return Null, nil
}

// ArraySlice reads a slice: its lower bounds are 1. Bounds that are left out are the array's; a slice outside of it is empty.
func ArraySlice(typ, elem *TypeInfo, arr Datum, lower, upper []OptionalInt) (Datum, error) {
	if fixedLength(typ) {
		return Null, pgerr.New(pgerr.FeatureNotSupported, "slices of fixed-length arrays not implemented")
	}
	a, err := OpenArray(elem, arr)
	if err != nil {
		return Null, err
	}
	nd := len(a.Dims)
	if nd == 0 || len(upper) > nd {
		return EmptyArray(elem.OID), nil
	}
	lo, dims, ones := make([]int32, nd), make([]int32, nd), make([]int32, nd)
	for i := range dims {
		from, to := int64(a.Lower[i]), int64(a.Lower[i])+int64(a.Dims[i])-1
		if i < len(upper) {
			if lower[i].Set {
				from = max(from, int64(lower[i].Value))
			}
			if upper[i].Set {
				to = min(to, int64(upper[i].Value))
			}
		}
		if from > to {
			return EmptyArray(elem.OID), nil
		}
		lo[i], dims[i], ones[i] = int32(from), int32(to-from+1), 1
	}
	var out []Datum
	eachIndex(dims, func(rel []int32) {
		pos := 0
		for i := range rel {
			pos = pos*int(a.Dims[i]) + int(lo[i]-a.Lower[i]+rel[i])
		}
		out = append(out, a.Elems[pos])
	})
	return BuildArray(elem, out, dims, ones), nil
}

// eachIndex calls f with each combination of 0-based subscripts, in row-major order.
func eachIndex(dims []int32, f func([]int32)) {
	idx := make([]int32, len(dims))
	for {
		f(idx)
		i := len(dims) - 1
		for ; i >= 0; i-- {
			if idx[i]++; idx[i] < dims[i] {
				break
			}
			idx[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

// ArraySet gives arr with one element replaced. A one-dimensional array grows to the subscript, the gap filled with nulls; a null or empty array
// becomes one of a single element.
func ArraySet(typ, elem *TypeInfo, arr Datum, idx []OptionalInt, v Datum) (Datum, error) {
	if fixedLength(typ) {
		return setFixed(typ, elem, arr, idx, v)
	}
	if arr.IsNull() || ArrayNDims(arr) == 0 {
		dims, lower := make([]int32, len(idx)), make([]int32, len(idx))
		for i, x := range idx {
			dims[i], lower[i] = 1, x.Value
		}
		if err := checkUpper(dims, lower); err != nil {
			return Null, err
		}
		return BuildArray(elem, []Datum{v}, dims, lower), nil
	}
	a, err := OpenArray(elem, arr)
	if err != nil {
		return Null, err
	}
	if len(idx) != len(a.Dims) {
		return Null, pgerr.New(pgerr.ArraySubscriptError, "wrong number of array subscripts")
	}
	if len(idx) == 1 {
		if err := a.growTo(idx[0].Value, idx[0].Value); err != nil {
			return Null, err
		}
	}
	i := a.index(idx)
	if i < 0 {
		return Null, pgerr.New(pgerr.ArraySubscriptError, "array subscript out of range")
	}
	a.Elems[i] = v
	return BuildArray(elem, a.Elems, a.Dims, a.Lower), nil
}

// growTo makes a one-dimensional array reach from lo to hi.
func (a *Array) growTo(lo, hi int32) error {
	first, last := int64(a.Lower[0]), int64(a.Lower[0])+int64(a.Dims[0])-1
	before := max(first-int64(lo), 0)
	after := max(int64(hi)-last, 0)
	total := before + int64(a.Dims[0]) + after
	if total > arrayElemsMax {
		return pgerr.New(pgerr.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", arrayElemsMax)
	}
	if before > 0 {
		a.Elems = append(nulls(int(before)), a.Elems...)
		a.Lower[0] = lo
	}
	a.Elems = append(a.Elems, nulls(int(after))...)
	a.Dims[0] = int32(total)
	return checkUpper(a.Dims, a.Lower)
}

func nulls(n int) []Datum {
	out := make([]Datum, n)
	for i := range out {
		out[i] = Null
	}
	return out
}

// checkUpper refuses upper bounds that do not fit an integer.
func checkUpper(dims, lower []int32) error {
	for i := range dims {
		if int64(lower[i])+int64(dims[i]) > 1<<31-1 {
			return pgerr.New(pgerr.ProgramLimitExceeded, "array lower bound is too large: %d", lower[i])
		}
	}
	return nil
}

func setFixed(typ, elem *TypeInfo, arr Datum, idx []OptionalInt, v Datum) (Datum, error) {
	if len(idx) != 1 {
		return Null, pgerr.New(pgerr.ArraySubscriptError, "wrong number of array subscripts")
	}
	n := int32(typ.Len) / int32(elem.Len)
	if idx[0].Value < 0 || idx[0].Value >= n {
		return Null, pgerr.New(pgerr.ArraySubscriptError, "array subscript out of range")
	}
	if v.IsNull() || arr.IsNull() { // such an array cannot hold a null: it stays as it is
		return arr, nil
	}
	b := make([]byte, typ.Len)
	copy(b, arr.Bytes())
	putElement(elem, b[int(idx[0].Value)*int(elem.Len):][:elem.Len], v)
	return Bytes(b), nil
}

// ArraySetSlice gives arr with a slice replaced by the elements of another array.
func ArraySetSlice(typ, elem *TypeInfo, arr Datum, lower, upper []OptionalInt, v Datum) (Datum, error) {
	if fixedLength(typ) {
		return Null, pgerr.New(pgerr.FeatureNotSupported, "updates on slices of fixed-length arrays not implemented")
	}
	if v.IsNull() {
		return arr, nil
	}
	src, err := OpenArray(elem, v)
	if err != nil {
		return Null, err
	}
	if arr.IsNull() || ArrayNDims(arr) == 0 {
		return newFromSlice(elem, src, lower, upper)
	}
	a, err := OpenArray(elem, arr)
	if err != nil {
		return Null, err
	}
	if len(upper) > len(a.Dims) || len(a.Dims) > arrayDimsMax {
		return Null, pgerr.New(pgerr.ArraySubscriptError, "wrong number of array subscripts")
	}
	lo, hi := make([]int32, len(a.Dims)), make([]int32, len(a.Dims))
	for i := range lo {
		lo[i], hi[i] = a.Lower[i], a.Lower[i]+a.Dims[i]-1
		if i < len(upper) {
			if lower[i].Set {
				lo[i] = lower[i].Value
			}
			if upper[i].Set {
				hi[i] = upper[i].Value
			}
		}
		if lo[i] > hi[i] {
			return Null, pgerr.New(pgerr.ArraySubscriptError, "upper bound cannot be less than lower bound")
		}
		if len(a.Dims) > 1 && (lo[i] < a.Lower[i] || hi[i] > a.Lower[i]+a.Dims[i]-1) {
			return Null, pgerr.New(pgerr.ArraySubscriptError, "array subscript out of range")
		}
	}
	if len(a.Dims) == 1 {
		if err := a.growTo(lo[0], hi[0]); err != nil {
			return Null, err
		}
	}
	return a.replaceSlice(elem, src, lo, hi)
}

func (a *Array) replaceSlice(elem *TypeInfo, src *Array, lo, hi []int32) (Datum, error) {
	dims := make([]int32, len(lo))
	need := 1
	for i := range lo {
		dims[i] = hi[i] - lo[i] + 1
		need *= int(dims[i])
	}
	if len(src.Elems) < need {
		return Null, pgerr.New(pgerr.ArraySubscriptError, "source array too small")
	}
	next := 0
	eachIndex(dims, func(rel []int32) {
		pos := 0
		for i := range rel {
			pos = pos*int(a.Dims[i]) + int(lo[i]-a.Lower[i]+rel[i])
		}
		a.Elems[pos] = src.Elems[next]
		next++
	})
	return BuildArray(elem, a.Elems, a.Dims, a.Lower), nil
}

// newFromSlice makes an array by assigning a slice to a null one: all bounds must be given.
func newFromSlice(elem *TypeInfo, src *Array, lower, upper []OptionalInt) (Datum, error) {
	dims, lo := make([]int32, len(upper)), make([]int32, len(upper))
	need := 1
	for i := range upper {
		if !upper[i].Set || !lower[i].Set {
			return Null, pgerr.New(pgerr.ArraySubscriptError, "array slice subscript must provide both boundaries").
				WithDetail("When assigning to a slice of an empty array value, slice boundaries must be fully specified.")
		}
		size := int64(upper[i].Value) - int64(lower[i].Value) + 1
		if size <= 0 {
			return Null, pgerr.New(pgerr.ArraySubscriptError, "upper bound cannot be less than lower bound")
		}
		if size > arrayElemsMax || int64(need)*size > arrayElemsMax {
			return Null, pgerr.New(pgerr.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", arrayElemsMax)
		}
		dims[i], lo[i] = int32(size), lower[i].Value
		need *= int(size)
	}
	if len(src.Elems) < need {
		return Null, pgerr.New(pgerr.ArraySubscriptError, "source array too small")
	}
	return BuildArray(elem, src.Elems[:need], dims, lo), nil
}
