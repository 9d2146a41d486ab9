package types

import "strconv"

// appendPadded writes n with at least width digits.
func appendPadded(dst []byte, n, width int) []byte {
	if n < 0 {
		dst, n = append(dst, '-'), -n
	}
	for ; width > 1; width-- {
		if n < pow10Int(width-1) {
			dst = append(dst, '0')
		}
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

func pow10Int(n int) int {
	p := 1
	for ; n > 0; n-- {
		p *= 10
	}
	return p
}

// appendSeconds writes seconds with the fraction's trailing zeros cut off; fill pads the seconds to two digits.
func appendSeconds(dst []byte, sec, usec int, fill bool) []byte {
	width := 1
	if fill {
		width = 2
	}
	dst = appendPadded(dst, sec, width)
	if usec != 0 {
		dst = appendPadded(append(dst, '.'), usec, 6)
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
	}
	return dst
}

// appendZone writes an offset given in seconds west: +05, -03:30, +00:19:32. forceMinutes adds :00 (XSD style).
func appendZone(dst []byte, west int, forceMinutes bool) []byte {
	sign := byte('+')
	if west > 0 {
		sign = '-'
	} else {
		west = -west
	}
	dst = append(dst, sign)
	h, m, s := west/3600, west/60%60, west%60
	dst = appendPadded(dst, h, 2)
	if m != 0 || s != 0 || forceMinutes {
		dst = appendPadded(append(dst, ':'), m, 2)
	}
	if s != 0 {
		dst = appendPadded(append(dst, ':'), s, 2)
	}
	return dst
}

// yearOf gives the year to print and whether it is BC.
func yearOf(y int) (int, bool) {
	if y > 0 {
		return y, false
	}
	return 1 - y, true
}

func appendBC(dst []byte, bc bool) []byte {
	if bc {
		return append(dst, " BC"...)
	}
	return dst
}

// appendDate writes a date in the session's style.
func appendDate(dst []byte, s *Settings, y, m, d int) []byte {
	year, bc := yearOf(y)
	switch s.DateStyle {
	case DateISO:
		dst = appendPadded(dst, year, 4)
		dst = appendPadded(append(dst, '-'), m, 2)
		dst = appendPadded(append(dst, '-'), d, 2)
	case DateSQL:
		dst = appendDayMonth(dst, s, m, d, '/')
		dst = appendPadded(append(dst, '/'), year, 4)
	case DateGerman:
		dst = appendPadded(dst, d, 2)
		dst = appendPadded(append(dst, '.'), m, 2)
		dst = appendPadded(append(dst, '.'), year, 4)
	default:
		dst = appendDayMonth(dst, s, m, d, '-')
		dst = appendPadded(append(dst, '-'), year, 4)
	}
	return appendBC(dst, bc)
}

func appendDayMonth(dst []byte, s *Settings, m, d int, sep byte) []byte {
	if s.DateOrder == DateDMY {
		m, d = d, m
	}
	dst = appendPadded(dst, m, 2)
	return appendPadded(append(dst, sep), d, 2)
}

func appendClock(dst []byte, dt *DateTime) []byte {
	dst = appendPadded(dst, dt.Hour, 2)
	dst = appendPadded(append(dst, ':'), dt.Min, 2)
	return appendSeconds(append(dst, ':'), dt.Sec, dt.Usec, true)
}

// appendDateTime writes a timestamp in the session's style, with its zone when withZone.
func appendDateTime(dst []byte, s *Settings, dt *DateTime, withZone bool) []byte {
	year, bc := yearOf(dt.Year)
	switch s.DateStyle {
	case DateISO:
		dst = appendPadded(dst, year, 4)
		dst = appendPadded(append(dst, '-'), dt.Month, 2)
		dst = appendPadded(append(dst, '-'), dt.Day, 2)
		dst = appendClock(append(dst, ' '), dt)
		if withZone {
			dst = appendZone(dst, dt.West, false)
		}
	case DateSQL, DateGerman:
		if s.DateStyle == DateSQL {
			dst = appendDayMonth(dst, s, dt.Month, dt.Day, '/')
			dst = append(dst, '/')
		} else {
			dst = appendPadded(dst, dt.Day, 2)
			dst = appendPadded(append(dst, '.'), dt.Month, 2)
			dst = append(dst, '.')
		}
		dst = appendPadded(dst, year, 4)
		dst = appendClock(append(dst, ' '), dt)
		dst = appendZoneName(dst, dt, withZone, false)
	default:
		dst = append(append(dst, dayNames[WeekDay(dt.julian())][:3]...), ' ')
		if s.DateOrder == DateDMY {
			dst = appendPadded(dst, dt.Day, 2)
			dst = append(append(append(dst, ' '), monthNames[dt.Month-1][:3]...), ' ')
		} else {
			dst = append(append(dst, monthNames[dt.Month-1][:3]...), ' ')
			dst = append(appendPadded(dst, dt.Day, 2), ' ')
		}
		dst = append(appendClock(dst, dt), ' ')
		dst = appendPadded(dst, year, 4)
		dst = appendZoneName(dst, dt, withZone, true)
	}
	return appendBC(dst, bc)
}

// appendZoneName writes the abbreviation, or the offset where there is none.
func appendZoneName(dst []byte, dt *DateTime, withZone, space bool) []byte {
	if !withZone {
		return dst
	}
	if dt.Zone != "" {
		return append(append(dst, ' '), dt.Zone...)
	}
	if space {
		dst = append(dst, ' ')
	}
	return appendZone(dst, dt.West, false)
}
