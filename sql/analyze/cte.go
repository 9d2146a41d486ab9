package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// withClause analyses WITH; its items become visible to the query.
func (p *state) withClause(q *query.Query, w *pg_query.WithClause) {
	if w == nil {
		return
	}
	q.HasRecursive = w.Recursive
	var items []*pg_query.CommonTableExpr
	for i, n := range w.Ctes {
		c := n.GetCommonTableExpr()
		for _, o := range items[:i] {
			if o.Ctename == c.Ctename {
				fail(int(c.Location), pgerr.DuplicateAlias, "WITH query name \"%s\" specified more than once", c.Ctename)
			}
		}
		items = append(items, c)
		if c.Ctequery.GetSelectStmt() == nil {
			p.hasModifyingCTE = true
		}
	}
	if w.Recursive {
		p.recursiveWith(items)
	} else {
		p.futureCTEs = items
		for len(p.futureCTEs) > 0 {
			c := newCTE(p.futureCTEs[0])
			p.analyzeCTE(c, p.futureCTEs[0])
			p.ctes = append(p.ctes, c)
			p.futureCTEs = p.futureCTEs[1:]
		}
	}
	q.CTEs = p.ctes
}

func newCTE(c *pg_query.CommonTableExpr) *query.CTE {
	out := &query.CTE{Name: c.Ctename, Location: int(c.Location), Materialized: 'd'}
	switch c.Ctematerialized {
	case pg_query.CTEMaterialize_CTEMaterializeAlways:
		out.Materialized = 'm'
	case pg_query.CTEMaterialize_CTEMaterializeNever:
		out.Materialized = 'n'
	}
	return out
}

// recursiveWith analyses WITH RECURSIVE: items in the order of their dependencies, all names visible to all.
func (p *state) recursiveWith(items []*pg_query.CommonTableExpr) {
	order, recursive := p.orderCTEs(items)
	ctes := make([]*query.CTE, len(items))
	for i, it := range items {
		ctes[i] = newCTE(it)
		ctes[i].Recursive = recursive[i]
	}
	for _, i := range order {
		if recursive[i] {
			p.checkRecursiveForm(items[i])
		}
	}
	// The items are stored in the order written; they are analysed in the order of need.
	for _, i := range order {
		p.ctes = append(p.ctes, ctes[i])
	}
	for _, i := range order {
		p.analyzeCTE(ctes[i], items[i])
	}
}

// cteRefs finds which of the items a parse tree refers to by name, inner WITH names hiding them.
func cteRefs(m protoreflect.Message, names map[string]int, refs map[int]int) {
	if rv, ok := m.Interface().(*pg_query.RangeVar); ok {
		if i, ok := names[rv.Relname]; ok && rv.Schemaname == "" {
			if _, seen := refs[i]; !seen {
				refs[i] = int(rv.Location)
			}
		}
		return
	}
	if w := withOf(m); w != nil {
		inner := map[string]int{}
		for k, v := range names {
			inner[k] = v
		}
		for _, n := range w.Ctes {
			if w.Recursive {
				delete(inner, n.GetCommonTableExpr().Ctename)
			}
		}
		for _, n := range w.Ctes {
			c := n.GetCommonTableExpr()
			cteRefs(c.Ctequery.ProtoReflect(), inner, refs)
			delete(inner, c.Ctename)
		}
		names = inner
	}
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.Message() == nil || fd.Name() == "with_clause":
		case fd.IsList():
			for i, list := 0, v.List(); i < list.Len(); i++ {
				cteRefs(list.Get(i).Message(), names, refs)
			}
		default:
			cteRefs(v.Message(), names, refs)
		}
		return true
	})
}

func withOf(m protoreflect.Message) *pg_query.WithClause {
	switch n := m.Interface().(type) {
	case *pg_query.SelectStmt:
		return n.WithClause
	case *pg_query.InsertStmt:
		return n.WithClause
	case *pg_query.UpdateStmt:
		return n.WithClause
	case *pg_query.DeleteStmt:
		return n.WithClause
	}
	return nil
}

// orderCTEs sorts the items by dependency and says which refer to themselves; mutual recursion is refused.
func (p *state) orderCTEs(items []*pg_query.CommonTableExpr) (order []int, recursive []bool) {
	names := map[string]int{}
	for i, it := range items {
		names[it.Ctename] = i
	}
	deps := make([]map[int]int, len(items))
	recursive = make([]bool, len(items))
	for i, it := range items {
		deps[i] = map[int]int{}
		cteRefs(it.Ctequery.ProtoReflect(), names, deps[i])
		if _, self := deps[i][i]; self {
			recursive[i] = true
			delete(deps[i], i)
		}
	}
	done := make([]bool, len(items))
	for len(order) < len(items) {
		next := -1
		for i := range items {
			ready := !done[i]
			for d := range deps[i] {
				ready = ready && done[d]
			}
			if ready {
				next = i
				break
			}
		}
		if next < 0 {
			for i := range items {
				if !done[i] {
					fail(int(items[i].Location), pgerr.FeatureNotSupported, "mutual recursion between WITH items is not implemented")
				}
			}
		}
		done[next] = true
		order = append(order, next)
	}
	return order, recursive
}

