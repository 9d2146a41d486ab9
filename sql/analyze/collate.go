package analyze

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// strength says how sure a collation is.
type strength uint8

const (
	collateNone strength = iota
	collateImplicit
	collateConflict
	collateExplicit
)

// collation is what is known of an expression's collation.
type collation struct {
	coll     OID
	strength strength
	location int
	other    OID // with collateConflict: the second of the two
}

// assignCollations sets the collation fields in a finished expression, bottom up.
func (p *state) assignCollations(e query.Expr) {
	if e != nil {
		p.collateExpr(e)
	}
}

func (p *state) assignListCollations(list []query.Expr) {
	for _, e := range list {
		p.assignCollations(e)
	}
}

// assignQueryCollations does so for everything in a query but its sub-selects, which have been done on their own.
func (p *state) assignQueryCollations(q *query.Query) {
	for _, t := range q.Targets {
		p.assignCollations(t.Expr)
	}
	for _, t := range q.Returning {
		p.assignCollations(t.Expr)
	}
	p.collateFrom(q.JoinTree)
	for _, e := range []query.Expr{q.Having, q.LimitOffset, q.LimitCount} {
		p.assignCollations(e)
	}
	for _, w := range q.Windows {
		p.assignCollations(w.StartOffset)
		p.assignCollations(w.EndOffset)
	}
	for _, a := range q.MergeActions {
		p.assignCollations(a.Qual)
		for _, t := range a.Targets {
			p.assignCollations(t.Expr)
		}
	}
	if c := q.OnConflict; c != nil {
		p.assignCollations(c.ArbiterWhere)
		p.assignCollations(c.Where)
		for _, t := range c.Set {
			p.assignCollations(t.Expr)
		}
		for _, el := range c.ArbiterElems {
			p.assignCollations(el.Expr)
		}
	}
}

func (p *state) collateFrom(item query.FromItem) {
	switch item := item.(type) {
	case *query.FromExpr:
		if item == nil {
			return
		}
		for _, i := range item.Items {
			p.collateFrom(i)
		}
		p.assignCollations(item.Quals)
	case *query.JoinExpr:
		p.collateFrom(item.Left)
		p.collateFrom(item.Right)
		p.assignCollations(item.Quals)
	}
}

// merge combines a child's collation into its parent's.
func (p *state) merge(into *collation, c collation) {
	switch {
	case c.strength > into.strength:
		*into = c
	case c.strength < into.strength:
	case c.strength == collateImplicit && c.coll != into.coll:
		// Non-default beats default; two different ones conflict.
		if into.coll == catalog.DefaultCollation {
			*into = c
		} else if c.coll != catalog.DefaultCollation {
			into.strength, into.location, into.other = collateConflict, c.location, c.coll
		}
	case c.strength == collateExplicit && c.coll != into.coll:
		fail(c.location, pgerr.CollationMismatch, "collation mismatch between explicit collations \"%s\" and \"%s\"", p.collationName(into.coll),
			p.collationName(c.coll))
	}
}

func (p *state) collationName(oid OID) string {
	c := must(p.env.Catalog.Collation(oid))
	if c == nil {
		return ""
	}
	return c.Name
}

// collateList merges the collations of expressions.
func (p *state) collateList(list ...query.Expr) collation {
	c := collation{location: -1}
	for _, e := range list {
		if e != nil {
			p.merge(&c, p.collateExpr(e))
		}
	}
	return c
}

// result is the collation of a node of a type over children: the type's own when no child has one.
func (p *state) result(c collation, typ OID, at int) (collation, OID) {
	own := p.typeCollation(typ)
	if own == 0 {
		return collation{location: at}, 0
	}
	if c.strength == collateNone {
		return collation{coll: own, strength: collateImplicit, location: at}, own
	}
	if c.strength == collateConflict {
		return c, 0
	}
	return c, c.coll
}

// inputColl is the collation that a function works with; 0 when it is in conflict (the function complains if it needs one).
func inputColl(c collation) OID {
	if c.strength == collateConflict {
		return 0
	}
	return c.coll
}

// leafCollation is that of an expression whose collation is fixed.
func (p *state) leafCollation(e query.Expr, at int) collation {
	if c := e.Collation(); c != 0 {
		return collation{coll: c, strength: collateImplicit, location: at}
	}
	return collation{location: at}
}

