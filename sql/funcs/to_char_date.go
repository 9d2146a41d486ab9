package funcs

import (
	"fmt"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// to_char of timestamp, timestamptz and interval.

func init() {
	types.RegisterFunc("timestamp_to_char", func(c *types.Call) (types.Datum, error) {
		t := c.Args[0].Int8()
		if t == types.TimestampInfinity || t == types.TimestampNegInfinity {
			return types.Null, nil
		}
		dt := types.SplitTimestamp(t)
		return dateToChar(c, momentOf(&dt))
	})
	types.RegisterFunc("timestamptz_to_char", func(c *types.Call) (types.Datum, error) {
		t := c.Args[0].Int8()
		if t == types.TimestampInfinity || t == types.TimestampNegInfinity {
			return types.Null, nil
		}
		dt := types.SplitTimestampTZ(c.Env.SettingsOrDefault().TimeZone, t)
		m := momentOf(&dt)
		m.zone, m.east = dt.Zone, -dt.West
		return dateToChar(c, m)
	})
	types.RegisterFunc("interval_to_char", func(c *types.Call) (types.Datum, error) {
		v := c.Args[0].Interval()
		m := moment{interval: true, year: int(v.Months / 12), mon: int(v.Months % 12), day: int(v.Days)}
		m.setClock(v.Usec)
		m.yearDay = (m.year*12+m.mon)*30 + m.day
		return dateToChar(c, m)
	})
}

// moment is what a template prints: a point in time, or an interval, whose fields may be negative and of any size.
type moment struct {
	interval             bool
	year, mon, day       int
	hour, min, sec, usec int
	weekDay, yearDay     int
	zone                 string
	east                 int // seconds
}

func momentOf(dt *types.DateTime) moment {
	jd := types.JulianDay(dt.Year, dt.Month, dt.Day)
	return moment{year: dt.Year, mon: dt.Month, day: dt.Day, hour: dt.Hour, min: dt.Min, sec: dt.Sec, usec: dt.Usec,
		weekDay: types.WeekDay(jd), yearDay: jd - types.JulianDay(dt.Year, 1, 1) + 1}
}

func (m *moment) setClock(usec int64) {
	m.hour = int(usec / 3600000000)
	m.min = int(usec / 60000000 % 60)
	m.sec = int(usec / 1000000 % 60)
	m.usec = int(usec % 1000000)
}

// dateTemplate is the template that a call site parsed last.
type dateTemplate struct {
	text  string
	nodes []templateNode
}

func templateOf(c *types.Call, arg int) ([]templateNode, error) {
	text := c.Args[arg].Str()
	if t, ok := c.Cache.(*dateTemplate); ok && t.text == text {
		return t.nodes, nil
	}
	text = strings.Clone(text)
	nodes, err := parseTemplate(text, false)
	if err == nil {
		c.Cache = &dateTemplate{text, nodes}
	}
	return nodes, err
}

func dateToChar(c *types.Call, m moment) (types.Datum, error) {
	if c.Args[1].Str() == "" {
		return types.Null, nil
	}
	nodes, err := templateOf(c, 1)
	if err != nil {
		return types.Null, err
	}
	var out []byte
	for i := range nodes {
		if i&0xfff == 0 {
			if err := c.Env.Poll(); err != nil {
				return types.Null, err
			}
		}
		n := &nodes[i]
		if n.kind != nodeKey {
			out = append(out, n.text...)
			continue
		}
		if out, err = m.appendField(out, n); err != nil {
			return types.Null, err
		}
	}
	return types.Bytes(out), nil
}

func (m *moment) appendField(out []byte, n *templateNode) ([]byte, error) {
	if m.interval && noInterval[n.key.id] {
		return nil, pgerr.New(pgerr.InvalidDatetimeFormat, "invalid format specification for an interval value").
			WithHint("Intervals are not tied to specific calendar dates.")
	}
	if s, ok := m.name(n); ok {
		return append(out, s...), nil
	}
	num, ok := m.number(n)
	if !ok {
		return out, nil
	}
	out = append(out, num...)
	if n.th != 0 {
		th, err := ordinal(num, n.th)
		return append(out, th...), err
	}
	return out, nil
}

// noInterval are the fields that only a point in time has.
var noInterval = map[string]bool{"TZ": true, "TZH": true, "TZM": true, "OF": true, "A.D.": true, "B.C.": true, "AD": true, "BC": true, "MONTH": true,
	"MON": true, "DAY": true, "DY": true, "D": true, "ID": true}

// cased gives a word the case of its pattern's name.
func cased(word, pattern string) string {
	switch {
	case pattern == strings.ToUpper(pattern):
		return strings.ToUpper(word)
	case pattern == strings.ToLower(pattern):
		return strings.ToLower(word)
	}
	return word
}

// name writes the fields that are words.
func (m *moment) name(n *templateNode) (string, bool) {
	choose := func(first, second string, isSecond bool) (string, bool) {
		if isSecond {
			first = second
		}
		return cased(first, n.key.name), true
	}
	padded := func(s string) (string, bool) {
		s = cased(s, n.key.name)
		if !n.fm && !n.tm {
			s = fmt.Sprintf("%-9s", s)
		}
		return s, true
	}
	switch n.key.id {
	case "A.M.", "P.M.":
		return choose("a.m.", "p.m.", m.hour%24 >= 12)
	case "AM", "PM":
		return choose("am", "pm", m.hour%24 >= 12)
	case "A.D.", "B.C.":
		return choose("a.d.", "b.c.", m.year <= 0)
	case "AD", "BC":
		return choose("ad", "bc", m.year <= 0)
	case "MONTH":
		if m.mon == 0 {
			return "", true
		}
		return padded(types.MonthName(m.mon))
	case "MON":
		if m.mon == 0 {
			return "", true
		}
		return cased(types.MonthName(m.mon)[:3], n.key.name), true
	case "DAY":
		return padded(types.DayName(m.weekDay))
	case "DY":
		return cased(types.DayName(m.weekDay)[:3], n.key.name), true
	case "RM":
		return m.romanMonth(n), true
	case "TZ":
		return cased(m.zone, n.key.name), true
	case "TZH", "TZM", "OF":
		return m.offset(n), true
	}
	return "", false
}

// romanMonths are in falling order, so that a search for a beginning finds VIII before V.
var romanMonths = [12]string{"XII", "XI", "X", "IX", "VIII", "VII", "VI", "V", "IV", "III", "II", "I"}

func (m *moment) romanMonth(n *templateNode) string {
	at := 0
	switch {
	case m.mon == 0 && m.year == 0:
		return ""
	case m.mon == 0 && m.year < 0:
		at = 11
	case m.mon < 0: // -1 is December
		at = -(m.mon + 1)
	case m.mon > 0:
		at = 12 - m.mon
	}
	s := cased(romanMonths[at], n.key.name)
	if n.fm {
		return s
	}
	return fmt.Sprintf("%-4s", s)
}

func (m *moment) offset(n *templateNode) string {
	sign, abs := byte('+'), m.east
	if abs < 0 {
		sign, abs = '-', -abs
	}
	switch {
	case n.key.id == "TZH":
		return fmt.Sprintf("%c%02d", sign, abs/3600)
	case n.key.id == "TZM":
		return fmt.Sprintf("%02d", abs%3600/60)
	}
	width := 2
	if n.fm {
		width = 0
	}
	s := fmt.Sprintf("%c%0*d", sign, width, abs/3600)
	if abs%3600 != 0 {
		s += fmt.Sprintf(":%02d", abs%3600/60)
	}
	return s
}

// zeros writes v with at least width digits, unless FM; the sign of a negative number is counted extra.
func (n *templateNode) zeros(v, width int, negative bool) []byte {
	if n.fm {
		width = 0
	} else if negative {
		width++
	}
	return fmt.Appendf(nil, "%0*d", width, v)
}

// number writes the fields that are numbers; false when the field prints nothing.
func (m *moment) number(n *templateNode) ([]byte, bool) {
	switch n.key.id {
	case "HH", "HH12":
		h := m.hour % 12
		if h == 0 {
			h = 12
		}
		return n.zeros(h, 2, m.hour < 0), true
	case "HH24":
		return n.zeros(m.hour, 2, m.hour < 0), true
	case "MI":
		return n.zeros(m.min, 2, m.min < 0), true
	case "SS":
		return n.zeros(m.sec, 2, m.sec < 0), true
	case "MS":
		return fmt.Appendf(nil, "%03d", m.usec/1000), true
	case "US":
		return fmt.Appendf(nil, "%06d", m.usec), true
	case "FF1", "FF2", "FF3", "FF4", "FF5", "FF6":
		digits := int(n.key.id[2] - '0')
		v := m.usec
		for i := digits; i < 6; i++ {
			v /= 10
		}
		return fmt.Appendf(nil, "%0*d", digits, v), true
	case "SSSS":
		return fmt.Appendf(nil, "%d", m.hour*3600+m.min*60+m.sec), true
	case "FX":
		return nil, false
	}
	return m.dateNumber(n)
}

func (m *moment) dateNumber(n *templateNode) ([]byte, bool) {
	switch n.key.id {
	case "MM":
		return n.zeros(m.mon, 2, m.mon < 0), true
	case "DDD":
		return n.zeros(m.yearDay, 3, false), true
	case "IDDD":
		return n.zeros(isoYearDay(m.year, m.mon, m.day), 3, false), true
	case "DD":
		return n.zeros(m.day, 2, false), true
	case "D":
		return fmt.Appendf(nil, "%d", m.weekDay+1), true
	case "ID":
		if m.weekDay == 0 {
			return []byte("7"), true
		}
		return fmt.Appendf(nil, "%d", m.weekDay), true
	case "WW":
		return n.zeros((m.yearDay-1)/7+1, 2, false), true
	case "IW":
		w, _ := isoWeek(m.year, m.mon, m.day)
		return n.zeros(w, 2, false), true
	case "Q":
		if m.mon == 0 {
			return nil, false
		}
		return fmt.Appendf(nil, "%d", (m.mon-1)/3+1), true
	case "W":
		return fmt.Appendf(nil, "%d", (m.day-1)/7+1), true
	case "J":
		return fmt.Appendf(nil, "%d", types.JulianDay(m.year, m.mon, m.day)), true
	case "CC":
		return m.century(n), true
	}
	return m.yearNumber(n)
}

func (m *moment) century(n *templateNode) []byte {
	c := m.year / 100
	if !m.interval {
		if m.year > 0 {
			c = (m.year-1)/100 + 1
		} else {
			c--
		}
	}
	if c <= 99 && c >= -99 {
		return n.zeros(c, 2, c < 0)
	}
	return fmt.Appendf(nil, "%d", c)
}

// shownYear counts years before Christ from 1; an interval's are its own.
func (m *moment) shownYear(y int) int {
	if !m.interval && y <= 0 {
		return 1 - y
	}
	return y
}

func (m *moment) yearNumber(n *templateNode) ([]byte, bool) {
	y, negative := m.shownYear(m.year), m.shownYear(m.year) < 0
	id := n.key.id
	if strings.HasPrefix(id, "I") {
		_, iso := isoWeek(m.year, m.mon, m.day)
		y, id = m.shownYear(iso), "Y"+strings.ReplaceAll(id[1:], "I", "Y")
	}
	switch id {
	case "Y,YYY":
		return fmt.Appendf(nil, "%d,%03d", y/1000, y%1000), true
	case "YYYY":
		return n.zeros(y, 4, negative), true
	case "YYY":
		return n.zeros(y%1000, 3, negative), true
	case "YY":
		return n.zeros(y%100, 2, negative), true
	case "Y":
		return fmt.Appendf(nil, "%d", y%10), true
	}
	return nil, false
}

// isoYearDay is the day of the ISO year.
func isoYearDay(y, m, d int) int {
	_, iso := isoWeek(y, m, d)
	return types.JulianDay(y, m, d) - isoYearStart(iso) + 1
}

// isoYearStart is the Julian day of the Monday of week 1.
func isoYearStart(year int) int {
	d4 := types.JulianDay(year, 1, 4)
	return d4 - types.WeekDay(d4-1)
}
