package types

import (
	"math"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// dateMask says which fields are known.
type dateMask uint32

const (
	hasYear dateMask = 1 << iota
	hasMonth
	hasDay
	hasDOY
	hasHour
	hasMinute
	hasSecond
	hasTZ
	hasDTZMod
	hasDOW
	hasAMPM
	hasADBC

	hasDate = hasYear | hasMonth | hasDay
	hasTime = hasHour | hasMinute | hasSecond
)

// dateDecoder gives tokens a meaning, as PostgreSQL's DecodeDateTime and DecodeTimeOnly do.
type dateDecoder struct {
	env      *Env
	order    DateOrder
	timeOnly bool

	dt        DateTime
	mask      dateMask
	special   int // valEpoch, valLate, valEarly, or 0
	label     int // a unit that waits for its number
	textMonth bool
	twoDigits bool
	julian    bool
	bc        bool
	ampm      int // 0 = none, 1 = AM, 2 = PM
	zone      *TimeZone
	badZone   string
	abbrev    string // whose meaning depends on the time
}

// decodeDateTime reads a date with an optional time. West is set when a zone was named or the session's counts.
func decodeDateTime(env *Env, s, typeName string, timeOnly bool) (*dateDecoder, error) {
	toks, e := splitDateTime(s)
	d := &dateDecoder{env: env, order: env.settings().DateOrder, timeOnly: timeOnly}
	if e == dateOK {
		e = d.run(toks)
	}
	if d.badZone != "" {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "time zone \"%s\" not recognized", d.badZone)
	}
	if e != dateOK {
		return nil, e.report(s, typeName)
	}
	return d, nil
}

func (d *dateDecoder) run(toks []dateToken) dateError {
	if len(toks) == 0 {
		return dateBadFormat
	}
	for i, t := range toks {
		var got dateMask
		var e dateError
		switch t.kind {
		case tokDate:
			got, e = d.dateToken(toks, i)
		case tokTime:
			if d.label != 0 && d.label != unitTime {
				return dateBadFormat
			}
			d.label = 0
			got, e = d.time(t.text)
		case tokTZ:
			got = hasTZ
			d.dt.West, e = decodeZoneOffset(t.text)
		case tokNumber:
			got, e = d.numberToken(t.text)
		default:
			got, e = d.word(toks, i)
		}
		if e != dateOK {
			return e
		}
		if got&d.mask != 0 {
			return dateBadFormat
		}
		d.mask |= got
	}
	if d.label != 0 {
		return dateBadFormat
	}
	if d.special != 0 {
		return dateOK
	}
	if e := d.validate(); e != dateOK {
		return e
	}
	return d.finish()
}

func (d *dateDecoder) finish() dateError {
	if d.timeOnly {
		if d.mask&hasTime != hasTime {
			return dateBadFormat
		}
	} else if d.mask&hasDate != hasDate {
		return dateBadFormat
	}
	if d.mask&hasDTZMod != 0 && d.mask&hasTZ == 0 {
		return dateBadFormat
	}
	switch {
	case d.zone != nil:
		return d.useZone(d.zone)
	case d.abbrev != "":
		return d.useAbbrev()
	case d.mask&hasTZ == 0:
		return d.useZone(d.env.settings().TimeZone)
	}
	return dateOK
}

// useAbbrev finds what an abbreviation means at the local time.
func (d *dateDecoder) useAbbrev() dateError {
	at, e := d.localTime(d.env.settings().TimeZone)
	if e != dateOK {
		return e
	}
	if local, ok := at.timestamp(); ok {
		d.dt.West = -zoneAbbrevs[d.abbrev].eastAtLocal(d.abbrev, local)
	}
	return dateOK
}

// localTime is the time read, with today's date where there is none; a part of a date is no date.
func (d *dateDecoder) localTime(z *TimeZone) (DateTime, dateError) {
	at := d.dt
	if !d.timeOnly || d.mask&hasDate == hasDate {
		return at, dateOK
	}
	if d.mask&hasDate != 0 {
		return at, dateBadFormat
	}
	now := d.now(z)
	at.Year, at.Month, at.Day = now.Year, now.Month, now.Day
	return at, dateOK
}

