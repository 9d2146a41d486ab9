package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// aExpr analyses an operator and what the grammar writes as one.
func (p *state) aExpr(a *pg_query.A_Expr) query.Expr {
	at := int(a.Location)
	switch a.Kind {
	case pg_query.A_Expr_Kind_AEXPR_OP:
		if p.env.TransformNullEquals && len(a.Name) == 1 && a.Name[0].GetString_().GetSval() == "=" {
			switch test := (&pg_query.NullTest{Nulltesttype: pg_query.NullTestType_IS_NULL, Location: a.Location}); {
			case isNullConstant(a.Lexpr):
				test.Arg = a.Rexpr
				return p.nullTest(test)
			case isNullConstant(a.Rexpr):
				test.Arg = a.Lexpr
				return p.nullTest(test)
			}
		}
		return p.opExpr(a)
	case pg_query.A_Expr_Kind_AEXPR_OP_ANY, pg_query.A_Expr_Kind_AEXPR_OP_ALL:
		l, r := p.exprRec(a.Lexpr), p.exprRec(a.Rexpr)
		return p.scalarArrayOp(strList(a.Name), a.Kind == pg_query.A_Expr_Kind_AEXPR_OP_ANY, l, r, at)
	case pg_query.A_Expr_Kind_AEXPR_DISTINCT, pg_query.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		return p.distinctExpr(a)
	case pg_query.A_Expr_Kind_AEXPR_NULLIF:
		return p.nullIf(a)
	case pg_query.A_Expr_Kind_AEXPR_IN:
		return p.inExpr(a)
	case pg_query.A_Expr_Kind_AEXPR_LIKE, pg_query.A_Expr_Kind_AEXPR_ILIKE, pg_query.A_Expr_Kind_AEXPR_SIMILAR:
		return p.opExpr(a)
	case pg_query.A_Expr_Kind_AEXPR_BETWEEN, pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN, pg_query.A_Expr_Kind_AEXPR_BETWEEN_SYM,
		pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		return p.between(a)
	}
	throw(pgerr.Internal("unrecognized A_Expr kind: %d", a.Kind))
	return nil
}

func rowOf(n *node) *pg_query.RowExpr { return n.GetRowExpr() }

func isNullConst(n *node) bool { return n.GetAConst() != nil && n.GetAConst().Isnull }

// opExpr analyses a plain operator: rows are compared column by column.
func (p *state) opExpr(a *pg_query.A_Expr) query.Expr {
	at := int(a.Location)
	name := strList(a.Name)
	lrow, rrow := rowOf(a.Lexpr), rowOf(a.Rexpr)
	if lrow != nil && a.Rexpr.GetSubLink() != nil && a.Rexpr.GetSubLink().SubLinkType == pg_query.SubLinkType_EXPR_SUBLINK {
		// (a, b) op (select ...)
		s := a.Rexpr.GetSubLink()
		return p.subLink(&pg_query.SubLink{SubLinkType: pg_query.SubLinkType_ROWCOMPARE_SUBLINK, Testexpr: a.Lexpr, OperName: a.Name,
			Subselect: s.Subselect, Location: a.Location})
	}
	before := p.lastSRF
	if lrow != nil && rrow != nil {
		l := p.rowExpr(lrow, false).(*query.RowExpr)
		r := p.rowExpr(rrow, false).(*query.RowExpr)
		return p.rowCompare(name, l.Args, r.Args, at)
	}
	l := p.exprRec(a.Lexpr)
	r := p.exprRec(a.Rexpr)
	return p.operatorCallSRF(name, l, r, before, at)
}

// boolExpr analyses AND, OR, NOT.
func (p *state) boolExpr(b *pg_query.BoolExpr) query.Expr {
	e := &query.BoolExpr{Loc: int(b.Location)}
	what := ""
	switch b.Boolop {
	case pg_query.BoolExprType_AND_EXPR:
		e.Op, what = query.And, "AND"
	case pg_query.BoolExprType_OR_EXPR:
		e.Op, what = query.Or, "OR"
	default:
		e.Op, what = query.Not, "NOT"
	}
	for _, a := range b.Args {
		e.Args = append(e.Args, p.coerceToBoolean(p.exprRec(a), what))
	}
	return e
}

