package plan

import (
	"github.com/calfdb/calf/sql/query"
)

// refs finishes the plan of one query level: Vars get their place in the flat range table, or in the inputs of their node.
type refs struct {
	r   *root
	off int // of this level's range table in the flat one

	entries int // in this level's range table: the children come after them
}

// at gives the place in the flat range table of an index of this level.
func (f *refs) at(i int) int {
	if n := childNumber(i); n > 0 {
		return f.off + f.entries + n
	}
	return f.off + i
}

// setReferences finishes a level's plan tree and gives its top node.
func (r *root) setReferences(n Node) Node {
	f := &refs{r: r, off: len(r.g.rtable), entries: len(r.q.RangeTable)}
	r.g.flatten(r)
	for _, m := range r.rowMarks {
		m.RTIndex, m.ParentRT = f.at(m.RTIndex), f.at(m.ParentRT)
	}
	r.g.rowMarks = append(r.g.rowMarks, r.rowMarks...)
	return f.node(n)
}

// flatten appends a level's range table to the statement's, and then the children of its inherited and partitioned tables.
func (g *glob) flatten(r *root) {
	entries := r.q.RangeTable
	if len(r.children) > 0 {
		entries = entries[:len(entries):len(entries)]
		for _, c := range r.children {
			entries = append(entries, c.rte)
		}
		g.flattenParents(r)
	}
	for _, e := range entries {
		c := *e
		if e.Subquery != nil { // whole-row references read the columns' types
			for _, t := range visible(rowTargets(e.Subquery)) {
				c.ColTypes, c.ColTypMods = append(c.ColTypes, t.Expr.Type()), append(c.ColTypMods, t.Expr.TypMod())
				c.ColCollations = append(c.ColCollations, t.Expr.Collation())
			}
		}
		c.Subquery, c.Functions, c.Values, c.TableSample, c.SecurityQuals = nil, nil, nil, nil, nil
		c.JoinAliasVars = nil
		g.rtable = append(g.rtable, &c)
		if e.RelOID != 0 && e.Kind == query.RTERelation {
			g.relations = append(g.relations, RelationUse{RTIndex: len(g.rtable), OID: e.RelOID, LockMode: e.LockMode})
		}
	}
}

// rowTargets lists what a query gives to its reader.
func rowTargets(q *query.Query) []*query.TargetEntry {
	if q.Command != query.CmdSelect {
		return q.Returning
	}
	return q.Targets
}

// node finishes a node and what is below. A node's references are found in its inputs' target lists before those are finished.
func (f *refs) node(n Node) Node {
	if n == nil {
		return nil
	}
	b := n.Base()
	f.r.g.nextNode++
	b.ID = f.r.g.nextNode - 1
	switch n := n.(type) {
	case *SubqueryScan:
		return f.subqueryScan(n)
	case *ModifyTable:
		f.modifyTable(n)
	case *Append:
		f.pruning(n.Prune)
		f.appended(b, n.Children, n.RelIDs)
		return collapse(b, n.Children, n)
	case *MergeAppend:
		f.pruning(n.Prune)
		f.appended(b, n.Children, n.RelIDs)
		return collapse(b, n.Children, n)
	case *BitmapAnd:
		for i, c := range n.Children {
			n.Children[i] = f.node(c)
		}
	case *BitmapOr:
		for i, c := range n.Children {
			n.Children[i] = f.node(c)
		}
	case *NestLoop, *MergeJoin, *HashJoin:
		f.join(n)
	case *Hash:
		n.Keys = f.upperList(n.Keys, n.Left, b.Rows)
		f.dummy(b)
	case *Material, *Sort, *IncrementalSort, *Unique, *SetOp, *LockRows, *Limit, *Memoize, *RecursiveUnion:
		f.passing(n)
	case *Agg, *Group, *WindowAgg, *ProjectSet:
		f.upper(n)
	case *Result:
		f.result(n)
	default:
		f.scan(n)
	}
	b.Left, b.Right = f.node(b.Left), f.node(b.Right)
	return n
}

func (f *refs) pruning(p *PruneInfo) {
	if p != nil {
		p.Exprs = f.scanList(p.Exprs, 1)
	}
}

// appended finishes an Append's or MergeAppend's children.
func (f *refs) appended(b *Plan, children []Node, rels []int) {
	f.dummy(b)
	for i, c := range children {
		children[i] = f.node(c)
	}
	for i, x := range rels {
		rels[i] = f.at(x)
	}
}

