package session

import pg_query "github.com/pganalyze/pg_query_go/v5"

// changesNothing says whether a utility statement may run in a read-only transaction: it changes no data and no definitions, or looks itself at
// what it does.
func changesNothing(node *pg_query.Node) bool {
	switch node.Node.(type) {
	case *pg_query.Node_TransactionStmt, *pg_query.Node_VariableSetStmt, *pg_query.Node_VariableShowStmt, *pg_query.Node_AlterSystemStmt,
		*pg_query.Node_PrepareStmt, *pg_query.Node_ExecuteStmt, *pg_query.Node_DeallocateStmt, *pg_query.Node_DiscardStmt,
		*pg_query.Node_DeclareCursorStmt, *pg_query.Node_FetchStmt, *pg_query.Node_ClosePortalStmt, *pg_query.Node_ExplainStmt,
		*pg_query.Node_CopyStmt, *pg_query.Node_ConstraintsSetStmt, *pg_query.Node_CallStmt, *pg_query.Node_DoStmt,
		*pg_query.Node_CheckPointStmt, *pg_query.Node_LoadStmt, *pg_query.Node_ListenStmt, *pg_query.Node_UnlistenStmt, *pg_query.Node_NotifyStmt,
		*pg_query.Node_ClusterStmt, *pg_query.Node_ReindexStmt, *pg_query.Node_VacuumStmt, *pg_query.Node_LockStmt:
		return true
	}
	return false
}
