package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// appendRel says how a child's columns stand for its parent's (PostgreSQL's AppendRelInfo).
type appendRel struct {
	vars       []query.Expr // by the parent's attribute number - 1; nil = dropped
	parentCols []int16      // by the child's attribute number - 1; 0 = the child's own
}

// expandInherited makes rels of the children of inherited and partitioned tables. Conditions are distributed to the parents already.
func (r *root) expandInherited() {
	r.allBase.each(func(i int) {
		if b := r.rels[i]; b.rtekind == query.RTERelation && b.rte.Inh {
			r.expand(b)
		}
	})
	if i := r.q.ResultRelation; i > 0 && r.q.Command != query.CmdInsert && r.rte(i).Inh {
		r.addRowIdentity()
	}
}

// expand makes the children of one table.
func (r *root) expand(b *rel) {
	if mark := r.rowMarkOf(b.index); mark != nil {
		mark.IsParent = true
		r.addTableOIDMark(b, mark)
	}
	if b.desc.Kind == 'p' {
		r.expandPartitions(b)
		return
	}
	for _, oid := range r.g.inheritors(b.desc) {
		if c := r.childRelation(oid, b.rte.LockMode); c != nil {
			r.addChild(b, c)
		}
	}
}

// childRelation locks and reads a child; nil when it is another session's temporary table.
func (r *root) childRelation(oid OID, lock int) *catalog.Relation {
	if f := r.g.env.LockRelation; f != nil {
		if err := f(oid, lock); err != nil {
			fail(err)
		}
	}
	rel := r.g.relation(oid)
	if rel.Persistence == 't' && r.g.env.OtherTemp != nil && r.g.env.OtherTemp(rel.Namespace) {
		return nil
	}
	return rel
}

