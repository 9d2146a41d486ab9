package hash

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
)

// Insert adds an entry; a null has none. Equal values are nobody's business here: hash indexes are not unique.
func (ix *Index) Insert(a *index.InsertArgs) (isUnique bool, err error) {
	v := a.Values[0]
	if v.IsNull() {
		return true, nil
	}
	e := entry{hash: ix.hash(v), tid: a.TID}
	if err := ix.am.pool.Store().Admit(a.Cancel, false); err != nil {
		return false, err
	}
	w := ix.am.getWork(a.Cancel)
	defer ix.am.putWork(w)
	grew, err := ix.insert(e, w)
	if err != nil {
		return false, err
	}
	if grew || ix.sh.owed.Load() {
		err = ix.expand(w)
	}
	return true, err
}

// insert puts an entry into its bucket. grew: an overflow page was added.
func (ix *Index) insert(e entry, w *work) (grew bool, err error) {
	defer w.g.dropAll()
	mayResume := true
	for {
		m, primary, err := ix.lockBucket(e.hash, w)
		if err != nil {
			return false, err
		}
		if fl := flags(primary.Page()); fl&flagBeingSplit != 0 && mayResume && primary.SolePin() {
			if _, err := ix.resumeSplit(primary, w); err != nil {
				return false, err
			}
			w.g.dropAll()
			mayResume = false
			continue
		}
		return ix.insertInChain(primary, m, e, w)
	}
}

// lockBucket latches the primary page of a hash code's bucket exclusively. m maps the code rightly as long as the page is pinned.
func (ix *Index) lockBucket(h uint32, w *work) (m *meta, primary buffer.Buf, err error) {
	if m, err = ix.meta(); err != nil {
		return nil, primary, err
	}
	for {
		bucket := m.bucket(h)
		if primary, err = ix.pin(m.block(bucket)); err != nil {
			return nil, primary, err
		}
		if err = w.g.lock(primary, w.cancel); err != nil {
			return nil, primary, err
		}
		if err = ix.checkBucket(primary, flagBucket, bucket); err != nil {
			return nil, primary, err
		}
		if stamp(primary.Page()) <= m.maxBucket {
			return m, primary, nil
		}
		w.g.drop(primary)
		if m, err = ix.newerMeta(m); err != nil {
			return nil, primary, err
		}
	}
}

// newerMeta gives a copy of the metapage that is newer than m, whose bucket was split meanwhile. The new copy was there before the split let go of
// the bucket; a stamp from the future is damage.
func (ix *Index) newerMeta(m *meta) (*meta, error) {
	n := ix.sh.meta.Load()
	if n.maxBucket <= m.maxBucket {
		return nil, ix.corrupted(metaBlock)
	}
	return n, nil
}

// insertInChain puts an entry on the first page of a bucket with room for it, or on a new one. primary is latched; its pin keeps splits and squeezes
// away, so pages of the chain stay where they are.
func (ix *Index) insertInChain(primary buffer.Buf, m *meta, e entry, w *work) (grew bool, err error) {
	bucket := bucketOf(primary.Page())
	mayClean := flags(primary.Page())&(flagBeingSplit|flagPopulated) == 0
	b := primary
	for hops := uint32(0); ; hops++ {
		if hops > ix.sh.rel.NumBlocks() {
			return false, ix.corrupted(b.Block()) // the chain goes round
		}
		p := b.Page()
		switch {
		case room(p) > 0:
			return false, ix.insertOnPage(b, e, 0, w)
		case mayClean && flags(p)&flagHasDead != 0:
			n, err := ix.removeKilled(b, m, w)
			if err != nil {
				return false, err
			}
			if room(p) > 0 {
				return false, ix.insertOnPage(b, e, n, w)
			}
		}
		next := nextOf(p)
		if next == noBlock {
			return true, ix.addOverflow(b, []entry{e}, 1, stepAddOverflow, w)
		}
		if b == primary {
			w.g.unlock(b)
			b, err = ix.tailHint(bucket, w)
			if b.Valid() || err != nil {
				if err != nil {
					return false, err
				}
				continue
			}
		} else {
			w.g.drop(b)
		}
		if b, err = ix.lockOverflow(next, bucket, w); err != nil {
			return false, err
		}
	}
}

