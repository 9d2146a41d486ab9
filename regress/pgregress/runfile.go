package pgregress

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// fileRun is a test's psql, when it has ended.
type fileRun struct {
	test     string
	duration time.Duration
	exit     int   // exit status, -1 for a signal
	err      error // psql did not run
	missing  error // there is no such test
	timedOut bool
	stuck    bool // it had to be killed: the server did not answer the cancel request
	logFrom  int64

	revived    bool // the server was looked at after the bad end
	serverLost bool // the server had ended, or had to be ended
	reviveErr  error
	reason     string // what the server's log says about its end
}

// badEnd says that psql lost its connection or was ended: the server may be in a bad state.
func (f *fileRun) badEnd() bool { return f.timedOut || f.exit != 0 || f.err != nil }

// cancelLimit is how long psql gets to cancel its statement and end, when the time of its test is over.
const cancelLimit = 5 * time.Second

// runFile runs psql on a test's file, with its output and errors going to the result file.
func (r *runner) runFile(ctx context.Context, test string) *fileRun {
	run := &fileRun{test: test, logFrom: logSize(r.srv.LogFile())}
	started := time.Now()
	run.err = r.runPsql(ctx, test, run)
	run.duration = time.Since(started)
	return run
}

func (r *runner) runPsql(ctx context.Context, test string, run *fileRun) error {
	in, err := os.Open(r.input("sql", test, ".sql"))
	if errors.Is(err, fs.ErrNotExist) {
		run.missing = err
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(r.result(test)), 0o777); err != nil {
		return err
	}
	out, err := os.Create(r.result(test))
	if err != nil {
		return err
	}
	defer out.Close()
	c := r.srv.Psql(ctx, r.opt.DBName, "-a", "-q", "-v", "HIDE_TABLEAM=on", "-v", "HIDE_TOAST_COMPRESSION=on")
	c.Env = r.sessionEnv(test)
	c.Stdin, c.Stdout, c.Stderr = in, out, out
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt at the terminal is for the runner
	if err := c.Start(); err != nil {
		return err
	}
	stop := r.limit(c, run)
	err = c.Wait()
	stop()
	run.exit = c.ProcessState.ExitCode()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

// limit ends psql when its time is over: first by an interrupt, which cancels the statement, then by force. The result keeps what was printed.
func (r *runner) limit(c *exec.Cmd, run *fileRun) (stop func()) {
	if r.opt.FileTimeout <= 0 {
		return func() {}
	}
	ended, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-ended:
			return
		case <-time.After(r.opt.FileTimeout):
		}
		run.timedOut = true
		_ = c.Process.Signal(syscall.SIGINT)
		select {
		case <-ended:
		case <-time.After(cancelLimit):
			run.stuck = true
			_ = c.Process.Kill()
		}
	}()
	return func() {
		close(ended)
		<-gone
	}
}

// lostConnection is what psql says when the server goes away.
var lostConnection = regexp.MustCompile(`(?m)^(server closed the connection unexpectedly|connection to server was lost|psql: error: connection to server|FATAL: )`)
