package types

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Zones that are not names of the tz database: POSIX rules such as CST7CDT,M4.1.0,M10.5.0; and what an abbreviation meant in a zone at some
// time, which the standard library does not tell.

// defaultRule says when daylight saving time begins and ends where a POSIX zone has one and does not say.
const defaultRule = ",M3.2.0,M11.1.0"

// posixName splits an abbreviation off, in angle brackets or bare letters.
func posixName(s string) (name, rest string, ok bool) {
	if strings.HasPrefix(s, "<") {
		end := strings.IndexByte(s, '>')
		if end < 0 {
			return "", "", false
		}
		return s[1:end], s[end+1:], true
	}
	i := 0
	for i < len(s) && isAlpha(s[i]) {
		i++
	}
	return s[:i], s[i:], true
}

// posixOffset splits an offset off, in seconds west of Greenwich.
func posixOffset(s string) (secs int, rest string, ok bool) {
	sign := 1
	if s != "" && (s[0] == '+' || s[0] == '-') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	for i, unit := range []int{3600, 60, 1} {
		end := skipDigits(s, 0)
		v, err := strconv.Atoi(s[:end])
		if err != nil || i == 0 && v > 167 || i > 0 && v > 59 {
			return 0, "", false
		}
		secs += v * unit
		if s = s[end:]; !strings.HasPrefix(s, ":") {
			break
		}
		s = s[1:]
	}
	return sign * secs, s, true
}

// posixZone reads an abbreviation (which may be empty) and an offset west of Greenwich, such as XYZ-3:30, <+05>-5 or +02:00, with the name and the
// rules of daylight saving time if there is one.
func posixZone(name string) (*TimeZone, bool) {
	upper := strings.ToUpper(name)
	std, rest, ok := posixName(upper)
	if !ok || rest == "" {
		return nil, false
	}
	west, rest, ok := posixOffset(rest)
	if !ok {
		return nil, false
	}
	if rest == "" {
		return &TimeZone{Name: upper, loc: time.FixedZone(std, -west)}, true
	}
	dst, rule, ok := posixName(rest)
	if !ok || dst == "" || std == "" {
		return nil, false
	}
	if rule != "" && rule[0] != ',' {
		if _, rule, ok = posixOffset(rule); !ok {
			return nil, false
		}
	}
	rules := upper
	if rule == "" {
		rules += defaultRule
	}
	loc, err := time.LoadLocationFromTZData(upper, tzData(std, -west, rules))
	if err != nil {
		return nil, false
	}
	return &TimeZone{Name: upper, loc: loc}, true
}

// tzData makes a tz file without transitions, whose rules hold for all times.
func tzData(std string, east int, rules string) []byte {
	var b bytes.Buffer
	for range 2 { // the data of version 1, then the same of version 2
		b.WriteString("TZif2")
		b.Write(make([]byte, 15))
		for _, count := range []uint32{0, 0, 0, 0, 1, uint32(len(std) + 1)} {
			_ = binary.Write(&b, binary.BigEndian, count)
		}
		_ = binary.Write(&b, binary.BigEndian, int32(east))
		b.Write([]byte{0, 0})
		b.WriteString(std)
		b.WriteByte(0)
	}
	b.WriteString("\n" + rules + "\n")
	return b.Bytes()
}

// abbrevUse is one stretch of time in which a zone used an abbreviation.
type abbrevUse struct {
	from   int64 // seconds since 1970
	abbrev string
	east   int
	dst    bool
}

var zoneHistories sync.Map // zone name → []abbrevUse

// zoneHistory reads the transitions of a zone of the system's tz database; none when there is no file.
func zoneHistory(name string) []abbrevUse {
	if h, ok := zoneHistories.Load(name); ok {
		return h.([]abbrevUse)
	}
	data, err := os.ReadFile(filepath.Join(zoneDir, name))
	var h []abbrevUse
	if err == nil {
		h = parseTZif(data)
	}
	zoneHistories.Store(name, h)
	return h
}

// parseTZif reads the 64-bit transitions of a tz file (RFC 8536).
func parseTZif(data []byte) []abbrevUse {
	const head = 44
	counts := func(b []byte) (isut, isstd, leap, times, kinds, chars int) {
		at := func(i int) int { return int(binary.BigEndian.Uint32(b[20+4*i:])) }
		return at(0), at(1), at(2), at(3), at(4), at(5)
	}
	if len(data) < head || string(data[:4]) != "TZif" || data[4] < '2' {
		return nil
	}
	isut, isstd, leap, times, kinds, chars := counts(data)
	skip := head + times*5 + kinds*6 + chars + leap*8 + isstd + isut
	if len(data) < skip+head {
		return nil
	}
	data = data[skip:]
	_, _, _, times, kinds, chars = counts(data)
	data = data[head:]
	if len(data) < times*9+kinds*6+chars {
		return nil
	}
	index, kind := data[times*8:], data[times*9:]
	names := data[times*9+kinds*6:][:chars]
	out := make([]abbrevUse, times)
	for i := range out {
		k := kind[int(index[i])*6:]
		name := names[min(int(k[5]), chars):]
		if end := bytes.IndexByte(name, 0); end >= 0 {
			name = name[:end]
		}
		out[i] = abbrevUse{int64(binary.BigEndian.Uint64(data[8*i:])), string(name), int(int32(binary.BigEndian.Uint32(k))), k[4] != 0}
	}
	return out
}

// abbrevMeaning is what an abbreviation meant in a zone at a moment: its latest use up to then, else its first one after.
func abbrevMeaning(zone, abbrev string, unix int64) (use abbrevUse, ok bool) {
	h := zoneHistory(zone)
	abbrev = strings.ToUpper(abbrev)
	cut := sort.Search(len(h), func(i int) bool { return h[i].from > unix })
	for i := cut - 1; i >= 0; i-- {
		if h[i].abbrev == abbrev {
			return h[i], true
		}
	}
	for _, u := range h[cut:] {
		if u.abbrev == abbrev {
			return u, true
		}
	}
	return use, false
}

// eastAtLocal is an abbreviation's offset at a local time.
func (z zoneAbbrev) eastAtLocal(abbrev string, local int64) int {
	zone, ok := z.dynamicZone()
	if !ok {
		return z.east
	}
	utc := LocalToUTC(zone, local)
	if use, ok := abbrevMeaning(z.zone, abbrev, floorDiv(utc, usecPerSec)+pgEpochUnix); ok {
		return use.east
	}
	return int((local - utc) / usecPerSec)
}

// eastAt is an abbreviation's offset at a moment.
func (z zoneAbbrev) eastAt(abbrev string, t int64) int {
	zone, ok := z.dynamicZone()
	if !ok {
		return z.east
	}
	if use, ok := abbrevMeaning(z.zone, abbrev, floorDiv(t, usecPerSec)+pgEpochUnix); ok {
		return use.east
	}
	return offsetAt(zone, t)
}

// dynamicZone is the zone whose history an abbreviation follows.
func (z zoneAbbrev) dynamicZone() (*TimeZone, bool) {
	if z.zone == "" {
		return nil, false
	}
	return loadZone(z.zone)
}
