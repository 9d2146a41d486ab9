package btree

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
)

// model is a sorted list of entries beside an index.
type model struct {
	ix   *Index
	rows []entry
}

type entry struct {
	row types.Row
	tid types.TID
}

func (m *model) compare(a, b entry) int {
	for i := range m.ix.cols {
		if d := m.ix.cols[i].compare(a.row[i], b.row[i]); d != 0 {
			return d
		}
	}
	switch {
	case a.tid.Less(b.tid):
		return -1
	case b.tid.Less(a.tid):
		return 1
	}
	return 0
}

func (m *model) insert(e entry) {
	at, _ := slices.BinarySearchFunc(m.rows, e, m.compare)
	m.rows = slices.Insert(m.rows, at, e)
}

// matches evaluates keys as SQL does, row by row.
func (m *model) matches(keys []index.ScanKey) (out []types.TID) {
	for _, e := range m.rows {
		ok := true
		for i := range keys {
			ok = ok && m.holds(&keys[i], e.row)
		}
		if ok {
			out = append(out, e.tid)
		}
	}
	return out
}

func (m *model) holds(k *index.ScanKey, row types.Row) bool {
	v := row[k.Attr-1]
	col := &m.ix.cols[k.Attr-1]
	switch k.Kind {
	case index.KeyIsNull:
		return v.IsNull()
	case index.KeyNotNull:
		return !v.IsNull()
	case index.KeyArray:
		for _, d := range k.Array {
			if !d.IsNull() && !v.IsNull() && holds(k.Strategy, col.cmp(v, d)) {
				return true
			}
		}
		return false
	case index.KeyRow:
		for i := range k.Row {
			v, a := row[k.Row[i].Attr-1], k.Row[i].Arg
			if v.IsNull() || a.IsNull() {
				return false
			}
			if d := m.ix.cols[k.Row[i].Attr-1].cmp(v, a); d != 0 || i == len(k.Row)-1 {
				return holds(k.Strategy, d)
			}
		}
	}
	return !v.IsNull() && !k.Arg.IsNull() && holds(k.Strategy, col.cmp(v, k.Arg))
}

// value makes a random value of a column: few different ones, some nulls.
func randomValue(r *rand.Rand, a *types.Attr, nulls bool) types.Datum {
	n := r.IntN(60) - 30
	switch {
	case nulls && r.IntN(12) == 0:
		return types.Null
	case a.Len == -1:
		return types.Text(fmt.Sprintf("%0*d", 1+r.IntN(60), n+30))
	case a.Len == 8:
		return types.Int8(int64(n) << 33)
	}
	return types.Int4(int32(n))
}

func randomKeys(r *rand.Rand, ix *Index) (keys []index.ScanKey) {
	as := ix.layout.Desc.Attrs
	for range r.IntN(4) {
		at := r.IntN(ix.nkeys)
		k := index.ScanKey{Attr: at + 1, Strategy: index.Strategy(r.IntN(5) + 1), Arg: randomValue(r, &as[at], true)}
		if r.IntN(3) == 0 {
			k.Strategy = index.Equal
		}
		switch r.IntN(8) {
		case 0:
			k.Kind = index.KeyIsNull
		case 1:
			k.Kind = index.KeyNotNull
		case 2:
			k.Kind = index.KeyArray
			for range r.IntN(5) {
				k.Array = append(k.Array, randomValue(r, &as[at], true))
			}
		case 3:
			if at+1 < ix.nkeys && k.Strategy != index.Equal {
				k.Kind = index.KeyRow
				for i := at; i < ix.nkeys; i++ {
					k.Row = append(k.Row, index.ScanKey{Attr: i + 1, Arg: randomValue(r, &as[i], true)})
				}
			}
		}
		keys = append(keys, k)
	}
	return keys
}

var shapes = [][]string{
	{"int4"}, {"slow int4"}, {"int8 desc"}, {"text"}, {"text desc nulls first"},
	{"int4", "text"}, {"int4 desc", "int4"}, {"text nulls first", "int8", "int4 desc nulls first"}, {"int4", "int4", "int4"},
}

// TestModel does random insertions and vacuums beside the model, and random scans in both directions.
func TestModel(t *testing.T) {
	for i, shape := range shapes {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			seed := uint64(i + 1)
			r := rand.New(rand.NewPCG(seed, 7))
			f := newFixture(t, 64)
			m := &model{ix: f.newIndex(t, false, shape...)}
			next := 0
			for round := range 6 {
				for range sized(800, 300) {
					m.insertRandom(t, r, &next)
				}
				m.checkScans(t, r, 60)
				if round%2 == 1 {
					m.vacuum(t, r, f)
				}
				if err := m.ix.Check(nil); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		})
	}
}

