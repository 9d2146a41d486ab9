package isolation

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// runPermutation runs one order of steps, between setup and teardown.
func (t *tester) runPermutation(steps []*PermutationStep) error {
	var names strings.Builder
	for _, s := range steps {
		names.WriteString(" " + s.Name)
	}
	fmt.Fprintf(t.out, "\nstarting permutation:%s\n", names.String())
	t.waiting, t.last = nil, nil
	if err := t.setup(); err != nil {
		return err
	}
	for _, s := range steps {
		if err := t.runStep(s); err != nil {
			return err
		}
	}
	if err := t.completeWaiting(retried); err != nil {
		return err
	}
	if len(t.waiting) > 0 {
		return stopf("failed to complete permutation due to mutually-blocking steps\n")
	}
	return t.teardown()
}

func (t *tester) setup() error {
	for _, sql := range t.spec.Setups {
		failure, err := t.exec(t.control, sql)
		if err != nil {
			return err
		}
		if failure != "" {
			return stopf("setup failed: %s", failure)
		}
	}
	for i, s := range t.spec.Sessions {
		if s.Setup == nil {
			continue
		}
		failure, err := t.exec(t.sessions[i], *s.Setup)
		if err != nil {
			return err
		}
		if failure != "" {
			return stopf("setup of session %s failed: %s", s.Name, failure)
		}
	}
	return nil
}

// teardown goes on after a failure: the next permutation's setup says what it left.
func (t *tester) teardown() error {
	for i, s := range t.spec.Sessions {
		if s.Teardown == nil {
			continue
		}
		failure, err := t.exec(t.sessions[i], *s.Teardown)
		if err != nil {
			return err
		}
		if failure != "" {
			fmt.Fprintf(t.out, "teardown of session %s failed: %s", s.Name, failure)
		}
	}
	if t.spec.Teardown == nil {
		return nil
	}
	failure, err := t.exec(t.control, *t.spec.Teardown)
	if failure != "" {
		io.WriteString(t.out, "teardown failed: "+failure)
	}
	return err
}

// exec runs SQL of a setup or teardown. The stock program would wait for ever for a server that does not answer.
func (t *tester) exec(c *conn, sql string) (failure string, err error) {
	failure, err = c.exec(sql, t.out, 2*t.timeout)
	if err != nil {
		err = stopf("setup or teardown of %s timed out after %d seconds\n", c.name, int(2*t.timeout/time.Second))
	}
	return failure, err
}

// runStep sends one step, when its session is free, and sees whether it completes.
func (t *tester) runStep(p *PermutationStep) error {
	c := t.sessions[p.step.session]
	if err := t.awaitSession(c); err != nil {
		return err
	}
	if c.lost {
		return stopf("failed to send query for step %s: no connection to the server\n\n", p.Name)
	}
	c.send(p.step.SQL)
	t.last = p
	c.activeStep = p
	for _, b := range p.Blockers {
		if b.kind == blockNotices {
			b.target = b.Notices + t.sessions[b.step.session].notices
		}
	}
	done, err := t.tryComplete(p, mayBlock)
	if err != nil {
		return err
	}
	if err := t.completeWaiting(mayBlock | retried); err != nil {
		return err
	}
	if !done {
		t.waiting = append(t.waiting, p)
	}
	return nil
}

// awaitSession waits until the session's earlier step is complete. It polls all waiting steps meanwhile, as one of them may hold this one back.
func (t *tester) awaitSession(c *conn) error {
	for start := time.Now(); c.activeStep != nil; {
		old := c.activeStep
		done, err := t.tryComplete(old, retried)
		if err != nil {
			return err
		}
		if done {
			t.forget(old)
		}
		if err := t.completeWaiting(mayBlock | retried); err != nil {
			return err
		}
		if took := time.Since(start); c.activeStep != nil && took > 2*t.timeout {
			return t.stuck(c.activeStep, took)
		}
	}
	return nil
}

func (t *tester) forget(p *PermutationStep) {
	for i, w := range t.waiting {
		if w == p {
			t.waiting = append(t.waiting[:i], t.waiting[i+1:]...)
			return
		}
	}
	panic("a step that ended was not among those that wait")
}

func (t *tester) stuck(p *PermutationStep, took time.Duration) error {
	text := fmt.Sprintf("step %s timed out after %d seconds\nactive steps are:", p.Name, int(took/time.Second))
	for _, c := range t.sessions {
		if c.activeStep != nil {
			text += " " + c.activeStep.Name
		}
	}
	return stopf("%s\n", text)
}

// completeWaiting reports the waiting steps that are complete. A completion or a notice may release a blocker of a step that was looked at before:
// then all are looked at again, so that the output does not depend on their order.
func (t *tester) completeWaiting(mode stepMode) error {
	for again := true; again; {
		t.newNotice = false
		held := false
		var still []*PermutationStep
		for i, p := range t.waiting {
			done, err := t.tryComplete(p, mode)
			if err != nil {
				t.waiting = append(still, t.waiting[i:]...)
				return err
			}
			if !done {
				held = held || len(p.Blockers) > 0
				still = append(still, p)
			}
		}
		again = held && (len(still) < len(t.waiting) || t.newNotice)
		t.waiting = still
	}
	return nil
}
