package executor

import (
	"github.com/calfdb/calf/sql/types"
)

// hashTable keeps encoded rows by hash code, for hash joins and hashed aggregation. It holds no pointers per row.
type hashTable struct {
	buckets []int32 // entry number + 1, 0 = empty
	entries []hashEntry
	chunks  [][]byte
	used    int64
}

type hashEntry struct {
	hash       uint32
	next       int32 // entry number + 1
	chunk      uint32
	start, end uint32
	matched    bool
}

const hashEntrySize = 24

// insert adds an encoded row.
func (t *hashTable) insert(hash uint32, b []byte) int {
	if len(t.entries) >= len(t.buckets) {
		t.grow()
	}
	n := len(t.chunks)
	if n == 0 || cap(t.chunks[n-1])-len(t.chunks[n-1]) < len(b) {
		t.chunks = append(t.chunks, make([]byte, 0, max(min(chunkSize, 1024<<min(n, 6)), len(b))))
		n++
	}
	c := &t.chunks[n-1]
	start := len(*c)
	*c = append(*c, b...)
	slot := &t.buckets[hash&uint32(len(t.buckets)-1)]
	t.entries = append(t.entries, hashEntry{hash: hash, next: *slot, chunk: uint32(n - 1), start: uint32(start), end: uint32(len(*c))})
	*slot = int32(len(t.entries))
	t.used += int64(len(b)) + hashEntrySize + 4
	return len(t.entries) - 1
}

// grow doubles the bucket array.
func (t *hashTable) grow() {
	size := max(2*len(t.buckets), 256)
	t.buckets = make([]int32, size)
	for i := range t.entries {
		slot := &t.buckets[t.entries[i].hash&uint32(size-1)]
		t.entries[i].next = *slot
		*slot = int32(i + 1)
	}
}

// first gives the first entry of a hash code's bucket, -1 = none; next the following one. Entries of other codes are among them.
func (t *hashTable) first(hash uint32) int {
	if len(t.buckets) == 0 {
		return -1
	}
	return int(t.buckets[hash&uint32(len(t.buckets)-1)]) - 1
}
func (t *hashTable) next(i int) int { return int(t.entries[i].next) - 1 }

func (t *hashTable) bytes(i int) []byte {
	e := &t.entries[i]
	return t.chunks[e.chunk][e.start:e.end]
}

// decode gives an entry's row; it points into the table.
func (t *hashTable) decode(i int, into types.Row) error {
	_, err := decodeRow(t.bytes(i), into)
	return err
}

func (t *hashTable) clear() { *t = hashTable{} }
