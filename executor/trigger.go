package executor

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// Bits of pg_trigger.tgtype.
const (
	TriggerRow      = 1 << 0
	TriggerBefore   = 1 << 1
	TriggerInsert   = 1 << 2
	TriggerDelete   = 1 << 3
	TriggerUpdate   = 1 << 4
	TriggerTruncate = 1 << 5
	TriggerInstead  = 1 << 6
)

type triggerEvent int16

const (
	triggerInsert triggerEvent = TriggerInsert
	triggerDelete triggerEvent = TriggerDelete
	triggerUpdate triggerEvent = TriggerUpdate

	triggerTruncate triggerEvent = TriggerTruncate
)

// TriggerCall is what a trigger's function is told.
type TriggerCall struct {
	Backend  *Backend
	Trigger  *catalog.Trigger
	Table    *Table
	Event    int16 // one of TriggerInsert, TriggerDelete, TriggerUpdate, TriggerTruncate
	Before   bool
	ForRow   bool
	Old, New types.Row // of row triggers; nil where there is none
	OldTID   types.TID
	NewTID   types.TID
	Snapshot *heap.Snapshot
	// Transition are the rows that the statement changed, of a trigger that asked for them; nil = it did not.
	Transition *Transition
}

// TriggerFunc runs a trigger. A BEFORE ROW trigger gives the row to use, nil to skip the change; others give nil.
type TriggerFunc func(c *TriggerCall) (types.Row, error)

var triggerFuncs = map[string]TriggerFunc{}

// RegisterTrigger names the native implementation of a trigger function by its pg_proc source name (RI_FKey_check_ins ...). For init.
func RegisterTrigger(prosrc string, f TriggerFunc) { triggerFuncs[prosrc] = f }

// rowTriggers are the triggers of one table in one statement.
type rowTriggers struct {
	table *Table
	list  []*trigger
	kinds int16 // all tgtype bits of row triggers, to see at a glance that there is nothing to do
}

type trigger struct {
	*catalog.Trigger
	fn   TriggerFunc
	when *triggerWhen // nil: it always fires
}

func (s *State) newRowTriggers(t *Table) (*rowTriggers, error) {
	r := &rowTriggers{table: t}
	for _, tg := range t.Rel.Triggers {
		if tg.Enabled == 'D' || tg.Enabled == 'R' {
			continue
		}
		if tg.ConstrIndex != 0 && tg.ConstrRel == 0 {
			continue // a deferrable unique constraint's: the index writer queues its rechecks itself
		}
		fn, err := s.Backend.triggerFunc(tg)
		if err != nil {
			return nil, err
		}
		x := &trigger{Trigger: tg, fn: fn}
		if x.when, err = s.newTriggerWhen(t.Rel, tg.When); err != nil {
			return nil, err
		}
		r.list = append(r.list, x)
		r.kinds |= tg.Type
	}
	return r, nil
}

// triggerFunc finds a trigger's implementation.
func (b *Backend) triggerFunc(tg *catalog.Trigger) (TriggerFunc, error) {
	p, err := b.Catalog.Proc(tg.Func)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, pgerr.Internal("cache lookup failed for function %d", tg.Func)
	}
	if p.Lang == catalog.InternalLanguage {
		if f := triggerFuncs[p.Src]; f != nil {
			return f, nil
		}
	} else if b.TriggerInLanguage != nil {
		return b.TriggerInLanguage(p, tg)
	}
	return nil, pgerr.NotSupported("trigger function %s", p.Name)
}

// matches says whether a trigger fires at this level, time and event.
func (t *trigger) matches(level, timing int16, event triggerEvent) bool {
	return t.Type&(TriggerRow|TriggerBefore|TriggerInstead) == level|timing && t.Type&int16(event) != 0
}

func (r *rowTriggers) has(level, timing int16, event triggerEvent) bool {
	if r.kinds&int16(event) == 0 {
		return false
	}
	for _, t := range r.list {
		if t.matches(level, timing, event) {
			return true
		}
	}
	return false
}

func (r *rowTriggers) hasBefore(event triggerEvent) bool {
	return r.has(TriggerRow, TriggerBefore, event)
}

// needOld: a deleted row must be read for AFTER triggers only when they fire, from its TID; nothing is needed here.
func (r *rowTriggers) needOld() bool { return false }

// beforeRow fires BEFORE ROW triggers in name order; each sees the row that the one before gave, and the last one is written into newRow. ok is
// false when one skipped the change.
func (r *rowTriggers) beforeRow(s *State, event triggerEvent, t *resultRelation, oldRow, newRow types.Row) (ok bool, err error) {
	if !r.hasBefore(event) {
		return true, nil
	}
	for _, tg := range r.list {
		if !tg.matches(TriggerRow, TriggerBefore, event) || !tg.firesFor(t, event) {
			continue
		}
		if fires, err := tg.when.holds(oldRow, newRow); err != nil {
			return false, err
		} else if !fires {
			continue
		}
		row, err := tg.fn(&TriggerCall{Backend: s.Backend, Trigger: tg.Trigger, Table: r.table, Event: int16(event), Before: true, ForRow: true,
			Old: oldRow, New: newRow, Snapshot: s.run.Snapshot})
		if err != nil || row == nil {
			return false, err
		}
		if newRow != nil {
			copy(newRow, row)
		}
	}
	return true, nil
}

