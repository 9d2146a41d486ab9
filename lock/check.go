package lock

import "fmt"

// Check verifies the shared table: counts and masks agree with the holds, nobody has what excludes another's, every waiter is in the way of
// somebody, no entry is without use. It is for tests and takes all partitions.
func (m *Manager) Check() error {
	m.lockAll()
	defer m.unlockAll()
	for i := range m.parts {
		p := &m.parts[i]
		n := 0
		for _, l := range p.buckets {
			for ; l != nil; l = l.next {
				n++
				if err := l.check(); err != nil {
					return fmt.Errorf("lock on %s: %w", l.tag, err)
				}
			}
		}
		if n != p.count {
			return fmt.Errorf("partition %d: %d locks, counted %d", i, n, p.count)
		}
	}
	return m.Rows.check()
}

// Len counts the things that are locked and the row lock entries. It is for tests.
func (m *Manager) Len() (locks, rows int) {
	m.lockAll()
	defer m.unlockAll()
	for i := range m.parts {
		locks += m.parts[i].count
	}
	for i := range m.Rows.parts {
		rows += int(m.Rows.parts[i].count.Load())
	}
	return locks, rows
}

func (l *sharedLock) check() error {
	var granted, waiting [modeCount]int32
	for h := l.holds; h != nil; h = h.nextHold {
		if h.lock != l || h.tag != l.tag {
			return fmt.Errorf("process %d: hold belongs elsewhere", h.session.pid)
		}
		if h.mask == 0 && h.session.wait.hold != h {
			return fmt.Errorf("process %d: hold without use", h.session.pid)
		}
		for mode := AccessShare; mode <= AccessExclusive; mode++ {
			if h.mask&mode.bit() == 0 {
				continue
			}
			granted[mode]++
			for o := h.nextHold; o != nil; o = o.nextHold {
				if o.mask&conflicts[mode] != 0 {
					return fmt.Errorf("processes %d and %d exclude each other", h.session.pid, o.session.pid)
				}
			}
		}
	}
	var ahead modeSet
	for q := l.first; q != nil; q = q.wait.next {
		if q.wait.lock != l || q.wait.hold.lock != l {
			return fmt.Errorf("process %d: in the queue, waits elsewhere", q.pid)
		}
		mode := q.wait.mode
		waiting[mode]++
		if conflicts[mode]&ahead == 0 && !l.blocked(q.wait.hold, mode) {
			return fmt.Errorf("process %d waits for nobody", q.pid)
		}
		ahead |= mode.bit()
	}
	if granted != l.granted || waiting != l.waiting {
		return fmt.Errorf("counts %v %v, should be %v %v", l.granted, l.waiting, granted, waiting)
	}
	if maskOf(granted) != l.grantMask || maskOf(waiting) != l.waitMask {
		return fmt.Errorf("masks %b %b do not agree with counts", l.grantMask, l.waitMask)
	}
	if l.holds == nil {
		return fmt.Errorf("nobody holds it or waits for it")
	}
	return nil
}

func maskOf(counts [modeCount]int32) (s modeSet) {
	for m, n := range counts {
		if n > 0 {
			s |= Mode(m).bit()
		}
	}
	return s
}

func (r *RowLocks) check() error {
	for i := range r.parts {
		p := &r.parts[i]
		p.Lock()
		err := p.check(r)
		p.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *rowPartition) check(r *RowLocks) error {
	n := 0
	for _, first := range p.buckets {
		for e := first; e != nil; e = e.next {
			n++
			if r.part(e.key.hash()) != p {
				return fmt.Errorf("row %+v in the wrong partition", e.key)
			}
			for o := e.next; o != nil; o = o.next {
				if o.key == e.key && o.hold.top != e.hold.top && o.hold.strength.Conflicts(e.hold.strength) {
					return fmt.Errorf("row %+v: transactions %d and %d exclude each other", e.key, e.hold.top, o.hold.top)
				}
			}
		}
	}
	if n != int(p.count.Load()) {
		return fmt.Errorf("row partition %d: %d entries, counted %d", p.index, n, p.count.Load())
	}
	return nil
}
