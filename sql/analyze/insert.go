package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// insertColumn is one target column of an INSERT as written.
type insertColumn struct {
	name        string
	indirection []*node
	attNo       int16
	at          int
}

// insert analyses INSERT.
func (p *state) insert(s *pg_query.InsertStmt) *query.Query {
	q := &query.Query{Command: query.CmdInsert}
	p.withClause(q, s.WithClause)
	switch s.Override {
	case pg_query.OverridingKind_OVERRIDING_USER_VALUE:
		q.Override = 'u'
	case pg_query.OverridingKind_OVERRIDING_SYSTEM_VALUE:
		q.Override = 's'
	}
	isUpdate := s.OnConflictClause != nil && s.OnConflictClause.Action == pg_query.OnConflictAction_ONCONFLICT_UPDATE
	perms := uint32(query.AclInsert)
	if isUpdate {
		perms |= query.AclUpdate
	}
	sel := s.SelectStmt.GetSelectStmt()
	general := sel != nil && (len(sel.ValuesLists) == 0 || len(sel.SortClause) > 0 || sel.LimitOffset != nil || sel.LimitCount != nil ||
		len(sel.LockingClause) > 0 || sel.WithClause != nil)
	var outerTable []*query.RTE
	var outerNames []*nsItem
	if p.inRule && general { // OLD and NEW are the SELECT's
		outerTable, outerNames = p.rtable, p.namespace
		p.rtable, p.namespace = nil, nil
	}
	q.ResultRelation = p.setTarget(s.Relation, false, false, perms)
	columns := p.insertColumns(s.Cols)

	var exprs []query.Expr
	switch {
	case sel == nil: // DEFAULT VALUES
		columns = nil
	case general:
		exprs = p.insertSelect(s, columns, outerTable, outerNames)
	case len(sel.ValuesLists) > 1:
		exprs = p.insertValues(sel, columns)
	default:
		exprs = p.exprList(sel.ValuesLists[0].GetList().GetItems(), kindValuesSingle, true)
		exprs = p.insertRow(exprs, columns, false)
	}
	p.insertTargets(q, columns, exprs)

	if s.OnConflictClause != nil || len(s.ReturningList) > 0 {
		p.namespace = nil
		p.addToQuery(p.targetNS, false, true, true)
	}
	if s.OnConflictClause != nil {
		q.OnConflict = p.onConflict(q, s.OnConflictClause)
	}
	q.Returning = p.returning(s.ReturningList)
	p.finish(q, nil)
	p.assignQueryCollations(q)
	return q
}

// insertColumns resolves the column list; none means all columns.
func (p *state) insertColumns(list []*node) []insertColumn {
	var out []insertColumn
	if len(list) == 0 {
		for i := range p.target.Desc.Attrs {
			if a := &p.target.Desc.Attrs[i]; !a.Dropped {
				out = append(out, insertColumn{name: a.Name, attNo: int16(i + 1), at: -1})
			}
		}
		return out
	}
	whole, partial := map[int16]bool{}, map[int16]bool{}
	for _, n := range list {
		rt := n.GetResTarget()
		at := int(rt.Location)
		num := p.targetColumn(rt.Name, at)
		if len(rt.Indirection) == 0 {
			if whole[num] || partial[num] {
				fail(at, pgerr.DuplicateColumn, "column \"%s\" specified more than once", rt.Name)
			}
			whole[num] = true
		} else {
			if whole[num] {
				fail(at, pgerr.DuplicateColumn, "column \"%s\" specified more than once", rt.Name)
			}
			partial[num] = true
		}
		out = append(out, insertColumn{name: rt.Name, indirection: rt.Indirection, attNo: num, at: at})
	}
	return out
}

// targetColumn finds a column of the target relation.
func (p *state) targetColumn(name string, at int) int16 {
	if a := p.target.AttrByName(name); a != nil {
		return a.Num
	}
	fail(at, pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, p.target.Name)
	return 0
}

