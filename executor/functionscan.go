package executor

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	register(newFunctionScan)
	register(newProjectSet)
}

// setFunction is the compiled form of a call of a function that may return a set.
type setFunction struct {
	args   []expr.Eval
	call   types.Call
	strict bool
	srf    types.SRF // nil: an ordinary function, or any other expression
	scalar expr.Eval
	cols   int              // columns of its rows
	row    bool             // a scalar result is a composite to be taken apart
	want   *types.TupleDesc // what such a composite must look like; nil = anything
	kept   *keptSet         // nil: its rows are not kept
	wide   types.Row        // where its rows go when they have more columns than the statement knows: some were added since its analysis
}

// newSetFunction compiles e; cols is how many columns a row of it has in its place, listed what the query
// lists for them, nil when it does not.
func (s *State) newSetFunction(c *expr.Compiler, e query.Expr, cols int, listed *types.TupleDesc) (*setFunction, error) {
	f := &setFunction{cols: cols, want: listed}
	fn, args, ret, coll, retset := callOf(e)
	if !retset {
		var err error
		f.scalar, err = c.Compile(e)
		return f, err
	}
	p, err := c.Proc(fn)
	if err != nil {
		return nil, err
	}
	if s.Backend.CheckExecute != nil {
		if err := s.Backend.CheckExecute(p); err != nil {
			return nil, err
		}
	}
	if f.args, err = c.CompileList(args); err != nil {
		return nil, err
	}
	f.call = types.Call{Args: make([]types.Datum, len(args)), RetType: ret, Collation: coll, FnExpr: e, RetDesc: listed}
	if fe, ok := e.(*query.FuncExpr); ok {
		f.call.Variadic = fe.Variadic
	}
	for _, a := range args {
		f.call.ArgTypes = append(f.call.ArgTypes, a.Type())
	}
	f.strict = p.Strict
	f.srf, err = s.setImplementation(p, &f.call)
	return f, err
}

// givesElements: unnest gives an array's elements as they are, also when these are rows.
func givesElements(c *expr.Compiler, fn types.OID) bool {
	p, err := c.Proc(fn)
	return err == nil && p.Lang == catalog.InternalLanguage && p.Src == "array_unnest"
}

// takenApart makes columns of a function's composite values.
func takenApart(srf types.SRF) types.SRF {
	return func(call *types.Call) (types.Iterator, error) {
		it, err := srf(call)
		return &splitRows{it: it, row: oneRow{split: true, env: call.Env, want: call.RetDesc}}, err
	}
}

type splitRows struct {
	it  types.Iterator
	row oneRow
}

func (s *splitRows) Next(row []types.Datum) (bool, error) {
	var one [1]types.Datum
	if ok, err := s.it.Next(one[:]); !ok || err != nil {
		return false, err
	}
	s.row.d, s.row.given = one[0], false
	return s.row.Next(row)
}

// listedDesc describes the rows of a function for which the query lists columns; nil when it does not.
func (s *State) listedDesc(rf *query.RangeFunction) (*types.TupleDesc, error) {
	if rf.ColNames == nil {
		return nil, nil
	}
	cols := make([]types.RecordColumn, len(rf.ColNames))
	for i := range cols {
		cols[i] = types.RecordColumn{Name: rf.ColNames[i], Type: rf.ColTypes[i], TypMod: rf.ColTypMods[i], Collation: rf.ColCollations[i]}
	}
	return types.NewRecordDesc(s.Backend.Env, cols)
}

