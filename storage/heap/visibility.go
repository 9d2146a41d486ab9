package heap

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/xact"
)

// tup is a tuple in its page, with what its header's ids mean. The page is latched: share suffices, hints are set by atomic OR.
type tup struct {
	page []byte
	at   int    // offset of the header in the page
	h    header // page[at:at+length]
	base uint64 // the page's xid base
}

// infomask is t_infomask as of now: hints may be set by others under the share latch.
func (t *tup) infomask() uint16 { return uint16(page.LoadHint32(t.page, t.at+hintWord)) }

func (t *tup) hint(bits uint16) { page.OrHint32(t.page, t.at+hintWord, uint32(bits)) }

func (t *tup) xmin() xact.XID { return t.h.xmin(t.base) }
func (t *tup) xmax() xact.XID { return t.h.xmax(t.base) }

// cmin and cmax are valid when xmin, or xmax, is tx itself.
func (t *tup) cmin(tx *xact.Tx) xact.CID {
	if t.infomask()&comboCID != 0 {
		return tx.ComboCmin(t.h.cid())
	}
	return t.h.cid()
}

func (t *tup) cmax(tx *xact.Tx) xact.CID {
	if t.infomask()&comboCID != 0 {
		return tx.ComboCmax(t.h.cid())
	}
	return t.h.cid()
}

// xminStatus is what became of the inserter, hinted when it is final.
func (t *tup) xminStatus(m *xact.Manager, mask uint16) xact.Status {
	switch {
	case mask&xminCommitted != 0: // frozen too
		return xact.Committed
	case mask&xminInvalid != 0:
		return xact.Aborted
	}
	s := m.Status(t.xmin())
	switch s {
	case xact.Committed:
		t.hint(xminCommitted)
	case xact.Aborted:
		t.hint(xminInvalid)
	}
	return s
}

// xmaxStatus is what became of the deleter, hinted when it is final. No deleter counts as an aborted one.
func (t *tup) xmaxStatus(m *xact.Manager, mask uint16) xact.Status {
	switch {
	case mask&xmaxInvalid != 0 || t.h.rawXmax() == 0:
		return xact.Aborted
	case mask&xmaxCommitted != 0:
		return xact.Committed
	}
	s := m.Status(t.xmax())
	switch s {
	case xact.Committed:
		t.hint(xmaxCommitted)
	case xact.Aborted:
		t.hint(xmaxInvalid)
	}
	return s
}

// visible answers for any kind of snapshot. Caller holds the page's latch.
func (t *tup) visible(m *xact.Manager, s *Snapshot) bool {
	switch s.Kind {
	case MVCC:
		return t.visibleMVCC(m, &s.Snapshot)
	case Self:
		return t.visibleSelf(m, s.OwnTx)
	case Dirty:
		return t.visibleDirty(m, s)
	case NonVacuumable:
		return t.vacuumState(m, s.Horizon) != vacDead
	}
	return true
}

func (t *tup) visibleMVCC(m *xact.Manager, s *xact.Snapshot) bool {
	mask := t.infomask()
	if mask&xminFrozen != xminFrozen {
		xmin := t.xmin()
		switch {
		case mask&xminFrozen == xminInvalid:
			return false
		case mask&xminCommitted == 0 && s.Tx().IsCurrent(xmin):
			if t.cmin(s.Tx()) >= s.CurCID {
				return false
			}
		case s.InProgress(xmin) || t.xminStatus(m, mask) != xact.Committed:
			return false
		}
	}
	// Inserted. Deleted too?
	if mask&xmaxInvalid != 0 || t.h.rawXmax() == 0 {
		return true
	}
	xmax := t.xmax()
	if mask&xmaxCommitted == 0 && s.Tx().IsCurrent(xmax) {
		return t.cmax(s.Tx()) >= s.CurCID
	}
	return s.InProgress(xmax) || t.xmaxStatus(m, mask) != xact.Committed
}

