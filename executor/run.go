package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// Run is one execution of a State.
type Run struct {
	Snapshot *heap.Snapshot // what scans see
	number   uint64         // of the execution: results kept from an earlier one are not used
}

// Start begins an execution: with new parameters and a snapshot, at the first row.
func (s *State) Start(params []types.Datum, snap *heap.Snapshot) error {
	s.run.Snapshot = snap
	s.run.number++
	s.Params.Extern = params
	s.modified = 0
	for _, p := range s.Plan.Subplans {
		for _, e := range p.Base().InitPlans {
			s.resetInitPlan(e)
		}
	}
	if s.started {
		return s.Root.Rescan()
	}
	s.started = true
	return nil
}

func (s *State) resetInitPlan(e *query.SubPlan) {
	if ip := s.initPlans[e.PlanID]; ip != nil {
		ip.reset(s, e)
	}
}

// Next gives the next row of the result, nil at the end. Junk columns come after the visible ones.
func (s *State) Next() (types.Row, error) {
	if err := s.poll(); err != nil {
		return nil, err
	}
	return s.Root.Next()
}

// Modified counts the rows that INSERT, UPDATE, DELETE or MERGE changed.
func (s *State) Modified() int64 { return s.modified }

// Close ends an execution. The State may be started again.
func (s *State) Close() {
	s.Root.Close()
	for _, c := range s.modifying {
		c.close()
	}
	for _, n := range s.scans {
		n.release()
	}
	s.Params.Extern = nil
	s.run.Snapshot = nil
}

// Suspend lets go of every pin: the portal waits for its next Execute, or the statement for a lock.
func (s *State) Suspend() {
	for _, n := range s.scans {
		n.release()
	}
}

// EvalContext gives a context for expressions outside of any node (EXECUTE's parameters, utility commands).
func EvalContext(b *Backend) *expr.Context {
	return &expr.Context{Params: &expr.Params{}, Env: b.Env, Arena: &types.Arena{}, Session: b}
}