// listedColumns tells an ordinary function which columns the query lists for its rows: it is called here.
func (s *State) listedColumns(c *expr.Compiler, f *setFunction, rf *query.RangeFunction, desc *types.TupleDesc) error {
	fe, ok := rf.Expr.(*query.FuncExpr)
	if f.srf != nil || !ok {
		return nil
	}
	p, err := c.Proc(fe.FuncOID)
	if err != nil {
		return err
	}
	if f.args, err = c.CompileList(fe.Args); err != nil {
		return err
	}
	f.call = types.Call{Args: make([]types.Datum, len(fe.Args)), RetType: fe.TypeOID, RetDesc: desc, Collation: fe.InputColl, FnExpr: fe,
		Variadic: fe.Variadic}
	for _, a := range fe.Args {
		f.call.ArgTypes = append(f.call.ArgTypes, a.Type())
	}
	fn, err := s.scalarImplementation(p, &f.call)
	if err != nil {
		return err
	}
	strict := p.Strict
	f.srf = func(call *types.Call) (types.Iterator, error) {
		for _, a := range call.Args {
			if strict && a.IsNull() {
				return &oneRow{d: types.Null, split: true, env: call.Env}, nil
			}
		}
		d, err := fn(call)
		return &oneRow{d: d, split: true, env: call.Env, want: desc}, err
	}
	return nil
}

func (s *State) scalarImplementation(p *catalog.Proc, call *types.Call) (types.Func, error) {
	if p.Lang == catalog.InternalLanguage {
		if fn, ok := types.LookupFunc(p.Src); ok {
			return fn, nil
		}
		return nil, pgerr.NotSupported("function %s", p.Name)
	}
	if s.Backend.FunctionInLanguage == nil {
		return nil, pgerr.NotSupported("function %s in this language", p.Name)
	}
	return s.Backend.FunctionInLanguage(p, call)
}

func (s *State) setImplementation(p *catalog.Proc, call *types.Call) (types.SRF, error) {
	if p.Lang == catalog.InternalLanguage {
		if srf, ok := types.LookupSRF(p.Src); ok {
			return srf, nil
		}
		return nil, pgerr.NotSupported("function %s", p.Name)
	}
	if s.Backend.SetFunctionInLanguage == nil {
		return nil, pgerr.NotSupported("function %s in this language", p.Name)
	}
	return s.Backend.SetFunctionInLanguage(p, call)
}

func callOf(e query.Expr) (fn types.OID, args []query.Expr, ret, coll types.OID, retset bool) {
	switch e := e.(type) {
	case *query.FuncExpr:
		return e.FuncOID, e.Args, e.TypeOID, e.InputColl, e.RetSet
	case *query.OpExpr:
		return e.FuncOID, e.Args, e.TypeOID, e.InputColl, e.RetSet
	}
	return 0, nil, 0, 0, false
}

// start evaluates the arguments and begins the set. A null argument of a strict function gives the empty set; an ordinary function
// gives one row.
func (f *setFunction) start(ctx *expr.Context) (types.Iterator, error) {
	if f.srf == nil {
		d, err := f.scalar(ctx)
		if err != nil {
			return nil, err
		}
		return &oneRow{d: d, split: f.row, env: ctx.Env, want: f.want}, nil
	}
	for i, arg := range f.args {
		d, err := arg(ctx)
		if err != nil {
			return nil, err
		}
		if f.strict && d.IsNull() {
			return emptySet{}, nil
		}
		f.call.Args[i] = d
	}
	f.call.Env, f.call.Arena, f.call.Ctx = ctx.Env, ctx.Arena, ctx.Session
	return f.srf(&f.call)
}

type emptySet struct{}

func (emptySet) Next([]types.Datum) (bool, error) { return false, nil }

// oneRow is the set of an ordinary function: its one result, taken apart when it is a composite with several columns.
type oneRow struct {
	d     types.Datum
	split bool
	env   *types.Env
	want  *types.TupleDesc // the columns that the query lists, or nil
	given bool
}

func (o *oneRow) Next(row []types.Datum) (bool, error) {
	if o.given {
		return false, nil
	}
	o.given = true
	if !o.split {
		row[0] = o.d
		return true, nil
	}
	for i := range row {
		row[i] = types.Null
	}
	if o.d.IsNull() {
		return true, nil
	}
	desc, fields, err := types.RecordFields(o.env, o.d, nil)
	if err == nil && o.want != nil && o.want != desc {
		err = types.CheckRowShape(o.env, desc, o.want)
	}
	if err == nil {
		copy(row, fields)
	}
	return true, err
}

// functionScan reads functions in FROM side by side (ROWS FROM), the shorter ones padded with nulls. Results are kept for rescans.
type functionScan struct {
	scanCore
	s     *State
	funcs []*setFunction
	iters []types.Iterator
	ends  []bool
	ord   bool
	count int64
	row   types.Row
	ready bool
	stale error // a column has changed since the statement was analysed
}

