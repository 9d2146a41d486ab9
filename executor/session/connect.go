package session

import (
	"context"

	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/pgwire"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/settings"
)

// connect opens the database of a client that has been authenticated, and applies its settings.
func (s *Session) connect(p *pgwire.StartupParams) error {
	if err := s.openDatabase(p.Database, p.User); err != nil {
		return err
	}
	s.gucs.follow()
	for _, list := range [][]pgwire.Setting{p.Options, p.Settings} {
		for _, set := range list {
			if err := s.gucs.SetDefault(set.Name, set.Value, settings.SourceClient); err != nil {
				return err
			}
		}
	}
	s.gucs.ReportAll(s.w.ParameterStatus)
	s.activity.open("client backend", s.clock.Now())
	s.backend.Heap.Stats.Delta().Sessions++
	s.backend.Heap.Stats.Flush()
	s.backend.Temp.Report = func(bytes int64) {
		d := s.backend.Heap.Stats.Delta()
		d.TempFiles++
		d.TempBytes += bytes
	}
	s.ready.Store(true)
	return nil
}

// openDatabase makes the session one of a role in a database.
func (s *Session) openDatabase(database, user string) error {
	s.gucs = newGucs(s, s.server.o.Settings)
	if err := s.useDB(catalog.Template1DB); err != nil {
		return err
	}
	s.startTransaction()
	defer s.abort()
	role, err := s.view.RoleByName(user)
	if err != nil {
		return err
	}
	if role == nil {
		return pgerr.Fatal(pgerr.InvalidAuthorizationSpecification, "role \"%s\" does not exist", user)
	}
	if !role.CanLogin {
		return pgerr.Fatal(pgerr.InvalidAuthorizationSpecification, "role \"%s\" is not permitted to log in", user)
	}
	if err := s.admitRole(role); err != nil {
		return err
	}
	db, err := s.view.DatabaseByName(database)
	if err != nil {
		return err
	}
	if db == nil {
		return pgerr.Fatal(pgerr.InvalidCatalogName, "database \"%s\" does not exist", database)
	}
	// Until the session is known to be in it, nobody drops or copies the database.
	if err := s.locks.Acquire(s.locks.Owner(), databaseTag(db.OID), lock.RowExclusive); err != nil {
		return err
	}
	defer s.locks.Release(s.locks.Owner(), databaseTag(db.OID), lock.RowExclusive)
	if again, err := s.view.DatabaseByName(database); err != nil || again == nil || again.OID != db.OID {
		if err == nil {
			err = pgerr.Fatal(pgerr.InvalidCatalogName, "database \"%s\" does not exist", database).
				WithDetail("It seems to have just been dropped or renamed.")
		}
		return err
	}
	if err := s.admitDatabase(db, role); err != nil {
		return err
	}
	everybody, both, err := s.view.RoleSettings(role.OID, db.OID)
	if err != nil {
		return err
	}
	s.abort()
	s.user, s.db = role, db
	if err := s.useDB(db.OID); err != nil {
		return err
	}
	s.backend.Env.Settings.CTypeC = db.CType == "C" || db.CType == "POSIX"
	s.view.SetUser(role.OID)
	s.view.SetSessionUser(role.OID)
	s.view.Attach(func() {
		s.Terminate(pgerr.Fatal(pgerr.AdminShutdown, "terminating connection due to administrator command"))
	})
	s.backend.Heap.Stats = s.server.stats.NewSession(uint32(db.OID))
	return s.applyStored(role, db, everybody, both)
}

// useDB makes the session's view one of a database.
func (s *Session) useDB(oid catalog.OID) error {
	v, err := s.server.cluster.NewView(oid, s.backend.Heap)
	if err != nil {
		return err
	}
	s.view = v
	v.SetDomainChecker(s.checkDomain)
	v.SetRelationLocker(s.lockOID)
	s.backend.Catalog = v
	s.backend.Env.Catalog = v.TypeCatalog()
	v.SetEnv(s.backend.Env)
	v.SetTypeParser(func(_ *catalog.View, text string) (catalog.OID, int32, error) {
		return analyze.ParseType(s.analyzeEnv(nil), text)
	})
	if s.db == nil {
		s.db = &catalog.Database{OID: oid, Name: "template1"}
	}
	s.initPlanEnv()
	return nil
}

// applyStored applies what ALTER DATABASE and ALTER ROLE stored, the strongest last, and what the connection decides. everybody is of ALTER ROLE ALL, both
// of ALTER ROLE IN DATABASE.
func (s *Session) applyStored(role *catalog.Role, db *catalog.Database, everybody, both []string) error {
	super := "off"
	if role.Super {
		super = "on"
	}
	if err := s.gucs.Override(settings.IsSuperuser, super, true); err != nil {
		return err
	}
	if err := s.gucs.Override(settings.SessionAuthorization, role.Name, true); err != nil {
		return err
	}
	for _, c := range []struct {
		list   []string
		source settings.Source
	}{{everybody, settings.SourceGlobal}, {db.Config, settings.SourceDatabase}, {role.Config, settings.SourceUser}, {both, settings.SourceDatabaseUser}} {
		for _, line := range c.list {
			name, value, ok := cutSetting(line)
			if !ok {
				continue
			}
			if err := s.gucs.SetDefault(name, value, c.source); err != nil {
				return err
			}
		}
	}
	return nil
}

func cutSetting(line string) (name, value string, ok bool) {
	for i := range line {
		if line[i] == '=' {
			return line[:i], line[i+1:], true
		}
	}
	return "", "", false
}

// setClientEncoding makes the connection convert texts.
func (s *Session) setClientEncoding(name string) {
	if s.conn != nil {
		s.conn.SetClientEncoding(name)
	}
}

// withCatalog runs fn with a view of the shared catalogs, in a transaction of its own.
func (s *Server) withCatalog(fn func(ss *Session)) {
	ss := s.newSession(0)
	defer ss.Close(nil)
	ss.gucs = newGucs(ss, s.o.Settings)
	if err := ss.useDB(catalog.Template1DB); err != nil {
		return
	}
	ss.startTransaction()
	defer ss.abort()
	fn(ss)
}

// Secret gives the stored password of a role, for authentication.
func (s *Server) Secret(_ context.Context, user string) (stored string, ok bool) {
	s.withCatalog(func(ss *Session) {
		role, err := ss.view.RoleByName(user)
		if err != nil || role == nil || !role.CanLogin || role.Password == "" {
			return
		}
		if role.HasValidUntil && role.ValidUntil < ss.clock.Now() {
			return
		}
		stored, ok = role.Password, true
	})
	return stored, ok
}

// IsMember says whether a role is a member of another, for pg_hba.conf's +role.
func (s *Server) IsMember(user, role string) (member bool) {
	s.withCatalog(func(ss *Session) {
		a, err := ss.view.RoleByName(user)
		if err != nil || a == nil {
			return
		}
		b, err := ss.view.RoleByName(role)
		if err != nil || b == nil {
			return
		}
		member, _ = ss.view.IsMemberOf(a.OID, b.OID)
	})
	return member
}
