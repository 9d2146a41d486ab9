package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	register(newUnique)
	register(newGroup)
}

// unique passes the first of adjacent equal rows.
type unique struct {
	ctx   *expr.Context
	child Node
	same  *rowEquality
	last  types.Row
	some  bool
}

func newUnique(s *State, p *plan.Unique) (Node, error) {
	n := &unique{ctx: s.context()}
	var err error
	if n.child, err = s.build(p.Left); err != nil {
		return nil, err
	}
	n.same, err = newRowEquality(s, p.Keys, p.Left.Base().Targets)
	return n, err
}

func (n *unique) Next() (types.Row, error) {
	for {
		row, err := n.child.Next()
		if row == nil || err != nil {
			return nil, err
		}
		if n.some {
			same, err := n.same.equal(n.ctx, n.last, row)
			if err != nil {
				return nil, err
			}
			if same {
				continue
			}
		}
		n.last, n.some = copyRow(n.last, row), true
		return row, nil
	}
}

func (n *unique) Rescan() error {
	n.some = false
	return rescan(n.child)
}

func (n *unique) Close() { closeNode(n.child) }

// group gives one projected row for each run of equal rows; its quals are HAVING.
type group struct {
	Removed
	ctx     *expr.Context
	child   Node
	same    *rowEquality
	qual    expr.Qual
	project *projection
	first   types.Row
	some    bool
	done    bool
}

func newGroup(s *State, p *plan.Group) (Node, error) {
	n := &group{ctx: s.context()}
	c := s.compiler()
	var err error
	if n.child, err = s.build(p.Left); err != nil {
		return nil, err
	}
	if n.same, err = newRowEquality(s, p.Keys, p.Left.Base().Targets); err != nil {
		return nil, err
	}
	if n.qual, err = c.CompileQual(p.Quals); err != nil {
		return nil, err
	}
	n.project, err = newProjection(c, p.Targets)
	return n, err
}

func (n *group) Next() (types.Row, error) {
	for !n.done {
		row, err := n.child.Next()
		if err != nil {
			return nil, err
		}
		if row == nil {
			n.done = true
			return nil, nil
		}
		if n.some {
			same, err := n.same.equal(n.ctx, n.first, row)
			if err != nil {
				return nil, err
			}
			if same {
				continue
			}
		}
		n.first, n.some = copyRow(n.first, row), true
		n.ctx.Outer = n.first
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
	}
	return nil, nil
}

func (n *group) Rescan() error {
	n.some, n.done = false, false
	return rescan(n.child)
}

func (n *group) Close() { closeNode(n.child) }
