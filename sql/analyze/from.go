package analyze

import (
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// columnName is the default name of a VALUES column.
func columnName(n int) string { return "column" + strconv.Itoa(n) }

// from analyses a FROM list and adds its items to the query.
func (p *state) from(list []*node) {
	for _, n := range list {
		item, _, names := p.fromItem(n)
		checkConflicts(p.namespace, names)
		setLateral(names, true, true)
		p.joinList = append(p.joinList, item)
		p.namespace = append(p.namespace, names...)
	}
	// The items were visible to LATERAL only while FROM was read; from now on they are visible to all.
	setLateral(p.namespace, false, true)
}

// fromItem analyses one item: its join tree, its own namespace item, and all names that it exposes.
func (p *state) fromItem(n *node) (query.FromItem, *nsItem, []*nsItem) {
	p.enter()
	defer p.leave()
	var item *nsItem
	switch n := n.Node.(type) {
	case *pg_query.Node_RangeVar:
		item = p.fromTable(n.RangeVar)
	case *pg_query.Node_RangeSubselect:
		item = p.fromSubselect(n.RangeSubselect)
	case *pg_query.Node_RangeFunction:
		item = p.fromFunction(n.RangeFunction)
	case *pg_query.Node_JoinExpr:
		return p.fromJoin(n.JoinExpr)
	case *pg_query.Node_RangeTableFunc:
		throw(pgerr.NotSupported("XMLTABLE").WithLocation(int(n.RangeTableFunc.Location)))
	case *pg_query.Node_RangeTableSample:
		item = p.fromSample(n.RangeTableSample)
	default:
		throw(pgerr.Internal("unrecognized node type in FROM: %T", n))
	}
	return &query.RangeTblRef{Index: item.index}, item, []*nsItem{item}
}

func (p *state) fromTable(rv *pg_query.RangeVar) *nsItem {
	if rv.Schemaname == "" {
		if cte, up := p.findCTE(rv.Relname); cte != nil {
			return p.remember(p.addCTE(cte, up, rv, true))
		}
		if rel := p.namedTable(rv.Relname); rel != nil {
			return p.remember(p.addNamedTable(rel, rv))
		}
	}
	mode := AccessShareLock
	if p.isLocked(rangeVarLabel(rv)) {
		mode = RowShareLock
	}
	rel := p.openRelation(rv, mode)
	return p.remember(p.addRelation(rel, mode, alias(rv.Alias), rv.Inh, true))
}

func rangeVarLabel(rv *pg_query.RangeVar) string {
	if rv.Alias != nil {
		return rv.Alias.Aliasname
	}
	return rv.Relname
}

// isLocked says whether FOR UPDATE or its kin will lock the item called name, so that its relation is locked accordingly from the start.
func (p *state) isLocked(name string) bool {
	if p.lockedFromParent {
		return true
	}
	for _, l := range p.lockingClauses {
		if len(l.LockedRels) == 0 {
			return true
		}
		for _, r := range l.LockedRels {
			if r.GetRangeVar().GetRelname() == name {
				return true
			}
		}
	}
	return false
}

func (p *state) remember(item *nsItem) *nsItem {
	p.joinNS[item.index] = item
	return item
}

func (p *state) fromSubselect(r *pg_query.RangeSubselect) *nsItem {
	save := p.exprKind
	p.exprKind = kindFromSubselect
	outerLateral := p.lateralActive
	p.lateralActive = r.Lateral
	locked := r.Alias != nil && p.isLocked(r.Alias.Aliasname) || r.Alias == nil && p.lockedFromParent
	sub := p.subStatement(r.Subquery, nil, locked, true)
	p.lateralActive = outerLateral
	p.exprKind = save
	if sub.Command != query.CmdSelect {
		throw(pgerr.Internal("unexpected non-SELECT command in subquery in FROM"))
	}
	return p.remember(p.addSubquery(sub, alias(r.Alias), r.Lateral, true))
}

// fromFunction analyses a function, or ROWS FROM (functions), in FROM.
func (p *state) fromFunction(r *pg_query.RangeFunction) *nsItem {
	lateral := p.lateralActive
	p.lateralActive = true
	as := alias(r.Alias)
	var exprs []query.Expr
	var names []string
	var colDefs [][]*node
	for _, f := range r.Functions {
		pair := f.GetList().GetItems()
		if list := splitUnnest(pair); list != nil {
			for _, n := range list {
				e, name := p.rangeFunctionCall(n)
				exprs, names, colDefs = append(exprs, e), append(names, name), append(colDefs, nil)
			}
			continue
		}
		e, name := p.rangeFunctionCall(pair[0])
		exprs, names = append(exprs, e), append(names, name)
		var defs []*node
		if len(pair) > 1 {
			defs = pair[1].GetList().GetItems()
		}
		colDefs = append(colDefs, defs)
	}
	p.lateralActive = lateral
	if len(r.Coldeflist) > 0 {
		at := int(r.Coldeflist[0].GetColumnDef().GetLocation())
		if len(exprs) != 1 {
			if r.IsRowsfrom {
				throw(pgerr.New(pgerr.SyntaxError, "ROWS FROM() with multiple functions cannot have a column definition list").
					WithHint("Put a separate column definition list for each function inside ROWS FROM().").WithLocation(at))
			}
			throw(pgerr.New(pgerr.SyntaxError, "UNNEST() with multiple arguments cannot have a column definition list").
				WithHint("Use separate UNNEST() calls inside ROWS FROM(), and attach a column definition list to each one.").WithLocation(at))
		}
		if r.Ordinality {
			throw(pgerr.New(pgerr.SyntaxError, "WITH ORDINALITY cannot be used with a column definition list").
				WithHint("Put the column definition list inside ROWS FROM().").WithLocation(at))
		}
		colDefs[0] = r.Coldeflist
	}
	for i, e := range exprs {
		p.assignCollations(e)
		exprs[i] = e
	}
	isLateral := r.Lateral
	for _, e := range exprs {
		isLateral = isLateral || containsVarsAtLevel(e, 0)
	}
	return p.remember(p.addFunctions(names, exprs, colDefs, r.Ordinality, as, isLateral))
}

// splitUnnest makes UNNEST(a, b, ...) one UNNEST per argument; nil when the call is none such.
func splitUnnest(pair []*node) []*node {
	f := pair[0].GetFuncCall()
	if f == nil || len(f.Funcname) != 1 || strVal(f.Funcname[0]) != "unnest" || len(f.Args) < 2 || len(f.AggOrder) > 0 || f.AggFilter != nil ||
		f.Over != nil || f.AggStar || f.AggDistinct || f.FuncVariadic || len(pair) > 1 && len(pair[1].GetList().GetItems()) > 0 {
		return nil
	}
	var out []*node
	for _, a := range f.Args {
		name := []*node{stringNode("pg_catalog"), stringNode("unnest")}
		out = append(out, &node{Node: &pg_query.Node_FuncCall{FuncCall: &pg_query.FuncCall{Funcname: name, Args: []*node{a},
			Funcformat: pg_query.CoercionForm_COERCE_EXPLICIT_CALL, Location: f.Location}}})
	}
	return out
}

func stringNode(s string) *node {
	return &node{Node: &pg_query.Node_String_{String_: &pg_query.String{Sval: s}}}
}

// rangeFunctionCall analyses one function of FROM.
func (p *state) rangeFunctionCall(n *node) (query.Expr, string) {
	p.lastSRF = nil
	e := p.expr(n, kindFromFunction)
	if p.lastSRF != nil && p.lastSRF != e {
		fail(exprLocation(p.lastSRF), pgerr.FeatureNotSupported, "set-returning functions must appear at top level of FROM")
	}
	return e, figureName(n)
}

func containsVarsAtLevel(e query.Expr, level int) bool {
	found := false
	query.WalkLevels(e, func(x query.Expr, l int) bool {
		switch x := x.(type) {
		case *query.Var:
			found = found || x.LevelsUp == level+l
		case *query.Aggref:
			found = found || x.LevelsUp == level+l
		}
		return !found
	})
	return found
}

// addFunctions makes an entry for functions in FROM.
func (p *state) addFunctions(names []string, exprs []query.Expr, colDefs [][]*node, ordinality bool, as *query.Alias, lateral bool) *nsItem {
	rte := &query.RTE{Kind: query.RTEFunction, WithOrdinality: ordinality, Alias: as, Lateral: lateral, InFrom: true}
	var all []types.Attr
	for i, e := range exprs {
		f := &query.RangeFunction{Expr: e}
		desc := p.functionColumns(f, names[i], colDefs[i], as, len(exprs))
		f.ColCount = len(desc.Attrs)
		rte.Functions = append(rte.Functions, f)
		all = append(all, desc.Attrs...)
	}
	if ordinality {
		all = append(all, types.Attr{Name: "ordinality", TypeOID: types.Int8OID, TypMod: -1})
	}
	desc := &types.TupleDesc{Attrs: all}
	for _, a := range all {
		rte.ColTypes, rte.ColTypMods, rte.ColCollations = append(rte.ColTypes, a.TypeOID), append(rte.ColTypMods, a.TypMod), append(rte.ColCollations, a.Collation)
	}
	rte.Eref, rte.Alias = relationAliases(desc, as, names[0])
	return itemFromDesc(rte, p.addRTE(rte), desc)
}

// functionColumns gives the columns of a function in FROM.
func (p *state) functionColumns(f *query.RangeFunction, name string, colDefs []*node, as *query.Alias, count int) *types.TupleDesc {
	class, typ, desc := p.resultType(f.Expr)
	p.checkColumnDefs(f.Expr, class, colDefs)
	switch class {
	case resultComposite:
		return desc
	case resultScalar:
		column := name
		if named := p.singleOutName(f.Expr); named != "" {
			column = named
		} else if count == 1 && as != nil {
			column = as.Name
		}
		return &types.TupleDesc{Attrs: []types.Attr{{Name: column, TypeOID: typ, TypMod: f.Expr.TypMod(), Collation: f.Expr.Collation()}}}
	case resultRecord:
		return p.columnDefs(f, colDefs)
	}
	fail(exprLocation(f.Expr), pgerr.DatatypeMismatch, "function \"%s\" in FROM has unsupported return type %s", name, p.formatType(typ))
	return nil
}

func (p *state) checkColumnDefs(e query.Expr, class resultClass, colDefs []*node) {
	if len(colDefs) == 0 {
		if class == resultRecord {
			fail(exprLocation(e), pgerr.SyntaxError, "a column definition list is required for functions returning \"record\"")
		}
		return
	}
	at := int(colDefs[0].GetColumnDef().GetLocation())
	switch {
	case class == resultRecord:
	case class == resultComposite && e.Type() == types.RecordOID:
		fail(at, pgerr.SyntaxError, "a column definition list is redundant for a function with OUT parameters")
	case class == resultComposite:
		fail(at, pgerr.SyntaxError, "a column definition list is redundant for a function returning a named composite type")
	default:
		fail(at, pgerr.SyntaxError, "a column definition list is only allowed for functions returning \"record\"")
	}
}

// columnDefs makes a row type of a column definition list.
func (p *state) columnDefs(f *query.RangeFunction, colDefs []*node) *types.TupleDesc {
	desc := &types.TupleDesc{}
	seen := map[string]bool{}
	for _, n := range colDefs {
		d := n.GetColumnDef()
		if d.TypeName.Setof {
			fail(int(d.Location), pgerr.InvalidTableDefinition, "column \"%s\" cannot be declared SETOF", d.Colname)
		}
		typ, mod := p.typeNameMod(d.TypeName)
		coll := p.columnCollation(d, typ)
		if seen[d.Colname] {
			throw(pgerr.New(pgerr.DuplicateColumn, "column name \"%s\" specified more than once", d.Colname))
		}
		seen[d.Colname] = true
		if t := p.typ(typ); t.Kind == 'p' && typ != types.RecordOID && typ != types.RecordArrayOID {
			throw(pgerr.New(pgerr.InvalidTableDefinition, "column \"%s\" has pseudo-type %s", d.Colname, p.formatType(typ)))
		}
		f.ColNames = append(f.ColNames, d.Colname)
		f.ColTypes = append(f.ColTypes, typ)
		f.ColTypMods = append(f.ColTypMods, mod)
		f.ColCollations = append(f.ColCollations, coll)
		desc.Attrs = append(desc.Attrs, types.Attr{Name: d.Colname, TypeOID: typ, TypMod: mod, Collation: coll})
	}
	return desc
}

// columnCollation is the collation of a column definition: COLLATE's, or the type's.
func (p *state) columnCollation(d *pg_query.ColumnDef, typ OID) OID {
	at := int(d.Location)
	coll := OID(0)
	if d.CollClause != nil {
		at = int(d.CollClause.Location)
		coll = p.collationByName(strList(d.CollClause.Collname), at)
	} else {
		coll = p.typeCollation(typ)
	}
	if coll != 0 && p.typeCollation(typ) == 0 {
		fail(at, pgerr.DatatypeMismatch, "collations are not supported by type %s", p.formatType(typ))
	}
	return coll
}

func (p *state) fromSample(r *pg_query.RangeTableSample) *nsItem {
	_, item, _ := p.fromItem(r.Relation)
	at := int(r.Location)
	if item.rte.Kind != query.RTERelation || item.rte.RelKind != 'r' && item.rte.RelKind != 'm' && item.rte.RelKind != 'p' {
		fail(sampleLocation(r), pgerr.FeatureNotSupported, "TABLESAMPLE clause can only be applied to tables and materialized views")
	}
	name := strList(r.Method)
	var handler OID
	for _, f := range p.candidates(name, at) {
		if len(f.ArgTypes) == 1 && f.ArgTypes[0] == types.InternalOID {
			handler = f.OID
			if f.RetType != types.TsmHandlerOID {
				fail(at, pgerr.WrongObjectType, "function %s must return type %s", nameList(name), "tsm_handler")
			}
		}
	}
	if handler == 0 {
		fail(at, pgerr.UndefinedObject, "tablesample method %s does not exist", nameList(name))
	}
	s := &query.TableSample{Handler: handler}
	if len(r.Args) != 1 {
		throw(pgerr.New(pgerr.InvalidTablesampleArgument, "tablesample method %s requires %d argument, not %d", nameList(name), 1, len(r.Args)).WithLocation(at))
	}
	for _, a := range r.Args {
		e := p.coerceToSpecific(p.expr(a, kindFromFunction), types.Float4OID, "TABLESAMPLE")
		p.assignCollations(e)
		s.Args = append(s.Args, e)
	}
	if r.Repeatable != nil {
		s.Repeatable = p.coerceToSpecific(p.expr(r.Repeatable, kindFromFunction), types.Float8OID, "REPEATABLE")
		p.assignCollations(s.Repeatable)
	}
	item.rte.TableSample = s
	return item
}

func sampleLocation(r *pg_query.RangeTableSample) int {
	if rv := r.Relation.GetRangeVar(); rv != nil {
		return int(rv.Location)
	}
	return int(r.Location)
}