// insteadOfRow fires the INSTEAD OF triggers of a view in name order, each with the row that the one before gave; the last one's is written into newRow. ok
// is false when one did nothing.
func (r *rowTriggers) insteadOfRow(s *State, event triggerEvent, oldRow, newRow types.Row) (ok bool, err error) {
	for _, tg := range r.list {
		if !tg.matches(TriggerRow, TriggerInstead, event) {
			continue
		}
		row, err := tg.fn(&TriggerCall{Backend: s.Backend, Trigger: tg.Trigger, Table: r.table, Event: int16(event), ForRow: true,
			Old: oldRow, New: newRow, Snapshot: s.run.Snapshot})
		if err != nil || row == nil {
			return false, err
		}
		if newRow != nil {
			copy(newRow, row)
		}
	}
	return true, nil
}

// firesFor applies UPDATE OF.
func (t *trigger) firesFor(r *resultRelation, event triggerEvent) bool {
	if event != triggerUpdate || len(t.Attrs) == 0 {
		return true
	}
	for _, a := range t.Attrs {
		if r.changed.Has(a) {
			return true
		}
	}
	return false
}

// afterRow queues AFTER ROW triggers: they fire at the end of the statement, or of the transaction when deferred. What triggers with transition
// tables are to see is kept.
func (r *rowTriggers) afterRow(s *State, event triggerEvent, t *resultRelation, oldTID, newTID types.TID) error {
	if !s.moving && t.capture.wants(event) {
		if err := t.capture.keep(s, event, r.table, t.toRoot, oldTID, r.table, newTID); err != nil {
			return err
		}
	}
	if r.kinds&int16(event) == 0 {
		return nil
	}
	after := s.Backend.After
	for _, tg := range r.list {
		if tg.Type&int16(event) == 0 || tg.Type&(TriggerBefore|TriggerInstead) != 0 {
			continue
		}
		if tg.hasTransition() {
			if err := after.keep(r.table, event, tg, oldTID, newTID); err != nil {
				return err
			}
		}
		if !tg.matches(TriggerRow, 0, event) || !tg.firesFor(t, event) {
			continue
		}
		if tg.when != nil {
			fires, err := after.holds(tg, r.table, oldTID, newTID)
			if err != nil {
				return err
			}
			if !fires {
				continue
			}
		}
		after.add(afterEvent{trigger: tg, table: r.table, event: int16(event), oldTID: oldTID, newTID: newTID, forRow: true})
	}
	return nil
}

func eventOf(cmd query.CommandType) triggerEvent {
	switch cmd {
	case query.CmdInsert:
		return triggerInsert
	case query.CmdUpdate:
		return triggerUpdate
	}
	return triggerDelete
}

func (r *rowTriggers) beforeStatement(s *State, cmd query.CommandType, t *resultRelation) error {
	return r.fireBeforeStatement(s, eventOf(cmd), t)
}

func (r *rowTriggers) fireBeforeStatement(s *State, event triggerEvent, t *resultRelation) error {
	for _, tg := range r.list {
		if !tg.matches(0, TriggerBefore, event) || !tg.firesFor(t, event) {
			continue
		}
		if fires, err := tg.when.holds(nil, nil); err != nil {
			return err
		} else if !fires {
			continue
		}
		if _, err := tg.fn(&TriggerCall{Backend: s.Backend, Trigger: tg.Trigger, Table: r.table, Event: int16(event), Before: true, Snapshot: s.run.Snapshot}); err != nil {
			return err
		}
	}
	return nil
}

func (r *rowTriggers) afterStatement(s *State, cmd query.CommandType, t *resultRelation) error {
	return r.queueAfterStatement(s, eventOf(cmd), t)
}

func (r *rowTriggers) queueAfterStatement(s *State, event triggerEvent, t *resultRelation) error {
	for _, tg := range r.list {
		if !tg.matches(0, 0, event) || !tg.firesFor(t, event) {
			continue
		}
		if fires, err := tg.when.holds(nil, nil); err != nil {
			return err
		} else if !fires {
			continue
		}
		s.Backend.After.add(afterEvent{trigger: tg, table: r.table, event: int16(event)})
	}
	return nil
}

// TruncateTriggers are the triggers of TRUNCATE on one table.
type TruncateTriggers struct {
	s *State
	r *rowTriggers
}

// NewTruncateTriggers gives nil for a table without triggers of TRUNCATE.
func NewTruncateTriggers(b *Backend, t *Table) (*TruncateTriggers, error) {
	s := &State{Backend: b}
	r, err := s.newRowTriggers(t)
	if err != nil || r.kinds&TriggerTruncate == 0 {
		return nil, err
	}
	return &TruncateTriggers{s, r}, nil
}

// Before fires the triggers that go before the command.
func (t *TruncateTriggers) Before() error { return t.r.fireBeforeStatement(t.s, triggerTruncate, nil) }

// After queues those that come after it.
func (t *TruncateTriggers) After() error { return t.r.queueAfterStatement(t.s, triggerTruncate, nil) }
