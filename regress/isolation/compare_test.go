package isolation

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/calfdb/calf/regress/target"
)

// stockTester is Debian's isolationtester, of the package postgresql-server-dev-15.
const stockTester = "/usr/lib/postgresql/15/lib/pgxs/src/test/isolation/isolationtester"

// TestSameAsIsolationtester runs specs with the stock program and with this package against one PostgreSQL, and compares what they print byte by
// byte: the odd ones of testdata, our own, and those of CALF_ISOLATION_DIR (`make isolation-compare` sets it to PostgreSQL's).
func TestSameAsIsolationtester(t *testing.T) {
	if _, err := os.Stat(stockTester); err != nil {
		t.Skip("no isolationtester: install postgresql-server-dev-15")
	}
	ctx := context.Background()
	server, err := target.Start(ctx, target.Options{Kind: target.Postgres, Settings: []string{"max_prepared_transactions=10"},
		InitArgs: []string{"--locale=C.UTF-8", "-E", "UTF8"}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	emptyDatabase(t, server)
	compareSpecs(t, server, "testdata/odd", time.Second)
	compareSpecs(t, server, "specs", 10*time.Second)
	if dir := os.Getenv("CALF_ISOLATION_DIR"); dir != "" {
		compareSpecs(t, server, filepath.Join(dir, "specs"), 60*time.Second)
	}
}

var rewrite = flag.Bool("rewrite", false, "write expected/ of our own specs from what isolationtester prints on PostgreSQL")

// attempts is how often a spec is tried: some of PostgreSQL's have alternates, as what they print depends on time.
const attempts = 3

func compareSpecs(t *testing.T, server *target.Server, dir string, stepTimeout time.Duration) {
	specs, err := filepath.Glob(filepath.Join(dir, "*.spec"))
	if err != nil || len(specs) == 0 {
		t.Fatalf("no specs in %s: %v", dir, err)
	}
	for _, path := range specs {
		name := strings.TrimSuffix(filepath.Base(path), ".spec")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var stock, ours []byte
			for range attempts {
				stock = runStock(t, server, name, text, stepTimeout)
				ours = runOurs(t, server, name, text, stepTimeout)
				if bytes.Equal(stock, ours) {
					keep(t, dir, name, stock)
					return
				}
			}
			t.Errorf("isolationtester:\n%s\nours:\n%s", stock, ours)
		})
	}
}

// keep writes an expected file, when asked to.
func keep(t *testing.T, dir, name string, stock []byte) {
	t.Helper()
	if !*rewrite || dir != "specs" {
		return
	}
	if err := os.WriteFile(filepath.Join("expected", name+".out"), stock, 0o644); err != nil {
		t.Fatal(err)
	}
}

func runStock(t *testing.T, server *target.Server, name string, spec []byte, stepTimeout time.Duration) []byte {
	t.Helper()
	cmd := exec.Command(stockTester, "dbname="+DefaultDatabase)
	cmd.Env = append(os.Environ(), server.Env()...)
	cmd.Env = append(cmd.Env, fmt.Sprintf("PGISOLATIONTIMEOUT=%d", int(stepTimeout/time.Second)), "PGTZ=PST8PDT", "PGDATESTYLE=Postgres, MDY",
		"PGOPTIONS=-c intervalstyle=postgres_verbose", "PGAPPNAME=isolation/"+name)
	cmd.Stdin = bytes.NewReader(spec)
	out, err := cmd.CombinedOutput()
	afterSpec(t, server, out, err)
	return out
}

func runOurs(t *testing.T, server *target.Server, name string, spec []byte, stepTimeout time.Duration) []byte {
	t.Helper()
	var out bytes.Buffer
	err := Run(context.Background(), string(spec), &out,
		Options{Conn: server.ConnString(DefaultDatabase), Params: suiteParams(name), StepTimeout: stepTimeout})
	afterSpec(t, server, out.Bytes(), err)
	return out.Bytes()
}

// afterSpec takes away what a spec left: one that was not run to its end, or any of PostgreSQL's, not all of which clean up.
func afterSpec(t *testing.T, server *target.Server, out []byte, err error) {
	t.Helper()
	if err != nil && bytes.Contains(out, []byte("starting permutation")) || os.Getenv("CALF_ISOLATION_DIR") != "" {
		emptyDatabase(t, server)
	}
}

func emptyDatabase(t *testing.T, server *target.Server) {
	t.Helper()
	if err := recreateDatabase(context.Background(), server, DefaultDatabase); err != nil {
		t.Fatal(err)
	}
}
