package catalog

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// privilegeKind is a family of has_..._privilege functions.
type privilegeKind struct {
	name  string
	class OID
	privs map[string]uint32
	find  func(v *View, name string) (OID, error)
}

var tablePrivs = map[string]uint32{"SELECT": query.AclSelect, "INSERT": query.AclInsert, "UPDATE": query.AclUpdate, "DELETE": query.AclDelete,
	"TRUNCATE": query.AclTruncate, "REFERENCES": query.AclReferences, "TRIGGER": query.AclTrigger, "RULE": 0}

var privilegeKinds = []privilegeKind{
	{"table", PgClassOID, tablePrivs, (*View).regclass},
	{"sequence", PgClassOID, map[string]uint32{"USAGE": query.AclUsage, "SELECT": query.AclSelect, "UPDATE": query.AclUpdate}, (*View).regclass},
	{"schema", PgNamespaceOID, map[string]uint32{"CREATE": query.AclCreate, "USAGE": query.AclUsage}, func(v *View, name string) (OID, error) {
		oid, err := v.NamespaceByName(name)
		if err == nil && oid == 0 {
			err = pgerr.New(pgerr.InvalidSchemaName, "schema \"%s\" does not exist", name)
		}
		return oid, err
	}},
	{"database", PgDatabaseOID, map[string]uint32{"CREATE": query.AclCreate, "TEMPORARY": query.AclCreateTemp, "TEMP": query.AclCreateTemp,
		"CONNECT": query.AclConnect}, func(v *View, name string) (OID, error) {
		db, err := v.DatabaseByName(name)
		if err != nil {
			return 0, err
		}
		if db == nil {
			return 0, pgerr.New(pgerr.UndefinedDatabase, "database \"%s\" does not exist", name)
		}
		return db.OID, nil
	}},
	{"function", PgProcOID, map[string]uint32{"EXECUTE": query.AclExecute}, (*View).regprocedure},
	{"language", PgLanguageOID, map[string]uint32{"USAGE": query.AclUsage}, func(v *View, name string) (OID, error) {
		oid, err := v.LanguageByName(name)
		if err == nil && oid == 0 {
			err = pgerr.New(pgerr.UndefinedObject, "language \"%s\" does not exist", name)
		}
		return oid, err
	}},
	{"type", PgTypeOID, map[string]uint32{"USAGE": query.AclUsage}, func(v *View, name string) (OID, error) {
		return typeCatalog{v}.RegLookup(types.RegtypeOID, name)
	}},
	{"tablespace", PgTablespaceOID, map[string]uint32{"CREATE": query.AclCreate}, func(v *View, name string) (OID, error) {
		_, row, err := v.Find(PgTablespaceSpcnameIndexOID, types.Text(name))
		if err != nil {
			return 0, err
		}
		if row == nil {
			return 0, pgerr.New(pgerr.UndefinedObject, "tablespace \"%s\" does not exist", name)
		}
		return row[TablespaceOid].Oid(), nil
	}},
}

func init() {
	for i := range privilegeKinds {
		k := &privilegeKinds[i]
		for _, who := range []string{"", "_name", "_id"} {
			for _, what := range []string{"_name", "_id"} {
				viewFunc("has_"+k.name+"_privilege"+who+what, func(v *View, c *types.Call) (types.Datum, error) {
					role, args, err := v.roleArgument(who, c.Args)
					if err != nil {
						return types.Null, err
					}
					oid := args[0].Oid()
					if what == "_name" {
						if oid, err = k.find(v, args[0].Str()); err != nil {
							return types.Null, err
						}
					}
					return v.anyPrivilege(k.class, oid, 0, role, args[1].Str(), k.privs)
				})
			}
		}
	}
	registerColumnPrivileges()
	registerHasRole()
}

// roleArgument takes the role out of a privilege function's arguments.
func (v *View) roleArgument(who string, args []types.Datum) (OID, []types.Datum, error) {
	switch who {
	case "_name":
		name := args[0].Str()
		if name == "public" {
			return 0, args[1:], nil
		}
		r, err := v.RoleByName(name)
		if err != nil {
			return 0, nil, err
		}
		if r == nil {
			return 0, nil, pgerr.New(pgerr.UndefinedObject, "role \"%s\" does not exist", name)
		}
		return r.OID, args[1:], nil
	case "_id":
		return args[0].Oid(), args[1:], nil
	}
	return v.user, args, nil
}

// privilegeList reads "SELECT, UPDATE WITH GRANT OPTION".
func privilegeList(text string, known map[string]uint32) (plain, grantable []uint32, err error) {
	for _, part := range strings.Split(text, ",") {
		word := strings.ToUpper(strings.TrimSpace(part))
		base, withGrant := strings.CutSuffix(word, " WITH GRANT OPTION")
		bits, ok := known[base]
		if !ok {
			return nil, nil, pgerr.New(pgerr.InvalidParameterValue, "unrecognized privilege type: \"%s\"", strings.TrimSpace(part))
		}
		if withGrant {
			grantable = append(grantable, bits)
		} else {
			plain = append(plain, bits)
		}
	}
	return plain, grantable, nil
}

