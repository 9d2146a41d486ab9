package parse

import pg_query "github.com/pganalyze/pg_query_go/v5"

// intoStatement gives CREATE TABLE AS for a SELECT INTO, also for one in EXPLAIN; other statements as they are.
func intoStatement(n *pg_query.Node) *pg_query.Node {
	if e := n.GetExplainStmt(); e != nil {
		e.Query = intoStatement(e.Query)
	}
	s := n.GetSelectStmt()
	if s == nil {
		return n
	}
	first := s
	for first.Larg != nil && first.Op != pg_query.SetOperation_SETOP_NONE {
		first = first.Larg
	}
	if first.IntoClause == nil {
		return n
	}
	into := first.IntoClause
	first.IntoClause = nil
	return &pg_query.Node{Node: &pg_query.Node_CreateTableAsStmt{CreateTableAsStmt: &pg_query.CreateTableAsStmt{Query: n, Into: into,
		Objtype: pg_query.ObjectType_OBJECT_TABLE, IsSelectInto: true}}}
}