func (p *state) distinctExpr(a *pg_query.A_Expr) query.Expr {
	at := int(a.Location)
	not := a.Kind == pg_query.A_Expr_Kind_AEXPR_NOT_DISTINCT
	if isNullConst(a.Rexpr) {
		return p.distinctFromNull(a.Lexpr, !not, at)
	}
	if isNullConst(a.Lexpr) {
		return p.distinctFromNull(a.Rexpr, !not, at)
	}
	l, r := p.exprRec(a.Lexpr), p.exprRec(a.Rexpr)
	lr, lok := l.(*query.RowExpr)
	rr, rok := r.(*query.RowExpr)
	var e query.Expr
	if lok && rok {
		e = p.rowDistinct(strList(a.Name), lr, rr, at)
	} else {
		e = p.makeDistinct(strList(a.Name), l, r, at)
	}
	if not {
		e = &query.BoolExpr{Op: query.Not, Args: []query.Expr{e}, Loc: at}
	}
	return e
}

func (p *state) distinctFromNull(n *node, isNot bool, at int) query.Expr {
	arg := p.exprRec(n)
	return &query.NullTest{Arg: arg, IsNot: isNot, Loc: at}
}

func (p *state) makeDistinct(name []string, l, r query.Expr, at int) query.Expr {
	op := p.operatorCall(name, l, r, at).(*query.OpExpr)
	if op.TypeOID != types.BoolOID {
		fail(at, pgerr.DatatypeMismatch, "%s requires = operator to yield boolean", "IS DISTINCT FROM")
	}
	if op.RetSet {
		fail(at, pgerr.DatatypeMismatch, "%s must not return a set", "IS DISTINCT FROM")
	}
	return &query.DistinctExpr{OpExpr: *op}
}

func (p *state) rowDistinct(name []string, l, r *query.RowExpr, at int) query.Expr {
	if len(l.Args) != len(r.Args) {
		fail(at, pgerr.SyntaxError, "unequal number of entries in row expressions")
	}
	var e query.Expr
	for i := range l.Args {
		c := p.makeDistinct(name, l.Args[i], r.Args[i], at)
		if e == nil {
			e = c
		} else {
			e = &query.BoolExpr{Op: query.Or, Args: []query.Expr{e, c}, Loc: at}
		}
	}
	if e == nil {
		return &query.Const{TypeOID: types.BoolOID, Mod: -1, Value: types.Bool(false), Loc: -1}
	}
	return e
}

func (p *state) nullIf(a *pg_query.A_Expr) query.Expr {
	at := int(a.Location)
	l, r := p.exprRec(a.Lexpr), p.exprRec(a.Rexpr)
	op := p.operatorCall(strList(a.Name), l, r, at).(*query.OpExpr)
	if op.TypeOID != types.BoolOID {
		fail(at, pgerr.DatatypeMismatch, "%s requires = operator to yield boolean", "NULLIF")
	}
	if op.RetSet {
		fail(at, pgerr.DatatypeMismatch, "%s must not return a set", "NULLIF")
	}
	e := &query.NullIfExpr{OpExpr: *op}
	e.TypeOID = op.Args[0].Type()
	return e
}

// inExpr analyses x IN (list): = ANY (ARRAY[...]) for what has no Vars and a common type, ORs for the rest.
func (p *state) inExpr(a *pg_query.A_Expr) query.Expr {
	at := int(a.Location)
	name := strList(a.Name)
	useOr := name[len(name)-1] != "<>"
	l := p.exprRec(a.Lexpr)
	_, lIsRow := l.(*query.RowExpr)
	var all, consts, vars []query.Expr
	haveRow := lIsRow
	for _, n := range a.Rexpr.GetList().GetItems() {
		e := p.exprRec(n)
		if _, ok := e.(*query.RowExpr); ok {
			haveRow = true
		}
		all = append(all, e)
		if containsVarsAtLevel(e, 0) {
			vars = append(vars, e)
		} else {
			consts = append(consts, e)
		}
	}
	var result query.Expr
	if len(consts) > 1 {
		if e := p.inArray(name, useOr, l, consts, haveRow, at); e != nil {
			result, all = e, vars
		}
	}
	op := query.Or
	if !useOr {
		op = query.And
	}
	for _, e := range all {
		c := p.inComparison(name, l, e, at)
		c = p.coerceToBoolean(c, "IN")
		switch b, ok := result.(*query.BoolExpr); {
		case result == nil:
			result = c
		case ok && b.Op == op && b.Loc == at:
			b.Args = append(b.Args, c)
		default:
			result = &query.BoolExpr{Op: op, Args: []query.Expr{result, c}, Loc: at}
		}
	}
	return result
}

