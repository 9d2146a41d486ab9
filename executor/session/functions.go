package session

import (
	"time"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/types"
)

// Functions of the session's own state: settings, users, processes, advisory locks.

// sessionFunc registers a function that needs the session.
func sessionFunc(prosrc string, f func(s *Session, c *types.Call) (types.Datum, error)) {
	if _, taken := types.LookupFunc(prosrc); taken {
		return
	}
	types.RegisterFunc(prosrc, func(c *types.Call) (types.Datum, error) {
		b, ok := c.Ctx.(*executor.Backend)
		if !ok {
			return types.Null, pgerr.Internal("a function of the session is called without one")
		}
		return f(b.Session.(*Session), c)
	})
}

func init() {
	sessionFunc("show_config_by_name", func(s *Session, c *types.Call) (types.Datum, error) { return s.currentSetting(c, false) })
	sessionFunc("show_config_by_name_missing_ok", func(s *Session, c *types.Call) (types.Datum, error) {
		return s.currentSetting(c, !c.Args[1].IsNull() && c.Args[1].Bool())
	})
	sessionFunc("set_config_by_name", (*Session).setConfig)
	sessionFunc("current_user", func(s *Session, c *types.Call) (types.Datum, error) { return s.roleName(s.view.User()) })
	sessionFunc("session_user", func(s *Session, c *types.Call) (types.Datum, error) { return types.Text(s.user.Name), nil })
	sessionFunc("current_database", func(s *Session, c *types.Call) (types.Datum, error) { return types.Text(s.db.Name), nil })
	sessionFunc("pg_backend_pid", func(s *Session, c *types.Call) (types.Datum, error) { return types.Int4(s.locks.PID()), nil })
	sessionFunc("pgsql_version", func(s *Session, c *types.Call) (types.Datum, error) { return types.Text(versionText), nil })
	sessionFunc("pg_sleep", (*Session).sleep)
	sessionFunc("pg_reload_conf", func(s *Session, c *types.Call) (types.Datum, error) {
		if s.server.o.Reload != nil {
			s.server.o.Reload()
		}
		return types.Bool(s.server.o.Reload != nil), nil
	})
	sessionFunc("pg_cancel_backend", func(s *Session, c *types.Call) (types.Datum, error) {
		return s.signal(c.Args[0].Int4(), (*Session).Cancel)
	})
	sessionFunc("pg_terminate_backend", func(s *Session, c *types.Call) (types.Datum, error) {
		return s.signal(c.Args[0].Int4(), func(t *Session) {
			t.conn.Terminate(pgerr.Fatal(pgerr.AdminShutdown, "terminating connection due to administrator command"))
		})
	})
	registerAdvisory()
}

// versionText is version().
const versionText = "PostgreSQL 15.18 (calf) on x86_64-pc-linux-gnu, compiled by Go, 64-bit"

func (s *Session) roleName(oid types.OID) (types.Datum, error) {
	r, err := s.view.Role(oid)
	if err != nil || r == nil {
		return types.Null, err
	}
	return types.Text(r.Name), nil
}

func (s *Session) currentSetting(c *types.Call, missingOK bool) (types.Datum, error) {
	v, err := s.showValue(c.Args[0].Str(), s.superuser())
	if err != nil {
		if missingOK && pgerr.CodeOf(err) == pgerr.UndefinedObject {
			return types.Null, nil
		}
		return types.Null, err
	}
	return types.Text(v), nil
}

// setConfig is set_config(name, value, is_local); a null value resets, a null is_local is false.
func (s *Session) setConfig(c *types.Call) (types.Datum, error) {
	if c.Args[0].IsNull() {
		return types.Null, pgerr.New(pgerr.NullValueNotAllowed, "SET requires parameter name")
	}
	name := c.Args[0].Clone().Str()
	action := settings.ActionSet
	if !c.Args[2].IsNull() && c.Args[2].Bool() {
		action = settings.ActionLocal
	}
	var err error
	if c.Args[1].IsNull() {
		err = s.resetVariable(name, action)
	} else {
		err = s.setVariable(name, c.Args[1].Clone().Str(), action)
	}
	if err != nil {
		return types.Null, err
	}
	v, err := s.showValue(name, true)
	return types.Text(v), err
}

