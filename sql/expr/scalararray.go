package expr

import (
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// compileScalarArrayOp compiles x op ANY (array) and x op ALL (array). A constant array is taken apart once; one with many elements and a
// hashable equality is probed by a Go map of by-value elements.
func (c *Compiler) compileScalarArrayOp(e *query.ScalarArrayOpExpr) (Eval, error) {
	left, err := c.Compile(e.Left)
	if err != nil {
		return nil, err
	}
	right, err := c.Compile(e.Right)
	if err != nil {
		return nil, err
	}
	fn, err := c.opFunc(e.OpOID, e.FuncOID)
	if err != nil {
		return nil, err
	}
	elem, err := c.ElementType(e.Right.Type())
	if err != nil {
		return nil, err
	}
	p, err := c.Proc(fn)
	if err != nil {
		return nil, err
	}
	op, err := c.BinaryFunc(fn, e.Left.Type(), elem.OID, e.InputColl)
	if err != nil {
		return nil, err
	}
	s := &scalarArray{op: op, strict: p.Strict, any: e.UseOr, elem: elem}
	if k, ok := e.Right.(*query.Const); ok && !k.Value.IsNull() {
		if s.elems, err = types.ArrayElements(elem, k.Value, nil); err != nil {
			return nil, err
		}
		s.fixed = true
		s.index(p.Src)
	}
	return func(ctx *Context) (types.Datum, error) {
		x, err := left(ctx)
		if err != nil {
			return types.Null, err
		}
		if !s.fixed {
			arr, err := right(ctx)
			if err != nil || arr.IsNull() {
				return types.Null, err
			}
			if s.elems, err = types.ArrayElements(elem, arr, s.elems[:0]); err != nil {
				return types.Null, err
			}
		}
		return s.test(ctx, x)
	}, nil
}

// scalarArray is the state of one ANY/ALL test.
type scalarArray struct {
	op          Binary
	strict, any bool
	elem        *types.TypeInfo
	elems       []types.Datum
	fixed       bool

	byValue map[uint64]struct{} // of a fixed list of integers, when there are many
	hasNull bool
}

// indexMin is the length from which a fixed list is indexed; PostgreSQL's MIN_ARRAY_SIZE_FOR_HASHED_SAOP is 9.
const indexMin = 9

// index builds the map for = ANY of a fixed list of integers.
func (s *scalarArray) index(src string) {
	if !s.any || len(s.elems) < indexMin || fastCompare[src] == nil || !fastCompare[src](1, 1) || fastCompare[src](0, 1) || fastCompare[src](1, 0) {
		return
	}
	s.byValue = make(map[uint64]struct{}, len(s.elems))
	for _, d := range s.elems {
		if d.IsNull() {
			s.hasNull = true
			continue
		}
		s.byValue[d.Raw()] = struct{}{}
	}
}

// test applies the operator to x and each element. An empty array gives false for ANY and true for ALL, also for a null x.
func (s *scalarArray) test(ctx *Context, x types.Datum) (types.Datum, error) {
	if len(s.elems) == 0 {
		return types.Bool(!s.any), nil
	}
	if s.strict && x.IsNull() {
		return types.Null, nil
	}
	if s.byValue != nil {
		if _, ok := s.byValue[x.Raw()]; ok {
			return dTrue, nil
		}
		if s.hasNull {
			return types.Null, nil
		}
		return dFalse, nil
	}
	sawNull := false
	for _, d := range s.elems {
		if s.strict && d.IsNull() {
			sawNull = true
			continue
		}
		r, err := s.op(ctx, x, d)
		if err != nil {
			return types.Null, err
		}
		if r.IsNull() {
			sawNull = true
		} else if r.Bool() == s.any {
			return types.Bool(s.any), nil
		}
	}
	if sawNull {
		return types.Null, nil
	}
	return types.Bool(!s.any), nil
}

// ElementType gives the pg_type row of an array type's elements.
func (c *Compiler) ElementType(array OID) (*types.TypeInfo, error) {
	t, err := c.Env.TypeByOID(array)
	if err != nil {
		return nil, err
	}
	for t.Kind == 'd' {
		if t, err = c.Env.TypeByOID(t.BaseType); err != nil {
			return nil, err
		}
	}
	return c.Env.TypeByOID(t.Elem)
}
