package xact

import (
	"sync"
	"sync/atomic"
)

// subtrans maps subtransactions to their top-level transactions. Snapshots list top-level ids only, so an entry lives until its top
// precedes every snapshot's xmin: no one can need it then.
type subtrans struct {
	count atomic.Int64 // entries; 0 spares the lock
	mu    sync.RWMutex
	tops  map[XID]XID
}

func (s *subtrans) add(sub, top XID) {
	s.mu.Lock()
	if s.tops == nil {
		s.tops = make(map[XID]XID)
	}
	s.tops[sub] = top
	s.count.Store(int64(len(s.tops)))
	s.mu.Unlock()
}

// top gives the top-level transaction of sub; ok is false when sub is not a subtransaction that is still remembered.
func (s *subtrans) top(sub XID) (top XID, ok bool) {
	if s.count.Load() == 0 {
		return 0, false
	}
	s.mu.RLock()
	top, ok = s.tops[sub]
	s.mu.RUnlock()
	return top, ok
}

// forget drops the entries whose top-level transaction is below horizon.
func (s *subtrans) forget(horizon XID) {
	s.mu.Lock()
	for sub, top := range s.tops {
		if top < horizon {
			delete(s.tops, sub)
		}
	}
	s.count.Store(int64(len(s.tops)))
	s.mu.Unlock()
}
