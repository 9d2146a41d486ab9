package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() { register("CommentStmt", comment) }

// comment is COMMENT ON.
func comment(c *ctx, n *pg_query.CommentStmt) (string, error) {
	o, err := c.commentTarget(n)
	if err != nil {
		return "", err
	}
	return "COMMENT", c.setComment(o, n.Comment)
}

// commentTarget finds the object.
func (c *ctx) commentTarget(n *pg_query.CommentStmt) (catalog.Object, error) {
	nothing := catalog.Object{}
	switch n.Objtype {
	case pg_query.ObjectType_OBJECT_TABLE, pg_query.ObjectType_OBJECT_VIEW, pg_query.ObjectType_OBJECT_INDEX, pg_query.ObjectType_OBJECT_SEQUENCE,
		pg_query.ObjectType_OBJECT_MATVIEW:
		rel, err := c.commentRelation(n.Object.GetList().GetItems())
		if err != nil {
			return nothing, err
		}
		want := relationDrops[n.Objtype]
		for i := range want.kinds {
			if want.kinds[i] == rel.Kind {
				return relObject(rel.OID, 0), nil
			}
		}
		return nothing, pgerr.New(pgerr.WrongObjectType, "\"%s\" is not %s", rel.Name, want.article)
	case pg_query.ObjectType_OBJECT_COLUMN:
		items := n.Object.GetList().GetItems()
		rel, err := c.commentRelation(items[:len(items)-1])
		if err != nil {
			return nothing, err
		}
		name := items[len(items)-1].GetString_().GetSval()
		a := rel.AttrByName(name)
		if a == nil {
			return nothing, pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, rel.Name)
		}
		return relObject(rel.OID, a.Num), nil
	case pg_query.ObjectType_OBJECT_DATABASE:
		db, err := c.ownedDatabase(n.Object.GetString_().GetSval())
		if err != nil {
			return nothing, err
		}
		return object(catalog.PgDatabaseOID, db.OID), nil
	case pg_query.ObjectType_OBJECT_ROLE:
		oid, err := c.roleNamed(n.Object.GetString_().GetSval())
		return object(catalog.PgAuthidOID, oid), err
	}
	o, err := c.address(n.Objtype, n.Object, shareUpdateExclusive)
	if err != nil {
		return nothing, err
	}
	return o, c.requireOwnership(n.Objtype, o, n.Object)
}

func (c *ctx) commentRelation(items []*pg_query.Node) (*catalog.Relation, error) {
	rel, err := c.open(rangeVarOf(items), shareUpdateExclusive)
	if err != nil {
		return nil, err
	}
	return rel, c.requireOwner(rel)
}

// setComment replaces an object's comment; an empty one removes it.
func (c *ctx) setComment(o catalog.Object, text string) error {
	shared := o.Class == catalog.PgDatabaseOID || o.Class == catalog.PgAuthidOID || o.Class == catalog.PgTablespaceOID
	class, index := catalog.PgDescriptionOID, catalog.PgDescriptionOCOIndexOID
	key := []types.Datum{types.Oid(o.OID), types.Oid(o.Class), types.Int4(o.Sub)}
	if shared {
		class, index, key = catalog.PgShdescriptionOID, catalog.PgShdescriptionOCIndexOID, key[:2]
	}
	if _, err := c.v.DeleteWhere(class, index, key...); err != nil || text == "" {
		return err
	}
	return c.v.Insert(class, append(types.Row(key), types.Text(text)))
}
