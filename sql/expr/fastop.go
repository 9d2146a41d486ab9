package expr

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// The operators that scans and joins evaluate most are compiled without a call site: integers compared and added. Each gives what the
// registered function gives.

type int64Compare func(a, b int64) bool

// fastCompare has the comparison functions whose arguments are integers, by source name. A by-value integer datum is sign-extended, so one
// comparison serves all widths and their mixtures.
var fastCompare = func() map[string]int64Compare {
	m := map[string]int64Compare{}
	for _, t := range []string{"int2", "int4", "int8", "int24", "int42", "int28", "int82", "int48", "int84", "date_", "timestamp_"} {
		m[t+"eq"] = func(a, b int64) bool { return a == b }
		m[t+"ne"] = func(a, b int64) bool { return a != b }
		m[t+"lt"] = func(a, b int64) bool { return a < b }
		m[t+"le"] = func(a, b int64) bool { return a <= b }
		m[t+"gt"] = func(a, b int64) bool { return a > b }
		m[t+"ge"] = func(a, b int64) bool { return a >= b }
	}
	m["oideq"] = m["int8eq"]
	m["oidne"] = m["int8ne"]
	m["chareq"] = m["int8eq"]
	m["booleq"] = m["int8eq"]
	return m
}()

// compileFastOp compiles an operator call without a call site where it has such a form.
func (c *Compiler) compileFastOp(fn OID, args []query.Expr) (Eval, bool, error) {
	if len(args) != 2 {
		return nil, false, nil
	}
	p, err := c.Proc(fn)
	if err != nil || p.Lang != 12 {
		return nil, false, err
	}
	cmp := fastCompare[p.Src]
	if cmp == nil && p.Src != "int4pl" && p.Src != "int4mi" {
		return nil, false, nil
	}
	left, err := c.Compile(args[0])
	if err != nil {
		return nil, false, err
	}
	if cmp != nil {
		if k, ok := args[1].(*query.Const); ok && !k.Value.IsNull() {
			return compareConst(left, k.Value.Int8(), cmp), true, nil
		}
	}
	right, err := c.Compile(args[1])
	if err != nil {
		return nil, false, err
	}
	switch {
	case cmp != nil:
		return compareTwo(left, right, cmp), true, nil
	case p.Src == "int4pl":
		return int4Arithmetic(left, right, 1), true, nil
	}
	return int4Arithmetic(left, right, -1), true, nil
}

func compareConst(left Eval, k int64, cmp int64Compare) Eval {
	return func(ctx *Context) (types.Datum, error) {
		a, err := left(ctx)
		if err != nil || a.IsNull() {
			return types.Null, err
		}
		return types.Bool(cmp(a.Int8(), k)), nil
	}
}

func compareTwo(left, right Eval, cmp int64Compare) Eval {
	return func(ctx *Context) (types.Datum, error) {
		a, err := left(ctx)
		if err != nil || a.IsNull() {
			return types.Null, err
		}
		b, err := right(ctx)
		if err != nil || b.IsNull() {
			return types.Null, err
		}
		return types.Bool(cmp(a.Int8(), b.Int8())), nil
	}
}

func int4Arithmetic(left, right Eval, sign int64) Eval {
	return func(ctx *Context) (types.Datum, error) {
		a, err := left(ctx)
		if err != nil || a.IsNull() {
			return types.Null, err
		}
		b, err := right(ctx)
		if err != nil || b.IsNull() {
			return types.Null, err
		}
		v := a.Int8() + sign*b.Int8()
		if v != int64(int32(v)) {
			return types.Null, pgerr.New(pgerr.NumericValueOutOfRange, "integer out of range")
		}
		return types.Int4(int32(v)), nil
	}
}
