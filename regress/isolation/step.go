package isolation

import (
	"context"
	"fmt"
	"io"
	"time"
)

// stepMode says how a step is looked at.
type stepMode uint8

const (
	mayBlock stepMode = 1 << iota // come back when the step waits for a lock
	retried                       // the step was said to wait before
)

// pollInterval is how often the server is asked whether a step waits for a lock.
const pollInterval = 10 * time.Millisecond

// tryComplete waits for a step that was sent and reports it. It comes back with done false when a blocker holds the step back or, with mayBlock,
// when it waits for a lock; that wait is taken to last until another step is sent.
func (t *tester) tryComplete(p *PermutationStep, mode stepMode) (done bool, err error) {
	if mode&retried == 0 && p.blockedOnce() {
		t.sayWaiting(p)
		return false, nil
	}
	c := t.sessions[p.step.session]
	blocked, err := t.awaitResult(c, p, mode)
	if err != nil {
		return false, err
	}
	if blocked || t.heldBack(p) {
		if mode&retried == 0 {
			t.sayWaiting(p)
		}
		return false, nil
	}
	if mode&retried != 0 {
		fmt.Fprintf(t.out, "step %s: <... completed>\n", p.Name)
	} else {
		fmt.Fprintf(t.out, "step %s: %s\n", p.Name, p.step.SQL)
	}
	if err := t.printResults(c, p); err != nil {
		return false, err
	}
	t.printNotifications(c)
	c.activeStep = nil
	return true, nil
}

func (t *tester) sayWaiting(p *PermutationStep) {
	fmt.Fprintf(t.out, "step %s: %s <waiting ...>\n", p.Name, p.step.SQL)
}

func (p *PermutationStep) blockedOnce() bool {
	for _, b := range p.Blockers {
		if b.kind == blockOnce {
			return true
		}
	}
	return false
}

// heldBack says whether a marker of the step is not satisfied.
func (t *tester) heldBack(p *PermutationStep) bool {
	for _, b := range p.Blockers {
		switch b.kind {
		case blockOtherStep:
			if active := t.sessions[b.step.session].activeStep; active != nil && active.step == b.step {
				return true
			}
		case blockNotices:
			if t.sessions[b.step.session].notices < b.target {
				return true
			}
		}
	}
	return false
}

// awaitResult waits for a first result, or until the step is seen to be blocked, when it may be. A step that takes too long is cancelled.
func (t *tester) awaitResult(c *conn, p *PermutationStep, mode stepMode) (blocked bool, err error) {
	start, cancelled := time.Now(), false
	for c.busy() {
		arrived, err := c.consume(pollInterval)
		if err != nil {
			return false, stopf("PQconsumeInput failed: %v\n", err)
		}
		if arrived {
			continue
		}
		if mode&mayBlock != 0 {
			blocked, err := t.isBlocked(c)
			if err != nil {
				return false, err
			}
			if blocked {
				return t.stillBusy(c)
			}
		}
		took := time.Since(start)
		if took > t.timeout && !cancelled {
			cancelled = t.cancel(c, p, took)
		}
		if took > 2*t.timeout {
			return false, stopf("step %s timed out after %d seconds\n", p.Name, int(took/time.Second))
		}
	}
	return false, nil
}

// isBlocked asks the server whether the session waits for another of the spec's.
func (t *tester) isBlocked(c *conn) (bool, error) {
	t.control.sendPrepared(waitQueryName, fmt.Sprint(c.pg.PID()))
	r, err := t.control.finish(2 * t.timeout)
	switch {
	case err != nil:
		return false, stopf("lock wait query failed: %v\n", err)
	case r == nil || r.err != nil:
		text := "\n"
		if r != nil {
			text = r.err.full(true)
		}
		return false, stopf("lock wait query failed: %s", text)
	case len(r.rows) != 1:
		return false, stopf("lock wait query failed: \n")
	}
	return r.rows[0][0] == "t", nil
}

// stillBusy looks once more, as something may have arrived while the server was asked.
func (t *tester) stillBusy(c *conn) (bool, error) {
	if _, err := c.consume(0); err != nil {
		return false, stopf("PQconsumeInput failed: %v\n", err)
	}
	return c.busy(), nil
}

func (t *tester) cancel(c *conn, p *PermutationStep, took time.Duration) bool {
	ctx, stopWaiting := context.WithTimeout(context.Background(), 10*time.Second)
	defer stopWaiting()
	if err := c.pg.CancelRequest(ctx); err != nil {
		fmt.Fprintf(t.out, "PQcancel failed: %v\n", err)
		return false
	}
	fmt.Fprintf(t.out, "isolationtester: canceling step %s after %d seconds\n", p.Name, int(took/time.Second))
	return true
}

// printResults prints all results of a step whose first one is there.
func (t *tester) printResults(c *conn, p *PermutationStep) error {
	for {
		r, err := c.fetch(2 * t.timeout)
		if err != nil {
			return stopf("step %s timed out after %d seconds\n", p.Name, int(2*t.timeout/time.Second))
		}
		if r == nil {
			return nil
		}
		switch r.status {
		case statusCommand, statusEmpty:
		case statusTuples:
			printTable(t.out, r)
		case statusError:
			io.WriteString(t.out, r.err.primary()+"\n")
		default:
			fmt.Fprintf(t.out, "unexpected result status: %s\n", r.status)
		}
	}
}

// printNotifications prints what NOTIFY sent to a session, with the session that it came from.
func (t *tester) printNotifications(c *conn) {
	_, _ = c.consume(0) // a lost connection was printed, or shows with the session's next step
	c.parse()
	for _, n := range c.notifies {
		sender := fmt.Sprintf("PID %d", n.pid)
		for _, other := range t.sessions {
			if other.pg.PID() == n.pid {
				sender = other.name
				break
			}
		}
		fmt.Fprintf(t.out, "%s: NOTIFY \"%s\" with payload \"%s\" from %s\n", c.name, n.channel, n.payload, sender)
	}
	c.notifies = nil
}