// useZone finds the offset of a zone at the local time. A named zone whose offset changes over the year needs a date.
func (d *dateDecoder) useZone(z *TimeZone) dateError {
	if d.timeOnly && d.zone != nil && d.mask&hasDate != hasDate && !fixedOffset(z) {
		return dateBadFormat
	}
	at, e := d.localTime(z)
	if e != dateOK {
		return e
	}
	if local, ok := at.timestamp(); ok {
		d.dt.West = int((LocalToUTC(z, local) - local) / usecPerSec)
	}
	return dateOK
}

func fixedOffset(z *TimeZone) bool {
	a := offsetAt(z, 0)
	for m := int64(0); m < 12; m++ {
		if offsetAt(z, 8e14+m*30*usecPerDay) != a {
			return false
		}
	}
	return true
}

func (d *dateDecoder) now(z *TimeZone) DateTime {
	if d.env == nil || d.env.Clock == nil {
		return SplitTimestampTZ(z, 0)
	}
	return SplitTimestampTZ(z, d.env.Clock.TransactionStart())
}

// dateToken: a date, or after one an ISO time with hyphen or a zone's name.
func (d *dateDecoder) dateToken(toks []dateToken, i int) (dateMask, dateError) {
	s := toks[i].text
	isTimeOrZone := d.mask&(hasMonth|hasDay) == hasMonth|hasDay || d.label == unitTime
	if d.timeOnly {
		isTimeOrZone = !(i == 0 && len(toks) >= 2 && (toks[len(toks)-1].kind == tokDate || toks[1].kind == tokTime))
	}
	if d.label == unitJulian {
		return d.julianDay(s)
	}
	if !isTimeOrZone {
		return d.date(s)
	}
	if isDigit(s[0]) || d.label != 0 {
		if d.label != 0 && d.label != unitTime {
			return 0, dateBadFormat
		}
		d.label = 0
		if d.mask&hasTime == hasTime {
			return 0, dateBadFormat
		}
		cut := strings.IndexByte(s, '-')
		if cut < 0 {
			return 0, dateBadFormat
		}
		west, e := decodeZoneOffset(s[cut:])
		if e != dateOK {
			return 0, e
		}
		d.dt.West = west
		mask := d.mask
		if d.timeOnly {
			mask |= hasDate
		}
		got, e := d.numberField(s[:cut], mask)
		return got | hasTZ, e
	}
	z, ok := loadZone(s)
	if !ok {
		d.badZone = s
		return 0, dateBadFormat
	}
	d.zone = z
	return hasTZ, dateOK
}

func (d *dateDecoder) julianDay(s string) (dateMask, dateError) {
	d.label = 0
	n := skipDigits(s, 0)
	v, err := strconv.Atoi(s[:n])
	if err != nil || v > dateEndJulian {
		return 0, dateFieldOverflow
	}
	d.julian = true
	d.dt.Year, d.dt.Month, d.dt.Day = FromJulian(v)
	if n == len(s) {
		return hasDate, dateOK
	}
	if s[n] == '+' || s[n] == '-' {
		west, e := decodeZoneOffset(s[n:])
		d.dt.West = west
		return hasDate | hasTime | hasTZ, e
	}
	if s[n] != '.' {
		return 0, dateBadFormat
	}
	f, err := strconv.ParseFloat("0"+s[n:], 64)
	if err != nil {
		return 0, dateBadFormat
	}
	d.dt.setTime(int64(f * float64(usecPerDay)))
	return hasDate | hasTime, dateOK
}

