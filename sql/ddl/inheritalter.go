package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/deparse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// below gives the alteration of a child that a command goes down to; the child's rows are rewritten or checked at the end, like the table's own.
func (a *alteration) below(child *catalog.Relation) (*alteration, error) {
	for _, b := range *a.tree {
		if b.rel.OID == child.OID {
			var err error
			b.rel, err = a.reload(child.OID)
			return b, err
		}
	}
	if err := a.requireOwner(child); err != nil {
		return nil, err
	}
	if err := a.checkNotInUse(child, "ALTER TABLE"); err != nil {
		return nil, err
	}
	b := &alteration{ctx: a.ctx, rel: child, before: child, recurse: true, recursing: true, tree: a.tree}
	*a.tree = append(*a.tree, b)
	return b, nil
}

// children locks and reads the direct children that the command concerns; none of a relation of a kind without children.
func (a *alteration) children() ([]*catalog.Relation, error) {
	if !a.rel.HasSubclass || a.rel.Kind != 'r' && a.rel.Kind != 'p' {
		return nil, nil
	}
	return a.childrenOf(a.rel.OID, accessExclusive)
}

// everyDescendant carries a subcommand out on all descendants that is the same for each of them.
func (a *alteration) everyDescendant(run func(b *alteration) error) error {
	if !a.recurse || a.recursing || !a.rel.HasSubclass || a.rel.Kind != 'r' && a.rel.Kind != 'p' {
		return nil
	}
	list, _, err := a.descendants(a.rel.OID, accessExclusive)
	if err != nil {
		return err
	}
	for _, oid := range list[1:] {
		child, err := a.v.Relation(oid)
		if err != nil {
			return err
		}
		b, err := a.below(child)
		if err != nil {
			return err
		}
		if err := run(b); err != nil {
			return err
		}
		if err := a.next(); err != nil {
			return err
		}
	}
	return nil
}

// mergeAddedColumn: ADD COLUMN of a parent meets a column that the child has. false: it has none.
func (a *alteration) mergeAddedColumn(n *pg_query.ColumnDef) (bool, error) {
	x := a.rel.AttrByName(n.Colname)
	if x == nil {
		return false, nil
	}
	d, err := a.column(n, a.rel.Name)
	if err != nil {
		return false, err
	}
	if x.TypeOID != d.TypeOID || x.TypMod != d.TypMod {
		return false, pgerr.New(pgerr.DatatypeMismatch, "child table \"%s\" has different type for column \"%s\"", a.rel.Name, n.Colname)
	}
	if x.Collation != d.Collation {
		return false, pgerr.New(pgerr.CollationMismatch, "child table \"%s\" has different collation for column \"%s\"", a.rel.Name, n.Colname).
			WithDetail("\"%s\" versus \"%s\"", a.collationName(d.Collation), a.collationName(x.Collation))
	}
	err = a.changeColumn(a.rel.OID, x.Num, func(row types.Row) {
		row[catalog.AttributeAttinhcount] = types.Int4(row[catalog.AttributeAttinhcount].Int4() + 1)
	})
	if err != nil {
		return false, err
	}
	a.notice(pgerr.SuccessfulCompletion, "merging definition of column \"%s\" for child \"%s\"", n.Colname, a.rel.Name)
	return true, nil
}

// addColumnBelow adds a new column to the children too.
func (a *alteration) addColumnBelow(cmd *pg_query.AlterTableCmd, d *columnDef) error {
	kids, err := a.children()
	if err != nil || len(kids) == 0 {
		return err
	}
	switch {
	case !a.recurse:
		return pgerr.New(pgerr.InvalidTableDefinition, "column must be added to child tables too")
	case d.identity != nil:
		return pgerr.New(pgerr.InvalidTableDefinition, "cannot recursively add identity column to table that has child tables")
	case d.serial != 0:
		return pgerr.NotSupported("adding a serial column to a table that has child tables")
	}
	for _, k := range kids {
		b, err := a.below(k)
		if err != nil {
			return err
		}
		if err := b.addColumn(cmd); err != nil {
			return err
		}
		if err := a.next(); err != nil {
			return err
		}
	}
	return nil
}

