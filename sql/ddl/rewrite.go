package ddl

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/tuple"
)

// rebuiltIndex is an index whose column changed its type: its row in the catalogs is right already, its pages are made again.
type rebuiltIndex struct{ oid OID }

// rowWriter fills new storage of a table with rows, a page at a time.
type rowWriter struct {
	c    *ctx
	heap *heap.Relation
	rows []types.Row
	tids []types.TID
	size int

	frozen bool // rows are visible to all
	count  int64
}

const (
	rewriteRowsMax  = 500
	rewriteBytesMax = 1 << 20
)

func (c *ctx) newRowWriter(rel *catalog.Relation, id pagestore.RelID) (*rowWriter, error) {
	spec := heap.Spec{ID: id, OID: rel.OID, Name: rel.Name, Layout: tuple.NewLayout(rel.Desc), FillFactor: rel.Fillfactor, Temp: rel.Persistence == 't'}
	h, err := c.v.Cluster().Storage().Heap.Open(spec)
	if err != nil {
		return nil, err
	}
	return &rowWriter{c: c, heap: h, tids: make([]types.TID, rewriteRowsMax)}, nil
}

// add takes a copy of a row.
func (w *rowWriter) add(row types.Row) error {
	kept := make(types.Row, len(row))
	for i, d := range row {
		kept[i] = d.Clone()
		if d.IsByRef() {
			w.size += len(d.Bytes())
		}
	}
	w.rows = append(w.rows, kept)
	if len(w.rows) == rewriteRowsMax || w.size > rewriteBytesMax {
		return w.flush()
	}
	return nil
}

func (w *rowWriter) flush() error {
	w.count += int64(len(w.rows))
	err := w.heap.MultiInsert(w.c.heapSession(), w.rows, w.tids[:len(w.rows)], heap.InsertOpts{Frozen: w.frozen})
	w.rows, w.size = w.rows[:0], 0
	return err
}

// finishRows carries out what the subcommands so far ask of the rows: a rewrite, or a check for nulls.
func (a *alteration) finishRows() error {
	if !a.rewrite {
		if len(a.notNull) > 0 {
			if err := a.validateNotNull(a.rel, a.notNull); err != nil {
				return err
			}
		}
		return a.rebuildIndexes()
	}
	return a.rewriteTable()
}

func (a *alteration) rebuildIndexes() error {
	for _, r := range a.rebuild {
		if err := a.reindex(a.rel, r.oid); err != nil {
			return err
		}
	}
	return nil
}

// rewriteTable writes all rows anew, with the new columns' values, and makes all indexes again.
func (a *alteration) rewriteTable() error {
	old := a.before
	if old == nil {
		return pgerr.Internal("a rewrite without the table's former shape")
	}
	evals := make([]expr.Eval, len(a.newValues))
	for i, nv := range a.newValues {
		var err error
		if evals[i], err = a.compile(nv.expr); err != nil {
			return err
		}
	}
	id, err := a.v.NewStorage(false, a.rel.Persistence == 't')
	if err != nil {
		return err
	}
	w, err := a.newRowWriter(a.rel, id)
	if err != nil {
		return err
	}
	x := a.evalContext()
	row := make(types.Row, len(a.rel.Desc.Attrs))
	err = a.eachRow(old, func(slot *heap.Slot) error {
		x.Arena.Reset()
		for i := range row {
			row[i] = types.Null
			if i < len(slot.Row) && !a.rel.Desc.Attrs[i].Dropped {
				row[i] = slot.Row[i]
			}
		}
		x.Scan = append(types.Row(nil), row...)
		for i, nv := range a.newValues {
			if row[nv.num-1], err = evals[i](x); err != nil {
				return err
			}
		}
		if err := a.checkNewRow(row); err != nil {
			return err
		}
		return w.add(row)
	})
	if err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	return a.swapStorage(id)
}

func (a *alteration) checkNewRow(row types.Row) error {
	for i := range a.rel.Desc.Attrs {
		x := &a.rel.Desc.Attrs[i]
		if x.NotNull && row[i].IsNull() {
			return pgerr.New(pgerr.NotNullViolation, "column \"%s\" of relation \"%s\" contains null values", x.Name, a.rel.Name).
				WithTable(a.schemaName(a.rel.Namespace), a.rel.Name).WithColumn(x.Name)
		}
	}
	return nil
}

