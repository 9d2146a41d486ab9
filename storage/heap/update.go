package heap

import (
	"bytes"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/xact"
)

// UpdateOpts are the conditions of an update.
type UpdateOpts struct {
	Command Command // that updates
	// Crosscheck and Wait: as in DeleteOpts.
	Crosscheck *Snapshot
	Wait       bool
	// Changed are the columns that the new row may differ in; nil = any. The others keep their out-of-line values.
	Changed *AttrSet
	// Locked: the transaction locked the row before it knew that it would update it (ON CONFLICT). The new version's xmax tells, as in PostgreSQL,
	// where clients look at it to tell rows that were updated from those that were inserted; nothing else reads it.
	Locked bool
}

// UpdateResult is OK with the new version's place, or what stood in the way.
type UpdateResult struct {
	Result   Result
	Conflict Conflict
	TID      types.TID
	// HOT: the new version is reached through the old one's index entries and needs none of its own.
	HOT bool
	// Mode is the strength of the row lock that the update takes, or would take.
	Mode LockMode
}

// updating is an update in progress.
type updating struct {
	attempt
	o     UpdateOpts
	h     header // the new version, formed
	other buffer.Buf
	mode  LockMode
	hot   bool // no indexed column changes
}

// Update puts row as the new version of the one at tid. The caller holds a snapshot that sees the old one, and no latch. One Apply changes
// both versions, after those of new wide values.
func (r *Relation) Update(s *Session, tid types.TID, row types.Row, o UpdateOpts) (UpdateResult, error) {
	u := updating{attempt: attempt{r: r, s: s, tid: tid, crosscheck: o.Crosscheck}, o: o}
	var err error
	if u.xid, err = s.Tx.XID(); err != nil {
		return UpdateResult{}, err
	}
	u.cid = s.command(o.Command)
	if err := r.admit(s); err != nil {
		return UpdateResult{}, err
	}
	if u.h, err = r.formUpdate(s, tid, row, o.Changed, u.xid); err != nil {
		return UpdateResult{}, err
	}
	res, err := u.run()
	u.leave()
	if err != nil || res.Result != OK {
		r.killToast(s)
		return res, err
	}
	r.stats(s).Update(res.HOT)
	return res, nil
}

func (u *updating) run() (res UpdateResult, err error) {
	buf, err := u.r.pinTuple(u.s, u.tid)
	if err != nil {
		return res, err
	}
	buf.Unlock()
	defer func() {
		if buf.Valid() {
			buf.Unpin()
		}
		u.dropOther()
	}()
	for {
		res, waitFor, done, err := u.try(buf)
		switch {
		case err != nil || done:
			return res, err
		case waitFor != 0:
			buf.Unpin()
			buf = buffer.Buf{}
			u.dropOther()
			if err := u.wait(waitFor, WaitUpdate, u.mode); err != nil {
				return res, err
			}
			if buf, err = u.r.main.Pin(u.tid.Block); err != nil {
				buf = buffer.Buf{}
				return res, err
			}
		default:
			if err := u.pickOther(); err != nil {
				return res, err
			}
		}
	}
}

func (u *updating) dropOther() {
	if u.other.Valid() {
		u.other.Unpin()
		u.other = buffer.Buf{}
	}
}

// latch takes the exclusive latches of the old version's page and, if there is one, of the other page, in block order.
func (u *updating) latch(buf buffer.Buf) error {
	first, second := buf, u.other
	if u.other.Valid() && u.other.Block() < buf.Block() {
		first, second = u.other, buf
	}
	if err := first.LockExclusive(u.s.Cancel); err != nil {
		return err
	}
	if !second.Valid() {
		return nil
	}
	if err := second.LockExclusive(u.s.Cancel); err != nil {
		first.Unlock()
		return err
	}
	return nil
}

// try judges and, if there is room, updates. Not done and nothing to wait for = another page is needed. All latches are let go.
func (u *updating) try(buf buffer.Buf) (res UpdateResult, waitFor xact.XID, done bool, err error) {
	r := u.r
	if err := u.latch(buf); err != nil {
		return res, 0, false, err
	}
	defer func() {
		if u.other.Valid() {
			u.other.Unlock()
		}
		buf.Unlock()
	}()
	if err := r.readyPage(buf, u.xid); err != nil {
		return res, 0, false, err
	}
	id, ok := normalItem(buf.Page(), u.tid.Off)
	if !ok {
		return res, 0, false, r.errNoTuple(u.tid)
	}
	t := tupleAt(buf.Page(), id)
	u.compare(t.h)
	res.Mode = u.mode
	res.Result, res.Conflict, waitFor = u.judge(&t, u.mode, u.o.Wait)
	switch {
	case res.Result == Invisible:
		return res, 0, false, errInvisible("update")
	case res.Result != OK:
		return res, waitFor, waitFor == 0, nil
	}

	target := buf
	if !hasRoom(buf.Page(), len(u.h), 0) {
		if !u.other.Valid() {
			return res, 0, false, nil
		}
		if err := r.readyPage(u.other, u.xid); err != nil {
			return res, 0, false, err
		}
		if !hasRoom(u.other.Page(), len(u.h), r.reserve()) {
			r.free.set(u.other.Block(), page.HeapFreeSpace(u.other.Page()))
			return res, 0, false, nil
		}
		target = u.other
	}
	res.TID, res.HOT, err = u.write(buf, id, &t, target)
	return res, 0, err == nil, err
}