func (d *dateDecoder) numberToken(s string) (dateMask, dateError) {
	if d.label != 0 {
		return d.labelled(s)
	}
	dot := strings.IndexByte(s, '.')
	if d.timeOnly {
		if dot >= 0 && d.mask&hasDate == 0 && dot <= 2 {
			return d.date(s)
		}
		if dot >= 0 || len(s) > 4 || d.mask&hasDate == 0 {
			return d.numberField(s, d.mask|hasDate)
		}
		return d.number(s, d.mask)
	}
	switch {
	case dot >= 0 && d.mask&hasDate == 0:
		return d.date(s)
	case dot > 2:
		return d.numberField(s, d.mask)
	case len(s) >= 6 && (d.mask&hasDate == 0 || d.mask&hasTime == 0):
		return d.numberField(s, d.mask)
	}
	return d.number(s, d.mask)
}

// labelled: a number after y, m, d, h, mm, s, j or t.
func (d *dateDecoder) labelled(s string) (dateMask, dateError) {
	label := d.label
	if label == unitJulian {
		return d.julianDay(s)
	}
	d.label = 0
	if label == unitTime {
		got, e := d.numberField(s, d.mask|hasDate)
		if e == dateOK && got != hasTime {
			return 0, dateBadFormat
		}
		return got, e
	}
	n := skipDigits(s, 0)
	v, err := strconv.ParseInt(s[:n], 10, 32)
	if err != nil {
		return 0, dateFieldOverflow
	}
	if n < len(s) && (s[n] != '.' || label != unitSecond) {
		return 0, dateBadFormat
	}
	switch label {
	case unitYear:
		d.dt.Year = int(v)
		return hasYear, dateOK
	case unitMonth:
		if d.mask&hasMonth != 0 && d.mask&hasHour != 0 {
			d.dt.Min = int(v)
			return hasMinute, dateOK
		}
		d.dt.Month = int(v)
		return hasMonth, dateOK
	case unitDay:
		d.dt.Day = int(v)
		return hasDay, dateOK
	case unitHour:
		d.dt.Hour = int(v)
		return hasHour, dateOK
	case unitMinute:
		d.dt.Min = int(v)
		return hasMinute, dateOK
	}
	d.dt.Sec = int(v)
	if n < len(s) {
		var e dateError
		if d.dt.Usec, e = fraction(s[n:]); e != dateOK {
			return 0, e
		}
	}
	return hasSecond, dateOK
}

// fraction reads ".123" as microseconds, rounded.
func fraction(s string) (int, dateError) {
	if skipDigits(s, 1) != len(s) {
		return 0, dateBadFormat
	}
	f, err := strconv.ParseFloat("0"+s+"0", 64)
	if err != nil {
		return 0, dateBadFormat
	}
	return int(math.RoundToEven(f * 1000000)), dateOK
}

// word: a name, an abbreviation, a unit, a zone.
func (d *dateDecoder) word(toks []dateToken, i int) (dateMask, dateError) {
	s := toks[i].text
	w := lookupWord(s)
	if w.kind != wordDTZMod {
		if z, ok := zoneAbbrevs[s]; ok && w.kind != wordMonth && w.kind != wordReserved {
			d.dt.West, d.dt.IsDST = -z.east, z.dst
			if z.zone != "" {
				d.abbrev = s
			}
			return hasTZ, dateOK
		}
	}
	switch w.kind {
	case wordReserved:
		return d.reserved(w.val)
	case wordMonth:
		got := hasMonth
		if d.mask&hasMonth != 0 && !d.textMonth && d.mask&hasDay == 0 && d.dt.Month >= 1 && d.dt.Month <= 31 {
			d.dt.Day = d.dt.Month
			got = hasDay
		}
		d.textMonth = true
		d.dt.Month = w.val
		return got, dateOK
	case wordDTZMod:
		d.dt.IsDST = true
		d.dt.West -= w.val
		return hasDTZMod, dateOK
	case wordAMPM:
		d.ampm = w.val + 1
		return hasAMPM, dateOK
	case wordADBC:
		d.bc = w.val == 1
		return hasADBC, dateOK
	case wordDOW:
		return hasDOW, dateOK
	case wordUnits:
		d.label = w.val
		return 0, dateOK
	case wordISOTime:
		if !d.timeOnly && d.mask&hasDate != hasDate {
			return 0, dateBadFormat
		}
		if i+1 >= len(toks) || toks[i+1].kind != tokNumber && toks[i+1].kind != tokTime && toks[i+1].kind != tokDate {
			return 0, dateBadFormat
		}
		d.label = w.val
		return 0, dateOK
	case wordIgnore:
		return 0, dateOK
	}
	if z, ok := loadZone(s); ok {
		d.zone = z
		return hasTZ, dateOK
	}
	return 0, dateBadFormat
}

