package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/partition"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// partitionTriggers gives a new partition the row triggers of the partitioned table.
func (c *ctx) partitionTriggers(oid OID, parent *catalog.Relation) error {
	for _, tg := range parent.Triggers {
		if tg.Internal || tg.Type&executor.TriggerRow == 0 {
			continue
		}
		if err := c.copyTrigger(tg, parent, oid); err != nil {
			return err
		}
	}
	return nil
}

// copyTrigger clones a stored trigger to a partition, and to its partitions.
func (c *ctx) copyTrigger(tg *catalog.Trigger, from *catalog.Relation, oid OID) error {
	rel, err := c.reload(oid)
	if err != nil {
		return err
	}
	t := &newTrigger{rel: rel, kind: tg.Type, old: tg.OldTable, new: tg.NewTable, parent: tg.OID, n: &pg_query.CreateTrigStmt{Trigname: tg.Name, Row: true,
		Deferrable: tg.Deferrable, Initdeferred: tg.InitDeferred, Isconstraint: tg.Constraint != 0, Args: stringNodes(tg.Args...)}}
	if t.fn, err = c.v.Proc(tg.Func); err != nil {
		return err
	}
	if t.fn == nil {
		return pgerr.Internal("cache lookup failed for function %d", tg.Func)
	}
	if tg.ConstrRel != 0 {
		if t.constrRel, err = c.v.Relation(tg.ConstrRel); err != nil {
			return err
		}
	}
	cols := partition.MapColumns(from, rel)
	for _, num := range tg.Attrs {
		t.columns = append(t.columns, cols[num-1])
	}
	if tg.When != nil {
		t.when = partition.MapVars([]query.Expr{tg.When}, cols)[0]
	}
	clone, err := c.storeTrigger(t)
	if err != nil {
		return err
	}
	if err := c.next(); err != nil {
		return err
	}
	if tg.Enabled != 'O' {
		err := c.v.Modify(catalog.PgTriggerOID, catalog.PgTriggerOidIndexOID, []types.Datum{types.Oid(clone)}, func(row types.Row) {
			row[catalog.TriggerTgenabled] = types.Char(tg.Enabled)
		})
		if err != nil {
			return err
		}
	}
	if rel.Kind != 'p' {
		return nil
	}
	if rel, err = c.reload(oid); err != nil {
		return err
	}
	for _, own := range rel.Triggers {
		if own.OID != clone {
			continue
		}
		for _, child := range rel.Children {
			if err := c.copyTrigger(own, rel, child); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropPartitionTriggers drops the triggers that a detached partition has from its parent.
func (c *ctx) dropPartitionTriggers(rel *catalog.Relation) error {
	for _, tg := range rel.Triggers {
		if tg.Parent == 0 || tg.Internal {
			continue
		}
		o := object(catalog.PgTriggerOID, tg.OID)
		if err := c.dropPartitionDepends(o); err != nil {
			return err
		}
		if err := c.next(); err != nil {
			return err
		}
		if err := c.dropObjects([]catalog.Object{o}, pg_query.DropBehavior_DROP_RESTRICT); err != nil {
			return err
		}
	}
	return nil
}
