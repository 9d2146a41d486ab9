package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/rs/zerolog"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/index/btree"
	"github.com/calfdb/calf/index/hash"
	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/pgwire"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/pgstat"
	"github.com/calfdb/calf/storage/xact"
)

// Options of Open.
type Options struct {
	DataDir   string
	Superuser string // name of the bootstrap superuser, used at first start
	Settings  *settings.Server
	Log       zerolog.Logger
	// Reload re-reads the configuration files (pg_reload_conf); Conn finds a connection by process id. Both may be nil.
	Reload func()
	Conn   func(pid int32) *pgwire.Conn
	// Files is where the page store's files are; nil = the operating system's file system.
	Files vfs.FS
	// NewPID gives process ids to sessions without a client; nil = some that no connection has.
	NewPID func() int32
}

// Server is a running database server without its listeners: storage, catalogs, and the sessions there are.
type Server struct {
	o       Options
	store   *pagestore.Store
	pool    *buffer.Pool
	xm      *xact.Manager
	heap    *heap.Engine
	locks   *lock.Manager
	cluster *catalog.Cluster
	stats   *pgstat.Collector
	tempDir string
	started time.Time
	background
	auto autovacuum

	mu       sync.Mutex
	sessions map[*Session]struct{}

	ownPIDs atomic.Int32
}

// Open opens a data directory, initialising an empty one.
func Open(o Options) (*Server, error) {
	s := &Server{o: o, sessions: map[*Session]struct{}{}, tempDir: filepath.Join(o.DataDir, "pgsql_tmp"), started: time.Now(), stats: pgstat.New()}
	s.auto.workers, s.auto.last, s.auto.claimed = map[*Session]bool{}, map[catalog.OID]time.Time{}, map[[2]types.OID]bool{}
	if err := s.prepareTemp(); err != nil {
		return nil, err
	}
	buffers := o.Settings.Int(settings.SharedBuffers) // pages
	var err error
	s.store, err = pagestore.Open(pagestore.Options{FS: o.Files, Dir: filepath.Join(o.DataDir, "store"), CacheSize: int64(buffers) * 8192 / 8,
		Logf: func(format string, args ...any) { o.Log.Warn().Msgf(format, args...) }})
	if err != nil {
		return nil, err
	}
	s.pool = buffer.New(s.store, int(buffers))
	if s.xm, err = xact.Open(s.store); err != nil {
		return nil, s.closeAfter(err)
	}
	s.heap = heap.New(s.pool, s.xm)
	s.locks = lock.NewManager()
	if err := s.openCatalogs(); err != nil {
		return nil, s.closeAfter(err)
	}
	if err := s.stats.Load(s.statsFile()); err != nil {
		o.Log.Warn().Err(err).Msg("statistics start at zero")
	}
	s.startBackground()
	return s, nil
}

// statsFile keeps the statistics of a server that was stopped.
func (s *Server) statsFile() string { return filepath.Join(s.o.DataDir, "pgstat.stat") }

// newPID gives a process id to a session without a client.
func (s *Server) newPID() int32 {
	if s.o.NewPID != nil {
		return s.o.NewPID()
	}
	return s.ownPIDs.Add(1) + 1<<30
}

// prepareTemp empties the directory of temporary files.
func (s *Server) prepareTemp() error {
	if err := os.RemoveAll(s.tempDir); err != nil {
		return fmt.Errorf("clearing temporary files: %w", err)
	}
	if err := os.MkdirAll(s.tempDir, 0o700); err != nil {
		return fmt.Errorf("making the directory of temporary files: %w", err)
	}
	return nil
}

func (s *Server) closeAfter(err error) error {
	s.store.Close()
	return err
}

// openCatalogs opens the catalogs, making them at first start.
func (s *Server) openCatalogs() error {
	st := catalog.Storage{Store: s.store, Heap: s.heap, Xact: s.xm, AMs: map[catalog.OID]index.AM{
		catalog.BTreeAM: btree.New(s.pool, s.xm), catalog.HashAM: hash.New(s.pool)}}
	ready, err := catalog.IsReady(s.store)
	if err != nil {
		return err
	}
	if ready {
		s.cluster, err = catalog.Open(st)
		return err
	}
	if s.cluster, err = catalog.Bootstrap(st, s.o.Superuser); err != nil {
		return err
	}
	if err := s.makeSystemViews(); err != nil {
		return err
	}
	return s.cluster.Finish()
}

// Close stops background work and closes the store. No session may be left.
func (s *Server) Close() error {
	s.stopBackground()
	s.cluster.Close()
	if err := s.stats.Save(s.statsFile()); err != nil {
		s.o.Log.Warn().Err(err).Msg("statistics are lost")
	}
	return s.store.Close()
}

// Startup opens the session of an authenticated client.
func (s *Server) Startup(ctx context.Context, c *pgwire.Conn, p *pgwire.StartupParams) (pgwire.Session, error) {
	ss := s.newSession(c.PID())
	ss.conn, ss.w, ss.ctx = c, c.Writer(), ctx
	if err := ss.connect(p); err != nil {
		ss.Close(err)
		e := *pgerr.From(err)
		e.Severity = "FATAL"
		return nil, &e
	}
	return ss, nil
}

// newSession makes a session that is not yet connected to a database.
func (s *Server) newSession(pid int32) *Session {
	ss := &Session{server: s, pid: pid, statements: map[string]*prepared{}, portals: map[string]*portal{}, tables: map[types.OID]*executor.Table{}, done: make(chan struct{}, 1),
		clock: &clock{now: time.Now}, ctx: context.Background()}
	ss.clock.startMessage()
	ss.locks = s.locks.NewSession(pid)
	ss.locks.Interrupt = sessionInterrupt{ss}
	ss.waiter = &heap.LockWaiter{Session: ss.locks, Owner: ss.locks.Owner()}
	ss.proc = s.xm.NewProc(ss.waiter)
	hs := &heap.Session{Waiter: ss.waiter, Cancel: sessionInterrupt{ss}}
	ss.waiter.Tx = func() *xact.Tx { return hs.Tx }
	ss.backend = &executor.Backend{Heap: hs, Temp: &executor.TempSpace{Dir: s.tempDir}}
	ss.backend.After = executor.NewAfterTriggers(ss.backend)
	ss.initBackend()
	s.mu.Lock()
	s.sessions[ss] = struct{}{}
	s.mu.Unlock()
	return ss
}

func (s *Server) sessionClosed(ss *Session) {
	s.mu.Lock()
	delete(s.sessions, ss)
	s.mu.Unlock()
}
