package session

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/plancache"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/parse"
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

// contained makes a statement of the query inside the command; its parameters, and a function's variables, are the command's.
func (c *command) contained(node *pg_query.Node) *prepared {
	stmt := &parse.Stmt{Node: node, Location: c.p.stmt.Location, Len: c.p.stmt.Len}
	p := c.s.newPrepared("", c.p.text, stmt, c.paramTypes())
	if h := c.hooked(); h != nil {
		hooks := h.hooks
		hooks.Begin = nil
		p.source = plancache.New(&hookedStmt{stmt, hooks}, c.p.text, "", nil)
	}
	return p
}

// hooked gives the command's statement when a function runs it.
func (c *command) hooked() *hookedStmt {
	h, _ := c.p.source.Raw.(*hookedStmt)
	return h
}

// paramTypes are the types of the command's parameters.
func (c *command) paramTypes() []types.OID {
	if c.hooked() != nil {
		return nil
	}
	a, err := c.s.analyze(c.p)
	if err != nil {
		return nil
	}
	return a.ParamTypes
}

// registered is the command as the registered ones see it.
func (c *command) registered(node *pg_query.Node) *executor.Command {
	x := &executor.Command{Backend: c.s.backend, Node: node, Text: c.p.stmt.Text(c.p.text), Source: c.p.text, Session: c.s,
		Params: c.params, ParamTypes: c.paramTypes()}
	if h := c.hooked(); h != nil {
		x.ParamHook, x.ColumnHook = h.hooks.Param, h.hooks.Column
	}
	return x
}
