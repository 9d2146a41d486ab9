package heap

import (
	"strings"
	"testing"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/xact"
)

func benchFixture(b *testing.B) (*fixture, *Relation, *session) {
	f := newFixture(b, newMemFS(), 16384)
	b.Cleanup(func() { f.store.Close(); f.pool.Close() })
	return f, f.open(1), f.session()
}

func fill(b *testing.B, r *Relation, s *session, n int) []types.TID {
	s.begin(xact.ReadCommitted)
	rows := make([]types.Row, n)
	for i := range rows {
		rows[i] = row(i, 0, strings.Repeat("f", 84))
	}
	tids := make([]types.TID, n)
	if err := r.MultiInsert(s.Session, rows, tids, InsertOpts{}); err != nil {
		b.Fatal(err)
	}
	s.commit()
	return tids
}

// BenchmarkFetchHOT fetches a resident row by its place and takes two columns out.
func BenchmarkFetchHOT(b *testing.B) {
	_, r, s := benchFixture(b)
	tids := fill(b, r, s, 10000)
	s.begin(xact.ReadCommitted)
	snap := s.snapshot()
	var slot Slot
	slot.Init(r)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		ok, _, err := r.FetchHOT(s.Session, tids[i], snap, &slot)
		if !ok || err != nil || slot.Deform(2) != nil {
			b.Fatal(ok, err)
		}
		if i += 7; i >= len(tids) {
			i -= len(tids)
		}
	}
	slot.Clear()
}

// BenchmarkScan scans resident rows, and takes two columns out of each; the time is per row.
func BenchmarkScan(b *testing.B) {
	_, r, s := benchFixture(b)
	fill(b, r, s, 100000)
	s.begin(xact.ReadCommitted)
	snap := s.snapshot()
	var slot Slot
	slot.Init(r)
	sc := r.BeginScan(s.Session, snap, ScanOpts{})
	b.ReportAllocs()
	for b.Loop() {
		ok, err := sc.Next(&slot)
		if err != nil {
			b.Fatal(err)
		}
		if !ok {
			sc.Rescan()
			continue
		}
		if err := slot.Deform(2); err != nil {
			b.Fatal(err)
		}
	}
	slot.Clear()
	sc.End()
}

// BenchmarkInsert inserts rows one by one in one transaction.
func BenchmarkInsert(b *testing.B) {
	_, r, s := benchFixture(b)
	s.begin(xact.ReadCommitted)
	values := row(1, 2, strings.Repeat("h", 22))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Insert(s.Session, values, InsertOpts{}); err != nil {
			b.Fatal(err)
		}
	}
	s.commit()
}

// BenchmarkMultiInsert inserts rows a thousand at a time, as COPY does; the time is per row.
func BenchmarkMultiInsert(b *testing.B) {
	_, r, s := benchFixture(b)
	s.begin(xact.ReadCommitted)
	rows := make([]types.Row, 1000)
	for i := range rows {
		rows[i] = row(i, 0, strings.Repeat("f", 84))
	}
	tids := make([]types.TID, len(rows))
	b.ReportAllocs()
	for i := 0; i < b.N; i += len(rows) {
		if err := r.MultiInsert(s.Session, rows, tids, InsertOpts{}); err != nil {
			b.Fatal(err)
		}
	}
	s.commit()
}

// BenchmarkHOTUpdate is fetch, HOT update, commit without waiting for the log, over a thousand rows: pruning included.
func BenchmarkHOTUpdate(b *testing.B) {
	_, r, s := benchFixture(b)
	tids := fill(b, r, s, 1000)
	var changed AttrSet
	changed.Add(2)
	note := strings.Repeat("f", 84)
	var slot Slot
	slot.Init(r)
	values := row(0, 0, note)
	snap := new(Snapshot)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i = (i + 7) % len(tids)
		s.begin(xact.ReadCommitted)
		s.Tx.TakeSnapshot(&snap.Snapshot)
		ok, _, err := r.FetchHOT(s.Session, tids[i], snap, &slot)
		if !ok || err != nil {
			b.Fatal(ok, err)
		}
		tid := slot.TID
		slot.Clear()
		values[0] = types.Int4(int32(i))
		res, err := r.Update(s.Session, tid, values, UpdateOpts{Changed: &changed, Wait: true})
		if err != nil || res.Result != OK {
			b.Fatal(res, err)
		}
		if !res.HOT {
			tids[i] = res.TID
		}
		s.commit()
	}
}
