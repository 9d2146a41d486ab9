package executor

import (
	"github.com/calfdb/calf/sql/types"
)

// rootCapture keeps the rows that a statement changes in the children of the table that it names, in that table's shape: its statement triggers see
// them in their transition tables.
type rootCapture struct {
	triggers *rowTriggers // of the table that the statement names
	toRoot   []int16      // where its columns are in the child; nil = at the same places
}

// wants says whether some trigger is to see the rows of an event.
func (c *rootCapture) wants(event triggerEvent) bool {
	if c == nil || c.triggers == nil {
		return false
	}
	for _, tg := range c.triggers.list {
		if tg.hasTransition() && tg.Type&int16(event) != 0 {
			return true
		}
	}
	return false
}

// keep adds the rows at two places, each of a table of its own when the row moved between partitions.
func (c *rootCapture) keep(s *State, event triggerEvent, oldTable *Table, oldMap []int16, oldTID types.TID, newTable *Table, newTID types.TID) error {
	tr := s.Backend.After.transition(c.triggers.table, event)
	add := func(store *Tuplestore, t *Table, cols []int16, tid types.TID) error {
		row, err := s.Backend.After.fetch(t, tid)
		if row == nil || err != nil {
			return err
		}
		if cols != nil {
			shaped := make(types.Row, len(cols))
			for i, col := range cols {
				shaped[i] = types.Null
				if col > 0 {
					shaped[i] = row[col-1]
				}
			}
			row = shaped
		}
		return store.Add(row)
	}
	if err := add(tr.Old, oldTable, oldMap, oldTID); err != nil {
		return err
	}
	return add(tr.New, newTable, c.toRoot, newTID)
}
