package lock

import (
	"errors"
	"testing"
	"time"

	"github.com/calfdb/calf/sql/pgerr"
)

// The table of PostgreSQL's documentation ("Conflicting Lock Modes"), X = conflict, modes in order.
var conflictTable = [8]string{
	".......X",
	"......XX",
	"....XXXX",
	"...XXXXX",
	"..XX.XXX",
	"..XXXXXX",
	".XXXXXXX",
	"XXXXXXXX",
}

func TestConflictTable(t *testing.T) {
	m := newTable(t)
	a, b := newActor(t, m, 1), newActor(t, m, 2)
	tag := Relation(5, 16384)
	for i, line := range conflictTable {
		for j, c := range line {
			held, wanted := Mode(i+1), Mode(j+1)
			a.lock(t, tag, held)
			ok, err := b.TryAcquire(b.tx, tag, wanted)
			if err != nil || ok == (c == 'X') || held.Conflicts(wanted) != (c == 'X') {
				t.Errorf("%s beside %s: %v, %v", wanted, held, ok, err)
			}
			own, err := a.TryAcquire(a.tx, tag, wanted)
			if (err != nil || !own) && !ok {
				t.Errorf("%s by the holder of %s: %v, %v", wanted, held, own, err)
			}
			a.tx.ReleaseAll()
			b.tx.ReleaseAll()
		}
	}
}

func TestOwners(t *testing.T) {
	m := newTable(t)
	a, b := newActor(t, m, 1), newActor(t, m, 2)
	r1, r2 := Relation(5, 1), Relation(5, 2)
	free := func(tag Tag) bool {
		ok, _ := b.TryAcquire(b.tx, tag, AccessExclusive)
		b.tx.ReleaseAll()
		return ok
	}
	a.lock(t, r1, RowExclusive)
	sub := a.NewOwner(SubtransactionOwner, a.tx)
	for _, tag := range []Tag{r1, r2, r2} {
		if err := a.Acquire(sub, tag, RowExclusive); err != nil {
			t.Fatal(err)
		}
	}
	sub2 := a.NewOwner(SubtransactionOwner, sub)
	if err := a.Acquire(sub2, r2, RowExclusive); err != nil {
		t.Fatal(err)
	}
	sub2.MoveToParent() // RELEASE of the inner savepoint
	sub2.Close()
	sub.ReleaseAll() // ROLLBACK TO the outer one
	if free(r1) || !free(r2) {
		t.Error("a rollback to a savepoint must free r2 and keep r1")
	}
	if a.Release(sub, r1, RowExclusive) {
		t.Error("released what the owner does not have")
	}
	a.Release(a.tx, r1, RowExclusive)
	if !free(r1) {
		t.Error("r1 is not free")
	}
}

func TestQueueOrder(t *testing.T) {
	m := newTable(t)
	a, b, c, d := newActor(t, m, 1), newActor(t, m, 2), newActor(t, m, 3), newActor(t, m, 4)
	tag := Relation(5, 1)
	a.lock(t, tag, AccessShare)
	bDone := b.start(t, tag, AccessExclusive)
	if ok, _ := c.TryAcquire(c.tx, tag, AccessShare); ok {
		t.Error("a reader passed a waiting AccessExclusive")
	}
	cDone := c.start(t, tag, AccessShare)
	if err := a.Acquire(a.tx, tag, RowShare); err != nil { // a holder goes ahead of those who wait for it
		t.Error(err)
	}
	if got := m.BlockingPIDs(3); len(got) != 1 || got[0] != 2 {
		t.Errorf("3 is blocked by %v", got)
	}
	if got := m.BlockingPIDs(2); len(got) != 1 || got[0] != 1 {
		t.Errorf("2 is blocked by %v", got)
	}
	dDone := d.start(t, tag, Share)
	a.tx.ReleaseAll()
	if err := finished(t, bDone); err != nil {
		t.Error(err)
	}
	stillWaiting(t, cDone)
	b.tx.ReleaseAll()
	if err := errors.Join(finished(t, cDone), finished(t, dDone)); err != nil {
		t.Error(err)
	}
	c.tx.ReleaseAll()
	d.tx.ReleaseAll()
}

