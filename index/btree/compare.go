package btree

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/tuple"
)

// fastKind says how a column's stored value is read as an int64 that orders like the column, without the comparison function.
type fastKind uint8

const (
	notFast fastKind = iota
	fastInt2
	fastInt4
	fastUint4
	fastInt8
)

// Operator families of types whose order is that of integers.
const (
	integerFamily  types.OID = 1976
	oidFamily      types.OID = 1989
	datetimeFamily types.OID = 434
	dateTypeOID    types.OID = 1082
	timestampOID   types.OID = 1114
	timestamptzOID types.OID = 1184
)

// fastOf finds the kind for a type in a family; it is the same for arguments of another type of the same kind of number.
func fastOf(family, typ types.OID) fastKind {
	switch family {
	case integerFamily:
		switch typ {
		case types.Int2OID:
			return fastInt2
		case types.Int4OID:
			return fastInt4
		case types.Int8OID:
			return fastInt8
		}
	case oidFamily:
		if typ == types.OidOID {
			return fastUint4
		}
	case datetimeFamily: // date against timestamp is not a comparison of integers: see sameFast
		switch typ {
		case dateTypeOID:
			return fastInt4
		case timestampOID, timestamptzOID:
			return fastInt8
		}
	}
	return notFast
}

// column is how a key column is ordered.
type column struct {
	cmp        types.CompareFunc
	desc       bool
	nullsFirst bool
	fast       fastKind
	typ        types.OID
	family     types.OID
}

func makeColumn(k *index.KeyCol, a *types.Attr) column {
	c := column{cmp: k.Compare, desc: k.Desc, nullsFirst: k.NullsFirst, typ: a.TypeOID, family: k.Family}
	c.fast = fastOf(k.Family, a.TypeOID)
	return c
}

// sameFast says whether an argument of type typ (0 = the column's) can be compared as an integer.
func (c *column) sameFast(typ types.OID) bool {
	if c.fast == notFast {
		return false
	}
	return typ == 0 || typ == c.typ || c.family == integerFamily && fastOf(integerFamily, typ) != notFast
}

// compare orders two values of the column, nulls included.
func (c *column) compare(a, b types.Datum) int { return c.order(a, b, c.cmp) }

// order is compare with another comparison function: of the column's type with b's.
func (c *column) order(a, b types.Datum, cmp types.CompareFunc) int {
	switch {
	case a.IsNull() || b.IsNull():
		if a.IsNull() == b.IsNull() {
			return 0
		}
		if a.IsNull() == c.nullsFirst {
			return -1
		}
		return 1
	case c.desc:
		return -cmp(a, b)
	}
	return cmp(a, b)
}

// searchKey is a place in the index: the first item that is not below it, or with nextKey the first above it. Columns that it has not are minus
// infinity in a place before the equal ones, and beyond them with nextKey.
type searchKey struct {
	n       int // columns
	vals    types.Row
	cmps    []types.CompareFunc
	hasTID  bool
	tid     types.TID
	nextKey bool
	isPivot bool     // made from a high key: finds the page that the key bounds, rather than the one right of it
	fast    fastKind // of the first column
	first   int64    // its value, when fast
}

// reset makes the key empty, with room for n columns.
func (k *searchKey) reset(n int) {
	if cap(k.vals) < n {
		k.vals, k.cmps = make(types.Row, n), make([]types.CompareFunc, n)
	}
	k.vals, k.cmps = k.vals[:n], k.cmps[:n]
	k.n, k.hasTID, k.nextKey, k.isPivot, k.fast = 0, false, false, false, notFast
}

// add appends a column's value; argType is the value's type, 0 = the column's.
func (k *searchKey) add(c *column, v types.Datum, cmp types.CompareFunc, argType types.OID) {
	if k.n == 0 && !v.IsNull() && c.sameFast(argType) {
		k.fast, k.first = c.fast, int64(v.Raw())
	}
	k.vals[k.n], k.cmps[k.n] = v, cmp
	k.n++
}

// whole makes the key of a row's key columns.
func (k *searchKey) whole(ix *Index, row types.Row) {
	k.reset(ix.nkeys)
	for i := range ix.cols {
		k.add(&ix.cols[i], row[i], ix.cols[i].cmp, 0)
	}
}

// compare orders the key and the item at off: negative when the key is before it. The caller holds a latch.
func (ix *Index) compare(k *searchKey, p []byte, off uint16) int {
	if flags(p)&flagLeaf == 0 && off == firstData(p) {
		return 1 // an internal page's first item is minus infinity
	}
	return ix.compareTuple(k, item(p, off))
}

