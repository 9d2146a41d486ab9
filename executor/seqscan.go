package executor

import (
	"slices"

	"github.com/calfdb/calf/sql/catalog"
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
	tx    bool // of these, some that stand in the tuple's header
	copy  bool // rows must not point into pages: a node above may wait while it works on one
	lazy  bool // the conditions can't wait: a row is copied only when it has passed them
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
			t.tx = t.tx || v.AttNo != heap.AttrCTID && v.AttNo != heap.AttrTableOID
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
	if t.copy && !t.lazy {
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

// keep copies the row that passed the conditions, where row has left that for now.
func (t *tableScan) keep() (types.Row, error) {
	t.slot.Materialize()
	return t.slot.Row, t.slot.Deform(t.upto)
}

func (t *tableScan) setSystemColumns() {
	sys := &t.ctx.Sys
	sys.TID, sys.TableOID = t.slot.TID, t.table.Rel.OID
	if t.tx {
		xmin, xmax, cid := t.slot.Writers()
		sys.Xmin, sys.Xmax, sys.Cmin, sys.Cmax = uint64(xmin), uint64(xmax), cid, cid
	}
}

// canWait says whether the evaluation of an expression may wait for other transactions, or run something that may.
func canWait(e query.Expr) bool {
	wait := false
	query.Walk(e, func(e query.Expr) bool {
		switch e := e.(type) {
		case *query.Var, *query.Const, *query.BoolExpr, *query.NullTest, *query.RelabelType:
		case *query.Param:
			wait = wait || e.Kind != query.ParamExtern // else its sub-select may run now
		case *query.OpExpr:
			wait = wait || e.FuncOID >= catalog.FirstUserOID
		default:
			wait = true
		}
		return !wait
	})
	return wait
}

// seqScan reads a heap from end to end.
type seqScan struct {
	tableScan
	scan  heap.Scan
	began bool
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
	if n.tableScan, err = newTableScan(s, &p.Scan); err != nil {
		return nil, err
	}
	if n.copy && s.epq == nil && len(p.Quals) > 0 && !slices.ContainsFunc(p.Quals, canWait) {
		n.lazy, n.passed = true, n.keep
	}
	s.scans = append(s.scans, n)
	return n, nil
}

func (n *seqScan) Next() (types.Row, error) { return n.scanLoop(n.s, n.fetch) }

func (n *seqScan) fetch() (types.Row, error) {
	if r := n.s.substitute(n.rtIndex); r != nil {
		return n.epqScan(r)
	}
	if !n.began {
		n.scan.Begin(n.table.Heap, n.s.Backend.Heap, n.s.run.Snapshot, heap.ScanOpts{})
		n.began = true
	}
	ok, err := n.scan.Next(&n.slot)
	if err != nil || !ok {
		return nil, err
	}
	return n.row()
}

func (n *seqScan) release() {
	n.slot.Materialize()
	n.scan.Release()
}

func (n *seqScan) Rescan() error {
	n.Close()
	return nil
}

func (n *seqScan) Close() {
	n.slot.Clear()
	n.scan.End()
	n.began = false
}
