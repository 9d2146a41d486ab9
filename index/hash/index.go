package hash

import (
	"sync"
	"sync/atomic"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/pagestore"
)

// AM is the hash access method over a buffer pool.
type AM struct {
	pool *buffer.Pool

	mu     sync.RWMutex
	shared map[pagestore.RelID]*shared

	works   sync.Pool // *work
	scans   sync.Pool // *scan
	stripes atomic.Uint32

	// hook, for tests, is called before (may fail) and after each step that changes the index.
	hook func(s step, after bool) error
}

// step is a kind of change that an Apply makes.
type step uint8

const (
	stepInsert step = iota
	stepAddOverflow
	stepStartSplit
	stepCopy
	stepFinishSplit
	stepDelete
	stepClearCleanup
	stepMove
	stepFreeOverflow
	stepFold
)

func (s step) String() string {
	return [...]string{"insert", "add overflow page", "start split", "copy to new bucket", "finish split", "delete from page",
		"clear cleanup flag", "squeeze", "free overflow page", "fold count"}[s]
}

// New makes the access method.
func New(pool *buffer.Pool) *AM {
	am := &AM{pool: pool, shared: map[pagestore.RelID]*shared{}}
	am.works.New = func() any { return &work{stripe: am.nextStripe()} }
	am.scans.New = func() any { return &scan{stripe: am.nextStripe()} }
	return am
}

func (am *AM) nextStripe() uint32 { return am.stripes.Add(1) % stripeCount }

const (
	defaultFillfactor = 75
	minPerBucket      = 10
)

var caps = index.Caps{
	Name: "hash", Strategies: 1, CanBackward: true, CanBitmap: true, PredLocks: true, DefaultFill: defaultFillfactor, MaxKeys: 1,
	KeyType: types.Int4OID,
}

// Caps gives hash's properties.
func (am *AM) Caps() *index.Caps { return &caps }

// Forget drops what is kept of an index whose pages are gone.
func (am *AM) Forget(id pagestore.RelID) {
	am.mu.Lock()
	delete(am.shared, id)
	am.mu.Unlock()
}

