package ddl

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/pgwire/scram"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	register("CreateRoleStmt", createRole)
	register("AlterRoleStmt", alterRole)
	register("DropRoleStmt", dropRole)
	register("GrantRoleStmt", grantRole)
}

// roleOptions are the clauses of CREATE and ALTER ROLE: the columns of pg_authid that they set.
type roleOptions struct {
	set                       map[int]types.Datum
	inRoles, members, admins  []*pg_query.Node
	isSuper, super, repl, rls bool
}

var roleFlags = map[string]int{"superuser": catalog.AuthidRolsuper, "inherit": catalog.AuthidRolinherit, "createrole": catalog.AuthidRolcreaterole,
	"createdb": catalog.AuthidRolcreatedb, "canlogin": catalog.AuthidRolcanlogin, "isreplication": catalog.AuthidRolreplication,
	"bypassrls": catalog.AuthidRolbypassrls}

func (c *ctx) roleOptions(defs []*pg_query.Node, name string) (*roleOptions, error) {
	o := &roleOptions{set: map[int]types.Datum{}}
	seen := map[string]bool{}
	for _, n := range defs {
		d := n.GetDefElem()
		if d.Defname == "sysid" {
			c.notice(pgerr.SuccessfulCompletion, "SYSID can no longer be specified")
			continue
		}
		if seen[d.Defname] {
			return nil, pgerr.New(pgerr.SyntaxError, "conflicting or redundant options").WithLocation(int(d.Location))
		}
		seen[d.Defname] = true
		if col, ok := roleFlags[d.Defname]; ok {
			v, err := defBool(d)
			if err != nil {
				return nil, err
			}
			o.set[col] = types.Bool(v)
			o.super = o.super || d.Defname == "superuser"
			o.repl = o.repl || d.Defname == "isreplication"
			o.rls = o.rls || d.Defname == "bypassrls"
			continue
		}
		if err := c.roleOption(o, d, name); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (c *ctx) roleOption(o *roleOptions, d *pg_query.DefElem, name string) error {
	switch d.Defname {
	case "password":
		o.set[catalog.AuthidRolpassword] = types.Null
		if d.Arg == nil {
			return nil
		}
		text, err := c.passwordSecret(defText(d.Arg))
		o.set[catalog.AuthidRolpassword] = text
		return err
	case "connectionlimit":
		v, err := defInt(d)
		if err != nil {
			return err
		}
		if v < -1 {
			return pgerr.New(pgerr.InvalidParameterValue, "invalid connection limit: %d", v)
		}
		o.set[catalog.AuthidRolconnlimit] = types.Int4(int32(v))
	case "validUntil":
		v, err := types.Input(c.Backend.Env, types.TimestamptzOID, -1, defText(d.Arg))
		if err != nil {
			return err
		}
		o.set[catalog.AuthidRolvaliduntil] = v
	case "addroleto":
		o.inRoles = d.Arg.GetList().GetItems()
	case "rolemembers":
		o.members = d.Arg.GetList().GetItems()
	case "adminmembers":
		o.admins = d.Arg.GetList().GetItems()
	default:
		return pgerr.NotSupported("role option %s", d.Defname)
	}
	return nil
}

// passwordSecret makes what pg_authid keeps of a password: a SCRAM verifier, unless it is a secret already.
func (c *ctx) passwordSecret(password string) (types.Datum, error) {
	if password == "" {
		c.notice(pgerr.SuccessfulCompletion, "empty string is not a valid password, clearing password")
		return types.Null, nil
	}
	if scram.IsSecret(password) || scram.IsMD5(password) {
		return types.Text(password), nil
	}
	s, err := scram.Build(password)
	if err != nil {
		return types.Null, err
	}
	return types.Text(s.String()), nil
}

// createRole is CREATE ROLE, USER and GROUP.
func createRole(c *ctx, n *pg_query.CreateRoleStmt) (string, error) {
	o, err := c.roleOptions(n.Options, n.Role)
	if err != nil {
		return "", err
	}
	if n.StmtType == pg_query.RoleStmtType_ROLESTMT_USER {
		if _, ok := o.set[catalog.AuthidRolcanlogin]; !ok {
			o.set[catalog.AuthidRolcanlogin] = types.Bool(true)
		}
	}
	if err := c.mayChangeRoles(o, true); err != nil {
		return "", err
	}
	if err := checkRoleName(n.Role); err != nil {
		return "", err
	}
	have, err := c.v.RoleByName(n.Role)
	if err != nil {
		return "", err
	}
	if have != nil {
		return "", pgerr.New(pgerr.DuplicateObject, "role \"%s\" already exists", n.Role)
	}
	oid, err := c.v.GetNewOID(catalog.PgAuthidOidIndexOID)
	if err != nil {
		return "", err
	}
	row := catalog.NewRow(catalog.PgAuthidOID)
	for _, col := range roleFlags {
		row[col] = types.Bool(col == catalog.AuthidRolinherit)
	}
	row[catalog.AuthidOid], row[catalog.AuthidRolname], row[catalog.AuthidRolconnlimit] = types.Oid(oid), types.Text(n.Role), types.Int4(-1)
	for col, d := range o.set {
		row[col] = d
	}
	if err := c.v.Insert(catalog.PgAuthidOID, row); err != nil {
		return "", err
	}
	if err := c.next(); err != nil {
		return "", err
	}
	return "CREATE ROLE", c.roleMemberships(oid, o)
}

// roleMemberships carries out IN ROLE, ROLE and ADMIN.
func (c *ctx) roleMemberships(oid OID, o *roleOptions) error {
	for _, x := range o.inRoles {
		group, err := c.roleSpec(x.GetRoleSpec())
		if err != nil {
			return err
		}
		if err := c.addMember(group, oid, false); err != nil {
			return err
		}
	}
	for i, list := range [][]*pg_query.Node{o.members, o.admins} {
		for _, x := range list {
			member, err := c.roleSpec(x.GetRoleSpec())
			if err != nil {
				return err
			}
			if err := c.addMember(oid, member, i == 1); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkRoleName(name string) error {
	if name == "public" || name == "none" {
		return pgerr.New(pgerr.ReservedName, "role name \"%s\" is reserved", name)
	}
	if strings.HasPrefix(name, "pg_") {
		return pgerr.New(pgerr.ReservedName, "role name \"%s\" is reserved", name).WithDetail("Role names starting with \"pg_\" are reserved.")
	}
	return nil
}

// mayChangeRoles checks who may make or change roles.
func (c *ctx) mayChangeRoles(o *roleOptions, isNew bool) error {
	if c.isSuperuser() {
		return nil
	}
	verb := "alter"
	if isNew {
		verb = "create"
	}
	deny := func(what string) error {
		if isNew {
			return pgerr.New(pgerr.InsufficientPrivilege, "must be superuser to create %s", what)
		}
		return pgerr.New(pgerr.InsufficientPrivilege, "must be superuser to alter %s", what)
	}
	switch {
	case o.super:
		if isNew {
			return deny("superusers")
		}
		return pgerr.New(pgerr.InsufficientPrivilege, "must be superuser to alter superuser roles or change superuser attribute")
	case o.repl:
		if isNew {
			return deny("replication users")
		}
		return pgerr.New(pgerr.InsufficientPrivilege, "must be superuser to alter replication roles or change replication attribute")
	case o.rls:
		if isNew {
			return deny("bypassrls users")
		}
		return pgerr.New(pgerr.InsufficientPrivilege, "must be superuser to change bypassrls attribute")
	}
	r, err := c.v.Role(c.v.User())
	if err != nil {
		return err
	}
	if r == nil || !r.CreateRole {
		return pgerr.New(pgerr.InsufficientPrivilege, "permission denied to %s role", verb)
	}
	return nil
}

// alterRole is ALTER ROLE with clauses, and ALTER GROUP ADD/DROP USER.
func alterRole(c *ctx, n *pg_query.AlterRoleStmt) (string, error) {
	oid, err := c.roleSpec(n.Role)
	if err != nil {
		return "", err
	}
	r, err := c.v.Role(oid)
	if err != nil {
		return "", err
	}
	o, err := c.roleOptions(n.Options, r.Name)
	if err != nil {
		return "", err
	}
	_, ownPassword := o.set[catalog.AuthidRolpassword]
	self := oid == c.v.User() && len(o.set) == 1 && ownPassword && len(o.members) == 0
	if !self {
		if r.Super {
			o.super = true
		}
		if err := c.mayChangeRoles(o, false); err != nil {
			return "", err
		}
	}
	if oid == catalog.BootstrapSuperuser {
		if d, ok := o.set[catalog.AuthidRolsuper]; ok && !d.Bool() {
			return "", pgerr.New(pgerr.FeatureNotSupported, "permission denied to alter role").WithDetail("The bootstrap user must have the SUPERUSER attribute.")
		}
	}
	err = c.v.Modify(catalog.PgAuthidOID, catalog.PgAuthidOidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) {
		for col, d := range o.set {
			row[col] = d
		}
	})
	if err != nil {
		return "", err
	}
	if err := c.next(); err != nil {
		return "", err
	}
	for _, x := range o.members {
		member, err := c.roleSpec(x.GetRoleSpec())
		if err != nil {
			return "", err
		}
		if n.Action >= 0 {
			err = c.addMember(oid, member, false)
		} else {
			err = c.dropMember(oid, member)
		}
		if err != nil {
			return "", err
		}
	}
	return "ALTER ROLE", nil
}

// dropRole is DROP ROLE.
func dropRole(c *ctx, n *pg_query.DropRoleStmt) (string, error) {
	if !c.isSuperuser() {
		if r, err := c.v.Role(c.v.User()); err != nil || r == nil || !r.CreateRole {
			return "", orError(err, pgerr.New(pgerr.InsufficientPrivilege, "permission denied to drop role"))
		}
	}
	for _, x := range n.Roles {
		spec := x.GetRoleSpec()
		if spec.Roletype != pg_query.RoleSpecType_ROLESPEC_CSTRING {
			return "", pgerr.New(pgerr.InvalidParameterValue, "cannot use special role specifier in DROP ROLE")
		}
		r, err := c.v.RoleByName(spec.Rolename)
		if err != nil {
			return "", err
		}
		if r == nil {
			if n.MissingOk {
				c.notice(pgerr.SuccessfulCompletion, "role \"%s\" does not exist, skipping", spec.Rolename)
				continue
			}
			return "", pgerr.New(pgerr.UndefinedObject, "role \"%s\" does not exist", spec.Rolename)
		}
		if err := c.dropOneRole(r); err != nil {
			return "", err
		}
	}
	return "DROP ROLE", nil
}

func (c *ctx) dropOneRole(r *catalog.Role) error {
	switch {
	case r.OID == c.v.User():
		return pgerr.New(pgerr.ObjectInUse, "current user cannot be dropped")
	case r.OID == c.v.SessionUser():
		return pgerr.New(pgerr.ObjectInUse, "session user cannot be dropped")
	case r.Super && !c.isSuperuser():
		return pgerr.New(pgerr.InsufficientPrivilege, "must be superuser to drop superusers")
	case r.OID < firstUserOID:
		return pgerr.New(pgerr.DependentObjectsStillExist, "cannot drop role %s because it is required by the database system", r.Name)
	}
	if err := c.roleUnused(r); err != nil {
		return err
	}
	for _, index := range [][2]OID{{catalog.PgAuthMembersOID, catalog.PgAuthMembersRoleMemberIndexOID},
		{catalog.PgAuthMembersOID, catalog.PgAuthMembersMemberRoleIndexOID}, {catalog.PgAuthidOID, catalog.PgAuthidOidIndexOID}} {
		if _, err := c.v.DeleteWhere(index[0], index[1], types.Oid(r.OID)); err != nil {
			return err
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	if err := c.v.RemoveComments(object(catalog.PgAuthidOID, r.OID)); err != nil {
		return err
	}
	return c.dropRoleSettings(0, r.OID)
}

// roleUnused refuses a role that owns something or is named in an ACL.
func (c *ctx) roleUnused(r *catalog.Role) error {
	var lines []string
	others := 0
	err := c.v.Scan(catalog.PgShdependReferenceIndexOID, []types.Datum{types.Oid(catalog.PgAuthidOID), types.Oid(r.OID)},
		func(_ types.TID, row types.Row) (bool, error) {
			db := row[catalog.ShdependDbid].Oid()
			o := catalog.Object{Class: row[catalog.ShdependClassid].Oid(), OID: row[catalog.ShdependObjid].Oid(), Sub: row[catalog.ShdependObjsubid].Int4()}
			if db != 0 && db != c.v.DBOID() {
				others++
				return true, nil
			}
			what := c.v.Describe(o)
			switch row[catalog.ShdependDeptype].Char() {
			case 'o':
				lines = append(lines, "owner of "+what)
			case 'a':
				lines = append(lines, "privileges for "+what)
			default:
				lines = append(lines, "target of "+what)
			}
			return true, nil
		})
	if err != nil {
		return err
	}
	if others > 0 {
		word := "objects"
		if others == 1 {
			word = "object"
		}
		lines = append(lines, itoa(others)+" "+word+" in other databases")
	}
	if len(lines) == 0 {
		return nil
	}
	return pgerr.New(pgerr.DependentObjectsStillExist, "role \"%s\" cannot be dropped because some objects depend on it", r.Name).
		WithDetail("%s", strings.Join(lines, "\n"))
}

// grantRole is GRANT role TO role and REVOKE.
func grantRole(c *ctx, n *pg_query.GrantRoleStmt) (string, error) {
	admin := false
	for _, x := range n.Opt {
		d := x.GetDefElem()
		if d.Defname != "admin" {
			return "", pgerr.New(pgerr.SyntaxError, "syntax error at or near \"%s\"", strings.ToUpper(d.Defname)).WithLocation(int(d.Location))
		}
		v, err := defBool(d)
		if err != nil {
			return "", err
		}
		admin = v
	}
	for _, g := range n.GrantedRoles {
		group, err := c.roleNamed(g.GetAccessPriv().GetPrivName())
		if err != nil {
			return "", err
		}
		if err := c.mayGrantRole(group); err != nil {
			return "", err
		}
		for _, m := range n.GranteeRoles {
			member, err := c.roleSpec(m.GetRoleSpec())
			if err != nil {
				return "", err
			}
			if n.IsGrant {
				err = c.addMember(group, member, admin)
			} else {
				err = c.dropMember(group, member)
			}
			if err != nil {
				return "", err
			}
		}
	}
	if n.IsGrant {
		return "GRANT ROLE", nil
	}
	return "REVOKE ROLE", nil
}

// mayGrantRole checks who may give membership in a role.
func (c *ctx) mayGrantRole(group OID) error {
	if c.isSuperuser() {
		return nil
	}
	r, err := c.v.Role(group)
	if err != nil {
		return err
	}
	if r.Super {
		return pgerr.New(pgerr.InsufficientPrivilege, "must be superuser to alter superusers")
	}
	me, err := c.v.Role(c.v.User())
	if err != nil || me.CreateRole {
		return err
	}
	_, row, err := c.v.Find(catalog.PgAuthMembersRoleMemberIndexOID, types.Oid(group), types.Oid(c.v.User()))
	if err != nil {
		return err
	}
	if row == nil || !row[catalog.AuthMembersAdminOption].Bool() {
		return pgerr.New(pgerr.InsufficientPrivilege, "must have admin option on role \"%s\"", r.Name)
	}
	return nil
}

func (c *ctx) addMember(group, member OID, admin bool) error {
	g, err := c.v.Role(group)
	if err != nil {
		return err
	}
	m, err := c.v.Role(member)
	if err != nil {
		return err
	}
	const databaseOwner OID = 6171 // pg_database_owner: the owner of the current database is its only member
	switch databaseOwner {
	case group:
		return pgerr.New(pgerr.InternalError, "role \"%s\" cannot have explicit members", g.Name)
	case member:
		return pgerr.New(pgerr.InternalError, "role \"%s\" cannot be a member of any role", m.Name)
	}
	if loop, err := c.isMemberNoSuper(group, member); err != nil || loop {
		return orError(err, pgerr.New(pgerr.InvalidGrantOperation, "role \"%s\" is a member of role \"%s\"", g.Name, m.Name))
	}
	tid, old, err := c.v.Find(catalog.PgAuthMembersRoleMemberIndexOID, types.Oid(group), types.Oid(member))
	if err != nil {
		return err
	}
	row := types.Row{types.Oid(group), types.Oid(member), types.Oid(c.v.User()), types.Bool(admin)}
	switch {
	case old == nil:
		err = c.v.Insert(catalog.PgAuthMembersOID, row)
	case old[catalog.AuthMembersAdminOption].Bool() || !admin:
		c.notice(pgerr.SuccessfulCompletion, "role \"%s\" is already a member of role \"%s\"", m.Name, g.Name)
		return nil
	default:
		err = c.v.Update(catalog.PgAuthMembersOID, tid, old, row)
	}
	if err != nil {
		return err
	}
	return c.next()
}

// isMemberNoSuper follows memberships only.
func (c *ctx) isMemberNoSuper(member, role OID) (bool, error) {
	if member == role {
		return true, nil
	}
	r, err := c.v.Role(member)
	if err != nil || r == nil {
		return false, err
	}
	for _, up := range r.MemberOf {
		if ok, err := c.isMemberNoSuper(up, role); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

func (c *ctx) dropMember(group, member OID) error {
	n, err := c.v.DeleteWhere(catalog.PgAuthMembersOID, catalog.PgAuthMembersRoleMemberIndexOID, types.Oid(group), types.Oid(member))
	if err != nil {
		return err
	}
	if n == 0 {
		g, _ := c.v.Role(group)
		m, _ := c.v.Role(member)
		w := pgerr.New(pgerr.SuccessfulCompletion, "role \"%s\" is not a member of role \"%s\"", m.Name, g.Name)
		w.Severity = "WARNING"
		c.send(w)
	}
	return c.next()
}

func (c *ctx) renameRole(n *pg_query.RenameStmt) error {
	oid, err := c.roleNamed(n.Subname)
	if err != nil {
		return err
	}
	if err := checkRoleName(n.Newname); err != nil {
		return err
	}
	if err := c.mayChangeRoles(&roleOptions{}, false); err != nil {
		return err
	}
	have, err := c.v.RoleByName(n.Newname)
	if err != nil {
		return err
	}
	if have != nil {
		return pgerr.New(pgerr.DuplicateObject, "role \"%s\" already exists", n.Newname)
	}
	if oid == c.v.SessionUser() {
		return pgerr.New(pgerr.FeatureNotSupported, "session user cannot be renamed")
	}
	return c.v.Modify(catalog.PgAuthidOID, catalog.PgAuthidOidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) {
		row[catalog.AuthidRolname] = types.Text(n.Newname)
	})
}
