package page

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// pair is a page changed through Edit, beside a copy that is kept by replaying what was recorded. They must never differ.
type pair struct {
	t      *testing.T
	mem    []byte
	stored []byte
	e      Edit
}

func newPair(t *testing.T, special int) *pair {
	p := &pair{t: t, mem: make([]byte, Size), stored: make([]byte, Size)}
	p.e.Reset(p.mem, false)
	Init(&p.e, special)
	p.sync("init")
	return p
}

// sync replays the recorded program and compares.
func (p *pair) sync(what string) {
	p.t.Helper()
	if p.e.IsImage() {
		copy(p.stored, p.mem)
	} else if err := Replay(p.stored, p.e.Ops()); err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
	if !bytes.Equal(p.mem, p.stored) {
		p.t.Fatalf("%s: memory and replay differ", what)
	}
	if err := Check(p.mem); err != nil {
		p.t.Fatalf("%s: %v\n%s", what, err, Format(p.mem, nil))
	}
	p.e.Reset(p.mem, false)
}

func (p *pair) tuples() []string {
	var out []string
	for off := uint16(1); off <= MaxOffset(p.mem); off++ {
		out = append(out, string(Tuple(p.mem, off)))
	}
	return out
}

func randomItem(rng *rand.Rand) []byte {
	b := make([]byte, 1+rng.IntN(120))
	for i := range b {
		b[i] = byte('a' + rng.IntN(26))
	}
	return b
}

// TestIndexItems runs random operations of an index page beside a slice.
func TestIndexItems(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := newPair(t, rng.IntN(40))
		var model []string
		for step := range 400 {
			what := fmt.Sprintf("seed %d step %d", seed, step)
			switch op := rng.IntN(10); {
			case op < 5:
				item := randomItem(rng)
				at := rng.IntN(len(model) + 1)
				fits := FreeSpace(p.mem) >= Align(len(item))
				off, err := AddItem(&p.e, item, uint16(at+1), 0)
				if err != nil || fits != (off != 0) {
					t.Fatal(what, off, fits, err)
				}
				if off != 0 {
					model = slices.Insert(model, at, string(item))
				}
			case op < 7 && len(model) > 0:
				at := rng.IntN(len(model))
				if err := IndexDelete(&p.e, uint16(at+1)); err != nil {
					t.Fatal(what, err)
				}
				model = slices.Delete(model, at, at+1)
			case op < 8 && len(model) > 0:
				model = multiDelete(p, rng, model, what)
			case op < 9 && len(model) > 0:
				at, item := rng.IntN(len(model)), randomItem(rng)
				ok, err := IndexOverwrite(&p.e, uint16(at+1), item)
				if err != nil {
					t.Fatal(what, err)
				}
				if ok {
					model[at] = string(item)
				}
			}
			p.sync(what)
			if got := p.tuples(); !slices.Equal(got, model) {
				t.Fatalf("%s: page has %q, want %q", what, got, model)
			}
		}
	}
}

func multiDelete(p *pair, rng *rand.Rand, model []string, what string) []string {
	var offs []uint16
	var left []string
	for i, s := range model {
		if rng.IntN(4) == 0 {
			offs = append(offs, uint16(i+1))
		} else {
			left = append(left, s)
		}
	}
	if err := IndexMultiDelete(&p.e, offs); err != nil {
		p.t.Fatal(what, err)
	}
	free := SpecialStart(p.mem) - HeaderSize
	for _, s := range left {
		free -= Align(len(s)) + ItemIDSize
	}
	if ExactFreeSpace(p.mem) != free {
		p.t.Fatalf("%s: %d bytes free, want %d", what, ExactFreeSpace(p.mem), free)
	}
	return left
}

// TestHeapItems runs random operations of a heap page beside a map of offset to tuple.
func TestHeapItems(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 2))
		p := newPair(t, 0)
		model := map[uint16]string{}
		for step := range 400 {
			what := fmt.Sprintf("seed %d step %d", seed, step)
			switch op := rng.IntN(10); {
			case op < 6:
				item := randomItem(rng)
				off, err := AddItem(&p.e, item, 0, AddHeap)
				if err != nil {
					t.Fatal(what, err)
				}
				if _, taken := model[off]; taken {
					t.Fatalf("%s: offset %d given twice", what, off)
				}
				if off != 0 {
					model[off] = string(item)
				}
			case op < 9:
				for off := range model {
					if rng.IntN(8) == 0 {
						p.e.PutItem(off, 0)
						delete(model, off)
					}
				}
				if err := RepairFragmentation(&p.e); err != nil {
					t.Fatal(what, err)
				}
			default:
				TruncateLinePointers(&p.e)
			}
			p.sync(what)
			for off := uint16(1); off <= MaxOffset(p.mem); off++ {
				if got := string(Tuple(p.mem, off)); got != model[off] {
					t.Fatalf("%s: item %d is %q, want %q", what, off, got, model[off])
				}
			}
			for off := range model {
				if off > MaxOffset(p.mem) {
					t.Fatalf("%s: item %d is gone", what, off)
				}
			}
		}
	}
}

