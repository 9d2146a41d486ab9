package regress

import (
	"os"
	"strings"
	"testing"
)

// TestPrivileges runs a script of several roles through psql and compares what it prints with what PostgreSQL 15.18 printed: who may read, write
// and lock tables, views, columns and sequences, what GRANT and REVOKE change under prepared statements, and what errors may tell of rows.
func TestPrivileges(t *testing.T) {
	compareScript(t, "privileges")
}

// TestGrants: who may grant and revoke what, and what goes with a grant option.
func TestGrants(t *testing.T) { compareScript(t, "grants") }

// compareScript runs testdata/NAME.sql in a new server's database priv and compares with NAME.out, PostgreSQL's output.
func compareScript(t *testing.T, name string) {
	t.Helper()
	run := startServer(t)
	run("createdb", "priv")
	out := run("sh", "-c", "psql -X -d priv < testdata/"+name+".sql 2>&1")
	want, err := os.ReadFile("testdata/" + name + ".out")
	if err != nil {
		t.Fatal(err)
	}
	compareLines(t, string(want), withoutLines(out, "LOCATION:"))
}

// withoutLines drops the lines that begin with prefix.
func withoutLines(s, prefix string) string {
	var b strings.Builder
	for _, line := range strings.SplitAfter(s, "\n") {
		if !strings.HasPrefix(line, prefix) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// compareLines reports the first line in which two texts differ.
func compareLines(t *testing.T, want, got string) {
	t.Helper()
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range w {
		if i >= len(g) || w[i] != g[i] {
			t.Fatalf("line %d differs:\nwant: %s\ngot:  %s", i+1, w[i], strings.Join(g[min(i, len(g)):min(i+3, len(g))], "\n      "))
		}
	}
	if len(g) > len(w) {
		t.Fatalf("more than was recorded: %s", g[len(w)])
	}
}
