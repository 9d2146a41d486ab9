package pgregress

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/calfdb/calf/regress/target"
)

var (
	verdictSuite = flag.String("suite", "", "a directory with sql/, expected/ and parallel_schedule, to compare verdicts on in place of testdata/verdicts")
	verdictCalf  = flag.String("calf", "", "a calf program, to compare verdicts on it too")
)

// pgRegress is where Debian's postgresql-server-dev-15 has it.
const pgRegress = "/usr/lib/postgresql/15/lib/pgxs/src/test/regress/pg_regress"

// TestVerdictsEqualPgRegress runs the same files through stock pg_regress and through this package, on PostgreSQL 15 and, with -calf, on calf, each time on a
// new server: every verdict, every exit status of psql and every difference must be the same.
func TestVerdictsEqualPgRegress(t *testing.T) {
	if _, err := os.Stat(pgRegress); err != nil {
		t.Skip("no pg_regress: it is in the package postgresql-server-dev-15")
	}
	dir, schedule := "testdata/verdicts", "schedule"
	if *verdictSuite != "" {
		dir, schedule = *verdictSuite, "parallel_schedule"
	}
	dir = absolute(dir)
	servers := []target.Options{{Kind: target.Postgres, Settings: []string{"max_prepared_transactions=2"}}}
	if *verdictCalf != "" {
		servers = append(servers, target.Options{Kind: target.Calf, Binary: absolute(*verdictCalf), Settings: []string{"max_prepared_transactions=2"}})
	}
	for _, o := range servers {
		t.Run(o.Kind.String(), func(t *testing.T) {
			theirs, theirDiffs := verdictsOfPgRegress(t, o, dir, schedule)
			ours, ourDiffs := verdictsOfOurs(t, o, dir, schedule)
			if len(theirs) == 0 || !maps.Equal(theirs, ours) {
				t.Errorf("verdicts differ:\n%s", verdictDiff(theirs, ours))
			}
			if *verdictSuite == "" && theirDiffs != ourDiffs { // a whole suite prints times, addresses and the like
				t.Errorf("regression.diffs:\n%s\nours:\n%s", theirDiffs, ourDiffs)
			}
			t.Logf("%d verdicts, %d bytes of differences", len(theirs), len(theirDiffs))
		})
	}
}

// statusLine is a test's line in the output of either runner.
var statusLine = regexp.MustCompile(`^(?:test|    ) (\S+)\s+\.\.\. (ok|FAILED|failed \(ignored\)) *(\(test process.*\))?`)

func parseVerdicts(out string) map[string]string {
	verdicts := map[string]string{}
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
		if m := statusLine.FindStringSubmatch(lines.Text()); m != nil {
			verdicts[m[1]] = m[2] + m[3]
		}
	}
	return verdicts
}

func verdictDiff(theirs, ours map[string]string) string {
	var b strings.Builder
	for name, v := range theirs {
		if ours[name] != v {
			b.WriteString(name + ": pg_regress " + v + ", ours " + ours[name] + "\n")
		}
	}
	for name, v := range ours {
		if theirs[name] == "" {
			b.WriteString(name + ": only ours " + v + "\n")
		}
	}
	return b.String()
}

// newServer starts a server whose results directory it can write to.
func newServer(t *testing.T, o target.Options) (*target.Server, string) {
	t.Helper()
	s, err := target.Start(context.Background(), o)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { s.Close() })
	out, err := os.MkdirTemp("", "verdicts")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(out) })
	if err := errors.Join(os.Chmod(out, 0o755), os.Mkdir(filepath.Join(out, "results"), 0o755), os.Chmod(filepath.Join(out, "results"), 0o777)); err != nil {
		t.Fatal(err)
	}
	return s, out
}

func verdictsOfPgRegress(t *testing.T, o target.Options, dir, schedule string) (map[string]string, string) {
	s, out := newServer(t, o)
	c := exec.Command(pgRegress, "--inputdir="+dir, "--outputdir="+out, "--bindir="+target.DefaultBinDir(), "--host="+s.Host, "--port=5432", "--user="+s.User,
		"--dlpath="+dir, "--no-locale", "--encoding=UTF8", "--max-connections=1", "--schedule="+filepath.Join(dir, schedule))
	b, err := c.CombinedOutput()
	if c.ProcessState.ExitCode() != 1 { // some fail on purpose
		t.Fatalf("pg_regress: %v\n%s", err, b)
	}
	return parseVerdicts(string(b)), readDiffs(t, out)
}

func verdictsOfOurs(t *testing.T, o target.Options, dir, schedule string) (map[string]string, string) {
	s, out := newServer(t, o)
	var status strings.Builder
	_, err := Run(context.Background(), s, Options{InputDir: dir, OutputDir: out, DLPath: dir, NoLocale: true, Encoding: "UTF8", Jobs: 1,
		Schedules: []string{filepath.Join(dir, schedule)}, Status: &status, FileTimeout: 10 * time.Minute})
	if err != nil {
		t.Fatalf("%v\n%s", err, status.String())
	}
	return parseVerdicts(status.String()), readDiffs(t, out)
}

// readDiffs gives regression.diffs without what differs between two runs: the output directory and times.
func readDiffs(t *testing.T, out string) string {
	b, err := os.ReadFile(filepath.Join(out, "regression.diffs"))
	if err != nil {
		t.Fatal(err)
	}
	return diffTime.ReplaceAllString(strings.ReplaceAll(string(b), out, "OUT"), "$1")
}

var diffTime = regexp.MustCompile(`(?m)^((?:---|\+\+\+) \S+)\t.*$`)
