package funcs

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// to_timestamp and to_date: a text read by a template.

func init() {
	types.RegisterFunc("to_timestamp", func(c *types.Call) (types.Datum, error) {
		p, err := readByTemplate(c)
		if err != nil {
			return types.Null, err
		}
		local, ok := p.dt.Timestamp()
		if ok {
			if p.hasZone {
				local += int64(p.dt.West) * 1000000
			} else {
				local = types.LocalToUTC(c.Env.SettingsOrDefault().TimeZone, local)
			}
			ok = types.TimestampInRange(local)
		}
		if !ok {
			return types.Null, pgerr.New(pgerr.DatetimeValueOutOfRange, "timestamp out of range")
		}
		if p.f.ff != 0 {
			local = types.RoundUsec(local, int32(p.f.ff))
		}
		return types.Int8(local), nil
	})
	types.RegisterFunc("to_date", func(c *types.Call) (types.Datum, error) {
		p, err := readByTemplate(c)
		if err != nil {
			return types.Null, err
		}
		d, ok := p.dt.Date()
		if !ok {
			return types.Null, pgerr.New(pgerr.DatetimeValueOutOfRange, "date out of range: \"%s\"", c.Args[0].Str())
		}
		return types.Int4(d), nil
	})
}

func readByTemplate(c *types.Call) (*parsedTime, error) {
	nodes, err := templateOf(c, 1)
	if err != nil {
		return nil, err
	}
	return parseByTemplate(c.Args[0].Str(), nodes, false)
}

// templateFields are the numbers that a text gave, 0 where it gave none.
type templateFields struct {
	hh, pm, mi, ss, ssss   int
	d, dd, ddd, mm, ms     int
	year, bc, ww, w, cc, j int
	us, yysz, ff           int
	clock12                bool
	tzsign, tzh, tzm       int
	mode                   dateMode
}

// parsedTime is a text read by a template.
type parsedTime struct {
	f       templateFields
	dt      types.DateTime
	hasZone bool
}

// templateReader reads s by the nodes of a template.
type templateReader struct {
	s         string // what is left
	before    byte   // the byte before s
	f         templateFields
	extraSkip int // spaces skipped beyond those of the template
}

func (r *templateReader) advance(n int) {
	if n > 0 {
		r.before = r.s[n-1]
		r.s = r.s[n:]
	}
}

func (r *templateReader) skipSpaces() int {
	n := 0
	for n < len(r.s) && isSpaceByte(r.s[n]) {
		n++
	}
	r.advance(n)
	return n
}

func (r *templateReader) skipChar() {
	_, n := utf8.DecodeRuneInString(r.s)
	r.advance(n)
}

func badDatetime(format string, args ...any) *pgerr.Error {
	return pgerr.New(pgerr.InvalidDatetimeFormat, format, args...)
}

// parseByTemplate reads a text. In strict mode separators must be equal and nothing may be left over.
func parseByTemplate(s string, nodes []templateNode, strict bool) (*parsedTime, error) {
	r := &templateReader{s: s}
	if err := r.read(nodes, strict); err != nil {
		return nil, err
	}
	p := &parsedTime{f: r.f}
	if err := p.assemble(s); err != nil {
		return nil, err
	}
	return p, nil
}

func (r *templateReader) read(nodes []templateNode, strict bool) error {
	fixed := strict
	i := 0
	for ; i < len(nodes) && r.s != ""; i++ {
		n := &nodes[i]
		isKey := n.kind == nodeKey
		if !fixed && (!isKey || n.key.id != "FX") && (isKey || i == 0) {
			r.extraSkip += r.skipSpaces()
			if r.s == "" && !isKey {
				continue
			}
		}
		if !isKey {
			if err := r.literal(n, fixed, strict); err != nil {
				return err
			}
			continue
		}
		if n.key.id == "FX" {
			fixed = true
		} else if err := r.field(nodes, i); err != nil {
			return err
		}
		if !fixed {
			r.extraSkip = r.skipSpaces()
		}
	}
	if !strict {
		return nil
	}
	if i < len(nodes) {
		return badDatetime("input string is too short for datetime format")
	}
	if r.skipSpaces(); r.s != "" {
		return badDatetime("trailing characters remain in input string after datetime format")
	}
	return nil
}

