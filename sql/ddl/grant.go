package ddl

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
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

// grantWord names the kind in "invalid privilege type": GRANT ON TABLE may mean a sequence until the relation is known.
func (g grantable) grantWord(bad uint32) string {
	if g.kind == 'r' && bad&^catalog.AllSequencePrivs != 0 {
		return "relation"
	}
	return g.word
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
	pg_query.ObjectType_OBJECT_DOMAIN: {catalog.PgTypeOID, catalog.PgTypeOidIndexOID, catalog.TypeTypowner, catalog.TypeTypacl, 'T',
		catalog.AllTypePrivs, "domain"},
	pg_query.ObjectType_OBJECT_LANGUAGE: {catalog.PgLanguageOID, catalog.PgLanguageOidIndexOID, catalog.LanguageLanowner, catalog.LanguageLanacl, 'l',
		catalog.AllLanguagePrivs, "language"},
	pg_query.ObjectType_OBJECT_FUNCTION: {catalog.PgProcOID, catalog.PgProcOidIndexOID, catalog.ProcProowner, catalog.ProcProacl, 'f',
		catalog.AllFunctionPrivs, "function"},
	pg_query.ObjectType_OBJECT_PROCEDURE: {catalog.PgProcOID, catalog.PgProcOidIndexOID, catalog.ProcProowner, catalog.ProcProacl, 'f',
		catalog.AllFunctionPrivs, "procedure"},
	pg_query.ObjectType_OBJECT_ROUTINE: {catalog.PgProcOID, catalog.PgProcOidIndexOID, catalog.ProcProowner, catalog.ProcProacl, 'f',
		catalog.AllFunctionPrivs, "routine"},
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
	case pg_query.ObjectType_OBJECT_TYPE, pg_query.ObjectType_OBJECT_DOMAIN:
		return c.grantType(t, x)
	case pg_query.ObjectType_OBJECT_LANGUAGE:
		oid, err := c.v.LanguageByName(x.GetString_().GetSval())
		if err == nil && oid == 0 {
			err = pgerr.New(pgerr.UndefinedObject, "language \"%s\" does not exist", x.GetString_().GetSval())
		}
		return oid, err
	case pg_query.ObjectType_OBJECT_FUNCTION, pg_query.ObjectType_OBJECT_PROCEDURE, pg_query.ObjectType_OBJECT_ROUTINE:
		return c.findRoutine(t, x.GetObjectWithArgs())
	}
	return 0, pgerr.NotSupported("GRANT ON %s", parse.ObjectWord(t))
}

