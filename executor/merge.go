package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// merge is MERGE's part of a ModifyTable: for each input row it does the first action whose condition holds, of those for rows with a target
// row (the input has its ctid) or of those without. Actions see the target's row as Scan and the input row as Outer.
type merge struct {
	matched, notMatched []*mergeAction
}

type mergeAction struct {
	cmd   query.CommandType
	qual  expr.Qual
	first []expr.Eval // see compileTargets
	evals []expr.Eval
	cols  []int // attribute numbers that evals assign
}

// mergeCommands are the commands whose statement triggers a MERGE may fire, in BEFORE's order.
var mergeCommands = []query.CommandType{query.CmdInsert, query.CmdUpdate, query.CmdDelete}

func (s *State) newMerge(p *plan.ModifyTable, t *resultRelation, at int) (*merge, error) {
	m := &merge{}
	c := s.compiler()
	for _, a := range p.MergeActions[at] {
		x := &mergeAction{cmd: a.Command}
		var err error
		if a.Qual != nil {
			if x.qual, err = c.CompileQual([]query.Expr{a.Qual}); err != nil {
				return nil, err
			}
		}
		first, evals, err := compileTargets(c, a.Targets)
		if err != nil {
			return nil, err
		}
		x.first = first
		for i, te := range a.Targets {
			if te.Junk {
				continue
			}
			x.evals, x.cols = append(x.evals, evals[i]), append(x.cols, te.ResNo)
			if a.Command == query.CmdUpdate {
				t.changed.Add(int16(te.ResNo))
			}
		}
		if a.Matched {
			m.matched = append(m.matched, x)
		} else {
			m.notMatched = append(m.notMatched, x)
		}
	}
	return m, nil
}

// has says whether an action does the command.
func (m *merge) has(cmd query.CommandType) bool {
	for _, list := range [][]*mergeAction{m.matched, m.notMatched} {
		for _, a := range list {
			if a.cmd == cmd {
				return true
			}
		}
	}
	return false
}

// statementTriggers fires (before) or queues the statement triggers of each command that the MERGE has.
func (m *merge) statementTriggers(n *modifyTable, before bool) error {
	for i := range mergeCommands {
		cmd := mergeCommands[i]
		fire := n.root.triggers.beforeStatement
		if !before {
			cmd, fire = mergeCommands[len(mergeCommands)-1-i], n.root.triggers.afterStatement
		}
		if !m.has(cmd) {
			continue
		}
		if err := fire(n.s, cmd, n.root); err != nil {
			return err
		}
	}
	return nil
}

// apply does what MERGE does for one input row, and says whether the table changed.
func (m *merge) apply(n *modifyTable, input types.Row) (bool, error) {
	if d := input[n.target.rowID]; !d.IsNull() {
		changed, matched, err := m.applyMatched(n, input, d.TID())
		if matched || err != nil {
			return changed, err
		}
	}
	return m.applyNotMatched(n, input)
}

// choose finds the first action whose condition holds.
func choose(list []*mergeAction, ctx *expr.Context) (*mergeAction, error) {
	for _, a := range list {
		ok, err := passes(a.qual, ctx)
		if err != nil {
			return nil, err
		}
		if ok {
			return a, nil
		}
	}
	return nil, nil
}

