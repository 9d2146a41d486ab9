package executor

import (
	"strings"

	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/partition"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// router finds the partition that a new row of a partitioned table goes to. What it made of a partition it keeps for later executions, as long as
// the partition's descriptor stays the same.
type router struct {
	s      *State
	ctx    *expr.Context
	root   *resultRelation // the table that the statement names; rows come in its shape
	table  *routeTable
	leaves map[types.OID]*routedLeaf
	plan   *plan.ModifyTable // for ON CONFLICT; nil = none
	check  expr.Qual         // the root is itself a partition: what its rows must fulfil
}

// routeTable is a partitioned table on the way.
type routeTable struct {
	rel     *catalog.Relation
	desc    *partition.Desc
	evals   []expr.Eval // of key columns that are expressions
	values  []types.Datum
	fromTop []int16 // by the root's attribute number - 1; nil = the same shape
	row     types.Row
	subs    map[int]*routeTable
	run     uint64 // execution in which the descriptor was looked at
}

// routedLeaf is a partition that rows were routed to.
type routedLeaf struct {
	*resultRelation
	fromRoot []int16 // as routeTable's
	run      uint64
}

func newRouter(s *State, root *resultRelation, p *plan.ModifyTable) (*router, error) {
	r := &router{s: s, ctx: s.context(), root: root, leaves: map[types.OID]*routedLeaf{}}
	if p != nil && p.OnConflict != query.OnConflictNone {
		r.plan = p
	}
	var err error
	if r.check, err = s.partitionQual(root.Rel); err != nil {
		return nil, err
	}
	r.table, err = r.newTable(root.Rel)
	return r, err
}

// partitionQual compiles a partition's constraint; nil when the table is none, or takes every row.
func (s *State) partitionQual(rel *catalog.Relation) (expr.Qual, error) {
	if !rel.IsPartition {
		return nil, nil
	}
	list, err := partition.Constraint(s.Backend.Catalog, s.Backend.Env, rel)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return s.compiler().CompileQual(list)
}

func (r *router) newTable(rel *catalog.Relation) (*routeTable, error) {
	t := &routeTable{rel: rel, subs: map[int]*routeTable{}, run: r.s.run.number}
	var err error
	if t.desc, err = partition.Of(r.s.Backend.Catalog, r.s.Backend.Env, rel); err != nil {
		return nil, err
	}
	for i := range t.desc.Key.Cols {
		var eval expr.Eval
		if e := t.desc.Key.Cols[i].Expr; e != nil {
			if eval, err = r.s.compiler().Compile(e); err != nil {
				return nil, err
			}
		}
		t.evals = append(t.evals, eval)
	}
	t.values = make([]types.Datum, len(t.evals))
	if cols := partition.MapColumns(r.root.Rel, rel); !partition.Same(cols, r.root.Rel, rel) {
		t.fromTop, t.row = cols, make(types.Row, len(rel.Desc.Attrs))
	}
	return t, nil
}

// reshape puts a row of the root's shape into another.
func reshape(to, from types.Row, cols []int16) {
	for i := range to {
		to[i] = types.Null
	}
	for i, c := range cols {
		if c > 0 {
			to[c-1] = from[i]
		}
	}
}

// find gives the partition of a row of the root's shape, with the row in it.
func (r *router) find(row types.Row) (*routedLeaf, error) {
	if r.check != nil {
		r.ctx.Scan = row
		ok, err := r.check(r.ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, r.root.checks.partitionError(row)
		}
	}
	t := r.table
	for {
		at, err := r.partitionOf(t, row)
		if err != nil {
			return nil, err
		}
		p := &t.desc.Parts[at]
		if p.Kind != 'p' {
			return r.leaf(p.OID, row)
		}
		if t, err = r.sub(t, at, p.OID); err != nil {
			return nil, err
		}
	}
}

// partitionOf gives the place of the partition of t that a row belongs to.
func (r *router) partitionOf(t *routeTable, row types.Row) (int, error) {
	if t.fromTop != nil {
		reshape(t.row, row, t.fromTop)
		row = t.row
	}
	r.ctx.Scan = row
	for i := range t.evals {
		if t.evals[i] == nil {
			t.values[i] = row[t.desc.Key.Cols[i].Attr-1]
			continue
		}
		d, err := t.evals[i](r.ctx)
		if err != nil {
			return 0, err
		}
		t.values[i] = d
	}
	at := t.desc.Find(t.values)
	if at < 0 {
		e := pgerr.New(pgerr.CheckViolation, "no partition of relation \"%s\" found for row", t.rel.Name).
			WithTable(r.s.Backend.schemaName(t.rel.Namespace), t.rel.Name)
		if text := r.keyText(t); text != "" {
			e = e.WithDetail("Partition key of the failing row contains %s.", text)
		}
		return 0, e
	}
	return at, nil
}

// keyText shows a row's partition key, (a, b) = (1, 2), to who may read its columns; "" to others.
func (r *router) keyText(t *routeTable) string {
	var names, values []string
	var cols []int16
	for i := range t.desc.Key.Cols {
		k := &t.desc.Key.Cols[i]
		cols = append(cols, k.Attr)
		if k.Attr != 0 {
			names = append(names, types.QuoteIdent(r.s.Backend.Env, t.rel.Desc.Attrs[k.Attr-1].Name))
		} else {
			text := r.s.Backend.ExprText(t.rel, k.Expr)
			if _, call := k.Expr.(*query.FuncExpr); !call {
				text = "(" + text + ")"
			}
			names = append(names, text)
		}
		if t.values[i].IsNull() {
			values = append(values, "null")
			continue
		}
		text, err := types.Output(r.s.Backend.Env, k.Type, t.values[i])
		if err != nil {
			return ""
		}
		values = append(values, cutText(text))
	}
	if !MayReadColumns(r.s.Backend.Catalog, t.rel, cols) {
		return ""
	}
	return "(" + strings.Join(names, ", ") + ") = (" + strings.Join(values, ", ") + ")"
}

// sub gives a partition that is partitioned itself.
func (r *router) sub(t *routeTable, at int, oid types.OID) (*routeTable, error) {
	sub := t.subs[at]
	if sub != nil && sub.run == r.s.run.number {
		return sub, nil
	}
	rel, err := r.open(oid)
	if err != nil {
		return nil, err
	}
	if sub != nil && sub.rel == rel {
		sub.run = r.s.run.number
		return sub, nil
	}
	if sub, err = r.newTable(rel); err != nil {
		return nil, err
	}
	t.subs[at] = sub
	return sub, nil
}

// open locks and reads a partition.
func (r *router) open(oid types.OID) (*catalog.Relation, error) {
	if f := r.s.Backend.LockRelation; f != nil {
		if err := f(oid, int(lock.RowExclusive)); err != nil {
			return nil, err
		}
	}
	rel, err := r.s.Backend.Catalog.Relation(oid)
	if err == nil && rel == nil {
		err = pgerr.Internal("could not open relation with OID %d", oid)
	}
	return rel, err
}

// leaf gives a partition that keeps rows, with the row in it.
func (r *router) leaf(oid types.OID, row types.Row) (*routedLeaf, error) {
	l := r.leaves[oid]
	if l == nil || l.run != r.s.run.number {
		rel, err := r.open(oid)
		if err != nil {
			return nil, err
		}
		if l == nil || l.Rel != rel {
			if l, err = r.newLeaf(rel); err != nil {
				return nil, err
			}
			r.leaves[oid] = l
		}
		l.run = r.s.run.number
	}
	if l.fromRoot == nil {
		copy(l.row, row)
	} else {
		reshape(l.row, row, l.fromRoot)
	}
	return l, nil
}

func (r *router) newLeaf(rel *catalog.Relation) (*routedLeaf, error) {
	table, err := r.s.Backend.OpenTable(rel)
	if err != nil {
		return nil, err
	}
	t := &resultRelation{openRelation: &openRelation{Table: table, stats: r.s.Backend.stats(rel.OID, false)}, rtIndex: r.root.rtIndex, rowID: -1, routed: true}
	l := &routedLeaf{resultRelation: t}
	if cols := partition.MapColumns(r.root.Rel, rel); !partition.Same(cols, r.root.Rel, rel) {
		l.fromRoot = cols
		t.toRoot = cols
	}
	if err := t.prepareWrite(r.s); err != nil {
		return nil, err
	}
	t.checks.root, t.checks.toRoot = r.root.Rel, t.toRoot
	t.capture = &rootCapture{r.root.triggers, t.toRoot}
	t.oldSlot.Init(t.Heap)
	if r.plan != nil {
		p, err := leafConflict(r.plan, r.root, l)
		if err != nil {
			return nil, err
		}
		t.conflict, err = r.s.newOnConflict(p, t)
		if err != nil {
			return nil, err
		}
	}
	t.returning = r.root.returning
	return l, nil
}

// rootRow gives the row of a partition in the shape of the table that the statement names.
func (t *resultRelation) rootRow(into types.Row) types.Row {
	if t.toRoot == nil {
		return t.row
	}
	for i, c := range t.toRoot {
		into[i] = types.Null
		if c > 0 {
			into[i] = t.row[c-1]
		}
	}
	return into
}

// leafConflict is ON CONFLICT in terms of a partition: its indexes and column numbers.
func leafConflict(p *plan.ModifyTable, root *resultRelation, l *routedLeaf) (*plan.ModifyTable, error) {
	c := *p
	c.Arbiters = nil
	for _, oid := range p.Arbiters {
		found := types.OID(0)
		for i := range l.Indexes {
			if ix := l.Indexes[i].Cat; ix.OID == oid || ix.Root == oid {
				found = ix.OID
			}
		}
		if found == 0 {
			return nil, pgerr.Internal("invalid arbiter index list")
		}
		c.Arbiters = append(c.Arbiters, found)
	}
	if l.fromRoot == nil {
		return &c, nil
	}
	whole := false
	move := func(e query.Expr) query.Expr {
		return query.Mutate(e, func(x query.Expr) (query.Expr, bool) {
			v, ok := x.(*query.Var)
			if !ok || v.VarNo != root.rtIndex && v.VarNo != query.InnerVar || v.AttNo < 0 {
				return nil, false
			}
			if v.AttNo == 0 || int(v.AttNo) > len(l.fromRoot) {
				whole = true
				return x, true
			}
			n := *v
			n.AttNo = l.fromRoot[v.AttNo-1]
			return &n, true
		})
	}
	c.ConflictSet = make([]*query.TargetEntry, len(p.ConflictSet))
	for i, t := range p.ConflictSet {
		n := *t
		n.Expr = move(t.Expr)
		c.ConflictSet[i] = &n
	}
	c.ConflictCols = make([]int, len(p.ConflictCols))
	for i, col := range p.ConflictCols {
		c.ConflictCols[i] = int(l.fromRoot[col-1])
	}
	if p.ConflictWhere != nil {
		c.ConflictWhere = move(p.ConflictWhere)
	}
	c.ExclTargets = nil
	if whole {
		return nil, pgerr.NotSupported("ON CONFLICT with a whole-row reference on a partition of another column order")
	}
	return &c, nil
}

// insertRouted inserts a row of the root's shape into its partition, which becomes the target.
func (n *modifyTable) insertRouted(row, input types.Row) (bool, error) {
	l, err := n.router.find(row)
	if err != nil {
		return false, err
	}
	t := l.resultRelation
	n.target = t
	ok, err := t.triggers.beforeRow(n.s, triggerInsert, t, nil, t.row)
	if err != nil || !ok {
		return false, err
	}
	if err := t.complete(n.ctx); err != nil {
		return false, err
	}
	changed := true
	if t.conflict != nil {
		changed, err = t.conflict.insert(n, input)
	} else {
		_, err = n.s.insertRow(n.ctx, t, nil)
	}
	if err != nil || !changed {
		return false, err
	}
	if root := n.router.root; len(root.withCheck) > 0 {
		copy(root.row, t.rootRow(root.row))
		return true, root.passWithChecks(n.ctx)
	}
	return true, nil
}

// leaves says whether an updated row, in t.row, no longer belongs to its partition.
func (t *resultRelation) leaves(ctx *expr.Context) (bool, error) {
	if t.checks.partition == nil || !t.triggers.hasBefore(triggerUpdate) && !t.changed.Intersects(t.checks.partitionCols) {
		return false, nil
	}
	if err := t.generate(ctx); err != nil {
		return false, err
	}
	ctx.Scan = t.row
	ok, err := t.checks.partition(ctx)
	return !ok, err
}

// move deletes the row at tid from its partition and inserts its new version, t.row, into the one where it belongs. moved is false when a trigger or
// another transaction stood in the way: then again, if not nil, is what to try with.
func (n *modifyTable) move(tid types.TID, input types.Row) (moved bool, again *newerRow, err error) {
	if n.router == nil {
		return false, nil, n.target.checks.partitionError(n.target.row)
	}
	res, conflict, moved, err := n.moveRow(tid, input)
	if err != nil || res == heap.OK {
		return moved, nil, err
	}
	again, err = n.conflict(res, conflict, "updated", "update", tid)
	return false, again, err
}

// moveRow is move without an answer to conflicts: res says what became of the deletion; done is false when a trigger said no.
func (n *modifyTable) moveRow(tid types.TID, input types.Row) (res heap.Result, c heap.Conflict, done bool, err error) {
	t := n.target
	row := copyRow(nil, t.rootRow(make(types.Row, len(n.router.root.Rel.Desc.Attrs))))
	if res, c, err := n.lockForTriggers(triggerDelete, tid); err != nil || res != heap.OK {
		return res, c, false, err
	}
	ok, err := t.triggers.beforeRow(n.s, triggerDelete, t, t.oldSlot.Row, nil)
	if err != nil || !ok {
		return heap.OK, c, false, err
	}
	n.s.moving = true
	defer func() { n.s.moving = false }()
	res, c, err = t.Heap.Delete(n.s.Backend.Heap, tid, heap.DeleteOpts{Command: n.s.command(), Wait: true, Moved: true})
	if err != nil || res != heap.OK {
		return res, c, false, err
	}
	if err := t.triggers.afterRow(n.s, triggerDelete, t, tid, types.TID{}); err != nil {
		return res, c, false, err
	}
	done, err = n.insertRouted(row, input)
	if err == nil && done && t.capture.wants(triggerUpdate) {
		err = n.target.capture.keep(n.s, triggerUpdate, t.Table, t.toRoot, tid, n.target.Table, n.ctx.Sys.TID)
	}
	return res, c, done, err
}
