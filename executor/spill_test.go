package executor

import (
	"cmp"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/calfdb/calf/sql/types"
)

func testSpace(t *testing.T) *TempSpace { return &TempSpace{Dir: t.TempDir()} }

func noPoll() error { return nil }

func int4Compare(a, b types.Datum) int { return cmp.Compare(a.Int4(), b.Int4()) }
func textCompare(a, b types.Datum) int { return cmp.Compare(a.Str(), b.Str()) }

// randomRows makes rows (int4 or null, text, int8 serial number).
func randomRows(rng *rand.Rand, n int) []types.Row {
	rows := make([]types.Row, n)
	for i := range rows {
		key := types.Int4(int32(rng.Intn(n/4)) - int32(n/8))
		if rng.Intn(20) == 0 {
			key = types.Null
		}
		rows[i] = types.Row{key, types.Text(fmt.Sprintf("v%d", rng.Intn(50))), types.Int8(int64(i))}
	}
	return rows
}

func sortWith(t *testing.T, keys []sortKey, rows []types.Row, workMem, bound int64) (*sorter, []string) {
	t.Helper()
	s := newSorter(keys, 3, workMem, testSpace(t), noPoll)
	s.bound = bound
	for _, r := range rows {
		if err := s.add(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.sort(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		row, err := s.get()
		if err != nil {
			t.Fatal(err)
		}
		if row == nil {
			return s, got
		}
		got = append(got, rowKeyText(row))
	}
}

func rowKeyText(row types.Row) string {
	if row[0].IsNull() {
		return "null/" + row[1].Str()
	}
	return fmt.Sprintf("%d/%s", row[0].Int4(), row[1].Str())
}

// TestSorter sorts random rows in memory, with spilling in one pass, with several passes and with a bound, beside slices.SortFunc.
func TestSorter(t *testing.T) {
	for seed := int64(1); seed <= 4; seed++ {
		rng := rand.New(rand.NewSource(seed))
		rows := randomRows(rng, 20000)
		keys := []sortKey{{col: 0, cmp: int4Compare, desc: seed%2 == 0, nullsFirst: seed > 2}, {col: 1, cmp: textCompare}}
		want := slices.Clone(rows)
		slices.SortFunc(want, func(a, b types.Row) int {
			if c := keys[0].compare(a[0], b[0]); c != 0 {
				return c
			}
			return keys[1].compare(a[1], b[1])
		})
		for _, c := range []struct{ mem, bound int64 }{{1 << 30, 0}, {256 << 10, 0}, {4 << 10, 0}, {1 << 30, 10}, {1 << 30, 3000}, {8 << 10, 100}} {
			s, got := sortWith(t, keys, rows, c.mem, c.bound)
			n := len(want)
			if c.bound > 0 {
				n = int(c.bound)
			}
			if len(got) != n {
				t.Fatalf("seed %d %+v: %d rows, want %d", seed, c, len(got), n)
			}
			for i := range got {
				if w := rowKeyText(want[i]); got[i] != w {
					t.Fatalf("seed %d %+v: row %d is %s, want %s", seed, c, i, got[i], w)
				}
			}
			if spilled := c.mem < 1<<20 && c.bound == 0; spilled != s.spilled {
				t.Errorf("seed %d %+v: spilled %v", seed, c, s.spilled)
			}
			s.close()
			if s.space.used != 0 {
				t.Errorf("seed %d %+v: %d bytes of temporary files left", seed, c, s.space.used)
			}
		}
	}
}

// TestTuplestore reads while adding, seeks and goes back, before and after the rows go to a file.
func TestTuplestore(t *testing.T) {
	for _, mem := range []int64{1 << 30, 2 << 10} {
		space := testSpace(t)
		st := NewTuplestore(3, mem, space)
		rows := randomRows(rand.New(rand.NewSource(7)), 4000)
		r := st.NewReader()
		for i, row := range rows {
			if err := st.Add(row); err != nil {
				t.Fatal(err)
			}
			if i%3 == 0 {
				got, err := r.Next()
				if err != nil || got[2].Int8() != int64(i/3) {
					t.Fatalf("mem %d: after %d adds: row %v, %v", mem, i+1, got, err)
				}
			}
		}
		if st.Spilled() != (mem < 1<<20) {
			t.Fatalf("mem %d: spilled %v", mem, st.Spilled())
		}
		rng := rand.New(rand.NewSource(9))
		for k := 0; k < 2000; k++ {
			pos := rng.Intn(len(rows))
			r.Seek(pos)
			got, err := r.Next()
			if err != nil || got[2].Int8() != int64(pos) || rowKeyText(got) != rowKeyText(rows[pos]) {
				t.Fatalf("mem %d: seek %d: %v, %v", mem, pos, got, err)
			}
			if pos > 0 {
				got, err = r.Prev()
				if err != nil || got[2].Int8() != int64(pos-1) {
					t.Fatalf("mem %d: back from %d: %v, %v", mem, pos, got, err)
				}
			}
		}
		st.Close()
		if space.used != 0 {
			t.Errorf("mem %d: %d bytes left", mem, space.used)
		}
	}
}

// TestTempFileLimit: a store stops with 53400 when its files outgrow temp_file_limit.
func TestTempFileLimit(t *testing.T) {
	space := testSpace(t)
	space.LimitFunc = func() int64 { return 10 << 10 }
	st := NewTuplestore(3, 1<<10, space)
	var err error
	for _, row := range randomRows(rand.New(rand.NewSource(1)), 4000) {
		if err = st.Add(row); err != nil {
			break
		}
	}
	if err == nil || err.Error() != "temporary file size exceeds temp_file_limit (10kB)" {
		t.Fatalf("error %v", err)
	}
	st.Close()
}
