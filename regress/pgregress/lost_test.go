package pgregress

import (
	"context"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/calfdb/calf/regress/target"
)

// startCalf starts a calf whose data directory is known before it is there, so that files can name its postmaster.pid.
func startCalf(t *testing.T) (s *target.Server, pidFile string) {
	t.Helper()
	bin, err := target.BuildCalf(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if s, err = target.Start(context.Background(), target.Options{Kind: target.Calf, Binary: bin, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, filepath.Join(dir, "data", "postmaster.pid")
}

// lostOutcome is what TestServerLost looks at.
type lostOutcome struct {
	verdict Verdict
	end     End
	line    int
	text    string
	counts  Counts
}

// TestServerLost: the server is killed, or stops to answer, in the middle of a file. The rest of that file is lost and the line is reported; the server is
// started again, and the files after it run as if nothing had been. In a group all that were connected are lost.
func TestServerLost(t *testing.T) {
	s, pidFile := startCalf(t)
	whole := "select 1 as a;\n"
	out := "select 1 as a;\n a \n---\n 1\n(1 row)\n\n"
	kill := `\! kill -KILL $(head -1 ` + pidFile + ")\n"
	// A signal to stop takes its time; psql goes on when it has taken effect.
	stop := `\! pid=$(head -1 ` + pidFile + "); kill -STOP $pid; until grep -q 'State:.*T' /proc/$pid/status; do :; done\n"
	// bystander waits with its lock until the server is gone; killer_in_group sees it wait first.
	awaitLock := fmt.Sprintf("\\! until psql -h %s -U postgres -XAtc \"select 'waits' from pg_locks where locktype = 'advisory'\" postgres | grep -q waits; do :; done\n", s.Host)
	bystander := "select pg_advisory_lock(1), pg_sleep(60);\n"
	files := map[string]string{
		"schedule": "test: before\ntest: killed\ntest: between\ntest: stopped\ntest: bystander killer\ntest: nofile noexpected\ntest: after\n",
	}
	add := func(name, sql, expected string) {
		files["sql/"+name+".sql"] = sql
		if expected != "" {
			files["expected/"+name+".out"] = expected
		}
	}
	for _, name := range []string{"before", "between", "after"} {
		add(name, whole, out)
	}
	add("killed", whole+kill+whole+whole, out+kill+out+out)
	add("stopped", whole+"-- a line\n"+stop+whole+whole, out+"-- a line\n"+stop+out+out)
	add("bystander", bystander+whole, bystander+"x\n"+out)
	add("killer", awaitLock+kill+whole, awaitLock+kill+out)
	add("noexpected", whole, "")
	dir := write(t, files)
	var status strings.Builder
	report, err := Run(context.Background(), s, Options{InputDir: dir, OutputDir: filepath.Join(dir, "out"), Schedules: []string{filepath.Join(dir, "schedule")},
		FileTimeout: 3 * time.Second, Status: &status})
	if err != nil {
		t.Fatalf("%v\n%s", err, status.String())
	}
	t.Log("\n" + status.String())
	passed := lostOutcome{counts: Counts{All: 1, Same: 1, Prints: 1, PrintsSame: 1}}
	lost := func(end End, line, all, same int, text string) lostOutcome {
		return lostOutcome{Failed, end, line, text, Counts{All: all, Same: same, Prints: all, PrintsSame: same, NotRun: all - same - 1, Bad: all - same}}
	}
	want := map[string]lostOutcome{
		"before": passed, "between": passed, "after": passed,
		"killed":    lost(Crash, 3, 3, 1, "select 1 as a;"),
		"stopped":   lost(Hang, 4, 3, 1, "select 1 as a;"),
		"bystander": lost(Crash, 1, 2, 0, "select pg_advisory_lock(1), pg_sleep(60);"),
		"killer":    lost(Crash, 3, 1, 0, "select 1 as a;"),
		"nofile":    {verdict: Failed}, "noexpected": {verdict: Failed},
	}
	for _, f := range report.Files {
		if got := (lostOutcome{f.Verdict, f.End, f.EndLine, f.EndText, f.Counts()}); got != want[f.Name] {
			t.Errorf("%s: %+v, want %+v", f.Name, got, want[f.Name])
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("not in the report: %v", want)
	}
	if report.Restarts != 3 || report.Missing() != 2 {
		t.Errorf("%d restarts, %d missing files", report.Restarts, report.Missing())
	}
	for _, line := range []string{"the server crashed at killed.sql:3: select 1 as a;", "hung at stopped.sql:4: select 1 as a;",
		"the server did not cancel the statement", "noexpected.out: no such file", "nofile.sql: no such file"} {
		if !strings.Contains(status.String(), line) {
			t.Errorf("no line %q", line)
		}
	}
	var junit strings.Builder
	var suite junitSuite
	if err := report.WriteJUnit(&junit); err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal([]byte(junit.String()), &suite); err != nil || suite.Tests != 9 || suite.Errors != 6 || suite.Failures != 0 {
		t.Errorf("%v: %+v", err, suite)
	}
}
