package ddl

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/partition"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// attachPartition is ATTACH PARTITION.
func (a *alteration) attachPartition(n *pg_query.PartitionCmd) error {
	switch a.rel.Kind {
	case 'p':
	case 'i':
		return pgerr.New(pgerr.WrongObjectType, "ALTER action %s cannot be performed on relation \"%s\"", "ATTACH PARTITION", a.rel.Name).
			WithDetail("%s", unsupportedKind('i'))
	case 'I':
		return a.attachIndexPartition(n)
	case 'r', 'f':
		return pgerr.New(pgerr.InvalidObjectDefinition, "table \"%s\" is not partitioned", a.rel.Name)
	default:
		return pgerr.New(pgerr.InvalidObjectDefinition, "\"%s\" is not partitioned table or index", a.rel.Name)
	}
	parent := a.rel
	def, err := a.defaultPartition(parent)
	if err != nil {
		return err
	}
	rel, err := a.open(n.Name, accessExclusive)
	if err != nil {
		return err
	}
	if err := a.mayAttach(rel, parent); err != nil {
		return err
	}
	b, err := a.bound(parent, n.Bound)
	if err != nil {
		return err
	}
	if err := a.checkBound(rel.Name, parent, b); err != nil {
		return err
	}
	if err := a.becomeChild(rel, parent, true); err != nil {
		return err
	}
	if err := a.storeBound(rel.OID, parent, b); err != nil {
		return err
	}
	if err := a.next(); err != nil {
		return err
	}
	if err := a.partitionIndexes(rel.OID, parent); err != nil {
		return err
	}
	if rel, err = a.reload(rel.OID); err != nil {
		return err
	}
	if err := a.partitionForeignKeys(rel.OID, parent); err != nil {
		return err
	}
	if err := a.partitionTriggers(rel.OID, parent); err != nil {
		return err
	}
	if err := a.checkAttachedRows(rel, parent, b); err != nil {
		return err
	}
	if def == nil {
		return nil
	}
	return a.checkDefaultRows(parent, def, b)
}

// mayAttach refuses tables that can't become a partition.
func (a *alteration) mayAttach(rel, parent *catalog.Relation) error {
	if err := a.requireOwner(rel); err != nil {
		return err
	}
	bad := func(format string, args ...any) error { return pgerr.New(pgerr.WrongObjectType, format, args...) }
	switch {
	case rel.Kind != 'r' && rel.Kind != 'p' && rel.Kind != 'f':
		return bad("ALTER action %s cannot be performed on relation \"%s\"", "ATTACH PARTITION", rel.Name).(*pgerr.Error).
			WithDetail("%s", unsupportedKind(rel.Kind))
	case rel.IsPartition:
		return bad("\"%s\" is already a partition", rel.Name)
	case rel.OfType != 0:
		return bad("cannot attach a typed table as partition")
	case len(rel.Parents) > 0:
		return bad("cannot attach inheritance child as partition")
	case len(rel.Children) > 0 && rel.Kind == 'r':
		return bad("cannot attach inheritance parent as partition")
	}
	list, _, err := a.descendants(rel.OID, accessExclusive)
	if err != nil {
		return err
	}
	if slices.Contains(list, parent.OID) {
		return pgerr.New(pgerr.DuplicateTable, "circular inheritance not allowed").WithDetail("\"%s\" is already a child of \"%s\".", parent.Name, rel.Name)
	}
	switch {
	case parent.Persistence == 't' && rel.Persistence != 't':
		return bad("cannot attach a permanent relation as partition of temporary relation \"%s\"", parent.Name)
	case parent.Persistence != 't' && rel.Persistence == 't':
		return bad("cannot attach a temporary relation as partition of permanent relation \"%s\"", parent.Name)
	}
	for i := range rel.Desc.Attrs {
		x := &rel.Desc.Attrs[i]
		if !x.Dropped && parent.AttrByName(x.Name) == nil {
			return pgerr.New(pgerr.DatatypeMismatch, "table \"%s\" contains column \"%s\" not found in parent \"%s\"", rel.Name, x.Name, parent.Name).
				WithDetail("The new partition may contain only the columns present in parent.")
		}
	}
	for _, tg := range rel.Triggers {
		if tg.OldTable != "" || tg.NewTable != "" {
			return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "trigger \"%s\" prevents table \"%s\" from becoming a partition", tg.Name, rel.Name).
				WithDetail("ROW triggers with transition tables are not supported on partitions.")
		}
	}
	return nil
}

