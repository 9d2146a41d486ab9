package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// checkWindowPlace refuses a window function where it cannot be.
func (p *state) checkWindowPlace(at int) {
	msg := ""
	switch p.exprKind {
	case kindSelectTarget, kindOrderBy, kindDistinctOn, kindOther, kindNone, kindInsertTarget, kindUpdateSource:
		if p.exprKind == kindInsertTarget || p.exprKind == kindUpdateSource {
			msg = "window functions are not allowed in " + exprKindNames[p.exprKind]
		}
	case kindJoinOn, kindJoinUsing:
		msg = "window functions are not allowed in JOIN conditions"
	case kindFromFunction:
		msg = "window functions are not allowed in functions in FROM"
	case kindPolicy:
		msg = "window functions are not allowed in policy expressions"
	case kindWindowPartition, kindWindowOrder, kindWindowFrameRange, kindWindowFrameRows, kindWindowFrameGroups:
		msg = "window functions are not allowed in window definitions"
	case kindMergeWhen:
		msg = "window functions are not allowed in MERGE WHEN conditions"
	case kindCheckConstraint, kindDomainCheck:
		msg = "window functions are not allowed in check constraints"
	case kindColumnDefault, kindFunctionDefault:
		msg = "window functions are not allowed in DEFAULT expressions"
	case kindIndexExpression:
		msg = "window functions are not allowed in index expressions"
	case kindStatsExpression:
		msg = "window functions are not allowed in statistics expressions"
	case kindIndexPredicate:
		msg = "window functions are not allowed in index predicates"
	case kindAlterColTransform:
		msg = "window functions are not allowed in transform expressions"
	case kindExecuteParameter:
		msg = "window functions are not allowed in EXECUTE parameters"
	case kindTriggerWhen:
		msg = "window functions are not allowed in trigger WHEN conditions"
	case kindPartitionBound:
		msg = "window functions are not allowed in partition bound"
	case kindPartitionExpression:
		msg = "window functions are not allowed in partition key expressions"
	case kindCallArgument:
		msg = "window functions are not allowed in CALL arguments"
	case kindCopyWhere:
		msg = "window functions are not allowed in COPY FROM WHERE conditions"
	case kindGeneratedColumn:
		msg = "window functions are not allowed in column generation expressions"
	default:
		msg = "window functions are not allowed in " + exprKindNames[p.exprKind]
	}
	if msg != "" {
		fail(at, pgerr.WindowingError, "%s", msg)
	}
}

// windowCall makes a window function call, or an aggregate over a window.
func (p *state) windowCall(c *call, f *catalog.Proc) query.Expr {
	fn := c.fn
	w := &query.WindowFunc{FuncOID: f.OID, TypeOID: c.result, Args: c.args, Filter: c.filter, Star: fn.AggStar, IsAgg: f.Kind == 'a', Loc: c.at}
	name := nameList(c.name)
	switch {
	case fn.AggDistinct:
		fail(c.at, pgerr.FeatureNotSupported, "DISTINCT is not implemented for window functions")
	case w.IsAgg && len(c.args) == 0 && !fn.AggStar:
		fail(c.at, pgerr.WrongObjectType, "%s(*) must be used to call a parameterless aggregate function", name)
	case len(fn.AggOrder) > 0:
		fail(c.at, pgerr.FeatureNotSupported, "aggregate ORDER BY is not implemented for window functions")
	case !w.IsAgg && c.filter != nil:
		fail(c.at, pgerr.FeatureNotSupported, "FILTER is not implemented for non-aggregate window functions")
	case p.lastSRF != c.lastSRF:
		throw(pgerr.New(pgerr.FeatureNotSupported, "window function calls cannot contain set-returning function calls").
			WithHint("You might be able to move the set-returning function into a LATERAL FROM item.").WithLocation(exprLocation(p.lastSRF)))
	case f.RetSet:
		fail(c.at, pgerr.InvalidFunctionDefinition, "window functions cannot return sets")
	}
	p.attachWindow(w, fn.Over)
	return w
}

// attachWindow finds or makes the window that a call is over.
func (p *state) attachWindow(w *query.WindowFunc, def *pg_query.WindowDef) {
	if p.hasWindowFuncs {
		for _, a := range w.Args {
			if containsWindowFunc(a) {
				fail(windowLocation(a), pgerr.WindowingError, "window function calls cannot be nested")
			}
		}
	}
	for _, a := range w.Args {
		if containsWindowFunc(a) {
			fail(windowLocation(a), pgerr.WindowingError, "window function calls cannot be nested")
		}
	}
	p.checkWindowPlace(w.Loc)
	p.hasWindowFuncs = true
	if def.Name != "" {
		for i, d := range p.windowDefs {
			if d.Name == def.Name {
				w.WinRef = uint32(i + 1)
				return
			}
		}
		fail(int(def.Location), pgerr.UndefinedObject, "window \"%s\" does not exist", def.Name)
	}
	for i, d := range p.windowDefs {
		// An inline definition is shared with an equal one.
		if d.Name == "" && sameWindow(d, def) {
			w.WinRef = uint32(i + 1)
			return
		}
	}
	p.windowDefs = append(p.windowDefs, def)
	w.WinRef = uint32(len(p.windowDefs))
}

