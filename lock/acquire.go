package lock

// Acquire takes mode on tag on o's account, waiting for it if need be. On an error nothing was taken: cancelled (Interrupt's error), lock
// timeout (55P03), deadlock (40P01), too many locks (53200).
func (s *Session) Acquire(o *Owner, tag Tag, mode Mode) error {
	_, err := s.acquire(o, tag, mode, true)
	return err
}

// TryAcquire is Acquire without waiting: false when it would have to wait. The error is that of too many locks.
func (s *Session) TryAcquire(o *Owner, tag Tag, mode Mode) (bool, error) {
	return s.acquire(o, tag, mode, false)
}

func (s *Session) acquire(o *Owner, tag Tag, mode Mode, wait bool) (bool, error) {
	if o.s != s {
		panic("lock: owner of another session")
	}
	hash := tag.hash()
	h := s.table.find(tag, hash)
	if h != nil && h.counts[mode] > 0 { // held already
		s.account(o, h, mode, 1)
		return true, nil
	}
	p := s.m.partition(hash)
	p.Lock()
	if h == nil {
		l, err := s.m.findOrAdd(p, tag, hash)
		if err != nil {
			p.Unlock()
			return false, err
		}
		h = s.newHold(l)
	}
	l := h.lock
	if l.waitMask&conflicts[mode] == 0 && !l.blocked(h, mode) {
		l.grant(h, mode)
		p.Unlock()
		s.account(o, h, mode, 1)
		return true, nil
	}
	if !wait {
		s.dropUnused(p, h)
		p.Unlock()
		return false, nil
	}
	if err := s.sleep(p, h, mode); err != nil { // unlocks p
		return false, err
	}
	s.account(o, h, mode, 1)
	return true, nil
}

// newHold makes the session's hold of l, with no mode yet. The caller holds l's partition.
func (s *Session) newHold(l *sharedLock) *hold {
	h := s.free.newHold()
	h.tag, h.hash, h.session = l.tag, l.hash, s
	h.attach(l)
	s.table.add(h)
	return h
}

// attach puts h on the lock's list.
func (h *hold) attach(l *sharedLock) {
	h.lock = l
	h.nextHold = l.holds
	if l.holds != nil {
		l.holds.prevHold = h
	}
	l.holds = h
}

func (h *hold) detach() {
	if h.prevHold != nil {
		h.prevHold.nextHold = h.nextHold
	} else {
		h.lock.holds = h.nextHold
	}
	if h.nextHold != nil {
		h.nextHold.prevHold = h.prevHold
	}
}

// dropUnused removes a hold without modes, and its lock if that was the last. The caller holds the partition.
func (s *Session) dropUnused(p *partition, h *hold) {
	if h.mask != 0 {
		return
	}
	h.detach()
	s.m.removeIfUnused(p, h.lock)
	s.table.remove(h)
	s.free.freeHold(h)
}

// Release gives back one Acquire of mode on tag by o. False when o has none: the caller warns as PostgreSQL does.
func (s *Session) Release(o *Owner, tag Tag, mode Mode) bool {
	h := s.table.find(tag, tag.hash())
	if h == nil {
		return false
	}
	e := h.entry(o, mode)
	if e == nil {
		return false
	}
	s.drop(e, 1)
	return true
}

// drop takes count from an account, and releases the mode when that was the session's last.
func (s *Session) drop(e *held, count int32) {
	h, mode := e.hold, e.mode
	h.counts[mode] -= count
	if e.count -= count; e.count == 0 {
		e.unlinkOwned()
		e.unlinkEntry()
		s.free.freeHeld(e)
	}
	if h.counts[mode] > 0 {
		return
	}
	p := s.m.partition(h.hash)
	p.Lock()
	h.lock.ungrant(h, mode)
	if h.lock.waitMask&conflicts[mode] != 0 {
		h.lock.wakeWaiters()
	}
	s.dropUnused(p, h)
	p.Unlock()
}

// Holds says whether the session has mode on tag, on anybody's account.
func (s *Session) Holds(tag Tag, mode Mode) bool {
	h := s.table.find(tag, tag.hash())
	return h != nil && h.counts[mode] > 0
}

// HoldsAtLeast says whether the session has mode or a stronger one on tag.
func (s *Session) HoldsAtLeast(tag Tag, mode Mode) bool {
	h := s.table.find(tag, tag.hash())
	return h != nil && h.mask>>mode != 0
}