// allInSchemas lists all objects of the kind in the schemas.
func (c *ctx) allInSchemas(n *pg_query.GrantStmt) (list []OID, err error) {
	kinds := "rvmfp"
	switch n.Objtype {
	case pg_query.ObjectType_OBJECT_SEQUENCE:
		kinds = "S"
	case pg_query.ObjectType_OBJECT_TABLE:
	case pg_query.ObjectType_OBJECT_FUNCTION:
		return c.routinesInSchemas(n, "fwa")
	case pg_query.ObjectType_OBJECT_PROCEDURE:
		return c.routinesInSchemas(n, "p")
	case pg_query.ObjectType_OBJECT_ROUTINE:
		return c.routinesInSchemas(n, "fwap")
	default:
		return nil, pgerr.NotSupported("GRANT ON ALL %sS IN SCHEMA", parse.ObjectWord(n.Objtype))
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

// routinesInSchemas lists the routines of some kinds in the schemas.
func (c *ctx) routinesInSchemas(n *pg_query.GrantStmt, kinds string) (list []OID, err error) {
	for _, x := range n.Objects {
		ns, err := c.schemaNamed(x.GetString_().GetSval())
		if err != nil {
			return nil, err
		}
		err = c.v.ScanAll(catalog.PgProcOID, func(_ types.TID, row types.Row) (bool, error) {
			if row[catalog.ProcPronamespace].Oid() == ns && strings.IndexByte(kinds, row[catalog.ProcProkind].Char()) >= 0 {
				list = append(list, row[catalog.ProcOid].Oid())
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
		return pgerr.NotSupported("GRANT ON %s", parse.ObjectWord(t))
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
		return pgerr.New(pgerr.InvalidGrantOperation, "invalid privilege type %s for %s", privWord(bad), g.grantWord(bad))
	}
	tid, old, err := c.v.Find(g.index, types.Oid(oid))
	if err != nil || old == nil {
		return orError(err, pgerr.Internal("cache lookup failed for %s %d", g.word, oid))
	}
	owner := old[g.owner].Oid()
	self := object(g.class, oid)
	above := catalog.ACL(old[g.acl])
	if above == nil {
		above = catalog.DefaultACL(g.kind, owner)
	}
	if privs != 0 {
		t := &aclTarget{name: c.objectName(self), owner: owner, acl: above, all: g.all,
			denied: func() error {
				return pgerr.New(pgerr.InsufficientPrivilege, "permission denied for %s %s", c.kindWord(g, oid), c.objectName(self))
			},
			anyHeld: func() (bool, error) {
				got, err := c.v.ACLMask(above, c.v.User(), owner, g.all)
				return got != 0, err
			}}
		acl, err := c.changeACL(t, o, privs&g.all, all)
		if err != nil {
			return err
		}
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
		if err := c.grantColumns(oid, owner, above, p, o); err != nil {
			return err
		}
	}
	if cols := privs & catalog.AllColumnPrivs; !o.isGrant && cols != 0 && g.kind == 'r' {
		return c.revokeFromColumns(oid, owner, above, cols, o)
	}
	return nil
}

// revokeFromColumns: what is revoked from a relation is revoked from its columns.
func (c *ctx) revokeFromColumns(rel, owner OID, above []catalog.ACLItem, privs uint32, o *grantOrder) error {
	r, err := c.v.Relation(rel)
	if err != nil {
		return err
	}
	// A column without an ACL stays as it is, but is named when the user may not revoke there; so are the system columns.
	warn := func(column string) error {
		t := &aclTarget{name: r.Name, column: column, owner: owner, above: above}
		_, options, err := c.bestGrantor(t, privs)
		if err == nil {
			c.warnRestricted(t, false, privs, options, true)
		}
		return err
	}
	if r.Kind != 'v' {
		for _, name := range []string{"tableoid", "cmax", "xmax", "cmin", "xmin", "ctid"} {
			if err := warn(name); err != nil {
				return err
			}
		}
	}
	for i := range r.Desc.Attrs {
		a := &r.Desc.Attrs[i]
		if a.Dropped {
			continue
		}
		if len(r.AttrACL[a.Num]) == 0 {
			if err := warn(a.Name); err != nil {
				return err
			}
			continue
		}
		if err := c.grantColumn(r, a, owner, above, privs, true, o); err != nil {
			return err
		}
	}
	return nil
}

// objectName is an object's name alone, as warnings of GRANT show it.
func (c *ctx) objectName(o catalog.Object) string {
	switch o.Class {
	case catalog.PgClassOID:
		if r, err := c.v.Relation(o.OID); err == nil && r != nil {
			return r.Name
		}
	case catalog.PgProcOID:
		if p, err := c.v.Proc(o.OID); err == nil && p != nil {
			return p.Name
		}
	case catalog.PgTypeOID:
		if t, err := c.v.Type(o.OID); err == nil && t != nil {
			return t.Name
		}
	case catalog.PgNamespaceOID:
		return c.schemaName(o.OID)
	case catalog.PgDatabaseOID:
		if d, err := c.v.Database(o.OID); err == nil && d != nil {
			return d.Name
		}
	}
	return c.v.Describe(o)
}

// kindWord names the kind of object in "permission denied".
func (c *ctx) kindWord(g grantable, oid OID) string {
	if g.class == catalog.PgClassOID {
		if r, err := c.v.Relation(oid); err == nil && r != nil {
			return catalog.RelKindWord(r.Kind)
		}
	}
	return g.word
}

func privWord(bits uint32) string {
	for _, w := range []string{"select", "insert", "update", "delete", "truncate", "references", "trigger", "execute", "usage", "create", "temp", "connect"} {
		if privWords[w]&bits != 0 {
			return strings.ToUpper(w)
		}
	}
	return "?"
}

// grantColumns changes the ACLs of the columns that a GRANT or REVOKE names.
func (c *ctx) grantColumns(rel, owner OID, above []catalog.ACLItem, p *pg_query.AccessPriv, o *grantOrder) error {
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
		if err := c.grantColumn(r, a, owner, above, bits, p.PrivName == "", o); err != nil {
			return err
		}
	}
	return nil
}

// grantColumn changes one column's ACL. above is the relation's.
func (c *ctx) grantColumn(r *catalog.Relation, a *types.Attr, owner OID, above []catalog.ACLItem, privs uint32, all bool, o *grantOrder) error {
	key := []types.Datum{types.Oid(r.OID), types.Int2(a.Num)}
	_, row, err := c.v.Find(catalog.PgAttributeRelidAttnumIndexOID, key...)
	if err != nil || row == nil {
		return orError(err, pgerr.Internal("cache lookup failed for attribute %d of relation %d", a.Num, r.OID))
	}
	t := &aclTarget{name: r.Name, column: a.Name, owner: owner, acl: catalog.ACL(row[catalog.AttributeAttacl]), above: above, all: catalog.AllColumnPrivs,
		denied: func() error {
			return pgerr.New(pgerr.InsufficientPrivilege, "permission denied for column \"%s\" of relation \"%s\"", a.Name, r.Name)
		}}
	t.anyHeld = func() (bool, error) {
		got, err := c.v.ACLMask(append(slices.Clip(above), t.acl...), c.v.User(), owner, catalog.AllColumnPrivs)
		return got != 0, err
	}
	acl, err := c.changeACL(t, o, privs, all)
	if err != nil {
		return err
	}
	err = c.v.Modify(catalog.PgAttributeOID, catalog.PgAttributeRelidAttnumIndexOID, key, func(row types.Row) {
		row[catalog.AttributeAttacl] = types.Null
		if len(acl) > 0 {
			row[catalog.AttributeAttacl] = catalog.ACLArray(acl)
		}
	})
	if err != nil {
		return err
	}
	if err := c.v.DependACL(relObject(r.OID, a.Num), owner, acl); err != nil {
		return err
	}
	return c.next() // the next privilege may be on the same column
}

// grantType finds a type by its qualified name; a domain only, for ON DOMAIN.
func (c *ctx) grantType(kind pg_query.ObjectType, x *pg_query.Node) (OID, error) {
	oid, _, err := c.typeName(&pg_query.TypeName{Names: x.GetList().GetItems(), Typemod: -1, Location: -1})
	if err != nil {
		return 0, err
	}
	t, err := c.v.Type(oid)
	if err != nil {
		return 0, err
	}
	switch {
	case t.Elem != 0 && t.Len == -1:
		return 0, pgerr.New(pgerr.InvalidGrantOperation, "cannot set privileges of array types").
			WithHint("Set the privileges of the element type instead.")
	case kind == pg_query.ObjectType_OBJECT_DOMAIN && t.Kind != 'd':
		return 0, pgerr.New(pgerr.WrongObjectType, "\"%s\" is not a domain", t.Name)
	}
	return oid, nil
}