// shared is what all sessions share of one index.
type shared struct {
	mu   sync.Mutex // loading
	rel  *buffer.Rel
	meta atomic.Pointer[meta] // nil = not loaded
	// owed: a split that is due was refused, the next insertion tries again.
	owed atomic.Bool
	// epochs count, by bucket, what moves or removes entries that a scan between two calls relies on: squeezes, and the end of a split's garbage.
	epochs [256]atomic.Uint32
	// tails remember, by bucket, where in a long chain the last insertion found room: bucket<<32 | block, 0 = nothing.
	tails [1024]atomic.Uint64
	count counter
	stats counts
	// metaLatch counts the metapage's latches.
	metaLatch *buffer.LatchCounts
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

func (sh *shared) epoch(bucket uint32) *atomic.Uint32 {
	return &sh.epochs[bucket%uint32(len(sh.epochs))]
}

func (sh *shared) tail(bucket uint32) *atomic.Uint64 { return &sh.tails[bucket%uint32(len(sh.tails))] }

// Index is a hash index.
type Index struct {
	am   *AM
	def  *index.Def
	sh   *shared
	hash types.HashFunc
}

var _ index.Index = (*Index)(nil)

// Open gives the index of a definition.
func (am *AM) Open(def *index.Def) index.Index { return am.open(def) }

func (am *AM) open(def *index.Def) *Index {
	return &Index{am: am, def: def, sh: am.sharedOf(def.Rel), hash: def.Cols[0].Hash}
}

// Def gives the definition.
func (ix *Index) Def() *index.Def { return ix.def }

// perBucket is the number of entries a bucket that the fill factor asks for.
func (ix *Index) perBucket() int {
	fill := ix.def.Fillfactor
	if fill == 0 {
		fill = defaultFillfactor
	}
	return max(page.Size*fill/100/entrySpace, minPerBucket)
}

// Create makes an index without entries: metapage, two buckets, a bitmap page.
func (am *AM) Create(def *index.Def) error {
	ix := am.open(def)
	rel, err := ix.openRel()
	if err != nil {
		return err
	}
	m := newMeta(2, ix.perBucket())
	var g grip
	defer g.dropAll()
	c := am.pool.NewChange()
	defer c.Release()
	for block := range m.end() {
		b, err := rel.Extend()
		if err != nil {
			return err
		}
		g.hold(b, true)
		if b.Block() != block {
			return pgerr.New(pgerr.IndexCorrupted, "index \"%s\" already contains data", def.Name)
		}
		switch e := b.Edit(); {
		case block == metaBlock:
			m.write(e, 0, uint32(def.Cols[0].HashProc))
		case block <= m.maxBucket+1:
			initPage(e, m.maxBucket, noBlock, block-1, flagBucket)
		default:
			initBitmap(e)
		}
		c.Add(b)
	}
	c.SetCount(rel, 0)
	am.pool.Apply(c)
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

// meta gives the present copy of the metapage, and sees to it that ix.sh.rel is open and the count known.
func (ix *Index) meta() (*meta, error) {
	if m := ix.sh.meta.Load(); m != nil {
		return m, nil
	}
	return ix.load()
}

func (ix *Index) load() (*meta, error) {
	sh := ix.sh
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if m := sh.meta.Load(); m != nil {
		return m, nil
	}
	rel, err := ix.openRelLocked()
	if err != nil {
		return nil, err
	}
	b, err := ix.pin(metaBlock)
	if err != nil {
		return nil, err
	}
	b.LockShared()
	defer b.UnlockUnpin()
	if err := ix.checkPage(b, flagMeta); err != nil {
		return nil, err
	}
	m, err := ix.readMeta(b.Page())
	if err != nil {
		return nil, err
	}
	n, ok, err := rel.Count()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ix.corrupted(metaBlock)
	}
	sh.count.base.Store(n)
	rel.Reserve(m.end())
	if sh.metaLatch, err = rel.Watch(metaBlock); err != nil {
		return nil, err
	}
	sh.meta.Store(m)
	return m, nil
}

// lockMeta latches the metapage. Under the latch, m is the metapage.
func (ix *Index) lockMeta(w *work) (b buffer.Buf, m *meta, err error) {
	if b, err = ix.pin(metaBlock); err != nil {
		return b, nil, err
	}
	if err = w.g.lock(b, w.cancel); err != nil {
		return b, nil, err
	}
	if err = ix.checkPage(b, flagMeta); err != nil {
		return b, nil, err
	}
	return b, ix.sh.meta.Load(), nil
}

// apply makes a step durable and visible as one.
func (ix *Index) apply(c *buffer.Change, s step) error {
	h := ix.am.hook
	if h != nil {
		if err := h(s, false); err != nil {
			return err
		}
	}
	ix.am.pool.Apply(c)
	if h != nil {
		_ = h(s, true)
	}
	return nil
}

// Stats gives the number of pages.
func (ix *Index) Stats() (index.Stats, error) {
	if _, err := ix.meta(); err != nil {
		return index.Stats{}, err
	}
	return index.Stats{Pages: ix.sh.rel.NumBlocks(), TreeHeight: -1}, nil
}

// work is what one operation needs: taken from a pool, so that it costs no allocation.
type work struct {
	g      grip
	cancel buffer.Cancel
	stripe uint32
	tuple  [entrySize]byte
	batch  []entry
	offs   []uint16
}

func (am *AM) getWork(c buffer.Cancel) *work {
	w := am.works.Get().(*work)
	w.cancel = c
	return w
}

func (am *AM) putWork(w *work) {
	w.g.dropAll()
	w.cancel = nil
	am.works.Put(w)
}

// isCancelled reports that who waits for the operation has given it up.
func (w *work) isCancelled() bool { return w.cancel != nil && w.cancel.Err() != nil }
