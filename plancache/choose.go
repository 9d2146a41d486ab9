package plancache

import (
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

const customFirst = 5 // executions with a custom plan before the generic one is tried

// Get gives a plan to run now with these parameter values (nil = none given: a generic plan). On return the locks that it needs are held and it
// is valid.
func (s *Source) Get(env *Env, params []types.Datum) (*Plans, error) {
	if _, err := s.Analyze(env); err != nil {
		return nil, err
	}
	if s.noPlan() {
		return s.planAll(env, nil)
	}
	if !s.wantCustom(env, params) {
		p, err := s.genericPlan(env)
		if err != nil {
			return nil, err
		}
		// The cost that has just become known may turn the choice.
		if !s.wantCustom(env, params) {
			s.numGeneric++
			return p, nil
		}
	}
	p, err := s.planAll(env, params)
	if err != nil {
		return nil, err
	}
	s.customCost += p.cost(env, true)
	s.numCustom++
	return p, nil
}

// noPlan: nothing that a choice is about.
func (s *Source) noPlan() bool {
	for _, q := range s.analyzed.Queries {
		if q.Command != query.CmdUtility {
			return false
		}
	}
	return true
}

// wantCustom is PostgreSQL's choose_custom_plan.
func (s *Source) wantCustom(env *Env, params []types.Datum) bool {
	if params == nil {
		return false
	}
	switch s.mode(env) {
	case plan.PlanCacheForceGeneric:
		return false
	case plan.PlanCacheForceCustom:
		return true
	}
	if s.numCustom < customFirst {
		return true
	}
	return s.genericCost >= 0 && s.genericCost >= s.customCost/float64(s.numCustom)
}

func (s *Source) mode(env *Env) plan.PlanCacheMode {
	if s.force != plan.PlanCacheAuto {
		return s.force
	}
	return env.mode()
}

func (e *Env) mode() plan.PlanCacheMode {
	if e.Plan.Settings == nil {
		return plan.PlanCacheAuto
	}
	return e.Plan.Settings.PlanCacheMode
}

// genericPlan gives the kept generic plan, its locks taken, or makes one.
func (s *Source) genericPlan(env *Env) (*Plans, error) {
	for s.generic != nil {
		p := s.generic
		if err := p.beyond.lockOnce(env, &p.locked); err != nil {
			return nil, err
		}
		ok, err := s.current(env, p.deps, p.inval)
		if err != nil {
			return nil, err
		}
		if ok && s.generic == p {
			p.inval = env.count()
			return p, nil
		}
		p.beyond.release(env)
		s.generic = nil
		if _, err := s.Analyze(env); err != nil {
			return nil, err
		}
	}
	p, err := s.planAll(env, nil)
	if err != nil {
		return nil, err
	}
	p.Generic = true
	for _, st := range p.Stmts {
		p.beyond = append(p.beyond, lockList(st.Relations).without(s.relations)...)
	}
	s.generic = p
	s.genericCost = p.cost(env, false)
	return p, nil
}

func (s *Source) planAll(env *Env, params []types.Datum) (*Plans, error) {
	p := &Plans{inval: env.count()}
	for _, q := range s.analyzed.Queries {
		st, err := s.planOne(env, q, params)
		if err != nil {
			return nil, err
		}
		p.Stmts = append(p.Stmts, st)
		if err := addPlanDeps(env, st, &p.deps); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (s *Source) planOne(env *Env, q *query.Query, params []types.Datum) (*plan.Planned, error) {
	if q.Command == query.CmdUtility {
		return &plan.Planned{Command: query.CmdUtility, Utility: q.Utility, CanSetTag: q.CanSetTag}, nil
	}
	return plan.Build(env.Plan, q, params, s.options)
}

// cost is the plans' estimated cost; planner adds a charge for having planned, by the number of relations.
func (p *Plans) cost(env *Env, planner bool) float64 {
	total := 0.0
	for _, st := range p.Stmts {
		if st.Command == query.CmdUtility {
			continue
		}
		total += st.Root.Base().TotalCost
		if planner {
			total += 1000 * operatorCost(env) * float64(len(st.RangeTable)+1)
		}
	}
	return total
}

func operatorCost(env *Env) float64 {
	if env.Plan.Settings == nil {
		return plan.DefaultSettings().CPUOperatorCost
	}
	return env.Plan.Settings.CPUOperatorCost
}
