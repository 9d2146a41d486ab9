package lock

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// PostgreSQL's table of row-level lock conflicts, X = conflict.
var rowConflictTable = [4]string{"...X", "..XX", ".XXX", "XXXX"}

func TestRowLockConflicts(t *testing.T) {
	m := newTable(t)
	a, b := newActor(t, m, 1), newActor(t, m, 2)
	key := RowKey{DB: 5, Rel: 1, Block: 3, Off: 4, Xmin: 77}
	for i, line := range rowConflictTable {
		for j, c := range line {
			held, wanted := Strength(i+1), Strength(j+1)
			if _, ok := m.Rows.TryLock(a.tx, 100, 101, key, held); !ok {
				t.Fatal("free row")
			}
			by, ok := m.Rows.Blocker(200, key, wanted)
			if ok == (c == 'X') || !ok && by != 101 {
				t.Errorf("%d beside %d: %v, by %d", wanted, held, ok, by)
			}
			if by, again := m.Rows.TryLock(b.tx, 200, 200, key, wanted); again != ok || !ok && by != 101 {
				t.Errorf("%d beside %d: %v, by %d", wanted, held, again, by)
			}
			a.tx.ReleaseAll()
			b.tx.ReleaseAll()
		}
	}
}

func TestRowLockSavepoints(t *testing.T) {
	m := newTable(t)
	a := newActor(t, m, 1)
	key := RowKey{Rel: 1, Block: 1, Off: 1, Xmin: 9}
	take := func(o *Owner, xid uint64, s Strength) {
		t.Helper()
		if _, ok := m.Rows.TryLock(o, 100, xid, key, s); !ok {
			t.Fatal("own lock in the way")
		}
	}
	take(a.tx, 100, ForKeyShare)
	sub := a.NewOwner(SubtransactionOwner, a.tx)
	take(sub, 101, ForUpdate)
	if m.Rows.Held(100, key) != ForUpdate {
		t.Error("not upgraded")
	}
	sub.ReleaseAll() // ROLLBACK TO
	if m.Rows.Held(100, key) != ForKeyShare {
		t.Error("a rollback to a savepoint frees what was taken since, and only that")
	}
	take(sub, 102, ForShare)
	sub.MoveToParent() // RELEASE
	if m.Rows.Held(100, key) != ForShare {
		t.Error("lost with the savepoint's release")
	}
	a.tx.ReleaseAll()
	if len(m.Rows.Holders(key)) != 0 {
		t.Error("held after the end")
	}
}

// TestRowLockCopies follows a row through updates under somebody's KEY SHARE: every version is protected, and old entries go.
func TestRowLockCopies(t *testing.T) {
	m := newTable(t)
	a := newActor(t, m, 1)
	version := func(i int) RowKey { return RowKey{Rel: 1, Block: uint32(i), Off: 1, Xmin: uint64(1000 + i)} }
	if _, ok := m.Rows.TryLock(a.tx, 100, 100, version(0), ForKeyShare); !ok {
		t.Fatal()
	}
	for i := range 1000 {
		m.Rows.Copy(version(i), version(i+1), uint64(1001+i), false)
		if _, ok := m.Rows.Blocker(5, version(i+1), ForUpdate); ok {
			t.Fatalf("version %d is not protected", i+1)
		}
	}
	if _, rows := m.Len(); rows != 2 {
		t.Errorf("%d entries after 1000 updates", rows)
	}
	// An update whose transaction goes on to update its own version, then rolls back to before both: the first is protected still.
	m.Rows.Copy(version(1000), version(2000), 5000, false)
	m.Rows.Copy(version(2000), version(2001), 5000, true)
	if _, ok := m.Rows.Blocker(5, version(1000), ForUpdate); ok {
		t.Error("the old version lost its lock")
	}
	// The holder's own locks are not copied to its own new version.
	m.Rows.Copy(version(1000), version(3000), 100, false)
	if m.Rows.Held(100, version(3000)) != NoRowLock {
		t.Error("own lock copied")
	}
	a.tx.ReleaseAll()
}

// TestRowLocksConcurrent: lockers, updaters and releases at the same time leave nothing behind.
func TestRowLocksConcurrent(t *testing.T) {
	m := newTable(t)
	var wg sync.WaitGroup
	for w := range 6 {
		wg.Go(func() {
			s := m.NewSession(int32(w + 1))
			defer s.Close()
			r := rand.New(rand.NewPCG(uint64(w), 5))
			for i := range 2000 {
				o := s.NewOwner(TransactionOwner, nil)
				xid := uint64(w)<<32 + uint64(i) + 1
				for range r.IntN(6) {
					key := RowKey{Rel: 1, Block: r.Uint32N(5), Off: 1, Xmin: 1}
					if r.IntN(3) == 0 {
						to := key
						to.Block = r.Uint32N(5)
						if to != key {
							m.Rows.Copy(key, to, xid, r.IntN(2) == 0)
						}
						continue
					}
					m.Rows.TryLock(o, xid, xid, key, ForKeyShare+Strength(r.IntN(2)))
				}
				o.Close()
			}
		})
	}
	wg.Wait()
}

func BenchmarkAcquireRelease(b *testing.B) {
	m := NewManager()
	s := m.NewSession(1)
	o := s.NewOwner(TransactionOwner, nil)
	b.ReportAllocs()
	for i := uint32(0); b.Loop(); i++ {
		for j := range uint32(4) {
			_ = s.Acquire(o, Relation(5, j), RowExclusive)
		}
		o.ReleaseAll()
	}
}

func BenchmarkRowLock(b *testing.B) {
	m := NewManager()
	s := m.NewSession(1)
	o := s.NewOwner(TransactionOwner, nil)
	b.ReportAllocs()
	for i := uint32(0); b.Loop(); i++ {
		m.Rows.TryLock(o, 1, 1, RowKey{Block: i, Off: 1, Xmin: 4}, ForUpdate)
		o.ReleaseAll()
	}
}
