package explain

import (
	"fmt"
	"strconv"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
)

// details writes the lines below a node's head.
func (x *nodePrinter) details() error {
	if x.o.Verbose {
		if err := x.outputLine(); err != nil {
			return err
		}
	}
	many := len(x.p.RangeTable) > 1 || x.o.Verbose
	scan := x.o.Verbose
	b := x.n.Base()
	switch n := x.n.(type) {
	case *plan.IndexScan:
		return x.quals(scan, qual{"Index Cond", n.OrigQuals}, qual{"Order By", n.OrigOrderBy}, qual{"Filter", b.Quals})
	case *plan.IndexOnlyScan:
		if err := x.quals(scan, qual{"Index Cond", n.IndexQuals}, qual{"Order By", n.OrderBy}, qual{"Filter", b.Quals}); err != nil {
			return err
		}
		x.heapFetches()
		return nil
	case *plan.BitmapIndexScan:
		return x.quals(scan, qual{"Index Cond", n.OrigQuals})
	case *plan.BitmapHeapScan:
		return x.quals(scan, qual{"Recheck Cond", n.OrigQuals}, qual{"Filter", b.Quals})
	case *plan.SubqueryScan:
		return x.quals(true, qual{"Filter", b.Quals})
	case *plan.FunctionScan:
		return x.functionScan(n)
	case *plan.TIDScan:
		return x.quals(scan, qual{"TID Cond", orList(n.TIDQuals)}, qual{"Filter", b.Quals})
	case *plan.TIDRangeScan:
		return x.quals(scan, qual{"TID Cond", n.RangeQuals}, qual{"Filter", b.Quals})
	case *plan.NestLoop:
		x.innerUnique(n.InnerUnique)
		return x.quals(many, qual{"Join Filter", n.JoinQuals}, qual{"Filter", b.Quals})
	case *plan.MergeJoin:
		x.innerUnique(n.InnerUnique)
		return x.quals(many, qual{"Merge Cond", n.MergeClauses}, qual{"Join Filter", n.JoinQuals}, qual{"Filter", b.Quals})
	case *plan.HashJoin:
		x.innerUnique(n.InnerUnique)
		return x.quals(many, qual{"Hash Cond", n.HashClauses}, qual{"Join Filter", n.JoinQuals}, qual{"Filter", b.Quals})
	case *plan.Agg:
		if len(n.GroupingSets) > 0 {
			if err := x.groupingSets(n, many); err != nil {
				return err
			}
		} else if err := x.groupKeys(n.Keys, many); err != nil {
			return err
		}
		return x.quals(many, qual{"Filter", b.Quals})
	case *plan.Group:
		if err := x.groupKeys(n.Keys, many); err != nil {
			return err
		}
		return x.quals(many, qual{"Filter", b.Quals})
	case *plan.WindowAgg:
		return x.quals(many, qual{"Filter", b.Quals}, qual{"Run Condition", n.RunCondition})
	case *plan.Sort:
		return x.sortKeys("Sort Key", n.Keys, many)
	case *plan.IncrementalSort:
		if err := x.sortKeys("Sort Key", n.Keys, many); err != nil {
			return err
		}
		return x.sortKeys("Presorted Key", n.Keys[:n.Presorted], many)
	case *plan.MergeAppend:
		return x.sortKeys("Sort Key", n.Keys, many)
	case *plan.Result:
		return x.quals(many, qual{"One-Time Filter", n.ConstQuals}, qual{"Filter", b.Quals})
	case *plan.ModifyTable:
		return x.modify(n, many)
	case *plan.Memoize:
		return x.memoize(n, many)
	case *plan.SeqScan, *plan.SampleScan, *plan.ValuesScan, *plan.CTEScan, *plan.WorkTableScan, *plan.NamedTuplestoreScan, *plan.TableFuncScan:
		return x.quals(scan, qual{"Filter", b.Quals})
	}
	return nil
}

type qual struct {
	label string
	list  []query.Expr
}

// quals writes conditions, those of a list ANDed.
func (x *nodePrinter) quals(prefix bool, list ...qual) error {
	for _, q := range list {
		if len(q.list) == 0 {
			continue
		}
		var e query.Expr = &query.BoolExpr{Op: query.And, Args: q.list, Loc: -1}
		if len(q.list) == 1 {
			e = q.list[0]
		}
		s, err := x.expr(e, prefix)
		if err != nil {
			return err
		}
		x.out.text(q.label, s)
		x.removed(q.label)
	}
	return nil
}

