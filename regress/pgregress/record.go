package pgregress

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// realPostgres is what version() of a PostgreSQL 15 answers: it names the compiler, which no other server's does.
var realPostgres = regexp.MustCompile(`^PostgreSQL 15\.\d+.* on .*, compiled by .*, (32|64)-bit$`)

// requirePostgres refuses to record expected output from anything but PostgreSQL 15.
func (r *runner) requirePostgres(ctx context.Context) error {
	v, err := r.srv.Query(ctx, "postgres", "SELECT version()")
	if err != nil {
		return err
	}
	if !realPostgres.MatchString(v) {
		return fmt.Errorf("expected output is recorded from PostgreSQL 15 only, and this server is %q", v)
	}
	return nil
}

// record makes a test's result its expected file. A session that had to be ended is not worth recording.
func (r *runner) record(test string, run *fileRun) error {
	if run.timedOut {
		return fmt.Errorf("test %s is not recorded: it did not end after %v", test, r.opt.FileTimeout)
	}
	b, err := os.ReadFile(r.result(test))
	if err != nil {
		return err
	}
	path := filepath.Join(r.opt.InputDir, "expected", test+".out")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o644)
}
