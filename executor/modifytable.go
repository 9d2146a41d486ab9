package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

func init() { register(newModifyTable) }

// modifyTable applies INSERT, UPDATE or DELETE to one table, row by row as its input gives them. With RETURNING it gives a row for each that it
// changed, else nothing.
type modifyTable struct {
	s        *State
	plan     *plan.ModifyTable
	child    Node
	targets  []*query.TargetEntry
	ctx      *expr.Context
	target   *resultRelation // that the current row is from, or goes to
	all      []*resultRelation
	root     *resultRelation // that the statement names
	router   *router         // of a partitioned table
	byOID    map[types.OID]*resultRelation
	tableOID int // column of the input, 0-based
	recheck  *recheck
	merge    *merge    // nil: the command is another
	input    types.Row // the row that is being worked on
	began    bool
	done     bool
}

// resultRelation is a table that is written, with all that a write must check and keep.
type resultRelation struct {
	*openRelation
	rtIndex   int
	indexes   *indexWriter
	checks    *rowChecks
	generated []generatedColumn
	withCheck []withCheck
	returning *projection
	triggers  *rowTriggers

	row      types.Row // the new row
	oldSlot  heap.Slot
	lockSlot *heap.Slot // of a row that is locked for its triggers; made when one is
	rowID    int        // ctid's column in the input, 0-based
	update   []int      // attribute numbers that the input's first columns assign
	changed  heap.AttrSet
	conflict *onConflict
	merge    *merge

	routed  bool         // a partition that rows are routed to
	capture *rootCapture // for the transition tables of the table that the statement names; nil = it is that table
	toRoot  []int16      // where the columns of the table that the statement names are in it; nil = at the same places
}

func newModifyTable(s *State, p *plan.ModifyTable) (Node, error) {
	n := &modifyTable{s: s, plan: p, ctx: s.context(), targets: p.Left.Base().Targets}
	var err error
	if n.child, err = s.build(p.Left); err != nil {
		return nil, err
	}
	if err := n.openTargets(p); err != nil {
		return nil, err
	}
	if p.Command != query.CmdInsert {
		n.recheck = newRecheck(s, p.Left, p.RowMarks)
	}
	return n, nil
}

func (s *State) newResultRelation(p *plan.ModifyTable, i int) (*resultRelation, error) {
	r := &resultRelation{rtIndex: p.ResultRels[i], rowID: -1}
	var err error
	if r.openRelation, err = s.relation(r.rtIndex); err != nil {
		return nil, err
	}
	if r.Rel.Kind == 'm' && r.Rel.OID != s.Backend.MaintainedView {
		return nil, pgerr.New(pgerr.WrongObjectType, "cannot change materialized view \"%s\"", r.Rel.Name)
	}
	if r.Heap != nil {
		r.oldSlot.Init(r.Heap)
	}
	if p.Command != query.CmdInsert {
		r.rowID = p.RowIDCol[i] - 1
	}
	if p.Command == query.CmdUpdate {
		r.update = p.UpdateCols[i]
	}
	if err := r.prepareChecks(s, p, i); err != nil {
		return nil, err
	}
	if len(p.Returning) > i && len(p.Returning[i]) > 0 {
		if r.returning, err = newProjection(s.compiler(), p.Returning[i]); err != nil {
			return nil, err
		}
	}
	if p.OnConflict != query.OnConflictNone {
		r.conflict, err = s.newOnConflict(p, r)
	}
	return r, err
}

// prepareChecks compiles what a write of the table checks and computes.
func (r *resultRelation) prepareChecks(s *State, p *plan.ModifyTable, i int) error {
	err := r.prepareWrite(s)
	if err != nil {
		return err
	}
	for _, a := range r.update {
		r.changed.Add(int16(a))
	}
	for _, g := range r.generated {
		r.changed.Add(g.attr)
	}
	if len(p.WithChecks) > i {
		r.withCheck, err = newWithChecks(s, p.WithChecks[i])
	}
	return err
}

func (n *modifyTable) Next() (types.Row, error) {
	if n.done {
		return nil, nil
	}
	if !n.began {
		n.began = true
		if err := n.statementTriggers(true); err != nil {
			return nil, err
		}
	}
	for {
		row, err := n.child.Next()
		if err != nil {
			return nil, err
		}
		if row == nil {
			n.done = true
			return nil, n.statementTriggers(false)
		}
		n.input = row
		if err := n.chooseTarget(row); err != nil {
			return nil, err
		}
		changed, err := n.apply(row)
		if err != nil {
			return nil, err
		}
		if !changed {
			continue
		}
		if n.plan.CanSetTag {
			n.s.modified++
		}
		if n.target.returning != nil {
			return n.returningRow(row)
		}
	}
}

