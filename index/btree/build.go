package btree

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/tuple"
)

// build makes an index: it sorts the entries, then fills pages from left to right and from the leaves up.
type build struct {
	ix   *Index
	sort *sorter
}

// NewBuild starts a build.
func (am *AM) NewBuild(def *index.Def, o index.BuildOptions) index.Build {
	ix := am.open(def)
	return &build{ix: ix, sort: newSorter(ix, o)}
}

// Add adds the entry of a row.
func (b *build) Add(values types.Row, tid types.TID, isLive bool) error {
	size := index.TupleSize(b.ix.layout, values)
	if size > maxItemSize {
		return b.ix.tooBig(size, tid)
	}
	chunk := b.sort.room(size)
	off := len(*chunk)
	*chunk = index.AppendTuple(*chunk, b.ix.layout, values, tid)
	if !isLive {
		t := index.Tuple((*chunk)[off:])
		t.SetInfo(t.Info() | deadEntry)
	}
	return b.sort.add(off)
}

// Abort ends a build without an index.
func (b *build) Abort() { b.sort.close() }

// Finish writes the index.
func (b *build) Finish() (index.BuildStats, error) {
	defer b.sort.close()
	ix := b.ix
	st := index.BuildStats{Tuples: b.sort.count, Pages: 1}
	rel, err := ix.openRel()
	if err != nil {
		return st, err
	}
	if rel.NumBlocks() != 0 {
		return st, pgerr.New(pgerr.IndexCorrupted, "index %q already contains data", ix.def.Name)
	}
	if st.Tuples == 0 {
		return st, ix.am.Create(ix.def)
	}
	l := &loader{ix: ix, out: rel.NewBulk()}
	defer l.out.Abort()
	l.meta = l.out.Next()
	if err := b.sort.each(l.addEntry); err != nil {
		return st, err
	}
	if err := l.finish(); err != nil {
		return st, err
	}
	st.Pages = rel.NumBlocks()
	return st, nil
}

// loader fills pages with entries that come in order.
type loader struct {
	ix     *Index
	out    *buffer.Bulk
	meta   uint32
	levels []*loadLevel
	last   []byte // the entry before, for the unique check
	buf    []byte
	e      page.Edit
	w      work
}

// loadLevel is the rightmost page of a level, being filled.
type loadLevel struct {
	lvl    uint32
	block  uint32
	prev   uint32
	low    []byte // pivot that its entry in the parent gets
	items  []index.Tuple
	bytes  []byte // what items alias
	used   int    // line pointers and items
	target int    // room that stays free
}

func (l *loader) level(i int) *loadLevel {
	if i == len(l.levels) {
		fill := l.ix.fillfactor()
		if i > 0 {
			fill = internalFill
		}
		lv := &loadLevel{lvl: uint32(i), block: l.out.Next(), target: page.Size * (100 - fill) / 100}
		lv.low = appendMinusInfinity(nil, lv.block)
		lv.reset()
		l.levels = append(l.levels, lv)
	}
	return l.levels[i]
}

// reset starts a page: the high key's line pointer counts from the beginning.
func (lv *loadLevel) reset() {
	if lv.bytes == nil {
		lv.bytes = make([]byte, 0, 2*page.Size)
	}
	lv.items, lv.bytes, lv.used = lv.items[:0], lv.bytes[:0], page.ItemIDSize
}

func (lv *loadLevel) push(t index.Tuple) {
	at := len(lv.bytes)
	lv.bytes = append(lv.bytes, t...)
	lv.items = append(lv.items, lv.bytes[at:len(lv.bytes):len(lv.bytes)])
	lv.used += space(t)
}

// addEntry takes the next entry of the leaves.
func (l *loader) addEntry(t index.Tuple) error {
	isDead := t.Info()&deadEntry != 0
	t.SetInfo(t.Info() &^ deadEntry)
	if l.ix.def.Unique && !isDead {
		if l.last != nil {
			if err := l.checkDuplicate(t); err != nil {
				return err
			}
		}
		l.last = append(l.last[:0], t...)
	}
	return l.add(0, t)
}

func (l *loader) checkDuplicate(t index.Tuple) error {
	if l.ix.keepAttrs(l.last, t, &l.w) <= l.ix.nkeys {
		return nil
	}
	row := l.ix.deform(t, l.ix.nkeys, &l.w.rowA)
	if !l.ix.def.NullsNotDistinct && tuple.HasNulls(row) {
		return nil
	}
	return l.ix.duplicate(row, index.Tuple(l.last).TID(), true)
}

// add puts an item on a level's page; a full page is closed first. As in nbtree's loader, the last item of a closed page moves to the next one.
func (l *loader) add(i int, t index.Tuple) error {
	lv := l.level(i)
	free := usable - lv.used - page.ItemIDSize
	if free < len(t)+tidSize || free < lv.target && len(lv.items) > 1 {
		if err := l.closePage(lv); err != nil {
			return err
		}
	}
	if i > 0 && len(lv.items) == 0 {
		t = appendMinusInfinity(nil, child(t))
	}
	lv.push(t)
	return nil
}

// closePage writes a level's page with a high key, and begins the next one with its last item.
func (l *loader) closePage(lv *loadLevel) error {
	n := len(lv.items) - 1
	moved := lv.items[n]
	var high []byte
	if lv.lvl == 0 {
		high = l.ix.appendSeparator(nil, lv.items[n-1], moved, &l.w)
	} else {
		high = appendPivot(nil, moved, noBlock)
	}
	next := l.out.Next()
	if err := l.write(lv, high, lv.items[:n], next, 0); err != nil {
		return err
	}
	if err := l.add(int(lv.lvl)+1, lv.low); err != nil {
		return err
	}
	moved = append(index.Tuple(nil), moved...)
	if lv.lvl > 0 {
		moved = appendMinusInfinity(nil, child(moved))
	}
	lv.low = appendPivot(nil, high, next)
	lv.prev, lv.block = lv.block, next
	lv.reset()
	lv.push(moved)
	return nil
}

func (l *loader) write(lv *loadLevel, high []byte, items []index.Tuple, next uint32, fl uint16) error {
	pb := newPageBuilder(&l.buf, &l.e)
	if lv.lvl == 0 {
		fl |= flagLeaf
	}
	pb.init(lv.prev, next, lv.lvl, fl)
	if high != nil {
		pb.add(high)
	}
	for _, t := range items {
		pb.add(t)
	}
	if pb.err != nil {
		return pb.err
	}
	return l.out.Put(lv.block, l.buf)
}

// finish writes the rightmost pages from the leaves up, the root and the meta page.
func (l *loader) finish() error {
	for i := 0; ; i++ {
		lv := l.levels[i]
		isRoot := i == len(l.levels)-1
		if !isRoot {
			if err := l.add(i+1, lv.low); err != nil {
				return err
			}
		}
		fl := uint16(0)
		if isRoot {
			fl = flagRoot
		}
		if err := l.write(lv, nil, lv.items, noBlock, fl); err != nil {
			return err
		}
		if isRoot {
			return l.finishMeta(lv)
		}
	}
}

func (l *loader) finishMeta(root *loadLevel) error {
	pb := newPageBuilder(&l.buf, &l.e)
	initMeta(pb.e, root.block, root.lvl)
	if err := l.out.Put(l.meta, l.buf); err != nil {
		return err
	}
	if err := l.out.Finish(); err != nil {
		return err
	}
	l.ix.sh.root.Store(packRoot(root.block, root.lvl))
	return nil
}
