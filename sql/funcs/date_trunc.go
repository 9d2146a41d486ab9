package funcs

import (
	"math"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// date_trunc, date_bin, age, make_*, AT TIME ZONE and OVERLAPS.

func init() {
	types.RegisterFunc("timestamp_trunc", func(c *types.Call) (types.Datum, error) {
		unit, lowered := unitOf(c.Args[0].Str())
		t := c.Args[1].Int8()
		if isInf(t) {
			return c.Args[1], nil
		}
		dt := types.SplitTimestamp(t)
		if _, ok := truncDate(&dt, unit); !ok {
			return types.Null, unitError("timestamp", unit, lowered)
		}
		r, ok := dt.Timestamp()
		if !ok {
			return types.Null, errTimestampRange()
		}
		return types.Int8(r), nil
	})
	types.RegisterFunc("timestamptz_trunc", func(c *types.Call) (types.Datum, error) {
		return truncTZ(c, c.Env.SettingsOrDefault().TimeZone)
	})
	types.RegisterFunc("timestamptz_trunc_zone", func(c *types.Call) (types.Datum, error) {
		if isInf(c.Args[1].Int8()) {
			return c.Args[1], nil
		}
		z, err := types.ZoneForConversion(c.Args[2].Str(), c.Args[1].Int8(), false)
		if err != nil {
			return types.Null, err
		}
		return truncTZ(c, z)
	})
	types.RegisterFunc("interval_trunc", intervalTrunc)
	for _, n := range []string{"timestamp_bin", "timestamptz_bin"} {
		types.RegisterFunc(n, dateBin)
	}
	types.RegisterFunc("timestamp_age", func(c *types.Call) (types.Datum, error) {
		a, b := c.Args[0].Int8(), c.Args[1].Int8()
		if isInf(a) || isInf(b) {
			return types.Null, errTimestampRange()
		}
		return age(types.SplitTimestamp(a), types.SplitTimestamp(b), a < b).Datum(c.Arena), nil
	})
	types.RegisterFunc("timestamptz_age", func(c *types.Call) (types.Datum, error) {
		a, b := c.Args[0].Int8(), c.Args[1].Int8()
		if isInf(a) || isInf(b) {
			return types.Null, errTimestampRange()
		}
		z := c.Env.SettingsOrDefault().TimeZone
		return age(types.SplitTimestampTZ(z, a), types.SplitTimestampTZ(z, b), a < b).Datum(c.Arena), nil
	})
	registerZoneFuncs()
	registerMakers()
}

func isInf(t int64) bool { return t == types.TimestampInfinity || t == types.TimestampNegInfinity }

func errTimestampRange() error {
	return pgerr.New(pgerr.DatetimeValueOutOfRange, "timestamp out of range")
}

// truncDate cuts local time; redo says that the offset of the zone is to be found anew.
func truncDate(dt *types.DateTime, unit string) (redo, ok bool) {
	midnight := func() { dt.Hour, dt.Min, dt.Sec, dt.Usec = 0, 0, 0, 0 }
	y := dt.Year
	switch unit {
	case "microseconds":
		return false, true
	case "milliseconds":
		dt.Usec = dt.Usec / 1000 * 1000
		return false, true
	case "second":
		dt.Usec = 0
		return false, true
	case "minute":
		dt.Sec, dt.Usec = 0, 0
		return false, true
	case "hour":
		dt.Min, dt.Sec, dt.Usec = 0, 0, 0
		return false, true
	case "day":
	case "week":
		jd := types.JulianDay(dt.Year, dt.Month, dt.Day)
		dt.Year, dt.Month, dt.Day = types.FromJulian(jd - (types.WeekDay(jd)+6)%7)
	case "month":
		dt.Day = 1
	case "quarter":
		dt.Month, dt.Day = (dt.Month-1)/3*3+1, 1
	case "year", "decade", "century", "millennium":
		dt.Month, dt.Day = 1, 1
		switch {
		case unit == "decade" && y > 0:
			dt.Year = y / 10 * 10
		case unit == "decade":
			dt.Year = -((8 - (y - 1)) / 10) * 10
		case unit == "century" && y > 0:
			dt.Year = (y+99)/100*100 - 99
		case unit == "century":
			dt.Year = -((99-(y-1))/100)*100 + 1
		case unit == "millennium" && y > 0:
			dt.Year = (y+999)/1000*1000 - 999
		case unit == "millennium":
			dt.Year = -((999-(y-1))/1000)*1000 + 1
		}
	default:
		return false, false
	}
	midnight()
	return true, true
}

func truncTZ(c *types.Call, z *types.TimeZone) (types.Datum, error) {
	unit, lowered := unitOf(c.Args[0].Str())
	t := c.Args[1].Int8()
	if isInf(t) {
		return c.Args[1], nil
	}
	dt := types.SplitTimestampTZ(z, t)
	redo, ok := truncDate(&dt, unit)
	if !ok {
		return types.Null, unitError("timestamptz", unit, lowered)
	}
	local, ok := dt.Timestamp()
	if !ok {
		return types.Null, errTimestampRange()
	}
	if redo {
		return types.Int8(types.LocalToUTC(z, local)), nil
	}
	return types.Int8(local + int64(dt.West)*1000000), nil
}

func intervalTrunc(c *types.Call) (types.Datum, error) {
	unit, lowered := unitOf(c.Args[0].Str())
	v := c.Args[1].Interval()
	cut := func(n int64) { v.Usec = v.Usec / n * n }
	months := func(n int32) { v.Months = v.Months / n * n; v.Days, v.Usec = 0, 0 }
	switch unit {
	case "microseconds":
	case "milliseconds":
		cut(1000)
	case "second":
		cut(1000000)
	case "minute":
		cut(60000000)
	case "hour":
		cut(3600000000)
	case "day":
		v.Usec = 0
	case "month":
		months(1)
	case "quarter":
		months(3)
	case "year":
		months(12)
	case "decade":
		months(120)
	case "century":
		months(1200)
	case "millennium":
		months(12000)
	case "week":
		return types.Null, pgerr.New(pgerr.FeatureNotSupported, "unit \"%s\" not supported for type %s", lowered, "interval").
			WithDetail("Months usually have fractional weeks.")
	default:
		return types.Null, unitError("interval", unit, lowered)
	}
	return v.Datum(c.Arena), nil
}

func dateBin(c *types.Call) (types.Datum, error) {
	stride, t, origin := c.Args[0].Interval(), c.Args[1].Int8(), c.Args[2].Int8()
	if isInf(t) {
		return c.Args[1], nil
	}
	if isInf(origin) {
		return types.Null, pgerr.New(pgerr.DatetimeValueOutOfRange, "origin out of range")
	}
	if stride.Months != 0 {
		return types.Null, pgerr.New(pgerr.FeatureNotSupported, "timestamps cannot be binned into intervals containing months or years")
	}
	days := int64(stride.Days) * usecPerDay
	step := days + stride.Usec
	if days/usecPerDay != int64(stride.Days) || (step^stride.Usec)&(step^days) < 0 {
		return types.Null, pgerr.New(pgerr.DatetimeValueOutOfRange, "interval out of range")
	}
	if step <= 0 {
		return types.Null, pgerr.New(pgerr.DatetimeValueOutOfRange, "stride must be greater than zero")
	}
	diff := t - origin
	if (t^origin)&(t^diff) < 0 {
		return types.Null, pgerr.New(pgerr.DatetimeValueOutOfRange, "interval out of range")
	}
	result := origin + diff - diff%step
	if diff%step < 0 {
		if result < math.MinInt64+step {
			return types.Null, errTimestampRange()
		}
		if result -= step; !types.TimestampInRange(result) {
			return types.Null, errTimestampRange()
		}
	}
	return types.Int8(result), nil
}

// age is a symbolic difference in years, months and days.
func age(a, b types.DateTime, negative bool) types.Interval {
	if negative {
		return negate(ageOf(b, a, a))
	}
	return ageOf(a, b, b)
}

func negate(v types.Interval) types.Interval {
	return types.Interval{Usec: -v.Usec, Days: -v.Days, Months: -v.Months}
}

// ageOf subtracts field by field, borrowing days of the month of the earlier date.
func ageOf(later, earlier, borrow types.DateTime) types.Interval {
	clock := func(d types.DateTime) int64 {
		return ((int64(d.Hour)*60+int64(d.Min))*60+int64(d.Sec))*1000000 + int64(d.Usec)
	}
	usec := clock(later) - clock(earlier)
	day, mon, year := later.Day-earlier.Day, later.Month-earlier.Month, later.Year-earlier.Year
	for usec < 0 {
		usec += usecPerDay
		day--
	}
	for day < 0 {
		day += types.DaysInMonth(borrow.Year, borrow.Month)
		mon--
	}
	for mon < 0 {
		mon += 12
		year--
	}
	return types.Interval{Usec: usec, Days: int32(day), Months: int32(year*12 + mon)}
}

func zoneFromInterval(c *types.Call) (*types.TimeZone, error) {
	v := c.Args[0].Interval()
	if v.Months != 0 || v.Days != 0 {
		s, _ := types.Output(c.Env, types.IntervalOID, c.Args[0])
		return nil, pgerr.New(pgerr.InvalidParameterValue, "interval time zone \"%s\" must not include months or days", s)
	}
	return types.FixedZone("", int(v.Usec/1000000)), nil
}

func registerZoneFuncs() {
	byName := func(c *types.Call, at int64, local bool) (*types.TimeZone, error) {
		return types.ZoneForConversion(c.Args[0].Str(), at, local)
	}
	byInterval := func(c *types.Call, _ int64, _ bool) (*types.TimeZone, error) { return zoneFromInterval(c) }
	for suffix, zone := range map[string]func(*types.Call, int64, bool) (*types.TimeZone, error){"zone": byName, "izone": byInterval} {
		types.RegisterFunc("timestamp_"+suffix, func(c *types.Call) (types.Datum, error) {
			if isInf(c.Args[1].Int8()) {
				return c.Args[1], nil
			}
			z, err := zone(c, c.Args[1].Int8(), true)
			if err != nil {
				return types.Null, err
			}
			t, err := types.TimestampToTZ(z, c.Args[1].Int8())
			return types.Int8(t), err
		})
		types.RegisterFunc("timestamptz_"+suffix, func(c *types.Call) (types.Datum, error) {
			if isInf(c.Args[1].Int8()) {
				return c.Args[1], nil
			}
			z, err := zone(c, c.Args[1].Int8(), false)
			if err != nil {
				return types.Null, err
			}
			t, err := types.TZToTimestamp(z, c.Args[1].Int8())
			return types.Int8(t), err
		})
		types.RegisterFunc("timetz_"+suffix, func(c *types.Call) (types.Datum, error) {
			now, err := clock(c, types.Clock.TransactionStart)
			if err != nil {
				return types.Null, err
			}
			z, err := zone(c, now.Int8(), false)
			if err != nil {
				return types.Null, err
			}
			west := types.SplitTimestampTZ(z, now.Int8()).West
			t, old := c.Args[1].TimeTZ()
			t = (t + int64(int(old)-west)*1000000) % usecPerDay
			if t < 0 {
				t += usecPerDay
			}
			return types.MakeTimeTZ(c.Arena, t, int32(west)), nil
		})
	}
}

func registerMakers() {
	types.RegisterFunc("make_date", func(c *types.Call) (types.Datum, error) {
		return makeDate(c.Args[0].Int4(), c.Args[1].Int4(), c.Args[2].Int4(), true)
	})
	types.RegisterFunc("make_time", func(c *types.Call) (types.Datum, error) {
		t, err := makeTime(c.Args[0].Int4(), c.Args[1].Int4(), c.Args[2].Float8())
		return types.Int8(t), err
	})
	types.RegisterFunc("make_timestamp", func(c *types.Call) (types.Datum, error) {
		t, err := makeTimestamp(c)
		return types.Int8(t), err
	})
	types.RegisterFunc("make_timestamptz", func(c *types.Call) (types.Datum, error) {
		return makeTimestampTZ(c, c.Env.SettingsOrDefault().TimeZone)
	})
	types.RegisterFunc("make_timestamptz_at_timezone", func(c *types.Call) (types.Datum, error) {
		local, err := makeTimestamp(c)
		if err != nil {
			return types.Null, err
		}
		z, err := types.ZoneForLocal(c.Args[6].Str(), local)
		if err != nil {
			return types.Null, err
		}
		return makeTimestampTZ(c, z)
	})
	types.RegisterFunc("make_interval", makeInterval)
}

// makeDate makes a date; a year before Christ is negative. Messages of make_date show the year as it is counted inside.
func makeDate(y, m, d int32, inside bool) (types.Datum, error) {
	year := int(y)
	if y < 0 && y != math.MinInt32 {
		year = int(y) + 1
	}
	shown := int(y)
	if inside {
		shown = year
	}
	bad := func() error {
		return pgerr.New(pgerr.DatetimeFieldOverflow, "date field value out of range: %d-%02d-%02d", shown, m, d)
	}
	if y == 0 || y == math.MinInt32 || m < 1 || m > 12 || d < 1 || int(d) > types.DaysInMonth(year, int(m)) {
		return types.Null, bad()
	}
	jd := int64(types.JulianDay(year, int(m), int(d)))
	if year < -4713 || year > 5874897 || jd < 0 {
		return types.Null, pgerr.New(pgerr.DatetimeValueOutOfRange, "date out of range: %d-%02d-%02d", y, m, d)
	}
	return types.Int4(int32(jd - 2451545)), nil
}

func makeTime(h, m int32, sec float64) (int64, error) {
	usec := math.RoundToEven(sec * 1e6)
	if h < 0 || h > 24 || m < 0 || m > 59 || math.IsNaN(sec) || sec < 0 || sec > 60 ||
		(int64(h)*60+int64(m))*60000000+int64(usec) > usecPerDay {
		return 0, pgerr.New(pgerr.DatetimeFieldOverflow, "time field value out of range: %d:%02d:%s", h, m, secText(sec))
	}
	return (int64(h)*60+int64(m))*60000000 + int64(usec), nil
}

// secText is C's %02g.
func secText(sec float64) []byte {
	b := types.AppendFloat8(nil, sec, -9)
	if len(b) == 1 {
		b = append([]byte{'0'}, b...)
	}
	return b
}

func makeTimestamp(c *types.Call) (int64, error) {
	d, err := makeDate(c.Args[0].Int4(), c.Args[1].Int4(), c.Args[2].Int4(), false)
	if err != nil {
		return 0, err
	}
	t, err := makeTime(c.Args[3].Int4(), c.Args[4].Int4(), c.Args[5].Float8())
	if err != nil {
		return 0, err
	}
	day, err := types.DateToTimestamp(d.Int4())
	if err != nil {
		return 0, errTimestampRange()
	}
	return day + t, nil
}

func makeTimestampTZ(c *types.Call, z *types.TimeZone) (types.Datum, error) {
	t, err := makeTimestamp(c)
	if err != nil {
		return types.Null, err
	}
	t, err = types.TimestampToTZ(z, t)
	return types.Int8(t), err
}

func makeInterval(c *types.Call) (types.Datum, error) {
	arg := func(i int) int64 { return int64(c.Args[i].Int4()) }
	months, days := arg(0)*12+arg(1), arg(2)*7+arg(3)
	sec := c.Args[6].Float8()
	usec := float64(arg(4))*3.6e9 + float64(arg(5))*6e7 + math.RoundToEven(sec*1e6)
	if math.IsNaN(sec) || math.IsInf(sec, 0) || months != int64(int32(months)) || days != int64(int32(days)) || math.Abs(usec) >= math.MaxInt64 {
		return types.Null, pgerr.New(pgerr.DatetimeValueOutOfRange, "interval out of range")
	}
	return types.Interval{Usec: arg(4)*3600000000 + arg(5)*60000000 + int64(math.RoundToEven(sec*1e6)), Days: int32(days), Months: int32(months)}.Datum(c.Arena), nil
}
