package btree

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
)

// A pivot tuple is a high key or an item of an internal page. Its t_tid is the child's block (0 in a high key) and, in place of the
// offset number, how many columns it has (the others are minus infinity) and whether a heap TID follows at its end.
const (
	pivotAttrsMask = 0x0fff
	pivotHasTID    = 0x1000
	tidSize        = 8 // a TID at the tuple's end, padded
)

func isPivot(t index.Tuple) bool { return t.Info()&index.AMReserved != 0 }

// attrs counts the columns that t has; an ordinary tuple has all.
func attrs(t index.Tuple, all int) int {
	if isPivot(t) {
		return int(le.Uint16(t[4:]) & pivotAttrsMask)
	}
	return all
}

// pivotTID gives the heap TID that t is compared by: its own, or a pivot's; none = minus infinity.
func pivotTID(t index.Tuple) (types.TID, bool) {
	if !isPivot(t) {
		return t.TID(), true
	}
	if le.Uint16(t[4:])&pivotHasTID == 0 {
		return types.TID{}, false
	}
	return t[t.Size()-tidSize:].TID(), true
}

// child is the block that an internal page's item leads to.
func child(t index.Tuple) uint32 { return uint32(le.Uint16(t))<<16 | uint32(le.Uint16(t[2:])) }

func setChild(t index.Tuple, block uint32) {
	le.PutUint16(t, uint16(block>>16))
	le.PutUint16(t[2:], uint16(block))
}

// appendMinusInfinity appends an internal page's first item: no columns, just the child.
func appendMinusInfinity(dst []byte, block uint32) []byte {
	t := index.Tuple{0, 0, 0, 0, 0, 0, 0, 0}
	t.SetInfo(index.HeaderSize | index.AMReserved)
	setChild(t, block)
	return append(dst, t...)
}

// appendPivot appends a copy of the pivot t that leads to block.
func appendPivot(dst []byte, t index.Tuple, block uint32) []byte {
	at := len(dst)
	dst = append(dst, t[:t.Size()]...)
	setChild(dst[at:], block)
	return dst
}

// appendSeparator appends the shortest pivot that is not below lastLeft and below firstRight, neighbours on a leaf: the high key of a page that
// ends with lastLeft. It is firstRight's columns up to the first one in which the two differ. When all key columns are equal, all of them and
// lastLeft's TID.
func (ix *Index) appendSeparator(dst []byte, lastLeft, firstRight index.Tuple, w *work) []byte {
	keep := ix.keepAttrs(lastLeft, firstRight, w)
	at := len(dst)
	if keep <= ix.nkeys {
		dst = ix.appendPrefix(dst, firstRight, keep, w)
		putPivotHead(dst[at:], keep, false)
		return dst
	}
	dst = ix.appendPrefix(dst, firstRight, ix.nkeys, w)
	n := len(dst)
	dst = append(dst, make([]byte, tidSize)...)
	index.Tuple(dst[n:]).SetTID(lastLeft.TID())
	t := index.Tuple(dst[at:])
	t.SetInfo(t.Info()&^index.SizeMask | uint16(len(dst)-at))
	putPivotHead(t, ix.nkeys, true)
	return dst
}

func putPivotHead(t index.Tuple, natts int, hasTID bool) {
	v := uint16(natts)
	if hasTID {
		v |= pivotHasTID
	}
	setChild(t, noBlock)
	le.PutUint16(t[4:], v)
	t.SetInfo(t.Info() | index.AMReserved)
}

// appendPrefix appends a tuple of the first natts columns of t, which is an ordinary tuple.
func (ix *Index) appendPrefix(dst []byte, t index.Tuple, natts int, w *work) []byte {
	if natts == ix.natts && !isPivot(t) {
		return append(dst, t[:t.Size()]...)
	}
	row := ix.deform(t, natts, &w.rowA)
	return index.AppendTuple(dst, ix.prefix[natts], row, types.TID{})
}

// keepAttrs is the number of columns that a separator between a and b, neighbours on a leaf, needs; nkeys + 1 = all and the TID.
func (ix *Index) keepAttrs(a, b index.Tuple, w *work) int {
	ra := ix.deform(a, ix.nkeys, &w.rowA)
	rb := ix.deform(b, ix.nkeys, &w.rowB)
	for i := range ix.cols {
		if ix.cols[i].compare(ra[i], rb[i]) != 0 {
			return i + 1
		}
	}
	return ix.nkeys + 1
}

// deform gives the first natts columns of t.
func (ix *Index) deform(t index.Tuple, natts int, row *types.Row) types.Row {
	if cap(*row) < ix.natts {
		*row = make(types.Row, ix.natts)
	}
	r := (*row)[:ix.natts]
	ix.mustDeform(t, r, natts)
	return r[:natts]
}
