package executor

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// triggerWhen is a trigger's WHEN condition.
type triggerWhen struct {
	qual expr.Qual
	ctx  *expr.Context
}

// newTriggerWhen compiles a condition whose variables are columns of OLD (range table index 1) and NEW (2); nil for none.
func (s *State) newTriggerWhen(rel *catalog.Relation, when query.Expr) (*triggerWhen, error) {
	if when == nil {
		return nil, nil
	}
	column := func(v *query.Var, att int16) *query.Var {
		c := *v
		c.VarNo, c.AttNo = query.InnerVar, att
		if v.VarNo == 2 {
			c.VarNo = query.OuterVar
		}
		return &c
	}
	e := query.Mutate(when, func(x query.Expr) (query.Expr, bool) {
		v, ok := x.(*query.Var)
		if !ok {
			return nil, false
		}
		if v.AttNo != 0 {
			return column(v, v.AttNo), true
		}
		row := &query.RowExpr{TypeOID: rel.RowType, Form: query.CoerceImplicitCast, Loc: -1}
		for i := range rel.Desc.Attrs {
			a := &rel.Desc.Attrs[i]
			var field query.Expr = &query.Const{TypeOID: types.Int4OID, Mod: -1, Value: types.Null, Loc: -1}
			if !a.Dropped {
				c := column(v, a.Num)
				c.TypeOID, c.Mod, c.Coll = a.TypeOID, a.TypMod, a.Collation
				field = c
			}
			row.Args, row.ColNames = append(row.Args, field), append(row.ColNames, a.Name)
		}
		return row, true
	})
	w := &triggerWhen{ctx: s.context()}
	var err error
	w.qual, err = s.compiler().CompileQual([]query.Expr{e})
	return w, err
}

// holds says whether the trigger is to fire for a change; rows are nil where there is none.
func (w *triggerWhen) holds(oldRow, newRow types.Row) (bool, error) {
	if w == nil {
		return true, nil
	}
	w.ctx.Inner, w.ctx.Outer = oldRow, newRow
	return passes(w.qual, w.ctx)
}
