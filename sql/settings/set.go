package settings

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// Set is SET name = value and SET LOCAL. value is the string form; lists are flattened already (FlattenList).
func (s *Session) Set(name, value string, action Action) error {
	return s.setFrom(name, value, SourceSession, action)
}

// SetDefault sets the session's default of a setting: from ALTER DATABASE/ROLE SET rows and from the client's start-up packet. It is not
// undone by rollback, and RESET goes back to it.
func (s *Session) SetDefault(name, value string, source Source) error {
	d, err := s.find(name, true)
	if err != nil {
		return err
	}
	if err := s.allowed(d, name, source); err != nil {
		return err
	}
	v, err := validate(s, d, name, value, source)
	if err != nil {
		return err
	}
	s.setDefault(d.handle, slot{v: v, source: source})
	return nil
}

// Override sets a value that only the server may decide (is_superuser, session_authorization, transaction_isolation at BEGIN). No check of
// context; reset value too when asReset.
func (s *Session) Override(h Handle, value string, asReset bool) error {
	v, err := validate(s, s.def(h), s.def(h).Name, value, SourceOverride)
	if err != nil {
		return err
	}
	if asReset {
		s.setDefault(h, slot{v: v, source: SourceOverride})
		return nil
	}
	s.put(h, slot{v: v, source: SourceOverride})
	return nil
}

func (s *Session) setDefault(h Handle, v slot) {
	if old, ok := s.local[h]; ok && old.source > v.source {
		return
	}
	if s.local == nil {
		s.local = make(map[Handle]slot)
	}
	s.local[h] = v
	for i := range s.stacks[h] {
		if st := &s.stacks[h][i]; st.prior.source <= v.source {
			st.prior = v
		}
	}
	if s.cur[h].source <= v.source {
		s.put(h, v)
	}
}

func (s *Session) setFrom(name, value string, source Source, action Action) error {
	d, err := s.find(name, true)
	if err != nil {
		return err
	}
	if err := s.allowed(d, name, source); err != nil {
		return err
	}
	v, err := validate(s, d, name, value, source)
	if err != nil {
		return err
	}
	s.push(d.handle, action)
	s.put(d.handle, slot{v: v, source: source})
	return nil
}

// Reset is RESET name, and SET name TO DEFAULT (with ActionLocal for SET LOCAL).
func (s *Session) Reset(name string, action Action) error {
	d, err := s.find(name, true)
	if err != nil {
		return err
	}
	if err := s.allowed(d, name, SourceSession); err != nil {
		return err
	}
	return s.resetTo(d, action)
}

func (s *Session) resetTo(d *Def, action Action) error {
	to := s.reset(d.handle)
	if d.check != nil {
		v := to.v
		if err := d.check(s, d, &v, to.source); err != nil {
			return err
		}
	}
	s.push(d.handle, action)
	s.put(d.handle, to)
	return nil
}

// ResetAll is RESET ALL: every setting that the user may set and that is not exempt.
func (s *Session) ResetAll() error {
	for i := range s.cur {
		d := s.def(Handle(i))
		if d.Context < Suset || d.Is(NoResetAll) || s.cur[i].source <= SourceOverride {
			continue
		}
		if err := s.resetTo(d, ActionSet); err != nil {
			return err
		}
	}
	return nil
}

// find looks a setting up by name; create makes a custom one of a valid a.b name.
func (s *Session) find(name string, create bool) (*Def, error) {
	if d := s.lookup(name); d != nil {
		return d, nil
	}
	prefix, _, qualified := strings.Cut(name, ".")
	if !create || !qualified {
		return nil, errUnknown(name)
	}
	if !validCustomName(name) {
		return nil, pgerr.New(pgerr.InvalidName, "invalid configuration parameter name \"%s\"", name).
			WithDetail("Custom parameter names must be two or more simple identifiers separated by dots.")
	}
	if reserved[prefix] {
		return nil, pgerr.New(pgerr.InvalidName, "invalid configuration parameter name \"%s\"", name).
			WithDetail("\"%s\" is a reserved prefix.", prefix)
	}
	return s.addCustom(name), nil
}

// reserved are prefixes whose settings are all defined.
var reserved = map[string]bool{"calf": true}

// ReservePrefix makes SET refuse undefined names of this prefix. For init functions only.
func ReservePrefix(prefix string) { reserved[prefix] = true }

func (s *Session) addCustom(name string) *Def {
	d := &Def{Name: strings.Clone(name), Kind: String, Context: Userset, Category: "Customized Options",
		Flags: NoShowAll | NotInSample | CustomPlaceholder, handle: Handle(len(s.cur))}
	if s.custom.byName == nil {
		s.custom.byName = make(map[string]Handle)
	}
	s.custom.byName[strings.ToLower(d.Name)] = d.handle
	s.custom.defs = append(s.custom.defs, d)
	s.cur = append(s.cur, slot{})
	return d
}

func validCustomName(name string) bool {
	parts := strings.Split(name, ".")
	for _, p := range parts {
		for i := 0; i < len(p); i++ {
			c := p[i]
			letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
			digit := c >= '0' && c <= '9' || c == '$'
			if !letter && (!digit || i == 0) {
				return false
			}
		}
		if p == "" {
			return false
		}
	}
	return len(parts) > 1
}

// allowed checks that a source may set d in a running session.
func (s *Session) allowed(d *Def, name string, source Source) error {
	cannot := func(how string) error {
		return pgerr.New(pgerr.CantChangeRuntimeParam, "parameter \"%s\" %s", name, how)
	}
	switch d.Context {
	case Internal:
		return cannot("cannot be changed")
	case Postmaster:
		return cannot("cannot be changed without restarting the server")
	case Sighup:
		return cannot("cannot be changed now")
	case Backend:
		if source != SourceClient {
			return cannot("cannot be set after connection start")
		}
	case SuBackend:
		if source != SourceClient {
			return cannot("cannot be set after connection start")
		}
		return s.privileged(name, source)
	case Suset:
		return s.privileged(name, source)
	}
	return nil
}

// privileged checks the right to set a superuser setting. What ALTER DATABASE and ALTER ROLE stored was checked when it was stored.
func (s *Session) privileged(name string, source Source) error {
	trusted := source != SourceClient && source < SourceInteractive
	if trusted || s.Privileged == nil || s.Privileged(name) {
		return nil
	}
	return pgerr.New(pgerr.InsufficientPrivilege, "permission denied to set parameter \"%s\"", name)
}

// FlattenList makes the string form of SET name TO a, b, ...: quote is quote_identifier, for settings that are lists of identifiers.
func (s *Session) FlattenList(name string, values []string, quote func(string) string) (string, error) {
	d := s.lookup(name)
	if len(values) == 1 && (d == nil || !d.Is(ListQuote)) {
		return values[0], nil
	}
	if d == nil || !d.Is(ListInput) {
		return "", pgerr.New(pgerr.InvalidParameterValue, "SET %s takes only one argument", name)
	}
	if !d.Is(ListQuote) {
		return strings.Join(values, ", "), nil
	}
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = quote(v)
	}
	return strings.Join(quoted, ", "), nil
}