// dropColumnBelow takes a column that is to be dropped from the children: what only the parent gave them goes, the rest becomes their own.
func (a *alteration) dropColumnBelow(name string, drop *[]catalog.Object) error {
	kids, err := a.children()
	if err != nil {
		return err
	}
	if len(kids) > 0 && a.rel.Kind == 'p' && !a.recurse {
		return pgerr.New(pgerr.InvalidTableDefinition, "cannot drop column from only the partitioned table when partitions exist").
			WithHint("Do not specify the ONLY keyword.")
	}
	for _, k := range kids {
		if k, err = a.v.Relation(k.OID); err != nil { // it may be a child of another child too
			return err
		}
		x := k.AttrByName(name)
		if x == nil || x.InhCount <= 0 {
			return pgerr.Internal("relation %d has no inherited attribute \"%s\"", k.OID, name)
		}
		if a.recurse && x.InhCount == 1 && !x.IsLocal {
			b, err := a.below(k)
			if err != nil {
				return err
			}
			if err := b.dropColumnBelow(name, drop); err != nil {
				return err
			}
			*drop = append(*drop, relObject(k.OID, x.Num))
			continue
		}
		err := a.changeColumn(k.OID, x.Num, func(row types.Row) {
			row[catalog.AttributeAttinhcount] = types.Int4(row[catalog.AttributeAttinhcount].Int4() - 1)
			if !a.recurse {
				row[catalog.AttributeAttislocal] = types.Bool(true)
			}
		})
		if err != nil {
			return err
		}
		if err := a.next(); err != nil {
			return err
		}
	}
	return nil
}

// retypeBelow changes the type of a column in all descendants, none of which may have it from elsewhere too.
func (a *alteration) retypeBelow(cmd *pg_query.AlterTableCmd) error {
	if !a.rel.HasSubclass || a.rel.Kind == 'c' || a.recursing {
		return nil
	}
	if !a.recurse {
		kids, err := a.children()
		if err == nil && len(kids) > 0 {
			err = pgerr.New(pgerr.InvalidTableDefinition, "type of inherited column \"%s\" must be changed in child tables too", cmd.Name)
		}
		return err
	}
	list, parents, err := a.descendants(a.rel.OID, accessExclusive)
	if err != nil {
		return err
	}
	for _, oid := range list[1:] {
		child, err := a.v.Relation(oid)
		if err != nil {
			return err
		}
		x := child.AttrByName(cmd.Name)
		if x == nil {
			return pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", cmd.Name, child.Name)
		}
		if x.InhCount > parents[oid] {
			return pgerr.New(pgerr.InvalidTableDefinition, "cannot alter inherited column \"%s\" of relation \"%s\"", cmd.Name, child.Name)
		}
		b, err := a.below(child)
		if err != nil {
			return err
		}
		if err := b.columnType(cmd); err != nil {
			return err
		}
	}
	return nil
}

// addConstraintTree adds constraints to the table, and CHECKs to its descendants.
func (a *alteration) addConstraintTree(list []*pg_query.Constraint) error {
	var rest []*pg_query.Constraint
	if err := checkPrimaryKeys(a.rel, list); err != nil {
		return err
	}
	for _, con := range list {
		if con.Contype != pg_query.ConstrType_CONSTR_CHECK {
			rest = append(rest, con)
			continue
		}
		if err := a.addCheckTree(con); err != nil {
			return err
		}
		var err error
		if a.rel, err = a.reload(a.rel.OID); err != nil {
			return err
		}
	}
	_, err := a.addConstraints(a.rel, rest, false, !a.recurse)
	return err
}

func (a *alteration) addCheckTree(con *pg_query.Constraint) error {
	if con.IsNoInherit && a.rel.Kind == 'p' {
		return pgerr.New(pgerr.InvalidTableDefinition, "cannot add NO INHERIT constraint to partitioned table \"%s\"", a.rel.Name)
	}
	name, merged, err := a.addCheckNamed(a.rel, con, true, !a.recursing)
	if err == nil && !merged && !con.SkipValidation {
		a.unchecked = append(a.unchecked, name)
	}
	if err != nil || merged && !a.recursing || con.IsNoInherit {
		return err
	}
	if err := a.next(); err != nil || merged {
		return err
	}
	kids, err := a.children()
	if err != nil || len(kids) == 0 {
		return err
	}
	if !a.recurse {
		return pgerr.New(pgerr.InvalidTableDefinition, "constraint must be added to child tables too")
	}
	saved := con.Conname
	con.Conname = name
	defer func() { con.Conname = saved }()
	for _, k := range kids {
		b, err := a.below(k)
		if err != nil {
			return err
		}
		if err := b.addCheckTree(con); err != nil {
			return err
		}
	}
	return nil
}

