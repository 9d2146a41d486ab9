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

// An index of a partitioned table keeps nothing itself: it stands for the indexes of the partitions that are attached to it.

// checkPartitionUnique refuses a unique index that could not see a duplicate in another partition: it must have all columns of the key.
func (c *ctx) checkPartitionUnique(rel *catalog.Relation, d *indexDef) error {
	if !d.unique && !d.primary && d.exclOps == nil {
		return nil
	}
	what := "UNIQUE"
	switch {
	case d.primary:
		what = "PRIMARY KEY"
	case d.exclOps != nil:
		what = "EXCLUDE"
	}
	for i, att := range rel.PartKey.Attrs {
		if att == 0 {
			return pgerr.New(pgerr.FeatureNotSupported, "unsupported %s constraint with partition key definition", what).
				WithDetail("%s constraints cannot be used when partition keys include expressions.", what)
		}
		eq, err := c.equalityOf(rel.PartKey.OpClasses[i])
		if err != nil {
			return err
		}
		found := false
		for _, k := range d.keys[:d.numKeys] {
			if k.attr != att {
				continue
			}
			ixEq, err := c.equalityOf(k.opclass)
			if err != nil {
				return err
			}
			found = found || eq == ixEq
		}
		if !found {
			return pgerr.New(pgerr.FeatureNotSupported, "unique constraint on partitioned table must include all partitioning columns").
				WithDetail("%s constraint on table \"%s\" lacks column \"%s\" which is part of the partition key.", what, rel.Name,
					rel.Desc.Attrs[att-1].Name)
		}
	}
	return nil
}

// equalityOf gives the equality operator of an operator class.
func (c *ctx) equalityOf(class OID) (OID, error) {
	opc, err := c.v.OpClass(class)
	if err != nil {
		return 0, err
	}
	strategy := int16(3)
	if opc.AM == catalog.HashAM {
		strategy = 1
	}
	return c.v.AmOp(opc.Family, opc.InType, opc.InType, strategy)
}

// makeIndexTree makes an index, and for a partitioned table those of its partitions; only: of the table alone.
func (c *ctx) makeIndexTree(rel *catalog.Relation, d *indexDef, only bool) (OID, error) {
	if rel.Kind != 'p' {
		return c.makeIndex(rel, d)
	}
	if err := c.checkPartitionUnique(rel, d); err != nil {
		return 0, err
	}
	kids, err := c.childrenOf(rel.OID, share)
	if err != nil {
		return 0, err
	}
	d.invalid = only && len(kids) > 0
	oid, err := c.makeIndex(rel, d)
	if err != nil || only {
		return oid, err
	}
	for _, k := range kids {
		if err := c.indexPartition(rel, k, d, oid); err != nil {
			return 0, err
		}
	}
	return oid, nil
}

// indexPartition gives a partition an index for one of the partitioned table: one that it has already, or a new one.
func (c *ctx) indexPartition(parent, rel *catalog.Relation, d *indexDef, oid OID) error {
	if rel.Kind == 'f' {
		if d.unique || d.primary {
			return pgerr.New(pgerr.WrongObjectType, "cannot create unique index on partitioned table \"%s\"", parent.Name).
				WithDetail("Table \"%s\" contains partitions that are foreign tables.", parent.Name)
		}
		return nil
	}
	want := d.forPartition(parent, rel)
	for _, ix := range rel.Indexes {
		if ix.Parent != 0 || !c.sameIndex(want, ix) {
			continue
		}
		if d.constraint && !c.constraintFits(rel, ix, d) {
			continue
		}
		if err := c.attachIndex(rel, ix, oid, d.constraintOID); err != nil {
			return err
		}
		if !ix.Valid {
			return c.setIndexValid(oid, false)
		}
		return nil
	}
	want.parentIndex, want.parentConstraint = oid, d.constraintOID
	if want.primary {
		var err error
		if rel, err = c.primaryNotNull(rel, want, false); err != nil {
			return err
		}
	}
	if _, err := c.indexName(rel, want, false); err != nil {
		return err
	}
	_, err := c.makeIndexTree(rel, want, false)
	return err
}

