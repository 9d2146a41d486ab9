package types

// Arena is a bump allocator for the bytes of results. Its owner resets it when the values made from it are no longer used (per row,
// per query). A nil Arena allocates from the heap.
type Arena struct {
	buf  []byte
	used int
}

const arenaBlock = 8 << 10

// Alloc gives n bytes, not cleared when n bytes had been used before a Reset. The slice's capacity is n.
func (a *Arena) Alloc(n int) []byte {
	if a == nil || n > arenaBlock/2 {
		return make([]byte, n)
	}
	if a.used+n > len(a.buf) {
		a.buf = make([]byte, arenaBlock)
		a.used = 0
	}
	b := a.buf[a.used : a.used+n : a.used+n]
	a.used = (a.used + n + 7) &^ 7
	return b
}

// Reset makes the current block free for use again. Values made from the arena must not be used afterwards.
func (a *Arena) Reset() {
	if a != nil {
		a.used = 0
	}
}

// Clone gives a datum whose bytes are in the arena.
func (a *Arena) Clone(d Datum) Datum {
	if !d.IsByRef() || d.n == 0 {
		return d
	}
	b := a.Alloc(int(d.n))
	copy(b, d.Bytes())
	return Bytes(b)
}

// Text copies s into the arena.
func (a *Arena) Text(s string) Datum {
	b := a.Alloc(len(s))
	copy(b, s)
	return Bytes(b)
}
