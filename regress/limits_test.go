package regress

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// TestConnectionLimits: who is turned away, with PostgreSQL's words and in its order, and that a slot is free again when its session ends.
func TestConnectionLimits(t *testing.T) {
	_, sock := startServerWith(t, map[string]string{"max_connections": "5", "superuser_reserved_connections": "2"})
	ctx := context.Background()
	connect := func(user, db string) (*pgx.Conn, error) {
		return pgx.Connect(ctx, fmt.Sprintf("host=%s port=5432 user=%s dbname=%s sslmode=disable", sock, user, db))
	}
	must := func(user, db string) *pgx.Conn {
		t.Helper()
		c, err := connect(user, db)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	refused := func(user, db, code, message string) {
		t.Helper()
		c, err := connect(user, db)
		if err == nil {
			c.Close(ctx)
			t.Errorf("%s was let into %s; wanted %s", user, db, message)
			return
		}
		var e *pgconn.PgError
		if !errors.As(err, &e) || e.Code != code || e.Message != message {
			t.Errorf("%s into %s: %v, want %s %s", user, db, err, code, message)
		}
	}
	// The end of a session is not waited for by its client.
	gone := func(admin *pgx.Conn, want int) {
		t.Helper()
		var n int
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			if err := admin.QueryRow(ctx, "select count(*) from pg_stat_activity where backend_type = 'client backend'").Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n == want {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%d sessions, want %d", n, want)
			}
		}
	}
	admin := must("postgres", "postgres")
	for _, sql := range []string{"create role alice login", "create role bob login connection limit 1", "create role stay nologin", "create database small connection limit 1",
		"create database shut allow_connections false", "create database closed", "revoke connect on database closed from public"} {
		if _, err := admin.Exec(ctx, sql); err != nil {
			t.Fatal(sql, err)
		}
	}
	refused("stay", "postgres", "28000", `role "stay" is not permitted to log in`)
	refused("alice", "shut", "55000", `database "shut" is not currently accepting connections`)
	refused("alice", "closed", "42501", `permission denied for database "closed"`)
	refused("alice", "none", "3D000", `database "none" does not exist`)
	one := must("bob", "postgres")
	refused("bob", "postgres", "53300", `too many connections for role "bob"`)
	one.Close(ctx)
	gone(admin, 1)
	one = must("alice", "small")
	refused("bob", "small", "53300", `too many connections for database "small"`)
	two := must("alice", "postgres")
	refused("alice", "postgres", "53300", "remaining connection slots are reserved for non-replication superuser connections")
	three, four := must("postgres", "postgres"), must("postgres", "small")
	refused("postgres", "postgres", "53300", "sorry, too many clients already")
	for _, c := range []*pgx.Conn{one, two, three, four} {
		c.Close(ctx)
	}
	gone(admin, 1)
	must("alice", "postgres").Close(ctx)
	admin.Close(ctx)
}

// TestTemporaryTablesGo: with DISCARD TEMP, and with their session.
func TestTemporaryTablesGo(t *testing.T) {
	run := startServer(t)
	out := run("psql", "-XAtq", "-c", "create temp table a(i serial, t text); create temp table b(i int); insert into a values (1, 'x')", "-c", "discard temp",
		"-c", "select count(*) from pg_class where relnamespace = pg_my_temp_schema()", "-c", "create temp table a(i int); select count(*) from a")
	if got := strings.Fields(out); strings.Join(got, " ") != "0 0" {
		t.Errorf("DISCARD TEMP: %s", out)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		left := strings.TrimSpace(run("psql", "-XAtqc", "select count(*) from pg_class where relpersistence = 't'"))
		if left == "0" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%s temporary relations are left", left)
		}
	}
}
