package executor

import (
	"slices"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pgstat"
)

func init() {
	register(newBitmapHeapScan)
	register(newBitmapIndexScan)
	register(newBitmapAnd)
	register(newBitmapOr)
}

// tidBitmap is a set of TIDs by heap block. When it outgrows its memory, blocks become lossy: all rows of them are candidates, to be
// checked again.
type tidBitmap struct {
	blocks map[uint32]*blockBits
	limit  int // blocks kept exactly
	exact  int
}

// blockBits are a block's line pointers. A nil offs means lossy.
type blockBits struct {
	offs    []uint64 // bit set, by line pointer
	recheck bool
}

// blockCost is about what an exact block costs in bytes.
const blockCost = 120

func newTIDBitmap(limit int64) *tidBitmap {
	return &tidBitmap{blocks: map[uint32]*blockBits{}, limit: max(int(limit/blockCost), 16)}
}

// AddTIDs implements index.TIDSink.
func (m *tidBitmap) AddTIDs(tids []types.TID, recheck bool) error {
	for _, t := range tids {
		b := m.blocks[t.Block]
		if b == nil {
			b = &blockBits{offs: make([]uint64, 0, 4)}
			m.blocks[t.Block] = b
			m.exact++
			if m.exact > m.limit {
				m.lossify()
			}
		}
		b.recheck = b.recheck || recheck
		if b.offs == nil {
			continue
		}
		w := int(t.Off) / 64
		for len(b.offs) <= w {
			b.offs = append(b.offs, 0)
		}
		b.offs[w] |= 1 << (t.Off % 64)
	}
	return nil
}

// lossify makes half of the exact blocks lossy.
func (m *tidBitmap) lossify() {
	for _, b := range m.blocks {
		if m.exact <= m.limit/2 {
			return
		}
		if b.offs != nil {
			b.offs, b.recheck = nil, true
			m.exact--
		}
	}
}

// union adds o's rows; intersect keeps only those that are in o too.
func (m *tidBitmap) union(o *tidBitmap) {
	for blk, ob := range o.blocks {
		b := m.blocks[blk]
		if b == nil {
			m.blocks[blk] = ob
			if ob.offs != nil {
				m.exact++
			}
			continue
		}
		b.recheck = b.recheck || ob.recheck
		if b.offs == nil || ob.offs == nil {
			if b.offs != nil {
				m.exact--
			}
			b.offs, b.recheck = nil, true
			continue
		}
		for len(b.offs) < len(ob.offs) {
			b.offs = append(b.offs, 0)
		}
		for i, w := range ob.offs {
			b.offs[i] |= w
		}
	}
}

func (m *tidBitmap) intersect(o *tidBitmap) {
	for blk, b := range m.blocks {
		ob := o.blocks[blk]
		if ob == nil {
			delete(m.blocks, blk)
			continue
		}
		b.recheck = b.recheck || ob.recheck
		switch {
		case b.offs == nil:
			b.offs, b.recheck = slices.Clone(ob.offs), true
		case ob.offs == nil:
			b.recheck = true
		default:
			b.intersect(ob)
		}
		if b.offs != nil && !slices.ContainsFunc(b.offs, func(w uint64) bool { return w != 0 }) {
			delete(m.blocks, blk)
		}
	}
}

func (b *blockBits) intersect(o *blockBits) {
	for i := range b.offs {
		if i < len(o.offs) {
			b.offs[i] &= o.offs[i]
		} else {
			b.offs[i] = 0
		}
	}
}

// bitmapSource is a node that gives a bitmap to its parent instead of rows.
type bitmapSource interface {
	bitmap() (*tidBitmap, error)
}

// bitmapNode is the Node side of a bitmapSource: its rows are never asked for.
type bitmapNode struct{}

func (bitmapNode) Next() (types.Row, error) {
	return nil, pgerr.Internal("a bitmap node gives no rows")
}
func (bitmapNode) Rescan() error { return nil }
func (bitmapNode) Close()        {}

// bitmapOf finds the bitmap source inside wrappers (EXPLAIN ANALYZE's).
func bitmapOf(n Node) (bitmapSource, error) {
	if b, ok := unwrap(n).(bitmapSource); ok {
		return b, nil
	}
	return nil, pgerr.Internal("plan node %T gives no bitmap", n)
}

type bitmapIndexScan struct {
	bitmapNode
	s    *State
	ctx  *expr.Context
	ix   *TableIndex
	keys *scanKeys
	stat *pgstat.Table // of the index
}

func newBitmapIndexScan(s *State, p *plan.BitmapIndexScan) (Node, error) {
	n := &bitmapIndexScan{s: s, ctx: s.context()}
	table, err := s.relation(p.RTIndex)
	if err != nil {
		return nil, err
	}
	if n.ix, err = table.index(p.IndexOID); err != nil {
		return nil, err
	}
	n.stat = s.Backend.stats(p.IndexOID, table.Rel.Shared)
	n.keys, err = s.newScanKeys(n.ix.Cat, p.IndexQuals)
	return n, err
}

func (n *bitmapIndexScan) bitmap() (*tidBitmap, error) {
	m := newTIDBitmap(n.s.Backend.WorkMem())
	if err := n.keys.bind(n.ctx); err != nil || n.keys.empty {
		return m, err
	}
	scan := n.ix.Index.NewScan(index.ScanOptions{Cancel: n.s.Backend.Heap.Cancel})
	defer scan.End()
	if err := scan.Rescan(n.keys.keys); err != nil {
		return nil, err
	}
	n.stat.Scan()
	entries, err := scan.Bitmap(m)
	n.stat.Returned(entries)
	return m, err
}

