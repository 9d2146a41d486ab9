package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// joinCore is what the three joins share: the conditions, the projection and the null rows of outer joins.
type joinCore struct {
	Removed
	ctx      *expr.Context
	kind     query.JoinType
	joinQual expr.Qual // ON
	qual     expr.Qual // the rest, applied to what the join gives
	project  *projection
	single   bool // an outer row matches at most one inner row

	nullOuter, nullInner types.Row
}

func newJoinCore(s *State, p *plan.Join, c *expr.Compiler) (joinCore, error) {
	j := joinCore{ctx: s.context(), kind: p.Type, single: p.InnerUnique || p.Type == query.JoinSemi}
	var err error
	if j.joinQual, err = c.CompileQual(p.JoinQuals); err != nil {
		return j, err
	}
	if j.qual, err = c.CompileQual(p.Quals); err != nil {
		return j, err
	}
	j.nullOuter = nullRow(len(p.Left.Base().Targets))
	j.nullInner = nullRow(len(p.Right.Base().Targets))
	j.project, err = newProjection(c, p.Targets)
	return j, err
}

func nullRow(n int) types.Row {
	row := make(types.Row, n)
	for i := range row {
		row[i] = types.Null
	}
	return row
}

// emit applies the remaining conditions and projects; nil when the row does not pass.
func (j *joinCore) emit(outer, inner types.Row) (types.Row, error) {
	j.ctx.Outer, j.ctx.Inner = outer, inner
	ok, err := passes(j.qual, j.ctx)
	if err != nil || !ok {
		j.Removed.Filter++
		return nil, err
	}
	return j.project.apply(j.ctx)
}

// fillsOuter says whether an outer row without a match is given; fillsInner the same of inner rows.
func (j *joinCore) fillsOuter() bool {
	return j.kind == query.JoinLeft || j.kind == query.JoinFull || j.kind == query.JoinAnti
}
func (j *joinCore) fillsInner() bool { return j.kind == query.JoinRight || j.kind == query.JoinFull }
