package funcs

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// From the fields that a template read to a date and a time.

// whichFields says what part of a date is known, for the range check.
type whichFields struct{ month, day bool }

// assemble fills dt; s is the text, for errors.
func (p *parsedTime) assemble(s string) error {
	f, dt := &p.f, &p.dt
	dt.Month, dt.Day = 1, 1
	if err := p.clock(); err != nil {
		return err
	}
	p.year()
	known, err := p.date()
	if err != nil {
		return err
	}
	dt.Usec = f.ms*1000 + f.us
	overflow := pgerr.New(pgerr.DatetimeValueOutOfRange, "date/time field value out of range: \"%s\"", s)
	if known.month && (dt.Month < 1 || dt.Month > 12) || known.day && (dt.Day < 1 || dt.Day > 31) ||
		known.month && known.day && f.haveYear() && dt.Day > types.DaysInMonth(dt.Year, dt.Month) {
		return overflow
	}
	if dt.Hour < 0 || dt.Hour >= 24 || dt.Min < 0 || dt.Min >= 60 || dt.Sec < 0 || dt.Sec >= 60 || dt.Usec < 0 || dt.Usec >= 1000000 {
		return overflow
	}
	if f.tzsign != 0 {
		if f.tzh < 0 || f.tzh > 15 || f.tzm < 0 || f.tzm >= 60 {
			return pgerr.New(pgerr.InvalidTimeZoneDisplacementValue, "time zone displacement out of range: \"%s\"", s)
		}
		p.hasZone = true
		dt.West = -f.tzsign * (f.tzh*60 + f.tzm) * 60
	}
	return nil
}

// haveYear: the year is known by itself, by a century, a Julian day or an ISO week.
func (f *templateFields) haveYear() bool {
	return f.year != 0 || f.cc != 0 || f.j != 0 || f.mode == modeISOWeek && (f.ww != 0 || f.ddd != 0)
}

func (p *parsedTime) clock() error {
	f, dt := &p.f, &p.dt
	dt.Hour, dt.Min, dt.Sec = f.ssss/3600, f.ssss/60%60, f.ssss%60
	if f.ss != 0 {
		dt.Sec = f.ss
	}
	if f.mi != 0 {
		dt.Min = f.mi
	}
	if f.hh != 0 {
		dt.Hour = f.hh
	}
	if !f.clock12 {
		return nil
	}
	if dt.Hour < 1 || dt.Hour > 12 {
		return badDatetime("hour \"%d\" is invalid for the 12-hour clock", dt.Hour).
			WithHint("Use the 24-hour clock, or give an hour between 1 and 12.")
	}
	if f.pm != 0 && dt.Hour < 12 {
		dt.Hour += 12
	} else if f.pm == 0 && dt.Hour == 12 {
		dt.Hour = 0
	}
	return nil
}

// year combines year, century and era.
func (p *parsedTime) year() {
	f, dt := &p.f, &p.dt
	cc := f.cc
	if f.bc != 0 {
		cc = -cc
	}
	switch {
	case f.year != 0 && f.cc != 0 && f.yysz <= 2:
		dt.Year = f.year % 100
		switch {
		case dt.Year == 0 && cc >= 0:
			dt.Year = cc * 100
		case dt.Year == 0:
			dt.Year = cc*100 + 1
		case cc >= 0:
			dt.Year += (cc - 1) * 100
		default:
			dt.Year = (cc+1)*100 - dt.Year + 1
		}
	case f.year != 0:
		dt.Year = f.year
		if f.bc != 0 {
			dt.Year = -dt.Year
		}
		if dt.Year < 0 {
			dt.Year++
		}
	case f.cc != 0 && cc >= 0:
		dt.Year = (cc-1)*100 + 1
	case f.cc != 0:
		dt.Year = cc*100 + 1
	}
}

// date finds month and day by whichever fields there are.
func (p *parsedTime) date() (known whichFields, err error) {
	f, dt := &p.f, &p.dt
	if f.j != 0 {
		dt.Year, dt.Month, dt.Day = types.FromJulian(f.j)
		known = whichFields{true, true}
	}
	if f.ww != 0 {
		if f.mode == modeISOWeek {
			jd := isoYearStart(dt.Year) + (f.ww-1)*7
			if f.d > 1 {
				jd += f.d - 2 // Sunday is 1
			} else if f.d == 1 {
				jd += 6
			}
			dt.Year, dt.Month, dt.Day = types.FromJulian(jd)
			known = whichFields{true, true}
		} else {
			f.ddd = (f.ww-1)*7 + 1
		}
	}
	if f.w != 0 {
		f.dd = (f.w-1)*7 + 1
	}
	if f.dd != 0 {
		dt.Day, known.day = f.dd, true
	}
	if f.mm != 0 {
		dt.Month, known.month = f.mm, true
	}
	if f.ddd != 0 && (dt.Month <= 1 || dt.Day <= 1) {
		return whichFields{true, true}, p.dayOfYear()
	}
	return known, nil
}

func (p *parsedTime) dayOfYear() error {
	f, dt := &p.f, &p.dt
	if dt.Year == 0 && f.bc == 0 {
		return badDatetime("cannot calculate day of year without year information")
	}
	if f.mode == modeISOWeek {
		dt.Year, dt.Month, dt.Day = types.FromJulian(isoYearStart(dt.Year) - 1 + f.ddd)
		return nil
	}
	month, before := 1, 0
	for ; month <= 12; month++ {
		days := types.DaysInMonth(dt.Year, month)
		if f.ddd <= before+days {
			break
		}
		before += days
	}
	if dt.Month <= 1 {
		dt.Month = month
	}
	if dt.Day <= 1 {
		dt.Day = f.ddd - before
	}
	return nil
}
