package expr

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func (c *Compiler) compileVar(v *query.Var) (Eval, error) {
	if v.LevelsUp != 0 {
		return nil, pgerr.Internal("variable of an outer query was not replaced by a parameter")
	}
	if v.AttNo < 0 {
		return compileSystemColumn(v.AttNo)
	}
	if v.AttNo == 0 {
		return c.compileWholeRow(v)
	}
	i := int(v.AttNo) - 1
	switch v.VarNo {
	case query.OuterVar:
		return func(ctx *Context) (types.Datum, error) { return ctx.Outer[i], nil }, nil
	case query.InnerVar:
		return func(ctx *Context) (types.Datum, error) { return ctx.Inner[i], nil }, nil
	}
	return func(ctx *Context) (types.Datum, error) { return ctx.Scan[i], nil }, nil
}

// Attribute numbers of system columns.
const (
	AttTID      = -1
	AttXmin     = -2
	AttCmin     = -3
	AttXmax     = -4
	AttCmax     = -5
	AttTableOID = -6
)

func compileSystemColumn(att int16) (Eval, error) {
	switch att {
	case AttTID:
		return func(ctx *Context) (types.Datum, error) { return ctx.Sys.TID.Datum(), nil }, nil
	case AttXmin:
		return func(ctx *Context) (types.Datum, error) { return types.FromRaw(uint64(uint32(ctx.Sys.Xmin))), nil }, nil
	case AttCmin:
		return func(ctx *Context) (types.Datum, error) { return types.FromRaw(uint64(ctx.Sys.Cmin)), nil }, nil
	case AttXmax:
		return func(ctx *Context) (types.Datum, error) { return types.FromRaw(uint64(uint32(ctx.Sys.Xmax))), nil }, nil
	case AttCmax:
		return func(ctx *Context) (types.Datum, error) { return types.FromRaw(uint64(ctx.Sys.Cmax)), nil }, nil
	case AttTableOID:
		return func(ctx *Context) (types.Datum, error) { return types.Oid(ctx.Sys.TableOID), nil }, nil
	}
	return nil, pgerr.Internal("system column %d", att)
}

func compileParam(p *query.Param) (Eval, error) {
	switch p.Kind {
	case query.ParamExtern:
		i := p.ID - 1
		return func(ctx *Context) (types.Datum, error) {
			if ctx.Params == nil || i >= len(ctx.Params.Extern) {
				return types.Null, pgerr.New(pgerr.UndefinedObject, "no value found for parameter %d", i+1)
			}
			return ctx.Params.Extern[i], nil
		}, nil
	case query.ParamExec:
		i := p.ID
		return func(ctx *Context) (types.Datum, error) {
			p := &ctx.Params.Exec[i]
			if p.Run != nil {
				if err := p.Run(); err != nil {
					return types.Null, err
				}
			}
			return p.Value, nil
		}, nil
	}
	return nil, pgerr.Internal("parameter of kind %d was not replaced by the planner", p.Kind)
}