// literal passes over what stands for a node that is no field.
func (r *templateReader) literal(n *templateNode, fixed, strict bool) error {
	if n.kind == nodeChar {
		switch {
		case !fixed && r.extraSkip > 0:
			r.extraSkip--
		case strict && !strings.HasPrefix(r.s, n.text):
			return badDatetime("unmatched format character \"%s\"", n.text)
		default:
			r.skipChar()
		}
		return nil
	}
	switch {
	case strict:
		if r.s[0] != n.text[0] {
			return badDatetime("unmatched format separator \"%c\"", n.text[0])
		}
		r.advance(1)
	case !fixed:
		r.extraSkip--
		if r.s != "" && (isSpaceByte(r.s[0]) || isSeparator(r.s[0])) {
			r.advance(1)
			r.extraSkip++
		}
	default:
		r.skipChar()
	}
	return nil
}

// set gives a field its value; a different one before is a conflict.
func set(dest *int, v int, n *templateNode) error {
	if *dest != 0 && *dest != v {
		return badDatetime("conflicting values for \"%s\" field in formatting string", n.key.name).
			WithDetail("This value contradicts a previous setting for the same field type.")
	}
	*dest = v
	return nil
}

// search finds the first of the words that the text begins with, without regard to case.
func (r *templateReader) search(n *templateNode, words []string) (int, error) {
	for i, w := range words {
		if len(r.s) >= len(w) && strings.EqualFold(r.s[:len(w)], w) {
			r.advance(len(w))
			return i, nil
		}
	}
	bad := r.s
	for i := 0; i < len(bad); i++ {
		if isSpaceByte(bad[i]) {
			bad = bad[:i]
			break
		}
	}
	return 0, badDatetime("invalid value \"%s\" for \"%s\"", bad, n.key.name).
		WithDetail("The given value did not match any of the allowed values for this field.")
}

// endsNumber says whether what follows a field cannot be a digit, so that the field takes all digits there are.
func endsNumber(nodes []templateNode, i int) bool {
	if nodes[i].th != 0 || i+1 >= len(nodes) {
		return true
	}
	next := &nodes[i+1]
	if next.kind == nodeKey {
		return !next.key.digit
	}
	return !(len(next.text) == 1 && next.text[0] >= '0' && next.text[0] <= '9')
}

// leadingNumber is C's strtol: spaces, a sign, digits; n = 0 when there is no number.
func leadingNumber(s string) (v int64, n int, overflow bool) {
	i := 0
	for i < len(s) && isSpaceByte(s[i]) {
		i++
	}
	start := i
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	digits := i
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == digits {
		return 0, 0, false
	}
	v, err := strconv.ParseInt(s[start:i], 10, 64)
	return v, i, err != nil
}

// integer reads a number of at most width characters, or as many as there are where no digit can follow. It gives how many it read.
func (r *templateReader) integer(dest *int, width int, nodes []templateNode, i int) (int, error) {
	n, before := &nodes[i], len(r.s)
	whole := r.s
	r.skipSpaces()
	field := r.s[:min(width, len(r.s))]
	var v int64
	var overflow bool
	if n.fm || endsNumber(nodes, i) {
		var used int
		v, used, overflow = leadingNumber(whole)
		r.s = whole
		r.advance(used)
	} else {
		const hint = "If your source string is not fixed-width, try using the \"FM\" modifier."
		if len(r.s) < width {
			return 0, badDatetime("source string too short for \"%s\" formatting field", n.key.name).
				WithDetail("Field requires %d characters, but only %d remain.", width, len(r.s)).WithHint(hint)
		}
		var used int
		v, used, overflow = leadingNumber(field)
		if used > 0 && used < width {
			return 0, badDatetime("invalid value \"%s\" for \"%s\"", field, n.key.name).
				WithDetail("Field requires %d characters, but only %d could be parsed.", width, used).WithHint(hint)
		}
		r.advance(used)
		if used == 0 {
			r.s = whole
		}
	}
	if len(r.s) == before {
		return 0, badDatetime("invalid value \"%s\" for \"%s\"", field, n.key.name).WithDetail("Value must be an integer.")
	}
	if overflow || v < math.MinInt32 || v > math.MaxInt32 {
		return 0, pgerr.New(pgerr.DatetimeValueOutOfRange, "value for \"%s\" in source string is out of range", n.key.name).
			WithDetail("Value must be in the range %d to %d.", math.MinInt32, math.MaxInt32)
	}
	if dest != nil {
		if err := set(dest, int(v), n); err != nil {
			return 0, err
		}
	}
	return before - len(r.s), nil
}

