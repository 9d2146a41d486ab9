package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// groupClause analyses GROUP BY, grouping sets included; the tree of sets goes to q.GroupingSets.
func (p *state) groupClause(q *query.Query, list []*node) []*query.SortGroupClause {
	g := &grouping{p: p, q: q, seen: map[uint32]bool{}}
	flat, hasSets := flattenGroups(list, true)
	if len(flat) == 0 && hasSets {
		flat = []*node{emptySet()}
	}
	for _, n := range flat {
		gs := n.GetGroupingSet()
		if gs == nil {
			before := len(g.out)
			ref := g.expr(n)
			if hasSets && len(g.out) > before {
				at := exprNodeLocation(n, targetByRef(q.Targets, ref))
				g.sets = append(g.sets, &query.GroupingSet{Kind: query.GroupingSimple, Refs: []uint32{ref}, Location: at})
			}
			continue
		}
		switch gs.Kind {
		case pg_query.GroupingSetKind_GROUPING_SET_EMPTY:
			g.sets = append(g.sets, &query.GroupingSet{Kind: query.GroupingEmpty, Location: int(gs.Location)})
		case pg_query.GroupingSetKind_GROUPING_SET_SETS, pg_query.GroupingSetKind_GROUPING_SET_CUBE, pg_query.GroupingSetKind_GROUPING_SET_ROLLUP:
			g.sets = append(g.sets, g.set(gs, true))
		}
	}
	// GROUP BY () alone means one group, even over no rows.
	q.GroupingSets = g.sets
	return g.out
}

func emptySet() *node {
	return &node{Node: &pg_query.Node_GroupingSet{GroupingSet: &pg_query.GroupingSet{Kind: pg_query.GroupingSetKind_GROUPING_SET_EMPTY, Location: -1}}}
}

// flattenGroups opens parenthesized lists, and empty sets beside others.
func flattenGroups(list []*node, top bool) (out []*node, hasSets bool) {
	for _, n := range list {
		switch x := n.Node.(type) {
		case *pg_query.Node_RowExpr:
			if x.RowExpr.RowFormat == pg_query.CoercionForm_COERCE_IMPLICIT_CAST {
				inner, sets := flattenGroups(x.RowExpr.Args, false)
				out, hasSets = append(out, inner...), hasSets || sets
				continue
			}
		case *pg_query.Node_GroupingSet:
			hasSets = true
			if top && x.GroupingSet.Kind == pg_query.GroupingSetKind_GROUPING_SET_EMPTY {
				continue
			}
		}
		out = append(out, n)
	}
	return out, hasSets
}

// grouping collects GROUP BY.
type grouping struct {
	p    *state
	q    *query.Query
	out  []*query.SortGroupClause
	sets []*query.GroupingSet
	seen map[uint32]bool
}

// expr adds a grouping expression and gives its reference.
func (g *grouping) expr(n *node) uint32 {
	p := g.p
	t := p.findTarget92(n, &g.q.Targets, kindGroupBy)
	if t.SortGroupRef != 0 && p.targetInSort(t, 0, g.out) {
		return t.SortGroupRef
	}
	// With ORDER BY on the same column its operators are taken, so that one sort serves both.
	if t.SortGroupRef != 0 {
		for _, s := range g.q.SortBy {
			if s.Ref == t.SortGroupRef {
				c := *s
				g.out = append(g.out, &c)
				return t.SortGroupRef
			}
		}
	}
	g.out = p.addGroup(t, g.out, g.q.Targets, exprNodeLocation(n, t))
	return t.SortGroupRef
}

// set builds the tree of a grouping set.
func (g *grouping) set(gs *pg_query.GroupingSet, top bool) *query.GroupingSet {
	kinds := map[pg_query.GroupingSetKind]query.GroupingSetKind{pg_query.GroupingSetKind_GROUPING_SET_SETS: query.GroupingSets,
		pg_query.GroupingSetKind_GROUPING_SET_CUBE: query.GroupingCube, pg_query.GroupingSetKind_GROUPING_SET_ROLLUP: query.GroupingRollup}
	out := &query.GroupingSet{Kind: kinds[gs.Kind], Location: int(gs.Location)}
	const cubeMax = 12
	if out.Kind == query.GroupingCube && len(gs.Content) > cubeMax {
		fail(out.Location, pgerr.TooManyColumns, "CUBE is limited to %d elements", cubeMax)
	}
	for _, n := range gs.Content {
		out.Sets = append(out.Sets, g.member(n))
	}
	return out
}

func (g *grouping) member(n *node) *query.GroupingSet {
	if row := n.GetRowExpr(); row != nil && row.RowFormat == pg_query.CoercionForm_COERCE_IMPLICIT_CAST {
		s := &query.GroupingSet{Kind: query.GroupingSimple, Location: int(row.Location)}
		inner, _ := flattenGroups(row.Args, false)
		for _, a := range inner {
			s.Refs = append(s.Refs, g.expr(a))
		}
		return s
	}
	if gs := n.GetGroupingSet(); gs != nil {
		if gs.Kind == pg_query.GroupingSetKind_GROUPING_SET_EMPTY {
			return &query.GroupingSet{Kind: query.GroupingEmpty, Location: int(gs.Location)}
		}
		return g.set(gs, false)
	}
	ref := g.expr(n)
	return &query.GroupingSet{Kind: query.GroupingSimple, Refs: []uint32{ref}, Location: exprNodeLocation(n, targetByRef(g.q.Targets, ref))}
}