// collapse: an Append of one child is that child, with the names that the query gives to its columns.
func collapse(b *Plan, children []Node, n Node) Node {
	if len(children) != 1 {
		return n
	}
	c := children[0].Base()
	ts := make([]*query.TargetEntry, len(c.Targets))
	for i, t := range c.Targets {
		u := *t
		if i < len(b.Targets) {
			from := b.Targets[i]
			u.Name, u.SortGroupRef, u.OrigTable, u.OrigCol, u.Junk = from.Name, from.SortGroupRef, from.OrigTable, from.OrigCol, from.Junk
		}
		ts[i] = &u
	}
	c.Targets = ts
	c.InitPlans = append(append([]*query.SubPlan(nil), b.InitPlans...), c.InitPlans...)
	return children[0]
}

// scanExpr finishes an expression over a scan's own rows.
func (f *refs) scanExpr(e query.Expr, rows float64) query.Expr {
	if e == nil {
		return nil
	}
	return mutate(e, func(x query.Expr) query.Expr {
		switch x := x.(type) {
		case *query.Var:
			return f.shift(x)
		case *query.CurrentOfExpr:
			c := *x
			c.RTIndex = f.at(c.RTIndex)
			return &c
		case *query.AlternativeSubPlan:
			return f.scanExpr(f.choose(x, rows), rows)
		case *query.Aggref:
			return minMaxParam(f.r.minmaxUsed, x)
		}
		return nil
	})
}

func (f *refs) shift(v *query.Var) query.Expr {
	if v.VarNo <= 0 && v.SynNo <= 0 {
		return v
	}
	c := *v
	if c.VarNo > 0 {
		c.VarNo = f.at(c.VarNo)
	}
	if c.SynNo > 0 {
		c.SynNo = f.at(c.SynNo)
	}
	return &c
}

func (f *refs) scanList(es []query.Expr, rows float64) []query.Expr {
	return mapList(es, func(e query.Expr) query.Expr { return f.scanExpr(e, rows) })
}

func (f *refs) scanTargets(ts []*query.TargetEntry, rows float64) []*query.TargetEntry {
	return mapTargets(ts, func(e query.Expr) query.Expr { return f.scanExpr(e, rows) })
}

// choose picks the cheaper of the ways of a sub-plan for the expected number of evaluations.
func (f *refs) choose(a *query.AlternativeSubPlan, rows float64) query.Expr {
	best, cost := a.Subplans[0], 0.0
	for i, e := range a.Subplans {
		s, ok := e.(*query.SubPlan)
		if !ok {
			return e
		}
		c := s.StartupCost + rows*s.PerCallCost
		if i == 0 || c < cost {
			best, cost = e, c
		}
	}
	return best
}

// tlistIndex finds expressions in an input's target list.
type tlistIndex struct {
	ts       []*query.TargetEntry
	varNo    int
	hasOther bool // something that is not a Var
}

func indexTargets(n Node, varNo int) *tlistIndex {
	if n == nil {
		return nil
	}
	return indexList(n.Base().Targets, varNo)
}

func indexList(ts []*query.TargetEntry, varNo int) *tlistIndex {
	x := &tlistIndex{ts: ts, varNo: varNo}
	for _, t := range ts {
		x.hasOther = x.hasOther || !isVar(t.Expr)
	}
	return x
}

// find gives a reference to the input's column that is e, nil if none is.
func (x *tlistIndex) find(e query.Expr, ref uint32, f *refs) query.Expr {
	if x == nil {
		return nil
	}
	v, isV := e.(*query.Var)
	if !isV && !x.hasOther {
		return nil
	}
	at := -1
	for i, t := range x.ts {
		if isV {
			if w, ok := t.Expr.(*query.Var); ok && w.VarNo == v.VarNo && w.AttNo == v.AttNo {
				at = i
				break
			}
			continue
		}
		if equal(t.Expr, e) && (ref == 0 || t.SortGroupRef == ref || at < 0) {
			at = i
			if ref == 0 || t.SortGroupRef == ref {
				break
			}
		}
	}
	if at < 0 {
		return nil
	}
	return x.reference(at, e, f)
}

