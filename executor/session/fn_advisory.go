package session

import (
	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// advisoryFunc registers a function that works on the session's advisory locks.
func advisoryFunc(prosrc string, f func(s *Session, c *types.Call) (types.Datum, error)) {
	types.RegisterFunc(prosrc, func(c *types.Call) (types.Datum, error) {
		s, err := sessionOf(c)
		if err != nil {
			return types.Null, err
		}
		return f(s, c)
	})
}

// The advisory lock functions: for one bigint and for two integers, exclusive and shared, for the session and the
// transaction, waiting and trying.
func init() {
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
			advisoryFunc("pg_advisory_lock"+name, func(s *Session, c *types.Call) (types.Datum, error) {
				return types.Text(""), s.locks.Acquire(s.locks.Owner(), pair.tag(s, c), k.mode)
			})
			advisoryFunc("pg_advisory_xact_lock"+name, func(s *Session, c *types.Call) (types.Datum, error) {
				return types.Text(""), s.locks.Acquire(s.owner(), pair.tag(s, c), k.mode)
			})
			advisoryFunc("pg_try_advisory_lock"+name, func(s *Session, c *types.Call) (types.Datum, error) {
				ok, err := s.locks.TryAcquire(s.locks.Owner(), pair.tag(s, c), k.mode)
				return types.Bool(ok), err
			})
			advisoryFunc("pg_try_advisory_xact_lock"+name, func(s *Session, c *types.Call) (types.Datum, error) {
				ok, err := s.locks.TryAcquire(s.owner(), pair.tag(s, c), k.mode)
				return types.Bool(ok), err
			})
			advisoryFunc("pg_advisory_unlock"+name, func(s *Session, c *types.Call) (types.Datum, error) {
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
	advisoryFunc("pg_advisory_unlock_all", func(s *Session, c *types.Call) (types.Datum, error) {
		s.locks.ReleaseAdvisory()
		return types.Text(""), nil
	})
}
