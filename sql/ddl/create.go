package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() { register("CreateStmt", createTable) }

// tableDef is CREATE TABLE made ready.
type tableDef struct {
	newRelation
	columns     []*columnDef
	constraints []*pg_query.Constraint
	onCommit    catalog.OnCommitAction

	parents         []*catalog.Relation
	inheritedChecks []*inheritedCheck
	bound           *pg_query.PartitionBoundSpec // of a partition
	spec            *pg_query.PartitionSpec      // of a partitioned table
}

// createTable is CREATE TABLE.
func createTable(c *ctx, n *pg_query.CreateStmt) (string, error) {
	if n.OfTypename != nil {
		return "", pgerr.NotSupported("typed tables")
	}
	t, exists, err := c.tableTarget(n.Relation, n.IfNotExists)
	if e, ok := err.(*pgerr.Error); ok && e.Code == pgerr.InsufficientPrivilege {
		err = e.WithLocation(int(n.Relation.Location))
	}
	if err != nil || exists {
		return "CREATE TABLE", err
	}
	if err := c.checkTablespace(n.Tablespacename); err != nil {
		return "", err
	}
	if err := t.tableKind(n); err != nil {
		return "", err
	}
	if t.onCommit, err = onCommit(n.Oncommit, t.persistence); err != nil {
		return "", err
	}
	if err := c.tableElements(t, n.TableElts); err != nil {
		return "", err
	}
	for _, k := range n.Constraints {
		t.constraints = append(t.constraints, k.GetConstraint())
	}
	if err := c.inherit(t, n.InhRelations); err != nil {
		return "", err
	}
	if err := checkColumns(t.columns); err != nil {
		return "", err
	}
	_, err = c.makeTable(t)
	return "CREATE TABLE", err
}

// tableKind: a table that keeps rows, or a partitioned one.
func (t *tableDef) tableKind(n *pg_query.CreateStmt) (err error) {
	t.bound, t.spec = n.Partbound, n.Partspec
	options := tableOptions
	t.kind, t.am = 'r', catalog.HeapAM
	switch {
	case t.spec != nil && len(n.InhRelations) > 0 && t.bound == nil:
		return pgerr.New(pgerr.InvalidObjectDefinition, "cannot create partitioned table as inheritance child")
	case t.spec != nil && n.AccessMethod != "":
		return pgerr.New(pgerr.FeatureNotSupported, "specifying a table access method is not supported on a partitioned table")
	case t.spec != nil:
		t.kind, t.am, options = 'p', 0, map[string]storageOption{}
	}
	if err := checkTableAM(n.AccessMethod); err != nil {
		return err
	}
	t.options, err = mergeOptions(nil, n.Options, options, false)
	return err
}

func checkTableAM(name string) error {
	if name != "" && name != "heap" {
		return pgerr.New(pgerr.UndefinedObject, "access method \"%s\" does not exist", name)
	}
	return nil
}

// checkTablespace accepts the only two that there are.
func (c *ctx) checkTablespace(name string) error {
	if name == "" || name == "pg_default" {
		return nil
	}
	if name == "pg_global" {
		return pgerr.New(pgerr.InvalidParameterValue, "only shared relations can be placed in pg_global tablespace")
	}
	return pgerr.New(pgerr.UndefinedObject, "tablespace \"%s\" does not exist", name)
}

func onCommit(a pg_query.OnCommitAction, persistence byte) (catalog.OnCommitAction, error) {
	if a > pg_query.OnCommitAction_ONCOMMIT_NOOP && persistence != 't' {
		return 0, pgerr.New(pgerr.InvalidTableDefinition, "ON COMMIT can only be used on temporary tables")
	}
	switch a {
	case pg_query.OnCommitAction_ONCOMMIT_DELETE_ROWS:
		return catalog.OnCommitDeleteRows, nil
	case pg_query.OnCommitAction_ONCOMMIT_DROP:
		return catalog.OnCommitDrop, nil
	}
	return catalog.OnCommitPreserve, nil
}

// tableTarget finds where a new relation goes. exists: it is there already, and IF NOT EXISTS was said.
func (c *ctx) tableTarget(rv *pg_query.RangeVar, ifNotExists bool) (t *tableDef, exists bool, err error) {
	t = &tableDef{}
	t.name, t.owner, t.persistence = rv.Relname, c.v.User(), 'p'
	if rv.Relpersistence != "" {
		t.persistence = rv.Relpersistence[0]
	}
	if t.ns, t.persistence, err = c.creationSchema(rv, t.persistence); err != nil {
		if e := pgerr.From(err); e.Code == pgerr.InvalidSchemaName && c.Node.(*pg_query.Node).GetCreateStmt() != nil {
			err = e.WithLocation(int(rv.Location))
		}
		return nil, false, err
	}
	_, row, err := c.v.Find(catalog.PgClassRelnameNspIndexOID, types.Text(t.name), types.Oid(t.ns))
	if err != nil {
		return nil, false, err
	}
	if row == nil {
		return t, false, nil
	}
	if !ifNotExists {
		return nil, false, pgerr.New(pgerr.DuplicateTable, "relation \"%s\" already exists", t.name)
	}
	c.notice(pgerr.DuplicateTable, "relation \"%s\" already exists, skipping", t.name)
	return t, true, nil
}

