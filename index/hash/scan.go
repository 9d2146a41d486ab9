package hash

import (
	"slices"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
)

// scan finds the entries with a hash code (or, for an array, with one of several). It reads on while there are few matches, so that a search for one row is one
// call; between calls it holds nothing. Within a call, the pin on the primary page keeps vacuum and splits from moving entries under it; between calls the
// bucket's epoch tells whether that happened, and then the bucket is read again, without what was returned already.
type scan struct {
	ix     *Index
	stripe uint32
	codes  []uint32 // to be looked for, each once
	at     int      // codes[at] is being looked for
	walk   walk
	isDone bool // codes are exhausted

	items []item // all matches so far
	cur   int    // the present one
	pages []readPage
	mark  int

	killed []int // of items
	g      grip
	seen   map[types.TID]bool // what was returned before a search began anew
	tids   []types.TID
	sink   index.TIDSink // Bitmap: gets all matches of a page at once
	total  int64
}

// item is a match.
type item struct {
	tid  types.TID
	off  uint16
	page int32 // in scan.pages
}

// readPage is a page as it was when matches were read from it.
type readPage struct {
	block   uint32
	version uint64
}

// walk is how far the search for one code has come.
type walk struct {
	isOn      bool
	bucket    uint32
	next      uint32 // block to be read; noBlock = the chain's end, the bucket's primary page at the beginning
	primary   uint32
	epoch     uint32
	skipMoved bool // the bucket is being filled by a split: what the split copied is found in the old bucket, which comes next
	old       uint32
	oldEpoch  uint32
	first     int  // items from here on are of this code
	isAgain   bool // items that were there when it began may be met again
	hops      uint32
}

// enough is the number of matches after which a call goes back to its caller.
const enough = 64

// NewScan makes a scan.
func (ix *Index) NewScan(index.ScanOptions) index.Scan {
	s := ix.am.scans.Get().(*scan)
	s.ix = ix
	return s
}

// End gives the scan back.
func (s *scan) End() {
	s.flushKilled()
	s.reset()
	am := s.ix.am
	s.ix = nil
	if cap(s.items) > 4096 {
		s.items, s.pages = nil, nil
	}
	am.scans.Put(s)
}

func (s *scan) reset() {
	s.codes, s.items, s.pages, s.killed = s.codes[:0], s.items[:0], s.pages[:0], s.killed[:0]
	s.at, s.cur, s.mark, s.isDone = 0, -1, -1, false
	s.walk = walk{}
}

// Rescan begins again. The first key is what is looked for; whatever it finds is compared with all of them by the caller.
func (s *scan) Rescan(keys []index.ScanKey) error {
	s.flushKilled()
	s.reset()
	if len(keys) == 0 {
		return pgerr.New(pgerr.FeatureNotSupported, "hash indexes do not support whole-index scans")
	}
	k := &keys[0]
	hash := k.Hash
	if hash == nil {
		hash = s.ix.hash
	}
	switch k.Kind {
	case index.KeyOperator:
		if !k.Arg.IsNull() {
			s.codes = append(s.codes, hash(k.Arg))
		}
	case index.KeyArray:
		for _, d := range k.Array {
			if !d.IsNull() {
				s.codes = append(s.codes, hash(d))
			}
		}
		slices.Sort(s.codes)
		s.codes = slices.Compact(s.codes)
	default:
		return pgerr.Internal("hash index scan key of kind %d", k.Kind)
	}
	for i := range keys {
		if keys[i].Kind == index.KeyOperator && keys[i].Arg.IsNull() {
			s.codes = s.codes[:0]
		}
	}
	s.ix.sh.count.stripes[s.stripe].lookups.Add(uint64(len(s.codes)))
	return nil
}

// Next moves to the next match.
func (s *scan) Next(dir index.Direction) (bool, error) {
	if dir == index.Backward && s.cur < 0 && len(s.items) == 0 { // from the end
		for !s.isDone {
			if err := s.more(); err != nil {
				return false, err
			}
		}
		s.cur = len(s.items)
	}
	at := s.cur + int(dir)
	for at >= len(s.items) && dir == index.Forward {
		if s.isDone {
			s.flushKilled()
			s.cur = len(s.items)
			return false, nil
		}
		if err := s.more(); err != nil {
			return false, err
		}
	}
	s.cur = at
	if at < 0 {
		s.cur = -1
		return false, nil
	}
	return true, nil
}

