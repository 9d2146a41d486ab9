package xact

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pagestore"
)

var (
	xidLeaseKey = []byte("xact/nextxid")
	oidLeaseKey = []byte("xact/nextoid")
	statusKey   = []byte("xact/status/") // then the chunk number, 8 bytes big endian
)

// leaseSize is how many numbers one stored lease covers. A crash skips what was not used of it.
const leaseSize = 8192

// lease gives out ascending numbers. The store holds a number that none given out has reached, so that none is given out twice; the log's
// order makes it durable before anything that uses one.
type lease struct {
	key  []byte
	next uint64
	end  uint64
}

func openLease(s *pagestore.Store, key []byte, first uint64) (lease, error) {
	v, ok, err := s.Get(nil, key)
	if err != nil {
		return lease{}, fmt.Errorf("opening lease %s: %w", key, err)
	}
	if ok {
		if len(v) != 8 {
			return lease{}, fmt.Errorf("lease %s has %d bytes", key, len(v))
		}
		first = binary.BigEndian.Uint64(v)
	}
	return lease{key: key, next: first, end: first}, nil
}

// take gives out the next number. Callers are serialised.
func (l *lease) take(s *pagestore.Store) uint64 {
	if l.next >= l.end {
		l.extend(s, l.next+leaseSize)
	}
	n := l.next
	l.next++
	return n
}

func (l *lease) extend(s *pagestore.Store, end uint64) {
	l.end = end
	c := s.NewChange()
	c.Set(l.key, binary.BigEndian.AppendUint64(nil, end))
	s.Apply(c)
	c.Release()
}

// FirstNormalOID is the first object id for users' objects.
const FirstNormalOID = 16384

// oidGenerator gives out object ids: 32 bits that wrap around, so that whoever takes one looks whether it is free in its catalog.
type oidGenerator struct {
	mu    sync.Mutex
	lease lease
}

func (g *oidGenerator) open(s *pagestore.Store) (err error) {
	g.lease, err = openLease(s, oidLeaseKey, FirstNormalOID)
	return err
}

// NewOID gives out the next object id. It may be in use when the counter has wrapped: the caller looks it up in its catalog's unique index.
func (m *Manager) NewOID() types.OID {
	g := &m.oids
	g.mu.Lock()
	defer g.mu.Unlock()
	for {
		oid := types.OID(g.lease.take(m.store))
		if oid >= FirstNormalOID {
			return oid
		}
		g.lease.next, g.lease.end = FirstNormalOID, 0
	}
}
