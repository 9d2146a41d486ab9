package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/calfdb/calf/regress/isolation"
	"github.com/calfdb/calf/regress/target"
)

func init() {
	register(command{"isolation", "run isolation specs against a server", runIsolation})
}

// isolationFlags are the flags of `calf isolation`.
type isolationFlags struct {
	suite    isolation.Suite
	print    bool // no suite: one spec to standard output
	host     string
	port     int
	user     string
	postgres bool
}

func parseIsolationFlags(args []string, errOut io.Writer) (*isolationFlags, error) {
	f := &isolationFlags{}
	fs := flag.NewFlagSet("calf isolation", flag.ContinueOnError)
	fs.SetOutput(errOut)
	fs.Usage = func() {
		fmt.Fprintln(errOut, "Usage: calf isolation [flags] [NAME...]\n"+
			"Runs NAME's specs, or all of a directory, against a private calf (or PostgreSQL) or, with --host, a running server.\n"+
			"       calf isolation --print < FILE.spec\nPrints what one spec gives.")
		fs.PrintDefaults()
	}
	fs.StringVar(&f.suite.Dir, "dir", "regress/isolation", "`directory` with specs/, expected/ and perhaps isolation_schedule")
	fs.StringVar(&f.suite.Results, "results", "", "`directory` for results/ and regression.diffs (default: a temporary one)")
	fs.StringVar(&f.suite.Database, "dbname", "", "database `name`; for a suite it is dropped and made anew (default "+isolation.DefaultDatabase+"; with --print postgres)")
	fs.BoolVar(&f.suite.KeepData, "use-existing", false, "use the database as it is")
	fs.BoolVar(&f.print, "print", false, "run the spec on standard input and print its output, as isolationtester does")
	fs.StringVar(&f.host, "host", "", "`host` or socket directory of a running server (default: start one)")
	fs.IntVar(&f.port, "port", 5432, "its `port`")
	fs.StringVar(&f.user, "user", "postgres", "a superuser's `name`")
	fs.BoolVar(&f.postgres, "postgres", false, "start a PostgreSQL 15 instead of a calf")
	fs.DurationVar(&f.suite.StepTimeout, "step-timeout", timeoutFromEnv(), "limit of a step, after which it is cancelled (default: PGISOLATIONTIMEOUT seconds)")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	f.suite.Names = fs.Args()
	return f, nil
}

// timeoutFromEnv reads PGISOLATIONTIMEOUT, in seconds, as the stock program does.
func timeoutFromEnv() time.Duration {
	if n, err := strconv.Atoi(os.Getenv("PGISOLATIONTIMEOUT")); err == nil && n > 0 {
		return time.Duration(n) * time.Second
	}
	return isolation.DefaultStepTimeout
}

// runIsolation exits with 0 when all is as expected, 1 when something differs, 2 when it could not run.
func runIsolation(args []string, out, errOut io.Writer) int {
	f, err := parseIsolationFlags(args, errOut)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	ok, err := f.run(ctx, out)
	if err != nil {
		fmt.Fprintf(errOut, "calf isolation: %v\n", err)
		return 2
	}
	if !ok {
		return 1
	}
	return 0
}

func (f *isolationFlags) run(ctx context.Context, out io.Writer) (ok bool, err error) {
	server, err := f.server(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	if f.print {
		if f.suite.Database == "" {
			f.suite.Database = "postgres"
		}
		spec, err := io.ReadAll(os.Stdin)
		if err != nil {
			return false, err
		}
		err = isolation.Run(ctx, string(spec), out, isolation.Options{Conn: server.ConnString(f.suite.Database), StepTimeout: f.suite.StepTimeout})
		return err == nil, ignoreStopped(err)
	}
	if f.suite.Results == "" {
		if f.suite.Results, err = os.MkdirTemp("", "calf-isolation-"); err != nil {
			return false, err
		}
	}
	f.suite.Out = out
	report, err := f.suite.Run(ctx, server)
	if err == nil && report.Missing() > 0 {
		err = fmt.Errorf("%d specs have no file, or no expected output", report.Missing())
	}
	return err == nil && report.Failed() == 0, err
}

// ignoreStopped: the output has said why a spec was not run to its end.
func ignoreStopped(err error) error {
	if errors.Is(err, isolation.ErrStopped) {
		return nil
	}
	return err
}

func (f *isolationFlags) server(ctx context.Context) (*target.Server, error) {
	if f.host != "" {
		return target.Running(f.host, f.port, f.user, target.DefaultBinDir()), nil
	}
	o := target.Options{Kind: target.Calf, Settings: []string{"max_prepared_transactions=10"}}
	if f.postgres {
		o.Kind = target.Postgres
		o.InitArgs = []string{"--locale=C.UTF-8", "-E", "UTF8"}
	}
	return target.Start(ctx, o)
}
