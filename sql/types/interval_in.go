package types

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

func init() {
	registerIO("interval_in", intervalIn, "interval_out", intervalOut, "interval_recv", intervalRecv, "interval_send", intervalSend)
}

// intervalUnit says what one unit adds to an interval.
type intervalUnit struct {
	months, days int64
	usec         int64
	bit          uint32 // units that exclude each other share none
}

const (
	bitMillisecond = 1 << 20
	bitMicrosecond = 1 << 21
	bitSecond      = 1 << 12
	bitWeek        = 1 << 22
	bitDecade      = 1 << 23
	bitCentury     = 1 << 24
	bitMillennium  = 1 << 25

	intervalYear   = 1 << 2
	intervalMonth  = 1 << 1
	intervalDay    = 1 << 3
	intervalHour   = 1 << 10
	intervalMinute = 1 << 11
	intervalSecond = bitSecond
)

var (
	unitsYear   = &intervalUnit{months: 12, bit: intervalYear}
	unitsMonth  = &intervalUnit{months: 1, bit: intervalMonth}
	unitsDay    = &intervalUnit{days: 1, bit: intervalDay}
	unitsWeek   = &intervalUnit{days: 7, bit: bitWeek}
	unitsHour   = &intervalUnit{usec: usecPerHour, bit: intervalHour}
	unitsMinute = &intervalUnit{usec: usecPerMin, bit: intervalMinute}
	unitsSecond = &intervalUnit{usec: usecPerSec, bit: intervalSecond}
	unitsAgo    = &intervalUnit{}
)

var intervalWords = func() map[string]*intervalUnit {
	m := map[string]*intervalUnit{"ago": unitsAgo}
	for words, u := range map[string]*intervalUnit{
		"us usec usecs useconds microsecon": {usec: 1, bit: bitMicrosecond}, "ms msec msecs mseconds millisecon": {usec: 1000, bit: bitMillisecond},
		"s sec secs second seconds": unitsSecond, "m min mins minute minutes": unitsMinute, "h hr hrs hour hours": unitsHour,
		"d day days": unitsDay, "w week weeks": unitsWeek, "mon mons month months": unitsMonth, "y yr yrs year years": unitsYear,
		"dec decs decade decades": {months: 120, bit: bitDecade}, "c cent century centuries": {months: 1200, bit: bitCentury},
		"mil mils millennia millennium": {months: 12000, bit: bitMillennium},
	} {
		for _, w := range strings.Fields(words) {
			m[w] = u
		}
	}
	return m
}()

func intervalWord(s string) *intervalUnit {
	if len(s) > 10 {
		s = s[:10]
	}
	return intervalWords[s]
}

// intervalSum gathers an interval's fields; overflow is noted.
type intervalSum struct {
	years, months, days int64 // each within 32 bits
	usec                int64
	overflow            bool
}

func (v *intervalSum) add(dst *int64, n, scale int64) {
	p, err := mul8(n, scale)
	if err == nil {
		p, err = add8(*dst, p.Int8())
	}
	if err != nil {
		v.overflow = true
		return
	}
	*dst = p.Int8()
}

// add32 adds to a field of 32 bits.
func (v *intervalSum) add32(dst *int64, n, scale int64) {
	v.add(dst, n, scale)
	if *dst != int64(int32(*dst)) {
		v.overflow = true
	}
}

// negate turns all fields round, for "ago".
func (v *intervalSum) negate() {
	if v.usec == math.MinInt64 || v.days == math.MinInt32 || v.months == math.MinInt32 || v.years == math.MinInt32 {
		v.overflow = true
	}
	v.years, v.months, v.days, v.usec = -v.years, -v.months, -v.days, -v.usec
}

// fractUsec adds a fraction of a unit as microseconds, rounded.
func (v *intervalSum) fractUsec(frac float64, scale int64) {
	f := frac * float64(scale)
	n := int64(f)
	if f -= float64(n); f > 0.5 {
		n++
	} else if f < -0.5 {
		n--
	}
	v.add(&v.usec, n, 1)
}

