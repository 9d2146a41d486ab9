package buffer

import (
	"slices"
	"sync"
)

// Waiters are parked in a few queues by frame number. A waiter first announces itself in the state word (stWaiters, stCleanup) with the queue
// locked and then looks again, and who makes a change that somebody may wait for looks at the announcement afterwards: no wake is lost.

const queueCount = 128

type waitQueue struct {
	mu sync.Mutex
	ws []*waiter // in order of arrival
	_  [24]byte
}

type waitKind uint8

const (
	waitShared waitKind = iota
	waitExclusive
	waitRead    // for a read in progress
	waitCleanup // for the other pins
)

type waiter struct {
	frame uint32
	kind  waitKind
	ready chan struct{} // holds one token when woken
}

var waiterPool = sync.Pool{New: func() any { return &waiter{ready: make(chan struct{}, 1)} }}

func (p *Pool) queue(i uint32) *waitQueue { return &p.queues[i%queueCount] }

// park waits until the frame is woken for this kind, unless mayPass says after the announcement that there is nothing to wait for. again puts
// the waiter before those that came later. The error is the Cancel's.
func (p *Pool) park(i uint32, kind waitKind, again bool, c Cancel, mayPass func(state uint64) bool) error {
	q, f := p.queue(i), &p.frames[i]
	announce := stWaiters
	if kind == waitCleanup {
		announce = stCleanup
	}
	q.mu.Lock()
	s := f.state.Or(announce) | announce
	if kind == waitExclusive && sharers(s) != 0 {
		f.state.Or(stDrain)
		s = f.state.Load()
	}
	if mayPass(s) {
		q.mu.Unlock()
		return nil
	}
	w := waiterPool.Get().(*waiter)
	w.frame, w.kind = i, kind
	if again {
		q.ws = slices.Insert(q.ws, 0, w)
	} else {
		q.ws = append(q.ws, w)
	}
	q.mu.Unlock()

	var done <-chan struct{}
	if c != nil {
		done = c.Done()
	}
	select {
	case <-w.ready:
		waiterPool.Put(w)
		return nil
	case <-done:
		p.cancelWait(q, w)
		return c.Err()
	}
}

// cancelWait takes a waiter out of its queue; had it just been woken, the wake goes to the next.
func (p *Pool) cancelWait(q *waitQueue, w *waiter) {
	q.mu.Lock()
	at := slices.Index(q.ws, w)
	if at >= 0 {
		q.ws = slices.Delete(q.ws, at, at+1)
	}
	if w.kind == waitExclusive {
		p.frames[w.frame].state.And(^stDrain) // set again by the next who needs it
	}
	q.mu.Unlock()
	if at < 0 {
		<-w.ready
	}
	p.wakeLatch(w.frame)
	waiterPool.Put(w)
}

// wakeLatch wakes the first waiter for the latch: an exclusive one alone, a shared one with all other shared ones. While new sharers are held back the first
// exclusive waiter comes before all: a shared one could not pass.
func (p *Pool) wakeLatch(i uint32) {
	drain := p.frames[i].state.Load()&stDrain != 0
	p.wake(i, func(w *waiter, first waitKind, woken int) bool {
		switch {
		case w.kind > waitExclusive:
			return false
		case drain && w.kind == waitExclusive && (woken == 0 || first == waitShared):
			drain = false
			return true
		case woken == 0:
			return true
		default:
			return first == waitShared && w.kind == waitShared
		}
	})
}

// wakeAll wakes everybody but cleanup waiters, after a read.
func (p *Pool) wakeAll(i uint32) {
	p.wake(i, func(w *waiter, _ waitKind, _ int) bool { return w.kind != waitCleanup })
}

// wakeCleanup wakes the one who waits for the other pins.
func (p *Pool) wakeCleanup(i uint32) {
	p.wake(i, func(w *waiter, _ waitKind, _ int) bool { return w.kind == waitCleanup })
}

// wake wakes the waiters of a frame that pick accepts and clears stWaiters when none is left.
func (p *Pool) wake(i uint32, pick func(w *waiter, first waitKind, woken int) bool) {
	q, f := p.queue(i), &p.frames[i]
	q.mu.Lock()
	defer q.mu.Unlock()
	kept, woken, left := q.ws[:0], 0, false
	var first waitKind
	for _, w := range q.ws {
		if w.frame != i || !pick(w, first, woken) {
			left = left || w.frame == i && w.kind != waitCleanup
			kept = append(kept, w)
			continue
		}
		if woken == 0 {
			first = w.kind
		}
		woken++
		w.ready <- struct{}{}
	}
	clear(q.ws[len(kept):])
	q.ws = kept
	if !left {
		f.state.And(^stWaiters)
	}
}

// waitRead waits until no read of the frame is in progress. The caller has a pin.
func (p *Pool) waitRead(i uint32) {
	free := func(s uint64) bool { return s&stIO == 0 }
	for !free(p.frames[i].state.Load()) {
		_ = p.park(i, waitRead, false, nil, free)
	}
}
