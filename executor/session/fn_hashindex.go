package session

import (
	"github.com/calfdb/calf/index/hash"
	"github.com/calfdb/calf/sql/types"
)

// The function behind pg_stat_hash_index.
func init() {
	types.RegisterSRF("pg_stat_get_hash_index", func(c *types.Call) (types.Iterator, error) {
		s, err := sessionOf(c)
		if err != nil {
			return nil, err
		}
		rows, err := s.hashIndexRows(c.Args[0].Oid())
		return &rowsIterator{rows: rows}, err
	})
}

// hashIndexRows gives an index's counters; no row for what is no hash index.
func (s *Session) hashIndexRows(oid types.OID) ([]types.Row, error) {
	rel, err := s.view.Relation(oid)
	if err != nil || rel == nil || rel.Index == nil {
		return nil, err
	}
	table, err := s.view.Relation(rel.Index.TableOID)
	if err != nil || table == nil {
		return nil, err
	}
	opened, err := s.view.OpenIndex(s.backend.Env, table, rel.Index)
	if err != nil {
		return nil, err
	}
	ix, ok := opened.(*hash.Index)
	if !ok {
		return nil, nil
	}
	n, err := ix.Counters()
	if err != nil {
		return nil, err
	}
	row := types.Row{types.Int8(n.Entries)}
	for _, v := range []uint64{n.Buckets, n.Inserts, n.Lookups, n.PagesRead, n.OverflowAdded, n.OverflowFreed, n.SplitsStarted, n.SplitsFinished,
		n.SplitsDeclined, n.SplitsRefused, n.SplitsResumed, n.Corrections, n.MetaExclusive, n.MetaShared, n.MetaExclusiveWaits + n.MetaSharedWaits} {
		row = append(row, types.Int8(int64(v)))
	}
	return []types.Row{row}, nil
}
