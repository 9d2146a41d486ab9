package plan

import "github.com/calfdb/calf/sql/query"

// excludedByConstraints: the child's conditions contradict each other, or its CHECK constraints.
func (r *root) excludedByConstraints(c *rel) bool {
	if r.g.set.ConstraintExclusion == ConstraintExclusionOff {
		return false
	}
	var conds []query.Expr
	for _, ri := range c.restricts {
		if !r.g.mutable(ri.clause) {
			conds = append(conds, ri.clause)
		}
	}
	if len(conds) == 0 {
		return false
	}
	if r.g.refutesAll(conds, conds, true) {
		return true
	}
	if c.desc.Kind != 'r' {
		return false
	}
	var known []query.Expr
	for _, k := range c.desc.Checks {
		if !k.Validated || k.NoInherit && c.rte.Inh {
			continue
		}
		for _, e := range implicitAnd(r.g.fold(moveVars(k.Expr, 1, c.index))) {
			if !r.g.mutable(e) {
				known = append(known, e)
			}
		}
	}
	if !c.rte.Inh {
		for i := range c.desc.Desc.Attrs {
			if a := &c.desc.Desc.Attrs[i]; a.NotNull && !a.Dropped {
				known = append(known, &query.NullTest{Arg: r.columnVar(c, a.Num), IsNot: true, Loc: -1})
			}
		}
	}
	return len(known) > 0 && r.g.refutesAll(conds, known, false)
}

// refutesAll says whether the clauses, true together, keep the predicates from being true together (weak: the clauses not being false is enough to
// go by). It proves less than everything that holds.
func (g *glob) refutesAll(clauses, preds []query.Expr, weak bool) bool {
	return g.refutes(makeAnd(clauses), makeAnd(preds), weak)
}

// arms gives the parts of an AND or OR; an array comparison is one too.
func (g *glob) arms(e query.Expr) (op query.BoolOp, list []query.Expr) {
	switch e := e.(type) {
	case *query.BoolExpr:
		if e.Op != query.Not {
			return e.Op, e.Args
		}
	case *query.ScalarArrayOpExpr:
		if list := g.arrayArms(e); list != nil {
			return query.Or, list
		}
	}
	return query.Not, nil
}

func (g *glob) refutes(clause, pred query.Expr, weak bool) bool {
	cop, carms := g.arms(clause)
	pop, parms := g.arms(pred)
	anyPred := func() bool {
		for _, p := range parms {
			if g.refutes(clause, p, weak) {
				return true
			}
		}
		return false
	}
	allPreds := func() bool {
		for _, p := range parms {
			if !g.refutes(clause, p, weak) {
				return false
			}
		}
		return true
	}
	anyClause := func() bool {
		for _, c := range carms {
			if g.refutes(c, pred, weak) {
				return true
			}
		}
		return false
	}
	switch {
	case carms != nil && cop == query.And:
		switch {
		case parms != nil && pop == query.And:
			return anyPred() || anyClause()
		case parms != nil:
			return allPreds()
		}
		if not := notArg(pred); not != nil && g.impliedBy(not, []query.Expr{clause}) {
			return true
		}
		return anyClause()
	case carms != nil: // each alternative must
		if parms != nil && pop == query.Or {
			return allPreds()
		}
		for _, c := range carms {
			if !g.refutes(c, pred, weak) {
				return false
			}
		}
		return true
	}
	if not := strongNotArg(clause); not != nil && g.impliedBy(not, []query.Expr{pred}) {
		return true
	}
	switch {
	case parms != nil && pop == query.And:
		return anyPred()
	case parms != nil:
		return allPreds()
	}
	if not := notArg(pred); not != nil && g.impliedBy(not, []query.Expr{clause}) {
		return true
	}
	return g.refutesSimple(clause, pred, weak)
}

// notArg gives what a condition says is not true.
func notArg(e query.Expr) query.Expr {
	switch e := e.(type) {
	case *query.BoolExpr:
		if e.Op == query.Not {
			return e.Args[0]
		}
	case *query.BooleanTest:
		switch e.Kind {
		case query.IsNotTrue, query.IsFalse, query.IsUnknown:
			return e.Arg
		}
	}
	return nil
}

