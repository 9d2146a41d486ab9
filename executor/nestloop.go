package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() { register(newNestLoop) }

// nestLoop reads its inner input anew for each outer row, after setting the parameters that the inner input takes from it.
type nestLoop struct {
	joinCore
	s            *State
	outer, inner Node
	params       []expr.Eval
	ids          []int

	row     types.Row // current outer row, nil: read the next
	matched bool
	read    int // inner rows, to poll now and then
}

func newNestLoop(s *State, p *plan.NestLoop) (Node, error) {
	c := s.compiler()
	n := &nestLoop{s: s}
	var err error
	if n.joinCore, err = newJoinCore(s, &p.Join, c); err != nil {
		return nil, err
	}
	if n.outer, err = s.build(p.Left); err != nil {
		return nil, err
	}
	if n.inner, err = s.build(p.Right); err != nil {
		return nil, err
	}
	for _, np := range p.Params {
		eval, err := c.Compile(np.Value)
		if err != nil {
			return nil, err
		}
		n.params, n.ids = append(n.params, eval), append(n.ids, np.ID)
	}
	return n, nil
}

func (n *nestLoop) Next() (types.Row, error) {
	for {
		if n.row == nil {
			more, err := n.nextOuter()
			if err != nil || !more {
				return nil, err
			}
		}
		if n.read++; n.read%pollEvery == 0 {
			if err := n.s.poll(); err != nil {
				return nil, err
			}
		}
		inner, err := n.inner.Next()
		if err != nil {
			return nil, err
		}
		row, err := n.step(inner)
		if row != nil || err != nil {
			return row, err
		}
	}
}

// nextOuter moves to the next outer row and restarts the inner input.
func (n *nestLoop) nextOuter() (bool, error) {
	row, err := n.outer.Next()
	if row == nil || err != nil {
		return false, err
	}
	n.row, n.matched = row, false
	n.ctx.Outer = row
	for i, eval := range n.params {
		d, err := eval(n.ctx)
		if err != nil {
			return false, err
		}
		n.s.setParam(n.ids[i], d)
	}
	return true, n.inner.Rescan()
}

// step handles one inner row, or the end of the inner input; nil means nothing to give.
func (n *nestLoop) step(inner types.Row) (types.Row, error) {
	outer := n.row
	if inner == nil {
		n.row = nil
		if !n.matched && n.fillsOuter() {
			return n.emit(outer, n.nullInner)
		}
		return nil, nil
	}
	n.ctx.Outer, n.ctx.Inner = outer, inner
	ok, err := passes(n.joinQual, n.ctx)
	if err != nil || !ok {
		n.JoinFilter++
		return nil, err
	}
	n.matched = true
	if n.kind == query.JoinAnti {
		n.row = nil
		return nil, nil
	}
	if n.single {
		n.row = nil
	}
	return n.emit(outer, inner)
}

func (n *nestLoop) Rescan() error {
	n.row = nil
	return n.outer.Rescan() // the inner input is restarted for each outer row
}

func (n *nestLoop) Close() {
	n.outer.Close()
	n.inner.Close()
}
