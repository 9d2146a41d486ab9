package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// typeCast analyses CAST(x AS t) and x::t.
func (p *state) typeCast(tc *pg_query.TypeCast) query.Expr {
	typ, mod := p.typeNameMod(tc.TypeName)
	var e query.Expr
	if a := tc.Arg.GetAArrayExpr(); a != nil {
		// ARRAY[...]::t[]: the elements are coerced to t at once, so that literals need no common type.
		base, baseMod := p.baseTypeMod(typ, mod)
		if elem := p.elementType(base); elem != 0 {
			e = p.arrayExpr(a, base, elem, baseMod)
		}
	}
	if e == nil {
		e = p.exprRec(tc.Arg)
	}
	from := e.Type()
	at := int(tc.Location)
	if at < 0 {
		at = int(tc.TypeName.Location)
	}
	c := p.coerceTo(e, from, typ, mod, coercionExplicit, query.CoerceExplicitCast, at)
	if c == nil {
		fail(coercionPlace(at, e), pgerr.CannotCoerce, "cannot cast type %s to %s", p.formatType(from), p.formatType(typ))
	}
	return c
}

func coercionPlace(at int, e query.Expr) int {
	if at >= 0 {
		return at
	}
	return exprLocation(e)
}

func (p *state) collateClause(c *pg_query.CollateClause) query.Expr {
	arg := p.exprRec(c.Arg)
	at := int(c.Location)
	t := arg.Type()
	if p.typeCollation(t) == 0 && t != types.UnknownOID {
		fail(at, pgerr.DatatypeMismatch, "collations are not supported by type %s", p.formatType(t))
	}
	return &query.CollateExpr{Arg: arg, Coll: p.collationByName(strList(c.Collname), at), Loc: at}
}

func (p *state) collationByName(name []string, at int) OID {
	schema, coll := p.qualified(name)
	oid := must(p.env.Catalog.CollationByName(schema, coll))
	if oid == 0 {
		fail(at, pgerr.UndefinedObject, "collation \"%s\" for encoding \"%s\" does not exist", nameList(name), "UTF8")
	}
	return oid
}

// arrayExpr analyses ARRAY[...]; arr and elem are the types that a cast above asks for, 0 = find the common type.
func (p *state) arrayExpr(a *pg_query.A_ArrayExpr, arr, elem OID, mod int32) query.Expr {
	out := &query.ArrayExpr{Loc: int(a.Location)}
	var elems []query.Expr
	for _, n := range a.Elements {
		var e query.Expr
		if sub := n.GetAArrayExpr(); sub != nil {
			e = p.arrayExpr(sub, arr, elem, mod)
			out.MultiDims = true
		} else {
			e = p.exprRec(n)
			if !out.MultiDims && p.elementType(e.Type()) != 0 && e.Type() != types.Int2vectorOID && e.Type() != types.OidvectorOID {
				out.MultiDims = true
			}
		}
		elems = append(elems, e)
	}
	hard := arr != 0
	coerceTo := elem
	if hard {
		if out.MultiDims {
			coerceTo = arr
		}
	} else {
		if len(elems) == 0 {
			throw(pgerr.New(pgerr.IndeterminateDatatype, "cannot determine type of empty array").
				WithHint("Explicitly cast to the desired type, for example ARRAY[]::integer[].").WithLocation(out.Loc))
		}
		coerceTo = p.commonType(elems, "ARRAY", nil)
		if out.MultiDims {
			arr = coerceTo
			if elem = p.elementType(arr); elem == 0 {
				fail(out.Loc, pgerr.UndefinedObject, "could not find element type for data type %s", p.formatType(arr))
			}
		} else {
			elem = coerceTo
			if arr = p.arrayType(elem); arr == 0 {
				fail(out.Loc, pgerr.UndefinedObject, "could not find array type for data type %s", p.formatType(elem))
			}
		}
	}
	for i, e := range elems {
		if !hard {
			elems[i] = p.coerceToCommon(e, coerceTo, "ARRAY")
			continue
		}
		c := p.coerceTo(e, e.Type(), coerceTo, mod, coercionExplicit, query.CoerceExplicitCast, -1)
		if c == nil {
			fail(exprLocation(e), pgerr.CannotCoerce, "cannot cast type %s to %s", p.formatType(e.Type()), p.formatType(coerceTo))
		}
		elems[i] = c
	}
	out.TypeOID, out.ElemType, out.Elems = arr, elem, elems
	return out
}

