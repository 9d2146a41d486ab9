package funcs

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// string_agg, array_agg and the boolean window accumulators.

// textState gathers delimited strings; the first delimiter is skipped at the end.
type textState struct {
	b     []byte
	first int // length of the first delimiter
	any   bool
}

// arrayState gathers values, or arrays of equal shape.
type arrayState struct {
	elem    *types.TypeInfo
	values  []types.Datum
	arrays  bool
	dims    []int32
	lower   []int32
	members int32
}

// boolState counts for bool_and and bool_or over moving frames.
type boolState struct{ count, trues int64 }

func aggState[T any](c *types.Call) *T {
	if s, ok := (*c.AggState).(*T); ok {
		return s
	}
	s := new(T)
	*c.AggState = s
	return s
}

func init() {
	types.RegisterFunc("string_agg_transfn", stringAgg)
	types.RegisterFunc("bytea_string_agg_transfn", stringAgg)
	types.RegisterFunc("string_agg_finalfn", stringAggFinal)
	types.RegisterFunc("bytea_string_agg_finalfn", stringAggFinal)
	types.RegisterFunc("array_agg_transfn", arrayAgg)
	types.RegisterFunc("array_agg_finalfn", arrayAggFinal)
	types.RegisterFunc("array_agg_array_transfn", arrayAggArray)
	types.RegisterFunc("array_agg_array_finalfn", arrayAggFinal)
	boolAccum := func(sign int64) types.Func {
		return func(c *types.Call) (types.Datum, error) {
			s := aggState[boolState](c)
			if !c.Args[1].IsNull() {
				s.count += sign
				if c.Args[1].Bool() {
					s.trues += sign
				}
			}
			return internalState, nil
		}
	}
	types.RegisterFunc("bool_accum", boolAccum(1))
	types.RegisterFunc("bool_accum_inv", boolAccum(-1))
	boolFinal := func(f func(*boolState) bool) types.Func {
		return func(c *types.Call) (types.Datum, error) {
			s, ok := (*c.AggState).(*boolState)
			if !ok || s.count == 0 {
				return types.Null, nil
			}
			return types.Bool(f(s)), nil
		}
	}
	types.RegisterFunc("bool_alltrue", boolFinal(func(s *boolState) bool { return s.trues == s.count }))
	types.RegisterFunc("bool_anytrue", boolFinal(func(s *boolState) bool { return s.trues > 0 }))
}

func stringAgg(c *types.Call) (types.Datum, error) {
	if c.Args[1].IsNull() {
		if *c.AggState == nil {
			return types.Null, nil
		}
		return internalState, nil
	}
	s := aggState[textState](c)
	if len(c.Args) > 2 && !c.Args[2].IsNull() {
		if !s.any {
			s.first = len(c.Args[2].Bytes())
		}
		s.b = append(s.b, c.Args[2].Bytes()...)
	}
	s.any = true
	s.b = append(s.b, c.Args[1].Bytes()...)
	return internalState, nil
}

func stringAggFinal(c *types.Call) (types.Datum, error) {
	if c.AggState == nil {
		return types.Null, nil
	}
	s, ok := (*c.AggState).(*textState)
	if !ok {
		return types.Null, nil
	}
	return types.Bytes(append([]byte(nil), s.b[s.first:]...)), nil
}

func arrayAgg(c *types.Call) (types.Datum, error) {
	s := aggState[arrayState](c)
	if s.elem == nil {
		elem, err := c.Env.TypeByOID(argType(c, 1))
		if err != nil {
			return types.Null, err
		}
		s.elem = elem
	}
	s.values = append(s.values, c.Args[1].Clone())
	return internalState, nil
}

func arrayAggArray(c *types.Call) (types.Datum, error) {
	if c.Args[1].IsNull() {
		return types.Null, pgerr.New(pgerr.NullValueNotAllowed, "cannot accumulate null arrays")
	}
	s := aggState[arrayState](c)
	elem, err := elemOf(c, c.Args[1], 0)
	if err != nil {
		return types.Null, err
	}
	a, err := types.OpenArray(elem, c.Args[1].Clone())
	if err != nil {
		return types.Null, err
	}
	if len(a.Dims) == 0 {
		return types.Null, pgerr.New(pgerr.ArraySubscriptError, "cannot accumulate empty arrays")
	}
	if s.members == 0 {
		if len(a.Dims)+1 > 6 {
			return types.Null, pgerr.New(pgerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", len(a.Dims)+1, 6)
		}
		s.elem, s.arrays, s.dims, s.lower = elem, true, a.Dims, a.Lower
	} else if !sameInner(s.dims, a.Dims) {
		return types.Null, pgerr.New(pgerr.ArraySubscriptError, "cannot accumulate arrays of different dimensionality")
	}
	s.members++
	s.values = append(s.values, a.Elems...)
	return internalState, nil
}

func arrayAggFinal(c *types.Call) (types.Datum, error) {
	if c.AggState == nil {
		return types.Null, nil
	}
	s, ok := (*c.AggState).(*arrayState)
	if !ok || s.elem == nil {
		return types.Null, nil
	}
	if s.arrays {
		return types.BuildArray(s.elem, s.values, append([]int32{s.members}, s.dims...), append([]int32{1}, s.lower...)), nil
	}
	return types.MakeArray(s.elem, s.values), nil
}
