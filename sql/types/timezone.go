package types

import (
	"strings"
	"time"

	"github.com/calfdb/calf/sql/pgerr"
)

// TimeZone is a session's time zone: a zone of the tz database, or a fixed offset.
type TimeZone struct {
	Name string // as SHOW TimeZone prints it
	loc  *time.Location
}

// UTC is the zone of that name.
var UTC = &TimeZone{Name: "UTC", loc: time.UTC}

// Location gives the zone as the standard library knows it.
func (z *TimeZone) Location() *time.Location {
	if z == nil {
		return time.UTC
	}
	return z.loc
}

// FixedZone makes a zone of a fixed offset, in seconds east of Greenwich.
func FixedZone(name string, secondsEast int) *TimeZone {
	return &TimeZone{Name: name, loc: time.FixedZone(name, secondsEast)}
}

// loadZone finds a zone of the tz database, without regard to case.
func loadZone(name string) (*TimeZone, bool) {
	if name == "" || strings.ContainsAny(name, "\\ ") || strings.Contains(name, "..") || name[0] == '/' {
		return nil, false
	}
	if loc, err := time.LoadLocation(name); err == nil && !strings.EqualFold(name, "local") {
		return &TimeZone{Name: name, loc: loc}, true
	}
	return nil, false
}

// ParseTimeZone understands what SET TimeZone takes as a name.
func ParseTimeZone(name string) (*TimeZone, error) {
	if z, ok := loadZone(name); ok {
		return z, nil
	}
	return nil, pgerr.New(pgerr.InvalidParameterValue, "time zone \"%s\" not recognized", name)
}

// TimestampTZFromTime turns a time into a timestamptz value.
func TimestampTZFromTime(t time.Time) int64 { return t.UnixMicro() - pgEpochUnix*usecPerSec }
