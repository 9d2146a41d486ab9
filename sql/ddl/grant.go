package ddl

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() { register("GrantStmt", grant) }

// grantable is a kind of object with privileges: where its ACL is and what it can have.
type grantable struct {
	class, index OID
	owner, acl   int
	kind         byte // of catalog.DefaultACL
	all          uint32
	word         string
}

var grantables = map[pg_query.ObjectType]grantable{
	pg_query.ObjectType_OBJECT_TABLE: {catalog.PgClassOID, catalog.PgClassOidIndexOID, catalog.ClassRelowner, catalog.ClassRelacl, 'r',
		catalog.AllTablePrivs, "table"},
	pg_query.ObjectType_OBJECT_SEQUENCE: {catalog.PgClassOID, catalog.PgClassOidIndexOID, catalog.ClassRelowner, catalog.ClassRelacl, 's',
		catalog.AllSequencePrivs, "sequence"},
	pg_query.ObjectType_OBJECT_SCHEMA: {catalog.PgNamespaceOID, catalog.PgNamespaceOidIndexOID, catalog.NamespaceNspowner, catalog.NamespaceNspacl, 'n',
		catalog.AllSchemaPrivs, "schema"},
	pg_query.ObjectType_OBJECT_DATABASE: {catalog.PgDatabaseOID, catalog.PgDatabaseOidIndexOID, catalog.DatabaseDatdba, catalog.DatabaseDatacl, 'd',
		catalog.AllDatabasePrivs, "database"},
	pg_query.ObjectType_OBJECT_TYPE: {catalog.PgTypeOID, catalog.PgTypeOidIndexOID, catalog.TypeTypowner, catalog.TypeTypacl, 'T',
		catalog.AllTypePrivs, "type"},
	pg_query.ObjectType_OBJECT_LANGUAGE: {catalog.PgLanguageOID, catalog.PgLanguageOidIndexOID, catalog.LanguageLanowner, catalog.LanguageLanacl, 'l',
		catalog.AllLanguagePrivs, "language"},
	pg_query.ObjectType_OBJECT_FUNCTION: {catalog.PgProcOID, catalog.PgProcOidIndexOID, catalog.ProcProowner, catalog.ProcProacl, 'f',
		catalog.AllFunctionPrivs, "function"},
}

var privWords = map[string]uint32{"select": query.AclSelect, "insert": query.AclInsert, "update": query.AclUpdate, "delete": query.AclDelete,
	"truncate": query.AclTruncate, "references": query.AclReferences, "trigger": query.AclTrigger, "execute": query.AclExecute,
	"usage": query.AclUsage, "create": query.AclCreate, "temporary": query.AclCreateTemp, "temp": query.AclCreateTemp, "connect": query.AclConnect}

// grantOrder is a GRANT or REVOKE made ready.
type grantOrder struct {
	isGrant, withOption, cascade bool
	grantees                     []OID
	privs                        uint32 // 0 = ALL
	columns                      []*pg_query.AccessPriv
}

// grant is GRANT and REVOKE of privileges.
func grant(c *ctx, n *pg_query.GrantStmt) (string, error) {
	tag := "REVOKE"
	if n.IsGrant {
		tag = "GRANT"
	}
	o := &grantOrder{isGrant: n.IsGrant, withOption: n.GrantOption, cascade: n.Behavior == pg_query.DropBehavior_DROP_CASCADE}
	for _, x := range n.Grantees {
		spec := x.GetRoleSpec()
		if spec.Roletype == pg_query.RoleSpecType_ROLESPEC_PUBLIC {
			o.grantees = append(o.grantees, 0)
			continue
		}
		oid, err := c.roleSpec(spec)
		if err != nil {
			return "", err
		}
		o.grantees = append(o.grantees, oid)
	}
	for _, x := range n.Privileges {
		p := x.GetAccessPriv()
		bits, ok := privWords[p.PrivName]
		if len(p.Cols) > 0 {
			o.columns = append(o.columns, p)
			continue
		}
		if !ok {
			return "", pgerr.New(pgerr.SyntaxError, "unrecognized privilege type \"%s\"", p.PrivName)
		}
		o.privs |= bits
	}
	objects, err := c.grantObjects(n)
	if err != nil {
		return "", err
	}
	for _, obj := range objects {
		if err := c.grantOn(n.Objtype, obj, o, len(n.Privileges) == 0); err != nil {
			return "", err
		}
		if err := c.next(); err != nil {
			return "", err
		}
	}
	return tag, nil
}

// grantObjects finds the objects.
func (c *ctx) grantObjects(n *pg_query.GrantStmt) (list []OID, err error) {
	if n.Targtype == pg_query.GrantTargetType_ACL_TARGET_ALL_IN_SCHEMA {
		return c.allInSchemas(n)
	}
	if n.Targtype != pg_query.GrantTargetType_ACL_TARGET_OBJECT {
		return nil, pgerr.NotSupported("default privileges")
	}
	for _, x := range n.Objects {
		oid, err := c.grantObject(n.Objtype, x)
		if err != nil {
			return nil, err
		}
		list = append(list, oid)
	}
	return list, nil
}