func sameWindow(a, b *pg_query.WindowDef) bool {
	if a.Refname != b.Refname || a.FrameOptions != b.FrameOptions || len(a.PartitionClause) != len(b.PartitionClause) ||
		len(a.OrderClause) != len(b.OrderClause) || (a.StartOffset == nil) != (b.StartOffset == nil) || (a.EndOffset == nil) != (b.EndOffset == nil) {
		return false
	}
	for i := range a.PartitionClause {
		if !sameNode(a.PartitionClause[i], b.PartitionClause[i]) {
			return false
		}
	}
	for i := range a.OrderClause {
		if !sameNode(a.OrderClause[i], b.OrderClause[i]) {
			return false
		}
	}
	return (a.StartOffset == nil || sameNode(a.StartOffset, b.StartOffset)) && (a.EndOffset == nil || sameNode(a.EndOffset, b.EndOffset))
}

// sameNode compares parse nodes, places apart.
func sameNode(a, b *node) bool {
	x, y := proto.Clone(a).(*node), proto.Clone(b).(*node)
	clearLocations(x.ProtoReflect())
	clearLocations(y.ProtoReflect())
	return proto.Equal(x, y)
}

func containsWindowFunc(e query.Expr) bool {
	return query.Contains(e, func(x query.Expr) bool { _, ok := x.(*query.WindowFunc); return ok })
}

func windowLocation(e query.Expr) int {
	at := -1
	query.Walk(e, func(x query.Expr) bool {
		if w, ok := x.(*query.WindowFunc); ok && at < 0 {
			at = w.Loc
		}
		return at < 0
	})
	return at
}

// windowClauses analyses the window definitions, named and inline, when something may use them.
func (p *state) windowClauses(targets *[]*query.TargetEntry) []*query.WindowClause {
	var out []*query.WindowClause
	for i, d := range p.windowDefs {
		at := int(d.Location)
		var ref *query.WindowClause
		if d.Name != "" && findWindow(out, d.Name) != nil {
			fail(at, pgerr.WindowingError, "window \"%s\" is already defined", d.Name)
		}
		if d.Refname != "" {
			if ref = findWindow(out, d.Refname); ref == nil {
				fail(at, pgerr.UndefinedObject, "window \"%s\" does not exist", d.Refname)
			}
		}
		w := &query.WindowClause{Name: d.Name, RefName: d.Refname, FrameOptions: int(d.FrameOptions), Ref: uint32(i + 1)}
		order := p.sortClause(d.OrderClause, targets, kindWindowOrder, true)
		part := p.partitionClause(d.PartitionClause, targets)
		p.inheritWindow(w, ref, part, order, d, at)
		p.windowFrame(w, d, *targets)
		out = append(out, w)
	}
	return out
}

func findWindow(list []*query.WindowClause, name string) *query.WindowClause {
	for _, w := range list {
		if w.Name == name {
			return w
		}
	}
	return nil
}

func (p *state) partitionClause(list []*node, targets *[]*query.TargetEntry) []*query.SortGroupClause {
	var out []*query.SortGroupClause
	for _, n := range list {
		t := p.findTarget99(n, targets, kindWindowPartition)
		out = p.addGroup(t, out, *targets, exprNodeLocation(n, t))
	}
	return out
}

// inheritWindow applies the rules of a definition that names another.
func (p *state) inheritWindow(w, ref *query.WindowClause, part, order []*query.SortGroupClause, d *pg_query.WindowDef, at int) {
	w.PartitionBy, w.OrderBy = part, order
	if ref == nil {
		return
	}
	if len(part) > 0 {
		fail(at, pgerr.WindowingError, "cannot override PARTITION BY clause of window \"%s\"", d.Refname)
	}
	w.PartitionBy = ref.PartitionBy
	if len(ref.OrderBy) > 0 {
		if len(order) > 0 {
			fail(at, pgerr.WindowingError, "cannot override ORDER BY clause of window \"%s\"", d.Refname)
		}
		w.OrderBy, w.CopiedOrder = ref.OrderBy, true
	}
	if ref.FrameOptions != query.FrameDefaults {
		e := pgerr.New(pgerr.WindowingError, "cannot copy window \"%s\" because it has a frame clause", d.Refname).WithLocation(at)
		if d.Name != "" || len(d.OrderClause) > 0 || w.FrameOptions != query.FrameDefaults {
			throw(e)
		}
		throw(pgerr.New(pgerr.WindowingError, "cannot copy window \"%s\" because it has a frame clause", d.Refname).
			WithHint("Omit the parentheses in this OVER clause.").WithLocation(at))
	}
}

