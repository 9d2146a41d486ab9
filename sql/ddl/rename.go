package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() { register("RenameStmt", rename) }

// rename is ALTER ... RENAME.
func rename(c *ctx, n *pg_query.RenameStmt) (string, error) {
	switch n.RenameType {
	case pg_query.ObjectType_OBJECT_TABLE, pg_query.ObjectType_OBJECT_VIEW, pg_query.ObjectType_OBJECT_INDEX, pg_query.ObjectType_OBJECT_SEQUENCE,
		pg_query.ObjectType_OBJECT_MATVIEW:
		return c.renameRelationStmt(n)
	case pg_query.ObjectType_OBJECT_COLUMN, pg_query.ObjectType_OBJECT_ATTRIBUTE:
		return parse.CommandTag(&pg_query.Node{Node: &pg_query.Node_RenameStmt{RenameStmt: n}}), c.renameColumn(n)
	case pg_query.ObjectType_OBJECT_TABCONSTRAINT:
		return "ALTER TABLE", c.renameConstraint(n)
	case pg_query.ObjectType_OBJECT_SCHEMA:
		return "ALTER SCHEMA", c.renameSchema(n)
	case pg_query.ObjectType_OBJECT_ROLE:
		return "ALTER ROLE", c.renameRole(n)
	case pg_query.ObjectType_OBJECT_DATABASE:
		return "ALTER DATABASE", c.renameDatabase(n)
	}
	tag := parse.AlterTag(n.RenameType)
	switch n.RenameType {
	case pg_query.ObjectType_OBJECT_TYPE, pg_query.ObjectType_OBJECT_DOMAIN:
		return tag, c.renameTypeStmt(n)
	case pg_query.ObjectType_OBJECT_DOMCONSTRAINT:
		return tag, c.renameDomainConstraint(n)
	case pg_query.ObjectType_OBJECT_TRIGGER, pg_query.ObjectType_OBJECT_RULE, pg_query.ObjectType_OBJECT_POLICY:
		return tag, c.renameMember(n)
	}
	return tag, c.renameObject(n)
}

func (c *ctx) renameRelationStmt(n *pg_query.RenameStmt) (string, error) {
	tag := parse.AlterTag(n.RenameType)
	rel, err := c.tryOpen(n.Relation, accessExclusive)
	if err != nil {
		return "", err
	}
	if rel == nil {
		if n.MissingOk {
			c.notice(pgerr.SuccessfulCompletion, "relation \"%s\" does not exist, skipping", n.Relation.Relname)
			return tag, nil
		}
		return "", pgerr.New(pgerr.UndefinedTable, "relation \"%s\" does not exist", rangeVarName(n.Relation))
	}
	if err := c.mayRename(rel); err != nil {
		return "", err
	}
	if n.RenameType != pg_query.ObjectType_OBJECT_INDEX { // ALTER INDEX renames anything
		if err := checkAlterKind(rel, n.RenameType); err != nil {
			return "", err
		}
	}
	return tag, c.renameRelation(rel.OID, n.Newname)
}

func (c *ctx) mayRename(rel *catalog.Relation) error {
	if err := c.requireOwner(rel); err != nil {
		return err
	}
	return requireNotSystem(rel)
}

// renameRelation gives a relation, its row type and the constraint of an index another name.
func (c *ctx) renameRelation(oid OID, name string) error {
	rel, err := c.v.Relation(oid)
	if err != nil {
		return err
	}
	_, row, err := c.v.Find(catalog.PgClassRelnameNspIndexOID, types.Text(name), types.Oid(rel.Namespace))
	if err != nil {
		return err
	}
	if row != nil {
		return pgerr.New(pgerr.DuplicateTable, "relation \"%s\" already exists", name)
	}
	err = c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) {
		row[catalog.ClassRelname] = types.Text(name)
	})
	if err != nil {
		return err
	}
	if rel.RowType != 0 {
		if err := c.renameType(rel.RowType, rel.Namespace, name); err != nil {
			return err
		}
	}
	if rel.Index != nil && rel.Index.Constraint != 0 {
		return c.setConstraintName(rel.Index.Constraint, name)
	}
	return nil
}

func (c *ctx) renameType(oid, ns OID, name string) error {
	if err := c.checkTypeName(ns, name, false); err != nil {
		return err
	}
	t, err := c.v.Type(oid)
	if err != nil {
		return err
	}
	set := func(oid OID, name string) error {
		return c.v.Modify(catalog.PgTypeOID, catalog.PgTypeOidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) {
			row[catalog.TypeTypname] = types.Text(name)
		})
	}
	if err := set(oid, name); err != nil || t.Array == 0 {
		return err
	}
	if err := c.next(); err != nil {
		return err
	}
	array, err := c.arrayTypeName(ns, name)
	if err != nil {
		return err
	}
	return set(t.Array, array)
}

func (c *ctx) setConstraintName(oid OID, name string) error {
	return c.v.Modify(catalog.PgConstraintOID, catalog.PgConstraintOidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) {
		row[catalog.ConstraintConname] = types.Text(name)
	})
}

func (c *ctx) renameColumn(n *pg_query.RenameStmt) error {
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
	switch rel.Kind {
	case 'r', 'v', 'm', 'c', 'i', 'p', 'I':
	default:
		return pgerr.New(pgerr.WrongObjectType, "cannot rename columns of relation \"%s\"", rel.Name).WithDetail("%s", unsupportedKind(rel.Kind))
	}
	if err := c.mayRename(rel); err != nil {
		return err
	}
	if err := c.renameColumnOf(rel, n, 0); err != nil {
		return err
	}
	if !n.Relation.Inh {
		return nil
	}
	return c.renameBelow(rel, func(child *catalog.Relation, parents int32) error {
		if err := c.mayRename(child); err != nil {
			return err
		}
		return c.renameColumnOf(child, n, parents)
	})
}

