package regress

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCopyIntoNewStorage: COPY into a table that is new in the transaction, or truncated in it, goes past the log; FREEZE leaves vacuum nothing to
// do; what is rolled back is gone.
func TestCopyIntoNewStorage(t *testing.T) {
	run := startServer(t)
	rows := "copy (select n, repeat('x', n % 300) from generate_series(1, 20000) n) to stdout"
	data := run("psql", "-XAtqc", rows)
	script := `
\set ON_ERROR_STOP 0
create table t (a int, b text);
copy t from stdin with (freeze);
\.
begin;
truncate t;
copy t from stdin with (freeze);
` + data + `\.
select count(*), sum(a), sum(length(b)) from t;
insert into t values (0, 'more');
commit;
select count(*), count(distinct ctid) from t where xmin::text = '2';
begin;
savepoint a;
truncate t;
release a;
savepoint b;
copy t from stdin with (freeze);
\.
rollback to b;
rollback;
begin;
truncate t;
copy t from stdin;
` + data + `\.
rollback;
select count(*), sum(a) from t;
create index on t (a);
vacuum t;
select b from t where a = 299;
begin;
create table u (a int primary key, b text);
copy u from stdin with (freeze);
1	one
2	two
\.
copy u from stdin;
3	three
1	again
\.
commit;
begin;
create table u (a int, b text);
savepoint s;
copy u from stdin;
` + data + `\.
rollback to s;
select count(*) from u;
copy u from stdin;
` + data + `\.
commit;
update u set b = 'y' where a = 20000;
delete from u where a < 100;
select count(*), sum(a), max(b) from u;
`
	file := filepath.Join(t.TempDir(), "script.sql")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`psql:[^ ]*: `).ReplaceAllString(run("psql", "-XAtqf", file), "")
	want := `ERROR:  cannot perform COPY FREEZE because the table was not created or truncated in the current subtransaction
20000|200010000|2980200
0|0
ERROR:  cannot perform COPY FREEZE because the table was not created or truncated in the current subtransaction
20001|200010000
` + strings.Repeat("x", 299) + `
ERROR:  duplicate key value violates unique constraint "u_pkey"
DETAIL:  Key (a)=(1) already exists.
CONTEXT:  COPY u, line 2
0
19901|200005050|y
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
