package analyze

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// nsItem is a range table entry as names in the query see it (PostgreSQL's ParseNamespaceItem).
type nsItem struct {
	names       *query.Alias
	rte         *query.RTE
	index       int
	cols        []nsColumn // parallel to names.Cols
	relVisible  bool       // can be named as a table
	colsVisible bool       // its columns can be named alone
	lateralOnly bool       // visible to LATERAL items only
	lateralOK   bool
}

// nsColumn says what a column of an nsItem is. varNo 0 marks a dropped column.
type nsColumn struct {
	varNo      int
	attNo      int16
	typ        OID
	mod        int32
	coll       OID
	synNo      int
	synAttNo   int16
	dontExpand bool
}

func (c *nsColumn) makeVar(levelsUp, location int) *query.Var {
	return &query.Var{VarNo: c.varNo, AttNo: c.attNo, TypeOID: c.typ, Mod: c.mod, Coll: c.coll, LevelsUp: levelsUp, Loc: location,
		SynNo: c.synNo, SynAttNo: c.synAttNo}
}

// systemColumns are the columns that every table has.
var systemColumns = map[string]struct {
	num int16
	typ OID
}{"ctid": {-1, types.TidOID}, "xmin": {-2, types.XidOID}, "cmin": {-3, types.CidOID}, "xmax": {-4, types.XidOID}, "cmax": {-5, types.CidOID},
	"tableoid": {-6, types.OidOID}}

// SystemColumn gives the number and type of a system column.
func SystemColumn(name string) (int16, OID, bool) {
	c, ok := systemColumns[name]
	return c.num, c.typ, ok
}

// findTable looks for a table name in the namespaces from here outward; nil when there is none.
func (p *state) findTable(schema, name string, location int) (*nsItem, int) {
	relid := OID(0)
	if schema != "" {
		if ns := must(p.env.Catalog.NamespaceByName(schema)); ns == 0 {
			return nil, 0
		}
		if relid = must(p.env.Catalog.RelationByName(schema, name)); relid == 0 {
			return nil, 0
		}
	}
	for s, up := p, 0; s != nil; s, up = s.parent, up+1 {
		var found *nsItem
		for _, item := range s.namespace {
			if !item.relVisible || item.lateralOnly && !s.lateralActive {
				continue
			}
			if relid != 0 {
				if item.rte.Kind != query.RTERelation || item.rte.RelOID != relid || item.rte.Alias != nil {
					continue
				}
			} else if item.names.Name != name {
				continue
			}
			if found != nil {
				if relid != 0 {
					fail(location, pgerr.AmbiguousAlias, "table reference %d is ambiguous", relid)
				}
				fail(location, pgerr.AmbiguousAlias, "table reference \"%s\" is ambiguous", name)
			}
			s.checkLateral(item, location)
			found = item
		}
		if found != nil {
			return found, up
		}
	}
	return nil, 0
}

func (p *state) checkLateral(item *nsItem, location int) {
	if !item.lateralOnly || item.lateralOK {
		return
	}
	e := pgerr.New(pgerr.InvalidColumnReference, "invalid reference to FROM-clause entry for table \"%s\"", item.names.Name).WithLocation(location)
	if p.targetNS != nil && item.rte == p.targetNS.rte {
		throw(e.WithHint("There is an entry for table \"%s\", but it cannot be referenced from this part of the query.", item.names.Name))
	}
	throw(e.WithDetail("The combining JOIN type must be INNER or LEFT for a LATERAL reference."))
}

// findColumn looks for an unqualified column name; nil when there is none.
func (p *state) findColumn(name string, localOnly bool, location int) query.Expr {
	for s, up := p, 0; s != nil; s, up = s.parent, up+1 {
		var found query.Expr
		for _, item := range s.namespace {
			if !item.colsVisible || item.lateralOnly && !s.lateralActive {
				continue
			}
			v := p.itemColumn(item, up, name, location)
			if v == nil {
				continue
			}
			if found != nil {
				fail(location, pgerr.AmbiguousColumn, "column reference \"%s\" is ambiguous", name)
			}
			s.checkLateral(item, location)
			found = v
		}
		if found != nil || localOnly {
			return found
		}
	}
	return nil
}

