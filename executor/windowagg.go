package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() { register(newWindowAgg) }

// windowAgg computes the window functions of one window. Its input comes sorted by the partition's and the order's columns; rows are kept
// from the oldest that a function may ask for to the newest that was needed.
type windowAgg struct {
	Removed
	s       *State
	ctx     *expr.Context
	part    *windowPartition
	frame   *windowFrame
	funcs   []*query.WindowFunc // distinct calls by number
	calls   []*windowCall
	aggs    *windowAggregates
	run     expr.Qual // run condition: once false, it stays false for the rest of the partition
	qual    expr.Qual
	project *projection
	current *rowCursor

	top     bool // no other window is above
	passing bool // after a false run condition rows are passed on (or skipped, at the top) rather than the scan ended
	mode    windowMode
	started bool
}

type windowMode uint8

const (
	windowRun  windowMode = iota
	windowPass            // functions are not computed until the next partition
	windowDone
)

func newWindowAgg(s *State, p *plan.WindowAgg) (Node, error) {
	n := &windowAgg{s: s, ctx: s.context(), top: p.TopWindow, passing: !p.TopWindow || len(p.Partition) > 0}
	child, err := s.build(p.Left)
	if err != nil {
		return nil, err
	}
	targets := p.Left.Base().Targets
	n.part = &windowPartition{s: s, ctx: s.context(), child: child, store: NewTuplestore(len(targets), s.Backend.WorkMem(), s.Backend.Temp)}
	if len(p.Partition) > 0 {
		if n.part.same, err = newRowEquality(s, p.Partition, targets); err != nil {
			return nil, err
		}
	}
	if n.frame, err = newWindowFrame(s, p, n.part); err != nil {
		return nil, err
	}
	n.current = n.part.newCursor()
	n.aggs = &windowAggregates{w: n, at: n.part.newCursor(), ctx: s.context()}
	c := s.compiler()
	c.Hooks.WindowFunc = func(e *query.WindowFunc) (expr.Eval, error) { return n.compileCall(e, p) }
	if n.project, err = newProjection(c, p.Targets); err != nil {
		return nil, err
	}
	if n.run, err = c.CompileQual(p.RunCondition); err != nil {
		return nil, err
	}
	if n.qual, err = c.CompileQual(p.Quals); err != nil {
		return nil, err
	}
	n.ctx.Window = make(types.Row, len(n.funcs))
	return n, nil
}

// compileCall compiles a reference to a window function's result; equal calls are computed once.
func (n *windowAgg) compileCall(e *query.WindowFunc, p *plan.WindowAgg) (expr.Eval, error) {
	if e.WinRef != p.WinRef {
		return nil, pgerr.Internal("WindowFunc with winref %d assigned to WindowAgg with winref %d", e.WinRef, p.WinRef)
	}
	volatile, err := n.s.volatile(e)
	if err != nil {
		return nil, err
	}
	for i, f := range n.funcs {
		if f == e || !volatile && query.Equal(f, e) {
			return windowResult(i), nil
		}
	}
	number := len(n.funcs)
	n.funcs = append(n.funcs, e)
	c := n.s.compiler()
	if e.IsAgg {
		a, err := n.s.newWindowAggregate(c, e, p.FrameOptions)
		if err != nil {
			return nil, err
		}
		a.number = number
		n.aggs.list = append(n.aggs.list, a)
		return windowResult(number), nil
	}
	proc, err := c.Proc(e.FuncOID)
	if err != nil {
		return nil, err
	}
	if c.Hooks.CheckExecute != nil {
		if err := c.Hooks.CheckExecute(proc); err != nil {
			return nil, err
		}
	}
	fn, ok := windowFuncs[proc.Src]
	if !ok {
		return nil, pgerr.NotSupported("the window function %s", proc.Name)
	}
	call := &windowCall{w: n, number: number, fn: fn, at: n.part.newCursor()}
	for _, a := range e.Args {
		call.stable = append(call.stable, isStableArg(a))
	}
	if call.args, err = c.CompileList(e.Args); err != nil {
		return nil, err
	}
	n.calls = append(n.calls, call)
	return windowResult(number), nil
}

func windowResult(i int) expr.Eval {
	return func(ctx *expr.Context) (types.Datum, error) { return ctx.Window[i], nil }
}

// isStableArg: a constant or a parameter from outside, the same for every row.
func isStableArg(e query.Expr) bool {
	switch e := e.(type) {
	case *query.Const:
		return true
	case *query.Param:
		return e.Kind == query.ParamExtern
	}
	return false
}

