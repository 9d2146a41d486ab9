package btree

import (
	"bufio"
	"container/heap"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
)

// sorter orders a build's entries: in memory up to a limit, then in sorted runs in files that are merged.
type sorter struct {
	ix     *Index
	limit  int
	dir    string
	poll   func() error
	chunks [][]byte // entries, one after the other
	used   int      // bytes in them
	refs   []sortRef
	sorted bool // refs are in order as they came
	runs   []*os.File
	rowA   types.Row
	rowB   types.Row
	count  int64
}

// sortRef is an entry in a chunk, with its first column's value when that is a number.
type sortRef struct {
	first int64
	at    uint32 // chunk and offset
	slow  bool   // first says nothing: the column is null or not fast
}

const (
	sortRefSize  = 16
	minSortMem   = 1 << 20
	chunkBits    = 20
	chunkSize    = 1 << chunkBits
	maxSortMem   = 1 << 31 // at has room for 4096 chunks
	pollInterval = 1 << 14
)

// deadEntry marks an entry that is exempt from the unique check, in t_info, while it is sorted.
const deadEntry = index.AMReserved

func newSorter(ix *Index, o index.BuildOptions) *sorter {
	return &sorter{ix: ix, limit: min(max(o.WorkMem, minSortMem), maxSortMem), dir: o.TempDir, poll: o.Interrupt, sorted: true}
}

func (s *sorter) isPoll() error {
	if s.poll != nil && s.count%pollInterval == 0 {
		return s.poll()
	}
	return nil
}

// room gives a chunk to append an entry of this size to.
func (s *sorter) room(size int) *[]byte {
	n := len(s.chunks) - 1
	if n >= 0 && cap(s.chunks[n])-len(s.chunks[n]) >= size {
		return &s.chunks[n]
	}
	if n++; n < cap(s.chunks) && s.chunks[:n+1][n] != nil { // one that was spilled
		s.chunks = s.chunks[:n+1]
	} else {
		s.chunks = append(s.chunks, make([]byte, 0, chunkSize))
	}
	return &s.chunks[n]
}

// add takes an entry that was appended to the last chunk at off.
func (s *sorter) add(off int) error {
	r := s.ref(len(s.chunks)-1, off)
	n := len(s.refs)
	if s.sorted && n > 0 && s.compare(&s.refs[n-1], &r) > 0 {
		s.sorted = false
	}
	if n == cap(s.refs) {
		s.refs = append(make([]sortRef, 0, max(2*n, 1024)), s.refs...)
	}
	s.refs = append(s.refs, r)
	s.count++
	if s.used += s.tuple(&r).Size() + sortRefSize; s.used > s.limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	return s.isPoll()
}

func (s *sorter) ref(chunk, off int) sortRef {
	r := sortRef{at: uint32(chunk)<<chunkBits | uint32(off), slow: true}
	t := s.tuple(&r)
	if f := s.ix.cols[0].fast; f != notFast && t.Info()&index.HasNulls == 0 {
		r.first, r.slow = readFast(f, t), false
		if s.ix.cols[0].desc {
			r.first = ^r.first // turns the order round
		}
	}
	return r
}

func (s *sorter) tuple(r *sortRef) index.Tuple {
	t := index.Tuple(s.chunks[r.at>>chunkBits][r.at&(chunkSize-1):])
	return t[:t.Size()]
}

func (s *sorter) compare(a, b *sortRef) int {
	if !a.slow && !b.slow && a.first != b.first {
		if a.first < b.first {
			return -1
		}
		return 1
	}
	return s.ix.compareEntries(s.tuple(a), s.tuple(b), &s.rowA, &s.rowB)
}

func (s *sorter) sortRefs() {
	if !s.sorted {
		slices.SortFunc(s.refs, func(a, b sortRef) int { return s.compare(&a, &b) })
	}
}

// spill writes the entries in memory as a run.
func (s *sorter) spill() (err error) {
	s.sortRefs()
	f, err := os.CreateTemp(s.dir, "calfsort")
	if err != nil {
		return err
	}
	s.runs = append(s.runs, f)
	if err := os.Remove(f.Name()); err != nil { // it lives as long as it is open
		return err
	}
	w := bufio.NewWriterSize(f, 256<<10)
	for i := range s.refs {
		if _, err := w.Write(s.tuple(&s.refs[i])); err != nil {
			return err
		}
	}
	for i := range s.chunks {
		s.chunks[i] = s.chunks[i][:0]
	}
	s.chunks, s.used, s.refs, s.sorted = s.chunks[:0], 0, s.refs[:0], true
	return w.Flush()
}

// each calls fn for all entries in order; an entry is valid during the call.
func (s *sorter) each(fn func(t index.Tuple) error) error {
	if len(s.runs) == 0 {
		s.sortRefs()
		for i := range s.refs {
			if err := fn(s.tuple(&s.refs[i])); err != nil {
				return err
			}
		}
		return nil
	}
	if len(s.refs) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.chunks, s.refs = nil, nil
	return s.merge(fn)
}

func (s *sorter) merge(fn func(t index.Tuple) error) error {
	h := &runHeap{s: s}
	for _, f := range s.runs {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		r := &runReader{in: bufio.NewReaderSize(f, 256<<10)}
		ok, err := r.next()
		if err != nil {
			return err
		}
		if ok {
			h.runs = append(h.runs, r)
		}
	}
	heap.Init(h)
	for n := 0; len(h.runs) > 0; n++ {
		r := h.runs[0]
		if err := fn(r.cur); err != nil {
			return err
		}
		ok, err := r.next()
		if err != nil {
			return err
		}
		if ok {
			heap.Fix(h, 0)
		} else {
			heap.Pop(h)
		}
		if s.poll != nil && n%pollInterval == 0 {
			if err := s.poll(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *sorter) close() {
	for _, f := range s.runs {
		_ = f.Close()
	}
	s.runs, s.chunks, s.refs = nil, nil, nil
}

// runReader reads one run.
type runReader struct {
	in  *bufio.Reader
	cur index.Tuple
}

func (r *runReader) next() (bool, error) {
	if cap(r.cur) < index.SizeMask+1 {
		r.cur = make(index.Tuple, index.SizeMask+1)
	}
	t := r.cur[:cap(r.cur)]
	if _, err := io.ReadFull(r.in, t[:index.HeaderSize]); err != nil {
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		return false, err
	}
	size := t.Size()
	_, err := io.ReadFull(r.in, t[index.HeaderSize:size])
	r.cur = t[:size]
	return err == nil, err
}

// runHeap orders runs by their present entries.
type runHeap struct {
	s    *sorter
	runs []*runReader
}

func (h *runHeap) Len() int { return len(h.runs) }
func (h *runHeap) Less(i, j int) bool {
	return h.s.ix.compareEntries(h.runs[i].cur, h.runs[j].cur, &h.s.rowA, &h.s.rowB) < 0
}
func (h *runHeap) Swap(i, j int) { h.runs[i], h.runs[j] = h.runs[j], h.runs[i] }
func (h *runHeap) Push(x any)    { h.runs = append(h.runs, x.(*runReader)) }
func (h *runHeap) Pop() any {
	n := len(h.runs) - 1
	r := h.runs[n]
	h.runs = h.runs[:n]
	return r
}
