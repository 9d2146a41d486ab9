package catalog

import (
	"fmt"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pgstat"
)

// oidIndexes are the indexes on the OID columns of the catalogs of objects that are one row.
var oidIndexes = map[OID]OID{
	PgProcOID: PgProcOidIndexOID, PgTypeOID: PgTypeOidIndexOID, PgConstraintOID: PgConstraintOidIndexOID, PgAttrdefOID: PgAttrdefOidIndexOID,
	PgRewriteOID: PgRewriteOidIndexOID, PgTriggerOID: PgTriggerOidIndexOID, PgNamespaceOID: PgNamespaceOidIndexOID, PgCastOID: PgCastOidIndexOID,
	PgOperatorOID: PgOperatorOidIndexOID, PgOpclassOID: PgOpclassOidIndexOID, PgOpfamilyOID: PgOpfamilyOidIndexOID, PgAmopOID: PgAmopOidIndexOID,
	PgAmprocOID: PgAmprocOidIndexOID, PgLanguageOID: PgLanguageOidIndexOID, PgCollationOID: PgCollationOidIndexOID,
	PgConversionOID: PgConversionOidIndexOID, PgPolicyOID: PgPolicyOidIndexOID, PgExtensionOID: PgExtensionOidIndexOID, PgAmOID: PgAmOidIndexOID,
	PgClassOID: PgClassOidIndexOID, PgAuthidOID: PgAuthidOidIndexOID, PgDatabaseOID: PgDatabaseOidIndexOID, PgTablespaceOID: PgTablespaceOidIndexOID,
	PgTsConfigOID: PgTsConfigOidIndexOID, PgTsDictOID: PgTsDictOidIndexOID, PgTsParserOID: PgTsParserOidIndexOID,
	PgTsTemplateOID: PgTsTemplateOidIndexOID, PgEventTriggerOID: PgEventTriggerOidIndexOID, PgStatisticExtOID: PgStatisticExtOidIndexOID,
	PgDefaultAclOID: PgDefaultAclOidIndexOID,
}

// OIDIndex gives a catalog's index on its OID column, 0 when it has none.
func OIDIndex(class OID) OID { return oidIndexes[class] }

// removeRows deletes the rows that are an object.
func (v *View) removeRows(o Object) error {
	oid := types.Oid(o.OID)
	switch o.Class {
	case PgClassOID:
		if o.Sub != 0 {
			return v.removeColumn(o.OID, int16(o.Sub))
		}
		return v.removeRelation(o.OID)
	case PgTypeOID:
		return v.removeAll(o, [][2]OID{{PgEnumOID, PgEnumTypidSortorderIndexOID}, {PgRangeOID, PgRangeRngtypidIndexOID}})
	case PgProcOID:
		return v.removeAll(o, [][2]OID{{PgAggregateOID, PgAggregateFnoidIndexOID}})
	case PgConstraintOID:
		return v.removeConstraint(o.OID)
	case PgAttrdefOID:
		return v.removeDefault(o.OID)
	case PgOperatorOID:
		return v.removeOperator(o.OID)
	case PgTsConfigOID:
		return v.removeAll(o, [][2]OID{{PgTsConfigMapOID, PgTsConfigMapIndexOID}})
	case PgOpfamilyOID:
		return v.removeAll(o, [][2]OID{{PgAmopOID, PgAmopFamStratIndexOID}, {PgAmprocOID, PgAmprocFamProcIndexOID}})
	}
	index, ok := oidIndexes[o.Class]
	if !ok {
		return pgerr.Internal("objects of catalog %d can't be dropped", o.Class)
	}
	_, err := v.DeleteWhere(o.Class, index, oid)
	return err
}

// removeOperator deletes an operator; its commutator and negator forget it.
func (v *View) removeOperator(oid OID) error {
	o, err := v.Operator(oid)
	if err != nil {
		return err
	}
	if o == nil {
		return missing("operator", oid)
	}
	for _, other := range []OID{o.Commutator, o.Negator} {
		if other == 0 || other == oid {
			continue
		}
		tid, old, err := v.Find(PgOperatorOidIndexOID, types.Oid(other))
		if err != nil {
			return err
		}
		if old == nil || old[OperatorOprcom].Oid() != oid && old[OperatorOprnegate].Oid() != oid {
			continue
		}
		row := append(types.Row(nil), old...)
		for _, col := range []int{OperatorOprcom, OperatorOprnegate} {
			if row[col].Oid() == oid {
				row[col] = types.Oid(0)
			}
		}
		if err := v.Update(PgOperatorOID, tid, old, row); err != nil {
			return err
		}
		if err := v.NextCommand(); err != nil {
			return err
		}
	}
	_, err = v.DeleteWhere(PgOperatorOID, PgOperatorOidIndexOID, types.Oid(oid))
	return err
}

// removeAll deletes an object's row, and those of other catalogs (with the index that finds them) that belong to it.
func (v *View) removeAll(o Object, more [][2]OID) error {
	if _, err := v.DeleteWhere(o.Class, oidIndexes[o.Class], types.Oid(o.OID)); err != nil {
		return err
	}
	for _, m := range more {
		if _, err := v.DeleteWhere(m[0], m[1], types.Oid(o.OID)); err != nil {
			return err
		}
	}
	return nil
}