// fractDays adds a fraction as whole days, and what is left as microseconds.
func (v *intervalSum) fractDays(frac float64, days int64) {
	f := frac * float64(days)
	n := int64(f)
	v.add32(&v.days, n, 1)
	v.fractUsec(f-float64(n), usecPerDay)
}

// units adds val and a fraction of a unit: fractions of years become months, of months and weeks days, of the rest microseconds.
func (v *intervalSum) units(u *intervalUnit, val int64, frac float64) {
	switch {
	case u.months >= 12:
		v.add32(&v.years, val, u.months/12)
		v.add32(&v.months, int64(math.RoundToEven(frac*float64(u.months))), 1)
	case u.months == 1:
		v.add32(&v.months, val, 1)
		v.fractDays(frac, 30)
	case u.days == 7:
		v.add32(&v.days, val, 7)
		v.fractDays(frac, 7)
	case u.days == 1:
		v.add32(&v.days, val, 1)
		v.fractUsec(frac, usecPerDay)
	default:
		v.add(&v.usec, val, u.usec)
		v.fractUsec(frac, u.usec)
	}
}

func intervalIn(env *Env, _ *IO, s string, typmod int32) (Datum, error) {
	v, err := ParseInterval(env, s, typmod)
	if err != nil {
		return Null, err
	}
	return v.Datum(nil), nil
}

// ParseInterval reads an interval under a typmod, -1 for none.
func ParseInterval(env *Env, s string, typmod int32) (Interval, error) {
	toks, e := splitDateTime(s)
	var sum intervalSum
	rng := int32(intervalFullRange)
	if typmod >= 0 {
		rng = typmod >> 16 & 0x7fff
	}
	if e == dateOK {
		e = decodeInterval(toks, rng, env.settings().IntervalStyle == IntervalSQLStandard, &sum)
	}
	if e == dateBadFormat {
		sum = intervalSum{}
		e = decodeISOInterval(s, &sum)
	}
	if e == dateOK && sum.overflow || e == dateFieldOverflow {
		e = dateIntervalOverflow
	}
	if e != dateOK {
		return Interval{}, e.report(s, "interval")
	}
	months := sum.years*12 + sum.months
	if months != int64(int32(months)) {
		return Interval{}, errIntervalRange()
	}
	v := Interval{sum.usec, int32(sum.days), int32(months)}
	return v.applyTypMod(typmod)
}

// defaultUnit is the unit of a bare number under a range of fields.
func defaultUnit(rng int32) *intervalUnit {
	switch {
	case rng == intervalFullRange || rng&intervalSecond != 0:
		return unitsSecond
	case rng&intervalMinute != 0:
		return unitsMinute
	case rng&intervalHour != 0:
		return unitsHour
	case rng&intervalDay != 0:
		return unitsDay
	case rng&intervalMonth != 0:
		return unitsMonth
	case rng&intervalYear != 0:
		return unitsYear
	}
	return unitsSecond
}

