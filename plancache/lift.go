package plancache

import (
	"strings"

	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Lifted is a literal of a statement's text that became a parameter of the analysed statement.
type Lifted struct {
	Literal int // its number in the text
	Type    OID // of the constant that it was
	Negated bool
	// Cast makes the parameter's value out of the constant, its Param 1; nil when they are the same. Planning would have computed it, and it may fail.
	Cast query.Expr
}

// LiftEnv is what Lift asks.
type LiftEnv struct {
	// Same says whether the literal, read as the type, gives the constant's value: what analysis did otherwise with it stays a constant.
	Same func(l Lifted, c *query.Const) bool
	// Immutable says whether planning may compute a function.
	Immutable func(fn OID) bool
}

// candidate is an expression of a constant at a place where a parameter does as well.
type candidate struct {
	e      query.Expr // the constant, or casts of it
	c      *query.Const
	lifted Lifted
}

// lifter finds the literals of an analysed statement that may become parameters.
type lifter struct {
	env    LiftEnv
	start  map[int]int // number of the literal that begins at a place
	minus  map[int]int // number of the literal whose sign is at a place
	counts map[int]int // constants by place
	found  []candidate
}

// Lift replaces literals of an analysed statement by parameters numbered from 1, and says which, and the parameters' types. It is an allow-list:
// the literal is exactly one constant of the tree, and that constant is, casts that nobody wrote aside,
//   - a direct operand of an operator in WHERE or in a value of SET, the other operand reading a column, or
//   - a whole value of INSERT VALUES or of SET
//
// of a plain SELECT, INSERT, UPDATE or DELETE: no GROUP BY, DISTINCT, set operation, window function, ON CONFLICT or WITH, and nothing of
// its sub-selects. At those places analysis looks at nothing of a constant but its type, which is in the cache's key.
func Lift(env LiftEnv, q *query.Query, sql string, lits []parse.Literal) (*query.Query, []Lifted, []OID) {
	if len(lits) == 0 || !liftable(q) {
		return q, nil, nil
	}
	f := newLifter(env, q, sql, lits)
	f.statement(q)
	params := map[query.Expr]query.Expr{}
	var lifted []Lifted
	var paramTypes []OID
	for _, c := range f.found {
		if !env.Same(c.lifted, c.c) {
			continue
		}
		c.lifted.Cast = castOf(c.e, c.c)
		lifted = append(lifted, c.lifted)
		paramTypes = append(paramTypes, c.e.Type())
		params[c.e] = &query.Param{Kind: query.ParamExtern, ID: len(lifted), TypeOID: c.e.Type(), Mod: c.e.TypMod(), Coll: c.e.Collation(), Loc: c.c.Loc}
	}
	if len(lifted) == 0 {
		return q, nil, nil
	}
	return query.MutateQuery(q, func(e query.Expr) (query.Expr, bool) {
		p := params[e]
		return p, p != nil
	}, nil), lifted, paramTypes
}

// castOf gives the casts around a constant as an expression of Param 1, nil when there are none.
func castOf(e query.Expr, c *query.Const) query.Expr {
	if e == query.Expr(c) {
		return nil
	}
	return query.Mutate(e, func(x query.Expr) (query.Expr, bool) {
		if x == query.Expr(c) {
			return &query.Param{Kind: query.ParamExtern, ID: 1, TypeOID: c.TypeOID, Mod: c.Mod, Coll: c.Coll, Loc: c.Loc}, true
		}
		return nil, false
	})
}

// newLifter notes where the literals and the constants are.
func newLifter(env LiftEnv, q *query.Query, sql string, lits []parse.Literal) *lifter {
	f := &lifter{env: env, start: map[int]int{}, minus: map[int]int{}, counts: map[int]int{}}
	for i, l := range lits {
		f.start[l.Start] = i
		if before := strings.TrimRight(sql[:l.Start], " \t\r\n"); l.Class != parse.ClassString && strings.HasSuffix(before, "-") {
			f.minus[len(before)-1] = i
		}
	}
	query.WalkQueryLevels(q, func(e query.Expr, _ int) bool {
		if c, ok := e.(*query.Const); ok {
			f.counts[c.Loc]++
		}
		return true
	})
	return f
}

func liftable(q *query.Query) bool {
	switch q.Command {
	case query.CmdSelect, query.CmdInsert, query.CmdUpdate, query.CmdDelete:
	default:
		return false
	}
	return len(q.GroupBy) == 0 && len(q.GroupingSets) == 0 && len(q.Distinct) == 0 && q.SetOp == nil && len(q.Windows) == 0 &&
		!q.HasWindowFuncs && q.OnConflict == nil && len(q.CTEs) == 0
}

func (f *lifter) statement(q *query.Query) {
	if q.JoinTree != nil {
		f.operands(q.JoinTree.Quals)
	}
	switch q.Command {
	case query.CmdInsert:
		for _, t := range q.Targets {
			f.value(t.Expr)
		}
		for _, r := range q.RangeTable {
			for _, row := range r.Values {
				for _, e := range row {
					f.value(e)
				}
			}
		}
	case query.CmdUpdate:
		for _, t := range q.Targets {
			f.value(t.Expr)
			f.operands(bare(t.Expr))
		}
	}
}

// operands looks for literals among the operands of operators, which may be nested and under AND, OR and NOT.
func (f *lifter) operands(e query.Expr) {
	switch e := e.(type) {
	case *query.BoolExpr:
		for _, a := range e.Args {
			f.operands(a)
		}
	case *query.OpExpr:
		for i, a := range e.Args {
			if len(e.Args) == 2 && readsColumn(e.Args[1-i]) {
				f.value(a)
			}
			f.operands(bare(a))
		}
	}
}

func readsColumn(e query.Expr) bool {
	return query.Contains(e, func(x query.Expr) bool { v, ok := x.(*query.Var); return ok && v.LevelsUp == 0 })
}

// bare takes off the casts that analysis added.
func bare(e query.Expr) query.Expr {
	for {
		switch c := e.(type) {
		case *query.FuncExpr:
			if c.Form != query.CoerceImplicitCast || len(c.Args) == 0 {
				return e
			}
			e = c.Args[0]
		case *query.RelabelType:
			if c.Form != query.CoerceImplicitCast {
				return e
			}
			e = c.Arg
		default:
			return e
		}
	}
}

// foldable says whether planning would compute the casts around a constant.
func (f *lifter) foldable(e query.Expr, c *query.Const) bool {
	for e != query.Expr(c) {
		switch x := e.(type) {
		case *query.FuncExpr:
			if !f.env.Immutable(x.FuncOID) {
				return false
			}
			e = x.Args[0]
		case *query.RelabelType:
			e = x.Arg
		default:
			return false
		}
	}
	return true
}

// value notes a literal.
func (f *lifter) value(e query.Expr) {
	c, ok := bare(e).(*query.Const)
	if !ok || c.Loc < 0 || c.Mod != -1 || c.TypeOID == types.UnknownOID || c.Value.IsNull() || f.counts[c.Loc] != 1 || !f.foldable(e, c) {
		return
	}
	l := Lifted{Type: c.TypeOID}
	if i, is := f.start[c.Loc]; is {
		l.Literal = i
	} else if i, is := f.minus[c.Loc]; is {
		l.Literal, l.Negated = i, true
	} else {
		return
	}
	f.found = append(f.found, candidate{e, c, l})
}