// removeRelation deletes a relation with its columns, statistics and storage. Its row type, defaults, constraints, rules and triggers are
// objects of their own.
func (v *View) removeRelation(oid OID) error {
	rel, err := v.Relation(oid)
	if err != nil {
		return err
	}
	if rel == nil {
		return missing("relation", oid)
	}
	key := types.Oid(oid)
	if rel.PartBound != nil && rel.PartBound.IsDefault && len(rel.Parents) > 0 {
		if err := v.dropDefaultPartition(rel.Parents[0], oid); err != nil {
			return err
		}
	}
	if rel.Kind == 'i' || rel.Kind == 'I' {
		if _, err := v.DeleteWhere(PgIndexOID, PgIndexIndexrelidIndexOID, key); err != nil {
			return err
		}
	}
	for _, c := range [][2]OID{{PgInheritsOID, PgInheritsRelidSeqnoIndexOID}, {PgStatisticOID, PgStatisticRelidAttInhIndexOID},
		{PgAttributeOID, PgAttributeRelidAttnumIndexOID}, {PgSequenceOID, PgSequenceSeqrelidIndexOID},
		{PgPartitionedTableOID, PgPartitionedTablePartrelidIndexOID}, {PgClassOID, PgClassOidIndexOID}} {
		if _, err := v.DeleteWhere(c[0], c[1], key); err != nil {
			return err
		}
	}
	if hasStorage(rel.Kind) {
		v.sess.Tx.OnCommit(func() { v.sess.Stats.Dropped(pgstat.OID(oid)) })
		v.DropStorage(rel.Storage, rel.Persistence == 't')
	}
	if rel.Kind == 'S' {
		v.DropSequenceState(rel.Storage)
	}
	return nil
}

// dropDefaultPartition makes a partitioned table forget its default partition.
func (v *View) dropDefaultPartition(parent, def OID) error {
	_, row, err := v.Find(PgPartitionedTablePartrelidIndexOID, types.Oid(parent))
	if err != nil || row == nil || row[PartitionedTablePartdefid].Oid() != def {
		return err
	}
	return v.Modify(PgPartitionedTableOID, PgPartitionedTablePartrelidIndexOID, []types.Datum{types.Oid(parent)}, func(row types.Row) {
		row[PartitionedTablePartdefid] = types.Oid(0)
	})
}

// removeColumn marks a column as dropped: rows keep their values, which nobody sees any more.
func (v *View) removeColumn(rel OID, num int16) error {
	if _, err := v.DeleteWhere(PgStatisticOID, PgStatisticRelidAttInhIndexOID, types.Oid(rel), types.Int2(num)); err != nil {
		return err
	}
	return v.Modify(PgAttributeOID, PgAttributeRelidAttnumIndexOID, []types.Datum{types.Oid(rel), types.Int2(num)}, func(row types.Row) {
		row[AttributeAttname] = types.Text(fmt.Sprintf("........pg.dropped.%d........", num))
		row[AttributeAttisdropped] = types.Bool(true)
		row[AttributeAtttypid] = types.Oid(0)
		row[AttributeAttnotnull] = types.Bool(false)
		row[AttributeAttstattarget] = types.Int4(0)
		row[AttributeAttgenerated] = types.Char(0)
		row[AttributeAtthasmissing] = types.Bool(false)
		row[AttributeAttmissingval] = types.Null
		row[AttributeAttacl] = types.Null
		row[AttributeAttoptions] = types.Null
		row[AttributeAttfdwoptions] = types.Null
	})
}

// removeConstraint deletes a constraint and counts a table's checks down.
func (v *View) removeConstraint(oid OID) error {
	c, err := v.Constraint(oid)
	if err != nil {
		return err
	}
	if c == nil {
		return missing("constraint", oid)
	}
	if _, err := v.DeleteWhere(PgConstraintOID, PgConstraintOidIndexOID, types.Oid(oid)); err != nil {
		return err
	}
	if c.Type != 'c' || c.Rel == 0 {
		return nil
	}
	return v.Modify(PgClassOID, PgClassOidIndexOID, []types.Datum{types.Oid(c.Rel)}, func(row types.Row) {
		row[ClassRelchecks] = types.Int2(row[ClassRelchecks].Int2() - 1)
	})
}

// removeDefault deletes a column's default, and says so in the column.
func (v *View) removeDefault(oid OID) error {
	tid, row, err := v.Find(PgAttrdefOidIndexOID, types.Oid(oid))
	if err != nil {
		return err
	}
	if row == nil {
		return missing("attribute default", oid)
	}
	if err := v.Delete(PgAttrdefOID, tid, row); err != nil {
		return err
	}
	return v.Modify(PgAttributeOID, PgAttributeRelidAttnumIndexOID, []types.Datum{row[AttrdefAdrelid], row[AttrdefAdnum]}, func(row types.Row) {
		row[AttributeAtthasdef] = types.Bool(false)
		row[AttributeAttgenerated] = types.Char(0)
	})
}
