package lock

import (
	"testing"
	"time"
)

// cancelFlag is an Interrupt for tests.
type cancelFlag struct {
	done chan struct{}
	err  error
}

func newCancel(err error) *cancelFlag { return &cancelFlag{make(chan struct{}), err} }

func (c *cancelFlag) Done() <-chan struct{} { return c.done }
func (c *cancelFlag) Err() error            { return c.err }

// newTable makes a lock table which must be sound and empty at the end of the test.
func newTable(t testing.TB) *Manager {
	m := NewManager()
	t.Cleanup(func() {
		if err := m.Check(); err != nil {
			t.Errorf("check: %v", err)
		}
		if locks, rows := m.Len(); locks != 0 || rows != 0 {
			t.Errorf("%d locks and %d row locks are left", locks, rows)
		}
	})
	return m
}

// actor is a session with a transaction.
type actor struct {
	*Session
	tx *Owner
}

func newActor(t testing.TB, m *Manager, pid int32) *actor {
	s := m.NewSession(pid)
	a := &actor{s, s.NewOwner(TransactionOwner, nil)}
	t.Cleanup(s.Close)
	return a
}

// lock takes a lock that must be free.
func (a *actor) lock(t testing.TB, tag Tag, mode Mode) {
	t.Helper()
	ok, err := a.TryAcquire(a.tx, tag, mode)
	if err != nil || !ok {
		t.Fatalf("process %d: %s on %s: %v, %v", a.pid, mode, tag, ok, err)
	}
}

// start asks for a lock that is not free and returns when the session waits for it.
func (a *actor) start(t testing.TB, tag Tag, mode Mode) chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- a.Acquire(a.tx, tag, mode) }()
	a.untilWaiting(t)
	return done
}

func (a *actor) untilWaiting(t testing.TB) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Microsecond) {
		if _, _, waits := a.m.WaitingFor(a.pid); waits {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d does not wait", a.pid)
		}
	}
}

func finished(t testing.TB, done chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("still waiting")
		return nil
	}
}

func stillWaiting(t testing.TB, done chan error) {
	t.Helper()
	select {
	case err := <-done:
		t.Fatalf("does not wait any more: %v", err)
	case <-time.After(2 * time.Millisecond):
	}
}
