package executor

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// onConflict is INSERT's ON CONFLICT. A row is inserted only when no arbiter index has its key: looked up first, then inserted, and when
// somebody else inserted the key in between, the own row is deleted again and the search starts over.
type onConflict struct {
	action   query.OnConflictAction
	arbiters map[types.OID]bool // empty: all unique and exclusion indexes (DO NOTHING)
	first    []expr.Eval        // see compileTargets
	set      []expr.Eval
	cols     []int
	where    expr.Qual
	whole    []expr.Eval // columns of EXCLUDED behind the table's own: the row as a whole
	ctx      *expr.Context
}

func (s *State) newOnConflict(p *plan.ModifyTable, t *resultRelation) (*onConflict, error) {
	o := &onConflict{action: p.OnConflict, arbiters: map[types.OID]bool{}, cols: p.ConflictCols, ctx: s.context()}
	for _, oid := range p.Arbiters {
		o.arbiters[oid] = true
	}
	c := s.compiler()
	var err error
	if o.first, o.set, err = compileTargets(c, p.ConflictSet); err != nil {
		return nil, err
	}
	for i, te := range p.ExclTargets {
		if i < len(t.row) {
			continue // a column, or null for a dropped one: as in the row proposed for insertion
		}
		eval, err := c.Compile(te.Expr)
		if err != nil {
			return nil, err
		}
		o.whole = append(o.whole, eval)
	}
	for _, col := range o.cols {
		t.changed.Add(int16(col))
	}
	if p.ConflictWhere != nil {
		if o.where, err = c.CompileQual([]query.Expr{p.ConflictWhere}); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (o *onConflict) isArbiter(x *indexTarget) bool {
	return (x.Cat.Unique || x.Cat.Exclusion) && (len(o.arbiters) == 0 || o.arbiters[x.Cat.OID])
}

// insert inserts t.row or does what the clause says; the result says whether a row was changed.
func (o *onConflict) insert(n *modifyTable, input types.Row) (bool, error) {
	t := n.target
	for {
		if err := n.s.poll(); err != nil {
			return false, err
		}
		tid, found, err := o.find(n, t)
		if err != nil {
			return false, err
		}
		if found {
			if o.action == query.OnConflictNothing {
				return false, o.checkVisible(n, tid)
			}
			changed, retry, err := o.update(n, tid)
			if err != nil || !retry {
				return changed, err
			}
			continue
		}
		duplicate, err := n.s.insertRow(n.ctx, t, o)
		if err != nil || !duplicate {
			return err == nil, err
		}
	}
}

// find looks for a row that has the key of t.row in an arbiter index, waiting for transactions that may yet make or unmake one.
func (o *onConflict) find(n *modifyTable, t *resultRelation) (types.TID, bool, error) {
	for i := range t.indexes.indexes {
		x := &t.indexes.indexes[i]
		if !o.isArbiter(x) {
			continue
		}
		if x.Cat.Deferrable {
			return types.TID{}, false, pgerr.New(pgerr.ObjectNotInPrerequisiteState,
				"ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters")
		}
		ok, err := x.form(n.ctx, t.row)
		if err != nil {
			return types.TID{}, false, err
		}
		if !ok {
			continue
		}
		var tid types.TID
		var found bool
		if x.excl != nil {
			tid, found, err = t.indexes.conflict(x, types.TID{})
		} else {
			tid, found, err = o.findInIndex(n, x)
		}
		if err != nil || found {
			return tid, found, err
		}
	}
	return types.TID{}, false, nil
}

func (o *onConflict) findInIndex(n *modifyTable, x *indexTarget) (types.TID, bool, error) {
	def := x.Index.Def()
	keys := make([]index.ScanKey, 0, def.NKeys())
	for i := 0; i < def.NKeys(); i++ {
		v := x.args.Values[i]
		if v.IsNull() {
			if !x.Cat.NullsNotDistinct {
				return types.TID{}, false, nil
			}
			keys = append(keys, index.ScanKey{Attr: i + 1, Kind: index.KeyIsNull})
			continue
		}
		keys = append(keys, index.ScanKey{Attr: i + 1, Kind: index.KeyOperator, Strategy: index.Equal, Arg: v})
	}
	scan := x.Index.NewScan(index.ScanOptions{Cancel: n.s.Backend.Heap.Cancel})
	defer scan.End()
	for {
		if err := scan.Rescan(keys); err != nil {
			return types.TID{}, false, err
		}
		wait, tid, found, err := o.scanDirty(n, scan)
		if err != nil || wait == 0 {
			return tid, found, err
		}
		if err := o.waitFor(n, wait, tid); err != nil {
			return types.TID{}, false, err
		}
	}
}

// scanDirty gives the first live row of the scan, or the transaction to wait for.
func (o *onConflict) scanDirty(n *modifyTable, scan index.Scan) (wait uint64, tid types.TID, found bool, err error) {
	probe := n.target.indexes.probe
	for {
		ok, err := scan.Next(index.Forward)
		if err != nil || !ok {
			return 0, types.TID{}, false, err
		}
		st, err := probe.Dirty(scan.TID())
		if err != nil {
			return 0, types.TID{}, false, err
		}
		if st.Wait != 0 {
			return st.Wait, scan.TID(), false, nil
		}
		if st.Found {
			return 0, scan.TID(), true, nil
		}
	}
}

// checkVisible refuses to do nothing because of a row that another transaction committed after the transaction's snapshot: at REPEATABLE READ
// that row does not exist. Own rows, of this command too, are no surprise.
func (o *onConflict) checkVisible(n *modifyTable, tid types.TID) error {
	t, b := n.target, n.s.Backend
	if !b.Heap.Tx.Isolation.UsesTransactionSnapshot() {
		return nil
	}
	defer t.oldSlot.Clear()
	self := heap.SelfSnapshot(b.Heap.Tx)
	found, _, err := t.Heap.FetchHOT(b.Heap, tid, &self, &t.oldSlot)
	if err != nil || !found {
		return err
	}
	if b.Heap.Tx.IsCurrent(t.oldSlot.Xmin()) {
		return nil
	}
	visible, err := t.Heap.FetchVersion(b.Heap, t.oldSlot.TID, n.s.run.Snapshot, &t.oldSlot)
	if err == nil && !visible {
		err = serializationFailure("update")
	}
	return err
}

func (o *onConflict) waitFor(n *modifyTable, xid uint64, tid types.TID) error {
	n.target.indexes.probe.at = tid
	return n.target.indexes.probe.WaitXID(xid, 0)
}

// update does DO UPDATE on the row whose chain begins at tid: it is locked, shown to WHERE, and updated. retry: it vanished meanwhile.
func (o *onConflict) update(n *modifyTable, tid types.TID) (changed, retry bool, err error) {
	t, b := n.target, n.s.Backend
	snap := heap.SelfSnapshot(b.Heap.Tx)
	found, _, err := t.Heap.FetchHOT(b.Heap, tid, &snap, &t.oldSlot)
	if err != nil || !found {
		return false, true, err
	}
	at := t.oldSlot.TID
	t.oldSlot.Clear()
	mode := heap.LockUpdate
	if !t.changed.Intersects(t.Heap.KeyAttrs) {
		mode = heap.LockNoKeyUpdate
	}
	res, _, _, err := t.Heap.LockTuple(b.Heap, at, &t.oldSlot, heap.LockOpts{Command: n.s.command(), Mode: mode})
	if err != nil {
		return false, false, err
	}
	switch res {
	case heap.OK:
	case heap.Invisible:
		return false, false, cardinality()
	case heap.SelfModified:
		return false, false, cardinality()
	case heap.Updated, heap.Deleted:
		if b.Heap.Tx.Isolation.UsesTransactionSnapshot() {
			return false, false, serializationFailure("update")
		}
		return false, true, nil
	default:
		return false, false, pgerr.Internal("unrecognized result %v of locking a conflicting row", res)
	}
	return o.apply(n, at)
}

func cardinality() error {
	return pgerr.New(pgerr.CardinalityViolation, "ON CONFLICT DO UPDATE command cannot affect row a second time").
		WithHint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")
}

// apply updates the locked row: SET and WHERE see it (Scan) and the row proposed for insertion (Inner).
func (o *onConflict) apply(n *modifyTable, tid types.TID) (changed, retry bool, err error) {
	t := n.target
	if n.s.Backend.Heap.Tx.Isolation.UsesTransactionSnapshot() {
		visible, err := t.Heap.FetchVersion(n.s.Backend.Heap, tid, n.s.run.Snapshot, &t.oldSlot)
		if err != nil {
			return false, false, err
		}
		if !visible {
			return false, false, serializationFailure("update")
		}
	}
	if err := n.fetchOld(tid); err != nil {
		return false, false, err
	}
	excluded := copyRow(nil, t.row)
	o.ctx.Scan = excluded
	for _, eval := range o.whole {
		d, err := eval(o.ctx)
		if err != nil {
			return false, false, err
		}
		excluded = append(excluded, d)
	}
	o.ctx.Scan, o.ctx.Inner = t.oldSlot.Row, excluded
	o.ctx.Sys = n.ctx.Sys
	ok, err := passes(o.where, o.ctx)
	if err != nil || !ok {
		return false, false, err
	}
	if err := runFirst(o.first, o.ctx); err != nil {
		return false, false, err
	}
	values := make(types.Row, len(o.set))
	for i, eval := range o.set {
		if values[i], err = eval(o.ctx); err != nil {
			return false, false, err
		}
	}
	copy(t.row, t.oldSlot.Row)
	for i, col := range o.cols {
		t.row[col-1] = values[i]
	}
	fire, err := t.triggers.beforeRow(n.s, triggerUpdate, t, t.oldSlot.Row, t.row)
	if err != nil || !fire {
		return false, false, err
	}
	if err := t.complete(n.ctx); err != nil {
		return false, false, err
	}
	res, err := n.s.updateRow(n.ctx, t, tid, true)
	if err != nil || res.Result == heap.OK {
		return err == nil, false, err
	}
	_, err = n.conflict(res.Result, res.Conflict, "updated", "update", tid) // the row is locked: only the statement's own functions can have changed it
	return false, false, err
}