func (p *state) inComparison(name []string, l, r query.Expr, at int) query.Expr {
	lr, lok := l.(*query.RowExpr)
	rr, rok := r.(*query.RowExpr)
	if lok && rok {
		return p.rowCompare(name, lr.Args, rr.Args, at)
	}
	return p.operatorCall(name, l, r, at)
}

// inArray makes the array form, nil when the members have no common type that the operator takes.
func (p *state) inArray(name []string, useOr bool, l query.Expr, consts []query.Expr, haveRow bool, at int) query.Expr {
	all := append([]query.Expr{l}, consts...)
	scalar := p.commonType(all, "", nil)
	if scalar == 0 || !p.verifyCommon(scalar, all) || haveRow || scalar == types.RecordOID {
		return nil
	}
	arr := p.arrayType(scalar)
	if arr == 0 {
		return nil
	}
	elems := make([]query.Expr, len(consts))
	for i, e := range consts {
		elems[i] = p.coerceToCommon(e, scalar, "IN")
	}
	return p.scalarArrayOp(name, useOr, l, &query.ArrayExpr{TypeOID: arr, ElemType: scalar, Elems: elems, Loc: -1}, at)
}

// between expands to comparisons. The grammar's operand is analysed again for each, as PostgreSQL does.
func (p *state) between(a *pg_query.A_Expr) query.Expr {
	items := a.Rexpr.GetList().GetItems()
	low, high := items[0], items[1]
	cmp := func(op string, x, y *node) *node {
		return &node{Node: &pg_query.Node_AExpr{AExpr: &pg_query.A_Expr{Kind: pg_query.A_Expr_Kind_AEXPR_OP, Lexpr: x, Rexpr: y, Location: a.Location,
			Name: []*node{{Node: &pg_query.Node_String_{String_: &pg_query.String{Sval: op}}}}}}}
	}
	both := func(kind pg_query.BoolExprType, args ...*node) *node {
		return &node{Node: &pg_query.Node_BoolExpr{BoolExpr: &pg_query.BoolExpr{Boolop: kind, Args: args, Location: a.Location}}}
	}
	const and, or = pg_query.BoolExprType_AND_EXPR, pg_query.BoolExprType_OR_EXPR
	x := a.Lexpr
	switch a.Kind {
	case pg_query.A_Expr_Kind_AEXPR_BETWEEN:
		return p.exprRec(both(and, cmp(">=", x, low), cmp("<=", x, high)))
	case pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN:
		return p.exprRec(both(or, cmp("<", x, low), cmp(">", x, high)))
	case pg_query.A_Expr_Kind_AEXPR_BETWEEN_SYM:
		return p.exprRec(both(or, both(and, cmp(">=", x, low), cmp("<=", x, high)), both(and, cmp(">=", x, high), cmp("<=", x, low))))
	}
	return p.exprRec(both(and, both(or, cmp("<", x, low), cmp(">", x, high)), both(or, cmp("<", x, high), cmp(">", x, low))))
}

