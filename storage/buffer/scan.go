package buffer

import "github.com/calfdb/calf/storage/pagestore"

// readAhead is the number of blocks that a scan reads at once.
const readAhead = 32

// ringFrames is the size of a big scan's ring: two windows of read-ahead, 512 kB.
const ringFrames = 2 * readAhead

// Scan reads a relation in ascending order of blocks, reading ahead. A big one (more than a quarter of the pool) uses a ring of frames again and again,
// so that it does not push out what others need. Not for concurrent use; it holds no pins and needs no end.
type Scan struct {
	r      *Rel
	isRing bool
	ring   []uint32
	at     int
}

// NewScan returns a scan of the relation.
func (r *Rel) NewScan() *Scan {
	s := new(Scan)
	s.Reset(r)
	return s
}

// Reset makes a scan, new or used, one of the relation.
func (s *Scan) Reset(r *Rel) {
	s.r, s.at, s.ring = r, 0, s.ring[:0]
	s.isRing = uint64(r.NumBlocks()) > uint64(len(r.p.frames)/4)
}

// Pin returns a block as Rel.Pin does, and reads those behind it when it was not resident.
func (s *Scan) Pin(block uint32) (Buf, error) {
	r, p := s.r, s.r.p
	limit := uint32(maxUsage)
	if s.isRing {
		limit = 1
	}
	slot := r.slot(block)
	for {
		if i := slot.Load(); i != 0 {
			f := &p.frames[i-1]
			st := f.state.Add(onePin)
			if (st&stBusy == 0 || p.settlePin(i-1, st)) && slot.Load() == i {
				f.touch(limit)
				return Buf{p, i - 1}, nil
			}
			p.unpin(i - 1)
			continue
		}
		b, ok, err := s.readWindow(block)
		if ok || err != nil {
			return b, err
		}
	}
}

// victim returns a frame as Pool.victim does, from the ring if it can.
func (s *Scan) victim() (uint32, error) {
	p := s.r.p
	if !s.isRing {
		return p.victim()
	}
	if len(s.ring) < min(ringFrames, len(p.frames)/8) {
		i, err := p.victim()
		if err == nil {
			s.ring = append(s.ring, i)
		}
		return i, err
	}
	at := s.at
	s.at = (at + 1) % len(s.ring)
	if i := s.ring[at]; p.tryEvict(i, 1) {
		return i, nil
	}
	i, err := p.victim()
	if err == nil {
		s.ring[at] = i
	}
	return i, err
}

// window is what readWindow has reserved: frames marked as read in progress, before it reads.
type window struct {
	r     *Rel
	first uint32
	n     uint32
	frame [readAhead]uint32 // frame number + 1, 0 = somebody else has the block
}

// readWindow reads the block, which is not mapped, and those behind it that are not. ok = false when somebody else has mapped it meanwhile.
func (s *Scan) readWindow(block uint32) (b Buf, ok bool, err error) {
	r, p := s.r, s.r.p
	if err := r.checkBlock(block); err != nil {
		return Buf{}, false, err
	}
	w := window{r: r, first: block}
	limit := min(readAhead, r.blocks.Load()-block, max(uint32(len(p.frames)/16), 1))
	for ; w.n < limit; w.n++ {
		if r.slot(block+w.n).Load() != 0 {
			if w.n == 0 {
				return Buf{}, false, nil
			}
			continue
		}
		i, verr := s.victim()
		if verr != nil {
			if w.n == 0 {
				return Buf{}, false, verr
			}
			break
		}
		if p.beginRead(i, r, block+w.n) {
			w.frame[w.n] = i + 1
		} else if w.n == 0 {
			return Buf{}, false, nil
		}
	}
	i := w.frame[0] - 1
	if err := w.read(); err != nil {
		return Buf{}, false, err
	}
	p.frames[i].touch(1)
	return Buf{p, i}, true, nil
}

// read fills all reserved frames and ends their reads. The first keeps its pin unless its error is returned.
func (w *window) read() error {
	r, p := w.r, w.r.p
	next := uint32(0) // the first block of the window that is not finished
	var firstErr error
	finish := func(at uint32, m pagestore.Meta, err error) {
		if w.frame[at] == 0 {
			return
		}
		i := w.frame[at] - 1
		if at == 0 {
			firstErr = err
		}
		p.stats.Reads.Add(1)
		p.endRead(i, m, err)
		if at > 0 || err != nil {
			if err == nil {
				p.frames[i].touch(1) // else the ring or the sweep may take it before the scan comes to it
			}
			p.unpin(i)
		}
	}
	missing := func(to uint32, err error) {
		for ; next < to; next++ {
			if w.frame[next] != 0 && err == nil {
				clear(p.page(w.frame[next] - 1))
			}
			finish(next, pagestore.Meta{}, err)
		}
	}
	err := r.store.ReadRange(r.id.Page(r.fork, w.first), w.n, func(block uint32, value []byte) error {
		at := block - w.first
		missing(at, nil)
		next = at + 1
		if w.frame[at] == 0 {
			return nil
		}
		m, err := pagestore.DecodePage(r.id.Page(r.fork, block), value, p.page(w.frame[at]-1))
		finish(at, m, err) // a damaged page is the error of who wants it
		return nil
	})
	missing(w.n, err)
	return firstErr
}
