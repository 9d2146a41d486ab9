package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	register(newCTEScan)
	register(newWorkTableScan)
	register(newRecursiveUnion)
}

// cteStore is the output of a CTE's subplan, computed as far as its readers need it.
type cteStore struct {
	s      *State
	child  Node
	params plan.ParamSet
	rows   *Tuplestore
	end    bool
	gen    uint64
	epoch  int // grows when the rows are dropped, so that readers start again
}

// cteStoreOf gives the store of a CTE, made when its first scan is built.
func (s *State) cteStoreOf(planID int) (*cteStore, error) {
	if c := s.ctes[planID]; c != nil {
		return c, nil
	}
	p := s.Plan.Subplans[planID-1]
	c := &cteStore{s: s, params: p.Base().AllParam}
	s.ctes[planID] = c
	var err error
	c.child, err = s.build(p)
	if err == nil {
		c.rows = NewTuplestore(len(p.Base().Targets), s.Backend.WorkMem(), s.Backend.Temp)
		c.gen = s.paramGen(c.params)
	}
	return c, err
}

// refresh drops rows that were computed with other parameters.
func (c *cteStore) refresh() error {
	if g := c.s.paramGen(c.params); g != c.gen {
		c.gen, c.end = g, false
		c.epoch++
		c.rows.Clear()
		return c.child.Rescan()
	}
	return nil
}

// finish runs the subplan to its end.
func (c *cteStore) finish() error {
	if err := c.refresh(); err != nil {
		return err
	}
	for !c.end {
		if err := c.pull(); err != nil {
			return err
		}
	}
	return nil
}

func (c *cteStore) pull() error {
	row, err := c.child.Next()
	if err != nil {
		return err
	}
	if row == nil {
		c.end = true
		return nil
	}
	return c.rows.Add(row)
}

type cteScan struct {
	scanCore
	s      *State
	store  *cteStore
	reader *Reader
	epoch  int
}

func newCTEScan(s *State, p *plan.CTEScan) (Node, error) {
	n := &cteScan{s: s}
	var err error
	if n.store, err = s.cteStoreOf(p.PlanID); err != nil {
		return nil, err
	}
	n.scanCore, err = newScanCore(s, &p.Plan, len(s.Plan.Subplans[p.PlanID-1].Base().Targets))
	n.copied = p.RTIndex
	return n, err
}

func (n *cteScan) Next() (types.Row, error) { return n.scanLoop(n.s, n.next) }

func (n *cteScan) next() (types.Row, error) {
	if n.reader == nil || n.epoch != n.store.epoch {
		if err := n.store.refresh(); err != nil {
			return nil, err
		}
		n.reader, n.epoch = n.store.rows.NewReader(), n.store.epoch
	}
	for n.reader.Pos() >= n.store.rows.Len() {
		if n.store.end {
			return nil, nil
		}
		if err := n.store.pull(); err != nil {
			return nil, err
		}
	}
	return n.reader.Next()
}

func (n *cteScan) Rescan() error {
	n.reader = nil
	return nil
}

func (n *cteScan) Close() {
	n.reader = nil
	n.store.close()
}

// close drops the rows: the next execution computes them again.
func (c *cteStore) close() {
	if c.rows != nil {
		c.rows.Clear()
		c.end = false
		c.gen = ^uint64(0)
	}
	c.child.Close()
}

// workTable is what a RecursiveUnion's recursive part reads: the rows that the last round added.
type workTable struct {
	rows  *Tuplestore
	round int
}

// recursiveUnion runs its left input once, then its right input until a round adds nothing. Without ALL a row is given only once.
type recursiveUnion struct {
	s            *State
	ctx          *expr.Context
	first, again Node
	param        int
	cols         int
	work         *workTable
	next         *Tuplestore // rows of this round
	seen         *hashTable  // nil for UNION ALL
	keys         *rowHash
	same         *rowEquality
	row          types.Row
	buf          []byte
	recursing    bool
	done         bool
}

