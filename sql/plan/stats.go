package plan

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Kinds of pg_statistic slots.
const (
	statMCV         = 1
	statHistogram   = 2
	statCorrelation = 3
)

// colStats is a column's statistics, looked up once a planning.
type colStats struct {
	s *catalog.Statistic // nil = none
}

// variable is an expression that statistics are wanted for (PostgreSQL's VariableStatData).
type variable struct {
	expr     query.Expr // stripped of relabels
	rel      *rel       // nil when it is of no single relation
	stats    *catalog.Statistic
	typ      OID // type of the statistics' values
	unique   bool
	leakFree bool
}

func (v *variable) nullFrac() float64 {
	if v.stats == nil {
		return 0
	}
	return v.stats.NullFrac
}

// slot finds a kind of statistics.
func (v *variable) slot(kind int16) *catalog.StatSlot {
	if v.stats == nil {
		return nil
	}
	for i := range v.stats.Slots {
		if v.stats.Slots[i].Kind == kind {
			return &v.stats.Slots[i]
		}
	}
	return nil
}

// mcv gives the most common values and their frequencies.
func (v *variable) mcv() ([]types.Datum, []float32) {
	if s := v.slot(statMCV); s != nil {
		return s.Values, s.Numbers
	}
	return nil, nil
}

// examine finds out about an expression; varRel, when not 0, is the only relation whose Vars count as variables.
func (r *root) examine(e query.Expr, varRel int) variable {
	v := variable{typ: e.Type()}
	base := stripRelabel(e)
	if x, ok := base.(*query.Var); ok && x.LevelsUp == 0 && (varRel == 0 || varRel == x.VarNo) {
		v.expr = base
		v.typ = x.TypeOID
		v.rel = r.findBase(x.VarNo)
		r.examineVar(&v, x)
		return v
	}
	rels := varRelids(base)
	switch {
	case varRel != 0:
		if !rels.has(varRel) {
			v.expr = base
			return v
		}
		v.rel, v.expr = r.findBase(varRel), base
	case rels.empty():
		v.expr = base
		return v
	case rels.count() == 1:
		v.rel, v.expr = r.findBase(varsOf(base)[0].VarNo), base
	default:
		v.expr = base
		v.rel = r.joinRels[rels]
		return v
	}
	v.typ = base.Type()
	r.examineIndexed(&v)
	return v
}

func (r *root) findBase(i int) *rel {
	if n := childNumber(i); n > 0 {
		return r.children[n-1]
	}
	if i < 1 || i >= len(r.rels) {
		return nil
	}
	return r.rels[i]
}

// examineIndexed looks for an index on the expression, which may have statistics of it and may be unique.
func (r *root) examineIndexed(v *variable) {
	if v.rel == nil {
		return
	}
	for _, ix := range v.rel.indexes {
		for c := 0; c < ix.ncols; c++ {
			if ix.idx.Keys[c] != 0 || !equal(stripRelabel(ix.keyExprs[c]), v.expr) {
				continue
			}
			if ix.unique && ix.nkeys == 1 && c == 0 && (ix.predOK || len(ix.pred) == 0) {
				v.unique = true
			}
			if v.stats == nil {
				v.stats = must(r.g.env.Catalog.Statistic(ix.idx.OID, int16(c+1), false))
			}
		}
	}
}

func (r *root) examineVar(v *variable, x *query.Var) {
	if v.rel == nil {
		return
	}
	switch v.rel.rtekind {
	case query.RTERelation:
		v.stats = r.columnStats(v.rel, x.AttNo)
		v.unique = r.uniqueColumn(v.rel, x.AttNo)
	case query.RTESubquery:
		r.examineSubquery(v, x)
	}
}

func (r *root) uniqueColumn(rel *rel, att int16) bool {
	for _, ix := range rel.indexes {
		if ix.unique && ix.nkeys == 1 && ix.idx.Keys[0] == att && (len(ix.pred) == 0 || ix.predOK) {
			return true
		}
	}
	return false
}