// more reads on until there are some matches more or the codes are exhausted.
func (s *scan) more() error {
	defer s.g.dropAll()
	for s.at < len(s.codes) {
		n := len(s.items)
		done, err := s.search(s.codes[s.at])
		s.g.dropAll()
		if err != nil {
			return err
		}
		if done {
			s.at++
			s.walk = walk{}
		}
		if len(s.items) > n {
			break
		}
	}
	s.isDone = s.at == len(s.codes)
	return nil
}

// search goes on looking for a code. done = the whole bucket has been read.
func (s *scan) search(h uint32) (done bool, err error) {
	if !s.walk.isOn {
		if err := s.begin(h, len(s.items)); err != nil {
			return false, err
		}
	} else if err := s.resume(h); err != nil {
		return false, err
	}
	for n := len(s.items); ; {
		if s.walk.next == noBlock {
			if !s.walk.skipMoved {
				return true, nil
			}
			if err := s.turnToOld(); err != nil {
				return false, err
			}
		}
		if len(s.items)-n >= enough {
			return false, nil
		}
		if err := s.readNext(h); err != nil {
			return false, err
		}
		if err := s.flush(); err != nil {
			return false, err
		}
	}
}

// flush gives the matches to the sink of a Bitmap.
func (s *scan) flush() error {
	if s.sink == nil || len(s.items) == 0 {
		return nil
	}
	s.tids = s.tids[:0]
	for i := range s.items {
		s.tids = append(s.tids, s.items[i].tid)
	}
	s.items, s.pages = s.items[:0], s.pages[:0]
	s.total += int64(len(s.tids))
	return s.sink.AddTIDs(s.tids, true)
}

// begin pins the bucket of a code, and the one that it is being split from if it is. The primary page is left latched.
func (s *scan) begin(h uint32, first int) error {
	ix := s.ix
	m, err := ix.meta()
	if err != nil {
		return err
	}
	for {
		bucket := m.bucket(h)
		primary, err := ix.pin(m.block(bucket))
		if err != nil {
			return err
		}
		s.g.share(primary)
		if err := ix.checkBucket(primary, flagBucket, bucket); err != nil {
			return err
		}
		p := primary.Page()
		if stamp(p) > m.maxBucket {
			s.g.dropAll()
			if m, err = ix.newerMeta(m); err != nil {
				return err
			}
			continue
		}
		s.walk = walk{isOn: true, bucket: bucket, next: primary.Block(), primary: primary.Block(), epoch: ix.sh.epoch(bucket).Load(),
			first: first, isAgain: first < len(s.items)}
		if flags(p)&flagPopulated == 0 {
			return nil
		}
		return s.beginPopulated(primary, m)
	}
}

// beginPopulated pins the old bucket of one that is being filled. As the lower bucket's page is latched first, this one's is let go; the split may be over
// when it is latched again.
func (s *scan) beginPopulated(primary buffer.Buf, m *meta) error {
	ix, w := s.ix, &s.walk
	s.g.unlock(primary)
	oldBucket := oldBucketOf(w.bucket)
	old, err := ix.pin(m.block(oldBucket))
	if err != nil {
		return err
	}
	s.g.share(old)
	if err := ix.checkBucket(old, flagBucket, oldBucket); err != nil {
		return err
	}
	oldEpoch := ix.sh.epoch(oldBucket).Load()
	s.g.unlock(old)
	s.g.share(primary)
	w.epoch = ix.sh.epoch(w.bucket).Load()
	if flags(primary.Page())&flagPopulated == 0 {
		s.g.drop(old)
		return nil
	}
	w.skipMoved, w.old, w.oldEpoch = true, oldBucket, oldEpoch
	return nil
}

// resume pins the buckets again. If entries were moved since, the search begins anew.
func (s *scan) resume(h uint32) error {
	ix, w := s.ix, &s.walk
	m := ix.sh.meta.Load()
	primary, err := ix.pin(w.primary)
	if err != nil {
		return err
	}
	s.g.share(primary)
	same := ix.sh.epoch(w.bucket).Load() == w.epoch
	s.g.unlock(primary)
	if same && w.skipMoved {
		old, err := ix.pin(m.block(w.old))
		if err != nil {
			return err
		}
		s.g.share(old)
		same = ix.sh.epoch(w.old).Load() == w.oldEpoch
		s.g.unlock(old)
	}
	if same {
		return nil
	}
	s.g.dropAll()
	if s.seen == nil {
		s.seen = map[types.TID]bool{}
	}
	clear(s.seen)
	for i := range s.items[w.first:] {
		s.seen[s.items[w.first+i].tid] = true
	}
	return s.begin(h, w.first)
}

