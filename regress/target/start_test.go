package target

import (
	"context"
	"os"
	"testing"
)

// calfBinary is the calf program.
func calfBinary(t *testing.T) string {
	t.Helper()
	bin, err := BuildCalf(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// The life of a private server of either kind: start, a table, kill -9, restart, the table is still there, close.
func TestLife(t *testing.T) {
	kinds := []Options{{Kind: Calf, Binary: calfBinary(t)}}
	if DefaultBinDir() != "" {
		kinds = append(kinds, Options{Kind: Postgres})
	}
	for _, o := range kinds {
		t.Run(o.Kind.String(), func(t *testing.T) { life(t, o) })
	}
}

func life(t *testing.T, o Options) {
	ctx := context.Background()
	s, err := Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	dir := s.proc.dir
	if _, err := s.Query(ctx, "postgres", "create table t as select 42 as a"); err != nil {
		t.Error(err)
	}
	if _, err := s.Query(ctx, "postgres", "select nonsense"); err == nil {
		t.Error("a statement that fails gives no error")
	}
	if err := s.Kill(); err != nil {
		t.Error(err)
	}
	if !s.Ended() || s.Healthy(ctx) {
		t.Error("the server runs after it was killed")
	}
	if err := s.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	if out, err := s.Query(ctx, "postgres", "select a from t"); err != nil || out != "42" {
		t.Errorf("after the restart: %q, %v", out, err)
	}
	if err := s.Restart(ctx); err != nil { // of a server that runs
		t.Fatal(err)
	}
	if s.LogTail(1000) == "" {
		t.Error("no log")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("Close left the directory")
	}
}

// A server that ends at once is an error with the reason, not a wait.
func TestStartFails(t *testing.T) {
	_, err := Start(context.Background(), Options{Kind: Calf, Binary: "/bin/false"})
	if err == nil {
		t.Error("no error")
	}
}

// A server of somebody else is never touched.
func TestRunning(t *testing.T) {
	s := Running(t.TempDir(), 1, "nobody", DefaultBinDir())
	if s.Owned() || s.Ended() || s.Healthy(context.Background()) {
		t.Error("a server that is not there")
	}
	if s.Restart(context.Background()) != ErrNotOwned || s.Kill() != ErrNotOwned || s.Close() != nil {
		t.Error("a server that is not ours was touched")
	}
}
