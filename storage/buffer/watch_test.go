package buffer

import (
	"context"
	"testing"
)

// TestWatch: a watched block's latches are counted whoever takes them, through evictions; others' are not.
func TestWatch(t *testing.T) {
	p := newTestPool(t, 16)
	r := openRel(t, p, 1)
	for range 40 {
		extendFilled(t, r).UnlockUnpin()
	}
	c, err := r.Watch(3)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for block := range uint32(40) { // more than the pool holds: the watched block is evicted
			b, err := r.Pin(block)
			if err != nil {
				t.Fatal(err)
			}
			b.LockShared()
			b.Unlock()
			if err := b.LockExclusive(nil); err != nil {
				t.Fatal(err)
			}
			b.Unlock()
			if !b.TryLockExclusive() {
				t.Fatal("not free")
			}
			b.UnlockUnpin()
		}
	}
	if s, x, w := c.Shared.Load(), c.Exclusive.Load(), c.ExclusiveWaits.Load(); s != 2 || x != 4 || w != 0 {
		t.Errorf("shared %d, exclusive %d, waits %d", s, x, w)
	}
	b, err := r.Pin(3)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Unpin()
	b.LockShared()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- b.LockExclusive(ctx) }()
	eventually(t, "the writer waits", func() bool { return c.ExclusiveWaits.Load() == 1 })
	cancel()
	<-done
	b.Unlock()
}

// TestReserve: blocks behind the stored ones read as zero, and may be changed like others.
func TestReserve(t *testing.T) {
	p := newTestPool(t, 16)
	r := openRel(t, p, 1)
	extendFilled(t, r).UnlockUnpin()
	r.Reserve(10)
	r.Reserve(5)
	if n := r.NumBlocks(); n != 10 {
		t.Fatalf("%d blocks", n)
	}
	b, err := r.Pin(7)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.LockExclusive(nil); err != nil {
		t.Fatal(err)
	}
	b.Edit().Put8(100, 9)
	c := p.NewChange()
	c.Add(b)
	c.SetCount(r, 5)
	c.AddCount(r, -7)
	p.Apply(c)
	c.Release()
	b.UnlockUnpin()
	if n, ok, err := r.Count(); n != -2 || !ok || err != nil {
		t.Errorf("count %d, %v, %v", n, ok, err)
	}
}
