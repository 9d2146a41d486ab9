package session

import (
	"strconv"
	"time"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/types"
)

// Functions about the session and the server: who, version, sleep, signals to others.
func init() {
	for prosrc, f := range map[string]func(s *Session, c *types.Call) (types.Datum, error){
		"current_user":             func(s *Session, _ *types.Call) (types.Datum, error) { return s.roleName(s.view.User()) },
		"session_user":             func(s *Session, _ *types.Call) (types.Datum, error) { return s.roleName(s.view.SessionUser()) },
		"pg_backend_pid":           func(s *Session, _ *types.Call) (types.Datum, error) { return types.Int4(s.pid), nil },
		"pg_postmaster_start_time": func(s *Session, _ *types.Call) (types.Datum, error) { return timeDatum(s.server.started), nil },
		"pgsql_version":            func(*Session, *types.Call) (types.Datum, error) { return types.Text(versionText), nil },
		"pg_is_in_recovery":        func(*Session, *types.Call) (types.Datum, error) { return types.Bool(false), nil },
		"getdatabaseencoding":      func(*Session, *types.Call) (types.Datum, error) { return types.Text("UTF8"), nil },
		"pg_client_encoding": func(s *Session, _ *types.Call) (types.Datum, error) {
			return types.Text(s.gucs.Str(settings.ClientEncoding)), nil
		},
		"pg_trigger_depth":     func(s *Session, _ *types.Call) (types.Datum, error) { return types.Int4(int32(s.triggerDepth)), nil },
		"pg_sleep":             sleep,
		"pg_cancel_backend":    func(s *Session, c *types.Call) (types.Datum, error) { return s.signal(c.Args[0].Int4(), false) },
		"pg_terminate_backend": func(s *Session, c *types.Call) (types.Datum, error) { return s.signal(c.Args[0].Int4(), true) },
	} {
		types.RegisterFunc(prosrc, func(c *types.Call) (types.Datum, error) {
			s, err := sessionOf(c)
			if err != nil {
				return types.Null, err
			}
			return f(s, c)
		})
	}
}

// versionText is version(). Clients look for "PostgreSQL 15" at the start.
const versionText = "PostgreSQL " + settings.ServerVersion15 + " (calf), 64-bit"

func timeDatum(t time.Time) types.Datum { return types.Int8(types.TimestampTZFromTime(t)) }

func (s *Session) roleName(oid catalog.OID) (types.Datum, error) {
	role, err := s.view.Role(oid)
	if err != nil {
		return types.Null, err
	}
	if role == nil {
		return types.Null, pgerr.New(pgerr.UndefinedObject, "role with OID %d does not exist", oid)
	}
	return types.Text(role.Name), nil
}

// sleep waits until its time is over or the statement is interrupted.
func sleep(s *Session, c *types.Call) (types.Datum, error) {
	seconds := c.Args[0].Float8()
	end := time.Now().Add(time.Duration(min(max(seconds, 0), 1e9) * float64(time.Second)))
	for {
		if err := s.backend.Interrupted(); err != nil {
			return types.Null, err
		}
		left := time.Until(end)
		if left <= 0 {
			return types.Text(""), nil
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-s.done:
		}
		timer.Stop()
	}
}

// signal cancels or terminates another session. Roles may signal their own sessions, superusers all, pg_signal_backend all but superusers'.
func (s *Session) signal(pid int32, terminate bool) (types.Datum, error) {
	target := s.server.sessionByPID(pid)
	if target == nil {
		s.notice(&pgerr.Error{Severity: "WARNING", Code: pgerr.Warning, Message: "PID " + strconv.Itoa(int(pid)) + " is not a PostgreSQL server process"})
		return types.Bool(false), nil
	}
	if err := s.maySignal(target, terminate); err != nil {
		return types.Null, err
	}
	if !terminate {
		target.Cancel()
		return types.Bool(true), nil
	}
	if target.conn == nil {
		target.Terminate(pgerr.Fatal(pgerr.AdminShutdown, "terminating autovacuum process due to administrator command"))
	} else {
		target.conn.Terminate(pgerr.Fatal(pgerr.AdminShutdown, "terminating connection due to administrator command"))
	}
	return types.Bool(true), nil
}

func (s *Session) maySignal(target *Session, terminate bool) error {
	const signalBackend = 4200 // the predefined role pg_signal_backend
	me := s.view.User()
	super, err := s.view.IsSuperuser(me)
	if err != nil || super {
		return err
	}
	if target.user.Super {
		return pgerr.New(pgerr.InsufficientPrivilege, "must be a superuser to %s",
			map[bool]string{false: "cancel superuser query", true: "terminate superuser process"}[terminate])
	}
	for _, role := range []catalog.OID{target.user.OID, signalBackend} {
		if ok, err := s.view.HasPrivsOfRole(me, role); err != nil || ok {
			return err
		}
	}
	return pgerr.New(pgerr.InsufficientPrivilege, "must be a member of the role whose %s is being %s or member of pg_signal_backend",
		map[bool]string{false: "query", true: "process"}[terminate], map[bool]string{false: "canceled", true: "terminated"}[terminate])
}

// sessionByPID finds a session; nil when there is none.
func (s *Server) sessionByPID(pid int32) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ss := range s.sessions {
		if ss.ready.Load() && ss.pid == pid {
			return ss
		}
	}
	return nil
}
