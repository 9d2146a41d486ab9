package executor

import (
	"container/heap"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	register(newAppend)
	register(newMergeAppend)
}

// appendNode reads its children one after the other.
type appendNode struct {
	children []Node
	cur      int
}

func newAppend(s *State, p *plan.Append) (Node, error) {
	if p.Prune != nil {
		return nil, pgerr.NotSupported("run-time partition pruning")
	}
	children, err := s.buildAll(p.Children)
	return &appendNode{children: children}, err
}

func (s *State) buildAll(plans []plan.Node) ([]Node, error) {
	nodes := make([]Node, len(plans))
	for i, p := range plans {
		var err error
		if nodes[i], err = s.build(p); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

func (n *appendNode) Next() (types.Row, error) {
	for n.cur < len(n.children) {
		row, err := n.children[n.cur].Next()
		if row != nil || err != nil {
			return row, err
		}
		n.cur++
	}
	return nil, nil
}

func (n *appendNode) Rescan() error {
	n.cur = 0
	for _, c := range n.children {
		if err := c.Rescan(); err != nil {
			return err
		}
	}
	return nil
}

func (n *appendNode) Close() {
	for _, c := range n.children {
		c.Close()
	}
}

// mergeAppend merges sorted children.
type mergeAppend struct {
	children []Node
	keys     []sortKey
	rows     []types.Row // current row of each child
	order    []int       // heap of child numbers
	ready    bool
}

func newMergeAppend(s *State, p *plan.MergeAppend) (Node, error) {
	n := &mergeAppend{}
	var err error
	if n.children, err = s.buildAll(p.Children); err != nil {
		return nil, err
	}
	n.rows = make([]types.Row, len(n.children))
	n.keys, err = s.newSortKeys(p.Keys, p.Targets)
	return n, err
}

func (n *mergeAppend) Next() (types.Row, error) {
	if !n.ready {
		if err := n.start(); err != nil {
			return nil, err
		}
	} else if len(n.order) > 0 {
		if err := n.advance(); err != nil {
			return nil, err
		}
	}
	if len(n.order) == 0 {
		return nil, nil
	}
	return n.rows[n.order[0]], nil
}

func (n *mergeAppend) start() error {
	n.ready, n.order = true, n.order[:0]
	for i, c := range n.children {
		row, err := c.Next()
		if err != nil {
			return err
		}
		if n.rows[i] = row; row != nil {
			n.order = append(n.order, i)
		}
	}
	heap.Init(n)
	return nil
}

// advance moves on the child whose row was given last.
func (n *mergeAppend) advance() error {
	i := n.order[0]
	row, err := n.children[i].Next()
	if err != nil {
		return err
	}
	if n.rows[i] = row; row == nil {
		heap.Pop(n)
	} else {
		heap.Fix(n, 0)
	}
	return nil
}

func (n *mergeAppend) Len() int { return len(n.order) }

// Less: equal rows come in the order of the children.
func (n *mergeAppend) Less(i, j int) bool {
	a, b := n.order[i], n.order[j]
	for k := range n.keys {
		key := &n.keys[k]
		if c := key.compare(n.rows[a][key.col], n.rows[b][key.col]); c != 0 {
			return c < 0
		}
	}
	return a < b
}
func (n *mergeAppend) Swap(i, j int) { n.order[i], n.order[j] = n.order[j], n.order[i] }
func (n *mergeAppend) Push(x any)    { n.order = append(n.order, x.(int)) }
func (n *mergeAppend) Pop() any {
	x := n.order[len(n.order)-1]
	n.order = n.order[:len(n.order)-1]
	return x
}

func (n *mergeAppend) Rescan() error {
	n.ready = false
	for _, c := range n.children {
		if err := c.Rescan(); err != nil {
			return err
		}
	}
	return nil
}

func (n *mergeAppend) Close() {
	for _, c := range n.children {
		c.Close()
	}
}
