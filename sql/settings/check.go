package settings

import (
	"fmt"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// CheckFunc looks at a new value that has the right type. It may change it (canonical spelling, Extra), or reject it with an error; Reject
// makes the usual one. s is nil when the value is for the whole server.
type CheckFunc func(s *Session, d *Def, v *Value, source Source) error

// RegisterCheck sets the check of a setting. For init functions only: one owner a setting.
func RegisterCheck(name string, f CheckFunc) {
	d := Lookup(name)
	if d == nil || d.check != nil {
		panic("settings: check of " + name + ": no such setting, or two owners")
	}
	d.check = f
}

// RegisterDisplay sets how a setting's value is printed, where that differs from the value itself.
func RegisterDisplay(name string, f func(Value) string) { Lookup(name).display = f }

// Reject is the error of a check that finds a value invalid, with PostgreSQL's words. detail may be "".
func Reject(d *Def, value, detail string) *pgerr.Error {
	e := pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter \"%s\": \"%s\"", d.Name, value)
	e.Detail = detail
	return e
}

// validate reads s as a value of d and runs the check.
func validate(sess *Session, d *Def, name, s string, source Source) (Value, error) {
	v, err := d.parseAs(name, s)
	if err != nil {
		return Value{}, err
	}
	if d.check != nil {
		if err := d.check(sess, d, &v, source); err != nil {
			return Value{}, err
		}
	}
	return v, nil
}

// Validate is a dry run of SET: ALTER SYSTEM, ALTER ROLE SET and function SET clauses check their values so.
func Validate(sess *Session, name, value string) error {
	d := sess.lookup(name)
	if d == nil {
		return errUnknown(name)
	}
	_, err := validate(sess, d, name, value, SourceTest)
	return err
}

// SplitIdentifiers cuts a comma-separated list of identifiers, as search_path is: unquoted ones are folded to lower case, quoted ones are
// kept. ok is false when the syntax is wrong. An empty string is an empty list.
func SplitIdentifiers(s string) (names []string, ok bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil, true
	}
	for {
		name, rest, ok := cutIdentifier(s)
		if !ok {
			return nil, false
		}
		names = append(names, truncateName(name))
		rest = strings.TrimSpace(rest)
		if rest == "" {
			return names, true
		}
		if rest[0] != ',' {
			return nil, false
		}
		s = strings.TrimSpace(rest[1:])
	}
}

func cutIdentifier(s string) (name, rest string, ok bool) {
	if s == "" {
		return "", "", false
	}
	if s[0] != '"' {
		i := strings.IndexAny(s, ", \t\n\r\v\f")
		if i < 0 {
			i = len(s)
		}
		return strings.ToLower(s[:i]), s[i:], i > 0
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != '"' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '"' {
			b.WriteByte('"')
			i++
			continue
		}
		return b.String(), s[i+1:], true
	}
	return "", "", false
}

// checkIdentifierList rejects broken lists of identifiers.
func checkIdentifierList(_ *Session, d *Def, v *Value, _ Source) error {
	names, ok := SplitIdentifiers(v.Str)
	if !ok {
		return Reject(d, v.Str, "List syntax is invalid.")
	}
	v.Extra = names
	return nil
}

// cleanASCII replaces what is not printable ASCII, as application_name and cluster_name are.
func cleanASCII(_ *Session, _ *Def, v *Value, _ Source) error {
	b := []byte(v.Str)
	for i, c := range b {
		if c < 32 || c > 126 {
			b[i] = '?'
		}
	}
	v.Str = string(b)
	return nil
}

// onlyOff rejects the value that is no longer supported.
func onlyOff(what string) CheckFunc {
	return func(_ *Session, _ *Def, v *Value, _ Source) error {
		if v.I != 0 {
			return pgerr.New(pgerr.FeatureNotSupported, "%s", what)
		}
		return nil
	}
}

func init() {
	RegisterCheck("search_path", checkIdentifierList)
	RegisterCheck("application_name", cleanASCII)
	RegisterCheck("cluster_name", cleanASCII)
	RegisterCheck("default_with_oids", onlyOff("tables declared WITH OIDS are not supported"))
	RegisterCheck("DateStyle", checkDateStyle)
}

// DateStyleValue is DateStyle's Extra: Style is ISO, SQL, Postgres or German; Order is YMD, DMY or MDY.
type DateStyleValue struct{ Style, Order string }

func (s DateStyleValue) String() string { return s.Style + ", " + s.Order }

// checkDateStyle reads the words of DateStyle over the present value, and makes the canonical form.
func checkDateStyle(s *Session, d *Def, v *Value, _ Source) error {
	now := DateStyleValue{"ISO", "MDY"}
	if s != nil {
		if old, ok := s.cur[d.handle].v.Extra.(DateStyleValue); ok {
			now = old
		}
	}
	words, ok := SplitIdentifiers(v.Str)
	if !ok {
		return Reject(d, v.Str, "List syntax is invalid.")
	}
	var style, order string
	for _, w := range words {
		conflict, known := dateStyleWord(s, d, w, &style, &order)
		if conflict {
			return Reject(d, v.Str, "Conflicting \"datestyle\" specifications.")
		}
		if !known {
			return Reject(d, v.Str, fmt.Sprintf("Unrecognized key word: \"%s\".", w))
		}
	}
	if style != "" {
		now.Style = style
	}
	if style == "German" && order == "" {
		order = "DMY"
	}
	if order != "" {
		now.Order = order
	}
	v.Str, v.Extra = now.String(), now
	return nil
}

// dateStyleWord takes one word into style or order; conflict says that it contradicts an earlier one.
func dateStyleWord(s *Session, d *Def, w string, style, order *string) (conflict, known bool) {
	set := func(at *string, to string) bool {
		bad := *at != "" && *at != to
		*at = to
		return bad
	}
	w = strings.ToLower(w)
	switch {
	case w == "iso":
		return set(style, "ISO"), true
	case w == "sql":
		return set(style, "SQL"), true
	case strings.HasPrefix(w, "postgres"):
		return set(style, "Postgres"), true
	case w == "german":
		return set(style, "German"), true
	case w == "ymd":
		return set(order, "YMD"), true
	case w == "dmy", strings.HasPrefix(w, "euro"):
		return set(order, "DMY"), true
	case w == "mdy", w == "us", strings.HasPrefix(w, "noneuro"):
		return set(order, "MDY"), true
	case w == "default":
		def := DateStyleValue{"ISO", "MDY"}
		if s != nil {
			def, _ = s.reset(d.handle).v.Extra.(DateStyleValue)
		}
		if *style == "" {
			*style = def.Style
		}
		if *order == "" {
			*order = def.Order
		}
		return false, true
	}
	return false, false
}
