package catalog

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/tuple"
)

// OpenHeap gives the heap of a table, made once a descriptor.
func (v *View) OpenHeap(rel *Relation) (*heap.Relation, error) {
	rel.opened.mu.Lock()
	defer rel.opened.mu.Unlock()
	if rel.opened.heap != nil {
		return rel.opened.heap, nil
	}
	spec := heap.Spec{ID: rel.Storage, OID: rel.OID, Name: rel.Name, Layout: tuple.NewLayout(rel.Desc), FillFactor: rel.Fillfactor,
		Temp: rel.Persistence == 't', NoRowLocks: rel.OID < FirstUserOID}
	for _, ix := range rel.Indexes {
		IndexAttrs(ix).Each(func(num int16) bool { spec.IndexedAttrs.Add(num); return true })
		if ix.Unique && ix.Immediate && len(ix.Exprs) == 0 && ix.Pred == nil {
			for _, k := range ix.Keys[:ix.NumKeys] {
				spec.KeyAttrs.Add(k)
			}
		}
	}
	h, err := v.cluster.st.Heap.Open(spec)
	if err == nil {
		rel.opened.heap = h
	}
	return h, err
}

// OpenIndex gives an index of a table, made once a descriptor. env serves comparisons of types that are not built in.
func (v *View) OpenIndex(env *types.Env, rel *Relation, ix *Index) (index.Index, error) {
	rel.opened.mu.Lock()
	defer rel.opened.mu.Unlock()
	if x := rel.opened.indexes[ix.OID]; x != nil {
		return x, nil
	}
	am, def, err := v.IndexDef(env, rel, ix)
	if err != nil {
		return nil, err
	}
	x := am.Open(def)
	if rel.opened.indexes == nil {
		rel.opened.indexes = map[OID]index.Index{}
	}
	rel.opened.indexes[ix.OID] = x
	return x, nil
}

// IndexDef describes an index to its access method.
func (v *View) IndexDef(env *types.Env, rel *Relation, ix *Index) (index.AM, *index.Def, error) {
	am := v.cluster.st.AMs[ix.AM]
	if am == nil {
		return nil, nil, pgerr.NotSupported("access method %d", ix.AM)
	}
	d := &index.Def{Rel: ix.Storage, OID: ix.OID, HeapOID: rel.OID, Name: ix.Name, HeapName: rel.Name, Temp: rel.Persistence == 't',
		Unique: ix.Unique, NullsNotDistinct: ix.NullsNotDistinct, Fillfactor: ix.Fillfactor,
		Layout: tuple.NewLayout(&types.TupleDesc{Attrs: ix.Attrs, TypeOID: types.RecordOID, TypMod: -1})}
	for i := range ix.NumKeys {
		c := index.KeyCol{Desc: ix.Desc[i], NullsFirst: ix.NullsFirst[i], Family: ix.OpFamilies[i], InputType: ix.OpcInTypes[i],
			Collation: ix.Collations[i]}
		proc, err := v.AmProc(c.Family, c.InputType, c.InputType, 1)
		if err != nil {
			return nil, nil, err
		}
		p, err := v.Proc(proc)
		if err != nil {
			return nil, nil, err
		}
		if p == nil {
			return nil, nil, pgerr.Internal("missing support function 1 for attribute %d of index \"%s\"", i+1, ix.Name)
		}
		if ix.AM == HashAM {
			c.HashProc = proc
			c.Hash, _, err = types.LookupHash(env, p.Src, KeyType(rel, ix, i), c.Collation)
		} else {
			c.Compare, err = types.LookupCompare(env, p.Src, ix.Attrs[i].TypeOID, c.Collation)
		}
		if err != nil {
			return nil, nil, err
		}
		d.Cols = append(d.Cols, c)
	}
	return am, d, nil
}

// KeyType is the type of an index column's values in the table; the index may keep another one (a hash code).
func KeyType(rel *Relation, ix *Index, col int) OID {
	expr := 0
	for _, k := range ix.Keys[:col] {
		if k == 0 {
			expr++
		}
	}
	if k := ix.Keys[col]; k != 0 {
		return rel.Desc.Attrs[k-1].TypeOID
	}
	return ix.Exprs[expr].Type()
}