// bitmapCombine is BitmapAnd or BitmapOr.
type bitmapCombine struct {
	bitmapNode
	children []Node
	and      bool
}

func newBitmapAnd(s *State, p *plan.BitmapAnd) (Node, error) {
	children, err := s.buildAll(p.Children)
	return &bitmapCombine{children: children, and: true}, err
}

func newBitmapOr(s *State, p *plan.BitmapOr) (Node, error) {
	children, err := s.buildAll(p.Children)
	return &bitmapCombine{children: children}, err
}

func (n *bitmapCombine) bitmap() (*tidBitmap, error) {
	var m *tidBitmap
	for _, c := range n.children {
		src, err := bitmapOf(c)
		if err != nil {
			return nil, err
		}
		b, err := src.bitmap()
		if err != nil {
			return nil, err
		}
		switch {
		case m == nil:
			m = b
		case n.and:
			m.intersect(b)
		default:
			m.union(b)
		}
	}
	return m, nil
}

// bitmapHeapScan reads the rows of a bitmap in heap order.
type bitmapHeapScan struct {
	tableScan
	source  Node
	orig    expr.Qual
	bits    *tidBitmap
	order   []uint32
	block   int // next in order
	tids    []types.TID
	tid     int
	recheck bool
}

func newBitmapHeapScan(s *State, p *plan.BitmapHeapScan) (Node, error) {
	n := &bitmapHeapScan{}
	var err error
	if n.tableScan, err = newTableScan(s, &p.Scan); err != nil {
		return nil, err
	}
	for _, q := range p.OrigQuals {
		n.needColumns(q)
	}
	if n.source, err = s.build(p.Left); err != nil {
		return nil, err
	}
	n.orig, err = s.compiler().CompileQual(p.OrigQuals)
	s.scans = append(s.scans, n)
	return n, err
}

func (n *bitmapHeapScan) Next() (types.Row, error) { return n.scanLoop(n.s, n.fetch) }

func (n *bitmapHeapScan) begin() error {
	src, err := bitmapOf(n.source)
	if err != nil {
		return err
	}
	if n.bits, err = src.bitmap(); err != nil {
		return err
	}
	n.order = n.order[:0]
	for blk := range n.bits.blocks {
		n.order = append(n.order, blk)
	}
	slices.Sort(n.order)
	n.block, n.tids, n.tid = 0, n.tids[:0], 0
	return nil
}

func (n *bitmapHeapScan) fetch() (types.Row, error) {
	if r := n.s.substitute(n.rtIndex); r != nil {
		row, err := n.epqScan(r)
		if row == nil || err != nil {
			return nil, err
		}
		n.ctx.Scan = row
		if ok, err := passes(n.orig, n.ctx); err != nil || !ok {
			return nil, err
		}
		return row, nil
	}
	if n.bits == nil {
		if err := n.begin(); err != nil {
			return nil, err
		}
	}
	for {
		if n.tid >= len(n.tids) {
			if n.block >= len(n.order) {
				return nil, nil
			}
			n.nextBlock()
			continue
		}
		tid := n.tids[n.tid]
		n.tid++
		row, err := n.fetchTID(tid)
		if row != nil || err != nil {
			return row, err
		}
	}
}

// nextBlock lists the candidates of the next block: of a lossy one every line pointer there can be.
func (n *bitmapHeapScan) nextBlock() {
	blk := n.order[n.block]
	n.block++
	b := n.bits.blocks[blk]
	n.tids, n.tid, n.recheck = n.tids[:0], 0, b.recheck
	if b.offs == nil {
		for off := uint16(1); off <= linePointersMax; off++ {
			n.tids = append(n.tids, types.TID{Block: blk, Off: off})
		}
		return
	}
	for w, bits := range b.offs {
		for i := 0; bits != 0; i++ {
			if bits&1 != 0 {
				n.tids = append(n.tids, types.TID{Block: blk, Off: uint16(w*64 + i)})
			}
			bits >>= 1
		}
	}
}

// linePointersMax is the most tuples that fit a page, PostgreSQL's MaxHeapTuplesPerPage.
const linePointersMax = 291

// fetchTID gives the visible row of a chain's beginning; of a lossy block only chain members that begin there count, so that no row comes twice.
func (n *bitmapHeapScan) fetchTID(tid types.TID) (types.Row, error) {
	found, _, err := n.table.Heap.FetchHOT(n.s.Backend.Heap, tid, n.s.run.Snapshot, &n.slot)
	if err != nil || !found {
		return nil, err
	}
	n.table.stats.Fetched(1)
	row, err := n.row()
	if err != nil || !n.recheck {
		return row, err
	}
	n.ctx.Scan = row
	ok, err := passes(n.orig, n.ctx)
	if err != nil || !ok {
		n.Recheck++
		return nil, err
	}
	return row, nil
}

func (n *bitmapHeapScan) release() { n.slot.Materialize() }

func (n *bitmapHeapScan) Rescan() error {
	n.bits = nil
	n.slot.Clear()
	return n.source.Rescan()
}

func (n *bitmapHeapScan) Close() {
	n.bits = nil
	n.slot.Clear()
	n.source.Close()
}
