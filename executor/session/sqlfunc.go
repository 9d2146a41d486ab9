package session

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/plancache"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/rewrite"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// sqlFunction is a function in language SQL at one call site: its statements, analysed once with the argument types of the call.
type sqlFunction struct {
	s     *Session
	fn    *rewrite.SQLFunction
	stmts []*prepared
	whole bool // the last statement's one column is the result, even where that is a composite
	busy  bool // a call runs: a call inside it gets statements of its own
}

// bodyStatement is a statement of a function, for the plan cache to analyse.
type bodyStatement struct {
	f *sqlFunction
	i int
}

func (b *bodyStatement) analyze(s *Session) (a plancache.Analyzed, err error) {
	var whole bool
	if a.Queries, whole, err = b.f.fn.Analyze(s.analyzeEnv(nil), b.i); err != nil {
		return a, err
	}
	if b.i == b.f.fn.Len()-1 {
		b.f.whole = whole
	}
	a.ParamTypes = b.f.fn.Args.Types
	a.Result = resultColumns(a.Queries)
	return a, nil
}

func (s *Session) newSQLFunction(p *catalog.Proc, call *types.Call) (*sqlFunction, error) {
	argTypes := make([]types.OID, len(p.ArgTypes))
	for i, t := range p.ArgTypes {
		argTypes[i] = t
		if analyze.IsPolymorphic(t) && i < len(call.ArgTypes) {
			argTypes[i] = call.ArgTypes[i]
		}
	}
	ret := p.RetType
	if analyze.IsPolymorphic(ret) {
		ret = call.RetType
	}
	fn, err := rewrite.NewSQLFunction(s.analyzeEnv(nil), p, argTypes, ret)
	if err != nil {
		return nil, startupError(p, err)
	}
	if fn.Result.Type == types.RecordOID && fn.Result.Desc == nil && call.RetDesc != nil {
		fn.Result.Desc = call.RetDesc
	}
	f := &sqlFunction{s: s, fn: fn}
	for i := range fn.Len() {
		st := fn.Statement(i)
		if st == nil {
			st = &parse.Stmt{Node: &pg_query.Node{}}
		}
		pr := &prepared{text: p.Src, stmt: st, made: s.clock.wall()}
		pr.source = plancache.New(&bodyStatement{f, i}, p.Src, "", argTypes)
		f.stmts = append(f.stmts, pr)
	}
	return f, nil
}

// startupError and statementError say where in a function an error came from. Places in the function's text are told with it.
func startupError(p *catalog.Proc, err error) error {
	return bodyError(p, err).WithContext("SQL function \"%s\" during startup", p.Name)
}

func (f *sqlFunction) statementError(i int, err error) error {
	return bodyError(f.fn.Proc, err).WithContext("SQL function \"%s\" statement %d", f.fn.Proc.Name, i+1)
}

func bodyError(p *catalog.Proc, err error) *pgerr.Error {
	e := *pgerr.From(err)
	if e.Location > 0 && e.InternalQuery == "" && p.Src != "" {
		e.InternalQuery, e.InternalPosition = p.Src, characterPosition(p.Src, e.Location-1)
		e.Location, e.Position = 0, 0
	}
	return &e
}

// call runs the function with the caller's rights and settings, or its own where it says so.
func (f *sqlFunction) call(args []types.Datum, max int) (rows []types.Row, err error) {
	if f.busy {
		fresh, err := f.s.newSQLFunction(f.fn.Proc, &types.Call{ArgTypes: f.fn.Args.Types, RetType: f.fn.Result.Type, RetDesc: f.fn.Result.Desc})
		if err != nil {
			return nil, err
		}
		rows, err = fresh.call(args, max)
		f.whole = fresh.whole
		return rows, err
	}
	f.busy = true
	defer func() { f.busy = false }()
	if err := f.s.enterFunction(); err != nil {
		return nil, err
	}
	defer f.s.leaveFunction()
	if f.fn.Proc.Volatile == 'v' {
		return f.run(args, max)
	}
	return f.runReadOnly(args, max)
}

// run runs the statements of a volatile function, each a command of its own, and gives the last one's rows, at most max (0 = all).
func (f *sqlFunction) run(args []types.Datum, max int) ([]types.Row, error) {
	params := append([]types.Datum(nil), args...)
	var rows rowList
	for i, p := range f.stmts {
		rows = rowList{}
		if err := f.s.runInner(p, params, f.receiver(i, &rows, max)); err != nil {
			return nil, f.statementError(i, err)
		}
	}
	return rows.upTo(max), nil
}