// field reads one field.
func (r *templateReader) field(nodes []templateNode, i int) error {
	n := &nodes[i]
	if n.key.mode != modeNone {
		if r.f.mode == modeNone {
			r.f.mode = n.key.mode
		} else if r.f.mode != n.key.mode {
			return badDatetime("invalid combination of date conventions").
				WithHint("Do not mix Gregorian and ISO week date conventions in a formatting template.")
		}
	}
	if done, err := r.wordField(n); done || err != nil {
		return err
	}
	if err := r.numberField(nodes, i); err != nil {
		return err
	}
	if n.th != 0 {
		for range 2 {
			if r.s != "" {
				r.skipChar()
			}
		}
	}
	return nil
}

var (
	monthWords, shortMonthWords, dayWords, shortDayWords = calendarWords()
	longHalfWords, halfWords                             = []string{"a.m.", "p.m."}, []string{"am", "pm"}
	longEraWords, eraWords                               = []string{"a.d.", "b.c."}, []string{"ad", "bc"}
)

func calendarWords() (months, shortMonths, days, shortDays []string) {
	for m := 1; m <= 12; m++ {
		months, shortMonths = append(months, types.MonthName(m)), append(shortMonths, types.MonthName(m)[:3])
	}
	for d := range 7 {
		days, shortDays = append(days, types.DayName(d)), append(shortDays, types.DayName(d)[:3])
	}
	return months, shortMonths, days, shortDays
}

// wordField reads the fields that are words.
func (r *templateReader) wordField(n *templateNode) (bool, error) {
	f := &r.f
	word := func(dest *int, words []string, value func(int) int) (bool, error) {
		at, err := r.search(n, words)
		if err != nil {
			return true, err
		}
		return true, set(dest, value(at), n)
	}
	same := func(i int) int { return i }
	day := func(words []string) (bool, error) {
		at, err := r.search(n, words)
		if err == nil {
			err = set(&f.d, at, n)
		}
		f.d++
		return true, err
	}
	switch n.key.id {
	case "A.M.", "P.M.":
		f.clock12 = true
		return word(&f.pm, longHalfWords, same)
	case "AM", "PM":
		f.clock12 = true
		return word(&f.pm, halfWords, same)
	case "A.D.", "B.C.":
		return word(&f.bc, longEraWords, same)
	case "AD", "BC":
		return word(&f.bc, eraWords, same)
	case "MONTH":
		return word(&f.mm, monthWords, func(i int) int { return i + 1 })
	case "MON":
		return word(&f.mm, shortMonthWords, func(i int) int { return i + 1 })
	case "DAY":
		return day(dayWords)
	case "DY":
		return day(shortDayWords)
	case "RM":
		return word(&f.mm, romanMonths[:], func(i int) int { return 12 - i })
	case "TZ", "OF":
		return true, pgerr.New(pgerr.FeatureNotSupported, "formatting field \"%s\" is only supported in to_char", n.key.name)
	}
	return false, nil
}

