package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() { register("AlterObjectSchemaStmt", setSchema) }

// setSchema is ALTER ... SET SCHEMA.
func setSchema(c *ctx, n *pg_query.AlterObjectSchemaStmt) (string, error) {
	tag := parse.AlterTag(n.ObjectType)
	switch n.ObjectType {
	case pg_query.ObjectType_OBJECT_TABLE, pg_query.ObjectType_OBJECT_VIEW, pg_query.ObjectType_OBJECT_MATVIEW, pg_query.ObjectType_OBJECT_SEQUENCE,
		pg_query.ObjectType_OBJECT_FOREIGN_TABLE:
		return tag, c.setRelationSchema(n)
	case pg_query.ObjectType_OBJECT_TYPE, pg_query.ObjectType_OBJECT_DOMAIN:
		return tag, c.setTypeSchema(n)
	}
	o, err := c.address(n.ObjectType, n.Object, noLock)
	if err != nil {
		return "", err
	}
	k := objectKinds[o.Class]
	if k == nil || k.ns == none {
		return "", pgerr.NotSupported("%s ... SET SCHEMA", tag)
	}
	to, err := c.schemaNamed(n.Newschema)
	if err != nil {
		return "", err
	}
	tid, old, err := c.v.Find(catalog.OIDIndex(o.Class), types.Oid(o.OID))
	if err != nil {
		return "", err
	}
	from := old[k.ns].Oid()
	if from == to {
		return tag, nil
	}
	if err := c.checkMove(from, to); err != nil {
		return "", err
	}
	if err := c.requireOwnership(routineWord(n.ObjectType), o, n.Object); err != nil {
		return "", err
	}
	if err := c.requireCreate(to); err != nil {
		return "", err
	}
	if err := c.checkFree(o, k, old, old[k.name].Str(), to); err != nil {
		return "", err
	}
	row := append(types.Row(nil), old...)
	row[k.ns] = types.Oid(to)
	if err := c.v.Update(o.Class, tid, old, row); err != nil {
		return "", err
	}
	return tag, c.moveDepend(o, from, to)
}

// checkMove refuses schemas that nothing moves to or from.
func (c *ctx) checkMove(from, to OID) error {
	if c.v.IsTempNamespace(from) || c.v.IsTempNamespace(to) {
		return pgerr.New(pgerr.FeatureNotSupported, "cannot move objects into or out of temporary schemas")
	}
	if from == catalog.ToastNamespace || to == catalog.ToastNamespace {
		return pgerr.New(pgerr.FeatureNotSupported, "cannot move objects into or out of TOAST schema")
	}
	return nil
}

// moveDepend makes an object depend on another schema.
func (c *ctx) moveDepend(o catalog.Object, from, to OID) error {
	if err := c.v.RemoveDependOn(o, object(catalog.PgNamespaceOID, from)); err != nil {
		return err
	}
	return c.v.Depend(o, catalog.DepNormal, object(catalog.PgNamespaceOID, to))
}

// setRelationSchema moves a relation, with what goes with it.
func (c *ctx) setRelationSchema(n *pg_query.AlterObjectSchemaStmt) error {
	rel, err := c.tryOpen(n.Relation, accessExclusive)
	if err != nil {
		return err
	}
	if rel == nil {
		if n.MissingOk {
			c.notice(pgerr.SuccessfulCompletion, "relation \"%s\" does not exist, skipping", n.Relation.Relname)
			return nil
		}
		return pgerr.New(pgerr.UndefinedTable, "relation \"%s\" does not exist", rangeVarName(n.Relation))
	}
	if err := c.mayRename(rel); err != nil {
		return err
	}
	if err := checkAlterKind(rel, n.ObjectType); err != nil {
		return err
	}
	switch rel.Kind {
	case 'i', 'I':
		return pgerr.New(pgerr.WrongObjectType, "cannot change schema of index \"%s\"", rel.Name).WithHint("Change the schema of the table instead.")
	case 't':
		return pgerr.New(pgerr.WrongObjectType, "cannot change schema of TOAST table \"%s\"", rel.Name).WithHint("Change the schema of the table instead.")
	}
	if rel.Kind == 'S' {
		if table, err := c.sequenceTable(rel.OID); err != nil || table != nil {
			return orError(err, pgerr.New(pgerr.FeatureNotSupported, "cannot move an owned sequence into another schema").
				WithDetail("Sequence \"%s\" is linked to table \"%s\".", rel.Name, nameOf(table)))
		}
	}
	to, err := c.schemaNamed(n.Newschema)
	if err != nil {
		return err
	}
	if rel.Namespace == to {
		return nil
	}
	if err := c.requireCreate(to); err != nil {
		return err
	}
	if err := c.checkMove(rel.Namespace, to); err != nil {
		return err
	}
	return c.moveRelation(rel, to)
}

