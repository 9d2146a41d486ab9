package buffer

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/pagestore"
)

var le = binary.LittleEndian

// TestEvictionUnderConcurrency: sixteen times more pages than frames, many goroutines that count on each page and check what they read against what they know,
// with scans going round.
func TestEvictionUnderConcurrency(t *testing.T) {
	p := newTestPool(t, 64)
	r := openRel(t, p, 1)
	const blocks, workers, rounds = 500, 6, 600
	for range blocks {
		extendFilled(t, r).UnlockUnpin()
	}
	var wg sync.WaitGroup
	for w := range uint64(workers) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(w, 2))
			count := make([]uint64, blocks) // our own word on each page
			at := 4000 + 8*int(w)
			for range rounds {
				block := rng.Uint32N(blocks)
				b := pin(t, r, block)
				if err := b.LockExclusive(nil); err != nil {
					t.Error(err)
				}
				if got := le.Uint64(b.Page()[at:]); got != count[block] {
					t.Errorf("worker %d block %d: %d, want %d", w, block, got, count[block])
				}
				b.Edit().Put64(at, count[block]+1)
				if rng.IntN(5) > 0 { // else it is undone
					p.ApplyPages(b)
					count[block]++
				}
				b.UnlockUnpin()
			}
		})
	}
	for range 2 {
		wg.Go(func() {
			s := r.NewScan()
			for range 3 {
				for block := range uint32(blocks) {
					b, err := s.Pin(block)
					if err != nil {
						t.Error(err)
						return
					}
					b.LockShared()
					if b.Block() != block || page.IsNew(b.Page()) {
						t.Errorf("scan got block %d for %d", b.Block(), block)
					}
					b.UnlockUnpin()
				}
			}
		})
	}
	wg.Wait()
	if p.stats.Evictions.Load() == 0 {
		t.Error("nothing was evicted")
	}
}

func TestNoUnpinnedFrame(t *testing.T) {
	p := newTestPool(t, 16)
	r := openRel(t, p, 1)
	var held []Buf
	for range 16 {
		b := extendInit(t, r)
		b.Unlock()
		held = append(held, b)
	}
	if _, err := r.Extend(); err == nil {
		t.Error("a seventeenth frame")
	}
	for _, b := range held {
		b.Unpin()
	}
	// The failed extension may not have grown the relation by a block that is in use.
	if n := r.NumBlocks(); n != 16 {
		t.Errorf("%d blocks", n)
	}
}

func TestBlockBeyondEnd(t *testing.T) {
	p := newTestPool(t, 16)
	r := openRel(t, p, 1)
	if _, err := r.Pin(0); err == nil || err.Error() != "could not read block 0 of relation base/1/1: read only 0 of 8192 bytes" {
		t.Error(err)
	}
	if _, err := r.NewScan().Pin(3); err == nil {
		t.Error("scan beyond the end")
	}
}

// TestExtendWithoutApply: a page that was never applied reads as new, in memory, after eviction and after a later block was stored.
func TestExtendWithoutApply(t *testing.T) {
	p := newTestPool(t, 16)
	r := openRel(t, p, 1)
	b, err := r.Extend()
	if err != nil {
		t.Fatal(err)
	}
	page.Init(b.Edit(), 0)
	b.UnlockUnpin()
	for range 40 {
		extendInit(t, r).UnlockUnpin()
	}
	for _, get := range []func(uint32) (Buf, error){r.Pin, r.NewScan().Pin} {
		b, err = get(0)
		if err != nil || !page.IsNew(b.Page()) {
			t.Fatal("not new", err)
		}
		b.Unpin()
	}
	// It can be initialised later.
	b = pin(t, r, 0)
	_ = b.LockExclusive(nil)
	page.Init(b.Edit(), 0)
	p.ApplyPages(b)
	b.UnlockUnpin()
}

