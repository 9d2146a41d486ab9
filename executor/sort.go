package executor

import (
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	register(newSort)
	register(newIncrementalSort)
}

// sortNode sorts its whole input before it gives the first row.
type sortNode struct {
	s      *State
	child  Node
	params plan.ParamSet
	sorter *sorter
	keys   []sortKey
	cols   int
	limit  int64 // bound told by a Limit above, 0 = none

	ready bool
	again bool // the input was read to its end
	gen   uint64
}

func newSort(s *State, p *plan.Sort) (Node, error) {
	n := &sortNode{s: s, params: p.AllParam, cols: len(p.Left.Base().Targets)}
	var err error
	if n.child, err = s.build(p.Left); err != nil {
		return nil, err
	}
	n.keys, err = s.newSortKeys(p.Keys, p.Left.Base().Targets)
	return n, err
}

// bound: the node above reads only the first n rows, 0 = all. A bound that grows makes a result that is there unusable: the input is read again.
func (n *sortNode) bound(rows int64) {
	if n.ready && n.limit != 0 && (rows > n.limit || rows == 0) {
		n.ready, n.again = false, true
	}
	n.limit = rows
}

// boundMax: beyond this a bounded sort saves nothing.
const boundMax = 1 << 20

func (n *sortNode) fill() error {
	if n.sorter != nil {
		n.sorter.close()
	}
	n.sorter = newSorter(n.keys, n.cols, n.s.Backend.WorkMem(), n.s.Backend.Temp, n.s.poll)
	if n.limit > 0 && n.limit < boundMax {
		n.sorter.bound = n.limit
	}
	n.gen = n.s.gen(n.params)
	if n.again {
		n.again = false
		if err := rescan(n.child); err != nil {
			return err
		}
	}
	for {
		row, err := n.child.Next()
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
		if err := n.sorter.add(row); err != nil {
			return err
		}
	}
	n.ready = true
	return n.sorter.sort()
}

func (n *sortNode) Next() (types.Row, error) {
	if !n.ready {
		if err := n.fill(); err != nil {
			return nil, err
		}
	}
	return n.sorter.get()
}

func (n *sortNode) Rescan() error {
	if n.ready && n.gen == n.s.gen(n.params) {
		return n.sorter.rewind()
	}
	n.ready, n.again = false, false
	return rescan(n.child)
}

func (n *sortNode) Close() {
	if n.sorter != nil {
		n.sorter.close()
		n.sorter = nil
	}
	n.ready = false
	closeNode(n.child)
}

// incrementalSort sorts one group of rows at a time, a group being those that are equal in the presorted keys.
type incrementalSort struct {
	s      *State
	child  Node
	keys   []sortKey
	prefix int
	cols   int

	sorter *sorter
	group  types.Row // a row of the group being sorted
	ahead  types.Row // first row of the next group, already read
	some   bool      // the sorter holds a sorted group
	end    bool
}

func newIncrementalSort(s *State, p *plan.IncrementalSort) (Node, error) {
	n := &incrementalSort{s: s, prefix: p.Presorted, cols: len(p.Left.Base().Targets)}
	var err error
	if n.child, err = s.build(p.Left); err != nil {
		return nil, err
	}
	n.keys, err = s.newSortKeys(p.Keys, p.Left.Base().Targets)
	return n, err
}

func (n *incrementalSort) Next() (types.Row, error) {
	for {
		if n.some {
			row, err := n.sorter.get()
			if row != nil || err != nil {
				return row, err
			}
			n.some = false
		}
		if n.end && n.ahead == nil {
			return nil, nil
		}
		if err := n.fillGroup(); err != nil {
			return nil, err
		}
	}
}

// fillGroup reads and sorts the next group.
func (n *incrementalSort) fillGroup() error {
	if n.sorter != nil {
		n.sorter.close()
	}
	n.sorter = newSorter(n.keys[n.prefix:], n.cols, n.s.Backend.WorkMem(), n.s.Backend.Temp, n.s.poll)
	n.group = nil
	if n.ahead != nil {
		n.group = n.ahead
		n.ahead = nil
		if err := n.sorter.add(n.group); err != nil {
			return err
		}
	}
	for {
		row, err := n.child.Next()
		if err != nil {
			return err
		}
		if row == nil {
			n.end = true
			break
		}
		if n.group == nil {
			n.group = copyRow(nil, row)
		} else if !n.sameGroup(row) {
			n.ahead = copyRow(nil, row)
			break
		}
		if err := n.sorter.add(row); err != nil {
			return err
		}
	}
	n.some = true
	return n.sorter.sort()
}

func (n *incrementalSort) sameGroup(row types.Row) bool {
	for i := range n.keys[:n.prefix] {
		k := &n.keys[i]
		if k.compare(n.group[k.col], row[k.col]) != 0 {
			return false
		}
	}
	return true
}

func (n *incrementalSort) Rescan() error {
	n.some, n.end, n.ahead, n.group = false, false, nil, nil
	return rescan(n.child)
}

func (n *incrementalSort) Close() {
	if n.sorter != nil {
		n.sorter.close()
		n.sorter = nil
	}
	closeNode(n.child)
}