func (t *tup) visibleSelf(m *xact.Manager, tx *xact.Tx) bool {
	mask := t.infomask()
	if t.xminStatus(m, mask) != xact.Committed && !tx.IsCurrent(t.xmin()) {
		return false
	}
	if t.xmaxStatus(m, mask) == xact.Aborted {
		return true
	}
	return mask&xmaxCommitted == 0 && t.xmaxStatus(m, mask) == xact.InProgress && !tx.IsCurrent(t.xmax())
}

func (t *tup) visibleDirty(m *xact.Manager, s *Snapshot) bool {
	s.Xmin, s.Xmax = 0, 0
	mask := t.infomask()
	switch t.xminStatus(m, mask) {
	case xact.Aborted:
		return false
	case xact.InProgress:
		if xmin := t.xmin(); !s.OwnTx.IsCurrent(xmin) {
			s.Xmin = xmin
			return true // nobody else can have deleted it
		}
	}
	switch t.xmaxStatus(m, mask) {
	case xact.Committed:
		return false
	case xact.InProgress:
		xmax := t.xmax()
		if s.OwnTx.IsCurrent(xmax) {
			return false
		}
		s.Xmax = xmax
	}
	return true
}

// vacState is what a tuple is to prune and vacuum.
type vacState uint8

const (
	vacDead         vacState = iota // nobody sees it, now or ever
	vacLive                         // committed and not deleted
	vacRecentlyDead                 // deleted, but an old snapshot may see it
	vacInserting                    // its inserter runs
	vacDeleting                     // its deleter runs
)

// vacuumState judges t for those who may see things since before horizon.
func (t *tup) vacuumState(m *xact.Manager, horizon xact.XID) vacState {
	s, xmax := t.vacuumStateXmax(m)
	if s == vacRecentlyDead && xmax < horizon {
		return vacDead
	}
	return s
}

// vacuumStateXmax is vacuumState without a horizon: a deleted tuple is vacRecentlyDead, and dead when xmax is behind the caller's one.
func (t *tup) vacuumStateXmax(m *xact.Manager) (s vacState, xmax xact.XID) {
	mask := t.infomask()
	switch t.xminStatus(m, mask) {
	case xact.Aborted:
		return vacDead, 0
	case xact.InProgress:
		// The inserter may have deleted it too; a subtransaction of it that deleted may have aborted.
		if t.xmaxStatus(m, mask) == xact.InProgress {
			return vacDeleting, 0
		}
		return vacInserting, 0
	}
	switch t.xmaxStatus(m, mask) {
	case xact.InProgress:
		return vacDeleting, 0
	case xact.Committed:
		return vacRecentlyDead, t.xmax()
	}
	return vacLive, 0
}

// Result is the outcome of an operation that met other transactions.
type Result uint8

const (
	OK            Result = iota
	Invisible            // the tuple was not visible to the operation's command in the first place
	SelfModified         // changed by this transaction, in this command or (Conflict.Cmax says) a later one
	Updated              // another transaction updated it and committed: Conflict.CTID is the next version
	Deleted              // another transaction deleted it and committed
	BeingModified        // another transaction is changing or locking it, and the caller did not want to wait
	WouldBlock           // the same, from LockTuple with SKIP LOCKED or NOWAIT
)

func (r Result) String() string {
	return [...]string{"ok", "invisible", "self-modified", "updated", "deleted", "being modified", "would block"}[r]
}

// forUpdate judges t for a change by tx at command cid.
func (t *tup) forUpdate(m *xact.Manager, tx *xact.Tx, cid xact.CID, self types.TID) Result {
	mask := t.infomask()
	xmin := t.xminStatus(m, mask)
	switch {
	case xmin == xact.Aborted:
		return Invisible
	case xmin == xact.InProgress && !tx.IsCurrent(t.xmin()):
		return Invisible
	case xmin == xact.InProgress && t.cmin(tx) >= cid:
		return Invisible
	}
	switch t.xmaxStatus(m, mask) {
	case xact.Aborted:
		return OK
	case xact.InProgress:
		if !tx.IsCurrent(t.xmax()) {
			return BeingModified
		}
		if t.cmax(tx) >= cid {
			return SelfModified
		}
		return Invisible
	}
	if t.h.ctid() != self {
		return Updated
	}
	return Deleted
}