func TestExtendConcurrently(t *testing.T) {
	p := newTestPool(t, 64)
	r := openRel(t, p, 1)
	var wg sync.WaitGroup
	seen := make([]bool, 8*50)
	var mu sync.Mutex
	for range 8 {
		wg.Go(func() {
			for range 50 {
				b := extendInit(t, r)
				mu.Lock()
				if seen[b.Block()] {
					t.Errorf("block %d twice", b.Block())
				}
				seen[b.Block()] = true
				mu.Unlock()
				b.UnlockUnpin()
			}
		})
	}
	wg.Go(func() { // a scan that runs into the end
		s := r.NewScan()
		for block := uint32(0); block < 400; {
			if block >= r.NumBlocks() {
				time.Sleep(100 * time.Microsecond)
				continue
			}
			b, err := s.Pin(block)
			if err != nil {
				t.Error(err)
				return
			}
			b.Unpin()
			block++
		}
	})
	wg.Wait()
}

func TestTruncateAndForget(t *testing.T) {
	p := newTestPool(t, 64)
	r := openRel(t, p, 1)
	for range 20 {
		extendInit(t, r).UnlockUnpin()
	}
	c := p.NewChange()
	defer c.Release()
	r.Truncate(c, 5)
	if n := r.NumBlocks(); n != 5 {
		t.Fatalf("%d blocks", n)
	}
	if _, err := r.Pin(5); err == nil {
		t.Error("a page behind the end")
	}
	b := extendInit(t, r) // block 5 again: stored whole
	if b.Block() != 5 || page.MaxOffset(b.Page()) != 0 {
		t.Errorf("block %d", b.Block())
	}
	b.UnlockUnpin()

	if err := c.DropRel(r.ID()); err != nil {
		t.Fatal(err)
	}
	p.Apply(c)
	p.Forget(r.ID())
	if _, err := r.Pin(0); err == nil {
		t.Error("a page of a dropped relation")
	}
	if _, err := r.Extend(); err == nil {
		t.Error("a dropped relation was extended")
	}
	if r := openRel(t, p, 1); r.NumBlocks() != 0 {
		t.Error("the dropped relation has pages")
	}
	for i := range uint32(200) { // numbers of handles are used again
		r := openRel(t, p, 10+i)
		extendInit(t, r).UnlockUnpin()
		if err := c.DropRel(r.ID()); err != nil {
			t.Fatal(err)
		}
		p.Apply(c)
		p.Forget(r.ID())
	}
	if p.nextRel > 5 {
		t.Errorf("%d handles", p.nextRel)
	}
}

func TestTempRelation(t *testing.T) {
	p := newTestPool(t, 16)
	id := pagestore.RelID{DB: 1, Rel: 9}
	r, err := p.Open(id, pagestore.MainFork, true)
	if err != nil {
		t.Fatal(err)
	}
	for range 40 {
		extendFilled(t, r).UnlockUnpin()
	}
	perm := extendFilled(t, openRel(t, p, 1))
	b := pin(t, r, 3)
	_ = b.LockExclusive(nil)
	b.Edit().Put64(5000, 42)
	perm.Edit().Put64(5000, 43)
	p.ApplyPages(b, perm)
	b.UnlockUnpin()
	perm.UnlockUnpin()
	if n, err := p.store.NumBlocks(id, pagestore.MainFork); n != 0 || err != nil {
		t.Errorf("%d temporary pages in the durable store (%v)", n, err)
	}
	if err := p.DropTemp(id); err != nil {
		t.Fatal(err)
	}
}

func TestBulkLoad(t *testing.T) {
	p := newTestPool(t, 16)
	r := openRel(t, p, 1)
	extendInit(t, r).UnlockUnpin()
	load := r.NewBulk()
	pg := make([]byte, page.Size)
	var e page.Edit
	for i := range 300 {
		e.Reset(pg, true)
		page.Init(&e, 0)
		block := load.Next()
		if _, err := page.AddItem(&e, fmt.Append(nil, "block ", block), 0, 0); err != nil {
			t.Fatal(err)
		}
		if err := load.Put(block, pg); err != nil {
			t.Fatal(i, err)
		}
	}
	if r.NumBlocks() != 1 {
		t.Error("seen before it was finished")
	}
	if err := load.Finish(); err != nil {
		t.Fatal(err)
	}
	load.Abort()
	s := r.NewScan()
	for block := uint32(1); block < 301; block++ {
		b, err := s.Pin(block)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(page.Tuple(b.Page(), 1)); got != fmt.Sprint("block ", block) {
			t.Errorf("block %d holds %q", block, got)
		}
		b.Unpin()
	}
	b := pin(t, r, 200) // and changes like any other
	_ = b.LockExclusive(nil)
	b.Edit().Put64(5000, 1)
	p.ApplyPages(b)
	b.UnlockUnpin()
}