// removed tells, after a condition, how many rows it dropped.
func (x *nodePrinter) removed(label string) {
	if !x.measured() {
		return
	}
	m := x.run.Meter.of(x.n)
	if m.node == nil {
		return
	}
	i := executor.Instrument(m.node)
	count := i.Filter
	what := "Rows Removed by Filter"
	switch label {
	case "Filter":
	case "Join Filter":
		what, count = "Rows Removed by Join Filter", i.JoinFilter
	case "Recheck Cond":
		what, count = "Rows Removed by Index Recheck", i.Recheck
	case "Index Cond":
		if _, bitmap := x.n.(*plan.BitmapIndexScan); bitmap {
			return
		}
		what, count = "Rows Removed by Index Recheck", i.Recheck
	default:
		return
	}
	if count == 0 && x.out.isText() {
		return
	}
	x.out.float(what, "", float64(count)/max(m.loops, 1), 0)
}

// measured says whether this is EXPLAIN ANALYZE.
func (x *nodePrinter) measured() bool { return x.o.Analyze && x.run != nil && x.run.Meter != nil }

// heapFetches tells how often an index-only scan had to look at the table.
func (x *nodePrinter) heapFetches() {
	if !x.measured() {
		return
	}
	if m := x.run.Meter.of(x.n); m.node != nil {
		x.out.number("Heap Fetches", strconv.FormatInt(executor.Instrument(m.node).HeapFetches, 10))
	}
}

func orList(es []query.Expr) []query.Expr {
	if len(es) < 2 {
		return es
	}
	return []query.Expr{&query.BoolExpr{Op: query.Or, Args: es, Loc: -1}}
}

// innerUnique: the text format mentions it only where there is something to say.
func (x *nodePrinter) innerUnique(v bool) {
	if !x.out.isText() || x.o.Verbose && v {
		x.out.boolean("Inner Unique", v)
	}
}

// outputLine lists a node's columns.
func (x *nodePrinter) outputLine() error {
	b := x.n.Base()
	switch x.n.(type) {
	case *plan.Append, *plan.MergeAppend, *plan.RecursiveUnion:
		return nil
	}
	if len(b.Targets) == 0 {
		return nil
	}
	var list []string
	for _, t := range b.Targets {
		s, err := x.expr(t.Expr, len(x.p.RangeTable) > 1)
		if err != nil {
			return err
		}
		list = append(list, s)
	}
	x.out.list("Output", list)
	return nil
}

func (x *nodePrinter) functionScan(n *plan.FunctionScan) error {
	if x.o.Verbose {
		var list []query.Expr
		for _, f := range n.Functions {
			list = append(list, f.Expr)
		}
		s, err := x.exprList(list, true)
		if err != nil {
			return err
		}
		x.out.text("Function Call", s)
	}
	return x.quals(x.o.Verbose, qual{"Filter", n.Quals})
}

func (x *nodePrinter) exprList(list []query.Expr, prefix bool) (string, error) {
	out := ""
	for i, e := range list {
		s, err := x.expr(e, prefix)
		if err != nil {
			return "", err
		}
		if i > 0 {
			out += ", "
		}
		out += s
	}
	return out, nil
}

func (x *nodePrinter) groupKeys(keys []plan.GroupKey, prefix bool) error {
	if len(keys) == 0 {
		return nil
	}
	var list []string
	for _, k := range keys {
		s, err := x.inputColumn(k.Col, prefix)
		if err != nil {
			return err
		}
		list = append(list, s)
	}
	x.out.list("Group Key", list)
	return nil
}

// inputColumn prints a column of the node's input.
func (x *nodePrinter) inputColumn(col int, prefix bool) (string, error) {
	in := x.n.Base().Left
	below := &nodePrinter{printer: x.printer, n: in, above: append(x.above[:len(x.above):len(x.above)], x.n)}
	return below.expr(in.Base().Targets[col-1].Expr, prefix)
}

// sortKeys prints sort columns with what is not the default of their order.
func (x *nodePrinter) sortKeys(label string, keys []plan.SortKey, prefix bool) error {
	var list []string
	for _, k := range keys {
		e := x.n.Base().Targets[k.Col-1].Expr
		s, err := x.expr(e, prefix)
		if err != nil {
			return err
		}
		d, err := x.sortOrder(k, e)
		if err != nil {
			return err
		}
		list = append(list, s+d)
	}
	x.out.list(label, list)
	return nil
}

