package lock

// A virtual transaction is locked Exclusive by its session from beginning to end, so that others can wait for its end. That lock is almost
// never waited for, so it is a word in the session until somebody does; only then a real one is put into the shared table on the session's
// behalf. (PostgreSQL's fast path for virtual transaction locks does the same.)

// BeginVirtualXID says that the session's transaction lxid begins. It is never 0.
func (s *Session) BeginVirtualXID(lxid uint32) { s.vxid.lxid.Store(lxid) }

// EndVirtualXID says that the session's transaction is over: who waits for it goes on.
func (s *Session) EndVirtualXID() {
	v := &s.vxid
	v.mu.Lock()
	v.lxid.Store(0)
	h := v.hold
	v.hold = nil
	v.mu.Unlock()
	if h == nil {
		return
	}
	p := s.m.partition(h.hash)
	p.Lock()
	h.lock.ungrant(h, Exclusive)
	if h.lock.waitMask != 0 {
		h.lock.wakeWaiters()
	}
	h.detach()
	s.m.removeIfUnused(p, h.lock)
	p.Unlock()
}

// WaitForVirtualXID waits until the virtual transaction is over; o is a owner of the waiting session.
func (s *Session) WaitForVirtualXID(o *Owner, backend int32, lxid uint32) error {
	m := s.m
	m.mu.Lock()
	var holder *Session
	if backend >= 1 && int(backend) <= len(m.sessions) {
		holder = m.sessions[backend-1]
	}
	m.mu.Unlock()
	if holder == nil || holder == s {
		return nil
	}
	running, err := holder.materialize(lxid)
	if err != nil || !running {
		return err
	}
	tag := VirtualXID(backend, lxid)
	if err := s.Acquire(o, tag, Share); err != nil {
		return err
	}
	s.Release(o, tag, Share)
	return nil
}

// materialize puts the lock of the session's virtual transaction into the shared table, if it is still lxid. It is called by another
// session's goroutine. Lock order: the session's vxid mutex, then the partition.
func (s *Session) materialize(lxid uint32) (running bool, err error) {
	v := &s.vxid
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lxid.Load() != lxid {
		return false, nil
	}
	if v.hold != nil {
		return true, nil
	}
	tag := VirtualXID(s.backend, lxid)
	hash := tag.hash()
	p := s.m.partition(hash)
	p.Lock()
	defer p.Unlock()
	l, err := s.m.findOrAdd(p, tag, hash)
	if err != nil {
		return false, err
	}
	h := &hold{tag: tag, hash: hash, session: s}
	h.attach(l)
	l.grant(h, Exclusive)
	v.hold = h
	return true, nil
}

// appendVirtual adds the virtual transaction locks that are not in the shared table.
func (m *Manager) appendVirtual(out []Status) []Status {
	m.mu.Lock()
	sessions := append([]*Session(nil), m.sessions...)
	m.mu.Unlock()
	for _, s := range sessions {
		if s == nil {
			continue
		}
		s.vxid.mu.Lock()
		lxid, real := s.vxid.lxid.Load(), s.vxid.hold != nil
		s.vxid.mu.Unlock()
		if lxid == 0 || real {
			continue
		}
		out = append(out, Status{Tag: VirtualXID(s.backend, lxid), Mode: Exclusive, Granted: true, FastPath: true,
			PID: s.pid, Backend: s.backend, LXID: lxid})
	}
	return out
}
