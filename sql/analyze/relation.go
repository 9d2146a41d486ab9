package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// openRelation locks and reads the relation that a RangeVar names, or ends the analysis.
func (p *state) openRelation(rv *pg_query.RangeVar, mode int) *catalog.Relation {
	at := int(rv.Location)
	p.checkDatabase(rv)
	rel, err := p.env.OpenRelation(rv.Schemaname, rv.Relname, mode)
	rel = mustAt(rel, err, at)
	if rel == nil {
		if rv.Schemaname != "" {
			fail(at, pgerr.UndefinedTable, "relation \"%s.%s\" does not exist", rv.Schemaname, rv.Relname)
		}
		e := pgerr.New(pgerr.UndefinedTable, "relation \"%s\" does not exist", rv.Relname).WithLocation(at)
		if p.isFutureCTE(rv.Relname) {
			e.WithDetail("There is a WITH item named \"%s\", but it cannot be referenced from this part of the query.", rv.Relname)
			e.WithHint("Use WITH RECURSIVE, or re-order the WITH items to remove forward references.")
		}
		throw(e)
	}
	switch rel.Kind {
	case 'i', 'I':
		fail(at, pgerr.WrongObjectType, "\"%s\" is an index", rel.Name)
	case 'c':
		fail(at, pgerr.WrongObjectType, "\"%s\" is a composite type", rel.Name)
	}
	return rel
}

func (p *state) checkDatabase(rv *pg_query.RangeVar) {
	if rv.Catalogname != "" && rv.Catalogname != p.env.Database {
		throw(pgerr.New(pgerr.FeatureNotSupported, "cross-database references are not implemented: \"%s.%s.%s\"", rv.Catalogname, rv.Schemaname,
			rv.Relname).WithLocation(int(rv.Location)))
	}
}

func alias(a *pg_query.Alias) *query.Alias {
	if a == nil {
		return nil
	}
	return &query.Alias{Name: a.Aliasname, Cols: strList(a.Colnames)}
}

// addRTE puts an entry on the range table and gives its index.
func (p *state) addRTE(rte *query.RTE) int {
	p.rtable = append(p.rtable, rte)
	return len(p.rtable)
}

// addRelation makes an entry for a relation that is locked already.
func (p *state) addRelation(rel *catalog.Relation, lockMode int, as *query.Alias, inh, inFrom bool) *nsItem {
	rte := &query.RTE{Kind: query.RTERelation, RelOID: rel.OID, RelKind: rel.Kind, LockMode: lockMode, Inh: inh, InFrom: inFrom,
		RequiredPerms: query.AclSelect}
	rte.Eref, rte.Alias = relationAliases(rel.Desc, as, rel.Name)
	return itemFromDesc(rte, p.addRTE(rte), rel.Desc)
}

// namedTable gives the relation behind a transition table.
func (p *state) namedTable(name string) *catalog.Relation {
	if p.env.NamedTable == nil {
		return nil
	}
	return p.env.NamedTable(name)
}

// addNamedTable makes an entry for a transition table, whose columns are those of rel.
func (p *state) addNamedTable(rel *catalog.Relation, rv *pg_query.RangeVar) *nsItem {
	rte := &query.RTE{Kind: query.RTENamedTuplestore, ENRName: rv.Relname, RelOID: rel.OID, InFrom: true}
	rte.Eref, rte.Alias = relationAliases(rel.Desc, alias(rv.Alias), rv.Relname)
	for i := range rel.Desc.Attrs {
		a := &rel.Desc.Attrs[i]
		rte.ColTypes, rte.ColTypMods, rte.ColCollations = append(rte.ColTypes, a.TypeOID), append(rte.ColTypMods, a.TypMod), append(rte.ColCollations, a.Collation)
	}
	return itemFromDesc(rte, p.addRTE(rte), rel.Desc)
}

// fillAlias completes a column alias list with the names of the columns, and checks that it is not too long.
func fillAlias(as *query.Alias, name string, names []string, what string) *query.Alias {
	eref := &query.Alias{Name: name}
	if as != nil {
		eref.Name = as.Name
		eref.Cols = append(eref.Cols, as.Cols...)
	}
	if len(eref.Cols) > len(names) {
		throw(pgerr.New(pgerr.InvalidColumnReference, "%s \"%s\" has %d columns available but %d columns specified", what, eref.Name, len(names),
			len(eref.Cols)))
	}
	eref.Cols = append(eref.Cols, names[len(eref.Cols):]...)
	return eref
}

// addSubquery makes an entry for a sub-select.
func (p *state) addSubquery(sub *query.Query, as *query.Alias, lateral, inFrom bool) *nsItem {
	rte := &query.RTE{Kind: query.RTESubquery, Subquery: sub, Alias: as, Lateral: lateral, InFrom: inFrom}
	var names []string
	var typs, colls []OID
	var mods []int32
	for _, t := range visibleTargets(sub) {
		names = append(names, t.Name)
		typs = append(typs, t.Expr.Type())
		mods = append(mods, t.Expr.TypMod())
		colls = append(colls, t.Expr.Collation())
	}
	rte.Eref = fillAlias(as, "unnamed_subquery", names, "table")
	return itemFromLists(rte, p.addRTE(rte), typs, mods, colls)
}

// visibleTargets are the columns that a query gives to its reader: RETURNING of a data-modifying query, the target list of a SELECT, resjunk
// columns left out.
func visibleTargets(q *query.Query) []*query.TargetEntry {
	list := q.Targets
	if q.Command != query.CmdSelect {
		list = q.Returning
	}
	var out []*query.TargetEntry
	for _, t := range list {
		if !t.Junk {
			out = append(out, t)
		}
	}
	return out
}

