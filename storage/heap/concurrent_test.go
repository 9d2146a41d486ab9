package heap

import (
	"fmt"
	"math/rand"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/xact"
)

// bank is accounts between which money moves: every snapshot has to see the same sum.
type bank struct {
	t  *testing.T
	f  *fixture
	r  *Relation
	mu sync.Mutex
	// index has, by account, the beginnings of its HOT chains.
	index [][]types.TID

	moved, deadlocks, rechecks, locked atomic.Int64
}

const (
	accounts    = 24
	openBalance = 1000
)

func newBank(t *testing.T, f *fixture) *bank {
	b := &bank{t: t, f: f, r: f.open(1), index: make([][]types.TID, accounts)}
	s := f.session()
	s.begin(xact.ReadCommitted)
	for id := range accounts {
		b.index[id] = []types.TID{s.insert(b.r, id, openBalance, "account")}
	}
	s.commit()
	return b
}

func (b *bank) roots(id int) []types.TID {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.index[id])
}

func (b *bank) BulkDelete(dead func(types.TID) bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id := range b.index {
		b.index[id] = slices.DeleteFunc(b.index[id], dead)
	}
	return nil
}

func (b *bank) Cleanup(float64) error { return nil }

// fetch puts the account's version into slot.
func (b *bank) fetch(s *session, id int, snap *Snapshot, slot *Slot) error {
	for _, root := range b.roots(id) {
		ok, _, err := b.r.FetchHOT(s.Session, root, snap, slot)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := slot.DeformAll(); err != nil {
			return err
		}
		if int(slot.Row[0].Int4()) == id {
			return nil
		}
	}
	return fmt.Errorf("account %d is not there", id)
}

// add changes an account at READ COMMITTED: after a wait the newest version is taken.
func (b *bank) add(s *session, id, amount int) error {
	snap := s.snapshot()
	defer s.Tx.ReleaseSnapshot(&snap.Snapshot)
	var slot Slot
	slot.Init(b.r)
	defer slot.Clear()
	if err := b.fetch(s, id, snap, &slot); err != nil {
		return err
	}
	for {
		tid, val := slot.TID, int(slot.Row[1].Int4())
		slot.Clear()
		res, err := b.r.Update(s.Session, tid, row(id, val+amount, fmt.Sprint("account", val%7)), UpdateOpts{Wait: true})
		if err != nil {
			return err
		}
		if res.Result == OK {
			if !res.HOT {
				b.mu.Lock()
				b.index[id] = append(b.index[id], res.TID)
				b.mu.Unlock()
			}
			return s.Tx.CommandCounterIncrement()
		}
		b.rechecks.Add(1)
		lres, _, _, err := b.r.LockTuple(s.Session, tid, &slot, LockOpts{Mode: LockNoKeyUpdate, FollowUpdates: true})
		if err != nil {
			return err
		}
		if lres != OK {
			return fmt.Errorf("locking account %d: %v after %v", id, lres, res.Result)
		}
		if err := slot.DeformAll(); err != nil {
			return err
		}
	}
}

func (b *bank) end(s *session, err error) {
	switch {
	case err == nil:
		s.commit()
	case pgerr.CodeOf(err) == pgerr.TRDeadlockDetected:
		b.deadlocks.Add(1)
		s.abort()
	default:
		s.abort()
		b.t.Error(err)
	}
}

func (b *bank) transfer(s *session, rng *rand.Rand) {
	from, to := rng.Intn(accounts), rng.Intn(accounts)
	if rng.Intn(8) != 0 && from > to {
		from, to = to, from // mostly in order, or deadlocks would be all there is
	}
	amount := rng.Intn(50)
	s.begin(xact.ReadCommitted)
	err := b.add(s, from, -amount)
	if err == nil && rng.Intn(4) == 0 {
		s.savepoint()
		if err = b.add(s, to, 999999); err == nil {
			s.rollbackTo()
		} else {
			s.rollbackTo()
		}
	}
	if err == nil {
		err = b.add(s, to, amount)
	}
	if err == nil && rng.Intn(10) == 0 {
		s.abort()
		return
	}
	b.end(s, err)
	b.moved.Add(1)
}

