package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// checkAggregateKind refuses WITHIN GROUP where it does not belong, and checks the direct arguments of ordered-set aggregates.
func (p *state) checkAggregateKind(c *call, f *catalog.Proc, name string) {
	agg := p.aggregate(f.OID)
	if agg.Kind == 'n' {
		if c.fn.AggWithinGroup {
			fail(c.at, pgerr.WrongObjectType, "%s is not an ordered-set aggregate, so it cannot have WITHIN GROUP", name)
		}
		return
	}
	if !c.fn.AggWithinGroup {
		fail(c.at, pgerr.WrongObjectType, "WITHIN GROUP is required for ordered-set aggregate %s", name)
	}
	if c.fn.Over != nil {
		fail(c.at, pgerr.FeatureNotSupported, "OVER is not supported for ordered-set aggregate %s", name)
	}
	aggregated := len(c.order)
	direct, want := len(c.args)-aggregated, int(agg.NumDirect)
	missing := pgerr.New(pgerr.UndefinedFunction, "function %s does not exist", p.signature(c)).WithLocation(c.at)
	declared := len(c.args)
	if c.found.nvarargs > 1 {
		declared -= c.found.nvarargs - 1
	}
	switch {
	case f.Variadic == 0 || want < declared:
		if direct != want {
			throw(missing.WithHint("There is an ordered-set aggregate %s, but it requires %d direct argument%s, not %d.", name, want, plural(want), direct))
		}
	case agg.Kind == 'h':
		if c.found.nvarargs != 2*aggregated {
			throw(missing.WithHint("To use the hypothetical-set aggregate %s, the number of hypothetical direct arguments (here %d) must match the number of ordering columns (here %d).",
				name, c.found.nvarargs-aggregated, aggregated))
		}
	case c.found.nvarargs <= aggregated:
		throw(missing.WithHint("There is an ordered-set aggregate %s, but it requires at least %d direct argument%s.", name, want, plural(want)))
	}
	if agg.Kind == 'h' {
		p.unifyHypothetical(c, aggregated)
	}
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func (p *state) aggregate(fn OID) *catalog.Aggregate {
	a := must(p.env.Catalog.Aggregate(fn))
	if a == nil {
		throw(pgerr.Internal("cache lookup failed for aggregate %d", fn))
	}
	return a
}

// unifyHypothetical gives each hypothetical argument and its sort column their common type.
func (p *state) unifyHypothetical(c *call, aggregated int) {
	direct := len(c.args) - aggregated
	first := direct - aggregated
	for i := first; i < direct; i++ {
		a := direct + (i - first)
		if c.declared[i] != types.AnyOID {
			continue
		}
		pair := []query.Expr{c.args[a], c.args[i]}
		common := p.commonType(pair, "WITHIN GROUP", nil)
		mod := commonTypMod(pair, common)
		for _, k := range []int{i, a} {
			c.args[k] = p.coerceType(c.args[k], c.argTypes[k], common, mod, coercionImplicit, query.CoerceImplicitCast, -1)
			c.argTypes[k] = common
		}
	}
}

// aggregateCall makes an Aggref: arguments into target entries, ORDER BY and DISTINCT, the query level that it belongs to.
func (p *state) aggregateCall(c *call, f *catalog.Proc) query.Expr {
	info := p.aggregate(f.OID)
	fn := c.fn
	a := &query.Aggref{AggOID: f.OID, TypeOID: c.result, Star: fn.AggStar, Variadic: c.varadic, Kind: info.Kind, Filter: c.filter, AggNo: -1, TransNo: -1,
		Loc: c.at}
	if len(c.args) == 0 && !fn.AggStar && !fn.AggWithinGroup {
		fail(c.at, pgerr.WrongObjectType, "%s(*) must be used to call a parameterless aggregate function", nameList(c.name))
	}
	if f.RetSet {
		fail(c.at, pgerr.InvalidFunctionDefinition, "aggregates cannot return sets")
	}
	if len(c.argNames) > 0 {
		for _, x := range c.args {
			if na, ok := x.(*query.NamedArg); ok {
				fail(na.Loc, pgerr.FeatureNotSupported, "aggregates cannot use named arguments")
			}
		}
	}
	p.aggregateArguments(a, c, info)
	if isPolymorphic(info.TransType) {
		actual := a.ArgTypes
		if len(actual) > len(f.ArgTypes) { // of VARIADIC "any"
			actual = actual[:len(f.ArgTypes)]
		}
		a.TransType = p.resolveGeneric(actual, append([]OID(nil), f.ArgTypes...), info.TransType)
	}
	p.placeAggregate(a)
	return a
}

func (p *state) aggregateArguments(a *query.Aggref, c *call, info *catalog.Aggregate) {
	saveRes := p.nextResNo
	p.nextResNo = 1
	defer func() { p.nextResNo = saveRes }()
	args := c.args
	if a.Kind != 'n' {
		n := len(args) - len(c.order)
		a.DirectArgs, args = args[:n], args[n:]
	}
	for _, e := range c.args {
		a.ArgTypes = append(a.ArgTypes, e.Type())
	}
	var targets []*query.TargetEntry
	for i, e := range args {
		targets = append(targets, &query.TargetEntry{Expr: e, ResNo: i + 1})
	}
	p.nextResNo = len(args) + 1
	if a.Kind != 'n' {
		for i, n := range c.order {
			a.Order = p.addSort(targets[i], a.Order, &targets, n.GetSortBy())
		}
		a.Args = targets
		return
	}
	a.Order = p.sortClause(c.order, &targets, kindOrderBy, true)
	if c.fn.AggDistinct {
		a.Distinct = p.distinctClause(&targets, a.Order, true)
		for _, d := range a.Distinct {
			if d.SortOp == 0 {
				e := targetByRef(targets, d.Ref).Expr
				throw(pgerr.New(pgerr.UndefinedFunction, "could not identify an ordering operator for type %s", p.formatType(e.Type())).
					WithDetail("Aggregates with DISTINCT must be able to sort their inputs.").WithLocation(exprLocation(e)))
			}
		}
	}
	a.Args = targets
}

// placeAggregate finds the query level of an aggregate or GROUPING, checks its arguments and that it may be there.
func (p *state) placeAggregate(e query.Expr) {
	l := &aggLevels{p: p, varLevel: -1, aggLevel: -1}
	isAgg := false
	at := 0
	var level *int
	switch a := e.(type) {
	case *query.Aggref:
		isAgg, at, level = true, a.Loc, &a.LevelsUp
		for _, t := range a.Args {
			l.scan(t.Expr)
		}
		l.scan(a.Filter)
		direct := &aggLevels{p: p, varLevel: -1, aggLevel: -1}
		*level = l.level()
		l.checkCTEs(*level, a.Loc)
		for _, d := range a.DirectArgs {
			direct.scan(d)
		}
		if direct.varLevel >= 0 && direct.varLevel < *level {
			fail(direct.varAt, pgerr.GroupingError, "outer-level aggregate cannot contain a lower-level variable in its direct arguments")
		}
		if direct.aggLevel >= 0 && direct.aggLevel <= *level {
			fail(direct.aggAt, pgerr.GroupingError, "aggregate function calls cannot be nested")
		}
	case *query.GroupingFunc:
		at, level = a.Loc, &a.LevelsUp
		for _, x := range a.Args {
			l.scan(x)
		}
		*level = l.level()
	}
	s := p
	for range *level {
		s = s.parent
	}
	s.hasAggs = true
	s.checkAggregatePlace(at, isAgg)
}

// aggLevels finds the levels of the variables and aggregates in an aggregate's arguments.
type aggLevels struct {
	p                  *state
	varLevel, aggLevel int // smallest seen, -1 = none
	varAt, aggAt       int
	ctes               []cteUse
}

// cteUse is a reference to a WITH item inside an aggregate's arguments, by the level that the item belongs to.
type cteUse struct {
	level int
	name  string
}

// checkCTEs: an aggregate of an outer level is computed there, where WITH items of the levels below do not exist.
func (l *aggLevels) checkCTEs(level, at int) {
	for _, c := range l.ctes {
		if c.level < level {
			throw(pgerr.New(pgerr.FeatureNotSupported, "outer-level aggregate cannot use a nested CTE").
				WithDetail("CTE \"%s\" is below the aggregate's semantic level.", c.name).WithLocation(at))
		}
	}
}

// scanCTEs notes the WITH items that a sub-select refers to, depth levels below the aggregate.
func (l *aggLevels) scanCTEs(q *query.Query, depth int) {
	for _, rte := range q.RangeTable {
		if n := rte.CTELevelsUp - depth; rte.Kind == query.RTECTE && n >= 0 {
			l.ctes = append(l.ctes, cteUse{n, rte.CTEName})
		}
	}
	query.WalkQuery(q, func(query.Expr) bool { return true }, func(sub *query.Query) { l.scanCTEs(sub, depth+1) })
}

func (l *aggLevels) scan(e query.Expr) {
	query.WalkLevels(e, func(x query.Expr, sub int) bool {
		switch x := x.(type) {
		case *query.Var:
			if n := x.LevelsUp - sub; n >= 0 && (l.varLevel < 0 || n < l.varLevel) {
				l.varLevel, l.varAt = n, x.Loc
			}
		case *query.Aggref:
			if n := x.LevelsUp - sub; n >= 0 && (l.aggLevel < 0 || n < l.aggLevel) {
				l.aggLevel, l.aggAt = n, x.Loc
			}
			return false
		case *query.GroupingFunc:
			if n := x.LevelsUp - sub; n >= 0 && (l.aggLevel < 0 || n < l.aggLevel) {
				l.aggLevel, l.aggAt = n, x.Loc
			}
		case *query.SubLink:
			if sub == 0 {
				l.scanCTEs(x.Subquery, 1)
			}
		case *query.FuncExpr:
			if sub == 0 && x.RetSet {
				l.srf(x.Loc)
			}
		case *query.OpExpr:
			if sub == 0 && x.RetSet {
				l.srf(x.Loc)
			}
		case *query.WindowFunc:
			if sub == 0 {
				fail(x.Loc, pgerr.GroupingError, "aggregate function calls cannot contain window function calls")
			}
		}
		return true
	})
}

func (l *aggLevels) srf(at int) {
	throw(pgerr.New(pgerr.FeatureNotSupported, "aggregate function calls cannot contain set-returning function calls").
		WithHint("You might be able to move the set-returning function into a LATERAL FROM item.").WithLocation(at))
}

// level is the smallest variable's level, 0 when there are no variables; an aggregate at that level inside is nested wrongly.
func (l *aggLevels) level() int {
	level := 0
	switch {
	case l.varLevel < 0 && l.aggLevel < 0:
	case l.varLevel < 0:
		level = l.aggLevel
	case l.aggLevel < 0:
		level = l.varLevel
	default:
		level = min(l.varLevel, l.aggLevel)
	}
	if l.aggLevel >= 0 && level == l.aggLevel {
		fail(l.aggAt, pgerr.GroupingError, "aggregate function calls cannot be nested")
	}
	return level
}

// checkAggregatePlace refuses an aggregate or GROUPING where it cannot be.
func (p *state) checkAggregatePlace(at int, isAgg bool) {
	what, msg := "grouping operations", ""
	if isAgg {
		what = "aggregate functions"
	}
	switch p.exprKind {
	case kindNone, kindOther, kindHaving, kindWindowPartition, kindWindowOrder, kindSelectTarget, kindOrderBy, kindDistinctOn:
		return
	case kindJoinOn, kindJoinUsing:
		msg = what + " are not allowed in JOIN conditions"
	case kindFromSubselect:
		msg = what + " are not allowed in FROM clause of their own query level"
	case kindFromFunction:
		msg = what + " are not allowed in functions in FROM"
	case kindPolicy:
		msg = what + " are not allowed in policy expressions"
	case kindWindowFrameRange:
		msg = what + " are not allowed in window RANGE"
	case kindWindowFrameRows:
		msg = what + " are not allowed in window ROWS"
	case kindWindowFrameGroups:
		msg = what + " are not allowed in window GROUPS"
	case kindMergeWhen:
		msg = what + " are not allowed in MERGE WHEN conditions"
	case kindCheckConstraint, kindDomainCheck:
		msg = what + " are not allowed in check constraints"
	case kindColumnDefault, kindFunctionDefault:
		msg = what + " are not allowed in DEFAULT expressions"
	case kindIndexExpression:
		msg = what + " are not allowed in index expressions"
	case kindIndexPredicate:
		msg = what + " are not allowed in index predicates"
	case kindStatsExpression:
		msg = what + " are not allowed in statistics expressions"
	case kindAlterColTransform:
		msg = what + " are not allowed in transform expressions"
	case kindExecuteParameter:
		msg = what + " are not allowed in EXECUTE parameters"
	case kindTriggerWhen:
		msg = what + " are not allowed in trigger WHEN conditions"
	case kindPartitionBound:
		msg = what + " are not allowed in partition bound"
	case kindPartitionExpression:
		msg = what + " are not allowed in partition key expressions"
	case kindGeneratedColumn:
		msg = what + " are not allowed in column generation expressions"
	case kindCallArgument:
		msg = what + " are not allowed in CALL arguments"
	case kindCopyWhere:
		msg = what + " are not allowed in COPY FROM WHERE conditions"
	default:
		msg = what + " are not allowed in " + exprKindNames[p.exprKind]
	}
	fail(at, pgerr.GroupingError, "%s", msg)
}

// groupingFunc analyses GROUPING(...).
func (p *state) groupingFunc(g *pg_query.GroupingFunc) query.Expr {
	const argsMax = 31
	out := &query.GroupingFunc{Loc: int(g.Location)}
	if len(g.Args) > argsMax {
		fail(out.Loc, pgerr.TooManyArguments, "GROUPING must have fewer than 32 arguments")
	}
	for _, a := range g.Args {
		out.Args = append(out.Args, p.exprRec(a))
	}
	p.placeAggregate(out)
	return out
}
