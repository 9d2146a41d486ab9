package lock

import (
	"sort"
	"time"
)

// Status is one row of pg_locks: a mode that a session has, or waits for, of a thing.
type Status struct {
	Tag       Tag
	Mode      Mode
	Granted   bool
	FastPath  bool
	PID       int32
	Backend   int32  // virtualtransaction is Backend/LXID
	LXID      uint32 // 0 when the session is in no transaction
	WaitStart time.Time
}

// Columns says which of pg_locks' columns a tag fills, and with what.
type Columns struct {
	Database, Relation, Page, Tuple *uint32
	VirtualBackend                  *int32 // virtualxid is VirtualBackend/VirtualLXID
	VirtualLXID                     uint32
	TransactionID                   *uint32
	ClassID, ObjID                  *uint32
	ObjSubID                        *int16
}

// Columns gives the tag as pg_locks shows it.
func (t Tag) Columns() (c Columns) {
	f1, f2, f3, f4 := t.f1, t.f2, t.f3, uint32(t.f4)
	switch t.kind {
	case RelationKind, ExtendKind:
		c.Database, c.Relation = &f1, &f2
	case FrozenIDsKind:
		c.Database = &f1
	case PageKind:
		c.Database, c.Relation, c.Page = &f1, &f2, &f3
	case TupleKind:
		c.Database, c.Relation, c.Page, c.Tuple = &f1, &f2, &f3, &f4
	case TransactionKind:
		c.TransactionID = &f1
	case VirtualXIDKind:
		backend := int32(t.f1)
		c.VirtualBackend, c.VirtualLXID = &backend, t.f2
	default:
		sub := int16(t.f4)
		c.Database, c.ClassID, c.ObjID, c.ObjSubID = &f1, &f2, &f3, &sub
	}
	return c
}

// Status lists all locks, held and waited for, for pg_locks: a consistent view.
func (m *Manager) Status() []Status {
	var out []Status
	m.lockAll()
	for i := range m.parts {
		for _, l := range m.parts[i].buckets {
			for ; l != nil; l = l.next {
				out = l.appendStatus(out)
			}
		}
	}
	m.unlockAll()
	return m.appendVirtual(out)
}

func (l *sharedLock) appendStatus(out []Status) []Status {
	for h := l.holds; h != nil; h = h.nextHold {
		s := h.session
		row := Status{Tag: l.tag, Granted: true, PID: s.pid, Backend: s.backend, LXID: s.vxid.lxid.Load()}
		for mode := AccessShare; mode <= AccessExclusive; mode++ {
			if h.mask&mode.bit() != 0 {
				row.Mode = mode
				out = append(out, row)
			}
		}
		if s.wait.hold == h {
			row.Mode, row.Granted, row.WaitStart = s.wait.mode, false, s.wait.since
			out = append(out, row)
		}
	}
	return out
}

// BlockingPIDs lists the sessions that the session with this pid waits for: those that hold what excludes its wanted mode, and those
// before it in the queue that want it. Nil when it does not wait.
func (m *Manager) BlockingPIDs(pid int32) []int32 {
	s := m.sessionByPID(pid)
	if s == nil {
		return nil
	}
	m.lockAll()
	defer m.unlockAll()
	l := s.wait.lock
	if l == nil {
		return nil
	}
	excludes := conflicts[s.wait.mode]
	var out []int32
	for h := l.holds; h != nil; h = h.nextHold {
		if h.session != s && h.mask&excludes != 0 {
			out = append(out, h.session.pid)
		}
	}
	for q := l.first; q != s; q = q.wait.next {
		if q.wait.mode.bit()&excludes != 0 && q.wait.hold.mask&excludes == 0 {
			out = append(out, q.pid)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i] < out[j] })
	return out
}

// WaitingFor says what the session with this pid waits for, for pg_stat_activity's wait event.
func (m *Manager) WaitingFor(pid int32) (Tag, Mode, bool) {
	s := m.sessionByPID(pid)
	if s == nil {
		return Tag{}, NoLock, false
	}
	m.lockAll()
	defer m.unlockAll()
	if s.wait.lock == nil {
		return Tag{}, NoLock, false
	}
	return s.wait.lock.tag, s.wait.mode, true
}

func (m *Manager) sessionByPID(pid int32) *Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.sessions {
		if s != nil && s.pid == pid {
			return s
		}
	}
	return nil
}

// IsBlocking says whether somebody has waited at least since long for a lock that the session with this pid holds.
func (m *Manager) IsBlocking(pid int32, since time.Duration) bool {
	s := m.sessionByPID(pid)
	if s == nil {
		return false
	}
	now := time.Now()
	m.lockAll()
	defer m.unlockAll()
	for i := range m.parts {
		for _, l := range m.parts[i].buckets {
			for ; l != nil; l = l.next {
				if l.blocks(s, now.Add(-since)) {
					return true
				}
			}
		}
	}
	return false
}

// blocks says whether s holds what excludes somebody who has waited since before.
func (l *sharedLock) blocks(s *Session, before time.Time) bool {
	if l.first == nil {
		return false
	}
	for h := l.holds; h != nil; h = h.nextHold {
		if h.session != s {
			continue
		}
		for q := l.first; q != nil; q = q.wait.next {
			if q != s && h.mask&conflicts[q.wait.mode] != 0 && !q.wait.since.After(before) {
				return true
			}
		}
	}
	return false
}
