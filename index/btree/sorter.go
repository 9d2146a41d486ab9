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
	arena  []byte
	refs   []sortRef
	sorted bool // refs are in order as they came
	runs   []*os.File
	rowA   types.Row
	rowB   types.Row
	count  int64
}

// sortRef is an entry in the arena, with its first column's value when that is a number.
type sortRef struct {
	first int64
	off   uint32
	slow  bool // first says nothing: the column is null or not fast
}

const (
	sortRefSize  = 16
	minSortMem   = 1 << 20
	maxArena     = 1 << 31 // offsets are uint32
	pollInterval = 1 << 14
)

// deadEntry marks an entry that is exempt from the unique check, in t_info, while it is sorted.
const deadEntry = index.AMReserved

func newSorter(ix *Index, o index.BuildOptions) *sorter {
	return &sorter{ix: ix, limit: min(max(o.WorkMem, minSortMem), maxArena), dir: o.TempDir, poll: o.Interrupt, sorted: true}
}

func (s *sorter) isPoll() error {
	if s.poll != nil && s.count%pollInterval == 0 {
		return s.poll()
	}
	return nil
}

// add takes an entry that was appended to the arena at off.
func (s *sorter) add(off int) error {
	r := s.ref(off)
	if n := len(s.refs); s.sorted && n > 0 && s.compare(&s.refs[n-1], &r) > 0 {
		s.sorted = false
	}
	s.refs = append(s.refs, r)
	s.count++
	if len(s.arena)+len(s.refs)*sortRefSize > s.limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	return s.isPoll()
}

func (s *sorter) ref(off int) sortRef {
	r := sortRef{off: uint32(off), slow: true}
	t := index.Tuple(s.arena[off:])
	if f := s.ix.cols[0].fast; f != notFast && t.Info()&index.HasNulls == 0 {
		r.first, r.slow = readFast(f, t), false
		if s.ix.cols[0].desc {
			r.first = ^r.first // turns the order round
		}
	}
	return r
}

func (s *sorter) tuple(r *sortRef) index.Tuple {
	t := index.Tuple(s.arena[r.off:])
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
	s.arena, s.refs, s.sorted = s.arena[:0], s.refs[:0], true
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
	s.arena, s.refs = nil, nil
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
	s.runs, s.arena, s.refs = nil, nil, nil
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
