package analyze

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/query"
)

// ExpandCalls puts the arguments of calls in order and fills in the defaults of those left out, so that a call has all its parameters. Stored views
// keep calls as written; what is planned or evaluated has them expanded.
func ExpandCalls(cat catalog.Lookup, e query.Expr) (query.Expr, error) {
	var failed error
	out := query.MutateLevels(e, func(x query.Expr, _ int) (query.Expr, bool) { return expandCall(cat, x, &failed) })
	return out, failed
}

// ExpandQueryCalls does so for a whole query; q itself when nothing needs it.
func ExpandQueryCalls(cat catalog.Lookup, q *query.Query) (*query.Query, error) {
	needed := false
	var failed error
	query.WalkQueryLevels(q, func(e query.Expr, _ int) bool {
		if fn, args, ok := callParts(e); ok && !needed && failed == nil {
			needed, failed = callNeedsExpanding(cat, fn, args)
		}
		return !needed
	})
	if !needed || failed != nil {
		return q, failed
	}
	out := query.MutateQueryLevels(q, func(x query.Expr, _ int) (query.Expr, bool) { return expandCall(cat, x, &failed) })
	return out, failed
}

// callParts gives the function and the arguments of a call of a plain or window function. An aggregate has no defaults.
func callParts(e query.Expr) (fn OID, args []query.Expr, ok bool) {
	switch e := e.(type) {
	case *query.FuncExpr:
		return e.FuncOID, e.Args, true
	case *query.WindowFunc:
		return e.FuncOID, e.Args, !e.IsAgg
	}
	return 0, nil, false
}

func callNeedsExpanding(cat catalog.Lookup, fn OID, args []query.Expr) (bool, error) {
	for _, a := range args {
		if _, ok := a.(*query.NamedArg); ok {
			return true, nil
		}
	}
	proc, err := cat.Proc(fn)
	if err != nil || proc == nil {
		return false, err
	}
	return len(args) < len(proc.ArgTypes), nil
}

func expandCall(cat catalog.Lookup, x query.Expr, failed *error) (query.Expr, bool) {
	fn, given, ok := callParts(x)
	if !ok || *failed != nil {
		return nil, false
	}
	needed, err := callNeedsExpanding(cat, fn, given)
	if err != nil || !needed {
		*failed = err
		return nil, false
	}
	proc, err := cat.Proc(fn)
	if err != nil {
		*failed = err
		return nil, false
	}
	args := make([]query.Expr, len(proc.ArgTypes))
	for i, a := range given {
		if na, ok := a.(*query.NamedArg); ok {
			args[na.Num] = na.Arg
		} else {
			args[i] = a
		}
	}
	first := len(args) - len(proc.Defaults)
	for i := range args {
		if args[i] == nil && i >= first {
			args[i] = proc.Defaults[i-first]
		}
	}
	for i := range args {
		args[i], err = ExpandCalls(cat, args[i])
		if err != nil {
			*failed = err
		}
	}
	if w, ok := x.(*query.WindowFunc); ok {
		c := *w
		c.Args = args
		return &c, true
	}
	c := *x.(*query.FuncExpr)
	c.Args = args
	return &c, true
}
