package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	register(newValuesScan)
	register(newSubqueryScan)
}

// valuesScan gives the rows of VALUES lists. Each row's expressions are compiled when they are reached: most lists are read once.
type valuesScan struct {
	scanCore
	s    *State
	plan *plan.ValuesScan
	c    *expr.Compiler
	pos  int
	row  types.Row
}

func newValuesScan(s *State, p *plan.ValuesScan) (Node, error) {
	n := &valuesScan{s: s, plan: p, c: s.compiler()}
	if len(p.Rows) > 0 {
		n.row = make(types.Row, len(p.Rows[0]))
	}
	var err error
	n.scanCore, err = newScanCore(s, &p.Plan, len(n.row))
	n.copied = p.RTIndex
	return n, err
}

func (n *valuesScan) Next() (types.Row, error) { return n.scanLoop(n.s, n.nextList) }

func (n *valuesScan) nextList() (types.Row, error) {
	if n.pos >= len(n.plan.Rows) {
		return nil, nil
	}
	for i, e := range n.plan.Rows[n.pos] {
		eval, err := n.c.Compile(e)
		if err != nil {
			return nil, err
		}
		if n.row[i], err = eval(n.ctx); err != nil {
			return nil, err
		}
	}
	n.pos++
	return n.row, nil
}

func (n *valuesScan) Rescan() error {
	n.pos = 0
	return nil
}

func (n *valuesScan) Close() {}

// subqueryScan gives the rows of a subplan under a range table entry's name.
type subqueryScan struct {
	scanCore
	s     *State
	child Node
}

func newSubqueryScan(s *State, p *plan.SubqueryScan) (Node, error) {
	n := &subqueryScan{s: s}
	var err error
	if n.child, err = s.build(p.Subplan); err != nil {
		return nil, err
	}
	n.scanCore, err = newScanCore(s, &p.Plan, len(p.Subplan.Base().Targets))
	n.copied = p.RTIndex
	return n, err
}

func (n *subqueryScan) Next() (types.Row, error) { return n.scanLoop(n.s, n.child.Next) }
func (n *subqueryScan) Rescan() error            { return n.child.Rescan() }
func (n *subqueryScan) Close()                   { n.child.Close() }
