package heap

import (
	"slices"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/tuple"
	"github.com/calfdb/calf/storage/xact"
)

const (
	pageSize = page.Size
	// MaxTupleSize is the largest tuple that fits a page.
	MaxTupleSize = page.Size - (page.HeaderSize+page.ItemIDSize+7)&^7
	// toastThreshold is the size from which wide columns are moved out of line: four tuples a page, as PostgreSQL's.
	toastThreshold = ((page.Size - (page.HeaderSize+4*page.ItemIDSize+7)&^7) / 4) &^ 7
	// maxColumns is the largest number of columns of a table.
	maxColumns = 1600
)

// form makes the tuple of row in s.buf: header without ids, null bitmap, data. The result is valid until the next form.
func (r *Relation) form(s *Session, row types.Row, stored [][]byte) header {
	l := r.Layout
	n := l.NumAttrs()
	hoff := headerSize
	nulls := tuple.HasNulls(row[:n])
	if nulls {
		hoff += tuple.BitmapLen(n)
	}
	hoff = tuple.MaxAlign(hoff)
	size := hoff + l.DataSize(row, stored)
	s.buf = slices.Grow(s.buf[:0], size)[:size]
	h := header(s.buf)
	clear(h)
	mask := uint16(xmaxInvalid)
	var bitmap []byte
	if nulls {
		mask |= hasNull
		bitmap = h[headerSize : headerSize+tuple.BitmapLen(n)]
	}
	for i := range stored {
		if stored[i] != nil && stored[i][0] == tuple.ExternalTag {
			mask |= hasExternal
		}
	}
	l.Fill(h[hoff:], bitmap, row, stored)
	h[offHoff] = byte(hoff)
	le.PutUint16(h[offInfomask2:], uint16(n))
	le.PutUint16(h[offInfomask:], mask)
	return h
}

// checkSize refuses a tuple that fits no page.
func checkSize(size int) error {
	if size > MaxTupleSize {
		return pgerr.New(pgerr.ProgramLimitExceeded, "row is too big: size %d, maximum size %d", size, MaxTupleSize)
	}
	return nil
}

// stamp fills the header of a tuple that xid inserts in command cid, at tid on a page with that base.
func (h header) stamp(base uint64, xid xact.XID, cid xact.CID, tid types.TID, mask, mask2 uint16) {
	le.PutUint32(h[offXmin:], rawXID(base, xid))
	le.PutUint32(h[offXmax:], 0)
	le.PutUint32(h[offCID:], uint32(cid))
	putCTID(h[offCTID:], tid)
	le.PutUint16(h[offInfomask:], h.infomask()|mask)
	le.PutUint16(h[offInfomask2:], h.infomask2()|mask2)
}

// rawXID is xid as an offset from base. The page was made ready for it (see fitXID).
func rawXID(base uint64, xid xact.XID) uint32 {
	if xid < xact.FirstXID {
		return uint32(xid)
	}
	raw := uint64(xid) - base
	if raw < uint64(xact.FirstXID) || raw > 1<<32-1 {
		panic("heap: a transaction id does not fit its page's base")
	}
	return uint32(raw)
}

// baseFor is the xid base of a new page: zero as long as ids are small, later such that half the range is behind and half ahead.
func baseFor(xid xact.XID) uint64 {
	if xid < 1<<31 {
		return 0
	}
	return uint64(xid) - 1<<31
}
