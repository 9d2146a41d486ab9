package executor

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// aggregate is the compiled form of one aggregate call: its transition and final functions and its arguments.
type aggregate struct {
	ref    *query.Aggref
	agg    *catalog.Aggregate
	filter expr.Eval
	args   []expr.Eval // aggregated arguments, then the sort columns that are no arguments
	nargs  int
	direct []expr.Eval

	trans       types.Func
	transCall   *types.Call
	transStrict bool
	final       types.Func // nil = the state is the result
	finalCall   *types.Call
	finalStrict bool
	transType   types.OID
	internal    bool // the state is a Go value kept in aggState.any
	initial     types.Datum

	// DISTINCT or ORDER BY inside the call: rows are sorted before the transitions.
	sortKeys []sortKey
	sortRow  types.Row
	distinct *rowEquality
}

// aggState is the state of one aggregate in one group.
type aggState struct {
	value  types.Datum
	any    any
	noRow  bool // strict transition without initial value: no input seen yet
	sorter *sorter
}

func (s *State) newAggregate(c *expr.Compiler, ref *query.Aggref) (*aggregate, error) {
	info, err := s.Backend.Catalog.Aggregate(ref.AggOID)
	if err != nil {
		return nil, err
	}
	if info == nil {
		return nil, pgerr.Internal("cache lookup failed for aggregate %d", ref.AggOID)
	}
	return s.newAggregateOf(c, ref, info)
}

// newAggregateOf compiles a call of an aggregate that is described by info.
func (s *State) newAggregateOf(c *expr.Compiler, ref *query.Aggref, info *catalog.Aggregate) (*aggregate, error) {
	var err error
	a := &aggregate{ref: ref, agg: info, transType: ref.TransType, initial: types.Null}
	if a.transType == 0 {
		a.transType = info.TransType
	}
	a.internal = a.transType == types.InternalOID
	if err := a.compileArgs(c); err != nil {
		return nil, err
	}
	if err := a.resolveFunctions(s, c); err != nil {
		return nil, err
	}
	if info.InitVal != nil {
		if a.initial, err = types.Input(s.Backend.Env, a.transType, -1, *info.InitVal); err != nil {
			return nil, err
		}
	}
	return a, a.resolveSort(s)
}

func (a *aggregate) compileArgs(c *expr.Compiler) error {
	var err error
	if a.ref.Filter != nil {
		if a.filter, err = c.Compile(a.ref.Filter); err != nil {
			return err
		}
	}
	for _, t := range a.ref.Args {
		eval, err := c.Compile(t.Expr)
		if err != nil {
			return err
		}
		a.args = append(a.args, eval)
		if !t.Junk {
			a.nargs++
		}
	}
	a.direct, err = c.CompileList(a.ref.DirectArgs)
	return err
}

func (a *aggregate) resolveFunctions(s *State, c *expr.Compiler) error {
	argTypes := []types.OID{a.transType}
	for _, t := range a.ref.Args {
		if !t.Junk {
			argTypes = append(argTypes, t.Expr.Type())
		}
	}
	a.transCall = &types.Call{Args: make([]types.Datum, len(argTypes)), ArgTypes: argTypes, RetType: a.transType,
		Collation: a.ref.InputColl, Variadic: a.ref.Variadic, FnExpr: a.ref}
	var err error
	if a.trans, a.transStrict, err = c.Function(a.agg.TransFn, a.transCall); err != nil {
		return err
	}
	if a.agg.FinalFn == 0 {
		return nil
	}
	finalTypes := []types.OID{a.transType}
	for _, e := range a.ref.DirectArgs {
		finalTypes = append(finalTypes, e.Type())
	}
	if a.agg.FinalExtra {
		finalTypes = append(finalTypes, argTypes[1:]...)
	}
	a.finalCall = &types.Call{Args: make([]types.Datum, len(finalTypes)), ArgTypes: finalTypes, RetType: a.ref.TypeOID,
		Collation: a.ref.InputColl, FnExpr: a.ref}
	a.final, a.finalStrict, err = c.Function(a.agg.FinalFn, a.finalCall)
	return err
}

// resolveSort prepares ORDER BY and DISTINCT inside the call.
func (a *aggregate) resolveSort(s *State) error {
	order := a.ref.Order
	if len(a.ref.Distinct) > len(order) {
		order = a.ref.Distinct
	}
	for _, sc := range order {
		col := argByRef(a.ref.Args, sc.Ref)
		cmp, desc, err := s.compareOf(sc.SortOp, a.ref.Args[col].Expr.Type(), a.ref.Args[col].Expr.Collation())
		if err != nil {
			return err
		}
		a.sortKeys = append(a.sortKeys, sortKey{col: col, cmp: cmp, desc: desc, nullsFirst: sc.NullsFirst})
	}
	a.sortRow = make(types.Row, len(a.args))
	if len(a.ref.Distinct) == 0 {
		return nil
	}
	a.distinct = &rowEquality{}
	for _, sc := range a.ref.Distinct {
		col := argByRef(a.ref.Args, sc.Ref)
		op, err := s.Backend.Catalog.Operator(sc.EqOp)
		if err != nil {
			return err
		}
		typ := a.ref.Args[col].Expr.Type()
		eq, err := s.compiler().BinaryFunc(op.Func, typ, typ, a.ref.Args[col].Expr.Collation())
		if err != nil {
			return err
		}
		a.distinct.cols = append(a.distinct.cols, col)
		a.distinct.eqs = append(a.distinct.eqs, eq)
	}
	return nil
}

