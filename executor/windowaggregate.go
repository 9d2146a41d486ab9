package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// windowAggregates computes the ordinary aggregates of a WindowAgg over each row's frame. Rows that come into the frame are added; when its
// head moves, rows that leave are taken out again by inverse transition functions, and aggregates without one (or whose one gives up) start
// anew. Rows that share a frame share the result.
type windowAggregates struct {
	w    *windowAgg
	list []*windowAggregate
	at   *rowCursor
	ctx  *expr.Context // of the arguments

	base int // first row that the states contain
	upto int // first row that they do not contain yet
}

// windowAggregate is one aggregate call over a window.
type windowAggregate struct {
	*aggregate
	number    int // of the window call
	inv       types.Func
	invCall   *types.Call
	invStrict bool

	state   aggState
	count   int64 // rows in state, strict calls with a null argument not counted
	restart bool
	result  types.Datum
}

// newWindowAggregate compiles an aggregate used as a window function. It takes the aggregate's moving form where rows leave the frame.
func (s *State) newWindowAggregate(c *expr.Compiler, f *query.WindowFunc, opts int) (*windowAggregate, error) {
	info, err := s.Backend.Catalog.Aggregate(f.FuncOID)
	if err != nil {
		return nil, err
	}
	if info == nil {
		return nil, pgerr.Internal("cache lookup failed for aggregate %d", f.FuncOID)
	}
	moving, err := s.useMovingForm(f, opts, info.MInvTransFn, info.FinalModify, info.MFinalModify)
	if err != nil {
		return nil, err
	}
	form := *info
	if moving {
		form.TransFn, form.FinalFn, form.FinalExtra, form.FinalModify = info.MTransFn, info.MFinalFn, info.MFinalExtra, info.MFinalModify
		form.TransType, form.InitVal = info.MTransType, info.MInitVal
	}
	if form.FinalModify != 'r' {
		p, err := c.Proc(f.FuncOID)
		if err != nil {
			return nil, err
		}
		return nil, pgerr.New(pgerr.FeatureNotSupported, "aggregate function %s does not support use as a window function", p.Name)
	}
	ref := &query.Aggref{AggOID: f.FuncOID, TypeOID: f.TypeOID, Coll: f.Coll, InputColl: f.InputColl, Filter: f.Filter, Star: f.Star, Kind: 'n', Loc: f.Loc}
	for i, e := range f.Args {
		ref.Args = append(ref.Args, &query.TargetEntry{Expr: e, ResNo: i + 1})
	}
	a := &windowAggregate{}
	if a.aggregate, err = s.newAggregateOf(c, ref, &form); err != nil || !moving {
		return a, err
	}
	call := *a.transCall
	call.Args = make([]types.Datum, len(call.Args))
	a.invCall = &call
	a.inv, a.invStrict, err = c.Function(info.MInvTransFn, a.invCall)
	return a, err
}

// useMovingForm: with a frame that loses rows, when each row gives the same value each time it is asked.
func (s *State) useMovingForm(f *query.WindowFunc, opts int, inverse types.OID, modify, movingModify byte) (bool, error) {
	switch {
	case inverse == 0:
		return false, nil
	case movingModify == 'r' && modify != 'r':
		return true, nil
	case opts&query.FrameStartUnboundedPreced != 0 || opts&frameExclusion != 0:
		return false, nil
	}
	volatile, err := s.volatile(f)
	hasSub := query.Contains(f, func(e query.Expr) bool { _, is := e.(*query.SubPlan); return is })
	return !volatile && !hasSub, err
}

func (a *windowAggregate) begin() {
	a.state.drop()
	a.start(&a.state)
	a.count = 0
}

// add feeds the row in ctx to the state.
func (a *windowAggregate) add(ctx *expr.Context) error {
	ok, err := a.arguments(ctx, a.transCall)
	if !ok || err != nil {
		return err
	}
	if a.transStrict && a.anyNull(a.transCall) {
		return nil
	}
	a.count++
	if err := a.transition(ctx, &a.state); err != nil {
		return err
	}
	if a.inv != nil && !a.internal && a.state.value.IsNull() {
		return pgerr.New(pgerr.NullValueNotAllowed, "moving-aggregate transition function must not return null")
	}
	return nil
}

