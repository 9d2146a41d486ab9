package heap

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/tuple"
	"github.com/calfdb/calf/storage/xact"
)

// Slot holds one tuple of a relation and the values taken out of it so far. It is reused from tuple to tuple without allocation.
//
// The tuple's bytes are either the page's own, under a pin that the slot holds until the next tuple, Materialize or Clear, or a copy that
// the slot owns. By-reference values in Row point into them.
type Slot struct {
	Rel *Relation
	TID types.TID
	// Row holds the values of columns [0, Deformed). It has room for all of Rel's.
	Row types.Row

	buf   buffer.Buf // the pinned page, or zero
	h     header     // nil = empty
	base  uint64
	st    tuple.State
	parts tuple.Stored
	own   []byte // copy, reused
}

// Init makes s a slot for tuples of rel.
func (s *Slot) Init(rel *Relation) {
	s.Clear()
	s.Rel = rel
	if n := rel.Layout.NumAttrs(); s.Row == nil || cap(s.Row) < n { // a row of no columns is a row too
		s.Row = make(types.Row, n)
	} else {
		s.Row = s.Row[:n]
	}
}

// Empty says whether the slot has no tuple.
func (s *Slot) Empty() bool { return s.h == nil }

// Clear empties the slot and lets its pin go.
func (s *Slot) Clear() {
	s.h = nil
	s.unpin()
}

func (s *Slot) unpin() {
	if s.buf.Valid() {
		s.buf.Unpin()
		s.buf = buffer.Buf{}
	}
}

// Materialize copies the tuple so that the slot needs no pin: before a wait, and before the slot outlives the statement step. Values are
// taken out again on demand.
func (s *Slot) Materialize() {
	if s.h == nil || !s.buf.Valid() {
		return
	}
	s.buf.LockShared()
	s.own = s.h.appendTo(s.own[:0])
	s.buf.Unlock()
	s.setTuple(s.own, s.base)
	s.unpin()
}

func (s *Slot) setTuple(h header, base uint64) {
	s.h, s.base = h, base
	s.st = tuple.State{}
	s.parts = h.stored()
}

// Deformed is the number of leading columns that are in Row.
func (s *Slot) Deformed() int { return int(s.st.Att) }

// Deform makes columns [0, n) available in Row.
func (s *Slot) Deform(n int) error {
	if int(s.st.Att) >= n {
		return nil
	}
	return s.Rel.Layout.Deform(&s.parts, s.Row, &s.st, n, s.Rel)
}

// DeformAll makes all columns available.
func (s *Slot) DeformAll() error { return s.Deform(s.Rel.Layout.NumAttrs()) }

// Attr is column num (1-based), or a system column (below 0).
func (s *Slot) Attr(num int16) (types.Datum, error) {
	if num < 0 {
		return s.SysAttr(num), nil
	}
	if err := s.Deform(int(num)); err != nil {
		return types.Null, err
	}
	return s.Row[num-1], nil
}

// Numbers of the system columns.
const (
	AttrCTID     int16 = -1
	AttrXmin     int16 = -2
	AttrCmin     int16 = -3
	AttrXmax     int16 = -4
	AttrCmax     int16 = -5
	AttrTableOID int16 = -6
)

// head copies the fixed part of the header, which others may change while the page is only pinned.
func (s *Slot) head() (h [hintWord]byte) {
	if s.buf.Valid() {
		s.buf.LockShared()
		defer s.buf.Unlock()
	}
	copy(h[:], s.h)
	return h
}

// SysAttr is a system column. xid values are the low 32 bits, as the type xid has no more.
func (s *Slot) SysAttr(num int16) types.Datum {
	switch num {
	case AttrCTID:
		return s.TID.Datum()
	case AttrTableOID:
		return types.Oid(s.Rel.OID)
	}
	b := s.head()
	h := header(b[:])
	switch num {
	case AttrXmin:
		return types.FromRaw(uint64(uint32(h.xmin(s.base))))
	case AttrXmax:
		return types.FromRaw(uint64(uint32(h.xmax(s.base))))
	case AttrCmin, AttrCmax:
		return types.FromRaw(uint64(uint32(h.cid())))
	}
	panic("heap: no such system column")
}

// Writers gives what the header says of the tuple's writers, as the system columns of these names.
func (s *Slot) Writers() (xmin, xmax, cid uint32) {
	b := s.head()
	h := header(b[:])
	return uint32(h.xmin(s.base)), uint32(h.xmax(s.base)), uint32(h.cid())
}

// Xmin is the inserting transaction, frozen or not.
func (s *Slot) Xmin() xact.XID { return s.h.xmin(s.base) }

// Size is the tuple's size with its header, in bytes.
func (s *Slot) Size() int { return len(s.h) }

// load points the slot at tuple off of a latched page, whose pin it takes over.
func (s *Slot) load(buf buffer.Buf, off uint16) {
	b := buf.Page()
	s.TID = types.TID{Block: buf.Block(), Off: off}
	s.buf = buf
	s.setTuple(page.Tuple(b, off), page.XidBase(b))
	s.copyForRace()
}

// copyForRace: see raceEnabled.
func (s *Slot) copyForRace() {
	if raceEnabled && s.parts.Bitmap != nil {
		s.own = s.h.appendTo(s.own[:0])
		s.setTuple(s.own, s.base)
	}
}
