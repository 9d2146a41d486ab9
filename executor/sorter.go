package executor

import (
	"container/heap"
	"io"
	"slices"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// sortKey is one resolved sort column.
type sortKey struct {
	col        int // 0-based
	cmp        types.CompareFunc
	desc       bool
	nullsFirst bool
}

// compare orders two values of the key.
func (k *sortKey) compare(a, b types.Datum) int {
	switch {
	case a.IsNull() && b.IsNull():
		return 0
	case a.IsNull():
		if k.nullsFirst {
			return -1
		}
		return 1
	case b.IsNull():
		if k.nullsFirst {
			return 1
		}
		return -1
	}
	c := k.cmp(a, b)
	if k.desc {
		return -c
	}
	return c
}

// newSortKeys resolves sort keys of rows with the given targets.
func (s *State) newSortKeys(keys []plan.SortKey, targets []*query.TargetEntry) ([]sortKey, error) {
	out := make([]sortKey, len(keys))
	for i, k := range keys {
		cmp, desc, err := s.compareOf(k.Op, targets[k.Col-1].Expr.Type(), k.Collation)
		if err != nil {
			return nil, err
		}
		out[i] = sortKey{col: k.Col - 1, cmp: cmp, desc: desc, nullsFirst: k.NullsFirst}
	}
	return out, nil
}

const btreeAM = 403

// compareOf finds the btree comparison that an ordering operator (< or >) belongs to; desc says that it is the family's >.
func (s *State) compareOf(op, typ, coll types.OID) (cmp types.CompareFunc, desc bool, err error) {
	amops, err := s.Backend.Catalog.AmOpsOf(op)
	if err != nil {
		return nil, false, err
	}
	for _, a := range amops {
		if a.AM != btreeAM || a.Strategy != 1 && a.Strategy != 5 {
			continue
		}
		fn, err := s.Backend.Catalog.AmProc(a.Family, a.Left, a.Right, 1)
		if err != nil {
			return nil, false, err
		}
		p, err := s.Backend.Catalog.Proc(fn)
		if err != nil {
			return nil, false, err
		}
		if p == nil {
			return nil, false, pgerr.Internal("missing support function of operator family %d", a.Family)
		}
		cmp, err := types.LookupCompare(s.Backend.Env, p.Src, typ, coll)
		return cmp, a.Strategy == 5, err
	}
	return nil, false, pgerr.Internal("operator %d is not a valid ordering operator", op)
}

// sorter sorts rows: in memory up to work_mem, else in runs that are merged. With a bound it keeps only that many first rows.
type sorter struct {
	keys  []sortKey
	order []int // column order of encoded rows: key columns first, so that a comparison decodes only them
	limit int64
	space *TempSpace
	poll  func() error

	bound   int64 // 0 = none
	heaped  bool  // entries are the heap of a bounded sort
	live    int64 // what its rows use, of used
	entries []sortEntry
	chunks  [][]byte
	used    int64
	keyA    types.Row
	keyB    types.Row
	buf     []byte
	permBuf types.Row

	file     *tempFile
	runs     []run
	spilled  bool
	maxSpace int64

	// reading
	next int
	heap *mergeHeap
	perm types.Row
	row  types.Row
}

type sortEntry struct {
	first      types.Datum // first key, pointing into the chunk
	chunk      uint32
	start, end uint32
}

// run is one sorted stretch of the file.
type run struct{ start, end int64 }

func newSorter(keys []sortKey, cols int, workMem int64, space *TempSpace, poll func() error) *sorter {
	s := &sorter{keys: keys, limit: workMem, space: space, poll: poll}
	isKey := make([]bool, cols)
	for _, k := range keys {
		s.order = append(s.order, k.col)
		isKey[k.col] = true
	}
	for i := 0; i < cols; i++ {
		if !isKey[i] {
			s.order = append(s.order, i)
		}
	}
	s.keyA, s.keyB = make(types.Row, len(keys)), make(types.Row, len(keys))
	s.permBuf, s.perm, s.row = make(types.Row, len(s.order)), make(types.Row, len(s.order)), make(types.Row, cols)
	return s
}

// add takes a copy of row.
func (s *sorter) add(row types.Row) error {
	for i, col := range s.order {
		s.permBuf[i] = row[col]
	}
	if s.heaped {
		return s.addToHeap()
	}
	s.buf = appendRow(s.buf[:0], s.permBuf)
	if err := s.push(s.buf); err != nil {
		return err
	}
	if n := int64(len(s.entries)); s.bound > 0 && s.file == nil && (n > 2*s.bound || n > s.bound && s.used > s.limit) {
		s.makeHeap()
	}
	if s.used > s.limit {
		return s.writeRun()
	}
	return nil
}

func (s *sorter) addToHeap() error {
	if s.afterTop() {
		return nil
	}
	s.buf = appendRow(s.buf[:0], s.permBuf)
	if err := s.push(s.buf); err != nil {
		return err
	}
	n := len(s.entries) - 1
	e := s.entries[n]
	s.entries = s.entries[:n]
	s.heapReplaceTop(e)
	if s.used > s.limit || s.used > 2*s.live+chunkSize {
		s.compact()
	}
	if s.used > s.limit {
		return s.writeRun()
	}
	return nil
}

func (s *sorter) push(b []byte) error {
	n := len(s.chunks)
	if n == 0 || cap(s.chunks[n-1])-len(s.chunks[n-1]) < len(b) {
		s.chunks = append(s.chunks, make([]byte, 0, max(min(chunkSize, 1024<<min(n, 6)), len(b))))
		n++
	}
	c := &s.chunks[n-1]
	start := len(*c)
	*c = append(*c, b...)
	e := sortEntry{chunk: uint32(n - 1), start: uint32(start), end: uint32(len(*c))}
	var first [1]types.Datum
	if _, err := decodeRow((*c)[start:], first[:]); err != nil {
		return err
	}
	e.first = first[0]
	s.entries = append(s.entries, e)
	s.used += int64(len(b)) + 40
	return nil
}

func (s *sorter) bytes(e *sortEntry) []byte { return s.chunks[e.chunk][e.start:e.end] }

// compareEntries orders two rows in memory. There are no keys when rows have no columns.
func (s *sorter) compareEntries(a, b *sortEntry) int {
	if len(s.keys) == 0 {
		return 0
	}
	if c := s.keys[0].compare(a.first, b.first); c != 0 || len(s.keys) == 1 {
		return c
	}
	return s.compareBytes(s.bytes(a), s.bytes(b), 1)
}

// compareBytes orders two encoded rows from key number from on.
func (s *sorter) compareBytes(a, b []byte, from int) int {
	// The encodings are the sorter's own: they always decode.
	decodeRow(a, s.keyA)
	decodeRow(b, s.keyB)
	for i := from; i < len(s.keys); i++ {
		if c := s.keys[i].compare(s.keyA[i], s.keyB[i]); c != 0 {
			return c
		}
	}
	return 0
}

// writeRun sorts what is in memory and appends it to the file as a run.
func (s *sorter) writeRun() error {
	if s.file == nil {
		var err error
		if s.file, err = s.space.create(); err != nil {
			return err
		}
		s.spilled = true
	}
	s.heaped = false
	types.QSort(s.entries, s.compareEntries)
	start := s.file.size
	for i := range s.entries {
		if err := s.file.writeRecord(s.bytes(&s.entries[i])); err != nil {
			return err
		}
	}
	s.runs = append(s.runs, run{start, s.file.size})
	s.entries = s.entries[:0]
	for i := range s.chunks {
		s.chunks[i] = s.chunks[i][:0]
	}
	if len(s.chunks) > 1 {
		s.chunks = nil
	}
	s.used = 0
	return s.poll()
}

// sort ends the input.
func (s *sorter) sort() error {
	s.maxSpace = max(s.maxSpace, s.used)
	if s.file == nil {
		if s.heaped {
			s.sortHeap()
		} else {
			types.QSort(s.entries, s.compareEntries)
		}
		if s.bound > 0 && int64(len(s.entries)) > s.bound {
			s.entries = s.entries[:s.bound]
		}
		s.next = 0
		return nil
	}
	if len(s.entries) > 0 {
		if err := s.writeRun(); err != nil {
			return err
		}
	}
	s.entries, s.chunks = nil, nil
	if err := s.file.flush(); err != nil {
		return err
	}
	for len(s.runs) > s.fanIn() {
		if err := s.mergePass(); err != nil {
			return err
		}
	}
	return s.rewind()
}

const mergeBuffer = 16 << 10

// fanIn is how many runs are merged at once: each costs a read buffer.
func (s *sorter) fanIn() int { return int(max(6, min(s.limit/mergeBuffer, 500))) }

// mergePass merges groups of runs into a new file of longer ones.
func (s *sorter) mergePass() error {
	out, err := s.space.create()
	if err != nil {
		return err
	}
	var runs []run
	for group := range slices.Chunk(s.runs, s.fanIn()) {
		if err := s.poll(); err != nil {
			out.close()
			return err
		}
		start := out.size
		h, err := s.openRuns(group)
		for err == nil && h.Len() > 0 {
			if err = out.writeRecord(h.src[0].cur); err == nil {
				err = h.advance()
			}
		}
		if err != nil {
			out.close()
			return err
		}
		runs = append(runs, run{start, out.size})
	}
	s.file.close()
	s.file, s.runs = out, runs
	return out.flush()
}

// rewind starts reading at the first row.
func (s *sorter) rewind() error {
	s.next = 0
	if s.file == nil {
		return nil
	}
	var err error
	s.heap, err = s.openRuns(s.runs)
	return err
}

// get gives the next row in order, nil at the end.
func (s *sorter) get() (types.Row, error) {
	var b []byte
	if s.file == nil {
		if s.next >= len(s.entries) {
			return nil, nil
		}
		b = s.bytes(&s.entries[s.next])
	} else {
		if s.next > 0 && s.heap.Len() > 0 {
			if err := s.heap.advance(); err != nil {
				return nil, err
			}
		}
		if s.heap.Len() == 0 {
			return nil, nil
		}
		b = s.heap.src[0].cur
	}
	s.next++
	if s.bound > 0 && int64(s.next) > s.bound {
		return nil, nil
	}
	if _, err := decodeRow(b, s.perm); err != nil {
		return nil, err
	}
	for i, col := range s.order {
		s.row[col] = s.perm[i]
	}
	return s.row, nil
}

func (s *sorter) close() {
	s.file.close()
	s.file, s.entries, s.chunks, s.heap, s.runs = nil, nil, nil, nil, nil
	s.used, s.next = 0, 0
}

// mergeHeap orders the current rows of several runs.
type mergeHeap struct {
	s   *sorter
	src []*runSource
}

type runSource struct {
	r   *recordReader
	end int64
	cur []byte
}

func (s *sorter) openRuns(runs []run) (*mergeHeap, error) {
	h := &mergeHeap{s: s}
	for _, r := range runs {
		src := &runSource{r: s.file.reader(r.start, mergeBuffer), end: r.end}
		ok, err := src.advance()
		if err != nil {
			return nil, err
		}
		if ok {
			h.src = append(h.src, src)
		}
	}
	heap.Init(h)
	return h, nil
}

func (r *runSource) advance() (bool, error) {
	if r.r.pos >= r.end {
		return false, nil
	}
	b, err := r.r.next()
	if err == io.EOF {
		return false, errShortRow()
	}
	r.cur = b
	return err == nil, err
}

// advance moves the smallest run on.
func (h *mergeHeap) advance() error {
	ok, err := h.src[0].advance()
	if err != nil {
		return err
	}
	if ok {
		heap.Fix(h, 0)
	} else {
		heap.Pop(h)
	}
	return nil
}

func (h *mergeHeap) Len() int           { return len(h.src) }
func (h *mergeHeap) Less(i, j int) bool { return h.s.compareBytes(h.src[i].cur, h.src[j].cur, 0) < 0 }
func (h *mergeHeap) Swap(i, j int)      { h.src[i], h.src[j] = h.src[j], h.src[i] }
func (h *mergeHeap) Push(x any)         { h.src = append(h.src, x.(*runSource)) }
func (h *mergeHeap) Pop() any {
	x := h.src[len(h.src)-1]
	h.src = h.src[:len(h.src)-1]
	return x
}
