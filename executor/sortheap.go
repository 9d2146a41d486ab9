package executor

// A bounded sort keeps only the first rows, in a heap whose top is the last of them: what sorts after the top is dropped at once.

// makeHeap turns the rows read so far into the heap.
func (s *sorter) makeHeap() {
	all := s.entries
	s.entries, s.heaped = s.entries[:0], true
	for i := range all {
		e := all[i]
		switch {
		case int64(len(s.entries)) < s.bound:
			s.heapInsert(e)
		case s.compareEntries(&e, &s.entries[0]) < 0:
			s.heapReplaceTop(e)
		}
	}
	s.compact()
}

// heapInsert puts a row into the heap, the greatest on top.
func (s *sorter) heapInsert(e sortEntry) {
	j := len(s.entries)
	s.entries = append(s.entries, e)
	for j > 0 {
		i := (j - 1) / 2
		if s.compareEntries(&e, &s.entries[i]) <= 0 {
			break
		}
		s.entries[j] = s.entries[i]
		j = i
	}
	s.entries[j] = e
}

// heapReplaceTop puts e in the place of the greatest row.
func (s *sorter) heapReplaceTop(e sortEntry) {
	i, n := 0, len(s.entries)
	for {
		j := 2*i + 1
		if j >= n {
			break
		}
		if j+1 < n && s.compareEntries(&s.entries[j], &s.entries[j+1]) < 0 {
			j++
		}
		if s.compareEntries(&e, &s.entries[j]) >= 0 {
			break
		}
		s.entries[i] = s.entries[j]
		i = j
	}
	s.entries[i] = e
}

// sortHeap puts the heap's rows in order.
func (s *sorter) sortHeap() {
	all := s.entries
	for n := len(all) - 1; n > 0; n-- {
		top, last := all[0], all[n]
		s.entries = all[:n]
		s.heapReplaceTop(last)
		all[n] = top
	}
	s.entries, s.heaped = all, false
}

// afterTop says whether the row in permBuf sorts after, or equal to, the last row that is kept.
func (s *sorter) afterTop() bool {
	decodeRow(s.bytes(&s.entries[0]), s.keyB)
	for i := range s.keys {
		if c := s.keys[i].compare(s.permBuf[i], s.keyB[i]); c != 0 {
			return c > 0
		}
	}
	return true
}

// compact copies the rows that are left to fresh memory.
func (s *sorter) compact() {
	old, chunks := s.entries, s.chunks
	s.entries, s.chunks, s.used = make([]sortEntry, 0, len(old)+1), nil, 0
	for i := range old {
		s.push(chunks[old[i].chunk][old[i].start:old[i].end])
	}
	s.live = s.used
}