// windowFrame checks the frame and analyses its offsets.
func (p *state) windowFrame(w *query.WindowClause, d *pg_query.WindowDef, targets []*query.TargetEntry) {
	at := int(d.Location)
	opts := w.FrameOptions
	const offsets = query.FrameStartOffsetPreceding | query.FrameStartOffsetFollowing | query.FrameEndOffsetPreceding | query.FrameEndOffsetFollowing
	if opts&query.FrameRange != 0 && opts&offsets != 0 {
		if len(w.OrderBy) != 1 {
			fail(at, pgerr.WindowingError, "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column")
		}
		p.rangeFrame(w, d, targets)
		return
	}
	if opts&query.FrameGroups != 0 && len(w.OrderBy) == 0 {
		fail(at, pgerr.WindowingError, "GROUPS mode requires an ORDER BY clause")
	}
	w.StartOffset = p.frameOffset(d.StartOffset, opts)
	w.EndOffset = p.frameOffset(d.EndOffset, opts)
}

func (p *state) frameOffset(n *node, opts int) query.Expr {
	if n == nil {
		return nil
	}
	kind, what := kindWindowFrameRows, "ROWS"
	if opts&query.FrameGroups != 0 {
		kind, what = kindWindowFrameGroups, "GROUPS"
	}
	e := p.coerceToSpecific(p.expr(n, kind), types.Int8OID, what)
	p.checkNoVars(e, what)
	return e
}

func (p *state) checkNoVars(e query.Expr, what string) {
	if containsVarsAtLevel(e, 0) {
		fail(varLocation(e), pgerr.InvalidColumnReference, "argument of %s must not contain variables", what)
	}
}

// rangeFrame analyses the offsets of RANGE n PRECEDING: they are added to the ORDER BY column by its in_range function.
func (p *state) rangeFrame(w *query.WindowClause, d *pg_query.WindowDef, targets []*query.TargetEntry) {
	sort := w.OrderBy[0]
	key := targetByRef(targets, sort.Ref).Expr
	fams := p.orderingFamilies(sort.SortOp)
	if len(fams) == 0 {
		throw(pgerr.Internal("operator %d is not a valid ordering operator", sort.SortOp))
	}
	f := fams[0]
	offset := func(n *node) (query.Expr, OID) {
		if n == nil {
			return nil, 0
		}
		e := p.expr(n, kindWindowFrameRange)
		fn, to := p.inRangeFunc(f, f.Left, e)
		e = p.coerceToSpecific(e, to, "RANGE")
		p.checkNoVars(e, "RANGE")
		return e, fn
	}
	w.StartOffset, w.StartInRangeFunc = offset(d.StartOffset)
	w.EndOffset, w.EndInRangeFunc = offset(d.EndOffset)
	w.InRangeColl = key.Collation()
	w.InRangeAsc = f.Strategy == btLess
	w.InRangeNullsFirst = sort.NullsFirst
}

// inRangeFunc chooses the in_range support function for an offset: the one of its type, else the one that it can be coerced to.
func (p *state) inRangeFunc(f *catalog.AmOp, keyTyp OID, e query.Expr) (fn, offsetType OID) {
	const inRange = 3
	at := exprLocation(e)
	et := e.Type()
	var found []OID
	for _, t := range []OID{types.Int8OID, types.Int4OID, types.Int2OID, types.NumericOID, types.Float8OID, types.Float4OID, types.IntervalOID} {
		if must(p.env.Catalog.AmProc(f.Family, f.Left, t, inRange)) == 0 {
			continue
		}
		if t == et {
			return must(p.env.Catalog.AmProc(f.Family, f.Left, t, inRange)), t
		}
		found = append(found, t)
	}
	if len(found) == 0 {
		fail(at, pgerr.FeatureNotSupported, "RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s", p.formatType(keyTyp))
	}
	var fits []OID
	for _, t := range found {
		if p.canCoerce([]OID{et}, []OID{t}, coercionImplicit) {
			fits = append(fits, t)
		}
	}
	// An unknown literal takes the key's own type when it can.
	if len(fits) > 1 {
		for _, t := range fits {
			if t == keyTyp {
				fits = []OID{t}
				break
			}
		}
	}
	if len(fits) == 0 {
		throw(pgerr.New(pgerr.FeatureNotSupported, "RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s and offset type %s",
			p.formatType(keyTyp), p.formatType(et)).WithHint("Cast the offset value to an appropriate type.").WithLocation(at))
	}
	if len(fits) > 1 {
		throw(pgerr.New(pgerr.FeatureNotSupported, "RANGE with offset PRECEDING/FOLLOWING has multiple interpretations for column type %s and offset type %s",
			p.formatType(keyTyp), p.formatType(et)).WithHint("Cast the offset value to the exact intended type.").WithLocation(at))
	}
	return must(p.env.Catalog.AmProc(f.Family, f.Left, fits[0], inRange)), fits[0]
}
