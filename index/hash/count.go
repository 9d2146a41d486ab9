package hash

import "sync/atomic"

// counter is the number of entries: what the store had when the index was loaded, and what was added since. Each Apply that adds or removes entries
// also adds to the relation's count in the store, so the store's is right after a crash; this one is the same number in memory, in stripes so that
// those who insert do not wait for each other's cache line.
type counter struct {
	base    atomic.Int64
	stripes [stripeCount]stripe
}

const stripeCount = 16

// stripe is a cache line of counters.
type stripe struct {
	entries   atomic.Int64 // net of what was added since the load
	inserts   atomic.Uint64
	lookups   atomic.Uint64
	pagesRead atomic.Uint64
	_         [32]byte
}

// sum is the number of entries. While others insert it is a number that was right at some moment of the call for each of them.
func (c *counter) sum() int64 {
	n := c.base.Load()
	for i := range c.stripes {
		n += c.stripes[i].entries.Load()
	}
	return n
}

func (c *counter) add(stripe uint32, n int64) { c.stripes[stripe].entries.Add(n) }

// counts are what pg_stat_hash_index shows beside the stripes' numbers and the metapage's latch counts. Since the index was loaded.
type counts struct {
	overflowAdded, overflowFreed                 atomic.Uint64
	splitsStarted, splitsFinished, splitsResumed atomic.Uint64
	splitsDeclined                               atomic.Uint64 // under the metapage's latch: not due, or the new bucket's page is busy
	splitsRefused                                atomic.Uint64 // before it: the old bucket is busy
	corrections                                  atomic.Uint64 // of vacuum
}

// Counters is a moment's view of an index's counters, since the server first used it.
type Counters struct {
	Entries                                       int64
	Buckets                                       uint64
	Inserts, Lookups, PagesRead                   uint64
	OverflowAdded, OverflowFreed                  uint64
	SplitsStarted, SplitsFinished, SplitsDeclined uint64
	SplitsRefused, SplitsResumed                  uint64
	Corrections                                   uint64
	// The metapage's latch, counted by the latch itself.
	MetaExclusive, MetaShared           uint64
	MetaExclusiveWaits, MetaSharedWaits uint64
}

// Counters gives the index's counters.
func (ix *Index) Counters() (c Counters, err error) {
	m, err := ix.meta()
	if err != nil {
		return c, err
	}
	sh := ix.sh
	c.Buckets = uint64(m.maxBucket) + 1
	c.Entries = sh.count.sum()
	for i := range sh.count.stripes {
		s := &sh.count.stripes[i]
		c.Inserts += s.inserts.Load()
		c.Lookups += s.lookups.Load()
		c.PagesRead += s.pagesRead.Load()
	}
	st, l := &sh.stats, sh.metaLatch
	c.OverflowAdded, c.OverflowFreed = st.overflowAdded.Load(), st.overflowFreed.Load()
	c.SplitsStarted, c.SplitsFinished, c.SplitsDeclined = st.splitsStarted.Load(), st.splitsFinished.Load(), st.splitsDeclined.Load()
	c.SplitsRefused, c.SplitsResumed, c.Corrections = st.splitsRefused.Load(), st.splitsResumed.Load(), st.corrections.Load()
	c.MetaExclusive, c.MetaShared = l.Exclusive.Load(), l.Shared.Load()
	c.MetaExclusiveWaits, c.MetaSharedWaits = l.ExclusiveWaits.Load(), l.SharedWaits.Load()
	return c, nil
}
