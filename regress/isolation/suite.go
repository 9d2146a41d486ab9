package isolation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/calfdb/calf/regress/target"
	"github.com/calfdb/calf/regress/verdict"
)

// Suite is a directory of specs, in PostgreSQL's layout: specs/NAME.spec, expected/NAME.out with alternates NAME_1.out, and isolation_schedule.
type Suite struct {
	Dir         string
	Names       []string // tests to run; none: the schedule's, else all
	Results     string   // directory that results/NAME.out and regression.diffs go to
	Database    string   // "" = DefaultDatabase, made anew
	KeepData    bool     // use the database as it is
	StepTimeout time.Duration
	Out         io.Writer // one line per test, and a summary
}

// Verdict is the outcome of one spec.
type Verdict struct {
	Name    string
	OK      bool
	Missing bool   // the spec's file, or its expected one, is not there
	Stopped bool   // the spec was not run to its end
	Why     string // why not: the last step with its line of the file, and the message; or what file is missing
	Diff    string // unified, expected to result
	Took    time.Duration
}

// Report is the outcome of a suite.
type Report struct {
	Verdicts []Verdict
	Restarts int // of the server, after a crash or hang
}

// Failed counts the specs that did not give what was expected.
func (r *Report) Failed() (n int) {
	for _, v := range r.Verdicts {
		if !v.OK {
			n++
		}
	}
	return n
}

// Run runs the suite on a server. A server of its own that crashed or hangs is started again: that costs the rest of one spec.
func (s *Suite) Run(ctx context.Context, server *target.Server) (*Report, error) {
	names := s.Names
	if len(names) == 0 {
		var err error
		if names, err = specNames(s.Dir); err != nil {
			return nil, err
		}
	}
	if s.Database == "" {
		s.Database = DefaultDatabase
	}
	if err := os.MkdirAll(filepath.Join(s.Results, "results"), 0o755); err != nil {
		return nil, err
	}
	if !s.KeepData {
		if err := recreateDatabase(ctx, server, s.Database); err != nil {
			return nil, fmt.Errorf("could not make the database: %w", err)
		}
	}
	r := &Report{}
	for _, name := range names {
		v, err := s.runSpec(ctx, server, name)
		if err != nil {
			return r, err
		}
		r.Verdicts = append(r.Verdicts, v)
		s.say(v)
		if !v.OK {
			if err := s.afterFailure(ctx, server, v, r); err != nil {
				return r, err
			}
		}
	}
	return r, s.summarise(r)
}

// runSpec runs one spec, keeps its result file and compares it.
func (s *Suite) runSpec(ctx context.Context, server *target.Server, name string) (Verdict, error) {
	v := Verdict{Name: name}
	text, err := os.ReadFile(filepath.Join(s.Dir, "specs", name+".spec"))
	if errors.Is(err, fs.ErrNotExist) {
		v.Missing, v.Why = true, err.Error()
		return v, nil
	}
	if err != nil {
		return v, err
	}
	result := filepath.Join(s.Results, "results", name+".out")
	out, err := os.Create(result)
	if err != nil {
		return v, err
	}
	start := time.Now()
	err = Run(ctx, string(text), out, Options{Conn: server.ConnString(s.Database), Params: suiteParams(name), StepTimeout: s.StepTimeout})
	v.Took = time.Since(start)
	if v.Stopped = errors.Is(err, ErrStopped); v.Stopped {
		v.Why = err.Error()
	}
	if err := errors.Join(out.Close(), ctx.Err()); err != nil {
		return v, err
	}
	if err != nil && !v.Stopped {
		return v, err
	}
	expected := filepath.Join(s.Dir, "expected", name+".out")
	c, err := verdict.Compare(result, append([]string{expected}, verdict.Alternates(expected)...))
	if errors.Is(err, fs.ErrNotExist) {
		v.Missing, v.Why = true, err.Error()
		return v, nil
	}
	v.OK, v.Diff = c.Same, c.Diff
	return v, err
}

// afterFailure gives the next spec a server that answers, and after a spec that was cut short an empty database. A server that has a session which
// does not end, and so does not let the database go, is started again like one that does not answer.
func (s *Suite) afterFailure(ctx context.Context, server *target.Server, v Verdict, r *Report) error {
	if !server.Healthy(ctx) {
		if err := s.restart(ctx, server, r, "the server does not answer after "+v.Name); err != nil {
			return err
		}
	}
	if !v.Stopped || s.KeepData {
		return nil
	}
	err := recreateDatabase(ctx, server, s.Database)
	if err != nil && server.Owned() && ctx.Err() == nil {
		if err := s.restart(ctx, server, r, fmt.Sprintf("the database can't be made anew after %s: %v", v.Name, err)); err != nil {
			return err
		}
		err = recreateDatabase(ctx, server, s.Database)
	}
	if err != nil {
		return fmt.Errorf("could not make the database anew after %s: %w", v.Name, err)
	}
	return nil
}

func (s *Suite) restart(ctx context.Context, server *target.Server, r *Report, why string) error {
	if err := server.Restart(ctx); err != nil {
		return fmt.Errorf("%s: %w", why, err)
	}
	r.Restarts++
	fmt.Fprintf(s.Out, "# %s: it was started again\n", why)
	return nil
}

func (s *Suite) say(v Verdict) {
	verdict := "ok"
	switch {
	case v.Stopped:
		verdict = "FAILED (stopped)"
	case !v.OK:
		verdict = "FAILED"
	}
	fmt.Fprintf(s.Out, "test %-32s ... %-8s %8d ms\n", v.Name, verdict, v.Took.Milliseconds())
	if v.Why != "" {
		fmt.Fprintf(s.Out, "     %s\n", v.Why)
	}
}

// Missing counts the specs without a file of their own or an expected one.
func (r *Report) Missing() (n int) {
	for _, v := range r.Verdicts {
		if v.Missing {
			n++
		}
	}
	return n
}

// summarise counts, and writes the diffs to one file.
func (s *Suite) summarise(r *Report) error {
	failed := r.Failed()
	path := filepath.Join(s.Results, "regression.diffs")
	if failed == 0 {
		fmt.Fprintf(s.Out, "All %d tests passed.\n", len(r.Verdicts))
		return removeIfExists(path)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	for _, v := range r.Verdicts {
		if !v.OK {
			fmt.Fprint(f, v.Diff)
		}
	}
	fmt.Fprintf(s.Out, "%d of %d tests failed. The differences are in %s\n", failed, len(r.Verdicts), path)
	return f.Close()
}

func removeIfExists(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
