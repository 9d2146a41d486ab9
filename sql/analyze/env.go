package analyze

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// OID is a catalog object's name.
type OID = types.OID

// Lock modes, PostgreSQL's numbers.
const (
	NoLock                   = 0
	AccessShareLock          = 1
	RowShareLock             = 2
	RowExclusiveLock         = 3
	ShareUpdateExclusiveLock = 4
	ShareLock                = 5
	ShareRowExclusiveLock    = 6
	ExclusiveLock            = 7
	AccessExclusiveLock      = 8
)

// Env is what one analysis works with.
type Env struct {
	Catalog catalog.Lookup
	Types   *types.Env // for reading literals
	// OpenRelation finds a relation by name (schema "" = by search path), takes the heavyweight lock and then gives its descriptor; nil, nil when
	// there is no such relation.
	OpenRelation func(schema, name string, lockMode int) (*catalog.Relation, error)
	// LockRelation does the same by OID; nil means that the catalog is asked without a lock.
	LockRelation func(oid OID, lockMode int) (*catalog.Relation, error)
	// Database is the current database's name, the only one that a three-part name may give.
	Database string
	// Params are the statement's parameters; nil = there are none.
	Params *Params
	// NamedTable gives the relation whose rows a transition table of the running trigger holds, by the table's name; nil = there is none. A nil
	// NamedTable: no trigger runs.
	NamedTable func(name string) *catalog.Relation
	// TransformNullEquals makes IS NULL of = NULL, as the setting of that name says.
	TransformNullEquals bool
	// ColumnHook, when set, resolves a column reference that the query does not (after = true) or before the query is asked (after = false): the
	// variables of PL/pgSQL, the named arguments of SQL functions. A nil result means "not mine".
	ColumnHook func(names []string, location int, after bool, found query.Expr) (query.Expr, error)
	// FuncArgs are the arguments of the function in language SQL whose statement is analysed; nil = none.
	FuncArgs *FunctionArgs
	// Notice receives warnings and notices; may be nil.
	Notice func(*pgerr.Error)
}

// Params are the types of $1, $2, ...
type Params struct {
	Types []OID // by number, from $1; 0 or UnknownOID = not known yet
	// Variable says that types not known are inferred from their use, as for a client's Parse message and PREPARE; Types then grows.
	Variable bool
	// Hook, when set, makes the expression for $n instead.
	Hook func(number, location int) (query.Expr, error)
}

// bailout carries an error up to the entry point.
type bailout struct{ err error }

// throw ends the analysis with err.
func throw(err error) { panic(bailout{err}) }

// fail ends the analysis with an error at a place.
func fail(location int, code pgerr.Code, format string, args ...any) {
	throw(pgerr.New(code, format, args...).WithLocation(location))
}

// mustAt is must for what a name at location means: an error about it (no USAGE on its schema) points there; that the
// statement was canceled while it waited for a lock is not about the name.
func mustAt[T any](v T, err error, location int) T {
	if e, ok := err.(*pgerr.Error); ok && e.Code != pgerr.QueryCanceled {
		throw(e.WithLocation(location))
	}
	return must(v, err)
}

// catch turns a bailout back into an error; deferred by every entry point.
func catch(err *error) {
	if r := recover(); r != nil {
		b, ok := r.(bailout)
		if !ok {
			panic(r)
		}
		*err = b.err
	}
}

// must passes a value on, or ends the analysis.
func must[T any](v T, err error) T {
	if err != nil {
		throw(err)
	}
	return v
}
