package heap

import (
	"encoding/binary"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/tuple"
	"github.com/calfdb/calf/storage/xact"
)

// The tuple header, PostgreSQL's HeapTupleHeaderData:
//
//	 0  t_xmin       4 bytes; offset from the page's xid base
//	 4  t_xmax       4 bytes; likewise, 0 = none
//	 8  t_cid        4 bytes; command id, or a combo number
//	12  t_ctid       6 bytes; itself, or the next version
//	18  t_infomask2  2 bytes; number of columns and HOT flags
//	20  t_infomask   2 bytes
//	22  t_hoff       1 byte; start of the data area
//	23  null bitmap
//
// A transaction id on the page is 32 bits: 0, 1 and 2 are the special ids, anything else is base + value.
const (
	offXmin      = 0
	offXmax      = 4
	offCID       = 8
	offCTID      = 12
	offInfomask2 = 18
	offInfomask  = 20
	offHoff      = 22
	headerSize   = 23

	hintWord = 20 // the aligned word that holds t_infomask in its low half: hints are ORed into it
)

// t_infomask.
const (
	hasNull       = 0x0001
	hasVarWidth   = 0x0002
	hasExternal   = 0x0004
	comboCID      = 0x0020
	xmaxLockOnly  = 0x0080
	xminCommitted = 0x0100
	xminInvalid   = 0x0200
	xminFrozen    = xminCommitted | xminInvalid
	xmaxCommitted = 0x0400
	xmaxInvalid   = 0x0800
	updated       = 0x2000 // this is the newer version of an updated row

	xmaxBits = xmaxLockOnly | xmaxCommitted | xmaxInvalid
	hintBits = xminCommitted | xminInvalid | xmaxCommitted | xmaxInvalid
)

// t_infomask2.
const (
	nattsMask   = 0x07ff
	keysUpdated = 0x2000 // deleted, or updated in a key column
	hotUpdated  = 0x4000
	onlyTuple   = 0x8000 // heap-only: no index entry points here
)

var le = binary.LittleEndian

// header is the bytes of a tuple, header first.
type header []byte

func (h header) rawXmin() uint32 { return le.Uint32(h[offXmin:]) }
func (h header) rawXmax() uint32 { return le.Uint32(h[offXmax:]) }
func (h header) cid() xact.CID   { return xact.CID(le.Uint32(h[offCID:])) }

func (h header) ctid() types.TID {
	return types.TID{
		Block: uint32(le.Uint16(h[offCTID:]))<<16 | uint32(le.Uint16(h[offCTID+2:])),
		Off:   le.Uint16(h[offCTID+4:]),
	}
}

// word is the aligned word with t_infomask, t_hoff and the first byte of the null bitmap. Hints may be ORed into it meanwhile.
func (h header) word() uint32 { return page.LoadHint32(h, hintWord) }

func (h header) infomask() uint16  { return uint16(h.word()) }
func (h header) hoff() int         { return int(byte(h.word() >> 16)) }
func (h header) infomask2() uint16 { return le.Uint16(h[offInfomask2:]) }
func (h header) natts() int        { return int(h.infomask2() & nattsMask) }
func (h header) isHeapOnly() bool  { return h.infomask2()&onlyTuple != 0 }

// isHotUpdated says whether the next version is a heap-only tuple that may be reached: not when this one's insertion or update aborted.
func (h header) isHotUpdated() bool {
	m := h.infomask()
	return h.infomask2()&hotUpdated != 0 && m&xmaxInvalid == 0 && m&xminFrozen != xminInvalid
}

// stored gives the parts of the tuple for deforming.
func (h header) stored() tuple.Stored {
	s := tuple.Stored{Data: h[h.hoff():], NAtts: h.natts()}
	if h.infomask()&hasNull != 0 {
		s.Bitmap = h[headerSize : headerSize+tuple.BitmapLen(s.NAtts)]
	}
	return s
}

// appendTo appends a copy of the tuple to dst. The page is latched, or h is the caller's own.
func (h header) appendTo(dst []byte) []byte {
	dst = append(dst, h[:hintWord]...)
	dst = le.AppendUint32(dst, h.word())
	return append(dst, h[hintWord+4:]...)
}

// fullXID makes a full id of an id on a page with that base.
func fullXID(base uint64, raw uint32) xact.XID {
	if raw < uint32(xact.FirstXID) {
		return xact.XID(raw)
	}
	return xact.XID(base + uint64(raw))
}

func (h header) xmin(base uint64) xact.XID { return fullXID(base, h.rawXmin()) }
func (h header) xmax(base uint64) xact.XID { return fullXID(base, h.rawXmax()) }

func putCTID(b []byte, t types.TID) {
	le.PutUint16(b, uint16(t.Block>>16))
	le.PutUint16(b[2:], uint16(t.Block))
	le.PutUint16(b[4:], t.Off)
}