// checkAttachedRows refuses a table with rows that do not belong to the partition that it becomes.
func (a *alteration) checkAttachedRows(rel, parent *catalog.Relation, b *query.PartitionBoundSpec) error {
	quals, err := partition.BoundQuals(a.v, a.Backend.Env, parent, b)
	if err != nil {
		return err
	}
	up, err := partition.Constraint(a.v, a.Backend.Env, parent)
	if err != nil {
		return err
	}
	all := partition.MapVars(append(up[:len(up):len(up)], quals...), partition.MapColumns(parent, rel))
	return a.checkPartitionRows(rel, all, func(bad *catalog.Relation) error {
		if b.IsDefault {
			return pgerr.New(pgerr.CheckViolation, "updated partition constraint for default partition \"%s\" would be violated by some row", bad.Name).
				WithTable(a.schemaName(bad.Namespace), bad.Name)
		}
		return pgerr.New(pgerr.CheckViolation, "partition constraint of relation \"%s\" is violated by some row", bad.Name).
			WithTable(a.schemaName(bad.Namespace), bad.Name)
	})
}

// detachPartition is DETACH PARTITION. CONCURRENTLY detaches as plain does, and keeps the bound as a constraint; what is concurrent waits.
func (a *alteration) detachPartition(n *pg_query.PartitionCmd, finalize bool) error {
	if a.rel.Kind != 'p' {
		return pgerr.New(pgerr.WrongObjectType, "ALTER action %s cannot be performed on relation \"%s\"", detachWord(finalize), a.rel.Name).
			WithDetail("%s", unsupportedKind(a.rel.Kind))
	}
	parent := a.rel
	def, err := a.defaultPartition(parent)
	if err != nil {
		return err
	}
	if n.Concurrent {
		if err := a.Session.RequireNoBlock("ALTER TABLE ... DETACH CONCURRENTLY"); err != nil {
			return err
		}
		if def != nil {
			return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "cannot detach partitions concurrently when a default partition exists")
		}
	}
	rel, err := a.open(n.Name, accessExclusive)
	if err != nil {
		return err
	}
	if finalize {
		if !slices.Contains(rel.Parents, parent.OID) {
			return pgerr.New(pgerr.UndefinedTable, "relation \"%s\" is not a partition of relation \"%s\"", rel.Name, parent.Name)
		}
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "cannot complete detaching partition \"%s\"", rel.Name).
			WithDetail("There's no pending concurrent detach.")
	}
	var keep []query.Expr
	if n.Concurrent && slices.Contains(rel.Parents, parent.OID) {
		if keep, err = partition.Constraint(a.v, a.Backend.Env, rel); err != nil {
			return err
		}
	}
	if err := a.leaveParent(rel, parent, true); err != nil {
		return err
	}
	if err := a.forgetParent(rel, parent); err != nil {
		return err
	}
	return a.keepBound(rel, keep)
}

func detachWord(finalize bool) string {
	if finalize {
		return "DETACH PARTITION ... FINALIZE"
	}
	return "DETACH PARTITION"
}

// forgetParent makes a detached partition's bound, indexes and constraints independent.
func (a *alteration) forgetParent(rel, parent *catalog.Relation) error {
	for _, ix := range rel.Indexes {
		if ix.Parent == 0 {
			continue
		}
		if err := a.unlinkIndex(ix); err != nil {
			return err
		}
	}
	if err := a.detachForeignKeys(rel, parent); err != nil {
		return err
	}
	if err := a.dropPartitionTriggers(rel); err != nil {
		return err
	}
	err := a.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(rel.OID)}, func(row types.Row) {
		row[catalog.ClassRelpartbound] = types.Null
		row[catalog.ClassRelispartition] = types.Bool(false)
	})
	if err != nil || parent.PartKey.Default != rel.OID {
		return err
	}
	return a.setDefaultPartition(parent.OID, 0)
}

// keepBound makes a CHECK of what held for the rows of a partition that was detached concurrently.
func (a *alteration) keepBound(rel *catalog.Relation, quals []query.Expr) error {
	if len(quals) == 0 {
		return nil
	}
	rel, err := a.reload(rel.OID)
	if err != nil {
		return err
	}
	var e query.Expr = &query.BoolExpr{Op: query.And, Args: quals, Loc: -1}
	if len(quals) == 1 {
		e = quals[0]
	}
	column := ""
	keys := exprColumns(e)
	if len(keys) == 1 {
		column = rel.Desc.Attrs[keys[0]-1].Name
	}
	name, err := a.freeConstraintName(rel.Name, column, "check", rel.Namespace, constraintNames(rel))
	if err != nil {
		return err
	}
	if _, err := a.insertConstraint(&constraintRow{name: name, ns: rel.Namespace, kind: 'c', validated: true, rel: rel.OID, keys: keys, expr: e}); err != nil {
		return err
	}
	return a.countChecks(rel.OID, 1)
}

// detachForeignKeys makes the foreign keys that a detached partition has from its parent its own.
func (a *alteration) detachForeignKeys(rel, parent *catalog.Relation) error {
	for _, k := range rel.Constraints() {
		if k.Type == 'f' && k.Parent != 0 {
			if err := a.unlinkConstraint(k.OID); err != nil {
				return err
			}
		}
	}
	return nil
}
