package plan

import "github.com/calfdb/calf/sql/query"

// Walk calls fn for each node of a plan tree, parents first. Subplans of expressions are not followed.
func Walk(n Node, fn func(Node)) {
	if n == nil {
		return
	}
	fn(n)
	for _, c := range Inputs(n) {
		Walk(c, fn)
	}
}

// Inputs lists the input nodes of n, in EXPLAIN's order.
func Inputs(n Node) []Node {
	b := n.Base()
	var list []Node
	if b.Left != nil {
		list = append(list, b.Left)
	}
	if b.Right != nil {
		list = append(list, b.Right)
	}
	switch n := n.(type) {
	case *Append:
		list = append(list, n.Children...)
	case *MergeAppend:
		list = append(list, n.Children...)
	case *BitmapAnd:
		list = append(list, n.Children...)
	case *BitmapOr:
		list = append(list, n.Children...)
	case *SubqueryScan:
		list = append(list, n.Subplan)
	}
	return list
}

// EachParam calls f with the number of each executor parameter that an expression reads.
func EachParam(e query.Expr, f func(id int)) {
	query.Walk(e, func(e query.Expr) bool {
		if p, ok := e.(*query.Param); ok && p.Kind == query.ParamExec {
			f(p.ID)
		}
		return true
	})
}
