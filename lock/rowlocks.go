package lock

import (
	"sync"
	"sync/atomic"
)

// RowLocks are all row locks of a server. A holder is known by its top-level transaction; what a conflict waits for is the transaction lock
// of the (sub)transaction that took the row lock, so that a rollback to a savepoint lets waiters go.
//
// The methods are short, never wait, and take no page latch: the heap calls them while it holds the latch of the row's page, share or
// exclusive to lock, exclusive to look before it updates. That makes "no conflicting xmax on the page and no conflicting holder here" one
// step: two lockers meet in TryLock, a locker and an updater at the latch.
type RowLocks struct {
	parts [rowPartitions]rowPartition
}

const (
	rowPartitionBits = 6
	rowPartitions    = 1 << rowPartitionBits
	rowBucketsMin    = 16
)

type rowPartition struct {
	index uint32
	count atomic.Int32 // entries; read without the mutex to see that there are none
	sync.Mutex
	buckets []*rowEntry
	_       [64]byte
}

// rowHold is a transaction's lock of a row, on one owner's account. It covers the version that was locked, and those that others made from it
// since by updates that it did not exclude (rowEntry each).
type rowHold struct {
	next *rowHold // on its owner's list

	top, xid uint64 // immutable, like strength
	strength Strength

	mu       sync.Mutex // after a partition's, never before
	released bool
	entries  *rowEntry
}

// rowEntry is a rowHold's presence on one row version.
type rowEntry struct {
	key      RowKey
	hold     *rowHold
	next     *rowEntry // in the bucket
	nextHeld *rowEntry // of the same hold, or of a list of entries to remove
	isGone   bool      // off its hold, on its way out; guarded by hold.mu
}

func newRowLocks() *RowLocks {
	r := &RowLocks{}
	for i := range r.parts {
		r.parts[i].index = uint32(i)
		r.parts[i].buckets = make([]*rowEntry, rowBucketsMin)
	}
	return r
}

func (r *RowLocks) part(hash uint32) *rowPartition { return &r.parts[hash&(rowPartitions-1)] }

func (p *rowPartition) bucket(hash uint32) **rowEntry {
	return &p.buckets[int(hash>>rowPartitionBits)&(len(p.buckets)-1)]
}

func (p *rowPartition) add(e *rowEntry, hash uint32) {
	if n := int(p.count.Load()); n >= len(p.buckets) {
		p.resize(2 * len(p.buckets))
	}
	b := p.bucket(hash)
	e.next = *b
	*b = e
	p.count.Add(1)
}

func (p *rowPartition) remove(e *rowEntry, hash uint32) {
	b := p.bucket(hash)
	for *b != e {
		b = &(*b).next
	}
	*b = e.next
	if p.count.Add(-1) == 0 && len(p.buckets) > retainedLocks {
		p.buckets = make([]*rowEntry, rowBucketsMin)
	}
}

func (p *rowPartition) resize(n int) {
	old := p.buckets
	p.buckets = make([]*rowEntry, n)
	for _, e := range old {
		for e != nil {
			next := e.next
			b := p.bucket(e.key.hash())
			e.next = *b
			*b = e
			e = next
		}
	}
}

// blocker finds a holder other than top that excludes strength. The caller holds the partition.
func (p *rowPartition) blocker(top uint64, key *RowKey, hash uint32, strength Strength) *rowHold {
	for e := *p.bucket(hash); e != nil; e = e.next {
		if e.key == *key && e.hold.top != top && e.hold.strength.Conflicts(strength) {
			return e.hold
		}
	}
	return nil
}

// Blocker gives the (sub)transaction to wait for before the transaction top may have a lock of this strength on the row, or update it with that
// strength; ok = nobody is in the way.
func (r *RowLocks) Blocker(top uint64, key RowKey, strength Strength) (xid uint64, ok bool) {
	hash := key.hash()
	p := r.part(hash)
	if p.count.Load() == 0 {
		return 0, true
	}
	p.Lock()
	defer p.Unlock()
	if h := p.blocker(top, &key, hash, strength); h != nil {
		return h.xid, false
	}
	return 0, true
}

// TryLock locks the row for the transaction top, whose current (sub)transaction is xid, on o's account. Not ok: somebody is in the way, and
// xid is the (sub)transaction to wait for. A lock that top has already at this strength or more counts.
func (r *RowLocks) TryLock(o *Owner, top, xid uint64, key RowKey, strength Strength) (blocker uint64, ok bool) {
	hash := key.hash()
	p := r.part(hash)
	p.Lock()
	defer p.Unlock()
	if h := p.blocker(top, &key, hash, strength); h != nil {
		return h.xid, false
	}
	if p.held(top, &key, hash) >= strength {
		return 0, true
	}
	h := &rowHold{top: top, xid: xid, strength: strength}
	e := &rowEntry{key: key, hold: h}
	h.entries = e
	p.add(e, hash)
	o.linkRow(h)
	return 0, true
}