// columnNumber finds a column name in an entry: its attribute number, 0 when there is none.
func (p *state) columnNumber(rte *query.RTE, names *query.Alias, name string, location int) int {
	found := 0
	for i, c := range names.Cols {
		if c == name {
			if found != 0 {
				fail(location, pgerr.AmbiguousColumn, "column reference \"%s\" is ambiguous", name)
			}
			found = i + 1
		}
	}
	if found == 0 && rte.Kind == query.RTERelation && rte.RelKind != 'c' && rte.RelKind != 'v' {
		found = int(systemColumns[name].num)
	}
	return found
}

// itemColumn makes the Var of a column of an item; nil when it has no such column.
func (p *state) itemColumn(item *nsItem, levelsUp int, name string, location int) query.Expr {
	num := p.columnNumber(item.rte, item.names, name, location)
	if num == 0 {
		return nil
	}
	var v *query.Var
	if num > 0 {
		col := &item.cols[num-1]
		if col.varNo == 0 {
			fail(location, pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, item.names.Name)
		}
		v = col.makeVar(levelsUp, location)
	} else {
		p.checkSystemColumn(name, num, location)
		v = &query.Var{VarNo: item.index, AttNo: int16(num), TypeOID: systemColumns[name].typ, Mod: -1, LevelsUp: levelsUp, Loc: location,
			SynNo: item.index, SynAttNo: int16(num)}
	}
	p.markSelected(v)
	return v
}

func (p *state) checkSystemColumn(name string, num, location int) {
	if num == -6 {
		return
	}
	switch p.exprKind {
	case kindCheckConstraint:
		fail(location, pgerr.InvalidColumnReference, "system column \"%s\" reference in check constraint is invalid", name)
	case kindGeneratedColumn:
		fail(location, pgerr.InvalidColumnReference, "cannot use system column \"%s\" in column generation expression", name)
	case kindMergeWhen:
		fail(location, pgerr.InvalidColumnReference, "cannot use system column \"%s\" in MERGE WHEN condition", name)
	}
}

// markSelected notes that a column is read, for the permission check.
func (p *state) markSelected(v *query.Var) {
	s := p
	for range v.LevelsUp {
		s = s.parent
	}
	s.markSelectedColumn(v.VarNo, int(v.AttNo))
}

func (p *state) markSelectedColumn(index, col int) {
	rte := p.rte(index)
	switch {
	case rte.Kind == query.RTERelation:
		rte.RequiredPerms |= query.AclSelect
		if rte.SelectedCols == nil {
			rte.SelectedCols = map[int]bool{}
		}
		rte.SelectedCols[col] = true
	case rte.Kind == query.RTEJoin && col == 0:
		if j := p.joinExprs[index]; j != nil {
			p.markSelectedItem(j.Left)
			p.markSelectedItem(j.Right)
		}
	}
	// A join's merged column needs nothing here: its inputs were marked when the USING clause was analysed.
}

func (p *state) markSelectedItem(item query.FromItem) {
	switch item := item.(type) {
	case *query.RangeTblRef:
		p.markSelectedColumn(item.Index, 0)
	case *query.JoinExpr:
		p.markSelectedColumn(item.RTIndex, 0)
	}
}

// checkConflicts refuses two items of the same name in one FROM list.
func checkConflicts(a, b []*nsItem) {
	for _, x := range a {
		if !x.relVisible {
			continue
		}
		for _, y := range b {
			if !y.relVisible || x.names.Name != y.names.Name {
				continue
			}
			if x.rte.Kind == query.RTERelation && x.rte.Alias == nil && y.rte.Kind == query.RTERelation && y.rte.Alias == nil &&
				x.rte.RelOID != y.rte.RelOID {
				continue // same name in two schemas: no conflict per SQL
			}
			throw(pgerr.New(pgerr.DuplicateAlias, "table name \"%s\" specified more than once", x.names.Name))
		}
	}
}

func setLateral(items []*nsItem, only, ok bool) {
	for _, i := range items {
		i.lateralOnly, i.lateralOK = only, ok
	}
}

func setColumnsVisible(items []*nsItem, visible bool) {
	for _, i := range items {
		i.colsVisible = visible
	}
}