// keyShare locks an account as a foreign key check does: no update of a balance waits for it, nor it for one.
func (b *bank) keyShare(s *session, rng *rand.Rand) {
	s.begin(xact.ReadCommitted)
	snap := s.snapshot()
	var slot Slot
	slot.Init(b.r)
	id := rng.Intn(accounts)
	err := b.fetch(s, id, snap, &slot)
	if err == nil {
		tid := slot.TID
		slot.Clear()
		var res Result
		res, _, _, err = b.r.LockTuple(s.Session, tid, &slot, LockOpts{Mode: LockKeyShare, FollowUpdates: true})
		if err == nil && res != OK {
			err = fmt.Errorf("key share of account %d: %v", id, res)
		}
	}
	slot.Clear()
	s.Tx.ReleaseSnapshot(&snap.Snapshot)
	b.locked.Add(1)
	b.end(s, err)
}

func (b *bank) sum(s *session) {
	s.begin(xact.RepeatableRead)
	snap := s.snapshot()
	for range 2 {
		sum, n := 0, 0
		var slot Slot
		slot.Init(b.r)
		sc := b.r.BeginScan(s.Session, snap, ScanOpts{})
		for {
			ok, err := sc.Next(&slot)
			if err != nil {
				b.t.Error(err)
			}
			if !ok {
				break
			}
			if err := slot.DeformAll(); err != nil {
				b.t.Error(err)
			}
			sum += int(slot.Row[1].Int4())
			n++
		}
		sc.End()
		if n != accounts || sum != accounts*openBalance {
			b.t.Errorf("a snapshot sees %d accounts with %d", n, sum)
		}
	}
	s.abort()
}

func (b *bank) vacuum(s *session) {
	s.begin(xact.ReadCommitted)
	if _, err := b.r.Vacuum(s.Session, VacuumOptions{Indexes: []IndexCleaner{b}, FreezeBefore: b.f.xm.Horizon()}); err != nil {
		b.t.Error(err)
	}
	s.abort()
}

func TestBank(t *testing.T) {
	f := testFixture(t)
	b := newBank(t, f)
	duration := 2 * time.Second
	if testing.Short() {
		duration = 300 * time.Millisecond
	}
	stop := time.Now().Add(duration)
	var wg sync.WaitGroup
	worker := func(seed int64, fn func(*session, *rand.Rand)) {
		s := f.session()
		s.ls.DeadlockTimeout = 20 * time.Millisecond
		rng := rand.New(rand.NewSource(seed))
		wg.Go(func() {
			for time.Now().Before(stop) {
				fn(s, rng)
			}
			s.proc.Close()
			s.ls.Close()
		})
	}
	for i := range int64(4) {
		worker(i, b.transfer)
	}
	worker(10, b.keyShare)
	worker(11, func(s *session, _ *rand.Rand) { b.sum(s) })
	worker(12, func(s *session, _ *rand.Rand) { b.vacuum(s); time.Sleep(5 * time.Millisecond) })
	wg.Wait()
	b.sum(f.session())
	t.Logf("%d transfers, %d rechecks, %d deadlocks, %d key shares, %d pages", b.moved.Load(), b.rechecks.Load(), b.deadlocks.Load(),
		b.locked.Load(), b.r.NumBlocks())
	if b.moved.Load() == 0 || b.r.NumBlocks() > 64 {
		t.Error("the bank stands still, or its pages are not used again")
	}
}

// TestConcurrentInserts: sessions that insert at once lose nothing and share no page for long.
func TestConcurrentInserts(t *testing.T) {
	f := testFixture(t)
	r := f.open(1)
	const sessions, each = 4, 1500
	var wg sync.WaitGroup
	for w := range sessions {
		s := f.session()
		wg.Go(func() {
			for i := 0; i < each; {
				s.begin(xact.ReadCommitted)
				for range 1 + i%7 {
					s.insert(r, w*each+i, i, "some text to fill pages with")
					if i++; i == each {
						break
					}
				}
				s.commit()
			}
			s.proc.Close()
			s.ls.Close()
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, row := range f.see(r) {
		seen[row] = true
	}
	if len(seen) != sessions*each {
		t.Errorf("%d rows, want %d", len(seen), sessions*each)
	}
	if n, full := int(r.NumBlocks()), sessions*each/110; n > full+2*sessions {
		t.Errorf("%d pages where %d would do", n, full)
	}
}
