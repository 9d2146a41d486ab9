package funcs

import (
	"fmt"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func appendf(b []byte, format string, args ...any) []byte { return fmt.Appendf(b, format, args...) }

func init() {
	for _, n := range []string{"generate_series_int4", "generate_series_int8", "generate_series_step_int4", "generate_series_step_int8"} {
		types.RegisterSRF(n, generateInts)
	}
	types.RegisterSRF("generate_series_numeric", generateNumeric)
	types.RegisterSRF("generate_series_step_numeric", generateNumeric)
	types.RegisterSRF("generate_series_timestamp", generateTimestamps(false))
	types.RegisterSRF("generate_series_timestamptz", generateTimestamps(true))
}

var errZeroStep = "step size cannot equal zero"

// series counts; it stops at the end of int64 too.
type series struct {
	next, last, step int64
	done             bool
}

func (s *series) Next(row []types.Datum) (bool, error) {
	if s.done || s.step > 0 && s.next > s.last || s.step < 0 && s.next < s.last {
		return false, nil
	}
	row[0] = types.Int8(s.next)
	after := s.next + s.step
	s.done = (after > s.next) != (s.step > 0)
	s.next = after
	return true, nil
}

func generateInts(c *types.Call) (types.Iterator, error) {
	s := &series{next: c.Args[0].Int8(), last: c.Args[1].Int8(), step: 1}
	if len(c.Args) > 2 {
		s.step = c.Args[2].Int8()
	}
	if s.step == 0 {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "%s", errZeroStep)
	}
	return s, nil
}

type numericSeries struct {
	next, last, step types.Datum
	sign             int
	ended            bool
}

func (s *numericSeries) Next(row []types.Datum) (bool, error) {
	if s.ended {
		return false, nil
	}
	if c := types.CompareNumeric(s.next.Numeric(), s.last.Numeric()); s.sign > 0 && c > 0 || s.sign < 0 && c < 0 {
		return false, nil
	}
	row[0] = s.next
	next, err := types.AddNumeric(s.next.Numeric(), s.step.Numeric()).Datum(nil)
	if err != nil {
		// Beyond the format's range there is nothing up to last.
		s.ended = true
		return true, nil
	}
	s.next = next
	return true, nil
}

func generateNumeric(c *types.Call) (types.Iterator, error) {
	one, _ := types.NumericFromInt64(1).Datum(nil)
	s := &numericSeries{next: c.Args[0].Clone(), last: c.Args[1].Clone(), step: one}
	if len(c.Args) > 2 {
		s.step = c.Args[2].Clone()
	}
	for i, name := range []string{"start value", "stop value", "step size"} {
		n := []types.Datum{s.next, s.last, s.step}[i].Numeric()
		if n.IsNaN() {
			return nil, pgerr.New(pgerr.InvalidParameterValue, "%s cannot be NaN", name)
		}
		if n.IsInf() {
			return nil, pgerr.New(pgerr.InvalidParameterValue, "%s cannot be infinity", name)
		}
	}
	if s.sign = s.step.Numeric().Sign(); s.sign == 0 {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "%s", errZeroStep)
	}
	return s, nil
}

type timeSeries struct {
	add        types.Func
	env        *types.Env
	next, last types.Datum
	step       types.Datum
	sign       int
}

func (s *timeSeries) Next(row []types.Datum) (bool, error) {
	if s.sign > 0 && s.next.Int8() > s.last.Int8() || s.sign < 0 && s.next.Int8() < s.last.Int8() {
		return false, nil
	}
	row[0] = s.next
	var err error
	s.next, err = s.add(&types.Call{Env: s.env, Args: []types.Datum{s.next, s.step}})
	return true, err
}

func generateTimestamps(zone bool) types.SRF {
	return func(c *types.Call) (types.Iterator, error) {
		name := "timestamp_pl_interval"
		if zone {
			name = "timestamptz_pl_interval"
		}
		add, _ := types.LookupFunc(name)
		s := &timeSeries{add: add, env: c.Env, next: c.Args[0], last: c.Args[1], step: c.Args[2].Clone()}
		if s.sign = types.CompareInterval(s.step.Interval(), types.Interval{}); s.sign == 0 {
			return nil, pgerr.New(pgerr.InvalidParameterValue, "%s", errZeroStep)
		}
		return s, nil
	}
}