var subLinkKinds = map[pg_query.SubLinkType]query.SubLinkKind{pg_query.SubLinkType_EXISTS_SUBLINK: query.ExistsSubLink,
	pg_query.SubLinkType_ALL_SUBLINK: query.AllSubLink, pg_query.SubLinkType_ANY_SUBLINK: query.AnySubLink,
	pg_query.SubLinkType_ROWCOMPARE_SUBLINK: query.RowCompareSubLink, pg_query.SubLinkType_EXPR_SUBLINK: query.ExprSubLink,
	pg_query.SubLinkType_ARRAY_SUBLINK: query.ArraySubLink, pg_query.SubLinkType_MULTIEXPR_SUBLINK: query.MultiExprSubLink}

// subLinkForbidden are the places where a sub-select cannot be.
var subLinkForbidden = map[exprKind]string{kindCheckConstraint: "cannot use subquery in check constraint",
	kindDomainCheck: "cannot use subquery in check constraint", kindColumnDefault: "cannot use subquery in DEFAULT expression",
	kindFunctionDefault: "cannot use subquery in DEFAULT expression", kindIndexExpression: "cannot use subquery in index expression",
	kindIndexPredicate: "cannot use subquery in index predicate", kindStatsExpression: "cannot use subquery in statistics expression",
	kindAlterColTransform: "cannot use subquery in transform expression", kindExecuteParameter: "cannot use subquery in EXECUTE parameter",
	kindTriggerWhen: "cannot use subquery in trigger WHEN condition", kindPartitionBound: "cannot use subquery in partition bound",
	kindPartitionExpression: "cannot use subquery in partition key expression", kindCallArgument: "cannot use subquery in CALL argument",
	kindCopyWhere:       "cannot use subquery in COPY FROM WHERE condition",
	kindGeneratedColumn: "cannot use subquery in column generation expression"}

// subLink analyses a sub-select in an expression.
func (p *state) subLink(s *pg_query.SubLink) query.Expr {
	at := int(s.Location)
	if msg := subLinkForbidden[p.exprKind]; msg != "" {
		fail(at, pgerr.FeatureNotSupported, "%s", msg)
	}
	p.hasSubLinks = true
	sub := p.subStatement(s.Subselect, nil, false, true)
	if sub.Command != query.CmdSelect {
		throw(pgerr.Internal("unexpected non-SELECT command in SubLink"))
	}
	out := &query.SubLink{Kind: subLinkKinds[s.SubLinkType], Subquery: sub, Loc: at}
	switch out.Kind {
	case query.ExistsSubLink:
	case query.ExprSubLink, query.ArraySubLink:
		if len(visibleTargets(sub)) != 1 {
			fail(at, pgerr.SyntaxError, "subquery must return only one column")
		}
		if out.Kind == query.ArraySubLink {
			p.setArrayType(out)
		}
	case query.MultiExprSubLink:
	default:
		p.testedSubLink(out, s)
	}
	return out
}

// setArrayType finds the type of ARRAY(SELECT x): an array of x, or x itself when it is an array.
func (p *state) setArrayType(s *query.SubLink) {
	t := visibleTargets(s.Subquery)[0].Expr.Type()
	s.ArrayType = p.arrayType(t)
	if s.ArrayType == 0 && p.elementType(t) != 0 {
		s.ArrayType = t
	}
	if s.ArrayType == 0 {
		throw(pgerr.New(pgerr.UndefinedObject, "could not find array type for data type %s", p.formatType(t)))
	}
}

// testedSubLink makes the comparison of IN, ANY, ALL and row comparison.
func (p *state) testedSubLink(out *query.SubLink, s *pg_query.SubLink) {
	out.OpNames = strList(s.OperName)
	name := out.OpNames
	if len(name) == 0 {
		name = []string{"="} // IN
	}
	l := p.exprRec(s.Testexpr)
	left := []query.Expr{l}
	if row, ok := l.(*query.RowExpr); ok {
		left = row.Args
	}
	var right []query.Expr
	for i, t := range visibleTargets(out.Subquery) {
		right = append(right, &query.Param{Kind: query.ParamSublink, ID: i + 1, TypeOID: t.Expr.Type(), Mod: t.Expr.TypMod(), Coll: t.Expr.Collation(),
			Loc: -1})
	}
	if len(left) < len(right) {
		fail(out.Loc, pgerr.SyntaxError, "subquery has too many columns")
	}
	if len(left) > len(right) {
		fail(out.Loc, pgerr.SyntaxError, "subquery has too few columns")
	}
	out.Test = p.rowCompare(name, left, right, out.Loc)
}

