package types

import (
	"encoding/binary"
	"fmt"

	"github.com/calfdb/calf/sql/pgerr"
)

func init() {
	registerIO("date_in", dateIn, "date_out", dateOut, "date_recv", dateRecv, "date_send", int4Send)
	registerSigned(six("date_"))
	registerCompare("date_cmp", compareSigned)
	registerLarger("date_larger", "date_smaller", compareSigned)
	RegisterFunc("date_finite", func(c *Call) (Datum, error) {
		d := c.Args[0].Int4()
		return Bool(d != DateInfinity && d != DateNegInfinity), nil
	})
	RegisterFunc("date_pli", func(c *Call) (Datum, error) { return dateAdd(c.Args[0].Int4(), int64(c.Args[1].Int4())) })
	RegisterFunc("date_mii", func(c *Call) (Datum, error) { return dateAdd(c.Args[0].Int4(), -int64(c.Args[1].Int4())) })
	RegisterFunc("date_mi", func(c *Call) (Datum, error) {
		a, b := c.Args[0].Int4(), c.Args[1].Int4()
		if dateIsInfinite(a) || dateIsInfinite(b) {
			return Null, pgerr.New(pgerr.DatetimeValueOutOfRange, "cannot subtract infinite dates")
		}
		return Int4(a - b), nil
	})
}

func dateIsInfinite(d int32) bool { return d == DateInfinity || d == DateNegInfinity }

func dateAdd(d int32, days int64) (Datum, error) {
	if dateIsInfinite(d) {
		return Int4(d), nil
	}
	r := int64(d) + days
	if !dateIsValid(r) {
		return Null, errDateRange()
	}
	return Int4(int32(r)), nil
}

func dateIn(env *Env, _ *IO, s string, _ int32) (Datum, error) {
	if dt, ok := parseISO(s); ok {
		return Int4(int32(dt.julian() - pgEpochJDate)), nil
	}
	d, err := decodeDateTime(env, s, "date", false)
	if err != nil {
		return Null, err
	}
	switch d.special {
	case valEpoch:
		return Int4(unixEpochJDate - pgEpochJDate), nil
	case valLate:
		return Int4(DateInfinity), nil
	case valEarly:
		return Int4(DateNegInfinity), nil
	}
	if !validJulian(d.dt.Year, d.dt.Month) || !dateIsValid(int64(d.dt.julian()-pgEpochJDate)) {
		return Null, pgerr.New(pgerr.DatetimeValueOutOfRange, "date out of range: \"%s\"", s)
	}
	return Int4(int32(d.dt.julian() - pgEpochJDate)), nil
}

func dateOut(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	switch v := d.Int4(); v {
	case DateInfinity:
		return append(dst, "infinity"...), nil
	case DateNegInfinity:
		return append(dst, "-infinity"...), nil
	default:
		y, m, day := FromJulian(int(v) + pgEpochJDate)
		return appendDate(dst, env.settings(), y, m, day), nil
	}
}

func dateRecv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) {
	if err := wantLen(b, 4); err != nil {
		return Null, err
	}
	d := int32(binary.BigEndian.Uint32(b))
	if !dateIsInfinite(d) && !dateIsValid(int64(d)) {
		return Null, errDateRange()
	}
	return Int4(d), nil
}

// timeTypMods registers the (p) modifiers of a date and time type; suffix follows the precision.
func timeTypMods(prefix, name, suffix string) {
	typmodOutTable[prefix+"typmodout"] = func(m int32) string {
		if m < 0 {
			return suffix
		}
		return fmt.Sprintf("(%d)%s", m, suffix)
	}
	typmodInTable[prefix+"typmodin"] = func(env *Env, mods []string) (int32, error) {
		if len(mods) != 1 {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "invalid type modifier")
		}
		v, err := ParseInt(mods[0], 32, "integer")
		if err != nil {
			return 0, err
		}
		if v < 0 {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "%s(%d)%s precision must not be negative", name, v, suffixUpper(suffix))
		}
		if v > 6 {
			w := pgerr.New(pgerr.InvalidParameterValue, "%s(%d)%s precision reduced to maximum allowed, %d", name, v, suffixUpper(suffix), 6)
			w.Severity = "WARNING"
			env.notice(w)
			v = 6
		}
		return int32(v), nil
	}
}

func suffixUpper(s string) string {
	if s == " with time zone" {
		return " WITH TIME ZONE"
	}
	return ""
}
