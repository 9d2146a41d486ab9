package btree

import (
	"math/rand/v2"
	"testing"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
)

// benchIndex builds a resident index of n int4 keys.
func benchIndex(b *testing.B, n int) *Index {
	b.Helper()
	f := newFixture(b, n/200+1024)
	def := newDef(true, "int4")
	build := f.am.NewBuild(def, index.BuildOptions{WorkMem: 256 << 20})
	for i := range n {
		if err := build.Add(types.Row{types.Int4(int32(i))}, tidOf(i), true); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := build.Finish(); err != nil {
		b.Fatal(err)
	}
	ix := f.am.open(def)
	if n := len(ix.collect(b, index.Forward)); n == 0 { // makes it resident
		b.Fatal(n)
	}
	b.ResetTimer()
	return ix
}

// BenchmarkLookup is a point lookup of a random key: Rescan, Next with a row, Next without.
func BenchmarkLookup(b *testing.B) {
	const n = 1_000_000
	ix := benchIndex(b, n)
	b.ReportAllocs()
	s := ix.NewScan(index.ScanOptions{})
	defer s.End()
	key := []index.ScanKey{{Attr: 1, Strategy: index.Equal}}
	r := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		k := r.IntN(n)
		key[0].Arg = types.Int4(int32(k))
		if err := s.Rescan(key); err != nil {
			b.Fatal(err)
		}
		ok, err := s.Next(index.Forward)
		if !ok || err != nil || s.TID() != tidOf(k) {
			b.Fatal(ok, err)
		}
		if ok, _ := s.Next(index.Forward); ok {
			b.Fatal("second row")
		}
	}
}

// BenchmarkRange is one entry of a range scan.
func BenchmarkRange(b *testing.B) {
	ix := benchIndex(b, 1_000_000)
	b.ReportAllocs()
	s := ix.NewScan(index.ScanOptions{})
	defer s.End()
	ok := false
	for b.Loop() {
		if !ok {
			if err := s.Rescan([]index.ScanKey{{Attr: 1, Strategy: index.Greater, Arg: types.Int4(5)}, {Attr: 1, Strategy: index.Less, Arg: types.Int4(900_000)}}); err != nil {
				b.Fatal(err)
			}
		}
		ok, _ = s.Next(index.Forward)
	}
}

// BenchmarkInsert is an insertion: ascending keys, and random ones among 1M.
func BenchmarkInsert(b *testing.B) {
	b.Run("ascending", func(b *testing.B) {
		f := newFixture(b, 65536)
		def := newDef(false, "int4")
		if err := f.am.Create(def); err != nil {
			b.Fatal(err)
		}
		ix := f.am.open(def)
		b.ReportAllocs()
		a := &index.InsertArgs{Values: types.Row{types.Null}}
		for i := 0; b.Loop(); i++ {
			a.Values[0], a.TID = types.Int4(int32(i)), tidOf(i)
			if _, err := ix.Insert(a); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("random", func(b *testing.B) {
		ix := benchIndex(b, 1_000_000)
		r := rand.New(rand.NewPCG(1, 2))
		b.ReportAllocs()
		a := &index.InsertArgs{Values: types.Row{types.Null}}
		for i := 0; b.Loop(); i++ {
			a.Values[0], a.TID = types.Int4(int32(r.IntN(1_000_000))), tidOf(2_000_000+i)
			if _, err := ix.Insert(a); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkBuild is an index of 1M rows, in order and at random.
func BenchmarkBuild(b *testing.B) {
	for _, step := range []int{1, 7919} {
		b.Run(map[int]string{1: "ordered", 7919: "random"}[step], func(b *testing.B) {
			f := newFixture(b, 1024)
			for b.Loop() {
				const n = 1_000_003
				build := f.am.NewBuild(newDef(true, "int4"), index.BuildOptions{WorkMem: 64 << 20, TempDir: b.TempDir()})
				row := make(types.Row, 1)
				for i := range n {
					row[0] = types.Int4(int32(i * step % n))
					if err := build.Add(row, tidOf(i), true); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := build.Finish(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
