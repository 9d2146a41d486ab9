package types

import (
	"math"
	"time"

	"github.com/calfdb/calf/sql/pgerr"
)

// Dates are days since 2000-01-01, timestamps microseconds since then, both in the proleptic Gregorian calendar (int32 and int64; the
// extreme values are the infinities). Arithmetic goes through Julian day numbers.

const (
	usecPerMin  = 60 * usecPerSec
	usecPerHour = 3600 * usecPerSec

	pgEpochJDate   = 2451545
	unixEpochJDate = 2440588
	jdateMin       = -4713 // years; November 24 is day 0
	dateEndJulian  = 2147483494
	tsEndJulian    = 109203528

	// DateInfinity and DateNegInfinity are the infinite dates, TimestampInfinity and TimestampNegInfinity the infinite timestamps.
	DateInfinity         = math.MaxInt32
	DateNegInfinity      = math.MinInt32
	TimestampInfinity    = math.MaxInt64
	TimestampNegInfinity = math.MinInt64

	tsMin = int64(-211813488000000000)
	tsEnd = int64(9223371331200000000)
)

// DateTime is a point in time taken apart; Year 0 is 1 BC. West is the zone's offset in seconds west of Greenwich.
type DateTime struct {
	Year, Month, Day int
	Hour, Min, Sec   int
	Usec             int
	West             int
	Zone             string // abbreviation
	IsDST            bool
	YearDay, WeekDay int
}

// JulianDay is the number of the day that year, month and day name (date2j).
func JulianDay(y, m, d int) int {
	if m > 2 {
		m++
		y += 4800
	} else {
		m += 13
		y += 4799
	}
	century := y / 100
	julian := y*365 - 32167
	julian += y/4 - century + century/4
	julian += 7834*m/256 + d
	return julian
}

// FromJulian turns a Julian day into a date (j2date).
func FromJulian(jd int) (y, m, d int) {
	julian := uint32(jd) + 32044
	quad := julian / 146097
	extra := (julian-quad*146097)*4 + 3
	julian += 60 + quad*3 + extra/146097
	quad = julian / 1461
	julian -= quad * 1461
	yy := int(julian * 4 / 1461)
	if yy != 0 {
		julian = (julian + 305) % 365
	} else {
		julian = (julian + 306) % 366
	}
	julian += 123
	yy += int(quad * 4)
	y = yy - 4800
	quad = julian * 2141 / 65536
	d = int(julian - 7834*quad/256)
	m = int((quad+10)%12) + 1
	return y, m, d
}

// WeekDay of a Julian day, 0 = Sunday.
func WeekDay(jd int) int {
	d := (jd + 1) % 7
	if d < 0 {
		d += 7
	}
	return d
}

func isLeap(y int) bool { return y%4 == 0 && (y%100 != 0 || y%400 == 0) }

