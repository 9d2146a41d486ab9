package plpgsql

import (
	"strings"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Runtime is the language in one session: its compiled functions and the calls that run.
type Runtime struct {
	host  Host
	funcs map[funcKey]*Function
	casts map[castKey]*caster
	stack []*frame
}

// New makes the language's part of a session.
func New(h Host) *Runtime {
	return &Runtime{host: h, funcs: map[funcKey]*Function{}, casts: map[castKey]*caster{}}
}

// funcKey names a compiled function: polymorphic ones are compiled for each set of argument types, trigger functions for each table.
type funcKey struct {
	oid, table types.OID
	argTypes   string
}

// Function is a compiled function.
type Function struct {
	proc      *catalog.Proc // nil: a DO block
	signature string        // name and argument types, for CONTEXT
	shortName string
	conflict  conflict

	strictParams bool
	readOnly     bool // not volatile: it may not write
	datums       []*datum
	args         []*datum // the input arguments, in order
	out          *datum   // the OUT parameter, or all of them together; nil = none
	found        *datum
	body         *block

	ret     varType
	retSet  bool
	retVoid bool

	trigger *triggerDatums
}

func (fn *Function) newDatum(kind datumKind, name string, line int, t varType) *datum {
	d := &datum{kind: kind, number: len(fn.datums), name: name, line: line, typ: t}
	fn.datums = append(fn.datums, d)
	return d
}

// cacheMax bounds the functions that a session keeps compiled.
const cacheMax = 1000

// function gives the compiled form of a pg_proc row at a call site.
func (rt *Runtime) function(p *catalog.Proc, call *types.Call) (*Function, error) {
	key := funcKey{oid: p.OID, argTypes: argTypesKey(p, call)}
	if fn := rt.funcs[key]; fn != nil && fn.proc == p {
		return fn, nil
	}
	fn, err := rt.compile(p, func(ps *parser) error { return ps.declareArguments(p, call) })
	if err == nil {
		rt.keep(key, fn)
	}
	return fn, err
}

func (rt *Runtime) keep(key funcKey, fn *Function) {
	if len(rt.funcs) >= cacheMax {
		clear(rt.funcs)
	}
	rt.funcs[key] = fn
}

// argTypesKey spells the actual types of polymorphic arguments and result.
func argTypesKey(p *catalog.Proc, call *types.Call) string {
	poly := analyze.IsPolymorphic(p.RetType)
	for _, t := range p.ArgTypes {
		poly = poly || analyze.IsPolymorphic(t)
	}
	if !poly || call == nil {
		return ""
	}
	var b strings.Builder
	for _, t := range append(call.ArgTypes[:len(call.ArgTypes):len(call.ArgTypes)], call.RetType) {
		b.WriteByte(byte(t))
		b.WriteByte(byte(t >> 8))
		b.WriteByte(byte(t >> 16))
		b.WriteByte(byte(t >> 24))
	}
	return b.String()
}

// compile parses a function's body; declare makes its arguments.
func (rt *Runtime) compile(p *catalog.Proc, declare func(*parser) error) (*Function, error) {
	fn := &Function{proc: p, shortName: p.Name, readOnly: p.Volatile != 'v'}
	fn.signature = p.Name + "(" + rt.argumentList(p) + ")"
	ps := &parser{rt: rt, fn: fn, src: p.Src, toks: tokenize(p.Src)}
	ps.push(p.Name, false)
	fn.found = nil
	if err := declare(ps); err != nil {
		return nil, err
	}
	return fn, rt.parse(ps)
}

// parse reads the body in a scope of its own, with FOUND declared.
func (rt *Runtime) parse(ps *parser) error {
	fn := ps.fn
	fn.found = ps.declare("found", 0, varType{oid: types.BoolOID, mod: -1})
	// Types are resolved and names looked up while the body is read: a frame gives them what the expressions' hooks ask for.
	if err := ps.parseBody(); err != nil {
		return fn.compileError(err, ps.src, ps.line(ps.peek()))
	}
	return nil
}

func (rt *Runtime) argumentList(p *catalog.Proc) string {
	env := rt.host.AnalyzeEnv()
	var list []string
	for _, t := range p.ArgTypes {
		list = append(list, types.FormatType(env.Types, t))
	}
	return strings.Join(list, ",")
}

// declareArguments makes the variables of a function's parameters: $n, and their names.
func (ps *parser) declareArguments(p *catalog.Proc, call *types.Call) error {
	all, modes := p.AllArgTypes, p.ArgModes
	if all == nil {
		all = p.ArgTypes
	}
	var outs []*datum
	in := 0
	for i, t := range all {
		mode := byte('i')
		if modes != nil {
			mode = modes[i]
		}
		if mode == 't' || mode == 'o' || mode == 'b' || mode == 'i' || mode == 'v' {
			actual, err := ps.actualType(p, call, t, mode, in)
			if err != nil {
				return err
			}
			d := ps.declareArgument(p, i, actual)
			if mode == 'i' || mode == 'b' || mode == 'v' {
				ps.fn.args = append(ps.fn.args, d)
				in++
			}
			if mode == 'o' || mode == 'b' || mode == 't' {
				outs = append(outs, d)
			}
		}
	}
	return ps.declareResult(p, call, outs)
}

func (ps *parser) declareArgument(p *catalog.Proc, i int, t varType) *datum {
	d := ps.declare("$"+itoa(i+1), 0, t)
	if i < len(p.ArgNames) && p.ArgNames[i] != "" {
		d.name = p.ArgNames[i]
		ps.scope.add(d.name, d)
	}
	return d
}

// actualType is a parameter's type at this call.
func (ps *parser) actualType(p *catalog.Proc, call *types.Call, declared types.OID, mode byte, in int) (varType, error) {
	t := declared
	if analyze.IsPolymorphic(t) {
		if call == nil {
			t = types.Int4OID // validation: any will do
			if declared == types.AnyarrayOID || declared == types.AnycompatiblearrayOID {
				t = types.Int4ArrayOID
			}
		} else if mode != 'o' && mode != 't' && in < len(call.ArgTypes) {
			t = call.ArgTypes[in]
		} else {
			var err error
			if t, err = analyze.ResolveGeneric(ps.rt.host.AnalyzeEnv(), call.ArgTypes, p.ArgTypes, declared); err != nil {
				return varType{}, err
			}
		}
	}
	return ps.rt.typeOf(t, -1)
}

// declareResult notes the result's type and gathers the OUT parameters.
func (ps *parser) declareResult(p *catalog.Proc, call *types.Call, outs []*datum) (err error) {
	fn := ps.fn
	fn.retSet = p.RetSet
	ret := p.RetType
	if call != nil && analyze.IsPolymorphic(ret) {
		ret = call.RetType
	} else if analyze.IsPolymorphic(ret) {
		ret = types.Int4OID
	}
	fn.retVoid = ret == types.VoidOID
	if ret != 0 {
		if fn.ret, err = ps.rt.typeOf(ret, -1); err != nil {
			return err
		}
	}
	switch {
	case len(outs) == 1 && p.Kind != 'p':
		fn.out = outs[0]
	case len(outs) > 0:
		row := fn.newDatum(listDatum, "(unnamed row)", 0, varType{oid: types.RecordOID, mod: -1, row: true})
		for _, d := range outs {
			row.targets = append(row.targets, target{d: d})
			row.names = append(row.names, d.name)
		}
		fn.out = row
	}
	return nil
}

// typeOf completes a type's facts.
func (rt *Runtime) typeOf(typ types.OID, mod int32) (varType, error) {
	t := varType{oid: typ, mod: mod}
	if typ == types.RecordOID {
		t.row = true
		return t, nil
	}
	env := rt.host.AnalyzeEnv()
	c, err := env.Catalog.Type(typ)
	if err != nil {
		return t, err
	}
	if c == nil {
		return t, pgerr.Internal("cache lookup failed for type %d", typ)
	}
	t.coll = c.Collation
	for c.Kind == 'd' {
		if c, err = env.Catalog.Type(c.BaseType); err != nil {
			return t, err
		}
	}
	t.row = c.Kind == 'c'
	return t, nil
}

// rowDesc gives the columns of a composite type, or of a domain over one.
func (rt *Runtime) rowDesc(t varType) (*types.TupleDesc, error) {
	env := rt.host.AnalyzeEnv()
	typ := t.oid
	for {
		c, err := env.Catalog.Type(typ)
		if err != nil || c == nil {
			return nil, err
		}
		if c.Kind == 'd' {
			typ = c.BaseType
			continue
		}
		rel, err := env.Catalog.Relation(c.RelID)
		if err != nil || rel == nil {
			return nil, err
		}
		return rel.Desc, nil
	}
}

// castKey names a conversion.
type castKey struct {
	from, to types.OID
	fromMod  int32
	toMod    int32
}

// caster is a compiled conversion.
type caster struct {
	eval   expr.Eval // nil: nothing to do
	ctx    expr.Context
	params expr.Params
	arena  types.Arena
	inval  *catalog.Type // the target type's descriptor: another one means that it changed
	busy   bool
}

// cast converts a value as an assignment would, and through its text form where there is no such conversion.
func (rt *Runtime) cast(v types.Datum, from types.OID, fromMod int32, to types.OID, toMod int32) (types.Datum, error) {
	if from == to && (toMod == -1 || toMod == fromMod) {
		if t, ok := types.BuiltinType(to); ok && t.Kind != 'd' {
			return v, nil
		}
	}
	key := castKey{from, to, fromMod, toMod}
	env := rt.host.AnalyzeEnv()
	typ, err := env.Catalog.Type(to)
	if err != nil {
		return types.Null, err
	}
	c := rt.casts[key]
	if c == nil || c.inval != typ || c.busy {
		if c, err = rt.newCaster(key, typ); err != nil {
			return types.Null, err
		}
		if len(rt.casts) >= cacheMax {
			clear(rt.casts)
		}
		rt.casts[key] = c
	}
	if c.eval == nil || v.IsNull() && typ != nil && typ.Kind != 'd' {
		return v, nil
	}
	c.busy = true
	c.params.Extern = append(c.params.Extern[:0], v)
	out, err := c.eval(&c.ctx)
	out = out.Clone()
	c.arena.Reset()
	c.busy = false
	return out, err
}

func (rt *Runtime) newCaster(key castKey, typ *catalog.Type) (*caster, error) {
	b := rt.host.Backend()
	c := &caster{inval: typ}
	in := &query.Param{Kind: query.ParamExtern, ID: 1, TypeOID: key.from, Mod: key.fromMod, Loc: -1}
	if key.from == types.UnknownOID { // only null has that type here
		in.TypeOID = key.to
		if typ != nil && typ.Kind == 'd' {
			in.TypeOID = typ.BaseType
		}
	}
	from, err := rt.host.AnalyzeEnv().Catalog.Type(key.from)
	if err != nil {
		return nil, err
	}
	if from != nil {
		in.Coll = from.Collation
	}
	e, err := analyze.Cast(rt.host.AnalyzeEnv(), in, key.to, key.toMod, false)
	if err != nil {
		return nil, err
	}
	if e == nil {
		e = &query.CoerceViaIO{Arg: in, TypeOID: key.to, Form: query.CoerceImplicitCast, Loc: -1}
		if typ != nil {
			e.(*query.CoerceViaIO).Coll = typ.Collation
		}
		if key.toMod != -1 {
			if t, err := analyze.Cast(rt.host.AnalyzeEnv(), e, key.to, key.toMod, false); err != nil {
				return nil, err
			} else if t != nil {
				e = t
			}
		}
	}
	if e == query.Expr(in) {
		return c, nil
	}
	comp := &expr.Compiler{Catalog: b.Catalog, Env: b.Env, Session: b}
	comp.Hooks = expr.Hooks{Function: b.FunctionInLanguage, CheckExecute: b.CheckExecute}
	if c.eval, err = comp.Compile(e); err != nil {
		return nil, err
	}
	c.ctx = expr.Context{Params: &c.params, Env: b.Env, Arena: &c.arena, Session: b}
	return c, nil
}
