package executor

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// declaredRow describes the row that a function in FROM gives by its declaration now; nil for what is no row, and for internal functions, whose
// declarations don't change.
func (s *State) declaredRow(rf *query.RangeFunction) (*types.TupleDesc, error) {
	fe, ok := rf.Expr.(*query.FuncExpr)
	if !ok || s.Backend.FunctionRow == nil || rf.ColNames != nil {
		return nil, nil
	}
	p, err := s.Backend.Catalog.Proc(fe.FuncOID)
	if err != nil || p == nil || p.Lang == catalog.InternalLanguage {
		return nil, err
	}
	return s.Backend.FunctionRow(p, fe)
}

// changedColumn finds a column that the scan reads and that is no longer what it was when the statement was analysed: a view keeps reading the
// columns of a function's row type after the type has changed. It gives the error that reading a row will be.
func changedColumn(s *State, p *plan.FunctionScan, rows []*types.TupleDesc) (changed error) {
	check := func(e query.Expr) bool {
		v, ok := e.(*query.Var)
		if !ok || v.VarNo != p.RTIndex || v.AttNo < 1 || changed != nil {
			return true
		}
		at := int(v.AttNo) - 1
		for i, rf := range p.Functions {
			if at < rf.ColCount {
				if rows[i] != nil && at < len(rows[i].Attrs) {
					changed = s.columnChange(v, &rows[i].Attrs[at])
				}
				return true
			}
			at -= rf.ColCount
		}
		return true
	}
	for _, t := range p.Targets {
		query.Walk(t.Expr, check)
	}
	for _, q := range p.Quals {
		query.Walk(q, check)
	}
	return changed
}

func (s *State) columnChange(v *query.Var, a *types.Attr) error {
	switch {
	case a.Dropped:
		return pgerr.New(pgerr.UndefinedColumn, "attribute %d of type record has been dropped", v.AttNo)
	case a.TypeOID != v.TypeOID:
		env := s.Backend.Env
		return pgerr.New(pgerr.DatatypeMismatch, "attribute %d of type record has wrong type", v.AttNo).
			WithDetail("Table has type %s, but query expects %s.", types.FormatType(env, a.TypeOID), types.FormatType(env, v.TypeOID))
	}
	return nil
}
