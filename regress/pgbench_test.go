package regress

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/rs/zerolog"

	"github.com/calfdb/calf/executor/session"
	"github.com/calfdb/calf/pgwire"
	"github.com/calfdb/calf/sql/settings"
)

// trustAll lets everybody in.
type trustAll struct{ *session.Server }

func (trustAll) Method(*pgwire.AuthRequest) (pgwire.AuthMethod, error) { return pgwire.AuthTrust, nil }

// startServer runs a server on a new data directory and gives a function that runs a client program against it.
func startServer(t *testing.T) func(name string, args ...string) string {
	run, _ := startServerAt(t)
	return run
}

// startServerAt is startServer that also tells the directory of the server's socket.
func startServerAt(t *testing.T) (run func(name string, args ...string) string, socketDir string) {
	return startServerWith(t, nil)
}

// startServerWith is startServerAt with settings, as of the command line.
func startServerWith(t *testing.T, conf map[string]string) (run func(name string, args ...string) string, socketDir string) {
	return startServerOn(t, nil, conf)
}

// startServerOn is startServerWith on a file system; nil = the operating system's.
func startServerOn(t *testing.T, files vfs.FS, conf map[string]string) (run func(name string, args ...string) string, socketDir string) {
	t.Helper()
	dir := t.TempDir()
	set := settings.NewServer()
	for name, value := range conf {
		if err := set.SetArgv(name, value); err != nil {
			t.Fatal(err)
		}
	}
	srv, err := session.Open(session.Options{DataDir: filepath.Join(dir, "data"), Superuser: "postgres", Settings: set, Log: zerolog.Nop(), Files: files})
	if err != nil {
		t.Fatal(err)
	}
	sock, err := os.MkdirTemp("", "calf") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(sock, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	wire := &pgwire.Server{Backend: trustAll{srv}, Log: zerolog.Nop()}
	go wire.Serve(l)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		wire.Shutdown(ctx)
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		os.RemoveAll(sock)
	})
	return func(name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Env = append(os.Environ(), "PGHOST="+sock, "PGPORT=5432", "PGUSER=postgres", "PGDATABASE=postgres", "LC_ALL=C")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}, sock
}

// TestPgbench: stock pgbench fills its tables and runs TPC-B in the three query modes; afterwards all balances agree.
func TestPgbench(t *testing.T) {
	run := startServer(t)
	run("pgbench", "-i", "-q", "--foreign-keys")
	for _, mode := range []string{"simple", "extended", "prepared"} {
		out := run("pgbench", "-n", "-M", mode, "-c", "4", "-j", "2", "-t", "50")
		if !strings.Contains(out, "number of transactions actually processed: 200/200") {
			t.Errorf("%s:\n%s", mode, out)
		}
		run("pgbench", "-n", "-S", "-M", mode, "-c", "2", "-t", "100")
	}
	sums := run("psql", "-XAtc", `select (select sum(abalance) from pgbench_accounts) = (select sum(delta) from pgbench_history),
		(select sum(bbalance) from pgbench_branches) = (select sum(delta) from pgbench_history),
		(select sum(tbalance) from pgbench_tellers) = (select sum(delta) from pgbench_history), (select count(*) from pgbench_history)`)
	if sums != "t|t|t|600\n" {
		t.Errorf("balances: %s", sums)
	}
}
