package plan

import (
	"sort"

	"github.com/calfdb/calf/sql/query"
)

// activeWindows lists the windows that functions use, those with the longest sort lists first, so that one sort serves as many as can be.
func (r *root) activeWindows() []*query.WindowClause {
	used := map[uint32]bool{}
	for _, t := range r.processedTargets {
		walk(t.Expr, func(e query.Expr) bool {
			if w, ok := e.(*query.WindowFunc); ok {
				used[w.WinRef] = true
			}
			return true
		})
	}
	var list []*query.WindowClause
	for _, w := range r.q.Windows {
		if used[w.Ref] {
			list = append(list, w)
		}
	}
	order := func(w *query.WindowClause) []*query.SortGroupClause {
		var out []*query.SortGroupClause
		for _, s := range append(append([]*query.SortGroupClause(nil), w.PartitionBy...), w.OrderBy...) {
			if !groupHas(out, s.Ref) {
				out = append(out, s)
			}
		}
		return out
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := order(list[i]), order(list[j])
		for k := 0; k < len(a) && k < len(b); k++ {
			switch {
			case a[k].Ref != b[k].Ref:
				return a[k].Ref > b[k].Ref
			case a[k].SortOp != b[k].SortOp:
				return a[k].SortOp > b[k].SortOp
			case a[k].NullsFirst != b[k].NullsFirst:
				return a[k].NullsFirst
			}
		}
		return len(a) > len(b)
	})
	return list
}

// windowKeys is the order that a window needs: partition columns, then its ORDER BY.
func (r *root) windowKeys(w *query.WindowClause) []*pathkey {
	list := append(append([]*query.SortGroupClause(nil), w.PartitionBy...), w.OrderBy...)
	return r.keysForSort(list, r.processedTargets)
}

// windowInputTarget is what the first window reads: sort columns whole, window functions' inputs.
func (r *root) windowInputTarget(final *pathTarget, windows []*query.WindowClause) *pathTarget {
	refs := map[uint32]bool{}
	for _, w := range windows {
		for _, s := range append(append([]*query.SortGroupClause(nil), w.PartitionBy...), w.OrderBy...) {
			refs[s.Ref] = true
		}
	}
	for _, s := range r.q.GroupBy {
		refs[s.Ref] = true
	}
	t := &pathTarget{}
	var rest []query.Expr
	for i, e := range final.exprs {
		if ref := final.ref(i); refs[ref] && ref != 0 {
			t.exprs, t.refs = append(t.exprs, e), append(t.refs, ref)
		} else {
			rest = append(rest, e)
		}
	}
	addVarsTo(t, rest, true)
	return r.newTarget(t.exprs, t.refs)
}

// windowPaths evaluates the windows one after the other, sorting between them where needed.
func (r *root) windowPaths(in *rel, input, output *pathTarget, windows []*query.WindowClause) *rel {
	out := r.upperRel(in, output)
	for _, p := range in.paths {
		_, ok := commonKeys(r.windowPathkeys, p.keys)
		pre, _ := commonKeys(r.windowPathkeys, p.keys)
		if p == in.cheapestTotal || ok || pre > 0 {
			addPath(out, r.oneWindowPath(out, p, input, output, windows))
		}
	}
	r.setCheapest(out)
	return out
}

func (r *root) oneWindowPath(out *rel, p *path, input, output *pathTarget, windows []*query.WindowClause) *path {
	t := input
	var above []query.Expr // run conditions of the windows below: the top one filters by them
	for i, w := range windows {
		keys := r.windowKeys(w)
		if n, ok := commonKeys(keys, p.keys); !ok {
			if n > 0 && r.g.set.EnableIncrementalSort {
				p = r.incrementalSortPath(p, keys, n, -1)
			} else {
				p = r.sortPath(p, keys, -1)
			}
		}
		top := i == len(windows)-1
		if top {
			t = output
		} else {
			t = r.withWindowFuncs(t, w.Ref)
		}
		p = r.windowAggPath(out, p, t, w, top)
		if p.upper.runCond = r.windowRunConds(w.Ref); top {
			p.quals = above
		}
		above = append(above, p.upper.runCond...)
	}
	return p
}

// withWindowFuncs adds one window's functions to a target.
func (r *root) withWindowFuncs(t *pathTarget, ref uint32) *pathTarget {
	n := &pathTarget{exprs: append([]query.Expr(nil), t.exprs...)}
	for i := range t.exprs {
		n.refs = append(n.refs, t.ref(i))
	}
	for _, x := range r.processedTargets {
		walk(x.Expr, func(e query.Expr) bool {
			w, ok := e.(*query.WindowFunc)
			if ok && w.WinRef == ref && !member(n.exprs, w) {
				n.exprs, n.refs = append(n.exprs, w), append(n.refs, 0)
			}
			return true
		})
	}
	return r.newTarget(n.exprs, n.refs)
}

func (r *root) windowAggPath(out *rel, p *path, t *pathTarget, w *query.WindowClause, top bool) *path {
	s := &r.g.set
	n := &path{kind: pWindow, rel: out, target: t, keys: p.keys, sub: p, rows: p.rows, upper: &upperPath{window: w, top: top}}
	startup, total := p.startup, p.total
	for _, f := range r.windowFuncs(w.Ref) {
		per := r.g.exprsCost(f.Args)
		per.tuple += float64(r.g.proc(f.FuncOID).Cost) * s.CPUOperatorCost
		startup += per.startup
		if f.Filter != nil {
			c := r.g.exprCost(f.Filter)
			startup += c.startup
			per.tuple += c.tuple
		}
		total += per.startup + per.tuple*p.rows
	}
	total += s.CPUOperatorCost * float64(len(w.PartitionBy)+len(w.OrderBy)) * p.rows
	total += s.CPUTupleCost * p.rows
	n.startup = startup + t.cost.startup
	n.total = total + t.cost.startup + t.cost.tuple*p.rows
	return n
}

func (r *root) windowFuncs(ref uint32) (fs []*query.WindowFunc) {
	for _, t := range r.processedTargets {
		walk(t.Expr, func(e query.Expr) bool {
			w, ok := e.(*query.WindowFunc)
			if ok && w.WinRef == ref {
				for _, o := range fs {
					if equal(o, w) {
						return true
					}
				}
				fs = append(fs, w)
			}
			return true
		})
	}
	return fs
}
