package pgregress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/calfdb/calf/regress/target"
)

// runner is a run under way.
type runner struct {
	opt       Options
	srv       *target.Server
	resultMap resultMap
	report    *Report
	status    io.Writer
	diffs     *os.File
	progress  *progress
}

// Run runs the tests on a server. The error says that they could not be run; tests that fail are in the report.
func Run(ctx context.Context, srv *target.Server, opt Options) (*Report, error) {
	if err := opt.setDefaults(); err != nil {
		return nil, err
	}
	r := &runner{opt: opt, srv: srv, report: &Report{Name: filepath.Base(opt.InputDir)}}
	groups, err := opt.groups()
	if err != nil {
		return nil, err
	}
	if opt.Update {
		if err := r.requirePostgres(ctx); err != nil {
			return nil, err
		}
	}
	if r.resultMap, err = readResultMap(opt.InputDir, hostPlatform()); err != nil {
		return nil, err
	}
	closeFiles, err := r.openFiles()
	if err != nil {
		return nil, err
	}
	defer closeFiles()
	if err := r.prepareDatabase(ctx); err != nil {
		return nil, err
	}
	return r.report, r.runAll(ctx, groups)
}

// openFiles makes the output directory with the empty regression.out and regression.diffs.
func (r *runner) openFiles() (closeFiles func(), err error) {
	if err := os.MkdirAll(filepath.Join(r.opt.OutputDir, "results"), 0o777); err != nil {
		return nil, err
	}
	out, err := os.Create(filepath.Join(r.opt.OutputDir, "regression.out"))
	if err != nil {
		return nil, err
	}
	if r.diffs, err = os.Create(filepath.Join(r.opt.OutputDir, "regression.diffs")); err != nil {
		out.Close()
		return nil, err
	}
	r.status = out
	if r.opt.Status != nil {
		r.status = io.MultiWriter(out, r.opt.Status)
	}
	return func() {
		out.Close()
		r.diffs.Close()
	}, nil
}

// input is the path of a test's file: in the output directory when it is there, else in the input directory.
func (r *runner) input(folder, test, ext string) string {
	path := filepath.Join(r.opt.OutputDir, folder, test+ext)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	return filepath.Join(r.opt.InputDir, folder, test+ext)
}

func (r *runner) result(test string) string {
	return filepath.Join(r.opt.OutputDir, "results", test+".out")
}

func (r *runner) runAll(ctx context.Context, groups []group) error {
	total := 0
	for _, g := range groups {
		total += len(g.tests)
	}
	r.progress = newProgress(r.opt.Progress, total)
	defer r.progress.end()
	causes := newAttribution()
	for _, g := range groups {
		g.tests = r.withoutSkipped(g.tests)
		runs := r.runGroup(ctx, g.tests)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		reviveErr := r.reviveServer(ctx, runs)
		for i, test := range g.tests {
			f, err := r.judge(test, runs[i], g.ignored[test])
			if err != nil {
				return err
			}
			causes.add(f)
			r.report.Files = append(r.report.Files, f)
			r.printVerdict(f, len(g.tests) > 1)
			r.progress.done(f)
		}
		if reviveErr != nil {
			return reviveErr
		}
	}
	r.report.Causes = causes.list()
	return nil
}

// withoutSkipped leaves the tests out that the run is to skip, and notes them.
func (r *runner) withoutSkipped(tests []string) []string {
	var out []string
	for _, t := range tests {
		if reason, ok := r.opt.Skip[t]; ok {
			r.report.Files = append(r.report.Files, &FileResult{Name: t, Verdict: Skipped, Reason: reason})
			continue
		}
		out = append(out, t)
	}
	return out
}

// runGroup runs tests at the same time, Jobs of them at once.
func (r *runner) runGroup(ctx context.Context, tests []string) []*fileRun {
	runs := make([]*fileRun, len(tests))
	jobs := r.opt.Jobs
	if jobs <= 0 {
		jobs = len(tests)
	}
	slots := make(chan struct{}, max(1, jobs))
	var wg sync.WaitGroup
	for i, test := range tests {
		slots <- struct{}{}
		wg.Add(1)
		go func() {
			defer func() { <-slots; wg.Done() }()
			r.progress.begin(test)
			runs[i] = r.runFile(ctx, test)
			if jobs == 1 && runs[i].badEnd() { // the next file shall find a server
				runs[i].reviveErr = r.revive(ctx, runs[i])
			}
		}()
	}
	wg.Wait()
	return runs
}

// reviveServer has the server answer again after a group in which a session ended badly. A session that had to be killed tells most about the server;
// a server that was lost was so for all that ended badly.
func (r *runner) reviveServer(ctx context.Context, runs []*fileRun) error {
	var bad []*fileRun
	for _, run := range runs {
		if run.reviveErr != nil {
			return run.reviveErr
		}
		if run.badEnd() && !run.revived {
			bad = append(bad, run)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	first := bad[0]
	for _, run := range bad {
		if run.stuck {
			first = run
			break
		}
	}
	err := r.revive(ctx, first)
	for _, run := range bad {
		run.serverLost = run.serverLost || first.serverLost
	}
	return err
}

// revive starts the server again if it ended, answers no more, or has a session that could not be cancelled.
func (r *runner) revive(ctx context.Context, run *fileRun) error {
	run.revived = true
	if !run.stuck && !r.srv.Ended() && r.srv.AwaitHealthy(ctx) {
		return nil
	}
	run.serverLost = true
	err := r.srv.Restart(ctx)
	if errors.Is(err, target.ErrNotOwned) {
		if run.stuck && r.srv.AwaitHealthy(ctx) {
			return nil
		}
		return fmt.Errorf("the server does not answer any more after %s: %w", run.test, err)
	}
	if err != nil {
		return fmt.Errorf("restarting the server after %s: %w", run.test, err)
	}
	r.report.Restarts++
	return nil
}
