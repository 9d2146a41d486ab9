package types

import "github.com/calfdb/calf/sql/pgerr"

// Call is one call of a built-in function: the caller fills it and may reuse it for the next call of the same call site.
type Call struct {
	Env       *Env
	Args      []Datum
	ArgTypes  []OID      // actual types of the arguments (polymorphic functions need them)
	RetType   OID        // actual result type
	RetDesc   *TupleDesc // of a function in FROM that returns record: the columns that the query lists for it
	Collation OID        // input collation
	Variadic  bool       // the last argument is an array given with VARIADIC
	Arena     *Arena
	AggState  *any // for transition, final and combine functions of state type internal: where the state lives; *AggState is nil at first
	FnExpr    any  // the calling expression, for functions of the session
	Ctx       any  // the owner's state: the session
	Cache     any  // what the function keeps between calls of this call site
}

// HypotheticalPlace says where the direct arguments of a hypothetical-set aggregate would stand among its rows; it is the AggState of the
// final functions.
type HypotheticalPlace struct{ Before, DistinctBefore, Equal, Total int64 }

// Func computes a built-in function. Strictness is the caller's: a strict function never sees a null argument.
type Func func(c *Call) (Datum, error)

// Iterator gives the rows of a set-returning function. Next fills row (one datum for a scalar result, one per column for a composite
// one) and says whether there was one.
type Iterator interface {
	Next(row []Datum) (bool, error)
}

// SRF starts a set-returning function.
type SRF func(c *Call) (Iterator, error)

var (
	funcTable = map[string]Func{}
	srfTable  = map[string]SRF{}
)

// RegisterFunc adds the implementation of the function whose pg_proc row has this source name. It is for init functions.
func RegisterFunc(prosrc string, f Func) {
	if _, dup := funcTable[prosrc]; dup {
		panic("types: function registered twice: " + prosrc)
	}
	funcTable[prosrc] = f
}

// LookupFunc finds a function by the source name of its pg_proc row.
func LookupFunc(prosrc string) (Func, bool) {
	f, ok := funcTable[prosrc]
	return f, ok
}

// RegisterSRF adds a set-returning function. It is for init functions.
func RegisterSRF(prosrc string, f SRF) {
	if _, dup := srfTable[prosrc]; dup {
		panic("types: function registered twice: " + prosrc)
	}
	srfTable[prosrc] = f
}

// LookupSRF finds a set-returning function by the source name of its pg_proc row.
func LookupSRF(prosrc string) (SRF, bool) {
	f, ok := srfTable[prosrc]
	return f, ok
}

// MissingFunc is the error of a function that has no implementation here.
func MissingFunc(prosrc string) error { return pgerr.NotSupported("function %s", prosrc) }

// RegisteredFuncs lists the source names that have an implementation, for the figure the project reports.
func RegisteredFuncs() []string {
	names := make([]string, 0, len(funcTable)+len(srfTable))
	for n := range funcTable {
		names = append(names, n)
	}
	for n := range srfTable {
		names = append(names, n)
	}
	return names
}

// CallFunc calls a registered function directly, for support functions named in catalogs.
func CallFunc(env *Env, prosrc string, args ...Datum) (Datum, error) {
	f, ok := LookupFunc(prosrc)
	if !ok {
		return Null, MissingFunc(prosrc)
	}
	return f(&Call{Env: env, Args: args})
}
