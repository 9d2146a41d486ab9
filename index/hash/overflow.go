package hash

import (
	"math/bits"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
)

// A bitmap page has a bit for each overflow page, 1 = in use. Bits of pages that do not exist yet are 1 too.

const offBits = page.HeaderSize

// initBitmap makes a page a bitmap page with all bits set.
func initBitmap(e *page.Edit) {
	initPage(e, noBlock, noBlock, noBucket, flagBitmap)
	e.Fill(offBits, bitmapBytes, 0xff)
	e.Put16(page.OffLower, offBits+bitmapBytes)
}

// firstFree gives the first zero bit of a bitmap page in [from, to). ok = false when there is none.
func firstFree(p []byte, from, to uint32) (bit uint32, ok bool) {
	for bit = from; bit < to; {
		w := le.Uint32(p[offBits+bit/32*4:]) | (1<<(bit%32) - 1)
		if w != 1<<32-1 {
			bit = bit&^31 + uint32(bits.TrailingZeros32(^w))
			return bit, bit < to
		}
		bit = bit&^31 + 32
	}
	return 0, false
}

func isUsed(p []byte, bit uint32) bool { return p[offBits+bit/8]&(1<<(bit%8)) != 0 }

func setUsed(e *page.Edit, bit uint32, used bool) {
	at := int(offBits + bit/8)
	v := e.Page()[at]
	if used {
		v |= 1 << (bit % 8)
	} else {
		v &^= 1 << (bit % 8)
	}
	e.Put8(at, v)
}

// addOverflow adds an overflow page behind the latched last page of a chain, with entries on it, of which counted are new in the index: one Apply of the
// last page, the new one, the bitmap and the metapage. It and what it does with the metapage is all that an insertion ever does there.
func (ix *Index) addOverflow(last buffer.Buf, es []entry, counted int64, s step, w *work) error {
	was := w.g.n
	defer func() { w.g.dropTo(was) }()
	c := ix.am.pool.NewChange()
	defer c.Release()
	old := ix.sh.meta.Load()
	hint := old.firstFree
	bitmap, bit, err := ix.findFree(w)
	if err != nil {
		return err
	}
	metaBuf, old, err := ix.lockMeta(w)
	if err != nil {
		return err
	}
	m := *old
	var b buffer.Buf
	if bitmap.Valid() {
		if b, err = ix.lockUnused(m.overflowBlock(bit), w); err != nil {
			return err
		}
		setUsed(bitmap.Edit(), bit&bitmapMask, true)
		c.Add(bitmap)
	} else if b, bit, err = ix.extend(&m, c, w); err != nil {
		return err
	}
	if old.firstFree == hint || !bitmap.Valid() && bit == old.firstFree {
		m.firstFree = bit + 1
	}
	bucket := bucketOf(last.Page())
	initPage(b.Edit(), last.Block(), noBlock, bucket, flagOverflow)
	last.Edit().Put32(offNext, b.Block())
	if err := ix.addEntries(b, es, w); err != nil {
		return err
	}
	m.edit(metaBuf.Edit(), old, ix.sh.count.sum()+counted)
	c.Add(last)
	c.Add(b)
	c.Add(metaBuf)
	if counted != 0 {
		c.AddCount(ix.sh.rel, counted)
	}
	if err := ix.apply(c, s); err != nil {
		return err
	}
	ix.sh.meta.Store(&m)
	ix.sh.stats.overflowAdded.Add(1)
	if counted != 0 {
		st := &ix.sh.count.stripes[w.stripe]
		st.entries.Add(counted)
		st.inserts.Add(uint64(counted))
	}
	if flags(last.Page())&flagOverflow != 0 {
		ix.sh.setTail(bucket, b.Block())
	}
	return nil
}

// findFree looks for a page that was freed: the bitmap page is latched then, and the bit is the absolute one. An invalid Buf: none is known.
func (ix *Index) findFree(w *work) (bitmap buffer.Buf, bit uint32, err error) {
	m := ix.sh.meta.Load()
	n := m.overflowPages()
	for from := m.firstFree; from < n; from = from&^bitmapMask + bitmapMask + 1 {
		b, err := ix.pin(m.mapp[from>>bitmapShift])
		if err != nil {
			return b, 0, err
		}
		if err := w.g.lock(b, w.cancel); err != nil {
			return b, 0, err
		}
		if err := ix.checkPage(b, flagBitmap); err != nil {
			return b, 0, err
		}
		base := from &^ bitmapMask
		if bit, ok := firstFree(b.Page(), from-base, min(n-base, bitmapMask+1)); ok {
			return b, base + bit, nil
		}
		w.g.drop(b)
	}
	return buffer.Buf{}, 0, nil
}

