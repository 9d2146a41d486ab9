package settings

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// Value is the value of a setting of any kind.
type Value struct {
	I   int64   // Int; Bool as 0 and 1; Enum as the index in Def.Enum (-1 for a value that is not listed)
	F   float64 // Real
	Str string  // String, Enum
	// Extra is what a check hook made of the value, for OnAssign hooks.
	Extra any
}

// parse reads a value as SET takes it; errors are PostgreSQL's. It does not call the check hook.
func (d *Def) parse(s string) (Value, error) { return d.parseAs(d.Name, s) }

// parseAs is parse with the name as the user spelled it, for the message.
func (d *Def) parseAs(name, s string) (Value, error) {
	switch d.Kind {
	case Bool:
		b, ok := ParseBool(s)
		if !ok {
			return Value{}, pgerr.New(pgerr.InvalidParameterValue, "parameter \"%s\" requires a Boolean value", name)
		}
		return boolValue(b), nil
	case Int:
		return d.parseInt(name, s)
	case Real:
		return d.parseReal(name, s)
	case Enum:
		return d.parseEnum(name, s)
	}
	if d.Is(IsName) {
		s = truncateName(s)
	}
	return Value{Str: s}, nil
}

func boolValue(b bool) Value {
	if b {
		return Value{I: 1}
	}
	return Value{}
}

// ParseBool reads a boolean as PostgreSQL does: on, off, 1, 0, and any unambiguous beginning of true, false, yes, no.
func ParseBool(s string) (v, ok bool) {
	s = strings.ToLower(s)
	if s == "" {
		return false, false
	}
	for _, w := range [...]struct {
		word string
		min  int
		v    bool
	}{{"true", 1, true}, {"false", 1, false}, {"yes", 1, true}, {"no", 1, false}, {"on", 2, true}, {"off", 2, false}, {"1", 1, true}, {"0", 1, false}} {
		if len(s) >= w.min && strings.HasPrefix(w.word, s) {
			return w.v, true
		}
	}
	return false, false
}

func errValue(name, s, hint string) error {
	e := pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter \"%s\": \"%s\"", name, s)
	e.Hint = hint
	return e
}

func (d *Def) parseInt(name, s string) (Value, error) {
	n, hint, ok := parseNumber(s, d.base)
	if !ok {
		return Value{}, errValue(name, s, hint)
	}
	n = math.RoundToEven(n)
	if n > math.MaxInt32 || n < math.MinInt32 {
		return Value{}, errValue(name, s, "Value exceeds integer range.")
	}
	if n < d.Min || n > d.Max {
		return Value{}, pgerr.New(pgerr.InvalidParameterValue, "%d%s is outside the valid range for parameter \"%s\" (%d .. %d)",
			int64(n), d.unitSuffix(), name, int64(d.Min), int64(d.Max))
	}
	return Value{I: int64(n)}, nil
}

func (d *Def) parseReal(name, s string) (Value, error) {
	f, hint, ok := parseNumber(s, d.base)
	if !ok || math.IsNaN(f) {
		return Value{}, errValue(name, s, hint)
	}
	if f < d.Min || f > d.Max {
		return Value{}, pgerr.New(pgerr.InvalidParameterValue, "%s%s is outside the valid range for parameter \"%s\" (%s .. %s)",
			formatG(f), d.unitSuffix(), name, formatG(d.Min), formatG(d.Max))
	}
	return Value{F: f}, nil
}

func (d *Def) unitSuffix() string {
	if d.Unit == "" {
		return ""
	}
	return " " + d.Unit
}

func (d *Def) parseEnum(name, s string) (Value, error) {
	low := strings.ToLower(s)
	for i, e := range d.Enum {
		if strings.ToLower(e) == low {
			return Value{I: int64(i), Str: e}, nil
		}
	}
	for alias, e := range d.Alias {
		if strings.ToLower(alias) == low {
			return Value{I: int64(slices.Index(d.Enum, e)), Str: e}, nil
		}
	}
	return Value{}, errValue(name, s, "Available values: "+strings.Join(d.Enum, ", ")+".")
}

// Raw prints a value without unit: pg_settings.setting.
func (d *Def) Raw(v Value) string {
	if d.display != nil {
		return d.display(v)
	}
	return d.plain(v)
}

// plain prints a value as it is kept.
func (d *Def) plain(v Value) string {
	switch d.Kind {
	case Bool:
		if v.I != 0 {
			return "on"
		}
		return "off"
	case Int:
		return strconv.FormatInt(v.I, 10)
	case Real:
		return formatG(v.F)
	}
	return v.Str
}

// Show prints a value as SHOW does, in the largest unit that fits.
func (d *Def) Show(v Value) string {
	switch {
	case d.display != nil:
		return d.display(v)
	case d.Kind == Int && d.base != nil && v.I > 0:
		return showInt(v.I, d.base)
	case d.Kind == Real && d.base != nil && v.F > 0:
		return showReal(v.F, d.base)
	}
	return d.Raw(v)
}

// formatG is C's %g.
func formatG(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }

func truncateName(s string) string {
	const nameBytesMax = 63
	if len(s) <= nameBytesMax {
		return s
	}
	return strings.ToValidUTF8(s[:nameBytesMax], "")
}

func octal(v Value) string { return fmt.Sprintf("%04o", v.I) }

func init() {
	for _, name := range []string{"unix_socket_permissions", "log_file_mode", "data_directory_mode"} {
		Lookup(name).display = octal
	}
}
