package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// subplan is the running form of a sub-select inside an expression.
type subplan struct {
	s    *State
	e    *query.SubPlan
	node Node
	args []expr.Eval
	test expr.Eval
	ctx  *expr.Context
	// ARRAY(...)
	elem   *types.TypeInfo
	deeper bool // the column has arrays of elem
}

func (s *State) newSubplan(c *expr.Compiler, e *query.SubPlan) (*subplan, error) {
	sp := &subplan{s: s, e: e, ctx: s.context()}
	var err error
	if sp.node, err = s.build(s.Plan.Subplans[e.PlanID-1]); err != nil {
		return nil, err
	}
	if sp.args, err = c.CompileList(e.Args); err != nil {
		return nil, err
	}
	if e.Test != nil {
		if sp.test, err = c.Compile(e.Test); err != nil {
			return nil, err
		}
	}
	if e.Kind == query.ArraySubLink {
		err = sp.setElement(e.FirstType)
	}
	return sp, err
}

// setElement notes what ARRAY(...) of a column makes: of arrays an array one dimension deeper, but int2vector and oidvector, arrays which have an array
// type, are elements.
func (sp *subplan) setElement(column types.OID) (err error) {
	env := sp.s.Backend.Env
	if sp.elem, err = env.TypeByOID(column); err != nil {
		return err
	}
	if sp.deeper = sp.elem.Array == 0 && sp.elem.IsTrueArray(); sp.deeper {
		sp.elem, err = env.TypeByOID(sp.elem.Elem)
	}
	return err
}

// compileSubPlan compiles a sub-select that is no init plan.
func (s *State) compileSubPlan(c *expr.Compiler, e *query.SubPlan) (expr.Eval, error) {
	sp, err := s.newSubplan(c, e)
	if err != nil {
		return nil, err
	}
	if e.UseHash {
		return s.newHashedSubplan(sp)
	}
	return sp.eval, nil
}

// start passes the arguments in and restarts the plan.
func (sp *subplan) start(ctx *expr.Context) error {
	for i, arg := range sp.args {
		d, err := arg(ctx)
		if err != nil {
			return err
		}
		sp.s.setParam(sp.e.ParParam[i], d)
	}
	return sp.node.Rescan()
}

func (sp *subplan) eval(ctx *expr.Context) (types.Datum, error) {
	if err := sp.start(ctx); err != nil {
		return types.Null, err
	}
	switch sp.e.Kind {
	case query.ExistsSubLink:
		row, err := sp.node.Next()
		return types.Bool(row != nil), err
	case query.ExprSubLink:
		return sp.scalar()
	case query.ArraySubLink:
		return sp.array()
	case query.RowCompareSubLink:
		return sp.rowCompare(ctx)
	case query.AnySubLink:
		return sp.quantified(ctx, true)
	case query.AllSubLink:
		return sp.quantified(ctx, false)
	case query.MultiExprSubLink:
		return types.Null, sp.setRow(sp.s, sp.e)
	}
	return types.Null, pgerr.NotSupported("this kind of sub-select")
}

// scalar gives the one value of a sub-select, null when it has no row.
func (sp *subplan) scalar() (types.Datum, error) {
	row, err := sp.node.Next()
	if row == nil || err != nil {
		return types.Null, err
	}
	d := row[0].Clone()
	if row, err = sp.node.Next(); err != nil {
		return types.Null, err
	}
	if row != nil {
		return types.Null, tooManyRows()
	}
	return d, nil
}

func tooManyRows() error {
	return pgerr.New(pgerr.CardinalityViolation, "more than one row returned by a subquery used as an expression")
}

func (sp *subplan) array() (types.Datum, error) {
	var elems []types.Datum
	for {
		row, err := sp.node.Next()
		if err != nil {
			return types.Null, err
		}
		if row == nil {
			break
		}
		elems = append(elems, row[0].Clone())
	}
	if sp.deeper {
		return stackRows(sp.elem, elems)
	}
	return types.MakeArray(sp.elem, elems), nil
}

// stackRows makes an array of the arrays that a sub-select gave.
func stackRows(elem *types.TypeInfo, arrays []types.Datum) (types.Datum, error) {
	for _, d := range arrays {
		switch {
		case d.IsNull():
			return types.Null, pgerr.New(pgerr.NullValueNotAllowed, "cannot accumulate null arrays")
		case types.ArrayNDims(d) == 0:
			return types.Null, pgerr.New(pgerr.ArraySubscriptError, "cannot accumulate empty arrays")
		case !types.SameArrayBounds(d, arrays[0]):
			return types.Null, pgerr.New(pgerr.ArraySubscriptError, "cannot accumulate arrays of different dimensionality")
		}
	}
	return types.StackArrays(elem, arrays)
}

// setColumns puts a row of the sub-select where the test expression reads it.
func (sp *subplan) setColumns(row types.Row) {
	for i, id := range sp.e.ParamIDs {
		sp.s.setParam(id, row[i])
	}
}

