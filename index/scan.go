package index

import "github.com/calfdb/calf/sql/types"

// Direction of a scan.
type Direction int8

const (
	Backward Direction = -1
	Forward  Direction = 1
)

// Strategy is the number of an operator in its class.
type Strategy uint8

// Btree's strategies; hash knows Equal only, as its number 1 (HashEqual).
const (
	Less         Strategy = 1
	LessEqual    Strategy = 2
	Equal        Strategy = 3
	GreaterEqual Strategy = 4
	Greater      Strategy = 5

	HashEqual Strategy = 1
)

// KeyKind is the kind of a scan key.
type KeyKind uint8

const (
	KeyOperator KeyKind = iota // column operator Arg
	KeyIsNull                  // column IS NULL
	KeyNotNull                 // column IS NOT NULL
	KeyArray                   // column operator ANY (Array)
	KeyRow                     // (column, Row[1].Attr, ...) operator (Row[0].Arg, Row[1].Arg, ...), compared as a row
)

// ScanKey is one condition on a column of the index; a scan's keys are ANDed. Arguments that are null match nothing.
type ScanKey struct {
	Attr     int // 1-based index column; that of Row[0] for KeyRow
	Kind     KeyKind
	Strategy Strategy
	// Compare orders (column value, argument): support function 1 of (column type, argument type). nil = the column's own.
	Compare types.CompareFunc
	// Hash hashes the argument; nil = the column's own. Hash only.
	Hash types.HashFunc
	Arg  types.Datum
	// ArgType is the type of the argument (of an array's elements) if it is not the column's; then Compare is set.
	ArgType types.OID
	Array   []types.Datum
	// CompareArgs orders two elements of Array; nil = the column's own comparison.
	CompareArgs types.CompareFunc
	Row         []ScanKey // members: Attr, Compare, Arg, ArgType
}

// ScanOptions of NewScan.
type ScanOptions struct {
	// WantValues: the scan returns the entries' values too (index-only scans).
	WantValues bool
	// AllVisible, for index-only scans, says whether all rows of a heap block are visible to everyone. It is asked while the entry's page is latched,
	// because vacuum can't have removed the row at that moment; Scan.AllVisible gives its answer later.
	AllVisible func(block uint32) bool
	Cancel     Cancel
}

// Scan goes through entries that match all keys: in the index's order if it has one. It belongs to one goroutine. Between calls it holds
// no pin and no latch. What it returns may be out of date: the caller looks at the row with its snapshot, which must be an MVCC snapshot
// taken before Rescan, or else compares the row's values with the keys again.
type Scan interface {
	// Rescan begins again with these keys, which must stay unchanged until the next Rescan or End.
	Rescan(keys []ScanKey) error
	// Next moves to the next entry; false when there is none in this direction.
	Next(dir Direction) (bool, error)
	// TID is the row of the present entry. Recheck: the keys may not hold for it.
	TID() types.TID
	Recheck() bool
	// Values puts the present entry's values into row; by-reference ones are valid until the next call of Next.
	Values(row types.Row) error
	AllVisible() bool
	// Kill says that nobody can see the row of the present entry any more: later scans skip the entry.
	Kill()
	// Mark remembers the present entry, Restore goes back to it.
	Mark()
	Restore() error
	// Bitmap gives all TIDs to sink, page by page, and their number.
	Bitmap(sink TIDSink) (int64, error)
	// End ends the scan; it must not be used any more.
	End()
}

// TIDSink collects TIDs, as a bitmap does. The slice is valid during the call.
type TIDSink interface {
	AddTIDs(tids []types.TID, recheck bool) error
}