// DaysInMonth of a year (0 = 1 BC).
func DaysInMonth(y, m int) int {
	switch m {
	case 2:
		if isLeap(y) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

func validJulian(y, m int) bool {
	return (y > jdateMin || y == jdateMin && m >= 11) && (y < 5874898 || y == 5874898 && m < 6)
}

func dateIsValid(date int64) bool {
	return date >= -pgEpochJDate && date < dateEndJulian-pgEpochJDate
}

func tsIsValid(t int64) bool { return t >= tsMin && t < tsEnd }

func errTimestampRange() error {
	return pgerr.New(pgerr.DatetimeValueOutOfRange, "timestamp out of range")
}
func errDateRange() error { return pgerr.New(pgerr.DatetimeValueOutOfRange, "date out of range") }
func errIntervalRange() error {
	return pgerr.New(pgerr.DatetimeValueOutOfRange, "interval out of range")
}

// splitTimestamp takes a finite timestamp apart, as local time.
func splitTimestamp(t int64) DateTime {
	day := floorDiv(t, usecPerDay)
	var dt DateTime
	dt.Year, dt.Month, dt.Day = FromJulian(int(day) + pgEpochJDate)
	dt.setTime(t - day*usecPerDay)
	return dt
}

func (dt *DateTime) setTime(usec int64) {
	dt.Hour = int(usec / usecPerHour)
	usec -= int64(dt.Hour) * usecPerHour
	dt.Min = int(usec / usecPerMin)
	usec -= int64(dt.Min) * usecPerMin
	dt.Sec, dt.Usec = int(usec/usecPerSec), int(usec%usecPerSec)
}

func (dt *DateTime) timeUsec() int64 {
	return ((int64(dt.Hour)*60+int64(dt.Min))*60+int64(dt.Sec))*usecPerSec + int64(dt.Usec)
}

// julian is the Julian day of the date part.
func (dt *DateTime) julian() int { return JulianDay(dt.Year, dt.Month, dt.Day) }

// timestamp puts local time together; ok is false when it is out of range.
func (dt *DateTime) timestamp() (int64, bool) {
	if !validJulian(dt.Year, dt.Month) {
		return 0, false
	}
	t, ok := dt.wideTimestamp()
	return t, ok && tsIsValid(t)
}

// wideTimestamp is local time that a zone may yet bring into range; ok is false when 64 bits do not hold it.
func (dt *DateTime) wideTimestamp() (int64, bool) {
	d, err := mul8(int64(dt.julian()-pgEpochJDate), usecPerDay)
	if err == nil {
		d, err = add8(d.Int8(), dt.timeUsec())
	}
	return d.Int8(), err == nil
}

// SplitTimestampTZ takes a finite timestamptz apart as local time of a zone.
func SplitTimestampTZ(z *TimeZone, t int64) DateTime {
	sec := floorDiv(t, usecPerSec)
	at := time.Unix(sec+pgEpochUnix, 0).In(z.Location())
	name, off := at.Zone()
	dt := splitTimestamp(t + int64(off)*usecPerSec)
	dt.West, dt.Zone, dt.IsDST = -off, name, at.IsDST()
	return dt
}

// SplitTimestamp takes a finite timestamp apart.
func SplitTimestamp(t int64) DateTime { return splitTimestamp(t) }

// offsetAt is a zone's offset east of Greenwich at a timestamptz value.
func offsetAt(z *TimeZone, t int64) int {
	_, off := time.Unix(floorDiv(t, usecPerSec)+pgEpochUnix, 0).In(z.Location()).Zone()
	return off
}

// LocalToUTC finds the timestamptz of a local time. In the gap of a spring-forward transition the offset before it counts, in the overlap of
// a fall-back the one after it.
func LocalToUTC(z *TimeZone, local int64) int64 {
	before, after := offsetAt(z, local-usecPerDay), offsetAt(z, local+usecPerDay)
	tb, ta := local-int64(before)*usecPerSec, local-int64(after)*usecPerSec
	if before == after {
		return tb
	}
	if offsetAt(z, ta) == after {
		return ta
	}
	return tb
}

// TimestampToTZ and TZToTimestamp convert between timestamp and timestamptz in a zone; infinities stay.
func TimestampToTZ(z *TimeZone, t int64) (int64, error) {
	if t == TimestampInfinity || t == TimestampNegInfinity {
		return t, nil
	}
	u := LocalToUTC(z, t)
	if !tsIsValid(u) {
		return 0, errTimestampRange()
	}
	return u, nil
}

func TZToTimestamp(z *TimeZone, t int64) (int64, error) {
	if t == TimestampInfinity || t == TimestampNegInfinity {
		return t, nil
	}
	u := t + int64(offsetAt(z, t))*usecPerSec
	if !tsIsValid(u) {
		return 0, errTimestampRange()
	}
	return u, nil
}

func isInfinite(t int64) bool { return t == TimestampInfinity || t == TimestampNegInfinity }

// DateToTimestamp is midnight of a date.
func DateToTimestamp(d int32) (int64, error) {
	switch {
	case d == DateInfinity:
		return TimestampInfinity, nil
	case d == DateNegInfinity:
		return TimestampNegInfinity, nil
	case d >= tsEndJulian-pgEpochJDate:
		return 0, pgerr.New(pgerr.DatetimeValueOutOfRange, "date out of range for timestamp")
	}
	return int64(d) * usecPerDay, nil
}

// TimestampToDate is the date of a timestamp.
func TimestampToDate(t int64) int32 {
	switch t {
	case TimestampInfinity:
		return DateInfinity
	case TimestampNegInfinity:
		return DateNegInfinity
	}
	return int32(floorDiv(t, usecPerDay))
}

// Timestamp puts local time together; ok is false when it is out of range.
func (dt *DateTime) Timestamp() (t int64, ok bool) { return dt.timestamp() }

// TimestampInRange says whether a finite timestamp is one that the type has.
func TimestampInRange(t int64) bool { return tsIsValid(t) }

// Date gives the date part; ok is false when it is out of range.
func (dt *DateTime) Date() (d int32, ok bool) {
	if !validJulian(dt.Year, dt.Month) {
		return 0, false
	}
	day := int64(dt.julian() - pgEpochJDate)
	return int32(day), dateIsValid(day)
}
