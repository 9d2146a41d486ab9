package pagestore

import (
	"errors"
	"fmt"
	"os"
	"path"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// FormatVersion is the version of what this package writes. A store with another one is refused.
const FormatVersion = 1

// Options of a store. The zero value of each but Dir is a usable default.
type Options struct {
	Dir string // the store's own directory, created when missing; temporary pages go to Dir/temp
	FS  vfs.FS // nil = the operating system's

	CacheSize    int64 // bytes of Pebble's block cache; 32 MB at least
	MemTableSize uint64

	// SyncInterval is the walwriter's period; 0 = 200 ms, negative = no walwriter.
	SyncInterval time.Duration

	// MinFreeDisk is the free space in bytes under which Admit refuses; 0 = 4 memtables and 256 MB.
	MinFreeDisk uint64

	// ReadOnly opens without writing, for inspection.
	ReadOnly bool

	// Logf gets what Pebble reports; nil drops it.
	Logf func(format string, args ...any)

	// Fatal is called with an error after which the store may not go on. It must not return. nil = print and exit.
	Fatal func(error)
}

const (
	defaultCache    = 32 << 20
	defaultMemTable = 64 << 20
	memTables       = 4
	exitCode        = 3
)

// Store is an open page store. All methods may be called concurrently.
type Store struct {
	o     Options
	db    *pebble.DB
	isTmp bool
	logs  *logLedger // nil when isTmp

	changes sync.Pool // *Change
	sync    syncGroup
	admit   admission

	bulkSeq atomic.Uint64 // names of bulk loads' tables

	stop chan struct{}
	done sync.WaitGroup

	temp struct {
		once sync.Once
		s    *Store
		err  error
	}
	closed atomic.Bool
}

// Open opens or creates a store. It fails when another process has it open, and when its format is unknown.
func Open(o Options) (*Store, error) {
	s, err := open(o, false)
	if err != nil {
		return nil, err
	}
	if err := s.checkFormat(); err != nil {
		_ = s.db.Close()
		_ = s.closeLedger()
		return nil, err
	}
	s.start()
	return s, nil
}

func open(o Options, isTmp bool) (*Store, error) {
	o.setDefaults()
	s := &Store{o: o, isTmp: isTmp, stop: make(chan struct{})}
	s.changes.New = func() any { return &Change{s: s} }
	s.sync.init(s)
	s.admit.init(s)
	options := s.pebbleOptions()
	if !isTmp {
		var err error
		if s.logs, err = openLedger(o.FS, o.Dir); err != nil {
			return nil, fmt.Errorf("opening the page store in %s: %w", o.Dir, err)
		}
		options.FS = newWALFS(o.FS, o.MemTableSize, s.logs)
	}
	db, err := pebble.Open(o.Dir, options)
	if err != nil {
		_ = s.closeLedger()
		return nil, fmt.Errorf("opening the page store in %s: %w", o.Dir, err)
	}
	s.db = db
	return s, nil
}

func (o *Options) setDefaults() {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	o.CacheSize = max(o.CacheSize, defaultCache)
	if o.MemTableSize == 0 {
		o.MemTableSize = defaultMemTable
	}
	if o.SyncInterval == 0 {
		o.SyncInterval = 200 * time.Millisecond
	}
	if o.MinFreeDisk == 0 {
		o.MinFreeDisk = memTables*o.MemTableSize + 256<<20
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if o.Fatal == nil {
		o.Fatal = func(err error) {
			fmt.Fprintln(os.Stderr, "PANIC: ", err)
			os.Exit(exitCode)
		}
	}
}

func (s *Store) pebbleOptions() *pebble.Options {
	o := &pebble.Options{
		FS:                          s.o.FS,
		CacheSize:                   s.o.CacheSize,
		MemTableSize:                s.o.MemTableSize,
		MemTableStopWritesThreshold: memTables,
		Merger:                      merger,
		FormatMajorVersion:          pebble.FormatNewest,
		Logger:                      logger{s},
		EventListener:               s.admit.listener(),
		DisableWAL:                  s.isTmp,
		WALBytesPerSync:             1 << 20, // else the sync at the end of a log of a bulk load waits for all of it
		ReadOnly:                    s.o.ReadOnly,
	}
	for i := range o.Levels {
		o.Levels[i].BlockSize = 8 << 10
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	return o
}

func (s *Store) start() {
	if s.o.ReadOnly {
		return
	}
	if err := s.o.FS.RemoveAll(s.bulkDir()); err != nil {
		s.o.Logf("page store: removing what is left of bulk loads: %v", err)
	}
	s.admit.start()
	if s.o.SyncInterval > 0 && !s.isTmp {
		s.done.Go(s.walwriter)
	}
}

// Close makes all that was applied durable, flushes so that the next open has no log to replay, and closes the store.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	close(s.stop)
	s.done.Wait()
	var errs []error
	if s.temp.s != nil {
		errs = append(errs, s.temp.s.Close(), s.o.FS.RemoveAll(s.tempDir()))
	}
	if !s.isTmp && !s.o.ReadOnly {
		errs = append(errs, s.db.Flush())
	}
	return errors.Join(append(errs, s.db.Close(), s.closeLedger())...)
}

func (s *Store) closeLedger() error {
	if s.logs == nil {
		return nil
	}
	return s.logs.close()
}

// Apply makes a change visible, as one; it is durable after the next Sync. The caller holds the exclusive latches of all pages in it.
// The result is a position in the log for SyncTo, which makes this change and all before it durable. It does not return when the store fails.
func (s *Store) Apply(c *Change) (position uint64) {
	if c.Empty() {
		return s.sync.applied.Load()
	}
	defer s.dieOnPanic()
	if err := s.db.Apply(c.batch, pebble.NoSync); err != nil {
		s.fatal(fmt.Errorf("applying a change: %w", err))
	}
	return s.sync.applied.Add(1)
}

// Temp returns the store of temporary pages, created at first use: without a log, wiped at each start and at Close.
func (s *Store) Temp() (*Store, error) {
	if s.isTmp {
		return s, nil
	}
	s.temp.once.Do(func() { s.temp.s, s.temp.err = s.openTemp() })
	return s.temp.s, s.temp.err
}

func (s *Store) tempDir() string { return path.Join(s.o.Dir, "temp") }

func (s *Store) openTemp() (*Store, error) {
	if err := s.o.FS.RemoveAll(s.tempDir()); err != nil {
		return nil, err
	}
	o := s.o
	o.Dir, o.CacheSize, o.MemTableSize = s.tempDir(), 0, s.o.MemTableSize/4
	t, err := open(o, true)
	if err != nil {
		return nil, err
	}
	t.start()
	return t, nil
}

// checkFormat refuses a store of another format and marks a new one.
func (s *Store) checkFormat() error {
	v, closer, err := s.db.Get([]byte(formatKey))
	if err == nil {
		defer closer.Close()
		if len(v) != 4 || le.Uint32(v) != FormatVersion {
			return fmt.Errorf("the page store in %s has format %x, this server writes format %d", s.o.Dir, v, FormatVersion)
		}
		return nil
	}
	if !errors.Is(err, pebble.ErrNotFound) {
		return fmt.Errorf("reading the format of %s: %w", s.o.Dir, err)
	}
	empty, err := s.isEmpty()
	if err != nil {
		return err
	}
	if !empty {
		return fmt.Errorf("%s holds a store that is not calf's", s.o.Dir)
	}
	return s.db.Set([]byte(formatKey), le.AppendUint32(nil, FormatVersion), pebble.Sync)
}

func (s *Store) isEmpty() (bool, error) {
	it, err := s.db.NewIter(nil)
	if err != nil {
		return false, err
	}
	some := it.First()
	return !some, errors.Join(it.Error(), it.Close())
}

// fatal ends the process: after a failed write, later ones may seem to succeed.
func (s *Store) fatal(err error) {
	s.o.Fatal(fmt.Errorf("page store: %w", err))
	panic("pagestore: Options.Fatal returned")
}

// dieOnPanic ends the process on a panic inside the store: it may hold the store's mutexes.
func (s *Store) dieOnPanic() {
	if r := recover(); r != nil {
		s.fatal(fmt.Errorf("panic: %v", r))
	}
}

// logger hands Pebble's messages on.
type logger struct{ s *Store }

func (l logger) Infof(string, ...any)              {}
func (l logger) Errorf(format string, args ...any) { l.s.o.Logf(format, args...) }
func (l logger) Fatalf(format string, args ...any) { l.s.fatal(fmt.Errorf(format, args...)) }

// Die ends the process as a failed write does, for a user that can't put memory right.
func (s *Store) Die(err error) { s.fatal(err) }