// addToQuery makes an item visible, and puts it on the join list when asked.
func (p *state) addToQuery(item *nsItem, toJoinList, relVisible, colsVisible bool) {
	if toJoinList {
		p.joinList = append(p.joinList, &query.RangeTblRef{Index: item.index})
	}
	if relVisible || colsVisible {
		item.relVisible, item.colsVisible, item.lateralOnly, item.lateralOK = relVisible, colsVisible, false, true
		p.namespace = append(p.namespace, item)
	}
}

// errMissingTable ends the analysis: a table name that means nothing here.
func (p *state) errMissingTable(schema, name string, location int) {
	rte := p.searchTable(schema, name)
	if rte == nil {
		fail(location, pgerr.UndefinedTable, "missing FROM-clause entry for table \"%s\"", name)
	}
	e := pgerr.New(pgerr.UndefinedTable, "invalid reference to FROM-clause entry for table \"%s\"", name).WithLocation(location)
	if rte.Alias != nil && rte.Eref.Name != name {
		if item, _ := p.findTable("", rte.Eref.Name, location); item != nil && item.rte == rte {
			throw(e.WithHint("Perhaps you meant to reference the table alias \"%s\".", rte.Eref.Name))
		}
	}
	throw(e.WithHint("There is an entry for table \"%s\", but it cannot be referenced from this part of the query.", rte.Eref.Name))
}

// searchTable looks for an entry that a wrong table name may have meant.
func (p *state) searchTable(schema, name string) *query.RTE {
	var cte *query.CTE
	relid := OID(0)
	if schema == "" {
		cte, _ = p.findCTE(name)
	}
	if cte == nil {
		relid = must(p.env.Catalog.RelationByName(schema, name))
	}
	for s := p; s != nil; s = s.parent {
		for _, rte := range s.rtable {
			if rte.Kind == query.RTERelation && relid != 0 && rte.RelOID == relid || rte.Kind == query.RTECTE && cte != nil && rte.CTEName == name ||
				rte.Eref.Name == name {
				return rte
			}
		}
	}
	return nil
}

// fuzzyMax is the largest edit distance of a suggestion.
const fuzzyMax = 3

// fuzzy finds the nearest column names over the whole range table; at most two equally near ones are suggested.
type fuzzy struct {
	distance          int
	rte, rte2         *query.RTE
	first, second     int
	exactButInvisible bool
}

// errMissingColumn ends the analysis: a column name that means nothing here.
func (p *state) errMissingColumn(table, name string, location int) {
	f := p.searchColumn(table, name, location)
	var e *pgerr.Error
	if table != "" {
		e = pgerr.New(pgerr.UndefinedColumn, "column %s.%s does not exist", table, name)
	} else {
		e = pgerr.New(pgerr.UndefinedColumn, "column \"%s\" does not exist", name)
	}
	e.WithLocation(location)
	switch {
	case f.rte == nil:
	case f.rte2 != nil:
		e.WithHint("Perhaps you meant to reference the column \"%s.%s\" or the column \"%s.%s\".", f.rte.Eref.Name, f.rte.Eref.Cols[f.first-1],
			f.rte2.Eref.Name, f.rte2.Eref.Cols[f.second-1])
	case f.first != 0:
		e.WithHint("Perhaps you meant to reference the column \"%s.%s\".", f.rte.Eref.Name, f.rte.Eref.Cols[f.first-1])
	default:
		e.WithHint("There is a column named \"%s\" in table \"%s\", but it cannot be referenced from this part of the query.", name, f.rte.Eref.Name)
	}
	throw(e)
}

func (p *state) searchColumn(table, name string, location int) *fuzzy {
	f := &fuzzy{distance: fuzzyMax + 1}
	for s := p; s != nil; s = s.parent {
		for _, rte := range s.rtable {
			if rte.Kind == query.RTEJoin {
				continue
			}
			penalty := 0
			if table != "" {
				penalty = editDistance(table, rte.Eref.Name)
			}
			exact := p.columnNumber(rte, rte.Eref, name, location)
			for i, c := range rte.Eref.Cols {
				f.offer(penalty, rte, c, name, i+1)
			}
			if exact != 0 && penalty == 0 {
				return &fuzzy{rte: rte}
			}
		}
	}
	return f
}