func (ix *Index) compareTuple(k *searchKey, t index.Tuple) int {
	i := 0
	if k.fast != notFast && t.Info()&index.HasNulls == 0 && attrs(t, ix.natts) > 0 {
		c := compareFast(k, t)
		if c != 0 {
			if ix.cols[0].desc {
				return -c
			}
			return c
		}
		if i = 1; k.n == 1 && !k.hasTID && !isPivot(t) {
			return 0
		}
	}
	return ix.compareFrom(k, t, i)
}

func compareFast(k *searchKey, t index.Tuple) int {
	v := readFast(k.fast, t)
	switch {
	case k.first < v:
		return -1
	case k.first > v:
		return 1
	}
	return 0
}

// readFast reads the first column of a tuple without nulls.
func readFast(f fastKind, t index.Tuple) int64 {
	switch f {
	case fastInt4:
		return int64(int32(le.Uint32(t[index.HeaderSize:])))
	case fastInt8:
		return int64(le.Uint64(t[index.HeaderSize:]))
	case fastUint4:
		return int64(le.Uint32(t[index.HeaderSize:]))
	}
	return int64(int16(le.Uint16(t[index.HeaderSize:])))
}

// compareFrom is compareTuple from column i on, those before being equal.
func (ix *Index) compareFrom(k *searchKey, t index.Tuple, i int) int {
	natts := attrs(t, ix.natts)
	n := min(k.n, natts)
	if i < n {
		var buf [maxKeys]types.Datum
		row := types.Row(buf[:])
		ix.mustDeform(t, row, n)
		for ; i < n; i++ {
			// cmps take (column value, argument), so the sign is turned round.
			if c := ix.cols[i].order(row[i], k.vals[i], k.cmps[i]); c != 0 {
				return -c
			}
		}
	}
	if k.n > natts {
		return 1 // a column that was cut off is minus infinity
	}
	tid, has := pivotTID(t)
	if !k.hasTID {
		// Items equal to the key are above a pivot that has no TID: look for them on its right.
		if !has && k.n == natts && !k.isPivot {
			return 1
		}
		return 0
	}
	switch {
	case !has || tid.Less(k.tid):
		return 1
	case k.tid.Less(tid):
		return -1
	}
	return 0
}

// compareEntries orders two ordinary tuples, TIDs included.
func (ix *Index) compareEntries(a, b index.Tuple, rowA, rowB *types.Row) int {
	ra, rb := ix.deform(a, ix.nkeys, rowA), ix.deform(b, ix.nkeys, rowB)
	for i := range ix.cols {
		if d := ix.cols[i].compare(ra[i], rb[i]); d != 0 {
			return d
		}
	}
	ta, tb := a.TID(), b.TID()
	switch {
	case ta.Less(tb):
		return -1
	case tb.Less(ta):
		return 1
	}
	return 0
}

const maxKeys = 32

// mustDeform gives the first n columns of t. It panics on a value that is not plain, which no index holds.
func (ix *Index) mustDeform(t index.Tuple, row types.Row, n int) {
	st, state := t.Stored(n), tuple.State{}
	if err := ix.layout.Deform(&st, row, &state, n, nil); err != nil {
		panic("btree: " + err.Error())
	}
}

// search finds the item of a page that k leads to. On a leaf: the first item not below k (with nextKey: above k), which may be one behind
// the last. On an internal page: the last item below k (with nextKey: not above), whose child holds the place.
func (ix *Index) search(k *searchKey, p []byte) uint16 {
	low, high := firstData(p), page.MaxOffset(p)+1
	leaf := isLeaf(p)
	if !leaf {
		low++ // minus infinity
	}
	limit := 1
	if k.nextKey {
		limit = 0
	}
	for low < high {
		mid := low + (high-low)/2
		if ix.compareTuple(k, item(p, mid)) >= limit {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if leaf {
		return low
	}
	return low - 1
}

// beyond says whether the place is right of the page: k is above the high key.
func (ix *Index) beyond(k *searchKey, p []byte) bool {
	if isRightmost(p) {
		return false
	}
	if isDeleted(p) {
		return true
	}
	c := ix.compareTuple(k, item(p, highKeyOffset))
	return c > 0 || c == 0 && k.nextKey
}

// searchIn is search in a latched page that is let go when a comparison panics (a function of the type, or a damaged tuple).
func (ix *Index) searchIn(k *searchKey, b buffer.Buf) uint16 {
	done := false
	defer letGoOnPanic(b, &done)
	off := ix.search(k, b.Page())
	done = true
	return off
}

// beyondIn is beyond in the same way.
func (ix *Index) beyondIn(k *searchKey, b buffer.Buf) bool {
	done := false
	defer letGoOnPanic(b, &done)
	is := ix.beyond(k, b.Page())
	done = true
	return is
}

func letGoOnPanic(b buffer.Buf, done *bool) {
	if !*done {
		b.UnlockUnpin()
	}
}
