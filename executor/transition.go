package executor

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

// Transition is what one statement did to a table: the rows before and after, for triggers that name them.
type Transition struct {
	Old, New *Tuplestore
}

// transitionKey: all triggers of a table share the rows of an event.
type transitionKey struct {
	table types.OID
	event triggerEvent
}

func (t *trigger) hasTransition() bool { return t.OldTable != "" || t.NewTable != "" }

// transition gives the statement's rows of an event, kept by afterRow.
func (a *AfterTriggers) transition(t *Table, event triggerEvent) *Transition {
	top := a.levels[len(a.levels)-1]
	key := transitionKey{t.Rel.OID, event}
	tr := top.transitions[key]
	if tr == nil {
		cols := len(t.Rel.Desc.Attrs)
		tr = &Transition{Old: NewTuplestore(cols, a.b.WorkMem(), a.b.Temp), New: NewTuplestore(cols, a.b.WorkMem(), a.b.Temp)}
		if top.transitions == nil {
			top.transitions = map[transitionKey]*Transition{}
		}
		top.transitions[key] = tr
	}
	return tr
}

// keep adds the rows of a change to the transition tables, once for all triggers.
func (a *AfterTriggers) keep(t *Table, event triggerEvent, tg *trigger, oldTID, newTID types.TID) error {
	tr := a.transition(t, event)
	top := a.levels[len(a.levels)-1]
	if top.keptOld == oldTID && top.keptNew == newTID && top.keptEvent == event && top.keptTable == t.Rel.OID {
		return nil
	}
	top.keptOld, top.keptNew, top.keptEvent, top.keptTable = oldTID, newTID, event, t.Rel.OID
	add := func(store *Tuplestore, tid types.TID) error {
		row, err := a.fetch(t, tid)
		if row == nil || err != nil {
			return err
		}
		return store.Add(row)
	}
	if err := add(tr.Old, oldTID); err != nil {
		return err
	}
	return add(tr.New, newTID)
}

// holds looks at the condition of an AFTER ROW trigger.
func (a *AfterTriggers) holds(tg *trigger, t *Table, oldTID, newTID types.TID) (bool, error) {
	oldRow, err := a.fetch(t, oldTID)
	if err != nil {
		return false, err
	}
	newRow, err := a.fetch(t, newTID)
	if err != nil {
		return false, err
	}
	return tg.when.holds(oldRow, newRow)
}

func init() { register(newNamedTuplestoreScan) }

// namedTuplestoreScan reads a transition table.
type namedTuplestoreScan struct {
	scanCore
	s      *State
	name   string
	reader *Reader
}

func newNamedTuplestoreScan(s *State, p *plan.NamedTuplestoreScan) (Node, error) {
	n := &namedTuplestoreScan{s: s, name: p.Name}
	rte := s.Plan.RangeTable[p.RTIndex-1]
	var err error
	n.scanCore, err = newScanCore(s, &p.Plan, len(rte.ColTypes))
	n.copied = p.RTIndex
	return n, err
}

func (n *namedTuplestoreScan) Next() (types.Row, error) { return n.scanLoop(n.s, n.next) }

func (n *namedTuplestoreScan) next() (types.Row, error) {
	if n.reader == nil {
		var store *Tuplestore
		if n.s.Backend.NamedStore != nil {
			store = n.s.Backend.NamedStore(n.name)
		}
		if store == nil {
			return nil, pgerr.Internal("executor could not find named tuplestore \"%s\"", n.name)
		}
		n.reader = store.NewReader()
	}
	return n.reader.Next()
}

func (n *namedTuplestoreScan) Rescan() error {
	n.reader = nil
	return nil
}

func (n *namedTuplestoreScan) Close() { n.reader = nil }