// reference is a Var for column at (0-based), which holds e.
func (x *tlistIndex) reference(at int, e query.Expr, f *refs) query.Expr {
	n := &query.Var{VarNo: x.varNo, AttNo: int16(at + 1), TypeOID: e.Type(), Mod: e.TypMod(), Coll: e.Collation(), Loc: e.Location()}
	if v, ok := e.(*query.Var); ok {
		n.SynNo, n.SynAttNo = v.SynNo, v.SynAttNo
		if n.SynNo > 0 {
			n.SynNo = f.at(n.SynNo)
		}
	}
	return n
}

// byRef gives a reference to the input's column with the same sort or group reference, a constant's too: grouping sets make some of them null.
func (x *tlistIndex) byRef(t *query.TargetEntry, f *refs) query.Expr {
	if x == nil || t.SortGroupRef == 0 {
		return nil
	}
	for i, u := range x.ts {
		if u.SortGroupRef == t.SortGroupRef && equal(u.Expr, t.Expr) {
			return x.reference(i, t.Expr, f)
		}
	}
	return nil
}

// upperExpr finishes an expression over the columns of one input.
func (f *refs) upperExpr(e query.Expr, x *tlistIndex, ref uint32, rows float64) query.Expr {
	if e == nil {
		return nil
	}
	return mutate(e, func(y query.Expr) query.Expr {
		switch y := y.(type) {
		case *query.Var:
			if y.VarNo < 0 {
				return y
			}
			if r := x.find(y, 0, f); r != nil {
				return r
			}
			if y.LevelsUp == 0 {
				panic(broken("variable not found in subplan target list"))
			}
			return y
		case *query.Const, *query.Param:
			return y
		case *query.AlternativeSubPlan:
			return f.upperExpr(f.choose(y, rows), x, 0, rows)
		}
		rf := uint32(0)
		if y == e {
			rf = ref
		}
		return x.find(y, rf, f)
	})
}

func (f *refs) upperList(es []query.Expr, in Node, rows float64) []query.Expr {
	x := indexTargets(in, query.OuterVar)
	return mapList(es, func(e query.Expr) query.Expr { return f.upperExpr(e, x, 0, rows) })
}

func (f *refs) upperTargets(ts []*query.TargetEntry, x *tlistIndex, rows float64) []*query.TargetEntry {
	out := make([]*query.TargetEntry, len(ts))
	for i, t := range ts {
		c := *t
		if c.Expr = x.byRef(t, f); c.Expr == nil {
			c.Expr = f.upperExpr(t.Expr, x, t.SortGroupRef, rows)
		}
		out[i] = &c
	}
	return out
}

// joinExpr finishes an expression over two inputs; keep is a range table index whose Vars stay (0 = none).
func (f *refs) joinExpr(e query.Expr, outer, inner *tlistIndex, keep int, rows float64) query.Expr {
	if e == nil {
		return nil
	}
	return mutate(e, func(y query.Expr) query.Expr {
		switch y := y.(type) {
		case *query.Var:
			if y.VarNo < 0 {
				return y
			}
			if keep != 0 && y.VarNo == keep {
				return f.shift(y)
			}
			if r := outer.find(y, 0, f); r != nil {
				return r
			}
			if r := inner.find(y, 0, f); r != nil {
				return r
			}
			if y.LevelsUp == 0 {
				panic(broken("variable not found in subplan target lists"))
			}
			return y
		case *query.Const, *query.Param:
			return y
		case *query.AlternativeSubPlan:
			return f.joinExpr(f.choose(y, rows), outer, inner, keep, rows)
		}
		if r := outer.find(y, 0, f); r != nil {
			return r
		}
		return inner.find(y, 0, f)
	})
}

// dummy makes a node's target list pass its input through.
func (f *refs) dummy(b *Plan) {
	out := make([]*query.TargetEntry, len(b.Targets))
	for i, t := range b.Targets {
		if _, ok := t.Expr.(*query.Const); ok {
			out[i] = t
			continue
		}
		c := *t
		n := &query.Var{VarNo: query.OuterVar, AttNo: int16(i + 1), TypeOID: t.Expr.Type(), Mod: t.Expr.TypMod(), Coll: t.Expr.Collation(), Loc: -1}
		if v, ok := t.Expr.(*query.Var); ok && v.SynNo > 0 {
			n.SynNo, n.SynAttNo = f.at(v.SynNo), v.SynAttNo
		}
		c.Expr = n
		out[i] = &c
	}
	b.Targets = out
}
