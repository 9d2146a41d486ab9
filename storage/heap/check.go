package heap

import (
	"errors"
	"fmt"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/tuple"
	"github.com/calfdb/calf/storage/xact"
)

// MaskHints takes what is not logged out of a heap page, for comparing memory with the store (buffer.Pool.Check): hint bits, and what stands in
// unused space and in the padding behind tuples, which the store may give back as zero.
func MaskHints(id pagestore.PageID, p []byte) {
	if id.Fork != pagestore.MainFork && id.Fork != toastFork || page.IsNew(p) {
		return
	}
	clear(p[page.Lower(p):page.Upper(p)])
	for off := uint16(1); off <= page.MaxOffset(p); off++ {
		if it, ok := normalItem(p, off); ok && it.Len() >= headerSize {
			at := it.Off() + offInfomask
			le.PutUint16(p[at:], le.Uint16(p[at:])&^hintBits)
			clear(p[it.Off()+it.Len() : it.Off()+page.Align(it.Len())])
		}
	}
}

// Check verifies the structure of a relation: line pointers, headers, HOT chains, transaction ids, wide values, and that the visibility map promises
// nothing that is not so. Nobody may change the relation meanwhile. maxErrors bounds what is reported; 0 = 100.
func (r *Relation) Check(maxErrors int) error {
	if maxErrors == 0 {
		maxErrors = 100
	}
	c := checker{r: r, left: maxErrors, next: r.e.xm.NextXID(), seen: make(map[types.TID]bool)}
	for b := uint32(0); b < r.main.NumBlocks() && c.left > 0; b++ {
		if err := c.block(b); err != nil {
			return err
		}
	}
	if err := c.mapEnd(); err != nil {
		return err
	}
	if c.left > 0 {
		if err := c.lostValues(); err != nil {
			return err
		}
	}
	return errors.Join(c.errs...)
}

type checker struct {
	r    *Relation
	errs []error
	left int
	next xact.XID
	at   uint32
	p    []byte
	wide []toastPointer // to be read when the page's latch is gone
	seen map[types.TID]bool
	pred [page.MaxHeapTuples + 1]uint16
}

func (c *checker) fail(off uint16, format string, args ...any) {
	if c.left--; c.left >= 0 {
		c.errs = append(c.errs, fmt.Errorf("relation %q, (%d,%d): %s", c.r.Name, c.at, off, fmt.Sprintf(format, args...)))
	}
}

func (c *checker) block(b uint32) error {
	buf, err := c.r.main.Pin(b)
	if err != nil {
		return err
	}
	buf.LockShared()
	c.at, c.p, c.wide = b, copyPage(c.p, buf.Page()), c.wide[:0]
	buf.UnlockUnpin()
	if !page.IsNew(c.p) {
		if err := page.Check(c.p); err != nil {
			c.fail(0, "%v", err)
			return nil
		}
		c.items()
	}
	if err := c.visibility(); err != nil {
		return err
	}
	for _, w := range c.wide {
		c.seen[w.tid] = true
		if _, err := c.r.readValue(w); err != nil {
			c.fail(0, "%v", err)
		}
	}
	return nil
}

// items checks line pointers and tuples. pred[off] is who points at a heap-only tuple.
func (c *checker) items() {
	n := page.MaxOffset(c.p)
	if n > page.MaxHeapTuples {
		c.fail(0, "%d line pointers", n)
		return
	}
	clear(c.pred[:])
	for off := uint16(1); off <= n; off++ {
		switch id := page.Item(c.p, off); id.State() {
		case page.Redirect:
			c.redirect(off, id)
		case page.Normal:
			c.tuple(off, id)
		}
	}
	for off := uint16(1); off <= n; off++ {
		if id := page.Item(c.p, off); id.State() == page.Normal {
			t := tupleAt(c.p, id)
			if t.h.isHeapOnly() && c.pred[off] == 0 && t.xminStatus(c.r.e.xm, t.infomask()) != xact.Aborted {
				c.fail(off, "a heap-only tuple that nothing points at")
			}
		}
	}
}

func (c *checker) redirect(off uint16, id page.ItemID) {
	to := uint16(id.Off())
	target, ok := normalItem(c.p, to)
	if !ok {
		c.fail(off, "redirect to %d, which is no tuple", to)
		return
	}
	if !header(page.ItemBytes(c.p, target)).isHeapOnly() {
		c.fail(off, "redirect to %d, which is not heap-only", to)
	}
	c.point(off, to)
}

func (c *checker) point(from, to uint16) {
	if c.pred[to] != 0 {
		c.fail(to, "both %d and %d point at it", c.pred[to], from)
	}
	c.pred[to] = from
}