func newFunctionScan(s *State, p *plan.FunctionScan) (Node, error) {
	n := &functionScan{s: s, ord: p.Ordinality}
	c := s.compiler()
	width := 0
	rows := make([]*types.TupleDesc, len(p.Functions))
	for i, rf := range p.Functions {
		desc, err := s.listedDesc(rf)
		if err != nil {
			return nil, err
		}
		if rows[i], err = s.declaredRow(rf); err != nil {
			return nil, err
		}
		f, err := s.newSetFunction(c, rf.Expr, rf.ColCount, desc)
		if err == nil && desc != nil {
			err = s.listedColumns(c, f, rf, desc)
		}
		if err != nil {
			return nil, err
		}
		f.row = isComposite(s, rf)
		if desc := rows[i]; desc != nil {
			f.want = desc
			if len(desc.Attrs) > f.cols {
				f.wide = make(types.Row, len(desc.Attrs))
			}
		}
		if fe, ok := rf.Expr.(*query.FuncExpr); ok && f.row && f.srf != nil && givesElements(c, fe.FuncOID) {
			f.srf = takenApart(f.srf)
		}
		if f.kept, err = newKeptSet(s, c, p, rf.Expr); err != nil {
			return nil, err
		}
		n.funcs = append(n.funcs, f)
		width += rf.ColCount
	}
	if n.ord {
		width++
	}
	n.row = make(types.Row, width)
	n.iters, n.ends = make([]types.Iterator, len(n.funcs)), make([]bool, len(n.funcs))
	n.stale = changedColumn(s, p, rows)
	var err error
	n.scanCore, err = newScanCore(s, &p.Plan, width)
	n.copied = p.RTIndex
	return n, err
}

// isComposite says whether the function's result is a row that becomes several columns.
func isComposite(s *State, rf *query.RangeFunction) bool {
	t := rf.Expr.Type()
	if t == types.RecordOID {
		return true
	}
	info, err := s.Backend.Env.TypeByOID(t)
	for err == nil && info.Kind == 'd' {
		info, err = s.Backend.Env.TypeByOID(info.BaseType)
	}
	return err == nil && info.Kind == 'c'
}

func (n *functionScan) Next() (types.Row, error) { return n.scanLoop(n.s, n.next) }

func (n *functionScan) next() (types.Row, error) {
	if !n.ready {
		if n.stale != nil {
			return nil, n.stale
		}
		n.ready, n.count = true, 0
		for i, f := range n.funcs {
			var err error
			n.ends[i] = false
			if f.kept != nil && f.kept.again() {
				n.iters[i] = f.kept
				continue
			}
			if n.iters[i], err = f.start(n.ctx); err != nil {
				return nil, err
			}
			if f.kept != nil {
				f.kept.start(n.iters[i], max(f.cols, len(f.wide)))
				n.iters[i] = f.kept
			}
		}
	}
	at, some := 0, false
	for i, f := range n.funcs {
		part := n.row[at : at+f.cols]
		at += f.cols
		if !n.ends[i] {
			into := part
			if f.wide != nil {
				into = f.wide
			}
			ok, err := n.iters[i].Next(into)
			if err != nil {
				return nil, err
			}
			if f.wide != nil {
				copy(part, f.wide)
			}
			n.ends[i] = !ok
			some = some || ok
		}
		if n.ends[i] {
			for j := range part {
				part[j] = types.Null
			}
		}
	}
	if !some {
		return nil, nil
	}
	n.count++
	if n.ord {
		n.row[at] = types.Int8(n.count)
	}
	return n.row, nil
}

func (n *functionScan) Rescan() error {
	n.closeSets()
	n.ready = false
	return nil
}

// Close ends sets that were not read to their end, and drops those that were kept.
func (n *functionScan) Close() {
	n.closeSets()
	for _, f := range n.funcs {
		if f.kept != nil {
			f.kept.drop()
		}
	}
	n.ready = false
}

