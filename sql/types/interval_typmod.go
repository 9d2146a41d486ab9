package types

import (
	"fmt"

	"github.com/calfdb/calf/sql/pgerr"
)

// The typmod of an interval: the range of fields in the upper 16 bits (0x7FFF = all), the precision in the lower (0xFFFF = full).
const (
	intervalFullRange     = 0x7FFF
	intervalFullPrecision = 0xFFFF
)

var intervalRangeNames = map[int32]string{
	intervalYear: " year", intervalMonth: " month", intervalDay: " day", intervalHour: " hour", intervalMinute: " minute", intervalSecond: " second",
	intervalYear | intervalMonth: " year to month", intervalDay | intervalHour: " day to hour",
	intervalDay | intervalHour | intervalMinute: " day to minute", intervalDay | intervalHour | intervalMinute | intervalSecond: " day to second",
	intervalHour | intervalMinute: " hour to minute", intervalHour | intervalMinute | intervalSecond: " hour to second",
	intervalMinute | intervalSecond: " minute to second", intervalFullRange: "",
}

func init() {
	typmodOutTable["intervaltypmodout"] = func(m int32) string {
		if m < 0 {
			return ""
		}
		s := intervalRangeNames[m>>16&0x7fff]
		if p := m & 0xffff; p != intervalFullPrecision {
			s += fmt.Sprintf("(%d)", p)
		}
		return s
	}
	typmodInTable["intervaltypmodin"] = intervalTypModIn
	RegisterFunc("interval_scale", func(c *Call) (Datum, error) {
		v, err := c.Args[0].Interval().applyTypMod(c.Args[1].Int4())
		if err != nil {
			return Null, err
		}
		return v.Datum(c.Arena), nil
	})
}

func intervalTypModIn(env *Env, mods []string) (int32, error) {
	if len(mods) < 1 || len(mods) > 2 {
		return 0, pgerr.New(pgerr.InvalidParameterValue, "invalid INTERVAL type modifier")
	}
	rng, err := ParseInt(mods[0], 32, "integer")
	if err != nil {
		return 0, err
	}
	if _, ok := intervalRangeNames[int32(rng)]; !ok {
		return 0, pgerr.New(pgerr.InvalidParameterValue, "invalid INTERVAL type modifier")
	}
	if len(mods) == 1 {
		if rng == intervalFullRange {
			return -1, nil
		}
		return int32(rng)<<16 | intervalFullPrecision, nil
	}
	p, err := ParseInt(mods[1], 32, "integer")
	if err != nil {
		return 0, err
	}
	if p < 0 {
		return 0, pgerr.New(pgerr.InvalidParameterValue, "INTERVAL(%d) precision must not be negative", p)
	}
	if p > 6 {
		w := pgerr.New(pgerr.InvalidParameterValue, "INTERVAL(%d) precision reduced to maximum allowed, %d", p, 6)
		w.Severity = "WARNING"
		env.notice(w)
		p = 6
	}
	return int32(rng)<<16 | int32(p), nil
}

// applyTypMod drops fields below the range and rounds the seconds.
func (v Interval) applyTypMod(typmod int32) (Interval, error) {
	if typmod < 0 {
		return v, nil
	}
	rng, precision := typmod>>16&0x7fff, typmod&0xffff
	if _, ok := intervalRangeNames[rng]; !ok {
		return v, pgerr.Internal("invalid INTERVAL typmod: 0x%x", typmod)
	}
	if rng != intervalFullRange {
		switch {
		case rng == intervalYear:
			v = Interval{Months: v.Months / 12 * 12}
		case rng&(intervalDay|intervalHour|intervalMinute|intervalSecond) == 0:
			v.Days, v.Usec = 0, 0
		case rng&intervalSecond != 0:
		case rng&intervalMinute != 0:
			v.Usec = v.Usec / usecPerMin * usecPerMin
		case rng&intervalHour != 0:
			v.Usec = v.Usec / usecPerHour * usecPerHour
		default:
			v.Usec = 0
		}
	}
	if precision != intervalFullPrecision {
		if precision > 6 {
			return v, pgerr.New(pgerr.InvalidParameterValue, "interval(%d) precision must be between %d and %d", precision, 0, 6)
		}
		v.Usec = roundUsec(v.Usec, precision)
	}
	return v, nil
}
