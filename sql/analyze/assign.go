package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// AssignTarget is what an assignment of PL/pgSQL stores into: a variable, or a part of it (target[i].f := value).
type AssignTarget struct {
	Name string
	// Base gives the variable's present value, called anew for each analysis. Without Indirection only its type counts.
	Base        func() (query.Expr, error)
	Indirection []*pg_query.Node // subscripts and fields
}

// Assignment analyses SELECT value, and makes its one column the target's new value as a whole.
func Assignment(env *Env, raw *parse.Stmt, target *AssignTarget) (q *query.Query, err error) {
	defer catch(&err)
	p := newState(env, nil)
	q = p.statement(raw.Node)
	q.StmtLocation, q.StmtLen = raw.Location, raw.Len
	visible := 0
	for _, t := range q.Targets {
		if !t.Junk {
			visible++
		}
	}
	if visible != 1 {
		throw(pgerr.New(pgerr.SyntaxError, "assignment source returned %d columns", visible))
	}
	base := must(target.Base())
	t := q.Targets[0]
	if len(target.Indirection) == 0 {
		t.Expr = p.assignWhole(t.Expr, base)
	} else {
		t.Expr = p.assignIndirection(base, target.Name, false, base.Type(), base.TypMod(), base.Collation(), target.Indirection, t.Expr, -1)
	}
	p.assignCollations(t.Expr)
	return q, nil
}

// assignWhole coerces a value to a variable's type, through its text form where there is no cast. Rows are left to the assignment itself.
func (p *state) assignWhole(value, to query.Expr) query.Expr {
	typ, from := to.Type(), value.Type()
	isRow := func(t OID) bool { return t == types.RecordOID || p.isComplex(t) }
	if isRow(typ) {
		return value
	}
	if c := p.coerceTo(value, from, typ, to.TypMod(), coercionAssignment, query.CoerceImplicitCast, exprLocation(value)); c != nil {
		return c
	}
	if isRow(from) {
		return value
	}
	via := &query.CoerceViaIO{Arg: value, TypeOID: typ, Coll: p.typeCollation(typ), Form: query.CoerceImplicitCast, Loc: -1}
	if c := p.coerceTo(via, typ, typ, to.TypMod(), coercionAssignment, query.CoerceImplicitCast, -1); c != nil {
		return c
	}
	return via
}
