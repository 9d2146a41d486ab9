package session

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/types"
)

// Who a session is: the role that logged in (s.user), the session user that SET SESSION AUTHORIZATION makes of it, and the current user that SET
// ROLE makes of that. The settings session_authorization and role decide, so that the end of a SET LOCAL, and rollback, bring the old ones back.

// noRole is the value of role that stands for the session user.
const noRole = "none"

// followRoles makes the two settings change the users.
func (g *gucs) followRoles() {
	s := g.s
	g.OnAssign(settings.SessionAuthorization, func(v settings.Value) {
		if oid, ok := s.roleOIDs[v.Str]; ok {
			s.view.SetSessionUser(oid)
			s.becomeUser(oid)
		}
	})
	g.OnAssign(settings.Role, func(v settings.Value) {
		if s.user == nil {
			return
		}
		if oid, ok := s.roleOIDs[v.Str]; ok && v.Str != noRole {
			s.becomeUser(oid)
		} else {
			s.becomeUser(s.view.SessionUser())
		}
	})
}

// becomeUser makes a role the current one.
func (s *Session) becomeUser(oid types.OID) {
	s.view.SetUser(oid)
	s.env.Role = oid
}

// roleToBe finds a role that a setting names, and remembers it for the hooks, which can't look it up: they also run when a transaction is undone.
func (s *Session) roleToBe(name string) (*catalog.Role, error) {
	role, err := s.view.RoleByName(name)
	if err != nil {
		return nil, err
	}
	if role == nil {
		return nil, pgerr.New(pgerr.UndefinedObject, "role \"%s\" does not exist", name)
	}
	if s.roleOIDs == nil {
		s.roleOIDs = map[string]types.OID{s.user.Name: s.user.OID}
	}
	s.roleOIDs[name] = role.OID
	return role, nil
}

// setRole is SET ROLE.
func (s *Session) setRole(name string, action settings.Action) error {
	if name == noRole {
		if err := s.gucs.Set("role", name, action); err != nil {
			return err
		}
		return s.showSuperuser()
	}
	role, err := s.roleToBe(name)
	if err != nil {
		return err
	}
	super, err := s.view.IsSuperuser(s.view.SessionUser())
	if err != nil {
		return err
	}
	if !super {
		member, err := s.view.IsMemberOf(s.view.SessionUser(), role.OID)
		if err != nil {
			return err
		}
		if !member {
			return pgerr.New(pgerr.InsufficientPrivilege, "permission denied to set role \"%s\"", name)
		}
	}
	if err := s.gucs.Set("role", name, action); err != nil {
		return err
	}
	return s.showSuperuser()
}

// setSessionAuthorization is SET SESSION AUTHORIZATION. The role of SET ROLE ends with it.
func (s *Session) setSessionAuthorization(name string, action settings.Action) error {
	role, err := s.roleToBe(name)
	if err != nil {
		return err
	}
	if !s.user.Super && role.OID != s.user.OID {
		return pgerr.New(pgerr.InsufficientPrivilege, "permission denied to set session authorization")
	}
	if err := s.gucs.Set("role", noRole, action); err != nil {
		return err
	}
	if err := s.gucs.Set("session_authorization", name, action); err != nil {
		return err
	}
	return s.showSuperuser()
}

// showSuperuser makes is_superuser tell of the current user.
func (s *Session) showSuperuser() error {
	super, err := s.view.IsSuperuser(s.view.User())
	if err != nil {
		return err
	}
	value := "off"
	if super {
		value = "on"
	}
	return s.gucs.Override(settings.IsSuperuser, value, false)
}
