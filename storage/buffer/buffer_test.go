package buffer

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/pagestore"
)

// newTestPool makes a pool over a store in memory, and checks at the end that memory equals the store and that no pin is left.
func newTestPool(t testing.TB, frames int) *Pool {
	t.Helper()
	s, err := pagestore.Open(pagestore.Options{Dir: "db", FS: vfs.NewMem(), MemTableSize: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	p := New(s, frames)
	t.Cleanup(func() {
		if err := p.Check(nil); err != nil {
			t.Error(err)
		}
		if err := p.CheckNoPins(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		p.Close()
	})
	return p
}

func openRel(t testing.TB, p *Pool, rel uint32) *Rel {
	t.Helper()
	r, err := p.Open(pagestore.RelID{DB: 1, Rel: rel}, pagestore.MainFork, false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// extendInit adds an empty page.
func extendInit(t testing.TB, r *Rel) Buf {
	t.Helper()
	b, err := r.Extend()
	if err != nil {
		t.Fatal(err)
	}
	page.Init(b.Edit(), 0)
	r.p.ApplyPages(b)
	return b
}

func pin(t testing.TB, r *Rel, block uint32) Buf {
	t.Helper()
	b, err := r.Pin(block)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEditApplyReread(t *testing.T) {
	p := newTestPool(t, 16)
	r := openRel(t, p, 1)
	b := extendInit(t, r)
	if off, err := page.AddItem(b.Edit(), []byte("hello"), 0, page.AddHeap); off != 1 || err != nil {
		t.Fatal(off, err)
	}
	p.ApplyPages(b)
	if _, err := page.AddItem(b.Edit(), []byte("never applied"), 0, page.AddHeap); err != nil {
		t.Fatal(err)
	}
	b.UnlockUnpin()

	// 40 other pages push it out.
	for range 40 {
		extendInit(t, r).UnlockUnpin()
	}
	b = pin(t, r, 0)
	b.LockShared()
	if n := page.MaxOffset(b.Page()); n != 1 || string(page.Tuple(b.Page(), 1)) != "hello" {
		t.Errorf("%d items, first %q", n, page.Tuple(b.Page(), 1))
	}
	b.UnlockUnpin()
	if r.NumBlocks() != 41 {
		t.Errorf("%d blocks", r.NumBlocks())
	}
}

// extendFilled adds a page with one item of zeros from byte 1024 on, for tests that write there: what lies in the hole is not kept.
func extendFilled(t testing.TB, r *Rel) Buf {
	t.Helper()
	b := extendInit(t, r)
	if off, err := page.AddItem(b.Edit(), make([]byte, page.Size-1024), 0, 0); off != 1 || err != nil {
		t.Fatal(off, err)
	}
	r.p.ApplyPages(b)
	return b
}
