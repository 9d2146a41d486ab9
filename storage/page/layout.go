package page

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"
)

// Size is the size of a page in bytes.
const Size = 8192

// Offsets of the header's fields, and its length.
const (
	OffXidBase    = 0
	OffChecksum   = 8
	OffFlags      = 10
	OffLower      = 12
	OffUpper      = 14
	OffSpecial    = 16
	OffPagesize   = 18
	OffPruneXid   = 20
	HeaderSize    = 24
	LayoutVersion = 4 // of PostgreSQL 8.3 and later
)

// Flags of pd_flags.
const (
	HasFreeLines = 0x0001 // there may be unused line pointers
	Full         = 0x0002 // an update found no room for its new version
	AllVisible   = 0x0004 // all tuples are visible to everyone
)

// MaxHeapTuples is the largest number of line pointers of a heap page (PostgreSQL's MaxHeapTuplesPerPage).
const MaxHeapTuples = (Size - HeaderSize) / (24 + ItemIDSize)

// MaxIndexTuples is the largest number of items of an index page (PostgreSQL's MaxIndexTuplesPerPage).
const MaxIndexTuples = (Size - HeaderSize) / (16 + ItemIDSize)

var le = binary.LittleEndian

// Align rounds n up to a multiple of 8 (MAXALIGN).
func Align(n int) int { return (n + 7) &^ 7 }

func u16(p []byte, off int) int { return int(le.Uint16(p[off:])) }

// XidBase returns the 64-bit xid base that the heap keeps where PostgreSQL has pd_lsn.
func XidBase(p []byte) uint64 { return le.Uint64(p[OffXidBase:]) }

// Flags returns pd_flags.
func Flags(p []byte) uint16 { return le.Uint16(p[OffFlags:]) }

// Lower returns pd_lower, the end of the line pointers.
func Lower(p []byte) int { return u16(p, OffLower) }

// Upper returns pd_upper, the start of the items.
func Upper(p []byte) int { return u16(p, OffUpper) }

// SpecialStart returns pd_special.
func SpecialStart(p []byte) int { return u16(p, OffSpecial) }

// PruneXid returns pd_prune_xid, an offset from XidBase, or 0.
func PruneXid(p []byte) uint32 { return le.Uint32(p[OffPruneXid:]) }

// Special returns the special space. It aliases the page: read it only, change it through Edit.
func Special(p []byte) []byte {
	if s := SpecialStart(p); s >= HeaderSize && s <= Size {
		return p[s:Size]
	}
	return nil
}

// IsNew reports a page that was never initialised (all zero).
func IsNew(p []byte) bool { return Upper(p) == 0 }

// IsEmpty reports a page without line pointers.
func IsEmpty(p []byte) bool { return Lower(p) <= HeaderSize }

// MaxOffset returns the number of line pointers; offsets run from 1 to it. 0 for an empty or new page.
func MaxOffset(p []byte) uint16 {
	l := Lower(p)
	if l <= HeaderSize {
		return 0
	}
	return uint16((l - HeaderSize) / ItemIDSize)
}

// ExactFreeSpace returns the bytes between line pointers and items.
func ExactFreeSpace(p []byte) int { return max(Upper(p)-Lower(p), 0) }

// FreeSpace returns ExactFreeSpace less one new line pointer, for index pages.
func FreeSpace(p []byte) int { return max(Upper(p)-Lower(p)-ItemIDSize, 0) }

// HeapFreeSpace is FreeSpace for a heap page: 0 also when the page has MaxHeapTuples line pointers of which none is free.
func HeapFreeSpace(p []byte) int {
	space := FreeSpace(p)
	if space == 0 {
		return 0
	}
	n := MaxOffset(p)
	if n < MaxHeapTuples {
		return space
	}
	if Flags(p)&HasFreeLines == 0 {
		return 0
	}
	for off := uint16(1); off <= n; off++ {
		if !Item(p, off).Used() {
			return space
		}
	}
	return 0
}

// LoadHint32 reads an aligned word of a page atomically. Words that hold hint bits (a tuple's infomask, a line pointer of an index page)
// change under a share latch, so who reads one under a share latch reads it with this.
func LoadHint32(p []byte, off int) uint32 {
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&p[off : off+4 : off+4][0])))
}

// OrHint32 sets bits of an aligned word atomically, without a log entry.
func OrHint32(p []byte, off int, mask uint32) {
	atomic.OrUint32((*uint32)(unsafe.Pointer(&p[off : off+4 : off+4][0])), mask)
}
