package executor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/xact"
)

// indexWriter adds index entries for the rows that a statement writes.
type indexWriter struct {
	s       *State
	table   *Table
	indexes []indexTarget
	probe   *heapProbe
}

// indexTarget is one index with the expressions that make its entries.
type indexTarget struct {
	*TableIndex
	exprs []expr.Eval // of Cat.Exprs
	pred  expr.Qual   // nil = every row
	args  index.InsertArgs
	attrs heap.AttrSet // heap columns that the entry depends on
	excl  *exclusion   // of an exclusion constraint
}

func (s *State) newIndexWriter(t *Table) (*indexWriter, error) {
	w := &indexWriter{s: s, table: t, probe: newHeapProbe(s.Backend, t)}
	for i := range t.Indexes {
		ti := &t.Indexes[i]
		if !ti.Cat.Ready {
			continue
		}
		x := indexTarget{TableIndex: ti}
		var err error
		if x.exprs, err = s.compiler().CompileList(ti.Cat.Exprs); err != nil {
			return nil, err
		}
		if ti.Cat.Pred != nil {
			if x.pred, err = s.compiler().CompileQual(catalog.ImplicitAnd(ti.Cat.Pred)); err != nil {
				return nil, err
			}
		}
		if ti.Cat.Exclusion {
			if x.excl, err = s.newExclusion(t, ti.Cat); err != nil {
				return nil, err
			}
		}
		x.attrs = catalog.IndexAttrs(ti.Cat)
		x.args = index.InsertArgs{Values: make(types.Row, len(ti.Cat.Keys)), Heap: w.probe, Cancel: s.Backend.Heap.Cancel}
		w.indexes = append(w.indexes, x)
	}
	return w, nil
}

// entryOptions of indexWriter.insert. changed, when not nil, are the columns that an update changed: an index that has none of them gets its
// entry with the hint that the values are the old ones. speculative, when not nil, are the arbiters of ON CONFLICT: a possible duplicate in
// one of them is reported instead of waited for.
type entryOptions struct {
	changed     *heap.AttrSet
	speculative *onConflict
}

// insert adds the entries of a row at tid; duplicate says that an arbiter index may have the key already.
func (w *indexWriter) insert(ctx *expr.Context, row types.Row, tid types.TID, o entryOptions) (duplicate bool, err error) {
	for i := range w.indexes {
		x := &w.indexes[i]
		ok, err := x.form(ctx, row)
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		x.args.TID = tid
		x.args.Unchanged = o.changed != nil && !o.changed.Intersects(x.attrs)
		arbiter := o.speculative != nil && o.speculative.isArbiter(x)
		x.args.Check = x.uniqueCheck(arbiter)
		unique, err := x.Index.Insert(&x.args)
		if err != nil {
			return false, w.wordError(x, err)
		}
		if x.excl != nil {
			conflicts, err := w.checkExclusion(x, tid, arbiter || x.Cat.Deferrable)
			if err != nil {
				return false, err
			}
			unique = !conflicts
		}
		if unique {
			continue
		}
		if arbiter {
			return true, nil
		}
		w.s.Backend.After.addUniqueRecheck(w.table, x.Cat, tid)
	}
	return false, nil
}

// uniqueCheck says how the index is to look for duplicates.
func (x *indexTarget) uniqueCheck(arbiter bool) index.UniqueCheck {
	switch {
	case !x.Cat.Unique:
		return index.CheckNo
	case x.Cat.Deferrable || arbiter:
		return index.CheckPartial
	}
	return index.CheckYes
}

// form puts the entry's values of a row into args; false when the predicate leaves the row out.
func (x *indexTarget) form(ctx *expr.Context, row types.Row) (bool, error) {
	ctx.Scan = row
	if ok, err := passes(x.pred, ctx); err != nil || !ok {
		return false, err
	}
	return true, x.values(ctx, row, x.args.Values)
}

