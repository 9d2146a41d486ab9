package executor

import (
	"sync/atomic"
	"time"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// Backend is what a session gives to everything that runs statements: nodes, functions, utility commands. It belongs to one goroutine, but for
// Cancel.
type Backend struct {
	Catalog *catalog.View
	Env     *types.Env
	Heap    *heap.Session // its Tx is the current transaction
	Temp    *TempSpace
	Session any // the owner, for functions with state of the session; they reach it through their Call's Ctx

	// OpenTable gives the storage handles of a table for this statement, from its descriptor.
	OpenTable func(rel *catalog.Relation) (*Table, error)

	// LockRelation takes a relation's lock for the transaction; nil = nobody else uses the relations.
	LockRelation func(oid types.OID, mode int) error

	// FunctionInLanguage and SetFunctionInLanguage make callables of functions that are not internal (SQL, PL/pgSQL); nil = none.
	FunctionInLanguage    func(p *catalog.Proc, call *types.Call) (types.Func, error)
	SetFunctionInLanguage func(p *catalog.Proc, call *types.Call) (types.SRF, error)
	// FunctionRow describes the row that a call of a function gives; nil when it gives one value, or a record that only the call describes.
	FunctionRow func(p *catalog.Proc, call *query.FuncExpr) (*types.TupleDesc, error)
	// NamedStore finds a transition table that the running trigger function can name; nil = none of that name.
	NamedStore func(name string) *Tuplestore
	// ValidateFunction looks at the body of a function that CREATE FUNCTION has made, in a language that is not built in; nil = none.
	ValidateFunction func(p *catalog.Proc) error
	// CheckExecute says whether the current user may call a function; nil = no check.
	CheckExecute func(p *catalog.Proc) error

	// TriggerInLanguage makes the callable of a trigger function that is not internal; nil = none.
	TriggerInLanguage func(p *catalog.Proc, tg *catalog.Trigger) (TriggerFunc, error)

	// RunSQL runs one SQL statement inside the running one, with a fresh command and, at READ COMMITTED, a fresh snapshot, with the rights of the
	// role as; it gives the number of rows. Triggers of foreign keys use it, as the owner of the table that they look at.
	RunSQL func(as types.OID, sql string, argTypes []types.OID, args []types.Datum) (rows int64, err error)

	After *AfterTriggers
	// MaintainedView is the materialized view that REFRESH is changing row by row; 0 = none.
	MaintainedView types.OID

	// CursorPosition gives the ctid of the row that a cursor stands on in a table; false when that row is none of the table's.
	CursorPosition func(cursor string, table types.OID) (types.TID, bool, error)

	// VacuumCostDelay and VacuumCostLimit are the settings of those names.
	VacuumCostDelay time.Duration
	VacuumCostLimit int

	// Autovacuum: the session is a worker of it.
	Autovacuum bool

	// ExprText gives the text of an expression over a relation's columns, for errors' details.
	ExprText func(rel *catalog.Relation, e query.Expr) string

	// Memory limits in bytes, kept by the session as the settings change.
	WorkMemBytes int64
	HashMemBytes int64

	interrupt atomic.Pointer[pgerr.Error]
}

// View is the session's eye on the catalogs: functions with state reach it through their Call's Ctx.
func (b *Backend) View() *catalog.View { return b.Catalog }

// WorkMem is the memory that a sort or a materialisation may use before it spills, in bytes.
func (b *Backend) WorkMem() int64 { return b.WorkMemBytes }

// HashMem is the same for hash tables: work_mem times hash_mem_multiplier.
func (b *Backend) HashMem() int64 { return b.HashMemBytes }

// Interrupt asks the running statement to end with err. Any goroutine.
func (b *Backend) Interrupt(err *pgerr.Error) { b.interrupt.Store(err) }

// Interrupted gives the error that the running statement must end with, nil to go on. Every loop polls it.
func (b *Backend) Interrupted() error {
	if e := b.interrupt.Load(); e != nil {
		return b.takeInterrupt()
	}
	return nil
}

// takeInterrupt gives the interrupt once; one that ends the session stays.
func (b *Backend) takeInterrupt() error {
	e := b.interrupt.Load()
	if e == nil {
		return nil
	}
	if e.Severity != "FATAL" {
		b.interrupt.CompareAndSwap(e, nil)
	}
	copied := *e
	return &copied
}

// ClearInterrupt forgets a cancel request that came too late, at the end of a statement.
func (b *Backend) ClearInterrupt() {
	if e := b.interrupt.Load(); e != nil && e.Severity != "FATAL" {
		b.interrupt.CompareAndSwap(e, nil)
	}
}
