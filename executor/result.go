package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

func init() { register(newResult) }

// result computes its targets once, or for each row of its input. A one-time filter that fails leaves it empty.
type result struct {
	Removed
	ctx     *expr.Context
	child   Node
	once    expr.Qual
	qual    expr.Qual
	project *projection
	checked bool
	done    bool
}

func newResult(s *State, p *plan.Result) (Node, error) {
	c := s.compiler()
	n := &result{ctx: s.context()}
	var err error
	if n.child, err = s.build(p.Left); err != nil {
		return nil, err
	}
	if n.once, err = c.CompileQual(p.ConstQuals); err != nil {
		return nil, err
	}
	if n.qual, err = c.CompileQual(p.Quals); err != nil {
		return nil, err
	}
	n.project, err = newProjection(c, p.Targets)
	return n, err
}

func (n *result) Next() (types.Row, error) {
	if n.done {
		return nil, nil
	}
	if !n.checked {
		n.checked = true
		ok, err := passes(n.once, n.ctx)
		if err != nil || !ok {
			n.done = true
			return nil, err
		}
	}
	for {
		if n.child == nil {
			n.done = true
		} else {
			row, err := n.child.Next()
			if row == nil || err != nil {
				n.done = true
				return nil, err
			}
			n.ctx.Outer = row
		}
		ok, err := passes(n.qual, n.ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			n.Removed.Filter++
		}
		if ok {
			return n.project.apply(n.ctx)
		}
		if n.child == nil {
			return nil, nil
		}
	}
}

func (n *result) Rescan() error {
	n.done, n.checked = false, false
	return rescan(n.child)
}

func (n *result) Close() { closeNode(n.child) }

func rescan(n Node) error {
	if n == nil {
		return nil
	}
	return n.Rescan()
}

func closeNode(n Node) {
	if n != nil {
		n.Close()
	}
}
