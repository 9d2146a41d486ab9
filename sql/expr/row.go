package expr

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// compileRow compiles ROW(...): a composite datum of its type, or an anonymous record.
func (c *Compiler) compileRow(e *query.RowExpr) (Eval, error) {
	args, err := c.CompileList(e.Args)
	if err != nil {
		return nil, err
	}
	desc, err := c.rowDesc(e)
	if err != nil {
		return nil, err
	}
	values := make(types.Row, len(desc.Attrs))
	return func(ctx *Context) (types.Datum, error) {
		for i := range values {
			values[i] = types.Null // columns added to the type since the row was written
		}
		for i, arg := range args {
			d, err := arg(ctx)
			if err != nil {
				return types.Null, err
			}
			values[i] = d
		}
		return types.MakeRecord(desc, values)
	}, nil
}

func (c *Compiler) rowDesc(e *query.RowExpr) (*types.TupleDesc, error) {
	if e.TypeOID != types.RecordOID {
		return c.Env.Catalog.RowType(e.TypeOID, -1)
	}
	cols := make([]types.RecordColumn, len(e.Args))
	for i, a := range e.Args {
		cols[i] = types.RecordColumn{Type: a.Type(), TypMod: a.TypMod(), Collation: a.Collation()}
		if i < len(e.ColNames) {
			cols[i].Name = e.ColNames[i]
		}
	}
	return types.NewRecordDesc(c.Env, cols)
}

// compileRowNullTest: IS NULL is true when all fields are null, IS NOT NULL when all are not null.
func (c *Compiler) compileRowNullTest(e *query.NullTest, arg Eval) Eval {
	isNot := e.IsNot
	var buf types.Row
	return func(ctx *Context) (types.Datum, error) {
		d, err := arg(ctx)
		if err != nil {
			return types.Null, err
		}
		if d.IsNull() {
			return types.Bool(!isNot), nil
		}
		desc, row, err := types.RecordFields(ctx.Env, d, buf[:0])
		if err != nil {
			return types.Null, err
		}
		buf = row
		for i, v := range row {
			if !desc.Attrs[i].Dropped && v.IsNull() == isNot {
				return dFalse, nil
			}
		}
		return dTrue, nil
	}
}

func (c *Compiler) compileFieldSelect(e *query.FieldSelect) (Eval, error) {
	arg, err := c.Compile(e.Arg)
	if err != nil {
		return nil, err
	}
	i := int(e.FieldNum) - 1
	var buf types.Row
	return func(ctx *Context) (types.Datum, error) {
		d, err := arg(ctx)
		if err != nil || d.IsNull() {
			return types.Null, err
		}
		desc, row, err := types.RecordFields(ctx.Env, d, buf[:0])
		if err != nil {
			return types.Null, err
		}
		buf = row
		if i >= len(row) || desc.Attrs[i].Dropped {
			return types.Null, nil
		}
		if got := desc.Attrs[i].TypeOID; got != e.TypeOID {
			return types.Null, pgerr.New(pgerr.DatatypeMismatch, "attribute %d has wrong type", i+1).
				WithDetail("Table has type %s, but query expects %s.", types.FormatType(ctx.Env, got), types.FormatType(ctx.Env, e.TypeOID))
		}
		return row[i], nil
	}, nil
}

func (c *Compiler) compileFieldStore(e *query.FieldStore) (Eval, error) {
	arg, err := c.Compile(e.Arg)
	if err != nil {
		return nil, err
	}
	news, err := c.CompileList(e.NewVals)
	if err != nil {
		return nil, err
	}
	desc, err := c.Env.Catalog.RowType(e.TypeOID, -1)
	if err != nil {
		return nil, err
	}
	return func(ctx *Context) (types.Datum, error) {
		d, err := arg(ctx)
		if err != nil {
			return types.Null, err
		}
		row := make(types.Row, len(desc.Attrs))
		for i := range row {
			row[i] = types.Null
		}
		if !d.IsNull() {
			_, old, err := types.RecordFields(ctx.Env, d, nil)
			if err != nil {
				return types.Null, err
			}
			copy(row, old)
		}
		saved := ctx.Case
		defer func() { ctx.Case = saved }()
		for i, f := range e.FieldNums {
			ctx.Case = row[f-1]
			if row[f-1], err = news[i](ctx); err != nil {
				return types.Null, err
			}
		}
		return types.MakeRecord(desc, row)
	}, nil
}

