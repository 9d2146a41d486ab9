package funcs

import (
	"fmt"
	"math"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Ordered-set aggregates of one sort column: percentile_disc, percentile_cont, mode. The executor feeds the transition function in the order
// that WITHIN GROUP asks for; nulls do not count.

// orderedState gathers the sorted values.
type orderedState struct {
	typ    types.OID
	values []types.Datum
}

// pick chooses the value at a fraction of the sorted values, of which there is at least one.
type pick func(c *types.Call, s *orderedState, fraction float64) (types.Datum, error)

func init() {
	types.RegisterFunc("ordered_set_transition", func(c *types.Call) (types.Datum, error) {
		s := aggState[orderedState](c)
		if s.typ = argType(c, 1); !c.Args[1].IsNull() {
			s.values = append(s.values, c.Args[1].Clone())
		}
		return internalState, nil
	})
	for name, p := range map[string]pick{"disc": percentileDisc, "cont_float8": percentileFloat, "cont_interval": percentileInterval} {
		types.RegisterFunc("percentile_"+name+"_final", func(c *types.Call) (types.Datum, error) { return percentile(c, p) })
		types.RegisterFunc("percentile_"+name+"_multi_final", func(c *types.Call) (types.Datum, error) { return percentiles(c, p) })
	}
	types.RegisterFunc("mode_final", modeFinal)
}

// gathered gives the state when it has values.
func gathered(c *types.Call) *orderedState {
	if c.AggState == nil {
		return nil
	}
	if s, ok := (*c.AggState).(*orderedState); ok && len(s.values) > 0 {
		return s
	}
	return nil
}

func checkFraction(f float64) error {
	if f >= 0 && f <= 1 {
		return nil
	}
	return pgerr.New(pgerr.NumericValueOutOfRange, "percentile value %s is not between 0 and 1",
		strings.TrimPrefix(strings.ToLower(fmt.Sprintf("%.6g", f)), "+"))
}

func percentile(c *types.Call, p pick) (types.Datum, error) {
	if c.Args[1].IsNull() {
		return types.Null, nil
	}
	f := c.Args[1].Float8()
	if err := checkFraction(f); err != nil {
		return types.Null, err
	}
	s := gathered(c)
	if s == nil {
		return types.Null, nil
	}
	return p(c, s, f)
}

// percentiles computes one result for each fraction of an array, in its shape.
func percentiles(c *types.Call, p pick) (types.Datum, error) {
	s := gathered(c)
	if s == nil || c.Args[1].IsNull() {
		return types.Null, nil
	}
	float8, _ := types.BuiltinType(types.Float8OID)
	fractions, err := types.OpenArray(float8, c.Args[1])
	if err != nil {
		return types.Null, err
	}
	elem, err := c.Env.TypeByOID(s.typ)
	if err != nil {
		return types.Null, err
	}
	if len(fractions.Elems) == 0 {
		return types.EmptyArray(elem.OID), nil
	}
	for _, f := range fractions.Elems {
		if !f.IsNull() {
			if err := checkFraction(f.Float8()); err != nil {
				return types.Null, err
			}
		}
	}
	results := make([]types.Datum, len(fractions.Elems))
	for i, f := range fractions.Elems {
		if results[i] = types.Null; !f.IsNull() {
			if results[i], err = p(c, s, f.Float8()); err != nil {
				return types.Null, err
			}
		}
	}
	return types.BuildArray(elem, results, fractions.Dims, fractions.Lower), nil
}

func percentileDisc(_ *types.Call, s *orderedState, f float64) (types.Datum, error) {
	row := int(math.Ceil(f * float64(len(s.values))))
	return s.values[max(row, 1)-1], nil
}

// between finds the two values that a fraction lies between, and how far.
func (s *orderedState) between(f float64) (lo, hi types.Datum, part float64) {
	at := f * float64(len(s.values)-1)
	first := math.Floor(at)
	return s.values[int(first)], s.values[int(math.Ceil(at))], at - first
}

func percentileFloat(_ *types.Call, s *orderedState, f float64) (types.Datum, error) {
	lo, hi, part := s.between(f)
	if lo == hi || part == 0 {
		return lo, nil
	}
	return types.Float8(lo.Float8() + part*(hi.Float8()-lo.Float8())), nil
}

func percentileInterval(c *types.Call, s *orderedState, f float64) (types.Datum, error) {
	lo, hi, part := s.between(f)
	if part == 0 {
		return lo, nil
	}
	d, err := types.CallFunc(c.Env, "interval_mi", hi, lo)
	if err == nil {
		d, err = types.CallFunc(c.Env, "interval_mul", d, types.Float8(part))
	}
	if err != nil {
		return types.Null, err
	}
	return types.CallFunc(c.Env, "interval_pl", d, lo)
}

// modeFinal finds the most frequent value; of several the first.
func modeFinal(c *types.Call) (types.Datum, error) {
	s := gathered(c)
	if s == nil {
		return types.Null, nil
	}
	cmp, err := types.CompareFor(c.Env, s.typ, c.Collation)
	if err != nil {
		return types.Null, err
	}
	best, bestCount, from := 0, 0, 0
	for i := range s.values {
		if cmp(s.values[i], s.values[from]) != 0 {
			from = i
		}
		if n := i - from + 1; n > bestCount {
			best, bestCount = from, n
		}
	}
	return s.values[best], nil
}
