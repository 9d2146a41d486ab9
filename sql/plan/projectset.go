package plan

import "github.com/calfdb/calf/sql/query"

func targetHasSRF(t *pathTarget) bool {
	for _, e := range t.exprs {
		if returnsSet(e) {
			return true
		}
	}
	return false
}

func isSRF(e query.Expr) bool {
	switch x := e.(type) {
	case *query.FuncExpr:
		return x.RetSet
	case *query.OpExpr:
		return x.RetSet
	}
	return false
}

// projectSRFs puts the ProjectSet steps over each path that a target with set-returning functions needs; in is what the paths deliver.
func (r *root) projectSRFs(b *rel, t, in *pathTarget) {
	levels := r.srfLevels(t, in)
	if len(levels) == 0 {
		return
	}
	for i, p := range b.paths {
		b.paths[i] = r.projectLevels(b, p, t, levels)
	}
	r.setCheapest(b)
}

// projectSetPath makes one path deliver a target with set-returning functions.
func (r *root) projectSetPath(b *rel, p *path, t *pathTarget) *path {
	return r.projectLevels(b, p, t, r.srfLevels(t, p.target))
}

func (r *root) projectLevels(b *rel, p *path, t *pathTarget, levels []*pathTarget) *path {
	for _, l := range levels {
		if !targetHasSRFBeyond(l, p.target) {
			p = r.applyProjection(b, p, l)
			continue
		}
		p = r.oneProjectSet(b, p, l)
	}
	return p
}

func targetHasSRFBeyond(t, in *pathTarget) bool {
	for _, e := range t.exprs {
		if isSRF(e) && !member(in.exprs, e) {
			return true
		}
	}
	return false
}

func (r *root) oneProjectSet(b *rel, p *path, t *pathTarget) *path {
	n := &path{kind: pProjectSet, rel: b, target: t, param: p.param, keys: p.keys, sub: p}
	rows := 1.0
	for _, e := range t.exprs {
		if !member(p.target.exprs, e) {
			rows = max(rows, r.srfRows(e))
		}
	}
	unit := r.g.set.CPUTupleCost
	n.rows = p.rows * rows
	n.startup = p.startup + t.cost.startup
	n.total = p.total + t.cost.startup + (unit+t.cost.tuple)*p.rows + (n.rows-p.rows)*unit/2
	return n
}

// srfLevels splits a target into steps: set-returning functions nested in others' arguments first, each at the top of its column. The last
// step is the target itself.
func (r *root) srfLevels(t, in *pathTarget) (levels []*pathTarget) {
	var byDepth [][]query.Expr
	atTop := true
	for _, e := range t.exprs {
		if member(in.exprs, e) {
			continue
		}
		d := collectSRFs(e, in, &byDepth)
		if d > 0 && !isSRF(e) {
			atTop = false
		}
	}
	if len(byDepth) == 0 {
		return nil
	}
	for d := 0; d < len(byDepth); d++ {
		if d == len(byDepth)-1 && atTop {
			break
		}
		l := &pathTarget{}
		add := func(e query.Expr) {
			if !member(l.exprs, e) {
				l.exprs, l.refs = append(l.exprs, e), append(l.refs, 0)
			}
		}
		for k := 0; k <= d; k++ {
			for _, e := range byDepth[k] {
				add(e)
			}
		}
		inputsOf(t, in, add)
		levels = append(levels, r.newTarget(l.exprs, l.refs))
	}
	return append(levels, t)
}

// collectSRFs sorts the set-returning calls in e by how deep they nest, and gives the depth of e.
func collectSRFs(e query.Expr, in *pathTarget, byDepth *[][]query.Expr) int {
	if member(in.exprs, e) {
		return 0
	}
	d := 0
	children(e, func(x query.Expr) { d = max(d, collectSRFs(x, in, byDepth)) })
	if !isSRF(e) {
		return d
	}
	for len(*byDepth) <= d {
		*byDepth = append(*byDepth, nil)
	}
	if !member((*byDepth)[d], e) {
		(*byDepth)[d] = append((*byDepth)[d], e)
	}
	return d + 1
}

// withoutSRFs is what a grouping or window step must give so that ProjectSets over it can compute the target t: t itself when it has no set-returning
// functions; else what t reads of the step's input, and the aggregates and window functions in it.
func (r *root) withoutSRFs(t, in *pathTarget) *pathTarget {
	if len(r.srfLevels(t, in)) == 0 {
		return t
	}
	out := &pathTarget{}
	for i, e := range t.exprs {
		walk(e, func(x query.Expr) bool {
			switch x.(type) {
			case *query.Aggref, *query.GroupingFunc, *query.WindowFunc:
			default:
				if isConstExpr(x) || !member(in.exprs, x) {
					return true
				}
			}
			ref := uint32(0)
			if x == e {
				ref = t.ref(i)
			}
			for k, old := range out.exprs {
				if equal(old, x) {
					out.refs[k] = max(out.refs[k], ref)
					return false
				}
			}
			out.exprs, out.refs = append(out.exprs, x), append(out.refs, ref)
			return false
		})
	}
	return r.newTarget(out.exprs, out.refs)
}

// inputsOf calls add for everything of the input that a target reads.
func inputsOf(t, in *pathTarget, add func(query.Expr)) {
	for _, e := range t.exprs {
		walk(e, func(x query.Expr) bool {
			if !isConstExpr(x) && member(in.exprs, x) {
				add(x)
				return false
			}
			return true
		})
	}
}