// compileConvertRowtype maps columns by name, as between a child table's row and its parent's.
func (c *Compiler) compileConvertRowtype(e *query.ConvertRowtypeExpr) (Eval, error) {
	arg, err := c.Compile(e.Arg)
	if err != nil {
		return nil, err
	}
	desc, err := c.Env.Catalog.RowType(e.TypeOID, -1)
	if err != nil {
		return nil, err
	}
	return func(ctx *Context) (types.Datum, error) {
		d, err := arg(ctx)
		if err != nil || d.IsNull() {
			return types.Null, err
		}
		from, old, err := types.RecordFields(ctx.Env, d, nil)
		if err != nil {
			return types.Null, err
		}
		row := make(types.Row, len(desc.Attrs))
		for i := range desc.Attrs {
			row[i] = fieldByName(from, old, &desc.Attrs[i])
		}
		return types.MakeRecord(desc, row)
	}, nil
}

func fieldByName(desc *types.TupleDesc, row types.Row, want *types.Attr) types.Datum {
	for i := range desc.Attrs {
		if a := &desc.Attrs[i]; !a.Dropped && !want.Dropped && a.Name == want.Name {
			return row[i]
		}
	}
	return types.Null
}

// compileWholeRow makes a composite datum of a relation's whole row.
func (c *Compiler) compileWholeRow(v *query.Var) (Eval, error) {
	if c.Hooks.WholeRow == nil {
		return nil, pgerr.Internal("whole-row reference can't be evaluated here")
	}
	desc, err := c.Hooks.WholeRow(v)
	if err != nil {
		return nil, err
	}
	input := func(ctx *Context) types.Row { return ctx.Scan }
	switch v.VarNo {
	case query.OuterVar:
		input = func(ctx *Context) types.Row { return ctx.Outer }
	case query.InnerVar:
		input = func(ctx *Context) types.Row { return ctx.Inner }
	}
	return func(ctx *Context) (types.Datum, error) {
		row := input(ctx)
		if row == nil {
			return types.Null, nil
		}
		return types.MakeRecord(desc, row[:len(desc.Attrs)])
	}, nil
}

// compileRowCompare compiles (a, b, ...) < (c, d, ...) and its kin: the first pair that differs decides; a null there gives null.
func (c *Compiler) compileRowCompare(e *query.RowCompareExpr) (Eval, error) {
	left, err := c.CompileList(e.Left)
	if err != nil {
		return nil, err
	}
	right, err := c.CompileList(e.Right)
	if err != nil {
		return nil, err
	}
	cmps := make([]Binary, len(left))
	for i := range left {
		lt, rt := e.Left[i].Type(), e.Right[i].Type()
		if o, err := c.Catalog.Operator(e.OpOIDs[i]); err == nil && o != nil {
			lt, rt = o.Left, o.Right
		}
		fn, err := c.Catalog.AmProc(e.OpFamilies[i], lt, rt, 1)
		if err != nil {
			return nil, err
		}
		if cmps[i], err = c.BinaryFunc(fn, lt, rt, e.InputColls[i]); err != nil {
			return nil, err
		}
	}
	kind := e.Kind
	return func(ctx *Context) (types.Datum, error) {
		sign := int32(0)
		for i := range left {
			a, err := left[i](ctx)
			if err != nil {
				return types.Null, err
			}
			b, err := right[i](ctx)
			if err != nil || a.IsNull() || b.IsNull() {
				return types.Null, err
			}
			d, err := cmps[i](ctx, a, b)
			if err != nil {
				return types.Null, err
			}
			if sign = d.Int4(); sign != 0 {
				break
			}
		}
		return types.Bool(rowCompare(kind, sign)), nil
	}, nil
}

func rowCompare(kind query.RowCompareKind, sign int32) bool {
	switch kind {
	case query.RowCompareLT:
		return sign < 0
	case query.RowCompareLE:
		return sign <= 0
	case query.RowCompareGE:
		return sign >= 0
	case query.RowCompareGT:
		return sign > 0
	case query.RowCompareNE:
		return sign != 0
	}
	return sign == 0
}
