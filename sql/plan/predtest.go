package plan

import "github.com/calfdb/calf/sql/query"

// impliesAll says whether the conditions given make every predicate true (used for partial indexes). It proves less than everything that holds.
func (g *glob) impliesAll(preds, given []query.Expr) bool {
	for _, p := range preds {
		if !g.impliedBy(p, given) {
			return false
		}
	}
	return true
}

func (g *glob) impliedBy(p query.Expr, given []query.Expr) bool {
	if b, ok := p.(*query.BoolExpr); ok {
		switch b.Op {
		case query.And:
			return g.impliesAll(b.Args, given)
		case query.Or:
			for _, a := range b.Args {
				if g.impliedBy(a, given) {
					return true
				}
			}
		}
	}
	for _, c := range given {
		if g.clauseImplies(c, p) {
			return true
		}
	}
	return false
}

// clauseImplies: clause true makes pred true.
func (g *glob) clauseImplies(clause, pred query.Expr) bool {
	if equal(clause, pred) {
		return true
	}
	switch c := clause.(type) {
	case *query.BoolExpr:
		switch c.Op {
		case query.And:
			return g.impliedBy(pred, c.Args)
		case query.Or: // each arm must
			for _, a := range c.Args {
				if !g.impliedBy(pred, []query.Expr{a}) {
					return false
				}
			}
			return true
		}
	case *query.ScalarArrayOpExpr:
		if arms := g.arrayArms(c); arms != nil {
			for _, a := range arms {
				if !g.impliedBy(pred, []query.Expr{a}) {
					return false
				}
			}
			return true
		}
	}
	if n, ok := pred.(*query.NullTest); ok && n.IsNot && !n.ArgIsRow {
		return g.strictOn(clause, n.Arg)
	}
	if p, ok := pred.(*query.ScalarArrayOpExpr); ok && p.UseOr {
		for _, a := range g.arrayArms(p) {
			if g.clauseImplies(clause, a) {
				return true
			}
		}
	}
	return g.operatorImplies(clause, pred)
}

const maxArrayProof = 100

// arrayArms gives x op ANY (constant array) as the list of its alternatives, nil when it has none or too many.
func (g *glob) arrayArms(e *query.ScalarArrayOpExpr) (arms []query.Expr) {
	c, ok := e.Right.(*query.Const)
	if !e.UseOr || !ok || c.Value.IsNull() {
		return nil
	}
	elems := g.arrayElems(c)
	if len(elems) > maxArrayProof {
		return nil
	}
	typ := g.elemType(c.TypeOID)
	for _, d := range elems {
		arms = append(arms, &query.OpExpr{OpOID: e.OpOID, FuncOID: g.oper(e.OpOID).Func, TypeOID: e.Type(), InputColl: e.InputColl,
			Args: []query.Expr{e.Left, &query.Const{TypeOID: typ, Mod: -1, Coll: c.Coll, Value: d, Loc: -1}}, Loc: -1})
	}
	return arms
}

// strictOn: the condition cannot be true when the expression is null.
func (g *glob) strictOn(clause, e query.Expr) bool {
	e = stripRelabel(e)
	switch c := clause.(type) {
	case *query.OpExpr:
		return g.proc(g.opFunc(c)).Strict && g.argStrictOn(c.Args, e)
	case *query.FuncExpr:
		return g.proc(c.FuncOID).Strict && g.argStrictOn(c.Args, e)
	case *query.ScalarArrayOpExpr:
		return g.strictArrayOp(c, true) && g.argStrictOn([]query.Expr{c.Left}, e)
	case *query.NullTest:
		return c.IsNot && !c.ArgIsRow && equal(stripRelabel(c.Arg), e)
	}
	return equal(stripRelabel(clause), e)
}

func (g *glob) argStrictOn(args []query.Expr, e query.Expr) bool {
	for _, a := range args {
		if equal(stripRelabel(a), e) {
			return true
		}
		switch stripRelabel(a).(type) {
		case *query.OpExpr, *query.FuncExpr:
			if g.strictOn(stripRelabel(a), e) {
				return true
			}
		}
	}
	return false
}

// implication[clause strategy][pred strategy]: with clause x OP1 c and pred x OP2 p, pred is implied when `c TEST p` holds; 0 = never.
// Strategies are 1 < 2 <= 3 = 4 >= 5 >, and 6 <>.
var implication = [7][7]int16{
	btLess:         {btLess: btLessEqual, btLessEqual: btLessEqual, 6: btLessEqual},
	btLessEqual:    {btLess: btLess, btLessEqual: btLessEqual, 6: btLess},
	btEqual:        {btLess: btLess, btLessEqual: btLessEqual, btEqual: btEqual, btGreaterEqual: btGreaterEqual, btGreater: btGreater, 6: 6},
	btGreaterEqual: {btGreaterEqual: btGreaterEqual, btGreater: btGreater, 6: btGreater},
	btGreater:      {btGreaterEqual: btGreaterEqual, btGreater: btGreaterEqual, 6: btGreaterEqual},
}

// operatorImplies compares two comparisons of the same expression with constants.
func (g *glob) operatorImplies(clause, pred query.Expr) bool {
	c, ok1 := clause.(*query.OpExpr)
	p, ok2 := pred.(*query.OpExpr)
	if !ok1 || !ok2 || len(c.Args) != 2 || len(p.Args) != 2 || c.InputColl != p.InputColl {
		return false
	}
	c, p = g.constRight(c), g.constRight(p)
	if c == nil || p == nil || !equal(c.Args[0], p.Args[0]) {
		return false
	}
	cv, pv := c.Args[1].(*query.Const), p.Args[1].(*query.Const)
	if cv.Value.IsNull() || pv.Value.IsNull() {
		return false
	}
	for _, a := range g.amOpsOf(c.OpOID) {
		if a.AM != 403 {
			continue
		}
		strategy, right := int16(0), OID(0)
		if b := g.opInFamily(p.OpOID, a.Family); b != nil {
			strategy, right = b.Strategy, b.Right
		} else if neg := g.oper(p.OpOID).Negator; neg != 0 {
			if b := g.opInFamily(neg, a.Family); b != nil && b.Strategy == btEqual {
				strategy, right = 6, b.Right
			}
		}
		if strategy == 0 {
			continue
		}
		if test := implication[a.Strategy][strategy]; test != 0 {
			return g.constTest(a.Family, a.Right, right, test, c.InputColl, cv, pv)
		}
	}
	return false
}

func (g *glob) constTest(family, left, right OID, test int16, coll OID, c, p *query.Const) bool {
	not := test == 6
	if not {
		test = btEqual
	}
	op := g.amOp(family, left, right, test)
	if op == 0 {
		return false
	}
	call := g.operatorCaller(op, coll)
	return call != nil && call.test(c.Value, p.Value) != not
}

// constRight brings a comparison's constant to the right; nil when there is none.
func (g *glob) constRight(o *query.OpExpr) *query.OpExpr {
	if isConstExpr(o.Args[1]) {
		return o
	}
	if isConstExpr(o.Args[0]) {
		return g.commute(o)
	}
	return nil
}