func (c *ctx) grantObject(t pg_query.ObjectType, x *pg_query.Node) (OID, error) {
	switch t {
	case pg_query.ObjectType_OBJECT_TABLE, pg_query.ObjectType_OBJECT_SEQUENCE:
		rel, err := c.open(x.GetRangeVar(), noLock)
		if err != nil {
			return 0, err
		}
		if rel.Kind == 'i' || rel.Kind == 'I' {
			return 0, pgerr.New(pgerr.WrongObjectType, "\"%s\" is an index", rel.Name)
		}
		if t == pg_query.ObjectType_OBJECT_SEQUENCE && rel.Kind != 'S' {
			return 0, pgerr.New(pgerr.WrongObjectType, "\"%s\" is not a sequence", rel.Name)
		}
		return rel.OID, nil
	case pg_query.ObjectType_OBJECT_SCHEMA:
		return c.schemaNamed(x.GetString_().GetSval())
	case pg_query.ObjectType_OBJECT_DATABASE:
		db, err := c.v.DatabaseByName(x.GetString_().GetSval())
		if err != nil {
			return 0, err
		}
		if db == nil {
			return 0, pgerr.New(pgerr.UndefinedDatabase, "database \"%s\" does not exist", x.GetString_().GetSval())
		}
		return db.OID, nil
	case pg_query.ObjectType_OBJECT_TYPE:
		oid, _, err := c.typeName(x.GetTypeName())
		return oid, err
	case pg_query.ObjectType_OBJECT_LANGUAGE:
		oid, err := c.v.LanguageByName(x.GetString_().GetSval())
		if err == nil && oid == 0 {
			err = pgerr.New(pgerr.UndefinedObject, "language \"%s\" does not exist", x.GetString_().GetSval())
		}
		return oid, err
	case pg_query.ObjectType_OBJECT_FUNCTION:
		return c.grantFunction(x.GetObjectWithArgs())
	}
	return 0, pgerr.NotSupported("GRANT on %s", t)
}

func (c *ctx) grantFunction(n *pg_query.ObjectWithArgs) (OID, error) {
	schema, name := splitName(n.Objname)
	list, err := c.v.ProcsByName(schema, name)
	if err != nil {
		return 0, err
	}
	var args []OID
	for _, a := range n.Objargs {
		oid, _, err := c.typeName(a.GetTypeName())
		if err != nil {
			return 0, err
		}
		args = append(args, oid)
	}
	var found OID
	for _, p := range list {
		same := len(p.ArgTypes) == len(args)
		for i := range args {
			same = same && p.ArgTypes[i] == args[i]
		}
		if same || n.ArgsUnspecified && len(list) == 1 {
			found = p.OID
		}
	}
	if found == 0 {
		return 0, pgerr.New(pgerr.UndefinedFunction, "function %s does not exist", joinName(strs(n.Objname)))
	}
	return found, nil
}