// numberField reads the fields that are numbers.
func (r *templateReader) numberField(nodes []templateNode, i int) error {
	f, n := &r.f, &nodes[i]
	read := func(dest *int, width int) error { _, err := r.integer(dest, width, nodes, i); return err }
	fraction := func(dest *int, width, digits int) error {
		got, err := r.integer(dest, width, nodes, i)
		for ; err == nil && got < digits; got++ {
			*dest *= 10
		}
		return err
	}
	switch id := n.key.id; id {
	case "HH", "HH12":
		f.clock12 = true
		return read(&f.hh, 2)
	case "HH24":
		return read(&f.hh, 2)
	case "MI":
		return read(&f.mi, 2)
	case "SS":
		return read(&f.ss, 2)
	case "MS":
		return fraction(&f.ms, 3, 3)
	case "US":
		return fraction(&f.us, 6, 6)
	case "FF1", "FF2", "FF3", "FF4", "FF5", "FF6":
		f.ff = int(id[2] - '0')
		return fraction(&f.us, f.ff, 6)
	case "SSSS":
		return read(&f.ssss, len(n.key.name))
	case "TZH":
		return r.zoneHours(nodes, i)
	case "TZM":
		if f.tzsign == 0 {
			f.tzsign = 1
		}
		return read(&f.tzm, 2)
	}
	return r.dateField(nodes, i)
}

// zoneHours reads the zone's hours. A minus sign before them may have been taken for a separator.
func (r *templateReader) zoneHours(nodes []templateNode, i int) error {
	r.f.tzsign = 1
	if r.s != "" && (r.s[0] == '+' || r.s[0] == '-' || r.s[0] == ' ') {
		if r.s[0] == '-' {
			r.f.tzsign = -1
		}
		r.advance(1)
	} else if r.extraSkip > 0 && r.before == '-' {
		r.f.tzsign = -1
	}
	_, err := r.integer(&r.f.tzh, 2, nodes, i)
	return err
}

func (r *templateReader) dateField(nodes []templateNode, i int) error {
	f, n := &r.f, &nodes[i]
	read := func(dest *int, width int) error { _, err := r.integer(dest, width, nodes, i); return err }
	switch id := n.key.id; id {
	case "MM":
		return read(&f.mm, 2)
	case "DDD", "IDDD":
		return read(&f.ddd, 3)
	case "DD":
		return read(&f.dd, 2)
	case "D":
		return read(&f.d, 1)
	case "ID":
		err := read(&f.d, 1)
		if f.d++; f.d > 7 {
			f.d = 1
		}
		return err
	case "WW", "IW":
		return read(&f.ww, 2)
	case "W":
		return read(&f.w, 1)
	case "Q":
		return read(nil, 1)
	case "CC":
		return read(&f.cc, 2)
	case "J":
		return read(&f.j, 1)
	case "Y,YYY":
		return r.yearWithComma(n)
	case "YYYY", "IYYY":
		f.yysz = 4
		return read(&f.year, 4)
	default: // YYY, YY, Y and their ISO forms
		f.yysz = len(id)
		got, err := r.integer(&f.year, len(id), nodes, i)
		if err == nil && got < 4 {
			f.year = nearYear(f.year)
		}
		return err
	}
}

// nearYear puts a year of fewer than four digits near 2020.
func nearYear(y int) int {
	switch {
	case y < 70:
		return y + 2000
	case y < 100:
		return y + 1900
	case y < 520:
		return y + 2000
	case y < 1000:
		return y + 1000
	}
	return y
}

func (r *templateReader) yearWithComma(n *templateNode) error {
	bad := badDatetime("invalid input string for \"Y,YYY\"")
	millennia, used, over := leadingNumber(r.s)
	if used == 0 || used >= len(r.s) || r.s[used] != ',' {
		return bad
	}
	rest := r.s[used+1:]
	sp := 0
	for sp < len(rest) && isSpaceByte(rest[sp]) {
		sp++
	}
	years, m, _ := leadingNumber(rest[sp:min(sp+3, len(rest))])
	if m == 0 {
		return bad
	}
	if over || millennia < math.MinInt32/1000 || millennia > math.MaxInt32/1000 {
		return pgerr.New(pgerr.DatetimeValueOutOfRange, "value for \"%s\" in source string is out of range", "Y,YYY")
	}
	if err := set(&r.f.year, int(years+millennia*1000), n); err != nil {
		return err
	}
	r.f.yysz = 4
	r.advance(used + 1 + sp + m)
	return nil
}
