package expr

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// compileArray compiles ARRAY[...]; nested ARRAY[]s of the same type make a multi-dimensional array.
func (c *Compiler) compileArray(e *query.ArrayExpr) (Eval, error) {
	args, err := c.CompileList(e.Elems)
	if err != nil {
		return nil, err
	}
	elem, err := c.Env.TypeByOID(e.ElemType)
	if err != nil {
		return nil, err
	}
	values := make([]types.Datum, len(args))
	return func(ctx *Context) (types.Datum, error) {
		for i, arg := range args {
			d, err := arg(ctx)
			if err != nil {
				return types.Null, err
			}
			values[i] = d
		}
		if e.MultiDims {
			return types.StackArrays(elem, values)
		}
		return types.MakeArray(elem, values), nil
	}, nil
}

// subscript is the compiled form of a SubscriptingRef.
type subscript struct {
	typ          *types.TypeInfo // the container's type
	elem         *types.TypeInfo
	container    Eval
	upper, lower []Eval // nil entries: omitted bounds of slices
	slice        bool
	assign       Eval
	up, lo       []types.OptionalInt
}

func (c *Compiler) compileSubscript(e *query.SubscriptingRef) (Eval, error) {
	typ, err := c.Env.TypeByOID(e.ContainerType)
	if err != nil {
		return nil, err
	}
	if typ.Subscript == "jsonb_subscript_handler" {
		return nil, pgerr.NotSupported("subscripting of type jsonb")
	}
	s := &subscript{typ: typ, slice: e.IsSlice, up: make([]types.OptionalInt, len(e.Upper)), lo: make([]types.OptionalInt, len(e.Lower))}
	if s.elem, err = c.Env.TypeByOID(e.ElementType); err != nil {
		return nil, err
	}
	if s.container, err = c.Compile(e.Container); err != nil {
		return nil, err
	}
	if s.upper, err = c.compileBounds(e.Upper); err != nil {
		return nil, err
	}
	if s.lower, err = c.compileBounds(e.Lower); err != nil {
		return nil, err
	}
	if e.Assign == nil {
		return s.fetch, nil
	}
	if s.assign, err = c.Compile(e.Assign); err != nil {
		return nil, err
	}
	return s.store, nil
}

func (c *Compiler) compileBounds(list []query.Expr) ([]Eval, error) {
	out := make([]Eval, len(list))
	for i, e := range list {
		if e == nil {
			continue
		}
		var err error
		if out[i], err = c.Compile(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// bounds evaluates subscripts; ok is false when one is null.
func bounds(ctx *Context, evals []Eval, into []types.OptionalInt) (ok bool, err error) {
	for i, eval := range evals {
		into[i] = types.OptionalInt{}
		if eval == nil {
			continue
		}
		d, err := eval(ctx)
		if err != nil || d.IsNull() {
			return false, err
		}
		into[i] = types.OptionalInt{Value: d.Int4(), Set: true}
	}
	return true, nil
}

// fetch reads an element or a slice: a null array or subscript gives null.
func (s *subscript) fetch(ctx *Context) (types.Datum, error) {
	arr, err := s.container(ctx)
	if err != nil || arr.IsNull() {
		return types.Null, err
	}
	for _, b := range []struct {
		evals []Eval
		into  []types.OptionalInt
	}{{s.upper, s.up}, {s.lower, s.lo}} {
		if ok, err := bounds(ctx, b.evals, b.into); err != nil || !ok {
			return types.Null, err
		}
	}
	if s.slice {
		return types.ArraySlice(s.typ, s.elem, arr, s.lo, s.up)
	}
	return types.ArrayGet(s.typ, s.elem, arr, s.up)
}

// store gives the container with an element or slice replaced. A null subscript is an error here.
func (s *subscript) store(ctx *Context) (types.Datum, error) {
	arr, err := s.container(ctx)
	if err != nil {
		return types.Null, err
	}
	okUp, err := bounds(ctx, s.upper, s.up)
	if err != nil {
		return types.Null, err
	}
	okLo, err := bounds(ctx, s.lower, s.lo)
	if err != nil {
		return types.Null, err
	}
	if !okUp || !okLo {
		return types.Null, pgerr.New(pgerr.NullValueNotAllowed, "array subscript in assignment must not be null")
	}
	// The new value's expression may read the old element or slice through CaseTestExpr.
	saved := ctx.Case
	if ctx.Case, err = s.current(arr); err != nil {
		return types.Null, err
	}
	v, err := s.assign(ctx)
	ctx.Case = saved
	if err != nil {
		return types.Null, err
	}
	if s.slice {
		return types.ArraySetSlice(s.typ, s.elem, arr, s.lo, s.up, v)
	}
	return types.ArraySet(s.typ, s.elem, arr, s.up, v)
}

// current gives what the assignment replaces, null where there is nothing.
func (s *subscript) current(arr types.Datum) (types.Datum, error) {
	if arr.IsNull() {
		return types.Null, nil
	}
	if s.slice {
		return types.ArraySlice(s.typ, s.elem, arr, s.lo, s.up)
	}
	return types.ArrayGet(s.typ, s.elem, arr, s.up)
}

func (c *Compiler) compileArrayCoerce(e *query.ArrayCoerceExpr) (Eval, error) {
	arg, err := c.Compile(e.Arg)
	if err != nil {
		return nil, err
	}
	each, err := c.Compile(e.ElemExpr)
	if err != nil {
		return nil, err
	}
	from, err := c.ElementType(e.Arg.Type())
	if err != nil {
		return nil, err
	}
	to, err := c.ElementType(e.TypeOID)
	if err != nil {
		return nil, err
	}
	return func(ctx *Context) (types.Datum, error) {
		arr, err := arg(ctx)
		if err != nil || arr.IsNull() {
			return types.Null, err
		}
		saved := ctx.Case
		defer func() { ctx.Case = saved }()
		return types.ArrayMap(from, to, arr, func(d types.Datum) (types.Datum, error) {
			ctx.Case = d
			return each(ctx)
		})
	}, nil
}
