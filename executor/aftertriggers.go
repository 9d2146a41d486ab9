package executor

import (
	"maps"
	"slices"

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
	levels   []*afterLevel // of the statements being run, the innermost last
	spare    []*afterLevel // reused by level
	deferred []afterEvent
	// deferrals is what SET CONSTRAINTS said, by constraint OID (0 = ALL): true = deferred.
	deferrals map[types.OID]bool
}

// afterLevel is what one statement has queued, and the rows that its triggers are to see.
type afterLevel struct {
	events      []afterEvent
	transitions map[transitionKey]*Transition

	// The change that was kept last.
	keptOld, keptNew types.TID
	keptEvent        triggerEvent
	keptTable        types.OID
}

// close frees the transition tables.
func (l *afterLevel) close() {
	for _, t := range l.transitions {
		t.Old.Close()
		t.New.Close()
	}
	l.transitions = nil
}

type afterEvent struct {
	trigger        *trigger
	table          *Table
	event          int16
	forRow         bool
	oldTID, newTID types.TID
	transition     *Transition
}

// NewAfterTriggers makes the queue of a session.
func NewAfterTriggers(b *Backend) *AfterTriggers { return &AfterTriggers{b: b} }

// Begin opens the queue of a statement.
func (a *AfterTriggers) Begin() {
	if n := len(a.levels); n < len(a.spare) {
		a.levels = append(a.levels, a.spare[n])
		return
	}
	l := &afterLevel{}
	a.levels = append(a.levels, l)
	a.spare = append(a.spare, l)
}

func (a *AfterTriggers) add(e afterEvent) {
	if a.isDeferred(e.trigger) {
		a.deferred = append(a.deferred, e)
		return
	}
	if len(a.levels) == 0 {
		panic("executor: AFTER trigger queued outside a statement")
	}
	top := a.levels[len(a.levels)-1]
	if e.trigger.hasTransition() {
		e.transition = a.transition(e.table, triggerEvent(e.event))
	}
	top.events = append(top.events, e)
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
	l := a.levels[len(a.levels)-1]
	for len(l.events) > 0 {
		events := l.events
		l.events = nil
		if err := a.fire(events); err != nil {
			return err
		}
	}
	a.Drop()
	return nil
}

// Drop closes the queue of a statement.
func (a *AfterTriggers) Drop() {
	if n := len(a.levels); n > 0 {
		a.dropTo(n - 1)
	}
}

func (a *AfterTriggers) dropTo(n int) {
	for i := n; i < len(a.levels); i++ {
		a.levels[i].close()
		a.levels[i].events = nil
		a.levels[i].keptOld, a.levels[i].keptNew = types.TID{}, types.TID{}
	}
	a.levels = a.levels[:n]
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
		a.dropTo(m.levels)
	}
	a.deferrals = maps.Clone(m.deferrals)
}

// Reset forgets everything: the transaction ended.
func (a *AfterTriggers) Reset() {
	a.dropTo(0)
	a.deferred, a.deferrals = nil, nil
}

// Pending says whether deferred triggers wait.
func (a *AfterTriggers) Pending() bool { return len(a.deferred) > 0 }

// PendingFor says whether triggers of a table wait: commands that replace its storage must not run then.
func (a *AfterTriggers) PendingFor(table types.OID) bool {
	waits := func(list []afterEvent) bool {
		return slices.ContainsFunc(list, func(e afterEvent) bool { return e.table.Rel.OID == table })
	}
	return waits(a.deferred) || slices.ContainsFunc(a.levels, func(l *afterLevel) bool { return waits(l.events) })
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
			OldTID: e.oldTID, NewTID: e.newTID, Snapshot: &snap, Transition: e.transition}
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
