package pgregress

import (
	"bytes"
	"context"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/calfdb/calf/regress/target"
)

// fakePsql is a psql for tests without a server: it prints the canned output of the test that PGAPPNAME names, and does what the name says.
const fakePsql = `#!/bin/sh
name=${PGAPPNAME#pg_regress/}
case $name in pg_regress) exit 0;; esac
case "$*" in *"SELECT 1"*) echo 1; exit 0;; esac
cat "$FAKE_OUTPUT/$name"
case $name in
lost) echo "server closed the connection unexpectedly"; exit 2;;
exits) exit 3;;
hangs) exec sleep 60;;
env) echo "$PGTZ|$PGDATESTYLE|$PGOPTIONS|$LC_MESSAGES|$PG_ABS_SRCDIR|$PG_ABS_BUILDDIR|$PG_LIBDIR|$PG_DLSUFFIX|${LC_ALL-unset}|$*";;
esac
`

// fakeRun runs tests through the fake psql: for each the source, the expected and the actual output.
func fakeRun(t *testing.T, opt Options, schedule string, tests map[string][3]string) (*Report, Options, string) {
	t.Helper()
	files := map[string]string{"bin/psql": fakePsql, "schedule": schedule}
	for name, texts := range tests {
		files["sql/"+name+".sql"], files["expected/"+name+".out"], files["canned/"+name] = texts[0], texts[1], texts[2]
	}
	dir := write(t, files)
	bin := filepath.Join(dir, "bin")
	if err := os.Chmod(filepath.Join(bin, "psql"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FAKE_OUTPUT", filepath.Join(dir, "canned"))
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	t.Setenv("PGOPTIONS", "-c x=y")
	var status bytes.Buffer
	opt.InputDir, opt.OutputDir, opt.Schedules, opt.Status = dir, filepath.Join(dir, "out"), []string{filepath.Join(dir, "schedule")}, &status
	report, err := Run(context.Background(), target.Running("nowhere", 1, "me", bin), opt)
	if err != nil {
		t.Fatalf("%v\n%s", err, status.String())
	}
	return report, opt, status.String()
}

func TestRun(t *testing.T) {
	two := "select 1;\nselect 2;\n"
	out := func(a, b string) string { return "select 1;\n" + a + "\nselect 2;\n" + b + "\n" }
	report, opt, status := fakeRun(t, Options{FileTimeout: time.Second, Skip: map[string]string{"skipped": "why not"}},
		"test: good\nignore: noisy\ntest: bad noisy lost\ntest: skipped exits\ntest: hangs\n",
		map[string][3]string{
			"good": {two, out("1", "2"), out("1", "2")}, "bad": {two, out("1", "2"), out("1", "7")}, "noisy": {two, out("1", "2"), out("3", "2")},
			"lost": {two, out("1", "2"), "select 1;\n"}, "exits": {two, out("1", "2"), out("1", "2")}, "hangs": {two, out("1", "2"), "select 1;\n1\nselect 2;\n"},
		})
	type outcome struct {
		verdict Verdict
		end     End
		line    int
		counts  Counts
	}
	want := map[string]outcome{
		"good":    {Passed, WholeFile, 0, Counts{All: 2, Same: 2, Prints: 2, PrintsSame: 2}},
		"bad":     {Failed, WholeFile, 0, Counts{All: 2, Same: 1, Prints: 2, PrintsSame: 1, Bad: 1}},
		"noisy":   {Ignored, WholeFile, 0, Counts{All: 2, Same: 1, Prints: 2, PrintsSame: 1, Bad: 1}},
		"lost":    {Failed, LostConnection, 1, Counts{All: 2, Prints: 2, NotRun: 1, Bad: 2}},
		"skipped": {verdict: Skipped},
		"exits":   {Passed, WholeFile, 0, Counts{All: 2, Same: 2, Prints: 2, PrintsSame: 2}},
		"hangs":   {Failed, Hang, 2, Counts{All: 2, Same: 1, Prints: 2, PrintsSame: 1, Bad: 1}},
	}
	for _, f := range report.Files {
		if got := (outcome{f.Verdict, f.End, f.EndLine, f.Counts()}); got != want[f.Name] {
			t.Errorf("%s: %+v, want %+v", f.Name, got, want[f.Name])
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("not in the report: %v", want)
	}
	if s := report.Summary(); s != "4 of 6 tests failed, 1 of these failures ignored." {
		t.Error(s)
	}
	diffs, err := os.ReadFile(filepath.Join(opt.OutputDir, "regression.diffs"))
	if err != nil || strings.Count(string(diffs), "diff -U3 ") != 4 || !strings.Contains(string(diffs), "\n-2\n+7\n") {
		t.Errorf("%v\n%s", err, diffs)
	}
	for _, line := range []string{"test good                         ... ok     ", "     noisy                        ... failed (ignored) ", "     lost the connection at lost.sql:1: select 1;",
		"     hung at hangs.sql:2: select 2;", "ok     (test process exited with exit code 3)"} {
		if !strings.Contains(status, line) {
			t.Errorf("no line %q in\n%s", line, status)
		}
	}
	checkReports(t, report)
}

// checkReports looks at the table and the JUnit file of TestRun.
func checkReports(t *testing.T, report *Report) {
	t.Helper()
	var table, junit strings.Builder
	if err := report.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"total            12      7   58.3        12      7   58.3", "skipped  left out: why not", "lost              2      0    0.0"} {
		if !strings.Contains(table.String(), line) {
			t.Errorf("no line %q in\n%s", line, table.String())
		}
	}
	if err := report.WriteJUnit(&junit); err != nil {
		t.Fatal(err)
	}
	var suite junitSuite
	if err := xml.Unmarshal([]byte(junit.String()), &suite); err != nil {
		t.Fatal(err)
	}
	if suite.Tests != 7 || suite.Failures != 2 || suite.Errors != 1 || suite.Skipped != 2 {
		t.Errorf("%+v", suite)
	}
}

func TestEnvironment(t *testing.T) {
	report, opt, _ := fakeRun(t, Options{DLPath: "/lib"}, "test: env\n", map[string][3]string{"env": {"select 1;\n", "", ""}})
	want := "America/Los_Angeles|Postgres, MDY|-c x=y -c intervalstyle=postgres_verbose|C|" + opt.InputDir + "|" + opt.OutputDir +
		"|/lib|.so|unset|-X -d regression -a -q -v HIDE_TABLEAM=on -v HIDE_TOAST_COMPRESSION=on"
	if len(report.Files) != 1 || !strings.Contains(report.Files[0].Diff, "+"+want+"\n") {
		t.Errorf("want %s\n%s", want, report.Files[0].Diff)
	}
}

// Nothing but PostgreSQL 15 may be recorded from.
func TestRealPostgres(t *testing.T) {
	for version, want := range map[string]bool{
		"PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14+deb12u1) 12.2.0, 64-bit": true,
		"PostgreSQL 15.4 on aarch64-apple-darwin21.6.0, compiled by Apple clang version 14.0.0, 64-bit":                               true,
		"PostgreSQL 15.18 (calf 0123456789ab), 64-bit":                                                                                false,
		"PostgreSQL 16.2 on x86_64-pc-linux-gnu, compiled by gcc, 64-bit":                                                             false,
	} {
		if realPostgres.MatchString(version) != want {
			t.Errorf("%s: want %v", version, want)
		}
	}
}
