package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() { register("AlterOwnerStmt", ownerTo) }

// ownerTo is ALTER ... OWNER TO of everything but relations.
func ownerTo(c *ctx, n *pg_query.AlterOwnerStmt) (string, error) {
	tag := parse.AlterTag(n.ObjectType)
	owner, err := c.roleSpec(n.Newowner)
	if err != nil {
		return "", err
	}
	switch n.ObjectType {
	case pg_query.ObjectType_OBJECT_DATABASE:
		return tag, c.databaseOwner(n.Object.GetString_().GetSval(), owner)
	case pg_query.ObjectType_OBJECT_TYPE, pg_query.ObjectType_OBJECT_DOMAIN:
		t, err := c.alterableType(n.Object, n.ObjectType)
		if err != nil {
			return "", err
		}
		return tag, c.typeOwner(t, owner)
	}
	o, err := c.address(n.ObjectType, n.Object, noLock)
	if err != nil {
		return "", err
	}
	k := objectKinds[o.Class]
	if o.Class == catalog.PgNamespaceOID {
		k = &objectKind{word: "schema", name: catalog.NamespaceNspname, ns: none, owner: catalog.NamespaceNspowner, acl: catalog.NamespaceNspacl, am: none}
	}
	if k == nil || k.owner == none {
		return "", pgerr.NotSupported("%s ... OWNER TO", tag)
	}
	return tag, c.objectOwner(n, o, k, owner)
}

// objectOwner gives an object that is one row to another role.
func (c *ctx) objectOwner(n *pg_query.AlterOwnerStmt, o catalog.Object, k *objectKind, owner OID) error {
	tid, old, err := c.v.Find(catalog.OIDIndex(o.Class), types.Oid(o.OID))
	if err != nil || old[k.owner].Oid() == owner {
		return err
	}
	if !c.isSuperuser() {
		if err := c.requireOwnership(routineWord(n.ObjectType), o, n.Object); err != nil {
			return err
		}
		if err := c.requireMember(owner); err != nil {
			return err
		}
		if k.ns != none {
			if err := c.requireCreateFor(old[k.ns].Oid(), owner); err != nil {
				return err
			}
		} else if o.Class == catalog.PgNamespaceOID {
			if err := c.mayCreateSchema(owner); err != nil {
				return err
			}
		}
	}
	row := append(types.Row(nil), old...)
	row[k.owner] = types.Oid(owner)
	if k.acl != none {
		if acl := catalog.ACL(old[k.acl]); acl != nil {
			row[k.acl] = catalog.ACLArray(aclNewOwner(acl, old[k.owner].Oid(), owner))
		}
	}
	if err := c.v.Update(o.Class, tid, old, row); err != nil {
		return err
	}
	return c.v.ChangeOwnerDepend(o, owner)
}

// typeOwner gives a type, with its array type and the relation of a composite one, to another role.
func (c *ctx) typeOwner(t *catalog.Type, owner OID) error {
	if t.Owner == owner {
		return nil
	}
	if !c.isSuperuser() {
		if err := c.requireTypeOwner(t.OID); err != nil {
			return err
		}
		if err := c.requireMember(owner); err != nil {
			return err
		}
		if err := c.requireCreateFor(t.Namespace, owner); err != nil {
			return err
		}
	}
	if t.RelID != 0 {
		if err := c.setClassOwner(t.RelID, owner); err != nil {
			return err
		}
	}
	if err := c.setTypeOwner(t.OID, owner); err != nil {
		return err
	}
	return c.v.ChangeOwnerDepend(object(catalog.PgTypeOID, t.OID), owner)
}

// databaseOwner is ALTER DATABASE OWNER TO.
func (c *ctx) databaseOwner(name string, owner OID) error {
	db, err := c.ownedDatabase(name)
	if err != nil || db.Owner == owner {
		return err
	}
	if !c.isSuperuser() {
		if err := c.requireMember(owner); err != nil {
			return err
		}
		if r, err := c.v.Role(c.v.User()); err != nil || !r.CreateDB {
			return orError(err, pgerr.New(pgerr.InsufficientPrivilege, "permission denied to change owner of database"))
		}
	}
	err = c.v.Modify(catalog.PgDatabaseOID, catalog.PgDatabaseOidIndexOID, []types.Datum{types.Oid(db.OID)}, func(row types.Row) {
		row[catalog.DatabaseDatdba] = types.Oid(owner)
		if acl := catalog.ACL(row[catalog.DatabaseDatacl]); acl != nil {
			row[catalog.DatabaseDatacl] = catalog.ACLArray(aclNewOwner(acl, db.Owner, owner))
		}
	})
	if err != nil {
		return err
	}
	return c.v.ChangeOwnerDepend(object(catalog.PgDatabaseOID, db.OID), owner)
}

// requireCreateFor checks that a new owner may create in the schema.
func (c *ctx) requireCreateFor(ns, owner OID) error {
	ok, err := c.v.HasPrivilege(catalog.PgNamespaceOID, ns, 0, owner, query.AclCreate)
	return orDenied(ok, err, "permission denied for schema %s", c.schemaName(ns))
}