// receiver is where the rows of statement i go: those of the last one are kept, when the function gives anything.
func (f *sqlFunction) receiver(i int, rows *rowList, max int) receiver {
	if i < len(f.stmts)-1 || f.fn.Result.Type == types.VoidOID {
		return discard{}
	}
	rows.max = max
	return rows
}

// runReadOnly runs the statements of a stable or immutable function with the snapshot of the statement that calls it: they can't write, and see
// nothing that the statement itself does.
func (f *sqlFunction) runReadOnly(args []types.Datum, max int) ([]types.Row, error) {
	s := f.s
	params := append([]types.Datum(nil), args...)
	snap := s.callerSnapshot()
	defer s.backend.Heap.Tx.ReleaseSnapshot(&snap.Snapshot)
	var rows rowList
	for i, p := range f.stmts {
		rows = rowList{}
		if err := s.runWithSnapshot(p, params, snap, f.receiver(i, &rows, max)); err != nil {
			return nil, f.statementError(i, err)
		}
	}
	return rows.upTo(max), nil
}

// runWithSnapshot runs a statement that only reads.
func (s *Session) runWithSnapshot(p *prepared, params []types.Datum, snap *heap.Snapshot, out receiver) error {
	if _, err := s.analyze(p); err != nil {
		return err
	}
	plans, err := p.source.Get(s.planEnv(), params)
	if err != nil {
		return err
	}
	for _, pl := range plans.Stmts {
		if pl.Command == query.CmdUtility {
			if node := pl.Utility.(*pg_query.Node); !readsOnlyUtility(node) {
				return notInReadOnlyFunction(parse.CommandTag(node))
			}
			if _, err := s.runOne(p, pl, plans.Generic, params, out); err != nil {
				return err
			}
			continue
		}
		if !readsOnly([]*plan.Planned{pl}) {
			name := commandName(pl.Command)
			if len(pl.RowMarks) > 0 && pl.Command == query.CmdSelect {
				name = "SELECT FOR UPDATE"
			}
			return notInReadOnlyFunction(name)
		}
		if r, ok := out.(*rowList); ok {
			r.stop = true
		}
		if err := s.executeWith(p, pl, plans.Generic, params, snap, out); err != nil {
			return err
		}
	}
	return nil
}

// readsOnlyUtility says whether a utility statement may stand in a function that is not volatile.
func readsOnlyUtility(n *pg_query.Node) bool {
	switch n.Node.(type) {
	case *pg_query.Node_VariableShowStmt, *pg_query.Node_ExplainStmt, *pg_query.Node_FetchStmt, *pg_query.Node_ClosePortalStmt,
		*pg_query.Node_DeclareCursorStmt:
		return true
	}
	return false
}

func notInReadOnlyFunction(command string) error {
	return pgerr.New(pgerr.FeatureNotSupported, "%s is not allowed in a non-volatile function", command)
}

// executeWith runs a plan that only reads with a snapshot that is there already.
func (s *Session) executeWith(p *prepared, pl *plan.Planned, generic bool, params []types.Datum, snap *heap.Snapshot, out receiver) error {
	st, err := p.state(s.backend, pl)
	if err != nil {
		return err
	}
	s.pushSnapshot(snap)
	defer s.popSnapshot()
	if err := st.Start(params, snap); err != nil {
		st.Close()
		return err
	}
	_, err = drain(st, pl, out)
	st.Close()
	if err == errEnoughRows {
		err = nil
	} else if err == nil {
		p.giveBack(st, pl, generic)
	}
	return err
}

// runInner runs a statement inside the one that runs, as a command of its own.
func (s *Session) runInner(p *prepared, params []types.Datum, out receiver) error {
	if err := s.commandCounterIncrement(); err != nil {
		return err
	}
	if _, err := s.analyze(p); err != nil {
		return err
	}
	plans, err := p.source.Get(s.planEnv(), params)
	if err != nil {
		return err
	}
	if err := checkFunctionStatements(plans.Stmts); err != nil {
		return err
	}
	if r, ok := out.(*rowList); ok {
		r.stop = readsOnly(plans.Stmts)
	}
	_, err = s.runStatements(p, plans, params, out)
	if err == errEnoughRows {
		return nil
	}
	if err != nil || readsOnly(plans.Stmts) {
		return err
	}
	return s.commandCounterIncrement()
}

