package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// projection computes a target list. Its result row is its own and reused.
type projection struct {
	evals []expr.Eval
	row   types.Row
}

func newProjection(c *expr.Compiler, targets []*query.TargetEntry) (*projection, error) {
	p := &projection{row: make(types.Row, len(targets)), evals: make([]expr.Eval, len(targets))}
	for i, t := range targets {
		var err error
		if p.evals[i], err = c.Compile(t.Expr); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *projection) apply(ctx *expr.Context) (types.Row, error) {
	for i, eval := range p.evals {
		d, err := eval(ctx)
		if err != nil {
			return nil, err
		}
		p.row[i] = d
	}
	return p.row, nil
}

// newScanProjection is nil when the targets are just the first columns of the scanned row, so that the row itself can be passed on.
func newScanProjection(c *expr.Compiler, targets []*query.TargetEntry, columns int) (*projection, error) {
	if isIdentity(targets, columns) {
		return nil, nil
	}
	return newProjection(c, targets)
}

func isIdentity(targets []*query.TargetEntry, columns int) bool {
	if len(targets) != columns {
		return false
	}
	for i, t := range targets {
		v, ok := t.Expr.(*query.Var)
		if !ok || int(v.AttNo) != i+1 || v.VarNo == query.InnerVar {
			return false
		}
	}
	return true
}

// passes applies a qual; nil passes everything.
func passes(q expr.Qual, ctx *expr.Context) (bool, error) {
	if q == nil {
		return true, nil
	}
	return q(ctx)
}

// copyRow copies row and its bytes into dst, which it grows; used where few rows are kept.
func copyRow(dst types.Row, row types.Row) types.Row {
	dst = append(dst[:0], row...)
	for i := range dst {
		dst[i] = dst[i].Clone()
	}
	return dst
}