// swapStorage makes new storage the table's, and its indexes anew. Values kept for missing columns are in the rows now.
func (a *alteration) swapStorage(id pagestore.RelID) error {
	var err error
	if a.rel, err = a.setStorage(a.rel, id); err != nil {
		return err
	}
	for i := range a.rel.Desc.Attrs {
		if !a.rel.Desc.Attrs[i].HasMissing {
			continue
		}
		err := a.v.Modify(catalog.PgAttributeOID, catalog.PgAttributeRelidAttnumIndexOID,
			[]types.Datum{types.Oid(a.rel.OID), types.Int2(int16(i + 1))}, func(row types.Row) {
				row[catalog.AttributeAtthasmissing], row[catalog.AttributeAttmissingval] = types.Bool(false), types.Null
			})
		if err != nil {
			return err
		}
	}
	if a.rel, err = a.reload(a.rel.OID); err != nil {
		return err
	}
	return a.reindexAll(a.rel)
}

// setStorage makes id the table's storage; the old goes at commit.
func (c *ctx) setStorage(rel *catalog.Relation, id pagestore.RelID) (*catalog.Relation, error) {
	c.v.DropStorage(rel.Storage, rel.Persistence == 't')
	if catalog.IsMapped(rel.OID) {
		c.v.SetMappedStorage(rel.OID, rel.Shared, id.Rel)
		return c.reload(rel.OID)
	}
	err := c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(rel.OID)}, func(row types.Row) {
		row[catalog.ClassRelfilenode] = types.Oid(OID(id.Rel))
		row[catalog.ClassRelfrozenxid] = types.FromRaw(c.frozenXID() & 0xffffffff)
	})
	if err != nil {
		return nil, err
	}
	return c.reload(rel.OID)
}

// reindexAll makes all indexes of a table again.
func (c *ctx) reindexAll(rel *catalog.Relation) error {
	for _, ix := range rel.Indexes {
		if err := c.reindex(rel, ix.OID); err != nil {
			return err
		}
	}
	return nil
}

// reindex gives an index new storage and fills it.
func (c *ctx) reindex(rel *catalog.Relation, oid OID) error {
	ix := indexByOID(rel, oid)
	if ix == nil {
		return pgerr.Internal("index %d is not one of \"%s\"", oid, rel.Name)
	}
	if _, err := c.newStorage(oid, ix.Storage, rel.Persistence); err != nil {
		return err
	}
	rel, err := c.reload(rel.OID)
	if err != nil {
		return err
	}
	return c.fillIndex(rel, oid)
}

// retypeIndexes changes the indexes of a column whose type changed: the operator class becomes the new type's default where it no longer fits.
func (a *alteration) retypeIndexes(num int16, d *columnDef) error {
	for _, ix := range a.rel.Indexes {
		for i, k := range ix.Keys {
			if k != num {
				continue
			}
			if err := a.retypeIndexColumn(ix, i, d); err != nil {
				return err
			}
			a.rebuild = append(a.rebuild, rebuiltIndex{ix.OID})
		}
		if uses := catalog.IndexAttrs(ix); uses.Has(num) && (len(ix.Exprs) > 0 || ix.Pred != nil) {
			return pgerr.NotSupported("changing the type of a column used in an index expression or predicate")
		}
	}
	return nil
}

func (a *alteration) retypeIndexColumn(ix *catalog.Index, i int, d *columnDef) error {
	key := indexKey{name: ix.Attrs[i].Name, attr: d.Num, column: d.Attr, coll: d.Collation}
	if i < ix.NumKeys {
		key.opclass = ix.OpClasses[i]
		if ok, err := a.v.IsBinaryCoercible(d.TypeOID, ix.OpcInTypes[i]); err != nil {
			return err
		} else if !ok {
			if key.opclass, err = a.v.DefaultOpClass(ix.AM, d.TypeOID); err != nil {
				return err
			}
			if key.opclass == 0 {
				return pgerr.New(pgerr.UndefinedObject, "data type %s has no default operator class for access method \"%s\"",
					types.FormatType(a.Backend.Env, d.TypeOID), "btree").
					WithHint("You must specify an operator class for the index or define a default operator class for the data type.")
			}
		}
	}
	attr, err := a.indexAttr(ix.AM, &key, i, i < ix.NumKeys)
	if err != nil {
		return err
	}
	err = a.v.Modify(catalog.PgAttributeOID, catalog.PgAttributeRelidAttnumIndexOID, []types.Datum{types.Oid(ix.OID), types.Int2(int16(i + 1))}, func(row types.Row) {
		copy(row, attributeRow(ix.OID, &attr))
	})
	if err != nil || i >= ix.NumKeys {
		return err
	}
	return a.v.Modify(catalog.PgIndexOID, catalog.PgIndexIndexrelidIndexOID, []types.Datum{types.Oid(ix.OID)}, func(row types.Row) {
		classes, colls := catalog.OIDs(row[catalog.IndexIndclass]), catalog.OIDs(row[catalog.IndexIndcollation])
		classes[i], colls[i] = key.opclass, d.Collation
		row[catalog.IndexIndclass], row[catalog.IndexIndcollation] = catalog.OIDVector(classes), catalog.OIDVector(colls)
	})
}
