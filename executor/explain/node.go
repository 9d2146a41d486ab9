package explain

import (
	"fmt"
	"strconv"

	"github.com/calfdb/calf/sql/deparse"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// printer walks one plan.
type printer struct {
	env   *Env
	o     Options
	p     *plan.Planned
	run   *Run
	out   emitter
	used  map[int]bool
	names *deparse.Namespace
	shown map[int]bool // sub-plans printed so far
	lives map[*plan.PruneInfo][]bool
}

// node prints a node and what is below it. above lists the nodes over it, nearest last.
func (pr *printer) node(n plan.Node, above []plan.Node, relationship, planName string) error {
	name := nodeName(n)
	x := &nodePrinter{printer: pr, n: n, above: above}
	t, isText := pr.out.(*textEmitter)
	saved := 0
	if isText {
		saved = t.indent
		if planName != "" {
			t.pad()
			t.b.WriteString(planName + "\n")
			t.indent++
		}
		if t.indent > 0 {
			t.pad()
			t.b.WriteString("->  ")
			t.indent += 2
		}
		t.b.WriteString(name.text)
		t.indent++
	} else {
		pr.out.openGroup("Plan", planLabel(relationship), true)
		pr.out.text("Node Type", name.structured)
		x.structuredHead(relationship, planName)
	}
	if err := x.target(); err != nil {
		return err
	}
	x.costs()
	if err := x.details(); err != nil {
		return err
	}
	if err := x.subplansRemoved(); err != nil {
		return err
	}
	if err := x.children(); err != nil {
		return err
	}
	if isText {
		t.indent = saved
	} else {
		pr.out.closeGroup("Plan", "", true)
	}
	return nil
}

func planLabel(relationship string) string {
	if relationship == "" {
		return "Plan"
	}
	return ""
}

type names struct{ text, structured string }

func nodeName(n plan.Node) names {
	same := func(s string) names { return names{s, s} }
	switch n := n.(type) {
	case *plan.Result:
		return same("Result")
	case *plan.ProjectSet:
		return same("ProjectSet")
	case *plan.ModifyTable:
		return names{[...]string{"???", "???", "Update", "Insert", "Delete", "Merge"}[n.Command], "ModifyTable"}
	case *plan.Append:
		return same("Append")
	case *plan.MergeAppend:
		return same("Merge Append")
	case *plan.RecursiveUnion:
		return same("Recursive Union")
	case *plan.BitmapAnd:
		return same("BitmapAnd")
	case *plan.BitmapOr:
		return same("BitmapOr")
	case *plan.NestLoop:
		return names{"Nested Loop" + joinText(n.Type, ""), "Nested Loop"}
	case *plan.MergeJoin:
		return names{"Merge" + joinText(n.Type, " Join"), "Merge Join"}
	case *plan.HashJoin:
		return names{"Hash" + joinText(n.Type, " Join"), "Hash Join"}
	case *plan.SeqScan:
		return same("Seq Scan")
	case *plan.SampleScan:
		return same("Sample Scan")
	case *plan.IndexScan:
		return same("Index Scan")
	case *plan.IndexOnlyScan:
		return same("Index Only Scan")
	case *plan.BitmapIndexScan:
		return same("Bitmap Index Scan")
	case *plan.BitmapHeapScan:
		return same("Bitmap Heap Scan")
	case *plan.TIDScan:
		return same("Tid Scan")
	case *plan.TIDRangeScan:
		return same("Tid Range Scan")
	case *plan.SubqueryScan:
		return same("Subquery Scan")
	case *plan.FunctionScan:
		return same("Function Scan")
	case *plan.TableFuncScan:
		return same("Table Function Scan")
	case *plan.ValuesScan:
		return same("Values Scan")
	case *plan.CTEScan:
		return same("CTE Scan")
	case *plan.WorkTableScan:
		return same("WorkTable Scan")
	case *plan.NamedTuplestoreScan:
		return same("Named Tuplestore Scan")
	case *plan.Material:
		return same("Materialize")
	case *plan.Memoize:
		return same("Memoize")
	case *plan.Sort:
		return same("Sort")
	case *plan.IncrementalSort:
		return same("Incremental Sort")
	case *plan.Group:
		return same("Group")
	case *plan.Agg:
		return names{[...]string{"Aggregate", "GroupAggregate", "HashAggregate", "MixedAggregate"}[n.Strategy], "Aggregate"}
	case *plan.WindowAgg:
		return same("WindowAgg")
	case *plan.Unique:
		return same("Unique")
	case *plan.SetOp:
		s := "SetOp"
		if n.Hashed {
			s = "HashSetOp"
		}
		return names{s + " " + setOpText(n.Cmd), "SetOp"}
	case *plan.LockRows:
		return same("LockRows")
	case *plan.Limit:
		return same("Limit")
	case *plan.Hash:
		return same("Hash")
	}
	return same("???")
}

func joinText(t query.JoinType, inner string) string {
	if s := joinTypeName(t); s != "Inner" {
		return " " + s + " Join"
	}
	return inner
}

func joinTypeName(t query.JoinType) string {
	switch t {
	case query.JoinLeft:
		return "Left"
	case query.JoinFull:
		return "Full"
	case query.JoinRight:
		return "Right"
	case query.JoinSemi:
		return "Semi"
	case query.JoinAnti:
		return "Anti"
	}
	return "Inner"
}

func setOpText(c plan.SetOpCmd) string {
	return [...]string{"Intersect", "Intersect All", "Except", "Except All"}[c]
}

// nodePrinter prints one node.
type nodePrinter struct {
	*printer
	n     plan.Node
	above []plan.Node
	// parents are the inherited and partitioned tables of the Appends through which an expression was found: children's columns are named by
	// them.
	parents []int
	live    []bool // which children of an Append are left; nil = all
}

// structuredHead writes the properties that the text format has in its node line.
func (x *nodePrinter) structuredHead(relationship, planName string) {
	switch n := x.n.(type) {
	case *plan.Agg:
		x.out.text("Strategy", [...]string{"Plain", "Sorted", "Hashed", "Mixed"}[n.Strategy])
		x.out.text("Partial Mode", "Simple")
	case *plan.SetOp:
		s := "Sorted"
		if n.Hashed {
			s = "Hashed"
		}
		x.out.text("Strategy", s)
	case *plan.ModifyTable:
		x.out.text("Operation", nodeName(n).text)
	}
	if relationship != "" {
		x.out.text("Parent Relationship", relationship)
	}
	if planName != "" {
		x.out.text("Subplan Name", planName)
	}
	x.out.boolean("Parallel Aware", false)
	x.out.boolean("Async Capable", false)
	switch n := x.n.(type) {
	case *plan.NestLoop:
		x.out.text("Join Type", joinTypeName(n.Type))
	case *plan.MergeJoin:
		x.out.text("Join Type", joinTypeName(n.Type))
	case *plan.HashJoin:
		x.out.text("Join Type", joinTypeName(n.Type))
	case *plan.SetOp:
		x.out.text("Command", setOpText(n.Cmd))
	}
}

// target writes what a scan or a change works on.
func (x *nodePrinter) target() error {
	switch n := x.n.(type) {
	case *plan.IndexScan:
		if err := x.indexDetails(n.IndexOID, n.Direction); err != nil {
			return err
		}
	case *plan.IndexOnlyScan:
		if err := x.indexDetails(n.IndexOID, n.Direction); err != nil {
			return err
		}
	case *plan.BitmapIndexScan:
		name, err := x.relName(n.IndexOID)
		if err != nil {
			return err
		}
		if t, ok := x.out.(*textEmitter); ok {
			t.b.WriteString(" on " + types.QuoteIdent(nil, name))
		} else {
			x.out.text("Index Name", name)
		}
		return nil
	case *plan.ModifyTable:
		return x.scanTarget(n.Nominal)
	}
	if rt := scanRT(x.n); rt > 0 {
		return x.scanTarget(rt)
	}
	return nil
}

func (x *nodePrinter) indexDetails(index types.OID, dir plan.ScanDirection) error {
	name, err := x.relName(index)
	if err != nil {
		return err
	}
	if t, ok := x.out.(*textEmitter); ok {
		if dir == plan.Backward {
			t.b.WriteString(" Backward")
		}
		t.b.WriteString(" using " + types.QuoteIdent(nil, name))
		return nil
	}
	d := "Forward"
	if dir == plan.Backward {
		d = "Backward"
	}
	x.out.text("Scan Direction", d)
	x.out.text("Index Name", name)
	return nil
}

func (pr *printer) relName(oid types.OID) (string, error) {
	r, err := pr.env.Catalog.Relation(oid)
	if err != nil || r == nil {
		return "", err
	}
	return r.Name, nil
}

// scanRT is the range table index that a scan node reads, 0 for others.
func scanRT(n plan.Node) int {
	switch n := n.(type) {
	case *plan.SeqScan:
		return n.RTIndex
	case *plan.SampleScan:
		return n.RTIndex
	case *plan.IndexScan:
		return n.RTIndex
	case *plan.IndexOnlyScan:
		return n.RTIndex
	case *plan.BitmapHeapScan:
		return n.RTIndex
	case *plan.TIDScan:
		return n.RTIndex
	case *plan.TIDRangeScan:
		return n.RTIndex
	case *plan.SubqueryScan:
		return n.RTIndex
	case *plan.FunctionScan:
		return n.RTIndex
	case *plan.TableFuncScan:
		return n.RTIndex
	case *plan.ValuesScan:
		return n.RTIndex
	case *plan.CTEScan:
		return n.RTIndex
	case *plan.WorkTableScan:
		return n.RTIndex
	case *plan.NamedTuplestoreScan:
		return n.RTIndex
	}
	return 0
}

// scanTarget writes " on name alias".
func (x *nodePrinter) scanTarget(rt int) error {
	e := x.p.RangeTable[rt-1]
	object, schema, tag, err := x.objectName(e)
	if err != nil {
		return err
	}
	ref := x.names.Name(rt)
	if ref == "" {
		ref = e.Eref.Name
	}
	t, ok := x.out.(*textEmitter)
	if !ok {
		if object != "" {
			x.out.text(tag, object)
		}
		if schema != "" {
			x.out.text("Schema", schema)
		}
		x.out.text("Alias", ref)
		return nil
	}
	t.b.WriteString(" on")
	switch {
	case schema != "":
		t.b.WriteString(" " + types.QuoteIdent(nil, schema) + "." + types.QuoteIdent(nil, object))
	case object != "":
		t.b.WriteString(" " + types.QuoteIdent(nil, object))
	}
	if object == "" || ref != object {
		t.b.WriteString(" " + types.QuoteIdent(nil, ref))
	}
	return nil
}

// objectName gives what is scanned: a table, function or CTE; "" for others.
func (x *nodePrinter) objectName(e *query.RTE) (object, schema, tag string, err error) {
	switch x.n.(type) {
	case *plan.CTEScan, *plan.WorkTableScan:
		return e.CTEName, "", "CTE Name", nil
	case *plan.NamedTuplestoreScan:
		return e.ENRName, "", "Tuplestore Name", nil
	case *plan.FunctionScan:
		return x.functionName()
	case *plan.SubqueryScan, *plan.ValuesScan, *plan.TableFuncScan:
		return "", "", "", nil
	}
	r, err := x.env.Catalog.Relation(e.RelOID)
	if err != nil || r == nil {
		return "", "", "", err
	}
	if x.o.Verbose {
		schema, err = x.schemaName(r.Namespace)
	}
	return r.Name, schema, "Relation Name", err
}

func (pr *printer) schemaName(oid types.OID) (string, error) {
	n, err := pr.env.Catalog.Namespace(oid)
	if err != nil || n == nil {
		return "", err
	}
	return n.Name, nil
}

func (x *nodePrinter) functionName() (object, schema, tag string, err error) {
	n := x.n.(*plan.FunctionScan)
	if len(n.Functions) != 1 {
		return "", "", "", nil
	}
	f, ok := n.Functions[0].Expr.(*query.FuncExpr)
	if !ok {
		return "", "", "", nil
	}
	p, err := x.env.Catalog.Proc(f.FuncOID)
	if err != nil || p == nil {
		return "", "", "", err
	}
	if x.o.Verbose {
		schema, err = x.schemaName(p.Namespace)
	}
	return p.Name, schema, "Function Name", err
}

// costs writes the estimates and, after a run, what was measured.
func (x *nodePrinter) costs() {
	b := x.n.Base()
	t, isText := x.out.(*textEmitter)
	if x.o.Costs {
		if isText {
			fmt.Fprintf(&t.b, "  (cost=%.2f..%.2f rows=%.0f width=%d)", b.StartupCost, b.TotalCost, b.Rows, b.Width)
		} else {
			x.out.float("Startup Cost", "", b.StartupCost, 2)
			x.out.float("Total Cost", "", b.TotalCost, 2)
			x.out.float("Plan Rows", "", b.Rows, 0)
			x.out.number("Plan Width", strconv.Itoa(b.Width))
		}
	}
	if x.measured() {
		x.actual(t, isText)
	}
	if isText {
		t.b.WriteByte('\n')
	}
}

func (x *nodePrinter) actual(t *textEmitter, isText bool) {
	m := x.run.Meter.of(x.n)
	if isText && m.loops == 0 {
		t.b.WriteString(" (never executed)")
		return
	}
	loops := max(m.loops, 1)
	start, total, rows := m.startupMS/loops, m.totalMS/loops, m.rows/loops
	if isText {
		if x.o.Timing {
			fmt.Fprintf(&t.b, " (actual time=%.3f..%.3f rows=%.0f loops=%.0f)", start, total, rows, m.loops)
		} else {
			fmt.Fprintf(&t.b, " (actual rows=%.0f loops=%.0f)", rows, m.loops)
		}
		return
	}
	if x.o.Timing {
		x.out.float("Actual Startup Time", "ms", start, 3)
		x.out.float("Actual Total Time", "ms", total, 3)
	}
	x.out.float("Actual Rows", "", rows, 0)
	x.out.float("Actual Loops", "", m.loops, 0)
}

// collectUsed notes the range table entries that the plan mentions.
func (pr *printer) collectUsed(n plan.Node) {
	if n == nil {
		return
	}
	if rt := scanRT(n); rt > 0 {
		pr.used[rt] = true
	}
	for _, rt := range appended(n) {
		pr.used[rt] = true
	}
	if m, ok := n.(*plan.ModifyTable); ok {
		pr.used[m.Nominal] = true
		if m.ExclRTIndex > 0 {
			pr.used[m.ExclRTIndex] = true
		}
	}
	b := n.Base()
	pr.collectUsed(b.Left)
	pr.collectUsed(b.Right)
	live, err := pr.liveChildren(n)
	i := 0
	plan.EachChild(n, func(c plan.Node) {
		if err != nil || live == nil || live[i] {
			pr.collectUsed(c)
		}
		i++
	})
}
