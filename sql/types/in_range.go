package types

import (
	"math"

	"github.com/calfdb/calf/sql/pgerr"
)

// The in_range support functions of btree operator families: whether a value lies on the near side of base + offset (base - offset when sub):
// at or before it when less, else at or after it. Window frames of RANGE with an offset are made of them.

func init() {
	for _, name := range []string{"int2_int2", "int2_int4", "int2_int8", "int4_int2", "int4_int4", "int4_int8", "int8_int8"} {
		RegisterFunc("in_range_"+name, inRangeInt)
	}
	RegisterFunc("in_range_float8_float8", func(c *Call) (Datum, error) {
		return inRangeFloat(c, c.Args[0].Float8(), c.Args[1].Float8())
	})
	RegisterFunc("in_range_float4_float8", func(c *Call) (Datum, error) {
		return inRangeFloat(c, float64(c.Args[0].Float4()), float64(c.Args[1].Float4()))
	})
	RegisterFunc("in_range_numeric_numeric", inRangeNumeric)
	RegisterFunc("in_range_date_interval", inRangeDate)
	RegisterFunc("in_range_time_interval", inRangeTime)
	RegisterFunc("in_range_timetz_interval", inRangeTimeTZ)
	RegisterFunc("in_range_timestamp_interval", func(c *Call) (Datum, error) { return inRangeTimestamp(c, "timestamp") })
	RegisterFunc("in_range_timestamptz_interval", func(c *Call) (Datum, error) { return inRangeTimestamp(c, "timestamptz") })
	RegisterFunc("in_range_interval_interval", inRangeInterval)
}

func badFrameSize() error {
	return pgerr.New(pgerr.InvalidPrecedingOrFollowingSize, "invalid preceding or following size in window function")
}

// nearSide turns the comparison of the value with the sum into the answer.
func nearSide(c *Call, cmp int) (Datum, error) {
	if c.Args[4].Bool() {
		return Bool(cmp <= 0), nil
	}
	return Bool(cmp >= 0), nil
}

func compareInts(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func inRangeInt(c *Call) (Datum, error) {
	val, base, offset, sub, less := c.Args[0].Int8(), c.Args[1].Int8(), c.Args[2].Int8(), c.Args[3].Bool(), c.Args[4].Bool()
	if offset < 0 {
		return Null, badFrameSize()
	}
	if sub {
		sum := base - offset
		if sum > base { // out of range, so below every value
			return Bool(!less), nil
		}
		return nearSide(c, compareInts(val, sum))
	}
	sum := base + offset
	if sum < base {
		return Bool(less), nil
	}
	return nearSide(c, compareInts(val, sum))
}

func inRangeFloat(c *Call, val, base float64) (Datum, error) {
	offset, sub, less := c.Args[2].Float8(), c.Args[3].Bool(), c.Args[4].Bool()
	switch {
	case math.IsNaN(offset) || offset < 0:
		return Null, badFrameSize()
	case math.IsNaN(val):
		return Bool(math.IsNaN(base) || !less), nil
	case math.IsNaN(base):
		return Bool(less), nil
	case math.IsInf(offset, 0) && (sub && math.IsInf(base, 1) || !sub && math.IsInf(base, -1)):
		return Bool(true), nil // the sum would be NaN: everything counts as near
	}
	if sub {
		offset = -offset
	}
	if sum := base + offset; less {
		return Bool(val <= sum), nil
	} else {
		return Bool(val >= sum), nil
	}
}

func inRangeNumeric(c *Call) (Datum, error) {
	val, base, offset, sub, less := c.Args[0].Numeric(), c.Args[1].Numeric(), c.Args[2].Numeric(), c.Args[3].Bool(), c.Args[4].Bool()
	switch {
	case offset.IsNaN() || offset.Sign() < 0:
		return Null, badFrameSize()
	case val.IsNaN():
		return Bool(base.IsNaN() || !less), nil
	case base.IsNaN():
		return Bool(less), nil
	case offset.IsInf() && base.IsInf() && (base.Sign() > 0) == sub:
		return Bool(true), nil
	}
	if sub {
		offset = negNumeric(offset)
	}
	return nearSide(c, CompareNumeric(val, addNumeric(base, offset)))
}

// inRangeTime does not wrap around at midnight, unlike time + interval; days and months of the offset do not count.
func inRangeTime(c *Call) (Datum, error) {
	offset := c.Args[2].Interval().Usec
	if offset < 0 {
		return Null, badFrameSize()
	}
	if c.Args[3].Bool() {
		offset = -offset
	}
	return nearSide(c, compareInts(c.Args[0].Int8(), c.Args[1].Int8()+offset))
}

func inRangeTimeTZ(c *Call) (Datum, error) {
	offset := c.Args[2].Interval().Usec
	if offset < 0 {
		return Null, badFrameSize()
	}
	if c.Args[3].Bool() {
		offset = -offset
	}
	t, zone := c.Args[1].TimeTZ()
	return nearSide(c, compareTimeTZ(c.Args[0], MakeTimeTZ(c.Arena, t+offset, zone)))
}

// inRangeTimestamp computes base ± offset by the operators of typ, timestamp or timestamptz.
func inRangeTimestamp(c *Call, typ string) (Datum, error) {
	if CompareInterval(c.Args[2].Interval(), Interval{}) < 0 {
		return Null, badFrameSize()
	}
	op := "_pl_interval"
	if c.Args[3].Bool() {
		op = "_mi_interval"
	}
	sum, err := CallFunc(c.Env, typ+op, c.Args[1], c.Args[2])
	if err != nil {
		return Null, err
	}
	return nearSide(c, compareInts(c.Args[0].Int8(), sum.Int8()))
}

func inRangeDate(c *Call) (Datum, error) {
	call := *c
	call.Args = append([]Datum(nil), c.Args...)
	for i := range call.Args[:2] {
		var err error
		if call.Args[i], err = CallFunc(c.Env, "date_timestamp", c.Args[i]); err != nil {
			return Null, err
		}
	}
	return inRangeTimestamp(&call, "timestamp")
}

func inRangeInterval(c *Call) (Datum, error) {
	val, base, offset := c.Args[0].Interval(), c.Args[1].Interval(), c.Args[2].Interval()
	if CompareInterval(offset, Interval{}) < 0 {
		return Null, badFrameSize()
	}
	sign := int64(1)
	if c.Args[3].Bool() {
		sign = -1
	}
	sum, err := addIntervals(base, offset, sign)
	if err != nil {
		return Null, err
	}
	return nearSide(c, CompareInterval(val, sum))
}
