package executor

import (
	"slices"

	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() { register(newTIDScan) }

// tidScan fetches rows by ctid.
type tidScan struct {
	tableScan
	exprs []tidExpr
	tids  []types.TID
	pos   int
	ready bool
}

// tidExpr gives one TID, or the elements of an array of them.
type tidExpr struct {
	eval   expr.Eval
	elem   *types.TypeInfo
	latest bool // of WHERE CURRENT OF: the row's newest version, when it was updated since the cursor came to it
}

func newTIDScan(s *State, p *plan.TIDScan) (Node, error) {
	n := &tidScan{}
	var err error
	if n.tableScan, err = newTableScan(s, &p.Scan); err != nil {
		return nil, err
	}
	for _, q := range p.TIDQuals {
		x, err := s.newTIDExpr(q)
		if err != nil {
			return nil, err
		}
		n.exprs = append(n.exprs, x)
	}
	s.scans = append(s.scans, n)
	return n, nil
}

func (s *State) newTIDExpr(q query.Expr) (x tidExpr, err error) {
	c := s.compiler()
	switch q := q.(type) {
	case *query.OpExpr:
		value := q.Args[1]
		if v, ok := value.(*query.Var); ok && v.AttNo == expr.AttTID && v.VarNo > 0 {
			value = q.Args[0]
		}
		x.eval, err = c.Compile(value)
	case *query.ScalarArrayOpExpr:
		if x.elem, err = c.ElementType(q.Right.Type()); err == nil {
			x.eval, err = c.Compile(q.Right)
		}
	case *query.CurrentOfExpr:
		x.latest = true
		x.eval, err = s.compileCurrentOf(q)
	default:
		err = pgerr.Internal("TID condition %T", q)
	}
	return x, err
}

// compileCurrentOf gives the ctid of the row that a cursor stands on.
func (s *State) compileCurrentOf(e *query.CurrentOfExpr) (expr.Eval, error) {
	if s.Backend.CursorPosition == nil {
		return nil, pgerr.NotSupported("WHERE CURRENT OF")
	}
	rte := s.Plan.RangeTable[e.RTIndex-1]
	return func(ctx *expr.Context) (types.Datum, error) {
		tid, ok, err := s.Backend.CursorPosition(e.CursorName, rte.RelOID)
		if err != nil || !ok {
			return types.Null, err
		}
		return tid.Datum(), nil
	}, nil
}

func (n *tidScan) Next() (types.Row, error) { return n.scanLoop(n.s, n.fetch) }

func (n *tidScan) begin() error {
	n.ready, n.pos, n.tids = true, 0, n.tids[:0]
	for _, x := range n.exprs {
		d, err := x.eval(n.ctx)
		if err != nil {
			return err
		}
		if d.IsNull() {
			continue
		}
		if x.elem == nil {
			tid := d.TID()
			if x.latest {
				if tid, err = n.table.Heap.FetchLatest(n.s.Backend.Heap, tid, n.s.run.Snapshot); err != nil {
					return err
				}
			}
			n.tids = append(n.tids, tid)
			continue
		}
		elems, err := types.ArrayElements(x.elem, d, nil)
		if err != nil {
			return err
		}
		for _, e := range elems {
			if !e.IsNull() {
				n.tids = append(n.tids, e.TID())
			}
		}
	}
	slices.SortFunc(n.tids, func(a, b types.TID) int {
		if a.Less(b) {
			return -1
		}
		if b.Less(a) {
			return 1
		}
		return 0
	})
	n.tids = slices.Compact(n.tids)
	return nil
}

func (n *tidScan) fetch() (types.Row, error) {
	if r := n.s.substitute(n.rtIndex); r != nil {
		return n.fetchSubstitute(r)
	}
	if !n.ready {
		if err := n.begin(); err != nil {
			return nil, err
		}
	}
	for n.pos < len(n.tids) {
		tid := n.tids[n.pos]
		n.pos++
		if !tid.IsValid() || tid.Block >= n.table.Heap.NumBlocks() {
			continue
		}
		found, err := n.table.Heap.FetchVersion(n.s.Backend.Heap, tid, n.s.run.Snapshot, &n.slot)
		if err != nil {
			return nil, err
		}
		if found {
			return n.row()
		}
	}
	return nil, nil
}

// fetchSubstitute gives the row of a recheck if its place is among those asked for. WHERE CURRENT OF means the newest version wherever it is.
func (n *tidScan) fetchSubstitute(r *epqRow) (types.Row, error) {
	if !n.ready {
		if err := n.begin(); err != nil {
			return nil, err
		}
	}
	if !n.exprs[0].latest && !slices.Contains(n.tids, r.slot.TID) {
		return nil, nil
	}
	return n.epqScan(r)
}

func (n *tidScan) release() { n.slot.Materialize() }

func (n *tidScan) Rescan() error {
	n.ready = false
	return nil
}

func (n *tidScan) Close() {
	n.ready = false
	n.slot.Clear()
}
