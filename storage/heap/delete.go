package heap

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/xact"
)

// DeleteOpts are the conditions of a delete.
type DeleteOpts struct {
	Command Command // that deletes
	// Crosscheck, if not nil, must see the version too, else the answer is Updated (foreign key actions at REPEATABLE READ).
	Crosscheck *Snapshot
	// Wait for other transactions instead of answering BeingModified.
	Wait bool
	// Moved: the row goes to another partition.
	Moved bool
}

// Delete deletes the version at tid. The caller holds a snapshot that sees it, and no latch. After OK others see it go when the transaction
// commits; index entries stay until vacuum.
func (r *Relation) Delete(s *Session, tid types.TID, o DeleteOpts) (Result, Conflict, error) {
	a := attempt{r: r, s: s, tid: tid, crosscheck: o.Crosscheck}
	var err error
	if a.xid, err = s.Tx.XID(); err != nil {
		return 0, Conflict{}, err
	}
	a.cid = s.command(o.Command)
	defer a.leave()
	for {
		if err := r.admit(s); err != nil {
			return 0, Conflict{}, err
		}
		res, c, waitFor, err := a.delete(o)
		if err == nil && waitFor == 0 && res == OK {
			r.stats(s).Delete()
		}
		if err != nil || waitFor == 0 {
			return res, c, err
		}
		if err := a.wait(waitFor, WaitDelete, LockUpdate); err != nil {
			return 0, Conflict{}, err
		}
	}
}

func (a *attempt) delete(o DeleteOpts) (res Result, c Conflict, waitFor xact.XID, err error) {
	r := a.r
	buf, err := r.pinTuple(a.s, a.tid)
	if err != nil {
		return 0, c, 0, err
	}
	defer buf.UnlockUnpin()
	if err := r.readyPage(buf, a.xid); err != nil {
		return 0, c, 0, err
	}
	id, ok := normalItem(buf.Page(), a.tid.Off)
	if !ok {
		return 0, c, 0, r.errNoTuple(a.tid)
	}
	t := tupleAt(buf.Page(), id)
	res, c, waitFor = a.judge(&t, LockUpdate, o.Wait)
	if res == Invisible {
		return 0, c, 0, errInvisible("delete")
	}
	if res != OK {
		return res, c, waitFor, nil
	}

	ch := a.s.change(r.e)
	defer ch.Reset()
	var gone toastHold
	defer gone.unlock()
	if err := r.dropToast(ch, &gone, t.h, nil, a.xid); err != nil {
		return 0, c, 0, err
	}
	var vm vmHold
	defer vm.unlock()
	if err := r.clearVisible(ch, &vm, buf); err != nil {
		return 0, c, 0, err
	}
	next := a.tid
	if o.Moved {
		next = MovedTID
	}
	a.markChanged(buf, id, next, keysUpdated)
	ch.Add(buf)
	r.e.pool.Apply(ch)
	return OK, c, 0, nil
}
