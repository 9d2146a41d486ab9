package hash

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
)

// cleaned counts what was found in a bucket: entries that count in the index, removed or kept.
type cleaned struct{ removed, kept int64 }

// cleanBucket removes the entries of dead rows (dead may be nil) and those that a split has copied elsewhere, then squeezes the bucket. The caller has its
// cleanup lock and keeps it throughout.
func (ix *Index) cleanBucket(primary buffer.Buf, m *meta, dead func(types.TID) bool, w *work) (r cleaned, err error) {
	leftovers := flags(primary.Page())&flagNeedsCleanup != 0
	if leftovers {
		ix.sh.epoch(bucketOf(primary.Page())).Add(1)
	}
	changed := false
	err = ix.eachPage(primary, w, func(b buffer.Buf) error {
		n, err := ix.deleteDead(b, m, leftovers, dead, &r, w)
		changed = changed || n > 0
		return err
	})
	if err != nil {
		return r, err
	}
	if leftovers {
		c := ix.am.pool.NewChange()
		defer c.Release()
		setFlags(primary.Edit(), 0, flagNeedsCleanup)
		c.Add(primary)
		if err := ix.apply(c, stepClearCleanup); err != nil {
			return r, err
		}
	}
	if changed {
		err = ix.squeeze(primary, w)
	}
	return r, err
}

// deleteDead removes from a latched page the entries of dead rows, and with leftovers those of another bucket; it gives the number of all that went.
func (ix *Index) deleteDead(b buffer.Buf, m *meta, leftovers bool, dead func(types.TID) bool, r *cleaned, w *work) (int, error) {
	p := b.Page()
	bucket := bucketOf(p)
	counted := int64(0)
	w.offs = w.offs[:0]
	for off, n := uint16(1), page.MaxOffset(p); off <= n; off++ {
		t := entryAt(p, off)
		switch {
		case t == nil:
			return 0, ix.corrupted(b.Block())
		case m.bucket(hashAt(t)) != bucket:
			if leftovers {
				w.offs = append(w.offs, off)
			}
		case dead != nil && dead(t.TID()):
			w.offs = append(w.offs, off)
			counted++
		default:
			r.kept++
		}
	}
	if len(w.offs) == 0 {
		return 0, nil
	}
	if err := page.IndexMultiDelete(b.Edit(), w.offs); err != nil {
		return 0, err
	}
	c := ix.am.pool.NewChange()
	defer c.Release()
	c.Add(b)
	if counted > 0 {
		c.AddCount(ix.sh.rel, -counted)
	}
	if err := ix.apply(c, stepDelete); err != nil {
		return 0, err
	}
	ix.sh.count.add(w.stripe, -counted)
	ix.sh.forgetTail(bucket)
	r.removed += counted
	return len(w.offs), nil
}

// squeeze moves entries from a bucket's last pages into room on its first ones and frees the pages that become empty. The caller has the bucket's
// cleanup lock: nobody else is in the chain.
func (ix *Index) squeeze(primary buffer.Buf, w *work) error {
	was := w.g.n
	defer func() { w.g.dropTo(was) }()
	blocks, err := ix.chain(primary, w)
	if err != nil || len(blocks) == 0 {
		return err
	}
	bucket := bucketOf(primary.Page())
	ix.sh.epoch(bucket).Add(1)
	ix.sh.forgetTail(bucket)
	s := squeezer{ix: ix, w: w, blocks: blocks, to: primary, primary: primary, at: -1}
	for last := len(blocks) - 1; last > s.at; last-- {
		if done, err := s.empty(last); err != nil || done {
			return err
		}
	}
	return nil
}

// chain gives the blocks of a bucket's overflow pages.
func (ix *Index) chain(primary buffer.Buf, w *work) (blocks []uint32, err error) {
	err = ix.eachPage(primary, w, func(b buffer.Buf) error {
		if b != primary {
			blocks = append(blocks, b.Block())
		}
		return nil
	})
	return blocks, err
}

// squeezer is a squeeze of one bucket.
type squeezer struct {
	ix      *Index
	w       *work
	blocks  []uint32
	primary buffer.Buf
	to      buffer.Buf // the page that is being filled: the primary one (at = -1) or blocks[at], latched
	at      int
}

// empty moves the entries of the last page, blocks[last], to s.to and those behind, and frees it. done = true when s.to comes up against it.
func (s *squeezer) empty(last int) (done bool, err error) {
	ix, w := s.ix, s.w
	from, err := ix.lockOverflow(s.blocks[last], bucketOf(s.primary.Page()), w)
	if err != nil {
		return false, err
	}
	defer func() {
		if err == nil {
			w.g.drop(from)
		}
	}()
	if err := ix.readEntries(from, w); err != nil {
		return false, err
	}
	for es := w.batch; ; {
		n := room(s.to.Page())
		if n >= len(es) {
			return false, s.free(last, from, es)
		}
		if n > 0 {
			if err := ix.moveEntries(from, s.to, es[:n], w); err != nil {
				return false, err
			}
			es = es[n:]
		}
		if s.at+1 == last {
			return true, nil
		}
		if s.to != s.primary {
			w.g.drop(s.to)
		}
		s.at++
		if s.to, err = ix.lockOverflow(s.blocks[s.at], bucketOf(s.primary.Page()), w); err != nil {
			return false, err
		}
	}
}

// free frees the page from, which is blocks[last], with its last entries es going to s.to.
func (s *squeezer) free(last int, from buffer.Buf, es []entry) (err error) {
	prev := s.to
	if last-1 != s.at {
		if prev, err = s.ix.lockOverflow(s.blocks[last-1], bucketOf(s.primary.Page()), s.w); err != nil {
			return err
		}
		defer s.w.g.drop(prev)
	}
	return s.ix.freeOverflow(from, prev, s.to, es, s.w)
}

// readEntries copies all entries of a latched page to w.batch.
func (ix *Index) readEntries(b buffer.Buf, w *work) error {
	p := b.Page()
	w.batch = w.batch[:0]
	for off, n := uint16(1), page.MaxOffset(p); off <= n; off++ {
		t := entryAt(p, off)
		if t == nil {
			return ix.corrupted(b.Block())
		}
		w.batch = append(w.batch, read(t))
	}
	return nil
}

// moveEntries moves the first entries of a page, which es are, to another one.
func (ix *Index) moveEntries(from, to buffer.Buf, es []entry, w *work) error {
	w.offs = w.offs[:0]
	for i := range es {
		w.offs = append(w.offs, uint16(i+1))
	}
	if err := page.IndexMultiDelete(from.Edit(), w.offs); err != nil {
		return err
	}
	if err := ix.addEntries(to, es, w); err != nil {
		return err
	}
	c := ix.am.pool.NewChange()
	defer c.Release()
	c.Add(to)
	c.Add(from)
	return ix.apply(c, stepMove)
}
