package xact

import "slices"

// snapData is the set of transactions running at one moment. It is immutable and shared by all who take a snapshot between two ends of
// transactions, so taking one costs two atomic loads.
type snapData struct {
	xmin    XID   // every transaction below had ended
	xmax    XID   // none at or above had ended
	running []XID // top-level transactions in [xmin, xmax), ascending
}

// Snapshot says which transactions' effects are seen. The zero Snapshot is not valid: Tx.TakeSnapshot fills one. It is immutable after that,
// apart from CurCID which the owner of a copy may set before it is used.
type Snapshot struct {
	data *snapData
	tx   *Tx // whose own changes are seen, up to CurCID
	// CurCID is the command that the snapshot belongs to: changes of earlier commands of tx are seen, its own and later ones are not.
	CurCID CID
}

// IsValid says whether s was filled by TakeSnapshot.
func (s *Snapshot) IsValid() bool { return s.data != nil }

// Xmin is the oldest transaction that was running.
func (s *Snapshot) Xmin() XID { return s.data.xmin }

// Xmax is the first transaction id that had not ended.
func (s *Snapshot) Xmax() XID { return s.data.xmax }

// Running lists the top-level transactions that were running, ascending. It must not be changed.
func (s *Snapshot) Running() []XID { return s.data.running }

// Tx is the transaction that the snapshot was taken in.
func (s *Snapshot) Tx() *Tx { return s.tx }

// InProgress says whether xid was running when s was taken, seen from outside: the snapshot's own transaction counts as running. What
// had ended must still be asked for its status. A subtransaction counts as its top-level transaction.
func (s *Snapshot) InProgress(xid XID) bool {
	d := s.data
	if xid < d.xmin {
		return false
	}
	if xid >= d.xmax {
		return true
	}
	if _, found := slices.BinarySearch(d.running, xid); found {
		return true
	}
	if len(d.running) == 0 {
		return false
	}
	top, ok := s.tx.m.subs.top(xid)
	if !ok || top < d.xmin {
		return false
	}
	_, found := slices.BinarySearch(d.running, top)
	return found
}
