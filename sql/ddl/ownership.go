package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"strings"
)

// requireOwnership refuses who does not own an object; t and n are how the command named it.
func (c *ctx) requireOwnership(t pg_query.ObjectType, o catalog.Object, n *pg_query.Node) error {
	switch o.Class {
	case catalog.PgTypeOID:
		return c.requireTypeOwner(o.OID)
	case catalog.PgCastOID:
		return c.requireCastOwner(o)
	case catalog.PgTriggerOID, catalog.PgRewriteOID, catalog.PgPolicyOID:
		items := n.GetList().GetItems()
		rel, err := c.open(rangeVarOf(items[:len(items)-1]), noLock)
		if err != nil {
			return err
		}
		ok, err := c.v.IsOwner(c.v.User(), rel.Owner)
		return orDenied(ok, err, "must be owner of relation %s", rel.Name)
	case catalog.PgConstraintOID:
		k, err := c.v.Constraint(o.OID)
		if err != nil {
			return err
		}
		if k.Domain != 0 {
			return c.requireTypeOwner(k.Domain)
		}
		rel, err := c.v.Relation(k.Rel)
		if err != nil {
			return err
		}
		ok, err := c.v.IsOwner(c.v.User(), rel.Owner)
		return orDenied(ok, err, "must be owner of relation %s", rel.Name)
	case catalog.PgNamespaceOID:
		ns, err := c.v.Namespace(o.OID)
		if err != nil {
			return err
		}
		ok, err := c.v.IsOwner(c.v.User(), ns.Owner)
		return orDenied(ok, err, "must be owner of schema %s", ns.Name)
	}
	k := objectKinds[o.Class]
	if k == nil || k.owner == none {
		return orDenied(c.isSuperuser(), nil, "must be superuser")
	}
	_, row, err := c.v.Find(catalog.OIDIndex(o.Class), types.Oid(o.OID))
	if err != nil || row == nil {
		return err
	}
	ok, err := c.v.IsOwner(c.v.User(), row[k.owner].Oid())
	word := k.ownerKindWord()
	if o.Class == catalog.PgProcOID {
		word = strings.ToLower(parse.ObjectWord(t))
	}
	return orDenied(ok, err, "must be owner of %s %s", word, row[k.name].Str())
}

// orDenied makes the error of a right that is lacking.
func orDenied(ok bool, err error, format string, args ...any) error {
	if err != nil || ok {
		return err
	}
	return pgerr.New(pgerr.InsufficientPrivilege, format, args...)
}

func (c *ctx) requireTypeOwner(oid OID) error {
	t, err := c.v.Type(oid)
	if err != nil {
		return err
	}
	ok, err := c.v.IsOwner(c.v.User(), t.Owner)
	if t.Subscript == arraySubscript && t.Elem != 0 {
		oid = t.Elem
	}
	return orDenied(ok, err, "must be owner of type %s", types.FormatType(c.Backend.Env, oid))
}

// requireCastOwner: who owns one of the types may deal with the cast.
func (c *ctx) requireCastOwner(o catalog.Object) error {
	_, row, err := c.v.Find(catalog.PgCastOidIndexOID, types.Oid(o.OID))
	if err != nil || row == nil {
		return err
	}
	source, target := row[catalog.CastCastsource].Oid(), row[catalog.CastCasttarget].Oid()
	if c.requireTypeOwner(source) == nil || c.requireTypeOwner(target) == nil {
		return nil
	}
	return pgerr.New(pgerr.InsufficientPrivilege, "must be owner of type %s or type %s", types.FormatType(c.Backend.Env, source),
		types.FormatType(c.Backend.Env, target))
}

// routineWord is the kind by which ALTER's messages name an object: all routines are functions to it.
func routineWord(t pg_query.ObjectType) pg_query.ObjectType {
	switch t {
	case pg_query.ObjectType_OBJECT_AGGREGATE, pg_query.ObjectType_OBJECT_PROCEDURE, pg_query.ObjectType_OBJECT_ROUTINE:
		return pg_query.ObjectType_OBJECT_FUNCTION
	}
	return t
}
