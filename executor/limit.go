package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

func init() { register(newLimit) }

// limit passes a window of its input's rows; WITH TIES also those equal to the last one.
type limit struct {
	ctx           *expr.Context
	child         Node
	offset, count expr.Eval
	ties          bool
	sameKeys      *rowEquality

	ready   bool
	skip    int64
	left    int64 // rows still to pass, -1 = no limit
	last    types.Row
	tieing  bool
	bounder interface{ bound(n int64) } // a sort below that may keep only so many rows
}

func newLimit(s *State, p *plan.Limit) (Node, error) {
	n := &limit{ctx: s.context(), ties: p.WithTies}
	var err error
	if n.child, err = s.build(p.Left); err != nil {
		return nil, err
	}
	n.bounder, _ = unwrap(n.child).(interface{ bound(n int64) })
	c := s.compiler()
	if p.Offset != nil {
		if n.offset, err = c.Compile(p.Offset); err != nil {
			return nil, err
		}
	}
	if p.Count != nil {
		if n.count, err = c.Compile(p.Count); err != nil {
			return nil, err
		}
	}
	if p.WithTies {
		n.sameKeys, err = newRowEquality(s, p.TieKeys, p.Left.Base().Targets)
	}
	return n, err
}

// start computes the window: done when the first row is asked for, since the expressions may read parameters.
func (n *limit) start() error {
	n.ready, n.skip, n.left, n.tieing = true, 0, -1, false
	if n.offset != nil {
		d, err := n.offset(n.ctx)
		if err != nil {
			return err
		}
		if !d.IsNull() {
			if n.skip = d.Int8(); n.skip < 0 {
				return pgerr.New(pgerr.InvalidRowCountInResultOffsetClause, "OFFSET must not be negative")
			}
		}
	}
	if n.count != nil {
		d, err := n.count(n.ctx)
		if err != nil {
			return err
		}
		if !d.IsNull() {
			if n.left = d.Int8(); n.left < 0 {
				return pgerr.New(pgerr.InvalidRowCountInLimitClause, "LIMIT must not be negative")
			}
		}
	}
	if n.bounder != nil {
		if n.left >= 0 && !n.ties && n.left+n.skip >= 0 {
			n.bounder.bound(n.left + n.skip)
		} else {
			n.bounder.bound(0)
		}
	}
	return nil
}

func (n *limit) Next() (types.Row, error) {
	if !n.ready {
		if err := n.start(); err != nil {
			return nil, err
		}
	}
	if n.tieing {
		return n.nextTie()
	}
	if n.left == 0 {
		return nil, nil
	}
	for {
		row, err := n.child.Next()
		if row == nil || err != nil {
			n.left = 0
			return nil, err
		}
		if n.skip > 0 {
			n.skip--
			continue
		}
		if n.left > 0 {
			n.left--
			if n.left == 0 && n.ties {
				n.last, n.tieing = copyRow(n.last, row), true
			}
		}
		return row, nil
	}
}

// nextTie passes the rows after the window that equal its last one.
func (n *limit) nextTie() (types.Row, error) {
	row, err := n.child.Next()
	if row == nil || err != nil {
		n.tieing, n.left = false, 0
		return nil, err
	}
	same, err := n.sameKeys.equal(n.ctx, n.last, row)
	if err != nil {
		return nil, err
	}
	if !same {
		n.tieing, n.left = false, 0
		return nil, nil
	}
	return row, nil
}

func (n *limit) Rescan() error {
	n.ready = false
	return rescan(n.child)
}

func (n *limit) Close() { closeNode(n.child) }
