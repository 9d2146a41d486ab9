package funcs

import (
	"math"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// width_bucket of numeric, and of a sorted array of lower bounds.

func init() {
	types.RegisterFunc("width_bucket_numeric", widthBucketNumeric)
	types.RegisterFunc("width_bucket_array", widthBucketArray)
}

func widthBucketNumeric(c *types.Call) (types.Datum, error) {
	x, lo, hi, count := c.Args[0].Numeric(), c.Args[1].Numeric(), c.Args[2].Numeric(), c.Args[3].Int4()
	switch {
	case count <= 0:
		return types.Null, bucketError("count must be greater than zero")
	case x.IsNaN() || lo.IsNaN() || hi.IsNaN():
		return types.Null, bucketError("operand, lower bound, and upper bound cannot be NaN")
	case lo.IsInf() || hi.IsInf():
		return types.Null, bucketError("lower and upper bounds must be finite")
	}
	direction := types.CompareNumeric(lo, hi)
	below, above := types.CompareNumeric(x, lo), types.CompareNumeric(x, hi)
	switch {
	case direction == 0:
		return types.Null, bucketError("lower bound cannot equal upper bound")
	case below*direction > 0:
		return types.Int4(0), nil
	case above*direction <= 0 && count == math.MaxInt32:
		return types.Null, pgerr.New(pgerr.NumericValueOutOfRange, "integer out of range")
	case above*direction <= 0:
		return types.Int4(count + 1), nil
	}
	// floor(count * (x - lo) / (hi - lo)) + 1
	n, err := types.NumericFromInt64(int64(count)).Datum(nil)
	if err != nil {
		return types.Null, err
	}
	part, err := chain(c.Env, c.Args[0], step{"numeric_sub", c.Args[1]}, step{"numeric_mul", n})
	if err != nil {
		return types.Null, err
	}
	width, err := types.CallFunc(c.Env, "numeric_sub", c.Args[2], c.Args[1])
	if err != nil {
		return types.Null, err
	}
	one, err := types.NumericFromInt64(1).Datum(nil)
	if err != nil {
		return types.Null, err
	}
	part, err = chain(c.Env, part, step{"numeric_div_trunc", width}, step{"numeric_add", one})
	if err != nil {
		return types.Null, err
	}
	return types.CallFunc(c.Env, "numeric_int4", part)
}

// step is an operation with its right operand.
type step struct {
	fn    string
	right types.Datum
}

// chain applies operations from the left.
func chain(env *types.Env, d types.Datum, steps ...step) (types.Datum, error) {
	var err error
	for _, s := range steps {
		if d, err = types.CallFunc(env, s.fn, d, s.right); err != nil {
			return types.Null, err
		}
	}
	return d, nil
}

// widthBucketArray counts the bounds that are not above the operand.
func widthBucketArray(c *types.Call) (types.Datum, error) {
	if types.ArrayNDims(c.Args[1]) > 1 {
		return types.Null, errSubscripts("thresholds must be one-dimensional array")
	}
	elem, err := elemOf(c, c.Args[1], 0)
	if err != nil {
		return types.Null, err
	}
	bounds, err := types.ArrayElements(elem, c.Args[1], nil)
	if err != nil {
		return types.Null, err
	}
	for _, b := range bounds {
		if b.IsNull() {
			return types.Null, pgerr.New(pgerr.NullValueNotAllowed, "thresholds array must not contain NULLs")
		}
	}
	cmp, err := compareElems(c, elem.OID)
	if err != nil {
		return types.Null, err
	}
	low, high := 0, len(bounds)
	for low < high {
		if mid := (low + high) / 2; cmp(c.Args[0], bounds[mid]) < 0 {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return types.Int4(int32(low)), nil
}
