package hash

import (
	"strings"
	"testing"

	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
)

// TestChecker breaks an index on purpose, in one way at a time: the checker must say what is wrong.
func TestChecker(t *testing.T) {
	for _, c := range []struct {
		name, want string
		breakIt    func(t *testing.T, ix *Index, m *meta)
	}{
		{"an entry in a bucket that is not its own", "is of bucket", func(t *testing.T, ix *Index, m *meta) {
			ix.change(t, m.block(0), func(b buffer.Buf) {
				tuple := page.Tuple(b.Page(), 1)
				moved := append([]byte(nil), tuple...)
				le.PutUint32(moved[offHash:], 1) // stays the lowest
				b.Edit().Patch(page.Item(b.Page(), 1).Off(), moved)
			})
		}},
		{"an overflow page that no chain has and the bitmap calls used", "in use", func(t *testing.T, ix *Index, m *meta) {
			ix.change(t, longBucket(t, ix, m), func(b buffer.Buf) { b.Edit().Put32(offNext, noBlock) })
		}},
		{"a page in two chains", "is in the chain of bucket", func(t *testing.T, ix *Index, m *meta) {
			var next uint32
			long := longBucket(t, ix, m)
			ix.change(t, long, func(b buffer.Buf) { next = nextOf(b.Page()) })
			ix.change(t, m.block(m.maxBucket), func(b buffer.Buf) {
				if b.Block() == long {
					t.Skip("the last bucket is the long one")
				}
				b.Edit().Put32(offNext, next)
			})
		}},
		{"entries out of order", "out of order", func(t *testing.T, ix *Index, m *meta) {
			ix.change(t, m.block(1), func(b buffer.Buf) {
				p := b.Page()
				first, last := page.Item(p, 1), page.Item(p, page.MaxOffset(p))
				b.Edit().PutItem(1, last)
				b.Edit().PutItem(page.MaxOffset(p), first)
			})
		}},
		{"a row that is there twice", "twice", func(t *testing.T, ix *Index, m *meta) {
			ix.change(t, m.block(1), func(b buffer.Buf) {
				p := b.Page()
				at := page.Item(p, 2).Off()
				b.Edit().Patch(at, append([]byte(nil), page.Tuple(p, 1)[:6]...))
			})
		}},
		{"a count that is one off", "count", func(t *testing.T, ix *Index, m *meta) {
			c := ix.am.pool.NewChange()
			c.AddCount(ix.sh.rel, 1)
			ix.am.pool.Apply(c)
			c.Release()
		}},
		{"a free page below the first free one", "below the first free", func(t *testing.T, ix *Index, m *meta) {
			long := longBucket(t, ix, m)
			var next uint32
			ix.change(t, long, func(b buffer.Buf) {
				next = nextOf(b.Page())
				b.Edit().Put32(offNext, noBlock)
			})
			bit, _ := m.overflowBit(next)
			ix.change(t, m.mapp[0], func(b buffer.Buf) { setUsed(b.Edit(), bit, false) })
		}},
		{"a stamp of before the last split", "stamp", func(t *testing.T, ix *Index, m *meta) {
			ix.change(t, m.block(0), func(b buffer.Buf) { b.Edit().Put32(offPrev, 1) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t, 512)
			def := newDef(hashInt, 0)
			if err := f.am.Create(def); err != nil {
				t.Fatal(err)
			}
			ix := f.am.open(def)
			for i := range 5000 {
				ix.add(t, i, i)
			}
			for i := range 500 {
				ix.add(t, 1, 5000+i)
			}
			if err := ix.Check(nil); err != nil {
				t.Fatal(err)
			}
			c.breakIt(t, ix, ix.sh.meta.Load())
			if err := ix.Check(nil); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the checker says: %v", err)
			}
		})
	}
}

// longBucket gives the page before the last one of a chain.
func longBucket(t *testing.T, ix *Index, m *meta) (block uint32) {
	t.Helper()
	for bucket := range m.maxBucket + 1 {
		for at := m.block(bucket); at != noBlock; {
			ix.change(t, at, func(b buffer.Buf) {
				if at = nextOf(b.Page()); at != noBlock {
					block = b.Block()
				}
			})
		}
	}
	if block == 0 {
		t.Fatal("no bucket has an overflow page")
	}
	return block
}

// change edits a page and applies that.
func (ix *Index) change(t *testing.T, block uint32, fn func(b buffer.Buf)) {
	t.Helper()
	b, err := ix.pin(block)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.LockExclusive(nil); err != nil {
		t.Fatal(err)
	}
	defer b.UnlockUnpin()
	fn(b)
	if b.Dirty() {
		ix.am.pool.ApplyPages(b)
	}
}