func (p *rowPartition) held(top uint64, key *RowKey, hash uint32) (most Strength) {
	for e := *p.bucket(hash); e != nil; e = e.next {
		if e.key == *key && e.hold.top == top {
			most = max(most, e.hold.strength)
		}
	}
	return most
}

// Held gives the strongest lock that the transaction top has on the row.
func (r *RowLocks) Held(top uint64, key RowKey) Strength {
	hash := key.hash()
	p := r.part(hash)
	if p.count.Load() == 0 {
		return NoRowLock
	}
	p.Lock()
	defer p.Unlock()
	return p.held(top, &key, hash)
}

// RowHolder is one holder of a row.
type RowHolder struct {
	Top, XID uint64
	Strength Strength
}

// Holders lists who holds the row, in no order.
func (r *RowLocks) Holders(key RowKey) (out []RowHolder) {
	hash := key.hash()
	p := r.part(hash)
	if p.count.Load() == 0 {
		return nil
	}
	p.Lock()
	defer p.Unlock()
	for e := *p.bucket(hash); e != nil; e = e.next {
		if e.key == key {
			out = append(out, RowHolder{e.hold.top, e.hold.xid, e.hold.strength})
		}
	}
	return out
}

// Copy gives the locks of the version from to the version to, which the transaction top makes of it: all but its own, which its xmin stands
// for. The caller holds the page latch under which it checked Blocker, and makes the new version under the same latch. fromOwn = top made the
// version from, too; if not, versions before it can't come back, and what the holders have on them goes.
func (r *RowLocks) Copy(from, to RowKey, top uint64, fromOwn bool) {
	fromHash, toHash := from.hash(), to.hash()
	p, q := r.part(fromHash), r.part(toHash)
	if p.count.Load() == 0 {
		return
	}
	lockPair(p, q)
	var stale *rowEntry
	for e := *p.bucket(fromHash); e != nil; {
		next := e.next // before add, which may move entries to other buckets
		if e.key == from && e.hold.top != top {
			stale = e.hold.copyTo(q, e, to, toHash, fromOwn, stale)
		}
		e = next
	}
	unlockPair(p, q)
	r.removeEntries(stale)
}

// copyTo adds an entry for the version to, and moves the hold's entries for versions before e's to the stale list when they can't come back.
func (h *rowHold) copyTo(q *rowPartition, e *rowEntry, to RowKey, toHash uint32, fromOwn bool, stale *rowEntry) *rowEntry {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released || e.isGone {
		return stale
	}
	if !fromOwn {
		for old := h.entries; old != nil; {
			next := old.nextHeld
			if old != e {
				old.isGone, old.nextHeld = true, stale
				stale = old
			}
			old = next
		}
		e.nextHeld, h.entries = nil, e
	}
	n := &rowEntry{key: to, hold: h, nextHeld: h.entries}
	h.entries = n
	q.add(n, toHash)
	return stale
}

func lockPair(p, q *rowPartition) {
	switch {
	case p == q:
		p.Lock()
	case p.index < q.index:
		p.Lock()
		q.Lock()
	default:
		q.Lock()
		p.Lock()
	}
}

func unlockPair(p, q *rowPartition) {
	p.Unlock()
	if p != q {
		q.Unlock()
	}
}

// removeEntries takes a list of entries, linked by nextHeld, off their rows.
func (r *RowLocks) removeEntries(e *rowEntry) {
	for e != nil {
		next := e.nextHeld
		hash := e.key.hash()
		p := r.part(hash)
		p.Lock()
		p.remove(e, hash)
		p.Unlock()
		e = next
	}
}

// release gives one row lock up.
func (r *RowLocks) release(h *rowHold) {
	h.mu.Lock()
	entries := h.entries
	h.entries, h.released = nil, true
	h.mu.Unlock()
	r.removeEntries(entries)
}

func (o *Owner) linkRow(h *rowHold) {
	h.next = o.rows
	if o.rows == nil {
		o.lastRow = h
	}
	o.rows = h
}

// releaseRows releases the owner's row locks.
func (o *Owner) releaseRows() {
	for h := o.rows; h != nil; h = h.next {
		o.s.m.Rows.release(h)
	}
	o.rows, o.lastRow = nil, nil
}

// moveRows splices the owner's row locks into another's list.
func (o *Owner) moveRows(to *Owner) {
	if o.rows == nil {
		return
	}
	if to.rows != nil {
		o.lastRow.next = to.rows
	} else {
		to.lastRow = o.lastRow
	}
	to.rows = o.rows
	o.rows, o.lastRow = nil, nil
}