func (m *model) insertRandom(t testing.TB, r *rand.Rand, next *int) {
	row := make(types.Row, m.ix.natts)
	for i := range row {
		row[i] = randomValue(r, &m.ix.layout.Desc.Attrs[i], true)
	}
	*next++
	e := entry{row, tidOf(*next * 7919 % 1000003)}
	m.insert(e)
	m.ix.insert(t, e.tid, row...)
}

func (m *model) checkScans(t testing.TB, r *rand.Rand, n int) {
	t.Helper()
	for range n {
		keys := randomKeys(r, m.ix)
		want := m.matches(keys)
		got := m.ix.collect(t, index.Forward, keys...)
		m.compareTIDs(t, keys, "forward", got, want)
		got = m.ix.collect(t, index.Backward, keys...)
		slices.Reverse(got)
		m.compareTIDs(t, keys, "backward", got, want)
	}
}

// compareTIDs compares answers, as sets where an array that is not on the leading columns makes several scans.
func (m *model) compareTIDs(t testing.TB, keys []index.ScanKey, what string, got, want []types.TID) {
	t.Helper()
	for i := range keys {
		if keys[i].Kind == index.KeyArray && keys[i].Attr > 1 {
			got, want = slices.Clone(got), slices.Clone(want)
			slices.SortFunc(got, compareTID)
			slices.SortFunc(want, compareTID)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s scan of %v: %d rows, should be %d\nkeys %s", what, m.ix.layout.Desc.Attrs, len(got), len(want), formatKeys(keys))
	}
}

func formatKeys(keys []index.ScanKey) (s string) {
	for _, k := range keys {
		s += fmt.Sprintf("{attr %d kind %d strategy %d arg %v array %v row %v} ", k.Attr, k.Kind, k.Strategy, k.Arg, k.Array, k.Row)
	}
	return s
}

func compareTID(a, b types.TID) int {
	switch {
	case a.Less(b):
		return -1
	case b.Less(a):
		return 1
	}
	return 0
}

// vacuum removes a random part, sometimes a range, so that pages become empty.
func (m *model) vacuum(t testing.TB, r *rand.Rand, f *fixture) {
	t.Helper()
	gone := map[types.TID]bool{}
	from, to := r.IntN(len(m.rows)), r.IntN(len(m.rows))
	kept := m.rows[:0]
	for i, e := range m.rows {
		if i >= from && i < to || r.IntN(4) == 0 {
			gone[e.tid] = true
			continue
		}
		kept = append(kept, e)
	}
	m.rows = kept
	a := &index.VacuumArgs{}
	st, err := m.ix.BulkDelete(a, func(tid types.TID) bool { return gone[tid] }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if st, err = m.ix.Cleanup(a, st); err != nil {
		t.Fatal(err)
	}
	if int(st.TuplesRemoved) != len(gone) || int(st.Tuples) != len(m.rows) {
		t.Fatalf("vacuum removed %v of %d and left %v of %d", st.TuplesRemoved, len(gone), st.Tuples, len(m.rows))
	}
	f.clock.pass()
}

// TestBuildModel builds from random rows and compares, also after insertions into the built index.
func TestBuildModel(t *testing.T) {
	for i, shape := range shapes {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(i+1), 8))
			built := sized(5000, 1500)
			f := newFixture(t, 64)
			def := newDef(false, shape...)
			b := f.am.NewBuild(def, index.BuildOptions{TempDir: t.TempDir()})
			b.(*build).sort.limit = sized(64, 16) << 10 // several runs
			m := &model{ix: f.am.open(def)}
			for n := range built {
				row := make(types.Row, m.ix.natts)
				for i := range row {
					row[i] = randomValue(r, &m.ix.layout.Desc.Attrs[i], true)
				}
				e := entry{row, tidOf(n * 7919 % 1000003)}
				m.rows = append(m.rows, e)
				if err := b.Add(row, e.tid, true); err != nil {
					t.Fatal(err)
				}
			}
			slices.SortFunc(m.rows, m.compare)
			st, err := b.Finish()
			if err != nil || st.Tuples != int64(built) {
				t.Fatal(st, err)
			}
			m.ix = f.checked(t, def)
			if err := m.ix.Check(nil); err != nil {
				t.Fatal(err)
			}
			m.checkScans(t, r, 60)
			next := built
			for range built / 2 {
				m.insertRandom(t, r, &next)
			}
			m.checkScans(t, r, 60)
		})
	}
}