// forPartition is the definition in terms of a partition's columns.
func (d *indexDef) forPartition(parent, rel *catalog.Relation) *indexDef {
	cols := partition.MapColumns(parent, rel)
	n := *d
	n.name, n.oid, n.constraintOID, n.invalid = "", 0, 0, false
	n.parentIndex, n.parentConstraint = 0, 0
	n.keys = slices.Clone(d.keys)
	for i := range n.keys {
		k := &n.keys[i]
		if k.attr != 0 {
			k.attr = cols[k.attr-1]
			column := rel.Desc.Attrs[k.attr-1]
			column.Name = k.column.Name
			k.column = column
			continue
		}
		k.expr = partition.MapVars([]query.Expr{k.expr}, cols)[0]
	}
	if d.pred != nil {
		n.pred = partition.MapVars([]query.Expr{d.pred}, cols)[0]
	}
	return &n
}

// sameIndex says whether an index is as a definition wants it: what it indexes and how, not in what order.
func (c *ctx) sameIndex(d *indexDef, ix *catalog.Index) bool {
	if d.unique != ix.Unique || d.nullsNotDistinct != ix.NullsNotDistinct || d.am != ix.AM || len(d.keys) != len(ix.Keys) || d.numKeys != ix.NumKeys ||
		ix.Exclusion != (d.exclOps != nil) || !slices.Equal(ix.ExclOps, d.exclOps) || (d.pred == nil) != (ix.Pred == nil) {
		return false
	}
	next := 0
	for i, k := range d.keys {
		if k.attr != ix.Keys[i] {
			return false
		}
		if k.attr == 0 {
			if !query.Equal(k.expr, ix.Exprs[next]) {
				return false
			}
			next++
		}
		if i >= d.numKeys {
			continue
		}
		opc, err := c.v.OpClass(k.opclass)
		if err != nil || opc == nil || opc.Family != ix.OpFamilies[i] || k.coll != ix.Collations[i] {
			return false
		}
	}
	return d.pred == nil || query.Equal(d.pred, ix.Pred)
}

// constraintFits: the index has a constraint of the same kind as the definition's.
func (c *ctx) constraintFits(rel *catalog.Relation, ix *catalog.Index, d *indexDef) bool {
	for _, k := range rel.Constraints() {
		if k.Index == ix.OID && k.Type == d.constraintKind() {
			return true
		}
	}
	return false
}

// constraintKind is pg_constraint.contype of a constraint with an index.
func (d *indexDef) constraintKind() byte {
	switch {
	case d.primary:
		return 'p'
	case d.exclOps != nil:
		return 'x'
	}
	return 'u'
}

// attachIndex makes a partition's index part of the partitioned table's.
func (c *ctx) attachIndex(rel *catalog.Relation, ix *catalog.Index, parent, parentConstraint OID) error {
	if err := c.linkIndex(rel.OID, ix.OID, parent); err != nil {
		return err
	}
	if parentConstraint != 0 && ix.Constraint != 0 {
		if err := c.linkConstraint(rel.OID, ix.Constraint, parentConstraint); err != nil {
			return err
		}
	}
	return c.next()
}

// linkIndex records which index of the partitioned table an index belongs to.
func (c *ctx) linkIndex(rel, index, parent OID) error {
	row := catalog.NewRow(catalog.PgInheritsOID)
	row[catalog.InheritsInhrelid], row[catalog.InheritsInhparent] = types.Oid(index), types.Oid(parent)
	row[catalog.InheritsInhseqno], row[catalog.InheritsInhdetachpending] = types.Int4(1), types.Bool(false)
	if err := c.v.Insert(catalog.PgInheritsOID, row); err != nil {
		return err
	}
	if err := c.setHasSubclass(parent); err != nil {
		return err
	}
	if err := c.setIsPartition(index, true); err != nil {
		return err
	}
	self := relObject(index, 0)
	if err := c.v.Depend(self, catalog.DepPartitionPri, relObject(parent, 0)); err != nil {
		return err
	}
	return c.v.Depend(self, catalog.DepPartitionSec, relObject(rel, 0))
}

