package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/calfdb/calf/pgwire/hba"
	"github.com/calfdb/calf/sql/settings"
)

// listeners are the server's open sockets.
type listeners struct {
	all     []net.Listener
	sockets []*lockFile
	tcp     []string // addresses, as bound
	dirs    []string // of Unix sockets
	port    int
}

func (ls *listeners) close() {
	for _, l := range ls.all {
		_ = l.Close()
	}
	for _, s := range ls.sockets {
		_ = os.Remove(strings.TrimSuffix(s.path, ".lock"))
		s.release()
	}
}

// openListeners binds what listen_addresses, port and unix_socket_directories say. With freePort the first TCP listener's port is used for
// all. Anything that cannot be bound is an error, as a server that is half reachable helps nobody.
func openListeners(conf *settings.Server, rules hba.Rules, freePort bool) (_ *listeners, err error) {
	ls := &listeners{}
	if !freePort {
		ls.port = int(conf.Int(settings.Port))
	}
	defer func() {
		if err != nil {
			ls.close()
		}
	}()
	for _, host := range splitList(conf.Str(settings.ListenAddresses)) {
		if err := ls.listenTCP(host, rules); err != nil {
			return nil, err
		}
	}
	for _, dir := range splitList(conf.Str(settings.UnixSocketDirectories)) {
		if err := ls.listenUnix(dir, os.FileMode(conf.Int(settings.UnixSocketPermissions))); err != nil {
			return nil, err
		}
	}
	if len(ls.all) == 0 {
		return nil, fmt.Errorf("no socket to listen on: listen_addresses and unix_socket_directories are empty")
	}
	return ls, nil
}

func splitList(s string) []string {
	var out []string
	for _, f := range strings.Split(s, ",") {
		if f = strings.Trim(strings.TrimSpace(f), `"`); f != "" {
			out = append(out, f)
		}
	}
	return out
}

// listenTCP binds one host. A loopback-only host is always allowed; others only when pg_hba.conf trusts nobody from elsewhere.
func (ls *listeners) listenTCP(host string, rules hba.Rules) error {
	addrs, err := resolve(host)
	if err != nil {
		return err
	}
	bound := 0
	var last error
	for _, a := range addrs {
		if !isLoopback(a) {
			if open := rules.Open(); open != nil {
				return fmt.Errorf("refusing to listen on %q: line %d of pg_hba.conf lets clients from elsewhere in without a password: %q",
					host, open.Line, strings.TrimSpace(open.Raw))
			}
		}
		l, err := net.Listen("tcp", net.JoinHostPort(a, strconv.Itoa(ls.port)))
		if err != nil {
			last = err
			continue
		}
		bound++
		ls.port = l.Addr().(*net.TCPAddr).Port
		ls.all = append(ls.all, l)
		ls.tcp = append(ls.tcp, l.Addr().String())
	}
	if bound == 0 {
		return fmt.Errorf("could not bind %q, port %d: %w", host, ls.port, last)
	}
	return nil
}

func resolve(host string) ([]string, error) {
	switch host {
	case "*":
		return []string{""}, nil
	case "localhost":
		return []string{"127.0.0.1", "::1"}, nil
	}
	if net.ParseIP(host) != nil {
		return []string{host}, nil
	}
	addrs, err := net.LookupHost(host)
	if err != nil {
		return nil, fmt.Errorf("could not resolve listen address %q: %w", host, err)
	}
	return addrs, nil
}

func isLoopback(addr string) bool {
	ip := net.ParseIP(addr)
	return ip != nil && ip.IsLoopback()
}

// listenUnix binds DIR/.s.PGSQL.PORT under its lock file.
func (ls *listeners) listenUnix(dir string, mode os.FileMode) error {
	path := filepath.Join(dir, ".s.PGSQL."+strconv.Itoa(ls.port))
	lock, holder, err := takeLock(path + ".lock")
	if err != nil {
		if holder != "" {
			err = fmt.Errorf("%w: is another server (PID %s) using socket file %q?", err, holder, path)
		}
		return err
	}
	if c, err := net.Dial("unix", path); err == nil {
		_ = c.Close()
		_ = lock.f.Close()
		return fmt.Errorf("could not bind Unix address %q: another server answers there", path)
	}
	_ = os.Remove(path) // left by a server that was killed
	l, err := net.Listen("unix", path)
	if err != nil {
		lock.release()
		return fmt.Errorf("could not bind Unix address %q: %w", path, err)
	}
	ls.all = append(ls.all, l)
	ls.sockets = append(ls.sockets, lock)
	ls.dirs = append(ls.dirs, dir)
	if err := os.Chmod(path, mode); err != nil {
		return fmt.Errorf("could not set permissions of file %q: %w", path, err)
	}
	if err := lock.write(strconv.Itoa(os.Getpid()), "", "", strconv.Itoa(ls.port), dir, ""); err != nil {
		return fmt.Errorf("could not write lock file %q: %w", lock.path, err)
	}
	return nil
}

// psqlCommand is what a user types to connect.
func (ls *listeners) psqlCommand(user string) string {
	host := "127.0.0.1"
	if len(ls.dirs) > 0 {
		host = ls.dirs[0]
	}
	if len(ls.tcp) > 0 {
		host, _, _ = net.SplitHostPort(ls.tcp[0])
		if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
			host = "127.0.0.1"
		}
	}
	return fmt.Sprintf("psql -h %s -p %d -U %s -d postgres", host, ls.port, user)
}