func (n *modifyTable) statementTriggers(before bool) error {
	switch {
	case n.merge != nil:
		return n.merge.statementTriggers(n, before)
	case before:
		if err := n.root.triggers.beforeStatement(n.s, n.plan.Command, n.root); err != nil || n.plan.OnConflict != query.OnConflictUpdate {
			return err
		}
		return n.root.triggers.beforeStatement(n.s, query.CmdUpdate, n.root)
	}
	if n.plan.OnConflict == query.OnConflictUpdate {
		if err := n.root.triggers.afterStatement(n.s, query.CmdUpdate, n.root); err != nil {
			return err
		}
	}
	return n.root.triggers.afterStatement(n.s, n.plan.Command, n.root)
}

// apply changes the table for one input row and says whether it did.
func (n *modifyTable) apply(row types.Row) (bool, error) {
	if n.target.Rel.Kind == 'v' {
		return n.insteadOf(row)
	}
	switch n.plan.Command {
	case query.CmdInsert:
		return n.insert(row)
	case query.CmdUpdate:
		return n.update(row)
	case query.CmdMerge:
		return n.merge.apply(n, row)
	}
	return n.delete(row)
}

// returningRow projects RETURNING over the row that was written (or deleted) and the input row.
func (n *modifyTable) returningRow(input types.Row) (types.Row, error) {
	n.ctx.Scan, n.ctx.Outer = n.target.row, input
	if t := n.target; t.routed { // RETURNING is written for the table that the statement names
		n.ctx.Scan = t.rootRow(n.router.root.row)
	}
	return n.target.returning.apply(n.ctx)
}

func (n *modifyTable) insert(input types.Row) (bool, error) {
	if n.router != nil {
		return n.insertRouted(input[:len(n.root.row)], input)
	}
	t := n.target
	copy(t.row, input[:len(t.row)])
	ok, err := t.triggers.beforeRow(n.s, triggerInsert, t, nil, t.row)
	if err != nil || !ok {
		return false, err
	}
	if err := t.complete(n.ctx); err != nil {
		return false, err
	}
	if t.conflict != nil {
		return t.conflict.insert(n, input)
	}
	_, err = n.s.insertRow(n.ctx, t, nil)
	return err == nil, err
}

// insertRow writes t.row with its index entries and queues its triggers. With arbiters, duplicate says that one has the key: the row was
// withdrawn.
func (s *State) insertRow(ctx *expr.Context, t *resultRelation, arbiters *onConflict) (duplicate bool, err error) {
	tid, err := t.Heap.Insert(s.Backend.Heap, t.row, heap.InsertOpts{Command: s.command()})
	if err != nil {
		return false, err
	}
	s.noteWritten(ctx, t, tid, false)
	duplicate, err = t.indexes.insert(ctx, t.row, tid, entryOptions{speculative: arbiters})
	if err != nil {
		return false, err
	}
	if duplicate {
		return true, t.Heap.Kill(s.Backend.Heap, tid)
	}
	if err := t.triggers.afterRow(s, triggerInsert, t, types.TID{}, tid); err != nil {
		return false, err
	}
	return false, t.passWithChecks(ctx)
}

// complete computes generated columns and checks the new row's constraints.
func (t *resultRelation) complete(ctx *expr.Context) error {
	if err := t.generate(ctx); err != nil {
		return err
	}
	if err := t.checks.check(ctx, t.row); err != nil || t.checks.partition == nil || t.routed && !t.triggers.hasBefore(triggerInsert) {
		return err
	}
	ok, err := t.checks.partition(ctx)
	if err == nil && !ok {
		err = t.checks.partitionError(t.row)
	}
	return err
}

// generate computes the generated columns of the new row.
func (t *resultRelation) generate(ctx *expr.Context) error {
	ctx.Scan = t.row
	ctx.Sys.TableOID = t.Rel.OID
	for _, g := range t.generated {
		d, err := g.eval(ctx)
		if err != nil {
			return err
		}
		t.row[g.attr-1] = d
	}
	return nil
}

// delete deletes the row that the input names.
func (n *modifyTable) delete(input types.Row) (bool, error) {
	t := n.target
	tid := input[t.rowID].TID()
	for {
		done := "updated"
		res, conflict, err := n.lockForTriggers(triggerDelete, tid)
		if err != nil {
			return false, err
		}
		if res == heap.OK {
			if ok, err := n.beforeChange(triggerDelete, tid); err != nil || !ok {
				return false, err
			}
			done = "deleted"
			if res, conflict, err = t.Heap.Delete(n.s.Backend.Heap, tid, heap.DeleteOpts{Command: n.s.command(), Wait: true}); err != nil {
				return false, err
			}
			if res == heap.OK {
				break
			}
		}
		again, err := n.conflict(res, conflict, done, "delete", tid)
		if err != nil || again == nil {
			return false, err
		}
		tid, input = again.tid, again.row
	}
	if t.returning != nil || t.triggers.needOld() {
		if err := n.fetchOld(tid); err != nil {
			return false, err
		}
		copy(t.row, t.oldSlot.Row)
	}
	return true, t.triggers.afterRow(n.s, triggerDelete, t, tid, types.TID{})
}

