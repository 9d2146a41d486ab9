package types

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // where the system has no tz database

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

const zoneDir = "/usr/share/zoneinfo"

// ZoneNames gives the names of the system's tz database by their lower-case forms.
var ZoneNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	_ = filepath.WalkDir(zoneDir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		name := strings.TrimPrefix(strings.TrimPrefix(path, zoneDir), "/")
		if e.IsDir() {
			if name == "posix" || name == "right" {
				return fs.SkipDir
			}
			return nil
		}
		if strings.Contains(name, ".") || name == "localtime" || name == "posixrules" || name == "leapseconds" {
			return nil
		}
		names[lower(name)] = name
		return nil
	})
	return names
})

var zoneCache sync.Map // lower-case name → *TimeZone

// loadZone finds a zone of the tz database without regard to case, or a POSIX form such as UTC+5.
func loadZone(name string) (*TimeZone, bool) {
	key := lower(name)
	if z, ok := zoneCache.Load(key); ok {
		return z.(*TimeZone), true
	}
	if key == "" || key == "local" || strings.ContainsAny(key, "\\ ") || key[0] == '/' {
		return nil, false
	}
	var z *TimeZone
	ok := false
	if !strings.Contains(key, ".") {
		z, ok = loadNamedZone(key)
	}
	if !ok {
		z, ok = posixZone(name)
	}
	if ok {
		zoneCache.Store(key, z)
	}
	return z, ok
}

func loadNamedZone(key string) (*TimeZone, bool) {
	name, listed := ZoneNames()[key]
	if !listed {
		if _, err := os.Stat(zoneDir); err == nil && key != "utc" {
			return nil, false
		}
		name = guessZoneCase(key)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, false
	}
	return &TimeZone{Name: name, loc: loc}, true
}

// guessZoneCase spells a name as most zones are: a capital after each separator.
func guessZoneCase(key string) string {
	if len(key) == 3 {
		return strings.ToUpper(key)
	}
	b := []byte(key)
	for i := range b {
		if (i == 0 || !isAlpha(b[i-1])) && b[i] >= 'a' && b[i] <= 'z' {
			b[i] -= 32
		}
	}
	return string(b)
}

// ParseTimeZone understands what SET TimeZone takes: a name, a POSIX form, a number of hours east of Greenwich, an interval of hours.
func ParseTimeZone(name string) (*TimeZone, error) {
	if h, err := strconv.ParseFloat(name, 64); err == nil && h > -168 && h < 168 {
		return offsetZone(int(h * 3600)), nil
	}
	if z, ok := loadZone(name); ok {
		return z, nil
	}
	return nil, pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter \"TimeZone\": \"%s\"", name)
}

// offsetZone is the zone that a number of hours names, with the name that PostgreSQL gives it: <-05>+05.
func offsetZone(east int) *TimeZone {
	abbrev := string(appendZone(nil, -east, false))
	west := string(appendZone(nil, east, false))
	z := FixedZone("<"+abbrev+">"+west, east)
	z.loc = time.FixedZone(abbrev, east)
	return z
}

// TimestampTZFromTime turns a time into a timestamptz value.
func TimestampTZFromTime(t time.Time) int64 { return t.UnixMicro() - pgEpochUnix*usecPerSec }

func errNoZone(name string) error {
	return pgerr.New(pgerr.InvalidParameterValue, "time zone \"%s\" not recognized", name)
}

// ZoneForConversion finds the zone that AT TIME ZONE names: an abbreviation, a zone of the database, or a POSIX form. What an abbreviation means
// may depend on the time: at is a timestamp, which is UTC or local time.
func ZoneForConversion(name string, at int64, local bool) (*TimeZone, error) {
	if a, ok := zoneAbbrevs[lower(name)]; ok {
		if local {
			return FixedZone(name, a.eastAtLocal(name, at)), nil
		}
		return FixedZone(name, a.eastAt(name, at)), nil
	}
	if z, ok := loadZone(name); ok {
		return z, nil
	}
	return nil, errNoZone(name)
}

// ZoneForLocal finds the zone that make_timestamptz is given: an offset east of Greenwich, or what AT TIME ZONE takes.
func ZoneForLocal(name string, local int64) (*TimeZone, error) {
	if name != "" && isDigit(name[0]) {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "invalid input syntax for type %s: \"%s\"", "numeric time zone", name).
			WithHint("Numeric time zones must have \"-\" or \"+\" as first character.")
	}
	switch west, e := decodeZoneNumber(name); e {
	case dateOK:
		return FixedZone(name, -west), nil
	case dateTZDispOverflow:
		return nil, pgerr.New(pgerr.InvalidParameterValue, "numeric time zone \"%s\" out of range", name)
	}
	return ZoneForConversion(name, local, true)
}
