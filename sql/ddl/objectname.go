package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// renameObject is RENAME of an object that is one row of its catalog.
func (c *ctx) renameObject(n *pg_query.RenameStmt) error {
	o, err := c.address(n.RenameType, n.Object, accessExclusive)
	if err != nil {
		return err
	}
	k := objectKinds[o.Class]
	if k == nil {
		return pgerr.NotSupported("%s ... RENAME", parse.AlterTag(n.RenameType))
	}
	if err := c.requireOwnership(routineWord(n.RenameType), o, n.Object); err != nil {
		return err
	}
	tid, old, err := c.v.Find(catalog.OIDIndex(o.Class), types.Oid(o.OID))
	if err != nil {
		return err
	}
	ns := OID(0)
	if k.ns != none {
		ns = old[k.ns].Oid()
		if !c.isSuperuser() {
			if err := c.requireCreate(ns); err != nil {
				return err
			}
		}
	}
	if err := c.checkFree(o, k, old, n.Newname, ns); err != nil {
		return err
	}
	row := append(types.Row(nil), old...)
	row[k.name] = types.Text(n.Newname)
	return c.v.Update(o.Class, tid, old, row)
}

// checkFree refuses a name that another object of the kind has in the schema. row is the object's own.
func (c *ctx) checkFree(o catalog.Object, k *objectKind, row types.Row, name string, ns OID) error {
	schema := c.schemaName(ns)
	if o.Class == catalog.PgProcOID {
		p, err := c.v.Proc(o.OID)
		if err != nil {
			return err
		}
		_, other, err := c.v.Find(catalog.PgProcPronameArgsNspIndexOID, types.Text(name), row[catalog.ProcProargtypes], types.Oid(ns))
		if err != nil || other == nil {
			return err
		}
		return pgerr.New(pgerr.DuplicateFunction, "function %s already exists in schema \"%s\"", c.signature(name, p.ArgTypes), schema)
	}
	if k.byName == 0 {
		return nil
	}
	am := OID(0)
	if k.am != none {
		am = row[k.am].Oid()
	}
	other, err := c.inSchema(k, am, ns, name)
	if err != nil || other == 0 {
		return err
	}
	switch {
	case k.am != none:
		_, amRow, err := c.v.Find(catalog.PgAmOidIndexOID, types.Oid(am))
		if err != nil || amRow == nil {
			return err
		}
		return pgerr.New(pgerr.DuplicateObject, "%s \"%s\" for access method \"%s\" already exists in schema \"%s\"", k.word, name,
			amRow[catalog.AmAmname].Str(), schema)
	case k.hasEncoding:
		return pgerr.New(pgerr.DuplicateObject, "collation \"%s\" for encoding \"UTF8\" already exists in schema \"%s\"", name, schema)
	case k.ns == none:
		return pgerr.New(pgerr.DuplicateObject, "%s \"%s\" already exists", k.word, name)
	}
	return pgerr.New(pgerr.DuplicateObject, "%s \"%s\" already exists in schema \"%s\"", k.word, name, schema)
}

// renameTypeStmt is ALTER TYPE and ALTER DOMAIN RENAME TO.
func (c *ctx) renameTypeStmt(n *pg_query.RenameStmt) error {
	t, err := c.alterableType(n.Object, n.RenameType)
	if err != nil {
		return err
	}
	if err := c.requireTypeOwner(t.OID); err != nil {
		return err
	}
	if t.Kind == 'c' {
		return c.renameRelation(t.RelID, n.Newname)
	}
	return c.renameType(t.OID, t.Namespace, n.Newname)
}

// alterableType finds a type that ALTER TYPE may change as a whole: no table's row type, no array type.
func (c *ctx) alterableType(n *pg_query.Node, t pg_query.ObjectType) (*catalog.Type, error) {
	o, err := c.typeObject(n, t == pg_query.ObjectType_OBJECT_DOMAIN)
	if err != nil {
		return nil, err
	}
	typ, err := c.v.Type(o.OID)
	if err != nil {
		return nil, err
	}
	if typ.Kind == 'c' {
		rel, err := c.v.Relation(typ.RelID)
		if err != nil {
			return nil, err
		}
		if rel.Kind != 'c' {
			return nil, pgerr.New(pgerr.WrongObjectType, "%s is a table's row type", types.FormatType(c.Backend.Env, typ.OID)).
				WithHint("Use ALTER TABLE instead.")
		}
	}
	if typ.Subscript == arraySubscript && typ.Elem != 0 {
		return nil, pgerr.New(pgerr.WrongObjectType, "cannot alter array type %s", types.FormatType(c.Backend.Env, typ.OID)).
			WithHint("You can alter type %s, which will alter the array type as well.", types.FormatType(c.Backend.Env, typ.Elem))
	}
	return typ, nil
}

// renameDomainConstraint is ALTER DOMAIN RENAME CONSTRAINT.
func (c *ctx) renameDomainConstraint(n *pg_query.RenameStmt) error {
	d, err := c.ownedDomain(nameList(n.Object))
	if err != nil {
		return err
	}
	found := OID(0)
	for _, k := range d.DomainChecks {
		switch k.Name {
		case n.Subname:
			found = k.OID
		case n.Newname:
			return pgerr.New(pgerr.DuplicateObject, "constraint \"%s\" for domain %s already exists", n.Newname, types.FormatType(c.Backend.Env, d.OID))
		}
	}
	if found == 0 {
		return pgerr.New(pgerr.UndefinedObject, "constraint \"%s\" for domain %s does not exist", n.Subname, types.FormatType(c.Backend.Env, d.OID))
	}
	return c.setConstraintName(found, n.Newname)
}

// renameMember is RENAME of a trigger, rule or policy of a relation.
func (c *ctx) renameMember(n *pg_query.RenameStmt) error {
	rel, err := c.open(n.Relation, accessExclusive)
	if err != nil {
		return err
	}
	if err := c.mayRename(rel); err != nil {
		return err
	}
	find := func(name string) (catalog.Object, error) {
		items := append(append([]*pg_query.Node(nil), stringNodes(c.schemaName(rel.Namespace), rel.Name)...), stringNode(name))
		o, _, err := c.memberOf(n.RenameType, items, noLock)
		return o, err
	}
	o, err := find(n.Subname)
	if err != nil {
		return err
	}
	if _, err := find(n.Newname); err == nil {
		word := map[OID]string{catalog.PgTriggerOID: "trigger", catalog.PgRewriteOID: "rule", catalog.PgPolicyOID: "policy"}[o.Class]
		what := "relation"
		if o.Class == catalog.PgPolicyOID {
			what = "table"
		}
		return pgerr.New(pgerr.DuplicateObject, "%s \"%s\" for %s \"%s\" already exists", word, n.Newname, what, rel.Name)
	}
	col := map[OID]int{catalog.PgTriggerOID: catalog.TriggerTgname, catalog.PgRewriteOID: catalog.RewriteRulename, catalog.PgPolicyOID: catalog.PolicyPolname}[o.Class]
	return c.v.Modify(o.Class, catalog.OIDIndex(o.Class), []types.Datum{types.Oid(o.OID)}, func(row types.Row) { row[col] = types.Text(n.Newname) })
}

func stringNodes(list ...string) (nodes []*pg_query.Node) {
	for _, s := range list {
		nodes = append(nodes, stringNode(s))
	}
	return nodes
}
