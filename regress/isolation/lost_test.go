package isolation

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/calfdb/calf/regress/target"
)

// TestServerLost: the server is killed, or stops to answer, in the middle of a spec. The rest of that spec is lost and the step's line is reported; the
// server is started again, and the specs after it run as if nothing had been.
func TestServerLost(t *testing.T) {
	bin, err := target.BuildCalf(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, ctx := t.TempDir(), context.Background()
	server, err := target.Start(ctx, target.Options{Kind: target.Calf, Binary: bin, Dir: filepath.Join(dir, "server")})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	waits := "session s1\nstep one { SELECT 1; }\nstep waits { SELECT pg_sleep(120); }\nstep never { SELECT 2; }\npermutation one waits never\n"
	good := "session s1\nstep one { SELECT 1; }\npermutation one\n"
	goodOut := "Parsed test spec with 1 sessions\n\nstarting permutation: one\nstep one: SELECT 1;\n?column?\n--------\n       1\n(1 row)\n\n"
	for name, text := range map[string]string{
		"specs/before.spec": good, "expected/before.out": goodOut, "specs/killed.spec": waits, "expected/killed.out": "x\n", "specs/between.spec": good,
		"expected/between.out": goodOut, "specs/stopped.spec": waits, "expected/stopped.out": "x\n", "specs/noexpected.spec": good,
		"specs/after.spec": good, "expected/after.out": goodOut,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	go signalWhenAsleep(t, server, filepath.Join(dir, "server/data/postmaster.pid"), syscall.SIGKILL, syscall.SIGSTOP)
	var out strings.Builder
	suite := Suite{Dir: dir, Results: filepath.Join(dir, "results"), Names: []string{"before", "killed", "between", "stopped", "nospec", "noexpected", "after"},
		StepTimeout: 2 * time.Second, Out: &out}
	report, err := suite.Run(ctx, server)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	t.Log("\n" + out.String())
	for _, v := range report.Verdicts {
		wantOK := v.Name == "before" || v.Name == "between" || v.Name == "after"
		wantStopped := v.Name == "killed" || v.Name == "stopped"
		if v.OK != wantOK || v.Stopped != wantStopped || v.Missing != (!wantOK && !wantStopped) {
			t.Errorf("%+v", v)
		}
		if v.Stopped && !strings.Contains(v.Why, "after step waits of line 3: ") {
			t.Errorf("%s: %s", v.Name, v.Why)
		}
	}
	if len(report.Verdicts) != 7 || report.Restarts != 2 || report.Missing() != 2 {
		t.Errorf("%d verdicts, %d restarts, %d missing", len(report.Verdicts), report.Restarts, report.Missing())
	}
}

// signalWhenAsleep sends each of the signals to the server, once a session is in pg_sleep.
func signalWhenAsleep(t *testing.T, server *target.Server, pidFile string, signals ...syscall.Signal) {
	for _, sig := range signals {
		for {
			out, err := server.Query(context.Background(), "postgres", "select count(*) from pg_stat_activity where state = 'active' and query like '%pg_sleep(120)%' and pid <> pg_backend_pid()")
			if err == nil && out == "1" {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		b, err := os.ReadFile(pidFile)
		if err != nil {
			t.Error(err)
			return
		}
		first, _, _ := strings.Cut(string(b), "\n")
		pid, err := strconv.Atoi(first)
		if err != nil {
			t.Error(err)
			return
		}
		if err := syscall.Kill(pid, sig); err != nil {
			t.Error(err)
			return
		}
	}
}
