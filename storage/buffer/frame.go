package buffer

import "sync/atomic"

// frame is the header of one page's place in the pool. It holds no pointers, so the collector never looks at the array.
type frame struct {
	state atomic.Uint64
	usage atomic.Uint32 // clock sweep: 0 to maxUsage

	// What the frame holds: written by who has it busy (stEvict or stIO), read under a pin or stEvict.
	rel   uint32 // index in Pool.rels, 0 = nothing
	block uint32

	// As of the last Apply or read; written under the exclusive latch or stIO, read under a latch.
	deltas  uint16
	weight  uint16
	version uint64

	_ [64 - 40]byte // one cache line a frame
}

const maxUsage = 5

// The state word: pins in the low 24 bits, then sharers of the latch, then flags. It changes by atomic adds of these units only.
const (
	onePin    = uint64(1)
	pinMask   = uint64(1)<<24 - 1
	oneShare  = uint64(1) << 24
	shareMask = (uint64(1)<<20 - 1) << 24

	stExclusive = uint64(1) << 44 // latched exclusively
	stWaiters   = uint64(1) << 45 // somebody is parked for the latch or for the read
	stDrain     = uint64(1) << 46 // an exclusive waiter holds back new sharers
	stCleanup   = uint64(1) << 47 // somebody waits for all other pins to go
	stEvict     = uint64(1) << 48 // being taken away from its page
	stIO        = uint64(1) << 49 // being read from the store
	stWatched   = uint64(1) << 50 // its block's latches are counted, see Rel.Watch

	stBusy = stEvict | stIO
)

func pins(s uint64) uint64    { return s & pinMask }
func sharers(s uint64) uint64 { return s & shareMask }

// touch counts a use for the clock sweep, up to limit.
func (f *frame) touch(limit uint32) {
	if u := f.usage.Load(); u < limit {
		f.usage.CompareAndSwap(u, u+1)
	}
}
