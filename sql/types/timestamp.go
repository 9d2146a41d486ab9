package types

import (
	"encoding/binary"
	"math"

	"github.com/calfdb/calf/sql/pgerr"
)

func init() {
	registerIO("timestamp_in", timestampIn, "timestamp_out", timestampOut, "timestamp_recv", timestampRecv, "timestamp_send", int8Send)
	registerIO("timestamptz_in", timestamptzIn, "timestamptz_out", timestamptzOut, "timestamptz_recv", timestampRecv, "timestamptz_send", int8Send)
	timeTypMods("timestamp", "TIMESTAMP", " without time zone")
	timeTypMods("timestamptz", "TIMESTAMP", " with time zone")
	registerSigned(six("timestamp_"))
	registerCompare("timestamp_cmp", compareSigned)
	registerLarger("timestamp_larger", "timestamp_smaller", compareSigned)
	RegisterFunc("timestamp_finite", func(c *Call) (Datum, error) { return Bool(!isInfinite(c.Args[0].Int8())), nil })
	for _, n := range []string{"timestamp_scale", "timestamptz_scale"} {
		RegisterFunc(n, func(c *Call) (Datum, error) { return roundTimestamp(c.Args[0].Int8(), c.Args[1].Int4()) })
	}
	registerTimestampCasts()
	registerCrossComparisons()
}

func roundTimestamp(t int64, typmod int32) (Datum, error) {
	if isInfinite(t) || typmod < 0 || typmod == 6 {
		return Int8(t), nil
	}
	if typmod > 6 {
		return Null, pgerr.New(pgerr.InvalidParameterValue, "timestamp(%d) precision must be between %d and %d", typmod, 0, 6)
	}
	return Int8(roundUsec(t, typmod)), nil
}

func specialTimestamp(val int) int64 {
	switch val {
	case valLate:
		return TimestampInfinity
	case valEarly:
		return TimestampNegInfinity
	}
	return int64(unixEpochJDate-pgEpochJDate) * usecPerDay
}

func errTimestampInput(s string) error {
	return pgerr.New(pgerr.DatetimeValueOutOfRange, "timestamp out of range: \"%s\"", s)
}

func timestampIn(env *Env, _ *IO, s string, typmod int32) (Datum, error) {
	if dt, ok := parseISO(s); ok {
		t, _ := dt.timestamp()
		return roundTimestamp(t, typmod)
	}
	d, err := decodeDateTime(env, s, "timestamp", false)
	if err != nil {
		return Null, err
	}
	if d.special != 0 {
		return Int8(specialTimestamp(d.special)), nil
	}
	t, ok := d.dt.timestamp()
	if !ok {
		return Null, errTimestampInput(s)
	}
	return roundTimestamp(t, typmod)
}

func timestamptzIn(env *Env, _ *IO, s string, typmod int32) (Datum, error) {
	d, err := decodeDateTime(env, s, "timestamp with time zone", false)
	if err != nil {
		return Null, err
	}
	if d.special != 0 {
		return Int8(specialTimestamp(d.special)), nil
	}
	t, ok := d.dt.wideTimestamp()
	if !ok || !validJulian(d.dt.Year, d.dt.Month) {
		return Null, errTimestampInput(s)
	}
	if t += int64(d.dt.West) * usecPerSec; !tsIsValid(t) {
		return Null, errTimestampInput(s)
	}
	return roundTimestamp(t, typmod)
}

func appendInfinity(dst []byte, t int64) []byte {
	if t < 0 {
		dst = append(dst, '-')
	}
	return append(dst, "infinity"...)
}

func timestampOut(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	t := d.Int8()
	if isInfinite(t) {
		return appendInfinity(dst, t), nil
	}
	dt := splitTimestamp(t)
	return appendDateTime(dst, env.settings(), &dt, false), nil
}

func timestamptzOut(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	t := d.Int8()
	if isInfinite(t) {
		return appendInfinity(dst, t), nil
	}
	s := env.settings()
	dt := SplitTimestampTZ(s.TimeZone, t)
	return appendDateTime(dst, s, &dt, true), nil
}

func timestampRecv(_ *Env, _ *IO, b []byte, typmod int32) (Datum, error) {
	if err := wantLen(b, 8); err != nil {
		return Null, err
	}
	t := int64(binary.BigEndian.Uint64(b))
	if !isInfinite(t) && !tsIsValid(t) {
		return Null, errTimestampRange()
	}
	return roundTimestamp(t, typmod)
}