// fetchOld loads the version at tid into oldSlot, all columns.
func (n *modifyTable) fetchOld(tid types.TID) error {
	t := n.target
	any := heap.AnySnapshot()
	found, err := t.Heap.FetchVersion(n.s.Backend.Heap, tid, &any, &t.oldSlot)
	if err != nil {
		return err
	}
	if !found {
		return pgerr.Internal("failed to fetch tuple being updated")
	}
	t.oldSlot.Materialize()
	n.ctx.Sys.TID, n.ctx.Sys.TableOID = tid, t.Rel.OID
	return t.oldSlot.DeformAll()
}

// lockForTriggers locks the row at tid before BEFORE ROW triggers see it, so that they see its newest version and fire once. Updated: it has a newer one.
func (n *modifyTable) lockForTriggers(event triggerEvent, tid types.TID) (heap.Result, heap.Conflict, error) {
	t := n.target
	if !t.triggers.hasBefore(event) {
		return heap.OK, heap.Conflict{}, nil
	}
	repeatable := n.s.Backend.Heap.Tx.Isolation.UsesTransactionSnapshot()
	if t.lockSlot == nil {
		t.lockSlot = &heap.Slot{}
		t.lockSlot.Init(t.Heap)
	}
	res, c, traversed, err := t.Heap.LockTuple(n.s.Backend.Heap, tid, t.lockSlot,
		heap.LockOpts{Command: n.s.command(), Mode: n.lockMode(), FollowUpdates: !repeatable})
	t.lockSlot.Clear()
	if err == nil && res == heap.OK && traversed {
		res = heap.Updated
	}
	return res, c, err
}

// lockMode is the strength of lock that the statement takes on a row before it changes it.
func (n *modifyTable) lockMode() heap.LockMode {
	if n.plan.Command == query.CmdUpdate && !n.target.changed.Intersects(n.target.Heap.KeyAttrs) {
		return heap.LockNoKeyUpdate
	}
	return heap.LockUpdate
}

// beforeChange runs BEFORE ROW triggers of an UPDATE or DELETE, which need the old row.
func (n *modifyTable) beforeChange(event triggerEvent, tid types.TID) (bool, error) {
	t := n.target
	if !t.triggers.hasBefore(event) {
		return true, nil
	}
	if err := n.fetchOld(tid); err != nil {
		return false, err
	}
	return t.triggers.beforeRow(n.s, event, t, t.oldSlot.Row, nil)
}

// update puts the new version of the row that the input names.
func (n *modifyTable) update(input types.Row) (bool, error) {
	t := n.target
	tid := input[t.rowID].TID()
	for {
		if res, conflict, err := n.lockForTriggers(triggerUpdate, tid); err != nil || res != heap.OK {
			if err != nil {
				return false, err
			}
			again, err := n.conflict(res, conflict, "updated", "update", tid)
			if err != nil || again == nil {
				return false, err
			}
			tid, input = again.tid, again.row
			continue
		}
		if err := n.fetchOld(tid); err != nil {
			return false, err
		}
		t.newVersion(input)
		ok, err := t.triggers.beforeRow(n.s, triggerUpdate, t, t.oldSlot.Row, t.row)
		if err != nil || !ok {
			return false, err
		}
		if gone, err := t.leaves(n.ctx); err != nil || gone {
			if err != nil {
				return false, err
			}
			moved, again, err := n.move(tid, input)
			if err != nil || again == nil {
				return moved, err
			}
			tid, input = again.tid, again.row
			continue
		}
		if err := t.complete(n.ctx); err != nil {
			return false, err
		}
		res, err := n.s.updateRow(n.ctx, t, tid, false)
		if err != nil || res.Result == heap.OK {
			return err == nil, err
		}
		again, err := n.conflict(res.Result, res.Conflict, "updated", "update", tid)
		if err != nil || again == nil {
			return false, err
		}
		tid, input = again.tid, again.row
	}
}

// newVersion makes t.row of the old row and the assigned columns.
func (t *resultRelation) newVersion(input types.Row) {
	copy(t.row, t.oldSlot.Row)
	for i, att := range t.update {
		t.row[att-1] = input[i]
	}
}

