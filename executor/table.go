package executor

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/pgstat"
)

// Table is a relation opened for a statement: its descriptor and its heap.
type Table struct {
	Rel     *catalog.Relation
	Heap    *heap.Relation
	Indexes []TableIndex
}

// openRelation is a range table entry of kind relation in a running statement.
type openRelation struct {
	*Table
	rowType *types.TupleDesc // for whole-row references
	stats   *pgstat.Table
}

// relation opens the table of a range table entry, once a State.
func (s *State) relation(rtIndex int) (*openRelation, error) {
	if r := s.rels[rtIndex-1]; r != nil {
		return r, nil
	}
	rte := s.Plan.RangeTable[rtIndex-1]
	if rte.Kind != query.RTERelation {
		return nil, pgerr.Internal("range table entry %d is no relation", rtIndex)
	}
	rel, err := s.Backend.Catalog.Relation(rte.RelOID)
	if err != nil {
		return nil, err
	}
	if rel == nil {
		return nil, pgerr.New(pgerr.UndefinedTable, "relation with OID %d does not exist", rte.RelOID)
	}
	if rel.Kind == 'm' && !rel.IsPopulated {
		return nil, pgerr.New(pgerr.ObjectNotInPrerequisiteState, "materialized view \"%s\" has not been populated", rel.Name).
			WithHint("Use the REFRESH MATERIALIZED VIEW command.")
	}
	t, err := s.Backend.OpenTable(rel)
	if err != nil {
		return nil, err
	}
	r := &openRelation{Table: t, stats: s.Backend.stats(rel.OID, rel.Shared)}
	s.rels[rtIndex-1] = r
	return r, nil
}

// stats is where the session counts what is done to a relation.
func (b *Backend) stats(oid types.OID, shared bool) *pgstat.Table {
	return b.Heap.Stats.Table(pgstat.OID(oid), shared)
}

// wholeRowDesc gives the row type of a whole-row variable's range table entry.
func (s *State) wholeRowDesc(v *query.Var) (*types.TupleDesc, error) {
	rt := v.VarNo
	if rt < 1 {
		rt = v.SynNo
	}
	if rt < 1 || rt > len(s.Plan.RangeTable) {
		return nil, pgerr.Internal("whole-row variable of an unknown relation")
	}
	rte := s.Plan.RangeTable[rt-1]
	if rte.Kind == query.RTERelation {
		r, err := s.relation(rt)
		if err != nil {
			return nil, err
		}
		desc := *r.Rel.Desc
		desc.TypeOID, desc.TypMod = r.Rel.RowType, -1
		return &desc, nil
	}
	if rte.Kind == query.RTEFunction && v.TypeOID != types.RecordOID {
		return s.Backend.Env.Catalog.RowType(v.TypeOID, -1)
	}
	return s.rteRowDesc(rte)
}

// rteRowDesc makes an anonymous row type of a range table entry's columns.
func (s *State) rteRowDesc(rte *query.RTE) (*types.TupleDesc, error) {
	var cols []types.RecordColumn
	add := func(typ types.OID, mod int32, coll types.OID) {
		c := types.RecordColumn{Type: typ, TypMod: mod, Collation: coll}
		if rte.Eref != nil && len(cols) < len(rte.Eref.Cols) {
			c.Name = rte.Eref.Cols[len(cols)]
		}
		cols = append(cols, c)
	}
	for i := range rte.ColTypes {
		add(rte.ColTypes[i], rte.ColTypMods[i], rte.ColCollations[i])
	}
	return types.NewRecordDesc(s.Backend.Env, cols)
}
