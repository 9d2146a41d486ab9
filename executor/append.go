package executor

import (
	"container/heap"

	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	register(newAppend)
	register(newMergeAppend)
}

// appendNode reads its children one after the other.
type appendNode struct {
	appended
	cur int
}

// appended are the children of an Append or MergeAppend, of which pruning may leave some out of a scan.
type appended struct {
	children []Node
	prune    *pruner
	live     []bool // to be read; nil = all
	began    bool
	stale    []bool // to be rescanned before it is read
}

func (s *State) newAppended(children []plan.Node, info *plan.PruneInfo) (a appended, err error) {
	if a.children, err = s.buildAll(children); err != nil || info == nil {
		return a, err
	}
	a.stale = make([]bool, len(children))
	a.prune, err = newPruner(s, info)
	return a, err
}

// begin chooses the children of this scan.
func (a *appended) begin() (err error) {
	a.began = true
	if a.prune != nil {
		a.live, err = a.prune.live(len(a.children), false)
	}
	return err
}

// next gives a child's next row.
func (a *appended) next(i int) (types.Row, error) {
	if a.stale != nil && a.stale[i] {
		a.stale[i] = false
		if err := a.children[i].Rescan(); err != nil {
			return nil, err
		}
	}
	return a.children[i].Next()
}

func (a *appended) skips(i int) bool { return a.live != nil && !a.live[i] }

func (a *appended) rescan() error {
	a.began = false
	if a.stale != nil { // those that pruning leaves out need none
		for i := range a.stale {
			a.stale[i] = true
		}
		return nil
	}
	for _, c := range a.children {
		if err := c.Rescan(); err != nil {
			return err
		}
	}
	return nil
}

func newAppend(s *State, p *plan.Append) (Node, error) {
	a, err := s.newAppended(p.Children, p.Prune)
	return &appendNode{appended: a}, err
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
	if !n.began {
		if err := n.begin(); err != nil {
			return nil, err
		}
	}
	for n.cur < len(n.children) {
		if n.skips(n.cur) {
			n.cur++
			continue
		}
		row, err := n.next(n.cur)
		if row != nil || err != nil {
			return row, err
		}
		n.cur++
	}
	return nil, nil
}

func (n *appendNode) Rescan() error {
	n.cur = 0
	return n.rescan()
}

func (n *appendNode) Close() {
	for _, c := range n.children {
		c.Close()
	}
}

// mergeAppend merges sorted children.
type mergeAppend struct {
	appended
	keys  []sortKey
	rows  []types.Row // current row of each child
	order []int       // heap of child numbers
	ready bool
}

func newMergeAppend(s *State, p *plan.MergeAppend) (Node, error) {
	n := &mergeAppend{}
	var err error
	if n.appended, err = s.newAppended(p.Children, p.Prune); err != nil {
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
	if err := n.begin(); err != nil {
		return err
	}
	for i := range n.children {
		if n.skips(i) {
			continue
		}
		row, err := n.next(i)
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
	row, err := n.next(i)
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
	return n.rescan()
}

func (n *mergeAppend) Close() {
	for _, c := range n.children {
		c.Close()
	}
}
