package session

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// explain is EXPLAIN.
func (c *command) explain(n *pg_query.ExplainStmt) (string, error) {
	return "", pgerr.NotSupported("EXPLAIN")
}

// explainColumns gives EXPLAIN's result column.
func (s *Session) explainColumns(n *pg_query.ExplainStmt) []*query.TargetEntry {
	typ := types.TextOID
	return []*query.TargetEntry{{Name: "QUERY PLAN", ResNo: 1, Expr: &query.Const{TypeOID: typ, Mod: -1, Coll: 100, Value: types.Null, Loc: -1}}}
}
