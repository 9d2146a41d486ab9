package hash

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/page"
)

// An entry is an index tuple of 16 bytes: TID, size and flags, hash code, padding.
const (
	entrySize  = 16
	offHash    = index.HeaderSize
	flagMoved  = index.AMReserved // a split copied it here
	entrySpace = entrySize + page.ItemIDSize

	// maxEntries is how many fit on a page.
	maxEntries = (page.Size - page.HeaderSize - specialSize) / entrySpace
)

// entry is an index tuple in parts.
type entry struct {
	hash  uint32
	moved bool
	tid   types.TID
}

func (e entry) put(b *[entrySize]byte) []byte {
	*b = [entrySize]byte{}
	t := index.Tuple(b[:])
	t.SetTID(e.tid)
	info := uint16(entrySize)
	if e.moved {
		info |= flagMoved
	}
	t.SetInfo(info)
	le.PutUint32(b[offHash:], e.hash)
	return b[:]
}

// entryAt gives the tuple at off, nil when its line pointer does not point at one.
func entryAt(p []byte, off uint16) index.Tuple {
	id := page.ItemHint(p, off)
	if at := id.Off(); id.Len() == entrySize && at >= page.HeaderSize && at+entrySize <= page.Size-specialSize {
		return index.Tuple(p[at : at+entrySize : at+entrySize])
	}
	return nil
}

func hashAt(t index.Tuple) uint32 { return le.Uint32(t[offHash:]) }

func isMoved(t index.Tuple) bool { return t.Info()&flagMoved != 0 }

func read(t index.Tuple) entry { return entry{hashAt(t), isMoved(t), t.TID()} }

// isDead says whether the entry at off was killed.
func isDead(p []byte, off uint16) bool { return page.ItemHint(p, off).State() == page.Dead }

// search gives the first offset whose hash code is not below h; MaxOffset+1 when all are. ok = false for a line pointer that is damaged.
func search(p []byte, h uint32) (off uint16, ok bool) {
	lo, hi := uint16(1), page.MaxOffset(p)+1
	for lo < hi {
		mid := (lo + hi) / 2
		t := entryAt(p, mid)
		if t == nil {
			return 0, false
		}
		if hashAt(t) < h {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, true
}

// room is the number of entries that still fit on a page.
func room(p []byte) int { return page.ExactFreeSpace(p) / entrySpace }