// noteWritten sets the system columns of the row that was just written, for RETURNING. locked: see heap.UpdateOpts.
func (s *State) noteWritten(ctx *expr.Context, t *resultRelation, tid types.TID, locked bool) {
	tx := s.Backend.Heap.Tx
	cid := tx.CID()
	if s.run.Snapshot != nil {
		cid = s.run.Snapshot.CurCID
	}
	ctx.Sys = expr.SystemColumns{TID: tid, TableOID: t.Rel.OID, Xmin: uint64(tx.CurrentXID()), Cmin: uint32(cid), Cmax: uint32(cid)}
	if locked {
		ctx.Sys.Xmax = ctx.Sys.Xmin
	}
}

// updateRow writes t.row as the new version of tid, with index entries where needed; locked says that the statement locked it before.
func (s *State) updateRow(ctx *expr.Context, t *resultRelation, tid types.TID, locked bool) (heap.UpdateResult, error) {
	opts := heap.UpdateOpts{Command: s.command(), Wait: true, Locked: locked}
	if !t.triggers.hasBefore(triggerUpdate) {
		opts.Changed = &t.changed
	}
	res, err := t.Heap.Update(s.Backend.Heap, tid, t.row, opts)
	if err != nil || res.Result != heap.OK {
		return res, err
	}
	s.noteWritten(ctx, t, res.TID, locked)
	if !res.HOT {
		if _, err := t.indexes.insert(ctx, t.row, res.TID, entryOptions{changed: opts.Changed}); err != nil {
			return res, err
		}
	}
	if err := t.triggers.afterRow(s, triggerUpdate, t, tid, res.TID); err != nil {
		return res, err
	}
	return res, t.passWithChecks(ctx)
}

// newerRow is the newest version of a row that somebody changed, with the input row computed for it.
type newerRow struct {
	tid types.TID
	row types.Row
}

// conflict answers a change that met another one: nil means that the row is to be skipped, else it is tried again on its newest version.
func (n *modifyTable) conflict(res heap.Result, c heap.Conflict, done, verb string, tid types.TID) (*newerRow, error) {
	repeatable := n.s.Backend.Heap.Tx.Isolation.UsesTransactionSnapshot()
	switch res {
	case heap.SelfModified:
		if c.Cmax != n.s.run.Snapshot.CurCID {
			return nil, pgerr.New(pgerr.TriggeredDataChangeViolation, "tuple to be %s was already modified by an operation triggered by the current command", done).
				WithHint("Consider using an AFTER trigger instead of a BEFORE trigger to propagate changes to other rows.")
		}
		return nil, nil // changed earlier in this command: a join gave it twice
	case heap.Updated:
		if repeatable {
			return nil, serializationFailure("update")
		}
		return n.newest(tid, done)
	case heap.Deleted:
		if repeatable {
			return nil, serializationFailure("delete")
		}
		return nil, nil
	}
	return nil, pgerr.Internal("attempted to %s invisible tuple", verb)
}

// newest locks the newest version of the row at tid and computes the statement's row for it again (READ COMMITTED); nil when it no longer
// qualifies or is gone.
func (n *modifyTable) newest(tid types.TID, done string) (*newerRow, error) {
	t := n.target
	res, c, _, err := t.Heap.LockTuple(n.s.Backend.Heap, tid, &t.oldSlot,
		heap.LockOpts{Command: n.s.command(), Mode: n.lockMode(), FollowUpdates: true})
	if err != nil {
		return nil, err
	}
	switch res {
	case heap.OK:
	case heap.SelfModified:
		if c.Cmax != n.s.run.Snapshot.CurCID {
			return nil, pgerr.New(pgerr.TriggeredDataChangeViolation, "tuple to be %s was already modified by an operation triggered by the current command", done).
				WithHint("Consider using an AFTER trigger instead of a BEFORE trigger to propagate changes to other rows.")
		}
		if n.merge != nil {
			return nil, secondTime()
		}
		return nil, nil
	case heap.Deleted:
		return nil, nil
	default:
		return nil, pgerr.Internal("unexpected result %v of locking a row for a recheck", res)
	}
	newTID := t.oldSlot.TID
	t.oldSlot.Materialize()
	if err := n.recheck.prepare(); err != nil {
		return nil, err
	}
	if err := n.recheck.setTuple(t.rtIndex, newTID); err != nil {
		return nil, err
	}
	n.hideOthers()
	if err := n.recheck.setOthers(n.input, n.targets, t.rtIndex); err != nil {
		return nil, err
	}
	row, err := n.recheck.run()
	if row == nil || err != nil {
		return nil, err
	}
	return &newerRow{newTID, row}, nil
}

func (n *modifyTable) Rescan() error {
	n.began, n.done = false, false
	return n.child.Rescan()
}

func (n *modifyTable) Close() {
	for _, t := range n.all {
		t.oldSlot.Clear()
	}
	n.recheck.close()
	n.child.Close()
}
