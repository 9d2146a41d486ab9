package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/calfdb/calf/regress/pgregress"
	"github.com/calfdb/calf/regress/target"
)

func init() {
	register(command{"regress", "run SQL regression tests in PostgreSQL's layout", regress})
}

// regressFlags are the flags of `calf regress`.
type regressFlags struct {
	opt          pgregress.Options
	host, user   string
	port         int
	binDir       string
	tempInstance tempInstanceFlag
	postgres     bool
	settings     []string
	suite        string
	skipFile     string
	score        bool
	causes       int
	junit        string
}

// tempInstanceFlag is a flag that may have a directory: --temp-instance or --temp-instance=DIR.
type tempInstanceFlag struct {
	on  bool
	dir string
}

func (f *tempInstanceFlag) String() string   { return f.dir }
func (f *tempInstanceFlag) IsBoolFlag() bool { return true }

func (f *tempInstanceFlag) Set(v string) error {
	if on, err := strconv.ParseBool(v); err == nil {
		f.on = on
		return nil
	}
	f.on, f.dir = true, v
	return nil
}

// listFlag adds to a list; its value may hold several, with commas between.
type listFlag struct{ into *[]string }

func (f listFlag) String() string { return "" }

func (f listFlag) Set(v string) error {
	*f.into = append(*f.into, strings.Split(v, ",")...)
	return nil
}

const regressUsage = `Usage: calf regress [flags] [test...]
Runs SQL regression tests in PostgreSQL's layout (sql/, expected/) through psql, and compares as pg_regress does.
A test is a name below sql/, or a path sql/NAME.sql. Without tests and schedules, all of sql/ are run.
Exit status: 0 all passed, 1 some failed, 2 they could not be run, or a file of one is missing.

`

func parseRegressFlags(args []string, errOut io.Writer) (*regressFlags, error) {
	f := &regressFlags{}
	fs := flag.NewFlagSet("calf regress", flag.ContinueOnError)
	fs.SetOutput(errOut)
	fs.Usage = func() {
		fmt.Fprint(errOut, regressUsage)
		fs.PrintDefaults()
	}
	o := &f.opt
	fs.StringVar(&o.InputDir, "inputdir", ".", "`directory` with sql/ and expected/")
	fs.StringVar(&o.OutputDir, "outputdir", ".", "`directory` for results/, regression.diffs and regression.out")
	fs.StringVar(&f.suite, "suite", "", "`directory` of a suite: --inputdir of it, and its parallel_schedule when no test is named")
	fs.Var(listFlag{&o.Schedules}, "schedule", "schedule `file` (may be repeated)")
	fs.StringVar(&o.DBName, "dbname", "regression", "`name` of the database, which is dropped and created")
	fs.BoolVar(&o.UseExisting, "use-existing", false, "use the database as it is")
	fs.StringVar(&o.Encoding, "encoding", "", "`encoding` of the database and of psql")
	fs.BoolVar(&o.NoLocale, "no-locale", false, "the C locale")
	fs.Var(listFlag{&o.Roles}, "create-role", "`role` to create first (may be repeated)")
	fs.Var(listFlag{&o.LoadExtensions}, "load-extension", "`extension` to create first (may be repeated)")
	fs.StringVar(&o.DLPath, "dlpath", "", "`directory` of the tests' C libraries")
	fs.IntVar(&o.Jobs, "max-connections", 0, "tests of a group that run at the same time; 0 = all of them")
	fs.DurationVar(&o.FileTimeout, "file-timeout", 5*time.Minute, "`time` that a test may take; 0 = any")
	fs.BoolVar(&o.Update, "update", false, "record the results as expected files; from PostgreSQL 15 only")
	fs.StringVar(&f.skipFile, "skip", "", "`file` with tests to leave out: lines of name: reason")
	fs.StringVar(&f.host, "host", os.Getenv("PGHOST"), "`host` or socket directory of the server")
	fs.IntVar(&f.port, "port", envPort(), "`port` of the server")
	fs.StringVar(&f.user, "user", os.Getenv("PGUSER"), "`name` of a superuser")
	fs.StringVar(&f.binDir, "bindir", target.DefaultBinDir(), "`directory` of psql, and of PostgreSQL's server programs; empty = the search path")
	fs.Var(&f.tempInstance, "temp-instance", "start a calf for the tests, in `=DIR` or a temporary directory, and again when it crashes")
	fs.BoolVar(&f.postgres, "postgres", false, "with --temp-instance: start a PostgreSQL instead")
	fs.Func("c", "with --temp-instance: a setting, `name=value` (may be repeated)", func(v string) error {
		f.settings = append(f.settings, v)
		return nil
	})
	fs.BoolVar(&f.score, "score", false, "print the score of each file")
	fs.IntVar(&f.causes, "causes", 0, "print the `n` most frequent causes of differences")
	fs.StringVar(&f.junit, "junit", "", "write a JUnit report to `file`")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	o.Tests = fs.Args()
	return f, f.finish()
}

