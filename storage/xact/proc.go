package xact

import (
	"slices"
	"sync/atomic"
)

// Locker takes the lock that others wait on for a transaction id: exclusive, held to the end of the (sub)transaction by the lock owner
// of the session, which releases it.
type Locker interface {
	LockXID(xid XID) error
}

// Proc is a session's slot: what others may look at, and its transaction.
type Proc struct {
	m      *Manager
	id     int32  // 1-based, the first half of a virtual transaction id
	lxid   uint32 // counts the slot's transactions, the second half
	locker Locker

	xmin atomic.Uint64 // the oldest xmin of the snapshots in use, 0 = none
	xid  atomic.Uint64 // of the running transaction, 0 = it has none
	held []XID         // their xmins, ascending: snapshots only get younger

	tx Tx // the transaction, reused
}

// VXID is a virtual transaction id, which every transaction has.
type VXID struct {
	Proc int32
	LXID uint32
}

// NewProc makes a slot. locker may be nil where nobody waits for transactions.
func (m *Manager) NewProc(locker Locker) *Proc {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := &Proc{m: m, locker: locker}
	procs := slices.Clone(*m.procs.Load())
	free := slices.Index(procs, nil)
	if free < 0 {
		free = len(procs)
		procs = append(procs, nil)
	}
	p.id = int32(free + 1)
	p.lxid = m.lxids[p.id]
	procs[free] = p
	m.procs.Store(&procs)
	return p
}

// Close gives the slot up. Its transaction must have ended.
func (p *Proc) Close() {
	if p.tx.active {
		panic("xact: a slot is closed with a transaction in it")
	}
	m := p.m
	m.mu.Lock()
	defer m.mu.Unlock()
	procs := slices.Clone(*m.procs.Load())
	procs[p.id-1] = nil
	m.lxids[p.id] = p.lxid // a virtual id must not be used twice
	m.procs.Store(&procs)
}

// ID is the slot's 1-based number.
func (p *Proc) ID() int32 { return p.id }

// Tx is the running transaction, or nil.
func (p *Proc) Tx() *Tx {
	if p.tx.active {
		return &p.tx
	}
	return nil
}

// Xmin is what the slot holds the horizon back to, 0 = nothing. Anyone may ask.
func (p *Proc) Xmin() XID { return XID(p.xmin.Load()) }

// hold takes the current snapshot data and makes sure that no horizon passes it. The xmin is shown before the data is loaded again: a
// horizon that did not see it was computed from data no younger than what the second load gave, so it can't be above.
func (p *Proc) hold() *snapData {
	d := p.m.current()
	if len(p.held) == 0 {
		for {
			p.xmin.Store(uint64(d.xmin))
			again := p.m.current()
			if again.xmin == d.xmin {
				d = again
				break
			}
			d = again
		}
	}
	p.held = append(p.held, d.xmin)
	return d
}

// release gives one snapshot's hold up.
func (p *Proc) release(xmin XID) {
	i, ok := slices.BinarySearch(p.held, xmin)
	if !ok {
		panic("xact: a snapshot is released twice")
	}
	p.held = slices.Delete(p.held, i, i+1)
	switch {
	case len(p.held) == 0:
		p.xmin.Store(0)
	case i == 0:
		p.xmin.Store(uint64(p.held[0]))
	}
}

// Running gives the running transaction's id and the oldest xmin of its snapshots, 0 = none. Any goroutine.
func (p *Proc) Running() (xid, xmin XID) { return XID(p.xid.Load()), XID(p.xmin.Load()) }

func (p *Proc) releaseAll() {
	p.xid.Store(0)
	p.held = p.held[:0]
	p.xmin.Store(0)
}
