package ddl

import (
	"fmt"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/types"
)

// triggerRow are the columns of pg_trigger that insertTrigger asks for.
type triggerRow struct {
	rel                                OID
	name                               string // a constraint trigger's gets its OID behind it
	fn                                 OID
	kind                               int16
	constrRel, constraint, constrIndex OID
	deferrable, deferred               bool
}

// insertTrigger makes the row of an internal trigger, which belongs to its constraint.
func (c *ctx) insertTrigger(t *triggerRow) (OID, error) {
	oid, err := c.v.GetNewOID(catalog.PgTriggerOidIndexOID)
	if err != nil {
		return 0, err
	}
	row := catalog.NewRow(catalog.PgTriggerOID)
	row[catalog.TriggerOid] = types.Oid(oid)
	row[catalog.TriggerTgrelid] = types.Oid(t.rel)
	row[catalog.TriggerTgparentid] = types.Oid(0)
	row[catalog.TriggerTgname] = types.Text(fmt.Sprintf("%s_%d", t.name, oid))
	row[catalog.TriggerTgfoid] = types.Oid(t.fn)
	row[catalog.TriggerTgtype] = types.Int2(t.kind)
	row[catalog.TriggerTgenabled] = types.Char('O')
	row[catalog.TriggerTgisinternal] = types.Bool(true)
	row[catalog.TriggerTgconstrrelid] = types.Oid(t.constrRel)
	row[catalog.TriggerTgconstrindid] = types.Oid(t.constrIndex)
	row[catalog.TriggerTgconstraint] = types.Oid(t.constraint)
	row[catalog.TriggerTgdeferrable] = types.Bool(t.deferrable)
	row[catalog.TriggerTginitdeferred] = types.Bool(t.deferred)
	row[catalog.TriggerTgnargs] = types.Int2(0)
	row[catalog.TriggerTgattr] = catalog.Int2Vector(nil)
	row[catalog.TriggerTgargs] = types.Bytes(nil)
	if err := c.v.Insert(catalog.PgTriggerOID, row); err != nil {
		return 0, err
	}
	if err := c.v.Depend(object(catalog.PgTriggerOID, oid), catalog.DepInternal, object(catalog.PgConstraintOID, t.constraint)); err != nil {
		return 0, err
	}
	return oid, c.markTriggers(t.rel)
}

// markTriggers notes in pg_class that a table has triggers.
func (c *ctx) markTriggers(rel OID) error {
	tid, old, err := c.v.Find(catalog.PgClassOidIndexOID, types.Oid(rel))
	if err != nil || old == nil || old[catalog.ClassRelhastriggers].Bool() {
		return err
	}
	row := append(types.Row(nil), old...)
	row[catalog.ClassRelhastriggers] = types.Bool(true)
	if err := c.v.Update(catalog.PgClassOID, tid, old, row); err != nil {
		return err
	}
	return c.next()
}
