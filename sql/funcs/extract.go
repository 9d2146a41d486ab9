package funcs

import (
	"math"
	"math/big"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// extract (numeric) and date_part (float8) of all date and time types.

var unitNames = func() map[string]string {
	m := map[string]string{}
	for unit, words := range map[string]string{
		"microseconds": "microseconds us usec usecs useconds microsecon", "milliseconds": "milliseconds ms msec msecs mseconds millisecon",
		"second": "second s sec secs seconds", "minute": "minute m min mins minutes", "hour": "hour h hr hrs hours", "day": "day d days",
		"month": "month mon mons months", "quarter": "quarter qtr", "week": "week w weeks", "year": "year y yr yrs years",
		"decade": "decade dec decs decades", "century": "century c cent centuries", "millennium": "millennium mil mils millennia",
		"julian": "julian j jd", "isoyear": "isoyear", "dow": "dow", "isodow": "isodow", "doy": "doy", "epoch": "epoch",
		"timezone": "timezone", "timezone_h": "timezone_h timezone_hour", "timezone_m": "timezone_m timezone_minute",
	} {
		for _, w := range strings.Fields(words) {
			m[w] = unit
		}
	}
	return m
}()

// unitOf finds a field's name; names are known by ten letters.
func unitOf(s string) (unit, lowered string) {
	lowered = strings.ToLower(s)
	key := lowered
	if len(key) > 10 {
		key = key[:10]
	}
	if u, ok := unitNames[lowered]; ok {
		return u, lowered
	}
	return unitNames[key], lowered
}

// extracted is one value: an integer of a scale, or a float for date_part where it is not exact.
type extracted struct {
	v     int64
	scale int
	f     float64
	inf   int // ±1: an infinite value
	null  bool
	num   *types.Numeric
}

func whole(v int64) (extracted, bool) { return extracted{v: v, f: float64(v)}, true }

// clockField serves the fields of a time of day in seconds and microseconds.
func clockField(unit string, hour, min, sec, usec int64) (extracted, bool) {
	switch unit {
	case "microseconds":
		return whole(sec*1000000 + usec)
	case "milliseconds":
		return extracted{v: sec*1000000 + usec, scale: 3, f: float64(sec)*1000 + float64(usec)/1000}, true
	case "second":
		return extracted{v: sec*1000000 + usec, scale: 6, f: float64(sec) + float64(usec)/1000000}, true
	case "minute":
		return whole(min)
	case "hour":
		return whole(hour)
	}
	return extracted{}, false
}

func zoneField(unit string, west int64) (extracted, bool) {
	switch unit {
	case "timezone":
		return whole(-west)
	case "timezone_m":
		return whole(-west / 60 % 60)
	case "timezone_h":
		return whole(-west / 3600)
	}
	return extracted{}, false
}

func century(y int64) int64 {
	if y > 0 {
		return (y + 99) / 100
	}
	return -((99 - (y - 1)) / 100)
}

func millennium(y int64) int64 {
	if y > 0 {
		return (y + 999) / 1000
	}
	return -((999 - (y - 1)) / 1000)
}

func decade(y int64) int64 {
	if y >= 0 {
		return y / 10
	}
	return -((8 - (y - 1)) / 10)
}

// isoWeek gives week and year of ISO 8601.
func isoWeek(y, m, d int) (week, year int) {
	day := types.JulianDay(y, m, d)
	start := func(year int) int {
		d4 := types.JulianDay(year, 1, 4)
		return d4 - types.WeekDay(d4-1)
	}
	year = y
	first := start(y)
	if day < first {
		year--
		first = start(year)
	} else if next := start(y + 1); day >= next {
		year++
		first = next
	}
	return (day-first)/7 + 1, year
}

// dateField serves the fields of a calendar date.
func dateField(unit string, y, m, d int) (extracted, bool) {
	jd := types.JulianDay(y, m, d)
	switch unit {
	case "day":
		return whole(int64(d))
	case "month":
		return whole(int64(m))
	case "quarter":
		return whole(int64((m-1)/3 + 1))
	case "week":
		w, _ := isoWeek(y, m, d)
		return whole(int64(w))
	case "year":
		return whole(bcYear(y))
	case "decade":
		return whole(decade(int64(y)))
	case "century":
		return whole(century(int64(y)))
	case "millennium":
		return whole(millennium(int64(y)))
	case "isoyear":
		_, iso := isoWeek(y, m, d)
		return whole(bcYear(iso))
	case "dow":
		return whole(int64(types.WeekDay(jd)))
	case "isodow":
		if w := types.WeekDay(jd); w > 0 {
			return whole(int64(w))
		}
		return whole(7)
	case "doy":
		return whole(int64(jd - types.JulianDay(y, 1, 1) + 1))
	}
	return extracted{}, false
}

func bcYear(y int) int64 {
	if y > 0 {
		return int64(y)
	}
	return int64(y) - 1
}

const (
	usecPerDay  = int64(86400) * 1000000
	epochOfUnix = -946684800 * int64(1000000)
)

// infiniteField: fields that grow with time are infinite, those that go round are null.
func infiniteField(unit string, sign int) (extracted, bool) {
	switch unit {
	case "year", "decade", "century", "millennium", "julian", "isoyear", "epoch":
		return extracted{inf: sign}, true
	case "microseconds", "milliseconds", "second", "minute", "hour", "day", "month", "quarter", "week", "dow", "isodow", "doy", "timezone",
		"timezone_h", "timezone_m":
		return extracted{null: true}, true
	}
	return extracted{}, false
}

// timestampField takes a field of local time; t is the moment, for epoch.
func timestampField(unit string, dt types.DateTime, t int64, zone bool) (extracted, bool) {
	if f, ok := clockField(unit, int64(dt.Hour), int64(dt.Min), int64(dt.Sec), int64(dt.Usec)); ok {
		return f, true
	}
	if f, ok := dateField(unit, dt.Year, dt.Month, dt.Day); ok {
		return f, true
	}
	switch unit {
	case "epoch":
		if t > math.MaxInt64+epochOfUnix { // the difference is beyond 64 bits
			n := types.NumericFromBig(new(big.Int).Sub(big.NewInt(t), big.NewInt(epochOfUnix)), 6)
			return extracted{num: &n, f: float64(t)/1e6 - float64(epochOfUnix)/1e6}, true
		}
		v := t - epochOfUnix
		return extracted{v: v, scale: 6, f: float64(v) / 1e6}, true
	case "julian":
		usec := ((int64(dt.Hour)*60+int64(dt.Min))*60+int64(dt.Sec))*1000000 + int64(dt.Usec)
		jd := types.JulianDay(dt.Year, dt.Month, dt.Day)
		frac, _ := types.DivNumeric(types.NumericFromInt64(usec), types.NumericFromInt64(usecPerDay))
		sum := types.AddNumeric(types.NumericFromInt64(int64(jd)), frac)
		sec := float64((dt.Hour*60+dt.Min)*60+dt.Sec) + float64(dt.Usec)/1e6
		return extracted{num: &sum, f: float64(jd) + sec/86400}, true
	}
	if zone {
		return zoneField(unit, int64(dt.West))
	}
	return extracted{}, false
}

func intervalField(unit string, v types.Interval) (extracted, bool) {
	t := v.Usec
	hour, min, sec, usec := t/3600000000, t/60000000%60, t/1000000%60, t%1000000
	if f, ok := clockField(unit, hour, min, sec, usec); ok {
		return f, true
	}
	year, mon := int64(v.Months/12), int64(v.Months%12)
	switch unit {
	case "day":
		return whole(int64(v.Days))
	case "month":
		return whole(mon)
	case "quarter":
		return whole(mon/3 + 1)
	case "year":
		return whole(year)
	case "decade":
		return whole(year / 10)
	case "century":
		return whole(year / 100)
	case "millennium":
		return whole(year / 1000)
	case "epoch":
		secs := (1461*year + 120*mon + 4*int64(v.Days)) * 21600
		n := types.NumericFromBig(new(big.Int).Add(new(big.Int).Mul(big.NewInt(secs), big.NewInt(1000000)), big.NewInt(t)), 6)
		f := float64(t)/1e6 + 365.25*86400*float64(year) + 30*86400*float64(mon) + 86400*float64(v.Days)
		return extracted{num: &n, f: f}, true
	}
	return extracted{}, false
}

// getField takes the field of the argument's type.
func getField(c *types.Call, kind, unit string) (extracted, bool) {
	d := c.Args[1]
	switch kind {
	case "interval":
		return intervalField(unit, d.Interval())
	case "time":
		t := d.Int8()
		if unit == "epoch" {
			return extracted{v: t, scale: 6, f: float64(t) / 1e6}, true
		}
		return clockField(unit, t/3600000000, t/60000000%60, t/1000000%60, t%1000000)
	case "timetz":
		t, west := d.TimeTZ()
		if unit == "epoch" {
			v := t + int64(west)*1000000
			return extracted{v: v, scale: 6, f: float64(t)/1e6 + float64(west)}, true
		}
		if f, ok := zoneField(unit, int64(west)); ok {
			return f, true
		}
		return clockField(unit, t/3600000000, t/60000000%60, t/1000000%60, t%1000000)
	case "date":
		return extractDate(unit, d.Int4())
	}
	t := d.Int8()
	if t == types.TimestampInfinity || t == types.TimestampNegInfinity {
		if kind == "timestamp" && strings.HasPrefix(unit, "timezone") {
			return extracted{}, false
		}
		return infiniteField(unit, signOf(t))
	}
	if kind == "timestamptz" {
		return timestampField(unit, types.SplitTimestampTZ(c.Env.SettingsOrDefault().TimeZone, t), t, true)
	}
	return timestampField(unit, types.SplitTimestamp(t), t, false)
}

func signOf(t int64) int {
	if t < 0 {
		return -1
	}
	return 1
}

func extractDate(unit string, d int32) (extracted, bool) {
	switch unit {
	case "microseconds", "milliseconds", "second", "minute", "hour", "timezone", "timezone_h", "timezone_m":
		return extracted{}, false
	}
	if d == types.DateInfinity || d == types.DateNegInfinity {
		return infiniteField(unit, signOf(int64(d)))
	}
	switch unit {
	case "epoch":
		return whole((int64(d) + 10957) * 86400)
	case "julian":
		return whole(int64(d) + 2451545)
	}
	y, m, day := types.FromJulian(int(d) + 2451545)
	return dateField(unit, y, m, day)
}

var kindNames = map[string]string{
	"interval": "interval", "time": "time without time zone", "timetz": "time with time zone", "date": "date",
	"timestamp": "timestamp without time zone", "timestamptz": "timestamp with time zone",
}

func unitError(kind, unit, lowered string) error {
	if unit == "" {
		return pgerr.New(pgerr.InvalidParameterValue, "unit \"%s\" not recognized for type %s", lowered, kindNames[kind])
	}
	return pgerr.New(pgerr.FeatureNotSupported, "unit \"%s\" not supported for type %s", lowered, kindNames[kind])
}

func init() {
	for kind := range kindNames {
		get := func(c *types.Call) (extracted, error) {
			unit, lowered := unitOf(c.Args[0].Str())
			f, ok := getField(c, kind, unit)
			if !ok || unit == "" {
				return f, unitError(kind, unit, lowered)
			}
			return f, nil
		}
		types.RegisterFunc("extract_"+kind, func(c *types.Call) (types.Datum, error) {
			f, err := get(c)
			switch {
			case err != nil || f.null:
				return types.Null, err
			case f.inf != 0:
				return types.NumericInf(f.inf).Datum(c.Arena)
			case f.num != nil:
				return f.num.Datum(c.Arena)
			}
			return types.NumericFromBig(big.NewInt(f.v), f.scale).Datum(c.Arena)
		})
		if kind == "date" {
			continue
		}
		types.RegisterFunc(kind+"_part", func(c *types.Call) (types.Datum, error) {
			f, err := get(c)
			switch {
			case err != nil || f.null:
				return types.Null, err
			case f.inf != 0:
				return types.Float8(math.Inf(f.inf)), nil
			}
			return types.Float8(f.f), nil
		})
	}
}