// insertSelect analyses the general form, INSERT ... SELECT: the query becomes a sub-select of the range table.
// insertSelect analyses the SELECT of an INSERT; outerTable and outerNames are what it sees of a rule.
func (p *state) insertSelect(s *pg_query.InsertStmt, columns []insertColumn, outerTable []*query.RTE, outerNames []*nsItem) []query.Expr {
	sub := newState(p.env, p)
	sub.rtable, sub.namespace = outerTable, outerNames
	sub.resolveUnknowns = false // a literal takes the type of the column that it is for
	sq := sub.statement(s.SelectStmt)
	if sq.Command != query.CmdSelect {
		throw(pgerr.Internal("unexpected non-SELECT command in INSERT ... SELECT"))
	}
	item := p.addSubquery(sq, &query.Alias{Name: "*SELECT*"}, false, false)
	p.addToQuery(item, true, false, false)
	var exprs []query.Expr
	for _, t := range visibleTargets(sq) {
		switch t.Expr.(type) {
		case *query.Const, *query.Param:
			// A literal is copied up, so that it can take the column's type.
			if t.Expr.Type() == types.UnknownOID {
				exprs = append(exprs, t.Expr)
				continue
			}
		}
		exprs = append(exprs, &query.Var{VarNo: item.index, AttNo: int16(t.ResNo), TypeOID: t.Expr.Type(), Mod: t.Expr.TypMod(), Coll: t.Expr.Collation(),
			Loc: exprLocation(t.Expr), SynNo: item.index, SynAttNo: int16(t.ResNo)})
	}
	return p.insertRow(exprs, columns, false)
}

// insertValues analyses VALUES of several rows: a VALUES entry of the range table, each row coerced to the columns.
func (p *state) insertValues(sel *pg_query.SelectStmt, columns []insertColumn) []query.Expr {
	var rows [][]query.Expr
	width := -1
	for _, n := range sel.ValuesLists {
		row := p.exprList(n.GetList().GetItems(), kindValues, true)
		if width < 0 {
			width = len(row)
		} else if len(row) != width {
			fail(query.LeftmostOf(row), pgerr.SyntaxError, "VALUES lists must all be the same length")
		}
		row = p.insertRow(row, columns, true)
		p.assignListCollations(row)
		rows = append(rows, row)
	}
	var typs, colls []OID
	var mods []int32
	for _, e := range rows[0] {
		typs, mods, colls = append(typs, e.Type()), append(mods, e.TypMod()), append(colls, 0)
	}
	item := p.addValues(rows, typs, mods, colls, nil, rowsHaveVars(rows), true)
	p.addToQuery(item, true, false, false)
	vars, _ := item.expandVars(0, -1)
	exprs := make([]query.Expr, len(vars))
	for i, v := range vars {
		exprs[i] = v
	}
	return p.insertRowChecked(exprs, columns)
}

// insertRow coerces one row to the target columns; stripped leaves subscripts and fields of the targets to the outer level.
func (p *state) insertRow(exprs []query.Expr, columns []insertColumn, stripped bool) []query.Expr {
	if len(exprs) > len(columns) {
		fail(exprLocation(exprs[len(columns)]), pgerr.SyntaxError, "INSERT has more expressions than target columns")
	}
	if len(exprs) < len(columns) && columns[0].at >= 0 {
		e := pgerr.New(pgerr.SyntaxError, "INSERT has more target columns than expressions")
		if len(exprs) == 1 && p.countRow(exprs[0]) == len(columns) {
			e.WithHint("The insertion source is a row expression containing the same number of columns expected by the INSERT. Did you accidentally use extra parentheses?")
		}
		throw(e.WithLocation(columns[len(exprs)].at))
	}
	out := make([]query.Expr, len(exprs))
	for i, e := range exprs {
		c := &columns[i]
		if stripped && len(c.indirection) > 0 {
			out[i] = e
			continue
		}
		out[i] = p.assignColumn(e, kindInsertTarget, c.name, int(c.attNo), c.indirection, c.at)
	}
	return out
}

