package target

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Server is a server that clients can be run against. The exported fields say how to connect; they do not change.
type Server struct {
	Host   string // host name, address, or directory of the Unix socket
	Port   int
	User   string // a superuser
	BinDir string // directory of psql; "" = the search path

	proc *process // nil: the server was running already, and is not ours
}

// Running describes a server that somebody else started. It is never stopped and never started again.
func Running(host string, port int, user, binDir string) *Server {
	return &Server{Host: host, Port: port, User: user, BinDir: binDir}
}

// Owned says whether this package started the server, and so may start it again.
func (s *Server) Owned() bool { return s.proc != nil }

// Env is the environment, beside os.Environ, that leads libpq to the server.
func (s *Server) Env() []string {
	return []string{"PGHOST=" + s.Host, "PGPORT=" + strconv.Itoa(s.Port), "PGUSER=" + s.User}
}

// ConnString is a libpq key/value string for a database of the server.
func (s *Server) ConnString(db string) string {
	quote := func(v string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(v) + "'"
	}
	return fmt.Sprintf("host=%s port=%d user=%s dbname=%s", quote(s.Host), s.Port, quote(s.User), quote(db))
}

// Psql makes a psql command on a database (-X is given); ctx ends it.
func (s *Server) Psql(ctx context.Context, db string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, filepath.Join(s.BinDir, "psql"), append([]string{"-X", "-d", db}, args...)...)
	c.Env = append(os.Environ(), s.Env()...)
	return c
}

// Query runs one statement and gives its unaligned output without the last newline. The error has what psql said.
func (s *Server) Query(ctx context.Context, db, sql string) (string, error) {
	var out, errOut strings.Builder
	c := s.Psql(ctx, db, "-Atq", "-v", "ON_ERROR_STOP=1", "-c", sql)
	c.Stdout, c.Stderr = &out, &errOut
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, strings.TrimSpace(errOut.String()))
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// healthLimit is how long a server may take for SELECT 1.
const healthLimit = 10 * time.Second

// Healthy says whether a new connection gets an answer. A server that is shutting down or recovering is not healthy.
func (s *Server) Healthy(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	out, err := s.Query(ctx, "postgres", "SELECT 1")
	return err == nil && out == "1"
}

// Ended says that a server of ours is no longer running. For a server that is not ours it is false: see Healthy.
func (s *Server) Ended() bool {
	if s.proc == nil {
		return false
	}
	select {
	case <-s.proc.done:
		return true
	default:
		return false
	}
}

// ErrNotOwned is the answer of Restart for a server that was running already.
var ErrNotOwned = errors.New("the server was not started by this program, so it is not restarted")

// Restart ends the server, if it still runs, and starts it again on its data. A server that answers no more is first asked for its goroutines
// (calf writes them to its log).
func (s *Server) Restart(ctx context.Context) error {
	if s.proc == nil {
		return ErrNotOwned
	}
	if !s.Ended() {
		if s.proc.kind == Calf {
			s.proc.signal(syscall.SIGQUIT) // a Go program prints its stacks and ends
			s.proc.wait(5 * time.Second)
		}
		s.proc.kill()
	}
	return s.start(ctx)
}

// Kill ends the server as kill -9 does: no clean-up, all of its processes.
func (s *Server) Kill() error {
	if s.proc == nil {
		return ErrNotOwned
	}
	s.proc.kill()
	return nil
}

// stopLimit is how long a server may take to stop cleanly.
const stopLimit = 20 * time.Second

// Close stops a server of ours, without waiting for its clients, and removes what Start made; it does nothing to other servers.
func (s *Server) Close() error {
	if s.proc == nil {
		return nil
	}
	var err error
	if !s.Ended() {
		s.proc.signal(syscall.SIGINT) // PostgreSQL's fast shutdown
		if !s.proc.wait(stopLimit) {
			err = fmt.Errorf("the server did not stop within %v", stopLimit)
			s.proc.kill()
		}
	}
	return errors.Join(err, s.proc.cleanUp())
}

// LogFile is the path of the server's log; "" for a server that is not ours.
func (s *Server) LogFile() string {
	if s.proc == nil {
		return ""
	}
	return s.proc.logFile
}

// LogTail is the end of the server's log, at most bytesMax bytes of whole lines.
func (s *Server) LogTail(bytesMax int) string {
	if s.proc == nil {
		return ""
	}
	b, err := os.ReadFile(s.LogFile())
	if err != nil {
		return ""
	}
	if len(b) > bytesMax {
		b = b[len(b)-bytesMax:]
		if i := strings.IndexByte(string(b), '\n'); i >= 0 {
			b = b[i+1:]
		}
	}
	return string(b)
}

// recoveryLimit is how long PostgreSQL may take to come back after one of its processes crashed.
const recoveryLimit = 60 * time.Second

// AwaitHealthy waits until the server answers, as PostgreSQL does again after a crash of one of its processes; calf, one process, answers at once
// or not at all.
func (s *Server) AwaitHealthy(ctx context.Context) bool {
	for end := time.Now().Add(recoveryLimit); !s.Healthy(ctx); time.Sleep(100 * time.Millisecond) {
		if s.Ended() || ctx.Err() != nil || time.Now().After(end) || s.proc != nil && s.proc.kind == Calf {
			return false
		}
	}
	return true
}