// checkRecursiveForm checks that a recursive item is "non-recursive UNION recursive" and refers to itself where it may.
func (p *state) checkRecursiveForm(c *pg_query.CommonTableExpr) {
	at := int(c.Location)
	s := c.Ctequery.GetSelectStmt()
	if s == nil {
		fail(at, pgerr.InvalidRecursion, "recursive query \"%s\" must not contain data-modifying statements", c.Ctename)
	}
	if s.Op != pg_query.SetOperation_SETOP_UNION {
		fail(at, pgerr.InvalidRecursion, "recursive query \"%s\" does not have the form non-recursive-term UNION [ALL] recursive-term", c.Ctename)
	}
	r := &recursionCheck{name: c.Ctename}
	if s.WithClause != nil {
		for _, n := range s.WithClause.Ctes {
			r.visit(n.GetCommonTableExpr().Ctequery.ProtoReflect(), recursionSubquery)
		}
	}
	r.visit(s.Larg.ProtoReflect(), recursionNonRecursive)
	for _, clause := range []struct {
		list []*node
		one  *node
		name string
	}{{s.SortClause, nil, "ORDER BY"}, {nil, s.LimitOffset, "OFFSET"}, {nil, s.LimitCount, "LIMIT"}, {s.LockingClause, nil, "FOR UPDATE/SHARE"}} {
		if len(clause.list) > 0 || clause.one != nil {
			n := clause.one
			if n == nil {
				n = clause.list[0]
			}
			fail(firstLocation(n), pgerr.FeatureNotSupported, "%s in a recursive query is not implemented", clause.name)
		}
	}
	r.count = 0
	r.visit(s.Rarg.ProtoReflect(), recursionOK)
	if r.count != 1 {
		throw(pgerr.Internal("missing recursive reference"))
	}
}

func firstLocation(n *node) int {
	if s := n.GetSortBy(); s != nil {
		n = s.Node
	}
	return exprNodeLocation(n, nil)
}

// recursionContext is where a self-reference stands.
type recursionContext uint8

const (
	recursionOK recursionContext = iota
	recursionNonRecursive
	recursionSubquery
	recursionOuterJoin
	recursionIntersect
	recursionExcept
)

var recursionErrors = map[recursionContext]string{
	recursionNonRecursive: "recursive reference to query \"%s\" must not appear within its non-recursive term",
	recursionSubquery:     "recursive reference to query \"%s\" must not appear within a subquery",
	recursionOuterJoin:    "recursive reference to query \"%s\" must not appear within an outer join",
	recursionIntersect:    "recursive reference to query \"%s\" must not appear within INTERSECT",
	recursionExcept:       "recursive reference to query \"%s\" must not appear within EXCEPT"}

// recursionCheck finds the self-references of a recursive item.
type recursionCheck struct {
	name  string
	count int
}

func (r *recursionCheck) visit(m protoreflect.Message, ctx recursionContext) {
	switch n := m.Interface().(type) {
	case *pg_query.RangeVar:
		if n.Schemaname == "" && n.Relname == r.name {
			if ctx != recursionOK {
				fail(int(n.Location), pgerr.InvalidRecursion, recursionErrors[ctx], r.name)
			}
			if r.count++; r.count > 1 {
				fail(int(n.Location), pgerr.InvalidRecursion, "recursive reference to query \"%s\" must not appear more than once", r.name)
			}
		}
		return
	case *pg_query.SelectStmt:
		if n.WithClause != nil {
			for _, c := range n.WithClause.Ctes {
				if c.GetCommonTableExpr().Ctename == r.name {
					return
				}
			}
		}
		switch n.Op {
		case pg_query.SetOperation_SETOP_INTERSECT:
			if n.All {
				ctx = worse(ctx, recursionIntersect)
			}
		case pg_query.SetOperation_SETOP_EXCEPT:
			if n.All {
				ctx = worse(ctx, recursionExcept)
			} else {
				r.visit(n.Larg.ProtoReflect(), ctx)
				r.visit(n.Rarg.ProtoReflect(), worse(ctx, recursionExcept))
				return
			}
		}
	case *pg_query.JoinExpr:
		l, rt := ctx, ctx
		switch n.Jointype {
		case pg_query.JoinType_JOIN_LEFT:
			rt = worse(ctx, recursionOuterJoin)
		case pg_query.JoinType_JOIN_RIGHT:
			l = worse(ctx, recursionOuterJoin)
		case pg_query.JoinType_JOIN_FULL:
			l, rt = worse(ctx, recursionOuterJoin), worse(ctx, recursionOuterJoin)
		}
		r.visit(n.Larg.ProtoReflect(), l)
		r.visit(n.Rarg.ProtoReflect(), rt)
		if n.Quals != nil {
			r.visit(n.Quals.ProtoReflect(), ctx)
		}
		return
	case *pg_query.SubLink:
		if n.Testexpr != nil {
			r.visit(n.Testexpr.ProtoReflect(), ctx)
		}
		r.visit(n.Subselect.ProtoReflect(), worse(ctx, recursionSubquery))
		return
	}
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.Message() == nil:
		case fd.IsList():
			for i, list := 0, v.List(); i < list.Len(); i++ {
				r.visit(list.Get(i).Message(), ctx)
			}
		default:
			r.visit(v.Message(), ctx)
		}
		return true
	})
}

