package plpgsql

import (
	"fmt"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/plancache"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// form says what an expression's text is.
type form uint8

const (
	formExpression form = iota // a value: what follows SELECT
	formAssignment             // target := value
	formStatement              // a whole statement
)

// conflict says what a name means that is both a variable's and a column's.
type conflict uint8

const (
	conflictError conflict = iota
	conflictVariable
	conflictColumn
)

// expression is a SQL expression or statement in a function's body, with what is kept of it between executions.
type expression struct {
	fn       *Function
	rt       *Runtime
	scope    *scope
	declared int    // how many variables there were when the body came to it: later ones of the same block are not visible
	text     string // as the user wrote it: what errors show
	prefix   string // what the parsed text has in front of (the part of) text
	skip     int    // bytes of text in front of that part (an assignment's target)
	form     form
	stmt     *parse.Stmt
	assign   *analyze.AssignTarget

	query  Query
	params []param

	analyzed *plancache.Analyzed // what simple was made from
	simple   query.Expr          // nil: it needs the executor
	idle     []*evaluator        // compiled forms of simple that are not running
}

// param is where a parameter of an expression comes from: a variable, or a record's field.
type param struct {
	d     *datum
	field string
	typ   types.OID
	mod   int32
}

// evaluator is a compiled simple expression with the context that it runs in.
type evaluator struct {
	eval   expr.Eval
	ctx    expr.Context
	params expr.Params
	arena  types.Arena
}

// prepare makes the session's statement when there is none yet, or when the records in it have another shape than at its analysis.
func (e *expression) prepare(f *frame) {
	if e.query == nil {
		hooks := Hooks{Column: e.columnHook, Param: e.paramHook, ParamTypes: e.paramTypes, Begin: e.begin, Assign: e.assign}
		e.query = e.rt.host.Prepare(e.stmt, e.prefix+e.text[e.skip:], hooks)
		return
	}
	for i := range e.params {
		p := &e.params[i]
		if p.d.kind != recordDatum {
			continue
		}
		if typ, mod := f.paramType(p); typ != p.typ || mod != p.mod {
			e.query.Reset()
			e.analyzed = nil
			return
		}
	}
}

func (e *expression) begin() { e.params = e.params[:0] }

func (e *expression) paramTypes() []types.OID {
	list := make([]types.OID, len(e.params))
	for i := range e.params {
		list[i] = e.params[i].typ
	}
	return list
}

// columnHook resolves names as variables, by the function's rule for conflicts with columns.
func (e *expression) columnHook(names []string, at int, after bool, found query.Expr) (query.Expr, error) {
	switch e.fn.conflict {
	case conflictVariable:
		if after {
			return nil, nil
		}
	default:
		if !after || e.fn.conflict == conflictColumn && found != nil {
			return nil, nil
		}
	}
	star := names[len(names)-1] == "*"
	if star {
		names = names[:len(names)-1]
	}
	d, used := e.scope.lookupBefore(names, e.declared)
	if d == nil || len(names)-used > 1 {
		return nil, nil
	}
	if found != nil {
		return nil, pgerr.New(pgerr.AmbiguousColumn, "column reference \"%s\" is ambiguous", dotted(names)).
			WithDetail("It could refer to either a PL/pgSQL variable or a table column.").WithLocation(at)
	}
	field := ""
	if used < len(names) {
		if d.kind != recordDatum {
			return nil, nil
		}
		field = names[used]
	} else if star && d.kind != recordDatum {
		return nil, nil
	}
	return e.paramFor(d, field, at)
}

func dotted(names []string) string {
	out := names[0]
	for _, n := range names[1:] {
		out += "." + n
	}
	return out
}

// paramHook resolves $n as the function's argument.
func (e *expression) paramHook(n, at int) (query.Expr, error) {
	d, _ := e.scope.lookup([]string{fmt.Sprintf("$%d", n)})
	if d == nil {
		return nil, nil
	}
	return e.paramFor(d, "", at)
}

// paramFor gives the parameter that stands for a variable or field, making it when it is new.
func (e *expression) paramFor(d *datum, field string, at int) (query.Expr, error) {
	f := e.rt.top()
	p := param{d: d, field: field}
	if field != "" {
		if err := f.checkField(d, field); err != nil {
			return nil, err.WithLocation(at)
		}
	}
	p.typ, p.mod = f.paramType(&p)
	n := -1
	for i := range e.params {
		if e.params[i].d == d && e.params[i].field == field {
			n = i
		}
	}
	if n < 0 {
		n = len(e.params)
		e.params = append(e.params, p)
	}
	coll := d.typ.coll
	if field != "" || d.kind == recordDatum {
		t, err := e.rt.typeOf(p.typ, p.mod)
		if err != nil {
			return nil, err
		}
		coll = t.coll
	}
	return &query.Param{Kind: query.ParamExtern, ID: n + 1, TypeOID: p.typ, Mod: p.mod, Coll: coll, Loc: at}, nil
}

// values are the parameters' values now.
func (e *expression) values(f *frame, into []types.Datum) ([]types.Datum, error) {
	into = into[:0]
	for i := range e.params {
		v, err := f.paramValue(&e.params[i])
		if err != nil {
			return nil, err
		}
		into = append(into, v)
	}
	return into, nil
}

// ready brings the expression's analysis up to date and says whether it is simple.
func (e *expression) ready(f *frame) (simple bool, err error) {
	e.prepare(f)
	a, err := e.query.Analyze()
	if err != nil {
		return false, e.sqlError(err)
	}
	if a == e.analyzed {
		return e.simple != nil, nil
	}
	e.idle = nil
	if e.simple, err = e.query.Expr(); err != nil {
		return false, e.sqlError(err)
	}
	e.analyzed = a
	return e.simple != nil, nil
}

// eval computes the expression's value, a copy that the caller keeps, and its type.
func (e *expression) eval(f *frame) (v types.Datum, typ types.OID, mod int32, err error) {
	simple, err := e.ready(f)
	if err != nil {
		return types.Null, 0, 0, err
	}
	if simple {
		v, err = e.evalSimple(f)
		return v, e.simple.Type(), e.simple.TypMod(), err
	}
	return e.evalQuery(f)
}

// evalSimple runs the compiled form. It is taken off the list while it runs: a recursive call needs one of its own.
func (e *expression) evalSimple(f *frame) (types.Datum, error) {
	ev, err := e.takeEvaluator()
	if err != nil {
		return types.Null, e.sqlError(err)
	}
	idle := e.analyzed
	if ev.params.Extern, err = e.values(f, ev.params.Extern); err != nil {
		return types.Null, err
	}
	if !f.fn.readOnly {
		if err := e.rt.host.NextCommand(); err != nil {
			return types.Null, err
		}
		e.rt.host.BeginExpression()
		defer e.rt.host.EndExpression()
	}
	v, err := ev.eval(&ev.ctx)
	v = v.Clone()
	ev.arena.Reset()
	if idle == e.analyzed {
		e.idle = append(e.idle, ev)
	}
	return v, err
}

func (e *expression) takeEvaluator() (*evaluator, error) {
	if n := len(e.idle); n > 0 {
		ev := e.idle[n-1]
		e.idle = e.idle[:n-1]
		return ev, nil
	}
	b := e.rt.host.Backend()
	c := &expr.Compiler{Catalog: b.Catalog, Env: b.Env, Session: b}
	c.Hooks = expr.Hooks{Function: b.FunctionInLanguage, CheckExecute: b.CheckExecute}
	eval, err := c.Compile(e.simple)
	if err != nil {
		return nil, err
	}
	ev := &evaluator{eval: eval}
	ev.ctx = expr.Context{Params: &ev.params, Env: b.Env, Arena: &ev.arena, Session: b}
	return ev, nil
}

// evalQuery runs an expression that is more than simple: a query that must give one column and at most one row.
func (e *expression) evalQuery(f *frame) (v types.Datum, typ types.OID, mod int32, err error) {
	a := e.analyzed
	if len(a.Result) == 0 {
		return types.Null, 0, 0, e.sqlError(pgerr.New(pgerr.WrongObjectType, "query \"%s\" did not return data", e.text))
	}
	if len(a.Result) != 1 {
		return types.Null, 0, 0, pgerr.New(pgerr.SyntaxError, "query returned %d columns", len(a.Result)).WithContext("query: %s", e.text)
	}
	v = types.Null
	n := 0
	err = e.run(f, 2, func(row types.Row) error {
		if n++; n == 1 {
			v = row[0].Clone()
		}
		return nil
	})
	if err == nil && n > 1 {
		err = pgerr.New(pgerr.CardinalityViolation, "query returned more than one row").WithContext("query: %s", e.text)
	}
	return v, a.Result[0].Expr.Type(), a.Result[0].Expr.TypMod(), err
}

// run executes the query with the variables' values; ready comes first.
func (e *expression) run(f *frame, max int64, out func(types.Row) error) error {
	_, err := e.runCounted(f, max, out)
	return err
}

// runCounted is run that gives the number of rows processed.
func (e *expression) runCounted(f *frame, max int64, out func(types.Row) error) (int64, error) {
	values, err := e.values(f, nil)
	if err != nil {
		return 0, err
	}
	save := f.running
	f.running = e
	n, err := e.query.Run(values, f.fn.readOnly, max, out)
	f.running = save
	if err != nil {
		return n, e.sqlError(err)
	}
	return n, nil
}

// evalBool computes a condition: null counts as false.
func (e *expression) evalBool(f *frame) (value, null bool, err error) {
	v, err := e.evalAs(f, varType{oid: types.BoolOID, mod: -1})
	if err != nil || v.IsNull() {
		return false, true, err
	}
	return v.Bool(), false, nil
}

// evalInt computes an int4; null says that it was null.
func (e *expression) evalInt(f *frame) (value int32, null bool, err error) {
	v, err := e.evalAs(f, varType{oid: types.Int4OID, mod: -1})
	if err != nil || v.IsNull() {
		return 0, true, err
	}
	return v.Int4(), false, nil
}

// evalText computes a value's text form.
func (e *expression) evalText(f *frame) (s string, null bool, err error) {
	v, typ, _, err := e.eval(f)
	if err != nil || v.IsNull() {
		return "", true, err
	}
	s, err = types.Output(e.rt.host.Backend().Env, typ, v)
	return s, false, err
}

// evalAs computes a value and converts it.
func (e *expression) evalAs(f *frame, to varType) (types.Datum, error) {
	v, typ, mod, err := e.eval(f)
	if err != nil {
		return types.Null, err
	}
	return f.rt.cast(v, typ, mod, to.oid, to.mod)
}

// assignTo computes a value and assigns it.
func (e *expression) assignTo(f *frame, tg target) error {
	v, typ, mod, err := e.eval(f)
	if err != nil {
		return err
	}
	return f.assign(tg, v, typ, mod)
}

// nodeOfStatement is a statement's parse node.
func (e *expression) node() *pg_query.Node { return e.stmt.Node }
