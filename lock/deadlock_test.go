package lock

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/calfdb/calf/sql/pgerr"
)

// TestDeadlock makes rings of 2 to 5 sessions; the one that looks first gets the error, the others go on.
func TestDeadlock(t *testing.T) {
	for n := 2; n <= 5; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			m := newTable(t)
			a := make([]*actor, n)
			for i := range a {
				a[i] = newActor(t, m, int32(100+i))
				a[i].DeadlockTimeout = time.Hour
				a[i].lock(t, Relation(5, uint32(i)), Exclusive)
			}
			done := make([]chan error, n)
			for i := 0; i < n-1; i++ {
				done[i] = a[i].start(t, Relation(5, uint32(i+1)), Exclusive)
			}
			last := a[n-1]
			last.DeadlockTimeout = time.Millisecond
			err := last.Acquire(last.tx, Relation(5, 0), Exclusive)
			var e *pgerr.Error
			if !errors.As(err, &e) || e.Code != "40P01" || e.Message != "deadlock detected" || e.Hint != "See server log for query details." {
				t.Fatalf("%+v", err)
			}
			want := fmt.Sprintf("Process %d waits for ExclusiveLock on relation 0 of database 5; blocked by process 100.", last.pid)
			lines := strings.Split(e.Detail, "\n")
			if len(lines) != n || lines[0] != want ||
				lines[1] != "Process 100 waits for ExclusiveLock on relation 1 of database 5; blocked by process 101." {
				t.Errorf("detail %q", e.Detail)
			}
			for i := n - 1; i >= 0; i-- {
				if i < n-1 {
					if err := finished(t, done[i]); err != nil {
						t.Error(err)
					}
				}
				a[i].tx.ReleaseAll()
			}
		})
	}
}

// TestEarlyDeadlock: two holders of Share who both want Exclusive need no detector.
func TestEarlyDeadlock(t *testing.T) {
	m := newTable(t)
	a, b := newActor(t, m, 1), newActor(t, m, 2)
	a.DeadlockTimeout, b.DeadlockTimeout = time.Hour, time.Hour
	tag := Relation(5, 9)
	a.lock(t, tag, Share)
	b.lock(t, tag, Share)
	done := a.start(t, tag, Exclusive)
	err := b.Acquire(b.tx, tag, Exclusive)
	if pgerr.CodeOf(err) != "40P01" {
		t.Errorf("%v", err)
	}
	b.tx.ReleaseAll()
	if err := finished(t, done); err != nil {
		t.Error(err)
	}
	a.tx.ReleaseAll()
}

// TestSoftDeadlock: a and b hold two locks in share; c queues for the first exclusively, then b wants the first in share, which it has to wait for only
// because c stands before it; c waits for a; a waits for b. Another order in the queue resolves it (PostgreSQL's isolation test deadlock-soft).
func TestSoftDeadlock(t *testing.T) {
	m := newTable(t)
	d1, d2, e1, e2 := newActor(t, m, 1), newActor(t, m, 2), newActor(t, m, 3), newActor(t, m, 4)
	for _, a := range []*actor{d1, e1, e2} {
		a.DeadlockTimeout = time.Hour
	}
	d2.DeadlockTimeout = 20 * time.Millisecond
	var logged []string
	d2.Log = func(e *pgerr.Error) { logged = append(logged, e.Message) }
	r1, r2 := Relation(5, 1), Relation(5, 2)
	d1.lock(t, r1, AccessShare)
	d2.lock(t, r2, AccessShare)
	e1Done := e1.start(t, r1, AccessExclusive) // waits for d1
	e2Done := e2.start(t, r2, AccessExclusive) // waits for d2
	d1Done := d1.start(t, r2, AccessShare)     // behind e2
	d2Done := d2.start(t, r1, AccessShare)     // behind e1: a cycle with two soft edges
	if err := errors.Join(finished(t, d1Done)); err != nil {
		t.Fatal(err)
	}
	stillWaiting(t, d2Done)
	d1.tx.ReleaseAll()
	if err := finished(t, e1Done); err != nil {
		t.Error(err)
	}
	e1.tx.ReleaseAll()
	if err := finished(t, d2Done); err != nil {
		t.Error(err)
	}
	if len(logged) != 2 || !strings.Contains(logged[0], "process 2 avoided deadlock for AccessShareLock on relation 1 of database 5 by rearranging queue order after") {
		t.Errorf("%q", logged)
	}
	d2.tx.ReleaseAll()
	if err := finished(t, e2Done); err != nil {
		t.Error(err)
	}
	e2.tx.ReleaseAll()
}

