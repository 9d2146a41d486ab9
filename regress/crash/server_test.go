package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/calfdb/calf/regress/target"
)

// server is a server that can be killed and started again over one data directory.
type server struct {
	t    testing.TB
	dir  string
	args []string // program and arguments
	cred *syscall.Credential
	cmd  *exec.Cmd
	done chan struct{}
	log  *os.File
}

const port = 5477

// newServer makes the data directory and the command, calf's or PostgreSQL's.
func newServer(t testing.TB) *server {
	s := &server{t: t, dir: t.TempDir()}
	if err := os.Chmod(filepath.Dir(s.dir), 0o755); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	s.log = log
	if *postgresBin != "" {
		s.initPostgres()
		return s
	}
	bin := *serverBin
	if bin == "" {
		if bin, err = target.BuildCalf(s.dir); err != nil {
			t.Fatal(err)
		}
	}
	s.args = []string{bin, "serve", "--data", filepath.Join(s.dir, "data"), "--port", strconv.Itoa(port), "--socket-dir", s.dir}
	return s
}

// initPostgres makes a PostgreSQL cluster, owned by the user postgres when we are root.
func (s *server) initPostgres() {
	if os.Getuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			s.t.Fatal(err)
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		s.cred = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(s.dir, uid, gid); err != nil {
			s.t.Fatal(err)
		}
	}
	data := filepath.Join(s.dir, "data")
	init := exec.Command(filepath.Join(*postgresBin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust")
	init.SysProcAttr = &syscall.SysProcAttr{Credential: s.cred}
	if out, err := init.CombinedOutput(); err != nil {
		s.t.Fatalf("initdb: %v\n%s", err, out)
	}
	s.args = []string{filepath.Join(*postgresBin, "postgres"), "-D", data, "-p", strconv.Itoa(port), "-k", s.dir, "-c", "listen_addresses="}
}

// start starts the server and waits until it answers.
func (s *server) start() {
	s.t.Helper()
	s.cmd = exec.Command(s.args[0], s.args[1:]...)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: s.cred}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		_ = cmd.Wait()
		close(done)
	}(s.cmd, s.done)
	deadline := time.Now().Add(60 * time.Second)
	for {
		c, err := s.connect(context.Background())
		if err == nil {
			_ = c.Close(context.Background())
			return
		}
		select {
		case <-s.done:
			s.fatal("the server ended while it started: %v", err)
		default:
		}
		if time.Now().After(deadline) {
			s.fatal("the server does not answer: %v", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// connect makes a connection.
func (s *server) connect(ctx context.Context) (*pgx.Conn, error) {
	return pgx.Connect(ctx, fmt.Sprintf("host=%s port=%d user=postgres dbname=postgres connect_timeout=5", s.dir, port))
}

// kill sends SIGKILL to the server and all of its processes.
func (s *server) kill() {
	if err := syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		s.t.Fatal(err)
	}
	<-s.done
	// PostgreSQL's children may outlive their parent for a moment, and hold its shared memory.
	for range 100 {
		if errors.Is(syscall.Kill(-s.cmd.Process.Pid, 0), syscall.ESRCH) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// running says whether the server is still there.
func (s *server) running() bool {
	select {
	case <-s.done:
		return false
	default:
		return true
	}
}

// fatal ends the test with the end of the server's log.
func (s *server) fatal(format string, args ...any) {
	s.t.Helper()
	b, _ := os.ReadFile(s.log.Name())
	if len(b) > 4000 {
		b = b[len(b)-4000:]
	}
	s.t.Fatalf("%s\nserver's log:\n%s", fmt.Sprintf(format, args...), b)
}