// compare says by the old version which columns change: whether the update may be HOT, and how strong its row lock is.
func (u *updating) compare(old header) {
	u.hot = !u.changes(old, u.r.IndexedAttrs)
	u.mode = LockNoKeyUpdate
	if u.changes(old, u.r.KeyAttrs) {
		u.mode = LockUpdate
	}
}

// changes says whether any of attrs differs between the old and the new version, by their stored bytes.
func (u *updating) changes(old header, attrs AttrSet) bool {
	if u.o.Changed != nil && !u.o.Changed.Intersects(attrs) {
		return false
	}
	before, after := old.stored(), u.h.stored()
	differ := false
	attrs.Each(func(num int16) bool {
		if u.o.Changed != nil && !u.o.Changed.Has(num) {
			return true
		}
		b, okb := u.r.Layout.Locate(&before, int(num)-1)
		a, oka := u.r.Layout.Locate(&after, int(num)-1)
		differ = oka != okb || !bytes.Equal(a, b)
		return !differ
	})
	return differ
}

// write puts the new version on target and marks the old one, in one Apply. Both pages are latched.
func (u *updating) write(buf buffer.Buf, id page.ItemID, t *tup, target buffer.Buf) (tid types.TID, hot bool, err error) {
	r := u.r
	hot = u.hot && target == buf
	ch := u.s.change(r.e)
	defer ch.Reset()
	var gone toastHold
	defer gone.unlock()
	if err := r.dropToast(ch, &gone, t.h, u.h, u.xid); err != nil {
		return tid, false, err
	}
	var vm vmHold
	defer vm.unlock()
	if err := u.clearBoth(ch, &vm, buf, target); err != nil {
		return tid, false, err
	}

	mask2, oldMask2 := uint16(0), uint16(0)
	if hot {
		mask2, oldMask2 = onlyTuple, hotUpdated
	}
	if u.mode == LockUpdate {
		oldMask2 |= keysUpdated
	}
	oldKey := r.rowKey(t, u.tid)
	if tid, err = put(target, u.h, u.xid, u.cid, updated, mask2); err != nil {
		return tid, false, err
	}
	if u.o.Locked {
		id, _ := normalItem(target.Page(), tid.Off)
		target.Edit().Put32(id.Off()+offXmax, rawXID(page.XidBase(target.Page()), u.xid))
	}
	u.markChanged(buf, id, tid, oldMask2)
	if target != buf {
		page.SetFlags(buf.Edit(), page.Flags(buf.Page())|page.Full)
		ch.Add(target)
		u.s.setTarget(r.relState, target.Block())
	}
	if !r.NoRowLocks && u.s.Waiter != nil {
		u.s.Waiter.CopyRowLocks(oldKey, RowKey{Rel: r.ID, TID: tid, Xmin: u.xid}, u.s.Tx.IsCurrent(oldKey.Xmin))
	}
	ch.Add(buf)
	r.e.pool.Apply(ch)
	return tid, hot, nil
}

func (u *updating) clearBoth(ch change, vm *vmHold, buf, target buffer.Buf) error {
	first, second := buf, target
	if target.Block() < buf.Block() {
		first, second = target, buf
	}
	if err := u.r.clearVisible(ch, vm, first); err != nil || first == second {
		return err
	}
	return u.r.clearVisible(ch, vm, second)
}

// pickOther chooses a page for a new version that has no room beside the old one, and pins it. A new page is stored empty and unlatched
// first, so that latches are taken in block order.
func (u *updating) pickOther() error {
	r := u.r
	tried := u.other
	u.dropOther()
	need := tupleSpace(len(u.h)) + r.reserve()
	block, ok := u.s.target(r.relState)
	switch {
	case tried.Valid() || ok && block == u.tid.Block:
		block, ok = r.free.find(need)
	case !ok:
		block, ok = r.firstTarget(need)
	}
	if ok && block != u.tid.Block && block < r.main.NumBlocks() {
		var err error
		u.other, err = r.main.Pin(block)
		return err
	}
	buf, err := r.newPage(u.s, r.main, u.xid)
	if err != nil {
		return err
	}
	r.e.pool.ApplyPages(buf)
	buf.Unlock()
	u.other = buf
	return nil
}
