package explain

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
)

// expr prints an expression of the node in terms of the tables.
func (x *nodePrinter) expr(e query.Expr, prefix bool) (string, error) {
	return "", pgerr.NotSupported("EXPLAIN of an expression")
}

// resolve replaces references to inputs by what they refer to, and params by the expressions that set them.
func (x *nodePrinter) resolve(e query.Expr) query.Expr {
	return query.Mutate(e, func(y query.Expr) (query.Expr, bool) {
		switch y := y.(type) {
		case *query.Var:
			if r := x.resolveVar(y); r != nil {
				return r, true
			}
			return y, true
		case *query.Param:
			if y.Kind == query.ParamExec {
				if r := x.resolveParam(y); r != nil {
					return r, true
				}
			}
		case *query.SubPlan: // printed by its name: its parts are not
			return y, true
		}
		return nil, false
	})
}

func (x *nodePrinter) resolveVar(v *query.Var) query.Expr {
	var in plan.Node
	switch v.VarNo {
	case query.OuterVar:
		in = outerOf(x.n)
	case query.InnerVar:
		if m, ok := x.n.(*plan.ModifyTable); ok {
			return m.ExclTargets[v.AttNo-1].Expr
		}
		in = x.n.Base().Right
	case query.IndexVar:
		return x.indexColumn(v)
	default:
		return nil
	}
	if in == nil {
		return nil
	}
	below := &nodePrinter{printer: x.printer, n: in, above: append(x.above[:len(x.above):len(x.above)], x.n)}
	t := in.Base().Targets[v.AttNo-1].Expr
	return below.resolve(t)
}

// outerOf is the input that a node's outer references mean.
func outerOf(n plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.Append:
		return n.Children[0]
	case *plan.MergeAppend:
		return n.Children[0]
	}
	return n.Base().Left
}

func (x *nodePrinter) indexColumn(v *query.Var) query.Expr {
	if n, ok := x.n.(*plan.IndexOnlyScan); ok {
		return n.IndexTargets[v.AttNo-1].Expr
	}
	return nil
}

// resolveParam looks for the nested loop or sub-plan call above that sets the param.
func (x *nodePrinter) resolveParam(p *query.Param) query.Expr {
	child := x.n
	for i := len(x.above) - 1; i >= 0; i-- {
		a := x.above[i]
		up := &nodePrinter{printer: x.printer, n: a, above: x.above[:i]}
		if l, ok := a.(*plan.NestLoop); ok && l.Right == child {
			for _, np := range l.Params {
				if np.ID == p.ID {
					return up.resolve(np.Value)
				}
			}
		}
		if r := up.subPlanArg(p.ID); r != nil {
			return r
		}
		child = a
	}
	return nil
}

// subPlanArg finds the argument with which one of the node's sub-plans sets a param.
func (x *nodePrinter) subPlanArg(id int) (r query.Expr) {
	plan.EachExpr(x.n, func(e query.Expr) {
		query.Walk(e, func(y query.Expr) bool {
			s, ok := y.(*query.SubPlan)
			if !ok {
				return r == nil
			}
			for i, p := range s.ParParam {
				if p == id {
					r = x.resolve(s.Args[i])
				}
			}
			return false
		})
	})
	return r
}
