package expr

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Binary is a function of two values that are not null.
type Binary func(ctx *Context, a, b types.Datum) (types.Datum, error)

func (c *Compiler) compileOp(e *query.OpExpr) (Eval, error) {
	fn, err := c.opFunc(e.OpOID, e.FuncOID)
	if err != nil {
		return nil, err
	}
	if eval, ok, err := c.compileFastOp(fn, e.Args); ok || err != nil {
		return eval, err
	}
	return c.compileFunc(fn, e.Args, e.TypeOID, e.InputColl, false, e)
}

// opFunc gives an operator's function when the analyser left it open.
func (c *Compiler) opFunc(op, fn OID) (OID, error) {
	if fn != 0 {
		return fn, nil
	}
	o, err := c.Catalog.Operator(op)
	if err != nil {
		return 0, err
	}
	if o == nil {
		return 0, pgerr.Internal("cache lookup failed for operator %d", op)
	}
	return o.Func, nil
}

// OID is a catalog object's name.
type OID = types.OID

// callSite is one place where a function is called: its arguments' Evals, and the Call that is filled again each time.
type callSite struct {
	fn     types.Func
	call   types.Call
	args   []Eval
	strict bool
}

func (s *callSite) eval(ctx *Context) (types.Datum, error) {
	// The function may call itself through this very site (recursion in SQL functions compiles anew), so the argument array is ours alone.
	values := s.call.Args
	for i, arg := range s.args {
		d, err := arg(ctx)
		if err != nil {
			return types.Null, err
		}
		if s.strict && d.IsNull() {
			return types.Null, nil
		}
		values[i] = d
	}
	s.call.Env, s.call.Arena, s.call.Ctx = ctx.Env, ctx.Arena, ctx.Session
	return s.fn(&s.call)
}

// compileFunc compiles a call of a function that returns one value.
func (c *Compiler) compileFunc(fn OID, args []query.Expr, ret, coll OID, variadic bool, node query.Expr) (Eval, error) {
	site := &callSite{call: types.Call{RetType: ret, Collation: coll, Variadic: variadic, FnExpr: node}}
	var err error
	if site.args, err = c.CompileList(args); err != nil {
		return nil, err
	}
	site.call.Args = make([]types.Datum, len(args))
	for _, a := range args {
		site.call.ArgTypes = append(site.call.ArgTypes, a.Type())
	}
	p, err := c.resolve(fn, &site.call)
	if err != nil {
		return nil, err
	}
	site.fn, site.strict = p.fn, p.strict
	if p.strict && len(args) == 2 {
		return site.evalStrict2, nil
	}
	return site.eval, nil
}

// evalStrict2 is eval for the commonest case: an operator's strict function of two arguments.
func (s *callSite) evalStrict2(ctx *Context) (types.Datum, error) {
	a, err := s.args[0](ctx)
	if err != nil || a.IsNull() {
		return types.Null, err
	}
	b, err := s.args[1](ctx)
	if err != nil || b.IsNull() {
		return types.Null, err
	}
	s.call.Args[0], s.call.Args[1] = a, b
	s.call.Env, s.call.Arena, s.call.Ctx = ctx.Env, ctx.Arena, ctx.Session
	return s.fn(&s.call)
}

type resolved struct {
	fn     types.Func
	strict bool
}

// resolve finds the implementation of a function.
func (c *Compiler) resolve(fn OID, call *types.Call) (resolved, error) {
	p, err := c.Proc(fn)
	if err != nil {
		return resolved{}, err
	}
	if p.RetSet {
		return resolved{}, pgerr.New(pgerr.FeatureNotSupported, "set-valued function called in context that cannot accept a set")
	}
	if c.Hooks.CheckExecute != nil {
		if err := c.Hooks.CheckExecute(p); err != nil {
			return resolved{}, err
		}
	}
	f, err := c.implementation(p, call)
	return resolved{f, p.Strict}, err
}

// Proc gives a function's descriptor, an error when there is none.
func (c *Compiler) Proc(fn OID) (*catalog.Proc, error) {
	p, err := c.Catalog.Proc(fn)
	if err == nil && p == nil {
		err = pgerr.Internal("cache lookup failed for function %d", fn)
	}
	return p, err
}

func (c *Compiler) implementation(p *catalog.Proc, call *types.Call) (types.Func, error) {
	if p.Lang == catalog.InternalLanguage {
		f, ok := types.LookupFunc(p.Src)
		if !ok {
			// Said when it is called: a query whose rows never reach the call (psql's \d asks for much that is not there) still runs.
			return func(*types.Call) (types.Datum, error) { return types.Null, pgerr.NotSupported("function %s", p.Name) }, nil
		}
		return f, nil
	}
	if c.Hooks.Function == nil {
		return nil, pgerr.NotSupported("function %s in this language", p.Name)
	}
	return c.Hooks.Function(p, call)
}

// Function gives a callable of a function outside of any expression: the executor's aggregates, sorts and index code use it. The Call is
// the caller's own; strictness is reported, not applied.
func (c *Compiler) Function(fn OID, call *types.Call) (f types.Func, strict bool, err error) {
	r, err := c.resolve(fn, call)
	return r.fn, r.strict, err
}

// BinaryFunc makes a two-argument function callable with values.
func (c *Compiler) BinaryFunc(fn OID, left, right, coll OID) (Binary, error) {
	call := &types.Call{Args: make([]types.Datum, 2), ArgTypes: []OID{left, right}, RetType: types.BoolOID, Collation: coll}
	r, err := c.resolve(fn, call)
	if err != nil {
		return nil, err
	}
	return func(ctx *Context, a, b types.Datum) (types.Datum, error) {
		call.Args[0], call.Args[1] = a, b
		call.Env, call.Arena, call.Ctx = ctx.Env, ctx.Arena, ctx.Session
		return r.fn(call)
	}, nil
}