// caseExpr analyses CASE.
func (p *state) caseExpr(c *pg_query.CaseExpr) query.Expr {
	out := &query.CaseExpr{Loc: int(c.Location)}
	var test *query.CaseTestExpr
	lastSRF := p.lastSRF
	if c.Arg != nil {
		arg := p.exprRec(c.Arg)
		if arg.Type() == types.UnknownOID {
			arg = p.coerceToCommon(arg, types.TextOID, "CASE")
		}
		p.assignCollations(arg)
		out.Arg = arg
		test = &query.CaseTestExpr{TypeOID: arg.Type(), Mod: arg.TypMod(), Coll: arg.Collation()}
	}
	var results []query.Expr
	for _, n := range c.Args {
		w := n.GetCaseWhen()
		when := &query.CaseWhen{Loc: int(w.Location)}
		if test != nil {
			r := p.exprRec(w.Expr)
			when.Cond = p.operatorCall([]string{"="}, test, r, when.Loc)
		} else {
			when.Cond = p.exprRec(w.Expr)
		}
		when.Cond = p.coerceToBoolean(when.Cond, "CASE/WHEN")
		when.Result = p.exprRec(w.Result)
		results = append(results, when.Result)
		out.Whens = append(out.Whens, when)
	}
	if c.Defresult != nil {
		out.Default = p.exprRec(c.Defresult)
	} else {
		out.Default = &query.Const{TypeOID: types.UnknownOID, Mod: -1, Value: types.Null, Loc: -1}
	}
	// The ELSE is most to the front, for historical reasons.
	out.TypeOID = p.commonType(append([]query.Expr{out.Default}, results...), "CASE", nil)
	out.Default = p.coerceToCommon(out.Default, out.TypeOID, "CASE/ELSE")
	for _, w := range out.Whens {
		w.Result = p.coerceToCommon(w.Result, out.TypeOID, "CASE/WHEN")
	}
	if p.lastSRF != lastSRF {
		throw(pgerr.New(pgerr.FeatureNotSupported, "set-returning functions are not allowed in %s", "CASE").
			WithHint("You might be able to move the set-returning function into a LATERAL FROM item.").WithLocation(exprLocation(p.lastSRF)))
	}
	return out
}

// rowExpr analyses ROW(...); defaults says that DEFAULT may be in it.
func (p *state) rowExpr(r *pg_query.RowExpr, defaults bool) query.Expr {
	out := &query.RowExpr{TypeOID: types.RecordOID, Loc: int(r.Location)}
	if r.RowFormat == pg_query.CoercionForm_COERCE_IMPLICIT_CAST {
		out.Form = query.CoerceImplicitCast
	}
	out.Args = p.exprList(r.Args, p.exprKind, defaults)
	const columnsMax = 1664
	if len(out.Args) > columnsMax {
		fail(out.Loc, pgerr.TooManyColumns, "ROW expressions can have at most %d entries", columnsMax)
	}
	for i := range out.Args {
		out.ColNames = append(out.ColNames, "f"+itoa(i+1))
	}
	return out
}

func (p *state) coalesce(c *pg_query.CoalesceExpr) query.Expr {
	out := &query.CoalesceExpr{Loc: int(c.Location)}
	lastSRF := p.lastSRF
	for _, a := range c.Args {
		out.Args = append(out.Args, p.exprRec(a))
	}
	out.TypeOID = p.commonType(out.Args, "COALESCE", nil)
	for i, a := range out.Args {
		out.Args[i] = p.coerceToCommon(a, out.TypeOID, "COALESCE")
	}
	if p.lastSRF != lastSRF {
		throw(pgerr.New(pgerr.FeatureNotSupported, "set-returning functions are not allowed in %s", "COALESCE").
			WithHint("You might be able to move the set-returning function into a LATERAL FROM item.").WithLocation(exprLocation(p.lastSRF)))
	}
	return out
}

func (p *state) minMax(m *pg_query.MinMaxExpr) query.Expr {
	out := &query.MinMaxExpr{Loc: int(m.Location), Least: m.Op == pg_query.MinMaxOp_IS_LEAST}
	name := "GREATEST"
	if out.Least {
		name = "LEAST"
	}
	for _, a := range m.Args {
		out.Args = append(out.Args, p.exprRec(a))
	}
	out.TypeOID = p.commonType(out.Args, name, nil)
	for i, a := range out.Args {
		out.Args[i] = p.coerceToCommon(a, out.TypeOID, name)
	}
	return out
}

