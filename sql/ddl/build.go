package ddl

import (
	"errors"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// entryMaker computes an index's entries from rows.
type entryMaker struct {
	ix     *catalog.Index
	exprs  []expr.Eval
	pred   expr.Qual
	x      *expr.Context
	values types.Row
}

func (c *ctx) newEntryMaker(ix *catalog.Index) (*entryMaker, error) {
	m := &entryMaker{ix: ix, x: c.evalContext(), values: make(types.Row, len(ix.Keys))}
	var err error
	if m.exprs, err = c.compiler().CompileList(ix.Exprs); err != nil {
		return nil, err
	}
	m.pred, err = c.compileQual(ix.Pred)
	return m, err
}

// entry computes the entry of a row into m.values; false when the predicate leaves the row out.
func (m *entryMaker) entry(row types.Row) (bool, error) {
	m.x.Scan = row
	m.x.Arena.Reset()
	if m.pred != nil {
		if ok, err := m.pred(m.x); err != nil || !ok {
			return false, err
		}
	}
	next := 0
	for i, att := range m.ix.Keys {
		if att != 0 {
			m.values[i] = row[att-1]
			continue
		}
		d, err := m.exprs[next](m.x)
		if err != nil {
			return false, err
		}
		next++
		m.values[i] = d
	}
	return true, nil
}

// buildWorkMem is the memory that an index build sorts in, in bytes: maintenance_work_mem's default.
const buildWorkMem = 64 << 20

// fillIndex fills an index without pages from its table's rows, and notes the sizes of both.
func (c *ctx) fillIndex(rel *catalog.Relation, oid OID) error {
	ix := indexByOID(rel, oid)
	if ix == nil {
		return pgerr.Internal("index %d is not one of \"%s\"", oid, rel.Name)
	}
	h, err := c.v.OpenHeap(rel)
	if err != nil {
		return err
	}
	stats, tuples, broken, err := c.buildIndex(rel, ix, h)
	if err != nil {
		return err
	}
	if broken {
		err := c.v.Modify(catalog.PgIndexOID, catalog.PgIndexIndexrelidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) {
			row[catalog.IndexIndcheckxmin] = types.Bool(true)
		})
		if err != nil {
			return err
		}
	}
	if err := c.setSize(oid, stats.Pages, float32(stats.Tuples)); err != nil {
		return err
	}
	if h.NumBlocks() == 0 && rel.Tuples < 0 {
		return nil
	}
	return c.setSize(rel.OID, h.NumBlocks(), float32(tuples))
}

func indexByOID(rel *catalog.Relation, oid OID) *catalog.Index {
	for _, ix := range rel.Indexes {
		if ix.OID == oid {
			return ix
		}
	}
	return nil
}

// buildIndex makes an index's pages.
func (c *ctx) buildIndex(rel *catalog.Relation, ix *catalog.Index, h *heap.Relation) (st index.BuildStats, tuples float64, broken bool, err error) {
	am, def, err := c.v.IndexDef(c.Backend.Env, rel, ix)
	if err != nil {
		return st, 0, false, err
	}
	m, err := c.newEntryMaker(ix)
	if err != nil {
		return st, 0, false, err
	}
	b := am.NewBuild(def, index.BuildOptions{WorkMem: buildWorkMem, TempDir: c.Backend.Temp.Dir, Interrupt: c.Backend.Interrupted})
	tuples, broken, err = h.BuildScan(c.heapSession(), c.Backend.Interrupted, func(tid types.TID, slot *heap.Slot, isLive bool) error {
		if err := slot.DeformAll(); err != nil {
			return err
		}
		ok, err := m.entry(slot.Row)
		if err != nil || !ok {
			return err
		}
		return b.Add(m.values, tid, isLive)
	})
	if err != nil {
		b.Abort()
		return st, 0, false, err
	}
	st, err = b.Finish()
	var dup *index.DuplicateKey
	if errors.As(err, &dup) {
		err = executor.DuplicateKeyError(c.Backend, rel, ix, dup)
	}
	return st, tuples, broken, err
}

// setSize notes a relation's size in pg_class, if it changed.
func (c *ctx) setSize(oid OID, pages uint32, tuples float32) error {
	tid, old, err := c.v.Find(catalog.PgClassOidIndexOID, types.Oid(oid))
	if err != nil {
		return err
	}
	if old == nil {
		return pgerr.Internal("cache lookup failed for relation %d", oid)
	}
	row := append(types.Row(nil), old...)
	row[catalog.ClassRelpages], row[catalog.ClassReltuples] = types.Int4(int32(pages)), types.Float4(tuples)
	if row[catalog.ClassRelpages] == old[catalog.ClassRelpages] && row[catalog.ClassReltuples] == old[catalog.ClassReltuples] {
		return nil
	}
	if err := c.v.Update(catalog.PgClassOID, tid, old, row); err != nil {
		return err
	}
	return c.next()
}
