package expr

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// sqlValueSource names the function (pg_proc.prosrc) that gives each SQLValueFunction, and whether a cast by typmod follows.
var sqlValueSource = map[int]string{
	query.SVFCurrentRole:    "current_user",
	query.SVFCurrentUser:    "current_user",
	query.SVFUser:           "current_user",
	query.SVFSessionUser:    "session_user",
	query.SVFCurrentCatalog: "current_database",
	query.SVFCurrentSchema:  "current_schema",
}

// compileSQLValue compiles CURRENT_DATE, CURRENT_USER and their kin.
func (c *Compiler) compileSQLValue(e *query.SQLValueFunction) (Eval, error) {
	if src, ok := sqlValueSource[e.Op]; ok {
		fn, ok := types.LookupFunc(src)
		if !ok {
			return nil, pgerr.NotSupported("function %s", src)
		}
		call := &types.Call{RetType: e.TypeOID}
		return func(ctx *Context) (types.Datum, error) {
			call.Env, call.Arena, call.Ctx = ctx.Env, ctx.Arena, ctx.Session
			return fn(call)
		}, nil
	}
	typ, mod := e.TypeOID, e.Mod
	return func(ctx *Context) (types.Datum, error) { return types.CurrentTime(ctx.Env, typ, mod) }, nil
}

// compileNextValue compiles the default of an identity column.
func (c *Compiler) compileNextValue(e *query.NextValueExpr) (Eval, error) {
	fn, ok := types.LookupFunc("nextval_oid")
	if !ok {
		return nil, pgerr.NotSupported("nextval")
	}
	call := &types.Call{Args: []types.Datum{types.Oid(e.SeqOID)}, RetType: types.Int8OID, FnExpr: e}
	limit := map[OID]int64{types.Int2OID: 1<<15 - 1, types.Int4OID: 1<<31 - 1, types.Int8OID: 1<<63 - 1}[e.TypeOID]
	return func(ctx *Context) (types.Datum, error) {
		call.Env, call.Arena, call.Ctx = ctx.Env, ctx.Arena, ctx.Session
		d, err := fn(call)
		if err == nil && (d.Int8() > limit || d.Int8() < -limit-1) {
			return types.Null, pgerr.New(pgerr.NumericValueOutOfRange, "%s out of range", types.FormatType(ctx.Env, e.TypeOID))
		}
		return d, err
	}, nil
}
