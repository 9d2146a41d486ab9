package session

import (
	"fmt"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/plancache"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/plpgsql"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// pl gives the session's PL/pgSQL.
func (s *Session) pl() *plpgsql.Runtime {
	if s.plpgsql == nil {
		s.plpgsql = plpgsql.New(plHost{s})
	}
	return s.plpgsql
}

// isPLpgSQL says whether a function is in that language.
func (s *Session) isPLpgSQL(p *catalog.Proc) bool {
	lang, err := s.view.LanguageByName("plpgsql")
	return err == nil && lang != 0 && lang == p.Lang
}

// plpgsqlFunc makes the callable of a function in PL/pgSQL.
func (s *Session) plpgsqlFunc(p *catalog.Proc, call *types.Call) (types.Func, error) {
	fn, err := s.pl().Func(p, call)
	if err != nil {
		return nil, err
	}
	return func(c *types.Call) (types.Datum, error) {
		if err := s.enterFunction(); err != nil {
			return types.Null, err
		}
		defer s.leaveFunction()
		return fn(c)
	}, nil
}

// triggerInLanguage makes the callable of a trigger function that is not internal.
func (s *Session) triggerInLanguage(p *catalog.Proc, tg *catalog.Trigger) (executor.TriggerFunc, error) {
	if s.isPLpgSQL(p) {
		fn, err := s.pl().Trigger(p, tg)
		if err != nil {
			return nil, err
		}
		return s.triggerFunc(p, fn), nil
	}
	return nil, pgerr.NotSupported("trigger function %s in this language", p.Name)
}

// validateFunction checks the body of a function that is being made.
func (s *Session) validateFunction(p *catalog.Proc) error {
	if s.isPLpgSQL(p) {
		return s.pl().Validate(p)
	}
	return nil
}

// plHost is the session as PL/pgSQL sees it.
type plHost struct{ s *Session }

var _ plpgsql.Host = plHost{}

func (h plHost) Backend() *executor.Backend { return h.s.backend }
func (h plHost) AnalyzeEnv() *analyze.Env   { return h.s.analyzeEnv(nil) }
func (h plHost) Notice(n *pgerr.Error)      { h.s.notice(n) }
func (h plHost) NextCommand() error         { return h.s.commandCounterIncrement() }

func (h plHost) BeginExpression() { h.s.beginExpression() }
func (h plHost) EndExpression()   { h.s.endExpression() }

func (h plHost) Setting(name string) string {
	v, err := h.s.gucs.Show(name, true)
	if err != nil {
		return ""
	}
	return v
}

// BeginSub starts the subtransaction of an EXCEPTION block.
func (h plHost) BeginSub() int {
	h.s.pushSavepoint("", true)
	return len(h.s.savepoints) - 1
}

func (h plHost) ReleaseSub(depth int) {
	for len(h.s.savepoints) > depth {
		h.s.releaseTop()
	}
}

func (h plHost) RollbackSub(depth int) { h.s.undoTo(depth) }

// TakeNonAtomic and SetNonAtomic carry "may end its transaction" from a CALL or DO to the function that it calls.
func (h plHost) TakeNonAtomic() bool {
	v := h.s.nonAtomic
	h.s.nonAtomic = false
	return v
}

func (h plHost) SetNonAtomic(v bool) { h.s.nonAtomic = v }

// Commit ends the transaction of a procedure. Its open cursors go on, with their rows stored.
func (h plHost) Commit(chain bool) error {
	s := h.s
	for _, p := range s.portals {
		if p.cursor {
			p.hold = true
		}
	}
	iso, ro, def := s.characteristics()
	if err := s.commit(); err != nil {
		return err
	}
	h.restart(chain, func() {
		tx := s.backend.Heap.Tx
		tx.Isolation, tx.ReadOnly, tx.Deferrable = iso, ro, def
	})
	return nil
}

// Rollback undoes the transaction of a procedure.
func (h plHost) Rollback(chain bool) error {
	s := h.s
	for _, p := range s.portals {
		if p.cursor && !p.held {
			if err := s.holdPortal(p); err != nil {
				return err
			}
		}
	}
	iso, ro, def := s.characteristics()
	s.abort()
	h.restart(chain, func() {
		tx := s.backend.Heap.Tx
		tx.Isolation, tx.ReadOnly, tx.Deferrable = iso, ro, def
	})
	return nil
}

func (h plHost) restart(chain bool, keep func()) {
	h.s.startTransaction()
	if chain {
		keep()
	}
}

// hookedStmt is the parse tree of a statement in a function: its names may be variables.
type hookedStmt struct {
	stmt  *parse.Stmt
	hooks plpgsql.Hooks
}

// analyzeHooked analyses and rewrites a statement of a function.
func (s *Session) analyzeHooked(h *hookedStmt) (plancache.Analyzed, error) {
	if h.hooks.Begin != nil {
		h.hooks.Begin()
	}
	params := &analyze.Params{Hook: h.hooks.Param}
	env := s.analyzeEnv(params)
	env.ColumnHook = h.hooks.Column
	var q *query.Query
	var err error
	if h.hooks.Assign != nil {
		q, err = analyze.Assignment(env, h.stmt, h.hooks.Assign)
	} else {
		q, err = analyze.Statement(env, h.stmt)
	}
	if err == nil {
		err = analyzeContained(env, h.stmt, q)
	}
	if err != nil {
		return plancache.Analyzed{}, err
	}
	var result []*query.TargetEntry
	if call := h.stmt.Node.GetCallStmt(); call != nil {
		c, err := analyze.Call(env, call)
		if err != nil {
			return plancache.Analyzed{}, err
		}
		if result, err = s.callColumns(c); err != nil {
			return plancache.Analyzed{}, err
		}
	}
	params.Types = h.hooks.ParamTypes()
	a, err := s.rewriteAnalyzed(q, params)
	if result != nil {
		a.Result = result
	}
	return a, err
}

// Prepare makes a statement of a function.
func (h plHost) Prepare(stmt *parse.Stmt, text string, hooks plpgsql.Hooks) plpgsql.Query {
	p := h.s.newPrepared("", text, stmt, nil)
	hs := &hookedStmt{stmt, hooks}
	p.source = plancache.New(hs, text, "", nil)
	return &plQuery{s: h.s, p: p, hooked: hs}
}

// plQuery is a statement of a function in this session.
type plQuery struct {
	s      *Session
	p      *prepared
	hooked *hookedStmt
}

func (q *plQuery) Analyze() (*plancache.Analyzed, error) { return q.s.analyze(q.p) }
func (q *plQuery) Reset()                                { q.p.source.Invalidate() }

// Expr gives the expression of a SELECT that is only that.
func (q *plQuery) Expr() (query.Expr, error) {
	a, err := q.s.analyze(q.p)
	if err != nil {
		return nil, err
	}
	if len(a.Queries) != 1 || !isExpression(a.Queries[0]) {
		return nil, nil
	}
	plans, err := q.p.source.Get(q.s.planEnv(), nil)
	if err != nil {
		return nil, err
	}
	root, ok := plans.Stmts[0].Root.(*plan.Result)
	if !ok || root.Left != nil || len(root.ConstQuals) > 0 || len(plans.Stmts[0].Subplans) > 0 || len(root.Targets) != 1 {
		return nil, nil
	}
	return root.Targets[0].Expr, nil
}

// isExpression says whether a query is SELECT expression and nothing else.
func isExpression(q *query.Query) bool {
	return q.Command == query.CmdSelect && len(q.RangeTable) == 0 && !q.HasAggs && !q.HasWindowFuncs && !q.HasTargetSRFs && !q.HasSubLinks &&
		len(q.CTEs) == 0 && q.JoinTree.Quals == nil && len(q.GroupBy) == 0 && len(q.GroupingSets) == 0 && q.Having == nil && len(q.Distinct) == 0 &&
		len(q.SortBy) == 0 && q.LimitCount == nil && q.LimitOffset == nil && q.SetOp == nil && len(q.Targets) == 1
}

func (q *plQuery) Kind() plpgsql.Kind {
	switch n := q.hooked.stmt.Node.Node.(type) {
	case *pg_query.Node_SelectStmt:
		return plpgsql.KindSelect
	case *pg_query.Node_CreateTableAsStmt:
		if n.CreateTableAsStmt.IsSelectInto {
			return plpgsql.KindSelectInto
		}
	case *pg_query.Node_InsertStmt, *pg_query.Node_UpdateStmt, *pg_query.Node_DeleteStmt, *pg_query.Node_MergeStmt:
		return plpgsql.KindModify
	case *pg_query.Node_CallStmt:
		return plpgsql.KindCall
	case *pg_query.Node_TransactionStmt:
		return plpgsql.KindTransaction
	}
	return plpgsql.KindUtility
}

// rowFunc is a receiver of a function's rows.
type rowFunc struct {
	out  func(types.Row) error
	max  int64
	rows int64
}

func (r *rowFunc) receive(row types.Row) error {
	if r.max > 0 && r.rows >= r.max {
		return errEnoughRows
	}
	r.rows++
	return r.out(row)
}

// Run executes the statement inside the one that called the function.
func (q *plQuery) Run(params []types.Datum, readOnly bool, max int64, out func(types.Row) error) (int64, error) {
	s := q.s
	if c := q.hooked.stmt.Node.GetCopyStmt(); c != nil && c.Filename == "" {
		return 0, pgerr.New(pgerr.FeatureNotSupported, "cannot COPY to/from client in PL/pgSQL")
	}
	if !readOnly {
		if err := s.commandCounterIncrement(); err != nil {
			return 0, err
		}
	}
	s.inFunction++
	defer func() { s.inFunction-- }()
	r := &rowFunc{out: out, max: max}
	if readOnly {
		snap := s.callerSnapshot()
		defer s.backend.Heap.Tx.ReleaseSnapshot(&snap.Snapshot)
		err := s.runWithSnapshot(q.p, params, snap, r)
		return r.rows, err
	}
	plans, err := q.p.source.Get(s.planEnv(), params)
	if err != nil {
		return 0, err
	}
	tag, err := s.runStatements(q.p, plans, params, r)
	if err == errEnoughRows {
		return r.rows, nil
	}
	if err != nil {
		return 0, err
	}
	return tagCount(tag), s.commandCounterIncrement()
}

// CallOut lists the OUT parameters of a CALL.
func (q *plQuery) CallOut() ([]plpgsql.OutParam, error) {
	env := q.s.analyzeEnv(&analyze.Params{Hook: q.hooked.hooks.Param})
	env.ColumnHook = q.hooked.hooks.Column
	c, err := analyze.Call(env, q.hooked.stmt.Node.GetCallStmt())
	if err != nil {
		return nil, err
	}
	var list []plpgsql.OutParam
	for _, i := range c.Outs {
		o := plpgsql.OutParam{Position: i}
		if i < len(c.Proc.ArgNames) {
			o.Name = c.Proc.ArgNames[i]
		}
		list = append(list, o)
	}
	return list, nil
}

// OpenCursor makes a cursor of a function's query.
func (h plHost) OpenCursor(name string, q plpgsql.Query, params []types.Datum, o plpgsql.CursorOptions) (string, error) {
	s := h.s
	if name == "" {
		for {
			s.unnamedCursors++
			name = fmt.Sprintf("<unnamed portal %d>", s.unnamedCursors)
			if s.portals[name] == nil {
				break
			}
		}
	}
	if s.portals[name] != nil {
		return "", pgerr.New(pgerr.DuplicateCursor, "cursor \"%s\" already in use", name)
	}
	if !o.ReadOnly {
		if err := s.commandCounterIncrement(); err != nil {
			return "", err
		}
	}
	ps := q.(*plQuery).p
	kept := make([]types.Datum, len(params))
	for i := range params {
		kept[i] = params[i].Clone()
	}
	p := &portal{name: name, stmt: ps, cursor: true, scroll: o.Scroll, noScroll: o.NoScroll, text: ps.text, params: kept}
	a, err := s.analyze(ps)
	if err != nil {
		return "", err
	}
	if err := s.bindPlan(p, a); err != nil {
		return "", err
	}
	if p.strategy != portalSelect {
		if p.shape == nil || len(p.shape.ios) == 0 {
			return "", pgerr.New(pgerr.InvalidCursorDefinition, "cannot open %s query as cursor", parse.CommandTag(ps.stmt.Node))
		}
		if err := s.runInside(p); err != nil {
			return "", err
		}
	}
	p.settleScroll()
	return name, s.addPortal(p)
}

// runInside runs everything of a cursor that is no plain SELECT (EXPLAIN, SHOW, RETURNING) and keeps its rows.
func (s *Session) runInside(p *portal) error {
	s.inFunction++
	defer func() { s.inFunction-- }()
	p.started, p.done = true, true
	return s.runToCompletion(p)
}

func (h plHost) Cursor(name string) plpgsql.Cursor {
	if p := h.s.portals[name]; p != nil {
		return plCursor{h.s, p}
	}
	return nil
}

type plCursor struct {
	s *Session
	p *portal
}

var fetchDirections = map[plpgsql.Direction]pg_query.FetchDirection{
	plpgsql.Forward: pg_query.FetchDirection_FETCH_FORWARD, plpgsql.Backward: pg_query.FetchDirection_FETCH_BACKWARD,
	plpgsql.Absolute: pg_query.FetchDirection_FETCH_ABSOLUTE, plpgsql.Relative: pg_query.FetchDirection_FETCH_RELATIVE,
}

func (c plCursor) Fetch(dir plpgsql.Direction, count int64, out func(types.Row) error) (int64, error) {
	return c.s.fetchFrom(c.p, fetchDirections[dir], count, &rowFunc{out: out})
}

func (c plCursor) Columns() []*query.TargetEntry { return c.p.resultColumns() }
func (c plCursor) Close()                        { c.s.dropPortal(c.p) }
