package analyze

import (
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// expr analyses an expression that stands in a clause of the given kind.
func (p *state) expr(n *node, kind exprKind) query.Expr {
	save := p.exprKind
	p.exprKind = kind
	e := p.exprRec(n)
	p.exprKind = save
	return e
}

// exprIn is expr; named apart where the clause is inside another expression's own.
func (p *state) exprIn(n *node, kind exprKind) query.Expr { return p.expr(n, kind) }

// exprRec analyses an expression in the clause that is current.
func (p *state) exprRec(n *node) query.Expr {
	if n == nil {
		return nil
	}
	p.enter()
	defer p.leave()
	switch n := n.Node.(type) {
	case *pg_query.Node_ColumnRef:
		return p.columnRef(n.ColumnRef)
	case *pg_query.Node_ParamRef:
		return p.paramRef(n.ParamRef)
	case *pg_query.Node_AConst:
		return p.constant(n.AConst)
	case *pg_query.Node_AIndirection:
		return p.indirection(n.AIndirection)
	case *pg_query.Node_AArrayExpr:
		return p.arrayExpr(n.AArrayExpr, 0, 0, -1)
	case *pg_query.Node_TypeCast:
		return p.typeCast(n.TypeCast)
	case *pg_query.Node_CollateClause:
		return p.collateClause(n.CollateClause)
	case *pg_query.Node_AExpr:
		return p.aExpr(n.AExpr)
	case *pg_query.Node_BoolExpr:
		return p.boolExpr(n.BoolExpr)
	case *pg_query.Node_FuncCall:
		return p.funcExpr(n.FuncCall)
	case *pg_query.Node_MultiAssignRef:
		return p.multiAssignRef(n.MultiAssignRef)
	case *pg_query.Node_GroupingFunc:
		return p.groupingFunc(n.GroupingFunc)
	case *pg_query.Node_NamedArgExpr:
		a := n.NamedArgExpr
		return &query.NamedArg{Name: a.Name, Arg: p.exprRec(a.Arg), Num: -1, Loc: int(a.Location)}
	case *pg_query.Node_SubLink:
		return p.subLink(n.SubLink)
	case *pg_query.Node_CaseExpr:
		return p.caseExpr(n.CaseExpr)
	case *pg_query.Node_RowExpr:
		return p.rowExpr(n.RowExpr, false)
	case *pg_query.Node_CoalesceExpr:
		return p.coalesce(n.CoalesceExpr)
	case *pg_query.Node_MinMaxExpr:
		return p.minMax(n.MinMaxExpr)
	case *pg_query.Node_SqlvalueFunction:
		return p.sqlValueFunction(n.SqlvalueFunction)
	case *pg_query.Node_NullTest:
		return p.nullTest(n.NullTest)
	case *pg_query.Node_BooleanTest:
		return p.booleanTest(n.BooleanTest)
	case *pg_query.Node_CurrentOfExpr:
		return p.currentOf(n.CurrentOfExpr)
	case *pg_query.Node_SetToDefault:
		fail(int(n.SetToDefault.Location), pgerr.SyntaxError, "DEFAULT is not allowed in this context")
	case *pg_query.Node_XmlExpr:
		throw(pgerr.NotSupported("XML").WithLocation(int(n.XmlExpr.Location)))
	case *pg_query.Node_XmlSerialize:
		throw(pgerr.NotSupported("XML").WithLocation(int(n.XmlSerialize.Location)))
	default:
		throw(pgerr.Internal("unrecognized node type: %T", n))
	}
	return nil
}

// constant makes a Const of a literal. An integer too large for int4 comes as a float literal, and becomes int8 or numeric by its size.
func (p *state) constant(c *pg_query.A_Const) query.Expr {
	k := &query.Const{TypeOID: types.UnknownOID, Mod: -1, Value: types.Null, Loc: int(c.Location)}
	if c.Isnull {
		return k
	}
	switch v := c.Val.(type) {
	case *pg_query.A_Const_Ival:
		k.TypeOID, k.Value = types.Int4OID, types.Int4(v.Ival.GetIval())
	case *pg_query.A_Const_Fval:
		if n, err := strconv.ParseInt(v.Fval.Fval, 10, 64); err == nil {
			k.TypeOID, k.Value = types.Int8OID, types.Int8(n)
			if int64(int32(n)) == n {
				k.TypeOID, k.Value = types.Int4OID, types.Int4(int32(n))
			}
			break
		}
		d, err := types.Input(p.env.Types, types.NumericOID, -1, v.Fval.Fval)
		if err != nil {
			throw(pgerr.From(err).WithLocation(k.Loc))
		}
		k.TypeOID, k.Value = types.NumericOID, d.Clone()
	case *pg_query.A_Const_Boolval:
		k.TypeOID, k.Value = types.BoolOID, types.Bool(v.Boolval.GetBoolval())
	case *pg_query.A_Const_Sval:
		k.Value = types.Text(v.Sval.GetSval())
	case *pg_query.A_Const_Bsval:
		d, err := types.Input(p.env.Types, types.BitOID, -1, v.Bsval.Bsval)
		if err != nil {
			throw(pgerr.From(err).WithLocation(k.Loc))
		}
		k.TypeOID, k.Value = types.BitOID, d.Clone()
	case nil: // the integer 0: protobuf leaves an empty message out
		k.TypeOID, k.Value = types.Int4OID, types.Int4(0)
	}
	return k
}

// paramRef makes the Param of $n.
func (p *state) paramRef(r *pg_query.ParamRef) query.Expr {
	n, at := int(r.Number), int(r.Location)
	ps := p.env.Params
	if ps != nil && ps.Hook != nil {
		if e := must(ps.Hook(n, at)); e != nil {
			return e
		}
	}
	const paramsMax = 65535
	if ps == nil || n <= 0 || n > paramsMax || !ps.Variable && n > len(ps.Types) {
		fail(at, pgerr.UndefinedParameter, "there is no parameter $%d", n)
	}
	for len(ps.Types) < n {
		ps.Types = append(ps.Types, 0)
	}
	if ps.Types[n-1] == 0 {
		if !ps.Variable {
			fail(at, pgerr.UndefinedParameter, "there is no parameter $%d", n)
		}
		ps.Types[n-1] = types.UnknownOID
	}
	t := ps.Types[n-1]
	// JDBC marks output parameters of procedures as void; seen outside a CALL they are as good as unknown.
	if ps.Variable && t == types.VoidOID && p.exprKind == kindCallArgument {
		ps.Types[n-1], t = types.UnknownOID, types.UnknownOID
	}
	return &query.Param{Kind: query.ParamExtern, ID: n, TypeOID: t, Mod: -1, Coll: p.typeCollation(t), Loc: at}
}

// checkParams ends the analysis when a parameter stands with a type other than the one it was found to have later.
func (p *state) checkParams(q *query.Query) {
	ps := p.env.Params
	if ps == nil || !ps.Variable || len(ps.Types) == 0 {
		return
	}
	query.WalkQueryLevels(q, func(e query.Expr, _ int) bool {
		if pr, ok := e.(*query.Param); ok && pr.Kind == query.ParamExtern && pr.TypeOID != ps.Types[pr.ID-1] {
			fail(pr.Loc, pgerr.AmbiguousParameter, "could not determine data type of parameter $%d", pr.ID)
		}
		return true
	})
}

// columnRef resolves a possibly qualified column name.
func (p *state) columnRef(c *pg_query.ColumnRef) query.Expr {
	at := int(c.Location)
	switch p.exprKind {
	case kindColumnDefault:
		fail(at, pgerr.FeatureNotSupported, "cannot use column reference in DEFAULT expression")
	case kindPartitionBound:
		fail(at, pgerr.FeatureNotSupported, "cannot use column reference in partition bound expression")
	}
	names, star := fieldNames(c.Fields)
	if p.env.ColumnHook != nil {
		if e := must(p.env.ColumnHook(names, at, false, nil)); e != nil {
			return e
		}
	}
	e, missing := p.resolveColumn(names, star, at)
	if p.env.ColumnHook != nil {
		h := must(p.env.ColumnHook(names, at, true, e))
		if e == nil {
			e = h
		} else if h != nil {
			fail(at, pgerr.AmbiguousColumn, "column reference \"%s\" is ambiguous", nameList(names))
		}
	}
	if e == nil {
		e = p.functionArg(names, at)
	}
	if e == nil {
		missing()
	}
	return e
}

// fieldNames splits a column reference; star says that it ends in *.
func fieldNames(fields []*node) (names []string, star bool) {
	for _, f := range fields {
		if _, ok := f.Node.(*pg_query.Node_AStar); ok {
			return names, true
		}
		names = append(names, strVal(f))
	}
	return names, false
}

// resolveColumn finds a column; when it is nil, missing raises the error that says why.
func (p *state) resolveColumn(names []string, star bool, at int) (e query.Expr, missing func()) {
	table := names
	if !star {
		table = names[:len(names)-1]
	}
	column := names[len(names)-1]
	if len(table) == 0 {
		if e := p.findColumn(column, false, at); e != nil {
			return e, nil
		}
		// A bare table name means its whole row, for PostQUEL's sake.
		if item, up := p.findTable("", column, at); item != nil {
			return p.wholeRow(item, up, at), nil
		}
		return nil, func() { p.errMissingColumn("", column, at) }
	}
	schema, rel := "", table[len(table)-1]
	switch len(table) {
	case 2:
		schema = table[0]
	case 3:
		if table[0] != p.env.Database {
			return nil, func() {
				fail(at, pgerr.FeatureNotSupported, "cross-database references are not implemented: %s", nameList(names))
			}
		}
		schema = table[1]
	case 1:
	default:
		return nil, func() {
			fail(at, pgerr.SyntaxError, "improper qualified name (too many dotted names): %s", nameList(names))
		}
	}
	item, up := p.findTable(schema, rel, at)
	if item == nil {
		return nil, func() { p.errMissingTable(schema, rel, at) }
	}
	if star {
		return p.wholeRow(item, up, at), nil
	}
	if e := p.itemColumn(item, up, column, at); e != nil {
		return e, nil
	}
	// Perhaps a function of the row: t.f means f(t).
	c := &call{name: []string{column}, args: []query.Expr{p.wholeRow(item, up, at)}, at: at, lastSRF: p.lastSRF}
	if e := p.resolveCall(c); e != nil {
		return e, nil
	}
	return nil, func() { p.errMissingColumn(rel, column, at) }
}

// wholeRow makes a reference to a whole row.
func (p *state) wholeRow(item *nsItem, levelsUp, at int) query.Expr {
	if item.names != item.rte.Eref {
		// A USING alias: its row has the merged columns only.
		vars, names := item.expandVars(levelsUp, at)
		row := &query.RowExpr{TypeOID: types.RecordOID, Form: query.CoerceImplicitCast, ColNames: names, Loc: at}
		for _, v := range vars {
			p.markSelected(v)
			row.Args = append(row.Args, v)
		}
		return row
	}
	v := &query.Var{VarNo: item.index, TypeOID: p.rowTypeOf(item.rte), Mod: -1, LevelsUp: levelsUp, Loc: at, SynNo: item.index}
	if item.rte.Kind == query.RTEFunction && v.TypeOID != types.RecordOID && !p.isRowType(v.TypeOID) {
		// A scalar function: the row is its value.
		v.AttNo, v.SynAttNo = 1, 1
		v.Coll = item.cols[0].coll
		v.Mod = item.cols[0].mod
	}
	p.markSelected(v)
	return v
}

// rowTypeOf is the type of a whole-row reference.
func (p *state) rowTypeOf(rte *query.RTE) OID {
	switch rte.Kind {
	case query.RTERelation:
		t := p.relation(rte.RelOID).RowType
		if t == 0 {
			throw(pgerr.New(pgerr.WrongObjectType, "relation \"%s\" does not have a composite type", p.relation(rte.RelOID).Name))
		}
		return t
	case query.RTEFunction:
		if len(rte.Functions) > 1 || rte.WithOrdinality {
			return types.RecordOID
		}
		return rte.Functions[0].Expr.Type()
	}
	return types.RecordOID
}

// expandRowVar gives the columns of a whole-row reference.
func (p *state) expandRowVar(v *query.Var) []query.Expr {
	item := p.itemOf(v.VarNo, v.LevelsUp)
	if item == nil {
		throw(pgerr.Internal("whole-row reference to an unknown range table entry"))
	}
	var out []query.Expr
	for i := range item.cols {
		if item.names.Cols[i] == "" {
			out = append(out, &query.Const{TypeOID: types.Int4OID, Mod: -1, Value: types.Null, Loc: -1})
			continue
		}
		out = append(out, item.cols[i].makeVar(v.LevelsUp, v.Loc))
	}
	return out
}

// indirection analyses x.f, x[i], x[i].f ...
func (p *state) indirection(n *pg_query.A_Indirection) query.Expr {
	before := p.lastSRF
	e := p.exprRec(n.Arg)
	at := exprLocation(e)
	var subs []*pg_query.A_Indices
	for _, i := range n.Indirection {
		switch x := i.Node.(type) {
		case *pg_query.Node_AIndices:
			subs = append(subs, x.AIndices)
		case *pg_query.Node_AStar:
			fail(at, pgerr.FeatureNotSupported, "row expansion via \"*\" is not supported here")
		default:
			if len(subs) > 0 {
				e = p.subscripts(e, e.Type(), e.TypMod(), subs, false)
				subs = nil
			}
			name := strVal(i)
			c := &call{name: []string{name}, args: []query.Expr{e}, at: at, lastSRF: before}
			f := p.resolveCall(c)
			if f == nil {
				p.errUnknownField(e, name, at)
			}
			e = f
		}
	}
	if len(subs) > 0 {
		e = p.subscripts(e, e.Type(), e.TypMod(), subs, false)
	}
	return e
}

// errUnknownField ends the analysis: x.f where x has no f.
func (p *state) errUnknownField(e query.Expr, name string, at int) {
	if v, ok := e.(*query.Var); ok && v.AttNo == 0 {
		fail(at, pgerr.UndefinedColumn, "column %s.%s does not exist", p.rteAt(v.VarNo, v.LevelsUp).Eref.Name, name)
	}
	t := e.Type()
	switch {
	case p.isComplex(t):
		fail(at, pgerr.UndefinedColumn, "column \"%s\" not found in data type %s", name, p.formatType(t))
	case t == types.RecordOID:
		fail(at, pgerr.UndefinedColumn, "could not identify column \"%s\" in record data type", name)
	}
	fail(at, pgerr.WrongObjectType, "column notation .%s applied to type %s, which is not a composite type", name, p.formatType(t))
}

// subscripts applies a run of subscripts; assign says that the container is the target of an assignment.
func (p *state) subscripts(container query.Expr, typ OID, mod int32, list []*pg_query.A_Indices, assign bool) *query.SubscriptingRef {
	base := typ
	if !assign {
		base, mod = p.baseTypeMod(typ, mod)
		if base != typ {
			container = p.coerceToKnown(container, base)
		}
	} else {
		base, mod = p.baseTypeMod(typ, mod)
	}
	// int2vector and oidvector are subscripted as the arrays that they nearly are.
	switch base {
	case types.Int2vectorOID:
		base = types.Int2ArrayOID
	case types.OidvectorOID:
		base = types.OidArrayOID
	}
	at := exprLocation(container)
	t := p.typ(base)
	if t.Subscript == 0 {
		fail(at, pgerr.DatatypeMismatch, "cannot subscript type %s because it does not support subscripting", p.formatType(base))
	}
	slice := false
	for _, i := range list {
		slice = slice || i.IsSlice
	}
	ref := &query.SubscriptingRef{ContainerType: base, ElementType: t.Elem, Mod: mod, Container: container, IsSlice: slice}
	switch t.Subscript {
	case arraySubscriptHandler, rawSubscriptHandler:
		p.arraySubscripts(ref, list, slice, at)
	case jsonbSubscriptHandler:
		p.jsonbSubscripts(ref, list, slice)
	default:
		throw(pgerr.NotSupported("subscripting of type %s", p.formatType(base)).WithLocation(at))
	}
	return ref
}

// coerceToKnown relabels a domain value as its base type.
func (p *state) coerceToKnown(e query.Expr, base OID) query.Expr {
	c := p.coerceTo(e, e.Type(), base, -1, coercionImplicit, query.CoerceImplicitCast, -1)
	if c == nil {
		return e
	}
	return c
}

func (p *state) arraySubscripts(ref *query.SubscriptingRef, list []*pg_query.A_Indices, slice bool, at int) {
	const dimsMax = 6
	sub := func(n *node) query.Expr {
		e := p.exprRec(n)
		typ := e.Type()
		c := p.coerceTo(e, typ, types.Int4OID, -1, coercionAssignment, query.CoerceImplicitCast, -1)
		if c == nil {
			fail(exprLocation(e), pgerr.DatatypeMismatch, "array subscript must have type integer")
		}
		return c
	}
	for _, i := range list {
		if slice {
			var low query.Expr
			if i.Lidx != nil {
				low = sub(i.Lidx)
			} else if !i.IsSlice {
				low = &query.Const{TypeOID: types.Int4OID, Mod: -1, Value: types.Int4(1), Loc: -1}
			}
			ref.Lower = append(ref.Lower, low)
		}
		var up query.Expr
		if i.Uidx != nil {
			up = sub(i.Uidx)
		}
		ref.Upper = append(ref.Upper, up)
	}
	if len(list) > dimsMax {
		throw(pgerr.New(pgerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", len(list), dimsMax))
	}
	ref.TypeOID = ref.ElementType
	if slice {
		ref.TypeOID = ref.ContainerType
	}
	ref.Coll = 0
}

func (p *state) jsonbSubscripts(ref *query.SubscriptingRef, list []*pg_query.A_Indices, slice bool) {
	for _, i := range list {
		if i.IsSlice {
			at := -1
			if i.Uidx != nil {
				at = exprLocation(p.exprRec(i.Uidx))
			}
			fail(at, pgerr.DatatypeMismatch, "jsonb subscript does not support slices")
		}
		e := p.exprRec(i.Uidx)
		t := e.Type()
		to := OID(types.TextOID)
		if t != types.UnknownOID {
			canInt := p.canCoerce([]OID{t}, []OID{types.Int4OID}, coercionImplicit)
			canText := p.canCoerce([]OID{t}, []OID{types.TextOID}, coercionImplicit)
			switch {
			case canInt && canText:
				throw(pgerr.New(pgerr.DatatypeMismatch, "subscript type %s is not supported", p.formatType(t)).
					WithHint("jsonb subscript must be coercible to only one type, integer or text.").WithLocation(exprLocation(e)))
			case canInt:
				to = types.Int4OID
			case !canText:
				throw(pgerr.New(pgerr.DatatypeMismatch, "subscript type %s is not supported", p.formatType(t)).
					WithHint("jsonb subscript must be coercible to either integer or text.").WithLocation(exprLocation(e)))
			}
		}
		ref.Upper = append(ref.Upper, p.coerceType(e, t, to, -1, coercionImplicit, query.CoerceImplicitCast, -1))
	}
	ref.TypeOID, ref.Mod, ref.ElementType = types.JsonbOID, -1, 0
}
