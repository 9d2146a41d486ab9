package ddl

import (
	"slices"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/partition"
)

// foreignKeyBelow gives all partitions a foreign key of their table: the partitions' triggers check new rows, the triggers on the referenced table are
// the partitioned table's alone.
func (c *ctx) foreignKeyBelow(rel, pk *catalog.Relation, k *constraintRow, oid OID, skipCheck bool) error {
	kids, err := c.childrenOf(rel.OID, shareRowExclusive)
	if err != nil {
		return err
	}
	for _, child := range kids {
		if err := c.foreignKeyOf(rel, child, pk, k, oid, skipCheck); err != nil {
			return err
		}
	}
	return nil
}

// foreignKeyOf gives one partition the foreign key: one that it has already, or a new one.
func (c *ctx) foreignKeyOf(parent, rel, pk *catalog.Relation, k *constraintRow, oid OID, skipCheck bool) error {
	cols := partition.MapColumns(parent, rel)
	own := *k
	own.rel, own.parent, own.inhCount, own.noInherit = rel.OID, oid, 1, false
	own.keys, own.delSetCols = mapNumbers(k.keys, cols), mapNumbers(k.delSetCols, cols)
	for _, fk := range rel.FKs {
		if fk.Parent == 0 && fk.Validated && sameForeignKey(fk, &own) {
			if err := c.linkConstraint(rel.OID, fk.OID, oid); err != nil {
				return err
			}
			return c.next()
		}
	}
	if hasConstraint(rel, own.name) {
		var names []string
		for _, n := range own.keys {
			names = append(names, rel.Desc.Attrs[n-1].Name)
		}
		var err error
		if own.name, err = c.freeConstraintName(rel.Name, joinedNames(names), "fkey", rel.Namespace, constraintNames(rel)); err != nil {
			return err
		}
	}
	con, err := c.insertConstraint(&own)
	if err != nil {
		return err
	}
	self := object(catalog.PgConstraintOID, con)
	if err := c.v.Depend(self, catalog.DepPartitionPri, object(catalog.PgConstraintOID, oid)); err != nil {
		return err
	}
	if err := c.v.Depend(self, catalog.DepPartitionSec, relObject(rel.OID, 0)); err != nil {
		return err
	}
	if err := c.checkTriggers(&own, con); err != nil {
		return err
	}
	if rel, err = c.reload(rel.OID); err != nil {
		return err
	}
	if rel.Kind == 'p' {
		return c.foreignKeyBelow(rel, pk, &own, con, skipCheck)
	}
	if skipCheck {
		return nil
	}
	return c.validateForeignKeyNamed(rel, pk, con)
}

func mapNumbers(nums, cols []int16) (out []int16) {
	for _, n := range nums {
		out = append(out, cols[n-1])
	}
	return out
}

func sameForeignKey(fk *catalog.Constraint, k *constraintRow) bool {
	return fk.RefRel == k.refRel && slices.Equal(fk.Keys, k.keys) && slices.Equal(fk.RefKeys, k.refKeys) && slices.Equal(fk.PFEqOps, k.pfeq) &&
		fk.UpdAction == k.updAction && fk.DelAction == k.delAction && fk.MatchType == k.match && fk.Deferrable == k.deferrable && fk.Deferred == k.deferred
}

// partitionForeignKeys gives a new partition the foreign keys of the partitioned table.
func (c *ctx) partitionForeignKeys(oid OID, parent *catalog.Relation) error {
	for _, fk := range parent.FKs {
		pk, err := c.Session.LockRelation(fk.RefRel, shareRowExclusive)
		if err != nil {
			return err
		}
		rel, err := c.reload(oid)
		if err != nil {
			return err
		}
		k := &constraintRow{name: fk.Name, ns: rel.Namespace, kind: 'f', deferrable: fk.Deferrable, deferred: fk.Deferred, validated: fk.Validated,
			refRel: fk.RefRel, index: fk.Index, keys: fk.Keys, refKeys: fk.RefKeys, delSetCols: fk.DelSetCols, updAction: fk.UpdAction,
			delAction: fk.DelAction, match: fk.MatchType, pfeq: fk.PFEqOps, ppeq: fk.PPEqOps, ffeq: fk.FFEqOps}
		if err := c.foreignKeyOf(parent, rel, pk, k, fk.OID, !fk.Validated); err != nil {
			return err
		}
	}
	return nil
}
