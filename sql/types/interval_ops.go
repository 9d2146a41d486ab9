package types

import (
	"math"
	"math/bits"

	"github.com/calfdb/calf/sql/pgerr"
)

// span is an interval's length with months of 30 days, in 128 bits.
func (v Interval) span() (hi int64, lo uint64) {
	days := int64(v.Days) + 30*int64(v.Months)
	h, l := bits.Mul64(uint64(absInt64(days)), uint64(usecPerDay))
	hi, lo = int64(h), l
	if days < 0 {
		hi, lo = -hi, -lo
		if lo != 0 {
			hi--
		}
	}
	sum, carry := bits.Add64(lo, uint64(v.Usec), 0)
	return hi + v.Usec>>63 + int64(carry), sum
}

// CompareInterval orders intervals by their length.
func CompareInterval(a, b Interval) int {
	ah, al := a.span()
	bh, bl := b.span()
	switch {
	case ah < bh || ah == bh && al < bl:
		return -1
	case ah == bh && al == bl:
		return 0
	}
	return 1
}

func addIntervals(a, b Interval, sign int64) (Interval, error) {
	months, days := int64(a.Months)+sign*int64(b.Months), int64(a.Days)+sign*int64(b.Days)
	var t Datum
	var err error
	if sign > 0 {
		t, err = add8(a.Usec, b.Usec)
	} else {
		t, err = sub8(a.Usec, b.Usec)
	}
	if err != nil || months != int64(int32(months)) || days != int64(int32(days)) {
		return a, errIntervalRange()
	}
	return Interval{t.Int8(), int32(days), int32(months)}, nil
}

func tsRound(v float64) float64 { return math.RoundToEven(v*1e6) / 1e6 }

// scaleInterval multiplies, carrying fractions of months to days and of days to time.
func scaleInterval(v Interval, factor float64, div bool) (Interval, error) {
	op := func(x float64) float64 {
		if div {
			return x / factor
		}
		return x * factor
	}
	m, d := op(float64(v.Months)), op(float64(v.Days))
	if math.IsNaN(m) || m > math.MaxInt32 || m < math.MinInt32 || math.IsNaN(d) || d > math.MaxInt32 || d < math.MinInt32 {
		return v, errIntervalRange()
	}
	r := Interval{Months: int32(m), Days: int32(d)}
	monthDays := tsRound((m - float64(r.Months)) * 30)
	sec := tsRound((d - float64(r.Days) + monthDays - math.Trunc(monthDays)) * 86400)
	days := int64(r.Days)
	if math.Abs(sec) >= 86400 {
		days += int64(sec / 86400)
		sec -= math.Trunc(sec/86400) * 86400
	}
	days += int64(monthDays)
	if days != int64(int32(days)) {
		return v, errIntervalRange()
	}
	r.Days = int32(days)
	t := math.RoundToEven(op(float64(v.Usec)) + sec*1e6)
	if math.IsNaN(t) || t < -math.MaxInt64 || t >= math.MaxInt64 {
		return v, errIntervalRange()
	}
	r.Usec = int64(t)
	return r, nil
}

// carry moves whole units of one field to the next and makes their signs agree.
func carry(hi *int64, lo *int64, unit int64) {
	*hi += *lo / unit
	*lo %= unit
	if *hi > 0 && *lo < 0 {
		*lo += unit
		*hi--
	} else if *hi < 0 && *lo > 0 {
		*lo -= unit
		*hi++
	}
}

// JustifyHours turns each 24 hours into a day.
func (v Interval) JustifyHours() (Interval, error) {
	days, t := int64(v.Days), v.Usec
	carry(&days, &t, usecPerDay)
	if days != int64(int32(days)) {
		return v, errIntervalRange()
	}
	return Interval{t, int32(days), v.Months}, nil
}