func (f *fuzzy) offer(penalty int, rte *query.RTE, actual, want string, num int) {
	if penalty > f.distance || actual == "" {
		return
	}
	d := editDistance(actual, want)
	if d > len(want)/2 {
		return
	}
	d += penalty
	switch {
	case d < f.distance:
		f.distance, f.rte, f.first, f.rte2, f.second = d, rte, num, nil, 0
	case d > f.distance:
	case f.second != 0:
		*f = fuzzy{distance: d - 1}
	case f.first != 0:
		f.rte2, f.second = rte, num
	case f.distance <= fuzzyMax:
		f.rte, f.first = rte, num
	}
}

// editDistance is the Levenshtein distance in characters.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	prev := make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range x {
		cur := make([]int, len(y)+1)
		cur[0] = i + 1
		for j := range y {
			sub := prev[j]
			if x[i] != y[j] {
				sub++
			}
			cur[j+1] = min(sub, prev[j+1]+1, cur[j]+1)
		}
		prev = cur
	}
	return prev[len(y)]
}

// itemFromDesc makes the namespace item of an entry whose columns are those of a row type.
func itemFromDesc(rte *query.RTE, index int, desc *types.TupleDesc) *nsItem {
	item := &nsItem{names: rte.Eref, rte: rte, index: index, cols: make([]nsColumn, len(desc.Attrs)), relVisible: true, colsVisible: true, lateralOK: true}
	for i := range desc.Attrs {
		a := &desc.Attrs[i]
		if a.Dropped {
			continue
		}
		item.cols[i] = nsColumn{varNo: index, attNo: int16(i + 1), typ: a.TypeOID, mod: a.TypMod, coll: a.Collation, synNo: index, synAttNo: int16(i + 1)}
	}
	return item
}

// itemFromLists makes the namespace item of an entry from lists of its columns' types.
func itemFromLists(rte *query.RTE, index int, typs []OID, mods []int32, colls []OID) *nsItem {
	item := &nsItem{names: rte.Eref, rte: rte, index: index, cols: make([]nsColumn, len(typs)), relVisible: true, colsVisible: true, lateralOK: true}
	for i := range typs {
		item.cols[i] = nsColumn{varNo: index, attNo: int16(i + 1), typ: typs[i], mod: mods[i], coll: colls[i], synNo: index, synAttNo: int16(i + 1)}
	}
	return item
}

// expandVars makes the Vars of all columns of an item, dropped and hidden ones left out, and their names.
func (item *nsItem) expandVars(levelsUp, location int) (vars []*query.Var, names []string) {
	for i := range item.cols {
		c := &item.cols[i]
		if c.dontExpand || item.names.Cols[i] == "" {
			continue
		}
		vars = append(vars, c.makeVar(levelsUp, location))
		names = append(names, item.names.Cols[i])
	}
	return vars, names
}

// relationAliases gives the names in effect of an entry over a row type, and the alias as kept: where a column list was written, dropped columns
// take a place with the name "".
func relationAliases(desc *types.TupleDesc, alias *query.Alias, name string) (*query.Alias, *query.Alias) {
	eref := &query.Alias{Name: name}
	var given []string
	if alias != nil {
		eref.Name = alias.Name
		given = alias.Cols
	}
	used, dropped := 0, 0
	var kept []string
	for i := range desc.Attrs {
		a := &desc.Attrs[i]
		switch {
		case a.Dropped:
			dropped++
			eref.Cols = append(eref.Cols, "")
			if len(given) > 0 {
				kept = append(kept, "")
			}
		case used < len(given):
			eref.Cols = append(eref.Cols, given[used])
			kept = append(kept, given[used])
			used++
		default:
			eref.Cols = append(eref.Cols, a.Name)
		}
	}
	if used < len(given) {
		throw(pgerr.New(pgerr.InvalidColumnReference, "table \"%s\" has %d columns available but %d columns specified", eref.Name,
			len(desc.Attrs)-dropped, len(given)))
	}
	if alias != nil && len(given) > 0 && dropped > 0 {
		alias = &query.Alias{Name: alias.Name, Cols: kept}
	}
	return eref, alias
}

// nameList prints a dotted name for a message.
func nameList(names []string) string { return strings.Join(names, ".") }
