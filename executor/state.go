package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// State is the running form of one planned statement in one session. It may be run many times (Start ... Finish): a prepared statement keeps
// it, so that an execution builds nothing.
type State struct {
	Backend *Backend
	Plan    *plan.Planned
	Params  expr.Params
	Root    Node

	// Instrument, when set before Build, wraps each node (EXPLAIN ANALYZE).
	Instrument func(p plan.Node, n Node) Node

	// Snapshot is room for who takes one for a single execution.
	Snapshot heap.Snapshot

	run        Run
	arena      types.Arena
	subplans   []*subplan // by PlanID - 1; nil until an expression or a CTE scan uses it
	initPlans  map[int]*initPlan
	ctes       map[int]*cteStore
	modifying  []*cteStore // data-modifying CTEs, the last one first
	workTables map[int]*workTable
	started    bool
	rels       []*openRelation // by range table index - 1
	scans      []pinHolder
	rowLocks   *lockRows // of the query itself, not of one inside it; nil = none
	epq        *epqState
	modified   int64
	moving     bool // a row goes to another partition: its deletion and insertion are one update to statement triggers
}

// Build makes the running form of a plan.
func Build(b *Backend, p *plan.Planned, instrument func(plan.Node, Node) Node) (*State, error) {
	s := &State{Backend: b, Plan: p, Instrument: instrument}
	s.Params.Exec = make([]expr.ExecParam, len(p.Params))
	for i := range s.Params.Exec {
		s.Params.Exec[i].Value = types.Null
	}
	s.subplans = make([]*subplan, len(p.Subplans))
	s.initPlans = map[int]*initPlan{}
	s.ctes = map[int]*cteStore{}
	s.workTables = map[int]*workTable{}
	s.rels = make([]*openRelation, len(p.RangeTable))
	if err := s.declareInitPlans(p.Root); err != nil {
		return nil, err
	}
	for _, sub := range p.Subplans {
		if err := s.declareInitPlans(sub); err != nil {
			return nil, err
		}
	}
	var err error
	if s.Root, err = s.build(p.Root); err != nil {
		return nil, err
	}
	return s, s.buildModifyingCTEs()
}

// compiler makes the expression compiler of a node; scanDesc is the row type that whole-row variables of the scan read, or nil.
func (s *State) compiler() *expr.Compiler {
	c := &expr.Compiler{Catalog: s.Backend.Catalog, Env: s.Backend.Env, Session: s.Backend}
	c.Hooks = expr.Hooks{
		SubPlan:      func(e *query.SubPlan) (expr.Eval, error) { return s.compileSubPlan(c, e) },
		WholeRow:     s.wholeRowDesc,
		CurrentOf:    s.compileCurrentOf,
		Function:     s.Backend.FunctionInLanguage,
		CheckExecute: s.Backend.CheckExecute,
	}
	return c
}

// context makes the evaluation context of a node.
func (s *State) context() *expr.Context {
	return &expr.Context{Params: &s.Params, Env: s.Backend.Env, Arena: &s.arena, Session: s.Backend}
}

// gen sums the generations of all that a node's rows depend on, the parameters in set: it grows when one of them changes. In a recheck they depend on
// the rows that stand for relations too.
func (s *State) gen(set plan.ParamSet) uint64 {
	g := s.paramGen(set)
	if s.epq != nil {
		g += s.epq.runs
	}
	return g
}

// paramGen is gen of a sub-select, in which no row stands for a relation.
func (s *State) paramGen(set plan.ParamSet) uint64 {
	var g uint64
	for id := range set {
		g += s.Params.Exec[id].Gen
	}
	return g + s.run.number<<32
}

// setParam gives an executor parameter a value.
func (s *State) setParam(id int, v types.Datum) {
	p := &s.Params.Exec[id]
	p.Value = v
	p.Gen++
	p.Run = nil
}

// command is the command that the statement's changes belong to: the one that its snapshot does not see, whatever its functions and triggers did since.
func (s *State) command() heap.Command {
	if s.run.Snapshot == nil { // a bulk insertion, which is no statement of its own
		return heap.Command{}
	}
	return heap.CommandOf(s.run.Snapshot.CurCID)
}

// poll ends the statement when it was cancelled.
func (s *State) poll() error { return s.Backend.Interrupted() }