func (v Interval) justifyDays() (Interval, error) {
	months, days := int64(v.Months), int64(v.Days)
	carry(&months, &days, 30)
	if months != int64(int32(months)) {
		return v, errIntervalRange()
	}
	return Interval{v.Usec, int32(days), int32(months)}, nil
}

func (v Interval) justify() (Interval, error) {
	months, days, t := int64(v.Months), int64(v.Days), v.Usec
	days += t / usecPerDay
	t %= usecPerDay
	months += days / 30
	days %= 30
	if months > 0 && (days < 0 || days == 0 && t < 0) {
		days += 30
		months--
	} else if months < 0 && (days > 0 || days == 0 && t > 0) {
		days -= 30
		months++
	}
	if days > 0 && t < 0 {
		t += usecPerDay
		days--
	} else if days < 0 && t > 0 {
		t -= usecPerDay
		days++
	}
	if months != int64(int32(months)) {
		return v, errIntervalRange()
	}
	return Interval{t, int32(days), int32(months)}, nil
}

// addToTimestamp adds months (to the same or the month's last day), days and time to local time.
func addToTimestamp(t int64, v Interval) (int64, error) {
	if isInfinite(t) {
		return t, nil
	}
	if v.Months != 0 {
		dt := splitTimestamp(t)
		dt.addMonths(v.Months)
		var ok bool
		if t, ok = dt.timestamp(); !ok {
			return 0, errTimestampRange()
		}
	}
	if v.Days != 0 {
		dt := splitTimestamp(t)
		jd := dt.julian() + int(v.Days)
		if jd < 0 || jd > math.MaxInt32 {
			return 0, errTimestampRange()
		}
		dt.Year, dt.Month, dt.Day = FromJulian(jd)
		var ok bool
		if t, ok = dt.timestamp(); !ok {
			return 0, errTimestampRange()
		}
	}
	r, err := add8(t, v.Usec)
	if err != nil || !tsIsValid(r.Int8()) {
		return 0, errTimestampRange()
	}
	return r.Int8(), nil
}

func (dt *DateTime) addMonths(n int32) {
	m := dt.Year*12 + dt.Month - 1 + int(n)
	dt.Year = int(floorDiv(int64(m), 12))
	dt.Month = m - dt.Year*12 + 1
	dt.Day = min(dt.Day, DaysInMonth(dt.Year, dt.Month))
}

// addToTimestampTZ does the same for timestamptz: months and days in the zone's local time.
func addToTimestampTZ(z *TimeZone, t int64, v Interval) (int64, error) {
	if isInfinite(t) {
		return t, nil
	}
	if v.Months != 0 || v.Days != 0 {
		local, err := TZToTimestamp(z, t)
		if err != nil {
			return 0, err
		}
		if v.Months != 0 {
			if local, err = addToTimestamp(local, Interval{Months: v.Months}); err != nil {
				return 0, err
			}
			t = LocalToUTC(z, local)
		}
		if v.Days != 0 {
			local = t + int64(offsetAt(z, t))*usecPerSec
			if local, err = addToTimestamp(local, Interval{Days: v.Days}); err != nil {
				return 0, err
			}
			t = LocalToUTC(z, local)
		}
	}
	r, err := add8(t, v.Usec)
	if err != nil || !tsIsValid(r.Int8()) {
		return 0, errTimestampRange()
	}
	return r.Int8(), nil
}

// AddInterval adds to a timestamptz in a zone.
func AddInterval(z *TimeZone, t int64, v Interval) (int64, error) { return addToTimestampTZ(z, t, v) }

func negInterval(v Interval) (Interval, error) {
	if v.Usec == math.MinInt64 || v.Days == math.MinInt32 || v.Months == math.MinInt32 {
		return v, errIntervalRange()
	}
	return Interval{-v.Usec, -v.Days, -v.Months}, nil
}

func regInterval(name string, f func(c *Call) (Interval, error)) {
	RegisterFunc(name, func(c *Call) (Datum, error) {
		v, err := f(c)
		if err != nil {
			return Null, err
		}
		return v.Datum(c.Arena), nil
	})
}

