package pagestore

import (
	"encoding/binary"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/page"
)

var le = binary.LittleEndian

// Kinds of stored values: their first byte.
const (
	kindImage  = 1 // a page: version, deltas and weight since the last image that was Set, hole, bytes without the hole
	kindDelta  = 2 // programs: the version that the first of them makes, then for each its length and bytes
	kindOr     = 3 // bits: offset, bytes
	kindAdd    = 4 // int64
	kindPlain  = 5 // bytes
	kindPoison = 6 // a value that could not be rebuilt, and why
)

// Meta is what is known of a stored page beside its bytes.
type Meta struct {
	Version uint64 // +1 an Apply that changed it; 0 = not stored
	Deltas  uint16 // deltas since its last image
	Weight  uint16 // their length in bytes
}

const (
	imageHead = 1 + 8 + 2 + 2 + 2 + 2
	deltaHead = 1 + 8
	orHead    = 1 + 4
	addLen    = 1 + 8

	maxOrEnd = 1 << 20 // longest bit map in bytes
)

// imageHole returns the part of a page that an IMAGE leaves out: zero bytes between its line pointers and its items. Bytes there that are not zero
// (an item was removed) are kept, since memory has them too.
func imageHole(p []byte) (from, to int) {
	from, to = page.Hole(p)
	first := from + firstNonZero(p[from:to])
	if first == to {
		return from, to
	}
	last := to
	for last > first && p[last-1] == 0 {
		last--
	}
	if first-from >= to-last {
		return from, first
	}
	return last, to
}

// firstNonZero returns the index of the first byte that is not zero, len(b) when there is none.
func firstNonZero(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if le.Uint64(b[i:]) != 0 {
			break
		}
	}
	for ; i < len(b) && b[i] == 0; i++ {
	}
	return i
}

// imageLen returns the length of the value that putImage writes with the page's imageHole.
func imageLen(from, to int) int { return imageHead + page.Size - (to - from) }

// putImage writes a page as an IMAGE value of imageLen bytes, without its hole.
func putImage(dst []byte, m Meta, p []byte, from, to int) {
	dst[0] = kindImage
	le.PutUint64(dst[1:], m.Version)
	le.PutUint16(dst[9:], m.Deltas)
	le.PutUint16(dst[11:], m.Weight)
	le.PutUint16(dst[13:], uint16(from))
	le.PutUint16(dst[15:], uint16(to-from))
	copy(dst[imageHead:], p[:from])
	copy(dst[imageHead+from:], p[to:page.Size])
}

// decodeImage reads an IMAGE value into a page of page.Size bytes. False when it is malformed.
func decodeImage(v, dst []byte) (m Meta, ok bool) {
	if len(v) < imageHead || v[0] != kindImage {
		return m, false
	}
	from, hole := int(le.Uint16(v[13:])), int(le.Uint16(v[15:]))
	if from+hole > page.Size || len(v) != imageHead+page.Size-hole {
		return m, false
	}
	m = Meta{le.Uint64(v[1:]), le.Uint16(v[9:]), le.Uint16(v[11:])}
	copy(dst[:from], v[imageHead:])
	clear(dst[from : from+hole])
	copy(dst[from+hole:page.Size], v[imageHead+from:])
	return m, true
}

// putDelta writes a DELTA value of deltaLen bytes with one program, which makes the given version.
func putDelta(dst []byte, version uint64, ops []byte) {
	dst[0] = kindDelta
	le.PutUint64(dst[1:], version)
	le.PutUint16(dst[deltaHead:], uint16(len(ops)))
	copy(dst[deltaHead+2:], ops)
}

func deltaLen(ops []byte) int { return deltaHead + 2 + len(ops) }

// nextProgram cuts the first program off the records of a DELTA value.
func nextProgram(records []byte) (ops, rest []byte, ok bool) {
	if len(records) < 2 {
		return nil, nil, false
	}
	n := int(le.Uint16(records))
	if n > len(records)-2 {
		return nil, nil, false
	}
	return records[2 : 2+n], records[2+n:], true
}

// DecodePage reads a stored value, as ReadRange gives it, into dst, a page of page.Size bytes.
func DecodePage(id PageID, value, dst []byte) (Meta, error) {
	m, ok := decodeImage(value, dst)
	if ok {
		return m, nil
	}
	err := pgerr.New(pgerr.DataCorrupted, "invalid page in %s", id)
	if len(value) > 0 && value[0] == kindPoison {
		_ = err.WithDetail("%s", value[1:])
	}
	return Meta{}, err
}

// decodeSmall appends what a small key's value holds to dst.
func decodeSmall(dst, key, v []byte) ([]byte, error) {
	if len(v) > 0 {
		switch {
		case v[0] == kindPlain:
			return append(dst, v[1:]...), nil
		case v[0] == kindAdd && len(v) == addLen:
			return append(dst, v[1:]...), nil
		case v[0] == kindOr && len(v) >= orHead:
			dst = append(dst, make([]byte, le.Uint32(v[1:]))...)
			return append(dst, v[orHead:]...), nil
		}
	}
	err := pgerr.New(pgerr.DataCorrupted, "invalid value of key %q", key)
	if len(v) > 0 && v[0] == kindPoison {
		_ = err.WithDetail("%s", v[1:])
	}
	return dst, err
}
