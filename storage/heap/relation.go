package heap

import (
	"sync"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/tuple"
	"github.com/calfdb/calf/storage/xact"
)

// Engine is what all heaps of a server share.
type Engine struct {
	pool *buffer.Pool
	xm   *xact.Manager

	mu   sync.Mutex
	rels map[pagestore.RelID]*relState
}

// New makes the engine over a buffer pool.
func New(pool *buffer.Pool, xm *xact.Manager) *Engine {
	return &Engine{pool: pool, xm: xm, rels: make(map[pagestore.RelID]*relState)}
}

// Pool is the buffer pool.
func (e *Engine) Pool() *buffer.Pool { return e.pool }

// Manager is the transaction manager.
func (e *Engine) Manager() *xact.Manager { return e.xm }

// relState is what all handles of one relation's storage share.
type relState struct {
	main  *buffer.Rel
	vm    *buffer.Rel
	toast *buffer.Rel
	free  freeSpace // of the main fork
	room  freeSpace // of the toast fork
}

// toastFork holds wide values out of line; see toast.go.
const toastFork = pagestore.InitFork

// Spec describes a heap relation to open.
type Spec struct {
	ID         pagestore.RelID
	OID        types.OID
	Name       string // for the text of errors
	Layout     *tuple.Layout
	FillFactor int  // percent; 0 = 100
	Temp       bool // pages are in the temporary store
	// IndexedAttrs are the columns that any index uses, in keys, expressions or predicates: changing one prevents a HOT update.
	IndexedAttrs AttrSet
	// KeyAttrs are the columns of unique indexes that a foreign key may refer to: changing one takes the stronger row lock.
	KeyAttrs AttrSet
	// NoRowLocks says that nobody takes row locks here (system catalogs), so that changes need not look for them.
	NoRowLocks bool
}

// Relation is a handle on a heap. It is immutable and may be shared; what changes (columns, indexes) makes a new one.
type Relation struct {
	Spec
	e *Engine
	*relState
}

// Open makes a handle. The first one of a relation reads its size from the store.
func (e *Engine) Open(spec Spec) (*Relation, error) {
	st, err := e.state(spec.ID, spec.Temp)
	if err != nil {
		return nil, err
	}
	return &Relation{Spec: spec, e: e, relState: st}, nil
}

func (e *Engine) state(id pagestore.RelID, temp bool) (*relState, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if st := e.rels[id]; st != nil {
		return st, nil
	}
	st := new(relState)
	for fork, rel := range map[uint8]**buffer.Rel{pagestore.MainFork: &st.main, pagestore.VMFork: &st.vm, toastFork: &st.toast} {
		r, err := e.pool.Open(id, fork, temp)
		if err != nil {
			return nil, err
		}
		*rel = r
	}
	e.rels[id] = st
	return st, nil
}

// Forget drops what is remembered of a relation whose storage is gone, in the pool too.
func (e *Engine) Forget(id pagestore.RelID) {
	e.mu.Lock()
	delete(e.rels, id)
	e.mu.Unlock()
	e.pool.Forget(id)
}

// ForgetDB is Forget for a database.
func (e *Engine) ForgetDB(db uint32) {
	e.mu.Lock()
	for id := range e.rels {
		if id.DB == db {
			delete(e.rels, id)
		}
	}
	e.mu.Unlock()
	e.pool.ForgetDB(db)
}

// Engine is the engine that r belongs to.
func (r *Relation) Engine() *Engine { return r.e }

// NumBlocks is the relation's size in pages.
func (r *Relation) NumBlocks() uint32 { return r.main.NumBlocks() }

// reserve is the space that inserts leave free on a page for updates, in bytes.
func (r *Relation) reserve() int {
	if r.FillFactor == 0 || r.FillFactor >= 100 {
		return 0
	}
	return pageSize * (100 - r.FillFactor) / 100
}
