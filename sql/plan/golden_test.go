package plan_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
)

// nodeTypes gives EXPLAIN's names of nodes.
var nodeTypes = map[string]string{"SeqScan": "Seq Scan", "IndexScan": "Index Scan", "IndexOnlyScan": "Index Only Scan", "BitmapIndexScan": "Bitmap Index Scan",
	"BitmapHeapScan": "Bitmap Heap Scan", "TIDScan": "Tid Scan", "TIDRangeScan": "Tid Range Scan", "SubqueryScan": "Subquery Scan",
	"FunctionScan": "Function Scan", "ValuesScan": "Values Scan", "CTEScan": "CTE Scan", "WorkTableScan": "WorkTable Scan", "NestLoop": "Nested Loop",
	"MergeJoin": "Merge Join", "HashJoin": "Hash Join", "Material": "Materialize", "IncrementalSort": "Incremental Sort", "Agg": "Aggregate",
	"RecursiveUnion": "Recursive Union"}

// shape prints a plan tree in short: node types with costs, rows and widths.
func shape(p *plan.Planned, n plan.Node, depth int, b *strings.Builder) {
	if n == nil {
		return
	}
	x := n.Base()
	name := strings.TrimPrefix(fmt.Sprintf("%T", n), "*plan.")
	if s := nodeTypes[name]; s != "" {
		name = s
	}
	fmt.Fprintf(b, "%s%s %.2f..%.2f rows=%.0f width=%d\n", strings.Repeat("  ", depth), name, x.StartupCost, x.TotalCost, x.Rows, x.Width)
	for _, s := range x.InitPlans {
		shape(p, p.Subplans[s.PlanID-1], depth+1, b)
	}
	shape(p, x.Left, depth+1, b)
	shape(p, x.Right, depth+1, b)
	plan.EachChild(n, func(c plan.Node) { shape(p, c, depth+1, b) })
	for _, id := range subPlansOf(n) {
		shape(p, p.Subplans[id-1], depth+1, b)
	}
}

// oracleShape does the same with EXPLAIN's JSON.
func oracleShape(n map[string]any, depth int, b *strings.Builder) {
	fmt.Fprintf(b, "%s%s %.2f..%.2f rows=%.0f width=%.0f\n", strings.Repeat("  ", depth), n["Node Type"], n["Startup Cost"], n["Total Cost"], n["Plan Rows"],
		n["Plan Width"])
	kids, _ := n["Plans"].([]any)
	for _, k := range kids {
		oracleShape(k.(map[string]any), depth+1, b)
	}
}

func recordPlans(t *testing.T, conn *pgx.Conn, statements []string) {
	var out strings.Builder
	ctx := context.Background()
	for _, set := range []string{"set max_parallel_workers_per_gather = 0", "set jit = off", "set plan_cache_mode = force_generic_plan"} {
		if _, err := conn.Exec(ctx, set); err != nil {
			t.Fatal(err)
		}
	}
	for _, sql := range statements {
		var plans string
		explain := "explain (format json) " + sql
		if n := strings.Count(sql, "$"); n > 0 {
			if _, err := conn.Exec(ctx, "prepare p as "+sql); err != nil {
				t.Fatal(err)
			}
			explain = "explain (format json) execute p(" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + ")"
		}
		if err := conn.QueryRow(ctx, explain, pgx.QueryExecModeSimpleProtocol).Scan(&plans); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if strings.Contains(sql, "$") {
			conn.Exec(ctx, "deallocate p")
		}
		var tree []map[string]any
		if err := json.Unmarshal([]byte(plans), &tree); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n----\n", sql)
		oracleShape(tree[0]["Plan"].(map[string]any), 0, &out)
		out.WriteByte('\n')
	}
	if err := os.WriteFile("testdata/plans.out", []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOracle(t *testing.T) {
	if *rewrite {
		conn, err := pgx.Connect(context.Background(), *oracle)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		data, err := os.ReadFile("testdata/plans.sql")
		if err != nil {
			t.Fatal(err)
		}
		recordSchema(t, conn)
		recordPlans(t, conn, strings.Split(strings.TrimSpace(string(data)), "\n"))
	}
	f := loadFake(t)
	data, err := os.ReadFile("testdata/plans.out")
	if err != nil {
		t.Fatal(err)
	}
	same, total := 0, 0
	for _, rec := range strings.Split(strings.TrimSuffix(string(data), "\n\n"), "\n\n") {
		sql, want, _ := strings.Cut(rec, "\n----\n")
		total++
		p, err := f.plan(sql, nil)
		if err != nil {
			t.Errorf("%s\n%s %v", sql, code(err), err)
			continue
		}
		var b strings.Builder
		shape(p, p.Root, 0, &b)
		if got := strings.TrimSuffix(b.String(), "\n"); got != strings.TrimSuffix(want, "\n") {
			t.Logf("%s\ngot:\n%s\nwant:\n%s", sql, got, want)
			continue
		}
		same++
	}
	t.Logf("%d of %d plans agree in every node, cost, row count and width", same, total)
	if same < agreeing {
		t.Errorf("only %d plans agree, there were %d", same, agreeing)
	}
}

// agreeing is how many recorded plans agree: it only grows.
const agreeing = 83

func subPlansOf(n plan.Node) (ids []int) {
	plan.EachExpr(n, func(e query.Expr) {
		query.Walk(e, func(x query.Expr) bool {
			if s, ok := x.(*query.SubPlan); ok {
				ids = append(ids, s.PlanID)
			}
			return true
		})
	})
	return ids
}
