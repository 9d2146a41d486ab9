package plan_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/calfdb/calf/executor/explain"
)

func recordText(t *testing.T, conn *pgx.Conn, statements []string) {
	var out strings.Builder
	ctx := context.Background()
	for _, set := range []string{"set max_parallel_workers_per_gather = 0", "set jit = off"} {
		if _, err := conn.Exec(ctx, set); err != nil {
			t.Fatal(err)
		}
	}
	for _, sql := range statements {
		if strings.Contains(sql, "$") {
			continue
		}
		rows, err := conn.Query(ctx, "explain "+sql, pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		fmt.Fprintf(&out, "%s\n----\n%s\n\n", sql, strings.Join(lines, "\n"))
	}
	if err := os.WriteFile("testdata/explain.out", []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestText compares EXPLAIN's text.
func TestText(t *testing.T) {
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
		recordText(t, conn, strings.Split(strings.TrimSpace(string(data)), "\n"))
	}
	f := loadFake(t)
	data, err := os.ReadFile("testdata/explain.out")
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
		got, err := explain.Print(&explain.Env{Catalog: f, Types: f.env}, explain.NewOptions(), p, nil)
		if err != nil {
			t.Errorf("%s\n%s %v", sql, code(err), err)
			continue
		}
		if got = strings.TrimSuffix(got, "\n"); got != want {
			t.Logf("%s\ngot:\n%s\nwant:\n%s", sql, got, want)
			continue
		}
		same++
	}
	t.Logf("%d of %d texts agree", same, total)
	if same < agreeingTexts {
		t.Errorf("only %d texts agree, there were %d", same, agreeingTexts)
	}
}

// agreeingTexts is how many recorded texts agree: it only grows.
const agreeingTexts = 81
