package plpgsql

import (
	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// frame is one running call of a function.
type frame struct {
	rt *Runtime
	fn *Function

	values  []types.Datum // of scalars, by datum number
	records []*record     // of records, by datum number

	// Where it stands, for CONTEXT.
	line      int
	name      string
	stage     string // what is done outside of statements
	stageLine bool
	running   *expression // the SQL statement that is being executed

	exitLabel string // of EXIT and CONTINUE: "" = the innermost loop
	caught    *pgerr.Error
	rowCount  int64

	// The result.
	ret      types.Datum
	retType  types.OID
	retMod   int32
	store    *executor.Tuplestore // of a set
	storeRow types.Row
	desc     *types.TupleDesc // of the set's rows

	trigger *executor.TriggerCall
	call    *types.Call
	atomic  bool // the transaction may not end inside
}

// record is the value of a record variable.
type record struct {
	desc   *types.TupleDesc // nil: not assigned yet
	values types.Row
	null   bool // the whole is null; its fields read as null
}

// callDepthMax bounds calls inside calls: a Go stack overflow would end the process.
const callDepthMax = 2000

// enter makes a frame and puts it on the stack.
func (rt *Runtime) enter(fn *Function) (*frame, error) {
	if len(rt.stack) >= callDepthMax {
		return nil, pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded").
			WithHint("Increase the configuration parameter \"max_stack_depth\" (currently 2048kB), after ensuring the platform's stack depth limit is adequate.")
	}
	f := &frame{rt: rt, fn: fn, values: make([]types.Datum, len(fn.datums)), records: make([]*record, len(fn.datums)), ret: types.Null}
	for i, d := range fn.datums {
		f.values[i] = types.Null
		if d.kind == recordDatum {
			f.records[i] = &record{null: true}
		}
	}
	rt.stack = append(rt.stack, f)
	return f, nil
}

func (rt *Runtime) leave(f *frame) {
	rt.stack = rt.stack[:len(rt.stack)-1]
	if f.store != nil {
		f.store.Close()
	}
}

func (rt *Runtime) top() *frame { return rt.stack[len(rt.stack)-1] }

// run executes statements until control leaves the list.
func (f *frame) run(list []statement) (flow, error) {
	backend := f.rt.host.Backend()
	for _, s := range list {
		b := s.base()
		line, name := f.line, f.name
		f.line, f.name = b.line, b.name
		err := backend.Interrupted()
		fl := flowNext
		if err == nil {
			fl, err = s.exec(f)
		}
		if err != nil {
			l := f.locate(err)
			f.line, f.name = line, name
			return flowNext, l
		}
		f.line, f.name = line, name
		if fl != flowNext {
			return fl, nil
		}
	}
	return flowNext, nil
}

func (f *frame) setFound(found bool) { f.values[f.fn.found.number] = types.Bool(found) }

// set gives a scalar a value of its own type.
func (f *frame) set(d *datum, v types.Datum) { f.values[d.number] = v }

// clear makes a variable null.
func (f *frame) clear(d *datum) {
	if d.kind == recordDatum {
		f.records[d.number] = &record{null: true}
		return
	}
	f.values[d.number] = types.Null
}
