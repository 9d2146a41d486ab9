package catalog

import (
	"sort"
	"sync"

	"github.com/calfdb/calf/sql/types"
)

// memSource reads the initial contents.
type memSource struct {
	mu   sync.Mutex
	maps map[memKey]map[string][]types.Row
}

// memKey names a map of an index's leading columns to rows.
type memKey struct {
	index   OID
	columns int
}

func (m *memSource) scan(ix *TableIndex, key []types.Datum, each func(types.TID, types.Row) (bool, error)) error {
	var k []byte
	for _, d := range key {
		k = appendSortable(k, d)
	}
	for _, row := range m.rows(ix, len(key))[string(k)] {
		if more, err := each(types.TID{}, row); err != nil || !more {
			return err
		}
	}
	return nil
}

func (m *memSource) rows(ix *TableIndex, columns int) map[string][]types.Row {
	m.mu.Lock()
	defer m.mu.Unlock()
	mk := memKey{ix.OID, columns}
	if have := m.maps[mk]; have != nil {
		return have
	}
	made := map[string][]types.Row{}
	for _, row := range ix.Table.Rows() {
		var k []byte
		for _, col := range ix.Columns[:columns] {
			k = appendSortable(k, row[col])
		}
		made[string(k)] = append(made[string(k)], row)
	}
	for _, rows := range made {
		sort.SliceStable(rows, func(i, j int) bool { return ix.lessRaw(rows[i], rows[j]) })
	}
	if m.maps == nil {
		m.maps = map[memKey]map[string][]types.Row{}
	}
	m.maps[mk] = made
	return made
}

// lessRaw orders rows by by-value columns as numbers, others as bytes: the order of all catalog indexes but for oidvectors.
func (ix *TableIndex) lessRaw(a, b types.Row) bool {
	for _, col := range ix.Columns {
		x, y := a[col], b[col]
		switch {
		case x.IsByRef() && y.IsByRef():
			if x.Str() != y.Str() {
				return x.Str() < y.Str()
			}
		case x.Raw() != y.Raw():
			return int64(x.Raw()) < int64(y.Raw())
		}
	}
	return false
}

func (m *memSource) scanAll(t *Table, each func(types.TID, types.Row) (bool, error)) error {
	for _, row := range t.Rows() {
		if more, err := each(types.TID{}, row); err != nil || !more {
			return err
		}
	}
	return nil
}

func (m *memSource) mappedFilenode(rel OID, _ bool) uint32 { return uint32(rel) }
func (m *memSource) dbOID() OID                            { return Template1DB }
