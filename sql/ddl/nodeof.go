package ddl

import pg_query "github.com/pganalyze/pg_query_go/v5"

// nodeOf takes the statement of type T out of a parse node.
func nodeOf[T any](n *pg_query.Node) T {
	var v any
	switch x := n.Node.(type) {
	case *pg_query.Node_CreateStmt:
		v = x.CreateStmt
	case *pg_query.Node_AlterTableStmt:
		v = x.AlterTableStmt
	case *pg_query.Node_IndexStmt:
		v = x.IndexStmt
	case *pg_query.Node_DropStmt:
		v = x.DropStmt
	case *pg_query.Node_TruncateStmt:
		v = x.TruncateStmt
	case *pg_query.Node_VacuumStmt:
		v = x.VacuumStmt
	case *pg_query.Node_ReindexStmt:
		v = x.ReindexStmt
	case *pg_query.Node_ClusterStmt:
		v = x.ClusterStmt
	case *pg_query.Node_CreateSchemaStmt:
		v = x.CreateSchemaStmt
	case *pg_query.Node_ViewStmt:
		v = x.ViewStmt
	case *pg_query.Node_CreateSeqStmt:
		v = x.CreateSeqStmt
	case *pg_query.Node_AlterSeqStmt:
		v = x.AlterSeqStmt
	case *pg_query.Node_CreateTableAsStmt:
		v = x.CreateTableAsStmt
	case *pg_query.Node_RefreshMatViewStmt:
		v = x.RefreshMatViewStmt
	case *pg_query.Node_CommentStmt:
		v = x.CommentStmt
	case *pg_query.Node_GrantStmt:
		v = x.GrantStmt
	case *pg_query.Node_GrantRoleStmt:
		v = x.GrantRoleStmt
	case *pg_query.Node_CreatedbStmt:
		v = x.CreatedbStmt
	case *pg_query.Node_DropdbStmt:
		v = x.DropdbStmt
	case *pg_query.Node_AlterDatabaseStmt:
		v = x.AlterDatabaseStmt
	case *pg_query.Node_AlterDatabaseSetStmt:
		v = x.AlterDatabaseSetStmt
	case *pg_query.Node_CreateRoleStmt:
		v = x.CreateRoleStmt
	case *pg_query.Node_AlterRoleStmt:
		v = x.AlterRoleStmt
	case *pg_query.Node_AlterRoleSetStmt:
		v = x.AlterRoleSetStmt
	case *pg_query.Node_DropRoleStmt:
		v = x.DropRoleStmt
	case *pg_query.Node_AlterSystemStmt:
		v = x.AlterSystemStmt
	case *pg_query.Node_RenameStmt:
		v = x.RenameStmt
	case *pg_query.Node_AlterOwnerStmt:
		v = x.AlterOwnerStmt
	case *pg_query.Node_AlterObjectSchemaStmt:
		v = x.AlterObjectSchemaStmt
	case *pg_query.Node_ReassignOwnedStmt:
		v = x.ReassignOwnedStmt
	case *pg_query.Node_DropOwnedStmt:
		v = x.DropOwnedStmt
	case *pg_query.Node_CreateEnumStmt:
		v = x.CreateEnumStmt
	case *pg_query.Node_AlterEnumStmt:
		v = x.AlterEnumStmt
	case *pg_query.Node_CreateDomainStmt:
		v = x.CreateDomainStmt
	case *pg_query.Node_CompositeTypeStmt:
		v = x.CompositeTypeStmt
	}
	return v.(T)
}
