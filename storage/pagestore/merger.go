package pagestore

import (
	"io"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/calfdb/calf/storage/page"
)

// merger is Pebble's merge operator for all kinds of values. It copies its operands, never fails and never panics: what can't be merged
// becomes a poison value, because an error in a flush or a compaction would stop the store, at each start again.
var merger = &pebble.Merger{
	Name: "calf.page.v1",
	Merge: func(_, value []byte) (pebble.ValueMerger, error) {
		m := mergePool.Get().(*merge)
		m.reset()
		m.add(value)
		return m, nil
	},
}

var mergePool = sync.Pool{New: func() any { return new(merge) }}

// merge collects the operands of one key. Bits and counters are folded as they come (their operands may be many), pages at the end.
type merge struct {
	poison string
	kind   byte // of the operands, kindImage counting as kindDelta; 0 before the first

	// Operands of a page, in the order in which they came.
	arena   []byte
	ends    []int
	isOlder bool // each operand is older than the one before

	// Bits: the range [orFrom, orFrom+len(bits)).
	orFrom uint32
	bits   []byte
	sum    int64

	out  []byte
	page [page.Size]byte
}

func (m *merge) reset() {
	m.poison, m.kind = "", 0
	m.arena, m.ends, m.isOlder = m.arena[:0], m.ends[:0], false
	m.orFrom, m.bits, m.sum = 0, m.bits[:0], 0
	m.out = m.out[:0]
}

// Close gives the buffers back; the result of Finish is no longer valid.
func (m *merge) Close() error {
	mergePool.Put(m)
	return nil
}

func (m *merge) MergeNewer(value []byte) error {
	m.add(value)
	return nil
}

func (m *merge) MergeOlder(value []byte) error {
	m.isOlder = true
	m.add(value)
	return nil
}

func (m *merge) add(v []byte) {
	if m.poison != "" {
		return
	}
	if len(v) == 0 {
		m.poison = "empty value"
		return
	}
	switch v[0] {
	case kindImage, kindDelta:
		if !m.take(kindDelta) {
			return
		}
		m.arena = append(m.arena, v...)
		m.ends = append(m.ends, len(m.arena))
	case kindOr:
		if len(v) < orHead {
			m.poison = "short bit value"
		} else if m.take(kindOr) {
			m.or(le.Uint32(v[1:]), v[orHead:])
		}
	case kindAdd:
		if len(v) != addLen {
			m.poison = "counter of wrong length"
		} else if m.take(kindAdd) {
			m.sum += int64(le.Uint64(v[1:]))
		}
	case kindPlain:
		m.addPlain(v[1:])
	case kindPoison:
		m.poison = string(v[1:])
	default:
		m.poison = "unknown kind of value"
	}
}

// addPlain lays bits or a counter on a plain value, or begins with one (a backward scan gives the oldest operand first).
func (m *merge) addPlain(b []byte) {
	switch {
	case m.kind == 0:
		m.kind, m.bits = kindPlain, append(m.bits, b...)
	case m.kind == kindOr:
		m.or(0, b)
	case m.kind == kindAdd && len(b) == 8:
		m.sum += int64(le.Uint64(b))
	default:
		m.poison = "plain value among others"
	}
}

// take notes an operand's kind, which must be that of those before.
func (m *merge) take(kind byte) bool {
	switch {
	case m.kind == 0 || m.kind == kindPlain && kind == kindOr:
		m.kind = kind
	case m.kind == kindPlain && kind == kindAdd && len(m.bits) == 8:
		m.kind, m.sum = kindAdd, int64(le.Uint64(m.bits))
	}
	if m.kind != kind {
		m.poison = "values of different kinds"
	}
	return m.kind == kind
}

// or folds bits at a byte offset into the dense range, growing it at either end.
func (m *merge) or(from uint32, b []byte) {
	end := uint64(from) + uint64(len(b))
	if end > maxOrEnd {
		m.poison = "bit value too long"
		return
	}
	if len(m.bits) == 0 {
		m.orFrom, m.bits = from, append(m.bits, b...)
		return
	}
	if from < m.orFrom {
		grow := int(m.orFrom - from)
		old := len(m.bits)
		m.bits = append(m.bits, make([]byte, grow)...)
		copy(m.bits[grow:], m.bits[:old])
		clear(m.bits[:grow])
		m.orFrom = from
	}
	if have := uint64(m.orFrom) + uint64(len(m.bits)); end > have {
		m.bits = append(m.bits, make([]byte, end-have)...)
	}
	at := m.bits[from-m.orFrom:]
	for i, x := range b {
		at[i] |= x
	}
}

