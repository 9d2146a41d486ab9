package ddl

import (
	"fmt"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	register("CreateSchemaStmt", createSchema)
	executor.RegisterCommand(executor.DropTempCommand, func(cmd *executor.Command) (string, error) {
		c := &ctx{Command: cmd, v: cmd.Backend.View()}
		return "", c.emptySchema(c.v.TempNamespace())
	})
}

// creationSchema finds the schema that a new relation goes to, and its persistence: what goes to pg_temp is temporary.
func (c *ctx) creationSchema(rv *pg_query.RangeVar, persistence byte) (OID, byte, error) {
	if err := c.checkDatabase(rv); err != nil {
		return 0, 0, err
	}
	ns, err := c.schemaFor(rv.Schemaname, persistence == 't')
	if err != nil {
		return 0, 0, err
	}
	if ns == c.v.TempNamespace() && ns != 0 {
		return ns, 't', nil
	}
	if persistence == 't' {
		return 0, 0, pgerr.New(pgerr.InvalidTableDefinition, "cannot create temporary relation in non-temporary schema").WithLocation(int(rv.Location))
	}
	if ns == catalog.CatalogNamespace && !c.Session.MayChangeSystemTables() {
		return 0, 0, pgerr.New(pgerr.InsufficientPrivilege, "permission denied to create \"pg_catalog.%s\"", rv.Relname).
			WithDetail("System catalog modifications are currently disallowed.")
	}
	return ns, persistence, c.requireCreate(ns)
}

// schemaFor finds the schema of a new object: the one named, else the first of the search path.
func (c *ctx) schemaFor(schema string, isTemp bool) (OID, error) {
	if schema == "pg_temp" || schema == "" && isTemp {
		return c.tempSchema()
	}
	if schema != "" {
		return c.schemaNamed(schema)
	}
	ns := c.v.CreationNamespace()
	if ns == 0 {
		return 0, pgerr.New(pgerr.InvalidSchemaName, "no schema has been selected to create in")
	}
	return ns, nil
}

// schemaNamed finds a schema that must be there.
func (c *ctx) schemaNamed(name string) (OID, error) {
	ns, err := c.v.NamespaceByName(name)
	if err == nil && ns == 0 {
		err = pgerr.New(pgerr.InvalidSchemaName, "schema \"%s\" does not exist", name)
	}
	return ns, err
}

// requireCreate checks CREATE on a schema.
func (c *ctx) requireCreate(ns OID) error {
	ok, err := c.v.HasPrivilege(catalog.PgNamespaceOID, ns, 0, c.v.User(), query.AclCreate)
	if err == nil && !ok {
		err = pgerr.New(pgerr.InsufficientPrivilege, "permission denied for schema %s", c.schemaName(ns))
	}
	return err
}

// tempSchema gives the session's temporary schema, made at its first use.
func (c *ctx) tempSchema() (OID, error) {
	if ns := c.v.TempNamespace(); ns != 0 {
		return ns, nil
	}
	ok, err := c.v.HasPrivilege(catalog.PgDatabaseOID, c.v.DBOID(), 0, c.v.User(), query.AclCreateTemp)
	if err != nil {
		return 0, err
	}
	if !ok {
		db, _ := c.v.Database(c.v.DBOID())
		return 0, pgerr.New(pgerr.InsufficientPrivilege, "permission denied to create temporary tables in database \"%s\"", db.Name)
	}
	name := fmt.Sprintf("pg_temp_%d", c.heapSession().Tx.Proc().ID())
	ns, err := c.v.NamespaceByName(name)
	if err != nil {
		return 0, err
	}
	if ns == 0 {
		if ns, err = c.insertSchema(name, catalog.BootstrapSuperuser); err != nil {
			return 0, err
		}
	} else if err := c.emptySchema(ns); err != nil { // what a session left that a crash ended
		return 0, err
	}
	if err := c.next(); err != nil {
		return 0, err
	}
	c.v.SetTempNamespace(ns)
	v := c.v
	c.heapSession().Tx.OnAbort(func() { v.SetTempNamespace(0) })
	c.runOnCommitWith()
	return ns, nil
}

// runOnCommitWith gives the view the means to carry out ON COMMIT clauses.
func (c *ctx) runOnCommitWith() {
	backend, session := c.Backend, c.Session
	c.v.SetOnCommitRunner(func(rel OID, action catalog.OnCommitAction) error {
		x := &ctx{Command: &executor.Command{Backend: backend, Session: session}, v: backend.View()}
		if action == catalog.OnCommitDeleteRows {
			return x.truncateStorage(rel)
		}
		d := catalog.Dropper{View: x.v, Cascade: true, Quiet: true}
		return d.Drop(relObject(rel, 0))
	})
}

func (c *ctx) setOnCommit(rel OID, action catalog.OnCommitAction) { c.v.SetOnCommit(rel, action) }

// emptySchema drops all that is in a schema, without a word.
func (c *ctx) emptySchema(ns OID) error {
	var objects []catalog.Object
	err := c.v.Dependents(object(catalog.PgNamespaceOID, ns), func(o catalog.Object, _ int32, _ byte) (bool, error) {
		objects = append(objects, o)
		return true, nil
	})
	if err != nil {
		return err
	}
	d := catalog.Dropper{View: c.v, Cascade: true, Quiet: true}
	return d.Drop(objects...)
}

