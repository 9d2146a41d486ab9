package heap

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/tuple"
	"github.com/calfdb/calf/storage/xact"
)

// needsToast says whether row is too wide for its values to stay inline.
func (r *Relation) needsToast(row types.Row) bool {
	return r.Layout.Toastable && r.rowSize(row, nil) > toastThreshold
}

// rowSize is the size of row's tuple.
func (r *Relation) rowSize(row types.Row, stored [][]byte) int {
	return r.hoff(row) + r.Layout.DataSize(row, stored)
}

// hoff is where row's data begins in its tuple.
func (r *Relation) hoff(row types.Row) int {
	n := r.Layout.NumAttrs()
	if tuple.HasNulls(row[:n]) {
		return tuple.MaxAlign(headerSize + tuple.BitmapLen(n))
	}
	return tuple.MaxAlign(headerSize)
}

// formToast forms row's tuple, with wide values moved out of line. stored, if not nil, gives columns that are already stored. No latch is held.
func (r *Relation) formToast(s *Session, row types.Row, stored [][]byte, xid xact.XID) (header, error) {
	s.newValues = s.newValues[:0]
	if r.Layout.Toastable && r.rowSize(row, stored) > toastThreshold {
		var err error
		if stored, err = r.moveOut(s, row, stored, xid); err != nil {
			return nil, err
		}
	}
	h := r.form(s, row, stored)
	return h, checkSize(len(h))
}

// formUpdate is formToast for a new version of the row at tid: columns that do not change keep the out-of-line value that they have.
func (r *Relation) formUpdate(s *Session, tid types.TID, row types.Row, changed *AttrSet, xid xact.XID) (header, error) {
	if changed == nil || !r.Layout.Toastable || r.toast.NumBlocks() == 0 {
		return r.formToast(s, row, nil, xid)
	}
	stored, err := r.keptValues(tid, changed)
	if err != nil {
		return nil, err
	}
	return r.formToast(s, row, stored, xid)
}

// keptValues gives the out-of-line pointers of the version at tid in columns that do not change; nil when there are none.
func (r *Relation) keptValues(tid types.TID, changed *AttrSet) (stored [][]byte, err error) {
	if tid.Block >= r.main.NumBlocks() {
		return nil, r.errNoTuple(tid)
	}
	buf, err := r.main.Pin(tid.Block)
	if err != nil {
		return nil, err
	}
	defer buf.Unpin()
	buf.LockShared()
	defer buf.Unlock()
	id, ok := normalItem(buf.Page(), tid.Off)
	if !ok {
		return nil, r.errNoTuple(tid)
	}
	h := header(page.ItemBytes(buf.Page(), id))
	if h.infomask()&hasExternal == 0 {
		return nil, nil
	}
	st := h.stored()
	for i := range r.Layout.NumAttrs() {
		if changed.Has(int16(i+1)) || r.Layout.Desc.Attrs[i].Len != -1 {
			continue
		}
		if b, ok := r.Layout.Locate(&st, i); ok && b[0] == tuple.ExternalTag {
			if stored == nil {
				stored = make([][]byte, r.Layout.NumAttrs())
			}
			stored[i] = append([]byte(nil), b...)
		}
	}
	return stored, nil
}

// moveOut stores values out of line, the widest first, until the tuple is small enough: storage extended and external until it is under the
// threshold, then main until it fits a page.
func (r *Relation) moveOut(s *Session, row types.Row, stored [][]byte, xid xact.XID) ([][]byte, error) {
	if stored == nil {
		stored = make([][]byte, r.Layout.NumAttrs())
	}
	for _, pass := range []struct {
		storages string
		limit    int
	}{{"xe", toastThreshold}, {"m", MaxTupleSize}} {
		for r.rowSize(row, stored) > pass.limit {
			i := r.widest(row, stored, pass.storages)
			if i < 0 {
				break
			}
			var err error
			if stored[i], err = r.storeValue(s, row[i].Bytes(), xid); err != nil {
				r.killToast(s)
				return nil, err
			}
		}
	}
	return stored, nil
}

// widest is the column with the longest value that is inline and may be moved out, -1 = none.
func (r *Relation) widest(row types.Row, stored [][]byte, storages string) int {
	best, size := -1, tuple.MaxAlign(tuple.ExternalSize)
	for i := range r.Layout.NumAttrs() {
		a := &r.Layout.Desc.Attrs[i]
		if a.Len != -1 || stored[i] != nil || row[i].IsNull() || !(a.Storage == storages[0] || len(storages) > 1 && a.Storage == storages[1]) {
			continue
		}
		if n := len(row[i].Bytes()); n > size {
			best, size = i, n
		}
	}
	return best
}
