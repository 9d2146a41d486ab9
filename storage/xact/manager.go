package xact

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/calfdb/calf/storage/pagestore"
)

// Manager gives out transaction ids, knows who is running and what became of the rest.
type Manager struct {
	store  *pagestore.Store
	status statusTable
	subs   subtrans

	procs atomic.Pointer[[]*Proc] // by id - 1; nil = free; replaced under mu

	// cur is the snapshot data of this moment, nil when a transaction ended since it was built. Who ends a transaction clears it before
	// it touches anything else, so whoever saw that end gets a snapshot that saw it too.
	cur atomic.Pointer[snapData]

	horizon atomic.Uint64 // the latest computed one: the true one is at or above

	mu        sync.Mutex
	running   []XID // top-level transactions, ascending
	completed XID   // the latest that ended
	lxids     map[int32]uint32
	xids      lease
	subsSweep int // the number of subs entries at which they are swept

	oids oidGenerator
}

// Open starts over store: transactions that it finds without a commit are aborted.
func Open(store *pagestore.Store) (*Manager, error) {
	m := &Manager{store: store, lxids: make(map[int32]uint32), subsSweep: 64}
	m.procs.Store(&[]*Proc{})
	var err error
	if m.xids, err = openLease(store, xidLeaseKey, uint64(FirstXID)); err != nil {
		return nil, err
	}
	if err := m.oids.open(store); err != nil {
		return nil, err
	}
	first := XID(m.xids.next)
	m.completed = first - 1
	m.status.firstOfRun = first
	m.status.load = func(no uint64) ([]byte, error) { return readStatus(store, no) }
	m.horizon.Store(uint64(first))
	return m, nil
}

// NextXID is the id that the next transaction gets.
func (m *Manager) NextXID() XID {
	m.mu.Lock()
	defer m.mu.Unlock()
	return XID(m.xids.next)
}

// Status says what became of xid. InProgress means that it has not left the running set: every other answer is final, and may be hinted.
func (m *Manager) Status(xid XID) Status { return m.status.get(xid) }

// TopOf is the top-level transaction of xid, which is xid itself when it is not a subtransaction that somebody may still see running.
func (m *Manager) TopOf(xid XID) XID {
	if top, ok := m.subs.top(xid); ok {
		return top
	}
	return xid
}

// assign gives out the next id, to a subtransaction of top when that is not 0, and puts a top-level one into the running set.
func (m *Manager) assign(top XID) XID {
	m.mu.Lock()
	defer m.mu.Unlock()
	xid := XID(m.xids.take(m.store))
	if top != 0 {
		m.subs.add(xid, top)
	} else {
		m.running = append(m.running, xid)
	}
	return xid
}

// finish takes a transaction out of the running set: xids[0] is its top.
func (m *Manager) finish(xids []XID, s Status) {
	m.mu.Lock()
	m.cur.Store(nil)
	i, found := slices.BinarySearch(m.running, xids[0])
	if !found {
		m.mu.Unlock()
		panic("xact: a transaction that ends is not running")
	}
	m.running = slices.Delete(m.running, i, i+1)
	for _, x := range xids {
		m.status.set(x, s)
	}
	m.completed = max(m.completed, xids[len(xids)-1])
	sweep := int(m.subs.count.Load()) > m.subsSweep
	m.mu.Unlock()
	if sweep {
		m.sweepSubs()
	}
}

// sweepSubs forgets subtransactions that no snapshot can ask for, and sets when to try again: the work stays proportional to what is made.
func (m *Manager) sweepSubs() {
	m.subs.forget(m.Horizon())
	m.mu.Lock()
	m.subsSweep = 64 + 2*int(m.subs.count.Load())
	m.mu.Unlock()
}

// current gives the snapshot data of now.
func (m *Manager) current() *snapData {
	if d := m.cur.Load(); d != nil {
		return d
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if d := m.cur.Load(); d != nil {
		return d
	}
	d := &snapData{xmax: m.completed + 1}
	n, _ := slices.BinarySearch(m.running, d.xmax)
	d.running = slices.Clone(m.running[:n])
	d.xmin = d.xmax
	if n > 0 {
		d.xmin = d.running[0]
	}
	m.cur.Store(d)
	return d
}

// Horizon is the oldest transaction that any snapshot, present or future, can see as running: what was deleted by an earlier one that
// committed is dead to all.
func (m *Manager) Horizon() XID {
	h := m.current().xmin
	for _, p := range *m.procs.Load() {
		if p == nil {
			continue
		}
		if x := p.Xmin(); x != 0 && x < h {
			h = x
		}
	}
	for {
		old := m.horizon.Load()
		if uint64(h) <= old {
			return max(h, XID(old))
		}
		if m.horizon.CompareAndSwap(old, uint64(h)) {
			return h
		}
	}
}

// RecentHorizon is a horizon that was computed before: cheap, and never above Horizon.
func (m *Manager) RecentHorizon() XID { return XID(m.horizon.Load()) }

// CurrentXmin is the xmin that a snapshot taken now would have.
func (m *Manager) CurrentXmin() XID { return m.current().xmin }

// ActiveProcs calls fn with each slot in use.
func (m *Manager) ActiveProcs(fn func(*Proc)) {
	for _, p := range *m.procs.Load() {
		if p != nil {
			fn(p)
		}
	}
}
