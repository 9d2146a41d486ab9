package rewrite

import (
	"slices"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// depthMax bounds views inside views and sub-selects inside sub-selects.
const depthMax = 2000

// expandViews replaces the views in a query's range table, and in everything below it, by their queries.
func (r *rewriter) expandViews(q *query.Query) (*query.Query, error) {
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > depthMax {
		return nil, pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded")
	}
	c := *q
	q = &c
	q.RangeTable = append([]*query.RTE(nil), q.RangeTable...)
	used := map[int]bool{}
	fromIndexes(q.JoinTree, used)
	for i, rte := range q.RangeTable {
		if rte.RelKind == 'v' && !used[i+1] {
			continue // a view that was a target: kept for its permissions
		}
		changed, err := r.entry(q, rte, i+1)
		if err != nil {
			return nil, err
		}
		q.RangeTable[i] = changed
	}
	if err := r.expandCTEs(q); err != nil {
		return nil, err
	}
	if !q.HasSubLinks {
		return q, nil
	}
	return r.expandSubLinks(q)
}

func (r *rewriter) expandCTEs(q *query.Query) error {
	q.CTEs = slices.Clone(q.CTEs)
	for i, cte := range q.CTEs {
		if cte.Query == nil || cte.Query.Command != query.CmdSelect {
			continue // a data-modifying one was done by top
		}
		sub, err := r.expandViews(cte.Query)
		if err != nil {
			return err
		}
		copied := *cte
		copied.Query = sub
		q.CTEs[i] = &copied
	}
	return nil
}

// fromIndexes collects the range table entries in a join tree.
func fromIndexes(item query.FromItem, used map[int]bool) {
	switch item := item.(type) {
	case *query.RangeTblRef:
		used[item.Index] = true
	case *query.JoinExpr:
		fromIndexes(item.Left, used)
		fromIndexes(item.Right, used)
	case *query.FromExpr:
		if item == nil {
			return
		}
		for _, i := range item.Items {
			fromIndexes(i, used)
		}
	}
}

// entry rewrites one range table entry.
func (r *rewriter) entry(q *query.Query, rte *query.RTE, index int) (*query.RTE, error) {
	switch rte.Kind {
	case query.RTESubquery:
		sub, err := r.expandViews(rte.Subquery)
		if err != nil {
			return nil, err
		}
		c := *rte
		c.Subquery = sub
		return &c, nil
	case query.RTERelation:
		if rte.RelKind == 'v' && index != q.ResultRelation {
			return r.view(q, rte, index)
		}
		return r.table(rte)
	}
	return rte, nil
}

// table refuses row security, which is not built.
func (r *rewriter) table(rte *query.RTE) (*query.RTE, error) {
	rel, err := r.env.Catalog.Relation(rte.RelOID)
	if err != nil || rel == nil {
		return rte, err
	}
	if rel.RowSecurity {
		return nil, pgerr.NotSupported("row security (relation \"%s\")", rel.Name)
	}
	return rte, nil
}

// view makes a sub-select of a view's entry.
func (r *rewriter) view(q *query.Query, rte *query.RTE, index int) (*query.RTE, error) {
	rel, err := r.relation(rte.RelOID, max(rte.LockMode, analyze.AccessShareLock))
	if err != nil {
		return nil, err
	}
	if slices.Contains(r.active, rel.OID) {
		return nil, pgerr.New(pgerr.InvalidObjectDefinition, "infinite recursion detected in rules for relation \"%s\"", rel.Name)
	}
	def, err := viewQuery(rel)
	if err != nil {
		return nil, err
	}
	sub := query.CopyQuery(def)
	setOwner(sub, viewUser(rel))
	for _, m := range q.RowMarks {
		if m.RTIndex == index {
			pushLocks(sub, m)
		}
	}
	r.active = append(r.active, rel.OID)
	sub, err = r.expandViews(sub)
	r.active = r.active[:len(r.active)-1]
	if err != nil {
		return nil, err
	}
	c := *rte
	c.Kind, c.Subquery, c.Inh = query.RTESubquery, sub, false
	c.SecurityBarrier = viewOption(rel, "security_barrier")
	return &c, nil
}

// viewQuery gives the query of a view's _RETURN rule.
func viewQuery(rel *catalog.Relation) (*query.Query, error) {
	for _, rule := range rel.Rules {
		if rule.Event == '1' && len(rule.Actions) == 1 {
			return rule.Actions[0], nil
		}
	}
	return nil, pgerr.Internal("view \"%s\" has no query", rel.Name)
}

// viewUser is the role whose rights are checked inside a view: its owner, or 0 = the caller's with security_invoker.
func viewUser(rel *catalog.Relation) OID {
	if viewOption(rel, "security_invoker") {
		return 0
	}
	return rel.Owner
}

func viewOption(rel *catalog.Relation, name string) bool {
	for _, o := range rel.Options {
		if o == name+"=true" || o == name+"=on" || o == name+"=1" || o == name+"=yes" || o == name {
			return true
		}
	}
	return false
}

// setOwner notes in every relation entry of a view's query, sub-selects included, whose rights to check. The query is the caller's own copy.
func setOwner(q *query.Query, owner OID) {
	set := func(q *query.Query) {
		for _, rte := range q.RangeTable {
			if rte.Kind == query.RTERelation {
				rte.CheckAsUser = owner
			}
		}
	}
	var visit func(q *query.Query)
	visit = func(q *query.Query) {
		set(q)
		query.WalkQuery(q, func(query.Expr) bool { return true }, visit)
	}
	visit(q)
}

// pushLocks locks the rows of a view's tables as FOR UPDATE on the view asks.
func pushLocks(q *query.Query, m *query.RowMarkClause) {
	for i, rte := range q.RangeTable {
		if !rte.InFrom {
			continue
		}
		switch rte.Kind {
		case query.RTERelation:
			rte.RequiredPerms |= query.AclUpdate
		case query.RTESubquery:
			pushLocks(rte.Subquery, m)
		default:
			continue
		}
		q.HasForUpdate = true
		found := false
		for _, have := range q.RowMarks {
			if have.RTIndex == i+1 {
				have.Strength, have.Wait, found = max(have.Strength, m.Strength), max(have.Wait, m.Wait), true
			}
		}
		if !found {
			q.RowMarks = append(q.RowMarks, &query.RowMarkClause{RTIndex: i + 1, Strength: m.Strength, Wait: m.Wait, PushedDown: true})
		}
	}
}

// expandSubLinks rewrites the sub-selects in expressions.
func (r *rewriter) expandSubLinks(q *query.Query) (*query.Query, error) {
	var failed error
	var replace func(e query.Expr) (query.Expr, bool)
	replace = func(e query.Expr) (query.Expr, bool) {
		s, ok := e.(*query.SubLink)
		if !ok || failed != nil {
			return nil, false
		}
		sub, err := r.expandViews(s.Subquery)
		if err != nil {
			failed = err
			return e, true
		}
		c := *s
		c.Subquery = sub
		c.Test = query.Mutate(s.Test, replace)
		return &c, true
	}
	out := query.MutateQuery(q, replace, nil)
	return out, failed
}
