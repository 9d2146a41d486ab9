package executor

import (
	"maps"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// AfterTriggers is a session's queue of AFTER triggers. A statement that may write is bracketed by Begin and End; what is not deferred fires at
// its End, the rest at the transaction's.
type AfterTriggers struct {
	b        *Backend
	levels   [][]afterEvent // of the statements being run, the innermost last
	deferred []afterEvent
	// deferrals is what SET CONSTRAINTS said, by constraint OID (0 = ALL): true = deferred.
	deferrals map[types.OID]bool
}

type afterEvent struct {
	trigger        *trigger
	table          *Table
	event          int16
	forRow         bool
	oldTID, newTID types.TID
}

// NewAfterTriggers makes the queue of a session.
func NewAfterTriggers(b *Backend) *AfterTriggers { return &AfterTriggers{b: b} }

// Begin opens the queue of a statement.
func (a *AfterTriggers) Begin() { a.levels = append(a.levels, nil) }

func (a *AfterTriggers) add(e afterEvent) {
	if a.isDeferred(e.trigger) {
		a.deferred = append(a.deferred, e)
		return
	}
	if len(a.levels) == 0 {
		panic("executor: AFTER trigger queued outside a statement")
	}
	top := &a.levels[len(a.levels)-1]
	*top = append(*top, e)
}

// addUniqueRecheck queues the second look at a row that may have a duplicate in the index of a deferrable constraint.
func (a *AfterTriggers) addUniqueRecheck(t *Table, ix *catalog.Index, tid types.TID) {
	a.add(afterEvent{trigger: &trigger{Trigger: &catalog.Trigger{Name: ix.Name, Constraint: ix.Constraint, ConstrIndex: ix.OID,
		Deferrable: true, InitDeferred: ix.Deferred}, fn: recheckUnique}, table: t, event: TriggerInsert, forRow: true, newTID: tid})
}

// recheckUnique looks whether the row of a deferrable unique constraint still has a duplicate.
func recheckUnique(c *TriggerCall) (types.Row, error) {
	ti, err := c.Table.index(c.Trigger.ConstrIndex)
	if err != nil {
		return nil, err
	}
	st := &State{Backend: c.Backend, run: Run{Snapshot: c.Snapshot}}
	w, err := st.newIndexWriter(&Table{Rel: c.Table.Rel, Heap: c.Table.Heap, Indexes: []TableIndex{*ti}})
	if err != nil {
		return nil, err
	}
	live, err := w.probe.IsLive(c.NewTID)
	if err != nil || !live {
		return nil, err
	}
	x := &w.indexes[0]
	ctx := st.context()
	if ok, err := x.form(ctx, c.New); err != nil || !ok {
		return nil, err
	}
	if x.excl != nil {
		_, err := w.checkExclusion(x, c.NewTID, false)
		return nil, err
	}
	x.args.TID, x.args.Check = c.NewTID, index.CheckExisting
	if _, err := x.Index.Insert(&x.args); err != nil {
		return nil, w.wordError(x, err)
	}
	return nil, nil
}

// isDeferred says whether a constraint trigger waits for the end of the transaction.
func (a *AfterTriggers) isDeferred(t *trigger) bool {
	if !t.Deferrable {
		return false
	}
	if d, ok := a.deferrals[t.Constraint]; ok {
		return d
	}
	if d, ok := a.deferrals[0]; ok {
		return d
	}
	return t.InitDeferred
}

// End fires the statement's triggers and closes its queue. What a trigger's own statements queue fires at their own End.
func (a *AfterTriggers) End() error {
	i := len(a.levels) - 1
	for len(a.levels[i]) > 0 {
		events := a.levels[i]
		a.levels[i] = nil
		if err := a.fire(events); err != nil {
			return err
		}
	}
	a.levels = a.levels[:i]
	return nil
}

// Drop closes the queue of a statement that failed.
func (a *AfterTriggers) Drop() {
	if len(a.levels) > 0 {
		a.levels = a.levels[:len(a.levels)-1]
	}
}

// FireDeferred runs what waits for the end of the transaction.
func (a *AfterTriggers) FireDeferred() error {
	for len(a.deferred) > 0 {
		events := a.deferred
		a.deferred = nil
		if err := a.fire(events); err != nil {
			return err
		}
	}
	return nil
}

// SetConstraints does SET CONSTRAINTS: constraint 0 is ALL. What becomes immediate fires now.
func (a *AfterTriggers) SetConstraints(constraints []types.OID, deferred bool) error {
	if a.deferrals == nil || len(constraints) == 1 && constraints[0] == 0 {
		a.deferrals = map[types.OID]bool{}
	}
	for _, c := range constraints {
		a.deferrals[c] = deferred
	}
	if deferred {
		return nil
	}
	var now, later []afterEvent
	for _, e := range a.deferred {
		if a.isDeferred(e.trigger) {
			later = append(later, e)
		} else {
			now = append(now, e)
		}
	}
	a.deferred = later
	return a.fire(now)
}

// AfterMark is a place in the queue: a savepoint's.
type AfterMark struct {
	levels, deferred int
	deferrals        map[types.OID]bool
}

// Mark and Rewind serve savepoints: rolling back to one forgets what was deferred and what SET CONSTRAINTS said since, and the statements that were
// begun since.
func (a *AfterTriggers) Mark() AfterMark {
	return AfterMark{len(a.levels), len(a.deferred), maps.Clone(a.deferrals)}
}

// Rewind goes back to a mark.
func (a *AfterTriggers) Rewind(m AfterMark) {
	if m.deferred < len(a.deferred) {
		a.deferred = a.deferred[:m.deferred]
	}
	if m.levels < len(a.levels) {
		a.levels = a.levels[:m.levels]
	}
	a.deferrals = maps.Clone(m.deferrals)
}

// Reset forgets everything: the transaction ended.
func (a *AfterTriggers) Reset() { a.levels, a.deferred, a.deferrals = a.levels[:0], nil, nil }

// Pending says whether deferred triggers wait.
func (a *AfterTriggers) Pending() bool { return len(a.deferred) > 0 }

// PendingFor says whether triggers of a table wait: commands that replace its storage must not run then.
func (a *AfterTriggers) PendingFor(table types.OID) bool {
	for _, list := range append([][]afterEvent{a.deferred}, a.levels...) {
		for i := range list {
			if list[i].table.Rel.OID == table {
				return true
			}
		}
	}
	return false
}

// fire calls the events' triggers in order. The rows are read again by their places, whoever sees them.
func (a *AfterTriggers) fire(events []afterEvent) error {
	if len(events) == 0 {
		return nil
	}
	tx := a.b.Heap.Tx
	if err := a.b.Catalog.NextCommand(); err != nil {
		return err
	}
	var snap heap.Snapshot
	tx.TakeSnapshot(&snap.Snapshot)
	defer tx.ReleaseSnapshot(&snap.Snapshot)
	for i := range events {
		e := &events[i]
		if err := a.b.Interrupted(); err != nil {
			return err
		}
		call := TriggerCall{Backend: a.b, Trigger: e.trigger.Trigger, Table: e.table, Event: e.event, ForRow: e.forRow,
			OldTID: e.oldTID, NewTID: e.newTID, Snapshot: &snap}
		var err error
		if call.Old, err = a.fetch(e.table, e.oldTID); err != nil {
			return err
		}
		if call.New, err = a.fetch(e.table, e.newTID); err != nil {
			return err
		}
		if _, err := e.trigger.fn(&call); err != nil {
			return err
		}
	}
	return nil
}

func (a *AfterTriggers) fetch(t *Table, tid types.TID) (types.Row, error) {
	if !tid.IsValid() {
		return nil, nil
	}
	var slot heap.Slot
	slot.Init(t.Heap)
	any := heap.AnySnapshot()
	found, err := t.Heap.FetchVersion(a.b.Heap, tid, &any, &slot)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, pgerr.Internal("failed to fetch tuple for AFTER trigger")
	}
	slot.Materialize()
	if err := slot.DeformAll(); err != nil {
		return nil, err
	}
	return slot.Row, nil
}
