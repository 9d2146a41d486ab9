package catalog

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/pgstat"
)

// heapSource reads the catalogs' tables through their indexes, with a snapshot taken when the read begins.
type heapSource struct {
	v    *View
	snap heap.Snapshot
}

// readStore begins a read of the stored catalogs.
func (v *View) readStore() (reader, func(), error) {
	if v.sess == nil || v.sess.Tx == nil || !v.sess.Tx.Active() {
		return reader{}, nil, pgerr.Internal("catalogs are read outside a transaction")
	}
	tx := v.sess.Tx
	src := &heapSource{v: v}
	tx.TakeLatestSnapshot(&src.snap.Snapshot)
	return reader{src}, func() { tx.ReleaseSnapshot(&src.snap.Snapshot) }, nil
}

func (s *heapSource) scan(ix *TableIndex, key []types.Datum, each func(types.TID, types.Row) (bool, error)) error {
	rel, err := s.v.heapOf(ix.Table)
	if err != nil {
		return err
	}
	idx, err := s.v.indexOf(ix)
	if err != nil {
		return err
	}
	keys := make([]index.ScanKey, len(key))
	for i, d := range key {
		keys[i] = index.ScanKey{Attr: i + 1, Kind: index.KeyOperator, Strategy: index.Equal, Arg: d}
	}
	scan := idx.NewScan(index.ScanOptions{Cancel: s.v.sess.Cancel})
	defer scan.End()
	stat := s.v.sess.Stats.Table(pgstat.OID(ix.OID), ix.Table.Shared)
	stat.Scan()
	if err := scan.Rescan(keys); err != nil {
		return err
	}
	var slot heap.Slot
	slot.Init(rel)
	defer slot.Clear()
	for {
		ok, err := scan.Next(index.Forward)
		if !ok || err != nil {
			return err
		}
		stat.Returned(1)
		found, allDead, err := rel.FetchHOT(s.v.sess, scan.TID(), &s.snap, &slot)
		if err != nil {
			return err
		}
		if !found {
			if allDead {
				scan.Kill()
			}
			continue
		}
		stat.Fetched(1)
		more, err := s.give(&slot, each)
		if !more || err != nil {
			return err
		}
	}
}

// give hands a copy of the slot's row on. The pin is let go first: each may do anything.
func (s *heapSource) give(slot *heap.Slot, each func(types.TID, types.Row) (bool, error)) (bool, error) {
	if err := slot.DeformAll(); err != nil {
		return false, err
	}
	row, tid := cloneRow(slot.Row), slot.TID
	slot.Clear()
	return each(tid, row)
}

// cloneRow copies a row with its bytes, in one piece.
func cloneRow(row types.Row) types.Row {
	size := 0
	for _, d := range row {
		if d.IsByRef() {
			size += len(d.Bytes())
		}
	}
	buf := make([]byte, 0, size)
	out := make(types.Row, len(row))
	for i, d := range row {
		out[i] = d
		if d.IsByRef() && len(d.Bytes()) > 0 {
			at := len(buf)
			buf = append(buf, d.Bytes()...)
			out[i] = types.Bytes(buf[at:len(buf):len(buf)])
		}
	}
	return out
}

func (s *heapSource) scanAll(t *Table, each func(types.TID, types.Row) (bool, error)) error {
	rel, err := s.v.heapOf(t)
	if err != nil {
		return err
	}
	scan := rel.BeginScan(s.v.sess, &s.snap, heap.ScanOpts{})
	defer scan.End()
	var slot heap.Slot
	slot.Init(rel)
	defer slot.Clear()
	for {
		ok, err := scan.Next(&slot)
		if !ok || err != nil {
			return err
		}
		if err := slot.DeformAll(); err != nil {
			return err
		}
		more, err := each(slot.TID, cloneRow(slot.Row))
		if !more || err != nil {
			return err
		}
	}
}

func (s *heapSource) mappedFilenode(rel OID, isShared bool) uint32 {
	if isShared {
		return s.v.cluster.sharedMap.node(rel)
	}
	return s.v.db.relmap.node(rel)
}

func (s *heapSource) dbOID() OID { return s.v.db.OID }