func registerTimestampCasts() {
	RegisterFunc("date_timestamp", func(c *Call) (Datum, error) {
		t, err := DateToTimestamp(c.Args[0].Int4())
		return Int8(t), err
	})
	RegisterFunc("date_timestamptz", func(c *Call) (Datum, error) {
		t, err := dateToTZ(c.Env, c.Args[0].Int4())
		return Int8(t), err
	})
	RegisterFunc("timestamp_date", func(c *Call) (Datum, error) { return Int4(TimestampToDate(c.Args[0].Int8())), nil })
	RegisterFunc("timestamptz_date", func(c *Call) (Datum, error) {
		t, err := TZToTimestamp(c.Env.settings().TimeZone, c.Args[0].Int8())
		return Int4(TimestampToDate(t)), err
	})
	RegisterFunc("timestamp_timestamptz", func(c *Call) (Datum, error) {
		t, err := TimestampToTZ(c.Env.settings().TimeZone, c.Args[0].Int8())
		return Int8(t), err
	})
	RegisterFunc("timestamptz_timestamp", func(c *Call) (Datum, error) {
		t, err := TZToTimestamp(c.Env.settings().TimeZone, c.Args[0].Int8())
		return Int8(t), err
	})
	timeOf := func(t int64) Datum { return Int8(t - floorDiv(t, usecPerDay)*usecPerDay) }
	RegisterFunc("timestamp_time", func(c *Call) (Datum, error) {
		if t := c.Args[0].Int8(); !isInfinite(t) {
			return timeOf(t), nil
		}
		return Null, nil
	})
	RegisterFunc("timestamptz_time", func(c *Call) (Datum, error) {
		if isInfinite(c.Args[0].Int8()) {
			return Null, nil
		}
		t, err := TZToTimestamp(c.Env.settings().TimeZone, c.Args[0].Int8())
		return timeOf(t), err
	})
	RegisterFunc("timestamptz_timetz", func(c *Call) (Datum, error) {
		t := c.Args[0].Int8()
		if isInfinite(t) {
			return Null, nil
		}
		dt := SplitTimestampTZ(c.Env.settings().TimeZone, t)
		return MakeTimeTZ(c.Arena, dt.timeUsec(), int32(dt.West)), nil
	})
	RegisterFunc("float8_timestamptz", func(c *Call) (Datum, error) { return timestampOfEpoch(c.Args[0].Float8()) })
}

func dateToTZ(env *Env, d int32) (int64, error) {
	t, err := DateToTimestamp(d)
	if err != nil {
		return 0, err
	}
	u, err := TimestampToTZ(env.settings().TimeZone, t)
	if err != nil {
		return 0, pgerr.New(pgerr.DatetimeValueOutOfRange, "date out of range for timestamp")
	}
	return u, nil
}

// timestampOfEpoch is to_timestamp(seconds since 1970).
func timestampOfEpoch(sec float64) (Datum, error) {
	switch {
	case math.IsNaN(sec):
		return Null, pgerr.New(pgerr.DatetimeValueOutOfRange, "timestamp cannot be NaN")
	case math.IsInf(sec, 1):
		return Int8(TimestampInfinity), nil
	case math.IsInf(sec, -1):
		return Int8(TimestampNegInfinity), nil
	}
	bad := func() error {
		return pgerr.New(pgerr.DatetimeValueOutOfRange, "timestamp out of range: \"%s\"", AppendFloat8(nil, sec, 0))
	}
	if sec < 86400*-float64(unixEpochJDate) || sec >= 86400*float64(tsEndJulian-unixEpochJDate) {
		return Null, bad()
	}
	t := int64(math.RoundToEven((sec - 86400*float64(pgEpochJDate-unixEpochJDate)) * 1e6))
	if !tsIsValid(t) {
		return Null, bad()
	}
	return Int8(t), nil
}

// registerCrossComparisons registers comparisons between date, timestamp and timestamptz. A value too far out for the other type compares
// as beyond all its finite values.
func registerCrossComparisons() {
	date := func(_ *Env, d Datum) int64 { return clampDate(d.Int4()) }
	dateTZ := func(env *Env, d Datum) int64 { return clampZone(env, clampDate(d.Int4())) }
	plain := func(_ *Env, d Datum) int64 { return d.Int8() }
	ts := func(env *Env, d Datum) int64 { return clampZone(env, d.Int8()) }
	registerCross("date", "timestamp", date, plain)
	registerCross("date", "timestamptz", dateTZ, plain)
	registerCross("timestamp", "date", plain, date)
	registerCross("timestamptz", "date", plain, dateTZ)
	registerCross("timestamp", "timestamptz", ts, plain)
	registerCross("timestamptz", "timestamp", plain, ts)
}

func clampDate(d int32) int64 {
	t, err := DateToTimestamp(d)
	if err != nil {
		return TimestampInfinity - 1
	}
	return t
}

func clampZone(env *Env, t int64) int64 {
	u, err := TimestampToTZ(env.settings().TimeZone, t)
	if err != nil {
		if t < 0 {
			return TimestampNegInfinity + 1
		}
		return TimestampInfinity - 1
	}
	return u
}

func registerCross(a, b string, left, right func(*Env, Datum) int64) {
	cmp := func(env *Env, x, y Datum) int { return compareSigned(Int8(left(env, x)), Int8(right(env, y))) }
	tests := map[string]func(int) bool{
		"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool { return c != 0 }, "lt": func(c int) bool { return c < 0 },
		"le": func(c int) bool { return c <= 0 }, "gt": func(c int) bool { return c > 0 }, "ge": func(c int) bool { return c >= 0 },
	}
	for op, test := range tests {
		RegisterFunc(a+"_"+op+"_"+b, func(c *Call) (Datum, error) { return Bool(test(cmp(c.Env, c.Args[0], c.Args[1]))), nil })
	}
	name := a + "_cmp_" + b
	registerCompareFor(name, func(env *Env, _, _ OID) (CompareFunc, error) {
		return func(x, y Datum) int { return cmp(env, x, y) }, nil
	})
}