// lockOverflow latches an overflow page of a bucket exclusively.
func (ix *Index) lockOverflow(block, bucket uint32, w *work) (b buffer.Buf, err error) {
	if b, err = ix.pin(block); err != nil {
		return b, err
	}
	if w.g.find(b) >= 0 {
		b.Unpin()
		return b, ix.corrupted(block) // a link to a page that we have already
	}
	if err = w.g.lock(b, w.cancel); err != nil {
		return b, err
	}
	return b, ix.checkBucket(b, flagOverflow, bucket)
}

// tailHint latches the page where the last insertion into a long chain found room, if it is known and still of the bucket; else the Buf is not valid.
func (ix *Index) tailHint(bucket uint32, w *work) (b buffer.Buf, err error) {
	v := ix.sh.tail(bucket).Load()
	if uint32(v>>32) != bucket || uint32(v) == 0 {
		return buffer.Buf{}, nil
	}
	if b, err = ix.pin(uint32(v)); err != nil {
		return buffer.Buf{}, err
	}
	if err = w.g.lock(b, w.cancel); err != nil {
		return buffer.Buf{}, err
	}
	if p := b.Page(); page.IsNew(p) || flags(p)&flagOverflow == 0 || bucketOf(p) != bucket || ix.checkPage(b, flagOverflow) != nil {
		w.g.drop(b)
		return buffer.Buf{}, nil
	}
	return b, nil
}

func (sh *shared) setTail(bucket, block uint32) {
	v := uint64(bucket)<<32 | uint64(block)
	if t := sh.tail(bucket); t.Load() != v {
		t.Store(v)
	}
}

// forgetTail is called when room appears elsewhere in a bucket's chain.
func (sh *shared) forgetTail(bucket uint32) { sh.tail(bucket).Store(0) }

// insertOnPage puts an entry on a latched page with room. removed entries went from it in the same change.
func (ix *Index) insertOnPage(b buffer.Buf, e entry, removed int64, w *work) error {
	if err := ix.addEntry(b, e, w); err != nil {
		return err
	}
	c := ix.am.pool.NewChange()
	defer c.Release()
	c.Add(b)
	c.AddCount(ix.sh.rel, 1-removed)
	if err := ix.apply(c, stepInsert); err != nil {
		return err
	}
	s := &ix.sh.count.stripes[w.stripe]
	s.entries.Add(1 - removed)
	s.inserts.Add(1)
	if p := b.Page(); flags(p)&flagOverflow != 0 {
		ix.sh.setTail(bucketOf(p), b.Block())
	}
	return nil
}

// addEntry puts an entry at its place on a page that is being edited. As in PostgreSQL, before those with the same hash code.
func (ix *Index) addEntry(b buffer.Buf, e entry, w *work) error {
	off, ok := search(b.Page(), e.hash)
	if !ok {
		return ix.corrupted(b.Block())
	}
	at, err := page.AddItem(b.Edit(), e.put(&w.tuple), off, 0)
	if err == nil && at == 0 {
		err = pgerr.Internal("failed to add index item to \"%s\"", ix.def.Name)
	}
	return err
}

// addEntries puts entries on a page.
func (ix *Index) addEntries(b buffer.Buf, es []entry, w *work) error {
	for _, e := range es {
		if err := ix.addEntry(b, e, w); err != nil {
			return err
		}
	}
	return nil
}

// removeKilled takes entries off a latched page that scans found dead, as part of the edit in progress, and gives the number of those that count. No scan
// minds: entries of others stay on their page.
func (ix *Index) removeKilled(b buffer.Buf, m *meta, w *work) (counted int64, err error) {
	p := b.Page()
	w.offs = w.offs[:0]
	for off, n := uint16(1), page.MaxOffset(p); off <= n; off++ {
		t := entryAt(p, off)
		if t == nil {
			return 0, ix.corrupted(b.Block())
		}
		if !isDead(p, off) {
			continue
		}
		w.offs = append(w.offs, off)
		if m.bucket(hashAt(t)) == bucketOf(p) {
			counted++ // else it is a split's leftover, which was counted in the new bucket
		}
	}
	e := b.Edit()
	setFlags(e, 0, flagHasDead)
	if len(w.offs) == 0 {
		return 0, nil
	}
	return counted, page.IndexMultiDelete(e, w.offs)
}
