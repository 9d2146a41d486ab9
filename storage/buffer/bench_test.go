package buffer

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/pagestore"
)

// benchPool makes a pool over a store on disk with a relation of n resident pages of ten rows each.
func benchPool(b *testing.B, n int) (*Pool, *Rel) {
	b.Helper()
	s, err := pagestore.Open(pagestore.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	p := New(s, n+64)
	b.Cleanup(func() {
		_ = s.Close()
		p.Close()
	})
	r := openRel(b, p, 1)
	row := make([]byte, 100)
	for range n {
		buf := extendInit(b, r)
		for range 10 {
			if _, err := page.AddItem(buf.Edit(), row, 0, page.AddHeap); err != nil {
				b.Fatal(err)
			}
		}
		p.ApplyPages(buf)
		buf.UnlockUnpin()
	}
	return p, r
}

// BenchmarkPin is pin, share latch, unlatch, unpin of a resident page.
func BenchmarkPin(b *testing.B) {
	_, r := benchPool(b, 1024)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		buf, err := r.Pin(uint32(i*7) % 1024)
		if err != nil {
			b.Fatal(err)
		}
		buf.LockShared()
		buf.Unlock()
		buf.Unpin()
	}
}

// BenchmarkPinParallel is the same from all cores, each on its own pages (spread) or all on one (hot).
func BenchmarkPinParallel(b *testing.B) {
	_, r := benchPool(b, 1024)
	for _, hot := range []bool{false, true} {
		b.Run(map[bool]string{false: "spread", true: "hot"}[hot], func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				at := rand.Uint32() % 1024
				for pb.Next() {
					if !hot {
						at = (at + 7) % 1024
					} else {
						at = 0
					}
					buf, err := r.Pin(at)
					if err != nil {
						b.Fatal(err)
					}
					buf.LockShared()
					buf.Unlock()
					buf.Unpin()
				}
			})
		})
	}
}

// BenchmarkApply is one change of one row (8 bytes) in each of a number of pages, applied as one, not synced.
func BenchmarkApply(b *testing.B) {
	p, r := benchPool(b, 1024)
	for _, pages := range []int{1, 4} {
		b.Run(map[int]string{1: "1page", 4: "4pages"}[pages], func(b *testing.B) {
			b.ReportAllocs()
			rng := rand.New(rand.NewPCG(1, 2))
			bufs := make([]Buf, pages)
			for b.Loop() {
				base := rng.Uint32N(1024 - 4)
				for i := range bufs {
					buf, err := r.Pin(base + uint32(i))
					if err != nil {
						b.Fatal(err)
					}
					_ = buf.LockExclusive(nil)
					buf.Edit().Put64(8100, rng.Uint64())
					bufs[i] = buf
				}
				p.ApplyPages(bufs...)
				for _, buf := range bufs {
					buf.UnlockUnpin()
				}
			}
		})
	}
}

// BenchmarkSync is a transaction as the store sees it: one row in each of 4 random pages applied one by one, a commit record, and a shared sync, from a number
// of writers.
func BenchmarkSync(b *testing.B) {
	for _, writers := range []int{1, 4, 16, 64} {
		b.Run(fmt.Sprint(writers, "writers"), func(b *testing.B) {
			p, r := benchPool(b, 1024)
			var left atomic.Int64
			left.Store(int64(b.N))
			var wg sync.WaitGroup
			b.ReportAllocs()
			b.ResetTimer()
			for w := range writers {
				wg.Go(func() {
					rng := rand.New(rand.NewPCG(uint64(w), 2))
					for left.Add(-1) >= 0 {
						benchTransaction(p, r, rng)
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(p.store.SyncRounds())/float64(b.N), "fsyncs/op")
		})
	}
}

func benchTransaction(p *Pool, r *Rel, rng *rand.Rand) {
	for range 4 {
		buf, err := r.Pin(rng.Uint32N(1024))
		if err != nil {
			panic(err)
		}
		_ = buf.LockExclusive(nil)
		for i := range 3 { // a new version, its line pointer, the old one's header
			buf.Edit().Put64(7900+64*i, rng.Uint64())
		}
		p.ApplyPages(buf)
		buf.UnlockUnpin()
	}
	c := p.store.NewChange()
	c.Or([]byte("status/0001"), rng.IntN(8192), []byte{1})
	at := p.store.Apply(c)
	c.Release()
	p.store.SyncTo(at)
}

// BenchmarkMiss reads pages that are not resident, one by one and by a scan.
func BenchmarkMiss(b *testing.B) {
	_, r := benchPool(b, 4096)
	small := New(r.store, 512)
	defer small.Close()
	cold := openRel(b, small, 1)
	b.Run("random", func(b *testing.B) {
		b.ReportAllocs()
		rng := rand.New(rand.NewPCG(1, 2))
		for b.Loop() {
			buf, err := cold.Pin(rng.Uint32N(4096))
			if err != nil {
				b.Fatal(err)
			}
			buf.Unpin()
		}
	})
	b.Run("scan", func(b *testing.B) {
		b.ReportAllocs()
		s := cold.NewScan()
		for i := uint32(0); b.Loop(); i++ {
			buf, err := s.Pin(i % 4096)
			if err != nil {
				b.Fatal(err)
			}
			buf.Unpin()
		}
	})
}