func (sp *subplan) rowCompare(ctx *expr.Context) (types.Datum, error) {
	row, err := sp.node.Next()
	if row == nil || err != nil {
		return types.Null, err
	}
	sp.setColumns(row)
	d, err := sp.test(ctx)
	if err != nil {
		return types.Null, err
	}
	if row, err = sp.node.Next(); row != nil {
		return types.Null, tooManyRows()
	}
	return d, err
}

// quantified computes ANY (any = true) and ALL: a null test counts only when no other decides.
func (sp *subplan) quantified(ctx *expr.Context, any bool) (types.Datum, error) {
	sawNull := false
	for {
		row, err := sp.node.Next()
		if err != nil {
			return types.Null, err
		}
		if row == nil {
			break
		}
		sp.setColumns(row)
		d, err := sp.test(ctx)
		if err != nil {
			return types.Null, err
		}
		if d.IsNull() {
			sawNull = true
		} else if d.Bool() == any {
			return types.Bool(any), nil
		}
	}
	if sawNull {
		return types.Null, nil
	}
	return types.Bool(!any), nil
}

// initPlan is a sub-select that depends on nothing in its query: it runs at most once, when its value is first asked for.
type initPlan struct {
	*subplan
	params plan.ParamSet
	gen    uint64
	ran    bool
}

// declareInitPlans makes the init plans of a plan tree known before its expressions are compiled.
func (s *State) declareInitPlans(p plan.Node) error {
	var err error
	plan.Walk(p, func(n plan.Node) {
		for _, e := range n.Base().InitPlans {
			if err == nil && s.initPlans[e.PlanID] == nil {
				err = s.newInitPlan(e)
			}
		}
	})
	return err
}

func (s *State) newInitPlan(e *query.SubPlan) error {
	if e.Kind == query.CTESubLink {
		return nil // read by CTE scans
	}
	ip := &initPlan{params: s.Plan.Subplans[e.PlanID-1].Base().AllParam}
	s.initPlans[e.PlanID] = ip
	for _, id := range e.SetParam {
		s.Params.Exec[id].Run = func() error { return ip.run(s, e) }
	}
	return nil
}

// run computes the init plan and sets its parameters.
func (ip *initPlan) run(s *State, e *query.SubPlan) error {
	if ip.subplan == nil {
		var err error
		if ip.subplan, err = s.newSubplan(s.compiler(), e); err != nil {
			return err
		}
	}
	if err := ip.node.Rescan(); err != nil {
		return err
	}
	ip.gen, ip.ran = s.paramGen(ip.params), true
	if e.Kind == query.RowCompareSubLink || e.Kind == query.MultiExprSubLink {
		return ip.setRow(s, e)
	}
	d, err := ip.evalOnce()
	if err == nil {
		s.setParam(e.SetParam[0], d)
	}
	return err
}

func (ip *initPlan) evalOnce() (types.Datum, error) {
	switch ip.e.Kind {
	case query.ExistsSubLink:
		row, err := ip.node.Next()
		return types.Bool(row != nil), err
	case query.ArraySubLink:
		return ip.array()
	}
	return ip.scalar()
}

// setRow sets one parameter for each column of the one row.
func (sp *subplan) setRow(s *State, e *query.SubPlan) error {
	row, err := sp.node.Next()
	if err != nil {
		return err
	}
	values := nullRow(len(e.SetParam))
	if row != nil {
		values = copyRow(nil, row[:len(e.SetParam)])
		if row, err = sp.node.Next(); err != nil {
			return err
		}
		if row != nil {
			return tooManyRows()
		}
	}
	for i, id := range e.SetParam {
		s.setParam(id, values[i])
	}
	return nil
}

// reset makes the init plan run again when a parameter that it reads has changed, or when a new execution began.
func (ip *initPlan) reset(s *State, e *query.SubPlan) {
	if ip.ran && ip.gen == s.paramGen(ip.params) {
		return
	}
	ip.ran = false
	for _, id := range e.SetParam {
		p := &s.Params.Exec[id]
		p.Run = func() error { return ip.run(s, e) }
		p.Gen++
	}
}

// hashedSubplan answers x IN (SELECT ...) and NOT IN from a table of the sub-select's rows, which does not depend on the outer row.
type hashedSubplan struct {
	*subplan
	left   []expr.Eval
	eqs    []expr.Binary
	hashL  []types.HashFunc
	hashR  []types.HashFunc
	table  hashTable
	nulls  *Tuplestore // rows with a null column
	built  bool
	gen    uint64
	row    types.Row
	values types.Row
	buf    []byte
}

