package ddl

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/pgstat"
)

// statisticsTarget is default_statistics_target.
const statisticsTarget = 100

// sample is what ANALYZE looks at: rows in their order in the table.
type sample struct {
	rows      []types.Row
	totalRows float64 // estimate of all live rows
	dead      float64 // estimate of all dead ones
	inherited bool    // of a table and its descendants
}

// analyzeOne gathers the statistics of a table's columns.
func (c *ctx) analyzeOne(t vacuumTarget, o vacuumOptions) error {
	rel, err := c.lockTarget(t, o, shareUpdateExclusive, "analyze")
	if rel == nil || err != nil || rel.Kind == 't' || rel.OID == catalog.PgStatisticOID {
		return err
	}
	columns, err := c.analyzeColumns(rel, t.columns)
	if err != nil {
		return err
	}
	target := 0
	for _, a := range columns {
		target = max(target, a.target)
	}
	if rel.Kind == 'p' {
		return c.analyzeTree(rel, columns, target)
	}
	h, err := c.v.OpenHeap(rel)
	if err != nil {
		return err
	}
	s, err := c.sampleRows(h, max(300*target, 100))
	if err != nil {
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
	if err := c.noteAnalyze(rel, h, s); err != nil {
		return err
	}
	c.reportAnalyze(rel, s, len(t.columns) == 0)
	if !rel.HasSubclass || rel.Kind != 'r' {
		return nil
	}
	if err := c.next(); err != nil {
		return err
	}
	return c.analyzeTree(rel, columns, target)
}

// reportAnalyze tells the statistics collector. What this transaction has changed itself is counted when it commits.
func (c *ctx) reportAnalyze(rel *catalog.Relation, s *sample, allColumns bool) {
	stats := c.heapSession().Stats
	live, dead := stats.Unsettled(pgstat.OID(rel.OID))
	r := c.vacuumReportOf(rel, int64(s.totalRows)-live, int64(s.dead)-dead)
	stats.Collector().Analyzed(r, allColumns)
}

// vacuumReportOf is what a vacuum or analyze of a table tells.
func (c *ctx) vacuumReportOf(rel *catalog.Relation, live, dead int64) pgstat.VacuumReport {
	r := pgstat.VacuumReport{DB: pgstat.OID(c.v.DBOID()), Rel: pgstat.OID(rel.OID), Live: live, Dead: dead, Auto: c.Backend.Autovacuum, At: time.Now()}
	if rel.Shared {
		r.DB = 0
	}
	return r
}

// analyzedColumn is a column to analyse, with its statistics target.
type analyzedColumn struct {
	*types.Attr
	target int
}

// analyzeColumns finds the columns: those named, or all.
func (c *ctx) analyzeColumns(rel *catalog.Relation, names []string) ([]analyzedColumn, error) {
	targets := map[int16]int{}
	err := c.v.Scan(catalog.PgAttributeRelidAttnumIndexOID, []types.Datum{types.Oid(rel.OID)}, func(_ types.TID, row types.Row) (bool, error) {
		targets[row[catalog.AttributeAttnum].Int2()] = int(row[catalog.AttributeAttstattarget].Int4())
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	var list []analyzedColumn
	add := func(a *types.Attr) {
		t := targets[a.Num]
		if t < 0 {
			t = statisticsTarget
		}
		list = append(list, analyzedColumn{a, t})
	}
	if len(names) == 0 {
		for i := range rel.Desc.Attrs {
			if a := &rel.Desc.Attrs[i]; !a.Dropped {
				add(a)
			}
		}
		return list, nil
	}
	seen := map[string]bool{}
	for _, name := range names {
		a := rel.AttrByName(name)
		if a == nil {
			return nil, pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, rel.Name)
		}
		if seen[name] {
			return nil, pgerr.New(pgerr.DuplicateColumn, "column \"%s\" of relation \"%s\" appears more than once", name, rel.Name)
		}
		seen[name] = true
		add(a)
	}
	return list, nil
}

// sampleRows takes up to want rows in two stages: want blocks at random (Knuth's algorithm S), and of their rows a reservoir.
func (c *ctx) sampleRows(h *heap.Relation, want int) (*sample, error) {
	s := &sample{}
	blocks := h.NumBlocks()
	var slot heap.Slot
	slot.Init(h)
	defer slot.Clear()
	var places []types.TID
	live, picked := 0.0, uint32(0)
	at := 0 // where the row goes
	pick := func() bool {
		live++
		if at = len(s.rows); at >= want {
			at = int(rand.Float64() * live)
		}
		return at < want
	}
	take := func() error {
		if err := slot.DeformAll(); err != nil {
			return err
		}
		row := make(types.Row, len(slot.Row))
		for i, d := range slot.Row {
			row[i] = d.Clone()
		}
		if at == len(s.rows) {
			s.rows, places = append(s.rows, row), append(places, slot.TID)
		} else {
			s.rows[at], places[at] = row, slot.TID
		}
		return nil
	}
	for b := uint32(0); b < blocks && picked < uint32(want); b++ {
		left, need := float64(blocks-b), float64(min(uint32(want), blocks)-picked)
		if need < left && rand.Float64()*left >= need {
			continue
		}
		picked++
		if err := c.Backend.Interrupted(); err != nil {
			return nil, err
		}
		_, dead, err := h.AnalyzePage(c.heapSession(), b, &slot, pick, take)
		if err != nil {
			return nil, err
		}
		s.dead += dead
	}
	if live > float64(want) {
		sortByPlace(s.rows, places)
	}
	if picked > 0 {
		s.totalRows = math.Floor(live/float64(picked)*float64(blocks) + 0.5)
		s.dead = math.Floor(s.dead/float64(picked)*float64(blocks) + 0.5)
	}
	return s, nil
}

// noteAnalyze writes the table's size to pg_class.
func (c *ctx) noteAnalyze(rel *catalog.Relation, h *heap.Relation, s *sample) error {
	if err := c.setSize(rel.OID, h.NumBlocks(), float32(s.totalRows)); err != nil {
		return err
	}
	for _, ix := range rel.Indexes {
		if ix.Pred != nil {
			continue
		}
		x, err := c.v.OpenIndex(c.Backend.Env, rel, ix)
		if err != nil {
			return err
		}
		st, err := x.Stats()
		if err != nil {
			return err
		}
		if err := c.setSize(ix.OID, st.Pages, float32(s.totalRows)); err != nil {
			return err
		}
	}
	return nil
}

// analyzeColumn computes a column's statistics and stores them.
func (c *ctx) analyzeColumn(rel *catalog.Relation, a analyzedColumn, s *sample) error {
	st := &columnStats{attr: a.Attr, target: a.target, totalRows: s.totalRows, sampleRows: len(s.rows)}
	st.take(s.rows)
	base, err := c.v.BaseType(a.TypeOID)
	if err != nil {
		return err
	}
	lt, eq, err := c.orderOperators(base)
	if err != nil {
		return err
	}
	st.lt, st.eq = lt, eq
	if lt != 0 {
		// An array whose elements have no order has none either: only nulls and widths are counted then.
		if st.compare, err = types.CompareFor(c.Backend.Env, base, a.Collation); err != nil {
			st.compare = nil
		}
	}
	st.compute()
	return c.storeStats(rel, st, s.inherited)
}

// orderOperators gives the < and = of a type's default btree operator class, 0 when it has none.
func (c *ctx) orderOperators(typ OID) (lt, eq OID, err error) {
	opc, err := c.v.DefaultOpClass(catalog.BTreeAM, typ)
	if err != nil || opc == 0 {
		return 0, 0, err
	}
	k, err := c.v.OpClass(opc)
	if err != nil {
		return 0, 0, err
	}
	if lt, err = c.v.AmOp(k.Family, k.InType, k.InType, 1); err != nil {
		return 0, 0, err
	}
	eq, err = c.v.AmOp(k.Family, k.InType, k.InType, 3)
	return lt, eq, err
}

// storeStats replaces a column's row in pg_statistic.
func (c *ctx) storeStats(rel *catalog.Relation, st *columnStats, inherited bool) error {
	row := catalog.NewRow(catalog.PgStatisticOID)
	row[catalog.StatisticStarelid], row[catalog.StatisticStaattnum] = types.Oid(rel.OID), types.Int2(st.attr.Num)
	row[catalog.StatisticStainherit] = types.Bool(inherited)
	row[catalog.StatisticStanullfrac] = types.Float4(float32(st.nullFrac))
	row[catalog.StatisticStawidth] = types.Int4(int32(st.width))
	row[catalog.StatisticStadistinct] = types.Float4(float32(st.distinct))
	for i := range 5 {
		row[catalog.StatisticStakind1+i], row[catalog.StatisticStaop1+i] = types.Int2(0), types.Oid(0)
		row[catalog.StatisticStacoll1+i] = types.Oid(0)
	}
	a := *st.attr
	for i, slot := range st.slots {
		row[catalog.StatisticStakind1+i], row[catalog.StatisticStaop1+i] = types.Int2(slot.Kind), types.Oid(slot.Op)
		row[catalog.StatisticStacoll1+i] = types.Oid(a.Collation)
		if slot.Numbers != nil {
			row[catalog.StatisticStanumbers1+i] = catalog.Float4Array(slot.Numbers)
		}
		if slot.Values != nil {
			row[catalog.StatisticStavalues1+i] = catalog.AnyArray(&a, slot.Values...)
		}
	}
	tid, old, err := c.v.Find(catalog.PgStatisticRelidAttInhIndexOID, types.Oid(rel.OID), types.Int2(a.Num), types.Bool(inherited))
	if err != nil {
		return err
	}
	if old == nil {
		return c.v.Insert(catalog.PgStatisticOID, row)
	}
	return c.v.Update(catalog.PgStatisticOID, tid, old, row)
}
