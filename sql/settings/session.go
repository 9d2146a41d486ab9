package settings

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// Session holds one session's values. It belongs to the session's goroutine.
type Session struct {
	// Owner is the session that the checks of other packages may need to know.
	Owner any
	// Privileged says whether the current user may set superuser settings (a superuser, or one granted SET on that setting).
	Privileged func(name string) bool

	srv    *Server
	gen    uint64 // of the server's values that cur is based on
	base   *[]slot
	cur    []slot
	local  map[Handle]slot // reset values that differ from the server's: database, user and client settings
	custom customs

	level  int // nesting level; 0 outside a transaction
	stacks map[Handle][]saved
	assign map[Handle]func(v Value)
	report reports
}

// customs are the a.b settings of this session that nobody defined; their handles follow the registry's.
type customs struct {
	defs   []*Def
	byName map[string]Handle
}

// reports tracks what the client was told.
type reports struct {
	pending bool
	dirty   []Handle
	last    map[Handle]string
}

// saved is one level of a setting's stack: what to go back to. PostgreSQL's GucStack.
type saved struct {
	level  int
	state  savedState
	prior  slot // value before this level
	masked slot // value of SET, hidden by SET LOCAL
}

type savedState uint8

const (
	stateSet savedState = iota
	stateLocal
	stateSetLocal
	stateSave // a function's SET clause
)

// Action is how long a SET lasts.
type Action uint8

const (
	ActionSet   Action = iota // SET: to the end of the session, if the transaction commits
	ActionLocal               // SET LOCAL: to the end of the transaction
	ActionSave                // a function's SET clause: to the end of the call
)

// NewSession starts a session with the server's values.
func (srv *Server) NewSession() *Session {
	base, gen := srv.snapshot()
	s := &Session{srv: srv, gen: gen, base: base, cur: append([]slot(nil), *base...)}
	s.report.last = make(map[Handle]string)
	return s
}

// def gives the definition of any handle of this session.
func (s *Session) def(h Handle) *Def {
	if int(h) < len(registry.defs) {
		return registry.defs[h]
	}
	return s.custom.defs[int(h)-len(registry.defs)]
}

// lookup finds a setting by name, custom ones included; nil when there is none.
func (s *Session) lookup(name string) *Def {
	if d := Lookup(name); d != nil {
		return d
	}
	if s == nil {
		return nil
	}
	if h, ok := s.custom.byName[strings.ToLower(name)]; ok {
		return s.def(h)
	}
	return nil
}

// Int is the value of an integer setting, in its base unit.
func (s *Session) Int(h Handle) int64 { return s.cur[h].v.I }

// Bool is the value of a boolean setting.
func (s *Session) Bool(h Handle) bool { return s.cur[h].v.I != 0 }

// Real is the value of a real setting, in its base unit.
func (s *Session) Real(h Handle) float64 { return s.cur[h].v.F }

// Str is the value of a string or enum setting.
func (s *Session) Str(h Handle) string { return s.cur[h].v.Str }

// Enum is the index in Def.Enum of an enum setting's value.
func (s *Session) Enum(h Handle) int { return int(s.cur[h].v.I) }

// Extra is what the setting's check made of the value.
func (s *Session) Extra(h Handle) any { return s.cur[h].v.Extra }

// Bytes is the value of a memory setting in bytes.
func (s *Session) Bytes(h Handle) int64 {
	return int64(float64(s.cur[h].v.I) * s.def(h).base.size)
}

// Source says where the value came from.
func (s *Session) Source(h Handle) Source { return s.cur[h].source }

// OnAssign registers what follows each change of a setting, rollback and RESET included, and calls it with the present value.
func (s *Session) OnAssign(h Handle, f func(v Value)) {
	if s.assign == nil {
		s.assign = make(map[Handle]func(Value))
	}
	if before := s.assign[h]; before != nil {
		s.assign[h] = func(v Value) { before(v); f(v) }
	} else {
		s.assign[h] = f
	}
	f(s.cur[h].v)
}

// put makes v the present value.
func (s *Session) put(h Handle, v slot) {
	s.cur[h] = v
	if f := s.assign[h]; f != nil {
		f(v.v)
	}
	if s.def(h).Flags&Report != 0 {
		s.report.pending = true
		s.report.dirty = append(s.report.dirty, h)
	}
}

// reset is the value that RESET goes back to.
func (s *Session) reset(h Handle) slot {
	if v, ok := s.local[h]; ok {
		return v
	}
	if int(h) < len(*s.base) {
		return (*s.base)[h]
	}
	return slot{}
}

// Refresh takes over a reload of the server's settings, where the session has not set its own. It costs one atomic load when there was none.
// Call it between statements.
func (s *Session) Refresh() {
	if s.srv.gen.Load() == s.gen {
		return
	}
	old := *s.base
	s.base, s.gen = s.srv.snapshot()
	for i := range *s.base {
		h, d := Handle(i), registry.defs[i]
		if d.Context == Backend || d.Context == SuBackend || (*s.base)[i].same(old[i]) {
			continue
		}
		if _, own := s.local[h]; own {
			continue
		}
		s.rebase(h, (*s.base)[i])
	}
}

// rebase replaces a value that came from the server, also where a transaction has put it aside.
func (s *Session) rebase(h Handle, v slot) {
	for i := range s.stacks[h] {
		st := &s.stacks[h][i]
		if st.prior.source <= SourceArgv {
			st.prior = v
		}
		if st.state == stateSetLocal && st.masked.source <= SourceArgv {
			st.masked = v
		}
	}
	if s.cur[h].source <= SourceArgv {
		s.put(h, v)
	}
}

func errUnknown(name string) error {
	return pgerr.New(pgerr.UndefinedObject, "unrecognized configuration parameter \"%s\"", name)
}