// values computes a row's index columns.
func (x *indexTarget) values(ctx *expr.Context, row, into types.Row) error {
	ctx.Scan = row
	next := 0
	for i, att := range x.Cat.Keys {
		if att != 0 {
			into[i] = row[att-1]
			continue
		}
		d, err := x.exprs[next](ctx)
		if err != nil {
			return err
		}
		next++
		into[i] = d
	}
	return nil
}

// wordError turns a duplicate key into the error a client sees.
func (w *indexWriter) wordError(x *indexTarget, err error) error {
	var dup *index.DuplicateKey
	if !errors.As(err, &dup) {
		return err
	}
	return DuplicateKeyError(w.s.Backend, w.table.Rel, x.Cat, dup)
}

// DuplicateKeyError words a unique violation.
func DuplicateKeyError(b *Backend, rel *catalog.Relation, ix *catalog.Index, dup *index.DuplicateKey) error {
	message, what := "duplicate key value violates unique constraint \"%s\"", "already exists"
	if dup.Building {
		message, what = "could not create unique index \"%s\"", "is duplicated"
	}
	e := pgerr.New(pgerr.UniqueViolation, message, ix.Name).WithTable(b.schemaName(rel.Namespace), rel.Name).WithConstraint(ix.Name)
	if MayReadColumns(b.Catalog, rel, ix.Keys[:ix.NumKeys]) {
		cols, vals := keyText(b, rel, ix, dup.Values)
		e.WithDetail("Key (%s)=(%s) %s.", cols, vals, what)
	}
	return e
}

// keyText gives the names and values of an index key: expressions as pg_get_indexdef prints them.
func keyText(b *Backend, rel *catalog.Relation, ix *catalog.Index, values types.Row) (cols, vals string) {
	var names, texts []string
	next := 0
	for i := 0; i < ix.NumKeys; i++ {
		if att := ix.Keys[i]; att != 0 {
			names = append(names, rel.Desc.Attrs[att-1].Name)
		} else {
			name := fmt.Sprintf("expression %d", next+1)
			if b.ExprText != nil {
				name = b.ExprText(rel, ix.Exprs[next])
			}
			names = append(names, name)
			next++
		}
		if values[i].IsNull() {
			texts = append(texts, "null")
			continue
		}
		text, err := types.Output(b.Env, catalog.KeyType(rel, ix, i), values[i])
		if err != nil {
			text = "?"
		}
		texts = append(texts, text)
	}
	return strings.Join(names, ", "), strings.Join(texts, ", ")
}

// heapProbe answers an index's questions about the rows of a table.
type heapProbe struct {
	b     *Backend
	table *Table
	at    types.TID
}

func newHeapProbe(b *Backend, t *Table) *heapProbe { return &heapProbe{b: b, table: t} }

// Dirty looks at the row as it stands, uncommitted changes included.
func (p *heapProbe) Dirty(tid types.TID) (index.RowState, error) {
	st, err := p.table.Heap.DirtyState(p.b.Heap.Tx, tid)
	p.at = tid
	return index.RowState{Found: st.Found, AllDead: st.AllDead, Wait: uint64(st.Wait)}, err
}

// IsLive says whether the version just inserted still lives.
func (p *heapProbe) IsLive(tid types.TID) (bool, error) {
	return p.table.Heap.IsLive(p.b.Heap.Tx, tid)
}

// DeadToAll finds rows that nobody can see any more.
func (p *heapProbe) DeadToAll(tids []types.TID, dead []bool) error {
	return p.table.Heap.DeadToAll(tids, dead)
}

// WaitXID waits for a transaction that may make or unmake a duplicate.
func (p *heapProbe) WaitXID(xid uint64, token uint32) error {
	return p.b.Heap.Waiter.WaitXID(xact.XID(xid), heap.WaitReason{Op: heap.WaitInsertIndex, Rel: p.table.Heap, TID: p.at})
}