func (r *root) columnStats(rel *rel, att int16) *catalog.Statistic {
	if s, ok := rel.stats[att]; ok {
		return s.s
	}
	s := must(r.g.env.Catalog.Statistic(rel.rte.RelOID, att, rel.rte.Inh))
	if rel.stats == nil {
		rel.stats = map[int16]*colStats{}
	}
	rel.stats[att] = &colStats{s}
	return s
}

// examineSubquery looks through a subquery's simple column.
func (r *root) examineSubquery(v *variable, x *query.Var) {
	sub := v.rel.subroot
	if sub == nil || x.AttNo <= 0 || sub.q.SetOp != nil || len(sub.q.GroupBy) > 0 && len(sub.q.GroupingSets) > 0 {
		return
	}
	var t *query.TargetEntry
	for _, c := range sub.q.Targets {
		if c.ResNo == int(x.AttNo) && !c.Junk {
			t = c
		}
	}
	if t == nil {
		return
	}
	if len(sub.q.Distinct) > 0 {
		if len(sub.q.Distinct) == 1 && t.SortGroupRef == sub.q.Distinct[0].Ref {
			v.unique = true
		}
		return
	}
	if len(sub.q.GroupBy) > 0 && len(sub.q.GroupBy) == 1 && t.SortGroupRef != 0 && t.SortGroupRef == sub.q.GroupBy[0].Ref {
		v.unique = true
	}
	if len(sub.q.GroupBy) > 0 {
		return
	}
	if y, ok := t.Expr.(*query.Var); ok && y.LevelsUp == 0 {
		in := sub.examine(y, 0)
		v.stats = in.stats // its uniqueness does not carry over a join
	}
}

// distinct estimates the number of distinct values; isDefault: a guess without basis.
func (v *variable) distinct() (n float64, isDefault bool) {
	d, nulls := 0.0, 0.0
	switch {
	case v.stats != nil:
		d, nulls = v.stats.Distinct, v.stats.NullFrac
	case v.typ == types.BoolOID:
		d = 2
	case v.rel != nil && v.rel.kind == relBase && v.rel.rtekind == query.RTEValues:
		d = -1
	default:
		if x, ok := v.expr.(*query.Var); ok {
			switch x.AttNo {
			case tidAttNo:
				d = -1
			case tableOIDAttNo:
				d = 1
			}
		}
	}
	if v.unique {
		d = -(1 - nulls)
	}
	if d > 0 {
		return clampRows(d), false
	}
	if v.rel == nil || v.rel.tuples <= 0 {
		return defaultNumDistinct, true
	}
	if d < 0 {
		return clampRows(-d * v.rel.tuples), false
	}
	if v.rel.tuples < defaultNumDistinct {
		return clampRows(v.rel.tuples), false
	}
	return defaultNumDistinct, true
}

// System column numbers.
const (
	tidAttNo      int16 = -1
	tableOIDAttNo int16 = -6
)

// Defaults of PostgreSQL where there are no statistics.
const (
	defaultEqSel       = 0.005
	defaultIneqSel     = 0.3333333333333333
	defaultRangeSel    = 0.005
	defaultMatchSel    = 0.005
	defaultMatchingSel = 0.010
	defaultNumDistinct = 200
	defaultUnknownSel  = 0.005
)

func clampProb(p float64) float64 { return min(max(p, 0), 1) }

// caller calls an operator's function on statistics' values.
type caller struct {
	f    types.Func
	call types.Call
	flip bool
}

// operatorCaller gives a way to evaluate `a op b`, nil when the function has no implementation.
func (g *glob) operatorCaller(op, coll OID) *caller {
	o := g.oper(op)
	f, ok := types.LookupFunc(g.proc(o.Func).Src)
	if !ok {
		return nil
	}
	return &caller{f: f, call: types.Call{Env: g.env.Types, Args: make([]types.Datum, 2), ArgTypes: []OID{o.Left, o.Right}, RetType: o.Result,
		Collation: coll}}
}

// test says whether a op b is true; an error counts as no.
func (c *caller) test(a, b types.Datum) bool {
	if c == nil {
		return false
	}
	if c.flip {
		a, b = b, a
	}
	c.call.Args[0], c.call.Args[1] = a, b
	d, err := c.f(&c.call)
	return err == nil && !d.IsNull() && d.Bool()
}