// rowCompare compares two rows: AND of =, OR of <>, or a RowCompareExpr for the orderings.
func (p *state) rowCompare(name []string, l, r []query.Expr, at int) query.Expr {
	if len(l) != len(r) {
		fail(at, pgerr.SyntaxError, "unequal number of entries in row expressions")
	}
	if len(l) == 0 {
		fail(at, pgerr.FeatureNotSupported, "cannot compare rows of zero length")
	}
	var ops []*query.OpExpr
	for i := range l {
		op, ok := p.operatorCall(name, l[i], r[i], at).(*query.OpExpr)
		if !ok || op.TypeOID != types.BoolOID {
			fail(at, pgerr.DatatypeMismatch, "row comparison operator must yield type boolean, not type %s", p.formatType(op.TypeOID))
		}
		if op.RetSet {
			fail(at, pgerr.DatatypeMismatch, "row comparison operator must not return a set")
		}
		ops = append(ops, op)
	}
	if len(ops) == 1 {
		return ops[0]
	}
	// One btree meaning that all the operators share decides what the comparison is.
	members := make([]map[OID]int16, len(ops))
	kinds := map[int16]bool{}
	for i, op := range ops {
		members[i] = p.btreeMembers(op.OpOID)
		set := map[int16]bool{}
		for _, s := range members[i] {
			if i == 0 || kinds[s] {
				set[s] = true
			}
		}
		kinds = set
	}
	kind := int16(0)
	for s := int16(1); s <= rowNotEqual; s++ {
		if kinds[s] {
			kind = s
			break
		}
	}
	if kind == 0 {
		throw(pgerr.New(pgerr.FeatureNotSupported, "could not determine interpretation of row comparison operator %s", name[len(name)-1]).
			WithHint("Row comparison operators must be associated with btree operator families.").WithLocation(at))
	}
	if kind == btEqual || kind == rowNotEqual {
		b := &query.BoolExpr{Op: query.And, Loc: at}
		if kind == rowNotEqual {
			b.Op = query.Or
		}
		for _, o := range ops {
			b.Args = append(b.Args, o)
		}
		return b
	}
	return p.rowCompareExpr(query.RowCompareKind(kind), kind, ops, members, at)
}

func (p *state) rowCompareExpr(kind query.RowCompareKind, strategy int16, ops []*query.OpExpr, members []map[OID]int16, at int) query.Expr {
	e := &query.RowCompareExpr{Kind: kind}
	for i, op := range ops {
		family := OID(0)
		for f, s := range members[i] {
			if s == strategy && (family == 0 || f < family) {
				family = f
			}
		}
		if family == 0 {
			throw(pgerr.New(pgerr.FeatureNotSupported, "could not determine interpretation of row comparison operator").WithLocation(at))
		}
		e.OpOIDs = append(e.OpOIDs, op.OpOID)
		e.OpFamilies = append(e.OpFamilies, family)
		e.InputColls = append(e.InputColls, 0)
		e.Left = append(e.Left, op.Args[0])
		e.Right = append(e.Right, op.Args[1])
	}
	return e
}

// nullTest analyses IS [NOT] NULL.
func (p *state) nullTest(n *pg_query.NullTest) query.Expr {
	arg := p.exprRec(n.Arg)
	return &query.NullTest{Arg: arg, IsNot: n.Nulltesttype == pg_query.NullTestType_IS_NOT_NULL, ArgIsRow: p.isRowType(arg.Type()), Loc: int(n.Location)}
}

var boolTests = map[pg_query.BoolTestType]struct {
	kind query.BoolTestKind
	name string
}{pg_query.BoolTestType_IS_TRUE: {query.IsTrue, "IS TRUE"}, pg_query.BoolTestType_IS_NOT_TRUE: {query.IsNotTrue, "IS NOT TRUE"},
	pg_query.BoolTestType_IS_FALSE: {query.IsFalse, "IS FALSE"}, pg_query.BoolTestType_IS_NOT_FALSE: {query.IsNotFalse, "IS NOT FALSE"},
	pg_query.BoolTestType_IS_UNKNOWN: {query.IsUnknown, "IS UNKNOWN"}, pg_query.BoolTestType_IS_NOT_UNKNOWN: {query.IsNotUnknown, "IS NOT UNKNOWN"}}

func (p *state) booleanTest(b *pg_query.BooleanTest) query.Expr {
	t := boolTests[b.Booltesttype]
	return &query.BooleanTest{Arg: p.coerceToBoolean(p.exprRec(b.Arg), t.name), Kind: t.kind, Loc: int(b.Location)}
}

func (p *state) currentOf(c *pg_query.CurrentOfExpr) query.Expr {
	if p.targetNS == nil {
		throw(pgerr.New(pgerr.FeatureNotSupported, "WHERE CURRENT OF is not supported on a view with no underlying relation"))
	}
	return &query.CurrentOfExpr{RTIndex: p.targetNS.index, CursorName: c.CursorName}
}

// isNullConstant says whether a node is NULL as written.
func isNullConstant(n *node) bool { return n.GetAConst().GetIsnull() }
