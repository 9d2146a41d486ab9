package btree

import (
	"encoding/binary"
	"math"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
)

var le = binary.LittleEndian

// The special space of a page, as nbtree's BTPageOpaqueData.
const (
	offPrev     = page.Size - 16 // left sibling, 0 = none
	offNext     = page.Size - 12 // right sibling, 0 = none
	offLevel    = page.Size - 8  // 0 = leaf
	offFlags    = page.Size - 4
	offCycle    = page.Size - 2 // unused: vacuum goes along the right links
	specialSize = 16
)

// Flags of a page.
const (
	flagLeaf            = 0x0001
	flagRoot            = 0x0002
	flagDeleted         = 0x0004
	flagMeta            = 0x0008
	flagHasGarbage      = 0x0040 // a hint: items may be marked dead
	flagIncompleteSplit = 0x0080 // the right sibling has no entry in the parent yet
	flagHasFullXID      = 0x0100 // a deleted page carries its safe xid
)

// The meta page's contents, as BTMetaPageData.
const (
	offMagic      = page.HeaderSize
	offVersion    = offMagic + 4
	offRoot       = offMagic + 8
	offRootLevel  = offMagic + 12
	offFastRoot   = offMagic + 16
	offFastLevel  = offMagic + 20
	offDelPages   = offMagic + 24
	offHeapTuples = offMagic + 32
	metaEnd       = offMagic + 48

	metaBlock   = 0
	metaMagic   = 0x053162
	metaVersion = 4
	noBlock     = 0 // the meta page is nobody's sibling or child
)

// A deleted page keeps here the first xid that began after its deletion: it may be used again when no older transaction runs.
const offSafeXID = page.HeaderSize

const (
	defaultFillfactor = 90
	internalFill      = 70
	singleValueFill   = 96

	// maxItemSize lets three items fit on a page, and leaves room for a TID in a high key.
	maxItemSize = (page.Size-(page.HeaderSize+3*page.ItemIDSize)-specialSize)/3&^7 - 8
)

func flags(p []byte) uint16     { return uint16(page.LoadHint32(p, offFlags)) } // flagHasGarbage is set under a share latch
func isLeaf(p []byte) bool      { return flags(p)&flagLeaf != 0 }
func isDeleted(p []byte) bool   { return flags(p)&flagDeleted != 0 }
func leftOf(p []byte) uint32    { return le.Uint32(p[offPrev:]) }
func rightOf(p []byte) uint32   { return le.Uint32(p[offNext:]) }
func level(p []byte) uint32     { return le.Uint32(p[offLevel:]) }
func isRightmost(p []byte) bool { return rightOf(p) == noBlock }

// firstData is the offset of the first item that is not the high key.
func firstData(p []byte) uint16 {
	if isRightmost(p) {
		return 1
	}
	return 2
}

const highKeyOffset = 1

// item gives the tuple at off.
func item(p []byte, off uint16) index.Tuple {
	return index.Tuple(page.ItemBytes(p, page.ItemHint(p, off)))
}

// isDead says whether the item at off was killed.
func isDead(p []byte, off uint16) bool { return page.ItemHint(p, off).State() == page.Dead }

// initPage makes an empty page of a level.
func initPage(e *page.Edit, prev, next, lvl uint32, fl uint16) {
	page.Init(e, specialSize)
	var b [specialSize]byte
	putOpaque(b[:], prev, next, lvl, fl)
	e.Patch(offPrev, b[:])
}

func putOpaque(b []byte, prev, next, lvl uint32, fl uint16) {
	le.PutUint32(b[0:], prev)
	le.PutUint32(b[4:], next)
	le.PutUint32(b[8:], lvl)
	le.PutUint16(b[12:], fl)
	le.PutUint16(b[14:], 0)
}

// initMeta makes the meta page.
func initMeta(e *page.Edit, root, lvl uint32) {
	page.Init(e, specialSize)
	var b [metaEnd - offMagic]byte
	le.PutUint32(b[offMagic-offMagic:], metaMagic)
	le.PutUint32(b[offVersion-offMagic:], metaVersion)
	le.PutUint32(b[offRoot-offMagic:], root)
	le.PutUint32(b[offRootLevel-offMagic:], lvl)
	le.PutUint32(b[offFastRoot-offMagic:], root)
	le.PutUint32(b[offFastLevel-offMagic:], lvl)
	le.PutUint64(b[offHeapTuples-offMagic:], math.Float64bits(-1))
	e.Patch(offMagic, b[:])
	e.Put16(page.OffLower, metaEnd)
	e.Put16(offFlags, flagMeta)
}

// setMetaRoot changes the root in the meta page.
func setMetaRoot(e *page.Edit, root, lvl uint32) {
	var b [16]byte
	le.PutUint32(b[0:], root)
	le.PutUint32(b[4:], lvl)
	le.PutUint32(b[8:], root)
	le.PutUint32(b[12:], lvl)
	e.Patch(offRoot, b[:])
}

// checkPage refuses a page that is no btree page.
func (ix *Index) checkPage(b buffer.Buf) error {
	p := b.Page()
	if page.IsNew(p) {
		return pgerr.New(pgerr.IndexCorrupted, "index %q contains unexpected zero page at block %d", ix.def.Name, b.Block()).
			WithHint("Please REINDEX it.")
	}
	if page.SpecialStart(p) != page.Size-specialSize {
		return pgerr.New(pgerr.IndexCorrupted, "index %q contains corrupted page at block %d", ix.def.Name, b.Block()).
			WithHint("Please REINDEX it.")
	}
	return nil
}
