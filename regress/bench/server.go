package main

import (
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

// server is one of the two servers measured.
type server struct {
	name   string
	socket string // directory of its Unix socket
	port   int
	cmd    *exec.Cmd
}

const pgBin = "/usr/lib/postgresql/15/bin"

// startPostgres makes a cluster and starts it, as user postgres when run by root.
func startPostgres(dir, buffers string) (*server, error) {
	s := &server{name: "PostgreSQL", socket: dir, port: 5497}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	cred, err := postgresUser(dir)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(pgBin+"/initdb", "-D", data, "-U", "postgres", "-A", "trust", "--locale=C.UTF-8", "-E", "UTF8")
	initdb.SysProcAttr = cred
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	s.cmd = exec.Command(pgBin+"/postgres", "-D", data, "-k", dir, "-p", strconv.Itoa(s.port), "-c", "listen_addresses=",
		"-c", "shared_buffers="+buffers, "-c", "max_wal_size=4GB", "-c", "max_connections=200")
	s.cmd.SysProcAttr = cred
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	return s, s.await()
}

// postgresUser gives the credentials of user postgres, who must own dir; nil when not root.
func postgresUser(dir string) (*syscall.SysProcAttr, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	if err := os.Chown(dir, uid, gid); err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// startCalf starts a calf server on a new data directory.
func startCalf(bin, dir, buffers string) (*server, error) {
	s := &server{name: "calf", socket: dir, port: 5498}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	s.cmd = exec.Command(bin, "serve", "--data", filepath.Join(dir, "data"), "--port", strconv.Itoa(s.port), "--socket-dir", dir,
		"-c", "shared_buffers="+buffers, "-c", "max_connections=200")
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	return s, s.await()
}

// await waits until the server answers.
func (s *server) await() error {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if exec.Command("psql", "-h", s.socket, "-p", strconv.Itoa(s.port), "-U", "postgres", "-c", "select 1", "postgres").Run() == nil {
			return nil
		}
	}
	s.stop()
	return fmt.Errorf("%s does not answer", s.name)
}

func (s *server) stop() {
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Wait()
}

// command makes a client command for the server.
func (s *server) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "PGHOST="+s.socket, "PGPORT="+strconv.Itoa(s.port), "PGUSER=postgres", "PGDATABASE=postgres")
	return c
}

// fill puts the server's directory into a statement.
func (s *server) fill(sql string) string { return strings.ReplaceAll(sql, "{dir}", s.socket) }

// residentMB is the resident memory of the server: what its processes have for themselves, and what is in use of PostgreSQL's shared buffers. The latter
// can't be read off its processes: pages that only sessions touched that have ended are in nobody's page table.
func (s *server) residentMB() int64 {
	pids := []string{strconv.Itoa(s.cmd.Process.Pid)}
	out, _ := exec.Command("pgrep", "-P", pids[0]).Output()
	pids = append(pids, strings.Fields(string(out))...)
	var kb int64
	for _, pid := range pids {
		kb += proportionalKB(pid, "Pss:") - proportionalKB(pid, "Pss_Shmem:")
	}
	if s.name == "PostgreSQL" {
		out, _ := s.command("psql", "-qAt", "-c", "create extension if not exists pg_buffercache", "-c",
			"select count(*) * current_setting('block_size')::int / 1024 from pg_buffercache where relfilenode is not null").Output()
		n, _ := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
		kb += n
	}
	return kb / 1024
}

// proportionalKB reads a line of a process's memory summary, 0 when it has ended.
func proportionalKB(pid, line string) int64 {
	b, _ := os.ReadFile("/proc/" + pid + "/smaps_rollup")
	for _, l := range strings.Split(string(b), "\n") {
		if f := strings.Fields(l); len(f) >= 2 && f[0] == line {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n
		}
	}
	return 0
}