func (d *dateDecoder) reserved(val int) (dateMask, dateError) {
	z := d.env.settings().TimeZone
	switch val {
	case valNow:
		d.dt = d.now(z)
		return hasDate | hasTime | hasTZ, dateOK
	case valToday, valTomorrow, valYesterday:
		now := d.now(z)
		jd := now.julian() + map[int]int{valToday: 0, valTomorrow: 1, valYesterday: -1}[val]
		d.dt.Year, d.dt.Month, d.dt.Day = FromJulian(jd)
		return hasDate, dateOK
	case valZulu:
		d.dt.Hour, d.dt.Min, d.dt.Sec, d.dt.West = 0, 0, 0, 0
		return hasTime | hasTZ, dateOK
	}
	if d.timeOnly {
		return 0, dateBadFormat
	}
	d.special = val
	return hasDate | hasTime | hasTZ, dateOK
}

// date reads a date with delimiters.
func (d *dateDecoder) date(s string) (dateMask, dateError) {
	var parts []string
	for i := 0; i < len(s) && len(parts) < 25; {
		for i < len(s) && !isDigit(s[i]) && !isAlpha(s[i]) {
			i++
		}
		if i >= len(s) {
			return 0, dateBadFormat
		}
		start := i
		if isDigit(s[i]) {
			i = skipDigits(s, i)
		} else {
			for i < len(s) && isAlpha(s[i]) {
				i++
			}
		}
		parts = append(parts, s[start:i])
		if i < len(s) {
			i++
		}
	}
	mask, got := d.mask, dateMask(0)
	for i, p := range parts {
		if !isAlpha(p[0]) {
			continue
		}
		w := lookupWord(p)
		if w.kind == wordIgnore {
			continue
		}
		if w.kind != wordMonth || mask&hasMonth != 0 {
			return 0, dateBadFormat
		}
		d.dt.Month, d.textMonth = w.val, true
		mask |= hasMonth
		got |= hasMonth
		parts[i] = ""
	}
	for _, p := range parts {
		if p == "" {
			continue
		}
		m, e := d.number(p, mask)
		if e != dateOK {
			return 0, e
		}
		if mask&m != 0 {
			return 0, dateBadFormat
		}
		mask |= m
		got |= m
	}
	if mask&hasDate != hasDate {
		return 0, dateBadFormat
	}
	return got, dateOK
}

// time reads hh:mm[:ss[.fff]].
func (d *dateDecoder) time(s string) (dateMask, dateError) {
	usec, e := decodeClock(s, &d.dt.Hour, &d.dt.Min, &d.dt.Sec, false)
	if e != dateOK {
		return 0, e
	}
	d.dt.Usec = usec
	if clockOverflows(d.dt.Hour, d.dt.Min, d.dt.Sec, d.dt.Usec) {
		return 0, dateFieldOverflow
	}
	return hasTime, dateOK
}

// clockOverflows says whether a time of day is beyond 24:00:00.
func clockOverflows(h, m, s, usec int) bool {
	return h < 0 || h > 24 || m < 0 || m > 59 || s < 0 || s > 60 ||
		((int64(h)*60+int64(m))*60+int64(s))*usecPerSec+int64(usec) > usecPerDay
}