// allInSchemas lists all objects of the kind in the schemas.
func (c *ctx) allInSchemas(n *pg_query.GrantStmt) (list []OID, err error) {
	kinds := "rvmfp"
	switch n.Objtype {
	case pg_query.ObjectType_OBJECT_SEQUENCE:
		kinds = "S"
	case pg_query.ObjectType_OBJECT_TABLE:
	default:
		return nil, pgerr.NotSupported("GRANT on all %s in a schema", n.Objtype)
	}
	for _, x := range n.Objects {
		ns, err := c.schemaNamed(x.GetString_().GetSval())
		if err != nil {
			return nil, err
		}
		err = c.v.ScanAll(catalog.PgClassOID, func(_ types.TID, row types.Row) (bool, error) {
			if row[catalog.ClassRelnamespace].Oid() == ns && strings.IndexByte(kinds, row[catalog.ClassRelkind].Char()) >= 0 {
				list = append(list, row[catalog.ClassOid].Oid())
			}
			return true, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// grantOn changes one object's ACL.
func (c *ctx) grantOn(t pg_query.ObjectType, oid OID, o *grantOrder, all bool) error {
	g, ok := grantables[t]
	if !ok {
		return pgerr.NotSupported("GRANT on %s", t)
	}
	if t == pg_query.ObjectType_OBJECT_TABLE { // GRANT ... ON seq works as for a table
		if rel, err := c.v.Relation(oid); err == nil && rel != nil && rel.Kind == 'S' {
			g = grantables[pg_query.ObjectType_OBJECT_SEQUENCE]
		}
	}
	privs := o.privs
	if all {
		privs = g.all
	}
	if bad := privs &^ g.all; bad != 0 && !(g.kind == 's' && t == pg_query.ObjectType_OBJECT_TABLE) {
		return pgerr.New(pgerr.InvalidGrantOperation, "invalid privilege type %s for %s", privWord(bad), g.word)
	}
	tid, old, err := c.v.Find(g.index, types.Oid(oid))
	if err != nil || old == nil {
		return orError(err, pgerr.Internal("cache lookup failed for %s %d", g.word, oid))
	}
	owner := old[g.owner].Oid()
	self := object(g.class, oid)
	if privs != 0 {
		acl := catalog.ACL(old[g.acl])
		if acl == nil {
			acl = catalog.DefaultACL(g.kind, owner)
		}
		grantor, err := c.grantor(owner, acl, privs, self)
		if err != nil {
			return err
		}
		acl = changeACL(acl, o, grantor, privs&g.all)
		row := append(types.Row(nil), old...)
		row[g.acl] = catalog.ACLArray(acl)
		if err := c.v.Update(g.class, tid, old, row); err != nil {
			return err
		}
		if err := c.v.DependACL(self, owner, acl); err != nil {
			return err
		}
	}
	for _, p := range o.columns {
		if g.class != catalog.PgClassOID {
			return pgerr.New(pgerr.InvalidGrantOperation, "column privileges are only valid for relations")
		}
		if err := c.grantColumns(oid, owner, p, o); err != nil {
			return err
		}
	}
	return nil
}

func privWord(bits uint32) string {
	for _, w := range []string{"select", "insert", "update", "delete", "truncate", "references", "trigger", "execute", "usage", "create", "temp", "connect"} {
		if privWords[w]&bits != 0 {
			return strings.ToUpper(w)
		}
	}
	return "?"
}

// grantor says as whom the current user grants: as the owner, or as itself with grant options.
func (c *ctx) grantor(owner OID, acl []catalog.ACLItem, privs uint32, o catalog.Object) (OID, error) {
	ok, err := c.v.IsOwner(c.v.User(), owner)
	if err != nil || ok {
		return owner, err
	}
	for _, it := range acl {
		if it.Grantee == c.v.User() && it.GrantOpts&privs == privs {
			return c.v.User(), nil
		}
	}
	return 0, pgerr.New(pgerr.InsufficientPrivilege, "permission denied for %s", c.v.Describe(o))
}

// changeACL applies a GRANT or REVOKE.
func changeACL(acl []catalog.ACLItem, o *grantOrder, grantor OID, privs uint32) []catalog.ACLItem {
	for _, grantee := range o.grantees {
		at := -1
		for i := range acl {
			if acl[i].Grantee == grantee && acl[i].Grantor == grantor {
				at = i
			}
		}
		if at < 0 {
			if !o.isGrant {
				continue
			}
			acl = append(acl, catalog.ACLItem{Grantee: grantee, Grantor: grantor})
			at = len(acl) - 1
		}
		it := &acl[at]
		switch {
		case o.isGrant:
			it.Privs |= privs
			if o.withOption {
				it.GrantOpts |= privs
			}
		case o.withOption: // REVOKE GRANT OPTION FOR
			it.GrantOpts &^= privs
		default:
			it.Privs &^= privs
			it.GrantOpts &^= privs
		}
		if it.Privs == 0 && it.GrantOpts == 0 {
			acl = append(acl[:at], acl[at+1:]...)
		}
	}
	return acl
}

// grantColumns changes columns' ACLs.
func (c *ctx) grantColumns(rel, owner OID, p *pg_query.AccessPriv, o *grantOrder) error {
	bits := uint32(catalog.AllColumnPrivs)
	if p.PrivName != "" {
		bits = privWords[p.PrivName]
	}
	if bad := bits &^ catalog.AllColumnPrivs; bad != 0 {
		return pgerr.New(pgerr.InvalidGrantOperation, "invalid privilege type %s for column", privWord(bad))
	}
	r, err := c.v.Relation(rel)
	if err != nil {
		return err
	}
	for _, name := range strs(p.Cols) {
		a := r.AttrByName(name)
		if a == nil {
			return pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, r.Name)
		}
		self := relObject(rel, a.Num)
		var acl []catalog.ACLItem
		grantor, err := c.grantor(owner, r.AttrACL[a.Num], bits, self)
		if err != nil {
			return err
		}
		err = c.v.Modify(catalog.PgAttributeOID, catalog.PgAttributeRelidAttnumIndexOID, []types.Datum{types.Oid(rel), types.Int2(a.Num)}, func(row types.Row) {
			acl = changeACL(catalog.ACL(row[catalog.AttributeAttacl]), o, grantor, bits)
			row[catalog.AttributeAttacl] = types.Null
			if len(acl) > 0 {
				row[catalog.AttributeAttacl] = catalog.ACLArray(acl)
			}
		})
		if err != nil {
			return err
		}
		if err := c.v.DependACL(self, owner, acl); err != nil {
			return err
		}
		if err := c.next(); err != nil { // the next privilege may be on the same column
			return err
		}
	}
	return nil
}
