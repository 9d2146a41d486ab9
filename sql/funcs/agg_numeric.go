package funcs

import (
	"math/big"

	"github.com/calfdb/calf/sql/types"
)

// Sums, averages and variances of numeric and of integers. The state is a Go value in AggState: exact sums as big integers over a power of
// ten; integers use the same with scale 0.

type numericState struct {
	count    int64 // values that are not NaN or infinite
	nans     int64
	pInfs    int64
	nInfs    int64
	scale    int // of sum; sum of squares has twice as much
	maxScale int // largest display scale seen, and how often
	atMax    int64
	sum      big.Int
	squares  *big.Int // nil when not wanted
}

func state(c *types.Call, squares bool) *numericState {
	if c.AggState == nil {
		panic("funcs: a transition function of state type internal was called outside an aggregate")
	}
	s, ok := (*c.AggState).(*numericState)
	if !ok {
		s = &numericState{}
		if squares {
			s.squares = new(big.Int)
		}
		*c.AggState = s
	}
	return s
}

// internalState is the datum that stands for a state in AggState.
var internalState = types.FromRaw(1)

func (s *numericState) add(n types.Numeric, sign int64) {
	switch {
	case n.IsNaN():
		s.nans += sign
		return
	case n.IsInf() && n.Sign() > 0:
		s.pInfs += sign
		return
	case n.IsInf():
		s.nInfs += sign
		return
	}
	v, scale := n.Unscaled()
	if scale > s.scale {
		s.rescale(scale)
	} else if scale < s.scale {
		v.Mul(v, pow10(s.scale-scale))
	}
	s.addBig(v, sign)
	if d := n.Scale(); d > s.maxScale {
		s.maxScale, s.atMax = d, 1
	} else if d == s.maxScale {
		s.atMax += sign
	}
}

// discard takes a value out again; false when the largest display scale of what is left is not known.
func (s *numericState) discard(n types.Numeric) bool {
	if d := n.Scale(); !n.IsNaN() && !n.IsInf() && d == s.maxScale && s.maxScale > 0 && s.atMax <= 1 && s.count > 1 {
		return false
	}
	s.add(n, -1)
	if s.count == 0 {
		s.scale, s.maxScale, s.atMax = 0, 0, 0
	}
	return true
}

func (s *numericState) rescale(scale int) {
	s.sum.Mul(&s.sum, pow10(scale-s.scale))
	if s.squares != nil {
		s.squares.Mul(s.squares, pow10(2*(scale-s.scale)))
	}
	s.scale = scale
}

