package btree

import (
	"sync"
	"sync/atomic"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/tuple"
	"github.com/calfdb/calf/storage/xact"
)

// Horizon tells when a deleted page is out of everybody's sight; *xact.Manager is one.
type Horizon interface {
	// NextXID is an id above all that were given out; Horizon is not above any that a running transaction has or sees.
	NextXID() xact.XID
	Horizon() xact.XID
}

// AM is the btree access method over a buffer pool.
type AM struct {
	pool *buffer.Pool
	xids Horizon

	mu     sync.RWMutex
	shared map[pagestore.RelID]*shared

	works sync.Pool // *work
	scans sync.Pool // *scan
}

// shared is what all sessions share of one index.
type shared struct {
	mu   sync.Mutex // loading
	rel  *buffer.Rel
	root atomic.Uint64 // see packRoot; 0 = not loaded
	// lastLeaf is the rightmost leaf as the last insertion into it saw it: ascending keys go there without a descent. 0 = none.
	lastLeaf atomic.Uint32
	free     freePages
	// freeKnown: free has the pages that were deleted before the start.
	freeKnown atomic.Bool
}

// New makes the access method. xids may be nil where no page is ever deleted.
func New(pool *buffer.Pool, xids Horizon) *AM {
	am := &AM{pool: pool, xids: xids, shared: map[pagestore.RelID]*shared{}}
	am.works.New = func() any { return new(work) }
	am.scans.New = func() any { return new(scan) }
	return am
}

var caps = index.Caps{
	Name: "btree", Strategies: 5, CanOrder: true, CanBackward: true, CanUnique: true, CanMultiCol: true, OptionalKey: true,
	SearchArray: true, SearchNulls: true, StoresNulls: true, CanInclude: true, CanIndexOnly: true, CanBitmap: true,
	CanMarkRestore: true, Clusterable: true, PredLocks: true, DefaultFill: defaultFillfactor, MaxKeys: 32,
}

// Caps gives btree's properties.
func (am *AM) Caps() *index.Caps { return &caps }

// Forget drops what is kept of an index whose pages are gone.
func (am *AM) Forget(id pagestore.RelID) {
	am.mu.Lock()
	delete(am.shared, id)
	am.mu.Unlock()
}

func (am *AM) sharedOf(id pagestore.RelID) *shared {
	am.mu.RLock()
	sh := am.shared[id]
	am.mu.RUnlock()
	if sh != nil {
		return sh
	}
	am.mu.Lock()
	defer am.mu.Unlock()
	if sh = am.shared[id]; sh == nil {
		sh = &shared{}
		am.shared[id] = sh
	}
	return sh
}

// Index is a btree.
type Index struct {
	am     *AM
	def    *index.Def
	sh     *shared
	layout *tuple.Layout
	prefix []*tuple.Layout // of the first n columns, n = 0 .. nkeys
	cols   []column        // key columns
	nkeys  int
	natts  int
}

var _ index.Index = (*Index)(nil)

// Open gives the index of a definition.
func (am *AM) Open(def *index.Def) index.Index { return am.open(def) }

func (am *AM) open(def *index.Def) *Index {
	ix := &Index{am: am, def: def, sh: am.sharedOf(def.Rel), layout: def.Layout, nkeys: def.NKeys(), natts: def.NAttrs()}
	ix.cols = make([]column, ix.nkeys)
	for i := range ix.cols {
		ix.cols[i] = makeColumn(&def.Cols[i], &def.Layout.Desc.Attrs[i])
	}
	ix.prefix = make([]*tuple.Layout, ix.nkeys+1)
	for n := range ix.prefix {
		if n == ix.natts {
			ix.prefix[n] = def.Layout
			continue
		}
		ix.prefix[n] = tuple.NewLayout(&types.TupleDesc{Attrs: def.Layout.Desc.Attrs[:n:n]})
	}
	return ix
}

// Def gives the definition.
func (ix *Index) Def() *index.Def { return ix.def }

// Create makes an index without entries: the meta page.
func (am *AM) Create(def *index.Def) error {
	ix := am.open(def)
	rel, err := ix.openRel()
	if err != nil {
		return err
	}
	b, err := rel.Extend()
	if err != nil {
		return err
	}
	defer b.UnlockUnpin()
	if b.Block() != metaBlock {
		return pgerr.New(pgerr.IndexCorrupted, "index %q already contains data", def.Name)
	}
	initMeta(b.Edit(), noBlock, 0)
	am.pool.ApplyPages(b)
	ix.sh.root.Store(packRoot(noBlock, 0))
	return nil
}

func (ix *Index) openRel() (*buffer.Rel, error) {
	ix.sh.mu.Lock()
	defer ix.sh.mu.Unlock()
	return ix.openRelLocked()
}

func (ix *Index) openRelLocked() (*buffer.Rel, error) {
	if ix.sh.rel == nil {
		rel, err := ix.am.pool.Open(ix.def.Rel, pagestore.MainFork, ix.def.Temp)
		if err != nil {
			return nil, err
		}
		ix.sh.rel = rel
	}
	return ix.sh.rel, nil
}

// The root in one word: block, level, and a bit that says it was loaded. It changes under the latches of the old root's page and the meta page.
// Who reads an old value starts at what is now the leftmost page of its level, which is right too.
func packRoot(block, lvl uint32) uint64 { return uint64(block)<<32 | uint64(lvl)<<1 | 1 }

func unpackRoot(v uint64) (block, lvl uint32) { return uint32(v >> 32), uint32(v) >> 1 }

// root gives the root page's block (0 = the index is empty) and level, and sees to it that ix.sh.rel is open.
func (ix *Index) root() (block, lvl uint32, err error) {
	v := ix.sh.root.Load()
	if v == 0 {
		if v, err = ix.loadRoot(); err != nil {
			return 0, 0, err
		}
	}
	block, lvl = unpackRoot(v)
	return block, lvl, nil
}

func (ix *Index) loadRoot() (uint64, error) {
	sh := ix.sh
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if v := sh.root.Load(); v != 0 {
		return v, nil
	}
	rel, err := ix.openRelLocked()
	if err != nil {
		return 0, err
	}
	b, err := rel.Pin(metaBlock)
	if err != nil {
		return 0, err
	}
	b.LockShared()
	defer b.UnlockUnpin()
	if err := ix.checkPage(b); err != nil {
		return 0, err
	}
	p := b.Page()
	if flags(p)&flagMeta == 0 || le.Uint32(p[offMagic:]) != metaMagic {
		return 0, pgerr.New(pgerr.IndexCorrupted, "index %q is not a btree", ix.def.Name)
	}
	if v := le.Uint32(p[offVersion:]); v != metaVersion {
		return 0, pgerr.New(pgerr.IndexCorrupted, "version mismatch in index %q: file version %d, current version %d, minimal supported version %d",
			ix.def.Name, v, metaVersion, metaVersion)
	}
	v := packRoot(le.Uint32(p[offRoot:]), le.Uint32(p[offRootLevel:]))
	sh.root.Store(v)
	return v, nil
}

// pin pins a page and checks that it is one.
func (ix *Index) pin(block uint32) (buffer.Buf, error) {
	return ix.sh.rel.Pin(block)
}

// Stats gives the number of pages and the height.
func (ix *Index) Stats() (index.Stats, error) {
	_, lvl, err := ix.root()
	if err != nil {
		return index.Stats{}, err
	}
	return index.Stats{Pages: ix.sh.rel.NumBlocks(), TreeHeight: int(lvl)}, nil
}