// remove takes the row in ctx out of the state; false when that cannot be done.
func (a *windowAggregate) remove(ctx *expr.Context) (bool, error) {
	ok, err := a.arguments(ctx, a.invCall)
	if !ok || err != nil {
		return true, err
	}
	if a.invStrict && a.anyNull(a.invCall) {
		return true, nil
	}
	// Without the last row the state is the initial one again, which may be null: no inverse function gives that.
	if a.count == 1 {
		a.begin()
		return true, nil
	}
	call := a.invCall
	call.Env, call.Arena, call.Ctx = ctx.Env, ctx.Arena, ctx.Session
	call.Args[0] = a.state.value
	if a.internal {
		call.AggState = &a.state.any
	}
	d, err := a.inv(call)
	if err != nil || d.IsNull() {
		return false, err
	}
	a.count--
	if !a.internal {
		if d.IsByRef() && d != a.state.value {
			d = d.Clone()
		}
		a.state.value = d
	}
	return true, nil
}

// arguments evaluates FILTER and the arguments; false when the filter drops the row.
func (a *windowAggregate) arguments(ctx *expr.Context, call *types.Call) (bool, error) {
	if a.filter != nil {
		d, err := a.filter(ctx)
		if err != nil || d.IsNull() || !d.Bool() {
			return false, err
		}
	}
	for i, arg := range a.args {
		d, err := arg(ctx)
		if err != nil {
			return false, err
		}
		call.Args[i+1] = d
	}
	return true, nil
}

func (a *windowAggregate) anyNull(call *types.Call) bool {
	for _, d := range call.Args[1:] {
		if d.IsNull() {
			return true
		}
	}
	return false
}

func (g *windowAggregates) beginPartition() {
	g.base, g.upto = 0, 0
	for _, a := range g.list {
		a.begin()
	}
}

// eval computes all aggregates for the current row.
func (g *windowAggregates) eval(results types.Row) error {
	f := g.w.frame
	if err := f.updateHead(); err != nil {
		return err
	}
	if !g.sameFrame(f) {
		if err := g.moveFrame(f); err != nil {
			return err
		}
	}
	for _, a := range g.list {
		results[a.number] = a.result
	}
	return nil
}

// sameFrame: the current row lies in the frame that was computed, and that has the same ends.
func (g *windowAggregates) sameFrame(f *windowFrame) bool {
	return g.base == f.head && f.opts&(query.FrameEndUnboundedFollow|query.FrameEndCurrentRow) != 0 && f.opts&frameExclusion == 0 &&
		g.base <= f.current && g.upto > f.current
}

func (g *windowAggregates) moveFrame(f *windowFrame) error {
	restarts := 0
	for _, a := range g.list {
		a.restart = f.current == 0 || g.base != f.head && a.inv == nil || f.opts&frameExclusion != 0 || g.upto <= f.head
		if a.restart {
			restarts++
		}
	}
	for ; restarts < len(g.list) && g.base < f.head; g.base++ {
		n, err := g.removeRow(g.base)
		if err != nil {
			return err
		}
		restarts += n
	}
	g.base = f.head
	for _, a := range g.list {
		if a.restart {
			a.begin()
		}
	}
	done := g.upto // what the states that go on contain
	if restarts > 0 {
		g.upto = f.head
	}
	for {
		row, err := g.w.part.row(g.at, g.upto)
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
		where, err := f.where(g.upto, row)
		if err != nil {
			return err
		}
		if where == beyond {
			break
		}
		if where == inside {
			if err := g.addRow(row, g.upto >= done); err != nil {
				return err
			}
		}
		g.upto++
	}
	return g.finish()
}

// removeRow takes a row out of the aggregates that do not start anew and says how many could not do it and must.
func (g *windowAggregates) removeRow(pos int) (failed int, err error) {
	row, err := g.w.part.row(g.at, pos)
	if err != nil {
		return 0, err
	}
	g.ctx.Outer = row
	for _, a := range g.list {
		if a.restart {
			continue
		}
		ok, err := a.remove(g.ctx)
		if err != nil {
			return 0, err
		}
		if !ok {
			a.restart = true
			failed++
		}
	}
	return failed, nil
}

func (g *windowAggregates) addRow(row types.Row, all bool) error {
	g.ctx.Outer = row
	for _, a := range g.list {
		if a.restart || all {
			if err := a.add(g.ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *windowAggregates) finish() error {
	for _, a := range g.list {
		d, err := a.aggregate.finish(g.w.s, g.ctx, &a.state)
		if err != nil {
			return err
		}
		a.result = d.Clone()
	}
	return nil
}

// oldest is the first row that may still be needed.
func (g *windowAggregates) oldest() int {
	if g.w.frame.opts&query.FrameStartUnboundedPreced != 0 && g.w.frame.opts&frameExclusion == 0 {
		return g.upto
	}
	return g.base
}