// renameColumnOf renames the column in one table, which has it from so many parents that are renamed too.
func (c *ctx) renameColumnOf(rel *catalog.Relation, n *pg_query.RenameStmt, parents int32) error {
	if !n.Relation.Inh && len(rel.Children) > 0 {
		return pgerr.New(pgerr.InvalidTableDefinition, "inherited column \"%s\" must be renamed in child tables too", n.Subname)
	}
	a := rel.AttrByName(n.Subname)
	if a == nil {
		for i := range systemColumns {
			if systemColumns[i].Name == n.Subname {
				return pgerr.New(pgerr.FeatureNotSupported, "cannot rename system column \"%s\"", n.Subname)
			}
		}
		return pgerr.New(pgerr.UndefinedColumn, "column \"%s\" does not exist", n.Subname)
	}
	if a.InhCount > parents {
		return pgerr.New(pgerr.InvalidTableDefinition, "cannot rename inherited column \"%s\"", n.Subname)
	}
	for i := range systemColumns {
		if systemColumns[i].Name == n.Newname {
			return pgerr.New(pgerr.DuplicateColumn, "column name \"%s\" conflicts with a system column name", n.Newname)
		}
	}
	if rel.AttrByName(n.Newname) != nil {
		return pgerr.New(pgerr.DuplicateColumn, "column \"%s\" of relation \"%s\" already exists", n.Newname, rel.Name)
	}
	if err := c.setColumnName(rel.OID, a.Num, n.Newname); err != nil {
		return err
	}
	return c.renameIndexColumns(rel, a.Num, n.Newname)
}

func (c *ctx) setColumnName(rel OID, num int16, name string) error {
	return c.v.Modify(catalog.PgAttributeOID, catalog.PgAttributeRelidAttnumIndexOID, []types.Datum{types.Oid(rel), types.Int2(num)}, func(row types.Row) {
		row[catalog.AttributeAttname] = types.Text(name)
	})
}

// renameIndexColumns renames the columns of simple indexes along with the table's.
func (c *ctx) renameIndexColumns(rel *catalog.Relation, num int16, name string) error {
	for _, ix := range rel.Indexes {
		for i, k := range ix.Keys {
			taken := false
			for _, a := range ix.Attrs {
				taken = taken || a.Name == name
			}
			if k != num || taken {
				continue
			}
			if err := c.setColumnName(ix.OID, int16(i+1), name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *ctx) renameConstraint(n *pg_query.RenameStmt) error {
	rel, err := c.open(n.Relation, accessExclusive)
	if err != nil {
		return err
	}
	if err := c.mayRename(rel); err != nil {
		return err
	}
	if err := c.renameConstraintOf(rel, n, 0); err != nil {
		return err
	}
	if k := checkNamed(rel, n.Subname); k == nil || k.NoInherit || !n.Relation.Inh {
		return nil
	}
	return c.renameBelow(rel, func(child *catalog.Relation, parents int32) error { return c.renameConstraintOf(child, n, parents) })
}

func (c *ctx) renameConstraintOf(rel *catalog.Relation, n *pg_query.RenameStmt, parents int32) error {
	for _, k := range rel.Constraints() {
		if k.Name != n.Subname {
			continue
		}
		if k.Type == 'c' && !k.NoInherit {
			if !n.Relation.Inh && len(rel.Children) > 0 {
				return pgerr.New(pgerr.InvalidTableDefinition, "inherited constraint \"%s\" must be renamed in child tables too", n.Subname)
			}
			if k.InhCount > parents {
				return pgerr.New(pgerr.InvalidTableDefinition, "cannot rename inherited constraint \"%s\"", n.Subname)
			}
		}
		if hasConstraint(rel, n.Newname) {
			return pgerr.New(pgerr.DuplicateObject, "constraint \"%s\" for relation \"%s\" already exists", n.Newname, rel.Name)
		}
		if k.Index != 0 && k.Type != 'f' {
			return c.renameRelation(k.Index, n.Newname)
		}
		return c.setConstraintName(k.OID, n.Newname)
	}
	return pgerr.New(pgerr.UndefinedObject, "constraint \"%s\" for table \"%s\" does not exist", n.Subname, rel.Name)
}

func (c *ctx) renameSchema(n *pg_query.RenameStmt) error {
	oid, err := c.schemaNamed(n.Subname)
	if err != nil {
		return err
	}
	ns, err := c.v.Namespace(oid)
	if err != nil {
		return err
	}
	if have, err := c.v.NamespaceByName(n.Newname); err != nil || have != 0 {
		return orError(err, pgerr.New(pgerr.DuplicateSchema, "schema \"%s\" already exists", n.Newname))
	}
	if ok, err := c.v.IsOwner(c.v.User(), ns.Owner); err != nil || !ok {
		return orError(err, pgerr.New(pgerr.InsufficientPrivilege, "must be owner of schema %s", n.Subname))
	}
	if len(n.Newname) >= 3 && n.Newname[:3] == "pg_" {
		return pgerr.New(pgerr.ReservedName, "unacceptable schema name \"%s\"", n.Newname).WithDetail("The prefix \"pg_\" is reserved for system schemas.")
	}
	return c.v.Modify(catalog.PgNamespaceOID, catalog.PgNamespaceOidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) {
		row[catalog.NamespaceNspname] = types.Text(n.Newname)
	})
}
