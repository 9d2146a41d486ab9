package session

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/settings"
)

// Limits on who may connect, in PostgreSQL's order: the server's slots, the role's limit, the slots kept for superusers, the database's
// permission and limit. A session counts from the check of its role on, until it is closed.

// admitRole counts a client's session against max_connections and the role's limit.
func (s *Session) admitRole(role *catalog.Role) error {
	if s.conn == nil {
		return nil
	}
	srv := s.server
	srv.mu.Lock()
	defer srv.mu.Unlock()
	total, ofRole := 1, 1
	for other := range srv.sessions {
		if other.admitted == nil {
			continue
		}
		total++
		if other.admitted.OID == role.OID {
			ofRole++
		}
	}
	slots := int(srv.o.Settings.Int(settings.MaxConnections))
	switch {
	case total > slots:
		return pgerr.Fatal(pgerr.TooManyConnections, "sorry, too many clients already")
	case role.Super:
	case role.ConnLimit >= 0 && ofRole > int(role.ConnLimit):
		return pgerr.Fatal(pgerr.TooManyConnections, "too many connections for role \"%s\"", role.Name)
	case total > slots-int(srv.o.Settings.Int(settings.SuperuserReserved)):
		return pgerr.Fatal(pgerr.TooManyConnections, "remaining connection slots are reserved for non-replication superuser connections")
	}
	s.admitted = role
	return nil
}

// admitDatabase checks that the role may connect to a database, and the database's limit.
func (s *Session) admitDatabase(db *catalog.Database, role *catalog.Role) error {
	if !db.AllowConn {
		return pgerr.Fatal(pgerr.ObjectNotInPrerequisiteState, "database \"%s\" is not currently accepting connections", db.Name)
	}
	if s.conn == nil || role.Super {
		return nil
	}
	ok, err := s.view.HasPrivilege(catalog.PgDatabaseOID, db.OID, 0, role.OID, query.AclConnect)
	if err != nil {
		return err
	}
	if !ok {
		return pgerr.Fatal(pgerr.InsufficientPrivilege, "permission denied for database \"%s\"", db.Name).
			WithDetail("User does not have CONNECT privilege.")
	}
	if db.ConnLimit >= 0 && int32(s.server.countSessions(db.OID)) >= db.ConnLimit {
		return pgerr.Fatal(pgerr.TooManyConnections, "too many connections for database \"%s\"", db.Name)
	}
	return nil
}
