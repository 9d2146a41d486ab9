package lock

// checkDeadlock runs the detector for the waiting session, after deadlock_timeout. It takes all partitions. A deadlock that another order
// in the wait queues resolves is resolved; else the session leaves its queue and gets the error.
func (s *Session) checkDeadlock(w *waitReport) error {
	m := s.m
	m.lockAll()
	if s.wait.lock == nil { // granted meanwhile
		m.unlockAll()
		return nil
	}
	if s.Log != nil {
		w.collect(s.wait.lock, s)
	}
	d := &detector{start: s}
	outcome := waitContinues
	var err error
	switch {
	case !d.solve():
		d.findCycle(s) // once more without reordering, for the report
		err = s.deadlockError(d.cycle())
		outcome = waitDeadlock
		h := s.wait.hold
		s.leaveQueue(m.partition(h.hash), h)
	case len(d.orders) > 0:
		d.applyOrders()
		outcome = waitDeadlockAvoided
	}
	m.unlockAll()
	s.logWait(w, outcome)
	return err
}

// detector looks for cycles in the graph "waits for". An edge is hard when the other holds what excludes the wanted mode; it is soft when
// the other only stands before it in the queue with a wanted mode that excludes it: another queue order takes a soft edge away.
//
// solve searches for a set of soft edges to reverse (constraints: this waiter goes before that one) with which no cycle is left, depth first,
// as PostgreSQL does: every constraint is a soft edge of a cycle that was found, so the search is finite, and it is bounded.
type detector struct {
	start       *Session
	constraints []softEdge
	orders      []queueOrder // queues as the constraints order them; for the configuration that was tried last

	visited []*Session
	path    []waitEdge // of the cycle found, innermost last
	soft    []softEdge // of the cycle found
	tried   int
}

// softEdge: waiter waits for blocker, who stands before it in the queue of lock.
type softEdge struct {
	waiter, blocker *Session
	lock            *sharedLock
}

type queueOrder struct {
	lock  *sharedLock
	queue []*Session
}

// maxConfigurations bounds the search. PostgreSQL bounds it by memory sized to the number of sessions.
const maxConfigurations = 4096

// solve reports whether the graph has no cycle through start under some order of the queues; that order is then in d.orders.
func (d *detector) solve() bool {
	edges, ok := d.test()
	if !ok {
		return false
	}
	if len(edges) == 0 {
		return true
	}
	for _, e := range edges {
		d.constraints = append(d.constraints, e)
		if d.solve() {
			return true
		}
		d.constraints = d.constraints[:len(d.constraints)-1]
	}
	return false
}

// test looks at the configuration that the constraints make. Not ok: it can't be made, or has a cycle of hard edges only. Else the soft edges
// of a cycle that is left, none when there is no cycle.
func (d *detector) test() (edges []softEdge, ok bool) {
	if d.tried++; d.tried > maxConfigurations || !d.orderQueues() {
		return nil, false
	}
	// Reversing an edge can close a cycle elsewhere; it then goes through an end of that edge.
	for _, c := range d.constraints {
		for _, s := range [...]*Session{c.waiter, c.blocker} {
			if d.findCycle(s) {
				if len(d.soft) == 0 {
					return nil, false
				}
				edges = append(edges[:0], d.soft...)
			}
		}
	}
	if d.findCycle(d.start) {
		if len(d.soft) == 0 {
			return nil, false
		}
		edges = append(edges[:0], d.soft...)
	}
	return edges, true
}

// findCycle looks for a cycle through s; path and soft then tell it.
func (d *detector) findCycle(s *Session) bool {
	d.visited, d.path, d.soft = d.visited[:0], d.path[:0], d.soft[:0]
	return d.visit(s)
}

// cycle gives the path that findCycle found, starting session first.
func (d *detector) cycle() []waitEdge {
	out := make([]waitEdge, len(d.path))
	for i, e := range d.path {
		out[len(out)-1-i] = e
	}
	return out
}

// visit follows the edges from s until it is back at the first session.
func (d *detector) visit(s *Session) bool {
	for i, v := range d.visited {
		if v == s {
			return i == 0 // a cycle that does not go through the first is another's to find
		}
	}
	d.visited = append(d.visited, s)
	l := s.wait.lock
	if l == nil {
		return false
	}
	excludes := conflicts[s.wait.mode]
	for h := l.holds; h != nil; h = h.nextHold {
		if h.session != s && excludes&h.mask != 0 && d.visit(h.session) {
			d.path = append(d.path, waitEdge{s, l.tag, s.wait.mode})
			return true
		}
	}
	for _, q := range d.ahead(s) {
		if excludes&q.wait.mode.bit() != 0 && d.visit(q) {
			d.path = append(d.path, waitEdge{s, l.tag, s.wait.mode})
			d.soft = append(d.soft, softEdge{s, q, l})
			return true
		}
	}
	return false
}

// ahead lists who stands before s in its queue, as ordered now.
func (d *detector) ahead(s *Session) []*Session {
	queue := d.queue(s.wait.lock)
	for i, q := range queue {
		if q == s {
			return queue[:i]
		}
	}
	return nil
}

func (d *detector) queue(l *sharedLock) []*Session {
	for _, o := range d.orders {
		if o.lock == l {
			return o.queue
		}
	}
	return l.queue()
}

func (l *sharedLock) queue() (list []*Session) {
	for q := l.first; q != nil; q = q.wait.next {
		list = append(list, q)
	}
	return list
}

// orderQueues makes orders that meet all constraints and otherwise change as little as possible. False when there is none.
func (d *detector) orderQueues() bool {
	d.orders = d.orders[:0]
	for i := len(d.constraints) - 1; i >= 0; i-- {
		l := d.constraints[i].lock
		if d.ordered(l) {
			continue
		}
		queue, ok := sortQueue(l.queue(), d.constraints)
		if !ok {
			return false
		}
		d.orders = append(d.orders, queueOrder{l, queue})
	}
	return true
}

func (d *detector) ordered(l *sharedLock) bool {
	for _, o := range d.orders {
		if o.lock == l {
			return true
		}
	}
	return false
}

// sortQueue is a topological sort that fills the queue from its end: the last place goes to the last session that need not be before
// another one that still has no place.
func sortQueue(queue []*Session, constraints []softEdge) ([]*Session, bool) {
	left := append([]*Session(nil), queue...)
	out := make([]*Session, len(queue))
	for at := len(out) - 1; at >= 0; at-- {
		pick := -1
		for i := len(left) - 1; i >= 0 && pick < 0; i-- {
			if !mustPrecede(left[i], left, constraints) {
				pick = i
			}
		}
		if pick < 0 {
			return nil, false
		}
		out[at] = left[pick]
		left = append(left[:pick], left[pick+1:]...)
	}
	return out, true
}

func mustPrecede(s *Session, others []*Session, constraints []softEdge) bool {
	for _, c := range constraints {
		if c.waiter != s {
			continue
		}
		for _, o := range others {
			if o == c.blocker {
				return true
			}
		}
	}
	return false
}

// applyOrders puts the queues into the orders found, and wakes who can go now.
func (d *detector) applyOrders() {
	for _, o := range d.orders {
		l := o.lock
		l.first, l.last = nil, nil
		for _, q := range o.queue {
			q.wait.next, q.wait.prev = nil, l.last
			if l.last != nil {
				l.last.wait.next = q
			} else {
				l.first = q
			}
			l.last = q
		}
		l.wakeWaiters()
	}
}