// newHashedSubplan takes the test, an AND of left = column comparisons, apart.
func (s *State) newHashedSubplan(sp *subplan) (expr.Eval, error) {
	h := &hashedSubplan{subplan: sp}
	tests := []query.Expr{sp.e.Test}
	if b, ok := sp.e.Test.(*query.BoolExpr); ok && b.Op == query.And {
		tests = b.Args
	}
	c := s.compiler()
	for _, t := range tests {
		op, ok := t.(*query.OpExpr)
		if !ok || len(op.Args) != 2 || !isSublinkColumn(op.Args[1]) {
			return sp.eval, nil
		}
		left, err := c.Compile(op.Args[0])
		if err != nil {
			return nil, err
		}
		eq, err := c.BinaryFunc(op.FuncOID, op.Args[0].Type(), op.Args[1].Type(), op.InputColl)
		if err != nil {
			return nil, err
		}
		hl, err := s.hashFuncOf(op.OpOID, op.Args[0].Type(), op.InputColl, true)
		if err != nil {
			return nil, err
		}
		hr, err := s.hashFuncOf(op.OpOID, op.Args[1].Type(), op.InputColl, false)
		if err != nil {
			return nil, err
		}
		h.left, h.eqs, h.hashL, h.hashR = append(h.left, left), append(h.eqs, eq), append(h.hashL, hl), append(h.hashR, hr)
	}
	h.row, h.values = make(types.Row, len(tests)), make(types.Row, len(tests))
	return h.eval, nil
}

// isSublinkColumn says whether e is just a column of the sub-select.
func isSublinkColumn(e query.Expr) bool {
	if r, ok := e.(*query.RelabelType); ok {
		return isSublinkColumn(r.Arg)
	}
	_, ok := e.(*query.Param)
	return ok
}

func (h *hashedSubplan) fill() error {
	h.table.clear()
	if h.nulls != nil {
		h.nulls.Close()
	}
	h.nulls = NewTuplestore(len(h.row), h.s.Backend.WorkMem(), h.s.Backend.Temp)
	h.gen, h.built = h.s.paramGen(h.s.Plan.Subplans[h.e.PlanID-1].Base().AllParam), true
	if err := h.node.Rescan(); err != nil {
		return err
	}
	for {
		row, err := h.node.Next()
		if row == nil || err != nil {
			return err
		}
		row = row[:len(h.row)]
		sum, ok := hashAll(row, h.hashR)
		if !ok {
			if err := h.nulls.Add(row); err != nil {
				return err
			}
			continue
		}
		h.buf = appendRow(h.buf[:0], row)
		h.table.insert(sum, h.buf)
	}
}

func hashAll(row types.Row, funcs []types.HashFunc) (sum uint32, ok bool) {
	for i, d := range row {
		if d.IsNull() {
			return 0, false
		}
		sum = combineHash(sum, d, funcs[i])
	}
	return mixHash(sum), true
}

func (h *hashedSubplan) eval(ctx *expr.Context) (types.Datum, error) {
	if !h.built || h.gen != h.s.paramGen(h.s.Plan.Subplans[h.e.PlanID-1].Base().AllParam) {
		if err := h.fill(); err != nil {
			return types.Null, err
		}
	}
	for i, left := range h.left {
		d, err := left(ctx)
		if err != nil {
			return types.Null, err
		}
		h.values[i] = d
	}
	if len(h.table.entries) == 0 && h.nulls.Len() == 0 {
		return types.Bool(false), nil
	}
	sum, ok := hashAll(h.values, h.hashL)
	if !ok {
		return h.withNulls(ctx)
	}
	for i := h.table.first(sum); i >= 0; i = h.table.next(i) {
		if h.table.entries[i].hash != sum {
			continue
		}
		if err := h.table.decode(i, h.row); err != nil {
			return types.Null, err
		}
		if m, err := h.match(ctx, h.row); err != nil || m == matchYes {
			return types.Bool(true), err
		}
	}
	return h.amongNulls(ctx)
}

type match uint8

const (
	matchNo match = iota
	matchMaybe
	matchYes
)

// match compares the left values with a row: one unequal pair says no, else a null says maybe.
func (h *hashedSubplan) match(ctx *expr.Context, row types.Row) (match, error) {
	m := matchYes
	for i, eq := range h.eqs {
		if h.values[i].IsNull() || row[i].IsNull() {
			m = matchMaybe
			continue
		}
		d, err := eq(ctx, h.values[i], row[i])
		if err != nil {
			return matchNo, err
		}
		if d.IsNull() {
			m = matchMaybe
		} else if !d.Bool() {
			return matchNo, nil
		}
	}
	return m, nil
}

// withNulls: a left value is null, so every row must be looked at for a possible match.
func (h *hashedSubplan) withNulls(ctx *expr.Context) (types.Datum, error) {
	for i := range h.table.entries {
		if err := h.table.decode(i, h.row); err != nil {
			return types.Null, err
		}
		if m, err := h.match(ctx, h.row); err != nil || m != matchNo {
			return types.Null, err
		}
	}
	return h.amongNulls(ctx)
}

// amongNulls: null when a row with nulls may match, else false.
func (h *hashedSubplan) amongNulls(ctx *expr.Context) (types.Datum, error) {
	r := h.nulls.NewReader()
	for {
		row, err := r.Next()
		if row == nil || err != nil {
			return types.Bool(false), err
		}
		if m, err := h.match(ctx, row); err != nil || m != matchNo {
			return types.Null, err
		}
	}
}