// sortOrder gives COLLATE, DESC, USING and NULLS as far as they are not the defaults.
func (x *nodePrinter) sortOrder(k plan.SortKey, e query.Expr) (string, error) {
	s := ""
	if k.Collation != 0 {
		t, err := x.env.Catalog.Type(e.Type())
		if err != nil {
			return "", err
		}
		if t != nil && t.Collation != k.Collation && k.Collation != 100 {
			c, err := x.env.Catalog.Collation(k.Collation)
			if err != nil {
				return "", err
			}
			if c != nil {
				s += fmt.Sprintf(" COLLATE %q", c.Name)
			}
		}
	}
	desc := false
	ops, err := x.env.Catalog.AmOpsOf(k.Op)
	if err != nil {
		return "", err
	}
	for _, a := range ops {
		if a.AM == 403 {
			desc = a.Strategy == 5
			break
		}
	}
	if desc {
		s += " DESC"
	}
	switch {
	case k.NullsFirst && !desc:
		s += " NULLS FIRST"
	case !k.NullsFirst && desc:
		s += " NULLS LAST"
	}
	return s, nil
}

func (x *nodePrinter) modify(n *plan.ModifyTable, prefix bool) error {
	if err := x.targets(n); err != nil {
		return err
	}
	if n.OnConflict == query.OnConflictNone {
		return nil
	}
	s := "NOTHING"
	if n.OnConflict == query.OnConflictUpdate {
		s = "UPDATE"
	}
	x.out.text("Conflict Resolution", s)
	if len(n.Arbiters) > 0 {
		var list []string
		for _, oid := range n.Arbiters {
			name, err := x.relName(oid)
			if err != nil {
				return err
			}
			list = append(list, name)
		}
		x.out.list("Conflict Arbiter Indexes", list)
	}
	if n.ConflictWhere != nil {
		return x.quals(prefix, qual{"Conflict Filter", []query.Expr{n.ConflictWhere}})
	}
	return nil
}

// targets lists the tables that are written, unless it is just the one that the statement names.
func (x *nodePrinter) targets(n *plan.ModifyTable) error {
	if len(n.ResultRels) == 1 && n.ResultRels[0] == n.Nominal {
		return nil
	}
	x.out.openGroup("Target Tables", "Target Tables", false)
	for _, rt := range n.ResultRels {
		x.out.openGroup("Target Table", "", true)
		t, isText := x.out.(*textEmitter)
		if isText {
			t.pad()
			t.b.WriteString(nodeName(n).text)
		}
		if err := x.scanTarget(rt); err != nil {
			return err
		}
		if isText {
			t.b.WriteString("\n")
		}
		x.out.closeGroup("Target Table", "", true)
	}
	x.out.closeGroup("Target Tables", "Target Tables", false)
	return nil
}

func (x *nodePrinter) memoize(n *plan.Memoize, prefix bool) error {
	s, err := x.exprList(n.Keys, prefix)
	if err != nil {
		return err
	}
	x.out.text("Cache Key", s)
	mode := "logical"
	if n.Binary {
		mode = "binary"
	}
	x.out.text("Cache Mode", mode)
	return nil
}

// children prints init plans, inputs and sub-plans.
func (x *nodePrinter) children() error {
	b := x.n.Base()
	above := append(x.above[:len(x.above):len(x.above)], x.n)
	subs := x.subPlans()
	var special []plan.Node
	plan.EachChild(x.n, func(c plan.Node) { special = append(special, c) })
	if len(b.InitPlans) == 0 && b.Left == nil && b.Right == nil && len(special) == 0 && len(subs) == 0 {
		return nil
	}
	x.out.openGroup("Plans", "Plans", false)
	for _, s := range b.InitPlans {
		if err := x.node(x.p.Subplans[s.PlanID-1], above, "InitPlan", s.Name); err != nil {
			return err
		}
	}
	if b.Left != nil {
		if err := x.node(b.Left, above, "Outer", ""); err != nil {
			return err
		}
	}
	if b.Right != nil {
		if err := x.node(b.Right, above, "Inner", ""); err != nil {
			return err
		}
	}
	relationship := "Member"
	if _, ok := x.n.(*plan.SubqueryScan); ok {
		relationship = "Subquery"
	}
	for i, c := range special {
		if x.live != nil && !x.live[i] {
			continue
		}
		if err := x.node(c, above, relationship, ""); err != nil {
			return err
		}
	}
	for _, s := range subs {
		if err := x.node(x.p.Subplans[s.PlanID-1], above, "SubPlan", s.Name); err != nil {
			return err
		}
	}
	x.out.closeGroup("Plans", "Plans", false)
	return nil
}

// subPlans lists the sub-plans in the node's own expressions, each printed once.
func (x *nodePrinter) subPlans() (out []*query.SubPlan) {
	if x.shown == nil {
		x.printer.shown = map[int]bool{}
	}
	plan.EachExpr(x.n, func(e query.Expr) {
		query.Walk(e, func(y query.Expr) bool {
			if s, ok := y.(*query.SubPlan); ok && !x.shown[s.PlanID] {
				x.shown[s.PlanID] = true
				out = append(out, s)
			}
			return true
		})
	})
	return out
}
