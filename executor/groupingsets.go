package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// currentSet says which grouping set a result row belongs to: grouping columns that the set lacks read as null, and GROUPING tells which.
type currentSet struct {
	all []int        // 0-based input columns of all sets' keys
	set map[int]bool // those of the current set
	row types.Row
}

func newCurrentSet(p *plan.Agg) *currentSet {
	c := &currentSet{row: make(types.Row, len(p.Left.Base().Targets))}
	seen := map[int]bool{}
	for _, a := range append([]*plan.Agg{p}, p.Chain...) {
		for _, k := range a.Keys {
			if !seen[k.Col-1] {
				seen[k.Col-1] = true
				c.all = append(c.all, k.Col-1)
			}
		}
	}
	return c
}

// masked is an input row with the columns that the current set does not group by as nulls.
func (c *currentSet) masked(row types.Row) types.Row {
	if c == nil {
		return row
	}
	copy(c.row, row)
	for _, col := range c.all {
		if !c.set[col] {
			c.row[col] = types.Null
		}
	}
	return c.row
}

// compileGrouping: a bit for each argument, the last one lowest, set when the current set does not group by it.
func (c *currentSet) compileGrouping(e *query.GroupingFunc) (expr.Eval, error) {
	return func(*expr.Context) (types.Datum, error) {
		bits := int32(0)
		for _, col := range e.Cols {
			bits <<= 1
			if c != nil && !c.set[col-1] {
				bits |= 1
			}
		}
		return types.Int4(bits), nil
	}, nil
}

// groupingAgg computes grouping sets. Each sorted phase reads the input in its own order, the first as it comes, the others through a sort that
// the phase before fills; in one pass it computes all sets of its rollup. Hashed sets are filled during the first pass and come last.
type groupingAgg struct {
	aggCore
	phases []*groupingPhase
	hashed []*hashedSet
	cols   int

	phase int // being read, len(phases) = the hashed sets are being given
	hash  int
	ready bool
}

// groupingPhase is one rollup over sorted rows.
type groupingPhase struct {
	sets  []map[int]bool // input columns of each set, largest set first
	sizes []int
	same  *rowEquality
	keys  []sortKey // nil = the input is read as it comes
	in    *sorter

	states [][]aggState // by set
	first  types.Row    // representative of the current group
	ahead  types.Row    // first row of the next group
	some   bool         // a row was read
	ended  bool
	due    int // so many sets, largest first, have a group that ended
	give   int // the next of them to give
}

// hashedSet is a grouping set with its own hash table.
type hashedSet struct {
	*hashAgg
	cols map[int]bool
}

func newGroupingAgg(core aggCore, p *plan.Agg, targets []*query.TargetEntry) (Node, error) {
	n := &groupingAgg{aggCore: core, cols: len(targets)}
	for i, a := range append([]*plan.Agg{p}, p.Chain...) {
		var err error
		if a.Strategy == plan.AggHashed || i == 0 && a.Strategy == plan.AggMixed {
			err = n.addHashed(a, targets)
		} else {
			var sort *plan.Sort
			if i > 0 { // the node's own input is no sort of a chain
				sort, _ = a.Left.(*plan.Sort)
			}
			err = n.addPhase(a, sort, targets)
		}
		if err != nil {
			return nil, err
		}
	}
	return n, nil
}

func columnsOf(keys []plan.GroupKey, set []int) map[int]bool {
	cols := map[int]bool{}
	for _, i := range set {
		cols[keys[i].Col-1] = true
	}
	return cols
}

func (n *groupingAgg) addHashed(a *plan.Agg, targets []*query.TargetEntry) error {
	for _, set := range a.GroupingSets {
		p := &plan.Agg{Strategy: plan.AggHashed}
		for _, i := range set {
			p.Keys = append(p.Keys, a.Keys[i])
		}
		core := n.aggCore
		core.child = nil
		h, err := newHashAgg(core, p, targets)
		if err != nil {
			return err
		}
		n.hashed = append(n.hashed, &hashedSet{hashAgg: h.(*hashAgg), cols: columnsOf(a.Keys, set)})
	}
	return nil
}

func (n *groupingAgg) addPhase(a *plan.Agg, sort *plan.Sort, targets []*query.TargetEntry) error {
	f := &groupingPhase{}
	for _, set := range a.GroupingSets {
		f.sets, f.sizes = append(f.sets, columnsOf(a.Keys, set)), append(f.sizes, len(set))
		f.states = append(f.states, make([]aggState, len(n.aggs)))
	}
	var err error
	if f.same, err = newRowEquality(n.s, a.Keys, targets); err != nil {
		return err
	}
	if sort != nil {
		if f.keys, err = n.s.newSortKeys(sort.Keys, targets); err != nil {
			return err
		}
	}
	n.phases = append(n.phases, f)
	return nil
}

func (n *groupingAgg) Next() (types.Row, error) {
	if !n.ready {
		if err := n.start(); err != nil {
			return nil, err
		}
	}
	for n.phase < len(n.phases) {
		row, err := n.fromPhase(n.phases[n.phase])
		if row != nil || err != nil {
			return row, err
		}
		if err := n.nextPhase(); err != nil {
			return nil, err
		}
	}
	for ; n.hash < len(n.hashed); n.hash++ {
		h := n.hashed[n.hash]
		n.sets.set = h.cols
		row, err := h.Next()
		if row != nil || err != nil {
			return row, err
		}
	}
	return nil, nil
}