// TestFolding: a page that is changed for ever is stored whole now and then, and its deltas never weigh more than half a page, across evictions.
func TestFolding(t *testing.T) {
	p := newTestPool(t, 16)
	r := openRel(t, p, 1)
	extendFilled(t, r).UnlockUnpin()
	rng := rand.New(rand.NewPCG(3, 3))
	images := 0
	for i := range 300 {
		b := pin(t, r, 0)
		_ = b.LockExclusive(nil)
		for range 1 + rng.IntN(40) {
			b.Edit().Put64(1100+2*rng.IntN(3000), rng.Uint64())
		}
		p.ApplyPages(b)
		f := &p.frames[b.i]
		if f.deltas > maxDeltas || f.weight > maxWeight {
			t.Fatalf("%d deltas of %d bytes", f.deltas, f.weight)
		}
		if f.deltas == 0 {
			images++
		}
		b.UnlockUnpin()
		if i%50 == 0 {
			for range 20 {
				extendFilled(t, r).UnlockUnpin()
			}
		}
	}
	if images < 300/maxDeltas || images > 200 {
		t.Errorf("%d images", images)
	}
}

// TestModelCrash runs random changes of several pages at once beside a model, cuts the file system, reopens, and compares.
func TestModelCrash(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 5))
		fs := vfs.NewCrashableMem()
		model := map[uint32][]byte{}
		for range 4 {
			s, err := pagestore.Open(pagestore.Options{Dir: "db", FS: fs, MemTableSize: 128 << 10, SyncInterval: -1})
			if err != nil {
				t.Fatal(err)
			}
			p := New(s, 16)
			r := openRel(t, p, 1)
			checkModel(t, r, model)
			var history []map[uint32][]byte
			history = append(history, model)
			c := p.NewChange()
			for range 60 {
				model = randomChange(t, p, r, c, rng, model, uint64(len(history)))
				history = append(history, model)
			}
			c.Release()
			if err := p.Check(nil); err != nil {
				t.Fatal(err)
			}
			s.Sync()
			synced := len(history) - 1
			c = p.NewChange()
			for range rng.IntN(30) {
				model = randomChange(t, p, r, c, rng, model, uint64(len(history)))
				history = append(history, model)
			}
			fs = fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 50, 100}[rng.IntN(3)], RNG: rng})
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			p.Close()
			model = recovered(t, fs, history, synced)
		}
	}
}

// randomChange changes a few pages as one change, or does nothing when it undoes them; step goes into a small key.
func randomChange(t *testing.T, p *Pool, r *Rel, c *Change, rng *rand.Rand, model map[uint32][]byte, step uint64) map[uint32][]byte {
	t.Helper()
	next := make(map[uint32][]byte, len(model))
	for k, v := range model {
		next[k] = v
	}
	bufs := map[uint32]Buf{}
	for range 1 + rng.IntN(3) {
		var b Buf
		if n := r.NumBlocks(); n < 40 && rng.IntN(3) == 0 {
			b = extendInit(t, r)
			next[b.Block()] = append([]byte(nil), b.Page()...)
			model = next // the empty page stays, whatever becomes of the rest
		} else if n > 0 {
			block := rng.Uint32N(n)
			if _, ok := bufs[block]; ok {
				continue
			}
			b = pin(t, r, block)
			_ = b.LockExclusive(nil)
		} else {
			continue
		}
		bufs[b.Block()] = b
		changePage(t, b, rng)
	}
	undo := rng.IntN(8) == 0
	for _, b := range bufs {
		c.Add(b)
	}
	if undo {
		c.Reset()
	} else {
		fresh := make(map[uint32][]byte, len(next))
		for k, v := range next {
			fresh[k] = v
		}
		for block, b := range bufs {
			pg := append([]byte(nil), b.Page()...)
			from, to := page.Hole(pg)
			clear(pg[from:to])
			fresh[block] = pg
		}
		model = fresh
	}
	c.Set([]byte("step"), le.AppendUint64(nil, step))
	p.Apply(c)
	for _, b := range bufs {
		b.UnlockUnpin()
	}
	return model
}

