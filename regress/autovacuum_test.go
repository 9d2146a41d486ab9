package regress

import (
	"strings"
	"testing"
	"time"
)

// TestAutovacuum: a table whose rows are all updated again and again stays small without anybody's VACUUM, its statistics are made, a table that
// opts out is left alone, and a worker gives way to who waits for its lock.
func TestAutovacuum(t *testing.T) {
	run, _ := startServerWith(t, map[string]string{"autovacuum_naptime": "1", "deadlock_timeout": "100"})
	sql := func(text string) string { return strings.TrimSpace(run("psql", "-XAtqc", text)) }
	until := func(what, query string) {
		t.Helper()
		for end := time.Now().Add(60 * time.Second); sql(query) != "t"; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s did not happen: %s\n%s", what, query, run("psql", "-Xxc", "select * from pg_stat_user_tables"))
			}
		}
	}
	// The index on v keeps updates from being heap-only: only vacuum can take the dead rows away.
	sql(`create table busy(id int primary key, v int, pad text); create index on busy(v);
		create table quiet(id int primary key, v int) with (autovacuum_enabled = off);
		insert into busy select g, 0, repeat('x', 100) from generate_series(1, 2000) g; insert into quiet select g, 0 from generate_series(1, 2000) g`)
	full := sql("select pg_relation_size('busy')")
	for range 5 {
		sql("update busy set v = v + 1")
		sql("update quiet set v = v + 1")
		until("autovacuum", "select n_dead_tup = 0 and autovacuum_count > 0 from pg_stat_user_tables where relname = 'busy'")
	}
	if size := sql("select pg_relation_size('busy') <= 3 * " + full); size != "t" {
		t.Errorf("the table grew from %s to %s bytes", full, sql("select pg_relation_size('busy')"))
	}
	until("autoanalyze", "select autoanalyze_count > 0 and last_autoanalyze is not null from pg_stat_user_tables where relname = 'busy'")
	if got := sql("select reltuples from pg_class where relname = 'busy'"); got != "2000" {
		t.Errorf("reltuples is %s", got)
	}
	if got := sql("select autovacuum_count + autoanalyze_count from pg_stat_user_tables where relname = 'quiet'"); got != "0" {
		t.Errorf("a table without autovacuum: %s", got)
	}

	// A slow worker: each page takes 100 ms.
	sql("alter table busy set (autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1); update busy set v = v + 1")
	until("a worker", "select count(*) > 0 from pg_stat_activity where backend_type = 'autovacuum worker' and query like 'autovacuum: VACUUM%public.busy'")
	began := time.Now()
	sql("set statement_timeout = '20s'; alter table busy add column w int")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("ALTER TABLE waited %v for autovacuum", took)
	}
	// A database that a worker may be in can be dropped.
	run("createdb", "other")
	run("psql", "-Xqd", "other", "-c", "create table t(a int); insert into t select generate_series(1, 1000)")
	run("dropdb", "other")
}
