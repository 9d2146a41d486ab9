package explain

import (
	"strconv"

	"github.com/calfdb/calf/sql/plan"
)

// liveChildren says which children of an Append are left when an execution starts; nil = all.
func (pr *printer) liveChildren(n plan.Node) ([]bool, error) {
	var info *plan.PruneInfo
	count := 0
	switch n := n.(type) {
	case *plan.Append:
		info, count = n.Prune, len(n.Children)
	case *plan.MergeAppend:
		info, count = n.Prune, len(n.Children)
	}
	if info == nil || pr.env.Live == nil {
		return nil, nil
	}
	if l, ok := pr.lives[info]; ok {
		return l, nil
	}
	l, err := pr.env.Live(info, count)
	if err == nil {
		if pr.lives == nil {
			pr.lives = map[*plan.PruneInfo][]bool{}
		}
		pr.lives[info] = l
	}
	return l, err
}

// subplansRemoved writes how many children pruning has left out.
func (x *nodePrinter) subplansRemoved() error {
	var err error
	if x.live, err = x.liveChildren(x.n); err != nil || x.live == nil {
		return err
	}
	n := 0
	for _, ok := range x.live {
		if !ok {
			n++
		}
	}
	if n > 0 || !x.out.isText() {
		x.out.number("Subplans Removed", strconv.Itoa(n))
	}
	return nil
}

// outerOf is the input that a node's outer references mean: of an Append, the first child that is left.
func (pr *printer) outerOf(n plan.Node) plan.Node {
	var children []plan.Node
	switch n := n.(type) {
	case *plan.Append:
		children = n.Children
	case *plan.MergeAppend:
		children = n.Children
	default:
		return n.Base().Left
	}
	live, err := pr.liveChildren(n)
	for i, c := range children {
		if err != nil || live == nil || live[i] {
			return c
		}
	}
	return children[0]
}
