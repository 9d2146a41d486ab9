package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
)

// roleSpec finds the role that a command names: a name, CURRENT_USER, SESSION_USER.
func (c *ctx) roleSpec(n *pg_query.RoleSpec) (OID, error) {
	switch n.Roletype {
	case pg_query.RoleSpecType_ROLESPEC_CURRENT_ROLE, pg_query.RoleSpecType_ROLESPEC_CURRENT_USER:
		return c.v.User(), nil
	case pg_query.RoleSpecType_ROLESPEC_SESSION_USER:
		return c.v.SessionUser(), nil
	case pg_query.RoleSpecType_ROLESPEC_PUBLIC:
		return 0, pgerr.New(pgerr.UndefinedObject, "role \"%s\" does not exist", "public")
	}
	return c.roleNamed(n.Rolename)
}

// roleNamed finds a role that must be there.
func (c *ctx) roleNamed(name string) (OID, error) {
	r, err := c.v.RoleByName(name)
	if err != nil {
		return 0, err
	}
	if r == nil {
		return 0, pgerr.New(pgerr.UndefinedObject, "role \"%s\" does not exist", name)
	}
	return r.OID, nil
}

// requireMember checks that the current user may act as role.
func (c *ctx) requireMember(role OID) error {
	ok, err := c.v.IsMemberOf(c.v.User(), role)
	if err != nil || ok {
		return err
	}
	r, err := c.v.Role(role)
	if err != nil {
		return err
	}
	return pgerr.New(pgerr.InsufficientPrivilege, "must be member of role \"%s\"", r.Name)
}

// isSuperuser says whether the current user is one.
func (c *ctx) isSuperuser() bool {
	ok, err := c.v.IsSuperuser(c.v.User())
	return ok && err == nil
}
