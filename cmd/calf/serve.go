package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"github.com/calfdb/calf/pgwire"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/tsearch"
)

func init() {
	register(command{"serve", "run the server", func(args []string, out, errOut io.Writer) int {
		f, err := parseServeFlags(args, errOut)
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		if err != nil {
			return 2
		}
		log := newLog(errOut)
		signals := make(chan os.Signal, 4)
		signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		raiseProcs()
		if err := serve(f, log, out, signals); err != nil {
			fmt.Fprintf(errOut, "calf: %v\n", err)
			return 1
		}
		return 0
	}})
}

// newLog logs readable lines to a terminal and JSON elsewhere.
func newLog(w io.Writer) zerolog.Logger {
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			w = zerolog.ConsoleWriter{Out: f, TimeFormat: "2006-01-02 15:04:05.000"}
		}
	}
	zerolog.TimeFieldFormat = "2006-01-02T15:04:05.000Z07:00"
	return zerolog.New(w).With().Timestamp().Logger()
}

// logLevel maps log_min_messages: what is LOG in PostgreSQL is written at Info and ranks above ERROR there. Sessions hold back errors and warnings themselves.
func logLevel(name string) zerolog.Level {
	switch {
	case strings.HasPrefix(name, "debug"):
		return zerolog.DebugLevel
	case name == "fatal", name == "panic":
		return zerolog.FatalLevel
	}
	return zerolog.InfoLevel
}

// drainLimit is how long a SIGTERM waits for open transactions.
const drainLimit = 10 * time.Second

// raiseProcs lets the runtime run one goroutine more than there are processors: the one that syncs the log sits in the kernel most of its time and would
// keep a processor from the sessions until the runtime takes it back. On two processors that is 8 % of TPC-B. A GOMAXPROCS of the environment stays.
func raiseProcs() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
}

// serve runs the server until a signal stops it.
func serve(f *serveFlags, log zerolog.Logger, out io.Writer, signals <-chan os.Signal) (err error) {
	started := time.Now()
	if err := prepareDataDir(f.data); err != nil {
		return err
	}
	lock, err := lockDataDir(f.data)
	if err != nil {
		return err
	}
	defer lock.release()
	conf, err := loadConfig(f, log)
	if err != nil {
		return err
	}
	log = log.Level(logLevel(conf.conf.Str(settings.LogMinMessages)))
	conf.log = log
	ls, err := openListeners(conf.conf, conf.hba(), f.freePort)
	if err != nil {
		return err
	}
	defer ls.close()
	if f.freePort {
		if err := conf.conf.SetArgv("port", strconv.Itoa(ls.port)); err != nil {
			return err
		}
	}
	srv := &pgwire.Server{Log: log, TLS: conf.tlsConfig, AuthFailureDelay: 300 * time.Millisecond,
		AuthTimeout: func() time.Duration {
			return time.Duration(conf.conf.Int(settings.AuthenticationTimeout)) * time.Second
		},
		ConnsMax: func() int { return 2 * int(conf.conf.Int(settings.MaxConnections)) }}
	tsearch.DataDir = filepath.Join(f.data, "tsearch_data")
	eng, err := openEngine(engineOptions{DataDir: f.data, Superuser: f.superuser, Settings: conf.conf, Log: log, Reload: conf.reload, Conn: srv.Lookup, NewPID: srv.NewPID})
	if err != nil {
		return fmt.Errorf("could not open data directory %q: %w", f.data, err)
	}
	defer func() {
		if closeErr := eng.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("could not close the data directory: %w", closeErr)
		}
	}()
	srv.Backend = &backend{eng, conf}
	socketDir := ""
	if len(ls.dirs) > 0 {
		socketDir = ls.dirs[0]
	}
	if err := writePidFile(lock, f.data, started, ls.port, socketDir, conf.conf.Str(settings.ListenAddresses)); err != nil {
		return fmt.Errorf("could not write %s: %w", pidFileName, err)
	}
	stopped := acceptAll(srv, ls)
	log.Info().Strs("tcp", ls.tcp).Strs("socket_dirs", ls.dirs).Int("port", ls.port).Dur("took", time.Since(started)).
		Msg("database system is ready to accept connections")
	fmt.Fprintf(out, "calf is ready. Connect with:\n  %s\n", ls.psqlCommand(f.superuser))
	return waitForEnd(srv, conf, signals, stopped)
}

// acceptAll serves every listener; the channel gets the error of a listener that failed.
func acceptAll(srv *pgwire.Server, ls *listeners) <-chan error {
	failed := make(chan error, len(ls.all))
	for _, l := range ls.all {
		go func() {
			if err := srv.Serve(l); !errors.Is(err, pgwire.ErrServerClosed) {
				failed <- err
			}
		}()
	}
	return failed
}

// waitForEnd handles signals: SIGHUP reloads; SIGTERM lets open transactions finish for a while; SIGINT, or a second SIGTERM, does not.
func waitForEnd(srv *pgwire.Server, conf *config, signals <-chan os.Signal, failed <-chan error) error {
	for {
		select {
		case err := <-failed:
			_ = shutdown(srv, conf, 0, signals)
			return err
		case sig := <-signals:
			switch sig {
			case syscall.SIGHUP:
				conf.reload()
			case syscall.SIGTERM:
				return shutdown(srv, conf, drainLimit, signals)
			default:
				return shutdown(srv, conf, 0, signals)
			}
		}
	}
}

func shutdown(srv *pgwire.Server, conf *config, limit time.Duration, signals <-chan os.Signal) error {
	conf.log.Info().Dur("limit", limit).Msg("shutting down")
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- srv.Shutdown(ctx) }()
	for {
		select {
		case err := <-done:
			conf.log.Info().Msg("database system is shut down")
			return err
		case sig := <-signals:
			if sig != syscall.SIGHUP {
				cancel()
			}
		}
	}
}
