package executor

import (
	"fmt"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// exclusion checks an exclusion constraint: after a row's entry is in the index, no other row may be there for which all of the constraint's operators hold. Of two
// sessions that insert conflicting rows at the same least one finds the other's, since each first inserts, then looks.
type exclusion struct {
	keys  []index.ScanKey
	same  []expr.Eval // by column: the operator, over (other row's value, own value)
	ctx   *expr.Context
	own   types.Row
	other types.Row
	slot  heap.Slot
}

// newExclusion resolves the operators of an index that serves an exclusion constraint.
func (s *State) newExclusion(t *Table, ix *catalog.Index) (*exclusion, error) {
	e := &exclusion{ctx: s.context(), own: make(types.Row, ix.NumKeys), other: make(types.Row, len(ix.Keys))}
	e.slot.Init(t.Heap)
	if len(ix.ExclOps) != ix.NumKeys {
		return nil, pgerr.Internal("index \"%s\" has no exclusion operators", ix.Name)
	}
	for i, op := range ix.ExclOps {
		typ, coll := catalog.KeyType(t.Rel, ix, i), ix.Collations[i]
		column := func(at int16) query.Expr {
			return &query.Var{VarNo: query.IndexVar, AttNo: at, TypeOID: typ, Mod: -1, Coll: coll, Loc: -1}
		}
		key, err := s.operatorKey(ix, column(int16(i+1)), op, coll)
		if err != nil {
			return nil, err
		}
		o, err := s.Backend.Catalog.Operator(op)
		if err != nil {
			return nil, err
		}
		eval, err := s.compiler().Compile(&query.OpExpr{OpOID: op, FuncOID: o.Func, TypeOID: types.BoolOID, InputColl: coll, Loc: -1,
			Args: []query.Expr{column(1), column(2)}})
		if err != nil {
			return nil, err
		}
		e.keys, e.same = append(e.keys, key), append(e.same, eval)
	}
	return e, nil
}

// conflict looks for a row other than the one at tid (which may be no row yet) with which x.args.Values conflict, waiting for transactions that may yet make
// or unmake one. Its values are in x.excl.other.
func (w *indexWriter) conflict(x *indexTarget, tid types.TID) (at types.TID, found bool, err error) {
	e := x.excl
	copy(e.own, x.args.Values)
	for i, v := range e.own {
		if v.IsNull() {
			return at, false, nil // no operator holds for a null
		}
		e.keys[i].Arg = v
	}
	scan := x.Index.NewScan(index.ScanOptions{Cancel: w.s.Backend.Heap.Cancel})
	defer scan.End()
	defer e.slot.Clear()
	for {
		if err := scan.Rescan(e.keys); err != nil {
			return at, false, err
		}
		wait, at, found, err := w.nextConflict(x, scan, tid)
		if err != nil || wait == 0 {
			return at, found, err
		}
		w.probe.at = at
		if err := w.probe.WaitXID(wait, 0); err != nil {
			return at, false, err
		}
	}
}

// nextConflict gives the first conflicting row of a scan, or with wait the transaction that decides whether it is one.
func (w *indexWriter) nextConflict(x *indexTarget, scan index.Scan, own types.TID) (wait uint64, at types.TID, found bool, err error) {
	e, b := x.excl, w.s.Backend
	for {
		ok, err := scan.Next(index.Forward)
		if err != nil || !ok {
			return 0, at, false, err
		}
		if scan.TID() == own {
			continue
		}
		snap := heap.DirtySnapshot(b.Heap.Tx)
		found, _, err := w.table.Heap.FetchHOT(b.Heap, scan.TID(), &snap, &e.slot)
		if err != nil {
			return 0, at, false, err
		}
		if !found {
			continue
		}
		if err := e.slot.DeformAll(); err != nil {
			return 0, at, false, err
		}
		if err := x.values(e.ctx, e.slot.Row, e.other); err != nil {
			return 0, at, false, err
		}
		if holds, err := e.holds(); err != nil {
			return 0, at, false, err
		} else if !holds {
			continue
		}
		wait := uint64(snap.Xmin)
		if wait == 0 {
			wait = uint64(snap.Xmax)
		}
		if wait != 0 {
			e.slot.Clear() // nobody waits with a pin
		}
		return wait, scan.TID(), true, nil
	}
}

// holds says whether all operators hold between the other row's values and the own ones.
func (e *exclusion) holds() (bool, error) {
	pair := make(types.Row, 2)
	for i, same := range e.same {
		pair[0], pair[1] = e.other[i], e.own[i]
		if pair[0].IsNull() {
			return false, nil
		}
		e.ctx.Scan = pair
		d, err := same(e.ctx)
		if err != nil || d.IsNull() || !d.Bool() {
			return false, err
		}
	}
	return true, nil
}

// checkExclusion refuses a row, whose entry is formed in x.args, that conflicts with another one; with mayConflict it only tells.
func (w *indexWriter) checkExclusion(x *indexTarget, tid types.TID, mayConflict bool) (conflicts bool, err error) {
	_, found, err := w.conflict(x, tid)
	if err != nil || !found || mayConflict {
		return found, err
	}
	return true, w.exclusionError(x, false)
}

func (w *indexWriter) exclusionError(x *indexTarget, building bool) error {
	b, rel := w.s.Backend, w.table.Rel
	message, existing := "conflicting key value violates exclusion constraint \"%s\"", "existing key"
	if building {
		message, existing = "could not create exclusion constraint \"%s\"", "key"
	}
	e := pgerr.New(pgerr.ExclusionViolation, message, x.Cat.Name).WithTable(b.schemaName(rel.Namespace), rel.Name).WithConstraint(x.Cat.Name)
	if !MayReadColumns(b.Catalog, rel, x.Cat.Keys[:x.Cat.NumKeys]) {
		if building {
			return e.WithDetail("Key conflicts exist.")
		}
		return e.WithDetail("Key conflicts with existing key.")
	}
	cols, own := keyText(b, rel, x.Cat, x.excl.own)
	_, other := keyText(b, rel, x.Cat, x.excl.other)
	return e.WithDetail("%s", fmt.Sprintf("Key (%s)=(%s) conflicts with %s (%s)=(%s).", cols, own, existing, cols, other))
}

// CheckExclusion checks all rows of a table that the statement sees against an exclusion constraint whose index was just built. scan calls its argument for each row.
func CheckExclusion(b *Backend, t *Table, oid types.OID, scan func(each func(tid types.TID, row types.Row) error) error) error {
	ti, err := t.index(oid)
	if err != nil {
		return err
	}
	st := &State{Backend: b}
	w, err := st.newIndexWriter(&Table{Rel: t.Rel, Heap: t.Heap, Indexes: []TableIndex{*ti}})
	if err != nil || len(w.indexes) == 0 {
		return err
	}
	x, ctx := &w.indexes[0], st.context()
	return scan(func(tid types.TID, row types.Row) error {
		ok, err := x.form(ctx, row)
		if err != nil || !ok {
			return err
		}
		_, found, err := w.conflict(x, tid)
		if err == nil && found {
			err = w.exclusionError(x, true)
		}
		return err
	})
}
