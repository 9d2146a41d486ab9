package pagestore

// RelID names a relation's storage: DB is the database's OID (0 = shared catalogs), Rel the relfilenode, which is never reused.
type RelID struct{ DB, Rel uint32 }

// PageID names a page.
type PageID struct {
	DB, Rel uint32
	Fork    uint8
	Block   uint32
}

// RelID gives the page's relation.
func (p PageID) RelID() RelID { return RelID{p.DB, p.Rel} }

// Forks of a relation.
const (
	MainFork uint8 = 0
	FSMFork  uint8 = 1
	VMFork   uint8 = 2
	InitFork uint8 = 3
)

// PageSize is the size of every page in bytes.
const PageSize = 8192
