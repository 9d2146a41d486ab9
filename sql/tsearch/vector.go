package tsearch

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Limits of tsvector: bytes of a word, bytes of all words with positions, the greatest position, positions of one word.
const (
	wordLenMax     = 1<<11 - 1
	vectorBytesMax = 1<<20 - 1
	positionMax    = 1<<14 - 1
	positionsMax   = 256
)

// Pos is a position with a weight: 2 bits of weight (3 = A ... 0 = D), 14 bits of position.
type Pos uint16

func makePos(at, weight int) Pos      { return Pos(weight<<14 | min(at, positionMax)) }
func (p Pos) at() int                 { return int(p & positionMax) }
func (p Pos) weight() int             { return int(p >> 14) }
func (p Pos) withWeight(w int) Pos    { return Pos(w<<14) | p&positionMax }
func comparePos(a, b Pos) int         { return a.at() - b.at() }
func compareEntry(a, b Entry) int     { return strings.Compare(a.Word, b.Word) }
func weightLetter(weight int) byte    { return byte('D' - weight) }
func findEntry(e Entry, w string) int { return strings.Compare(e.Word, w) }

// Entry is a word of a Vector with its positions, in order; none when they were stripped.
type Entry struct {
	Word string
	Pos  []Pos
}

// Vector is a tsvector: words in byte order, each once.
type Vector []Entry

// Datum gives the bytes of v: the number of words; a word's has-positions bit, length and offset in 32 bits each; the words, each followed by the number of
// its positions and these, aligned to two bytes.
func (v Vector) Datum() (types.Datum, error) {
	var data []byte
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(v)))
	for _, e := range v {
		head := uint32(len(e.Word))<<1 | uint32(len(data))<<12
		if len(e.Pos) > 0 {
			head |= 1
		}
		b = binary.LittleEndian.AppendUint32(b, head)
		data = append(data, e.Word...)
		if len(e.Pos) == 0 {
			continue
		}
		if len(data)%2 == 1 {
			data = append(data, 0)
		}
		data = binary.LittleEndian.AppendUint16(data, uint16(len(e.Pos)))
		for _, p := range e.Pos {
			data = binary.LittleEndian.AppendUint16(data, uint16(p))
		}
	}
	if len(data) > vectorBytesMax {
		return types.Null, errVectorTooLong(len(data))
	}
	return types.Bytes(append(b, data...)), nil
}

func errVectorTooLong(size int) error {
	return pgerr.New(pgerr.ProgramLimitExceeded, "string is too long for tsvector (%d bytes, max %d bytes)", size, vectorBytesMax)
}

// VectorOf reads the bytes of a tsvector. The words alias them.
func VectorOf(d types.Datum) Vector {
	b := d.Bytes()
	n := int(binary.LittleEndian.Uint32(b))
	heads, data := b[4:4+4*n], b[4+4*n:]
	v := make(Vector, n)
	for i := range v {
		head := binary.LittleEndian.Uint32(heads[4*i:])
		start := int(head >> 12)
		end := start + int(head>>1&(1<<11-1))
		v[i].Word = types.Bytes(data[start:end]).Str()
		if head&1 == 0 {
			continue
		}
		end += end % 2
		v[i].Pos = make([]Pos, binary.LittleEndian.Uint16(data[end:]))
		for j := range v[i].Pos {
			v[i].Pos[j] = Pos(binary.LittleEndian.Uint16(data[end+2+2*j:]))
		}
	}
	return v
}

// normalize sorts words, joins those that come twice, and their positions: of equal ones the greatest weight stays.
func (v Vector) normalize() Vector {
	slices.SortStableFunc(v, compareEntry)
	out := v[:0]
	for _, e := range v {
		if n := len(out); n > 0 && out[n-1].Word == e.Word {
			out[n-1].Pos = append(out[n-1].Pos, e.Pos...)
			continue
		}
		out = append(out, e)
	}
	for i := range out {
		out[i].Pos = uniquePositions(out[i].Pos)
	}
	return out
}

func uniquePositions(pos []Pos) []Pos {
	if len(pos) < 2 {
		return pos
	}
	slices.SortStableFunc(pos, comparePos)
	out := pos[:1]
	for _, p := range pos[1:] {
		last := &out[len(out)-1]
		if p.at() != last.at() {
			out = append(out, p)
			if len(out) >= positionsMax || p.at() == positionMax {
				break
			}
		} else if p.weight() > last.weight() {
			*last = p
		}
	}
	return out
}

// find gives the place of a word; false when it is not there.
func (v Vector) find(word string) (int, bool) { return slices.BinarySearchFunc(v, word, findEntry) }

// compareVectors orders by size in bytes, number of words, then word by word: with positions before without, more before fewer, later before earlier.
func compareVectors(a, b types.Datum) int {
	x, y := a.Bytes(), b.Bytes()
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	if bytes.Equal(x, y) {
		return 0
	}
	v, w := VectorOf(a), VectorOf(b)
	if len(v) != len(w) {
		return len(v) - len(w)
	}
	for i := range v {
		if c := compareEntries(&v[i], &w[i]); c != 0 {
			return c
		}
	}
	return 0
}

func compareEntries(e, f *Entry) int {
	if (len(e.Pos) > 0) != (len(f.Pos) > 0) {
		if len(e.Pos) > 0 {
			return -1
		}
		return 1
	}
	if c := strings.Compare(e.Word, f.Word); c != 0 {
		return c
	}
	if len(e.Pos) != len(f.Pos) {
		return len(f.Pos) - len(e.Pos)
	}
	for j := range e.Pos {
		if c := comparePos(f.Pos[j], e.Pos[j]); c != 0 {
			return c
		}
		if c := f.Pos[j].weight() - e.Pos[j].weight(); c != 0 {
			return c
		}
	}
	return 0
}
