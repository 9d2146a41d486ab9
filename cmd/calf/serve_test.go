package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/rs/zerolog"

	"github.com/calfdb/calf/pgwire"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/settings"
)

// fakeEngine lets everybody in and answers every query with one setting: the wiring is tested without a database.
type fakeEngine struct {
	o      engineOptions
	closed bool
}

func (e *fakeEngine) Startup(_ context.Context, c *pgwire.Conn, p *pgwire.StartupParams) (pgwire.Session, error) {
	s := &fakeSession{w: c.Writer(), set: e.o.Settings.NewSession()}
	for _, st := range p.Options {
		if err := s.set.SetDefault(st.Name, st.Value, settings.SourceClient); err != nil {
			return nil, err
		}
	}
	s.set.ReportAll(c.Writer().ParameterStatus)
	return s, nil
}
func (e *fakeEngine) Secret(context.Context, string) (string, bool) { return "", false }
func (e *fakeEngine) IsMember(string, string) bool                  { return false }
func (e *fakeEngine) Close() error                                  { e.closed = true; return nil }

type fakeSession struct {
	w   *pgwire.Writer
	set *settings.Session
}

func (s *fakeSession) Query(sql string) error {
	s.set.Refresh()
	v, err := s.set.Show(sql, true)
	if err != nil {
		return err
	}
	s.w.RowDescription([]pgwire.Field{{Name: sql, TypeOID: 25, TypLen: -1, TypMod: -1}}, nil)
	s.w.BeginRow(1)
	s.w.CellString(v)
	if err := s.w.EndRow(); err != nil {
		return err
	}
	s.w.CommandComplete("SHOW")
	return nil
}
func (s *fakeSession) Parse(string, string, []uint32) error                  { return nil }
func (s *fakeSession) Bind(string, string, []int16, [][]byte, []int16) error { return nil }
func (s *fakeSession) Describe(byte, string) error                           { return nil }
func (s *fakeSession) Execute(string, int32) error                           { return nil }
func (s *fakeSession) CloseObject(byte, string) error                        { return nil }
func (s *fakeSession) Sync() error                                           { return nil }
func (s *fakeSession) TxStatus() byte                                        { return 'I' }
func (s *fakeSession) Fail(*pgerr.Error)                                     {}
func (s *fakeSession) IdleTimeout() time.Duration                            { return 0 }
func (s *fakeSession) IdleTimedOut() error                                   { return nil }
func (s *fakeSession) Async() error                                          { return nil }
func (s *fakeSession) Cancel()                                               {}
func (s *fakeSession) Terminate(*pgerr.Error)                                {}
func (s *fakeSession) Close(error)                                           {}

// syncBuffer is a bytes.Buffer for several goroutines.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// running is a server started by a test.
type running struct {
	dir, socketDir string
	port           int
	out, log       *syncBuffer
	signals        chan os.Signal
	done           chan error
	eng            *fakeEngine
}

// start runs serve with a fake engine on a free port, and waits until it is ready.
func start(t *testing.T, dir string, args ...string) *running {
	t.Helper()
	r := &running{dir: dir, socketDir: t.TempDir(), out: &syncBuffer{}, log: &syncBuffer{}, signals: make(chan os.Signal, 1), done: make(chan error, 1)}
	old := openEngine
	openEngine = func(o engineOptions) (engine, error) {
		r.eng = &fakeEngine{o: o}
		return r.eng, nil
	}
	t.Cleanup(func() { openEngine = old })
	f, err := parseServeFlags(append([]string{"--data", dir, "--port", "0", "--listen", "127.0.0.1", "--socket-dir", r.socketDir}, args...), r.log)
	if err != nil {
		t.Fatal(err)
	}
	go func() { r.done <- serve(f, zerolog.New(r.log), r.out, r.signals) }()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		pid, _ := os.ReadFile(filepath.Join(dir, pidFileName))
		if lines := strings.Split(string(pid), "\n"); len(lines) > 7 && strings.Contains(r.out.String(), "psql") {
			r.port, _ = strconv.Atoi(lines[3])
			return r
		}
		select {
		case err := <-r.done:
			t.Fatalf("serve ended: %v\n%s", err, r.log)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("not ready: %s", r.log)
		}
	}
}

