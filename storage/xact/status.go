package xact

import (
	"sync"
	"sync/atomic"
)

// chunkXIDs is how many transactions one status chunk covers: 8 KB for each of its two bit arrays.
const chunkXIDs = 1 << 16

// chunk is the status of chunkXIDs transactions. A transaction with neither bit is in progress if this run of the server gave its id
// out, and otherwise aborted by a crash.
type chunk struct {
	committed [chunkXIDs / 64]atomic.Uint64
	aborted   [chunkXIDs / 64]atomic.Uint64
}

// statusTable holds what became of every transaction, without locks on the reading side.
//
// The directory is a slice of pointers that is replaced when it grows; a chunk of an earlier run is loaded from the store when it is
// first asked for.
type statusTable struct {
	firstOfRun XID // the first transaction of this run: older ones can't be in progress
	load       func(chunkNo uint64) ([]byte, error)

	mu  sync.Mutex // serialises growth and loading
	dir atomic.Pointer[[]atomic.Pointer[chunk]]
}

func (t *statusTable) chunk(xid XID) *chunk {
	no := uint64(xid) / chunkXIDs
	if dir := t.dir.Load(); dir != nil && no < uint64(len(*dir)) {
		if c := (*dir)[no].Load(); c != nil {
			return c
		}
	}
	return t.loadChunk(no)
}

// loadChunk makes chunk no resident. A store that can't be read has already ended the process, or will: there is no right answer to give.
func (t *statusTable) loadChunk(no uint64) *chunk {
	t.mu.Lock()
	defer t.mu.Unlock()
	dir := t.dir.Load()
	if dir == nil || no >= uint64(len(*dir)) {
		grown := make([]atomic.Pointer[chunk], max(16, 2*(no+1)))
		if dir != nil {
			for i := range *dir {
				grown[i].Store((*dir)[i].Load())
			}
		}
		dir = &grown
		t.dir.Store(dir)
	}
	if c := (*dir)[no].Load(); c != nil {
		return c
	}
	c := new(chunk)
	if XID(no*chunkXIDs) < t.firstOfRun {
		bits, err := t.load(no)
		if err != nil {
			panic("xact: reading commit status: " + err.Error())
		}
		for i := range bits {
			w := &c.committed[i/8]
			w.Store(w.Load() | uint64(bits[i])<<(i%8*8))
		}
	}
	(*dir)[no].Store(c)
	return c
}

// get is the status of xid.
func (t *statusTable) get(xid XID) Status {
	if xid < FirstXID {
		if xid == InvalidXID {
			return Aborted
		}
		return Committed
	}
	c := t.chunk(xid)
	i, bit := xid%chunkXIDs/64, uint64(1)<<(xid%64)
	switch {
	case c.committed[i].Load()&bit != 0:
		return Committed
	case c.aborted[i].Load()&bit != 0 || xid < t.firstOfRun:
		return Aborted
	}
	return InProgress
}

// set records in memory that xid has ended.
func (t *statusTable) set(xid XID, s Status) {
	c := t.chunk(xid)
	i, bit := xid%chunkXIDs/64, uint64(1)<<(xid%64)
	if s == Committed {
		c.committed[i].Or(bit)
	} else {
		c.aborted[i].Or(bit)
	}
}
