package ddl

import (
	"math"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/partition"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// analyzeTree gathers statistics over the rows of a table and all its descendants, beside those of the table alone. Each table gives rows in
// proportion to its pages.
func (c *ctx) analyzeTree(rel *catalog.Relation, columns []analyzedColumn, target int) error {
	list, _, err := c.descendants(rel.OID, accessShare)
	if err != nil {
		return err
	}
	if len(list) < 2 { // its children are gone
		return c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(rel.OID)}, func(row types.Row) {
			row[catalog.ClassRelhassubclass] = types.Bool(false)
		})
	}
	s, some, err := c.sampleTree(rel, list, target)
	if err != nil || !some {
		return err
	}
	if len(s.rows) > 0 {
		for _, a := range columns {
			if a.target == 0 {
				continue
			}
			if err := c.analyzeColumn(rel, a, s); err != nil {
				return err
			}
		}
	}
	if rel.Kind != 'p' {
		return nil
	}
	return c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(rel.OID)}, func(row types.Row) {
		row[catalog.ClassRelpages], row[catalog.ClassReltuples] = types.Int4(-1), types.Float4(float32(s.totalRows))
	})
}

// sampledTable is one table of a tree that is sampled.
type sampledTable struct {
	rel    *catalog.Relation
	heap   *heap.Relation
	blocks float64
}

// sampleTree takes rows of all tables in the shape of the topmost; some is false when there is no table to take any from.
func (c *ctx) sampleTree(top *catalog.Relation, list []OID, target int) (s *sample, some bool, err error) {
	var tables []sampledTable
	total := 0.0
	for _, oid := range list {
		rel, err := c.v.Relation(oid)
		if err != nil {
			return nil, false, err
		}
		if rel.Kind != 'r' || rel.Persistence == 't' && rel.Namespace != c.v.TempNamespace() {
			continue
		}
		h, err := c.v.OpenHeap(rel)
		if err != nil {
			return nil, false, err
		}
		t := sampledTable{rel, h, float64(h.NumBlocks())}
		total += t.blocks
		tables = append(tables, t)
	}
	if len(tables) == 0 || len(tables) == 1 && tables[0].rel.OID == top.OID {
		return nil, false, nil
	}
	s = &sample{inherited: true}
	want := max(300*target, 100)
	for _, t := range tables {
		if t.blocks == 0 {
			continue
		}
		n := min(int(math.RoundToEven(float64(want)*t.blocks/total)), want-len(s.rows))
		if n <= 0 {
			continue
		}
		part, err := c.sampleRows(t.heap, n)
		if err != nil {
			return nil, false, err
		}
		cols := partition.MapColumns(top, t.rel)
		same := partition.Same(cols, top, t.rel)
		for _, row := range part.rows {
			if !same {
				mapped := make(types.Row, len(cols))
				for i, col := range cols {
					mapped[i] = types.Null
					if col > 0 {
						mapped[i] = row[col-1]
					}
				}
				row = mapped
			}
			s.rows = append(s.rows, row)
		}
		s.totalRows += part.totalRows
		s.dead += part.dead
	}
	return s, true, nil
}