func (p *state) countRow(e query.Expr) int {
	if r, ok := e.(*query.RowExpr); ok {
		return len(r.Args)
	}
	return -1
}

// insertRowChecked applies the subscripts and fields of targets that a VALUES row was stripped of.
func (p *state) insertRowChecked(exprs []query.Expr, columns []insertColumn) []query.Expr {
	for i := range exprs {
		if len(columns[i].indirection) > 0 {
			exprs[i] = p.assignColumn(exprs[i], kindInsertTarget, columns[i].name, int(columns[i].attNo), columns[i].indirection, columns[i].at)
		}
	}
	return exprs
}

// insertTargets makes the target list.
func (p *state) insertTargets(q *query.Query, columns []insertColumn, exprs []query.Expr) {
	rte := p.targetNS.rte
	for i, e := range exprs {
		c := &columns[i]
		q.Targets = append(q.Targets, &query.TargetEntry{Expr: e, ResNo: int(c.attNo), Name: c.name})
		if rte.InsertedCols == nil {
			rte.InsertedCols = map[int]bool{}
		}
		rte.InsertedCols[int(c.attNo)] = true
	}
}

// returning analyses RETURNING.
func (p *state) returning(list []*node) []*query.TargetEntry {
	if len(list) == 0 {
		return nil
	}
	save := p.nextResNo
	p.nextResNo = 1
	out := p.targetList(list, kindReturning)
	if len(out) == 0 {
		throw(pgerr.New(pgerr.SyntaxError, "RETURNING must have at least one column").WithLocation(-1))
	}
	p.markOrigins(out)
	if p.resolveUnknowns {
		p.resolveUnknownTargets(out)
	}
	p.nextResNo = save
	return out
}

// assignColumn coerces a value for a column of the target relation, through subscripts and fields when there are any.
func (p *state) assignColumn(e query.Expr, kind exprKind, name string, att int, indirection []*node, at int) query.Expr {
	save := p.exprKind
	p.exprKind = kind
	defer func() { p.exprKind = save }()
	if att <= 0 {
		fail(at, pgerr.FeatureNotSupported, "cannot assign to system column \"%s\"", name)
	}
	a := &p.target.Desc.Attrs[att-1]
	if d, ok := e.(*query.SetToDefault); ok {
		c := *d
		c.TypeOID, c.Mod, c.Coll = a.TypeOID, a.TypMod, a.Collation
		if len(indirection) > 0 {
			if indirection[0].GetAIndices() != nil {
				fail(at, pgerr.FeatureNotSupported, "cannot set an array element to DEFAULT")
			}
			fail(at, pgerr.FeatureNotSupported, "cannot set a subfield to DEFAULT")
		}
		return &c
	}
	from := e.Type()
	if len(indirection) > 0 {
		var base query.Expr
		if kind == kindInsertTarget {
			base = &query.Const{TypeOID: a.TypeOID, Mod: a.TypMod, Coll: a.Collation, Value: types.Null, Loc: -1}
		} else {
			base = &query.Var{VarNo: p.targetNS.index, AttNo: int16(att), TypeOID: a.TypeOID, Mod: a.TypMod, Coll: a.Collation, Loc: at,
				SynNo: p.targetNS.index, SynAttNo: int16(att)}
		}
		return p.assignIndirection(base, name, false, a.TypeOID, a.TypMod, a.Collation, indirection, e, at)
	}
	c := p.coerceTo(e, from, a.TypeOID, a.TypMod, coercionAssignment, query.CoerceImplicitCast, -1)
	if c == nil {
		throw(pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" is of type %s but expression is of type %s", name, p.formatType(a.TypeOID), p.formatType(from)).
			WithHint("You will need to rewrite or cast the expression.").WithLocation(exprLocation(e)))
	}
	return c
}