func envPort() int {
	if n, err := strconv.Atoi(os.Getenv("PGPORT")); err == nil {
		return n
	}
	return 5432
}

// finish works out what depends on several flags.
func (f *regressFlags) finish() error {
	if f.suite != "" {
		f.opt.InputDir = f.suite
		if len(f.opt.Tests) == 0 && len(f.opt.Schedules) == 0 {
			f.opt.Schedules = []string{filepath.Join(f.suite, "parallel_schedule")}
		}
	}
	if f.user == "" {
		f.user = "postgres"
		if u, err := user.Current(); err == nil && u.Uid != "0" {
			f.user = u.Username
		}
	}
	if f.host == "" {
		f.host = "/var/run/postgresql"
	}
	if f.postgres && !f.tempInstance.on {
		return errors.New("--postgres is for --temp-instance")
	}
	if f.skipFile == "" {
		return nil
	}
	var err error
	f.opt.Skip, err = readSkipFile(f.skipFile)
	return err
}

func readSkipFile(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	skip := map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, reason, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("%s: not a line of name: reason: %s", path, line)
		}
		skip[strings.TrimSpace(name)] = strings.TrimSpace(reason)
	}
	return skip, lines.Err()
}

// regress is the command: exit status 0, 1 or 2 as pg_regress has it.
func regress(args []string, out, errOut io.Writer) int {
	f, err := parseRegressFlags(args, errOut)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(errOut, "calf regress: %v\n", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	report, err := f.run(ctx, out, errOut)
	if err == nil {
		err = f.print(report, out)
	}
	if err != nil {
		fmt.Fprintf(errOut, "calf regress: %v\n", err)
		return 2
	}
	if n := report.Missing(); n > 0 {
		fmt.Fprintf(errOut, "calf regress: %d tests have no file, or no expected output\n", n)
		return 2
	}
	if report.Count(pgregress.Failed) > 0 {
		return 1
	}
	return 0
}

func (f *regressFlags) run(ctx context.Context, out, errOut io.Writer) (report *pgregress.Report, err error) {
	srv, err := f.server(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closeErr := srv.Close(); err == nil {
			err = closeErr
		}
	}()
	f.opt.Status = out
	if isTerminal(errOut) {
		f.opt.Progress = errOut
	}
	return pgregress.Run(ctx, srv, f.opt)
}

// server is the running server that the flags name, or a new one.
func (f *regressFlags) server(ctx context.Context) (*target.Server, error) {
	if !f.tempInstance.on {
		return target.Running(f.host, f.port, f.user, f.binDir), nil
	}
	logDir := filepath.Join(f.opt.OutputDir, "log")
	if err := os.MkdirAll(logDir, 0o755); err != nil {
		return nil, err
	}
	o := target.Options{BinDir: f.binDir, Dir: f.tempInstance.dir, LogFile: filepath.Join(logDir, "server.log"),
		Settings: append([]string{"max_prepared_transactions=2"}, f.settings...)}
	if f.postgres {
		o.Kind = target.Postgres
		if f.opt.NoLocale {
			o.InitArgs = append(o.InitArgs, "--no-locale")
		}
	}
	return target.Start(ctx, o)
}

func (f *regressFlags) print(report *pgregress.Report, out io.Writer) error {
	if f.score {
		fmt.Fprintln(out)
		if err := report.WriteTable(out); err != nil {
			return err
		}
	}
	if f.causes > 0 {
		fmt.Fprintln(out)
		if err := report.WriteCauses(out, f.causes); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\n%s\n", report.Summary())
	if report.Count(pgregress.Failed)+report.Count(pgregress.Ignored) > 0 {
		fmt.Fprintf(out, "Differences: %s\n", filepath.Join(f.opt.OutputDir, "regression.diffs"))
	}
	if f.junit == "" {
		return nil
	}
	file, err := os.Create(f.junit)
	if err != nil {
		return err
	}
	return errors.Join(report.WriteJUnit(file), file.Close())
}

// isTerminal asks for a terminal's settings, which other character devices, like /dev/null, do not have.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}
