package executor

import (
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// CursorTarget is a table of which a cursor's query has a current row, for WHERE CURRENT OF.
type CursorTarget struct {
	Table  types.OID
	Marked bool // it is locked by FOR UPDATE or FOR SHARE: then only such tables count
	at     func() (types.TID, bool)
}

// Position gives the place of the current row; false when there is none, as on the null side of an outer join.
func (c *CursorTarget) Position() (types.TID, bool) { return c.at() }

// CursorTargets lists the tables of a running query that WHERE CURRENT OF can mean: those whose rows it locks, or else the table that a simple
// query scans, with the children that inherit from it.
func (s *State) CursorTargets() []CursorTarget {
	var list []CursorTarget
	if locks := s.rowLocks; locks != nil {
		for i := range locks.marks {
			m := &locks.marks[i]
			list = append(list, CursorTarget{Table: m.table.Rel.OID, Marked: true, at: func() (types.TID, bool) { return m.slot.TID, m.locked }})
		}
		return list
	}
	simple := map[int]bool{}
	simpleScans(s.Plan.Root, simple)
	for _, n := range s.scans {
		if p, ok := n.(interface{ scanned() *tableScan }); ok {
			if t := p.scanned(); simple[t.rtIndex] {
				list = append(list, CursorTarget{Table: t.table.Rel.OID, at: func() (types.TID, bool) { return t.slot.TID, !t.slot.Empty() }})
			}
		}
	}
	return list
}

// simpleScans finds the range table entries whose scans give the query's rows one by one, without a join, a sort or an aggregate above them.
func simpleScans(n plan.Node, found map[int]bool) {
	switch n := n.(type) {
	case *plan.SeqScan:
		found[n.RTIndex] = true
	case *plan.SampleScan:
		found[n.RTIndex] = true
	case *plan.IndexScan:
		found[n.RTIndex] = true
	case *plan.IndexOnlyScan:
		found[n.RTIndex] = true
	case *plan.BitmapHeapScan:
		found[n.RTIndex] = true
	case *plan.TIDScan:
		found[n.RTIndex] = true
	case *plan.TIDRangeScan:
		found[n.RTIndex] = true
	case *plan.Append:
		for _, c := range n.Children {
			simpleScans(c, found)
		}
	case *plan.SubqueryScan:
		simpleScans(n.Subplan, found)
	case *plan.Result, *plan.Limit:
		if left := n.Base().Left; left != nil {
			simpleScans(left, found)
		}
	}
}

// MarksRows says whether the query locks rows.
func MarksRows(p *plan.Planned) bool {
	for _, m := range p.RowMarks {
		if m.Strength != query.LockNone {
			return true
		}
	}
	return false
}
