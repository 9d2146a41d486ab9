package target

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Kind is the kind of a private server.
type Kind int

const (
	Calf Kind = iota
	Postgres
)

func (k Kind) String() string {
	if k == Postgres {
		return "PostgreSQL"
	}
	return "calf"
}

// Options say what server Start starts.
type Options struct {
	Kind     Kind
	Binary   string   // Calf: the calf program; "" = the program that is running
	BinDir   string   // directory of psql, and of initdb and postgres; "" = DefaultBinDir()
	Dir      string   // holds the data directory and the log; "" = a temporary directory that Close removes. Must not hold a data directory.
	LogFile  string   // the server's output is appended to it; "" = server.log in Dir
	Settings []string // name=value
	InitArgs []string // Postgres: more arguments of initdb
}

// privatePort numbers the socket of a private server, in a directory of its own.
const privatePort = 5432

// DefaultBinDir is where Debian keeps the programs of PostgreSQL 15 (psql without the wrapper that chooses among clusters); "" when it is not there.
func DefaultBinDir() string {
	const dir = "/usr/lib/postgresql/15/bin"
	if _, err := os.Stat(filepath.Join(dir, "psql")); err != nil {
		return ""
	}
	return dir
}

// Start makes a data directory, starts a server on it and waits until it answers.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.BinDir == "" {
		o.BinDir = DefaultBinDir()
	}
	p := &process{kind: o.Kind, dir: o.Dir, logFile: o.LogFile}
	s := &Server{Port: privatePort, User: "postgres", BinDir: o.BinDir, proc: p}
	if err := p.makeDirs(); err != nil {
		return nil, err
	}
	s.Host = p.socketDir
	err := p.prepare(o)
	if err == nil {
		err = s.start(ctx)
	}
	if err != nil {
		_ = p.cleanUp()
		return nil, err
	}
	return s, nil
}

// process is the private server's process and directories. PostgreSQL refuses to run as root: then it runs as the user postgres, who owns its
// directories.
type process struct {
	kind      Kind
	dir       string
	dirIsTemp bool
	logFile   string
	socketDir string // short, as a socket's path must be
	args      []string
	cred      *syscall.Credential
	cmd       *exec.Cmd
	done      chan struct{} // closed when cmd ended
}

func (p *process) dataDir() string { return filepath.Join(p.dir, "data") }

func (p *process) makeDirs() (err error) {
	if p.socketDir, err = os.MkdirTemp("", "calf-sock-"); err != nil {
		return err
	}
	if p.dir == "" {
		p.dirIsTemp = true
		if p.dir, err = os.MkdirTemp("", "calf-target-"); err != nil {
			return err
		}
	}
	if p.dir, err = filepath.Abs(p.dir); err != nil {
		return err
	}
	if p.logFile == "" {
		p.logFile = filepath.Join(p.dir, "server.log")
	}
	return os.MkdirAll(p.dir, 0o755)
}

// prepare makes the data directory where the server does not do that itself, and sets the command line.
func (p *process) prepare(o Options) error {
	if _, err := os.Stat(p.dataDir()); err == nil {
		return fmt.Errorf("%s exists already", p.dataDir())
	}
	settings := []string{}
	for _, s := range o.Settings {
		settings = append(settings, "-c", s)
	}
	if o.Kind == Postgres {
		p.args = append([]string{filepath.Join(o.BinDir, "postgres"), "-D", p.dataDir(), "-p", strconv.Itoa(privatePort), "-k", p.socketDir,
			"-c", "listen_addresses=", "-c", "fsync=off"}, settings...)
		return p.initdb(o)
	}
	bin := o.Binary
	if bin == "" {
		var err error
		if bin, err = os.Executable(); err != nil {
			return err
		}
	}
	p.args = append([]string{bin, "serve", "--data", p.dataDir(), "--port", strconv.Itoa(privatePort), "--listen", "", "--socket-dir", p.socketDir},
		settings...)
	return nil
}

func (p *process) initdb(o Options) error {
	if err := p.becomePostgres(); err != nil {
		return err
	}
	args := append([]string{"-D", p.dataDir(), "-U", "postgres", "-A", "trust", "--no-sync"}, o.InitArgs...)
	c := exec.Command(filepath.Join(o.BinDir, "initdb"), args...)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: p.cred}
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

// becomePostgres gives the directories to the user postgres when we are root.
func (p *process) becomePostgres() error {
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return fmt.Errorf("PostgreSQL does not run as root: %w", err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return err
	}
	p.cred = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	for _, dir := range []string{p.dir, p.socketDir} {
		if err := os.Chown(dir, uid, gid); err != nil {
			return err
		}
	}
	return nil
}

// startLimit is how long a start may take, recovery included.
const startLimit = 60 * time.Second

// start starts the process and waits until the server answers. The children of a killed PostgreSQL are in sessions of their own; while one of
// them is still ending, its shared memory keeps the next server from starting.
func (s *Server) start(ctx context.Context) error {
	for deadline := time.Now().Add(startLimit); ; time.Sleep(100 * time.Millisecond) {
		err := s.startOnce(ctx)
		if err == nil || s.proc.kind != Postgres || time.Now().After(deadline) || !strings.Contains(s.LogTail(1000), "pre-existing shared memory block") {
			return err
		}
	}
}

func (s *Server) startOnce(ctx context.Context) error {
	p := s.proc
	log, err := os.OpenFile(p.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	p.cmd = exec.Command(p.args[0], p.args[1:]...)
	p.cmd.Dir = p.dir
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: p.cred} // an interrupt from the terminal is for the runner
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		_ = cmd.Wait()
		close(done)
	}(p.cmd, p.done)
	deadline := time.Now().Add(startLimit)
	for !s.Healthy(ctx) {
		switch {
		case s.Ended():
			return fmt.Errorf("%s ended while it started; the end of its log:\n%s", p.kind, s.LogTail(4000))
		case ctx.Err() != nil:
			p.kill()
			return ctx.Err()
		case time.Now().After(deadline):
			p.kill()
			return fmt.Errorf("%s does not answer after %v; the end of its log:\n%s", p.kind, startLimit, s.LogTail(4000))
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

func (p *process) signal(sig syscall.Signal) { _ = p.cmd.Process.Signal(sig) }

// wait waits until the process ended, and says whether it did.
func (p *process) wait(limit time.Duration) bool {
	select {
	case <-p.done:
		return true
	case <-time.After(limit):
		return false
	}
}

// kill ends all processes of the server's group.
func (p *process) kill() {
	group := -p.cmd.Process.Pid
	_ = syscall.Kill(group, syscall.SIGKILL)
	<-p.done
	for range 200 {
		if syscall.Kill(group, 0) != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (p *process) cleanUp() error {
	err := os.RemoveAll(p.socketDir)
	if p.dirIsTemp {
		if rmErr := os.RemoveAll(p.dir); err == nil {
			err = rmErr
		}
	}
	return err
}
