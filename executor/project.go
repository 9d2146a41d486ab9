package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// projection computes a target list. Its result row is its own and reused.
type projection struct {
	first []expr.Eval // see compileTargets
	evals []expr.Eval
	row   types.Row
}

func newProjection(c *expr.Compiler, targets []*query.TargetEntry) (*projection, error) {
	first, evals, err := compileTargets(c, targets)
	return &projection{first: first, evals: evals, row: make(types.Row, len(targets))}, err
}

// compileTargets compiles a target list. The sub-selects of SET (a, b) = (SELECT ...) stand behind the columns that read what they give: they are in
// first, to be run before.
func compileTargets(c *expr.Compiler, targets []*query.TargetEntry) (first, evals []expr.Eval, err error) {
	evals = make([]expr.Eval, len(targets))
	for i, t := range targets {
		if evals[i], err = c.Compile(t.Expr); err != nil {
			return nil, nil, err
		}
		if s, ok := t.Expr.(*query.SubPlan); ok && s.Kind == query.MultiExprSubLink {
			first = append(first, evals[i])
			evals[i] = func(*expr.Context) (types.Datum, error) { return types.Null, nil }
		}
	}
	return first, evals, nil
}

// runFirst runs the sub-selects that set parameters.
func runFirst(first []expr.Eval, ctx *expr.Context) error {
	for _, eval := range first {
		if _, err := eval(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *projection) apply(ctx *expr.Context) (types.Row, error) {
	if p.first != nil {
		if err := runFirst(p.first, ctx); err != nil {
			return nil, err
		}
	}
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
