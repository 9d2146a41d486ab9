package plan

import (
	"github.com/calfdb/calf/sql/query"
)

// boolean folds AND, OR and NOT, flattening nested ANDs and ORs.
func (f *folder) boolean(e *query.BoolExpr) query.Expr {
	switch e.Op {
	case query.Not:
		return f.g.negate(f.expr(e.Args[0]))
	case query.And:
		return f.andOr(e, query.And, isFalseConst, isTrueConst)
	default:
		return f.andOr(e, query.Or, isTrueConst, isFalseConst)
	}
}

// andOr: forces decides the result, neutral is dropped.
func (f *folder) andOr(e *query.BoolExpr, op query.BoolOp, forces, neutral func(query.Expr) bool) query.Expr {
	var out []query.Expr
	null := false
	pending := append([]query.Expr(nil), e.Args...)
	for len(pending) > 0 {
		a := pending[0]
		pending = pending[1:]
		if b, ok := a.(*query.BoolExpr); ok && b.Op == op {
			pending = append(append([]query.Expr(nil), b.Args...), pending...)
			continue
		}
		a = f.expr(a)
		if b, ok := a.(*query.BoolExpr); ok && b.Op == op {
			out = append(out, b.Args...)
			continue
		}
		switch {
		case forces(a):
			return boolConst(op == query.Or)
		case neutral(a):
		case isNullConst(a):
			null = true
		default:
			out = append(out, a)
		}
	}
	if null {
		out = append(out, nullBool())
	}
	switch len(out) {
	case 0:
		return boolConst(op == query.And)
	case 1:
		return out[0]
	}
	return &query.BoolExpr{Op: op, Args: out, Loc: e.Loc}
}

// negate gives NOT e, pushed down as far as it goes.
func (g *glob) negate(e query.Expr) query.Expr {
	switch e := e.(type) {
	case *query.Const:
		if e.Value.IsNull() {
			return nullBool()
		}
		return boolConst(!e.Value.Bool())
	case *query.OpExpr:
		if n := g.oper(e.OpOID).Negator; n != 0 {
			c := *e
			c.OpOID, c.FuncOID = n, g.oper(n).Func
			return &c
		}
	case *query.ScalarArrayOpExpr:
		if n := g.oper(e.OpOID).Negator; n != 0 {
			c := *e
			c.OpOID, c.FuncOID, c.UseOr, c.HashFunc = n, g.oper(n).Func, !e.UseOr, 0
			return &c
		}
	case *query.BoolExpr:
		return g.negateBool(e)
	case *query.NullTest:
		if !e.ArgIsRow {
			c := *e
			c.IsNot = !e.IsNot
			return &c
		}
	case *query.BooleanTest:
		c := *e
		c.Kind = [...]query.BoolTestKind{query.IsNotTrue, query.IsTrue, query.IsNotFalse, query.IsFalse, query.IsNotUnknown, query.IsUnknown}[e.Kind]
		return &c
	}
	return &query.BoolExpr{Op: query.Not, Args: []query.Expr{e}, Loc: -1}
}

func (g *glob) negateBool(e *query.BoolExpr) query.Expr {
	if e.Op == query.Not {
		return e.Args[0]
	}
	args := make([]query.Expr, len(e.Args))
	for i, a := range e.Args {
		args[i] = g.negate(a)
	}
	op := query.And
	if e.Op == query.And {
		op = query.Or
	}
	return &query.BoolExpr{Op: op, Args: args, Loc: e.Loc}
}

// caseExpr folds CASE: branches that cannot be taken go, a constant true condition becomes the default.
func (f *folder) caseExpr(e *query.CaseExpr) query.Expr {
	arg := f.expr(e.Arg)
	old := f.caseVal
	f.caseVal = nil
	if c, ok := arg.(*query.Const); ok && e.Arg != nil {
		f.caseVal, arg = c, nil
	}
	var whens []*query.CaseWhen
	var def query.Expr
	decided := false
	for _, w := range e.Whens {
		cond := f.expr(w.Cond)
		if isFalseConst(cond) || isNullConst(cond) {
			continue
		}
		res := f.expr(w.Result)
		if isTrueConst(cond) {
			def, decided = res, true
			break
		}
		whens = append(whens, &query.CaseWhen{Cond: cond, Result: res, Loc: w.Loc})
	}
	if !decided {
		def = f.expr(e.Default)
	}
	f.caseVal = old
	if len(whens) == 0 {
		if def == nil {
			return nullConst(e.TypeOID, -1, e.Coll)
		}
		return def
	}
	c := *e
	c.Arg, c.Whens, c.Default = arg, whens, def
	return &c
}

