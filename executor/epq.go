package executor

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// epqState makes a State evaluate its plan for one combination of rows instead of scanning: READ COMMITTED's recheck of a row's newest
// version after a wait (PostgreSQL's EvalPlanQual). Scans of the range table entries in rows give that row once.
type epqState struct {
	rows []*epqRow // by range table index - 1; nil: scan as usual
	runs uint64    // rechecks so far: what a node has kept came of other rows
}

// epqRow is the row that stands for a relation: none at all, or the one in slot (tables) or values (everything else).
type epqRow struct {
	slot   heap.Slot
	values types.Row
	none   bool
	given  bool
}

// substitute gives the row that stands for a relation in a recheck, nil when the relation is scanned as usual.
func (s *State) substitute(rtIndex int) *epqRow {
	if s.epq == nil {
		return nil
	}
	return s.epq.rows[rtIndex-1]
}

// copyOnce gives the copied row once.
func (r *epqRow) copyOnce() (types.Row, error) {
	if r.given || r.none {
		return nil, nil
	}
	r.given = true
	return r.values, nil
}

// epqScan gives the substituted row of a table scan once. The caller has found one.
func (t *tableScan) epqScan(r *epqRow) (types.Row, error) {
	if r.given || r.none {
		return nil, nil
	}
	r.given = true
	if err := r.slot.Deform(t.upto); err != nil {
		return nil, err
	}
	if t.sys {
		saved := t.slot
		t.slot = r.slot
		t.setSystemColumns()
		t.slot = saved
	}
	return r.slot.Row, nil
}

// recheck is the plan below a ModifyTable or LockRows node, built a second time for rechecks.
type recheck struct {
	outer *State
	plan  plan.Node
	marks []*plan.RowMark
	state *State
	root  Node
}

// newRecheck makes a recheck, whose scans' pins are let go of with those of the statement.
func newRecheck(s *State, p plan.Node, marks []*plan.RowMark) *recheck {
	r := &recheck{outer: s, plan: p, marks: marks}
	s.scans = append(s.scans, r)
	return r
}

// release lets go of the pins of all scans of the second plan, those of its sub-selects too.
func (r *recheck) release() {
	if r.state != nil {
		r.state.Suspend()
	}
}

// prepare builds the second plan on first use and clears the substituted rows.
func (r *recheck) prepare() error {
	if r.state == nil {
		st, err := Build(r.outer.Backend, &plan.Planned{
			Command: r.outer.Plan.Command, Root: &plan.Result{}, Subplans: r.outer.Plan.Subplans, RangeTable: r.outer.Plan.RangeTable,
			Params: r.outer.Plan.Params, RowMarks: r.outer.Plan.RowMarks,
		}, nil)
		if err != nil {
			return err
		}
		r.state = st
		st.epq = &epqState{rows: make([]*epqRow, len(r.outer.Plan.RangeTable))}
		if err := st.declareInitPlans(r.plan); err != nil {
			return err
		}
		if r.root, err = st.build(r.plan); err != nil {
			return err
		}
	}
	st := r.state
	st.run = r.outer.run
	st.Params.Extern = r.outer.Params.Extern
	for _, ip := range st.initPlans {
		if ip.ran {
			ip.reset(st, ip.e)
		}
	}
	for id := range r.plan.Base().ExtParam { // init plans of a node above, which the second plan does not have
		if run := r.outer.Params.Exec[id].Run; run != nil {
			if err := run(); err != nil {
				return err
			}
		}
	}
	for i := range st.Params.Exec {
		if r.outer.Params.Exec[i].Run == nil {
			st.setParam(i, r.outer.Params.Exec[i].Value)
		}
	}
	clear(st.epq.rows)
	return nil
}

// setTuple makes the version at tid the row of a relation.
func (r *recheck) setTuple(rtIndex int, tid types.TID) error {
	e := &epqRow{}
	r.state.epq.rows[rtIndex-1] = e
	return r.fetch(e, rtIndex, tid)
}

// fetch puts the version at tid into e, whoever sees it.
func (r *recheck) fetch(e *epqRow, rtIndex int, tid types.TID) error {
	rel, err := r.state.relation(rtIndex)
	if err != nil {
		return err
	}
	e.slot.Init(rel.Heap)
	any := heap.AnySnapshot()
	found, err := rel.Heap.FetchVersion(r.outer.Backend.Heap, tid, &any, &e.slot)
	if err != nil {
		return err
	}
	if !found {
		return pgerr.Internal("failed to fetch tuple for EvalPlanQual recheck")
	}
	e.slot.Materialize()
	return nil
}

// setOthers fetches the rows of the relations that are not being locked, as the outer row names them.
func (r *recheck) setOthers(row types.Row, targets []*query.TargetEntry, except int) error {
	for _, m := range r.marks {
		if m.IsParent || m.RTIndex == except || r.state.epq.rows[m.RTIndex-1] != nil {
			continue
		}
		e := &epqRow{}
		r.state.epq.rows[m.RTIndex-1] = e
		other, err := fromOther(r.state, m, targets, row)
		if err != nil {
			return err
		}
		if other {
			e.none = true
			continue
		}
		col := junkColumn(targets, "ctid", m.ID)
		if m.Type == plan.RowMarkCopy {
			col = junkColumn(targets, "wholerow", m.ID)
		}
		if col < 0 {
			return pgerr.Internal("no column that names the row of range table entry %d", m.RTIndex)
		}
		if m.Type == plan.RowMarkCopy {
			if err := r.copyRow(e, row[col]); err != nil {
				return err
			}
			continue
		}
		d := row[col]
		if d.IsNull() {
			e.none = true
			continue
		}
		if err := r.fetch(e, m.RTIndex, d.TID()); err != nil {
			return err
		}
	}
	return nil
}

func (r *recheck) copyRow(e *epqRow, d types.Datum) error {
	if d.IsNull() {
		e.none = true
		return nil
	}
	_, row, err := types.RecordFields(r.outer.Backend.Env, d, nil)
	e.values = copyRow(nil, row)
	return err
}

// junkColumn finds the junk column that a row mark added, by its name.
func junkColumn(targets []*query.TargetEntry, prefix string, id int) int {
	name := prefix + itoa(id)
	for i, t := range targets {
		if t.Junk && t.Name == name {
			return i
		}
	}
	return -1
}

// run evaluates the plan for the substituted rows: the row that it gives, nil when they no longer qualify.
func (r *recheck) run() (types.Row, error) {
	for _, row := range r.state.epq.rows {
		if row != nil {
			row.given = false
		}
	}
	r.state.epq.runs++
	if err := r.root.Rescan(); err != nil {
		return nil, err
	}
	return r.root.Next()
}

func (r *recheck) close() {
	if r != nil && r.root != nil {
		r.root.Close()
	}
}