func init() {
	cmp := func(a, b Datum) int { return CompareInterval(a.Interval(), b.Interval()) }
	registerOrder("interval_", cmp)
	registerCompare("interval_cmp", cmp)
	registerLarger("interval_larger", "interval_smaller", cmp)
	registerHash("interval_hash", func(d Datum) uint32 { _, lo := d.Interval().span(); return HashUint32(foldInt8(int64(lo))) },
		"interval_hash_extended", func(d Datum, seed uint64) uint64 {
			_, lo := d.Interval().span()
			return HashUint32Ext(foldInt8(int64(lo)), seed)
		})
	iv := func(c *Call, i int) Interval { return c.Args[i].Interval() }
	regInterval("interval_pl", func(c *Call) (Interval, error) { return addIntervals(iv(c, 0), iv(c, 1), 1) })
	regInterval("interval_mi", func(c *Call) (Interval, error) { return addIntervals(iv(c, 0), iv(c, 1), -1) })
	regInterval("interval_um", func(c *Call) (Interval, error) { return negInterval(iv(c, 0)) })
	regInterval("interval_mul", func(c *Call) (Interval, error) { return scaleInterval(iv(c, 0), c.Args[1].Float8(), false) })
	regInterval("mul_d_interval", func(c *Call) (Interval, error) { return scaleInterval(iv(c, 1), c.Args[0].Float8(), false) })
	regInterval("interval_div", func(c *Call) (Interval, error) {
		if c.Args[1].Float8() == 0 {
			return Interval{}, copyErr(errDivByZero)
		}
		return scaleInterval(iv(c, 0), c.Args[1].Float8(), true)
	})
	regInterval("interval_justify_hours", func(c *Call) (Interval, error) { return iv(c, 0).JustifyHours() })
	regInterval("interval_justify_days", func(c *Call) (Interval, error) { return iv(c, 0).justifyDays() })
	regInterval("interval_justify_interval", func(c *Call) (Interval, error) { return iv(c, 0).justify() })
	RegisterFunc("interval_finite", func(*Call) (Datum, error) { return Bool(true), nil })
	regInterval("timestamp_mi", func(c *Call) (Interval, error) {
		a, b := c.Args[0].Int8(), c.Args[1].Int8()
		if isInfinite(a) || isInfinite(b) {
			return Interval{}, pgerr.New(pgerr.DatetimeValueOutOfRange, "cannot subtract infinite timestamps")
		}
		return Interval{Usec: a - b}.JustifyHours()
	})
	registerTimestampShifts()
}

func registerTimestampShifts() {
	for name, sign := range map[string]int{"pl": 1, "mi": -1} {
		delta := func(c *Call) (Interval, error) {
			if sign > 0 {
				return c.Args[1].Interval(), nil
			}
			return negInterval(c.Args[1].Interval())
		}
		RegisterFunc("timestamp_"+name+"_interval", func(c *Call) (Datum, error) {
			v, err := delta(c)
			if err != nil {
				return Null, err
			}
			t, err := addToTimestamp(c.Args[0].Int8(), v)
			return Int8(t), err
		})
		RegisterFunc("timestamptz_"+name+"_interval", func(c *Call) (Datum, error) {
			v, err := delta(c)
			if err != nil {
				return Null, err
			}
			t, err := addToTimestampTZ(c.Env.settings().TimeZone, c.Args[0].Int8(), v)
			return Int8(t), err
		})
		RegisterFunc("date_"+name+"_interval", func(c *Call) (Datum, error) {
			t, err := DateToTimestamp(c.Args[0].Int4())
			if err != nil {
				return Null, err
			}
			v, err := delta(c)
			if err != nil {
				return Null, err
			}
			t, err = addToTimestamp(t, v)
			return Int8(t), err
		})
	}
}