// inheritors lists a table and its descendants, each once: level by level, by OID within a parent.
func (g *glob) inheritors(top *catalog.Relation) []OID {
	list := []OID{top.OID}
	for i := 0; i < len(list); i++ {
		rel := must(g.env.Catalog.Relation(list[i]))
		if rel == nil || !rel.HasSubclass {
			continue
		}
		for _, c := range rel.Children {
			if !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	return list
}

// addChild makes the range table entry and the rel of a child.
func (r *root) addChild(parent *rel, desc *catalog.Relation) *rel {
	e := *parent.rte
	e.RelOID, e.RelKind, e.Inh = desc.OID, desc.Kind, desc.Kind == 'p'
	e.RequiredPerms, e.SecurityQuals, e.SelectedCols, e.InsertedCols, e.UpdatedCols = 0, nil, nil, nil, nil
	index := childIndex(len(r.children)+1, topIndex(parent.index))
	r.children = append(r.children, nil)
	r.children[len(r.children)-1] = &rel{rte: &e}
	b := r.newRelOf(index, &e)
	r.children[len(r.children)-1] = b
	b.parent, b.app = parent, r.mapColumns(parent, b)
	e.Eref = childAlias(parent.rte.Eref, b)
	e.Alias = e.Eref
	b.considerStartup, b.considerParamStartup = parent.considerStartup, parent.considerParamStartup
	b.lateral, b.directLateral, b.lateralReferencers, b.lateralVars = parent.lateral, parent.directLateral, parent.lateralReferencers, parent.lateralVars
	parent.kids = append(parent.kids, b)
	b.dummy = !r.childConditions(b)
	if mark := r.rowMarkOf(parent.index); mark != nil {
		m := *mark
		m.RTIndex, m.IsParent = index, desc.Kind == 'p'
		r.rowMarks = append(r.rowMarks, &m)
	}
	if topIndex(index) == r.q.ResultRelation && desc.Kind != 'p' {
		r.resultRels = append(r.resultRels, b)
	}
	return b
}

// mapColumns finds the parent's columns in a child, by name.
func (r *root) mapColumns(parent, child *rel) *appendRel {
	from, to := parent.desc.Desc.Attrs, child.desc.Desc.Attrs
	a := &appendRel{vars: make([]query.Expr, len(from)), parentCols: make([]int16, len(to))}
	for i := range from {
		if from[i].Dropped {
			continue
		}
		att := attrNamed(to, i, from[i].Name)
		if att == nil {
			fail(pgerr.Internal("could not find inherited attribute \"%s\" of relation \"%s\"", from[i].Name, child.desc.Name))
		}
		if att.TypeOID != from[i].TypeOID || att.TypMod != from[i].TypMod {
			fail(pgerr.New(pgerr.InvalidColumnDefinition, "attribute \"%s\" of relation \"%s\" does not match parent's type", from[i].Name, child.desc.Name))
		}
		if att.Collation != from[i].Collation {
			fail(pgerr.New(pgerr.InvalidColumnDefinition, "attribute \"%s\" of relation \"%s\" does not match parent's collation", from[i].Name,
				child.desc.Name))
		}
		a.vars[i] = r.columnVar(child, att.Num)
		a.parentCols[att.Num-1] = int16(i + 1)
	}
	return a
}

// attrNamed finds a column by name; it is most likely at the place guess.
func attrNamed(list []types.Attr, guess int, name string) *types.Attr {
	if guess < len(list) && list[guess].Name == name && !list[guess].Dropped {
		return &list[guess]
	}
	for i := range list {
		if list[i].Name == name && !list[i].Dropped {
			return &list[i]
		}
	}
	return nil
}

// childAlias names a child's columns as the query names the parent's.
func childAlias(of *query.Alias, child *rel) *query.Alias {
	a := &query.Alias{Name: of.Name}
	for i := range child.desc.Desc.Attrs {
		name := child.desc.Desc.Attrs[i].Name
		if child.desc.Desc.Attrs[i].Dropped {
			name = ""
		}
		if p := int(child.app.parentCols[i]); p > 0 && p <= len(of.Cols) {
			name = of.Cols[p-1]
		}
		a.Cols = append(a.Cols, name)
	}
	return a
}

func (r *root) rowMarkOf(index int) *RowMark {
	for _, m := range r.rowMarks {
		if m.RTIndex == index {
			return m
		}
	}
	return nil
}

// addTableOIDMark carries the child that a row to lock or to recheck is from.
func (r *root) addTableOIDMark(b *rel, m *RowMark) {
	r.addJunk(r.columnVar(b, tableOIDAttNo), fmt.Sprintf("tableoid%d", m.ID))
}

func (r *root) addJunk(v *query.Var, name string) {
	r.processedTargets = append(r.processedTargets, &query.TargetEntry{Expr: v, ResNo: len(r.processedTargets) + 1, Name: name, Junk: true})
	r.addVars([]*query.Var{v}, Relids{}, true)
}

// addRowIdentity carries what finds a row to change among the children: its table and its ctid.
func (r *root) addRowIdentity() {
	b := r.rels[r.q.ResultRelation]
	if len(r.resultRels) > 0 {
		r.addJunk(r.columnVar(b, tableOIDAttNo), "tableoid")
	}
	r.addJunk(r.columnVar(b, tidAttNo), "ctid")
}

// noRowIdentity puts nulls for what would find the rows to change, where there are none.
func (r *root) noRowIdentity(ts []*query.TargetEntry) []*query.TargetEntry {
	i := r.q.ResultRelation
	if i == 0 || r.q.Command == query.CmdInsert || !r.rte(i).Inh {
		return ts
	}
	return mapTargets(ts, func(e query.Expr) query.Expr {
		if v, ok := e.(*query.Var); ok && v.VarNo == i && v.AttNo < 0 {
			return nullConst(v.TypeOID, -1, 0)
		}
		return e
	})
}

// top gives a child's topmost parent, and any other rel as it is.
func (b *rel) top() *rel {
	for b.parent != nil {
		b = b.parent
	}
	return b
}

// translate gives an expression over a child's topmost parent in terms of the child.
func (r *root) translate(e query.Expr, child *rel) query.Expr {
	if child.parent == nil || e == nil {
		return e
	}
	return r.step(r.translate(e, child.parent), child)
}

// step goes down one level.
func (r *root) step(e query.Expr, child *rel) query.Expr {
	from := child.parent.index
	return mutate(e, func(x query.Expr) query.Expr {
		switch x := x.(type) {
		case *query.Var:
			if x.VarNo != from || x.LevelsUp > 0 {
				return nil
			}
			return r.childVar(x, child)
		case *query.CurrentOfExpr:
			if x.RTIndex == from {
				c := *x
				c.RTIndex = child.index
				return &c
			}
		}
		return nil
	})
}

func (r *root) childVar(v *query.Var, child *rel) query.Expr {
	switch {
	case v.AttNo > 0:
		e := child.app.vars[v.AttNo-1]
		if e == nil {
			fail(pgerr.Internal("attribute %d of relation \"%s\" does not exist", v.AttNo, child.parent.desc.Name))
		}
		return e
	case v.AttNo < 0:
		c := *v
		c.VarNo, c.SynNo, c.SynAttNo = child.index, child.index, v.AttNo
		return &c
	}
	whole := &query.Var{VarNo: child.index, TypeOID: child.desc.RowType, Mod: -1, Loc: -1, SynNo: child.index}
	if v.TypeOID == child.desc.RowType || v.TypeOID == types.RecordOID {
		return whole
	}
	return &query.ConvertRowtypeExpr{Arg: whole, TypeOID: v.TypeOID, Form: query.CoerceImplicitCast, Loc: -1}
}

// inParent gives an expression over a child in terms of its topmost parent, nil when the parent lacks a column.
func (r *root) inParent(e query.Expr, child *rel) query.Expr {
	for ; child.parent != nil; child = child.parent {
		ok := true
		e = mutate(e, func(x query.Expr) query.Expr {
			v, is := x.(*query.Var)
			if !is || v.VarNo != child.index {
				return nil
			}
			switch {
			case v.AttNo == 0 || v.AttNo > 0 && child.app.parentCols[v.AttNo-1] == 0:
				ok = false
				return x
			case v.AttNo < 0:
				c := *v
				c.VarNo, c.SynNo = child.parent.index, child.parent.index
				return &c
			}
			return r.columnVar(child.parent, child.app.parentCols[v.AttNo-1])
		})
		if !ok {
			return nil
		}
	}
	return e
}

// forChild gives a condition on a child's topmost parent in terms of the child; the same one each time, since scans know theirs by identity.
func (r *root) forChild(ri *restrict, child *rel) *restrict {
	if child.parent == nil {
		return ri
	}
	if n := child.translated[ri]; n != nil {
		return n
	}
	n := r.translateRestrict(ri, child)
	if child.translated == nil {
		child.translated = map[*restrict]*restrict{}
	}
	child.translated[ri] = n
	return n
}

func (r *root) translateRestrict(ri *restrict, child *rel) *restrict {
	n := *ri
	n.clause = r.translate(ri.clause, child)
	n.costKnown, n.normSel, n.outerSel, n.scanSel = false, -1, -1, nil
	n.leftBucket, n.rightBucket, n.leftMCV, n.rightMCV = -1, -1, -1, -1
	if ri.or != nil {
		n.or = make([][]any, len(ri.or))
		for i, arm := range ri.or {
			for _, x := range arm {
				n.or[i] = append(n.or[i], r.translateRestrict(x.(*restrict), child))
			}
		}
	}
	return &n
}

// appendSize sums up the sizes of a parent's children; those that conditions and constraints rule out become dummies.
func (r *root) appendSize(b *rel) {
	rows, bytes, live := 0.0, 0.0, false
	widths := map[int16]float64{}
	for _, c := range b.kids {
		if c.dummy {
			continue
		}
		if r.excludedByConstraints(c) {
			c.dummy = true
			continue
		}
		for _, ri := range b.top().joinInfo {
			c.joinInfo = append(c.joinInfo, r.forChild(ri, c))
		}
		c.target = r.childTarget(b.target, c)
		c.hasECJoins = b.hasECJoins
		if r.setSize(c); c.dummy {
			continue
		}
		live = true
		if c.rows > 0 {
			rows += c.rows
			bytes += float64(c.target.width) * c.rows
			r.childWidths(b, c, widths)
		}
	}
	if !live {
		b.rows, b.dummy = 0, true
		b.target.width = 0
		return
	}
	b.rows, b.tuples = rows, rows
	for _, e := range b.target.exprs { // the cost of what is no plain column
		if v, ok := e.(*query.Var); !ok || v.VarNo != b.index {
			b.target.cost.add(r.g.exprCost(e))
		}
	}
	b.target.width = 0
	if rows > 0 {
		b.target.width = int(math.RoundToEven(bytes / rows))
		for att, w := range widths {
			b.attrWidth[att] = int(math.RoundToEven(w / rows))
		}
	}
}

func (r *root) childTarget(t *pathTarget, child *rel) *pathTarget {
	n := &pathTarget{refs: t.refs}
	for _, e := range t.exprs {
		n.exprs = append(n.exprs, r.step(e, child))
	}
	return n
}

// childWidths adds the widths of a child's columns, weighted by its rows.
func (r *root) childWidths(b, c *rel, widths map[int16]float64) {
	for i, e := range b.target.exprs {
		if v, ok := e.(*query.Var); ok && v.VarNo == b.index {
			widths[v.AttNo] += float64(r.exprWidth(c.target.exprs[i])) * c.rows
		}
	}
}

// childConditions gives a child the parent's conditions; false when one can't hold.
func (r *root) childConditions(c *rel) bool {
	for _, ri := range c.parent.restricts {
		clause := r.g.fold(r.step(ri.clause, c))
		if k, ok := clause.(*query.Const); ok {
			if k.Value.IsNull() || !k.Value.Bool() {
				return false
			}
			continue
		}
		for _, x := range implicitAnd(clause) {
			n := r.makeRestrict(x, restrictArgs{pushed: ri.pushedDown, delayed: ri.outerjoinDelayed, security: ri.security})
			n.pseudoconst = !hasVars(x) && !r.g.volatile(x)
			r.hasPseudoconst = r.hasPseudoconst || n.pseudoconst
			c.restricts = append(c.restricts, n)
			c.baseMinSecurity = min(c.baseMinSecurity, ri.security)
		}
	}
	return true
}

// appendPaths makes the paths of a parent from its children's.
func (r *root) appendPaths(b *rel) {
	var live []*rel
	for _, c := range b.kids {
		if c.dummy {
			continue
		}
		if r.setPaths(c); !c.dummy {
			live = append(live, c)
		}
	}
	r.addAppendPaths(b, live)
}

// addAppendPaths makes the Appends and MergeAppends of some children.
func (r *root) addAppendPaths(b *rel, live []*rel) {
	var subs []*path
	var orders [][]*pathkey
	var outers []Relids
	plain := true
	for _, c := range live {
		if c.cheapestTotal.param == nil {
			subs = appendInputs(subs, c.cheapestTotal)
		} else {
			plain = false
		}
		for _, p := range c.paths {
			if len(p.keys) > 0 && !slices.ContainsFunc(orders, func(o []*pathkey) bool { return compareKeys(o, p.keys) == keysEqual }) {
				orders = append(orders, p.keys)
			}
			if o := p.requiredOuter(); !o.empty() && !containsRelids(outers, o) {
				outers = append(outers, o)
			}
		}
	}
	if plain {
		addPath(b, r.childAppend(b, subs, nil, Relids{}))
		r.orderedAppends(b, live, orders)
	}
	for _, o := range outers {
		var list []*path
		for _, c := range live {
			p := r.parameterizedChild(c, o)
			if p == nil {
				list = nil
				break
			}
			list = appendInputs(list, p)
		}
		if len(list) > 0 {
			addPath(b, r.childAppend(b, list, nil, o))
		}
	}
}

// appendInputs adds an input to an Append, or that input's own when it is an Append itself.
func appendInputs(list []*path, p *path) []*path {
	if p.rel.kind != relUpper && (p.kind == pAppend || p.kind == pMergeAppend) {
		return append(list, p.subs...)
	}
	return append(list, p)
}

// childAppend makes an Append of children's paths; with keys, they follow each other in that order.
func (r *root) childAppend(b *rel, subs []*path, keys []*pathkey, outer Relids) *path {
	p := &path{kind: pAppend, rel: b, target: b.target, subs: subs, keys: keys}
	if !outer.empty() {
		p.param = &paramInfo{outer: outer}
		if b.parts != nil && b.parent == nil { // the join conditions are of use for pruning
			p.param = r.paramInfoFor(b, outer)
		}
	}
	for i, s := range subs {
		startup, total := s.startup, s.total
		if keys != nil && !containedIn(keys, s.keys) {
			var c path
			r.costSort(&c, len(keys), s.total, s.rows, s.target.width, r.childLimit(b))
			startup, total = c.startup, c.total
		}
		if i == 0 {
			p.startup = startup
		}
		p.rows += s.rows
		p.total += total
	}
	if p.param != nil && b.parts == nil {
		p.param.rows = p.rows
	}
	if len(subs) == 1 {
		if keys == nil {
			p.keys = subs[0].keys
		}
		return p
	}
	p.total += r.g.set.CPUTupleCost * 0.5 * p.rows
	return p
}

// applyTargetToPartitions makes the partitions' paths deliver a target, and the partitioned table's paths anew from those.
func (r *root) applyTargetToPartitions(b *rel, t *pathTarget) {
	b.paths, b.target = nil, t
	var live []*rel
	for _, c := range b.kids {
		if c.dummy {
			continue
		}
		r.applyTarget(c, r.newTarget(r.childTarget(t, c).exprs, t.refs), false)
		live = append(live, c)
	}
	r.addAppendPaths(b, live)
	r.setCheapest(b)
}

// childLimit is how many rows are wanted of a relation that is all of the query.
func (r *root) childLimit(b *rel) float64 {
	if b.relids == r.allBase {
		return r.scanLimit
	}
	return -1
}

// orderedAppends makes, for each order that some child has, a MergeAppend of all; children without the order are sorted.
func (r *root) orderedAppends(b *rel, live []*rel, orders [][]*pathkey) {
	for _, keys := range orders {
		if r.partitionOrdered(b, live, keys) {
			continue
		}
		r.mergeAppends(b, live, keys)
	}
}

// mergeAppends makes the MergeAppends of one order: for cheap startup, for total cost, and for the fraction of rows that is wanted.
func (r *root) mergeAppends(b *rel, live []*rel, keys []*pathkey) {
	startup, total, fractional := r.orderedInputs(live, keys)
	addPath(b, r.mergeAppendPath(b, startup, keys))
	if !slices.Equal(startup, total) {
		addPath(b, r.mergeAppendPath(b, total, keys))
	}
	if fractional != nil && !slices.Equal(fractional, startup) && !slices.Equal(fractional, total) {
		addPath(b, r.mergeAppendPath(b, fractional, keys))
	}
}

func (r *root) orderedInputs(live []*rel, keys []*pathkey) (startup, total, fractional []*path) {
	for _, c := range live {
		s, t := cheapestForKeys(c.paths, keys, Relids{}, true), cheapestForKeys(c.paths, keys, Relids{}, false)
		if s == nil || t == nil {
			s, t = c.cheapestTotal, c.cheapestTotal
		}
		startup, total = appendInputs(startup, s), appendInputs(total, t)
		if r.tupleFraction > 0 {
			f := cheapestFractionalForKeys(c, keys, 1/r.tupleFraction)
			if f == nil {
				f = t
			}
			fractional = appendInputs(fractional, f)
		}
	}
	return startup, total, fractional
}

func cheapestFractionalForKeys(c *rel, keys []*pathkey, fraction float64) *path {
	var best *path
	for _, p := range c.paths {
		if p.param == nil && containedIn(keys, p.keys) && (best == nil || compareFractional(best, p, fraction) > 0) {
			best = p
		}
	}
	return best
}

func (r *root) mergeAppendPath(b *rel, subs []*path, keys []*pathkey) *path {
	p := &path{kind: pMergeAppend, rel: b, target: b.target, subs: subs, keys: keys}
	startup, total := 0.0, 0.0
	for _, s := range subs {
		p.rows += s.rows
		if containedIn(keys, s.keys) {
			startup, total = startup+s.startup, total+s.total
			continue
		}
		var c path
		r.costSort(&c, len(keys), s.total, s.rows, s.target.width, r.childLimit(b))
		startup, total = startup+c.startup, total+c.total
	}
	if len(subs) == 1 {
		p.startup, p.total = startup, total
		return p
	}
	n := max(float64(len(subs)), 2)
	logN := math.Log2(n)
	compare := 2 * r.g.set.CPUOperatorCost
	own := compare * n * logN
	p.startup = startup + own
	p.total = total + own + p.rows*compare*logN + r.g.set.CPUTupleCost*0.5*p.rows
	return p
}

// parameterizedChild gives a child's cheapest path with exactly a parameterisation, making one from a path that needs less; nil when it can't.
func (r *root) parameterizedChild(c *rel, outer Relids) *path {
	best := cheapestForKeys(c.paths, nil, outer, false)
	if best == nil {
		return nil
	}
	if best.requiredOuter() == outer {
		return best
	}
	best = nil
	for _, p := range c.paths {
		if !p.requiredOuter().subsetOf(outer) || best != nil && compareCosts(best, p, false) <= 0 {
			continue
		}
		if p.requiredOuter() != outer {
			if p = r.reparameterize(p, outer); p == nil || best != nil && compareCosts(best, p, false) <= 0 {
				continue
			}
		}
		best = p
	}
	return best
}

// reparameterize makes a path check the join conditions of more outer relations; nil when its kind can't.
func (r *root) reparameterize(p *path, outer Relids) *path {
	if !p.requiredOuter().subsetOf(outer) {
		return nil
	}
	n := *p
	switch p.kind {
	case pSeqScan:
		n.param = r.paramInfoFor(p.rel, outer)
		r.costSeqScan(&n)
	case pIndexScan, pIndexOnlyScan:
		n.param = r.paramInfoFor(p.rel, outer)
		r.costIndex(&n, 1)
	case pBitmapHeap:
		n.param = r.paramInfoFor(p.rel, outer)
		r.costBitmapHeap(&n, 1)
	case pAppend:
		var subs []*path
		for _, s := range p.subs {
			c := r.reparameterize(s, outer)
			if c == nil {
				return nil
			}
			subs = append(subs, c)
		}
		return r.childAppend(p.rel, subs, p.keys, outer)
	default:
		return nil
	}
	return &n
}

// mergeAppendNode makes a MergeAppend; sort columns that the parent does not deliver are added to all inputs.
func (r *root) mergeAppendNode(p *path) Node {
	n := &MergeAppend{Plan: r.base(p), RelIDs: []int{p.rel.index}, Prune: r.pruneInfo(p)}
	keys, extra := r.appendKeys(p, &n.Plan)
	n.Keys = keys
	for _, s := range p.subs {
		n.Children = append(n.Children, r.mergeInput(p, s, extra, n.Keys))
	}
	return n
}

// appendKeys finds the sort columns of an ordered Append or a MergeAppend in its targets; those that it lacks are added, and given back.
func (r *root) appendKeys(p *path, n *Plan) (keys []SortKey, extra []query.Expr) {
	for _, k := range p.keys {
		col, typ := r.keyColumnOf(n.Targets, k, p.rel)
		if col == 0 {
			var m *emember
			if p.rel.parent == nil {
				m = r.computableMember(n.Targets, k.ec.top())
			}
			if m == nil {
				m = memberOf(k.ec.top(), p.rel.relids)
			}
			if m == nil {
				panic(broken("could not find pathkey item to sort"))
			}
			e := r.translate(m.expr, p.rel)
			n.Targets = append(n.Targets, &query.TargetEntry{Expr: e, ResNo: len(n.Targets) + 1, Junk: true})
			extra = append(extra, m.expr)
			col, typ = len(n.Targets), m.typ
		}
		keys = append(keys, SortKey{Col: col, Op: r.g.amOp(k.family, typ, typ, k.strategy), Collation: k.ec.top().coll, NullsFirst: k.nullsFirst})
	}
	return keys, extra
}

// keyColumnOf is keyColumn for a child's targets too.
func (r *root) keyColumnOf(ts []*query.TargetEntry, k *pathkey, b *rel) (col int, typ OID) {
	if b.parent == nil {
		return r.keyColumn(ts, k)
	}
	for _, m := range k.ec.top().members {
		if m.isConst || m.relids != b.relids {
			continue
		}
		e := stripRelabel(r.translate(m.expr, b))
		for i, t := range ts {
			if equal(stripRelabel(t.Expr), e) {
				return i + 1, m.typ
			}
		}
	}
	return 0, 0
}

// memberOf finds a member of a class that one relation's columns compute.
func memberOf(ec *eclass, rels Relids) *emember {
	for _, m := range ec.members {
		if !m.isConst && m.relids == rels {
			return m
		}
	}
	return nil
}

// mergeInput makes an ordered input of a MergeAppend or ordered Append with some more columns.
func (r *root) mergeInput(p, s *path, extra []query.Expr, keys []SortKey) Node {
	c := r.node(s, needExact)
	if len(extra) > 0 {
		ts := append([]*query.TargetEntry(nil), c.Base().Targets...)
		for _, e := range extra {
			ts = append(ts, &query.TargetEntry{Expr: r.translate(e, s.rel), ResNo: len(ts) + 1, Junk: true})
		}
		c = r.changeTargets(c, ts)
	}
	if containedIn(p.keys, s.keys) {
		return c
	}
	b := c.Base()
	var cost path
	r.costSort(&cost, len(p.keys), s.total, s.rows, s.target.width, r.childLimit(p.rel))
	return &Sort{Plan: Plan{StartupCost: cost.startup, TotalCost: cost.total, Rows: b.Rows, Width: b.Width, Targets: b.Targets, Left: c}, Keys: keys}
}

// flattenParents notes which entries of the flat range table come from which. The level's own entries start at its present end.
func (g *glob) flattenParents(r *root) {
	f := &refs{r: r, off: len(g.rtable), entries: len(r.q.RangeTable)}
	for len(g.appendRels) < f.off+f.entries+len(r.children) {
		g.appendRels = append(g.appendRels, nil)
	}
	for _, c := range r.children {
		g.appendRels[f.at(c.index)-1] = &AppendRel{Parent: f.at(c.parent.index), ParentCols: c.app.parentCols}
	}
}

// resultChildren puts into a ModifyTable what it does to each of the target's children that conditions left.
func (r *root) resultChildren(m *ModifyTable) {
	q := r.q
	top := r.rels[q.ResultRelation]
	m.RootRelation = q.ResultRelation
	m.ResultRels, m.UpdateCols, m.WithChecks, m.Returning, m.RowIDCol, m.MergeActions = nil, nil, nil, nil, nil, nil
	if top.desc.Kind == 'p' && q.Command == query.CmdUpdate {
		m.RootReturning = q.Returning
	}
	leaves := make([]*rel, 0, len(r.resultRels))
	for _, c := range r.resultRels {
		if !c.dummyUp() {
			leaves = append(leaves, c)
		}
	}
	if len(leaves) == 0 {
		leaves = append(leaves, top)
	}
	ctid := 0
	for _, t := range r.processedTargets {
		switch {
		case t.Junk && t.Name == "ctid":
			ctid = t.ResNo
		case t.Junk && t.Name == "tableoid":
			m.TableOIDCol = t.ResNo
		}
	}
	for _, c := range leaves {
		m.ResultRels, m.RowIDCol = append(m.ResultRels, c.index), append(m.RowIDCol, ctid)
		if q.Command == query.CmdUpdate {
			m.UpdateCols = append(m.UpdateCols, childCols(r.updateCols, c))
		}
		if len(q.WithChecks) > 0 {
			m.WithChecks = append(m.WithChecks, mapWithChecks(q.WithChecks, func(e query.Expr) query.Expr { return r.translate(e, c) }))
		}
		if len(q.Returning) > 0 {
			m.Returning = append(m.Returning, mapTargets(q.Returning, func(e query.Expr) query.Expr { return r.translate(e, c) }))
		}
		if q.Command == query.CmdMerge {
			m.MergeActions = append(m.MergeActions, r.childMergeActions(c))
		}
	}
}

// dummyUp: the child or a parent of it gives no rows.
func (b *rel) dummyUp() bool {
	for ; b != nil; b = b.parent {
		if b.dummy {
			return true
		}
	}
	return false
}

// childCols gives a child's attribute numbers of some of the topmost parent's columns.
func childCols(cols []int, c *rel) []int {
	if c.parent == nil {
		return cols
	}
	up := childCols(cols, c.parent)
	out := make([]int, len(up))
	for i, n := range up {
		out[i] = int(c.app.vars[n-1].(*query.Var).AttNo)
	}
	return out
}

func (r *root) childMergeActions(c *rel) (out []*query.MergeAction) {
	for _, a := range r.q.MergeActions {
		tr := func(e query.Expr) query.Expr { return r.translate(e, c) }
		n := mapMergeAction(a, tr, tr)
		if n.Command == query.CmdUpdate {
			ts := make([]*query.TargetEntry, len(n.Targets))
			for i, t := range n.Targets {
				u := *t
				if !t.Junk {
					u.ResNo = childCols([]int{t.ResNo}, c)[0]
				}
				ts[i] = &u
			}
			n.Targets = ts
		}
		out = append(out, n)
	}
	return out
}