func (a *mergeAction) values(ctx *expr.Context) (types.Row, error) {
	if err := runFirst(a.first, ctx); err != nil {
		return nil, err
	}
	row := make(types.Row, len(a.evals))
	for i, eval := range a.evals {
		var err error
		if row[i], err = eval(ctx); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// applyMatched: matched is false when the target's row has gone meanwhile, or matches no longer.
func (m *merge) applyMatched(n *modifyTable, input types.Row, tid types.TID) (changed, matched bool, err error) {
	if len(m.matched) == 0 {
		return false, true, nil
	}
	for {
		if err := n.fetchOld(tid); err != nil {
			return false, true, err
		}
		n.ctx.Scan, n.ctx.Outer = n.target.oldSlot.Row, input
		a, err := choose(m.matched, n.ctx)
		if a == nil || err != nil || a.cmd == query.CmdNothing {
			return false, true, err
		}
		res, conflict, skipped, err := m.change(n, a, tid)
		if err != nil || skipped || res == heap.OK {
			return err == nil && !skipped, true, err
		}
		again, err := m.resolve(n, res, conflict, tid)
		if again == nil || err != nil {
			return false, err != nil, err
		}
		tid, input = again.tid, again.row
	}
}

// change updates or deletes the row in oldSlot; skipped: a trigger said no.
func (m *merge) change(n *modifyTable, a *mergeAction, tid types.TID) (res heap.Result, c heap.Conflict, skipped bool, err error) {
	t := n.target
	if a.cmd == query.CmdDelete {
		if res, c, err := m.lockForTriggers(n, triggerDelete, tid); err != nil || res != heap.OK {
			return res, c, false, err
		}
		ok, err := t.triggers.beforeRow(n.s, triggerDelete, t, t.oldSlot.Row, nil)
		if err != nil || !ok {
			return res, c, true, err
		}
		res, c, err = t.Heap.Delete(n.s.Backend.Heap, tid, heap.DeleteOpts{Command: n.s.command(), Wait: true})
		if err == nil && res == heap.OK {
			err = t.triggers.afterRow(n.s, triggerDelete, t, tid, types.TID{})
		}
		return res, c, false, err
	}
	values, err := a.values(n.ctx)
	if err != nil {
		return res, c, false, err
	}
	copy(t.row, t.oldSlot.Row)
	for i, col := range a.cols {
		t.row[col-1] = values[i]
	}
	if res, c, err := m.lockForTriggers(n, triggerUpdate, tid); err != nil || res != heap.OK {
		return res, c, false, err
	}
	ok, err := t.triggers.beforeRow(n.s, triggerUpdate, t, t.oldSlot.Row, t.row)
	if err != nil || !ok {
		return res, c, true, err
	}
	if gone, err := t.leaves(n.ctx); err != nil || gone {
		if err != nil {
			return res, c, false, err
		}
		return m.move(n, tid)
	}
	if err := t.complete(n.ctx); err != nil {
		return res, c, false, err
	}
	u, err := n.s.updateRow(n.ctx, t, tid, false)
	return u.Result, u.Conflict, false, err
}

// lockForTriggers is modifyTable's. A row that the statement's own functions changed is that much of an error here as for an UPDATE.
func (m *merge) lockForTriggers(n *modifyTable, event triggerEvent, tid types.TID) (heap.Result, heap.Conflict, error) {
	res, c, err := n.lockForTriggers(event, tid)
	if err == nil && res == heap.SelfModified && c.Cmax != n.s.run.Snapshot.CurCID {
		_, err = n.conflict(res, c, "updated", "update", tid)
	}
	return res, c, err
}

// move updates a row that goes to another partition.
func (m *merge) move(n *modifyTable, tid types.TID) (res heap.Result, c heap.Conflict, skipped bool, err error) {
	if n.router == nil {
		return res, c, false, n.target.checks.partitionError(n.target.row)
	}
	res, c, done, err := n.moveRow(tid, n.input)
	return res, c, res == heap.OK && !done, err
}

// resolve answers a change that met another one: the row's newest version to try again, nil when it no longer matches.
func (m *merge) resolve(n *modifyTable, res heap.Result, c heap.Conflict, tid types.TID) (*newerRow, error) {
	repeatable := n.s.Backend.Heap.Tx.Isolation.UsesTransactionSnapshot()
	switch res {
	case heap.SelfModified:
		if c.Cmax != n.s.run.Snapshot.CurCID {
			return nil, pgerr.New(pgerr.TriggeredDataChangeViolation,
				"tuple to be updated or deleted was already modified by an operation triggered by the current command").
				WithHint("Consider using an AFTER trigger instead of a BEFORE trigger to propagate changes to other rows.")
		}
		return nil, secondTime()
	case heap.Deleted:
		if repeatable {
			return nil, serializationFailure("delete")
		}
		return nil, nil
	case heap.Updated:
		if repeatable {
			return nil, serializationFailure("update")
		}
		again, err := n.newest(tid, "updated or deleted")
		if again == nil || err != nil || again.row[n.target.rowID].IsNull() {
			return nil, err
		}
		return again, nil
	}
	return nil, pgerr.Internal("unexpected result %v of changing a row in MERGE", res)
}

func secondTime() error {
	return pgerr.New(pgerr.CardinalityViolation, "MERGE command cannot affect row a second time").
		WithHint("Ensure that not more than one source row matches any one target row.")
}

func (m *merge) applyNotMatched(n *modifyTable, input types.Row) (bool, error) {
	t := n.root
	n.ctx.Scan, n.ctx.Outer = nil, input
	a, err := choose(m.notMatched, n.ctx)
	if a == nil || err != nil || a.cmd == query.CmdNothing {
		return false, err
	}
	values, err := a.values(n.ctx)
	if err != nil {
		return false, err
	}
	if n.router != nil {
		return n.insertRouted(values, input)
	}
	copy(t.row, values)
	ok, err := t.triggers.beforeRow(n.s, triggerInsert, t, nil, t.row)
	if err != nil || !ok {
		return false, err
	}
	if err := t.complete(n.ctx); err != nil {
		return false, err
	}
	_, err = n.s.insertRow(n.ctx, t, nil)
	return err == nil, err
}