// assignIndirection makes the node that stores a value into a part of a column.
func (p *state) assignIndirection(base query.Expr, name string, isSub bool, typ OID, mod int32, coll OID, rest []*node, value query.Expr, at int) query.Expr {
	if len(rest) > 0 && base == nil {
		base = &query.CaseTestExpr{TypeOID: typ, Mod: mod, Coll: coll}
	}
	var subs []*pg_query.A_Indices
	for i, n := range rest {
		if x := n.GetAIndices(); x != nil {
			subs = append(subs, x)
			continue
		}
		if _, star := n.Node.(*pg_query.Node_AStar); star {
			fail(at, pgerr.FeatureNotSupported, "row expansion via \"*\" is not supported here")
		}
		if len(subs) > 0 {
			return p.assignSubscripts(base, name, typ, mod, coll, subs, rest[i:], value, at)
		}
		return p.assignField(base, name, typ, mod, strVal(n), rest[i+1:], value, at)
	}
	if len(subs) > 0 {
		return p.assignSubscripts(base, name, typ, mod, coll, subs, nil, value, at)
	}
	from := value.Type()
	c := p.coerceTo(value, from, typ, mod, coercionAssignment, query.CoerceImplicitCast, -1)
	if c == nil {
		what, e := "subfield", exprLocation(value)
		if isSub {
			throw(pgerr.New(pgerr.DatatypeMismatch, "subscripted assignment to \"%s\" requires type %s but expression is of type %s", name, p.formatType(typ),
				p.formatType(from)).WithHint("You will need to rewrite or cast the expression.").WithLocation(e))
		}
		throw(pgerr.New(pgerr.DatatypeMismatch, "%s \"%s\" is of type %s but expression is of type %s", what, name, p.formatType(typ), p.formatType(from)).
			WithHint("You will need to rewrite or cast the expression.").WithLocation(e))
	}
	return c
}

func (p *state) assignField(base query.Expr, name string, typ OID, mod int32, field string, rest []*node, value query.Expr, at int) query.Expr {
	baseTyp, baseMod := p.baseTypeMod(typ, mod)
	rel := p.relOfType(typ)
	if rel == 0 {
		fail(at, pgerr.DatatypeMismatch, "cannot assign to field \"%s\" of column \"%s\" because its type %s is not a composite type", field, name, p.formatType(typ))
	}
	a := p.relation(rel).AttrByName(field)
	if a == nil {
		if _, sys := systemColumns[field]; sys {
			fail(at, pgerr.UndefinedColumn, "cannot assign to system column \"%s\"", field)
		}
		fail(at, pgerr.UndefinedColumn, "cannot assign to field \"%s\" of column \"%s\" because there is no such column in data type %s", field, name,
			p.formatType(typ))
	}
	v := p.assignIndirection(nil, field, false, a.TypeOID, a.TypMod, a.Collation, rest, value, at)
	out := query.Expr(&query.FieldStore{Arg: base, NewVals: []query.Expr{v}, FieldNums: []int16{a.Num}, TypeOID: baseTyp})
	if baseTyp != typ {
		out = p.coerceToDomain(out, baseTyp, baseMod, typ, coercionImplicit, query.CoerceImplicitCast, at, false)
	}
	return out
}

func (p *state) assignSubscripts(base query.Expr, name string, typ OID, mod int32, coll OID, subs []*pg_query.A_Indices, rest []*node, value query.Expr,
	at int) query.Expr {
	container, containerMod := p.baseTypeMod(typ, mod)
	ref := p.subscripts(base, container, containerMod, subs, true)
	need := ref.TypeOID
	needColl := coll
	if container != typ {
		needColl = p.typeCollation(container)
	}
	ref.Assign = p.assignIndirection(nil, name, true, need, ref.Mod, needColl, rest, value, at)
	ref.TypeOID, ref.Mod = ref.ContainerType, containerMod
	var out query.Expr = ref
	if container != typ {
		from := out.Type()
		if out = p.coerceTo(out, from, typ, mod, coercionAssignment, query.CoerceImplicitCast, -1); out == nil {
			fail(at, pgerr.CannotCoerce, "cannot cast type %s to %s", p.formatType(from), p.formatType(typ))
		}
	}
	return out
}
