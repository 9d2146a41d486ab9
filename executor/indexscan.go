package executor

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pgstat"
)

func init() {
	register(newIndexScan)
	register(newIndexOnlyScan)
}

// TableIndex is an index of an opened table.
type TableIndex struct {
	Cat   *catalog.Index
	Index index.Index
}

// index finds an opened table's index.
func (t *Table) index(oid types.OID) (*TableIndex, error) {
	for i := range t.Indexes {
		if t.Indexes[i].Cat.OID == oid {
			return &t.Indexes[i], nil
		}
	}
	return nil, pgerr.Internal("index %d does not belong to relation \"%s\"", oid, t.Rel.Name)
}

// indexScan fetches rows in an index's order.
type indexScan struct {
	tableScan
	keys  *scanKeys
	scan  index.Scan
	dir   index.Direction
	orig  expr.Qual // the conditions as written, for entries that need a recheck
	ready bool
	ix    *TableIndex
	stats *pgstat.Table // of the index
}

func newIndexScan(s *State, p *plan.IndexScan) (Node, error) {
	if len(p.OrderBy) > 0 {
		return nil, pgerr.NotSupported("ordering by an index operator")
	}
	n := &indexScan{dir: index.Direction(p.Direction)}
	var err error
	if n.tableScan, err = newTableScan(s, &p.Scan); err != nil {
		return nil, err
	}
	for _, q := range p.OrigQuals {
		n.needColumns(q)
	}
	if n.ix, err = n.table.index(p.IndexOID); err != nil {
		return nil, err
	}
	n.stats = s.Backend.stats(p.IndexOID, n.table.Rel.Shared)
	if n.keys, err = s.newScanKeys(n.ix.Cat, p.IndexQuals); err != nil {
		return nil, err
	}
	n.orig, err = s.compiler().CompileQual(p.OrigQuals)
	s.scans = append(s.scans, n)
	return n, err
}

func (n *indexScan) Next() (types.Row, error) { return n.scanLoop(n.s, n.fetch) }

// begin positions the scan with the arguments as they are now.
func (n *indexScan) begin() error {
	n.ready = true
	if err := n.keys.bind(n.ctx); err != nil || n.keys.empty {
		return err
	}
	if n.scan == nil {
		n.scan = n.ix.Index.NewScan(index.ScanOptions{Cancel: n.s.Backend.Heap.Cancel})
	}
	n.stats.Scan()
	return n.scan.Rescan(n.keys.keys)
}

func (n *indexScan) fetch() (types.Row, error) {
	if r := n.s.substitute(n.rtIndex); r != nil {
		return n.fetchSubstitute(r)
	}
	if !n.ready {
		if err := n.begin(); err != nil {
			return nil, err
		}
	}
	if n.keys.empty {
		return nil, nil
	}
	for {
		ok, err := n.scan.Next(n.dir)
		if err != nil || !ok {
			return nil, err
		}
		n.stats.Returned(1)
		found, allDead, err := n.table.Heap.FetchHOT(n.s.Backend.Heap, n.scan.TID(), n.s.run.Snapshot, &n.slot)
		if err != nil {
			return nil, err
		}
		if !found {
			if allDead {
				n.scan.Kill()
			}
			continue
		}
		n.stats.Fetched(1)
		row, err := n.row()
		if err != nil || !n.scan.Recheck() {
			return row, err
		}
		n.ctx.Scan = row
		if ok, err := passes(n.orig, n.ctx); err != nil || ok {
			return row, err
		}
		n.Recheck++
	}
}