func (c *ctx) setIsPartition(oid OID, is bool) error {
	return c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) {
		row[catalog.ClassRelispartition] = types.Bool(is)
	})
}

// linkConstraint records which constraint of the partitioned table a partition's belongs to.
func (c *ctx) linkConstraint(rel, con, parent OID) error {
	err := c.changeConstraint(con, func(row types.Row) {
		row[catalog.ConstraintConislocal] = types.Bool(false)
		row[catalog.ConstraintConinhcount] = types.Int4(row[catalog.ConstraintConinhcount].Int4() + 1)
		row[catalog.ConstraintConparentid] = types.Oid(parent)
	})
	if err != nil {
		return err
	}
	self := object(catalog.PgConstraintOID, con)
	if err := c.v.Depend(self, catalog.DepPartitionPri, object(catalog.PgConstraintOID, parent)); err != nil {
		return err
	}
	return c.v.Depend(self, catalog.DepPartitionSec, relObject(rel, 0))
}

// unlinkIndex makes an index, and its constraint, independent again.
func (c *ctx) unlinkIndex(ix *catalog.Index) error {
	if _, err := c.v.DeleteWhere(catalog.PgInheritsOID, catalog.PgInheritsRelidSeqnoIndexOID, types.Oid(ix.OID)); err != nil {
		return err
	}
	if err := c.setIsPartition(ix.OID, false); err != nil {
		return err
	}
	if err := c.dropPartitionDepends(relObject(ix.OID, 0)); err != nil {
		return err
	}
	if ix.Constraint == 0 {
		return nil
	}
	return c.unlinkConstraint(ix.Constraint)
}

func (c *ctx) unlinkConstraint(con OID) error {
	err := c.changeConstraint(con, func(row types.Row) {
		n := row[catalog.ConstraintConinhcount].Int4() - 1
		row[catalog.ConstraintConinhcount], row[catalog.ConstraintConislocal] = types.Int4(n), types.Bool(true)
		row[catalog.ConstraintConparentid] = types.Oid(0)
	})
	if err != nil {
		return err
	}
	return c.dropPartitionDepends(object(catalog.PgConstraintOID, con))
}

func (c *ctx) dropPartitionDepends(o catalog.Object) error {
	for _, kind := range []byte{catalog.DepPartitionPri, catalog.DepPartitionSec} {
		if err := c.v.RemoveDepends(o, kind, 0); err != nil {
			return err
		}
	}
	return nil
}

func (c *ctx) setIndexValid(oid OID, valid bool) error {
	return c.v.Modify(catalog.PgIndexOID, catalog.PgIndexIndexrelidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) {
		row[catalog.IndexIndisvalid] = types.Bool(valid)
	})
}

// definition makes the indexDef that an index was made of, to make another one like it.
func (c *ctx) definition(rel *catalog.Relation, ix *catalog.Index) *indexDef {
	d := &indexDef{am: ix.AM, numKeys: ix.NumKeys, unique: ix.Unique, nullsNotDistinct: ix.NullsNotDistinct, primary: ix.Primary,
		constraint: ix.Constraint != 0, constraintOID: ix.Constraint, deferrable: ix.Deferrable, deferred: ix.Deferred, options: ix.Options, pred: ix.Pred,
		exclOps: ix.ExclOps}
	next := 0
	for i, att := range ix.Keys {
		k := indexKey{attr: att, name: ix.Attrs[i].Name}
		if att != 0 {
			k.column = rel.Desc.Attrs[att-1]
		} else {
			k.expr = ix.Exprs[next]
			next++
			if t, err := c.v.Type(k.expr.Type()); err == nil && t != nil {
				k.column = types.Attr{TypeOID: t.OID, TypMod: k.expr.TypMod(), Len: t.Len, ByVal: t.ByVal, Align: t.Align, Storage: t.Storage}
			}
		}
		if i < ix.NumKeys {
			k.opclass, k.coll, k.desc, k.nullsFirst = ix.OpClasses[i], ix.Collations[i], ix.Desc[i], ix.NullsFirst[i]
		}
		d.keys = append(d.keys, k)
	}
	return d
}