func nameOf(rel *catalog.Relation) string {
	if rel == nil {
		return ""
	}
	return rel.Name
}

// sequenceTable gives the table that a sequence belongs to, nil for none.
func (c *ctx) sequenceTable(seq OID) (table *catalog.Relation, err error) {
	var oid OID
	err = c.v.References(relObject(seq, 0), func(ref catalog.Object, kind byte) (bool, error) {
		if ref.Class == catalog.PgClassOID && ref.Sub > 0 && (kind == catalog.DepAuto || kind == catalog.DepInternal) {
			oid = ref.OID
		}
		return oid == 0, nil
	})
	if err != nil || oid == 0 {
		return nil, err
	}
	return c.v.Relation(oid)
}

// moveRelation moves a relation with its row type, indexes, constraints and owned sequences to another schema.
func (c *ctx) moveRelation(rel *catalog.Relation, to OID) error {
	from := rel.Namespace
	if err := c.moveClass(rel.OID, rel.Name, to); err != nil {
		return err
	}
	if err := c.moveDepend(relObject(rel.OID, 0), from, to); err != nil {
		return err
	}
	if rel.RowType != 0 {
		if err := c.moveType(rel.RowType, to); err != nil {
			return err
		}
	}
	for _, ix := range rel.Indexes {
		if err := c.moveClass(ix.OID, ix.Name, to); err != nil {
			return err
		}
	}
	for _, k := range rel.Constraints() {
		if err := c.moveConstraint(k.OID, to); err != nil {
			return err
		}
	}
	seqs, err := c.ownedSequences(rel.OID, 0)
	if err != nil {
		return err
	}
	for _, oid := range seqs {
		seq, err := c.Session.LockRelation(oid, accessExclusive)
		if err != nil {
			return err
		}
		if err := c.moveRelation(seq, to); err != nil {
			return err
		}
	}
	return c.next()
}

// moveClass changes the schema in pg_class.
func (c *ctx) moveClass(oid OID, name string, to OID) error {
	_, row, err := c.v.Find(catalog.PgClassRelnameNspIndexOID, types.Text(name), types.Oid(to))
	if err != nil {
		return err
	}
	if row != nil {
		return pgerr.New(pgerr.DuplicateTable, "relation \"%s\" already exists in schema \"%s\"", name, c.schemaName(to))
	}
	return c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) {
		row[catalog.ClassRelnamespace] = types.Oid(to)
	})
}

func (c *ctx) moveConstraint(oid, to OID) error {
	return c.v.Modify(catalog.PgConstraintOID, catalog.PgConstraintOidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) {
		row[catalog.ConstraintConnamespace] = types.Oid(to)
	})
}

// moveType moves a type and its array type.
func (c *ctx) moveType(oid, to OID) error {
	t, err := c.v.Type(oid)
	if err != nil {
		return err
	}
	_, row, err := c.v.Find(catalog.PgTypeTypnameNspIndexOID, types.Text(t.Name), types.Oid(to))
	if err != nil {
		return err
	}
	if row != nil {
		return pgerr.New(pgerr.DuplicateObject, "type \"%s\" already exists in schema \"%s\"", t.Name, c.schemaName(to))
	}
	if err := c.modifyType(oid, func(row types.Row) { row[catalog.TypeTypnamespace] = types.Oid(to) }); err != nil || t.Array == 0 {
		return err
	}
	return c.moveType(t.Array, to)
}

// setTypeSchema is ALTER TYPE and ALTER DOMAIN SET SCHEMA.
func (c *ctx) setTypeSchema(n *pg_query.AlterObjectSchemaStmt) error {
	t, err := c.alterableType(n.Object, n.ObjectType)
	if err != nil {
		return err
	}
	if err := c.requireTypeOwner(t.OID); err != nil {
		return err
	}
	to, err := c.schemaNamed(n.Newschema)
	if err != nil {
		return err
	}
	if err := c.requireCreate(to); err != nil {
		return err
	}
	if t.Namespace == to {
		return nil
	}
	if err := c.checkMove(t.Namespace, to); err != nil {
		return err
	}
	if err := c.moveType(t.OID, to); err != nil {
		return err
	}
	if t.RelID != 0 {
		rel, err := c.v.Relation(t.RelID)
		if err != nil {
			return err
		}
		if err := c.moveClass(rel.OID, rel.Name, to); err != nil {
			return err
		}
	}
	for _, k := range t.DomainChecks {
		if err := c.moveConstraint(k.OID, to); err != nil {
			return err
		}
	}
	return c.moveDepend(object(catalog.PgTypeOID, t.OID), t.Namespace, to)
}