// turnToOld goes on in the old bucket, which is pinned.
func (s *scan) turnToOld() error {
	w := &s.walk
	block := s.ix.sh.meta.Load().block(w.old)
	w.bucket, w.primary, w.next, w.epoch, w.skipMoved = w.old, block, block, w.oldEpoch, false
	return nil
}

// readNext reads the next page of the chain.
func (s *scan) readNext(h uint32) error {
	ix, w := s.ix, &s.walk
	b, err := s.latchNext()
	if err != nil {
		return err
	}
	p := b.Page()
	off, ok := search(p, h)
	from := len(s.items)
	for n := page.MaxOffset(p); ok && off <= n; off++ {
		t := entryAt(p, off)
		if t == nil {
			ok = false
			break
		}
		if hashAt(t) != h {
			break
		}
		if isDead(p, off) || w.skipMoved && isMoved(t) || w.isAgain && s.seen[t.TID()] {
			continue
		}
		s.items = append(s.items, item{t.TID(), off, int32(len(s.pages))})
	}
	if !ok {
		return ix.corrupted(b.Block())
	}
	if len(s.items) > from {
		s.pages = append(s.pages, readPage{b.Block(), b.Version()})
	}
	isPrimary := w.next == w.primary
	w.next = nextOf(p)
	if w.hops++; w.hops > ix.sh.rel.NumBlocks() {
		return ix.corrupted(b.Block()) // the chain goes round
	}
	s.g.unlock(b)
	if !isPrimary {
		s.g.drop(b)
	}
	ix.sh.count.stripes[s.stripe].pagesRead.Add(1)
	return nil
}

// latchNext latches the page w.next and checks it. A primary page may be held already, and latched.
func (s *scan) latchNext() (b buffer.Buf, err error) {
	w := &s.walk
	if w.next != w.primary {
		if b, err = s.ix.pin(w.next); err != nil {
			return b, err
		}
		s.g.share(b)
		return b, s.ix.checkBucket(b, flagOverflow, w.bucket)
	}
	for i := range s.g.n {
		if b = s.g.held[i].b; b.Block() != w.primary {
			continue
		}
		if !s.g.held[i].isLatched {
			s.g.share(b)
		}
		return b, s.ix.checkBucket(b, flagBucket, w.bucket)
	}
	return b, pgerr.Internal("a hash index scan has lost its bucket")
}

// TID gives the row of the present match.
func (s *scan) TID() types.TID { return s.items[s.cur].tid }

// Recheck is true: only hash codes were compared.
func (s *scan) Recheck() bool { return true }

// Values: an index of hash codes has no values.
func (s *scan) Values(types.Row) error {
	return pgerr.Internal("hash index \"%s\" can't return values", s.ix.def.Name)
}

// AllVisible is false: there are no index-only scans.
func (s *scan) AllVisible() bool { return false }

// Kill notes that the present match's row is dead to everybody.
func (s *scan) Kill() { s.killed = append(s.killed, s.cur) }

// flushKilled marks the killed entries dead whose page is as it was when they were read: else a TID may mean another row now.
func (s *scan) flushKilled() {
	for rest := s.killed; len(rest) > 0; {
		at := s.items[rest[0]].page
		n := 1
		for n < len(rest) && s.items[rest[n]].page == at {
			n++
		}
		s.markDead(s.pages[at], rest[:n])
		rest = rest[n:]
	}
	s.killed = s.killed[:0]
}

func (s *scan) markDead(rp readPage, killed []int) {
	b, err := s.ix.pin(rp.block)
	if err != nil {
		return // a hint only
	}
	b.LockShared()
	defer b.UnlockUnpin()
	if b.Version() != rp.version {
		return
	}
	for _, i := range killed {
		b.SetHint(page.ItemOffset(s.items[i].off), page.DeadHint)
	}
	b.SetHint(offFlags, flagHasDead)
}

// Mark remembers the present match, Restore goes back to it.
func (s *scan) Mark() { s.mark = s.cur }

func (s *scan) Restore() error {
	s.cur = s.mark
	return nil
}

// Bitmap gives all TIDs to sink.
func (s *scan) Bitmap(sink index.TIDSink) (int64, error) {
	s.sink, s.total = sink, 0
	defer func() { s.sink = nil }()
	for !s.isDone {
		if err := s.more(); err != nil {
			return s.total, err
		}
	}
	return s.total, nil
}