// sleep is pg_sleep(seconds); a cancel ends it.
func (s *Session) sleep(c *types.Call) (types.Datum, error) {
	secs := c.Args[0].Float8()
	if secs <= 0 {
		return types.Null, nil
	}
	t := time.NewTimer(time.Duration(secs * float64(time.Second)))
	defer t.Stop()
	for {
		select {
		case <-t.C:
			return types.Text(""), nil
		case <-s.done:
			if err := s.backend.Interrupted(); err != nil {
				return types.Null, err
			}
		}
	}
}

// signal does something to the session of a process id; a warning and false when there is none.
func (s *Session) signal(pid int32, fn func(*Session)) (types.Datum, error) {
	s.server.mu.Lock()
	var target *Session
	for x := range s.server.sessions {
		if x.locks.PID() == pid && x.conn != nil {
			target = x
		}
	}
	s.server.mu.Unlock()
	if target == nil {
		s.notice(&pgerr.Error{Severity: "WARNING", Code: pgerr.Warning, Message: "PID " + signed(int64(pid)) + " is not a PostgreSQL server process"})
		return types.Bool(false), nil
	}
	fn(target)
	return types.Bool(true), nil
}

// registerAdvisory registers the advisory lock functions: for one bigint and for two integers, exclusive and shared, for the session and the
// transaction, waiting and trying.
func registerAdvisory() {
	type kind struct {
		suffix string
		mode   lock.Mode
	}
	for _, pair := range []struct {
		suffix string
		tag    func(s *Session, c *types.Call) lock.Tag
	}{
		{"_int8", func(s *Session, c *types.Call) lock.Tag { return lock.AdvisoryKey(uint32(s.db.OID), c.Args[0].Int8()) }},
		{"_int4", func(s *Session, c *types.Call) lock.Tag {
			return lock.AdvisoryPair(uint32(s.db.OID), c.Args[0].Int4(), c.Args[1].Int4())
		}},
	} {
		for _, k := range []kind{{"", lock.Exclusive}, {"_shared", lock.Share}} {
			name := k.suffix + pair.suffix
			sessionFunc("pg_advisory_lock"+name, func(s *Session, c *types.Call) (types.Datum, error) {
				return types.Text(""), s.locks.Acquire(s.locks.Owner(), pair.tag(s, c), k.mode)
			})
			sessionFunc("pg_advisory_xact_lock"+name, func(s *Session, c *types.Call) (types.Datum, error) {
				return types.Text(""), s.locks.Acquire(s.owner(), pair.tag(s, c), k.mode)
			})
			sessionFunc("pg_try_advisory_lock"+name, func(s *Session, c *types.Call) (types.Datum, error) {
				ok, err := s.locks.TryAcquire(s.locks.Owner(), pair.tag(s, c), k.mode)
				return types.Bool(ok), err
			})
			sessionFunc("pg_try_advisory_xact_lock"+name, func(s *Session, c *types.Call) (types.Datum, error) {
				ok, err := s.locks.TryAcquire(s.owner(), pair.tag(s, c), k.mode)
				return types.Bool(ok), err
			})
			sessionFunc("pg_advisory_unlock"+name, func(s *Session, c *types.Call) (types.Datum, error) {
				ok := s.locks.Release(s.locks.Owner(), pair.tag(s, c), k.mode)
				if !ok {
					mode := "ExclusiveLock"
					if k.mode == lock.Share {
						mode = "ShareLock"
					}
					s.notice(&pgerr.Error{Severity: "WARNING", Code: pgerr.Warning, Message: "you don't own a lock of type " + mode})
				}
				return types.Bool(ok), nil
			})
		}
	}
	sessionFunc("pg_advisory_unlock_all", func(s *Session, c *types.Call) (types.Datum, error) {
		s.locks.ReleaseAdvisory()
		return types.Text(""), nil
	})
}