// fetchSubstitute gives the row of a recheck if it meets the index conditions.
func (n *indexScan) fetchSubstitute(r *epqRow) (types.Row, error) {
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

func (n *indexScan) markPos()          { n.scan.Mark() }
func (n *indexScan) restorePos() error { return n.scan.Restore() }
func (n *indexScan) release()          { n.slot.Materialize() }

func (n *indexScan) Rescan() error {
	n.ready = false
	n.slot.Clear()
	return nil
}

func (n *indexScan) Close() {
	n.slot.Clear()
	n.ready = false
	if n.scan != nil {
		n.scan.End()
		n.scan = nil
	}
}

// indexOnlyScan takes values from the index, and looks at the heap only where a page is not known to be visible to all.
type indexOnlyScan struct {
	scanCore
	s       *State
	table   *openRelation
	slot    *tableScan
	keys    *scanKeys
	scan    index.Scan
	dir     index.Direction
	recheck expr.Qual
	values  types.Row
	ready   bool
	ix      *TableIndex
	// HeapFetches counts rows whose visibility the heap had to be asked for (EXPLAIN ANALYZE).
	HeapFetches int64
	stats       *pgstat.Table // of the index
}

func newIndexOnlyScan(s *State, p *plan.IndexOnlyScan) (Node, error) {
	n := &indexOnlyScan{s: s, dir: index.Direction(p.Direction)}
	var err error
	if n.table, err = s.relation(p.RTIndex); err != nil {
		return nil, err
	}
	n.slot = &tableScan{s: s, table: n.table}
	n.slot.slot.Init(n.table.Heap)
	if n.ix, err = n.table.index(p.IndexOID); err != nil {
		return nil, err
	}
	n.stats = s.Backend.stats(p.IndexOID, n.table.Rel.Shared)
	n.values = make(types.Row, n.ix.Index.Def().NAttrs())
	if n.keys, err = s.newScanKeys(n.ix.Cat, p.IndexQuals); err != nil {
		return nil, err
	}
	if n.recheck, err = s.compiler().CompileQual(p.Recheck); err != nil {
		return nil, err
	}
	n.scanCore, err = newScanCore(s, &p.Plan, len(n.values))
	n.ctx.Sys.TableOID = n.table.Rel.OID
	return n, err
}

func (n *indexOnlyScan) Next() (types.Row, error) { return n.scanLoop(n.s, n.fetch) }

func (n *indexOnlyScan) fetch() (types.Row, error) {
	if !n.ready {
		n.ready = true
		if err := n.keys.bind(n.ctx); err != nil {
			return nil, err
		}
		if n.keys.empty {
			return nil, nil
		}
		if n.scan == nil {
			n.scan = n.ix.Index.NewScan(index.ScanOptions{WantValues: true, AllVisible: n.table.Heap.AllVisible, Cancel: n.s.Backend.Heap.Cancel})
		}
		n.stats.Scan()
		if err := n.scan.Rescan(n.keys.keys); err != nil {
			return nil, err
		}
	}
	if n.keys.empty {
		return nil, nil
	}
	for {
		ok, err := n.scan.Next(n.dir)
		if err != nil || !ok {
			return nil, err
		}
		n.stats.Returned(1)
		if !n.scan.AllVisible() {
			n.HeapFetches++
			found, allDead, err := n.table.Heap.FetchHOT(n.s.Backend.Heap, n.scan.TID(), n.s.run.Snapshot, &n.slot.slot)
			if err != nil {
				return nil, err
			}
			if !found {
				if allDead {
					n.scan.Kill()
				}
				continue
			}
			n.stats.Fetched(1)
			n.slot.slot.Clear()
		}
		if err := n.scan.Values(n.values); err != nil {
			return nil, err
		}
		if !n.scan.Recheck() {
			return n.values, nil
		}
		n.ctx.Scan = n.values
		if ok, err := passes(n.recheck, n.ctx); err != nil || ok {
			return n.values, err
		}
		n.Recheck++
	}
}

func (n *indexOnlyScan) markPos()          { n.scan.Mark() }
func (n *indexOnlyScan) restorePos() error { return n.scan.Restore() }

func (n *indexOnlyScan) Rescan() error {
	n.ready = false
	return nil
}

func (n *indexOnlyScan) Close() {
	n.ready = false
	n.slot.slot.Clear()
	if n.scan != nil {
		n.scan.End()
		n.scan = nil
	}
}