// lockUnused latches an overflow page that the bitmap says is free. Nobody else can want it.
func (ix *Index) lockUnused(block uint32, w *work) (b buffer.Buf, err error) {
	if b, err = ix.pin(block); err != nil {
		return b, err
	}
	if err = w.g.lock(b, w.cancel); err != nil {
		return b, err
	}
	if p := b.Page(); !page.IsNew(p) && flags(p)&flagType != flagUnused {
		return b, ix.corrupted(block)
	}
	return b, nil
}

// extend adds an overflow page at the index's end to m, the coming metapage, and a bitmap page before it when its bit needs one.
func (ix *Index) extend(m *meta, c *buffer.Change, w *work) (b buffer.Buf, bit uint32, err error) {
	bit = m.overflowPages()
	if bit&bitmapMask == 0 {
		if len(m.mapp) >= maxBitmaps {
			return b, 0, pgerr.New(pgerr.ProgramLimitExceeded, "out of overflow pages in hash index \"%s\"", ix.def.Name)
		}
		block := m.overflowBlock(bit)
		bitmap, err := ix.lockNew(block, w)
		if err != nil {
			return b, 0, err
		}
		initBitmap(bitmap.Edit())
		c.Add(bitmap)
		m.mapp = append(m.mapp, block)
		m.spares[m.ovflPoint]++
		bit++
	}
	if b, err = ix.lockNew(m.overflowBlock(bit), w); err != nil {
		return b, 0, err
	}
	m.spares[m.ovflPoint]++
	return b, bit, nil
}

// lockNew latches a block behind all that were used.
func (ix *Index) lockNew(block uint32, w *work) (b buffer.Buf, err error) {
	ix.sh.rel.Reserve(block + 1)
	return ix.lockUnused(block, w)
}

// freeOverflow frees the last page of a chain: its entries go to an earlier one, all in one Apply with the link to it, the bitmap and the metapage. The caller has the
// bucket's cleanup lock and all three pages latched; to may be prev.
func (ix *Index) freeOverflow(last, prev, to buffer.Buf, es []entry, w *work) error {
	was := w.g.n
	defer func() { w.g.dropTo(was) }()
	m := ix.sh.meta.Load()
	bit, ok := m.overflowBit(last.Block())
	if !ok || int(bit>>bitmapShift) >= len(m.mapp) {
		return pgerr.New(pgerr.InvalidParameterValue, "invalid overflow block number %d", last.Block())
	}
	bitmap, err := ix.pin(m.mapp[bit>>bitmapShift])
	if err != nil {
		return err
	}
	if err := w.g.lock(bitmap, w.cancel); err != nil {
		return err
	}
	if err := ix.checkPage(bitmap, flagBitmap); err != nil {
		return err
	}
	if !isUsed(bitmap.Page(), bit&bitmapMask) {
		return ix.corrupted(bitmap.Block())
	}
	metaBuf, old, err := ix.lockMeta(w)
	if err != nil {
		return err
	}
	next := *old
	next.firstFree = min(next.firstFree, bit)
	c := ix.am.pool.NewChange()
	defer c.Release()
	if err := ix.addEntries(to, es, w); err != nil {
		return err
	}
	prev.Edit().Put32(offNext, noBlock)
	initPage(last.Edit(), noBlock, noBlock, noBucket, flagUnused)
	setUsed(bitmap.Edit(), bit&bitmapMask, false)
	next.edit(metaBuf.Edit(), old, ix.sh.count.sum())
	for _, b := range [...]buffer.Buf{to, prev, last, bitmap, metaBuf} {
		c.Add(b)
	}
	if err := ix.apply(c, stepFreeOverflow); err != nil {
		return err
	}
	ix.sh.meta.Store(&next)
	ix.sh.stats.overflowFreed.Add(1)
	return nil
}