// dropConstraintBelow takes a CHECK that is to be dropped from the children, as dropColumnBelow does with columns.
func (a *alteration) dropConstraintBelow(k *catalog.Constraint, drop *[]catalog.Object) error {
	if k.Type != 'c' || k.NoInherit {
		return nil
	}
	kids, err := a.children()
	if err != nil {
		return err
	}
	if len(kids) > 0 && a.rel.Kind == 'p' && !a.recurse {
		return pgerr.New(pgerr.InvalidTableDefinition, "cannot remove constraint from only the partitioned table when partitions exist").
			WithHint("Do not specify the ONLY keyword.")
	}
	for _, child := range kids {
		if child, err = a.v.Relation(child.OID); err != nil { // it may be a child of another child too
			return err
		}
		x := checkNamed(child, k.Name)
		if x == nil {
			return pgerr.New(pgerr.UndefinedObject, "constraint \"%s\" of relation \"%s\" does not exist", k.Name, child.Name)
		}
		if a.recurse && x.InhCount == 1 && !x.IsLocal {
			b, err := a.below(child)
			if err != nil {
				return err
			}
			if err := b.dropConstraintBelow(x, drop); err != nil {
				return err
			}
			*drop = append(*drop, object(catalog.PgConstraintOID, x.OID))
			continue
		}
		err := a.changeConstraint(x.OID, func(row types.Row) {
			row[catalog.ConstraintConinhcount] = types.Int4(row[catalog.ConstraintConinhcount].Int4() - 1)
			if !a.recurse {
				row[catalog.ConstraintConislocal] = types.Bool(true)
			}
		})
		if err != nil {
			return err
		}
		if err := a.next(); err != nil {
			return err
		}
	}
	return nil
}

