package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// serveFlags are the flags of `calf serve`.
type serveFlags struct {
	data      string
	superuser string
	freePort  bool        // --port 0: any free port
	argv      [][2]string // settings, in order
}

// settingFlag is a flag that stands for a setting.
type settingFlag struct {
	into *[][2]string
	name string // "" = the value is name=value
}

func (f settingFlag) String() string { return "" }

func (f settingFlag) Set(v string) error {
	name, value := f.name, v
	if name == "" {
		var ok bool
		if name, value, ok = strings.Cut(v, "="); !ok {
			return fmt.Errorf("-c %s requires a value", v)
		}
		name = strings.ReplaceAll(name, "-", "_")
	}
	*f.into = append(*f.into, [2]string{name, value})
	return nil
}

func parseServeFlags(args []string, errOut io.Writer) (*serveFlags, error) {
	f := &serveFlags{}
	fs := flag.NewFlagSet("calf serve", flag.ContinueOnError)
	fs.SetOutput(errOut)
	fs.StringVar(&f.data, "data", defaultDataDir(), "data `directory`, created when it does not exist")
	fs.StringVar(&f.superuser, "superuser", "postgres", "`name` of the superuser that the first start creates")
	fs.Func("port", "TCP `port` and number of the Unix socket; 0 takes a free one (default 5432)", func(v string) error {
		if f.freePort = v == "0"; f.freePort {
			return nil
		}
		return settingFlag{&f.argv, "port"}.Set(v)
	})
	fs.Var(settingFlag{&f.argv, "listen_addresses"}, "listen", "`addresses` to listen on, comma-separated, * for all (default localhost)")
	fs.Var(settingFlag{&f.argv, "unix_socket_directories"}, "socket-dir", "`directory` of the Unix socket")
	fs.Var(settingFlag{&f.argv, ""}, "c", "set a server setting: `name=value` (may be repeated)")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 {
		err := fmt.Errorf("unexpected argument %q", fs.Arg(0))
		fmt.Fprintln(errOut, err)
		return nil, err
	}
	abs, err := filepath.Abs(f.data)
	if err != nil {
		return nil, err
	}
	f.data = abs
	return f, nil
}

// defaultDataDir is where `make run` keeps its data: $CALF_DATA, $PGDATA, or a directory of the user's.
func defaultDataDir() string {
	for _, name := range []string{"CALF_DATA", "PGDATA"} {
		if dir := os.Getenv(name); dir != "" {
			return dir
		}
	}
	base := os.Getenv("XDG_DATA_HOME")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "data"
		}
		base = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(base, "calf")
}
