package plan

import (
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

var int8One = types.Int8(1)

// aggInfo is one distinct aggregate call of a query level.
type aggInfo struct {
	ref   *query.Aggref
	trans int // its transition state's number; calls with the same one share it
}

// numberAggs gives the aggregate calls of the target list and HAVING their numbers: equal ones get the same.
func (r *root) numberAggs() {
	number := func(e query.Expr) query.Expr { return mutate(e, r.numberAgg) }
	r.processedTargets = mapTargets(r.processedTargets, number)
	if r.q.Having != nil {
		r.q.Having = number(r.q.Having)
	}
}

func (r *root) numberAgg(e query.Expr) query.Expr {
	a, ok := e.(*query.Aggref)
	if !ok || a.LevelsUp > 0 {
		return nil
	}
	if !r.g.volatile(a) {
		for i, o := range r.aggs {
			if equal(o.ref, a) {
				c := *a
				c.AggNo, c.TransNo = i, o.trans
				return &c
			}
		}
	}
	c := *a
	c.AggNo, c.TransNo = len(r.aggs), len(r.aggs)
	r.aggs = append(r.aggs, &aggInfo{ref: &c, trans: c.TransNo})
	return &c
}

// aggregateCosts sums the costs of the transition and final functions.
func (r *root) aggregateCosts() (ac aggCosts) {
	g, unit := r.g, r.g.set.CPUOperatorCost
	cost := func(fn OID) float64 {
		if fn == 0 {
			return 0
		}
		return float64(g.proc(fn).Cost) * unit
	}
	for _, a := range r.aggs {
		d := must(g.env.Catalog.Aggregate(a.ref.AggOID))
		if d == nil {
			continue
		}
		ac.trans.tuple += cost(d.TransFn)
		for _, t := range a.ref.Args {
			ac.trans.add(g.exprCost(t.Expr))
		}
		if a.ref.Filter != nil {
			ac.trans.add(g.exprCost(a.ref.Filter))
		}
		ac.final.tuple += cost(d.FinalFn)
		for _, e := range a.ref.DirectArgs {
			ac.final.add(g.exprCost(e))
		}
		ac.space += r.transSpace(d.TransSpace, a.ref)
	}
	return ac
}

// transSpace is the memory of a by-reference transition state.
func (r *root) transSpace(declared int32, a *query.Aggref) float64 {
	typ := a.TransType
	if typ == 0 {
		d := must(r.g.env.Catalog.Aggregate(a.AggOID))
		typ = d.TransType
	}
	t := r.g.typ(typ)
	switch {
	case t == nil || t.ByVal:
		return 0
	case typ == types.InternalOID:
		if declared > 0 {
			return float64(declared)
		}
		return 8192
	case declared > 0:
		return align8f(int(declared)) + 16
	}
	mod := int32(-1)
	if len(a.Args) > 0 && a.Args[0].Expr.Type() == typ {
		mod = a.Args[0].Expr.TypMod()
	}
	return align8f(r.g.typeWidth(typ, mod)) + 16
}
