package plan

import (
	"math"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Build makes a plan of a rewritten query. params, when not nil, are the client's parameter values: the plan is good for these only
// (a custom plan). The query is not changed. Errors are those of constant folding (division by zero and the like), of the catalogs, and of
// what is not supported.
func Build(env *Env, q *query.Query, params []types.Datum, opts CursorOptions) (p *Planned, err error) {
	defer recoverAbort(&err)
	g := newGlob(env)
	g.bound, g.hasBound = params, params != nil
	fraction := 0.0
	if opts.Cursor {
		if fraction = g.set.CursorTupleFraction; fraction >= 1 {
			fraction = 0
		}
	}
	r := g.subqueryPlanner(q, nil, false, fraction)
	final := r.finalRel()
	best := cheapestFractional(final, fraction)
	top := r.createPlan(best)
	if opts.Scroll && !supportsBackward(top) {
		top = materializeFinished(g, top)
	}
	return g.finish(q, r, top), nil
}

func newGlob(env *Env) *glob {
	g := &glob{env: env, initPlans: map[int]bool{}, rewind: map[int]bool{}, invals: map[OID]struct{}{}, funcs: map[OID]struct{}{},
		rels: map[OID]*catalog.Relation{}, procs: map[OID]*catalog.Proc{}, opers: map[OID]*catalog.Operator{}}
	g.set = DefaultSettings()
	if env.Settings != nil {
		g.set = *env.Settings
	}
	return g
}

const maxLevels = 200 // nested query levels: deeper is refused before the stack is at risk

// subqueryPlanner plans one query level: preprocessing, then paths for its result.
func (g *glob) subqueryPlanner(q *query.Query, parent *root, recursion bool, fraction float64, conds ...runCond) *root {
	r := &root{g: g, parent: parent, level: 1, hasRecursion: recursion, wtParam: -1, epqParam: -1, givenRunConds: conds}
	if parent != nil {
		r.level = parent.level + 1
	}
	if r.level > maxLevels {
		fail(pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded"))
	}
	c := *q
	c.RangeTable = make([]*query.RTE, len(q.RangeTable))
	for i, e := range q.RangeTable {
		n := *e
		c.RangeTable[i] = &n
	}
	r.q = &c
	if recursion {
		r.wtParam = g.newExecParam(0)
	}
	r.processCTEs()
	if c.Command == query.CmdMerge {
		c.MergeActions = append([]*query.MergeAction(nil), c.MergeActions...)
		r.mergeToJoin()
	}
	r.replaceEmptyJoinTree()
	if c.HasSubLinks {
		r.pullUpSublinks()
	}
	r.foldFunctionRTEs()
	r.pullUpSubqueries()
	if r.q.SetOp == nil {
		checkRangeTable(len(r.q.RangeTable))
	}
	outerJoins := r.surveyRTEs()
	r.preprocessRowMarks()
	r.hasHaving = c.Having != nil
	r.preprocessExpressions()
	r.moveHavingToWhere()
	if outerJoins {
		r.reduceOuterJoins()
	}
	r.removeResultRTEs()
	r.groupingPlanner(fraction)
	r.outerParams = r.outerParamSet()
	r.chargeForInitPlans(r.finalRel())
	r.setCheapest(r.finalRel())
	return r
}

// surveyRTEs notes which kinds of entries there are, and refuses what is not supported.
func (r *root) surveyRTEs() (outerJoins bool) {
	used := joinTreeRels(r.q.JoinTree)
	for i, e := range r.q.RangeTable {
		switch e.Kind {
		case query.RTERelation:
			if e.Inh && used.has(i+1) && e.RelKind != 'p' {
				rel := r.g.relation(e.RelOID)
				e.Inh = rel.HasSubclass && len(rel.Children) > 0
			}
			if e.TableSample != nil {
				if e.RelKind == 'p' && used.has(i+1) {
					fail(pgerr.NotSupported("TABLESAMPLE"))
				}
				e.Inh = false
			}
		case query.RTEJoin:
			r.hasJoinRTEs = true
			if e.JoinType != query.JoinInner {
				outerJoins = true
			}
		}
		if e.Lateral {
			r.hasLateral = true
		}
		if len(e.SecurityQuals) > r.qualSecurityLevel {
			r.qualSecurityLevel = len(e.SecurityQuals)
		}
	}
	return outerJoins
}

// joinTreeRels gives the base relations of a join tree.
func joinTreeRels(t query.FromItem) (s Relids) {
	switch t := t.(type) {
	case *query.RangeTblRef:
		s.add(t.Index)
	case *query.FromExpr:
		for _, x := range t.Items {
			s = s.or(joinTreeRels(x))
		}
	case *query.JoinExpr:
		return joinTreeRels(t.Left).or(joinTreeRels(t.Right))
	}
	return s
}

// replaceEmptyJoinTree gives a query without FROM a one-row relation, so that the rest needs no special case.
func (r *root) replaceEmptyJoinTree() {
	if r.q.JoinTree == nil {
		r.q.JoinTree = &query.FromExpr{}
	}
	if len(r.q.JoinTree.Items) > 0 || r.q.SetOp != nil {
		return
	}
	i := r.addRTE(&query.RTE{Kind: query.RTEResult, Eref: &query.Alias{Name: "*RESULT*"}})
	r.q.JoinTree = &query.FromExpr{Items: []query.FromItem{&query.RangeTblRef{Index: i}}, Quals: r.q.JoinTree.Quals}
}

func (r *root) addRTE(e *query.RTE) int {
	r.q.RangeTable = append(r.q.RangeTable, e)
	return len(r.q.RangeTable)
}

func (r *root) rte(i int) *query.RTE {
	if n := childNumber(i); n > 0 {
		return r.children[n-1].rte
	}
	return r.q.RangeTable[i-1]
}

// clampRows: estimates are at least one row, whole, and never infinite.
func clampRows(n float64) float64 {
	switch {
	case n > 1e100 || math.IsNaN(n):
		return 1e100
	case n <= 1:
		return 1
	}
	return math.RoundToEven(n)
}

// newExecParam numbers a new exec param of a type.
func (g *glob) newExecParam(typ OID) int {
	g.params = append(g.params, typ)
	return len(g.params) - 1
}
