package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/partition"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// pruner finds the children of an Append that can give rows, by values that are known only when the plan runs: parameters of the statement, of nested
// loops and of sub-selects, stable functions.
type pruner struct {
	s     *State
	info  *plan.PruneInfo
	ctx   *expr.Context
	evals []expr.Eval
	inner []bool // the value changes while the plan runs: it depends on an exec param
	descs []*partition.Desc
}

func newPruner(s *State, info *plan.PruneInfo) (*pruner, error) {
	p := &pruner{s: s, info: info, ctx: s.context()}
	c := s.compiler()
	for _, e := range info.Exprs {
		eval, err := c.Compile(e)
		if err != nil {
			return nil, err
		}
		inner := false
		query.Walk(e, func(x query.Expr) bool {
			if v, ok := x.(*query.Param); ok && v.Kind == query.ParamExec {
				inner = true
			}
			return true
		})
		p.evals, p.inner = append(p.evals, eval), append(p.inner, inner)
	}
	for _, r := range info.Rels {
		rel, err := s.Backend.Catalog.Relation(r.Rel)
		if err != nil {
			return nil, err
		}
		d, err := partition.Of(s.Backend.Catalog, s.Backend.Env, rel)
		if err != nil {
			return nil, err
		}
		p.descs = append(p.descs, d)
	}
	return p, nil
}

// live says which of n children to read. initial: values that change while the plan runs are not looked at.
func (p *pruner) live(n int, initial bool) ([]bool, error) {
	out := make([]bool, n)
	prunable := make([]bool, n)
	for _, r := range p.info.Rels {
		for _, c := range r.Child {
			if c >= 0 {
				prunable[c] = true
			}
		}
	}
	for i := range out {
		out[i] = !prunable[i]
	}
	return out, p.mark(0, out, initial)
}

func (p *pruner) mark(at int, out []bool, initial bool) error {
	r := &p.info.Rels[at]
	var set partition.Set
	if r.Cond != nil {
		var err error
		set, err = p.descs[at].Matching(r.Cond, func(n int) (types.Datum, bool, error) {
			if initial && p.inner[n] {
				return types.Null, false, nil
			}
			d, err := p.evals[n](p.ctx)
			return d, err == nil, err
		})
		if err != nil {
			return err
		}
	}
	for i := range r.Child {
		if set != nil && !set[i] {
			continue
		}
		if c := r.Child[i]; c >= 0 {
			out[c] = true
		}
		if sub := r.Sub[i]; sub >= 0 {
			if err := p.mark(sub, out, initial); err != nil {
				return err
			}
		}
	}
	return nil
}

// LiveChildren says which of n children of an Append are left at the start of an execution with these parameters, for EXPLAIN.
func LiveChildren(b *Backend, pl *plan.Planned, params []types.Datum, info *plan.PruneInfo, n int) ([]bool, error) {
	s := &State{Backend: b, Plan: pl, rels: make([]*openRelation, len(pl.RangeTable))}
	s.Params.Exec = make([]expr.ExecParam, len(pl.Params))
	s.Params.Extern = params
	p, err := newPruner(s, info)
	if err != nil {
		return nil, err
	}
	return p.live(n, true)
}