// decodeClock reads a time; mm:ss.fff is minutes and seconds, and so is mm:ss when minuteToSecond.
func decodeClock(s string, h, m, sec *int, minuteToSecond bool) (usec int, e dateError) {
	parts := strings.SplitN(s, ":", 3)
	num := func(p string, bits int) (int, string, dateError) {
		n := skipDigits(p, 0)
		v, err := strconv.ParseInt(p[:n], 10, bits)
		if err != nil && n > 0 {
			return 0, "", dateFieldOverflow
		}
		return int(v), p[n:], dateOK
	}
	var rest string
	if *h, rest, e = num(parts[0], 64); e != dateOK {
		return 0, e
	}
	if rest != "" || len(parts) < 2 {
		return 0, dateBadFormat
	}
	if *m, rest, e = num(parts[1], 32); e != dateOK {
		return 0, e
	}
	*sec = 0
	switch {
	case len(parts) == 2 && rest == "":
		if minuteToSecond {
			if *h > math.MaxInt32 {
				return 0, dateFieldOverflow
			}
			*sec, *m, *h = *m, *h, 0
		}
	case len(parts) == 2 && rest[0] == '.':
		if usec, e = fraction(rest); e != dateOK {
			return 0, e
		}
		if *h > math.MaxInt32 {
			return 0, dateFieldOverflow
		}
		*sec, *m, *h = *m, *h, 0
	case len(parts) == 3 && rest == "":
		if *sec, rest, e = num(parts[2], 32); e != dateOK {
			return 0, e
		}
		if rest != "" {
			if rest[0] != '.' {
				return 0, dateBadFormat
			}
			if usec, e = fraction(rest); e != dateOK {
				return 0, e
			}
		}
	default:
		return 0, dateBadFormat
	}
	if *m > 59 || *sec > 60 {
		return 0, dateFieldOverflow
	}
	return usec, dateOK
}

// decodeZoneNumber reads an offset as a zone's name: empty parts after a colon count as 0.
func decodeZoneNumber(s string) (west int, e dateError) {
	if s == "" || s[0] != '+' && s[0] != '-' {
		return 0, dateBadFormat
	}
	parts := strings.SplitN(s[1:], ":", 3)
	for i, p := range parts {
		if p == "" && i > 0 {
			parts[i] = "0"
		}
	}
	if len(parts) == 1 {
		return decodeZoneOffset(s)
	}
	return decodeZoneOffset(s[:1] + strings.Join(parts, ":"))
}

// decodeZoneOffset reads +hh[:mm[:ss]] or +hhmm and gives seconds west.
func decodeZoneOffset(s string) (west int, e dateError) {
	if s == "" || s[0] != '+' && s[0] != '-' {
		return 0, dateBadFormat
	}
	parts := strings.SplitN(s[1:], ":", 3)
	var v [3]int
	for i, p := range parts {
		if p == "" || skipDigits(p, 0) != len(p) {
			return 0, dateBadFormat
		}
		n, err := strconv.ParseInt(p, 10, 32)
		if err != nil {
			return 0, dateTZDispOverflow
		}
		v[i] = int(n)
	}
	if len(parts) == 1 && len(s) > 3 {
		v[1], v[0] = v[0]%100, v[0]/100
	}
	if v[0] > 15 || v[1] >= 60 || v[2] >= 60 {
		return 0, dateTZDispOverflow
	}
	west = -((v[0]*60+v[1])*60 + v[2])
	if s[0] == '-' {
		west = -west
	}
	return west, dateOK
}