func (c *checker) tuple(off uint16, id page.ItemID) {
	h := header(page.ItemBytes(c.p, id))
	l := c.r.Layout
	if len(h) < headerSize+1 || h.hoff() > len(h) || h.hoff()&7 != 0 || h.natts() > l.NumAttrs() {
		c.fail(off, "malformed header: %d bytes, data at %d, %d columns", len(h), h.hoff(), h.natts())
		return
	}
	if h.infomask()&hasNull != 0 && h.hoff() < headerSize+tuple.BitmapLen(h.natts()) {
		c.fail(off, "null bitmap does not fit before %d", h.hoff())
		return
	}
	t := tupleAt(c.p, id)
	if t.xmin() >= c.next || t.xmax() >= c.next {
		c.fail(off, "xmin %d, xmax %d, but the next transaction is %d", t.xmin(), t.xmax(), c.next)
		return
	}
	c.values(off, h)
	m := c.r.e.xm
	if t.xminStatus(m, t.infomask()) == xact.Aborted || t.xmaxStatus(m, t.infomask()) == xact.Aborted {
		return
	}
	if h.infomask2()&hotUpdated != 0 {
		c.hotLink(off, &t)
	}
}

// hotLink checks the next member of a HOT chain.
func (c *checker) hotLink(off uint16, t *tup) {
	to := t.h.ctid()
	if to.Block != c.at {
		c.fail(off, "HOT-updated to another page, (%d,%d)", to.Block, to.Off)
		return
	}
	id, ok := normalItem(c.p, to.Off)
	if !ok {
		c.fail(off, "HOT-updated to %d, which is no tuple", to.Off)
		return
	}
	next := tupleAt(c.p, id)
	if !next.h.isHeapOnly() || next.xmin() != t.xmax() {
		c.fail(off, "HOT-updated to %d by %d, which is heap-only: %v, of %d", to.Off, t.xmax(), next.h.isHeapOnly(), next.xmin())
		return
	}
	c.point(off, to.Off)
}

// values walks over the columns, and remembers the wide values of tuples that somebody may see.
func (c *checker) values(off uint16, h header) {
	defer func() {
		if e := recover(); e != nil {
			c.fail(off, "columns reach over the tuple's end: %v", e)
		}
	}()
	st := h.stored()
	if n := st.NAtts; n > 0 {
		c.r.Layout.Locate(&st, n-1)
	}
	id, _ := normalItem(c.p, off)
	t := tupleAt(c.p, id)
	if t.vacuumState(c.r.e.xm, c.r.e.xm.Horizon()) != vacDead {
		c.wide = append(c.wide, c.r.pointers(h)...)
	}
}

// visibility checks the page's mark and its bits in the visibility map.
func (c *checker) visibility() error {
	var vm VMReader
	defer vm.Close()
	visible, frozen, err := vm.Bits(c.r, c.at)
	if err != nil {
		return err
	}
	marked := !page.IsNew(c.p) && page.Flags(c.p)&page.AllVisible != 0
	if visible && !marked {
		c.fail(0, "the visibility map says all-visible, the page does not")
	}
	if frozen && !visible {
		c.fail(0, "all-frozen but not all-visible")
	}
	if !marked {
		return nil
	}
	m := c.r.e.xm
	for off := uint16(1); off <= page.MaxOffset(c.p); off++ {
		id := page.Item(c.p, off)
		if id.State() == page.Dead {
			c.fail(off, "a dead line pointer on an all-visible page")
		}
		if id.State() != page.Normal {
			continue
		}
		t := tupleAt(c.p, id)
		if s, _ := t.vacuumStateXmax(m); s != vacLive {
			c.fail(off, "not visible to all on an all-visible page")
		}
		if frozen && t.infomask()&xminFrozen != xminFrozen {
			c.fail(off, "not frozen on an all-frozen page")
		}
	}
	return nil
}

// lostValues checks that each live value out of line belongs to a tuple.
func (c *checker) lostValues() error {
	for b := uint32(0); b < c.r.toast.NumBlocks(); b++ {
		buf, err := c.r.toast.Pin(b)
		if err != nil {
			return err
		}
		buf.LockShared()
		c.p = copyPage(c.p, buf.Page())
		buf.UnlockUnpin()
		for off := uint16(1); off <= page.MaxOffset(c.p); off++ {
			id, ok := normalItem(c.p, off)
			if !ok {
				continue
			}
			t := tupleAt(c.p, id)
			tid := types.TID{Block: b, Off: off}
			if state, _ := t.vacuumStateXmax(c.r.e.xm); state == vacLive && !t.h.isHeapOnly() && !c.seen[tid] {
				c.at = b
				c.fail(off, "a wide value that no tuple has")
			}
		}
	}
	return nil
}

// mapEnd checks that the visibility map says nothing of blocks behind the relation's end.
func (c *checker) mapEnd() error {
	var vm VMReader
	defer vm.Close()
	n := c.r.main.NumBlocks()
	for b := n; b < min(n+vmPerPage, c.r.vm.NumBlocks()*vmPerPage); b++ {
		if visible, _, err := vm.Bits(c.r, b); err != nil || visible {
			if err == nil {
				err = fmt.Errorf("relation %q: the visibility map has a bit for block %d of %d", c.r.Name, b, n)
			}
			return err
		}
	}
	return nil
}
