package hash

import (
	"encoding/binary"
	"errors"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
)

var le = binary.LittleEndian

// The special space of a page, as PostgreSQL's HashPageOpaqueData.
const (
	offPrev     = page.Size - 16 // previous page of the chain; on a primary page the stamp, see stamp
	offNext     = page.Size - 12
	offBucket   = page.Size - 8
	offFlags    = page.Size - 4
	offPageID   = page.Size - 2
	specialSize = 16

	pageID   = 0xFF80
	noBlock  = 0xFFFFFFFF
	noBucket = 0xFFFFFFFF
)

// Flags of a page: its type, then what goes on in a bucket (on its primary page).
const (
	flagUnused       = 0
	flagOverflow     = 1 << 0
	flagBucket       = 1 << 1
	flagBitmap       = 1 << 2
	flagMeta         = 1 << 3
	flagPopulated    = 1 << 4 // a split is filling this bucket
	flagBeingSplit   = 1 << 5 // a split is copying from this bucket
	flagNeedsCleanup = 1 << 6 // entries that a split has copied are still here
	flagHasDead      = 1 << 7 // a hint: entries may be marked dead

	flagType = flagOverflow | flagBucket | flagBitmap | flagMeta
	flagAll  = 1<<8 - 1
)

func flags(p []byte) uint16    { return uint16(page.LoadHint32(p, offFlags)) } // flagHasDead is set under a share latch
func prevOf(p []byte) uint32   { return le.Uint32(p[offPrev:]) }
func nextOf(p []byte) uint32   { return le.Uint32(p[offNext:]) }
func bucketOf(p []byte) uint32 { return le.Uint32(p[offBucket:]) }

// stamp is a primary page's number of the highest bucket at its bucket's last split (or creation). A copy of the metapage that knows at
// least this bucket maps hash codes to this bucket rightly.
func stamp(p []byte) uint32 { return prevOf(p) }

// initPage makes an empty page.
func initPage(e *page.Edit, prev, next, bucket uint32, fl uint16) {
	page.Init(e, specialSize)
	var b [specialSize]byte
	le.PutUint32(b[0:], prev)
	le.PutUint32(b[4:], next)
	le.PutUint32(b[8:], bucket)
	le.PutUint16(b[12:], fl)
	le.PutUint16(b[14:], pageID)
	e.Patch(offPrev, b[:])
}

func setFlags(e *page.Edit, set, clear uint16) {
	e.Put16(offFlags, flags(e.Page())&^clear|set)
}

// corrupted is the error of a page that is not what it should be.
func (ix *Index) corrupted(block uint32) error {
	return pgerr.New(pgerr.IndexCorrupted, "index \"%s\" contains corrupted page at block %d", ix.def.Name, block).
		WithHint("Please REINDEX it.")
}

// pin pins a block. A page that the store can't give back is a corrupted page of the index.
func (ix *Index) pin(block uint32) (buffer.Buf, error) {
	rel := ix.sh.rel
	if block >= rel.NumBlocks() {
		return buffer.Buf{}, ix.corrupted(block) // a link that leads nowhere
	}
	b, err := rel.Pin(block)
	var pe *pgerr.Error
	if err != nil && errors.As(err, &pe) && pe.Code == pgerr.DataCorrupted {
		c := ix.corrupted(block).(*pgerr.Error)
		c.Cause = err
		return b, c
	}
	return b, err
}

// checkPage refuses a page that is not of one of the types. The caller has its latch. What passes can be read without running out of the page:
// its line pointers lie in it, and each entry is looked at with entryAt, which checks its place.
func (ix *Index) checkPage(b buffer.Buf, types uint16) error {
	p := b.Page()
	if page.IsNew(p) {
		return pgerr.New(pgerr.IndexCorrupted, "index \"%s\" contains unexpected zero page at block %d", ix.def.Name, b.Block()).
			WithHint("Please REINDEX it.")
	}
	fl := flags(p)
	kind := fl & flagType
	if page.SpecialStart(p) != page.Size-specialSize || le.Uint16(p[offPageID:]) != pageID || kind&types == 0 || kind&(kind-1) != 0 || fl > flagAll {
		return ix.corrupted(b.Block())
	}
	if types&(flagMeta|flagBitmap) != 0 {
		return nil
	}
	if l, u := page.Lower(p), page.Upper(p); l < page.HeaderSize || l > u || u > page.SpecialStart(p) {
		return ix.corrupted(b.Block())
	}
	return nil
}

// checkBucket is checkPage for a page of a bucket.
func (ix *Index) checkBucket(b buffer.Buf, types uint16, bucket uint32) error {
	if err := ix.checkPage(b, types); err != nil {
		return err
	}
	if bucketOf(b.Page()) != bucket {
		return ix.corrupted(b.Block())
	}
	return nil
}