// number decides what a lone number means by what is known already and the order of the date style.
func (d *dateDecoder) number(s string, mask dateMask) (dateMask, dateError) {
	n := skipDigits(s, 0)
	v64, err := strconv.ParseInt(s[:n], 10, 32)
	if err != nil {
		if n == 0 {
			return 0, dateBadFormat
		}
		return 0, dateFieldOverflow
	}
	if n < len(s) {
		if s[n] != '.' {
			return 0, dateBadFormat
		}
		if n > 2 {
			return d.numberField(s, mask|hasDate)
		}
		var e dateError
		if d.dt.Usec, e = fraction(s[n:]); e != dateOK {
			return 0, e
		}
	}
	v, flen := int(v64), len(s)
	if flen == 3 && mask&hasDate == hasYear && v >= 1 && v <= 366 {
		d.dt.YearDay = v
		return hasDOY | hasMonth | hasDay, dateOK
	}
	year := func() (dateMask, dateError) {
		d.dt.Year, d.twoDigits = v, flen <= 2
		return hasYear, dateOK
	}
	month := func() (dateMask, dateError) { d.dt.Month = v; return hasMonth, dateOK }
	day := func() (dateMask, dateError) { d.dt.Day = v; return hasDay, dateOK }
	switch mask & hasDate {
	case 0:
		switch {
		case flen >= 3 || d.order == DateYMD:
			return year()
		case d.order == DateDMY:
			return day()
		}
		return month()
	case hasYear, hasDay:
		return month()
	case hasMonth:
		if d.textMonth && (flen >= 3 || d.order == DateYMD) {
			return year()
		}
		return day()
	case hasYear | hasMonth:
		if d.textMonth && flen >= 3 && d.twoDigits {
			d.dt.Day, d.dt.Year, d.twoDigits = d.dt.Year, v, false
			return hasDay, dateOK
		}
		return day()
	case hasMonth | hasDay:
		return year()
	case hasDate:
		return d.numberField(s, mask)
	}
	return 0, dateBadFormat
}

// numberField reads a date or a time without delimiters.
func (d *dateDecoder) numberField(s string, mask dateMask) (dateMask, dateError) {
	if dot := strings.IndexByte(s, '.'); dot >= 0 {
		var e dateError
		if d.dt.Usec, e = fraction(s[dot:]); e != dateOK {
			return 0, e
		}
		s = s[:dot]
	} else if mask&hasDate != hasDate && len(s) >= 6 {
		n := len(s)
		y, err := strconv.ParseInt(s[:n-4], 10, 32)
		if err != nil {
			return 0, dateFieldOverflow
		}
		d.dt.Year, d.dt.Month, d.dt.Day = int(y), atoi(s[n-4:n-2]), atoi(s[n-2:])
		d.twoDigits = n-4 == 2
		return hasDate, dateOK
	}
	if mask&hasTime != hasTime && (len(s) == 6 || len(s) == 4) {
		d.dt.Hour, d.dt.Min, d.dt.Sec = atoi(s[:2]), atoi(s[2:4]), 0
		if len(s) == 6 {
			d.dt.Sec = atoi(s[4:])
		}
		return hasTime, dateOK
	}
	return 0, dateBadFormat
}

func atoi(s string) int { n, _ := strconv.Atoi(s); return n }

// validate checks the fields against the calendar and applies BC, AM and PM.
func (d *dateDecoder) validate() dateError {
	dt := &d.dt
	if d.mask&hasYear != 0 && !d.julian {
		switch {
		case d.bc:
			if dt.Year <= 0 {
				return dateFieldOverflow
			}
			dt.Year = 1 - dt.Year
		case d.twoDigits:
			if dt.Year < 70 {
				dt.Year += 2000
			} else if dt.Year < 100 {
				dt.Year += 1900
			}
		case dt.Year <= 0:
			return dateFieldOverflow
		}
	}
	if d.mask&hasDOY != 0 {
		dt.Year, dt.Month, dt.Day = FromJulian(JulianDay(dt.Year, 1, 1) + dt.YearDay - 1)
	}
	if d.mask&hasMonth != 0 && (dt.Month < 1 || dt.Month > 12) || d.mask&hasDay != 0 && (dt.Day < 1 || dt.Day > 31) {
		return dateMDFieldOverflow
	}
	if d.mask&hasDate == hasDate && dt.Day > DaysInMonth(dt.Year, dt.Month) {
		return dateFieldOverflow
	}
	if d.ampm != 0 && dt.Hour > 12 {
		return dateFieldOverflow
	}
	if d.ampm == 1 && dt.Hour == 12 {
		dt.Hour = 0
	} else if d.ampm == 2 && dt.Hour != 12 {
		dt.Hour += 12
	}
	if clockOverflows(dt.Hour, dt.Min, dt.Sec, dt.Usec) {
		return dateFieldOverflow
	}
	return dateOK
}