// checkFunctionStatements refuses what no function may do.
func checkFunctionStatements(stmts []*plan.Planned) error {
	for _, pl := range stmts {
		if pl.Command != query.CmdUtility {
			continue
		}
		node := pl.Utility.(*pg_query.Node)
		if node.GetTransactionStmt() != nil {
			return pgerr.New(pgerr.FeatureNotSupported, "%s is not allowed in an SQL function", parse.CommandTag(node))
		}
		if cp := node.GetCopyStmt(); cp != nil && cp.Filename == "" {
			return pgerr.New(pgerr.FeatureNotSupported, "cannot COPY to/from client in an SQL function")
		}
	}
	return nil
}

func readsOnly(stmts []*plan.Planned) bool {
	for _, pl := range stmts {
		if pl.Command != query.CmdSelect || pl.HasModifyingCTE || len(pl.RowMarks) > 0 {
			return false
		}
	}
	return true
}

// result makes a row of the last statement the function's value.
func (f *sqlFunction) result(row types.Row) (types.Datum, error) {
	if f.whole || f.fn.Result.Desc == nil && f.fn.Result.Type != types.RecordOID {
		if len(row) == 0 {
			return types.Null, nil
		}
		return row[0], nil
	}
	desc, err := f.rowDesc()
	if err != nil {
		return types.Null, err
	}
	return types.MakeRecord(desc, f.fill(desc, row))
}

// fill puts nulls where the row type has dropped columns.
func (f *sqlFunction) fill(desc *types.TupleDesc, row types.Row) types.Row {
	if len(row) == len(desc.Attrs) {
		return row
	}
	out := make(types.Row, len(desc.Attrs))
	at := 0
	for i := range desc.Attrs {
		out[i] = types.Null
		if !desc.Attrs[i].Dropped && at < len(row) {
			out[i] = row[at]
			at++
		}
	}
	return out
}

// rowDesc is the row type of the values: the declared one, or that of the last statement's columns.
func (f *sqlFunction) rowDesc() (*types.TupleDesc, error) {
	r := &f.fn.Result
	if r.Type != types.RecordOID {
		return r.Desc, nil
	}
	var cols []types.RecordColumn
	if r.Desc != nil {
		for _, a := range r.Desc.Attrs {
			cols = append(cols, types.RecordColumn{Name: a.Name, Type: a.TypeOID, TypMod: a.TypMod, Collation: a.Collation})
		}
	} else {
		a, err := f.s.analyze(f.stmts[len(f.stmts)-1])
		if err != nil {
			return nil, err
		}
		for _, t := range a.Result {
			cols = append(cols, types.RecordColumn{Name: t.Name, Type: t.Expr.Type(), TypMod: t.Expr.TypMod(), Collation: t.Expr.Collation()})
		}
	}
	return types.NewRecordDesc(f.s.backend.Env, cols)
}

// functionRow describes the row that a call of a function gives.
func (s *Session) functionRow(p *catalog.Proc, call *query.FuncExpr) (*types.TupleDesc, error) {
	args := make([]types.OID, len(call.Args))
	for i, a := range call.Args {
		args[i] = a.Type()
	}
	return rewrite.ResultRow(s.analyzeEnv(nil), p, args, call.TypeOID)
}

// functionInLanguage makes the callable of a function that is not internal.
func (s *Session) functionInLanguage(p *catalog.Proc, call *types.Call) (types.Func, error) {
	fn, err := s.plainFunction(p, call)
	if err != nil || !hasOwnContext(p) {
		return fn, err
	}
	return func(c *types.Call) (d types.Datum, err error) {
		err = s.inContextOf(p, func() error {
			d, err = fn(c)
			return err
		})
		return d, err
	}, nil
}

