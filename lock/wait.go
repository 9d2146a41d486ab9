package lock

import (
	"time"

	"github.com/calfdb/calf/sql/pgerr"
)

// waitTimers are a session's two timers, made when it first waits.
type waitTimers struct {
	deadlock *time.Timer
	timeout  *time.Timer
}

func startTimer(t **time.Timer, d time.Duration) <-chan time.Time {
	if *t == nil {
		*t = time.NewTimer(d)
	} else {
		(*t).Reset(d)
	}
	return (*t).C
}

// sleep queues up for mode and waits. The caller holds the partition, which sleep releases. On an error the session is out of the queue
// and has nothing more than before.
func (s *Session) sleep(p *partition, h *hold, mode Mode) error {
	granted, err := s.enqueue(h, mode)
	if err != nil {
		s.dropUnused(p, h)
	}
	p.Unlock()
	if granted || err != nil {
		return err
	}
	if s.OnWait != nil {
		s.OnWait(true)
		defer s.OnWait(false)
	}
	return s.await(p, h, mode)
}

// await waits until the lock is granted or the wait ends otherwise.
func (s *Session) await(p *partition, h *hold, mode Mode) error {
	var cancelled <-chan struct{}
	if s.Interrupt != nil {
		cancelled = s.Interrupt.Done()
	}
	check := startTimer(&s.timers.deadlock, s.DeadlockTimeout)
	defer s.timers.deadlock.Stop()
	var timeout <-chan time.Time
	if s.LockTimeout > 0 {
		timeout = startTimer(&s.timers.timeout, s.LockTimeout)
		defer s.timers.timeout.Stop()
	}
	w := waitReport{tag: h.tag, mode: mode, since: time.Now()}
	for {
		select {
		case <-s.wait.wake:
			s.logWait(&w, waitAcquired)
			return nil
		case <-check:
			if err := s.checkDeadlock(&w); err != nil {
				return err
			}
		case <-timeout:
			timeout = nil
			if s.giveUp(p, h) {
				return pgerr.New(pgerr.LockNotAvailable, "canceling statement due to lock timeout")
			}
		case <-cancelled:
			cancelled = nil
			if s.giveUp(p, h) {
				return s.Interrupt.Err()
			}
		}
	}
}

// giveUp takes the session out of the queue. False when the lock has been granted meanwhile (the wake is on its way).
func (s *Session) giveUp(p *partition, h *hold) bool {
	p.Lock()
	defer p.Unlock()
	if s.wait.lock == nil {
		return false
	}
	s.leaveQueue(p, h)
	return true
}

// leaveQueue ends the wait without the lock, and lets those pass who waited behind. The caller holds the partition.
func (s *Session) leaveQueue(p *partition, h *hold) {
	l := h.lock
	l.unlinkWaiter(s)
	if l.waitMask != 0 {
		l.wakeWaiters()
	}
	s.dropUnused(p, h)
}

// enqueue puts the session into the queue of h's lock. As a rule at its end; but who has some mode already goes before the first waiter that
// his mode blocks, or he would wait for one who waits for him. Granted at once when nobody before that place is in the way. Two who block each
// other are a deadlock that needs no detector.
func (s *Session) enqueue(h *hold, mode Mode) (granted bool, err error) {
	l := h.lock
	var before *Session
	if h.mask != 0 {
		var ahead modeSet
		for q := l.first; q != nil; q = q.wait.next {
			if conflicts[q.wait.mode]&h.mask == 0 {
				ahead |= q.wait.mode.bit()
				continue
			}
			if conflicts[mode]&q.wait.hold.mask != 0 {
				return false, s.deadlockError([]waitEdge{{s, l.tag, mode}, {q, l.tag, q.wait.mode}})
			}
			if conflicts[mode]&ahead == 0 && !l.blocked(h, mode) {
				l.grant(h, mode)
				return true, nil
			}
			before = q
			break
		}
	}
	s.wait.lock, s.wait.hold, s.wait.mode, s.wait.since = l, h, mode, time.Now()
	l.insertWaiter(s, before)
	return false, nil
}

// insertWaiter puts s into the queue before the given waiter, or last.
func (l *sharedLock) insertWaiter(s, before *Session) {
	s.wait.next = before
	if before != nil {
		s.wait.prev = before.wait.prev
		before.wait.prev = s
	} else {
		s.wait.prev = l.last
		l.last = s
	}
	if s.wait.prev != nil {
		s.wait.prev.wait.next = s
	} else {
		l.first = s
	}
	l.waiting[s.wait.mode]++
	l.waitMask |= s.wait.mode.bit()
}

// unlinkWaiter takes s out of the queue and ends its wait state.
func (l *sharedLock) unlinkWaiter(s *Session) {
	w := &s.wait
	if w.prev != nil {
		w.prev.wait.next = w.next
	} else {
		l.first = w.next
	}
	if w.next != nil {
		w.next.wait.prev = w.prev
	} else {
		l.last = w.prev
	}
	l.waiting[w.mode]--
	if l.waiting[w.mode] == 0 {
		l.waitMask &^= w.mode.bit()
	}
	w.lock, w.hold, w.next, w.prev = nil, nil, nil, nil
}

// wakeWaiters grants what can be granted, in queue order: a waiter passes when neither holders nor waiters that stay before it are in the way.
func (l *sharedLock) wakeWaiters() {
	var ahead modeSet
	for q := l.first; q != nil; {
		next := q.wait.next
		h, mode := q.wait.hold, q.wait.mode
		if conflicts[mode]&ahead == 0 && !l.blocked(h, mode) {
			l.unlinkWaiter(q)
			l.grant(h, mode)
			q.wait.wake <- struct{}{}
		} else {
			ahead |= mode.bit()
		}
		q = next
	}
}