// volatile says whether an expression calls a volatile function.
func (s *State) volatile(e query.Expr) (bool, error) {
	found := false
	var failed error
	query.Walk(e, func(x query.Expr) bool {
		var fn types.OID
		switch x := x.(type) {
		case *query.FuncExpr:
			fn = x.FuncOID
		case *query.OpExpr:
			fn = x.FuncOID
		case *query.WindowFunc:
			fn = x.FuncOID
		}
		if fn != 0 && failed == nil {
			p, err := s.Backend.Catalog.Proc(fn)
			failed = err
			found = found || p != nil && p.Volatile == 'v'
		}
		return !found
	})
	return found, failed
}

func (n *windowAgg) Next() (types.Row, error) {
	for n.mode != windowDone {
		if err := n.s.poll(); err != nil {
			return nil, err
		}
		ok, err := n.advance()
		if err != nil {
			return nil, err
		}
		if !ok {
			n.mode = windowDone
			break
		}
		row, err := n.output()
		if row != nil || err != nil {
			return row, err
		}
	}
	return nil, nil
}

// advance goes to the next row, of the next partition if need be; false at the end.
func (n *windowAgg) advance() (bool, error) {
	pos := n.frame.current + 1
	if !n.started {
		n.started = true
		if err := n.frame.offsets(); err != nil {
			return false, err
		}
		if ok, err := n.beginPartition(); !ok || err != nil {
			return false, err
		}
		pos = 0
	}
	row, err := n.part.row(n.current, pos)
	if err != nil {
		return false, err
	}
	if row == nil {
		if ok, err := n.beginPartition(); !ok || err != nil {
			return false, err
		}
		pos, n.mode = 0, windowRun
		if row, err = n.part.row(n.current, 0); err != nil {
			return false, err
		}
	}
	return true, n.frame.moveTo(pos, row)
}

func (n *windowAgg) beginPartition() (bool, error) {
	ok, err := n.part.begin()
	if !ok || err != nil {
		return false, err
	}
	n.frame.beginPartition()
	n.aggs.beginPartition()
	for _, c := range n.calls {
		c.counter, c.buckets = 0, ntileState{}
	}
	return true, nil
}

// output computes the current row's result; nil when it is filtered out.
func (n *windowAgg) output() (types.Row, error) {
	if n.mode == windowRun {
		if err := n.compute(); err != nil {
			return nil, err
		}
	}
	if err := n.trim(); err != nil {
		return nil, err
	}
	n.ctx.Outer = n.frame.currentRow
	if n.mode == windowPass {
		if n.top {
			return nil, nil
		}
		return n.project.apply(n.ctx)
	}
	row, err := n.project.apply(n.ctx)
	if err != nil {
		return nil, err
	}
	ok, err := passes(n.run, n.ctx)
	if err != nil {
		return nil, err
	}
	if !ok {
		return n.stopRunning(row)
	}
	if ok, err = passes(n.qual, n.ctx); !ok || err != nil {
		n.Removed.Filter++
		return nil, err
	}
	return row, nil
}

// stopRunning: the run condition has become false for row. Windows above still need the partition's rows.
func (n *windowAgg) stopRunning(row types.Row) (types.Row, error) {
	if !n.passing {
		n.mode = windowDone
		return nil, nil
	}
	n.mode = windowPass
	for i := range n.ctx.Window {
		n.ctx.Window[i] = types.Null
	}
	if n.top {
		return nil, nil
	}
	return row, nil
}

func (n *windowAgg) compute() error {
	for _, c := range n.calls {
		d, err := c.fn.eval(c)
		if err != nil {
			return err
		}
		n.ctx.Window[c.number] = d
	}
	if len(n.aggs.list) == 0 {
		return nil
	}
	return n.aggs.eval(n.ctx.Window)
}

// trim lets the store drop rows that nothing asks for any more.
func (n *windowAgg) trim() error {
	if n.frame.current&63 != 0 {
		return nil
	}
	if n.mode == windowPass {
		n.part.store.Trim(n.frame.current)
		return nil
	}
	low, err := n.frame.oldest()
	if err != nil {
		return err
	}
	if len(n.aggs.list) > 0 {
		low = min(low, n.aggs.oldest())
	}
	for _, c := range n.calls {
		low = min(low, c.fn.oldest(c))
	}
	n.part.store.Trim(low)
	return nil
}

func (n *windowAgg) Rescan() error {
	n.reset()
	return rescan(n.part.child)
}

func (n *windowAgg) reset() {
	n.part.reset()
	for _, a := range n.aggs.list {
		a.state.drop()
	}
	n.mode, n.started = windowRun, false
}

func (n *windowAgg) Close() {
	n.reset()
	closeNode(n.part.child)
}