// Finish returns the merged value. The merge itself is the closer.
func (m *merge) Finish(includesBase bool) ([]byte, io.Closer, error) {
	if m.poison == "" {
		switch m.kind {
		case kindOr:
			m.out = append(m.out, kindOr)
			m.out = le.AppendUint32(m.out, m.orFrom)
			m.out = append(m.out, m.bits...)
		case kindAdd:
			m.out = append(m.out, kindAdd)
			m.out = le.AppendUint64(m.out, uint64(m.sum))
		case kindPlain:
			m.out = append(append(m.out, kindPlain), m.bits...)
		case kindDelta:
			m.finishPage(includesBase)
		default:
			m.poison = "nothing to merge"
		}
	}
	if m.poison != "" {
		m.out = append(append(m.out[:0], kindPoison), m.poison...)
	}
	return m.out, m, nil
}

// operand returns the i-th oldest operand.
func (m *merge) operand(i int) []byte {
	if m.isOlder {
		i = len(m.ends) - 1 - i
	}
	from := 0
	if i > 0 {
		from = m.ends[i-1]
	}
	return m.arena[from:m.ends[i]]
}

func (m *merge) finishPage(includesBase bool) {
	oldest := m.operand(0)
	switch {
	case oldest[0] == kindImage:
		m.replay(oldest)
	case includesBase:
		m.poison = "delta without an image"
	default:
		m.concat()
	}
}

// replay lays all deltas on the image.
func (m *merge) replay(image []byte) {
	meta, ok := decodeImage(image, m.page[:])
	if !ok {
		m.poison = "malformed image"
		return
	}
	for i := 1; i < len(m.ends); i++ {
		if !m.replayDelta(&meta, m.operand(i)) {
			return
		}
	}
	from, to := imageHole(m.page[:])
	n := imageLen(from, to)
	if cap(m.out) < n {
		m.out = make([]byte, imageHead+page.Size)
	}
	m.out = m.out[:n]
	putImage(m.out, meta, m.page[:], from, to)
}

func (m *merge) replayDelta(meta *Meta, v []byte) bool {
	if !m.checkDelta(v, meta.Version+1) {
		return false
	}
	for rest := v[deltaHead:]; len(rest) > 0; {
		ops, more, ok := nextProgram(rest)
		if !ok || page.Replay(m.page[:], ops) != nil {
			m.poison = "malformed delta"
			return false
		}
		meta.Version++
		meta.Deltas = addCapped(meta.Deltas, 1)
		meta.Weight = addCapped(meta.Weight, len(ops))
		rest = more
	}
	return true
}

// concat makes one delta of all, for a merge that does not reach the image.
func (m *merge) concat() {
	first := m.operand(0)
	if len(first) < deltaHead {
		m.poison = "malformed delta"
		return
	}
	version := le.Uint64(first[1:])
	m.out = append(m.out, first[:deltaHead]...)
	for i := range m.ends {
		v := m.operand(i)
		if !m.checkDelta(v, version) {
			return
		}
		for rest := v[deltaHead:]; len(rest) > 0; {
			_, more, ok := nextProgram(rest)
			if !ok {
				m.poison = "malformed delta"
				return
			}
			version++
			rest = more
		}
		m.out = append(m.out, v[deltaHead:]...)
	}
}

// checkDelta checks that v is a delta that makes the given version.
func (m *merge) checkDelta(v []byte, version uint64) bool {
	switch {
	case v[0] != kindDelta:
		m.poison = "image among deltas"
	case len(v) < deltaHead:
		m.poison = "malformed delta"
	case le.Uint64(v[1:]) != version:
		m.poison = "gap in versions"
	default:
		return true
	}
	return false
}

func addCapped(v uint16, n int) uint16 { return uint16(min(int(v)+n, 0xffff)) }
