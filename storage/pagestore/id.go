package pagestore

import (
	"encoding/binary"
	"fmt"

	"github.com/calfdb/calf/storage/page"
)

// Forks of a relation, numbered as PostgreSQL's.
const (
	MainFork uint8 = 0
	FSMFork  uint8 = 1 // never stored: the free space map is kept in memory
	VMFork   uint8 = 2
	InitFork uint8 = 3

	forkCount = 4
)

// PageSize is the size of every page in bytes.
const PageSize = page.Size

// RelID names a relation's storage: DB is the database's OID (0 = shared catalogs), Rel the relfilenode, which is never reused.
type RelID struct{ DB, Rel uint32 }

func (r RelID) String() string {
	if r.DB == 0 {
		return fmt.Sprintf("global/%d", r.Rel)
	}
	return fmt.Sprintf("base/%d/%d", r.DB, r.Rel)
}

// PageID names a page.
type PageID struct {
	DB, Rel uint32
	Fork    uint8
	Block   uint32
}

// Page returns the id of a page of the relation.
func (r RelID) Page(fork uint8, block uint32) PageID { return PageID{r.DB, r.Rel, fork, block} }

// RelID returns the relation that the page belongs to.
func (id PageID) RelID() RelID { return RelID{id.DB, id.Rel} }

func (id PageID) String() string {
	return fmt.Sprintf("block %d of relation %s", id.Block, forkPath(id))
}

func forkPath(id PageID) string {
	s := id.RelID().String()
	switch id.Fork {
	case FSMFork:
		s += "_fsm"
	case VMFork:
		s += "_vm"
	case InitFork:
		s += "_init"
	}
	return s
}

// Key layout.
const (
	prefixPage  = 'p'
	prefixSmall = 'k'
	formatKey   = "f" // the store's format version
	pageKeyLen  = 14
	forkKeyLen  = 10
	countFork   = 0xff // in place of a fork and a block: a relation's count
)

func putPageKey(b []byte, id PageID) {
	_ = b[pageKeyLen-1]
	b[0] = prefixPage
	binary.BigEndian.PutUint32(b[1:], id.DB)
	binary.BigEndian.PutUint32(b[5:], id.Rel)
	b[9] = id.Fork
	binary.BigEndian.PutUint32(b[10:], id.Block)
}

func pageKey(id PageID) (k [pageKeyLen]byte) {
	putPageKey(k[:], id)
	return k
}

// putCountKey writes the key of a relation's count, of forkKeyLen bytes. It lies among the relation's pages, so it is copied and deleted with them.
func putCountKey(b []byte, rel RelID) {
	var k [pageKeyLen]byte
	putPageKey(k[:], rel.Page(countFork, 0))
	copy(b, k[:forkKeyLen])
}

// keyBlock returns the block number in a page's key.
func keyBlock(k []byte) uint32 { return binary.BigEndian.Uint32(k[10:]) }

// keyPage returns the page that a page's key names.
func keyPage(k []byte) PageID {
	return PageID{DB: binary.BigEndian.Uint32(k[1:]), Rel: binary.BigEndian.Uint32(k[5:]), Fork: k[9], Block: keyBlock(k)}
}

// forkBounds returns the key range of a fork.
func forkBounds(rel RelID, fork uint8) (lo, hi []byte) {
	k := pageKey(rel.Page(fork, 0))
	h := pageKey(rel.Page(fork+1, 0))
	return k[:forkKeyLen], h[:forkKeyLen]
}

// relBounds returns the key range of all forks of a relation.
func relBounds(rel RelID) (lo, hi []byte) {
	k := pageKey(rel.Page(0, 0))
	return k[:9], successor(k[:9])
}

// dbBounds returns the key range of all pages of a database.
func dbBounds(db uint32) (lo, hi []byte) {
	k := pageKey(PageID{DB: db})
	return k[:5], successor(k[:5])
}

// successor returns the first key behind all keys with the given prefix; nil when there is none.
func successor(prefix []byte) []byte {
	s := append([]byte(nil), prefix...)
	for i := len(s) - 1; i >= 0; i-- {
		s[i]++
		if s[i] != 0 {
			return s[:i+1]
		}
	}
	return nil
}

func appendSmallKey(dst, key []byte) []byte { return append(append(dst, prefixSmall), key...) }
