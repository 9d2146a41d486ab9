package catalog

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// Verify checks all tables of the view's database, the catalogs included, with their indexes: for crash tests and calf inspect. Nobody may change
// anything meanwhile. Errors are joined; each names its relation.
func (v *View) Verify(env *types.Env) error {
	var oids []OID
	err := v.ScanAll(PgClassOID, func(_ types.TID, row types.Row) (bool, error) {
		switch row[ClassRelkind].Char() {
		case 'r', 'm': // wide values are in a fork of their table; toast tables are names only
			oids = append(oids, row[ClassOid].Oid())
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("reading pg_class: %w", err)
	}
	var errs []error
	for _, oid := range oids {
		rel, err := v.Relation(oid)
		if err != nil {
			errs = append(errs, fmt.Errorf("relation %d: %w", oid, err))
			continue
		}
		if rel != nil && rel.Persistence != 't' {
			errs = append(errs, v.VerifyRelation(env, rel))
		}
	}
	return errors.Join(errs...)
}

// VerifyRelation checks a table's heap, each index's structure, that every index entry belongs to a row with its values, and that every row
// has its entry. Values of indexes on expressions are not compared, and rows that a predicate may leave out are not missed.
func (v *View) VerifyRelation(env *types.Env, rel *Relation) error {
	h, err := v.OpenHeap(rel)
	if err != nil {
		return err
	}
	errs := []error{h.Check(0)}
	for _, ix := range rel.Indexes {
		if err := v.verifyIndex(env, rel, h, ix); err != nil {
			errs = append(errs, fmt.Errorf("index %q: %w", ix.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (v *View) verifyIndex(env *types.Env, rel *Relation, h *heap.Relation, ix *Index) error {
	x, err := v.openToVerify(env, rel, ix)
	if err != nil {
		return err
	}
	rows := map[types.TID]types.Row{} // by the beginning of the HOT chain
	_, _, err = h.BuildScan(v.sess, nil, func(tid types.TID, slot *heap.Slot, _ bool) error {
		if rows[tid] != nil {
			return nil
		}
		if err := slot.DeformAll(); err != nil {
			return err
		}
		row := make(types.Row, len(ix.Keys))
		for i, k := range ix.Keys {
			if row[i] = types.Null; k > 0 {
				row[i] = slot.Row[k-1].Clone()
			}
		}
		rows[tid] = row
		return nil
	})
	if err != nil {
		return err
	}
	entered := map[types.TID]bool{}
	err = x.Check(func(tid types.TID, values types.Row) error {
		entered[tid] = true
		row := rows[tid]
		for i := range row {
			if ix.Keys[i] > 0 && !sameBytes(row[i], values[i]) {
				return fmt.Errorf("the entry of (%d,%d) has another value in column %d than the row", tid.Block, tid.Off, i+1)
			}
		}
		return nil
	})
	if err != nil || ix.Pred != nil {
		return err
	}
	for tid := range rows {
		if !entered[tid] {
			return fmt.Errorf("the row at (%d,%d) has no entry", tid.Block, tid.Off)
		}
	}
	return nil
}

// openToVerify opens an index; that of a catalog as the catalog itself does, which needs no type's comparison to be there.
func (v *View) openToVerify(env *types.Env, rel *Relation, ix *Index) (index.Index, error) {
	loadBoot()
	if own := boot.index[ix.OID]; own != nil {
		return v.indexOf(own)
	}
	return v.OpenIndex(env, rel, ix)
}

// sameBytes says whether two values of one type are stored alike.
func sameBytes(a, b types.Datum) bool {
	switch {
	case a.IsNull() || b.IsNull():
		return a.IsNull() && b.IsNull()
	case a.IsByRef() && b.IsByRef():
		return bytes.Equal(a.Bytes(), b.Bytes())
	}
	return a.IsByRef() == b.IsByRef() && a.Raw() == b.Raw()
}