// strongNotArg gives what a condition says is false.
func strongNotArg(e query.Expr) query.Expr {
	switch e := e.(type) {
	case *query.BoolExpr:
		if e.Op == query.Not {
			return e.Args[0]
		}
	case *query.BooleanTest:
		if e.Kind == query.IsFalse {
			return e.Arg
		}
	}
	return nil
}

func (g *glob) refutesSimple(clause, pred query.Expr, weak bool) bool {
	if clause == pred {
		return false
	}
	c, cNull := clause.(*query.NullTest)
	p, pNull := pred.(*query.NullTest)
	if cNull && !c.IsNot {
		switch {
		case c.ArgIsRow:
			return false
		case pNull && p.IsNot && !p.ArgIsRow && equal(p.Arg, c.Arg):
			return true
		}
		return weak && g.strictOn(pred, c.Arg)
	}
	if pNull && !p.IsNot {
		switch {
		case p.ArgIsRow:
			return false
		case cNull && c.IsNot && !c.ArgIsRow && equal(c.Arg, p.Arg):
			return true
		}
		return g.strictOn(clause, p.Arg)
	}
	return g.operatorRefutes(clause, pred)
}

// refutation[clause strategy][pred strategy]: with clause x OP1 c and pred x OP2 p, pred can't be true when `c TEST p` holds; 0 = never.
var refutation = [7][7]int16{
	btLess:         {btEqual: btLessEqual, btGreaterEqual: btLessEqual, btGreater: btLessEqual},
	btLessEqual:    {btEqual: btLess, btGreaterEqual: btLess, btGreater: btLessEqual},
	btEqual:        {btLess: btGreaterEqual, btLessEqual: btGreater, btEqual: 6, btGreaterEqual: btLess, btGreater: btLessEqual, 6: btEqual},
	btGreaterEqual: {btLess: btGreaterEqual, btLessEqual: btGreater, btEqual: btGreater},
	btGreater:      {btLess: btGreaterEqual, btLessEqual: btGreaterEqual, btEqual: btGreaterEqual},
	6:              {btEqual: btEqual},
}

// operatorRefutes compares two comparisons of the same expression: with the same other side by their operators, with constants by those.
func (g *glob) operatorRefutes(clause, pred query.Expr) bool {
	c, ok1 := clause.(*query.OpExpr)
	p, ok2 := pred.(*query.OpExpr)
	if !ok1 || !ok2 || len(c.Args) != 2 || len(p.Args) != 2 || c.InputColl != p.InputColl {
		return false
	}
	if equal(c.Args[0], p.Args[0]) && equal(c.Args[1], p.Args[1]) {
		return g.oper(p.OpOID).Negator == c.OpOID && c.OpOID != 0
	}
	c, p = g.constRight(c), g.constRight(p)
	if c == nil || p == nil || !equal(c.Args[0], p.Args[0]) {
		return false
	}
	cv, pv := c.Args[1].(*query.Const), p.Args[1].(*query.Const)
	if cv.Value.IsNull() || pv.Value.IsNull() {
		return cv.Value.IsNull() && g.proc(g.opFunc(c)).Strict || pv.Value.IsNull() && g.proc(g.opFunc(p)).Strict
	}
	for _, family := range g.btreeFamilies(c.OpOID) {
		cs, left := g.strategyIn(c.OpOID, family)
		ps, right := g.strategyIn(p.OpOID, family)
		if cs == 0 || ps == 0 {
			continue
		}
		if test := refutation[cs][ps]; test != 0 {
			return g.constTest(family, left, right, test, c.InputColl, cv, pv)
		}
	}
	return false
}

// btreeFamilies gives the btree families of an operator, or of the equality that it negates.
func (g *glob) btreeFamilies(op OID) (out []OID) {
	for _, o := range []OID{op, g.oper(op).Negator} {
		if o == 0 {
			continue
		}
		for _, a := range g.amOpsOf(o) {
			if a.AM == 403 && (o == op || a.Strategy == btEqual) {
				out = append(out, a.Family)
			}
		}
	}
	return out
}

// strategyIn gives an operator's strategy in a family, 6 for <>, 0 for none, and its right type.
func (g *glob) strategyIn(op, family OID) (int16, OID) {
	if a := g.opInFamily(op, family); a != nil {
		return a.Strategy, a.Right
	}
	if neg := g.oper(op).Negator; neg != 0 {
		if a := g.opInFamily(neg, family); a != nil && a.Strategy == btEqual {
			return 6, a.Right
		}
	}
	return 0, 0
}
