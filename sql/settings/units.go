package settings

import (
	"math"
	"strconv"
	"strings"
)

// unit is one spelling of a unit: size is in bytes for memory, in milliseconds for time.
type unit struct {
	name string
	size float64
	kind *unitKind
}

// unitKind is memory or time. all lists the units that users may write, largest first.
type unitKind struct {
	all  []*unit
	hint string
}

var memory = &unitKind{hint: "Valid units for this parameter are \"B\", \"kB\", \"MB\", \"GB\", and \"TB\"."}
var timeUnits = &unitKind{hint: "Valid units for this parameter are \"us\", \"ms\", \"s\", \"min\", \"h\", and \"d\"."}

var block8kB = &unit{"8kB", 8192, memory}

var unitsReady = func() bool {
	for _, u := range []unit{{"TB", 1 << 40, memory}, {"GB", 1 << 30, memory}, {"MB", 1 << 20, memory}, {"kB", 1 << 10, memory}, {"B", 1, memory}} {
		memory.all = append(memory.all, &u)
	}
	for _, u := range []unit{{"d", 86400000, timeUnits}, {"h", 3600000, timeUnits}, {"min", 60000, timeUnits}, {"s", 1000, timeUnits}, {"ms", 1, timeUnits}, {"us", 0.001, timeUnits}} {
		timeUnits.all = append(timeUnits.all, &u)
	}
	return true
}()

// baseUnit finds the unit in which a setting is kept.
func baseUnit(name string) *unit {
	_ = unitsReady
	if name == block8kB.name {
		return block8kB
	}
	for _, k := range []*unitKind{memory, timeUnits} {
		if u := k.find(name); u != nil {
			return u
		}
	}
	return nil
}

func (k *unitKind) find(name string) *unit {
	for _, u := range k.all {
		if u.name == name {
			return u
		}
	}
	return nil
}

// parseNumber reads a number with an optional unit and gives it in base units. hint is set when the unit is the problem.
func parseNumber(s string, base *unit) (n float64, hint string, ok bool) {
	s = strings.TrimLeft(s, " \t\n\r\v\f")
	n, rest, ok := scanNumber(s)
	if !ok {
		return 0, "", false
	}
	rest = strings.Trim(rest, " \t\n\r\v\f")
	if rest == "" {
		return n, "", true
	}
	if base == nil {
		return 0, "", false
	}
	u := base.kind.find(rest)
	if u == nil {
		return 0, base.kind.hint, false
	}
	return convert(n, u, base), "", true
}

// convert brings n of unit u to the base unit. A fraction is rounded to the next smaller unit, as PostgreSQL does.
func convert(n float64, u, base *unit) float64 {
	v := n * (u.size / base.size)
	for i, x := range u.kind.all {
		if x == u && i+1 < len(u.kind.all) {
			step := u.kind.all[i+1].size / base.size
			v = math.RoundToEven(v/step) * step
		}
	}
	return v
}

// scanNumber reads the number at the start of s as C's strtol (any base) and strtod do.
func scanNumber(s string) (n float64, rest string, ok bool) {
	end := scanInteger(s)
	if end < len(s) && strings.ContainsRune(".eE", rune(s[end])) && !isHex(s) || end == 0 {
		return scanFloat(s)
	}
	i, err := strconv.ParseInt(strings.TrimPrefix(s[:end], "+"), 0, 64)
	if err != nil {
		return scanFloat(s)
	}
	return float64(i), s[end:], true
}

func isHex(s string) bool {
	s = strings.TrimLeft(s, "+-")
	return len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')
}

// scanInteger gives the end of the integer at the start of s: decimal, 0octal or 0xhex, with sign.
func scanInteger(s string) int {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	digits := "0123456789"
	if isHex(s) {
		digits = "0123456789abcdefABCDEF"
		i += 2
	} else if i < len(s) && s[i] == '0' {
		digits = "01234567"
	}
	start := i
	for i < len(s) && strings.IndexByte(digits, s[i]) >= 0 {
		i++
	}
	if i == start {
		return 0
	}
	return i
}

func scanFloat(s string) (float64, string, bool) {
	for end := len(s); end > 0; end-- {
		if strings.ContainsRune("xX_pPiInN", rune(s[end-1])) {
			continue
		}
		if f, err := strconv.ParseFloat(s[:end], 64); err == nil {
			return f, s[end:], true
		}
	}
	return 0, "", false
}

// showInt prints n base units in the largest unit that divides it.
func showInt(n int64, base *unit) string {
	for _, u := range base.kind.all {
		m := u.size / base.size
		if m <= 1 || n%int64(m) == 0 {
			return strconv.FormatInt(int64(math.RoundToEven(float64(n)/m)), 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// showReal prints f base units in the largest unit in which it is a whole number (within 1e-8).
func showReal(f float64, base *unit) string {
	v, name := f, ""
	for _, u := range base.kind.all {
		v, name = f/(u.size/base.size), u.name
		if v > 0 && math.Abs(math.RoundToEven(v)/v-1) <= 1e-8 {
			break
		}
	}
	return formatG(v) + name
}
