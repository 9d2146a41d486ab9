package btree

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/tuple"
	"github.com/calfdb/calf/storage/xact"
)

// table is a real heap (id int4 unique, val int4, note int4) with an index on id and one on val.
type table struct {
	t     *testing.T
	xm    *xact.Manager
	locks *lock.Manager
	r     *heap.Relation
	byID  *Index
	byVal *Index
	pids  atomic.Int32

	duplicates, deadlocks, reads atomic.Int64
}

func newTestTable(t *testing.T) *table {
	store, err := pagestore.Open(pagestore.Options{Dir: "db", FS: vfs.NewMem(), MemTableSize: 8 << 20, MinFreeDisk: 1, SyncInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	tb := &table{t: t, locks: lock.NewManager()}
	pool := buffer.New(store, 512)
	if tb.xm, err = xact.Open(store); err != nil {
		t.Fatal(err)
	}
	am := New(pool, tb.xm)
	as, _ := columnsOf("int4", "int4", "int4")
	var indexed, key heap.AttrSet
	indexed.Add(1)
	indexed.Add(2)
	key.Add(1)
	if tb.r, err = heap.New(pool, tb.xm).Open(heap.Spec{ID: pagestore.RelID{DB: 1, Rel: 1}, OID: 1, Name: "tab",
		Layout: tuple.NewLayout(&types.TupleDesc{Attrs: as}), IndexedAttrs: indexed, KeyAttrs: key}); err != nil {
		t.Fatal(err)
	}
	for _, ix := range []**Index{&tb.byID, &tb.byVal} {
		def := newDef(ix == &tb.byID, "int4")
		if err := am.Create(def); err != nil {
			t.Fatal(err)
		}
		*ix = am.open(def)
	}
	t.Cleanup(func() {
		err := errors.Join(tb.byID.Check(nil), tb.byVal.Check(nil), tb.r.Check(10), pool.CheckNoPins(), tb.locks.Check())
		if locks, rows := tb.locks.Len(); locks+rows != 0 {
			err = errors.Join(err, fmt.Errorf("%d locks, %d row locks are left", locks, rows))
		}
		if err = errors.Join(err, store.Close()); err != nil {
			t.Error(err)
		}
		pool.Close()
	})
	return tb
}

// user is one session of the table. It is also the index.Heap of its insertions.
type user struct {
	*table
	h    heap.Session
	proc *xact.Proc
	ls   *lock.Session
	w    *heap.LockWaiter
	args index.InsertArgs
	slot heap.Slot
}

func (tb *table) newUser() *user {
	u := &user{table: tb, ls: tb.locks.NewSession(tb.pids.Add(1))}
	u.ls.DeadlockTimeout = 10 * time.Millisecond
	u.w = &heap.LockWaiter{Session: u.ls, Tx: func() *xact.Tx { return u.h.Tx }}
	u.proc = tb.xm.NewProc(u.w)
	u.h.Waiter = u.w
	u.args = index.InsertArgs{Heap: u, Values: make(types.Row, 1)}
	u.slot.Init(tb.r)
	return u
}

func (u *user) close() {
	u.proc.Close()
	u.ls.Close()
}

func (u *user) Dirty(tid types.TID) (index.RowState, error) {
	st, err := u.r.DirtyState(u.h.Tx, tid)
	return index.RowState{Found: st.Found, AllDead: st.AllDead, Wait: uint64(st.Wait)}, err
}
func (u *user) IsLive(tid types.TID) (bool, error)            { return u.r.IsLive(u.h.Tx, tid) }
func (u *user) DeadToAll(tids []types.TID, dead []bool) error { return u.r.DeadToAll(tids, dead) }
func (u *user) WaitXID(xid uint64, _ uint32) error {
	return u.w.WaitXID(xact.XID(xid), heap.WaitReason{Op: heap.WaitInsertIndex, Rel: u.r})
}

func (u *user) begin(iso xact.Isolation) *heap.Snapshot {
	u.w.Owner = u.ls.NewOwner(lock.TransactionOwner, nil)
	u.h.Tx = u.proc.Begin(iso, false)
	u.h.Tx.AsyncCommit = true
	snap := new(heap.Snapshot)
	u.h.Tx.TakeSnapshot(&snap.Snapshot)
	return snap
}

func (u *user) end(commit bool) {
	if !commit {
		u.h.Tx.Abort()
	} else if err := u.h.Tx.Commit(); err != nil {
		u.t.Error(err)
	}
	u.w.Owner.Close()
}

// visible goes over an index and calls fn for the rows that snap sees; it kills entries of rows that nobody sees.
func (u *user) visible(ix *Index, snap *heap.Snapshot, keys []index.ScanKey, fn func(row types.Row, tid types.TID)) error {
	s := ix.NewScan(index.ScanOptions{})
	defer s.End()
	if err := s.Rescan(keys); err != nil {
		return err
	}
	for {
		ok, err := s.Next(index.Forward)
		if !ok || err != nil {
			return err
		}
		found, allDead, err := u.r.FetchHOT(&u.h, s.TID(), snap, &u.slot)
		if err != nil {
			return err
		}
		if allDead {
			s.Kill()
		}
		if !found {
			continue
		}
		if err := u.slot.DeformAll(); err != nil {
			return err
		}
		fn(u.slot.Row, u.slot.TID)
		u.slot.Clear()
	}
}

// entries adds the index entries of a new version.
func (u *user) entries(row types.Row, tid types.TID, idChanged, valChanged bool) error {
	for i, ix := range []*Index{u.byID, u.byVal} {
		u.args.Values[0], u.args.TID, u.args.Check = row[i], tid, index.CheckNo
		u.args.Unchanged = i == 0 && !idChanged || i == 1 && !valChanged
		if i == 0 {
			u.args.Check = index.CheckYes
		}
		if _, err := ix.Insert(&u.args); err != nil {
			return err
		}
	}
	return nil
}

const tableKeys = 300

// change does one transaction: inserts a key that is not there, or updates or deletes the row that has it.
func (u *user) change(r *rand.Rand) {
	snap := u.begin(xact.ReadCommitted)
	id := int32(r.IntN(tableKeys))
	var at types.TID
	var old types.Row
	err := u.visible(u.byID, snap, []index.ScanKey{{Attr: 1, Strategy: index.Equal, Arg: types.Int4(id)}}, func(row types.Row, tid types.TID) {
		at, old = tid, slices.Clone(row)
	})
	row := types.Row{types.Int4(id), types.Int4(int32(r.IntN(20))), types.Int4(int32(r.IntN(1000)))}
	switch {
	case err != nil:
	case old == nil:
		var tid types.TID
		if tid, err = u.r.Insert(&u.h, row, heap.InsertOpts{}); err == nil {
			err = u.entries(row, tid, true, true)
		}
	case r.IntN(8) == 0:
		_, _, err = u.r.Delete(&u.h, at, heap.DeleteOpts{Wait: true})
	default:
		if r.IntN(3) > 0 {
			row[1] = old[1] // a HOT update, if there is room
		}
		var res heap.UpdateResult
		res, err = u.r.Update(&u.h, at, row, heap.UpdateOpts{Wait: true})
		if err == nil && res.Result == heap.OK && !res.HOT {
			err = u.entries(row, res.TID, false, row[1] != old[1])
		}
	}
	u.h.Tx.ReleaseSnapshot(&snap.Snapshot)
	var dup *index.DuplicateKey
	switch {
	case errors.As(err, &dup):
		u.duplicates.Add(1)
	case pgerr.CodeOf(err) == pgerr.TRDeadlockDetected:
		u.deadlocks.Add(1)
	case err != nil:
		u.t.Error(err)
	}
	u.end(err == nil && r.IntN(6) > 0)
}

// compare reads one snapshot by a sequential scan and by both indexes.
func (u *user) compare() {
	snap := u.begin(xact.RepeatableRead)
	defer u.end(false)
	format := func(row types.Row) string { return fmt.Sprint(row[0].Int4(), row[1].Int4(), row[2].Int4()) }
	var seq, byID, byVal []string
	sc := u.r.BeginScan(&u.h, snap, heap.ScanOpts{})
	for {
		ok, err := sc.Next(&u.slot)
		if err == nil && ok {
			err = u.slot.DeformAll()
		}
		if err != nil {
			u.t.Error(err)
		}
		if !ok || err != nil {
			break
		}
		seq = append(seq, format(u.slot.Row))
	}
	sc.End()
	last := int32(-1)
	err := u.visible(u.byID, snap, nil, func(row types.Row, _ types.TID) {
		if id := row[0].Int4(); id <= last {
			u.t.Errorf("id %d after %d in the unique index", id, last)
		} else {
			last = id
		}
		byID = append(byID, format(row))
	})
	err = errors.Join(err, u.visible(u.byVal, snap, nil, func(row types.Row, _ types.TID) { byVal = append(byVal, format(row)) }))
	if err != nil {
		u.t.Error(err)
	}
	for _, l := range [][]string{seq, byID, byVal} {
		slices.Sort(l)
	}
	if !slices.Equal(seq, byID) || !slices.Equal(seq, byVal) {
		u.t.Errorf("a snapshot sees %d rows by a scan, %d by id, %d by val", len(seq), len(byID), len(byVal))
	}
	u.reads.Add(1)
}

func (u *user) vacuum() {
	u.w.Owner = u.ls.NewOwner(lock.TransactionOwner, nil)
	u.h.Tx = u.proc.Begin(xact.ReadCommitted, false)
	defer u.end(false)
	cleaners := []heap.IndexCleaner{&index.Cleaner{Index: u.byID}, &index.Cleaner{Index: u.byVal}}
	if _, err := u.r.Vacuum(&u.h, heap.VacuumOptions{Indexes: cleaners}); err != nil {
		u.t.Error(err)
	}
}

// TestTable runs transactions of all kinds over a table with two indexes: in every snapshot, index and sequential scans agree.
func TestTable(t *testing.T) {
	tb := newTestTable(t)
	stop := time.Now().Add(1500 * time.Millisecond)
	var wg sync.WaitGroup
	run := func(seed uint64, fn func(u *user, r *rand.Rand)) {
		wg.Go(func() {
			u := tb.newUser()
			defer u.close()
			for r := rand.New(rand.NewPCG(seed, 6)); time.Now().Before(stop); {
				fn(u, r)
			}
		})
	}
	for i := range uint64(4) {
		run(i, func(u *user, r *rand.Rand) { u.change(r) })
	}
	for i := range uint64(2) {
		run(10+i, func(u *user, _ *rand.Rand) { u.compare() })
	}
	run(20, func(u *user, _ *rand.Rand) { u.vacuum(); time.Sleep(3 * time.Millisecond) })
	wg.Wait()
	u := tb.newUser()
	u.vacuum()
	u.compare()
	u.close()
	id, _ := tb.byID.Stats()
	val, _ := tb.byVal.Stats()
	t.Logf("%d transactions, %d duplicates, %d deadlocks, %d snapshots compared; heap %d, indexes %d and %d pages", tb.xm.NextXID(),
		tb.duplicates.Load(), tb.deadlocks.Load(), tb.reads.Load(), tb.r.NumBlocks(), id.Pages, val.Pages)
	if id.Pages > 30 || val.Pages > 60 {
		t.Error("the indexes grow")
	}
}