func newRecursiveUnion(s *State, p *plan.RecursiveUnion) (Node, error) {
	n := &recursiveUnion{s: s, ctx: s.context(), param: p.WorkTableParam, cols: len(p.Targets)}
	n.work = &workTable{rows: n.newRows()}
	s.workTables[p.WorkTableParam] = n.work
	var err error
	if n.first, err = s.build(p.Left); err != nil {
		return nil, err
	}
	if n.again, err = s.build(p.Right); err != nil {
		return nil, err
	}
	n.row = make(types.Row, n.cols)
	if len(p.Distinct) == 0 {
		return n, nil
	}
	n.seen = &hashTable{}
	if n.keys, err = newRowHash(s, p.Distinct, p.Left.Base().Targets); err != nil {
		return nil, err
	}
	n.same, err = newRowEquality(s, p.Distinct, p.Left.Base().Targets)
	return n, err
}

func (n *recursiveUnion) newRows() *Tuplestore {
	return NewTuplestore(n.cols, n.s.Backend.WorkMem(), n.s.Backend.Temp)
}

func (n *recursiveUnion) Next() (types.Row, error) {
	for !n.done {
		if n.next == nil {
			n.next = n.newRows()
		}
		source := n.first
		if n.recursing {
			source = n.again
		}
		row, err := source.Next()
		if err != nil {
			return nil, err
		}
		if row == nil {
			if err := n.endRound(); err != nil {
				return nil, err
			}
			continue
		}
		fresh, err := n.isNew(row)
		if err != nil {
			return nil, err
		}
		if !fresh {
			continue
		}
		return row, n.next.Add(row)
	}
	return nil, nil
}

// endRound makes this round's rows the work table of the next one.
func (n *recursiveUnion) endRound() error {
	if n.next.Len() == 0 {
		n.done = true
		return nil
	}
	if err := n.s.poll(); err != nil {
		return err
	}
	n.work.rows.Close()
	n.work.rows, n.next = n.next, n.newRows()
	n.work.round++
	n.s.setParam(n.param, types.Null) // tells the nodes below that the work table changed
	n.recursing = true
	return n.again.Rescan()
}

func (n *recursiveUnion) isNew(row types.Row) (bool, error) {
	if n.seen == nil {
		return true, nil
	}
	h := n.keys.hash(row)
	for i := n.seen.first(h); i >= 0; i = n.seen.next(i) {
		if n.seen.entries[i].hash != h {
			continue
		}
		if err := n.seen.decode(i, n.row); err != nil {
			return false, err
		}
		same, err := n.same.equal(n.ctx, n.row, row)
		if err != nil || same {
			return false, err
		}
	}
	n.buf = appendRow(n.buf[:0], row)
	n.seen.insert(h, n.buf)
	return true, nil
}

func (n *recursiveUnion) Rescan() error {
	n.reset()
	n.s.setParam(n.param, types.Null)
	return n.first.Rescan()
}

func (n *recursiveUnion) reset() {
	if n.next != nil {
		n.next.Close()
		n.next = nil
	}
	n.work.rows.Clear()
	n.work.round++
	if n.seen != nil {
		n.seen.clear()
	}
	n.recursing, n.done = false, false
}

func (n *recursiveUnion) Close() {
	n.reset()
	n.first.Close()
	n.again.Close()
}

type workTableScan struct {
	scanCore
	s      *State
	work   *workTable
	reader *Reader
	round  int
}

func newWorkTableScan(s *State, p *plan.WorkTableScan) (Node, error) {
	n := &workTableScan{s: s, work: s.workTables[p.Param]}
	var err error
	n.scanCore, err = newScanCore(s, &p.Plan, n.work.rows.cols)
	n.copied = p.RTIndex
	return n, err
}

func (n *workTableScan) Next() (types.Row, error) {
	if n.reader == nil || n.round != n.work.round {
		n.reader, n.round = n.work.rows.NewReader(), n.work.round
	}
	return n.scanLoop(n.s, n.reader.Next)
}

func (n *workTableScan) Rescan() error {
	n.reader = nil
	return nil
}

func (n *workTableScan) Close() { n.reader = nil }
