package executor

import (
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

func init() { register(newSeqScan) }

// pinHolder is a node that may hold a page pin between two rows.
type pinHolder interface{ release() }

// tableScan is what scans of a heap share: the slot and how far it is taken apart.
type tableScan struct {
	rtIndex int
	scanCore
	s     *State
	table *openRelation
	slot  heap.Slot
	upto  int  // leading columns that expressions read
	sys   bool // expressions read system columns
	copy  bool // rows must not point into pages: a node above may wait while it works on one
}

func newTableScan(s *State, p *plan.Scan) (tableScan, error) {
	t := tableScan{s: s, copy: s.mayWait(), rtIndex: p.RTIndex}
	var err error
	if t.table, err = s.relation(p.RTIndex); err != nil {
		return t, err
	}
	t.slot.Init(t.table.Heap)
	t.scanCore, err = newScanCore(s, &p.Plan, len(t.table.Rel.Desc.Attrs))
	if t.project == nil {
		t.upto = len(t.table.Rel.Desc.Attrs)
	}
	for _, target := range p.Targets {
		t.needColumns(target.Expr)
	}
	for _, q := range p.Quals {
		t.needColumns(q)
	}
	return t, err
}

// scanned is the scan itself, for WHERE CURRENT OF.
func (t *tableScan) scanned() *tableScan { return t }

// mayWait says whether the statement changes or locks rows, so that it may wait for other transactions in its midst.
func (s *State) mayWait() bool {
	return s.Plan.Command != query.CmdSelect || s.Plan.HasModifyingCTE || len(s.Plan.RowMarks) > 0
}

// needColumns notes the columns that an expression reads.
func (t *tableScan) needColumns(e query.Expr) {
	query.Walk(e, func(e query.Expr) bool {
		v, ok := e.(*query.Var)
		switch {
		case !ok || v.VarNo < 1:
		case v.AttNo < 0:
			t.sys = true
		case v.AttNo == 0:
			t.upto = len(t.table.Rel.Desc.Attrs)
		default:
			t.upto = max(t.upto, int(v.AttNo))
		}
		return true
	})
}

// row takes the slot's tuple apart for the expressions.
func (t *tableScan) row() (types.Row, error) {
	if t.copy {
		t.slot.Materialize()
	}
	if err := t.slot.Deform(t.upto); err != nil {
		return nil, err
	}
	if t.sys {
		t.setSystemColumns()
	}
	return t.slot.Row, nil
}

func (t *tableScan) setSystemColumns() {
	sys := &t.ctx.Sys
	sys.TID = t.slot.TID
	sys.Xmin = t.slot.SysAttr(heap.AttrXmin).Raw()
	sys.Xmax = t.slot.SysAttr(heap.AttrXmax).Raw()
	sys.Cmin = uint32(t.slot.SysAttr(heap.AttrCmin).Raw())
	sys.Cmax = uint32(t.slot.SysAttr(heap.AttrCmax).Raw())
	sys.TableOID = t.table.Rel.OID
}

// seqScan reads a heap from end to end.
type seqScan struct {
	tableScan
	scan *heap.Scan
}

func newSeqScan(s *State, p *plan.SeqScan) (Node, error) {
	table, err := s.relation(p.RTIndex)
	if err != nil {
		return nil, err
	}
	if table.Rel.Kind == 'S' {
		return newSequenceScan(s, p, table)
	}
	n := &seqScan{}
	n.tableScan, err = newTableScan(s, &p.Scan)
	s.scans = append(s.scans, n)
	return n, err
}

func (n *seqScan) Next() (types.Row, error) { return n.scanLoop(n.s, n.fetch) }

func (n *seqScan) fetch() (types.Row, error) {
	if r := n.s.substitute(n.rtIndex); r != nil {
		return n.epqScan(r)
	}
	if n.scan == nil {
		n.scan = n.table.Heap.BeginScan(n.s.Backend.Heap, n.s.run.Snapshot, heap.ScanOpts{})
	}
	ok, err := n.scan.Next(&n.slot)
	if err != nil || !ok {
		return nil, err
	}
	return n.row()
}

func (n *seqScan) release() {
	n.slot.Materialize()
	if n.scan != nil {
		n.scan.Release()
	}
}

func (n *seqScan) Rescan() error {
	n.Close()
	return nil
}

func (n *seqScan) Close() {
	n.slot.Clear()
	if n.scan != nil {
		n.scan.End()
		n.scan = nil
	}
}
