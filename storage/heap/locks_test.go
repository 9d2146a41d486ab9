package heap

import (
	"testing"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/xact"
)

// lockRow locks what the session's snapshot sees at tid.
func (s *session) lockRow(r *Relation, slot *Slot, o LockOpts) (Result, bool, error) {
	tid := slot.TID
	res, _, traversed, err := r.LockTuple(s.Session, tid, slot, o)
	slot.Clear()
	return res, traversed, err
}

func TestRowLockStrengths(t *testing.T) {
	f := testFixture(t)
	r := f.open(1)
	a, b := f.session(), f.session()
	a.begin(xact.ReadCommitted)
	tid := a.insert(r, 1, 1, "x")
	a.commit()
	var slot Slot
	slot.Init(r)
	for held := LockKeyShare; held <= LockUpdate; held++ {
		for want := LockKeyShare; want <= LockUpdate; want++ {
			a.begin(xact.ReadCommitted)
			slot.TID = tid
			if res, _, err := a.lockRow(r, &slot, LockOpts{Mode: held}); res != OK || err != nil {
				t.Fatal(res, err)
			}
			b.begin(xact.ReadCommitted)
			slot.TID = tid
			res, _, err := b.lockRow(r, &slot, LockOpts{Mode: want, Wait: WaitSkip})
			if err != nil || (res == WouldBlock) != held.Conflicts(want) {
				t.Errorf("%v held, %v wanted: %v %v", held, want, res, err)
			}
			slot.TID = tid
			_, _, err = b.lockRow(r, &slot, LockOpts{Mode: want, Wait: WaitError})
			if (pgerr.CodeOf(err) == pgerr.LockNotAvailable) != held.Conflicts(want) {
				t.Errorf("%v held, %v wanted with NOWAIT: %v", held, want, err)
			}
			b.abort()
			a.abort()
		}
	}
}

// TestKeyShareFollowsUpdates: a foreign key check's lock holds against deletes also after the row got new versions.
func TestKeyShareFollowsUpdates(t *testing.T) {
	f := testFixture(t)
	r := f.open(1)
	fk, up, del := f.session(), f.session(), f.session()
	up.begin(xact.ReadCommitted)
	tid := up.insert(r, 1, 1, "x")
	up.commit()
	var slot Slot
	slot.Init(r)

	fk.begin(xact.ReadCommitted)
	slot.TID = tid
	if res, _, err := fk.lockRow(r, &slot, LockOpts{Mode: LockKeyShare}); res != OK || err != nil {
		t.Fatal(res, err)
	}
	up.begin(xact.ReadCommitted)
	res := up.update(r, tid, 1, 2, "x") // leaves the key alone: does not wait
	if res.Result != OK {
		t.Fatalf("%+v", res)
	}
	up.commit()
	del.begin(xact.ReadCommitted)
	if got, _, err := r.Delete(del.Session, res.TID, DeleteOpts{}); got != BeingModified || err != nil {
		t.Errorf("delete of the locked row's new version: %v %v", got, err)
	}
	del.abort()
	fk.commit()
	del.begin(xact.ReadCommitted)
	if got, _, err := r.Delete(del.Session, res.TID, DeleteOpts{}); got != OK || err != nil {
		t.Errorf("delete after the lock has gone: %v %v", got, err)
	}
	del.abort()
}

// TestKeyShareDuringUpdate: the lock is taken while an update runs that leaves the key alone, and covers its new version.
func TestKeyShareDuringUpdate(t *testing.T) {
	f := testFixture(t)
	r := f.open(1)
	fk, up, del := f.session(), f.session(), f.session()
	up.begin(xact.ReadCommitted)
	tid := up.insert(r, 1, 1, "x")
	up.commit()
	var slot Slot
	slot.Init(r)
	up.begin(xact.ReadCommitted)
	first := up.update(r, tid, 1, 2, "x")
	up.cci()
	second := up.update(r, first.TID, 1, 3, "x")
	fk.begin(xact.ReadCommitted)
	slot.TID = tid
	if res, traversed, err := fk.lockRow(r, &slot, LockOpts{Mode: LockKeyShare}); res != OK || traversed || err != nil {
		t.Fatal(res, traversed, err)
	}
	slot.TID = tid
	if res, _, err := fk.lockRow(r, &slot, LockOpts{Mode: LockShare, Wait: WaitSkip}); res != WouldBlock || err != nil {
		t.Errorf("FOR SHARE during an update: %v %v", res, err)
	}
	up.commit()
	del.begin(xact.ReadCommitted)
	if got, _, err := r.Delete(del.Session, second.TID, DeleteOpts{}); got != BeingModified || err != nil {
		t.Errorf("delete of the locked row's new version: %v %v", got, err)
	}
	del.abort()
	fk.abort()
}

// TestLockFollowsUpdates is the re-check of READ COMMITTED.
func TestLockFollowsUpdates(t *testing.T) {
	f := testFixture(t)
	r := f.open(1)
	a, b := f.session(), f.session()
	a.begin(xact.ReadCommitted)
	tid := a.insert(r, 1, 1, "x")
	gone := a.insert(r, 2, 1, "y")
	a.commit()
	b.begin(xact.RepeatableRead)
	b.snapshot()
	first := tid
	for i := 2; i < 300; i++ { // over several pages
		a.begin(xact.ReadCommitted)
		res := a.update(r, tid, i, i, "some text that takes space, some text that takes space, some text that takes space")
		if res.Result != OK || res.Mode != LockUpdate {
			t.Fatalf("key update: %+v", res)
		}
		tid = res.TID
		a.commit()
	}
	a.begin(xact.ReadCommitted)
	if res, _, err := r.Delete(a.Session, gone, DeleteOpts{}); res != OK || err != nil {
		t.Fatal(res, err)
	}
	a.commit()
	var slot Slot
	slot.Init(r)
	res, _, traversed, err := r.LockTuple(b.Session, first, &slot, LockOpts{Mode: LockNoKeyUpdate, FollowUpdates: true})
	if res != OK || !traversed || err != nil || slot.TID != tid {
		t.Errorf("lock of an old version: %v %v %v at %v, want %v", res, traversed, err, slot.TID, tid)
	}
	slot.Clear()
	if res, c, _, err := r.LockTuple(b.Session, first, &slot, LockOpts{Mode: LockNoKeyUpdate}); res != Updated || err != nil || !c.CTID.IsValid() {
		t.Errorf("without following: %v %+v %v", res, c, err)
	}
	if res, _, _, err := r.LockTuple(b.Session, gone, &slot, LockOpts{Mode: LockUpdate, FollowUpdates: true}); res != Deleted || err != nil {
		t.Errorf("lock of a deleted row: %v %v", res, err)
	}
	b.abort()
}
