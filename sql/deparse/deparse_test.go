package deparse

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/internal/fakecatalog"
	"github.com/calfdb/calf/sql/parse"
)

// Views are made of the queries in testdata/views.sql, and what pg_get_viewdef said of them, plain and pretty, is compared. Recordings are made as those of
// sql/analyze, with -rewrite -oracle.
var (
	rewrite = flag.Bool("rewrite", false, "record what the oracle says")
	oracle  = flag.String("oracle", "", "connection string of a PostgreSQL 15 with fakecatalog/schema.sql loaded")
)

func TestViews(t *testing.T) {
	if *rewrite {
		record(t)
	}
	data, err := os.ReadFile("testdata/views.out")
	if err != nil {
		t.Fatal(err)
	}
	f := fakecatalog.Load()
	skipped := 0
	for _, rec := range strings.Split(strings.TrimSuffix(string(data), "\n====\n"), "\n====\n") {
		sql, want, _ := strings.Cut(rec, "\n----\n")
		got, err := viewDefs(f, sql)
		if err != nil && strings.HasSuffix(err.Error(), "is not supported yet") {
			skipped++ // a type's functions are missing
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", sql, err)
		} else if got != want {
			t.Errorf("%s\n got:\n%s\nwant:\n%s", sql, got, want)
		}
	}
	t.Logf("%d need functions of types that are not there yet", skipped)
}

// viewDefs prints a view of the query in both ways, after storing and reading it.
func viewDefs(f *fakecatalog.Catalog, sql string) (string, error) {
	stmts, err := parse.Parse(sql)
	if err != nil {
		return "", err
	}
	q, err := analyze.Statement(&analyze.Env{Catalog: f, Types: f.Env(), OpenRelation: f.OpenRelation}, stmts[0])
	if err != nil {
		return "", err
	}
	var names []string
	for _, target := range q.Targets {
		if !target.Junk {
			names = append(names, target.Name)
		}
	}
	plain, err := Query(&Context{Catalog: f, Types: f.Env(), Pretty: PrettyIndent, VarPrefix: true}, q, names)
	if err != nil {
		return "", err
	}
	pretty, err := Query(&Context{Catalog: f, Types: f.Env(), Pretty: PrettyIndent | PrettyParen | PrettySchema, VarPrefix: true}, q, names)
	return plain + ";\n" + pretty + ";", err
}

func record(t *testing.T) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, *oracle)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	in, err := os.Open("testdata/views.sql")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var b strings.Builder
	s := bufio.NewScanner(in)
	for s.Scan() {
		tx, _ := conn.Begin(ctx)
		var plain, pretty string
		_, err := tx.Exec(ctx, "create view recorded as "+s.Text())
		if err == nil {
			err = tx.QueryRow(ctx, "select pg_get_viewdef('recorded'::regclass), pg_get_viewdef('recorded'::regclass, true)").Scan(&plain, &pretty)
		}
		tx.Rollback(ctx)
		var pe *pgconn.PgError
		if errors.As(err, &pe) {
			t.Errorf("%s: %s", s.Text(), pe.Message)
			continue
		}
		fmt.Fprintf(&b, "%s\n----\n%s\n%s\n====\n", s.Text(), plain, pretty)
	}
	if err := os.WriteFile("testdata/views.out", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