// start makes the tables and, when there is no sorted phase, fills them.
func (n *groupingAgg) start() error {
	n.ready = true
	for _, h := range n.hashed {
		h.begin(n.s.Backend.HashMem() / int64(len(n.hashed)))
	}
	n.openSort(1)
	if len(n.phases) > 0 {
		return nil
	}
	for {
		row, err := n.child.Next()
		if err != nil {
			return err
		}
		if row == nil {
			return n.endPass()
		}
		if err := n.addToTables(row); err != nil {
			return err
		}
	}
}

// openSort makes the sort that phase i will read.
func (n *groupingAgg) openSort(i int) {
	if i < len(n.phases) {
		n.phases[i].in = newSorter(n.phases[i].keys, n.cols, n.s.Backend.WorkMem(), n.s.Backend.Temp, n.s.poll)
	}
}

func (n *groupingAgg) addToTables(row types.Row) error {
	for _, h := range n.hashed {
		if err := h.add(row, h.keys.hash(row)); err != nil {
			return err
		}
	}
	return nil
}

func (n *groupingAgg) endPass() error {
	for _, h := range n.hashed {
		if err := h.endFill(); err != nil {
			return err
		}
	}
	return nil
}

// nextPhase goes on to the next rollup, over the sort that the last one has filled.
func (n *groupingAgg) nextPhase() error {
	if n.phase == 0 {
		if err := n.endPass(); err != nil {
			return err
		}
	} else {
		n.phases[n.phase].in.close()
	}
	n.phase++
	if n.phase == len(n.phases) {
		return nil
	}
	if err := n.phases[n.phase].in.sort(); err != nil {
		return err
	}
	n.openSort(n.phase + 1)
	return nil
}

// read gives the phase's next input row, which the next phase's sort and the hash tables get too.
func (n *groupingAgg) read(f *groupingPhase) (types.Row, error) {
	var row types.Row
	var err error
	if n.phase == 0 {
		row, err = n.child.Next()
	} else {
		row, err = f.in.get()
	}
	if row == nil || err != nil {
		return nil, err
	}
	if n.phase+1 < len(n.phases) {
		if err := n.phases[n.phase+1].in.add(row); err != nil {
			return nil, err
		}
	}
	if n.phase == 0 {
		err = n.addToTables(row)
	}
	return row, err
}

// fromPhase gives the next result row of a rollup, nil at its end.
func (n *groupingAgg) fromPhase(f *groupingPhase) (types.Row, error) {
	for {
		for f.give < f.due {
			row, err := n.giveSet(f)
			if row != nil || err != nil {
				return row, err
			}
		}
		if f.ended {
			return nil, nil
		}
		if err := n.nextGroup(f); err != nil {
			return nil, err
		}
	}
}

// giveSet finishes the group of the next set that is due.
func (n *groupingAgg) giveSet(f *groupingPhase) (types.Row, error) {
	i := f.give
	f.give++
	if !f.some && f.sizes[i] > 0 { // of an empty input only the empty sets give a row
		return nil, nil
	}
	n.sets.set = f.sets[i]
	return n.emit(f.first, f.states[i])
}

// nextGroup reads rows until the group of the largest set ends, and says of how many sets groups ended with it.
func (n *groupingAgg) nextGroup(f *groupingPhase) error {
	row, fresh := f.ahead, f.due
	if !f.some {
		fresh = len(f.sets)
		var err error
		if row, err = n.read(f); err != nil {
			return err
		}
	}
	for _, states := range f.states[:fresh] {
		n.startAll(states)
	}
	f.give, f.due, f.ahead = 0, 0, nil
	if row == nil {
		f.first, f.due, f.ended = nullRow(n.cols), len(f.sets), true
		return nil
	}
	f.first, f.some = copyRow(f.first, row), true
	for {
		if err := n.advanceSets(f, row); err != nil {
			return err
		}
		var err error
		if row, err = n.read(f); err != nil {
			return err
		}
		if row == nil {
			f.due, f.ended = len(f.sets), true
			return nil
		}
		if f.due, err = n.endedSets(f, row); err != nil {
			return err
		}
		if f.due > 0 {
			f.ahead = copyRow(nil, row)
			return nil
		}
	}
}

// endedSets counts the sets, largest first, to whose groups row does not belong.
func (n *groupingAgg) endedSets(f *groupingPhase, row types.Row) (int, error) {
	same := 0
	for ; same < len(f.same.cols); same++ {
		col := f.same.cols[same]
		ok, err := f.same.equalDatum(n.ctx, same, f.first[col], row[col])
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
	}
	ended := 0
	for ended < len(f.sizes) && f.sizes[ended] > same {
		ended++
	}
	return ended, nil
}

func (n *groupingAgg) advanceSets(f *groupingPhase, row types.Row) error {
	n.ctx.Outer = row
	for i, a := range n.aggs {
		if a == nil {
			continue
		}
		ok, err := a.read(n.ctx)
		if err != nil {
			return err
		}
		for s := 0; ok && s < len(f.states); s++ {
			if err := a.feed(n.s, n.ctx, &f.states[s][i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n *groupingAgg) reset() {
	for _, f := range n.phases {
		for _, states := range f.states {
			for i := range states {
				states[i].drop()
			}
		}
		if f.in != nil {
			f.in.close()
		}
		f.some, f.ended, f.ahead, f.give, f.due = false, false, nil, 0, 0
	}
	for _, h := range n.hashed {
		h.reset()
	}
	n.phase, n.hash, n.ready = 0, 0, false
}

func (n *groupingAgg) Rescan() error {
	n.reset()
	return rescan(n.child)
}

func (n *groupingAgg) Close() {
	n.reset()
	closeNode(n.child)
}