// decodeInterval reads fields from the last to the first, so that a unit is known when its number comes.
func decodeInterval(toks []dateToken, rng int32, sqlStandard bool, sum *intervalSum) dateError {
	forceNegative := sqlStandard && len(toks) > 0 && toks[0].text[0] == '-'
	for _, t := range toks[min(1, len(toks)):] {
		if t.text[0] == '-' || t.text[0] == '+' {
			forceNegative = false
		}
	}
	var unit *intervalUnit
	var seen uint32
	ago := false
	for i := len(toks) - 1; i >= 0; i-- {
		t := toks[i]
		var got uint32
		clock, neg := t.text, false
		switch t.kind {
		case tokTZ:
			if strings.Contains(t.text[1:], ":") {
				neg, clock = t.text[0] == '-', t.text[1:]
				t.kind = tokTime
			}
		case tokString, tokSpecial:
			u := intervalWord(t.text)
			if u == nil {
				return dateBadFormat
			}
			if u == unitsAgo {
				ago = true
			}
			unit = u
			continue
		}
		if t.kind == tokTime {
			usec, e := intervalClock(clock, rng)
			if e != dateOK {
				return e
			}
			if neg || forceNegative && usec > 0 {
				usec = -usec
			}
			sum.add(&sum.usec, usec, 1)
			got = intervalHour | intervalMinute | intervalSecond | bitMillisecond | bitMicrosecond
			unit = unitsDay
		} else {
			if unit == nil {
				unit = defaultUnit(rng)
			}
			if unit == unitsAgo {
				return dateBadFormat
			}
			u, val, frac, e := intervalNumber(t.text, unit)
			if e != dateOK {
				return e
			}
			if forceNegative {
				val, frac = -absInt64(val), -math.Abs(frac)
			}
			sum.units(u, val, frac)
			got = u.bit
			if u == unitsSecond && frac != 0 {
				got |= bitMillisecond | bitMicrosecond
			}
			unit = u
			if u == unitsHour {
				unit = unitsDay
			}
		}
		if seen&got != 0 {
			return dateBadFormat
		}
		seen |= got
	}
	if seen == 0 {
		return dateBadFormat
	}
	if ago {
		sum.negate()
	}
	return dateOK
}

func absInt64(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}

// intervalNumber reads a number, or the SQL form years-months.
func intervalNumber(s string, unit *intervalUnit) (u *intervalUnit, val int64, frac float64, e dateError) {
	n := 0
	if s[0] == '-' || s[0] == '+' {
		n = 1
	}
	end := skipDigits(s, n)
	if end > n {
		v, err := strconv.ParseInt(s[:end], 10, 64)
		if err != nil {
			return nil, 0, 0, dateFieldOverflow
		}
		val = v
	}
	neg := s[0] == '-'
	switch {
	case end == len(s):
		return unit, val, 0, dateOK
	case s[end] == '-':
		m, err := strconv.Atoi(s[end+1:])
		if err != nil || skipDigits(s, end+1) != len(s) {
			return nil, 0, 0, dateBadFormat
		}
		if m >= 12 {
			return nil, 0, 0, dateFieldOverflow
		}
		if neg {
			m = -m
		}
		if val > math.MaxInt64/12-12 || val < math.MinInt64/12+12 {
			return nil, 0, 0, dateFieldOverflow
		}
		return unitsMonth, val*12 + int64(m), 0, dateOK
	case s[end] == '.' && skipDigits(s, end+1) == len(s):
		f, err := strconv.ParseFloat("0"+s[end:]+"0", 64)
		if err != nil {
			return nil, 0, 0, dateBadFormat
		}
		if neg {
			f = -f
		}
		return unit, val, f, dateOK
	}
	return nil, 0, 0, dateBadFormat
}

func intervalClock(s string, rng int32) (int64, dateError) {
	var h, m, sec int
	usec, e := decodeClock(s, &h, &m, &sec, rng == intervalMinute|intervalSecond)
	if e != dateOK {
		return 0, e
	}
	sum := intervalSum{usec: int64(usec)}
	sum.add(&sum.usec, int64(h), usecPerHour)
	sum.add(&sum.usec, int64(m)*60+int64(sec), usecPerSec)
	if sum.overflow {
		return 0, dateFieldOverflow
	}
	return sum.usec, dateOK
}

