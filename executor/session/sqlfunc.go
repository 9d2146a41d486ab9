package session

import (
	"strings"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// sqlFunction is a function in language SQL at one call site: its statements, analysed once with the argument types of the call.
type sqlFunction struct {
	s     *Session
	proc  *catalog.Proc
	stmts []*prepared
}

// functionInLanguage makes the callable of a function that is not internal.
func (s *Session) functionInLanguage(p *catalog.Proc, call *types.Call) (types.Func, error) {
	f, err := s.newSQLFunction(p, call)
	if err != nil {
		return nil, err
	}
	return func(c *types.Call) (types.Datum, error) {
		rows, err := f.run(c.Args, 1)
		if err != nil || len(rows) == 0 || len(rows[0]) == 0 {
			return types.Null, err
		}
		return rows[0][0], nil
	}, nil
}

// setFunctionInLanguage makes the callable of a set-returning function in language SQL.
func (s *Session) setFunctionInLanguage(p *catalog.Proc, call *types.Call) (types.SRF, error) {
	f, err := s.newSQLFunction(p, call)
	if err != nil {
		return nil, err
	}
	return func(c *types.Call) (types.Iterator, error) {
		rows, err := f.run(c.Args, 0)
		return &rowsIterator{rows: rows}, err
	}, nil
}

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

func (s *Session) newSQLFunction(p *catalog.Proc, call *types.Call) (*sqlFunction, error) {
	if p.Lang != catalog.SQLLanguage {
		return nil, pgerr.NotSupported("function %s in this language", p.Name)
	}
	body := p.Src
	if expr, ok := strings.CutPrefix(p.SQLBody, "RETURN "); ok {
		body = "SELECT " + expr
	} else if p.SQLBody != "" {
		return nil, pgerr.NotSupported("function %s with a SQL-standard body", p.Name)
	}
	stmts, err := parse.Parse(body)
	if err != nil {
		return nil, err
	}
	argTypes := make([]types.OID, len(p.ArgTypes))
	for i, t := range p.ArgTypes {
		argTypes[i] = t
		if i < len(call.ArgTypes) && call.ArgTypes[i] != types.UnknownOID {
			argTypes[i] = call.ArgTypes[i] // polymorphic arguments have the types of the call
		}
	}
	f := &sqlFunction{s: s, proc: p}
	for _, stmt := range stmts {
		f.stmts = append(f.stmts, s.newPrepared("", body, stmt, argTypes))
	}
	return f, nil
}

// run runs the statements and gives the last one's rows, at most max (0 = all).
func (f *sqlFunction) run(args []types.Datum, max int) ([]types.Row, error) {
	params := make([]types.Datum, len(args))
	copy(params, args)
	var rows rowList
	for _, p := range f.stmts {
		rows.rows = nil
		if err := f.s.runInner(p, params, &rows); err != nil {
			e := *pgerr.From(err)
			return nil, e.WithContext("SQL function \"%s\" statement 1", f.proc.Name)
		}
	}
	if max > 0 && len(rows.rows) > max {
		rows.rows = rows.rows[:max]
	}
	return rows.rows, nil
}

// runInner runs a statement inside the one that runs.
func (s *Session) runInner(p *prepared, params []types.Datum, out receiver) error {
	if _, err := s.analyze(p); err != nil {
		return err
	}
	plans, err := p.source.Get(s.planEnv(), params)
	if err != nil {
		return err
	}
	if readsOnly(plans.Stmts) {
		_, err = s.runStatements(p, plans, params, out)
		return err
	}
	if err := s.commandCounterIncrement(); err != nil {
		return err
	}
	if _, err := s.runStatements(p, plans, params, out); err != nil {
		return err
	}
	return s.commandCounterIncrement()
}

func readsOnly(stmts []*plan.Planned) bool {
	for _, pl := range stmts {
		if pl.Command != query.CmdSelect || pl.HasModifyingCTE || len(pl.RowMarks) > 0 {
			return false
		}
	}
	return true
}

// triggerSQLMax bounds the statements of triggers that a session keeps.
const triggerSQLMax = 256

// runSQL runs one statement for a trigger, with a fresh command and the rights of a role, and gives its number of rows.
func (s *Session) runSQL(as types.OID, sql string, argTypes []types.OID, args []types.Datum) (int64, error) {
	caller := s.view.User()
	s.view.SetUser(as)
	defer s.view.SetUser(caller)
	p := s.triggerSQL[sql]
	if p == nil {
		stmts, err := parse.Parse(sql)
		if err != nil {
			return 0, err
		}
		p = s.newPrepared("", sql, stmts[0], argTypes)
		if s.triggerSQL == nil || len(s.triggerSQL) >= triggerSQLMax {
			s.triggerSQL = map[string]*prepared{}
		}
		s.triggerSQL[sql] = p
	}
	counted := &countReceiver{}
	if err := s.commandCounterIncrement(); err != nil {
		return 0, err
	}
	if _, err := s.analyze(p); err != nil {
		return 0, err
	}
	plans, err := p.source.Get(s.planEnv(), args)
	if err != nil {
		return 0, err
	}
	tag, err := s.runStatements(p, plans, args, counted)
	if err != nil {
		return 0, err
	}
	return tagCount(tag), s.commandCounterIncrement()
}

// countReceiver drops rows.
type countReceiver struct{ n int64 }

func (c *countReceiver) receive(types.Row) error {
	c.n++
	return nil
}

// tagCount reads the number at the end of a command tag.
func tagCount(tag string) int64 {
	n, unit := int64(0), int64(1)
	for i := len(tag) - 1; i >= 0 && tag[i] >= '0' && tag[i] <= '9'; i-- {
		n += int64(tag[i]-'0') * unit
		unit *= 10
	}
	return n
}
