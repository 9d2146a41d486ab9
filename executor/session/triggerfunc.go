package session

import (
	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/types"
)

// transitionTable is a table of changed rows that a trigger function can read by name.
type transitionTable struct {
	name string
	rel  *catalog.Relation
	rows *executor.Tuplestore
}

// triggerFunc puts around a trigger function what all functions have around them, and its transition tables.
func (s *Session) triggerFunc(p *catalog.Proc, fn executor.TriggerFunc) executor.TriggerFunc {
	return func(c *executor.TriggerCall) (row types.Row, err error) {
		if err := s.enterFunction(); err != nil {
			return nil, err
		}
		s.triggerDepth++
		defer func() {
			s.triggerDepth--
			s.leaveFunction()
		}()
		s.transitionTables = transitionTables(c)
		if !hasOwnContext(p) {
			return fn(c)
		}
		err = s.inContextOf(p, func() error {
			row, err = fn(c)
			return err
		})
		return row, err
	}
}

func transitionTables(c *executor.TriggerCall) []transitionTable {
	if c.Transition == nil {
		return nil
	}
	var list []transitionTable
	if name := c.Trigger.OldTable; name != "" {
		list = append(list, transitionTable{name, c.Table.Rel, c.Transition.Old})
	}
	if name := c.Trigger.NewTable; name != "" {
		list = append(list, transitionTable{name, c.Table.Rel, c.Transition.New})
	}
	return list
}

// namedTable gives the relation behind a transition table.
func (s *Session) namedTable(name string) *catalog.Relation {
	for i := range s.transitionTables {
		if t := &s.transitionTables[i]; t.name == name {
			return t.rel
		}
	}
	return nil
}

// namedStore gives the rows of a transition table.
func (s *Session) namedStore(name string) *executor.Tuplestore {
	for i := range s.transitionTables {
		if t := &s.transitionTables[i]; t.name == name {
			return t.rows
		}
	}
	return nil
}
