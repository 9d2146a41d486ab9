package pgstat

import (
	"path/filepath"
	"testing"
	"time"
)

// want compares the estimates that autovacuum goes by: live, dead, changed since analyze, inserted since vacuum.
func want(t *testing.T, c *Collector, step string, live, dead, mod, ins int64) {
	t.Helper()
	r, _ := c.Relation(1, 100)
	if r.Live != live || r.Dead != dead || r.ModSinceAnalyze != mod || r.InsertsSinceVacuum != ins {
		t.Errorf("%s: live %d dead %d mod %d ins %d, want %d %d %d %d", step, r.Live, r.Dead, r.ModSinceAnalyze, r.InsertsSinceVacuum, live, dead, mod, ins)
	}
}

// The numbers are what PostgreSQL 15.18's pg_stat_user_tables shows after the same statements.
func TestTransactionsSettleWhatLives(t *testing.T) {
	c := New()
	s := c.NewSession(1)
	rel := func() *Table { return s.Table(100, false) }

	rel().Insert(10)
	s.EndTransaction(true)
	want(t, c, "insert 10", 10, 0, 10, 10)

	rel().Insert(5)
	rel().Update(false)
	rel().Delete()
	s.EndTransaction(false)
	want(t, c, "aborted: 5 inserted, 1 updated, 1 deleted", 10, 6, 10, 15)

	rel().Update(true)
	s.BeginSub()
	rel().Insert(3)
	s.EndSub(false)
	s.BeginSub()
	rel().Delete()
	s.EndSub(true)
	s.EndTransaction(true)
	want(t, c, "update, 3 rolled back, delete", 9, 11, 12, 18)

	s.BeginSub()
	rel().Insert(1)
	rel().Truncate()
	rel().Insert(2)
	s.EndSub(false)
	rel().Insert(4)
	s.EndTransaction(true)
	want(t, c, "truncate rolled back", 13, 12, 16, 23)

	rel().Insert(1)
	s.BeginSub()
	rel().Truncate()
	rel().Insert(2)
	s.EndTransaction(true)
	want(t, c, "truncate", 2, 0, 18, 2)

	r, _ := c.Relation(1, 100)
	if r.Inserted != 25 || r.Updated != 2 || r.Deleted != 2 || r.HotUpdated != 1 {
		t.Errorf("sums: %+v", r.Counts)
	}
	if d := c.Database(1); d.Commits != 4 || d.Rollbacks != 1 || d.Inserted != 25 {
		t.Errorf("database: %+v", d)
	}
}

func TestVacuumAndAnalyzeSetEstimates(t *testing.T) {
	c := New()
	s := c.NewSession(1)
	s.Table(100, false).Insert(50)
	s.EndTransaction(true)
	at := time.Unix(1, 0)
	c.Vacuumed(VacuumReport{DB: 1, Rel: 100, Live: 40, Dead: 2, Auto: true, At: at})
	want(t, c, "vacuum", 40, 2, 50, 0)
	c.Analyzed(VacuumReport{DB: 1, Rel: 100, Live: 41, At: at}, true)
	want(t, c, "analyze", 41, 0, 0, 0)
	r, _ := c.Relation(1, 100)
	if r.AutovacuumCount != 1 || r.VacuumCount != 0 || r.AnalyzeCount != 1 || !r.LastAutovacuum.Equal(at) || !r.LastAutoanalyze.IsZero() {
		t.Errorf("%+v", r)
	}
	c.Drop(1, 100)
	if _, ok := c.Relation(1, 100); ok {
		t.Error("a dropped relation is still there")
	}
}

func TestSaveAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stat")
	c := New()
	s := c.NewSession(7)
	s.Table(100, false).Scan()
	s.Table(1262, true).Fetched(3)
	s.Delta().TempBytes = 9
	s.EndTransaction(true)
	if err := c.Save(path); err != nil {
		t.Fatal(err)
	}
	again := New()
	if err := again.Load(path); err != nil {
		t.Fatal(err)
	}
	if r, _ := again.Relation(7, 100); r.Scans != 1 {
		t.Errorf("table: %+v", r)
	}
	if r, _ := again.Relation(0, 1262); r.Fetched != 3 {
		t.Errorf("shared table: %+v", r)
	}
	if d := again.Database(7); d.TempBytes != 9 || d.Commits != 1 {
		t.Errorf("database: %+v", d)
	}
	// A second start, after a crash, finds nothing.
	if err := New().Load(path); err != nil {
		t.Fatal(err)
	}
}

func TestNothingIsAllocatedOnceKnown(t *testing.T) {
	c := New()
	s := c.NewSession(1)
	run := func() {
		for rel := OID(100); rel < 104; rel++ {
			x := s.Table(rel, false)
			x.Scan()
			x.Returned(1)
			x.Fetched(1)
			x.Update(true)
			x.Insert(1)
		}
		s.EndTransaction(true)
	}
	run()
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkTransaction(b *testing.B) {
	s := New().NewSession(1)
	for b.Loop() {
		for rel := OID(100); rel < 104; rel++ {
			x := s.Table(rel, false)
			x.Scan()
			x.Fetched(1)
			x.Update(true)
		}
		s.EndTransaction(true)
	}
}