var svfTypes = map[int]OID{query.SVFCurrentDate: types.DateOID, query.SVFCurrentTime: types.TimetzOID, query.SVFCurrentTimeN: types.TimetzOID,
	query.SVFCurrentTimestamp: types.TimestamptzOID, query.SVFCurrentTimestampN: types.TimestamptzOID, query.SVFLocaltime: types.TimeOID,
	query.SVFLocaltimeN: types.TimeOID, query.SVFLocaltimestamp: types.TimestampOID, query.SVFLocaltimestampN: types.TimestampOID}

func (p *state) sqlValueFunction(s *pg_query.SQLValueFunction) query.Expr {
	out := &query.SQLValueFunction{Op: int(s.Op) - 1, TypeOID: types.NameOID, Mod: s.Typmod, Loc: int(s.Location)}
	if t := svfTypes[out.Op]; t != 0 {
		out.TypeOID = t
	}
	switch out.Op {
	case query.SVFCurrentTimeN, query.SVFCurrentTimestampN, query.SVFLocaltimeN, query.SVFLocaltimestampN:
		const precisionMax = 6
		if out.Mod > precisionMax {
			names := map[int]string{query.SVFCurrentTimeN: "TIME", query.SVFCurrentTimestampN: "TIMESTAMP", query.SVFLocaltimeN: "TIME",
				query.SVFLocaltimestampN: "TIMESTAMP"}
			zone := ""
			if out.Op == query.SVFCurrentTimeN || out.Op == query.SVFCurrentTimestampN {
				zone = " WITH TIME ZONE"
			}
			p.notice(&pgerr.Error{Severity: "WARNING", Code: pgerr.InvalidParameterValue, Message: names[out.Op] + "(" + itoa(int(out.Mod)) + ")" + zone +
				" precision reduced to maximum allowed, " + itoa(precisionMax)})
			out.Mod = precisionMax
		}
	default:
		out.Mod = -1
	}
	return out
}

// multiAssignRef analyses one column of UPDATE ... SET (a, b) = ...
func (p *state) multiAssignRef(r *pg_query.MultiAssignRef) query.Expr {
	if r.Colno == 1 {
		p.startMultiAssign(r)
	}
	t := p.multiAssign[len(p.multiAssign)-1]
	n := int(r.Colno)
	if s, ok := t.Expr.(*query.SubLink); ok {
		col := visibleTargets(s.Subquery)[n-1]
		return &query.Param{Kind: query.ParamMultiExpr, ID: s.ID<<16 | n, TypeOID: col.Expr.Type(), Mod: col.Expr.TypMod(), Coll: col.Expr.Collation(),
			Loc: exprLocation(col.Expr)}
	}
	row := t.Expr.(*query.RowExpr)
	e := row.Args[n-1]
	if n == int(r.Ncolumns) {
		p.multiAssign = p.multiAssign[:len(p.multiAssign)-1]
	}
	return e
}

func (p *state) startMultiAssign(r *pg_query.MultiAssignRef) {
	switch src := r.Source.Node.(type) {
	case *pg_query.Node_SubLink:
		if src.SubLink.SubLinkType != pg_query.SubLinkType_EXPR_SUBLINK {
			break
		}
		s := p.subLink(&pg_query.SubLink{SubLinkType: pg_query.SubLinkType_MULTIEXPR_SUBLINK, Subselect: src.SubLink.Subselect,
			Location: src.SubLink.Location}).(*query.SubLink)
		if len(visibleTargets(s.Subquery)) != int(r.Ncolumns) {
			fail(s.Loc, pgerr.SyntaxError, "number of columns does not match number of values")
		}
		p.multiAssign = append(p.multiAssign, &query.TargetEntry{Expr: s, Junk: true})
		s.ID = len(p.multiAssign)
		return
	case *pg_query.Node_RowExpr:
		row := p.rowExpr(src.RowExpr, true).(*query.RowExpr)
		if len(row.Args) != int(r.Ncolumns) {
			fail(row.Loc, pgerr.SyntaxError, "number of columns does not match number of values")
		}
		p.multiAssign = append(p.multiAssign, &query.TargetEntry{Expr: row, Junk: true})
		return
	}
	e := p.exprRec(r.Source)
	throw(pgerr.New(pgerr.FeatureNotSupported, "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression").
		WithLocation(exprLocation(e)))
}
