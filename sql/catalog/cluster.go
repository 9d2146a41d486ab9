package catalog

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/heap"
)

// Cluster is the catalogs of a server.
type Cluster struct {
	st            Storage
	shared        *cache
	sharedHandles *handles
	sharedMap     *relmap

	mu       sync.Mutex
	dbs      map[OID]*DB
	attached map[*View]func()

	bootstrapping atomic.Bool
	bootOID       atomic.Uint32

	sequences sequences

	listeners []func(db OID, keys []Key)
}

// DB is a database that sessions are or were connected to.
type DB struct {
	OID     OID
	c       *Cluster
	cache   *cache
	handles *handles
	relmap  *relmap
}

// Open opens the catalogs of a store that has been initialised, and clears away what transactions left that a crash ended.
func Open(st Storage) (*Cluster, error) {
	state, err := readState(st.Store)
	if err != nil {
		return nil, err
	}
	if state != stateReady {
		return nil, fmt.Errorf("the data directory is not initialised")
	}
	return open(st)
}

func open(st Storage) (*Cluster, error) {
	c := &Cluster{st: st, shared: newCache(), sharedHandles: newHandles(), dbs: map[OID]*DB{}}
	c.sequences.init(st.Store)
	var err error
	if c.sharedMap, err = loadRelmap(st.Store, 0); err != nil {
		return nil, err
	}
	if _, err = st.Heap.SweepPending(); err != nil {
		return nil, err
	}
	return c, c.sweepDatabases()
}

// Storage gives what the cluster is kept in.
func (c *Cluster) Storage() *Storage { return &c.st }

// DB gives the state of a database.
func (c *Cluster) DB(oid OID) (*DB, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if db := c.dbs[oid]; db != nil {
		return db, nil
	}
	m, err := loadRelmap(c.st.Store, oid)
	if err != nil {
		return nil, err
	}
	db := &DB{OID: oid, c: c, cache: newCache(), handles: newHandles(), relmap: m}
	c.dbs[oid] = db
	return db, nil
}

// NewView gives a session its view of a database. Whenever the view is used, s.Tx is the session's running transaction.
func (c *Cluster) NewView(db OID, s *heap.Session) (*View, error) {
	d, err := c.DB(db)
	if err != nil {
		return nil, err
	}
	v := &View{cluster: c, db: d, shared: c.shared, user: BootstrapSuperuser, sess: s}
	v.own.overlay = map[Key]any{}
	v.read = v.readStore
	v.SetSearchPath([]string{"$user", "public"})
	return v, nil
}

// Cluster is the cluster of the view.
func (v *View) Cluster() *Cluster { return v.cluster }

// DBOID is the view's database.
func (v *View) DBOID() OID { return v.db.OID }

// Subscribe makes fn hear of every committed catalog change: db 0 = of shared catalogs. It is called before the changing transaction's locks
// go, and must be quick. For start-up.
func (c *Cluster) Subscribe(fn func(db OID, keys []Key)) { c.listeners = append(c.listeners, fn) }

func (d *DB) invalidate(keys []Key) {
	if len(keys) == 0 {
		return
	}
	d.cache.drop(keys)
	for _, fn := range d.c.listeners {
		fn(d.OID, keys)
	}
}

func (c *Cluster) invalidateShared(keys []Key) {
	if len(keys) == 0 {
		return
	}
	c.shared.drop(keys)
	for _, fn := range c.listeners {
		fn(0, keys)
	}
}

// Counter moves with every change of the database's or the shared catalogs that the session sees: those committed, and its own.
func (v *View) Counter() uint64 {
	if v.sess != nil {
		v.own.advance(v.sess.Tx)
	}
	return v.db.cache.counter.Load() + v.shared.counter.Load() + v.own.generation
}

// missing is the internal error of a catalog row that must be there.
func missing(what string, oid OID) error {
	return pgerr.Internal("cache lookup failed for %s %d", what, oid)
}

// Close writes what is kept ahead in memory. No session runs.
func (c *Cluster) Close() { c.sequences.close() }
