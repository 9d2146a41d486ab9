package catalog

import "sync"

// DB is a database that sessions are or were connected to: its cache of descriptors.
type DB struct {
	OID   OID
	cache *cache
	c     *Cluster
}

// Cluster is the catalogs of a server.
type Cluster struct {
	shared *cache

	mu  sync.Mutex
	dbs map[OID]*DB

	listeners []func(db OID, keys []Key)
}

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
