package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() { register(newAgg) }

// aggCore is what plain, sorted and hashed aggregation share.
type aggCore struct {
	Removed
	s       *State
	ctx     *expr.Context
	child   Node
	aggs    []*aggregate // by AggNo
	qual    expr.Qual    // HAVING
	project *projection
	sets    *currentSet // nil without grouping sets
}

func newAgg(s *State, p *plan.Agg) (Node, error) {
	core := aggCore{s: s, ctx: s.context()}
	if len(p.GroupingSets) > 0 {
		core.sets = newCurrentSet(p)
	}
	c := s.compiler()
	c.Hooks.GroupingFunc = core.sets.compileGrouping
	c.Hooks.Aggref = func(e *query.Aggref) (expr.Eval, error) { return core.compileAggref(s, e) }
	var err error
	if core.child, err = s.build(p.Left); err != nil {
		return nil, err
	}
	if core.qual, err = c.CompileQual(p.Quals); err != nil {
		return nil, err
	}
	if core.project, err = newProjection(c, p.Targets); err != nil {
		return nil, err
	}
	core.ctx.Aggs = make(types.Row, len(core.aggs))
	targets := p.Left.Base().Targets
	if core.sets != nil {
		return newGroupingAgg(core, p, targets)
	}
	if p.Strategy == plan.AggHashed {
		return newHashAgg(core, p, targets)
	}
	n := &sortedAgg{aggCore: core, grouped: p.Strategy == plan.AggSorted, states: make([]aggState, len(core.aggs))}
	n.nulls = nullRow(len(targets))
	n.same, err = newRowEquality(s, p.Keys, targets)
	return n, err
}

// compileAggref compiles a reference to an aggregate's result; equal calls (one AggNo) are computed once.
func (a *aggCore) compileAggref(s *State, e *query.Aggref) (expr.Eval, error) {
	no := e.AggNo
	for len(a.aggs) <= no {
		a.aggs = append(a.aggs, nil)
	}
	if a.aggs[no] == nil {
		agg, err := s.newAggregate(s.compiler(), e)
		if err != nil {
			return nil, err
		}
		a.aggs[no] = agg
	}
	return func(ctx *expr.Context) (types.Datum, error) { return ctx.Aggs[no], nil }, nil
}

func (a *aggCore) startAll(states []aggState) {
	for i, agg := range a.aggs {
		if agg != nil {
			agg.start(&states[i])
		}
	}
}

func (a *aggCore) advanceAll(states []aggState) error {
	for i, agg := range a.aggs {
		if agg == nil {
			continue
		}
		if err := agg.advance(a.s, a.ctx, &states[i]); err != nil {
			return err
		}
	}
	return nil
}

// emit finishes a group whose representative row is outer; nil when HAVING drops it.
func (a *aggCore) emit(outer types.Row, states []aggState) (types.Row, error) {
	a.ctx.Outer = a.sets.masked(outer)
	for i, agg := range a.aggs {
		if agg == nil {
			continue
		}
		d, err := agg.finish(a.s, a.ctx, &states[i])
		if err != nil {
			return nil, err
		}
		a.ctx.Aggs[i] = d
	}
	ok, err := passes(a.qual, a.ctx)
	if err != nil || !ok {
		a.Removed.Filter++
		return nil, err
	}
	return a.project.apply(a.ctx)
}

// sortedAgg aggregates runs of equal rows, or, without grouping, everything into one row.
type sortedAgg struct {
	aggCore
	grouped bool
	same    *rowEquality
	states  []aggState
	first   types.Row // representative row of the group
	ahead   types.Row // first row of the next group
	nulls   types.Row
	done    bool
}

func (n *sortedAgg) Next() (types.Row, error) {
	for !n.done {
		row, err := n.nextGroup()
		if row != nil || err != nil {
			return row, err
		}
	}
	return nil, nil
}

func (n *sortedAgg) nextGroup() (types.Row, error) {
	row := n.ahead
	if row == nil {
		var err error
		if row, err = n.child.Next(); err != nil {
			return nil, err
		}
	}
	if row == nil {
		n.done = true
		if n.grouped {
			return nil, nil
		}
		// Without grouping an empty input still gives one row.
		n.startAll(n.states)
		return n.emit(n.nulls, n.states)
	}
	n.first, n.ahead = copyRow(n.first, row), nil
	n.startAll(n.states)
	for row = n.first; ; {
		n.ctx.Outer = row
		if err := n.advanceAll(n.states); err != nil {
			return nil, err
		}
		var err error
		if row, err = n.child.Next(); err != nil {
			return nil, err
		}
		if row == nil {
			n.done = true
			break
		}
		if !n.grouped {
			continue
		}
		same, err := n.same.equal(n.ctx, n.first, row)
		if err != nil {
			return nil, err
		}
		if !same {
			n.ahead = copyRow(nil, row)
			break
		}
	}
	return n.emit(n.first, n.states)
}

func (n *sortedAgg) Rescan() error {
	n.reset()
	return rescan(n.child)
}

func (n *sortedAgg) reset() {
	n.done, n.ahead = false, nil
	for i := range n.states {
		n.states[i].drop()
	}
}

func (n *sortedAgg) Close() {
	n.reset()
	closeNode(n.child)
}