func TestWaitEnds(t *testing.T) {
	m := newTable(t)
	a, b, c := newActor(t, m, 1), newActor(t, m, 2), newActor(t, m, 3)
	tag := AdvisoryKey(5, -7)
	a.lock(t, tag, Share)

	b.LockTimeout = time.Millisecond
	err := b.Acquire(b.tx, tag, Exclusive)
	if pgerr.CodeOf(err) != "55P03" || err.Error() != "canceling statement due to lock timeout" {
		t.Errorf("timeout: %v", err)
	}
	b.LockTimeout = 0

	cancel := newCancel(pgerr.New(pgerr.QueryCanceled, "canceling statement due to user request"))
	b.Interrupt = cancel
	done := b.start(t, tag, Exclusive)
	cDone := c.start(t, tag, Share) // waits behind b only
	close(cancel.done)
	if err := finished(t, done); pgerr.CodeOf(err) != "57014" {
		t.Errorf("cancel: %v", err)
	}
	if err := finished(t, cDone); err != nil {
		t.Errorf("whoever waited behind a cancelled waiter: %v", err)
	}
	c.tx.ReleaseAll()
	a.tx.ReleaseAll()
}

func TestTransactionWait(t *testing.T) {
	m := newTable(t)
	a, b := newActor(t, m, 1), newActor(t, m, 2)
	sub := a.NewOwner(SubtransactionOwner, a.tx)
	if err := errors.Join(a.LockXID(a.tx, 100), a.LockXID(sub, 101)); err != nil {
		t.Fatal(err)
	}
	if ok, _ := b.TryWaitForXID(b.tx, 101); ok {
		t.Error("101 runs")
	}
	done := make(chan error, 1)
	go func() { done <- b.WaitForXID(b.tx, 101) }()
	b.untilWaiting(t)
	sub.ReleaseAll()
	if err := finished(t, done); err != nil {
		t.Error(err)
	}
	go func() { done <- b.WaitForXID(b.tx, 100) }()
	b.untilWaiting(t)
	a.Close()
	if err := finished(t, done); err != nil || !b.tx.Empty() {
		t.Error(err, b.tx.Empty())
	}
}

func TestVirtualTransactionWait(t *testing.T) {
	m := newTable(t)
	a, b := newActor(t, m, 1), newActor(t, m, 2)
	a.BeginVirtualXID(7)
	st := m.Status()
	if len(st) != 1 || !st[0].FastPath || st[0].Mode != Exclusive || st[0].LXID != 7 {
		t.Errorf("%+v", st)
	}
	if err := b.WaitForVirtualXID(b.tx, a.BackendID(), 6); err != nil { // over already
		t.Error(err)
	}
	done := make(chan error, 1)
	go func() { done <- b.WaitForVirtualXID(b.tx, a.BackendID(), 7) }()
	b.untilWaiting(t)
	if st := m.Status(); len(st) != 2 || st[0].FastPath {
		t.Errorf("%+v", st)
	}
	a.EndVirtualXID()
	if err := finished(t, done); err != nil {
		t.Error(err)
	}
}

func TestLimit(t *testing.T) {
	m := newTable(t)
	m.SetLimit(3)
	a := newActor(t, m, 1)
	for i := uint32(1); i <= 3; i++ {
		a.lock(t, Relation(5, i), AccessShare)
	}
	err := a.Acquire(a.tx, Relation(5, 4), AccessShare)
	if pgerr.CodeOf(err) != "53200" {
		t.Errorf("%v", err)
	}
	a.tx.ReleaseAll()
	a.lock(t, Relation(5, 4), AccessShare)
	a.tx.ReleaseAll()
}

func TestAdvisory(t *testing.T) {
	m := newTable(t)
	a, b := newActor(t, m, 1), newActor(t, m, 2)
	key, pair := AdvisoryKey(5, 1<<32|2), AdvisoryPair(5, 1, 2)
	for i := 0; i < 3; i++ {
		if err := a.Acquire(a.Owner(), key, Exclusive); err != nil {
			t.Fatal(err)
		}
	}
	a.lock(t, key, Exclusive) // the transaction's, too
	if ok, _ := b.TryAcquire(b.tx, pair, Exclusive); !ok {
		t.Error("one key of 64 bits and two of 32 are different things")
	}
	b.tx.ReleaseAll()
	a.ReleaseAdvisory()
	if ok, _ := b.TryAcquire(b.tx, key, Share); ok {
		t.Error("unlock_all took the transaction's lock")
	}
	a.tx.ReleaseAll()
	if a.Release(a.Owner(), key, Exclusive) {
		t.Error("nothing is held")
	}
}
