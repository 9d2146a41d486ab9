package session

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/plancache"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// containedQuery gives the query in EXPLAIN, CREATE TABLE AS or DECLARE CURSOR; nil in other commands, and when what they hold is a command too.
func containedQuery(node *pg_query.Node) *pg_query.Node {
	var inner *pg_query.Node
	switch n := node.Node.(type) {
	case *pg_query.Node_ExplainStmt:
		inner = n.ExplainStmt.Query
	case *pg_query.Node_CreateTableAsStmt:
		inner = n.CreateTableAsStmt.Query
	case *pg_query.Node_DeclareCursorStmt:
		inner = n.DeclareCursorStmt.Query
	default:
		return nil
	}
	switch inner.Node.(type) {
	case *pg_query.Node_SelectStmt, *pg_query.Node_InsertStmt, *pg_query.Node_UpdateStmt, *pg_query.Node_DeleteStmt, *pg_query.Node_MergeStmt:
		return inner
	}
	return containedQuery(inner)
}

// analyzeContained analyses a command's query along with the command: that finds its parameters, and its errors before anything is done.
func analyzeContained(env *analyze.Env, stmt *parse.Stmt, q *query.Query) error {
	if q.Command != query.CmdUtility {
		return nil
	}
	inner := containedQuery(utilityNode(q))
	if inner == nil {
		return nil
	}
	_, err := analyze.Statement(env, &parse.Stmt{Node: inner, Location: stmt.Location, Len: stmt.Len})
	return err
}

// containedStmt is the parse tree of the query in a command. env says what its names and parameters mean: a function's variables or arguments, or
// what the client sent.
type containedStmt struct {
	stmt *parse.Stmt
	env  func() *analyze.Env
}

// analyze analyses and rewrites the query.
func (x *containedStmt) analyze(s *Session) (plancache.Analyzed, error) {
	env := x.env()
	q, err := analyze.Statement(env, x.stmt)
	if err != nil {
		return plancache.Analyzed{}, err
	}
	return s.rewriteAnalyzed(q, &analyze.Params{Types: env.Params.Types})
}

// contained makes a statement of the query inside the command.
func (c *command) contained(node *pg_query.Node) *prepared {
	stmt := &parse.Stmt{Node: node, Location: c.p.stmt.Location, Len: c.p.stmt.Len}
	p := c.s.newPrepared("", c.p.text, stmt, nil)
	p.source = plancache.New(&containedStmt{stmt, c.analyzeEnv}, c.p.text, "", nil)
	return p
}

// analyzeEnv resolves names as the statement that contains the command does.
func (c *command) analyzeEnv() *analyze.Env {
	s := c.s
	switch x := c.p.source.Raw.(type) {
	case *hookedStmt:
		env := s.analyzeEnv(&analyze.Params{Hook: x.hooks.Param})
		env.ColumnHook = x.hooks.Column
		return env
	case *bodyStatement:
		return analyze.InFunction(s.analyzeEnv(nil), &x.f.fn.Args)
	}
	params := &analyze.Params{}
	if a, err := s.analyze(c.p); err == nil {
		params.Types = a.ParamTypes
	}
	return s.analyzeEnv(params)
}

// registered is the command as the registered ones see it.
func (c *command) registered(node *pg_query.Node) *executor.Command {
	return &executor.Command{Backend: c.s.backend, Node: node, Text: c.p.stmt.Text(c.p.text), Source: c.p.text, Session: c.s,
		Params: c.params, AnalyzeEnv: func() any { return c.analyzeEnv() }, Execute: c.executeInside}
}

// executeInside is the EXECUTE in CREATE TABLE AS.
func (c *command) executeInside(execute any) ([]*query.TargetEntry, func(func(types.Row) error) error, error) {
	p, params, err := c.executeTarget(execute.(*pg_query.ExecuteStmt))
	if err != nil {
		return nil, nil, err
	}
	s := c.s
	a, err := s.analyze(p)
	if err != nil {
		return nil, nil, err
	}
	run := func(each func(types.Row) error) error {
		plans, err := p.source.Get(s.planEnv(), params)
		if err != nil {
			return err
		}
		_, err = s.runStatements(p, plans, params, funcReceiver(each))
		return err
	}
	if len(a.Queries) != 1 || a.Queries[0].Command != query.CmdSelect {
		return nil, nil, pgerr.New(pgerr.WrongObjectType, "prepared statement is not a SELECT")
	}
	return a.Result, run, nil
}
