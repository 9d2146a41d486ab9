package lock

import (
	"sync"
	"sync/atomic"

	"github.com/calfdb/calf/sql/pgerr"
)

const (
	partitionBits  = 6
	partitionCount = 1 << partitionBits
)

// Manager is the lock table that all sessions share.
type Manager struct {
	// Rows are the row locks.
	Rows *RowLocks

	limit atomic.Int64 // most locked things at a time, 0 = no limit
	count atomic.Int64 // locked things, kept only while there is a limit

	mu       sync.Mutex
	sessions []*Session // by backend id - 1; nil = free

	parts [partitionCount]partition
}

// partition is a part of the table, by the low bits of a tag's hash. Its mutex guards its locks, their holds' shared fields, and the wait
// state of the sessions that wait for one of them.
type partition struct {
	sync.Mutex
	buckets []*sharedLock
	count   int
	free    *sharedLock
	_       [64]byte
}

// sharedLock is a locked thing.
type sharedLock struct {
	tag  Tag
	hash uint32
	next *sharedLock // in its bucket

	granted   [modeCount]int32 // sessions that hold each mode
	waiting   [modeCount]int32 // sessions that wait for each mode
	grantMask modeSet
	waitMask  modeSet

	holds *hold    // those who hold it or wait for it
	first *Session // the wait queue
	last  *Session
}

// NewManager makes an empty lock table.
func NewManager() *Manager {
	m := &Manager{Rows: newRowLocks()}
	for i := range m.parts {
		m.parts[i].buckets = make([]*sharedLock, 16)
	}
	return m
}

// SetLimit bounds the number of things that can be locked at a time: max_locks_per_transaction times connections. 0 removes the bound. It is
// for start-up, before anything is locked.
func (m *Manager) SetLimit(locks int) { m.limit.Store(int64(locks)) }

func (m *Manager) partition(hash uint32) *partition { return &m.parts[hash&(partitionCount-1)] }

func (p *partition) bucket(hash uint32) **sharedLock {
	return &p.buckets[int(hash>>partitionBits)&(len(p.buckets)-1)]
}

func (p *partition) find(tag Tag, hash uint32) *sharedLock {
	for l := *p.bucket(hash); l != nil; l = l.next {
		if l.tag == tag {
			return l
		}
	}
	return nil
}

// findOrAdd gives the lock of a tag, a new one when nobody has or wants it. The caller holds the partition's mutex.
func (m *Manager) findOrAdd(p *partition, tag Tag, hash uint32) (*sharedLock, error) {
	if l := p.find(tag, hash); l != nil {
		return l, nil
	}
	if limit := m.limit.Load(); limit > 0 && m.count.Add(1) > limit {
		m.count.Add(-1)
		return nil, pgerr.New(pgerr.OutOfMemory, "out of shared memory").
			WithHint("You might need to increase max_locks_per_transaction.")
	}
	if p.count >= len(p.buckets) {
		p.resize(2 * len(p.buckets))
	}
	l := p.free
	if l != nil {
		p.free = l.next
	} else {
		l = &sharedLock{}
	}
	l.tag, l.hash = tag, hash
	b := p.bucket(hash)
	l.next = *b
	*b = l
	p.count++
	return l, nil
}

// removeIfUnused takes a lock that nobody holds or wants out of the table.
func (m *Manager) removeIfUnused(p *partition, l *sharedLock) {
	if l.holds != nil {
		return
	}
	b := p.bucket(l.hash)
	for *b != l {
		b = &(*b).next
	}
	*b = l.next
	p.count--
	if m.limit.Load() > 0 {
		m.count.Add(-1)
	}
	*l = sharedLock{}
	if p.count < retainedLocks { // after a peak memory goes back
		l.next = p.free
		p.free = l
	}
	if p.count == 0 && len(p.buckets) > retainedLocks {
		p.buckets, p.free = make([]*sharedLock, 16), nil
	}
}

// retainedLocks is how many unused entries and buckets a partition, or a session, keeps for the next one.
const retainedLocks = 1024

func (p *partition) resize(n int) {
	old := p.buckets
	p.buckets = make([]*sharedLock, n)
	for _, l := range old {
		for l != nil {
			next := l.next
			b := p.bucket(l.hash)
			l.next = *b
			*b = l
			l = next
		}
	}
}

// lockAll takes all partitions, lowest first, for the deadlock detector and for looking at everything.
func (m *Manager) lockAll() {
	for i := range m.parts {
		m.parts[i].Lock()
	}
}

func (m *Manager) unlockAll() {
	for i := range m.parts {
		m.parts[i].Unlock()
	}
}

// grant gives mode to h.
func (l *sharedLock) grant(h *hold, mode Mode) {
	h.mask |= mode.bit()
	l.granted[mode]++
	l.grantMask |= mode.bit()
}

// ungrant takes mode from h.
func (l *sharedLock) ungrant(h *hold, mode Mode) {
	h.mask &^= mode.bit()
	l.granted[mode]--
	if l.granted[mode] == 0 {
		l.grantMask &^= mode.bit()
	}
}

// blocked says whether somebody else holds a mode that excludes mode. What h's own session holds does not count.
func (l *sharedLock) blocked(h *hold, mode Mode) bool {
	hit := conflicts[mode] & l.grantMask
	for m := Mode(1); hit != 0 && m <= AccessExclusive; m++ {
		if hit&m.bit() == 0 {
			continue
		}
		others := l.granted[m]
		if h.mask&m.bit() != 0 {
			others--
		}
		if others > 0 {
			return true
		}
		hit &^= m.bit()
	}
	return false
}