// addValues makes an entry for a VALUES list.
func (p *state) addValues(rows [][]query.Expr, typs []OID, mods []int32, colls []OID, as *query.Alias, lateral, inFrom bool) *nsItem {
	rte := &query.RTE{Kind: query.RTEValues, Values: rows, ColTypes: typs, ColTypMods: mods, ColCollations: colls, Alias: as, Lateral: lateral,
		InFrom: inFrom}
	names := make([]string, len(typs))
	for i := range names {
		names[i] = columnName(i + 1)
	}
	rte.Eref = fillAlias(as, "*VALUES*", names, "table")
	return itemFromLists(rte, p.addRTE(rte), typs, mods, colls)
}

// addJoin makes an entry for a join.
func (p *state) addJoin(j *query.JoinExpr, names []string, cols []nsColumn, merged int, vars []query.Expr, left, right []int, as *query.Alias) *nsItem {
	const columnsMax = 32767
	if len(vars) > columnsMax {
		throw(pgerr.New(pgerr.ProgramLimitExceeded, "joins can have at most %d columns", columnsMax))
	}
	rte := &query.RTE{Kind: query.RTEJoin, JoinType: j.Type, JoinMergedCols: merged, JoinAliasVars: vars, JoinLeftCols: left, JoinRightCols: right,
		JoinUsingAlias: j.UsingAlias, Alias: as, InFrom: true}
	rte.Eref = fillAlias(as, "unnamed_join", names, "join expression")
	item := &nsItem{names: rte.Eref, rte: rte, cols: cols, relVisible: true, colsVisible: true, lateralOK: true}
	item.index = p.addRTE(rte)
	return item
}

// addCTE makes an entry for a reference to a WITH item.
func (p *state) addCTE(cte *query.CTE, levelsUp int, rv *pg_query.RangeVar, inFrom bool) *nsItem {
	rte := &query.RTE{Kind: query.RTECTE, CTEName: cte.Name, CTELevelsUp: levelsUp, Alias: alias(rv.Alias), InFrom: inFrom}
	rte.SelfRef = cte.Query == nil // still being analysed
	cte.RefCount++
	if rte.SelfRef && cte.ColTypes == nil {
		fail(int(rv.Location), pgerr.InvalidRecursion, "recursive reference to query \"%s\" must not appear within its non-recursive term", cte.Name)
	}
	if cte.Query != nil && cte.Query.Command != query.CmdSelect && len(cte.Query.Returning) == 0 {
		fail(int(rv.Location), pgerr.FeatureNotSupported, "WITH query \"%s\" does not have a RETURNING clause", cte.Name)
	}
	rte.ColTypes, rte.ColTypMods, rte.ColCollations = cte.ColTypes, cte.ColTypMods, cte.ColCollations
	names := cte.ColNames
	dontExpand := 0
	if cte.Search != nil {
		names = append(append([]string(nil), names...), cte.Search.SeqCol)
		typ := types.RecordArrayOID
		if cte.Search.BreadthFirst {
			typ = types.RecordOID
		}
		rte.ColTypes, rte.ColTypMods, rte.ColCollations = append(clip(rte.ColTypes), typ), append(clip(rte.ColTypMods), -1), append(clip(rte.ColCollations), 0)
		dontExpand++
	}
	if c := cte.Cycle; c != nil {
		names = append(append([]string(nil), names...), c.MarkCol, c.PathCol)
		rte.ColTypes = append(clip(rte.ColTypes), c.MarkType, types.RecordArrayOID)
		rte.ColTypMods = append(clip(rte.ColTypMods), c.MarkTypMod, -1)
		rte.ColCollations = append(clip(rte.ColCollations), c.MarkCollation, 0)
		dontExpand += 2
	}
	rte.Eref = fillAlias(rte.Alias, cte.Name, names, "table")
	item := itemFromLists(rte, p.addRTE(rte), rte.ColTypes, rte.ColTypMods, rte.ColCollations)
	if rte.SelfRef {
		for i := len(item.cols) - dontExpand; i < len(item.cols); i++ {
			item.cols[i].dontExpand = true
		}
	}
	return item
}

// clip makes appending copy.
func clip[T any](s []T) []T { return s[:len(s):len(s)] }

// findCTE looks a WITH item up by name; levelsUp counts the queries outward.
func (p *state) findCTE(name string) (*query.CTE, int) {
	for s, up := p, 0; s != nil; s, up = s.parent, up+1 {
		for _, c := range s.ctes {
			if c.Name == name {
				return c, up
			}
		}
	}
	return nil, 0
}

func (p *state) isFutureCTE(name string) bool {
	for s := p; s != nil; s = s.parent {
		for _, c := range s.futureCTEs {
			if c.Ctename == name {
				return true
			}
		}
	}
	return false
}

// setTarget opens the target relation of INSERT, UPDATE or DELETE, with perms the rights that the command needs on it.
func (p *state) setTarget(rv *pg_query.RangeVar, inh, alsoSource bool, perms uint32) int {
	if rv.Schemaname == "" && p.namedTable(rv.Relname) != nil {
		throw(pgerr.New(pgerr.FeatureNotSupported, "relation \"%s\" cannot be the target of a modifying statement", rv.Relname))
	}
	rel := p.openRelation(rv, RowExclusiveLock)
	p.target = rel
	item := p.addRelation(rel, RowExclusiveLock, alias(rv.Alias), inh, false)
	p.targetNS = item
	item.rte.RequiredPerms = perms
	if alsoSource {
		p.addToQuery(item, true, true, true)
	}
	return item.index
}
