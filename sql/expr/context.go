package expr

import (
	"github.com/calfdb/calf/sql/types"
)

// Context is what an evaluation reads: the current rows and the parameters. One per execution state.
type Context struct {
	Scan, Outer, Inner types.Row
	// System columns of the row in Scan.
	Sys SystemColumns

	Params *Params

	Case   types.Datum // value of CaseTestExpr
	Domain types.Datum // value of CoerceToDomainValue
	Aggs   types.Row   // results of Aggref by AggNo
	Window types.Row   // results of WindowFunc, by number

	Env     *types.Env
	Arena   *types.Arena
	Session any // handed to functions as Call.Ctx
}

// SystemColumns are those of the row in Context.Scan.
type SystemColumns struct {
	TID        types.TID
	Xmin, Xmax uint64
	Cmin, Cmax uint32
	TableOID   types.OID
}

// Params are the parameters of one execution, shared by the contexts of all its nodes.
type Params struct {
	Extern []types.Datum // client parameters $1.. at index 0..
	Exec   []ExecParam   // executor parameters
}

// ExecParam is an executor parameter: a value, or the init plan that makes it when it is first read.
type ExecParam struct {
	Value types.Datum
	Run   func() error // not nil: call it to set the parameter (an init plan not run yet)
	Gen   uint64       // grows when the value is set: who depends on it sees that it changed
}

// Eval computes one value.
type Eval func(c *Context) (types.Datum, error)

// Qual says whether a row passes: all conditions are true (not null).
type Qual func(c *Context) (bool, error)
