package lock

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/calfdb/calf/sql/pgerr"
)

// Interrupt is how a wait learns that it has to end: Done is closed (or receives), then Err says why. Done may be called for each wait.
type Interrupt interface {
	Done() <-chan struct{}
	Err() error
}

// Session is one connection's (or one background worker's) side of the lock table. It is used by one goroutine at a time. The exported
// fields are set by that goroutine, between calls.
type Session struct {
	LockTimeout     time.Duration // lock_timeout; 0 = none
	DeadlockTimeout time.Duration // deadlock_timeout
	Interrupt       Interrupt     // nil = waits can't be cancelled
	// OnWait, when set, is told when a wait begins and when it is over.
	OnWait func(waiting bool)
	// Log, when set, gets log_lock_waits' messages, and a deadlock's detail.
	Log func(*pgerr.Error)

	m       *Manager
	pid     int32
	backend int32
	closed  bool

	table  localTable
	owner  *Owner // the session's own; first opened, closed with the session
	open   *Owner // all open owners
	free   freeLists
	vxid   virtualXID
	timers waitTimers

	// Wait state; guarded by the partition of the lock that is waited for.
	wait waitState
}

// waitState says what a session waits for.
type waitState struct {
	lock       *sharedLock // nil = not waiting
	hold       *hold
	mode       Mode
	next, prev *Session // in the lock's queue
	since      time.Time
	wake       chan struct{} // receives when the lock was granted
}

// virtualXID is the session's current virtual transaction.
type virtualXID struct {
	mu   sync.Mutex
	lxid atomic.Uint32 // 0 = none
	hold *hold         // when somebody waits for it: the real lock that stands for it
}

// NewSession adds a session. pid is what pg_locks and messages call it.
func (m *Manager) NewSession(pid int32) *Session {
	s := &Session{m: m, pid: pid, DeadlockTimeout: time.Second}
	s.wait.wake = make(chan struct{}, 1)
	s.table.init()
	s.owner = s.NewOwner(SessionOwner, nil)
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, old := range m.sessions {
		if old == nil {
			m.sessions[i] = s
			s.backend = int32(i) + 1
			return s
		}
	}
	m.sessions = append(m.sessions, s)
	s.backend = int32(len(m.sessions))
	return s
}

// Close releases everything that the session holds and forgets it.
func (s *Session) Close() {
	if s.closed {
		return
	}
	s.closed = true
	s.EndVirtualXID()
	for s.open != nil {
		s.open.Close()
	}
	s.m.mu.Lock()
	s.m.sessions[s.backend-1] = nil
	s.m.mu.Unlock()
}

// PID gives the number that the session was made with.
func (s *Session) PID() int32 { return s.pid }

// BackendID is a small number, unique among the sessions there are.
func (s *Session) BackendID() int32 { return s.backend }

// Owner gives the session's own owner, for session-level locks.
func (s *Session) Owner() *Owner { return s.owner }

// Manager gives the table that the session belongs to.
func (s *Session) Manager() *Manager { return s.m }
