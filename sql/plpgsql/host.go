package plpgsql

import (
	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/plancache"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Host is what a session offers to the functions that run in it.
type Host interface {
	Backend() *executor.Backend
	// AnalyzeEnv is an environment for resolving names and casts, without parameters.
	AnalyzeEnv() *analyze.Env
	// Setting gives the text of a setting, "" when it is not set.
	Setting(name string) string
	Notice(n *pgerr.Error)

	// Prepare makes a statement of a parse tree and the text that it was parsed from; nothing is analysed yet.
	Prepare(stmt *parse.Stmt, text string, h Hooks) Query

	// NextCommand makes what was done so far visible to what follows.
	NextCommand() error

	// BeginExpression starts an expression of a volatile function: what it calls sees all that was done so far, until EndExpression.
	BeginExpression()
	EndExpression()

	// BeginSub starts a subtransaction that only this package ends, and gives its depth; ReleaseSub makes it part of what is around, RollbackSub
	// undoes it, with everything that was begun inside.
	BeginSub() (depth int)
	ReleaseSub(depth int)
	RollbackSub(depth int)

	// Commit and Rollback end the transaction that a procedure runs in and start the next one.
	Commit(chain bool) error
	Rollback(chain bool) error

	// TakeNonAtomic says, once, whether the call that begins comes from a CALL or DO that may end its transaction.
	TakeNonAtomic() bool
	// SetNonAtomic says that of the CALL that comes next.
	SetNonAtomic(yes bool)

	// OpenCursor makes a cursor of a query; with the name "" one is made up. The name that it got comes back.
	OpenCursor(name string, q Query, params []types.Datum, o CursorOptions) (string, error)
	// Cursor finds an open cursor, nil when there is none of that name.
	Cursor(name string) Cursor
}

// Hooks say what names mean in the analysis of a statement.
type Hooks struct {
	// Column resolves a column reference, Param a $n: see analyze.Env and analyze.Params.
	Column func(names []string, location int, after bool, found query.Expr) (query.Expr, error)
	Param  func(number, location int) (query.Expr, error)
	// ParamTypes gives the types of the parameters that the hooks have made; the analysis asks when it is done.
	ParamTypes func() []types.OID
	// Begin is called before each analysis.
	Begin func()
	// Assign, when set, makes the value of a SELECT's only column part of a variable.
	Assign *analyze.AssignTarget
}

// Query is a statement that the session keeps analysed and planned.
type Query interface {
	// Analyze gives the analysed statement, valid now: the same pointer as before when nothing changed.
	Analyze() (*plancache.Analyzed, error)
	// Expr gives the expression that the statement computes when that is all it does (no table, no subquery, no set, no aggregate), with
	// constants folded; nil when it does more. Analyze comes first.
	Expr() (query.Expr, error)
	// Kind names the statement by its command tag's first words.
	Kind() Kind
	// Run executes the statement; rows go to out, at most max of them (0 = all) are asked for. It gives the number of rows processed. readOnly:
	// the function may not write and sees what its caller sees.
	Run(params []types.Datum, readOnly bool, max int64, out func(types.Row) error) (int64, error)
	// CallOut lists the OUT parameters of a CALL, in the order of its result's columns.
	CallOut() ([]OutParam, error)
	// Reset forgets the analysis, since the types of its parameters have changed.
	Reset()
}

// Kind is the sort of a statement, as far as the language cares.
type Kind uint8

const (
	KindSelect Kind = iota
	KindModify      // INSERT, UPDATE, DELETE, MERGE
	KindCall
	KindTransaction // BEGIN, COMMIT, ... as SQL
	KindUtility
	KindSelectInto
)

// CursorOptions are those of OPEN and DECLARE.
type CursorOptions struct {
	Scroll, NoScroll bool
	ReadOnly         bool
}

// Cursor is an open cursor.
type Cursor interface {
	// Fetch moves and gives rows to out, as FETCH does.
	Fetch(dir Direction, count int64, out func(types.Row) error) (int64, error)
	// Columns describes its rows.
	Columns() []*query.TargetEntry
	Close()
}

// Direction is FETCH's.
type Direction uint8

const (
	Forward Direction = iota
	Backward
	Absolute
	Relative
)

// FetchAll is the count of FETCH ALL.
const FetchAll = int64(1<<63 - 1)