// collateExpr sets the collations in an expression and gives its own.
func (p *state) collateExpr(e query.Expr) (c collation) {
	p.enter()
	defer p.leave()
	at := exprLocation(e)
	switch e := e.(type) {
	case *query.CollateExpr:
		p.collateExpr(e.Arg)
		return collation{coll: e.Coll, strength: collateExplicit, location: e.Loc}
	case *query.FieldSelect:
		p.collateExpr(e.Arg)
		return p.leafCollation(e, at)
	case *query.RowExpr:
		for _, a := range e.Args {
			p.collateExpr(a)
		}
		return collation{location: at}
	case *query.RowCompareExpr:
		for i := range e.Left {
			e.InputColls[i] = p.needCollation(p.collateList(e.Left[i], e.Right[i]))
		}
		return collation{location: at}
	case *query.CoerceToDomain:
		c = p.collateExpr(e.Arg)
		c, e.Coll = p.domainCollation(c, e, at)
		return c
	case *query.SubLink:
		p.collateList(e.Test)
		return p.leafCollation(e, at)
	case *query.Var, *query.Const, *query.Param, *query.CoerceToDomainValue, *query.CaseTestExpr, *query.SetToDefault, *query.CurrentOfExpr,
		*query.SQLValueFunction, *query.NextValueExpr, *query.GroupingFunc:
		return p.leafCollation(e, at)
	case *query.Aggref:
		return p.collateAggregate(e, at)
	case *query.WindowFunc:
		c = p.collateList(e.Args...)
		p.collateList(e.Filter)
		e.InputColl = inputColl(c)
		c, e.Coll = p.result(c, e.TypeOID, at)
		return c
	case *query.CaseExpr:
		return p.collateCase(e, at)
	case *query.SubscriptingRef:
		for _, s := range append(append([]query.Expr(nil), e.Upper...), e.Lower...) {
			p.collateList(s)
		}
		c = p.collateExpr(e.Container)
		p.collateList(e.Assign)
		c, e.Coll = p.result(c, e.TypeOID, at)
		return c
	}
	return p.collateOther(e, at)
}

// domainCollation: a domain with its own collation overrides an implicit one.
func (p *state) domainCollation(c collation, e *query.CoerceToDomain, at int) (collation, OID) {
	own := p.typeCollation(e.TypeOID)
	if own == 0 {
		return collation{location: at}, 0
	}
	if own != catalog.DefaultCollation && c.strength != collateExplicit {
		return collation{coll: own, strength: collateImplicit, location: at}, own
	}
	return p.result(c, e.TypeOID, at)
}

// needCollation raises the error of a comparison whose collation is in conflict.
func (p *state) needCollation(c collation) OID {
	if c.strength == collateConflict {
		throw(pgerr.New(pgerr.CollationMismatch, "collation mismatch between implicit collations \"%s\" and \"%s\"", p.collationName(c.coll),
			p.collationName(c.other)).WithHint("You can choose the collation by applying the COLLATE clause to one or both expressions.").
			WithLocation(c.location))
	}
	return c.coll
}

// collateAggregate: direct arguments and aggregated ones count, except that the sort columns of an ordered-set aggregate do not when there are
// several.
func (p *state) collateAggregate(e *query.Aggref, at int) collation {
	c := collation{location: -1}
	p.collateList(e.Filter)
	switch e.Kind {
	case 'n':
		for _, t := range e.Args {
			if t.Junk {
				p.collateExpr(t.Expr)
			} else {
				p.merge(&c, p.collateExpr(t.Expr))
			}
		}
	default:
		c = p.collateList(e.DirectArgs...)
		for _, t := range e.Args {
			if len(e.Args) == 1 && e.Kind == 'o' {
				p.merge(&c, p.collateExpr(t.Expr))
			} else {
				p.collateExpr(t.Expr)
			}
		}
	}
	e.InputColl = inputColl(c)
	c, e.Coll = p.result(c, e.TypeOID, at)
	return c
}

func (p *state) collateCase(e *query.CaseExpr, at int) collation {
	c := collation{location: -1}
	p.collateList(e.Arg)
	for _, w := range e.Whens {
		p.collateExpr(w.Cond)
		p.merge(&c, p.collateExpr(w.Result))
	}
	if e.Default != nil {
		p.merge(&c, p.collateExpr(e.Default))
	}
	c, e.Coll = p.result(c, e.TypeOID, at)
	return c
}

// collateOther handles the nodes whose children all count alike.
func (p *state) collateOther(e query.Expr, at int) collation {
	var children []query.Expr
	query.Children(e, func(x query.Expr) { children = append(children, x) })
	if a, ok := e.(*query.ArrayCoerceExpr); ok {
		children = []query.Expr{a.Arg}
		p.collateExpr(a.ElemExpr)
	}
	c := p.collateList(children...)
	in := inputColl(c)
	r, coll := p.result(c, e.Type(), at)
	switch e := e.(type) {
	case *query.FuncExpr:
		e.InputColl, e.Coll = in, coll
	case *query.OpExpr:
		e.InputColl, e.Coll = in, coll
	case *query.DistinctExpr:
		e.InputColl, e.Coll = in, coll
	case *query.NullIfExpr:
		e.InputColl, e.Coll = in, coll
	case *query.ScalarArrayOpExpr:
		e.InputColl = in
	case *query.MinMaxExpr:
		e.InputColl, e.Coll = in, coll
	case *query.RelabelType:
		e.Coll = coll
	case *query.CoerceViaIO:
		e.Coll = coll
	case *query.ArrayCoerceExpr:
		e.Coll = coll
	case *query.ArrayExpr:
		e.Coll = coll
	case *query.CoalesceExpr:
		e.Coll = coll
	case *query.FieldStore, *query.BoolExpr, *query.NullTest, *query.BooleanTest, *query.ConvertRowtypeExpr, *query.NamedArg, *query.InferenceElem:
	}
	return r
}

// selectCollation is the collation of a UNION column or a VALUES column; noneOK allows a conflict (then 0).
func (p *state) selectCollation(list []query.Expr, noneOK bool) OID {
	c := p.collateList(list...)
	if c.strength == collateConflict {
		if noneOK {
			return 0
		}
		p.needCollation(c)
	}
	return c.coll
}
