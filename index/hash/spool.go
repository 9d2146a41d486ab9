package hash

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

// spool collects a build's entries. How many buckets there are, by which they are to be sorted, is known only when all have come; so what does not fit in
// memory goes to a file as it comes, and is sorted in runs and merged afterwards.
type spool struct {
	limit   int // entries in memory
	dir     string
	poll    func() error
	entries []entry
	count   int64
	raw     *os.File // unsorted, of records
	w       *bufio.Writer
	runs    []*os.File
}

const (
	recordSize   = 12
	memoryEntry  = 16
	minSpool     = 1 << 16
	pollInterval = 1 << 14
)

func newSpool(o index.BuildOptions) *spool {
	return &spool{limit: max(o.WorkMem/memoryEntry, minSpool), dir: o.TempDir, poll: o.Interrupt}
}

func (s *spool) add(e entry) error {
	s.entries = append(s.entries, e)
	s.count++
	if len(s.entries) >= s.limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if s.poll != nil && s.count%pollInterval == 0 {
		return s.poll()
	}
	return nil
}

// spill writes what is in memory to the raw file.
func (s *spool) spill() (err error) {
	if s.raw == nil {
		if s.raw, err = tempFile(s.dir); err != nil {
			return err
		}
		s.w = bufio.NewWriterSize(s.raw, 256<<10)
	}
	if err := writeRecords(s.w, s.entries); err != nil {
		return err
	}
	s.entries = s.entries[:0]
	return nil
}

// tempFile makes a file that lives as long as it is open.
func tempFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "calfhash")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

func writeRecords(w *bufio.Writer, es []entry) error {
	var b [recordSize]byte
	for _, e := range es {
		le.PutUint32(b[0:], e.hash)
		le.PutUint32(b[4:], e.tid.Block)
		le.PutUint16(b[8:], e.tid.Off)
		if _, err := w.Write(b[:]); err != nil {
			return err
		}
	}
	return nil
}

func readRecord(r io.Reader) (e entry, err error) {
	var b [recordSize]byte
	if _, err = io.ReadFull(r, b[:]); err == nil {
		e = entry{hash: le.Uint32(b[0:]), tid: types.TID{Block: le.Uint32(b[4:]), Off: le.Uint16(b[8:])}}
	}
	return e, err
}

// order compares by bucket, then hash code, then row.
func order(m *meta) func(a, b entry) int {
	return func(a, b entry) int {
		if x, y := m.bucket(a.hash), m.bucket(b.hash); x != y {
			return less(x < y)
		}
		if a.hash != b.hash {
			return less(a.hash < b.hash)
		}
		if a.tid == b.tid {
			return 0
		}
		return less(a.tid.Less(b.tid))
	}
}

func less(is bool) int {
	if is {
		return -1
	}
	return 1
}

// each calls fn for all entries in the order of m's buckets.
func (s *spool) each(m *meta, fn func(e entry) error) error {
	cmp := order(m)
	if s.raw == nil {
		slices.SortFunc(s.entries, cmp)
		for _, e := range s.entries {
			if err := fn(e); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.sortRuns(cmp); err != nil {
		return err
	}
	return s.merge(cmp, fn)
}

// sortRuns sorts the raw file in pieces that fit in memory.
func (s *spool) sortRuns(cmp func(a, b entry) int) error {
	if err := errors.Join(s.spill(), s.w.Flush()); err != nil {
		return err
	}
	if _, err := s.raw.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r := bufio.NewReaderSize(s.raw, 256<<10)
	for left := s.count; left > 0; {
		s.entries = s.entries[:0]
		for range min(left, int64(s.limit)) {
			e, err := readRecord(r)
			if err != nil {
				return err
			}
			s.entries = append(s.entries, e)
		}
		left -= int64(len(s.entries))
		slices.SortFunc(s.entries, cmp)
		f, err := tempFile(s.dir)
		if err != nil {
			return err
		}
		s.runs = append(s.runs, f)
		w := bufio.NewWriterSize(f, 256<<10)
		if err := errors.Join(writeRecords(w, s.entries), w.Flush()); err != nil {
			return err
		}
		if s.poll != nil {
			if err := s.poll(); err != nil {
				return err
			}
		}
	}
	s.entries = nil
	return s.raw.Close()
}

func (s *spool) merge(cmp func(a, b entry) int, fn func(e entry) error) error {
	h := &runHeap{cmp: cmp}
	for _, f := range s.runs {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		r := &runReader{in: bufio.NewReaderSize(f, 256<<10)}
		var err error
		if r.cur, err = readRecord(r.in); err != nil {
			return err
		}
		h.runs = append(h.runs, r)
	}
	heap.Init(h)
	for n := 0; len(h.runs) > 0; n++ {
		r := h.runs[0]
		if err := fn(r.cur); err != nil {
			return err
		}
		var err error
		switch r.cur, err = readRecord(r.in); {
		case err == nil:
			heap.Fix(h, 0)
		case errors.Is(err, io.EOF):
			heap.Pop(h)
		default:
			return err
		}
		if s.poll != nil && n%pollInterval == 0 {
			if err := s.poll(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *spool) close() {
	for _, f := range s.runs {
		_ = f.Close()
	}
	if s.raw != nil {
		_ = s.raw.Close()
	}
	s.entries, s.runs, s.raw = nil, nil, nil
}

type runReader struct {
	in  *bufio.Reader
	cur entry
}

// runHeap orders runs by their present entries.
type runHeap struct {
	cmp  func(a, b entry) int
	runs []*runReader
}

func (h *runHeap) Len() int           { return len(h.runs) }
func (h *runHeap) Less(i, j int) bool { return h.cmp(h.runs[i].cur, h.runs[j].cur) < 0 }
func (h *runHeap) Swap(i, j int)      { h.runs[i], h.runs[j] = h.runs[j], h.runs[i] }
func (h *runHeap) Push(x any)         { h.runs = append(h.runs, x.(*runReader)) }
func (h *runHeap) Pop() any {
	n := len(h.runs) - 1
	r := h.runs[n]
	h.runs = h.runs[:n]
	return r
}
