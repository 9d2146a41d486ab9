package plpgsql

import (
	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Func makes the callable of a function or procedure.
func (rt *Runtime) Func(p *catalog.Proc, _ *types.Call) (types.Func, error) {
	if err := notTrigger(p); err != nil {
		return nil, err
	}
	return func(c *types.Call) (types.Datum, error) {
		fn, err := rt.function(p, c)
		if err != nil {
			return types.Null, err
		}
		return rt.call(fn, c)
	}, nil
}

// SetFunc makes the callable of a set-returning function. The set is computed as a whole, in a store that spills.
func (rt *Runtime) SetFunc(p *catalog.Proc, _ *types.Call) (types.SRF, error) {
	if err := notTrigger(p); err != nil {
		return nil, err
	}
	return func(c *types.Call) (types.Iterator, error) {
		fn, err := rt.function(p, c)
		if err != nil {
			return nil, err
		}
		return rt.callSet(fn, c)
	}, nil
}

func notTrigger(p *catalog.Proc) error {
	if p.RetType == types.TriggerOID || p.RetType == types.EventTriggerOID {
		return pgerr.New(pgerr.FeatureNotSupported, "trigger functions can only be called as triggers")
	}
	return nil
}

// Validate compiles a function that is being made, for its errors.
func (rt *Runtime) Validate(p *catalog.Proc) error {
	if p.RetType == types.EventTriggerOID {
		return nil
	}
	if p.RetType == types.TriggerOID {
		_, err := rt.compile(p, func(ps *parser) error { return ps.declareTrigger(nil) })
		return err
	}
	_, err := rt.compile(p, func(ps *parser) error { return ps.declareArguments(p, nil) })
	return err
}

// begin enters a function and stores the arguments.
func (rt *Runtime) begin(fn *Function, c *types.Call) (*frame, error) {
	f, err := rt.enter(fn)
	if err != nil {
		return nil, err
	}
	f.call = c
	f.atomic = !rt.host.TakeNonAtomic()
	f.stage = "while storing call arguments into local variables"
	for i, d := range fn.args {
		if err := f.storeArgument(d, c.Args[i]); err != nil {
			l := f.locate(err)
			rt.leave(f)
			return nil, l.err
		}
	}
	f.stage = ""
	return f, nil
}

func (f *frame) storeArgument(d *datum, v types.Datum) error {
	if d.kind == recordDatum {
		return f.assignComposite(d, v.Clone(), d.typ.oid)
	}
	f.values[d.number] = v.Clone()
	return nil
}

// call runs a function that gives one value.
func (rt *Runtime) call(fn *Function, c *types.Call) (types.Datum, error) {
	f, err := rt.begin(fn, c)
	if err != nil {
		return types.Null, err
	}
	defer rt.leave(f)
	v, err := f.result()
	if err != nil {
		return types.Null, f.locate(err).err
	}
	return v, nil
}

// result runs the body and makes the function's value.
func (f *frame) result() (types.Datum, error) {
	fn := f.fn
	f.set(fn.found, types.Bool(false))
	fl, err := f.run([]statement{fn.body})
	if err != nil {
		return types.Null, err
	}
	f.line, f.name = 0, ""
	switch {
	case fn.out != nil:
		return f.outValue()
	case fn.retVoid || fn.proc == nil || fn.proc.Kind == 'p':
		return types.Null, nil
	case fl != flowReturn:
		return types.Null, pgerr.New(pgerr.SREFunctionExecutedNoReturnStatement, "control reached end of function without RETURN")
	}
	f.stage = "while casting return value to function's return type"
	return f.castResult(f.ret, f.retType, f.retMod)
}

// outValue makes the function's value of its OUT parameters.
func (f *frame) outValue() (types.Datum, error) {
	out := f.fn.out
	if out.kind != listDatum {
		v, err := f.paramValue(&param{d: out})
		if err != nil {
			return types.Null, err
		}
		typ, mod := f.paramType(&param{d: out})
		return f.castResult(v, typ, mod)
	}
	desc, err := f.rt.outDesc(out)
	if err != nil {
		return types.Null, err
	}
	row := make(types.Row, len(out.targets))
	for i, tg := range out.targets {
		if row[i], err = f.paramValue(&param{d: tg.d}); err != nil {
			return types.Null, err
		}
	}
	return types.MakeRecord(desc, row)
}

// outDesc is the row type of several OUT parameters.
func (rt *Runtime) outDesc(out *datum) (*types.TupleDesc, error) {
	cols := make([]types.RecordColumn, len(out.targets))
	for i, tg := range out.targets {
		name := tg.d.name
		if name == "" || name[0] == '$' {
			name = "column" + itoa(i+1)
		}
		cols[i] = types.RecordColumn{Name: name, Type: tg.d.typ.oid, TypMod: tg.d.typ.mod, Collation: tg.d.typ.coll}
	}
	return types.NewRecordDesc(rt.host.Backend().Env, cols)
}

// castResult converts a value to the function's result type.
func (f *frame) castResult(v types.Datum, typ types.OID, mod int32) (types.Datum, error) {
	ret := f.fn.ret
	if !ret.row {
		return f.rt.cast(v, typ, mod, ret.oid, ret.mod)
	}
	if v.IsNull() {
		return types.Null, nil
	}
	row, err := f.isComposite(typ)
	if err != nil {
		return types.Null, err
	}
	if !row {
		return types.Null, pgerr.New(pgerr.DatatypeMismatch, "cannot return non-composite value from function returning composite type")
	}
	if ret.oid == typ && typ != types.RecordOID {
		return v, nil
	}
	desc := f.call.RetDesc
	if ret.oid != types.RecordOID {
		if desc, err = f.rt.rowDesc(ret); err != nil {
			return types.Null, err
		}
	}
	if desc == nil {
		return v, nil
	}
	from, fields, err := types.RecordFields(f.rt.host.Backend().Env, v, nil)
	if err != nil {
		return types.Null, err
	}
	out, err := f.rt.convertRow(from, fields, desc, "returned record type does not match expected record type")
	if err != nil {
		return types.Null, err
	}
	return types.MakeRecord(desc, out)
}

// callSet runs a set-returning function to its end.
func (rt *Runtime) callSet(fn *Function, c *types.Call) (types.Iterator, error) {
	desc, err := rt.setDesc(fn, c)
	if err != nil {
		return nil, err
	}
	f, err := rt.begin(fn, c)
	if err != nil {
		return nil, err
	}
	defer rt.leave(f)
	f.desc = desc
	if err := f.openStore(); err != nil {
		return nil, err
	}
	f.set(fn.found, types.Bool(false))
	if _, err := f.run([]statement{fn.body}); err != nil {
		return nil, f.locate(err).err
	}
	it := &setIterator{store: f.store, reader: f.store.NewReader()}
	f.store = nil
	if desc != nil {
		return &rowSetIterator{setIterator: it, desc: desc}, nil
	}
	return it, nil
}

// setDesc gives the columns of a set of rows, nil of a set of plain values.
func (rt *Runtime) setDesc(fn *Function, c *types.Call) (*types.TupleDesc, error) {
	switch {
	case fn.out != nil && fn.out.kind == listDatum:
		return rt.outDesc(fn.out)
	case !fn.ret.row:
		return nil, nil
	case fn.ret.oid != types.RecordOID:
		return rt.rowDesc(fn.ret)
	case c.RetDesc != nil:
		return c.RetDesc, nil
	}
	return nil, pgerr.New(pgerr.FeatureNotSupported, "materialize mode required, but it is not allowed in this context")
}

// setIterator reads a finished set.
type setIterator struct {
	store  *executor.Tuplestore
	reader *executor.Reader
}

// Next gives the next row of the set.
func (it *setIterator) Next(row []types.Datum) (bool, error) {
	r, err := it.reader.Next()
	if r == nil || err != nil {
		it.Close()
		return false, err
	}
	copy(row, r)
	return true, nil
}

// Close frees the store; more than once does no harm.
func (it *setIterator) Close() { it.store.Close() }

// rowSetIterator is a setIterator of rows with columns.
type rowSetIterator struct {
	*setIterator
	desc *types.TupleDesc
}

// Desc describes the rows.
func (it *rowSetIterator) Desc() *types.TupleDesc { return it.desc }

// Do runs the body of a DO command.
func (rt *Runtime) Do(body string) error {
	fn := &Function{signature: "inline_code_block", shortName: "inline_code_block", retVoid: true}
	ps := &parser{rt: rt, fn: fn, src: body, toks: tokenize(body)}
	ps.push("inline_code_block", false)
	if err := rt.parse(ps); err != nil {
		return err
	}
	_, err := rt.call(fn, &types.Call{})
	return err
}