func changePage(t *testing.T, b Buf, rng *rand.Rand) {
	t.Helper()
	e := b.Edit()
	if page.IsNew(b.Page()) {
		page.Init(e, 0)
	}
	for range 1 + rng.IntN(3) {
		item := make([]byte, 1+rng.IntN(300))
		for i := range item {
			item[i] = byte(rng.Uint32())
		}
		if _, err := page.AddItem(e, item, 0, page.AddHeap); err != nil {
			t.Fatal(err)
		}
	}
	if n := page.MaxOffset(b.Page()); n > 3 && rng.IntN(2) == 0 {
		e.PutItem(1+uint16(rng.IntN(int(n))), 0)
		if err := page.RepairFragmentation(e); err != nil {
			t.Fatal(err)
		}
	}
}

// checkModel compares all pages of a relation with the model, the hole taken out.
func checkModel(t *testing.T, r *Rel, model map[uint32][]byte) {
	t.Helper()
	for block := range r.NumBlocks() {
		b := pin(t, r, block)
		if err := page.Check(b.Page()); err != nil {
			t.Fatalf("block %d: %v", block, err)
		}
		got := append([]byte(nil), b.Page()...)
		from, to := page.Hole(got)
		clear(got[from:to])
		want := model[block]
		if want == nil {
			want = make([]byte, page.Size)
		}
		if at := firstDifference(got, want); at >= 0 {
			t.Fatalf("block %d differs from the model at %d", block, at)
		}
		b.Unpin()
	}
	for block := range model {
		if block >= r.NumBlocks() {
			t.Fatalf("block %d is gone", block)
		}
	}
}

// recovered opens the store after a crash and returns the model of the change that it holds last.
func recovered(t *testing.T, fs vfs.FS, history []map[uint32][]byte, synced int) map[uint32][]byte {
	t.Helper()
	s, err := pagestore.Open(pagestore.Options{Dir: "db", FS: fs, SyncInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	v, ok, err := s.Get(nil, []byte("step"))
	if err != nil || !ok {
		t.Fatal("no step", err)
	}
	n := int(le.Uint64(v))
	if n < synced || n >= len(history) {
		t.Fatalf("step %d found, %d synced, %d done", n, synced, len(history)-1)
	}
	// Pages that extendInit applied for the step after it may be there already, empty: take them into the model.
	model := history[n]
	p := New(s, 16)
	r := openRel(t, p, 1)
	for block := range r.NumBlocks() {
		if model[block] == nil {
			b := pin(t, r, block)
			if page.MaxOffset(b.Page()) == 0 {
				model[block] = append([]byte(nil), b.Page()...)
			}
			b.Unpin()
		}
	}
	checkModel(t, r, model)
	p.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return model
}

// TestFailedReadWakes: who has pinned a frame for the page that it held before, and meets a read in progress that somebody else turns out to have done already,
// does not sleep for ever.
func TestFailedReadWakes(t *testing.T) {
	p := newTestPool(t, 16)
	r := openRel(t, p, 1)
	extendInit(t, r).UnlockUnpin()
	i, err := p.victim()
	if err != nil {
		t.Fatal(err)
	}
	f := &p.frames[i]
	f.state.Add(stIO - stEvict)
	f.state.Add(onePin) // the stray pin
	woken := make(chan struct{})
	go func() {
		p.waitRead(i)
		p.unpin(i)
		close(woken)
	}()
	eventually(t, "it sleeps", func() bool { return f.state.Load()&stWaiters != 0 })
	f.state.Add(^(stIO - stEvict) + 1)
	if p.beginRead(i, r, 0) {
		t.Fatal("block 0 was mapped twice")
	}
	<-woken
}