// worse keeps the first restriction that applies.
func worse(ctx, now recursionContext) recursionContext {
	if ctx == recursionOK {
		return now
	}
	return ctx
}

// analyzeCTE analyses the query of one item.
func (p *state) analyzeCTE(c *query.CTE, it *pg_query.CommonTableExpr) {
	if it.SearchClause != nil || it.CycleClause != nil {
		throw(pgerr.NotSupported("SEARCH and CYCLE clauses of WITH").WithLocation(c.Location))
	}
	c.AliasCols = strList(it.Aliascolnames)
	q := p.subStatement(it.Ctequery, c, false, true)
	if q.Command == query.CmdUtility {
		throw(pgerr.Internal("unexpected utility statement in WITH"))
	}
	if q.Command != query.CmdSelect {
		if p.parent != nil {
			fail(c.Location, pgerr.FeatureNotSupported, "WITH clause containing a data-modifying statement must be at the top level")
		}
		q.CanSetTag = false
	}
	c.Query = q
	if !c.Recursive {
		p.setCTEColumns(c, visibleTargets(q))
		return
	}
	p.checkRecursiveTypes(c, visibleTargets(q))
}

// setCTEColumns derives the columns of an item from its query's output.
func (p *state) setCTEColumns(c *query.CTE, list []*query.TargetEntry) {
	given := c.AliasCols
	if len(given) > len(list) {
		fail(c.Location, pgerr.InvalidColumnReference, "WITH query \"%s\" has %d columns available but %d columns specified", c.Name, len(list), len(given))
	}
	c.ColNames = append([]string(nil), given...)
	c.ColTypes, c.ColTypMods, c.ColCollations = []OID{}, []int32{}, []OID{}
	for i, t := range list {
		if i >= len(given) {
			c.ColNames = append(c.ColNames, t.Name)
		}
		typ, mod, coll := t.Expr.Type(), t.Expr.TypMod(), t.Expr.Collation()
		if typ == types.UnknownOID {
			// The non-recursive term's literals are text from here on.
			typ, mod, coll = types.TextOID, -1, 100
		}
		c.ColTypes = append(c.ColTypes, typ)
		c.ColTypMods = append(c.ColTypMods, mod)
		c.ColCollations = append(c.ColCollations, coll)
	}
}

// setRecursiveColumns gives a recursive item its columns once its non-recursive term is analysed.
func (p *state) setRecursiveColumns(c *query.CTE, left []*query.TargetEntry) {
	names := leftNames(p)
	var list []*query.TargetEntry
	for i, t := range left {
		n := *t
		if i < len(names) {
			n.Name = names[i]
		}
		list = append(list, &n)
	}
	p.setCTEColumns(c, list)
}

// leftNames are the column names of the leftmost leaf, the first entry of the range table.
func leftNames(p *state) []string {
	var out []string
	for _, t := range visibleTargets(p.rtable[0].Subquery) {
		out = append(out, t.Name)
	}
	return out
}

// checkRecursiveTypes: the whole must give the types that the recursive term was told.
func (p *state) checkRecursiveTypes(c *query.CTE, list []*query.TargetEntry) {
	for i, t := range list {
		typ, mod, coll := t.Expr.Type(), t.Expr.TypMod(), t.Expr.Collation()
		at := exprLocation(t.Expr)
		if typ != c.ColTypes[i] || mod != c.ColTypMods[i] {
			throw(pgerr.New(pgerr.DatatypeMismatch, "recursive query \"%s\" column %d has type %s in non-recursive term but type %s overall", c.Name, i+1,
				types.FormatTypeMod(p.env.Types, c.ColTypes[i], c.ColTypMods[i]), types.FormatTypeMod(p.env.Types, typ, mod)).
				WithHint("Cast the output of the non-recursive term to the correct type.").WithLocation(at))
		}
		if coll != c.ColCollations[i] {
			throw(pgerr.New(pgerr.CollationMismatch, "recursive query \"%s\" column %d has collation \"%s\" in non-recursive term but collation \"%s\" overall",
				c.Name, i+1, p.collationName(c.ColCollations[i]), p.collationName(coll)).
				WithHint("Use the COLLATE clause to set the collation of the non-recursive term.").WithLocation(at))
		}
	}
}
