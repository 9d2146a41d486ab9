package explain

import (
	"slices"

	"github.com/calfdb/calf/sql/deparse"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
)

// expr prints an expression of the node in terms of the tables.
func (x *nodePrinter) expr(e query.Expr, prefix bool) (string, error) {
	return deparse.Expr(x.context(prefix), e, false)
}

// context is what names mean at the node: references to inputs stand for the inputs' columns, params for the expressions that set them.
func (x *nodePrinter) context(prefix bool) *deparse.Context {
	return &deparse.Context{Catalog: x.env.Catalog, Types: x.env.Types, Namespaces: []*deparse.Namespace{x.names}, VarPrefix: prefix,
		ResolveVar: func(v *query.Var) (query.Expr, *deparse.Context, bool) {
			if up := x.parentVar(v); up != nil {
				return up, x.context(prefix), true
			}
			e, at := x.resolveVar(v)
			if e == nil {
				return nil, nil, false
			}
			return e, at.context(prefix), true
		},
		ResolveParam: func(p *query.Param) (query.Expr, *deparse.Context, bool) {
			if p.Kind != query.ParamExec {
				return nil, nil, false
			}
			e, at := x.resolveParam(p)
			if e == nil {
				return nil, nil, false
			}
			return e, at.context(true), true
		}}
}

// resolveVar finds the expression that a special Var stands for, and the node where that is at home.
func (x *nodePrinter) resolveVar(v *query.Var) (query.Expr, *nodePrinter) {
	var in plan.Node
	switch v.VarNo {
	case query.OuterVar:
		in = x.outerOf(x.n)
	case query.InnerVar:
		if m, ok := x.n.(*plan.ModifyTable); ok {
			return m.ExclTargets[v.AttNo-1].Expr, x
		}
		in = x.n.Base().Right
	case query.IndexVar:
		if n, ok := x.n.(*plan.IndexOnlyScan); ok {
			return n.IndexTargets[v.AttNo-1].Expr, x
		}
		return nil, nil
	default:
		return nil, nil
	}
	if in == nil {
		return nil, nil
	}
	below := &nodePrinter{printer: x.printer, n: in, above: append(x.above[:len(x.above):len(x.above)], x.n), parents: x.parents}
	below.parents = append(below.parents[:len(below.parents):len(below.parents)], appended(x.n)...)
	return in.Base().Targets[v.AttNo-1].Expr, below
}

// appended gives the inherited or partitioned tables that a node puts together.
func appended(n plan.Node) []int {
	switch n := n.(type) {
	case *plan.Append:
		return n.RelIDs
	case *plan.MergeAppend:
		return n.RelIDs
	}
	return nil
}

// parentVar gives the column of the table that a child's column stands for, when the expression was found below an Append of that table; nil
// otherwise.
func (x *nodePrinter) parentVar(v *query.Var) query.Expr {
	rels := x.p.AppendRels
	if len(x.parents) == 0 || v.VarNo < 1 || v.VarNo > len(rels) {
		return nil
	}
	no, att, found := v.VarNo, v.AttNo, false
	for no <= len(rels) && rels[no-1] != nil {
		found = false
		if att > 0 {
			if int(att) > len(rels[no-1].ParentCols) || rels[no-1].ParentCols[att-1] == 0 {
				break
			}
			att = rels[no-1].ParentCols[att-1]
		}
		no, found = rels[no-1].Parent, true
	}
	if !found || !slices.Contains(x.parents, no) {
		return nil
	}
	c := *v
	c.VarNo, c.AttNo, c.SynNo, c.SynAttNo = no, att, no, att
	return &c
}

// resolveParam looks for the nested loop or sub-plan call above that sets the param.
func (x *nodePrinter) resolveParam(p *query.Param) (query.Expr, *nodePrinter) {
	child := x.n
	for i := len(x.above) - 1; i >= 0; i-- {
		a := x.above[i]
		up := &nodePrinter{printer: x.printer, n: a, above: x.above[:i]}
		if l, ok := a.(*plan.NestLoop); ok && l.Right == child {
			for _, np := range l.Params {
				if np.ID == p.ID {
					return np.Value, up
				}
			}
		}
		if e := subPlanArg(a, p.ID); e != nil {
			return e, up
		}
		child = a
	}
	return nil, nil
}

// subPlanArg finds the argument with which one of a node's sub-plans sets a param.
func subPlanArg(n plan.Node, id int) (arg query.Expr) {
	plan.EachExpr(n, func(e query.Expr) {
		query.Walk(e, func(y query.Expr) bool {
			s, ok := y.(*query.SubPlan)
			if !ok {
				return arg == nil
			}
			for i, p := range s.ParParam {
				if p == id {
					arg = s.Args[i]
				}
			}
			return false
		})
	})
	return arg
}
