package heap

import (
	"sync"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/tuple"
	"github.com/calfdb/calf/storage/xact"
)

// Engine is what all heaps of a server share.
type Engine struct {
	xm *xact.Manager

	mu   sync.Mutex
	rels map[pagestore.RelID]*relState
}

// relState is what all handles of one relation share.
type relState struct{}

// Spec describes a heap relation to open.
type Spec struct {
	ID         pagestore.RelID
	OID        types.OID
	Name       string // for the text of errors
	Layout     *tuple.Layout
	FillFactor int  // percent; 0 = 100
	Temp       bool // pages are in the session's temporary store
	// Toast is the storage of wide values; the zero RelID = none, then a tuple that does not fit a page is an error.
	Toast pagestore.RelID
	// IndexedAttrs are the columns that any index uses, in keys, expressions or predicates: changing one prevents a HOT update.
	IndexedAttrs AttrSet
	// KeyAttrs are the columns of unique indexes that a foreign key may refer to: changing one takes the stronger row lock.
	KeyAttrs AttrSet
	// IsCatalog says that system rules hold: no row locks are looked for.
	IsCatalog bool
}

// Relation is a handle on a heap. It is immutable and may be shared; what changes (columns, indexes) makes a new one.
type Relation struct {
	Spec
	e     *Engine
	state *relState
}

// Open makes a handle. It reads nothing but the relation's size, once.
func (e *Engine) Open(spec Spec) (*Relation, error) {
	return &Relation{Spec: spec, e: e}, nil
}

// NumBlocks is the relation's size in pages.
func (r *Relation) NumBlocks() uint32 { return 0 }

func (r *Relation) detoaster() tuple.Detoaster { return nil }