func TestSameSpaceAsPostgreSQL(t *testing.T) {
	// 8192 - 24 bytes hold 226 tuples of 28 bytes (aligned to 32) with their line pointers.
	p := newPair(t, 0)
	n := 0
	for ; ; n++ {
		off, err := AddItem(&p.e, make([]byte, 28), 0, AddHeap)
		if err != nil {
			t.Fatal(err)
		}
		if off == 0 {
			break
		}
	}
	if n != 226 || MaxHeapTuples != 291 || MaxIndexTuples != 408 {
		t.Errorf("%d tuples, at most %d and %d", n, MaxHeapTuples, MaxIndexTuples)
	}
}

func TestHeapFreeSpaceStopsAtMaxHeapTuples(t *testing.T) {
	p := newPair(t, 0)
	for range MaxHeapTuples {
		if off, err := AddItem(&p.e, []byte{1}, 0, AddHeap); off == 0 || err != nil {
			t.Fatal(off, err)
		}
	}
	if off, err := AddItem(&p.e, []byte{1}, 0, AddHeap); off != 0 || err != nil {
		t.Fatalf("item %d beyond the limit (%v)", off, err)
	}
	if HeapFreeSpace(p.mem) != 0 || FreeSpace(p.mem) == 0 {
		t.Errorf("free: heap %d, index %d", HeapFreeSpace(p.mem), FreeSpace(p.mem))
	}
	p.e.PutItem(7, 0)
	SetFlags(&p.e, HasFreeLines)
	if HeapFreeSpace(p.mem) == 0 {
		t.Error("no space with a free line pointer")
	}
	if off, _ := AddItem(&p.e, []byte{2}, 0, AddHeap); off != 7 {
		t.Errorf("reused offset %d", off)
	}
}

// TestDamagedPage: item functions refuse, with XX001, a page whose pointers are damaged, and leave it as it was.
func TestDamagedPage(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := newPair(t, 16)
		for range 20 {
			if _, err := AddItem(&p.e, randomItem(rng), 0, 0); err != nil {
				t.Fatal(err)
			}
		}
		for range 1 + rng.IntN(4) { // somewhere in the header or the line pointers
			p.mem[rng.IntN(HeaderSize+21*ItemIDSize)] = byte(rng.Uint32())
		}
		p.e.Reset(p.mem, false)
		// None of these may panic.
		_ = RepairFragmentation(&p.e)
		_ = IndexMultiDelete(&p.e, []uint16{1, 5, 9, 12})
		_ = IndexDelete(&p.e, 3)
		_ = IndexDeleteNoCompact(&p.e, 3)
		_, _ = IndexOverwrite(&p.e, 4, randomItem(rng))
		_, _ = AddItem(&p.e, randomItem(rng), 2, 0)
		_, _ = AddItem(&p.e, randomItem(rng), 0, AddHeap)
	}
}

func TestEditFallsBackToImage(t *testing.T) {
	p := newPair(t, 0)
	for i := 0; i < Size-1024; i += 100 {
		p.e.Patch(1024, bytes.Repeat([]byte{byte(i)}, 100))
		p.e.Move(2000, 1024, 50)
	}
	if !p.e.IsImage() || !p.e.Dirty() {
		t.Error("a long program was kept")
	}
	copy(p.stored, p.mem)
}

func TestPatchesOfNeighboursAreOne(t *testing.T) {
	p := newPair(t, 0)
	p.e.Put16(OffLower, 24)
	p.e.Put16(OffUpper, 8192)
	p.e.Put16(OffSpecial, 8192)
	if n := len(p.e.Ops()); n != 4+6 {
		t.Errorf("program of %d bytes", n)
	}
	p.sync("patches")
}

func FuzzReplay(f *testing.F) {
	p := &pair{mem: make([]byte, Size)}
	p.e.Reset(p.mem, false)
	Init(&p.e, 16)
	_, _ = AddItem(&p.e, []byte("abc"), 0, 0)
	f.Add(p.e.Ops())
	f.Fuzz(func(t *testing.T, ops []byte) {
		_ = Replay(make([]byte, Size), ops)
	})
}

func FuzzCheck(f *testing.F) {
	p := &pair{mem: make([]byte, Size)}
	p.e.Reset(p.mem, false)
	Init(&p.e, 16)
	_, _ = AddItem(&p.e, []byte("abc"), 0, 0)
	f.Add(p.mem[:64])
	f.Fuzz(func(t *testing.T, head []byte) {
		b := make([]byte, Size)
		copy(b, head)
		_ = Check(b)
		_ = Format(b, func(uint16, []byte) string { return "" })
		if Check(b) != nil || IsNew(b) {
			return
		}
		var e Edit
		e.Reset(b, false)
		_ = RepairFragmentation(&e)
		if err := Check(b); err != nil {
			t.Errorf("repair broke a page: %v", err)
		}
	})
}