// anyPrivilege says whether a role has one of the privileges in text; null when there is no such object.
func (v *View) anyPrivilege(class, oid OID, sub int16, role OID, text string, known map[string]uint32) (types.Datum, error) {
	plain, grantable, err := privilegeList(text, known)
	if err != nil {
		return types.Null, err
	}
	s, err := v.securable(class, oid)
	if s == nil || err != nil {
		return types.Null, err
	}
	for _, bits := range plain {
		if ok, err := v.HasPrivilege(class, oid, sub, role, bits); ok && bits != 0 || err != nil {
			return types.Bool(true), err
		}
	}
	for _, bits := range grantable {
		if ok, err := v.mayGrant(s, role, bits); ok || err != nil {
			return types.Bool(true), err
		}
	}
	return types.Bool(false), nil
}

// mayGrant says whether a role has privileges with grant option: its owner has them all.
func (v *View) mayGrant(s *securable, role OID, bits uint32) (bool, error) {
	owner, err := v.IsOwner(role, s.owner)
	if owner || err != nil {
		return owner, err
	}
	roles, err := v.memberships(role, true)
	if err != nil {
		return false, err
	}
	got := uint32(0)
	for _, it := range s.acl {
		for _, r := range roles {
			if it.Grantee == r {
				got |= it.GrantOpts
			}
		}
	}
	return got&bits == bits, nil
}

func registerColumnPrivileges() {
	privs := map[string]uint32{"SELECT": query.AclSelect, "INSERT": query.AclInsert, "UPDATE": query.AclUpdate, "REFERENCES": query.AclReferences}
	for _, who := range []string{"", "_name", "_id"} {
		for _, what := range []string{"_name", "_id"} {
			table := func(v *View, d types.Datum) (OID, error) {
				if what == "_name" {
					return v.regclass(d.Str())
				}
				return d.Oid(), nil
			}
			viewFunc("has_any_column_privilege"+who+what, func(v *View, c *types.Call) (types.Datum, error) {
				role, args, err := v.roleArgument(who, c.Args)
				if err != nil {
					return types.Null, err
				}
				oid, err := table(v, args[0])
				if err != nil {
					return types.Null, err
				}
				rel, err := v.Relation(oid)
				if rel == nil || err != nil {
					return types.Null, err
				}
				for i := int16(0); int(i) <= len(rel.Desc.Attrs); i++ {
					if i > 0 && rel.Attr(i) == nil {
						continue
					}
					if d, err := v.anyPrivilege(PgClassOID, oid, i, role, args[1].Str(), privs); err != nil || d.Bool() {
						return d, err
					}
				}
				return types.Bool(false), nil
			})
			for _, col := range []string{"_name", "_attnum"} {
				viewFunc("has_column_privilege"+who+what+col, func(v *View, c *types.Call) (types.Datum, error) {
					role, args, err := v.roleArgument(who, c.Args)
					if err != nil {
						return types.Null, err
					}
					oid, err := table(v, args[0])
					if err != nil {
						return types.Null, err
					}
					rel, err := v.Relation(oid)
					if rel == nil || err != nil {
						return types.Null, err
					}
					num := args[1].Int2()
					if col == "_name" {
						a := rel.AttrByName(args[1].Str())
						if a == nil {
							return types.Null, pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", args[1].Str(), rel.Name)
						}
						num = a.Num
					}
					return v.anyPrivilege(PgClassOID, oid, num, role, args[2].Str(), privs)
				})
			}
		}
	}
}

func registerHasRole() {
	for _, who := range []string{"", "_name", "_id"} {
		for _, what := range []string{"_name", "_id"} {
			viewFunc("pg_has_role"+who+what, func(v *View, c *types.Call) (types.Datum, error) {
				member, args, err := v.roleArgument(who, c.Args)
				if err != nil {
					return types.Null, err
				}
				role, _, err := v.roleArgument(what, args)
				if err != nil {
					return types.Null, err
				}
				plain, admin, err := privilegeList(strings.ReplaceAll(strings.ToUpper(args[1].Str()), "ADMIN", "GRANT"),
					map[string]uint32{"USAGE": 1, "MEMBER": 2})
				if err != nil {
					return types.Null, err
				}
				for _, p := range append(plain, admin...) {
					has := v.HasPrivsOfRole
					if p == 2 {
						has = v.IsMemberOf
					}
					if ok, err := has(member, role); ok || err != nil {
						return types.Bool(ok), err
					}
				}
				return types.Bool(false), nil
			})
		}
	}
}

func init() {
	types.RegisterFunc("acldefault_sql", func(c *types.Call) (types.Datum, error) {
		kind := c.Args[0].Char()
		if !strings.ContainsRune("crsdflLnptFST", rune(kind)) {
			return types.Null, pgerr.Internal("unrecognized object type abbreviation: %c", kind)
		}
		info, _ := types.BuiltinType(types.AclitemOID)
		var items []types.Datum
		for _, a := range DefaultACL(kind, c.Args[1].Oid()) {
			items = append(items, a.Datum())
		}
		return types.MakeArray(info, items), nil
	})
}
