package parse

import (
	"reflect"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// plainTags are the tags of statements that have one whatever they say, by the name of their parse node.
var plainTags = map[string]string{
	"SelectStmt": "SELECT", "InsertStmt": "INSERT", "UpdateStmt": "UPDATE", "DeleteStmt": "DELETE", "MergeStmt": "MERGE",
	"CopyStmt": "COPY", "PrepareStmt": "PREPARE", "ExecuteStmt": "EXECUTE", "DeallocateStmt": "DEALLOCATE",
	"CreateSchemaStmt": "CREATE SCHEMA", "CreateStmt": "CREATE TABLE", "CreateTableSpaceStmt": "CREATE TABLESPACE",
	"DropTableSpaceStmt": "DROP TABLESPACE", "AlterTableSpaceOptionsStmt": "ALTER TABLESPACE",
	"CreateExtensionStmt": "CREATE EXTENSION", "AlterExtensionStmt": "ALTER EXTENSION", "AlterExtensionContentsStmt": "ALTER EXTENSION",
	"CreateFdwStmt": "CREATE FOREIGN DATA WRAPPER", "AlterFdwStmt": "ALTER FOREIGN DATA WRAPPER",
	"CreateForeignServerStmt": "CREATE SERVER", "AlterForeignServerStmt": "ALTER SERVER", "CreateUserMappingStmt": "CREATE USER MAPPING",
	"AlterUserMappingStmt": "ALTER USER MAPPING", "DropUserMappingStmt": "DROP USER MAPPING", "CreateForeignTableStmt": "CREATE FOREIGN TABLE",
	"ImportForeignSchemaStmt": "IMPORT FOREIGN SCHEMA", "TruncateStmt": "TRUNCATE TABLE", "CommentStmt": "COMMENT", "SecLabelStmt": "SECURITY LABEL",
	"AlterDomainStmt": "ALTER DOMAIN", "AlterDefaultPrivilegesStmt": "ALTER DEFAULT PRIVILEGES", "CompositeTypeStmt": "CREATE TYPE",
	"CreateEnumStmt": "CREATE TYPE", "CreateRangeStmt": "CREATE TYPE", "AlterEnumStmt": "ALTER TYPE", "AlterTypeStmt": "ALTER TYPE",
	"ViewStmt": "CREATE VIEW", "IndexStmt": "CREATE INDEX", "RuleStmt": "CREATE RULE", "CreateSeqStmt": "CREATE SEQUENCE",
	"AlterSeqStmt": "ALTER SEQUENCE", "DoStmt": "DO", "CreatedbStmt": "CREATE DATABASE", "AlterDatabaseStmt": "ALTER DATABASE",
	"AlterDatabaseRefreshCollStmt": "ALTER DATABASE", "AlterDatabaseSetStmt": "ALTER DATABASE", "DropdbStmt": "DROP DATABASE",
	"NotifyStmt": "NOTIFY", "ListenStmt": "LISTEN", "UnlistenStmt": "UNLISTEN", "LoadStmt": "LOAD", "CallStmt": "CALL", "ClusterStmt": "CLUSTER",
	"RefreshMatViewStmt": "REFRESH MATERIALIZED VIEW", "AlterSystemStmt": "ALTER SYSTEM", "VariableShowStmt": "SHOW",
	"CreateTrigStmt": "CREATE TRIGGER", "CreateEventTrigStmt": "CREATE EVENT TRIGGER", "AlterEventTrigStmt": "ALTER EVENT TRIGGER",
	"CreatePLangStmt": "CREATE LANGUAGE", "CreateRoleStmt": "CREATE ROLE", "AlterRoleStmt": "ALTER ROLE", "AlterRoleSetStmt": "ALTER ROLE",
	"DropRoleStmt": "DROP ROLE", "DropOwnedStmt": "DROP OWNED", "ReassignOwnedStmt": "REASSIGN OWNED", "LockStmt": "LOCK TABLE",
	"ConstraintsSetStmt": "SET CONSTRAINTS", "CheckPointStmt": "CHECKPOINT", "ReindexStmt": "REINDEX", "CreateConversionStmt": "CREATE CONVERSION",
	"CreateCastStmt": "CREATE CAST", "CreateOpClassStmt": "CREATE OPERATOR CLASS", "CreateOpFamilyStmt": "CREATE OPERATOR FAMILY",
	"AlterOpFamilyStmt": "ALTER OPERATOR FAMILY", "AlterOperatorStmt": "ALTER OPERATOR", "AlterTSDictionaryStmt": "ALTER TEXT SEARCH DICTIONARY",
	"AlterTSConfigurationStmt": "ALTER TEXT SEARCH CONFIGURATION", "CreatePolicyStmt": "CREATE POLICY", "AlterPolicyStmt": "ALTER POLICY",
	"CreateAmStmt": "CREATE ACCESS METHOD", "CreatePublicationStmt": "CREATE PUBLICATION", "AlterPublicationStmt": "ALTER PUBLICATION",
	"CreateSubscriptionStmt": "CREATE SUBSCRIPTION", "AlterSubscriptionStmt": "ALTER SUBSCRIPTION", "DropSubscriptionStmt": "DROP SUBSCRIPTION",
	"AlterCollationStmt": "ALTER COLLATION", "CreateStatsStmt": "CREATE STATISTICS", "AlterStatsStmt": "ALTER STATISTICS",
	"CreateTransformStmt": "CREATE TRANSFORM", "CreateDomainStmt": "CREATE DOMAIN", "ExplainStmt": "EXPLAIN", "DeclareCursorStmt": "DECLARE CURSOR",
	"ClosePortalStmt": "CLOSE CURSOR",
}

// CommandTag is the name of a command as its user knows it ("CREATE TRIGGER"): what CommandComplete says of most utility statements, and what
// messages call them.
func CommandTag(n *pg_query.Node) string {
	switch x := n.Node.(type) {
	case *pg_query.Node_DropStmt:
		return "DROP " + ObjectWord(x.DropStmt.RemoveType)
	case *pg_query.Node_RenameStmt:
		t := x.RenameStmt.RenameType
		if t == pg_query.ObjectType_OBJECT_COLUMN || t == pg_query.ObjectType_OBJECT_ATTRIBUTE {
			t = x.RenameStmt.RelationType
		}
		return AlterTag(t)
	case *pg_query.Node_AlterObjectDependsStmt:
		return AlterTag(x.AlterObjectDependsStmt.ObjectType)
	case *pg_query.Node_AlterObjectSchemaStmt:
		return AlterTag(x.AlterObjectSchemaStmt.ObjectType)
	case *pg_query.Node_AlterOwnerStmt:
		return AlterTag(x.AlterOwnerStmt.ObjectType)
	case *pg_query.Node_AlterTableMoveAllStmt:
		return AlterTag(x.AlterTableMoveAllStmt.Objtype)
	case *pg_query.Node_AlterTableStmt:
		return AlterTag(x.AlterTableStmt.Objtype)
	case *pg_query.Node_AlterFunctionStmt:
		return AlterTag(x.AlterFunctionStmt.Objtype)
	case *pg_query.Node_DefineStmt:
		return "CREATE " + ObjectWord(x.DefineStmt.Kind)
	case *pg_query.Node_CreateFunctionStmt:
		if x.CreateFunctionStmt.IsProcedure {
			return "CREATE PROCEDURE"
		}
		return "CREATE FUNCTION"
	case *pg_query.Node_CreateTableAsStmt:
		if x.CreateTableAsStmt.IsSelectInto {
			return "SELECT INTO"
		}
		if x.CreateTableAsStmt.Objtype == pg_query.ObjectType_OBJECT_MATVIEW {
			return "CREATE MATERIALIZED VIEW"
		}
		return "CREATE TABLE AS"
	case *pg_query.Node_GrantStmt:
		return choose(x.GrantStmt.IsGrant, "GRANT", "REVOKE")
	case *pg_query.Node_GrantRoleStmt:
		return choose(x.GrantRoleStmt.IsGrant, "GRANT ROLE", "REVOKE ROLE")
	case *pg_query.Node_FetchStmt:
		return choose(x.FetchStmt.Ismove, "MOVE", "FETCH")
	case *pg_query.Node_VacuumStmt:
		return choose(x.VacuumStmt.IsVacuumcmd, "VACUUM", "ANALYZE")
	case *pg_query.Node_DiscardStmt:
		return "DISCARD " + strings.TrimPrefix(x.DiscardStmt.Target.String(), "DISCARD_")
	case *pg_query.Node_VariableSetStmt:
		k := x.VariableSetStmt.Kind
		return choose(k == pg_query.VariableSetKind_VAR_RESET || k == pg_query.VariableSetKind_VAR_RESET_ALL, "RESET", "SET")
	case *pg_query.Node_TransactionStmt:
		return transactionTag(x.TransactionStmt.Kind)
	}
	name := strings.TrimPrefix(reflect.TypeOf(n.Node).String(), "*pg_query.Node_")
	if tag := plainTags[name]; tag != "" {
		return tag
	}
	return strings.TrimSuffix(name, "Stmt")
}

func choose(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}

func transactionTag(k pg_query.TransactionStmtKind) string {
	switch k {
	case pg_query.TransactionStmtKind_TRANS_STMT_START:
		return "START TRANSACTION"
	case pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO:
		return "ROLLBACK"
	case pg_query.TransactionStmtKind_TRANS_STMT_PREPARE:
		return "PREPARE TRANSACTION"
	case pg_query.TransactionStmtKind_TRANS_STMT_COMMIT_PREPARED:
		return "COMMIT PREPARED"
	case pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK_PREPARED:
		return "ROLLBACK PREPARED"
	}
	return strings.TrimPrefix(k.String(), "TRANS_STMT_")
}

// objectWords are the kinds of objects whose SQL word is not the name of their ObjectType.
var objectWords = map[pg_query.ObjectType]string{
	pg_query.ObjectType_OBJECT_AMOP: "OPERATOR", pg_query.ObjectType_OBJECT_AMPROC: "FUNCTION", pg_query.ObjectType_OBJECT_ATTRIBUTE: "TYPE",
	pg_query.ObjectType_OBJECT_COLUMN: "TABLE", pg_query.ObjectType_OBJECT_DEFACL: "DEFAULT PRIVILEGES",
	pg_query.ObjectType_OBJECT_DOMCONSTRAINT: "DOMAIN", pg_query.ObjectType_OBJECT_FDW: "FOREIGN DATA WRAPPER",
	pg_query.ObjectType_OBJECT_FOREIGN_SERVER: "SERVER", pg_query.ObjectType_OBJECT_LARGEOBJECT: "LARGE OBJECT",
	pg_query.ObjectType_OBJECT_MATVIEW: "MATERIALIZED VIEW", pg_query.ObjectType_OBJECT_OPCLASS: "OPERATOR CLASS",
	pg_query.ObjectType_OBJECT_OPFAMILY: "OPERATOR FAMILY", pg_query.ObjectType_OBJECT_STATISTIC_EXT: "STATISTICS",
	pg_query.ObjectType_OBJECT_TABCONSTRAINT: "TABLE", pg_query.ObjectType_OBJECT_TSCONFIGURATION: "TEXT SEARCH CONFIGURATION",
	pg_query.ObjectType_OBJECT_TSDICTIONARY: "TEXT SEARCH DICTIONARY", pg_query.ObjectType_OBJECT_TSPARSER: "TEXT SEARCH PARSER",
	pg_query.ObjectType_OBJECT_TSTEMPLATE: "TEXT SEARCH TEMPLATE", pg_query.ObjectType_OBJECT_USER_MAPPING: "USER MAPPING",
	pg_query.ObjectType_OBJECT_PARAMETER_ACL: "PARAMETER",
}

// ObjectWord is a kind of object as SQL says it: "TEXT SEARCH PARSER".
func ObjectWord(t pg_query.ObjectType) string {
	if w := objectWords[t]; w != "" {
		return w
	}
	return strings.ReplaceAll(strings.TrimPrefix(t.String(), "OBJECT_"), "_", " ")
}

// AlterTag is the tag of ALTER of a kind of object.
func AlterTag(t pg_query.ObjectType) string { return "ALTER " + ObjectWord(t) }
