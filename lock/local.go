package lock

// hold is one session's side of one locked thing: which modes it has, and on whose account.
type hold struct {
	tag  Tag
	hash uint32
	// mask are the modes that the session has. It changes under the partition's mutex; only the session's own goroutine, or one that grants
	// the session what it waits for, changes it.
	mask    modeSet
	lock    *sharedLock
	session *Session

	prevHold, nextHold *hold // in the lock's list; guarded by the partition

	// The rest is the session's own.
	next    *hold // in the bucket of the session's table, or the free list
	entries *held // accounts
	counts  [modeCount]int32
}

// held is one account: how often an owner took one mode of one hold. It is on its owner's list and on its hold's.
type held struct {
	hold                 *hold
	owner                *Owner
	prevOwned, nextOwned *held
	prevEntry, nextEntry *held
	mode                 Mode
	count                int32
}

// localTable finds a session's holds by tag.
type localTable struct {
	buckets []*hold
	count   int
}

const localBucketsMin = 16

func (t *localTable) init() { t.buckets = make([]*hold, localBucketsMin) }

func (t *localTable) bucket(hash uint32) **hold {
	return &t.buckets[int(hash>>partitionBits)&(len(t.buckets)-1)]
}

func (t *localTable) find(tag Tag, hash uint32) *hold {
	for h := *t.bucket(hash); h != nil; h = h.next {
		if h.tag == tag {
			return h
		}
	}
	return nil
}

func (t *localTable) add(h *hold) {
	if t.count >= len(t.buckets) {
		t.grow()
	}
	b := t.bucket(h.hash)
	h.next = *b
	*b = h
	t.count++
}

func (t *localTable) remove(h *hold) {
	b := t.bucket(h.hash)
	for *b != h {
		b = &(*b).next
	}
	*b = h.next
	t.count--
	if t.count == 0 && len(t.buckets) > retainedLocks {
		t.init()
	}
}

func (t *localTable) grow() {
	old := t.buckets
	t.buckets = make([]*hold, 2*len(old))
	for _, h := range old {
		for h != nil {
			next := h.next
			b := t.bucket(h.hash)
			h.next = *b
			*b = h
			h = next
		}
	}
}

// freeLists keep a session's unused entries, retainedLocks of each at most.
type freeLists struct {
	hold   *hold
	holds  int // on the list
	held   *held
	helds  int
	owners []*Owner
}

func (f *freeLists) newHold() *hold {
	h := f.hold
	if h == nil {
		return &hold{}
	}
	f.hold, h.next = h.next, nil
	f.holds--
	return h
}

func (f *freeLists) freeHold(h *hold) {
	*h = hold{}
	if f.holds < retainedLocks {
		h.next = f.hold
		f.hold = h
		f.holds++
	}
}

func (f *freeLists) newHeld() *held {
	e := f.held
	if e == nil {
		return &held{}
	}
	f.held, e.nextOwned = e.nextOwned, nil
	f.helds--
	return e
}

func (f *freeLists) freeHeld(e *held) {
	*e = held{}
	if f.helds < retainedLocks {
		e.nextOwned = f.held
		f.held = e
		f.helds++
	}
}

// entry finds the account of (owner, mode).
func (h *hold) entry(o *Owner, mode Mode) *held {
	for e := h.entries; e != nil; e = e.nextEntry {
		if e.owner == o && e.mode == mode {
			return e
		}
	}
	return nil
}

// account adds count to the owner's account of mode.
func (s *Session) account(o *Owner, h *hold, mode Mode, count int32) {
	h.counts[mode] += count
	if e := h.entry(o, mode); e != nil {
		e.count += count
		return
	}
	e := s.free.newHeld()
	e.hold, e.owner, e.mode, e.count = h, o, mode, count
	e.nextEntry = h.entries
	if h.entries != nil {
		h.entries.prevEntry = e
	}
	h.entries = e
	o.link(e)
}

// unlinkEntry takes an account off its hold's list.
func (e *held) unlinkEntry() {
	if e.prevEntry != nil {
		e.prevEntry.nextEntry = e.nextEntry
	} else {
		e.hold.entries = e.nextEntry
	}
	if e.nextEntry != nil {
		e.nextEntry.prevEntry = e.prevEntry
	}
}
