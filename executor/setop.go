package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

func init() { register(newSetOp) }

// setOp computes INTERSECT and EXCEPT: its input has a flag column that tells which side a row is from. It counts runs of equal rows; the
// input of a hashed one is not sorted, so it sorts it itself, which spills where a hash table would have to fit in memory.
type setOp struct {
	s     *State
	ctx   *expr.Context
	child Node
	plan  *plan.SetOp
	same  *rowEquality
	cols  int

	keys   []sortKey
	sorted *sorter // hashed mode sorts its input here, which bounds memory and needs no hash table

	first  types.Row
	ahead  types.Row
	output types.Row
	repeat int64
	ready  bool
	end    bool
}

func newSetOp(s *State, p *plan.SetOp) (Node, error) {
	n := &setOp{s: s, ctx: s.context(), plan: p, cols: len(p.Left.Base().Targets)}
	var err error
	if n.child, err = s.build(p.Left); err != nil {
		return nil, err
	}
	n.same, err = newRowEquality(s, p.Keys, p.Left.Base().Targets)
	return n, err
}

func (n *setOp) Next() (types.Row, error) {
	if !n.ready {
		n.ready = true
		if n.plan.Hashed {
			if err := n.collect(); err != nil {
				return nil, err
			}
		}
	}
	for n.repeat == 0 {
		more, err := n.nextGroup()
		if err != nil || !more {
			return nil, err
		}
	}
	n.repeat--
	return n.output, nil
}

// input gives the next row, of the child or of the hashed mode's sort.
func (n *setOp) input() (types.Row, error) {
	if n.sorted != nil {
		return n.sorted.get()
	}
	return n.child.Next()
}

// collect brings equal rows together.
func (n *setOp) collect() error {
	if n.keys == nil {
		for _, k := range n.plan.Keys {
			typ := n.plan.Left.Base().Targets[k.Col-1].Expr.Type()
			cmp, err := types.CompareFor(n.s.Backend.Env, typ, k.Collation)
			if err != nil {
				return err
			}
			n.keys = append(n.keys, sortKey{col: k.Col - 1, cmp: cmp})
		}
	}
	n.sorted = newSorter(n.keys, n.cols, n.s.Backend.WorkMem(), n.s.Backend.Temp, n.s.poll)
	for {
		row, err := n.child.Next()
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
		if err := n.sorted.add(row); err != nil {
			return err
		}
	}
	return n.sorted.sort()
}

// nextGroup counts the next run of equal rows on both sides and sets how often it is given.
func (n *setOp) nextGroup() (bool, error) {
	if n.end {
		return false, nil
	}
	row := n.ahead
	if row == nil {
		var err error
		if row, err = n.input(); err != nil {
			return false, err
		}
		if row == nil {
			n.end = true
			return false, nil
		}
	}
	n.first = copyRow(n.first, row)
	n.ahead = nil
	var counts [2]int64
	counts[n.side(n.first)]++
	for {
		row, err := n.input()
		if err != nil {
			return false, err
		}
		if row == nil {
			n.end = true
			break
		}
		same, err := n.same.equal(n.ctx, n.first, row)
		if err != nil {
			return false, err
		}
		if !same {
			n.ahead = copyRow(nil, row)
			break
		}
		counts[n.side(row)]++
	}
	n.repeat = setOpCount(n.plan.Cmd, counts[0], counts[1])
	n.output = n.first[:len(n.plan.Targets)]
	return true, nil
}

// side is 0 for a row of the left input.
func (n *setOp) side(row types.Row) int {
	if int(row[n.plan.FlagCol-1].Int4()) == 0 {
		return 0
	}
	return 1
}

// setOpCount says how often a row that is l times on the left and r times on the right appears.
func setOpCount(cmd plan.SetOpCmd, l, r int64) int64 {
	switch cmd {
	case plan.SetOpIntersect:
		if l > 0 && r > 0 {
			return 1
		}
	case plan.SetOpIntersectAll:
		return min(l, r)
	case plan.SetOpExcept:
		if l > 0 && r == 0 {
			return 1
		}
	case plan.SetOpExceptAll:
		return max(l-r, 0)
	}
	return 0
}

func (n *setOp) Rescan() error {
	n.reset()
	return rescan(n.child)
}

func (n *setOp) reset() {
	if n.sorted != nil {
		n.sorted.close()
		n.sorted = nil
	}
	n.ready, n.end, n.ahead, n.repeat = false, false, nil, 0
}

func (n *setOp) Close() {
	n.reset()
	closeNode(n.child)
}
