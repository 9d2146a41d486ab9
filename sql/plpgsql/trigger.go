package plpgsql

import (
	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// triggerDatums are the variables of a trigger function.
type triggerDatums struct {
	new, old                                             *datum
	name, when, level, op, relid, relname, table, schema *datum
	nargs, argv                                          *datum
}

// Trigger makes the callable of a trigger function for one trigger.
func (rt *Runtime) Trigger(p *catalog.Proc, tg *catalog.Trigger) (executor.TriggerFunc, error) {
	if p.RetType != types.TriggerOID {
		return nil, pgerr.New(pgerr.InvalidObjectDefinition, "function %s must return type %s", p.Name, "trigger")
	}
	return func(c *executor.TriggerCall) (types.Row, error) {
		key := funcKey{oid: p.OID, table: c.Table.Rel.OID}
		fn := rt.funcs[key]
		if fn == nil || fn.proc != p {
			var err error
			fn, err = rt.compile(p, func(ps *parser) error { return ps.declareTrigger(c.Table.Rel) })
			if err != nil {
				return nil, err
			}
			rt.keep(key, fn)
		}
		return rt.callTrigger(fn, c)
	}, nil
}

// declareTrigger makes NEW, OLD and the TG_ variables.
func (ps *parser) declareTrigger(*catalog.Relation) error {
	record := varType{oid: types.RecordOID, mod: -1, row: true}
	name := varType{oid: types.NameOID, mod: -1, coll: catalog.CCollation}
	text := varType{oid: types.TextOID, mod: -1, coll: catalog.DefaultCollation}
	t := &triggerDatums{}
	t.new, t.old = ps.declare("new", 0, record), ps.declare("old", 0, record)
	t.name, t.when = ps.declare("tg_name", 0, name), ps.declare("tg_when", 0, text)
	t.level, t.op = ps.declare("tg_level", 0, text), ps.declare("tg_op", 0, text)
	t.relid = ps.declare("tg_relid", 0, varType{oid: types.OidOID, mod: -1})
	t.relname, t.table = ps.declare("tg_relname", 0, name), ps.declare("tg_table_name", 0, name)
	t.schema = ps.declare("tg_table_schema", 0, name)
	t.nargs = ps.declare("tg_nargs", 0, varType{oid: types.Int4OID, mod: -1})
	t.argv = ps.declare("tg_argv", 0, varType{oid: types.TextArrayOID, mod: -1, coll: catalog.DefaultCollation})
	ps.fn.trigger = t
	ps.fn.ret = record
	return nil
}

// callTrigger runs a trigger function.
func (rt *Runtime) callTrigger(fn *Function, c *executor.TriggerCall) (types.Row, error) {
	f, err := rt.enter(fn)
	if err != nil {
		return nil, err
	}
	defer rt.leave(f)
	f.trigger, f.atomic = c, true
	f.setTriggerVariables(c)
	f.set(fn.found, types.Bool(false))
	fl, err := f.run([]statement{fn.body})
	if err != nil {
		return nil, f.locate(err).err
	}
	f.line, f.name, f.stage = 0, "", "during function exit"
	row, err := f.triggerResult(fl, c)
	if err != nil {
		return nil, f.locate(err).err
	}
	return row, nil
}

func (f *frame) setTriggerVariables(c *executor.TriggerCall) {
	t := f.fn.trigger
	desc := c.Table.Rel.Desc
	f.setRow(t.new, desc, c.New)
	if c.Before && c.Event == executor.TriggerUpdate && c.New != nil {
		for i := range desc.Attrs { // they are computed after the trigger
			if desc.Attrs[i].Generated != 0 {
				f.records[t.new.number].values[i] = types.Null
			}
		}
	}
	f.setRow(t.old, desc, c.Old)
	tg := c.Trigger
	f.set(t.name, types.Text(tg.Name))
	when := "AFTER"
	switch {
	case tg.Type&executor.TriggerInstead != 0:
		when = "INSTEAD OF"
	case tg.Type&executor.TriggerBefore != 0:
		when = "BEFORE"
	}
	f.set(t.when, types.Text(when))
	level := "STATEMENT"
	if tg.Type&executor.TriggerRow != 0 {
		level = "ROW"
	}
	f.set(t.level, types.Text(level))
	f.set(t.op, types.Text(triggerOp(c.Event)))
	rel := c.Table.Rel
	f.set(t.relid, types.Oid(rel.OID))
	f.set(t.relname, types.Text(rel.Name))
	f.set(t.table, types.Text(rel.Name))
	if ns, err := f.rt.host.AnalyzeEnv().Catalog.Namespace(rel.Namespace); err == nil && ns != nil {
		f.set(t.schema, types.Text(ns.Name))
	}
	f.set(t.nargs, types.Int4(int32(len(tg.Args))))
	if len(tg.Args) > 0 {
		values := make([]types.Datum, len(tg.Args))
		for i, a := range tg.Args {
			values[i] = types.Text(a)
		}
		text, _ := types.BuiltinType(types.TextOID)
		f.set(t.argv, types.BuildArray(text, values, []int32{int32(len(values))}, []int32{0}))
	}
}

func triggerOp(event int16) string {
	switch event {
	case executor.TriggerInsert:
		return "INSERT"
	case executor.TriggerDelete:
		return "DELETE"
	case executor.TriggerUpdate:
		return "UPDATE"
	}
	return "TRUNCATE"
}

// setRow gives NEW or OLD a row; nil = null.
func (f *frame) setRow(d *datum, desc *types.TupleDesc, row types.Row) {
	r := f.records[d.number]
	if row == nil {
		*r = record{desc: desc, values: nullRow(len(desc.Attrs)), null: true}
		return
	}
	*r = record{desc: desc, values: cloneRow(row)}
}

// triggerResult makes of what the function returned the row to go on with; nil = none.
func (f *frame) triggerResult(fl flow, c *executor.TriggerCall) (types.Row, error) {
	if fl != flowReturn {
		return nil, pgerr.New(pgerr.SREFunctionExecutedNoReturnStatement, "control reached end of trigger procedure without RETURN")
	}
	if !c.ForRow || f.ret.IsNull() {
		return nil, nil
	}
	row, err := f.isComposite(f.retType)
	if err != nil {
		return nil, err
	}
	if !row {
		return nil, pgerr.New(pgerr.DatatypeMismatch, "cannot return non-composite value from function returning composite type")
	}
	desc, fields, err := types.RecordFields(f.rt.host.Backend().Env, f.ret, nil)
	if err != nil {
		return nil, err
	}
	return f.rt.convertRow(desc, fields, c.Table.Rel.Desc, "returned row structure does not match the structure of the triggering table")
}
