package types

import "strconv"

// intervalFields are an interval's fields for output; the time's all have its sign.
type intervalFields struct {
	year, mon, day int64
	hour, min, sec int64
	usec           int64
}

func (v Interval) fields() intervalFields {
	f := intervalFields{year: int64(v.Months / 12), mon: int64(v.Months % 12), day: int64(v.Days)}
	t := v.Usec
	f.hour, t = t/usecPerHour, t%usecPerHour
	f.min, t = t/usecPerMin, t%usecPerMin
	f.sec, f.usec = t/usecPerSec, t%usecPerSec
	return f
}

func intervalOut(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return AppendInterval(dst, env.settings().IntervalStyle, d.Interval()), nil
}

// AppendInterval writes an interval in a style.
func AppendInterval(dst []byte, style IntervalStyle, v Interval) []byte {
	f := v.fields()
	switch style {
	case IntervalSQLStandard:
		return f.sqlStandard(dst)
	case IntervalISO8601:
		return f.iso(dst)
	case IntervalPostgresVerbose:
		return f.verbose(dst)
	}
	return f.postgres(dst)
}

func (f intervalFields) hasTime() bool { return f.hour != 0 || f.min != 0 || f.sec != 0 || f.usec != 0 }
func (f intervalFields) timeNegative() bool {
	return f.hour < 0 || f.min < 0 || f.sec < 0 || f.usec < 0
}

func appendIntervalSeconds(dst []byte, f intervalFields, fill bool) []byte {
	return appendSeconds(dst, int(absInt64(f.sec)), int(absInt64(f.usec)), fill)
}

func plural(dst []byte, n int64) []byte {
	if n != 1 {
		return append(dst, 's')
	}
	return dst
}

func (f intervalFields) postgres(dst []byte) []byte {
	zero, before := true, false
	for i, n := range []int64{f.year, f.mon, f.day} {
		if n == 0 {
			continue
		}
		if !zero {
			dst = append(dst, ' ')
		}
		if before && n > 0 {
			dst = append(dst, '+')
		}
		dst = strconv.AppendInt(dst, n, 10)
		dst = plural(append(dst, []string{" year", " mon", " day"}[i]...), n)
		before, zero = n < 0, false
	}
	if !zero && !f.hasTime() {
		return dst
	}
	if !zero {
		dst = append(dst, ' ')
	}
	if f.timeNegative() {
		dst = append(dst, '-')
	} else if before {
		dst = append(dst, '+')
	}
	dst = appendPadded(dst, int(absInt64(f.hour)), 2)
	dst = appendPadded(append(dst, ':'), int(absInt64(f.min)), 2)
	return appendIntervalSeconds(append(dst, ':'), f, true)
}

func (f intervalFields) verbose(dst []byte) []byte {
	dst = append(dst, '@')
	zero, before := true, false
	for i, n := range []int64{f.year, f.mon, f.day, f.hour, f.min} {
		if n == 0 {
			continue
		}
		if zero {
			before, zero = n < 0, false
			n = absInt64(n)
		} else if before {
			n = -n
		}
		dst = strconv.AppendInt(append(dst, ' '), n, 10)
		dst = plural(append(dst, []string{" year", " mon", " day", " hour", " min"}[i]...), n)
	}
	if f.sec != 0 || f.usec != 0 {
		dst = append(dst, ' ')
		if f.sec < 0 || f.usec < 0 {
			if zero {
				before = true
			} else if !before {
				dst = append(dst, '-')
			}
		} else if before {
			dst = append(dst, '-')
		}
		dst = append(appendIntervalSeconds(dst, f, false), " sec"...)
		if absInt64(f.sec) != 1 || f.usec != 0 {
			dst = append(dst, 's')
		}
		zero = false
	}
	if zero {
		dst = append(dst, " 0"...)
	}
	if before {
		dst = append(dst, " ago"...)
	}
	return dst
}

func (f intervalFields) iso(dst []byte) []byte {
	if f == (intervalFields{}) {
		return append(dst, "PT0S"...)
	}
	part := func(n int64, unit byte) {
		if n != 0 {
			dst = append(strconv.AppendInt(dst, n, 10), unit)
		}
	}
	dst = append(dst, 'P')
	part(f.year, 'Y')
	part(f.mon, 'M')
	part(f.day, 'D')
	if f.hasTime() {
		dst = append(dst, 'T')
	}
	part(f.hour, 'H')
	part(f.min, 'M')
	if f.sec != 0 || f.usec != 0 {
		if f.sec < 0 || f.usec < 0 {
			dst = append(dst, '-')
		}
		dst = append(appendIntervalSeconds(dst, f, false), 'S')
	}
	return dst
}

func (f intervalFields) sqlStandard(dst []byte) []byte {
	negative := f.year < 0 || f.mon < 0 || f.day < 0 || f.timeNegative()
	positive := f.year > 0 || f.mon > 0 || f.day > 0 || f.hour > 0 || f.min > 0 || f.sec > 0 || f.usec > 0
	yearMonth, dayTime := f.year != 0 || f.mon != 0, f.day != 0 || f.hasTime()
	standard := !(negative && positive) && !(yearMonth && dayTime)
	num := func(n int64) { dst = strconv.AppendInt(dst, absInt64(n), 10) }
	clock := func() {
		num(f.hour)
		dst = appendPadded(append(dst, ':'), int(absInt64(f.min)), 2)
		dst = appendIntervalSeconds(append(dst, ':'), f, true)
	}
	sign := func(neg bool) {
		if neg {
			dst = append(dst, '-')
		} else {
			dst = append(dst, '+')
		}
	}
	if !negative && !positive {
		return append(dst, '0')
	}
	if !standard {
		sign(f.year < 0 || f.mon < 0)
		num(f.year)
		dst = append(dst, '-')
		num(f.mon)
		dst = append(dst, ' ')
		sign(f.day < 0)
		num(f.day)
		dst = append(dst, ' ')
		sign(f.timeNegative())
		clock()
		return dst
	}
	if negative {
		dst = append(dst, '-')
	}
	switch {
	case yearMonth:
		num(f.year)
		dst = append(dst, '-')
		num(f.mon)
	case f.day != 0:
		num(f.day)
		dst = append(dst, ' ')
		clock()
	default:
		clock()
	}
	return dst
}