func (s *Session) plainFunction(p *catalog.Proc, call *types.Call) (types.Func, error) {
	switch p.Lang {
	case catalog.InternalLanguage:
		f, ok := types.LookupFunc(p.Src)
		if !ok {
			return nil, types.MissingFunc(p.Name)
		}
		return f, nil
	case catalog.CLanguage:
		return lookupC(p)
	case catalog.SQLLanguage:
		f, err := s.newSQLFunction(p, call)
		if err != nil {
			return nil, err
		}
		return func(c *types.Call) (types.Datum, error) {
			rows, err := f.call(c.Args, 1)
			if err != nil || len(rows) == 0 {
				return types.Null, err
			}
			return f.result(rows[0])
		}, nil
	}
	if s.isPLpgSQL(p) {
		return s.plpgsqlFunc(p, call)
	}
	return nil, pgerr.NotSupported("function %s in this language", p.Name)
}

// setFunctionInLanguage makes the callable of a set-returning function that is not internal.
func (s *Session) setFunctionInLanguage(p *catalog.Proc, call *types.Call) (types.SRF, error) {
	switch p.Lang {
	case catalog.InternalLanguage, catalog.CLanguage:
		return nil, pgerr.NotSupported("set-returning function %s in language C", p.Name)
	case catalog.SQLLanguage:
		f, err := s.newSQLFunction(p, call)
		if err != nil {
			return nil, err
		}
		return f.start, nil
	}
	if s.isPLpgSQL(p) {
		return s.pl().SetFunc(p, call)
	}
	return nil, pgerr.NotSupported("function %s in this language", p.Name)
}

// lookupC finds the stand-in of a function in language C.
func lookupC(p *catalog.Proc) (types.Func, error) {
	f, found, _ := types.LookupC(p.Bin, p.Src)
	if !found || f == nil {
		return nil, pgerr.New(pgerr.UndefinedFunction, "could not find function \"%s\" in file \"%s\"", p.Src, p.Bin)
	}
	return f, nil
}

// start runs a set-returning function.
func (f *sqlFunction) start(c *types.Call) (it types.Iterator, err error) {
	var rows []types.Row
	run := func() error {
		rows, err = f.call(c.Args, 0)
		return err
	}
	if hasOwnContext(f.fn.Proc) {
		err = f.s.inContextOf(f.fn.Proc, run)
	} else {
		err = run()
	}
	if err != nil {
		return nil, err
	}
	r := rowsIterator{rows: rows}
	composite := f.fn.Result.Desc != nil || f.fn.Result.Type == types.RecordOID
	if !composite {
		return &r, nil
	}
	desc, err := f.rowDesc()
	if err != nil {
		return nil, err
	}
	if f.whole {
		return &wholeRows{r, desc, c.Env}, nil
	}
	for i, row := range rows {
		r.rows[i] = f.fill(desc, row)
	}
	return &columnRows{r, desc}, nil
}

// rowsIterator gives rows that are there already.
type rowsIterator struct {
	rows []types.Row
	pos  int
}

func (r *rowsIterator) Next(row []types.Datum) (bool, error) {
	if r.pos >= len(r.rows) {
		return false, nil
	}
	copy(row, r.rows[r.pos])
	r.pos++
	return true, nil
}

// columnRows are rows of a row type.
type columnRows struct {
	rowsIterator
	desc *types.TupleDesc
}

func (r *columnRows) Desc() *types.TupleDesc { return r.desc }

func (r *columnRows) Next(row []types.Datum) (bool, error) {
	if r.pos < len(r.rows) && len(row) != len(r.desc.Attrs) {
		return false, pgerr.New(pgerr.DatatypeMismatch, "function return row and query-specified return row do not match").
			WithDetail("Returned row contains %d attributes, but query expects %d.", len(r.desc.Attrs), len(row))
	}
	return r.rowsIterator.Next(row)
}

// wholeRows are composite values, taken apart.
type wholeRows struct {
	rowsIterator
	desc *types.TupleDesc
	env  *types.Env
}

func (r *wholeRows) Desc() *types.TupleDesc { return r.desc }

func (r *wholeRows) Next(row []types.Datum) (bool, error) {
	if r.pos >= len(r.rows) {
		return false, nil
	}
	d := r.rows[r.pos][0]
	r.pos++
	for i := range row {
		row[i] = types.Null
	}
	if d.IsNull() {
		return true, nil
	}
	desc, fields, err := types.RecordFields(r.env, d, nil)
	if err == nil && r.desc != nil && desc != r.desc {
		err = types.CheckRowShape(r.env, desc, r.desc)
	}
	if err == nil {
		copy(row, fields)
	}
	return true, err
}