func argByRef(args []*query.TargetEntry, ref uint32) int {
	for i, t := range args {
		if t.SortGroupRef == ref {
			return i
		}
	}
	panic("executor: an aggregate's sort clause names no argument")
}

// start makes the state of a new group.
func (a *aggregate) start(st *aggState) {
	*st = aggState{value: a.initial, noRow: a.initial.IsNull() && a.transStrict}
}

// advance feeds one input row (in ctx) to the state.
func (a *aggregate) advance(s *State, ctx *expr.Context, st *aggState) error {
	ok, err := a.read(ctx)
	if !ok || err != nil {
		return err
	}
	return a.feed(s, ctx, st)
}

// read evaluates the arguments for the row in ctx; false when the call's filter, or a null, drops the row.
func (a *aggregate) read(ctx *expr.Context) (bool, error) {
	if a.filter != nil {
		d, err := a.filter(ctx)
		if err != nil || d.IsNull() || !d.Bool() {
			return false, err
		}
	}
	into := types.Row(a.transCall.Args[1:])
	if a.sortKeys != nil {
		into = a.sortRow
	}
	for i, arg := range a.args {
		d, err := arg(ctx)
		if err != nil {
			return false, err
		}
		if a.sortKeys != nil && a.transStrict && i < a.nargs && d.IsNull() && a.ref.Kind == 'n' {
			return false, nil
		}
		into[i] = d
	}
	return true, nil
}

// feed gives what read has read to a state: at once, or to be sorted first.
func (a *aggregate) feed(s *State, ctx *expr.Context, st *aggState) error {
	if a.sortKeys == nil {
		return a.transition(ctx, st)
	}
	if st.sorter == nil {
		st.sorter = newSorter(a.sortKeys, len(a.args), s.Backend.WorkMem(), s.Backend.Temp, s.poll)
	}
	return st.sorter.add(a.sortRow)
}

// transition calls the transition function with the arguments in transCall.Args[1:].
func (a *aggregate) transition(ctx *expr.Context, st *aggState) error {
	call := a.transCall
	if a.transStrict {
		for _, d := range call.Args[1 : a.nargs+1] {
			if d.IsNull() {
				return nil
			}
		}
		if st.noRow {
			st.noRow = false
			st.value = call.Args[1].Clone()
			return nil
		}
		if st.value.IsNull() && !a.internal {
			return nil
		}
	}
	call.Env, call.Arena, call.Ctx = ctx.Env, ctx.Arena, ctx.Session
	call.Args[0] = st.value
	if a.internal {
		call.AggState = &st.any
		_, err := a.trans(call)
		return err
	}
	d, err := a.trans(call)
	if err != nil {
		return err
	}
	if d.IsByRef() && d != st.value {
		d = d.Clone() // the result may lie in the arena or in the input row
	}
	st.value = d
	return nil
}

// finish gives the result of a group.
func (a *aggregate) finish(s *State, ctx *expr.Context, st *aggState) (types.Datum, error) {
	if a.ref.Kind == 'h' {
		p, err := a.place(ctx, st)
		if err != nil {
			return types.Null, err
		}
		st.any = p
	} else if st.sorter != nil {
		if err := a.replay(s, ctx, st); err != nil {
			return types.Null, err
		}
	}
	if a.final == nil {
		if a.internal {
			return types.Null, pgerr.Internal("aggregate with internal state has no final function")
		}
		return st.value, nil
	}
	call := a.finalCall
	call.Env, call.Arena, call.Ctx = ctx.Env, ctx.Arena, ctx.Session
	for i := range call.Args {
		call.Args[i] = types.Null
	}
	call.Args[0] = st.value
	for i, eval := range a.direct {
		d, err := eval(ctx)
		if err != nil {
			return types.Null, err
		}
		call.Args[1+i] = d
	}
	if a.internal {
		call.AggState = &st.any
		if a.finalStrict && st.any == nil {
			return types.Null, nil
		}
	} else if a.finalStrict && st.value.IsNull() {
		return types.Null, nil
	}
	return a.final(call)
}

// replay feeds the sorted rows, duplicates left out when the call says DISTINCT.
func (a *aggregate) replay(s *State, ctx *expr.Context, st *aggState) error {
	defer func() {
		st.sorter.close()
		st.sorter = nil
	}()
	if err := st.sorter.sort(); err != nil {
		return err
	}
	var last types.Row
	for {
		row, err := st.sorter.get()
		if row == nil || err != nil {
			return err
		}
		if a.distinct != nil {
			if last != nil {
				same, err := a.distinct.equal(ctx, last, row)
				if err != nil {
					return err
				}
				if same {
					continue
				}
			}
			last = copyRow(last, row)
		}
		copy(a.transCall.Args[1:], row[:a.nargs])
		if err := a.transition(ctx, st); err != nil {
			return err
		}
	}
}

// drop frees what a state holds when its group is given up early.
func (st *aggState) drop() {
	if st.sorter != nil {
		st.sorter.close()
		st.sorter = nil
	}
}
