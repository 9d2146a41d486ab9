package executor

import (
	"strconv"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

func init() { register(newLockRows) }

func itoa(n int) string { return strconv.Itoa(n) }

// lockRows takes the row locks of FOR UPDATE and its kin on each row that passes through it, waiting where another transaction stands in the
// way; at READ COMMITTED a row that was changed meanwhile is checked again in its newest version.
type lockRows struct {
	s       *State
	child   Node
	targets []*query.TargetEntry
	marks   []lockMark
	recheck *recheck
}

// lockMark is one relation whose rows are locked.
type lockMark struct {
	*plan.RowMark
	col   int // ctid's column
	table *openRelation
	slot  heap.Slot
	mode  heap.LockMode
	wait  heap.WaitPolicy
	other bool // the current row is from another child

	locked bool // slot has the row that is locked now
}

func newLockRows(s *State, p *plan.LockRows) (Node, error) {
	n := &lockRows{s: s, targets: p.Targets} // the node passes its input on; only its own targets carry the names
	var err error
	if n.child, err = s.build(p.Left); err != nil {
		return nil, err
	}
	for _, m := range p.RowMarks {
		if m.IsParent || m.Type == plan.RowMarkReference || m.Type == plan.RowMarkCopy {
			continue
		}
		lm := lockMark{RowMark: m, col: junkColumn(n.targets, "ctid", m.ID)}
		if lm.col < 0 {
			return nil, pgerr.Internal("no ctid column for the rows to lock of range table entry %d", m.RTIndex)
		}
		if lm.table, err = s.relation(m.RTIndex); err != nil {
			return nil, err
		}
		if lm.table.Heap == nil { // ONLY a partitioned table: it has no rows
			continue
		}
		if lm.table.Rel.Kind == 'm' {
			return nil, pgerr.New(pgerr.WrongObjectType, "cannot lock rows in materialized view \"%s\"", lm.table.Rel.Name)
		}
		lm.slot.Init(lm.table.Heap)
		lm.mode, lm.wait = rowLockMode(m.Strength), waitPolicy(m.Wait)
		n.marks = append(n.marks, lm)
	}
	n.recheck = newRecheck(s, p.Left, p.RowMarks)
	if s.rowLocks == nil {
		s.rowLocks = n
	}
	return n, nil
}

func rowLockMode(s query.LockStrength) heap.LockMode {
	switch s {
	case query.LockForKeyShare:
		return heap.LockKeyShare
	case query.LockForShare:
		return heap.LockShare
	case query.LockForNoKeyUpdate:
		return heap.LockNoKeyUpdate
	}
	return heap.LockUpdate
}

func waitPolicy(w query.LockWaitPolicy) heap.WaitPolicy {
	switch w {
	case query.LockWaitSkip:
		return heap.WaitSkip
	case query.LockWaitError:
		return heap.WaitError
	}
	return heap.WaitBlock
}

func (n *lockRows) Next() (types.Row, error) {
	for {
		row, err := n.child.Next()
		if row == nil || err != nil {
			return nil, err
		}
		row, err = n.lock(row)
		if row != nil || err != nil {
			return row, err
		}
	}
}

// lock locks all marked rows of a joined row; nil when it is to be skipped.
func (n *lockRows) lock(row types.Row) (types.Row, error) {
	moved := false
	for i := range n.marks {
		m := &n.marks[i]
		var err error
		if m.other, err = fromOther(n.s, m.RowMark, n.targets, row); err != nil {
			return nil, err
		}
		if m.other {
			m.locked = false
			continue
		}
		d := row[m.col]
		if m.locked = !d.IsNull(); !m.locked {
			continue // the null side of an outer join
		}
		ok, traversed, err := n.lockOne(m, d.TID())
		if err != nil || !ok {
			return nil, err
		}
		moved = moved || traversed
	}
	if !moved {
		return row, nil
	}
	return n.check(row)
}

// lockOne locks one row; ok is false when it is gone or skipped, traversed says that a newer version was locked.
func (n *lockRows) lockOne(m *lockMark, tid types.TID) (ok, traversed bool, err error) {
	b := n.s.Backend
	repeatable := b.Heap.Tx.Isolation.UsesTransactionSnapshot()
	res, _, traversed, err := m.table.Heap.LockTuple(b.Heap, tid, &m.slot, heap.LockOpts{Command: n.s.command(), Mode: m.mode, Wait: m.wait, FollowUpdates: !repeatable})
	if err != nil {
		return false, false, err
	}
	switch res {
	case heap.OK:
		m.slot.Materialize()
		return true, traversed, nil
	case heap.WouldBlock, heap.SelfModified:
		return false, false, nil
	case heap.Updated:
		if repeatable {
			return false, false, serializationFailure("update")
		}
		return false, false, nil
	case heap.Deleted:
		if repeatable {
			return false, false, serializationFailure("update")
		}
		return false, false, nil
	}
	return false, false, pgerr.Internal("attempted to lock invisible tuple")
}

func serializationFailure(what string) error {
	return pgerr.New(pgerr.TRSerializationFailure, "could not serialize access due to concurrent %s", what)
}

// check evaluates the joined row again with the newest versions in place.
func (n *lockRows) check(row types.Row) (types.Row, error) {
	if err := n.recheck.prepare(); err != nil {
		return nil, err
	}
	for i := range n.marks {
		m := &n.marks[i]
		if m.other {
			n.recheck.state.epq.rows[m.RTIndex-1] = &epqRow{none: true}
			continue
		}
		if !row[m.col].IsNull() {
			if err := n.recheck.setTuple(m.RTIndex, m.slot.TID); err != nil {
				return nil, err
			}
		}
	}
	if err := n.recheck.setOthers(row, n.targets, 0); err != nil {
		return nil, err
	}
	return n.recheck.run()
}

func (n *lockRows) Rescan() error { return n.child.Rescan() }

func (n *lockRows) Close() {
	n.recheck.close()
	n.child.Close()
}