func checkNamed(rel *catalog.Relation, name string) *catalog.Constraint {
	for _, k := range rel.Checks {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// addInherit is INHERIT: an existing table becomes a child.
func (a *alteration) addInherit(cmd *pg_query.AlterTableCmd) error {
	if a.rel.Kind == 'p' {
		return pgerr.New(pgerr.WrongObjectType, "cannot change inheritance of partitioned table")
	}
	if a.rel.IsPartition {
		return pgerr.New(pgerr.WrongObjectType, "cannot change inheritance of a partition")
	}
	if err := a.onlyTables("INHERIT"); err != nil {
		return err
	}
	parent, err := a.open(cmd.Def.GetRangeVar(), shareUpdateExclusive)
	if err != nil {
		return err
	}
	if err := a.requireOwner(parent); err != nil {
		return err
	}
	switch {
	case parent.Kind == 'p':
		return pgerr.New(pgerr.WrongObjectType, "cannot inherit from partitioned table \"%s\"", parent.Name)
	case parent.IsPartition:
		return pgerr.New(pgerr.WrongObjectType, "cannot inherit from a partition")
	case parent.Kind != 'r':
		return pgerr.New(pgerr.WrongObjectType, "ALTER action %s cannot be performed on relation \"%s\"", "INHERIT", parent.Name).
			WithDetail("%s", unsupportedKind(parent.Kind))
	case parent.Persistence == 't' && a.rel.Persistence != 't':
		return pgerr.New(pgerr.WrongObjectType, "cannot inherit from temporary relation \"%s\"", parent.Name)
	}
	list, _, err := a.descendants(a.rel.OID, accessShare)
	if err != nil {
		return err
	}
	for _, oid := range list {
		if oid == parent.OID {
			return pgerr.New(pgerr.DuplicateTable, "circular inheritance not allowed").
				WithDetail("\"%s\" is already a child of \"%s\".", parent.Name, a.rel.Name)
		}
	}
	for _, p := range a.rel.Parents {
		if p == parent.OID {
			return pgerr.New(pgerr.DuplicateTable, "relation \"%s\" would be inherited from more than once", parent.Name)
		}
	}
	return a.becomeChild(a.rel, parent, false)
}

// becomeChild checks that a table has all that a parent gives, and records whose child it is.
func (c *ctx) becomeChild(rel, parent *catalog.Relation, partition bool) error {
	if err := c.adoptColumns(rel, parent, partition); err != nil {
		return err
	}
	if err := c.adoptChecks(rel, parent, partition); err != nil {
		return err
	}
	seq, err := c.nextParentSeq(rel.OID)
	if err != nil {
		return err
	}
	return c.storeParent(rel.OID, parent.OID, seq, partition)
}

// nextParentSeq is the first number after those of the parents.
func (c *ctx) nextParentSeq(rel OID) (int32, error) {
	n := int32(1)
	err := c.eachParentRow(rel, func(_ types.TID, row types.Row) error {
		n = max(n, row[catalog.InheritsInhseqno].Int4()+1)
		return nil
	})
	return n, err
}

func (c *ctx) adoptColumns(rel, parent *catalog.Relation, partition bool) error {
	for i := range parent.Desc.Attrs {
		p := &parent.Desc.Attrs[i]
		if p.Dropped {
			continue
		}
		x := rel.AttrByName(p.Name)
		if x == nil {
			return pgerr.New(pgerr.DatatypeMismatch, "child table is missing column \"%s\"", p.Name)
		}
		switch {
		case x.TypeOID != p.TypeOID || x.TypMod != p.TypMod:
			return pgerr.New(pgerr.DatatypeMismatch, "child table \"%s\" has different type for column \"%s\"", rel.Name, p.Name)
		case x.Collation != p.Collation:
			return pgerr.New(pgerr.CollationMismatch, "child table \"%s\" has different collation for column \"%s\"", rel.Name, p.Name)
		case p.NotNull && !x.NotNull:
			return pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" in child table must be marked NOT NULL", p.Name)
		case p.Generated != 0 && x.Generated == 0:
			return pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" in child table must be a generated column", p.Name)
		case p.Generated != 0:
			if c.expressionText(parent, parent.Defaults[p.Num]) != c.expressionText(rel, rel.Defaults[x.Num]) {
				return pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" in child table has a conflicting generation expression", p.Name)
			}
		}
		err := c.changeColumn(rel.OID, x.Num, func(row types.Row) {
			n := row[catalog.AttributeAttinhcount].Int4() + 1
			row[catalog.AttributeAttinhcount] = types.Int4(n)
			if partition {
				row[catalog.AttributeAttislocal] = types.Bool(false)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *ctx) adoptChecks(rel, parent *catalog.Relation, partition bool) error {
	for _, p := range parent.Checks {
		if p.NoInherit {
			continue
		}
		x := checkNamed(rel, p.Name)
		if x == nil {
			return pgerr.New(pgerr.DatatypeMismatch, "child table is missing constraint \"%s\"", p.Name)
		}
		switch {
		case c.expressionText(parent, p.Expr) != c.expressionText(rel, x.Expr):
			return pgerr.New(pgerr.DatatypeMismatch, "child table \"%s\" has different definition for check constraint \"%s\"", rel.Name, p.Name)
		case x.NoInherit:
			return pgerr.New(pgerr.InvalidObjectDefinition, "constraint \"%s\" conflicts with non-inherited constraint on child table \"%s\"", p.Name, rel.Name)
		case p.Validated && !x.Validated:
			return pgerr.New(pgerr.InvalidObjectDefinition, "constraint \"%s\" conflicts with NOT VALID constraint on child table \"%s\"", p.Name, rel.Name)
		}
		err := c.changeConstraint(x.OID, func(row types.Row) {
			row[catalog.ConstraintConinhcount] = types.Int4(row[catalog.ConstraintConinhcount].Int4() + 1)
			if partition {
				row[catalog.ConstraintConislocal] = types.Bool(false)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dropInherit is NO INHERIT.
func (a *alteration) dropInherit(cmd *pg_query.AlterTableCmd) error {
	if a.rel.IsPartition {
		return pgerr.New(pgerr.WrongObjectType, "cannot change inheritance of a partition")
	}
	parent, err := a.open(cmd.Def.GetRangeVar(), accessShare)
	if err != nil {
		return err
	}
	return a.leaveParent(a.rel, parent, false)
}

// leaveParent makes a table no longer a child: what came from the parent alone becomes its own.
func (c *ctx) leaveParent(rel, parent *catalog.Relation, partition bool) error {
	found := false
	err := c.eachParentRow(rel.OID, func(tid types.TID, row types.Row) error {
		if row[catalog.InheritsInhparent].Oid() != parent.OID {
			return nil
		}
		found = true
		return c.v.Delete(catalog.PgInheritsOID, tid, row)
	})
	if err != nil {
		return err
	}
	if !found {
		if partition {
			return pgerr.New(pgerr.UndefinedTable, "relation \"%s\" is not a partition of relation \"%s\"", rel.Name, parent.Name)
		}
		return pgerr.New(pgerr.UndefinedTable, "relation \"%s\" is not a parent of relation \"%s\"", parent.Name, rel.Name)
	}
	for i := range rel.Desc.Attrs {
		x := &rel.Desc.Attrs[i]
		if x.Dropped || x.InhCount <= 0 || parent.AttrByName(x.Name) == nil {
			continue
		}
		err := c.changeColumn(rel.OID, x.Num, func(row types.Row) {
			n := row[catalog.AttributeAttinhcount].Int4() - 1
			row[catalog.AttributeAttinhcount] = types.Int4(n)
			if n == 0 {
				row[catalog.AttributeAttislocal] = types.Bool(true)
			}
		})
		if err != nil {
			return err
		}
	}
	for _, x := range rel.Checks {
		if x.InhCount <= 0 || checkNamed(parent, x.Name) == nil {
			continue
		}
		err := c.changeConstraint(x.OID, func(row types.Row) {
			n := row[catalog.ConstraintConinhcount].Int4() - 1
			row[catalog.ConstraintConinhcount] = types.Int4(n)
			if n == 0 {
				row[catalog.ConstraintConislocal] = types.Bool(true)
			}
		})
		if err != nil {
			return err
		}
	}
	return c.v.RemoveDependOn(relObject(rel.OID, 0), relObject(parent.OID, 0))
}

func (c *ctx) eachParentRow(rel OID, fn func(tid types.TID, row types.Row) error) error {
	return c.v.Scan(catalog.PgInheritsRelidSeqnoIndexOID, []types.Datum{types.Oid(rel)}, func(tid types.TID, row types.Row) (bool, error) {
		return true, fn(tid, row)
	})
}

// expressionText is an expression with column names, by which expressions of a parent and a child are compared.
func (c *ctx) expressionText(rel *catalog.Relation, e query.Expr) string {
	d, err := deparse.ForRelation(c.v, c.Backend.Env, rel, 0)
	if err != nil {
		return ""
	}
	text, err := deparse.Expr(d, e, false)
	if err != nil {
		return ""
	}
	return text
}

// renameBelow renames a column, or a CHECK constraint, in all descendants.
func (c *ctx) renameBelow(rel *catalog.Relation, rename func(child *catalog.Relation, parents int32) error) error {
	if !rel.HasSubclass {
		return nil
	}
	list, parents, err := c.descendants(rel.OID, accessExclusive)
	if err != nil {
		return err
	}
	for _, oid := range list[1:] {
		child, err := c.v.Relation(oid)
		if err != nil {
			return err
		}
		if err := rename(child, parents[oid]); err != nil {
			return err
		}
	}
	return nil
}

// validateCheckBelow validates an inherited CHECK in the children first.
func (a *alteration) validateCheckBelow(cmd *pg_query.AlterTableCmd, k *catalog.Constraint) error {
	if k.NoInherit {
		return nil
	}
	kids, err := a.children()
	if err != nil || len(kids) == 0 {
		return err
	}
	if !a.recurse {
		return pgerr.New(pgerr.InvalidTableDefinition, "constraint must be validated on child tables too")
	}
	for _, child := range kids {
		b, err := a.below(child)
		if err != nil {
			return err
		}
		if err := b.validateConstraint(cmd); err != nil {
			return err
		}
		if err := a.next(); err != nil {
			return err
		}
	}
	return nil
}

// checkRows tries the rows of the table and of its children on the CHECKs that were added.
func (a *alteration) checkRows() error {
	for _, b := range *a.tree {
		var err error
		if b.rel, err = a.reload(b.rel.OID); err != nil {
			return err
		}
		for _, name := range b.unchecked {
			if k := checkNamed(b.rel, name); k != nil && b.rel.Kind != 'p' {
				if err := b.validateCheck(b.rel, name, k.Expr); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
