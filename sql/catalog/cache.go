package catalog

import (
	"sync"
	"sync/atomic"
)

// cache holds immutable descriptors of one database's catalogs, or of the shared ones, as committed. Answers that there is no such object are
// kept too.
//
// A value must never be older than the invalidations that were published before it was put: a loader notes the counter, then takes its snapshot,
// then reads; put refuses when the counter has moved since.
type cache struct {
	mu      sync.RWMutex
	entries map[Key]any
	counter atomic.Uint64 // invalidations published
}

func newCache() *cache { return &cache{entries: map[Key]any{}} }

func (c *cache) get(k Key) (any, bool) {
	c.mu.RLock()
	v, ok := c.entries[k]
	c.mu.RUnlock()
	return v, ok
}

// put keeps v unless something was invalidated since the counter read seen.
func (c *cache) put(k Key, v any, seen uint64) {
	c.mu.Lock()
	if c.counter.Load() == seen {
		c.entries[k] = v
	}
	c.mu.Unlock()
}

// drop removes entries: their objects have changed.
func (c *cache) drop(keys []Key) {
	c.mu.Lock()
	c.counter.Add(1)
	for _, k := range keys {
		delete(c.entries, k)
	}
	c.mu.Unlock()
}

// clear removes all entries.
func (c *cache) clear() {
	c.mu.Lock()
	c.counter.Add(1)
	c.entries = map[Key]any{}
	c.mu.Unlock()
}
