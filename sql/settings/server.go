package settings

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/calfdb/calf/sql/pgerr"
)

// Server holds the values that sessions start from. Any goroutine.
type Server struct {
	gen atomic.Uint64 // counts reloads

	mu      sync.Mutex
	values  *[]slot // replaced as a whole, never changed
	argv    map[Handle]slot
	dynamic map[Handle]slot // defaults computed at start, and what the server decides
	pending map[Handle]bool // changed in a file, waiting for a restart
	started bool
}

// ServerVersion15 is the version that calf behaves as.
const ServerVersion15 = "15.18"

// fixed are the facts of calf that PostgreSQL decides at initdb or compile time.
var fixed = [][2]string{
	{"server_version", ServerVersion15}, {"server_encoding", "UTF8"}, {"client_encoding", "UTF8"},
	{"lc_collate", "C.UTF-8"}, {"lc_ctype", "C.UTF-8"}, {"lc_messages", "C.UTF-8"}, {"lc_monetary", "C.UTF-8"}, {"lc_numeric", "C.UTF-8"},
	{"lc_time", "C.UTF-8"}, {"default_text_search_config", "pg_catalog.english"}, {"TimeZone", "Etc/UTC"}, {"log_timezone", "Etc/UTC"},
	{"max_stack_depth", "2MB"}, {"timezone_abbreviations", "Default"},
}

// NewServer starts with the built-in defaults.
func NewServer() *Server {
	srv := &Server{argv: map[Handle]slot{}, dynamic: map[Handle]slot{}, pending: map[Handle]bool{}}
	values := make([]slot, len(registry.defs))
	for i, d := range registry.defs {
		v, err := validate(nil, d, d.Name, d.Boot, SourceDefault)
		if err != nil {
			v = d.boot
		}
		values[i] = slot{v: v, source: SourceDefault}
	}
	srv.values = &values
	for _, f := range fixed {
		if err := srv.SetDynamic(f[0], f[1], false); err != nil {
			panic("settings: " + f[0] + ": " + err.Error())
		}
	}
	return srv
}

func (srv *Server) snapshot() (*[]slot, uint64) {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	return srv.values, srv.gen.Load()
}

func (srv *Server) get(h Handle) slot {
	values, _ := srv.snapshot()
	return (*values)[h]
}

// Int, Bool, Real, Str and Extra read the server's value.
func (srv *Server) Int(h Handle) int64    { return srv.get(h).v.I }
func (srv *Server) Bool(h Handle) bool    { return srv.get(h).v.I != 0 }
func (srv *Server) Real(h Handle) float64 { return srv.get(h).v.F }
func (srv *Server) Str(h Handle) string   { return srv.get(h).v.Str }
func (srv *Server) Extra(h Handle) any    { return srv.get(h).v.Extra }

// Bytes is the value of a memory setting in bytes.
func (srv *Server) Bytes(h Handle) int64 { return int64(float64(srv.get(h).v.I) * h.Def().base.size) }

func (srv *Server) pendingRestart(h Handle) bool {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	return srv.pending[h]
}

// SetDynamic sets a default that the server computes when it starts (server_version, data_directory, TimeZone...), below the configuration
// file unless override.
func (srv *Server) SetDynamic(name, value string, override bool) error {
	source := SourceDynamicDefault
	if override {
		source = SourceOverride
	}
	return srv.set(srv.dynamic, name, value, source)
}

// SetArgv is `-c name=value` on the command line.
func (srv *Server) SetArgv(name, value string) error {
	if d := Lookup(name); d != nil && d.Context == Internal {
		return pgerr.New(pgerr.CantChangeRuntimeParam, "parameter \"%s\" cannot be changed", name)
	}
	return srv.set(srv.argv, name, value, SourceArgv)
}

func (srv *Server) set(into map[Handle]slot, name, value string, source Source) error {
	d := Lookup(name)
	if d == nil {
		return errUnknown(name)
	}
	v, err := validate(nil, d, name, value, source)
	if err != nil {
		return err
	}
	srv.mu.Lock()
	defer srv.mu.Unlock()
	into[d.handle] = slot{v: v, source: source}
	srv.publish(d.handle, slot{v: v, source: source})
	return nil
}

// publish makes v the server's value unless a stronger source holds. Caller holds mu.
func (srv *Server) publish(h Handle, v slot) {
	values := append([]slot(nil), *srv.values...)
	if values[h].source <= v.source {
		values[h] = v
	}
	srv.values = &values
	srv.gen.Add(1)
}

// Apply makes entries of configuration files the file-level values; settings that are in no entry go back to their defaults. The first
// Apply is the start of the server; a later one (reload) leaves settings that need a restart as they are and says so. Errors are for the
// log: a wrong entry is skipped on reload, and makes the start fail.
func (srv *Server) Apply(entries []Entry) []error {
	var errs []error
	file := map[Handle]slot{}
	for _, e := range entries {
		d := Lookup(e.Name)
		if d == nil {
			if !validCustomName(e.Name) {
				errs = append(errs, e.wrap(errUnknown(e.Name)))
			}
			continue
		}
		if d.Context == Internal || d.Is(DisallowInFile) {
			errs = append(errs, e.wrap(pgerr.New(pgerr.CantChangeRuntimeParam, "parameter \"%s\" cannot be changed", e.Name)))
			continue
		}
		v, err := validate(nil, d, e.Name, e.Value, SourceFile)
		if err != nil {
			errs = append(errs, e.wrap(err))
			continue
		}
		file[d.handle] = slot{v: v, source: SourceFile, file: e.File, line: e.Line}
	}
	return append(errs, srv.replaceFile(file)...)
}

func (srv *Server) replaceFile(file map[Handle]slot) []error {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	var errs []error
	values := append([]slot(nil), *srv.values...)
	for i, d := range registry.defs {
		h := Handle(i)
		next := srv.effective(h, file)
		if srv.started && d.Context == Postmaster {
			same := next.v.I == values[i].v.I && next.v.F == values[i].v.F && next.v.Str == values[i].v.Str
			if !same {
				errs = append(errs, pgerr.New(pgerr.CantChangeRuntimeParam, "parameter \"%s\" cannot be changed without restarting the server", d.Name))
			}
			srv.pending[h] = !same
			continue
		}
		values[i] = next
	}
	srv.started = true
	srv.values = &values
	srv.gen.Add(1)
	return errs
}

// effective is the value by strength of source. Caller holds mu.
func (srv *Server) effective(h Handle, file map[Handle]slot) slot {
	dyn, hasDyn := srv.dynamic[h]
	if hasDyn && dyn.source == SourceOverride {
		return dyn
	}
	if v, ok := srv.argv[h]; ok {
		return v
	}
	if v, ok := file[h]; ok {
		return v
	}
	if hasDyn {
		return dyn
	}
	d := registry.defs[h]
	v, err := validate(nil, d, d.Name, d.Boot, SourceDefault)
	if err != nil {
		v = d.boot
	}
	return slot{v: v, source: SourceDefault}
}

// Entry is one `name = value` line of a configuration file.
type Entry struct {
	Name, Value, File string
	Line              int
}

func (e *Entry) wrap(err error) error { return fmt.Errorf("%s line %d: %w", e.File, e.Line, err) }
