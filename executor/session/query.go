package session

import (
	"strings"
	"unicode/utf8"

	"github.com/calfdb/calf/plancache"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Query runs a simple query string.
func (s *Session) Query(sql string) error {
	// The string is in the read buffer: what is kept of it (cached statements, portals) must be a copy.
	err := s.simpleQuery(sql)
	if err != nil {
		return s.fail(err, sql)
	}
	s.logEnd("")
	return nil
}

func (s *Session) simpleQuery(sql string) error {
	s.begin(sql)
	defer s.end()
	if c := s.cache.lookupSimple(sql); c != nil {
		s.logStatement(c.Value.stmt.Node)
		if done, err := s.runCached(c); done {
			return err
		}
	}
	sql = strings.Clone(sql)
	stmts, err := parse.Parse(sql)
	if err != nil {
		return err
	}
	if len(stmts) == 0 {
		s.w.EmptyQuery()
		return nil
	}
	if s.log.statement != logNone {
		for _, stmt := range stmts {
			s.logStatement(stmt.Node)
		}
	}
	if len(stmts) == 1 && s.cache.ok && cacheable(stmts[0].Node) {
		return s.runAndKeep(sql, stmts[0])
	}
	s.severalStatements = len(stmts) > 1
	for i, stmt := range stmts {
		if len(stmts) > 1 && s.block == blockNone {
			s.block = blockImplicit
		}
		if err := s.runSimple(s.newPrepared("", sql, stmt, nil), i == len(stmts)-1); err != nil {
			return err
		}
	}
	return nil
}

// runAndKeep runs the only statement of a text that the statement cache may keep.
func (s *Session) runAndKeep(sql string, stmt *parse.Stmt) error {
	s.cache.text = sql
	p, l := s.newLifted(sql, stmt)
	if err := s.runSimple(p, true); err != nil {
		return err
	}
	if l.analyzed && !l.frozen && l.notices == s.notices {
		s.cache.keep(p, l.params)
	}
	return nil
}

// runSimple runs one statement of a simple query. The last one's transaction ends before the client hears of its success.
func (s *Session) runSimple(p *prepared, last bool) error {
	if err := s.checkBlock(p.stmt); err != nil {
		return err
	}
	s.startCommand()
	if err := s.backend.Interrupted(); err != nil {
		return err
	}
	tag, err := s.runDirect(p)
	if err != nil {
		return err
	}
	return s.finishSimple(tag, last)
}

func (s *Session) finishSimple(tag string, last bool) error {
	if last && s.block == blockImplicit {
		s.block = blockNone
	}
	if err := s.finishStatement(); err != nil {
		return err
	}
	s.w.CommandComplete(tag)
	return nil
}

// runDirect analyses, plans and runs a statement, its rows sent to the client in text form.
func (s *Session) runDirect(p *prepared) (string, error) {
	a, err := s.analyze(p)
	if err != nil {
		return "", err
	}
	var params []types.Datum
	if l, ok := p.source.Raw.(*lifted); ok {
		if params, err = s.literals(l); err != nil {
			return "", err
		}
	}
	if len(a.ParamTypes) > len(params) {
		return "", noParameter(p)
	}
	plans, err := p.source.Get(s.planEnv(), params)
	if err != nil {
		return "", err
	}
	return s.runPlans(p, plans, params)
}

// runPlans runs the plans of a simple query's statement.
func (s *Session) runPlans(p *prepared, plans *plancache.Plans, params []types.Datum) (string, error) {
	var out receiver = discard{}
	if !p.shape.none {
		r := &s.simple
		*r = simpleReceiver{s: s, shape: p.shape, formats: s.simpleFormats(p)}
		if strategyOf(p.shapeFor) == portalSelect {
			r.begin() // the client hears of the columns before the query runs
		}
		out = r
	}
	tag, err := s.runStatements(p, plans, params, out)
	if r, ok := out.(*simpleReceiver); ok && err == nil {
		r.begin()
	}
	return tag, err
}

// simpleReceiver sends RowDescription when execution begins, so that an error of planning comes without.
type simpleReceiver struct {
	s     *Session
	shape *resultShape
	began bool
	rows  rowWriter

	formats []int16
}

// simpleFormats gives the result formats of a simple query: text, but FETCH from a binary cursor.
func (s *Session) simpleFormats(p *prepared) []int16 {
	if f := p.stmt.Node.GetFetchStmt(); f != nil {
		if c := s.portals[f.Portalname]; c != nil && c.binary {
			return []int16{1}
		}
	}
	return nil
}

func (r *simpleReceiver) receive(row types.Row) error {
	r.begin()
	return r.rows.receive(row)
}

func (r *simpleReceiver) begin() {
	if r.began {
		return
	}
	r.began = true
	r.rows = rowWriter{w: r.s.w, env: r.s.backend.Env, shape: r.shape, formats: r.formats}
	r.s.w.RowDescription(r.shape.fields, r.formats)
}

// checkBlock refuses everything but the end of the block when the block has failed.
func (s *Session) checkBlock(stmt *parse.Stmt) error {
	if s.block != blockFailed || endsBlock(stmt) {
		return nil
	}
	return pgerr.New(pgerr.InFailedSqlTransaction, "current transaction is aborted, commands ignored until end of transaction block")
}

// begin and end bracket the handling of a message that runs statements.
func (s *Session) begin(text string) {
	s.active.Store(true)
	s.clock.startMessage()
	s.armStatementTimeout()
	if s.gucs.trackActivities {
		s.activity.beginCopy(text, s.clock.statement)
	}
	s.logBegin(text)
}

func (s *Session) end() {
	s.disarmStatementTimeout()
	s.severalStatements = false
	s.active.Store(false)
	s.backend.ClearInterrupt()
}

// fail turns an error into what the client gets, and aborts what has to be.
func (s *Session) fail(err error, text string) error {
	e := pgerr.From(err)
	if e.Location > 0 && e.Position == 0 && e.InternalQuery == "" {
		e.Position = characterPosition(text, e.Location-1)
	}
	if e.Code == pgerr.TRDeadlockDetected && s.backend.Heap.Stats != nil {
		s.backend.Heap.Stats.Delta().Deadlocks++
	}
	s.logError(e, text)
	s.failStatement()
	return e
}

// characterPosition gives the 1-based character position of a byte offset.
func characterPosition(text string, offset int) int {
	if offset > len(text) {
		offset = len(text)
	}
	return utf8.RuneCountInString(text[:offset]) + 1
}

// Fail tells of an error that the protocol server found.
func (s *Session) Fail(err *pgerr.Error) {
	s.logError(err, "")
	s.failStatement()
}

// noParameter is the error of a parameter in a statement that comes without any.
func noParameter(p *prepared) error {
	text := p.stmt.Text(p.text)
	sc := parse.Scanner{Text: text}
	for t := sc.Next(); t.Kind != parse.End; t = sc.Next() {
		if t.Kind == parse.ParamRef {
			return pgerr.New(pgerr.UndefinedParameter, "there is no parameter %s", text[t.Start:t.End]).WithLocation(p.stmt.Location + t.Start)
		}
	}
	return pgerr.New(pgerr.UndefinedParameter, "there is no parameter $1")
}