func (r *running) stop(t *testing.T, sig os.Signal) {
	t.Helper()
	r.signals <- sig
	select {
	case err := <-r.done:
		if err != nil {
			t.Errorf("serve: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the server does not stop")
	}
	if !r.eng.closed {
		t.Error("the engine was not closed")
	}
}

func query(t *testing.T, host string, port int, sql string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c, err := pgconn.Connect(ctx, "host="+host+" port="+strconv.Itoa(port)+" user=u dbname=d sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	rs, err := c.Exec(ctx, sql).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return string(rs[0].Rows[0][0])
}

func TestServe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	r := start(t, dir, "-c", "work_mem=9MB")
	for _, host := range []string{"127.0.0.1", r.socketDir} {
		if got := query(t, host, r.port, "work_mem"); got != "9MB" {
			t.Errorf("%s: work_mem %s", host, got)
		}
	}
	if got := query(t, "127.0.0.1", r.port, "data_directory"); got != dir {
		t.Errorf("data_directory %s", got)
	}
	for _, name := range []string{"postgresql.conf", "postgresql.auto.conf", "pg_hba.conf"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	// A second server on the same directory is refused.
	f, _ := parseServeFlags([]string{"--data", dir}, r.log)
	if err := serve(f, zerolog.Nop(), r.out, nil); err == nil || !strings.Contains(err.Error(), "is another server (PID "+strconv.Itoa(os.Getpid())+")") {
		t.Errorf("second server: %v", err)
	}
	r.stop(t, syscall.SIGTERM)
	if left, _ := filepath.Glob(filepath.Join(r.socketDir, ".s.*")); len(left) > 0 {
		t.Errorf("sockets are left: %v", left)
	}
	if _, err := os.Stat(filepath.Join(dir, pidFileName)); err == nil {
		t.Error("postmaster.pid is left")
	}
	start(t, dir).stop(t, syscall.SIGINT)
}

func TestReload(t *testing.T) {
	dir := t.TempDir()
	r := start(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "postgresql.conf"), []byte("work_mem = 7MB\nport = 1\nnonsense = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.signals <- syscall.SIGHUP
	for deadline := time.Now().Add(5 * time.Second); query(t, "127.0.0.1", r.port, "work_mem") != "7MB"; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the reload did not reach the sessions")
		}
	}
	if !strings.Contains(r.log.String(), "unrecognized configuration parameter") {
		t.Errorf("the log does not name the wrong entry: %s", r.log)
	}
	r.stop(t, syscall.SIGTERM)
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		args  []string
		want  string
	}{
		"trust for others":   {map[string]string{"pg_hba.conf": "host all all 0.0.0.0/0 trust\n"}, []string{"--listen", "*"}, "refusing to listen on"},
		"bad hba":            {map[string]string{"pg_hba.conf": "host all all peer\n"}, nil, "pg_hba.conf line 1"},
		"bad conf":           {map[string]string{"postgresql.conf": "work_mem = \n"}, nil, "syntax error in file"},
		"bad value":          {map[string]string{"postgresql.conf": "work_mem = 1\n"}, nil, "outside the valid range"},
		"unknown -c":         {nil, []string{"-c", "nosuch=1"}, "unrecognized configuration parameter \"nosuch\""},
		"nowhere to listen":  {nil, []string{"--listen", "", "--socket-dir", ""}, "no socket to listen on"},
		"PostgreSQL's files": {map[string]string{"global/pg_control": "x"}, nil, "holds a PostgreSQL cluster"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range c.files {
				path := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			args := append([]string{"--data", dir, "--port", "0", "--socket-dir", t.TempDir()}, c.args...)
			f, err := parseServeFlags(args, &syncBuffer{})
			if err != nil {
				t.Fatal(err)
			}
			if err := serve(f, zerolog.Nop(), &syncBuffer{}, nil); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("serve: %v", err)
			}
		})
	}
}

// A socket file that a killed server left is taken over; one that answers is not.
func TestSocketTakeover(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, ".s.PGSQL.5999")
	l, err := net.Listen("unix", stale)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	ls := &listeners{port: 5999}
	if err := ls.listenUnix(dir, 0o777); err == nil || !strings.Contains(err.Error(), "another server answers there") {
		t.Errorf("live socket: %v", err)
	}
	_ = l.Close()
	if err := ls.listenUnix(dir, 0o777); err != nil {
		t.Errorf("stale socket: %v", err)
	}
	ls.close()
}

func TestCommands(t *testing.T) {
	var out, errOut bytes.Buffer
	if code := run([]string{"version"}, &out, &errOut); code != 0 || !strings.Contains(out.String(), "PostgreSQL 15.18") {
		t.Errorf("version: %d %s", code, out.String())
	}
	if code := run([]string{"nonsense"}, &out, &errOut); code != 2 || !strings.Contains(errOut.String(), `no command "nonsense"`) {
		t.Errorf("nonsense: %d %s", code, errOut.String())
	}
}
