package executor

import "github.com/calfdb/calf/sql/plan"

// buildModifyingCTEs builds the data-modifying CTEs that no scan of the plan reads, too: they take effect whether or not they are read.
func (s *State) buildModifyingCTEs() error {
	for i := len(s.Plan.Subplans) - 1; i >= 0; i-- {
		if _, ok := s.Plan.Subplans[i].(*plan.ModifyTable); !ok {
			continue
		}
		c, err := s.cteStoreOf(i + 1)
		if err != nil {
			return err
		}
		s.modifying = append(s.modifying, c)
	}
	return nil
}

// FinishModifying runs data-modifying CTEs to their end. Later ones come first, as they may read rows that earlier ones return.
func (s *State) FinishModifying() error {
	for _, c := range s.modifying {
		if err := c.finish(); err != nil {
			return err
		}
	}
	return nil
}