func (s *numericState) addBig(v *big.Int, sign int64) {
	s.count += sign
	if s.squares != nil {
		sq := new(big.Int).Mul(v, v)
		if sign < 0 {
			sq.Neg(sq)
		}
		s.squares.Add(s.squares, sq)
	}
	if sign < 0 {
		v = new(big.Int).Neg(v)
	}
	s.sum.Add(&s.sum, v)
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// special gives the result when NaN or infinities were among the values.
func (s *numericState) special() (types.Numeric, bool) {
	switch {
	case s.nans > 0 || s.pInfs > 0 && s.nInfs > 0:
		return types.NumericNaN(), true
	case s.pInfs > 0:
		return types.NumericInf(1), true
	case s.nInfs > 0:
		return types.NumericInf(-1), true
	}
	return types.Numeric{}, false
}

func (s *numericState) empty() bool { return s.count+s.nans+s.pInfs+s.nInfs == 0 }

func (s *numericState) total() types.Numeric {
	return types.NumericFromBig(&s.sum, s.scale).WithScale(s.maxScale)
}

func final(f func(s *numericState) (types.Numeric, bool, error)) types.Func {
	return func(c *types.Call) (types.Datum, error) {
		if c.AggState == nil || *c.AggState == nil {
			return types.Null, nil
		}
		s := (*c.AggState).(*numericState)
		if s.empty() {
			return types.Null, nil
		}
		n, ok, err := f(s)
		if err != nil || !ok {
			return types.Null, err
		}
		return n.Datum(nil)
	}
}

func init() {
	accumulate := func(squares bool) types.Func {
		return func(c *types.Call) (types.Datum, error) {
			s := state(c, squares)
			if !c.Args[1].IsNull() {
				s.add(c.Args[1].Numeric(), 1)
			}
			return internalState, nil
		}
	}
	discard := func(c *types.Call) (types.Datum, error) {
		if s := state(c, true); !c.Args[1].IsNull() && !s.discard(c.Args[1].Numeric()) {
			return types.Null, nil
		}
		return internalState, nil
	}
	accumulateInt := func(squares bool, sign int64) types.Func {
		return func(c *types.Call) (types.Datum, error) {
			s := state(c, squares)
			if !c.Args[1].IsNull() {
				s.addBig(big.NewInt(c.Args[1].Int8()), sign)
			}
			return internalState, nil
		}
	}
	types.RegisterFunc("numeric_avg_accum", accumulate(false))
	types.RegisterFunc("numeric_accum", accumulate(true))
	types.RegisterFunc("numeric_accum_inv", discard)
	types.RegisterFunc("int8_avg_accum", accumulateInt(false, 1))
	types.RegisterFunc("int8_avg_accum_inv", accumulateInt(false, -1))
	for _, n := range []string{"int2_accum", "int4_accum", "int8_accum"} {
		types.RegisterFunc(n, accumulateInt(true, 1))
		types.RegisterFunc(n+"_inv", accumulateInt(true, -1))
	}
	sum := final(func(s *numericState) (types.Numeric, bool, error) {
		if n, ok := s.special(); ok {
			return n, true, nil
		}
		return s.total(), true, nil
	})
	avg := final(func(s *numericState) (types.Numeric, bool, error) {
		if n, ok := s.special(); ok {
			return n, true, nil
		}
		n, err := types.DivNumeric(s.total(), types.NumericFromInt64(s.count))
		return n, true, err
	})
	types.RegisterFunc("numeric_sum", sum)
	types.RegisterFunc("numeric_poly_sum", sum)
	types.RegisterFunc("numeric_avg", avg)
	types.RegisterFunc("numeric_poly_avg", avg)
	for _, p := range []string{"numeric_", "numeric_poly_"} {
		types.RegisterFunc(p+"var_pop", final(variance(false, false)))
		types.RegisterFunc(p+"var_samp", final(variance(true, false)))
		types.RegisterFunc(p+"stddev_pop", final(variance(false, true)))
		types.RegisterFunc(p+"stddev_samp", final(variance(true, true)))
	}
}

// variance is (n·Σx² - (Σx)²) / (n·n) or / (n·(n-1)), with the division's scale rules, and its root.
func variance(sample, root bool) func(s *numericState) (types.Numeric, bool, error) {
	return func(s *numericState) (types.Numeric, bool, error) {
		if s.nans > 0 || s.pInfs > 0 || s.nInfs > 0 {
			if sample && s.count+s.nans+s.pInfs+s.nInfs <= 1 {
				return types.Numeric{}, false, nil
			}
			return types.NumericNaN(), true, nil
		}
		n := big.NewInt(s.count)
		if sample && s.count <= 1 {
			return types.Numeric{}, false, nil
		}
		num := new(big.Int).Mul(n, s.squares)
		num.Sub(num, new(big.Int).Mul(&s.sum, &s.sum))
		if num.Sign() <= 0 {
			return types.Numeric{}, true, nil
		}
		m := s.count
		if sample {
			m--
		}
		den := types.NumericFromBig(new(big.Int).Mul(n, big.NewInt(m)), 0)
		// The display scale of the squares decides the result's.
		r, err := types.DivNumeric(types.NumericFromBig(num, 2*s.scale).WithScale(2*s.maxScale), den)
		if err == nil && root {
			r, err = types.SqrtNumericScale(r)
		}
		return r, true, err
	}
}