// insertSchema makes the row of a schema.
func (c *ctx) insertSchema(name string, owner OID) (OID, error) {
	oid, err := c.v.GetNewOID(catalog.PgNamespaceOidIndexOID)
	if err != nil {
		return 0, err
	}
	row := types.Row{types.Oid(oid), types.Text(name), types.Oid(owner), types.Null}
	if err := c.v.Insert(catalog.PgNamespaceOID, row); err != nil {
		return 0, err
	}
	return oid, c.v.DependOwner(object(catalog.PgNamespaceOID, oid), owner)
}

// createSchema is CREATE SCHEMA.
func createSchema(c *ctx, n *pg_query.CreateSchemaStmt) (string, error) {
	const tag = "CREATE SCHEMA"
	owner := c.v.User()
	if n.Authrole != nil {
		var err error
		if owner, err = c.roleSpec(n.Authrole); err != nil {
			return "", err
		}
	}
	name := n.Schemaname
	if name == "" {
		r, err := c.v.Role(owner)
		if err != nil {
			return "", err
		}
		name = r.Name
	}
	if err := c.mayCreateSchema(owner); err != nil {
		return "", err
	}
	if strings.HasPrefix(name, "pg_") {
		return "", pgerr.New(pgerr.ReservedName, "unacceptable schema name \"%s\"", name).WithDetail("The prefix \"pg_\" is reserved for system schemas.")
	}
	have, err := c.v.NamespaceByName(name)
	if err != nil {
		return "", err
	}
	if have != 0 {
		if n.IfNotExists {
			c.notice(pgerr.DuplicateSchema, "schema \"%s\" already exists, skipping", name)
			return tag, nil
		}
		return "", pgerr.New(pgerr.DuplicateSchema, "schema \"%s\" already exists", name)
	}
	if _, err := c.insertSchema(name, owner); err != nil {
		return "", err
	}
	if err := c.next(); err != nil {
		return "", err
	}
	elements, err := orderedElements(n.SchemaElts, name)
	if err != nil || len(elements) == 0 {
		return tag, err
	}
	user := c.v.User()
	c.v.SetUser(owner)
	defer c.v.SetUser(user)
	return tag, c.Session.WithSearchPathBefore(name, func() error { return c.schemaElements(elements) })
}

// mayCreateSchema checks CREATE on the database, and the right to give the schema to its owner.
func (c *ctx) mayCreateSchema(owner OID) error {
	ok, err := c.v.HasPrivilege(catalog.PgDatabaseOID, c.v.DBOID(), 0, c.v.User(), query.AclCreate)
	if err != nil {
		return err
	}
	if !ok {
		db, _ := c.v.Database(c.v.DBOID())
		return pgerr.New(pgerr.InsufficientPrivilege, "permission denied for database %s", db.Name)
	}
	return c.requireMember(owner)
}

// orderedElements puts the new schema's name to the commands inside CREATE SCHEMA, and gives them in the order in which they are run: sequences, tables,
// views, indexes, triggers, privileges.
func orderedElements(elements []*pg_query.Node, schema string) ([]*pg_query.Node, error) {
	rank := func(n *pg_query.Node) int {
		switch n.Node.(type) {
		case *pg_query.Node_CreateSeqStmt:
			return 0
		case *pg_query.Node_CreateStmt:
			return 1
		case *pg_query.Node_ViewStmt:
			return 2
		case *pg_query.Node_IndexStmt:
			return 3
		case *pg_query.Node_CreateTrigStmt:
			return 4
		}
		return 5
	}
	for _, n := range elements {
		rv := elementTarget(n)
		switch {
		case rv == nil:
		case rv.Schemaname == "":
			rv.Schemaname = schema
		case rv.Schemaname != schema:
			return nil, pgerr.New(pgerr.InvalidSchemaDefinition, "CREATE specifies a schema (%s) different from the one being created (%s)", rv.Schemaname, schema)
		}
	}
	ordered := slices.Clone(elements)
	slices.SortStableFunc(ordered, func(a, b *pg_query.Node) int { return rank(a) - rank(b) })
	return ordered, nil
}

// schemaElements runs the commands inside CREATE SCHEMA.
func (c *ctx) schemaElements(elements []*pg_query.Node) error {
	for _, n := range elements {
		kind := fmt.Sprintf("%T", n.Node)
		run := executor.LookupCommand(kind)
		if run == nil {
			return pgerr.NotSupported("%s in CREATE SCHEMA", parse.CommandTag(n))
		}
		sub := *c.Command
		sub.Node = n
		if _, err := run(&sub); err != nil {
			return err
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	return nil
}

// elementTarget gives the name that a command in CREATE SCHEMA makes.
func elementTarget(n *pg_query.Node) *pg_query.RangeVar {
	switch x := n.Node.(type) {
	case *pg_query.Node_CreateStmt:
		return x.CreateStmt.Relation
	case *pg_query.Node_ViewStmt:
		return x.ViewStmt.View
	case *pg_query.Node_CreateSeqStmt:
		return x.CreateSeqStmt.Sequence
	case *pg_query.Node_IndexStmt:
		return x.IndexStmt.Relation
	case *pg_query.Node_CreateTrigStmt:
		return x.CreateTrigStmt.Relation
	}
	return nil
}
