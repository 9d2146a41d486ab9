package executor

import (
	"github.com/calfdb/calf/sql/partition"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// openTargets opens the tables that a ModifyTable writes: one, or the children of the table that the statement names.
func (n *modifyTable) openTargets(p *plan.ModifyTable) error {
	for i := range p.ResultRels {
		t, err := n.s.newResultRelation(p, i)
		if err != nil {
			return err
		}
		if p.Command == query.CmdMerge {
			if t.merge, err = n.s.newMerge(p, t, i); err != nil {
				return err
			}
		}
		n.all = append(n.all, t)
	}
	n.target = n.all[0]
	n.merge = n.target.merge
	n.tableOID = p.TableOIDCol - 1
	if p.RootRelation == 0 {
		n.root = n.target
		return n.openRouter(p)
	}
	if n.tableOID >= 0 {
		n.byOID = make(map[types.OID]*resultRelation, len(n.all))
		for _, t := range n.all {
			n.byOID[t.Rel.OID] = t
		}
	}
	if err := n.openRoot(p.RootRelation); err != nil {
		return err
	}
	for _, t := range n.all {
		if t.Rel == n.root.Rel {
			continue
		}
		if cols := partition.MapColumns(n.root.Rel, t.Rel); !partition.Same(cols, n.root.Rel, t.Rel) {
			t.toRoot = cols
		}
		t.checks.root, t.checks.toRoot = n.root.Rel, t.toRoot
		t.capture = &rootCapture{n.root.triggers, t.toRoot}
	}
	return n.openRouter(p)
}

// openRouter makes ready to find the partitions of new rows, of a partitioned table.
func (n *modifyTable) openRouter(p *plan.ModifyTable) (err error) {
	if n.root.Rel.Kind == 'p' && p.Command != query.CmdDelete {
		n.router, err = newRouter(n.s, n.root, p)
	}
	return err
}

// openRoot opens the table that the statement names, whose statement triggers fire.
func (n *modifyTable) openRoot(rtIndex int) error {
	t := &resultRelation{rtIndex: rtIndex, rowID: -1}
	var err error
	if t.openRelation, err = n.s.relation(rtIndex); err != nil {
		return err
	}
	for col := range n.s.Plan.RangeTable[rtIndex-1].UpdatedCols {
		t.changed.Add(int16(col))
	}
	n.root = t
	if n.plan.Command == query.CmdMerge || t.Rel.Kind == 'p' { // new rows go to the table that the statement names
		if len(n.plan.Returning) > 0 && t.Rel.Kind == 'p' && n.plan.Command == query.CmdUpdate {
			if t.returning, err = newProjection(n.s.compiler(), n.plan.RootReturning); err != nil {
				return err
			}
		}
		return t.prepareWrite(n.s)
	}
	t.triggers, err = n.s.newRowTriggers(t.Table)
	return err
}

// prepareWrite makes ready what an INSERT into the table checks and keeps.
func (t *resultRelation) prepareWrite(s *State) error {
	t.row = make(types.Row, len(t.Rel.Desc.Attrs))
	var err error
	if t.indexes, err = s.newIndexWriter(t.Table); err != nil {
		return err
	}
	if t.checks, err = newRowChecks(s, t.Rel, s.Plan.RangeTable[t.rtIndex-1]); err != nil {
		return err
	}
	if t.generated, err = newGeneratedColumns(s, t.Rel); err != nil {
		return err
	}
	t.triggers, err = s.newRowTriggers(t.Table)
	return err
}

// chooseTarget makes the table that an input row is from the target.
func (n *modifyTable) chooseTarget(row types.Row) error {
	if n.router != nil { // the row before may have gone to another partition
		n.target, n.merge = n.all[0], n.all[0].merge
	}
	if n.byOID == nil {
		return nil
	}
	d := row[n.tableOID]
	if d.IsNull() { // a source row of MERGE without a match
		return nil
	}
	t := n.byOID[d.Oid()]
	if t == nil {
		return pgerr.Internal("incorrect result rel index %d", d.Oid())
	}
	n.target, n.merge = t, t.merge
	return nil
}

// hideOthers makes a recheck see no rows of the target's other children.
func (n *modifyTable) hideOthers() {
	if len(n.all) == 1 {
		return
	}
	for _, t := range n.all {
		if t != n.target {
			n.recheck.state.epq.rows[t.rtIndex-1] = &epqRow{none: true}
		}
	}
}

// fromOther says whether a row mark is of a child that the row is not from, by the row's table OID.
func fromOther(s *State, m *plan.RowMark, targets []*query.TargetEntry, row types.Row) (bool, error) {
	if m.RTIndex == m.ParentRT {
		return false, nil
	}
	col := junkColumn(targets, "tableoid", m.ID)
	if col < 0 {
		return false, pgerr.Internal("no column that names the table of range table entry %d", m.RTIndex)
	}
	return row[col].IsNull() || row[col].Oid() != s.Plan.RangeTable[m.RTIndex-1].RelOID, nil
}
