package executor

import (
	"io"
	"sort"

	"github.com/calfdb/calf/sql/types"
)

// Tuplestore keeps rows in the order in which they were added, in memory up to work_mem, then in a temporary file. Any number of readers go
// over it, also while rows are still being added.
type Tuplestore struct {
	cols  int
	limit int64
	space *TempSpace

	chunks  [][]byte // encoded rows, while in memory
	index   []rowRef // where each row is
	used    int64
	trimmed int // rows that Trim dropped; chunks, index and offsets begin with the next one
	dropped uint32

	file    *tempFile
	offsets []int64 // of the rows in the file, every offsetStep-th
	count   int
	buf     []byte
	flushed bool
}

// rowRef is the place of a row in memory.
type rowRef struct{ chunk, start, end uint32 }

const (
	chunkSize  = 64 << 10
	offsetStep = 64
)

// NewTuplestore makes an empty store of rows with the given number of columns.
func NewTuplestore(cols int, workMem int64, space *TempSpace) *Tuplestore {
	return &Tuplestore{cols: cols, limit: workMem, space: space}
}

// Len counts the rows.
func (t *Tuplestore) Len() int { return t.count }

// Spilled says whether rows went to a file.
func (t *Tuplestore) Spilled() bool { return t.file != nil }

// Add appends a copy of row.
func (t *Tuplestore) Add(row types.Row) error {
	t.buf = appendRow(t.buf[:0], row)
	t.count++
	if t.file == nil && t.used+int64(len(t.buf))+12 > t.limit {
		if err := t.spill(); err != nil {
			return err
		}
	}
	if t.file != nil {
		return t.addToFile(t.buf)
	}
	t.addToMemory(t.buf)
	return nil
}

func (t *Tuplestore) addToMemory(b []byte) {
	n := len(t.chunks)
	if n == 0 || cap(t.chunks[n-1])-len(t.chunks[n-1]) < len(b) {
		size := min(chunkSize, 512<<min(n, 7), max(512, int(t.limit/8)))
		t.chunks = append(t.chunks, make([]byte, 0, max(size, len(b))))
		n++
	}
	c := &t.chunks[n-1]
	start := len(*c)
	*c = append(*c, b...)
	t.index = append(t.index, rowRef{t.dropped + uint32(n-1), uint32(start), uint32(len(*c))})
	t.used += int64(len(b) + 12)
}

func (t *Tuplestore) addToFile(b []byte) error {
	if (t.count-t.trimmed-1)%offsetStep == 0 {
		t.offsets = append(t.offsets, t.file.size)
	}
	t.flushed = false
	return t.file.writeRecord(b)
}

// spill moves all rows to a file. Readers go on by row number.
func (t *Tuplestore) spill() error {
	var err error
	if t.file, err = t.space.create(); err != nil {
		return err
	}
	added := t.count
	for i, ref := range t.index {
		t.count = t.trimmed + i + 1
		if err := t.addToFile(t.bytes(ref)); err != nil {
			return err
		}
	}
	t.count = added
	t.chunks, t.index, t.used = nil, nil, 0
	return nil
}

func (t *Tuplestore) bytes(ref rowRef) []byte {
	return t.chunks[ref.chunk-t.dropped][ref.start:ref.end]
}

// Trim lets go of rows before number n, which no reader asks for any more. They keep their numbers; rows in a file stay.
func (t *Tuplestore) Trim(n int) {
	if t.file != nil || n >= t.count || n <= t.trimmed {
		return
	}
	keep := t.index[n-t.trimmed].chunk
	if keep == t.dropped {
		return
	}
	first := sort.Search(len(t.index), func(i int) bool { return t.index[i].chunk >= keep })
	for _, ref := range t.index[:first] {
		t.used -= int64(ref.end-ref.start) + 12
	}
	t.chunks = append(t.chunks[:0:0], t.chunks[keep-t.dropped:]...)
	t.index = append(t.index[:0:0], t.index[first:]...)
	t.trimmed, t.dropped = t.trimmed+first, keep
}

// Clear empties the store for new rows.
func (t *Tuplestore) Clear() {
	t.file.close()
	t.file, t.offsets, t.count, t.used, t.trimmed, t.dropped = nil, nil, 0, 0, 0, 0
	t.chunks, t.index = t.chunks[:0], t.index[:0]
}

// Close frees the file.
func (t *Tuplestore) Close() {
	t.file.close()
	t.file = nil
}

// Reader reads a Tuplestore forwards and backwards, by row number.
type Reader struct {
	t    *Tuplestore
	pos  int // number of the row that Next gives
	row  types.Row
	file *recordReader
	at   int // row number that file gives next
}

// NewReader starts before the first row.
func (t *Tuplestore) NewReader() *Reader { return &Reader{t: t, row: make(types.Row, t.cols)} }

// Pos is the number of the row that Next gives; Seek sets it.
func (r *Reader) Pos() int     { return r.pos }
func (r *Reader) Seek(pos int) { r.pos = pos }

// Reset goes back to the start of a store that was cleared.
func (r *Reader) Reset() { r.pos, r.file = 0, nil }

// Next gives the next row, nil at the end. It is valid until the next call, and longer while the store is in memory.
func (r *Reader) Next() (types.Row, error) {
	if r.pos >= r.t.count {
		return nil, nil
	}
	b, err := r.fetch(r.pos)
	if err != nil {
		return nil, err
	}
	r.pos++
	_, err = decodeRow(b, r.row)
	return r.row, err
}

// Prev gives the row before the one that Next gave last, nil at the start.
func (r *Reader) Prev() (types.Row, error) {
	if r.pos <= 1 {
		r.pos = 0
		return nil, nil
	}
	r.pos -= 2
	return r.Next()
}

func (r *Reader) fetch(n int) ([]byte, error) {
	t := r.t
	if t.file == nil {
		return t.bytes(t.index[n-t.trimmed]), nil
	}
	n -= t.trimmed
	if !t.flushed {
		if err := t.file.flush(); err != nil {
			return nil, err
		}
		t.flushed = true
		r.file = nil // its buffer may end in the middle of what was not yet written
	}
	if r.file == nil || r.at > n || r.at < n-n%offsetStep {
		r.file, r.at = t.file.reader(t.offsets[n/offsetStep], 32<<10), n-n%offsetStep
	}
	for {
		b, err := r.file.next()
		if err == io.EOF && r.at < t.count-t.trimmed {
			// The reader met the end before the last rows were written.
			r.file, r.at = t.file.reader(t.offsets[n/offsetStep], 32<<10), n-n%offsetStep
			continue
		}
		if err != nil {
			return nil, err
		}
		r.at++
		if r.at > n {
			return b, nil
		}
	}
}