func (n *functionScan) closeSets() {
	for i, it := range n.iters {
		closeSet(it)
		n.iters[i] = nil
	}
}

// closeSet frees what a set holds, if it holds anything.
func closeSet(it types.Iterator) {
	if c, ok := it.(interface{ Close() }); ok {
		c.Close()
	}
}

// projectSet evaluates set-returning functions in a target list: side by side, the shorter ones padded with nulls.
type projectSet struct {
	s      *State
	ctx    *expr.Context
	child  Node
	evals  []expr.Eval // nil where funcs has one
	funcs  []*setFunction
	iters  []types.Iterator
	ends   []bool
	row    types.Row
	one    [1]types.Datum
	began  bool // without an input there is one row to start from
	active bool
	done   bool
}

func newProjectSet(s *State, p *plan.ProjectSet) (Node, error) {
	n := &projectSet{s: s, ctx: s.context()}
	c := s.compiler()
	var err error
	if n.child, err = s.build(p.Left); err != nil {
		return nil, err
	}
	k := len(p.Targets)
	n.evals, n.funcs, n.iters, n.ends, n.row = make([]expr.Eval, k), make([]*setFunction, k), make([]types.Iterator, k), make([]bool, k), make(types.Row, k)
	for i, t := range p.Targets {
		if _, _, _, _, retset := callOf(t.Expr); retset {
			n.funcs[i], err = s.newSetFunction(c, t.Expr, 1, nil)
		} else {
			n.evals[i], err = c.Compile(t.Expr)
		}
		if err != nil {
			return nil, err
		}
	}
	return n, nil
}

func (n *projectSet) Next() (types.Row, error) {
	for !n.done {
		if !n.active {
			more, err := n.nextInput()
			if err != nil || !more {
				return nil, err
			}
		}
		some, err := n.nextSet()
		if err != nil {
			return nil, err
		}
		if some {
			return n.row, nil
		}
		n.active = false
		if err := n.s.poll(); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// nextInput reads the next input row and starts the functions on it.
func (n *projectSet) nextInput() (bool, error) {
	if n.child == nil {
		if n.began {
			n.done = true
			return false, nil
		}
		n.began = true
	} else {
		row, err := n.child.Next()
		if row == nil || err != nil {
			n.done = true
			return false, err
		}
		n.ctx.Outer = row
	}
	for i, f := range n.funcs {
		if f == nil {
			continue
		}
		var err error
		n.ends[i] = false
		if n.iters[i], err = f.start(n.ctx); err != nil {
			return false, err
		}
	}
	n.active = true
	return true, nil
}

// nextSet fills the next row of the sets; false when all have ended.
func (n *projectSet) nextSet() (bool, error) {
	some := false
	for i, f := range n.funcs {
		if f == nil {
			continue
		}
		n.row[i] = types.Null
		if n.ends[i] {
			continue
		}
		ok, err := n.nextOf(i)
		if err != nil {
			return false, err
		}
		n.ends[i] = !ok
		some = some || ok
	}
	if !some {
		return false, nil
	}
	for i, eval := range n.evals {
		if eval == nil {
			continue
		}
		var err error
		if n.row[i], err = eval(n.ctx); err != nil {
			return false, err
		}
	}
	return true, nil
}

// nextOf takes the next value of function i; rows of several columns become one composite datum.
func (n *projectSet) nextOf(i int) (bool, error) {
	if rows, ok := n.iters[i].(types.RowIterator); ok {
		desc := rows.Desc()
		fields := make(types.Row, len(desc.Attrs))
		more, err := rows.Next(fields)
		if err != nil || !more {
			return false, err
		}
		n.row[i], err = types.MakeRecord(desc, fields)
		return true, err
	}
	ok, err := n.iters[i].Next(n.one[:])
	if ok {
		n.row[i] = n.one[0]
	}
	return ok, err
}

func (n *projectSet) Rescan() error {
	n.active, n.done, n.began = false, false, false
	return rescan(n.child)
}

// Close ends sets that were not read to their end.
func (n *projectSet) Close() {
	for i, it := range n.iters {
		closeSet(it)
		n.iters[i] = nil
	}
	closeNode(n.child)
}
