package pgregress

import (
	"fmt"
	"strings"
	"testing"
)

func TestNormalise(t *testing.T) {
	for in, want := range map[string]string{
		`ERROR:  relation "a1" does not exist`:                        `ERROR:  relation "*" does not exist`,
		`ERROR:  type "int4range" does not exist`:                     `ERROR:  type "int4range" does not exist`,
		`ERROR:  function to_char(integer, unknown) does not exist`:   `ERROR:  function to_char(integer, unknown) does not exist`,
		`ERROR:  column "x" of relation "y" contains null values`:     `ERROR:  column "*" of relation "*" contains null values`,
		`ERROR:  syntax error at or near "merge"`:                     `ERROR:  syntax error at or near "merge"`,
		`ERROR:  value 32768 is out of range for int2`:                `ERROR:  value N is out of range for int2`,
		`ERROR:  unrecognized configuration parameter "jit_provider"`: `ERROR:  unrecognized configuration parameter "jit_provider"`,
		`NOTICE:  drop cascades to 12 other objects`:                  `NOTICE:  drop cascades to N other objects`,
	} {
		if got := normalise(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// A table that was not created takes its readers' errors on itself, and a refused change those of the rows.
func TestCausesFollow(t *testing.T) {
	a := newAttribution()
	a.add(&FileResult{Name: "f", Statements: []Statement{
		{Line: 1, Text: "-- why\ncreate table public.p (a int) partition by hash (a);", Ran: true, Actual: []string{"ERROR:  partitioned tables is not supported yet"}},
		{Line: 2, Text: "insert into p values (1);", Ran: true, Actual: []string{`ERROR:  relation "p" does not exist`, "LINE 1: insert"}},
		{Line: 3, Text: "create view v as select * from p;", Ran: true, Actual: []string{`ERROR:  relation "p" does not exist`}},
		{Line: 4, Text: "select * from v;", Ran: true, Actual: []string{`ERROR:  relation "v" does not exist`}, Expected: []string{" a ", "---", " 1"}},
		{Line: 5, Text: "update t set a = 1;", Ran: true, Actual: []string{"ERROR:  no update"}},
		{Line: 6, Text: "select * from t;", Ran: true, Expected: []string{" 1"}, Actual: []string{" 2"}},
		{Line: 7, Text: "select 1;", Ran: true, Same: true},
		{Line: 8, Text: "select 2;", Ran: true, Expected: []string{" 1"}, Actual: []string{" 2"}},
		{Line: 9, Text: "select f(1);", Ran: true, Actual: []string{"ERROR:  no update"}},
		{Line: 10, Text: "select 3;", Ran: true, Actual: []string{"ERROR:  current transaction is aborted, commands ignored until end of transaction block"}},
	}})
	a.add(&FileResult{Name: "g", End: Crash, EndLine: 2, EndText: "select boom();", Statements: []Statement{
		{Line: 1, Text: "create table p (a int);", Ran: true, Same: true},
		{Line: 2, Text: "select boom();", Ran: true},
		{Line: 3, Text: "select * from p;"},
	}})
	var got []string
	for _, c := range a.list() {
		got = append(got, fmt.Sprintf("%d+%d %d %s %s", c.Count, c.Follow, c.Files, c.Example, c.Text))
	}
	want := []string{
		"2+2 1 f:5 ERROR:  no update",
		"1+3 1 f:1 ERROR:  partitioned tables is not supported yet",
		"1+0 1 f:8 (another result of SELECT)",
		"1+0 1 g:3 (not reached: the server crashed at g.sql:2: select boom();)",
		"1+0 1 g:2 (the server crashed at g.sql:2: select boom();)",
	}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestDifferences(t *testing.T) {
	for _, c := range []struct {
		text, expected, actual, want string
	}{
		{"EXPLAIN (COSTS OFF) SELECT 1;", " Result", " Scan", "(another plan)"},
		{"SELECT 1;", "ERROR:  relation \"x\" is bad", " 1", `(no error) PostgreSQL: ERROR:  relation "*" is bad`},
		{"DROP TABLE x;", "NOTICE:  drop cascades to view v", "", "(no such message) PostgreSQL: NOTICE:  drop cascades to view v"},
		{"DROP TABLE x;", "", "WARNING:  2 left", "(a message too much) WARNING:  N left"},
		{"\\d t", "a", "b", `(another output of \d)`},
		{"SELECT 1;", "ERROR:  a", "ERROR:  b", "ERROR:  b"},
	} {
		s := &Statement{Text: c.text, Ran: true, Expected: strings.Split(c.expected, "\n"), Actual: strings.Split(c.actual, "\n")}
		if got := newAttribution().causeOf(&FileResult{}, s); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}
