package executor

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Command is a utility statement handed to its implementation.
type Command struct {
	Backend *Backend
	Node    any    // the parse node, a *pg_query.Node
	Text    string // of the statement alone
	Source  string // the whole string that locations count in
	Params  []types.Datum
	// AnalyzeEnv gives the *analyze.Env for the query in the command, in which parameters and the variables of functions have their meaning.
	AnalyzeEnv func() any
	// Execute finds the prepared statement that an EXECUTE inside the command names: the columns of its rows, and what runs it.
	Execute func(execute any) (columns []*query.TargetEntry, run func(each func(types.Row) error) error, err error)
	// Session is what the command may ask of the session beyond Backend.
	Session CommandSession
}

// CommandSession is what utility commands may ask of the session that runs them.
type CommandSession interface {
	// CommandCounterIncrement makes what was done so far visible to what follows.
	CommandCounterIncrement() error
	// RequireNoBlock refuses a command that can't run inside a transaction block ("VACUUM cannot run inside a transaction block").
	RequireNoBlock(command string) error
	// CommitAndStart commits what was done and starts a new transaction: for commands that span several (VACUUM, CREATE DATABASE).
	CommitAndStart() error
	// RunQuery runs a SQL statement in the current transaction and gives its rows; for commands that are defined by queries.
	RunQuery(sql string, params []types.Datum) ([]types.Row, error)
	// OpenRelation finds a relation by name ("" = search_path), locks it and gives its descriptor; nil when there is none.
	OpenRelation(schema, name string, mode int) (*catalog.Relation, error)
	// LockRelation locks a relation and gives its descriptor, nil when it is gone.
	LockRelation(oid types.OID, mode int) (*catalog.Relation, error)
	// RunTree plans and runs an analysed query of a command and calls each with its rows, which are valid until it returns.
	RunTree(c *Command, q *query.Query, each func(types.Row) error) error
	// CheckSetting refuses a value that a setting can't have.
	CheckSetting(name, value string) error
	// WithSearchPathBefore runs fn with a schema before the others of search_path.
	WithSearchPathBefore(schema string, fn func() error) error
	// ChecksFunctionBodies says whether CREATE FUNCTION looks at bodies.
	ChecksFunctionBodies() bool
	// Simplify gives an expression as planning would have it.
	Simplify(e query.Expr) (query.Expr, error)
	// MayChangeSystemTables says whether allow_system_table_mods is on.
	MayChangeSystemTables() bool
	// AtPreCommit runs fn when the transaction is about to commit.
	AtPreCommit(fn func() error)
}

// CommandFunc runs a utility statement and gives its command tag.
type CommandFunc func(c *Command) (tag string, err error)

var commands = map[string]CommandFunc{}

// RegisterCommand names the implementation of a parse node type, "*pg_query.Node_CreateStmt" and so on. For init functions.
func RegisterCommand(nodeType string, f CommandFunc) { commands[nodeType] = f }

// LookupCommand finds a command's implementation, nil when there is none.
func LookupCommand(nodeType string) CommandFunc { return commands[nodeType] }