// TestRandomSchedules lets sessions take and release locks at random, on accounts of several depths, with deadlocks, timeouts and cancels. A second book
// of what each session should hold is kept beside and compared; the table is checked all the time.
func TestRandomSchedules(t *testing.T) {
	for seed := range uint64(4) {
		t.Logf("seed %d", seed)
		m := newTable(t)
		var wg sync.WaitGroup
		stop := make(chan struct{})
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond):
				}
				if err := m.Check(); err != nil {
					t.Error(err)
				}
				m.Status()
				m.BlockingPIDs(3)
			}
		})
		var actors sync.WaitGroup
		for i := range 6 {
			actors.Go(func() { runSchedule(t, m, int32(i+1), rand.New(rand.NewPCG(seed, uint64(i)))) })
		}
		actors.Wait()
		close(stop)
		wg.Wait()
	}
}

// book is what a session should hold: per owner, tag and mode a count.
type book map[bookKey]int

type bookKey struct {
	o    *Owner
	tag  Tag
	mode Mode
}

func runSchedule(t *testing.T, m *Manager, pid int32, r *rand.Rand) {
	s := m.NewSession(pid)
	defer s.Close()
	s.DeadlockTimeout = time.Duration(r.IntN(2000)) * time.Microsecond
	for range 60 {
		owners := []*Owner{s.NewOwner(TransactionOwner, nil)}
		b := book{}
		for range r.IntN(20) {
			o := owners[len(owners)-1]
			switch r.IntN(10) {
			case 0: // SAVEPOINT
				owners = append(owners, s.NewOwner(SubtransactionOwner, o))
			case 1, 2: // ROLLBACK TO, RELEASE
				if len(owners) > 1 {
					owners = owners[:len(owners)-1]
					if parent := o.Parent(); r.IntN(2) == 0 {
						b.move(o, parent)
						o.MoveToParent()
					} else {
						b.move(o, nil)
					}
					o.Close()
				}
			case 3:
				for k := range b {
					if !s.Release(k.o, k.tag, k.mode) {
						t.Errorf("process %d does not hold %s on %s", pid, k.mode, k.tag)
					}
					if b[k]--; b[k] == 0 {
						delete(b, k)
					}
					break
				}
			default:
				k := bookKey{o, Relation(1, r.Uint32N(6)), Mode(1 + r.IntN(8))}
				ok := true
				var err error
				switch r.IntN(4) {
				case 0:
					ok, err = s.TryAcquire(o, k.tag, k.mode)
				case 1:
					s.LockTimeout = time.Duration(r.IntN(500)) * time.Microsecond
					err = s.Acquire(o, k.tag, k.mode)
					s.LockTimeout = 0
				case 2:
					c := newCancel(errors.New("cancelled"))
					time.AfterFunc(time.Duration(r.IntN(500))*time.Microsecond, func() { close(c.done) })
					s.Interrupt = c
					err = s.Acquire(o, k.tag, k.mode)
					s.Interrupt = nil
				default:
					err = s.Acquire(o, k.tag, k.mode)
				}
				if ok && err == nil {
					b[k]++
				}
				if pgerr.CodeOf(err) == "40P01" { // the transaction is over
					for i := len(owners) - 1; i > 0; i-- {
						b.move(owners[i], nil)
						owners[i].Close()
					}
					owners = owners[:1]
					b.move(owners[0], nil)
					owners[0].ReleaseAll()
				}
			}
			b.compare(t, s)
		}
		for i := len(owners) - 1; i >= 0; i-- {
			owners[i].Close()
		}
	}
}

func (b book) move(from, to *Owner) {
	for k, n := range b {
		if k.o != from {
			continue
		}
		delete(b, k)
		if to != nil {
			b[bookKey{to, k.tag, k.mode}] += n
		}
	}
}

func (b book) compare(t *testing.T, s *Session) {
	t.Helper()
	for id := range uint32(6) {
		for mode := AccessShare; mode <= AccessExclusive; mode++ {
			tag, want := Relation(1, id), false
			for k := range b {
				want = want || k.tag == tag && k.mode == mode
			}
			if s.Holds(tag, mode) != want {
				t.Errorf("process %d holds %s on %s: %v, should be %v", s.pid, mode, tag, !want, want)
			}
		}
	}
}