// makeAnd joins conditions; none is true.
func makeAnd(es []query.Expr) query.Expr {
	switch len(es) {
	case 0:
		return boolConst(true)
	case 1:
		return es[0]
	}
	return &query.BoolExpr{Op: query.And, Args: es, Loc: -1}
}

func makeOr(es []query.Expr) query.Expr {
	switch len(es) {
	case 0:
		return boolConst(false)
	case 1:
		return es[0]
	}
	return &query.BoolExpr{Op: query.Or, Args: es, Loc: -1}
}

// implicitAnd splits a condition into its ANDed parts; constant true is none.
func implicitAnd(e query.Expr) []query.Expr {
	if e == nil || isTrueConst(e) {
		return nil
	}
	if b, ok := e.(*query.BoolExpr); ok && b.Op == query.And {
		return b.Args
	}
	return []query.Expr{e}
}

// canonicalize flattens ANDs and ORs and pulls conditions common to all arms out of ORs; in a CHECK or index predicate (isCheck) null
// counts as true, so constant nulls are treated the other way round.
func canonicalize(e query.Expr) query.Expr {
	if e == nil {
		return nil
	}
	return findDuplicateORs(e)
}

func findDuplicateORs(e query.Expr) query.Expr {
	b, ok := e.(*query.BoolExpr)
	if !ok {
		return e
	}
	switch b.Op {
	case query.Or:
		var arms []query.Expr
		for _, a := range b.Args {
			a = findDuplicateORs(a)
			if isNullConst(a) || isFalseConst(a) {
				continue
			}
			if isTrueConst(a) {
				return a
			}
			arms = append(arms, a)
		}
		return processDuplicateORs(flatten(arms, query.Or))
	case query.And:
		var parts []query.Expr
		for _, a := range b.Args {
			a = findDuplicateORs(a)
			if isTrueConst(a) {
				continue
			}
			if isNullConst(a) || isFalseConst(a) {
				return boolConst(false)
			}
			parts = append(parts, a)
		}
		return makeAnd(flatten(parts, query.And))
	}
	return e
}

func flatten(es []query.Expr, op query.BoolOp) []query.Expr {
	var out []query.Expr
	for _, e := range es {
		if b, ok := e.(*query.BoolExpr); ok && b.Op == op {
			out = append(out, flatten(b.Args, op)...)
		} else {
			out = append(out, e)
		}
	}
	return out
}

// processDuplicateORs turns (A AND B) OR (A AND C) into A AND (B OR C).
func processDuplicateORs(arms []query.Expr) query.Expr {
	if len(arms) < 2 {
		return makeOr(arms)
	}
	var ref []query.Expr
	for i, a := range arms {
		parts := []query.Expr{a}
		if b, ok := a.(*query.BoolExpr); ok && b.Op == query.And {
			parts = b.Args
		}
		if i == 0 || len(parts) < len(ref) {
			ref = parts
		}
	}
	var win []query.Expr
	for _, r := range ref {
		if member(win, r) {
			continue
		}
		in := true
		for _, a := range arms {
			if !member(armParts(a), r) {
				in = false
				break
			}
		}
		if in {
			win = append(win, r)
		}
	}
	if len(win) == 0 {
		return makeOr(arms)
	}
	var rest []query.Expr
	for _, a := range arms {
		var left []query.Expr
		for _, p := range armParts(a) {
			if !member(win, p) {
				left = append(left, p)
			}
		}
		if len(left) == 0 {
			rest = nil // this arm is implied by the common part
			break
		}
		rest = append(rest, makeAnd(left))
	}
	if rest != nil {
		win = append(win, makeOr(flatten(rest, query.Or)))
	}
	return makeAnd(flatten(win, query.And))
}

func armParts(a query.Expr) []query.Expr {
	if b, ok := a.(*query.BoolExpr); ok && b.Op == query.And {
		return b.Args
	}
	return []query.Expr{a}
}
