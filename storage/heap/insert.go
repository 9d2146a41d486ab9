package heap

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/pgstat"
	"github.com/calfdb/calf/storage/xact"
)

// InsertOpts are rarely set.
type InsertOpts struct {
	Command Command // that inserts
	// Frozen makes the rows visible to all as soon as the relation is: COPY FREEZE, rewrites. The relation is new in this transaction.
	Frozen bool
}

func (o InsertOpts) mask() uint16 {
	if o.Frozen {
		return xminFrozen
	}
	return 0
}

// Command names the command that a change belongs to; the zero value is the transaction's current one. A statement names its own, as the commands of
// the functions and triggers that it calls move the counter on.
type Command struct {
	cid   xact.CID
	given bool
}

// CommandOf names a command by its number.
func CommandOf(cid xact.CID) Command { return Command{cid: cid, given: true} }

// command is the command id of a change.
func (s *Session) command(c Command) xact.CID {
	if now := s.Tx.UseCID(); !c.given {
		return now
	}
	return c.cid
}

// Insert adds a row, which has all columns of the relation; s.Tx's next command sees it. One Apply for the row, after those of its wide
// values. The row's index entries are the caller's to make, afterwards.
func (r *Relation) Insert(s *Session, row types.Row, o InsertOpts) (types.TID, error) {
	xid, err := s.Tx.XID()
	if err != nil {
		return types.TID{}, err
	}
	if err := r.admit(s); err != nil {
		return types.TID{}, err
	}
	h, err := r.formToast(s, row, nil, xid)
	if err != nil {
		return types.TID{}, err
	}
	buf, err := r.pageWithRoom(s, xid, len(h))
	if err != nil {
		return types.TID{}, err
	}
	defer buf.UnlockUnpin()
	tid, err := r.insertOn(s, buf, h, xid, o)
	if err == nil {
		r.stats(s).Insert(1)
	}
	return tid, err
}

// stats is where the session counts what it does to the relation.
func (r *Relation) stats(s *Session) *pgstat.Table {
	return s.Stats.Table(pgstat.OID(r.OID), r.ID.DB == 0)
}

// insertOn puts a formed tuple on a latched page with room, and applies. The page stays latched.
func (r *Relation) insertOn(s *Session, buf buffer.Buf, h header, xid xact.XID, o InsertOpts) (types.TID, error) {
	c := s.change(r.e)
	defer c.Reset()
	var vm vmHold
	defer vm.unlock()
	if err := r.clearVisible(c, &vm, buf); err != nil {
		return types.TID{}, err
	}
	tid, err := put(buf, h, xid, s.command(o.Command), o.mask(), 0)
	if err != nil {
		return types.TID{}, err
	}
	c.Add(buf)
	r.e.pool.Apply(c)
	return tid, nil
}

// MultiInsert adds rows and writes their places to tids, which is as long. It fills one page after the other, with one Apply each: COPY and
// INSERT ... SELECT. Index entries are the caller's to make, afterwards.
func (r *Relation) MultiInsert(s *Session, rows []types.Row, tids []types.TID, o InsertOpts) error {
	if len(rows) == 0 {
		return nil
	}
	xid, err := s.Tx.XID()
	if err != nil {
		return err
	}
	if err := r.admit(s); err != nil {
		return err
	}
	var h header
	for done := 0; done < len(rows); {
		if h == nil {
			if h, err = r.formToast(s, rows[done], nil, xid); err != nil {
				return err
			}
		}
		buf, err := r.pageWithRoom(s, xid, len(h))
		if err != nil {
			return err
		}
		n := 0
		if n, h, err = r.fillPage(s, buf, h, rows[done:], tids[done:], xid, o); err != nil {
			return err
		}
		done += n
		r.stats(s).Insert(int64(n))
	}
	return nil
}

// fillPage puts the formed tuple h, which is rows[0], and as many of the following rows as fit on the latched page, applies, and lets the
// page go. It gives their number and the formed tuple of the first that did not fit; nil when that is not formed yet, being a wide one.
func (r *Relation) fillPage(s *Session, buf buffer.Buf, h header, rows []types.Row, tids []types.TID, xid xact.XID, o InsertOpts) (n int, next header, err error) {
	defer buf.UnlockUnpin()
	c := s.change(r.e)
	defer c.Reset()
	var vm vmHold
	defer vm.unlock()
	if err := r.markLoad(c, &vm, buf, o); err != nil {
		return 0, nil, err
	}
	cid := s.command(o.Command)
	for {
		if tids[n], err = put(buf, h, xid, cid, o.mask(), 0); err != nil {
			return 0, nil, err
		}
		n++
		if n == len(rows) {
			break
		}
		// A wide row is formed with the page latched only when its values stay inline: moving them out takes latches of its own.
		if r.needsToast(rows[n]) {
			break
		}
		if h = r.form(s, rows[n], nil); !hasRoom(buf.Page(), len(h), r.reserve()) {
			next = h
			break
		}
	}
	c.Add(buf)
	r.e.pool.Apply(c)
	if n < len(rows) {
		r.free.set(buf.Block(), page.HeapFreeSpace(buf.Page()))
	}
	return n, next, nil
}

// markLoad sets the marks of a page that rows are about to be added to: a page that holds frozen rows only is visible to all.
func (r *Relation) markLoad(c change, hold *vmHold, buf buffer.Buf, o InsertOpts) error {
	p := buf.Page()
	if !o.Frozen {
		return r.clearVisible(c, hold, buf)
	}
	if !page.IsEmpty(p) {
		return nil // it has its mark, or other rows on it
	}
	vm, err := r.lockVM(buf.Block())
	if err != nil {
		return err
	}
	hold.bufs[0], hold.n = vm, 1
	c.Add(vm)
	page.SetFlags(buf.Edit(), page.Flags(p)|page.AllVisible)
	setVM(vm, buf.Block(), vmVisible|vmFrozen)
	return nil
}

// Kill makes a tuple that this transaction inserted, and that nobody else was shown, as if it had never been: a speculative insertion that
// lost. Its index entries stay until vacuum.
func (r *Relation) Kill(s *Session, tid types.TID) error {
	buf, err := r.main.Pin(tid.Block)
	if err != nil {
		return err
	}
	defer buf.Unpin()
	if err := buf.LockExclusive(s.Cancel); err != nil {
		return err
	}
	defer buf.Unlock()
	id, ok := normalItem(buf.Page(), tid.Off)
	if !ok || !s.Tx.IsCurrent(header(page.ItemBytes(buf.Page(), id)).xmin(page.XidBase(buf.Page()))) {
		return errNotOwnTuple
	}
	h := header(page.ItemBytes(buf.Page(), id))
	e := buf.Edit()
	e.Put16(id.Off()+offInfomask, h.infomask()&^xminFrozen|xminInvalid)
	prunable(buf, s.Tx.CurrentXID())
	r.e.pool.ApplyPages(buf)
	r.stats(s).Delete()
	return nil
}