// partitionIndexes gives a new partition the indexes of the partitioned table.
func (c *ctx) partitionIndexes(oid OID, parent *catalog.Relation) error {
	for _, ix := range parent.Indexes {
		rel, err := c.reload(oid)
		if err != nil {
			return err
		}
		if err := c.indexPartition(parent, rel, c.definition(parent, ix), ix.OID); err != nil {
			return err
		}
	}
	return nil
}

// attachIndexPartition is ALTER INDEX ... ATTACH PARTITION.
func (a *alteration) attachIndexPartition(n *pg_query.PartitionCmd) error {
	parent := a.rel
	child, err := a.open(n.Name, accessExclusive)
	if err != nil {
		return err
	}
	if child.Kind != 'i' && child.Kind != 'I' {
		return pgerr.New(pgerr.InvalidObjectDefinition, "\"%s\" is not an index", child.Name)
	}
	table, err := a.v.Relation(parent.Index.TableOID)
	if err != nil {
		return err
	}
	part, err := a.Session.LockRelation(child.Index.TableOID, accessShare)
	if err != nil {
		return err
	}
	var ix *catalog.Index
	for _, x := range part.Indexes {
		if x.OID == child.OID {
			ix = x
		}
	}
	if ix.Parent == parent.OID {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return pgerr.New(pgerr.InvalidObjectDefinition, "cannot attach index \"%s\" as a partition of index \"%s\"", child.Name, parent.Name).
			WithDetail(format, args...)
	}
	for _, x := range part.Indexes {
		if x.Parent == parent.OID {
			return refuse("Another index is already attached for partition \"%s\".", part.Name)
		}
	}
	if ix.Parent != 0 {
		return refuse("Index \"%s\" is already attached to another index.", child.Name)
	}
	if !part.IsPartition || !slices.Contains(part.Parents, table.OID) {
		return refuse("Index \"%s\" is not an index on any partition of table \"%s\".", child.Name, table.Name)
	}
	var own *catalog.Index
	for _, x := range table.Indexes {
		if x.OID == parent.OID {
			own = x
		}
	}
	if !a.sameIndex(a.definition(table, own).forPartition(table, part), ix) {
		return refuse("The index definitions do not match.")
	}
	if own.Constraint != 0 && ix.Constraint == 0 {
		return refuse("The index \"%s\" belongs to a constraint in table \"%s\" but no constraint exists for index \"%s\".", parent.Name, table.Name, child.Name)
	}
	if err := a.attachIndex(part, ix, parent.OID, own.Constraint); err != nil {
		return err
	}
	return a.validatePartitionedIndex(table, own)
}

// validatePartitionedIndex marks a partitioned table's index valid when all partitions have a valid one attached, and then those above it.
func (c *ctx) validatePartitionedIndex(table *catalog.Relation, ix *catalog.Index) error {
	valid := 0
	for _, oid := range table.Children {
		part, err := c.v.Relation(oid)
		if err != nil {
			return err
		}
		for _, x := range part.Indexes {
			if x.Parent == ix.OID && x.Valid {
				valid++
			}
		}
	}
	if valid != len(table.Children) || ix.Valid {
		return nil
	}
	if err := c.setIndexValid(ix.OID, true); err != nil {
		return err
	}
	if ix.Parent == 0 || len(table.Parents) == 0 {
		return nil
	}
	above, err := c.reload(table.Parents[0])
	if err != nil {
		return err
	}
	for _, x := range above.Indexes {
		if x.OID == ix.Parent {
			return c.validatePartitionedIndex(above, x)
		}
	}
	return nil
}
