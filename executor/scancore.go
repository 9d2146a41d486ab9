package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

// scanCore is what all scans share: conditions on the scanned row and the projection of it.
type scanCore struct {
	Removed
	ctx     *expr.Context
	qual    expr.Qual
	passed  func() (types.Row, error) // not nil: gives the row again once it has passed the conditions
	project *projection               // nil: the scanned row is the result
	read    int                       // rows read, to poll now and then
	copied  int                       // range table index of what is scanned, when a recheck has a copy of its row; 0: a table's scan
}

// newScanCore compiles a scan's conditions and targets over rows with the given number of columns.
func newScanCore(s *State, p *plan.Plan, columns int) (scanCore, error) {
	c := s.compiler()
	n := scanCore{ctx: s.context()}
	var err error
	if n.qual, err = c.CompileQual(p.Quals); err != nil {
		return n, err
	}
	n.project, err = newScanProjection(c, p.Targets, columns)
	return n, err
}

// emit applies the conditions and the projection to the row in ctx.Scan; nil when it does not pass.
func (n *scanCore) emit(row types.Row) (types.Row, error) {
	n.ctx.Scan = row
	ok, err := passes(n.qual, n.ctx)
	if err != nil || !ok {
		n.Removed.Filter++
		return nil, err
	}
	if n.passed != nil {
		if row, err = n.passed(); err != nil {
			return nil, err
		}
		n.ctx.Scan = row
	}
	if n.project == nil {
		return row, nil
	}
	return n.project.apply(n.ctx)
}

// scanLoop gives the next row of source that passes; in a recheck the row that stands for the range table entry, once.
func (n *scanCore) scanLoop(s *State, source func() (types.Row, error)) (types.Row, error) {
	if n.copied > 0 {
		if r := s.substitute(n.copied); r != nil {
			source = r.copyOnce
		}
	}
	for {
		if n.read++; n.read%pollEvery == 0 {
			if err := s.poll(); err != nil {
				return nil, err
			}
		}
		row, err := source()
		if row == nil || err != nil {
			return nil, err
		}
		out, err := n.emit(row)
		if out != nil || err != nil {
			return out, err
		}
	}
}

// pollEvery is how many rows are read between two looks whether the statement was cancelled.
const pollEvery = 256