// decodeISOInterval reads P1Y2M3DT4H5M6S, and P0001-02-03T04:05:06.
func decodeISOInterval(s string, sum *intervalSum) dateError {
	if len(s) < 2 || s[0] != 'P' {
		return dateBadFormat
	}
	s = s[1:]
	inTime, haveField := false, false
	for s != "" {
		if s[0] == 'T' {
			inTime, haveField = true, false
			s = s[1:]
			continue
		}
		val, frac, rest, e := isoNumber(s)
		if e != dateOK {
			return e
		}
		unit := byte(0)
		if rest != "" {
			unit = rest[0]
		}
		if u := isoUnit(unit, inTime); u != nil {
			sum.units(u, val, frac)
			s, haveField = rest[1:], true
			continue
		}
		if haveField {
			return dateBadFormat
		}
		rest, e = isoAlternative(s, inTime, sum)
		if e != dateOK {
			return e
		}
		s = rest
	}
	return dateOK
}

func isoUnit(c byte, inTime bool) *intervalUnit {
	if inTime {
		switch c {
		case 'H':
			return unitsHour
		case 'M':
			return unitsMinute
		case 'S':
			return unitsSecond
		}
		return nil
	}
	switch c {
	case 'Y':
		return unitsYear
	case 'M':
		return unitsMonth
	case 'W':
		return unitsWeek
	case 'D':
		return unitsDay
	}
	return nil
}

func isoNumber(s string) (val int64, frac float64, rest string, e dateError) {
	number, n := cNumber(s)
	if n == 0 {
		return 0, 0, "", dateBadFormat
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || f < -1.0e15 || f > 1.0e15 {
		return 0, 0, "", dateFieldOverflow
	}
	val = int64(f)
	return val, f - float64(val), s[n:], dateOK
}

// isoAlternative reads the alternative forms YYYY-MM-DD and HH:MM:SS.fff, or the basic ones YYYYMMDD and HHMMSS. It gives what comes after: the
// time after a date.
func isoAlternative(s string, inTime bool, sum *intervalSum) (string, dateError) {
	width := skipDigits(strings.TrimPrefix(s, "-"), 0)
	sep, units, basic := byte('-'), []*intervalUnit{unitsYear, unitsMonth, unitsDay}, 8
	if inTime {
		sep, units, basic = ':', []*intervalUnit{unitsHour, unitsMinute, unitsSecond}, 6
	}
	if width == basic {
		return isoBasic(s, inTime, units, sum)
	}
	for i, u := range units {
		val, frac, rest, e := isoNumber(s)
		if e != dateOK {
			return "", e
		}
		sum.units(u, val, frac)
		if rest == "" || !inTime && rest[0] == 'T' {
			return rest, dateOK
		}
		if rest[0] != sep || i == len(units)-1 {
			return "", dateBadFormat
		}
		s = rest[1:]
	}
	return "", dateBadFormat
}

// isoBasic reads a number whose last digits are month and day, or minute and second; its fraction is one of a day or of a microsecond.
func isoBasic(s string, inTime bool, units []*intervalUnit, sum *intervalSum) (string, dateError) {
	val, frac, rest, e := isoNumber(s)
	if e != dateOK {
		return "", e
	}
	if rest != "" && (inTime || rest[0] != 'T') {
		return "", dateBadFormat
	}
	for i, u := range units {
		sum.units(u, [3]int64{val / 10000, val / 100 % 100, val % 100}[i], 0)
	}
	if inTime {
		sum.fractUsec(frac, 1)
	} else {
		sum.fractUsec(frac, usecPerDay)
	}
	return rest, dateOK
}

func intervalRecv(_ *Env, _ *IO, b []byte, typmod int32) (Datum, error) {
	if err := wantLen(b, 16); err != nil {
		return Null, err
	}
	v := Interval{int64(binary.BigEndian.Uint64(b)), int32(binary.BigEndian.Uint32(b[8:])), int32(binary.BigEndian.Uint32(b[12:]))}
	v, err := v.applyTypMod(typmod)
	if err != nil {
		return Null, err
	}
	return v.Datum(nil), nil
}

func intervalSend(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	v := d.Interval()
	dst = binary.BigEndian.AppendUint64(dst, uint64(v.Usec))
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(dst, uint32(v.Days)), uint32(v.Months)), nil
}