// tableElements sorts the elements of CREATE TABLE into columns and constraints.
func (c *ctx) tableElements(t *tableDef, elements []*pg_query.Node) error {
	var last *pg_query.Constraint
	for _, n := range elements {
		switch x := n.Node.(type) {
		case *pg_query.Node_ColumnDef:
			d, err := c.column(x.ColumnDef, t.name)
			if err != nil {
				return err
			}
			t.columns = append(t.columns, d)
			t.constraints = append(t.constraints, d.constraints...)
		case *pg_query.Node_Constraint:
			if isConstraintAttribute(x.Constraint.Contype) {
				if err := applyAttribute(last, x.Constraint); err != nil {
					return err
				}
				continue
			}
			last = x.Constraint
			t.constraints = append(t.constraints, x.Constraint)
		case *pg_query.Node_TableLikeClause:
			if err := c.likeClause(t, x.TableLikeClause); err != nil {
				return err
			}
		default:
			return pgerr.NotSupported("table element %T", n.Node)
		}
	}
	return nil
}

func checkColumns(columns []*columnDef) error {
	if len(columns) > maxColumns {
		return pgerr.New(pgerr.TooManyColumns, "tables can have at most %d columns", maxColumns)
	}
	seen := map[string]bool{}
	for i, d := range columns {
		if seen[d.Name] {
			return pgerr.New(pgerr.DuplicateColumn, "column \"%s\" specified more than once", d.Name)
		}
		seen[d.Name] = true
		if err := checkColumnName(d.Name); err != nil {
			return err
		}
		d.Num = int16(i + 1)
	}
	return nil
}

func checkColumnName(name string) error {
	for i := range systemColumns {
		if systemColumns[i].Name == name {
			return pgerr.New(pgerr.DuplicateColumn, "column name \"%s\" conflicts with a system column name", name)
		}
	}
	return nil
}

// makeTable makes the table, its sequences, defaults, constraints and indexes.
func (c *ctx) makeTable(t *tableDef) (*catalog.Relation, error) {
	c.markPrimaryKey(t)
	for _, d := range t.columns {
		t.newRelation.columns = append(t.newRelation.columns, d.Attr)
	}
	oid, err := c.makeRelation(&t.newRelation)
	if err != nil {
		return nil, err
	}
	rel, err := c.reload(oid)
	if err != nil {
		return nil, err
	}
	if _, err := c.Session.LockRelation(oid, accessExclusive); err != nil {
		return nil, err
	}
	if t.onCommit != catalog.OnCommitPreserve {
		c.setOnCommit(oid, t.onCommit)
	}
	if err := c.columnExtras(rel, t.columns); err != nil {
		return nil, err
	}
	if err := c.addInheritedChecks(rel, t.inheritedChecks); err != nil {
		return nil, err
	}
	if t.bound != nil {
		if err := c.attachBound(rel, t.parents[0], t.bound); err != nil {
			return nil, err
		}
	}
	if err := c.storeParents(oid, t); err != nil {
		return nil, err
	}
	if t.spec != nil {
		if rel, err = c.reload(oid); err != nil {
			return nil, err
		}
		if err := c.storePartitionKey(rel, t.spec); err != nil {
			return nil, err
		}
	}
	if t.bound != nil {
		if err := c.partitionIndexes(oid, t.parents[0]); err != nil {
			return nil, err
		}
		if err := c.partitionForeignKeys(oid, t.parents[0]); err != nil {
			return nil, err
		}
		if err := c.partitionTriggers(oid, t.parents[0]); err != nil {
			return nil, err
		}
	}
	if rel, err = c.reload(oid); err != nil {
		return nil, err
	}
	return c.addConstraints(rel, t.constraints, true, false)
}

// markPrimaryKey makes the columns of PRIMARY KEY not null before the table is made.
func (c *ctx) markPrimaryKey(t *tableDef) {
	for _, con := range t.constraints {
		if con.Contype != pg_query.ConstrType_CONSTR_PRIMARY {
			continue
		}
		for _, key := range strs(con.Keys) {
			for _, d := range t.columns {
				if d.Name == key {
					d.NotNull = true
				}
			}
		}
	}
}

// columnExtras makes sequences and defaults of new columns.
func (c *ctx) columnExtras(rel *catalog.Relation, columns []*columnDef) error {
	for _, d := range columns {
		if err := c.columnSequence(rel, d); err != nil {
			return err
		}
		if err := c.cookDefault(rel, d); err != nil {
			return err
		}
		if d.cooked == nil || d.Generated == 0 && isNullConst(d.cooked) {
			continue
		}
		if d.Generated != 0 && !d.inherited {
			if err := checkGenerated(rel, d); err != nil {
				return err
			}
		}
		if _, err := c.storeDefault(rel.OID, d.Num, d.cooked, d.Generated != 0); err != nil {
			return err
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	return nil
}

// checkGenerated refuses a generation expression that uses a generated column.
func checkGenerated(rel *catalog.Relation, d *columnDef) error {
	var bad error
	query.Walk(d.cooked, func(e query.Expr) bool {
		if v, ok := e.(*query.Var); ok && bad == nil {
			if a := rel.Attr(v.AttNo); a != nil && a.Generated != 0 {
				bad = pgerr.New(pgerr.SyntaxError, "cannot use generated column \"%s\" in column generation expression", a.Name).
					WithDetail("A generated column cannot reference another generated column.").WithLocation(v.Loc)
			}
		}
		return true
	})
	return bad
}
