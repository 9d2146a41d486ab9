package index

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/tuple"
)

// Def describes an index. It is immutable once given away.
type Def struct {
	Rel      pagestore.RelID
	OID      types.OID
	HeapOID  types.OID
	Name     string // for messages
	HeapName string
	Temp     bool // pages are in the temporary store

	// Layout lays out an entry: the key columns, then those of INCLUDE.
	Layout *tuple.Layout
	Cols   []KeyCol // one a key column

	Unique           bool
	NullsNotDistinct bool
	Fillfactor       int // percent; 0 = the access method's default
}

// KeyCol is how a key column is ordered (btree) or hashed (hash).
type KeyCol struct {
	Compare    types.CompareFunc // btree support function 1 of (type, type)
	Hash       types.HashFunc    // hash support function 1
	HashProc   types.OID         // its pg_proc entry; hash notes it in the metapage
	Desc       bool
	NullsFirst bool // stored order, not relative to Desc
	Family     types.OID
	InputType  types.OID // operator class input type
	Collation  types.OID
}

// NKeys counts the key columns.
func (d *Def) NKeys() int { return len(d.Cols) }

// NAttrs counts all columns.
func (d *Def) NAttrs() int { return d.Layout.NumAttrs() }
